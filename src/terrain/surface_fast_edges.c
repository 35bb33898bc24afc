/* Edge kinds, fast form: the plain form's kinds (surface_edges.c), four edges at a time.
 *
 * First each quad of the block finds the quads across its edges by table; those that the block does not own are listed
 * and get vertices and diagonals of their own. Then the normals of all triangles are worked out, eight at a time, and
 * last the kinds. Angles are compared in double and, where that leaves a doubt, in whole numbers as in the plain form.
 */
#include "spatial/spatial.h"
#include "terrain/surface_fast_internal.h"

#if SCREE_X86

#include <pthread.h>

#define FLAT_COSINE_SQUARED 0.992403876506104 /* of 5 degrees: the plain form's */
/* Doubles of exact parts below 2^28 differ by some 1e-15 of themselves from the plain form's sums. */
#define DOUBT 1e-12

/* ---- the quad across an edge, by table --------------------------------------------------------------------------- */

/* The number of lattice edges that cells -1..8 can own along one axis: places of them in `number`. */
#define OWNER_FIRST ((FLAG_HALO - 1) * (STEP_Y + STEP_Z + 1))
#define OWNER_SPAN SURFACE_OWNER_SPAN

/* place: from cell p of the quad to the place of the one across in `number`. offset: from cell to cell. axis: along
 * which that one lies. back: as which of its mesh edges it has this one, in canonical order. */
typedef struct Partner {
	int16_t place, offset;
	uint16_t axis, back;
} Partner;

/* Index [axis][mesh edge, canonical][both cubes flipped][4 * p inside + 2 * a2 + b2], where a2 and b2 say whether the
 * cells beside p and p + axis across the edge are inside. */
typedef struct PartnerTable {
	Partner partner[3][4][2][8];
} PartnerTable;

static PartnerTable Table;
static pthread_once_t TableOnce = PTHREAD_ONCE_INIT;

/* Which mesh edge of a quad along `axis` lies towards `side` (1 or -1) of another axis. */
static uint8_t EdgeTowards(int axis, int other, int side)
{
	if (other == (axis + 1) % 3)
		return side > 0 ? 1 : 3;
	return side > 0 ? 2 : 0;
}

static Partner MakePartner(int offset, int axis, uint8_t back)
{
	return (Partner){(int16_t)(axis * OWNER_SPAN + offset - OWNER_FIRST), (int16_t)offset, (uint16_t)axis, back};
}

static Partner FindPartner(int axis, int other, int side, bool flipped, int bits)
{
	bool inside = bits >> 2 & 1, a2 = bits >> 1 & 1, b2 = bits & 1, at_p;
	int step = FAST_STEP[other];
	if (a2 == inside && b2 != inside)
		return MakePartner(side * step, axis, EdgeTowards(axis, other, -side));
	if (a2 == b2)
		at_p = a2 != inside;
	else
		at_p = inside != flipped;
	int offset = (at_p ? 0 : FAST_STEP[axis]) - (side < 0 ? step : 0);
	return MakePartner(offset, other, EdgeTowards(other, axis, at_p ? 1 : -1));
}

static void MakeTable(void)
{
	for (int axis = 0; axis < 3; axis++)
		for (int k = 0; k < 4; k++) {
			int other = (axis + (k & 1 ? 1 : 2)) % 3, side = k == 1 || k == 2 ? 1 : -1;
			for (int bits = 0; bits < 16; bits++)
				Table.partner[axis][k][bits >> 3][bits & 7] = FindPartner(axis, other, side, bits >> 3, bits & 7);
		}
}

/* ---- who stands where -------------------------------------------------------------------------------------------- */

typedef SurfaceEdgeScratch Scratch;

/* The quads in the order of their numbers: the mesh's, then room for each axis' ring quads. */
static int RingBase(const SurfaceMesh *mesh, int axis)
{
	return mesh->quad_count + axis * SURFACE_RING_LIMIT;
}

static void NumberOwned(const SurfaceMesh *mesh, Scratch *s)
{
	memset(s->number, 0, sizeof s->number);
	for (int q = 0; q < mesh->quad_count; q++) {
		int e = mesh->edge[q], cell = Field_Cell(e & 7, e >> 6 & 7, e >> 3 & 7);
		s->cell[q] = (uint16_t)cell;
		s->number[(e >> 9) * OWNER_SPAN + cell - OWNER_FIRST] = (uint16_t)(q + 1);
	}
}

