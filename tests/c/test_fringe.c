/* Hard faces that meet soft fringes: after any row of fills and digs of one family of planes, the surface lies where
 * the last one, the union or the difference says. */
#include "brush_naive.h"

/* A direction along an axis, out of the solid. */
typedef struct Way {
	int axis, sign;
} Way;

static Way WayOf(int i)
{
	return (Way){i / 2, i % 2 ? -1 : 1};
}

/* The half space below (or above) the height `h`, measured along the way, cut to a box of 12 x 12. */
static Brush Half(Way way, double h, bool below)
{
	double lo[3] = {-6, -6, -6}, hi[3] = {6, 6, 6};
	double from = below ? -9 : h, to = below ? h : 9;
	lo[way.axis] = way.sign > 0 ? from : -to;
	hi[way.axis] = way.sign > 0 ? to : -from;
	return MakeBox(lo[0], lo[1], lo[2], hi[0], hi[1], hi[2]);
}

static Voxel AlongWay(Way way, int i)
{
	int at[3] = {0, 0, 0};
	at[way.axis] = way.sign > 0 ? i : -1 - i;
	return At(at[0], at[1], at[2]);
}

static int ByteAlong(Way way, int i)
{
	Voxel v = AlongWay(way, i);
	return v.material == MATERIAL_AIR ? 0 : v.occupancy;
}

/* Matter of the middle column, in cells. */
static double MatterAlong(Way way)
{
	double sum = 0;
	for (int i = -9; i < 9; i++)
		sum += AlongWay(way, i).material == MATERIAL_AIR ? 0 : (ByteAlong(way, i) + 1) / 256.0;
	return sum;
}

/* The height of the surface in the middle; there must be one crossing. */
static double HeightAlong(Way way, const char *what)
{
	double height = NAN;
	for (int i = -9; i < 9; i++) {
		int a = ByteAlong(way, i), b = ByteAlong(way, i + 1);
		if (a < 128 || b >= 128)
			continue;
		REQUIRE(isnan(height), "%s: two surfaces", what);
		height = i + 0.5 + (a - 127.5) / (a - b);
	}
	REQUIRE(!isnan(height), "%s: no surface", what);
	return height;
}

/* Hard faces are exact. A soft surface that comes after a hard one is as near as any. Of one that was there before only
 * its bytes are known, and above a hard face it has less than 128 steps a cell to lie on: half of the widest step comes
 * on top of what it was off. */
#define HARD 1e-12
#define SOFT (1.0 / 256 + 1e-9)
#define ABOVE_HARD (1.0 / 128 + 1e-9)

static void CheckHeight(Way way, double wanted, double most, double h1, double h2, const char *what)
{
	char text[128];
	snprintf(text, sizeof(text), "%s, axis %d %+d, %g then %g", what, way.axis, way.sign, h1, h2);
	double got = HeightAlong(way, text);
	REQUIRE(fabs(got - wanted) <= most, "%s: surface at %.6f, not %.6f", text, got, wanted);
	REQUIRE(Store_Clear(store, NULL, NULL) == ERROR_NONE, "clear");
}

static const EditMode modes[] = {EDIT_SET, EDIT_ADD};

/* Every height in steps of 1/20 against the planes 1, 2 and 3, in both orders. */
START_TEST(test_fills_of_two_heights)
{
	for (int k = 0; k <= 60; k++) {
		for (int plane = 1; plane <= 3; plane++) {
			double soft = 0.5 + k / 20.0 + 1e-4, hard = plane, wanted = fmax(soft, hard);
			Way way = WayOf((k + plane) % 6);
			Brush a = Half(way, soft, true), b = Half(way, hard, true);
			Fill(&a, ROCK, modes[k % 2], NULL);
			Fill(&b, ROCK, modes[k / 2 % 2], NULL);
			CheckHeight(way, wanted, hard > soft ? HARD : ABOVE_HARD, soft, hard, "soft, hard");
			Fill(&b, ROCK, modes[k % 2], NULL);
			Fill(&a, GRASS, modes[k / 2 % 2], NULL);
			CheckHeight(way, wanted, hard > soft ? HARD : SOFT, hard, soft, "hard, soft");
		}
	}
}
END_TEST

START_TEST(test_digs_of_two_heights)
{
	for (int k = 0; k <= 60; k++) {
		for (int plane = 1; plane <= 3; plane++) {
			double soft = 0.5 + k / 20.0 + 1e-4, hard = plane, wanted = fmin(soft, hard);
			Way way = WayOf((k + plane) % 6);
			Brush block_ = Half(way, 6, true), a = Half(way, soft, false), b = Half(way, hard, false);
			for (int order = 0; order < 2; order++) {
				Fill(&block_, ROCK, EDIT_SET, NULL);
				Fill(order ? &a : &b, ROCK, EDIT_REMOVE, NULL);
				Fill(order ? &b : &a, MATERIAL_AIR, EDIT_SET, NULL);
				CheckHeight(way, wanted,
				            hard < soft ? HARD
				            : order     ? ABOVE_HARD
				                        : SOFT,
				            soft, hard, order ? "dig soft, hard" : "dig hard, soft");
			}
		}
	}
}
END_TEST

