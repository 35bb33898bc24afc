/* Undo and redo: after every kind of edit the very bits come back. */
#include "failing_memory.h"
#include "store_twin.h"
#include "terrain/terrain.h"
#include "test_scale.h"
#include "voxel/store_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* after all others: its globals have short names */
#include "heap_store.h"

static uint64_t HashOf(const Store *s)
{
	Hasher hasher;
	Hasher_Init(&hasher);
	Store_Hash(s, &hasher);
	return Hasher_Value(&hasher);
}

static int Ball(Store *s, double x, double y, double z, double radius, int material, EditMode mode)
{
	Brush brush = {.shape = BRUSH_BALL, .center = {x, y, z}, .half = {radius, radius, radius}};
	for (int i = 0; i < 3; i++)
		brush.rotation[i][i] = 1.0;
	return Store_Fill(s, table, &brush, (uint8_t)material, mode, NULL, NULL);
}

static void WriteNoise(Store *s, Random *random, CellBox box)
{
	Twin twin = Twin_Create(box);
	FOR_CELLS(c, box)
	Twin_Set(&twin, c,
	         (Voxel){(uint8_t)(Random_Below(random, 3) ? 6 : 0), (uint8_t)Random_U64(random), (uint8_t)(c.x * c.y)});
	Region region = {twin.nx, twin.ny, twin.nz, {twin.channel[0], twin.channel[1], twin.channel[2]}};
	ck_assert_int_eq(Store_Write(s, box, &region, NULL, NULL, NULL), ERROR_NONE);
	Twin_Free(&twin);
}

static int EditHeights(Store *s, Random *random)
{
	double heights[16];
	for (int i = 0; i < 16; i++)
		heights[i] = Random_Range(random, -10, 20);
	HeightFill fill = {heights, NULL, 4, 4, -20.0, -20.0, 12.0, -30, 1, {3}, {1e9}};
	int64_t voids;
	return Store_FillHeights(s, table, &fill, EDIT_SET, NULL, &voids, NULL);
}

/* One edit of a random kind around the origin. */
static void Edit(Store *s, Random *random)
{
	double x = Random_Range(random, -40, 40), y = Random_Range(random, -40, 40), z = Random_Range(random, -40, 40);
	Cell at = {(int32_t)x, (int32_t)y, (int32_t)z};
	CellBox box = {at, {at.x + 17, at.y + 9, at.z + 33}};
	int code = ERROR_NONE;
	switch (Random_Below(random, 12)) {
	case 0:
		code = Store_Clear(s, NULL, NULL);
		break;
	case 1:
		code = EditHeights(s, random);
		break;
	case 2:
		code = Store_Replace(s, box, 6, 9, NULL, NULL);
		break;
	case 3:
		code = Store_Replace(s, box, MATERIAL_AIR, 4, NULL, NULL);
		break;
	case 4:
		WriteNoise(s, random, box);
		break;
	case 5:
		code = Ball(s, x, y, z, 12, MATERIAL_WATER, EDIT_SET);
		break;
	case 6:
		code = Ball(s, x, y, z, 9, 7, EDIT_PAINT);
		break;
	case 7:
	case 8:
		code = Ball(s, x, y, z, 15, 0, EDIT_REMOVE);
		break;
	case 9:
		for (int i = 0; i < 30 && !code; i++)
			code = Store_Set(s, (Cell){at.x + i, at.y, at.z - i}, (Voxel){5, (uint8_t)(9 * i), 3}, NULL, NULL);
		break;
	default:
		code = Ball(s, x, y, z, 18, 6, EDIT_SET);
	}
	ck_assert_int_eq(code, ERROR_NONE);
}

