/* The fast form of Cast_World for processors with AVX2. It finds the same quads to look at as the plain walk, or some
 * more or fewer that cannot be met, and leaves every decision to Cast_Quad: so both forms report the same bits.
 *
 * A ray walks over blocks with whole numbers (after Amanatides and Woo 1987). In a block with mixed cubes all eight
 * slabs across the ray's longest axis are done at once: in a slab the ray moves less than a cube sideways, so it meets
 * the cubes where it comes in and where it goes out and at most one between them. The quads of a mixed cube go through
 * a test in floats, two at a time, that lets through what the ray meets or nearly meets.
 *
 * Why nothing is lost. Within 5/4096 of a cube's face lie only quads of that face's four edges, within 5/4096 of a
 * lattice edge only its own quad, and every cube that touches the face or edge lists those. So where the ray leaves a
 * cube out that it touches by less than that, or takes a tie of planes either way, the cubes it does visit list all
 * that it can meet. The walk's own errors are under 1/4096, the slabs are shortened by 2/4096 at both ends.
 */
#include "terrain/cast_internal.h"

#if SCREE_X86

#include <immintrin.h>

#define CELL (1.0 / SURFACE_UNIT)
#define SHRINK (1.0f / 2048.0f) /* cells, at both ends of a slab */
#define BOX_SLACK 0.001f        /* cells */
#define WHOLE 4294967296.0      /* 2^32: the walk's unit is 2^-32 of a cell along the longest axis */
#define FAST_CELLS 1048576.0    /* longest walk: its rounding adds up to 2^17 blocks times half a unit */
#define NEVER 268435456.0       /* cells; a plane that far is not met, and four times as far is a whole number still */

/* A quad is let through when its edges pass the ray on the right side, or on the wrong one by less than this (square
 * units; 4 units beside an edge a cell long). Corners are within four cells of the ray; their coordinates are off by
 * under 0.1 units, from rounding the base to a float (0.002), the slopes (0.003) and five sums below 2^17 (0.004 each):
 * an edge's cross product by under 4 * 16384 * 0.1. */
#define EDGE_SLACK 16384.0f

typedef struct FastRay {
	Cast *cast;
	const Terrain *terrain;
	__m256d origin, dir; /* cells; the fourth is 0 */
	__m128i frame;       /* block */
	double at[4];
	/* slabs: across k, cubes in them by row and column */
	int k, row, column;
	bool up;
	float slope_row, slope_column, shrink;
	/* the float test: corner -> plane across the ray's axis, turned so that fronts wind positively */
	__m256 to_u[3], to_v[3];
	float slope_u, slope_v, sign;
	bool filter; /* these are set */
} FastRay;

/* What the float test takes off, for one block. */
typedef struct FastBase {
	__m256 u, v;
} FastBase;

typedef struct FastBlock {
	const Group *group;
	const Record *record;
	int id; /* of the record */
	Cell block;
	double corner[4]; /* the ray's origin from the block's corner, cells */
	float enter[4];   /* where the ray comes into the block, cells from its corner */
} FastBlock;

/* A block whose quads are looked at from a cube of this one. */
typedef struct FastOwner {
	const Collider *collider;
	Cell block;
	bool shifted;
	__m256 shift[3]; /* if so: where its corner is, units from this block's */
} FastOwner;

SIMD_FUNCTION static inline void FastRay_Set(FastRay *ray, Cast *cast)
{
	static const uint8_t rows[3] = {1, 2, 1}, columns[3] = {2, 0, 0};
	const Ray *r = cast->ray;
	int k = r->k;
	ray->cast = cast;
	ray->terrain = cast->terrain;
	ray->origin = _mm256_mul_pd(_mm256_loadu_pd(r->origin), _mm256_set1_pd(CELL));
	ray->dir = _mm256_loadu_pd(r->dir);
	_mm256_storeu_pd(ray->at, ray->origin);
	ray->frame = _mm_setr_epi32(r->frame.x, r->frame.y, r->frame.z, 0);
	ray->k = k;
	ray->row = rows[k];
	ray->column = columns[k];
	ray->up = r->dir[k] > 0.0;
	/* dir[k] is 1 or -1 */
	ray->slope_row = (float)(r->dir[ray->row] * r->dir[k]);
	ray->slope_column = (float)(r->dir[ray->column] * r->dir[k]);
	ray->filter = false;
}

