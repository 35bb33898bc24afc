/* Saved terrain: packs against a dense twin, whole files, and files with every kind of damage. */
#include "failing_memory.h"
#include "store_twin.h"
#include "voxel/rle_internal.h"
#include "voxel/save_internal.h"

#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static Memory heap;
static MaterialTable *table;
static char path[64];

static void Setup(void)
{
	Memory_Init(&heap, NULL, NULL);
	table = malloc(sizeof *table);
	MaterialTable_Init(table);
	snprintf(path, sizeof path, "/tmp/scree-save-XXXXXX");
	int fd = mkstemp(path);
	ck_assert_int_ge(fd, 0);
	close(fd);
}

static void Teardown(void)
{
	unlink(path);
	free(table);
	ck_assert_uint_eq(heap.bytes, 0);
}

static uint64_t HashOf(const Store *store)
{
	Hasher hasher;
	Hasher_Init(&hasher);
	Store_Hash(store, &hasher);
	return Hasher_Value(&hasher);
}

/* ---- cells to save --------------------------------------------------------------------------------------------- */

static void Fill(Store *store, BrushShape shape, double x, double y, double z, double half, int material, EditMode mode)
{
	Brush brush = {.shape = shape, .center = {x, y, z}, .half = {half, half, half}};
	Error error = {0};
	for (int i = 0; i < 3; i++)
		brush.rotation[i][i] = 1.0;
	REQUIRE(Store_Fill(store, table, &brush, (uint8_t)material, mode, NULL, &error) == ERROR_NONE, "%s", error.text);
}

/* Ground, caves, lumps and water as a game has them, over chunk borders. */
static void Landscape(Store *store, Random *random, int edits)
{
	Fill(store, BRUSH_BOX, 0, -20.3, 0, 24, 6, EDIT_SET);
	for (int i = 0; i < edits; i++) {
		double x = Random_Range(random, -30, 30), y = Random_Range(random, -40, 10), z = Random_Range(random, -30, 30);
		int kind = Random_Below(random, 4), material = 2 + Random_Below(random, 12);
		static const EditMode modes[] = {EDIT_REMOVE, EDIT_PAINT, EDIT_ADD, EDIT_SET};
		Fill(store, (BrushShape)(i & 1), x, y, z, Random_Range(random, 1, 9), kind == 3 ? 1 : material, modes[kind]);
	}
}

/* Noise of every density, where nothing can be foretold. */
static void Noise(Store *store, Random *random)
{
	CellBox box = {{-40, -33, -5}, {31, 40, 33}};
	Twin twin = Twin_Create(box);
	int solid = 1 + Random_Below(random, 99), materials = 1 + Random_Below(random, 18);
	FOR_CELLS(c, box)
	{
		Voxel v = {0, (uint8_t)Random_Below(random, 256), 0};
		if (Random_Below(random, 100) < solid)
			v.material = (uint8_t)(2 + Random_Below(random, materials));
		if (Random_Below(random, 4) == 0)
			v.occupancy = 255;
		if (Random_Below(random, 3) == 0)
			v.water = (uint8_t)Random_Below(random, 256);
		Twin_Set(&twin, c, v);
	}
	Region region = {twin.nx, twin.ny, twin.nz, {twin.channel[0], twin.channel[1], twin.channel[2]}};
	ck_assert_int_eq(Store_Write(store, box, &region, NULL, NULL, NULL), ERROR_NONE);
	Twin_Free(&twin);
}

static void CheckRoundTrip(const Store *store, int level, uint64_t seed)
{
	Error error = {0};
	TerrainLoad *load = NULL;
	MaterialTable *other = malloc(sizeof *other);
	MaterialTable_Init(other);
	REQUIRE(Store_Save(store, table, 0.5, level, path, &error) == ERROR_NONE, "seed %d: %s", (int)seed, error.text);
	Store *copy = Store_Create(&heap);
	/* What stands there must go, here and far away. */
	Store_Set(copy, (Cell){3, -4, 5}, (Voxel){9, 7, 200}, NULL, NULL);
	Store_Set(copy, (Cell){900, 4000, -5000}, (Voxel){9, 7, 200}, NULL, NULL);
	REQUIRE(Store_Load(copy, other, false, path, &load, &error) == ERROR_NONE, "seed %d: %s", (int)seed, error.text);
	ck_assert(TerrainLoad_Info(load)->cell_size == 0.5);
	ck_assert_int_eq(TerrainLoad_Info(load)->cells, Store_SolidCells(store));
	ck_assert_int_eq(TerrainLoad_Info(load)->chunks, Store_ChunkCount(store));
	ck_assert_int_eq(TerrainLoad_Commit(load, other, NULL, &error), ERROR_NONE);
	REQUIRE(HashOf(copy) == HashOf(store), "seed %d, level %d: other cells came back", (int)seed, level);
	ck_assert_int_eq(Store_SolidCells(copy), Store_SolidCells(store));
	char why[200] = "";
	REQUIRE(Store_Validate(copy, why, sizeof why), "seed %d: %s", (int)seed, why);
	Store_Destroy(copy);
	free(other);
}

