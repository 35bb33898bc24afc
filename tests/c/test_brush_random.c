/* Fills and their clean-up against a naive dense twin. */
#include "brush_naive.h"
#include "test_scale.h"

/* ---- clean-up ----------------------------------------------------------------------------------------------- */

START_TEST(test_specks_go_and_faint_cells_stay)
{
	Brush block = MakeBox(-10, -10, -10, 10, 0, 10), bead = MakeBall(30.5, 0.5, 0.5, 0.3);
	Fill(&block, ROCK, EDIT_SET, NULL);
	/* A bead under half a cell still has a cell to be seen by. */
	Fill(&bead, SAND, EDIT_SET, NULL);
	ck_assert_int_ge(At(30, 0, 0).occupancy, 128);
	/* Put on purpose: a lone faint cell, and one that nothing shows beside a stronger faint one. */
	Cell lone = {5, 6, 5}, hidden[3] = {{-6, 6, -6}, {-5, 6, -6}, {-4, 6, -6}};
	Store_Set(store, lone, (Voxel){SAND, 40, 0}, NULL, NULL);
	for (int i = 0; i < 3; i++)
		Store_Set(store, hidden[i], (Voxel){SAND, (uint8_t)(10 + 10 * i), 0}, NULL, NULL);
	/* Digging right under them: nothing of theirs is touched. */
	Brush shave = MakeBox(-12, -0.5, -12, 12, 5.9, 12);
	Fill(&shave, MATERIAL_AIR, EDIT_SET, NULL);
	CHECK_AT(5, 6, 5, SAND, 40);
	for (int i = 0; i < 3; i++)
		CHECK_AT(hidden[i].x, 6, -6, SAND, 10 + 10 * i);
	/* A stub of a column: what digging leaves of it is a speck, and goes. */
	Brush column = MakeBox(40, 0, 40, 42, 10, 42), cut = MakeBall(41, 5, 41, 20.4);
	Fill(&column, ROCK, EDIT_SET, NULL);
	Fill(&cut, MATERIAL_AIR, EDIT_SET, NULL);
	ck_assert(Store_IsEmpty(store, (CellBox){{38, -5, 38}, {44, 15, 44}}));
	/* The fringe of a soft floor goes with the floor. */
	Brush slab = MakeBox(60, 0, 60, 70, 4.4, 70), under = MakeBox(59, -1, 59, 71, 4, 71);
	Fill(&slab, ROCK, EDIT_SET, NULL);
	CHECK_AT(65, 4, 65, ROCK, Recipe(-0.1));
	Tally tally = {0};
	Fill(&under, MATERIAL_AIR, EDIT_REMOVE, &tally);
	ck_assert(Store_IsEmpty(store, (CellBox){{58, -5, 58}, {74, 15, 74}}));
}
END_TEST

/* What is added and dropped again in one fill is in no tally. */
START_TEST(test_dropped_cells_are_not_tallied)
{
	for (int k = 0; k < 40; k++) {
		Brush ball = MakeBall(0.03 * k, 0.41, 0.017 * k, 0.8);
		Tally tally = {0};
		Fill(&ball, SAND, EDIT_SET, &tally);
		int64_t sums[MATERIAL_LIMIT];
		Store_Matter(store, (CellBox){{-5, -5, -5}, {5, 5, 5}}, sums);
		ck_assert_int_eq(tally.removed[SAND], 0);
		ck_assert_int_eq(tally.added[SAND], sums[SAND]);
		ck_assert_int_eq(Store_Clear(store, NULL, NULL), ERROR_NONE);
	}
}
END_TEST

/* ---- random fills against the twin -------------------------------------------------------------------------- */

static const CellBox block = {{-40, -40, -40}, {39, 39, 39}};

static Brush RandomBrush(Random *random)
{
	Brush brush = {.shape = (BrushShape)Random_Below(random, 4)};
	/* Mostly small; sometimes large enough to cover whole chunks; always within the block, reach included. */
	bool large = Random_Below(random, 8) == 0, snapped = Random_Below(random, 2);
	double most = large ? 20 : 6, reach = 0;
	for (int i = 0; i < 3; i++) {
		brush.half[i] = Random_Range(random, 0.2, most);
		if (snapped)
			brush.half[i] = 0.5 * (1 + Random_Below(random, (int)(2 * most)));
		reach += brush.half[i] * brush.half[i];
	}
	if (brush.shape == BRUSH_BALL)
		reach = brush.half[0] * brush.half[0];
	if (brush.shape == BRUSH_CYLINDER)
		reach += brush.half[0] * brush.half[0];
	reach = Least(38, (int)sqrt(reach) + 4);
	for (int i = 0; i < 3; i++) {
		brush.center[i] = Random_Range(random, reach - 40, 40 - reach);
		if (snapped)
			brush.center[i] = floor(brush.center[i]) + brush.half[i] - floor(brush.half[i]);
	}
	if (Random_Below(random, 3) == 0) {
		double t = Random_Range(random, -1, 1);
		double ax = Random_Range(random, -1, 1), ay = Random_Range(random, 0.1, 1), az = Random_Range(random, -1, 1);
		Turn(&brush, ax, ay, az, (1 - t * t) / (1 + t * t), 2 * t / (1 + t * t));
	}
	return brush;
}

