/* The fast form of Cast_World for processors with AVX2. It finds the same quads to look at as the plain walk, or some
 * more or fewer that cannot be met, and leaves every decision to Cast_Quad: so both forms report the same bits.
 *
 * A ray walks over a grid of bits, one a block. In a block with mixed cubes all eight layers of cubes across the ray's
 * longest axis are done at once: in a layer the ray moves less than its thickness sideways, so it meets the cube by
 * which it comes in, the one by which it leaves and at most one between them. So its way through the block is at most
 * 24 bits, which the mixed cubes are cut out of.
 *
 * Why nothing is lost. Within 5/4096 of a cube's face lie only quads of that face's four edges, within 5/4096 of a
 * lattice edge only its own quad, and every cube that touches the face or edge lists those. So where the ray leaves a
 * cube out that it touches by less than that, or takes a tie of planes either way, the cubes it does visit list all
 * that it can meet. The walk's own errors are under 1/4096.
 */
#include "terrain/ray_fast_internal.h"

#if SCREE_X86

#define NEVER 1e12 /* cells; a plane that far is not met */

/* ---- layers across an axis ----------------------------------------------------------------------------------- */

/* By axis and direction: layers in the order in which a ray meets them, as parts of the number of a cube in its block
 * (y * 64 + z * 8 + x); the axes of rows and columns, and how far they are shifted in it. */
static const struct FastAxes {
	int32_t layer[BLOCK_SIZE];
	int32_t turn[4]; /* the axis itself, that of rows, of columns */
	int64_t row_shift, column_shift;
} FAST_AXES[3][2] = {
    {{{7, 6, 5, 4, 3, 2, 1, 0}, {0, 1, 2, 3}, 6, 3}, {{0, 1, 2, 3, 4, 5, 6, 7}, {0, 1, 2, 3}, 6, 3}},
    {{{448, 384, 320, 256, 192, 128, 64, 0}, {1, 2, 0, 3}, 3, 0},
     {{0, 64, 128, 192, 256, 320, 384, 448}, {1, 2, 0, 3}, 3, 0}},
    {{{56, 48, 40, 32, 24, 16, 8, 0}, {2, 1, 0, 3}, 6, 0}, {{0, 8, 16, 24, 32, 40, 48, 56}, {2, 1, 0, 3}, 6, 0}},
};

/* Bits 4 * layer + which of the three: those of `met` that the way has, without what stands twice. */
SIMD_FUNCTION static inline uint32_t WayBits(unsigned first, unsigned between, unsigned last)
{
	return _pdep_u32(first, 0x11111111) | _pdep_u32(between, 0x22222222) | _pdep_u32(last, 0x44444444);
}

SIMD_FUNCTION static inline __m256d Magnitudes(__m256d v)
{
	return _mm256_andnot_pd(_mm256_set1_pd(-0.0), v);
}
/* Of places in the block; by rounding they may lie beyond its faces by a little. */
SIMD_FUNCTION static inline __m256i Place8(__m256 at)
{
	return _mm256_min_epi32(_mm256_cvttps_epi32(at), _mm256_set1_epi32(BLOCK_SIZE - 1));
}
/* From `at` to the plane between two places next to each other. */
SIMD_FUNCTION static inline __m256 ToPlane(__m256i first, __m256i last, __m256 at)
{
	return _mm256_sub_ps(_mm256_cvtepi32_ps(_mm256_max_epi32(first, last)), at);
}

/* Which lanes' cubes are set? words: the sixteen halves of a record's words. */
SIMD_FUNCTION static inline unsigned CubesIn(const __m256i words[2], __m256i cube)
{
	__m256i half = _mm256_srli_epi32(cube, 5);
	__m256 low = _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(words[0], half));
	__m256 high = _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(words[1], half));
	__m256 word = _mm256_blendv_ps(low, high, _mm256_castsi256_ps(_mm256_slli_epi32(cube, 23)));
	__m256i bit = _mm256_andnot_si256(cube, _mm256_set1_epi32(31));
	return (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_sllv_epi32(_mm256_castps_si256(word), bit)));
}

/* The mixed cubes of a block that the ray meets, as bits of the way. at: k, row and column where it comes in; q0..q1:
 * its stretch along k, from the block's nearest plane; all in cells. */
