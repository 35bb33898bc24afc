/* Rays against meshes: watertight, in double.
 *
 * The ray is sheared onto its longest axis (after Woop, Benthin and Wald, "Watertight ray/triangle intersection",
 * 2013); a triangle is met when its shadow winds round the origin. Each edge is judged by signs that both of its
 * triangles compute from the same numbers, so a ray through an edge or a corner belongs to exactly one of those around
 * it. */
#include "shape/trimesh_internal.h"

#define FLAT_DIRECTION 1e-18 /* of the longest component */
#define ON_SURFACE 1e-7      /* of the mesh's size: such a point is on it */

typedef struct MeshRay {
	const Trimesh *mesh;
	double origin[3], delta[3], inverse[3]; /* about the mesh's origin; delta's longest component is 1 or -1 */
	int k, u, v;                            /* longest axis, and those after it */
	double slope_u, slope_v;
	double end; /* of t */
} MeshRay;

/* What a ray does with a crossing. Front faces have side > 0. Returns the t beyond which nothing matters. */
typedef struct Crossing {
	double t;
	int triangle;
	int side;
	Vec3 corner[3];
} Crossing;

typedef double CrossingFn(void *context, const Crossing *crossing, double limit);

static bool MeshRay_Set(MeshRay *ray, const Trimesh *mesh, const double origin[3], const double delta[3])
{
	const double shift[3] = {mesh->origin.x, mesh->origin.y, mesh->origin.z};
	int k = 0;
	for (int a = 0; a < 3; a++) {
		if (!IsFinite(origin[a]) || !IsFinite(delta[a]))
			return false;
		if (AbsD(delta[a]) > AbsD(delta[k]))
			k = a;
	}
	double longest = AbsD(delta[k]);
	if (longest == 0.0)
		return false;
	*ray = (MeshRay){.mesh = mesh, .k = k, .u = (k + 1) % 3, .v = (k + 2) % 3, .end = longest};
	for (int a = 0; a < 3; a++) {
		ray->origin[a] = origin[a] - shift[a];
		ray->delta[a] = delta[a] / longest;
		ray->inverse[a] = AbsD(ray->delta[a]) < FLAT_DIRECTION ? 0.0 : 1.0 / ray->delta[a];
	}
	ray->slope_u = ray->delta[ray->u] * ray->delta[k];
	ray->slope_v = ray->delta[ray->v] * ray->delta[k];
	return true;
}

/* ---- one triangle ------------------------------------------------------------------------------------------------ */

/* Half a turn round the origin for the edge a -> b: it counts when it crosses the x axis at x > 0. */
static inline int Turn(double ax, double ay, double bx, double by)
{
	if ((ay > 0.0) == (by > 0.0))
		return 0;
	double side = ax * by - ay * bx;
	return by > 0.0 ? side > 0.0 : -(side < 0.0);
}

static bool MeetTriangle(const MeshRay *ray, const Vec3 corner[3], double *t, int *side)
{
	double x[3], y[3], z[3];
	for (int i = 0; i < 3; i++) {
		const double p[3] = {(double)corner[i].x - ray->origin[0], (double)corner[i].y - ray->origin[1],
		                     (double)corner[i].z - ray->origin[2]};
		x[i] = p[ray->u] - ray->slope_u * p[ray->k];
		y[i] = p[ray->v] - ray->slope_v * p[ray->k];
		z[i] = p[ray->k] * ray->delta[ray->k]; /* times +-1 */
	}
	int turn = Turn(x[0], y[0], x[1], y[1]) + Turn(x[1], y[1], x[2], y[2]) + Turn(x[2], y[2], x[0], y[0]);
	if (turn == 0)
		return false;
	double e0 = x[1] * y[2] - y[1] * x[2], e1 = x[2] * y[0] - y[2] * x[0], e2 = x[0] * y[1] - y[0] * x[1];
	double sum = e0 + e1 + e2;
	if (sum == 0.0)
		return false;
	double lo = MinD(z[0], MinD(z[1], z[2])), hi = MaxD(z[0], MaxD(z[1], z[2]));
	*t = ClampD((e0 * z[0] + e1 * z[1] + e2 * z[2]) / sum, lo, hi);
	/* seen against an axis that points along the ray, a front face turns clockwise */
	*side = (ray->delta[ray->k] > 0.0) == (turn > 0) ? -1 : 1;
	return true;
}

/* ---- the walk ---------------------------------------------------------------------------------------------------- */

/* The stretch of the ray in a box, a little more for rounding; false: none below `limit`. */
static bool MeetBox(const MeshRay *ray, Box box, double limit, double *from, double *to)
{
	const double lo[3] = {box.lo.x, box.lo.y, box.lo.z}, hi[3] = {box.hi.x, box.hi.y, box.hi.z};
	*from = 0.0;
	*to = limit;
	for (int a = 0; a < 3; a++) {
		double room = 1e-9 * (AbsD(lo[a]) + AbsD(hi[a]) + AbsD(ray->origin[a]));
		double below = lo[a] - room - ray->origin[a], above = hi[a] + room - ray->origin[a];
		if (ray->inverse[a] == 0.0) {
			if (below > 0.0 || above < 0.0)
				return false;
			continue;
		}
		double near = below * ray->inverse[a], far = above * ray->inverse[a];
		*from = MaxD(*from, MinD(near, far));
		*to = MinD(*to, MaxD(near, far));
	}
	return *from <= *to;
}

