/* Edge kinds, fast form: the quads that they take. These are the mesh's and the ring: quads that the block does not own
 * but that share a mesh edge with one of its own. Which these are follows from bits of cubes; they get vertices of
 * their own where the mesh has none, and diagonals.
 */
#include "terrain/surface_fast_internal.h"

#if SCREE_X86

/* ---- cubes and ring quads ---------------------------------------------------------------------------------------- */

/* By slice. */
typedef struct EdgeBits {
	uint64_t ring[3][OWNER_SLICES][4];          /* lattice edges of ring quads, from cell -1 on */
	uint64_t mesh_cubes[OWNER_SLICES][4];       /* that the block's quads stand on, from cube -1 on */
	uint64_t ring_cubes[SURFACE_RING_CUBES][4]; /* that ring quads alone stand on, from cube -2 on */
} EdgeBits;

typedef struct Crossings {
	__m256i x, y, z;
} Crossings;

/* Lattice edges of a slice that cross. */
FAST_INLINE Crossings CrossingsOf(const SurfaceCells *cells, int y)
{
	__m256i here = Load256(cells->inside + FIELD_SIZE * (y + FLAG_HALO));
	__m256i above = Load256(cells->inside + FIELD_SIZE * (y + 1 + FLAG_HALO));
	return (Crossings){_mm256_xor_si256(here, _mm256_srli_epi16(here, 1)), _mm256_xor_si256(here, above),
	                   _mm256_xor_si256(here, RowsFromAbove(here))};
}

FAST_INLINE Crossings And(const Crossings *a, __m256i b)
{
	return (Crossings){_mm256_and_si256(a->x, b), _mm256_and_si256(a->y, b), _mm256_and_si256(a->z, b)};
}

/* The cubes that quads round a slice's edges stand on: in the slice and in the one below. */
FAST_INLINE void CubesOf(const Crossings *edges, __m256i *here, __m256i *below)
{
	__m256i x = _mm256_or_si256(edges->x, RowsFromAbove(edges->x));
	__m256i y = _mm256_or_si256(edges->y, _mm256_srli_epi16(edges->y, 1));
	__m256i z = _mm256_or_si256(edges->z, _mm256_srli_epi16(edges->z, 1));
	*below = _mm256_or_si256(x, z);
	*here = _mm256_or_si256(*below, _mm256_or_si256(y, RowsFromAbove(y)));
}

SIMD_FUNCTION static void FindMeshCubes(const SurfaceCells *cells, EdgeBits *bits)
{
	const __m256i owned = SliceWindow(FLAG_HALO, FLAG_HALO + BLOCK_SIZE - 1);
	__m256i last = _mm256_setzero_si256();
	for (int y = 0; y < BLOCK_SIZE; y++) {
		__m256i here, below;
		Crossings edges = CrossingsOf(cells, y);
		edges = And(&edges, owned);
		CubesOf(&edges, &here, &below);
		Store256(bits->mesh_cubes[y], _mm256_or_si256(last, below));
		last = here;
	}
	Store256(bits->mesh_cubes[BLOCK_SIZE], last);
	Store256(bits->mesh_cubes[BLOCK_SIZE + 1], _mm256_setzero_si256());
}

/* Ring quads stand with one side at least on cubes that the mesh has: these are a few more than those that share an
 * edge with one of the mesh's quads. */
SIMD_FUNCTION static void FindRing(const SurfaceCells *cells, EdgeBits *bits)
{
	const __m256i zero = _mm256_setzero_si256();
	__m256i below = zero, last = zero;
	for (int y = -1; y <= BLOCK_SIZE; y++) {
		bool may_own = y >= 0 && y < BLOCK_SIZE;
		__m256i owned = may_own ? SliceWindow(FLAG_HALO, FLAG_HALO + BLOCK_SIZE - 1) : zero;
		__m256i cubes = Load256(bits->mesh_cubes[y + 1]), cubes_x = _mm256_slli_epi16(cubes, 1);
		__m256i cubes_z = RowsFromBelow(cubes), cubes_xz = _mm256_slli_epi16(cubes_z, 1);
		__m256i below_x = _mm256_slli_epi16(below, 1), below_z = RowsFromBelow(below);
		Crossings edges = CrossingsOf(cells, y);
#define SIDES(a, b, c, d) _mm256_andnot_si256(owned, _mm256_and_si256(_mm256_or_si256(a, c), _mm256_or_si256(b, d)))
		edges.x = _mm256_and_si256(edges.x, SIDES(cubes, cubes_z, below_z, below));
		edges.y = _mm256_and_si256(edges.y, SIDES(cubes, cubes_x, cubes_xz, cubes_z));
		edges.z = _mm256_and_si256(edges.z, SIDES(cubes, cubes_x, below_x, below));
#undef SIDES
		Store256(bits->ring[0][y + 1], edges.x);
		Store256(bits->ring[1][y + 1], edges.y);
		Store256(bits->ring[2][y + 1], edges.z);
		__m256i ring_here, ring_below;
		CubesOf(&edges, &ring_here, &ring_below);
		Store256(bits->ring_cubes[y + 1], _mm256_andnot_si256(below, _mm256_or_si256(last, ring_below)));
		last = ring_here;
		below = cubes;
	}
	Store256(bits->ring_cubes[BLOCK_SIZE + 2], last);
}

