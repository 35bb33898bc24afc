/* Convex hulls: known solids, degenerate points, limits, the same bits every time, failing memory, silence. */
#include "hull_points.h"

#include <stdio.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

/* ---- known solids --------------------------------------------------------------------------------------------- */

START_TEST(test_cube_five_times)
{
	for (int k = 0; k < 5; k++)
		PutBox(1, 1, 1);
	CheckCounts("cube, corners five times", 8, 6, 8.0, 1e-4);
}
END_TEST

START_TEST(test_house)
{
	const double p[9][3] = {{-1, -1, -2}, {1, -1, -2}, {-1, 1, -2}, {1, 1, -2}, {-1, -1, 1},
	                        {1, -1, 1},   {-1, 1, 1},  {1, 1, 1},   {0, 0, 2}};
	for (int i = 0; i < 9; i++)
		Put(p[i][0], p[i][1], p[i][2]);
	CheckCounts("nine points", 9, 9, 12.0 + 4.0 / 3.0, 1e-3);
}
END_TEST

START_TEST(test_grid)
{
	for (int x = 0; x <= 8; x++)
		for (int y = 0; y <= 8; y++)
			for (int z = 0; z <= 8; z++)
				Put(0.25 * x, 0.25 * y - 1.0, 0.25 * z + 3.0);
	CheckCounts("grid of 9 x 9 x 9", 8, 6, 8.0, 1e-5);
}
END_TEST

START_TEST(test_solids)
{
	Put(0, 0, 0);
	Put(1, 0, 0);
	Put(0, 1, 0);
	Put(0, 0, 1);
	CheckCounts("tetrahedron", 4, 4, 1.0 / 6.0, 1e-7);
	point_count = 0;
	for (int i = 0; i < 6; i++)
		Put(i / 2 == 0 ? 1 - 2 * (i & 1) : 0, i / 2 == 1 ? 1 - 2 * (i & 1) : 0, i / 2 == 2 ? 1 - 2 * (i & 1) : 0);
	CheckCounts("octahedron", 6, 8, 4.0 / 3.0, 1e-6);
	point_count = 0;
	double g = (1.0 + sqrt(5.0)) / 2.0;
	for (int i = 0; i < 12; i++) {
		double a = i & 1 ? 1 : -1, b = i & 2 ? g : -g;
		Put(i < 4 ? 0 : i < 8 ? b : a, i < 4 ? a : i < 8 ? 0 : b, i < 4 ? b : i < 8 ? a : 0);
	}
	CheckCounts("icosahedron", 12, 20, 8.0 * 5.0 * (3.0 + sqrt(5.0)) / 12.0, 2e-5);
	point_count = 0;
	PutBox(1, 1, 1);
	for (int i = 0; i < 12; i++) {
		double a = i & 1 ? 1 / g : -1 / g, b = i & 2 ? g : -g;
		Put(i < 4 ? 0 : i < 8 ? b : a, i < 4 ? a : i < 8 ? 0 : b, i < 4 ? b : i < 8 ? a : 0);
	}
	double edge = sqrt(5.0) - 1.0;
	CheckCounts("dodecahedron", 20, 12, (15.0 + 7.0 * sqrt(5.0)) / 4.0 * edge * edge * edge, 2e-5);
	for (int sides = 3; sides <= 64; sides++) {
		char what[40];
		snprintf(what, sizeof(what), "prism of %d sides", sides);
		point_count = 0;
		PutPrism(sides, 2.0, 0.5);
		CheckCounts(what, 2 * sides, sides + 2, 0.5 * sides * 4.0 * sin(2.0 * PI / sides), 2e-5);
	}
}
END_TEST

