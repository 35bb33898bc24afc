/* A store that meshes are laid into, on memory that can be made to fail, and meshes on counted memory. */
#ifndef TESTS_MESH_STORE_H
#define TESTS_MESH_STORE_H

#include "failing_store.h"
#include "mesh_samples.h"

#include <check.h>

static Memory heap;

#define ROCK 6

static inline void SetupMeshes(void)
{
	Setup();
	Memory_Init(&heap, NULL, NULL);
	ck_assert_int_eq(MaterialTable_Find(&table, "rock"), ROCK);
}

static inline void TeardownMeshes(void)
{
	Teardown();
	ck_assert_uint_eq(heap.bytes, 0);
}

static inline MeshFill FillOf(const Mesh *mesh, MeshRule rule)
{
	return (MeshFill){.positions = mesh->positions.data,
	                  .indices = mesh->indices.data,
	                  .vertex_count = Mesh_VertexCount(mesh),
	                  .triangle_count = Mesh_TriangleCount(mesh),
	                  .rule = rule,
	                  .thickness = 3.0};
}

static inline void Fill(const Mesh *mesh, MeshRule rule, int material, EditMode mode, Tally *tally)
{
	MeshFill fill = FillOf(mesh, rule);
	Error error = {0};
	int code = Store_FillMesh(store, &table, &fill, (uint8_t)material, mode, tally, &error);
	ck_assert_msg(code == 0, "%s", error.text);
}

/* Matter of all solid cells. */
static inline double Matter(void)
{
	int64_t sums[MATERIAL_LIMIT], all = 0;
	CellBox box;
	if (!Store_Bounds(store, &box))
		return 0.0;
	Store_Matter(store, box, sums);
	for (int m = 2; m < MATERIAL_LIMIT; m++)
		all += sums[m];
	return (double)all / 256.0;
}

static inline uint64_t HashStore(void)
{
	Hasher hasher;
	Hasher_Init(&hasher);
	Store_Hash(store, &hasher);
	return Hasher_Value(&hasher);
}

static inline void Clear(void)
{
	ck_assert_int_eq(Store_Clear(store, NULL, NULL), 0);
}

#endif