START_TEST(test_sixty_four_groups)
{
	enum { GROUPS = LESS(64) };
	for (uint64_t seed = 1; seed <= 1; seed++) {
		Random random = {seed};
		uint64_t hashes[GROUPS + 1];
		char name[UNDO_NAME_SIZE], want[UNDO_NAME_SIZE];
		int64_t solid[GROUPS];
		Store_Clear(store, NULL, NULL);
		Store_ForgetUndo(store);
		for (int i = 0; i < GROUPS; i++) {
			snprintf(want, sizeof want, "group %d", i);
			ck_assert_int_eq(Store_BeginUndo(store, want, NULL), ERROR_NONE);
			hashes[i] = HashOf(store);
			solid[i] = Store_SolidCells(store);
			do { /* a group that changes nothing does not count */
				Edit(store, &random);
			} while (HashOf(store) == hashes[i]);
			for (int more = Random_Below(&random, 3); more > 0; more--)
				Edit(store, &random);
		}
		hashes[GROUPS] = HashOf(store);
		ck_assert_int_eq(Store_UndoStats(store).undos, GROUPS);
		for (int round = 0; round < 1; round++) {
			for (int i = GROUPS - 1; i >= 0; i--) {
				uint64_t version = Store_Version(store);
				snprintf(want, sizeof want, "group %d", i);
				ck_assert_int_eq(Store_Undo(store, name, NULL), 1);
				ck_assert_str_eq(name, want);
				REQUIRE(HashOf(store) == hashes[i] && Store_SolidCells(store) == solid[i], "seed %d: undo of %d",
				        (int)seed, i);
				REQUIRE(hashes[i] == hashes[i + 1] || Store_Version(store) > version, "undo is in no journal");
			}
			ck_assert_int_eq(Store_Undo(store, name, NULL), 0);
			for (int i = 0; i < GROUPS; i++) {
				snprintf(want, sizeof want, "group %d", i);
				ck_assert_int_eq(Store_Redo(store, name, NULL), 1);
				ck_assert_str_eq(name, want);
				REQUIRE(HashOf(store) == hashes[i + 1], "seed %d: redo of %d", (int)seed, i);
			}
			ck_assert_int_eq(Store_Redo(store, name, NULL), 0);
		}
	}
}
END_TEST

START_TEST(test_boxes_of_the_journal_cover_an_undo)
{
	CellBox boxes[4];
	char name[UNDO_NAME_SIZE];
	Ball(store, 0, 0, 0, 10, 6, EDIT_SET);
	Store_BeginUndo(store, NULL, NULL);
	Store_Set(store, (Cell){100, 3, 3}, (Voxel){6, 9, 0}, NULL, NULL);
	Store_Set(store, (Cell){-100, 3, 3}, (Voxel){6, 9, 0}, NULL, NULL);
	uint64_t version = Store_Version(store);
	ck_assert_int_eq(Store_Undo(store, name, NULL), 1);
	ck_assert_str_eq(name, "");
	ck_assert_int_eq(Store_Changes(store, version, boxes, 4), 1);
	ck_assert(boxes[0].lo.x == -100 && boxes[0].hi.x == 100 && boxes[0].lo.y == 3 && boxes[0].hi.y == 3);
}
END_TEST

START_TEST(test_stacks)
{
	char name[UNDO_NAME_SIZE];
	Ball(store, 0, 0, 0, 10, 6, EDIT_SET); /* before the first group: stays for ever */
	ck_assert_int_eq(Store_Undo(store, name, NULL), 0);
	ck_assert_int_eq(Store_Redo(store, name, NULL), 0);
	Store_BeginUndo(store, "empty", NULL);
	Store_BeginUndo(store, "a", NULL);
	uint64_t h0 = HashOf(store);
	Ball(store, 9, 0, 0, 5, 7, EDIT_SET);
	uint64_t h1 = HashOf(store);
	Store_BeginUndo(store, "b", NULL);
	Ball(store, -9, 0, 0, 5, 7, EDIT_SET);
	ck_assert_int_eq(Store_Undo(store, name, NULL), 1);
	ck_assert_str_eq(name, "b");
	/* Beginning a group, and edits that change nothing, leave what can be redone. */
	Store_BeginUndo(store, "c", NULL);
	Ball(store, 500, 0, 0, 5, 0, EDIT_REMOVE);
	Store_Set(store, (Cell){600, 0, 0}, (Voxel){0, 0, 0}, NULL, NULL);
	ck_assert_int_eq(Store_UndoStats(store).redos, 1);
	ck_assert_int_eq(Store_Redo(store, name, NULL), 1);
	ck_assert_int_eq(Store_Undo(store, name, NULL), 1);
	/* An edit without a group of its own begins one, and cuts. */
	Store_Set(store, (Cell){0, 0, 0}, (Voxel){3, 1, 0}, NULL, NULL);
	ck_assert_int_eq(Store_UndoStats(store).redos, 0);
	ck_assert_int_eq(Store_Redo(store, name, NULL), 0);
	ck_assert_int_eq(Store_Undo(store, name, NULL), 1);
	ck_assert_str_eq(name, "");
	ck_assert_uint_eq(HashOf(store), h1);
	ck_assert_int_eq(Store_Undo(store, name, NULL), 1);
	ck_assert_str_eq(name, "a");
	ck_assert_uint_eq(HashOf(store), h0);
	ck_assert_int_eq(Store_Undo(store, name, NULL), 0);
	Error error = {0};
	char longer[UNDO_NAME_SIZE + 1];
	memset(longer, 'x', UNDO_NAME_SIZE);
	longer[UNDO_NAME_SIZE] = 0;
	ck_assert_int_eq(Store_BeginUndo(store, longer, &error), ERROR_ARGUMENT);
}
END_TEST

