/* The search for what is loose: components of chunks are nodes, and two of neighbouring chunks that share a face are
 * joined by an edge. From what was edited, the search goes towards the nearest anchor, best first, and ends where it
 * meets one or what was found to be held; chunks are labelled when it comes to them. */
#include "pieces/pieces_internal.h"

#define BOX_REACH 2    /* cells from a changed cell within which something may have come off */
#define GUIDE_BOXES 16 /* of many anchors, so many show the way; the others count when they are met */
#define FACES 6

static const int8_t face_ways[FACES][3] = {{-1, 0, 0}, {1, 0, 0}, {0, -1, 0}, {0, 1, 0}, {0, 0, -1}, {0, 0, 1}};

static CellBox Chunk_Cells(Cell chunk)
{
	Cell lo = {chunk.x * CHUNK_SIZE, chunk.y * CHUNK_SIZE, chunk.z * CHUNK_SIZE};
	return (CellBox){lo, {lo.x + CHUNK_SIZE - 1, lo.y + CHUNK_SIZE - 1, lo.z + CHUNK_SIZE - 1}};
}

static CellBox Box_Common(CellBox a, CellBox b)
{
	return (CellBox){{Int_Max(a.lo.x, b.lo.x), Int_Max(a.lo.y, b.lo.y), Int_Max(a.lo.z, b.lo.z)},
	                 {Int_Min(a.hi.x, b.hi.x), Int_Min(a.hi.y, b.hi.y), Int_Min(a.hi.z, b.hi.z)}};
}

/* ---- nodes ------------------------------------------------------------------------------------------------------- */

/* Calls for the runs of a chunk that meet a box of its cells. */
typedef struct RunWalk {
	const ChunkLabels *labels;
	CellBox box; /* counted from the chunk's corner */
	int y, z, next, end;
} RunWalk;

static RunWalk Runs_In(const ChunkLabels *labels, CellBox box)
{
	CellBox cells = Chunk_Cells(labels->chunk), common = Box_Common(cells, box);
	RunWalk walk = {.labels = labels};
	walk.box = (CellBox){{common.lo.x - cells.lo.x, common.lo.y - cells.lo.y, common.lo.z - cells.lo.z},
	                     {common.hi.x - cells.lo.x, common.hi.y - cells.lo.y, common.hi.z - cells.lo.z}};
	walk.y = walk.box.lo.y;
	walk.z = walk.box.lo.z - 1;
	if (walk.box.lo.x > walk.box.hi.x || walk.box.lo.z > walk.box.hi.z)
		walk.y = walk.box.hi.y + 1;
	return walk;
}

static const LabelRun *Runs_Next(RunWalk *walk)
{
	for (;;) {
		while (walk->next < walk->end) {
			const LabelRun *run = &walk->labels->runs[walk->next++];
			if (run->first <= walk->box.hi.x && run->last >= walk->box.lo.x)
				return run;
		}
		if (walk->y > walk->box.hi.y || walk->labels->count == 0)
			return NULL;
		if (++walk->z > walk->box.hi.z) {
			walk->z = walk->box.lo.z;
			if (++walk->y > walk->box.hi.y)
				return NULL;
		}
		int row = walk->z + CHUNK_SIZE * walk->y;
		walk->next = walk->labels->row_first[row];
		walk->end = walk->labels->row_first[row + 1];
	}
}

/* May bodies not be in all of the chunk? */
static bool IsFarOut(const Finder *f, Cell chunk)
{
	int32_t reach = f->anchors->reach;
	CellBox c = Chunk_Cells(chunk);
	return reach > 0 && (c.lo.x < -reach || c.lo.y < -reach || c.lo.z < -reach || c.hi.x > reach || c.hi.y > reach ||
	                     c.hi.z > reach);
}

static void MarkHeld(Finder *f, const ChunkLabels *labels)
{
	for (int i = 0; i < f->anchors->count; i++) {
		RunWalk walk = Runs_In(labels, f->anchors->boxes[i]);
		for (const LabelRun *run; (run = Runs_Next(&walk));)
			f->nodes.data[labels->node + run->label].held = true;
	}
}

