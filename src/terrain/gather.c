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
	const double scale = terrain->cells_per_metre * SURFACE_UNIT, half_cell = 0.5 * SURFACE_UNIT;
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
	return Collider_Triangles(terrain, Record_Block(terrain, id), record->collider, record->collider->kinds, &units,
	                          origin, memory, out);
}

/* ---- all blocks that a box reaches --------------------------------------------------------------------------- */

typedef bool VisitFn(void *context, Terrain *terrain, int id, Cell block, const Collider *collider);

typedef struct Visit {
	Terrain *terrain;
	bool edge_kinds;
	VisitFn *fn;
	void *context;
} Visit;

/* The block's quads, its collider built when it is not there. */
static bool VisitBlock(const Visit *visit, int id, Cell block, const Record *record)
{
	Terrain *terrain = visit->terrain;
	if (record->quads == 0)
		return true;
	if (!Cache_Ready(terrain, record, visit->edge_kinds) && !Terrain_Build(terrain, &id, 1, visit->edge_kinds, NULL))
		return false;
	return visit->fn(visit->context, terrain, id, block, record->collider);
}

/* Boxes about bodies: a few blocks, straight from the words. */
static bool VisitNear(const Visit *visit, CellBox blocks, const CellBox *cells)
{
	const Terrain *terrain = visit->terrain;
	const Group *group = NULL;
	Cell known = {INT32_MAX, 0, 0}; /* where `group` was looked up */
	for (int y = blocks.lo.y; y <= blocks.hi.y; y++)
		for (int z = blocks.lo.z; z <= blocks.hi.z; z++)
			for (int x = blocks.lo.x; x <= blocks.hi.x; x++) {
				Cell block = {x, y, z}, at = {x >> GROUP_BITS, y >> GROUP_BITS, z >> GROUP_BITS};
				if (at.x != known.x || at.y != known.y || at.z != known.z) {
					known = at;
					group = Group_Find(terrain, at.x, at.y, at.z);
				}
				int index = Group_Index(block);
				const Record *record = group ? Group_Record(group, index) : NULL;
				if (!record || !Words_Meet(record->solid, block, cells))
					continue;
				if (!VisitBlock(visit, Record_Id(terrain, group, index), block, record))
					return false;
			}
	return true;
}

/* Large boxes go by the list of what is there. */
static bool VisitFar(const Visit *visit, WorldBox box)
{
	Terrain *terrain = visit->terrain;
	BlockHitList *hits = &terrain->reached;
	hits->items.count = 0;
	if (!Terrain_Query(terrain, terrain->memory, box, hits))
		return false;
	for (int i = 0; i < hits->items.count; i++) {
		const BlockHit *hit = &hits->items.data[i];
		const Record *record = hit->solid ? Record_At(terrain, hit->record) : NULL;
		if (record && !VisitBlock(visit, hit->record, hit->block, record))
			return false;
	}
	return true;
}

#define NEAR_BLOCKS 64

/* In the order of blocks (y, z, x). False: out of memory, or fn said so. */
static bool VisitAll(const Visit *visit, WorldBox box)
{
	CellBox cells;
	if (!Terrain_CellsOf(visit->terrain, box, &cells))
		return true;
	CellBox blocks = BlocksOfCells(cells);
	double volume = ((double)blocks.hi.x - blocks.lo.x + 1) * ((double)blocks.hi.y - blocks.lo.y + 1) *
	                ((double)blocks.hi.z - blocks.lo.z + 1);
	return volume <= NEAR_BLOCKS ? VisitNear(visit, blocks, &cells) : VisitFar(visit, box);
}

/* ---- what is asked of them ----------------------------------------------------------------------------------- */

typedef struct GatherTo {
	UnitBox units;
	Pos origin;
	bool edge_kinds;
	TriangleList *out;
} GatherTo;

static bool GatherBlock(void *context, Terrain *terrain, int id, Cell block, const Collider *collider)
{
	const GatherTo *to = context;
	(void)id;
	/* Kinds that are there for another's sake do not count: the answer must not depend on what was asked before. */
	const uint8_t *kinds = to->edge_kinds ? collider->kinds : NULL;
	return Collider_Triangles(terrain, block, collider, kinds, &to->units, to->origin, terrain->memory, to->out);
}

bool Terrain_Gather(Terrain *terrain, WorldBox box, Pos origin, bool edge_kinds, TriangleList *out)
{
	int first = out->items.count;
	GatherTo to = {.origin = origin, .edge_kinds = edge_kinds, .out = out};
	Visit visit = {terrain, edge_kinds, GatherBlock, &to};
	bool ok = !UnitBox_From(terrain, box, &to.units) || VisitAll(&visit, box);
	if (!ok)
		out->items.count = first;
	return ok;
}

typedef struct OverlapTo {
	UnitBox units;
	TerrainQuadList *out;
} OverlapTo;

static bool OverlapBlock(void *context, Terrain *terrain, int id, Cell block, const Collider *collider)
{
	const OverlapTo *to = context;
	TerrainQuadList *out = to->out;
	KdQuadBox asked;
	uint32_t found[SURFACE_QUAD_LIMIT];
	if (!UnitBox_In(&to->units, block, &asked))
		return true;
	int count = Collider_Overlap(terrain, collider, &asked, found);
	if (!Array_Reserve(terrain->memory, out->items, out->items.count + count))
		return false;
	for (int i = 0; i < count; i++)
		out->items.data[out->items.count++] =
		    (TerrainQuad){id, (uint16_t)Found_Edge(found[i]), (uint16_t)Found_Halves(found[i])};
	return true;
}

bool Terrain_Overlap(Terrain *terrain, WorldBox box, TerrainQuadList *out)
{
	int first = out->items.count;
	OverlapTo to = {.out = out};
	Visit visit = {terrain, false, OverlapBlock, &to};
	bool ok = !UnitBox_From(terrain, box, &to.units) || VisitAll(&visit, box);
	if (!ok)
		out->items.count = first;
	return ok;
}
