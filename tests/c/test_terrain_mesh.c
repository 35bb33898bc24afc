/* The whole surface as one mesh: blocks joined, against the twin that never had blocks. */
#include "failing_memory.h"
#include "require.h"
#include "surface_fields.h"
#include "terrain/terrain.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>

#define NOT_MET UINT32_MAX

/* A field in a world: cell (0,0,0) of the field is cell `at`. Its materials 1..4 are the table's 2..5. */
typedef struct Ground {
	RefField field;
	Cell at;
	double cell_size;
	MaterialTable materials;
	Memory memory;
	Store *store;
	Terrain *terrain;
} Ground;

static void FillStore(Store *store, const RefField *field, Cell at)
{
	Region region = {field->nx, field->ny, field->nz, {field->material, field->value, NULL}};
	CellBox box = {at, {at.x + field->nx - 1, at.y + field->ny - 1, at.z + field->nz - 1}};
	Error error;
	ck_assert_int_eq(Store_Write(store, box, &region, NULL, NULL, &error), ERROR_NONE);
}

/* Takes the field over. */
static void Ground_Create(Ground *ground, RefField field, Cell at, double cell_size)
{
	*ground = (Ground){.field = field, .at = at, .cell_size = cell_size};
	for (int i = 0; i < field.nx * field.ny * field.nz; i++)
		field.material[i] = field.material[i] ? field.material[i] + 1 : 0;
	static const float blockiness[4] = {0.0f, 0.5f, 1.0f, 0.25f};
	MaterialTable_Init(&ground->materials);
	for (int i = 0; i < 4; i++) {
		ground->materials.items[2 + i].blockiness = blockiness[i];
		ground->field.blockiness[2 + i] = (uint16_t)(256.0f * blockiness[i]);
	}
	Memory_Init(&ground->memory, NULL, NULL);
	ground->store = Store_Create(&ground->memory);
	ck_assert_ptr_nonnull(ground->store);
	FillStore(ground->store, &ground->field, at);
	ground->terrain = Terrain_Create(&ground->memory, ground->store, &ground->materials, cell_size, NARROWPHASE_KDTREE);
	ck_assert_ptr_nonnull(ground->terrain);
	Error error;
	ck_assert_int_eq(Terrain_Sync(ground->terrain, &error), ERROR_NONE);
}

static void Ground_Free(Ground *ground)
{
	Terrain_Destroy(ground->terrain);
	Store_Destroy(ground->store);
	RefField_Free(&ground->field);
	ck_assert_uint_eq(ground->memory.bytes, 0);
}

/* ---- against the twin -------------------------------------------------------------------------------------------- */

static int FloorBlock(int cell)
{
	return cell >= 0 ? cell / 8 : -((7 - cell) / 8);
}

/* What the twin says that the mesh is: its quads block by block, vertices numbered as they are met. */
typedef struct Expected {
	uint32_t *indices; /* 3 a triangle */
	uint8_t *materials;
	int *vertices; /* of the twin */
	int vertex_count, triangle_count;
} Expected;

static void Expect(const Ground *ground, const RefMesh *twin, const CellBox *box, Expected *expected)
{
	uint32_t *number = malloc(sizeof(uint32_t) * ((size_t)twin->vertex_count + 1));
	*expected = (Expected){.indices = malloc(sizeof(uint32_t) * (6 * (size_t)twin->quad_count + 1)),
	                       .materials = malloc(2 * (size_t)twin->quad_count + 1),
	                       .vertices = malloc(sizeof(int) * ((size_t)twin->vertex_count + 1))};
	ck_assert(number && expected->indices && expected->materials && expected->vertices);
	for (int i = 0; i < twin->vertex_count; i++)
		number[i] = NOT_MET;
	Cell at = ground->at;
	int lo[3] = {FloorBlock(at.x - 1), FloorBlock(at.y - 1), FloorBlock(at.z - 1)};
	int hi[3] = {FloorBlock(at.x + twin->nx), FloorBlock(at.y + twin->ny), FloorBlock(at.z + twin->nz)};
	for (int by = lo[1]; by <= hi[1]; by++)
		for (int bz = lo[2]; bz <= hi[2]; bz++)
			for (int bx = lo[0]; bx <= hi[0]; bx++)
				for (int edge = 0; edge < 3 * 512; edge++) {
					int x = 8 * bx + edge % 8, y = 8 * by + edge / 64 % 8, z = 8 * bz + edge / 8 % 8;
					if (box && (x < box->lo.x || y < box->lo.y || z < box->lo.z || x > box->hi.x || y > box->hi.y ||
					            z > box->hi.z))
						continue;
					int q = RefMesh_QuadAt(twin, x - at.x, y - at.y, z - at.z, edge / 512);
					if (q < 0)
						continue;
					const RefQuad *quad = &twin->quads[q];
					for (int k = 0; k < 4; k++)
						if (number[quad->corner[k]] == NOT_MET) {
							number[quad->corner[k]] = (uint32_t)expected->vertex_count;
							expected->vertices[expected->vertex_count++] = quad->corner[k];
						}
					for (int which = 0; which < 2; which++) {
						uint32_t *triangle = expected->indices + 3 * expected->triangle_count;
						triangle[0] = number[quad->corner[0]];
						triangle[1] = number[quad->corner[1 + which]];
						triangle[2] = number[quad->corner[2 + which]];
						expected->materials[expected->triangle_count++] = quad->material;
					}
				}
	free(number);
}

