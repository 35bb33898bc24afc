/* The triangles that a box meets: from one block, or from all that it reaches. */
#include "terrain/terrain_internal.h"

/* Beyond all cells, and still exact in double and int64. */
#define FAR_UNITS 1e15

static int64_t Ceil(double v)
{
	if (v <= -FAR_UNITS || v >= FAR_UNITS)
		return v < 0.0 ? (int64_t)-FAR_UNITS : (int64_t)FAR_UNITS;
	int64_t whole = (int64_t)v;
	return whole + ((double)whole < v);
}

bool UnitBox_From(const Terrain *terrain, WorldBox box, UnitBox *units)
{
	const double scale = terrain->cells_per_metre * SURFACE_UNIT, half_cell = SURFACE_UNIT / 2;
	const double lo[3] = {box.lo.x, box.lo.y, box.lo.z}, hi[3] = {box.hi.x, box.hi.y, box.hi.z};
	for (int a = 0; a < 3; a++) {
		if (!(lo[a] <= hi[a]))
			return false;
		units->lo[a] = Ceil(lo[a] * scale + half_cell);
		units->hi[a] = -Ceil(-(hi[a] * scale + half_cell));
	}
	return true;
}

bool UnitBox_In(const UnitBox *units, Cell block, KdQuadBox *out)
{
	const int32_t at[3] = {block.x, block.y, block.z};
	for (int a = 0; a < 3; a++) {
		int64_t zero = (int64_t)at[a] * BLOCK_SIZE * SURFACE_UNIT, lo = units->lo[a] - zero, hi = units->hi[a] - zero;
		if (hi < 0 || lo > UINT16_MAX)
			return false;
		out->lo[a] = (uint16_t)(lo < 0 ? 0 : lo);
		out->hi[a] = (uint16_t)(hi > UINT16_MAX ? UINT16_MAX : hi);
	}
	return true;
}

bool Terrain_Triangles(const Terrain *terrain, int32_t id, WorldBox box, Pos origin, Memory *memory, TriangleList *out)
{
	const Record *record = Record_At(terrain, id);
	UnitBox units;
	if (!record || record->quads == 0 || !UnitBox_From(terrain, box, &units))
		return true;
	SCREE_ASSERT(record->collider);
	return Collider_Triangles(terrain, Record_Block(terrain, id), record->collider, &units, origin, memory, out);
}

/* The blocks that the box reaches, in terrain->reached, all with their colliders built. */
static bool Reach(Terrain *terrain, WorldBox box, bool edge_kinds)
{
	BlockHitList *hits = &terrain->reached;
	hits->items.count = 0;
	if (!Terrain_Query(terrain, terrain->memory, box, hits))
		return false;
	for (int i = 0; i < hits->items.count; i++) {
		const BlockHit *hit = &hits->items.data[i];
		if (hit->solid && !Cache_Ready(terrain, hit->record, edge_kinds) &&
		    !Terrain_Build(terrain, &hit->record, 1, edge_kinds, NULL))
			return false;
	}
	return true;
}

bool Terrain_Gather(Terrain *terrain, WorldBox box, Pos origin, bool edge_kinds, TriangleList *out)
{
	int first = out->items.count;
	UnitBox units;
	if (!UnitBox_From(terrain, box, &units))
		return true;
	bool ok = Reach(terrain, box, edge_kinds);
	for (int i = 0; ok && i < terrain->reached.items.count; i++) {
		const BlockHit *hit = &terrain->reached.items.data[i];
		const Record *record = hit->solid ? Record_At(terrain, hit->record) : NULL;
		if (record && record->quads > 0)
			ok = Collider_Triangles(terrain, hit->block, record->collider, &units, origin, terrain->memory, out);
	}
	if (!ok)
		out->items.count = first;
	return ok;
}

bool Terrain_Overlap(Terrain *terrain, WorldBox box, TerrainQuadList *out)
{
	int first = out->items.count;
	UnitBox units;
	if (!UnitBox_From(terrain, box, &units))
		return true;
	bool ok = Reach(terrain, box, false);
	for (int i = 0; ok && i < terrain->reached.items.count; i++) {
		const BlockHit *hit = &terrain->reached.items.data[i];
		const Record *record = hit->solid ? Record_At(terrain, hit->record) : NULL;
		KdQuadBox asked;
		uint32_t found[SURFACE_QUAD_LIMIT];
		if (!record || record->quads == 0 || !UnitBox_In(&units, hit->block, &asked))
			continue;
		int count = Collider_Overlap(terrain, record->collider, &asked, found);
		ok = Array_Reserve(terrain->memory, out->items, out->items.count + count);
		for (int k = 0; ok && k < count; k++)
			out->items.data[out->items.count++] =
			    (TerrainQuad){hit->record, (uint16_t)Found_Edge(found[k]), (uint16_t)Found_Halves(found[k])};
	}
	if (!ok)
		out->items.count = first;
	return ok;
}
