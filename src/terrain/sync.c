/* Keeping records and colliders in step with the store: the journal says which boxes of cells changed, and exactly the
 * blocks that can see into them are looked at again. Small boxes are visited block by block, large ones by the chunks
 * and records that exist, so a box as large as the world costs what is in it, not its volume. */
#include "terrain/terrain_internal.h"

#include <limits.h>
#include <stdlib.h>

#define SMALL_VOLUME 512   /* blocks: up to here a box's colliders are looked for block by block */
#define FEW_GROUPS 64      /* up to so many a box is visited group by group, and as many more as there are */
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

/* Blocks to look at again, by group: a world of ten million chunks has 640 million of them. */
typedef struct DirtyGroup {
	Cell at;
	uint64_t blocks;
} DirtyGroup;

typedef struct Dirty {
	ARRAY(DirtyGroup) groups;
	CoordMap place; /* of a group in the array */
} Dirty;

static Cell GroupOf(Cell block)
{
	return (Cell){block.x >> GROUP_BITS, block.y >> GROUP_BITS, block.z >> GROUP_BITS};
}

static CellBox BlocksOfGroup(Cell at)
{
	return (CellBox){BlockOfGroup(at, 0), BlockOfGroup(at, GROUP_BLOCKS - 1)};
}

/* Bits of the blocks of one group that lie in the box. */
static uint64_t GroupBits(Cell at, CellBox blocks)
{
	CellBox own = Intersect(BlocksOfGroup(at), blocks);
	uint64_t bits = 0;
	for (int y = own.lo.y; y <= own.hi.y; y++)
		for (int z = own.lo.z; z <= own.hi.z; z++)
			for (int x = own.lo.x; x <= own.hi.x; x++)
				bits |= Group_Bit((Cell){x, y, z});
	return bits;
}

static bool MarkGroup(Dirty *dirty, Memory *memory, Cell at, uint64_t blocks)
{
	int place = CoordMap_Find(&dirty->place, at.x, at.y, at.z);
	if (place >= 0) {
		dirty->groups.data[place].blocks |= blocks;
		return true;
	}
	return Array_Push(memory, dirty->groups, ((DirtyGroup){at, blocks})) &&
	       CoordMap_Put(&dirty->place, memory, at.x, at.y, at.z, dirty->groups.count - 1);
}

static bool MarkBlocks(Dirty *dirty, Memory *memory, CellBox blocks)
{
	if (blocks.lo.x > blocks.hi.x || blocks.lo.y > blocks.hi.y || blocks.lo.z > blocks.hi.z)
		return true;
	Cell lo = GroupOf(blocks.lo), hi = GroupOf(blocks.hi), at;
	for (at.y = lo.y; at.y <= hi.y; at.y++)
		for (at.z = lo.z; at.z <= hi.z; at.z++)
			for (at.x = lo.x; at.x <= hi.x; at.x++)
				if (!MarkGroup(dirty, memory, at, GroupBits(at, blocks)))
					return false;
	return true;
}

