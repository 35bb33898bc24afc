/* Edge kinds, fast form: the plain form's kinds (surface_edges.c), eight edges at a time and each edge once.
 *
 * A mesh edge crosses the common face of two cubes, and the pattern of the upper one says by table which quads meet
 * there. So all edges of the block are the ones on the low faces of the cubes that its quads stand on. Those quads and
 * the ones of other blocks that they meet are at hand (surface_fast_ring.c). Every triangle gets its normal, and the
 * two of each edge are compared in float; where rounding could matter, whole numbers decide as in the plain form.
 */
#include "spatial/spatial.h"
#include "terrain/surface_fast_internal.h"

#if SCREE_X86

#include <pthread.h>

#define FLAT_COSINE_SQUARED 0.992403876506104 /* of 5 degrees: the plain form's */
#define FLAT_COSINE 0.9961947f
/* A normal's part is within 7 roundings (of 2^-24) of its true value, as a share of it. So a scalar product of two, or
 * one part of their cross product, is within 17 roundings, 1.02e-6, of the true one; FLAT_COSINE is within 1/2 more. */
#define DOUBT 2e-6f

/* ---- places ------------------------------------------------------------------------------------------------------ */

/* A quad's place: its number, and in the two highest bits 3 when the stored order of its edges is one off the canonical
 * one (see TurnOf). The place of one of its edges: the quad's number, and in these bits the edge in stored order. */
#define PLACE_EDGE 14
#define PLACE_QUAD ((1u << PLACE_EDGE) - 1)

/* ---- the edges on a cube's low faces, by table ------------------------------------------------------------------- */

/* Two quads that meet: where their numbers stand, from the cube's cell on, and what to add for the edge's place. The
 * first one has the edge upwards in its order. */
typedef struct EdgePair {
	int16_t number[2];
	uint16_t turn[2];
} EdgePair;

/* By axis across the face. count: 0, 1, or 2, the other pair then stands in EdgeTable.second. */
typedef struct CubeEdges {
	EdgePair pair[3];
	uint8_t count[3], ambiguous;
} CubeEdges;

/* By pattern, + 256 when the cube is flipped. */
typedef struct EdgeTable {
	CubeEdges cube[512];
	EdgePair second[512][3];
} EdgeTable;

static EdgeTable Table;
static pthread_once_t TableOnce = PTHREAD_ONCE_INIT;

/* Which mesh edge of a quad along `axis`, in canonical order, lies towards `side` (1 or -1) of another axis. */
static int EdgeTowards(int axis, int other, int side)
{
	if (other == (axis + 1) % 3)
		return side > 0 ? 1 : 3;
	return side > 0 ? 2 : 0;
}

/* For a quad's mesh edge: the stored place of canonical edge k is k - second if p is inside, else second - 1 - k, where
 * second says whether the stored order starts at corner 1. The quad's part of this, 0 or 3, is in its place. */
static int TurnOf(int canonical, bool inside)
{
	return (inside ? canonical : -canonical) & 3;
}

/* A face's corners in turn are (0,0), (1,0), (1,1), (0,1) on the axes that follow the one across it; its lattice edge k
 * runs between corners k and k + 1. */
static int FaceCorner(int across, int k)
{
	int g = (across + 1) % 3, h = (across + 2) % 3;
	return (k == 1 || k == 2 ? 1 << g : 0) | (k >= 2 ? 1 << h : 0);
}

/* Makes the quad round lattice edge k one of the pair's. */
static void SetEnd(int pattern, int across, int k, EdgePair *pair)
{
	int next = FaceCorner(across, (k + 1) & 3), low = FaceCorner(across, k) & next;
	int axis = (across + (k & 1 ? 2 : 1)) % 3, other = (across + (k & 1 ? 1 : 2)) % 3;
	bool inside = pattern >> low & 1;
	/* In canonical order edges 0 and 1 run upwards, the others downwards. */
	int canonical = EdgeTowards(axis, other, k == 0 || k == 3 ? 1 : -1), i = (canonical < 2) != inside;
	int offset = (low & 1 ? FAST_STEP[0] : 0) + (low & 2 ? FAST_STEP[1] : 0) + (low & 4 ? FAST_STEP[2] : 0);
	pair->number[i] = (int16_t)(axis * SURFACE_OWNER_SPAN - OWNER_FIRST + offset);
	pair->turn[i] = (uint16_t)(TurnOf(canonical, inside) << PLACE_EDGE);
}

