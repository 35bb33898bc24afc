/* Building the level's colliders, and building them anew after edits. */
#include "bench_terrain_level.h"

#include <stdio.h>

static double MeshAlone(const Terrain *terrain)
{
	static SurfaceField field;
	static SurfaceMesh mesh;
	double started = Bench_Seconds();
	for (int id = Record_Next(terrain, -1); id >= 0; id = Record_Next(terrain, id)) {
		const Record *record = Record_At(terrain, id);
		if (!record || record->quads == 0)
			continue;
		Terrain_GatherField(terrain, Record_Block(terrain, id), &field);
		Surface_Mesh(terrain->simd, &field, terrain->blockiness, &mesh);
	}
	return Bench_Seconds() - started;
}

static double BuildSeconds(Terrain *terrain, bool edge_kinds)
{
	double started = Bench_Seconds();
	if (!BuildAll(terrain, edge_kinds))
		Fail("out of memory");
	return Bench_Seconds() - started;
}

void PrintBuild(Narrowphase narrowphase, const char *name, int passes)
{
	double records[PASS_LIMIT], mesh[PASS_LIMIT], index[PASS_LIMIT], kinds[PASS_LIMIT];
	TerrainStats stats = {0}, with_kinds = {0};
	for (int pass = 0; pass < passes; pass++) {
		double started = Bench_Seconds();
		Terrain *plain = NewTerrain(narrowphase);
		records[pass] = Bench_Seconds() - started;
		Terrain *full = NewTerrain(narrowphase);
		mesh[pass] = MeshAlone(plain);
		double whole = BuildSeconds(plain, false);
		index[pass] = whole - mesh[pass];
		kinds[pass] = BuildSeconds(full, true) - whole;
		stats = Terrain_Stats(plain);
		with_kinds = Terrain_Stats(full);
		Terrain_Destroy(plain);
		Terrain_Destroy(full);
	}
	double ns = 1e9 / (double)stats.triangles, each = 1.0 / (double)stats.triangles;
	printf("build          %-24s records %.1f, mesh %.1f, index %.1f, edge kinds %.1f ns a triangle\n", name,
	       Median(records, passes) * ns, Median(mesh, passes) * ns, Median(index, passes) * ns,
	       Median(kinds, passes) * ns);
	double mesh_bytes = (double)stats.mesh_bytes * each, index_bytes = (double)stats.index_bytes * each;
	double record_bytes = (double)stats.record_bytes * each;
	printf("memory         %-24s mesh %.2f, index %.2f, records %.2f, all %.2f; edge kinds %.2f bytes a triangle\n",
	       name, mesh_bytes, index_bytes, record_bytes, mesh_bytes + index_bytes + record_bytes,
	       (double)with_kinds.mesh_bytes * each - mesh_bytes);
	fflush(stdout);
}

/* ---- edits --------------------------------------------------------------------------------------------------- */

/* Balls dug at the surface: from the edit to colliders that can be touched. */
void PrintEdits(Narrowphase narrowphase, const char *name, double radius, uint64_t seed, const BenchMesh *mesh)
{
	enum { EDITS = 200 };
	Terrain *terrain = NewTerrain(narrowphase);
	BuildAll(terrain, false);
	Terrain_ClearChanged(terrain);
	double write = 0.0, sync = 0.0, build = 0.0;
	int64_t built = Terrain_Stats(terrain).built;
	Random r = {seed}; /* another for each call: holes stay */
	BlockHitList hits = {0};
	Error error = {0};
	for (int i = 0; i < EDITS; i++) {
		const float *v = mesh->vertices + 3 * (size_t)Random_Below(&r, mesh->vertex_count);
		Brush ball = {.shape = BRUSH_BALL, .center = {v[0], v[1], v[2]}, .half = {radius, radius, radius}};
		double started = Bench_Seconds();
		if (Store_Fill(bench_store, &bench_materials, &ball, MATERIAL_AIR, EDIT_SET, NULL, &error) < 0)
			Fail(error.text);
		write += Bench_Seconds() - started;
		started = Bench_Seconds();
		if (Terrain_Sync(terrain, &error) != ERROR_NONE)
			Fail(error.text);
		sync += Bench_Seconds() - started;
		started = Bench_Seconds();
		for (int k = 0; k < Terrain_ChangedCount(terrain); k++) {
			hits.items.count = 0;
			Terrain_Query(terrain, &bench_memory, Terrain_ChangedBox(terrain, k), &hits);
			for (int h = 0; h < hits.items.count; h++)
				if (hits.items.data[h].solid)
					Terrain_Build(terrain, &hits.items.data[h].record, 1, false, NULL);
		}
		build += Bench_Seconds() - started;
		Terrain_ClearChanged(terrain);
	}
	printf("edit           %-24s ball of radius %g: write %.1f, records %.1f, colliders %.1f us (%.1f blocks)\n", name,
	       radius, write * 1e6 / EDITS, sync * 1e6 / EDITS, build * 1e6 / EDITS,
	       (double)(Terrain_Stats(terrain).built - built) / EDITS);
	Array_Free(&bench_memory, hits.items);
	Terrain_Destroy(terrain);
	fflush(stdout);
}
