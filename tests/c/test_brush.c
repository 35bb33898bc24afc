/* Fills against known bytes, and their errors. */
#include "brush_naive.h"

/* A floor at any height k/64: three layers of bytes tell it, and reading it back gives the height to 1/256. */
START_TEST(test_floor_heights)
{
	for (int k = -70; k <= 70; k++) {
		double top = k / 64.0;
		Brush floor_box = MakeBox(-8, -10, -8, 8, top, 8);
		Fill(&floor_box, ROCK, EDIT_SET, NULL);
		bool whole = k % 64 == 0;
		int expected[8], highest = 0;
		for (int y = -4; y < 4; y++) {
			double d = top - (y + 0.5);
			int byte = whole ? (d > 0 ? 255 : 0) : Recipe(d);
			expected[y + 4] = byte;
			for (int x = -8; x < 8; x += 5)
				CHECK_AT(x, y, -1 - x, byte ? ROCK : 0, byte);
			if (byte >= 128)
				highest = y;
		}
		/* Crossing of 127.5 above the highest inside cell. */
		double a = expected[highest + 4], b = expected[highest + 5];
		double height = highest + 0.5 + (a - 127.5) / (a - b);
		REQUIRE(fabs(height - top) <= 1.0 / 256 + 1e-12, "floor at %g is read as %g", top, height);
		ck_assert_int_eq(Store_Clear(store, NULL, NULL), ERROR_NONE);
	}
}
END_TEST

/* A rotated box: the bytes near the middle of a face are those of the plane. */
START_TEST(test_tilted_plane)
{
	Brush box = MakeBox(-20, -20, -20, 20, 20, 20);
	Turn(&box, 1, 2, -0.5, 0.8, 0.6);
	box.center[1] = -20.25;
	Fill(&box, ROCK, EDIT_SET, NULL);
	int partial = 0;
	for (int x = -5; x <= 5; x++)
		for (int z = -5; z <= 5; z++)
			for (int y = -8; y <= 8; y++) {
				double w[3] = {x + 0.5, y + 0.5 + 20.25, z + 0.5};
				/* Local y axis is the second column. */
				double d = 20 - (box.rotation[0][1] * w[0] + box.rotation[1][1] * w[1] + box.rotation[2][1] * w[2]);
				int byte = Recipe(d);
				if (byte > 0 && byte < 128 && At(x, y, z).material == 0)
					continue; /* dropped as never seen: checked elsewhere */
				CHECK_AT(x, y, z, byte ? ROCK : 0, byte);
				partial += byte > 0 && byte < 255;
			}
	ck_assert_int_gt(partial, 100);
}
END_TEST

START_TEST(test_ball)
{
	const double r = 6.3, grown = r + 1 / (3 * r);
	Brush ball = MakeBall(-31.7, 0.2, 31.9, r);
	Tally tally = {0};
	Fill(&ball, SAND, EDIT_SET, &tally);
	ck_assert_double_eq_tol(Brush_Distance(&ball, -31.7, 0.2, 31.9), grown, 1e-12);
	CellBox box = {{-45, -12, 20}, {-20, 12, 45}};
	int64_t sum = 0;
	FOR_CELLS(c, box)
	{
		double dx = c.x + 0.5 + 31.7, dy = c.y + 0.5 - 0.2, dz = c.z + 0.5 - 31.9;
		int byte = Recipe(grown - sqrt(dx * dx + dy * dy + dz * dz));
		CHECK_AT(c.x, c.y, c.z, byte ? SAND : 0, byte);
		sum += byte ? byte + 1 : 0;
	}
	ck_assert_int_eq(tally.added[SAND], sum);
	/* Under 1.5 there is no compensation. */
	Brush bead = MakeBall(0, 0, 0, 1.4);
	ck_assert_double_eq_tol(Brush_Distance(&bead, 0, 0, 0), 1.4, 1e-12);
}
END_TEST