/* Place in the stored order of a mesh edge of the canonical one: [turn][canonical]. turn: the canonical corner that
 * stands first, + 2 when the order is kept. */
static const uint8_t STORED_EDGE[4][4] = {{3, 2, 1, 0}, {0, 3, 2, 1}, {0, 1, 2, 3}, {3, 0, 1, 2}};

/* Corner 0 stands in the cube (-u,-v) or in (0,-v). */
static void FindTurns(int axis, int first, int count, Scratch *s)
{
	const int at_shift[3] = {12, 28, 44}, cell_shift[3] = {0, 8, 4}, u = (axis + 1) % 3;
	for (int q = first; q < first + count; q++) {
		int cube = (int)(s->at[s->corner[q][0]] >> at_shift[u] & 15) + FLAG_HALO - 1;
		bool second = ((cube ^ s->cell[q] >> cell_shift[u]) & 15) == 0;
		s->turn[q] = (uint8_t)(second + 2 * s->low_inside[q]);
	}
}

static bool IsFlipped(const SurfaceCells *cells, int cube)
{
	return SurfaceCube_Pattern(cells, cube % FIELD_SIZE - FLAG_HALO, cube / STEP_Y - FLAG_HALO,
	                           cube / STEP_Z % FIELD_SIZE - FLAG_HALO) > 255;
}

/* Cells p, p + axis and the two beside them, all four crossing: the two that are inside lie across. */
static inline bool IsAmbiguous(int bits)
{
	return 0x24 >> bits & 1;
}

/* What lies across mesh edge k of a quad: see the scratch's `across`. */
FAST_INLINE uint16_t FindAcross(const SurfaceCells *cells, const SurfaceMesh *mesh, int axis, int cell, int inside,
                                int k, Scratch *s)
{
	const int u = FAST_STEP[(axis + 1) % 3], v = FAST_STEP[(axis + 2) % 3], across = k & 1 ? u : v;
	const uint8_t *beside = cells->value + cell + (k == 1 || k == 2 ? across : -across);
	int bits = inside << 2 | beside[0] >> 7 << 1 | beside[FAST_STEP[axis]] >> 7;
	bool flipped = IsAmbiguous(bits) && IsFlipped(cells, cell + QUAD_U[k] * u + QUAD_V[k] * v);
	const Partner *partner = &Table.partner[axis][k][flipped][bits];
	uint16_t *number = &s->number[cell + partner->place];
	/* A ring quad that was not met before is listed. Without a branch: which are new is hard to foresee. */
	int fresh = RingBase(mesh, partner->axis) + s->ring_count[partner->axis], is_fresh = *number == 0;
	s->cell[fresh] = (uint16_t)(cell + partner->offset);
	s->ring_count[partner->axis] += is_fresh;
	*number = (uint16_t)(is_fresh ? fresh + 1 : *number);
	return (uint16_t)((*number - 1) << 2 | partner->back);
}

FAST_INLINE void FindPartners(const SurfaceCells *cells, const SurfaceMesh *mesh, int axis, int first, int end,
                              Scratch *s)
{
	for (int q = first; q < end; q++) {
		const uint8_t *stored = STORED_EDGE[s->turn[q]];
		int cell = s->cell[q], inside = mesh->low_inside[q];
		s->across[q][stored[0]] = FindAcross(cells, mesh, axis, cell, inside, 0, s);
		s->across[q][stored[1]] = FindAcross(cells, mesh, axis, cell, inside, 1, s);
		s->across[q][stored[2]] = FindAcross(cells, mesh, axis, cell, inside, 2, s);
		s->across[q][stored[3]] = FindAcross(cells, mesh, axis, cell, inside, 3, s);
	}
}

/* end: where each axis' quads end. */
SIMD_FUNCTION static void FindAllPartners(const SurfaceCells *cells, const SurfaceMesh *mesh, const int end[4],
                                          Scratch *s)
{
	memset(s->ring_count, 0, sizeof s->ring_count);
	FindPartners(cells, mesh, 0, end[0], end[1], s);
	FindPartners(cells, mesh, 1, end[1], end[2], s);
	FindPartners(cells, mesh, 2, end[2], end[3], s);
}