/* What is told of components row by row: their lowest cells, the faces of the chunk that they reach. */
static void DescribeNodes(Finder *f, const ChunkLabels *labels)
{
	Node *nodes = f->nodes.data + labels->node;
	for (int row = 0; row < CHUNK_ROWS; row++) {
		int count, y = row / CHUNK_SIZE, z = row % CHUNK_SIZE;
		const LabelRun *runs = Labels_Row(labels, row, &count);
		unsigned sides = (y == 0) << 2 | (y == CHUNK_SIZE - 1) << 3 | (z == 0) << 4 | (z == CHUNK_SIZE - 1) << 5;
		for (int i = 0; i < count; i++) {
			Node *node = &nodes[runs[i].label];
			int32_t at = labels->chunk.y * CHUNK_SIZE + y;
			node->low = at < node->low ? at : node->low;
			node->faces |= (uint8_t)(sides | (runs[i].first == 0) | (runs[i].last == CHUNK_SIZE - 1) << 1);
		}
	}
	bool far = IsFarOut(f, labels->chunk);
	for (int i = 0; i < labels->count; i++)
		nodes[i].held = far || (f->anchors->floor && nodes[i].low <= f->anchors->level);
	MarkHeld(f, labels);
}

int Finder_Chunk(Finder *f, Cell chunk)
{
	int place = CoordMap_Find(&f->map, chunk.x, chunk.y, chunk.z);
	if (place >= 0)
		return place;
	ChunkLabels labels;
	if (!Array_Reserve(f->memory, f->chunks, f->chunks.count + 1) ||
	    !Labels_Make(f->store, chunk, f->scratch, f->memory, &labels))
		return NONE;
	if (!Array_Reserve(f->memory, f->nodes, f->nodes.count + labels.count) ||
	    !CoordMap_Put(&f->map, f->memory, chunk.x, chunk.y, chunk.z, f->chunks.count)) {
		Labels_Free(&labels, f->memory);
		return NONE;
	}
	place = f->chunks.count;
	labels.node = f->nodes.count;
	f->chunks.data[f->chunks.count++] = labels;
	for (int i = 0; i < labels.count; i++)
		f->nodes.data[f->nodes.count++] = (Node){.chunk = place, .edge = NONE, .search = NONE, .low = INT32_MAX};
	if (labels.count > 0)
		DescribeNodes(f, &labels);
	return place;
}

/* ---- edges ------------------------------------------------------------------------------------------------------- */

static bool AddEdge(Finder *f, int a, int b)
{
	int head = f->nodes.data[a].edge;
	if (head != NONE && f->edges.data[head].to == b) /* the last one again, which is what mostly repeats */
		return true;
	if (!Array_Reserve(f->memory, f->edges, f->edges.count + 2))
		return false;
	f->edges.data[f->edges.count] = (NodeEdge){b, f->nodes.data[a].edge};
	f->nodes.data[a].edge = f->edges.count++;
	f->edges.data[f->edges.count] = (NodeEdge){a, f->nodes.data[b].edge};
	f->nodes.data[b].edge = f->edges.count++;
	return true;
}

/* Two rows that lie face on face. */
static bool LinkRows(Finder *f, const ChunkLabels *a, int row_a, const ChunkLabels *b, int row_b)
{
	int na, nb;
	const LabelRun *ra = Labels_Row(a, row_a, &na), *rb = Labels_Row(b, row_b, &nb);
	for (int i = 0, k = 0; i < na && k < nb;) {
		if (ra[i].first <= rb[k].last && rb[k].first <= ra[i].last &&
		    !AddEdge(f, a->node + ra[i].label, b->node + rb[k].label))
			return false;
		if (ra[i].last < rb[k].last)
			i++;
		else
			k++;
	}
	return true;
}

