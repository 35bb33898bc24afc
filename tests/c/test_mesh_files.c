/* Mesh files: real ones against known facts, every form of each format written here, and damaged bytes. */
#include "corpus.h"
#include "failing_memory.h"
#include "mesh_samples.h"

#include <check.h>
#include <unistd.h>

static Memory heap;

static void Setup(void)
{
	Memory_Init(&heap, NULL, NULL);
}

typedef enum Format { OBJ, STL, PLY, GLTF } Format;

static int ReadWith(Memory *memory, Format format, const void *data, size_t size, Mesh *mesh, Error *error)
{
	switch (format) {
	case OBJ:
		return Mesh_ReadObj(memory, data, size, mesh, error);
	case STL:
		return Mesh_ReadStl(memory, data, size, mesh, error);
	case PLY:
		return Mesh_ReadPly(memory, data, size, mesh, error);
	default:
		return Mesh_ReadGltf(memory, data, size, NULL, mesh, error);
	}
}

/* Reads from an exact copy of the bytes, so that the address sanitizer sees a read beyond them; checks what must hold
 * of every result. */
static int Read(Memory *memory, Format format, const void *data, size_t size, Mesh *mesh, Error *error)
{
	void *copy = malloc(size > 0 ? size : 1);
	REQUIRE(copy, "no memory for the test itself");
	if (size > 0)
		memcpy(copy, data, size);
	size_t before = memory->bytes;
	*error = (Error){0};
	int code = ReadWith(memory, format, copy, size, mesh, error);
	free(copy);
	if (code) {
		REQUIRE(code < 0 && (int)error->code == code && strlen(error->text) > 10, "error %d: %s", code, error->text);
		REQUIRE(memory->bytes == before && !mesh->positions.data, "a failed read left something: %s", error->text);
		return code;
	}
	REQUIRE(Mesh_TriangleCount(mesh) > 0 && mesh->indices.count % 3 == 0, "no triangles");
	for (int i = 0; i < mesh->indices.count; i++) {
		REQUIRE(mesh->indices.data[i] < (uint32_t)Mesh_VertexCount(mesh), "index %u", mesh->indices.data[i]);
		for (int k = 0; k < 3; k++)
			REQUIRE(IsFinite(mesh->positions.data[3 * (size_t)mesh->indices.data[i] + k]), "corner %d", i);
	}
	return code;
}

static Mesh ReadGood(Format format, const void *data, size_t size)
{
	Mesh mesh;
	Error error;
	int code = Read(&heap, format, data, size, &mesh, &error);
	ck_assert_msg(code == 0, "%s", error.text);
	return mesh;
}

static void ExpectError(Format format, const void *data, size_t size, const char *word)
{
	Mesh mesh;
	Error error;
	int code = Read(&heap, format, data, size, &mesh, &error);
	ck_assert_msg(code == ERROR_FILE, "code %d, wanted an error about \"%s\"", code, word);
	ck_assert_msg(strstr(error.text, word) != NULL, "no \"%s\" in \"%s\"", word, error.text);
}

static MeshSurvey Survey(const Mesh *mesh)
{
	MeshSurvey survey;
	Error error = {0};
	ck_assert_msg(Mesh_Survey(&heap, mesh, &survey, &error) == 0, "%s", error.text);
	return survey;
}

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

static Mesh ReadText(Format format, const char *text)
{
	return ReadGood(format, text, strlen(text));
}

#define CORNERS "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"

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

/* ---- the same box in every form -----------------------------------------------------------------------------------
 */

static Mesh SampleBox(void)
{
	Mesh mesh = {0};
	const double lo[3] = {-1.0, 0.5, 2.0}, hi[3] = {2.0, 2.5, 6.0};
	Sample_Box(&heap, &mesh, lo, hi);
	return mesh;
}

static void CheckBox(Mesh *mesh, const char *what)
{
	MeshSurvey survey = Survey(mesh);
	ck_assert_msg(Mesh_TriangleCount(mesh) == 12 && survey.balanced && survey.even && survey.points == 8, "%s: %d",
	              what, Mesh_TriangleCount(mesh));
	ck_assert_msg(AbsD(survey.volume - 24.0) < 1e-5 && AbsD(survey.area - 52.0) < 1e-5, "%s: volume %g, area %g", what,
	              survey.volume, survey.area);
	ck_assert_msg(survey.lo[0] == -1.0 && survey.lo[1] == 0.5 && survey.hi[2] == 6.0, "%s: bounds", what);
	Mesh_Free(&heap, mesh);
}

