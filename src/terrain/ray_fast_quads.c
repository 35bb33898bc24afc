/* The quads of a block, for the fast form of rays: two at a time go through a test in floats, which lets through what
 * the ray meets or nearly meets. */
#include "terrain/ray_fast_internal.h"

#if SCREE_X86

/* A quad is let through when its edges pass the ray on the right side, or on the wrong one by less than this (square
 * units; 4 units beside an edge a cell long). Corners are within four cells of the ray; their coordinates are off by
 * under 0.1 units, from rounding the base to a float (0.004), the slopes (0.003) and five sums below 2^17 (0.004 each):
 * an edge's cross product by under 4 * 16384 * 0.1. What passes on the right side by more is met for certain.
 *
 * So what is not let through is at least half a unit away from the ray as seen along its axis, and a quarter of one in
 * space. If nothing is let through that is not met for certain, and nothing is met near the start, then no part of the
 * surface is near the start: on which side of it the ray starts is beyond doubt. */
#define EDGE_SLACK 16384.0f

/* By edge of a cube: 8 * axis, its y, and its bit, from those of the cube. */
static const uint8_t EDGE_AXIS[12] = {0, 0, 0, 0, 8, 8, 8, 8, 16, 16, 16, 16};
static const uint8_t EDGE_Y[12] = {0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 1, 1};
static const uint8_t EDGE_BIT[12] = {0, 8, 0, 8, 0, 1, 8, 9, 0, 1, 0, 1};

SIMD_FUNCTION static void FastRay_SetFilter(FastRay *ray)
{
	const Ray *r = ray->cast->ray;
	int k = ray->k;
	ray->filter = true;
	ray->sign = ray->up ? -1.0f : 1.0f; /* see Cast_Quad */
	ray->to_u[r->u] = _mm256_set1_ps(ray->sign);
	ray->to_u[r->v] = ray->to_v[r->u] = _mm256_setzero_ps();
	ray->to_u[k] = _mm256_set1_ps(-ray->sign * (float)r->slope_u);
	ray->to_v[r->v] = _mm256_set1_ps(1.0f);
	ray->to_v[k] = _mm256_set1_ps(-(float)r->slope_v);
}

/* ---- quads ---------------------------------------------------------------------------------------------------- */

SIMD_FUNCTION static inline __m128i LoadVertex(const uint16_t *positions, uint64_t i)
{
	return _mm_loadl_epi64((const __m128i *)(positions + 3 * i));
}

/* x of four corners, then y; z, then waste. */
SIMD_FUNCTION static inline void LoadQuad(const FastOwner *owner, unsigned quad, __m128i *xy, __m128i *z)
{
	const uint16_t *positions = owner->positions;
	const uint8_t *corners = owner->corners;
	__m128i ab, cd;
	if (__builtin_expect(owner->collider->wide, 0)) {
		uint64_t i;
		memcpy(&i, corners + 8 * (size_t)quad, sizeof i);
		ab = _mm_unpacklo_epi16(LoadVertex(positions, i & 0xffff), LoadVertex(positions, i >> 16 & 0xffff));
		cd = _mm_unpacklo_epi16(LoadVertex(positions, i >> 32 & 0xffff), LoadVertex(positions, i >> 48));
	} else {
		const uint8_t *i = corners + 4 * (size_t)quad;
		ab = _mm_unpacklo_epi16(LoadVertex(positions, i[0]), LoadVertex(positions, i[1]));
		cd = _mm_unpacklo_epi16(LoadVertex(positions, i[2]), LoadVertex(positions, i[3]));
	}
	*xy = _mm_unpacklo_epi32(ab, cd);
	*z = _mm_unpackhi_epi32(ab, cd);
}

SIMD_FUNCTION static inline __m256 ToFloats(__m128i words)
{
	return _mm256_cvtepi32_ps(_mm256_cvtepu16_epi32(words));
}

/* Of each corner and the next one, or the one across from it. */
SIMD_FUNCTION static inline __m256 EdgeCross(__m256 x, __m256 y, const int turn)
{
	__m256 bx = turn == 1 ? _mm256_permute_ps(x, 0x39) : _mm256_permute_ps(x, 0x4e);
	__m256 by = turn == 1 ? _mm256_permute_ps(y, 0x39) : _mm256_permute_ps(y, 0x4e);
	return _mm256_fmsub_ps(x, by, _mm256_mul_ps(y, bx));
}