static double WalkCluster(const MeshRay *ray, const TrimeshCluster *cluster, double from, double to, CrossingFn *fn,
                          void *context, double limit)
{
	ClusterUnits units = Cluster_Units(cluster);
	double origin[3], delta[3];
	for (int a = 0; a < 3; a++) {
		origin[a] = (ray->origin[a] - units.lo[a]) * units.scale[a];
		delta[a] = ray->delta[a] * units.scale[a];
	}
	KdWalk walk;
	int first, count;
	KdWalk_Begin(&walk, ray->mesh->nodes + cluster->node_first, cluster->node_count, origin, delta, from, to);
	while (KdWalk_Next(&walk, limit, &first, &count))
		for (int i = 0; i < count; i++) {
			Crossing crossing = {.triangle = cluster->first + first + i};
			Trimesh_Corners(ray->mesh, cluster, crossing.triangle, crossing.corner);
			if (MeetTriangle(ray, crossing.corner, &crossing.t, &crossing.side) && crossing.t <= limit)
				limit = fn(context, &crossing, limit);
			if (limit < 0.0)
				return limit;
		}
	return limit;
}

typedef struct WalkEntry {
	int32_t branch;
	double from, to;
} WalkEntry;

/* Calls fn for crossings of either side, those behind the origin too where their leaf reaches before it. */
static void Walk(const MeshRay *ray, CrossingFn *fn, void *context)
{
	WalkEntry stack[TRIMESH_DEPTH];
	int top = 0;
	double limit = ray->end, from, to;
	if (MeetBox(ray, ray->mesh->branches[0].box, limit, &from, &to))
		stack[top++] = (WalkEntry){0, from, to};
	while (top > 0 && limit >= 0.0) {
		WalkEntry entry = stack[--top];
		const TrimeshBranch *branch = &ray->mesh->branches[entry.branch];
		if (entry.from > limit)
			continue;
		if (branch->child < 0) {
			limit = WalkCluster(ray, &ray->mesh->clusters[~branch->child], entry.from, entry.to, fn, context, limit);
			continue;
		}
		WalkEntry pair[2];
		bool met[2];
		for (int i = 0; i < 2; i++) {
			pair[i].branch = branch->child + i;
			met[i] = MeetBox(ray, ray->mesh->branches[pair[i].branch].box, limit, &pair[i].from, &pair[i].to);
		}
		int near = met[1] && (!met[0] || pair[1].from < pair[0].from);
		if (met[1 - near])
			stack[top++] = pair[1 - near];
		if (met[near])
			stack[top++] = pair[near];
	}
}

/* ---- nearest ----------------------------------------------------------------------------------------------------- */

/* Of a front face; false where rounding has turned the normal away from the ray. */
static bool HitOf(const MeshRay *ray, const Crossing *crossing, TrimeshHit *hit)
{
	Vec3D normal;
	if (!Trimesh_Normal(crossing->corner[0], crossing->corner[1], crossing->corner[2], &normal))
		return false;
	*hit = (TrimeshHit){crossing->t / ray->end, ToF(normal), crossing->triangle};
	Vec3D along = {ray->delta[0], ray->delta[1], ray->delta[2]};
	return DotD(ToD(hit->normal), along) <= 0.0;
}

typedef struct NearestCrossing {
	const MeshRay *ray;
	TrimeshHit hit;
	double t;
	bool found;
} NearestCrossing;

static double KeepNearest(void *context, const Crossing *crossing, double limit)
{
	NearestCrossing *nearest = context;
	TrimeshHit hit;
	bool nearer = !nearest->found || crossing->t < nearest->t ||
	              (crossing->t == nearest->t && crossing->triangle < nearest->hit.triangle);
	if (crossing->side < 0 || crossing->t < 0.0 || !nearer || !HitOf(nearest->ray, crossing, &hit))
		return limit;
	nearest->hit = hit;
	nearest->t = crossing->t;
	nearest->found = true;
	return crossing->t;
}

