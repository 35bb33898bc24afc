/* Keeping records and colliders in step with the store: the journal says which boxes of cells changed, and exactly the
 * blocks that can see into them are looked at again. Small boxes are visited block by block, large ones by the chunks
 * and records that exist, so a box as large as the world costs what is in it, not its volume. */
#include "terrain/terrain_internal.h"

#include <limits.h>
#include <stdlib.h>

#define SMALL_VOLUME 512   /* blocks: up to here a box is visited block by block */
#define CHANGED_LIMIT 1024 /* boxes remembered for waking bodies; more are joined */
#define CHUNK_BLOCKS (CHUNK_SIZE / BLOCK_SIZE)

/* Blocks whose cells, grown by halo, meet the box. */
static CellBox BlocksSeeing(CellBox box, int halo)
{
	return BlocksOfCells((CellBox){{box.lo.x - halo, box.lo.y - halo, box.lo.z - halo},
	                               {box.hi.x + halo, box.hi.y + halo, box.hi.z + halo}});
}

static CellBox Intersect(CellBox a, CellBox b)
{
	return (CellBox){{Int_Max(a.lo.x, b.lo.x), Int_Max(a.lo.y, b.lo.y), Int_Max(a.lo.z, b.lo.z)},
	                 {Int_Min(a.hi.x, b.hi.x), Int_Min(a.hi.y, b.hi.y), Int_Min(a.hi.z, b.hi.z)}};
}

static bool IsSmall(CellBox box)
{
	double x = (double)box.hi.x - box.lo.x + 1, y = (double)box.hi.y - box.lo.y + 1,
	       z = (double)box.hi.z - box.lo.z + 1;
	return x * y * z <= SMALL_VOLUME;
}

/* ---- colliders ----------------------------------------------------------------------------------------------- */

static void Stale(Terrain *terrain, Collider *collider, bool kinds_only)
{
	if (kinds_only)
		Cache_DropKinds(terrain, collider);
	else
		Cache_Drop(terrain, collider);
}

static void DropColliders(Terrain *terrain, CellBox blocks, bool kinds_only)
{
	if (terrain->colliders == 0)
		return;
	if (!IsSmall(blocks)) {
		for (Collider *c = terrain->oldest, *next; c; c = next) {
			next = c->newer;
			if (CellBoxHolds(blocks, Record_Block(terrain, c->record)))
				Stale(terrain, c, kinds_only);
		}
		return;
	}
	for (int y = blocks.lo.y; y <= blocks.hi.y; y++)
		for (int z = blocks.lo.z; z <= blocks.hi.z; z++)
			for (int x = blocks.lo.x; x <= blocks.hi.x; x++) {
				int id = Record_Find(terrain, (Cell){x, y, z});
				const Record *record = id < 0 ? NULL : Record_At(terrain, id);
				if (record && record->collider)
					Stale(terrain, record->collider, kinds_only);
			}
}

/* ---- records ------------------------------------------------------------------------------------------------- */

/* Blocks to look at again, each once. */
typedef struct Dirty {
	CellList blocks;
	CoordMap seen;
} Dirty;

static bool MarkBlocks(Dirty *dirty, Memory *memory, CellBox blocks)
{
	for (int y = blocks.lo.y; y <= blocks.hi.y; y++)
		for (int z = blocks.lo.z; z <= blocks.hi.z; z++)
			for (int x = blocks.lo.x; x <= blocks.hi.x; x++) {
				if (CoordMap_Find(&dirty->seen, x, y, z) >= 0)
					continue;
				if (!CoordMap_Put(&dirty->seen, memory, x, y, z, 0) ||
				    !Array_Push(memory, dirty->blocks.items, ((Cell){x, y, z})))
					return false;
			}
	return true;
}

/* The blocks of a large range that have a record or that a chunk of the store may give one. */
static bool MarkByContents(const Terrain *terrain, Dirty *dirty, CellBox range)
{
	for (int id = Record_Next(terrain, -1); id >= 0; id = Record_Next(terrain, id)) {
		Cell block = Record_Block(terrain, id);
		if (CellBoxHolds(range, block) && !MarkBlocks(dirty, terrain->memory, (CellBox){block, block}))
			return false;
	}
	int chunks = Store_ChunkCount(terrain->store);
	for (int i = 0; i < chunks; i++) {
		Cell c = Store_ChunkAt(terrain->store, i);
		CellBox around = {{c.x * CHUNK_BLOCKS - 1, c.y * CHUNK_BLOCKS - 1, c.z * CHUNK_BLOCKS - 1},
		                  {(c.x + 1) * CHUNK_BLOCKS, (c.y + 1) * CHUNK_BLOCKS, (c.z + 1) * CHUNK_BLOCKS}};
		if (!MarkBlocks(dirty, terrain->memory, Intersect(range, around)))
			return false;
	}
	return true;
}

