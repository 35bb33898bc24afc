/* Shapes: masses against closed forms, support points and bounds against brute force, rays against twins that work by
 * other means. */
#include "shape/shape.h"

#include <check.h>
#include <math.h>

/* Check notes every assertion it passes, which is slow in inner loops. */
#define REQUIRE(condition, ...)                                                                                        \
	do {                                                                                                               \
		if (!(condition))                                                                                              \
			ck_abort_msg(__VA_ARGS__);                                                                                 \
	} while (0)

static Memory memory;

static void Setup(void)
{
	Memory_Init(&memory, NULL, NULL);
}

static void Teardown(void)
{
	ck_assert_uint_eq(memory.bytes, 0);
}

static Quat RandomTurn(Random *r)
{
	for (;;) {
		Quat q = {(float)Random_Range(r, -1, 1), (float)Random_Range(r, -1, 1), (float)Random_Range(r, -1, 1),
		          (float)Random_Range(r, -1, 1)};
		float l = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
		if (l > 0.1f && l < 1.0f)
			return QuatNormalize(q);
	}
}

static Vec3 RandomVec(Random *r, double range)
{
	Vec3 v;
	v.x = (float)Random_Range(r, -range, range); /* one by one: the order of arguments is the compiler's */
	v.y = (float)Random_Range(r, -range, range);
	v.z = (float)Random_Range(r, -range, range);
	return v;
}

static Vec3 RandomHalf(Random *r, double lo, double hi)
{
	Vec3 v;
	v.x = (float)Random_Range(r, lo, hi);
	v.y = (float)Random_Range(r, lo, hi);
	v.z = (float)Random_Range(r, lo, hi);
	return v;
}

