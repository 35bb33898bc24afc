/* The fast form of Cast_World for processors with AVX2. It finds the same quads to look at as the plain walk, or some
 * more or fewer that cannot be met, and leaves every decision to Cast_Quad: so both forms report the same bits.
 *
 * A ray walks over groups with whole numbers (after Amanatides and Woo 1987). In a group all four layers of blocks
 * across the ray's longest axis are done at once, and in a block with mixed cubes all eight layers of cubes: in a layer
 * the ray moves less than its thickness sideways, so it meets what it comes in by, what it goes out by and at most one
 * between them. So the way through a group or block is at most 12 or 24 bits, which the mixed ones are cut out of.
 *
 * Why nothing is lost. Within 5/4096 of a cube's face lie only quads of that face's four edges, within 5/4096 of a
 * lattice edge only its own quad, and every cube that touches the face or edge lists those. So where the ray leaves a
 * cube out that it touches by less than that, or takes a tie of planes either way, the cubes it does visit list all
 * that it can meet. The walk's own errors are under 1/4096.
 */
#include "terrain/ray_fast_internal.h"

#if SCREE_X86

#define WHOLE 4294967296.0   /* 2^32: the walk's unit is 2^-32 of a cell along the longest axis */
#define FAST_CELLS 1048576.0 /* longest walk: its rounding adds up to 2^15 groups times half a unit */
#define NEVER 268435456.0    /* cells; a plane that far is not met, and four times as far is a whole number still */
#define GROUP_CELLS (GROUP_SIDE * BLOCK_SIZE)

/* ---- layers across an axis ----------------------------------------------------------------------------------- */

/* By axis and direction: layers in the order in which a ray meets them, as parts of the number of a block in its group
 * (y * 16 + z * 4 + x) or of a cube in its block (y * 64 + z * 8 + x); and how far rows and columns are shifted in it.
 */
static const struct FastAxes {
	int32_t group_layer[GROUP_SIDE], cube_layer[BLOCK_SIZE];
	uint8_t row, column;
	uint8_t group_row, group_column, cube_row, cube_column;
} FAST_AXES[3][2] = {
    {{{3, 2, 1, 0}, {7, 6, 5, 4, 3, 2, 1, 0}, 1, 2, 4, 2, 6, 3},
     {{0, 1, 2, 3}, {0, 1, 2, 3, 4, 5, 6, 7}, 1, 2, 4, 2, 6, 3}},
    {{{48, 32, 16, 0}, {448, 384, 320, 256, 192, 128, 64, 0}, 2, 0, 2, 0, 3, 0},
     {{0, 16, 32, 48}, {0, 64, 128, 192, 256, 320, 384, 448}, 2, 0, 2, 0, 3, 0}},
    {{{12, 8, 4, 0}, {56, 48, 40, 32, 24, 16, 8, 0}, 1, 0, 4, 0, 6, 0},
     {{0, 4, 8, 12}, {0, 8, 16, 24, 32, 40, 48, 56}, 1, 0, 4, 0, 6, 0}},
};

/* The way through a block, by layer: the cube by which the ray comes in, the one between, the one by which it leaves.
 * The same of blocks in a group, in the first four. */
typedef struct FastWay {
	int32_t cell[3][BLOCK_SIZE];
} FastWay;

/* Bits 4 * layer + which of the three: those of `met` that the way has, without what stands twice. */
SIMD_FUNCTION static inline uint32_t WayBits(unsigned first, unsigned between, unsigned last)
{
	return _pdep_u32(first, 0x11111111) | _pdep_u32(between, 0x22222222) | _pdep_u32(last, 0x44444444);
}