static void CheckPositions(const Ground *ground, const RefMesh *twin, const Expected *expected, const TerrainMesh *mesh)
{
	const int at[3] = {ground->at.x, ground->at.y, ground->at.z};
	for (int v = 0; v < expected->vertex_count; v++)
		for (int i = 0; i < 3; i++) {
			/* in 1/4096 cell from the world's corner: exact in a double */
			double units = 4096.0 * at[i] + twin->vertices[expected->vertices[v]].at[i] + 2048.0;
			REQUIRE(mesh->positions[3 * v + i] == units / 4096.0 * ground->cell_size, "vertex %d: %.17g, twin %.17g", v,
			        mesh->positions[3 * v + i], units / 4096.0 * ground->cell_size);
		}
}

/* Area-weighted, worked out again in the twin's units. */
static void CheckNormals(const RefMesh *twin, const Expected *expected, const TerrainMesh *mesh)
{
	double *sum = calloc(3 * (size_t)expected->vertex_count + 1, sizeof *sum);
	ck_assert_ptr_nonnull(sum);
	for (int t = 0; t < expected->triangle_count; t++) {
		const uint32_t *v = expected->indices + 3 * t;
		double a[3], b[3];
		for (int i = 0; i < 3; i++) {
			a[i] = twin->vertices[expected->vertices[v[1]]].at[i] - twin->vertices[expected->vertices[v[0]]].at[i];
			b[i] = twin->vertices[expected->vertices[v[2]]].at[i] - twin->vertices[expected->vertices[v[0]]].at[i];
		}
		for (int k = 0; k < 3; k++)
			for (int i = 0; i < 3; i++)
				sum[3 * v[k] + i] += a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
	}
	for (int v = 0; v < expected->vertex_count; v++) {
		const double *n = mesh->normals + 3 * v, *s = sum + 3 * v;
		double length = sqrt(s[0] * s[0] + s[1] * s[1] + s[2] * s[2]);
		REQUIRE(fabs(n[0] * n[0] + n[1] * n[1] + n[2] * n[2] - 1.0) < 1e-12, "normal %d is not of unit length", v);
		for (int i = 0; i < 3; i++)
			REQUIRE(length == 0.0 || fabs(n[i] * length - s[i]) < 1e-6 * length, "normal %d is wrong", v);
	}
	free(sum);
}

static TerrainMesh CheckMesh(Ground *ground, const RefMesh *twin, const CellBox *box)
{
	Error error = {0};
	TerrainMesh mesh;
	Expected expected;
	size_t before = ground->memory.bytes;
	ck_assert_int_eq(Terrain_Mesh(ground->terrain, box, &mesh, &error), ERROR_NONE);
	ck_assert_uint_eq(ground->memory.bytes, before + mesh.bytes);
	Expect(ground, twin, box, &expected);
	ck_assert_int_eq(mesh.vertex_count, expected.vertex_count);
	ck_assert_int_eq(mesh.triangle_count, expected.triangle_count);
	if (expected.triangle_count > 0) {
		size_t triangles = (size_t)expected.triangle_count;
		ck_assert_mem_eq(mesh.indices, expected.indices, 3 * sizeof(uint32_t) * triangles);
		ck_assert_mem_eq(mesh.materials, expected.materials, triangles);
		CheckPositions(ground, twin, &expected, &mesh);
		CheckNormals(twin, &expected, &mesh);
	}
	free(expected.indices);
	free(expected.materials);
	free(expected.vertices);
	return mesh;
}

/* ---- tests ------------------------------------------------------------------------------------------------------- */

