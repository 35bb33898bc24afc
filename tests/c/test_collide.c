/* Pairs of shapes: contact, distance. Known answers, and all-features twins in double on random pairs. */
#include "collide_expect.h"
#include "collide_twins.h"

START_TEST(round_shapes)
{
	float d = 0.70710678f;
	Expect("balls apart", Ball(1), HERE, Ball(0.5f), At(0, 1.6f, 0), 0, Y, 0);
	Expect("balls in margin", Ball(1), HERE, Ball(0.5f), At(0, 1.51f, 0), 1, Y, 0.01);
	Expect("balls deep", Ball(1), HERE, Ball(0.5f), At(0.3f, 0, 0.4f), 1, V3(0.6f, 0, 0.8f), -1.0);
	Expect("ball, capsule side", Capsule(0.5f, 1), HERE, Ball(0.25f), At(0.7f, 0.9f, 0), 1, X, -0.05);
	Expect("ball, capsule end", Capsule(0.5f, 1), HERE, Ball(0.25f), At(0, 1.7f, 0), 1, Y, -0.05);
	Expect("capsules crossed", Capsule(0.5f, 1), HERE, Capsule(0.25f, 2), Turned(0.7f, 0.2f, 0.1f, X, 90), 1, X, -0.05);
	Expect("capsules side by side", Capsule(0.5f, 1), HERE, Capsule(0.25f, 2), At(0, 0.3f, 0.74f), 2, Z, -0.01);
	Expect("capsules end to end", Capsule(0.5f, 1), HERE, Capsule(0.25f, 2), At(0, 3.7f, 0), 1, Y, -0.05);
	Expect("capsules end to side", Capsule(0.5f, 1), HERE, Capsule(0.25f, 2), Turned(2.7f, 0.2f, 0, Z, 90), 1, X,
	       -0.05);
	Expect("capsules at an angle", Capsule(0.5f, 1), HERE, Capsule(0.5f, 1), Turned(d, 1 + d, 0, Z, 45), 1, V3(d, d, 0),
	       0.0);
	Expect("capsules through each other", Capsule(0.5f, 1), HERE, Capsule(0.25f, 2), Turned(1e-4f, 0.2f, 0, X, 90), 1,
	       X, -0.7499);
}
END_TEST

START_TEST(round_on_boxes)
{
	Shape box = BoxOf(1, 2, 3);
	float d = 0.70710678f, c = 0.57735027f;
	Expect("ball on face", box, HERE, Ball(0.5f), At(0.3f, 2.4f, -2.5f), 1, Y, -0.1);
	Expect("ball at edge", box, HERE, Ball(0.5f), At(1 + 0.3f, 2 + 0.3f, 1), 1, V3(d, d, 0), 0.42426407 - 0.5);
	Expect("ball at corner", box, HERE, Ball(0.5f), At(1.2f, 2.2f, -3.2f), 1, V3(c, c, -c), 0.34641016 - 0.5);
	Expect("ball off corner", box, HERE, Ball(0.3f), At(1.2f, 2.2f, 3.2f), 0, X, 0);
	Expect("ball inside", box, HERE, Ball(0.5f), At(0.9f, 1.5f, 0.3f), 1, X, -0.6);
	Expect("ball centred on face", box, HERE, Ball(0.5f), At(1.0f, 1.5f, 0.3f), 1, X, -0.5);
	Expect("capsule on face", box, HERE, Capsule(0.5f, 0.6f), Turned(0.2f, 2.45f, -2, Z, 90), 2, Y, -0.05);
	Expect("capsule over the edge", box, HERE, Capsule(0.5f, 2), Turned(1.5f, 2.45f, 0, Z, 90), 2, Y, -0.05);
	Expect("capsule upright", box, HERE, Capsule(0.5f, 0.6f), At(0.2f, 3.05f, 0), 1, Y, -0.05);
	Expect("capsule along edge", box, HERE, Capsule(0.5f, 1), Turned(1.3f, 2.3f, 0.5f, X, 90), 2, V3(d, d, 0),
	       0.42426407 - 0.5);
	Expect("capsule across edge", box, HERE, Capsule(0.5f, 1), Turned(1.3f, 2.3f, 0.5f, Z, 45), 1, V3(d, d, 0),
	       0.42426407 - 0.5);
	Expect("capsule through face", box, HERE, Capsule(0.5f, 1), At(0.2f, 2.5f, 0), 1, Y, -1.0);
	Expect("capsule lying inside", box, HERE, Capsule(0.5f, 0.3f), Turned(0.6f, 1, 0, X, 90), 2, X, -0.9);
	/* its axis cuts the edge x = 1, y = 2 at a depth of 0.1 along the diagonal */
	float in = 0.1f * d;
	Expect("capsule through edge", box, HERE, Capsule(0.25f, 1), Turned(1 - in, 2 - in, 0, Z, 45), 1, V3(d, d, 0),
	       -0.35);
	Expect("capsule without length", box, HERE, Capsule(0.5f, 0), At(0.3f, 2.4f, -2.5f), 1, Y, -0.1);
}
END_TEST

