/* One byte channel of a 32^3 chunk, private to the room.
 *
 * A channel is either one byte for all 32,768 cells, or 1,024 row headers followed, in the same block, by a payload of
 * 32-byte rows. A header below 256 is the byte that fills its row; header - 256 is otherwise the row's payload slot.
 * Row index: z + 32 * y. Freed slots form a list through their first two bytes.
 *
 * Canonical form, kept by every function here: no payload row is uniform, and headers that all hold the same byte
 * collapse into the one-byte form. Equal contents thus have equal headers (but for slot numbers).
 */
#ifndef SCREE_VOXEL_CHANNEL_INTERNAL_H
#define SCREE_VOXEL_CHANNEL_INTERNAL_H

#include "voxel/voxel.h"

#define CHUNK_ROWS (CHUNK_SIZE * CHUNK_SIZE)
#define CHUNK_CELLS (CHUNK_SIZE * CHUNK_SIZE * CHUNK_SIZE)
#define ROW_WORDS (CHUNK_ROWS / 64)
#define HEADER_SLOT 256
#define SLOT_NONE 0xFFFF

typedef struct ChannelData {
	uint16_t *header;  /* NULL: every cell is `uniform` */
	uint16_t capacity; /* payload rows in the block */
	uint16_t used;     /* slots ever handed out: [used, capacity) is untouched */
	uint16_t live;     /* slots that rows point at */
	uint16_t unused;   /* first of the freed slots, or SLOT_NONE */
	uint8_t uniform;
} ChannelData;

typedef uint8_t RowBytes[CHUNK_SIZE];

/* Row v is 32 times v: what uniform rows read from. */
extern const RowBytes uniform_rows[256];

static inline ChannelData Channel_Uniform(uint8_t value)
{
	return (ChannelData){NULL, 0, 0, 0, SLOT_NONE, value};
}

static inline bool Channel_IsAll(const ChannelData *channel, uint8_t value)
{
	return !channel->header && channel->uniform == value;
}

static inline RowBytes *Channel_Payload(const ChannelData *channel)
{
	return (RowBytes *)(channel->header + CHUNK_ROWS);
}

/* The row's header; for the one-byte form, the header that it would have. */
static inline uint16_t Channel_Header(const ChannelData *channel, int row)
{
	return channel->header ? channel->header[row] : channel->uniform;
}

static inline const uint8_t *Channel_Row(const ChannelData *channel, int row)
{
	uint16_t header = Channel_Header(channel, row);
	return header < HEADER_SLOT ? uniform_rows[header] : Channel_Payload(channel)[header - HEADER_SLOT];
}

static inline uint8_t Channel_At(const ChannelData *channel, int row, int x)
{
	return Channel_Row(channel, row)[x];
}

static inline bool Row_IsUniform(const uint8_t *row)
{
	uint64_t word[CHUNK_SIZE / 8], want = row[0] * 0x0101010101010101u;
	memcpy(word, row, sizeof(word));
	return ((word[0] ^ want) | (word[1] ^ want) | (word[2] ^ want) | (word[3] ^ want)) == 0;
}

size_t Channel_Bytes(const ChannelData *channel);
void Channel_Free(ChannelData *channel, Memory *memory);

/* Single cells: Open gives the row a payload slot without changing any cell (false: no memory, nothing changed), then
 * the caller writes into Channel_Payload, then Close restores the canonical form, which never fails. */
bool Channel_Open(ChannelData *channel, Memory *memory, int row);
void Channel_Put(ChannelData *channel, int row, int x, uint8_t value); /* of an open row */
void Channel_Close(ChannelData *channel, Memory *memory, int row);

/* Bulk: *out becomes old with the rows of the set `touched` (bit row & 63 of word row / 64) taken from `rows`, in a
 * block of exactly the size it needs. False: no memory. */
bool Channel_Rebuild(const ChannelData *old, const RowBytes rows[CHUNK_ROWS], const uint64_t touched[ROW_WORDS],
                     Memory *memory, ChannelData *out);

/* NULL when sound, or what is wrong. */
const char *Channel_Fault(const ChannelData *channel);

#endif