START_TEST(test_faces_hard_and_soft)
{
	/* x from 2 to 7.25, y from -3 to 5, z from 0.5 to 9. */
	Brush box = MakeBox(2, -3, 0.5, 7.25, 5, 9);
	Fill(&box, ROCK, EDIT_SET, NULL);
	CHECK_AT(2, 0, 4, ROCK, 255);
	CHECK_AT(1, 0, 4, 0, 0);
	CHECK_AT(4, -3, 4, ROCK, 255);
	CHECK_AT(4, -4, 4, 0, 0);
	CHECK_AT(4, 4, 4, ROCK, 255);
	CHECK_AT(4, 5, 4, 0, 0);
	CHECK_AT(4, 0, 8, ROCK, 255);
	CHECK_AT(4, 0, 9, 0, 0);
	CHECK_AT(6, 0, 4, ROCK, 128 + 96);
	CHECK_AT(7, 0, 4, ROCK, 127 - 32);
	CHECK_AT(8, 0, 4, 0, 0);
	CHECK_AT(4, 0, 0, ROCK, 128);
	CHECK_AT(4, 0, 1, ROCK, 255);
	CHECK_AT(4, 0, -1, 0, 0);
}
END_TEST

/* Two boxes that meet on a grid plane are one box, to the byte; so are cylinders and wedges stacked on a plane. */
START_TEST(test_no_groove)
{
	Store *other = Store_Create(&heap);
	Brush a = MakeBox(-10.3, -4, -7.7, 3, 6.4, 8), b = MakeBox(3, -4, -7.7, 17.2, 6.4, 8);
	Brush both = MakeBox(-10.3, -4, -7.7, 17.2, 6.4, 8);
	Fill(&a, ROCK, EDIT_SET, NULL);
	Fill(&b, ROCK, EDIT_SET, NULL);
	ck_assert_int_eq(Store_Fill(other, &table, &both, ROCK, EDIT_SET, NULL, NULL), ERROR_NONE);
	ck_assert_uint_eq(Store_HashValue(store), Store_HashValue(other));
	Brush low = {.shape = BRUSH_CYLINDER, .center = {40.3, 2, 0.1}, .half = {5.5, 4, 0}};
	Brush high = {.shape = BRUSH_CYLINDER, .center = {40.3, 8.25, 0.1}, .half = {5.5, 2.25, 0}};
	Brush tall = {.shape = BRUSH_CYLINDER, .center = {40.3, 4.25, 0.1}, .half = {5.5, 6.25, 0}};
	Fill(&low, ROCK, EDIT_SET, NULL);
	Fill(&high, ROCK, EDIT_ADD, NULL);
	ck_assert_int_eq(Store_Fill(other, &table, &tall, ROCK, EDIT_SET, NULL, NULL), ERROR_NONE);
	ck_assert_uint_eq(Store_HashValue(store), Store_HashValue(other));
	Store_Destroy(other);
}
END_TEST

START_TEST(test_dig_and_refill)
{
	Brush block = MakeBox(-20, -20, -20, 20, 0, 20), pit = MakeBox(-6, -9, -5, 7, 0, 4);
	Fill(&block, ROCK, EDIT_SET, NULL);
	uint64_t hash = Store_HashValue(store);
	Tally dug = {0}, filled = {0};
	Fill(&pit, MATERIAL_AIR, EDIT_SET, &dug);
	ck_assert_int_eq(dug.removed[ROCK], 256 * 13 * 9 * 9);
	ck_assert_uint_ne(Store_HashValue(store), hash);
	Fill(&pit, ROCK, EDIT_SET, &filled);
	ck_assert_int_eq(filled.added[ROCK], 256 * 13 * 9 * 9);
	ck_assert_uint_eq(Store_HashValue(store), hash);
	/* A fractional pit: no inside cell is lost. */
	Brush soft = MakeBox(-6.3, -9.6, -5.2, 7.1, 0.4, 4.45);
	Fill(&soft, ROCK, EDIT_REMOVE, NULL);
	Fill(&soft, ROCK, EDIT_SET, NULL);
	CellBox box = {{-20, -20, -20}, {19, -1, 19}};
	FOR_CELLS(c, box)
	REQUIRE(At(c.x, c.y, c.z).occupancy >= 128, "(%d, %d, %d) is outside now", c.x, c.y, c.z);
}
END_TEST

