/* Trigonometry, exponentials and logarithms that give the same bits on every machine: additions, multiplications,
 * divisions and square roots of IEEE doubles in a fixed order, nothing from libm but sqrt.
 *
 * Method: the argument is reduced to a short interval around zero and a Taylor series is summed there. The leading
 * terms are carried in twofold precision (the sum of two doubles), so that almost only the last rounding is left.
 * Twofold arithmetic: T. J. Dekker, "A floating-point technique for extending the available precision" (1971), and
 * D. E. Knuth, TAOCP vol. 2, 4.2.2. Coefficients are written as the fractions they are; the compiler rounds them. */
#include "math/math.h"

/* ---- twofold numbers --------------------------------------------------------------------------------------- */

/* hi + lo with |lo| at most half a unit in the last place of hi. */
typedef struct Twofold {
	double hi, lo;
} Twofold;

/* Exact sum, for |a| >= |b| or a == 0. */
static Twofold FastTwoSum(double a, double b)
{
	double s = a + b;
	return (Twofold){s, b - (s - a)};
}

/* Exact sum. */
static Twofold TwoSum(double a, double b)
{
	double s = a + b;
	double t = s - a;
	return (Twofold){s, (a - (s - t)) + (b - t)};
}

/* Exact product, for factors below 2^996 and a product that does not underflow. */
static Twofold TwoProduct(double a, double b)
{
	double split = 134217729.0; /* 2^27 + 1: halves of 26 bits */
	double ta = split * a, tb = split * b;
	double ah = ta - (ta - a), bh = tb - (tb - b);
	double al = a - ah, bl = b - bh;
	double p = a * b;
	return (Twofold){p, ((ah * bh - p) + ah * bl + al * bh) + al * bl};
}

static Twofold TwofoldNeg(Twofold a)
{
	return (Twofold){-a.hi, -a.lo};
}

static Twofold TwofoldAdd(Twofold a, Twofold b)
{
	Twofold s = TwoSum(a.hi, b.hi);
	return FastTwoSum(s.hi, s.lo + (a.lo + b.lo));
}

static Twofold TwofoldMul(Twofold a, Twofold b)
{
	Twofold p = TwoProduct(a.hi, b.hi);
	return FastTwoSum(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}

static Twofold TwofoldDiv(Twofold a, Twofold b)
{
	double q = a.hi / b.hi;
	Twofold p = TwoProduct(q, b.hi);
	double rest = ((a.hi - p.hi) - p.lo) + (a.lo - q * b.lo);
	return FastTwoSum(q, rest / b.hi);
}

static Twofold TwofoldSqrt(Twofold a)
{
	double s = sqrt(a.hi);
	Twofold p = TwoProduct(s, s);
	double rest = ((a.hi - p.hi) - p.lo) + a.lo;
	return FastTwoSum(s, rest / (2.0 * s));
}

/* ---- bits -------------------------------------------------------------------------------------------------- */

static uint64_t BitsOf(double x)
{
	uint64_t bits;
	memcpy(&bits, &x, sizeof bits);
	return bits;
}

static double FromBits(uint64_t bits)
{
	double x;
	memcpy(&x, &bits, sizeof x);
	return x;
}

static bool IsNegative(double x)
{
	return BitsOf(x) >> 63 != 0;
}

static double CopySign(double magnitude, double sign)
{
	uint64_t mask = (uint64_t)1 << 63;
	return FromBits((BitsOf(magnitude) & ~mask) | (BitsOf(sign) & mask));
}

/* 2^k, for a normal result: k in [-1022, 1023] */
static double PowerOfTwo(int k)
{
	return FromBits((uint64_t)(k + 1023) << 52);
}

static int RoundToInt(double x)
{
	return (int)(x < 0.0 ? x - 0.5 : x + 0.5);
}

/* ---- reduction by multiples of pi/2 ------------------------------------------------------------------------ */

#define TWO_OVER_PI 0x1.45f306dc9c883p-1
#define REDUCE_LIMIT 1048576.0 /* 2^20: there the quotient has at most 20 bits */

/* pi/2 in parts of at most 33 bits, so that their products with 20-bit integers are exact, and the rest */
#define HALF_PI_1 0x1.921fb544p+0
#define HALF_PI_2 0x1.0b4611a6p-34
#define HALF_PI_3 0x1.3198a2ep-69
#define HALF_PI_4 0x1.b839a252049c1p-104

static const Twofold HALF_PI = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};

