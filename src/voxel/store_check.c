/* The whole-structure check: every rule that the rest of the room relies on. */
#include "voxel/store_internal.h"

#include <stdio.h>

static bool Cells_AreNormal(const uint8_t *m, const uint8_t *v, const uint8_t *w, int64_t *solid)
{
	for (int x = 0; x < CHUNK_SIZE; x++) {
		if (m[x] == MATERIAL_WATER || (m[x] == MATERIAL_AIR && v[x] != 0))
			return false;
		if (m[x] != MATERIAL_AIR && v[x] == 255 && w[x] != 0)
			return false;
		*solid += m[x] != MATERIAL_AIR;
	}
	return true;
}

/* Cell by cell. */
static bool Blocks_AreRight(const Chunk *chunk)
{
	uint64_t blocks = 0;
	for (int row = 0; row < CHUNK_ROWS; row++) {
		const uint8_t *m = Channel_Row(&chunk->channel[CHANNEL_MATERIAL], row);
		const uint8_t *w = Channel_Row(&chunk->channel[CHANNEL_WATER], row);
		int line = 4 * (row % CHUNK_SIZE / 8 + 4 * (row / CHUNK_SIZE / 8));
		for (int x = 0; x < CHUNK_SIZE; x++)
			blocks |= (uint64_t)((m[x] | w[x]) != 0) << (line + x / 8);
	}
	return blocks == chunk->blocks;
}

static const char *Chunk_Fault(const Chunk *chunk, int64_t *solid)
{
	for (int c = 0; c < CHANNEL_COUNT; c++) {
		const char *fault = Channel_Fault(&chunk->channel[c]);
		if (fault)
			return fault;
	}
	if (Chunk_IsEmpty(chunk))
		return "stored chunk of dry air";
	if (!Blocks_AreRight(chunk))
		return "blocks are not as the cells say";
	if (chunk->entry != ENTRY_NONE)
		return "left in a transaction";
	for (int row = 0; row < CHUNK_ROWS; row++)
		if (!Cells_AreNormal(Channel_Row(&chunk->channel[CHANNEL_MATERIAL], row),
		                     Channel_Row(&chunk->channel[CHANNEL_OCCUPANCY], row),
		                     Channel_Row(&chunk->channel[CHANNEL_WATER], row), solid))
			return "cell against the rules (air with matter, full with water, or the material water)";
	return NULL;
}

static bool Chunk_Follows(const Chunk *a, const Chunk *b)
{
	if (a->y != b->y)
		return a->y < b->y;
	return a->z != b->z ? a->z < b->z : a->x < b->x;
}

static const char *Store_PoolFault(const Store *store)
{
	int unused = 0;
	for (int slot = store->free_chunk; slot >= 0; slot = store->chunks.data[slot].entry)
		if (slot >= store->chunks.count || ++unused > store->chunks.count)
			return "bad list of unused chunks";
	if (store->order.count != store->map.count || store->order.count + unused != store->chunks.count)
		return "chunks lost between pool, map and order";
	for (int i = 0; i < store->order.count; i++) {
		int slot = store->order.data[i];
		const Chunk *chunk = &store->chunks.data[slot];
		if (CoordMap_Find(&store->map, chunk->x, chunk->y, chunk->z) != slot)
			return "map does not lead to the chunk";
		if (Store_FindChunk(store, (Cell){chunk->x, chunk->y, chunk->z}) != slot)
			return "grid does not lead to the chunk";
		if (i > 0 && !Chunk_Follows(&store->chunks.data[store->order.data[i - 1]], chunk))
			return "chunks out of order";
	}
	return NULL;
}

static const char *Store_GridFault(const Store *store)
{
	const ChunkGrid *grid = &store->grid;
	int64_t size = (int64_t)grid->nx * grid->ny * grid->nz;
	if (!grid->slots)
		return size == 0 ? NULL : "lost grid";
	for (int64_t i = 0; i < size; i++) {
		Cell at = {grid->lo.x + (int32_t)(i % grid->nx), grid->lo.y + (int32_t)(i / grid->nx / grid->nz),
		           grid->lo.z + (int32_t)(i / grid->nx % grid->nz)};
		if (grid->slots[i] != CoordMap_Find(&store->map, at.x, at.y, at.z))
			return "grid and map differ";
	}
	return NULL;
}

static const char *Store_JournalFault(const Store *store)
{
	uint64_t version = 0;
	if (store->journal.count > JOURNAL_LIMIT)
		return "journal too long";
	for (int i = 0; i < store->journal.count; i++) {
		if (store->journal.data[i].version <= version || !CellBox_IsValid(store->journal.data[i].box))
			return "bad journal entry";
		version = store->journal.data[i].version;
	}
	return version != store->version ? "journal does not end at the version" : NULL;
}

bool Store_Validate(const Store *store, char *why, size_t why_size)
{
	int64_t solid = 0;
	const char *fault = Store_PoolFault(store);
	if (!fault)
		fault = Store_GridFault(store);
	if (!fault)
		fault = Store_JournalFault(store);
	Cell at = {0, 0, 0};
	for (int i = 0; !fault && i < store->order.count; i++) {
		at = Store_ChunkAt(store, i);
		fault = Chunk_Fault(&store->chunks.data[store->order.data[i]], &solid);
	}
	if (!fault && solid != store->solid_cells)
		fault = "wrong count of solid cells";
	if (fault && why_size > 0)
		snprintf(why, why_size, "chunk (%d, %d, %d): %s", at.x, at.y, at.z, fault);
	return !fault;
}
