/* Which quads of a collider have a triangle whose own box meets a box: by lattice or by tree, exact, as bits of lattice
 * edges. Two forms, plain and AVX2, that give the same bits. */
#include "terrain/terrain_internal.h"

#if SCREE_X86
#include <immintrin.h>
#endif

/* Positions of a block's quads are under this: its cubes end at 7. */
#define POSITION_END ((BLOCK_SIZE + 1) << 12)

static inline bool HoldsBlock(const KdQuadBox *box)
{
	bool all = true;
	for (int a = 0; a < 3; a++)
		all = all && box->lo[a] == 0 && box->hi[a] >= POSITION_END - 1;
	return all;
}

/* ---- one quad ------------------------------------------------------------------------------------------------ */

static bool TriangleMeets(const uint16_t *a, const uint16_t *b, const uint16_t *c, const KdQuadBox *box)
{
	for (int i = 0; i < 3; i++)
		if (Int_Min(a[i], Int_Min(b[i], c[i])) > box->hi[i] || Int_Max(a[i], Int_Max(b[i], c[i])) < box->lo[i])
			return false;
	return true;
}

static unsigned QuadMeets(const QuadCorners q, const KdQuadBox *box)
{
	return (unsigned)TriangleMeets(q[0], q[1], q[2], box) | (unsigned)TriangleMeets(q[0], q[2], q[3], box) << 1;
}

/* ---- by lattice ---------------------------------------------------------------------------------------------- */

/* The lattice edges whose quads can reach into a box, by axis: rows y0..y1, and in each the bits of `mask`. */
typedef struct EdgeRange {
	int y0, y1; /* y0 > y1: none */
	uint64_t mask;
} EdgeRange;

/* Bits lo..hi, cut to 0..7. */
static inline unsigned BitsFrom(int lo, int hi)
{
	return lo > hi || lo > 7 || hi < 0 ? 0 : (0xffu << Int_Max(lo, 0) & 0xffu >> (7 - Int_Min(hi, 7)) & 0xffu);
}
static inline uint64_t Columns(unsigned bits)
{
	return bits * 0x0101010101010101u;
}
/* Bit i to byte i. */
static inline uint64_t Rows(unsigned bits)
{
	uint64_t low = ((bits & 0x7f) * 0x0002040810204081u & 0x0001010101010101u) | (uint64_t)(bits & 0x80) << 49;
	return low * 0xff;
}

/* From cells lo..hi along the edges' axis, and from across_lo..across_hi on the two others. */
static inline void EdgesFrom(const int lo[3], const int hi[3], const int across_lo[3], const int across_hi[3],
                             EdgeRange range[3])
{
	uint64_t x = Columns(BitsFrom(lo[0], hi[0])), across_x = Columns(BitsFrom(across_lo[0], across_hi[0]));
	uint64_t z = Rows(BitsFrom(lo[2], hi[2])), across_z = Rows(BitsFrom(across_lo[2], across_hi[2]));
	int y0 = Int_Max(across_lo[1], 0), y1 = Int_Min(across_hi[1], BLOCK_SIZE - 1);
	range[0] = (EdgeRange){y0, y1, x & across_z};
	range[1] = (EdgeRange){Int_Max(lo[1], 0), Int_Min(hi[1], BLOCK_SIZE - 1), across_x & across_z};
	range[2] = (EdgeRange){y0, y1, across_x & z};
}

/* Edges near the box: a quad stands on the four cubes beside its edge, so it can reach into the cubes g0..g1 when its
 * cell p lies in them along the axis, and in them or one cell further on the other two. Edges within it: their quads
 * lie in the box for certain, as none of their cubes is the first or the last. Returns whether there can be any. */
static inline bool EdgesOf(const KdQuadBox *box, EdgeRange near[3], EdgeRange within[3])
{
	int lo[3], hi[3], across[3], lo_in[3], hi_in[3], across_in[3];
	bool any = true;
	for (int a = 0; a < 3; a++) {
		lo[a] = box->lo[a] == 0 ? -2 : (box->lo[a] >> 12) - 1; /* no position is 0: the box begins further down */
		hi[a] = (box->hi[a] >> 12) - 1;
		across[a] = hi[a] + 1;
		lo_in[a] = lo[a] + 1;
		across_in[a] = lo[a] + 2;
		hi_in[a] = hi[a] - 1;
		any &= across_in[a] <= hi_in[a];
	}
	EdgesFrom(lo, hi, lo, across, near);
	if (any)
		EdgesFrom(lo_in, hi_in, across_in, hi_in, within);
	return any;
}