static bool MarkDirty(const Terrain *terrain, Dirty *dirty, CellBox range)
{
	return IsSmall(range) ? MarkBlocks(dirty, terrain->memory, range) : MarkByContents(terrain, dirty, range);
}

static bool OnRim(const Terrain *terrain, Cell block)
{
	return block.x == terrain->lo.x || block.y == terrain->lo.y || block.z == terrain->lo.z ||
	       block.x == terrain->hi.x || block.y == terrain->hi.y || block.z == terrain->hi.z;
}

static void FindBounds(Terrain *terrain)
{
	terrain->lo = (Cell){INT32_MAX, INT32_MAX, INT32_MAX};
	terrain->hi = (Cell){INT32_MIN, INT32_MIN, INT32_MIN};
	for (int id = Record_Next(terrain, -1); id >= 0; id = Record_Next(terrain, id)) {
		Cell b = Record_Block(terrain, id);
		terrain->lo = (Cell){Int_Min(terrain->lo.x, b.x), Int_Min(terrain->lo.y, b.y), Int_Min(terrain->lo.z, b.z)};
		terrain->hi = (Cell){Int_Max(terrain->hi.x, b.x), Int_Max(terrain->hi.y, b.y), Int_Max(terrain->hi.z, b.z)};
	}
}

static Cell GroupOf(Cell block)
{
	return (Cell){block.x >> GROUP_BITS, block.y >> GROUP_BITS, block.z >> GROUP_BITS};
}

/* By group, then by place in it: the order of the groups' arrays. */
static int DirtyOrder(const void *a, const void *b)
{
	Cell p = GroupOf(*(const Cell *)a), q = GroupOf(*(const Cell *)b);
	int order = Cell_Order(&p, &q);
	return order != 0 ? order : Cell_Order(a, b);
}

/* blocks: of one group, count of them. False: out of memory. */
static bool RemakeGroup(Terrain *terrain, const Cell *blocks, int count, bool *shrunk)
{
	CellBox box = {blocks[0], blocks[0]};
	for (int i = 1; i < count; i++) {
		Cell b = blocks[i];
		box.lo = (Cell){Int_Min(box.lo.x, b.x), Int_Min(box.lo.y, b.y), Int_Min(box.lo.z, b.z)};
		box.hi = (Cell){Int_Max(box.hi.x, b.x), Int_Max(box.hi.y, b.y), Int_Max(box.hi.z, b.z)};
	}
	bool any = RecordBatch_Read(terrain->batch, terrain, box), ok = true;
	for (int i = 0; ok && i < count; i++) {
		BlockBits fresh;
		if (any && RecordBatch_Bits(terrain->batch, blocks[i], &fresh)) {
			ok = Record_Put(terrain, &fresh);
		} else {
			int id = Record_Find(terrain, blocks[i]);
			if (id < 0)
				continue;
			Record_Remove(terrain, id);
			*shrunk |= OnRim(terrain, blocks[i]);
		}
	}
	Record_Fit(terrain, blocks[0]);
	return ok;
}

/* In a fixed order, so that the records' ids follow from the edits alone. */
static bool RemakeRecords(Terrain *terrain, Dirty *dirty)
{
	bool shrunk = false, ok = true;
	const Cell *blocks = dirty->blocks.items.data;
	int count = dirty->blocks.items.count;
	if (!terrain->batch && !(terrain->batch = Memory_Alloc(terrain->memory, RecordBatch_Bytes())))
		return false;
	if (count > 1)
		qsort(dirty->blocks.items.data, (size_t)count, sizeof(Cell), DirtyOrder);
	for (int first = 0, end; ok && first < count; first = end) {
		Cell group = GroupOf(blocks[first]), other = group;
		for (end = first + 1; end < count && (other = GroupOf(blocks[end]), Cell_Order(&other, &group) == 0);)
			end++;
		ok = RemakeGroup(terrain, blocks + first, end - first, &shrunk);
	}
	if (shrunk)
		FindBounds(terrain);
	return ok;
}

/* ---- what bodies must know ----------------------------------------------------------------------------------- */

/* The surface of a cell follows from the cells within SURFACE_HALO. */
static WorldBox ReachOf(const Terrain *terrain, CellBox box)
{
	double h = SURFACE_HALO, s = terrain->cell_size;
	return (WorldBox){{(box.lo.x - h) * s, (box.lo.y - h) * s, (box.lo.z - h) * s},
	                  {(box.hi.x + 1 + h) * s, (box.hi.y + 1 + h) * s, (box.hi.z + 1 + h) * s}};
}

