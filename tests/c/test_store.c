/* The store: cells, regions, counts, transactions, journal, hash; against a dense twin. */
#include "failing_memory.h"
#include "store_twin.h"
#include "voxel/store_internal.h"

#include <stdio.h>

static Memory heap;
static Store *store;

static void Setup(void)
{
	Memory_Init(&heap, NULL, NULL);
	store = Store_Create(&heap);
	ck_assert_ptr_nonnull(store);
}

static void Teardown(void)
{
	Store_CheckValid(store, "at the end");
	Store_Destroy(store);
	ck_assert_uint_eq(heap.bytes, 0);
	ck_assert_uint_eq(heap.blocks, 0);
}

static const CellBox block = {{-48, -48, -48}, {47, 47, 47}};

static CellBox RandomBox(Random *random, CellBox within, int largest)
{
	const int lo[3] = {within.lo.x, within.lo.y, within.lo.z}, hi[3] = {within.hi.x, within.hi.y, within.hi.z};
	int a[3], b[3];
	for (int i = 0; i < 3; i++) {
		a[i] = lo[i] + Random_Below(random, hi[i] - lo[i] + 1);
		b[i] = Int_Min(hi[i], a[i] + Random_Below(random, largest));
	}
	return (CellBox){{a[0], a[1], a[2]}, {b[0], b[1], b[2]}};
}

static Cell RandomCell(Random *random, CellBox within)
{
	return RandomBox(random, within, 1).lo;
}

static Voxel RandomVoxel(Random *random)
{
	static const uint8_t materials[] = {0, 0, 2, 3, 6, 12, 1, 255};
	Voxel v = {materials[Random_Below(random, COUNT_OF(materials))], (uint8_t)Random_Below(random, 256), 0};
	if (Random_Below(random, 3) == 0)
		v.occupancy = 255;
	if (Random_Below(random, 3) == 0)
		v.water = (uint8_t)Random_Below(random, 256);
	return v;
}

static bool Voxel_Same(Voxel a, Voxel b)
{
	return a.material == b.material && a.occupancy == b.occupancy && a.water == b.water;
}

static void CheckCell(Cell c, Voxel want)
{
	Voxel v = Store_Get(store, c);
	REQUIRE(Voxel_Same(v, want), "(%d, %d, %d) is {%d, %d, %d}, not {%d, %d, %d}", c.x, c.y, c.z, v.material,
	        v.occupancy, v.water, want.material, want.occupancy, want.water);
}

static void Put(Cell c, Voxel v)
{
	REQUIRE(Store_Set(store, c, v, NULL, NULL) == ERROR_NONE, "set of (%d, %d, %d) failed", c.x, c.y, c.z);
}

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

static int WriteRandom(Random *random, Twin *twin, CellBox box, Tally *tally)
{
	int nx = box.hi.x - box.lo.x + 1, ny = box.hi.y - box.lo.y + 1, nz = box.hi.z - box.lo.z + 1;
	size_t size = (size_t)nx * (size_t)ny * (size_t)nz;
	uint8_t *bytes[CHANNEL_COUNT + 1];
	int keep = Random_Below(random, 6), masked = Random_Below(random, 2), plain = Random_Below(random, 2);
	Voxel all = RandomVoxel(random);
	for (int k = 0; k <= CHANNEL_COUNT; k++)
		bytes[k] = malloc(size);
	for (size_t i = 0; i < size; i++) {
		Voxel v = plain ? all : RandomVoxel(random);
		bytes[0][i] = v.material, bytes[1][i] = v.occupancy, bytes[2][i] = v.water;
		bytes[3][i] = (uint8_t)Random_Below(random, 2);
	}
	Region region = {nx, ny, nz, {bytes[0], bytes[1], bytes[2]}};
	if (keep < CHANNEL_COUNT)
		region.channel[keep] = NULL;
	size_t i = 0;
	FOR_CELLS(c, box)
	{
		if (!masked || bytes[3][i]) {
			Voxel v = Twin_Get(twin, c);
			v.material = region.channel[0] ? bytes[0][i] : v.material;
			v.occupancy = region.channel[1] ? bytes[1][i] : v.occupancy;
			v.water = region.channel[2] ? bytes[2][i] : v.water;
			Twin_Set(twin, c, v);
		}
		i++;
	}
	int code = Store_Write(store, box, &region, masked ? bytes[3] : NULL, tally, NULL);
	for (int k = 0; k <= CHANNEL_COUNT; k++)
		free(bytes[k]);
	return code;
}

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

