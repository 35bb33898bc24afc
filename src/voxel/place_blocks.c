/* Puts a schematic into the store: one transaction, so all of it is there or nothing, and one journal entry. */
#include "voxel/blocks_internal.h"
#include "voxel/store_internal.h"

#include <stdio.h>

/* What a block that nobody knows becomes: brick, but for the colour. */
static const Material block_material = {
    .density = 1900.0f, .friction = 0.8f, .restitution = 0.15f, .rolling = 0.01f, .hardness = 4.0f, .blockiness = 1.0f};

/* ---- names and colours ------------------------------------------------------------------------------------------- */

/* The colours that blocks are named after, and some plants. */
static const struct {
	const char *word;
	uint32_t color;
} colors[] = {{"light_blue", 0x5FA8D8}, {"light_gray", 0x9A9A93}, {"light_grey", 0x9A9A93}, {"white", 0xE6E6E6},
              {"orange", 0xE08030},     {"magenta", 0xB44CB0},    {"yellow", 0xE6C83C},     {"lime", 0x78B432},
              {"pink", 0xE091AC},       {"gray", 0x4C5052},       {"grey", 0x4C5052},       {"cyan", 0x2E8A92},
              {"purple", 0x7838A8},     {"blue", 0x3C48A0},       {"brown", 0x76502E},      {"green", 0x5A7A2A},
              {"red", 0xA03028},        {"black", 0x1E1E22},      {"leaves", 0x4A7A32},     {"lava", 0xE0641E},
              {"glass", 0xC8DCE0},      {"torch", 0xF0C864},      {"wool", 0xE6E6E6},       {"quartz", 0xEAE4DC},
              {"glowstone", 0xE8C878},  {"sapling", 0x5A8A3A},    {"vine", 0x4A7A32},       {"apple", 0xC83228}};

static bool Contains(const char *text, size_t length, const char *word)
{
	size_t n = strlen(word);
	for (size_t i = 0; i + n <= length; i++)
		if (memcmp(text + i, word, n) == 0)
			return true;
	return false;
}

static uint32_t Block_Color(const char *name, size_t length)
{
	for (int i = 0; i < COUNT_OF(colors); i++)
		if (Contains(name, length, colors[i].word))
			return colors[i].color;
	uint64_t hash = Hash_Bytes(name, length);
	return 0x606060 + ((uint32_t)hash & 0x7F7F7F);
}

/* The block's name as a material's: letters, digits and _. One that is too long ends in its hash. */
static void Block_MaterialName(const char *name, size_t length, char out[MATERIAL_NAME_SIZE])
{
	static const char digits[] = "0123456789abcdef";
	size_t n = 0, most = MATERIAL_NAME_SIZE - 1;
	bool letter = (name[0] >= 'a' && name[0] <= 'z') || (name[0] >= 'A' && name[0] <= 'Z');
	memset(out, 0, MATERIAL_NAME_SIZE);
	if (!letter) {
		snprintf(out, MATERIAL_NAME_SIZE, "block_");
		n = 6;
	}
	for (size_t i = 0; i < length && n < most; i++, n++) {
		char c = name[i];
		bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
		out[n] = plain ? c : '_';
	}
	if (length + (letter ? 0 : 6) > most) {
		uint64_t hash = Hash_Bytes(name, length);
		for (int i = 0; i < 6; i++)
			out[most - 6 + i] = digits[hash >> (4 * i) & 15];
	}
}

/* ---- what becomes of each name ----------------------------------------------------------------------------------- */

typedef enum BlockAct { BLOCK_KEEP, BLOCK_WRITE } BlockAct;

typedef struct BlockUse {
	Voxel voxel;
	uint8_t act;
	bool unknown, air, water;
} BlockUse;

static BlockUse UseOf(int material)
{
	BlockUse use = {.act = BLOCK_WRITE};
	if (material == MATERIAL_WATER)
		use.voxel = (Voxel){MATERIAL_AIR, 0, 255};
	else if (material != MATERIAL_AIR)
		use.voxel = (Voxel){(uint8_t)material, 255, 0};
	use.water = material == MATERIAL_WATER;
	use.air = material == MATERIAL_AIR;
	return use;
}

/* A block of its own kind; the table is the caller's copy. */
static int OwnMaterial(MaterialTable *table, const BlockName *block, int *merged, Error *error)
{
	size_t length;
	const char *name = Block_Base(block->text, &length);
	Material material = block_material;
	if (length == 0)
		name = "block", length = 5;
	Block_MaterialName(name, length, material.name);
	material.color = Block_Color(name, length);
	int index = MaterialTable_Find(table, material.name);
	if (index >= 2)
		return index;
	if (index >= 0 || table->count == MATERIAL_LIMIT) {
		*merged += 1;
		return MaterialTable_Find(table, "rock");
	}
	return MaterialTable_Put(table, &material, error);
}

