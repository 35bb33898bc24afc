/* Meshes of triangles as shapes: what is made of them, what is refused, hard cases, real files, archives. */
#include "corpus.h"
#include "failing_memory.h"
#include "trimesh_samples.h"

/* Three corners of its own for each triangle, as STL has them. */
static Mesh SoupOf(const Mesh *mesh)
{
	Mesh soup = {0};
	for (int i = 0; i < mesh->indices.count; i++) {
		const double *p = mesh->positions.data + 3 * mesh->indices.data[i];
		Sample_Vertex(&memory, &soup, p[0], p[1], p[2]);
		if (i % 3 == 2)
			Sample_Triangle(&memory, &soup, (uint32_t)i - 2, (uint32_t)i - 1, (uint32_t)i);
	}
	return soup;
}

typedef struct EdgeCount {
	int flat, convex, concave, triangles;
} EdgeCount;

static bool CountTriangle(void *context, const Triangle *triangle)
{
	EdgeCount *count = context;
	count->triangles++;
	for (int i = 0; i < 3; i++) {
		count->flat += triangle->edge[i] == EDGE_FLAT;
		count->convex += triangle->edge[i] == EDGE_CONVEX;
		count->concave += triangle->edge[i] == EDGE_CONCAVE;
	}
	return true;
}

static EdgeCount CountEdges(const Trimesh *mesh)
{
	EdgeCount count = {0};
	Box all = {{-1e6f, -1e6f, -1e6f}, {1e6f, 1e6f, 1e6f}};
	Trimesh_Visit(mesh, QuatIdentity(), (Vec3D){0, 0, 0}, all, CountTriangle, &count);
	return count;
}

/* ---- what is made ------------------------------------------------------------------------------------------------ */

START_TEST(test_box)
{
	Mesh box = {0};
	Sample_Box(&memory, &box, LOW, HIGH);
	Mesh soup = SoupOf(&box);
	for (int k = 0; k < 2; k++) {
		Trimesh *mesh = Make(k ? &soup : &box);
		const TrimeshInfo *info = Trimesh_Info(mesh);
		ck_assert_int_eq(info->triangle_count, 12);
		ck_assert_int_eq(info->vertex_count, 8);
		ck_assert(info->closed && info->open_edges == 0 && info->dropped == 0);
		ck_assert_float_eq_tol(info->volume, 48.0f, 1e-4f);
		ck_assert(info->lo.x == -1.0 && info->lo.y == -2.0 && info->hi.z == 3.0);
		EdgeCount count = CountEdges(mesh);
		ck_assert_int_eq(count.triangles, 12);
		ck_assert_int_eq(count.flat, 12); /* the diagonals, from both sides */
		ck_assert_int_eq(count.convex, 24);
		Trimesh_Release(&memory, mesh);
	}
	/* inside out: a room */
	for (int i = 0; i < box.indices.count; i += 3) {
		uint32_t b = box.indices.data[i + 1];
		box.indices.data[i + 1] = box.indices.data[i + 2];
		box.indices.data[i + 2] = b;
	}
	Trimesh *room = Make(&box);
	ck_assert(!Trimesh_Info(room)->closed);
	ck_assert_int_eq(CountEdges(room).concave, 24);
	Trimesh_Release(&memory, room);
	Mesh_Free(&memory, &box);
	Mesh_Free(&memory, &soup);
}
END_TEST

/* Corners of soups that differ by a rounding are one; those that differ by more are not. */
START_TEST(test_welding)
{
	for (int k = 0; k < 2; k++) {
		Mesh mesh = {0};
		Random r = {3};
		double shake = k ? 1e-2 : 3e-6; /* of 100 m */
		for (int i = 0; i < 40; i++) {
			double x = 2.5 * i, s[6];
			for (int j = 0; j < 6; j++)
				s[j] = Random_Range(&r, -shake, shake);
			uint32_t a = Sample_Vertex(&memory, &mesh, x + s[0], s[1], 0);
			uint32_t b = Sample_Vertex(&memory, &mesh, x + s[2], s[3], 2);
			uint32_t c = Sample_Vertex(&memory, &mesh, x + 2.5 + s[4], s[5], i % 2 ? 0 : 2);
			Sample_Triangle(&memory, &mesh, a, b, c);
		}
		Trimesh *made = Make(&mesh);
		if (k == 0)
			ck_assert_int_le(Trimesh_Info(made)->vertex_count, 40 * 2 + 2);
		else
			ck_assert_int_eq(Trimesh_Info(made)->vertex_count, 120);
		Trimesh_Release(&memory, made);
		Mesh_Free(&memory, &mesh);
	}
}
END_TEST

