/* Placing .vox models in a store: where the cells go, what the colours become, and that it is all or nothing. */
#include "corpus.h"
#include "failing_store.h"
#include "require.h"
#include "vox_writer.h"
#include "voxel/voxel.h"

#include <check.h>

static VoxModel ReadModel(VoxWriter *w)
{
	VoxModel model;
	Error error = {0};
	Write_End(w);
	int code = VoxModel_Read(&memory.memory, w->data, w->size, false, &model, &error);
	ck_assert_msg(code == 0, "%s", error.text);
	Write_Free(w);
	return model;
}

static VoxModel SmallModel(int count, const uint8_t *voxels)
{
	VoxWriter w;
	Write_Begin(&w);
	Write_Size(&w, 40, 40, 40);
	Write_Voxels(&w, count, voxels);
	Write_Palette(&w);
	return ReadModel(&w);
}

static uint64_t HashStore(void)
{
	Hasher hasher;
	Hasher_Init(&hasher);
	Store_Hash(store, &hasher);
	return Hasher_Value(&hasher);
}

static bool Holds(Cell cell, int material, int occupancy, int water)
{
	Voxel v = Store_Get(store, cell);
	return v.material == material && v.occupancy == occupancy && v.water == water;
}

/* Placing must fail so, and leave store, table and memory as they were. */
static void ExpectRefusal(const VoxModel *model, Cell at, const int16_t *materials, ErrorCode code, const char *word)
{
	static MaterialTable before;
	static Tally tally, none;
	memcpy(&before, &table, sizeof table);
	uint64_t hash = HashStore(), version = Store_Version(store);
	size_t bytes = memory.memory.bytes;
	Error error = {0};
	int got = Store_PlaceVox(store, &table, model, at, materials, &tally, NULL, &error);
	ck_assert_msg(got == (int)code && (int)error.code == got, "%d instead of %d: %s", got, code, error.text);
	ck_assert_msg(strstr(error.text, word) != NULL, "no \"%s\" in \"%s\"", word, error.text);
	ck_assert_uint_eq(HashStore(), hash);
	ck_assert_uint_eq(Store_Version(store), version);
	ck_assert_uint_eq(memory.memory.bytes, bytes);
	ck_assert_int_eq(memcmp(&before, &table, sizeof table), 0);
	ck_assert_int_eq(memcmp(&tally, &none, sizeof tally), 0);
}

/* ---- cells ------------------------------------------------------------------------------------------------- */

START_TEST(PutsTheFilesZUp)
{
	VoxModel model = SmallModel(2, (const uint8_t[]){1, 2, 3, 10, 0, 0, 0, 20});
	Tally tally = {0};
	Error error = {0};
	ck_assert_int_eq(Store_PlaceVox(store, &table, &model, (Cell){100, -200, 300}, NULL, &tally, NULL, &error), 0);
	/* File entry 9 is 0x09f63f, entry 19 is 0x13ec85. */
	int a = MaterialTable_Find(&table, "vox_09f63f"), b = MaterialTable_Find(&table, "vox_13ec85");
	ck_assert(a >= 20 && b >= 20 && a != b && table.count == 22);
	ck_assert(Holds((Cell){101, -197, 297}, a, 255, 0));
	ck_assert(Holds((Cell){100, -200, 299}, b, 255, 0));
	ck_assert_int_eq(Store_SolidCells(store), 2);
	ck_assert(tally.added[a] == 256 && tally.added[b] == 256 && tally.removed[a] == 0);
	ck_assert_float_eq(table.items[a].blockiness, 1.0f);
	ck_assert_uint_eq(table.items[a].color, 0x09f63f);
	VoxModel_Free(&memory.memory, &model);
}
END_TEST

