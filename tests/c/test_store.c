/* The store: cells, regions, the edit engine, replacing, counts; against a dense twin. */
#include "store_edits.h"

/* ---- single cells ------------------------------------------------------------------------------------------- */

/* Different for each of the cells of [-33,33]^3 and the lines beside it. */
static Voxel VoxelOfId(int id)
{
	return (Voxel){(uint8_t)(2 + id % 254), (uint8_t)(id / 254 % 255), (uint8_t)(id / (254 * 255))};
}

START_TEST(test_ids_over_borders)
{
	const CellBox cube = {{-33, -33, -33}, {33, 33, 33}};
	int id = 0;
	FOR_CELLS(c, cube)
	Put(c, VoxelOfId(id++));
	for (int i = -40; i < -33; i++) {
		Put((Cell){i, -1, -1}, VoxelOfId(id++));
		Put((Cell){-1, i, -1}, VoxelOfId(id++));
		Put((Cell){-1, -1, i}, VoxelOfId(id++));
	}
	ck_assert_int_eq(id, 67 * 67 * 67 + 21);
	ck_assert_int_eq(Store_SolidCells(store), id);
	id = 0;
	FOR_CELLS(c, cube)
	CheckCell(c, VoxelOfId(id++));
	for (int i = -40; i < -33; i++) {
		CheckCell((Cell){i, -1, -1}, VoxelOfId(id++));
		CheckCell((Cell){-1, i, -1}, VoxelOfId(id++));
		CheckCell((Cell){-1, -1, i}, VoxelOfId(id++));
	}
	CheckCell((Cell){-34, -2, -1}, (Voxel){0, 0, 0});
	CellBox bounds;
	ck_assert(Store_Bounds(store, &bounds));
	ck_assert(bounds.lo.x == -40 && bounds.lo.y == -40 && bounds.lo.z == -40);
	ck_assert(bounds.hi.x == 33 && bounds.hi.y == 33 && bounds.hi.z == 33);
	/* The same through regions and rows. */
	Twin twin = Twin_Create((CellBox){{-40, -40, -40}, {33, 33, 33}});
	id = 0;
	FOR_CELLS(c, cube)
	Twin_Set(&twin, c, VoxelOfId(id++));
	for (int i = -40; i < -33; i++) {
		Twin_Set(&twin, (Cell){i, -1, -1}, VoxelOfId(id++));
		Twin_Set(&twin, (Cell){-1, i, -1}, VoxelOfId(id++));
		Twin_Set(&twin, (Cell){-1, -1, i}, VoxelOfId(id++));
	}
	Twin_CheckEqual(&twin, store, "ids");
	FOR_CELLS(c, cube)
	for (int k = 0; k < CHANNEL_COUNT; k++)
		REQUIRE(Store_Row(store, k, c.x >> 5, c.y, c.z)[c.x & 31] == twin.channel[k][Twin_Index(&twin, c)],
		        "row of (%d, %d, %d), channel %d", c.x, c.y, c.z, k);
	FOR_CELLS(chunk, ((CellBox){{-3, -3, -3}, {2, 2, 2}}))
	for (int k = 0; k < CHANNEL_COUNT; k++) {
		const uint8_t *rows[CHUNK_SIZE * CHUNK_SIZE];
		Store_ChunkRows(store, k, chunk, rows);
		for (int i = 0; i < CHUNK_SIZE * CHUNK_SIZE; i++)
			REQUIRE(rows[i] == Store_Row(store, k, chunk.x, chunk.y * CHUNK_SIZE + i / CHUNK_SIZE,
			                             chunk.z * CHUNK_SIZE + i % CHUNK_SIZE),
			        "row %d of chunk (%d, %d, %d), channel %d", i, chunk.x, chunk.y, chunk.z, k);
	}
	Twin_Free(&twin);
}
END_TEST

START_TEST(test_chunk_of_negative_cells)
{
	static const int cases[][2] = {{-1, -1}, {-16, -1}, {-17, -1}, {-32, -1}, {-33, -2}, {0, 0}, {31, 0}, {32, 1}};
	for (int i = 0; i < COUNT_OF(cases); i++) {
		Put((Cell){cases[i][0], cases[i][0], cases[i][0]}, (Voxel){2, 9, 0});
		ck_assert_int_eq(Store_ChunkCount(store), 1);
		Cell chunk = Store_ChunkAt(store, 0);
		ck_assert_int_eq(chunk.x, cases[i][1]);
		ck_assert_int_eq(chunk.y, cases[i][1]);
		ck_assert_int_eq(chunk.z, cases[i][1]);
		Put((Cell){cases[i][0], cases[i][0], cases[i][0]}, (Voxel){0, 0, 0});
		ck_assert_int_eq(Store_ChunkCount(store), 0);
	}
}
END_TEST