SIMD_FUNCTION static inline uint32_t FindCubes(const FastRay *ray, const Record *record, __m128 at, __m256 q0,
                                               __m256 q1, FastWay *way)
{
	const __m256 number = _mm256_setr_ps(0, 1, 2, 3, 4, 5, 6, 7);
	const __m256 past = _mm256_setr_ps(1, 2, 3, 4, 5, 6, 7, 8);
	__m256 low = _mm256_max_ps(number, q0), high = _mm256_min_ps(past, q1);
	unsigned met = (unsigned)_mm256_movemask_ps(_mm256_cmp_ps(low, high, _CMP_LE_OQ));
	__m256 row = _mm256_broadcastss_ps(_mm_movehdup_ps(at)), column = _mm256_broadcastss_ps(_mm_movehl_ps(at, at));
	low = _mm256_sub_ps(low, q0);
	high = _mm256_sub_ps(high, q0);
	__m256 row0 = _mm256_fmadd_ps(low, ray->slope_row, row), row1 = _mm256_fmadd_ps(high, ray->slope_row, row);
	__m256 column0 = _mm256_fmadd_ps(low, ray->slope_column, column);
	__m256 column1 = _mm256_fmadd_ps(high, ray->slope_column, column);
	__m256i r0 = Place8(row0), r1 = Place8(row1), c0 = Place8(column0), c1 = Place8(column1);
	/* Where rows or columns do not change, either order will do. */
	__m256 to_row = _mm256_mul_ps(ToPlane(r0, r1, row0), ray->inverse_row);
	__m256 to_column = _mm256_mul_ps(ToPlane(c0, c1, column0), ray->inverse_column);
	__m256i row_first = _mm256_castps_si256(_mm256_cmp_ps(to_row, to_column, _CMP_LT_OQ));
	r0 = _mm256_or_si256(_mm256_sll_epi32(r0, ray->row_shift), ray->layer);
	r1 = _mm256_or_si256(_mm256_sll_epi32(r1, ray->row_shift), ray->layer);
	c0 = _mm256_sll_epi32(c0, ray->column_shift);
	c1 = _mm256_sll_epi32(c1, ray->column_shift);
	__m256i first = _mm256_or_si256(r0, c0), last = _mm256_or_si256(r1, c1);
	__m256i between = _mm256_or_si256(_mm256_blendv_epi8(r0, r1, row_first), _mm256_blendv_epi8(c1, c0, row_first));
	const __m256i words[2] = {_mm256_loadu_si256((const __m256i *)record->mixed),
	                          _mm256_loadu_si256((const __m256i *)record->mixed + 1)};
	_mm256_storeu_si256((__m256i *)way->cell[0], first);
	_mm256_storeu_si256((__m256i *)way->cell[1], between);
	_mm256_storeu_si256((__m256i *)way->cell[2], last);
	unsigned same1 = (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(first, between)));
	unsigned same2 = (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(between, last)));
	return WayBits(CubesIn(words, first) & met, CubesIn(words, between) & met & ~same1,
	               CubesIn(words, last) & met & ~same2);
}

/* ---- blocks --------------------------------------------------------------------------------------------------- */

/* Does the ray pass the box of the block's mixed cubes between two points? */
SIMD_FUNCTION static inline bool PassesMixed(const Record *record, __m128 enter, __m128 leave)
{
	__m128i box = _mm_loadl_epi64((const __m128i *)record->mixed_lo); /* three bytes of lo, three of hi, two others */
	__m128 lo = _mm_cvtepi32_ps(_mm_cvtepu8_epi32(box));
	__m128 hi = _mm_cvtepi32_ps(_mm_cvtepu8_epi32(_mm_srli_si128(box, 3)));
	__m128 before = _mm_cmplt_ps(_mm_max_ps(enter, leave), _mm_sub_ps(lo, _mm_set1_ps(BOX_SLACK)));
	__m128 beyond = _mm_cmpgt_ps(_mm_min_ps(enter, leave), _mm_add_ps(hi, _mm_set1_ps(1.0f + BOX_SLACK)));
	return (_mm_movemask_ps(_mm_or_ps(before, beyond)) & 7) == 0;
}

/* With trees: as long as nothing nearer was met. enter, leave: where the ray comes to the block and leaves it. */
static void MeetTrees(Cast *cast, const FastBlock *block, const FastWay *way, double enter, double leave)
{
	CubeVisit visit = CubeVisit_Begin(block->id, block->own.block);
	for (uint32_t left = way->mixed; left && !cast->failed; left &= left - 1) {
		int bit = __builtin_ctz(left), layer = bit >> 2, cell = way->cell[bit & 3][layer];
		const int cube[3] = {cell & 7, cell >> 6, cell >> 3 & 7};
		if (FastWay_IsBehind(way, layer, cast))
			return;
		Cast_Cube(cast, &visit, cube, enter * SURFACE_UNIT, leave * SURFACE_UNIT);
	}
}

