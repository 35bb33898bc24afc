/* Shapes: masses against closed forms, support points and bounds against brute force. */
#include "random_shapes.h"
#include "test_scale.h"

/* ---- mass ----------------------------------------------------------------------------------------------------- */

static void CheckMat(const char *what, Mat3 m, const double e[6], double tolerance)
{
	const float got[9] = {m.cx.x, m.cy.y, m.cz.z, m.cx.y, m.cx.z, m.cy.z, m.cy.x, m.cz.x, m.cz.y};
	for (int i = 0; i < 9; i++) {
		double expected = e[i < 6 ? i : i - 3];
		REQUIRE(fabs((double)got[i] - expected) <= tolerance, "%s: inertia entry %d is %.9g, expected %.9g", what, i,
		        got[i], expected);
	}
}

/* expected: mass, centre, xx yy zz xy xz yz */
static void CheckMass(const char *what, MassProps m, const double e[10], double tolerance)
{
	const double t = tolerance * (1.0 + e[0]);
	REQUIRE(fabs((double)m.mass - e[0]) <= t, "%s: mass %.9g, expected %.9g", what, m.mass, e[0]);
	REQUIRE(fabs((double)m.center.x - e[1]) <= tolerance && fabs((double)m.center.y - e[2]) <= tolerance &&
	            fabs((double)m.center.z - e[3]) <= tolerance,
	        "%s: centre (%.9g %.9g %.9g), expected (%.9g %.9g %.9g)", what, m.center.x, m.center.y, m.center.z, e[1],
	        e[2], e[3]);
	CheckMat(what, m.inertia, e + 4, t);
}

/* A solid of revolution about Y by Gauss-Legendre slices: radius squared as a function of y. */
static void SliceCapsule(double r, double h, double density, double e[10])
{
	static const double node[4] = {0.1834346424956498, 0.5255324099163290, 0.7966664774136267, 0.9602898564975363};
	static const double weight[4] = {0.3626837833783620, 0.3137066458778873, 0.2223810344533745, 0.1012285362903763};
	const double cuts[4] = {-h - r, -h, h, h + r};
	double mass = 0, along = 0, across = 0;
	for (int k = 0; k < 3; k++)
		for (int i = 0; i < 8; i++) {
			double half = 0.5 * (cuts[k + 1] - cuts[k]), x = i & 1 ? node[i / 2] : -node[i / 2];
			double y = 0.5 * (cuts[k + 1] + cuts[k]) + half * x;
			double beyond = fabs(y) > h ? fabs(y) - h : 0.0, rr = r * r - beyond * beyond;
			double m = density * PI * rr * half * weight[i / 2];
			mass += m;
			along += 0.5 * m * rr;
			across += m * (0.25 * rr + y * y);
		}
	double values[10] = {mass, 0, 0, 0, across, along, across, 0, 0, 0};
	memcpy(e, values, sizeof(values));
}

START_TEST(test_mass_closed_forms)
{
	Shape ball = {.kind = SHAPE_BALL, .radius = 0.5f};
	double m = 1000.0 * 4.0 / 3.0 * PI * 0.125, i = 0.4 * m * 0.25;
	CheckMass("ball", Shape_Mass(&ball, 1000.0f), (double[]){m, 0, 0, 0, i, i, i, 0, 0, 0}, 1e-7);
	Shape box = {.kind = SHAPE_BOX, .half = V3(0.5f, 1.0f, 2.0f)};
	CheckMass("box", Shape_Mass(&box, 3.0f), (double[]){24, 0, 0, 0, 8 * 5, 8 * 4.25, 8 * 1.25, 0, 0, 0}, 1e-7);
	ck_assert(Shape_Volume(&box) == 8.0f);
	for (int k = 0; k < 20; k++) {
		Shape capsule = {.kind = SHAPE_CAPSULE, .radius = 0.1f * (float)(k + 1), .half_length = 0.3f * (float)(k % 7)};
		double e[10];
		SliceCapsule((double)capsule.radius, (double)capsule.half_length, 2.0, e);
		CheckMass("capsule", Shape_Mass(&capsule, 2.0f), e, 2e-7 * (1.0 + e[4] / e[0]));
	}
}
END_TEST

