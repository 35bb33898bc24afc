/* Cylinders and cones against every kind of shape: known answers, and a twin that looks along many directions. */
#include "collide_expect.h"
#include "curved_twins.h"

static Shape Cylinder(float r, float half)
{
	return (Shape){.kind = SHAPE_CYLINDER, .radius = r, .half_length = half};
}
static Shape Cone(float r, float half)
{
	return (Shape){.kind = SHAPE_CONE, .radius = r, .half_length = half};
}

START_TEST(known_contacts)
{
	Shape drum = Cylinder(1, 0.5f), box = BoxOf(2, 0.5f, 2);
	Expect("ball on end", drum, HERE, Ball(0.5f), At(0.3f, 0.95f, 0), 1, Y, -0.05);
	Expect("ball at side", drum, HERE, Ball(0.5f), At(0, 0.2f, -1.4f), 1, V3(0, 0, -1), -0.1);
	Expect("ball at rim", drum, HERE, Ball(0.5f), At(1.3f, 0.9f, 0), 1, V3(0.6f, 0.8f, 0), 0.0);
	Expect("ball off rim", drum, HERE, Ball(0.5f), At(1.3f, 0.95f, 0), 0, Y, 0);
	Expect("ball inside", drum, HERE, Ball(0.1f), At(0.7f, 0.3f, 0), 1, Y, -0.3);
	Expect("standing on a box", box, HERE, drum, At(0.2f, 0.99f, 0.1f), 4, Y, -0.01);
	Expect("on its side on a box", box, HERE, drum, Turned(0.2f, 1.49f, 0.1f, X, 90), 2, Y, -0.01);
	Expect("on its side, over the edge", box, HERE, drum, Turned(2.2f, 1.49f, 0.1f, Z, 90), 2, Y, -0.01);
	Expect("stacked", drum, HERE, drum, At(0.2f, 0.99f, 0.1f), 4, Y, -0.01);
	Expect("stacked, turned", drum, HERE, drum, Turned(0, 0.99f, 0, Y, 10), 4, Y, -0.01);
	Expect("small on large", Cylinder(50, 1), HERE, Cylinder(0.1f, 0.1f), At(48.9f, 1.095f, 0), 4, Y, -0.005);
	Expect("box at the rim of a large drum", Cylinder(50, 1), HERE, BoxOf(0.1f, 0.1f, 0.1f), At(49.7f, 1.095f, 2), 4, Y,
	       -0.005);
	Expect("side by side, touching", drum, HERE, drum, At(1.98f, 0.3f, 0), 2, X, -0.02);
	Expect("crossed", drum, HERE, Cylinder(0.25f, 2), Turned(1.24f, 0.2f, 0.1f, X, 90), 1, X, -0.01);
	Expect("capsule on end", drum, HERE, Capsule(0.25f, 0.5f), Turned(0.2f, 0.74f, 0.1f, X, 90), 2, Y, -0.01);
	Expect("capsule along side", drum, HERE, Capsule(0.25f, 2), At(0, 0, 1.24f), 2, Z, -0.01);
	Expect("box edge along side", drum, HERE, BoxOf(0.5f, 0.5f, 0.5f), Turned(1.69f + 0.00710678f, 0.1f, 0, Y, 45), 2,
	       X, -0.01);
	Expect("cone on a box", box, HERE, Cone(1, 1), At(0.1f, 1.49f, 0), 4, Y, -0.01);
	/* on its side: the axis is as steep as the side */
	Shape cone = Cone(1, 1);
	double tilt = atan(0.5) * 180.0 / PI, up = sin(atan(0.5)) * 1.0;
	Xform lying = Turned(0, (float)(0.5 + up - 0.01), 0, X, 90 + tilt);
	Expect("cone on its side", box, HERE, cone, lying, 2, Y, -0.01);
	Expect("tip on a box", box, HERE, cone, Turned(0.3f, 1.49f, 0, X, 180), 1, Y, -0.01);
	Expect("tip on a ball", Ball(1), HERE, cone, Turned(0, 1.99f, 0, X, 180), 1, Y, -0.01);
}
END_TEST

/* The same place: some direction, no NaN. */
START_TEST(coincident)
{
	Shape shapes[] = {Cylinder(1, 0.5f), Cone(1, 0.5f),     Ball(0.3f),         Capsule(0.3f, 0.2f),
	                  Capsule(0.3f, 0),  BoxOf(1, 0.5f, 1), Cylinder(0.01f, 10)};
	for (int i = 0; i < COUNT_OF(shapes); i++)
		for (int j = 0; j < COUNT_OF(shapes); j++) {
			Manifold m;
			Collide_Shapes(&shapes[i], HERE, &shapes[j], HERE, 0.02f, &m);
			ck_assert_msg(m.count >= 1 && Abs(Length(m.normal) - 1.0f) < 1e-5f, "%d on %d: %d points, normal %g", i, j,
			              m.count, Length(m.normal));
			for (int k = 0; k < m.count; k++)
				ck_assert(IsFinite(m.points[k].separation) && IsFinite(Length(m.points[k].point)));
		}
}
END_TEST

