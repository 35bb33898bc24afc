/* Numbers of saved files: little-endian on every machine. Private to the room. */
#ifndef SCREE_VOXEL_SAVE_INTERNAL_H
#define SCREE_VOXEL_SAVE_INTERNAL_H

#include "voxel/voxel.h"

#define SAVE_HEADER_SIZE 24
#define SAVE_BLOCK_HEADER 16

static inline void Put_U32(uint8_t *to, uint32_t value)
{
	for (int i = 0; i < 4; i++)
		to[i] = (uint8_t)(value >> (8 * i));
}

static inline void Put_U64(uint8_t *to, uint64_t value)
{
	for (int i = 0; i < 8; i++)
		to[i] = (uint8_t)(value >> (8 * i));
}

static inline void Put_F32(uint8_t *to, float value)
{
	uint32_t bits;
	memcpy(&bits, &value, sizeof(bits));
	Put_U32(to, bits);
}

static inline void Put_F64(uint8_t *to, double value)
{
	uint64_t bits;
	memcpy(&bits, &value, sizeof(bits));
	Put_U64(to, bits);
}

static inline uint32_t Get_U32(const uint8_t *from)
{
	return (uint32_t)from[0] | (uint32_t)from[1] << 8 | (uint32_t)from[2] << 16 | (uint32_t)from[3] << 24;
}

static inline uint64_t Get_U64(const uint8_t *from)
{
	return Get_U32(from) | (uint64_t)Get_U32(from + 4) << 32;
}

static inline float Get_F32(const uint8_t *from)
{
	uint32_t bits = Get_U32(from);
	float value;
	memcpy(&value, &bits, sizeof(value));
	return value;
}

static inline double Get_F64(const uint8_t *from)
{
	uint64_t bits = Get_U64(from);
	double value;
	memcpy(&value, &bits, sizeof(value));
	return value;
}

/* The hash of a block: its number too, so that blocks cannot change places. */
uint64_t Save_BlockHash(uint32_t number, const char tag[4], const void *data, size_t size);

extern const char save_magic[8];

#endif