/* Two squares that meet at the z axis, the second tilted down by an angle; the kind of that edge. */
static EdgeKind KindOfFold(double degrees)
{
	double c = cos(degrees * PI / 180), s = sin(degrees * PI / 180);
	Mesh mesh = {0};
	uint32_t a = Sample_Vertex(&memory, &mesh, 0, 0, 0), b = Sample_Vertex(&memory, &mesh, 0, 0, 1);
	uint32_t left = Sample_Vertex(&memory, &mesh, -1, 0, 0), right = Sample_Vertex(&memory, &mesh, c, -s, 0);
	Sample_Triangle(&memory, &mesh, left, b, a);
	Sample_Triangle(&memory, &mesh, a, b, right);
	Trimesh *made = Make(&mesh);
	EdgeCount count = CountEdges(made);
	ck_assert_int_eq(count.triangles, 2);
	ck_assert_int_eq(Trimesh_Info(made)->open_edges, degrees == 180 ? 0 : 4);
	Trimesh_Release(&memory, made);
	Mesh_Free(&memory, &mesh);
	return count.flat == 2 ? EDGE_FLAT : count.concave == 2 ? EDGE_CONCAVE : EDGE_CONVEX;
}

START_TEST(test_folds)
{
	ck_assert_int_eq(KindOfFold(0), EDGE_FLAT);
	ck_assert_int_eq(KindOfFold(4.9), EDGE_FLAT);
	ck_assert_int_eq(KindOfFold(-4.9), EDGE_FLAT);
	ck_assert_int_eq(KindOfFold(5.1), EDGE_CONVEX);
	ck_assert_int_eq(KindOfFold(-5.1), EDGE_CONCAVE);
	ck_assert_int_eq(KindOfFold(170), EDGE_CONVEX);
	ck_assert_int_eq(KindOfFold(-170), EDGE_CONCAVE);
	ck_assert_int_eq(KindOfFold(180), EDGE_CONVEX); /* back to back */
}
END_TEST

/* A sheet with a back side of its own: level where it goes on, a rim at its ends. */
START_TEST(test_two_sided_sheet)
{
	Mesh mesh = {0};
	uint32_t p[3][2];
	for (int i = 0; i < 3; i++)
		for (int j = 0; j < 2; j++)
			p[i][j] = Sample_Vertex(&memory, &mesh, i, 0, j);
	for (int i = 0; i < 2; i++) {
		Sample_Quad(&memory, &mesh, p[i][0], p[i][1], p[i + 1][1], p[i + 1][0]);
		Sample_Quad(&memory, &mesh, p[i][0], p[i + 1][0], p[i + 1][1], p[i][1]);
	}
	Trimesh *made = Make(&mesh);
	EdgeCount count = CountEdges(made);
	ck_assert_int_eq(count.triangles, 8);
	ck_assert_int_eq(count.flat, 8 + 4); /* diagonals, and the middle from both faces */
	ck_assert_int_eq(count.convex, 12);
	Trimesh_Release(&memory, made);
	Mesh_Free(&memory, &mesh);
}
END_TEST

/* One long edge along two short ones; with and without the sliver between them. */
START_TEST(test_seams)
{
	for (int k = 0; k < 3; k++) {
		Mesh mesh = {0};
		uint32_t a = Sample_Vertex(&memory, &mesh, 0, 0, 0), b = Sample_Vertex(&memory, &mesh, 0, 0, 2);
		uint32_t m = Sample_Vertex(&memory, &mesh, 0, 0, k == 2 ? 0.7 : 1);
		uint32_t left = Sample_Vertex(&memory, &mesh, -1, 0, 1), right = Sample_Vertex(&memory, &mesh, 1, 0, 1);
		Sample_Triangle(&memory, &mesh, a, left, b);
		Sample_Triangle(&memory, &mesh, m, right, a);
		Sample_Triangle(&memory, &mesh, b, right, m);
		if (k == 1)
			Sample_Triangle(&memory, &mesh, a, b, m);
		Trimesh *made = Make(&mesh);
		EdgeCount count = CountEdges(made);
		ck_assert_int_eq(Trimesh_Info(made)->dropped, k == 1);
		ck_assert_int_eq(count.triangles, 3);
		ck_assert_int_eq(count.flat, 3 + 2); /* the seam, and the side that the short ones share */
		ck_assert_int_eq(Trimesh_Info(made)->open_edges, 4);
		Trimesh_Release(&memory, made);
		Mesh_Free(&memory, &mesh);
	}
}
END_TEST

