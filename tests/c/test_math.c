/* math: matrices against their definitions, trigonometry against libm in long double, and golden hashes of the bits. */
#include "math/math.h"
#include "require.h"

#include <float.h>
#include <math.h>

#define POINTS 100000
/* Where long double is no wider than double, the reference has an error of its own. */
#define MAX_ULPS (LDBL_MANT_DIG > DBL_MANT_DIG ? 1.0 : 2.0)

/* ---- matrices and rotations -------------------------------------------------------------------------------- */

static float Signed(Random *r, float size)
{
	return (float)Random_Range(r, -(double)size, (double)size);
}

static Vec3 RandomVec(Random *r, float size)
{
	float x = Signed(r, size), y = Signed(r, size), z = Signed(r, size);
	return V3(x, y, z);
}

static Quat RandomQuat(Random *r)
{
	for (;;) {
		float x = Signed(r, 1), y = Signed(r, 1), z = Signed(r, 1), w = Signed(r, 1);
		float size = x * x + y * y + z * z + w * w;
		if (size > 0.01f && size <= 1.0f)
			return QuatNormalize((Quat){x, y, z, w});
	}
}

static float DistanceV(Vec3 a, Vec3 b)
{
	return Length(Sub(a, b));
}

static float DistanceM(Mat3 a, Mat3 b)
{
	return Max(DistanceV(a.cx, b.cx), Max(DistanceV(a.cy, b.cy), DistanceV(a.cz, b.cz)));
}

static const Mat3 IDENTITY = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

START_TEST(inverse_and_solve)
{
	Random r = {1};
	for (int i = 0; i < 20000; i++) {
		float size = i % 2 ? 1e-6f : 50.0f; /* a pebble's inertia, and a hill's */
		Mat3 m = {RandomVec(&r, size), RandomVec(&r, size), RandomVec(&r, size)};
		Vec3 b = RandomVec(&r, 1.0f);
		Mat3 inverse = MatInverse(m);
		Vec3 x = MatSolve(m, b);
		/* Rounding the inverse to float costs as much as the matrix is ill-conditioned. */
		float norm = Length(m.cx) + Length(m.cy) + Length(m.cz);
		float condition = norm * (Length(inverse.cx) + Length(inverse.cy) + Length(inverse.cz));
		REQUIRE(DistanceM(MatMul(m, inverse), IDENTITY) <= 1e-6f * condition, "seed 1 matrix %d", i);
		REQUIRE(DistanceV(MatMulV(m, x), b) <= 1e-6f * condition, "seed 1 matrix %d", i);
		REQUIRE(condition < 1e4f || i > 0, "matrix 0 should be an easy one");
	}
	Mat3 shear = {{2, 0, 0}, {1, 4, 0}, {0, 0, 8}}; /* columns */
	Mat3 expected = {{0.5f, 0, 0}, {-0.125f, 0.25f, 0}, {0, 0, 0.125f}};
	ck_assert(DistanceM(MatInverse(shear), expected) == 0.0f);
	ck_assert(DistanceV(MatSolve(shear, V3(3, 4, 8)), V3(1, 1, 1)) == 0.0f);
}
END_TEST

START_TEST(singular_matrices_give_zero)
{
	Mat3 zero = MatDiag(0, 0, 0);
	Mat3 flat = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}};
	Mat3 twin = {{1, 2, 3}, {1, 2, 3}, {0, 0, 1}};
	Mat3 wrong = {{NAN, 2, 3}, {4, 5, 6}, {7, 8, 10}};
	Mat3 bad[] = {zero, flat, twin, wrong, MatDiag(1e-30f, 1e-30f, 1e-45f), MatDiag(INFINITY, 1, 1)};
	for (int i = 0; i < COUNT_OF(bad); i++) {
		REQUIRE(DistanceM(MatInverse(bad[i]), zero) == 0.0f, "matrix %d", i);
		REQUIRE(LengthSq(MatSolve(bad[i], V3(1, 1, 1))) == 0.0f, "matrix %d", i);
	}
}
END_TEST