/* The mesh's vertices in the list's form, and the cells of their cubes. Four at a time: up to three too many. */
SIMD_FUNCTION static void CopyVertices(const SurfaceMesh *mesh, SurfaceEdgeScratch *s)
{
	const __m256i spread =
	    _mm256_setr_epi8(0, 1, 2, 3, 4, 5, 0, 1, 6, 7, 8, 9, 10, 11, 6, 7,        /* from byte 0 on */
	                     4, 5, 6, 7, 8, 9, 4, 5, 10, 11, 12, 13, 14, 15, 10, 11); /* from byte 8 on */
	const __m256i x = _mm256_set1_epi64x(0xF), y = _mm256_set1_epi64x(0xF00), z = _mm256_set1_epi64x(0xF0);
	/* Cube -1 has the place 0. */
	const __m128i corner = _mm_set1_epi16((short)Field_Cell(-1, -1, -1));
	const __m256i low = _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 1, 8, 9, 0, 1, 8, 9, 0, 1, 8, 9, 0, 1, 8, 9));
	for (int i = 0; i < mesh->vertex_count; i += 4) {
		const uint8_t *from = (const uint8_t *)mesh->position[i];
		__m256i at = _mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)from));
		at = _mm256_inserti128_si256(at, _mm_loadu_si128((const __m128i *)(from + 8)), 1);
		at = _mm256_shuffle_epi8(at, spread);
		Store256(s->at + i, at);
		__m256i cell = _mm256_and_si256(_mm256_srli_epi64(at, 12), x);
		cell = _mm256_or_si256(cell, _mm256_and_si256(_mm256_srli_epi64(at, 20), y));
		cell = _mm256_or_si256(cell, _mm256_and_si256(_mm256_srli_epi64(at, 40), z));
		cell = _mm256_shuffle_epi8(cell, low);
		__m128i four = _mm_unpacklo_epi32(_mm256_castsi256_si128(cell), _mm256_extracti128_si256(cell, 1));
		_mm_storel_epi64((__m128i *)(s->vertex_cell + i), _mm_add_epi16(four, corner));
	}
}

/* Lists the cubes that the mesh's quads stand on. Returns how many. */
SIMD_FUNCTION static int ListMeshCubes(const SurfaceCells *cells, const SurfaceMesh *mesh, FastCubes *map,
                                       SurfaceEdgeScratch *s)
{
	const SurfaceTables *tables = cells->tables;
	int cubes = 0;
	for (int i = 0; i < mesh->vertex_count; i++) {
		int cell = s->vertex_cell[i], pattern = PatternOf(CubeValues(cells->value + cell)), loop = mesh->loop[i];
		if (tables->flip_face[pattern] != FACE_NONE)
			pattern = SurfaceCube_Pattern(cells, cell % FIELD_SIZE - FLAG_HALO, cell / STEP_Y - FLAG_HALO,
			                              cell / STEP_Z % FIELD_SIZE - FLAG_HALO);
		map->first[cell - CUBE_FIRST] = (uint16_t)(i - loop);
		map->pattern[cell - CUBE_FIRST] = (uint16_t)pattern;
		s->mesh_cube[cubes] = (uint16_t)cell;
		s->mesh_pattern[cubes] = (uint16_t)pattern;
		cubes += loop == 0;
	}
	return cubes;
}

/* ---- quads ------------------------------------------------------------------------------------------------------- */

