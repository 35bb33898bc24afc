/* Shapes against water: a cell holds it up to its level, as a box; as for rays (terrain/ray_water.c), and seen at once.
 */
#include "world/query_internal.h"

/* Cells along x with one level, from `first` on. */
typedef struct WaterRun {
	Cell first;
	int count;
	int level; /* of 255 */
} WaterRun;

typedef bool WaterRunFn(void *context, const WaterRun *run); /* false: enough */

static double CellSize(const World *w)
{
	return Terrain_CellSize(w->terrain);
}

static int32_t CellOf(double metres, double size)
{
	return FloorToInt(ClampD(metres / size, -(double)CELL_LIMIT, (double)CELL_LIMIT));
}

Cell Water_CellAt(const World *w, Pos point)
{
	double size = CellSize(w);
	return (Cell){CellOf(point.x, size), CellOf(point.y, size), CellOf(point.z, size)};
}

static CellBox Common(CellBox a, CellBox b)
{
	return (CellBox){{Int_Max(a.lo.x, b.lo.x), Int_Max(a.lo.y, b.lo.y), Int_Max(a.lo.z, b.lo.z)},
	                 {Int_Min(a.hi.x, b.hi.x), Int_Min(a.hi.y, b.hi.y), Int_Min(a.hi.z, b.hi.z)}};
}

/* The cells that a box meets, of those that hold anything. */
static bool CellsOf(const World *w, WorldBox box, CellBox *cells)
{
	const double many = 64.0;
	*cells = (CellBox){Water_CellAt(w, box.lo), Water_CellAt(w, box.hi)};
	double reach = many * CellSize(w);
	bool large = box.hi.x - box.lo.x > reach || box.hi.y - box.lo.y > reach || box.hi.z - box.lo.z > reach;
	CellBox all;
	if (large) {
		if (!Store_Bounds(w->store, &all))
			return false;
		*cells = Common(*cells, all);
	}
	bool any = cells->lo.x <= cells->hi.x && cells->lo.y <= cells->hi.y && cells->lo.z <= cells->hi.z;
	return any && !Store_IsEmpty(w->store, *cells);
}

static const uint8_t *RowAt(const World *w, int32_t chunk_x, int32_t y, int32_t z)
{
	return Store_Row(w->store, CHANNEL_WATER, chunk_x, y, z);
}

/* Marks the cells of a row that have full water on all sides: what comes from outside meets others first. */
static void MarkBuried(const World *w, int32_t chunk_x, int32_t y, int32_t z, bool buried[CHUNK_SIZE])
{
	const uint8_t *own = RowAt(w, chunk_x, y, z);
	const uint8_t *around[4] = {RowAt(w, chunk_x, y + 1, z), RowAt(w, chunk_x, y - 1, z), RowAt(w, chunk_x, y, z + 1),
	                            RowAt(w, chunk_x, y, z - 1)};
	for (int x = 0; x < CHUNK_SIZE; x++) {
		bool inner = x > 0 && x < CHUNK_SIZE - 1 && own[x] == 255 && own[x - 1] == 255 && own[x + 1] == 255;
		for (int i = 0; i < 4; i++)
			inner = inner && around[i][x] == 255;
		buried[x] = inner;
	}
}

/* All runs of a box of cells, in the order of y, z, x. `surface`: without what is buried. */
static void EachRun(const World *w, CellBox cells, bool surface, WaterRunFn *fn, void *context)
{
	for (int32_t y = cells.lo.y; y <= cells.hi.y; y++)
		for (int32_t z = cells.lo.z; z <= cells.hi.z; z++)
			for (int32_t chunk = cells.lo.x >> CHUNK_BITS; chunk <= cells.hi.x >> CHUNK_BITS; chunk++) {
				int32_t corner = chunk * CHUNK_SIZE;
				int from = Int_Max(cells.lo.x - corner, 0), to = Int_Min(cells.hi.x - corner, CHUNK_SIZE - 1);
				const uint8_t *row = RowAt(w, chunk, y, z);
				bool buried[CHUNK_SIZE] = {false};
				if (surface)
					MarkBuried(w, chunk, y, z, buried);
				for (int x = from; x <= to;) {
					int next = x + 1;
					while (next <= to && row[next] == row[x] && buried[next] == buried[x])
						next++;
					WaterRun run = {{corner + x, y, z}, next - x, row[x]};
					if (run.level > 0 && !buried[x] && !fn(context, &run))
						return;
					x = next;
				}
			}
}