SIMD_FUNCTION static void FastRay_SetFilter(FastRay *ray)
{
	const Ray *r = ray->cast->ray;
	int k = ray->k;
	ray->filter = true;
	ray->slope_u = (float)r->slope_u;
	ray->slope_v = (float)r->slope_v;
	ray->sign = ray->up ? -1.0f : 1.0f; /* see Cast_Quad */
	ray->to_u[r->u] = _mm256_set1_ps(ray->sign);
	ray->to_u[r->v] = ray->to_v[r->u] = _mm256_setzero_ps();
	ray->to_u[k] = _mm256_set1_ps(-ray->sign * ray->slope_u);
	ray->to_v[r->v] = _mm256_set1_ps(1.0f);
	ray->to_v[k] = _mm256_set1_ps(-ray->slope_v);
}

/* ---- quads ---------------------------------------------------------------------------------------------------- */

SIMD_FUNCTION static inline __m128i LoadVertex(const uint16_t *positions, uint64_t i)
{
	return _mm_loadl_epi64((const __m128i *)(positions + 3 * i));
}

/* x of four corners, then y; z, then waste. */
SIMD_FUNCTION static inline void LoadQuad(const Collider *collider, int quad, __m128i *xy, __m128i *z)
{
	const uint16_t *positions = Collider_Positions(collider);
	const uint8_t *corners = Collider_Corners(collider);
	__m128i ab, cd;
	if (__builtin_expect(collider->wide, 0)) {
		uint64_t i;
		memcpy(&i, corners + 8 * quad, sizeof i);
		ab = _mm_unpacklo_epi16(LoadVertex(positions, i & 0xffff), LoadVertex(positions, i >> 16 & 0xffff));
		cd = _mm_unpacklo_epi16(LoadVertex(positions, i >> 32 & 0xffff), LoadVertex(positions, i >> 48));
	} else {
		uint32_t i;
		memcpy(&i, corners + 4 * quad, sizeof i);
		ab = _mm_unpacklo_epi16(LoadVertex(positions, i & 0xff), LoadVertex(positions, i >> 8 & 0xff));
		cd = _mm_unpacklo_epi16(LoadVertex(positions, i >> 16 & 0xff), LoadVertex(positions, i >> 24));
	}
	*xy = _mm_unpacklo_epi32(ab, cd);
	*z = _mm_unpackhi_epi32(ab, cd);
}

SIMD_FUNCTION static inline __m256 ToFloats(__m128i words)
{
	return _mm256_cvtepi32_ps(_mm256_cvtepu16_epi32(words));
}

SIMD_FUNCTION static inline __m256 EdgeCross(__m256 x, __m256 y, const int turn)
{
	__m256 bx = turn == 1 ? _mm256_permute_ps(x, 0x39) : _mm256_permute_ps(x, 0x4e);
	__m256 by = turn == 1 ? _mm256_permute_ps(y, 0x39) : _mm256_permute_ps(y, 0x4e);
	return _mm256_sub_ps(_mm256_mul_ps(x, by), _mm256_mul_ps(y, bx));
}

/* Bits 0 and 4: may the ray meet the first, the second quad from the front? shift: a neighbour's block from this one,
 * units. */
SIMD_FUNCTION static inline unsigned MayMeetPair(const FastRay *ray, const FastBase *base, const Collider *collider,
                                                 int first, int second, const __m256 *shift)
{
	__m128i xy0, z0, xy1, z1;
	LoadQuad(collider, first, &xy0, &z0);
	LoadQuad(collider, second, &xy1, &z1);
	__m256 x = ToFloats(_mm_unpacklo_epi64(xy0, xy1));
	__m256 y = ToFloats(_mm_unpackhi_epi64(xy0, xy1));
	__m256 z = ToFloats(_mm_unpacklo_epi64(z0, z1));
	if (shift) {
		x = _mm256_add_ps(x, shift[0]);
		y = _mm256_add_ps(y, shift[1]);
		z = _mm256_add_ps(z, shift[2]);
	}
	__m256 u = _mm256_add_ps(_mm256_add_ps(_mm256_mul_ps(x, ray->to_u[0]), _mm256_mul_ps(y, ray->to_u[1])),
	                         _mm256_add_ps(_mm256_mul_ps(z, ray->to_u[2]), base->u));
	__m256 v = _mm256_add_ps(_mm256_add_ps(_mm256_mul_ps(x, ray->to_v[0]), _mm256_mul_ps(y, ray->to_v[1])),
	                         _mm256_add_ps(_mm256_mul_ps(z, ray->to_v[2]), base->v));
	__m256 low = _mm256_set1_ps(-EDGE_SLACK), high = _mm256_set1_ps(EDGE_SLACK);
	__m256 side = EdgeCross(u, v, 1), diagonal = EdgeCross(u, v, 2);
	unsigned in = (unsigned)_mm256_movemask_ps(_mm256_cmp_ps(side, low, _CMP_GE_OQ));
	unsigned right = (unsigned)_mm256_movemask_ps(_mm256_cmp_ps(diagonal, low, _CMP_GE_OQ));
	unsigned left = (unsigned)_mm256_movemask_ps(_mm256_cmp_ps(diagonal, high, _CMP_LE_OQ));
	unsigned both = in & in >> 1; /* bit 0: edges 0 and 1, bit 2: edges 2 and 3 */
	unsigned may = (both & left) | (both >> 2 & right);
	if (ray->cast->sides) {
		unsigned out = (unsigned)_mm256_movemask_ps(_mm256_cmp_ps(side, high, _CMP_LE_OQ));
		both = out & out >> 1;
		may |= (both & right) | (both >> 2 & left);
	}
	return may & 0x11;
}