/* Room was reserved. */
static void AddChanged(Terrain *terrain, WorldBox box)
{
	if (terrain->changed.count < CHANGED_LIMIT) {
		terrain->changed.data[terrain->changed.count++] = box;
		return;
	}
	WorldBox *last = &terrain->changed.data[CHANGED_LIMIT - 1];
	*last = WorldBoxUnion(*last, box);
}

/* All colliders go when a material's blockiness changed: it moves vertices. Records see bits only. */
static bool SyncMaterials(Terrain *terrain)
{
	if (terrain->material_version == terrain->materials->version)
		return true;
	uint16_t blockiness[MATERIAL_LIMIT];
	Terrain_Blockiness(terrain->materials, blockiness);
	if (memcmp(blockiness, terrain->blockiness, sizeof blockiness) != 0) {
		if (!Array_Reserve(terrain->memory, terrain->changed, Int_Min(terrain->changed.count + 1, CHANGED_LIMIT)))
			return false;
		memcpy(terrain->blockiness, blockiness, sizeof blockiness);
		while (terrain->oldest)
			Cache_Drop(terrain, terrain->oldest);
		if (terrain->record_count > 0 && terrain->materials->version != terrain->told_materials)
			AddChanged(terrain, ReachOf(terrain, CellsOfBlocks(terrain->lo, terrain->hi)));
	}
	terrain->material_version = terrain->materials->version;
	return true;
}

/* ---- sync ---------------------------------------------------------------------------------------------------- */

/* Stale colliders go first, so that a failure half-way leaves none that is wrong. */
static bool ApplyChanges(Terrain *terrain, const CellBox *boxes, int count)
{
	Dirty dirty = {0};
	bool ok = Array_Reserve(terrain->memory, terrain->changed, Int_Min(terrain->changed.count + count, CHANGED_LIMIT));
	for (int i = 0; ok && i < count; i++) {
		DropColliders(terrain, BlocksSeeing(boxes[i], SURFACE_HALO), false);
		DropColliders(terrain, BlocksSeeing(boxes[i], FLAG_HALO), true);
		ok = MarkDirty(terrain, &dirty, BlocksSeeing(boxes[i], RECORD_HALO));
	}
	ok = ok && RemakeRecords(terrain, &dirty);
	int news = Int_Min(Store_Changes(terrain->store, terrain->told, NULL, 0), count);
	for (int i = count - news; ok && i < count; i++)
		AddChanged(terrain, ReachOf(terrain, boxes[i]));
	CoordMap_Free(&dirty.seen, terrain->memory);
	Array_Free(terrain->memory, dirty.blocks.items);
	return ok;
}

int Terrain_Sync(Terrain *terrain, Error *error)
{
	if (!SyncMaterials(terrain))
		return Error_OutOfMemory(error);
	uint64_t version = Store_Version(terrain->store);
	if (version == terrain->version)
		return ERROR_NONE;
	int count = Store_Changes(terrain->store, terrain->version, NULL, 0);
	ARRAY(CellBox) boxes = {0};
	bool ok = Array_Resize(terrain->memory, boxes, count);
	if (ok) {
		Store_Changes(terrain->store, terrain->version, boxes.data, count);
		ok = ApplyChanges(terrain, boxes.data, count);
	}
	Array_Free(terrain->memory, boxes);
	if (!ok)
		return Error_OutOfMemory(error);
	terrain->version = version;
	GroupGrid_Fit(terrain);
	return ERROR_NONE;
}

int Terrain_ChangedCount(const Terrain *terrain)
{
	return terrain->changed.count;
}

WorldBox Terrain_ChangedBox(const Terrain *terrain, int i)
{
	return terrain->changed.data[i];
}

void Terrain_ClearChanged(Terrain *terrain)
{
	terrain->changed.count = 0;
}

bool Terrain_ReserveChanged(Terrain *terrain, int count)
{
	return Array_Reserve(terrain->memory, terrain->changed, count);
}

void Terrain_SetChanged(Terrain *terrain, const WorldBox *boxes, int count)
{
	SCREE_ASSERT(count <= terrain->changed.capacity);
	if (count > 0)
		memcpy(terrain->changed.data, boxes, sizeof(WorldBox) * (size_t)count);
	terrain->changed.count = count;
	terrain->told = Store_Version(terrain->store);
	terrain->told_materials = terrain->materials->version;
}
