/* From cells to quads, fast form: the plain form's results (surface_build.c), eight vertices and eight quads at a time.
 *
 * First come lists: the cubes that quads stand on, one entry for each loop with its cube's eight values and its edges
 * (SurfaceTables.rule). Then vertices are made from the list, without a branch for what a cube looks like. Quads are
 * likewise listed with their corners in canonical order first and turned to their diagonals afterwards.
 */
#include "terrain/surface_fast_internal.h"

#if SCREE_X86

#define CUBES (BLOCK_SIZE + 1) /* dual cubes -1..7 a side */

/* First vertex and pattern of each cube, by its cell's index in the field less CUBE_FIRST: cubes -1..7. */
#define CUBE_FIRST ((FLAG_HALO - 1) * (STEP_Y + STEP_Z + 1))
#define CUBE_LAST ((FLAG_HALO + BLOCK_SIZE - 1) * (STEP_Y + STEP_Z + 1))
typedef struct CubeMap {
	uint16_t first[CUBE_LAST - CUBE_FIRST + 1];
	uint16_t pattern[CUBE_LAST - CUBE_FIRST + 1];
} CubeMap;

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

static inline uint32_t LoadPair(const uint8_t *bytes)
{
	uint16_t pair;
	memcpy(&pair, bytes, sizeof pair);
	return pair;
}

/* Values of the cube's corners, corner 0 in the lowest byte. */
static inline uint64_t CubeValues(const uint8_t *value)
{
	uint32_t low = LoadPair(value) | LoadPair(value + STEP_Y) << 16;
	uint32_t high = LoadPair(value + STEP_Z) | LoadPair(value + STEP_Y + STEP_Z) << 16;
	return low | (uint64_t)high << 32;
}

/* Lists the loops of a cube that has several, or may be flipped. */
static void ListLoops(const SurfaceCells *cells, int cell, uint64_t values, int mask, CubeMap *map,
                      FastVertices *vertices, uint8_t *loop)
{
	const SurfaceTables *tables = cells->tables;
	const uint32_t(*rule)[LOOP_LIMIT] = tables->rule[0];
	const uint8_t *loop_count = tables->loop_count[0];
	int pattern = mask, n = vertices->count;
	if (tables->flip_face[mask] != FACE_NONE)
		pattern = SurfaceCube_Pattern(cells, cell % FIELD_SIZE - FLAG_HALO, cell / STEP_Y - FLAG_HALO,
		                              cell / STEP_Z % FIELD_SIZE - FLAG_HALO);
	map->pattern[cell - CUBE_FIRST] = (uint16_t)pattern;
	for (int i = 0; i < loop_count[pattern]; i++) {
		vertices->at[n] = values;
		vertices->rule[n] = rule[pattern][i];
		vertices->cell[n] = (uint16_t)cell;
		loop[n++] = (uint8_t)i;
	}
	vertices->count = n;
}

/* Lists the loops of all cubes in `used`. Returns the number of cubes. */
SIMD_FUNCTION static int ListCubes(const SurfaceCells *cells, uint64_t used[CUBES][4], CubeMap *map,
                                   FastVertices *vertices, uint8_t *loop)
{
	const uint8_t *value = cells->value;
	const uint32_t(*rules)[LOOP_LIMIT] = cells->tables->rule[0];
	int cubes = 0, n = 0;
	for (int slice = 0; slice < CUBES; slice++)
		for (int word = 0; word < 3; word++) {
			uint64_t bits = used[slice][word];
			int first = SLICE_CELLS * (slice + FLAG_HALO - 1) + 64 * word;
			cubes += __builtin_popcountll(bits);
			for (; bits; bits &= bits - 1) {
				int cell = first + __builtin_ctzll(bits);
				uint64_t values = CubeValues(value + cell);
				int mask = (int)_pext_u64(values, 0x8080808080808080u);
				uint32_t rule = rules[mask][0];
				map->first[cell - CUBE_FIRST] = (uint16_t)n;
				if (!(rule & RULE_PLAIN)) {
					vertices->count = n;
					ListLoops(cells, cell, values, mask, map, vertices, loop);
					n = vertices->count;
					continue;
				}
				map->pattern[cell - CUBE_FIRST] = (uint16_t)mask;
				vertices->at[n] = values;
				vertices->rule[n] = rule;
				vertices->cell[n] = (uint16_t)cell;
				loop[n++] = 0;
			}
		}
	vertices->count = n;
	return cubes;
}

