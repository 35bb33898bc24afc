/* Records of the bit broadphase: what a block can hold, in bits, made from its cells without meshing.
 *
 * Rows of ten cells (-1..8 along x) are 16-bit words. A cell can put surface, or water, into any of its 27 neighbours,
 * so the masks are dilations: along x by shifts, along z and y by ors of three rows (after the broadphase of Roblox's
 * voxel terrain). */
#include "terrain/terrain_internal.h"

#define REACH (BLOCK_SIZE + 2) /* rows of cells -1..8 */
#define FULL_ROW ((1u << REACH) - 1)

typedef uint16_t CellRows[REACH][REACH]; /* [y+1][z+1], bit x+1 */

static CellBox BlockCells(Cell block, int halo)
{
	CellBox box = CellsOfBlocks(block, block);
	return (CellBox){{box.lo.x - halo, box.lo.y - halo, box.lo.z - halo},
	                 {box.hi.x + halo, box.hi.y + halo, box.hi.z + halo}};
}

/* Is any of the bytes (a multiple of 8) not 0? */
static bool AnyByte(const uint8_t *bytes, size_t size)
{
	uint64_t any = 0;
	for (size_t i = 0; i < size; i += sizeof any) {
		uint64_t eight;
		memcpy(&eight, bytes + i, sizeof eight);
		any |= eight;
	}
	return any != 0;
}

bool Terrain_GatherField(const Terrain *terrain, Cell block, SurfaceField *field)
{
	Region region = {FIELD_SIZE, FIELD_SIZE, FIELD_SIZE, {field->material, field->value, NULL}};
	Store_Read(terrain->store, BlockCells(block, FLAG_HALO), &region);
	return AnyByte(field->material, sizeof field->material);
}

/* Inside bits of cells -1..8. Reads no more cells than they need: records are made by the thousand. False: all air. */
static bool InsideRows(const Terrain *terrain, Cell block, CellRows inside)
{
	enum { SIDE = BLOCK_SIZE + 2 * RECORD_HALO, SKIP = FLAG_HALO - RECORD_HALO };
	uint8_t value[SIDE * SIDE * SIDE], material[SIDE * SIDE * SIDE];
	Region region = {SIDE, SIDE, SIDE, {material, value, NULL}};
	Store_Read(terrain->store, BlockCells(block, RECORD_HALO), &region);
	if (!AnyByte(material, sizeof material))
		return false;
	SurfaceField field = {{0}, {0}};
	for (int y = 0; y < SIDE; y++)
		for (int z = 0; z < SIDE; z++) {
			int from = SIDE * (z + SIDE * y), to = SKIP + FIELD_SIZE * (z + SKIP + FIELD_SIZE * (y + SKIP));
			memcpy(field.value + to, value + from, SIDE);
			memcpy(field.material + to, material + from, SIDE);
		}
	Surface_InsideBits(&field, inside);
	return true;
}

bool Terrain_CellInside(const Terrain *terrain, Cell cell)
{
	Voxel voxel = Store_Get(terrain->store, cell);
	if (voxel.occupancy >= 128 || voxel.material == MATERIAL_AIR)
		return voxel.material != MATERIAL_AIR;
	uint8_t value[27];
	Region region = {3, 3, 3, {NULL, value, NULL}};
	CellBox box = {{cell.x - 1, cell.y - 1, cell.z - 1}, {cell.x + 1, cell.y + 1, cell.z + 1}};
	Store_Read(terrain->store, box, &region);
	for (int i = 0; i < 27; i++)
		if (value[i] > voxel.occupancy)
			return false;
	return true;
}

/* ---- bits ---------------------------------------------------------------------------------------------------- */

/* Rows of the cells with water. all: whether every one of the 10^3 is full of it. Returns whether any has some. */
static bool WaterRows(const Terrain *terrain, Cell block, CellRows rows, bool *all)
{
	uint8_t water[REACH * REACH * REACH];
	Region region = {REACH, REACH, REACH, {NULL, NULL, water}};
	Store_Read(terrain->store, BlockCells(block, 1), &region);
	const uint8_t *at = water;
	unsigned any = 0;
	*all = true;
	for (int y = 0; y < REACH; y++)
		for (int z = 0; z < REACH; z++) {
			unsigned row = 0;
			for (int x = 0; x < REACH; x++, at++) {
				row |= (unsigned)(*at != 0) << x;
				*all &= *at == 255;
			}
			rows[y][z] = (uint16_t)row;
			any |= row;
		}
	return any != 0;
}