/* A random model into a store that has something in it, against every cell of the surroundings. */
static void PlaceAtRandom(uint64_t seed)
{
	enum { SIDE = 70, COUNT = 4000, MARGIN = 5 };
	Random random = {seed};
	uint8_t *voxels = malloc(4 * COUNT), *want = calloc(SIDE * SIDE, SIDE);
	REQUIRE(voxels && want, "no memory for the test itself");
	for (int i = 0; i < COUNT; i++) {
		uint8_t *v = voxels + 4 * i;
		for (int a = 0; a < 3; a++)
			v[a] = (uint8_t)Random_Below(&random, i % 2 ? SIDE : 12);
		v[3] = (uint8_t)(1 + Random_Below(&random, 3));
		want[v[0] + SIDE * (v[1] + SIDE * v[2])] = v[3];
	}
	VoxWriter w;
	Write_Begin(&w);
	Write_Size(&w, SIDE, SIDE, SIDE);
	Write_Voxels(&w, COUNT, voxels);
	VoxModel model = ReadModel(&w);
	Cell at = {Random_Below(&random, 200) - 100, Random_Below(&random, 200) - 100, Random_Below(&random, 200) - 100};
	int16_t materials[256];
	memset(materials, 0xff, sizeof materials);
	int rock = MaterialTable_Find(&table, "rock"), sand = MaterialTable_Find(&table, "sand");
	materials[1] = (int16_t)rock;
	materials[2] = MATERIAL_AIR;
	materials[3] = MATERIAL_WATER;
	CellBox around = {{at.x - MARGIN, at.y - MARGIN, at.z - SIDE - MARGIN},
	                  {at.x + SIDE + MARGIN, at.y + SIDE + MARGIN, at.z + MARGIN}};
	Brush brush = {.shape = BRUSH_BALL, .center = {at.x + 30.0, at.y + 30.0, at.z - 30.0}, .half = {25, 0, 0}};
	Error error = {0};
	REQUIRE(Store_Fill(store, &table, &brush, (uint8_t)sand, EDIT_SET, NULL, &error) == 0, "%s", error.text);
	Region was = {.nx = around.hi.x - around.lo.x + 1, .ny = around.hi.y - around.lo.y + 1};
	was.nz = around.hi.z - around.lo.z + 1;
	Region is = was;
	size_t cells = (size_t)was.nx * (size_t)was.ny * (size_t)was.nz;
	for (int c = 0; c < CHANNEL_COUNT; c++) {
		was.channel[c] = malloc(cells);
		is.channel[c] = malloc(cells);
		REQUIRE(was.channel[c] && is.channel[c], "no memory for the test itself");
	}
	uint64_t version = Store_Version(store);
	Store_Read(store, around, &was);
	REQUIRE(Store_PlaceVox(store, &table, &model, at, materials, NULL, NULL, &error) == 0, "%s", error.text);
	Store_Read(store, around, &is);
	for (size_t i = 0; i < cells; i++) {
		int x = (int)(i % (size_t)was.nx) - MARGIN, y = (int)(i / (size_t)was.nx / (size_t)was.nz) - MARGIN;
		int z = SIDE + MARGIN - 1 - (int)(i / (size_t)was.nx % (size_t)was.nz); /* the file's y */
		bool inside = x >= 0 && y >= 0 && z >= 0 && x < SIDE && y < SIDE && z < SIDE;
		int color = inside ? want[x + SIDE * (z + SIDE * y)] : 0;
		uint8_t expected[3] = {was.channel[0][i], was.channel[1][i], was.channel[2][i]};
		if (color) {
			expected[0] = (uint8_t)(color == 1 ? rock : 0);
			expected[1] = color == 1 ? 255 : 0;
			expected[2] = color == 3 ? 255 : 0;
		}
		REQUIRE(is.channel[0][i] == expected[0] && is.channel[1][i] == expected[1] && is.channel[2][i] == expected[2],
		        "seed %llu: file cell (%d, %d, %d) of colour %d", (unsigned long long)seed, x, z, y, color);
	}
	REQUIRE(Store_Version(store) == version + 1, "seed %llu: more than one entry", (unsigned long long)seed);
	for (int c = 0; c < CHANNEL_COUNT; c++) {
		free(was.channel[c]);
		free(is.channel[c]);
	}
	VoxModel_Free(&memory.memory, &model);
	free(voxels);
	free(want);
}

START_TEST(WritesItsCellsAndNoOthers)
{
	for (uint64_t seed = 1; seed <= 4; seed++)
		PlaceAtRandom(seed);
	ck_assert_int_eq(table.count, 20); /* every colour was mapped */
}
END_TEST

