/* Mesh files: real ones against known facts, and every form of each format written here. */
#include "corpus.h"
#include "mesh_forms.h"

#include <check.h>

/* ---- real files -------------------------------------------------------------------------------------------------- */

static void CheckFact(const char *name, const char *facts, const char *key, double got, double share)
{
	double want;
	if (Corpus_Number(facts, key, &want))
		ck_assert_msg(AbsD(got - want) <= share * AbsD(want), "%s: %s is %.15g, wanted %.15g", name, key, got, want);
}

static void CheckFile(const char *name)
{
	CorpusFile file = Corpus_Open(name);
	char *facts = Corpus_Facts(name);
	if (!file.data || !facts)
		return;
	Mesh mesh = ReadGood(strstr(name, ".STL") ? STL : OBJ, file.data, file.size);
	MeshSurvey survey = Survey(&mesh);
	double bad = 0.0, ignored = 0.0;
	Corpus_Number(facts, "triangles_with_nonfinite", &bad);
	Corpus_Number(facts, "f_index_zero", &ignored);
	ck_assert_int_eq(mesh.skipped, (int64_t)(bad + ignored));
	CheckFact(name, facts, "vertices", Mesh_VertexCount(&mesh), 0.0);
	CheckFact(name, facts, "triangles", Mesh_TriangleCount(&mesh) + bad, 0.0);
	CheckFact(name, facts, "triangles_repeated_vertex", (double)survey.degenerate, 0.0);
	CheckFact(name, facts, "boundary_edges", (double)survey.open_edges, 0.0);
	CheckFact(name, facts, "nonmanifold_edges", (double)survey.crowded_edges, 0.0);
	CheckFact(name, facts, "surface_area", survey.area, 1e-9);
	bool closed = strstr(facts, "\"closed_manifold\": true") != NULL;
	ck_assert_msg(closed == (survey.balanced && survey.crowded_edges == 0), "%s: closed", name);
	if (closed)
		CheckFact(name, facts, "signed_volume", survey.volume, 1e-9);
	Mesh_Free(&heap, &mesh);
	ck_assert_uint_eq(heap.bytes, 0);
	free(facts);
	Corpus_Close(&file);
}

START_TEST(test_corpus)
{
	static const char *const names[] = {"mesh/box_longline.obj",
	                                    "mesh/box_without_lineending.obj",
	                                    "mesh/bunny_902.obj",
	                                    "mesh/catmark_torus_creases0.obj",
	                                    "mesh/collision_mesh_01.obj",
	                                    "mesh/degenerated.obj",
	                                    "mesh/dungeon.obj",
	                                    "mesh/featuretype.STL",
	                                    "mesh/groups.obj",
	                                    "mesh/issue-140-zero-face-idx.obj",
	                                    "mesh/negative_indices.obj",
	                                    "mesh/not_convex.obj",
	                                    "mesh/single_triangle.obj",
	                                    "mesh/stadium.obj",
	                                    "mesh/stanford-bunny.obj",
	                                    "mesh/test-nan.obj",
	                                    "mesh/voxel_mesh_01.obj"};
	for (int i = 0; i < COUNT_OF(names); i++)
		CheckFile(names[i]);
}
END_TEST

/* ---- OBJ --------------------------------------------------------------------------------------------------------- */