/* The ends of two rows that follow each other along x, a's first. */
static bool LinkEnds(Finder *f, const ChunkLabels *a, const ChunkLabels *b, int row)
{
	int na, nb;
	const LabelRun *ra = Labels_Row(a, row, &na), *rb = Labels_Row(b, row, &nb);
	if (na == 0 || nb == 0 || ra[na - 1].last != CHUNK_SIZE - 1 || rb[0].first != 0)
		return true;
	return AddEdge(f, a->node + ra[na - 1].label, b->node + rb[0].label);
}

/* All edges over one face of a chunk. False: no memory. */
static bool LinkFace(Finder *f, int place, int face)
{
	Cell at = f->chunks.data[place].chunk;
	const int8_t *way = face_ways[face];
	int other = Finder_Chunk(f, (Cell){at.x + way[0], at.y + way[1], at.z + way[2]});
	if (other == NONE)
		return false;
	/* the face's two sides, the lower first */
	const ChunkLabels *a = &f->chunks.data[face & 1 ? place : other], *b = &f->chunks.data[face & 1 ? other : place];
	const int last = CHUNK_SIZE - 1;
	bool ok = true;
	for (int y = 0; y < CHUNK_SIZE && a->count > 0 && b->count > 0 && ok && face < 2; y++)
		for (int z = 0; z < CHUNK_SIZE && ok; z++)
			ok = LinkEnds(f, a, b, z + CHUNK_SIZE * y);
	for (int i = 0; i < CHUNK_SIZE && a->count > 0 && b->count > 0 && ok && face >= 2; i++)
		ok = face < 4 ? LinkRows(f, a, i + CHUNK_SIZE * last, b, i)
		              : LinkRows(f, a, last + CHUNK_SIZE * i, b, CHUNK_SIZE * i);
	if (!ok)
		return false;
	f->chunks.data[place].linked |= (uint8_t)(1 << face);
	f->chunks.data[other].linked |= (uint8_t)(1 << (face ^ 1));
	return true;
}

/* All edges of a node. */
static bool LinkNode(Finder *f, int node)
{
	int place = f->nodes.data[node].chunk, faces = f->nodes.data[node].faces;
	for (int face = 0; face < FACES; face++)
		if ((faces >> face & 1) && !(f->chunks.data[place].linked >> face & 1) && !LinkFace(f, place, face))
			return false;
	return true;
}

/* ---- best first -------------------------------------------------------------------------------------------------- */

static int32_t Gap(int32_t lo, int32_t hi, int32_t box_lo, int32_t box_hi)
{
	return Int_Max(Int_Max(box_lo - hi, lo - box_hi), 0);
}

/* About how far a node is from what may hold it. */
static int32_t Guide(const Finder *f, int node)
{
	CellBox cells = Chunk_Cells(f->chunks.data[f->nodes.data[node].chunk].chunk);
	int32_t least = INT32_MAX;
	if (f->anchors->floor)
		least = Int_Max(f->nodes.data[node].low - f->anchors->level, 0);
	for (int i = 0; i < Int_Min(f->anchors->count, GUIDE_BOXES); i++) {
		CellBox box = f->anchors->boxes[i];
		int64_t way = (int64_t)Gap(cells.lo.x, cells.hi.x, box.lo.x, box.hi.x) +
		              Gap(cells.lo.y, cells.hi.y, box.lo.y, box.hi.y) + Gap(cells.lo.z, cells.hi.z, box.lo.z, box.hi.z);
		least = way < least ? (int32_t)way : least;
	}
	return least;
}

static bool HeapBefore(HeapItem a, HeapItem b)
{
	return a.key != b.key ? a.key < b.key : a.node < b.node;
}

static bool HeapPush(Finder *f, int node)
{
	HeapItem item = {Guide(f, node), node};
	if (!Array_Push(f->memory, f->heap, item))
		return false;
	int i = f->heap.count - 1;
	for (int up; i > 0 && HeapBefore(item, f->heap.data[up = (i - 1) / 2]); i = up)
		f->heap.data[i] = f->heap.data[up];
	f->heap.data[i] = item;
	return true;
}

