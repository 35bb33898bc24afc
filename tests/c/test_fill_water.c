/* Water that is filled in and drained. */
#include "brush_naive.h"

START_TEST(test_water_levels)
{
	for (int k = 1; k <= 64; k++) {
		double level = k / 64.0;
		Brush water = MakeBox(-3, -2, -3, 3, level, 3);
		Tally tally = {0};
		Fill(&water, MATERIAL_WATER, EDIT_SET, &tally);
		int byte = (int)floor(255 * level + 0.5);
		ck_assert_int_eq(At(0, 0, 0).water, byte);
		ck_assert_int_eq(At(0, -1, 0).water, 255);
		ck_assert_int_eq(At(0, 1, 0).water, 0);
		ck_assert_int_eq(tally.added[MATERIAL_WATER], 36 * (2 * 255 + byte));
		ck_assert_int_eq(Store_SolidCells(store), 0);
		Fill(&water, MATERIAL_WATER, EDIT_REMOVE, &tally);
		ck_assert(Store_IsEmpty(store, (CellBox){{-9, -9, -9}, {9, 9, 9}}));
		ck_assert_int_eq(Store_Clear(store, NULL, NULL), ERROR_NONE);
	}
	/* A corner is the product of its sides. */
	Brush corner = MakeBox(0.5, 0.25, 0.3, 4, 4, 4);
	Fill(&corner, MATERIAL_WATER, EDIT_ADD, NULL);
	ck_assert_int_eq(At(0, 0, 0).water, (int)floor(255 * 0.5 * 0.75 * 0.7 + 0.5));
	ck_assert_int_eq(At(2, 0, 2).water, (int)floor(255 * 0.75 + 0.5));
}
END_TEST

/* Fill to one level, drain from another on: the lower one is left, to the byte, and in every cell. */
START_TEST(test_levels_are_left)
{
	for (int k = 0; k < 240; k++) {
		Random random = {700 + (uint64_t)k};
		double bottom = -Random_Below(&random, 4), a = bottom + Random_Range(&random, 0.02, 4), b = a;
		while (b >= a || b <= bottom)
			b = bottom + Random_Range(&random, 0, 4);
		Brush ground = MakeBox(-4, bottom - 3, -4, 4, bottom, 4);
		Brush water = MakeBox(-4, bottom, -4, 4, a, 4);
		Brush drain = MakeBox(-4, b, -4, 4, a + 1.5 + Random_Range(&random, 0, 9), 4);
		Fill(&ground, ROCK, EDIT_SET, NULL);
		Fill(&water, MATERIAL_WATER, EDIT_SET, NULL);
		Tally tally = {0};
		Fill(&drain, MATERIAL_WATER, EDIT_REMOVE, &tally);
		for (int y = -5; y < 6; y++) {
			int wanted = (int)floor(255 * fmin(1, fmax(0, b - y)) + 0.5);
			REQUIRE(At(0, y, 0).water == (y < bottom ? 0 : wanted), "levels, seed %d: %g, drained from %g: cell %d: %d",
			        700 + k, a, b, y, At(0, y, 0).water);
		}
		REQUIRE(Store_Clear(store, NULL, NULL) == ERROR_NONE, "clear");
	}
}
END_TEST

/* Whatever its shape and place, over dry ground or none, water that is filled in can be drained by the same shape. */
START_TEST(test_a_shape_drains_itself)
{
	for (int k = 0; k < 300; k++) {
		Random random = {4100 + (uint64_t)k};
		Brush shape = {.shape = (BrushShape)(k % 4)};
		for (int i = 0; i < 3; i++) {
			shape.center[i] = Random_Range(&random, -4, 4);
			shape.half[i] = Random_Range(&random, 0.05, 4);
		}
		double ax = Random_Range(&random, -1, 1), az = Random_Range(&random, -1, 1);
		if (k % 3 == 0)
			Turn(&shape, ax, 1, az, 0.6, 0.8);
		Brush ground = MakeBox(-9, -9, -9, 9, k % 5 - 3 + (k % 2 ? 0.3 : 0), 9);
		if (k % 7 < 4)
			Fill(&ground, ROCK, EDIT_SET, NULL);
		uint64_t hash = Store_HashValue(store);
		Tally in = {0}, out = {0};
		Fill(&shape, MATERIAL_WATER, k % 2 ? EDIT_ADD : EDIT_SET, &in);
		Fill(&shape, MATERIAL_WATER, EDIT_REMOVE, &out);
		REQUIRE(Store_HashValue(store) == hash, "shape %d, seed %d leaves water", k % 4, 4100 + k);
		ck_assert_int_eq(in.added[MATERIAL_WATER], out.removed[MATERIAL_WATER]);
		ck_assert_int_eq(Store_Clear(store, NULL, NULL), ERROR_NONE);
	}
}
END_TEST

