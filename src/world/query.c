/* Rays over bodies and terrain together. */
#include "world/query_internal.h"

#include <stdlib.h>

bool Filter_Meets(const World *w, const QueryFilter *filter, int part)
{
	PartView view = Part_View(w->dynamics, part);
	if (!((filter->groups >> view.def->group) & 1))
		return false;
	if (!filter->dynamic && Body_Motion(w->dynamics, view.body) == MOTION_DYNAMIC)
		return false;
	for (int i = 0; i < filter->ignore_count; i++)
		if (filter->ignore[i] == view.body)
			return false;
	return true;
}

void InvRotateDouble(Quat q, const double v[3], double out[3])
{
	double x = -(double)q.x, y = -(double)q.y, z = -(double)q.z, w = (double)q.w;
	double s = 2.0 / (x * x + y * y + z * z + w * w);
	double c[3] = {y * v[2] - z * v[1], z * v[0] - x * v[2], x * v[1] - y * v[0]};
	out[0] = v[0] + s * (w * c[0] + y * c[2] - z * c[1]);
	out[1] = v[1] + s * (w * c[1] + z * c[0] - x * c[2]);
	out[2] = v[2] + s * (w * c[2] + x * c[1] - y * c[0]);
}

uint64_t Part_Rank(const World *w, const PartView *view)
{
	return ((Body_Birth(w->dynamics, view->body) + 1) << 20) | (uint64_t)Int_Min(view->index, (1 << 20) - 1);
}

/* ---- one part ---------------------------------------------------------------------------------------------------- */

/* A start inside that is not to count: unlike what is convex, a mesh may be met again further on. */
static bool RayOutOfMesh(const Shape *shape, const double origin[3], const double delta[3], ShapeHit *hit)
{
	TrimeshHit found;
	if (shape->kind != SHAPE_MESH || !Trimesh_Raycast(shape->mesh, origin, delta, &found))
		return false;
	*hit = (ShapeHit){found.fraction, found.normal, false};
	return true;
}

/* Hit of the ray from..from+delta with a part, or false. */
static bool RayPart(const World *w, int part, Pos from, const double delta[3], bool report_inside, QueryHit *hit)
{
	PartView view = Part_View(w->dynamics, part);
	double offset[3] = {from.x - view.pose.p.x, from.y - view.pose.p.y, from.z - view.pose.p.z};
	double origin[3], direction[3];
	InvRotateDouble(view.pose.q, offset, origin);
	InvRotateDouble(view.pose.q, delta, direction);
	ShapeHit shape_hit;
	if (!Shape_Ray(&view.def->shape, origin, direction, &shape_hit))
		return false;
	if (shape_hit.inside && !report_inside && !RayOutOfMesh(&view.def->shape, origin, direction, &shape_hit))
		return false;
	*hit = (QueryHit){.fraction = shape_hit.fraction,
	                  .position = Along(from, delta, shape_hit.fraction),
	                  .normal = Rotate(view.pose.q, shape_hit.normal),
	                  .part = part,
	                  .material = view.def->material,
	                  .inside = shape_hit.inside,
	                  .rank = Part_Rank(w, &view)};
	return true;
}

static QueryHit FromTerrain(const TerrainHit *hit, Pos from, const double delta[3])
{
	return (QueryHit){.fraction = hit->fraction,
	                  .position = Along(from, delta, hit->fraction),
	                  .normal = hit->normal,
	                  .part = -1,
	                  .cell = hit->cell,
	                  .material = hit->material,
	                  .terrain = !hit->water,
	                  .water = hit->water,
	                  .inside = hit->inside};
}

/* ---- nearest ----------------------------------------------------------------------------------------------------- */

typedef struct NearestRay {
	const World *world;
	const QueryFilter *filter;
	Pos from;
	const double *delta;
	QueryHit best;
	bool found;
} NearestRay;

static double NearestPart(void *context, int32_t part, double max_fraction)
{
	NearestRay *ray = context;
	QueryHit hit;
	if (Filter_Meets(ray->world, ray->filter, part) &&
	    RayPart(ray->world, part, ray->from, ray->delta, ray->filter->inside, &hit) &&
	    (!ray->found || Hit_Before(&hit, &ray->best))) {
		ray->best = hit;
		ray->found = true;
	}
	return ray->found ? MinD(max_fraction, ray->best.fraction) : max_fraction;
}

