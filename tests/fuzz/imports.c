/* Files of others into a world: what is read becomes cells, or a static mesh that things fall on. The first byte says
 * which kind of file, the next ones with what options; the rest is the file. A refused one must change nothing. */
#include "fuzz.h"

#include "api/api_internal.h"

#include <unistd.h>

#define CEILING ((size_t)256 << 20)
#define OPTION_BYTES 12

static const char *const endings[] = {"png", "hgt", "r16", "vox", "schem", "schematic",
                                      "mts", "obj", "stl", "ply", "glb",   "gltf"};

typedef struct Import {
	Input options;
	ScreeWorld *world;
	const char *path;
} Import;

static int32_t AsHeights(Import *im)
{
	ScreeHeightmap map;
	scree_heightmap_defaults(&map);
	map.path = im->path;
	map.mode = Input_Below(&im->options, 5);
	map.spacing = 0.25 + Input_Byte(&im->options) / 64.0;
	map.min = Input_Number(&im->options);
	map.max = map.min + Input_Byte(&im->options) / 8.0;
	map.bottom = Input_Byte(&im->options) / 16.0;
	return screeTerrain_FillHeightmap(im->world, &map);
}

static int32_t AsVox(Import *im)
{
	ScreeVoxImport import;
	scree_vox_import_defaults(&import);
	import.hidden = Input_Below(&im->options, 2);
	for (int i = 0; i < 3; i++)
		import.at[i] = Input_Below(&im->options, 16) ? Input_Byte(&im->options) - 128.0 : Input_Number(&im->options);
	import.materials[1 + Input_Below(&im->options, 254)] = Input_Below(&im->options, 24) - 1;
	return screeTerrain_ImportVox(im->world, im->path, &import);
}

static int32_t AsBlocks(Import *im)
{
	static const char *const names[] = {"stone", "minecraft:water", "default:tree", "2", "id:5"};
	int32_t materials[COUNT_OF(names)];
	ScreeBlockImport import;
	scree_block_import_defaults(&import);
	import.clear = Input_Below(&im->options, 2);
	import.names = names;
	import.materials = materials;
	import.map_count = Input_Below(&im->options, (int)COUNT_OF(names) + 1);
	for (int i = 0; i < import.map_count; i++)
		materials[i] = Input_Below(&im->options, 20);
	int32_t code = screeTerrain_ImportBlocks(im->world, im->path, &import);
	for (int i = 0; code == SCREE_OK && i < import.block_count; i++)
		REQUIRE(import.blocks[i].name && import.blocks[i].count >= 0.0);
	return code;
}

static int32_t AsMesh(Import *im)
{
	ScreeMeshImport import;
	scree_mesh_import_defaults(&import);
	import.material = Input_Below(&im->options, 20);
	import.mode = Input_Below(&im->options, 4);
	import.shell = Input_Below(&im->options, 3) ? 0.0 : Input_Byte(&im->options) / 64.0;
	for (int i = 0; i < 3; i++)
		import.scale[i] =
		    Input_Below(&im->options, 16) ? 1.0 + Input_Byte(&im->options) / 64.0 : Input_Number(&im->options);
	return screeTerrain_ImportMesh(im->world, im->path, &import);
}

static int32_t AsPart(Import *im)
{
	ScreePart part;
	ScreeAssemblyDef def;
	ScreeId id;
	scree_part_defaults(&part);
	scree_assembly_defaults(&def);
	part.shape = SCREE_MESH;
	part.path = im->path;
	for (int i = 0; i < 3; i++)
		part.scale[i] = Input_Below(&im->options, 8) ? 1.0 : Input_Number(&im->options);
	def.motion = SCREE_STATIC;
	def.parts = &part;
	def.part_count = 1;
	return screeAssembly_Create(im->world, &def, &id);
}

static int32_t Take(Import *im, int ending)
{
	if (ending < 3)
		return AsHeights(im);
	if (ending == 3)
		return AsVox(im);
	if (ending < 7)
		return AsBlocks(im);
	return Input_Below(&im->options, 3) ? AsMesh(im) : AsPart(im);
}

static void AddBall(ScreeWorld *world, double y)
{
	ScreePart part;
	ScreeAssemblyDef def;
	ScreeId id;
	scree_part_defaults(&part);
	scree_assembly_defaults(&def);
	def.parts = &part;
	def.part_count = 1;
	def.position[1] = y;
	REQUIRE(screeAssembly_Create(world, &def, &id) == SCREE_OK);
}

/* What came of it can be lived with. */
static void Use(ScreeWorld *world)
{
	char why[200] = "";
	double from[3] = {0.3, 50, 0.2}, to[3] = {0.1, -50, 0.1};
	ScreeHit hit;
	for (int i = 0; i < 4; i++) {
		int32_t code = screeWorld_Step(world, 1.0 / 60.0, 1);
		REQUIRE(code == SCREE_OK || code == SCREE_OUT_OF_MEMORY || code == SCREE_LIMIT);
	}
	screeWorld_Raycast(world, from, to, NULL, &hit);
	bool sound = World_Validate(world->world, why, sizeof why);
	if (!sound)
		fprintf(stderr, "%s\n", why);
	REQUIRE(sound || why[0] == 0); /* without a reason: no memory to find out */
}

static ScreeWorld *NewWorld(FuzzMemory *ceiling)
{
	ScreeWorldDef def;
	ScreeWorld *world = NULL;
	scree_world_defaults(&def);
	def.resize = FuzzMemory_Resize;
	def.resize_user = ceiling;
	REQUIRE(screeWorld_Create(&def, &world, NULL, 0) == SCREE_OK);
	return world;
}

static void WriteFile(const char *path, const uint8_t *data, size_t size)
{
	FILE *file = fopen(path, "wb");
	REQUIRE(file && fwrite(data, 1, size, file) == size);
	fclose(file);
}

void FuzzOne(const uint8_t *data, size_t size)
{
	char path[80], before[17], after[17];
	if (size <= 1 + OPTION_BYTES)
		return;
	int ending = data[0] % COUNT_OF(endings);
	FuzzMemory ceiling = {.left = CEILING};
	Import im = {.options = {.data = data + 1, .size = OPTION_BYTES}, .world = NewWorld(&ceiling), .path = path};
	snprintf(path, sizeof path, P_tmpdir "/scree-fuzz-imports-%d.%s", (int)getpid(), endings[ending]);
	WriteFile(path, data + 1 + OPTION_BYTES, size - 1 - OPTION_BYTES);
	for (int i = 0; i < 3; i++)
		AddBall(im.world, 1.0 + 2.0 * i);
	REQUIRE(screeWorld_Hash(im.world, before) == SCREE_OK);
	int32_t code = Take(&im, ending);
	unlink(path);
	if (code < 0) {
		REQUIRE(screeWorld_Error(im.world)[0] != 0);
		REQUIRE(screeWorld_Hash(im.world, after) == SCREE_OK && strcmp(before, after) == 0);
	}
	Use(im.world);
	REQUIRE(screeWorld_Destroy(im.world) == 0.0 && ceiling.left == CEILING);
}
