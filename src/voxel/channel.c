/* One byte channel of a chunk: see channel_internal.h for the layout. */
#include "voxel/channel_internal.h"

#define BYTES_8(v) v, v, v, v, v, v, v, v
#define ROW_1(v)                                                                                                       \
	{                                                                                                                  \
		BYTES_8(v), BYTES_8(v), BYTES_8(v), BYTES_8(v)                                                                 \
	}
#define ROWS_4(v) ROW_1(v), ROW_1((v) + 1), ROW_1((v) + 2), ROW_1((v) + 3)
#define ROWS_16(v) ROWS_4(v), ROWS_4((v) + 4), ROWS_4((v) + 8), ROWS_4((v) + 12)
#define ROWS_64(v) ROWS_16(v), ROWS_16((v) + 16), ROWS_16((v) + 32), ROWS_16((v) + 48)

const RowBytes uniform_rows[256] = {ROWS_64(0), ROWS_64(64), ROWS_64(128), ROWS_64(192)};

/* A channel opened for a single cell starts with this many rows, and grows by half. */
#define FIRST_ROWS 4

static size_t BlockBytes(int capacity)
{
	return CHUNK_ROWS * sizeof(uint16_t) + (size_t)capacity * CHUNK_SIZE;
}

size_t Channel_Bytes(const ChannelData *channel)
{
	return channel->header ? BlockBytes(channel->capacity) : 0;
}

void Channel_Free(ChannelData *channel, Memory *memory)
{
	Memory_Free(memory, channel->header, Channel_Bytes(channel));
	*channel = Channel_Uniform(0);
}

static bool Headers_AllSame(const uint16_t *header)
{
	return header[0] < HEADER_SLOT && memcmp(header, header + 1, (CHUNK_ROWS - 1) * sizeof(uint16_t)) == 0;
}

/* ---- single cells ------------------------------------------------------------------------------------------- */

static bool Block_Start(ChannelData *channel, Memory *memory)
{
	uint16_t *header = Memory_Alloc(memory, BlockBytes(FIRST_ROWS));
	if (!header)
		return false;
	for (int row = 0; row < CHUNK_ROWS; row++)
		header[row] = channel->uniform;
	channel->header = header;
	channel->capacity = FIRST_ROWS;
	channel->used = channel->live = 0;
	channel->unused = SLOT_NONE;
	return true;
}

static bool Block_Grow(ChannelData *channel, Memory *memory)
{
	int more = Int_Max(FIRST_ROWS, channel->capacity / 2);
	int capacity = Int_Min(CHUNK_ROWS, channel->capacity + more);
	uint16_t *header = Memory_Resize(memory, channel->header, BlockBytes(channel->capacity), BlockBytes(capacity));
	if (!header)
		return false;
	channel->header = header;
	channel->capacity = (uint16_t)capacity;
	return true;
}

bool Channel_Open(ChannelData *channel, Memory *memory, int row)
{
	if (!channel->header && !Block_Start(channel, memory))
		return false;
	uint16_t value = channel->header[row];
	if (value >= HEADER_SLOT)
		return true;
	if (channel->unused == SLOT_NONE && channel->used == channel->capacity && !Block_Grow(channel, memory))
		return false;
	uint16_t slot = channel->unused;
	RowBytes *payload = Channel_Payload(channel);
	if (slot != SLOT_NONE)
		memcpy(&channel->unused, payload[slot], sizeof(channel->unused));
	else
		slot = channel->used++;
	memset(payload[slot], value, CHUNK_SIZE);
	channel->header[row] = (uint16_t)(HEADER_SLOT + slot);
	channel->live++;
	return true;
}

void Channel_Put(ChannelData *channel, int row, int x, uint8_t value)
{
	Channel_Payload(channel)[channel->header[row] - HEADER_SLOT][x] = value;
}

/* Moves the live rows together and gives the rest of the block back. Keeps the block when the heap will not shrink it.
 */