/* Faces stay whole although turning and rounding to float have bent them a little, far from the origin too. */
START_TEST(test_turned_boxes)
{
	Random r = {21};
	for (int i = 0; i < 200; i++) {
		char what[60];
		double far = i % 4 == 0 ? 0.0 : i % 4 == 1 ? 3.0 : i % 4 == 2 ? 100.0 : 300.0;
		double hx = Random_Range(&r, 0.2, 1), hy = Random_Range(&r, 0.2, 1), hz = Random_Range(&r, 0.2, 1);
		point_count = 0;
		PutBox(hx, hy, hz);
		if (i & 1) /* points on edges and faces, which are no corners */
			for (int k = 0; k < 60; k++) {
				double x = Random_Range(&r, -hx, hx), y = Random_Range(&r, -hy, hy); /* in a fixed order */
				Put(k % 3 == 0 ? hx : x, k % 3 != 0 ? -hy : y, k % 3 == 1 ? hz : Random_Range(&r, -hz, hz));
			}
		Quat turn = RandomTurn(&r);
		TurnPoints(turn, ScaleD(far, RandomUnit(&r)));
		snprintf(what, sizeof(what), "seed 21, turned box %d, %g m off", i, far);
		CheckCounts(what, 8, 6, 8.0 * hx * hy * hz, 1e-5 + 2e-6 * far);
	}
}
END_TEST

/* The same shape at any size: from a tenth of a millimetre to a hundred kilometres. */
START_TEST(test_sizes)
{
	for (double size = 1e-4; size < 2e5; size *= 10.0) {
		char what[40];
		point_count = 0;
		PutPrism(7, size, 0.3 * size);
		snprintf(what, sizeof(what), "prism of size %g", size);
		double volume = 0.5 * 7 * sin(2.0 * PI / 7) * 0.6 * size * size * size;
		CheckCounts(what, 14, 9, volume, 1e-5 * volume);
	}
}
END_TEST

START_TEST(test_box_and_wedge)
{
	char why[200];
	Vec3 half = V3(0.5f, 1.25f, 2.0f);
	Hull *box = Hull_CreateBox(&memory, half);
	ck_assert_msg(Hull_Validate(box, why, sizeof(why)), "%s", why);
	ck_assert(box->vertex_count == 8 && box->face_count == 6 && box->edge_count == 12 && box->index_count == 24);
	ck_assert(box->volume == 10.0f && box->inner_radius == 0.5f);
	ck_assert(box->bounds.lo.x == -half.x && box->bounds.hi.z == half.z);
	for (int f = 0; f < 6; f++) {
		Vec3 n = AbsV(box->normals[f]);
		ck_assert(n.x + n.y + n.z == 1.0f && box->offsets[f] == Dot(n, half));
	}
	PutBox((double)half.x, (double)half.y, (double)half.z);
	Hull *built = Build("box", NULL);
	ck_assert_int_eq(built->bytes, box->bytes);
	ck_assert(built->volume == box->volume && built->inner_radius == box->inner_radius);
	ck_assert(memcmp(built->edges, box->edges, 12 * sizeof(HullEdge)) == 0 || built->edge_count == 12);
	Hull *wedge = Hull_CreateWedge(&memory, half);
	ck_assert_msg(Hull_Validate(wedge, why, sizeof(why)), "%s", why);
	ck_assert(wedge->vertex_count == 6 && wedge->face_count == 5 && wedge->edge_count == 9);
	ck_assert(wedge->volume == 5.0f);
	Vec3 top = V3(0, half.y, half.z), low = V3(0, 0.01f - half.y, 0.1f - half.z);
	for (int f = 0; f < 5; f++) {
		ck_assert(Hull_PlaneDistance(wedge, f, ToD(top)) <= 1e-7);
		ck_assert(Hull_PlaneDistance(wedge, f, ToD(low)) <= 0.0);
	}
	Hull *plate = Hull_CreateBox(&memory, V3(100.0f, 0.001f, 100.0f)); /* flatter than Hull_Create takes */
	ck_assert_msg(Hull_Validate(plate, why, sizeof(why)), "%s", why);
	Hull_Destroy(&memory, plate);
	Hull_Destroy(&memory, box);
	Hull_Destroy(&memory, built);
	Hull_Destroy(&memory, wedge);
	Hull_Destroy(&memory, NULL);
}
END_TEST

/* ---- bad input ------------------------------------------------------------------------------------------------ */

