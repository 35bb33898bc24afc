/* Cells written as .vox and read again: the same cells and colours, for real files and for cells of every kind. */
#include "corpus.h"
#include "failing_memory.h"
#include "mesh_samples.h"
#include "voxel/voxel.h"

#include <check.h>
#include <unistd.h>

static FailingMemory memory;
static char path[64];

static void Setup(void)
{
	FailingMemory_Init(&memory, -1);
	snprintf(path, sizeof path, "/tmp/scree-test-vox-%ld", (long)getpid());
}

static void Teardown(void)
{
	unlink(path);
	ck_assert_uint_eq(memory.memory.bytes, 0);
}

static const CellBox everything = {{-CELL_LIMIT, -CELL_LIMIT, -CELL_LIMIT}, {CELL_LIMIT, CELL_LIMIT, CELL_LIMIT}};

static VoxModel WriteAndRead(const Store *store, const MaterialTable *table, CellBox box, int *models)
{
	VoxModel model;
	Error error = {0};
	uint64_t bytes;
	int64_t cells;
	int code = Store_WriteVox(store, table, &memory.memory, box, path, &bytes, &cells, models, &error);
	ck_assert_msg(code == 0, "%s", error.text);
	Bytes file = Bytes_OfFile(path);
	ck_assert_uint_eq(bytes, file.size);
	code = VoxModel_Read(&memory.memory, file.data, file.size, false, &model, &error);
	ck_assert_msg(code == 0, "%s", error.text);
	ck_assert_int_eq(model.count, cells);
	ck_assert_int_eq(model.models, *models);
	ck_assert(model.dropped == 0 && model.overlaps == 0);
	Bytes_Free(&file);
	return model;
}

/* A table with room for nearly all colours of a palette. */
static void BareTable(MaterialTable *table)
{
	MaterialTable_Init(table);
	table->count = 2;
}

static void CheckFile(const char *name)
{
	CorpusFile file = Corpus_Open(name);
	if (!file.data)
		return;
	MaterialTable table;
	VoxModel model;
	Error error;
	int merged, models;
	Store *store = Store_Create(&memory.memory);
	BareTable(&table);
	ck_assert_int_eq(VoxModel_Read(&memory.memory, file.data, file.size, true, &model, &error), 0);
	ck_assert_int_eq(Store_PlaceVox(store, &table, &model, (Cell){0, 0, 0}, NULL, NULL, &merged, &error), 0);
	VoxModel back = WriteAndRead(store, &table, everything, &models);
	ck_assert_msg(back.count == model.count, "%s: %lld cells, not %lld", name, (long long)back.count,
	              (long long)model.count);
	int64_t other = 0;
	for (int64_t i = 0; i < model.count; i++) {
		const VoxCell *a = &model.cells[i], *b = &back.cells[i];
		REQUIRE(a->x == b->x && a->y == b->y && a->z == b->z, "%s: cell %lld", name, (long long)i);
		other += (model.palette[a->color] & 0xFFFFFF) != (back.palette[b->color] & 0xFFFFFF);
	}
	ck_assert_msg(merged > 0 ? other < model.count / 20 : other == 0, "%s: %lld colours differ", name,
	              (long long)other);
	VoxModel_Free(&memory.memory, &model);
	VoxModel_Free(&memory.memory, &back);
	Store_Destroy(store);
	Corpus_Close(&file);
}

START_TEST(test_corpus)
{
	static const char *const names[] = {"alien_bot1",
	                                    "axes",
	                                    "corvette",
	                                    "hierarchy",
	                                    "menger",
	                                    "mother",
	                                    "obj_house4",
	                                    "placeholder",
	                                    "rgb",
	                                    "scene_park",
	                                    "scene_store9",
	                                    "scene_test",
	                                    "test_multiple_model_scene",
	                                    "veh_tank1"};
	for (int i = 0; i < COUNT_OF(names); i++) {
		char name[64];
		snprintf(name, sizeof name, "vox/%s.vox", names[i]);
		CheckFile(name);
	}
}
END_TEST

/* Far apart and on both sides of the cubes' borders; half full and less; in a box or not. */
START_TEST(test_cells)
{
	static const struct {
		Cell cell;
		int occupancy;
		bool written;
	} cells[] = {{{0, 0, 0}, 255, true},
	             {{-1, -1, -1}, 255, true},
	             {{255, 255, 255}, 128, true},
	             {{256, 0, -256}, 200, true},
	             {{-257, 511, 1000}, 1, true},
	             {{-257, 512, 1000}, 0, false},
	             {{100000, -100000, 7}, 127, true},
	             {{100001, -100000, 7}, 127, true},
	             {{40, 40, 40}, 130, true},
	             {{41, 40, 40}, 127, false}};
	MaterialTable table;
	Error error;
	int models;
	uint64_t bytes;
	int64_t count, wanted = 0;
	MaterialTable_Init(&table);
	Store *store = Store_Create(&memory.memory);
	ck_assert_int_eq(Store_WriteVox(store, &table, &memory.memory, everything, path, &bytes, &count, &models, &error),
	                 ERROR_ARGUMENT);
	for (int i = 0; i < COUNT_OF(cells); i++) {
		ck_assert_int_eq(
		    Store_Set(store, cells[i].cell, (Voxel){(uint8_t)(2 + i), (uint8_t)cells[i].occupancy, 0}, NULL, &error),
		    0);
		wanted += cells[i].written;
	}
	ck_assert_int_eq(Store_Set(store, (Cell){9, 9, 9}, (Voxel){0, 0, 255}, NULL, &error), 0); /* water is not */
	VoxModel model = WriteAndRead(store, &table, everything, &models);
	ck_assert_int_eq(model.count, wanted);
	for (int i = 0; i < COUNT_OF(cells); i++) {
		Cell c = cells[i].cell;
		bool found = false;
		for (int64_t k = 0; k < model.count; k++)
			if (model.cells[k].x == c.x && model.cells[k].y == -1 - c.z && model.cells[k].z == c.y)
				found = model.palette[model.cells[k].color] == table.items[2 + i].color;
		ck_assert_msg(found == cells[i].written, "cell %d", i);
	}
	VoxModel_Free(&memory.memory, &model);
	model = WriteAndRead(store, &table, (CellBox){{0, 0, 0}, {255, 255, 255}}, &models);
	ck_assert(models == 1 && model.count == 3);
	VoxModel_Free(&memory.memory, &model);
	bool done = false;
	for (long n = 0; !done; n++) {
		memory.left = n;
		memory.failed = false;
		int code = Store_WriteVox(store, &table, &memory.memory, everything, path, &bytes, &count, &models, &error);
		memory.left = -1;
		done = !memory.failed;
		ck_assert_int_eq(code, done ? 0 : ERROR_MEMORY);
	}
	int code = Store_WriteVox(store, &table, &memory.memory, everything, "/dev/full", &bytes, &count, &models, &error);
	ck_assert_int_eq(code, ERROR_FILE);
	Store_Destroy(store);
}
END_TEST

Suite *suite_export_vox(void)
{
	Suite *suite = suite_create("export_vox");
	TCase *all = tcase_create("all");
	tcase_add_checked_fixture(all, Setup, Teardown);
	tcase_add_test(all, test_corpus);
	tcase_add_test(all, test_cells);
	suite_add_tcase(suite, all);
	return suite;
}