/* A step is no seam, and an edge of which much is bare is a border. */
START_TEST(test_no_seams)
{
	for (int k = 0; k < 2; k++) {
		Mesh mesh = {0};
		double up = k == 0 ? 0.01 : 0.0;
		uint32_t a = Sample_Vertex(&memory, &mesh, 0, 0, 0), b = Sample_Vertex(&memory, &mesh, 0, 0, 2);
		uint32_t left = Sample_Vertex(&memory, &mesh, -1, 0, 1), right = Sample_Vertex(&memory, &mesh, 1, up, 1);
		uint32_t c = Sample_Vertex(&memory, &mesh, 0, up, 0), d = Sample_Vertex(&memory, &mesh, 0, up, k ? 1.5 : 2);
		Sample_Triangle(&memory, &mesh, a, left, b);
		Sample_Triangle(&memory, &mesh, d, right, c);
		Trimesh *made = Make(&mesh);
		ck_assert_int_eq(CountEdges(made).flat, k); /* of the short one all is covered */
		Trimesh_Release(&memory, made);
		Mesh_Free(&memory, &mesh);
	}
}
END_TEST

/* ---- errors ------------------------------------------------------------------------------------------------------ */

static void Refuses(const double *positions, int vertices, const uint32_t *indices, int triangles, ErrorCode code,
                    const char *says)
{
	Error error = {0};
	ck_assert_ptr_null(Trimesh_Create(&memory, positions, vertices, indices, triangles, &error));
	REQUIRE(error.code == code && strstr(error.text, says), "\"%s\" does not say \"%s\"", error.text, says);
}

START_TEST(test_errors)
{
	double p[12] = {0, 0, 0, 1, 0, 0, 0, 0, 1, 2, 0, 0};
	uint32_t good[3] = {0, 2, 1}, beyond[6] = {0, 2, 1, 0, 2, 4}, line[6] = {0, 1, 3, 1, 1, 2};
	Refuses(p, 4, good, 0, ERROR_ARGUMENT, "no triangle");
	Refuses(p, 4, beyond, 2, ERROR_ARGUMENT, "triangle 2 names vertex 5 of 4");
	Refuses(p, 4, line, 2, ERROR_ARGUMENT, "has an area");
	p[4] = 1.5e5;
	Refuses(p, 4, good, 1, ERROR_LIMIT, "vertex 2 is at 150000");
	p[4] = NAN;
	Refuses(p, 4, good, 1, ERROR_LIMIT, "vertex 2");
	p[4] = 0;
	Refuses(p, 4, good, TRIMESH_LIMIT + 1, ERROR_LIMIT, "more than 8388608");
}
END_TEST

START_TEST(test_memory_runs_out)
{
	Mesh ball = {0};
	Sample_Ball(&memory, &ball, 2.0, 30, 40);
	Mesh soup = SoupOf(&ball);
	for (long n = 0;; n++) {
		FailingMemory f;
		Error error = {0};
		FailingMemory_Init(&f, n);
		Trimesh *made = Trimesh_Create(&f.memory, soup.positions.data, Mesh_VertexCount(&soup), soup.indices.data,
		                               Mesh_TriangleCount(&soup), &error);
		REQUIRE(made || error.code == ERROR_MEMORY, "call %ld: %s", n, error.text);
		bool done = made != NULL;
		if (done)
			ck_assert_uint_eq(f.memory.bytes, Trimesh_Info(made)->bytes);
		Trimesh_Release(&f.memory, made);
		REQUIRE(f.memory.bytes == 0, "call %ld: %zu bytes are left", n, (size_t)f.memory.bytes);
		if (done)
			break;
	}
	Mesh_Free(&memory, &ball);
	Mesh_Free(&memory, &soup);
}
END_TEST

