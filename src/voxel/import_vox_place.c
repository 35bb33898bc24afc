/* Puts a .vox model into the store: one transaction, so all of it is there or nothing, and one journal entry.
 *
 * The edit walks the chunks of the model's bounds; a map of the chunks that hold cells lets it pass over the others.
 * Within a chunk each row of the store is one run of the model's sorted cells, found by bisection. */
#include "voxel/store_internal.h"

#include <stdio.h>

/* ---- materials --------------------------------------------------------------------------------------------- */

/* What a colour that nobody mapped becomes: brick, but for the colour. */
static const Material vox_material = {
    .density = 1900.0f, .friction = 0.8f, .restitution = 0.15f, .rolling = 0.01f, .hardness = 4.0f, .blockiness = 1.0f};

static void ColorName(uint32_t color, char name[MATERIAL_NAME_SIZE])
{
	snprintf(name, MATERIAL_NAME_SIZE, "vox_%06x", (unsigned)color & 0xffffff);
}

typedef struct ColorUse {
	bool used[256];     /* by the model's cells */
	bool unmapped[256]; /* used, and the caller named no material */
	Voxel voxel[256];   /* what its cells become */
} ColorUse;

static Voxel VoxelOf(int material)
{
	if (material == MATERIAL_AIR)
		return (Voxel){MATERIAL_AIR, 0, 0};
	if (material == MATERIAL_WATER)
		return (Voxel){MATERIAL_AIR, 0, 255};
	return (Voxel){(uint8_t)material, 255, 0};
}

/* Takes the caller's mapping, and counts the materials that are to be made: colours of the same 0xRRGGBB share one. */
static int Colors_Survey(ColorUse *use, const MaterialTable *table, const VoxModel *model, const int16_t *materials,
                         int *missing, Error *error)
{
	for (int64_t i = 0; i < model->count; i++)
		use->used[model->cells[i].color] = true;
	*missing = 0;
	for (int c = 0; c < 256; c++) {
		if (!use->used[c])
			continue;
		if (materials && materials[c] >= 0) {
			if (materials[c] >= table->count)
				return Error_Set(error, ERROR_ARGUMENT, "materials: colour %d is given the material %d; there are %d",
				                 c, materials[c], table->count);
			use->voxel[c] = VoxelOf(materials[c]);
			continue;
		}
		use->unmapped[c] = true;
		char name[MATERIAL_NAME_SIZE];
		ColorName(model->palette[c], name);
		bool is_new = MaterialTable_Find(table, name) < 0;
		for (int d = 0; d < c && is_new; d++)
			is_new = !use->unmapped[d] || model->palette[d] != model->palette[c];
		*missing += is_new;
	}
	return ERROR_NONE;
}

static int Square(int a)
{
	return a * a;
}

/* The material of an earlier import whose colour is nearest, or -1. */
static int NearestVoxMaterial(const MaterialTable *table, uint32_t color)
{
	int best = -1, least = INT32_MAX;
	for (int m = 0; m < table->count; m++) {
		uint32_t other = table->items[m].color;
		int distance = Square((int)(color >> 16 & 255) - (int)(other >> 16 & 255)) +
		               Square((int)(color >> 8 & 255) - (int)(other >> 8 & 255)) +
		               Square((int)(color & 255) - (int)(other & 255));
		if (strncmp(table->items[m].name, "vox_", 4) == 0 && distance < least) {
			least = distance;
			best = m;
		}
	}
	return best;
}

/* The colours without a material, the most used first: where the table is too small, those that hardly show give way.
 */
static int Colors_ByUse(const ColorUse *use, const VoxModel *model, uint8_t order[256])
{
	int64_t cells[256] = {0};
	int count = 0;
	for (int64_t i = 0; i < model->count; i++)
		cells[model->cells[i].color]++;
	for (int c = 0; c < 256; c++) {
		if (!use->unmapped[c])
			continue;
		int k = count++;
		for (; k > 0 && cells[order[k - 1]] < cells[c]; k--)
			order[k] = order[k - 1];
		order[k] = (uint8_t)c;
	}
	return count;
}

/* Gives every used colour its voxel; new materials go into `table`, a copy of the caller's. A colour that finds no room
 * takes the nearest one's and is counted in *merged. */
static int Colors_Resolve(ColorUse *use, MaterialTable *table, const VoxModel *model, int *merged, Error *error)
{
	uint8_t order[256];
	int count = Colors_ByUse(use, model, order);
	for (int i = 0; i < count; i++) {
		int c = order[i];
		Material material = vox_material;
		ColorName(model->palette[c], material.name);
		material.color = model->palette[c] & 0xffffff;
		int index = MaterialTable_Find(table, material.name);
		if (index < 0 && table->count == MATERIAL_LIMIT) {
			index = NearestVoxMaterial(table, material.color);
			*merged += 1;
		}
		if (index < 0)
			index = MaterialTable_Put(table, &material, error);
		if (index < 0)
			return index;
		use->voxel[c] = VoxelOf(index);
	}
	return ERROR_NONE;
}

/* ---- cells ------------------------------------------------------------------------------------------------- */

