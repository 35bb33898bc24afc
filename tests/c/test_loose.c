/* What is loose: against a flood fill over single cells, on random ground; what the search costs; every cell goes
 * somewhere. */
#include "failing_memory.h"
#include "pieces/pieces.h"
#include "store_twin.h"
#include "test_scale.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

/* after all others: its globals have short names */
#include "heap_store.h"

/* ---- the twin ---------------------------------------------------------------------------------------------------- */

#define SPAN 44

static const CellBox ground = {{-20, -20, -20}, {-20 + SPAN - 1, -20 + SPAN - 1, -20 + SPAN - 1}};

typedef struct Flood {
	Twin cells;
	int *region; /* by cell: its region from 1, 0: air */
	int regions;
	bool held[SPAN * SPAN * SPAN + 1];
	int where[SPAN * SPAN * SPAN];
} Flood;

static int ValueAt(const Flood *flood, Cell c)
{
	return Twin_Holds(&flood->cells, c) ? flood->cells.channel[CHANNEL_OCCUPANCY][Twin_Index(&flood->cells, c)] : 0;
}

/* The neighbour that a cell goes with; false: none is greater. */
static bool Upwards(const Flood *flood, Cell c, Cell *to)
{
	int most = ValueAt(flood, c), near = 9;
	bool found = false;
	for (int y = -1; y <= 1; y++)
		for (int z = -1; z <= 1; z++)
			for (int x = -1; x <= 1; x++) {
				Cell n = {c.x + x, c.y + y, c.z + z};
				int v = ValueAt(flood, n), far = x * x + y * y + z * z;
				if (v > most || (found && v == most && far < near)) {
					most = v;
					near = far;
					*to = n;
					found = true;
				}
			}
	return found;
}

static bool IsSolid(const Flood *flood, Cell c)
{
	return Twin_Holds(&flood->cells, c) && flood->cells.channel[CHANNEL_MATERIAL][Twin_Index(&flood->cells, c)] != 0;
}

static bool IsInside(const Flood *flood, Cell c)
{
	Cell to;
	return IsSolid(flood, c) && (ValueAt(flood, c) >= 128 || !Upwards(flood, c, &to));
}

static Cell CellOf(const Flood *flood, int index)
{
	const Twin *t = &flood->cells;
	return (Cell){t->box.lo.x + index % t->nx, t->box.lo.y + index / (t->nx * t->nz),
	              t->box.lo.z + index / t->nx % t->nz};
}

static bool IsAnchor(const Anchors *anchors, Cell c)
{
	bool held = anchors->floor && c.y <= anchors->level;
	for (int i = 0; i < anchors->count; i++) {
		CellBox b = anchors->boxes[i];
		held = held ||
		       (c.x >= b.lo.x && c.x <= b.hi.x && c.y >= b.lo.y && c.y <= b.hi.y && c.z >= b.lo.z && c.z <= b.hi.z);
	}
	return held;
}

static void FloodFrom(Flood *flood, int seed, const Anchors *anchors)
{
	static const int ways[6][3] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
	int region = ++flood->regions, count = 0;
	flood->where[count++] = seed;
	flood->region[seed] = region;
	flood->held[region] = false;
	while (count > 0) {
		Cell c = CellOf(flood, flood->where[--count]);
		flood->held[region] = flood->held[region] || IsAnchor(anchors, c);
		for (int i = 0; i < 6; i++) {
			Cell n = {c.x + ways[i][0], c.y + ways[i][1], c.z + ways[i][2]};
			if (!IsInside(flood, n) || flood->region[Twin_Index(&flood->cells, n)])
				continue;
			flood->region[Twin_Index(&flood->cells, n)] = region;
			flood->where[count++] = (int)Twin_Index(&flood->cells, n);
		}
	}
}

