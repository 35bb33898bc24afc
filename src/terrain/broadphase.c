/* Questions to the bits: which blocks does a box meet, which blocks own quads. */
#include "terrain/terrain_internal.h"

#include <stdlib.h>

/* A quad reaches half a cell beyond the cell that owns it, so boxes are grown by that much to find the owner. */
#define OVERHANG 0.5

int Cell_Order(const void *a, const void *b)
{
	const Cell *p = a, *q = b;
	if (p->y != q->y)
		return p->y < q->y ? -1 : 1;
	if (p->z != q->z)
		return p->z < q->z ? -1 : 1;
	return p->x < q->x ? -1 : p->x > q->x;
}

static int HitOrder(const void *a, const void *b)
{
	return Cell_Order(&((const BlockHit *)a)->block, &((const BlockHit *)b)->block);
}

/* Cells lo..hi that [from, to] (in cells) meets within bounds; false when none, or when a number is none. */
static bool CellRange(double from, double to, int32_t *lo, int32_t *hi)
{
	from -= OVERHANG;
	to += OVERHANG;
	if (!(from <= to) || !(to >= *lo) || !(from < (double)*hi + 1.0))
		return false;
	if (from > *lo)
		*lo = FloorToInt(from);
	if (to < *hi)
		*hi = FloorToInt(to);
	return true;
}

static bool CellsOf(const Terrain *terrain, WorldBox box, CellBox *cells)
{
	double s = terrain->cells_per_metre;
	*cells = CellsOfBlocks(terrain->lo, terrain->hi);
	return CellRange(box.lo.x * s, box.hi.x * s, &cells->lo.x, &cells->hi.x) &&
	       CellRange(box.lo.y * s, box.hi.y * s, &cells->lo.y, &cells->hi.y) &&
	       CellRange(box.lo.z * s, box.hi.z * s, &cells->lo.z, &cells->hi.z);
}

/* Bits x0..x1 of every row of a slice, and all bits of its rows z0..z1. */
static uint64_t Vertical(int x0, int x1)
{
	return (uint64_t)(0xffu << x0 & 0xffu >> (7 - x1) & 0xffu) * 0x0101010101010101u;
}
static uint64_t Horizontal(int z0, int z1)
{
	return ~(uint64_t)0 << 8 * z0 & ~(uint64_t)0 >> 8 * (7 - z1);
}

/* Appends what the bits say of the cells, if anything. */
static bool AskBlock(Memory *memory, const Group *group, int id, const CellBox *cells, BlockHitList *hits)
{
	int index = id % GROUP_BLOCKS;
	Cell block = Group_Block(group, index), corner = CellsOfBlocks(block, block).lo;
	const uint64_t *solids = Group_Solid(group, index), *waters = Group_Water(group, index);
	int last = BLOCK_SIZE - 1;
	uint64_t mask = Vertical(Int_Max(cells->lo.x - corner.x, 0), Int_Min(cells->hi.x - corner.x, last)) &
	                Horizontal(Int_Max(cells->lo.z - corner.z, 0), Int_Min(cells->hi.z - corner.z, last));
	uint64_t solid = 0, water = 0;
	for (int y = Int_Max(cells->lo.y - corner.y, 0); y <= Int_Min(cells->hi.y - corner.y, last); y++) {
		solid |= solids[y];
		water |= waters[y];
	}
	BlockHit hit = {id, block, (solid & mask) != 0, (water & mask) != 0, group->inside >> index & 1};
	if (!hit.solid && !hit.water && !hit.buried)
		return true;
	return Array_Push(memory, hits->items, hit);
}

static bool AskBlocks(const Terrain *terrain, Memory *memory, CellBox blocks, const CellBox *cells, BlockHitList *hits)
{
	for (int y = blocks.lo.y; y <= blocks.hi.y; y++)
		for (int z = blocks.lo.z; z <= blocks.hi.z; z++)
			for (int x = blocks.lo.x; x <= blocks.hi.x; x++) {
				int id = Record_Find(terrain, (Cell){x, y, z});
				if (id >= 0 && !AskBlock(memory, Record_Group(terrain, id), id, cells, hits))
					return false;
			}
	return true;
}

static bool AskAll(const Terrain *terrain, Memory *memory, CellBox blocks, const CellBox *cells, BlockHitList *hits)
{
	int first = hits->items.count;
	for (int id = Record_Next(terrain, -1); id >= 0; id = Record_Next(terrain, id))
		if (CellBoxHolds(blocks, Record_Block(terrain, id)) &&
		    !AskBlock(memory, Record_Group(terrain, id), id, cells, hits))
			return false;
	if (hits->items.count > first)
		qsort(hits->items.data + first, (size_t)(hits->items.count - first), sizeof(BlockHit), HitOrder);
	return true;
}

bool Terrain_Query(const Terrain *terrain, Memory *memory, WorldBox box, BlockHitList *hits)
{
	CellBox cells;
	if (terrain->record_count == 0 || !CellsOf(terrain, box, &cells))
		return true;
	CellBox blocks = BlocksOfCells(cells);
	double volume = ((double)blocks.hi.x - blocks.lo.x + 1) * ((double)blocks.hi.y - blocks.lo.y + 1) *
	                ((double)blocks.hi.z - blocks.lo.z + 1);
	int first = hits->items.count;
	bool ok = volume <= terrain->record_count ? AskBlocks(terrain, memory, blocks, &cells, hits)
	                                          : AskAll(terrain, memory, blocks, &cells, hits);
	if (!ok)
		hits->items.count = first;
	return ok;
}

bool Terrain_SurfaceBlocks(const Terrain *terrain, const CellBox *cells, Memory *memory, CellList *out)
{
	int first = out->items.count;
	CellBox blocks = {terrain->lo, terrain->hi};
	if (cells)
		blocks = BlocksOfCells(*cells);
	for (int id = Record_Next(terrain, -1); id >= 0; id = Record_Next(terrain, id)) {
		const Record *record = Record_At(terrain, id);
		Cell block = Record_Block(terrain, id);
		if (!record || record->quads == 0 || !CellBoxHolds(blocks, block))
			continue;
		if (!Array_Push(memory, out->items, block)) {
			out->items.count = first;
			return false;
		}
	}
	if (out->items.count > first)
		qsort(out->items.data + first, (size_t)(out->items.count - first), sizeof(Cell), Cell_Order);
	return true;
}