/* Cast_Quad on four doubles at a time: the same operations in the same order. */
SIMD_FUNCTION static void MeetQuad(const FastRay *ray, const ColliderAt *at, int quad)
{
	Cast *cast = ray->cast;
	const Ray *r = cast->ray;
	__m128i xy, z;
	LoadQuad(at->collider, quad, &xy, &z);
	const __m256d p[3] = {_mm256_cvtepi32_pd(_mm_cvtepu16_epi32(xy)),
	                      _mm256_cvtepi32_pd(_mm_cvtepu16_epi32(_mm_unpackhi_epi64(xy, xy))),
	                      _mm256_cvtepi32_pd(_mm_cvtepu16_epi32(z))};
	__m256d depth = _mm256_add_pd(p[r->k], _mm256_set1_pd(at->base[r->k]));
	__m256d x = _mm256_add_pd(p[r->u], _mm256_set1_pd(at->base[r->u]));
	__m256d y = _mm256_add_pd(p[r->v], _mm256_set1_pd(at->base[r->v]));
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
		Cast_Triangle(cast, at, quad, 0);
	if (second == front || (cast->sides && second != 0))
		Cast_Triangle(cast, at, quad, 1);
}

/* ---- cubes ---------------------------------------------------------------------------------------------------- */

SIMD_FUNCTION static void MeetPair(const FastRay *ray, const FastBase *base, const FastOwner *owner, int first,
                                   int second)
{
	unsigned may = MayMeetPair(ray, base, owner->collider, first, second, owner->shifted ? owner->shift : NULL);
	if (__builtin_expect(may == 0, 1))
		return;
	ColliderAt at;
	ColliderAt_Set(&at, ray->cast->ray, owner->collider, owner->block);
	if (may & 1)
		MeetQuad(ray, &at, first);
	if ((may & 0x10) && second != first)
		MeetQuad(ray, &at, second);
}

SIMD_FUNCTION static inline void MeetEdges(const FastRay *ray, const FastBase *base, const FastOwner *owner,
                                           const int cube[3], unsigned edges)
{
	const Lattice *lattice = Collider_Lattice(owner->collider);
	while (edges) {
		int first = Lattice_EdgeQuad(lattice, cube, __builtin_ctz(edges)), second = first;
		edges &= edges - 1;
		if (edges)
			second = Lattice_EdgeQuad(lattice, cube, __builtin_ctz(edges));
		edges &= edges - 1;
		MeetPair(ray, base, owner, first, second);
	}
}

/* The edges of a cube that blocks beyond its faces own. */
SIMD_FUNCTION static void MeetBorder(const FastRay *ray, const FastBase *base, const FastBlock *block,
                                     const int cube[3], unsigned beyond, unsigned wanted)
{
	Cast *cast = ray->cast;
	for (unsigned side = 1; side <= beyond; side++) {
		unsigned edges = CUBE_EDGES_OF[beyond][side] & wanted;
		if ((side & ~beyond) || edges == 0)
			continue;
		FastOwner owner = {.block = Block_Beside(block->block, side), .shifted = true};
		const Group *group = Group_Beside(ray->terrain, block->group, owner.block);
		int place = Group_Index(owner.block);
		if (!group || !(group->mixed >> place & 1))
			continue;
		const Record *record = Group_Record(group, place);
		if (record->quads == 0 || !Record_SharesCube(record, cube, side))
			continue;
		owner.collider = Cast_Need(cast, record, Record_Id(ray->terrain, group, place));
		if (!owner.collider)
			return;
		edges = Lattice_BorderEdges(Collider_Lattice(owner.collider), cube, edges);
		for (int a = 0; a < 3; a++)
			owner.shift[a] = _mm256_set1_ps(side >> a & 1 ? (float)BLOCK_UNITS : 0.0f);
		MeetEdges(ray, base, &owner, cube, edges);
	}
}

