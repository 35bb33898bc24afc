/* From cells to convex parts: the piece's surface, block by block as if nothing else were there (skin.c); each block
 * split until its parts are convex enough (split.c); parts joined again where that leaves them so (merge.c). Blocks,
 * joins and the finished shapes are shared out to threads (share.c). */
#include "pieces/carve_internal.h"

#include <stdatomic.h>

#define WIDEST (1 << 19) /* cells from the origin that positions can tell */
#define FACE_GROUPS 128

Carver *Carver_Create(Memory *memory, TaskPool *tasks, const uint16_t blockiness[MATERIAL_LIMIT])
{
	Carver *c = Memory_AllocZero(memory, sizeof(*c));
	if (!c)
		return NULL;
	c->memory = memory;
	c->tasks = tasks;
	memcpy(c->blockiness, blockiness, sizeof(c->blockiness));
	int threads = tasks ? TaskPool_Threads(tasks) : 1;
	c->workers = Memory_AllocZero(memory, sizeof(CarveWorker *) * (size_t)threads);
	if (c->workers) {
		c->worker_count = threads;
		return c;
	}
	Carver_Destroy(c);
	return NULL;
}

void Carver_Destroy(Carver *c)
{
	if (!c)
		return;
	Memory *memory = c->memory;
	Carver_FreeWorkers(c);
	PartList_Free(&c->list, memory);
	CoordMap_Free(&c->map, memory);
	CoordMap_Free(&c->node_map, memory);
	Array_Free(memory, c->grid);
	Array_Free(memory, c->blocks);
	Array_Free(memory, c->sums);
	Array_Free(memory, c->shares);
	Array_Free(memory, c->nodes);
	Array_Free(memory, c->coarser);
	Array_Free(memory, c->pairs);
	Array_Free(memory, c->order);
	Memory_Free(memory, c, sizeof(*c));
}

/* ---- shapes ------------------------------------------------------------------------------------------------------ */

static void CornerBounds(const Cell *corners, int count, Cell *lo, Cell *hi)
{
	*lo = *hi = corners[0];
	for (int i = 1; i < count; i++) {
		*lo = (Cell){Int_Min(lo->x, corners[i].x), Int_Min(lo->y, corners[i].y), Int_Min(lo->z, corners[i].z)};
		*hi = (Cell){Int_Max(hi->x, corners[i].x), Int_Max(hi->y, corners[i].y), Int_Max(hi->z, corners[i].z)};
	}
}

static bool IsBox(const Cell *corners, int count, Cell lo, Cell hi)
{
	unsigned seen = 0;
	for (int i = 0; i < count; i++) {
		Cell p = corners[i];
		if ((p.x != lo.x && p.x != hi.x) || (p.y != lo.y && p.y != hi.y) || (p.z != lo.z && p.z != hi.z))
			return false;
		seen |= 1u << ((p.x == hi.x) | (p.y == hi.y) << 1 | (p.z == hi.z) << 2);
	}
	return seen == 255;
}

static PiecePart BoxPart(Cell lo, Cell hi, double unit)
{
	const double thin = 0.02 * PATCH_UNIT;
	double half[3] = {0.5 * (hi.x - lo.x), 0.5 * (hi.y - lo.y), 0.5 * (hi.z - lo.z)};
	for (int a = 0; a < 3; a++)
		half[a] = MaxD(half[a], thin) * unit;
	return (PiecePart){.shape = {.kind = SHAPE_BOX, .half = V3((float)half[0], (float)half[1], (float)half[2])},
	                   .center =
	                       V3((float)(0.5 * unit * ((double)lo.x + hi.x)), (float)(0.5 * unit * ((double)lo.y + hi.y)),
	                          (float)(0.5 * unit * ((double)lo.z + hi.z)))};
}

static bool MakeShape(Carver *c, CarveWorker *w, int item)
{
	const CarvePart *part = &c->list.parts.data[c->order.data[item]];
	const Cell *corners = c->list.corners.data + part->corner;
	Cell lo, hi;
	Error error = {0};
	CornerBounds(corners, part->corner_count, &lo, &hi);
	PiecePart made = BoxPart(lo, hi, c->unit);
	if (!IsBox(corners, part->corner_count, lo, hi)) {
		int built = LatticeHull_Build(w->hull, corners, part->corner_count, 0.0);
		Hull *hull = built == 1 ? LatticeHull_Make(w->hull, c->hull_memory, c->unit, &error) : NULL;
		if (built < 0 || (!hull && error.code == ERROR_MEMORY))
			return false;
		if (hull)
			made = (PiecePart){.shape = {.kind = SHAPE_HULL, .hull = hull}};
	}
	c->made.items.data[item] = made;
	return true;
}