START_TEST(MakesOneJournalEntry)
{
	VoxModel model = SmallModel(2, (const uint8_t[]){0, 0, 0, 1, 39, 38, 37, 1});
	Error error = {0};
	CellBox boxes[4];
	ck_assert_int_eq(Store_PlaceVox(store, &table, &model, (Cell){-1000, 0, 0}, NULL, NULL, NULL, &error), 0);
	ck_assert_int_eq(Store_Changes(store, 0, boxes, 4), 1);
	ck_assert(boxes[0].lo.x == -1000 && boxes[0].lo.y == 0 && boxes[0].lo.z == -39);
	ck_assert(boxes[0].hi.x == -961 && boxes[0].hi.y == 37 && boxes[0].hi.z == -1);
	/* Once more it changes nothing, neither in the store nor in the table. */
	uint32_t version = table.version;
	ck_assert_int_eq(Store_PlaceVox(store, &table, &model, (Cell){-1000, 0, 0}, NULL, NULL, NULL, &error), 0);
	ck_assert_uint_eq(Store_Version(store), 1);
	ck_assert_uint_eq(table.version, version);
	VoxModel_Free(&memory.memory, &model);

	model = SmallModel(1, (const uint8_t[]){99, 0, 0, 1}); /* outside its size: no cells */
	ck_assert_int_eq(model.count, 0);
	ck_assert_int_eq(Store_PlaceVox(store, &table, &model, (Cell){0, 0, 0}, NULL, NULL, NULL, &error), 0);
	ck_assert_uint_eq(Store_Version(store), 1);
	VoxModel_Free(&memory.memory, &model);
}
END_TEST

START_TEST(PlacesRealFiles)
{
	static const char *const names[] = {"vox/menger.vox", "vox/axes.vox", "vox/scene_store9.vox", "vox/corvette.vox"};
	for (int i = 0; i < COUNT_OF(names); i++) {
		CorpusFile file = Corpus_Open(names[i]);
		if (!file.data)
			return;
		VoxModel model;
		Error error = {0};
		ck_assert_int_eq(VoxModel_Read(&memory.memory, file.data, file.size, true, &model, &error), 0);
		int64_t before = Store_SolidCells(store);
		int code = Store_PlaceVox(store, &table, &model, (Cell){2000 * i, -17, 33}, NULL, NULL, NULL, &error);
		ck_assert_msg(code == 0, "%s: %s", names[i], error.text);
		ck_assert_int_eq(Store_SolidCells(store) - before, model.count);
		VoxModel_Free(&memory.memory, &model);
		Corpus_Close(&file);
	}
	ck_assert_int_ge(MaterialTable_Find(&table, "vox_9999ff"), 0); /* menger's, of the default palette */
}
END_TEST

/* ---- materials --------------------------------------------------------------------------------------------- */

START_TEST(SharesMaterialsOfEqualColours)
{
	VoxModel model = SmallModel(3, (const uint8_t[]){0, 0, 0, 1, 1, 0, 0, 2, 2, 0, 0, 3});
	Error error = {0};
	model.palette[2] = model.palette[1];
	Material own = {.name = "vox_02fd0e", .density = 5, .friction = 1, .color = 0x112233};
	int index = MaterialTable_Put(&table, &own, &error), count = table.count; /* colour 3's name, given by the user */
	ck_assert_int_gt(index, 0);
	ck_assert_int_eq(Store_PlaceVox(store, &table, &model, (Cell){0, 0, 1}, NULL, NULL, NULL, &error), 0);
	ck_assert_int_eq(table.count, count + 1);
	ck_assert(Holds((Cell){0, 0, 0}, count, 255, 0));
	ck_assert(Holds((Cell){1, 0, 0}, count, 255, 0));
	ck_assert(Holds((Cell){2, 0, 0}, index, 255, 0));
	ck_assert_float_eq(table.items[index].density, 5.0f);
	VoxModel_Free(&memory.memory, &model);
}
END_TEST