/* Cylinder and cone by thin discs, each with its own inertia. */
START_TEST(test_mass_discs)
{
	for (int k = 0; k < 40; k++) {
		bool cone = k & 1;
		double r = 0.1 * (k + 1), h = 0.2 * (1 + k % 7), density = 3.0, thick = 2.0 * h / 20000.0;
		Shape shape = {.kind = cone ? SHAPE_CONE : SHAPE_CYLINDER, .radius = (float)r, .half_length = (float)h};
		double mass = 0.0, first = 0.0, along = 0.0, across = 0.0;
		for (int i = 0; i < 20000; i++) {
			double y = -h + (i + 0.5) * thick, here = cone ? r * (h - y) / (2.0 * h) : r;
			double m = density * PI * here * here * thick;
			mass += m;
			first += m * y;
			along += 0.5 * m * here * here;
			across += m * (0.25 * here * here + y * y);
		}
		double y = first / mass;
		across -= mass * y * y;
		CheckMass(cone ? "cone" : "cylinder", Shape_Mass(&shape, 3.0f),
		          (double[]){mass, 0, y, 0, across, along, across, 0, 0, 0}, 1e-6 * (1.0 + across / mass));
	}
}
END_TEST

/* A hull's sums over tetrahedra: the box, the wedge and the corner tetrahedron have closed forms. */
START_TEST(test_mass_hulls)
{
	Vec3 half = V3(0.5f, 1.0f, 2.0f);
	Hull *hull = Hull_CreateBox(&memory, half);
	Shape shape = {.kind = SHAPE_HULL, .hull = hull};
	CheckMass("box hull", Shape_Mass(&shape, 3.0f), (double[]){24, 0, 0, 0, 8 * 5, 8 * 4.25, 8 * 1.25, 0, 0, 0}, 1e-7);
	Hull_Destroy(&memory, hull);
	/* a right triangle of legs a (z) and b (y), 2 hx deep: second moments b^3 a / 36, a^3 b / 36, -a^2 b^2 / 72 with
	 * the right angle at +z -y */
	hull = Hull_CreateWedge(&memory, half);
	shape.hull = hull;
	double a = 4, b = 2, depth = 1, m = a * b / 2 * depth;
	double yy = m * b * b / 18, zz = m * a * a / 18, yz = m * a * b / 36, xx = m * depth * depth / 12;
	CheckMass("wedge hull", Shape_Mass(&shape, 1.0f),
	          (double[]){m, 0, -1.0 / 3.0, 2.0 / 3.0, yy + zz, xx + zz, xx + yy, 0, 0, -yz}, 1e-7);
	Hull_Destroy(&memory, hull);
	const double corner[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
	hull = Hull_Create(&memory, corner, 4, NULL, NULL);
	shape.hull = hull;
	double d = 2.0 * (1.0 / 60.0 - 1.0 / 96.0), o = -(1.0 / 120.0 - 1.0 / 96.0);
	CheckMass("corner hull", Shape_Mass(&shape, 1.0f), (double[]){1.0 / 6.0, 0.25, 0.25, 0.25, d, d, d, o, o, o}, 1e-8);
	Hull_Destroy(&memory, hull);
}
END_TEST

/* Turned and shifted points have turned and shifted mass properties: Mass_Combine says the same as the hull's sums. */
START_TEST(test_mass_turned)
{
	Random r = {11};
	for (int k = 0; k < 50; k++) {
		Xform placement = {RandomVec(&r, -3.0, 3.0), RandomTurn(&r)};
		Vec3 half = RandomVec(&r, 0.2, 1.0);
		double points[24];
		for (int i = 0; i < 8; i++) {
			Vec3 v = V3(i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z);
			v = XformPoint(placement, v);
			points[3 * i] = (double)v.x;
			points[3 * i + 1] = (double)v.y;
			points[3 * i + 2] = (double)v.z;
		}
		Hull *hull = Hull_Create(&memory, points, 8, NULL, NULL);
		ck_assert_ptr_nonnull(hull);
		Shape box = {.kind = SHAPE_BOX, .half = half}, shape = {.kind = SHAPE_HULL, .hull = hull};
		MassProps a = Shape_Mass(&box, 2.0f), b = Shape_Mass(&shape, 2.0f);
		MassProps c = Mass_Combine(&a, &placement, 1);
		double e[10] = {c.mass,         c.center.x,     c.center.y,     c.center.z,     c.inertia.cx.x,
		                c.inertia.cy.y, c.inertia.cz.z, c.inertia.cx.y, c.inertia.cx.z, c.inertia.cy.z};
		CheckMass("turned box", b, e, 3e-6);
		Hull_Destroy(&memory, hull);
	}
}
END_TEST

/* More and more points of a sphere: volume and inertia grow towards the ball's, the error as one over the number. */
START_TEST(test_mass_sphere)
{
	double last = 1.0;
	for (int n = 16; n <= 128; n *= 2) {
		double points[3 * 128];
		for (int i = 0; i < n; i++) { /* a spiral with the golden angle */
			double z = 1.0 - (2.0 * i + 1.0) / n, a = i * PI * (3.0 - sqrt(5.0)), s = sqrt(1.0 - z * z);
			points[3 * i] = s * cos(a);
			points[3 * i + 1] = z;
			points[3 * i + 2] = s * sin(a);
		}
		Hull *hull = Hull_Create(&memory, points, n, NULL, NULL);
		ck_assert_ptr_nonnull(hull);
		ck_assert_int_eq(hull->vertex_count, n);
		double volume = 4.0 / 3.0 * PI, left = 1.0 - (double)hull->volume / volume;
		ck_assert_msg(left > 0.0 && left < 0.6 * last, "%d points lack %g, half as many %g", n, left, last);
		double i = (double)hull->inertia.cx.x / (0.4 * volume);
		ck_assert_msg(i < 1.0 && i > 1.0 - 2.5 * left, "%d points: inertia %g of the ball's", n, i);
		last = left;
		Hull_Destroy(&memory, hull);
	}
	ck_assert_msg(last < 0.06, "128 points lack %g", last);
}
END_TEST

/* n x n x n small boxes are the one large box. */
START_TEST(test_combine_block)
{
	static MassProps parts[10 * 10 * 10];
	static Xform places[10 * 10 * 10];
	for (int n = 1; n <= 10; n++) {
		double h = 1.5 / n;
		Shape cell = {.kind = SHAPE_BOX, .half = V3((float)h, (float)h, (float)h)};
		int count = 0;
		for (int x = 0; x < n; x++)
			for (int y = 0; y < n; y++)
				for (int z = 0; z < n; z++) {
					parts[count] = Shape_Mass(&cell, 700.0f);
					places[count++] =
					    (Xform){V3((float)((2 * x + 1) * h), (float)((2 * y + 1) * h), (float)((2 * z + 1) * h)),
					            QuatIdentity()};
				}
		MassProps m = Mass_Combine(parts, places, count);
		double mass = 700.0 * 27.0, i = mass * 9.0 / 6.0;
		ck_assert_msg(fabs((double)m.mass / mass - 1.0) < 1e-6 * 10, "%d: mass %g", n, m.mass);
		Vec3 d = Sub(m.center, V3(1.5f, 1.5f, 1.5f));
		ck_assert_msg(Length(d) < 1e-6f, "%d: centre off by %g", n, Length(d));
		CheckMat("block", m.inertia, (double[]){i, i, i, 0, 0, 0}, 1e-5 * i);
	}
}
END_TEST

/* 1 kg at x = 0 and 3 kg at x = 4; turned parts; nothing at all. */
START_TEST(test_combine_pair)
{
	Shape box = {.kind = SHAPE_BOX, .half = V3(0.5f, 0.5f, 0.5f)};
	MassProps parts[2] = {Shape_Mass(&box, 1.0f), Shape_Mass(&box, 3.0f)};
	Xform places[2] = {XformIdentity(), {{4, 0, 0}, QuatIdentity()}};
	MassProps m = Mass_Combine(parts, places, 2);
	CheckMass("pair", m, (double[]){4, 3, 0, 0, 4.0 / 6, 4.0 / 6 + 12, 4.0 / 6 + 12, 0, 0, 0}, 1e-6);
	/* a rod along x turned by a quarter about z lies along y */
	Shape rod = {.kind = SHAPE_BOX, .half = V3(2.0f, 0.25f, 0.5f)};
	MassProps part = Shape_Mass(&rod, 1.0f);
	Xform turned = {{0, 0, 7}, {0, 0, 0.70710678f, 0.70710678f}};
	double k = 2.0 / 3.0;
	CheckMass("rod", Mass_Combine(&part, &turned, 1), (double[]){2, 0, 0, 7, k * 4.25, k * 0.3125, k * 4.0625, 0, 0, 0},
	          1e-6);
	/* two capsule halves of a dumbbell 1000 m off: no loss by the parallel axes */
	places[0].p = V3(1000, 0, 0);
	places[1].p = V3(1000, 2, 0);
	m = Mass_Combine(parts, places, 2);
	CheckMass("far pair", m, (double[]){4, 1000, 1.5, 0, 4.0 / 6 + 3, 4.0 / 6, 4.0 / 6 + 3, 0, 0, 0}, 1e-6);
	m = Mass_Combine(parts, places, 0);
	CheckMass("nothing", m, (double[10]){0}, 0.0);
	MassProps weightless[2] = {{0}};
	CheckMass("no mass", Mass_Combine(weightless, places, 2), (double[10]){0}, 0.0);
}
END_TEST

/* ---- support, bounds, radii, containment ---------------------------------------------------------------------- */

/* How far a shape reaches along a unit direction, in closed form or over all vertices. */
static double Reach(const Shape *s, const double d[3])
{
	double l = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]), best = -1e300;
	switch (s->kind) {
	case SHAPE_BALL:
		return s->radius * l;
	case SHAPE_CAPSULE:
		return s->radius * l + s->half_length * fabs(d[1]);
	case SHAPE_BOX:
		return s->half.x * fabs(d[0]) + s->half.y * fabs(d[1]) + s->half.z * fabs(d[2]);
	case SHAPE_CYLINDER:
		return s->radius * sqrt(d[0] * d[0] + d[2] * d[2]) + s->half_length * fabs(d[1]);
	case SHAPE_CONE:
		return fmax(s->radius * sqrt(d[0] * d[0] + d[2] * d[2]) - s->half_length * d[1], s->half_length * d[1]);
	default:
		for (int i = 0; i < s->hull->vertex_count; i++) {
			Vec3 v = s->hull->vertices[i];
			best = fmax(best, v.x * d[0] + v.y * d[1] + v.z * d[2]);
		}
		return best;
	}
}