/* What the test says of two quads: bits 0 and 2 the first one's triangles, bits 4 and 6 the second one's. */
typedef struct PairTest {
	unsigned may, sure;
} PairTest;

/* least, most: of each triangle's three edges, in lanes 0, 2, 4 and 6. Fronts have all of them above the bound, backs
 * all below its negative. */
SIMD_FUNCTION static inline unsigned Passes(__m256 least, __m256 most, float bound, bool sides)
{
	__m256 met = _mm256_cmp_ps(least, _mm256_set1_ps(bound), _CMP_GE_OQ);
	if (sides)
		met = _mm256_or_ps(met, _mm256_cmp_ps(most, _mm256_set1_ps(-bound), _CMP_LE_OQ));
	return (unsigned)_mm256_movemask_ps(met) & 0x55;
}

SIMD_FUNCTION static inline PairTest TestPair(const FastRay *ray, const FastOwner *owner, unsigned first,
                                              unsigned second)
{
	__m128i xy0, z0, xy1, z1;
	LoadQuad(owner, first, &xy0, &z0);
	LoadQuad(owner, second, &xy1, &z1);
	__m256 x = ToFloats(_mm_unpacklo_epi64(xy0, xy1));
	__m256 y = ToFloats(_mm_unpackhi_epi64(xy0, xy1));
	__m256 z = ToFloats(_mm_unpacklo_epi64(z0, z1));
	__m256 u = _mm256_fmadd_ps(z, ray->to_u[2], owner->base_u), v = _mm256_fmadd_ps(z, ray->to_v[2], owner->base_v);
	u = _mm256_fmadd_ps(x, ray->to_u[0], _mm256_fmadd_ps(y, ray->to_u[1], u));
	v = _mm256_fmadd_ps(x, ray->to_v[0], _mm256_fmadd_ps(y, ray->to_v[1], v));
	/* Sides 0 and 1 with the diagonal from corner 2 to 0, sides 2 and 3 with the one from 0 to 2. */
	__m256 side = EdgeCross(u, v, 1), next = _mm256_permute_ps(side, 0xb1);
	__m256 diagonal = _mm256_xor_ps(EdgeCross(u, v, 2), _mm256_set1_ps(-0.0f));
	__m256 least = _mm256_min_ps(_mm256_min_ps(side, next), diagonal);
	__m256 most = _mm256_max_ps(_mm256_max_ps(side, next), diagonal);
	PairTest test = {Passes(least, most, -EDGE_SLACK, ray->cast->sides), 0};
	if (__builtin_expect(test.may != 0, 0))
		test.sure = Passes(least, most, EDGE_SLACK, ray->cast->sides);
	return test;
}

