/* math: vectors, rotations, boxes, deterministic trigonometry.
 *
 * Owns: nothing. Uses: base, and sqrt from the C library. Called by: every floor above.
 *
 * World positions are double (Pos); everything relative to a body or a terrain block is float (Vec3), so a scene far
 * from the origin behaves as at the origin. Y is up, right-handed. Built with -ffp-contract=off: the same operations in
 * the same order give the same bits on every machine. min and max are written out, since libm's differ on zeros and
 * NaN.
 */
#ifndef SCREE_MATH_H
#define SCREE_MATH_H

#include "base/base.h"

#include <float.h>
#include <math.h>

#define PI 3.14159265358979323846
#define PI_F 3.14159265358979323846f

typedef struct Vec3 {
	float x, y, z;
} Vec3;

/* A point of the world, metres. */
typedef struct Pos {
	double x, y, z;
} Pos;

/* Unit quaternion. */
typedef struct Quat {
	float x, y, z, w;
} Quat;

/* Three columns. */
typedef struct Mat3 {
	Vec3 cx, cy, cz;
} Mat3;

/* Relative placement: q turns, then p shifts. */
typedef struct Xform {
	Vec3 p;
	Quat q;
} Xform;

/* Placement in the world. */
typedef struct Pose {
	Pos p;
	Quat q;
} Pose;

/* Axis-aligned box in some local frame. Empty when lo > hi on an axis. */
typedef struct Box {
	Vec3 lo, hi;
} Box;

/* Axis-aligned box in the world. */
typedef struct WorldBox {
	Pos lo, hi;
} WorldBox;

/* A terrain cell, and an inclusive box of cells. */
typedef struct Cell {
	int32_t x, y, z;
} Cell;
typedef struct CellBox {
	Cell lo, hi;
} CellBox;

/* ---- scalars ----------------------------------------------------------------------------------------------- */

static inline float Min(float a, float b)
{
	return a < b ? a : b;
}
static inline float Max(float a, float b)
{
	return a > b ? a : b;
}
static inline float Abs(float a)
{
	return a < 0.0f ? -a : a;
}
static inline float Clamp(float v, float lo, float hi)
{
	return v < lo ? lo : v > hi ? hi : v;
}
static inline float Sqrt(float a)
{
	return sqrtf(a);
}
static inline double MinD(double a, double b)
{
	return a < b ? a : b;
}
static inline double MaxD(double a, double b)
{
	return a > b ? a : b;
}
static inline double AbsD(double a)
{
	return a < 0.0 ? -a : a;
}
static inline double ClampD(double v, double lo, double hi)
{
	return v < lo ? lo : v > hi ? hi : v;
}
static inline bool IsFinite(double v)
{
	return v - v == 0.0;
}
/* floor to int32 for |v| < 2^31, without libm */
static inline int32_t FloorToInt(double v)
{
	int32_t i = (int32_t)v;
	return (double)i > v ? i - 1 : i;
}
static inline int32_t CeilToInt(double v)
{
	return -FloorToInt(-v);
}

/* ---- Vec3 -------------------------------------------------------------------------------------------------- */