SIMD_FUNCTION static inline void SetBase(const FastRay *ray, const FastBlock *block, FastBase *base)
{
	/* From stored positions (a cube beyond the corner) to units from the point where the ray comes in. */
	float from[4];
	__m128 in = _mm_add_ps(_mm_loadu_ps(block->enter), _mm_set1_ps(1.0f));
	_mm_storeu_ps(from, _mm_mul_ps(in, _mm_set1_ps(-(float)SURFACE_UNIT)));
	const Ray *r = ray->cast->ray;
	base->u = _mm256_set1_ps(ray->sign * (from[r->u] - ray->slope_u * from[r->k]));
	base->v = _mm256_set1_ps(from[r->v] - ray->slope_v * from[r->k]);
}

/* ---- slabs ---------------------------------------------------------------------------------------------------- */

/* By slab: up to three cubes in the ray's order, 8 * row + column; the mixed cubes as bits of the same. */
typedef struct FastSlabs {
	int32_t cell[3][BLOCK_SIZE];
	uint64_t mixed[BLOCK_SIZE];
} FastSlabs;

/* Mixed cubes by slab across `k`: rows and columns are z, x across y; y, x across z; y, z across x. */
SIMD_FUNCTION static inline void MixedAcross(const Record *record, int k, __m256i out[2])
{
	const __m256i *words = (const __m256i *)record->mixed;
	__m256i low = _mm256_loadu_si256(words), high = _mm256_loadu_si256(words + 1);
	if (k == 1) {
		out[0] = low;
		out[1] = high;
	} else if (k == 2) {
		/* Bytes [y][z] to [z][y]. */
		const __m256i pairs = _mm256_setr_epi8(0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15, 0, 8, 1, 9, 2, 10,
		                                       3, 11, 4, 12, 5, 13, 6, 14, 7, 15);
		low = _mm256_shuffle_epi8(low, pairs);
		high = _mm256_shuffle_epi8(high, pairs);
		__m128i y01 = _mm256_castsi256_si128(low), y23 = _mm256_extracti128_si256(low, 1);
		__m128i y45 = _mm256_castsi256_si128(high), y67 = _mm256_extracti128_si256(high, 1);
		__m128i near0 = _mm_unpacklo_epi16(y01, y23), near1 = _mm_unpackhi_epi16(y01, y23);
		__m128i far0 = _mm_unpacklo_epi16(y45, y67), far1 = _mm_unpackhi_epi16(y45, y67);
		out[0] = _mm256_set_m128i(_mm_unpackhi_epi32(near0, far0), _mm_unpacklo_epi32(near0, far0));
		out[1] = _mm256_set_m128i(_mm_unpackhi_epi32(near1, far1), _mm_unpacklo_epi32(near1, far1));
	} else {
		/* Bit x of all bytes [y][z]. */
#define NEXT_SLAB(x)                                                                                                   \
	uint64_t slab##x = (uint32_t)_mm256_movemask_epi8(low) | (uint64_t)(uint32_t)_mm256_movemask_epi8(high) << 32;     \
	low = _mm256_add_epi8(low, low);                                                                                   \
	high = _mm256_add_epi8(high, high)
		NEXT_SLAB(7);
		NEXT_SLAB(6);
		NEXT_SLAB(5);
		NEXT_SLAB(4);
		NEXT_SLAB(3);
		NEXT_SLAB(2);
		NEXT_SLAB(1);
		NEXT_SLAB(0);
#undef NEXT_SLAB
		out[0] = _mm256_set_epi64x((int64_t)slab3, (int64_t)slab2, (int64_t)slab1, (int64_t)slab0);
		out[1] = _mm256_set_epi64x((int64_t)slab7, (int64_t)slab6, (int64_t)slab5, (int64_t)slab4);
	}
}

SIMD_FUNCTION static inline __m256i BitsOf(__m128i cell)
{
	return _mm256_sllv_epi64(_mm256_set1_epi64x(1), _mm256_cvtepu32_epi64(cell));
}

SIMD_FUNCTION static inline __m256i ClampCube(__m256 at)
{
	__m256i cube = _mm256_cvttps_epi32(_mm256_max_ps(at, _mm256_setzero_ps()));
	return _mm256_min_epi32(cube, _mm256_set1_epi32(BLOCK_SIZE - 1));
}

SIMD_FUNCTION static inline __m256 Magnitude(__m256 v)
{
	return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), v);
}

