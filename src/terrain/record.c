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

void Terrain_GatherField(const Terrain *terrain, Cell block, SurfaceField *field)
{
	Region region = {FIELD_SIZE, FIELD_SIZE, FIELD_SIZE, {field->material, field->value, NULL}};
	Store_Read(terrain->store, BlockCells(block, FLAG_HALO), &region);
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
	Surface_Inside(terrain->simd, &field, inside);
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

bool Record_BoxMixed(BlockBits *bits)
{
	uint64_t slices = 0;
	for (int y = 0; y < BLOCK_SIZE; y++)
		if (bits->mixed[y]) {
			slices |= bits->mixed[y];
			bits->mixed_lo[1] = (uint8_t)Int_Min(bits->mixed_lo[1], y);
			bits->mixed_hi[1] = (uint8_t)y;
		}
	if (slices == 0)
		return false;
	uint64_t columns = slices | slices >> 32;
	columns |= columns >> 16;
	columns = (columns | columns >> 8) & 0xff;
	bits->mixed_lo[0] = (uint8_t)__builtin_ctz((unsigned)columns);
	bits->mixed_hi[0] = (uint8_t)(31 - __builtin_clz((unsigned)columns));
	bits->mixed_lo[2] = (uint8_t)(__builtin_ctzll(slices) / 8);
	bits->mixed_hi[2] = (uint8_t)((63 - __builtin_clzll(slices)) / 8);
	return true;
}

/* Dual cubes 0..7 that the surface passes through; how many lattice edges of cells 0..7 cross it. */
static void MarkMixed(CellRows rows, BlockBits *record)
{
	for (int y = 0; y < BLOCK_SIZE; y++) {
		uint64_t edges[3] = {0, 0, 0};
		for (int z = 0; z < BLOCK_SIZE; z++) {
			unsigned r00 = rows[y + 1][z + 1], r01 = rows[y + 1][z + 2];
			unsigned r10 = rows[y + 2][z + 1], r11 = rows[y + 2][z + 2];
			unsigned any = (r00 | r01 | r10 | r11) >> 1, all = (r00 & r01 & r10 & r11) >> 1;
			unsigned mixed = (any | any >> 1) & ~(all & all >> 1) & 0xff;
			record->mixed[y] |= (uint64_t)mixed << 8 * z;
			edges[0] |= (uint64_t)((r00 ^ r00 >> 1) >> 1 & 0xff) << 8 * z;
			edges[1] |= (uint64_t)((r00 ^ r10) >> 1 & 0xff) << 8 * z;
			edges[2] |= (uint64_t)((r00 ^ r01) >> 1 & 0xff) << 8 * z;
		}
		for (int a = 0; a < 3; a++)
			record->quads += (uint16_t)__builtin_popcountll(edges[a]);
	}
	Record_BoxMixed(record);
}

bool Record_Make(const Terrain *terrain, Cell block, BlockBits *bits)
{
	memset(bits, 0, sizeof *bits);
	bits->block = block;
	memset(bits->mixed_lo, BLOCK_SIZE, sizeof bits->mixed_lo);
	if (Store_IsEmpty(terrain->store, BlockCells(block, RECORD_HALO)))
		return false;
	CellRows inside, wet;
	bool all_wet, any_solid = false, any_water = WaterRows(terrain, block, wet, &all_wet);
	if (any_water)
		DilateRows(wet, bits->water);
	bool solid_cells = InsideRows(terrain, block, inside);
	if (solid_cells) {
		any_solid = DilateRows(inside, bits->solid);
		MarkMixed(inside, bits);
	}
	if (solid_cells && IsFull(inside)) {
		bits->tag = BLOCK_ALL_INSIDE;
		memset(bits->solid, 0, sizeof bits->solid); /* nothing in it can touch the surface */
	} else if (all_wet && !any_solid) {
		bits->tag = BLOCK_ALL_WATER;
	}
	return any_solid || any_water;
}

/* ---- the groups' arrays -------------------------------------------------------------------------------------- */

const uint64_t WORDS_NONE[BLOCK_SIZE] = {0};
#define ALL_BITS ~(uint64_t)0
const uint64_t WORDS_ALL[BLOCK_SIZE] = {ALL_BITS, ALL_BITS, ALL_BITS, ALL_BITS, ALL_BITS, ALL_BITS, ALL_BITS, ALL_BITS};

/* A group's arrays, told apart by what they hold. */
typedef enum GroupArray { ARRAY_RECORDS, ARRAY_SOLIDS, ARRAY_WATERS, ARRAY_COUNT } GroupArray;

static const size_t ENTRY_SIZE[ARRAY_COUNT] = {sizeof(Record), BLOCK_SIZE * sizeof(uint64_t),
                                               BLOCK_SIZE * sizeof(uint64_t)};

static void *ArrayData(const Group *group, GroupArray which)
{
	return which == ARRAY_RECORDS  ? (void *)group->records
	       : which == ARRAY_SOLIDS ? (void *)group->solids
	                               : (void *)group->waters;
}

static uint64_t *ArrayMask(Group *group, GroupArray which)
{
	return which == ARRAY_RECORDS ? &group->mixed : which == ARRAY_SOLIDS ? &group->solid_some : &group->water_some;
}

/* Gives an array room for exactly that many entries, no fewer than it has. False: out of memory, nothing changed. */
static bool ResizeArray(Terrain *terrain, Group *group, GroupArray which, int capacity)
{
	size_t old = group->capacity[which] * ENTRY_SIZE[which], size = (size_t)capacity * ENTRY_SIZE[which];
	void *data = ArrayData(group, which);
	if (old == size)
		return true;
	data = Memory_Resize(terrain->memory, data, old, size);
	if (!data && size > 0)
		return false;
	if (which == ARRAY_RECORDS)
		group->records = data;
	else if (which == ARRAY_SOLIDS)
		group->solids = data;
	else
		group->waters = data;
	group->capacity[which] = (uint8_t)capacity;
	terrain->word_bytes += size - old; /* right for shrinking too: unsigned wrap-around */
	return true;
}

/* Room for one more entry than there are. */
static bool ReserveEntry(Terrain *terrain, Group *group, GroupArray which)
{
	int count = __builtin_popcountll(*ArrayMask(group, which)), capacity = group->capacity[which];
	return count < capacity ||
	       ResizeArray(terrain, group, which, Int_Min(Int_Max(count + count / 2, count + 1), GROUP_BLOCKS));
}

/* Opens a place for a block's entry; room was reserved. */
static void *AddEntry(Group *group, GroupArray which, int index)
{
	uint64_t *mask = ArrayMask(group, which);
	int place = Group_Place(*mask, index), after = __builtin_popcountll(*mask) - place;
	char *entry = (char *)ArrayData(group, which) + (size_t)place * ENTRY_SIZE[which];
	memmove(entry + ENTRY_SIZE[which], entry, (size_t)after * ENTRY_SIZE[which]);
	*mask |= (uint64_t)1 << index;
	return entry;
}

static void RemoveEntry(Group *group, GroupArray which, int index)
{
	uint64_t *mask = ArrayMask(group, which);
	if (!(*mask >> index & 1))
		return;
	int place = Group_Place(*mask, index), after = __builtin_popcountll(*mask) - place - 1;
	char *entry = (char *)ArrayData(group, which) + (size_t)place * ENTRY_SIZE[which];
	memmove(entry, entry + ENTRY_SIZE[which], (size_t)after * ENTRY_SIZE[which]);
	*mask &= ~((uint64_t)1 << index);
}

/* ---- groups -------------------------------------------------------------------------------------------------- */

static Group *FindGroup(Terrain *terrain, Cell block)
{
	return (Group *)Group_Find(terrain, block.x >> GROUP_BITS, block.y >> GROUP_BITS, block.z >> GROUP_BITS);
}

/* The group of a block, made when it is not there. NULL: out of memory. */
static Group *NeedGroup(Terrain *terrain, Cell block)
{
	Group *group = FindGroup(terrain, block);
	if (group)
		return group;
	Memory *memory = terrain->memory;
	Cell at = {block.x >> GROUP_BITS, block.y >> GROUP_BITS, block.z >> GROUP_BITS};
	int unused = terrain->free_groups.count;
	int i = unused > 0 ? terrain->free_groups.data[unused - 1] : terrain->groups.count;
	/* Room to give every place back, so that FreeGroup cannot fail. An id is an int. */
	if (i >= INT32_MAX / GROUP_BLOCKS || !Array_Reserve(memory, terrain->groups, i + 1) ||
	    !Array_Reserve(memory, terrain->free_groups, terrain->groups.capacity) ||
	    !CoordMap_Put(&terrain->group_at, memory, at.x, at.y, at.z, i))
		return NULL;
	if (unused > 0)
		terrain->free_groups.count--;
	else
		terrain->groups.count++;
	terrain->groups.data[i] = (Group){.at = at};
	GroupGrid_Set(&terrain->group_grid, at, i);
	return &terrain->groups.data[i];
}

static void FreeArrays(Terrain *terrain, Group *group)
{
	for (GroupArray which = 0; which < ARRAY_COUNT; which++)
		ResizeArray(terrain, group, which, 0);
}

static void FreeGroup(Terrain *terrain, Group *group)
{
	FreeArrays(terrain, group);
	CoordMap_Remove(&terrain->group_at, group->at.x, group->at.y, group->at.z);
	GroupGrid_Set(&terrain->group_grid, group->at, -1);
	terrain->free_groups.data[terrain->free_groups.count++] = (int32_t)(group - terrain->groups.data);
	*group = (Group){0};
}

void Record_FreeAll(Terrain *terrain)
{
	for (int i = 0; i < terrain->groups.count; i++)
		FreeArrays(terrain, &terrain->groups.data[i]);
	Array_Free(terrain->memory, terrain->groups);
	Array_Free(terrain->memory, terrain->free_groups);
	CoordMap_Free(&terrain->group_at, terrain->memory);
	GroupGrid_Free(&terrain->group_grid, terrain->memory);
}

void Record_Fit(Terrain *terrain, Cell block)
{
	Group *group = FindGroup(terrain, block);
	for (GroupArray which = 0; group && which < ARRAY_COUNT; which++) {
		int count = __builtin_popcountll(*ArrayMask(group, which));
		if (count < group->capacity[which])
			ResizeArray(terrain, group, which, count); /* when that fails, the room stays */
	}
}

/* ---- the records' places ------------------------------------------------------------------------------------- */

static void SetBit(uint64_t *word, int index, bool on)
{
	*word = (*word & ~((uint64_t)1 << index)) | (uint64_t)on << index;
}

static void PutRecord(Group *group, int index, const BlockBits *bits)
{
	Record *record = Group_Record(group, index);
	if (!record) {
		record = AddEntry(group, ARRAY_RECORDS, index);
		memset(record, 0, sizeof *record);
	}
	memcpy(record->mixed, bits->mixed, sizeof record->mixed);
	memcpy(record->solid, bits->solid, sizeof record->solid);
	memcpy(record->mixed_lo, bits->mixed_lo, sizeof record->mixed_lo);
	memcpy(record->mixed_hi, bits->mixed_hi, sizeof record->mixed_hi);
	record->quads = bits->quads & 0x7fff;
}

static void PutWords(Group *group, GroupArray which, int index, const uint64_t words[BLOCK_SIZE])
{
	uint64_t mask = *ArrayMask(group, which);
	uint64_t(*array)[BLOCK_SIZE] = ArrayData(group, which);
	uint64_t *entry = mask >> index & 1 ? array[Group_Place(mask, index)] : AddEntry(group, which, index);
	memcpy(entry, words, sizeof array[0]);
}

static void GrowBounds(Terrain *terrain, Cell block)
{
	terrain->lo =
	    (Cell){Int_Min(terrain->lo.x, block.x), Int_Min(terrain->lo.y, block.y), Int_Min(terrain->lo.z, block.z)};
	terrain->hi =
	    (Cell){Int_Max(terrain->hi.x, block.x), Int_Max(terrain->hi.y, block.y), Int_Max(terrain->hi.z, block.z)};
}

bool Record_Put(Terrain *terrain, const BlockBits *bits)
{
	Group *group = NeedGroup(terrain, bits->block);
	if (!group)
		return false;
	int index = Group_Index(bits->block);
	bool solid = Words_Any(bits->solid), solid_all = Words_All(bits->solid);
	bool water = Words_Any(bits->water), water_all = Words_All(bits->water);
	bool wants[ARRAY_COUNT] = {Words_Any(bits->mixed)};
	wants[ARRAY_SOLIDS] = !wants[ARRAY_RECORDS] && solid && !solid_all;
	wants[ARRAY_WATERS] = water && !water_all;
	for (GroupArray which = 0; which < ARRAY_COUNT; which++)
		if (wants[which] && !(*ArrayMask(group, which) >> index & 1) && !ReserveEntry(terrain, group, which)) {
			if (group->any == 0)
				FreeGroup(terrain, group);
			return false;
		}
	SCREE_ASSERT(wants[ARRAY_RECORDS] || !Group_Record(group, index) || !Group_Record(group, index)->collider);
	for (GroupArray which = 0; which < ARRAY_COUNT; which++)
		if (!wants[which])
			RemoveEntry(group, which, index);
	if (wants[ARRAY_RECORDS])
		PutRecord(group, index, bits);
	if (wants[ARRAY_SOLIDS])
		PutWords(group, ARRAY_SOLIDS, index, bits->solid);
	if (wants[ARRAY_WATERS])
		PutWords(group, ARRAY_WATERS, index, bits->water);
	if (!(group->any >> index & 1)) {
		terrain->record_count++;
		GrowBounds(terrain, bits->block);
	}
	SetBit(&group->any, index, true);
	SetBit(&group->inside, index, bits->tag == BLOCK_ALL_INSIDE);
	SetBit(&group->flooded, index, bits->tag == BLOCK_ALL_WATER);
	SetBit(&group->solid_all, index, solid_all && !wants[ARRAY_RECORDS]);
	SetBit(&group->water, index, water);
	GroupGrid_Mark(&terrain->group_grid, bits->block, (group->mixed | group->inside) >> index & 1);
	return true;
}

bool Record_PutInside(Terrain *terrain, Cell at, uint64_t blocks)
{
	Group *group = NeedGroup(terrain, BlockOfGroup(at, 0));
	if (!group)
		return false;
	for (uint64_t left = blocks; left; left &= left - 1) {
		int index = __builtin_ctzll(left);
		SCREE_ASSERT(!Group_Record(group, index) || !Group_Record(group, index)->collider);
		for (GroupArray which = 0; which < ARRAY_COUNT; which++)
			RemoveEntry(group, which, index);
		if (!(group->any >> index & 1)) {
			terrain->record_count++;
			GrowBounds(terrain, BlockOfGroup(at, index));
		}
		GroupGrid_Mark(&terrain->group_grid, BlockOfGroup(at, index), true);
	}
	group->any |= blocks;
	group->inside |= blocks;
	group->flooded &= ~blocks;
	group->solid_all &= ~blocks;
	group->water &= ~blocks;
	return true;
}

void Record_Remove(Terrain *terrain, int id)
{
	Group *group = Record_Group(terrain, id);
	int index = id % GROUP_BLOCKS;
	SCREE_ASSERT((group->any >> index & 1) && !(Group_Record(group, index) && Group_Record(group, index)->collider));
	GroupGrid_Mark(&terrain->group_grid, Group_Block(group, index), false);
	for (GroupArray which = 0; which < ARRAY_COUNT; which++)
		RemoveEntry(group, which, index);
	uint64_t *words[] = {&group->any, &group->inside, &group->flooded, &group->solid_all, &group->water};
	for (int i = 0; i < COUNT_OF(words); i++)
		SetBit(words[i], index, false);
	terrain->record_count--;
	if (group->any == 0)
		FreeGroup(terrain, group);
}

BlockTag Record_Tag(const Terrain *terrain, int id)
{
	const Group *group = Record_Group(terrain, id);
	int index = id % GROUP_BLOCKS;
	return group->inside >> index & 1    ? BLOCK_ALL_INSIDE
	       : group->flooded >> index & 1 ? BLOCK_ALL_WATER
	                                     : BLOCK_SURFACE;
}
