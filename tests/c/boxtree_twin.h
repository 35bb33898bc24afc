/* A plain list of boxes, the brute-force twin of the tree of boxes. */
#ifndef TESTS_BOXTREE_TWIN_H
#define TESTS_BOXTREE_TWIN_H

#include "require.h"
#include "spatial/spatial.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>

/* ---- a plain list that does the same -------------------------------------------------------------------------- */

#define TWIN_LIMIT 6000

typedef struct Twin {
	WorldBox box[TWIN_LIMIT];
	int leaf[TWIN_LIMIT]; /* -1: not in */
} Twin;

static Twin twin;

static inline void Twin_Clear(void)
{
	for (int i = 0; i < TWIN_LIMIT; i++)
		twin.leaf[i] = -1;
}

static inline WorldBox MakeBox(double x, double y, double z, double hx, double hy, double hz)
{
	return (WorldBox){{x - hx, y - hy, z - hz}, {x + hx, y + hy, z + hz}};
}

static inline WorldBox RandomBox(Random *r, double range, double size)
{
	double hx = Random_Range(r, 0.0, size), hy = Random_Range(r, 0.0, size), hz = Random_Range(r, 0.0, size);
	double x = Random_Range(r, -range, range), y = Random_Range(r, -range, range), z = Random_Range(r, -range, range);
	return MakeBox(x, y, z, hx, hy, hz);
}

/* ---- collecting ----------------------------------------------------------------------------------------------- */

typedef struct Seen {
	int times[TWIN_LIMIT];
	int total;
	int stop_after; /* 0: never */
} Seen;

static Seen seen;

static inline bool Collect(void *context, int32_t user)
{
	Seen *s = context;
	s->times[user]++;
	s->total++;
	return s->total != s->stop_after;
}

static inline int QueryAll(const BoxTree *tree, WorldBox box)
{
	memset(&seen, 0, sizeof(seen));
	BoxTree_Query(tree, box, Collect, &seen);
	return seen.total;
}

static inline void CheckQuery(const BoxTree *tree, WorldBox box, uint64_t seed, int step)
{
	QueryAll(tree, box);
	for (int i = 0; i < TWIN_LIMIT; i++) {
		int expected = twin.leaf[i] >= 0 && WorldBoxOverlap(twin.box[i], box) ? 1 : 0;
		REQUIRE(seen.times[i] == expected, "seed %llu step %d: box %d reported %d times, expected %d",
		        (unsigned long long)seed, step, i, seen.times[i], expected);
	}
}

/* ---- rays of the twin ----------------------------------------------------------------------------------------- */

/* Entry fraction into the grown box, or -1. */
static inline double TwinRay(WorldBox box, Pos from, const double delta[3], double extent[3], double max)
{
	const double lo[3] = {box.lo.x, box.lo.y, box.lo.z}, hi[3] = {box.hi.x, box.hi.y, box.hi.z};
	const double o[3] = {from.x, from.y, from.z};
	double t0 = 0.0, t1 = max;
	for (int i = 0; i < 3; i++) {
		double a = lo[i] - extent[i], b = hi[i] + extent[i];
		if (delta[i] == 0.0) {
			if (o[i] < a || o[i] > b)
				return -1.0;
			continue;
		}
		double ta = (a - o[i]) / delta[i], tb = (b - o[i]) / delta[i];
		t0 = MaxD(t0, MinD(ta, tb));
		t1 = MinD(t1, MaxD(ta, tb));
	}
	return t0 <= t1 ? t0 : -1.0;
}

typedef struct RayContext {
	Pos from;
	double delta[3];
	double extent[3];
	int best;
	double fraction;
	int calls;
	bool shrink;
	int times[TWIN_LIMIT];
} RayContext;

static RayContext ray;

static inline double RayVisit(void *context, int32_t user, double max_fraction)
{
	RayContext *r = context;
	r->calls++;
	r->times[user]++;
	REQUIRE(max_fraction <= r->fraction, "max grew from %g to %g", r->fraction, max_fraction);
	double t = TwinRay(twin.box[user], r->from, r->delta, r->extent, max_fraction);
	if (!r->shrink || t < 0.0)
		return max_fraction;
	r->fraction = t;
	r->best = user;
	return t;
}

static inline void SetRay(Random *r, double range, bool shrink, double max)
{
	memset(&ray, 0, sizeof(ray));
	ray.from = (Pos){Random_Range(r, -range, range), Random_Range(r, -range, range), Random_Range(r, -range, range)};
	for (int i = 0; i < 3; i++) {
		ray.delta[i] = Random_Range(r, -range, range);
		if (Random_Below(r, 4) == 0)
			ray.delta[i] = Random_Below(r, 2) ? 0.0 : -0.0;
		ray.extent[i] = Random_Below(r, 2) ? 0.0 : (double)(float)Random_Range(r, 0.0, 0.1 * range);
	}
	ray.best = -1;
	ray.fraction = max;
	ray.shrink = shrink;
}

static inline void CheckRay(const BoxTree *tree, Random *r, double range, uint64_t seed, int step)
{
	double max = Random_Below(r, 2) ? 1.0 : Random_Range(r, 0.0, 2.0);
	SetRay(r, range, false, max);
	Vec3 extent = V3((float)ray.extent[0], (float)ray.extent[1], (float)ray.extent[2]);
	BoxTree_Ray(tree, ray.from, ray.delta, extent, max, RayVisit, &ray);
	double nearest = 1e300;
	for (int i = 0; i < TWIN_LIMIT; i++) {
		double t = twin.leaf[i] >= 0 ? TwinRay(twin.box[i], ray.from, ray.delta, ray.extent, max) : -1.0;
		/* what the tree adds for safety is a few units in the last place */
		double wider[3] = {ray.extent[0] + 1e-9, ray.extent[1] + 1e-9, ray.extent[2] + 1e-9};
		bool may = twin.leaf[i] >= 0 && TwinRay(twin.box[i], ray.from, ray.delta, wider, max * (1.0 + 1e-9)) >= 0.0;
		REQUIRE(ray.times[i] <= (may ? 1 : 0) && ray.times[i] >= (t >= 0.0 ? 1 : 0),
		        "seed %llu step %d: box %d met %d times, t %g", (unsigned long long)seed, step, i, ray.times[i], t);
		if (t >= 0.0)
			nearest = MinD(nearest, t);
	}
	int all = ray.calls;
	memset(ray.times, 0, sizeof(ray.times));
	ray.calls = 0;
	ray.shrink = true;
	BoxTree_Ray(tree, ray.from, ray.delta, extent, max, RayVisit, &ray);
	REQUIRE(ray.calls <= all, "seed %llu step %d: %d calls with shrinking, %d without", (unsigned long long)seed, step,
	        ray.calls, all);
	if (nearest < 1e300)
		REQUIRE(ray.best >= 0 && fabs(ray.fraction - nearest) <= 1e-12, "seed %llu step %d: nearest %g, got %g",
		        (unsigned long long)seed, step, nearest, ray.fraction);
	else
		REQUIRE(ray.best < 0, "seed %llu step %d: hit where there is none", (unsigned long long)seed, step);
}

#endif