START_TEST(test_support)
{
	Random r = {12};
	for (int k = 0; k < LESS(4000); k++) {
		Hull *hull;
		Shape shape = RandomShape(&r, (ShapeKind)(k % SHAPE_KIND_COUNT), &hull);
		for (int j = 0; j < 8; j++) {
			Vec3 d = RandomVec(&r, -1.0, 1.0);
			if (j == 1)
				d = V3(0, 0, d.z);
			if (j == 2)
				d = V3(-0.0f, d.y, 0);
			double n[3] = {d.x, d.y, d.z}, l = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
			float scale = j == 3 ? 1e37f : j == 4 ? 1e-37f : j == 5 ? 1e-12f : 1.0f;
			Vec3 p = Shape_Support(&shape, Scale(scale, d));
			double reach = p.x * n[0] + p.y * n[1] + p.z * n[2];
			REQUIRE(fabs(reach - Reach(&shape, n)) <= 1e-6 * l, "seed 12 shape %d kind %d: reach %g, expected %g", k,
			        shape.kind, reach, Reach(&shape, n));
			Vec3 inner = Scale(0.99999f, p);
			if (shape.kind != SHAPE_HULL)
				REQUIRE(Shape_ContainsPoint(&shape, inner), "seed 12 shape %d kind %d: support outside", k, shape.kind);
			else
				REQUIRE(Shape_ContainsPoint(&shape, p), "seed 12 shape %d: vertex outside", k);
		}
		Vec3 any = Shape_Support(&shape, V3(0, 0, 0));
		REQUIRE(Length(any) <= Shape_OuterRadius(&shape) * 1.000001f && Length(any) > 0.0f, "no direction");
		Vec3 tiny = Shape_Support(&shape, V3(0, -1e-45f, 0));
		const double down[3] = {0, -1, 0};
		REQUIRE(fabs(-(double)tiny.y - Reach(&shape, down)) <= 1e-6, "kind %d: denormal direction", shape.kind);
		Hull_Destroy(&memory, hull);
	}
}
END_TEST

