/* Terrain from schematics of block games. */
#include "api/api_internal.h"

#include <stdio.h>

void scree_block_import_defaults(ScreeBlockImport *import)
{
	*import = (ScreeBlockImport){0};
}

static int ReadBlocks(void *model, Memory *memory, const char *path, const void *data, size_t size, Error *error)
{
	if (File_HasEnding(path, ".mts"))
		return BlockModel_ReadMts(memory, data, size, model, error);
	return BlockModel_ReadSchem(memory, data, size, model, error);
}

static bool Equals(const char *text, size_t length, const char *name)
{
	return strlen(name) == length && memcmp(text, name, length) == 0;
}

/* How well the caller's name fits the file's: 3 as it stands, 2 without the state, 1 without the namespace too. */
static int Fit(const char *block, const char *name)
{
	if (strcmp(block, name) == 0)
		return 3;
	if (strncmp(block, "id:", 3) == 0) {
		size_t length;
		const char *game = Block_Base(block, &length), *plain = strncmp(name, "minecraft:", 10) == 0 ? name + 10 : name;
		return strcmp(block + 3, name) == 0 ? 2 : game != block && Equals(game, length, plain);
	}
	size_t length;
	const char *base = Block_Base(block, &length);
	if (Equals(block, (size_t)(base - block) + length, name))
		return 2;
	return Equals(base, length, name);
}

static void MapBlocks(const BlockModel *model, const ScreeBlockImport *import, int16_t *materials)
{
	for (int i = 0; i < model->names.count; i++) {
		int best = 0;
		materials[i] = -1;
		for (int k = 0; k < import->map_count; k++) {
			int fit = Fit(model->names.data[i].text, import->names[k]);
			if (fit > best) {
				best = fit;
				materials[i] = (int16_t)import->materials[k];
			}
		}
	}
}

static void Report(const BlockModel *model, const BlockReport *report, ScreeBlockImport *import)
{
	import->cells = (double)report->cells;
	import->air = (double)report->air;
	import->water = (double)report->water;
	import->unknown = (double)report->unknown;
	import->skipped = (double)model->skipped;
	import->merged = report->merged;
	const Cell lo = report->box.lo, hi = report->box.hi;
	import->min[0] = lo.x, import->min[1] = lo.y, import->min[2] = lo.z;
	import->max[0] = hi.x, import->max[1] = hi.y, import->max[2] = hi.z;
}

/* Keeps the names in the world, in the place of the last import's. */
static void KeepBlocks(ScreeWorld *w, BlockModel *model, ScreeBlockImport *import)
{
	Memory *memory = World_Memory(w->world);
	BlockModel_Free(memory, &w->block_model);
	Memory_Free(memory, model->cells, model->bytes);
	model->cells = NULL;
	model->bytes = 0;
	w->block_model = *model;
	w->blocks.count = 0;
	for (int i = 0; i < model->names.count; i++)
		w->blocks.data[w->blocks.count++] =
		    (ScreeBlockCount){w->block_model.names.data[i].text, (double)w->block_model.names.data[i].count};
	import->blocks = w->blocks.data;
	import->block_count = w->blocks.count;
}

static int PlaceBlocks(ScreeWorld *w, BlockModel *model, Cell at, ScreeBlockImport *import)
{
	Memory *memory = World_Memory(w->world);
	size_t room = (size_t)Int_Max(1, model->names.count) * sizeof(int16_t);
	int16_t *materials = Memory_Alloc(memory, room);
	BlockReport report = {0};
	if (!materials || !Array_Reserve(memory, w->blocks, model->names.count)) {
		Memory_Free(memory, materials, room);
		return Api_OutOfMemory(w);
	}
	MapBlocks(model, import, materials);
	memset(&w->tally, 0, sizeof w->tally);
	int result = Store_PlaceBlocks(World_Store(w->world), World_Materials(w->world), model, at, materials,
	                               import->clear != 0, &w->tally, &report, &w->error);
	Memory_Free(memory, materials, room);
	if (result == ERROR_NONE)
		Report(model, &report, import);
	return result;
}

int32_t screeTerrain_ImportBlocks(ScreeWorld *w, const char *path, ScreeBlockImport *import)
{
	Cell at;
	if (!path)
		return Api_Fail(w, ERROR_ARGUMENT, "path must be given");
	if (!Check_Cell(w, "at", import->at, &at) || !Check_Flag(w, "clear", import->clear) ||
	    !Check_Number(w, "map_count", import->map_count, 0, 65536))
		return SCREE_BAD_ARGUMENT;
	for (int i = 0; i < import->map_count; i++)
		if (!Check_Material(w, "materials", import->materials[i]))
			return SCREE_BAD_ARGUMENT;
	BlockModel model = {0};
	int result = Api_ReadFile(w, path, ReadBlocks, &model);
	if (result == ERROR_NONE)
		result = PlaceBlocks(w, &model, at, import);
	if (result == ERROR_NONE)
		KeepBlocks(w, &model, import);
	else
		BlockModel_Free(World_Memory(w->world), &model);
	return result;
}