static Flood *Flood_Make(const Anchors *anchors)
{
	Flood *flood = calloc(1, sizeof *flood);
	flood->cells = Twin_Create(ground);
	Twin *t = &flood->cells;
	Region region = {t->nx, t->ny, t->nz, {t->channel[0], t->channel[1], t->channel[2]}};
	Store_Read(store, ground, &region);
	int size = (int)Twin_Size(t);
	flood->region = calloc((size_t)size, sizeof(int));
	for (int i = 0; i < size; i++)
		if (!flood->region[i] && IsInside(flood, CellOf(flood, i)))
			FloodFrom(flood, i, anchors);
	for (int i = 0; i < size; i++) {
		Cell at = CellOf(flood, i);
		if (flood->region[i] || !IsSolid(flood, at))
			continue;
		while (!IsInside(flood, at))
			ck_assert(Upwards(flood, at, &at));
		flood->region[i] = -flood->region[Twin_Index(t, at)]; /* so that others do not stop here */
	}
	for (int i = 0; i < size; i++)
		flood->region[i] = abs(flood->region[i]);
	return flood;
}

static void Flood_Free(Flood *flood)
{
	Twin_Free(&flood->cells);
	free(flood->region);
	free(flood);
}

/* ---- comparing --------------------------------------------------------------------------------------------------- */

/* The pieces are exactly the loose regions, by place. */
static void Compare(const LooseSet *set, const Flood *flood, uint64_t seed)
{
	const Twin *t = &flood->cells;
	int size = (int)Twin_Size(t), *piece_of = calloc((size_t)flood->regions + 1, sizeof(int));
	int64_t told = 0, loose = 0;
	for (int i = 0; i < set->pieces.count; i++) {
		const Piece *piece = set->pieces.data[i];
		int region = 0;
		int64_t cells = 0;
		for (int k = 0; k < piece->run_count; k++) {
			PieceRun run = piece->runs[k];
			for (int x = 0; x < run.n; x++, cells++) {
				Cell c = {piece->origin.x + run.x + x, piece->origin.y + run.y, piece->origin.z + run.z};
				REQUIRE(Twin_Holds(t, c), "seed %llu: a cell from nowhere", (unsigned long long)seed);
				size_t at = Twin_Index(t, c);
				REQUIRE(t->channel[0][at] == run.material && t->channel[1][at] == run.occupancy,
				        "seed %llu: piece %d has another cell at %d %d %d", (unsigned long long)seed, i, c.x, c.y, c.z);
				region = region ? region : flood->region[at];
				REQUIRE(region == flood->region[at] && !flood->held[region],
				        "seed %llu: piece %d takes cell %d %d %d of region %d, not %d", (unsigned long long)seed, i,
				        c.x, c.y, c.z, flood->region[at], region);
			}
		}
		REQUIRE(cells == piece->cells && cells > 0, "seed %llu: piece %d counts %lld of %lld", (unsigned long long)seed,
		        i, (long long)piece->cells, (long long)cells);
		REQUIRE(!piece_of[region], "seed %llu: region %d is two pieces", (unsigned long long)seed, region);
		piece_of[region] = 1;
		told += cells;
	}
	for (int i = 0; i < size; i++)
		loose += flood->region[i] && !flood->held[flood->region[i]];
	REQUIRE(told == loose, "seed %llu: %lld cells are loose, %lld were found", (unsigned long long)seed,
	        (long long)loose, (long long)told);
	free(piece_of);
}

static void SumMatter(const Store *s, const LooseSet *set, int64_t sums[MATERIAL_LIMIT])
{
	int64_t cells[MATERIAL_LIMIT] = {0};
	CellBox all = {{-CELL_LIMIT, -CELL_LIMIT, -CELL_LIMIT}, {CELL_LIMIT, CELL_LIMIT, CELL_LIMIT}};
	Store_Matter(s, all, sums);
	for (int i = 0; set && i < set->pieces.count; i++)
		Piece_Count(set->pieces.data[i], cells, sums);
}

