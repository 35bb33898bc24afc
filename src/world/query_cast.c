/* Swept shapes and overlaps. Long sweeps go piece by piece, each in a frame at its own start, so precision does not
 * fade with distance. */
#include "world/query_internal.h"

#include <stdlib.h>

static double LengthOf(const double v[3])
{
	return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

void SweptShape_Keep(SweptShape *sweep, QueryHit hit)
{
	if (sweep->found && !Hit_Before(&hit, &sweep->best))
		return;
	sweep->best = hit;
	sweep->found = true;
}

/* ---- bodies ------------------------------------------------------------------------------------------------------ */

bool SweptShape_StretchIn(const SweptShape *sweep, WorldBox box, double *t0, double *t1)
{
	const double from[3] = {sweep->from.x, sweep->from.y, sweep->from.z};
	const double lo[3] = {box.lo.x - (double)sweep->bounds.hi.x, box.lo.y - (double)sweep->bounds.hi.y,
	                      box.lo.z - (double)sweep->bounds.hi.z};
	const double hi[3] = {box.hi.x - (double)sweep->bounds.lo.x, box.hi.y - (double)sweep->bounds.lo.y,
	                      box.hi.z - (double)sweep->bounds.lo.z};
	*t0 = 0.0;
	*t1 = 1.0;
	for (int a = 0; a < 3; a++) {
		if (sweep->delta[a] == 0.0) {
			if (from[a] < lo[a] || from[a] > hi[a])
				return false;
			continue;
		}
		double near = (lo[a] - from[a]) / sweep->delta[a], far = (hi[a] - from[a]) / sweep->delta[a];
		*t0 = MaxD(*t0, MinD(near, far));
		*t1 = MinD(*t1, MaxD(near, far));
	}
	return *t0 <= *t1;
}

static double CastAtPart(void *context, int32_t part, double max_fraction)
{
	SweptShape *sweep = context;
	World *w = sweep->world;
	double t0, t1;
	if (!Filter_Meets(w, sweep->filter, part))
		return max_fraction;
	PartView view = Part_View(w->dynamics, part);
	if (!SweptShape_StretchIn(sweep, WorldBoxGrow(view.box, 0.01), &t0, &t1))
		return max_fraction;
	Pos start = Along(sweep->from, sweep->delta, t0);
	Xform other = {PosSub(view.pose.p, start), view.pose.q};
	Vec3 motion = PosSub(Along(sweep->from, sweep->delta, t1), start);
	CastHit hit;
	const Shape *shape = &view.def->shape;
	Xform placement = {{0, 0, 0}, sweep->rotation};
	/* a start that does not count leaves other triangles of the same mesh to be met */
	bool met = shape->kind == SHAPE_MESH ? Collide_CastMesh(shape->mesh, other, sweep->shape, placement, motion, 0.0f,
	                                                        sweep->filter->inside && t0 == 0.0, &hit)
	                                     : Collide_Cast(shape, other, sweep->shape, placement, motion, 0.0f, &hit);
	if (!met)
		return max_fraction;
	bool inside = hit.inside && t0 == 0.0;
	if (inside && !sweep->filter->inside)
		return max_fraction;
	SweptShape_Keep(sweep, (QueryHit){.fraction = inside ? 0.0 : t0 + (t1 - t0) * (double)hit.fraction,
	                                  .position = PosAdd(start, hit.point),
	                                  .normal = inside ? V3(0.0f, 0.0f, 0.0f) : hit.normal,
	                                  .part = part,
	                                  .material = view.def->material,
	                                  .inside = inside,
	                                  .rank = Part_Rank(w, &view)});
	return MinD(max_fraction, sweep->best.fraction);
}

/* ---- terrain ----------------------------------------------------------------------------------------------------- */

WorldBox SweptShape_Box(const SweptShape *sweep, Pos start, Pos end)
{
	WorldBox a = {PosAdd(start, sweep->bounds.lo), PosAdd(start, sweep->bounds.hi)};
	WorldBox b = {PosAdd(end, sweep->bounds.lo), PosAdd(end, sweep->bounds.hi)};
	return WorldBoxGrow(WorldBoxUnion(a, b), 0.01);
}

/* Nearest triangle on the piece [t0, t1] of the sweep. 1, 0 or ErrorCode. */
static int CastPiece(SweptShape *sweep, double t0, double t1, Error *error)
{
	World *w = sweep->world;
	Pos start = Along(sweep->from, sweep->delta, t0), end = Along(sweep->from, sweep->delta, t1);
	Vec3 motion = PosSub(end, start);
	TriangleList *triangles = &w->triangles;
	triangles->items.count = 0;
	if (!Terrain_Gather(w->terrain, SweptShape_Box(sweep, start, end), start, false, triangles))
		return Error_OutOfMemory(error);
	bool found = false;
	for (int i = 0; i < triangles->items.count; i++) {
		const Triangle *triangle = &triangles->items.data[i];
		CastHit hit;
		if (!Collide_CastTriangle(triangle, sweep->shape, (Xform){{0, 0, 0}, sweep->rotation}, motion, 0.0f, &hit))
			continue;
		bool inside = hit.inside && t0 == 0.0;
		if (inside && !sweep->filter->inside)
			continue;
		found = true;
		SweptShape_Keep(sweep, (QueryHit){.fraction = inside ? 0.0 : t0 + (t1 - t0) * (double)hit.fraction,
		                                  .position = PosAdd(start, hit.point),
		                                  .normal = inside ? V3(0.0f, 0.0f, 0.0f) : hit.normal,
		                                  .part = -1,
		                                  .cell = triangle->cell,
		                                  .material = triangle->material,
		                                  .terrain = true,
		                                  .inside = inside});
	}
	return found;
}

/* Does it start in the ground: with its origin, or across a triangle? 1, 0 or ErrorCode. */
static int StartsInGround(SweptShape *sweep, Error *error)
{
	World *w = sweep->world;
	TriangleList *triangles = &w->triangles;
	Pos from = sweep->from;
	int inside = Terrain_PointInside(w->terrain, from, NULL);
	triangles->items.count = 0;
	if (inside < 0 || !Terrain_Gather(w->terrain, SweptShape_Box(sweep, from, from), from, false, triangles))
		return Error_OutOfMemory(error);
	QueryHit hit = {.position = from, .part = -1, .terrain = true, .inside = true};
	for (int i = 0; i < triangles->items.count && !inside; i++) {
		const Triangle *triangle = &triangles->items.data[i];
		Separation s = Collide_TriangleDistance(triangle, sweep->shape, (Xform){{0, 0, 0}, sweep->rotation});
		if (s.distance > 0.0f)
			continue;
		inside = 1;
		hit.cell = triangle->cell;
		hit.material = triangle->material;
	}
	if (inside)
		SweptShape_Keep(sweep, hit);
	return inside;
}

/* Walks the stretch of the sweep that may meet cells, piece by piece, until something is met. */
static int WalkPieces(SweptShape *sweep, CastPieceFn *cast, Error *error)
{
	World *w = sweep->world;
	Vec3 size = Sub(sweep->bounds.hi, sweep->bounds.lo);
	double piece = 8.0 * Terrain_CellSize(w->terrain) + (double)Max(size.x, Max(size.y, size.z));
	double first = 0.0, last = 1.0;
	if (sweep->length > 256.0 * piece) {
		CellBox cells;
		double c = Terrain_CellSize(w->terrain);
		if (!Store_Bounds(w->store, &cells))
			return 0;
		WorldBox box = {{cells.lo.x * c, cells.lo.y * c, cells.lo.z * c},
		                {(cells.hi.x + 1.0) * c, (cells.hi.y + 1.0) * c, (cells.hi.z + 1.0) * c}};
		if (!SweptShape_StretchIn(sweep, WorldBoxGrow(box, 2.0 * c), &first, &last))
			return 0;
	}
	double way = (last - first) * sweep->length;
	int64_t pieces = way > piece ? (int64_t)(way / piece) + 1 : 1;
	for (int64_t i = 0; i < pieces; i++) {
		double t0 = first + (last - first) * ((double)i / (double)pieces);
		double t1 = first + (last - first) * ((double)(i + 1) / (double)pieces);
		if (sweep->found && sweep->best.fraction <= t0)
			break;
		int result = cast(sweep, t0, t1, error);
		if (result != 0)
			return result < 0 ? result : 0;
	}
	return 0;
}

static int CastTerrain(SweptShape *sweep, Error *error)
{
	int result = World_SyncTerrain(sweep->world, error);
	if (result == ERROR_NONE && sweep->filter->inside)
		result = StartsInGround(sweep, error);
	return result != 0 ? result : WalkPieces(sweep, CastPiece, error);
}

/* Water that it starts in counts as a hit, or else is left unhindered, and all other water with it. */
static int CastWater(SweptShape *sweep, Error *error)
{
	if (!Water_Overlaps(sweep->world, sweep->shape, (Pose){sweep->from, sweep->rotation}))
		return WalkPieces(sweep, Water_CastPiece, error);
	if (sweep->filter->inside)
		SweptShape_Keep(sweep, (QueryHit){.position = sweep->from,
		                                  .part = -1,
		                                  .cell = Water_CellAt(sweep->world, sweep->from),
		                                  .material = MATERIAL_WATER,
		                                  .water = true,
		                                  .inside = true});
	return 0;
}

int World_Cast(World *w, const Shape *shape, Quat rotation, Pos from, Pos to, const QueryFilter *filter, QueryHit *hit,
               Error *error)
{
	SweptShape sweep = {.world = w, .filter = filter, .shape = shape, .rotation = rotation, .from = from};
	sweep.delta[0] = to.x - from.x;
	sweep.delta[1] = to.y - from.y;
	sweep.delta[2] = to.z - from.z;
	sweep.length = LengthOf(sweep.delta);
	sweep.bounds = Shape_Bounds(shape, (Xform){{0, 0, 0}, rotation});
	if (filter->assemblies) {
		Vec3 middle = Scale(0.5f, Add(sweep.bounds.lo, sweep.bounds.hi));
		Vec3 half = Scale(0.5f, Sub(sweep.bounds.hi, sweep.bounds.lo));
		Dynamics_RayParts(w->dynamics, PosAdd(from, middle), sweep.delta, half, CastAtPart, &sweep);
	}
	if (filter->terrain) {
		int result = CastTerrain(&sweep, error);
		if (result < 0)
			return result;
	}
	if (filter->water) {
		int result = CastWater(&sweep, error);
		if (result < 0)
			return result;
	}
	*hit = sweep.best;
	return sweep.found;
}

/* ---- overlap ----------------------------------------------------------------------------------------------------- */

typedef struct OverlapQuery {
	World *world;
	const QueryFilter *filter;
	const Shape *shape;
	Pose placement;
	bool failed;
} OverlapQuery;

static bool OverlapsPart(void *context, int32_t part)
{
	OverlapQuery *query = context;
	World *w = query->world;
	if (!Filter_Meets(w, query->filter, part))
		return true;
	PartView view = Part_View(w->dynamics, part);
	Xform other = {PosSub(view.pose.p, query->placement.p), view.pose.q};
	if (Collide_Overlap(&view.def->shape, other, query->shape, (Xform){{0, 0, 0}, query->placement.q}))
		query->failed = !Array_Push(
		    &w->memory, w->found, Body_Birth(w->dynamics, view.body) << ID_INDEX_BITS | (uint64_t)(uint32_t)view.body);
	return !query->failed;
}

static int OrderFound(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

/* By birth, each body once however many of its parts were met. */
static bool ListFound(World *w, SlotList *bodies)
{
	if (!Array_Reserve(&w->memory, *bodies, w->found.count))
		return false;
	if (w->found.count > 1)
		qsort(w->found.data, (size_t)w->found.count, sizeof *w->found.data, OrderFound);
	for (int i = 0; i < w->found.count; i++)
		if (i == 0 || w->found.data[i] != w->found.data[i - 1])
			bodies->data[bodies->count++] = (int)(w->found.data[i] & ((1u << ID_INDEX_BITS) - 1));
	return true;
}

static int OverlapsTerrain(World *w, const Shape *shape, Pose placement, WorldBox box, bool *terrain, Error *error)
{
	int result = World_SyncTerrain(w, error);
	if (result != ERROR_NONE)
		return result;
	int inside = Terrain_PointInside(w->terrain, placement.p, NULL);
	w->triangles.items.count = 0;
	if (inside < 0 || !Terrain_Gather(w->terrain, box, placement.p, false, &w->triangles))
		return Error_OutOfMemory(error);
	*terrain = inside == 1;
	for (int i = 0; i < w->triangles.items.count && !*terrain; i++) {
		const Triangle *triangle = &w->triangles.items.data[i];
		*terrain = Collide_TriangleDistance(triangle, shape, (Xform){{0, 0, 0}, placement.q}).distance <= 0.0f;
	}
	return ERROR_NONE;
}

int World_Overlap(World *w, const Shape *shape, Pose placement, const QueryFilter *filter, SlotList *bodies,
                  bool *terrain, bool *water, Error *error)
{
	OverlapQuery query = {w, filter, shape, placement, false};
	bodies->count = w->found.count = 0;
	*terrain = false;
	*water = filter->water && Water_Overlaps(w, shape, placement);
	Box bounds = Shape_Bounds(shape, (Xform){{0, 0, 0}, placement.q});
	WorldBox box = {PosAdd(placement.p, bounds.lo), PosAdd(placement.p, bounds.hi)};
	if (filter->assemblies)
		Dynamics_QueryParts(w->dynamics, box, OverlapsPart, &query);
	if (query.failed || !ListFound(w, bodies))
		return Error_OutOfMemory(error);
	return filter->terrain ? OverlapsTerrain(w, shape, placement, box, terrain, error) : ERROR_NONE;
}