/* Splits each row's edges into those whose quads lie in the box for certain, which are found, and those to be tested.
 * Returns the rows that have any of these. */
static inline uint32_t SplitRows(const Lattice *lattice, const KdQuadBox *box, uint64_t unsure[3 * BLOCK_SIZE],
                                 QuadsFound *found)
{
	EdgeRange near[3], within[3];
	uint32_t rows = 0, open = 0;
	bool some_within = EdgesOf(box, near, within);
	for (int axis = 0; axis < 3; axis++)
		for (int y = near[axis].y0; y <= near[axis].y1; y++) {
			int r = axis * BLOCK_SIZE + y;
			uint64_t bits = lattice->word[axis][y] & near[axis].mask, sure = 0;
			if (some_within && y >= within[axis].y0 && y <= within[axis].y1)
				sure = bits & within[axis].mask;
			found->half[0][r] = found->half[1][r] = sure;
			unsure[r] = bits ^ sure;
			rows |= (uint32_t)(bits != 0) << r;
			open |= (uint32_t)(bits != sure) << r;
		}
	found->rows = rows;
	return open;
}

static inline void TakeAll(const Lattice *lattice, QuadsFound *found)
{
	found->rows = 0;
	for (int r = 0; r < 3 * BLOCK_SIZE; r++) {
		uint64_t word = lattice->word[r / BLOCK_SIZE][r % BLOCK_SIZE];
		found->half[0][r] = found->half[1][r] = word;
		found->rows |= (uint32_t)(word != 0) << r;
	}
}

static void SearchLattice(const Collider *collider, const KdQuadBox *box, QuadsFound *found)
{
	const Lattice *lattice = Collider_Lattice(collider);
	uint64_t unsure[3 * BLOCK_SIZE];
	if (HoldsBlock(box)) {
		TakeAll(lattice, found);
		return;
	}
	for (uint32_t rows = SplitRows(lattice, box, unsure, found); rows; rows &= rows - 1) {
		int r = __builtin_ctz(rows);
		for (uint64_t bits = unsure[r]; bits; bits &= bits - 1) {
			QuadCorners q;
			int bit = __builtin_ctzll(bits);
			Collider_Quad(collider, Lattice_Quad(lattice, r / BLOCK_SIZE, r % BLOCK_SIZE, bit), q);
			unsigned halves = QuadMeets(q, box);
			found->half[0][r] |= (uint64_t)(halves & 1) << bit;
			found->half[1][r] |= (uint64_t)(halves >> 1) << bit;
		}
	}
}

/* ---- by tree ------------------------------------------------------------------------------------------------- */

static inline void Mark(QuadsFound *found, int edge, int place, unsigned halves)
{
	int r = edge >> 6, bit = edge & 63;
	found->half[0][r] |= (uint64_t)(halves & 1) << bit;
	found->half[1][r] |= (uint64_t)(halves >> 1) << bit;
	found->rows |= (uint32_t)(halves != 0) << r;
	found->place[edge] = (uint16_t)place;
}

/* Places of quads in leaves that the box meets. */
static int AskTree(const Collider *collider, const KdQuadBox *box, uint16_t *places)
{
	const KdBounds *tree = Collider_Tree(collider);
	for (int a = 0; a < 3; a++)
		if (box->lo[a] > tree->box.hi[a] || box->hi[a] < tree->box.lo[a])
			return 0;
	if (HoldsBlock(box)) {
		for (int i = 0; i < collider->quad_count; i++)
			places[i] = (uint16_t)i;
		return collider->quad_count;
	}
	return KdTree_Query(tree->node, Collider_NodeCount(collider), collider->quad_count, *box, places);
}