/* Part of a lake: what the shape covers goes, what is under it, beside it and above it stays. */
START_TEST(test_part_of_a_lake)
{
	Brush lake = MakeBox(-8, -4, -8, 8, 2.6, 8), drain = MakeBox(-3, 0.4, -3, 3.25, 9, 3);
	Fill(&lake, MATERIAL_WATER, EDIT_SET, NULL);
	Tally tally = {0};
	Fill(&drain, MATERIAL_WATER, EDIT_REMOVE, &tally);
	ck_assert_int_eq(At(0, 2, 0).water, 0);
	ck_assert_int_eq(At(0, 1, 0).water, 0);
	ck_assert_int_eq(At(0, 0, 0).water, 102);
	ck_assert_int_eq(At(0, -1, 0).water, 255);
	ck_assert_int_eq(At(5, 2, 0).water, 153);
	ck_assert_int_eq(At(3, 1, 0).water, 255 - 64);
	/* From below: what is above it comes down within its cell. */
	Brush low = MakeBox(4, -5, -8, 8, -3.75, 8);
	Fill(&low, MATERIAL_WATER, EDIT_REMOVE, NULL);
	ck_assert_int_eq(At(6, -4, 0).water, 255 - 64);
	/* A round pool has exact levels, too. */
	ck_assert_int_eq(Store_Clear(store, NULL, NULL), ERROR_NONE);
	Brush pool = {.shape = BRUSH_CYLINDER, .center = {0.5, 0.2, 0.5}, .half = {5, 1.5, 0}};
	Fill(&pool, MATERIAL_WATER, EDIT_SET, NULL);
	ck_assert_int_eq(At(0, 1, 0).water, (int)floor(255 * 0.7 + 0.5));
	ck_assert_int_eq(At(0, 0, 0).water, 255);
	ck_assert_int_eq(At(0, -2, 0).water, (int)floor(255 * 0.3 + 0.5));
}
END_TEST

START_TEST(test_water_in_a_basin)
{
	Brush block = MakeBox(-10, -10, -10, 10, 0, 10), basin = MakeBox(-5, -6, -5, 5, 1, 5);
	Brush water = MakeBox(-10, -10, -10, 10, -1.5, 10);
	Fill(&block, ROCK, EDIT_SET, NULL);
	Fill(&basin, MATERIAL_AIR, EDIT_SET, NULL);
	Tally tally = {0};
	Fill(&water, MATERIAL_WATER, EDIT_SET, &tally);
	ck_assert_int_eq(tally.added[MATERIAL_WATER], 100 * (4 * 255 + 128));
	ck_assert_int_eq(At(0, -2, 0).water, 128);
	ck_assert_int_eq(At(7, -4, 0).water, 0);
	/* Rock dropped into it takes its place; a lower level does not drain. */
	Brush stone = MakeBox(-2, -6, -2, 2, -3, 2), shallow = MakeBox(-10, -10, -10, 10, -4, 10);
	memset(&tally, 0, sizeof(tally));
	Fill(&stone, ROCK, EDIT_SET, &tally);
	ck_assert_int_eq(tally.removed[MATERIAL_WATER], 16 * 3 * 255);
	Fill(&shallow, MATERIAL_WATER, EDIT_SET, NULL);
	ck_assert_int_eq(At(4, -2, 4).water, 128);
	/* Drained by a larger box. */
	Brush drain = MakeBox(-50, -50, -50, 50, 50, 50);
	memset(&tally, 0, sizeof(tally));
	Fill(&drain, MATERIAL_WATER, EDIT_REMOVE, &tally);
	ck_assert_int_eq(tally.removed[MATERIAL_WATER], 100 * (4 * 255 + 128) - 16 * 3 * 255);
	int64_t counts[MATERIAL_LIMIT], wet;
	Store_Count(store, (CellBox){{-20, -20, -20}, {20, 20, 20}}, counts, &wet);
	ck_assert_int_eq(wet, 0);
	ck_assert_int_eq(counts[ROCK], 20 * 20 * 10 - 10 * 10 * 6 + 16 * 3);
}
END_TEST