/* Of all parts, in the order of the nodes; without nodes it is one hull around all. */
static bool MakeShapes(Carver *c)
{
	c->order.count = 0;
	for (int i = 0; i < c->nodes.count; i++)
		for (int k = c->nodes.data[i].part; k != NONE; k = c->list.parts.data[k].next)
			if (!Array_Push(c->memory, c->order, k))
				return false;
	if (c->nodes.count == 0 && !Array_Push(c->memory, c->order, 0))
		return false;
	int count = c->order.count;
	if (!Array_Resize(c->hull_memory, c->made.items, count))
		return false;
	memset(c->made.items.data, 0, sizeof(PiecePart) * (size_t)count);
	return Carver_ForAll(c, count, MakeShape);
}

void PieceParts_Free(PieceParts *parts, Memory *memory)
{
	for (int i = 0; i < parts->items.count; i++)
		if (parts->items.data[i].shape.kind == SHAPE_HULL)
			Hull_Destroy(memory, (Hull *)(uintptr_t)parts->items.data[i].shape.hull);
	Array_Free(memory, parts->items);
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

/* One hull around the whole surface, coarser if it must be. 1, 0: there is none; ERROR_MEMORY. */
static int HullOfAll(Carver *c)
{
	CarveWorker *w = Carver_Worker(c, 0);
	if (!w)
		return ERROR_MEMORY;
	w->points.count = 0;
	for (int i = 0; i < c->blocks.count; i++) {
		const CarveBlock *block = &c->blocks.data[i];
		const CarveQuad *quads = c->workers[block->worker]->quads.data + block->quad;
		for (int k = 0; k < 4 * block->quad_count; k++)
			if (!Array_Push(w->memory, w->points, quads[k / 4].corner[k % 4]))
				return ERROR_MEMORY;
	}
	for (double slack = 0.02; slack < 4.0; slack *= 2.0) {
		int built = LatticeHull_Build(w->hull, w->points.data, w->points.count, slack * PATCH_UNIT);
		if (built != 0)
			return built < 0 ? built : PartList_AddPart(&c->list, c->memory, w->hull) == NONE ? ERROR_MEMORY : 1;
	}
	return 0;
}

static int CountParts(const Carver *c)
{
	int count = 0;
	for (int i = 0; i < c->nodes.count; i++)
		count += c->nodes.data[i].count;
	return count;
}

/* 0: the most faces. */
static int FaceGroup(const CarveBlock *block)
{
	return FACE_GROUPS - 1 - Int_Min(block->quad_count / 8, FACE_GROUPS - 1);
}

/* Nothing is left to do where there are too many parts already: that is so in the end whoever finds out. */
static bool SplitBlock(Carver *c, CarveWorker *w, int item)
{
	int block = c->order.data[item];
	CarveShare *share = &c->shares.data[block];
	if (atomic_load_explicit(&c->stay, memory_order_relaxed) > c->most)
		return true;
	if (!Worker_SplitBlock(c, w, block, share))
		return false;
	if (share->count > 1)
		atomic_fetch_add_explicit(&c->stay, share->count, memory_order_relaxed);
	return true;
}

/* Blocks of many faces come first: most parts are theirs, so that too many are found soon; and what is long ends before
 * what is short. False: no memory. */
static bool OrderBlocks(Carver *c, int count)
{
	int ends[FACE_GROUPS + 1] = {0};
	if (!Array_Resize(c->memory, c->order, count))
		return false;
	for (int i = 0; i < count; i++)
		ends[FaceGroup(&c->blocks.data[i]) + 1]++;
	for (int i = 1; i <= FACE_GROUPS; i++)
		ends[i] += ends[i - 1];
	for (int i = 0; i < count; i++)
		c->order.data[ends[FaceGroup(&c->blocks.data[i])]++] = i;
	return true;
}

/* Each block that has parts is a node. */
static bool CollectShares(Carver *c, int count)
{
	for (int i = 0; i < count; i++) {
		const CarveShare *share = &c->shares.data[i];
		CarveNode node = {.at = c->blocks.data[i].at, .part = NONE};
		if (share->count > 0 && (!PartList_Move(&c->list, c->memory, &c->workers[share->worker]->list, share, &node) ||
		                         !Array_Push(c->memory, c->nodes, node)))
			return false;
	}
	return true;
}

/* Parts of all blocks (the first `count`), with a tolerance for vertices of the surface, and one for middles of faces.
 * 1; 0: they are more than `most`, which may be known before all are there; ERROR_MEMORY. */
static int CarveBlocks(Carver *c, int count, double vertices, double middles, int most)
{
	c->over[SAMPLE_VERTEX] = c->over[SAMPLE_AIR_VERTEX] = vertices * PATCH_UNIT;
	c->over[SAMPLE_MIDDLE] = c->over[SAMPLE_AIR_MIDDLE] = middles * PATCH_UNIT;
	c->most = most;
	c->nodes.count = 0;
	PartList_Clear(&c->list);
	for (int i = 0; i < c->worker_count; i++)
		if (c->workers[i])
			PartList_Clear(&c->workers[i]->list);
	atomic_store_explicit(&c->stay, 0, memory_order_relaxed);
	if (!Array_Resize(c->memory, c->shares, count) || !OrderBlocks(c, count) || !Carver_ForAll(c, count, SplitBlock))
		return ERROR_MEMORY;
	if (atomic_load_explicit(&c->stay, memory_order_relaxed) > most)
		return 0;
	return !CollectShares(c, count) || !Carver_Merge(c) ? ERROR_MEMORY : CountParts(c) <= most;
}

static bool HasSmallBox(const Piece *piece)
{
	CellBox box = piece->box;
	return box.hi.x - box.lo.x < 60 && box.hi.y - box.lo.y < 60 && box.hi.z - box.lo.z < 60;
}

/* From the blocks that were gathered. 1; 0: more parts than `most`; ERROR_MEMORY. */
static int PartsOfBlocks(Carver *c, bool one_hull, int most)
{
	int count = c->blocks.count;
	c->nodes.count = 0;
	PartList_Clear(&c->list);
	if (!Carver_Mesh(c))
		return ERROR_MEMORY;
	int made = one_hull ? HullOfAll(c) : 0;
	if (made == 0)
		made = CarveBlocks(c, count, CARVE_OVER, CARVE_OVER, CARVE_PARTS);
	return made != 0 ? made : CarveBlocks(c, count, CARVE_COARSE, CARVE_SLOPE, most);
}

static bool FindParts(Carver *c, const Piece *piece, bool simple)
{
	for (int shift = 0;; shift++) {
		if (!Carver_Gather(c, piece, shift))
			return false;
		bool coarsens = !simple && Carver_MayCoarsen(c, piece);
		if (coarsens && c->open_blocks > CARVE_BLOCKS)
			continue;
		if (shift == 0)
			Carver_FillCells(c, piece);
		int made = PartsOfBlocks(c, simple && HasSmallBox(piece), coarsens ? CARVE_PARTS : INT32_MAX);
		if (made != 0)
			return made > 0;
	}
}

static bool IsWide(CellBox box)
{
	return box.lo.x < -WIDEST || box.lo.y < -WIDEST || box.lo.z < -WIDEST || box.hi.x > WIDEST - 2 ||
	       box.hi.y > WIDEST - 2 || box.hi.z > WIDEST - 2;
}

/* Of a piece that is too wide for positions: a box for each of its runs. */
static bool BoxRuns(const Piece *piece, double cell_size, Memory *memory, PieceParts *parts)
{
	for (int i = 0; i < piece->run_count; i++) {
		PieceRun run = piece->runs[i];
		Vec3 half = V3((float)(0.5 * run.n * cell_size), (float)(0.5 * cell_size), (float)(0.5 * cell_size));
		Vec3 center = V3((float)((run.x + 0.5 * run.n) * cell_size), (float)((run.y + 0.5) * cell_size),
		                 (float)((run.z + 0.5) * cell_size));
		if (!Array_Push(memory, parts->items, ((PiecePart){{.kind = SHAPE_BOX, .half = half}, center})))
			return false;
	}
	return true;
}

bool Carver_Run(Carver *c, const Piece *piece, double cell_size, bool simple, Memory *memory, PieceParts *parts)
{
	bool ok;
	c->made = (PieceParts){0};
	c->hull_memory = memory;
	if (IsWide(piece->box)) {
		ok = BoxRuns(piece, cell_size, memory, &c->made);
	} else {
		ok = FindParts(c, piece, simple);
		c->unit = cell_size * (1 << c->shift) / PATCH_UNIT;
		ok = ok && MakeShapes(c);
	}
	ok = ok && Array_Reserve(memory, parts->items, parts->items.count + c->made.items.count);
	if (!ok) {
		PieceParts_Free(&c->made, memory);
		return false;
	}
	for (int i = 0; i < c->made.items.count; i++)
		parts->items.data[parts->items.count++] = c->made.items.data[i];
	Array_Free(memory, c->made.items);
	return true;
}