/* Finds and removes what is loose, looking at the boxes (count < 0: everything), and compares. */
static int TakeLoose(const CellBox *boxes, int count, const Anchors *anchors, uint64_t seed)
{
	LooseSet set;
	Error error;
	Flood *flood = Flood_Make(anchors);
	int64_t before[MATERIAL_LIMIT], after[MATERIAL_LIMIT];
	ck_assert_int_eq(Loose_Find(store, table, &heap, boxes, count, anchors, &set, &error), ERROR_NONE);
	Compare(&set, flood, seed);
	Flood_Free(flood);
	SumMatter(store, NULL, before);
	ck_assert_int_eq(Loose_Remove(&set, store, NULL, &error), ERROR_NONE);
	SumMatter(store, &set, after);
	for (int m = 0; m < MATERIAL_LIMIT; m++)
		REQUIRE(before[m] == after[m], "seed %llu: material %d was %lld and is %lld", (unsigned long long)seed, m,
		        (long long)before[m], (long long)after[m]);
	int pieces = set.pieces.count;
	LooseSet_Free(&set);
	return pieces;
}

/* ---- random ground ----------------------------------------------------------------------------------------------- */

static void Fill(BrushShape shape, const double center[3], const double half[3], int material, EditMode mode)
{
	Brush brush = {.shape = shape, .center = {center[0], center[1], center[2]}, .half = {half[0], half[1], half[2]}};
	for (int i = 0; i < 3; i++)
		brush.rotation[i][i] = 1.0;
	ck_assert_int_eq(Store_Fill(store, table, &brush, (uint8_t)material, mode, NULL, NULL), ERROR_NONE);
}

static void FillSomewhere(Random *random, int material, EditMode mode, double most)
{
	double center[3], half[3];
	for (int i = 0; i < 3; i++) {
		center[i] = Random_Range(random, -20.0 + most, -20.0 + SPAN - most);
		half[i] = Random_Range(random, 0.5, most - 3.0);
	}
	Fill(Random_Below(random, 2) ? BRUSH_BALL : BRUSH_BOX, center, half, material, mode);
}

/* share: of 256 cells that are solid; tops: of these, how many may be inside. */
static void Noise(Random *random, int share, int top)
{
	Twin twin = Twin_Create(ground);
	for (size_t i = 0; i < Twin_Size(&twin); i++) {
		if (Random_Below(random, 256) >= share)
			continue;
		twin.channel[CHANNEL_MATERIAL][i] = (uint8_t)(2 + Random_Below(random, 5));
		twin.channel[CHANNEL_OCCUPANCY][i] = (uint8_t)Random_Below(random, top);
		twin.channel[CHANNEL_WATER][i] = (uint8_t)Random_Below(random, 256);
	}
	Region region = {twin.nx, twin.ny, twin.nz, {twin.channel[0], twin.channel[1], twin.channel[2]}};
	ck_assert_int_eq(Store_Write(store, ground, &region, NULL, NULL, NULL), ERROR_NONE);
	Twin_Free(&twin);
}

START_TEST(noise_as_the_flood_fill)
{
	static const int shares[] = {20, 90, 130, 160, 200, 250}, tops[] = {256, 128, 140, 3};
	for (int k = 0; k < LESS(24); k++) {
		Random random = {(uint64_t)k};
		CellBox box = {{0, 5, 0}, {2, 9, 1}};
		Anchors anchors = {.floor = k % 3 != 1, .level = -20 + k % 5, .boxes = &box, .count = k % 3 > 0};
		Noise(&random, shares[k % 6], tops[k / 6]);
		TakeLoose(NULL, -1, &anchors, (uint64_t)k);
		REQUIRE(TakeLoose(NULL, -1, &anchors, (uint64_t)k) == 0, "seed %d: what is left is not held", k);
	}
}
END_TEST

