/* What the parts of the tree of boxes share: areas and overlaps of boxes, and the bound of heights. */
#ifndef SCREE_SPATIAL_BOXTREE_INTERNAL_H
#define SCREE_SPATIAL_BOXTREE_INTERNAL_H

#include "spatial/spatial.h"

#if SCREE_X86
#include <emmintrin.h>
#endif

/* A tree of height h has at least N(h) leaves: N(h) = h + 1 up to HEIGHT_SLACK + 1, then N(h-1) + N(h-1-HEIGHT_SLACK).
 * N(158) is over 2^30, the most leaves that 32-bit nodes allow, so depth-first walks need no more than 159 entries. */
#define HEIGHT_SLACK 16
#define STACK_SIZE 256

/* Two boxes whose extent is nothing still cost something to visit: questions are seldom smaller than this (metres). */
#define EXTENT_PAD 0.01
/* Keeps areas of boxes of any finite or infinite size finite. */
#define EXTENT_LIMIT 1e100

/* ---- boxes two numbers at a time ------------------------------------------------------------------------------- */

typedef double Two __attribute__((vector_size(16)));
typedef int64_t TwoBits __attribute__((vector_size(16)));

/* A box as it lies in memory. */
typedef struct Sides {
	Two lo_xy, lo_z_hi_x, hi_yz;
} Sides;

_Static_assert(sizeof(Sides) == sizeof(WorldBox) && offsetof(WorldBox, hi) == 24, "the layout of a box");

static inline Two Two_Load(const double *from)
{
	Two v;
	memcpy(&v, from, sizeof v);
	return v;
}
static inline Sides Sides_Of(const WorldBox *box)
{
	return (Sides){Two_Load(&box->lo.x), Two_Load(&box->lo.z), Two_Load(&box->hi.y)};
}
static inline Two Two_Min(Two a, Two b)
{
#if SCREE_X86
	return _mm_min_pd(a, b);
#else
	TwoBits less = a < b;
	return (Two)((less & (TwoBits)a) | (~less & (TwoBits)b));
#endif
}
static inline Two Two_Max(Two a, Two b)
{
#if SCREE_X86
	return _mm_max_pd(a, b);
#else
	TwoBits more = a > b;
	return (Two)((more & (TwoBits)a) | (~more & (TwoBits)b));
#endif
}

static inline Sides Sides_Union(Sides a, Sides b)
{
	Two lo = Two_Min(a.lo_z_hi_x, b.lo_z_hi_x), hi = Two_Max(a.lo_z_hi_x, b.lo_z_hi_x);
	return (Sides){Two_Min(a.lo_xy, b.lo_xy), __builtin_shufflevector(lo, hi, 0, 3), Two_Max(a.hi_yz, b.hi_yz)};
}

/* Half of the surface, which orders as well as the whole. */
static inline double Sides_Area(Sides s)
{
	const Two pad = {EXTENT_PAD, EXTENT_PAD}, limit = {EXTENT_LIMIT, EXTENT_LIMIT};
	Two xy = Two_Min(__builtin_shufflevector(s.lo_z_hi_x, s.hi_yz, 1, 2) - s.lo_xy + pad, limit);
	Two zz = Two_Min(__builtin_shufflevector(s.hi_yz, s.hi_yz, 1, 1) -
	                     __builtin_shufflevector(s.lo_z_hi_x, s.lo_z_hi_x, 0, 0) + pad,
	                 limit);
	Two across = xy * zz;
	return xy[0] * xy[1] + across[1] + across[0];
}

static inline double Area(const WorldBox *box)
{
	return Sides_Area(Sides_Of(box));
}
static inline double AreaOfBoth(const WorldBox *a, const WorldBox *b)
{
	return Sides_Area(Sides_Union(Sides_Of(a), Sides_Of(b)));
}

/* What is asked of many boxes: the far sides, those that are compared with lower ones turned round. */
typedef struct Overlap {
	Two hi_xy, hi_z_lo_x, lo_yz;
} Overlap;

static inline Overlap Overlap_With(const WorldBox *box)
{
	return (Overlap){{box->hi.x, box->hi.y}, {box->hi.z, -box->lo.x}, {box->lo.y, box->lo.z}};
}
static inline bool Overlap_Meets(const Overlap *q, const WorldBox *box)
{
	Sides s = Sides_Of(box);
#if SCREE_X86
	__m128d middle = _mm_cmple_pd(_mm_xor_pd(s.lo_z_hi_x, (__m128d){0.0, -0.0}), q->hi_z_lo_x);
	__m128d outer = _mm_and_pd(_mm_cmple_pd(s.lo_xy, q->hi_xy), _mm_cmpge_pd(s.hi_yz, q->lo_yz));
	return _mm_movemask_pd(_mm_and_pd(middle, outer)) == 3;
#else
	Two middle = {s.lo_z_hi_x[0], -s.lo_z_hi_x[1]};
	TwoBits meets = (s.lo_xy <= q->hi_xy) & (middle <= q->hi_z_lo_x) & (s.hi_yz >= q->lo_yz);
	return (meets[0] & meets[1]) != 0;
#endif
}

/* ---- nodes ---------------------------------------------------------------------------------------------------- */

static inline bool IsLeaf(const BoxTree *tree, int index)
{
	return tree->nodes.data[index].child[0] < 0;
}

static inline bool InBalance(int a, int b)
{
	return a - b <= HEIGHT_SLACK && b - a <= HEIGHT_SLACK;
}

static inline void BoxTree_Refit(BoxTree *tree, int index)
{
	BoxNode *node = &tree->nodes.data[index];
	const BoxNode *a = &tree->nodes.data[node->child[0]], *b = &tree->nodes.data[node->child[1]];
	Sides both = Sides_Union(Sides_Of(&a->box), Sides_Of(&b->box));
	memcpy(&node->box, &both, sizeof both);
	node->height = 1 + Int_Max(a->height, b->height);
}

#endif
