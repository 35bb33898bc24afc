/* The store from afar, against the plainest way to make a cell of many. */
#include "store_edits.h"

static int Rounded(int a, int b)
{
	return (2 * a + b) / (2 * b); /* a/b rounded, halves up */
}

/* By the words of voxel.h, cell by cell. */
static Voxel Naive_Mip(const Twin *twin, int level, Cell coarse)
{
	int size = 1 << level, n = size * size * size, count[MATERIAL_LIMIT] = {0}, matter = 0, water = 0, full = 0;
	for (int i = 0; i < n; i++) {
		Cell c = {coarse.x * size + i % size, coarse.y * size + i / size / size, coarse.z * size + i / size % size};
		Voxel v = Twin_Get(twin, c);
		count[v.material]++;
		matter += v.material ? v.occupancy + 1 : 0;
		water += v.water;
		full += v.material && v.occupancy == 255;
	}
	Voxel voxel = {0, 0, 0};
	for (int m = 1; m < MATERIAL_LIMIT; m++)
		if (count[m] > (voxel.material ? count[voxel.material] : 0))
			voxel.material = (uint8_t)m;
	if (full == n)
		voxel.occupancy = 255;
	else if (voxel.material)
		voxel.occupancy = (uint8_t)Int_Clamp(Rounded(matter, n) - 1, 0, 254);
	if (water > 0)
		voxel.water = (uint8_t)Int_Max(1, Rounded(water, n));
	return voxel;
}

static void CheckMips(const Twin *twin, const char *what)
{
	for (int level = 1; level <= MIP_LEVELS; level++) {
		int size = 1 << level;
		CellBox box = {{twin->box.lo.x / size, twin->box.lo.y / size, twin->box.lo.z / size},
		               {twin->box.hi.x / size, twin->box.hi.y / size, twin->box.hi.z / size}};
		box.lo.x -= 2, box.hi.z += 3; /* some air around */
		Twin read = Twin_Create(box);
		memset(read.channel[1], 77, Twin_Size(&read));
		Region region = {read.nx, read.ny, read.nz, {read.channel[0], read.channel[1], read.channel[2]}};
		Store_ReadMip(store, level, box, &region);
		FOR_CELLS(c, box)
		{
			Voxel want = Naive_Mip(twin, level, c), one = Store_Mip(store, level, c), bulk = Twin_Get(&read, c);
			REQUIRE(Voxel_Same(one, want), "%s: level %d (%d, %d, %d) is {%d, %d, %d}, not {%d, %d, %d}", what, level,
			        c.x, c.y, c.z, one.material, one.occupancy, one.water, want.material, want.occupancy, want.water);
			REQUIRE(Voxel_Same(bulk, want), "%s: level %d (%d, %d, %d) read in bulk", what, level, c.x, c.y, c.z);
		}
		Twin_Free(&read);
	}
}

/* A bit for each block, and what it says is what the twin holds. */
static void CheckBlocks(const Twin *twin, const char *what)
{
	FOR_CELLS(chunk, ((CellBox){{-2, -2, -2}, {2, 2, 2}}))
	{
		uint64_t blocks = Store_Blocks(store, chunk), want = 0;
		for (int i = 0; i < CHUNK_CELLS; i++) {
			int x = i & 31, y = i >> 10, z = i >> 5 & 31;
			Voxel v = Twin_Get(twin, (Cell){32 * chunk.x + x, 32 * chunk.y + y, 32 * chunk.z + z});
			if (v.material || v.water)
				want |= (uint64_t)1 << (x / 8 + 4 * (z / 8 + 4 * (y / 8)));
		}
		REQUIRE(blocks == want, "%s: blocks of chunk (%d, %d, %d)", what, chunk.x, chunk.y, chunk.z);
	}
}

START_TEST(test_mips_of_mixed_edits)
{
	const uint64_t seed = 424242;
	Random random = {seed};
	Twin twin = Twin_Create(block);
	for (int step = 1; step <= 600; step++) {
		char what[64];
		snprintf(what, sizeof(what), "mips, seed %d, step %d", (int)seed, step);
		REQUIRE(EditRandom(&random, &twin, NULL) == ERROR_NONE, "%s", what);
		if (step % 40 != 0)
			continue;
		CheckMips(&twin, what);
		CheckBlocks(&twin, what);
	}
	Twin_Free(&twin);
}
END_TEST

