/* Smoothing and growing: planes stay or move exactly, bumps go, sums of matter balance. */
#include "brush_naive.h"
#include "test_scale.h"

static double HeightAt(int x, int z)
{
	for (int y = 20; y > -20; y--) {
		int a = At(x, y - 1, z).occupancy, b = At(x, y, z).occupancy;
		if (a >= 128 && b < 128)
			return y - 0.5 + (a - 127.5) / (a - b);
	}
	return NAN;
}

static const double center[3] = {0.3, 0.2, -0.4};

START_TEST(test_planes)
{
	static const double grows[] = {1, 0.37, -0.6, 2.25, -1.5};
	for (int k = 0; k <= 20; k += TEST_STEP) {
		double top = -0.5 + k / 20.0, grow = grows[k % 5];
		Brush ground = MakeBox(-20, -18, -20, 20, top, 20);
		Fill(&ground, ROCK, EDIT_SET, NULL);
		for (int i = 0; i < 5; i++)
			ck_assert_int_eq(Store_Smooth(store, &table, center, 9, 0.25 * i, NULL, NULL), ERROR_NONE);
		REQUIRE(fabs(HeightAt(0, 0) - top) < 1.0 / 64, "smoothed %g is at %g", top, HeightAt(0, 0));
		Tally tally = {0};
		int64_t before[MATERIAL_LIMIT], after[MATERIAL_LIMIT];
		const CellBox all = {{-40, -40, -40}, {40, 40, 40}};
		Store_Matter(store, all, before);
		ck_assert_int_eq(Store_Grow(store, &table, center, 12, grow, k % 2 ? GRASS : -1, &tally, NULL), ERROR_NONE);
		Store_Matter(store, all, after);
		for (int m = 1; m < 8; m++)
			ck_assert_int_eq(before[m] + tally.added[m] - tally.removed[m], after[m]);
		for (int x = -4; x <= 4; x += 2)
			REQUIRE(fabs(HeightAt(x, 1) - top - grow) < 1.0 / 32, "%g grown by %g is at %g", top, grow, HeightAt(x, 1));
		ck_assert_int_eq(Store_Clear(store, NULL, NULL), ERROR_NONE);
	}
}
END_TEST

START_TEST(test_bumps_go)
{
	Brush ground = MakeBox(-20, -18, -20, 20, 0.3, 20), bump = MakeBox(-2, 0, -2, 2, 2.6, 2);
	Fill(&ground, ROCK, EDIT_SET, NULL);
	Fill(&bump, SAND, EDIT_SET, NULL);
	double last = HeightAt(0, 0);
	for (int i = 0; i < 40; i++) {
		ck_assert_int_eq(Store_Smooth(store, &table, center, 12, 1, NULL, NULL), ERROR_NONE);
		double height = HeightAt(0, 0);
		REQUIRE(height <= last + 0.02, "round %d: %g after %g", i, height, last);
		last = height;
	}
	REQUIRE(last < 0.6, "after 40 rounds the bump is at %g", last);
	Store_CheckValid(store, "smoothed");
	ck_assert(isnan(HeightAt(30, 30)));
	uint64_t version = Store_Version(store);
	const double nowhere[3] = {900, 900, 900};
	ck_assert_int_eq(Store_Smooth(store, &table, nowhere, 12, 1, NULL, NULL), ERROR_NONE);
	ck_assert_int_eq(Store_Smooth(store, &table, center, 12, 0, NULL, NULL), ERROR_NONE);
	ck_assert_uint_eq(Store_Version(store), version);
}
END_TEST

START_TEST(test_bad_arguments)
{
	Error error;
	const double bad[3] = {0, (double)NAN, 0};
	ck_assert_int_eq(Store_Smooth(store, &table, bad, 3, 1, NULL, &error), ERROR_ARGUMENT);
	ck_assert_msg(strstr(error.text, "center: y is nan"), "%s", error.text);
	ck_assert_int_eq(Store_Smooth(store, &table, center, 0, 1, NULL, &error), ERROR_ARGUMENT);
	ck_assert_int_eq(Store_Smooth(store, &table, center, 129, 1, NULL, &error), ERROR_ARGUMENT);
	ck_assert_int_eq(Store_Smooth(store, &table, center, 3, 1.5, NULL, &error), ERROR_ARGUMENT);
	ck_assert_int_eq(Store_Grow(store, &table, center, 3, (double)NAN, -1, NULL, &error), ERROR_ARGUMENT);
	ck_assert_int_eq(Store_Grow(store, &table, center, 3, 1, MATERIAL_WATER, NULL, &error), ERROR_ARGUMENT);
	ck_assert_uint_eq(Store_Version(store), 0);
}
END_TEST

START_TEST(test_failing_allocations)
{
	for (int k = 0; k < 2; k++) {
		FailingMemory f;
		FailingMemory_Init(&f, -1);
		Store *s = Store_Create(&f.memory);
		Brush ball = MakeBall(0, 0, 0, 5);
		ck_assert_int_eq(Store_Fill(s, &table, &ball, ROCK, EDIT_SET, NULL, NULL), ERROR_NONE);
		uint64_t hash = Store_HashValue(s);
		int code = ERROR_MEMORY, failures = 0;
		for (long allowed = 0; code != ERROR_NONE; allowed++) {
			f.left = allowed;
			code = k ? Store_Grow(s, &table, center, 4, 1.5, -1, NULL, NULL)
			         : Store_Smooth(s, &table, center, 8, 1, NULL, NULL);
			f.left = -1;
			if (code == ERROR_NONE)
				break;
			failures++;
			ck_assert_int_eq(code, ERROR_MEMORY);
			ck_assert_uint_eq(Store_HashValue(s), hash);
		}
		ck_assert_int_gt(failures, 5);
		Store_Destroy(s);
		ck_assert_uint_eq(f.memory.bytes, 0);
	}
}
END_TEST

/* A quarter turn, rounding and all, gives what the unturned box gives. */
START_TEST(test_quarter_turns)
{
	Store *other = Store_Create(&heap);
	for (int k = 0; k < 3; k++) {
		Brush plain = MakeBox(-3, -1.3, -5, 4, 2, 6), turned = plain;
		int a = k, b = (k + 1) % 3;
		turned.half[a] = plain.half[b];
		turned.half[b] = plain.half[a];
		Turn(&turned, k == 1, k == 2, k == 0, 6e-8, 1 - 1e-8);
		Fill(&turned, ROCK, EDIT_SET, NULL);
		ck_assert_int_eq(Store_Fill(other, &table, &plain, ROCK, EDIT_SET, NULL, NULL), ERROR_NONE);
		ck_assert_uint_eq(Store_HashValue(store), Store_HashValue(other));
		Store_Clear(store, NULL, NULL);
		Store_Clear(other, NULL, NULL);
	}
	Store_Destroy(other);
}
END_TEST

Suite *suite_smooth(void);
Suite *suite_smooth(void)
{
	Suite *suite = suite_create("smooth");
	TCase *tests = tcase_create("smooth");
	tcase_set_timeout(tests, 120);
	tcase_add_checked_fixture(tests, Setup, Teardown);
	tcase_add_test(tests, test_planes);
	tcase_add_test(tests, test_bumps_go);
	tcase_add_test(tests, test_bad_arguments);
	tcase_add_test(tests, test_failing_allocations);
	tcase_add_test(tests, test_quarter_turns);
	suite_add_tcase(suite, tests);
	return suite;
}