/* ---- vertices ---------------------------------------------------------------------------------------------------- */

/* Low and high halves of eight 64-bit words. */
FAST_INLINE void SplitWords(const uint64_t *words, __m256i *low, __m256i *high)
{
	__m128i w01 = _mm_loadu_si128((const __m128i *)words), w23 = _mm_loadu_si128((const __m128i *)(words + 2));
	__m256 a = _mm256_castsi256_ps(
	    _mm256_inserti128_si256(_mm256_castsi128_si256(w01), _mm_loadu_si128((const __m128i *)(words + 4)), 1));
	__m256 b = _mm256_castsi256_ps(
	    _mm256_inserti128_si256(_mm256_castsi128_si256(w23), _mm_loadu_si128((const __m128i *)(words + 6)), 1));
	*low = _mm256_castps_si256(_mm256_shuffle_ps(a, b, 0x88));
	*high = _mm256_castps_si256(_mm256_shuffle_ps(a, b, 0xDD));
}

/* The inverse. */
FAST_INLINE void JoinWords(__m256i low, __m256i high, uint64_t *words)
{
	__m256i a = _mm256_unpacklo_epi32(low, high), b = _mm256_unpackhi_epi32(low, high);
	Store256(words, _mm256_permute2x128_si256(a, b, 0x20));
	Store256(words + 4, _mm256_permute2x128_si256(a, b, 0x31));
}

/* Eight values less 127.5, of corner k of four in a word. */
FAST_INLINE __m256 CornerOf(__m256i word, int k)
{
	__m256i byte = _mm256_and_si256(_mm256_srli_epi32(word, 8 * k), _mm256_set1_epi32(255));
	return _mm256_sub_ps(_mm256_cvtepi32_ps(byte), _mm256_set1_ps(127.5f));
}

/* Adds edge e's crossing to the sums whose rule has the edge. One division rounds to the whole number that the plain
 * form's whole-number division gives, for every pair of values (a test goes through them all). */
FAST_INLINE __m256i AddCrossing(__m256i sum, __m256i rule, int e, __m256 low, __m256 high)
{
	__m256 at = _mm256_div_ps(_mm256_mul_ps(low, _mm256_set1_ps(SURFACE_UNIT)), _mm256_sub_ps(low, high));
	__m256i has = _mm256_srai_epi32(_mm256_slli_epi32(rule, 31 - e), 31);
	return _mm256_add_epi32(sum, _mm256_and_si256(_mm256_cvtps_epi32(at), has));
}

FAST_INLINE __m256i FarSum(__m256i rule, int axis)
{
	__m256i far = _mm256_and_si256(rule, _mm256_set1_epi32(7 << RULE_FAR(axis)));
	return _mm256_srli_epi32(far, RULE_FAR(axis) - 12); /* times SURFACE_UNIT */
}

/* The strongest blockiness of each cube's inside cells. */
SIMD_FUNCTION static __m256i CubeBlockiness(const SurfaceCells *cells, const uint16_t *cell, const uint64_t *values)
{
	static const int16_t offset[8] = {0,      1,          STEP_Y,          STEP_Y + 1,
	                                  STEP_Z, STEP_Z + 1, STEP_Y + STEP_Z, STEP_Y + STEP_Z + 1};
	int32_t most[8];
	for (int i = 0; i < 8; i++) {
		const uint8_t *material = cells->material + cell[i];
		most[i] = 0;
		for (int k = 0; k < 8; k++) {
			int inside = -(int)(values[i] >> (8 * k + 7) & 1);
			most[i] = Int_Max(most[i], cells->blockiness[material[offset[k]]] & inside);
		}
	}
	return Load256(most);
}