START_TEST(test_random_fills)
{
	static const uint8_t materials[] = {0, 0, 1, 2, 3, 6, 6, 12};
	Twin twin = Twin_Create(block);
	Tally total = {0};
	const int64_t nothing[MATERIAL_LIMIT] = {0};
	for (int step = 0; step < LESS(150); step++) {
		Random random = {1000 + (uint64_t)step};
		Brush brush = RandomBrush(&random);
		uint8_t material = materials[Random_Below(&random, COUNT_OF(materials))];
		EditMode mode = (EditMode)Random_Below(&random, material > 1 ? 4 : 3);
		char what[96];
		snprintf(what, sizeof(what), "fill, seed %d: shape %d, material %d, mode %d", 1000 + step, (int)brush.shape,
		         material, (int)mode);
		Twin before = Twin_Copy(&twin);
		uint64_t version = Store_Version(store);
		NaiveStoreFill(&twin, brush, material, mode, step % 40 == 0);
		Fill(&brush, material, mode, &total);
		Twin_CheckEqual(&twin, store, what);
		ck_assert_uint_le(Store_Version(store), version + 1);
		if (step % 8 == 0) {
			Store_CheckValid(store, what);
			Tally_Check(nothing, &total, &twin, what);
			Journal_Check(store, version, &before, &twin, what);
		}
		Twin_Free(&before);
	}
	Twin_Free(&twin);
}
END_TEST

/* Chunks that a fill covers wholly take another way: over every kind of chunk, in every mode. */
START_TEST(test_whole_chunks)
{
	static const Voxel states[] = {{0, 0, 0},      {0, 0, 255},     {0, 0, 90},
	                               {ROCK, 255, 0}, {ROCK, 140, 30}, {BRICK, 200, 7}};
	static const uint8_t materials[] = {GROUND, MATERIAL_AIR, MATERIAL_WATER};
	const CellBox around = {{-2, -2, -2}, {33, 34, 33}}, chunk = {{0, 0, 0}, {31, 31, 31}};
	for (int i = 0; i < COUNT_OF(states) * 2 * COUNT_OF(materials) * 4; i += TEST_STEP) {
		Voxel state = states[i % COUNT_OF(states)];
		bool mixed = i / COUNT_OF(states) % 2;
		uint8_t material = materials[i / COUNT_OF(states) / 2 % COUNT_OF(materials)];
		EditMode mode = (EditMode)(i / COUNT_OF(states) / 2 / COUNT_OF(materials));
		if ((mode == EDIT_PAINT && material != GROUND) || (mixed && i % 2))
			continue;
		char what[64];
		snprintf(what, sizeof(what), "whole chunk, case %d: material %d, mode %d", i, material, (int)mode);
		Twin twin = Twin_Create(around);
		FOR_CELLS(c, chunk)
		Twin_Set(&twin, c, mixed && c.x == 9 ? (Voxel){SAND, 150, 60} : state);
		Region region = {twin.nx, twin.ny, twin.nz, {twin.channel[0], twin.channel[1], twin.channel[2]}};
		REQUIRE(Store_Write(store, around, &region, NULL, NULL, NULL) == ERROR_NONE, "%s: write", what);
		int64_t before[MATERIAL_LIMIT];
		Twin_Matter(&twin, before);
		Brush box = MakeBox(-1, -1, -1.3, 33, 33.2, 32);
		Tally tally = {0};
		NaiveStoreFill(&twin, box, material, mode, false);
		Fill(&box, material, mode, &tally);
		Twin_CheckEqual(&twin, store, what);
		Tally_Check(before, &tally, &twin, what);
		REQUIRE(Store_Clear(store, NULL, NULL) == ERROR_NONE, "%s: clear", what);
		Twin_Free(&twin);
	}
	/* Balls that only just cover the chunk, or only just do not. */
	for (int i = 0; i < 12; i += TEST_STEP) {
		Brush ball = MakeBall(16.1, 15.9, 16, 26 + 0.26 * i);
		Fill(&ball, ROCK, EDIT_SET, NULL);
		FOR_CELLS(c, chunk)
		REQUIRE(At(c.x, c.y, c.z).occupancy == NaiveByte(&ball, c, false), "ball %d at (%d, %d, %d)", i, c.x, c.y, c.z);
		REQUIRE(Store_Clear(store, NULL, NULL) == ERROR_NONE, "clear");
	}
}
END_TEST