START_TEST(test_obj_faces)
{
	static const struct {
		const char *text;
		int triangles, skipped;
	} cases[] = {
	    {CORNERS "f 1 2 3", 1, 0},
	    {CORNERS "f 1 2 3\nf 1 2 99\n", 1, 1},
	    {CORNERS "f -4 -3 -2\nf -9 -8 -7\n", 1, 1},
	    {CORNERS "f 0 1 2\nf 1 2 3\n", 1, 1},
	    {CORNERS "f 1//9 2//9 3//9\nl 1\nl 1 2\np 3\n", 1, 0},
	    {CORNERS "f 1/1/1 2/2/2 3/3/3 4/4/4\n", 2, 0},
	    {CORNERS "f 1/1 2/2 3/3 # four 4\n", 1, 0},
	    {CORNERS "f 1 2\nf 1\nf\nf 1 2 3\n", 1, 3},
	    {CORNERS "f 1 2 \\\n 3 \\\r\n4\n", 2, 0},
	    {CORNERS "f 1 2 3\\\n", 1, 0},
	    {CORNERS "f 1.5 2 3\nf 1 2 x\nf a/1 2 3\nf /1 2 3\nf 2/0/0 3/9/9 4/x\n", 1, 4},
	    {CORNERS "f 1 2 99999999999999999999\nf 2 3 4", 1, 1},
	    {"\xEF\xBB\xBF# mark\r\nv 0 0 0\rv 1 0 0\r\nv 0 1 0\rf 1 2 3\r", 1, 0},
	    {"v 0 0 0 1\nv 1 0 0 0.5 1 1\nv\t0 1\t0\nv 1 1\ng a b\nusemtl x\ns off\nf 1 2 3\nf 1 2 4\n", 1, 1},
	};
	for (int i = 0; i < COUNT_OF(cases); i++) {
		Mesh mesh = ReadText(OBJ, cases[i].text);
		ck_assert_msg(Mesh_TriangleCount(&mesh) == cases[i].triangles && mesh.skipped == cases[i].skipped,
		              "case %d: %d triangles, %d skipped", i, Mesh_TriangleCount(&mesh), (int)mesh.skipped);
		Mesh_Free(&heap, &mesh);
	}
	ExpectError(OBJ, "", 0, "empty");
	ExpectError(OBJ, "hello", 5, "no triangle");
	ExpectError(OBJ, CORNERS "f 1 2 9", sizeof CORNERS - 1 + 7, "none of the 1");
}
END_TEST

/* Polygons that are not convex: the triangles' areas add up to the polygon's, so none lies outside. */
START_TEST(test_polygons)
{
	Mesh mesh =
	    ReadText(OBJ, "v 0 0 7\nv 4 0 7\nv 4 3 7\nv 3 3 7\nv 3 1 7\nv 1 1 7\nv 1 3 7\nv 0 3 7\nf 5 6 7 8 1 2 3 4\n");
	MeshSurvey survey = Survey(&mesh);
	ck_assert_int_eq(Mesh_TriangleCount(&mesh), 6);
	ck_assert(AbsD(survey.area - 8.0) < 1e-12);
	Mesh_Free(&heap, &mesh);
	for (uint64_t seed = 1; seed <= 300; seed++) {
		Random random = {seed};
		int count = 4 + (int)(Random_U64(&random) % 30), axis = (int)(seed % 3);
		bool turned = seed % 2;
		Bytes text = {0};
		double x[40], y[40], area = 0.0;
		for (int i = 0; i < count; i++) { /* a star about the origin */
			double a = 2.0 * PI * i / count, r = Random_Range(&random, 1.0, 10.0);
			x[i] = r * Trig_Cos(a);
			y[i] = r * Trig_Sin(a);
			double p[3] = {0};
			char line[120];
			p[(axis + 1) % 3] = x[i], p[(axis + 2) % 3] = y[i], p[axis] = 0.3 * x[i] - 0.2 * y[i] + 5.0;
			snprintf(line, sizeof line, "v %.15g %.15g %.15g\n", p[0], p[1], p[2]);
			Bytes_AddText(&text, line);
		}
		Bytes_AddText(&text, "f");
		for (int i = 0; i < count; i++) {
			char word[20];
			int j = (i + 1) % count;
			snprintf(word, sizeof word, " %d", 1 + (turned ? count - 1 - i : i));
			Bytes_AddText(&text, word);
			area += 0.5 * (x[i] * y[j] - x[j] * y[i]) * sqrt(1.0 + 0.09 + 0.04);
		}
		mesh = ReadGood(OBJ, text.data, text.size);
		survey = Survey(&mesh);
		ck_assert_int_eq(Mesh_TriangleCount(&mesh), count - 2);
		ck_assert_int_eq(survey.open_edges, count);
		ck_assert_msg(AbsD(survey.area - area) < 1e-9 * area, "seed %llu: area %g, wanted %g", (unsigned long long)seed,
		              survey.area, area);
		Mesh_Free(&heap, &mesh);
		Bytes_Free(&text);
	}
}
END_TEST

