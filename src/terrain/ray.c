/* Rays over the whole terrain, as they are asked and answered. */
#include "terrain/cast_internal.h"

#include <stdlib.h>

/* ---- the segment as a ray ------------------------------------------------------------------------------------ */

/* The whole-number world has an end: a ray from beyond it begins where it enters the box of all records. Its place
 * there is known to the rounding of its start, and lies on the face that it enters by. */
static bool EnterFromFar(const Terrain *terrain, Pos from, const double delta[3], double length, Segment *segment)
{
	const double s = terrain->cells_per_metre;
	const GridPoint zero = {{0, 0, 0}, {0, 0, 0}};
	const double origin[3] = {from.x * s * SURFACE_UNIT, from.y * s * SURFACE_UNIT, from.z * s * SURFACE_UNIT};
	const int first[3] = {terrain->lo.x, terrain->lo.y, terrain->lo.z};
	const int last[3] = {terrain->hi.x, terrain->hi.y, terrain->hi.z};
	double lo[3], hi[3], s0 = 0.0, s1 = length, at[3], entered = -1.0;
	int face = 0;
	Ray ray;
	Ray_Set(&ray, &zero, delta);
	for (int a = 0; a < 3; a++) {
		lo[a] = ((double)first[a] - 1.0) * BLOCK_UNITS;
		hi[a] = ((double)last[a] + 2.0) * BLOCK_UNITS;
	}
	if (terrain->record_count == 0 || !Ray_Clip(&ray, origin, lo, hi, &s0, &s1))
		return false;
	for (int a = 0; a < 3; a++) {
		at[a] = ClampD(origin[a] + ray.dir[a] * s0, lo[a], hi[a]);
		double enters = ((ray.step[a] > 0 ? lo[a] : hi[a]) - origin[a]) * ray.inverse[a];
		if (enters > entered) {
			entered = enters;
			face = a;
		}
	}
	if (entered >= 0.0)
		at[face] = ray.step[face] > 0 ? lo[face] : hi[face];
	double metres = terrain->cell_size / SURFACE_UNIT;
	segment->far = true;
	segment->skipped = s0;
	return GridPoint_From(terrain, (Pos){at[0] * metres, at[1] * metres, at[2] * metres}, &segment->start);
}

#if SCREE_X86
/* Segment_From for the usual segment; false: it is not one. */
static bool UsualSegment(const Terrain *terrain, Pos from, Pos to, double limit, Segment *segment)
{
	Ray *ray = &segment->ray;
	if (!(limit >= 0.0) || !Ray_SetFast(ray, terrain, from, to))
		return false;
	segment->far = false;
	segment->skipped = 0.0;
	segment->length = ray->end;
	segment->start = (GridPoint){ray->frame, {ray->origin[0], ray->origin[1], ray->origin[2]}};
	ray->end = ray->end * MinD(limit, 1.0);
	return true;
}
#endif

int Segment_From(const Terrain *terrain, Pos from, Pos to, double limit, Segment *segment, Error *error)
{
#if SCREE_X86
	if (terrain->simd && UsualSegment(terrain, from, to, limit, segment))
		return 1;
#endif
	const double s = terrain->cells_per_metre * SURFACE_UNIT;
	const double delta[3] = {(to.x - from.x) * s, (to.y - from.y) * s, (to.z - from.z) * s};
	double length = MaxD(AbsD(delta[0]), MaxD(AbsD(delta[1]), AbsD(delta[2])));
	double reach = MaxD(AbsD(from.x), MaxD(AbsD(from.y), AbsD(from.z))) * s;
	if (!IsFinite(delta[0] + delta[1] + delta[2]) || !IsFinite(length) || !IsFinite(reach))
		return Error_Set(error, ERROR_ARGUMENT,
		                 "from and to must be finite and their distance too, got (%g, %g, %g) to (%g, %g, %g)", from.x,
		                 from.y, from.z, to.x, to.y, to.z);
	segment->far = false;
	segment->skipped = 0.0;
	segment->length = length;
	if (!(limit >= 0.0))
		return 0;
	if (!GridPoint_From(terrain, from, &segment->start) &&
	    (length == 0.0 || !EnterFromFar(terrain, from, delta, length, segment)))
		return 0;
	if (length == 0.0)
		return 1;
	Ray_Set(&segment->ray, &segment->start, delta);
	segment->ray.end = length * MinD(limit, 1.0) - segment->skipped;
	return segment->ray.end >= 0.0;
}

/* ---- hits ---------------------------------------------------------------------------------------------------- */

static TerrainHit InsideHit(const GridPoint *point, uint8_t material, bool water)
{
	TerrainHit hit = {.material = material, .inside = true, .water = water};
	hit.cell = CellsOfBlocks(point->block, point->block).lo;
	hit.cell.x += GridPoint_Cell(point, 0);
	hit.cell.y += GridPoint_Cell(point, 1);
	hit.cell.z += GridPoint_Cell(point, 2);
	return hit;
}

static double FractionAt(const Segment *segment, double s)
{
	return MinD((segment->skipped + s) / segment->length, 1.0);
}

