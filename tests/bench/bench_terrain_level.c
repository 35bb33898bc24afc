/* The level of the terrain benchmark, its colliders, and its surface as peers want it. */
#include "bench_terrain_level.h"

#include "level_hills.h"

#include <stdlib.h>

Memory bench_memory;
MaterialTable bench_materials;
Store *bench_store;

void Level_Open(void)
{
	Error error = {0};
	Memory_Init(&bench_memory, NULL, NULL);
	MaterialTable_Init(&bench_materials);
	bench_store = Store_Create(&bench_memory);
	if (!bench_store || Level_Fill(bench_store, &error) != ERROR_NONE)
		Fail(error.text);
}

int Level_Fill(Store *store, Error *error)
{
	return LevelHills_Fill(store, (Cell){0, 0, 0}, LEVEL_X, LEVEL_Y, LEVEL_Z, 1, error);
}

void Level_Close(void)
{
	Store_Destroy(bench_store);
}

Terrain *NewTerrain(Narrowphase narrowphase)
{
	Error error = {0};
	Terrain *terrain = Terrain_Create(&bench_memory, bench_store, &bench_materials, 1.0, narrowphase);
	if (!terrain || Terrain_Sync(terrain, &error) != ERROR_NONE)
		Fail("no terrain");
	return terrain;
}

bool BuildAll(Terrain *terrain, bool edge_kinds)
{
	bool ok = true;
	for (int32_t i = Record_Next(terrain, -1); i >= 0; i = Record_Next(terrain, i))
		ok &= Terrain_Build(terrain, &i, 1, edge_kinds, NULL);
	return ok;
}

static void CopyMesh(const TerrainMesh *from, float *vertices, uint32_t *triangles)
{
	for (int64_t i = 0; i < 3 * from->vertex_count; i++)
		vertices[i] = (float)from->positions[i];
	memcpy(triangles, from->indices, 3 * (size_t)from->triangle_count * sizeof *triangles);
}

BenchMesh MakeMesh(Terrain *terrain)
{
	BenchMesh mesh = {0};
	TerrainMesh whole;
	Error error = {0};
	CellList blocks = {0};
	if (Terrain_Mesh(terrain, NULL, &whole, &error) != ERROR_NONE ||
	    !Terrain_SurfaceBlocks(terrain, NULL, &bench_memory, &blocks))
		Fail(error.text);
	mesh.vertex_count = (int)whole.vertex_count;
	mesh.triangle_count = (int)whole.triangle_count;
	mesh.vertices = Need(12 * (size_t)whole.vertex_count + 16);
	mesh.triangles = Need(12 * (size_t)whole.triangle_count);
	mesh.chunk_vertices =
	    Need(12 * 4 * (size_t)whole.vertex_count + 16); /* a vertex is in up to eight, on average two */
	mesh.chunk_triangles = Need(12 * (size_t)whole.triangle_count);
	mesh.chunks = Need((size_t)blocks.items.count * sizeof(BenchChunk));
	CopyMesh(&whole, mesh.vertices, mesh.triangles);
	int triangles = 0;
	for (int i = 0; i < blocks.items.count; i++) {
		TerrainMesh one;
		CellBox cells = CellsOfBlocks(blocks.items.data[i], blocks.items.data[i]);
		if (Terrain_Mesh(terrain, &cells, &one, &error) != ERROR_NONE)
			Fail(error.text);
		BenchChunk chunk = {mesh.chunk_vertex_count, (int)one.vertex_count, triangles, (int)one.triangle_count};
		if (chunk.vertex + chunk.vertices > 4 * mesh.vertex_count || triangles + chunk.triangles > mesh.triangle_count)
			Fail("the blocks have more than the whole");
		CopyMesh(&one, mesh.chunk_vertices + 3 * chunk.vertex, mesh.chunk_triangles + 3 * triangles);
		mesh.chunks[mesh.chunk_count++] = chunk;
		mesh.chunk_vertex_count += chunk.vertices;
		triangles += chunk.triangles;
		TerrainMesh_Free(&bench_memory, &one);
	}
	Array_Free(&bench_memory, blocks.items);
	TerrainMesh_Free(&bench_memory, &whole);
	return mesh;
}
