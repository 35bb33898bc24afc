/* Ground under grids of heights, against a naive reading. */
#include "brush_naive.h"

/* The ground of a column, from the description in voxel.h; NaN where there is none. */
static double NaiveGround(const HeightFill *f, int x, int z)
{
	if (x < floor(f->x0) || x > floor(f->x0 + (f->width - 1) * f->spacing) || z < floor(f->z0) ||
	    z > floor(f->z0 + (f->depth - 1) * f->spacing))
		return (double)NAN;
	double u = fmin(fmax((x + 0.5 - f->x0) / f->spacing, 0), f->width - 1);
	double w = fmin(fmax((z + 0.5 - f->z0) / f->spacing, 0), f->depth - 1);
	double sum = 0;
	for (int k = 0; k < f->depth; k++) {
		for (int i = 0; i < f->width; i++) {
			double weight = fmax(0, 1 - fabs(u - i)) * fmax(0, 1 - fabs(w - k));
			if (weight > 0)
				sum += weight * f->heights[i + f->width * k];
		}
	}
	return sum;
}

static double NaiveSlope(double a, double here, double b)
{
	if (isnan(a) && isnan(b))
		return 0;
	return isnan(a) ? b - here : isnan(b) ? here - a : (b - a) / 2;
}

/* Distances may differ by rounding from the store's: a byte at a step of the quantiser counts as either. */
static void CheckHeights(const HeightFill *f, CellBox box, bool fringe_may_go, const char *what)
{
	for (int x = box.lo.x; x <= box.hi.x; x++) {
		for (int z = box.lo.z; z <= box.hi.z; z++) {
			double g = NaiveGround(f, x, z);
			double gx = NaiveSlope(NaiveGround(f, x - 1, z), g, NaiveGround(f, x + 1, z));
			double gz = NaiveSlope(NaiveGround(f, x, z - 1), g, NaiveGround(f, x, z + 1));
			double upright = 1 / sqrt(1 + gx * gx + gz * gz);
			for (int y = box.lo.y; y <= box.hi.y; y++) {
				double depth = g - (y + 0.5);
				bool none = isnan(g) || y < f->bottom;
				int least = none ? 0 : Recipe(depth * upright - 1e-9), most = none ? 0 : Recipe(depth * upright + 1e-9);
				int j = 0;
				while (j + 1 < f->layer_count && depth > f->layer_depth[j])
					j++;
				Voxel v = At(x, y, z);
				bool good = v.occupancy >= least && v.occupancy <= most;
				good = good && v.material == (v.occupancy ? f->layer_material[j] : 0);
				if (fringe_may_go && v.material == 0 && least < 128)
					good = true;
				REQUIRE(good, "%s: (%d, %d, %d) is {%d, %d}, not {%d, %d}", what, x, y, z, v.material, v.occupancy,
				        f->layer_material[j], least);
			}
		}
	}
}

START_TEST(test_heights_one_sample_a_cell)
{
	double heights[40 * 30];
	Random random = {8};
	for (int i = 0; i < COUNT_OF(heights); i++)
		heights[i] = (double)Random_Below(&random, 64) / 64.0;
	/* Each sample stands on the centre of its own cell: column bytes give its exact height. */
	HeightFill fill = MakeHeights(heights, 40, 30, -17.5, 3.5, 1);
	ck_assert_int_eq(FillHeights(&fill, EDIT_SET, NULL), 0);
	CellBox bounds;
	ck_assert(Store_Bounds(store, &bounds));
	ck_assert(bounds.lo.x == -18 && bounds.hi.x == 21 && bounds.lo.z == 3 && bounds.hi.z == 32);
	ck_assert_int_eq(bounds.lo.y, -20);
	CheckHeights(&fill, (CellBox){{-20, -24, 0}, {24, 4, 36}}, true, "one a cell");
	/* First sample on a corner of the grid: as many columns, the last one level. */
	ck_assert_int_eq(Store_Clear(store, NULL, NULL), ERROR_NONE);
	fill.x0 = -18, fill.z0 = 3;
	FillHeights(&fill, EDIT_SET, NULL);
	ck_assert(Store_Bounds(store, &bounds));
	ck_assert(bounds.lo.x == -18 && bounds.hi.x == 21 && bounds.lo.z == 3 && bounds.hi.z == 32);
	CheckHeights(&fill, (CellBox){{-20, -24, 0}, {24, 4, 36}}, true, "from a corner");
}
END_TEST

