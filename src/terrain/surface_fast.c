/* From cells to quads, fast form: the plain form's results (surface_build.c), eight vertices and eight quads at a time.
 *
 * First come lists: the cubes that quads stand on, one entry for each loop with its cube's eight values and its edges
 * (SurfaceTables.rule). Then vertices are made from the list, without a branch for what a cube looks like. Quads are
 * likewise listed with their corners in canonical order first and turned to their diagonals afterwards.
 */
#include "terrain/surface_fast_internal.h"

#if SCREE_X86

#define CUBES (BLOCK_SIZE + 1) /* dual cubes -1..7 a side */
#define VERTEX_ROOM (SURFACE_VERTEX_LIMIT + FAST_SPARE)

/* ---- crossings and cubes ----------------------------------------------------------------------------------------- */

/* Rows and columns 0..7 of a slice as the words of a mesh have them: bit z * 8 + x. */
FAST_INLINE uint64_t PackOwned(__m256i rows)
{
	__m128i middle = _mm256_castsi256_si128(_mm256_permute4x64_epi64(rows, 0x09));
	return (uint64_t)_mm_cvtsi128_si64(_mm_packus_epi16(_mm_srli_epi16(middle, FLAG_HALO), _mm_setzero_si128()));
}

/* The block's lattice edges that cross, and bits of the cubes that their quads stand on; slice i of `used` holds cubes
 * y = i - 1. Returns the number of quads. */
SIMD_FUNCTION static int FindCrossings(const SurfaceCells *cells, uint64_t word[3][BLOCK_SIZE],
                                       uint64_t inside[BLOCK_SIZE], uint64_t used[CUBES][4])
{
	const __m256i owned = SliceWindow(FLAG_HALO, FLAG_HALO + BLOCK_SIZE - 1);
	__m256i above = Load256(cells->inside + FIELD_SIZE * FLAG_HALO), below_cubes = _mm256_setzero_si256();
	int count = 0;
	for (int y = 0; y < BLOCK_SIZE; y++) {
		__m256i here = above;
		above = Load256(cells->inside + FIELD_SIZE * (y + 1 + FLAG_HALO));
		__m256i along_x = _mm256_and_si256(_mm256_xor_si256(here, _mm256_srli_epi16(here, 1)), owned);
		__m256i along_y = _mm256_and_si256(_mm256_xor_si256(here, above), owned);
		__m256i along_z = _mm256_and_si256(_mm256_xor_si256(here, RowsFromAbove(here)), owned);
		word[0][y] = PackOwned(along_x);
		word[1][y] = PackOwned(along_y);
		word[2][y] = PackOwned(along_z);
		inside[y] = PackOwned(_mm256_and_si256(here, owned));
		for (int axis = 0; axis < 3; axis++)
			count += __builtin_popcountll(word[axis][y]);
		/* Edges along x and z have cubes in this slice and the one below, those along y in this one alone. */
		__m256i both = _mm256_or_si256(_mm256_or_si256(along_x, RowsFromAbove(along_x)),
		                               _mm256_or_si256(along_z, _mm256_srli_epi16(along_z, 1)));
		__m256i wide = _mm256_or_si256(along_y, _mm256_srli_epi16(along_y, 1));
		Store256(used[y], _mm256_or_si256(below_cubes, both));
		below_cubes = _mm256_or_si256(both, _mm256_or_si256(wide, RowsFromAbove(wide)));
	}
	Store256(used[BLOCK_SIZE], below_cubes);
	return count;
}

/* ---- quads ------------------------------------------------------------------------------------------------------- */

/* Lists the quads along an axis, corners in canonical order. multi: some cube has several loops. */
FAST_INLINE void ListQuads(const SurfaceCells *cells, const FastCubes *map, const uint64_t inside[BLOCK_SIZE], int axis,
                           bool multi, SurfaceMesh *mesh)
{
	const int step = FAST_STEP[axis], u = FAST_STEP[(axis + 1) % 3], v = FAST_STEP[(axis + 2) % 3];
	const uint8_t(*loop)[12] = cells->tables->loop[0], *material = cells->material;
	int n = mesh->quad_count;
	for (int y = 0; y < BLOCK_SIZE; y++) {
		uint64_t bits = mesh->word[axis][y], low = inside[y];
		int first = Field_Cell(0, y, 0), name = axis << 9 | y << 6;
		for (; bits; bits &= bits - 1) {
			int bit = __builtin_ctzll(bits), cell = first + bit + (bit & 56), cube = cell - CUBE_FIRST;
			uint64_t corners = VertexOf(map, loop, cube - u - v, 4 * axis + 3, multi) |
			                   VertexOf(map, loop, cube - v, 4 * axis + 2, multi) << 16 |
			                   VertexOf(map, loop, cube, 4 * axis, multi) << 32 |
			                   VertexOf(map, loop, cube - u, 4 * axis + 1, multi) << 48;
			int low_inside = low >> bit & 1;
			memcpy(mesh->corner[n], &corners, sizeof corners);
			mesh->edge[n] = (uint16_t)(name | bit);
			mesh->material[n] = material[cell + (step & (low_inside - 1))];
			mesh->low_inside[n] = (uint8_t)low_inside;
			n++;
		}
	}
	mesh->quad_count = n;
}

