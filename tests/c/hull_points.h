/* Points to make hulls of, and the checks that every hull must pass. */
#ifndef TESTS_HULL_POINTS_H
#define TESTS_HULL_POINTS_H

#include "failing_memory.h"
#include "random_turns.h"
#include "require.h"
#include "shape/shape.h"
#include "shape/shape_internal.h"

#include <check.h>
#include <math.h>

#define POINT_LIMIT 4096

static double points[3 * POINT_LIMIT];
static int point_count;
static Memory memory;

static inline void Setup(void)
{
	Memory_Init(&memory, NULL, NULL);
	point_count = 0;
}

static inline void Teardown(void)
{
	ck_assert_uint_eq(memory.bytes, 0);
}

static inline void Put(double x, double y, double z)
{
	REQUIRE(point_count < POINT_LIMIT, "too many points");
	points[3 * point_count] = x;
	points[3 * point_count + 1] = y;
	points[3 * point_count + 2] = z;
	point_count++;
}

static inline Vec3D Point(int i)
{
	return (Vec3D){points[3 * i], points[3 * i + 1], points[3 * i + 2]};
}

/* Evenly on the unit sphere. */
static inline Vec3D RandomUnit(Random *r)
{
	for (;;) {
		Vec3D p = {Random_Range(r, -1, 1), Random_Range(r, -1, 1), Random_Range(r, -1, 1)};
		double l = LengthD(p);
		if (l > 0.1 && l <= 1.0)
			return ScaleD(1.0 / l, p);
	}
}

static inline void TurnPoints(Quat q, Vec3D shift)
{
	for (int i = 0; i < point_count; i++) {
		double x = q.x, y = q.y, z = q.z, w = q.w;
		Vec3D v = Point(i), u = {x, y, z};
		Vec3D t = ScaleD(2.0, CrossD(u, v));
		v = AddD(AddD(MulAddD(v, w, t), CrossD(u, t)), shift);
		points[3 * i] = v.x;
		points[3 * i + 1] = v.y;
		points[3 * i + 2] = v.z;
	}
}

/* Builds, validates, checks that all points are within the deviation and that all vertices are points. */
static inline Hull *Build(const char *what, float *deviation)
{
	char why[200] = "";
	Error error = {0};
	float own = -1.0f;
	Hull *hull = Hull_Create(&memory, points, point_count, &own, &error);
	REQUIRE(hull, "%s: %s", what, error.text);
	REQUIRE(error.code == ERROR_NONE, "%s: built, but with error %s", what, error.text);
	REQUIRE(Hull_Validate(hull, why, sizeof(why)), "%s: %s", what, why);
	REQUIRE(own >= 0.0f, "%s: deviation %g", what, own);
	double scale = (double)hull->outer_radius;
	for (int i = 0; i < point_count; i++)
		for (int f = 0; f < hull->face_count; f++) {
			double d = Hull_PlaneDistance(hull, f, Point(i));
			REQUIRE(d <= own + 1e-6 * scale, "%s: point %d is %g beyond face %d, deviation %g", what, i, d, f, own);
		}
	int next = 0; /* vertices are points, in the order of points */
	for (int v = 0; v < hull->vertex_count; v++) {
		Vec3 at = hull->vertices[v];
		while (next < point_count && !((float)points[3 * next] == at.x && (float)points[3 * next + 1] == at.y &&
		                               (float)points[3 * next + 2] == at.z))
			next++;
		REQUIRE(next < point_count, "%s: vertex %d (%g %g %g) is no point, or out of order", what, v, at.x, at.y, at.z);
	}
	if (deviation)
		*deviation = own;
	return hull;
}

static inline void CheckCounts(const char *what, int vertices, int faces, double volume, double tolerance)
{
	Hull *hull = Build(what, NULL);
	REQUIRE(hull->vertex_count == vertices && hull->face_count == faces, "%s: %d vertices, %d faces, expected %d, %d",
	        what, hull->vertex_count, hull->face_count, vertices, faces);
	REQUIRE(fabs((double)hull->volume - volume) <= tolerance, "%s: volume %.9g, expected %.9g", what, hull->volume,
	        volume);
	Hull_Destroy(&memory, hull);
}

/* ---- points of solids -------------------------------------------------------------------------------------------- */

static inline void PutBox(double hx, double hy, double hz)
{
	for (int i = 0; i < 8; i++)
		Put(i & 1 ? hx : -hx, i & 2 ? hy : -hy, i & 4 ? hz : -hz);
}

static inline void PutPrism(int sides, double radius, double half)
{
	for (int i = 0; i < 2 * sides; i++) {
		int side = i / 2;
		double a = 2.0 * PI * side / sides;
		Put(radius * cos(a), i & 1 ? half : -half, radius * sin(a));
	}
}

/* ---- clouds of points ------------------------------------------------------------------------------------------ */

#define CLOUD_KINDS 12

/* Clouds of many kinds; Build checks convexity and that no point is left out. */
static inline void PutCloud(Random *r, int kind, int n)
{
	for (int i = 0; i < n; i++) {
		Vec3D u = RandomUnit(r), c = {Random_Range(r, -1, 1), Random_Range(r, -1, 1), Random_Range(r, -1, 1)};
		int x = Random_Below(r, 5), y = Random_Below(r, 5), z = Random_Below(r, 5);
		switch (kind) {
		case 0: /* in a cube */
			Put(c.x, c.y, c.z);
			break;
		case 1: /* on a sphere */
			Put(u.x, u.y, u.z);
			break;
		case 2: /* on a coarse lattice: many coplanar */
			Put(0.2 * x, 0.2 * y, 0.2 * z);
			break;
		case 3: /* on the same lattice, shaken by a few units of float */
			Put(0.2 * x + 1e-7 * c.x, 0.2 * y + 1e-7 * c.y, 0.2 * z + 1e-7 * c.z);
			break;
		case 4: /* shaken by about the tolerance of merging */
			Put(0.2 * x + 4e-6 * c.x, 0.2 * y + 4e-6 * c.y, 0.2 * z + 4e-6 * c.z);
			break;
		case 5: /* a needle, on its lattice */
			Put(1.0 * x, 1e-3 * y, 1e-3 * z);
			break;
		case 6: /* a low dome over a square */
			Put(c.x, 1e-3 * (1.0 - c.x * c.x - c.z * c.z), c.z);
			break;
		case 7: /* a cylinder with a bevel */
			Put(c.y > 0.9 ? u.x : 1.01 * u.x, c.y, c.y > 0.9 ? u.z : 1.01 * u.z);
			break;
		case 8: /* clusters */
			Put(x + 1e-5 * c.x, (y & 1) + 1e-6 * c.y, z + 1e-4 * c.z);
			break;
		case 9: /* a thin lens with a sharp rim */
			Put(u.x, 2e-3 * c.y * (1.0 - u.x * u.x - u.z * u.z), u.z);
			break;
		case 10: /* layers, crowded in the middle, the layers bent by about the tolerance */
			Put(c.x * c.x * c.x, 0.25 * y * (1.0 + 4e-6 * c.z), c.y * c.y * c.y);
			break;
		default: /* a cone with a sharp tip, far off */
			Put(40 + c.y * c.y * u.x, 20.0 * c.y * c.y, c.y * c.y * u.z - 30);
			break;
		}
	}
}

#endif