bool Trimesh_Raycast(const Trimesh *mesh, const double origin[3], const double delta[3], TrimeshHit *hit)
{
	MeshRay ray;
	if (!MeshRay_Set(&ray, mesh, origin, delta))
		return false;
	NearestCrossing nearest = {.ray = &ray};
	Walk(&ray, KeepNearest, &nearest);
	*hit = nearest.hit;
	return nearest.found;
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

typedef struct EveryCrossing {
	const MeshRay *ray;
	Memory *memory;
	TrimeshHitList *hits;
	bool failed;
} EveryCrossing;

static double KeepEvery(void *context, const Crossing *crossing, double limit)
{
	EveryCrossing *every = context;
	TrimeshHit hit;
	if (crossing->side < 0 || crossing->t < 0.0 || !HitOf(every->ray, crossing, &hit))
		return limit;
	every->failed = !Array_Push(every->memory, every->hits->items, hit);
	return every->failed ? -1.0 : limit;
}

bool Trimesh_RaycastAll(const Trimesh *mesh, const double origin[3], const double delta[3], Memory *memory,
                        TrimeshHitList *hits)
{
	MeshRay ray;
	if (!MeshRay_Set(&ray, mesh, origin, delta))
		return true;
	EveryCrossing every = {&ray, memory, hits, false};
	Walk(&ray, KeepEvery, &every);
	return !every.failed;
}

/* ---- inside ------------------------------------------------------------------------------------------------------ */

typedef struct WindingCount {
	int winding; /* how many solids the point is in */
	double near; /* a crossing nearer than this is the point itself */
	bool on;
} WindingCount;

static double CountCrossing(void *context, const Crossing *crossing, double limit)
{
	WindingCount *count = context;
	if (AbsD(crossing->t) <= count->near) {
		count->on = true;
		return -1.0;
	}
	if (crossing->t > 0.0)
		count->winding -= crossing->side;
	return limit;
}

bool Trimesh_Contains(const Trimesh *mesh, const double point[3])
{
	static const double ways[3] = {0.3141, 1.0, 0.2718}; /* along no plane that people build by */
	const TrimeshInfo *info = &mesh->info;
	Vec3D size = SubD(info->hi, info->lo);
	if (!info->closed || !(point[0] > info->lo.x && point[0] < info->hi.x && point[1] > info->lo.y &&
	                       point[1] < info->hi.y && point[2] > info->lo.z && point[2] < info->hi.z))
		return false;
	double reach = size.x + size.y + size.z + 1.0, delta[3];
	for (int a = 0; a < 3; a++)
		delta[a] = ways[a] * reach;
	MeshRay ray;
	if (!MeshRay_Set(&ray, mesh, point, delta))
		return false;
	WindingCount count = {.near = ON_SURFACE * reach};
	Walk(&ray, CountCrossing, &count);
	return !count.on && count.winding > 0;
}

#define LAYERS_LIMIT 64

/* How far the surface is from a point of the solid, against a way that ends at the point: the last face met on it. */
static double LastFace(const Trimesh *mesh, const double point[3], int axis, double way)
{
	double from[3] = {point[0], point[1], point[2]}, delta[3] = {0.0, 0.0, 0.0}, left = way;
	TrimeshHit hit;
	for (int i = 0; i < LAYERS_LIMIT; i++) {
		from[axis] = point[axis] - left;
		delta[axis] = left;
		if (!Trimesh_Raycast(mesh, from, delta, &hit))
			break;
		/* past what was met, or a start on a triangle would meet it again */
		left -= left * hit.fraction + 1e-6 * AbsD(way);
		if (left * way <= 0.0)
			break;
	}
	return AbsD(left);
}

bool Trimesh_WayOut(const Trimesh *mesh, Vec3 point, Vec3 *out, float *depth)
{
	const double at[3] = {point.x, point.y, point.z};
	const double lo[3] = {mesh->info.lo.x, mesh->info.lo.y, mesh->info.lo.z};
	const double hi[3] = {mesh->info.hi.x, mesh->info.hi.y, mesh->info.hi.z};
	if (!Trimesh_Contains(mesh, at))
		return false;
	double best = DBL_MAX;
	for (int axis = 1; axis < 4; axis++) /* of equal ones up, if that is y */
		for (int side = 1; side >= 0; side--) {
			int a = axis % 3;
			double way = side ? at[a] - hi[a] : at[a] - lo[a]; /* from the bounds to the point */
			double distance = LastFace(mesh, at, a, way + (side ? -1e-3 : 1e-3));
			if (distance < best) {
				best = distance;
				float sign = side ? 1.0f : -1.0f;
				*out = V3(a == 0 ? sign : 0.0f, a == 1 ? sign : 0.0f, a == 2 ? sign : 0.0f);
			}
		}
	*depth = (float)best;
	return true;
}

/* ---- by the rule of all solids ----------------------------------------------------------------------------------- */

bool Trimesh_RayHit(const Trimesh *mesh, const double origin[3], const double delta[3], ShapeHit *hit)
{
	TrimeshHit found;
	for (int a = 0; a < 3; a++)
		if (!IsFinite(origin[a]) || !IsFinite(delta[a]))
			return false;
	if (Trimesh_Contains(mesh, origin)) {
		hit->inside = true;
		return true;
	}
	if (!Trimesh_Raycast(mesh, origin, delta, &found))
		return false;
	hit->fraction = ClampD(found.fraction, 0.0, 1.0);
	hit->normal = found.normal;
	return true;
}