START_TEST(test_sharing)
{
	Mesh box = {0};
	Sample_Box(&memory, &box, LOW, HIGH);
	Trimesh *mesh = Make(&box);
	Mesh_Free(&memory, &box);
	const Trimesh *other = Trimesh_Share(mesh);
	Trimesh_Release(&memory, mesh);
	ck_assert_uint_eq(memory.bytes, Trimesh_Info(other)->bytes);
	Trimesh_Release(&memory, other);
	Trimesh_Release(&memory, NULL);
}
END_TEST

/* ---- hard cases -------------------------------------------------------------------------------------------------- */

START_TEST(test_copies_and_fans)
{
	Mesh copies = {0}, fan = {0};
	uint32_t p[3] = {Sample_Vertex(&memory, &copies, 0, 0, 0), Sample_Vertex(&memory, &copies, 0, 0, 1),
	                 Sample_Vertex(&memory, &copies, 1, 0, 0)};
	for (int i = 0; i < 20000; i++)
		Sample_Triangle(&memory, &copies, p[0], p[1], p[2]);
	Sample_Vertex(&memory, &fan, 0, 0, 0);
	for (int i = 0; i < 12000; i++)
		Sample_Vertex(&memory, &fan, 100 * cos(2 * PI * i / 12000), 0, -100 * sin(2 * PI * i / 12000));
	for (uint32_t i = 0; i < 12000; i++)
		Sample_Triangle(&memory, &fan, 0, i + 1, (i + 1) % 12000 + 1);
	Trimesh *a = Make(&copies), *b = Make(&fan);
	double from[3] = {0.2, 1, 0.2}, down[3] = {0, -2, 0};
	TrimeshHit hit;
	TrimeshHitList list = {0};
	ck_assert(Trimesh_Raycast(a, from, down, &hit) && hit.fraction == 0.5);
	ck_assert(Trimesh_RaycastAll(a, from, down, &memory, &list));
	ck_assert_int_eq(list.items.count, 20000);
	ck_assert(Trimesh_Raycast(b, from, down, &hit) && hit.fraction == 0.5 && hit.normal.y == 1.0f);
	EdgeCount edges = CountEdges(b);
	ck_assert_int_eq(edges.triangles, 12000);
	ck_assert_int_eq(edges.flat, 24000);
	Array_Free(&memory, list.items);
	Trimesh_Release(&memory, a);
	Trimesh_Release(&memory, b);
	Mesh_Free(&memory, &copies);
	Mesh_Free(&memory, &fan);
}
END_TEST

/* Every real file: made or refused with a reason, closed when the survey says so, and rays meet its triangles. */
START_TEST(test_real_files)
{
	static const char *const names[] = {
	    "bunny_902.obj",    "catmark_torus_creases0.obj", "collision_mesh_01.obj", "degenerated.obj", "dungeon.obj",
	    "featuretype.STL",  "box_longline.obj",           "not_convex.obj",        "stadium.obj",     "test-nan.obj",
	    "voxel_mesh_01.obj"};
	for (int i = 0; i < COUNT_OF(names); i++) {
		char name[64];
		snprintf(name, sizeof name, "mesh/%s", names[i]);
		CorpusFile file = Corpus_Open(name);
		if (!file.data)
			return;
		Mesh mesh = {0};
		Error error = {0};
		int code = strstr(name, ".STL") ? Mesh_ReadStl(&memory, file.data, file.size, &mesh, &error)
		                                : Mesh_ReadObj(&memory, file.data, file.size, &mesh, &error);
		Corpus_Close(&file);
		MeshSurvey survey;
		Trimesh *made = code ? NULL
		                     : Trimesh_Create(&memory, mesh.positions.data, Mesh_VertexCount(&mesh), mesh.indices.data,
		                                      Mesh_TriangleCount(&mesh), &error);
		REQUIRE(made || error.text[0], "%s: neither made nor refused", name);
		if (made && Mesh_Survey(&memory, &mesh, &survey, &error) == ERROR_NONE) {
			const TrimeshInfo *info = Trimesh_Info(made);
			REQUIRE(info->closed || !survey.balanced || survey.volume <= 0, "%s: closed %d, volume %g", name,
			        info->closed, survey.volume);
			REQUIRE(info->triangle_count + info->dropped == Mesh_TriangleCount(&mesh), "%s: %d and %lld of %d", name,
			        info->triangle_count, (long long)info->dropped, Mesh_TriangleCount(&mesh));
			REQUIRE((double)info->bytes < 21.0 * info->triangle_count + 2000, "%s: %g bytes a triangle", name,
			        (double)info->bytes / info->triangle_count);
		}
		Trimesh_Release(&memory, made);
		Mesh_Free(&memory, &mesh);
	}
}
END_TEST

