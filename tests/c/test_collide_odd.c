/* A shape against triangles that are degenerate, out of order, too many; and when memory runs out. */
#include "collide/triangles_internal.h"
#include "collide_meet.h"
#include "failing_memory.h"

START_TEST(degenerate_triangles)
{
	/* a tenth of zero-area triangles changes nothing */
	Random r = {13};
	HullStock stock;
	HullStock_Make(&stock, &r);
	Mesh clean = {0}, dirty = {0};
	roughness = 0.05f;
	Mesh_AddGrid(&clean, Rough, -3, -3, 0.5f, 12, 12, DIAGONAL_MIXED);
	Mesh_SetEdges(&clean);
	for (int i = 0; i < clean.count; i++) {
		const Triangle *t = &clean.triangles[i];
		Vec3 mid = Scale(0.5f, Add(t->v[0], t->v[1]));
		if (i % 10 == 0)
			Mesh_Add(&dirty, t->v[0], t->v[1], i % 20 ? t->v[0] : t->v[1]);
		if (i % 10 == 5)
			Mesh_Add(&dirty, t->v[0], mid, t->v[1]);
		if (i % 50 == 7)
			Mesh_Add(&dirty, t->v[0], t->v[0], t->v[0]);
		Mesh_Add(&dirty, t->v[0], t->v[1], t->v[2]);
		dirty.triangles[dirty.count - 1] = *t;
	}
	Manifold want[MANIFOLDS];
	for (int i = 0; i < 600; i++) {
		Shape shape = RandomShape(&r, &stock, (ShapeKind)(i % SHAPE_KIND_COUNT));
		Quat q = RandomTurn(&r);
		Xform at = {RandomVec(&r, -1, 1), q};
		at.p.y = -Lowest(&shape, q) + (float)Random_Range(&r, -0.1, 0.05);
		int count = Meet(&clean, &shape, at, 0.02f, true);
		memcpy(want, found, sizeof(want));
		REQUIRE(Meet(&dirty, &shape, at, 0.02f, true) == count, "try %d: not %d manifolds", i, count);
		for (int m = 0; m < count; m++) {
			REQUIRE(Length(Sub(want[m].normal, found[m].normal)) < 1e-6f, "try %d: normal", i);
			REQUIRE(DeepestOf(&want[m]) == DeepestOf(&found[m]), "try %d: depth", i);
		}
		Meet(&dirty, &shape, at, 0.02f, false);
	}
	Mesh_Free(&clean);
	Mesh_Free(&dirty);
	HullStock_Free(&stock);
}
END_TEST

START_TEST(order_does_not_matter)
{
	/* the same triangles in another order: the same contact, with the same ids */
	Random r = {14};
	HullStock stock;
	HullStock_Make(&stock, &r);
	Mesh mesh = {0}, mixed = {0};
	roughness = 0.08f;
	Mesh_AddGrid(&mesh, Rough, -3, -3, 0.5f, 12, 12, DIAGONAL_MIXED);
	Mesh_SetEdges(&mesh);
	for (int i = 0; i < mesh.count; i++)
		Mesh_Add(&mixed, X, Y, Z);
	Manifold want[MANIFOLDS];
	for (int i = 0; i < 400; i++) {
		memcpy(mixed.triangles, mesh.triangles, sizeof(Triangle) * (size_t)mesh.count);
		for (int k = mesh.count - 1; k > 0; k--) {
			int j = Random_Below(&r, k + 1);
			Triangle swap = mixed.triangles[k];
			mixed.triangles[k] = mixed.triangles[j];
			mixed.triangles[j] = swap;
		}
		Shape shape = RandomShape(&r, &stock, (ShapeKind)(i % SHAPE_KIND_COUNT));
		Quat q = RandomTurn(&r);
		Xform at = {RandomVec(&r, -1, 1), q};
		at.p.y = -Lowest(&shape, q) + (float)Random_Range(&r, -0.1, 0.05);
		int count = Meet(&mesh, &shape, at, 0.02f, true);
		memcpy(want, found, sizeof(want));
		REQUIRE(Meet(&mixed, &shape, at, 0.02f, true) == count, "try %d: not %d manifolds", i, count);
		for (int m = 0; m < count; m++) {
			REQUIRE(Length(Sub(want[m].normal, found[m].normal)) < 1e-6f, "try %d, manifold %d: normal, off by %g", i,
			        m, Length(Sub(want[m].normal, found[m].normal)));
			REQUIRE(Abs(DeepestOf(&want[m]) - DeepestOf(&found[m])) < 1e-6f, "try %d, manifold %d: depth %.9g, %.9g", i,
			        m, DeepestOf(&want[m]), DeepestOf(&found[m]));
			REQUIRE(want[m].count == found[m].count, "try %d, manifold %d: points", i, m);
		}
	}
	Mesh_Free(&mesh);
	Mesh_Free(&mixed);
	HullStock_Free(&stock);
}
END_TEST

