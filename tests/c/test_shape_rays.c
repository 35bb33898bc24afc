/* Rays against shapes, beside twins that work by other means. */
#include "random_shapes.h"
#include "test_scale.h"

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
	for (int k = 0; k < LESS(100); k++) {
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
	ck_assert_int_gt(hits, LESS(30000));
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
	for (int k = 0; k < LESS(4000); k++) {
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
	ck_assert_int_gt(compared, LESS(1000));
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
			Vec3 p = Scale(500.0f, Normalize(RandomVec(&r, -1.0, 1.0)));
			points[3 * i] = (double)p.x;
			points[3 * i + 1] = (double)p.y;
			points[3 * i + 2] = (double)p.z;
		}
		Hull *hull = Hull_Create(&memory, points, 40, NULL, NULL);
		ck_assert_ptr_nonnull(hull);
		Shape shape = {.kind = SHAPE_HULL, .hull = hull};
		for (int j = 0; j < 200; j++) {
			Vec3 from = Scale(700.0f, Normalize(RandomVec(&r, -1.0, 1.0))), to = RandomVec(&r, -200.0, 200.0);
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

Suite *suite_shape_rays(void);
Suite *suite_shape_rays(void)
{
	Suite *suite = suite_create("shape_rays");
	TCase *tcase = tcase_create("shape_rays");
	tcase_add_checked_fixture(tcase, Setup, Teardown);
	tcase_set_timeout(tcase, 120);
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
