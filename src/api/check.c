/* Argument checks. One wording for one kind of mistake, with the name and the value in it. */
#include "api/api_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

int Api_Fail(ScreeWorld *w, ErrorCode code, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(w->error.text, sizeof w->error.text, format, arguments);
	va_end(arguments);
	w->error.code = code;
	return code;
}

int Api_OutOfMemory(ScreeWorld *w)
{
	return Error_OutOfMemory(&w->error);
}

/* As short as it reads back exactly. */
static const char *Shortest(char buffer[32], double value)
{
	static const int digits[] = {6, 9, 15, 17};
	for (int i = 0; i < COUNT_OF(digits); i++) {
		snprintf(buffer, 32, "%.*g", digits[i], value);
		if (strtod(buffer, NULL) == value)
			break;
	}
	return buffer;
}

bool Check_Number(ScreeWorld *w, const char *name, double value, double lo, double hi)
{
	char text[32];
	if (value >= lo && value <= hi)
		return true;
	if (!IsFinite(value))
		Api_Fail(w, ERROR_ARGUMENT, "%s must be a finite number, got %g", name, value);
	else
		Api_Fail(w, ERROR_ARGUMENT, "%s must be from %g to %g, got %s", name, lo, hi, Shortest(text, value));
	return false;
}

bool Check_Positive(ScreeWorld *w, const char *name, double value)
{
	if (value > 0.0 && value <= NUMBER_LIMIT)
		return true;
	char text[32];
	Api_Fail(w, ERROR_ARGUMENT, "%s must be a positive number, got %s", name, Shortest(text, value));
	return false;
}

bool Check_Vector(ScreeWorld *w, const char *name, const double *v, double limit)
{
	char item[80];
	for (int i = 0; i < 3; i++) {
		snprintf(item, sizeof item, "%s[%d]", name, i + 1);
		if (!Check_Number(w, item, v[i], -limit, limit))
			return false;
	}
	return true;
}

bool Check_Rotation(ScreeWorld *w, const char *name, const double *q, Quat *out)
{
	char item[80];
	double sum = 0.0;
	for (int i = 0; i < 4; i++) {
		snprintf(item, sizeof item, "%s[%d]", name, i + 1);
		if (!Check_Number(w, item, q[i], -1e9, 1e9))
			return false;
		sum += q[i] * q[i];
	}
	if (sum < 1e-18) {
		Api_Fail(w, ERROR_ARGUMENT, "%s must not be the zero quaternion", name);
		return false;
	}
	double s = 1.0 / sqrt(sum);
	*out = (Quat){(float)(s * q[0]), (float)(s * q[1]), (float)(s * q[2]), (float)(s * q[3])};
	*out = QuatNormalize(*out);
	return true;
}

bool Check_Flag(ScreeWorld *w, const char *name, int32_t value)
{
	if (value == 0 || value == 1)
		return true;
	Api_Fail(w, ERROR_ARGUMENT, "%s must be 0 or 1, got %d", name, value);
	return false;
}

bool Check_Index(ScreeWorld *w, const char *name, int32_t value, int32_t count)
{
	if (value >= 0 && value < count)
		return true;
	Api_Fail(w, ERROR_ARGUMENT, "%s must be from 0 to %d, got %d", name, count - 1, value);
	return false;
}

bool Check_Cell(ScreeWorld *w, const char *name, const double *v, Cell *out)
{
	int32_t whole[3];
	char item[80];
	for (int i = 0; i < 3; i++) {
		snprintf(item, sizeof item, "%s[%d]", name, i + 1);
		if (!Check_Number(w, item, v[i], -(double)CELL_LIMIT, (double)CELL_LIMIT))
			return false;
		whole[i] = FloorToInt(v[i]);
		if ((double)whole[i] != v[i]) {
			Api_Fail(w, ERROR_ARGUMENT, "%s must be a whole number, got %.17g", item, v[i]);
			return false;
		}
	}
	*out = (Cell){whole[0], whole[1], whole[2]};
	return true;
}

bool Check_CellBox(ScreeWorld *w, const double *min, const double *max, CellBox *out)
{
	if (!Check_Cell(w, "min", min, &out->lo) || !Check_Cell(w, "max", max, &out->hi))
		return false;
	for (int i = 0; i < 3; i++)
		if (min[i] > max[i]) {
			Api_Fail(w, ERROR_ARGUMENT, "min[%d] must not be above max[%d], got %g and %g", i + 1, i + 1, min[i],
			         max[i]);
			return false;
		}
	return true;
}

bool Check_Material(ScreeWorld *w, const char *name, int32_t material)
{
	return Check_Index(w, name, material, World_Materials(w->world)->count);
}

int Check_Assembly(ScreeWorld *w, ScreeId id)
{
	int slot = Body_Find(World_Dynamics(w->world), id);
	if (slot < 0)
		Api_Fail(w, ERROR_ARGUMENT, "assembly %.17g does not exist (any more)", id);
	return slot;
}

bool Check_Inertia(ScreeWorld *w, const char *name, const double *rows, Mat3 *out)
{
	char entry[80];
	for (int i = 0; i < 9; i++) {
		snprintf(entry, sizeof entry, "%s[%d]", name, i + 1);
		if (!Check_Number(w, entry, rows[i], -1e15, 1e15))
			return false;
	}
	*out = (Mat3){{(float)rows[0], (float)rows[3], (float)rows[6]},
	              {(float)rows[1], (float)rows[4], (float)rows[7]},
	              {(float)rows[2], (float)rows[5], (float)rows[8]}};
	return Inertia_Check(*out, &w->error) == ERROR_NONE;
}

int Api_Report(char *error, int32_t error_size, const Error *from)
{
	if (error && error_size > 0)
		snprintf(error, (size_t)error_size, "%s", from->text);
	return from->code;
}