static inline Vec3 V3(float x, float y, float z)
{
	return (Vec3){x, y, z};
}
static inline Vec3 Add(Vec3 a, Vec3 b)
{
	return (Vec3){a.x + b.x, a.y + b.y, a.z + b.z};
}
static inline Vec3 Sub(Vec3 a, Vec3 b)
{
	return (Vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}
static inline Vec3 Neg(Vec3 a)
{
	return (Vec3){-a.x, -a.y, -a.z};
}
static inline Vec3 Scale(float s, Vec3 a)
{
	return (Vec3){s * a.x, s * a.y, s * a.z};
}
static inline Vec3 MulAdd(Vec3 a, float s, Vec3 b)
{
	return (Vec3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}
static inline Vec3 MulSub(Vec3 a, float s, Vec3 b)
{
	return (Vec3){a.x - s * b.x, a.y - s * b.y, a.z - s * b.z};
}
static inline Vec3 Mul(Vec3 a, Vec3 b)
{
	return (Vec3){a.x * b.x, a.y * b.y, a.z * b.z};
}
static inline float Dot(Vec3 a, Vec3 b)
{
	return a.x * b.x + a.y * b.y + a.z * b.z;
}
static inline Vec3 Cross(Vec3 a, Vec3 b)
{
	return (Vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline float LengthSq(Vec3 a)
{
	return Dot(a, a);
}
static inline float Length(Vec3 a)
{
	return Sqrt(Dot(a, a));
}
static inline Vec3 AbsV(Vec3 a)
{
	return (Vec3){Abs(a.x), Abs(a.y), Abs(a.z)};
}
static inline Vec3 MinV(Vec3 a, Vec3 b)
{
	return (Vec3){Min(a.x, b.x), Min(a.y, b.y), Min(a.z, b.z)};
}
static inline Vec3 MaxV(Vec3 a, Vec3 b)
{
	return (Vec3){Max(a.x, b.x), Max(a.y, b.y), Max(a.z, b.z)};
}
static inline Vec3 Lerp(Vec3 a, Vec3 b, float t)
{
	return MulAdd(Scale(1.0f - t, a), t, b);
}
static inline float Component(Vec3 a, int axis)
{
	return axis == 0 ? a.x : axis == 1 ? a.y : a.z;
}
/* Unit vector, or zero for a vector too short to have a direction. */
static inline Vec3 Normalize(Vec3 a)
{
	float length = Length(a);
	if (length < 1e-20f)
		return V3(0.0f, 0.0f, 0.0f);
	return Scale(1.0f / length, a);
}
/* Some unit vector at right angles to the unit vector n. */
static inline Vec3 Perpendicular(Vec3 n)
{
	Vec3 p = Abs(n.x) > 0.57735f ? V3(n.y, -n.x, 0.0f) : V3(0.0f, n.z, -n.y);
	return Normalize(p);
}

/* ---- Vec3D: in double, where a float's rounding would show ------------------------------------------------------- */

typedef struct Vec3D {
	double x, y, z;
} Vec3D;

static inline Vec3D ToD(Vec3 a)
{
	return (Vec3D){(double)a.x, (double)a.y, (double)a.z};
}
static inline Vec3 ToF(Vec3D a)
{
	return (Vec3){(float)a.x, (float)a.y, (float)a.z};
}
static inline Vec3D AddD(Vec3D a, Vec3D b)
{
	return (Vec3D){a.x + b.x, a.y + b.y, a.z + b.z};
}
static inline Vec3D SubD(Vec3D a, Vec3D b)
{
	return (Vec3D){a.x - b.x, a.y - b.y, a.z - b.z};
}
static inline Vec3D ScaleD(double s, Vec3D a)
{
	return (Vec3D){s * a.x, s * a.y, s * a.z};
}
static inline Vec3D MulAddD(Vec3D a, double s, Vec3D b)
{
	return (Vec3D){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}
static inline double DotD(Vec3D a, Vec3D b)
{
	return a.x * b.x + a.y * b.y + a.z * b.z;
}
static inline Vec3D CrossD(Vec3D a, Vec3D b)
{
	return (Vec3D){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline double LengthD(Vec3D a)
{
	return sqrt(DotD(a, a));
}

/* ---- Pos --------------------------------------------------------------------------------------------------- */

static inline Vec3 PosSub(Pos a, Pos b)
{
	return (Vec3){(float)(a.x - b.x), (float)(a.y - b.y), (float)(a.z - b.z)};
}
static inline Pos PosAdd(Pos a, Vec3 b)
{
	return (Pos){a.x + (double)b.x, a.y + (double)b.y, a.z + (double)b.z};
}

/* ---- Quat -------------------------------------------------------------------------------------------------- */

static inline Quat QuatIdentity(void)
{
	return (Quat){0.0f, 0.0f, 0.0f, 1.0f};
}
static inline Quat QuatConj(Quat q)
{
	return (Quat){-q.x, -q.y, -q.z, q.w};
}
/* Rotation vector of a small turn. */
static inline Vec3 QuatSmallTurn(Quat q)
{
	float twice = q.w < 0.0f ? -2.0f : 2.0f;
	return V3(twice * q.x, twice * q.y, twice * q.z);
}
static inline Quat QuatMul(Quat a, Quat b)
{
	return (Quat){a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
	              a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}
static inline Quat QuatNormalize(Quat q)
{
	float s = 1.0f / Sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
	return (Quat){s * q.x, s * q.y, s * q.z, s * q.w};
}
static inline Vec3 Rotate(Quat q, Vec3 v)
{
	Vec3 u = {q.x, q.y, q.z};
	Vec3 t = Scale(2.0f, Cross(u, v));
	return Add(MulAdd(v, q.w, t), Cross(u, t));
}
static inline Vec3 InvRotate(Quat q, Vec3 v)
{
	return Rotate(QuatConj(q), v);
}
/* conj(a) * b */
static inline Quat QuatInvMul(Quat a, Quat b)
{
	return QuatMul(QuatConj(a), b);
}
/* q turned by the small rotation vector w (radians): one step of q' = w q / 2, normalised. */
static inline Quat QuatIntegrate(Quat q, Vec3 w)
{
	Quat d = QuatMul((Quat){0.5f * w.x, 0.5f * w.y, 0.5f * w.z, 0.0f}, q);
	return QuatNormalize((Quat){q.x + d.x, q.y + d.y, q.z + d.z, q.w + d.w});
}

/* ---- Mat3 -------------------------------------------------------------------------------------------------- */

static inline Mat3 QuatToMat(Quat q)
{
	float xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z;
	float xy = q.x * q.y, xz = q.x * q.z, yz = q.y * q.z;
	float xw = q.x * q.w, yw = q.y * q.w, zw = q.z * q.w;
	return (Mat3){{1.0f - 2.0f * (yy + zz), 2.0f * (xy + zw), 2.0f * (xz - yw)},
	              {2.0f * (xy - zw), 1.0f - 2.0f * (xx + zz), 2.0f * (yz + xw)},
	              {2.0f * (xz + yw), 2.0f * (yz - xw), 1.0f - 2.0f * (xx + yy)}};
}
static inline Vec3 MatMulV(Mat3 m, Vec3 v)
{
	return (Vec3){m.cx.x * v.x + m.cy.x * v.y + m.cz.x * v.z, m.cx.y * v.x + m.cy.y * v.y + m.cz.y * v.z,
	              m.cx.z * v.x + m.cy.z * v.y + m.cz.z * v.z};
}
static inline Vec3 MatTMulV(Mat3 m, Vec3 v)
{
	return (Vec3){Dot(m.cx, v), Dot(m.cy, v), Dot(m.cz, v)};
}
static inline Mat3 MatMul(Mat3 a, Mat3 b)
{
	return (Mat3){MatMulV(a, b.cx), MatMulV(a, b.cy), MatMulV(a, b.cz)};
}
static inline Mat3 MatTranspose(Mat3 m)
{
	return (Mat3){{m.cx.x, m.cy.x, m.cz.x}, {m.cx.y, m.cy.y, m.cz.y}, {m.cx.z, m.cy.z, m.cz.z}};
}
static inline Mat3 MatAdd(Mat3 a, Mat3 b)
{
	return (Mat3){Add(a.cx, b.cx), Add(a.cy, b.cy), Add(a.cz, b.cz)};
}
static inline Mat3 MatDiag(float x, float y, float z)
{
	return (Mat3){{x, 0, 0}, {0, y, 0}, {0, 0, z}};
}
static inline Mat3 MatAbs(Mat3 m)
{
	return (Mat3){AbsV(m.cx), AbsV(m.cy), AbsV(m.cz)};
}
Mat3 MatInverse(Mat3 m);       /* zero matrix when singular */
Vec3 MatSolve(Mat3 m, Vec3 b); /* x with m x = b; zero when singular */
Quat MatToQuat(Mat3 m);        /* m orthonormal, right-handed */
/* Principal axes of the symmetric matrix m by Jacobi rotations: m = R diag(*values) R^T. */
Quat MatDiagonalize(Mat3 m, Vec3 *values);

/* ---- placements -------------------------------------------------------------------------------------------- */

static inline Vec3 XformPoint(Xform t, Vec3 v)
{
	return Add(Rotate(t.q, v), t.p);
}
static inline Vec3 XformInvPoint(Xform t, Vec3 v)
{
	return InvRotate(t.q, Sub(v, t.p));
}
/* a then: first b, then a */
static inline Xform XformMul(Xform a, Xform b)
{
	return (Xform){XformPoint(a, b.p), QuatMul(a.q, b.q)};
}
static inline Xform XformInvMul(Xform a, Xform b)
{
	return (Xform){XformInvPoint(a, b.p), QuatInvMul(a.q, b.q)};
}
static inline Xform XformIdentity(void)
{
	return (Xform){{0, 0, 0}, {0, 0, 0, 1}};
}
static inline Pos PosePoint(Pose t, Vec3 v)
{
	return PosAdd(t.p, Rotate(t.q, v));
}
static inline Vec3 PoseInvPoint(Pose t, Pos p)
{
	return InvRotate(t.q, PosSub(p, t.p));
}
static inline Pose PoseMul(Pose a, Xform b)
{
	return (Pose){PosePoint(a, b.p), QuatMul(a.q, b.q)};
}
/* b in the frame of a */
static inline Xform PoseInvMul(Pose a, Pose b)
{
	return (Xform){PoseInvPoint(a, b.p), QuatInvMul(a.q, b.q)};
}

/* ---- boxes ------------------------------------------------------------------------------------------------- */

static inline Box BoxEmpty(void)
{
	return (Box){{FLT_MAX, FLT_MAX, FLT_MAX}, {-FLT_MAX, -FLT_MAX, -FLT_MAX}};
}
static inline Box BoxAddPoint(Box b, Vec3 p)
{
	return (Box){MinV(b.lo, p), MaxV(b.hi, p)};
}
static inline Box BoxUnion(Box a, Box b)
{
	return (Box){MinV(a.lo, b.lo), MaxV(a.hi, b.hi)};
}
static inline Box BoxGrow(Box b, float r)
{
	return (Box){{b.lo.x - r, b.lo.y - r, b.lo.z - r}, {b.hi.x + r, b.hi.y + r, b.hi.z + r}};
}
static inline bool BoxOverlap(Box a, Box b)
{
	return a.lo.x <= b.hi.x && b.lo.x <= a.hi.x && a.lo.y <= b.hi.y && b.lo.y <= a.hi.y && a.lo.z <= b.hi.z &&
	       b.lo.z <= a.hi.z;
}
static inline bool BoxContains(Box a, Box b)
{
	return a.lo.x <= b.lo.x && a.lo.y <= b.lo.y && a.lo.z <= b.lo.z && b.hi.x <= a.hi.x && b.hi.y <= a.hi.y &&
	       b.hi.z <= a.hi.z;
}
/* The box around a placed box. */
static inline Box BoxTransform(Box b, Xform t)
{
	Mat3 m = MatAbs(QuatToMat(t.q));
	Vec3 c = XformPoint(t, Scale(0.5f, Add(b.lo, b.hi)));
	Vec3 h = MatMulV(m, Scale(0.5f, Sub(b.hi, b.lo)));
	return (Box){Sub(c, h), Add(c, h)};
}
static inline bool WorldBoxOverlap(WorldBox a, WorldBox b)
{
	return a.lo.x <= b.hi.x && b.lo.x <= a.hi.x && a.lo.y <= b.hi.y && b.lo.y <= a.hi.y && a.lo.z <= b.hi.z &&
	       b.lo.z <= a.hi.z;
}
static inline bool WorldBoxContains(WorldBox a, WorldBox b)
{
	return a.lo.x <= b.lo.x && a.lo.y <= b.lo.y && a.lo.z <= b.lo.z && b.hi.x <= a.hi.x && b.hi.y <= a.hi.y &&
	       b.hi.z <= a.hi.z;
}
static inline WorldBox WorldBoxUnion(WorldBox a, WorldBox b)
{
	return (WorldBox){{MinD(a.lo.x, b.lo.x), MinD(a.lo.y, b.lo.y), MinD(a.lo.z, b.lo.z)},
	                  {MaxD(a.hi.x, b.hi.x), MaxD(a.hi.y, b.hi.y), MaxD(a.hi.z, b.hi.z)}};
}
static inline WorldBox WorldBoxGrow(WorldBox b, double r)
{
	return (WorldBox){{b.lo.x - r, b.lo.y - r, b.lo.z - r}, {b.hi.x + r, b.hi.y + r, b.hi.z + r}};
}
/* A local box placed in the world: rotation in float about the origin of the pose, shift in double. */
static inline WorldBox BoxToWorld(Box b, Pose t)
{
	Box r = BoxTransform(b, (Xform){{0, 0, 0}, t.q});
	return (WorldBox){PosAdd(t.p, r.lo), PosAdd(t.p, r.hi)};
}
static inline bool CellBoxOverlap(CellBox a, CellBox b)
{
	return a.lo.x <= b.hi.x && b.lo.x <= a.hi.x && a.lo.y <= b.hi.y && b.lo.y <= a.hi.y && a.lo.z <= b.hi.z &&
	       b.lo.z <= a.hi.z;
}

/* ---- trigonometry (trig.c): the same bits everywhere ---------------------------------------------------------- */

/* Within 1 ulp of the true value for every argument, however large. Special cases as C99 has them: NaN for NaN, for
 * sin, cos and tan of infinities, for asin and acos outside [-1, 1], for log of negative numbers. */
double Trig_Sin(double x);
double Trig_Cos(double x);
double Trig_Tan(double x);
double Trig_Asin(double x);
double Trig_Acos(double x);
double Trig_Atan2(double y, double x);
double Trig_Exp(double x);
double Trig_Log(double x);
double Trig_Pow(double x, double y);
Quat Quat_FromAxisAngle(Vec3 unit_axis, double radians);

#endif