static EdgePair PairOf(int pattern, int across, int k, int l)
{
	EdgePair pair = {{0}, {0}};
	SetEnd(pattern, across, k, &pair);
	SetEnd(pattern, across, l, &pair);
	return pair;
}

static void MakeFace(int pattern, bool flipped, int across, CubeEdges *edges, EdgePair *second)
{
	int crossing[4], count = 0;
	for (int k = 0; k < 4; k++)
		if ((pattern >> FaceCorner(across, k) ^ pattern >> FaceCorner(across, (k + 1) & 3)) & 1)
			crossing[count++] = k;
	edges->count[across] = (uint8_t)(count / 2);
	if (count == 2)
		edges->pair[across] = PairOf(pattern, across, crossing[0], crossing[1]);
	if (count != 4)
		return;
	/* Links cut off the inside corners, or the others. */
	int first = (pattern >> FaceCorner(across, 0) & 1) != flipped ? 0 : 1;
	edges->pair[across] = PairOf(pattern, across, (first + 3) & 3, first);
	*second = PairOf(pattern, across, first + 1, first + 2);
	edges->ambiguous = 1;
}

static void MakeTable(void)
{
	for (int pattern = 0; pattern < 512; pattern++)
		for (int across = 0; across < 3; across++)
			MakeFace(pattern & 255, pattern > 255, across, &Table.cube[pattern], &Table.second[pattern][across]);
}

/* ---- kinds ------------------------------------------------------------------------------------------------------- */

typedef struct Vectors8 {
	__m256 part[3];
} Vectors8;

/* Of edges that run along an axis: n is of the triangle that has the edge upwards in its order, m of the other. Their
 * cross product then lies along the edge, downwards if it is concave. Bit i of *doubtful: edge i may be wrong. */
FAST_INLINE __m256i KindsOf(const Vectors8 *n, const Vectors8 *m, int along, unsigned *doubtful)
{
	const int u = (along + 1) % 3, v = (along + 2) % 3;
	const __m256 sign = _mm256_set1_ps(-0.0f), limit = _mm256_set1_ps(FLAT_COSINE), doubt = _mm256_set1_ps(DOUBT);
	__m256 dot = _mm256_mul_ps(n->part[2], m->part[2]);
	dot = _mm256_fmadd_ps(n->part[0], m->part[0], _mm256_fmadd_ps(n->part[1], m->part[1], dot));
	__m256 turn = _mm256_fmsub_ps(n->part[u], m->part[v], _mm256_mul_ps(n->part[v], m->part[u]));
	__m256 flat = _mm256_cmp_ps(dot, limit, _CMP_GT_OQ);
	__m256 sure_dot = _mm256_cmp_ps(_mm256_andnot_ps(sign, _mm256_sub_ps(dot, limit)), doubt, _CMP_GT_OQ);
	__m256 sure_turn = _mm256_or_ps(_mm256_cmp_ps(_mm256_andnot_ps(sign, turn), doubt, _CMP_GT_OQ), flat);
	*doubtful = 255 & ~(unsigned)_mm256_movemask_ps(_mm256_and_ps(sure_dot, sure_turn));
	__m256i concave = _mm256_castps_si256(_mm256_cmp_ps(turn, _mm256_setzero_ps(), _CMP_LT_OQ));
	__m256i bent = _mm256_blendv_epi8(_mm256_set1_epi32(EDGE_CONVEX), _mm256_set1_epi32(EDGE_CONCAVE), concave);
	return _mm256_andnot_si256(_mm256_castps_si256(flat), bent);
}