/* A plane of any slope: every byte is that of the plane, except at the rim. */
START_TEST(test_heights_plane)
{
	static const double slopes[][2] = {{0, 0}, {0.02, 0}, {0.5, -0.25}, {1, 1}, {-2.5, 0.3}};
	static double heights[50 * 50];
	for (int s = 0; s < COUNT_OF(slopes); s++) {
		for (int spacing = 1; spacing <= 2; spacing++) {
			for (int i = 0; i < COUNT_OF(heights); i++)
				heights[i] = 3.37 + spacing * (slopes[s][0] * (i % 50 - 25) + slopes[s][1] * (i / 50 - 25));
			HeightFill fill = MakeHeights(heights, 50, 50, -25.0 * spacing, -25.0 * spacing, spacing);
			fill.bottom = -90;
			FillHeights(&fill, EDIT_SET, NULL);
			double n = 1 / sqrt(1 + slopes[s][0] * slopes[s][0] + slopes[s][1] * slopes[s][1]);
			for (int x = -22; x <= 20; x += 7) {
				for (int z = -22; z <= 20; z += 6) {
					double ground = 3.37 + slopes[s][0] * (x + 0.5) + slopes[s][1] * (z + 0.5);
					for (int y = (int)ground - 5; y < (int)ground + 5; y++) {
						int least = Recipe((ground - y - 0.5) * n - 1e-9), most = Recipe((ground - y - 0.5) * n + 1e-9);
						int v = At(x, y, z).occupancy;
						REQUIRE(v >= least && v <= most, "slope %d, (%d, %d, %d): %d, not %d", s, x, y, z, v, least);
					}
				}
			}
			ck_assert_int_eq(Store_Clear(store, NULL, NULL), ERROR_NONE);
		}
	}
}
END_TEST

START_TEST(test_heights_random)
{
	static double heights[60 * 60];
	for (uint64_t seed = 1; seed <= 12; seed++) {
		Random random = {seed * 31};
		char what[64];
		snprintf(what, sizeof(what), "heights, seed %d", (int)seed * 31);
		int width = 1 + Random_Below(&random, 40), depth = 1 + Random_Below(&random, 40);
		double rough = seed % 3 == 0 ? 20 : 2;
		for (int i = 0; i < width * depth; i++)
			heights[i] =
			    Random_Below(&random, 12) == 0 && seed % 2 ? (double)NAN : Random_Range(&random, -rough, rough);
		static const double spacings[] = {1, 0.5, 2.5, 0.37, 4};
		double x0 = Random_Range(&random, -30, 10), z0 = Random_Range(&random, -30, 10);
		HeightFill fill = MakeHeights(heights, width, depth, x0, z0, spacings[seed % 5]);
		int64_t voids = FillHeights(&fill, EDIT_SET, NULL), want = 0;
		CellBox box = {{-34, -24, -34}, {0, 44, 0}};
		box.hi.x = Least(60, (int)(fill.x0 + width * fill.spacing) + 3);
		box.hi.z = Least(60, (int)(fill.z0 + depth * fill.spacing) + 3);
		CheckHeights(&fill, box, true, what);
		int x1 = (int)floor(fill.x0 + (width - 1) * fill.spacing),
		    z1 = (int)floor(fill.z0 + (depth - 1) * fill.spacing);
		for (int x = (int)floor(fill.x0); x <= x1; x++)
			for (int z = (int)floor(fill.z0); z <= z1; z++)
				want += isnan(NaiveGround(&fill, x, z));
		REQUIRE(voids == want, "%s: %lld voids, not %lld", what, (long long)voids, (long long)want);
		Store_CheckValid(store, what);
		ck_assert_int_eq(Store_Clear(store, NULL, NULL), ERROR_NONE);
	}
}
END_TEST

START_TEST(test_heights_voids)
{
	double heights[100];
	for (int i = 0; i < 100; i++)
		heights[i] = 2.25;
	heights[5 + 10 * 5] = (double)NAN;
	HeightFill fill = MakeHeights(heights, 10, 10, 0.5, 0.5, 1);
	ck_assert_int_eq(FillHeights(&fill, EDIT_SET, NULL), 1);
	ck_assert_int_eq(At(5, -10, 5).material, 0);
	ck_assert_int_eq(At(4, -10, 5).material, ROCK);
	CHECK_AT(4, 1, 4, GRASS, 128 + 96);
	ck_assert_int_eq(Store_Clear(store, NULL, NULL), ERROR_NONE);
	/* Between samples, each void takes the four columns about it. */
	fill.x0 = fill.z0 = 0;
	ck_assert_int_eq(FillHeights(&fill, EDIT_SET, NULL), 4);
	ck_assert_int_eq(At(5, -10, 5).material, 0);
	ck_assert_int_eq(At(4, -10, 4).material, 0);
	ck_assert_int_eq(At(3, -10, 4).material, ROCK);
	ck_assert_int_eq(At(6, -10, 5).material, ROCK);
	/* Nothing but voids changes nothing. */
	uint64_t version = Store_Version(store);
	for (int i = 0; i < 100; i++)
		heights[i] = (double)NAN;
	ck_assert_int_eq(FillHeights(&fill, EDIT_SET, NULL), 100);
	ck_assert_uint_eq(Store_Version(store), version);
}
END_TEST

