/* What rays, casts and overlaps share. */
#ifndef SCREE_WORLD_QUERY_INTERNAL_H
#define SCREE_WORLD_QUERY_INTERNAL_H

#include "world/world_internal.h"

bool Filter_Meets(const World *w, const QueryFilter *filter, int part);
/* Rotation by conj(q) in double, with q brought to unit length in double first: long rays keep their end. */
void InvRotateDouble(Quat q, const double v[3], double out[3]);
static inline Pos Along(Pos from, const double delta[3], double t)
{
	return (Pos){from.x + t * delta[0], from.y + t * delta[1], from.z + t * delta[2]};
}
uint64_t Part_Rank(const World *w, const PartView *view);
/* Which of two hits comes first: nearer, then terrain, then the older body, then the earlier part. */
static inline bool Hit_Before(const QueryHit *a, const QueryHit *b)
{
	return a->fraction != b->fraction ? a->fraction < b->fraction : a->rank < b->rank;
}

#endif
