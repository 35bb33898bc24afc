/* Sweeps: known answers, and stepping along the motion. */
#include "collide_meshes.h"

static Xform At(float x, float y, float z)
{
	return (Xform){{x, y, z}, {0, 0, 0, 1}};
}

static const Xform HERE = {{0, 0, 0}, {0, 0, 0, 1}};
static const Vec3 X = {1, 0, 0}, Y = {0, 1, 0}, Z = {0, 0, 1};

static Shape Ball(float r)
{
	return (Shape){.kind = SHAPE_BALL, .radius = r};
}
static Shape Capsule(float r, float half)
{
	return (Shape){.kind = SHAPE_CAPSULE, .radius = r, .half_length = half};
}
static Shape BoxOf(float x, float y, float z)
{
	return (Shape){.kind = SHAPE_BOX, .half = {x, y, z}};
}

static Quat TurnPart(Quat q0, Quat q1, double t)
{
	Quat d = QuatMul(q1, QuatConj(q0));
	if (d.w < 0)
		d = (Quat){-d.x, -d.y, -d.z, -d.w};
	double sine = sqrt((double)(d.x * d.x + d.y * d.y + d.z * d.z));
	if (sine < 1e-9)
		return q0;
	double angle = 2.0 * Trig_Atan2(sine, (double)d.w) * t;
	Vec3 axis = V3((float)(d.x / sine), (float)(d.y / sine), (float)(d.z / sine));
	return QuatNormalize(QuatMul(Quat_FromAxisAngle(axis, angle), q0));
}

static Xform Between(Xform a, Xform b, double t)
{
	return (Xform){Lerp(a.p, b.p, (float)t), TurnPart(a.q, b.q, t)};
}

/* ---- straight: known answers ------------------------------------------------------------------------------------- */

static void ExpectHit(const char *what, Shape a, Xform ta, Shape b, Xform tb, Vec3 motion, float target,
                      double fraction, Vec3 normal)
{
	CastHit hit;
	ck_assert_msg(Collide_Cast(&a, ta, &b, tb, motion, target, &hit), "%s: missed", what);
	ck_assert_msg(AbsD(hit.fraction - fraction) < 2e-6 / P3Length(P3Of(motion)) + 1e-7, "%s: fraction %.9g, want %.9g",
	              what, hit.fraction, fraction);
	ck_assert_msg((double)hit.fraction <= fraction + 1e-9, "%s: fraction %.9g is past %.9g", what, hit.fraction,
	              fraction);
	ck_assert_msg(!hit.inside, "%s: inside", what);
	ck_assert_msg(Length(Sub(hit.normal, normal)) < 2e-5f, "%s: normal %g %g %g", what, hit.normal.x, hit.normal.y,
	              hit.normal.z);
}

static void ExpectMiss(const char *what, Shape a, Xform ta, Shape b, Xform tb, Vec3 motion, float target)
{
	CastHit hit;
	ck_assert_msg(!Collide_Cast(&a, ta, &b, tb, motion, target, &hit), "%s: hit at %g", what, hit.fraction);
}