START_TEST(joins_blocks)
{
	static const struct {
		Cell at;
		double cell_size;
	} places[] = {{{0, 0, 0}, 1.0},
	              {{-11, -13, -9}, 0.5},
	              {{23, -37, 5}, 0.3},
	              {{CELL_LIMIT - 40, -CELL_LIMIT + 20, 1000003}, 0.25}};
	for (int i = 0; i < COUNT_OF(places); i++) {
		Random random = {100 + (uint64_t)i};
		RefField field = i == 3 ? Field_Hills(21, 20, &random) : Field_Noise(19 + i, 0.25 + 0.3 * i, &random);
		Ground ground;
		Ground_Create(&ground, field, places[i].at, places[i].cell_size);
		RefMesh twin = RefMesh_Create(&ground.field, true);
		ck_assert_int_gt(twin.quad_count, 500);
		TerrainMesh mesh = CheckMesh(&ground, &twin, NULL);
		ck_assert_int_eq(mesh.vertex_count, twin.vertex_count);
		ck_assert_int_eq(mesh.triangle_count, 2 * twin.quad_count);
		TerrainMesh_Free(&ground.memory, &mesh);
		ck_assert_ptr_null(mesh.block);
		RefMesh_Free(&twin);
		Ground_Free(&ground);
	}
}
END_TEST

/* Boxes that share the field out have each quad once. */
START_TEST(boxes)
{
	Random random = {200};
	Ground ground;
	Ground_Create(&ground, Field_Noise(20, 0.5, &random), (Cell){-7, 3, -14}, 1.0);
	RefMesh twin = RefMesh_Create(&ground.field, true);
	int64_t triangles = 0;
	for (int i = 0; i < 8; i++) {
		CellBox box = {{i & 1 ? 1 : -100, i & 2 ? 9 : -100, i & 4 ? -4 : -100},
		               {i & 1 ? 100 : 0, i & 2 ? 100 : 8, i & 4 ? 100 : -5}};
		TerrainMesh mesh = CheckMesh(&ground, &twin, &box);
		triangles += mesh.triangle_count;
		TerrainMesh_Free(&ground.memory, &mesh);
	}
	ck_assert_int_eq(triangles, 2 * twin.quad_count);
	for (int i = 0; i < 20; i++) {
		Cell lo = {Random_Below(&random, 24) - 9, Random_Below(&random, 24) + 1, Random_Below(&random, 24) - 16};
		CellBox box = {lo, {lo.x + Random_Below(&random, 9), lo.y + Random_Below(&random, 9), lo.z}};
		TerrainMesh mesh = CheckMesh(&ground, &twin, &box);
		TerrainMesh_Free(&ground.memory, &mesh);
	}
	TerrainMesh mesh =
	    CheckMesh(&ground, &twin, &(CellBox){{INT32_MIN, INT32_MIN, INT32_MIN}, {INT32_MAX, INT32_MAX, INT32_MAX}});
	ck_assert_int_eq(mesh.triangle_count, 2 * twin.quad_count);
	TerrainMesh_Free(&ground.memory, &mesh);
	RefMesh_Free(&twin);
	Ground_Free(&ground);
}
END_TEST

/* Two exact cubes along an edge keep their vertices apart there. */
START_TEST(never_welds)
{
	RefField field = RefField_Create(4, 4, 4);
	RefField_Set(&field, 1, 1, 1, 3, 255);
	RefField_Set(&field, 2, 2, 1, 3, 255);
	Ground ground;
	Ground_Create(&ground, field, (Cell){6, 6, 6}, 1.0);
	RefMesh twin = RefMesh_Create(&ground.field, true);
	TerrainMesh mesh = CheckMesh(&ground, &twin, NULL);
	ck_assert_int_eq(mesh.vertex_count, 16);
	ck_assert_int_eq(mesh.triangle_count, 24);
	int same = 0;
	for (int a = 0; a < 16; a++)
		for (int b = 0; b < a; b++) {
			const double *p = mesh.positions + 3 * a, *q = mesh.positions + 3 * b;
			same += p[0] == q[0] && p[1] == q[1] && p[2] == q[2];
		}
	ck_assert_int_eq(same, 2);
	TerrainMesh_Free(&ground.memory, &mesh);
	RefMesh_Free(&twin);
	Ground_Free(&ground);
}
END_TEST

