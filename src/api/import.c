/* Terrain from files: height maps and .vox models. */
#include "api/api_internal.h"

#include <stdio.h>

/* ---- height maps ------------------------------------------------------------------------------------------------- */

void scree_heightmap_defaults(ScreeHeightmap *map)
{
	*map = (ScreeHeightmap){.mode = SCREE_SET,
	                        .spacing = 1.0,
	                        .min = 0.0,
	                        .max = 100.0,
	                        .scale = 1.0,
	                        .bottom = 8.0,
	                        .layer_count = 1,
	                        .layer_material = {6},
	                        .layer_depth = {1e6}};
}

int Api_ReadFile(ScreeWorld *w, const char *path, ApiReadFn *read, void *context)
{
	Memory *memory = World_Memory(w->world);
	void *data;
	size_t size;
	Error inner = {0};
	int result = File_Read(memory, path, IMPORT_SIZE_LIMIT, &data, &size, &w->error);
	if (result != ERROR_NONE)
		return result;
	result = read(context, memory, path, data, size, &inner);
	Memory_Free(memory, data, size);
	return result == ERROR_NONE ? ERROR_NONE : Api_Fail(w, inner.code, "%s: %s", path, inner.text);
}

static int ReadImage(void *image, Memory *memory, const char *path, const void *data, size_t size, Error *error)
{
	if (File_HasEnding(path, ".png"))
		return HeightImage_ReadPng(memory, data, size, image, error);
	if (File_HasEnding(path, ".hgt"))
		return HeightImage_ReadHgt(memory, data, size, image, error);
	if (File_HasEnding(path, ".r16"))
		return HeightImage_ReadRaw16(memory, data, size, true, true, image, error);
	return Error_Set(error, ERROR_FILE, "unknown kind of height file (.png, .hgt and .r16 are read)");
}

/* File samples to metres: a full range is mapped to min..max, metres stay. */
static void ScaleImage(const ScreeHeightmap *map, HeightImage *image)
{
	if (image->full_scale <= 0.0)
		return;
	double scale = (map->max - map->min) / image->full_scale;
	for (size_t i = 0; i < (size_t)image->width * (size_t)image->depth; i++)
		image->samples[i] = map->min + scale * image->samples[i];
	double lo = map->min + scale * image->min, hi = map->min + scale * image->max;
	image->min = MinD(lo, hi);
	image->max = MaxD(lo, hi);
}

static bool CheckMap(ScreeWorld *w, const ScreeHeightmap *map)
{
	double cell = Terrain_CellSize(World_Terrain(w->world));
	if (!Check_Index(w, "mode", map->mode, 4) || !Check_Vector(w, "position", map->position, MAX_COORDINATE) ||
	    !Check_Number(w, "spacing", map->spacing, 1e-3 * cell, 1e3 * cell) ||
	    !Check_Number(w, "min", map->min, -1e6, 1e6) || !Check_Number(w, "max", map->max, -1e6, 1e6) ||
	    !Check_Number(w, "scale", map->scale, -1e6, 1e6) || !Check_Number(w, "bottom", map->bottom, 0.0, 1e6) ||
	    !Check_Number(w, "layer_count", map->layer_count, 1, 8))
		return false;
	for (int i = 0; i < map->layer_count; i++) {
		char name[40];
		snprintf(name, sizeof name, "layers[%d].material", i + 1);
		if (!Check_Material(w, name, map->layer_material[i]))
			return false;
		snprintf(name, sizeof name, "layers[%d].depth", i + 1);
		if (!Check_Number(w, name, map->layer_depth[i], 0.0, 1e9))
			return false;
	}
	return true;
}

/* Heights given by the caller: checked, copied in cells' unit later; NaN is a void. */
static int CopyHeights(ScreeWorld *w, const ScreeHeightmap *map, HeightImage *image)
{
	Memory *memory = World_Memory(w->world);
	if (!Check_Number(w, "width", map->width, 2, 65536) || !Check_Number(w, "depth", map->depth, 2, 65536))
		return ERROR_ARGUMENT;
	size_t count = (size_t)map->width * (size_t)map->depth;
	for (size_t i = 0; map->sample_materials && i < count; i++)
		if (!Check_Material(w, "sample_materials", map->sample_materials[i]))
			return ERROR_ARGUMENT;
	*image = (HeightImage){.width = map->width, .depth = map->depth, .min = 1e30, .max = -1e30};
	image->bytes = count * sizeof(double);
	for (size_t i = 0; i < count; i++) {
		double h = map->heights[i];
		char name[40];
		snprintf(name, sizeof name, "heights[%zu]", i + 1);
		if (h == h && !Check_Number(w, name, h, -1e6, 1e6))
			return ERROR_ARGUMENT;
		image->voids += h != h;
		if (h == h) {
			image->min = MinD(image->min, h);
			image->max = MaxD(image->max, h);
		}
	}
	image->samples = Memory_Alloc(memory, image->bytes);
	if (!image->samples)
		return Api_OutOfMemory(w);
	memcpy(image->samples, map->heights, image->bytes);
	return ERROR_NONE;
}

/* Scale, then the range anew: a negative scale turns it over. */
static void StretchImage(const ScreeHeightmap *map, HeightImage *image)
{
	for (size_t i = 0; i < (size_t)image->width * (size_t)image->depth; i++)
		image->samples[i] *= map->scale;
	double lo = map->scale * image->min, hi = map->scale * image->max;
	image->min = MinD(lo, hi);
	image->max = MaxD(lo, hi);
}

