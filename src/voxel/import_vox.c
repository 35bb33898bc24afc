/* MagicaVoxel's .vox: the chunks, the models and the palette. After "MagicaVoxel .vox File Format" by ephtracy, the
 * editor's author.
 *
 * The models' voxels are not copied before they are placed: they stay in the file's bytes, so what a chunk announces
 * costs no memory before it is checked against what is there. */
#include "voxel/import_internal.h"

/* ---- reading ----------------------------------------------------------------------------------------------- */

static uint32_t LoadU32(const uint8_t *at)
{
	return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

uint32_t VoxReader_U32(VoxReader *reader)
{
	if (reader->failed || reader->end - reader->at < 4) {
		reader->failed = true;
		return 0;
	}
	uint32_t value = LoadU32(reader->at);
	reader->at += 4;
	return value;
}

VoxText VoxReader_Text(VoxReader *reader)
{
	uint32_t length = VoxReader_U32(reader);
	if (reader->failed || length > (size_t)(reader->end - reader->at)) {
		reader->failed = true;
		return (VoxText){"", ""};
	}
	const char *at = (const char *)reader->at;
	reader->at += length;
	return (VoxText){at, at + length};
}

/* A chunk's head: id, size of its content, size of the chunks in it. */
#define CHUNK_HEAD 12

typedef struct VoxChunk {
	char name[5]; /* printable */
	size_t offset;
	const uint8_t *content, *children, *end;
} VoxChunk;

/* Takes the chunk at *at, which must end by `end`. */
static int Chunk_Take(const VoxFile *file, const uint8_t **at, const uint8_t *end, VoxChunk *chunk, Error *error)
{
	chunk->offset = (size_t)(*at - file->data);
	size_t left = (size_t)(end - *at);
	if (left < CHUNK_HEAD)
		return Error_Set(error, ERROR_FILE, ".vox: the file is cut in the head of a chunk at byte %zu", chunk->offset);
	for (int i = 0; i < 4; i++)
		chunk->name[i] = (*at)[i] >= ' ' && (*at)[i] <= '~' ? (char)(*at)[i] : '?';
	chunk->name[4] = '\0';
	uint64_t content = LoadU32(*at + 4), children = LoadU32(*at + 8);
	if (content + children > left - CHUNK_HEAD)
		return Error_Set(error, ERROR_FILE, ".vox: the chunk %s at byte %zu announces %llu bytes; %zu are left",
		                 chunk->name, chunk->offset, (unsigned long long)(content + children), left - CHUNK_HEAD);
	chunk->content = *at + CHUNK_HEAD;
	chunk->children = chunk->content + content;
	chunk->end = chunk->children + children;
	*at = chunk->end;
	return ERROR_NONE;
}

/* ---- palette ----------------------------------------------------------------------------------------------- */

/* What the editor gives a file without RGBA: the 6 x 6 x 6 colours of six even levels from white down, blue fastest and
 * without the last, black; then ramps of red, green, blue and grey, of the 16 even levels those that are not among
 * the six. */
static void Palette_Default(uint32_t palette[256])
{
	int index = 1;
	for (int i = 0; i < 215; i++) {
		int red = 255 - 51 * (i / 36), green = 255 - 51 * (i / 6 % 6), blue = 255 - 51 * (i % 6);
		palette[index++] = (uint32_t)(red << 16 | green << 8 | blue);
	}
	static const uint32_t ramps[4] = {0x010000, 0x000100, 0x000001, 0x010101};
	for (int r = 0; r < 4; r++)
		for (uint32_t level = 14; level >= 1; level--)
			if (level % 3 != 0)
				palette[index++] = 17 * level * ramps[r];
	palette[0] = 0;
}

/* The i-th entry belongs to the colour i + 1. */
static int Vox_ReadPalette(VoxFile *file, const VoxChunk *chunk, Error *error)
{
	if (chunk->children - chunk->content < 4 * 255)
		return Error_Set(error, ERROR_FILE, ".vox: the palette RGBA at byte %zu has %d bytes; 1024 are needed",
		                 chunk->offset, (int)(chunk->children - chunk->content));
	for (int i = 0; i < 255; i++) {
		const uint8_t *rgba = chunk->content + 4 * i;
		file->palette[i + 1] = (uint32_t)(rgba[0] << 16 | rgba[1] << 8 | rgba[2]);
	}
	file->has_palette = true;
	return ERROR_NONE;
}

/* ---- models ------------------------------------------------------------------------------------------------ */

static int Vox_ReadSize(const VoxChunk *chunk, VoxPiece *piece, Error *error)
{
	VoxReader reader = {chunk->content, chunk->children, false};
	for (int a = 0; a < 3; a++)
		piece->size[a] = (int32_t)VoxReader_U32(&reader);
	if (reader.failed)
		return Error_Set(error, ERROR_FILE, ".vox: the chunk SIZE at byte %zu has %d bytes; 12 are needed",
		                 chunk->offset, (int)(chunk->children - chunk->content));
	for (int a = 0; a < 3; a++)
		if (piece->size[a] < 1 || piece->size[a] > VOX_SIZE_LIMIT)
			return Error_Set(error, ERROR_FILE, ".vox: SIZE at byte %zu is %d x %d x %d; each must be in 1..%d",
			                 chunk->offset, piece->size[0], piece->size[1], piece->size[2], VOX_SIZE_LIMIT);
	return ERROR_NONE;
}

/* Counts the valid voxels and takes their bounds. */
static void Piece_Measure(VoxPiece *piece)
{
	piece->valid = 0;
	for (int a = 0; a < 3; a++) {
		piece->lo[a] = VOX_SIZE_LIMIT;
		piece->hi[a] = -1;
	}
	for (int32_t i = 0; i < piece->stored; i++) {
		const uint8_t *voxel = piece->voxels + 4 * (size_t)i;
		if (!VoxPiece_Holds(piece, voxel))
			continue;
		piece->valid++;
		for (int a = 0; a < 3; a++) {
			piece->lo[a] = Int_Min(piece->lo[a], voxel[a]);
			piece->hi[a] = Int_Max(piece->hi[a], voxel[a]);
		}
	}
}

static int Vox_ReadVoxels(VoxFile *file, const VoxChunk *chunk, VoxPiece *piece, Error *error)
{
	VoxReader reader = {chunk->content, chunk->children, false};
	uint32_t count = VoxReader_U32(&reader);
	size_t room = (size_t)(reader.end - reader.at) / 4;
	if (reader.failed || count > room)
		return Error_Set(error, ERROR_FILE, ".vox: XYZI at byte %zu announces %u voxels; there are %zu", chunk->offset,
		                 count, room);
	piece->stored = (int32_t)count;
	piece->voxels = reader.at;
	Piece_Measure(piece);
	file->dropped += piece->stored - piece->valid;
	if (!Array_Push(file->memory, file->pieces, *piece))
		return Error_OutOfMemory(error);
	return ERROR_NONE;
}

/* ---- chunks ------------------------------------------------------------------------------------------------ */

typedef int SceneReadFn(VoxFile *file, VoxReader *reader, size_t offset, Error *error);

static int Vox_ReadChunk(VoxFile *file, const VoxChunk *chunk, VoxPiece *piece, bool *sized, Error *error)
{
	static const struct {
		const char *name;
		SceneReadFn *read;
	} scene[] = {
	    {"nTRN", Scene_ReadTransform}, {"nGRP", Scene_ReadGroup}, {"nSHP", Scene_ReadShape}, {"LAYR", Scene_ReadLayer}};
	for (int i = 0; i < COUNT_OF(scene); i++) {
		VoxReader reader = {chunk->content, chunk->children, false};
		if (strcmp(chunk->name, scene[i].name) == 0)
			return scene[i].read(file, &reader, chunk->offset, error);
	}
	bool is_size = strcmp(chunk->name, "SIZE") == 0, is_voxels = strcmp(chunk->name, "XYZI") == 0;
	if ((is_size && *sized) || (is_voxels && !*sized))
		return Error_Set(error, ERROR_FILE, ".vox: the chunk %s at byte %zu %s", chunk->name, chunk->offset,
		                 is_size ? "follows another without an XYZI" : "has no SIZE before it");
	if (is_size || is_voxels)
		*sized = is_size;
	if (is_size)
		return Vox_ReadSize(chunk, piece, error);
	if (is_voxels)
		return Vox_ReadVoxels(file, chunk, piece, error);
	if (strcmp(chunk->name, "RGBA") == 0)
		return Vox_ReadPalette(file, chunk, error);
	if (strcmp(chunk->name, "PACK") == 0)
		file->has_pack = true;
	return ERROR_NONE; /* cameras, looks and what later versions add */
}

/* Some writers put a nonsensical size into MAIN, so that one may reach past the file's end. But a file that was cut
 * looks the same when the cut falls between two chunks; so then the palette must be there, which editors write after
 * all that counts here. */
static int Vox_ReadMain(VoxFile *file, size_t size, Error *error)
{
	if (size < 8 || memcmp(file->data, "VOX ", 4) != 0)
		return Error_Set(error, ERROR_FILE, ".vox: not a MagicaVoxel file (it does not begin with \"VOX \")");
	const uint8_t *at = file->data + 8, *end = file->data + size;
	if (size < 8 + CHUNK_HEAD || memcmp(at, "MAIN", 4) != 0)
		return Error_Set(error, ERROR_FILE, ".vox: there is no MAIN chunk at byte 8");
	uint64_t content = LoadU32(at + 4), children = LoadU32(at + 8);
	at += CHUNK_HEAD;
	if (content > (size_t)(end - at))
		return Error_Set(error, ERROR_FILE, ".vox: MAIN announces %llu bytes; %zu are left",
		                 (unsigned long long)content, (size_t)(end - at));
	at += content;
	bool beyond = children > (size_t)(end - at);
	if (!beyond)
		end = at + children;
	VoxPiece piece = {0};
	bool sized = false;
	while (at < end) {
		VoxChunk chunk;
		int code = Chunk_Take(file, &at, end, &chunk, error);
		if (!code)
			code = Vox_ReadChunk(file, &chunk, &piece, &sized, error);
		if (code)
			return code;
	}
	if (sized || (beyond && !file->has_palette))
		return Error_Set(error, ERROR_FILE, ".vox: the file is cut after byte %zu", size);
	if (file->pieces.count == 0)
		return Error_Set(error, ERROR_FILE, ".vox: there is no model in the file");
	return ERROR_NONE;
}

/* ---- public ------------------------------------------------------------------------------------------------ */

static void VoxFile_Free(VoxFile *file)
{
	Array_Free(file->memory, file->pieces);
	Array_Free(file->memory, file->nodes);
	Array_Free(file->memory, file->links);
	Array_Free(file->memory, file->instances);
	KeyMap_Free(&file->node_by_id, file->memory);
	KeyMap_Free(&file->layer_is_hidden, file->memory);
}

int VoxModel_Read(Memory *memory, const void *data, size_t size, bool with_hidden, VoxModel *model, Error *error)
{
	memset(model, 0, sizeof *model);
	if (size > IMPORT_SIZE_LIMIT)
		return Error_Set(error, ERROR_FILE, ".vox: the file has %zu bytes; at most %zu are read", size,
		                 IMPORT_SIZE_LIMIT);
	VoxFile file = {.memory = memory, .with_hidden = with_hidden, .data = data};
	Palette_Default(file.palette);
	int code = Vox_ReadMain(&file, size, error);
	if (!code)
		code = Scene_Place(&file, error);
	if (!code)
		code = Vox_FillCells(&file, model, error);
	if (!code) {
		memcpy(model->palette, file.palette, sizeof model->palette);
		model->models = file.pieces.count;
		model->instances = file.seen;
		model->hidden = file.hidden;
		model->dropped = file.dropped;
	}
	VoxFile_Free(&file);
	return code;
}

void VoxModel_Free(Memory *memory, VoxModel *model)
{
	Memory_Free(memory, model->cells, (size_t)model->capacity * sizeof *model->cells);
	memset(model, 0, sizeof *model);
}