/* Its box in the world, and as a shape with its middle. */
static WorldBox RunBox(const World *w, const WaterRun *run, Shape *shape, Pos *middle)
{
	double size = CellSize(w), height = size * run->level / 255.0, length = size * run->count;
	Pos lo = {run->first.x * size, run->first.y * size, run->first.z * size};
	*shape = (Shape){.kind = SHAPE_BOX, .half = V3((float)(0.5 * length), (float)(0.5 * height), (float)(0.5 * size))};
	*middle = (Pos){lo.x + 0.5 * length, lo.y + 0.5 * height, lo.z + 0.5 * size};
	return (WorldBox){lo, {lo.x + length, lo.y + height, lo.z + size}};
}

/* ---- sweeps ------------------------------------------------------------------------------------------------------ */

typedef struct WaterSweep {
	SweptShape *sweep;
	double t0, t1;
	Pos start;
	Vec3 motion;
	bool found;
} WaterSweep;

static bool CastAtRun(void *context, const WaterRun *run)
{
	WaterSweep *piece = context;
	SweptShape *sweep = piece->sweep;
	Shape box;
	Pos middle;
	double enter, leave;
	WorldBox bounds = RunBox(sweep->world, run, &box, &middle);
	if (!SweptShape_StretchIn(sweep, WorldBoxGrow(bounds, 0.01), &enter, &leave) || enter > piece->t1 ||
	    leave < piece->t0 || (sweep->found && sweep->best.fraction <= enter))
		return true;
	Xform there = {PosSub(middle, piece->start), QuatIdentity()};
	CastHit hit;
	if (!Collide_Cast(&box, there, sweep->shape, (Xform){{0, 0, 0}, sweep->rotation}, piece->motion, 0.0f, &hit))
		return true;
	double size = CellSize(sweep->world);
	Pos position = PosAdd(piece->start, hit.point);
	Cell cell = run->first;
	cell.x = Int_Clamp(CellOf(position.x, size), cell.x, cell.x + run->count - 1);
	piece->found = true;
	SweptShape_Keep(sweep, (QueryHit){.fraction = piece->t0 + (piece->t1 - piece->t0) * (double)hit.fraction,
	                                  .position = position,
	                                  .normal = hit.normal,
	                                  .part = -1,
	                                  .cell = cell,
	                                  .material = MATERIAL_WATER,
	                                  .water = true});
	return true;
}

int Water_CastPiece(SweptShape *sweep, double t0, double t1, Error *error)
{
	(void)error;
	Pos start = Along(sweep->from, sweep->delta, t0), end = Along(sweep->from, sweep->delta, t1);
	WaterSweep piece = {.sweep = sweep, .t0 = t0, .t1 = t1, .start = start, .motion = PosSub(end, start)};
	CellBox cells;
	if (CellsOf(sweep->world, SweptShape_Box(sweep, start, end), &cells))
		EachRun(sweep->world, cells, true, CastAtRun, &piece);
	return piece.found;
}

/* ---- overlap ----------------------------------------------------------------------------------------------------- */

typedef struct WaterOverlap {
	const World *world;
	const Shape *shape;
	Pose placement;
	WorldBox bounds;
	bool found;
} WaterOverlap;

static bool OverlapsRun(void *context, const WaterRun *run)
{
	WaterOverlap *query = context;
	Shape box;
	Pos middle;
	if (!WorldBoxOverlap(RunBox(query->world, run, &box, &middle), query->bounds))
		return true;
	Xform there = {PosSub(middle, query->placement.p), QuatIdentity()};
	query->found = Collide_Overlap(&box, there, query->shape, (Xform){{0, 0, 0}, query->placement.q});
	return !query->found;
}

bool Water_Overlaps(const World *w, const Shape *shape, Pose placement)
{
	Box box = Shape_Bounds(shape, (Xform){{0, 0, 0}, placement.q});
	WaterOverlap query = {.world = w, .shape = shape, .placement = placement};
	query.bounds = (WorldBox){PosAdd(placement.p, box.lo), PosAdd(placement.p, box.hi)};
	CellBox cells;
	if (CellsOf(w, query.bounds, &cells))
		EachRun(w, cells, false, OverlapsRun, &query);
	return query.found;
}