/* W. J. Cody and W. Waite, "Software Manual for the Elementary Functions" (1980): subtract k pi/2 in parts. |x| <
 * REDUCE_LIMIT. Returns k. */
static int ReduceByParts(double x, Twofold *rest)
{
	int k = RoundToInt(x * TWO_OVER_PI);
	double q = (double)k;
	Twofold a = TwoSum(x - q * HALF_PI_1, -q * HALF_PI_2);
	Twofold b = TwoSum(a.hi, -q * HALF_PI_3);
	*rest = FastTwoSum(b.hi, (a.lo + b.lo) - q * HALF_PI_4);
	return k;
}

#define WINDOW 6 /* 32-bit words of 2/pi that count for one argument */

/* 64 zero bits, then the bits of 2/pi after the binary point */
static const uint32_t TWO_OVER_PI_BITS[40] = {
    0x00000000, 0x00000000, 0xA2F9836E, 0x4E441529, 0xFC2757D1, 0xF534DDC0, 0xDB629599, 0x3C439041,
    0xFE5163AB, 0xDEBBC561, 0xB7246E3A, 0x424DD2E0, 0x06492EEA, 0x09D1921C, 0xFE1DEB1C, 0xB129A73E,
    0xE88235F5, 0x2EBB4484, 0xE99C7026, 0xB45F7E41, 0x3991D639, 0x835339F4, 0x9C845F8B, 0xBDF9283B,
    0x1FF897FF, 0xDE05980F, 0xEF2F118B, 0x5A0A6D1F, 0x6D367ECF, 0x27CB09B7, 0x4F463F66, 0x9E5FEA2D,
    0x7527BAC7, 0xEBE5F17B, 0x3D0739F7, 0x8A5292EA, 0x6BFB5FB1, 0x1F8D5D08, 0x56033046, 0xFC7B6BAB};

/* The low WINDOW words, least first, of the product of `mantissa` and the window of 2/pi that starts after `skip` bits
 * of the table. */
static void MultiplyWindow(uint64_t mantissa, int skip, uint32_t product[WINDOW])
{
	const uint32_t *table = &TWO_OVER_PI_BITS[skip / 32];
	uint64_t low = mantissa & 0xffffffffu, high = mantissa >> 32;
	uint32_t window[WINDOW];
	for (int i = 0; i < WINDOW; i++) {
		uint64_t pair = (uint64_t)table[WINDOW - 1 - i] << 32 | table[WINDOW - i];
		window[i] = (uint32_t)(pair << (skip % 32) >> 32);
	}
	uint64_t carry = 0;
	for (int i = 0; i < WINDOW; i++) {
		carry += window[i] * low;
		product[i] = (uint32_t)carry;
		carry >>= 32;
	}
	carry = 0;
	for (int i = 0; i + 1 < WINDOW; i++) {
		carry += window[i] * high + product[i + 1];
		product[i + 1] = (uint32_t)carry;
		carry >>= 32;
	}
}

/* M. Payne and R. Hanek, "Radian reduction for trigonometric functions" (1983): x * 2/pi in integers, leaving out the
 * leading bits of 2/pi that give multiples of 4 and those too small to matter. x >= REDUCE_LIMIT. Returns the quadrant.
 */
