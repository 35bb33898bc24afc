/* Hulls of lattice points: they hold all points, are convex, and as large as qhull's; the fast form and the plain one
 * agree, and so do heights in double and in whole numbers. */
#include "require.h"
#include "shape/lattice_internal.h"
#include "test_scale.h"

#include <check.h>
#include <stdlib.h>

#define POINTS 300
#define LOG(seed) ((unsigned long long)(seed))

Suite *suite_lattice_hull(void);

static Memory heap;

/* From clouds to few points on a grid, of which many lie in one plane or in one place. */
static int RandomPoints(Random *random, Cell points[POINTS])
{
	static const int grids[] = {1, 64, 2048, 4096};
	int grid = grids[Random_Below(random, COUNT_OF(grids))], side = 14000 / grid;
	int count = 4 + Random_Below(random, Random_Below(random, 2) ? 20 : POINTS - 4);
	bool ball = Random_Below(random, 2);
	for (int i = 0; i < count; i++) {
		double p[3], square = 0.0;
		for (int a = 0; a < 3; a++) {
			p[a] = Random_Range(random, -1.0, 1.0);
			square += p[a] * p[a];
		}
		double far = ball ? side / sqrt(square) : side;
		points[i] = (Cell){grid * FloorToInt(p[0] * far), grid * FloorToInt(p[1] * far), grid * FloorToInt(p[2] * far)};
	}
	return count;
}

static int Build(LatticeHull *hull, bool simd, const Cell *points, int count, double slack)
{
	hull->simd = simd;
	return LatticeHull_Build(hull, points, count, slack);
}

static void CheckSame(LatticeHull *a, LatticeHull *b, int scale, const char *what, uint64_t seed)
{
	int count = LatticeHull_CornerCount(a);
	REQUIRE(count == LatticeHull_CornerCount(b), "seed %llu, %s: %d corners, and %d", LOG(seed), what, count,
	        LatticeHull_CornerCount(b));
	for (int i = 0; i < count; i++) {
		Cell p = LatticeHull_Corner(a, i), q = LatticeHull_Corner(b, i);
		REQUIRE(p.x * scale == q.x && p.y * scale == q.y && p.z * scale == q.z, "seed %llu, %s: corner %d", LOG(seed),
		        what, i);
	}
}

START_TEST(forms_agree)
{
	LatticeHull *plain = LatticeHull_Create(&heap), *fast = LatticeHull_Create(&heap);
	LatticeHull *wide = LatticeHull_Create(&heap);
	int made = 0;
	for (uint64_t seed = 1; seed <= (uint64_t)LESS(400); seed++) {
		static const double slacks[] = {0.0, 50.0, 700.0};
		Random random = {seed};
		Cell points[POINTS], far[POINTS];
		int count = RandomPoints(&random, points);
		double slack = slacks[seed % 3];
		for (int i = 0; i < count; i++)
			far[i] = (Cell){8 * points[i].x, 8 * points[i].y, 8 * points[i].z};
		int built = Build(plain, false, points, count, slack);
		ck_assert_int_eq(Build(fast, Cpu_Simd(), points, count, slack), built);
		ck_assert_int_eq(Build(wide, Cpu_Simd(), far, count, 8.0 * slack), built);
		if (built != 1)
			continue;
		made++;
		CheckSame(plain, fast, 1, "plain and fast", seed);
		CheckSame(plain, wide, 8, "near and far", seed);
		for (int i = 0; i < 40; i++) {
			Cell p = {Random_Below(&random, 30000) - 15000, Random_Below(&random, 30000) - 15000,
			          Random_Below(&random, 30000) - 15000};
			double depth = Random_Range(&random, -3000.0, 3000.0);
			REQUIRE(LatticeHull_AnyDeep(plain, &p, 1, depth) == LatticeHull_AnyDeep(fast, &p, 1, depth),
			        "seed %llu: a point's depth", LOG(seed));
			REQUIRE(LatticeHull_AnyOutside(plain, &p, 1, depth) == LatticeHull_AnyOutside(fast, &p, 1, depth),
			        "seed %llu: how far a point is outside", LOG(seed));
		}
	}
	ck_assert_int_gt(made, LESS(400) / 3);
	LatticeHull_Destroy(plain);
	LatticeHull_Destroy(fast);
	LatticeHull_Destroy(wide);
	ck_assert_uint_eq((uint64_t)heap.bytes, 0);
}
END_TEST

/* As a brute force would have it: no point is outside, and the volume is that of qhull's hull. */
START_TEST(as_other_hulls)
{
	LatticeHull *hull = LatticeHull_Create(&heap);
	int compared = 0;
	for (uint64_t seed = 1; seed <= (uint64_t)LESS(200); seed++) {
		Random random = {seed + 5000};
		Cell points[POINTS];
		double metres[3 * POINTS];
		int count = RandomPoints(&random, points);
		for (int i = 0; i < count; i++) {
			metres[3 * i] = points[i].x / 4096.0;
			metres[3 * i + 1] = points[i].y / 4096.0;
			metres[3 * i + 2] = points[i].z / 4096.0;
		}
		if (Build(hull, seed % 2 && Cpu_Simd(), points, count, 0.0) != 1)
			continue;
		REQUIRE(!LatticeHull_AnyOutside(hull, points, count, 1e-6), "seed %llu: a point is outside", LOG(seed));
		REQUIRE(!LatticeHull_AnyDeep(hull, hull->points + hull->corners.data[0], 1, 1e-6),
		        "seed %llu: a corner is deep", LOG(seed));
		Error error = {0};
		Hull *made = LatticeHull_Make(hull, &heap, 1.0 / 4096.0, &error);
		Hull *other = Hull_Create(&heap, metres, count, NULL, &error);
		char why[200] = "";
		if (made && other) {
			compared++;
			REQUIRE(Hull_Validate(made, why, sizeof why), "seed %llu: %s", LOG(seed), why);
			REQUIRE(AbsD((double)made->volume - (double)other->volume) <= 1e-3 * (double)other->volume,
			        "seed %llu: %g m3, qhull's has %g", LOG(seed), (double)made->volume, (double)other->volume);
		}
		Hull_Destroy(&heap, made);
		Hull_Destroy(&heap, other);
	}
	ck_assert_int_gt(compared, LESS(200) / 4);
	LatticeHull_Destroy(hull);
	ck_assert_uint_eq((uint64_t)heap.bytes, 0);
}
END_TEST

static void Setup(void)
{
	Memory_Init(&heap, NULL, NULL);
}

Suite *suite_lattice_hull(void)
{
	Suite *suite = suite_create("lattice_hull");
	TCase *tests = tcase_create("lattice_hull");
	tcase_add_checked_fixture(tests, Setup, NULL);
	tcase_add_test(tests, forms_agree);
	tcase_add_test(tests, as_other_hulls);
	suite_add_tcase(suite, tests);
	return suite;
}