/* Cast_Quad on four doubles at a time: the same operations in the same order. */
SIMD_FUNCTION static void MeetQuad(const FastRay *ray, const FastOwner *owner, unsigned quad)
{
	Cast *cast = ray->cast;
	const Ray *r = cast->ray;
	__m128i xy, z;
	ColliderAt at;
	ColliderAt_Set(&at, r, owner->collider, owner->block);
	LoadQuad(owner, quad, &xy, &z);
	const __m256d p[3] = {_mm256_cvtepi32_pd(_mm_cvtepu16_epi32(xy)),
	                      _mm256_cvtepi32_pd(_mm_cvtepu16_epi32(_mm_unpackhi_epi64(xy, xy))),
	                      _mm256_cvtepi32_pd(_mm_cvtepu16_epi32(z))};
	__m256d depth = _mm256_add_pd(p[r->k], _mm256_set1_pd(at.base[r->k]));
	__m256d x = _mm256_add_pd(p[r->u], _mm256_set1_pd(at.base[r->u]));
	__m256d y = _mm256_add_pd(p[r->v], _mm256_set1_pd(at.base[r->v]));
	x = _mm256_sub_pd(_mm256_sub_pd(x, _mm256_mul_pd(_mm256_set1_pd(r->slope_u), depth)), _mm256_set1_pd(r->rest_u));
	y = _mm256_sub_pd(_mm256_sub_pd(y, _mm256_mul_pd(_mm256_set1_pd(r->slope_v), depth)), _mm256_set1_pd(r->rest_v));
	__m256d zero = _mm256_setzero_pd();
	int above = _mm256_movemask_pd(_mm256_cmp_pd(y, zero, _CMP_GT_OQ));
	/* The four sides, from each corner to the next, and the diagonal from corner 0 to corner 2. */
	__m256d next_x = _mm256_permute4x64_pd(x, 0x39), next_y = _mm256_permute4x64_pd(y, 0x39);
	__m256d across_x = _mm256_permute4x64_pd(x, 0x4e), across_y = _mm256_permute4x64_pd(y, 0x4e);
	__m256d side = _mm256_sub_pd(_mm256_mul_pd(x, next_y), _mm256_mul_pd(y, next_x));
	__m256d diagonal = _mm256_sub_pd(_mm256_mul_pd(x, across_y), _mm256_mul_pd(y, across_x));
	int next = above >> 1 | (above & 1) << 3, across = above >> 2 & 1, start = above & 1;
	int up = ~above & next & _mm256_movemask_pd(_mm256_cmp_pd(side, zero, _CMP_GT_OQ));
	int down = above & ~next & _mm256_movemask_pd(_mm256_cmp_pd(side, zero, _CMP_LT_OQ));
	int cut = (~start & across & _mm256_movemask_pd(_mm256_cmp_pd(diagonal, zero, _CMP_GT_OQ))) -
	          (start & ~across & _mm256_movemask_pd(_mm256_cmp_pd(diagonal, zero, _CMP_LT_OQ)));
	int first = __builtin_popcount(up & 3) - __builtin_popcount(down & 3) - cut;
	int second = cut + __builtin_popcount(up & 12) - __builtin_popcount(down & 12);
	int front = ray->up ? -1 : 1;
	if (first == front || (cast->sides && first != 0))
		FastTriangle_Meet(cast, owner->collider, owner->block, (int)quad, 0);
	if (second == front || (cast->sides && second != 0))
		FastTriangle_Meet(cast, owner->collider, owner->block, (int)quad, 1);
}

/* The first of three numbers plus the second, plus the third. */
SIMD_FUNCTION static inline double SumOf(__m256d v)
{
	__m128d low = _mm256_castpd256_pd128(v);
	__m128d sum = _mm_add_sd(low, _mm_unpackhi_pd(low, low));
	return _mm_cvtsd_f64(_mm_add_sd(sum, _mm256_extractf128_pd(v, 1)));
}

SIMD_FUNCTION static inline void LoadTriangle(const Collider *collider, int quad, int half, __m128i *a, __m128i *b,
                                              __m128i *c)
{
	const uint16_t *positions = Collider_Positions(collider);
	const uint8_t *corners = Collider_Corners(collider);
	uint16_t i[3];
	if (collider->wide) {
		memcpy(&i[0], corners + 8 * quad, 2);
		memcpy(&i[1], corners + 8 * quad + 2 * half + 2, 4);
	} else {
		i[0] = corners[4 * quad];
		i[1] = corners[4 * quad + half + 1];
		i[2] = corners[4 * quad + half + 2];
	}
	*a = _mm_cvtepu16_epi32(LoadVertex(positions, i[0]));
	*b = _mm_cvtepu16_epi32(LoadVertex(positions, i[1]));
	*c = _mm_cvtepu16_epi32(LoadVertex(positions, i[2]));
}