SIMD_FUNCTION static void CopyMesh(const SurfaceMesh *mesh, FastRing *ring, SurfaceEdgeScratch *s)
{
	const __m256i digit = _mm256_set1_epi16(7), corner = _mm256_set1_epi16((short)Field_Cell(0, 0, 0));
	int n = mesh->quad_count;
	memset(s->corner[0], 0, sizeof s->corner[0]);
	memcpy(s->corner[1], mesh->corner, (size_t)n * sizeof s->corner[0]);
	memcpy(s->low_inside + 1, mesh->low_inside, (size_t)n);
	for (int i = 0; i < n; i += 16) {
		__m256i e = Load256(mesh->edge + i), x = _mm256_and_si256(e, digit);
		__m256i z = _mm256_and_si256(_mm256_srli_epi16(e, 3), digit);
		__m256i y = _mm256_and_si256(_mm256_srli_epi16(e, 6), digit);
		__m256i cell = _mm256_or_si256(x, _mm256_or_si256(_mm256_slli_epi16(z, 4), _mm256_slli_epi16(y, 8)));
		Store256(s->cell + 1 + i, _mm256_add_epi16(cell, corner));
	}
	ring->first[0] = 1;
	for (int axis = 0; axis < 3; axis++) {
		ring->first[axis + 1] = ring->first[axis];
		for (int y = 0; y < BLOCK_SIZE; y++)
			ring->first[axis + 1] += __builtin_popcountll(mesh->word[axis][y]);
	}
	SCREE_ASSERT(ring->first[3] == n + 1);
}

/* Lists the ring quads along an axis, corners in canonical order. */
FAST_INLINE int ListRing(const SurfaceCells *cells, const FastCubes *map, uint64_t ring[OWNER_SLICES][4], int axis,
                         int n, SurfaceEdgeScratch *s)
{
	const int u = FAST_STEP[(axis + 1) % 3], v = FAST_STEP[(axis + 2) % 3];
	const uint8_t(*loop)[12] = cells->tables->loop[0];
	BitList edges;
	BitList_Set(&edges, ring, FLAG_HALO - 1, FLAG_HALO + BLOCK_SIZE);
	BitPlace at = BitList_Begin(&edges);
	for (int i = 0; i < edges.bits; i++, n++) {
		int cell = BitPlace_Next(&at), cube = cell - CUBE_FIRST;
		uint64_t corners = VertexOf(map, loop, cube - u - v, 4 * axis + 3, true) |
		                   VertexOf(map, loop, cube - v, 4 * axis + 2, true) << 16 |
		                   VertexOf(map, loop, cube, 4 * axis, true) << 32 |
		                   VertexOf(map, loop, cube - u, 4 * axis + 1, true) << 48;
		memcpy(s->corner[n], &corners, sizeof corners);
		s->low_inside[n] = cells->value[cell] >> 7;
		s->cell[n] = (uint16_t)cell;
	}
	return n;
}

SIMD_FUNCTION static void MakeRing(const SurfaceCells *cells, const SurfaceMesh *mesh, EdgeBits *bits, FastCubes *map,
                                   FastRing *ring, SurfaceEdgeScratch *s)
{
	FastVertices vertices = {
	    .first = mesh->vertex_count, .at = s->at + mesh->vertex_count, .rule = s->rule, .cell = s->cube};
	FastVertices_List(cells, bits->ring_cubes, FLAG_HALO - 2, FLAG_HALO + BLOCK_SIZE, map, &vertices, s->loop);
	FastVertices_Make(cells, &vertices, 2);
	int n = ring->first[3];
	ring->first[4] = n = ListRing(cells, map, bits->ring[0], 0, n, s);
	ring->first[5] = n = ListRing(cells, map, bits->ring[1], 1, n, s);
	ring->first[6] = n = ListRing(cells, map, bits->ring[2], 2, n, s);
	/* Whole vectors are read: corners must name vertices. */
	memset(s->corner[n], 0, FAST_SPARE * sizeof s->corner[0]);
	memset(s->low_inside + n, 0, FAST_SPARE);
	memset(s->cell + n, 0, FAST_SPARE * sizeof s->cell[0]);
	for (int axis = 0; axis < 3; axis++) {
		int first = ring->first[3 + axis];
		FastQuads_Turn(s->at, axis, ring->first[4 + axis] - first, s->low_inside + first, s->corner + first);
	}
}

void FastRing_Make(const SurfaceCells *cells, const SurfaceMesh *mesh, FastRing *ring, SurfaceEdgeScratch *s)
{
	FastCubes map;
	EdgeBits bits;
	FindMeshCubes(cells, &bits);
	FindRing(cells, &bits);
	CopyVertices(mesh, s);
	ring->cubes = ListMeshCubes(cells, mesh, &map, s);
	CopyMesh(mesh, ring, s);
	MakeRing(cells, mesh, &bits, &map, ring, s);
}

#endif
