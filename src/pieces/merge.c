/* Joining convex parts: two become one if the hull around both still fits the surface of both. Blocks are put together
 * two by two along x, z and y, up to 64 cells a side; where either has several parts, they stay as they are. */
#include "pieces/carve_internal.h"

#define DOUBLINGS 3 /* of blocks: 8 to 64 cells */

static bool AddCornersOf(Carver *c, int part)
{
	const CarvePart *p = &c->parts.data[part];
	if (!Array_Reserve(c->memory, c->points, c->points.count + p->corner_count))
		return false;
	for (int i = 0; i < p->corner_count; i++)
		c->points.data[c->points.count++] = c->corners.data[p->corner + i];
	return true;
}

int Carver_TryJoin(Carver *c, int a, int b, CarveFitsFn *fits)
{
	static const double slacks[] = {0.03, 0.055}; /* cells */
	c->points.count = 0;
	if (!AddCornersOf(c, a) || !AddCornersOf(c, b))
		return ERROR_MEMORY;
	int built = 0;
	for (int i = 0; i < COUNT_OF(slacks) && built == 0; i++) /* coarser where it would have too many corners */
		built = LatticeHull_Build(c->hull, c->points.data, c->points.count, slacks[i] * PATCH_UNIT);
	if (built != 1)
		return built;
	if ((fits && !fits(c, NULL)) || !Carver_Fits(c, a) || !Carver_Fits(c, b))
		return 0;
	int count = LatticeHull_CornerCount(c->hull);
	if (!Array_Reserve(c->memory, c->corners, c->corners.count + count))
		return ERROR_MEMORY;
	CarvePart *pa = &c->parts.data[a], *pb = &c->parts.data[b];
	pa->corner = c->corners.count;
	pa->corner_count = count;
	for (int i = 0; i < count; i++)
		c->corners.data[c->corners.count++] = LatticeHull_Corner(c->hull, i);
	if (pa->sample == NONE)
		pa->sample = pb->sample;
	else
		c->sample_runs.data[pa->last_sample].next = pb->sample;
	if (pb->sample != NONE)
		pa->last_sample = pb->last_sample;
	pb->corner_count = 0;
	return 1;
}

static bool JoinNodes(Carver *c, CarveNode *into, const CarveNode *from)
{
	if (into->count == 1 && from->count == 1) {
		int joined = Carver_TryJoin(c, into->part, from->part, NULL);
		if (joined != 0)
			return joined > 0;
	}
	int last = into->part;
	while (c->parts.data[last].next != NONE)
		last = c->parts.data[last].next;
	c->parts.data[last].next = from->part;
	into->count += from->count;
	return true;
}

static Cell Halved(Cell at, int axis)
{
	return (Cell){axis == 0 ? at.x >> 1 : at.x, axis == 1 ? at.y >> 1 : at.y, axis == 2 ? at.z >> 1 : at.z};
}

/* All pairs along one axis. */
static bool Halve(Carver *c, int axis)
{
	CoordMap_Free(&c->map, c->memory);
	c->coarser.count = 0;
	for (int i = 0; i < c->nodes.count; i++) {
		CarveNode node = c->nodes.data[i];
		node.at = Halved(node.at, axis);
		int place = CoordMap_Find(&c->map, node.at.x, node.at.y, node.at.z);
		if (place >= 0) {
			if (!JoinNodes(c, &c->coarser.data[place], &node))
				return false;
		} else if (!CoordMap_Put(&c->map, c->memory, node.at.x, node.at.y, node.at.z, c->coarser.count) ||
		           !Array_Push(c->memory, c->coarser, node)) {
			return false;
		}
	}
	if (!Array_Resize(c->memory, c->nodes, c->coarser.count))
		return false;
	memcpy(c->nodes.data, c->coarser.data, sizeof(CarveNode) * (size_t)c->coarser.count);
	return true;
}

bool Carver_Merge(Carver *c)
{
	static const int axes[3] = {0, 2, 1};
	for (int i = 0; i < 3 * DOUBLINGS && c->nodes.count > 1; i++)
		if (!Halve(c, axes[i % 3]))
			return false;
	return true;
}