START_TEST(test_modes)
{
	Brush ground = MakeBox(0, 0, 0, 8, 8, 8), half = MakeBox(0, 0, 0, 8, 4.25, 8);
	Fill(&ground, GROUND, EDIT_SET, NULL);
	/* Cells whose centre the brush covers change (3.5 is under 4.25); weaker ones do not overrule full ground. */
	Fill(&half, ROCK, EDIT_SET, NULL);
	CHECK_AT(4, 2, 4, ROCK, 255);
	CHECK_AT(4, 3, 4, ROCK, 255);
	CHECK_AT(4, 4, 4, GROUND, 255);
	CHECK_AT(4, 5, 4, GROUND, 255);
	Brush taller = MakeBox(0, 0, 0, 8, 12, 8);
	Fill(&taller, SAND, EDIT_ADD, NULL);
	CHECK_AT(4, 2, 4, ROCK, 255);
	CHECK_AT(4, 7, 4, GROUND, 255);
	CHECK_AT(4, 8, 4, SAND, 255);
	/* Paint reaches what is at least half covered: to y = 4.25, the cell at 3.5 and the one at 4.5 not. */
	Tally tally = {0};
	Fill(&half, GRASS, EDIT_PAINT, &tally);
	CHECK_AT(4, 3, 4, GRASS, 255);
	CHECK_AT(4, 4, 4, GROUND, 255);
	ck_assert_int_eq(tally.added[GRASS], 256 * 8 * 8 * 4);
	ck_assert_int_eq(tally.removed[ROCK], 256 * 8 * 8 * 4);
	ck_assert_int_eq(tally.removed[GROUND], 0);
	/* Digging by half a cell leaves half. */
	Brush top = MakeBox(-2, 10.5, -2, 10, 14, 10);
	Fill(&top, ROCK, EDIT_REMOVE, NULL);
	CHECK_AT(4, 9, 4, SAND, 255);
	CHECK_AT(4, 10, 4, SAND, 127);
	CHECK_AT(4, 11, 4, 0, 0);
	/* Water stays where it was not displaced. */
	ck_assert_int_eq(Store_Set(store, (Cell){4, 10, 4}, (Voxel){SAND, 127, 9}, NULL, NULL), ERROR_NONE);
	Fill(&top, MATERIAL_AIR, EDIT_SET, NULL);
	ck_assert_int_eq(At(4, 10, 4).water, 9);
}
END_TEST

START_TEST(test_blocky_materials)
{
	Brush ball = MakeBall(0.2, 0.3, 0.4, 7), hole = MakeBall(5, 0, 0, 5);
	Fill(&ball, BRICK, EDIT_SET, NULL);
	Fill(&hole, MATERIAL_AIR, EDIT_SET, NULL);
	CellBox box = {{-12, -12, -12}, {12, 12, 12}};
	int solid = 0;
	FOR_CELLS(c, box)
	{
		bool in = Brush_Distance(&ball, c.x + 0.5, c.y + 0.5, c.z + 0.5) >= 0;
		bool out = Brush_Distance(&hole, c.x + 0.5, c.y + 0.5, c.z + 0.5) >= 0;
		CHECK_AT(c.x, c.y, c.z, in && !out ? BRICK : 0, in && !out ? 255 : 0);
		solid += in && !out;
	}
	ck_assert_int_gt(solid, 500);
	ck_assert_int_eq(Store_SolidCells(store), solid);
}
END_TEST