/* Numbers as the C library reads them. */
START_TEST(test_obj_numbers)
{
	static const char *const good[] = {"0",
	                                   "-0",
	                                   "1",
	                                   "+1.5",
	                                   ".5",
	                                   "5.",
	                                   "-12.25e1",
	                                   "1e-3",
	                                   "1E+10",
	                                   "0.1",
	                                   "123456.789",
	                                   "1e22",
	                                   "3.14159265358979",
	                                   "0001.50",
	                                   "9007199254740993",
	                                   "0.000000000000000000012345"};
	static const char *const bad[] = {"x",   "nan",  "inf", "-",    "+",     ".",    "1e",
	                                  "1e+", "1..2", "1,5", "0x10", "1#IND", "1e999"};
	for (int i = 0; i < COUNT_OF(good); i++) {
		char text[200];
		snprintf(text, sizeof text, "v %s 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", good[i]);
		Mesh mesh = ReadText(OBJ, text);
		double want = strtod(good[i], NULL), got = mesh.positions.data[0];
		ck_assert_msg(AbsD(got - want) <= 4e-16 * AbsD(want), "%s: %.17g", good[i], got);
		Mesh_Free(&heap, &mesh);
	}
	for (int i = 0; i < COUNT_OF(bad); i++) {
		char text[200];
		snprintf(text, sizeof text, "v %s 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", bad[i]);
		ExpectError(OBJ, text, strlen(text), "none of the 1");
	}
	Random random = {20};
	for (int i = 0; i < 2000; i++) {
		double want = Random_Range(&random, -1.0, 1.0);
		want *= Trig_Exp(Random_Range(&random, -30.0, 30.0));
		char text[200];
		snprintf(text, sizeof text, "v %.*g 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", 3 + i % 15, want);
		want = strtod(text + 2, NULL);
		Mesh mesh = ReadText(OBJ, text);
		double got = mesh.positions.data[0];
		ck_assert_msg(AbsD(got - want) <= 4e-16 * AbsD(want), "%s: %.17g", text, got);
		Mesh_Free(&heap, &mesh);
	}
}
END_TEST

/* ---- every form ------------------------------------------------------------------------------------------------- */

START_TEST(test_stl)
{
	static const char *const heads[] = {"a binary file", "solid but binary", "solid", ""};
	for (int i = 0; i < COUNT_OF(heads); i++) {
		Bytes file = StlOfBox(heads[i]);
		Mesh mesh = ReadGood(STL, file.data, file.size);
		ck_assert_int_eq(Mesh_VertexCount(&mesh), 36);
		CheckBox(&mesh, heads[i]);
		Bytes_AddText(&file, "something behind");
		mesh = ReadGood(STL, file.data, file.size);
		CheckBox(&mesh, "with something behind");
		ExpectError(STL, file.data, 84 + 12 * 50 - 1, "12 triangles are announced; there is room for 11");
		ExpectError(STL, file.data, 60, "STL");
		Bytes_Free(&file);
	}
	Bytes text = StlTextOfBox(true);
	Mesh mesh = ReadGood(STL, text.data, text.size);
	CheckBox(&mesh, "text");
	ExpectError(STL, text.data, text.size - 10, "endsolid is missing");
	ExpectError(STL, text.data, text.size - 30, "cut");
	Bytes_Free(&text);
	static const char stray[] = "solid x\nfacet normal 0 0 1\nvertex 0 0 0\nendfacet\nendsolid\n";
	ExpectError(STL, stray, sizeof stray - 1, "fewer than three");
}
END_TEST