/* Cast_Triangle with the same operations in the same order. */
SIMD_FUNCTION void FastTriangle_Meet(Cast *cast, const Collider *collider, Cell block, int quad, int half)
{
	const Ray *ray = cast->ray;
	__m128i a, b, c;
	LoadTriangle(collider, quad, half, &a, &b, &c);
	__m128i ab = _mm_sub_epi32(b, a), ac = _mm_sub_epi32(c, a);
	__m128i ab1 = _mm_shuffle_epi32(ab, 0xc9), ab2 = _mm_shuffle_epi32(ab, 0xd2); /* y z x, z x y */
	__m128i ac1 = _mm_shuffle_epi32(ac, 0xc9), ac2 = _mm_shuffle_epi32(ac, 0xd2);
	__m256d n = _mm256_cvtepi32_pd(_mm_sub_epi32(_mm_mullo_epi32(ab1, ac2), _mm_mullo_epi32(ab2, ac1)));
	const __m128i frame = _mm_setr_epi32(ray->frame.x, ray->frame.y, ray->frame.z, 0);
	__m128i ahead = _mm_sub_epi32(_mm_setr_epi32(block.x, block.y, block.z, 0), frame);
	__m256d shift = _mm256_sub_pd(_mm256_mul_pd(_mm256_cvtepi32_pd(ahead), _mm256_set1_pd(BLOCK_UNITS)),
	                              _mm256_set1_pd(SURFACE_UNIT));
	double along = SumOf(_mm256_mul_pd(n, _mm256_loadu_pd(ray->dir)));
	bool front = along < 0.0;
	if (!front && !cast->sides)
		return;
	__m256d from = _mm256_sub_pd(_mm256_add_pd(_mm256_cvtepi32_pd(a), shift), _mm256_loadu_pd(ray->origin));
	double s = SumOf(_mm256_mul_pd(n, from)) / along;
	if (cast->sides) {
		double flat = SumOf(_mm256_andnot_pd(_mm256_set1_pd(-0.0), n)) * FLAT_CROSSING;
		cast->unclear |= !(AbsD(along) > flat && AbsD(s) > CLEAR_UNITS);
		if (!front) {
			if (s > 0.0)
				cast->back = MinD(cast->back, s);
			return;
		}
	}
	if (!(s >= 0.0 && s <= cast->limit))
		return;
	/* Two cubes may look at one quad. */
	if (cast->mode == CAST_NEAREST && cast->found && s == cast->limit && cast->nearest.quad == quad &&
	    cast->nearest.half == half && cast->nearest.collider == collider)
		return;
	__builtin_prefetch(Collider_Materials(collider) + quad); /* of what was met */
	/* Cast_Keep without a copy, where nothing is as near. */
	bool nearest = cast->mode == CAST_NEAREST && (!cast->found || s < cast->limit);
	Crossing other, *crossing = nearest ? &cast->nearest : &other;
	crossing->s = s;
	crossing->collider = collider;
	crossing->block = block;
	crossing->quad = (uint16_t)quad;
	crossing->half = (uint8_t)half;
	_mm_storeu_pd(crossing->normal, _mm256_castpd256_pd128(n));
	_mm_store_sd(&crossing->normal[2], _mm256_extractf128_pd(n, 1));
	if (!nearest) {
		Cast_Keep(cast, crossing);
		return;
	}
	cast->count++;
	cast->found = true;
	cast->limit = s;
}

SIMD_FUNCTION static __attribute__((noinline)) void MeetFound(const FastRay *ray, const FastOwner *owner, unsigned quad,
                                                              unsigned may, unsigned sure)
{
	if (__builtin_expect(may != sure, 0)) {
		ray->cast->unclear |= ray->cast->sides;
		MeetQuad(ray, owner, quad);
		return;
	}
	if (sure & 1)
		FastTriangle_Meet(ray->cast, owner->collider, owner->block, (int)quad, 0);
	if (sure & 4)
		FastTriangle_Meet(ray->cast, owner->collider, owner->block, (int)quad, 1);
}

SIMD_FUNCTION static inline __attribute__((always_inline)) void MeetPair(const FastRay *ray, const FastOwner *owner,
                                                                         unsigned first, unsigned second)
{
	PairTest test = TestPair(ray, owner, first, second);
	if (__builtin_expect(test.may == 0, 1))
		return;
	if (test.may & 15)
		MeetFound(ray, owner, first, test.may & 15, test.sure & 15);
	if ((test.may & 0xf0) && second != first)
		MeetFound(ray, owner, second, test.may >> 4, test.sure >> 4);
}

/* ---- cubes ---------------------------------------------------------------------------------------------------- */

/* bit, y: of the cube in the owner's words; -1 is 7 there. */
SIMD_FUNCTION static inline unsigned EdgeQuad(const Lattice *lattice, int y, int bit, int edge)
{
	int word = EDGE_AXIS[edge] + ((y + EDGE_Y[edge]) & (BLOCK_SIZE - 1));
	uint64_t below = _bzhi_u64((&lattice->word[0][0])[word], (unsigned)(bit + EDGE_BIT[edge]) & 63);
	return (&lattice->rank[0][0])[word] + (unsigned)__builtin_popcountll(below);
}

SIMD_FUNCTION static inline uint64_t From(uint64_t word, int bit)
{
	return word >> bit | word << (-bit & 63);
}