static bool IsFull(CellRows rows)
{
	unsigned all = FULL_ROW;
	for (int y = 0; y < REACH; y++)
		for (int z = 0; z < REACH; z++)
			all &= rows[y][z];
	return all == FULL_ROW;
}

/* The block's 8^3 bits of the dilation. Returns whether any is set. */
static bool DilateRows(CellRows rows, uint64_t mask[BLOCK_SIZE])
{
	uint16_t grown[REACH][BLOCK_SIZE];
	uint64_t any = 0;
	for (int y = 0; y < REACH; y++) {
		unsigned x[REACH];
		for (int z = 0; z < REACH; z++)
			x[z] = rows[y][z] | rows[y][z] >> 1 | rows[y][z] >> 2;
		for (int z = 0; z < BLOCK_SIZE; z++)
			grown[y][z] = (uint16_t)((x[z] | x[z + 1] | x[z + 2]) & 0xff);
	}
	for (int y = 0; y < BLOCK_SIZE; y++) {
		mask[y] = 0;
		for (int z = 0; z < BLOCK_SIZE; z++)
			mask[y] |= (uint64_t)(grown[y][z] | grown[y + 1][z] | grown[y + 2][z]) << 8 * z;
		any |= mask[y];
	}
	return any != 0;
}

/* Dual cubes 0..7 that the surface passes through; how many lattice edges of cells 0..7 cross it. */
static void MarkMixed(CellRows rows, Record *record)
{
	uint64_t all_slices = 0;
	unsigned columns = 0;
	for (int y = 0; y < BLOCK_SIZE; y++) {
		uint64_t edges[3] = {0, 0, 0};
		for (int z = 0; z < BLOCK_SIZE; z++) {
			unsigned r00 = rows[y + 1][z + 1], r01 = rows[y + 1][z + 2];
			unsigned r10 = rows[y + 2][z + 1], r11 = rows[y + 2][z + 2];
			unsigned any = (r00 | r01 | r10 | r11) >> 1, all = (r00 & r01 & r10 & r11) >> 1;
			unsigned mixed = (any | any >> 1) & ~(all & all >> 1) & 0xff;
			record->mixed[y] |= (uint64_t)mixed << 8 * z;
			columns |= mixed;
			edges[0] |= (uint64_t)((r00 ^ r00 >> 1) >> 1 & 0xff) << 8 * z;
			edges[1] |= (uint64_t)((r00 ^ r10) >> 1 & 0xff) << 8 * z;
			edges[2] |= (uint64_t)((r00 ^ r01) >> 1 & 0xff) << 8 * z;
		}
		for (int a = 0; a < 3; a++)
			record->quads += (uint16_t)__builtin_popcountll(edges[a]);
	}
	if (columns == 0)
		return;
	for (int y = 0; y < BLOCK_SIZE; y++)
		if (record->mixed[y]) {
			all_slices |= record->mixed[y];
			record->mixed_lo[1] = (uint8_t)Int_Min(record->mixed_lo[1], y);
			record->mixed_hi[1] = (uint8_t)y;
		}
	record->mixed_lo[0] = (uint8_t)__builtin_ctz(columns);
	record->mixed_hi[0] = (uint8_t)(31 - __builtin_clz(columns));
	record->mixed_lo[2] = (uint8_t)(__builtin_ctzll(all_slices) / 8);
	record->mixed_hi[2] = (uint8_t)((63 - __builtin_clzll(all_slices)) / 8);
}

bool Record_Make(const Terrain *terrain, Cell block, Record *record)
{
	memset(record, 0, sizeof *record);
	record->block = block;
	record->slot = -1;
	record->live = 1;
	memset(record->mixed_lo, BLOCK_SIZE, sizeof record->mixed_lo);
	if (Store_IsEmpty(terrain->store, BlockCells(block, RECORD_HALO)))
		return false;
	CellRows inside, wet;
	bool all_wet, any_solid = false, any_water = WaterRows(terrain, block, wet, &all_wet);
	if (any_water)
		DilateRows(wet, record->water);
	bool solid_cells = InsideRows(terrain, block, inside);
	if (solid_cells) {
		any_solid = DilateRows(inside, record->solid);
		MarkMixed(inside, record);
	}
	if (solid_cells && IsFull(inside)) {
		record->tag = BLOCK_ALL_INSIDE;
		memset(record->solid, 0, sizeof record->solid); /* nothing in it can touch the surface */
	} else if (all_wet && !any_solid) {
		record->tag = BLOCK_ALL_WATER;
	}
	return any_solid || any_water;
}