START_TEST(test_thin_plates)
{
	/* 0.4 thick at a fractional height becomes 1.5 thick: 4.55 to 6.05. */
	Brush plate = MakeBox(-6, 5.1, -6, 6, 5.5, 6), same = MakeBox(-6, 4.55, -6, 6, 6.05, 6);
	Fill(&plate, ROCK, EDIT_SET, NULL);
	uint64_t hash = Store_HashValue(store);
	ck_assert_int_eq(Store_Clear(store, NULL, NULL), ERROR_NONE);
	Fill(&same, ROCK, EDIT_SET, NULL);
	ck_assert_uint_eq(Store_HashValue(store), hash);
	ck_assert_int_eq(Store_Clear(store, NULL, NULL), ERROR_NONE);
	/* One layer between grid planes stays one layer of full cells. */
	Brush layer = MakeBox(-6, 5, -6, 6, 6, 6);
	Fill(&layer, ROCK, EDIT_SET, NULL);
	ck_assert_int_eq(Store_SolidCells(store), 144);
	CHECK_AT(0, 5, 0, ROCK, 255);
	/* A slit is cut as thin as it is asked for. */
	Brush block = MakeBox(-6, 0, -6, 6, 12, 6), slit = MakeBox(-7, 3.3, -7, 7, 3.7, 7);
	Fill(&block, ROCK, EDIT_SET, NULL);
	Fill(&slit, ROCK, EDIT_REMOVE, NULL);
	CHECK_AT(0, 2, 0, ROCK, 255 - Recipe(-0.8));
	CHECK_AT(0, 3, 0, ROCK, 255 - Recipe(0.2 - 1e-9));
	/* Every ray through a thin tilted plate meets an inside cell. */
	ck_assert_int_eq(Store_Clear(store, NULL, NULL), ERROR_NONE);
	Brush tilted = MakeBox(-14, -0.2, -14, 14, 0.2, 14);
	Turn(&tilted, 1, 0.3, 0.6, 0.9, sqrt(1 - 0.81));
	Fill(&tilted, ROCK, EDIT_SET, NULL);
	for (int x = -6; x <= 6; x++)
		for (int z = -6; z <= 6; z++) {
			int inside = 0;
			for (int y = -12; y <= 12; y++)
				inside += At(x, y, z).occupancy >= 128;
			REQUIRE(inside > 0, "leak at (%d, %d)", x, z);
		}
}
END_TEST

/* ---- errors ------------------------------------------------------------------------------------------------- */

START_TEST(test_bad_brushes)
{
	Error error;
	Brush good = MakeBox(0, 0, 0, 4, 4, 4), bad;

#define REFUSED(change, expected, part)                                                                                \
	do {                                                                                                               \
		bad = good;                                                                                                    \
		change;                                                                                                        \
		ck_assert_int_eq(Store_Fill(store, &table, &bad, ROCK, EDIT_SET, NULL, &error), expected);                     \
		ck_assert_msg(strstr(error.text, part), "%s", error.text);                                                     \
	} while (0)

	REFUSED(bad.center[1] = (double)NAN, ERROR_ARGUMENT, "center: y is nan");
	REFUSED(bad.center[0] = (double)INFINITY, ERROR_ARGUMENT, "center: x is inf");
	REFUSED(bad.half[2] = 0, ERROR_ARGUMENT, "half: z is 0");
	REFUSED(bad.half[0] = -1, ERROR_ARGUMENT, "half: x is -1");
	REFUSED(bad.half[0] = (double)NAN, ERROR_ARGUMENT, "half: x is nan");
	REFUSED(bad.half[0] = 1e300, ERROR_ARGUMENT, "half: x is 1e+300");
	REFUSED(bad.rotated = true, ERROR_ARGUMENT, "rotation");
	REFUSED(bad.shape = (BrushShape)7, ERROR_ARGUMENT, "shape: 7");
	REFUSED(bad.center[0] = 1.5e9, ERROR_LIMIT, "beyond the limit");
	REFUSED((bad.half[0] = 1e6, bad.half[1] = 1e6), ERROR_LIMIT, "may span");
	ck_assert_int_eq(Store_Fill(store, &table, &good, 200, EDIT_SET, NULL, &error), ERROR_ARGUMENT);
	ck_assert_int_eq(Store_Fill(store, &table, &good, ROCK, (EditMode)9, NULL, &error), ERROR_ARGUMENT);
	ck_assert_int_eq(Store_Fill(store, &table, &good, MATERIAL_WATER, EDIT_PAINT, NULL, &error), ERROR_ARGUMENT);
	ck_assert_str_eq(error.text, "material: water cannot be painted with");
	ck_assert_uint_eq(Store_Version(store), 0);
	/* Digging may reach anywhere. */
	Brush huge = MakeBox(-3e9, -3e9, -3e9, 3e9, 3e9, 3e9);
	Fill(&good, ROCK, EDIT_SET, NULL);
	Fill(&huge, GRASS, EDIT_PAINT, NULL);
	CHECK_AT(1, 1, 1, GRASS, 255);
	Fill(&huge, MATERIAL_WATER, EDIT_REMOVE, NULL);
	Fill(&huge, ROCK, EDIT_REMOVE, NULL);
	ck_assert_int_eq(Store_ChunkCount(store), 0);
	/* Up to the last cell of the world. */
	Brush last = MakeBox(CELL_LIMIT - 4, -CELL_LIMIT + 2, 0, CELL_LIMIT - 1, -CELL_LIMIT + 5, 4);
	Fill(&last, ROCK, EDIT_SET, NULL);
	CHECK_AT(CELL_LIMIT - 2, -CELL_LIMIT + 2, 0, ROCK, 255);
}
END_TEST