/* wanted: the edges of the cube that the owner owns. */
SIMD_FUNCTION static inline __attribute__((always_inline)) void MeetEdges(const FastRay *ray, const FastOwner *owner,
                                                                          int y, int bit, unsigned wanted)
{
	const Lattice *lattice = Collider_Lattice(owner->collider);
	int above = (y + 1) & (BLOCK_SIZE - 1);
	uint64_t x0 = From(lattice->word[0][y], bit), x1 = From(lattice->word[0][above], bit);
	uint64_t z0 = From(lattice->word[2][y], bit), z1 = From(lattice->word[2][above], bit);
	unsigned edges = (unsigned)_pext_u64(x0, 0x101) | (unsigned)_pext_u64(x1, 0x101) << 2 |
	                 (unsigned)_pext_u64(From(lattice->word[1][y], bit), 0x303) << 4 | (unsigned)(z0 & 3) << 8 |
	                 (unsigned)(z1 & 3) << 10;
	for (edges &= wanted; edges;) {
		int first = __builtin_ctz(edges), second = 31 - __builtin_clz(edges);
		edges &= ~(1u << first | 1u << second);
		MeetPair(ray, owner, EdgeQuad(lattice, y, bit, first), EdgeQuad(lattice, y, bit, second));
	}
}

/* From stored positions (a cube beyond the corner) to units from the ray, along its axis. */
SIMD_FUNCTION static inline void FastOwner_Set(FastOwner *owner, const FastRay *ray, const Collider *collider,
                                               const double corner[3])
{
	owner->collider = collider;
	owner->positions = Collider_Positions(collider);
	owner->corners = Collider_Corners(collider);
	const Ray *r = ray->cast->ray;
	double depth = corner[r->k] + 1.0;
	double u = (corner[r->u] + 1.0) - r->slope_u * depth, v = (corner[r->v] + 1.0) - r->slope_v * depth;
	owner->base_u = _mm256_set1_ps((float)(u * -SURFACE_UNIT) * ray->sign);
	owner->base_v = _mm256_set1_ps((float)(v * -SURFACE_UNIT));
}

/* The edges of a cube that blocks beyond its faces own. */
SIMD_FUNCTION static __attribute__((noinline)) void MeetBorder(const FastRay *ray, const FastBlock *block,
                                                               unsigned cell, unsigned beyond, unsigned wanted)
{
	const int cube[3] = {(int)(cell & 7), (int)(cell >> 6), (int)(cell >> 3 & 7)};
	/* All that have no axis besides. */
	for (unsigned side = beyond & -beyond; side; side = (side - beyond) & beyond) {
		unsigned edges = CUBE_EDGES_OF[beyond][side] & wanted;
		if (edges == 0)
			continue;
		FastOwner owner;
		owner.block = Block_Beside(block->own.block, side);
		const Group *group = Group_Beside(ray->terrain, block->group, owner.block);
		int place = Group_Index(owner.block);
		if (!group || !(group->mixed >> place & 1))
			continue;
		const Record *record = Group_Record(group, place);
		if (record->quads == 0 || !Record_SharesCube(record, cube, side))
			continue;
		const Collider *collider = Cast_Need(ray->cast, record, Record_Id(ray->terrain, group, place));
		if (!collider)
			return;
		const int x = side & 1, y = side >> 1 & 1, z = side >> 2;
		const double corner[3] = {block->corner[0] - BLOCK_SIZE * x, block->corner[1] - BLOCK_SIZE * y,
		                          block->corner[2] - BLOCK_SIZE * z};
		FastOwner_Set(&owner, ray, collider, corner);
		/* In the owner's words the cube's coordinate is -1 where it lies beyond. */
		int bit = (8 * (cube[2] - BLOCK_SIZE * z) + cube[0] - BLOCK_SIZE * x) & 63;
		MeetEdges(ray, &owner, cube[1], bit, edges);
	}
}

/* ---- blocks --------------------------------------------------------------------------------------------------- */

/* Numbers of a cube's edges, as in Quad_Edge, from its own. */
static const uint16_t EDGE_NUMBER[12] = {0, 8, 64, 72, 512, 513, 520, 521, 1024, 1025, 1088, 1089};