START_TEST(test_heights_modes)
{
	static double heights[64 * 64];
	static uint8_t materials[64 * 64];
	for (int i = 0; i < COUNT_OF(heights); i++) {
		heights[i] = 4.5 + 0.125 * (i % 64);
		materials[i] = i % 64 < 30 ? SAND : BRICK;
	}
	HeightFill fill = MakeHeights(heights, 64, 64, -31.5, -31.5, 1);
	fill.bottom = -70;
	Tally put = {0}, taken = {0};
	FillHeights(&fill, EDIT_SET, &put);
	uint64_t hash = Store_HashValue(store);
	/* Adding the same changes nothing; painting changes materials only. */
	FillHeights(&fill, EDIT_ADD, NULL);
	ck_assert_uint_eq(Store_HashValue(store), hash);
	int64_t solid = Store_SolidCells(store), matter[MATERIAL_LIMIT];
	fill.sample_material = materials;
	FillHeights(&fill, EDIT_PAINT, NULL);
	ck_assert_int_eq(Store_SolidCells(store), solid);
	ck_assert_int_eq(At(-10, -60, 0).material, SAND);
	ck_assert_int_eq(At(-2, 3, 0).material, BRICK);
	ck_assert_int_eq(At(-3, 3, 0).material, SAND);
	/* Digging it out again leaves at most a soft skin on the brick, and balances. */
	FillHeights(&fill, EDIT_REMOVE, &taken);
	Store_Matter(store, (CellBox){{-40, -80, -40}, {40, 40, 40}}, matter);
	for (int m = 2; m < 20; m++)
		ck_assert_int_ge(matter[m], 0);
	int64_t sum_put = 0, sum_taken = 0, left = 0;
	for (int m = 2; m < 20; m++)
		sum_put += put.added[m], sum_taken += taken.removed[m], left += matter[m];
	ck_assert_int_eq(sum_put, sum_taken + left);
	ck_assert_int_lt(left, sum_put / 100);
	/* With wider samples, a column takes the material of the nearest. */
	ck_assert_int_eq(Store_Clear(store, NULL, NULL), ERROR_NONE);
	fill.spacing = 3;
	fill.bottom = -5;
	for (int i = 0; i < COUNT_OF(materials); i++)
		materials[i] = (uint8_t)(2 + (i % 64 + i / 64) % 5);
	FillHeights(&fill, EDIT_SET, NULL);
	for (int x = -31; x < 100; x++)
		for (int z = -31; z < 100; z += 7) {
			int i = (x + 32 + 1) / 3, k = (z + 32 + 1) / 3;
			REQUIRE(At(x, 0, z).material == 2 + (i + k) % 5, "material of column (%d, %d)", x, z);
		}
	for (int i = 0; i < COUNT_OF(materials); i++)
		materials[i] = i % 64 < 30 ? SAND : BRICK;
	fill.spacing = 1;
	/* Blocky ground stands in whole cells. */
	ck_assert_int_eq(Store_Clear(store, NULL, NULL), ERROR_NONE);
	fill.bottom = -5;
	FillHeights(&fill, EDIT_SET, NULL);
	for (int x = 0; x < 32; x++)
		for (int y = -5; y < 15; y++)
			CHECK_AT(x, y, 3, y + 0.5 <= 4.5 + 0.125 * (x + 32) ? BRICK : 0,
			         y + 0.5 <= 4.5 + 0.125 * (x + 32) ? 255 : 0);
}
END_TEST

/* An allocator that keeps the high-water mark. */
static size_t live_bytes, most_bytes;

static void *PeakResize(void *user, void *block_, size_t old_size, size_t new_size)
{
	(void)user;
	live_bytes = live_bytes - old_size + new_size;
	most_bytes = live_bytes > most_bytes ? live_bytes : most_bytes;
	if (new_size)
		return realloc(block_, new_size);
	free(block_);
	return NULL;
}