/* From ground where all is held, single edits: only what they changed is looked at, and that is enough. */
START_TEST(edits_as_the_flood_fill)
{
	for (int k = 0; k < LESS(10); k++) {
		Random random = {(uint64_t)(100 + k)};
		CellBox box = {{-4, 8, -4}, {4, 20, 4}};
		Anchors anchors = {.floor = k % 2 == 0, .level = -18, .boxes = &box, .count = k % 3 == 0 || k % 2 == 1};
		int pieces = 0;
		Store_Clear(store, NULL, NULL);
		for (int i = 0; i < 12; i++)
			FillSomewhere(&random, 2 + i % 5, EDIT_SET, 12.0);
		TakeLoose(NULL, -1, &anchors, random.state);
		for (int i = 0; i < 25; i++) {
			uint64_t since = Store_Version(store);
			CellBox boxes[16];
			bool dig = Random_Below(&random, 4) != 0;
			FillSomewhere(&random, dig ? 0 : 2 + i % 5, dig ? EDIT_REMOVE : EDIT_SET, dig ? 7.0 : 5.0);
			int count = Store_Changes(store, since, boxes, 16);
			pieces += TakeLoose(boxes, count, &anchors, random.state);
			REQUIRE(TakeLoose(NULL, -1, &anchors, random.state) == 0, "seed %d, edit %d: something was missed", k, i);
		}
		REQUIRE(pieces > 0 || k > 2, "seed %d: nothing ever came off", k);
	}
}
END_TEST

/* ---- known answers ----------------------------------------------------------------------------------------------- */

static void Block(int x0, int y0, int z0, int x1, int y1, int z1, int material)
{
	double center[3] = {0.5 * (x0 + x1 + 1), 0.5 * (y0 + y1 + 1), 0.5 * (z0 + z1 + 1)};
	double half[3] = {0.5 * (x1 - x0 + 1), 0.5 * (y1 - y0 + 1), 0.5 * (z1 - z0 + 1)};
	Fill(BRUSH_BOX, center, half, material, EDIT_SET);
}

START_TEST(search_ends_at_the_nearest_anchor)
{
	LooseSet set;
	Error error;
	Anchors anchors = {.floor = true, .level = -64};
	Block(-320, -64, -320, 319, 63, 319, 6); /* 20 x 4 x 20 chunks */
	CellBox edit = {{10, 60, 10}, {14, 63, 14}};
	ck_assert_int_eq(Loose_Find(store, table, &heap, &edit, 1, &anchors, &set, &error), ERROR_NONE);
	ck_assert_int_eq(set.pieces.count, 0);
	ck_assert_msg(set.chunks_labelled <= 20, "%lld chunks were looked at", (long long)set.chunks_labelled);
	LooseSet_Free(&set);
}
END_TEST

/* Every second cell of all three axes: each is a piece of its own, without any cost by pairs. */
START_TEST(checkerboard)
{
	LooseSet set;
	Error error;
	Anchors anchors = {.floor = true, .level = -20};
	Twin twin = Twin_Create(ground);
	for (size_t i = 0; i < Twin_Size(&twin); i++) {
		int x = (int)i % SPAN, z = (int)i / SPAN % SPAN, y = (int)i / SPAN / SPAN;
		twin.channel[CHANNEL_MATERIAL][i] = (x + y + z) % 2 ? 6 : 0;
		twin.channel[CHANNEL_OCCUPANCY][i] = (x + y + z) % 2 ? 255 : 0;
	}
	Region region = {twin.nx, twin.ny, twin.nz, {twin.channel[0], twin.channel[1], NULL}};
	ck_assert_int_eq(Store_Write(store, ground, &region, NULL, NULL, NULL), ERROR_NONE);
	Twin_Free(&twin);
	ck_assert_int_eq(Loose_Find(store, table, &heap, NULL, -1, &anchors, &set, &error), ERROR_NONE);
	ck_assert_int_eq(set.pieces.count, SPAN * SPAN * SPAN / 2 - SPAN * SPAN / 2);
	for (int i = 0; i < set.pieces.count; i++)
		REQUIRE(set.pieces.data[i]->cells == 1, "piece %d is of %lld cells", i, (long long)set.pieces.data[i]->cells);
	LooseSet_Free(&set);
}
END_TEST