START_TEST(known)
{
	Shape box = BoxOf(1, 1, 1), unit = BoxOf(0.5f, 0.5f, 0.5f);
	Xform diamond = {{0, 0, 0}, Quat_FromAxisAngle(Z, PI / 4)};
	float d = 0.70710678f;
	ExpectHit("ball on face", box, HERE, Ball(0.5f), At(0.2f, 5, 0.3f), V3(0, -10, 0), 0, 0.35, Y);
	ExpectHit("ball on face, target", box, HERE, Ball(0.5f), At(0.2f, 5, 0.3f), V3(0, -10, 0), 0.1f, 0.34, Y);
	ExpectHit("ball on ball", Ball(1), HERE, Ball(0.5f), At(-10, 0.9f, 0), V3(20, 0, 0), 0, 0.44, V3(-0.8f, 0.6f, 0));
	ExpectHit("box on box", box, HERE, unit, At(3, 0.3f, 0.1f), V3(-3, 0, 0), 0, 0.5, X);
	ExpectHit("box on box, slanting", box, HERE, unit, At(3, 0.3f, 0.1f), V3(-3, 0.6f, 0), 0, 0.5, X);
	ExpectHit("box on edge", box, diamond, unit, At(0, 4, 0.2f), V3(0, -4, 0), 0, (3.5 - sqrt(2.0)) / 4, Y);
	ExpectHit("ball on edge", box, HERE, Ball(0.5f), At(5, 1 + 0.3f, 0), V3(-10, 0, 0), 0, (4.0 - 0.4) / 10,
	          V3(0.8f, 0.6f, 0));
	ExpectHit("capsule on side", box, HERE, Capsule(0.25f, 2), At(4, 0, 0), V3(-10, 0, 0), 0, 0.275, X);
	ExpectHit("far and fast", unit, HERE, Ball(0.05f), At(0, 900, 0), V3(0, -1000, 0), 0, (900 - 0.55) / 1000, Y);
	ExpectHit("diagonal", box, diamond, Ball(1), At(10, 10, 0), V3(-10, -10, 0), 0, 1.0 - 2.0 / (10 * sqrt(2.0)),
	          V3(d, d, 0));
	ExpectMiss("short", box, HERE, Ball(0.5f), At(0, 5, 0), V3(0, -3.4f, 0), 0);
	ExpectMiss("beside", box, HERE, Ball(0.5f), At(5, 1.51f, 0), V3(-10, 0, 0), 0);
	ExpectMiss("away", box, HERE, Ball(0.5f), At(0, 1.6f, 0), V3(0, 10, 0), 0);
	ExpectMiss("no motion", box, HERE, Ball(0.5f), At(0, 1.6f, 0), V3(0, 0, 0), 0);
	ExpectMiss("along, within the target", box, HERE, unit, At(0, 1.501f, 0), V3(1, 0, 0), 0.01f);
	ExpectMiss("away, within the target", box, HERE, unit, At(0, 1.501f, 0), V3(0, 1, 0), 0.01f);
	ExpectHit("towards, within the target", box, HERE, unit, At(0, 1.501f, 0), V3(0, -1, 0), 0.01f, 0.0, Y);
}
END_TEST

START_TEST(starts_inside)
{
	CastHit hit;
	Shape box = BoxOf(1, 1, 1), ball = Ball(0.5f);
	ck_assert(Collide_Cast(&box, HERE, &ball, At(0, 1.4f, 0), V3(0, 5, 0), 0, &hit));
	ck_assert(hit.inside && hit.fraction == 0.0f);
	ck_assert_float_eq_tol(hit.normal.y, 1.0f, 1e-6f);
	ck_assert(Collide_Cast(&box, HERE, &ball, HERE, V3(0, 0, 0), 0, &hit));
	ck_assert(hit.inside && hit.fraction == 0.0f && Abs(Length(hit.normal) - 1.0f) < 1e-5f);
}
END_TEST

/* ---- straight: by stepping --------------------------------------------------------------------------------------- */

static float DistanceAt(const Shape *a, Xform ta, const Shape *b, Xform tb, Vec3 motion, double t)
{
	Xform now = tb;
	now.p = V3((float)(tb.p.x + t * motion.x), (float)(tb.p.y + t * motion.y), (float)(tb.p.z + t * motion.z));
	return Collide_Distance(a, ta, b, now).distance;
}