START_TEST(test_bounds_and_radii)
{
	Random r = {13};
	for (int k = 0; k < LESS(4000); k++) {
		Hull *hull;
		Shape shape = RandomShape(&r, (ShapeKind)(k % SHAPE_KIND_COUNT), &hull);
		Xform t = {RandomVec(&r, -10.0, 10.0), k % 5 == 0 ? QuatIdentity() : RandomTurn(&r)};
		Box box = Shape_Bounds(&shape, t);
		for (int axis = 0; axis < 3; axis++) {
			Vec3 e = V3(axis == 0, axis == 1, axis == 2);
			Vec3 d = InvRotate(t.q, e);
			double up[3] = {d.x, d.y, d.z}, down[3] = {-d.x, -d.y, -d.z};
			double hi = Component(t.p, axis) + Reach(&shape, up), lo = Component(t.p, axis) - Reach(&shape, down);
			REQUIRE(fabs(Component(box.hi, axis) - hi) < 4e-6 && fabs(Component(box.lo, axis) - lo) < 4e-6,
			        "seed 13 shape %d kind %d axis %d: [%g, %g], expected [%g, %g]", k, shape.kind, axis,
			        Component(box.lo, axis), Component(box.hi, axis), lo, hi);
		}
		double outer = Shape_OuterRadius(&shape), inner = Shape_InnerRadius(&shape), farthest = 0.0;
		Vec3 center = Shape_Middle(&shape);
		for (int j = 0; j < 20; j++) {
			Vec3 d = Normalize(RandomVec(&r, -1.0, 1.0));
			farthest = fmax(farthest, Length(Shape_Support(&shape, d)));
			REQUIRE(Shape_ContainsPoint(&shape, MulAdd(center, (float)(0.99999 * inner), d)),
			        "seed 13 shape %d kind %d: inner radius %g leaves the shape", k, shape.kind, inner);
		}
		REQUIRE(farthest <= outer * (1 + 1e-6), "seed 13 shape %d kind %d: %g beyond %g", k, shape.kind, farthest,
		        outer);
		REQUIRE(inner > 0.0 && inner <= outer, "radii %g %g", inner, outer);
		Hull_Destroy(&memory, hull);
	}
	Shape box = {.kind = SHAPE_BOX, .half = V3(3, 2, 6)},
	      capsule = {.kind = SHAPE_CAPSULE, .radius = 0.5f, .half_length = 2.0f};
	ck_assert(Shape_OuterRadius(&box) == 7.0f && Shape_InnerRadius(&box) == 2.0f);
	ck_assert(Shape_OuterRadius(&capsule) == 2.5f && Shape_InnerRadius(&capsule) == 0.5f);
}
END_TEST

