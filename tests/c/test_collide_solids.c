/* Solids made of triangles: a shape must be pushed as by the solid itself. Thin plates, one-sided surfaces. */
#include "collide_meet.h"
#include "curved_twins.h"

/* Of cylinders and cones one in some hundreds, deep across an edge, may take a way out that is not the shortest. */
static int curved_tries, curved_odd;

#define EXPECT(condition, ...)                                                                                         \
	do {                                                                                                               \
		bool curved = shape->kind == SHAPE_CYLINDER || shape->kind == SHAPE_CONE;                                      \
		if (curved && !(condition)) {                                                                                  \
			curved_odd++;                                                                                              \
			return;                                                                                                    \
		}                                                                                                              \
		REQUIRE(condition, __VA_ARGS__);                                                                               \
	} while (0)

/* The mesh must push a shape as the solid would: as deep, and where there is one best way, the same way. */
static void CompareShallow(const char *what, const Shape *solid, const Shape *shape, Xform at, const Manifold *want,
                           int count, int i)
{
	float depth = DeepestOf(want);
	TwinPair pair = {solid, shape, XformIdentity(), at};
	/* any manifold's normal must be a way out that costs hardly more than the best */
	for (int k = 0; k < count; k++) {
		/* 6.5 degrees: one manifold; what is not touched yet may be ground to land on */
		if (depth > -1e-3f || Dot(found[k].normal, want->normal) > 0.9935f || DeepestOf(&found[k]) > 0.0f)
			continue;
		double along = TwinPair_Along(&pair, P3Of(found[k].normal));
		EXPECT(along > (double)depth - 2e-3,
		       "%s, kind %d, try %d: manifold %d of %d, normal %g %g %g costs %g, the solid's %g %g %g costs %g", what,
		       shape->kind, i, k, count, found[k].normal.x, found[k].normal.y, found[k].normal.z, -along,
		       want->normal.x, want->normal.y, want->normal.z, -depth);
	}
	EXPECT(Abs(DeepestOf(&found[0]) - depth) < 2e-3f, "%s, kind %d, try %d: depth %g, the solid's %g (%d manifolds)",
	       what, shape->kind, i, -DeepestOf(&found[0]), -depth, count);
}

/* Once the least push is many centimetres, the features that meet may lie outside of the overlap. Then pushes by the
 * depths that are found must get out, on a path not much longer than the shortest. */
static void CompareDeep(const char *what, const Mesh *mesh, const Shape *solid, const Shape *shape, Xform at,
                        float depth, int i)
{
	float path = 0.0f;
	for (int k = 0; k < 20 && Collide_Overlap(solid, XformIdentity(), shape, at); k++) {
		int count = Meet(mesh, shape, at, 0.02f, true);
		if (count == 0 || DeepestOf(&found[0]) >= -1e-4f)
			break;
		path -= DeepestOf(&found[0]);
		at.p = MulSub(at.p, DeepestOf(&found[0]), found[0].normal);
	}
	Manifold left;
	Collide_Shapes(solid, XformIdentity(), shape, at, 0.02f, &left);
	EXPECT(left.count == 0 || DeepestOf(&left) > -2e-3f, "%s, kind %d, try %d: %g of %g left after 20 pushes", what,
	       shape->kind, i, -DeepestOf(&left), -depth);
	EXPECT(path < -3.0f * depth, "%s, kind %d, try %d: pushed by %g in all for a depth of %g", what, shape->kind, i,
	       path, -depth);
}

static void CompareWithSolid(const char *what, const Mesh *mesh, const Shape *solid, const Shape *shape, Xform at,
                             int i)
{
	Manifold want;
	curved_tries += shape->kind == SHAPE_CYLINDER || shape->kind == SHAPE_CONE;
	Collide_Shapes(solid, XformIdentity(), shape, at, 0.02f, &want);
	int count = Meet(mesh, shape, at, 0.02f, true);
	Separation apart = Collide_Distance(solid, XformIdentity(), shape, at);
	if (want.count == 0) {
		EXPECT(count == 0 || apart.distance < 0.03f, "%s, kind %d, try %d: %d manifolds at a distance of %g", what,
		       shape->kind, i, count, apart.distance);
		return;
	}
	float depth = DeepestOf(&want);
	if (depth > 0.0f)
		return; /* bounds of distances may differ */
	EXPECT(count > 0, "%s, kind %d, try %d: nothing found at depth %g", what, shape->kind, i, depth);
	if (depth > -0.03f)
		CompareShallow(what, solid, shape, at, &want, count, i);
	else
		CompareDeep(what, mesh, solid, shape, at, depth, i);
}

/* Somewhere on the surface of the solid, sunk up to `sink`. */
static Xform SinkInto(Random *r, const Shape *solid, const Shape *shape, float sink)
{
	Quat q = RandomOrAlignedTurn(r);
	Vec3 out = RandomDirection(r);
	Xform far = {Add(Scale(10.0f, out), Scale(0.7f, RandomDirection(r))), q};
	CastHit hit;
	if (!Collide_Cast(solid, XformIdentity(), shape, far, Scale(-20.0f, out), 0.0f, &hit))
		return far;
	far.p = MulSub(far.p, 20.0f * hit.fraction, out);
	/* what is wholly below a one-sided surface is out of its reach */
	far.p = MulSub(far.p, (float)Random_Range(r, -0.03, (double)Min(sink, Shape_InnerRadius(shape))), hit.normal);
	return far;
}