/* Nearest terrain or water hit. Water alone is picked out of all crossings. */
static int NearestTerrain(World *w, Pos from, Pos to, const double delta[3], const QueryFilter *filter, QueryHit *hit,
                          Error *error)
{
	TerrainRayOptions options = {.inside = filter->inside, .water = filter->water, .limit = 1.0};
	if (filter->terrain) {
		TerrainHit found;
		int result = Terrain_Ray(w->terrain, from, to, options, &found, error);
		if (result == 1)
			*hit = FromTerrain(&found, from, delta);
		return result;
	}
	w->terrain_hits.items.count = 0;
	if (!Terrain_RayAll(w->terrain, from, to, options, &w->memory, &w->terrain_hits))
		return Error_OutOfMemory(error);
	for (int i = 0; i < w->terrain_hits.items.count; i++)
		if (w->terrain_hits.items.data[i].water) {
			*hit = FromTerrain(&w->terrain_hits.items.data[i], from, delta);
			return 1;
		}
	return 0;
}

int World_Raycast(World *w, Pos from, Pos to, const QueryFilter *filter, QueryHit *hit, Error *error)
{
	double delta[3] = {to.x - from.x, to.y - from.y, to.z - from.z};
	NearestRay ray = {.world = w, .filter = filter, .from = from, .delta = delta};
	if (filter->terrain || filter->water) {
		int result = World_SyncTerrain(w, error);
		if (result == ERROR_NONE)
			result = NearestTerrain(w, from, to, delta, filter, &ray.best, error);
		if (result < 0)
			return result;
		ray.found = result == 1;
	}
	if (filter->assemblies)
		Dynamics_RayParts(w->dynamics, from, delta, V3(0.0f, 0.0f, 0.0f), NearestPart, &ray);
	*hit = ray.best;
	return ray.found;
}

enum { RAYS_TOGETHER = 128 };

/* Up to RAYS_TOGETHER finite rays. */
static int CastTogether(World *w, int count, const Pos *from, const Pos *to, const QueryFilter *filter,
                        double *const *fractions, Error *error)
{
	TerrainHit hits[RAYS_TOGETHER];
	uint8_t met[RAYS_TOGETHER];
	TerrainRayOptions options = {.inside = filter->inside, .water = filter->water, .limit = 1.0};
	int result = Terrain_Rays(w->terrain, count, from, to, options, hits, met, error);
	for (int i = 0; i < count && result == ERROR_NONE; i++) {
		double delta[3] = {to[i].x - from[i].x, to[i].y - from[i].y, to[i].z - from[i].z};
		NearestRay ray = {.world = w, .filter = filter, .from = from[i], .delta = delta, .found = met[i] != 0};
		if (met[i])
			ray.best = FromTerrain(&hits[i], from[i], delta);
		if (filter->assemblies)
			Dynamics_RayParts(w->dynamics, from[i], delta, V3(0.0f, 0.0f, 0.0f), NearestPart, &ray);
		*fractions[i] = ray.found ? ray.best.fraction : RAY_MISSED;
	}
	return result;
}

static int CastAlone(World *w, Pos from, Pos to, const QueryFilter *filter, double *fraction, Error *error)
{
	QueryHit hit;
	int result = World_Raycast(w, from, to, filter, &hit, error);
	if (result < 0)
		return result;
	*fraction = result ? hit.fraction : RAY_MISSED;
	return ERROR_NONE;
}

