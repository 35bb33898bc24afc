/* Chunks that were read, checked and staged in a transaction. */
#include "voxel/rle_internal.h"

#include <stdlib.h>

typedef struct CreatedChunk {
	int32_t y, z, x, slot;
} CreatedChunk;

static int Created_Compare(const void *a, const void *b)
{
	const CreatedChunk *p = a, *q = b;
	if (p->y != q->y)
		return p->y < q->y ? -1 : 1;
	if (p->z != q->z)
		return p->z < q->z ? -1 : 1;
	return p->x < q->x ? -1 : p->x > q->x;
}

bool Batch_SortCreated(Batch *batch)
{
	size_t count = (size_t)batch->created.count, bytes = count * sizeof(CreatedChunk);
	CreatedChunk *list = Memory_Alloc(&batch->store->memory, bytes);
	if (count > 0 && !list)
		return false;
	for (size_t i = 0; i < count; i++) {
		const Chunk *chunk = &batch->store->chunks.data[batch->created.data[i]];
		list[i] = (CreatedChunk){chunk->y, chunk->z, chunk->x, batch->created.data[i]};
	}
	if (count > 0)
		qsort(list, count, sizeof(*list), Created_Compare);
	for (size_t i = 0; i < count; i++)
		batch->created.data[i] = list[i].slot;
	Memory_Free(&batch->store->memory, list, bytes);
	return true;
}

bool Batch_StageChunk(Batch *batch, const RleChunk *chunk)
{
	static const uint64_t all[ROW_WORDS] = {
	    UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX,
	    UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX,
	};
	Memory *memory = &batch->store->memory;
	const ChannelData air = Channel_Uniform(0);
	ChannelData fresh[CHANNEL_COUNT];
	for (int c = 0; c < CHANNEL_COUNT; c++) {
		fresh[c] = Channel_Uniform(chunk->value[c]);
		if (chunk->uniform[c] || Channel_Rebuild(&air, (const RowBytes *)chunk->rows[c], all, memory, &fresh[c]))
			continue;
		while (--c >= 0)
			Channel_Free(&fresh[c], memory);
		return false;
	}
	return Batch_Stage(batch, chunk->at, 7, fresh);
}

static uint8_t At(const RleChunk *chunk, Channel channel, int row, int x)
{
	return chunk->uniform[channel] ? chunk->value[channel] : chunk->rows[channel][row][x];
}

/* Reading leaves full cells dry unless the whole chunk is said to be wet. */
static bool HasWetFull(const RleChunk *chunk)
{
	if (!chunk->uniform[CHANNEL_WATER] || chunk->value[CHANNEL_WATER] == 0)
		return false;
	for (int row = 0; row < CHUNK_ROWS; row++)
		for (int x = 0; x < CHUNK_SIZE; x++)
			if (At(chunk, CHANNEL_OCCUPANCY, row, x) == 255)
				return true;
	return false;
}

static bool ReachesOut(const RleChunk *chunk)
{
	CellBox box = Chunk_Box(chunk->at), inside = CellBox_Intersect(box, CellBox_World());
	if (CellBox_Contains(inside, box))
		return false;
	for (int row = 0; row < CHUNK_ROWS; row++)
		for (int x = 0; x < CHUNK_SIZE; x++) {
			Cell cell = {box.lo.x + x, box.lo.y + row / CHUNK_SIZE, box.lo.z + row % CHUNK_SIZE};
			if (!CellBox_Contains(inside, (CellBox){cell, cell}) &&
			    (At(chunk, CHANNEL_MATERIAL, row, x) || At(chunk, CHANNEL_WATER, row, x)))
				return true;
		}
	return false;
}

const char *RleChunk_Fault(const RleChunk *chunk)
{
	if (chunk->uniform[CHANNEL_MATERIAL] && chunk->value[CHANNEL_MATERIAL] == MATERIAL_AIR &&
	    chunk->uniform[CHANNEL_WATER] && chunk->value[CHANNEL_WATER] == 0)
		return "an empty chunk";
	if (HasWetFull(chunk))
		return "water in full cells";
	return ReachesOut(chunk) ? "cells beyond the limit" : NULL;
}
