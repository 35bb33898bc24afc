/* What rays look at on their way: blocks with a record, those of which the ray passes the box of the mixed cubes, those
 * with a mixed cube on the way, whose collider it needs, mixed cubes, and quads. Counted along the plain walk. */
#include "bench_terrain_level.h"

#include "terrain/cast_internal.h"

#include <stdio.h>

typedef struct Visits {
	const Terrain *terrain;
	const Ray *ray;
	double limit;
	int64_t records, boxes, colliders, cubes, quads;
} Visits;

static void CountCube(Visits *visits, Cell block, const int last[3], const int cube[3])
{
	unsigned beyond = Cube_Beyond(cube), wanted = CUBE_EDGES & ~CubeEdges_Shared(last, cube);
	visits->cubes++;
	for (unsigned side = 0; side <= beyond; side++) {
		if (side & ~beyond)
			continue;
		int id = Record_Find(visits->terrain, Block_Beside(block, side));
		const Record *record = id < 0 ? NULL : Record_At(visits->terrain, id);
		if (!record || !record->collider)
			continue;
		unsigned edges = CUBE_EDGES_OF[beyond][side] & wanted;
		visits->quads += __builtin_popcount(Lattice_BorderEdges(Collider_Lattice(record->collider), cube, edges));
	}
}

/* As Cast_Block. */
static void VisitBlock(void *context, int id, double enter, double leave)
{
	Visits *visits = context;
	const Record *record = Record_At(visits->terrain, id);
	const Ray *ray = visits->ray;
	Cell block = Record_Block(visits->terrain, id);
	const int ahead[3] = {block.x - ray->frame.x, block.y - ray->frame.y, block.z - ray->frame.z};
	double origin[3], box_lo[3], box_hi[3];
	int lo[3], hi[3], last[3] = {-8, -8, -8};
	bool needed = false;
	visits->records++;
	for (int a = 0; a < 3; a++) {
		origin[a] = ray->origin[a] - (double)ahead[a] * BLOCK_UNITS;
		lo[a] = record->mixed_lo[a];
		hi[a] = record->mixed_hi[a];
		box_lo[a] = lo[a] * SURFACE_UNIT - WALK_SLACK;
		box_hi[a] = (hi[a] + 1) * SURFACE_UNIT + WALK_SLACK;
	}
	if (!Ray_Clip(ray, origin, box_lo, box_hi, &enter, &leave))
		return;
	visits->boxes++;
	GridWalk cubes;
	GridWalk_Begin(&cubes, ray, origin, SURFACE_UNIT, lo, hi, enter, leave);
	do {
		if (cubes.enter > visits->limit)
			break;
		if (!(record->mixed[cubes.at[1]] >> (8 * cubes.at[2] + cubes.at[0]) & 1))
			continue;
		CountCube(visits, block, last, cubes.at);
		memcpy(last, cubes.at, sizeof last);
		needed = true;
	} while (GridWalk_Step(&cubes));
	visits->colliders += needed;
}

void PrintVisits(Terrain *terrain, const Question *q)
{
	enum { EVERY = 16 };
	Visits visits = {.terrain = terrain};
	int count = 0;
	for (int i = 0; i < q->count; i += EVERY, count++) {
		const float *r = q->data + 6 * (size_t)i;
		Pos from = {r[0], r[1], r[2]};
		Pos to = {from.x + (double)r[3] * q->length, from.y + (double)r[4] * q->length,
		          from.z + (double)r[5] * q->length};
		Segment segment;
		TerrainHit hit;
		Error error;
		int met = Terrain_Ray(terrain, from, to, (TerrainRayOptions){false, false, 1.0}, &hit, &error);
		if (Segment_From(terrain, from, to, 1.0, &segment, &error) <= 0)
			continue;
		visits.ray = &segment.ray;
		visits.limit = met > 0 ? hit.fraction * segment.length : segment.ray.end;
		Ray_Blocks(terrain, &segment.ray, 0.0, GROUP_MIXED, 0.0, segment.ray.end, &visits.limit, VisitBlock, &visits);
	}
	printf("%-14s a ray looks at %.2f records, %.2f boxes of mixed cubes, %.2f colliders, %.2f cubes, %.2f quads\n",
	       q->name, (double)visits.records / count, (double)visits.boxes / count, (double)visits.colliders / count,
	       (double)visits.cubes / count, (double)visits.quads / count);
	fflush(stdout);
}