/* Few cells that come and go one by one: bits rise and fall. */
START_TEST(test_blocks_of_single_cells)
{
	Random random = {31337};
	Twin twin = Twin_Create(block);
	for (int round = 0; round < 12; round++) {
		Cell cells[40];
		for (int i = 0; i < 40; i++) {
			cells[i] = RandomCell(&random, block);
			Voxel v = {i % 3 ? 6 : 0, (uint8_t)Random_Below(&random, 256), i % 2 ? 0 : 9};
			Put(cells[i], v);
			Twin_Set(&twin, cells[i], v);
		}
		CheckBlocks(&twin, "set");
		for (int i = 0; i < 40; i++) {
			Put(cells[i], (Voxel){0, 0, 0});
			Twin_Set(&twin, cells[i], (Voxel){0, 0, 0});
			if (i % 10 == 5)
				CheckBlocks(&twin, "cleared in part");
		}
		ck_assert_int_eq(Store_ChunkCount(store), 0);
	}
	Twin_Free(&twin);
}
END_TEST

START_TEST(test_known_mips)
{
	/* One faint cell, and one full cube of each size. */
	Put((Cell){-1, -1, -1}, (Voxel){6, 0, 0});
	for (int level = 1; level <= MIP_LEVELS; level++) {
		ck_assert(Voxel_Same(Store_Mip(store, level, (Cell){-1, -1, -1}), (Voxel){6, 0, 0}));
		ck_assert(Voxel_Same(Store_Mip(store, level, (Cell){0, -1, -1}), (Voxel){0, 0, 0}));
	}
	ck_assert_int_eq(Store_Replace(store, (CellBox){{40, 8, -16}, {47, 15, -9}}, MATERIAL_AIR, 9, NULL, NULL), 0);
	ck_assert(Voxel_Same(Store_Mip(store, 3, (Cell){5, 1, -2}), (Voxel){9, 255, 0}));
	/* Not quite full is not full; the mean is rounded down to say so. */
	Put((Cell){40, 8, -16}, (Voxel){9, 254, 1});
	ck_assert(Voxel_Same(Store_Mip(store, 3, (Cell){5, 1, -2}), (Voxel){9, 254, 1}));
	ck_assert(Voxel_Same(Store_Mip(store, 3, (Cell){5, 2, -2}), (Voxel){0, 0, 0}));
	/* 4 against 4: the lower material, and the mean of 4 full cells and 4 of a half. */
	for (int i = 0; i < 8; i++)
		Put((Cell){100 + (i & 1), 100 + (i >> 1 & 1), 100 + (i >> 2)}, (Voxel){i < 4 ? 12 : 3, i < 4 ? 255 : 127, 0});
	ck_assert(Voxel_Same(Store_Mip(store, 1, (Cell){50, 50, 50}), (Voxel){3, 191, 0}));
	ck_assert(Voxel_Same(Store_Mip(store, 2, (Cell){25, 25, 25}), (Voxel){3, 23, 0}));
	/* A drop of water is not dry. */
	Put((Cell){-200, 0, 0}, (Voxel){0, 0, 3});
	ck_assert(Voxel_Same(Store_Mip(store, 3, (Cell){-25, 0, 0}), (Voxel){0, 0, 1}));
}
END_TEST

START_TEST(test_mips_at_the_limits)
{
	const int32_t limit = CELL_LIMIT;
	Put((Cell){limit, -limit, limit}, (Voxel){6, 255, 0});
	for (int level = 1; level <= MIP_LEVELS; level++) {
		int32_t far = limit >> level;
		ck_assert_int_eq(Store_Mip(store, level, (Cell){far, -far, far}).material, 6);
		uint8_t bytes[27] = {0};
		Region region = {3, 3, 3, {bytes, NULL, NULL}};
		Store_ReadMip(store, level, (CellBox){{far - 1, -far - 1, far - 1}, {far + 1, -far + 1, far + 1}}, &region);
		for (int i = 0; i < 27; i++)
			ck_assert_int_eq(bytes[i], i == 13 ? 6 : 0);
	}
	ck_assert_int_eq(Store_Mip(store, 1, (Cell){INT32_MIN, INT32_MAX, 0}).material, 0);
	uint8_t bytes[8] = {1, 1, 1, 1, 1, 1, 1, 1};
	Region region = {2, 2, 2, {NULL, bytes, NULL}};
	Store_ReadMip(store, 2, (CellBox){{INT32_MAX - 1, 0, 0}, {INT32_MAX, 1, 1}}, &region);
	for (int i = 0; i < 8; i++)
		ck_assert_int_eq(bytes[i], 0);
	ck_assert_uint_eq(Store_Blocks(store, (Cell){INT32_MAX, 0, INT32_MIN}), 0);
}
END_TEST

Suite *suite_mip(void);
Suite *suite_mip(void)
{
	Suite *suite = suite_create("mip");
	TCase *tests = tcase_create("mip");
	tcase_set_timeout(tests, 120);
	tcase_add_checked_fixture(tests, Setup, Teardown);
	tcase_add_test(tests, test_mips_of_mixed_edits);
	tcase_add_test(tests, test_blocks_of_single_cells);
	tcase_add_test(tests, test_known_mips);
	tcase_add_test(tests, test_mips_at_the_limits);
	suite_add_tcase(suite, tests);
	return suite;
}