/* Bits of the slabs in which the ray meets mixed cubes. */
SIMD_FUNCTION static inline unsigned FindCubes(const FastRay *ray, const Record *record, const float enter[4],
                                               const float leave[4], FastSlabs *slabs)
{
	const __m256 number = _mm256_setr_ps(0, 1, 2, 3, 4, 5, 6, 7);
	int k = ray->k;
	__m256 start = _mm256_set1_ps(Min(enter[k], leave[k])), stop = _mm256_set1_ps(Max(enter[k], leave[k]));
	__m256 low = _mm256_max_ps(_mm256_add_ps(number, _mm256_set1_ps(ray->shrink)), start);
	__m256 high = _mm256_min_ps(_mm256_add_ps(number, _mm256_set1_ps(1.0f - ray->shrink)), stop);
	unsigned met = (unsigned)_mm256_movemask_ps(_mm256_cmp_ps(low, high, _CMP_LE_OQ));
	__m256 in = _mm256_sub_ps(ray->up ? low : high, _mm256_set1_ps(enter[k]));
	__m256 out = _mm256_sub_ps(ray->up ? high : low, _mm256_set1_ps(enter[k]));
	__m256 row = _mm256_set1_ps(enter[ray->row]), column = _mm256_set1_ps(enter[ray->column]);
	__m256 to_row = _mm256_set1_ps(ray->slope_row), to_column = _mm256_set1_ps(ray->slope_column);
	__m256 row0 = _mm256_add_ps(row, _mm256_mul_ps(in, to_row));
	__m256 row1 = _mm256_add_ps(row, _mm256_mul_ps(out, to_row));
	__m256 column0 = _mm256_add_ps(column, _mm256_mul_ps(in, to_column));
	__m256 column1 = _mm256_add_ps(column, _mm256_mul_ps(out, to_column));
	__m256i r0 = ClampCube(row0), r1 = ClampCube(row1), c0 = ClampCube(column0), c1 = ClampCube(column1);
	/* Where both change: which of the two planes, that between the rows or that between the columns, comes first? */
	__m256 row_plane = _mm256_cvtepi32_ps(_mm256_max_epi32(r0, r1));
	__m256 column_plane = _mm256_cvtepi32_ps(_mm256_max_epi32(c0, c1));
	__m256 row_at =
	    _mm256_mul_ps(Magnitude(_mm256_sub_ps(row_plane, row0)), Magnitude(_mm256_sub_ps(column1, column0)));
	__m256 column_at =
	    _mm256_mul_ps(Magnitude(_mm256_sub_ps(column_plane, column0)), Magnitude(_mm256_sub_ps(row1, row0)));
	__m256i row_first = _mm256_castps_si256(_mm256_cmp_ps(row_at, column_at, _CMP_LT_OQ));
	__m256i first = _mm256_add_epi32(_mm256_slli_epi32(r0, 3), c0);
	__m256i last = _mm256_add_epi32(_mm256_slli_epi32(r1, 3), c1);
	__m256i between = _mm256_add_epi32(_mm256_slli_epi32(_mm256_blendv_epi8(r0, r1, row_first), 3),
	                                   _mm256_blendv_epi8(c1, c0, row_first));
	__m256i mixed[2], some[2];
	MixedAcross(record, k, mixed);
	__m256i bits0 = _mm256_or_si256(BitsOf(_mm256_castsi256_si128(first)), BitsOf(_mm256_castsi256_si128(last)));
	__m256i bits1 =
	    _mm256_or_si256(BitsOf(_mm256_extracti128_si256(first, 1)), BitsOf(_mm256_extracti128_si256(last, 1)));
	bits0 = _mm256_or_si256(bits0, BitsOf(_mm256_castsi256_si128(between)));
	bits1 = _mm256_or_si256(bits1, BitsOf(_mm256_extracti128_si256(between, 1)));
	some[0] = _mm256_cmpeq_epi64(_mm256_and_si256(bits0, mixed[0]), _mm256_setzero_si256());
	some[1] = _mm256_cmpeq_epi64(_mm256_and_si256(bits1, mixed[1]), _mm256_setzero_si256());
	_mm256_storeu_si256((__m256i *)slabs->mixed, mixed[0]);
	_mm256_storeu_si256((__m256i *)(slabs->mixed + 4), mixed[1]);
	_mm256_storeu_si256((__m256i *)slabs->cell[0], first);
	_mm256_storeu_si256((__m256i *)slabs->cell[1], between);
	_mm256_storeu_si256((__m256i *)slabs->cell[2], last);
	unsigned none = (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(some[0])) |
	                (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(some[1])) << 4;
	return met & ~none;
}

/* ---- blocks --------------------------------------------------------------------------------------------------- */

/* State over the mixed cubes of one block. */
typedef struct FastVisit {
	FastOwner own;
	FastBase base;
	int last[3]; /* the cube before, all of whose quads were looked at */
	bool begun;  /* own and base are set */
} FastVisit;

