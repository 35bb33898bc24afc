/* Brush shapes: signed distances, bounds, and the byte field that they write.
 *
 * Distances are combined by min over faces and curved sides, which is exact inside and a max-norm distance outside;
 * each is 1-Lipschitz, so one sample in the middle bounds a row or a chunk. */
#include "voxel/brush_internal.h"

/* A face this near to a whole number lies on the grid plane: lengths that come from metres carry rounding. */
#define GRID_TOLERANCE 1e-6
/* Slack for rounding in the Lipschitz bounds; coordinates below 2^31 carry errors under 1e-6. */
#define BOUND_SLACK 1e-3
#define THINNEST 1.5
/* Brushes may reach beyond the world, but not without end: sums and squares of lengths must stay exact enough. */
#define LARGEST (4.0 * CELL_LIMIT)

/* ---- distance ----------------------------------------------------------------------------------------------- */

/* The surface net shrinks a curved surface by about 0.157 (k1 + k2); the brush grows by as much. */
static double Brush_Radius(const Brush *brush)
{
	double r = brush->half[0];
	if (r < 1.5)
		return r;
	return brush->shape == BRUSH_BALL ? r + 1.0 / (3.0 * r) : r + 1.0 / (6.0 * r);
}

static void Brush_ToLocal(const Brush *brush, double x, double y, double z, double p[3])
{
	double d[3] = {x - brush->center[0], y - brush->center[1], z - brush->center[2]};
	for (int i = 0; i < 3; i++)
		p[i] = brush->rotated
		           ? brush->rotation[0][i] * d[0] + brush->rotation[1][i] * d[1] + brush->rotation[2][i] * d[2]
		           : d[i];
}

/* The part of the shape that is not a face square to the local axes: ball, mantle, slope. */
static double Brush_RestDistance(const Brush *brush, const double p[3])
{
	const double *h = brush->half;
	switch (brush->shape) {
	case BRUSH_BALL:
		return Brush_Radius(brush) - sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
	case BRUSH_CYLINDER:
		return Brush_Radius(brush) - sqrt(p[0] * p[0] + p[2] * p[2]);
	case BRUSH_WEDGE:
		return (p[2] * h[1] - p[1] * h[2]) / sqrt(h[1] * h[1] + h[2] * h[2]);
	case BRUSH_BOX:
		break;
	}
	return DBL_MAX;
}

static bool Shape_HasFace(BrushShape shape, int axis, int side)
{
	switch (shape) {
	case BRUSH_BOX:
		return true;
	case BRUSH_CYLINDER:
		return axis == 1;
	case BRUSH_WEDGE:
		return axis == 0 || (axis == 1 && side == 0) || (axis == 2 && side == 1);
	case BRUSH_BALL:
		break;
	}
	return false;
}

double Brush_Distance(const Brush *brush, double x, double y, double z)
{
	double p[3];
	Brush_ToLocal(brush, x, y, z, p);
	double d = Brush_RestDistance(brush, p);
	for (int axis = 0; axis < 3; axis++) {
		if (Shape_HasFace(brush->shape, axis, 0))
			d = MinD(d, brush->half[axis] + p[axis]);
		if (Shape_HasFace(brush->shape, axis, 1))
			d = MinD(d, brush->half[axis] - p[axis]);
	}
	return d;
}

/* ---- extents ------------------------------------------------------------------------------------------------ */

/* Half extents in local axes, compensation included. */
static void Brush_Half(const Brush *brush, double half[3])
{
	double r = Brush_Radius(brush);
	bool ball = brush->shape == BRUSH_BALL, tube = brush->shape == BRUSH_CYLINDER;
	half[0] = ball || tube ? r : brush->half[0];
	half[1] = ball ? r : brush->half[1];
	half[2] = ball || tube ? r : brush->half[2];
}

/* Floor of a coordinate that may lie anywhere, stopped a little beyond the limit. */
static int32_t ClampedFloor(double v)
{
	double edge = (double)CELL_LIMIT + 64;
	return FloorToInt(ClampD(v, -edge, edge));
}