/* ---- the records' places ------------------------------------------------------------------------------------- */

/* The group of a block, made when it is not there. NULL: out of memory. */
static Group *Group_Need(Terrain *terrain, Cell block)
{
	Cell at = {block.x >> GROUP_BITS, block.y >> GROUP_BITS, block.z >> GROUP_BITS};
	int i = CoordMap_Find(&terrain->group_at, at.x, at.y, at.z);
	if (i < 0) {
		i = terrain->groups.count;
		if (!Array_Reserve(terrain->memory, terrain->groups, i + 1) ||
		    !CoordMap_Put(&terrain->group_at, terrain->memory, at.x, at.y, at.z, i))
			return NULL;
		Group *fresh = &terrain->groups.data[terrain->groups.count++];
		*fresh = (Group){.at = at};
		memset(fresh->record, 0xff, sizeof fresh->record);
	}
	return &terrain->groups.data[i];
}

static void Group_Free(Terrain *terrain, Group *group)
{
	int i = (int)(group - terrain->groups.data);
	CoordMap_Remove(&terrain->group_at, group->at.x, group->at.y, group->at.z);
	Group last = terrain->groups.data[--terrain->groups.count];
	if (i == terrain->groups.count)
		return;
	terrain->groups.data[i] = last;
	CoordMap_Put(&terrain->group_at, terrain->memory, last.at.x, last.at.y, last.at.z, i); /* replaces: cannot fail */
}

static void SetBit(uint64_t *word, uint64_t bit, bool on)
{
	*word = on ? *word | bit : *word & ~bit;
}

/* Index for a new record. -1: out of memory. */
static int NewPlace(Terrain *terrain, Cell block)
{
	Memory *memory = terrain->memory;
	int count = terrain->free_records.count;
	int index = count > 0 ? terrain->free_records.data[count - 1] : terrain->records.count;
	/* Room to give every place back, so that Record_Remove cannot fail. */
	if (!Array_Reserve(memory, terrain->records, index + 1) ||
	    !Array_Reserve(memory, terrain->free_records, terrain->records.capacity))
		return -1;
	if (count > 0)
		terrain->free_records.count--;
	else
		terrain->records.count++;
	terrain->record_count++;
	terrain->lo =
	    (Cell){Int_Min(terrain->lo.x, block.x), Int_Min(terrain->lo.y, block.y), Int_Min(terrain->lo.z, block.z)};
	terrain->hi =
	    (Cell){Int_Max(terrain->hi.x, block.x), Int_Max(terrain->hi.y, block.y), Int_Max(terrain->hi.z, block.z)};
	return index;
}

bool Record_Put(Terrain *terrain, const Record *fresh)
{
	Group *group = Group_Need(terrain, fresh->block);
	if (!group)
		return false;
	Record kept = {.slot = -1};
	int index = group->record[Group_Index(fresh->block)];
	if (index >= 0) {
		kept = terrain->records.data[index];
	} else if ((index = NewPlace(terrain, fresh->block)) < 0) {
		if (group->any == 0)
			Group_Free(terrain, group);
		return false;
	}
	Record *record = &terrain->records.data[index];
	*record = *fresh;
	record->collider = kept.collider;
	record->used = kept.used;
	record->slot = kept.slot;
	group->record[Group_Index(fresh->block)] = index;
	uint64_t bit = Group_Bit(fresh->block);
	SetBit(&group->any, bit, true);
	SetBit(&group->mixed, bit, Words_Any(fresh->mixed));
	SetBit(&group->water, bit, Words_Any(fresh->water));
	return true;
}

void Record_Remove(Terrain *terrain, int index)
{
	Record *record = &terrain->records.data[index];
	SCREE_ASSERT(record->live && record->slot < 0);
	Cell block = record->block;
	Group *group = Group_Need(terrain, block); /* is there: cannot fail */
	uint64_t bit = Group_Bit(block);
	SetBit(&group->any, bit, false);
	SetBit(&group->mixed, bit, false);
	SetBit(&group->water, bit, false);
	group->record[Group_Index(block)] = -1;
	if (group->any == 0)
		Group_Free(terrain, group);
	memset(record, 0, sizeof *record);
	terrain->free_records.data[terrain->free_records.count++] = index;
	terrain->record_count--;
}