int World_Raycasts(World *w, int count, const double *from, const double *to, const QueryFilter *filter,
                   double *fractions, Error *error)
{
	Pos starts[RAYS_TOGETHER], ends[RAYS_TOGETHER];
	double *places[RAYS_TOGETHER];
	int together = 0, result = filter->terrain ? World_SyncTerrain(w, error) : ERROR_NONE;
	for (int i = 0; i < count && result == ERROR_NONE; i++) {
		const double *a = from + 3 * (size_t)i, *b = to + 3 * (size_t)i;
		starts[together] = (Pos){a[0], a[1], a[2]};
		ends[together] = (Pos){b[0], b[1], b[2]};
		places[together] = &fractions[i];
		fractions[i] = RAY_MISSED;
		if (!IsFinite(a[0] + a[1] + a[2] + b[0] + b[1] + b[2]))
			continue;
		if (!filter->terrain)
			result = CastAlone(w, starts[together], ends[together], filter, &fractions[i], error);
		else if (++together == RAYS_TOGETHER) {
			result = CastTogether(w, together, starts, ends, filter, places, error);
			together = 0;
		}
	}
	if (result == ERROR_NONE && together > 0)
		result = CastTogether(w, together, starts, ends, filter, places, error);
	return result;
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

typedef struct AllRay {
	World *world;
	const QueryFilter *filter;
	Pos from;
	const double *delta;
	QueryHitList *hits;
	bool failed;
} AllRay;

/* Every triangle of a mesh that faces the ray, and the start, where it is inside and that counts. */
static bool EveryTriangle(AllRay *ray, int part)
{
	World *w = ray->world;
	PartView view = Part_View(w->dynamics, part);
	double offset[3] = {ray->from.x - view.pose.p.x, ray->from.y - view.pose.p.y, ray->from.z - view.pose.p.z};
	double origin[3], direction[3];
	InvRotateDouble(view.pose.q, offset, origin);
	InvRotateDouble(view.pose.q, ray->delta, direction);
	QueryHit hit = {.part = part, .material = view.def->material, .rank = Part_Rank(w, &view), .position = ray->from};
	const Trimesh *mesh = view.def->shape.mesh;
	if (ray->filter->inside && Trimesh_Contains(mesh, origin)) {
		hit.inside = true;
		if (!Array_Push(&w->memory, *ray->hits, hit))
			return false;
		hit.inside = false;
	}
	w->mesh_hits.items.count = 0;
	if (!Trimesh_RaycastAll(mesh, origin, direction, &w->memory, &w->mesh_hits))
		return false;
	for (int i = 0; i < w->mesh_hits.items.count; i++) {
		const TrimeshHit *found = &w->mesh_hits.items.data[i];
		hit.fraction = found->fraction;
		hit.position = Along(ray->from, ray->delta, found->fraction);
		hit.normal = Rotate(view.pose.q, found->normal);
		if (!Array_Push(&w->memory, *ray->hits, hit))
			return false;
	}
	return true;
}

static double EveryPart(void *context, int32_t part, double max_fraction)
{
	AllRay *ray = context;
	QueryHit hit;
	if (Part_View(ray->world->dynamics, part).def->shape.kind == SHAPE_MESH) {
		ray->failed = Filter_Meets(ray->world, ray->filter, part) && !EveryTriangle(ray, part);
		return ray->failed ? -1.0 : max_fraction;
	}
	if (Filter_Meets(ray->world, ray->filter, part) &&
	    RayPart(ray->world, part, ray->from, ray->delta, ray->filter->inside, &hit))
		ray->failed = !Array_Push(&ray->world->memory, *ray->hits, hit);
	return ray->failed ? -1.0 : max_fraction;
}

static bool EveryTerrainHit(AllRay *ray, Pos to)
{
	World *w = ray->world;
	const QueryFilter *filter = ray->filter;
	TerrainRayOptions options = {.inside = filter->inside, .water = filter->water, .limit = 1.0};
	w->terrain_hits.items.count = 0;
	if (!Terrain_RayAll(w->terrain, ray->from, to, options, &w->memory, &w->terrain_hits))
		return false;
	for (int i = 0; i < w->terrain_hits.items.count; i++) {
		const TerrainHit *found = &w->terrain_hits.items.data[i];
		QueryHit hit = FromTerrain(found, ray->from, ray->delta);
		if ((filter->terrain || found->water) && !Array_Push(&w->memory, *ray->hits, hit))
			return false;
	}
	return true;
}

static int OrderHits(const void *a, const void *b)
{
	return Hit_Before(a, b) ? -1 : Hit_Before(b, a);
}

int World_RaycastAll(World *w, Pos from, Pos to, const QueryFilter *filter, QueryHitList *hits, Error *error)
{
	double delta[3] = {to.x - from.x, to.y - from.y, to.z - from.z};
	AllRay ray = {.world = w, .filter = filter, .from = from, .delta = delta, .hits = hits};
	hits->count = 0;
	if (filter->terrain || filter->water) {
		int result = World_SyncTerrain(w, error);
		if (result != ERROR_NONE)
			return result;
		if (!EveryTerrainHit(&ray, to))
			return Error_OutOfMemory(error);
	}
	if (filter->assemblies)
		Dynamics_RayParts(w->dynamics, from, delta, V3(0.0f, 0.0f, 0.0f), EveryPart, &ray);
	if (ray.failed)
		return Error_OutOfMemory(error);
	if (hits->count > 1)
		qsort(hits->data, (size_t)hits->count, sizeof *hits->data, OrderHits);
	return ERROR_NONE;
}
