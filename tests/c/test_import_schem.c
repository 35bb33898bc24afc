/* Schematics: real ones against known facts, every version written here, damaged bytes; and what becomes of blocks. */
#include "corpus.h"
#include "failing_store.h"
#include "mesh_samples.h"
#include "voxel/voxel.h"

#include <check.h>
#include <zlib.h>

static int Read(Memory *heap, bool mts, const void *data, size_t size, BlockModel *model, Error *error)
{
	void *copy = malloc(size > 0 ? size : 1); /* so that the address sanitizer sees a read beyond the end */
	REQUIRE(copy, "no memory for the test itself");
	if (size > 0)
		memcpy(copy, data, size);
	size_t before = heap->bytes;
	*error = (Error){0};
	int code =
	    mts ? BlockModel_ReadMts(heap, copy, size, model, error) : BlockModel_ReadSchem(heap, copy, size, model, error);
	free(copy);
	if (code) {
		REQUIRE(code < 0 && (int)error->code == code && strlen(error->text) > 10, "error %d: %s", code, error->text);
		REQUIRE(heap->bytes == before && !model->cells, "a failed read left something: %s", error->text);
		return code;
	}
	int64_t counted = 0, named = 0;
	size_t cells = (size_t)model->nx * model->ny * model->nz;
	for (size_t i = 0; i < cells; i++) {
		REQUIRE(model->cells[i] == BLOCK_NONE || model->cells[i] < model->names.count, "cell %zu", i);
		counted += model->cells[i] != BLOCK_NONE;
	}
	for (int i = 0; i < model->names.count; i++)
		named += model->names.data[i].count;
	REQUIRE(counted + model->skipped == (int64_t)cells && named == (int64_t)cells, "counts");
	return code;
}

static int64_t CountOf(const BlockModel *model, const char *name)
{
	for (int i = 0; i < model->names.count; i++)
		if (strcmp(model->names.data[i].text, name) == 0)
			return model->names.data[i].count;
	return 0;
}

/* ---- real files -------------------------------------------------------------------------------------------------- */

START_TEST(test_corpus)
{
	static const struct {
		const char *file;
		int size[3];
		const char *names[4];
		int counts[4], placed;
	} files[] = {
	    {"schem/apple_tree.mts",
	     {7, 8, 7},
	     {"air", "default:leaves", "default:apple", "default:tree"},
	     {307, 72, 4, 9},
	     85},
	    {"schem/emergent_jungle_tree.mts",
	     {7, 37, 7},
	     {"air", "default:jungletree", "default:jungleleaves", ""},
	     {1220, 361, 232, 0},
	     593},
	    {"schem/viking-house1.schematic",
	     {23, 35, 23},
	     {"id:0", "id:5", "id:17", "id:53"},
	     {16023, 611, 472, 416},
	     2492},
	};
	for (int f = 0; f < COUNT_OF(files); f++) {
		CorpusFile file = Corpus_Open(files[f].file);
		if (!file.data)
			continue;
		BlockModel model;
		Error error;
		BlockReport report;
		ck_assert_msg(Read(&memory.memory, strstr(files[f].file, ".mts"), file.data, file.size, &model, &error) == 0,
		              "%s", error.text);
		ck_assert(model.nx == files[f].size[0] && model.ny == files[f].size[1] && model.nz == files[f].size[2]);
		for (int i = 0; i < 4; i++)
			ck_assert_int_eq(CountOf(&model, files[f].names[i]), files[f].counts[i]);
		ck_assert_int_eq(
		    Store_PlaceBlocks(store, &table, &model, (Cell){-5, 7, 100}, NULL, false, NULL, &report, &error), 0);
		ck_assert_int_eq(report.cells, files[f].placed);
		ck_assert_int_eq(Store_SolidCells(store), files[f].placed);
		if (f == 0) /* the tree stands on its trunk */
			ck_assert_int_eq(Store_Get(store, (Cell){-5 + 3, 7 + 2, 100 + 3}).material,
			                 MaterialTable_Find(&table, "wood"));
		ck_assert_int_eq(Store_Clear(store, NULL, NULL), 0);
		BlockModel_Free(&memory.memory, &model);
		Corpus_Close(&file);
	}
}
END_TEST

/* ---- files written here ------------------------------------------------------------------------------------------ */

static void Tag(Bytes *out, int type, const char *name)
{
	Bytes_AddNumber(out, (uint64_t)type, 1, true);
	Bytes_AddNumber(out, strlen(name), 2, true);
	Bytes_AddText(out, name);
}

