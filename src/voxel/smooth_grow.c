/* Smoothing, growing and wearing away: edits of the surface's distance field within a ball.
 *
 * Smoothing averages distances, not occupancy. Of a plane both give the plane, but occupancy is cut off a cell from the
 * surface, so that repeated averages of it wash the surface out; averages of distances cannot. */
#include "voxel/brush_internal.h"
#include "voxel/fill_internal.h"
#include "voxel/smooth_internal.h"

/* Averages in one call. Each moves the surface by about a quarter of its curvature. */
#define SMOOTH_ROUNDS 4
/* Cells from the surface, for one average to be true of the cells beside it. */
#define SMOOTH_REACH 3.0f
#define SMOOTH_THINNEST 2.25f
/* Changes of distance under this are none: bytes that only carry their rounding stay. */
#define LEAST_CHANGE (1.0f / 1024.0f)
/* Of the radius, from where the strength fades to nothing at the rim. */
#define FULL_PART (2.0 / 3.0)

typedef struct Reshape {
	DistanceField field;
	CellBox ball; /* cells that may change */
	double center[3], radius;
	bool blocky[MATERIAL_LIMIT];
	int material; /* of what was outside and becomes solid; -1: the nearest */
} Reshape;

static double WeightAt(const Reshape *shape, int32_t x, int32_t y, int32_t z)
{
	double dx = x + 0.5 - shape->center[0], dy = y + 0.5 - shape->center[1], dz = z + 0.5 - shape->center[2];
	double part = sqrt(dx * dx + dy * dy + dz * dz) / shape->radius;
	return ClampD((1.0 - part) / (1.0 - FULL_PART), 0.0, 1.0);
}

/* ---- smoothing ---------------------------------------------------------------------------------------------- */

/* What two opposite neighbours at the distance `apart` say of the mean of the three: the second difference. Where they
 * lie on both sides of the middle of a wall (or a gap), it tells of the other side, and counts for nothing: the way
 * from one side falls as steeply as it rose. Walls thinner than SMOOTH_THINNEST are bumps. */
static float Pair_Bend(float here, float a, float b, float apart)
{
	float low = Min(a, b), high = Max(a, b), bend = a + b - 2.0f * here;
	if (here < 0.0f) {
		float swap = low;
		low = -high;
		high = -swap;
	}
	float depth = AbsD(here), rise = depth - low;
	bool steep = rise >= 0.5f * apart, falls = low + high - 2.0f * depth < -0.25f * apart;
	return steep && falls && depth + high + apart >= SMOOTH_THINNEST ? 0.0f : bend;
}

/* How far the mean over 27 cells with the weights of (1,2,1) along each axis is from the cell's own; FIELD_FAR where a
 * cell of them is too far. */
static float Bend_Around(const DistanceField *field, const float *d, size_t i)
{
	static const float apart[4] = {0.0f, 1.0f, 1.41421356f, 1.73205081f};
	float sum = 0.0f;
	/* Of each pair of opposite cells the one that comes later. */
	for (int k = 14; k < 27; k++) {
		int dx = k % 3 - 1, dz = k / 3 % 3 - 1, dy = k / 9 - 1;
		ptrdiff_t step = dx + field->nx * (dz + (ptrdiff_t)field->nz * dy);
		float a = d[(ptrdiff_t)i + step], b = d[(ptrdiff_t)i - step];
		if (AbsD(a) >= FIELD_FAR || AbsD(b) >= FIELD_FAR)
			return FIELD_FAR;
		int squared = dx * dx + dy * dy + dz * dz;
		sum += (float)(8 >> squared) * Pair_Bend(d[i], a, b, apart[squared]);
	}
	return sum / 64.0f;
}

/* Adds to `wanted` what one average of the distances `now` changes. */
static void Smooth_Round(Reshape *shape, const float *now, double strength)
{
	const DistanceField *field = &shape->field;
	CellBox ball = shape->ball;
	for (int32_t y = ball.lo.y; y <= ball.hi.y; y++) {
		for (int32_t z = ball.lo.z; z <= ball.hi.z; z++) {
			size_t i = DistanceField_Index(field, ball.lo.x, y, z);
			for (int32_t x = ball.lo.x; x <= ball.hi.x; x++, i++) {
				if (AbsD(now[i]) >= FIELD_FAR)
					continue;
				float bend = Bend_Around(field, now, i);
				if (bend < FIELD_FAR)
					field->wanted[i] += (float)(strength * WeightAt(shape, x, y, z)) * bend;
			}
		}
	}
}

static bool IsChanged(const DistanceField *field, size_t i)
{
	float change = field->wanted[i] - field->distance[i];
	return change >= LEAST_CHANGE || change <= -LEAST_CHANGE;
}

/* Each average is of distances measured anew, so that what happens in the middle of a wall does not come out at its
 * sides from one average to the next. `now`: room for an array. */
