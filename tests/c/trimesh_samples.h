/* Meshes of triangles as shapes, made of samples in counted memory. */
#ifndef TESTS_TRIMESH_SAMPLES_H
#define TESTS_TRIMESH_SAMPLES_H

#include "mesh_samples.h"
#include "require.h"
#include "shape/shape.h"

#include <math.h>

static Memory memory;

static inline void SetUp(void)
{
	Memory_Init(&memory, NULL, NULL);
}

static inline void TearDown(void)
{
	ck_assert_uint_eq(memory.bytes, 0);
}

static inline Trimesh *Make(const Mesh *mesh)
{
	Error error = {0};
	Trimesh *made = Trimesh_Create(&memory, mesh->positions.data, Mesh_VertexCount(mesh), mesh->indices.data,
	                               Mesh_TriangleCount(mesh), &error);
	REQUIRE(made, "%s", error.text);
	return made;
}

/* The ends of a box. */
static const double LOW[3] = {-1, -2, -3}, HIGH[3] = {1, 2, 3};

/* Hills of n x n squares with waves, some 100 m across, so that there are several clusters. */
static inline Mesh Hills(int n, uint64_t seed)
{
	Mesh mesh = {0};
	Random r = {seed};
	double cell = 100.0 / n;
	for (int z = 0; z <= n; z++)
		for (int x = 0; x <= n; x++)
			Sample_Vertex(&memory, &mesh, x * cell - 50,
			              6 * sin(0.2 * x * cell) * cos(0.13 * z * cell) + Random_Range(&r, -0.4, 0.4), z * cell - 50);
	for (int z = 0; z < n; z++)
		for (int x = 0; x < n; x++) {
			uint32_t a = (uint32_t)(z * (n + 1) + x), b = a + 1, c = a + (uint32_t)n + 1, d = c + 1;
			Sample_Quad(&memory, &mesh, a, c, d, b);
		}
	return mesh;
}

#endif