static void Number(Bytes *out, int type, const char *name, uint64_t value)
{
	Tag(out, type, name);
	Bytes_AddNumber(out, value, type == 1 ? 1 : type == 2 ? 2 : 4, true);
}

#define NX 5
#define NY 4
#define NZ 3
#define CELLS (NX * NY * NZ)

static const char *const palette[] = {"minecraft:air",
                                      "minecraft:stone",
                                      "minecraft:oak_log[axis=y]",
                                      "minecraft:water[level=0]",
                                      "mymod:odd thing",
                                      "minecraft:grass_block[snowy=false]"};
/* numbers with gaps, one of them of two bytes */
static const int numbers[] = {0, 3, 1, 300, 7, 2};

static int KindAt(int i)
{
	return i * 7 % 11 % 6;
}

/* Entities and other things that are passed over. */
static void Noise(Bytes *out)
{
	Tag(out, 9, "TileEntities"); /* two compounds, one with a list of lists of strings */
	Bytes_AddNumber(out, 10, 1, true);
	Bytes_AddNumber(out, 2, 4, true);
	Tag(out, 9, "Lines");
	Bytes_AddNumber(out, 9, 1, true);
	Bytes_AddNumber(out, 1, 4, true);
	Bytes_AddNumber(out, 8, 1, true);
	Bytes_AddNumber(out, 2, 4, true);
	Bytes_AddNumber(out, 1, 2, true);
	Bytes_AddText(out, "a");
	Bytes_AddNumber(out, 0, 2, true);
	Number(out, 2, "Width", 999);
	Bytes_AddNumber(out, 0, 2, true); /* ends of both */
	Tag(out, 12, "Times");
	Bytes_AddNumber(out, 2, 4, true);
	Bytes_AddNumber(out, 1, 8, true);
	Bytes_AddNumber(out, 2, 8, true);
	Tag(out, 9, "Empty");
	Bytes_AddNumber(out, 0, 5, true);
	Tag(out, 6, "Weight");
	Bytes_AddNumber(out, 0, 8, true);
}

static void Sponge_Blocks(Bytes *out, const char *data)
{
	Bytes cells = {0};
	Tag(out, 10, "Palette");
	for (int i = 0; i < COUNT_OF(palette); i++)
		Number(out, 3, palette[i], (uint64_t)numbers[i]);
	Bytes_AddNumber(out, 0, 1, true);
	for (int i = 0; i < CELLS; i++) {
		int number = numbers[KindAt(i)];
		if (number > 127)
			Bytes_AddNumber(&cells, (uint64_t)(number & 127) | 128, 1, true);
		Bytes_AddNumber(&cells, (uint64_t)(number > 127 ? number >> 7 : number), 1, true);
	}
	Tag(out, 7, data);
	Bytes_AddNumber(out, cells.size, 4, true);
	Bytes_Add(out, cells.data, cells.size);
	Bytes_Free(&cells);
}

/* version 0: MCEdit's */
static Bytes Schem(int version)
{
	Bytes out = {0};
	Tag(&out, 10, version == 3 ? "" : "Schematic");
	if (version == 3)
		Tag(&out, 10, "Schematic");
	Number(&out, 3, "Version", (uint64_t)version);
	Number(&out, 2, "Width", NX);
	Noise(&out);
	Number(&out, 2, "Height", NY);
	Number(&out, 2, "Length", NZ);
	if (version == 3) {
		Tag(&out, 10, "Blocks");
		Sponge_Blocks(&out, "Data");
		Bytes_AddNumber(&out, 0, 1, true);
	} else if (version > 0) {
		Sponge_Blocks(&out, "BlockData");
	} else {
		static const uint8_t ids[] = {0, 1, 17, 9, 200, 2};
		Tag(&out, 7, "Blocks");
		Bytes_AddNumber(&out, CELLS, 4, true);
		for (int i = 0; i < CELLS; i++)
			Bytes_AddNumber(&out, ids[KindAt(i)], 1, true);
		Tag(&out, 7, "AddBlocks");
		Bytes_AddNumber(&out, CELLS / 2, 4, true);
		for (int i = 0; i < CELLS; i += 2)
			Bytes_AddNumber(&out, (KindAt(i) == 4 ? 16 : 0) + (KindAt(i + 1) == 4 ? 1 : 0), 1, true);
	}
	Bytes_AddNumber(&out, 0, version == 3 ? 2 : 1, true);
	return out;
}

