/* What the tests of pairs of shapes share: places, simple shapes, and the contact that is expected. */
#ifndef TESTS_COLLIDE_EXPECT_H
#define TESTS_COLLIDE_EXPECT_H

#include "collide/collide.h"

#include <check.h>
#include <float.h>

static const Xform HERE = {{0, 0, 0}, {0, 0, 0, 1}};
static const Vec3 X = {1, 0, 0}, Y = {0, 1, 0}, Z = {0, 0, 1};

static inline Xform At(float x, float y, float z)
{
	return (Xform){{x, y, z}, {0, 0, 0, 1}};
}

static inline Xform Turned(float x, float y, float z, Vec3 axis, double degrees)
{
	return (Xform){{x, y, z}, Quat_FromAxisAngle(axis, degrees * PI / 180.0)};
}

static inline Shape Ball(float r)
{
	return (Shape){.kind = SHAPE_BALL, .radius = r};
}
static inline Shape Capsule(float r, float half)
{
	return (Shape){.kind = SHAPE_CAPSULE, .radius = r, .half_length = half};
}
static inline Shape BoxOf(float x, float y, float z)
{
	return (Shape){.kind = SHAPE_BOX, .half = {x, y, z}};
}

static inline float Deepest(const Manifold *m)
{
	float least = FLT_MAX;
	for (int i = 0; i < m->count; i++)
		least = Min(least, m->points[i].separation);
	return least;
}

/* Count, normal and depth of a contact, from both sides. Ids differ. */
static inline void Expect(const char *what, Shape a, Xform ta, Shape b, Xform tb, int count, Vec3 normal,
                          double separation)
{
	for (int side = 0; side < 2; side++) {
		Manifold m;
		if (side == 0)
			Collide_Shapes(&a, ta, &b, tb, 0.02f, &m);
		else
			Collide_Shapes(&b, tb, &a, ta, 0.02f, &m);
		Vec3 n = side == 0 ? normal : Neg(normal);
		ck_assert_msg(m.count == count, "%s, side %d: %d points", what, side, m.count);
		if (count == 0)
			continue;
		ck_assert_msg(Length(Sub(m.normal, n)) < 1e-5f, "%s, side %d: normal %g %g %g", what, side, m.normal.x,
		              m.normal.y, m.normal.z);
		for (int i = 0; i < m.count; i++) {
			ck_assert_msg(AbsD(m.points[i].separation - separation) < 2e-6, "%s, side %d, point %d: separation %.8g",
			              what, side, i, m.points[i].separation);
			for (int j = 0; j < i; j++)
				ck_assert_msg(m.points[i].id != m.points[j].id, "%s, side %d: points %d and %d are both %x", what, side,
				              i, j, m.points[i].id);
		}
	}
}

#endif