static void SearchTree(const Collider *collider, const KdQuadBox *box, QuadsFound *found)
{
	uint16_t places[KD_QUAD_LIMIT];
	int count = AskTree(collider, box, places);
	memset(found, 0, offsetof(QuadsFound, place));
	for (int i = 0; i < count; i++) {
		QuadCorners q;
		Collider_Quad(collider, places[i], q);
		Mark(found, Quad_Edge(Quad_Name(q)), places[i], QuadMeets(q, box));
	}
}

/* ---- the fast form ------------------------------------------------------------------------------------------- */

#if SCREE_X86

/* The asked box in eight lanes: twice three coordinates, and a fourth that everything meets. */
typedef struct BoxLanes {
	__m128i lo, hi;
} BoxLanes;

SIMD_FUNCTION static inline BoxLanes LanesOf(const KdQuadBox *box)
{
	__m128i lo = _mm_setr_epi16((short)box->lo[0], (short)box->lo[1], (short)box->lo[2], 0, 0, 0, 0, 0);
	__m128i hi = _mm_setr_epi16((short)box->hi[0], (short)box->hi[1], (short)box->hi[2], -1, 0, 0, 0, 0);
	return (BoxLanes){_mm_unpacklo_epi64(lo, lo), _mm_unpacklo_epi64(hi, hi)};
}

/* Each: x, y, z and what follows in memory. */
typedef struct CornerLanes {
	__m128i a, b, c, d;
} CornerLanes;

SIMD_FUNCTION static inline __m128i LoadLanes(const uint16_t *positions, uint64_t index)
{
	return _mm_loadl_epi64((const __m128i *)(const void *)(positions + 3 * index));
}

/* Written out: compilers leave a loop of four a loop. */
SIMD_FUNCTION static inline CornerLanes LoadCorners(const uint16_t *positions, const uint8_t *corners, int wide,
                                                    int quad)
{
	if (wide) {
		uint64_t i;
		memcpy(&i, corners + 8 * quad, sizeof i);
		return (CornerLanes){LoadLanes(positions, i & 0xffff), LoadLanes(positions, i >> 16 & 0xffff),
		                     LoadLanes(positions, i >> 32 & 0xffff), LoadLanes(positions, i >> 48)};
	}
	uint32_t i;
	memcpy(&i, corners + 4 * quad, sizeof i);
	return (CornerLanes){LoadLanes(positions, i & 0xff), LoadLanes(positions, i >> 8 & 0xff),
	                     LoadLanes(positions, i >> 16 & 0xff), LoadLanes(positions, i >> 24)};
}

/* Both triangles at once: corners 0 and 2 are in either half, 1 and 3 in one each. */
SIMD_FUNCTION static inline unsigned LanesMeet(const CornerLanes *q, const BoxLanes *box)
{
	__m128i low = _mm_min_epu16(q->a, q->c), high = _mm_max_epu16(q->a, q->c), c = _mm_unpacklo_epi64(q->b, q->d);
	__m128i lo = _mm_min_epu16(_mm_unpacklo_epi64(low, low), c);
	__m128i hi = _mm_max_epu16(_mm_unpacklo_epi64(high, high), c);
	__m128i apart = _mm_or_si128(_mm_subs_epu16(lo, box->hi), _mm_subs_epu16(box->lo, hi));
	return (unsigned)_mm_movemask_pd(_mm_castsi128_pd(_mm_cmpeq_epi64(apart, _mm_setzero_si128())));
}

/* Bits of cells along one axis, as EdgesOf has them: near and within, along the edges and across them. */
typedef struct AxisBits {
	uint64_t near, near_across, within, within_across;
} AxisBits;

/* Cells from -2 on: bit 2 is cell 0. */
SIMD_FUNCTION static inline AxisBits AxisBitsOf(int lo, int hi)
{
	unsigned from = ~0u << (lo + 2), to = _bzhi_u32(~0u, (unsigned)hi + 4);
	return (AxisBits){(from & to >> 1) >> 2 & 0xff, (from & to) >> 2 & 0xff, (from << 1 & to >> 2) >> 2 & 0xff,
	                  (from << 2 & to >> 2) >> 2 & 0xff};
}
SIMD_FUNCTION static inline uint64_t SpreadRows(uint64_t bits)
{
	uint64_t low = _pdep_u64(bits, 0x0101010101010101u);
	return (low << 8) - low;
}