/* The blocks of a large range that have a record or that a chunk of the store may give one. */
static bool MarkByContents(const Terrain *terrain, Dirty *dirty, CellBox range)
{
	for (int i = 0; i < terrain->groups.count; i++) {
		const Group *group = &terrain->groups.data[i];
		uint64_t blocks = group->any ? group->any & GroupBits(group->at, range) : 0;
		if (blocks && !MarkGroup(dirty, terrain->memory, group->at, blocks))
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

/* By place or by contents, whichever are fewer. */
static bool MarkDirty(const Terrain *terrain, Dirty *dirty, CellBox range)
{
	Cell lo = GroupOf(range.lo), hi = GroupOf(range.hi);
	double places = ((double)hi.x - lo.x + 1) * ((double)hi.y - lo.y + 1) * ((double)hi.z - lo.z + 1);
	return places <= FEW_GROUPS + (double)terrain->groups.count + Store_ChunkCount(terrain->store)
	           ? MarkBlocks(dirty, terrain->memory, range)
	           : MarkByContents(terrain, dirty, range);
}

static bool OnRim(const Terrain *terrain, Cell block)
{
	return block.x == terrain->lo.x || block.y == terrain->lo.y || block.z == terrain->lo.z ||
	       block.x == terrain->hi.x || block.y == terrain->hi.y || block.z == terrain->hi.z;
}

static CellBox Join(CellBox a, CellBox b)
{
	return (CellBox){{Int_Min(a.lo.x, b.lo.x), Int_Min(a.lo.y, b.lo.y), Int_Min(a.lo.z, b.lo.z)},
	                 {Int_Max(a.hi.x, b.hi.x), Int_Max(a.hi.y, b.hi.y), Int_Max(a.hi.z, b.hi.z)}};
}

/* The smallest box around some blocks (not none) of a group: bit = y * 16 + z * 4 + x. */
static CellBox BoxAround(Cell at, uint64_t blocks)
{
	Cell first = BlockOfGroup(at, 0);
	unsigned columns = (unsigned)(blocks | blocks >> 32), rows;
	columns = (columns | columns >> 16) & 0xffff;
	rows = columns | columns >> 8;
	rows = (rows | rows >> 4) & 0xf;
	return (CellBox){
	    {first.x + __builtin_ctz(rows), first.y + __builtin_ctzll(blocks) / 16, first.z + __builtin_ctz(columns) / 4},
	    {first.x + 31 - __builtin_clz(rows), first.y + (63 - __builtin_clzll(blocks)) / 16,
	     first.z + (31 - __builtin_clz(columns)) / 4}};
}

static void FindBounds(Terrain *terrain)
{
	CellBox all = {{INT32_MAX, INT32_MAX, INT32_MAX}, {INT32_MIN, INT32_MIN, INT32_MIN}};
	for (int i = 0; i < terrain->groups.count; i++) {
		const Group *group = &terrain->groups.data[i];
		if (group->any)
			all = Join(all, BoxAround(group->at, group->any));
	}
	terrain->lo = all.lo;
	terrain->hi = all.hi;
}

static int DirtyOrder(const void *a, const void *b)
{
	return Cell_Order(&((const DirtyGroup *)a)->at, &((const DirtyGroup *)b)->at);
}

static CellBox CellsAround(CellBox blocks, int halo)
{
	CellBox cells = CellsOfBlocks(blocks.lo, blocks.hi);
	return (CellBox){{cells.lo.x - halo, cells.lo.y - halo, cells.lo.z - halo},
	                 {cells.hi.x + halo, cells.hi.y + halo, cells.hi.z + halo}};
}

/* False: out of memory. */
static bool RemakeBlock(Terrain *terrain, Cell block, bool any, bool *shrunk)
{
	BlockBits fresh;
	if (any && RecordBatch_Bits(terrain->batch, block, &fresh))
		return Record_Put(terrain, &fresh);
	int id = Record_Find(terrain, block);
	if (id >= 0) {
		Record_Remove(terrain, id);
		*shrunk |= OnRim(terrain, block);
	}
	return true;
}

/* False: out of memory. */
static bool RemakeGroup(Terrain *terrain, const DirtyGroup *dirty, bool *shrunk)
{
	CellBox box = BoxAround(dirty->at, dirty->blocks);
	bool ok = true;
	if (Store_IsDeep(terrain->store, CellsAround(box, 1))) {
		ok = Record_PutInside(terrain, dirty->at, dirty->blocks);
	} else {
		bool any = RecordBatch_Read(terrain->batch, terrain, box);
		for (uint64_t left = dirty->blocks; ok && left; left &= left - 1)
			ok = RemakeBlock(terrain, BlockOfGroup(dirty->at, __builtin_ctzll(left)), any, shrunk);
	}
	Record_Fit(terrain, box.lo);
	return ok;
}

/* In a fixed order, so that the records' ids follow from the edits alone. */
static bool RemakeRecords(Terrain *terrain, Dirty *dirty)
{
	bool shrunk = false, ok = true;
	if (!terrain->batch && !(terrain->batch = Memory_Alloc(terrain->memory, RecordBatch_Bytes())))
		return false;
	if (dirty->groups.count > 1)
		qsort(dirty->groups.data, (size_t)dirty->groups.count, sizeof(DirtyGroup), DirtyOrder);
	for (int i = 0; ok && i < dirty->groups.count; i++)
		ok = RemakeGroup(terrain, &dirty->groups.data[i], &shrunk);
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
	CoordMap_Free(&dirty.place, terrain->memory);
	Array_Free(terrain->memory, dirty.groups);
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