START_TEST(boxes)
{
	Shape one = BoxOf(0.5f, 0.5f, 0.5f);
	float d = 0.70710678f;
	Expect("stacked", one, HERE, one, At(0.2f, 0.99f, -0.1f), 4, Y, -0.01);
	Expect("just touching", one, HERE, one, At(0.2f, 1.0f, -0.1f), 4, Y, 0.0);
	Expect("in margin", one, HERE, one, At(-1.01f, 0.3f, 0.1f), 4, V3(-1, 0, 0), 0.01);
	Expect("apart", one, HERE, one, At(0, 1.03f, 0), 0, Y, 0);
	Expect("turned on top", one, HERE, one, Turned(0, 0.99f, 0, Y, 45), 4, Y, -0.01);
	Expect("on edge", one, HERE, one, Turned(0.1f, 0.5f + d - 0.01f, 0.1f, Z, 45), 2, Y, -0.01);
	/* two edges that cross: A's along z at (.5,.5), B's along x after a turn about y */
	Shape bar = BoxOf(2, 0.5f, 0.5f);
	Quat q = QuatMul(Quat_FromAxisAngle(Y, PI / 2), Quat_FromAxisAngle(X, PI / 4));
	Expect("crossed edges", bar, Turned(0, 0, 0, X, 45), bar, (Xform){{0, 2 * d - 0.01f, 0}, q}, 1, Y, -0.01);
	Expect("small on large", BoxOf(50, 1, 50), HERE, one, At(20, 1.495f, -30), 4, Y, -0.005);
	Expect("needle on plate", BoxOf(5, 0.005f, 5), HERE, BoxOf(1, 0.001f, 0.001f), At(0.3f, 0.0059f, 0.2f), 4, Y,
	       -0.0001);
}
END_TEST

START_TEST(corner_to_corner)
{
	/* apart along a diagonal, no face sees the other: the nearest points, if near */
	Shape one = BoxOf(0.5f, 0.5f, 0.5f);
	Manifold m;
	Collide_Shapes(&one, HERE, &one, At(1.01f, 1.01f, 1.01f), 0.02f, &m);
	ck_assert_int_eq(m.count, 1);
	ck_assert_float_eq_tol(m.points[0].separation, 0.0173205f, 1e-6f);
	ck_assert_float_eq_tol(m.normal.x, 0.5773503f, 1e-4f);
	Collide_Shapes(&one, HERE, &one, At(1.015f, 1.015f, 1.015f), 0.02f, &m);
	ck_assert_int_eq(m.count, 0);
}
END_TEST