/* Four rows: what Split makes of them. */
typedef struct FourRows {
	__m256i sure, unsure;
	unsigned none, closed; /* bits by row: it has none, it has none to be tested */
} FourRows;

SIMD_FUNCTION static inline FourRows SplitFour(const uint64_t *words, uint64_t near, uint64_t within,
                                               uint32_t near_rows, uint32_t within_rows)
{
	__m256i word = _mm256_loadu_si256((const __m256i *)(const void *)words), zero = _mm256_setzero_si256();
	__m256i near_y = _mm256_cvtepi8_epi64(_mm_cvtsi32_si128((int)near_rows));
	__m256i within_y = _mm256_cvtepi8_epi64(_mm_cvtsi32_si128((int)within_rows));
	__m256i all = _mm256_and_si256(_mm256_and_si256(word, near_y), _mm256_set1_epi64x((long long)near));
	__m256i sure = _mm256_and_si256(_mm256_and_si256(all, within_y), _mm256_set1_epi64x((long long)within));
	__m256i unsure = _mm256_xor_si256(all, sure);
	return (FourRows){sure, unsure, (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpeq_epi64(all, zero))),
	                  (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpeq_epi64(unsure, zero)))};
}

SIMD_FUNCTION static inline void StoreFour(FourRows four, int r, uint64_t unsure[3 * BLOCK_SIZE], QuadsFound *found,
                                           uint32_t *none, uint32_t *closed)
{
	_mm256_storeu_si256((__m256i *)(void *)(found->half[0] + r), four.sure);
	_mm256_storeu_si256((__m256i *)(void *)(found->half[1] + r), four.sure);
	_mm256_storeu_si256((__m256i *)(void *)(unsure + r), four.unsure);
	*none |= four.none << r;
	*closed |= four.closed << r;
}

/* As SplitRows; every row is set. */
SIMD_FUNCTION static inline uint32_t SplitRowsFast(const Lattice *lattice, const KdQuadBox *box,
                                                   uint64_t unsure[3 * BLOCK_SIZE], QuadsFound *found)
{
	AxisBits axis[3];
	for (int a = 0; a < 3; a++)
		axis[a] = AxisBitsOf(box->lo[a] == 0 ? -2 : (box->lo[a] >> 12) - 1, (box->hi[a] >> 12) - 1);
	uint64_t x = Columns((unsigned)axis[0].near), across_x = Columns((unsigned)axis[0].near_across);
	uint64_t x_in = Columns((unsigned)axis[0].within), across_x_in = Columns((unsigned)axis[0].within_across);
	uint64_t y = SpreadRows(axis[1].near), across_y = SpreadRows(axis[1].near_across);
	uint64_t y_in = SpreadRows(axis[1].within), across_y_in = SpreadRows(axis[1].within_across);
	uint64_t z = SpreadRows(axis[2].near), across_z = SpreadRows(axis[2].near_across);
	uint64_t z_in = SpreadRows(axis[2].within), across_z_in = SpreadRows(axis[2].within_across);
	const uint64_t near[3] = {x & across_z, across_x & across_z, across_x & z};
	const uint64_t within[3] = {x_in & across_z_in, across_x_in & across_z_in, across_x_in & z_in};
	const uint64_t rows[3] = {across_y, y, across_y}, rows_in[3] = {across_y_in, y_in, across_y_in};
	uint32_t none = 0, closed = 0;
	for (int a = 0; a < 3; a++) {
		const uint64_t *words = lattice->word[a];
		StoreFour(SplitFour(words, near[a], within[a], (uint32_t)rows[a], (uint32_t)rows_in[a]), 8 * a, unsure, found,
		          &none, &closed);
		StoreFour(SplitFour(words + 4, near[a], within[a], (uint32_t)(rows[a] >> 32), (uint32_t)(rows_in[a] >> 32)),
		          8 * a + 4, unsure, found, &none, &closed);
	}
	found->rows = none ^ 0xffffff;
	return closed ^ 0xffffff;
}

/* Lists quads to be tested: edge << 16 | place. Two at a time, of which the last may be none: how many bits a row has
 * is hard to foresee. Returns how many. */