static void CheckRefused(const char *what, ErrorCode code, const char *word, const char *value)
{
	Error error = {0};
	float deviation = -7.0f;
	Hull *hull = Hull_Create(&memory, points, point_count, &deviation, &error);
	REQUIRE(!hull && error.code == code, "%s: hull %p, code %d, text %s", what, (void *)hull, error.code, error.text);
	REQUIRE(strstr(error.text, word) && strstr(error.text, value), "%s: text \"%s\" lacks \"%s\" or \"%s\"", what,
	        error.text, word, value);
	REQUIRE(deviation == -7.0f, "%s: deviation written", what);
	REQUIRE(!Hull_Create(&memory, points, point_count, NULL, NULL), "%s: built without an error to fill", what);
	REQUIRE(memory.bytes == 0, "%s: %zu bytes left", what, (size_t)memory.bytes);
	point_count = 0;
}

START_TEST(test_refused)
{
	Random r = {4};
	CheckRefused("no points", ERROR_ARGUMENT, "at least 4", "0");
	for (int i = 0; i < 3; i++)
		Put(i, i * i, 1);
	CheckRefused("three points", ERROR_ARGUMENT, "at least 4", "3");
	for (int i = 0; i < 10; i++)
		Put(1, 2, 3);
	CheckRefused("one point ten times", ERROR_ARGUMENT, "within", "1e-05");
	for (int i = 0; i < 10; i++)
		Put(i, 2 * i, 3 * i);
	CheckRefused("a line", ERROR_ARGUMENT, "line", "27 m");
	for (int i = 0; i < 10; i++)
		Put(i & 1, 2, 3);
	CheckRefused("two points", ERROR_ARGUMENT, "line", "1 m");
	for (int i = 0; i < 4; i++)
		Put(i & 1, 2, i & 2);
	CheckRefused("four in a plane", ERROR_ARGUMENT, "flat", "2 m");
	for (int i = 0; i < 300; i++) {
		int column = i % 20, row = i / 20;
		Put(1.0 + column, 2.0 - 3 * column + row, 0.5 * row);
	}
	CheckRefused("a tilted plane of 300", ERROR_ARGUMENT, "flat", "71 m");
	for (int i = 0; i < 500; i++) {
		double a = Random_Range(&r, 0, 2 * PI), d = sqrt(Random_Unit(&r));
		Put(d * cos(a), i & 1 ? 5e-7 : -5e-7, d * sin(a));
	}
	CheckRefused("a disc 1e-6 thick", ERROR_ARGUMENT, "flat", "e-06 m thick");
	for (int i = 0; i < 3; i++)
		PutBox(1, 1, 1);
	points[3 * 13 + 1] = (double)NAN;
	CheckRefused("NaN", ERROR_ARGUMENT, "point 13 is not finite", "nan");
	PutBox(1, 1, 1);
	points[0] = -(double)INFINITY;
	CheckRefused("infinity", ERROR_ARGUMENT, "point 0 is not finite", "-inf");
	PutBox(1, 1, 1);
	points[3 * 7 + 2] = 1e300;
	CheckRefused("far", ERROR_ARGUMENT, "point 7", "1e+300");
	PutBox(1e-7, 1e-7, 1e-7);
	CheckRefused("too small", ERROR_ARGUMENT, "within", "1e-05");
	PutBox(1, 1, 1);
	TurnPoints(QuatIdentity(), (Vec3D){0, 0, 1e5});
	CheckRefused("small and far off", ERROR_ARGUMENT, "origin", "100001");
	Error error = {0};
	ck_assert(!Hull_Create(&memory, points, -5, NULL, &error));
	ck_assert_msg(error.code == ERROR_ARGUMENT && strstr(error.text, "-5"), "%s", error.text);
	ck_assert(!Hull_Create(&memory, points, HULL_POINT_LIMIT + 1, NULL, &error));
	ck_assert_msg(error.code == ERROR_LIMIT && strstr(error.text, "4194305"), "%s", error.text);
}
END_TEST