START_TEST(test_budget)
{
	Random random = {9};
	uint64_t hashes[41];
	char name[UNDO_NAME_SIZE];
	const CellBox box = {{-20, -20, -20}, {20, 20, 20}};
	Store_SetUndoBudget(store, 1 << 20);
	for (int i = 0; i < 40; i++) {
		hashes[i] = HashOf(store);
		Store_BeginUndo(store, "noise", NULL);
		WriteNoise(store, &random, box);
		ck_assert_uint_le(Store_UndoStats(store).bytes, 1 << 20);
	}
	UndoStats stats = Store_UndoStats(store);
	ck_assert_int_gt(stats.undos, 2);
	ck_assert_int_gt(stats.dropped, 2);
	ck_assert_int_eq(stats.undos + (int)stats.dropped, 40);
	for (int i = 39; i >= 40 - stats.undos; i--) {
		/* What is replaced counts too, so some of the last may have gone. */
		if (Store_Undo(store, name, NULL) == 0)
			break;
		REQUIRE(HashOf(store) == hashes[i], "undo of %d", i);
		ck_assert_uint_le(Store_UndoStats(store).bytes, 1 << 20);
	}
	/* A group beyond the budget is lost as a whole, also what is edited in it later. */
	Store_SetUndoBudget(store, 1000);
	ck_assert_int_eq(Store_UndoStats(store).undos + Store_UndoStats(store).redos, 0);
	Store_BeginUndo(store, "large", NULL);
	WriteNoise(store, &random, box);
	Store_Set(store, (Cell){500, 0, 0}, (Voxel){3, 1, 0}, NULL, NULL);
	ck_assert_int_eq(Store_Undo(store, name, NULL), 0);
	Store_BeginUndo(store, "small", NULL);
	uint64_t hash = HashOf(store);
	Store_Set(store, (Cell){600, 0, 0}, (Voxel){3, 1, 0}, NULL, NULL);
	ck_assert_int_eq(Store_Undo(store, name, NULL), 1);
	ck_assert_str_eq(name, "small");
	ck_assert_uint_eq(HashOf(store), hash);
}
END_TEST

/* Loading is an edit like any other. */
START_TEST(test_load_is_undone)
{
	char path[] = "/tmp/scree-undo-XXXXXX", name[UNDO_NAME_SIZE];
	close(mkstemp(path));
	Random random = {4};
	Ball(store, 3, 4, 5, 20, 6, EDIT_SET);
	ck_assert_int_eq(Store_Save(store, table, 1, 3, path, NULL), ERROR_NONE);
	uint64_t saved = HashOf(store);
	for (int i = 0; i < 5; i++)
		Edit(store, &random);
	uint64_t before = HashOf(store);
	TerrainLoad *load = NULL;
	Store_BeginUndo(store, "load", NULL);
	ck_assert_int_eq(Store_Load(store, table, false, path, &load, NULL), ERROR_NONE);
	ck_assert_int_eq(TerrainLoad_Commit(load, table, NULL, NULL), ERROR_NONE);
	ck_assert_uint_eq(HashOf(store), saved);
	ck_assert_int_eq(Store_Undo(store, name, NULL), 1);
	ck_assert_uint_eq(HashOf(store), before);
	ck_assert_int_eq(Store_Redo(store, name, NULL), 1);
	ck_assert_uint_eq(HashOf(store), saved);
	unlink(path);
}
END_TEST