/* Every chunk corner, edge and plane around the origin: clear and set the 2x2x2 cells about it. */
START_TEST(test_chunk_corners)
{
	Twin twin = Twin_Create((CellBox){{-70, -70, -70}, {70, 70, 70}});
	Random random = {11};
	for (int pass = 0; pass < 2; pass++) {
		for (int i = 0; i < 125 * 8; i++) {
			int corner = i / 8;
			Cell c = {32 * (corner % 5 - 2) - (i & 1), 32 * (corner / 5 % 5 - 2) - (i >> 1 & 1),
			          32 * (corner / 25 - 2) - (i >> 2 & 1)};
			Voxel v = pass == 0 || Random_Below(&random, 2) ? RandomVoxel(&random) : (Voxel){0, 0, 0};
			Put(c, v);
			Twin_Set(&twin, c, v);
		}
		Store_CheckValid(store, "corners");
		Twin_CheckEqual(&twin, store, "corners");
	}
	Twin_Free(&twin);
}
END_TEST

START_TEST(test_rules_of_a_cell)
{
	Cell c = {-5, 7, 100};
	Put(c, (Voxel){0, 200, 50});
	CheckCell(c, (Voxel){0, 0, 50});
	Put(c, (Voxel){6, 255, 50});
	CheckCell(c, (Voxel){6, 255, 0});
	Put(c, (Voxel){6, 254, 50});
	CheckCell(c, (Voxel){6, 254, 50});
	Put(c, (Voxel){6, 0, 0});
	CheckCell(c, (Voxel){6, 0, 0});
	ck_assert_int_eq(Store_SolidCells(store), 1);
	Put(c, (Voxel){MATERIAL_WATER, 200, 10});
	CheckCell(c, (Voxel){0, 0, 200});
	Put(c, (Voxel){0, 9, 0});
	CheckCell(c, (Voxel){0, 0, 0});
	ck_assert_int_eq(Store_ChunkCount(store), 0);
	uint64_t version = Store_Version(store);
	Put(c, (Voxel){0, 77, 0});
	ck_assert_uint_eq(Store_Version(store), version);
}
END_TEST

START_TEST(test_extreme_coordinates)
{
	const int32_t limit = CELL_LIMIT;
	Error error;
	for (int i = 0; i < 8; i++) {
		Cell c = {i & 1 ? limit : -limit, i & 2 ? limit : -limit, i & 4 ? limit : -limit};
		Put(c, (Voxel){(uint8_t)(2 + i), 100, 3});
		ck_assert_int_eq(
		    Store_Set(store, (Cell){c.x, i & 2 ? limit + 1 : -limit - 1, c.z}, (Voxel){2, 1, 0}, NULL, &error),
		    ERROR_LIMIT);
	}
	for (int i = 0; i < 8; i++) {
		Cell c = {i & 1 ? limit : -limit, i & 2 ? limit : -limit, i & 4 ? limit : -limit};
		CheckCell(c, (Voxel){(uint8_t)(2 + i), 100, 3});
	}
	CheckCell((Cell){INT32_MIN, INT32_MAX, 0}, (Voxel){0, 0, 0});
	CellBox bounds, all = {{INT32_MIN, INT32_MIN, INT32_MIN}, {INT32_MAX, INT32_MAX, INT32_MAX}};
	ck_assert(Store_Bounds(store, &bounds));
	ck_assert(bounds.lo.x == -limit && bounds.hi.z == limit);
	int64_t counts[MATERIAL_LIMIT], water;
	Store_Count(store, all, counts, &water);
	ck_assert_int_eq(counts[5], 1);
	ck_assert_int_eq(water, 8);
	ck_assert(counts[0] == INT64_MAX);
	ck_assert(!Store_IsEmpty(store, all));
	ck_assert(Store_IsEmpty(store, (CellBox){{-limit, -limit + 1, -limit}, {limit, limit - 1, limit}}));
	/* A region that hangs over the edge. */
	uint8_t bytes[4 * 4 * 4];
	Region region = {4, 4, 4, {bytes, NULL, NULL}};
	memset(bytes, 7, sizeof(bytes));
	Store_Read(store, (CellBox){{limit - 1, limit - 1, limit - 1}, {limit + 2, limit + 2, limit + 2}}, &region);
	for (int i = 0; i < 64; i++)
		ck_assert_int_eq(bytes[i], i == 1 + 4 * (1 + 4) ? 9 : 0);
	ck_assert_int_eq(Store_Replace(store, (CellBox){bounds.lo, bounds.hi}, 9, 4, NULL, NULL), ERROR_NONE);
	CheckCell((Cell){limit, limit, limit}, (Voxel){4, 100, 3});
	ck_assert_int_eq(Store_Clear(store, NULL, NULL), ERROR_NONE);
	ck_assert(Store_IsEmpty(store, all));
	/* 2^62 cells are counted to the last. */
	Store_Count(store, (CellBox){{-limit, -1, -limit}, {limit - 1, 0, 0}}, counts, NULL);
	ck_assert_int_eq(counts[0], (int64_t)2147483648 * 2 * ((int64_t)limit + 1));
}
END_TEST

