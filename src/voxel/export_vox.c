/* MagicaVoxel's .vox, written. After "MagicaVoxel .vox File Format" by ephtracy, the editor's author. */
#include "voxel/import_internal.h"
#include "voxel/store_internal.h"

#include <stdio.h>

#define GATHER_SIZE (CHUNK_SIZE + 2)
#define GATHER_CELLS (GATHER_SIZE * GATHER_SIZE * GATHER_SIZE)

/* One model: the cells of a cube of VOX_SIZE_LIMIT that hold any. */
typedef struct VoxBlock {
	CellBox box; /* of the cells that are written */
	int64_t count;
} VoxBlock;

typedef struct VoxExporter {
	const Store *store;
	Memory *memory;
	CellBox box;
	ARRAY(VoxBlock) blocks; /* in the order in which their first chunks come */
	CoordMap block_at;
	bool used[MATERIAL_LIMIT];
	uint8_t color[MATERIAL_LIMIT];
	uint8_t *material, *value; /* of one chunk with a margin of one */
	int64_t cells;
	FileWriter *writer; /* while it is written: */
	const VoxBlock *block;
} VoxExporter;

/* ---- which cells ------------------------------------------------------------------------------------------------- */

/* What the surface takes for inside: at least half full, or a cell under that that nothing around exceeds. */
static bool IsInside(const uint8_t *material, const uint8_t *value, size_t at)
{
	if (material[at] == MATERIAL_AIR)
		return false;
	if (value[at] >= 128)
		return true;
	for (int y = -1; y <= 1; y++)
		for (int z = -1; z <= 1; z++)
			for (int x = -1; x <= 1; x++) {
				size_t near = at + (size_t)(x + GATHER_SIZE * (z + GATHER_SIZE * y));
				if (material[near] != MATERIAL_AIR && value[near] > value[at])
					return false;
			}
	return true;
}

typedef bool VoxCellFn(VoxExporter *exporter, Cell cell, uint8_t material);

/* Calls fn for every cell to be written of one chunk: in the order y, z, x. */
static bool Chunk_Cells(VoxExporter *exporter, Cell chunk, VoxCellFn *fn)
{
	CellBox whole = Chunk_Box(chunk), piece = CellBox_Intersect(whole, exporter->box);
	if (!CellBox_IsValid(piece))
		return true;
	CellBox wide = {{whole.lo.x - 1, whole.lo.y - 1, whole.lo.z - 1}, {whole.hi.x + 1, whole.hi.y + 1, whole.hi.z + 1}};
	Region region = {GATHER_SIZE, GATHER_SIZE, GATHER_SIZE, {exporter->material, exporter->value, NULL}};
	Store_Read(exporter->store, wide, &region);
	for (int32_t y = piece.lo.y; y <= piece.hi.y; y++)
		for (int32_t z = piece.lo.z; z <= piece.hi.z; z++)
			for (int32_t x = piece.lo.x; x <= piece.hi.x; x++) {
				size_t at = (size_t)(x - wide.lo.x) +
				            GATHER_SIZE * ((size_t)(z - wide.lo.z) + GATHER_SIZE * (size_t)(y - wide.lo.y));
				if (IsInside(exporter->material, exporter->value, at) &&
				    !fn(exporter, (Cell){x, y, z}, exporter->material[at]))
					return false;
			}
	return true;
}

/* Cubes are counted from the first cell of what there is, so that what fits one model makes one. */
static int32_t CubeOf(int32_t cell, int32_t first)
{
	return (int32_t)(((int64_t)cell - first) / VOX_SIZE_LIMIT);
}

static bool CountCell(VoxExporter *exporter, Cell cell, uint8_t material)
{
	Cell first = exporter->box.lo;
	Cell cube = {CubeOf(cell.x, first.x), CubeOf(cell.y, first.y), CubeOf(cell.z, first.z)};
	int index = CoordMap_Find(&exporter->block_at, cube.x, cube.y, cube.z);
	if (index < 0) {
		VoxBlock block = {CellBox_Empty(), 0};
		index = exporter->blocks.count;
		if (!Array_Push(exporter->memory, exporter->blocks, block) ||
		    !CoordMap_Put(&exporter->block_at, exporter->memory, cube.x, cube.y, cube.z, index))
			return false;
	}
	VoxBlock *block = &exporter->blocks.data[index];
	block->box = CellBox_Union(block->box, (CellBox){cell, cell});
	block->count++;
	exporter->used[material] = true;
	exporter->cells++;
	return true;
}

