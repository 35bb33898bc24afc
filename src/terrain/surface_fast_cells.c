/* Fast form: bits of the field's cells, and the local-maximum rule. */
#include "terrain/surface_fast_internal.h"

#if SCREE_X86

/* A bit for each cell of slices y = -FLAG_HALO..11: see the header. */
typedef struct FieldBits {
	uint32_t inside[FIELD_SIZE][8], strong[FIELD_SIZE][8], solid[FIELD_SIZE][8];
} FieldBits;

SIMD_FUNCTION static void ReadBits(const SurfaceField *field, int first, int last, FieldBits *bits)
{
	const __m256i raised = _mm256_set1_epi8((char)RAISED_VALUE), zero = _mm256_setzero_si256();
	for (int slice = first; slice <= last; slice++) {
		const uint8_t *value = field->value + SLICE_CELLS * slice, *material = field->material + SLICE_CELLS * slice;
		UNROLL
		for (int i = 0; i < 8; i++) {
			__m256i v = Load256(value + 32 * i), m = Load256(material + 32 * i);
			bits->inside[slice][i] = (uint32_t)_mm256_movemask_epi8(v);
			bits->strong[slice][i] = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_max_epu8(v, raised), v));
			bits->solid[slice][i] = ~(uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(m, zero));
		}
	}
}

/* Do cells 0..8 hold neither solid nor anything but inside? */
SIMD_FUNCTION static bool HasNoCrossing(const FieldBits *bits)
{
	const __m256i window = SliceWindow(FLAG_HALO, FLAG_HALO + BLOCK_SIZE);
	__m256i solid = _mm256_setzero_si256(), inside = window;
	for (int slice = FLAG_HALO; slice <= FLAG_HALO + BLOCK_SIZE; slice++) {
		solid = _mm256_or_si256(solid, Load256(bits->solid[slice]));
		inside = _mm256_and_si256(inside, Load256(bits->inside[slice]));
	}
	return _mm256_testz_si256(solid, window) || _mm256_testc_si256(inside, window);
}

/* ---- the local-maximum rule ------------------------------------------------------------------------------------- */

/* Grown along x and z. */
FAST_INLINE __m256i GrowSlice(__m256i rows)
{
	__m256i x = _mm256_or_si256(rows, _mm256_or_si256(_mm256_slli_epi16(rows, 1), _mm256_srli_epi16(rows, 1)));
	return _mm256_or_si256(x, _mm256_or_si256(RowsFromAbove(x), RowsFromBelow(x)));
}

/* Solid cells below RAISED_VALUE that may be local maxima: as in the plain form, all that bits can say. False: none. */
SIMD_FUNCTION static bool FindCandidates(const FieldBits *bits, int reach, uint64_t candidates[FIELD_SIZE][4])
{
	const int first = FLAG_HALO - reach, last = FLAG_HALO + BLOCK_SIZE - 1 + reach;
	const __m256i window = SliceWindow(first, last);
	__m256i inside[3], strong[3], any = _mm256_setzero_si256();
	for (int i = 0; i < 2; i++) {
		inside[i + 1] = GrowSlice(Load256(bits->inside[first - 1 + i]));
		strong[i + 1] = GrowSlice(Load256(bits->strong[first - 1 + i]));
	}
	for (int slice = first; slice <= last; slice++) {
		inside[0] = inside[1], inside[1] = inside[2];
		strong[0] = strong[1], strong[1] = strong[2];
		inside[2] = GrowSlice(Load256(bits->inside[slice + 1]));
		strong[2] = GrowSlice(Load256(bits->strong[slice + 1]));
		__m256i near_inside = _mm256_or_si256(inside[0], _mm256_or_si256(inside[1], inside[2]));
		__m256i near_strong = _mm256_or_si256(strong[0], _mm256_or_si256(strong[1], strong[2]));
		__m256i weak = _mm256_andnot_si256(Load256(bits->inside[slice]), near_inside);
		__m256i found = _mm256_and_si256(Load256(bits->solid[slice]), window);
		found = _mm256_andnot_si256(_mm256_or_si256(near_strong, weak), found);
		Store256(candidates[slice], found);
		any = _mm256_or_si256(any, found);
	}
	return !_mm256_testz_si256(any, any);
}

SIMD_FUNCTION static void Raise(SurfaceCells *cells, const SurfaceField *field, int reach,
                                uint64_t candidates[FIELD_SIZE][4])
{
	for (int slice = FLAG_HALO - reach; slice < FLAG_HALO + BLOCK_SIZE + reach; slice++)
		for (int word = 0; word < 4; word++)
			for (uint64_t bits = candidates[slice][word]; bits; bits &= bits - 1) {
				int cell = SLICE_CELLS * slice + 64 * word + __builtin_ctzll(bits);
				if (!SurfaceField_IsLocalMaximum(field, cell))
					continue;
				if (cells->value != cells->raised)
					cells->value = memcpy(cells->raised, field->value, FIELD_CELLS);
				cells->raised[cell] = RAISED_VALUE;
				cells->inside[cell / FIELD_SIZE] |= (uint16_t)(1u << cell % FIELD_SIZE);
			}
}

SIMD_FUNCTION static void ApplyLocalMaxima(SurfaceCells *cells, const SurfaceField *field, const FieldBits *bits,
                                           int reach)
{
	uint64_t candidates[FIELD_SIZE][4];
	cells->value = field->value;
	for (int slice = FLAG_HALO - 1 - reach; slice <= FLAG_HALO + BLOCK_SIZE + reach; slice++)
		memcpy(cells->inside + FIELD_SIZE * slice, bits->inside[slice], sizeof bits->inside[slice]);
	if (FindCandidates(bits, reach, candidates))
		Raise(cells, field, reach, candidates);
}

SIMD_FUNCTION bool SurfaceCells_InitFast(SurfaceCells *cells, const SurfaceField *field, const uint16_t blockiness[256],
                                         int reach)
{
	FieldBits bits;
	ReadBits(field, FLAG_HALO - 1 - reach, FLAG_HALO + BLOCK_SIZE + reach, &bits);
	if (HasNoCrossing(&bits))
		return false;
	ApplyLocalMaxima(cells, field, &bits, reach);
	cells->material = field->material;
	cells->blockiness = blockiness;
	cells->tables = SurfaceTables_Get();
	return true;
}

void Surface_InsideBitsFast(const SurfaceField *field, uint16_t out[BLOCK_SIZE + 2][BLOCK_SIZE + 2])
{
	FieldBits bits;
	SurfaceCells cells;
	ReadBits(field, FLAG_HALO - 2, FLAG_HALO + BLOCK_SIZE + 1, &bits);
	ApplyLocalMaxima(&cells, field, &bits, 1);
	for (int y = -1; y <= BLOCK_SIZE; y++)
		for (int z = -1; z <= BLOCK_SIZE; z++)
			out[y + 1][z + 1] = cells.inside[Field_Row(y, z)] >> (FLAG_HALO - 1) & ((1u << (BLOCK_SIZE + 2)) - 1);
}

#endif