static int ReduceLarge(double x, Twofold *rest)
{
	uint64_t bits = BitsOf(x);
	int exponent = (int)(bits >> 52) - 1075; /* x = mantissa * 2^exponent */
	uint64_t mantissa = (bits & (((uint64_t)1 << 52) - 1)) | (uint64_t)1 << 52;
	uint32_t p[WINDOW];
	/* With 62 + exponent bits left out, 2 bits of the product are before the point and 190 after it. */
	MultiplyWindow(mantissa, exponent + 62, p);
	int quadrant = (int)(p[WINDOW - 1] >> 30);
	/* To the nearest quadrant: half or more counts as minus the rest to the next. */
	bool negative = (p[WINDOW - 1] >> 29 & 1) != 0;
	if (negative) {
		quadrant++;
		uint64_t carry = 1;
		for (int i = 0; i < WINDOW; i++) {
			carry += (uint32_t)~p[i];
			p[i] = (uint32_t)carry;
			carry >>= 32;
		}
	}
	p[WINDOW - 1] &= 0x3fffffff;
	Twofold fraction = {0.0, 0.0};
	for (int i = WINDOW - 1; i >= 0; i--)
		fraction = TwofoldAdd(fraction, (Twofold){(double)p[i] * PowerOfTwo(32 * i - 190), 0.0});
	*rest = TwofoldMul(fraction, HALF_PI);
	if (negative)
		*rest = TwofoldNeg(*rest);
	return quadrant;
}

/* x = quadrant * pi/2 + rest with |rest| <= pi/4 (and a hair). Returns the quadrant, 0..3. */
static int Reduce(double x, Twofold *rest)
{
	if (AbsD(x) < REDUCE_LIMIT)
		return ReduceByParts(x, rest) & 3;
	int quadrant = ReduceLarge(AbsD(x), rest);
	if (x < 0.0) {
		*rest = TwofoldNeg(*rest);
		quadrant = -quadrant;
	}
	return quadrant & 3;
}

/* ---- sine, cosine, tangent --------------------------------------------------------------------------------- */

/* Below this, x^3/6 is less than half a unit in the last place of x. */
#define TINY 0x1p-27

/* |r| <= pi/4: the first term left out, x^19/19!, is below 2^-60 of the sum. */
static Twofold SinSeries(Twofold r)
{
	double z = r.hi * r.hi;
	double p = 1.0 / 355687428096000.0;
	p = -1.0 / 1307674368000.0 + z * p;
	p = 1.0 / 6227020800.0 + z * p;
	p = -1.0 / 39916800.0 + z * p;
	p = 1.0 / 362880.0 + z * p;
	p = -1.0 / 5040.0 + z * p;
	p = 1.0 / 120.0 + z * p;
	p = -1.0 / 6.0 + z * p;
	return FastTwoSum(r.hi, r.hi * (z * p) + r.lo * (1.0 - 0.5 * z));
}

/* The first term left out is x^18/18!. */
static Twofold CosSeries(Twofold r)
{
	Twofold z = TwoProduct(r.hi, r.hi);
	double p = 1.0 / 20922789888000.0;
	p = -1.0 / 87178291200.0 + z.hi * p;
	p = 1.0 / 479001600.0 + z.hi * p;
	p = -1.0 / 3628800.0 + z.hi * p;
	p = 1.0 / 40320.0 + z.hi * p;
	p = -1.0 / 720.0 + z.hi * p;
	p = 1.0 / 24.0 + z.hi * p;
	Twofold head = FastTwoSum(1.0, -0.5 * z.hi);
	return FastTwoSum(head.hi, head.lo + (z.hi * z.hi * p - (0.5 * z.lo + r.hi * r.lo)));
}

/* The sine of quadrant * pi/2 + rest */
static double SinOfQuadrant(int quadrant, Twofold rest)
{
	double s = quadrant & 1 ? CosSeries(rest).hi : SinSeries(rest).hi;
	return quadrant & 2 ? -s : s;
}

double Trig_Sin(double x)
{
	if (!IsFinite(x))
		return (double)NAN;
	if (AbsD(x) < TINY)
		return x;
	Twofold rest;
	int quadrant = Reduce(x, &rest);
	return SinOfQuadrant(quadrant, rest);
}

double Trig_Cos(double x)
{
	if (!IsFinite(x))
		return (double)NAN;
	Twofold rest;
	int quadrant = Reduce(x, &rest);
	return SinOfQuadrant((quadrant + 1) & 3, rest);
}