/* Faint noise is where the clean-up has to choose: every cell weak, then brushed over. */
START_TEST(test_clean_up_in_noise)
{
	for (uint64_t seed = 1; seed <= LESS(24); seed++) {
		Random random = {seed * 9973};
		const CellBox small = {{-9, -9, -9}, {12, 12, 12}};
		Twin twin = Twin_Create((CellBox){{-14, -14, -14}, {17, 17, 17}});
		int share = 1 + (int)seed % 4, top = seed % 3 == 0 ? 20 : 140;
		FOR_CELLS(c, small)
		if (Random_Below(&random, 5) < share)
			Twin_Set(&twin, c, (Voxel){ROCK, (uint8_t)Random_Below(&random, top), 0});
		Region region = {twin.nx, twin.ny, twin.nz, {twin.channel[0], twin.channel[1], twin.channel[2]}};
		ck_assert_int_eq(Store_Write(store, twin.box, &region, NULL, NULL, NULL), ERROR_NONE);
		for (int i = 0; i < 3; i++) {
			double x = Random_Range(&random, -6, 8), y = Random_Range(&random, -6, 8);
			double z = Random_Range(&random, -6, 8);
			Brush ball = MakeBall(x, y, z, Random_Range(&random, 0.3, 4));
			EditMode mode = (EditMode)Random_Below(&random, 3);
			char what[64];
			snprintf(what, sizeof(what), "noise, seed %d, fill %d, mode %d", (int)seed * 9973, i, (int)mode);
			NaiveStoreFill(&twin, ball, GROUND, mode, false);
			Fill(&ball, GROUND, mode, NULL);
			Twin_CheckEqual(&twin, store, what);
		}
		ck_assert_int_eq(Store_Clear(store, NULL, NULL), ERROR_NONE);
		Twin_Free(&twin);
	}
}
END_TEST

/* 500 balls dug at random over chunk borders: counts equal brute force, nothing invisible is left. */
START_TEST(test_many_digs)
{
	const CellBox rock = {{-32, -32, -32}, {31, 31, 31}};
	Twin twin = Twin_Create(block);
	FOR_CELLS(c, rock)
	Twin_Set(&twin, c, (Voxel){ROCK, 255, 0});
	ck_assert_int_eq(Store_Replace(store, rock, MATERIAL_AIR, ROCK, NULL, NULL), ERROR_NONE);
	Random random = {530};
	Tally tally = {0};
	for (int i = 0; i < LESS(500); i++) {
		double x = Random_Range(&random, -33, 33), y = Random_Range(&random, -33, 33);
		Brush ball = MakeBall(x, y, Random_Range(&random, -33, 33), 5.3);
		if (i % 5 == 0)
			for (int k = 0; k < 3; k++)
				ball.center[k] = 32 * floor(ball.center[k] / 32 + 0.5);
		Fill(&ball, MATERIAL_AIR, EDIT_REMOVE, &tally);
		if (i < 60)
			NaiveStoreFill(&twin, ball, MATERIAL_AIR, EDIT_REMOVE, false);
		if (i == 59)
			Twin_CheckEqual(&twin, store, "digs, seed 530");
	}
	Region region = {twin.nx, twin.ny, twin.nz, {twin.channel[0], twin.channel[1], twin.channel[2]}};
	Store_Read(store, block, &region);
	int64_t counts[MATERIAL_LIMIT], solid = 0;
	Store_Count(store, block, counts, NULL);
	FOR_CELLS(c, block)
	{
		int level = Level(&twin, c);
		solid += level > 0;
		if (level == 0 || level > 128)
			continue;
		bool seen = false;
		for (int i = 0; i < 27 && !seen; i++)
			seen = Level(&twin, Near(c, i)) > 128;
		REQUIRE(seen, "digs, seed 530: (%d, %d, %d) cannot be seen", c.x, c.y, c.z);
	}
	ck_assert_int_eq(counts[ROCK], solid);
	ck_assert_int_eq(Store_SolidCells(store), solid);
	int64_t before[MATERIAL_LIMIT] = {[ROCK] = 256 * 64 * 64 * 64};
	Tally_Check(before, &tally, &twin, "digs, seed 530");
	Twin_Free(&twin);
}
END_TEST

Suite *suite_brush_random(void);
Suite *suite_brush_random(void)
{
	Suite *suite = suite_create("brush_random");
	TCase *tests = tcase_create("brush_random");
	tcase_set_timeout(tests, 120);
	tcase_add_checked_fixture(tests, Setup, Teardown);
	tcase_add_test(tests, test_specks_go_and_faint_cells_stay);
	tcase_add_test(tests, test_dropped_cells_are_not_tallied);
	tcase_add_test(tests, test_random_fills);
	tcase_add_test(tests, test_whole_chunks);
	tcase_add_test(tests, test_clean_up_in_noise);
	tcase_add_test(tests, test_many_digs);
	suite_add_tcase(suite, tests);
	return suite;
}