CellBox Brush_Bounds(const Brush *brush)
{
	double half[3];
	int32_t lo[3], hi[3];
	Brush_Half(brush, half);
	for (int i = 0; i < 3; i++) {
		double reach = half[i];
		if (brush->rotated) {
			const double *row = brush->rotation[i];
			reach = AbsD(row[0]) * half[0] + AbsD(row[1]) * half[1] + AbsD(row[2]) * half[2];
		}
		/* Cells whose centre is less than one cell outside. */
		lo[i] = ClampedFloor(brush->center[i] - reach - 1.5) + 1;
		hi[i] = -ClampedFloor(-(brush->center[i] + reach + 0.5)) - 1;
		/* Far outside, both ends stop at the same edge. */
		hi[i] = Int_Max(lo[i], hi[i]);
	}
	return (CellBox){{lo[0], lo[1], lo[2]}, {hi[0], hi[1], hi[2]}};
}

static double NearestWhole(double v)
{
	return AbsD(v) < 2147483648.0 - 1.0 ? (double)FloorToInt(v + 0.5) : v;
}

static bool OnGridPlane(double v)
{
	return AbsD(v - NearestWhole(v)) < GRID_TOLERANCE;
}

/* Rotations that are whole quarter turns to within this: those of quaternions carry rounding. */
#define QUARTER_TOLERANCE 1e-6

static bool IsQuarterTurns(const double r[3][3])
{
	for (int i = 0; i < 3; i++)
		for (int j = 0; j < 3; j++)
			if (AbsD(r[i][j]) > QUARTER_TOLERANCE && AbsD(r[i][j]) < 1.0 - QUARTER_TOLERANCE)
				return false;
	return true;
}

Brush Brush_Squared(const Brush *brush)
{
	Brush square = *brush;
	if (!brush->rotated)
		return square;
	/* Round shapes are the same under turns about their axis. */
	if (brush->shape == BRUSH_BALL ||
	    (brush->shape == BRUSH_CYLINDER && AbsD(brush->rotation[1][1]) > 1.0 - QUARTER_TOLERANCE * QUARTER_TOLERANCE)) {
		square.rotated = false;
		return square;
	}
	if (!IsQuarterTurns(brush->rotation))
		return square;
	for (int i = 0; i < 3; i++) {
		for (int j = 0; j < 3; j++) {
			double v = brush->rotation[i][j];
			square.rotation[i][j] = v > 0.5 ? 1.0 : v < -0.5 ? -1.0 : 0.0;
			if (brush->shape == BRUSH_BOX && square.rotation[i][j] != 0.0)
				square.half[i] = brush->half[j];
		}
	}
	square.rotated = brush->shape != BRUSH_BOX;
	return square;
}

/* The world axis that a local axis lies along, in a brush of quarter turns. */
static int Brush_WorldAxis(const Brush *brush, int local)
{
	for (int axis = 0; brush->rotated && axis < 3; axis++)
		if (AbsD(brush->rotation[axis][local]) > 0.5)
			return axis;
	return local;
}

Brush Brush_Widened(const Brush *brush)
{
	Brush wide = *brush;
	if (brush->shape == BRUSH_BALL)
		return wide;
	bool square = !brush->rotated || IsQuarterTurns(brush->rotation);
	for (int i = 0; i < 3; i++) {
		int axis = Brush_WorldAxis(brush, i);
		bool fits = square && OnGridPlane(brush->center[axis] - brush->half[i]) &&
		            OnGridPlane(brush->center[axis] + brush->half[i]);
		bool round = brush->shape == BRUSH_CYLINDER && i != 1;
		if (2.0 * brush->half[i] < THINNEST && (round || !fits))
			wide.half[i] = THINNEST / 2.0;
	}
	return wide;
}

/* ---- checks ------------------------------------------------------------------------------------------------- */