/* window: 15 zlib, 31 gzip */
static Bytes Pack(const Bytes *plain, int window)
{
	Bytes out = {0};
	z_stream stream = {0};
	uint8_t block[65536];
	ck_assert_int_eq(deflateInit2(&stream, 9, Z_DEFLATED, window, 8, Z_DEFAULT_STRATEGY), Z_OK);
	stream.next_in = plain->data;
	stream.avail_in = (uInt)plain->size;
	stream.next_out = block;
	stream.avail_out = sizeof block;
	ck_assert_int_eq(deflate(&stream, Z_FINISH), Z_STREAM_END);
	WRITTEN_ELSEWHERE(block, sizeof block - stream.avail_out);
	Bytes_Add(&out, block, sizeof block - stream.avail_out);
	deflateEnd(&stream);
	return out;
}

static Bytes Mts(int version)
{
	Bytes out = {0}, nodes = {0};
	Bytes_AddText(&out, "MTSM");
	Bytes_AddNumber(&out, (uint64_t)version, 2, true);
	Bytes_AddNumber(&out, NX, 2, true);
	Bytes_AddNumber(&out, NY, 2, true);
	Bytes_AddNumber(&out, NZ, 2, true);
	for (int y = 0; y < NY; y++)
		Bytes_AddNumber(&out, y == 2 ? 0 : 127, 1, true); /* the third slice is not to be placed */
	Bytes_AddNumber(&out, COUNT_OF(palette), 2, true);
	for (int i = 0; i < COUNT_OF(palette); i++) {
		Bytes_AddNumber(&out, strlen(palette[i]), 2, true);
		Bytes_AddText(&out, palette[i]);
	}
	/* its order is x, y, z; a node that stands at (x, y, z) is of the kind that ours has there */
	for (int z = 0; z < NZ; z++)
		for (int y = 0; y < NY; y++)
			for (int x = 0; x < NX; x++)
				Bytes_AddNumber(&nodes, (uint64_t)KindAt(x + NX * (z + NZ * y)), 2, true);
	for (int i = 0; i < 2 * CELLS; i++) /* node (1, 0, 0): never, but for the flag; the rest sometimes */
		Bytes_AddNumber(&nodes, i == 1 ? (version == 4 ? 128 : 0) : 100, 1, true);
	Bytes packed = Pack(&nodes, 15);
	Bytes_Add(&out, packed.data, packed.size);
	Bytes_Free(&packed);
	Bytes_Free(&nodes);
	return out;
}

/* The cells of a sample in the store, its first at `at`. */
static void CheckCells(Cell at, bool mts)
{
	int log = MaterialTable_Find(&table, "wood"), grass = MaterialTable_Find(&table, "grass");
	for (int i = 0; i < CELLS; i++) {
		int x = i % NX, z = i / NX % NZ, y = i / NX / NZ, kind = KindAt(i);
		if (mts && (y == 2 || i == 1))
			kind = 0;
		Voxel v = Store_Get(store, (Cell){at.x + x, at.y + y, at.z + z});
		const char *name = table.items[v.material].name;
		bool good = kind == 0   ? v.material == 0 && v.water == 0
		            : kind == 1 ? strcmp(name, "rock") == 0
		            : kind == 2 ? v.material == log
		            : kind == 3 ? v.material == 0 && v.water == 255
		            : kind == 4 ? table.items[v.material].blockiness == 1.0f && strcmp(name, "brick") != 0
		                        : v.material == grass;
		ck_assert_msg(good && (v.material == 0 || v.occupancy == 255), "cell %d: %s of kind %d", i, name, kind);
	}
}