START_TEST(random_casts)
{
	Random r = {3};
	HullStock stock;
	HullStock_Make(&stock, &r);
	int hits = 0, misses = 0;
	for (int i = 0; i < 4000; i++) {
		Shape a = RandomShape(&r, &stock, (ShapeKind)(i % 4)), b = RandomShape(&r, &stock, (ShapeKind)(i / 4 % 4));
		Xform ta = RandomPlace(&r, 0.5, 0.5);
		Xform tb = RandomPlace(&r, 5, 5);
		Vec3 motion = Add(Scale(-2.0f, tb.p), RandomWay(&r, 0, 4));
		float target = i % 3 ? 0.0f : 0.05f;
		CastHit hit;
		bool did = Collide_Cast(&a, ta, &b, tb, motion, target, &hit);
		double end = did ? (double)hit.fraction : 1.0;
		for (int k = 0; k < 60; k++) {
			float d = DistanceAt(&a, ta, &b, tb, motion, end * k / 60.0);
			REQUIRE(d > target - 4e-6f, "cast %d: at %g of %g the distance is %g", i, end * k / 60.0, end, d);
		}
		hits += did;
		misses += !did;
		if (!did || hit.fraction == 0.0f)
			continue;
		float d = DistanceAt(&a, ta, &b, tb, motion, end);
		REQUIRE(Abs(d - target) < 6e-6f, "cast %d: distance %g at the hit", i, d);
		REQUIRE(Abs(Length(hit.normal) - 1.0f) < 1e-5f && Dot(hit.normal, motion) < 0.0f, "cast %d: normal", i);
		Xform now = {MulAdd(tb.p, hit.fraction, motion), tb.q};
		Shape point = Ball(1e-6f);
		REQUIRE(Collide_Distance(&a, ta, &point, (Xform){hit.point, HERE.q}).distance < 1e-5f, "cast %d: point off A",
		        i);
		REQUIRE(Collide_Distance(&b, now, &point, (Xform){hit.point, HERE.q}).distance < target + 2e-5f,
		        "cast %d: point off B", i);
	}
	ck_assert_msg(hits > 1500 && misses > 500, "%d hits, %d misses", hits, misses);
	HullStock_Free(&stock);
}
END_TEST

/* ---- straight: triangles ----------------------------------------------------------------------------------------- */

static Triangle Floor(void)
{
	return (Triangle){.v = {{-1, 0, -1}, {-1, 0, 3}, {3, 0, -1}}, .id = 1};
}

START_TEST(triangle_casts)
{
	Triangle floor = Floor();
	CastHit hit;
	Shape ball = Ball(0.5f), box = BoxOf(0.5f, 0.5f, 0.5f);
	ck_assert(Collide_CastTriangle(&floor, &ball, At(0, 2, 0), V3(0, -4, 0), 0, &hit));
	ck_assert_float_eq_tol(hit.fraction, 0.375f, 1e-6f);
	ck_assert_float_eq_tol(hit.normal.y, 1.0f, 1e-6f);
	ck_assert(Collide_CastTriangle(&floor, &box, At(0, 2, 0), V3(1, -4, 0), 0, &hit));
	ck_assert_float_eq_tol(hit.fraction, 0.375f, 1e-6f);
	ck_assert_float_eq_tol(hit.normal.y, 1.0f, 1e-5f);
	/* past the border */
	ck_assert(!Collide_CastTriangle(&floor, &ball, At(-2, 2, 0), V3(0, -4, 0), 0, &hit));
	/* from behind, away, along, beginning behind */
	ck_assert(!Collide_CastTriangle(&floor, &ball, At(0, -2, 0), V3(0, 4, 0), 0, &hit));
	ck_assert(!Collide_CastTriangle(&floor, &ball, At(0, 0.3f, 0), V3(0, 4, 0), 0, &hit));
	ck_assert(!Collide_CastTriangle(&floor, &ball, At(-5, 0.3f, 0), V3(9, 0, 0), 0, &hit));
	ck_assert(!Collide_CastTriangle(&floor, &ball, At(0, -0.1f, 0), V3(0, -4, 0), 0, &hit));
	/* overlapping at the start, going in */
	ck_assert(Collide_CastTriangle(&floor, &ball, At(0, 0.3f, 0), V3(0, -4, 0), 0, &hit));
	ck_assert(hit.inside && hit.fraction == 0.0f);
	ck_assert_float_eq(hit.normal.y, 1.0f);
	/* no area */
	Triangle line = {.v = {{-1, 0, 0}, {0, 0, 0}, {1, 0, 0}}};
	ck_assert(!Collide_CastTriangle(&line, &ball, At(0, 2, 0), V3(0, -4, 0), 0, &hit));
	Triangle point = {.v = {{1, 0, 0}, {1, 0, 0}, {1, 0, 0}}};
	ck_assert(!Collide_CastTriangle(&point, &ball, At(1, 2, 0), V3(0, -4, 0), 0, &hit));
	float time;
	ck_assert(!Collide_TriangleTimeOfImpact(&point, &ball, At(1, 2, 0), At(1, -2, 0), 0, &time));
}
END_TEST