/* ---- regions ------------------------------------------------------------------------------------------------ */

START_TEST(test_write_and_read)
{
	Twin twin = Twin_Create(block);
	for (uint64_t seed = 1; seed <= 40; seed++) {
		Random random = {seed};
		char what[64];
		snprintf(what, sizeof(what), "write, seed %d", (int)seed);
		CellBox box = RandomBox(&random, block, 50);
		ck_assert_int_eq(WriteRandom(&random, &twin, box, NULL), ERROR_NONE);
		Twin_CheckEqual(&twin, store, what);
		Store_CheckValid(store, what);
		/* Any sub-box, one channel only. */
		CellBox part = RandomBox(&random, block, 70);
		Twin small = Twin_Create(part);
		Region region = {small.nx, small.ny, small.nz, {NULL, small.channel[1], NULL}};
		Store_Read(store, part, &region);
		FOR_CELLS(c, part)
		REQUIRE(small.channel[1][Twin_Index(&small, c)] == Twin_Get(&twin, c).occupancy, "%s: (%d, %d, %d)", what, c.x,
		        c.y, c.z);
		Twin_Free(&small);
	}
	Twin_Free(&twin);
}
END_TEST

static void Edit_Nothing(void *context, int32_t x, int32_t y, int32_t z, int n, uint8_t *m, uint8_t *v, uint8_t *w)
{
	(void)context, (void)x, (void)y, (void)z, (void)n, (void)m, (void)v, (void)w;
}

START_TEST(test_bad_arguments)
{
	Error error;
	uint8_t bytes[8] = {0};
	Region region = {2, 2, 2, {bytes, bytes, bytes}};
	CellBox inverted = {{0, 0, 0}, {1, -1, 1}}, wide = {{0, 0, 0}, {2, 1, 1}};
	CellBox outside = {{0, 0, 0}, {1, 1, CELL_LIMIT + 1}};
	CellBox huge = {{-CELL_LIMIT, -CELL_LIMIT, -CELL_LIMIT}, {CELL_LIMIT, CELL_LIMIT, CELL_LIMIT}};
	ck_assert_int_eq(Store_Write(store, inverted, &region, NULL, NULL, &error), ERROR_ARGUMENT);
	ck_assert_str_eq(error.text, "box: min (0, 0, 0) must not pass max (1, -1, 1)");
	ck_assert_int_eq(Store_Write(store, wide, &region, NULL, NULL, &error), ERROR_ARGUMENT);
	ck_assert_str_eq(error.text, "region: 2 x 2 x 2 cells do not fit a box of 3 x 2 x 2");
	ck_assert_int_eq(Store_Replace(store, outside, 1, 2, NULL, &error), ERROR_LIMIT);
	ck_assert_int_eq(Store_Edit(store, huge, Edit_Nothing, NULL, NULL, &error), ERROR_LIMIT);
	ck_assert_int_eq(Store_Edit(store, inverted, Edit_Nothing, NULL, NULL, &error), ERROR_ARGUMENT);
	/* Taking away needs no look at what is not there. */
	ck_assert_int_eq(Store_Replace(store, huge, 3, 2, NULL, &error), ERROR_NONE);
	ck_assert_uint_eq(Store_Version(store), 0);
	int64_t counts[MATERIAL_LIMIT];
	Store_Count(store, inverted, counts, NULL);
	ck_assert_int_eq(counts[0], 0);
	ck_assert(Store_IsEmpty(store, inverted));
	CellBox bounds;
	ck_assert(!Store_Bounds(store, &bounds));
}
END_TEST