/* Twice the area times the normal of one of a quad's triangles. */
static void ExactNormal(const SurfaceEdgeScratch *s, int quad, int triangle, int64_t n[3])
{
	const uint16_t *corner = s->corner[quad];
	int64_t side[2][3];
	for (int k = 0; k < 2; k++)
		for (int i = 0; i < 3; i++) {
			uint64_t from = s->at[corner[0]] >> 16 * i, to = s->at[corner[1 + triangle + k]] >> 16 * i;
			side[k][i] = (int16_t)(to - from);
		}
	for (int i = 0; i < 3; i++) {
		int u = (i + 1) % 3, v = (i + 2) % 3;
		n[i] = side[0][u] * side[1][v] - side[0][v] * side[1][u];
	}
}

static int64_t ExactDot(const int64_t *a, const int64_t *b)
{
	return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* As KindsOf, of one edge. The parts of normals are below 2^28. */
static EdgeKind ExactKind(const int64_t n[3], const int64_t m[3], int along)
{
	const int u = (along + 1) % 3, v = (along + 2) % 3;
	int64_t dot = ExactDot(n, m);
	double lengths = (double)ExactDot(n, n) * (double)ExactDot(m, m);
	if (dot > 0 && (double)dot * (double)dot > FLAT_COSINE_SQUARED * lengths)
		return EDGE_FLAT;
	return n[u] * m[v] - n[v] * m[u] < 0 ? EDGE_CONCAVE : EDGE_CONVEX;
}

/* ---- normals and diagonals --------------------------------------------------------------------------------------- */

FAST_INLINE Vectors8 Normalise(const __m256i exact[3])
{
	__m256 x = _mm256_cvtepi32_ps(exact[0]), y = _mm256_cvtepi32_ps(exact[1]), z = _mm256_cvtepi32_ps(exact[2]);
	__m256 squared = _mm256_fmadd_ps(x, x, _mm256_fmadd_ps(y, y, _mm256_mul_ps(z, z)));
	__m256 scale = _mm256_div_ps(_mm256_set1_ps(1.0f), _mm256_sqrt_ps(squared));
	return (Vectors8){{_mm256_mul_ps(x, scale), _mm256_mul_ps(y, scale), _mm256_mul_ps(z, scale)}};
}

/* To every second place from `to` on. */
FAST_INLINE void StoreNormals(const Vectors8 *n, float (*to)[4])
{
	const __m256 zero = _mm256_setzero_ps();
	__m256 xy_low = _mm256_unpacklo_ps(n->part[0], n->part[1]), xy_high = _mm256_unpackhi_ps(n->part[0], n->part[1]);
	__m256 z_low = _mm256_unpacklo_ps(n->part[2], zero), z_high = _mm256_unpackhi_ps(n->part[2], zero);
	const __m256 four[4] = {_mm256_shuffle_ps(xy_low, z_low, 0x44), _mm256_shuffle_ps(xy_low, z_low, 0xEE),
	                        _mm256_shuffle_ps(xy_high, z_high, 0x44), _mm256_shuffle_ps(xy_high, z_high, 0xEE)};
	UNROLL
	for (int i = 0; i < 4; i++) {
		_mm_storeu_ps(to[2 * i], _mm256_castps256_ps128(four[i]));
		_mm_storeu_ps(to[2 * (i + 4)], _mm256_extractf128_ps(four[i], 1));
	}
}

/* Eight numbers below 2^16. */
FAST_INLINE void Store8(uint16_t *to, __m256i words)
{
	__m256i packed = _mm256_permute4x64_epi64(_mm256_packus_epi32(words, words), 0x08);
	_mm_storeu_si128((__m128i *)to, _mm256_castsi256_si128(packed));
}

/* Of quads q..q+7, whose corners 0 are given. */
FAST_INLINE void StorePlaces(__m256i xy, __m256i zx, int axis, int q, SurfaceEdgeScratch *s)
{
	const __m256i one = _mm256_set1_epi32(1), turned = _mm256_set1_epi32(3 << PLACE_EDGE);
	__m256i cell = _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)(s->cell + q)));
	__m256i low_inside = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(s->low_inside + q)));
	/* On axis u corner 0 has the cell's cube or the one before, so one bit tells; and cube c has the place c + 1. */
	__m256i cube = axis == 0 ? _mm256_srli_epi32(xy, 28) : _mm256_srli_epi32(axis == 1 ? zx : xy, 12);
	__m256i before = _mm256_xor_si256(cube, axis == 0   ? _mm256_srli_epi32(cell, 8)
	                                        : axis == 1 ? _mm256_srli_epi32(cell, 4)
	                                                    : cell);
	__m256i second = _mm256_and_si256(before, one);
	__m256i place = _mm256_and_si256(_mm256_cmpeq_epi32(second, low_inside), turned);
	__m256i number = _mm256_add_epi32(_mm256_set1_epi32(q), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
	Store8(s->place + q, _mm256_or_si256(place, number));
}