START_TEST(thin_floor_holds)
{
	/* small and fast, straight and grazing: none gets through a floor of triangles */
	Random r = {4};
	for (int i = 0; i < 3000; i++) {
		Shape shape = i % 2 ? Ball(0.05f) : BoxOf(0.1f, 0.1f, 0.1f);
		float speed = i % 3 == 0 ? 50.0f : i % 3 == 1 ? 200.0f : 600.0f;
		double angle = i % 4 < 2 ? Random_Range(&r, 60, 90) : 5.0;
		Vec3 way = V3((float)Trig_Cos(angle * PI / 180), (float)-Trig_Sin(angle * PI / 180), 0);
		Xform at;
		at.p = RandomVec(&r, -0.3, 0);
		at.p.y = (float)Random_Range(&r, 0.2, 0.6);
		at.q = RandomTurn(&r);
		Vec3 motion = Scale(speed / 60.0f, way);
		Triangle halves[2] = {{.v = {{-20, 0, -20}, {-20, 0, 20}, {20, 0, 20}}},
		                      {.v = {{-20, 0, -20}, {20, 0, 20}, {20, 0, -20}}}};
		float first = 1.0f, impact = 1.0f, time;
		Xform to = {Add(at.p, motion), QuatIntegrate(at.q, V3(0.3f, 0.2f, 0.1f))};
		for (int k = 0; k < 2; k++) {
			CastHit hit;
			if (Collide_CastTriangle(&halves[k], &shape, at, motion, 0, &hit))
				first = Min(first, hit.fraction);
			if (Collide_TriangleTimeOfImpact(&halves[k], &shape, at, to, 0.0025f, &time))
				impact = Min(impact, time);
		}
		Xform stop = Between(at, to, (double)impact);
		Vec3 under = Rotate(stop.q, Shape_Support(&shape, InvRotate(stop.q, V3(0, -1, 0))));
		REQUIRE(stop.p.y + under.y > 0.0f, "shot %d: turning, it ends at %g", i, stop.p.y + under.y);
		REQUIRE(impact == 1.0f || stop.p.y + under.y < 0.003f, "shot %d: turning, it stops at %g", i,
		        stop.p.y + under.y);
		Vec3 low = Rotate(at.q, Shape_Support(&shape, InvRotate(at.q, V3(0, -1, 0))));
		float height = at.p.y + low.y + first * motion.y;
		REQUIRE(height > -1e-5f, "shot %d: ends at %g", i, height);
		bool should = at.p.y + low.y + motion.y < 0.0f;
		REQUIRE(!should || height < 1e-4f, "shot %d: stops at %g already", i, height);
	}
}
END_TEST

START_TEST(random_triangle_casts)
{
	Random r = {5};
	HullStock stock;
	HullStock_Make(&stock, &r);
	int hits = 0;
	for (int i = 0; i < 3000; i++) {
		Shape b = RandomShape(&r, &stock, (ShapeKind)(i % 4));
		Triangle t = {.id = 1};
		for (int k = 0; k < 3; k++)
			t.v[k] = RandomWay(&r, 0.3, 2.0);
		P3 n = Mesh_Normal(&t);
		Xform tb = RandomPlace(&r, 5, 5);
		Vec3 motion = Add(Scale(-2.0f, tb.p), RandomWay(&r, 0, 2));
		CastHit hit;
		bool did = Collide_CastTriangle(&t, &b, tb, motion, 0.0f, &hit);
		hits += did;
		REQUIRE(!did || P3Dot(n, P3Of(motion)) < 0.0, "cast %d: hit from behind", i);
		if (!did || hit.inside)
			continue;
		Xform now = tb;
		now.p = MulAdd(tb.p, hit.fraction, motion);
		float d = Collide_TriangleDistance(&t, &b, now).distance;
		REQUIRE(d < 8e-6f, "cast %d: distance %g at the hit", i, d);
		for (int k = 0; k < 40; k++) {
			now.p = MulAdd(tb.p, hit.fraction * (float)k / 40.0f, motion);
			REQUIRE(Collide_TriangleDistance(&t, &b, now).distance > 0.0f, "cast %d: already overlaps at %d of 40", i,
			        k);
		}
	}
	ck_assert_msg(hits > 500, "%d hits", hits);
	HullStock_Free(&stock);
}
END_TEST