static int HeapPop(Finder *f)
{
	HeapItem *items = f->heap.data, item = items[--f->heap.count];
	int best = items[0].node, i = 0;
	for (int down; (down = 2 * i + 1) < f->heap.count; i = down) {
		if (down + 1 < f->heap.count && HeapBefore(items[down + 1], items[down]))
			down++;
		if (!HeapBefore(items[down], item))
			break;
		items[i] = items[down];
	}
	items[i] = item;
	return best;
}

/* Puts a node's unvisited neighbours on the heap. *held: one of them belongs to what is held. False: no memory. */
static bool Expand(Finder *f, int node, int search, bool *held)
{
	if (!LinkNode(f, node))
		return false;
	for (int e = f->nodes.data[node].edge; e != NONE; e = f->edges.data[e].next) {
		Node *next = &f->nodes.data[f->edges.data[e].to];
		if (next->search == NONE) {
			next->search = search;
			if (!HeapPush(f, f->edges.data[e].to))
				return false;
		} else if (next->search != search && f->searches.data[next->search] == SEARCH_HELD) {
			*held = true;
		}
	}
	return true;
}

/* Everything that hangs together with a node, until an anchor is found. */
static bool Search(Finder *f, int seed, int box)
{
	if (f->nodes.data[seed].search != NONE)
		return true;
	int search = f->searches.count;
	if (!Array_Push(f->memory, f->searches, SEARCH_OPEN) || !Array_Push(f->memory, f->search_box, box))
		return false;
	f->heap.count = 0;
	f->nodes.data[seed].search = search;
	bool held = false;
	if (!HeapPush(f, seed))
		return false;
	while (f->heap.count > 0 && !held) {
		int node = HeapPop(f);
		f->visited++;
		held = f->nodes.data[node].held;
		if (!held && !Expand(f, node, search, &held))
			return false;
	}
	f->searches.data[search] = held ? SEARCH_HELD : SEARCH_LOOSE;
	return true;
}

/* ---- where to begin ---------------------------------------------------------------------------------------------- */

static CellBox Box_Grown(CellBox box, int by)
{
	return (CellBox){{box.lo.x - by, box.lo.y - by, box.lo.z - by}, {box.hi.x + by, box.hi.y + by, box.hi.z + by}};
}

static bool SearchChunk(Finder *f, Cell chunk, CellBox box, int number)
{
	int place = Finder_Chunk(f, chunk);
	if (place == NONE)
		return false;
	ChunkLabels labels = f->chunks.data[place]; /* the array may move */
	RunWalk walk = Runs_In(&labels, box);
	for (const LabelRun *run; (run = Runs_Next(&walk));)
		if (!Search(f, labels.node + run->label, number))
			return false;
	return true;
}

/* The chunks of a large box are looked up among those that exist. */
static bool SearchBox(Finder *f, CellBox box, int number)
{
	CellBox grown = Box_Grown(box, BOX_REACH);
	Cell lo = {grown.lo.x >> CHUNK_BITS, grown.lo.y >> CHUNK_BITS, grown.lo.z >> CHUNK_BITS};
	Cell hi = {grown.hi.x >> CHUNK_BITS, grown.hi.y >> CHUNK_BITS, grown.hi.z >> CHUNK_BITS};
	double chunks = ((double)hi.x - lo.x + 1) * ((double)hi.y - lo.y + 1) * ((double)hi.z - lo.z + 1);
	if (chunks > 64.0) {
		for (int i = 0; i < Store_ChunkCount(f->store); i++) {
			Cell c = Store_ChunkAt(f->store, i);
			if (c.x >= lo.x && c.x <= hi.x && c.y >= lo.y && c.y <= hi.y && c.z >= lo.z && c.z <= hi.z &&
			    !SearchChunk(f, c, grown, number))
				return false;
		}
		return true;
	}
	for (int32_t y = lo.y; y <= hi.y; y++)
		for (int32_t z = lo.z; z <= hi.z; z++)
			for (int32_t x = lo.x; x <= hi.x; x++)
				if (!SearchChunk(f, (Cell){x, y, z}, grown, number))
					return false;
	return true;
}