SIMD_FUNCTION static inline __m128 Magnitude4(__m128 v)
{
	return _mm_andnot_ps(_mm_set1_ps(-0.0f), v);
}
SIMD_FUNCTION static inline __m256 Magnitude8(__m256 v)
{
	return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), v);
}
SIMD_FUNCTION static inline __m128i Place4(__m128 at)
{
	return _mm_min_epi32(_mm_cvttps_epi32(_mm_max_ps(at, _mm_setzero_ps())), _mm_set1_epi32(GROUP_SIDE - 1));
}
SIMD_FUNCTION static inline __m256i Place8(__m256 at)
{
	return _mm256_min_epi32(_mm256_cvttps_epi32(_mm256_max_ps(at, _mm256_setzero_ps())),
	                        _mm256_set1_epi32(BLOCK_SIZE - 1));
}

/* Which lanes' bits of a word are set? */
SIMD_FUNCTION static inline unsigned BlocksIn(uint64_t word, __m128i place)
{
	__m128 low = _mm_castsi128_ps(_mm_set1_epi32((int32_t)(uint32_t)word));
	__m128 high = _mm_castsi128_ps(_mm_set1_epi32((int32_t)(uint32_t)(word >> 32)));
	__m128 half = _mm_blendv_ps(low, high, _mm_castsi128_ps(_mm_slli_epi32(place, 26)));
	__m128i bit = _mm_andnot_si128(place, _mm_set1_epi32(31));
	return (unsigned)_mm_movemask_ps(_mm_castsi128_ps(_mm_sllv_epi32(_mm_castps_si128(half), bit)));
}
/* words: the sixteen halves of a record's words. */
SIMD_FUNCTION static inline unsigned CubesIn(const __m256i words[2], __m256i cube)
{
	__m256i half = _mm256_srli_epi32(cube, 5);
	__m256 low = _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(words[0], half));
	__m256 high = _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(words[1], half));
	__m256 word = _mm256_blendv_ps(low, high, _mm256_castsi256_ps(_mm256_slli_epi32(cube, 23)));
	__m256i bit = _mm256_andnot_si256(cube, _mm256_set1_epi32(31));
	return (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_sllv_epi32(_mm256_castps_si256(word), bit)));
}

/* The blocks of a group that the ray meets and `word` has, as bits of the way. row, column: where it comes to the first
 * layer's near plane, q0..q1: its stretch from there; all in blocks. */
SIMD_FUNCTION static inline uint32_t FindBlocks(const FastRay *ray, uint64_t word, float row, float column, float q0,
                                                float q1, FastWay *way)
{
	const struct FastAxes *axes = &FAST_AXES[ray->k][ray->up];
	const __m128 number = _mm_setr_ps(0, 1, 2, 3);
	__m128 low = _mm_max_ps(number, _mm_set1_ps(q0));
	__m128 high = _mm_min_ps(_mm_add_ps(number, _mm_set1_ps(1.0f)), _mm_set1_ps(q1));
	unsigned met = (unsigned)_mm_movemask_ps(_mm_cmple_ps(low, high));
	__m128 to_row = _mm_set1_ps(ray->slope_row), to_column = _mm_set1_ps(ray->slope_column);
	__m128 row0 = _mm_fmadd_ps(low, to_row, _mm_set1_ps(row));
	__m128 row1 = _mm_fmadd_ps(high, to_row, _mm_set1_ps(row));
	__m128 column0 = _mm_fmadd_ps(low, to_column, _mm_set1_ps(column));
	__m128 column1 = _mm_fmadd_ps(high, to_column, _mm_set1_ps(column));
	__m128i r0 = Place4(row0), r1 = Place4(row1), c0 = Place4(column0), c1 = Place4(column1);
	/* Where both change: which of the two planes, that between the rows or that between the columns, comes first? */
	__m128 row_plane = _mm_cvtepi32_ps(_mm_max_epi32(r0, r1)), column_plane = _mm_cvtepi32_ps(_mm_max_epi32(c0, c1));
	__m128 row_at = _mm_mul_ps(Magnitude4(_mm_sub_ps(row_plane, row0)), Magnitude4(_mm_sub_ps(column1, column0)));
	__m128 column_at = _mm_mul_ps(Magnitude4(_mm_sub_ps(column_plane, column0)), Magnitude4(_mm_sub_ps(row1, row0)));
	__m128i row_first = _mm_castps_si128(_mm_cmplt_ps(row_at, column_at));
	__m128i to_r = _mm_cvtsi32_si128(axes->group_row), to_c = _mm_cvtsi32_si128(axes->group_column);
	__m128i layer = _mm_loadu_si128((const __m128i *)axes->group_layer);
	r0 = _mm_or_si128(_mm_sll_epi32(r0, to_r), layer);
	r1 = _mm_or_si128(_mm_sll_epi32(r1, to_r), layer);
	c0 = _mm_sll_epi32(c0, to_c);
	c1 = _mm_sll_epi32(c1, to_c);
	__m128i first = _mm_or_si128(r0, c0), last = _mm_or_si128(r1, c1);
	__m128i between = _mm_or_si128(_mm_blendv_epi8(r0, r1, row_first), _mm_blendv_epi8(c1, c0, row_first));
	_mm_storeu_si128((__m128i *)way->cell[0], first);
	_mm_storeu_si128((__m128i *)way->cell[1], between);
	_mm_storeu_si128((__m128i *)way->cell[2], last);
	unsigned same1 = (unsigned)_mm_movemask_ps(_mm_castsi128_ps(_mm_cmpeq_epi32(first, between)));
	unsigned same2 = (unsigned)_mm_movemask_ps(_mm_castsi128_ps(_mm_cmpeq_epi32(between, last)));
	return WayBits(BlocksIn(word, first) & met, BlocksIn(word, between) & met & ~same1,
	               BlocksIn(word, last) & met & ~same2);
}

