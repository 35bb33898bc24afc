/* Random vectors, directions and rotations of tests. */
#ifndef TESTS_RANDOM_TURNS_H
#define TESTS_RANDOM_TURNS_H

#include "math/math.h"

/* In the order of x, y, z: the order in which C evaluates arguments is the compiler's choice, and would choose the
 * test's data. */
static inline Vec3 RandomVec(Random *r, double lo, double hi)
{
	Vec3 v;
	v.x = (float)Random_Range(r, lo, hi);
	v.y = (float)Random_Range(r, lo, hi);
	v.z = (float)Random_Range(r, lo, hi);
	return v;
}

static inline Quat RandomTurn(Random *r)
{
	Quat q;
	double n;
	do {
		Vec3 v = RandomVec(r, -1, 1);
		q = (Quat){v.x, v.y, v.z, (float)Random_Range(r, -1, 1)};
		n = (double)(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
	} while (n > 1.0 || n < 0.01);
	return QuatNormalize(q);
}

static inline Vec3 RandomDirection(Random *r)
{
	return Rotate(RandomTurn(r), V3(0, 1, 0));
}

#endif