START_TEST(test_versions)
{
	for (int version = 0; version <= 5; version++) {
		bool mts = version >= 4;
		Bytes plain = mts ? Mts(version == 4 ? 4 : 3) : Schem(version);
		for (int packing = 0; packing < (mts ? 1 : 3); packing++) {
			Bytes packed = packing > 0 ? Pack(&plain, packing == 1 ? 31 : 15) : (Bytes){0};
			const Bytes *file = packing > 0 ? &packed : &plain;
			BlockModel model;
			Error error;
			BlockReport report;
			int code = Read(&memory.memory, mts, file->data, file->size, &model, &error);
			ck_assert_msg(code == 0, "version %d: %s", version, error.text);
			ck_assert_int_eq(model.skipped, mts ? 1 + NX * NZ : 0);
			code = Store_PlaceBlocks(store, &table, &model, (Cell){30, -2, -1}, NULL, false, NULL, &report, &error);
			ck_assert_msg(code == 0, "%s", error.text);
			ck_assert_int_eq(report.cells + report.air + report.water + model.skipped, CELLS);
			ck_assert(report.unknown > 0 && report.merged == 0 && report.water > 0);
			CheckCells((Cell){30, -2, -1}, mts);
			Store_Clear(store, NULL, NULL);
			BlockModel_Free(&memory.memory, &model);
			Bytes_Free(&packed);
		}
		Bytes_Free(&plain);
	}
	int own = MaterialTable_Find(&table, "odd_thing");
	ck_assert(own > 0 && MaterialTable_Find(&table, "block_id_456") < 0);
}
END_TEST

/* Parts of blocks: what their names and states say, and what is left of the name is what they are made of. */
START_TEST(test_parts)
{
	static const struct {
		const char *block, *material;
		int eighths;
		bool wet;
	} cases[] = {{"minecraft:oak_slab[type=bottom,waterlogged=false]", "wood", 4, false},
	             {"minecraft:oak_slab[type=double,waterlogged=false]", "wood", 8, false},
	             {"minecraft:smooth_stone_slab[type=top,waterlogged=true]", "rock", 4, true},
	             {"minecraft:stone_brick_stairs[facing=east,half=top,shape=straight]", "rock", 6, false},
	             {"minecraft:sandstone_stairs[facing=east,shape=inner_left]", "sandstone", 7, false},
	             {"minecraft:spruce_stairs[facing=east,shape=outer_right,waterlogged=true]", "wood", 5, true},
	             {"minecraft:snow[layers=3]", "snow", 3, false},
	             {"minecraft:snow[layers=8]", "snow", 8, false},
	             {"minecraft:snow_block", "snow", 8, false},
	             {"stairs:slab_cobble", "rock", 4, false},
	             {"stairs:stair_wood", "wood", 6, false},
	             {"stairs:stair_inner_sandstone", "sandstone", 7, false},
	             {"stairs:stair_outer_stone", "rock", 5, false},
	             {"id:44", "rock", 4, false},
	             {"id:43", "rock", 8, false},
	             {"id:53", "wood", 6, false},
	             {"minecraft:stone", "rock", 8, false},
	             {"minecraft:slab", NULL, 8, false},
	             {"mymod:marble_slab", NULL, 4, false}};
	for (int i = 0; i < COUNT_OF(cases); i++) {
		const char *material = Block_Material(cases[i].block);
		ck_assert_msg(material == cases[i].material ||
		                  (material && cases[i].material && strcmp(material, cases[i].material) == 0),
		              "%s is %s", cases[i].block, material ? material : "unknown");
		ck_assert_msg(Block_Eighths(cases[i].block) == cases[i].eighths, "%s: %d eighths", cases[i].block,
		              Block_Eighths(cases[i].block));
		ck_assert_msg(Block_IsWet(cases[i].block) == cases[i].wet, "%s: wet", cases[i].block);
		/* and into the store */
		uint16_t cell = 0;
		BlockModel model = {.nx = 1, .ny = 1, .nz = 1, .cells = &cell, .bytes = sizeof cell};
		BlockName name = {.count = 1};
		Error error;
		snprintf(name.text, sizeof name.text, "%s", cases[i].block);
		model.names.data = &name;
		model.names.count = 1;
		int code = Store_PlaceBlocks(store, &table, &model, (Cell){i, 0, 0}, NULL, false, NULL, NULL, &error);
		ck_assert_msg(code == 0, "%s", error.text);
		Voxel v = Store_Get(store, (Cell){i, 0, 0});
		bool whole = table.items[v.material].blockiness == 1.0f;
		ck_assert_int_eq(v.occupancy, whole ? 255 : 32 * cases[i].eighths - 1);
		ck_assert_int_eq(v.water, cases[i].wet && v.occupancy < 255 ? 255 : 0);
	}
}
END_TEST

