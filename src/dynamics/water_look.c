/* Where the water around a part stands, from the cells that its box meets. */
#include "dynamics/water_internal.h"

#define LINES 16      /* through a part along x and along z, where its water has no one level, at least */
#define LINE_CELLS 32 /* more cells across a part than this are not cared for one by one */
#define LINE_LIMIT (LINES + LINE_CELLS + 2)
#define COLUMN_LIMIT 4096 /* columns of cells that are looked at; of more, evenly spread ones */
#define LEVEL_SLACK 2     /* 1/255 of a cell: levels this near are one */
#define ABOVE_ALL 1e300

typedef struct Cells {
	const Store *store;
	double size; /* m a cell */
	CellBox box;
	int step_x, step_z; /* every so many columns */
} Cells;

static uint8_t CellAt(const Store *store, Channel channel, int32_t x, int32_t y, int32_t z)
{
	return Store_Row(store, channel, x >> CHUNK_BITS, y, z)[x & (CHUNK_SIZE - 1)];
}

static Cells CellsOf(const Dynamics *d, WorldBox box)
{
	double size = Terrain_CellSize(d->terrain), limit = 1073741823.0;
	Cells cells = {.store = d->store, .size = size, .step_x = 1, .step_z = 1};
	const double lo[3] = {box.lo.x, box.lo.y, box.lo.z}, hi[3] = {box.hi.x, box.hi.y, box.hi.z};
	int32_t from[3], to[3];
	for (int a = 0; a < 3; a++) {
		from[a] = FloorToInt(ClampD(lo[a] / size, -limit, limit));
		to[a] = FloorToInt(ClampD(hi[a] / size, -limit, limit));
	}
	cells.box = (CellBox){{from[0], from[1], from[2]}, {to[0], to[1], to[2]}};
	while ((int64_t)((to[0] - from[0]) / cells.step_x + 1) * ((to[2] - from[2]) / cells.step_z + 1) > COLUMN_LIMIT) {
		if ((to[0] - from[0]) / cells.step_x > (to[2] - from[2]) / cells.step_z)
			cells.step_x *= 2;
		else
			cells.step_z *= 2;
	}
	return cells;
}

/* The highest level, in cells from y = 0; ABOVE_ALL when it is not below the box's highest cells; -ABOVE_ALL: dry. */
static double HighestLevel(const Cells *c)
{
	for (int32_t y = c->box.hi.y; y >= c->box.lo.y; y--) {
		int most = 0;
		for (int32_t z = c->box.lo.z; z <= c->box.hi.z; z += c->step_z)
			for (int32_t x = c->box.lo.x; x <= c->box.hi.x; x += c->step_x)
				most = Int_Max(most, CellAt(c->store, CHANNEL_WATER, x, y, z));
		if (most == 255 && y == c->box.hi.y)
			return ABOVE_ALL;
		if (most > 0)
			return (double)y + (double)most / 255.0;
	}
	return -ABOVE_ALL;
}

