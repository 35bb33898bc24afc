/* Pieces in a world, by the public interface: failed allocations, conservation over many edits, many pieces at once. */
#include "base/base.h"
#include "failing_memory.h"
#include "require.h"
#include "scree.h"
#include "test_scale.h"

#include <check.h>
#include <stdio.h>

Suite *suite_detach(void);

#define ROCK 6
#define WOOD 13

static ScreeWorld *MakeWorld(FailingMemory *f)
{
	ScreeWorldDef def;
	ScreeWorld *w = NULL;
	FailingMemory_Init(f, -1);
	scree_world_defaults(&def);
	def.resize = FailingMemory_Resize;
	def.resize_user = f;
	ck_assert_int_eq(screeWorld_Create(&def, &w, NULL, 0), SCREE_OK);
	return w;
}

static void Fill(ScreeWorld *w, double x, double y, double z, double sx, double sy, double sz, int material)
{
	ScreeFill fill = {.brush = SCREE_BRUSH_BOX,
	                  .material = material,
	                  .position = {x, y, z},
	                  .rotation = {0.0, 0.0, 0.0, 1.0},
	                  .size = {sx, sy, sz}};
	ck_assert_int_eq(screeTerrain_Fill(w, &fill), SCREE_OK);
}

static void TurnOn(ScreeWorld *w, int small_cells, int vanish)
{
	ScreeDetach detach = {1, small_cells, vanish};
	ck_assert_int_eq(screeTerrain_SetDetach(w, &detach), SCREE_OK);
}

/* Matter of all materials in the ground and in pieces. */
static void Matter(ScreeWorld *w, double sums[256])
{
	const double min[3] = {-500, -500, -500}, max[3] = {500, 500, 500};
	static ScreeId ids[70000];
	ck_assert_int_eq(screeTerrain_Matter(w, min, max, sums), SCREE_OK);
	int count = screeWorld_Assemblies(w, ids, 70000);
	REQUIRE(count >= 0 && count <= 70000, "%d assemblies", count);
	for (int i = 0; i < count; i++) {
		double matter[256];
		int is = screeAssembly_Cells(w, ids[i], NULL, matter);
		REQUIRE(is >= 0, "assembly %d: %d", i, is);
		for (int m = 0; m < 256; m++)
			sums[m] += matter[m];
	}
}

static void CheckMatter(ScreeWorld *w, const double before[256], const char *what, long n)
{
	double after[256];
	Matter(w, after);
	for (int m = 0; m < 256; m++)
		REQUIRE(before[m] == after[m], "%s, %ld: material %d was %.17g, is %.17g", what, n, m, before[m], after[m]);
}

/* ---- failed allocations ------------------------------------------------------------------------------------------ */

/* A table on a foot, something on it, and the foot cut. */
static ScreeWorld *Table(FailingMemory *f)
{
	ScreeWorld *w = MakeWorld(f);
	ScreePart part;
	ScreeAssemblyDef def;
	ScreeId id;
	Fill(w, 0, -2, 0, 12, 4, 12, ROCK);
	Fill(w, 0, 3, 0, 2, 6, 2, WOOD);
	Fill(w, 0, 7, 0, 9, 2, 9, ROCK);
	TurnOn(w, 3, 1);
	scree_part_defaults(&part);
	scree_assembly_defaults(&def);
	def.parts = &part;
	def.part_count = 1;
	def.position[1] = 8.5;
	ck_assert_int_eq(screeAssembly_Create(w, &def, &id), SCREE_OK);
	ck_assert_int_eq(screeWorld_Step(w, 1.0 / 60.0, 10), SCREE_OK);
	ck_assert_int_eq(screeTerrain_BeginUndo(w, NULL), SCREE_OK);
	Fill(w, 0, 2.5, 0, 4, 1, 4, 0);
	return w;
}

static int StepOnce(ScreeWorld *w)
{
	return screeWorld_Step(w, 1.0 / 60.0, 1);
}

static int DetachAll(ScreeWorld *w)
{
	const ScreeId *ids;
	int count = screeTerrain_DetachAll(w, &ids);
	return count < 0 ? count : SCREE_OK;
}

static int BlastIt(ScreeWorld *w)
{
	const ScreeId *ids;
	ScreeBlast blast = {{0.5, 8.0, 0.0}, 4.0, 30.0, 100.0};
	int count = screeWorld_Blast(w, &blast, &ids);
	return count < 0 ? count : SCREE_OK;
}

static int PutBack(ScreeWorld *w)
{
	ScreeId ids[4];
	int count = screeWorld_Assemblies(w, ids, 4);
	return screeAssembly_ToTerrain(w, ids[count - 1]);
}