START_TEST(quaternions_and_matrices)
{
	Random r = {2};
	for (int i = 0; i < 50000; i++) {
		Quat q = RandomQuat(&r);
		if (i % 4 == 0) /* half turns, where the trace is least */
			q = QuatNormalize((Quat){q.x, i % 8 ? q.y : 0.0f, i % 16 ? q.z : 0.0f, 1e-4f * q.w});
		Mat3 m = QuatToMat(q);
		Quat back = MatToQuat(m);
		Vec3 v = RandomVec(&r, 3.0f);
		float dot = q.x * back.x + q.y * back.y + q.z * back.z + q.w * back.w;
		REQUIRE(Abs(Abs(dot) - 1.0f) < 1e-6f, "seed 2 rotation %d: dot %g", i, (double)dot);
		REQUIRE(DistanceV(MatMulV(m, v), Rotate(q, v)) < 1e-5f, "seed 2 rotation %d", i);
		REQUIRE(DistanceV(InvRotate(q, Rotate(q, v)), v) < 1e-5f, "seed 2 rotation %d", i);
		REQUIRE(DistanceV(MatTMulV(m, v), InvRotate(q, v)) < 1e-5f, "seed 2 rotation %d", i);
		Quat p = RandomQuat(&r);
		REQUIRE(DistanceV(Rotate(QuatMul(p, q), v), Rotate(p, Rotate(q, v))) < 1e-5f, "seed 2 rotation %d", i);
	}
	/* A quarter turn about y takes z to x: right-handed. */
	Quat turn = Quat_FromAxisAngle(V3(0, 1, 0), PI / 2);
	ck_assert(DistanceV(Rotate(turn, V3(0, 0, 1)), V3(1, 0, 0)) < 1e-6f);
	ck_assert(DistanceV(Rotate(turn, V3(1, 0, 0)), V3(0, 0, -1)) < 1e-6f);
	/* Small steps about an axis add up to the turn. */
	Quat q = QuatIdentity();
	for (int i = 0; i < 1000; i++)
		q = QuatIntegrate(q, V3(0, (float)(PI / 2000), 0));
	ck_assert(DistanceV(Rotate(q, V3(0, 0, 1)), V3(1, 0, 0)) < 1e-4f);
}
END_TEST

static Mat3 Recompose(Quat q, Vec3 values)
{
	Mat3 turn = QuatToMat(q);
	return MatMul(MatMul(turn, MatDiag(values.x, values.y, values.z)), MatTranspose(turn));
}

START_TEST(principal_axes)
{
	Random r = {3};
	for (int i = 0; i < 20000; i++) {
		Vec3 d = RandomVec(&r, i % 3 == 0 ? 1e-9f : 10.0f);
		if (i % 5 == 0)
			d.y = d.x; /* equal ones: any axes in their plane will do */
		if (i % 35 == 0)
			d.z = d.x;
		Mat3 m = Recompose(RandomQuat(&r), d);
		m.cx.y = m.cy.x; /* exactly symmetric */
		m.cx.z = m.cz.x;
		m.cy.z = m.cz.y;
		Vec3 values;
		Quat q = MatDiagonalize(m, &values);
		float size = Length(d);
		REQUIRE(Abs(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w - 1.0f) < 1e-6f, "seed 3 matrix %d", i);
		REQUIRE(DistanceM(Recompose(q, values), m) < 2e-6f * size, "seed 3 matrix %d", i);
		REQUIRE(Abs(values.x + values.y + values.z - (d.x + d.y + d.z)) < 2e-6f * size, "seed 3 matrix %d", i);
	}
	Vec3 values;
	Quat q = MatDiagonalize(MatDiag(3, 1, 2), &values);
	ck_assert(q.x == 0.0f && q.y == 0.0f && q.z == 0.0f && q.w == 1.0f);
	ck_assert(DistanceV(values, V3(3, 1, 2)) == 0.0f);
	/* A thin rod along (1, 1, 0): one principal value is 0. */
	Mat3 rod = {{1, -1, 0}, {-1, 1, 0}, {0, 0, 2}};
	MatDiagonalize(rod, &values);
	ck_assert(Abs(MinV(values, V3(values.y, values.z, values.x)).x) < 1e-6f || Abs(values.z) < 1e-6f);
	ck_assert(Abs(values.x + values.y + values.z - 4.0f) < 1e-6f);
	/* Not numbers: it ends, and gives a rotation. */
	q = MatDiagonalize(MatDiag(NAN, 1, INFINITY), &values);
	ck_assert(q.w == 1.0f);
}
END_TEST