START_TEST(hulls_are_boxes)
{
	/* a hull with the corners of a box behaves as the box */
	Random r = {11};
	Memory memory;
	Memory_Init(&memory, NULL, NULL);
	for (int i = 0; i < 3000; i++) {
		Vec3 ha = RandomSizes(&r, 0.1, 2);
		Vec3 hb = RandomSizes(&r, 0.1, 2);
		Shape box_a = {.kind = SHAPE_BOX, .half = ha}, box_b = {.kind = SHAPE_BOX, .half = hb};
		Shape hull_a = {.kind = SHAPE_HULL, .hull = Hull_CreateBox(&memory, ha)};
		Shape hull_b = {.kind = SHAPE_HULL, .hull = Hull_CreateBox(&memory, hb)};
		Xform ta = RandomPlace(&r, 0.3, 0.3);
		Xform tb = RandomPlace(&r, 0, 3);
		Manifold want, got;
		Collide_Shapes(&box_a, ta, &box_b, tb, 0.02f, &want);
		for (int k = 1; k < 4; k++) {
			Collide_Shapes(k & 1 ? &hull_a : &box_a, ta, k & 2 ? &hull_b : &box_b, tb, 0.02f, &got);
			REQUIRE((want.count == 0) == (got.count == 0), "pair %d: %d and %d points", i, want.count, got.count);
			REQUIRE(want.count == 0 || Abs(Deepest(&want) - Deepest(&got)) < 6e-4f, "pair %d: depth %g and %g", i,
			        Deepest(&want), Deepest(&got));
		}
		Hull_Destroy(&memory, (Hull *)hull_a.hull);
		Hull_Destroy(&memory, (Hull *)hull_b.hull);
	}
}
END_TEST

/* ---- random pairs ------------------------------------------------------------------------------------------------ */

static Twin twin_a, twin_b, moved;

/* b's centre so far away that the pair overlaps or nearly does in most cases */
static Xform PlaceNear(Random *r, const Shape *a, const Shape *b)
{
	float reach = Shape_OuterRadius(a) + Shape_OuterRadius(b);
	return RandomPlace(r, 0.0, 0.9 * (double)reach);
}

START_TEST(distances)
{
	Random r = {21};
	HullStock stock;
	HullStock_Make(&stock, &r);
	int apart = 0, overlap = 0;
	for (int i = 0; i < 20000; i++) {
		Shape a = RandomShape(&r, &stock, (ShapeKind)(i % 4)), b = RandomShape(&r, &stock, (ShapeKind)(i / 4 % 4));
		Xform ta = RandomPlace(&r, 0.5, 0.5), tb = PlaceNear(&r, &a, &b);
		Twin_OfShape(&twin_a, &a, ta);
		Twin_OfShape(&twin_b, &b, tb);
		double want = Twin_Separation(&twin_a, &twin_b);
		Separation s = Collide_Distance(&a, ta, &b, tb);
		bool overlaps = Collide_Overlap(&a, ta, &b, tb);
		REQUIRE(AbsD(MaxD(want, 0.0) - (double)s.distance) < 2e-6, "pair %d: %.9g, twin %.9g", i, s.distance, want);
		REQUIRE(AbsD(want) < 1e-6 || overlaps == (want < 0.0), "pair %d: overlap %d, twin %.9g", i, overlaps, want);
		apart += want > 1e-6;
		overlap += want < -1e-6;
		P3 pa = P3Of(s.point_a), pb = P3Of(s.point_b);
		REQUIRE(Twin_PointOutside(&twin_a, pa) < 3e-6 && Twin_PointOutside(&twin_b, pb) < 3e-6,
		        "pair %d: a nearest point is not in its shape: %g %g", i, Twin_PointOutside(&twin_a, pa),
		        Twin_PointOutside(&twin_b, pb));
		if (want < 1e-4)
			continue;
		REQUIRE(AbsD(P3Length(P3Of(s.normal)) - 1.0) < 1e-5, "pair %d: normal", i);
		P3 gap = P3Sub(P3Sub(pb, pa), P3Add((P3){0, 0, 0}, (double)s.distance, P3Of(s.normal)));
		REQUIRE(P3Length(gap) < 1e-5, "pair %d: points %g off the normal", i, P3Length(gap));
	}
	ck_assert_msg(apart > 4000 && overlap > 4000, "%d apart, %d overlapping", apart, overlap);
	HullStock_Free(&stock);
}
END_TEST