static Voxel Replaced(Voxel v, uint8_t from, uint8_t to)
{
	if (from == MATERIAL_WATER) {
		if (v.water && v.material == MATERIAL_AIR)
			return (Voxel){to, v.water, 0};
		if (to == MATERIAL_AIR)
			v.water = 0;
	} else if (v.material == from) {
		v.occupancy = from == MATERIAL_AIR ? 255 : v.occupancy;
		v.material = to;
	}
	return v;
}

static int ReplaceRandom(Random *random, Twin *twin, CellBox box, Tally *tally)
{
	static const uint8_t names[] = {0, 1, 2, 3, 6, 12, 255};
	uint8_t from = names[Random_Below(random, COUNT_OF(names))], to = names[Random_Below(random, COUNT_OF(names))];
	if (from != to) {
		FOR_CELLS(c, box)
		Twin_Set(twin, c, Replaced(Twin_Get(twin, c), from, to));
	}
	return Store_Replace(store, box, from, to, tally, NULL);
}

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
		matter[MATERIAL_WATER] += v.water;
		wet += v.water != 0;
	}
	Store_Count(store, box, counts, &water);
	Store_Matter(store, box, sums);
	REQUIRE(memcmp(counts, want, sizeof(counts)) == 0 && water == wet, "%s: counts", what);
	REQUIRE(memcmp(sums, matter, sizeof(sums)) == 0, "%s: matter", what);
	int64_t cells = (int64_t)(box.hi.x - box.lo.x + 1) * (box.hi.y - box.lo.y + 1) * (box.hi.z - box.lo.z + 1);
	REQUIRE(Store_IsEmpty(store, box) == (want[MATERIAL_AIR] == cells && wet == 0), "%s: emptiness", what);
}

