/* Joining convex parts of different blocks: two become one if the hull around both still fits the surface of both.
 * Blocks are put together two by two along x, z and y, up to 64 cells a side; where either has several parts, they stay
 * as they are. */
#include "pieces/carve_internal.h"

#define DOUBLINGS 3 /* of blocks: 8 to 64 cells */

static Cell Halved(Cell at, int axis)
{
	return (Cell){axis == 0 ? at.x >> 1 : at.x, axis == 1 ? at.y >> 1 : at.y, axis == 2 ? at.z >> 1 : at.z};
}

/* Nodes that are alone in their place and the first ones of two become the coarser ones. */
static bool ListPairs(Carver *c, int axis)
{
	CoordMap_Free(&c->node_map, c->memory);
	c->coarser.count = c->pairs.count = 0;
	for (int i = 0; i < c->nodes.count; i++) {
		CarveNode node = c->nodes.data[i];
		node.at = Halved(node.at, axis);
		int place = CoordMap_Find(&c->node_map, node.at.x, node.at.y, node.at.z);
		if (place >= 0) {
			if (!Array_Push(c->memory, c->pairs, ((CarvePair){.into = place, .from = node})))
				return false;
		} else if (!CoordMap_Put(&c->node_map, c->memory, node.at.x, node.at.y, node.at.z, c->coarser.count) ||
		           !Array_Push(c->memory, c->coarser, node)) {
			return false;
		}
	}
	return true;
}

static bool TryPair(Carver *c, CarveWorker *w, int item)
{
	CarvePair *pair = &c->pairs.data[item];
	const CarveNode *into = &c->coarser.data[pair->into];
	if (into->count != 1 || pair->from.count != 1)
		return true;
	int joined = Worker_TryJoin(w, &c->list, into->part, pair->from.part, NULL);
	if (joined != 1)
		return joined == 0;
	int count = LatticeHull_CornerCount(w->hull);
	pair->worker = w->number;
	pair->corner = w->joined.count;
	if (!Array_Reserve(w->memory, w->joined, w->joined.count + count))
		return false;
	for (int i = 0; i < count; i++)
		w->joined.data[w->joined.count++] = LatticeHull_Corner(w->hull, i);
	pair->corner_count = count;
	return true;
}

static bool SettlePair(Carver *c, const CarvePair *pair)
{
	CarveNode *into = &c->coarser.data[pair->into];
	if (pair->corner_count > 0) {
		PartList *list = &c->list;
		int first = list->corners.count;
		if (!Array_Resize(c->memory, list->corners, first + pair->corner_count))
			return false;
		memcpy(list->corners.data + first, c->workers[pair->worker]->joined.data + pair->corner,
		       sizeof(Cell) * (size_t)pair->corner_count);
		PartList_Join(list, into->part, pair->from.part, pair->corner_count);
		return true;
	}
	CarvePart *parts = c->list.parts.data;
	int last = into->part;
	while (parts[last].next != NONE)
		last = parts[last].next;
	parts[last].next = pair->from.part;
	into->count += pair->from.count;
	return true;
}

/* All pairs along one axis. */
static bool Halve(Carver *c, int axis)
{
	for (int i = 0; i < c->worker_count; i++)
		if (c->workers[i])
			c->workers[i]->joined.count = 0;
	if (!ListPairs(c, axis) || !Carver_ForAll(c, c->pairs.count, TryPair))
		return false;
	for (int i = 0; i < c->pairs.count; i++)
		if (!SettlePair(c, &c->pairs.data[i]))
			return false;
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
