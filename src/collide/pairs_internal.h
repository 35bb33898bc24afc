/* Shared by the tests for pairs of shapes. */
#ifndef SCREE_COLLIDE_PAIRS_INTERNAL_H
#define SCREE_COLLIDE_PAIRS_INTERNAL_H

#include "collide/collide_internal.h"

#define PARALLEL_SQUARE 0.0025f /* squared sine: lines within 2.9 degrees may count as parallel */

/* Do p and q face each other along the normal, so that they may stand for nearest points of two round lines? Sideways
 * they may differ by 1 % of the radius, which changes their distance by 0.005 %. */
static inline bool Round_Faces(Vec3 p, Vec3 q, Vec3 normal, float radius)
{
	Vec3 gap = Sub(p, q);
	Vec3 aside = MulSub(gap, Dot(gap, normal), normal);
	return LengthSq(aside) <= 0.0001f * radius * radius;
}

/* A ball (p0 = p1) or a capsule. */
typedef struct Round {
	Vec3 p0, p1;
	float radius;
} Round;

Round Round_Of(const Shape *shape, Xform t);

void Manifold_Place(Manifold *m, Xform frame); /* from that frame into the one it stands in */
void Manifold_Flip(Manifold *m);

/* A box or hull (A) against a ball or capsule (B). */
void Collide_PolyRound(const Shape *a, Xform ta, const Shape *b, Xform tb, float margin, Manifold *m);

/* A cylinder or cone (A) against anything. */
void Collide_Curved(const Shape *a, Xform ta, const Shape *b, Xform tb, float margin, Manifold *m);

#endif