static int HintsOf(const Shape *s, Xform at, P3 *hints)
{
	int count = 0;
	static const P3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
	if (s->kind == SHAPE_HULL)
		for (int f = 0; f < s->hull->face_count; f++)
			hints[count++] = TwinTurn(at.q, P3Of(s->hull->normals[f]));
	else
		for (int i = 0; i < 3; i++)
			hints[count++] = TwinTurn(at.q, axes[i]);
	for (int i = 0, n = count; i < n; i++)
		hints[count++] = P3Add((P3){0, 0, 0}, -1.0, hints[i]);
	return count;
}

/* Random pairs, near and deep. */
START_TEST(against_twin)
{
	HullStock stock;
	Random r = {810 + (uint64_t)_i};
	HullStock_Make(&stock, &r);
	int touching = 0, missed = 0;
	double worst = 0.0;
	for (int k = 0; k < 72; k++) {
		Shape a = RandomShape(&r, &stock, k & 1 ? SHAPE_CYLINDER : SHAPE_CONE);
		Shape b = RandomShape(&r, &stock, (ShapeKind)(k / 2 % SHAPE_KIND_COUNT));
		Xform ta = {RandomVec(&r, -0.2, 0.2), RandomOrAlignedTurn(&r)}, tb = {{0, 0, 0}, RandomOrAlignedTurn(&r)};
		P3 hints[4 * HULL_FACE_LIMIT], n;
		int hint_count = HintsOf(&a, ta, hints);
		hint_count += HintsOf(&b, tb, hints + hint_count);
		/* brought together along some direction until they nearly touch, then to a chosen depth */
		P3 way = P3Of(RandomDirection(&r));
		double gap = k % 5 == 0 ? Random_Range(&r, -1.0, 0.0) : Random_Range(&r, -0.03, 0.018);
		TwinPair pair = {&a, &b, ta, tb};
		double move = 1.0 - TwinPair_Along(&pair, way);
		pair.tb.p = V3((float)(move * way.x), (float)(move * way.y), (float)(move * way.z));
		move = gap - TwinPair_Separation(&pair, hints, hint_count, &n);
		tb.p = Add(pair.tb.p, V3((float)(move * n.x), (float)(move * n.y), (float)(move * n.z)));
		pair.tb = tb;
		double expected = TwinPair_Separation(&pair, hints, hint_count, &n);
		Manifold m;
		Collide_Shapes(&a, ta, &b, tb, 0.02f, &m);
		double size = MinD(Shape_InnerRadius(&a), Shape_InnerRadius(&b)), pref = MinD(5e-4, 0.002 * size);
		if (expected > 0.0199) {
			REQUIRE(m.count == 0 || expected < 0.0201, "seed %d.%d: %d points at %g", _i, k, m.count, expected);
			missed++;
			continue;
		}
		REQUIRE(m.count > 0 && m.count <= 4, "seed %d.%d kinds %d %d: nothing at %g", _i, k, a.kind, b.kind, expected);
		touching++;
		double along = TwinPair_Along(&pair, P3Of(m.normal)), deepest = Deepest(&m);
		worst = MaxD(worst, expected - along - pref);
		REQUIRE(along > expected - 2.0 * pref - 1e-5, "seed %d.%d kinds %d %d: along normal %g, best %g", _i, k, a.kind,
		        b.kind, along, expected);
		REQUIRE(fabs(deepest - along) < 1e-4 + 0.005 * size, "seed %d.%d kinds %d %d: deepest %g, plane says %g", _i, k,
		        a.kind, b.kind, deepest, along);
		/* the deepest point lies between the two surfaces */
		for (int i = 0; i < m.count; i++) {
			if (m.points[i].separation > deepest)
				continue;
			Shape dot = Ball(1e-4f);
			Xform at = {m.points[i].point, QuatIdentity()};
			double far = MaxD(Collide_Distance(&a, ta, &dot, at).distance, Collide_Distance(&b, tb, &dot, at).distance);
			REQUIRE(far < 0.5 * fabs(deepest) + 1e-3 + 0.04 * size, "seed %d.%d kinds %d %d: point %g m off", _i, k,
			        a.kind, b.kind, far);
		}
	}
	ck_assert_msg(touching > 45 && worst < 1e-5, "%d touching, %d apart, worst %g", touching, missed, worst);
	HullStock_Free(&stock);
}
END_TEST