double Trig_Tan(double x)
{
	if (!IsFinite(x))
		return (double)NAN;
	if (AbsD(x) < TINY)
		return x;
	Twofold rest;
	int quadrant = Reduce(x, &rest);
	Twofold s = SinSeries(rest), c = CosSeries(rest);
	return quadrant & 1 ? TwofoldDiv(TwofoldNeg(c), s).hi : TwofoldDiv(s, c).hi;
}

/* ---- inverse functions ------------------------------------------------------------------------------------- */

/* atan(i / 8) */
static const Twofold ATAN_EIGHTHS[9] = {{0.0, 0.0},
                                        {0x1.fd5ba9aac2f6ep-4, -0x1.cd37686760c17p-59},
                                        {0x1.f5b75f92c80ddp-3, 0x1.8ab6e3cf7afbdp-57},
                                        {0x1.6f61941e4def1p-2, -0x1.c63aae6f6e918p-56},
                                        {0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56},
                                        {0x1.1e00babdefeb4p-1, -0x1.928df287a668fp-58},
                                        {0x1.4978fa3269ee1p-1, 0x1.2419a87f2a458p-56},
                                        {0x1.700a7c5784634p-1, -0x1.8c34d25aadef6p-56},
                                        {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55}};

/* atan(y / x) for 0 <= y <= x: with c the nearest eighth, atan(c) + atan((y - c x) / (x + c y)), whose argument is at
 * most 1/16. The first term left out, r^15/15, is below 2^-59 of the sum. */
static Twofold AtanFolded(Twofold y, Twofold x)
{
	int i = RoundToInt(8.0 * (y.hi / x.hi));
	Twofold c = {0.125 * (double)i, 0.0};
	Twofold r = TwofoldDiv(TwofoldAdd(y, TwofoldNeg(TwofoldMul(c, x))), TwofoldAdd(x, TwofoldMul(c, y)));
	double z = r.hi * r.hi;
	double p = 1.0 / 13.0;
	p = -1.0 / 11.0 + z * p;
	p = 1.0 / 9.0 + z * p;
	p = -1.0 / 7.0 + z * p;
	p = 1.0 / 5.0 + z * p;
	p = -1.0 / 3.0 + z * p;
	return TwofoldAdd(ATAN_EIGHTHS[i], FastTwoSum(r.hi, r.lo + r.hi * (z * p)));
}

/* The angle, 0..pi/2, of the point (x, y); both >= 0, not both 0, and far from overflow. */
static Twofold AtanQuarter(Twofold y, Twofold x)
{
	if (y.hi <= x.hi)
		return AtanFolded(y, x);
	return TwofoldAdd(HALF_PI, TwofoldNeg(AtanFolded(x, y)));
}

static Twofold Supplement(Twofold angle)
{
	return TwofoldAdd((Twofold){2.0 * HALF_PI.hi, 2.0 * HALF_PI.lo}, TwofoldNeg(angle));
}

/* The cosine of the angle whose sine is x, |x| < 1, or the other way round. */
static Twofold Cofunction(double x)
{
	Twofold square = TwoProduct(x, x);
	return TwofoldSqrt(TwofoldAdd((Twofold){1.0, 0.0}, TwofoldNeg(square)));
}

double Trig_Asin(double x)
{
	double a = AbsD(x);
	if (!(a <= 1.0))
		return (double)NAN;
	if (a < TINY)
		return x;
	if (a == 1.0)
		return CopySign(HALF_PI.hi, x);
	return CopySign(AtanQuarter((Twofold){a, 0.0}, Cofunction(a)).hi, x);
}

double Trig_Acos(double x)
{
	double a = AbsD(x);
	if (!(a <= 1.0))
		return (double)NAN;
	if (a == 1.0)
		return x > 0.0 ? 0.0 : 2.0 * HALF_PI.hi;
	Twofold angle = AtanQuarter(Cofunction(a), (Twofold){a, 0.0});
	return x < 0.0 ? Supplement(angle).hi : angle.hi;
}

/* The angle, 0..pi, of a point where |y| / |x| is 0 or infinite, or so near to it that the angle is the quotient;
 * `near_x` says to which axis. ax and ay are not both 0 and not both infinite. */