static void Smooth_Field(Reshape *shape, float *now, double strength)
{
	DistanceField *field = &shape->field;
	size_t cells = (size_t)field->nx * (size_t)field->ny * (size_t)field->nz;
	memcpy(field->wanted, field->distance, cells * sizeof(float));
	for (int k = 0; k < SMOOTH_ROUNDS; k++) {
		DistanceField_Renew(field, field->wanted, now, SMOOTH_REACH);
		Smooth_Round(shape, now, strength);
	}
	DistanceField_Renew(field, field->wanted, now, SMOOTH_REACH);
	for (size_t i = 0; i < cells; i++)
		if (!field->mark[i] && AbsD(field->distance[i]) < FIELD_FAR && IsChanged(field, i))
			field->wanted[i] = now[i];
}

/* ---- growing ------------------------------------------------------------------------------------------------ */

static void Grow_Field(Reshape *shape, double strength)
{
	DistanceField *field = &shape->field;
	CellBox ball = shape->ball;
	memcpy(field->wanted, field->distance, sizeof(float) * (size_t)field->nx * (size_t)field->ny * (size_t)field->nz);
	for (int32_t y = ball.lo.y; y <= ball.hi.y; y++) {
		for (int32_t z = ball.lo.z; z <= ball.hi.z; z++) {
			size_t i = DistanceField_Index(field, ball.lo.x, y, z);
			for (int32_t x = ball.lo.x; x <= ball.hi.x; x++, i++)
				if (AbsD(field->distance[i]) < FIELD_FAR)
					field->wanted[i] += (float)(strength * WeightAt(shape, x, y, z));
		}
	}
}

/* ---- materials ---------------------------------------------------------------------------------------------- */

/* Gives air the material of the neighbour that has one and lies deepest, one layer a pass. Materials of a pass are
 * told from older ones by its mark, so no order of the cells shows. */
static void Spread_Materials(DistanceField *field, uint8_t *mark, int passes)
{
	for (int pass = 1; pass <= passes; pass++) {
		for (int y = 1; y < field->ny - 1; y++) {
			for (int z = 1; z < field->nz - 1; z++) {
				for (int x = 1; x < field->nx - 1; x++) {
					ptrdiff_t i = x + field->nx * (z + (ptrdiff_t)field->nz * y);
					if (field->material[i] != MATERIAL_AIR || field->distance[i] <= -FIELD_FAR)
						continue;
					float deepest = -2.0f * FIELD_FAR;
					for (int k = 0; k < 27; k++) {
						ptrdiff_t n =
						    i + (k % 3 - 1) + field->nx * ((k / 3 % 3 - 1) + (ptrdiff_t)field->nz * (k / 9 - 1));
						if (field->material[n] == MATERIAL_AIR || mark[n] == pass || field->distance[n] <= deepest)
							continue;
						deepest = field->distance[n];
						field->material[i] = field->material[n];
						mark[i] = (uint8_t)pass;
					}
				}
			}
		}
	}
}

/* ---- the edit ----------------------------------------------------------------------------------------------- */

/* Beside a neighbour that keeps its byte across the surface, where that byte is not its distance's (a hard face): the
 * byte with which the surface crosses their edge where the distances say. */
static int FitTo(const DistanceField *field, size_t i, size_t n, int byte)
{
	float here = field->wanted[i], there = field->wanted[n];
	if (IsChanged(field, n) || (here >= 0.0f) == (there >= 0.0f))
		return byte;
	int kept = field->occupancy[n];
	if ((kept >= 128) != (there >= 0.0f) || (kept > 0 && kept < 255))
		return byte;
	float fit;
	if (here < 0.0f) {
		float t = Max(there / (there - here), 0.01f);
		fit = (float)kept - ((float)kept - 127.5f) / t;
		return (int)Clamp(fit, 0.0f, 127.0f);
	}
	float t = Min(here / (here - there), 0.99f);
	fit = (127.5f - t * (float)kept) / (1.0f - t);
	return (int)Clamp(fit + 0.5f, 128.0f, 255.0f);
}

static void Reshape_Cell(const Reshape *shape, size_t i, uint8_t *material, uint8_t *occupancy)
{
	const DistanceField *field = &shape->field;
	int byte = Distance_ToByte(field->wanted[i]);
	uint8_t kind = *material != MATERIAL_AIR ? *material : field->material[i];
	bool enters = field->occupancy[i] < 128 && byte >= 128;
	if (shape->material >= 0 && (*material == MATERIAL_AIR || enters))
		kind = (uint8_t)shape->material;
	if (kind == MATERIAL_AIR)
		return;
	if (shape->blocky[kind]) {
		byte = byte >= 128 ? 255 : 0;
	} else {
		const size_t step[3] = {1, (size_t)field->nx, (size_t)field->nx * (size_t)field->nz};
		for (int k = 0; k < 6; k++)
			byte = FitTo(field, i, k & 1 ? i + step[k / 2] : i - step[k / 2], byte);
	}
	*material = byte == 0 ? MATERIAL_AIR : kind;
	*occupancy = (uint8_t)byte;
}