/* Mean of a sum's crossings, pulled to the cube's middle, from the mesh's origin. */
FAST_INLINE __m256i PlaceOnAxis(__m256i sum, __m256i reciprocal, __m256i blockiness, bool blocky, __m256i cube)
{
	__m256i mean = _mm256_add_epi32(_mm256_mullo_epi32(sum, reciprocal), _mm256_set1_epi32(1 << 17));
	mean = _mm256_srli_epi32(mean, 18);
	if (blocky) {
		__m256i pull = _mm256_sub_epi32(_mm256_set1_epi32(SURFACE_UNIT / 2), mean);
		pull = _mm256_add_epi32(_mm256_madd_epi16(pull, blockiness), _mm256_set1_epi32(128));
		mean = _mm256_add_epi32(mean, _mm256_srai_epi32(pull, 8));
	}
	return _mm256_add_epi32(mean, _mm256_slli_epi32(cube, 12));
}

/* Makes vertices i..i+7 of the list. */
FAST_INLINE void MakeVertices(const SurfaceCells *cells, FastVertices *vertices, int i)
{
	__m256i low, high, rule = Load256(vertices->rule + i);
	SplitWords(vertices->at + i, &low, &high);
	const __m256 corner[8] = {CornerOf(low, 0),  CornerOf(low, 1),  CornerOf(low, 2),  CornerOf(low, 3),
	                          CornerOf(high, 0), CornerOf(high, 1), CornerOf(high, 2), CornerOf(high, 3)};
	__m256i x = FarSum(rule, 0), y = FarSum(rule, 1), z = FarSum(rule, 2);
	x = AddCrossing(x, rule, 0, corner[0], corner[1]);
	x = AddCrossing(x, rule, 1, corner[2], corner[3]);
	x = AddCrossing(x, rule, 2, corner[4], corner[5]);
	x = AddCrossing(x, rule, 3, corner[6], corner[7]);
	y = AddCrossing(y, rule, 4, corner[0], corner[2]);
	y = AddCrossing(y, rule, 5, corner[4], corner[6]);
	y = AddCrossing(y, rule, 6, corner[1], corner[3]);
	y = AddCrossing(y, rule, 7, corner[5], corner[7]);
	z = AddCrossing(z, rule, 8, corner[0], corner[4]);
	z = AddCrossing(z, rule, 9, corner[1], corner[5]);
	z = AddCrossing(z, rule, 10, corner[2], corner[6]);
	z = AddCrossing(z, rule, 11, corner[3], corner[7]);
	/* 2^18 / n: see the plain form. */
	const __m256i reciprocals = _mm256_setr_epi32(0, 0, 0, 87381, 65536, 52429, 43691, 37449);
	__m256i reciprocal = _mm256_permutevar8x32_epi32(reciprocals, _mm256_srli_epi32(rule, RULE_COUNT));
	bool blocky = vertices->blocky;
	__m256i blockiness = _mm256_setzero_si256();
	if (blocky)
		blockiness = CubeBlockiness(cells, vertices->cell + i, vertices->at + i);
	/* Cube -1 has the field's place FLAG_HALO - 1 and the mesh's place 0. */
	__m256i cell = _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)(vertices->cell + i)));
	cell = _mm256_sub_epi32(cell, _mm256_set1_epi32(CUBE_FIRST));
	const __m256i digit = _mm256_set1_epi32(FIELD_SIZE - 1);
	x = PlaceOnAxis(x, reciprocal, blockiness, blocky, _mm256_and_si256(cell, digit));
	z = PlaceOnAxis(z, reciprocal, blockiness, blocky, _mm256_and_si256(_mm256_srli_epi32(cell, 4), digit));
	y = PlaceOnAxis(y, reciprocal, blockiness, blocky, _mm256_srli_epi32(cell, 8));
	JoinWords(_mm256_or_si256(x, _mm256_slli_epi32(y, 16)), _mm256_or_si256(z, _mm256_slli_epi32(x, 16)),
	          vertices->at + i);
}

