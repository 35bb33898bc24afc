/* Which quads of a collider have a triangle whose own box meets a box: by lattice or by tree, exact, in the order of
 * the lattice edges. Two forms, plain and AVX2, that give the same lists. */
#include "terrain/terrain_internal.h"

#if SCREE_X86
#include <immintrin.h>
#endif

static inline uint32_t Found(int edge, int quad, unsigned halves)
{
	return (uint32_t)edge << 16 | (uint32_t)quad << 2 | halves;
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

static int SearchLattice(const Collider *collider, const KdQuadBox *box, uint32_t *found)
{
	const Lattice *lattice = Collider_Lattice(collider);
	EdgeRange near[3], within[3];
	int count = 0;
	EdgesOf(box, near, within);
	for (int axis = 0; axis < 3; axis++)
		for (int y = near[axis].y0; y <= near[axis].y1; y++)
			for (uint64_t bits = lattice->word[axis][y] & near[axis].mask; bits; bits &= bits - 1) {
				int bit = __builtin_ctzll(bits), quad = Lattice_Quad(lattice, axis, y, bit);
				QuadCorners q;
				Collider_Quad(collider, quad, q);
				unsigned halves = QuadMeets(q, box);
				if (halves)
					found[count++] = Found(axis << 9 | y << 6 | bit, quad, halves);
			}
	return count;
}

/* ---- by tree ------------------------------------------------------------------------------------------------- */

/* Marks of lattice edges, to bring quads into their order. */
typedef struct EdgeMarks {
	uint64_t edge[3 * BLOCK_SIZE];
	uint16_t quad[SURFACE_QUAD_LIMIT]; /* place << 2 | halves, where marked */
} EdgeMarks;

static void Mark(EdgeMarks *marks, int edge, int quad, unsigned halves)
{
	marks->edge[edge >> 6] |= (uint64_t)1 << (edge & 63);
	marks->quad[edge] = (uint16_t)((unsigned)quad << 2 | halves);
}

static int ListMarks(const EdgeMarks *marks, uint32_t *found)
{
	int count = 0;
	for (int w = 0; w < COUNT_OF(marks->edge); w++)
		for (uint64_t bits = marks->edge[w]; bits; bits &= bits - 1) {
			int edge = 64 * w + __builtin_ctzll(bits);
			found[count++] = (uint32_t)edge << 16 | marks->quad[edge];
		}
	return count;
}

/* Places of quads in leaves that the box meets. */
static int AskTree(const Collider *collider, const KdQuadBox *box, uint16_t *places)
{
	const KdBounds *tree = Collider_Tree(collider);
	for (int a = 0; a < 3; a++)
		if (box->lo[a] > tree->box.hi[a] || box->hi[a] < tree->box.lo[a])
			return 0;
	return KdTree_Query(tree->node, Collider_NodeCount(collider), collider->quad_count, *box, places);
}

static int SearchTree(const Collider *collider, const KdQuadBox *box, uint32_t *found)
{
	uint16_t places[KD_QUAD_LIMIT];
	EdgeMarks marks;
	int count = AskTree(collider, box, places);
	memset(marks.edge, 0, sizeof marks.edge);
	for (int i = 0; i < count; i++) {
		QuadCorners q;
		Collider_Quad(collider, places[i], q);
		unsigned halves = QuadMeets(q, box);
		if (halves)
			Mark(&marks, Quad_Edge(Quad_Name(q)), places[i], halves);
	}
	return ListMarks(&marks, found);
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
	__m128i a = _mm_unpacklo_epi64(q->a, q->a), b = _mm_unpacklo_epi64(q->c, q->c);
	__m128i c = _mm_unpacklo_epi64(q->b, q->d);
	__m128i lo = _mm_min_epu16(_mm_min_epu16(a, b), c), hi = _mm_max_epu16(_mm_max_epu16(a, b), c);
	__m128i apart = _mm_or_si128(_mm_subs_epu16(lo, box->hi), _mm_subs_epu16(box->lo, hi));
	return (unsigned)_mm_movemask_pd(_mm_castsi128_pd(_mm_cmpeq_epi64(apart, _mm_setzero_si128())));
}

SIMD_FUNCTION static int SearchLatticeFast(const Collider *collider, const KdQuadBox *box, uint32_t *found)
{
	const Lattice *lattice = Collider_Lattice(collider);
	const uint16_t *positions = Collider_Positions(collider);
	const uint8_t *corners = Collider_Corners(collider);
	EdgeRange near[3], within[3];
	int count = 0, wide = collider->wide;
	BoxLanes asked = LanesOf(box);
	bool some_within = EdgesOf(box, near, within);
	for (int axis = 0; axis < 3; axis++) {
		uint64_t mask = near[axis].mask;
		for (int y = near[axis].y0; y <= near[axis].y1; y++) {
			uint64_t word = lattice->word[axis][y], sure = 0;
			int first = lattice->rank[axis][y];
			if (some_within && y >= within[axis].y0 && y <= within[axis].y1)
				sure = within[axis].mask;
			for (uint64_t bits = word & mask; bits; bits &= bits - 1) {
				int bit = __builtin_ctzll(bits);
				int quad = first + __builtin_popcountll(_bzhi_u64(word, (unsigned)bit));
				if (sure >> bit & 1) {
					found[count++] = Found(axis << 9 | y << 6 | bit, quad, 3);
					continue;
				}
				CornerLanes q = LoadCorners(positions, corners, wide, quad);
				unsigned halves = LanesMeet(&q, &asked);
				found[count] = Found(axis << 9 | y << 6 | bit, quad, halves);
				count += halves != 0;
			}
		}
	}
	return count;
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

SIMD_FUNCTION static int SearchTreeFast(const Collider *collider, const KdQuadBox *box, uint32_t *found)
{
	const uint16_t *positions = Collider_Positions(collider);
	const uint8_t *corners = Collider_Corners(collider);
	uint16_t places[KD_QUAD_LIMIT];
	EdgeMarks marks;
	int count = AskTree(collider, box, places), wide = collider->wide;
	BoxLanes asked = LanesOf(box);
	if (count == 0)
		return 0;
	memset(marks.edge, 0, sizeof marks.edge);
	for (int i = 0; i < count; i++) {
		CornerLanes q = LoadCorners(positions, corners, wide, places[i]);
		unsigned halves = LanesMeet(&q, &asked);
		if (halves)
			Mark(&marks, EdgeOf(&q), places[i], halves);
	}
	return ListMarks(&marks, found);
}

#endif

int Collider_Overlap(const Terrain *terrain, const Collider *collider, const KdQuadBox *box, uint32_t *found)
{
	bool lattice = terrain->narrowphase == NARROWPHASE_LATTICE;
#if SCREE_X86
	if (terrain->simd)
		return lattice ? SearchLatticeFast(collider, box, found) : SearchTreeFast(collider, box, found);
#endif
	return lattice ? SearchLattice(collider, box, found) : SearchTree(collider, box, found);
}