static void Reshape_Row(void *context, int32_t x, int32_t y, int32_t z, int n, uint8_t *material, uint8_t *occupancy,
                        uint8_t *water)
{
	const Reshape *shape = context;
	(void)water;
	size_t first = DistanceField_Index(&shape->field, x, y, z);
	for (int i = 0; i < n; i++)
		if (AbsD(shape->field.distance[first + (size_t)i]) < FIELD_FAR && IsChanged(&shape->field, first + (size_t)i))
			Reshape_Cell(shape, first + (size_t)i, material + i, occupancy + i);
}

static int Reshape_Check(const double center[3], double radius, Error *error)
{
	for (int i = 0; i < 3; i++)
		if (!(AbsD(center[i]) <= CELL_LIMIT))
			return Error_Set(error, ERROR_ARGUMENT, "center: %c is %g cells, must be finite and within %d", 'x' + i,
			                 center[i], CELL_LIMIT);
	if (!(radius > 0.0) || !(radius <= RESHAPE_RADIUS))
		return Error_Set(error, ERROR_ARGUMENT, "radius: %g cells, must be above 0 and at most %d", radius,
		                 RESHAPE_RADIUS);
	return ERROR_NONE;
}

/* Reads the field around the ball. */
static int Reshape_Begin(Reshape *shape, Store *store, const MaterialTable *table, const double center[3],
                         double radius, double reach, Error *error)
{
	Brush ball = {.shape = BRUSH_BALL, .half = {radius, 0.0, 0.0}};
	FillRule rule;
	memcpy(ball.center, center, sizeof(ball.center));
	*shape = (Reshape){.radius = radius, .material = -1};
	memcpy(shape->center, center, sizeof(shape->center));
	FillRule_Init(&rule, table, EDIT_SET);
	memcpy(shape->blocky, rule.blocky, sizeof(shape->blocky));
	shape->ball = Brush_Bounds(&ball);
	int code = Fill_Box(&shape->ball, false, error);
	if (code)
		return code;
	int32_t margin = CeilToInt(reach) + 3;
	return DistanceField_Read(&shape->field, &store->memory, store, CellBox_Grown(shape->ball, margin), (float)reach,
	                          error);
}

static int Reshape_Run(Reshape *shape, Store *store, int layers, bool dig, Tally *tally, Error *error)
{
	const DistanceField *field = &shape->field;
	size_t cells = (size_t)field->nx * (size_t)field->ny * (size_t)field->nz;
	uint8_t *mark = Memory_AllocZero(&store->memory, cells);
	if (!mark)
		return Error_OutOfMemory(error);
	Spread_Materials(&shape->field, mark, layers);
	Memory_Free(&store->memory, mark, cells);
	EditPlan plan = {shape->ball, false, NULL, Reshape_Row, shape};
	CleanPlan clean = {.box = CellBox_Grown(shape->ball, 1), .dig = dig, .creates = true};
	return Store_RunPlan(store, &plan, &clean, tally, error);
}

int Store_Smooth(Store *store, const MaterialTable *table, const double center[3], double radius, double strength,
                 Tally *tally, Error *error)
{
	int code = Reshape_Check(center, radius, error);
	if (!code && !(strength >= 0.0 && strength <= 1.0))
		code = Error_Set(error, ERROR_ARGUMENT, "strength: %g, must be from 0 to 1", strength);
	if (code)
		return code;
	Reshape shape;
	code = Reshape_Begin(&shape, store, table, center, radius, SMOOTH_REACH + 1.0, error);
	size_t bytes = sizeof(float) * (size_t)shape.field.nx * (size_t)shape.field.ny * (size_t)shape.field.nz;
	float *other = code ? NULL : Memory_Alloc(&store->memory, bytes);
	if (!code && !other)
		code = Error_OutOfMemory(error);
	if (!code) {
		Smooth_Field(&shape, other, strength);
		code = Reshape_Run(&shape, store, 3, true, tally, error);
	}
	if (other)
		Memory_Free(&store->memory, other, bytes);
	DistanceField_Free(&shape.field, &store->memory);
	return code;
}

int Store_Grow(Store *store, const MaterialTable *table, const double center[3], double radius, double strength,
               int material, Tally *tally, Error *error)
{
	int code = Reshape_Check(center, radius, error);
	if (!code && !(AbsD(strength) <= GROW_LIMIT))
		code = Error_Set(error, ERROR_ARGUMENT, "strength: %g cells, must be from -%d to %d", strength, GROW_LIMIT,
		                 GROW_LIMIT);
	if (!code && material != -1 && (material <= MATERIAL_WATER || material >= table->count))
		code = Error_Set(error, ERROR_ARGUMENT, "material: %d is no solid material of the table", material);
	if (code)
		return code;
	Reshape shape;
	code = Reshape_Begin(&shape, store, table, center, radius, AbsD(strength) + 2.0, error);
	if (!code) {
		shape.material = material;
		Grow_Field(&shape, strength);
		code = Reshape_Run(&shape, store, CeilToInt(MaxD(strength, 0.0)) + 3, strength < 0.0, tally, error);
	}
	DistanceField_Free(&shape.field, &store->memory);
	return code;
}