static int FillFromImage(ScreeWorld *w, ScreeHeightmap *map, HeightImage *image)
{
	double cell = Terrain_CellSize(World_Terrain(w->world));
	for (size_t i = 0; i < (size_t)image->width * (size_t)image->depth; i++)
		image->samples[i] = (image->samples[i] + map->position[1]) / cell;
	double bottom = (image->min + map->position[1] - map->bottom) / cell;
	HeightFill fill = {.heights = image->samples,
	                   .sample_material = map->sample_materials,
	                   .width = image->width,
	                   .depth = image->depth,
	                   .x0 = map->position[0] / cell,
	                   .z0 = map->position[2] / cell,
	                   .spacing = map->spacing / cell,
	                   .layer_count = map->layer_count};
	double far_x = fill.x0 + fill.spacing * image->width, far_z = fill.z0 + fill.spacing * image->depth;
	double limit = (double)CELL_LIMIT - 64.0;
	if (!Check_Number(w, "position[1]", fill.x0, -limit, limit) ||
	    !Check_Number(w, "position[3]", fill.z0, -limit, limit) ||
	    !Check_Number(w, "position[2]", bottom, -limit, limit) || !Check_Number(w, "width", far_x, -limit, limit) ||
	    !Check_Number(w, "depth", far_z, -limit, limit) ||
	    !Check_Number(w, "max", (image->max + map->position[1]) / cell, -limit, limit))
		return ERROR_ARGUMENT;
	fill.bottom = FloorToInt(bottom);
	for (int i = 0; i < map->layer_count; i++) {
		fill.layer_material[i] = (uint8_t)map->layer_material[i];
		fill.layer_depth[i] = map->layer_depth[i] / cell;
	}
	memset(&w->tally, 0, sizeof w->tally);
	int64_t void_columns;
	return Store_FillHeights(World_Store(w->world), World_Materials(w->world), &fill, (EditMode)map->mode, &w->tally,
	                         &void_columns, &w->error);
}

int32_t screeTerrain_FillHeightmap(ScreeWorld *w, ScreeHeightmap *map)
{
	HeightImage image = {0};
	if (!CheckMap(w, map))
		return SCREE_BAD_ARGUMENT;
	if (!map->heights && !map->path)
		return Api_Fail(w, ERROR_ARGUMENT, "path or heights must be given");
	int result = map->heights ? CopyHeights(w, map, &image) : Api_ReadFile(w, map->path, ReadImage, &image);
	if (result != ERROR_NONE)
		return result;
	if (!map->heights)
		ScaleImage(map, &image);
	StretchImage(map, &image);
	map->voids = (int32_t)image.voids;
	map->out_width = image.width;
	map->out_depth = image.depth;
	map->out_min = image.min;
	map->out_max = image.max;
	if (image.voids < (int64_t)image.width * image.depth)
		result = FillFromImage(w, map, &image);
	HeightImage_Free(World_Memory(w->world), &image);
	return result;
}

/* ---- .vox -------------------------------------------------------------------------------------------------------- */

void scree_vox_import_defaults(ScreeVoxImport *import)
{
	*import = (ScreeVoxImport){0};
	for (int i = 0; i < 256; i++)
		import->materials[i] = -1;
}

typedef struct VoxRead {
	VoxModel model;
	bool hidden;
} VoxRead;

static int ReadModel(void *context, Memory *memory, const char *path, const void *data, size_t size, Error *error)
{
	VoxRead *vox = context;
	(void)path;
	return VoxModel_Read(memory, data, size, vox->hidden, &vox->model, error);
}

static void ReportModel(const VoxModel *model, Cell at, ScreeVoxImport *import)
{
	import->cells = (double)model->count;
	import->models = model->models;
	import->instances = model->instances;
	import->hidden_instances = model->hidden;
	import->dropped = (double)model->dropped;
	import->overlaps = (double)model->overlaps;
	/* file (x, y, z) stands at at + (x, z, -1 - y) */
	double min[3] = {model->lo.x, model->lo.z, -1.0 - model->hi.y},
	       max[3] = {model->hi.x, model->hi.z, -1.0 - model->lo.y};
	double corner[3] = {at.x, at.y, at.z};
	for (int i = 0; i < 3; i++) {
		import->min[i] = corner[i] + min[i];
		import->max[i] = corner[i] + max[i];
	}
}

int32_t screeTerrain_ImportVox(ScreeWorld *w, const char *path, ScreeVoxImport *import)
{
	Cell at;
	int16_t materials[256];
	if (!path)
		return Api_Fail(w, ERROR_ARGUMENT, "path must be given");
	if (!Check_Cell(w, "at", import->at, &at) || !Check_Flag(w, "hidden", import->hidden))
		return SCREE_BAD_ARGUMENT;
	for (int i = 0; i < 256; i++) {
		if (import->materials[i] >= 0 && !Check_Material(w, "materials", import->materials[i]))
			return SCREE_BAD_ARGUMENT;
		materials[i] = (int16_t)(import->materials[i] < 0 ? -1 : import->materials[i]);
	}
	VoxRead vox = {.hidden = import->hidden != 0};
	int merged = 0;
	int result = Api_ReadFile(w, path, ReadModel, &vox);
	if (result != ERROR_NONE)
		return result;
	memset(&w->tally, 0, sizeof w->tally);
	result = Store_PlaceVox(World_Store(w->world), World_Materials(w->world), &vox.model, at, materials, &w->tally,
	                        &merged, &w->error);
	if (result == ERROR_NONE)
		ReportModel(&vox.model, at, import);
	import->merged_colors = merged;
	VoxModel_Free(World_Memory(w->world), &vox.model);
	return result;
}