/* Distances against the twin. */
START_TEST(distances)
{
	HullStock stock;
	Random r = {860};
	HullStock_Make(&stock, &r);
	for (int k = 0; k < 96; k++) {
		Shape a = RandomShape(&r, &stock, k & 1 ? SHAPE_CYLINDER : SHAPE_CONE);
		Shape b = RandomShape(&r, &stock, (ShapeKind)(k / 2 % SHAPE_KIND_COUNT));
		Xform ta = RandomPlace(&r, 0.0, 1.0), tb = RandomPlace(&r, 1.0, 6.0);
		TwinPair pair = {&a, &b, ta, tb};
		P3 n;
		double expected = TwinPair_Separation(&pair, NULL, 0, &n);
		Separation s = Collide_Distance(&a, ta, &b, tb);
		if (expected <= 0.0) {
			REQUIRE(s.distance < 1e-5, "try %d kinds %d %d: %g, expected overlap", k, a.kind, b.kind, s.distance);
			continue;
		}
		REQUIRE(fabs(s.distance - expected) < 1e-4, "try %d kinds %d %d: %.9g, expected %.9g", k, a.kind, b.kind,
		        s.distance, expected);
		/* no more than the two points' distance, no less than along the normal: it is that */
		REQUIRE(Abs(Length(Sub(s.point_b, s.point_a)) - s.distance) < 2e-6, "try %d: points", k);
		REQUIRE(TwinPair_Along(&pair, P3Of(s.normal)) > s.distance - 2e-6, "try %d: normal", k);
	}
	HullStock_Free(&stock);
}
END_TEST

/* A cast stops where the twin's distance falls to nothing, and not before. */
START_TEST(casts)
{
	HullStock stock;
	Random r = {870};
	HullStock_Make(&stock, &r);
	int hits = 0;
	for (int k = 0; k < 72; k++) {
		Shape a = RandomShape(&r, &stock, k & 1 ? SHAPE_CYLINDER : SHAPE_CONE);
		Shape b = RandomShape(&r, &stock, (ShapeKind)(k / 2 % SHAPE_KIND_COUNT));
		Xform ta = RandomPlace(&r, 0.0, 1.0), tb = RandomPlace(&r, 6.0, 9.0);
		Vec3 to = RandomVec(&r, -1, 1), motion = Scale(1.5f, Sub(to, tb.p));
		CastHit hit;
		bool swap = k / 3 & 1;
		bool got = swap ? Collide_Cast(&b, tb, &a, ta, Neg(motion), 0.0f, &hit)
		                : Collide_Cast(&a, ta, &b, tb, motion, 0.0f, &hit);
		TwinPair pair = {&a, &b, ta, tb};
		P3 n;
		if (!got) {
			for (int i = 0; i <= 10; i++) {
				pair.tb.p = MulAdd(tb.p, 0.1f * (float)i, motion);
				REQUIRE(TwinPair_Separation(&pair, NULL, 0, &n) > -1e-4, "try %d: missed", k);
			}
			continue;
		}
		hits++;
		pair.tb.p = MulAdd(tb.p, hit.fraction, motion);
		double s = TwinPair_Separation(&pair, NULL, 0, &n);
		REQUIRE(fabs(s) < 1e-4, "try %d kinds %d %d: stopped at %g", k, a.kind, b.kind, s);
	}
	ck_assert_int_gt(hits, 25);
	HullStock_Free(&stock);
}
END_TEST

/* Ids and points stay while a drum rolls and slides a little. */
START_TEST(ids_last)
{
	Shape box = BoxOf(5, 0.5f, 5), drum = Cylinder(0.5f, 0.6f);
	for (int standing = 0; standing < 2; standing++) {
		Manifold first, m;
		for (int k = 0; k < 20; k++) {
			float x = 0.01f * (float)k;
			Xform t = standing ? Turned(x, 1.099f, 0, Y, 3.0 + 0.1 * k)
			                   : (Xform){{x, 0.999f, 0},
			                             QuatMul(Quat_FromAxisAngle(Z, -2.0 * x), Quat_FromAxisAngle(X, PI / 2))};
			Collide_Shapes(&box, HERE, &drum, t, 0.02f, &m);
			if (k == 0)
				first = m;
			ck_assert_int_eq(m.count, standing ? 4 : 2);
			for (int i = 0; i < m.count; i++) {
				int same = 0;
				for (int j = 0; j < first.count; j++)
					same += first.points[j].id == m.points[i].id;
				ck_assert_msg(same == 1, "standing %d, step %d: id %x is new", standing, k, m.points[i].id);
				ck_assert_float_eq_tol(m.points[i].separation, -0.001f, 2e-6f);
			}
		}
	}
}
END_TEST

Suite *suite_curved(void);
Suite *suite_curved(void)
{
	Suite *suite = suite_create("curved");
	TCase *tcase = tcase_create("curved");
	tcase_set_timeout(tcase, 120);
	tcase_add_test(tcase, known_contacts);
	tcase_add_test(tcase, coincident);
	tcase_add_loop_test(tcase, against_twin, 0, 6);
	tcase_add_test(tcase, distances);
	tcase_add_test(tcase, casts);
	tcase_add_test(tcase, ids_last);
	suite_add_tcase(suite, tcase);
	return suite;
}