/* ---- turning ----------------------------------------------------------------------------------------------------- */

START_TEST(turning_rod)
{
	/* a rod turns about z at the origin from along x; a ball stands at 60 degrees, 2 m out */
	Shape rod = Capsule(0.1f, 3), ball = Ball(0.2f);
	Quat along_x = Quat_FromAxisAngle(Z, -PI / 2);
	Xform t0 = {V3(0, 0, 0), along_x}, t1 = {V3(0, 0, 0), QuatMul(Quat_FromAxisAngle(Z, PI / 2), along_x)};
	float c = (float)Trig_Cos(PI / 3), s = (float)Trig_Sin(PI / 3), time;
	ck_assert(Collide_TimeOfImpact(&ball, At(2 * c, 2 * s, 0), &rod, t0, t1, 0.01f, &time));
	/* touches at the target when 2 sin(60 - angle) = 0.31 */
	double want = (PI / 3 - Trig_Asin(0.31 / 2)) / (PI / 2);
	ck_assert_msg((double)time <= want && (double)time > want - 1e-3, "time %g, want %g", time, want);
	/* the other way round, short way: a quaternion's sign does not matter */
	t1.q = (Quat){-t1.q.x, -t1.q.y, -t1.q.z, -t1.q.w};
	float again;
	ck_assert(Collide_TimeOfImpact(&ball, At(2 * c, 2 * s, 0), &rod, t0, t1, 0.01f, &again));
	ck_assert_float_eq_tol(time, again, 1e-6f);
	/* within the target at once */
	ck_assert(Collide_TimeOfImpact(&ball, At(2, 0.305f, 0), &rod, t0, t1, 0.01f, &time));
	ck_assert_float_eq(time, 0.0f);
	/* out of reach */
	ck_assert(!Collide_TimeOfImpact(&ball, At(4 * c, 4 * s, 0), &rod, t0, t1, 0.01f, &time));
}
END_TEST

START_TEST(random_impacts)
{
	Random r = {6};
	HullStock stock;
	HullStock_Make(&stock, &r);
	int hits = 0, misses = 0, short_of = 0;
	float target = 0.005f;
	for (int i = 0; i < 3000; i++) {
		Shape a = RandomShape(&r, &stock, (ShapeKind)(i % 4)), b = RandomShape(&r, &stock, (ShapeKind)(i / 4 % 4));
		Xform ta = RandomPlace(&r, 0.5, 0.5);
		Xform t0 = RandomPlace(&r, 5, 5), t1;
		t1.p = Add(Neg(t0.p), RandomWay(&r, 0, 4));
		Vec3 axis = RandomDirection(&r);
		t1.q = QuatMul(Quat_FromAxisAngle(axis, Random_Range(&r, 0, 2.5)), t0.q);
		float time;
		bool did = Collide_TimeOfImpact(&a, ta, &b, t0, t1, target, &time);
		double end = did ? (double)time : 1.0;
		for (int k = 0; k < 50 && end > 0.0; k++) {
			float d = Collide_Distance(&a, ta, &b, Between(t0, t1, end * k / 50.0)).distance;
			REQUIRE(d > target - 2e-5f, "sweep %d: at %g of %g the distance is %g", i, end * k / 50.0, end, d);
		}
		hits += did;
		misses += !did;
		float d = Collide_Distance(&a, ta, &b, Between(t0, t1, end)).distance;
		if (did && time > 0.0f && d > target + 3e-4f)
			short_of++; /* cut off in a graze: allowed, seldom */
	}
	ck_assert_msg(hits > 1000 && misses > 300, "%d hits, %d misses", hits, misses);
	ck_assert_msg(short_of < 15, "%d of %d stopped short", short_of, hits);
	HullStock_Free(&stock);
}
END_TEST

