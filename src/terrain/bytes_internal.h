/* Eight cells' bytes in a word, and bits drawn from them. */
#ifndef SCREE_TERRAIN_BYTES_INTERNAL_H
#define SCREE_TERRAIN_BYTES_INTERNAL_H

#include <stdint.h>
#include <string.h>

/* First byte lowest. */
static inline uint64_t LoadBytes(const uint8_t *bytes)
{
	uint64_t word;
	memcpy(&word, bytes, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	word = __builtin_bswap64(word);
#endif
	return word;
}

/* The top bits of eight bytes, first byte in bit 0. */
static inline uint64_t TopBits(uint64_t word)
{
	return ((word & 0x8080808080808080u) >> 7) * 0x0102040810204080u >> 56;
}

#endif
