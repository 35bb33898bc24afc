/* Fast form: vertices of many loops at a time. Each loop of a used cube is an entry of a list, with its cube's eight
 * values and its edges (SurfaceTables.rule); the arithmetic then goes over the list without a branch for what a cube
 * looks like.
 */
#include "terrain/surface_fast_internal.h"

#if SCREE_X86

/* ---- the list ---------------------------------------------------------------------------------------------------- */

/* Lists the loops of a cube that has several, or may be flipped. */
static void ListLoops(const SurfaceCells *cells, int cell, uint64_t values, int mask, FastCubes *map,
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
SIMD_FUNCTION int FastVertices_List(const SurfaceCells *cells, uint64_t used[][4], int first_slice, int last_slice,
                                    FastCubes *map, FastVertices *vertices, uint8_t *loop)
{
	const uint8_t *value = cells->value;
	const uint32_t(*rules)[LOOP_LIMIT] = cells->tables->rule[0];
	uint64_t *at = vertices->at;
	uint32_t *rule_of = vertices->rule;
	uint16_t *cell_of = vertices->cell;
	int cubes = 0, n = 0, first_vertex = vertices->first;
	for (int slice = first_slice; slice <= last_slice; slice++)
		for (int word = 0; word < 4; word++) {
			uint64_t bits = used[slice - first_slice][word];
			int first = SLICE_CELLS * slice + 64 * word;
			cubes += __builtin_popcountll(bits);
			for (; bits; bits &= bits - 1) {
				int cell = first + __builtin_ctzll(bits);
				uint64_t values = CubeValues(value + cell);
				int mask = PatternOf(values);
				uint32_t rule = rules[mask][0];
				map->first[cell - CUBE_FIRST] = (uint16_t)(first_vertex + n);
				if (!(rule & RULE_PLAIN)) {
					vertices->count = n;
					ListLoops(cells, cell, values, mask, map, vertices, loop);
					n = vertices->count;
					continue;
				}
				map->pattern[cell - CUBE_FIRST] = (uint16_t)mask;
				at[n] = values;
				rule_of[n] = rule;
				cell_of[n] = (uint16_t)cell;
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
	/* Cube -1 has the field's place FLAG_HALO - 1 and the mesh's place 0. */
	cube = _mm256_slli_epi32(_mm256_sub_epi32(cube, _mm256_set1_epi32(FLAG_HALO - 1)), 12);
	return _mm256_add_epi32(mean, cube);
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
	__m256i cell = _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)(vertices->cell + i)));
	const __m256i digit = _mm256_set1_epi32(FIELD_SIZE - 1);
	x = PlaceOnAxis(x, reciprocal, blockiness, blocky, _mm256_and_si256(cell, digit));
	z = PlaceOnAxis(z, reciprocal, blockiness, blocky, _mm256_and_si256(_mm256_srli_epi32(cell, 4), digit));
	y = PlaceOnAxis(y, reciprocal, blockiness, blocky, _mm256_srli_epi32(cell, 8));
	__m256i xy = _mm256_blend_epi16(x, _mm256_slli_epi32(y, 16), 0xAA);
	__m256i zx = _mm256_blend_epi16(z, _mm256_slli_epi32(x, 16), 0xAA);
	JoinWords(xy, zx, vertices->at + i);
}

/* Rows of cells within a halo of 1 or 2: looked at two at a time. */
#define HALO_FIRST_ROW (FLAG_HALO - 2)
#define HALO_LAST_ROW (FLAG_HALO + BLOCK_SIZE)

/* Has any cell within the halo a material from low to high? */
SIMD_FUNCTION static bool HasMaterialIn(const SurfaceCells *cells, int halo, int low, int high)
{
	const __m256i from = _mm256_set1_epi8((char)low), most = _mm256_set1_epi8((char)(high - low));
	__m256i found = _mm256_setzero_si256();
	for (int slice = FLAG_HALO - halo; slice < FLAG_HALO + BLOCK_SIZE + halo; slice++) {
		const uint8_t *material = cells->material + SLICE_CELLS * slice;
		UNROLL
		for (int row = HALO_FIRST_ROW; row <= HALO_LAST_ROW; row += 2) {
			__m256i beyond = _mm256_sub_epi8(Load256(material + FIELD_SIZE * row), from);
			found = _mm256_or_si256(found, _mm256_cmpeq_epi8(_mm256_min_epu8(beyond, most), beyond));
		}
	}
	return !_mm256_testz_si256(found, found);
}

/* Does any cell within the halo have a blockiness? Sets of bytes are two tables of 16, bit h of entry l for byte 16 h +
 * l (the second for bytes from 128 on). */
SIMD_FUNCTION static bool FieldIsBlocky(const SurfaceCells *cells, int halo)
{
	__m128i set[2] = {_mm_setzero_si128(), _mm_setzero_si128()};
	int lowest = 255, highest = 0;
	for (int h = 0; h < 16; h++) {
		__m256i words = Load256(cells->blockiness + 16 * h);
		__m128i none = _mm_packs_epi16(_mm256_castsi256_si128(words), _mm256_extracti128_si256(words, 1));
		none = _mm_cmpeq_epi8(none, _mm_setzero_si128());
		unsigned some = ~(unsigned)_mm_movemask_epi8(none) & 0xFFFF;
		if (some == 0)
			continue;
		set[h >> 3] = _mm_or_si128(set[h >> 3], _mm_andnot_si128(none, _mm_set1_epi8((char)(1 << (h & 7)))));
		lowest = Int_Min(lowest, 16 * h + __builtin_ctz(some));
		highest = 16 * h + 31 - __builtin_clz(some);
	}
	/* Mostly there are few such materials, and none is near. */
	if (lowest > highest || !HasMaterialIn(cells, halo, lowest, highest))
		return false;
	const __m256i first = _mm256_broadcastsi128_si256(set[0]), second = _mm256_broadcastsi128_si256(set[1]);
	const __m256i digit = _mm256_set1_epi8(15);
	const __m256i bit =
	    _mm256_broadcastsi128_si256(_mm_setr_epi8(1, 2, 4, 8, 16, 32, 64, -128, 1, 2, 4, 8, 16, 32, 64, -128));
	__m256i found = _mm256_setzero_si256();
	for (int slice = FLAG_HALO - halo; slice < FLAG_HALO + BLOCK_SIZE + halo; slice++)
		for (int row = HALO_FIRST_ROW; row <= HALO_LAST_ROW; row += 2) {
			__m256i m = Load256(cells->material + SLICE_CELLS * slice + FIELD_SIZE * row);
			__m256i low = _mm256_and_si256(m, digit), high = _mm256_and_si256(_mm256_srli_epi16(m, 4), digit);
			__m256i has = _mm256_blendv_epi8(_mm256_shuffle_epi8(first, low), _mm256_shuffle_epi8(second, low), m);
			found = _mm256_or_si256(found, _mm256_and_si256(has, _mm256_shuffle_epi8(bit, high)));
		}
	return !_mm256_testz_si256(found, found);
}

/* Fills the last vector with what is harmless, then makes all. */
SIMD_FUNCTION void FastVertices_Make(const SurfaceCells *cells, FastVertices *vertices, int halo)
{
	vertices->blocky = FieldIsBlocky(cells, halo);
	for (int i = vertices->count; i & 7; i++) {
		vertices->at[i] = 0;
		vertices->rule[i] = 0;
		vertices->cell[i] = CUBE_FIRST;
	}
	for (int i = 0; i < vertices->count; i += 8)
		MakeVertices(cells, vertices, i);
}

#endif