SIMD_FUNCTION static void MeetCube(FastRay *ray, FastVisit *visit, const FastBlock *block, const int cube[3])
{
	Cast *cast = ray->cast;
	if (!visit->begun) {
		visit->begun = true;
		if (!ray->filter)
			FastRay_SetFilter(ray);
		visit->own.block = block->block;
		if (block->record->quads)
			visit->own.collider = Cast_Need(cast, block->record, block->id);
		SetBase(ray, block, &visit->base);
	}
	unsigned wanted = CUBE_EDGES & ~CubeEdges_Shared(visit->last, cube), beyond = Cube_Beyond(cube);
	if (visit->own.collider)
		MeetEdges(ray, &visit->base, &visit->own, cube,
		          Lattice_CubeEdges(Collider_Lattice(visit->own.collider), cube, CUBE_EDGES_OF[beyond][0] & wanted));
	if (beyond)
		MeetBorder(ray, &visit->base, block, cube, beyond, wanted);
	memcpy(visit->last, cube, sizeof visit->last);
}

/* enter, leave: s in cells. */
SIMD_FUNCTION __attribute__((noinline)) static void MeetBlock(FastRay *ray, FastBlock *block, double enter,
                                                              double leave)
{
	Cast *cast = ray->cast;
	const Record *record = block->record;
	__m128i ahead = _mm_sub_epi32(_mm_setr_epi32(block->block.x, block->block.y, block->block.z, 0), ray->frame);
	__m256d corner = _mm256_mul_pd(_mm256_cvtepi32_pd(ahead), _mm256_set1_pd(BLOCK_SIZE));
	__m256d from = _mm256_sub_pd(ray->origin, corner);
	__m128 in = _mm256_cvtpd_ps(_mm256_add_pd(from, _mm256_mul_pd(ray->dir, _mm256_set1_pd(enter))));
	__m128 out = _mm256_cvtpd_ps(_mm256_add_pd(from, _mm256_mul_pd(ray->dir, _mm256_set1_pd(leave))));
	__m128i box = _mm_loadl_epi64((const __m128i *)record->mixed_lo); /* three bytes of lo, three of hi, two others */
	__m128 lo = _mm_cvtepi32_ps(_mm_cvtepu8_epi32(box));
	__m128 hi = _mm_cvtepi32_ps(_mm_cvtepu8_epi32(_mm_srli_si128(box, 3)));
	lo = _mm_sub_ps(lo, _mm_set1_ps(BOX_SLACK));
	hi = _mm_add_ps(hi, _mm_set1_ps(1.0f + BOX_SLACK));
	__m128 outside = _mm_or_ps(_mm_cmplt_ps(_mm_max_ps(in, out), lo), _mm_cmpgt_ps(_mm_min_ps(in, out), hi));
	if (_mm_movemask_ps(outside) & 7)
		return;
	float leave_at[4];
	FastSlabs slabs;
	_mm_storeu_ps(block->enter, in);
	_mm_storeu_ps(leave_at, out);
	unsigned met = FindCubes(ray, record, block->enter, leave_at, &slabs);
	if (met == 0)
		return;
	double start_at[4], inverse = cast->ray->inverse[ray->k];
	_mm256_storeu_pd(start_at, from);
	double start = start_at[ray->k];
	bool has_tree = ray->terrain->narrowphase == NARROWPHASE_KDTREE;
	FastVisit visit;
	visit.last[0] = visit.last[1] = visit.last[2] = -BLOCK_SIZE;
	visit.own.collider = NULL;
	visit.own.shifted = false;
	visit.begun = false;
	CubeVisit by_tree = CubeVisit_Begin(block->id, block->block);
	while (met) {
		int slab = ray->up ? __builtin_ctz(met) : 31 - __builtin_clz(met), before = -1;
		met &= ~(1u << slab);
		for (int i = 0; i < 3; i++) {
			int cell = slabs.cell[i][slab], cube[3];
			if (cell == before || !(slabs.mixed[slab] >> cell & 1))
				continue;
			before = cell;
			cube[ray->k] = slab;
			cube[ray->row] = cell >> 3;
			cube[ray->column] = cell & 7;
			if (has_tree)
				Cast_Cube(cast, &by_tree, cube, enter * SURFACE_UNIT, leave * SURFACE_UNIT);
			else
				MeetCube(ray, &visit, block, cube);
			if (cast->failed)
				return;
		}
		/* Nothing beyond the slab can be nearer than what was met before its end. */
		if (cast->limit * CELL < (slab + ray->up - start) * inverse - BOX_SLACK)
			return;
	}
}

/* ---- the way -------------------------------------------------------------------------------------------------- */

static inline int64_t ToWhole(double cells)
{
	return (int64_t)(MinD(MaxD(cells, -NEVER), NEVER) * WHOLE);
}