START_TEST(manifolds)
{
	Random r = {31};
	HullStock stock;
	HullStock_Make(&stock, &r);
	int touching = 0, four = 0;
	float margin = 0.02f;
	for (int i = 0; i < 100000; i++) {
		Shape a = RandomShape(&r, &stock, (ShapeKind)(i % 4)), b = RandomShape(&r, &stock, (ShapeKind)(i / 4 % 4));
		Xform ta = RandomPlace(&r, 0.5, 0.5), tb = PlaceNear(&r, &a, &b);
		Manifold m, back;
		Collide_Shapes(&a, ta, &b, tb, margin, &m);
		Collide_Shapes(&b, tb, &a, ta, margin, &back);
		Twin_OfShape(&twin_a, &a, ta);
		Twin_OfShape(&twin_b, &b, tb);
		double want = Twin_Separation(&twin_a, &twin_b);
		REQUIRE(AbsD(want - (double)margin) < 1e-5 || (m.count > 0) == (want < (double)margin) ||
		            (want > 0.0 && m.count > 0),
		        "pair %d: %d points at separation %g", i, m.count, want);
		REQUIRE((m.count == 0) == (back.count == 0) || AbsD(want - (double)margin) < 1e-3, "pair %d: not symmetric", i);
		if (m.count == 0)
			continue;
		touching++;
		four += m.count == 4;
		double got = (double)Deepest(&m);
		REQUIRE(AbsD(P3Length(P3Of(m.normal)) - 1.0) < 1e-5, "pair %d: normal is %g long", i, P3Length(P3Of(m.normal)));
		/* the least push, up to the preference for faces; apart, what lies over the face that looks at the other */
		REQUIRE(got <= want + 1e-3 || want > 0.0, "pair %d (kinds %d %d): %g shallower than the twin's %g", i, a.kind,
		        b.kind, got, want);
		REQUIRE(got >= want - 6e-4 || want > 0.0, "pair %d: %g deeper than the twin's %g", i, got, want);
		moved = twin_b;
		Twin_Shift(&moved, P3Add((P3){0, 0, 0}, -got, P3Of(m.normal)));
		double left = Twin_Separation(&twin_a, &moved);
		REQUIRE(left > -1e-3, "pair %d (kinds %d %d): %g left after a push of %g (twin %g)", i, a.kind, b.kind, left,
		        -got, want);
		for (int k = 0; k < m.count; k++) {
			P3 p = P3Of(m.points[k].point);
			double out_a = Twin_PointOutside(&twin_a, p), out_b = Twin_PointOutside(&twin_b, p);
			double room = 0.5 * AbsD((double)m.points[k].separation) + 1e-3 + 0.01 * (double)Max(a.radius, b.radius);
			REQUIRE(out_a < room && out_b < room, "pair %d (kinds %d %d): point %d is %g and %g outside", i, a.kind,
			        b.kind, k, out_a, out_b);
			REQUIRE(m.points[k].separation <= margin, "pair %d: point %d beyond the margin", i, k);
			for (int j = 0; j < k; j++)
				REQUIRE(m.points[j].id != m.points[k].id, "pair %d: two points with one id", i);
		}
		/* swapped: as deep, and where there is one best way out, the same way */
		REQUIRE(AbsD(got - (double)Deepest(&back)) < 1.2e-3 || want > 0.0, "pair %d: %g, swapped %g", i, got,
		        Deepest(&back));
	}
	ck_assert_msg(touching > 30000 && four > 2000, "%d touching, %d with four points", touching, four);
	HullStock_Free(&stock);
}
END_TEST

