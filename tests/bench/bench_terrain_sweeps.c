/* Shapes swept over the level by a world: ten cells towards the ground, from above it. */
#include "bench_terrain_level.h"

#include "world/world.h"

#include <stdio.h>

enum { SWEEPS = 2000 };

static void Sweep(World *world, const char *name, const Shape *shape, const char *kind, int passes)
{
	static const QueryFilter filter = {.terrain = true, .inside = true, .groups = UINT32_MAX};
	const Quat turn = QuatNormalize((Quat){0.3f, -0.2f, 0.1f, 0.9f});
	double seconds[PASS_LIMIT];
	int hits = 0;
	for (int pass = -1; pass < passes; pass++) { /* the first builds the colliders */
		Random r = {4242};
		double started = Bench_Seconds();
		hits = 0;
		for (int i = 0; i < SWEEPS; i++) {
			Pos from = {Random_Range(&r, 8, LEVEL_X - 8), Random_Range(&r, 20, LEVEL_Y),
			            Random_Range(&r, 8, LEVEL_Z - 8)};
			Pos to = {from.x + Random_Range(&r, -6, 6), from.y - 8.0, from.z + Random_Range(&r, -6, 6)};
			QueryHit hit;
			Error error;
			int met = World_Cast(world, shape, turn, from, to, &filter, &hit, &error);
			if (met < 0)
				Fail(error.text);
			hits += met && !hit.inside;
		}
		if (pass >= 0)
			seconds[pass] = Bench_Seconds() - started;
	}
	printf("sweeps         %-24s %-8s %8.1f k/s, %.0f %% meet the ground on their way\n", name, kind,
	       SWEEPS * 1e-3 / Median(seconds, passes), hits * 100.0 / SWEEPS);
	fflush(stdout);
}

void PrintSweeps(Narrowphase narrowphase, const char *name, int passes)
{
	Error error = {0};
	Memory memory;
	Memory_Init(&memory, NULL, NULL);
	WorldDef def = {.cell_size = 1.0,
	                .substeps = 4,
	                .threads = 1,
	                .narrowphase = narrowphase,
	                .collider_budget = (size_t)1 << 28,
	                .mark_budget = (size_t)1 << 20};
	World *world = World_Create(&def, &error);
	Hull *hull = Hull_CreateWedge(&memory, V3(0.5f, 0.4f, 0.6f));
	if (!world || !hull || Level_Fill(World_Store(world), &error) != ERROR_NONE)
		Fail(error.text);
	const Shape ball = {.kind = SHAPE_BALL, .radius = 0.5f}, box = {.kind = SHAPE_BOX, .half = {0.5f, 0.4f, 0.6f}};
	const Shape capsule = {.kind = SHAPE_CAPSULE, .radius = 0.3f, .half_length = 0.6f};
	const Shape wedge = {.kind = SHAPE_HULL, .hull = hull};
	Sweep(world, name, &ball, "ball", passes);
	Sweep(world, name, &capsule, "capsule", passes);
	Sweep(world, name, &box, "box", passes);
	Sweep(world, name, &wedge, "hull", passes);
	Hull_Destroy(&memory, hull);
	World_Destroy(world);
}