/* To an archive and back: the same bytes again; cut short or with bytes changed, refused or harmless. */
START_TEST(test_archive)
{
	Mesh sample = Hills(30, 3);
	Trimesh *mesh = Make(&sample);
	Archive ar, again;
	const Trimesh *shared = mesh, *read = NULL;
	Archive_BeginWrite(&ar, &memory);
	Trimesh_Archive(&ar, &memory, &shared);
	ck_assert_int_eq(ar.failure, ERROR_NONE);
	size_t size = ar.used;
	uint8_t *bytes = malloc(size);
	memcpy(bytes, ar.bytes, size);
	Archive_End(&ar);

	Archive_BeginRead(&ar, &memory, bytes, size);
	Trimesh_Archive(&ar, &memory, &read);
	ck_assert(read && ar.at == size && Trimesh_Info(read)->hash == Trimesh_Info(mesh)->hash);
	Archive_BeginWrite(&again, &memory);
	Trimesh_Archive(&again, &memory, &read);
	ck_assert(again.used == size && memcmp(again.bytes, bytes, size) == 0);
	Archive_End(&again);
	Trimesh_Release(&memory, read);

	Random r = {6};
	int refused = 0;
	for (int i = 0; i < 3000; i++) {
		bool cut = i % 3 == 0;
		size_t at = (size_t)(Random_U64(&r) % size);
		if (i % 3 == 1)
			at %= 200; /* the head and the first clusters */
		uint8_t old = bytes[at];
		if (!cut)
			bytes[at] = (uint8_t)Random_U64(&r);
		Archive_BeginRead(&ar, &memory, bytes, cut ? at : size);
		Trimesh_Archive(&ar, &memory, &read);
		REQUIRE(!cut || !read, "cut at %zu: read", at);
		refused += !read;
		if (read) {
			double from[3] = {1, 50, 2}, down[3] = {1, -100, 1};
			TrimeshHit hit;
			Trimesh_Raycast(read, from, down, &hit);
			CountEdges(read);
		}
		Trimesh_Release(&memory, read);
		bytes[at] = old;
	}
	REQUIRE(refused > 1000, "%d refused", refused);
	for (long n = 0;; n++) {
		FailingMemory f;
		FailingMemory_Init(&f, n);
		Archive_BeginRead(&ar, &memory, bytes, size);
		Trimesh_Archive(&ar, &f.memory, &read);
		bool done = read != NULL;
		ck_assert(done || ar.failure == ERROR_MEMORY);
		Trimesh_Release(&f.memory, read);
		ck_assert_uint_eq(f.memory.bytes, 0);
		if (done)
			break;
	}
	free(bytes);
	Trimesh_Release(&memory, mesh);
	Mesh_Free(&memory, &sample);
}
END_TEST

Suite *suite_trimesh(void)
{
	Suite *suite = suite_create("trimesh");
	TCase *tcase = tcase_create("trimesh");
	tcase_add_checked_fixture(tcase, SetUp, TearDown);
	tcase_add_test(tcase, test_box);
	tcase_add_test(tcase, test_welding);
	tcase_add_test(tcase, test_folds);
	tcase_add_test(tcase, test_two_sided_sheet);
	tcase_add_test(tcase, test_seams);
	tcase_add_test(tcase, test_no_seams);
	tcase_add_test(tcase, test_errors);
	tcase_add_test(tcase, test_memory_runs_out);
	tcase_add_test(tcase, test_sharing);
	tcase_add_test(tcase, test_copies_and_fans);
	tcase_add_test(tcase, test_real_files);
	tcase_add_test(tcase, test_archive);
	suite_add_tcase(suite, tcase);
	return suite;
}
