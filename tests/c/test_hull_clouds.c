/* Convex hulls of random and near-degenerate clouds of points, against a brute-force twin. */
#include "hull_points.h"

#include <stdio.h>

/* Volume and number of hull triangles by trying every triple: for points in general position. */
static double BruteVolume(int *triangles)
{
	double volume = 0.0;
	*triangles = 0;
	for (int a = 0; a < point_count; a++)
		for (int b = a + 1; b < point_count; b++)
			for (int c = b + 1; c < point_count; c++) {
				Vec3D n = CrossD(SubD(Point(b), Point(a)), SubD(Point(c), Point(a)));
				int above = 0, below = 0;
				for (int i = 0; i < point_count && !(above && below); i++) {
					double d = i == a || i == b || i == c ? 0.0 : DotD(n, SubD(Point(i), Point(a)));
					above += d > 0.0;
					below += d < 0.0;
				}
				if (above && below)
					continue;
				++*triangles;
				volume += DotD(Point(a), n) / (above ? -6.0 : 6.0);
			}
	return volume;
}

START_TEST(test_brute_force)
{
	uint64_t seed = 300 + (uint64_t)_i;
	Random r = {seed};
	for (int k = 0; k < 30; k++) {
		int n = 4 + Random_Below(&r, 20), triangles;
		point_count = 0;
		for (int i = 0; i < n; i++) {
			Vec3D u = RandomUnit(&r);
			u = ScaleD(_i == 0 ? 1.0 : Random_Range(&r, 0.3, 1.0), u);
			Put((float)(u.x + 0.3), (float)(2.0 * u.y), (float)u.z);
		}
		double volume = BruteVolume(&triangles);
		if (volume < 0.05)
			continue;
		Hull *hull = Build("cloud", NULL);
		REQUIRE(fabs((double)hull->volume - volume) < 1e-4, "seed %llu cloud %d of %d: volume %g, brute force %g",
		        (unsigned long long)seed, k, n, hull->volume, volume);
		REQUIRE(hull->face_count == triangles, "seed %llu cloud %d of %d: %d faces, brute force %d",
		        (unsigned long long)seed, k, n, hull->face_count, triangles);
		Hull_Destroy(&memory, hull);
	}
}
END_TEST

START_TEST(test_clouds)
{
	for (int k = 0; k < 25; k++) {
		uint64_t seed = 5000 + 100 * (uint64_t)_i + (uint64_t)k;
		char what[80];
		float deviation;
		Random r = {seed};
		int n = 8 + Random_Below(&r, k < 15 ? 100 : 1500);
		snprintf(what, sizeof(what), "seed %llu, cloud %d of %d points", (unsigned long long)seed, _i, n);
		point_count = 0;
		PutCloud(&r, _i, n);
		if (k % 3 == 0)
			TurnPoints(RandomTurn(&r), (Vec3D){1.0, -2.0, 0.5});
		Hull *hull = Build(what, &deviation);
		double extent = 2.0 * (double)hull->outer_radius;
		if (hull->vertex_count < HULL_VERTEX_LIMIT)
			REQUIRE(deviation <= 1e-5 * extent, "%s: deviation %g at %d vertices", what, deviation, hull->vertex_count);
		else
			REQUIRE(deviation <= 0.05 * extent, "%s: deviation %g", what, deviation);
		Hull_Destroy(&memory, hull);
	}
}
END_TEST

/* Flat to within a little more than the limit, in directions that no first look at the extent shows: either refused as
 * flat or built, and what is built is as thick as promised along every face. */
START_TEST(test_slivers)
{
	Random r = {81};
	int built = 0, refused = 0;
	for (int k = 0; k < 400; k++) {
		Error error = {0};
		Vec3D a = RandomUnit(&r), b = RandomUnit(&r), c = RandomUnit(&r);
		c = ScaleD(Random_Range(&r, 0.5e-4, 4e-4), c);
		int n = 4 + Random_Below(&r, 4);
		point_count = 0;
		for (int i = 0; i < n; i++) {
			Vec3D p = ScaleD(Random_Range(&r, -1, 1), a);
			p = MulAddD(p, Random_Range(&r, -1, 1), b);
			p = MulAddD(p, Random_Range(&r, -1, 1), c);
			Put(p.x, p.y, p.z);
		}
		Hull *hull = Hull_Create(&memory, points, n, NULL, &error);
		REQUIRE(hull || strstr(error.text, "flat") || strstr(error.text, "line"), "seed 81 sliver %d: %s", k,
		        error.text);
		built += hull != NULL;
		refused += hull == NULL;
		if (!hull)
			continue;
		char why[200];
		Vec3 size = Sub(hull->bounds.hi, hull->bounds.lo);
		double extent = (double)Max(size.x, Max(size.y, size.z));
		REQUIRE(Hull_Validate(hull, why, sizeof(why)), "seed 81 sliver %d: %s", k, why);
		for (int f = 0; f < hull->face_count; f++) {
			double deepest = 0.0;
			for (int i = 0; i < hull->vertex_count; i++)
				deepest = MaxD(deepest, -Hull_PlaneDistance(hull, f, ToD(hull->vertices[i])));
			REQUIRE(deepest >= 0.999e-4 * extent, "seed 81 sliver %d: %g thick under face %d", k, deepest, f);
		}
		Hull_Destroy(&memory, hull);
	}
	ck_assert_msg(built > 50 && refused > 50, "%d built, %d refused", built, refused);
}
END_TEST

