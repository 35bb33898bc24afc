/* NBT and its packing. Walked with a stack of its own, so that no file can exhaust the program's. */
#include "voxel/blocks_internal.h"

#include <zlib.h>

#define NBT_DEPTH 512 /* as deep as the game itself reads */
#define NBT_TAG_LIMIT (1 << 20)
#define INFLATE_STEP ((size_t)1 << 16)

/* ---- unpacking --------------------------------------------------------------------------------------------------- */

static int Inflate_Run(z_stream *stream, Memory *memory, ByteList *out, Error *error)
{
	int result = Z_OK;
	while (result != Z_STREAM_END) {
		size_t want = (size_t)out->items.count + INFLATE_STEP;
		if (want > INFLATE_LIMIT)
			return Error_Set(error, ERROR_FILE, "what is packed is larger than %zu bytes", INFLATE_LIMIT);
		if (!Array_Reserve(memory, out->items, (int)want))
			return Error_OutOfMemory(error);
		stream->next_out = out->items.data + out->items.count;
		stream->avail_out = (uInt)INFLATE_STEP;
		result = inflate(stream, Z_NO_FLUSH);
		WRITTEN_ELSEWHERE(out->items.data + out->items.count, INFLATE_STEP);
		out->items.count += (int)(INFLATE_STEP - stream->avail_out);
		if (result == Z_MEM_ERROR)
			return Error_OutOfMemory(error);
		if (result != Z_OK && result != Z_STREAM_END)
			return Error_Set(error, ERROR_FILE, "what is packed is damaged or cut");
	}
	return ERROR_NONE;
}

/* The library's own working memory, some 40 kB, comes from the C heap: its hooks free without a size. */
int Blocks_Inflate(Memory *memory, const uint8_t *data, size_t size, ByteList *out, Error *error)
{
	z_stream stream = {.next_in = (Bytef *)data, .avail_in = (uInt)size};
	*out = (ByteList){0};
	if (inflateInit2(&stream, 15 + 32) != Z_OK) /* 32: gzip or zlib by its head */
		return Error_OutOfMemory(error);
	int code = Inflate_Run(&stream, memory, out, error);
	inflateEnd(&stream);
	if (code)
		Array_Free(memory, out->items);
	return code;
}

/* ---- walking ----------------------------------------------------------------------------------------------------- */

typedef struct NbtLevel {
	int32_t tag;     /* of a compound that is recorded; -1: it lies in a list */
	int32_t left;    /* list: items to come */
	uint8_t list_of; /* NBT_END: a compound */
} NbtLevel;

typedef struct NbtWalk {
	Memory *memory;
	const uint8_t *data, *at, *end;
	NbtTags *tags;
	NbtLevel levels[NBT_DEPTH];
	int depth;
} NbtWalk;

static int Nbt_Cut(const NbtWalk *walk, Error *error)
{
	return Error_Set(error, ERROR_FILE, "NBT: the data is cut at byte %zu", (size_t)(walk->at - walk->data));
}