/* The way that the cells came into the store leaves no trace. */
START_TEST(same_bytes_after_any_edits)
{
	Random random = {300};
	Ground first, second;
	RefField field = Field_Noise(20, 0.6, &random), empty = RefField_Create(20, 20, 20);
	Ground_Create(&first, field, (Cell){-5, -6, -7}, 0.7);
	Ground_Create(&second, empty, (Cell){-5, -6, -7}, 0.7);
	Error error;
	for (int i = 0; i < 20 * 20 * 20; i++) {
		int at = (int)((i * 4999LL) % (20 * 20 * 20)); /* all of them, in another order */
		Cell cell = {at % 20 - 5, at / 400 - 6, at / 20 % 20 - 7};
		Voxel voxel = {first.field.material[at], first.field.value[at], 0};
		REQUIRE(Store_Set(second.store, cell, voxel, NULL, &error) == ERROR_NONE, "cell %d: %s", at, error.text);
		if (i % 1000 == 0)
			ck_assert_int_eq(Terrain_Sync(second.terrain, &error), ERROR_NONE);
	}
	ck_assert_int_eq(Terrain_Sync(second.terrain, &error), ERROR_NONE);
	TerrainMesh a, b;
	ck_assert_int_eq(Terrain_Mesh(first.terrain, NULL, &a, &error), ERROR_NONE);
	ck_assert_int_eq(Terrain_Mesh(second.terrain, NULL, &b, &error), ERROR_NONE);
	ck_assert_int_gt(a.triangle_count, 1000);
	ck_assert_uint_eq(a.bytes, b.bytes);
	ck_assert_mem_eq(a.block, b.block, a.bytes);
	TerrainMesh_Free(&first.memory, &a);
	TerrainMesh_Free(&second.memory, &b);
	Ground_Free(&first);
	Ground_Free(&second);
}
END_TEST

START_TEST(empty_and_wrong)
{
	Ground ground;
	Error error = {0};
	TerrainMesh mesh;
	Ground_Create(&ground, RefField_Create(3, 3, 3), (Cell){0, 0, 0}, 1.0);
	ck_assert_int_eq(Terrain_Mesh(ground.terrain, NULL, &mesh, &error), ERROR_NONE);
	ck_assert_int_eq(mesh.vertex_count + mesh.triangle_count, 0);
	ck_assert_ptr_null(mesh.block);
	TerrainMesh_Free(&ground.memory, &mesh);
	CellBox box = {{5, 0, 0}, {4, 9, 9}};
	ck_assert_int_eq(Terrain_Mesh(ground.terrain, &box, &mesh, &error), ERROR_ARGUMENT);
	ck_assert_ptr_nonnull(strstr(error.text, "box"));
	ck_assert_ptr_nonnull(strstr(error.text, "(5, 0, 0)"));
	Ground_Free(&ground);
}
END_TEST

START_TEST(out_of_memory)
{
	Random random = {400};
	RefField field = Field_Noise(18, 0.5, &random);
	MaterialTable materials;
	MaterialTable_Init(&materials);
	for (int i = 0; i < 18 * 18 * 18; i++)
		field.material[i] = field.material[i] ? 2 : 0;
	FailingMemory failing;
	FailingMemory_Init(&failing, -1);
	Store *store = Store_Create(&failing.memory);
	ck_assert_ptr_nonnull(store);
	FillStore(store, &field, (Cell){-3, -4, -5});
	Terrain *terrain = Terrain_Create(&failing.memory, store, &materials, 1.0, NARROWPHASE_KDTREE);
	ck_assert_ptr_nonnull(terrain);
	Error error;
	ck_assert_int_eq(Terrain_Sync(terrain, &error), ERROR_NONE);
	size_t before = failing.memory.bytes;
	int failures = 0;
	for (;; failures++) {
		TerrainMesh mesh;
		failing.left = failures;
		failing.failed = false;
		int code = Terrain_Mesh(terrain, NULL, &mesh, &error);
		if (code == ERROR_NONE) {
			ck_assert(!failing.failed);
			ck_assert_int_gt(mesh.triangle_count, 1000);
			TerrainMesh_Free(&failing.memory, &mesh);
			break;
		}
		ck_assert_int_eq(code, ERROR_MEMORY);
		ck_assert(failing.failed);
		ck_assert_ptr_null(mesh.block);
		ck_assert_uint_eq(failing.memory.bytes, before);
	}
	ck_assert_int_gt(failures, 4);
	failing.left = -1;
	Terrain_Destroy(terrain);
	Store_Destroy(store);
	ck_assert_uint_eq(failing.memory.bytes, 0);
	RefField_Free(&field);
}
END_TEST

Suite *suite_terrain_mesh(void)
{
	Suite *suite = suite_create("terrain_mesh");
	TCase *all = tcase_create("mesh");
	tcase_set_timeout(all, 120);
	tcase_add_test(all, joins_blocks);
	tcase_add_test(all, boxes);
	tcase_add_test(all, never_welds);
	tcase_add_test(all, same_bytes_after_any_edits);
	tcase_add_test(all, empty_and_wrong);
	tcase_add_test(all, out_of_memory);
	suite_add_tcase(suite, all);
	return suite;
}
