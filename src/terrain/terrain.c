/* The terrain as a whole: its birth and end, its books, and the check that everything kept equals everything made anew.
 */
#include "terrain/terrain_internal.h"

#include <stdio.h>
#include <stdlib.h>

void Terrain_Blockiness(const MaterialTable *materials, uint16_t blockiness[MATERIAL_LIMIT])
{
	memset(blockiness, 0, MATERIAL_LIMIT * sizeof *blockiness);
	for (int i = 0; i < materials->count; i++)
		blockiness[i] = (uint16_t)(Clamp(materials->items[i].blockiness, 0.0f, 1.0f) * 256.0f + 0.5f);
}

Terrain *Terrain_Create(Memory *memory, const Store *store, const MaterialTable *materials, double cell_size,
                        Narrowphase narrowphase)
{
	Terrain *terrain = Memory_AllocZero(memory, sizeof *terrain);
	if (!terrain)
		return NULL;
	terrain->memory = memory;
	terrain->store = store;
	terrain->materials = materials;
	terrain->cell_size = cell_size;
	terrain->cells_per_metre = 1.0 / cell_size;
	terrain->narrowphase = narrowphase;
	terrain->simd = Cpu_Simd();
	terrain->material_version = materials->version;
	Terrain_Blockiness(materials, terrain->blockiness);
	terrain->lo = (Cell){INT32_MAX, INT32_MAX, INT32_MAX};
	terrain->hi = (Cell){INT32_MIN, INT32_MIN, INT32_MIN};
	terrain->free_slot = terrain->oldest = terrain->newest = -1;
	return terrain;
}

void Terrain_Destroy(Terrain *terrain)
{
	if (!terrain)
		return;
	Memory *memory = terrain->memory;
	Cache_Free(terrain);
	Array_Free(memory, terrain->records);
	Array_Free(memory, terrain->free_records);
	Array_Free(memory, terrain->groups);
	CoordMap_Free(&terrain->group_at, memory);
	Array_Free(memory, terrain->changed);
	Memory_Free(memory, terrain, sizeof *terrain);
}

double Terrain_CellSize(const Terrain *terrain)
{
	return terrain->cell_size;
}

/* ---- books --------------------------------------------------------------------------------------------------- */

#define Array_Bytes(array) ((size_t)(array).capacity * sizeof(*(array).data))

TerrainStats Terrain_Stats(const Terrain *terrain)
{
	TerrainStats stats = {.records = terrain->record_count,
	                      .colliders = terrain->colliders,
	                      .triangles = terrain->triangles,
	                      .mesh_bytes = terrain->mesh_bytes,
	                      .index_bytes = terrain->index_bytes,
	                      .built = terrain->built,
	                      .evicted = terrain->evicted};
	stats.record_bytes = Array_Bytes(terrain->records) + Array_Bytes(terrain->free_records) +
	                     Array_Bytes(terrain->groups) + (size_t)terrain->group_at.capacity * sizeof(CoordMapSlot);
	stats.bytes = sizeof *terrain + stats.mesh_bytes + stats.index_bytes + stats.record_bytes +
	              Array_Bytes(terrain->changed) + Array_Bytes(terrain->slots) + Array_Bytes(terrain->pending) +
	              Array_Bytes(terrain->scratch) + (size_t)terrain->scratch.count * sizeof(ColliderScratch);
	return stats;
}

/* ---- validation ---------------------------------------------------------------------------------------------- */

static bool Differs(char *why, size_t why_size, const char *what, Cell block)
{
	snprintf(why, why_size, "block (%d, %d, %d): %s", (int)block.x, (int)block.y, (int)block.z, what);
	return false;
}

static bool SameRecord(const Record *a, const Record *b)
{
	return memcmp(a->solid, b->solid, sizeof a->solid) == 0 && memcmp(a->water, b->water, sizeof a->water) == 0 &&
	       memcmp(a->mixed, b->mixed, sizeof a->mixed) == 0 && Cell_Order(&a->block, &b->block) == 0 &&
	       a->quads == b->quads && a->tag == b->tag && memcmp(a->mixed_lo, b->mixed_lo, sizeof a->mixed_lo) == 0 &&
	       memcmp(a->mixed_hi, b->mixed_hi, sizeof a->mixed_hi) == 0;
}