START_TEST(test_contains)
{
	Random r = {14};
	int inside = 0, outside = 0;
	for (int k = 0; k < LESS(400); k++) {
		Hull *hull;
		Shape shape = RandomShape(&r, (ShapeKind)(k % SHAPE_KIND_COUNT), &hull);
		for (int j = 0; j < 200; j++) {
			Vec3 p = RandomVec(&r, -1.5, 1.5);
			long double d = Outside(&shape, p.x, p.y, p.z);
			if (fabsl(d) < 1e-12L)
				continue;
			REQUIRE(Shape_ContainsPoint(&shape, p) == (d < 0.0L), "seed 14 shape %d kind %d: distance %Lg", k,
			        shape.kind, d);
			inside += d < 0.0L;
			outside += d > 0.0L;
		}
		Hull_Destroy(&memory, hull);
	}
	ck_assert_msg(inside > LESS(5000) && outside > LESS(5000), "%d inside, %d outside", inside, outside);
	Shape box = {.kind = SHAPE_BOX, .half = V3(1, 1, 1)}, ball = {.kind = SHAPE_BALL, .radius = 1};
	ck_assert(Shape_ContainsPoint(&box, V3(1, -1, 1)) && Shape_ContainsPoint(&ball, V3(0, 0, -1)));
	ck_assert(!Shape_ContainsPoint(&box, V3(1, -1.0000001f, 1)) && !Shape_ContainsPoint(&ball, V3(0, 0, 1.0000001f)));
	ck_assert(!Shape_ContainsPoint(&box, V3(NAN, 0, 0)) && !Shape_ContainsPoint(&ball, V3(NAN, 0, 0)));
}
END_TEST

Suite *suite_shape(void);
Suite *suite_shape(void)
{
	Suite *suite = suite_create("shape");
	TCase *tcase = tcase_create("shape");
	tcase_add_checked_fixture(tcase, Setup, Teardown);
	tcase_set_timeout(tcase, 120);
	tcase_add_test(tcase, test_mass_closed_forms);
	tcase_add_test(tcase, test_mass_discs);
	tcase_add_test(tcase, test_mass_hulls);
	tcase_add_test(tcase, test_mass_turned);
	tcase_add_test(tcase, test_mass_sphere);
	tcase_add_test(tcase, test_combine_block);
	tcase_add_test(tcase, test_combine_pair);
	tcase_add_test(tcase, test_support);
	tcase_add_test(tcase, test_bounds_and_radii);
	tcase_add_test(tcase, test_contains);
	suite_add_tcase(suite, tcase);
	return suite;
}
