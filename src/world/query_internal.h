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

/* ---- swept shapes (query_cast.c, query_water.c) ------------------------------------------------------------------ */

typedef struct SweptShape {
	World *world;
	const QueryFilter *filter;
	const Shape *shape;
	Quat rotation;
	Pos from;
	double delta[3];
	double length;
	Box bounds; /* of the turned shape about its frame's origin */
	QueryHit best;
	bool found;
} SweptShape;

void SweptShape_Keep(SweptShape *sweep, QueryHit hit); /* if it comes before the best */
/* The stretch [t0, t1] of the sweep in which the swept bounds meet a box; false: never. */
bool SweptShape_StretchIn(const SweptShape *sweep, WorldBox box, double *t0, double *t1);
WorldBox SweptShape_Box(const SweptShape *sweep, Pos start, Pos end); /* around all of it from one place to another */
/* What the sweep meets from t0 to t1 is kept. 1: something, 0, or ErrorCode. */
typedef int CastPieceFn(SweptShape *sweep, double t0, double t1, Error *error);

int Water_CastPiece(SweptShape *sweep, double t0, double t1, Error *error);
bool Water_Overlaps(const World *w, const Shape *shape, Pose placement);
Cell Water_CellAt(const World *w, Pos point);

#endif