START_TEST(test_round_trip_of_landscapes)
{
	for (uint64_t seed = 1; seed <= 8; seed++) {
		Random random = {seed};
		Store *store = Store_Create(&heap);
		Landscape(store, &random, 5 * (int)seed);
		CheckRoundTrip(store, 1 + (int)seed % 9, seed);
		Store_Destroy(store);
	}
}
END_TEST

START_TEST(test_round_trip_of_noise)
{
	for (uint64_t seed = 1; seed <= 6; seed++) {
		Random random = {seed};
		Store *store = Store_Create(&heap);
		Noise(store, &random);
		CheckRoundTrip(store, 3, seed);
		Store_Destroy(store);
	}
}
END_TEST

START_TEST(test_round_trip_of_extremes)
{
	const CellBox chunk = {{32, 64, -32}, {63, 95, -1}};
	Store *store = Store_Create(&heap);
	CheckRoundTrip(store, 6, 0); /* nothing at all */
	for (int i = 0; i < 8; i++) {
		int s = i & 1 ? CELL_LIMIT : -CELL_LIMIT, t = i & 2 ? CELL_LIMIT : -CELL_LIMIT;
		Store_Set(store, (Cell){s, t, i & 4 ? CELL_LIMIT : -CELL_LIMIT}, (Voxel){7, (uint8_t)(36 * i), 0}, NULL, NULL);
	}
	CheckRoundTrip(store, 6, 1);
	Store_Replace(store, chunk, MATERIAL_AIR, 6, NULL, NULL); /* one value everywhere */
	CheckRoundTrip(store, 6, 2);
	Store_Clear(store, NULL, NULL);
	Fill(store, BRUSH_BOX, 16, 16, 16, 16, MATERIAL_WATER, EDIT_SET); /* water alone */
	CheckRoundTrip(store, 6, 3);
	for (int m = 2; m < 20; m++) /* full cells of many materials in layers of one cell */
		Fill(store, BRUSH_BOX, 16, m + 0.5, 16, 0.5, m, EDIT_SET);
	CheckRoundTrip(store, 6, 4);
	Store_Destroy(store);
}
END_TEST

/* The forecast must not cost more than it saves: smooth ground under a quarter of a byte for each cell of its skin. */
START_TEST(test_smooth_ground_is_small)
{
	Store *store = Store_Create(&heap);
	Error error = {0};
	double *heights = malloc(256 * 256 * sizeof *heights);
	for (int i = 0; i < 256 * 256; i++) {
		double x = i % 256 / 40.0, z = i / 256 / 40.0;
		heights[i] = 60.0 + 3.0 * (x - 3) * (z - 2) - 2.0 * (x - 4) * (x - 1) + z * z;
	}
	HeightFill fill = {heights, NULL, 256, 256, 0.5, 0.5, 1.0, 0, 2, {2, 6}, {3, 1e9}};
	int64_t voids;
	ck_assert_int_eq(Store_FillHeights(store, table, &fill, EDIT_SET, NULL, &voids, &error), ERROR_NONE);
	ck_assert_int_eq(Store_Save(store, table, 1.0, SAVE_LEVEL, path, &error), ERROR_NONE);
	struct stat info;
	ck_assert_int_eq(stat(path, &info), 0);
	ck_assert_msg(info.st_size < 256 * 256 * 3 / 2, "%ld bytes", (long)info.st_size);
	free(heights);
	Store_Destroy(store);
}
END_TEST

/* ---- damage ---------------------------------------------------------------------------------------------------- */

typedef struct Bytes {
	uint8_t data[16384];
	size_t size;
} Bytes;