/* Just over and just under the limit of flatness. */
START_TEST(test_flat_limit)
{
	Random r = {8};
	for (int i = 0; i < 60; i++) {
		char what[60];
		double thick = i & 1 ? 0.7e-4 : 1.6e-4;
		Quat q = RandomTurn(&r);
		point_count = 0;
		for (int k = 0; k < 40; k++) {
			double x = Random_Range(&r, 0, 1), z = Random_Range(&r, 0, 1);
			Put(k & 4 ? 1 : x, k & 1 ? thick : 0.0, k & 2 ? z : 0);
		}
		PutBox(0.5, 0.5, 0.5);
		for (int k = 40; k < 48; k++) { /* the whole square, so that the extent is known */
			points[3 * k] += 0.5;
			points[3 * k + 1] = k & 2 ? thick : 0.0;
			points[3 * k + 2] += 0.5;
		}
		if (i >= 20)
			TurnPoints(q, (Vec3D){0, 0, 0});
		snprintf(what, sizeof(what), "seed 8, slab %d of %g", i, thick);
		if (i & 1)
			CheckRefused(what, ERROR_ARGUMENT, "flat", "across");
		else
			Hull_Destroy(&memory, Build(what, NULL));
	}
}
END_TEST

/* ---- determinism ---------------------------------------------------------------------------------------------- */

static bool SameBits(const void *a, const void *b, size_t count, size_t size)
{
	return memcmp(a, b, count * size) == 0;
}

static bool SameHull(const Hull *a, const Hull *b)
{
	size_t v = (size_t)a->vertex_count, f = (size_t)a->face_count;
	return a->bytes == b->bytes && a->vertex_count == b->vertex_count && a->face_count == b->face_count &&
	       a->index_count == b->index_count && SameBits(a->vertices, b->vertices, v, sizeof(Vec3)) &&
	       SameBits(a->normals, b->normals, f, sizeof(Vec3)) && SameBits(a->offsets, b->offsets, f, sizeof(float)) &&
	       SameBits(a->face_first, b->face_first, f + 1, sizeof(uint16_t)) &&
	       SameBits(a->face_index, b->face_index, (size_t)a->index_count, 1) &&
	       SameBits(a->edges, b->edges, (size_t)a->edge_count, sizeof(HullEdge)) && a->volume == b->volume &&
	       SameBits(&a->center, &b->center, 1, sizeof(Vec3)) && SameBits(&a->inertia, &b->inertia, 1, sizeof(Mat3)) &&
	       a->inner_radius == b->inner_radius && a->outer_radius == b->outer_radius;
}

/* The same points give the same bytes however the heap lies (qhull hashes addresses). */
START_TEST(test_determinism)
{
	static void *noise[200];
	Random r = {61};
	for (int k = 0; k < 40; k++) {
		point_count = 0;
		PutCloud(&r, k % CLOUD_KINDS, 30 + 20 * k);
		Hull *first = Build("first", NULL);
		for (int i = 0; i < COUNT_OF(noise); i++)
			noise[i] = malloc((size_t)(1 + Random_Below(&r, 5000)));
		for (int i = 0; i < COUNT_OF(noise); i += 2)
			free(noise[i]);
		Hull *second = Build("second", NULL);
		ck_assert_msg(SameHull(first, second), "seed 61 cloud %d", k);
		for (int i = 1; i < COUNT_OF(noise); i += 2)
			free(noise[i]);
		Hull_Destroy(&memory, first);
		Hull_Destroy(&memory, second);
	}
}
END_TEST

/* Another order of the same points gives the same solid. */
START_TEST(test_shuffled)
{
	Random r = {62};
	for (int k = 0; k < 30; k++) {
		point_count = 0;
		PutCloud(&r, k % 4, 60);
		Hull *first = Build("first", NULL);
		for (int i = point_count - 1; i > 0; i--) {
			int j = Random_Below(&r, i + 1);
			for (int axis = 0; axis < 3; axis++) {
				double swap = points[3 * i + axis];
				points[3 * i + axis] = points[3 * j + axis];
				points[3 * j + axis] = swap;
			}
		}
		Hull *second = Build("second", NULL);
		ck_assert_msg(first->vertex_count == second->vertex_count && first->face_count == second->face_count &&
		                  fabs((double)(first->volume - second->volume)) < 1e-5,
		              "seed 62 cloud %d: %d/%d vertices, %d/%d faces", k, first->vertex_count, second->vertex_count,
		              first->face_count, second->face_count);
		Hull_Destroy(&memory, first);
		Hull_Destroy(&memory, second);
	}
}
END_TEST