/* ---- the engine --------------------------------------------------------------------------------------------- */

typedef struct Visits {
	Twin *seen;
	CellBox box;
	int64_t last; /* order of the last row piece */
} Visits;

static void Visit_Row(void *context, int32_t x, int32_t y, int32_t z, int n, uint8_t *m, uint8_t *v, uint8_t *w)
{
	Visits *visits = context;
	ck_assert_int_eq(x >> 5, (x + n - 1) >> 5);
	/* Chunk by chunk (y, z, x), then y, then z. */
	int64_t key = ((y >> 5) + 8) * 16 + (z >> 5) + 8;
	key = ((key * 16 + (x >> 5) + 8) * 32 + (y & 31)) * 32 + (z & 31);
	ck_assert_int_gt(key, visits->last);
	visits->last = key;
	for (int i = 0; i < n; i++) {
		Cell c = {x + i, y, z};
		Voxel old = Store_Get(store, c);
		REQUIRE(++visits->seen->channel[0][Twin_Index(visits->seen, c)] == 1, "(%d, %d, %d) twice", c.x, c.y, c.z);
		REQUIRE(old.material == m[i] && old.occupancy == v[i] && old.water == w[i], "not what is there");
		/* The left neighbour is still what it was, in this chunk or the one before. */
		REQUIRE(Store_Get(store, (Cell){c.x - 1, c.y, c.z}).material != 3, "(%d, %d, %d) changed early", c.x - 1, c.y,
		        c.z);
		m[i] = 3, v[i] = 201, w[i] = 7;
	}
}

START_TEST(test_edit_visits_each_cell_once)
{
	Random random = {5};
	Twin twin = Twin_Create(block);
	for (int i = 0; i < 20; i++)
		WriteRandom(&random, &twin, RandomBox(&random, block, 40), NULL);
	Store_Replace(store, block, 3, 4, NULL, NULL);
	CellBox box = {{-47, -33, -5}, {40, 1, 33}};
	Twin seen = Twin_Create(block);
	Visits visits = {&seen, box, -1};
	uint64_t version = Store_Version(store);
	ck_assert_int_eq(Store_Edit(store, box, Visit_Row, &visits, NULL, NULL), ERROR_NONE);
	FOR_CELLS(c, block)
	{
		bool inside = c.x >= box.lo.x && c.x <= box.hi.x && c.y >= box.lo.y && c.y <= box.hi.y && c.z >= box.lo.z &&
		              c.z <= box.hi.z;
		REQUIRE((seen.channel[0][Twin_Index(&seen, c)] == 1) == inside, "(%d, %d, %d) visited", c.x, c.y, c.z);
		Voxel v = Store_Get(store, c);
		REQUIRE((v.material == 3 && v.occupancy == 201) == inside, "(%d, %d, %d) written", c.x, c.y, c.z);
	}
	CellBox change;
	ck_assert_int_eq(Store_Changes(store, version, &change, 1), 1);
	ck_assert(memcmp(&change, &box, sizeof(box)) == 0);
	ck_assert_uint_eq(Store_Version(store), version + 1);
	ck_assert_int_eq(Store_Edit(store, box, Edit_Nothing, NULL, NULL, NULL), ERROR_NONE);
	ck_assert_uint_eq(Store_Version(store), version + 1);
	Twin_Free(&twin);
	Twin_Free(&seen);
}
END_TEST

/* Changed cells, and only they, make up the journal's box. */
static void Edit_TwoCells(void *context, int32_t x, int32_t y, int32_t z, int n, uint8_t *m, uint8_t *v, uint8_t *w)
{
	const Cell *cells = context;
	(void)w;
	for (int k = 0; k < 2; k++)
		if (cells[k].y == y && cells[k].z == z && cells[k].x >= x && cells[k].x < x + n)
			m[cells[k].x - x] = 6, v[cells[k].x - x] = 255;
}

START_TEST(test_journal_box_is_tight)
{
	Cell cells[2] = {{-3, 40, 5}, {70, 38, 5}};
	ck_assert_int_eq(
	    Store_Edit(store, (CellBox){{-100, -100, -100}, {100, 100, 100}}, Edit_TwoCells, cells, NULL, NULL),
	    ERROR_NONE);
	CellBox box, want = {{-3, 38, 5}, {70, 40, 5}};
	ck_assert_int_eq(Store_Changes(store, 0, &box, 1), 1);
	ck_assert(memcmp(&box, &want, sizeof(box)) == 0);
	ck_assert_int_eq(Store_ChunkCount(store), 2);
}
END_TEST

