/* Materials of meshes: as files name them, and as cells get them when a mesh is filled, against a slow twin that looks
 * at every triangle. */
#include "mesh_store.h"
#include "voxelise_twin.h"

#include <check.h>

/* ---- files ------------------------------------------------------------------------------------------------------- */

/* Parts as "name:triangles ...", then the part of each triangle. */
static void ExpectParts(int code, const Error *error, Mesh *mesh, const char *parts, const char *of)
{
	char text[400] = "", line[60];
	ck_assert_msg(code == 0, "%s", error->text);
	for (int i = 0; i < mesh->parts.count; i++) {
		snprintf(line, sizeof line, "%s:%d ", Mesh_PartName(mesh, i), mesh->parts.data[i].triangles);
		strcat(text, line);
	}
	ck_assert_str_eq(text, parts);
	ck_assert_int_eq(mesh->part_of.count, Mesh_TriangleCount(mesh));
	text[0] = '\0';
	for (int i = 0; i < mesh->part_of.count; i++) {
		snprintf(line, sizeof line, "%d", mesh->part_of.data[i]);
		strcat(text, line);
	}
	ck_assert_str_eq(text, of);
	Mesh_Free(&heap, mesh);
}

static void ExpectObj(const char *text, const char *parts, const char *of)
{
	Mesh mesh;
	Error error = {0};
	int code = Mesh_ReadObj(&heap, text, strlen(text), &mesh, &error);
	ExpectParts(code, &error, &mesh, parts, of);
}

static void ExpectGltf(const char *text, const char *parts, const char *of)
{
	Mesh mesh;
	Error error = {0};
	int code = Mesh_ReadGltf(&heap, text, strlen(text), NULL, &mesh, &error);
	ExpectParts(code, &error, &mesh, parts, of);
}

#define CORNERS "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"

START_TEST(test_obj)
{
	ExpectObj(CORNERS "f 1 2 3\n", "", "0");
	ExpectObj(CORNERS "f 1 2 3\nusemtl wall\nf 1 2 3 4\nusemtl roof\nf 2 3 4\nusemtl wall\nf 1 3 4\n", "wall:3 roof:1 ",
	          "01121");
	ExpectObj(CORNERS "usemtl unused\nusemtl  Material #1 \t\r\nf 1 2 3\nusemtl\nf 1 2 4\nusemtl Material #1\nf 1 2 3",
	          "Material #1:2 ", "101");
	ExpectObj(CORNERS "usemtl a\nf 1 2 99\nusemtl b\ng x\no y\nf 1 2 3\n", "a:0 b:1 ", "2");
	ExpectObj(CORNERS "usemtl a\\b\nf 1 2 3\n", "a\\b:1 ", "1");
	ExpectObj("usemtl x\n" CORNERS "f 1 2 3", "x:1 ", "1");
	/* Many of them, each twice. */
	ARRAY(char) text = {0};
	ck_assert(Array_Reserve(&heap, text, 200000));
	text.count = snprintf(text.data, 100, CORNERS);
	for (int i = 0; i < 6000; i++)
		text.count += snprintf(text.data + text.count, 60, "usemtl m%d\nf 1 2 3\n", i % 3000);
	Mesh mesh;
	ck_assert_int_eq(Mesh_ReadObj(&heap, text.data, (size_t)text.count, &mesh, NULL), 0);
	ck_assert_int_eq(mesh.parts.count, 3000);
	for (int i = 0; i < 3000; i++)
		ck_assert_int_eq(mesh.parts.data[i].triangles, 2);
	ck_assert_str_eq(Mesh_PartName(&mesh, mesh.part_of.data[5999] - 1), "m2999");
	Mesh_Free(&heap, &mesh);
	Array_Free(&heap, text);
}
END_TEST

#define GLTF(materials, primitives)                                                                                    \
	"{\"asset\":{\"version\":\"2.0\"}," materials                                                                      \
	"\"buffers\":[{\"byteLength\":36,\"uri\":\"data:application/octet-stream;base64,"                                  \
	"AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA\"}],"                                                            \
	"\"bufferViews\":[{\"buffer\":0,\"byteLength\":36}],"                                                              \
	"\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"}],"                         \
	"\"meshes\":[{\"primitives\":[" primitives "]}]}"
