/* Rows of 32 bytes as words of 32 bits. */
#ifndef SCREE_PIECES_ROWS_INTERNAL_H
#define SCREE_PIECES_ROWS_INTERNAL_H

#include "pieces/pieces_internal.h"

#if SCREE_X86
#include <emmintrin.h>
#endif

#if SCREE_X86

/* Bit i: byte i is 128 or more. */
static inline uint32_t Row_Tops(const uint8_t *row)
{
	unsigned low = (unsigned)_mm_movemask_epi8(_mm_loadu_si128((const __m128i *)row));
	return low | (uint32_t)_mm_movemask_epi8(_mm_loadu_si128((const __m128i *)(row + 16))) << 16;
}

/* Bit i: byte i is not 0. */
static inline uint32_t Row_Some(const uint8_t *row)
{
	const __m128i zero = _mm_setzero_si128();
	__m128i low = _mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)row), zero);
	__m128i high = _mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)(row + 16)), zero);
	return ~((unsigned)_mm_movemask_epi8(low) | (uint32_t)_mm_movemask_epi8(high) << 16);
}

/* Bit i: byte i is the same as the next; not of the last. */
static inline uint32_t Row_Same(const uint8_t *row)
{
	__m128i low = _mm_loadu_si128((const __m128i *)row), high = _mm_loadu_si128((const __m128i *)(row + 16));
	__m128i next = _mm_or_si128(_mm_srli_si128(low, 1), _mm_slli_si128(high, 15));
	unsigned bits = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(low, next));
	return bits | (uint32_t)(_mm_movemask_epi8(_mm_cmpeq_epi8(high, _mm_srli_si128(high, 1))) & 0x7FFF) << 16;
}

#else

/* Bit i: byte i is 128 or more. */
static inline uint32_t Row_Tops(const uint8_t *row)
{
	uint32_t bits = 0;
	for (int i = 0; i < CHUNK_SIZE / 8; i++) {
		uint64_t word;
		memcpy(&word, row + 8 * i, 8);
		bits |= (uint32_t)((((word >> 7) & 0x0101010101010101u) * 0x0102040810204080u) >> 56) << (8 * i);
	}
	return bits;
}

/* Bit i: byte i is not 0. */
static inline uint32_t Row_Some(const uint8_t *row)
{
	const uint64_t low = 0x7F7F7F7F7F7F7F7Fu;
	uint32_t bits = 0;
	for (int i = 0; i < CHUNK_SIZE / 8; i++) {
		uint64_t word;
		memcpy(&word, row + 8 * i, 8);
		word |= (word & low) + low;
		bits |= (uint32_t)((((word >> 7) & 0x0101010101010101u) * 0x0102040810204080u) >> 56) << (8 * i);
	}
	return bits;
}

static inline uint32_t Row_Same(const uint8_t *row)
{
	uint32_t bits = 0;
	for (int i = 0; i < CHUNK_SIZE - 1; i++)
		bits |= (uint32_t)(row[i] == row[i + 1]) << i;
	return bits;
}

#endif

#endif