static Bytes StlOfBox(const char *head)
{
	Mesh box = SampleBox();
	Bytes out = {0};
	char start[80] = {0};
	memcpy(start, head, strlen(head));
	Bytes_Add(&out, start, 80);
	Bytes_AddNumber(&out, 12, 4, false);
	for (int t = 0; t < 12; t++) {
		for (int i = 0; i < 3; i++)
			Bytes_AddFloat(&out, 0.0, false);
		for (int k = 0; k < 9; k++)
			Bytes_AddFloat(&out, box.positions.data[3 * box.indices.data[3 * t + k / 3] + k % 3], false);
		Bytes_AddNumber(&out, 7, 2, false);
	}
	Mesh_Free(&heap, &box);
	return out;
}

static Bytes StlTextOfBox(bool in_two)
{
	Mesh box = SampleBox();
	Bytes out = {0};
	Bytes_AddText(&out, "solid a facet of names\n");
	for (int t = 0; t < 12; t++) {
		Bytes_AddText(&out, "  facet normal 0 0 0\n\touter loop\n");
		for (int k = 0; k < 3; k++) {
			char text[100];
			const double *p = box.positions.data + 3 * box.indices.data[3 * t + k];
			snprintf(text, sizeof text, "VERTEX %g %g %e\n", p[0], p[1], p[2]);
			Bytes_AddText(&out, text);
		}
		Bytes_AddText(&out, "endloop endfacet\n");
		if (t == 6 && in_two)
			Bytes_AddText(&out, "endsolid a\nsolid\n");
	}
	Bytes_AddText(&out, "endsolid\n");
	Mesh_Free(&heap, &box);
	return out;
}

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

static Bytes PlyOfBox(int format) /* 0 text, 1 little, 2 big */
{
	static const char *const names[] = {"ascii", "binary_little_endian", "binary_big_endian"};
	static const double more[][3] = {{0, 0, 0}, {1, 1, 1}};
	Mesh box = SampleBox();
	Bytes out = {0};
	char text[300];
	bool big = format == 2;
	snprintf(text, sizeof text,
	         "ply\nformat %s 1.0\ncomment element vertex 99\nobj_info x\nelement vertex 8\nproperty uchar red\n"
	         "property double z\nproperty float x\nproperty float y\nelement speck 2\nproperty list uint16 short v\n",
	         names[format]);
	Bytes_AddText(&out, text);
	Bytes_AddText(&out, "element face 6\nproperty list uchar int vertex_indices\nproperty int8 flags\nend_header\n");
	for (int i = 0; i < 8; i++) {
		const double *p = box.positions.data + 3 * i;
		uint64_t bits;
		memcpy(&bits, &p[2], sizeof bits);
		snprintf(text, sizeof text, "%d %g %g\n%g ", 200 + i, p[2], p[0], p[1]);
		if (format == 0) {
			Bytes_AddText(&out, text);
			continue;
		}
		Bytes_AddNumber(&out, 200 + (unsigned)i, 1, big);
		Bytes_AddNumber(&out, bits, 8, big);
		Bytes_AddFloat(&out, p[0], big);
		Bytes_AddFloat(&out, p[1], big);
	}
	for (int i = 0; i < COUNT_OF(more); i++) {
		if (format == 0) {
			Bytes_AddText(&out, "3 1 -2 3\n");
			continue;
		}
		Bytes_AddNumber(&out, 3, 2, big);
		for (int k = 0; k < 3; k++)
			Bytes_AddNumber(&out, (uint64_t)more[i][k], 2, big);
	}
	for (int f = 0; f < 6; f++) {
		const uint32_t *a = box.indices.data + 6 * f;
		const uint32_t corner[4] = {a[0], a[1], a[2], a[5]};
		snprintf(text, sizeof text, "4 %u %u %u %u -1\n", corner[0], corner[1], corner[2], corner[3]);
		if (format == 0) {
			Bytes_AddText(&out, text);
			continue;
		}
		Bytes_AddNumber(&out, 4, 1, big);
		for (int k = 0; k < 4; k++)
			Bytes_AddNumber(&out, corner[k], 4, big);
		Bytes_AddNumber(&out, 255, 1, big);
	}
	Mesh_Free(&heap, &box);
	return out;
}

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

/* ---- glTF ---------------------------------------------------------------------------------------------------------
 */