static bool CheckCollider(const Terrain *terrain, const Record *record, int index, ColliderScratch *scratch, char *why,
                          size_t why_size)
{
	const ColliderSlot *slot = &terrain->slots.data[record->slot];
	if (slot->record != index || !record->collider)
		return Differs(why, why_size, "its collider's slot belongs to another record", record->block);
	Collider_Mesh(terrain, record->block, scratch);
	Collider *fresh = Collider_Make(terrain, scratch);
	uint16_t *kinds = NULL;
	if (fresh && slot->kinds)
		kinds = Collider_MakeKinds(terrain, fresh, scratch);
	bool made = fresh && (kinds || !slot->kinds);
	bool same = made && fresh->bytes == record->collider->bytes && memcmp(fresh, record->collider, fresh->bytes) == 0;
	if (same && kinds)
		same = memcmp(kinds, slot->kinds, Collider_KindsBytes(fresh)) == 0;
	if (kinds)
		Memory_Free(terrain->memory, kinds, Collider_KindsBytes(fresh));
	if (fresh)
		Memory_Free(terrain->memory, fresh, fresh->bytes);
	if (!made)
		return Differs(why, why_size, "out of memory", record->block);
	return same || Differs(why, why_size, "its collider is not what its cells make now", record->block);
}

static bool CheckRecord(const Terrain *terrain, int index, ColliderScratch *scratch, char *why, size_t why_size)
{
	const Record *record = &terrain->records.data[index];
	Record fresh;
	if (Record_Find(terrain, record->block) != index)
		return Differs(why, why_size, "the map knows another record", record->block);
	if (!Record_Make(terrain, record->block, &fresh))
		return Differs(why, why_size, "a record where none is due", record->block);
	if (!SameRecord(record, &fresh))
		return Differs(why, why_size, "its record is not what its cells make now", record->block);
	if (!CellBoxHolds((CellBox){terrain->lo, terrain->hi}, record->block))
		return Differs(why, why_size, "outside the bounds of all records", record->block);
	const Group *group = Group_Find(terrain, record->block.x >> GROUP_BITS, record->block.y >> GROUP_BITS,
	                                record->block.z >> GROUP_BITS);
	uint64_t bit = Group_Bit(record->block);
	if (!group || !(group->any & bit) || !(group->mixed & bit) == Words_Any(record->mixed) ||
	    !(group->water & bit) == Words_Any(record->water))
		return Differs(why, why_size, "its group has it wrong", record->block);
	return record->slot < 0 || CheckCollider(terrain, record, index, scratch, why, why_size);
}

/* Every chunk's blocks and those around it: the only ones that can need a record. */
static bool CheckMissing(const Terrain *terrain, char *why, size_t why_size)
{
	const int side = CHUNK_SIZE / BLOCK_SIZE;
	int chunks = Store_ChunkCount(terrain->store);
	for (int i = 0; i < chunks; i++) {
		Cell c = Store_ChunkAt(terrain->store, i);
		for (int j = 0; j < (side + 2) * (side + 2) * (side + 2); j++) {
			Cell block = {c.x * side - 1 + j % (side + 2), c.y * side - 1 + j / (side + 2) / (side + 2),
			              c.z * side - 1 + j / (side + 2) % (side + 2)};
			Record fresh;
			if (Record_Find(terrain, block) < 0 && Record_Make(terrain, block, &fresh))
				return Differs(why, why_size, "no record where one is due", block);
		}
	}
	return true;
}

bool Terrain_Validate(Terrain *terrain, char *why, size_t why_size)
{
	Cell nowhere = {0, 0, 0};
	if (terrain->version != Store_Version(terrain->store))
		return Differs(why, why_size, "behind the store", nowhere);
	ColliderScratch *scratch = Memory_Alloc(terrain->memory, sizeof *scratch);
	if (!scratch)
		return Differs(why, why_size, "out of memory", nowhere);
	int live = 0;
	bool ok = true;
	for (int i = 0; ok && i < terrain->records.count; i++) {
		live += terrain->records.data[i].live;
		ok = !terrain->records.data[i].live || CheckRecord(terrain, i, scratch, why, why_size);
	}
	Memory_Free(terrain->memory, scratch, sizeof *scratch);
	if (ok && (live != terrain->record_count))
		return Differs(why, why_size, "the count of records is wrong", nowhere);
	return ok && CheckMissing(terrain, why, why_size);
}