#define PRIMITIVE(material) "{\"attributes\":{\"POSITION\":0}" material "}"

START_TEST(test_gltf)
{
	static const char two[] = GLTF("\"materials\":[{\"name\":\"wall\"},{},{\"name\":\"roof\"},{\"name\":\"wall\"}],",
	                               PRIMITIVE(",\"material\":2") "," PRIMITIVE("") "," PRIMITIVE(",\"material\":0"));
	ExpectGltf(two, "wall:1 :0 roof:1 wall:0 ", "301");
	static const char none[] = GLTF("", PRIMITIVE(",\"material\":0"));
	ExpectGltf(none, "", "0");
	static const char wrong[] =
	    GLTF("\"materials\":[{\"name\":3}, 5],",
	         PRIMITIVE(",\"material\":2") "," PRIMITIVE(",\"material\":-1") "," PRIMITIVE(",\"material\":\"x\""));
	ExpectGltf(wrong, ":0 :0 ", "000");
}
END_TEST

/* A failed allocation anywhere in reading. */
START_TEST(test_read_memory)
{
	static const char obj[] = CORNERS "usemtl a\nf 1 2 3\nusemtl b\nf 1 2 3 4\nusemtl a\nf 2 3 4\n";
	static const char gltf[] =
	    GLTF("\"materials\":[{\"name\":\"wall\"},{\"name\":\"roof\"}],", PRIMITIVE(",\"material\":1"));
	for (int which = 0; which < 2; which++) {
		bool done = false;
		size_t before = memory.memory.bytes;
		for (long n = 0; !done; n++) {
			Mesh mesh;
			memory.left = n;
			memory.failed = false;
			int code = which ? Mesh_ReadGltf(&memory.memory, gltf, sizeof gltf - 1, NULL, &mesh, NULL)
			                 : Mesh_ReadObj(&memory.memory, obj, sizeof obj - 1, &mesh, NULL);
			done = !memory.failed;
			memory.left = -1;
			ck_assert_int_eq(code, done ? 0 : ERROR_MEMORY);
			if (done)
				Mesh_Free(&memory.memory, &mesh);
			ck_assert_uint_eq(memory.memory.bytes, before);
		}
	}
}
END_TEST

/* ---- cells ------------------------------------------------------------------------------------------------------- */

static double DistanceSq(const double *p, const Mesh *mesh, int triangle)
{
	const double *k[3];
	for (int i = 0; i < 3; i++)
		k[i] = mesh->positions.data + 3 * mesh->indices.data[3 * triangle + i];
	return TriangleSq(p, k[0], k[1], k[2]);
}

/* Does a solid cell have the material of a triangle that none is nearer than? */
static bool MaterialFits(const Mesh *mesh, const uint8_t *materials, Cell cell, int got)
{
	const double p[3] = {cell.x + 0.5, cell.y + 0.5, cell.z + 0.5};
	double best = DBL_MAX, own = DBL_MAX;
	for (int t = 0; t < Mesh_TriangleCount(mesh); t++) {
		double d = DistanceSq(p, mesh, t);
		best = MinD(best, d);
		if (materials[t] == got)
			own = MinD(own, d);
	}
	return sqrt(own) <= sqrt(best) + 1e-9;
}

static MeshFill FillWith(const Mesh *mesh, MeshRule rule, const uint8_t *materials)
{
	return (MeshFill){.positions = mesh->positions.data,
	                  .indices = mesh->indices.data,
	                  .vertex_count = Mesh_VertexCount(mesh),
	                  .triangle_count = Mesh_TriangleCount(mesh),
	                  .rule = rule,
	                  .thickness = 2.5,
	                  .materials = materials};
}

static void FillAll(const MeshFill *fill, EditMode mode, Tally *tally)
{
	Error error = {0};
	int code = Store_FillMesh(store, &table, fill, ROCK, mode, tally, &error);
	ck_assert_msg(code == 0, "%s", error.text);
}