static bool SearchAll(Finder *f)
{
	for (int i = 0; i < Store_ChunkCount(f->store); i++) {
		Cell chunk = Store_ChunkAt(f->store, i);
		if (!SearchChunk(f, chunk, Chunk_Cells(chunk), NONE))
			return false;
	}
	return true;
}

static void Finder_Free(Finder *f)
{
	for (int i = 0; i < f->chunks.count; i++)
		Labels_Free(&f->chunks.data[i], f->memory);
	CoordMap_Free(&f->map, f->memory);
	Array_Free(f->memory, f->chunks);
	Array_Free(f->memory, f->nodes);
	Array_Free(f->memory, f->edges);
	Array_Free(f->memory, f->heap);
	Array_Free(f->memory, f->searches);
	Array_Free(f->memory, f->search_box);
	Array_Free(f->memory, f->piece_of);
	Memory_Free(f->memory, f->scratch, sizeof(*f->scratch));
}

int Loose_Find(const Store *store, const MaterialTable *materials, Memory *memory, const CellBox *boxes, int count,
               const Anchors *anchors, LooseSet *set, Error *error)
{
	Finder f = {.store = store, .memory = memory, .anchors = anchors};
	*set = (LooseSet){.memory = memory};
	f.scratch = Memory_Alloc(memory, sizeof(*f.scratch));
	bool ok = f.scratch != NULL;
	for (int i = count - 1; ok && i >= 0; i--) /* the last edit is the cause */
		ok = SearchBox(&f, boxes[i], i);
	if (ok && count < 0)
		ok = SearchAll(&f);
	ok = ok && Finder_TakeCells(&f, materials, set);
	set->chunks_labelled = f.chunks.count;
	set->nodes_visited = f.visited;
	Finder_Free(&f);
	if (ok)
		return ERROR_NONE;
	LooseSet_Free(set);
	return Error_OutOfMemory(error);
}

/* ---- the floor --------------------------------------------------------------------------------------------------- */

static bool Row_IsSolid(const Store *store, int32_t chunk_x, int32_t y, int32_t z)
{
	static const uint8_t air[CHUNK_SIZE];
	return memcmp(Store_Row(store, CHANNEL_MATERIAL, chunk_x, y, z), air, CHUNK_SIZE) != 0;
}

/* Chunks stand in the order of y, so the lowest come first. */
bool Loose_FindFloor(const Store *store, int32_t *level)
{
	int count = Store_ChunkCount(store);
	bool found = false;
	for (int i = 0; i < count; i++) {
		Cell c = Store_ChunkAt(store, i);
		if (found && c.y * CHUNK_SIZE > *level)
			break;
		for (int32_t y = c.y * CHUNK_SIZE; y < (c.y + 1) * CHUNK_SIZE && (!found || y < *level); y++)
			for (int32_t z = c.z * CHUNK_SIZE; z < (c.z + 1) * CHUNK_SIZE; z++)
				if (Row_IsSolid(store, c.x, y, z)) {
					*level = y;
					found = true;
					break;
				}
	}
	return found;
}

bool Loose_HasCellsTo(const Store *store, int32_t level)
{
	int count = Store_ChunkCount(store);
	for (int i = 0; i < count; i++) {
		Cell c = Store_ChunkAt(store, i);
		if (c.y * CHUNK_SIZE > level)
			return false;
		for (int32_t y = c.y * CHUNK_SIZE; y < (c.y + 1) * CHUNK_SIZE && y <= level; y++)
			for (int32_t z = c.z * CHUNK_SIZE; z < (c.z + 1) * CHUNK_SIZE; z++)
				if (Row_IsSolid(store, c.x, y, z))
					return true;
	}
	return false;
}