/* ---- the header's small functions -------------------------------------------------------------------------- */

START_TEST(scalars_and_vectors)
{
	static const double values[] = {0.0,          -0.0,          0.5,   -0.5,   1.0,          -1.0,
	                                1.999999,     -2.5,          1e-30, -1e-30, 2147483646.5, -2147483647.5,
	                                2147483647.0, -2147483648.0, 1e9,   -1e9,   123456.789,   -123456.00001};
	for (int i = 0; i < COUNT_OF(values); i++) {
		REQUIRE((double)FloorToInt(values[i]) == floor(values[i]), "floor of %.17g", values[i]);
		if (values[i] > -2147483647.0)
			REQUIRE((double)CeilToInt(values[i]) == ceil(values[i]), "ceil of %.17g", values[i]);
	}
	ck_assert(IsFinite(DBL_MAX) && IsFinite(-0.0) && !IsFinite((double)NAN) && !IsFinite(-(double)INFINITY));
	Random r = {4};
	for (int i = 0; i < 10000; i++) {
		Vec3 n = Normalize(RandomVec(&r, 1.0f)), p = Perpendicular(n);
		REQUIRE(Abs(Dot(n, p)) < 1e-6f && Abs(Length(p) - 1.0f) < 1e-6f, "seed 4 vector %d", i);
		Vec3 c = Cross(n, p);
		REQUIRE(Abs(Dot(c, n)) < 1e-6f && Abs(Dot(c, p)) < 1e-6f && Abs(Length(c) - 1.0f) < 1e-6f, "vector %d", i);
	}
	ck_assert(LengthSq(Normalize(V3(0, 0, 0))) == 0.0f);
	ck_assert(DistanceV(Cross(V3(1, 0, 0), V3(0, 1, 0)), V3(0, 0, 1)) == 0.0f);
}
END_TEST

static Xform RandomXform(Random *r)
{
	Vec3 p = RandomVec(r, 5.0f);
	return (Xform){p, RandomQuat(r)};
}

START_TEST(placements)
{
	Random r = {5};
	for (int i = 0; i < 20000; i++) {
		Xform a = RandomXform(&r), b = RandomXform(&r);
		Vec3 v = RandomVec(&r, 2.0f);
		Vec3 ab = XformPoint(a, XformPoint(b, v));
		REQUIRE(DistanceV(XformPoint(XformMul(a, b), v), ab) < 2e-5f, "seed 5 placement %d", i);
		REQUIRE(DistanceV(XformInvPoint(a, ab), XformPoint(b, v)) < 2e-5f, "seed 5 placement %d", i);
		REQUIRE(DistanceV(XformPoint(XformInvMul(a, XformMul(a, b)), v), XformPoint(b, v)) < 3e-5f, "%d", i);

		/* Far from the origin, what is relative stays as exact. */
		Pose far = {{1e7, -2e6, 3e7}, a.q};
		Pose near = PoseMul(far, b);
		REQUIRE(DistanceV(PoseInvPoint(far, PosePoint(near, v)), XformPoint(b, v)) < 2e-5f, "placement %d", i);
		Xform relative = PoseInvMul(far, near);
		REQUIRE(DistanceV(XformPoint(relative, v), XformPoint(b, v)) < 2e-5f, "seed 5 placement %d", i);
	}
}
END_TEST