typedef struct PlaceContext {
	const VoxModel *model;
	const ColorUse *use;
	Cell at;
	CoordMap chunks; /* those that get cells -> 0 */
} PlaceContext;

static int32_t ChunkOf(int32_t cell)
{
	return (cell & ~(CHUNK_SIZE - 1)) / CHUNK_SIZE;
}

/* Does the cell come before (x, y, z) in the model's order? */
static bool IsBefore(const VoxCell *cell, int32_t x, int32_t y, int32_t z)
{
	if (cell->z != z)
		return cell->z < z;
	return cell->y != y ? cell->y < y : cell->x < x;
}

static void Place_Row(void *context, int32_t x, int32_t y, int32_t z, int n, uint8_t *material, uint8_t *occupancy,
                      uint8_t *water)
{
	const PlaceContext *place = context;
	const VoxModel *model = place->model;
	int32_t from_x = x - place->at.x, from_y = -1 - (z - place->at.z), from_z = y - place->at.y;
	int64_t low = 0, high = model->count;
	while (low < high) {
		int64_t middle = low + (high - low) / 2;
		if (IsBefore(&model->cells[middle], from_x, from_y, from_z))
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < model->count; low++) {
		const VoxCell *cell = &model->cells[low];
		if (cell->z != from_z || cell->y != from_y || cell->x - from_x >= n)
			break;
		Voxel voxel = place->use->voxel[cell->color];
		material[cell->x - from_x] = voxel.material;
		occupancy[cell->x - from_x] = voxel.occupancy;
		water[cell->x - from_x] = voxel.water;
	}
}

static ChunkAnswer Place_Chunk(void *context, const Chunk *chunk, CellBox piece, WholeChunk *whole)
{
	const PlaceContext *place = context;
	(void)chunk, (void)whole;
	int at = CoordMap_Find(&place->chunks, ChunkOf(piece.lo.x), ChunkOf(piece.lo.y), ChunkOf(piece.lo.z));
	return at < 0 ? CHUNK_UNCHANGED : CHUNK_BY_ROWS;
}

static bool Place_MapChunks(PlaceContext *place, Memory *memory)
{
	Cell last = {INT32_MIN, 0, 0};
	for (int64_t i = 0; i < place->model->count; i++) {
		const VoxCell *cell = &place->model->cells[i];
		Cell chunk = {ChunkOf(place->at.x + cell->x), ChunkOf(place->at.y + cell->z),
		              ChunkOf(place->at.z - 1 - cell->y)};
		if (chunk.x == last.x && chunk.y == last.y && chunk.z == last.z)
			continue;
		if (!CoordMap_Put(&place->chunks, memory, chunk.x, chunk.y, chunk.z, 0))
			return false;
		last = chunk;
	}
	return true;
}

/* The world's cells that the model's bounds become. */
static int Place_Box(const VoxModel *model, Cell at, CellBox *box, Error *error)
{
	const int64_t lo[3] = {(int64_t)at.x + model->lo.x, (int64_t)at.y + model->lo.z, (int64_t)at.z - 1 - model->hi.y};
	const int64_t hi[3] = {(int64_t)at.x + model->hi.x, (int64_t)at.y + model->hi.z, (int64_t)at.z - 1 - model->lo.y};
	for (int a = 0; a < 3; a++)
		if (lo[a] < -CELL_LIMIT || hi[a] > CELL_LIMIT)
			return Error_Set(error, ERROR_LIMIT,
			                 "the .vox model reaches from cell %lld to %lld on the %c axis; the limit is +-%d",
			                 (long long)lo[a], (long long)hi[a], "xyz"[a], CELL_LIMIT);
	*box =
	    (CellBox){{(int32_t)lo[0], (int32_t)lo[1], (int32_t)lo[2]}, {(int32_t)hi[0], (int32_t)hi[1], (int32_t)hi[2]}};
	return ERROR_NONE;
}

int Store_PlaceVox(Store *store, MaterialTable *table, const VoxModel *model, Cell at, const int16_t materials[256],
                   Tally *tally, int *merged, Error *error)
{
	int gave_way = 0;
	if (merged)
		*merged = 0;
	if (model->count == 0)
		return ERROR_NONE;
	CellBox box;
	ColorUse use = {0};
	int missing = 0;
	int code = Place_Box(model, at, &box, error);
	if (!code)
		code = Colors_Survey(&use, table, model, materials, &missing, error);
	if (code)
		return code;
	MaterialTable changed = *table;
	code = Colors_Resolve(&use, &changed, model, &gave_way, error);
	if (code)
		return code;
	PlaceContext place = {.model = model, .use = &use, .at = at};
	EditPlan plan = {.box = box, .chunk = Place_Chunk, .row = Place_Row, .context = &place};
	if (Place_MapChunks(&place, &store->memory))
		code = Store_RunPlan(store, &plan, NULL, tally, error);
	else
		code = Error_OutOfMemory(error);
	CoordMap_Free(&place.chunks, &store->memory);
	if (!code && missing > 0)
		*table = changed;
	if (!code && merged)
		*merged = gave_way;
	return code;
}
