/* The triangles that a box meets: from one block, or from all that it reaches. */
#include "terrain/gather_internal.h"

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
	Cell block = Record_Block(terrain, id);
	KdQuadBox asked;
	return !UnitBox_In(&units, block, &asked) ||
	       Collider_Triangles(terrain, block, record->collider, record->collider->kinds, &asked, origin, memory, out);
}

/* ---- all blocks that a box reaches --------------------------------------------------------------------------- */

/* The cubes and blocks whose quads can reach into the box: these reach back by one cube. False: none. */
static bool FindBlocks(const Terrain *terrain, const UnitBox *units, CubeBox *cubes, CellBox *blocks)
{
	const int32_t first[3] = {terrain->lo.x, terrain->lo.y, terrain->lo.z};
	const int32_t last[3] = {terrain->hi.x, terrain->hi.y, terrain->hi.z};
	if (terrain->record_count == 0)
		return false;
	for (int a = 0; a < 3; a++) {
		int64_t hi = (units->hi[a] >> 12) - 1, lo = (units->lo[a] >> 12) - 1;
		int64_t begin = (int64_t)first[a] * BLOCK_SIZE - 1, end = (int64_t)last[a] * BLOCK_SIZE + BLOCK_SIZE - 1;
		lo = lo < hi ? lo : hi; /* a box thinner than a unit may lie between two cubes */
		if (lo > end || hi < begin)
			return false;
		cubes->lo[a] = (int32_t)(lo < begin ? begin : lo);
		cubes->hi[a] = (int32_t)(hi > end ? end : hi);
	}
	*blocks = (CellBox){
	    {cubes->lo[0] >> BLOCK_BITS, cubes->lo[1] >> BLOCK_BITS, cubes->lo[2] >> BLOCK_BITS},
	    {(cubes->hi[0] + 1) >> BLOCK_BITS, (cubes->hi[1] + 1) >> BLOCK_BITS, (cubes->hi[2] + 1) >> BLOCK_BITS}};
	return true;
}

/* Is one of the block's mixed cubes among the cubes? All four cubes of a quad are mixed, and of those before the block
 * the first ones in it are always among the four. */
static bool MeetsMixed(const Record *record, Cell block, const CubeBox *cubes)
{
	const int32_t at[3] = {block.x * BLOCK_SIZE, block.y * BLOCK_SIZE, block.z * BLOCK_SIZE};
	int lo[3], hi[3];
	for (int a = 0; a < 3; a++) {
		lo[a] = Int_Clamp(cubes->lo[a] - at[a], 0, BLOCK_SIZE - 1);
		hi[a] = Int_Clamp(cubes->hi[a] - at[a], 0, BLOCK_SIZE - 1);
	}
	uint64_t bits = 0;
	for (int y = lo[1]; y <= hi[1]; y++)
		bits |= record->mixed[y];
	return (bits & Words_Columns(lo[0], hi[0]) & Words_Rows(lo[2], hi[2])) != 0;
}

/* ---- one block's answer -------------------------------------------------------------------------------------- */

/* Appends the quads without their geometry. */
static bool NameQuads(const Gathering *to, int id, const Collider *collider, const KdQuadBox *asked)
{
	TerrainQuadList *out = to->quads;
	QuadsFound found;
	Collider_Overlap(to->terrain, collider, asked, &found);
	if (!Array_Reserve(to->terrain->memory, out->items, out->items.count + collider->quad_count))
		return false;
	TerrainQuad *quad = out->items.data + out->items.count;
	for (uint32_t rows = found.rows; rows; rows &= rows - 1) {
		int r = __builtin_ctz(rows);
		uint64_t first = found.half[0][r], second = found.half[1][r];
		for (uint64_t bits = first | second; bits; bits &= bits - 1) {
			int bit = __builtin_ctzll(bits);
			unsigned halves = (unsigned)(first >> bit & 1) | (unsigned)(second >> bit & 1) << 1;
			*quad++ = (TerrainQuad){id, (uint16_t)(r << 6 | bit), (uint16_t)halves};
		}
	}
	out->items.count = (int)(quad - out->items.data);
	return true;
}