typedef struct FastWalk {
	int64_t next[3], across[3]; /* s of the next plane, and from plane to plane */
	int32_t at[3], step[3];     /* block */
} FastWalk;

static inline void FastWalk_Begin(FastWalk *walk, const FastRay *ray, double s0)
{
	const Terrain *terrain = ray->terrain;
	const Ray *r = ray->cast->ray;
	for (int a = 0; a < 3; a++) {
		int32_t frame = (&r->frame.x)[a];
		double at = (ray->at[a] + r->dir[a] * s0) * (1.0 / BLOCK_SIZE);
		double first = (double)((&terrain->lo.x)[a] - frame), last = (double)((&terrain->hi.x)[a] - frame);
		int32_t block = FloorToInt(MinD(MaxD(at, first), last));
		walk->step[a] = r->step[a];
		walk->at[a] = frame + block;
		walk->next[a] = ToWhole(((block + (r->step[a] > 0)) * BLOCK_SIZE - ray->at[a]) * r->inverse[a]);
		walk->across[a] = ToWhole(BLOCK_SIZE * AbsD(r->inverse[a]));
	}
}

/* The stretch of the ray in the box of all records, cells. False: it meets none of it. */
SIMD_FUNCTION static inline bool FastRay_Clip(const FastRay *ray, double *s0, double *s1)
{
	const Terrain *terrain = ray->terrain;
	const Ray *r = ray->cast->ray;
	__m128i first = _mm_sub_epi32(_mm_setr_epi32(terrain->lo.x, terrain->lo.y, terrain->lo.z, 0), ray->frame);
	__m128i last = _mm_sub_epi32(_mm_setr_epi32(terrain->hi.x, terrain->hi.y, terrain->hi.z, 0), ray->frame);
	__m256d size = _mm256_set1_pd(BLOCK_SIZE), slack = _mm256_set1_pd((double)BOX_SLACK);
	__m256d lo = _mm256_sub_pd(_mm256_mul_pd(_mm256_cvtepi32_pd(first), size), slack);
	__m256d hi = _mm256_add_pd(_mm256_mul_pd(_mm256_cvtepi32_pd(last), size), _mm256_add_pd(size, slack));
	__m256d inverse = _mm256_loadu_pd(r->inverse), end = _mm256_set1_pd(*s1);
	__m256d a = _mm256_mul_pd(_mm256_sub_pd(lo, ray->origin), inverse);
	__m256d b = _mm256_mul_pd(_mm256_sub_pd(hi, ray->origin), inverse);
	__m256d enter = _mm256_max_pd(_mm256_min_pd(a, b), _mm256_setzero_pd());
	__m256d leave = _mm256_min_pd(_mm256_blend_pd(_mm256_max_pd(a, b), end, 8), end);
	__m128d enter2 = _mm_max_pd(_mm256_castpd256_pd128(enter), _mm256_extractf128_pd(enter, 1));
	__m128d leave2 = _mm_min_pd(_mm256_castpd256_pd128(leave), _mm256_extractf128_pd(leave, 1));
	*s0 = MaxD(_mm_cvtsd_f64(enter2), _mm_cvtsd_f64(_mm_unpackhi_pd(enter2, enter2)));
	*s1 = MinD(_mm_cvtsd_f64(leave2), _mm_cvtsd_f64(_mm_unpackhi_pd(leave2, leave2)));
	return *s0 <= *s1;
}

/* How far the walk is on one axis: s of the next plane, from plane to plane, block and its step, and 3 or 0: what turns
 * a block's place in its group into the number of blocks of the group ahead. */
#define WALK_AXIS(n, a)                                                                                                \
	int64_t next_##n = walk.next[a];                                                                                   \
	const int64_t across_##n = walk.across[a];                                                                         \
	int32_t at_##n = walk.at[a];                                                                                       \
	const int32_t step_##n = walk.step[a], ahead_##n = step_##n > 0 ? 3 : 0