static __attribute__((noinline)) void DecideDiagonals(int q, unsigned doubtful, int axis, SurfaceEdgeScratch *s)
{
	for (; doubtful; doubtful &= doubtful - 1) {
		int64_t n[3], m[3];
		int quad = q + __builtin_ctz(doubtful);
		ExactNormal(s, quad, 0, m);
		ExactNormal(s, quad, 1, n);
		s->kinds[quad] = (uint16_t)(ExactKind(n, m, (axis + 2) % 3) << 8);
	}
}

/* Normals of both triangles of each quad, the quads' places, and kinds of diagonals. Whole vectors: writes up to
 * FAST_SPARE quads too many. */
FAST_INLINE void MakeQuads(int axis, int first, int end, bool diagonals, SurfaceEdgeScratch *s)
{
	for (int q = first; q < end; q += 8) {
		__m256i xy[4], zx[4], exact[2][3];
		LoadCorner(s->at, s->corner + q, 0, &xy[0], &zx[0]);
		LoadCorner(s->at, s->corner + q, 1, &xy[1], &zx[1]);
		LoadCorner(s->at, s->corner + q, 2, &xy[2], &zx[2]);
		LoadCorner(s->at, s->corner + q, 3, &xy[3], &zx[3]);
		StorePlaces(xy[0], zx[0], axis, q, s);
		UNROLL
		for (int k = 1; k < 4; k++) {
			xy[k] = _mm256_sub_epi16(xy[k], xy[0]);
			zx[k] = _mm256_sub_epi16(zx[k], zx[0]);
		}
		UNROLL
		for (int i = 0; i < 3; i++) {
			__m256i middle = Turned(Across(i, xy[2], zx[2])), zero = _mm256_setzero_si256();
			exact[0][i] = _mm256_madd_epi16(Across(i, xy[1], zx[1]), middle);
			exact[1][i] = _mm256_sub_epi32(zero, _mm256_madd_epi16(Across(i, xy[3], zx[3]), middle));
		}
		Vectors8 n = Normalise(exact[0]), m = Normalise(exact[1]);
		StoreNormals(&n, s->normal + 2 * q);
		StoreNormals(&m, s->normal + 2 * q + 1);
		if (!diagonals)
			continue;
		/* From corner 0 to 2 the diagonal runs upwards on axis v: so the second triangle has it. */
		unsigned doubtful;
		__m256i kinds = KindsOf(&m, &n, (axis + 2) % 3, &doubtful);
		Store8(s->kinds + q, _mm256_slli_epi32(kinds, 8));
		if (end - q < 8)
			doubtful &= (1u << (end - q)) - 1;
		if (__builtin_expect(doubtful != 0, 0))
			DecideDiagonals(q, doubtful, axis, s);
	}
}