/* ---- replacing and clearing --------------------------------------------------------------------------------- */

START_TEST(test_replace_known)
{
	Put((Cell){0, 0, 0}, (Voxel){6, 77, 5});
	Put((Cell){1, 0, 0}, (Voxel){0, 0, 90});
	CellBox box = {{-1, 0, 0}, {1, 0, 0}};
	Tally tally = {0};
	ck_assert_int_eq(Store_Replace(store, box, 6, 7, &tally, NULL), ERROR_NONE);
	CheckCell((Cell){0, 0, 0}, (Voxel){7, 77, 5});
	ck_assert(tally.removed[6] == 78 && tally.added[7] == 78);
	ck_assert_int_eq(Store_Replace(store, box, MATERIAL_WATER, 14, &tally, NULL), ERROR_NONE);
	CheckCell((Cell){1, 0, 0}, (Voxel){14, 90, 0});
	CheckCell((Cell){0, 0, 0}, (Voxel){7, 77, 5});
	ck_assert(tally.removed[1] == 90 && tally.added[14] == 91);
	ck_assert_int_eq(Store_Replace(store, box, MATERIAL_WATER, MATERIAL_AIR, &tally, NULL), ERROR_NONE);
	CheckCell((Cell){0, 0, 0}, (Voxel){7, 77, 0});
	ck_assert_int_eq(Store_Replace(store, box, MATERIAL_AIR, 3, &tally, NULL), ERROR_NONE);
	CheckCell((Cell){-1, 0, 0}, (Voxel){3, 255, 0});
	ck_assert_int_eq(Store_Replace(store, box, 14, MATERIAL_WATER, &tally, NULL), ERROR_NONE);
	CheckCell((Cell){1, 0, 0}, (Voxel){0, 0, 90});
	ck_assert_int_eq(Store_Replace(store, box, 7, MATERIAL_AIR, &tally, NULL), ERROR_NONE);
	CheckCell((Cell){0, 0, 0}, (Voxel){0, 0, 0});
	ck_assert_int_eq(Store_SolidCells(store), 1);
}
END_TEST

START_TEST(test_clear)
{
	Random random = {3};
	Twin twin = Twin_Create(block);
	size_t empty = Store_Bytes(store);
	for (int i = 0; i < 10; i++)
		WriteRandom(&random, &twin, RandomBox(&random, block, 60), NULL);
	int64_t before[MATERIAL_LIMIT];
	Twin_Matter(&twin, before);
	Tally tally = {0};
	uint64_t version = Store_Version(store);
	CellBox bounds, change;
	ck_assert(Store_Bounds(store, &bounds));
	ck_assert_int_eq(Store_Clear(store, &tally, NULL), ERROR_NONE);
	ck_assert(memcmp(tally.removed, before, sizeof(before)) == 0);
	ck_assert_int_eq(Store_ChunkCount(store), 0);
	ck_assert_int_eq(Store_SolidCells(store), 0);
	ck_assert_int_eq(Store_Changes(store, version, &change, 1), 1);
	ck_assert(memcmp(&bounds, &change, sizeof(change)) == 0);
	/* All but the journal is given back. */
	ck_assert_uint_le(Store_Bytes(store), empty + 64 * sizeof(JournalEntry));
	ck_assert_int_eq(Store_Clear(store, &tally, NULL), ERROR_NONE);
	ck_assert_uint_eq(Store_Version(store), version + 1);
	Twin_Free(&twin);
}
END_TEST

/* ---- counts ------------------------------------------------------------------------------------------------- */

static void CheckCounts(const Twin *twin, CellBox box, const char *what)
{
	int64_t counts[MATERIAL_LIMIT], want[MATERIAL_LIMIT] = {0}, matter[MATERIAL_LIMIT] = {0}, sums[MATERIAL_LIMIT];
	int64_t water, wet = 0;
	FOR_CELLS(c, box)
	{
		Voxel v = Twin_Get(twin, c);
		want[v.material]++;
		matter[v.material] += v.material == MATERIAL_AIR ? 0 : v.occupancy + 1;
		matter[MATERIAL_WATER] += Twin_Water(v);
		wet += v.water != 0;
	}
	Store_Count(store, box, counts, &water);
	Store_Matter(store, box, sums);
	REQUIRE(memcmp(counts, want, sizeof(counts)) == 0 && water == wet, "%s: counts", what);
	REQUIRE(memcmp(sums, matter, sizeof(sums)) == 0, "%s: matter", what);
	int64_t cells = (int64_t)(box.hi.x - box.lo.x + 1) * (box.hi.y - box.lo.y + 1) * (box.hi.z - box.lo.z + 1);
	REQUIRE(Store_IsEmpty(store, box) == (want[MATERIAL_AIR] == cells && wet == 0), "%s: emptiness", what);
}