/* The way for points that defeat qhull's merging: joggled triangles, slivers among them, give the same faces; so does a
 * tolerance of nothing, but for faces that rounding has bent. */
START_TEST(test_joggled)
{
	Random r = {82};
	static HullMerge merge;
	QhullFacets facets = {0};
	for (int k = 0; k < 60; k++) {
		Vec3D corners[100];
		int x = 1 + Random_Below(&r, 3), y = 1 + Random_Below(&r, 3), z = 1 + Random_Below(&r, 3), n = 0;
		double turn = k & 1 ? 0.3 : 0.0;
		for (int i = 0; i < (x + 1) * (y + 1) * (z + 1); i++) { /* a block of lattice points */
			int row = i / (x + 1), layer = row / (y + 1);
			double u = 0.2 * (i % (x + 1)), v = 0.2 * (row % (y + 1)), w = 0.2 * layer;
			corners[n++] = (Vec3D){u + turn * v, v - turn * u, w};
		}
		Error error = {0};
		ck_assert_msg(Qhull_Run(&memory, &corners->x, n, true, &facets, &error) == ERROR_NONE, "%s", error.text);
		ck_assert_int_gt(facets.first.count - 1, 11);
		ck_assert_msg(HullMerge_Load(&merge, &facets, corners, n), "block %d: not closed", k);
		ck_assert_msg(HullMerge_Run(&merge, Cpu_Simd(), corners, n, 1e-6), "block %d: not convex", k);
		ck_assert_int_eq(merge.faces.face_count, 6);
		ck_assert_int_eq(merge.faces.first[6], 24);
		ck_assert_msg(Qhull_Run(&memory, &corners->x, n, false, &facets, &error) == ERROR_NONE, "%s", error.text);
		ck_assert(HullMerge_Load(&merge, &facets, corners, n));
		int before = merge.facets.face_count;
		ck_assert_msg(HullMerge_Run(&merge, false, corners, n, 0.0), "block %d: not convex as it is", k);
		ck_assert_int_eq(merge.faces.face_count, before);
		ck_assert_msg(!HullMerge_Run(&merge, Cpu_Simd(), corners, n, 10.0), "block %d: all in one plane", k);
	}
	facets.index.data[0] = facets.index.data[1]; /* no closed surface any more */
	ck_assert(!HullMerge_Load(&merge, &facets, (Vec3D[100]){{0}}, 100));
	QhullFacets_Free(&facets, &memory);
}
END_TEST

/* 1,000 points of a sphere do not fit: the hull is simplified evenly, and says by how much. */
START_TEST(test_simplified)
{
	Random r = {31};
	float deviation;
	for (int i = 0; i < 1000; i++) {
		Vec3D u = RandomUnit(&r);
		Put(u.x, u.y, u.z);
	}
	Hull *hull = Build("sphere", &deviation);
	ck_assert_int_eq(hull->vertex_count, HULL_VERTEX_LIMIT);
	ck_assert_msg(deviation > 0.01f && deviation < 0.05f, "deviation %g", deviation);
	ck_assert_msg(hull->volume > 0.92 * 4.0 / 3.0 * PI, "volume %g", hull->volume);
	double farthest = 0.0; /* the deviation is that of some point, not just a bound: by planes, at least half of it */
	for (int i = 0; i < point_count; i++)
		for (int f = 0; f < hull->face_count; f++)
			farthest = MaxD(farthest, Hull_PlaneDistance(hull, f, Point(i)));
	ck_assert_msg(deviation >= farthest && deviation < 2.0 * farthest, "deviation %g, planes %g", deviation, farthest);
	Hull_Destroy(&memory, hull);
	point_count = 0;
	PutPrism(1000, 1.0, 0.5);
	hull = Build("prism of 1,000 sides", &deviation);
	ck_assert_int_le(hull->vertex_count, HULL_VERTEX_LIMIT);
	ck_assert_msg(deviation < 0.01f, "deviation %g", deviation);
	Hull_Destroy(&memory, hull);
	point_count = 0; /* corners that matter are kept, whatever crowd there is elsewhere */
	for (int i = 0; i < 2000; i++) {
		Vec3D u = RandomUnit(&r);
		Put(u.x, u.y, u.z);
	}
	PutBox(2.0, 1.5, 1.0);
	hull = Build("sphere in a box", &deviation);
	ck_assert_int_le(hull->vertex_count, 8);
	ck_assert_msg(deviation < 1e-6f, "deviation %g", deviation);
	Hull_Destroy(&memory, hull);
}
END_TEST

Suite *suite_hull_clouds(void);
Suite *suite_hull_clouds(void)
{
	Suite *suite = suite_create("hull_clouds");
	TCase *tcase = tcase_create("hull_clouds");
	tcase_add_checked_fixture(tcase, Setup, Teardown);
	tcase_set_timeout(tcase, 120);
	tcase_add_loop_test(tcase, test_brute_force, 0, 2);
	tcase_add_loop_test(tcase, test_clouds, 0, CLOUD_KINDS);
	tcase_add_test(tcase, test_slivers);
	tcase_add_test(tcase, test_joggled);
	tcase_add_test(tcase, test_simplified);
	suite_add_tcase(suite, tcase);
	return suite;
}