static int Material_Named(const char *name)
{
	int index = MaterialTable_Find(&table, name);
	ck_assert_int_gt(index, 1);
	return index;
}

/* Materials in patches, or each triangle its own. */
static uint8_t *SomeMaterials(const Mesh *mesh, Random *random, int patch)
{
	static const char *const names[] = {"rock", "sand", "grass", "wood", "ice"};
	uint8_t *materials = malloc((size_t)Mesh_TriangleCount(mesh));
	REQUIRE(materials, "no memory for the test itself");
	for (int t = 0; t < Mesh_TriangleCount(mesh); t++)
		materials[t] = t % patch ? materials[t - 1] : (uint8_t)Material_Named(names[Random_Below(random, 5)]);
	return materials;
}

/* Every `step`th solid cell. Returns how many materials there are. */
static int CompareWithTwin(const Mesh *mesh, const uint8_t *materials, int step, uint64_t seed)
{
	CellBox box;
	int counts[MATERIAL_LIMIT] = {0}, kinds = 0, looked = 0, i = 0;
	ck_assert(Store_Bounds(store, &box));
	for (int32_t y = box.lo.y; y <= box.hi.y; y++)
		for (int32_t z = box.lo.z; z <= box.hi.z; z++)
			for (int32_t x = box.lo.x; x <= box.hi.x; x++) {
				Voxel got = Store_Get(store, (Cell){x, y, z});
				if (got.material == MATERIAL_AIR || i++ % step)
					continue;
				kinds += counts[got.material]++ == 0;
				looked++;
				REQUIRE(MaterialFits(mesh, materials, (Cell){x, y, z}, got.material),
				        "seed %llu: cell %d %d %d is of material %d", (unsigned long long)seed, x, y, z, got.material);
			}
	REQUIRE(looked > 200, "seed %llu: hardly anything is there", (unsigned long long)seed);
	return kinds;
}

static void Shift(Mesh *mesh, Random *random)
{
	double x = Random_Range(random, -70, 70), y = Random_Range(random, -70, 70), z = Random_Range(random, -70, 70);
	double a = Random_Range(random, 0.0, 6.0), c = Trig_Cos(a), s = Trig_Sin(a);
	for (int k = 0; k < mesh->positions.count; k += 3) {
		double *p = mesh->positions.data + k, q[3] = {p[0], p[1], p[2]};
		p[0] = c * q[0] - s * q[1] + x;
		p[1] = 0.8 * (s * q[0] + c * q[1]) - 0.6 * q[2] + y;
		p[2] = 0.6 * (s * q[0] + c * q[1]) + 0.8 * q[2] + z;
	}
}

START_TEST(test_twin)
{
	for (uint64_t seed = 1; seed <= 12; seed++) {
		Random random = {seed};
		Mesh mesh = {0};
		const double lo[3] = {-7.3, -5.2, -8.0}, hi[3] = {6.7, 7.1, 5.3};
		if (seed % 3 == 0)
			Sample_Box(&heap, &mesh, lo, hi);
		else if (seed % 3 == 1)
			Sample_Ball(&heap, &mesh, 9.3, 7, 9);
		else
			Sample_Torus(&heap, &mesh, 9.4, 4.1, 9, 7);
		Shift(&mesh, &random);
		uint8_t *materials = SomeMaterials(&mesh, &random, seed % 2 ? 1 : 4);
		materials[0] = (uint8_t)Material_Named("basalt");
		MeshFill fill = FillWith(&mesh, seed % 4 == 3 ? MESH_SHELL : MESH_WINDING, materials);
		Tally tally = {0};
		FillAll(&fill, EDIT_SET, &tally);
		ck_assert_int_gt(CompareWithTwin(&mesh, materials, 1, seed), 1);
		int64_t solid = 0;
		for (int m = 2; m < MATERIAL_LIMIT; m++)
			solid += tally.added[m];
		ck_assert_int_gt(solid, 0);
		ck_assert_int_eq(Store_Clear(store, NULL, NULL), 0);
		free(materials);
		Mesh_Free(&heap, &mesh);
	}
}
END_TEST