/* ---- sliding is no impact ---------------------------------------------------------------------------------------- */

static float Level(float x, float z)
{
	(void)x, (void)z;
	return 0.0f;
}

START_TEST(sliding_is_no_impact)
{
	/* fast along a flat floor of triangles, touching it: none of them stops it. A wall and a landing do. */
	Mesh mesh = {0};
	Mesh_AddGrid(&mesh, Level, -2, -2, 0.25f, 64, 16, DIAGONAL_MIXED);
	Mesh_SetEdges(&mesh);
	Random r = {8};
	Shape shapes[] = {BoxOf(0.3f, 0.2f, 0.4f), Ball(0.25f), Capsule(0.2f, 0.3f)};
	for (int i = 0; i < 300; i++) {
		const Shape *shape = &shapes[i % 3];
		Quat q = Quat_FromAxisAngle(Y, Random_Range(&r, -3, 3));
		float low = Shape_Support(shape, V3(0, -1, 0)).y;
		Xform t0 = {V3((float)Random_Range(&r, -1, 0), -low, 0), q};
		t0.p.y += (float)Random_Range(&r, -0.005, 0.002);
		Xform t1 = {Add(t0.p, V3((float)Random_Range(&r, 1, 9), -0.003f, 0.2f)),
		            QuatMul(Quat_FromAxisAngle(Y, 0.2), q)};
		for (int k = 0; k < mesh.count; k++) {
			float time;
			bool did = Collide_TriangleTimeOfImpact(&mesh.triangles[k], shape, t0, t1, 0.0025f, &time);
			REQUIRE(!did || time == 0.0f, "slide %d: stopped at %g by triangle %d", i, time, k);
		}
		/* a wall across the way */
		Triangle wall = {.v = {{4, -3, -5}, {4, -3, 5}, {4, 8, 0}}, .edge = {EDGE_CONVEX, EDGE_CONVEX, EDGE_CONVEX}};
		float time, front = Rotate(t0.q, Shape_Support(shape, InvRotate(t0.q, X))).x;
		Xform through = {Add(t0.p, V3(9, 0, 0)), t0.q};
		REQUIRE(Collide_TriangleTimeOfImpact(&wall, shape, t0, through, 0.0025f, &time), "slide %d: through the wall",
		        i);
		double want = (4.0 - 0.0025 - (double)(t0.p.x + front)) / 9.0;
		REQUIRE(AbsD((double)time - want) < 1e-4 && (double)time < want + 1e-6, "slide %d: wall at %g, want %g", i,
		        time, want);
		/* falling onto the floor */
		Xform high = {V3(0.1f, 2, 0.1f), t0.q}, below = {V3(0.7f, -2, 0.1f), t0.q};
		float first = 1.0f;
		for (int k = 0; k < mesh.count; k++)
			if (Collide_TriangleTimeOfImpact(&mesh.triangles[k], shape, high, below, 0.0025f, &time))
				first = Min(first, time);
		want = (2.0 + (double)low - 0.0025) / 4.0;
		REQUIRE(AbsD((double)first - want) < 1e-4 && (double)first < want + 1e-6, "slide %d: floor at %g, want %g", i,
		        first, want);
	}
	Mesh_Free(&mesh);
}
END_TEST

Suite *suite_cast(void);
Suite *suite_cast(void)
{
	Suite *suite = suite_create("cast");
	TCase *straight = tcase_create("straight");
	tcase_set_timeout(straight, 60);
	tcase_add_test(straight, known);
	tcase_add_test(straight, starts_inside);
	tcase_add_test(straight, random_casts);
	tcase_add_test(straight, triangle_casts);
	tcase_add_test(straight, thin_floor_holds);
	tcase_add_test(straight, random_triangle_casts);
	suite_add_tcase(suite, straight);
	TCase *turning = tcase_create("turning");
	tcase_set_timeout(turning, 60);
	tcase_add_test(turning, turning_rod);
	tcase_add_test(turning, random_impacts);
	tcase_add_test(turning, sliding_is_no_impact);
	suite_add_tcase(suite, turning);
	return suite;
}