/* Ground takes its part of the cell: what is left can be wet, and no more. */
START_TEST(test_water_beside_ground_in_a_cell)
{
	const CellBox one = {{0, 0, 0}, {0, 0, 0}};
	int64_t sums[MATERIAL_LIMIT], counts[MATERIAL_LIMIT], wet;
	for (int v = 0; v < 256; v += v < 4 || v > 250 ? 1 : 7) {
		for (int w = 0; w < 256; w += 5) {
			Tally tally = {0};
			Voxel set = {ROCK, (uint8_t)v, (uint8_t)w};
			ck_assert_int_eq(Store_Set(store, one.lo, set, &tally, NULL), ERROR_NONE);
			Store_Matter(store, one, sums);
			Store_Count(store, one, counts, &wet);
			int level = v == 255 ? 0 : w, water = Twin_Water((Voxel){ROCK, (uint8_t)v, (uint8_t)level});
			ck_assert_int_eq(At(0, 0, 0).water, level);
			ck_assert_int_eq(sums[ROCK], v + 1);
			ck_assert_int_eq(sums[MATERIAL_WATER], water);
			ck_assert_int_le(255 * sums[ROCK] + 256 * sums[MATERIAL_WATER], 255 * 256);
			ck_assert_int_eq(tally.added[MATERIAL_WATER], water);
			ck_assert_int_eq(wet, level != 0);
			ck_assert_int_eq(Store_Clear(store, &tally, NULL), ERROR_NONE);
			ck_assert_int_eq(tally.removed[MATERIAL_WATER], water);
		}
	}
	/* A full level over half a cell of ground is half a cell of water. */
	ck_assert_int_eq(Store_Set(store, one.lo, (Voxel){ROCK, 127, 255}, NULL, NULL), ERROR_NONE);
	Store_Matter(store, one, sums);
	ck_assert_int_eq(sums[MATERIAL_WATER], 127);
	/* Digging it away makes room for the level, and a stone put there takes it. */
	Brush all = MakeBox(0, 0, 0, 1, 1, 1);
	Tally dug = {0}, filled = {0};
	Fill(&all, MATERIAL_AIR, EDIT_SET, &dug);
	ck_assert_int_eq(dug.added[MATERIAL_WATER], 128);
	Fill(&all, BRICK, EDIT_SET, &filled);
	ck_assert_int_eq(filled.removed[MATERIAL_WATER], 255);
}
END_TEST

static void ReadTwin(Twin *twin)
{
	Region region = {twin->nx, twin->ny, twin->nz, {twin->channel[0], twin->channel[1], twin->channel[2]}};
	Store_Read(store, twin->box, &region);
}

static void RandomShape(Random *random, Brush *shape)
{
	*shape = (Brush){.shape = (BrushShape)Random_Below(random, 4)};
	for (int i = 0; i < 3; i++) {
		shape->center[i] = Random_Range(random, -9, 9);
		shape->half[i] = Random_Range(random, 0.3, 7);
	}
	double ax = Random_Range(random, -1, 1), az = Random_Range(random, -1, 1);
	if (Random_Below(random, 3) == 0)
		Turn(shape, ax, 1, az, 0.6, 0.8);
}