START_TEST(boxes)
{
	Random r = {6};
	for (int i = 0; i < 5000; i++) {
		Box box = BoxAddPoint(BoxEmpty(), RandomVec(&r, 2.0f));
		box = BoxAddPoint(box, RandomVec(&r, 2.0f));
		Xform t = RandomXform(&r);
		Box around = BoxTransform(box, t), corners = BoxEmpty();
		for (int k = 0; k < 8; k++)
			corners = BoxAddPoint(corners, XformPoint(t, V3(k & 1 ? box.lo.x : box.hi.x, k & 2 ? box.lo.y : box.hi.y,
			                                                k & 4 ? box.lo.z : box.hi.z)));
		/* The tight box of the corners, up to rounding. */
		REQUIRE(BoxContains(BoxGrow(around, 1e-5f), corners), "seed 6 box %d", i);
		REQUIRE(BoxContains(BoxGrow(corners, 1e-5f), around), "seed 6 box %d", i);
		WorldBox placed = BoxToWorld(box, (Pose){{1e6, 0, -1e6}, t.q});
		Vec3 shift = Sub(around.lo, t.p), got = PosSub(placed.lo, (Pos){1e6, 0, -1e6});
		REQUIRE(DistanceV(shift, got) < 1e-5f, "seed 6 box %d", i);
	}
	Box unit = {{0, 0, 0}, {1, 1, 1}};
	for (int axis = 0; axis < 3; axis++) {
		for (int side = -1; side <= 1; side += 2) {
			float touch = (float)side, apart = 1.001f * (float)side;
			Vec3 d = {axis == 0, axis == 1, axis == 2};
			Box a = {MulAdd(unit.lo, touch, d), MulAdd(unit.hi, touch, d)};
			Box b = {MulAdd(unit.lo, apart, d), MulAdd(unit.hi, apart, d)};
			ck_assert(BoxOverlap(unit, a) && BoxOverlap(a, unit));
			ck_assert(!BoxOverlap(unit, b) && !BoxOverlap(b, unit));
		}
	}
	ck_assert(!BoxOverlap(BoxEmpty(), unit));
}
END_TEST

/* ---- trigonometry ------------------------------------------------------------------------------------------ */

/* The distance of `got` from the true value, in units of the last place of a double there. */
static double Ulps(double got, long double truth)
{
	double rounded = (double)truth;
	if (got == rounded || (got != got && rounded != rounded))
		return 0.0;
	if (!IsFinite(rounded) || !IsFinite(got))
		return (double)INFINITY;
	int exponent;
	frexp(rounded, &exponent);
	double unit = ldexp(1.0, exponent < -1021 ? -1074 : exponent - 53);
	return (double)(fabsl((long double)got - truth) / (long double)unit);
}

typedef double Function(double x);
typedef long double Reference(long double x);

/* Uniform in [lo, hi] in one half of the points, in the other with sizes spread over all exponents up to that. */
static double SamplePoint(Random *r, int i, double lo, double hi)
{
	if (i % 2)
		return Random_Range(r, lo, hi);
	for (;;) {
		double fraction = 1.0 + Random_Unit(r);
		double x = ldexp(fraction, -Random_Below(r, 60)) * MaxD(AbsD(lo), AbsD(hi)) / 2.0;
		x = lo < 0.0 && Random_Below(r, 2) ? -x : x;
		if (x >= lo && x <= hi)
			return x;
	}
}

static void CompareFunction(const char *name, Function *function, Reference *reference, double lo, double hi)
{
	Random r = {7};
	for (int i = 0; i < POINTS; i++) {
		double x = SamplePoint(&r, i, lo, hi);
		double ulps = Ulps(function(x), reference((long double)x));
		REQUIRE(ulps < MAX_ULPS, "%s(%.17g) is %.17g, %g ulps off", name, x, function(x), ulps);
	}
}

START_TEST(trig_close_to_truth)
{
	CompareFunction("sin", Trig_Sin, sinl, -4.0, 4.0);
	CompareFunction("cos", Trig_Cos, cosl, -4.0, 4.0);
	CompareFunction("tan", Trig_Tan, tanl, -4.0, 4.0);
	CompareFunction("sin", Trig_Sin, sinl, -1e6, 1e6);
	CompareFunction("cos", Trig_Cos, cosl, -1e6, 1e6);
	CompareFunction("tan", Trig_Tan, tanl, -1e6, 1e6);
	CompareFunction("asin", Trig_Asin, asinl, -1.0, 1.0);
	CompareFunction("acos", Trig_Acos, acosl, -1.0, 1.0);
	CompareFunction("exp", Trig_Exp, expl, -1.0, 1.0);
	CompareFunction("exp", Trig_Exp, expl, -750.0, 712.0);
	CompareFunction("log", Trig_Log, logl, 0.0, 4.0);
	CompareFunction("log", Trig_Log, logl, 0.9, 1.1);
	CompareFunction("log", Trig_Log, logl, 0.0, 1e300);
}
END_TEST