static Bytes ReadBytes(void)
{
	Bytes bytes = {.size = 0};
	FILE *file = fopen(path, "rb");
	ck_assert_ptr_nonnull(file);
	bytes.size = fread(bytes.data, 1, sizeof bytes.data, file);
	fclose(file);
	ck_assert_uint_lt(bytes.size, sizeof bytes.data);
	return bytes;
}

static void WriteBytes(const Bytes *bytes, size_t size)
{
	FILE *file = fopen(path, "wb");
	ck_assert_uint_eq(fwrite(bytes->data, 1, size, file), size);
	fclose(file);
}

typedef struct Victim {
	Store *store;
	uint64_t hash, version;
	size_t bytes;
} Victim;

static Victim MakeVictim(void)
{
	Victim victim = {.store = Store_Create(&heap)};
	Fill(victim.store, BRUSH_BALL, 30, 30, 30, 7, 9, EDIT_SET);
	victim.hash = HashOf(victim.store);
	victim.version = Store_Version(victim.store);
	victim.bytes = heap.bytes;
	return victim;
}

/* The file on disk must be refused, with a message that names it, and nothing may change. */
static void CheckRefused(Victim *victim, const char *what, long at)
{
	Error error = {0};
	TerrainLoad *load = NULL;
	MaterialTable before = *table;
	int code = Store_Load(victim->store, table, false, path, &load, &error);
	REQUIRE(code == ERROR_FILE, "%s at %ld: code %d", what, at, code);
	REQUIRE(strstr(error.text, path) != NULL, "%s at %ld: \"%s\" does not name the file", what, at, error.text);
	ck_assert_ptr_null(load);
	/* Room that the store made for more chunks may stay; it does not add up. */
	REQUIRE(HashOf(victim->store) == victim->hash && Store_Version(victim->store) == victim->version &&
	            heap.bytes <= victim->bytes + 4096 && memcmp(&before, table, sizeof before) == 0,
	        "%s at %ld: something changed", what, at);
}

static void SmallFile(void)
{
	Store *store = Store_Create(&heap);
	Error error = {0};
	Fill(store, BRUSH_BALL, 1, 2, 3, 2.5, 6, EDIT_SET);
	Store_Set(store, (Cell){-1, -1, -1}, (Voxel){3, 99, 12}, NULL, NULL);
	MaterialTable few = *table;
	few.count = 8; /* so that the file is small */
	ck_assert_int_eq(Store_Save(store, &few, 1.0, 3, path, &error), ERROR_NONE);
	Store_Destroy(store);
}

START_TEST(test_cut_at_every_byte)
{
	SmallFile();
	Bytes good = ReadBytes();
	Victim victim = MakeVictim();
	for (size_t size = 0; size < good.size; size++) {
		WriteBytes(&good, size);
		CheckRefused(&victim, "cut", (long)size);
	}
	Bytes longer = good;
	longer.data[longer.size++] = 0;
	WriteBytes(&longer, longer.size);
	CheckRefused(&victim, "a byte more", (long)good.size);
	Store_Destroy(victim.store);
}
END_TEST

START_TEST(test_every_bit_flipped)
{
	SmallFile();
	Bytes good = ReadBytes();
	Victim victim = MakeVictim();
	for (size_t bit = 0; bit < 8 * good.size; bit++) {
		good.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
		WriteBytes(&good, good.size);
		CheckRefused(&victim, "bit flipped", (long)bit);
		good.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
	}
	Store_Destroy(victim.store);
}
END_TEST

/* Puts right the checksum of header and blocks, so that what lies behind them is reached. False: the blocks do not fit
 * the file any more. */
static bool Reseal(Bytes *bytes)
{
	size_t at = SAVE_HEADER_SIZE;
	Put_U64(bytes->data + 16, Hash_Bytes(bytes->data, 16));
	for (uint32_t i = 0; at + SAVE_BLOCK_HEADER <= bytes->size; i++) {
		uint8_t *head = bytes->data + at;
		size_t size = Get_U32(head + 4);
		if (size > bytes->size - at - SAVE_BLOCK_HEADER)
			return false;
		Put_U64(head + 8, Save_BlockHash(i, (char *)head, head + SAVE_BLOCK_HEADER, size));
		at += SAVE_BLOCK_HEADER + size;
	}
	return true;
}