SIMD_FUNCTION static inline int ListCandidates(const Lattice *lattice, uint32_t rows,
                                               const uint64_t unsure[3 * BLOCK_SIZE], uint32_t *list)
{
	uint32_t *to = list;
	for (; rows; rows &= rows - 1) {
		unsigned r = (unsigned)__builtin_ctz(rows);
		uint64_t word = lattice->word[r / BLOCK_SIZE][r % BLOCK_SIZE], bits = unsure[r];
		uint32_t base = r << 22 | lattice->rank[r / BLOCK_SIZE][r % BLOCK_SIZE], *end = to;
		end += __builtin_popcountll(bits);
		for (; to < end; to += 2) {
			unsigned first = (unsigned)_tzcnt_u64(bits);
			bits = _blsr_u64(bits);
			unsigned second = (unsigned)_tzcnt_u64(bits);
			bits = _blsr_u64(bits);
			to[0] = base + (first << 16) + (unsigned)__builtin_popcountll(_bzhi_u64(word, first));
			to[1] = base + (second << 16) + (unsigned)__builtin_popcountll(_bzhi_u64(word, second));
		}
		to = end;
	}
	return (int)(to - list);
}

SIMD_FUNCTION static inline __attribute__((always_inline)) void TestCandidates(const uint16_t *positions,
                                                                               const uint8_t *corners, bool wide,
                                                                               const uint32_t *list, int count,
                                                                               BoxLanes asked, QuadsFound *found)
{
	for (const uint32_t *end = list + count; list < end; list++) {
		CornerLanes q = LoadCorners(positions, corners, wide, (int)(*list & 0xffff));
		uint64_t halves = LanesMeet(&q, &asked);
		uint32_t r = *list >> 22, bit = *list >> 16 & 63;
		found->half[0][r] |= (halves & 1) << bit;
		found->half[1][r] |= (halves >> 1) << bit;
	}
}

SIMD_FUNCTION static void SearchLatticeFast(const Collider *collider, const KdQuadBox *box, QuadsFound *found)
{
	const Lattice *lattice = Collider_Lattice(collider);
	const uint16_t *positions = Collider_Positions(collider);
	const uint8_t *corners = Collider_Corners(collider);
	uint64_t unsure[3 * BLOCK_SIZE];
	uint32_t list[SURFACE_QUAD_LIMIT + 2];
	int count = ListCandidates(lattice, SplitRowsFast(lattice, box, unsure, found), unsure, list);
	BoxLanes asked = LanesOf(box);
	if (collider->wide)
		TestCandidates(positions, corners, true, list, count, asked, found);
	else
		TestCandidates(positions, corners, false, list, count, asked, found);
}

/* The edges near a box, by row. Returns the rows that have any. */
SIMD_FUNCTION static inline uint32_t NearRows(const Lattice *lattice, const KdQuadBox *box,
                                              uint64_t near[3 * BLOCK_SIZE])
{
	AxisBits axis[3];
	for (int a = 0; a < 3; a++)
		axis[a] = AxisBitsOf(box->lo[a] == 0 ? -2 : (box->lo[a] >> 12) - 1, (box->hi[a] >> 12) - 1);
	const uint64_t x = Columns((unsigned)axis[0].near), across_x = Columns((unsigned)axis[0].near_across);
	const uint64_t z = SpreadRows(axis[2].near), across_z = SpreadRows(axis[2].near_across);
	const uint64_t across_y = SpreadRows(axis[1].near_across);
	const uint64_t masks[3] = {x & across_z, across_x & across_z, across_x & z};
	const uint64_t rows[3] = {across_y, SpreadRows(axis[1].near), across_y};
	uint32_t none = 0;
	for (int a = 0; a < 3; a++)
		for (int i = 0; i < BLOCK_SIZE; i += 4) {
			__m256i word = _mm256_loadu_si256((const __m256i *)(const void *)(lattice->word[a] + i));
			__m256i in_y = _mm256_cvtepi8_epi64(_mm_cvtsi32_si128((int)(uint32_t)(rows[a] >> 8 * i)));
			__m256i found = _mm256_and_si256(_mm256_and_si256(word, in_y), _mm256_set1_epi64x((long long)masks[a]));
			_mm256_storeu_si256((__m256i *)(void *)(near + 8 * a + i), found);
			__m256i zero = _mm256_cmpeq_epi64(found, _mm256_setzero_si256());
			none |= (uint32_t)_mm256_movemask_pd(_mm256_castsi256_pd(zero)) << (8 * a + i);
		}
	return none ^ 0xffffff;
}