TerrainHit Crossing_Hit(const Crossing *crossing)
{
	const double *n = crossing->normal;
	double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
	QuadCorners corners;
	Collider_Quad(crossing->collider, crossing->quad, corners);
	return (TerrainHit){.normal = V3((float)(n[0] / length), (float)(n[1] / length), (float)(n[2] / length)),
	                    .cell = Quad_Cell(crossing->block, Quad_Name(corners)),
	                    .material = Collider_Materials(crossing->collider)[crossing->quad]};
}

static TerrainHit SurfaceHit(const Segment *segment, const Crossing *crossing)
{
	TerrainHit hit = Crossing_Hit(crossing);
	hit.fraction = FractionAt(segment, crossing->s);
	return hit;
}

static TerrainHit WaterHit(const Segment *segment, const WaterEntry *entry)
{
	TerrainHit hit = {
	    .fraction = FractionAt(segment, entry->s), .cell = entry->cell, .material = MATERIAL_WATER, .water = true};
	float sign = (float)entry->sign;
	hit.normal = V3(entry->axis == 0 ? sign : 0.0f, entry->axis == 1 ? sign : 0.0f, entry->axis == 2 ? sign : 0.0f);
	return hit;
}

/* Where the ray starts: 1 and a hit when that is in the ground (or in water, when asked), 0, or ERROR_MEMORY. *wet: it
 * starts in a cell's water. */
static int StartHit(Terrain *terrain, const Segment *segment, TerrainRayOptions options, TerrainHit *hit, bool *wet)
{
	uint8_t material;
	*wet = options.water && !segment->far && GridPoint_InWater(terrain, &segment->start);
	if (segment->far || !options.inside)
		return 0;
	int inside = GridPoint_InGround(terrain, &segment->start, &material);
	if (inside > 0)
		*hit = InsideHit(&segment->start, material, false);
	else if (inside == 0 && *wet)
		*hit = InsideHit(&segment->start, MATERIAL_WATER, true);
	return inside < 0 ? inside : inside || *wet;
}

static int Answer(const Segment *segment, const Cast *ground, TerrainHit *hit)
{
	if (ground->failed)
		return ERROR_MEMORY;
	if (ground->found)
		*hit = SurfaceHit(segment, &ground->nearest);
	return ground->found;
}

int Segment_Conclude(Terrain *terrain, const Segment *segment, TerrainRayOptions options, const Cast *cast,
                     TerrainHit *hit)
{
	bool wet;
	if (cast->sides && Cast_StartsOutside(cast))
		return Answer(segment, cast, hit);
	int inside = StartHit(terrain, segment, options, hit, &wet);
	if (inside != 0)
		return inside;
	if (!cast->failed)
		return Answer(segment, cast, hit);
	Cast ground;
	Cast_Begin(&ground, terrain, &segment->ray, CAST_NEAREST);
	Cast_World(&ground);
	return Answer(segment, &ground, hit);
}

/* The ground alone. In the fast form, where the ray starts follows from the side on which it first meets the surface;
 * only when that leaves doubt, or would have to be built first, the start is looked at. */
static int RayToGround(Terrain *terrain, const Segment *segment, TerrainRayOptions options, TerrainHit *hit)
{
	Cast cast;
	Cast_Begin(&cast, terrain, &segment->ray, CAST_NEAREST);
	cast.sides = options.inside && !segment->far && terrain->simd;
	if (cast.sides)
		Cast_World(&cast);
	else
		cast.failed = true;
	return Segment_Conclude(terrain, segment, options, &cast, hit);
}

/* Ground and water, whichever comes first. */
static int RayToBoth(Terrain *terrain, const Segment *segment, TerrainRayOptions options, TerrainHit *hit)
{
	bool wet;
	int result = StartHit(terrain, segment, options, hit, &wet);
	if (result != 0)
		return result;
	Cast ground;
	Cast_Begin(&ground, terrain, &segment->ray, CAST_NEAREST);
	Cast_World(&ground);
	if (ground.failed)
		return ERROR_MEMORY;
	if (ground.found)
		*hit = SurfaceHit(segment, &ground.nearest);
	WaterCast water = {
	    .terrain = terrain, .ray = &segment->ray, .wet = wet, .limit = ground.limit, .memory = terrain->memory};
	WaterCast_World(&water);
	bool met = water.entries.count > 0 && !(ground.found && water.entries.data[0].s >= ground.nearest.s);
	if (met && !water.failed)
		*hit = WaterHit(segment, &water.entries.data[0]);
	Array_Free(terrain->memory, water.entries);
	return water.failed ? ERROR_MEMORY : ground.found || met;
}

int Segment_Ask(Terrain *terrain, const Segment *segment, TerrainRayOptions options, TerrainHit *hit)
{
	bool wet;
	if (segment->length == 0.0)
		return StartHit(terrain, segment, options, hit, &wet);
	return options.water ? RayToBoth(terrain, segment, options, hit) : RayToGround(terrain, segment, options, hit);
}

#if SCREE_X86
/* Terrain_Ray as it is asked most, for the ground and where it starts too. *result as there; false: not the usual ray,
 * nothing was done. */