/* Of lattice edges from cells -1..8 on. */
SIMD_FUNCTION static void ClearNumbers(SurfaceEdgeScratch *s)
{
	for (int axis = 0; axis < 3; axis++)
		for (int y = 0; y < OWNER_SLICES; y++) {
			uint16_t *number = s->number + axis * SURFACE_OWNER_SPAN + y * STEP_Y;
			UNROLL
			for (int row = 0; row < OWNER_SLICES; row++)
				Store256(number + row * STEP_Z, _mm256_setzero_si256());
		}
}

SIMD_FUNCTION static void MakeAllQuads(const FastRing *ring, SurfaceEdgeScratch *s)
{
	const int *first = ring->first;
	MakeQuads(0, first[0], first[1], true, s);
	MakeQuads(1, first[1], first[2], true, s);
	MakeQuads(2, first[2], first[3], true, s);
	MakeQuads(0, first[3], first[4], false, s);
	MakeQuads(1, first[4], first[5], false, s);
	MakeQuads(2, first[5], first[6], false, s);
	/* Of what is no quad: flat beside itself, beyond doubt beside others. */
	static const float nobody[2][4] = {{0.36f, 0.48f, 0.8f, 0.0f}, {0.36f, 0.48f, 0.8f, 0.0f}};
	memcpy(s->normal[0], nobody, sizeof nobody);
	s->kinds[0] = 0;
	ClearNumbers(s);
	for (int group = 0; group < 6; group++) {
		uint16_t *number = s->number + group % 3 * SURFACE_OWNER_SPAN - OWNER_FIRST;
		for (int q = first[group]; q < first[group + 1]; q++)
			number[s->cell[q]] = s->place[q];
	}
}

/* ---- mesh edges -------------------------------------------------------------------------------------------------- */

FAST_INLINE void SetPair(const uint16_t *number, const EdgePair *pair, uint16_t to[2])
{
	to[0] = (uint16_t)(number[pair->number[0]] + pair->turn[0]);
	to[1] = (uint16_t)(number[pair->number[1]] + pair->turn[1]);
}

/* Lists the quads of all mesh edges. Some edges between ring quads are among them. */
SIMD_FUNCTION static void ListPairs(int cubes, SurfaceEdgeScratch *s)
{
	uint16_t(*to[3])[2] = {s->pair[0], s->pair[1], s->pair[2]};
	for (int i = 0; i < cubes; i++) {
		const int pattern = s->mesh_pattern[i];
		const CubeEdges *edges = &Table.cube[pattern];
		const uint16_t *number = s->number + s->mesh_cube[i];
		/* Without a branch: which faces have an edge is hard to foresee. */
		UNROLL
		for (int across = 0; across < 3; across++) {
			SetPair(number, &edges->pair[across], *to[across]);
			to[across] += edges->count[across];
		}
		if (edges->ambiguous)
			for (int across = 0; across < 3; across++)
				if (edges->count[across] == 2)
					SetPair(number, &Table.second[pattern][across], to[across][-1]);
	}
	for (int across = 0; across < 3; across++)
		s->pair_count[across] = (int)(to[across] - s->pair[across]);
}

/* Normals at eight of the distances from `base`, in 8 bytes. */
FAST_INLINE Vectors8 LoadNormals(const char *base, const uint16_t *at)
{
	__m256 row[4];
	UNROLL
	for (int i = 0; i < 4; i++) {
		__m256 low = _mm256_castps128_ps256(_mm_loadu_ps((const float *)(base + 8 * at[2 * i])));
		row[i] = _mm256_insertf128_ps(low, _mm_loadu_ps((const float *)(base + 8 * at[2 * (i + 4)])), 1);
	}
	__m256 xy01 = _mm256_unpacklo_ps(row[0], row[1]), xy23 = _mm256_unpacklo_ps(row[2], row[3]);
	__m256 z01 = _mm256_unpackhi_ps(row[0], row[1]), z23 = _mm256_unpackhi_ps(row[2], row[3]);
	return (Vectors8){
	    {_mm256_shuffle_ps(xy01, xy23, 0x44), _mm256_shuffle_ps(xy01, xy23, 0xEE), _mm256_shuffle_ps(z01, z23, 0x44)}};
}

