/* Very many edits between two looks: terrain, records and mesh are those of the same cells written at once. And very
 * many digs, each undone. */
#include "store_edits.h"
#include "terrain/terrain.h"

#include <math.h>

static MaterialTable table;

static Terrain *NewTerrain(Store *from)
{
	Error error = {0};
	Terrain *terrain = Terrain_Create(&heap, from, &table, 1.0, NARROWPHASE_LATTICE);
	ck_assert_ptr_nonnull(terrain);
	ck_assert_int_eq(Terrain_Sync(terrain, &error), ERROR_NONE);
	return terrain;
}

/* Colliders, so that there is something to go stale. */
static void ShootRays(Terrain *terrain, Random *random, int count)
{
	Error error = {0};
	TerrainHit hit;
	TerrainRayOptions options = {.limit = 1.0};
	for (int k = 0; k < count; k++) {
		double x = Random_Range(random, -48, 48), z = Random_Range(random, -48, 48);
		ck_assert_int_ge(Terrain_Ray(terrain, (Pos){x, 60, z}, (Pos){z, -60, x}, options, &hit, &error), 0);
	}
}

static void CheckSameMesh(Terrain *a, Terrain *b, const char *what)
{
	TerrainMesh p, q;
	Error error = {0};
	ck_assert_int_eq(Terrain_Mesh(a, NULL, &p, &error), ERROR_NONE);
	ck_assert_int_eq(Terrain_Mesh(b, NULL, &q, &error), ERROR_NONE);
	REQUIRE(p.vertex_count == q.vertex_count && p.triangle_count == q.triangle_count, "%s: size of the mesh", what);
	REQUIRE(p.triangle_count > 1000, "%s: hardly any mesh", what);
	size_t vertices = 3 * (size_t)p.vertex_count, corners = 3 * (size_t)p.triangle_count;
	REQUIRE(memcmp(p.positions, q.positions, vertices * sizeof(*p.positions)) == 0, "%s: positions", what);
	REQUIRE(memcmp(p.indices, q.indices, corners * sizeof(*p.indices)) == 0, "%s: triangles", what);
	REQUIRE(memcmp(p.materials, q.materials, corners / 3) == 0, "%s: materials", what);
	TerrainMesh_Free(&heap, &p);
	TerrainMesh_Free(&heap, &q);
}

/* As many records, of the same blocks; that their bits are right Terrain_Validate says, which makes them anew. */
static void CheckSameMasks(Terrain *a, Terrain *b, const char *what)
{
	BlockHitList p = {0}, q = {0};
	const WorldBox all = {{-60, -60, -60}, {60, 60, 60}};
	ck_assert(Terrain_Query(a, &heap, all, &p) && Terrain_Query(b, &heap, all, &q));
	REQUIRE(p.items.count == q.items.count, "%s: %d blocks, not %d", what, p.items.count, q.items.count);
	TerrainStats s = Terrain_Stats(a), t = Terrain_Stats(b);
	REQUIRE(s.records == t.records, "%s: %d records, not %d", what, (int)s.records, (int)t.records);
	Array_Free(&heap, p.items);
	Array_Free(&heap, q.items);
}

static void CheckFromScratch(Terrain *terrain, const Twin *twin, const char *what)
{
	Error error = {0};
	char why[200] = "";
	ck_assert_int_eq(Terrain_Sync(terrain, &error), ERROR_NONE);
	REQUIRE(Terrain_Validate(terrain, why, sizeof(why)), "%s: %s", what, why);
	Store *scratch = Store_Create(&heap);
	Region region = {twin->nx, twin->ny, twin->nz, {twin->channel[0], twin->channel[1], twin->channel[2]}};
	ck_assert_int_eq(Store_Write(scratch, twin->box, &region, NULL, NULL, NULL), ERROR_NONE);
	REQUIRE(Store_HashValue(scratch) == Store_HashValue(store), "%s: the cells", what);
	Terrain *fresh = NewTerrain(scratch);
	CheckSameMasks(terrain, fresh, what);
	CheckSameMesh(terrain, fresh, what);
	Terrain_Destroy(fresh);
	Store_Destroy(scratch);
}