/* Records and colliders follow edits, undone and redone ones too, however many come between two looks. */
START_TEST(test_terrain_follows)
{
	Random random = {11};
	Error error = {0};
	char name[UNDO_NAME_SIZE], why[200] = "";
	Terrain *terrain = Terrain_Create(&heap, store, table, 1.0, NARROWPHASE_KDTREE);
	ck_assert_ptr_nonnull(terrain);
	for (int i = 0; i < LESS(60); i++) {
		Store_BeginUndo(store, NULL, NULL);
		Edit(store, &random);
		for (int k = Random_Below(&random, 4); k > 0; k--)
			(void)(Random_Below(&random, 2) ? Store_Undo(store, name, NULL) : Store_Redo(store, name, NULL));
		if (Random_Below(&random, 3) > 0)
			continue;
		TerrainHit hit;
		TerrainRayOptions options = {.limit = 1.0};
		REQUIRE(Terrain_Sync(terrain, &error) == ERROR_NONE, "edit %d: %s", i, error.text);
		for (int k = 0; k < 20; k++) { /* rays make colliders, which go stale later */
			double x = Random_Range(&random, -40, 40), z = Random_Range(&random, -40, 40);
			Terrain_Ray(terrain, (Pos){x, 90, z}, (Pos){z, -90, x}, options, &hit, &error);
		}
		REQUIRE(Terrain_Validate(terrain, why, sizeof why), "edit %d: %s", i, why);
	}
	REQUIRE(Terrain_Stats(terrain).built > 0, "no collider was made");
	Terrain_Destroy(terrain);
}
END_TEST

typedef int StepFn(Store *s);

static int StepEdit(Store *s)
{
	return Ball(s, 8, 0, 0, 10, 7, EDIT_SET);
}

static int StepSet(Store *s)
{
	return Store_Set(s, (Cell){77, 0, 0}, (Voxel){7, 7, 7}, NULL, NULL);
}

static int StepUndo(Store *s)
{
	char name[UNDO_NAME_SIZE];
	int code = Store_Undo(s, name, NULL);
	return code == 1 ? ERROR_NONE : code;
}

static int StepRedo(Store *s)
{
	char name[UNDO_NAME_SIZE];
	int code = Store_Redo(s, name, NULL);
	return code == 1 ? ERROR_NONE : code;
}

START_TEST(test_failed_allocations)
{
	static StepFn *const steps[] = {StepEdit, StepSet, StepUndo, StepRedo};
	for (int k = 0; k < COUNT_OF(steps); k++) {
		for (long n = 0;; n++) {
			FailingMemory failing;
			FailingMemory_Init(&failing, -1);
			Store *s = Store_Create(&failing.memory);
			Store_BeginUndo(s, "one", NULL);
			Ball(s, 0, 0, 0, 6, 6, EDIT_SET);
			uint64_t first = HashOf(s);
			Store_BeginUndo(s, "two", NULL);
			Ball(s, -6, 0, 0, 6, 9, EDIT_SET);
			uint64_t second = HashOf(s);
			if (steps[k] == StepRedo)
				StepUndo(s);
			uint64_t hash = HashOf(s), version = Store_Version(s);
			failing.left = n;
			int code = steps[k](s);
			failing.left = -1;
			REQUIRE(code == (failing.failed ? ERROR_MEMORY : ERROR_NONE), "step %d, call %ld: %d", k, n, code);
			if (code)
				REQUIRE(HashOf(s) == hash && Store_Version(s) == version, "step %d, call %ld changed cells", k, n);
			/* The history still works. */
			if (steps[k] == StepRedo)
				REQUIRE((!code || StepRedo(s) == ERROR_NONE) && HashOf(s) == second, "step %d, call %ld: redo", k, n);
			while (HashOf(s) != first)
				REQUIRE(StepUndo(s) == ERROR_NONE, "step %d, call %ld: undo", k, n);
			REQUIRE(StepUndo(s) == ERROR_NONE && Store_SolidCells(s) == 0, "step %d, call %ld: last undo", k, n);
			char why[200] = "";
			REQUIRE(Store_Validate(s, why, sizeof why), "step %d, call %ld: %s", k, n, why);
			Store_Destroy(s);
			REQUIRE(failing.memory.bytes == 0, "step %d, call %ld leaked", k, n);
			if (!code)
				break;
		}
	}
}
END_TEST

Suite *suite_undo(void)
{
	Suite *suite = suite_create("undo");
	TCase *tests = tcase_create("undo");
	tcase_add_checked_fixture(tests, Setup, Teardown);
	tcase_add_test(tests, test_sixty_four_groups);
	tcase_add_test(tests, test_boxes_of_the_journal_cover_an_undo);
	tcase_add_test(tests, test_stacks);
	tcase_add_test(tests, test_budget);
	tcase_add_test(tests, test_load_is_undone);
	tcase_add_test(tests, test_terrain_follows);
	tcase_add_test(tests, test_failed_allocations);
	suite_add_tcase(suite, tests);
	return suite;
}
