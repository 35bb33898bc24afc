/* What the tests of shapes against triangles share: an arena, a call that checks what must always hold, flat ground. */
#ifndef TESTS_COLLIDE_MEET_H
#define TESTS_COLLIDE_MEET_H

#include "collide_meshes.h"

#define MANIFOLDS 64

static Memory memory;
static Arena arena;
static Manifold found[MANIFOLDS];

static inline void Setup(void)
{
	Memory_Init(&memory, NULL, NULL);
	Arena_Init(&arena, &memory);
}

static inline void Teardown(void)
{
	Arena_Destroy(&arena);
	ck_assert_uint_eq((size_t)memory.bytes, 0);
}

static inline int MeetMoving(const Mesh *mesh, const Shape *shape, Xform at, float margin, const ShapeMotion *motion,
                             bool filter)
{
	Arena_Reset(&arena);
	int count = Collide_Triangles(mesh->triangles, mesh->count, shape, at, margin, motion, filter, &arena, found,
	                              MANIFOLDS, NULL);
	for (int i = 0; i < count; i++) {
		REQUIRE(found[i].count > 0 && found[i].count <= 4, "manifold %d has %d points", i, found[i].count);
		REQUIRE(AbsD(P3Length(P3Of(found[i].normal)) - 1.0) < 1e-5, "manifold %d: normal", i);
		for (int k = 0; k < found[i].count; k++) {
			REQUIRE(IsFinite((double)Length(found[i].points[k].point)), "manifold %d: point %d", i, k);
			REQUIRE(found[i].points[k].separation <= margin, "manifold %d: point %d past the margin", i, k);
			for (int j = 0; j < k; j++)
				REQUIRE(found[i].points[j].id != found[i].points[k].id, "manifold %d: one id twice", i);
		}
	}
	return count;
}

static inline int Meet(const Mesh *mesh, const Shape *shape, Xform at, float margin, bool filter)
{
	return MeetMoving(mesh, shape, at, margin, NULL, filter);
}

static inline float DeepestOf(const Manifold *m)
{
	float least = FLT_MAX;
	for (int i = 0; i < m->count; i++)
		least = Min(least, m->points[i].separation);
	return least;
}

static inline Xform At(float x, float y, float z)
{
	return (Xform){{x, y, z}, {0, 0, 0, 1}};
}

#define X V3(1, 0, 0)
#define Y V3(0, 1, 0)
#define Z V3(0, 0, 1)

static inline float Lowest(const Shape *shape, Quat q)
{
	return Rotate(q, Shape_Support(shape, InvRotate(q, V3(0, -1, 0)))).y;
}

static inline float Level(float x, float z)
{
	(void)x, (void)z;
	return 0.0f;
}

#endif