/* Fills the last vector with what is harmless, then makes all. */
SIMD_FUNCTION static void MakeAllVertices(const SurfaceCells *cells, FastVertices *vertices)
{
	for (int i = vertices->count; i & 7; i++) {
		vertices->at[i] = 0;
		vertices->rule[i] = 0;
		vertices->cell[i] = CUBE_FIRST;
	}
	for (int i = 0; i < vertices->count; i += 8)
		MakeVertices(cells, vertices, i);
}

/* Does any cell of the field have a blockiness? Sets of bytes are two tables of 16, bit h of entry l for byte 16 h + l
 * (the second for bytes from 128 on). */
SIMD_FUNCTION static bool FieldIsBlocky(const SurfaceCells *cells)
{
	__m128i set[2] = {_mm_setzero_si128(), _mm_setzero_si128()};
	for (int h = 0; h < 16; h++) {
		__m256i words = Load256(cells->blockiness + 16 * h);
		__m128i none = _mm_packs_epi16(_mm256_castsi256_si128(words), _mm256_extracti128_si256(words, 1));
		none = _mm_cmpeq_epi8(none, _mm_setzero_si128());
		set[h >> 3] = _mm_or_si128(set[h >> 3], _mm_andnot_si128(none, _mm_set1_epi8((char)(1 << (h & 7)))));
	}
	__m128i both = _mm_or_si128(set[0], set[1]);
	if (_mm_testz_si128(both, both))
		return false;
	const __m256i first = _mm256_broadcastsi128_si256(set[0]), second = _mm256_broadcastsi128_si256(set[1]);
	const __m256i digit = _mm256_set1_epi8(15);
	const __m256i bit =
	    _mm256_broadcastsi128_si256(_mm_setr_epi8(1, 2, 4, 8, 16, 32, 64, -128, 1, 2, 4, 8, 16, 32, 64, -128));
	__m256i found = _mm256_setzero_si256();
	for (int slice = FLAG_HALO - 1; slice <= FLAG_HALO + BLOCK_SIZE; slice++)
		for (int row = FLAG_HALO - 2; row <= FLAG_HALO + BLOCK_SIZE; row += 2) {
			__m256i m = Load256(cells->material + SLICE_CELLS * slice + FIELD_SIZE * row);
			__m256i low = _mm256_and_si256(m, digit), high = _mm256_and_si256(_mm256_srli_epi16(m, 4), digit);
			__m256i has = _mm256_blendv_epi8(_mm256_shuffle_epi8(first, low), _mm256_shuffle_epi8(second, low), m);
			found = _mm256_or_si256(found, _mm256_and_si256(has, _mm256_shuffle_epi8(bit, high)));
		}
	return !_mm256_testz_si256(found, found);
}

/* ---- quads ------------------------------------------------------------------------------------------------------- */

static const int16_t STEP[3] = {1, STEP_Y, STEP_Z};

/* Vertex of a cube, on its edge e. */
FAST_INLINE uint64_t VertexOf(const CubeMap *map, const uint8_t (*loop)[12], int cube, int e, bool multi)
{
	unsigned vertex = map->first[cube];
	return multi ? vertex + loop[map->pattern[cube]][e] : vertex;
}