static uint32_t Big32(const uint8_t *at)
{
	return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static bool Nbt_Has(const NbtWalk *walk, uint64_t bytes)
{
	return bytes <= (uint64_t)(walk->end - walk->at);
}

static int Nbt_Push(NbtWalk *walk, NbtLevel level, Error *error)
{
	if (walk->depth == NBT_DEPTH)
		return Error_Set(error, ERROR_FILE, "NBT: nested deeper than %d levels at byte %zu", NBT_DEPTH,
		                 (size_t)(walk->at - walk->data));
	walk->levels[walk->depth++] = level;
	return ERROR_NONE;
}

/* Passes over a value, or goes into it. tag: its record or -1. */
static int Nbt_Value(NbtWalk *walk, uint8_t type, int32_t index, Error *error)
{
	static const uint8_t sizes[] = {0, 1, 2, 4, 8, 4, 8};
	static const uint8_t items[] = {[NBT_BYTES] = 1, [NBT_INTS] = 4, [NBT_LONGS] = 8};
	NbtTag *tag = index >= 0 ? &walk->tags->items.data[index] : NULL;
	if (type == NBT_COMPOUND)
		return Nbt_Push(walk, (NbtLevel){index, 0, NBT_END}, error);
	uint64_t head = type == NBT_STRING ? 2 : type == NBT_LIST ? 5 : type >= NBT_BYTES ? 4 : 0, size = 0;
	if (!Nbt_Has(walk, head))
		return Nbt_Cut(walk, error);
	if (type == NBT_LIST) {
		NbtLevel level = {-1, (int32_t)Big32(walk->at + 1), walk->at[0]};
		bool empty = level.left <= 0;
		walk->at += 5;
		if (empty)
			return ERROR_NONE;
		if (level.list_of == NBT_END || level.list_of > NBT_LONGS)
			return Error_Set(error, ERROR_FILE, "NBT: a list of %d items of type %d", level.left, level.list_of);
		return Nbt_Push(walk, level, error);
	}
	if (type == NBT_STRING)
		size = (uint64_t)walk->at[0] << 8 | walk->at[1];
	else if (type >= NBT_BYTES)
		size = (uint64_t)Big32(walk->at) * items[type];
	else
		size = sizes[type];
	walk->at += head;
	if (!Nbt_Has(walk, size))
		return Nbt_Cut(walk, error);
	if (tag) {
		tag->payload = walk->at;
		tag->count = (int32_t)(type == NBT_STRING ? size : type >= NBT_BYTES ? size / items[type] : 1);
	}
	walk->at += size;
	return ERROR_NONE;
}

/* A type and a name, then its value. */
static int Nbt_Named(NbtWalk *walk, int32_t parent, bool record, Error *error)
{
	uint8_t type = *walk->at;
	if (type > NBT_LONGS)
		return Error_Set(error, ERROR_FILE, "NBT: a tag of type %d at byte %zu", type, (size_t)(walk->at - walk->data));
	walk->at++;
	if (!Nbt_Has(walk, 2))
		return Nbt_Cut(walk, error);
	uint16_t length = (uint16_t)(walk->at[0] << 8 | walk->at[1]);
	walk->at += 2;
	if (!Nbt_Has(walk, length))
		return Nbt_Cut(walk, error);
	NbtTag tag = {.parent = parent, .type = type, .name_length = length, .name = (const char *)walk->at};
	walk->at += length;
	if (record && walk->tags->items.count == NBT_TAG_LIMIT)
		return Error_Set(error, ERROR_FILE, "NBT: more than %d tags", NBT_TAG_LIMIT);
	if (record && !Array_Push(walk->memory, walk->tags->items, tag))
		return Error_OutOfMemory(error);
	return Nbt_Value(walk, type, record ? walk->tags->items.count - 1 : -1, error);
}

static int Nbt_Walk(NbtWalk *walk, Error *error)
{
	if (walk->at == walk->end || *walk->at != NBT_COMPOUND)
		return Error_Set(error, ERROR_FILE, "NBT: the data does not begin with a compound");
	int code = Nbt_Named(walk, -1, true, error);
	while (!code && walk->depth > 0) {
		NbtLevel *level = &walk->levels[walk->depth - 1];
		if (level->list_of != NBT_END) {
			if (level->left-- == 0)
				walk->depth--;
			else
				code = Nbt_Value(walk, level->list_of, -1, error);
		} else if (walk->at == walk->end) {
			code = Nbt_Cut(walk, error);
		} else if (*walk->at == NBT_END) {
			walk->at++;
			walk->depth--;
		} else {
			code = Nbt_Named(walk, level->tag, level->tag >= 0, error);
		}
	}
	return code;
}

int Nbt_Read(Memory *memory, const uint8_t *data, size_t size, NbtTags *tags, Error *error)
{
	NbtWalk walk = {.memory = memory, .data = data, .at = data, .end = data + size, .tags = tags};
	*tags = (NbtTags){0};
	int code = size > 0 ? Nbt_Walk(&walk, error) : Error_Set(error, ERROR_FILE, "NBT: there is no data");
	if (code)
		Array_Free(memory, tags->items);
	return code;
}

const NbtTag *Nbt_Find(const NbtTags *tags, const NbtTag *parent, const char *name, NbtType type)
{
	size_t length = strlen(name);
	for (int i = 0; parent && i < tags->items.count; i++) {
		const NbtTag *tag = &tags->items.data[i];
		if (tag->parent == parent - tags->items.data && tag->type == type && tag->name_length == length &&
		    memcmp(tag->name, name, length) == 0)
			return tag;
	}
	return NULL;
}

int64_t Nbt_Whole(const NbtTag *tag)
{
	if (tag->type == NBT_BYTE)
		return (int8_t)tag->payload[0];
	if (tag->type == NBT_SHORT)
		return (int16_t)(tag->payload[0] << 8 | tag->payload[1]);
	return (int32_t)Big32(tag->payload);
}
