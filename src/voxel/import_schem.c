/* Sponge schematics (after the "Sponge Schematic Specification", versions 1 to 3) and those of MCEdit. */
#include "voxel/blocks_internal.h"

#include <stdio.h>

/* ---- the model --------------------------------------------------------------------------------------------------- */

int BlockModel_AddName(BlockModel *model, Memory *memory, const char *text, size_t length, Error *error)
{
	BlockName name = {{0}, 0};
	if (length == 0 || length >= BLOCK_NAME_SIZE || memchr(text, 0, length))
		return Error_Set(error, ERROR_FILE, "a block's name has %zu bytes, or a zero among them", length);
	if (model->names.count >= BLOCK_NONE)
		return Error_Set(error, ERROR_FILE, "more than %d kinds of blocks", BLOCK_NONE);
	memcpy(name.text, text, length);
	if (!Array_Push(memory, model->names, name))
		return Error_OutOfMemory(error);
	return model->names.count - 1;
}

int BlockModel_MakeCells(BlockModel *model, Memory *memory, int64_t nx, int64_t ny, int64_t nz, Error *error)
{
	/* each is at most 65,535 */
	if (nx < 1 || ny < 1 || nz < 1 || nx * ny > BLOCK_CELL_LIMIT || nx * ny * nz > BLOCK_CELL_LIMIT)
		return Error_Set(error, ERROR_FILE, "a size of %lld x %lld x %lld cells; there must be 1 to %lld",
		                 (long long)nx, (long long)ny, (long long)nz, (long long)BLOCK_CELL_LIMIT);
	model->nx = (int)nx;
	model->ny = (int)ny;
	model->nz = (int)nz;
	model->bytes = (size_t)(nx * ny * nz) * sizeof *model->cells;
	model->cells = Memory_Alloc(memory, model->bytes);
	if (!model->cells)
		return Error_OutOfMemory(error);
	memset(model->cells, 0xFF, model->bytes);
	return ERROR_NONE;
}

void BlockModel_Free(Memory *memory, BlockModel *model)
{
	Memory_Free(memory, model->cells, model->bytes);
	Array_Free(memory, model->names);
	*model = (BlockModel){0};
}

/* ---- Sponge ------------------------------------------------------------------------------------------------------ */

/* Numbers of the palette need not be in order, nor without gaps: index[number] is the name's index. */
static int Sponge_Palette(const NbtTags *tags, const NbtTag *palette, Memory *memory, BlockModel *model,
                          uint16_t *index, Error *error)
{
	for (int i = 0; i < tags->items.count; i++) {
		const NbtTag *tag = &tags->items.data[i];
		if (tag->parent != palette - tags->items.data || tag->type != NBT_INT)
			continue;
		int64_t number = Nbt_Whole(tag);
		if (number < 0 || number >= BLOCK_NONE)
			return Error_Set(error, ERROR_FILE, "the palette gives a block the number %lld", (long long)number);
		int name = BlockModel_AddName(model, memory, tag->name, tag->name_length, error);
		if (name < 0)
			return name;
		index[number] = (uint16_t)name;
	}
	return ERROR_NONE;
}

/* Numbers of the palette as LEB128, x fastest, then z, then y. */
static int Sponge_Cells(const NbtTag *data, const uint16_t *index, BlockModel *model, Error *error)
{
	const uint8_t *at = data->payload, *end = at + data->count;
	size_t count = model->bytes / sizeof *model->cells;
	for (size_t i = 0; i < count; i++) {
		uint32_t number = 0;
		int shift = 0;
		do {
			if (at == end || shift > 28)
				return Error_Set(error, ERROR_FILE, "the blocks end at cell %zu of %zu", i, count);
			number |= (uint32_t)(*at & 127) << shift;
			shift += 7;
		} while (*at++ & 128);
		if (number >= BLOCK_NONE || index[number] == BLOCK_NONE)
			return Error_Set(error, ERROR_FILE, "cell %zu has the number %u, which is not in the palette", i, number);
		model->cells[i] = index[number];
		model->names.data[index[number]].count++;
	}
	if (at != end)
		return Error_Set(error, ERROR_FILE, "%zu bytes of blocks are left over", (size_t)(end - at));
	return ERROR_NONE;
}

static int Sponge_Read(const NbtTags *tags, const NbtTag *palette, const NbtTag *data, Memory *memory,
                       BlockModel *model, Error *error)
{
	size_t room = BLOCK_NONE * sizeof(uint16_t);
	uint16_t *index = Memory_Alloc(memory, room);
	if (!index)
		return Error_OutOfMemory(error);
	memset(index, 0xFF, room);
	int code = Sponge_Palette(tags, palette, memory, model, index, error);
	if (!code)
		code = Sponge_Cells(data, index, model, error);
	Memory_Free(memory, index, room);
	return code;
}

/* ---- MCEdit ------------------------------------------------------------------------------------------------------ */