START_TEST(test_counts)
{
	Twin twin = Twin_Create(block);
	for (uint64_t seed = 1; seed <= 60; seed++) {
		Random random = {seed * 77};
		char what[64];
		snprintf(what, sizeof(what), "counts, seed %d", (int)seed * 77);
		WriteRandom(&random, &twin, RandomBox(&random, block, 20), NULL);
		CheckCounts(&twin, RandomBox(&random, block, 30), what);
		CheckCounts(&twin, RandomBox(&random, block, 5), what);
		if (seed % 10 == 0) {
			CheckCounts(&twin, block, what);
			CheckBounds(&twin, what);
		}
	}
	Twin_Free(&twin);
}
END_TEST

static void WriteEqual(Twin *twin, CellBox box, Voxel voxel)
{
	Twin cells = Twin_Create(box);
	FOR_CELLS(c, box)
	{
		Twin_Set(&cells, c, voxel);
		Twin_Set(twin, c, voxel);
	}
	Region region = {cells.nx, cells.ny, cells.nz, {cells.channel[0], cells.channel[1], cells.channel[2]}};
	ck_assert_int_eq(Store_Write(store, box, &region, NULL, NULL, NULL), ERROR_NONE);
	Twin_Free(&cells);
}

/* Says yes only where the twin does; and does say it of ground in whole chunks and of what is cut off from others. */
START_TEST(test_deep_ground)
{
	Twin twin = Twin_Create(block);
	int said[2] = {0, 0};
	for (uint64_t seed = 1; seed <= 300; seed++) {
		Random random = {seed * 131};
		CellBox box = RandomBox(&random, block, 40);
		Voxel ground = {(uint8_t)(2 + Random_Below(&random, 3)), (uint8_t)(120 + Random_Below(&random, 136)), 0};
		if (Random_Below(&random, 10) == 0)
			ground = (Voxel){0, 0, (uint8_t)Random_Below(&random, 256)};
		else if (ground.occupancy < 255 && Random_Below(&random, 8) == 0)
			ground.water = 50;
		WriteEqual(&twin, seed % 3 ? box : block, ground);
		if (seed % 7 == 0)
			WriteRandom(&random, &twin, RandomBox(&random, block, 4), NULL);
		for (int i = 0; i < 20; i++) {
			CellBox asked = RandomBox(&random, block, 34);
			bool deep = true;
			FOR_CELLS(c, asked)
			{
				Voxel v = Twin_Get(&twin, c);
				deep &= v.occupancy >= 128 && v.water == 0;
			}
			bool told = Store_IsDeep(store, asked);
			REQUIRE(!told || deep, "seed %d: ground that is not deep", (int)seed * 131);
			said[deep] += told;
		}
	}
	ck_assert_int_gt(said[1], 500);
	ck_assert(!Store_IsDeep(store, (CellBox){{1 << 20, 0, 0}, {(1 << 20) + 40, 40, 40}}));
	Twin_Free(&twin);
}
END_TEST

Suite *suite_store(void);
Suite *suite_store(void)
{
	Suite *suite = suite_create("store");
	TCase *tests = tcase_create("store");
	tcase_set_timeout(tests, 120);
	tcase_add_checked_fixture(tests, Setup, Teardown);
	tcase_add_test(tests, test_ids_over_borders);
	tcase_add_test(tests, test_chunk_of_negative_cells);
	tcase_add_test(tests, test_chunk_corners);
	tcase_add_test(tests, test_rules_of_a_cell);
	tcase_add_test(tests, test_deep_ground);
	tcase_add_test(tests, test_extreme_coordinates);
	tcase_add_test(tests, test_write_and_read);
	tcase_add_test(tests, test_bad_arguments);
	tcase_add_test(tests, test_edit_visits_each_cell_once);
	tcase_add_test(tests, test_journal_box_is_tight);
	tcase_add_test(tests, test_replace_known);
	tcase_add_test(tests, test_clear);
	tcase_add_test(tests, test_counts);
	suite_add_tcase(suite, tests);
	return suite;
}