bool Gather_Triangles(const Gathering *to, Cell block, const Record *record, const KdQuadBox *asked)
{
	/* Kinds that are there for another's sake do not count: the answer must not depend on what was asked before. */
	const uint8_t *kinds = to->edge_kinds ? record->collider->kinds : NULL;
	return Collider_Triangles(to->terrain, block, record->collider, kinds, asked, to->origin, to->terrain->memory,
	                          to->triangles);
}

/* The block's answer, its collider built when it is not there. */
static bool GatherBlock(const Gathering *to, const CubeBox *cubes, int id, Cell block, const Record *record)
{
	Terrain *terrain = to->terrain;
	KdQuadBox asked;
	if (record->quads == 0 || !MeetsMixed(record, block, cubes) || !UnitBox_In(&to->units, block, &asked))
		return true;
	if (!Cache_Ready(terrain, record, to->edge_kinds) && !Terrain_Build(terrain, &id, 1, to->edge_kinds, NULL))
		return false;
	return to->triangles ? Gather_Triangles(to, block, record, &asked) : NameQuads(to, id, record->collider, &asked);
}

/* ---- few blocks, or many ------------------------------------------------------------------------------------- */

/* Straight from the words. */
static bool GatherNear(const Gathering *to, const CubeBox *cubes, CellBox blocks)
{
	const Terrain *terrain = to->terrain;
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
				if (record && !GatherBlock(to, cubes, Record_Id(terrain, group, index), block, record))
					return false;
			}
	return true;
}

/* By the list of what is there. */
static bool GatherFar(const Gathering *to, const CubeBox *cubes, WorldBox box)
{
	Terrain *terrain = to->terrain;
	BlockHitList *hits = &terrain->reached;
	hits->items.count = 0;
	if (!Terrain_Query(terrain, terrain->memory, box, hits))
		return false;
	for (int i = 0; i < hits->items.count; i++) {
		const BlockHit *hit = &hits->items.data[i];
		const Record *record = hit->solid ? Record_At(terrain, hit->record) : NULL;
		if (record && !GatherBlock(to, cubes, hit->record, hit->block, record))
			return false;
	}
	return true;
}

static bool GatherAll(Gathering *to, WorldBox box)
{
	CubeBox cubes;
	CellBox blocks;
#if SCREE_X86
	NearBox near;
	if (to->terrain->simd) {
		switch (NearBox_From(to->terrain, box, &near)) {
		case NEAR_NOTHING:
			return true;
		case NEAR_FEW:
			return Gather_NearFast(to, &near);
		case NEAR_MANY:
			break;
		}
	}
#endif
	if (!UnitBox_From(to->terrain, box, &to->units) || !FindBlocks(to->terrain, &to->units, &cubes, &blocks))
		return true;
	double volume = ((double)blocks.hi.x - blocks.lo.x + 1) * ((double)blocks.hi.y - blocks.lo.y + 1) *
	                ((double)blocks.hi.z - blocks.lo.z + 1);
	return volume <= NEAR_BLOCKS ? GatherNear(to, &cubes, blocks) : GatherFar(to, &cubes, box);
}

/* ---- what is asked of them ----------------------------------------------------------------------------------- */

bool Terrain_Gather(Terrain *terrain, WorldBox box, Pos origin, bool edge_kinds, TriangleList *out)
{
	int first = out->items.count;
	Gathering to = {.terrain = terrain, .origin = origin, .edge_kinds = edge_kinds, .triangles = out};
	bool ok = GatherAll(&to, box);
	if (!ok)
		out->items.count = first;
	return ok;
}

bool Terrain_Overlap(Terrain *terrain, WorldBox box, TerrainQuadList *out)
{
	int first = out->items.count;
	Gathering to = {.terrain = terrain, .quads = out};
	bool ok = GatherAll(&to, box);
	if (!ok)
		out->items.count = first;
	return ok;
}
