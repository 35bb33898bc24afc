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
	return terrain;
}

void Terrain_Destroy(Terrain *terrain)
{
	if (!terrain)
		return;
	Memory *memory = terrain->memory;
	Cache_Free(terrain);
	Record_FreeAll(terrain);
	Memory_Free(memory, terrain->batch, terrain->batch ? RecordBatch_Bytes() : 0);
	Array_Free(memory, terrain->changed);
	Array_Free(memory, terrain->reached.items);
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
	stats.record_bytes = terrain->word_bytes + Array_Bytes(terrain->groups) + Array_Bytes(terrain->free_groups) +
	                     (size_t)terrain->group_at.capacity * sizeof(CoordMapSlot) +
	                     GroupGrid_Bytes(&terrain->group_grid);
	stats.bytes = sizeof *terrain + stats.mesh_bytes + stats.index_bytes + stats.record_bytes +
	              (terrain->batch ? RecordBatch_Bytes() : 0) + Array_Bytes(terrain->changed) +
	              Array_Bytes(terrain->reached.items) + Array_Bytes(terrain->pending) + Array_Bytes(terrain->scratch) +
	              (size_t)terrain->scratch.count * sizeof(ColliderScratch);
	return stats;
}

/* ---- validation ---------------------------------------------------------------------------------------------- */

static bool Differs(char *why, size_t why_size, const char *what, Cell block)
{
	snprintf(why, why_size, "block (%d, %d, %d): %s", (int)block.x, (int)block.y, (int)block.z, what);
	return false;
}

/* Is what the group keeps of the block what its cells make now? NULL, or what differs. */
static const char *CompareBits(const Group *group, int index, const BlockBits *fresh)
{
	const size_t size = sizeof fresh->mixed;
	const Record *record = Group_Record(group, index);
	bool mixed = Words_Any(fresh->mixed), water = Words_Any(fresh->water), solid_all = Words_All(fresh->solid);
	bool solid_some = Words_Any(fresh->solid) && !solid_all;
	if ((group->inside >> index & 1) != (fresh->tag == BLOCK_ALL_INSIDE) ||
	    (group->flooded >> index & 1) != (fresh->tag == BLOCK_ALL_WATER))
		return "its tag is wrong";
	if ((record != NULL) != mixed || (group->water >> index & 1) != water ||
	    (group->solid_all >> index & 1) != (solid_all && !mixed) ||
	    (group->solid_some >> index & 1) != (solid_some && !mixed) ||
	    (group->water_some >> index & 1) != (water && !Words_All(fresh->water)))
		return "its group has it wrong";
	if (memcmp(Group_Solid(group, index), fresh->solid, size) != 0 ||
	    memcmp(Group_Water(group, index), fresh->water, size) != 0)
		return "its bits are not what its cells make now";
	if (record &&
	    (memcmp(record->mixed, fresh->mixed, size) != 0 || record->quads != fresh->quads || record->listed ||
	     memcmp(record->mixed_lo, fresh->mixed_lo, 3) != 0 || memcmp(record->mixed_hi, fresh->mixed_hi, 3) != 0))
		return "its record is not what its cells make now";
	return NULL;
}

/* All but the links of the list and the pointer to the kinds. */
static bool SameCollider(const Collider *a, const Collider *b)
{
	return a->bytes == b->bytes && a->vertex_count == b->vertex_count && a->quad_count == b->quad_count &&
	       a->corner_at == b->corner_at && a->position_at == b->position_at && a->material_at == b->material_at &&
	       a->wide == b->wide && memcmp(a + 1, b + 1, a->bytes - sizeof *a) == 0;
}

static bool CheckCollider(const Terrain *terrain, int id, ColliderScratch *scratch, char *why, size_t why_size)
{
	const Collider *kept = Record_At(terrain, id)->collider;
	Cell block = Record_Block(terrain, id);
	if (kept->record != id || !kept->linked)
		return Differs(why, why_size, "its collider belongs to another record", block);
	Collider_Mesh(terrain, block, scratch);
	Collider *fresh = scratch->mesh.quad_count > 0 ? Collider_Make(terrain, scratch) : NULL;
	uint8_t *kinds = NULL;
	if (fresh && kept->kinds)
		kinds = Collider_MakeKinds(terrain, fresh, scratch);
	bool made = fresh && (kinds || !kept->kinds);
	bool same =
	    made && SameCollider(fresh, kept) && (!kinds || memcmp(kinds, kept->kinds, Collider_KindsBytes(fresh)) == 0);
	if (kinds)
		Memory_Free(terrain->memory, kinds, Collider_KindsBytes(fresh));
	if (fresh)
		Memory_Free(terrain->memory, fresh, fresh->bytes);
	return same || Differs(why, why_size, "its collider is not what its cells make now", block);
}