/* Someone who knows the format: whatever the bytes say, the answer is a message or sound cells. */
START_TEST(test_forged_bytes)
{
	Victim victim = MakeVictim();
	int refused = 0, taken = 0;
	for (uint64_t seed = 1; seed <= 1000; seed++) {
		Random random = {seed};
		if (seed % 250 == 1)
			SmallFile();
		static Bytes good;
		if (seed % 250 == 1)
			good = ReadBytes();
		Bytes forged = good;
		for (int n = 1 + Random_Below(&random, 4); n > 0; n--) {
			size_t at = SAVE_HEADER_SIZE + (size_t)Random_Below(&random, (int)(forged.size - SAVE_HEADER_SIZE));
			forged.data[at] = (uint8_t)(Random_Below(&random, 2) ? Random_Below(&random, 256) : forged.data[at] + 1);
		}
		Reseal(&forged);
		WriteBytes(&forged, forged.size);
		Error error = {0};
		TerrainLoad *load = NULL;
		MaterialTable other = *table;
		int code = Store_Load(victim.store, &other, false, path, &load, &error);
		if (code) {
			REQUIRE(code == ERROR_FILE && strstr(error.text, path), "seed %d: %d %s", (int)seed, code, error.text);
			refused++;
			continue;
		}
		char why[200] = "";
		Store *copy = Store_Create(&heap);
		TerrainLoad_Abort(load);
		REQUIRE(Store_Load(copy, table, false, path, &load, &error) == ERROR_NONE, "seed %d", (int)seed);
		ck_assert_int_eq(TerrainLoad_Commit(load, &other, NULL, &error), ERROR_NONE);
		REQUIRE(Store_Validate(copy, why, sizeof why), "seed %d: %s", (int)seed, why);
		Store_Destroy(copy);
		taken++;
	}
	ck_assert_int_gt(refused, 200);
	ck_assert_int_gt(taken, 50); /* colours and the like */
	REQUIRE(HashOf(victim.store) == victim.hash && Store_Version(victim.store) == victim.version, "something changed");
	Store_Destroy(victim.store);
}
END_TEST

START_TEST(test_versions_and_strangers)
{
	Victim victim = MakeVictim();
	Error error = {0};
	TerrainLoad *load = NULL;
	SmallFile();
	Bytes bytes = ReadBytes();
	Put_U32(bytes.data + 8, 7);
	Reseal(&bytes);
	WriteBytes(&bytes, bytes.size);
	CheckRefused(&victim, "newer version", 8);
	Store_Load(victim.store, table, false, path, &load, &error);
	ck_assert_msg(strstr(error.text, "version 7") && strstr(error.text, "version 1"), "%s", error.text);
	Bytes stranger = {"PK\3\4 not of ours at all", 24};
	WriteBytes(&stranger, stranger.size);
	Store_Load(victim.store, table, false, path, &load, &error);
	ck_assert_msg(strstr(error.text, "not a file of scree") != NULL, "%s", error.text);
	/* A block that is not known: refused, or passed over when its first letter is small. */
	for (int optional = 0; optional < 2; optional++) {
		SmallFile();
		bytes = ReadBytes();
		memmove(bytes.data + 24 + 18, bytes.data + 24, bytes.size - 24);
		memcpy(bytes.data + 24, optional ? "note\2\0\0\0........hi" : "NOTE\2\0\0\0........hi", 18);
		bytes.size += 18;
		ck_assert(Reseal(&bytes));
		WriteBytes(&bytes, bytes.size);
		int code = Store_Load(victim.store, table, false, path, &load, &error);
		ck_assert_int_eq(code, optional ? ERROR_NONE : ERROR_FILE);
		if (optional)
			TerrainLoad_Abort(load);
		else
			ck_assert_msg(strstr(error.text, "\"NOTE\"") != NULL, "%s", error.text);
	}
	/* A block that says it has gigabytes asks for none. */
	Put_U32(bytes.data + 24 + 4, 0x00FFFFFF);
	WriteBytes(&bytes, bytes.size);
	CheckRefused(&victim, "size", 0);
	Put_U32(bytes.data + 24 + 4, 0xFFFFFFFF);
	WriteBytes(&bytes, bytes.size);
	CheckRefused(&victim, "size", 1);
	Store_Destroy(victim.store);
}
END_TEST

/* ---- materials ------------------------------------------------------------------------------------------------- */

static Material NewMaterial(const char *name, float friction)
{
	Material material = {.density = 1000, .friction = friction};
	snprintf(material.name, sizeof material.name, "%s", name);
	return material;
}