START_TEST(test_heights_memory_follows_the_surface)
{
	const int n = 320;
	double *heights = malloc(sizeof(*heights) * (size_t)n * (size_t)n);
	Random random = {2};
	for (int i = 0; i < n * n; i++)
		heights[i] = 0.1 * (i % n) + Random_Unit(&random);
	Memory memory;
	live_bytes = most_bytes = 0;
	Memory_Init(&memory, PeakResize, NULL);
	Store *s = Store_Create(&memory);
	HeightFill fill = MakeHeights(heights, n, n, 0.5, 0.5, 1);
	size_t bytes[2];
	for (int pass = 0; pass < 2; pass++) {
		fill.bottom = pass == 0 ? -32 : -32 * 12;
		most_bytes = 0;
		ck_assert_int_eq(Store_FillHeights(s, &table, &fill, EDIT_SET, NULL, NULL, NULL), ERROR_NONE);
		bytes[pass] = most_bytes;
		/* At the worst moment, too: a dense copy would take three bytes a cell. */
		ck_assert_uint_lt(most_bytes, 500u * (size_t)(n * n));
		ck_assert_int_eq(Store_Clear(s, NULL, NULL), ERROR_NONE);
	}
	/* Eleven chunks deeper costs a chunk's head each. */
	ck_assert_uint_lt(bytes[1], bytes[0] + 11 * 11 * 11 * 700);
	Store_Destroy(s);
	ck_assert_uint_eq(live_bytes, 0);
	free(heights);
}
END_TEST

START_TEST(test_bad_heights)
{
	Error error;
	double heights[4] = {1, 2, 3, 4};
	uint8_t materials[4] = {ROCK, ROCK, 1, ROCK};
	HeightFill good = MakeHeights(heights, 2, 2, 0, 0, 1), bad;

#define WRONG(change, expected, part)                                                                                  \
	do {                                                                                                               \
		bad = good;                                                                                                    \
		change;                                                                                                        \
		ck_assert_int_eq(Store_FillHeights(store, &table, &bad, EDIT_SET, NULL, NULL, &error), expected);              \
		ck_assert_msg(strstr(error.text, part), "%s", error.text);                                                     \
	} while (0)

	WRONG(bad.width = 0, ERROR_ARGUMENT, "0 x 2 samples");
	WRONG(bad.spacing = 0, ERROR_ARGUMENT, "spacing: 0");
	WRONG(bad.spacing = (double)NAN, ERROR_ARGUMENT, "spacing: nan");
	WRONG(bad.x0 = (double)NAN, ERROR_ARGUMENT, "position");
	WRONG(bad.x0 = 2e9, ERROR_LIMIT, "pass the limit");
	WRONG(bad.spacing = 1e9, ERROR_LIMIT, "more than an edit may span");
	WRONG(bad.layer_count = 0, ERROR_ARGUMENT, "layers: 0");
	WRONG(bad.layer_count = 9, ERROR_ARGUMENT, "layers: 9");
	WRONG(bad.layer_material[1] = MATERIAL_WATER, ERROR_ARGUMENT, "layer 2");
	WRONG(bad.layer_depth[0] = (double)NAN, ERROR_ARGUMENT, "depth of layer 1");
	WRONG(bad.sample_material = materials, ERROR_ARGUMENT, "sample 2");
	WRONG(bad.bottom = -CELL_LIMIT - 1, ERROR_LIMIT, "bottom");
	heights[3] = (double)INFINITY;
	WRONG((void)0, ERROR_LIMIT, "sample 3");
	ck_assert_uint_eq(Store_Version(store), 0);
}
END_TEST

Suite *suite_heights(void);
Suite *suite_heights(void)
{
	Suite *suite = suite_create("heights");
	TCase *tests = tcase_create("heights");
	tcase_set_timeout(tests, 120);
	tcase_add_checked_fixture(tests, Setup, Teardown);
	tcase_add_test(tests, test_heights_one_sample_a_cell);
	tcase_add_test(tests, test_heights_plane);
	tcase_add_test(tests, test_heights_random);
	tcase_add_test(tests, test_heights_voids);
	tcase_add_test(tests, test_heights_modes);
	tcase_add_test(tests, test_heights_memory_follows_the_surface);
	tcase_add_test(tests, test_bad_heights);
	suite_add_tcase(suite, tests);
	return suite;
}