START_TEST(test_ply)
{
	for (int format = 0; format < 3; format++) {
		Bytes file = PlyOfBox(format);
		Mesh mesh = ReadGood(PLY, file.data, file.size);
		CheckBox(&mesh, format == 0 ? "text" : format == 1 ? "little" : "big");
		/* binary rows end where the file does; text may lose the line's end */
		ExpectError(PLY, file.data, file.size - (format == 0 ? 3 : 1), "cut in face 6 of 6");
		Bytes_Free(&file);
	}
	static const char *const bad[][2] = {
	    {"plx\n", "does not begin"},
	    {"ply\nformat ascii 1.0\nelement vertex 3\n", "cut in its header"},
	    {"ply\nformat binary 1.0\n", "format"},
	    {"ply\nelement vertex 3\nproperty float x\nend_header\n", "no format"},
	    {"ply\nformat ascii 1.0\nelement vertex -3\nend_header\n", "without a count"},
	    {"ply\nformat ascii 1.0\nproperty float x\nend_header\n", "before any element"},
	    {"ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nend_header\n", "no property z"},
	    {"ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\n"
	     "element face 1\nproperty list float int vertex_index\nend_header\n",
	     "type of its count"},
	    {"ply\nformat ascii 1.0\nelement vertex 999999999999\nproperty float x\nproperty float y\nproperty float z\n"
	     "element face 1\nproperty list int int vertex_index\nend_header\n0 0 0\n",
	     "cut in vertex 2"},
	    {"ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\n"
	     "element face 1\nproperty list int int vertex_index\nend_header\n0 0 0\n2000000000 0 0\n",
	     "2e+09"},
	};
	for (int i = 0; i < COUNT_OF(bad); i++)
		ExpectError(PLY, bad[i][0], strlen(bad[i][0]), bad[i][1]);
}
END_TEST

/* Moves that end where they began, some by a mirror: the box must come out the same. */
START_TEST(test_gltf_nodes)
{
	static const char *const nodes[] = {
	    "\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\"mesh\":0}]",
	    "\"extras\":1",
	    SCENE "\"nodes\":[{\"translation\":[1,2,3],\"children\":[1]},{\"mesh\":0,\"translation\":[-1,-2,-3]}]",
	    SCENE "\"nodes\":[{\"scale\":[-1,2,1],\"children\":[1]},{\"mesh\":0,\"scale\":[-1,0.5,1]}]",
	    SCENE "\"nodes\":[{\"rotation\":[0,0.7071067811865476,0,0.7071067811865476],\"children\":[1]},"
	          "{\"mesh\":0,\"rotation\":[0,-0.7071067811865476,0,0.7071067811865476]}]",
	    SCENE "\"nodes\":[{\"matrix\":[0,0,1,0,1,0,0,0,0,1,0,0,5,6,7,1],\"children\":[1]},"
	          "{\"mesh\":0,\"matrix\":[0,1,0,0,0,0,1,0,1,0,0,0,-7,-5,-6,1]}]",
	};
	for (int i = 0; i < COUNT_OF(nodes); i++) {
		Bytes file = GltfText(nodes[i], NULL);
		Mesh mesh = ReadGood(GLTF, file.data, file.size);
		for (int k = 0; k < mesh.positions.count; k++) {
			double nearest = (double)FloorToInt(2.0 * mesh.positions.data[k] + 0.5) / 2.0;
			ck_assert_msg(AbsD(mesh.positions.data[k] - nearest) < 1e-12, "case %d", i);
			mesh.positions.data[k] = nearest;
		}
		CheckBox(&mesh, nodes[i]);
		Bytes_Free(&file);
		file = GlbFile(nodes[i]);
		mesh = ReadGood(GLTF, file.data, file.size);
		ck_assert_int_eq(Mesh_TriangleCount(&mesh), 12);
		Mesh_Free(&heap, &mesh);
		Bytes_Free(&file);
	}
	/* A mirror turns the triangles over, so that the volume stays positive. */
	Bytes file = GltfText(SCENE "\"nodes\":[{\"mesh\":0,\"scale\":[1,1,-1]}]", NULL);
	Mesh mesh = ReadGood(GLTF, file.data, file.size);
	ck_assert(AbsD(Survey(&mesh).volume - 24.0) < 1e-5);
	Mesh_Free(&heap, &mesh);
	Bytes_Free(&file);
}
END_TEST