/* Multiples of pi/2 rounded to double, where nothing but the error of the reduction is left, and huge arguments. */
START_TEST(trig_hard_arguments)
{
	Random r = {8};
	for (int i = 0; i < POINTS; i++) {
		double fraction = 1.0 + Random_Unit(&r);
		double x = i % 2 ? (double)(1 + i) * (PI / 2) : ldexp(fraction, Random_Below(&r, 1024));
		/* 6381956970095103 * 2^797 is the double nearest to a multiple of pi/2 (Kahan). */
		if (i == 0)
			x = ldexp(6381956970095103.0, 797);
		REQUIRE(Ulps(Trig_Sin(x), sinl((long double)x)) < MAX_ULPS, "seed 8: sin(%a) = %a", x, Trig_Sin(x));
		REQUIRE(Ulps(Trig_Cos(x), cosl((long double)x)) < MAX_ULPS, "seed 8: cos(%a) = %a", x, Trig_Cos(x));
		REQUIRE(Ulps(Trig_Tan(-x), tanl((long double)-x)) < MAX_ULPS, "seed 8: tan(%a) = %a", -x, Trig_Tan(-x));
	}
	ck_assert(Trig_Cos(ldexp(6381956970095103.0, 797)) == -4.68716592425462761112e-19);
}
END_TEST

/* Of any size when `wide`, else between -1 and 1. */
static double AnyDouble(Random *r, bool wide)
{
	double unit = Random_Unit(r), x = wide ? ldexp(1.0 + unit, Random_Below(r, 2097) - 1074) : unit;
	return Random_Below(r, 2) ? x : -x;
}

START_TEST(atan2_close_to_truth)
{
	Random r = {9};
	for (int i = 0; i < 3 * POINTS; i++) {
		double y = AnyDouble(&r, i % 3 == 0), x = AnyDouble(&r, i % 3 == 0);
		if (i % 3 == 2) { /* of like size, somewhere on the scale */
			double scale = ldexp(1.0, Random_Below(&r, 2060) - 1040);
			x *= scale;
			y *= scale;
		}
		double ulps = Ulps(Trig_Atan2(y, x), atan2l((long double)y, (long double)x));
		REQUIRE(ulps < MAX_ULPS, "seed 9: atan2(%a, %a) = %a, %g ulps off", y, x, Trig_Atan2(y, x), ulps);
	}
}
END_TEST

START_TEST(pow_close_to_truth)
{
	Random r = {10};
	for (int i = 0; i < POINTS; i++) {
		double x = AbsD(AnyDouble(&r, i % 3 == 0)), y = Random_Range(&r, -300.0, 300.0);
		if (i % 3 == 0)
			y = ldexp(y, -Random_Below(&r, 60));
		if (i % 3 == 1) { /* near 1 with a large exponent */
			x = 1.0 + ldexp(x, -Random_Below(&r, 45));
			y = 3.0 * y / log(x);
			y = IsFinite(y) ? y : 1e9;
		}
		double ulps = Ulps(Trig_Pow(x, y), powl((long double)x, (long double)y));
		REQUIRE(ulps < MAX_ULPS, "seed 10: pow(%a, %a) = %a, %g ulps off", x, y, Trig_Pow(x, y), ulps);
	}
	/* Whole powers that are doubles come out exactly. */
	for (int base = 2; base <= 10; base++) {
		double product = 1.0;
		for (int n = 0; product < 9e15; n++, product *= base) {
			REQUIRE(Trig_Pow(base, n) == product, "pow(%d, %d)", base, n);
			REQUIRE(Trig_Pow(-base, n) == (n % 2 ? -product : product), "pow(-%d, %d)", base, n);
		}
	}
}
END_TEST