/* A cube's coordinates plus one, x, z, y, in four bits each: 8 where it lies at the block's end. */
SIMD_FUNCTION static inline unsigned SpreadCell(unsigned cell)
{
	return _pdep_u32(cell, 0x777) + 0x111;
}

/* The edges that a cube has not in common with the one before, both spread: CUBE_EDGES without CubeEdges_Shared. */
SIMD_FUNCTION static inline unsigned EdgesAfter(unsigned last, unsigned at)
{
#define KEPT_X(zy) 0xaa0 & (zy), (zy), 0x550 & (zy), 0
#define KEPT_Z(y) KEPT_X(0x0ca & (y)), KEPT_X(y), KEPT_X(0x035 & (y)), 0, 0, 0, 0
	static const uint16_t shared[64] = {KEPT_Z(0xc0c), KEPT_Z(CUBE_EDGES), KEPT_Z(0x303)};
#undef KEPT_Z
#undef KEPT_X
	unsigned step = at - last + 0x111; /* 0, 1 or 2 when they touch */
	return step & ~0x333u ? CUBE_EDGES : CUBE_EDGES & ~shared[_pext_u32(step, 0x333)];
}

/* Which edges of a cube have quads that its block owns; those beyond its faces are waste. */
SIMD_FUNCTION static inline unsigned OwnEdges(const Lattice *lattice, unsigned cell)
{
	unsigned y = cell >> 6, above = (y + 1) & (BLOCK_SIZE - 1), bit = cell & 63;
	uint64_t x0 = lattice->word[0][y] >> bit, x1 = lattice->word[0][above] >> bit;
	uint64_t z0 = lattice->word[2][y] >> bit, z1 = lattice->word[2][above] >> bit;
	return (unsigned)_pext_u64(x0, 0x101) | (unsigned)_pext_u64(x1, 0x101) << 2 |
	       (unsigned)_pext_u64(lattice->word[1][y] >> bit, 0x303) << 4 | (unsigned)(z0 & 3) << 8 |
	       (unsigned)(z1 & 3) << 10;
}

SIMD_FUNCTION static inline unsigned NumberQuad(const Lattice *lattice, unsigned number)
{
	unsigned word = number >> 6;
	uint64_t below = _bzhi_u64((&lattice->word[0][0])[word], number & 63);
	return (&lattice->rank[0][0])[word] + (unsigned)__builtin_popcountll(below);
}

SIMD_FUNCTION void FastBlock_Meet(FastRay *ray, FastBlock *block, const FastWay *way)
{
	Cast *cast = ray->cast;
	const Collider *collider = NULL;
	if (!ray->filter)
		FastRay_SetFilter(ray);
	if (block->record->quads && !(collider = Cast_Need(cast, block->record, block->id)))
		return;
	if (collider)
		FastOwner_Set(&block->own, ray, collider, block->corner);
	/* By axes on which a cube lies at the end, x, z, y: CUBE_EDGES_OF for the block itself. */
	static const uint16_t own_edges[8] = {0xfff, 0x55f, 0xf35, 0x515, 0x3f3, 0x153, 0x331, 0x111};
	unsigned last = 0xeee; /* far from all */
	for (uint32_t left = way->mixed; left; left &= left - 1) {
		int place = __builtin_ctz(left), layer = place >> 2;
		unsigned cell = (unsigned)way->cell[place & 3][layer];
		if (FastWay_IsBehind(way, layer, cast))
			return;
		unsigned at = SpreadCell(cell), wanted = EdgesAfter(last, at), ends = _pext_u32(at, 0x888);
		last = at;
		if (collider) {
			const Lattice *lattice = Collider_Lattice(collider);
			for (unsigned edges = OwnEdges(lattice, cell) & wanted & own_edges[ends]; edges;) {
				/* From both ends: without a second one the first twice, and without a branch. */
				int first = __builtin_ctz(edges), second = 31 - __builtin_clz(edges);
				edges &= ~(1u << first | 1u << second);
				MeetPair(ray, &block->own, NumberQuad(lattice, cell + EDGE_NUMBER[first]),
				         NumberQuad(lattice, cell + EDGE_NUMBER[second]));
			}
		}
		if (ends) {
			MeetBorder(ray, block, cell, (ends & 1) | (ends >> 1 & 2) | (ends << 1 & 4), wanted);
			if (cast->failed)
				return;
		}
	}
}

#endif