static Hull *RandomHull(Random *r, int n)
{
	double points[3 * 200];
	for (;;) {
		for (int i = 0; i < n; i++) {
			Vec3 p = Normalize(RandomVec(r, 1.0));
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
static Shape RandomShape(Random *r, ShapeKind kind, Hull **hull)
{
	Shape shape = {.kind = kind,
	               .radius = (float)Random_Range(r, 0.2, 1.0),
	               .half_length = (float)Random_Range(r, 0.0, 1.5),
	               .half = RandomHalf(r, 0.2, 1.5)};
	if (kind == SHAPE_CYLINDER || kind == SHAPE_CONE)
		shape.half_length += 0.1f;
	*hull = kind == SHAPE_HULL ? RandomHull(r, 4 + Random_Below(r, 60)) : NULL;
	shape.hull = *hull;
	return shape;
}

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
		Xform placement = {RandomVec(&r, 3.0), RandomTurn(&r)};
		Vec3 half = RandomHalf(&r, 0.2, 1.0);
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
	for (int k = 0; k < 4000; k++) {
		Hull *hull;
		Shape shape = RandomShape(&r, (ShapeKind)(k % SHAPE_KIND_COUNT), &hull);
		for (int j = 0; j < 8; j++) {
			Vec3 d = RandomVec(&r, 1.0);
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
	for (int k = 0; k < 4000; k++) {
		Hull *hull;
		Shape shape = RandomShape(&r, (ShapeKind)(k % SHAPE_KIND_COUNT), &hull);
		Xform t = {RandomVec(&r, 10.0), k % 5 == 0 ? QuatIdentity() : RandomTurn(&r)};
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
			Vec3 d = Normalize(RandomVec(&r, 1.0));
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

/* A signed distance of a sort for every kind: negative inside, convex in the point, its zero the surface. */
static long double Outside(const Shape *s, long double x, long double y, long double z)
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

START_TEST(test_contains)
{
	Random r = {14};
	int inside = 0, outside = 0;
	for (int k = 0; k < 400; k++) {
		Hull *hull;
		Shape shape = RandomShape(&r, (ShapeKind)(k % SHAPE_KIND_COUNT), &hull);
		for (int j = 0; j < 200; j++) {
			Vec3 p = RandomVec(&r, 1.5);
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
	ck_assert_msg(inside > 5000 && outside > 5000, "%d inside, %d outside", inside, outside);
	Shape box = {.kind = SHAPE_BOX, .half = V3(1, 1, 1)}, ball = {.kind = SHAPE_BALL, .radius = 1};
	ck_assert(Shape_ContainsPoint(&box, V3(1, -1, 1)) && Shape_ContainsPoint(&ball, V3(0, 0, -1)));
	ck_assert(!Shape_ContainsPoint(&box, V3(1, -1.0000001f, 1)) && !Shape_ContainsPoint(&ball, V3(0, 0, 1.0000001f)));
	ck_assert(!Shape_ContainsPoint(&box, V3(NAN, 0, 0)) && !Shape_ContainsPoint(&ball, V3(NAN, 0, 0)));
}
END_TEST

/* ---- rays ----------------------------------------------------------------------------------------------------- */

typedef struct Line {
	double o[3], d[3];
	double length;
} Line;

/* What a twin says. t: fraction; shallow: how deep the whole line dips into the shape (negative: it passes by). */
typedef struct Answer {
	bool hit, inside;
	double t, depth;
} Answer;

static long double OutsideAt(const Shape *s, const Line *l, long double t)
{
	return Outside(s, l->o[0] + t * l->d[0], l->o[1] + t * l->d[1], l->o[2] + t * l->d[2]);
}

/* The same along one line, for many t. */
typedef struct Along {
	const Shape *shape;
	const Line *line;
	double start[HULL_FACE_LIMIT], slope[HULL_FACE_LIMIT]; /* hulls: per face */
} Along;

static Along *SetAlong(const Shape *s, const Line *l)
{
	static Along along;
	along.shape = s;
	along.line = l;
	for (int f = 0; s->kind == SHAPE_HULL && f < s->hull->face_count; f++) {
		Vec3 n = s->hull->normals[f];
		const double *o = l->o, *d = l->d;
		along.start[f] = n.x * o[0] + n.y * o[1] + n.z * o[2] - s->hull->offsets[f];
		along.slope[f] = n.x * d[0] + n.y * d[1] + n.z * d[2];
	}
	return &along;
}

static long double AlongAt(const Along *along, long double t)
{
	if (along->shape->kind != SHAPE_HULL)
		return OutsideAt(along->shape, along->line, t);
	double m = -1e300, at = (double)t;
	for (int f = 0; f < along->shape->hull->face_count; f++) {
		double v = along->start[f] + at * along->slope[f];
		m = v > m ? v : m;
	}
	return m;
}

/* The function along the ray is convex: its lowest point by golden sections, then the crossing before it by halves. No
 * algebra in common with the product. */
static Answer TwinBySearch(const Shape *s, const Line *l)
{
	const Along *along = SetAlong(s, l);
	const long double g = 0.6180339887498948482L;
	long double lo = 0.0L, hi = 1.0L, a = 1.0L - g, b = g, fa = AlongAt(along, a), fb = AlongAt(along, b);
	for (int i = 0; i < 66; i++) {
		if (fa <= fb) {
			hi = b;
			b = a;
			fb = fa;
			a = hi - g * (hi - lo);
			fa = AlongAt(along, a);
		} else {
			lo = a;
			a = b;
			fa = fb;
			b = lo + g * (hi - lo);
			fb = AlongAt(along, b);
		}
	}
	long double start = AlongAt(along, 0.0L), bottom = AlongAt(along, lo);
	if (start < bottom) {
		bottom = start;
		lo = 0.0L;
	}
	Answer answer = {.inside = start < 0.0L, .depth = (double)-bottom};
	answer.hit = answer.inside || bottom <= 0.0L;
	if (answer.hit && !answer.inside) {
		long double out = 0.0L, in = lo;
		for (int i = 0; i < 64; i++) {
			long double mid = 0.5L * (out + in);
			if (AlongAt(along, mid) > 0.0L)
				out = mid;
			else
				in = mid;
		}
		answer.t = (double)in;
	}
	return answer;
}

/* Every triangle of a hull's faces, from the front only (Moller and Trumbore). */
static Answer TwinByTriangles(const Shape *s, const Line *l)
{
	const Hull *hull = s->hull;
	Answer answer = TwinBySearch(s, l); /* for inside and depth */
	answer.hit = answer.inside;
	answer.t = answer.inside ? 0.0 : 2.0;
	for (int f = 0; f < hull->face_count; f++)
		for (int i = hull->face_first[f] + 2; i < hull->face_first[f + 1]; i++) {
			Vec3 a = hull->vertices[hull->face_index[hull->face_first[f]]];
			Vec3 b = hull->vertices[hull->face_index[i - 1]], c = hull->vertices[hull->face_index[i]];
			double e1[3] = {(double)b.x - a.x, (double)b.y - a.y, (double)b.z - a.z};
			double e2[3] = {(double)c.x - a.x, (double)c.y - a.y, (double)c.z - a.z};
			double q[3] = {l->o[0] - a.x, l->o[1] - a.y, l->o[2] - a.z};
			const double *d = l->d;
			double p[3] = {d[1] * e2[2] - d[2] * e2[1], d[2] * e2[0] - d[0] * e2[2], d[0] * e2[1] - d[1] * e2[0]};
			double det = e1[0] * p[0] + e1[1] * p[1] + e1[2] * p[2];
			if (det <= 0.0)
				continue;
			double u = (q[0] * p[0] + q[1] * p[1] + q[2] * p[2]) / det;
			double w[3] = {q[1] * e1[2] - q[2] * e1[1], q[2] * e1[0] - q[0] * e1[2], q[0] * e1[1] - q[1] * e1[0]};
			double v = (d[0] * w[0] + d[1] * w[1] + d[2] * w[2]) / det;
			double t = (e2[0] * w[0] + e2[1] * w[1] + e2[2] * w[2]) / det;
			if (u < 0.0 || v < 0.0 || u + v > 1.0 || t < 0.0 || t > 1.0 || t >= answer.t)
				continue;
			answer.t = t;
			answer.hit = true;
		}
	return answer;
}

static Line MakeLine(double ox, double oy, double oz, double dx, double dy, double dz)
{
	return (Line){{ox, oy, oz}, {dx, dy, dz}, sqrt(dx * dx + dy * dy + dz * dz)};
}

/* Many kinds of rays about a shape of size 1 to 3. */
static Line RandomLine(Random *r, int kind)
{
	double o[3], to[3];
	for (int i = 0; i < 3; i++) {
		o[i] = Random_Range(r, -4, 4);
		to[i] = Random_Range(r, -0.8, 0.8);
	}
	double stretch = Random_Range(r, 0.6, 3.0);
	if (kind == 1) { /* from inside, mostly */
		for (int i = 0; i < 3; i++)
			o[i] *= 0.1;
	} else if (kind == 2) { /* along an axis */
		int axis = Random_Below(r, 3);
		for (int i = 0; i < 3; i++)
			if (i != axis)
				o[i] = to[i];
	} else if (kind == 3) { /* in a coordinate plane */
		int axis = Random_Below(r, 3);
		o[axis] = to[axis];
	} else if (kind == 4) { /* from far away */
		double far = Random_Below(r, 2) ? 1e5 : 1e3;
		double l = sqrt(o[0] * o[0] + o[1] * o[1] + o[2] * o[2]) + 1e-3;
		for (int i = 0; i < 3; i++)
			o[i] *= far / l;
		stretch = Random_Range(r, 0.99, 1.5);
	} else if (kind == 5) { /* nearly along an axis */
		int axis = Random_Below(r, 3);
		for (int i = 0; i < 3; i++)
			if (i != axis)
				o[i] = to[i] + 1e-7 * o[i];
	}
	return MakeLine(o[0], o[1], o[2], stretch * (to[0] - o[0]), stretch * (to[1] - o[1]), stretch * (to[2] - o[2]));
}

typedef struct Tally {
	int hits, misses, inside, grazes;
} Tally;

static void CheckRay(const Shape *shape, const Line *l, Answer expected, uint64_t seed, int k, Tally *tally)
{
	ShapeHit hit;
	bool got = Shape_Ray(shape, l->o, l->d, &hit);
	double along = hit.normal.x * l->d[0] + hit.normal.y * l->d[1] + hit.normal.z * l->d[2];
	double unit = Length(hit.normal);
	REQUIRE(hit.fraction >= 0.0 && hit.fraction <= 1.0, "seed %llu ray %d: fraction %g", (unsigned long long)seed, k,
	        hit.fraction);
	if (got && !hit.inside)
		REQUIRE(fabs(unit - 1.0) < 1e-5 && along <= 0.0, "seed %llu ray %d: normal of length %g, dot %g",
		        (unsigned long long)seed, k, unit, along);
	else
		REQUIRE(unit == 0.0 && hit.fraction == 0.0, "seed %llu ray %d: normal of length %g, fraction %g",
		        (unsigned long long)seed, k, unit, hit.fraction);
	/* Within a few units of float of the surface (hulls have float planes, long rays round too) either answer holds. */
	double slack = shape->kind == SHAPE_HULL ? 1e-6 : 1e-9;
	if (fabs(expected.depth) < slack) {
		tally->grazes++;
		return;
	}
	REQUIRE(got == expected.hit && hit.inside == expected.inside,
	        "seed %llu ray %d kind %d: hit %d inside %d, expected %d %d, depth %g", (unsigned long long)seed, k,
	        shape->kind, got, hit.inside, expected.hit, expected.inside, expected.depth);
	tally->hits += got && !hit.inside;
	tally->misses += !got;
	tally->inside += hit.inside;
	if (!got || hit.inside)
		return;
	double off = fabs(hit.fraction - expected.t) * l->length;
	/* The shallower the dip, the more an error of the surface is stretched along the ray. */
	double allowed = 1e-5 + (shape->kind == SHAPE_HULL ? 2e-8 : 1e-12) / expected.depth;
	REQUIRE(off <= allowed, "seed %llu ray %d kind %d: %.12g, expected %.12g: %g m off (depth %g)",
	        (unsigned long long)seed, k, shape->kind, hit.fraction, expected.t, off, expected.depth);
	long double surface = OutsideAt(shape, l, hit.fraction);
	REQUIRE(fabsl(surface) < (shape->kind == SHAPE_HULL ? 2e-5L : 1e-9L),
	        "seed %llu ray %d kind %d: %Lg off the surface", (unsigned long long)seed, k, shape->kind, surface);
	/* The normal is that of the surface there: a small step along it leads out by as much. */
	double step = 1e-3, end[3];
	for (int i = 0; i < 3; i++)
		end[i] = l->o[i] + hit.fraction * l->d[i] + step * (double)Component(hit.normal, i);
	REQUIRE(Outside(shape, end[0], end[1], end[2]) > 0.9 * step, "seed %llu ray %d kind %d: normal does not lead out",
	        (unsigned long long)seed, k, shape->kind);
}

/* 25,000 rays a run, four runs a kind. */
START_TEST(test_rays)
{
	const int count = 25000;
	ShapeKind kind = (ShapeKind)(_i / 4);
	uint64_t seed = 900 + (uint64_t)_i;
	Random r = {seed};
	Tally tally = {0};
	Hull *hull = NULL;
	Shape shape = {0};
	for (int k = 0; k < count; k++) {
		if (k % 50 == 0) {
			Hull_Destroy(&memory, hull);
			shape = RandomShape(&r, kind, &hull);
		}
		Line line = RandomLine(&r, k % 6);
		Answer expected = kind == SHAPE_HULL ? TwinByTriangles(&shape, &line) : TwinBySearch(&shape, &line);
		CheckRay(&shape, &line, expected, seed, k, &tally);
	}
	Hull_Destroy(&memory, hull);
	ck_assert_msg(tally.hits > count / 4 && tally.misses > count / 20 && tally.inside > count / 50 &&
	                  tally.grazes < count / 500,
	              "seed %llu: %d hits, %d misses, %d inside, %d grazes", (unsigned long long)seed, tally.hits,
	              tally.misses, tally.inside, tally.grazes);
}
END_TEST

/* A box, the hull of the box and the box seen by search agree. */
START_TEST(test_box_is_its_hull)
{
	Random r = {950};
	int hits = 0;
	for (int k = 0; k < 100; k++) {
		Hull *unused;
		Shape box = RandomShape(&r, SHAPE_BOX, &unused);
		Hull *hull = Hull_CreateBox(&memory, box.half);
		Shape shape = {.kind = SHAPE_HULL, .hull = hull};
		for (int j = 0; j < 1000; j++) {
			Line l = RandomLine(&r, j % 6);
			ShapeHit a, b;
			bool hit_a = Shape_Ray(&box, l.o, l.d, &a), hit_b = Shape_Ray(&shape, l.o, l.d, &b);
			REQUIRE(hit_a == hit_b && a.inside == b.inside && fabs(a.fraction - b.fraction) * l.length < 1e-9 &&
			            a.normal.x == b.normal.x && a.normal.y == b.normal.y && a.normal.z == b.normal.z,
			        "seed 950 box %d ray %d: %d %d, %.15g %.15g", k, j, hit_a, hit_b, a.fraction, b.fraction);
			hits += hit_a;
		}
		Hull_Destroy(&memory, hull);
	}
	ck_assert_int_gt(hits, 30000);
}
END_TEST

static int Cast(const Shape *shape, Line l, ShapeHit *hit)
{
	return Shape_Ray(shape, l.o, l.d, hit) ? (hit->inside ? 2 : 1) : 0;
}

/* One rule for every kind: inside, on the surface, no length, next to no length. */
START_TEST(test_ray_rules)
{
	Hull *hull = Hull_CreateBox(&memory, V3(1, 1, 1));
	Shape shapes[5] = {{.kind = SHAPE_BALL, .radius = 1},
	                   {.kind = SHAPE_CAPSULE, .radius = 1, .half_length = 0.5f},
	                   {.kind = SHAPE_CYLINDER, .radius = 1, .half_length = 0.5f},
	                   {.kind = SHAPE_BOX, .half = V3(1, 1, 1)},
	                   {.kind = SHAPE_HULL, .hull = hull}};
	for (int k = 0; k < COUNT_OF(shapes); k++) {
		const Shape *s = &shapes[k];
		ShapeHit hit;
		const double lengths[] = {0.0, 1e-320, 1e-200, 1e-30, 1.0, 1e30, 1e300};
		for (int i = 0; i < COUNT_OF(lengths); i++) {
			double e = lengths[i];
			ck_assert_int_eq(Cast(s, MakeLine(0.1, 0.2, 0.3, e, 0, -e), &hit), 2);
			ck_assert(hit.fraction == 0.0 && Length(hit.normal) == 0.0f);
			ck_assert_int_eq(Cast(s, MakeLine(1, 0.25, 0, e, 0, 0), &hit), 0); /* from the surface outwards */
			ck_assert_int_eq(Cast(s, MakeLine(1, 0, 0, e, 0.5 * e, 0), &hit), 0);
			int expected = e > 0.0 ? 1 : 0; /* from the surface inwards */
			ck_assert_int_eq(Cast(s, MakeLine(1, 0, 0, -e, 0, 0), &hit), expected);
			ck_assert(hit.fraction == 0.0 && hit.normal.x == (float)expected && !hit.inside);
			ck_assert_int_eq(Cast(s, MakeLine(3, 0, 0, e, 0, 0), &hit), 0);
			ck_assert_int_eq(Cast(s, MakeLine(3, 0, 0, -e, 0, 0), &hit), e > 2.0);
			ck_assert_int_eq(Cast(s, MakeLine(3, 3, 0, 0, -e, 0), &hit), 0);
		}
		ck_assert_int_eq(Cast(s, MakeLine(3, 0, 0, -2, 0, 0), &hit), 1); /* ends just there */
		ck_assert(hit.fraction == 1.0);
		ck_assert_int_eq(Cast(s, MakeLine(3, 0, 0, -1.9999999, 0, 0), &hit), 0);
		double nan = (double)NAN, inf = (double)INFINITY;
		ck_assert_int_eq(Cast(s, MakeLine(nan, 0, 0, 1, 0, 0), &hit), 0);
		ck_assert_int_eq(Cast(s, MakeLine(3, 0, 0, -1, nan, 0), &hit), 0);
		ck_assert_int_eq(Cast(s, MakeLine(3, 0, 0, -inf, 0, 0), &hit), 0);
		ck_assert_int_eq(Cast(s, MakeLine(1e300, 1e300, 0, -1e300, 1, 0), &hit), 0);
	}
	Hull_Destroy(&memory, hull);
}
END_TEST

/* Down the axis of a cone, onto its very tip; and up, onto its base. */
START_TEST(test_ray_tip)
{
	Shape cone = {.kind = SHAPE_CONE, .radius = 0.5f, .half_length = 1};
	ShapeHit hit;
	ck_assert_int_eq(Cast(&cone, MakeLine(0, 9, 0, 0, -18, 0), &hit), 1);
	ck_assert(fabs(hit.fraction - 8.0 / 18.0) < 1e-12 && hit.normal.y == 1.0f);
	ck_assert_int_eq(Cast(&cone, MakeLine(0, 1, 0, 0, -1, 0), &hit), 1);
	ck_assert_int_eq(Cast(&cone, MakeLine(0, 1, 0, 0, 1, 0), &hit), 0);
	ck_assert_int_eq(Cast(&cone, MakeLine(0, -9, 0, 0, 18, 0), &hit), 1);
	ck_assert(fabs(hit.fraction - 8.0 / 18.0) < 1e-12 && hit.normal.y == -1.0f);
}
END_TEST

/* 100 km away, to 10 micrometres; the same ray in pieces. */
START_TEST(test_ray_far)
{
	Random r = {960};
	int compared = 0;
	for (int k = 0; k < 4000; k++) {
		Hull *hull;
		Shape shape = RandomShape(&r, (ShapeKind)(k % SHAPE_KIND_COUNT), &hull);
		Line near = RandomLine(&r, 0), far = near;
		double back = 1e5 / near.length;
		for (int i = 0; i < 3; i++) {
			far.o[i] -= back * near.d[i];
			far.d[i] *= 1.0 + back;
		}
		ShapeHit a, b;
		bool hit_near = Shape_Ray(&shape, near.o, near.d, &a), hit_far = Shape_Ray(&shape, far.o, far.d, &b);
		Answer expected = TwinBySearch(&shape, &near);
		Line behind =
		    MakeLine(near.o[0], near.o[1], near.o[2], far.o[0] - near.o[0], far.o[1] - near.o[1], far.o[2] - near.o[2]);
		if (!a.inside && fabs(expected.depth) > 1e-5 && TwinBySearch(&shape, &behind).depth < -1e-5) {
			REQUIRE(hit_near == hit_far, "seed 960 ray %d kind %d: %d near, %d far", k, shape.kind, hit_near, hit_far);
			double from_near = a.fraction * near.length, from_far = b.fraction * (near.length + 1e5) - 1e5;
			if (hit_near)
				REQUIRE(fabs(from_near - from_far) < 1e-5, "seed 960 ray %d kind %d: %.9g near, %.9g far", k,
				        shape.kind, from_near, from_far);
			compared += hit_near;
		}
		Hull_Destroy(&memory, hull);
	}
	ck_assert_int_gt(compared, 1000);
}
END_TEST

/* A kilometre across, where the hull's float planes alone are off by more than 10 micrometres: hits are on the faces
 * all the same, but for a few next to edges. */
START_TEST(test_ray_large_hull)
{
	Random r = {970};
	int hits = 0, off = 0;
	for (int k = 0; k < 50; k++) {
		double points[3 * 40];
		for (int i = 0; i < 40; i++) {
			Vec3 p = Scale(500.0f, Normalize(RandomVec(&r, 1.0)));
			points[3 * i] = (double)p.x;
			points[3 * i + 1] = (double)p.y;
			points[3 * i + 2] = (double)p.z;
		}
		Hull *hull = Hull_Create(&memory, points, 40, NULL, NULL);
		ck_assert_ptr_nonnull(hull);
		Shape shape = {.kind = SHAPE_HULL, .hull = hull};
		for (int j = 0; j < 200; j++) {
			Vec3 from = Scale(700.0f, Normalize(RandomVec(&r, 1.0))), to = RandomVec(&r, 200.0);
			Line l = MakeLine(from.x, from.y, from.z, to.x - from.x, to.y - from.y, to.z - from.z);
			Answer expected = TwinByTriangles(&shape, &l);
			ShapeHit hit;
			bool got = Shape_Ray(&shape, l.o, l.d, &hit);
			if (fabs(expected.depth) < 1e-3)
				continue;
			REQUIRE(got == expected.hit, "seed 970 hull %d ray %d: %d, expected %d", k, j, got, expected.hit);
			double d = got ? fabs(hit.fraction - expected.t) * l.length : 0.0;
			REQUIRE(d < 5e-3, "seed 970 hull %d ray %d: %g m off", k, j, d);
			hits += got;
			off += d > 1e-6;
		}
		Hull_Destroy(&memory, hull);
	}
	ck_assert_msg(hits > 5000 && off < hits / 500, "%d hits, %d of them off", hits, off);
}
END_TEST

/* A roof ridge along z at y = 3: a ray that skims it must never show the inside of the house. */
START_TEST(test_ray_ridge)
{
	const double roof[] = {-2, 1, -4, 2, 1, -4, 0, 3, -4, -2, 1, 4, 2, 1, 4, 0, 3, 4};
	Hull *hull = Hull_Create(&memory, roof, 6, NULL, NULL);
	ck_assert_ptr_nonnull(hull);
	Shape shape = {.kind = SHAPE_HULL, .hull = hull};
	for (int k = -200; k <= 200; k++) {
		ShapeHit hit;
		double y = 3.0 + k * 1e-6, z = 0.01 * k;
		int got = Cast(&shape, MakeLine(-10, y, z, 20, 0, 0.1 * z), &hit);
		if (k != 0)
			ck_assert_msg(got == (k < 0), "height %d: %d", k, got);
		if (got)
			ck_assert_msg(hit.normal.x < -0.7f && fabs(20 * hit.fraction - (10.0 + k * 1e-6)) < 1e-5,
			              "height %d: normal.x %g at %g", k, hit.normal.x, 20 * hit.fraction);
		/* along the ridge, in the plane of a roof face, and just above the floor's plane */
		got = Cast(&shape, MakeLine(0, y, -10, 0, 0, 20), &hit);
		if (k != 0)
			ck_assert_msg(got == (k < 0), "along, height %d: %d", k, got);
		if (got)
			ck_assert(hit.normal.z < -0.99f && fabs(20 * hit.fraction - 6.0) < 1e-5);
		got = Cast(&shape, MakeLine(-4 + k * 1e-3, -1 + k * 1e-3, 0, 6, 6, 0), &hit);
		ck_assert(got == 0 || (got == 1 && hit.normal.x <= 0.0f && hit.fraction <= 1.0));
		got = Cast(&shape, MakeLine(-10, 1 + k * 1e-7, 0, 20, 0, 0), &hit);
		if (k != 0)
			ck_assert_msg(got == (k > 0), "floor %d: %d", k, got);
		if (got)
			ck_assert(fabs(20 * hit.fraction - 8.0) < 1e-4 && hit.normal.x < 0.0f);
	}
	Hull_Destroy(&memory, hull);
}
END_TEST

/* Tangents to round shapes, a hair within and without. */
START_TEST(test_ray_tangent)
{
	Shape ball = {.kind = SHAPE_BALL, .radius = 1}, capsule = {.kind = SHAPE_CAPSULE, .radius = 1, .half_length = 2};
	for (int k = -50; k <= 50; k++) {
		ShapeHit hit;
		double off = k * 1e-9;
		for (int i = 0; i < 4; i++) {
			Line l = i == 0   ? MakeLine(-5, 1 + off, 0, 10, 0, 0)
			         : i == 1 ? MakeLine(-5, 3 + off, 0, 10, 0, 0)
			         : i == 2 ? MakeLine(1 + off, -9, 0, 0, 18, 0)
			                  : MakeLine(-5, 1.5, 1 + off, 10, 0, 0);
			int got = Cast(i == 0 ? &ball : &capsule, l, &hit);
			if (k != 0)
				ck_assert_msg(got == (k < 0), "tangent %d, %d nm: %d", i, k, got);
			if (got)
				ck_assert(hit.normal.x * l.d[0] + hit.normal.y * l.d[1] <= 0.0);
		}
	}
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
	tcase_add_loop_test(tcase, test_rays, 0, 4 * SHAPE_KIND_COUNT);
	tcase_add_test(tcase, test_box_is_its_hull);
	tcase_add_test(tcase, test_ray_rules);
	tcase_add_test(tcase, test_ray_tip);
	tcase_add_test(tcase, test_ray_far);
	tcase_add_test(tcase, test_ray_large_hull);
	tcase_add_test(tcase, test_ray_ridge);
	tcase_add_test(tcase, test_ray_tangent);
	suite_add_tcase(suite, tcase);
	return suite;
}