START_TEST(degenerate)
{
	Random r = {41};
	HullStock stock;
	HullStock_Make(&stock, &r);
	/* the same place and turn; one inside the other; sizes from needles to plates */
	Shape shapes[] = {Ball(0.5f),
	                  Ball(1e-3f),
	                  Capsule(0.5f, 0),
	                  Capsule(0.1f, 3),
	                  BoxOf(1, 1e-3f, 1e-3f),
	                  BoxOf(1e-3f, 1, 1),
	                  BoxOf(0.5f, 0.5f, 0.5f),
	                  BoxOf(0.01f, 10, 0.01f),
	                  (Shape){.kind = SHAPE_HULL, .hull = stock.hull[0]},
	                  (Shape){.kind = SHAPE_HULL, .hull = stock.hull[5]}};
	for (int i = 0; i < COUNT_OF(shapes); i++)
		for (int j = 0; j < COUNT_OF(shapes); j++)
			for (int k = 0; k < 40; k++) {
				Xform ta = {V3(0, 0, 0), k < 4 ? QuatIdentity() : RandomOrAlignedTurn(&r)};
				Xform tb = {V3(0, 0, 0), k < 2 ? ta.q : RandomOrAlignedTurn(&r)};
				if (k % 2)
					tb.p = RandomWay(&r, 1e-9, 1e-3);
				Manifold m;
				Collide_Shapes(&shapes[i], ta, &shapes[j], tb, 0.02f, &m);
				Twin_OfShape(&twin_a, &shapes[i], ta);
				Twin_OfShape(&twin_b, &shapes[j], tb);
				double got = (double)Deepest(&m), want = Twin_Separation(&twin_a, &twin_b);
				if (want > 0.0) /* hulls need not hold their origin */
					continue;
				REQUIRE(m.count > 0, "shapes %d %d, %d: no contact", i, j, k);
				REQUIRE(Abs(Length(m.normal) - 1.0f) < 1e-5f, "shapes %d %d, %d: normal", i, j, k);
				REQUIRE(AbsD(got - want) < 1e-3 + 0.01 * AbsD(want), "shapes %d %d, %d: depth %g, twin %g", i, j, k,
				        got, want);
				for (int p = 0; p < m.count; p++)
					REQUIRE(IsFinite((double)Length(m.points[p].point)), "shapes %d %d, %d: point", i, j, k);
			}
	HullStock_Free(&stock);
}
END_TEST

START_TEST(scales)
{
	/* the same pairs at 1 cm and at 1 km: the same to a millionth of the size */
	Random r = {51};
	HullStock stock;
	HullStock_Make(&stock, &r);
	for (int i = 0; i < 3000; i++) {
		ShapeKind kinds[3] = {SHAPE_BALL, SHAPE_CAPSULE, SHAPE_BOX};
		Shape a = RandomShape(&r, &stock, kinds[i % 3]), b = RandomShape(&r, &stock, kinds[i / 3 % 3]);
		Xform ta = RandomPlace(&r, 0.5, 0.5), tb = PlaceNear(&r, &a, &b);
		float scale = i % 2 ? 0.01f : 1000.0f;
		Shape big_a = a, big_b = b;
		for (int side = 0; side < 2; side++) {
			Shape *s = side ? &big_b : &big_a;
			s->radius *= scale;
			s->half_length *= scale;
			s->half = Scale(scale, s->half);
		}
		Xform big_ta = {Scale(scale, ta.p), ta.q}, big_tb = {Scale(scale, tb.p), tb.q};
		Separation want = Collide_Distance(&a, ta, &b, tb), got = Collide_Distance(&big_a, big_ta, &big_b, big_tb);
		REQUIRE(Abs(got.distance / scale - want.distance) < 1e-6f, "pair %d: distance %g, %g", i, got.distance / scale,
		        want.distance);
		Manifold m, big;
		Collide_Shapes(&a, ta, &b, tb, 0.02f, &m);
		Collide_Shapes(&big_a, big_ta, &big_b, big_tb, 0.02f * scale, &big);
		REQUIRE((m.count > 0) == (big.count > 0) || Abs(want.distance - 0.02f) < 1e-3f, "pair %d: %d, %d points", i,
		        m.count, big.count);
		REQUIRE(m.count == 0 || big.count == 0 || Abs(Deepest(&big) / scale - Deepest(&m)) < 1e-3f, "pair %d: %g, %g",
		        i, Deepest(&big) / scale, Deepest(&m));
	}
	HullStock_Free(&stock);
}
END_TEST