START_TEST(ids_last)
{
	/* at rest, trembling; and sliding: the corners of a box keep their ids whatever triangles they are over */
	Mesh mesh = {0};
	Mesh_AddGrid(&mesh, Level, -3, -3, 0.25f, 24, 24, DIAGONAL_MIXED);
	Mesh_SetEdges(&mesh);
	Random r = {15};
	Shape shapes[] = {{.kind = SHAPE_BOX, .half = {0.5f, 0.5f, 0.3f}},
	                  {.kind = SHAPE_CAPSULE, .radius = 0.2f, .half_length = 0.5f},
	                  {.kind = SHAPE_BALL, .radius = 0.3f}};
	for (int k = 0; k < 3; k++) {
		Quat q = k == 1 ? Quat_FromAxisAngle(Z, PI / 2) : Quat_FromAxisAngle(Y, 0.3);
		float low = Lowest(&shapes[k], q);
		uint32_t ids[4] = {0};
		for (int i = 0; i < 400; i++) {
			Quat now = QuatIntegrate(q, Scale(2e-4f, RandomDirection(&r)));
			Vec3 p = Add(V3(0.004f * (float)i - 0.8f, -low - 0.003f, 0.1f), Scale(2e-4f, RandomDirection(&r)));
			ck_assert_int_eq(Meet(&mesh, &shapes[k], (Xform){p, now}, 0.02f, true), 1);
			ck_assert_int_eq(found[0].count, k == 0 ? 4 : k == 1 ? 2 : 1);
			for (int j = 0; j < found[0].count; j++) {
				bool known = i == 0;
				for (int l = 0; l < 4; l++)
					known = known || ids[l] == found[0].points[j].id;
				REQUIRE(known, "shape %d, step %d: a new id", k, i);
			}
			for (int j = 0; j < found[0].count; j++)
				ids[j] = found[0].points[j].id;
		}
	}
	Mesh_Free(&mesh);
}
END_TEST

static bool SamePlace(Vec3 a, Vec3 b)
{
	return a.x == b.x && a.y == b.y && a.z == b.z;
}

/* The lowest other triangle that has the edge the other way round, by looking at all. */
static int TwinAcross(const TriangleTest *test, int f, int i)
{
	Vec3 a = test->faces[f].v[i], b = test->faces[f].v[(i + 1) % 3];
	for (int g = 0; g < test->face_count; g++)
		for (int k = 0; k < 3; k++)
			if (g != f && SamePlace(test->faces[g].v[k], b) && SamePlace(test->faces[g].v[(k + 1) % 3], a))
				return g;
	return NO_FACE;
}

START_TEST(neighbours)
{
	/* few triangles are joined in another way than many: some of a grid, in any order, one or two of them twice */
	Random r = {31};
	Mesh mesh = {0};
	Mesh_AddGrid(&mesh, Level, -2, -2, 1.0f, 4, 4, DIAGONAL_MIXED);
	for (int round = 0; round < 400; round++) {
		int count = 1 + (int)Random_Below(&r, 36);
		Arena_Reset(&arena);
		TriangleTest test = {.arena = &arena, .face_count = count, .edge_filter = true};
		test.faces = Arena_Array(&arena, Face, count);
		for (int f = 0; f < count; f++) {
			const Triangle *t = &mesh.triangles[Random_Below(&r, (uint32_t)mesh.count)];
			int turn = (int)Random_Below(&r, 3);
			for (int i = 0; i < 3; i++)
				test.faces[f].v[i] = t->v[(turn + i) % 3];
		}
		ck_assert(Links_Make(&test));
		int known = 0;
		for (int c = 0; c < 3 * count; c++) {
			int first = 0, vertex = test.faces[c / 3].vertex[c % 3];
			while (!SamePlace(test.faces[first / 3].v[first % 3], test.faces[c / 3].v[c % 3]))
				first++;
			REQUIRE(test.vertex_first[vertex] == first && vertex <= known, "round %d, corner %d: vertex %d", round, c,
			        vertex);
			known += vertex == known;
			int next = c + 1;
			while (next < 3 * count && !SamePlace(test.faces[next / 3].v[next % 3], test.faces[c / 3].v[c % 3]))
				next++;
			REQUIRE(test.corner_next[c] == (next < 3 * count ? next : -1), "round %d, corner %d: next", round, c);
		}
		ck_assert_int_eq(test.vertex_count, known);
		for (int f = 0; f < count; f++)
			for (int i = 0; i < 3; i++)
				REQUIRE(test.faces[f].neighbour[i] == TwinAcross(&test, f, i),
				        "round %d, %d triangles: %d across %d.%d", round, count, test.faces[f].neighbour[i], f, i);
	}
	Mesh_Free(&mesh);
}
END_TEST

