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
const uint16_t uniform_block[SMALLEST_BLOCK / 2] = {0};

size_t Channel_Bytes(const ChannelData *channel)
{
	return channel->header ? channel->capacity : 0;
}

void Channel_Free(ChannelData *channel, Memory *memory)
{
	Memory_Free(memory, channel->header, Channel_Bytes(channel));
	*channel = Channel_Uniform(0);
}

/* ---- single cells ------------------------------------------------------------------------------------------- */

static bool Channel_IsOpen(const ChannelData *channel)
{
	return channel->rows == CHUNK_GROUPS * (1 + GROUP_BYTES);
}

/* Packed anew, with room for more slots. False: no memory, and the channel is as it was. */
static bool Channel_Reopen(ChannelData *channel, Memory *memory)
{
	RowList list;
	RowList_Init(&list, channel);
	ChannelData fresh;
	if (!Channel_Pack(&list, true, memory, &fresh))
		return false;
	Channel_Free(channel, memory);
	*channel = fresh;
	return true;
}

static bool Header_IsOwned(const ChannelData *channel, uint16_t header)
{
	return header >= HEADER_SLOT && header >= channel->shared;
}

bool Channel_Open(ChannelData *channel, Memory *memory, int row)
{
	bool open = channel->header && Channel_IsOpen(channel);
	if (open && Header_IsOwned(channel, Channel_Header(channel, row)))
		return true;
	bool room = channel->unused != SLOT_NONE || channel->used < channel->capacity;
	if ((!open || !room) && !Channel_Reopen(channel, memory))
		return false;
	uint16_t *header = &Channel_Group(channel, row / GROUP_ROWS)[row % GROUP_ROWS];
	if (Header_IsOwned(channel, *header))
		return true;
	uint16_t slot = channel->unused;
	if (slot != SLOT_NONE) {
		memcpy(&channel->unused, channel->header + slot, sizeof(channel->unused));
	} else {
		slot = channel->used;
		channel->used += CHUNK_SIZE;
	}
	memcpy(channel->header + slot, Channel_Row(channel, row), CHUNK_SIZE);
	channel->sharing -= *header >= HEADER_SLOT;
	channel->owning++;
	*header = slot;
	return true;
}

void Channel_Put(ChannelData *channel, int row, int x, uint8_t value)
{
	Channel_Slot(channel, Channel_Header(channel, row))[x] = value;
}

/* Freed slots, and what at least is dead of the shared bytes. */
static int Channel_Waste(const ChannelData *channel)
{
	int freed = channel->used - channel->shared - CHUNK_SIZE * channel->owning;
	return freed + Int_Max(0, channel->shared - channel->rows - CHUNK_SIZE * channel->sharing);
}

/* Without payload: do all headers hold the same byte? */
static bool Headers_AllSame(const ChannelData *channel)
{
	const uint16_t *first = Channel_Group(channel, channel->header[0]);
	for (int group = 0; group < CHUNK_GROUPS; group++) {
		const uint16_t *header = Channel_Group(channel, group);
		for (int i = 0; i < GROUP_ROWS; i++)
			if (header[i] != first[0])
				return false;
	}
	return true;
}

void Channel_Close(ChannelData *channel, Memory *memory, int row)
{
	if (!channel->header || !Channel_IsOpen(channel))
		return;
	uint16_t *header = &Channel_Group(channel, row / GROUP_ROWS)[row % GROUP_ROWS];
	if (Header_IsOwned(channel, *header)) {
		uint8_t *bytes = Channel_Slot(channel, *header);
		if (Row_IsUniform(bytes)) {
			uint8_t value = bytes[0];
			memcpy(bytes, &channel->unused, sizeof(channel->unused));
			channel->unused = *header;
			channel->owning--;
			*header = value;
		}
	}
	if (channel->owning == 0 && channel->sharing == 0 && Headers_AllSame(channel)) {
		uint8_t value = (uint8_t)*header;
		Channel_Free(channel, memory);
		channel->uniform = value;
	} else if (Channel_Waste(channel) > (channel->used - channel->rows) / 4 + 4 * CHUNK_SIZE) {
		Channel_Reopen(channel, memory); /* when it fails the waste stays */
	}
}

/* ---- bulk --------------------------------------------------------------------------------------------------- */

bool Channel_Rebuild(const ChannelData *old, const RowBytes rows[CHUNK_ROWS], const uint64_t touched[ROW_WORDS],
                     Memory *memory, ChannelData *out)
{
	RowList list;
	RowList_Init(&list, old);
	for (int row = 0; row < CHUNK_ROWS; row++)
		if (touched[row / 64] >> (row & 63) & 1)
			RowList_Set(&list, row, rows[row]);
	return Channel_Pack(&list, false, memory, out);
}

/* ---- check -------------------------------------------------------------------------------------------------- */

static const char *Layout_Fault(const ChannelData *channel)
{
	int groups = (channel->rows - CHUNK_GROUPS) / GROUP_BYTES;
	if (channel->rows < HEADER_SLOT || channel->rows % GROUP_BYTES != 0 || groups > CHUNK_GROUPS)
		return "rows begin at no group";
	if (channel->capacity < SMALLEST_BLOCK)
		return "block too small";
	for (int group = 0; group < CHUNK_GROUPS; group++)
		if (channel->header[group] >= groups || (groups == CHUNK_GROUPS && channel->header[group] != group))
			return "bad directory of groups";
	if (channel->rows > channel->shared || channel->shared > channel->used || channel->used > channel->capacity ||
	    (channel->used - channel->shared) % CHUNK_SIZE != 0)
		return "slot counts out of range";
	if (groups < CHUNK_GROUPS && (channel->shared != channel->used || channel->unused != SLOT_NONE))
		return "slots in a packed channel";
	return NULL;
}

const char *Channel_Fault(const ChannelData *channel)
{
	if (!channel->header)
		return NULL;
	const char *fault = Layout_Fault(channel);
	if (fault)
		return fault;
	if (channel->uniform != 0)
		return "a uniform byte beside a block";
	uint8_t taken[UINT16_MAX / CHUNK_SIZE + 1] = {0}; /* by slot */
	int owning = 0, sharing = 0, freed = 0;
	for (int row = 0; row < CHUNK_ROWS; row++) {
		int at = Channel_Header(channel, row), slot = (at - channel->shared) / CHUNK_SIZE;
		if (at < HEADER_SLOT)
			continue;
		bool shared = at >= channel->rows && at + CHUNK_SIZE <= channel->shared;
		if (!shared && (at < channel->shared || at + CHUNK_SIZE > channel->used))
			return "row header beyond the payload";
		if (!shared && ((at - channel->shared) % CHUNK_SIZE != 0 || taken[slot]++))
			return "two rows share a slot";
		if (Row_IsUniform(Channel_Row(channel, row)))
			return "uniform row kept in the payload";
		sharing += shared;
		owning += !shared;
	}
	if (owning != channel->owning || sharing != channel->sharing)
		return "wrong count of live slots";
	for (uint16_t at = channel->unused; at != SLOT_NONE; freed++) {
		if (at < channel->shared || at >= channel->used || taken[(at - channel->shared) / CHUNK_SIZE]++)
			return "bad list of freed slots";
		memcpy(&at, channel->header + at, sizeof(at));
	}
	if (channel->shared + (owning + freed) * CHUNK_SIZE != channel->used)
		return "lost slots";
	if (owning + sharing == 0 && Headers_AllSame(channel))
		return "uniform channel not collapsed";
	return NULL;
}