static void Block_Compact(ChannelData *channel, Memory *memory)
{
	uint16_t row_of[CHUNK_ROWS];
	memset(row_of, 0xFF, sizeof(row_of));
	for (int row = 0; row < CHUNK_ROWS; row++)
		if (channel->header[row] >= HEADER_SLOT)
			row_of[channel->header[row] - HEADER_SLOT] = (uint16_t)row;
	RowBytes *payload = Channel_Payload(channel);
	int to = 0;
	for (int from = 0; from < channel->used; from++) {
		if (row_of[from] == SLOT_NONE)
			continue;
		if (to != from)
			memcpy(payload[to], payload[from], CHUNK_SIZE);
		channel->header[row_of[from]] = (uint16_t)(HEADER_SLOT + to++);
	}
	channel->used = channel->live = (uint16_t)to;
	channel->unused = SLOT_NONE;
	uint16_t *header = Memory_Resize(memory, channel->header, BlockBytes(channel->capacity), BlockBytes(to));
	if (!header)
		return;
	channel->header = header;
	channel->capacity = (uint16_t)to;
}

void Channel_Close(ChannelData *channel, Memory *memory, int row)
{
	if (!channel->header)
		return;
	uint16_t header = channel->header[row];
	if (header >= HEADER_SLOT) {
		uint8_t *bytes = Channel_Payload(channel)[header - HEADER_SLOT];
		if (!Row_IsUniform(bytes))
			return;
		channel->header[row] = bytes[0];
		memcpy(bytes, &channel->unused, sizeof(channel->unused));
		channel->unused = (uint16_t)(header - HEADER_SLOT);
		channel->live--;
	}
	if (channel->live == 0 && Headers_AllSame(channel->header)) {
		uint8_t value = (uint8_t)channel->header[0];
		Channel_Free(channel, memory);
		channel->uniform = value;
	} else if (channel->used - channel->live > channel->used / 4 + FIRST_ROWS) {
		Block_Compact(channel, memory);
	}
}

/* ---- bulk --------------------------------------------------------------------------------------------------- */

static bool IsTouched(const uint64_t touched[ROW_WORDS], int row)
{
	return touched[row / 64] >> (row & 63) & 1;
}

bool Channel_Rebuild(const ChannelData *old, const RowBytes rows[CHUNK_ROWS], const uint64_t touched[ROW_WORDS],
                     Memory *memory, ChannelData *out)
{
	uint16_t header[CHUNK_ROWS];
	int live = 0;
	for (int row = 0; row < CHUNK_ROWS; row++) {
		uint16_t value;
		if (IsTouched(touched, row))
			value = Row_IsUniform(rows[row]) ? rows[row][0] : HEADER_SLOT;
		else
			value = Channel_Header(old, row);
		header[row] = value < HEADER_SLOT ? value : (uint16_t)(HEADER_SLOT + live++);
	}
	if (live == 0 && Headers_AllSame(header)) {
		*out = Channel_Uniform((uint8_t)header[0]);
		return true;
	}
	uint16_t *block = Memory_Alloc(memory, BlockBytes(live));
	if (!block)
		return false;
	memcpy(block, header, sizeof(header));
	*out = (ChannelData){block, (uint16_t)live, (uint16_t)live, (uint16_t)live, SLOT_NONE, 0};
	RowBytes *payload = Channel_Payload(out);
	for (int row = 0; row < CHUNK_ROWS; row++)
		if (header[row] >= HEADER_SLOT)
			memcpy(payload[header[row] - HEADER_SLOT], IsTouched(touched, row) ? rows[row] : Channel_Row(old, row),
			       CHUNK_SIZE);
	return true;
}

/* ---- check -------------------------------------------------------------------------------------------------- */

const char *Channel_Fault(const ChannelData *channel)
{
	if (!channel->header)
		return NULL;
	uint8_t taken[CHUNK_ROWS] = {0};
	int live = 0, freed = 0;
	if (channel->used > channel->capacity || channel->capacity > CHUNK_ROWS)
		return "slot counts out of range";
	for (int row = 0; row < CHUNK_ROWS; row++) {
		int slot = channel->header[row] - HEADER_SLOT;
		if (slot < 0)
			continue;
		if (slot >= channel->used)
			return "row header beyond the payload";
		if (taken[slot]++)
			return "two rows share a slot";
		if (Row_IsUniform(Channel_Payload(channel)[slot]))
			return "uniform row kept in the payload";
		live++;
	}
	if (live != channel->live)
		return "wrong count of live slots";
	uint16_t slot = channel->unused;
	while (slot != SLOT_NONE) {
		if (slot >= channel->used || taken[slot]++)
			return "bad list of freed slots";
		freed++;
		memcpy(&slot, Channel_Payload(channel)[slot], sizeof(slot));
	}
	if (live + freed != channel->used)
		return "lost slots";
	if (Headers_AllSame(channel->header))
		return "uniform channel not collapsed";
	return NULL;
}