START_TEST(test_ten_thousand_edits)
{
	const uint64_t seed = 808;
	Random random = {seed};
	MaterialTable_Init(&table);
	Twin twin = Twin_Create(block);
	Tally tally = {0};
	int64_t before[MATERIAL_LIMIT];
	for (int i = 0; i < 50; i++)
		ck_assert_int_eq(EditRandom(&random, &twin, NULL), ERROR_NONE);
	Twin_Matter(&twin, before);
	Terrain *terrain = NewTerrain(store);
	ShootRays(terrain, &random, 200);
	for (int i = 0; i < 10000; i++)
		REQUIRE(EditRandom(&random, &twin, &tally) == ERROR_NONE, "edit %d", i);
	Twin_CheckEqual(&twin, store, "10,000 edits");
	Tally_Check(before, &tally, &twin, "10,000 edits");
	Store_CheckValid(store, "10,000 edits");
	CheckFromScratch(terrain, &twin, "10,000 edits");
	Terrain_Destroy(terrain);
	Twin_Free(&twin);
}
END_TEST

/* ---- digs --------------------------------------------------------------------------------------------------- */

#define DIGS 500
#define LOOK 20 /* digs from one hash to the next */
#define HOLE_RADIUS 5.3

static int DigByte(const Brush *ball, Cell c)
{
	double d = Brush_Distance(ball, c.x + 0.5, c.y + 0.5, c.z + 0.5);
	return d >= 0 ? 128 + (int)fmin(127, floor(128 * d)) : 127 - (int)fmin(127, floor(-128 * d));
}

/* Cells of rock with what the balls left of them; only what can never be seen may be missing. */
static void CheckDug(const Twin *wanted, const char *what)
{
	Twin got = Twin_Create(wanted->box);
	Region region = {got.nx, got.ny, got.nz, {got.channel[0], got.channel[1], NULL}};
	Store_Read(store, got.box, &region);
	for (size_t i = 0; i < Twin_Size(wanted); i++) {
		int want = wanted->channel[0][i] ? wanted->channel[1][i] : -1, v = got.channel[0][i] ? got.channel[1][i] : -1;
		REQUIRE(v == want || (v == -1 && want < 128), "%s: cell %d holds %d, not %d", what, (int)i, v, want);
	}
	Twin_Free(&got);
}

/* A ball of 5.3 cells dug at 500 places, at borders of chunks and across them. */
START_TEST(test_five_hundred_digs)
{
	Random random = {5353};
	MaterialTable_Init(&table);
	const CellBox rock = {{-64, -64, -64}, {63, 63, 63}};
	Twin wanted = Twin_Create(rock);
	memset(wanted.channel[0], 6, Twin_Size(&wanted));
	memset(wanted.channel[1], 255, Twin_Size(&wanted));
	Region region = {wanted.nx, wanted.ny, wanted.nz, {wanted.channel[0], wanted.channel[1], NULL}};
	ck_assert_int_eq(Store_Write(store, rock, &region, NULL, NULL, NULL), ERROR_NONE);
	Terrain *terrain = NewTerrain(store);
	uint64_t hashes[DIGS / LOOK + 1];
	char name[UNDO_NAME_SIZE];
	Tally tally = {0};
	int64_t before[MATERIAL_LIMIT], after[MATERIAL_LIMIT];
	Store_Matter(store, rock, before);
	for (int k = 0; k < DIGS; k++) {
		Brush ball = {.shape = BRUSH_BALL, .half = {HOLE_RADIUS, 0, 0}};
		for (int i = 0; i < 3; i++) {
			ball.center[i] = Random_Range(&random, -56, 56);
			if (Random_Below(&random, 3) == 0)
				ball.center[i] = 32.0 * (Random_Below(&random, 3) - 1) + Random_Range(&random, -1, 1);
		}
		if (k % LOOK == 0)
			hashes[k / LOOK] = Store_HashValue(store);
		ck_assert_int_eq(Store_BeginUndo(store, NULL, NULL), ERROR_NONE);
		ck_assert_int_eq(Store_Fill(store, &table, &ball, MATERIAL_AIR, EDIT_SET, &tally, NULL), ERROR_NONE);
		CellBox bounds = Twin_Clip(&wanted, Brush_Bounds(&ball));
		FOR_CELLS(c, bounds)
		{
			size_t i = Twin_Index(&wanted, c);
			int left = 255 - DigByte(&ball, c);
			if (wanted.channel[0][i] && wanted.channel[1][i] > left)
				wanted.channel[1][i] = (uint8_t)left;
			if (left == 0)
				wanted.channel[0][i] = wanted.channel[1][i] = 0;
		}
	}
	hashes[DIGS / LOOK] = Store_HashValue(store);
	CheckDug(&wanted, "dug");
	Store_Matter(store, rock, after);
	ck_assert_int_eq(before[6] - tally.removed[6], after[6]);
	ck_assert_int_eq(tally.added[6], 0);
	Region now = {wanted.nx, wanted.ny, wanted.nz, {wanted.channel[0], wanted.channel[1], NULL}};
	Store_Read(store, rock, &now);
	CheckFromScratch(terrain, &wanted, "dug");
	for (int k = DIGS - 1; k >= 0; k--) {
		ck_assert_int_eq(Store_Undo(store, name, NULL), 1);
		REQUIRE(k % LOOK != 0 || Store_HashValue(store) == hashes[k / LOOK], "undo of dig %d", k);
	}
	for (int k = 1; k <= DIGS; k++) {
		ck_assert_int_eq(Store_Redo(store, name, NULL), 1);
		REQUIRE(k % LOOK != 0 || Store_HashValue(store) == hashes[k / LOOK], "redo of dig %d", k);
	}
	Terrain_Destroy(terrain);
	Store_ForgetUndo(store);
	Twin_Free(&wanted);
}
END_TEST

