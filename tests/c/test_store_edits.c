/* Long runs of mixed edits against a dense twin: cells, tallies, the journal. */
#include "store_edits.h"

START_TEST(test_mixed_edits)
{
	const uint64_t seed = 20240607;
	Random random = {seed};
	Twin twin = Twin_Create(block), snapshot = Twin_Copy(&twin);
	uint64_t since = 0;
	int64_t before[MATERIAL_LIMIT];
	Twin_Matter(&twin, before);
	Tally tally = {0};
	for (int step = 1; step <= 2000; step++) {
		char what[64];
		snprintf(what, sizeof(what), "mixed edits, seed %d, step %d", (int)seed, step);
		REQUIRE(EditRandom(&random, &twin, &tally) == ERROR_NONE, "%s", what);
		if (step % 50 != 0)
			continue;
		Store_CheckValid(store, what);
		Twin_CheckEqual(&twin, store, what);
		Tally_Check(before, &tally, &twin, what);
		Journal_Check(store, since, &snapshot, &twin, what);
		CheckBounds(&twin, what);
		Twin_Free(&snapshot);
		snapshot = Twin_Copy(&twin);
		since = Store_Version(store);
		Twin_Matter(&twin, before);
		memset(&tally, 0, sizeof(tally));
	}
	Twin_Free(&twin);
	Twin_Free(&snapshot);
}
END_TEST

/* Rows of one byte, of runs and of anything, in normal form or not. */
static void FillRow(Random *random, uint8_t *row, int n, bool material)
{
	static const uint8_t common[] = {0, 0, 255, 255, 128, 127, 254, 1};
	int runs = Random_Below(random, 4);
	for (int x = 0; x < n; x++) {
		bool fresh = x == 0 || (runs == 3 ? true : runs > 0 && Random_Below(random, 9) == 0);
		uint8_t any = (uint8_t)Random_Below(random, material ? 9 : 256);
		row[x] = !fresh ? row[x - 1] : material || Random_Below(random, 2) ? any : common[Random_Below(random, 8)];
	}
}

/* The plain and the fast form of writing and tallying do the same. */
START_TEST(test_both_forms)
{
	const char *wish = getenv("SCREE_SIMD");
	char kept[8] = "";
	snprintf(kept, sizeof kept, "%s", wish ? wish : "");
	setenv("SCREE_SIMD", "0", 1);
	Store *plain = Store_Create(&heap);
	setenv("SCREE_SIMD", kept, 1);
	Store *fast = Store_Create(&heap);
	if (!wish)
		unsetenv("SCREE_SIMD");
	ck_assert(plain && fast);
	Random random = {91};
	enum { SIDE = 70 };
	uint8_t *bytes = malloc(3 * SIDE * SIDE * SIDE);
	for (int step = 0; step < 120; step++) {
		bool whole = step % 3 == 0; /* chunks, so that rows are 32 cells long */
		int n[3];
		for (int i = 0; i < 3; i++)
			n[i] = whole ? 32 * (1 + Random_Below(&random, 2)) : 1 + Random_Below(&random, SIDE);
		Region region = {n[0], n[1], n[2], {bytes, bytes + SIDE * SIDE * SIDE, bytes + 2 * SIDE * SIDE * SIDE}};
		for (int c = 0; c < CHANNEL_COUNT; c++) {
			int kind = Random_Below(&random, 4);
			for (int row = 0; row < n[1] * n[2]; row++)
				if (kind == 0)
					memset(region.channel[c] + row * n[0], c == 0 ? 5 : c == 1 ? 255 : 0, (size_t)n[0]);
				else
					FillRow(&random, region.channel[c] + row * n[0], n[0], c == CHANNEL_MATERIAL);
		}
		Cell at = {Random_Below(&random, 40) - 20, Random_Below(&random, 40) - 20, Random_Below(&random, 40) - 20};
		if (whole)
			at = (Cell){32 * (at.x / 20), 32 * (at.y / 20), 32 * (at.z / 20)};
		CellBox box = {at, {at.x + n[0] - 1, at.y + n[1] - 1, at.z + n[2] - 1}}, boxes[2];
		Tally tally[2];
		uint64_t hash[2];
		memset(tally, 0, sizeof tally);
		for (int i = 0; i < 2; i++) {
			Store *to = i ? fast : plain;
			uint64_t since = Store_Version(to);
			Hasher hasher;
			Hasher_Init(&hasher);
			ck_assert_int_eq(Store_Write(to, box, &region, NULL, &tally[i], NULL), ERROR_NONE);
			Store_Hash(to, &hasher);
			hash[i] = Hasher_Value(&hasher);
			boxes[i] = box;
			Store_Changes(to, since, &boxes[i], 1);
			Store_CheckValid(to, "both forms");
		}
		REQUIRE(hash[0] == hash[1], "seed 91, step %d: cells differ", step);
		REQUIRE(memcmp(&tally[0], &tally[1], sizeof(Tally)) == 0, "seed 91, step %d: tallies differ", step);
		REQUIRE(memcmp(&boxes[0], &boxes[1], sizeof(CellBox)) == 0, "seed 91, step %d: boxes differ", step);
		ck_assert_int_eq(Store_SolidCells(plain), Store_SolidCells(fast));
	}
	free(bytes);
	Store_Destroy(plain);
	Store_Destroy(fast);
}
END_TEST