static int EditWetGround(Random *random, const Twin *twin, Tally *tally)
{
	static const uint8_t materials[] = {ROCK, GRASS, MATERIAL_AIR, MATERIAL_WATER, MATERIAL_WATER, BRICK};
	const double middle[3] = {Random_Range(random, -9, 9), Random_Range(random, -9, 9), Random_Range(random, -9, 9)};
	Region region = {twin->nx, twin->ny, twin->nz, {NULL, NULL, twin->channel[2]}};
	Brush shape;
	uint8_t material = materials[Random_Below(random, COUNT_OF(materials))];
	switch (Random_Below(random, 8)) {
	case 0:
		return Store_Smooth(store, &table, middle, 6, 1, tally, NULL);
	case 1:
		return Store_Grow(store, &table, middle, 6, Random_Range(random, -2, 2), -1, tally, NULL);
	case 2:
		for (size_t i = 0; i < Twin_Size(twin); i++)
			twin->channel[2][i] = (uint8_t)(Random_U64(random) & 0xFF);
		return Store_Write(store, twin->box, &region, NULL, tally, NULL);
	case 3:
		return Store_Replace(store, twin->box, GRASS, MATERIAL_WATER, tally, NULL);
	default:
		RandomShape(random, &shape);
		return Store_Fill(store, &table, &shape, material, Random_Below(random, 3) ? EDIT_SET : EDIT_REMOVE, tally,
		                  NULL);
	}
}

/* Whatever is done to ground and water: what was there, given and taken makes what is there, cell by cell no more than
 * the cell has room for; and undone it is what it was. */
START_TEST(test_water_balances)
{
	Twin twin = Twin_Create((CellBox){{-20, -20, -20}, {20, 20, 20}}), scratch = Twin_Create(twin.box);
	for (uint64_t seed = 1; seed <= 40; seed++) {
		Random random = {seed * 991};
		uint64_t hash = Store_HashValue(store);
		ck_assert_int_eq(Store_BeginUndo(store, NULL, NULL), ERROR_NONE);
		for (int k = 0; k < 6; k++) {
			char what[64];
			int64_t before[MATERIAL_LIMIT], now[MATERIAL_LIMIT], sums[MATERIAL_LIMIT];
			Tally tally = {0};
			snprintf(what, sizeof(what), "wet ground, seed %d, edit %d", (int)seed * 991, k);
			ReadTwin(&twin);
			Twin_Matter(&twin, before);
			REQUIRE(EditWetGround(&random, &scratch, &tally) == ERROR_NONE, "%s", what);
			ReadTwin(&twin);
			Tally_Check(before, &tally, &twin, what);
			Twin_Matter(&twin, now);
			Store_Matter(store, twin.box, sums);
			REQUIRE(memcmp(now, sums, sizeof(sums)) == 0, "%s: sums", what);
			Store_CheckValid(store, what);
		}
		if (seed % 2 == 0)
			continue;
		char name[UNDO_NAME_SIZE];
		REQUIRE(Store_Undo(store, name, NULL) == 1, "nothing to undo");
		REQUIRE(Store_HashValue(store) == hash, "seed %d undone", (int)seed * 991);
		REQUIRE(Store_Redo(store, name, NULL) == 1, "nothing to redo");
	}
	Store_ForgetUndo(store);
	Twin_Free(&twin);
	Twin_Free(&scratch);
}
END_TEST

Suite *suite_fill_water(void);
Suite *suite_fill_water(void)
{
	Suite *suite = suite_create("fill_water");
	TCase *tests = tcase_create("fill_water");
	tcase_set_timeout(tests, 120);
	tcase_add_checked_fixture(tests, Setup, Teardown);
	tcase_add_test(tests, test_water_levels);
	tcase_add_test(tests, test_levels_are_left);
	tcase_add_test(tests, test_a_shape_drains_itself);
	tcase_add_test(tests, test_part_of_a_lake);
	tcase_add_test(tests, test_water_in_a_basin);
	tcase_add_test(tests, test_water_beside_ground_in_a_cell);
	tcase_add_test(tests, test_water_balances);
	suite_add_tcase(suite, tests);
	return suite;
}