/* A million cells on one foot that is cut; the search runs on a small stack. */
static void *FindOnSmallStack(void *context)
{
	Error error;
	Anchors anchors = {.floor = true, .level = 0};
	CellBox cut = {{50, 2, 50}, {50, 2, 50}};
	LooseSet *set = context;
	Loose_Find(store, table, &heap, &cut, 1, &anchors, set, &error);
	return NULL;
}

START_TEST(collapse_on_a_small_stack)
{
	pthread_attr_t attributes;
	pthread_t thread;
	LooseSet set = {0};
	Block(0, 0, 0, 99, 0, 99, 6);
	Block(50, 1, 50, 50, 3, 50, 6);
	Block(0, 4, 0, 99, 103, 99, 2);
	Store_Set(store, (Cell){50, 2, 50}, (Voxel){0, 0, 0}, NULL, NULL);
	ck_assert_int_eq(pthread_attr_init(&attributes), 0);
	ck_assert_int_eq(pthread_attr_setstacksize(&attributes, 128 << 10), 0);
	ck_assert_int_eq(pthread_create(&thread, &attributes, FindOnSmallStack, &set), 0);
	pthread_join(thread, NULL);
	pthread_attr_destroy(&attributes);
	ck_assert_int_eq(set.pieces.count, 1);
	ck_assert_int_eq(set.pieces.data[0]->cells, 1000001);
	LooseSet_Free(&set);
}
END_TEST

/* A soft cut leaves a fringe that touches both sides, and yet they are apart. */
START_TEST(fringes_do_not_hold)
{
	LooseSet set;
	Error error;
	Anchors anchors = {.floor = true, .level = 0};
	Block(0, 0, 0, 3, 19, 3, 6);
	const double center[3] = {2.0, 10.3, 2.0}, half[3] = {4.0, 0.7, 4.0};
	Fill(BRUSH_BOX, center, half, 0, EDIT_REMOVE);
	int between = 0;
	for (int y = 8; y < 13; y++)
		between += Store_Get(store, (Cell){1, y, 1}).material == MATERIAL_AIR;
	ck_assert_int_eq(between, 0);
	CellBox all = {{0, 8, 0}, {3, 12, 3}};
	ck_assert_int_eq(Loose_Find(store, table, &heap, &all, 1, &anchors, &set, &error), ERROR_NONE);
	ck_assert_int_eq(set.pieces.count, 1);
	LooseSet_Free(&set);
}
END_TEST

START_TEST(floor_is_the_lowest_layer)
{
	int32_t level = 0;
	ck_assert(!Loose_FindFloor(store, &level));
	ck_assert(!Loose_HasCellsTo(store, 1000));
	Block(100, -70, 0, 100, 5, 0, 6);
	Block(0, -66, 0, 3, 5, 3, 6);
	Store_Set(store, (Cell){0, -90, 0}, (Voxel){0, 0, 200}, NULL, NULL); /* water is no floor */
	ck_assert(Loose_FindFloor(store, &level));
	ck_assert_int_eq(level, -70);
	ck_assert(Loose_HasCellsTo(store, -70));
	ck_assert(!Loose_HasCellsTo(store, -71));
}
END_TEST

/* ---- mass -------------------------------------------------------------------------------------------------------- */