static int Rotation_Check(const double r[3][3], Error *error)
{
	for (int i = 0; i < 3; i++) {
		for (int j = 0; j < 3; j++) {
			double dot = r[i][0] * r[j][0] + r[i][1] * r[j][1] + r[i][2] * r[j][2];
			/* Written so that NaN fails too. */
			if (!(AbsD(dot - (i == j)) < 1e-4))
				return Error_Set(error, ERROR_ARGUMENT, "rotation: rows %d and %d are not orthonormal (product %g)",
				                 i + 1, j + 1, dot);
		}
	}
	return ERROR_NONE;
}

int Brush_Check(const Brush *brush, Error *error)
{
	if ((int)brush->shape < BRUSH_BALL || (int)brush->shape > BRUSH_WEDGE)
		return Error_Set(error, ERROR_ARGUMENT, "shape: %d is no brush shape", (int)brush->shape);
	int extents = brush->shape == BRUSH_BALL ? 1 : brush->shape == BRUSH_CYLINDER ? 2 : 3;
	for (int i = 0; i < 3; i++)
		if (!(AbsD(brush->center[i]) <= LARGEST))
			return Error_Set(error, ERROR_ARGUMENT, "center: %c is %g cells, must be finite and within %g", 'x' + i,
			                 brush->center[i], LARGEST);
	for (int i = 0; i < extents; i++)
		if (!(brush->half[i] > 0.0) || !(brush->half[i] <= LARGEST))
			return Error_Set(error, ERROR_ARGUMENT, "half: %c is %g cells, must be above 0 and at most %g", 'x' + i,
			                 brush->half[i], LARGEST);
	return brush->rotated ? Rotation_Check(brush->rotation, error) : ERROR_NONE;
}

/* ---- the byte field ----------------------------------------------------------------------------------------- */

void BrushField_Init(BrushField *field, const Brush *brush, bool hard_all)
{
	*field = (BrushField){.brush = *brush, .hard_all = hard_all};
	bool square = !brush->rotated || IsQuarterTurns(brush->rotation);
	field->square = square;
	field->has_rest = !square || brush->shape != BRUSH_BOX;
	for (int local = 0; local < 3; local++) {
		int axis = Brush_WorldAxis(brush, local);
		bool turned = brush->rotated && brush->rotation[axis][local] < 0.0;
		for (int side = 0; side < 2; side++) {
			double v = brush->center[axis] + (side ? brush->half[local] : -brush->half[local]);
			bool hard = OnGridPlane(v);
			field->face[axis][side] = hard ? NearestWhole(v) : v;
			field->hard[axis][side] = hard || hard_all;
			field->has_face[axis][side] = square && Shape_HasFace(brush->shape, local, turned ? !side : side);
			field->any_hard = field->any_hard || (field->has_face[axis][side] && hard) || hard_all;
		}
	}
}

/* What the squared faces of one axis allow in the cell layer c. */
static uint8_t AxisByte(const BrushField *field, int axis, int32_t c)
{
	uint8_t byte = 255;
	for (int side = 0; side < 2; side++) {
		if (!field->has_face[axis][side])
			continue;
		double centre = (double)c + 0.5, face = field->face[axis][side];
		double d = side ? face - centre : centre - face;
		uint8_t here = field->hard[axis][side] ? (d >= 0.0 ? 255 : 0) : Distance_ToByte(d);
		byte = here < byte ? here : byte;
	}
	return byte;
}

static double RestAt(const BrushField *field, double x, double y, double z)
{
	if (!field->square)
		return Brush_Distance(&field->brush, x, y, z);
	double p[3];
	Brush_ToLocal(&field->brush, x, y, z, p);
	return Brush_RestDistance(&field->brush, p);
}

/* Where all distances within `radius` of a point with distance d lead. */
static FieldCover Cover_Around(const BrushField *field, double d, double radius)
{
	radius += BOUND_SLACK;
	if (d - radius >= (field->hard_all ? 0.0 : 1.0))
		return COVER_ALL;
	if (d + radius <= (field->hard_all ? 0.0 : -1.0))
		return COVER_NONE;
	return COVER_SOME;
}