/* A block's part of a ray. */
typedef struct FastStretch {
	__m256d corner;     /* the ray's origin from the block's corner, cells */
	__m128i ahead;      /* of the frame's block, cells */
	__m128 first, last; /* where it comes in and goes out, from there */
	double enter, leave;
} FastStretch;

/* enter, leave: s of its stretch in the block, cells. False: it passes by the box of the block's mixed cubes. */
SIMD_FUNCTION static inline bool ComesNear(const FastRay *ray, const Record *record, __m128i ahead, double enter,
                                           double leave, FastStretch *stretch)
{
	stretch->ahead = ahead;
	stretch->corner = _mm256_sub_pd(ray->origin, _mm256_cvtepi32_pd(ahead));
	stretch->enter = enter;
	stretch->leave = MinD(leave, ray->cast->limit * CELL);
	__m256d first = _mm256_fmadd_pd(ray->dir, _mm256_set1_pd(enter), stretch->corner);
	__m256d last = _mm256_fmadd_pd(ray->dir, _mm256_set1_pd(stretch->leave), stretch->corner);
	stretch->first = _mm256_cvtpd_ps(first);
	stretch->last = _mm256_cvtpd_ps(last);
	return PassesMixed(record, stretch->first, stretch->last);
}

/* The mixed cubes of a block that it comes near. True: it is done. */
SIMD_FUNCTION static __attribute__((noinline)) bool MeetBlock(FastRay *ray, const Group *group, const Record *record,
                                                              int place, const FastStretch *stretch)
{
	__m128 first = _mm_permutevar_ps(stretch->first, ray->turn), last = _mm_permutevar_ps(stretch->last, ray->turn);
	__m256 q0 = _mm256_fmadd_ps(_mm256_broadcastss_ps(first), ray->along, ray->near_edge);
	__m256 q1 = _mm256_fmadd_ps(_mm256_broadcastss_ps(last), ray->along, ray->near_edge);
	FastWay way;
	way.mixed = FindCubes(ray, record, first, q0, q1, &way);
	if (way.mixed == 0)
		return false;
	Collider_Prefetch(record->collider);
	way.start = stretch->enter - (double)_mm256_cvtss_f32(q0);
	FastBlock block;
	_mm256_storeu_pd(block.corner, stretch->corner);
	block.group = group;
	block.record = record;
	block.id = Record_Id(ray->terrain, group, place);
	__m128i at = _mm_add_epi32(ray->frame, _mm_srai_epi32(stretch->ahead, BLOCK_BITS));
	block.own.block = (Cell){_mm_cvtsi128_si32(at), _mm_extract_epi32(at, 1), _mm_extract_epi32(at, 2)};
	Cast *cast = ray->cast;
	if (ray->terrain->narrowphase == NARROWPHASE_KDTREE)
		MeetTrees(cast, &block, &way, stretch->enter, stretch->leave);
	else
		FastBlock_Meet(ray, &block, &way);
	/* Then all that is further on lies behind what was met. */
	return cast->failed || cast->limit * CELL < stretch->leave - (double)BOX_SLACK;
}

/* ---- the way -------------------------------------------------------------------------------------------------- */

/* Of the box of all records, by one load: lo and hi are six numbers in a row. The fourth may be anything. */
_Static_assert(offsetof(Terrain, hi) == offsetof(Terrain, lo) + 12, "lo and hi stand together");
SIMD_FUNCTION static inline __m128i FirstBlock(const Terrain *terrain)
{
	return _mm_loadu_si128((const __m128i *)&terrain->lo);
}
SIMD_FUNCTION static inline __m128i LastBlock(const Terrain *terrain)
{
	return _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)((const char *)&terrain->lo + 8)), 0x39);
}

typedef struct FastWalk {
	FastRay *ray;
	double s0, s1; /* of the ray, cells */
	bool within;   /* it starts in the box of all records: s0 is 0 */
} FastWalk;

/* May the start lie on the surface? Not in a cube that is not mixed: it has none within 5/4096. With a lattice the test
 * of quads says more (FastTriangle_Meet, MeetFound). */
