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
		ck_assert_int_eq(At(0, -1, 0).water, 0);
		/* What the drain's own share leaves. */
		ck_assert_int_eq(At(0, 0, 0).water, Least(byte, 255 - byte));
		ck_assert_int_eq(Store_Clear(store, NULL, NULL), ERROR_NONE);
	}
	/* A corner is the product of its sides. */
	Brush corner = MakeBox(0.5, 0.25, 0.3, 4, 4, 4);
	Fill(&corner, MATERIAL_WATER, EDIT_ADD, NULL);
	ck_assert_int_eq(At(0, 0, 0).water, (int)floor(255 * 0.5 * 0.75 * 0.7 + 0.5));
	ck_assert_int_eq(At(2, 0, 2).water, (int)floor(255 * 0.75 + 0.5));
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

Suite *suite_fill_water(void);
Suite *suite_fill_water(void)
{
	Suite *suite = suite_create("fill_water");
	TCase *tests = tcase_create("fill_water");
	tcase_set_timeout(tests, 120);
	tcase_add_checked_fixture(tests, Setup, Teardown);
	tcase_add_test(tests, test_water_levels);
	tcase_add_test(tests, test_water_in_a_basin);
	suite_add_tcase(suite, tests);
	return suite;
}
