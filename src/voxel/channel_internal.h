/* One byte channel of a 32^3 chunk, private to the room.
 *
 * A channel is either one byte for all 32,768 cells, or a block of three parts: a directory, row headers, and bytes.
 *
 * - A row (index z + 32 * y) has a header of 16 bits. Below 256 it is the byte that fills the row; otherwise it is
 * where in the block the row's 32 bytes begin (so the third part begins at 256 or later).
 * - Headers stand in groups of 8 rows. Equal groups are kept once: the directory names the group of each 8 rows.
 * - Rows share bytes. A row is a run of equal bytes, a core, and another run; rows that differ only in where the core
 *   stands are windows into one strip. (All rows that change once from a to b lie in 31 a's and 31 b's.) Strips in turn
 *   overlap: one that begins with the byte that another ends with lies over its end.
 *
 * Bulk edits pack a channel like that, without slack. Single cells need a channel that is open: every group has headers
 * of its own (the directory is 0, 1, 2...), and behind strips of several rows there are slots of 32 bytes, each owned
 * by one row, which can be written. An open channel stays so until the next bulk edit; it is made anew (sharing what
 * can be shared, but open) only when slots run out or a fifth is waste.
 *
 * Canonical form, kept by every function here: no header stands for bytes that are all the same, and headers that all
 * hold the same byte collapse into the one-byte form. Equal contents thus have equal headers (but for the places).
 */
#ifndef SCREE_VOXEL_CHANNEL_INTERNAL_H
#define SCREE_VOXEL_CHANNEL_INTERNAL_H

#include "voxel/voxel.h"

#define CHUNK_ROWS (CHUNK_SIZE * CHUNK_SIZE)
#define CHUNK_CELLS (CHUNK_SIZE * CHUNK_SIZE * CHUNK_SIZE)
#define ROW_WORDS (CHUNK_ROWS / 64)
#define HEADER_SLOT 256
#define SLOT_NONE 0xFFFF
#define GROUP_ROWS 8 /* same y, neighbours along z */
#define GROUP_BYTES (GROUP_ROWS * 2)
#define CHUNK_GROUPS (CHUNK_ROWS / GROUP_ROWS)
#define SMALLEST_BLOCK (HEADER_SLOT + CHUNK_SIZE)

/* Places are counted in bytes from the block's beginning. */
typedef struct ChannelData {
	uint8_t *header;   /* the block: uint8_t[CHUNK_GROUPS], groups, rows. NULL: every cell is `uniform` */
	uint16_t rows;     /* where the rows' bytes begin; 0 without a block */
	uint16_t shared;   /* [rows, shared): bytes that no row owns */
	uint16_t used;     /* [shared, used): slots ever handed out */
	uint16_t capacity; /* [used, capacity): untouched */
	uint16_t unused;   /* first of the freed slots, a list through their first two bytes, or SLOT_NONE */
	uint16_t sharing;  /* rows that read shared bytes */
	uint16_t owning;   /* rows that have a slot */
	uint8_t uniform;   /* 0 when there is a block */
} ChannelData;

typedef uint8_t RowBytes[CHUNK_SIZE];

/* Row v is 32 times v: what uniform rows read from. */
extern const RowBytes uniform_rows[256];

static inline ChannelData Channel_Uniform(uint8_t value)
{
	return (ChannelData){.unused = SLOT_NONE, .uniform = value};
}

static inline bool Channel_IsAll(const ChannelData *channel, uint8_t value)
{
	return !channel->header && channel->uniform == value;
}

/* The headers of 8 rows; the channel has a block. */
static inline uint16_t *Channel_Group(const ChannelData *channel, int group)
{
	return (uint16_t *)(channel->header + CHUNK_GROUPS + GROUP_BYTES * channel->header[group]);
}

/* The row's header; for the one-byte form, the header that it would have. */
static inline uint16_t Channel_Header(const ChannelData *channel, int row)
{
	return channel->header ? Channel_Group(channel, row / GROUP_ROWS)[row % GROUP_ROWS] : channel->uniform;
}

/* The bytes that a header stands for. */
static inline uint8_t *Channel_Slot(const ChannelData *channel, uint16_t header)
{
	return channel->header + header;
}