START_TEST(test_materials_by_name)
{
	Error error = {0};
	TerrainLoad *load = NULL;
	Material a = NewMaterial("ore", 0.25f), b = NewMaterial("coal", 0.5f), c = NewMaterial("ore", 0.75f);
	int ore = MaterialTable_Put(table, &a, &error), coal = MaterialTable_Put(table, &b, &error);
	Store *store = Store_Create(&heap);
	Store_Set(store, (Cell){0, 0, 0}, (Voxel){(uint8_t)ore, 100, 0}, NULL, NULL);
	Store_Set(store, (Cell){1, 0, 0}, (Voxel){(uint8_t)coal, 255, 0}, NULL, NULL);
	ck_assert_int_eq(Store_Save(store, table, 1.0, 3, path, &error), ERROR_NONE);
	for (int keep = 0; keep < 2; keep++) {
		MaterialTable other;
		MaterialTable_Init(&other);
		Material gem = NewMaterial("gem", 1);
		MaterialTable_Put(&other, &gem, &error); /* takes the index that ore has in the file */
		int mine = MaterialTable_Put(&other, &c, &error);
		uint32_t version = other.version;
		Store *copy = Store_Create(&heap);
		ck_assert_int_eq(Store_Load(copy, &other, keep, path, &load, &error), ERROR_NONE);
		ck_assert_int_eq(TerrainLoad_Info(load)->materials_added, 1);
		ck_assert_int_eq(TerrainLoad_Info(load)->materials_changed, !keep);
		ck_assert_uint_eq(other.version, version);
		ck_assert_int_eq(TerrainLoad_Commit(load, &other, NULL, &error), ERROR_NONE);
		ck_assert_int_eq(Store_Get(copy, (Cell){0, 0, 0}).material, mine);
		ck_assert_int_eq(Store_Get(copy, (Cell){1, 0, 0}).material, MaterialTable_Find(&other, "coal"));
		ck_assert(other.items[mine].friction == (keep ? 0.75f : 0.25f));
		ck_assert_uint_ne(other.version, version);
		Store_Destroy(copy);
	}
	Store_Destroy(store);
}
END_TEST

/* A full table takes what has a name in it; of the rest, what cells are made of has to fit. */
START_TEST(test_materials_without_room)
{
	Error error = {0};
	TerrainLoad *load = NULL;
	Material ore = NewMaterial("ore", 0.25f), spare = NewMaterial("spare", 0.25f);
	MaterialTable_Put(table, &spare, &error);
	int index = MaterialTable_Put(table, &ore, &error);
	Store *store = Store_Create(&heap), *copy = Store_Create(&heap);
	Store_Set(store, (Cell){0, 0, 0}, (Voxel){(uint8_t)index, 100, 0}, NULL, NULL);
	ck_assert_int_eq(Store_Save(store, table, 1.0, 3, path, &error), ERROR_NONE);
	MaterialTable *other = malloc(sizeof *other);
	MaterialTable_Init(other);
	while (other->count < MATERIAL_LIMIT - 1) {
		char name[32];
		snprintf(name, sizeof name, "m%d", other->count);
		Material m = NewMaterial(name, 1);
		MaterialTable_Put(other, &m, &error);
	}
	ck_assert_int_eq(Store_Load(copy, other, false, path, &load, &error), ERROR_NONE);
	ck_assert_int_eq(TerrainLoad_Commit(load, other, NULL, &error), ERROR_NONE);
	ck_assert_int_eq(MaterialTable_Find(other, "ore"), MATERIAL_LIMIT - 1);
	ck_assert_int_eq(Store_Get(copy, (Cell){0, 0, 0}).material, MATERIAL_LIMIT - 1);
	other->items[MATERIAL_LIMIT - 1].name[0] = 'q';
	ck_assert_int_eq(Store_Load(copy, other, false, path, &load, &error), ERROR_FILE);
	ck_assert_msg(strstr(error.text, "material ore") && strstr(error.text, "full"), "%s", error.text);
	Store_Destroy(store);
	Store_Destroy(copy);
	free(other);
}
END_TEST

/* ---- failures -------------------------------------------------------------------------------------------------- */