/* What the caller maps, and air that clears or not. */
START_TEST(test_mapping)
{
	Bytes file = Schem(2);
	BlockModel model;
	Error error;
	ck_assert_int_eq(Read(&memory.memory, false, file.data, file.size, &model, &error), 0);
	int16_t materials[COUNT_OF(palette)];
	for (int i = 0; i < COUNT_OF(palette); i++)
		materials[i] = -1;
	for (int i = 0; i < model.names.count; i++) {
		if (strstr(model.names.data[i].text, "odd"))
			materials[i] = (int16_t)MaterialTable_Find(&table, "salt");
		if (strstr(model.names.data[i].text, "stone"))
			materials[i] = MATERIAL_AIR;
	}
	for (int clear = 0; clear < 2; clear++) {
		Brush box = {BRUSH_BOX, {0, 0, 0}, {20, 20, 20}, {{0}}, false};
		int count = table.count, seen[3] = {0};
		uint32_t version = table.version;
		ck_assert_int_eq(Store_Fill(store, &table, &box, 4, EDIT_SET, NULL, &error), 0);
		ck_assert_int_eq(
		    Store_PlaceBlocks(store, &table, &model, (Cell){0, 0, 0}, materials, clear, NULL, NULL, &error), 0);
		ck_assert(table.count == count && table.version == version);
		for (int i = 0; i < CELLS; i++) {
			Voxel v = Store_Get(store, (Cell){i % NX, i / NX / NZ, i / NX % NZ});
			int kind = KindAt(i);
			if (kind == 0)
				ck_assert_int_eq(v.material, clear ? 0 : 4);
			if (kind == 1)
				ck_assert_int_eq(v.material, 0);
			if (kind == 4)
				ck_assert_str_eq(table.items[v.material].name, "salt");
			seen[kind == 0 ? 0 : kind == 1 ? 1 : 2]++;
		}
		ck_assert(seen[0] && seen[1] && seen[2]);
	}
	int code = Store_PlaceBlocks(store, &table, &model, (Cell){CELL_LIMIT - 2, 0, 0}, NULL, false, NULL, NULL, &error);
	ck_assert_int_eq(code, ERROR_LIMIT);
	BlockModel_Free(&memory.memory, &model);
	Bytes_Free(&file);
}
END_TEST

START_TEST(test_names)
{
	static const char *const known[][2] = {{"minecraft:stone", "rock"},
	                                       {"minecraft:dirt", "ground"},
	                                       {"minecraft:grass_block[snowy=true]", "grass"},
	                                       {"minecraft:spruce_planks", "wood"},
	                                       {"minecraft:dark_oak_log[axis=x]", "wood"},
	                                       {"minecraft:water", "water"},
	                                       {"default:dirt_with_grass", "grass"},
	                                       {"default:stone", "rock"},
	                                       {"default:water_source", "water"},
	                                       {"minecraft:deepslate_coal_ore", "slate"},
	                                       {"minecraft:red_sand", "sand"},
	                                       {"id:5", "wood"},
	                                       {"id:0", "air"},
	                                       {"id:12", "sand"},
	                                       {"minecraft:cave_air", "air"},
	                                       {"default:silver_sandstone", "sandstone"}};
	static const char *const unknown[] = {
	    "minecraft:oak_leaves", "default:jungleleaves", "id:9999", "id:-1", "x", ":", "a:[b]", "minecraft:red_wool"};
	for (int i = 0; i < COUNT_OF(known); i++) {
		const char *got = Block_Material(known[i][0]);
		ck_assert_msg(got && strcmp(got, known[i][1]) == 0, "%s is %s", known[i][0], got ? got : "unknown");
		ck_assert_int_ge(MaterialTable_Find(&table, got), 0);
	}
	for (int i = 0; i < COUNT_OF(unknown); i++)
		ck_assert_msg(!Block_Material(unknown[i]), "%s is %s", unknown[i], Block_Material(unknown[i]));
}
END_TEST

/* ---- damage ------------------------------------------------------------------------------------------------------ */

static Bytes Sample(int which)
{
	Bytes plain = which >= 8 ? Mts(which - 5) : Schem(which % 4);
	if (which < 4 || which >= 8)
		return plain;
	Bytes packed = Pack(&plain, which % 2 ? 31 : 15);
	Bytes_Free(&plain);
	return packed;
}

START_TEST(test_cut)
{
	for (int which = 0; which < 10; which++) {
		Bytes file = Sample(which);
		for (size_t size = 0; size < file.size; size++) {
			BlockModel model;
			Error error;
			int code = Read(&memory.memory, which >= 8, file.data, size, &model, &error);
			REQUIRE(code == ERROR_FILE, "sample %d cut to %zu: %d", which, size, code);
		}
		Bytes_Free(&file);
	}
}
END_TEST