/* Fill to one height and dig to another, both ways round. */
START_TEST(test_fill_and_dig)
{
	for (int k = 0; k <= 50; k++) {
		double soft = 0.73 + k / 20.0, hard = 2;
		Way way = WayOf(k % 6);
		Brush fill_soft = Half(way, soft, true), fill_hard = Half(way, hard, true);
		Brush dig_soft = Half(way, soft, false), dig_hard = Half(way, hard, false);
		Fill(&fill_soft, ROCK, EDIT_SET, NULL);
		Fill(&dig_hard, ROCK, EDIT_REMOVE, NULL);
		CheckHeight(way, fmin(soft, hard), hard < soft ? HARD : ABOVE_HARD, soft, hard, "fill soft, dig hard");
		Fill(&fill_hard, ROCK, EDIT_SET, NULL);
		Fill(&dig_soft, ROCK, EDIT_REMOVE, NULL);
		CheckHeight(way, fmin(soft, hard), hard < soft ? HARD : SOFT, hard, soft, "fill hard, dig soft");
		Fill(&fill_hard, ROCK, EDIT_SET, NULL);
		Fill(&dig_soft, ROCK, EDIT_REMOVE, NULL);
		Fill(&fill_hard, ROCK, EDIT_SET, NULL);
		CheckHeight(way, hard, HARD, soft, hard, "fill hard, dig soft, fill hard");
		Fill(&fill_hard, ROCK, EDIT_SET, NULL);
		Fill(&fill_soft, ROCK, EDIT_SET, NULL);
		Fill(&dig_hard, ROCK, EDIT_REMOVE, NULL);
		CheckHeight(way, hard, HARD, soft, hard, "fill hard, fill soft, dig hard");
	}
}
END_TEST

/* Long rows of fills and digs do not drift. */
START_TEST(test_rows_of_edits)
{
	for (uint64_t seed = 1; seed <= 120; seed++) {
		Random random = {seed * 77};
		Way way = WayOf((int)(seed % 6));
		Brush first = Half(way, 0, true);
		Fill(&first, ROCK, EDIT_SET, NULL);
		double height = 0;
		for (int i = 0; i < 12; i++) {
			double h = Random_Below(&random, 2) ? Random_Range(&random, -2, 2) : Random_Below(&random, 5) - 2;
			bool below = Random_Below(&random, 2);
			Brush brush = Half(way, h, below);
			Fill(&brush, below ? GRASS : MATERIAL_AIR, modes[Random_Below(&random, 2)], NULL);
			height = below ? fmax(height, h) : fmin(height, h);
			char what[64];
			snprintf(what, sizeof(what), "row, seed %d, edit %d", (int)seed * 77, i);
			double got = HeightAlong(way, what);
			REQUIRE(fabs(got - height) <= ABOVE_HARD, "%s: surface at %.6f, not %.6f", what, got, height);
		}
		REQUIRE(Store_Clear(store, NULL, NULL) == ERROR_NONE, "clear");
	}
}
END_TEST

/* What a box on the grid fills is full and what it digs is empty, whatever was there; the sums of matter say how far
 * the surface went, and a fill takes nothing, a dig gives nothing. */
START_TEST(test_whole_boxes_and_sums)
{
	for (int k = 0; k < 64; k++) {
		double soft = 1 + k / 64.0;
		Way way = WayOf(k % 6);
		Brush ground = Half(way, soft, true), fill = Half(way, 2, true), dig = Half(way, 1, false);
		Tally filled = {0}, dug = {0};
		Fill(&ground, ROCK, EDIT_SET, NULL);
		double before = MatterAlong(way);
		Fill(&fill, ROCK, EDIT_ADD, &filled);
		REQUIRE(fabs(MatterAlong(way) - before - (2 - soft)) < 0.012, "fill over %g: %g", soft,
		        MatterAlong(way) - before);
		for (int i = -6; i < 2; i++)
			REQUIRE(ByteAlong(way, i) == 255, "fill over %g: cell %d holds %d", soft, i, ByteAlong(way, i));
		for (int i = 2; i < 6; i++)
			REQUIRE(AlongWay(way, i).material == MATERIAL_AIR, "fill over %g: cell %d is not air", soft, i);
		ck_assert_int_eq(filled.removed[ROCK], 0);
		REQUIRE(Store_Clear(store, NULL, NULL) == ERROR_NONE, "clear");
		Fill(&ground, ROCK, EDIT_SET, NULL);
		before = MatterAlong(way);
		Fill(&dig, ROCK, EDIT_REMOVE, &dug);
		REQUIRE(fabs(before - MatterAlong(way) - (soft - 1)) < 0.012, "dig from %g: %g", soft,
		        before - MatterAlong(way));
		for (int i = -6; i < 1; i++)
			REQUIRE(ByteAlong(way, i) == 255, "dig from %g: cell %d holds %d", soft, i, ByteAlong(way, i));
		for (int i = 1; i < 6; i++)
			REQUIRE(AlongWay(way, i).material == MATERIAL_AIR, "dig from %g: cell %d is not air", soft, i);
		ck_assert_int_eq(dug.added[ROCK], 0);
		REQUIRE(Store_Clear(store, NULL, NULL) == ERROR_NONE, "clear");
	}
}
END_TEST