SIMD_FUNCTION static bool StartsAtSurface(const FastRay *ray)
{
	const Cell block = ray->cast->ray->frame;
	const Group *group = Group_Find(ray->terrain, block.x >> GROUP_BITS, block.y >> GROUP_BITS, block.z >> GROUP_BITS);
	const Record *record = group ? Group_Record(group, Group_Index(block)) : NULL;
	if (!record)
		return false;
	__m128i cube = _mm_min_epi32(_mm256_cvttpd_epi32(ray->origin), _mm_set1_epi32(BLOCK_SIZE - 1));
	int bit = 8 * _mm_extract_epi32(cube, 2) + _mm_cvtsi128_si32(cube);
	return record->mixed[_mm_extract_epi32(cube, 1)] >> bit & 1;
}

/* The group of a block that has its bit in the grid. at: counted from the grid's first. */
static inline const Group *GroupInGrid(const Terrain *terrain, Cell at)
{
	const GroupGrid *grid = &terrain->group_grid;
	size_t x = (size_t)(at.x >> GROUP_BITS), y = (size_t)(at.y >> GROUP_BITS), z = (size_t)(at.z >> GROUP_BITS);
	size_t place = (y * (size_t)grid->size[2] + z) * (size_t)grid->size[0] + x;
	return &terrain->groups.data[grid->at[place]];
}

/* A block that is mixed or inside. ahead: of the frame's block, cells. True: the ray is done. */
SIMD_FUNCTION static inline bool VisitBlock(FastRay *ray, Cell at, __m128i ahead, double enter, double leave)
{
	const Group *group = GroupInGrid(ray->terrain, at);
	int place = Group_Index(at); /* groups begin where the grid does */
	FastStretch stretch;
	if (!(group->mixed >> place & 1)) {
		ray->cast->failed |= ray->cast->sides; /* came here without a crossing: it starts inside */
		return ray->cast->sides;
	}
	const Record *record = &group->records[__builtin_popcountll(_bzhi_u64(group->mixed, (unsigned)place))];
	return ComesNear(ray, record, ahead, enter, leave, &stretch) && MeetBlock(ray, group, record, place, &stretch);
}

/* The block in which the ray is at s, within those with records. */
SIMD_FUNCTION static inline __m256d BlockAt(const FastRay *ray, double s)
{
	__m256d first = _mm256_cvtepi32_pd(_mm_sub_epi32(FirstBlock(ray->terrain), ray->frame));
	__m256d last = _mm256_cvtepi32_pd(_mm_sub_epi32(LastBlock(ray->terrain), ray->frame));
	__m256d at = _mm256_fmadd_pd(ray->dir, _mm256_set1_pd(s), ray->origin);
	at = _mm256_mul_pd(at, _mm256_set1_pd(1.0 / BLOCK_SIZE));
	return _mm256_floor_pd(_mm256_min_pd(_mm256_max_pd(at, first), last));
}

/* Over the grid of all blocks (after Amanatides and Woo 1987). */
SIMD_FUNCTION static void WalkGrid(const FastWalk *walk)
{
	FastRay *ray = walk->ray;
	const Terrain *terrain = ray->terrain;
	const GroupGrid *grid = &terrain->group_grid;
	const __m256d size = _mm256_set1_pd(BLOCK_SIZE), never = _mm256_set1_pd(NEVER), from = _mm256_set1_pd(walk->s0);
	__m256d at = _mm256_setzero_pd();
	if (__builtin_expect(!walk->within, 0))
		at = BlockAt(ray, walk->s0);
	__m256d inverse = _mm256_loadu_pd(ray->cast->ray->inverse);
	__m256d up = _mm256_and_pd(_mm256_cmp_pd(inverse, _mm256_setzero_pd(), _CMP_GT_OQ), _mm256_set1_pd(1.0));
	__m256d plane = _mm256_mul_pd(_mm256_fmsub_pd(_mm256_add_pd(at, up), size, ray->origin), inverse);
	double next[4], across[4];
	_mm256_storeu_pd(next, _mm256_min_pd(_mm256_max_pd(plane, from), never));
	_mm256_storeu_pd(across, _mm256_min_pd(Magnitudes(_mm256_mul_pd(inverse, size)), never));
	__m128i ahead = _mm256_cvttpd_epi32(at), begin = _mm_add_epi32(ray->frame, ahead);
	ahead = _mm_slli_epi32(ahead, BLOCK_BITS);
	const int *step = ray->cast->ray->step;
	const __m128i ahead_x = _mm_cvtsi32_si128(step[0] * BLOCK_SIZE);
	const __m128i ahead_y = _mm_setr_epi32(0, step[1] * BLOCK_SIZE, 0, 0);
	const __m128i ahead_z = _mm_setr_epi32(0, 0, step[2] * BLOCK_SIZE, 0);
	Cell block = {_mm_cvtsi128_si32(begin) - grid->lo.x * GROUP_SIDE,
	              _mm_extract_epi32(begin, 1) - grid->lo.y * GROUP_SIDE,
	              _mm_extract_epi32(begin, 2) - grid->lo.z * GROUP_SIDE};
	const int64_t row = (int64_t)grid->size[0] * GROUP_SIDE, slice = row * grid->size[2] * GROUP_SIDE;
	const int64_t on_y = step[1] * slice, on_z = step[2] * row;
	const uint64_t *bits = grid->bits;
	double x = next[0], y = next[1], z = next[2];
	const double end = walk->s1;
	double enter = walk->s0;
	for (uint64_t i = (uint64_t)(block.y * slice + block.z * row + block.x);;) {
		double leave = MinD(MinD(x, MinD(y, z)), end);
		if ((bits[i / 64] >> i % 64 & 1) && VisitBlock(ray, block, ahead, enter, leave))
			return;
		if (leave >= end)
			return;
		enter = leave;
		if (x <= y && x <= z) {
			x += across[0];
			i += (uint64_t)(int64_t)step[0];
			block.x += step[0];
			ahead = _mm_add_epi32(ahead, ahead_x);
		} else if (y <= z) {
			y += across[1];
			i += (uint64_t)on_y;
			block.y += step[1];
			ahead = _mm_add_epi32(ahead, ahead_y);
		} else {
			z += across[2];
			i += (uint64_t)on_z;
			block.z += step[2];
			ahead = _mm_add_epi32(ahead, ahead_z);
		}
	}
}