static void AddBase64(Bytes *out, const uint8_t *data, size_t size)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	for (size_t i = 0; i < size; i += 3) {
		uint32_t bits = (uint32_t)data[i] << 16 | (i + 1 < size ? (uint32_t)data[i + 1] << 8 : 0) |
		                (i + 2 < size ? data[i + 2] : 0u);
		char four[4];
		for (int k = 0; k < 4; k++)
			four[k] = i + (size_t)k > size && k > 1 ? '=' : digits[bits >> (18 - 6 * k) & 63];
		if (i + 1 >= size)
			four[2] = '=';
		if (i + 2 >= size)
			four[3] = '=';
		Bytes_Add(out, four, 4);
	}
}

/* The box's buffer: positions with a stride of 16, indices of two bytes, then sparse: index 7 and its place. In the
 * positions the last vertex is wrong; the sparse part puts it right. */
static Bytes GltfBuffer_OfBox(void)
{
	Mesh box = SampleBox();
	Bytes out = {0};
	for (int i = 0; i < 8; i++) {
		for (int k = 0; k < 3; k++)
			Bytes_AddFloat(&out, i == 7 ? 100.0 : box.positions.data[3 * i + k], false);
		Bytes_AddFloat(&out, -1.0, false);
	}
	for (int i = 0; i < 36; i++)
		Bytes_AddNumber(&out, box.indices.data[i], 2, false);
	Bytes_AddNumber(&out, 7, 4, false);
	for (int k = 0; k < 3; k++)
		Bytes_AddFloat(&out, box.positions.data[21 + k], false);
	Mesh_Free(&heap, &box);
	ck_assert_uint_eq(out.size, 128 + 72 + 16);
	return out;
}

