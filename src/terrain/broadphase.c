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

bool Terrain_CellsOf(const Terrain *terrain, WorldBox box, CellBox *cells)
{
	double s = terrain->cells_per_metre;
	if (terrain->record_count == 0)
		return false;
	*cells = CellsOfBlocks(terrain->lo, terrain->hi);
	return CellRange(box.lo.x * s, box.hi.x * s, &cells->lo.x, &cells->hi.x) &&
	       CellRange(box.lo.y * s, box.hi.y * s, &cells->lo.y, &cells->hi.y) &&
	       CellRange(box.lo.z * s, box.hi.z * s, &cells->lo.z, &cells->hi.z);
}

/* Dual cubes that a range meets along one axis, of all of the world. What only touches a cube's side meets it. */
typedef struct CubeSpan {
	int lo, hi;
} CubeSpan;

/* What is asked: the cells for the bits, and the cubes when these are of interest. */
typedef struct Question {
	CellBox cells;
	bool cubes;
	CubeSpan span[3];
} Question;

static CubeSpan SpanOf(double from, double to)
{
	const double far = (double)CELL_LIMIT + 2.0 * BLOCK_SIZE;
	from = ClampD(from - OVERHANG, -far, far);
	to = ClampD(to - OVERHANG, -far, far);
	CubeSpan span = {FloorToInt(from), FloorToInt(to)};
	span.lo -= (double)span.lo == from;
	return span;
}

/* Cubes lo..hi of a block at `corner` that the span meets. The quads of a block reach back by one cube, but always from
 * the block's own first ones, so these stand for the cubes before them. */
static bool CubeRange(CubeSpan span, int corner, int *lo, int *hi)
{
	if (span.lo >= corner + BLOCK_SIZE || span.hi < corner - 1)
		return false;
	*lo = Int_Max(span.lo, corner) - corner;
	*hi = Int_Clamp(span.hi, corner, corner + BLOCK_SIZE - 1) - corner;
	return true;
}

/* Does the box meet a mixed cube, and does it meet the box around all of them? */
static void AskCubes(const Record *record, Cell corner, const CubeSpan span[3], BlockHit *hit)
{
	int lo[3], hi[3];
	if (!record || record->quads == 0 || !CubeRange(span[0], corner.x, &lo[0], &hi[0]) ||
	    !CubeRange(span[1], corner.y, &lo[1], &hi[1]) || !CubeRange(span[2], corner.z, &lo[2], &hi[2]))
		return;
	hit->boxed = true;
	for (int a = 0; a < 3; a++)
		hit->boxed = hit->boxed && lo[a] <= record->mixed_hi[a] && hi[a] >= record->mixed_lo[a];
	uint64_t mixed = 0;
	for (int y = lo[1]; y <= hi[1]; y++)
		mixed |= record->mixed[y];
	uint64_t columns = (uint64_t)(0xffu << lo[0] & 0xffu >> (7 - hi[0]) & 0xffu) * 0x0101010101010101u;
	uint64_t rows = ~(uint64_t)0 << 8 * lo[2] & ~(uint64_t)0 >> 8 * (7 - hi[2]);
	hit->surface = (mixed & columns & rows) != 0;
}

/* Appends what the bits say of the cells, if anything. */
static bool AskBlock(const Terrain *terrain, Memory *memory, int id, const Question *question, BlockHitList *hits)
{
	const Group *group = Record_Group(terrain, id);
	int index = id % GROUP_BLOCKS;
	Cell block = Group_Block(group, index);
	const CellBox *cells = &question->cells;
	BlockHit hit = {.record = id,
	                .block = block,
	                .solid = Words_Meet(Group_Solid(group, index), block, cells),
	                .water = (group->water >> index & 1) && Words_Meet(Group_Water(group, index), block, cells),
	                .buried = group->inside >> index & 1};
	if (question->cubes)
		AskCubes(Group_Record(group, index), CellsOfBlocks(block, block).lo, question->span, &hit);
	return (!hit.solid && !hit.water && !hit.buried && !hit.boxed) || Array_Push(memory, hits->items, hit);
}

static bool AskBlocks(const Terrain *terrain, Memory *memory, CellBox blocks, const Question *question,
                      BlockHitList *hits)
{
	for (int y = blocks.lo.y; y <= blocks.hi.y; y++)
		for (int z = blocks.lo.z; z <= blocks.hi.z; z++)
			for (int x = blocks.lo.x; x <= blocks.hi.x; x++) {
				int id = Record_Find(terrain, (Cell){x, y, z});
				if (id >= 0 && !AskBlock(terrain, memory, id, question, hits))
					return false;
			}
	return true;
}

static bool AskAll(const Terrain *terrain, Memory *memory, CellBox blocks, const Question *question, BlockHitList *hits)
{
	int first = hits->items.count;
	for (int id = Record_Next(terrain, -1); id >= 0; id = Record_Next(terrain, id))
		if (CellBoxHolds(blocks, Record_Block(terrain, id)) && !AskBlock(terrain, memory, id, question, hits))
			return false;
	if (hits->items.count > first)
		qsort(hits->items.data + first, (size_t)(hits->items.count - first), sizeof(BlockHit), HitOrder);
	return true;
}

static bool Ask(const Terrain *terrain, Memory *memory, WorldBox box, bool cubes, BlockHitList *hits)
{
	Question question = {.cubes = cubes};
	if (!Terrain_CellsOf(terrain, box, &question.cells))
		return true;
	if (cubes) {
		double s = terrain->cells_per_metre;
		question.span[0] = SpanOf(box.lo.x * s, box.hi.x * s);
		question.span[1] = SpanOf(box.lo.y * s, box.hi.y * s);
		question.span[2] = SpanOf(box.lo.z * s, box.hi.z * s);
	}
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