static int Blocks_Resolve(const BlockModel *model, MaterialTable *table, const int16_t *materials, bool clear,
                          BlockUse *uses, int *merged, Error *error)
{
	for (int i = 0; i < model->names.count; i++) {
		const BlockName *block = &model->names.data[i];
		const char *known = Block_Material(block->text);
		int index = materials ? materials[i] : -1;
		if (index >= table->count)
			return Error_Set(error, ERROR_ARGUMENT, "materials: block %d is given the material %d; there are %d", i,
			                 index, table->count);
		bool given = index >= 0, unknown = !given && !known;
		if (block->count == 0)
			continue; /* makes no material */
		if (!given)
			index = known ? MaterialTable_Find(table, known) : OwnMaterial(table, block, merged, error);
		if (index < 0)
			return index;
		uses[i] = UseOf(index);
		uses[i].unknown = unknown;
		if (index > MATERIAL_WATER && table->items[index].blockiness < 1.0f)
			uses[i].voxel.occupancy = (uint8_t)(32 * Block_Eighths(block->text) - 1);
		if (index > MATERIAL_WATER && Block_IsWet(block->text))
			uses[i].voxel.water = 255;
		if (index == MATERIAL_AIR && !given && !clear)
			uses[i].act = BLOCK_KEEP;
	}
	return ERROR_NONE;
}

/* ---- cells ------------------------------------------------------------------------------------------------------- */

typedef struct BlockPlace {
	const BlockModel *model;
	const BlockUse *uses;
	Cell at;
} BlockPlace;

static void Blocks_Row(void *context, int32_t x, int32_t y, int32_t z, int n, uint8_t *material, uint8_t *occupancy,
                       uint8_t *water)
{
	const BlockPlace *place = context;
	const BlockModel *model = place->model;
	size_t row = (size_t)(z - place->at.z) + (size_t)model->nz * (size_t)(y - place->at.y);
	const uint16_t *cells = model->cells + (size_t)(x - place->at.x) + (size_t)model->nx * row;
	for (int i = 0; i < n; i++) {
		if (cells[i] == BLOCK_NONE || place->uses[cells[i]].act == BLOCK_KEEP)
			continue;
		Voxel voxel = place->uses[cells[i]].voxel;
		material[i] = voxel.material;
		occupancy[i] = voxel.occupancy;
		water[i] = voxel.water;
	}
}

static void Blocks_Report(const BlockModel *model, const BlockUse *uses, BlockReport *report)
{
	size_t count = model->bytes / sizeof *model->cells;
	for (size_t i = 0; i < count; i++) {
		if (model->cells[i] == BLOCK_NONE)
			continue;
		const BlockUse *use = &uses[model->cells[i]];
		report->air += use->air;
		report->water += use->water;
		report->cells += !use->air && !use->water;
		report->unknown += use->unknown;
	}
}

static int Blocks_Box(const BlockModel *model, Cell at, CellBox *box, Error *error)
{
	const int64_t first[3] = {at.x, at.y, at.z}, size[3] = {model->nx, model->ny, model->nz};
	for (int i = 0; i < 3; i++)
		if (first[i] < -CELL_LIMIT || first[i] + size[i] - 1 > CELL_LIMIT)
			return Error_Set(error, ERROR_LIMIT,
			                 "the schematic reaches from cell %lld to %lld on the %c axis; the limit is +-%d",
			                 (long long)first[i], (long long)(first[i] + size[i] - 1), "xyz"[i], CELL_LIMIT);
	*box = (CellBox){at, {at.x + model->nx - 1, at.y + model->ny - 1, at.z + model->nz - 1}};
	return ERROR_NONE;
}

int Store_PlaceBlocks(Store *store, MaterialTable *table, const BlockModel *model, Cell at, const int16_t *materials,
                      bool clear, Tally *tally, BlockReport *report, Error *error)
{
	BlockReport made = {0};
	int code = Blocks_Box(model, at, &made.box, error);
	if (code)
		return code;
	size_t room = (size_t)Int_Max(model->names.count, 1) * sizeof(BlockUse);
	BlockUse *uses = Memory_AllocZero(&store->memory, room);
	if (!uses)
		return Error_OutOfMemory(error);
	MaterialTable changed = *table;
	code = Blocks_Resolve(model, &changed, materials, clear, uses, &made.merged, error);
	if (!code) {
		BlockPlace place = {model, uses, at};
		code = Store_Edit(store, made.box, Blocks_Row, &place, tally, error);
	}
	if (!code) {
		Blocks_Report(model, uses, &made);
		if (changed.version != table->version)
			*table = changed;
		if (report)
			*report = made;
	}
	Memory_Free(&store->memory, uses, room);
	return code;
}