/* Colours 5, 6, 7 have 1, 2 and 3 cells; there is room for two: 5 takes the nearer of the others. */
START_TEST(MergesColoursThatFindNoRoom)
{
	Error error = {0};
	while (table.count < MATERIAL_LIMIT - 2) {
		Material material = {.density = 1};
		snprintf(material.name, sizeof material.name, "m%d", table.count);
		ck_assert_int_gt(MaterialTable_Put(&table, &material, &error), 0);
	}
	VoxModel model =
	    SmallModel(6, (const uint8_t[]){0, 0, 0, 5, 1, 0, 0, 6, 2, 0, 0, 6, 3, 0, 0, 7, 4, 0, 0, 7, 5, 0, 0, 7});
	model.palette[5] = 0x102030;
	model.palette[6] = 0xff0000;
	model.palette[7] = 0x112233;
	int merged = -1;
	ck_assert_int_eq(Store_PlaceVox(store, &table, &model, (Cell){0, 0, 0}, NULL, NULL, &merged, &error), 0);
	ck_assert_int_eq(merged, 1);
	ck_assert_int_eq(table.count, MATERIAL_LIMIT);
	ck_assert_int_eq(Store_SolidCells(store), 6);
	int near = MaterialTable_Find(&table, "vox_112233");
	ck_assert_int_gt(near, 0);
	ck_assert_int_gt(MaterialTable_Find(&table, "vox_ff0000"), 0);
	ck_assert(Holds((Cell){0, 0, -1}, near, 255, 0));
	VoxModel_Free(&memory.memory, &model);
}
END_TEST

START_TEST(RefusesColoursWithNoRoomAtAll)
{
	Error error = {0};
	while (table.count < MATERIAL_LIMIT) {
		Material material = {.density = 1};
		snprintf(material.name, sizeof material.name, "m%d", table.count);
		ck_assert_int_gt(MaterialTable_Put(&table, &material, &error), 0);
	}
	VoxModel model = SmallModel(1, (const uint8_t[]){0, 0, 0, 5});
	ExpectRefusal(&model, (Cell){0, 0, 0}, NULL, ERROR_LIMIT, "");
	VoxModel_Free(&memory.memory, &model);
}
END_TEST

START_TEST(RefusesUnknownMaterials)
{
	VoxModel model = SmallModel(2, (const uint8_t[]){0, 0, 0, 5, 1, 0, 0, 6});
	int16_t materials[256];
	memset(materials, 0xff, sizeof materials);
	materials[6] = (int16_t)table.count;
	ExpectRefusal(&model, (Cell){0, 0, 0}, materials, ERROR_ARGUMENT, "colour 6 is given the material 20");
	materials[6] = INT16_MAX;
	ExpectRefusal(&model, (Cell){0, 0, 0}, materials, ERROR_ARGUMENT, "32767");
	VoxModel_Free(&memory.memory, &model);
}
END_TEST

/* ---- limits ------------------------------------------------------------------------------------------------ */

START_TEST(RefusesCellsBeyondTheWorld)
{
	VoxModel model = SmallModel(2, (const uint8_t[]){0, 0, 0, 5, 9, 8, 7, 6});
	static const Cell beyond[] = {{CELL_LIMIT - 8, 0, 0},  {-CELL_LIMIT - 1, 0, 0}, {0, CELL_LIMIT - 6, 0},
	                              {0, -CELL_LIMIT - 1, 0}, {0, 0, CELL_LIMIT + 2},  {0, 0, -CELL_LIMIT + 8},
	                              {INT32_MAX, 0, 0},       {0, INT32_MIN, 0},       {0, 0, INT32_MIN}};
	static const Cell within[] = {{CELL_LIMIT - 9, CELL_LIMIT - 7, CELL_LIMIT + 1},
	                              {-CELL_LIMIT, -CELL_LIMIT, -CELL_LIMIT + 9}};
	Error error = {0};
	for (int i = 0; i < COUNT_OF(beyond); i++)
		ExpectRefusal(&model, beyond[i], NULL, ERROR_LIMIT, "limit");
	for (int i = 0; i < COUNT_OF(within); i++)
		ck_assert_int_eq(Store_PlaceVox(store, &table, &model, within[i], NULL, NULL, NULL, &error), 0);
	int corner = MaterialTable_Find(&table, "vox_05fa23");
	ck_assert(Holds((Cell){CELL_LIMIT, CELL_LIMIT, CELL_LIMIT - 8}, corner, 255, 0));
	ck_assert(Holds((Cell){-CELL_LIMIT + 9, -CELL_LIMIT + 7, -CELL_LIMIT}, corner, 255, 0));
	ck_assert_int_eq(Store_SolidCells(store), 4);
	VoxModel_Free(&memory.memory, &model);
}
END_TEST