/* Far inside, where no triangle is in the chunk. */
START_TEST(test_deep)
{
	for (uint64_t seed = 1; seed <= 4; seed++) {
		Random random = {seed};
		Mesh mesh = {0};
		const double lo[3] = {-50, -44, -57}, hi[3] = {51, 49, 48};
		Sample_Box(&heap, &mesh, lo, hi);
		if (seed > 1)
			Shift(&mesh, &random);
		uint8_t *materials = SomeMaterials(&mesh, &random, 2);
		materials[2] = materials[3] = (uint8_t)Material_Named("basalt");
		MeshFill fill = FillWith(&mesh, MESH_WINDING, materials);
		FillAll(&fill, EDIT_SET, NULL);
		ck_assert_int_gt(CompareWithTwin(&mesh, materials, 97, seed), 1);
		/* The same again changes nothing. */
		uint64_t hash = HashStore();
		FillAll(&fill, EDIT_SET, NULL);
		ck_assert_uint_eq(HashStore(), hash);
		ck_assert_int_eq(Store_Clear(store, NULL, NULL), 0);
		free(materials);
		Mesh_Free(&heap, &mesh);
	}
}
END_TEST

/* One material on all triangles is that material's fill; and with several the shape is the same. */
START_TEST(test_shape)
{
	Mesh mesh = {0};
	Random random = {5};
	Sample_Ball(&heap, &mesh, 17.0, 12, 16);
	Shift(&mesh, &random);
	uint8_t *materials = SomeMaterials(&mesh, &random, 3), ice = (uint8_t)Material_Named("ice");
	MeshFill fill = FillWith(&mesh, MESH_WINDING, NULL);
	Error error = {0};
	ck_assert_int_eq(Store_FillMesh(store, &table, &fill, ice, EDIT_SET, NULL, &error), 0);
	uint64_t plain = HashStore();
	CellBox box;
	ck_assert(Store_Bounds(store, &box));
	int nx = box.hi.x - box.lo.x + 1, ny = box.hi.y - box.lo.y + 1, nz = box.hi.z - box.lo.z + 1;
	size_t cells = (size_t)nx * (size_t)ny * (size_t)nz;
	uint8_t *was = malloc(cells), *is = malloc(cells);
	Region region = {nx, ny, nz, {NULL, was, NULL}};
	Store_Read(store, box, &region);
	/* painted, the shape stays as it is */
	fill.materials = materials;
	FillAll(&fill, EDIT_PAINT, NULL);
	region.channel[CHANNEL_OCCUPANCY] = is;
	Store_Read(store, box, &region);
	ck_assert_mem_eq(was, is, cells);
	ck_assert_uint_ne(HashStore(), plain);
	ck_assert_int_eq(Store_Clear(store, NULL, NULL), 0);
	FillAll(&fill, EDIT_SET, NULL);
	Store_Read(store, box, &region);
	ck_assert_mem_eq(was, is, cells);
	ck_assert_int_eq(Store_Clear(store, NULL, NULL), 0);
	memset(materials, ice, (size_t)Mesh_TriangleCount(&mesh));
	FillAll(&fill, EDIT_ADD, NULL);
	ck_assert_uint_eq(HashStore(), plain);
	free(was);
	free(is);
	free(materials);
	Mesh_Free(&heap, &mesh);
}
END_TEST