/* Lists the quads along an axis, corners in canonical order. multi: some cube has several loops. */
FAST_INLINE void ListQuads(const SurfaceCells *cells, const CubeMap *map, const uint64_t inside[BLOCK_SIZE], int axis,
                           bool multi, SurfaceMesh *mesh)
{
	const int step = STEP[axis], u = STEP[(axis + 1) % 3], v = STEP[(axis + 2) % 3];
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

/* Positions of corner k of eight quads. */
FAST_INLINE void LoadCorner(const uint64_t *at, const uint16_t corner[8][4], int k, __m256i *xy, __m256i *zx)
{
	__m128 pair[4];
	for (int i = 0; i < 4; i++) {
		__m128 first = _mm_castsi128_ps(_mm_loadl_epi64((const __m128i *)(at + corner[2 * i][k])));
		pair[i] = _mm_loadh_pi(first, (const __m64 *)(at + corner[2 * i + 1][k]));
	}
	__m256 a = _mm256_set_m128(pair[2], pair[0]), b = _mm256_set_m128(pair[3], pair[1]);
	*xy = _mm256_castps_si256(_mm256_shuffle_ps(a, b, 0x88));
	*zx = _mm256_castps_si256(_mm256_shuffle_ps(a, b, 0xDD));
}

/* Of differences of positions: the parts across the axis, u and v, as pairs. */
FAST_INLINE __m256i Across(int axis, __m256i xy, __m256i zx)
{
	if (axis == 0)
		return _mm256_blend_epi16(_mm256_srli_epi32(xy, 16), _mm256_slli_epi32(zx, 16), 0xAA);
	return axis == 1 ? zx : xy;
}

/* (u, v) -> (v, -u): a pair's product with it is a cross product. */
FAST_INLINE __m256i Turned(__m256i pairs)
{
	__m256i swapped = _mm256_or_si256(_mm256_slli_epi32(pairs, 16), _mm256_srli_epi32(pairs, 16));
	return _mm256_sign_epi16(swapped, _mm256_set1_epi32((int)0xFFFF0001));
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

/* Turns quads first..last-1, all along one axis. Lanes beyond are left as they are. */
FAST_INLINE void TurnQuads(const uint64_t *at, int axis, int first, int last, SurfaceMesh *mesh)
{
	const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
	for (int i = first; i < last; i += 8) {
		__m256i valid = _mm256_cmpgt_epi32(_mm256_set1_epi32(last - i), lane);
		__m256i second = _mm256_and_si256(Diagonals(at, mesh->corner + i, axis), valid);
		__m128i low_bytes = _mm_loadl_epi64((const __m128i *)(mesh->low_inside + i));
		__m256i backwards = _mm256_cmpeq_epi32(_mm256_cvtepu8_epi32(low_bytes), _mm256_setzero_si256());
		backwards = _mm256_and_si256(backwards, valid);
		TurnCorners(mesh->corner + i, _mm256_castsi256_si128(second), _mm256_castsi256_si128(backwards));
		TurnCorners(mesh->corner + i + 4, _mm256_extracti128_si256(second, 1), _mm256_extracti128_si256(backwards, 1));
	}
}

SIMD_FUNCTION static void BuildQuads(const SurfaceCells *cells, const CubeMap *map, const uint64_t inside[BLOCK_SIZE],
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
	TurnQuads(at, 0, end[0], end[1], mesh);
	TurnQuads(at, 1, end[1], end[2], mesh);
	TurnQuads(at, 2, end[2], end[3], mesh);
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
	FastVertices vertices;
	CubeMap map;
	uint64_t inside[BLOCK_SIZE], used[CUBES][4];
	mesh->vertex_count = mesh->quad_count = 0;
	if (!SurfaceCells_InitFast(&cells, field, blockiness, SURFACE_HALO - 1)) {
		memset(mesh->word, 0, sizeof mesh->word);
		return;
	}
	if (FindCrossings(&cells, mesh->word, inside, used) == 0)
		return;
	vertices.blocky = FieldIsBlocky(&cells);
	int cubes = ListCubes(&cells, used, &map, &vertices, mesh->loop);
	MakeAllVertices(&cells, &vertices);
	mesh->vertex_count = vertices.count;
	BuildQuads(&cells, &map, inside, vertices.at, vertices.count != cubes, mesh);
	StorePositions(vertices.at, vertices.count, mesh->position);
}

#endif
