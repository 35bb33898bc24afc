/* Four numbers at a time, which every processor can do: the same operations on each as one by one, so the same bits. */
#ifndef SCREE_COLLIDE_FOUR_INTERNAL_H
#define SCREE_COLLIDE_FOUR_INTERNAL_H

#include "math/math.h"

#if SCREE_X86
#include <emmintrin.h>
#endif

typedef float Four __attribute__((vector_size(16)));
typedef int32_t FourBits __attribute__((vector_size(16))); /* lanes of all ones or zeros */

typedef struct FourVec {
	Four x, y, z;
} FourVec;

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

static inline Four Four_Of(float v)
{
	return (Four){v, v, v, v};
}
static inline Four Four_Min(Four a, Four b)
{
#if SCREE_X86
	return _mm_min_ps(a, b);
#else
	FourBits less = a < b;
	return (Four)((less & (FourBits)a) | (~less & (FourBits)b));
#endif
}
static inline Four Four_Max(Four a, Four b)
{
#if SCREE_X86
	return _mm_max_ps(a, b);
#else
	FourBits more = a > b;
	return (Four)((more & (FourBits)a) | (~more & (FourBits)b));
#endif
}
static inline Four Four_Abs(Four a)
{
	return (Four)((FourBits)a & INT32_MAX);
}
static inline Four Four_Pick(FourBits mask, Four a, Four b)
{
	return (Four)((mask & (FourBits)a) | (~mask & (FourBits)b));
}
static inline Four Four_Sqrt(Four a)
{
#if SCREE_X86
	return _mm_sqrt_ps(a);
#else
	return (Four){Sqrt(a[0]), Sqrt(a[1]), Sqrt(a[2]), Sqrt(a[3])};
#endif
}

/* A bit a lane. */
static inline unsigned FourBits_Mask(FourBits bits)
{
#if SCREE_X86
	return (unsigned)_mm_movemask_ps((__m128)bits);
#else
	return (unsigned)((bits[0] & 1) | (bits[1] & 2) | (bits[2] & 4) | (bits[3] & 8));
#endif
}

/* ---- vectors ----------------------------------------------------------------------------------------------------- */

static inline FourVec FourVec_Of(Vec3 v)
{
	return (FourVec){Four_Of(v.x), Four_Of(v.y), Four_Of(v.z)};
}
static inline Vec3 FourVec_Lane(const FourVec *v, int k)
{
	return V3(v->x[k], v->y[k], v->z[k]);
}
static inline void FourVec_Set(FourVec *v, int k, Vec3 value)
{
	v->x[k] = value.x;
	v->y[k] = value.y;
	v->z[k] = value.z;
}
/* From four that stand one after the other. */
static inline FourVec FourVec_Load(const Vec3 *list)
{
	Four a, b, c; /* x0 y0 z0 x1, y1 z1 x2 y2, z2 x3 y3 z3 */
	memcpy(&a, &list[0].x, sizeof a);
	memcpy(&b, &list[1].y, sizeof b);
	memcpy(&c, &list[2].z, sizeof c);
	Four x = __builtin_shufflevector(a, b, 0, 3, 6, 6), y = __builtin_shufflevector(a, b, 1, 4, 7, 7);
	Four z = __builtin_shufflevector(a, b, 2, 5, 5, 5);
	return (FourVec){__builtin_shufflevector(x, c, 0, 1, 2, 5), __builtin_shufflevector(y, c, 0, 1, 2, 6),
	                 __builtin_shufflevector(z, c, 0, 1, 4, 7)};
}
/* Four vectors of a list from `at` on; the last is repeated beyond its end. */
static inline FourVec FourVec_Take(const Vec3 *list, int at, int count)
{
	if (at + 4 <= count)
		return FourVec_Load(list + at);
	Vec3 some[4];
	for (int k = 0; k < 4; k++)
		some[k] = list[Int_Min(at + k, count - 1)];
	return FourVec_Load(some);
}
/* To four that stand one after the other. */
static inline void FourVec_Store(FourVec v, Vec3 *list)
{
	Four xy = __builtin_shufflevector(v.x, v.y, 0, 4, 1, 5), xy2 = __builtin_shufflevector(v.x, v.y, 2, 6, 3, 7);
	Four zx = __builtin_shufflevector(v.z, xy, 0, 6, 0, 6), yz = __builtin_shufflevector(xy, v.z, 3, 5, 3, 5);
	Four a = __builtin_shufflevector(xy, zx, 0, 1, 4, 5), b = __builtin_shufflevector(yz, xy2, 0, 1, 4, 5);
	Four c = __builtin_shufflevector(v.z, xy2, 2, 6, 7, 3); /* x0 y0 z0 x1, y1 z1 x2 y2, z2 x3 y3 z3 */
	memcpy(&list[0].x, &a, sizeof a);
	memcpy(&list[1].y, &b, sizeof b);
	memcpy(&list[2].z, &c, sizeof c);
}
static inline FourVec FourVec_Turn(Mat3 m, FourVec v)
{
	return (FourVec){Four_Of(m.cx.x) * v.x + Four_Of(m.cy.x) * v.y + Four_Of(m.cz.x) * v.z,
	                 Four_Of(m.cx.y) * v.x + Four_Of(m.cy.y) * v.y + Four_Of(m.cz.y) * v.z,
	                 Four_Of(m.cx.z) * v.x + Four_Of(m.cy.z) * v.y + Four_Of(m.cz.z) * v.z};
}
static inline Four FourVec_Dot(FourVec a, Vec3 b)
{
	return a.x * Four_Of(b.x) + a.y * Four_Of(b.y) + a.z * Four_Of(b.z);
}
static inline Four FourVec_DotBoth(FourVec a, FourVec b)
{
	return a.x * b.x + a.y * b.y + a.z * b.z;
}
static inline FourVec FourVec_Cross(FourVec a, FourVec b)
{
	return (FourVec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline FourVec FourVec_Sub(FourVec a, FourVec b)
{
	return (FourVec){a.x - b.x, a.y - b.y, a.z - b.z};
}
static inline FourVec FourVec_Scale(Four s, FourVec a)
{
	return (FourVec){s * a.x, s * a.y, s * a.z};
}

#endif