static double AngleNearAxis(double ay, double ax, bool negative_x, bool near_x)
{
	if (near_x)
		return negative_x ? 2.0 * HALF_PI.hi + (2.0 * HALF_PI.lo - ay / ax) : ay / ax;
	return HALF_PI.hi + (negative_x ? HALF_PI.lo + ax / ay : HALF_PI.lo - ax / ay);
}

/* Zeros and infinities as C99 has them. */
double Trig_Atan2(double y, double x)
{
	if (x != x || y != y)
		return (double)NAN;
	double ax = CopySign(x, 1.0), ay = CopySign(y, 1.0);
	if (ax == ay && !IsFinite(ax))
		ax = ay = 1.0; /* on the diagonal */
	if (ax == ay && ax == 0.0)
		ax = 1.0; /* on the x axis */
	bool near_x = ay <= 0x1p-28 * ax, near_y = ax <= 0x1p-28 * ay;
	if (near_x || near_y)
		return CopySign(AngleNearAxis(ay, ax, IsNegative(x), near_x), y);
	/* Away from overflow and underflow; powers of two change no bits. */
	double larger = MaxD(ax, ay);
	double scale = larger > 0x1p500 ? 0x1p-600 : larger < 0x1p-400 ? 0x1p600 : 1.0;
	Twofold angle = AtanQuarter((Twofold){ay * scale, 0.0}, (Twofold){ax * scale, 0.0});
	return CopySign(IsNegative(x) ? Supplement(angle).hi : angle.hi, y);
}

/* ---- exponential and logarithm ----------------------------------------------------------------------------- */

/* ln 2 with 38 bits in the first part, so that its products with exponents are exact */
#define LN2_HI 0x1.62e42fefap-1
#define LN2_LO 0x1.cf79abc9e3b3ap-40
#define LN2_INVERSE 0x1.71547652b82fep+0

/* e^x for -760 < x < 720: x = k ln 2 + r, |r| <= 0.35. The first term left out is r^15/15!. */
static double ExpOfTwofold(Twofold x)
{
	int k = RoundToInt(x.hi * LN2_INVERSE);
	Twofold r = TwoSum(x.hi - (double)k * LN2_HI, x.lo - (double)k * LN2_LO);
	double p = 1.0 / 87178291200.0;
	p = 1.0 / 6227020800.0 + r.hi * p;
	p = 1.0 / 479001600.0 + r.hi * p;
	p = 1.0 / 39916800.0 + r.hi * p;
	p = 1.0 / 3628800.0 + r.hi * p;
	p = 1.0 / 362880.0 + r.hi * p;
	p = 1.0 / 40320.0 + r.hi * p;
	p = 1.0 / 5040.0 + r.hi * p;
	p = 1.0 / 720.0 + r.hi * p;
	p = 1.0 / 120.0 + r.hi * p;
	p = 1.0 / 24.0 + r.hi * p;
	p = 1.0 / 6.0 + r.hi * p;
	p = 0.5 + r.hi * p;
	Twofold head = FastTwoSum(1.0, r.hi);
	double m = head.hi + (head.lo + (r.lo * head.hi + r.hi * r.hi * p));
	/* 2^k may itself lie outside the doubles. */
	if (k > 1000)
		return m * PowerOfTwo(k - 100) * PowerOfTwo(100);
	if (k < -1000)
		return m * PowerOfTwo(k + 100) * PowerOfTwo(-100);
	return m * PowerOfTwo(k);
}

double Trig_Exp(double x)
{
	if (x != x)
		return (double)NAN;
	if (x > 710.0)
		return (double)INFINITY;
	if (x < -750.0)
		return 0.0;
	return ExpOfTwofold((Twofold){x, 0.0});
}

/* ln(1 + f) = 2 atanh(s), s = f / (2 + f), for 1 + f in [sqrt(1/2), sqrt(2)], so s^2 < 0.0295. Relative error about
 * 2^-70: the first terms are twofold, and the first one left out is s^27/27. */