/* ---- manifolds that last ----------------------------------------------------------------------------------------- */

static bool SameIds(const Manifold *a, const Manifold *b)
{
	if (a->count != b->count)
		return false;
	for (int i = 0; i < a->count; i++) {
		bool found = false;
		for (int j = 0; j < b->count; j++)
			found = found || a->points[i].id == b->points[j].id;
		if (!found)
			return false;
	}
	return true;
}

START_TEST(ids_last)
{
	/* a body that rests, trembling by tenths of a millimetre, keeps its points */
	Random r = {61};
	HullStock stock;
	HullStock_Make(&stock, &r);
	for (int i = 0; i < 200; i++) {
		Shape ground = BoxOf(3, 0.5f, 3), body = i % 2 ? BoxOf(0.5f, 0.4f, 0.7f) : Capsule(0.3f, 0.6f);
		double yaw = Random_Range(&r, 5, 40);
		Quat q = Quat_FromAxisAngle(Y, yaw * PI / 180.0);
		if (body.kind == SHAPE_CAPSULE)
			q = QuatMul(q, Quat_FromAxisAngle(Z, PI / 2));
		float height = 0.5f + (body.kind == SHAPE_CAPSULE ? 0.3f : 0.4f) - 0.002f;
		Xform t = {RandomVec(&r, -1, 1), q};
		t.p.y = height;
		Manifold first, m;
		Collide_Shapes(&ground, HERE, &body, t, 0.02f, &first);
		ck_assert_int_eq(first.count, body.kind == SHAPE_CAPSULE ? 2 : 4);
		for (int k = 0; k < 20; k++) {
			Xform now = t;
			now.p = Add(t.p, Scale(1e-4f, RandomDirection(&r)));
			now.q = QuatIntegrate(t.q, Scale(1e-4f, RandomDirection(&r)));
			Collide_Shapes(&ground, HERE, &body, now, 0.02f, &m);
			REQUIRE(SameIds(&first, &m), "body %d, step %d: the points changed", i, k);
		}
	}
	HullStock_Free(&stock);
}
END_TEST

START_TEST(landing_points)
{
	/* two bars touch with one pair of edges, tilted a little: with a wide margin, what they would land on is known too
	 */
	Shape bar = BoxOf(1, 0.3f, 0.3f);
	Random r = {65};
	int more = 0;
	for (int i = 0; i < 300; i++) {
		Quat yaw = Quat_FromAxisAngle(Y, Random_Range(&r, 0.3, 1.2));
		Quat q = QuatMul(yaw, Quat_FromAxisAngle(X, Random_Range(&r, 0.1, 0.5)));
		Manifold m;
		float lift = 0.0f;
		for (; lift < 1.5f; lift += 0.002f) {
			Collide_Shapes(&bar, HERE, &bar, (Xform){{0.1f, lift, 0.05f}, q}, 0.0f, &m);
			if (m.count == 0)
				break;
		}
		Collide_Shapes(&bar, HERE, &bar, (Xform){{0.1f, lift - 0.004f, 0.05f}, q}, 0.3f, &m);
		ck_assert_int_ge(m.count, 1);
		for (int k = 1; k < m.count; k++) {
			REQUIRE(m.points[k].separation >= Deepest(&m) && m.points[k].separation <= 0.3f, "bars %d: point %d", i, k);
			REQUIRE(Deepest(&m) > -0.02f, "bars %d: %g deep", i, Deepest(&m));
		}
		more += m.count > 1;
	}
	ck_assert_msg(more > 250, "%d of 300 have more than one point", more);
	/* capsules at an angle: one end touches, the other will */
	Shape a = Capsule(0.2f, 1), b = Capsule(0.2f, 0.8f);
	Manifold m;
	Xform t = {{0.45f, -0.1f, 0}, Quat_FromAxisAngle(Z, -0.1)};
	Collide_Shapes(&a, HERE, &b, t, 0.3f, &m);
	ck_assert_int_ge(m.count, 2);
	Shape plate = BoxOf(2, 0.5f, 2);
	t = (Xform){{0, 0.8f, 0}, Quat_FromAxisAngle(Z, PI / 2 - 0.1)};
	Collide_Shapes(&plate, HERE, &b, t, 0.3f, &m);
	ck_assert_int_eq(m.count, 2);
	ck_assert(Abs(m.points[0].separation - m.points[1].separation) > 0.1f);
}
END_TEST