START_TEST(test_gltf_refused)
{
	static const char *const bad[][2] = {
	    {SCENE "\"nodes\":[{\"mesh\":0,\"children\":[0]}]", "named twice"},
	    {SCENE "\"nodes\":[{\"children\":[1,1]},{\"mesh\":0}]", "named twice"},
	    {SCENE "\"nodes\":[{\"mesh\":3}]", "no meshes[3]"},
	    {SCENE "\"nodes\":[{\"mesh\":0,\"translation\":[1,2]}]", "3 numbers"},
	    {SCENE "\"nodes\":[{\"mesh\":-1}]", "whole number"},
	    {SCENE "\"nodes\":[7]", "no object"},
	    {"\"scenes\":[{\"nodes\":[4]}],\"nodes\":[]", "node 4"},
	    {"\"scene\":2,\"scenes\":[{}]", "scenes[2]"},
	    {SCENE "\"nodes\":[{}]", "no triangle"},
	    {SCENE "\"extensionsRequired\":[\"KHR_draco_mesh_compression\"],\"nodes\":[{}]", "KHR_draco"},
	};
	for (int i = 0; i < COUNT_OF(bad); i++) {
		Bytes file = GltfText(bad[i][0], NULL);
		ExpectError(GLTF, file.data, file.size, bad[i][1]);
		Bytes_Free(&file);
	}
	Bytes file = GltfText(SCENE "\"nodes\":[{\"mesh\":0}]", "box.bin");
	ExpectError(GLTF, file.data, file.size, "needed beside it");
	Bytes_Free(&file);
	static const char *const uris[] = {"../box.bin", "%2e%2e%2fbox.bin", "/etc/passwd", "http://a/b", "a\\\\b", ".."};
	for (int i = 0; i < COUNT_OF(uris); i++) {
		Mesh mesh;
		Error error = {0};
		file = GltfText(SCENE "\"nodes\":[{\"mesh\":0}]", uris[i]);
		ck_assert_int_eq(Mesh_ReadGltf(&heap, file.data, file.size, "./", &mesh, &error), ERROR_FILE);
		ck_assert_msg(strstr(error.text, "same folder") != NULL, "%s", error.text);
		Bytes_Free(&file);
	}
	ExpectError(GLTF, "{}", 2, "version");
	ExpectError(GLTF, "[]", 2, "no object");
	ExpectError(GLTF, "{", 1, "parsed");
	/* deep nesting and many values */
	Bytes deep = {0};
	for (int i = 0; i < 100000; i++)
		Bytes_AddText(&deep, "[");
	ExpectError(GLTF, deep.data, deep.size, "parsed");
	deep.size = 0;
	for (int i = 0; i < 4000001; i++)
		Bytes_Add(&deep, ",", 1);
	ExpectError(GLTF, deep.data, deep.size, "more than");
	Bytes_Free(&deep);
}
END_TEST

Suite *suite_mesh_files(void)
{
	Suite *suite = suite_create("mesh_files");
	TCase *reading = tcase_create("reading");
	tcase_add_checked_fixture(reading, Setup, NULL);
	tcase_add_test(reading, test_corpus);
	tcase_add_test(reading, test_obj_faces);
	tcase_add_test(reading, test_polygons);
	tcase_add_test(reading, test_obj_numbers);
	tcase_add_test(reading, test_stl);
	tcase_add_test(reading, test_ply);
	tcase_add_test(reading, test_gltf_nodes);
	tcase_add_test(reading, test_gltf_refused);
	suite_add_tcase(suite, reading);
	return suite;
}