static void CheckBounds(const Twin *twin, const char *what)
{
	CellBox want = {{INT32_MAX, INT32_MAX, INT32_MAX}, {INT32_MIN, INT32_MIN, INT32_MIN}}, bounds;
	FOR_CELLS(c, twin->box)
	{
		Voxel v = Twin_Get(twin, c);
		if (v.material == MATERIAL_AIR && v.water == 0)
			continue;
		want.lo = (Cell){Int_Min(want.lo.x, c.x), Int_Min(want.lo.y, c.y), Int_Min(want.lo.z, c.z)};
		want.hi = (Cell){Int_Max(want.hi.x, c.x), Int_Max(want.hi.y, c.y), Int_Max(want.hi.z, c.z)};
	}
	bool any = want.lo.x <= want.hi.x;
	REQUIRE(Store_Bounds(store, &bounds) == any, "%s: bounds", what);
	if (any)
		REQUIRE(memcmp(&bounds, &want, sizeof(want)) == 0, "%s: bounds", what);
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

/* ---- mixed edits -------------------------------------------------------------------------------------------- */

typedef struct Smear {
	int shift;
} Smear;

/* Some rule of its own, with rows that stay as they are. */
static void Smear_Row(void *context, int32_t x, int32_t y, int32_t z, int n, uint8_t *m, uint8_t *v, uint8_t *w)
{
	const Smear *smear = context;
	for (int i = 0; i < n; i++) {
		if ((x + i + y + z + smear->shift) % 3 == 0)
			v[i] = (uint8_t)(v[i] / 2);
		if ((x + i - y) % 5 == 0)
			m[i] = m[i] ? 0 : 2;
		if ((z + smear->shift) % 4 == 0)
			w[i] = (uint8_t)(w[i] + 40);
	}
}

static int SmearRandom(Random *random, Twin *twin, CellBox box, Tally *tally)
{
	Smear smear = {Random_Below(random, 7)};
	FOR_CELLS(c, box)
	{
		Voxel v = Twin_Get(twin, c);
		Smear_Row(&smear, c.x, c.y, c.z, 1, &v.material, &v.occupancy, &v.water);
		Twin_Set(twin, c, v);
	}
	return Store_Edit(store, box, Smear_Row, &smear, tally, NULL);
}

static int EditRandom(Random *random, Twin *twin, Tally *tally)
{
	int kind = Random_Below(random, 100);
	CellBox box = RandomBox(random, block, kind % 7 == 0 ? 60 : 9);
	if (kind < 50) {
		Cell c = RandomCell(random, block);
		Voxel v = RandomVoxel(random);
		Twin_Set(twin, c, v);
		return Store_Set(store, c, v, tally, NULL);
	}
	if (kind < 70)
		return WriteRandom(random, twin, box, tally);
	if (kind < 85)
		return ReplaceRandom(random, twin, box, tally);
	if (kind < 99 || Random_Below(random, 4))
		return SmearRandom(random, twin, box, tally);
	for (int k = 0; k < CHANNEL_COUNT; k++)
		memset(twin->channel[k], 0, Twin_Size(twin));
	return Store_Clear(store, tally, NULL);
}

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

/* ---- memory ------------------------------------------------------------------------------------------------- */

START_TEST(test_cycles_do_not_grow)
{
	const CellBox box = {{-20, -20, -20}, {20, 20, 20}};
	size_t most = 0;
	for (int cycle = 0; cycle < 10; cycle++) {
		Random random = {99}, again = {99};
		for (int i = 0; i < 1000; i++)
			Put(RandomCell(&random, box), (Voxel){6, (uint8_t)(i & 127), 9});
		Store_CheckValid(store, "cycle");
		size_t bytes = Store_Bytes(store);
		if (cycle == 1)
			most = bytes;
		if (cycle > 1)
			ck_assert_uint_le(bytes, most);
		for (int i = 0; i < 1000; i++)
			Put(RandomCell(&again, box), (Voxel){0, 0, 0});
		ck_assert_int_eq(Store_ChunkCount(store), 0);
	}
	ck_assert_uint_le(Store_Bytes(store), sizeof(*store) + 2 * JOURNAL_LIMIT * sizeof(JournalEntry));
}
END_TEST

/* One chunk filled cell by cell in random order, thinned out the same way: the payload follows. */
START_TEST(test_waste_is_packed)
{
	Random random = {12};
	static int order[CHUNK_CELLS];
	for (int i = 0; i < CHUNK_CELLS; i++) {
		int j = Random_Below(&random, i + 1);
		order[i] = order[j];
		order[j] = i;
	}
	for (int pass = 0; pass < 2; pass++) {
		for (int i = 0; i < CHUNK_CELLS; i++) {
			Cell c = {order[i] & 31, order[i] >> 10, order[i] >> 5 & 31};
			Put(c, pass == 0 ? (Voxel){6, 255, 0} : (Voxel){0, 0, 0});
			const ChannelData *channel = Store_ChunkOrAir(store, (Cell){0, 0, 0})->channel;
			if (channel[0].header)
				REQUIRE(channel[0].used - channel[0].shared - 32 * channel[0].owning <= channel[0].used / 4 + 4 * 32,
				        "waste at step %d", i);
			if (i % 4096 == 0)
				Store_CheckValid(store, "packing");
		}
		if (pass == 0)
			ck_assert_uint_le(Store_Bytes(store), sizeof(*store) + 2 * JOURNAL_LIMIT * sizeof(JournalEntry) + 4096);
	}
	ck_assert_int_eq(Store_ChunkCount(store), 0);
}
END_TEST

START_TEST(test_uniform_costs_nothing)
{
	/* 4 x 4 x 4 chunks of rock under a lake of the same size. */
	CellBox rock = {{-64, -64, -64}, {63, 63, 63}}, lake = {{-64, 64, -64}, {63, 191, 63}};
	ck_assert_int_eq(Store_Replace(store, rock, MATERIAL_AIR, 6, NULL, NULL), ERROR_NONE);
	ck_assert_int_eq(Store_Replace(store, lake, MATERIAL_AIR, MATERIAL_WATER, NULL, NULL), ERROR_NONE);
	ck_assert_int_eq(Store_ChunkCount(store), 128);
	ck_assert_int_eq(Store_SolidCells(store), 128 * 128 * 128);
	ck_assert_uint_le(Store_Bytes(store), 128 * 200 + 16384);
	CheckCell((Cell){0, 64, 0}, (Voxel){0, 0, 255});
}
END_TEST

/* ---- hash --------------------------------------------------------------------------------------------------- */

START_TEST(test_hash_of_contents)
{
	Random random = {31};
	Twin twin = Twin_Create(block);
	for (int i = 0; i < 300; i++)
		EditRandom(&random, &twin, NULL);
	Twin_CheckEqual(&twin, store, "hash");
	/* The same cells, one by one in another order, over other cells that go again. */
	Store *other = Store_Create(&heap), *third = Store_Create(&heap);
	Region region = {twin.nx, twin.ny, twin.nz, {twin.channel[0], twin.channel[1], twin.channel[2]}};
	ck_assert_int_eq(Store_Write(other, block, &region, NULL, NULL, NULL), ERROR_NONE);
	for (int i = 0; i < 5000; i++)
		REQUIRE(!Store_Set(third, RandomCell(&random, block), RandomVoxel(&random), NULL, NULL), "set failed");
	ck_assert_int_eq(Store_Set(third, (Cell){500, 500, 500}, (Voxel){4, 4, 4}, NULL, NULL), ERROR_NONE);
	for (int y = 47; y >= -48; y--)
		for (int z = -48; z <= 47; z++)
			for (int x = 47; x >= -48; x--)
				REQUIRE(!Store_Set(third, (Cell){x, y, z}, Twin_Get(&twin, (Cell){x, y, z}), NULL, NULL), "set failed");
	ck_assert_uint_ne(Store_HashValue(third), Store_HashValue(store));
	ck_assert_int_eq(Store_Set(third, (Cell){500, 500, 500}, (Voxel){0, 0, 0}, NULL, NULL), ERROR_NONE);
	ck_assert_uint_eq(Store_HashValue(other), Store_HashValue(store));
	ck_assert_uint_eq(Store_HashValue(third), Store_HashValue(store));
	/* Any single byte counts. */
	for (int i = 0; i < 100; i++) {
		Cell c = RandomCell(&random, block);
		Voxel v = Store_Get(third, c), w = v;
		if (i % 3 == 0 || v.material == 0 || v.occupancy == 255)
			w.material = v.material == 5 ? 6 : 5;
		else if (i % 3 == 1)
			w.occupancy = v.occupancy ^ 1;
		else
			w.water = v.water ^ 1;
		ck_assert_int_eq(Store_Set(third, c, w, NULL, NULL), ERROR_NONE);
		ck_assert_uint_ne(Store_HashValue(third), Store_HashValue(store));
		ck_assert_int_eq(Store_Set(third, c, v, NULL, NULL), ERROR_NONE);
		ck_assert_uint_eq(Store_HashValue(third), Store_HashValue(store));
	}
	Store_CheckValid(other, "hash");
	Store_CheckValid(third, "hash");
	Store_Destroy(other);
	Store_Destroy(third);
	Twin_Free(&twin);
}
END_TEST

/* ---- failing allocations ------------------------------------------------------------------------------------ */

typedef int AttemptFn(Store *s, Tally *tally);

static int Attempt_Set(Store *s, Tally *tally)
{
	return Store_Set(s, (Cell){200, 5, -7}, (Voxel){3, 44, 2}, tally, NULL);
}

static int Attempt_SetInside(Store *s, Tally *tally)
{
	return Store_Set(s, (Cell){161, 162, 163}, (Voxel){7, 44, 2}, tally, NULL);
}

static int Attempt_Write(Store *s, Tally *tally)
{
	static uint8_t bytes[70 * 40 * 40];
	Region region = {70, 40, 40, {bytes, bytes, bytes}};
	for (int i = 0; i < COUNT_OF(bytes); i++)
		bytes[i] = (uint8_t)(i % 3 * (i % 111));
	return Store_Write(s, (CellBox){{-10, -10, -10}, {59, 29, 29}}, &region, NULL, tally, NULL);
}

static int Attempt_Edit(Store *s, Tally *tally)
{
	Smear smear = {2};
	return Store_Edit(s, (CellBox){{-40, -20, -20}, {20, 20, 20}}, Smear_Row, &smear, tally, NULL);
}

static int Attempt_Replace(Store *s, Tally *tally)
{
	return Store_Replace(s, (CellBox){{-20, -20, -20}, {40, 20, 20}}, MATERIAL_AIR, 9, tally, NULL);
}

static int Attempt_Clear(Store *s, Tally *tally)
{
	return Store_Clear(s, tally, NULL);
}

static void CheckFailing(AttemptFn *attempt, const char *what)
{
	const CellBox few = {{-16, -16, -16}, {15, 15, 15}};
	FailingMemory f;
	FailingMemory_Init(&f, -1);
	Store *s = Store_Create(&f.memory);
	Random random = {17};
	for (int i = 0; i < 200; i++)
		Store_Set(s, RandomCell(&random, few), RandomVoxel(&random), NULL, NULL);
	/* A chunk with solid cells but without water: to wet it takes a new block. */
	Store_Set(s, (Cell){160, 160, 160}, (Voxel){3, 44, 0}, NULL, NULL);
	uint64_t hash = Store_HashValue(s), version = Store_Version(s);
	int64_t solid = Store_SolidCells(s);
	size_t most = 0;
	int code = ERROR_MEMORY, failures = 0;
	for (long allowed = 0; code != ERROR_NONE; allowed++) {
		Tally tally = {0}, none = {0};
		f.left = allowed;
		code = attempt(s, &tally);
		f.left = -1;
		Store_CheckValid(s, what);
		if (code == ERROR_NONE)
			break;
		failures++;
		REQUIRE(code == ERROR_MEMORY && f.failed, "%s: code %d", what, code);
		REQUIRE(hash == Store_HashValue(s) && version == Store_Version(s) && solid == Store_SolidCells(s),
		        "%s: changed although allocation %ld failed", what, allowed);
		REQUIRE(memcmp(&tally, &none, sizeof(none)) == 0, "%s: tallied although failed", what);
		/* Lists may have grown, but only once. */
		if (allowed == 20)
			most = f.memory.bytes + 4096;
		REQUIRE(most == 0 || f.memory.bytes <= most, "%s: grows with failures", what);
	}
	REQUIRE(failures > 0, "%s: never failed", what);
	REQUIRE(hash != Store_HashValue(s), "%s: did nothing", what);
	Store_Destroy(s);
	REQUIRE(f.memory.bytes == 0 && f.memory.blocks == 0, "%s: leak", what);
}

START_TEST(test_failing_allocations)
{
	CheckFailing(Attempt_Set, "set in a new chunk");
	CheckFailing(Attempt_SetInside, "set in an old chunk");
	CheckFailing(Attempt_Write, "write");
	CheckFailing(Attempt_Edit, "edit");
	CheckFailing(Attempt_Replace, "replace");
	CheckFailing(Attempt_Clear, "clear");
	FailingMemory f;
	FailingMemory_Init(&f, 0);
	ck_assert_ptr_null(Store_Create(&f.memory));
	ck_assert_uint_eq(f.memory.bytes, 0);
}
END_TEST

/* ---- the check checks --------------------------------------------------------------------------------------- */

START_TEST(test_validate_sees_faults)
{
	char why[128];
	for (int i = 0; i < 8; i++)
		Put((Cell){i, 1, 2}, (Voxel){(uint8_t)(2 + i), 100, 5});
	Put((Cell){0, 40, 0}, (Voxel){2, 5, 0});
	ck_assert(Store_Validate(store, why, sizeof(why)));
	Chunk *chunk = &store->chunks.data[Store_FindChunk(store, (Cell){0, 0, 0})];
	int row = Cell_Row(1, 2);
	ChannelData *m = &chunk->channel[CHANNEL_MATERIAL];

#define BROKEN(put, back)                                                                                              \
	do {                                                                                                               \
		put;                                                                                                           \
		REQUIRE(!Store_Validate(store, why, sizeof(why)), "not seen: %s", #put);                                       \
		back;                                                                                                          \
		ck_assert(Store_Validate(store, why, sizeof(why)));                                                            \
	} while (0)

	BROKEN(Channel_Put(m, row, 3, MATERIAL_WATER), Channel_Put(m, row, 3, 5));
	BROKEN(Channel_Put(m, row, 3, MATERIAL_AIR), Channel_Put(m, row, 3, 5));
	BROKEN(Channel_Put(&chunk->channel[CHANNEL_OCCUPANCY], row, 3, 255),
	       Channel_Put(&chunk->channel[CHANNEL_OCCUPANCY], row, 3, 100));
	BROKEN(store->solid_cells++, store->solid_cells--);
	BROKEN(m->owning++, m->owning--);
	BROKEN(Channel_Group(m, 0)[7] = 256, Channel_Group(m, 0)[7] = 0);
	BROKEN(Channel_Group(m, 0)[7] = 300, Channel_Group(m, 0)[7] = 0);
	BROKEN(Channel_Group(m, 0)[7] = 65500, Channel_Group(m, 0)[7] = 0);
	BROKEN(m->header[3] = 4, m->header[3] = 3);
	BROKEN(store->version++, store->version--);
	int32_t first = store->order.data[0];
	BROKEN((store->order.data[0] = store->order.data[1], store->order.data[1] = first),
	       (store->order.data[1] = store->order.data[0], store->order.data[0] = first));
	BROKEN(chunk->x++, chunk->x--);
	BROKEN(chunk->entry = 0, chunk->entry = ENTRY_NONE);
	ck_assert(Channel_Open(m, &store->memory, 9));
	ck_assert(!Store_Validate(store, why, sizeof(why)));
	Channel_Close(m, &store->memory, 9);
}
END_TEST

/* ---- materials ---------------------------------------------------------------------------------------------- */

START_TEST(test_materials)
{
	static const char *names[] = {"air",    "water", "grass",     "ground",    "sand",     "mud",   "rock",
	                              "basalt", "slate", "sandstone", "limestone", "concrete", "brick", "wood",
	                              "ice",    "snow",  "glacier",   "asphalt",   "salt",     "metal"};
	static MaterialTable table;
	Error error;
	MaterialTable_Init(&table);
	ck_assert_int_eq(table.count, COUNT_OF(names));
	for (int i = 0; i < COUNT_OF(names); i++) {
		ck_assert_int_eq(MaterialTable_Find(&table, names[i]), i);
		/* All but air pass their own checks. */
		ck_assert_int_eq(MaterialTable_Put(&table, &(Material){.name = ""}, &error), ERROR_ARGUMENT);
		if (i != MATERIAL_AIR) {
			Material same = table.items[i];
			ck_assert_int_eq(MaterialTable_Put(&table, &same, &error), i);
		}
	}
	ck_assert_int_eq(MaterialTable_Find(&table, "cheese"), -1);
	ck_assert_int_eq(MaterialTable_Find(&table, NULL), -1);
	Material m = {.name = "Gold_2", .density = 19300, .friction = 0.4f, .restitution = 0.2f, .color = 0xFFD700};
	uint32_t version = table.version;
	ck_assert_int_eq(MaterialTable_Put(&table, &m, &error), COUNT_OF(names));
	ck_assert_uint_eq(table.version, version + 1);
	m.density = 19000;
	ck_assert_int_eq(MaterialTable_Put(&table, &m, &error), COUNT_OF(names));
	ck_assert(table.items[COUNT_OF(names)].density == 19000);

#define REFUSED(field, value, part)                                                                                    \
	do {                                                                                                               \
		Material bad = m;                                                                                              \
		bad.field = value;                                                                                             \
		version = table.version;                                                                                       \
		ck_assert_int_eq(MaterialTable_Put(&table, &bad, &error), ERROR_ARGUMENT);                                     \
		REQUIRE(strstr(error.text, part), "%s", error.text);                                                           \
		ck_assert_uint_eq(table.version, version);                                                                     \
	} while (0)

	REFUSED(density, 0.0f, "density is 0");
	REFUSED(density, (float)NAN, "density");
	REFUSED(density, (float)INFINITY, "density");
	REFUSED(friction, -0.5f, "friction is -0.5");
	REFUSED(restitution, 1.5f, "restitution is 1.5");
	REFUSED(rolling, -1.0f, "rolling");
	REFUSED(hardness, (float)NAN, "hardness");
	REFUSED(blockiness, 2.0f, "blockiness is 2");
	REFUSED(color, 0x1000000, "color");
	REFUSED(name[0], '9', "9old_2");
	REFUSED(name[4], '-', "Gold-2");
	Material air = table.items[0];
	ck_assert_int_eq(MaterialTable_Put(&table, &air, &error), ERROR_ARGUMENT);
	memset(m.name, 'a', sizeof(m.name));
	ck_assert_int_eq(MaterialTable_Put(&table, &m, &error), ERROR_ARGUMENT);
	Material water = table.items[1];
	water.density = 1025;
	ck_assert_int_eq(MaterialTable_Put(&table, &water, &error), MATERIAL_WATER);
	for (int i = table.count; i < MATERIAL_LIMIT; i++) {
		snprintf(m.name, sizeof(m.name), "m%d", i);
		ck_assert_int_eq(MaterialTable_Put(&table, &m, &error), i);
	}
	snprintf(m.name, sizeof(m.name), "one_more");
	ck_assert_int_eq(MaterialTable_Put(&table, &m, &error), ERROR_LIMIT);
	ck_assert_int_eq(MaterialTable_Find(&table, "m255"), 255);
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
	tcase_add_test(tests, test_extreme_coordinates);
	tcase_add_test(tests, test_write_and_read);
	tcase_add_test(tests, test_bad_arguments);
	tcase_add_test(tests, test_edit_visits_each_cell_once);
	tcase_add_test(tests, test_journal_box_is_tight);
	tcase_add_test(tests, test_replace_known);
	tcase_add_test(tests, test_clear);
	tcase_add_test(tests, test_counts);
	tcase_add_test(tests, test_mixed_edits);
	tcase_add_test(tests, test_tally_of_each_edit);
	tcase_add_test(tests, test_journal_is_bounded);
	tcase_add_test(tests, test_cycles_do_not_grow);
	tcase_add_test(tests, test_waste_is_packed);
	tcase_add_test(tests, test_uniform_costs_nothing);
	tcase_add_test(tests, test_hash_of_contents);
	tcase_add_test(tests, test_failing_allocations);
	tcase_add_test(tests, test_validate_sees_faults);
	tcase_add_test(tests, test_materials);
	suite_add_tcase(suite, tests);
	return suite;
}
