/* The surface's fast form, for processors with AVX2: what its files share. It makes the same bits as the plain form,
 * which stays the reference. See surface_fast.c for how it goes about it.
 *
 * In this form a slice of the field, 16 rows of 16 cells, is one vector: lane z + FLAG_HALO holds a row's bits, bit x +
 * FLAG_HALO a cell's. So bit i of a slice's 256 is cell i of the slice.
 */
#ifndef SCREE_TERRAIN_SURFACE_FAST_INTERNAL_H
#define SCREE_TERRAIN_SURFACE_FAST_INTERNAL_H

#include "terrain/surface_cube_internal.h"

#if SCREE_X86

#include <immintrin.h>

/* For what must not be a call: constants then fold, vectors stay in registers. */
#define FAST_INLINE SIMD_FUNCTION static inline __attribute__((always_inline))

#define SLICE_CELLS (FIELD_SIZE * FIELD_SIZE)
#define STEP_Z FIELD_SIZE
#define STEP_Y SLICE_CELLS

/* As SurfaceCells_Init. */
bool SurfaceCells_InitFast(SurfaceCells *cells, const SurfaceField *field, const uint16_t blockiness[256], int reach);

/* ---- slices ------------------------------------------------------------------------------------------------------ */

FAST_INLINE __m256i Load256(const void *from)
{
	return _mm256_loadu_si256((const __m256i *)from);
}
FAST_INLINE void Store256(void *to, __m256i v)
{
	_mm256_storeu_si256((__m256i *)to, v);
}
/* Row z gets what row z + 1 had, or row z - 1; zero comes in. */
FAST_INLINE __m256i RowsFromAbove(__m256i rows)
{
	return _mm256_alignr_epi8(_mm256_permute2x128_si256(rows, rows, 0x81), rows, 2);
}
FAST_INLINE __m256i RowsFromBelow(__m256i rows)
{
	return _mm256_alignr_epi8(rows, _mm256_permute2x128_si256(rows, rows, 0x08), 14);
}
/* All bits of rows and columns first..last, as places in the field. */
FAST_INLINE __m256i SliceWindow(int first, int last)
{
	const __m256i row = _mm256_setr_epi16(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
	__m256i low = _mm256_cmpgt_epi16(row, _mm256_set1_epi16((short)(first - 1)));
	__m256i high = _mm256_cmpgt_epi16(_mm256_set1_epi16((short)(last + 1)), row);
	unsigned columns = ((2u << last) - 1) & ~((1u << first) - 1);
	return _mm256_and_si256(_mm256_and_si256(low, high), _mm256_set1_epi16((short)columns));
}

/* ---- vertices ---------------------------------------------------------------------------------------------------- */

/* Loops waiting to be made vertices, and the vertices: first a cube's eight values, corner 0 in the lowest byte, then
 * in the same place its position, 16 bits each: x, y, z, and x again. Room for a whole vector beyond the end. */
#define VERTEX_ROOM (SURFACE_VERTEX_LIMIT + 8)
typedef struct FastVertices {
	int count;
	bool blocky;                /* some cell has a blockiness */
	uint64_t at[VERTEX_ROOM];   /* see above */
	uint32_t rule[VERTEX_ROOM]; /* SurfaceTables.rule */
	uint16_t cell[VERTEX_ROOM]; /* index of the cube's cell in the field */
} FastVertices;

#endif
#endif