static bool CheckRecord(const Terrain *terrain, int id, ColliderScratch *scratch, char *why, size_t why_size)
{
	Cell block = Record_Block(terrain, id);
	const Record *record = Record_At(terrain, id);
	BlockBits fresh;
	if (Record_Find(terrain, block) != id)
		return Differs(why, why_size, "the map knows another record", block);
	if (!Record_Make(terrain, block, &fresh))
		return Differs(why, why_size, "a record where none is due", block);
	const char *fault = CompareBits(Record_Group(terrain, id), id % GROUP_BLOCKS, &fresh);
	if (fault)
		return Differs(why, why_size, fault, block);
	if (!CellBoxHolds((CellBox){terrain->lo, terrain->hi}, block))
		return Differs(why, why_size, "outside the bounds of all records", block);
	return !record || !record->collider || CheckCollider(terrain, id, scratch, why, why_size);
}

/* The words of a group must not name blocks of which nothing is known, nor more than its arrays hold. */
static bool CheckGroup(const Group *group, char *why, size_t why_size)
{
	uint64_t all = group->mixed | group->inside | group->solid_all | group->solid_some | group->water |
	               group->water_some | group->flooded;
	bool fits = __builtin_popcountll(group->mixed) <= group->capacity[0] &&
	            __builtin_popcountll(group->solid_some) <= group->capacity[1] &&
	            __builtin_popcountll(group->water_some) <= group->capacity[2];
	if (group->any == 0 && (all || group->capacity[0] || group->capacity[1] || group->capacity[2]))
		return Differs(why, why_size, "a free group holds something", Group_Block(group, 0));
	if (all != group->any || !fits)
		return Differs(why, why_size, "the words of its group do not agree", Group_Block(group, 0));
	return true;
}

/* Every group must be found in its place, and its blocks' bits by which rays walk. */
static bool CheckPlace(const Terrain *terrain, int i, char *why, size_t why_size)
{
	const Group *group = &terrain->groups.data[i];
	const GroupGrid *grid = &terrain->group_grid;
	for (int k = 0; k < GROUP_BLOCKS && group->any && grid->complete; k++) {
		size_t bit = GroupGrid_Bit(grid, Group_Block(group, k));
		if ((grid->bits[bit / 64] >> bit % 64 & 1) != ((group->mixed | group->inside) >> k & 1))
			return Differs(why, why_size, "rays do not find it", Group_Block(group, k));
	}
	if (group->any == 0 || (CoordMap_Find(&terrain->group_at, group->at.x, group->at.y, group->at.z) == i &&
	                        Group_FindPlace(terrain, group->at.x, group->at.y, group->at.z) == i))
		return true;
	return Differs(why, why_size, "its group is not found", Group_Block(group, 0));
}

/* The list by use names every collider once, and the books add up. */
static bool CheckBooks(const Terrain *terrain, char *why, size_t why_size)
{
	Cell nowhere = {0, 0, 0};
	int colliders = 0;
	int64_t triangles = 0;
	size_t mesh = 0, index = 0;
	const Collider *older = NULL;
	for (const Collider *c = terrain->oldest; c; older = c, c = c->newer) {
		if (c->older != older || ++colliders > terrain->colliders)
			return Differs(why, why_size, "the list of colliders is broken", nowhere);
		if (Record_At(terrain, c->record)->collider != c)
			return Differs(why, why_size, "a collider that its record does not know", Record_Block(terrain, c->record));
		triangles += 2 * c->quad_count;
		index += Collider_IndexBytes(c);
		mesh += c->bytes - Collider_IndexBytes(c) + (c->kinds ? Collider_KindsBytes(c) : 0);
	}
	bool ok = terrain->newest == older && colliders == terrain->colliders && triangles == terrain->triangles &&
	          mesh == terrain->mesh_bytes && index == terrain->index_bytes;
	return ok || Differs(why, why_size, "the books of the colliders are wrong", nowhere);
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
			BlockBits fresh;
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
	bool ok = CheckBooks(terrain, why, why_size);
	for (int i = 0; ok && i < terrain->groups.count; i++)
		ok = CheckGroup(&terrain->groups.data[i], why, why_size) && CheckPlace(terrain, i, why, why_size);
	for (int id = Record_Next(terrain, -1); ok && id >= 0; id = Record_Next(terrain, id)) {
		live++;
		ok = CheckRecord(terrain, id, scratch, why, why_size);
	}
	Memory_Free(terrain->memory, scratch, sizeof *scratch);
	if (ok && (live != terrain->record_count))
		return Differs(why, why_size, "the count of records is wrong", nowhere);
	return ok && CheckMissing(terrain, why, why_size);
}