static __attribute__((noinline)) void DecideEdges(const SurfaceEdgeScratch *s, const uint16_t pair[8][2],
                                                  unsigned doubtful, int along, uint32_t kinds[8])
{
	for (; doubtful; doubtful &= doubtful - 1) {
		int64_t n[2][3];
		int i = __builtin_ctz(doubtful);
		for (int k = 0; k < 2; k++) /* edges 0 and 1 are the first triangle's */
			ExactNormal(s, pair[i][k] & PLACE_QUAD, pair[i][k] >> (PLACE_EDGE + 1), n[k]);
		kinds[i] = ExactKind(n[0], n[1], along);
	}
}

/* Finds the kinds of the listed edges that run along an axis and puts them to the quads on both sides. */
FAST_INLINE void CompareEdges(int along, SurfaceEdgeScratch *s)
{
	const __m256i quads = _mm256_set1_epi16(PLACE_QUAD), high = _mm256_set1_epi16((short)0x8000);
	const __m256i scale = _mm256_broadcastsi128_si256(_mm_setr_epi8(1, 4, 16, 64, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0));
	const char *base = (const char *)s->normal;
	const int count = s->pair_count[along];
	memset(s->pair[along][count], 0, 8 * sizeof s->pair[along][0]);
	for (int i = 0; i < count; i += 8) {
		uint16_t at[16], quad[16], bits[16];
		uint32_t kind[8];
		__m256i places = Load256(s->pair[along][i]), edge = _mm256_srli_epi16(places, PLACE_EDGE);
		/* A normal has 16 bytes, so its triangle's number counts double. */
		__m256i second = _mm256_slli_epi16(_mm256_srli_epi16(places, PLACE_EDGE + 1), 1);
		Store256(at, _mm256_or_si256(_mm256_slli_epi16(places, 2), second));
		Vectors8 n = LoadNormals(base, at), m = LoadNormals(base, at + 1);
		unsigned doubtful;
		__m256i kinds = KindsOf(&n, &m, along, &doubtful);
		if (__builtin_expect(doubtful != 0, 0)) {
			Store256(kind, kinds);
			DecideEdges(s, s->pair[along] + i, doubtful, along, kind);
			kinds = Load256(kind);
		}
		kinds = _mm256_or_si256(kinds, _mm256_slli_epi32(kinds, 16));
		Store256(bits, _mm256_mullo_epi16(kinds, _mm256_shuffle_epi8(scale, _mm256_or_si256(edge, high))));
		Store256(quad, _mm256_and_si256(places, quads));
		UNROLL
		for (int k = 0; k < 16; k++)
			s->kinds[quad[k]] |= bits[k];
	}
}

SIMD_FUNCTION void Surface_EdgeKindsFast(const SurfaceField *field, const uint16_t blockiness[256],
                                         const SurfaceMesh *mesh, SurfaceEdgeScratch *s, uint16_t *kinds)
{
	SurfaceCells cells;
	FastRing ring;
	if (mesh->quad_count == 0)
		return;
	if (!SurfaceCells_InitFast(&cells, field, blockiness, FLAG_HALO - 1)) {
		SCREE_ASSERT(!"the mesh is not this field's");
		return;
	}
	pthread_once(&TableOnce, MakeTable);
	FastRing_Make(&cells, mesh, &ring, s);
	MakeAllQuads(&ring, s);
	ListPairs(ring.cubes, s);
	CompareEdges(0, s);
	CompareEdges(1, s);
	CompareEdges(2, s);
	memcpy(kinds, s->kinds + 1, sizeof *kinds * (size_t)mesh->quad_count);
}

#endif
