/* What of a shape lies under a plane: closed forms, sums over thin slices, and that what is under and what is over make
 * the whole. */
#include "collide_twins.h"

#include <check.h>

typedef struct Under {
	double volume;
	P3 first;
} Under;

static Under UnderOf(const Shape *shape, Xform at, Vec3 normal, float offset)
{
	float volume;
	Vec3 center;
	Shape_Submerged(shape, at, normal, offset, &volume, &center);
	P3 c = P3Of(center);
	return (Under){volume, {volume * c.x, volume * c.y, volume * c.z}};
}

/* Squared radius of the slice at height y. */
static double SquareAt(const Shape *s, double y)
{
	double r = s->radius, h = s->half_length;
	if (s->kind == SHAPE_BALL)
		return r * r - y * y;
	if (s->kind == SHAPE_CYLINDER)
		return r * r;
	if (s->kind == SHAPE_CONE)
		return r * r * (h - y) * (h - y) / (4.0 * h * h);
	double beyond = fabs(y) > h ? fabs(y) - h : 0.0;
	return r * r - beyond * beyond;
}

/* Many slices across the axis, in the shape's frame. */
static Under SumSlices(const Shape *s, P3 n, double d)
{
	double end = s->kind == SHAPE_BALL ? s->radius : s->half_length + (s->kind == SHAPE_CAPSULE ? s->radius : 0.0f);
	double across = sqrt(n.x * n.x + n.z * n.z), thick = 2.0 * end / 20000.0;
	Under sum = {0.0, {0.0, 0.0, 0.0}};
	for (int i = 0; i < 20000; i++) {
		double y = -end + (i + 0.5) * thick, r = sqrt(SquareAt(s, y)), e = (d - n.y * y) / across;
		double area, moment = 0.0;
		if (e >= r) {
			area = PI * r * r;
		} else if (e <= -r) {
			continue;
		} else {
			area = r * r * acos(-e / r) + e * sqrt(r * r - e * e);
			moment = -2.0 / 3.0 * pow(r * r - e * e, 1.5);
		}
		sum.volume += thick * area;
		sum.first = P3Add(sum.first, thick * moment / across, (P3){n.x, 0.0, n.z});
		sum.first.y += thick * area * y;
	}
	return sum;
}

START_TEST(test_slices)
{
	static const ShapeKind kinds[4] = {SHAPE_BALL, SHAPE_CAPSULE, SHAPE_CYLINDER, SHAPE_CONE};
	Random r = {700 + (uint64_t)_i};
	for (int k = 0; k < 40; k++) {
		Shape s = {.kind = kinds[_i],
		           .radius = (float)Random_Range(&r, 0.1, 2.0),
		           .half_length = (float)Random_Range(&r, 0.1, 2.0)};
		Vec3 n = RandomDirection(&r);
		float reach = Dot(n, Shape_Support(&s, n)), low = Dot(n, Shape_Support(&s, Neg(n)));
		float d = (float)Random_Range(&r, low, reach);
		Under got = UnderOf(&s, XformIdentity(), n, d), want = SumSlices(&s, P3Of(n), d);
		double size = Shape_Volume(&s), length = Shape_OuterRadius(&s);
		REQUIRE(fabs(got.volume - want.volume) < 1e-5 * size, "seed %d.%d: volume %.9g, slices %.9g of %g", _i, k,
		        got.volume, want.volume, size);
		double off = P3Length(P3Sub(got.first, want.first));
		REQUIRE(off < 2e-5 * size * length, "seed %d.%d: moment off by %g of %g", _i, k, off, size * length);
	}
}
END_TEST

