/* Saved terrain, saved worlds and snapshots. The first byte says which; the rest is the file. Checksums are put right
 * before it is read, so that what lies behind them is reached. */
#include "fuzz.h"

#include "scree.h"
#include "voxel/save_internal.h"

#include <sys/mman.h>
#include <unistd.h>

#define CEILING ((size_t)512 << 20)
#define SNAPSHOT_HEAD 20

static void RightFile(uint8_t *data, size_t size)
{
	if (size < SAVE_HEADER_SIZE)
		return;
	Put_U64(data + 16, Hash_Bytes(data, 16));
	size_t at = SAVE_HEADER_SIZE;
	for (uint32_t number = 0; size - at >= SAVE_BLOCK_HEADER; number++) {
		size_t length = Get_U32(data + at + 4), room = size - at - SAVE_BLOCK_HEADER;
		if (length > room)
			return;
		char tag[4];
		memcpy(tag, data + at, 4);
		Put_U64(data + at + 8, Save_BlockHash(number, tag, data + at + SAVE_BLOCK_HEADER, length));
		at += SAVE_BLOCK_HEADER + length;
	}
}

static void RightSnapshot(uint8_t *data, size_t size)
{
	if (size >= SNAPSHOT_HEAD)
		Put_U64(data + 12, Hash_Bytes(data + SNAPSHOT_HEAD, size - SNAPSHOT_HEAD));
}

static ScreeWorld *NewWorld(FuzzMemory *ceiling)
{
	ScreeWorldDef def;
	char error[200];
	ScreeWorld *world = NULL;
	scree_world_defaults(&def);
	def.resize = FuzzMemory_Resize;
	def.resize_user = ceiling;
	REQUIRE(screeWorld_Create(&def, &world, error, sizeof error) == SCREE_OK);
	return world;
}

/* The world that the snapshots among the seeds are of. */
static void Furnish(ScreeWorld *world)
{
	ScreeFill floor = {
	    .brush = SCREE_BRUSH_BOX, .material = screeWorld_FindMaterial(world, "rock"), .rotation = {0, 0, 0, 1}};
	floor.size[0] = floor.size[2] = 16.0;
	floor.size[1] = 4.0;
	floor.position[1] = -2.0;
	REQUIRE(screeTerrain_Fill(world, &floor) == SCREE_OK);
}

static void Use(ScreeWorld *world)
{
	char hash[17];
	double from[3] = {0.3, 50, 0.2}, to[3] = {0.1, -50, 0.1};
	ScreeHit hit;
	for (int i = 0; i < 3; i++) {
		int32_t code = screeWorld_Step(world, 1.0 / 60.0, 1);
		REQUIRE(code == SCREE_OK || code == SCREE_OUT_OF_MEMORY || code == SCREE_LIMIT);
	}
	screeWorld_Raycast(world, from, to, NULL, &hit);
	screeWorld_Hash(world, hash);
}

/* A file without a place on the disk. */
static int OpenFile(const uint8_t *data, size_t size, char path[64])
{
	int file = memfd_create("fuzz", 0);
	REQUIRE(file >= 0 && write(file, data, size) == (ssize_t)size);
	snprintf(path, 64, "/proc/self/fd/%d", file);
	return file;
}

static void LoadTerrain(const uint8_t *data, size_t size)
{
	char path[64], before[17], after[17];
	FuzzMemory ceiling = {.left = CEILING};
	ScreeWorld *world = NewWorld(&ceiling);
	int file = OpenFile(data, size, path);
	REQUIRE(screeWorld_Hash(world, before) == SCREE_OK);
	if (screeTerrain_Load(world, path, 0, NULL) == SCREE_OK)
		Use(world);
	else
		REQUIRE(screeWorld_Hash(world, after) == SCREE_OK && strcmp(before, after) == 0);
	close(file);
	REQUIRE(screeWorld_Destroy(world) == 0.0);
}

static void LoadWorld(const uint8_t *data, size_t size)
{
	char path[64], error[200];
	FuzzMemory ceiling = {.left = CEILING};
	ScreeWorld *world = NULL;
	int file = OpenFile(data, size, path);
	if (screeWorld_Load(path, 1, FuzzMemory_Resize, &ceiling, &world, NULL, NULL, error, sizeof error) == SCREE_OK) {
		Use(world);
		REQUIRE(screeWorld_Destroy(world) == 0.0);
	} else
		REQUIRE(error[0] != 0);
	close(file);
	REQUIRE(ceiling.left == CEILING);
}

static void Restore(const uint8_t *data, size_t size)
{
	char before[17], after[17];
	FuzzMemory ceiling = {.left = CEILING};
	ScreeWorld *world = NewWorld(&ceiling);
	const void *mark, *script;
	double mark_size, script_size;
	Furnish(world);
	REQUIRE(screeWorld_Snapshot(world, NULL, 0, &mark, &mark_size) == SCREE_OK);
	REQUIRE(screeWorld_Hash(world, before) == SCREE_OK);
	if (screeWorld_Restore(world, data, (double)size, &script, &script_size) == SCREE_OK)
		Use(world);
	else
		REQUIRE(screeWorld_Hash(world, after) == SCREE_OK && strcmp(before, after) == 0);
	REQUIRE(screeWorld_Destroy(world) == 0.0);
}

void FuzzOne(const uint8_t *data, size_t size)
{
	if (size == 0)
		return;
	uint8_t *file = malloc(size);
	REQUIRE(file);
	memcpy(file, data + 1, size - 1);
	if (data[0] % 3 == 2)
		RightSnapshot(file, size - 1);
	else
		RightFile(file, size - 1);
	if (data[0] % 3 == 0)
		LoadTerrain(file, size - 1);
	else if (data[0] % 3 == 1)
		LoadWorld(file, size - 1);
	else
		Restore(file, size - 1);
	free(file);
}