/* ---- ring quads -------------------------------------------------------------------------------------------------- */

/* Bits of cubes -2..8, by row; as words they are what FastVertices_List takes. */
typedef union RingCubes {
	uint16_t row[SURFACE_RING_CUBES * FIELD_SIZE];
	uint64_t word[SURFACE_RING_CUBES][4];
} RingCubes;

/* Those that ring quads stand on. */
static void MarkRingCubes(const SurfaceMesh *mesh, const Scratch *s, RingCubes *used)
{
	memset(used, 0, sizeof *used);
	uint16_t *row = used->row;
	for (int axis = 0; axis < 3; axis++) {
		const uint16_t *cell = s->cell + RingBase(mesh, axis);
		for (int i = 0; i < s->ring_count[axis]; i++) {
			int r = cell[i] / FIELD_SIZE - FIELD_SIZE * (FLAG_HALO - 2);
			uint16_t one = (uint16_t)(1u << cell[i] % FIELD_SIZE), two = (uint16_t)(one | one >> 1);
			row[r] |= axis == 0 ? one : two;
			if (axis != 1)
				row[r - FIELD_SIZE] |= axis == 0 ? one : two;
			if (axis != 2)
				row[r - 1] |= axis == 0 ? one : two;
			if (axis == 0)
				row[r - 1 - FIELD_SIZE] |= one;
		}
	}
}

SIMD_FUNCTION static void MakeRing(const SurfaceCells *cells, const SurfaceMesh *mesh, Scratch *s)
{
	FastCubes map;
	RingCubes used;
	FastVertices vertices = {.at = s->at + mesh->vertex_count, .rule = s->rule, .cell = s->cube};
	MarkRingCubes(mesh, s, &used);
	FastVertices_List(cells, used.word, FLAG_HALO - 2, FLAG_HALO + BLOCK_SIZE, &map, &vertices, s->loop);
	FastVertices_Make(cells, &vertices, 2);
	const uint8_t(*loop)[12] = cells->tables->loop[0];
	for (int axis = 0; axis < 3; axis++) {
		int base = RingBase(mesh, axis), u = FAST_STEP[(axis + 1) % 3], v = FAST_STEP[(axis + 2) % 3];
		int count = s->ring_count[axis];
		for (int q = base; q < base + count; q++) {
			for (int k = 0; k < 4; k++) {
				int cube = s->cell[q] + QUAD_U[k] * u + QUAD_V[k] * v - CUBE_FIRST;
				uint64_t vertex = VertexOf(&map, loop, cube, 4 * axis + QUAD_EDGE[k], true);
				s->corner[q][k] = (uint16_t)(mesh->vertex_count + (int)vertex);
			}
			s->low_inside[q] = cells->value[s->cell[q]] >> 7;
		}
		memset(s->corner[base + count], 0, FAST_SPARE * sizeof s->corner[0]);
		memset(s->low_inside + base + count, 0, FAST_SPARE);
		FastQuads_Turn(s->at, axis, count, s->low_inside + base, s->corner + base);
	}
}

static void CopyOwned(const SurfaceMesh *mesh, Scratch *s)
{
	for (int i = 0; i < mesh->vertex_count; i++) {
		const uint16_t *p = mesh->position[i];
		s->at[i] = p[0] | (uint64_t)p[1] << 16 | (uint64_t)p[2] << 32 | (uint64_t)p[0] << 48;
	}
	memcpy(s->corner, mesh->corner, (size_t)mesh->quad_count * sizeof s->corner[0]);
	memcpy(s->low_inside, mesh->low_inside, (size_t)mesh->quad_count);
	memset(s->corner[mesh->quad_count], 0, FAST_SPARE * sizeof s->corner[0]);
}

/* ---- normals ----------------------------------------------------------------------------------------------------- */

/* Cross products of eight pairs of vectors. */
FAST_INLINE void CrossOf(const __m256i a[2], const __m256i b[2], __m256i n[3])
{
	for (int i = 0; i < 3; i++)
		n[i] = _mm256_madd_epi16(Across(i, a[0], a[1]), Turned(Across(i, b[0], b[1])));
}