/* Planes before the one by which it leaves the group: at most three, the rest are beyond the group. */
#define LEAVE_GROUP(n)                                                                                                 \
	do {                                                                                                               \
		int64_t second = next_##n + across_##n;                                                                        \
		int crossed =                                                                                                  \
		    (next_##n < leave) + (second < leave) + (second + across_##n < leave) + (out_##n == leave && !left++);     \
		next_##n += crossed * across_##n;                                                                              \
		at_##n += crossed * step_##n;                                                                                  \
	} while (0)

/* May the start lie on the surface? Not in a cube that is not mixed: it has none within 5/4096. */
SIMD_FUNCTION static bool StartsAtSurface(const Cast *cast)
{
	const Ray *r = cast->ray;
	const Cell block = r->frame;
	const Group *group = Group_Find(cast->terrain, block.x >> GROUP_BITS, block.y >> GROUP_BITS, block.z >> GROUP_BITS);
	const Record *record = group ? Group_Record(group, Group_Index(block)) : NULL;
	int cube[3];
	for (int a = 0; a < 3; a++)
		cube[a] = Int_Min((int)(r->origin[a] * CELL), BLOCK_SIZE - 1);
	return record && (record->mixed[cube[1]] >> (8 * cube[2] + cube[0]) & 1);
}

SIMD_FUNCTION static void WalkBlocks(FastRay *ray, double s0, double s1)
{
	Cast *cast = ray->cast;
	const Terrain *terrain = ray->terrain;
	FastBlock block = {.group = NULL};
	FastWalk walk;
	FastWalk_Begin(&walk, ray, s0);
	WALK_AXIS(x, 0);
	WALK_AXIS(y, 1);
	WALK_AXIS(z, 2);
	Cell known = {INT32_MIN, 0, 0}; /* group */
	uint64_t word = 0, inside = 0;
	int64_t enter = ToWhole(s0), end = ToWhole(s1);
	for (;;) {
		int32_t elsewhere =
		    (at_x >> GROUP_BITS ^ known.x) | (at_y >> GROUP_BITS ^ known.y) | (at_z >> GROUP_BITS ^ known.z);
		if (elsewhere) {
			known = (Cell){at_x >> GROUP_BITS, at_y >> GROUP_BITS, at_z >> GROUP_BITS};
			block.group = Group_Find(terrain, known.x, known.y, known.z);
			word = block.group ? block.group->mixed : 0;
			inside = block.group && cast->sides ? block.group->inside : 0;
		}
		int place = (at_y & 3) * 16 + (at_z & 3) * 4 + (at_x & 3);
		if (inside >> place & 1) {
			cast->failed = true; /* came here without a crossing: it starts inside */
			return;
		}
		if (word == 0) {
			int left = 0; /* has an axis left by */
			int64_t out_x = next_x + ((at_x & 3) ^ ahead_x) * across_x,
			        out_y = next_y + ((at_y & 3) ^ ahead_y) * across_y;
			int64_t out_z = next_z + ((at_z & 3) ^ ahead_z) * across_z, leave = out_x < out_y ? out_x : out_y;
			leave = leave < out_z ? leave : out_z;
			LEAVE_GROUP(x);
			LEAVE_GROUP(y);
			LEAVE_GROUP(z);
			enter = leave;
			if (enter > end)
				return;
			continue;
		}
		int64_t leave = next_x < next_y ? next_x : next_y;
		leave = leave < next_z ? leave : next_z;
		if (word >> place & 1) {
			block.block = (Cell){at_x, at_y, at_z};
			block.record = Group_Record(block.group, place);
			block.id = Record_Id(terrain, block.group, place);
			double left = (double)leave * (1.0 / WHOLE);
			MeetBlock(ray, &block, (double)enter * (1.0 / WHOLE), MinD(left, s1));
			if (cast->failed || cast->limit * CELL < left - (double)BOX_SLACK)
				return;
		}
		if (leave >= end)
			return;
		enter = leave;
		int64_t along_x = -(int64_t)(next_x == leave);
		int64_t along_y = ~along_x & -(int64_t)(next_y == leave);
		int64_t along_z = ~(along_x | along_y);
		next_x += across_x & along_x;
		next_y += across_y & along_y;
		next_z += across_z & along_z;
		at_x += step_x & (int32_t)along_x;
		at_y += step_y & (int32_t)along_y;
		at_z += step_z & (int32_t)along_z;
	}
}

SIMD_FUNCTION bool Cast_WorldFast(Cast *cast)
{
	const Terrain *terrain = cast->terrain;
	const Ray *r = cast->ray;
	FastRay ray;
	double s0 = 0.0, s1 = r->end * CELL;
	FastRay_Set(&ray, cast);
	if (terrain->record_count == 0 || !FastRay_Clip(&ray, &s0, &s1)) {
		cast->left_all = true;
		return true;
	}
	double speed = AbsD(r->dir[0]) + AbsD(r->dir[1]) + AbsD(r->dir[2]);
	if (s1 > FAST_CELLS || Walk_IsSparse(terrain, speed * (s1 - s0) / BLOCK_SIZE))
		return false;
	cast->left_all = s1 < r->end * CELL;
	ray.shrink = s1 - s0 < 4.0 * (double)SHRINK ? 0.0f : SHRINK;
	cast->unclear = cast->sides && s0 == 0.0 && StartsAtSurface(cast);
	WalkBlocks(&ray, s0, s1);
	return true;
}

#endif