static bool SameDouble(double a, double b)
{
	return (a != a && b != b) || (a == b && !signbit(a) == !signbit(b));
}

static const double SPECIAL[] = {0.0,    -0.0,    1.0,   -1.0,   2.0,        -2.0,       3.0,      -3.0,      0.5,
                                 -0.5,   1.5,     -1.5,  1e300,  -1e300,     1e-300,     -1e-300,  5e-324,    -5e-324,
                                 0x1p53, -0x1p53, 1e308, -1e308, 0x1p53 - 1, 1 - 0x1p53, INFINITY, -INFINITY, NAN};

/* Zeros, infinities, NaNs and the signs of results as libm has them. */
START_TEST(trig_special_cases)
{
	static const struct {
		const char *name;
		Function *ours, *libm;
	} functions[] = {{"sin", Trig_Sin, sin},    {"cos", Trig_Cos, cos},    {"tan", Trig_Tan, tan},
	                 {"asin", Trig_Asin, asin}, {"acos", Trig_Acos, acos}, {"exp", Trig_Exp, exp},
	                 {"log", Trig_Log, log}};
	for (int i = 0; i < COUNT_OF(SPECIAL); i++) {
		double x = SPECIAL[i];
		for (int f = 0; f < COUNT_OF(functions); f++) {
			double ours = functions[f].ours(x), libm = functions[f].libm(x);
			REQUIRE(SameDouble(ours, libm) || (libm != 0.0 && Ulps(ours, (long double)libm) <= 1.0),
			        "%s(%g) is %.17g, libm says %.17g", functions[f].name, x, ours, libm);
		}
		for (int k = 0; k < COUNT_OF(SPECIAL); k++) {
			double y = SPECIAL[k];
			double ours = Trig_Pow(x, y), libm = pow(x, y);
			REQUIRE(SameDouble(ours, libm) || (libm != 0.0 && Ulps(ours, (long double)libm) <= 1.0),
			        "pow(%g, %g) is %.17g, libm says %.17g", x, y, ours, libm);
			ours = Trig_Atan2(x, y);
			libm = atan2(x, y);
			REQUIRE(SameDouble(ours, libm) || (libm != 0.0 && Ulps(ours, (long double)libm) <= 1.0),
			        "atan2(%g, %g) is %.17g, libm says %.17g", x, y, ours, libm);
		}
	}
	ck_assert(Trig_Exp(0.0) == 1.0 && Trig_Log(1.0) == 0.0 && Trig_Acos(1.0) == 0.0);
	ck_assert(Trig_Exp(709.782712893384) < (double)INFINITY && Trig_Exp(709.7827128933841) == (double)INFINITY);
	ck_assert(Trig_Exp(-745.1332191019411) == 5e-324 && Trig_Exp(-745.1332191019412) == 0.0);
}
END_TEST

/* ---- the same bits everywhere ------------------------------------------------------------------------------- */

/* Numbers over the whole range that the function has, not only round ones. */
static double GridPoint(int i, int n, double lo, double hi)
{
	return lo + (hi - lo) * ((double)i / (double)n);
}

static void HashDouble(Hasher *hasher, double x)
{
	Hasher_Bytes(hasher, &x, sizeof x);
}

static void HashVec(Hasher *hasher, Vec3 v)
{
	float values[3] = {v.x, v.y, v.z};
	Hasher_Bytes(hasher, values, sizeof values);
}

static void HashQuat(Hasher *hasher, Quat q)
{
	float values[4] = {q.x, q.y, q.z, q.w};
	Hasher_Bytes(hasher, values, sizeof values);
}

/* The hash depends on nothing but the bits of the results: every compiler, level of optimisation and machine (of the
 * same byte order) must find this one. It changes only with the algorithms. */