static Twofold LogSeries(double f)
{
	Twofold s = TwofoldDiv((Twofold){f, 0.0}, TwoSum(2.0, f));
	Twofold z = TwofoldMul(s, s);
	double p = 1.0 / 25.0;
	p = 1.0 / 23.0 + z.hi * p;
	p = 1.0 / 21.0 + z.hi * p;
	p = 1.0 / 19.0 + z.hi * p;
	p = 1.0 / 17.0 + z.hi * p;
	p = 1.0 / 15.0 + z.hi * p;
	p = 1.0 / 13.0 + z.hi * p;
	p = 1.0 / 11.0 + z.hi * p;
	p = 1.0 / 9.0 + z.hi * p;
	p = 1.0 / 7.0 + z.hi * p;
	Twofold fifth = {0x1.999999999999ap-3, -0x1.999999999999ap-57};
	Twofold third = {0x1.5555555555555p-2, 0x1.5555555555555p-56};
	Twofold c = TwofoldAdd(fifth, (Twofold){z.hi * p, 0.0});
	c = TwofoldMul(z, TwofoldAdd(third, TwofoldMul(z, c)));
	Twofold half = TwofoldAdd(s, TwofoldMul(s, c));
	return (Twofold){2.0 * half.hi, 2.0 * half.lo};
}

/* x > 0 and finite */
static Twofold LogOf(double x)
{
	int k = 0;
	if (x < 0x1p-1022) {
		x *= 0x1p54;
		k = -54;
	}
	uint64_t bits = BitsOf(x);
	k += (int)(bits >> 52) - 1023;
	double m = FromBits((bits & (((uint64_t)1 << 52) - 1)) | (uint64_t)1023 << 52);
	if (m > 1.4142135623730951) {
		m *= 0.5;
		k++;
	}
	return TwofoldAdd((Twofold){(double)k * LN2_HI, (double)k * LN2_LO}, LogSeries(m - 1.0));
}

double Trig_Log(double x)
{
	if (!(x >= 0.0))
		return (double)NAN;
	if (x == 0.0)
		return -(double)INFINITY;
	return IsFinite(x) ? LogOf(x).hi : x;
}

/* ---- power ------------------------------------------------------------------------------------------------- */

typedef enum Parity { NO_INTEGER, EVEN, ODD } Parity;

static Parity ParityOf(double y)
{
	double a = AbsD(y);
	if (a >= 9007199254740992.0)
		return EVEN; /* so are the infinities */
	int64_t whole = (int64_t)a;
	if ((double)whole != a)
		return NO_INTEGER;
	return whole & 1 ? ODD : EVEN;
}

/* a^y for a >= 0, neither NaN */
static double PowOfMagnitude(double a, double y)
{
	if (a == 1.0 || y == 0.0)
		return 1.0;
	if (a == 0.0 || !IsFinite(a) || !IsFinite(y))
		return (a > 1.0) == (y > 0.0) ? (double)INFINITY : 0.0;
	Twofold log = LogOf(a);
	double rough = y * log.hi;
	if (rough > 715.0)
		return (double)INFINITY;
	if (rough < -755.0)
		return 0.0;
	Twofold product = TwoProduct(y, log.hi);
	return ExpOfTwofold(FastTwoSum(product.hi, product.lo + y * log.lo));
}

/* Special cases as C99 has them. */
double Trig_Pow(double x, double y)
{
	if (y == 0.0 || x == 1.0)
		return 1.0;
	if (x != x || y != y)
		return (double)NAN;
	Parity parity = ParityOf(y);
	if (x < 0.0 && IsFinite(x) && parity == NO_INTEGER)
		return (double)NAN;
	double power = PowOfMagnitude(CopySign(x, 1.0), y);
	return IsNegative(x) && parity == ODD ? -power : power;
}

/* ---- rotation ---------------------------------------------------------------------------------------------- */

Quat Quat_FromAxisAngle(Vec3 unit_axis, double radians)
{
	double half = 0.5 * radians;
	float s = (float)Trig_Sin(half);
	return (Quat){s * unit_axis.x, s * unit_axis.y, s * unit_axis.z, (float)Trig_Cos(half)};
}