START_TEST(large_area)
{
	/* an octagon of contact: two squares turned by 45 degrees. Four points must span most of it. */
	Random r = {71};
	for (int i = 0; i < 500; i++) {
		Shape a = BoxOf(1, 0.5f, 1), b = BoxOf(1, 0.5f, 1);
		Quat q = Quat_FromAxisAngle(Y, Random_Range(&r, 0.1, 1.4));
		q = QuatIntegrate(q, Scale(1e-3f, RandomDirection(&r)));
		Xform t = {V3(0.05f, 0.99f, 0.02f), q};
		Manifold m;
		Collide_Shapes(&a, HERE, &b, t, 0.02f, &m);
		ck_assert_int_eq(m.count, 4);
		/* order them around their middle */
		Vec3 mid = V3(0, 0, 0);
		for (int k = 0; k < 4; k++)
			mid = Add(mid, Scale(0.25f, m.points[k].point));
		double area = 0.0;
		for (int k = 0; k < 4; k++)
			for (int j = 0; j < 4; j++) {
				/* j follows k when no other lies between them: try all, keep the hull's area through signed triangles
				 */
				Vec3 u = Sub(m.points[k].point, mid), v = Sub(m.points[j].point, mid);
				double cross = (double)(u.z * v.x - u.x * v.z);
				bool next = cross > 0.0;
				for (int l = 0; l < 4 && next; l++) {
					Vec3 w = Sub(m.points[l].point, mid);
					if (l != k && l != j && u.z * w.x - u.x * w.z > 0.0f && w.z * v.x - w.x * v.z > 0.0f)
						next = false;
				}
				area += next ? 0.5 * cross : 0.0;
			}
		REQUIRE(area > 1.9, "case %d: area %g of at most 4", i, area);
	}
}
END_TEST

Suite *suite_collide(void);
Suite *suite_collide(void)
{
	Suite *suite = suite_create("collide");
	TCase *known = tcase_create("known answers");
	tcase_add_test(known, round_shapes);
	tcase_add_test(known, round_on_boxes);
	tcase_add_test(known, boxes);
	tcase_add_test(known, corner_to_corner);
	tcase_add_test(known, hulls_are_boxes);
	suite_add_tcase(suite, known);
	TCase *twins = tcase_create("twins");
	tcase_set_timeout(twins, 120);
	tcase_add_test(twins, distances);
	tcase_add_test(twins, manifolds);
	tcase_add_test(twins, degenerate);
	tcase_add_test(twins, scales);
	suite_add_tcase(suite, twins);
	TCase *lasting = tcase_create("lasting manifolds");
	tcase_add_test(lasting, ids_last);
	tcase_add_test(lasting, landing_points);
	tcase_add_test(lasting, large_area);
	suite_add_tcase(suite, lasting);
	return suite;
}