/* ---- memory and silence --------------------------------------------------------------------------------------- */

START_TEST(test_failing_memory)
{
	Random r = {71};
	point_count = 0;
	PutCloud(&r, 1, 300);
	bool built = false;
	for (long n = 0; !built && n < 500; n++) {
		FailingMemory f;
		Error error = {0};
		FailingMemory_Init(&f, n);
		Hull *hull = Hull_Create(&f.memory, points, point_count, NULL, &error);
		REQUIRE((hull != NULL) == !f.failed, "allocation %ld: hull %p", n, (void *)hull);
		REQUIRE(hull || error.code == ERROR_MEMORY, "allocation %ld: %d %s", n, error.code, error.text);
		built = hull != NULL;
		Hull_Destroy(&f.memory, hull);
		REQUIRE(f.memory.bytes == 0 && f.memory.blocks == 0, "allocation %ld: %zu bytes left", n,
		        (size_t)f.memory.bytes);
		FailingMemory_Init(&f, n > 0);
		hull = Hull_CreateBox(&f.memory, V3(1, 1, 1));
		Hull *wedge = Hull_CreateWedge(&f.memory, V3(1, 1, 1));
		REQUIRE((hull != NULL) == (n > 0) && !wedge, "box %p wedge %p", (void *)hull, (void *)wedge);
		Hull_Destroy(&f.memory, hull);
	}
	ck_assert(built);
}
END_TEST

static size_t HeapInUse(void)
{
#ifdef __GLIBC__
	return mallinfo2().uordblks;
#else
	return 0;
#endif
}

/* Points that qhull itself refuses: its error comes back as ours, with its words. */
static void RunQhullOnFlat(void)
{
	QhullFacets facets = {0};
	Error error = {0};
	const double flat[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0.5, 0.25, 0};
	int code = Qhull_Run(&memory, flat, 5, false, &facets, &error);
	REQUIRE(code == ERROR_ARGUMENT && error.code == code && strstr(error.text, "QH"), "code %d: %s", code, error.text);
	code = Qhull_Run(&memory, flat, 2, true, &facets, &error);
	REQUIRE(code == ERROR_ARGUMENT && strstr(error.text, "QH"), "code %d: %s", code, error.text);
	QhullFacets_Free(&facets, &memory);
}

/* qhull's heap is not ours to count, so the C heap itself is looked at (where there is no sanitizer to do so). The same
 * work over and over needs no more of it, but for what malloc keeps at hand. */
START_TEST(test_no_leak)
{
	size_t before = 0;
	for (int k = 0; k < 240; k++) {
		Random r = {72 + (uint64_t)(k % 40)};
		if (k == 80)
			before = HeapInUse();
		point_count = 0;
		PutCloud(&r, k % CLOUD_KINDS, 50);
		Hull_Destroy(&memory, Build("cloud", NULL));
		RunQhullOnFlat();
	}
	ck_assert_msg(HeapInUse() <= before + 8192, "%zu bytes in use before, %zu after", before, HeapInUse());
}
END_TEST

/* Nothing may be written to the caller's streams. */
START_TEST(test_silence)
{
	FILE *file = tmpfile();
	ck_assert_ptr_nonnull(file);
	fflush(stdout);
	fflush(stderr);
	int out = dup(1), err = dup(2);
	dup2(fileno(file), 1);
	dup2(fileno(file), 2);
	Random r = {73};
	for (int k = 0; k < 40; k++) {
		point_count = 0;
		PutCloud(&r, k % CLOUD_KINDS, 200);
		Hull_Destroy(&memory, Hull_Create(&memory, points, point_count, NULL, NULL));
	}
	RunQhullOnFlat();
	fflush(stdout);
	fflush(stderr);
	dup2(out, 1);
	dup2(err, 2);
	close(out);
	close(err);
	fseek(file, 0, SEEK_END);
	long written = ftell(file);
	fclose(file);
	ck_assert_msg(written == 0, "%ld bytes written", written);
}
END_TEST

