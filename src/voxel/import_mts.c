/* Schematics of Luanti, formerly Minetest: after its description in the engine's documentation ("schematic format"). */
#include "voxel/blocks_internal.h"

static uint32_t Big16(const uint8_t *at)
{
	return (uint32_t)at[0] << 8 | at[1];
}

typedef struct MtsReader {
	const uint8_t *at, *end, *slices;
	int version;
} MtsReader;

static int Mts_Head(MtsReader *reader, Memory *memory, BlockModel *model, int64_t size[3], Error *error)
{
	if (reader->end - reader->at < 12 || memcmp(reader->at, "MTSM", 4) != 0)
		return Error_Set(error, ERROR_FILE, "the file does not begin with \"MTSM\" and a size");
	reader->version = (int)Big16(reader->at + 4);
	if (reader->version < 3 || reader->version > 4)
		return Error_Set(error, ERROR_FILE, "version %d; 3 and 4 are read", reader->version);
	for (int i = 0; i < 3; i++)
		size[i] = Big16(reader->at + 6 + 2 * i);
	reader->at += 12;
	if (reader->end - reader->at < size[1] + 2)
		return Error_Set(error, ERROR_FILE, "the file is cut in its slices");
	reader->slices = reader->at;
	reader->at += size[1];
	int names = (int)Big16(reader->at);
	reader->at += 2;
	for (int i = 0; i < names; i++) {
		size_t length = reader->end - reader->at >= 2 ? Big16(reader->at) : 0;
		if ((size_t)(reader->end - reader->at) < 2 + length)
			return Error_Set(error, ERROR_FILE, "the file is cut in name %d of %d", i + 1, names);
		int name = BlockModel_AddName(model, memory, (const char *)reader->at + 2, length, error);
		if (name < 0)
			return name;
		reader->at += 2 + length;
	}
	return ERROR_NONE;
}

/* Two bytes of the name's number a node, then one of probability, then one more; x fastest, then y, then z. */
static int Mts_Cells(const MtsReader *reader, const ByteList *plain, BlockModel *model, Error *error)
{
	size_t count = model->bytes / sizeof *model->cells, i = 0;
	if ((size_t)plain->items.count < 4 * count)
		return Error_Set(error, ERROR_FILE, "%d bytes of nodes for %zu cells", plain->items.count, count);
	const uint8_t *number = plain->items.data, *chance = number + 2 * count;
	for (int z = 0; z < model->nz; z++)
		for (int y = 0; y < model->ny; y++)
			for (int x = 0; x < model->nx; x++, i++) {
				uint32_t name = Big16(number + 2 * i);
				/* version 4 keeps a flag in the highest bit */
				int mask = reader->version >= 4 ? 127 : 255;
				if (name >= (uint32_t)model->names.count)
					return Error_Set(error, ERROR_FILE, "node %zu has the number %u; there are %d names", i, name,
					                 model->names.count);
				model->names.data[name].count++;
				if ((chance[i] & mask) == 0 || (reader->slices[y] & mask) == 0)
					model->skipped++;
				else
					model->cells[x + (size_t)model->nx * ((size_t)z + (size_t)model->nz * (size_t)y)] = (uint16_t)name;
			}
	return ERROR_NONE;
}

static int Mts_Read(MtsReader *reader, Memory *memory, BlockModel *model, ByteList *plain, Error *error)
{
	int64_t size[3];
	int code = Mts_Head(reader, memory, model, size, error);
	if (!code)
		code = Blocks_Inflate(memory, reader->at, (size_t)(reader->end - reader->at), plain, error);
	if (!code && size[0] * size[1] * size[2] > plain->items.count / 4)
		code = Error_Set(error, ERROR_FILE, "%d bytes of nodes for %lld x %lld x %lld cells", plain->items.count,
		                 (long long)size[0], (long long)size[1], (long long)size[2]);
	if (!code)
		code = BlockModel_MakeCells(model, memory, size[0], size[1], size[2], error);
	return code ? code : Mts_Cells(reader, plain, model, error);
}

int BlockModel_ReadMts(Memory *memory, const void *data, size_t size, BlockModel *model, Error *error)
{
	ByteList plain = {0};
	Error inner = {0};
	*model = (BlockModel){0};
	MtsReader reader = {.at = data, .end = (const uint8_t *)data + size};
	int code = size > 0 && size <= IMPORT_SIZE_LIMIT ? Mts_Read(&reader, memory, model, &plain, &inner)
	                                                 : Error_Set(&inner, ERROR_FILE, "the file has %zu bytes", size);
	Array_Free(memory, plain.items);
	if (code)
		BlockModel_Free(memory, model);
	return code ? Error_Set(error, inner.code, ".mts: %s", inner.text) : ERROR_NONE;
}