/* Without a grid, or by far the longer way: by the groups that there are. */
SIMD_FUNCTION static void VisitRecord(void *context, int id, double enter, double leave)
{
	const FastWalk *walk = context;
	const Terrain *terrain = walk->ray->terrain;
	const Cell at = Record_Block(terrain, id);
	const Record *record = Record_At(terrain, id);
	FastStretch stretch;
	__m128i ahead = _mm_sub_epi32(_mm_setr_epi32(at.x, at.y, at.z, 0), walk->ray->frame);
	ahead = _mm_slli_epi32(ahead, BLOCK_BITS);
	if (!walk->ray->cast->failed && ComesNear(walk->ray, record, ahead, enter * CELL, leave * CELL, &stretch))
		MeetBlock(walk->ray, Record_Group(terrain, id), record, id % GROUP_BLOCKS, &stretch);
}

SIMD_FUNCTION static inline double Greatest(__m256d v)
{
	__m128d two = _mm_max_pd(_mm256_castpd256_pd128(v), _mm256_extractf128_pd(v, 1));
	return _mm_cvtsd_f64(_mm_max_sd(two, _mm_unpackhi_pd(two, two)));
}
SIMD_FUNCTION static inline double Least(__m256d v)
{
	__m128d two = _mm_min_pd(_mm256_castpd256_pd128(v), _mm256_extractf128_pd(v, 1));
	return _mm_cvtsd_f64(_mm_min_sd(two, _mm_unpackhi_pd(two, two)));
}

/* The stretch of the ray in the box of all records. False: it meets none of it. Most rays start in it, and there the
 * walk can begin before the divisions of Ray_SetFast are done. */
SIMD_FUNCTION static inline bool FastWalk_Begin(FastWalk *walk, const FastRay *ray)
{
	const Ray *r = ray->cast->ray;
	const __m128i none = _mm_setzero_si128();
	__m128i first = _mm_sub_epi32(FirstBlock(ray->terrain), ray->frame);
	__m128i last = _mm_sub_epi32(LastBlock(ray->terrain), ray->frame);
	__m128i beyond = _mm_or_si128(_mm_cmpgt_epi32(first, none), _mm_cmpgt_epi32(none, last));
	__m256d size = _mm256_set1_pd(BLOCK_SIZE), slack = _mm256_set1_pd((double)BOX_SLACK);
	__m256d lo = _mm256_sub_pd(_mm256_mul_pd(_mm256_cvtepi32_pd(first), size), slack);
	__m256d hi = _mm256_add_pd(_mm256_mul_pd(_mm256_cvtepi32_pd(last), size), _mm256_add_pd(size, slack));
	__m256d inverse = _mm256_loadu_pd(r->inverse), end = _mm256_set1_pd(r->end * CELL);
	__m256d a = _mm256_mul_pd(_mm256_sub_pd(lo, ray->origin), inverse);
	__m256d b = _mm256_mul_pd(_mm256_sub_pd(hi, ray->origin), inverse);
	walk->s0 = 0.0;
	walk->s1 = Least(_mm256_min_pd(_mm256_blend_pd(_mm256_max_pd(a, b), end, 8), end));
	walk->within = (_mm_movemask_ps(_mm_castsi128_ps(beyond)) & 7) == 0;
	if (__builtin_expect(!walk->within, 0))
		walk->s0 = Greatest(_mm256_max_pd(_mm256_min_pd(a, b), _mm256_setzero_pd()));
	return walk->s0 <= walk->s1;
}