/* A material of exact cubes beside a smooth one: its cells are whole, and there where the mesh holds their centres. */
START_TEST(test_blocky)
{
	Mesh mesh = {0};
	Random random = {9};
	Material brick = {.name = "cubes", .density = 2000, .friction = 0.5f, .blockiness = 1};
	int index = MaterialTable_Put(&table, &brick, NULL);
	ck_assert_int_gt(index, 1);
	Sample_Ball(&heap, &mesh, 13.0, 10, 14);
	Shift(&mesh, &random);
	uint8_t *materials = SomeMaterials(&mesh, &random, 5);
	for (int t = 0; t < Mesh_TriangleCount(&mesh) / 2; t++)
		materials[t] = (uint8_t)index;
	MeshFill fill = FillWith(&mesh, MESH_WINDING, materials);
	FillAll(&fill, EDIT_SET, NULL);
	int whole = 0, partial = 0;
	CellBox box;
	ck_assert(Store_Bounds(store, &box));
	for (int32_t y = box.lo.y; y <= box.hi.y; y++)
		for (int32_t z = box.lo.z; z <= box.hi.z; z++)
			for (int32_t x = box.lo.x; x <= box.hi.x; x++) {
				Voxel got = Store_Get(store, (Cell){x, y, z});
				whole += got.material == index;
				partial += got.material != MATERIAL_AIR && got.material != index && got.occupancy < 255;
				ck_assert(got.material != index || got.occupancy == 255);
			}
	ck_assert_int_gt(whole, 1000);
	ck_assert_int_gt(partial, 100);
	CompareWithTwin(&mesh, materials, 7, 9);
	free(materials);
	Mesh_Free(&heap, &mesh);
}
END_TEST

START_TEST(test_refused)
{
	Mesh mesh = {0};
	Random random = {3};
	Sample_Ball(&heap, &mesh, 5.0, 6, 8);
	uint8_t *materials = SomeMaterials(&mesh, &random, 1);
	static const uint8_t bad[] = {MATERIAL_AIR, MATERIAL_WATER, 250};
	for (int i = 0; i < COUNT_OF(bad) + 3; i++) {
		MeshFill fill = FillWith(&mesh, MESH_WINDING, materials);
		Error error = {0};
		uint8_t good = materials[7], water = MATERIAL_WATER, material = i == 4 ? water : i == 5 ? MATERIAL_AIR : ROCK;
		if (i < COUNT_OF(bad))
			materials[7] = bad[i];
		int code = Store_FillMesh(store, &table, &fill, material, i == 3 ? EDIT_REMOVE : EDIT_SET, NULL, &error);
		ck_assert_int_eq(code, ERROR_ARGUMENT);
		ck_assert_msg(strstr(error.text, "materials") != NULL, "%s", error.text);
		materials[7] = good;
	}
	ck_assert_int_eq(Store_SolidCells(store), 0);
	free(materials);
	Mesh_Free(&heap, &mesh);
}
END_TEST

START_TEST(test_memory)
{
	Mesh mesh = {0};
	Random random = {4};
	Sample_Ball(&heap, &mesh, 7.0, 6, 8);
	uint8_t *materials = SomeMaterials(&mesh, &random, 2);
	MeshFill fill = FillWith(&mesh, MESH_WINDING, materials);
	uint64_t hash = HashStore();
	bool done = false;
	for (long n = 0; !done; n++) {
		memory.left = n;
		memory.failed = false;
		int code = Store_FillMesh(store, &table, &fill, ROCK, EDIT_SET, NULL, NULL);
		done = !memory.failed;
		memory.left = -1;
		ck_assert_int_eq(code, done ? 0 : ERROR_MEMORY);
		if (!done)
			ck_assert_uint_eq(HashStore(), hash);
	}
	ck_assert_uint_ne(HashStore(), hash);
	free(materials);
	Mesh_Free(&heap, &mesh);
}
END_TEST

Suite *suite_mesh_materials(void)
{
	Suite *suite = suite_create("mesh_materials");
	TCase *all = tcase_create("all");
	tcase_add_checked_fixture(all, SetupMeshes, TeardownMeshes);
	tcase_add_test(all, test_obj);
	tcase_add_test(all, test_gltf);
	tcase_add_test(all, test_read_memory);
	tcase_add_test(all, test_twin);
	tcase_add_test(all, test_deep);
	tcase_add_test(all, test_shape);
	tcase_add_test(all, test_blocky);
	tcase_add_test(all, test_refused);
	tcase_add_test(all, test_memory);
	suite_add_tcase(suite, all);
	return suite;
}