/* Two small things a world apart span more chunks than one edit may. */
START_TEST(RefusesWhatIsSpreadTooFar)
{
	VoxWriter w;
	Write_Begin(&w);
	Write_Size(&w, 1, 1, 1);
	Write_Voxels(&w, 1, (const uint8_t[]){0, 0, 0, 1});
	Write_Group(&w, 0, 2, (const int32_t[]){1, 2});
	Write_Transform(&w, 1, 0, 3, -1, NULL, "900000000 900000000 900000000");
	Write_Transform(&w, 2, 0, 3, -1, NULL, "-900000000 -900000000 -900000000");
	Write_Shape(&w, 3, 0);
	VoxModel model = ReadModel(&w);
	ck_assert_int_eq(model.count, 2);
	ExpectRefusal(&model, (Cell){0, 0, 0}, NULL, ERROR_LIMIT, "chunks");
	VoxModel_Free(&memory.memory, &model);
}
END_TEST

START_TEST(BearsFailingAllocations)
{
	uint8_t voxels[4 * 200];
	Random random = {11};
	for (int i = 0; i < 200; i++) {
		for (int a = 0; a < 3; a++)
			voxels[4 * i + a] = (uint8_t)Random_Below(&random, 40);
		voxels[4 * i + 3] = (uint8_t)(1 + Random_Below(&random, 40));
	}
	VoxModel model = SmallModel(200, voxels);
	Error error = {0};
	ck_assert_int_eq(Store_Set(store, (Cell){5, 5, -5}, (Voxel){3, 255, 0}, NULL, &error), 0);
	int n = 0;
	for (;; n++) {
		memory.left = n;
		memory.failed = false;
		static MaterialTable before;
		memcpy(&before, &table, sizeof table);
		size_t bytes = memory.memory.bytes;
		uint64_t hash = HashStore();
		int code = Store_PlaceVox(store, &table, &model, (Cell){-20, -20, 20}, NULL, NULL, NULL, &error);
		memory.left = -1;
		ck_assert_msg(code == (memory.failed ? ERROR_MEMORY : ERROR_NONE), "allocation %d: %s", n, error.text);
		if (code == 0)
			break;
		char why[200] = "";
		ck_assert_msg(Store_Validate(store, why, sizeof why), "allocation %d: %s", n, why);
		ck_assert_uint_eq(HashStore(), hash);
		ck_assert_int_eq(memcmp(&before, &table, sizeof table), 0);
		ck_assert_msg(memory.memory.bytes <= bytes + 65536, "allocation %d leaks", n); /* rooms may have grown */
	}
	ck_assert_int_gt(n, 10);
	ck_assert_int_eq(Store_SolidCells(store), model.count + (Holds((Cell){5, 5, -5}, 3, 255, 0) ? 1 : 0));
	VoxModel_Free(&memory.memory, &model);
}
END_TEST

Suite *suite_place_vox(void);

Suite *suite_place_vox(void)
{
	Suite *suite = suite_create("place_vox");
	TCase *tcase = tcase_create("place");
	tcase_add_checked_fixture(tcase, Setup, Teardown);
	tcase_set_timeout(tcase, 120);
	tcase_add_test(tcase, PutsTheFilesZUp);
	tcase_add_test(tcase, WritesItsCellsAndNoOthers);
	tcase_add_test(tcase, MakesOneJournalEntry);
	tcase_add_test(tcase, PlacesRealFiles);
	tcase_add_test(tcase, SharesMaterialsOfEqualColours);
	tcase_add_test(tcase, MergesColoursThatFindNoRoom);
	tcase_add_test(tcase, RefusesColoursWithNoRoomAtAll);
	tcase_add_test(tcase, RefusesUnknownMaterials);
	tcase_add_test(tcase, RefusesCellsBeyondTheWorld);
	tcase_add_test(tcase, RefusesWhatIsSpreadTooFar);
	tcase_add_test(tcase, BearsFailingAllocations);
	suite_add_tcase(suite, tcase);
	return suite;
}