/* Eight normals to every second place from `to` on. */
FAST_INLINE void StoreNormals(const __m256i n[3], int32_t (*to)[4])
{
	__m256i xy_low = _mm256_unpacklo_epi32(n[0], n[1]), xy_high = _mm256_unpackhi_epi32(n[0], n[1]);
	__m256i z_low = _mm256_unpacklo_epi32(n[2], _mm256_setzero_si256());
	__m256i z_high = _mm256_unpackhi_epi32(n[2], _mm256_setzero_si256());
	const __m256i four[4] = {_mm256_unpacklo_epi64(xy_low, z_low), _mm256_unpackhi_epi64(xy_low, z_low),
	                         _mm256_unpacklo_epi64(xy_high, z_high), _mm256_unpackhi_epi64(xy_high, z_high)};
	for (int i = 0; i < 4; i++) {
		_mm_storeu_si128((__m128i *)to[2 * i], _mm256_castsi256_si128(four[i]));
		_mm_storeu_si128((__m128i *)to[2 * (i + 4)], _mm256_extracti128_si256(four[i], 1));
	}
}

/* Of both triangles of each quad: twice the area long. Whole vectors: writes up to FAST_SPARE quads too many. */
SIMD_FUNCTION static void MakeNormals(int first, int count, Scratch *s)
{
	for (int q = first; q < first + count; q += 8) {
		__m256i xy[4], zx[4], side[4][2], n[3];
		LoadCorner(s->at, s->corner + q, 0, &xy[0], &zx[0]);
		LoadCorner(s->at, s->corner + q, 1, &xy[1], &zx[1]);
		LoadCorner(s->at, s->corner + q, 2, &xy[2], &zx[2]);
		LoadCorner(s->at, s->corner + q, 3, &xy[3], &zx[3]);
		for (int k = 1; k < 4; k++) {
			side[k][0] = _mm256_sub_epi16(xy[k], xy[0]);
			side[k][1] = _mm256_sub_epi16(zx[k], zx[0]);
		}
		CrossOf(side[1], side[2], n);
		StoreNormals(n, s->normal + 2 * q);
		CrossOf(side[2], side[3], n);
		StoreNormals(n, s->normal + 2 * q + 1);
	}
}

/* ---- kinds ------------------------------------------------------------------------------------------------------- */

typedef struct Vectors4 {
	__m256d x, y, z;
} Vectors4;

FAST_INLINE __m256d Dot4(const Vectors4 *a, const Vectors4 *b)
{
	__m256d x = _mm256_mul_pd(a->x, b->x), y = _mm256_mul_pd(a->y, b->y), z = _mm256_mul_pd(a->z, b->z);
	return _mm256_add_pd(_mm256_add_pd(x, y), z);
}

/* Four normals, and the places they lie at. */
FAST_INLINE Vectors4 LoadNormals(const int32_t *a, const int32_t *b, const int32_t *c, const int32_t *d)
{
	__m128 r0 = _mm_loadu_ps((const float *)a), r1 = _mm_loadu_ps((const float *)b);
	__m128 r2 = _mm_loadu_ps((const float *)c), r3 = _mm_loadu_ps((const float *)d);
	__m128 xy01 = _mm_unpacklo_ps(r0, r1), xy23 = _mm_unpacklo_ps(r2, r3);
	__m128 z01 = _mm_unpackhi_ps(r0, r1), z23 = _mm_unpackhi_ps(r2, r3);
	return (Vectors4){_mm256_cvtepi32_pd(_mm_castps_si128(_mm_movelh_ps(xy01, xy23))),
	                  _mm256_cvtepi32_pd(_mm_castps_si128(_mm_movehl_ps(xy23, xy01))),
	                  _mm256_cvtepi32_pd(_mm_castps_si128(_mm_movelh_ps(z01, z23)))};
}

/* Four vertices less others. */
FAST_INLINE Vectors4 Sides(__m256i to, __m256i from)
{
	__m256i d = _mm256_sub_epi16(to, from);
	__m128 low = _mm_castsi128_ps(_mm256_castsi256_si128(d)), high = _mm_castsi128_ps(_mm256_extracti128_si256(d, 1));
	__m128i xy = _mm_castps_si128(_mm_shuffle_ps(low, high, 0x88));
	__m128i zx = _mm_castps_si128(_mm_shuffle_ps(low, high, 0xDD));
	return (Vectors4){_mm256_cvtepi32_pd(_mm_srai_epi32(_mm_slli_epi32(xy, 16), 16)),
	                  _mm256_cvtepi32_pd(_mm_srai_epi32(xy, 16)),
	                  _mm256_cvtepi32_pd(_mm_srai_epi32(_mm_slli_epi32(zx, 16), 16))};
}