/* ---- the check itself ----------------------------------------------------------------------------------------- */

/* Copies into plain arrays that may be damaged. */
typedef struct Damaged {
	Hull hull;
	Vec3 vertices[8], normals[6];
	float offsets[6];
	uint16_t first[7];
	uint8_t index[24];
	HullEdge edges[12];
} Damaged;

static void MakeDamaged(Damaged *d)
{
	Hull *box = Hull_CreateBox(&memory, V3(1, 2, 3));
	d->hull = *box;
	memcpy(d->vertices, box->vertices, sizeof(d->vertices));
	memcpy(d->normals, box->normals, sizeof(d->normals));
	memcpy(d->offsets, box->offsets, sizeof(d->offsets));
	memcpy(d->first, box->face_first, sizeof(d->first));
	memcpy(d->index, box->face_index, sizeof(d->index));
	memcpy(d->edges, box->edges, sizeof(d->edges));
	d->hull.vertices = d->vertices;
	d->hull.normals = d->normals;
	d->hull.offsets = d->offsets;
	d->hull.face_first = d->first;
	d->hull.face_index = d->index;
	d->hull.edges = d->edges;
	Hull_Destroy(&memory, box);
}

START_TEST(test_validate)
{
	for (int k = 0; k < 11; k++) {
		Damaged d;
		char why[100] = "";
		MakeDamaged(&d);
		uint8_t corner = d.index[0];
		if (k == 1)
			d.vertices[3].x += 0.01f;
		if (k == 2)
			d.normals[2] = V3(0.5f, 0, 0);
		if (k == 3)
			d.offsets[4] -= 0.01f;
		if (k == 4)
			d.index[0] = d.index[1], d.index[1] = corner;
		if (k == 5)
			d.edges[5].left = d.edges[5].right;
		if (k == 6)
			d.hull.edge_count--;
		if (k == 7)
			d.hull.inner_radius = 1.1f;
		if (k == 8)
			d.hull.outer_radius = 3.0f;
		if (k == 9)
			d.hull.volume = 0.0f;
		if (k == 10)
			d.normals[1] = Neg(d.normals[1]), d.offsets[1] = 3.0f;
		ck_assert_msg(Hull_Validate(&d.hull, why, sizeof(why)) == (k == 0), "damage %d: %s", k, why);
		ck_assert_msg((why[0] == '\0') == (k == 0), "damage %d: %s", k, why);
		ck_assert(Hull_Validate(&d.hull, NULL, 0) == (k == 0));
	}
}
END_TEST

Suite *suite_hull(void);
Suite *suite_hull(void)
{
	Suite *suite = suite_create("hull");
	TCase *tcase = tcase_create("hull");
	tcase_add_checked_fixture(tcase, Setup, Teardown);
	tcase_set_timeout(tcase, 120);
	tcase_add_test(tcase, test_cube_five_times);
	tcase_add_test(tcase, test_house);
	tcase_add_test(tcase, test_grid);
	tcase_add_test(tcase, test_solids);
	tcase_add_test(tcase, test_turned_boxes);
	tcase_add_test(tcase, test_sizes);
	tcase_add_test(tcase, test_box_and_wedge);
	tcase_add_test(tcase, test_refused);
	tcase_add_test(tcase, test_flat_limit);
	tcase_add_test(tcase, test_determinism);
	tcase_add_test(tcase, test_shuffled);
	tcase_add_test(tcase, test_failing_memory);
	tcase_add_test(tcase, test_no_leak);
	tcase_add_test(tcase, test_silence);
	tcase_add_test(tcase, test_validate);
	suite_add_tcase(suite, tcase);
	return suite;
}