static const uint8_t *AxisBytesX(BrushField *field, int32_t x, int n)
{
	if (field->cached_n < n || field->cached_x != x) {
		for (int i = 0; i < n; i++)
			field->axis_x[i] = AxisByte(field, 0, x + i);
		field->cached_n = n;
		field->cached_x = x;
	}
	return field->axis_x;
}

/* The lesser of the byte and what the rest of the shape allows in the cell. */
static inline uint8_t Rest_Least(const BrushField *field, int32_t x, int32_t y, int32_t z, uint8_t byte)
{
	double d = RestAt(field, x + 0.5, y + 0.5, z + 0.5);
	uint8_t here = field->hard_all ? (d >= 0.0 ? 255 : 0) : Distance_ToByte(d);
	return here < byte ? here : byte;
}

/* Cells of a row that are looked at together first. */
#define RUN 8

/* bytes = min(bytes, the rest of the shape). Runs of cells that lie inside or outside as a whole are not measured one
 * by one. */
static void Rest_Row(const BrushField *field, int32_t x, int32_t y, int32_t z, int n, uint8_t *bytes)
{
	for (int first = 0; first < n; first += RUN) {
		int end = Int_Min(first + RUN, n);
		double radius = 0.5 * (end - first - 1);
		FieldCover cover = Cover_Around(field, RestAt(field, x + first + 0.5 + radius, y + 0.5, z + 0.5), radius);
		if (cover == COVER_NONE)
			memset(bytes + first, 0, (size_t)(end - first));
		for (int i = first; i < end && cover == COVER_SOME; i++)
			bytes[i] = Rest_Least(field, x + i, y, z, bytes[i]);
	}
}

/* Where a row passes through a ball or an upright cylinder: cells from[0] to from[1] and from[2] to from[3] are to be
 * measured, those between are full, all others empty. */
typedef struct RowSpans {
	int from[4];
} RowSpans;

/* Up to this radius the squares below are exact to within the slack. */
#define ROUND_RADIUS 65536.0

static bool Field_IsRound(const BrushField *field)
{
	return (field->brush.shape == BRUSH_BALL || field->brush.shape == BRUSH_CYLINDER) && !field->brush.rotated &&
	       field->brush.half[0] < ROUND_RADIUS;
}

static RowSpans Round_Spans(const BrushField *field, int32_t x, int32_t y, int32_t z, int n)
{
	const Brush *brush = &field->brush;
	double dy = brush->shape == BRUSH_BALL ? y + 0.5 - brush->center[1] : 0.0, dz = z + 0.5 - brush->center[2];
	double across = dy * dy + dz * dz, first = brush->center[0] - 0.5 - x;
	double soft = (field->hard_all ? 0.0 : 1.0) + BOUND_SLACK;
	double outer = Brush_Radius(brush) + soft, inner = Brush_Radius(brush) - soft;
	RowSpans spans = {{0, 0, 0, 0}};
	if (across >= outer * outer)
		return spans;
	double half = sqrt(outer * outer - across);
	spans.from[0] = CeilToInt(ClampD(first - half, 0.0, n));
	spans.from[3] = FloorToInt(ClampD(first + half + 1.0, spans.from[0], n));
	spans.from[1] = spans.from[2] = spans.from[3];
	if (inner <= 0.0 || across >= inner * inner)
		return spans;
	half = sqrt(inner * inner - across);
	spans.from[1] = CeilToInt(ClampD(first - half, spans.from[0], spans.from[3]));
	spans.from[2] = FloorToInt(ClampD(first + half + 1.0, spans.from[1], spans.from[3]));
	return spans;
}

static FieldCover Spans_Cover(const RowSpans *spans, int n)
{
	if (spans->from[0] == spans->from[3])
		return COVER_NONE;
	return spans->from[1] == 0 && spans->from[2] == n ? COVER_ALL : COVER_SOME;
}