/* Beside the meeting nothing changes: fringes of ground outside the fill, of a wall that it touches, and of a second
 * material keep their bytes. */
START_TEST(test_other_fringes_stay)
{
	Brush ground = MakeBox(-10, -9, -10, 10, 1.95, 10), wall = MakeBox(4.3, -9, -10, 10, 8, 10);
	Fill(&ground, GRASS, EDIT_SET, NULL);
	Fill(&wall, BRICK + 1, EDIT_SET, NULL);
	int beside = At(4, 5, 0).occupancy, fringe = At(-8, 2, 0).occupancy;
	ck_assert_int_eq(fringe, Recipe(-0.55));
	Brush floor_box = MakeBox(-5, -9, -10, 4, 2, 10);
	Tally tally = {0};
	Fill(&floor_box, ROCK, EDIT_SET, &tally);
	CHECK_AT(-8, 2, 0, GRASS, fringe);
	CHECK_AT(4, 5, 0, BRICK + 1, beside);
	CHECK_AT(0, 2, 0, 0, 0);
	CHECK_AT(0, 1, 0, ROCK, 255);
	/* A soft slab beside a hard one of the same height leaves it as it is, and is as it is alone. */
	ck_assert_int_eq(Store_Clear(store, NULL, NULL), ERROR_NONE);
	Brush hard = MakeBox(-10, -4, -10, 0, 2, 10), soft = MakeBox(0, -4, -10, 10, 1.95, 10);
	Fill(&hard, ROCK, EDIT_SET, NULL);
	Fill(&soft, ROCK, EDIT_SET, NULL);
	CHECK_AT(-1, 1, 0, ROCK, 255);
	CHECK_AT(-1, 2, 0, 0, 0);
	CHECK_AT(0, 1, 0, ROCK, Recipe(0.45));
	CHECK_AT(0, 2, 0, ROCK, Recipe(-0.55));
	/* A ball dug out of the air above a hard floor does not dent it. */
	Brush dome = MakeBall(-5.5, 2.3 + 3 + 1.0 / 9, 0.5, 3);
	Fill(&dome, MATERIAL_AIR, EDIT_SET, NULL);
	CHECK_AT(-6, 1, 0, ROCK, 255);
}
END_TEST

/* Ground made of heights meets hard floors like any other. */
START_TEST(test_heights_and_hard_floors)
{
	for (int k = 0; k <= 40; k++) {
		double soft = 1.017 + k / 20.0, samples[4] = {soft, soft, soft, soft};
		HeightFill heights = MakeHeights(samples, 2, 2, -5.5, -5.5, 10);
		heights.bottom = -8;
		Way up = {1, 1};
		Brush box = Half(up, 2, true);
		for (int order = 0; order < 2; order++) {
			if (order)
				FillHeights(&heights, EDIT_SET, NULL);
			Fill(&box, ROCK, EDIT_SET, NULL);
			if (!order)
				FillHeights(&heights, EDIT_ADD, NULL);
			CheckHeight(up, fmax(soft, 2),
			            soft < 2 ? HARD
			            : order  ? ABOVE_HARD
			                     : SOFT,
			            soft, 2, order ? "heights, hard" : "hard, heights");
		}
	}
}
END_TEST

Suite *suite_fringe(void);
Suite *suite_fringe(void)
{
	Suite *suite = suite_create("fringe");
	TCase *tests = tcase_create("fringe");
	tcase_set_timeout(tests, 120);
	tcase_add_checked_fixture(tests, Setup, Teardown);
	tcase_add_test(tests, test_fills_of_two_heights);
	tcase_add_test(tests, test_digs_of_two_heights);
	tcase_add_test(tests, test_fill_and_dig);
	tcase_add_test(tests, test_rows_of_edits);
	tcase_add_test(tests, test_whole_boxes_and_sums);
	tcase_add_test(tests, test_other_fringes_stay);
	tcase_add_test(tests, test_heights_and_hard_floors);
	suite_add_tcase(suite, tests);
	return suite;
}