START_TEST(test_failed_writes)
{
	Error error = {0};
	Store *store = Store_Create(&heap);
	Random random = {3};
	Noise(store, &random);
	FILE *file = fopen(path, "wb");
	fputs("precious", file);
	fclose(file);
	struct rlimit old, tight = {2000, 2000};
	getrlimit(RLIMIT_FSIZE, &old);
	tight.rlim_max = old.rlim_max;
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &tight);
	int code = Store_Save(store, table, 1.0, 3, path, &error);
	setrlimit(RLIMIT_FSIZE, &old);
	ck_assert_int_eq(code, ERROR_FILE);
	ck_assert_msg(strstr(error.text, path) != NULL, "%s", error.text);
	Bytes bytes = ReadBytes();
	ck_assert_uint_eq(bytes.size, 8);
	ck_assert_int_eq(memcmp(bytes.data, "precious", 8), 0);
	ck_assert_int_eq(Store_Save(store, table, 1.0, 3, "/dev/full", &error), ERROR_FILE);
	ck_assert_int_eq(Store_Save(store, table, 1.0, 3, "/nowhere/at/all", &error), ERROR_FILE);
	TerrainLoad *load = NULL;
	ck_assert_int_eq(Store_Load(store, table, false, "/nowhere/at/all", &load, &error), ERROR_FILE);
	ck_assert_int_eq(Store_Load(store, table, false, "/tmp", &load, &error), ERROR_FILE);
	Store_Destroy(store);
}
END_TEST

START_TEST(test_failed_allocations)
{
	SmallFile();
	for (long n = 0;; n++) {
		FailingMemory failing;
		Error error = {0};
		TerrainLoad *load = NULL;
		MaterialTable other = *table;
		FailingMemory_Init(&failing, -1);
		Store *store = Store_Create(&failing.memory);
		Store_Set(store, (Cell){40, 1, 1}, (Voxel){6, 255, 0}, NULL, NULL);
		Store_Set(store, (Cell){1, 1, 1}, (Voxel){6, 255, 0}, NULL, NULL);
		uint64_t hash = HashOf(store), version = Store_Version(store);
		size_t bytes = failing.memory.bytes;
		failing.left = n;
		int code = Store_Load(store, &other, false, path, &load, &error);
		if (!code)
			code = TerrainLoad_Commit(load, &other, NULL, &error);
		if (code) {
			REQUIRE(code == ERROR_MEMORY, "call %ld: %d %s", n, code, error.text);
			REQUIRE(HashOf(store) == hash && Store_Version(store) == version, "call %ld changed cells", n);
			REQUIRE(memcmp(&other, table, sizeof other) == 0, "call %ld changed materials", n);
		}
		/* Room that the store made for more chunks may stay; nothing else does. */
		REQUIRE(!code || failing.memory.bytes <= bytes + 4096, "call %ld: %zu bytes more", n,
		        failing.memory.bytes - bytes);
		Store_Destroy(store);
		REQUIRE(failing.memory.bytes == 0, "call %ld leaked", n);
		if (!code)
			break;
	}
	Store *store = Store_Create(&heap);
	Random random = {5};
	Landscape(store, &random, 3);
	for (long n = 0;; n++) {
		FailingMemory failing;
		Error error = {0};
		FailingMemory_Init(&failing, n);
		Memory *own = store->parent;
		store->parent = &failing.memory;
		int code = Store_Save(store, table, 1.0, 1, path, &error);
		store->parent = own;
		REQUIRE(failing.memory.bytes == 0, "call %ld leaked", n);
		REQUIRE(!code == !failing.failed, "call %ld: %d", n, code);
		if (!code)
			break;
	}
	Store_Destroy(store);
}
END_TEST

Suite *suite_save(void)
{
	Suite *suite = suite_create("save");
	TCase *tests = tcase_create("save");
	tcase_add_checked_fixture(tests, Setup, Teardown);
	tcase_add_test(tests, test_round_trip_of_landscapes);
	tcase_add_test(tests, test_round_trip_of_noise);
	tcase_add_test(tests, test_round_trip_of_extremes);
	tcase_add_test(tests, test_smooth_ground_is_small);
	tcase_add_test(tests, test_cut_at_every_byte);
	tcase_add_test(tests, test_every_bit_flipped);
	tcase_add_test(tests, test_forged_bytes);
	tcase_add_test(tests, test_versions_and_strangers);
	tcase_add_test(tests, test_materials_by_name);
	tcase_add_test(tests, test_materials_without_room);
	tcase_add_test(tests, test_failed_writes);
	tcase_add_test(tests, test_failed_allocations);
	suite_add_tcase(suite, tests);
	return suite;
}