START_TEST(test_flipped)
{
	for (uint64_t seed = 1; seed <= 20000; seed++) {
		Random random = {seed};
		int which = (int)(seed % 10);
		if (which >= 4 && which < 8 && seed % 3)
			which -= 4; /* a checksum finds most of what is done to what is packed */
		Bytes file = Sample(which);
		for (int flips = 1 + (int)(Random_U64(&random) % 4); flips > 0; flips--) {
			uint64_t at = Random_U64(&random) % file.size, bits = Random_U64(&random);
			file.data[at] = (uint8_t)(bits >> (Random_U64(&random) % 8));
		}
		BlockModel model;
		Error error;
		int code = Read(&memory.memory, which >= 8, file.data, file.size, &model, &error);
		REQUIRE(code == 0 || code == ERROR_FILE, "seed %llu: %d, %s", (unsigned long long)seed, code, error.text);
		BlockModel_Free(&memory.memory, &model);
		Bytes_Free(&file);
	}
}
END_TEST

START_TEST(test_hostile)
{
	Bytes deep = {0};
	BlockModel model;
	Error error;
	Tag(&deep, 10, "");
	for (int i = 0; i < 100000; i++)
		Tag(&deep, 10, "");
	ck_assert_int_eq(Read(&memory.memory, false, deep.data, deep.size, &model, &error), ERROR_FILE);
	ck_assert_ptr_nonnull(strstr(error.text, "deeper"));
	deep.size = 0;
	Tag(&deep, 10, "");
	Tag(&deep, 9, "");
	for (int i = 0; i < 100000; i++) { /* lists of lists */
		Bytes_AddNumber(&deep, 9, 1, true);
		Bytes_AddNumber(&deep, 0x7FFFFFFF, 4, true);
	}
	ck_assert_int_eq(Read(&memory.memory, false, deep.data, deep.size, &model, &error), ERROR_FILE);
	ck_assert_ptr_nonnull(strstr(error.text, "deeper"));
	/* sizes without cells, and a bomb of zeros */
	deep.size = 0;
	Tag(&deep, 10, "");
	Number(&deep, 2, "Width", 65535);
	Number(&deep, 2, "Height", 65535);
	Number(&deep, 2, "Length", 65535);
	Tag(&deep, 7, "Blocks");
	Bytes_AddNumber(&deep, 0, 5, true);
	ck_assert_int_eq(Read(&memory.memory, false, deep.data, deep.size, &model, &error), ERROR_FILE);
	ck_assert_ptr_nonnull(strstr(error.text, "65535"));
	Bytes_Free(&deep);
}
END_TEST

START_TEST(test_memory)
{
	for (int which = 0; which < 10; which++) {
		Bytes file = Sample(which);
		bool done = false;
		for (long n = 0; !done; n++) {
			BlockModel model = {0};
			MaterialTable before = table;
			Error error = {0};
			size_t bytes = memory.memory.bytes;
			memory.left = n;
			memory.failed = false;
			int code = Read(&memory.memory, which >= 8, file.data, file.size, &model, &error);
			if (!code)
				code = Store_PlaceBlocks(store, &table, &model, (Cell){1, 2, 3}, NULL, false, NULL, NULL, &error);
			memory.left = -1;
			done = !memory.failed;
			ck_assert_msg(code == (done ? 0 : ERROR_MEMORY), "sample %d, call %ld: %d", which, n, code);
			BlockModel_Free(&memory.memory, &model);
			if (!done) {
				ck_assert_int_eq(memcmp(&before, &table, sizeof table), 0);
				ck_assert_int_eq(Store_SolidCells(store), 0);
				ck_assert(memory.memory.bytes <= bytes + 65536);
			}
		}
		Store_Clear(store, NULL, NULL);
		Bytes_Free(&file);
	}
}
END_TEST

Suite *suite_import_schem(void)
{
	Suite *suite = suite_create("import_schem");
	TCase *all = tcase_create("all");
	tcase_add_checked_fixture(all, Setup, Teardown);
	tcase_add_test(all, test_corpus);
	tcase_add_test(all, test_versions);
	tcase_add_test(all, test_parts);
	tcase_add_test(all, test_mapping);
	tcase_add_test(all, test_names);
	tcase_add_test(all, test_cut);
	tcase_add_test(all, test_flipped);
	tcase_add_test(all, test_hostile);
	tcase_add_test(all, test_memory);
	suite_add_tcase(suite, all);
	return suite;
}