typedef struct FourKinds {
	unsigned flat, concave, doubtful; /* bit k for edge k; concave: if it is not flat */
} FourKinds;

/* n: of the triangle on this side, m: on the other; out: from any corner of this one to the other's far corner. */
FAST_INLINE FourKinds KindsOf(const Vectors4 *n, const Vectors4 *m, const Vectors4 *out)
{
	const __m256d zero = _mm256_setzero_pd();
	__m256d dot = Dot4(n, m), squared = _mm256_mul_pd(dot, dot);
	__m256d limit = _mm256_mul_pd(_mm256_mul_pd(Dot4(n, n), Dot4(m, m)), _mm256_set1_pd(FLAT_COSINE_SQUARED));
	__m256d over = _mm256_sub_pd(squared, limit), doubt = _mm256_mul_pd(limit, _mm256_set1_pd(DOUBT));
	__m256d near = _mm256_cmp_pd(_mm256_andnot_pd(_mm256_set1_pd(-0.0), over), doubt, _CMP_LE_OQ);
	__m256d flat = _mm256_and_pd(_mm256_cmp_pd(dot, zero, _CMP_GT_OQ), _mm256_cmp_pd(over, zero, _CMP_GT_OQ));
	return (FourKinds){(unsigned)_mm256_movemask_pd(flat),
	                   (unsigned)_mm256_movemask_pd(_mm256_cmp_pd(Dot4(n, out), zero, _CMP_GT_OQ)),
	                   (unsigned)_mm256_movemask_pd(near)};
}

static int64_t ExactDot(const int32_t *a, const int32_t *b)
{
	return (int64_t)a[0] * b[0] + (int64_t)a[1] * b[1] + (int64_t)a[2] * b[2];
}

static bool ExactFlat(const int32_t *n, const int32_t *m)
{
	int64_t dot = ExactDot(n, m);
	double lengths = (double)ExactDot(n, n) * (double)ExactDot(m, m);
	return dot > 0 && (double)dot * (double)dot > FLAT_COSINE_SQUARED * lengths;
}

/* Two bits a field from one bit each. */
SIMD_FUNCTION static inline unsigned KindBits(unsigned flat, unsigned concave)
{
	return _pdep_u32(~flat & concave & 15, 0x55) * EDGE_CONCAVE | _pdep_u32(~flat & ~concave & 15, 0x55) * EDGE_CONVEX;
}

/* The triangle of a mesh edge, and times 4 its corner that is not on the edge: [turn][canonical edge]. Stored edges 0
 * and 1 have the first triangle and corners 2 and 0, edges 2 and 3 the second and corners 0 and 2. */
static const uint8_t TRIANGLE[4][4] = {{9, 1, 0, 8}, {8, 9, 1, 0}, {8, 0, 1, 9}, {9, 8, 0, 1}};

/* One vertex in each half. */
FAST_INLINE __m128i LoadTwo(const uint64_t *a, const uint64_t *b)
{
	__m128 first = _mm_castsi128_ps(_mm_loadl_epi64((const __m128i *)a));
	return _mm_castps_si128(_mm_loadh_pi(first, (const __m64 *)b));
}

/* The triangle across mesh edge k of a quad: its number, and its corner that is not on the edge. */
typedef struct AcrossEdge {
	const int32_t *normal;
	const uint64_t *far;
} AcrossEdge;

FAST_INLINE AcrossEdge FindTriangle(const Scratch *s, int q, int k)
{
	int across = s->across[q][k], other = across >> 2, triangle = TRIANGLE[s->turn[other]][across & 3];
	return (AcrossEdge){s->normal[2 * other + (triangle & 1)], s->at + s->corner[other][triangle >> 2]};
}