/* The n-th allocation fails: an error, nothing lost, and tried again it comes to what it would have been at once. */
static void FailEach(int (*act)(ScreeWorld *), bool fallen, const char *what)
{
	char wanted[17], got[17];
	FailingMemory f;
	for (long n = -1;; n += n > 60 ? n / 8 : 1) {
		double before[256];
		ScreeWorld *w = Table(&f);
		if (fallen)
			ck_assert_int_eq(screeWorld_Step(w, 1.0 / 60.0, 1), SCREE_OK);
		Matter(w, before);
		f.left = n;
		int result = act(w);
		bool failed = f.failed;
		f.left = -1;
		f.failed = false;
		if (failed && act != BlastIt && act != PutBack)
			CheckMatter(w, before, what, n);
		if (result != SCREE_OK) {
			REQUIRE(failed && result == SCREE_OUT_OF_MEMORY, "%s, %ld: %d (%s)", what, n, result, screeWorld_Error(w));
			result = act(w);
			REQUIRE(result == SCREE_OK, "%s, %ld, again: %d (%s)", what, n, result, screeWorld_Error(w));
		}
		ck_assert_int_eq(screeWorld_Step(w, 1.0 / 60.0, 30), SCREE_OK);
		ck_assert_int_eq(screeWorld_Hash(w, n < 0 ? wanted : got), SCREE_OK);
		REQUIRE(n < 0 || strcmp(wanted, got) == 0 || act == BlastIt, "%s, %ld: another future", what, n);
		REQUIRE(screeWorld_Destroy(w) == 0.0, "%s, %ld: leaks", what, n);
		if (!failed && n >= 0)
			return;
	}
}

START_TEST(failed_allocations)
{
	FailEach(StepOnce, false, "step");
	FailEach(DetachAll, false, "detach_all");
	FailEach(PutBack, true, "to_terrain");
	FailEach(BlastIt, true, "blast");
}
END_TEST

/* ---- many edits -------------------------------------------------------------------------------------------------- */

START_TEST(nothing_is_lost)
{
	for (int k = 0; k < LESS(3); k++) {
		Random random = {(uint64_t)k};
		FailingMemory f;
		ScreeWorld *w = MakeWorld(&f);
		double before[256], removed[256], added[256];
		Fill(w, 0, 0, 0, 30, 24, 30, ROCK);
		Fill(w, 0, 14, 0, 12, 8, 12, WOOD);
		TurnOn(w, 5, 0);
		Matter(w, before);
		int pieces = 0;
		for (int i = 0; i < 40; i++) {
			const double center[3] = {Random_Range(&random, -14, 14), Random_Range(&random, -8, 18),
			                          Random_Range(&random, -14, 14)};
			ck_assert_int_eq(screeTerrain_Dig(w, center, Random_Range(&random, 2.0, 7.0), 20.0), SCREE_OK);
			screeTerrain_Tally(w, removed, added);
			for (int m = 0; m < 256; m++)
				before[m] += added[m] - removed[m];
			ck_assert_int_eq(screeWorld_Step(w, 1.0 / 60.0, 3), SCREE_OK);
			double after[256];
			Matter(w, after);
			for (int m = 0; m < 256; m++)
				REQUIRE(after[m] > before[m] - 1e-6 && after[m] < before[m] + 1e-6,
				        "seed %d, edit %d: %g of %d, not %g", k, i, after[m], m, before[m]);
			pieces += screeWorld_Assemblies(w, NULL, 0);
		}
		REQUIRE(pieces > 0, "seed %d: nothing came off", k);
		ck_assert(screeWorld_Destroy(w) == 0.0);
	}
}
END_TEST

/* A checkerboard of 4,000 pieces in one step. */
START_TEST(many_at_once)
{
	FailingMemory f;
	ScreeWorld *w = MakeWorld(&f);
	double before[256];
	ScreeStats stats;
	Fill(w, 0, -40, 0, 40, 2, 40, ROCK);
	TurnOn(w, 0, 0);
	ck_assert_int_eq(StepOnce(w), SCREE_OK);
	for (int i = 0; i < 20 * 20 * 20; i++) {
		int x = i % 20, z = i / 20 % 20, y = i / 400;
		if ((x + y + z) % 2)
			ck_assert_int_eq(screeTerrain_Set(w, x, y, z, ROCK, 255, 0), SCREE_OK);
	}
	Matter(w, before);
	ck_assert_int_eq(StepOnce(w), SCREE_OK);
	CheckMatter(w, before, "checkerboard", 0);
	ck_assert_int_eq(screeWorld_Stats(w, &stats), SCREE_OK);
	ck_assert_int_eq(stats.assemblies, 4000);
	ck_assert(screeWorld_Destroy(w) == 0.0);
}
END_TEST

Suite *suite_detach(void)
{
	Suite *suite = suite_create("detach");
	TCase *tests = tcase_create("detach");
	tcase_add_test(tests, failed_allocations);
	tcase_add_test(tests, nothing_is_lost);
	tcase_add_test(tests, many_at_once);
	suite_add_tcase(suite, tests);
	return suite;
}