static void Round_Row(const BrushField *field, const RowSpans *spans, int32_t x, int32_t y, int32_t z, int n,
                      uint8_t *bytes)
{
	memset(bytes, 0, (size_t)spans->from[0]);
	memset(bytes + spans->from[3], 0, (size_t)(n - spans->from[3]));
	for (int part = 0; part < 4; part += 2)
		for (int i = spans->from[part]; i < spans->from[part + 1]; i++)
			bytes[i] = Rest_Least(field, x + i, y, z, bytes[i]);
}

/* What the squared faces allow in the n cells of a row. */
static FieldCover Faces_Row(BrushField *field, int32_t x, int32_t y, int32_t z, int n, uint8_t *bytes)
{
	uint8_t by = AxisByte(field, 1, y), bz = AxisByte(field, 2, z), most = by < bz ? by : bz;
	if (most == 0)
		return COVER_NONE;
	const uint8_t *bx = AxisBytesX(field, x, n);
	uint8_t any = 0, all = 255;
	for (int i = 0; i < n; i++) {
		bytes[i] = bx[i] < most ? bx[i] : most;
		any |= bytes[i];
		all &= bytes[i];
	}
	return any == 0 ? COVER_NONE : all == 255 ? COVER_ALL : COVER_SOME;
}

FieldCover BrushField_Row(BrushField *field, int32_t x, int32_t y, int32_t z, int n, uint8_t *bytes)
{
	FieldCover rest = COVER_ALL, faces = COVER_ALL;
	RowSpans spans;
	bool round = Field_IsRound(field);
	if (round) {
		spans = Round_Spans(field, x, y, z, n);
		rest = Spans_Cover(&spans, n);
	} else if (field->has_rest) {
		double radius = 0.5 * (n - 1);
		rest = Cover_Around(field, RestAt(field, x + 0.5 + radius, y + 0.5, z + 0.5), radius);
	}
	if (rest == COVER_NONE)
		return COVER_NONE;
	if (field->brush.shape == BRUSH_BALL)
		memset(bytes, 255, (size_t)n);
	else
		faces = Faces_Row(field, x, y, z, n, bytes);
	if (faces == COVER_NONE || rest == COVER_ALL)
		return faces;
	if (round)
		Round_Row(field, &spans, x, y, z, n, bytes);
	else
		Rest_Row(field, x, y, z, n, bytes);
	return COVER_SOME;
}

double BrushField_Distance(const BrushField *field, int32_t x, int32_t y, int32_t z)
{
	const double centre[3] = {x + 0.5, y + 0.5, z + 0.5};
	double least = field->has_rest ? RestAt(field, centre[0], centre[1], centre[2]) : FILL_HARD;
	if (field->hard_all)
		return least >= 0.0 ? FILL_HARD : -FILL_HARD;
	for (int axis = 0; axis < 3; axis++) {
		for (int side = 0; side < 2; side++) {
			if (!field->has_face[axis][side])
				continue;
			double d = side ? field->face[axis][1] - centre[axis] : centre[axis] - field->face[axis][0];
			if (field->hard[axis][side])
				d = d >= 0.0 ? FILL_HARD : -FILL_HARD;
			least = MinD(least, d);
		}
	}
	return least;
}

FieldCover BrushField_Chunk(const BrushField *field, Cell corner)
{
	const int32_t at[3] = {corner.x, corner.y, corner.z};
	const double middle = 0.5 * CHUNK_SIZE;
	FieldCover cover = COVER_ALL;
	/* The bytes of an axis rise, then fall: both ends full, all full. */
	for (int axis = 0; axis < 3; axis++)
		if (AxisByte(field, axis, at[axis]) != 255 || AxisByte(field, axis, at[axis] + CHUNK_SIZE - 1) != 255)
			cover = COVER_SOME;
	if (!field->has_rest)
		return cover;
	/* 26.85 = half the diagonal between the centres of the corner cells. */
	FieldCover rest = Cover_Around(field, RestAt(field, at[0] + middle, at[1] + middle, at[2] + middle), 26.85);
	if (rest == COVER_NONE)
		return COVER_NONE;
	return rest == COVER_ALL ? cover : COVER_SOME;
}
