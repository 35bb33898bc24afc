/* Shapes of every kind at random, how far points lie outside of them, and counted memory that they are made of. */
#ifndef TESTS_RANDOM_SHAPES_H
#define TESTS_RANDOM_SHAPES_H

#include "random_turns.h"
#include "require.h"
#include "shape/shape.h"

#include <check.h>
#include <math.h>

static Memory memory;

static inline void Setup(void)
{
	Memory_Init(&memory, NULL, NULL);
}

static inline void Teardown(void)
{
	ck_assert_uint_eq(memory.bytes, 0);
}

static inline Hull *RandomHull(Random *r, int n)
{
	double points[3 * 200];
	for (;;) {
		for (int i = 0; i < n; i++) {
			Vec3 p = Normalize(RandomVec(r, -1.0, 1.0));
			p = Scale((float)Random_Range(r, 0.5, 1.0), p);
			points[3 * i] = (double)p.x + 0.1;
			points[3 * i + 1] = (double)p.y - 0.2;
			points[3 * i + 2] = 1.5 * (double)p.z;
		}
		Hull *hull = Hull_Create(&memory, points, n, NULL, NULL);
		if (hull)
			return hull;
	}
}

/* Of any kind. *hull is to be destroyed. */
static inline Shape RandomShape(Random *r, ShapeKind kind, Hull **hull)
{
	Shape shape = {.kind = kind,
	               .radius = (float)Random_Range(r, 0.2, 1.0),
	               .half_length = (float)Random_Range(r, 0.0, 1.5),
	               .half = RandomVec(r, 0.2, 1.5)};
	if (kind == SHAPE_CYLINDER || kind == SHAPE_CONE)
		shape.half_length += 0.1f;
	*hull = kind == SHAPE_HULL ? RandomHull(r, 4 + Random_Below(r, 60)) : NULL;
	shape.hull = *hull;
	return shape;
}

/* A signed distance of a sort for every kind: negative inside, convex in the point, its zero the surface. */
static inline long double Outside(const Shape *s, long double x, long double y, long double z)
{
	long double q, m;
	switch (s->kind) {
	case SHAPE_BALL:
		return sqrtl(x * x + y * y + z * z) - s->radius;
	case SHAPE_CAPSULE:
		q = fabsl(y) > s->half_length ? fabsl(y) - s->half_length : 0.0L;
		return sqrtl(x * x + q * q + z * z) - s->radius;
	case SHAPE_BOX:
		return fmaxl(fmaxl(fabsl(x) - s->half.x, fabsl(y) - s->half.y), fabsl(z) - s->half.z);
	case SHAPE_CYLINDER:
		return fmaxl(sqrtl(x * x + z * z) - s->radius, fabsl(y) - s->half_length);
	case SHAPE_CONE:
		q = 0.5L * s->radius / s->half_length;
		m = (sqrtl(x * x + z * z) - q * (s->half_length - y)) / sqrtl(1.0L + q * q);
		return fmaxl(m, -s->half_length - y);
	default:
		m = -1e300L;
		for (int f = 0; f < s->hull->face_count; f++) {
			Vec3 n = s->hull->normals[f];
			m = fmaxl(m, n.x * x + n.y * y + n.z * z - s->hull->offsets[f]);
		}
		return m;
	}
}

#endif
