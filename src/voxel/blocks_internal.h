/* Private to the importers of schematics. */
#ifndef SCREE_VOXEL_BLOCKS_INTERNAL_H
#define SCREE_VOXEL_BLOCKS_INTERNAL_H

#include "voxel/voxel.h"

#define BLOCK_CELL_LIMIT ((int64_t)1 << 27)
#define INFLATE_LIMIT ((size_t)1 << 28) /* bytes of what was packed */

typedef struct ByteList {
	ARRAY(uint8_t) items;
} ByteList;

/* Unpacks gzip or zlib; what follows the end is passed over. */
int Blocks_Inflate(Memory *memory, const uint8_t *data, size_t size, ByteList *out, Error *error);
/* Adds a name; its index, or an ErrorCode. */
int BlockModel_AddName(BlockModel *model, Memory *memory, const char *text, size_t length, Error *error);
/* Checks the size and makes the cells, all BLOCK_NONE. */
int BlockModel_MakeCells(BlockModel *model, Memory *memory, int64_t nx, int64_t ny, int64_t nz, Error *error);

/* ---- NBT (import_nbt.c), after the format's description by Markus Persson ---------------------------------------- */

typedef enum NbtType {
	NBT_END,
	NBT_BYTE,
	NBT_SHORT,
	NBT_INT,
	NBT_LONG,
	NBT_FLOAT,
	NBT_DOUBLE,
	NBT_BYTES,
	NBT_STRING,
	NBT_LIST,
	NBT_COMPOUND,
	NBT_INTS,
	NBT_LONGS
} NbtType;

/* A named tag outside of lists. */
typedef struct NbtTag {
	int32_t parent; /* index, -1 for the root */
	uint8_t type;
	uint16_t name_length;
	const char *name;
	const uint8_t *payload; /* of the value; of arrays and strings the first item */
	int32_t count;          /* items of arrays, bytes of strings */
} NbtTag;

typedef struct NbtTags {
	ARRAY(NbtTag) items;
} NbtTags;

int Nbt_Read(Memory *memory, const uint8_t *data, size_t size, NbtTags *tags, Error *error);
/* The child of a tag, or NULL. */
const NbtTag *Nbt_Find(const NbtTags *tags, const NbtTag *parent, const char *name, NbtType type);
/* A byte, short or int. */
int64_t Nbt_Whole(const NbtTag *tag);

#endif