/* Those of the list that meet the box, named. */
SIMD_FUNCTION static inline __attribute__((always_inline)) TerrainQuad *NameCandidates(const Collider *collider,
                                                                                       bool wide, const uint32_t *list,
                                                                                       int count, BoxLanes asked,
                                                                                       int id, TerrainQuad *to)
{
	const uint16_t *positions = Collider_Positions(collider);
	const uint8_t *corners = Collider_Corners(collider);
	for (const uint32_t *end = list + count; list < end; list++) {
		CornerLanes q = LoadCorners(positions, corners, wide, (int)(*list & 0xffff));
		uint64_t halves = LanesMeet(&q, &asked);
		uint64_t one = (uint32_t)id | (uint64_t)(*list >> 16) << 32 | halves << 48;
		memcpy(to, &one, sizeof one);
		to += halves != 0;
	}
	return to;
}

_Static_assert(sizeof(TerrainQuad) == 8 && offsetof(TerrainQuad, edge) == 4 && offsetof(TerrainQuad, halves) == 6,
               "the layout of a quad");

SIMD_FUNCTION int Collider_NameNear(const Collider *collider, const KdQuadBox *box, int id, TerrainQuad *out)
{
	const Lattice *lattice = Collider_Lattice(collider);
	uint64_t near[3 * BLOCK_SIZE];
	uint32_t list[SURFACE_QUAD_LIMIT + 2];
	int count = ListCandidates(lattice, NearRows(lattice, box, near), near, list);
	BoxLanes asked = LanesOf(box);
	TerrainQuad *end = collider->wide ? NameCandidates(collider, true, list, count, asked, id, out)
	                                  : NameCandidates(collider, false, list, count, asked, id, out);
	return (int)(end - out);
}

/* The lattice edge from the cubes of corners 0 and 2, which share one coordinate: see Quad_Name. */
SIMD_FUNCTION static inline int EdgeOf(const CornerLanes *q)
{
	__m128i first = _mm_srli_epi16(q->a, 12), opposite = _mm_srli_epi16(q->c, 12);
	int same = _mm_movemask_epi8(_mm_cmpeq_epi16(first, opposite)) & 0x15; /* bits 0, 2, 4 */
	uint64_t p = (uint64_t)_mm_cvtsi128_si64(_mm_max_epi16(first, opposite));
	int x = (int)(p & 15) - 1, y = (int)(p >> 16 & 15) - 1, z = (int)(p >> 32 & 15) - 1;
	return __builtin_ctz((unsigned)same) << 8 | y << 6 | z << 3 | x;
}

SIMD_FUNCTION static void SearchTreeFast(const Collider *collider, const KdQuadBox *box, QuadsFound *found)
{
	const uint16_t *positions = Collider_Positions(collider);
	const uint8_t *corners = Collider_Corners(collider);
	uint16_t places[KD_QUAD_LIMIT];
	int count = AskTree(collider, box, places), wide = collider->wide;
	BoxLanes asked = LanesOf(box);
	memset(found, 0, offsetof(QuadsFound, place));
	for (int i = 0; i < count; i++) {
		CornerLanes q = LoadCorners(positions, corners, wide, places[i]);
		Mark(found, EdgeOf(&q), places[i], LanesMeet(&q, &asked));
	}
}

#endif

void Collider_Overlap(const Terrain *terrain, const Collider *collider, const KdQuadBox *box, QuadsFound *found)
{
	bool lattice = terrain->narrowphase == NARROWPHASE_LATTICE;
#if SCREE_X86
	if (terrain->simd) {
		if (lattice)
			SearchLatticeFast(collider, box, found);
		else
			SearchTreeFast(collider, box, found);
		return;
	}
#endif
	if (lattice)
		SearchLattice(collider, box, found);
	else
		SearchTree(collider, box, found);
}
