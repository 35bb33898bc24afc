/* Mesh files that are cut, changed or written to full disks: refused or harmless; and what is written is read back. */
#include "mesh_forms.h"

#include <check.h>
#include <unistd.h>

Suite *suite_mesh_damage(void);

/* ---- damage ------------------------------------------------------------------------------------------------------ */

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

/* ---- writing ----------------------------------------------------------------------------------------------------- */

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

Suite *suite_mesh_damage(void)
{
	Suite *suite = suite_create("mesh_damage");
	TCase *damage = tcase_create("damage");
	tcase_add_checked_fixture(damage, Setup, NULL);
	tcase_add_test(damage, test_obj_cut);
	tcase_add_test(damage, test_cut);
	tcase_add_test(damage, test_flipped);
	tcase_add_test(damage, test_memory);
	suite_add_tcase(suite, damage);
	TCase *writing = tcase_create("writing");
	tcase_add_checked_fixture(writing, Setup, NULL);
	tcase_add_test(writing, test_write);
	tcase_add_test(writing, test_write_failures);
	suite_add_tcase(suite, writing);
	return suite;
}