START_TEST(mass_is_that_of_the_cells)
{
	for (int k = 0; k < 6; k++) {
		Random random = {(uint64_t)(7 + k)};
		LooseSet set;
		Error error;
		Anchors anchors = {.floor = false};
		double size = 0.5 + 0.25 * k;
		Store_Clear(store, NULL, NULL);
		for (int i = 0; i < 3; i++)
			FillSomewhere(&random, 2 + i, EDIT_SET, 8.0);
		ck_assert_int_eq(Loose_Find(store, table, &heap, NULL, -1, &anchors, &set, &error), ERROR_NONE);
		ck_assert_int_gt(set.pieces.count, 0);
		const Piece *piece = set.pieces.data[0];
		MassProps props = Piece_Mass(piece, table, size);
		double mass = 0.0, sum[3] = {0}, center[3], xx = 0.0, xy = 0.0;
		for (int pass = 0; pass < 2; pass++)
			for (int i = 0; i < piece->run_count; i++)
				for (int n = 0; n < piece->runs[i].n; n++) {
					PieceRun r = piece->runs[i];
					double m = table->items[r.material].density * (r.occupancy + 1) / 256.0 * size * size * size;
					double p[3] = {(r.x + n + 0.5) * size, (r.y + 0.5) * size, (r.z + 0.5) * size};
					for (int a = 0; a < 3 && pass == 0; a++)
						sum[a] += m * p[a];
					mass += pass == 0 ? m : 0.0;
					if (pass == 1) {
						for (int a = 0; a < 3; a++)
							p[a] -= center[a] = sum[a] / mass;
						xx += m * (p[1] * p[1] + p[2] * p[2] + size * size / 6.0);
						xy -= m * p[0] * p[1];
					}
				}
		ck_assert_float_eq_tol(props.mass, (float)mass, 1e-6f * (float)mass);
		ck_assert_float_eq_tol(props.center.x, (float)center[0], 1e-4f);
		ck_assert_float_eq_tol(props.center.y, (float)center[1], 1e-4f);
		ck_assert_float_eq_tol(props.center.z, (float)center[2], 1e-4f);
		ck_assert_float_eq_tol(props.inertia.cx.x, (float)xx, 1e-5f * (float)xx);
		ck_assert_float_eq_tol(props.inertia.cx.y, (float)xy, 1e-5f * (float)xx);
		ck_assert(Length(props.center) < 0.9f * (float)size); /* the origin is the nearest lattice point */
		LooseSet_Free(&set);
	}
}
END_TEST

/* ---- failures ---------------------------------------------------------------------------------------------------- */

START_TEST(failed_allocations)
{
	Random random = {5};
	Anchors anchors = {.floor = true, .level = -20};
	Noise(&random, 90, 256);
	for (long n = 0;; n++) {
		FailingMemory f;
		LooseSet set;
		Error error;
		FailingMemory_Init(&f, n);
		int code = Loose_Find(store, table, &f.memory, NULL, -1, &anchors, &set, &error);
		if (code == ERROR_NONE) {
			ck_assert(!f.failed);
			LooseSet_Free(&set);
			ck_assert_uint_eq(f.memory.bytes, 0);
			break;
		}
		ck_assert_int_eq(code, ERROR_MEMORY);
		REQUIRE(f.memory.bytes == 0, "call %ld leaks %zu bytes", n, (size_t)f.memory.bytes);
		if (n > 200)
			n += n / 8;
	}
}
END_TEST

Suite *suite_loose(void)
{
	Suite *suite = suite_create("loose");
	TCase *tests = tcase_create("loose");
	tcase_add_checked_fixture(tests, Setup, Teardown);
	tcase_add_test(tests, noise_as_the_flood_fill);
	tcase_add_test(tests, edits_as_the_flood_fill);
	tcase_add_test(tests, search_ends_at_the_nearest_anchor);
	tcase_add_test(tests, checkerboard);
	tcase_add_test(tests, collapse_on_a_small_stack);
	tcase_add_test(tests, fringes_do_not_hold);
	tcase_add_test(tests, floor_is_the_lowest_layer);
	tcase_add_test(tests, mass_is_that_of_the_cells);
	tcase_add_test(tests, failed_allocations);
	suite_add_tcase(suite, tests);
	return suite;
}