SIMD_FUNCTION static unsigned MeshEdgeKinds(const Scratch *s, int q)
{
	const int32_t *own[2] = {s->normal[2 * q], s->normal[2 * q + 1]};
	const AcrossEdge across[4] = {FindTriangle(s, q, 0), FindTriangle(s, q, 1), FindTriangle(s, q, 2),
	                              FindTriangle(s, q, 3)};
	__m256i far = _mm256_set_m128i(LoadTwo(across[2].far, across[3].far), LoadTwo(across[0].far, across[1].far));
	Vectors4 n = LoadNormals(own[0], own[0], own[1], own[1]);
	Vectors4 m = LoadNormals(across[0].normal, across[1].normal, across[2].normal, across[3].normal);
	Vectors4 out = Sides(far, _mm256_set1_epi64x((long long)s->at[s->corner[q][0]]));
	FourKinds kinds = KindsOf(&n, &m, &out);
	for (unsigned doubtful = kinds.doubtful; doubtful; doubtful &= doubtful - 1) {
		int k = __builtin_ctz(doubtful);
		kinds.flat = (kinds.flat & ~(1u << k)) | (unsigned)ExactFlat(own[k >> 1], across[k].normal) << k;
	}
	return KindBits(kinds.flat, kinds.concave);
}

/* Of quads q..q+3, one field each. */
SIMD_FUNCTION static unsigned DiagonalKinds(const Scratch *s, int q)
{
	const uint16_t(*corner)[4] = s->corner + q;
	__m256i from = _mm256_set_m128i(LoadTwo(s->at + corner[2][0], s->at + corner[3][0]),
	                                LoadTwo(s->at + corner[0][0], s->at + corner[1][0]));
	__m256i far = _mm256_set_m128i(LoadTwo(s->at + corner[2][3], s->at + corner[3][3]),
	                               LoadTwo(s->at + corner[0][3], s->at + corner[1][3]));
	const int32_t(*a)[4] = s->normal + 2 * q;
	Vectors4 n = LoadNormals(a[0], a[2], a[4], a[6]), m = LoadNormals(a[1], a[3], a[5], a[7]);
	Vectors4 out = Sides(far, from);
	FourKinds kinds = KindsOf(&n, &m, &out);
	for (unsigned doubtful = kinds.doubtful; doubtful; doubtful &= doubtful - 1) {
		int i = __builtin_ctz(doubtful);
		kinds.flat = (kinds.flat & ~(1u << i)) | (unsigned)ExactFlat(a[2 * i], a[2 * i + 1]) << i;
	}
	return KindBits(kinds.flat, kinds.concave);
}

SIMD_FUNCTION void Surface_EdgeKindsFast(const SurfaceField *field, const uint16_t blockiness[256],
                                         const SurfaceMesh *mesh, SurfaceEdgeScratch *s, uint16_t *kinds)
{
	SurfaceCells cells;
	if (mesh->quad_count == 0)
		return;
	if (!SurfaceCells_InitFast(&cells, field, blockiness, FLAG_HALO - 1)) {
		SCREE_ASSERT(!"the mesh is not this field's");
		return;
	}
	pthread_once(&TableOnce, MakeTable);
	int end[4] = {0};
	for (int axis = 0; axis < 3; axis++) {
		end[axis + 1] = end[axis];
		for (int y = 0; y < BLOCK_SIZE; y++)
			end[axis + 1] += __builtin_popcountll(mesh->word[axis][y]);
	}
	SCREE_ASSERT(end[3] == mesh->quad_count);
	NumberOwned(mesh, s);
	CopyOwned(mesh, s);
	for (int axis = 0; axis < 3; axis++)
		FindTurns(axis, end[axis], end[axis + 1] - end[axis], s);
	FindAllPartners(&cells, mesh, end, s);
	MakeNormals(0, mesh->quad_count, s);
	MakeRing(&cells, mesh, s);
	for (int axis = 0; axis < 3; axis++) {
		MakeNormals(RingBase(mesh, axis), s->ring_count[axis], s);
		FindTurns(axis, RingBase(mesh, axis), s->ring_count[axis], s);
	}
	for (int q = 0; q < mesh->quad_count; q += 4) {
		unsigned diagonals = DiagonalKinds(s, q);
		for (int i = q; i < Int_Min(q + 4, mesh->quad_count); i++)
			kinds[i] = (uint16_t)(MeshEdgeKinds(s, i) | (diagonals >> 2 * (i - q) & 3) << 8);
	}
}

#endif
