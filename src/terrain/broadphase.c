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

/* What is asked: the cells for the bits; the box itself for the cubes, NULL when these are of no interest. */
typedef struct Question {
	CellBox cells;
	const WorldBox *box;
} Question;

/* Cubes lo..hi of a block of which a range (in cubes, 0 where the block's begin) meets any. The quads of a block reach
 * back by one cube, but always from the block's own first ones, so these stand for the cubes before them. */
static bool CubeRange(double from, double to, int *lo, int *hi)
{
	if (!(from <= BLOCK_SIZE) || !(to >= -1.0))
		return false;
	*lo = from > 0.0 ? Int_Min(FloorToInt(from), BLOCK_SIZE - 1) : 0;
	*hi = to < BLOCK_SIZE ? Int_Max(FloorToInt(to), 0) : BLOCK_SIZE - 1;
	/* what only touches a cube's side meets it */
	*lo -= *lo > 0 && (double)*lo == from;
	return true;
}

/* Does the box meet a mixed cube, and does it meet the box around all of them? */
static void AskCubes(const Terrain *terrain, const Record *record, Cell corner, const WorldBox *box, BlockHit *hit)
{
	double s = terrain->cells_per_metre;
	int lo[3], hi[3];
	if (record->quads == 0 ||
	    !CubeRange(box->lo.x * s - corner.x - 0.5, box->hi.x * s - corner.x - 0.5, &lo[0], &hi[0]) ||
	    !CubeRange(box->lo.y * s - corner.y - 0.5, box->hi.y * s - corner.y - 0.5, &lo[1], &hi[1]) ||
	    !CubeRange(box->lo.z * s - corner.z - 0.5, box->hi.z * s - corner.z - 0.5, &lo[2], &hi[2]))
		return;
	hit->boxed = true;
	for (int a = 0; a < 3; a++)
		hit->boxed = hit->boxed && lo[a] <= record->mixed_hi[a] && hi[a] >= record->mixed_lo[a];
	uint64_t mixed = 0;
	for (int y = lo[1]; y <= hi[1]; y++)
		mixed |= record->mixed[y];
	hit->surface = (mixed & Vertical(lo[0], hi[0]) & Horizontal(lo[2], hi[2])) != 0;
}

/* Appends what the record says of the cells, if anything. */
static bool AskRecord(const Terrain *terrain, Memory *memory, int index, const Question *question, BlockHitList *hits)
{
	const CellBox *cells = &question->cells;
	const Record *record = &terrain->records.data[index];
	Cell corner = CellsOfBlocks(record->block, record->block).lo;
	int last = BLOCK_SIZE - 1;
	uint64_t mask = Vertical(Int_Max(cells->lo.x - corner.x, 0), Int_Min(cells->hi.x - corner.x, last)) &
	                Horizontal(Int_Max(cells->lo.z - corner.z, 0), Int_Min(cells->hi.z - corner.z, last));
	uint64_t solid = 0, water = 0;
	for (int y = Int_Max(cells->lo.y - corner.y, 0); y <= Int_Min(cells->hi.y - corner.y, last); y++) {
		solid |= record->solid[y];
		water |= record->water[y];
	}
	BlockHit hit = {.record = index,
	                .block = record->block,
	                .solid = (solid & mask) != 0,
	                .water = (water & mask) != 0,
	                .buried = record->tag == BLOCK_ALL_INSIDE};
	if (question->box)
		AskCubes(terrain, record, corner, question->box, &hit);
	if (!hit.solid && !hit.water && !hit.buried && !hit.boxed)
		return true;
	return Array_Push(memory, hits->items, hit);
}

static bool AskBlocks(const Terrain *terrain, Memory *memory, CellBox blocks, const Question *question,
                      BlockHitList *hits)
{
	for (int y = blocks.lo.y; y <= blocks.hi.y; y++)
		for (int z = blocks.lo.z; z <= blocks.hi.z; z++)
			for (int x = blocks.lo.x; x <= blocks.hi.x; x++) {
				int index = Record_Find(terrain, (Cell){x, y, z});
				if (index >= 0 && !AskRecord(terrain, memory, index, question, hits))
					return false;
			}
	return true;
}

static bool AskAll(const Terrain *terrain, Memory *memory, CellBox blocks, const Question *question, BlockHitList *hits)
{
	int first = hits->items.count;
	for (int i = 0; i < terrain->records.count; i++) {
		const Record *record = &terrain->records.data[i];
		if (record->live && CellBoxHolds(blocks, record->block) && !AskRecord(terrain, memory, i, question, hits))
			return false;
	}
	if (hits->items.count > first)
		qsort(hits->items.data + first, (size_t)(hits->items.count - first), sizeof(BlockHit), HitOrder);
	return true;
}

static bool Ask(const Terrain *terrain, Memory *memory, WorldBox box, bool cubes, BlockHitList *hits)
{
	Question question = {.box = cubes ? &box : NULL};
	if (terrain->record_count == 0 || !CellsOf(terrain, box, &question.cells))
		return true;
	CellBox blocks = BlocksOfCells(question.cells);
	double volume = ((double)blocks.hi.x - blocks.lo.x + 1) * ((double)blocks.hi.y - blocks.lo.y + 1) *
	                ((double)blocks.hi.z - blocks.lo.z + 1);
	int first = hits->items.count;
	bool ok = volume <= terrain->record_count ? AskBlocks(terrain, memory, blocks, &question, hits)
	                                          : AskAll(terrain, memory, blocks, &question, hits);
	if (!ok)
		hits->items.count = first;
	return ok;
}

bool Terrain_Query(const Terrain *terrain, Memory *memory, WorldBox box, BlockHitList *hits)
{
	return Ask(terrain, memory, box, false, hits);
}

bool Terrain_QuerySurface(const Terrain *terrain, Memory *memory, WorldBox box, BlockHitList *hits)
{
	return Ask(terrain, memory, box, true, hits);
}

bool Terrain_SurfaceBlocks(const Terrain *terrain, const CellBox *cells, Memory *memory, CellList *out)
{
	int first = out->items.count;
	CellBox blocks = {terrain->lo, terrain->hi};
	if (cells)
		blocks = BlocksOfCells(*cells);
	for (int i = 0; i < terrain->records.count; i++) {
		const Record *record = &terrain->records.data[i];
		if (!record->live || record->quads == 0 || !CellBoxHolds(blocks, record->block))
			continue;
		if (!Array_Push(memory, out->items, record->block)) {
			out->items.count = first;
			return false;
		}
	}
	if (out->items.count > first)
		qsort(out->items.data + first, (size_t)(out->items.count - first), sizeof(Cell), Cell_Order);
	return true;
}