/* A byte a cell; four more bits a cell in AddBlocks, the first cell's in the high half of a byte. */
static int Classic_Read(const NbtTags *tags, const NbtTag *root, const NbtTag *blocks, Memory *memory,
                        BlockModel *model, Error *error)
{
	const NbtTag *more = Nbt_Find(tags, root, "AddBlocks", NBT_BYTES);
	size_t count = model->bytes / sizeof *model->cells;
	uint16_t name_of[4096];
	memset(name_of, 0xFF, sizeof name_of);
	if ((size_t)blocks->count != count || (more && (size_t)more->count < count / 2))
		return Error_Set(error, ERROR_FILE, "%d blocks for %zu cells", blocks->count, count);
	for (size_t i = 0; i < count; i++) {
		int id = blocks->payload[i];
		if (more && i / 2 < (size_t)more->count)
			id |= (more->payload[i / 2] >> (i & 1 ? 0 : 4) & 15) << 8;
		if (name_of[id] == BLOCK_NONE) {
			char text[16];
			int length = snprintf(text, sizeof text, "id:%d", id);
			int name = BlockModel_AddName(model, memory, text, (size_t)length, error);
			if (name < 0)
				return name;
			name_of[id] = (uint16_t)name;
		}
		model->cells[i] = name_of[id];
		model->names.data[name_of[id]].count++;
	}
	return ERROR_NONE;
}

/* ---- which ------------------------------------------------------------------------------------------------------- */

static int Schem_Size(const NbtTags *tags, const NbtTag *root, const char *name, int64_t *size, Error *error)
{
	const NbtTag *tag = Nbt_Find(tags, root, name, NBT_SHORT);
	if (!tag)
		return Error_Set(error, ERROR_FILE, "there is no %s", name);
	*size = Nbt_Whole(tag) & 0xFFFF;
	return ERROR_NONE;
}

/* Version 3 has all of it in a compound of its own, and the blocks in another. */
static int Schem_Read(const NbtTags *tags, Memory *memory, BlockModel *model, Error *error)
{
	int64_t nx = 0, ny = 0, nz = 0;
	const NbtTag *root = &tags->items.data[0], *inner = Nbt_Find(tags, root, "Schematic", NBT_COMPOUND);
	root = inner ? inner : root;
	int code = Schem_Size(tags, root, "Width", &nx, error);
	if (!code)
		code = Schem_Size(tags, root, "Height", &ny, error);
	if (!code)
		code = Schem_Size(tags, root, "Length", &nz, error);
	if (code)
		return code;
	const NbtTag *blocks = Nbt_Find(tags, root, "Blocks", NBT_COMPOUND), *parent = blocks ? blocks : root;
	const NbtTag *palette = Nbt_Find(tags, parent, "Palette", NBT_COMPOUND);
	const NbtTag *data = Nbt_Find(tags, parent, blocks ? "Data" : "BlockData", NBT_BYTES);
	const NbtTag *classic = Nbt_Find(tags, root, "Blocks", NBT_BYTES);
	if (!(palette && data) && !classic)
		return Error_Set(error, ERROR_FILE, "there are no blocks, neither with a palette nor as numbers");
	/* A cell takes a byte at least. */
	int64_t bytes = palette && data ? data->count : classic->count;
	if (nx * ny > bytes || nx * ny * nz > bytes)
		return Error_Set(error, ERROR_FILE, "%lld bytes of blocks for %lld x %lld x %lld cells", (long long)bytes,
		                 (long long)nx, (long long)ny, (long long)nz);
	code = BlockModel_MakeCells(model, memory, nx, ny, nz, error);
	if (code)
		return code;
	return palette && data ? Sponge_Read(tags, palette, data, memory, model, error)
	                       : Classic_Read(tags, root, classic, memory, model, error);
}

int BlockModel_ReadSchem(Memory *memory, const void *data, size_t size, BlockModel *model, Error *error)
{
	ByteList plain = {0};
	NbtTags tags = {0};
	Error inner = {0};
	const uint8_t *bytes = data;
	int code = ERROR_NONE;
	*model = (BlockModel){0};
	bool packed = size > 0 && bytes[0] != NBT_COMPOUND;
	if (size == 0 || size > IMPORT_SIZE_LIMIT)
		code = Error_Set(&inner, ERROR_FILE, "the file has %zu bytes", size);
	else if (packed)
		code = Blocks_Inflate(memory, bytes, size, &plain, &inner);
	if (!code)
		code = Nbt_Read(memory, packed ? plain.items.data : bytes, packed ? (size_t)plain.items.count : size, &tags,
		                &inner);
	if (!code)
		code = Schem_Read(&tags, memory, model, &inner);
	Array_Free(memory, tags.items);
	Array_Free(memory, plain.items);
	if (code)
		BlockModel_Free(memory, model);
	return code ? Error_Set(error, inner.code, "schematic: %s", inner.text) : ERROR_NONE;
}