/* Is everything below the level water or ground? */
static bool IsFilledTo(const Cells *c, double level)
{
	for (int32_t y = c->box.lo.y; y <= c->box.hi.y && (double)y < level; y++) {
		int least = (int)(255.0 * ClampD(level - (double)y, 0.0, 1.0)) - LEVEL_SLACK;
		for (int32_t z = c->box.lo.z; z <= c->box.hi.z; z += c->step_z)
			for (int32_t x = c->box.lo.x; x <= c->box.hi.x; x += c->step_x)
				if (CellAt(c->store, CHANNEL_WATER, x, y, z) < least &&
				    CellAt(c->store, CHANNEL_MATERIAL, x, y, z) == MATERIAL_AIR)
					return false;
	}
	return true;
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */

typedef struct Lines {
	const Cells *cells;
	const Shape *shape;
	Pose pose;
	WorldBox box;
	double inside; /* m3 of the shape by the lines, */
	double under;  /* ... under water */
	double plane;  /* m2 of the surface within it */
	Vec3D first;   /* moment of what is under water, about the pose */
} Lines;

/* Where the line at (x, z) is in the shape. */
static bool Stretch(const Lines *l, double x, double z, double *lo, double *hi)
{
	double top = l->box.hi.y - l->pose.p.y + 0.01, bottom = l->box.lo.y - l->pose.p.y - 0.01;
	Vec3 high = V3((float)(x - l->pose.p.x), (float)top, (float)(z - l->pose.p.z));
	Vec3 low = V3(high.x, (float)bottom, high.z);
	Vec3 a = InvRotate(l->pose.q, high), b = InvRotate(l->pose.q, low);
	const double from[3] = {a.x, a.y, a.z}, to[3] = {b.x, b.y, b.z};
	double down[3], up[3];
	ShapeHit hit;
	for (int i = 0; i < 3; i++) {
		down[i] = to[i] - from[i];
		up[i] = -down[i];
	}
	if (!Shape_Ray(l->shape, from, down, &hit))
		return false;
	*hi = l->pose.p.y + top - hit.fraction * (top - bottom);
	if (!Shape_Ray(l->shape, to, up, &hit))
		return false;
	*lo = l->pose.p.y + bottom + hit.fraction * (top - bottom);
	return *lo < *hi;
}

/* `area`: m2 that the line stands for. */
static void MeasureLine(Lines *l, double x, double z, double area)
{
	const Cells *c = l->cells;
	double lo, hi;
	if (!Stretch(l, x, z, &lo, &hi))
		return;
	l->inside += (hi - lo) * area;
	int32_t cx = FloorToInt(x / c->size), cz = FloorToInt(z / c->size);
	for (int32_t y = FloorToInt(lo / c->size); y <= c->box.hi.y && (double)y * c->size < hi; y++) {
		int level = CellAt(c->store, CHANNEL_WATER, cx, y, cz);
		double surface = ((double)y + (double)level / 255.0) * c->size;
		double from = MaxD(lo, (double)y * c->size), to = MinD(hi, surface);
		if (level == 0 || from >= to)
			continue;
		double volume = (to - from) * area;
		l->under += volume;
		l->first =
		    MulAddD(l->first, volume, (Vec3D){x - l->pose.p.x, 0.5 * (from + to) - l->pose.p.y, z - l->pose.p.z});
		bool open = level < 255 || CellAt(c->store, CHANNEL_WATER, cx, y + 1, cz) == 0;
		l->plane += open && surface < hi ? area : 0.0;
	}
}

/* Lines across [lo, hi]: their places and the width that each stands for. None stands for parts of two cells. */
static int Spread(double lo, double hi, double size, double at[LINE_LIMIT], double width[LINE_LIMIT])
{
	int32_t first = FloorToInt(lo / size), last = FloorToInt(hi / size);
	int count = 0, cells = last - first + 1;
	for (int32_t c = first; c <= last && cells <= LINE_CELLS; c++) {
		double from = MaxD(lo, (double)c * size), to = MinD(hi, ((double)c + 1.0) * size);
		int pieces = Int_Clamp(CeilToInt(LINES * (to - from) / (hi - lo)), 1, LINES);
		for (int i = 0; i < pieces && from < to && count < LINE_LIMIT; i++) {
			width[count] = (to - from) / pieces;
			at[count] = from + ((double)i + 0.5) * width[count];
			count++;
		}
	}
	for (int i = 0; i < LINE_CELLS && cells > LINE_CELLS; i++) {
		width[count] = (hi - lo) / LINE_CELLS;
		at[count] = lo + ((double)i + 0.5) * width[count];
		count++;
	}
	return count;
}

static bool Measure(const Dynamics *d, const Cells *cells, const Part *part, WaterPart *out)
{
	Lines l = {.cells = cells, .shape = &part->def.shape, .pose = Part_Pose(d, part), .box = Part_Box(d, part)};
	double x[LINE_LIMIT], z[LINE_LIMIT], dx[LINE_LIMIT], dz[LINE_LIMIT];
	int across = Spread(l.box.lo.x, l.box.hi.x, cells->size, x, dx);
	int deep = Spread(l.box.lo.z, l.box.hi.z, cells->size, z, dz);
	for (int i = 0; i < across; i++)
		for (int k = 0; k < deep; k++)
			MeasureLine(&l, x[i], z[k], dx[i] * dz[k]);
	if (!(l.under > 0.0))
		return false;
	double scale = (double)out->total / l.inside;
	Vec3D center = ScaleD(1.0 / l.under, l.first);
	Pos body = d->bodies.data[part->body].pose.p;
	out->volume = Min((float)(scale * l.under), out->total);
	out->area = (float)(scale * l.plane);
	out->center = Add(PosSub(l.pose.p, body), ToF(center));
	return true;
}

/* ---- both -------------------------------------------------------------------------------------------------------- */

bool Water_Look(const Dynamics *d, int slot, WaterPart *out)
{
	const Part *part = &d->parts.data[slot];
	Cells cells = CellsOf(d, Part_Box(d, part));
	double level = HighestLevel(&cells);
	if (level == -ABOVE_ALL)
		return false;
	Box own = Shape_Bounds(&part->def.shape, XformIdentity());
	Vec3 half = Scale(0.5f, Sub(own.hi, own.lo));
	*out = (WaterPart){.part = slot,
	                   .half = half,
	                   .density = d->materials->items[MATERIAL_WATER].density,
	                   .total = Part_Displaced(part)};
	/* how full of the shape its box is: a ball's circle, or a hull's outline, is less than the square around it */
	float full = Shape_Volume(&part->def.shape) / Max(8.0f * half.x * half.y * half.z, 1e-30f);
	out->fill = Clamp(0.5f * (1.0f + full), 0.0f, 1.0f);
	out->plane = IsFilledTo(&cells, level);
	out->level = level == ABOVE_ALL ? ((double)cells.box.hi.y + 2.0) * cells.size : level * cells.size;
	return out->plane || Measure(d, &cells, part, out);
}