static const char gltf_rest[] =
    "\"bufferViews\":[{\"buffer\":0,\"byteLength\":128,\"byteStride\":16},"
    "{\"buffer\":0,\"byteOffset\":128,\"byteLength\":72},{\"buffer\":0,\"byteOffset\":200,\"byteLength\":4},"
    "{\"buffer\":0,\"byteOffset\":204,\"byteLength\":12}],"
    "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":8,\"type\":\"VEC3\",\"sparse\":{\"count\":1,"
    "\"indices\":{\"bufferView\":2,\"componentType\":5125},\"values\":{\"bufferView\":3}}},"
    "{\"bufferView\":1,\"componentType\":5123,\"count\":36,\"type\":\"SCALAR\"}],"
    "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":1},{\"mode\":1,\"attributes\":"
    "{\"POSITION\":0}}]}],";

static Bytes GltfText(const char *nodes, const char *uri)
{
	Bytes out = {0}, buffer = GltfBuffer_OfBox();
	Bytes_AddText(&out, "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":216");
	if (uri && uri[0]) {
		Bytes_AddText(&out, ",\"uri\":\"");
		Bytes_AddText(&out, uri);
		Bytes_AddText(&out, "\"");
	} else if (!uri) {
		Bytes_AddText(&out, ",\"uri\":\"data:application/octet-stream;base64,");
		AddBase64(&out, buffer.data, buffer.size);
		Bytes_AddText(&out, "\"");
	}
	Bytes_AddText(&out, "}],");
	Bytes_AddText(&out, gltf_rest);
	Bytes_AddText(&out, nodes);
	Bytes_AddText(&out, "}");
	Bytes_Free(&buffer);
	return out;
}

static Bytes GlbFile(const char *nodes)
{
	Bytes out = {0}, json = GltfText(nodes, ""), buffer = GltfBuffer_OfBox();
	while (json.size % 4 != 0)
		Bytes_AddText(&json, " ");
	Bytes_AddText(&out, "glTF");
	Bytes_AddNumber(&out, 2, 4, false);
	Bytes_AddNumber(&out, 12 + 8 + json.size + 8 + buffer.size, 4, false);
	Bytes_AddNumber(&out, json.size, 4, false);
	Bytes_AddText(&out, "JSON");
	Bytes_Add(&out, json.data, json.size);
	Bytes_AddNumber(&out, buffer.size, 4, false);
	Bytes_Add(&out, "BIN", 4);
	Bytes_Add(&out, buffer.data, buffer.size);
	Bytes_Free(&json);
	Bytes_Free(&buffer);
	return out;
}

#define SCENE "\"scene\":0,\"scenes\":[{\"nodes\":[0]}],"

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

/* ---- damage --------------------------------------------------------------------------------------------------------
 */

#define SAMPLES 8

static Bytes Sample(int which, Format *format)
{
	static const char obj[] = "mtllib a\n" CORNERS "vn 0 0 1\nf 1//1 2//1 3//1 4//1\nf -1 -2 -3\n";
	Bytes out = {0};
	*format = which < 1 ? OBJ : which < 3 ? STL : which < 6 ? PLY : GLTF;
	switch (which) {
	case 0:
		Bytes_AddText(&out, obj);
		return out;
	case 1:
		return StlOfBox("solid");
	case 2:
		return StlTextOfBox(false);
	case 3:
	case 4:
	case 5:
		return PlyOfBox(which - 3);
	case 6:
		return GltfText(SCENE "\"nodes\":[{\"mesh\":0,\"scale\":[1,2,3]}]", NULL);
	default:
		return GlbFile(SCENE "\"nodes\":[{\"mesh\":0,\"scale\":[1,2,3]}]");
	}
}

/* Within what a line says; behind it, it may be a whole file. */
START_TEST(test_obj_cut)
{
	static const char whole[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nv 0 0 1 # last\nf 1/1 2/2 4/4";
	static const char *const cut[] = {
	    "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nv 0 0", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nv ",
	    "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 1 2", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf",
	    "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 1/1 2/2 3/"};
	Mesh mesh = ReadText(OBJ, whole);
	ck_assert_int_eq(Mesh_TriangleCount(&mesh), 2);
	Mesh_Free(&heap, &mesh);
	for (int i = 0; i < COUNT_OF(cut); i++) {
		char text[100];
		ExpectError(OBJ, cut[i], strlen(cut[i]), i < 2 ? "cut in a vertex" : "cut in a face");
		snprintf(text, sizeof text, "%s\n", cut[i]); /* a line that ends is a poor line, of which there are many */
		mesh = ReadText(OBJ, text);
		ck_assert_int_eq(Mesh_TriangleCount(&mesh), i < 4 ? 1 : 2);
		Mesh_Free(&heap, &mesh);
	}
}
END_TEST

/* An OBJ that was cut is a shorter OBJ; of every other format a cut that takes more than blanks is an error. */
START_TEST(test_cut)
{
	for (int which = 0; which < SAMPLES; which++) {
		Format format;
		Bytes file = Sample(which, &format);
		size_t least = file.size;
		while (least > 0 && which != 7 && (file.data[least - 1] == '\n' || file.data[least - 1] == ' '))
			least--;
		/* in text, a last number may lose digits and a last word letters */
		least -= format == PLY && which == 3 ? 1 : 0;
		for (size_t size = 0; size < file.size; size++) {
			Mesh mesh;
			Error error;
			int code = Read(&heap, format, file.data, size, &mesh, &error);
			REQUIRE(code == ERROR_FILE || (code == 0 && (which == 0 || size >= least)), "sample %d cut to %zu: %d",
			        which, size, code);
			Mesh_Free(&heap, &mesh);
		}
		Bytes_Free(&file);
	}
	ck_assert_uint_eq(heap.bytes, 0);
}
END_TEST

START_TEST(test_flipped)
{
	static const uint8_t spice[] = {0, 255, 127, 128, '-', '9', '/', '"', '{', '['};
	for (uint64_t seed = 1; seed <= 24000; seed++) {
		Random random = {seed};
		Format format;
		Bytes file = Sample((int)(seed % SAMPLES), &format);
		int flips = 1 + (int)(Random_U64(&random) % 6);
		for (int i = 0; i < flips; i++) {
			size_t at = (size_t)(Random_U64(&random) % file.size);
			uint64_t how = Random_U64(&random);
			file.data[at] = how & 1 ? spice[how / 2 % sizeof spice] : (uint8_t)(file.data[at] ^ 1u << how / 2 % 8);
		}
		Mesh mesh;
		Error error;
		int code = Read(&heap, format, file.data, file.size, &mesh, &error);
		REQUIRE(code == 0 || code == ERROR_FILE, "seed %llu: %d, %s", (unsigned long long)seed, code, error.text);
		if (!code) {
			MeshSurvey survey;
			REQUIRE(Mesh_Survey(&heap, &mesh, &survey, &error) == 0, "seed %llu", (unsigned long long)seed);
		}
		Mesh_Free(&heap, &mesh);
		REQUIRE(heap.bytes == 0, "seed %llu: %zu bytes", (unsigned long long)seed, (size_t)heap.bytes);
		Bytes_Free(&file);
	}
}
END_TEST

START_TEST(test_memory)
{
	for (int which = 0; which < SAMPLES; which++) {
		Format format;
		Bytes file = Sample(which, &format);
		bool done = false;
		for (long n = 0; !done; n++) {
			FailingMemory failing;
			FailingMemory_Init(&failing, n);
			Mesh mesh;
			MeshSurvey survey;
			Error error = {0};
			int code = Read(&failing.memory, format, file.data, file.size, &mesh, &error);
			if (!code)
				code = Mesh_Survey(&failing.memory, &mesh, &survey, &error);
			ck_assert_msg(code == (failing.failed ? ERROR_MEMORY : 0), "sample %d, call %ld: %d", which, n, code);
			done = !failing.failed;
			Mesh_Free(&failing.memory, &mesh);
			ck_assert_uint_eq(failing.memory.bytes, 0);
		}
		Bytes_Free(&file);
	}
}
END_TEST

/* ---- writing -------------------------------------------------------------------------------------------------------
 */

static const MeshMaterial palette[] = {{"air", 0xFFFFFF}, {"grass", 0x5B8C3A}, {"rock", 0x7D7B78}};

typedef int WriteFn(Memory *memory, const char *path, const MeshView *mesh, uint64_t *bytes, Error *error);

static const struct {
	const char *ending;
	WriteFn *write;
	Format format;
} writers[] = {{"obj", Mesh_WriteObj, OBJ},
               {"stl", Mesh_WriteStl, STL},
               {"ply", Mesh_WritePly, PLY},
               {"glb", Mesh_WriteGlb, GLTF}};

/* A torus and a box that touch nothing, on a lattice of 1/4096; half grass, half rock. */
static Mesh Scene(double shift, uint8_t *materials, double *normals)
{
	Mesh mesh = {0};
	const double lo[3] = {-1, 4, -1}, hi[3] = {1.5, 5, 2};
	Sample_Torus(&heap, &mesh, 5.0, 1.5, 12, 8);
	Sample_Box(&heap, &mesh, lo, hi);
	for (int i = 0; i < mesh.positions.count; i++) {
		mesh.positions.data[i] = shift + (double)FloorToInt(4096.0 * mesh.positions.data[i]) / 4096.0;
		normals[i] = i % 3 == 1;
	}
	for (int t = 0; t < Mesh_TriangleCount(&mesh); t++)
		materials[t] = (uint8_t)(1 + t % 2);
	return mesh;
}

static MeshView View(const Mesh *mesh, const uint8_t *materials, const double *normals)
{
	return (MeshView){.vertex_count = Mesh_VertexCount(mesh),
	                  .triangle_count = Mesh_TriangleCount(mesh),
	                  .positions = mesh->positions.data,
	                  .normals = normals,
	                  .indices = mesh->indices.data,
	                  .materials = materials,
	                  .palette = palette,
	                  .palette_count = COUNT_OF(palette)};
}

START_TEST(test_write)
{
	static const double shifts[] = {0.0, 3000.0, -70000.0};
	char folder[64] = "/tmp/scree-test-XXXXXX", path[128];
	uint8_t materials[1000];
	double normals[3000];
	ck_assert_ptr_nonnull(mkdtemp(folder));
	for (int s = 0; s < COUNT_OF(shifts); s++)
		for (int w = 0; w < COUNT_OF(writers); w++) {
			Mesh mesh = Scene(shifts[s], materials, normals), back;
			MeshView view = View(&mesh, materials, normals);
			MeshSurvey want = Survey(&mesh);
			uint64_t bytes = 0;
			Error error = {0};
			snprintf(path, sizeof path, "%s/a mesh.%s", folder, writers[w].ending);
			ck_assert_msg(writers[w].write(&heap, path, &view, &bytes, &error) == 0, "%s", error.text);
			ck_assert_msg(Mesh_ReadFile(&heap, path, &back, &error) == 0, "%s", error.text);
			MeshSurvey got = Survey(&back);
			/* floats of STL: 70,000 m are kept to 4 mm */
			double share = writers[w].format == STL ? (s == 2 ? 1e-1 : 1e-3) : 1e-9;
			ck_assert_int_eq(Mesh_TriangleCount(&back), view.triangle_count);
			ck_assert_int_eq(Mesh_VertexCount(&back),
			                 writers[w].format == STL ? 3 * view.triangle_count : view.vertex_count);
			ck_assert_int_eq(back.skipped, 0);
			ck_assert_msg(got.balanced || s == 2, "%s: open", path);
			ck_assert_msg(AbsD(got.area - want.area) <= share * want.area, "%s: area %.12g, not %.12g", path, got.area,
			              want.area);
			ck_assert_msg(AbsD(got.volume - want.volume) <= share * want.volume, "%s: volume %.12g, not %.12g", path,
			              got.volume, want.volume);
			Bytes file = Bytes_OfFile(path);
			if (writers[w].format == OBJ) {
				Bytes_AddNumber(&file, 0, 1, false);
				file.size--;
				ck_assert_ptr_nonnull(strstr((char *)file.data, "mtllib a mesh.mtl\n"));
				snprintf(path, sizeof path, "%s/a mesh.mtl", folder);
				Bytes more = Bytes_OfFile(path);
				ck_assert_uint_eq(bytes, file.size + more.size);
				Bytes_AddNumber(&more, 0, 1, false);
				ck_assert_ptr_nonnull(strstr((char *)more.data, "newmtl grass\nKd 0.356863 0.54902 0.227451\n"));
				ck_assert_ptr_null(strstr((char *)more.data, "air"));
				unlink(path);
				snprintf(path, sizeof path, "%s/a mesh.obj", folder);
				Bytes_Free(&more);
			} else {
				ck_assert_uint_eq(bytes, file.size);
			}
			Bytes_Free(&file);
			Mesh_Free(&heap, &mesh);
			Mesh_Free(&heap, &back);
			unlink(path);
		}
	ck_assert_msg(rmdir(folder) == 0, "something was left in %s", folder);
	ck_assert_uint_eq(heap.bytes, 0);
}
END_TEST

/* A failure leaves the old file and nothing beside it. */
START_TEST(test_write_failures)
{
	char folder[64] = "/tmp/scree-test-XXXXXX", path[128];
	uint8_t materials[1000];
	double normals[3000];
	ck_assert_ptr_nonnull(mkdtemp(folder));
	for (int w = 0; w < COUNT_OF(writers); w++) {
		Mesh mesh = Scene(0.0, materials, normals);
		MeshView view = View(&mesh, materials, normals);
		snprintf(path, sizeof path, "%s/mesh.%s", folder, writers[w].ending);
		FILE *old = fopen(path, "w");
		fputs("old", old);
		fclose(old);
		Error error = {0};
		bool done = false;
		for (long n = 0; !done; n++) {
			FailingMemory failing;
			FailingMemory_Init(&failing, n);
			int code = writers[w].write(&failing.memory, path, &view, NULL, &error);
			ck_assert_int_eq(code, failing.failed ? ERROR_MEMORY : 0);
			ck_assert_uint_eq(failing.memory.bytes, 0);
			Bytes file = Bytes_OfFile(path);
			ck_assert((file.size == 3) == (code != 0));
			done = code == 0;
			Bytes_Free(&file);
		}
		unlink(path);
		view.triangle_count = 0;
		ck_assert_int_eq(writers[w].write(&heap, path, &view, NULL, &error), ERROR_ARGUMENT);
		view = View(&mesh, materials, normals);
		ck_assert_int_eq(writers[w].write(&heap, "/tmp/no such folder/mesh.obj", &view, NULL, &error), ERROR_FILE);
		ck_assert_int_eq(writers[w].write(&heap, "/dev/full", &view, NULL, &error), ERROR_FILE);
		Mesh_Free(&heap, &mesh);
	}
	snprintf(path, sizeof path, "%s/mesh.mtl", folder);
	unlink(path);
	ck_assert_msg(rmdir(folder) == 0, "something was left in %s", folder);
}
END_TEST

Suite *suite_mesh_files(void)
{
	Suite *suite = suite_create("mesh_files");
	TCase *reading = tcase_create("reading"), *writing = tcase_create("writing");
	tcase_add_checked_fixture(reading, Setup, NULL);
	tcase_add_checked_fixture(writing, Setup, NULL);
	tcase_add_test(reading, test_corpus);
	tcase_add_test(reading, test_obj_faces);
	tcase_add_test(reading, test_polygons);
	tcase_add_test(reading, test_obj_numbers);
	tcase_add_test(reading, test_stl);
	tcase_add_test(reading, test_ply);
	tcase_add_test(reading, test_gltf_nodes);
	tcase_add_test(reading, test_gltf_refused);
	tcase_add_test(reading, test_obj_cut);
	tcase_add_test(reading, test_cut);
	tcase_add_test(reading, test_flipped);
	tcase_add_test(reading, test_memory);
	tcase_add_test(writing, test_write);
	tcase_add_test(writing, test_write_failures);
	suite_add_tcase(suite, reading);
	suite_add_tcase(suite, writing);
	return suite;
}