static int Exporter_Count(VoxExporter *exporter, Progress *progress, Error *error)
{
	int chunks = Store_ChunkCount(exporter->store);
	for (int i = 0; i < chunks; i++) {
		if (!Chunk_Cells(exporter, Store_ChunkAt(exporter->store, i), CountCell))
			return Error_OutOfMemory(error);
		if (exporter->cells > VOX_VOXEL_LIMIT)
			return Error_Set(error, ERROR_LIMIT, "more than %lld cells; a .vox file is read back up to there",
			                 (long long)VOX_VOXEL_LIMIT);
		Progress_Update(progress, 0.5 * i / chunks);
	}
	if (exporter->cells == 0)
		return Error_Set(error, ERROR_ARGUMENT, "there are no solid cells to write");
	int next = 1;
	for (int m = 0; m < MATERIAL_LIMIT; m++)
		if (exporter->used[m])
			exporter->color[m] = (uint8_t)next++; /* air and water are never used, so at most 254 */
	return ERROR_NONE;
}

/* ---- the file ---------------------------------------------------------------------------------------------------- */

static void ChunkHead(FileWriter *writer, const char *name, uint64_t content)
{
	FileWriter_Bytes(writer, name, 4);
	FileWriter_U32(writer, (uint32_t)content);
	FileWriter_U32(writer, 0);
}

static void Text(FileWriter *writer, const char *text)
{
	FileWriter_U32(writer, (uint32_t)strlen(text));
	FileWriter_Text(writer, text);
}

/* Sizes in the file's axes: x, then world z, then world y. */
static void BlockSize(const VoxBlock *block, int32_t size[3])
{
	size[0] = block->box.hi.x - block->box.lo.x + 1;
	size[1] = block->box.hi.z - block->box.lo.z + 1;
	size[2] = block->box.hi.y - block->box.lo.y + 1;
}

/* Cell p of a model goes to p - floor(size / 2) + t; the model's first cell is the box's, with y of the file = -1 - z.
 */
static void BlockShift(const VoxBlock *block, char text[64])
{
	int32_t size[3];
	BlockSize(block, size);
	const int64_t lo[3] = {block->box.lo.x, -1 - (int64_t)block->box.hi.z, block->box.lo.y};
	snprintf(text, 64, "%lld %lld %lld", (long long)(lo[0] + size[0] / 2), (long long)(lo[1] + size[1] / 2),
	         (long long)(lo[2] + size[2] / 2));
}

static size_t TransformSize(const char *shift)
{
	return 4 + 4 + 4 + 4 + 4 + 4 + 4 + (shift[0] ? 4 + 2 + 4 + strlen(shift) : 0);
}

static void WriteTransform(FileWriter *writer, int id, int child, const char *shift)
{
	ChunkHead(writer, "nTRN", TransformSize(shift));
	FileWriter_U32(writer, (uint32_t)id);
	FileWriter_U32(writer, 0);
	FileWriter_U32(writer, (uint32_t)child);
	FileWriter_U32(writer, UINT32_MAX);                /* reserved */
	FileWriter_U32(writer, shift[0] ? 0 : UINT32_MAX); /* layer; the root has none */
	FileWriter_U32(writer, 1);
	FileWriter_U32(writer, shift[0] ? 1 : 0);
	if (shift[0]) {
		Text(writer, "_t");
		Text(writer, shift);
	}
}

/* Nodes: 0 the root, 1 the group, then for block i the transform 2 + 2 i and the shape 3 + 2 i. */
static void WriteScene(FileWriter *writer, const VoxExporter *exporter)
{
	int count = exporter->blocks.count;
	WriteTransform(writer, 0, 1, "");
	ChunkHead(writer, "nGRP", 12 + 4 * (uint64_t)count);
	FileWriter_U32(writer, 1);
	FileWriter_U32(writer, 0);
	FileWriter_U32(writer, (uint32_t)count);
	for (int i = 0; i < count; i++)
		FileWriter_U32(writer, (uint32_t)(2 + 2 * i));
	for (int i = 0; i < count; i++) {
		char shift[64];
		BlockShift(&exporter->blocks.data[i], shift);
		WriteTransform(writer, 2 + 2 * i, 3 + 2 * i, shift);
		ChunkHead(writer, "nSHP", 20);
		FileWriter_U32(writer, (uint32_t)(3 + 2 * i));
		FileWriter_U32(writer, 0);
		FileWriter_U32(writer, 1);
		FileWriter_U32(writer, (uint32_t)i);
		FileWriter_U32(writer, 0);
	}
}

static void WritePalette(FileWriter *writer, const VoxExporter *exporter, const MaterialTable *table)
{
	uint32_t palette[256] = {0};
	for (int m = 0; m < table->count; m++) {
		uint32_t color = table->items[m].color;
		if (exporter->used[m]) /* bytes red, green, blue, alpha; colour i stands at i - 1 */
			palette[exporter->color[m] - 1] = (color >> 16 & 255) | (color & 0xFF00) | (color & 255) << 16 | 0xFF000000;
	}
	ChunkHead(writer, "RGBA", sizeof palette);
	for (int i = 0; i < 256; i++)
		FileWriter_U32(writer, palette[i]);
}