START_TEST(capacity)
{
	/* a plate through many pillars: the deepest come first, the rest is left out */
	Mesh mesh = {0};
	Mesh_AddCells(&mesh, Pillars, 4);
	Shape ball = {.kind = SHAPE_BALL, .radius = 1.9f};
	Xform at = At(1.5f, 2.74f, 1.51f);
	int all = Meet(&mesh, &ball, at, 0.02f, true);
	ck_assert_int_ge(all, 2);
	Manifold one[1], whole[MANIFOLDS];
	memcpy(whole, found, sizeof(whole));
	ck_assert_int_eq(Collide_Triangles(mesh.triangles, mesh.count, &ball, at, 0.02f, NULL, true, &arena, one, 1, NULL),
	                 1);
	ck_assert_float_eq(DeepestOf(&one[0]), DeepestOf(&whole[0]));
	for (int i = 1; i < all; i++)
		ck_assert(DeepestOf(&whole[i - 1]) <= DeepestOf(&whole[i]));
	ck_assert_int_eq(Collide_Triangles(mesh.triangles, mesh.count, &ball, at, 0.02f, NULL, true, &arena, one, 0, NULL),
	                 0);
	ck_assert_int_eq(Collide_Triangles(mesh.triangles, 0, &ball, at, 0.02f, NULL, true, &arena, one, 1, NULL), 0);
	Mesh_Free(&mesh);
}
END_TEST

START_TEST(out_of_memory)
{
	Mesh mesh = {0};
	Mesh_AddCells(&mesh, Stairs, 4);
	Shape shapes[] = {{.kind = SHAPE_BOX, .half = {0.9f, 0.5f, 0.6f}},
	                  {.kind = SHAPE_CAPSULE, .radius = 0.4f, .half_length = 0.5f},
	                  {.kind = SHAPE_BALL, .radius = 0.6f}};
	for (int k = 0; k < 3; k++) {
		bool done = false;
		for (long n = 0; !done && n < 10; n++) {
			FailingMemory failing;
			FailingMemory_Init(&failing, n);
			Arena small;
			Arena_Init(&small, &failing.memory);
			int count = Collide_Triangles(mesh.triangles, mesh.count, &shapes[k], At(0, 1.45f, 0), 0.02f, NULL, true,
			                              &small, found, MANIFOLDS, NULL);
			ck_assert_msg(failing.failed ? count == -1 : count > 0, "%ld allocations allowed: %d", n, count);
			done = !failing.failed;
			Arena_Destroy(&small);
			ck_assert_uint_eq((size_t)failing.memory.bytes, 0);
		}
		ck_assert(done);
	}
	Mesh_Free(&mesh);
}
END_TEST

Suite *suite_collide_odd(void);
Suite *suite_collide_odd(void)
{
	Suite *suite = suite_create("collide_odd");
	TCase *odd = tcase_create("odd input");
	tcase_add_checked_fixture(odd, Setup, Teardown);
	tcase_add_test(odd, degenerate_triangles);
	tcase_add_test(odd, order_does_not_matter);
	tcase_add_test(odd, ids_last);
	tcase_add_test(odd, neighbours);
	tcase_add_test(odd, capacity);
	tcase_add_test(odd, out_of_memory);
	suite_add_tcase(suite, odd);
	return suite;
}