/* ---- the whole ------------------------------------------------------------------------------------------------ */

/* Slopes are a little less than they are, by which two places in a layer are never more than one apart, whatever is
 * rounded. Across a block that makes 3e-5 cells. */
#define LESS_STEEP (1.0f - 0x1p-18f)

SIMD_FUNCTION static inline void FastRay_Set(FastRay *ray, Cast *cast)
{
	const Ray *r = cast->ray;
	int k = r->k;
	ray->cast = cast;
	ray->terrain = cast->terrain;
	ray->origin = _mm256_mul_pd(_mm256_loadu_pd(r->origin), _mm256_set1_pd(CELL));
	ray->dir = _mm256_loadu_pd(r->dir);
	ray->frame = _mm_setr_epi32(r->frame.x, r->frame.y, r->frame.z, 0);
	ray->k = k;
	ray->up = r->dir[k] > 0.0;
	const struct FastAxes *axes = &FAST_AXES[k][ray->up];
	ray->turn = _mm_loadu_si128((const __m128i *)axes->turn);
	ray->layer = _mm256_loadu_si256((const __m256i *)axes->layer);
	ray->row_shift = _mm_loadl_epi64((const __m128i *)&axes->row_shift);
	ray->column_shift = _mm_loadl_epi64((const __m128i *)&axes->column_shift);
	__m128 dir = _mm_permutevar_ps(_mm256_cvtpd_ps(ray->dir), ray->turn);
	__m128 slope = _mm_mul_ps(dir, _mm_set1_ps(LESS_STEEP));
	__m256d finite = _mm256_min_pd(_mm256_loadu_pd(r->inverse), _mm256_set1_pd(1e30)); /* as floats too */
	__m128 inverse = _mm_permutevar_ps(_mm256_cvtpd_ps(finite), ray->turn);
	ray->along = _mm256_broadcastss_ps(dir);
	ray->near_edge = _mm256_set1_ps(ray->up ? 0.0f : BLOCK_SIZE);
	ray->slope_row = _mm256_broadcastss_ps(_mm_movehdup_ps(slope));
	ray->slope_column = _mm256_broadcastss_ps(_mm_movehl_ps(slope, slope));
	ray->inverse_row = _mm256_broadcastss_ps(_mm_movehdup_ps(inverse));
	ray->inverse_column = _mm256_broadcastss_ps(_mm_movehl_ps(inverse, inverse));
	ray->filter = false;
}

/* A ray meets at most three blocks in eight cells. */
static inline bool MayBeSparse(const Cast *cast, double cells)
{
	const double *dir = cast->ray->dir;
	return cells > SPARSE_STEPS * BLOCK_SIZE / 3 &&
	       Walk_IsSparse(cast->terrain, (AbsD(dir[0]) + AbsD(dir[1]) + AbsD(dir[2])) * cells / BLOCK_SIZE);
}

SIMD_FUNCTION void Cast_WorldFast(Cast *cast)
{
	const Terrain *terrain = cast->terrain;
	const Ray *r = cast->ray;
	FastRay ray;
	FastWalk walk = {.ray = &ray};
	FastRay_Set(&ray, cast);
	if (terrain->record_count == 0 || !FastWalk_Begin(&walk, &ray)) {
		cast->left_all = true;
		return;
	}
	cast->left_all = walk.s1 < r->end * CELL;
	cast->unclear =
	    cast->sides && walk.s0 == 0.0 && terrain->narrowphase == NARROWPHASE_KDTREE && StartsAtSurface(&ray);
	if (terrain->group_grid.complete && !MayBeSparse(cast, walk.s1 - walk.s0))
		WalkGrid(&walk);
	else if (!Ray_Blocks(terrain, r, 0.0, GROUP_MIXED, 0.0, r->end, &cast->limit, VisitRecord, &walk))
		cast->failed = true;
}

#endif
