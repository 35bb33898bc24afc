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

/* The lattice edges along one axis whose quads can reach into a box: rows y0..y1, and in each the bits of `mask`. */
typedef struct EdgeRange {
	int y0, y1; /* y0 > y1: none */
	uint64_t mask;
} EdgeRange;

/* A quad stands on the four cubes beside its edge, so it can reach into the cubes g0..g1 when its cell p lies in them
 * along the axis, and in them or one cell further on the other two. */
static EdgeRange EdgesNear(int axis, const int g0[3], const int g1[3])
{
	int lo[3], hi[3];
	for (int a = 0; a < 3; a++) {
		lo[a] = Int_Max(g0[a], 0);
		hi[a] = Int_Min(a == axis ? g1[a] : g1[a] + 1, BLOCK_SIZE - 1);
		if (lo[a] > hi[a])
			return (EdgeRange){1, 0, 0};
	}
	uint64_t columns = (uint64_t)(0xffu << lo[0] & 0xffu >> (7 - hi[0]) & 0xffu) * 0x0101010101010101u;
	uint64_t rows = ~(uint64_t)0 << 8 * lo[2] & ~(uint64_t)0 >> 8 * (7 - hi[2]);
	return (EdgeRange){lo[1], hi[1], columns & rows};
}

/* The cubes, -1..7 and beyond on either side, that the box passes. */
static void CubesOf(const KdQuadBox *box, int g0[3], int g1[3])
{
	for (int a = 0; a < 3; a++) {
		g0[a] = (box->lo[a] >> 12) - 1;
		g1[a] = (box->hi[a] >> 12) - 1;
	}
}

static int SearchLattice(const Collider *collider, const KdQuadBox *box, uint32_t *found)
{
	const Lattice *lattice = Collider_Lattice(collider);
	int g0[3], g1[3], count = 0;
	CubesOf(box, g0, g1);
	for (int axis = 0; axis < 3; axis++) {
		EdgeRange range = EdgesNear(axis, g0, g1);
		for (int y = range.y0; y <= range.y1; y++)
			for (uint64_t bits = lattice->word[axis][y] & range.mask; bits; bits &= bits - 1) {
				int bit = __builtin_ctzll(bits), quad = Lattice_Quad(lattice, axis, y, bit);
				QuadCorners q;
				Collider_Quad(collider, quad, q);
				unsigned halves = QuadMeets(q, box);
				if (halves)
					found[count++] = Found(axis << 9 | y << 6 | bit, quad, halves);
			}
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

typedef struct CornerLanes {
	__m128i at[4]; /* x, y, z and what follows in memory */
} CornerLanes;

SIMD_FUNCTION static inline CornerLanes LoadCorners(const uint16_t *positions, const uint8_t *corners, int wide,
                                                    int quad)
{
	CornerLanes lanes;
	if (wide) {
		uint64_t index;
		memcpy(&index, corners + 8 * quad, sizeof index);
		for (int i = 0; i < 4; i++)
			lanes.at[i] = _mm_loadl_epi64((const __m128i *)(positions + 3 * (index >> 16 * i & 0xffff)));
	} else {
		uint32_t index;
		memcpy(&index, corners + 4 * quad, sizeof index);
		for (int i = 0; i < 4; i++)
			lanes.at[i] = _mm_loadl_epi64((const __m128i *)(positions + 3 * (index >> 8 * i & 0xff)));
	}
	return lanes;
}

/* Both triangles at once: corners 0 and 2 are in either half, 1 and 3 in one each. */
SIMD_FUNCTION static inline unsigned LanesMeet(const CornerLanes *q, const BoxLanes *box)
{
	__m128i a = _mm_unpacklo_epi64(q->at[0], q->at[0]), b = _mm_unpacklo_epi64(q->at[2], q->at[2]);
	__m128i c = _mm_unpacklo_epi64(q->at[1], q->at[3]);
	__m128i lo = _mm_min_epu16(_mm_min_epu16(a, b), c), hi = _mm_max_epu16(_mm_max_epu16(a, b), c);
	__m128i apart = _mm_or_si128(_mm_subs_epu16(lo, box->hi), _mm_subs_epu16(box->lo, hi));
	return (unsigned)_mm_movemask_pd(_mm_castsi128_pd(_mm_cmpeq_epi64(apart, _mm_setzero_si128())));
}

SIMD_FUNCTION static int SearchLatticeFast(const Collider *collider, const KdQuadBox *box, uint32_t *found)
{
	const Lattice *lattice = Collider_Lattice(collider);
	const uint16_t *positions = Collider_Positions(collider);
	const uint8_t *corners = Collider_Corners(collider);
	int g0[3], g1[3], count = 0, wide = collider->wide;
	BoxLanes asked = LanesOf(box);
	CubesOf(box, g0, g1);
	for (int axis = 0; axis < 3; axis++) {
		EdgeRange range = EdgesNear(axis, g0, g1);
		for (int y = range.y0; y <= range.y1; y++) {
			uint64_t word = lattice->word[axis][y];
			int first = lattice->rank[axis][y];
			for (uint64_t bits = word & range.mask; bits; bits &= bits - 1) {
				int bit = __builtin_ctzll(bits);
				int quad = first + __builtin_popcountll(_bzhi_u64(word, (unsigned)bit));
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
	__m128i first = _mm_srli_epi16(q->at[0], 12), opposite = _mm_srli_epi16(q->at[2], 12);
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