/* The same of the mixed cubes of a block; all in cells. */
SIMD_FUNCTION static inline uint32_t FindCubes(const FastRay *ray, const Record *record, float row, float column,
                                               float q0, float q1, FastWay *way)
{
	const struct FastAxes *axes = &FAST_AXES[ray->k][ray->up];
	const __m256 number = _mm256_setr_ps(0, 1, 2, 3, 4, 5, 6, 7);
	__m256 low = _mm256_max_ps(number, _mm256_set1_ps(q0));
	__m256 high = _mm256_min_ps(_mm256_add_ps(number, _mm256_set1_ps(1.0f)), _mm256_set1_ps(q1));
	unsigned met = (unsigned)_mm256_movemask_ps(_mm256_cmp_ps(low, high, _CMP_LE_OQ));
	__m256 to_row = _mm256_set1_ps(ray->slope_row), to_column = _mm256_set1_ps(ray->slope_column);
	__m256 row0 = _mm256_fmadd_ps(low, to_row, _mm256_set1_ps(row));
	__m256 row1 = _mm256_fmadd_ps(high, to_row, _mm256_set1_ps(row));
	__m256 column0 = _mm256_fmadd_ps(low, to_column, _mm256_set1_ps(column));
	__m256 column1 = _mm256_fmadd_ps(high, to_column, _mm256_set1_ps(column));
	__m256i r0 = Place8(row0), r1 = Place8(row1), c0 = Place8(column0), c1 = Place8(column1);
	__m256 row_plane = _mm256_cvtepi32_ps(_mm256_max_epi32(r0, r1));
	__m256 column_plane = _mm256_cvtepi32_ps(_mm256_max_epi32(c0, c1));
	__m256 row_at =
	    _mm256_mul_ps(Magnitude8(_mm256_sub_ps(row_plane, row0)), Magnitude8(_mm256_sub_ps(column1, column0)));
	__m256 column_at =
	    _mm256_mul_ps(Magnitude8(_mm256_sub_ps(column_plane, column0)), Magnitude8(_mm256_sub_ps(row1, row0)));
	__m256i row_first = _mm256_castps_si256(_mm256_cmp_ps(row_at, column_at, _CMP_LT_OQ));
	__m128i to_r = _mm_cvtsi32_si128(axes->cube_row), to_c = _mm_cvtsi32_si128(axes->cube_column);
	__m256i layer = _mm256_loadu_si256((const __m256i *)axes->cube_layer);
	r0 = _mm256_or_si256(_mm256_sll_epi32(r0, to_r), layer);
	r1 = _mm256_or_si256(_mm256_sll_epi32(r1, to_r), layer);
	c0 = _mm256_sll_epi32(c0, to_c);
	c1 = _mm256_sll_epi32(c1, to_c);
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

/* The stretch of a ray, from where it comes to the plane of a block's nearest layer, that lies in the box of its mixed
 * cubes and in q0..q1, cells. at: where that is, from the block's corner. */
SIMD_FUNCTION static inline bool ClipToMixed(const FastRay *ray, const Record *record, __m128 at, float *q0, float *q1)
{
	__m128i box = _mm_loadl_epi64((const __m128i *)record->mixed_lo); /* three bytes of lo, three of hi, two others */
	__m128 lo = _mm_cvtepi32_ps(_mm_cvtepu8_epi32(box));
	__m128 hi = _mm_cvtepi32_ps(_mm_cvtepu8_epi32(_mm_srli_si128(box, 3)));
	lo = _mm_mul_ps(_mm_sub_ps(_mm_sub_ps(lo, _mm_set1_ps(BOX_SLACK)), at), ray->inverse);
	hi = _mm_mul_ps(_mm_sub_ps(_mm_add_ps(hi, _mm_set1_ps(1.0f + BOX_SLACK)), at), ray->inverse);
	__m128 enter = _mm_blend_ps(_mm_min_ps(lo, hi), _mm_set1_ps(*q0), 8);
	__m128 leave = _mm_blend_ps(_mm_max_ps(lo, hi), _mm_set1_ps(*q1), 8);
	enter = _mm_max_ps(enter, _mm_movehl_ps(enter, enter));
	leave = _mm_min_ps(leave, _mm_movehl_ps(leave, leave));
	enter = _mm_max_ss(enter, _mm_movehdup_ps(enter));
	leave = _mm_min_ss(leave, _mm_movehdup_ps(leave));
	/* What lies just beside the first or last layer is in it. */
	*q0 = Min(_mm_cvtss_f32(enter), (float)BLOCK_SIZE);
	*q1 = Max(_mm_cvtss_f32(leave), 0.0f);
	return _mm_comile_ss(enter, leave);
}

/* The mixed cubes of the way, as long as nothing nearer was met. start: s where layer 0 begins. True: all that is
 * further on lies behind what was met. */
SIMD_FUNCTION static bool MeetCubes(FastRay *ray, FastBlock *block, uint32_t left, const FastWay *way, double start,
                                    float q0, float q1)
{
	Cast *cast = ray->cast;
	bool has_tree = ray->terrain->narrowphase == NARROWPHASE_KDTREE;
	CubeVisit by_tree;
	if (has_tree)
		by_tree = CubeVisit_Begin(block->id, block->block);
	do {
		int bit = __builtin_ctz(left), layer = bit >> 2, cell = way->cell[bit & 3][layer];
		const int cube[3] = {cell & 7, cell >> 6, cell >> 3 & 7};
		left &= left - 1;
		/* Nothing in this layer can be nearer than what was met before it. */
		if (cast->limit * CELL < start + (double)layer - (double)BOX_SLACK)
			return true;
		if (has_tree)
			Cast_Cube(cast, &by_tree, cube, (start + (double)q0) * SURFACE_UNIT, (start + (double)q1) * SURFACE_UNIT);
		else
			FastCube_Meet(ray, block, cube);
		if (cast->failed)
			return true;
	} while (left);
	return cast->limit * CELL < start + (double)q1 - (double)BOX_SLACK;
}

/* A group on the way; all in cells. */
typedef struct FastGroup {
	const Group *group;
	__m256d from; /* the ray's origin from its corner */
	double start; /* s where the ray comes to the plane of its nearest layer */
	__m128 at;    /* where that is, from the corner */
	float q0, q1; /* the whole ray, from there */
} FastGroup;

/* layer: of the block, as the ray meets them. True: the ray is done. */
SIMD_FUNCTION static inline bool MeetBlock(FastRay *ray, const FastGroup *group, int place, int layer)
{
	const Group *g = group->group;
	const Record *record = &g->records[__builtin_popcountll(_bzhi_u64(g->mixed, (unsigned)place))];
	const float near = (float)(layer * BLOCK_SIZE);
	__m128i block_at = _mm_srlv_epi32(_mm_set1_epi32(place), _mm_setr_epi32(0, 4, 2, 31));
	block_at = _mm_slli_epi32(_mm_and_si128(block_at, _mm_set1_epi32(GROUP_SIDE - 1)), BLOCK_BITS);
	__m128 at = _mm_fmadd_ps(ray->along, _mm_set1_ps(near), _mm_sub_ps(group->at, _mm_cvtepi32_ps(block_at)));
	float q0 = group->q0 - near, q1 = Min(group->q1, (float)(ray->cast->limit * CELL - group->start)) - near;
	if (!ClipToMixed(ray, record, at, &q0, &q1))
		return false;
	FastWay way;
	float enter[4];
	_mm_storeu_ps(enter, at);
	uint32_t met = FindCubes(ray, record, enter[ray->row], enter[ray->column], q0, q1, &way);
	if (met == 0)
		return false;
	FastBlock block;
	block.group = g;
	block.record = record;
	block.id = Record_Id(ray->terrain, g, place);
	block.block = Group_Block(g, place);
	_mm256_storeu_pd(block.corner, _mm256_sub_pd(group->from, _mm256_cvtepi32_pd(block_at)));
	block.own.collider = NULL;
	block.own.shifted = false;
	block.last[0] = block.last[1] = block.last[2] = -BLOCK_SIZE;
	block.begun = false;
	return MeetCubes(ray, &block, met, &way, group->start + (double)near, q0, q1);
}

/* ---- groups --------------------------------------------------------------------------------------------------- */

/* The group's blocks that the ray meets between `enter` and `leave`. word: those to look at, inside: those that must
 * not be come to without a crossing. s0, s1: of the whole ray. True: it is done. */
SIMD_FUNCTION static inline bool MeetGroup(FastRay *ray, const Group *g, uint64_t word, uint64_t inside, double enter,
                                           double leave, double s0, double s1)
{
	const float blocks = 1.0f / BLOCK_SIZE;
	FastGroup group = {.group = g};
	__m128i corner = _mm_slli_epi32(_mm_loadu_si128((const __m128i *)&g->at), GROUP_BITS);
	corner = _mm_slli_epi32(_mm_sub_epi32(corner, ray->frame), BLOCK_BITS);
	group.from = _mm256_sub_pd(ray->origin, _mm256_cvtepi32_pd(corner));
	double from_at[4];
	float enter_at[4];
	FastWay way;
	_mm256_storeu_pd(from_at, group.from);
	double start = (ray->near_plane - from_at[ray->k]) * ray->axis;
	group.at = _mm256_cvtpd_ps(_mm256_fmadd_pd(ray->dir, _mm256_set1_pd(start), group.from));
	_mm_storeu_ps(enter_at, _mm_mul_ps(group.at, _mm_set1_ps(blocks)));
	float q0 = Min((float)(enter - start) * blocks, (float)GROUP_SIDE), q1 = Max((float)(leave - start) * blocks, 0.0f);
	uint32_t left = FindBlocks(ray, word, enter_at[ray->row], enter_at[ray->column], q0, q1, &way);
	if (left == 0)
		return false;
	group.start = start;
	group.q0 = (float)(s0 - start);
	group.q1 = (float)(s1 - start);
	do {
		int bit = __builtin_ctz(left), place = way.cell[bit & 3][bit >> 2];
		left &= left - 1;
		if (inside >> place & 1) {
			ray->cast->failed = true; /* came here without a crossing: it starts inside */
			return true;
		}
		if (MeetBlock(ray, &group, place, bit >> 2))
			return true;
	} while (left);
	return false;
}

/* May the start lie on the surface? Not in a cube that is not mixed: it has none within 5/4096. */
SIMD_FUNCTION static bool StartsAtSurface(const FastRay *ray, const Group *group)
{
	int place = Group_Index(ray->cast->ray->frame);
	if (!(group->mixed >> place & 1))
		return false;
	__m128i cube = _mm_min_epi32(_mm256_cvttpd_epi32(ray->origin), _mm_set1_epi32(BLOCK_SIZE - 1));
	int bit = 8 * _mm_extract_epi32(cube, 2) + _mm_cvtsi128_si32(cube);
	return Group_Record(group, place)->mixed[_mm_extract_epi32(cube, 1)] >> bit & 1;
}

static inline int64_t ToWhole(double cells)
{
	return (int64_t)(cells * WHOLE);
}

/* How far the walk is: s of the next plane by axis, and from plane to plane; group, and its step. */
typedef struct FastWalk {
	double next[4], across[4];
	int32_t at[4];
} FastWalk;

SIMD_FUNCTION static inline void FastWalk_Begin(FastWalk *walk, const FastRay *ray, double s0)
{
	const Terrain *terrain = ray->terrain;
	const __m256d size = _mm256_set1_pd(GROUP_CELLS), never = _mm256_set1_pd(NEVER);
	__m128i frame = _mm_srai_epi32(ray->frame, GROUP_BITS);
	__m128i first = _mm_sub_epi32(
	    _mm_srai_epi32(_mm_setr_epi32(terrain->lo.x, terrain->lo.y, terrain->lo.z, 0), GROUP_BITS), frame);
	__m128i last = _mm_sub_epi32(
	    _mm_srai_epi32(_mm_setr_epi32(terrain->hi.x, terrain->hi.y, terrain->hi.z, 0), GROUP_BITS), frame);
	__m128i within = _mm_and_si128(ray->frame, _mm_set1_epi32(GROUP_SIDE - 1));
	__m256d from = _mm256_add_pd(ray->origin, _mm256_mul_pd(_mm256_cvtepi32_pd(within), _mm256_set1_pd(BLOCK_SIZE)));
	__m256d at = _mm256_mul_pd(_mm256_add_pd(from, _mm256_mul_pd(ray->dir, _mm256_set1_pd(s0))),
	                           _mm256_set1_pd(1.0 / GROUP_CELLS));
	at = _mm256_floor_pd(_mm256_min_pd(_mm256_max_pd(at, _mm256_cvtepi32_pd(first)), _mm256_cvtepi32_pd(last)));
	_mm_storeu_si128((__m128i *)walk->at, _mm_add_epi32(frame, _mm256_cvttpd_epi32(at)));
	__m256d inverse = _mm256_loadu_pd(ray->cast->ray->inverse);
	__m256d up = _mm256_cmp_pd(inverse, _mm256_setzero_pd(), _CMP_GT_OQ);
	__m256d plane = _mm256_mul_pd(_mm256_add_pd(at, _mm256_and_pd(up, _mm256_set1_pd(1.0))), size);
	__m256d next = _mm256_mul_pd(_mm256_sub_pd(plane, from), inverse);
	__m256d across = _mm256_andnot_pd(_mm256_set1_pd(-0.0), _mm256_mul_pd(inverse, size));
	_mm256_storeu_pd(walk->next, _mm256_min_pd(_mm256_max_pd(next, _mm256_set1_pd(s0)), never));
	_mm256_storeu_pd(walk->across, _mm256_min_pd(across, never));
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

SIMD_FUNCTION static void WalkGroups(FastRay *ray, double s0, double s1)
{
	const Terrain *terrain = ray->terrain;
	const GroupGrid *grid = &terrain->group_grid;
	const bool sides = ray->cast->sides;
	const int *step = ray->cast->ray->step;
	const int64_t row = (int64_t)grid->size[0] * step[2], slice = (int64_t)grid->size[0] * grid->size[2] * step[1];
	FastWalk walk;
	FastWalk_Begin(&walk, ray, s0);
	int64_t next_x = ToWhole(walk.next[0]), next_y = ToWhole(walk.next[1]), next_z = ToWhole(walk.next[2]);
	const int64_t across_x = ToWhole(walk.across[0]), across_y = ToWhole(walk.across[1]);
	const int64_t across_z = ToWhole(walk.across[2]), end = ToWhole(s1);
	int32_t x = walk.at[0], y = walk.at[1], z = walk.at[2];
	const int32_t *place = grid->complete ? grid->at + GroupGrid_Place(grid, x, y, z) : NULL;
	double enter = s0;
	for (bool at_start = sides && s0 == 0.0;; at_start = false) {
		int i = place ? *place : CoordMap_Find(&terrain->group_at, x, y, z);
		int64_t first = next_x < next_y ? next_x : next_y;
		first = first < next_z ? first : next_z;
		double leave = (double)first * (1.0 / WHOLE);
		if (i >= 0) {
			const Group *group = &terrain->groups.data[i];
			uint64_t inside = sides ? group->inside : 0, word = group->mixed | inside;
			if (at_start)
				ray->cast->unclear = StartsAtSurface(ray, group);
			if (word && MeetGroup(ray, group, word, inside, enter, MinD(leave, s1), s0, s1))
				return;
		}
		if (first >= end)
			return;
		enter = leave;
		int64_t along_x = -(int64_t)(next_x == first), along_y = ~along_x & -(int64_t)(next_y == first);
		int64_t along_z = ~(along_x | along_y);
		next_x += across_x & along_x;
		next_y += across_y & along_y;
		next_z += across_z & along_z;
		if (place) {
			place += (step[0] & along_x) + (slice & along_y) + (row & along_z);
			continue;
		}
		x += step[0] & (int32_t)along_x;
		y += step[1] & (int32_t)along_y;
		z += step[2] & (int32_t)along_z;
	}
}

/* ---- the whole ------------------------------------------------------------------------------------------------ */

SIMD_FUNCTION static inline void FastRay_Set(FastRay *ray, Cast *cast)
{
	const Ray *r = cast->ray;
	int k = r->k;
	ray->cast = cast;
	ray->terrain = cast->terrain;
	ray->origin = _mm256_mul_pd(_mm256_loadu_pd(r->origin), _mm256_set1_pd(CELL));
	ray->dir = _mm256_loadu_pd(r->dir);
	ray->frame = _mm_setr_epi32(r->frame.x, r->frame.y, r->frame.z, 0);
	ray->inverse = _mm256_cvtpd_ps(_mm256_min_pd(_mm256_loadu_pd(r->inverse), _mm256_set1_pd(1e30)));
	ray->k = k;
	ray->axis = r->dir[k];
	ray->up = r->dir[k] > 0.0;
	ray->near_plane = ray->up ? 0.0 : GROUP_CELLS;
	ray->along = _mm256_cvtpd_ps(ray->dir);
	ray->row = FAST_AXES[k][0].row;
	ray->column = FAST_AXES[k][0].column;
	ray->slope_row = (float)r->dir[ray->row];
	ray->slope_column = (float)r->dir[ray->column];
	ray->filter = false;
}

/* A ray meets at most three blocks in eight cells. */
static inline bool MayBeSparse(const Cast *cast, double cells)
{
	const double *dir = cast->ray->dir;
	return cells > SPARSE_STEPS * BLOCK_SIZE / 3 &&
	       Walk_IsSparse(cast->terrain, (AbsD(dir[0]) + AbsD(dir[1]) + AbsD(dir[2])) * cells / BLOCK_SIZE);
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
	if (s1 > FAST_CELLS || MayBeSparse(cast, s1 - s0))
		return false;
	cast->left_all = s1 < r->end * CELL;
	WalkGroups(&ray, s0, s1);
	return true;
}

#endif