START_TEST(trig_golden_bits)
{
	enum { N = 20000 };
	Hasher hasher;
	Hasher_Init(&hasher);
	for (int i = 0; i <= N; i++) {
		double wide = GridPoint(i, N, -1e4, 1e4), unit = GridPoint(i, N, -1.0, 1.0);
		double huge = Trig_Exp(GridPoint(i, N, 10.0, 700.0));
		HashDouble(&hasher, Trig_Sin(wide));
		HashDouble(&hasher, Trig_Cos(wide));
		HashDouble(&hasher, Trig_Tan(wide));
		HashDouble(&hasher, Trig_Sin(huge));
		HashDouble(&hasher, Trig_Asin(unit));
		HashDouble(&hasher, Trig_Acos(unit));
		HashDouble(&hasher, Trig_Atan2(unit, GridPoint((int)((int64_t)i * 7919 % N), N, -2.0, 2.0)));
		HashDouble(&hasher, Trig_Exp(GridPoint(i, N, -744.0, 709.0)));
		HashDouble(&hasher, Trig_Log(huge));
		HashDouble(&hasher, Trig_Log(1.0 + 0.5 * unit));
		HashDouble(&hasher, Trig_Pow(1.5 + unit, wide / 100.0));
		HashQuat(&hasher, Quat_FromAxisAngle(V3(0.6f, 0.0f, 0.8f), wide));
	}
	/* Not-a-numbers have one pattern too. */
	for (int i = 0; i < COUNT_OF(SPECIAL); i++) {
		HashDouble(&hasher, Trig_Sin(SPECIAL[i]));
		HashDouble(&hasher, Trig_Asin(SPECIAL[i]));
		HashDouble(&hasher, Trig_Log(SPECIAL[i]));
		HashDouble(&hasher, Trig_Pow(SPECIAL[i], 0.3));
		HashDouble(&hasher, Trig_Atan2(SPECIAL[i], (double)NAN));
	}
	ck_assert_uint_eq(Hasher_Value(&hasher), 0x1934425A0B8E7032u);
}
END_TEST

START_TEST(matrix_golden_bits)
{
	Hasher hasher;
	Hasher_Init(&hasher);
	Random r = {11};
	for (int i = 0; i < 5000; i++) {
		Vec3 a = RandomVec(&r, 10.0f), b = RandomVec(&r, 10.0f), c = RandomVec(&r, 10.0f), values;
		Quat q = RandomQuat(&r);
		Mat3 inverse = MatInverse((Mat3){a, b, c});
		HashVec(&hasher, inverse.cx);
		HashVec(&hasher, inverse.cy);
		HashVec(&hasher, inverse.cz);
		HashVec(&hasher, MatSolve((Mat3){a, b, c}, c));
		HashQuat(&hasher, MatToQuat(QuatToMat(q)));
		HashQuat(&hasher, MatDiagonalize((Mat3){a, V3(a.y, b.y, b.z), V3(a.z, b.z, c.z)}, &values));
		HashVec(&hasher, values);
		HashVec(&hasher, Rotate(q, Cross(a, Normalize(b))));
		HashQuat(&hasher, QuatIntegrate(q, Scale(0.01f, c)));
	}
	ck_assert_uint_eq(Hasher_Value(&hasher), 0xFC5CD25D0C7274A6u);
}
END_TEST

Suite *suite_math(void)
{
	Suite *suite = suite_create("math");
	TCase *matrices = tcase_create("matrices");
	tcase_add_test(matrices, inverse_and_solve);
	tcase_add_test(matrices, singular_matrices_give_zero);
	tcase_add_test(matrices, quaternions_and_matrices);
	tcase_add_test(matrices, principal_axes);
	suite_add_tcase(suite, matrices);
	TCase *header = tcase_create("header");
	tcase_add_test(header, scalars_and_vectors);
	tcase_add_test(header, placements);
	tcase_add_test(header, boxes);
	suite_add_tcase(suite, header);
	TCase *trig = tcase_create("trig");
	tcase_set_timeout(trig, 60);
	tcase_add_test(trig, trig_close_to_truth);
	tcase_add_test(trig, trig_hard_arguments);
	tcase_add_test(trig, atan2_close_to_truth);
	tcase_add_test(trig, pow_close_to_truth);
	tcase_add_test(trig, trig_special_cases);
	suite_add_tcase(suite, trig);
	TCase *golden = tcase_create("golden");
	tcase_add_test(golden, trig_golden_bits);
	tcase_add_test(golden, matrix_golden_bits);
	suite_add_tcase(suite, golden);
	return suite;
}