/* Any kind, placed anywhere: under and over are the whole, and a turned world says the same. */
START_TEST(test_both_sides)
{
	HullStock stock;
	Random r = {740};
	HullStock_Make(&stock, &r);
	for (int k = 0; k < 3000; k++) {
		Shape s = RandomShape(&r, &stock, (ShapeKind)(k % SHAPE_KIND_COUNT));
		Xform at = RandomPlace(&r, 0.0, 5.0), to_plane = {{0, 0, 0}, RandomTurn(&r)};
		Vec3 n = RandomDirection(&r);
		float d = Dot(n, at.p) + (float)Random_Range(&r, -2.0, 2.0);
		MassProps whole = Shape_Mass(&s, 1.0f);
		Vec3 center = XformPoint(at, whole.center);
		Under a = UnderOf(&s, at, n, d), b = UnderOf(&s, at, Neg(n), -d);
		Under c = UnderOf(&s, XformMul(to_plane, at), Rotate(to_plane.q, n), d);
		double size = whole.mass, length = Shape_OuterRadius(&s) + 6.0;
		REQUIRE(fabs(a.volume + b.volume - size) < 3e-6 * size, "seed %d, kind %d: %.9g and %.9g are not %.9g", k,
		        s.kind, a.volume, b.volume, size);
		P3 sum = P3Add(P3Add(a.first, 1.0, b.first), -size, P3Of(center));
		REQUIRE(P3Length(sum) < 5e-6 * size * length, "seed %d, kind %d: moments off by %g", k, s.kind, P3Length(sum));
		REQUIRE(fabs(a.volume - c.volume) < 2e-5 * size, "seed %d, kind %d: turned %.9g, was %.9g", k, s.kind, c.volume,
		        a.volume);
	}
	HullStock_Free(&stock);
}
END_TEST

START_TEST(test_known)
{
	Vec3 up = {0, 1, 0}, center;
	float volume;
	Shape cube = {.kind = SHAPE_BOX, .half = {1, 1, 1}};
	Shape_Submerged(&cube, (Xform){{0, 0.5f, 0}, QuatIdentity()}, up, 0.0f, &volume, &center);
	ck_assert_msg(fabs(volume - 2.0) < 1e-6 && fabs(center.y + 0.25) < 1e-6, "%g at %g", volume, center.y);
	Shape ball = {.kind = SHAPE_BALL, .radius = 1};
	Shape_Submerged(&ball, XformIdentity(), up, 0.0f, &volume, &center);
	ck_assert_msg(fabs(volume - 2.0 / 3.0 * PI) < 1e-6 && fabs(center.y + 0.375) < 1e-6, "%g at %g", volume, center.y);
	/* lying half in the water: a half disc's centre is 4 r / (3 pi) off */
	Shape log = {.kind = SHAPE_CYLINDER, .radius = 0.5f, .half_length = 2};
	Xform lying = {{0, 0, 0}, {0.70710678f, 0, 0, 0.70710678f}};
	Shape_Submerged(&log, lying, up, 0.0f, &volume, &center);
	ck_assert_msg(fabs(volume - 0.5 * PI) < 1e-6 && fabs(center.y + 2.0 / (3.0 * PI)) < 1e-6, "%.9g at %.9g", volume,
	              center.y);
	Shape_Submerged(&log, XformIdentity(), up, -1.0f, &volume, &center);
	ck_assert_msg(fabs(volume - 0.25 * PI) < 1e-6 && fabs(center.y + 1.5) < 1e-6, "%.9g at %.9g", volume, center.y);
	/* the upper half of a cone's height holds an eighth of it */
	Shape cone = {.kind = SHAPE_CONE, .radius = 1, .half_length = 1};
	Shape_Submerged(&cone, XformIdentity(), up, 0.0f, &volume, &center);
	ck_assert_msg(fabs(volume - 7.0 / 12.0 * PI) < 1e-6, "%.9g", volume);
	Shape_Submerged(&cone, XformIdentity(), up, -1.0f, &volume, &center);
	ck_assert_msg(volume == 0.0f && center.y == -0.5f, "%g at %g", volume, center.y);
	Shape_Submerged(&cone, XformIdentity(), up, 1.0f, &volume, &center);
	ck_assert_msg(volume == Shape_Volume(&cone) && center.y == -0.5f, "%g at %g", volume, center.y);
}
END_TEST

Suite *suite_submerged(void);
Suite *suite_submerged(void)
{
	Suite *suite = suite_create("submerged");
	TCase *tcase = tcase_create("submerged");
	tcase_add_loop_test(tcase, test_slices, 0, 4);
	tcase_add_test(tcase, test_both_sides);
	tcase_add_test(tcase, test_known);
	suite_add_tcase(suite, tcase);
	return suite;
}
