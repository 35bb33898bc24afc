/* The way of a ray over blocks, nearest first. Groups are looked up only where the walk enters another one. */
#include "terrain/cast_internal.h"

#include <stdlib.h>

typedef struct BlockWalk {
	const Terrain *terrain;
	const Ray *ray;
	double origin[3]; /* the ray's, from the corner of cube (or cell) 0 of the frame */
	GroupWord word;
	const double *limit;
	RayBlockFn *fn;
	void *context;
} BlockWalk;

/* Over the blocks lo..hi, counted from the frame. */
static void WalkBlocks(const BlockWalk *walk, const int lo[3], const int hi[3], double s0, double s1)
{
	const Cell frame = walk->ray->frame;
	const Group *group = NULL;
	Cell known = {INT32_MAX, 0, 0}; /* where `group` was looked up */
	uint64_t word = 0;
	GridWalk blocks;
	GridWalk_Begin(&blocks, walk->ray, walk->origin, BLOCK_UNITS, lo, hi, s0, s1);
	do {
		if (blocks.enter > *walk->limit)
			return;
		Cell block = {frame.x + blocks.at[0], frame.y + blocks.at[1], frame.z + blocks.at[2]};
		Cell at = {block.x >> GROUP_BITS, block.y >> GROUP_BITS, block.z >> GROUP_BITS};
		if (at.x != known.x || at.y != known.y || at.z != known.z) {
			known = at;
			group = Group_Find(walk->terrain, at.x, at.y, at.z);
			word = !group ? 0 : walk->word == GROUP_WATER ? group->water : group->mixed;
		}
		if (word & Group_Bit(block))
			walk->fn(walk->context, Record_Id(walk->terrain, group, Group_Index(block)), blocks.enter, blocks.leave);
	} while (GridWalk_Step(&blocks));
}

/* ---- worlds of far islands ----------------------------------------------------------------------------------- */

typedef struct GroupOnRay {
	double enter, leave;
	Cell at;
} GroupOnRay;

static int EnterOrder(const void *a, const void *b)
{
	const GroupOnRay *p = a, *q = b;
	if (p->enter != q->enter)
		return p->enter < q->enter ? -1 : 1;
	return Cell_Order(&p->at, &q->at);
}

/* The blocks of a group, counted from the frame. */
static void GroupBlocks(Cell at, Cell frame, int lo[3], int hi[3])
{
	const int side = 1 << GROUP_BITS;
	const int first[3] = {at.x * side - frame.x, at.y * side - frame.y, at.z * side - frame.z};
	for (int a = 0; a < 3; a++) {
		lo[a] = first[a];
		hi[a] = first[a] + side - 1;
	}
}

/* By the list of all groups that the ray meets. False: out of memory. */
static bool WalkGroups(const BlockWalk *walk, double s0, double s1)
{
	const Terrain *terrain = walk->terrain;
	ARRAY(GroupOnRay) met = {0};
	bool ok = true;
	int lo[3], hi[3];
	for (int i = 0; ok && i < terrain->groups.count; i++) {
		GroupOnRay found = {s0, s1, terrain->groups.data[i].at};
		if (terrain->groups.data[i].any == 0)
			continue;
		double box_lo[3], box_hi[3];
		GroupBlocks(found.at, walk->ray->frame, lo, hi);
		for (int a = 0; a < 3; a++) {
			box_lo[a] = (double)lo[a] * BLOCK_UNITS - WALK_SLACK;
			box_hi[a] = ((double)hi[a] + 1.0) * BLOCK_UNITS + WALK_SLACK;
		}
		if (Ray_Clip(walk->ray, walk->origin, box_lo, box_hi, &found.enter, &found.leave))
			ok = Array_Push(terrain->memory, met, found);
	}
	if (ok && met.count > 1)
		qsort(met.data, (size_t)met.count, sizeof(GroupOnRay), EnterOrder);
	for (int i = 0; ok && i < met.count && met.data[i].enter <= *walk->limit; i++) {
		GroupBlocks(met.data[i].at, walk->ray->frame, lo, hi);
		WalkBlocks(walk, lo, hi, met.data[i].enter, met.data[i].leave);
	}
	Array_Free(terrain->memory, met);
	return ok;
}

/* ---- the usual way ------------------------------------------------------------------------------------------- */

/* The blocks of all records, counted from the frame, and the stretch of the ray among them. False: it meets none.
 * *steps: how many blocks it meets there, about. */
static bool ClipToRecords(const Terrain *terrain, const Ray *ray, const double origin[3], int lo[3], int hi[3],
                          double *s0, double *s1, double *steps)
{
	const Cell frame = ray->frame;
	if (terrain->record_count == 0) /* lo and hi are no blocks then */
		return false;
	const int first[3] = {terrain->lo.x - frame.x, terrain->lo.y - frame.y, terrain->lo.z - frame.z};
	const int last[3] = {terrain->hi.x - frame.x, terrain->hi.y - frame.y, terrain->hi.z - frame.z};
	double box_lo[3], box_hi[3], speed = 0.0;
	for (int a = 0; a < 3; a++) {
		lo[a] = first[a];
		hi[a] = last[a];
		box_lo[a] = (double)first[a] * BLOCK_UNITS - WALK_SLACK;
		box_hi[a] = ((double)last[a] + 1.0) * BLOCK_UNITS + WALK_SLACK;
		speed += AbsD(ray->dir[a]);
	}
	if (!Ray_Clip(ray, origin, box_lo, box_hi, s0, s1))
		return false;
	*steps = speed * (*s1 - *s0) / BLOCK_UNITS;
	return true;
}

bool Ray_Blocks(const Terrain *terrain, const Ray *ray, double shift, GroupWord word, double s0, double s1,
                const double *limit, RayBlockFn *fn, void *context)
{
	BlockWalk walk = {.terrain = terrain, .ray = ray, .word = word, .limit = limit, .fn = fn, .context = context};
	int lo[3], hi[3];
	double steps;
	for (int a = 0; a < 3; a++)
		walk.origin[a] = ray->origin[a] + shift;
	if (!ClipToRecords(terrain, ray, walk.origin, lo, hi, &s0, &s1, &steps))
		return true;
	if (Walk_IsSparse(terrain, steps))
		return WalkGroups(&walk, s0, s1);
	WalkBlocks(&walk, lo, hi, s0, s1);
	return true;
}

void Cast_World(Cast *cast)
{
	const Ray *ray = cast->ray;
#if SCREE_X86
	if (cast->terrain->simd) {
		Cast_WorldFast(cast);
		return;
	}
#endif
	if (!Ray_Blocks(cast->terrain, ray, 0.0, GROUP_MIXED, 0.0, ray->end, &cast->limit, Cast_Block, cast))
		cast->failed = true;
}