/* ---- very small, very large, very far ------------------------------------------------------------------------ */

/* A brush of any size and place does something sensible: never more than its bounds, nothing for nothing. */
START_TEST(test_extreme_brushes)
{
	MaterialTable_Init(&table);
	Error error = {0};
	static const double places[] = {0, 0.5, 1e6 + 0.25, -1e9, 1073741824.0 - 40};
	static const double sizes[] = {1e-9, 1e-3, 0.2, 1, 20};
	for (int shape = BRUSH_BALL; shape <= BRUSH_WEDGE; shape++) {
		for (int i = 0; i < COUNT_OF(places) * COUNT_OF(sizes); i++) {
			double at = places[i / COUNT_OF(sizes)], size = sizes[i % COUNT_OF(sizes)];
			Brush brush = {.shape = (BrushShape)shape, .center = {at, at / 2, -at}, .half = {size, size, size}};
			Tally in = {0}, out = {0};
			CellBox bounds = Brush_Bounds(&brush), found;
			int code = Store_Fill(store, &table, &brush, 6, EDIT_SET, &in, &error);
			REQUIRE(code == ERROR_NONE, "shape %d at %g of %g: %s", shape, at, size, error.text);
			if (Store_Bounds(store, &found)) {
				/* Plates are widened to 1.5. */
				CellBox most = {{bounds.lo.x - 1, bounds.lo.y - 1, bounds.lo.z - 1},
				                {bounds.hi.x + 1, bounds.hi.y + 1, bounds.hi.z + 1}};
				REQUIRE(CellBox_Contains(most, found), "shape %d at %g of %g: out of its bounds", shape, at, size);
			}
			REQUIRE(size < 0.5 || in.added[6] > 200 * size * size * size, "shape %d at %g of %g: %g", shape, at, size,
			        (double)in.added[6]);
			Brush large = {.shape = (BrushShape)(shape == BRUSH_WEDGE ? BRUSH_BOX : shape), .half = {4e9, 4e9, 4e9}};
			ck_assert_int_eq(Store_Fill(store, &table, &large, MATERIAL_AIR, EDIT_SET, &out, &error), ERROR_NONE);
			REQUIRE(in.added[6] == out.removed[6] && Store_ChunkCount(store) == 0, "shape %d at %g of %g: left", shape,
			        at, size);
		}
		/* Too large to fill: said, and nothing is done. */
		Brush huge = {.shape = (BrushShape)shape, .half = {1e5, 1e5, 1e5}};
		ck_assert_int_eq(Store_Fill(store, &table, &huge, 6, EDIT_SET, NULL, &error), ERROR_LIMIT);
		Brush beyond = {.shape = (BrushShape)shape, .center = {2e9, 0, 0}, .half = {5, 5, 5}};
		ck_assert_int_eq(Store_Fill(store, &table, &beyond, 6, EDIT_SET, NULL, &error), ERROR_LIMIT);
		ck_assert_int_eq(Store_Fill(store, &table, &beyond, MATERIAL_AIR, EDIT_SET, NULL, &error), ERROR_NONE);
		ck_assert_int_eq(Store_ChunkCount(store), 0);
	}
}
END_TEST

Suite *suite_many_edits(void);
Suite *suite_many_edits(void)
{
	Suite *suite = suite_create("many_edits");
	TCase *tests = tcase_create("many_edits");
	tcase_set_timeout(tests, 120);
	tcase_add_checked_fixture(tests, Setup, Teardown);
	tcase_add_test(tests, test_ten_thousand_edits);
	tcase_add_test(tests, test_five_hundred_digs);
	tcase_add_test(tests, test_extreme_brushes);
	suite_add_tcase(suite, tests);
	return suite;
}