static bool WriteCell(VoxExporter *exporter, Cell cell, uint8_t material)
{
	CellBox box = exporter->block->box;
	const uint8_t voxel[4] = {(uint8_t)(cell.x - box.lo.x), (uint8_t)(box.hi.z - cell.z), (uint8_t)(cell.y - box.lo.y),
	                          exporter->color[material]};
	FileWriter_Bytes(exporter->writer, voxel, sizeof voxel);
	return true;
}

static void WriteBlock(VoxExporter *exporter, const VoxBlock *block)
{
	FileWriter *writer = exporter->writer;
	int32_t size[3];
	exporter->block = block;
	exporter->box = block->box; /* a chunk may reach into several cubes */
	BlockSize(block, size);
	ChunkHead(writer, "SIZE", 12);
	for (int i = 0; i < 3; i++)
		FileWriter_U32(writer, (uint32_t)size[i]);
	ChunkHead(writer, "XYZI", 4 + 4 * (uint64_t)block->count);
	FileWriter_U32(writer, (uint32_t)block->count);
	CellBox cells = block->box;
	for (int32_t y = cells.lo.y >> CHUNK_BITS; y <= cells.hi.y >> CHUNK_BITS; y++)
		for (int32_t z = cells.lo.z >> CHUNK_BITS; z <= cells.hi.z >> CHUNK_BITS; z++)
			for (int32_t x = cells.lo.x >> CHUNK_BITS; x <= cells.hi.x >> CHUNK_BITS; x++)
				if (Store_FindChunk(exporter->store, (Cell){x, y, z}) >= 0)
					Chunk_Cells(exporter, (Cell){x, y, z}, WriteCell);
}

/* All but MAIN's own head. */
static uint64_t ContentSize(const VoxExporter *exporter)
{
	uint64_t head = 12, size = head + TransformSize("") + head + 12 + head + 1024;
	for (int i = 0; i < exporter->blocks.count; i++) {
		char shift[64];
		BlockShift(&exporter->blocks.data[i], shift);
		size += head + 12 + head + 4 + 4 * (uint64_t)exporter->blocks.data[i].count;
		size += 4 + head + TransformSize(shift) + head + 20;
	}
	return size;
}

static int Exporter_Write(VoxExporter *exporter, const MaterialTable *table, const char *path, uint64_t *bytes,
                          Progress *progress, Error *error)
{
	FileWriter writer;
	uint64_t size = ContentSize(exporter);
	if (size > IMPORT_SIZE_LIMIT - 64)
		return Error_Set(error, ERROR_LIMIT, "the file would have %llu bytes; at most %zu are read back",
		                 (unsigned long long)size, IMPORT_SIZE_LIMIT);
	int code = FileWriter_Open(&writer, exporter->memory, path, error);
	if (code)
		return code;
	exporter->writer = &writer;
	FileWriter_Text(&writer, "VOX ");
	FileWriter_U32(&writer, 150);
	FileWriter_Text(&writer, "MAIN");
	FileWriter_U32(&writer, 0);
	FileWriter_U32(&writer, (uint32_t)size);
	for (int i = 0; i < exporter->blocks.count; i++) {
		WriteBlock(exporter, &exporter->blocks.data[i]);
		Progress_Update(progress, 0.5 + 0.5 * i / exporter->blocks.count);
	}
	WriteScene(&writer, exporter);
	WritePalette(&writer, exporter, table);
	SCREE_ASSERT(writer.written == size + 20);
	*bytes = writer.written;
	return FileWriter_Close(&writer, error);
}

int Store_WriteVox(const Store *store, const MaterialTable *table, Memory *memory, CellBox box, const char *path,
                   uint64_t *bytes, int64_t *cells, int *models, Error *error)
{
	VoxExporter exporter = {.store = store, .memory = memory, .box = box};
	Progress progress;
	exporter.material = Memory_Alloc(memory, GATHER_CELLS);
	exporter.value = Memory_Alloc(memory, GATHER_CELLS);
	int code = exporter.material && exporter.value ? ERROR_NONE : Error_OutOfMemory(error);
	Progress_Begin(&progress, "writing cells");
	CellBox bounds;
	if (Store_Bounds(store, &bounds))
		exporter.box = CellBox_Intersect(box, bounds);
	if (!code)
		code = Exporter_Count(&exporter, &progress, error);
	if (!code)
		code = Exporter_Write(&exporter, table, path, bytes, &progress, error);
	Progress_End(&progress);
	*cells = exporter.cells;
	*models = exporter.blocks.count;
	Memory_Free(memory, exporter.material, GATHER_CELLS);
	Memory_Free(memory, exporter.value, GATHER_CELLS);
	Array_Free(memory, exporter.blocks);
	CoordMap_Free(&exporter.block_at, memory);
	return code;
}
