/* Terrain to a file: header, blocks, and what terrain puts into them. The format is described in voxel.h. */
#include "voxel/rle_internal.h"
#include "voxel/save_internal.h"

#include <stdio.h>

const char save_magic[8] = {(char)0x89, 'S', 'C', 'R', 'E', 'E', '\r', '\n'};

/* ---- header and blocks --------------------------------------------------------------------------------------- */

int Save_Begin(SaveWriter *save, Memory *memory, SaveWriteFn *write, void *context, Error *error)
{
	*save = (SaveWriter){.memory = memory, .write = write, .context = context};
	uint8_t header[SAVE_HEADER_SIZE];
	memcpy(header, save_magic, sizeof(save_magic));
	Put_U32(header + 8, SAVE_VERSION);
	Put_U32(header + 12, 0);
	Put_U64(header + 16, Hash_Bytes(header, 16));
	return write(context, header, sizeof(header), error);
}

uint64_t Save_BlockHash(uint32_t number, const char tag[4], const void *data, size_t size)
{
	uint8_t head[12];
	Hasher hasher;
	Put_U32(head, number);
	memcpy(head + 4, tag, 4);
	Put_U32(head + 8, (uint32_t)size);
	Hasher_Init(&hasher);
	Hasher_Bytes(&hasher, head, sizeof(head));
	Hasher_Bytes(&hasher, data, size);
	return Hasher_Value(&hasher);
}

int Save_Block(SaveWriter *save, const char *tag, const void *data, size_t size, Error *error)
{
	if (size > SAVE_BLOCK_LIMIT)
		return Error_Set(error, ERROR_LIMIT, "a block \"%s\" of %zu bytes is more than %zu", tag, size,
		                 SAVE_BLOCK_LIMIT);
	uint8_t head[SAVE_BLOCK_HEADER];
	memcpy(head, tag, 4);
	Put_U32(head + 4, (uint32_t)size);
	Put_U64(head + 8, Save_BlockHash(save->blocks, tag, data, size));
	save->blocks++;
	int code = save->write(save->context, head, sizeof(head), error);
	return code || size == 0 ? code : save->write(save->context, data, size, error);
}

int Save_End(SaveWriter *save, Error *error)
{
	return Save_Block(save, "END ", NULL, 0, error);
}

/* ---- terrain ------------------------------------------------------------------------------------------------- */

#define MATERIAL_BYTES (1 + MATERIAL_NAME_SIZE + 7 * 4)

static int Save_Materials(SaveWriter *save, const MaterialTable *table, Error *error)
{
	uint8_t bytes[2 + MATERIAL_LIMIT * MATERIAL_BYTES] = {(uint8_t)table->count, (uint8_t)(table->count >> 8)};
	size_t size = 2;
	for (int i = 0; i < table->count; i++) {
		const Material *m = &table->items[i];
		const float values[] = {m->density, m->friction, m->restitution, m->rolling, m->hardness, m->blockiness};
		size_t length = strlen(m->name);
		bytes[size++] = (uint8_t)length;
		memcpy(bytes + size, m->name, length);
		size += length;
		for (int k = 0; k < COUNT_OF(values); k++, size += 4)
			Put_F32(bytes + size, values[k]);
		Put_U32(bytes + size, m->color);
		size += 4;
	}
	return Save_Block(save, "MATS", bytes, size, error);
}

typedef struct CellSaver {
	Rle rle;
	ByteList pack;
	SaveWriter *save;
	int level;
} CellSaver;

static int Save_Pack(CellSaver *saver, Error *error)
{
	saver->pack.count = 0;
	if (!Rle_Finish(&saver->rle, saver->level, &saver->pack))
		return Error_OutOfMemory(error);
	return Save_Block(saver->save, "CELL", saver->pack.data, (size_t)saver->pack.count, error);
}

static int Save_Chunks(CellSaver *saver, const Store *store, Error *error)
{
	Progress progress;
	Progress_Begin(&progress, "save");
	int code = ERROR_NONE, count = store->order.count;
	for (int i = 0; i < count && !code; i++) {
		const Chunk *chunk = &store->chunks.data[store->order.data[i]];
		if (!Rle_Add(&saver->rle, (Cell){chunk->x, chunk->y, chunk->z}, chunk->channel))
			code = Error_OutOfMemory(error);
		else if (Rle_IsFull(&saver->rle) || i == count - 1)
			code = Save_Pack(saver, error);
		Progress_Update(&progress, (double)i / count);
	}
	Progress_End(&progress);
	return code;
}

static int Save_Cells(SaveWriter *save, const Store *store, int level, Error *error)
{
	CellSaver *saver = Memory_AllocZero(save->memory, sizeof(*saver));
	if (!saver || !Rle_Begin(&saver->rle, save->memory, false)) {
		Memory_Free(save->memory, saver, sizeof(*saver));
		return Error_OutOfMemory(error);
	}
	saver->save = save;
	saver->level = level;
	int code = Save_Chunks(saver, store, error);
	Rle_End(&saver->rle);
	Array_Free(save->memory, saver->pack);
	Memory_Free(save->memory, saver, sizeof(*saver));
	return code;
}

int Store_SaveBlocks(const Store *store, const MaterialTable *table, double cell_size, int level, SaveWriter *save,
                     Error *error)
{
	uint8_t info[8], sums[12];
	Put_F64(info, cell_size);
	Put_U32(sums, (uint32_t)store->order.count);
	Put_U64(sums + 4, (uint64_t)store->solid_cells);
	if (Store_Bytes(store) > SAVE_STORE_LIMIT)
		return Error_Set(error, ERROR_LIMIT, "terrain of %zu bytes is more than a file may hold (%zu)",
		                 Store_Bytes(store), SAVE_STORE_LIMIT);
	int code = Save_Block(save, "INFO", info, sizeof(info), error);
	if (!code)
		code = Save_Materials(save, table, error);
	if (!code)
		code = Save_Cells(save, store, level, error);
	return code ? code : Save_Block(save, "CSUM", sums, sizeof(sums), error);
}

/* ---- files --------------------------------------------------------------------------------------------------- */

/* Once a write has failed there is no use in going on; closing the file says why. */
static int WriteToFile(void *context, const void *data, size_t size, Error *error)
{
	FileWriter *writer = context;
	(void)error;
	FileWriter_Bytes(writer, data, size);
	return writer->failure ? ERROR_FILE : ERROR_NONE;
}

int Store_Save(const Store *store, const MaterialTable *table, double cell_size, int level, const char *path,
               Error *error)
{
	FileWriter writer;
	SaveWriter save;
	int code = FileWriter_Open(&writer, store->parent, path, error);
	if (code)
		return code;
	code = Save_Begin(&save, store->parent, WriteToFile, &writer, error);
	if (!code)
		code = Store_SaveBlocks(store, table, cell_size, level, &save, error);
	if (!code)
		code = Save_End(&save, error);
	if (!code || writer.failure)
		return FileWriter_Close(&writer, error);
	FileWriter_Drop(&writer);
	return code;
}