static inline const uint8_t *Channel_Row(const ChannelData *channel, int row)
{
	uint16_t header = Channel_Header(channel, row);
	return header < HEADER_SLOT ? uniform_rows[header] : Channel_Slot(channel, header);
}

/* What stands in for the block of a channel of one byte: every row uniform 0. */
extern const uint16_t uniform_block[SMALLEST_BLOCK / 2];

/* One cell. Written without branches, which would be mispredicted as often as not: a channel of one byte goes through
 * uniform_block (`uniform` is 0 in all others), and a uniform row reads some byte of the block for nothing. */
static inline uint32_t Channel_At(const ChannelData *channel, int row, int x)
{
	uintptr_t none = -(uintptr_t)(channel->rows == 0);
	const uint8_t *block = (const uint8_t *)((uintptr_t)channel->header | ((uintptr_t)uniform_block & none));
	const uint16_t *group = (const uint16_t *)(block + CHUNK_GROUPS + GROUP_BYTES * block[row / GROUP_ROWS]);
	uint32_t header = group[row % GROUP_ROWS], byte = block[header + (uint32_t)x];
	uint32_t mixed = (uint32_t)((int32_t)(HEADER_SLOT - 1 - header) >> 31); /* all ones or none */
	return (byte & mixed) | (header & ~mixed) | channel->uniform;
}

static inline uint64_t Row_Word(const uint8_t *row, int i)
{
	uint64_t word;
	memcpy(&word, row + 8 * i, 8);
	return word;
}

static inline bool Row_IsUniform(const uint8_t *row)
{
	uint64_t want = row[0] * 0x0101010101010101u;
	return ((Row_Word(row, 0) ^ want) | (Row_Word(row, 1) ^ want) | (Row_Word(row, 2) ^ want) |
	        (Row_Word(row, 3) ^ want)) == 0;
}

static inline bool Row_IsSame(const uint8_t *a, const uint8_t *b)
{
	return ((Row_Word(a, 0) ^ Row_Word(b, 0)) | (Row_Word(a, 1) ^ Row_Word(b, 1)) | (Row_Word(a, 2) ^ Row_Word(b, 2)) |
	        (Row_Word(a, 3) ^ Row_Word(b, 3))) == 0;
}

size_t Channel_Bytes(const ChannelData *channel);
void Channel_Free(ChannelData *channel, Memory *memory);

/* Single cells: Open gives the row a slot without changing any cell (false: no memory, nothing changed), then the
 * caller Puts, then Close restores the canonical form, which never fails. */
bool Channel_Open(ChannelData *channel, Memory *memory, int row);
void Channel_Put(ChannelData *channel, int row, int x, uint8_t value); /* of an open row */
void Channel_Close(ChannelData *channel, Memory *memory, int row);

/* Bulk: *out becomes old with the rows of the set `touched` (bit row & 63 of word row / 64) taken from `rows`, in a
 * block of exactly the size it needs. False: no memory. */
bool Channel_Rebuild(const ChannelData *old, const RowBytes rows[CHUNK_ROWS], const uint64_t touched[ROW_WORDS],
                     Memory *memory, ChannelData *out);

/* NULL when sound, or what is wrong. */
const char *Channel_Fault(const ChannelData *channel);

/* ---- packing (channel_pack.c) ------------------------------------------------------------------------------- */

/* What a channel is to become. header: the byte of a uniform row, or HEADER_SLOT for one that reads bytes[row]. */
typedef struct RowList {
	const uint8_t *bytes[CHUNK_ROWS];
	uint16_t header[CHUNK_ROWS];
} RowList;

void RowList_Init(RowList *list, const ChannelData *channel); /* to what the channel holds */

/* The header of a list for these bytes. */
static inline uint16_t Row_Kind(const uint8_t *bytes)
{
	return Row_IsUniform(bytes) ? bytes[0] : HEADER_SLOT;
}

static inline void RowList_Set(RowList *list, int row, const uint8_t *bytes)
{
	list->bytes[row] = bytes;
	list->header[row] = Row_Kind(bytes);
}

/* Packs the list into a new block, or into the one-byte form if it is of one byte and not to be open. An open channel
 * gets groups of its own, and room for more slots. False: no memory. */
bool Channel_Pack(const RowList *list, bool open, Memory *memory, ChannelData *out);

#endif
