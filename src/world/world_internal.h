/* Structures of the world room. Only its own files include this. */
#ifndef SCREE_WORLD_INTERNAL_H
#define SCREE_WORLD_INTERNAL_H

#include "world/world.h"

#define STAGE_LIMIT 16

struct World {
	Memory memory; /* counts everything below */
	TaskPool *tasks;
	MaterialTable *materials;
	Store *store;
	Terrain *terrain;
	Dynamics *dynamics;
	double seed;
	Pos gravity;
	double time;
	int64_t steps;
	double step_ms, stage_ms[STAGE_LIMIT];
	TriangleList triangles; /* of the last query */
	TerrainHitList terrain_hits;
	ARRAY(uint64_t) found;  /* bodies of the last overlap: birth, slot */
	size_t collider_budget; /* bytes */
};

#endif