FAST_INLINE __m256i LengthSquared(__m256i xy, __m256i zx)
{
	__m256i z = _mm256_and_si256(zx, _mm256_set1_epi32(0xFFFF));
	return _mm256_add_epi32(_mm256_madd_epi16(xy, xy), _mm256_madd_epi16(z, zx));
}

/* All ones where the quad's diagonal goes from corner 1 to corner 3: SurfaceQuad_Diagonal for eight quads. */
FAST_INLINE __m256i Diagonals(const uint64_t *at, const uint16_t corner[8][4], int axis)
{
	__m256i xy[4], zx[4];
	for (int k = 0; k < 4; k++)
		LoadCorner(at, corner, k, &xy[k], &zx[k]);
	__m256i e_xy = _mm256_sub_epi16(xy[2], xy[0]), e_zx = _mm256_sub_epi16(zx[2], zx[0]);
	__m256i f_xy = _mm256_sub_epi16(xy[3], xy[1]), f_zx = _mm256_sub_epi16(zx[3], zx[1]);
	__m256i second = _mm256_cmpgt_epi32(LengthSquared(e_xy, e_zx), LengthSquared(f_xy, f_zx));
	/* With side s from corner 0 to 1 and diagonals e and f, the four triangles' normals along the axis are s x e and
	 * e x f - s x e on e, e x f - s x f and s x f on f. */
	__m256i s = Across(axis, _mm256_sub_epi16(xy[1], xy[0]), _mm256_sub_epi16(zx[1], zx[0]));
	__m256i e = Across(axis, e_xy, e_zx), f_turned = Turned(Across(axis, f_xy, f_zx));
	__m256i se = _mm256_madd_epi16(s, Turned(e)), sf = _mm256_madd_epi16(s, f_turned);
	__m256i ef = _mm256_madd_epi16(e, f_turned), zero = _mm256_setzero_si256();
	__m256i good_e = _mm256_and_si256(_mm256_cmpgt_epi32(se, zero), _mm256_cmpgt_epi32(ef, se));
	__m256i good_f = _mm256_and_si256(_mm256_cmpgt_epi32(sf, zero), _mm256_cmpgt_epi32(ef, sf));
	__m256i good = _mm256_blendv_epi8(good_e, good_f, second);
	return _mm256_xor_si256(_mm256_xor_si256(second, good), _mm256_set1_epi32(-1));
}

/* Four quads' corners from canonical to stored order: from corner 0 or 1 on, backwards where p is air. */
FAST_INLINE void TurnCorners(uint16_t corner[4][4], __m128i second, __m128i backwards)
{
#define ORDER(a, b, c, d)                                                                                              \
	_mm256_setr_epi8(2 * a, 2 * a + 1, 2 * b, 2 * b + 1, 2 * c, 2 * c + 1, 2 * d, 2 * d + 1, 2 * a + 8, 2 * a + 9,     \
	                 2 * b + 8, 2 * b + 9, 2 * c + 8, 2 * c + 9, 2 * d + 8, 2 * d + 9, 2 * a, 2 * a + 1, 2 * b,        \
	                 2 * b + 1, 2 * c, 2 * c + 1, 2 * d, 2 * d + 1, 2 * a + 8, 2 * a + 9, 2 * b + 8, 2 * b + 9,        \
	                 2 * c + 8, 2 * c + 9, 2 * d + 8, 2 * d + 9)
	__m256i from_second = _mm256_cvtepi32_epi64(second), reverse = _mm256_cvtepi32_epi64(backwards);
	__m256i forwards = _mm256_blendv_epi8(ORDER(0, 1, 2, 3), ORDER(1, 2, 3, 0), from_second);
	__m256i order = _mm256_blendv_epi8(ORDER(0, 3, 2, 1), ORDER(1, 0, 3, 2), from_second);
	order = _mm256_blendv_epi8(forwards, order, reverse);
	Store256(corner, _mm256_shuffle_epi8(Load256(corner), order));
#undef ORDER
}