static bool UsualRay(Terrain *terrain, Pos from, Pos to, TerrainRayOptions options, TerrainHit *hit, int *result)
{
	Segment segment;
	Cast cast;
	Ray *ray = &segment.ray;
	if (options.water || !options.inside || !(options.limit >= 0.0) || !Ray_SetFast(ray, terrain, from, to))
		return false;
	segment.length = ray->end;
	ray->end *= MinD(options.limit, 1.0);
	Cast_Begin(&cast, terrain, ray, CAST_NEAREST);
	cast.sides = true;
	Cast_WorldFast(&cast);
	if (Cast_StartsOutside(&cast)) {
		*result = cast.found;
		if (cast.found) {
			*hit = Crossing_Hit(&cast.nearest);
			hit->fraction = MinD(cast.nearest.s / segment.length, 1.0);
		}
		return true;
	}
	segment.far = false;
	segment.skipped = 0.0;
	segment.start = (GridPoint){ray->frame, {ray->origin[0], ray->origin[1], ray->origin[2]}};
	*result = Segment_Conclude(terrain, &segment, options, &cast, hit);
	return true;
}
#endif

int Terrain_Ray(Terrain *terrain, Pos from, Pos to, TerrainRayOptions options, TerrainHit *hit, Error *error)
{
	int result;
#if SCREE_X86
	if (terrain->simd && UsualRay(terrain, from, to, options, hit, &result))
		return result < 0 ? Error_OutOfMemory(error) : result;
#endif
	Segment segment;
	result = Segment_From(terrain, from, to, options.limit, &segment, error);
	if (result <= 0)
		return result;
	result = Segment_Ask(terrain, &segment, options, hit);
	return result < 0 ? Error_OutOfMemory(error) : result;
}

/* ---- all crossings ------------------------------------------------------------------------------------------- */

static int HitOrder(const void *a, const void *b)
{
	const TerrainHit *p = a, *q = b;
	if (p->inside != q->inside)
		return p->inside ? -1 : 1;
	if (p->fraction != q->fraction)
		return p->fraction < q->fraction ? -1 : 1;
	if (p->water != q->water)
		return p->water ? 1 : -1;
	int order = Cell_Order(&p->cell, &q->cell);
	if (order != 0)
		return order;
	for (int a3 = 0; a3 < 3; a3++)
		if (Component(p->normal, a3) != Component(q->normal, a3))
			return Component(p->normal, a3) < Component(q->normal, a3) ? -1 : 1;
	return 0;
}

/* Neighbouring blocks look at the same collider: what was met twice is equal in everything. */
static void SortAndUnite(TerrainHitList *hits, int first)
{
	int count = hits->items.count - first, kept = 0;
	if (count < 2)
		return;
	TerrainHit *list = hits->items.data + first;
	qsort(list, (size_t)count, sizeof *list, HitOrder);
	for (int i = 0; i < count; i++)
		if (i == 0 || HitOrder(&list[kept - 1], &list[i]) != 0)
			list[kept++] = list[i];
	hits->items.count = first + kept;
}

static bool ListGround(Terrain *terrain, const Segment *segment, Memory *memory, TerrainHitList *hits)
{
	Cast cast = {
	    .terrain = terrain, .ray = &segment->ray, .mode = CAST_ALL, .limit = segment->ray.end, .memory = memory};
	Cast_World(&cast);
	bool ok = !cast.failed && Array_Reserve(memory, hits->items, hits->items.count + cast.all.count);
	for (int i = 0; ok && i < cast.all.count; i++)
		hits->items.data[hits->items.count++] = SurfaceHit(segment, &cast.all.data[i]);
	Array_Free(memory, cast.all);
	return ok;
}

static bool ListWater(Terrain *terrain, const Segment *segment, bool wet, Memory *memory, TerrainHitList *hits)
{
	WaterCast cast = {
	    .terrain = terrain, .ray = &segment->ray, .wet = wet, .all = true, .limit = segment->ray.end, .memory = memory};
	WaterCast_World(&cast);
	bool ok = !cast.failed && Array_Reserve(memory, hits->items, hits->items.count + cast.entries.count);
	for (int i = 0; ok && i < cast.entries.count; i++)
		hits->items.data[hits->items.count++] = WaterHit(segment, &cast.entries.data[i]);
	Array_Free(memory, cast.entries);
	return ok;
}

bool Terrain_RayAll(Terrain *terrain, Pos from, Pos to, TerrainRayOptions options, Memory *memory, TerrainHitList *hits)
{
	Segment segment;
	TerrainHit start;
	bool wet;
	int first = hits->items.count;
	if (Segment_From(terrain, from, to, options.limit, &segment, NULL) <= 0)
		return true;
	int inside = StartHit(terrain, &segment, options, &start, &wet);
	bool ok = inside >= 0 && (inside == 0 || Array_Push(memory, hits->items, start));
	if (ok && segment.length > 0.0) {
		ok = ListGround(terrain, &segment, memory, hits) &&
		     (!options.water || ListWater(terrain, &segment, wet, memory, hits));
		SortAndUnite(hits, first);
	}
	if (!ok)
		hits->items.count = first;
	return ok;
}