typedef int AttemptFn(Store *s, Tally *tally);

static int Attempt_Fill(Store *s, Tally *tally)
{
	Brush ball = MakeBall(3.3, 8, 31.5, 12);
	return Store_Fill(s, &table, &ball, ROCK, EDIT_SET, tally, NULL);
}

static int Attempt_Dig(Store *s, Tally *tally)
{
	Brush ball = MakeBall(3.3, 1, 2, 6);
	return Store_Fill(s, &table, &ball, MATERIAL_AIR, EDIT_SET, tally, NULL);
}

static int Attempt_Water(Store *s, Tally *tally)
{
	Brush box = MakeBox(-20, 0, -20, 20, 7.5, 20);
	return Store_Fill(s, &table, &box, MATERIAL_WATER, EDIT_SET, tally, NULL);
}

static int Attempt_Heights(Store *s, Tally *tally)
{
	static double heights[50 * 50];
	for (int i = 0; i < COUNT_OF(heights); i++)
		heights[i] = i * 37 % 11;
	HeightFill fill = MakeHeights(heights, 50, 50, -20, -20, 1);
	return Store_FillHeights(s, &table, &fill, EDIT_SET, tally, NULL, NULL);
}

START_TEST(test_failing_allocations)
{
	static AttemptFn *const attempts[] = {Attempt_Fill, Attempt_Dig, Attempt_Water, Attempt_Heights};
	for (int k = 0; k < COUNT_OF(attempts); k++) {
		FailingMemory f;
		FailingMemory_Init(&f, -1);
		Store *s = Store_Create(&f.memory);
		Brush ground = MakeBox(-15, -10, -15, 15, 2.3, 15);
		ck_assert_int_eq(Store_Fill(s, &table, &ground, GROUND, EDIT_SET, NULL, NULL), ERROR_NONE);
		uint64_t hash = Store_HashValue(s), version = Store_Version(s);
		int code = ERROR_MEMORY, failures = 0;
		for (long allowed = 0; code != ERROR_NONE; allowed++) {
			Tally tally = {0}, none = {0};
			f.left = allowed;
			code = attempts[k](s, &tally);
			f.left = -1;
			Store_CheckValid(s, "failing fill");
			if (code == ERROR_NONE)
				break;
			failures++;
			REQUIRE(code == ERROR_MEMORY, "fill %d: code %d", k, code);
			REQUIRE(hash == Store_HashValue(s) && version == Store_Version(s), "fill %d: changed by failure %ld", k,
			        allowed);
			REQUIRE(memcmp(&tally, &none, sizeof(none)) == 0, "fill %d: tallied", k);
		}
		ck_assert_int_gt(failures, 5);
		ck_assert_uint_eq(Store_Version(s), version + 1);
		Store_Destroy(s);
		ck_assert_uint_eq(f.memory.bytes, 0);
		ck_assert_uint_eq(f.memory.blocks, 0);
	}
}
END_TEST

Suite *suite_brush(void);
Suite *suite_brush(void)
{
	Suite *suite = suite_create("brush");
	TCase *tests = tcase_create("brush");
	tcase_set_timeout(tests, 120);
	tcase_add_checked_fixture(tests, Setup, Teardown);
	tcase_add_test(tests, test_floor_heights);
	tcase_add_test(tests, test_tilted_plane);
	tcase_add_test(tests, test_ball);
	tcase_add_test(tests, test_faces_hard_and_soft);
	tcase_add_test(tests, test_no_groove);
	tcase_add_test(tests, test_dig_and_refill);
	tcase_add_test(tests, test_modes);
	tcase_add_test(tests, test_blocky_materials);
	tcase_add_test(tests, test_thin_plates);
	tcase_add_test(tests, test_bad_brushes);
	tcase_add_test(tests, test_failing_allocations);
	suite_add_tcase(suite, tests);
	return suite;
}