/* Every single kind of edit balances on its own. */
START_TEST(test_tally_of_each_edit)
{
	Random random = {4711};
	const CellBox small = {{-20, -20, -20}, {19, 19, 19}};
	Twin twin = Twin_Create(block);
	for (int step = 0; step < 60; step++) {
		char what[64];
		snprintf(what, sizeof(what), "tally, seed 4711, step %d", step);
		int64_t before[MATERIAL_LIMIT];
		Twin_Matter(&twin, before);
		Tally tally = {0};
		CellBox box = RandomBox(&random, small, 25);
		if (step % 4 == 0)
			ck_assert_int_eq(WriteRandom(&random, &twin, box, &tally), ERROR_NONE);
		else if (step % 4 == 1)
			ck_assert_int_eq(SmearRandom(&random, &twin, box, &tally), ERROR_NONE);
		else if (step % 4 == 2)
			ck_assert_int_eq(ReplaceRandom(&random, &twin, box, &tally), ERROR_NONE);
		else {
			Voxel v = RandomVoxel(&random);
			Twin_Set(&twin, box.lo, v);
			ck_assert_int_eq(Store_Set(store, box.lo, v, &tally, NULL), ERROR_NONE);
		}
		Tally_Check(before, &tally, &twin, what);
	}
	Twin_Free(&twin);
}
END_TEST

/* ---- journal ------------------------------------------------------------------------------------------------ */

START_TEST(test_journal_is_bounded)
{
	/* Sparse cells on a line: the boxes of the recent ones stay apart, the old ones merge. */
	const int count = 5000;
	static CellBox boxes[JOURNAL_LIMIT];
	for (int i = 0; i < count; i++)
		Put((Cell){3 * i - 900, i % 7, -i % 11}, (Voxel){6, 255, 0});
	ck_assert_uint_eq(Store_Version(store), count);
	for (int since = 0; since < count; since += since < count - 900 ? 97 : 1) {
		int n = Store_Changes(store, (uint64_t)since, boxes, JOURNAL_LIMIT);
		ck_assert_int_ge(n, 1);
		ck_assert_int_le(n, JOURNAL_LIMIT);
		for (int i = since, b = 0; i < count; i++) {
			int x = 3 * i - 900;
			/* Boxes come in order of time, so the edits run through them in order too. */
			while (b < n && !(boxes[b].lo.x <= x && x <= boxes[b].hi.x))
				b++;
			REQUIRE(b < n, "edit %d since %d is in no box", i, since);
		}
		/* The recent ones are exact. */
		if (since >= count - 256)
			ck_assert_int_eq(n, count - since);
	}
	ck_assert_int_eq(Store_Changes(store, count, boxes, 1), 0);
	ck_assert_int_eq(Store_Changes(store, count + 5, boxes, 1), 0);
	/* A short buffer gets the oldest, and hears how many there are. */
	CellBox one = {{0, 0, 0}, {0, 0, 0}};
	ck_assert_int_eq(Store_Changes(store, count - 3, &one, 1), 3);
	ck_assert_int_eq(one.lo.x, 3 * (count - 3) - 900);
	ck_assert_int_eq(Store_Changes(store, count - 3, NULL, 0), 3);
}
END_TEST

Suite *suite_store_edits(void);
Suite *suite_store_edits(void)
{
	Suite *suite = suite_create("store_edits");
	TCase *tests = tcase_create("store_edits");
	tcase_set_timeout(tests, 120);
	tcase_add_checked_fixture(tests, Setup, Teardown);
	tcase_add_test(tests, test_mixed_edits);
	tcase_add_test(tests, test_both_forms);
	tcase_add_test(tests, test_tally_of_each_edit);
	tcase_add_test(tests, test_journal_is_bounded);
	suite_add_tcase(suite, tests);
	return suite;
}