START_TEST(cubes_of_triangles)
{
	Random r = {9};
	HullStock stock;
	HullStock_Make(&stock, &r);
	for (int n = 1; n <= 5; n += 2) {
		Shape cube = {.kind = SHAPE_BOX, .half = {1, 0.8f, 1.2f}};
		Mesh mesh = {0};
		Mesh_AddSolid(&mesh, &cube, n);
		Mesh_SetEdges(&mesh);
		for (int i = 0; i < 6000; i++) {
			Shape shape = RandomShape(&r, &stock, (ShapeKind)(i % SHAPE_KIND_COUNT));
			Xform at = SinkInto(&r, &cube, &shape, i % 8 < 4 ? 0.01f : 0.3f);
			CompareWithSolid("cube", &mesh, &cube, &shape, at, i + 10000 * n);
		}
		Mesh_Free(&mesh);
	}
	HullStock_Free(&stock);
	ck_assert_msg(curved_tries > 3000 && curved_odd * 250 < curved_tries, "%d odd of %d", curved_odd, curved_tries);
}
END_TEST

START_TEST(hulls_of_triangles)
{
	Random r = {10};
	HullStock stock;
	HullStock_Make(&stock, &r);
	for (int h = 0; h < HULL_STOCK; h++) {
		Shape solid = {.kind = SHAPE_HULL, .hull = stock.hull[h]};
		Mesh mesh = {0};
		Mesh_AddSolid(&mesh, &solid, 1 + h % 3);
		Mesh_SetEdges(&mesh);
		for (int i = 0; i < 2000; i++) {
			Shape shape = RandomShape(&r, &stock, (ShapeKind)(i % SHAPE_KIND_COUNT));
			Xform at = SinkInto(&r, &solid, &shape, i % 8 < 4 ? 0.01f : 0.3f);
			CompareWithSolid("hull", &mesh, &solid, &shape, at, i + 1000 * h);
		}
		Mesh_Free(&mesh);
	}
	HullStock_Free(&stock);
	ck_assert_msg(curved_tries > 3000 && curved_odd * 250 < curved_tries, "%d odd of %d", curved_odd, curved_tries);
}
END_TEST

/* ---- sides ---------------------------------------------------------------------------------------------------- */

START_TEST(thin_plates)
{
	/* a plate of 5 cm: out on the side where less is sunk, never both */
	Shape plate = {.kind = SHAPE_BOX, .half = {3, 0.025f, 3}};
	Shape shapes[] = {{.kind = SHAPE_BALL, .radius = 0.4f},
	                  {.kind = SHAPE_BOX, .half = {0.3f, 0.4f, 0.35f}},
	                  {.kind = SHAPE_CAPSULE, .radius = 0.2f, .half_length = 0.2f}};
	for (int cuts = 1; cuts <= 9; cuts += 4) {
		Mesh mesh = {0};
		Mesh_AddSolid(&mesh, &plate, cuts);
		Mesh_SetEdges(&mesh);
		for (int k = 0; k < 3; k++)
			for (int i = -40; i <= 40; i++) {
				float y = 0.011f * (float)i + 0.001f;
				if (Abs(y) > 0.4f)
					continue;
				int count = Meet(&mesh, &shapes[k], At(0.11f, y, 0.23f), 0.02f, true);
				REQUIRE(count == 1, "shape %d at %g: %d manifolds", k, y, count);
				REQUIRE(found[0].normal.y == (y > 0 ? 1.0f : -1.0f), "shape %d at %g: normal %g %g %g", k, y,
				        found[0].normal.x, found[0].normal.y, found[0].normal.z);
				REQUIRE(Abs(DeepestOf(&found[0]) + 0.4f + 0.025f - Abs(y)) < 1e-5f, "shape %d at %g: depth %g", k, y,
				        DeepestOf(&found[0]));
			}
		Mesh_Free(&mesh);
	}
}
END_TEST

START_TEST(one_sided)
{
	Mesh mesh = {0};
	Mesh_AddGrid(&mesh, Level, -3, -3, 0.5f, 12, 12, DIAGONAL_A);
	Mesh_SetEdges(&mesh);
	Shape shapes[] = {{.kind = SHAPE_BALL, .radius = 0.4f},
	                  {.kind = SHAPE_BOX, .half = {0.3f, 0.4f, 0.35f}},
	                  {.kind = SHAPE_CAPSULE, .radius = 0.2f, .half_length = 0.2f}};
	for (int k = 0; k < 3; k++) {
		/* centre well below, top still out: up and out */
		ck_assert_int_eq(Meet(&mesh, &shapes[k], At(0.1f, -0.3f, 0.2f), 0.02f, true), 1);
		ck_assert_float_eq(found[0].normal.y, 1.0f);
		ck_assert_float_eq_tol(DeepestOf(&found[0]), -0.7f, 1e-6f);
		/* wholly below: not its business */
		ck_assert_int_eq(Meet(&mesh, &shapes[k], At(0.1f, -0.41f, 0.2f), 0.02f, true), 0);
		/* above the margin */
		ck_assert_int_eq(Meet(&mesh, &shapes[k], At(0.1f, 0.421f, 0.2f), 0.02f, true), 0);
		ck_assert_int_eq(Meet(&mesh, &shapes[k], At(0.1f, 0.419f, 0.2f), 0.02f, true), 1);
	}
	Mesh_Free(&mesh);
}
END_TEST

Suite *suite_collide_solids(void);
Suite *suite_collide_solids(void)
{
	Suite *suite = suite_create("collide_solids");
	TCase *solids = tcase_create("solids");
	tcase_add_checked_fixture(solids, Setup, Teardown);
	tcase_set_timeout(solids, 60);
	tcase_add_test(solids, cubes_of_triangles);
	tcase_add_test(solids, hulls_of_triangles);
	tcase_add_test(solids, thin_plates);
	tcase_add_test(solids, one_sided);
	suite_add_tcase(suite, solids);
	return suite;
}