FAST_INLINE void TurnQuads(const uint64_t *at, int axis, int count, const uint8_t *low_inside, uint16_t (*corner)[4])
{
	const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
	for (int i = 0; i < count; i += 8) {
		__m256i valid = _mm256_cmpgt_epi32(_mm256_set1_epi32(count - i), lane);
		__m256i second = _mm256_and_si256(Diagonals(at, corner + i, axis), valid);
		__m128i low_bytes = _mm_loadl_epi64((const __m128i *)(low_inside + i));
		__m256i backwards = _mm256_cmpeq_epi32(_mm256_cvtepu8_epi32(low_bytes), _mm256_setzero_si256());
		backwards = _mm256_and_si256(backwards, valid);
		TurnCorners(corner + i, _mm256_castsi256_si128(second), _mm256_castsi256_si128(backwards));
		TurnCorners(corner + i + 4, _mm256_extracti128_si256(second, 1), _mm256_extracti128_si256(backwards, 1));
	}
}

SIMD_FUNCTION void FastQuads_Turn(const uint64_t *at, int axis, int count, const uint8_t *low_inside,
                                  uint16_t (*corner)[4])
{
	if (axis == 0)
		TurnQuads(at, 0, count, low_inside, corner);
	else if (axis == 1)
		TurnQuads(at, 1, count, low_inside, corner);
	else
		TurnQuads(at, 2, count, low_inside, corner);
}

SIMD_FUNCTION static void BuildQuads(const SurfaceCells *cells, const FastCubes *map, const uint64_t inside[BLOCK_SIZE],
                                     const uint64_t *at, bool multi, SurfaceMesh *mesh)
{
	int end[4] = {0};
#define LIST(axis)                                                                                                     \
	if (multi)                                                                                                         \
		ListQuads(cells, map, inside, axis, true, mesh);                                                               \
	else                                                                                                               \
		ListQuads(cells, map, inside, axis, false, mesh);                                                              \
	end[axis + 1] = mesh->quad_count;
	LIST(0)
	LIST(1)
	LIST(2)
#undef LIST
	/* The last vector may reach beyond the list: its corners must name vertices. */
	memset(mesh->corner[mesh->quad_count], 0, SURFACE_QUAD_SPARE * sizeof mesh->corner[0]);
	memset(mesh->low_inside + mesh->quad_count, 0, SURFACE_QUAD_SPARE);
	for (int axis = 0; axis < 3; axis++)
		FastQuads_Turn(at, axis, end[axis + 1] - end[axis], mesh->low_inside + end[axis], mesh->corner + end[axis]);
}

/* Four positions at a time, from 8 bytes each to 6. */
SIMD_FUNCTION static void StorePositions(const uint64_t *at, int count, uint16_t (*position)[3])
{
	const __m256i squeeze =
	    _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 1, 2, 3, 4, 5, 8, 9, 10, 11, 12, 13, -128, -128, -128, -128));
	int i = 0;
	for (; i + 4 <= count; i += 4) {
		__m256i four = _mm256_shuffle_epi8(Load256(at + i), squeeze);
		four = _mm256_permutevar8x32_epi32(four, _mm256_setr_epi32(0, 1, 2, 4, 5, 6, 3, 7));
		uint8_t *to = (uint8_t *)(position + i);
		_mm_storeu_si128((__m128i *)to, _mm256_castsi256_si128(four));
		_mm_storel_epi64((__m128i *)(to + 16), _mm256_extracti128_si256(four, 1));
	}
	for (; i < count; i++)
		memcpy(position[i], at + i, sizeof position[i]);
}

SIMD_FUNCTION void Surface_BuildFast(const SurfaceField *field, const uint16_t blockiness[256], SurfaceMesh *mesh)
{
	SurfaceCells cells;
	FastCubes map;
	uint64_t inside[BLOCK_SIZE], used[CUBES][4], at[VERTEX_ROOM];
	uint32_t rule[VERTEX_ROOM];
	uint16_t cell[VERTEX_ROOM];
	FastVertices vertices = {.at = at, .rule = rule, .cell = cell};
	mesh->vertex_count = mesh->quad_count = 0;
	if (!SurfaceCells_InitFast(&cells, field, blockiness, SURFACE_HALO - 1)) {
		memset(mesh->word, 0, sizeof mesh->word);
		return;
	}
	if (FindCrossings(&cells, mesh->word, inside, used) == 0)
		return;
	int cubes = FastVertices_List(&cells, used, FLAG_HALO - 1, FLAG_HALO - 1 + BLOCK_SIZE, &map, &vertices, mesh->loop);
	FastVertices_Make(&cells, &vertices, 1);
	mesh->vertex_count = vertices.count;
	BuildQuads(&cells, &map, inside, at, vertices.count != cubes, mesh);
	StorePositions(at, vertices.count, mesh->position);
}

#endif
