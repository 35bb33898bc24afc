/* A block of a piece as convex parts: all of it if its hull fits the surface, else its eighths, and theirs, down to
 * single cells; then parts of the block are joined where they can be. */
#include "pieces/carve_internal.h"

#define JOINS_TRIED 256 /* in one block */
#define SPECK 0.05      /* cells: half of what stands for a cell that has no volume */

static const CellSet all_cells = {{~0ull, ~0ull, ~0ull, ~0ull, ~0ull, ~0ull, ~0ull, ~0ull}};

static inline bool Set_Has(const CellSet *set, int cell)
{
	return set->y[cell >> 6] >> (cell & 63) & 1;
}

static bool Set_IsEmpty(const CellSet *set)
{
	uint64_t any = 0;
	for (int y = 0; y < BLOCK; y++)
		any |= set->y[y];
	return any == 0;
}

/* ---- the block's vertices ---------------------------------------------------------------------------------------- */

static int VertexAt(CarveWorker *w, Cell p)
{
	uint32_t hash = ((uint32_t)p.x * 0x9E3779B1u) ^ ((uint32_t)p.y * 0x85EBCA77u) ^ ((uint32_t)p.z * 0xC2B2AE3Du);
	for (uint32_t i = (hash ^ hash >> 15) % COUNT_OF(w->table);; i = (i + 1) % COUNT_OF(w->table)) {
		int found = w->table[i];
		if (found < 0) {
			w->table[i] = (int16_t)w->vertex_count;
			w->vertices[w->vertex_count] = p;
			return w->vertex_count++;
		}
		Cell q = w->vertices[found];
		if (q.x == p.x && q.y == p.y && q.z == p.z)
			return found;
	}
}

/* A corner of the block's lattice, each of its numbers 0..8. */
static Cell LatticePoint(const CarveWorker *w, int x, int y, int z)
{
	return (Cell){w->corner.x + x * PATCH_UNIT, w->corner.y + y * PATCH_UNIT, w->corner.z + z * PATCH_UNIT};
}

static Cell MiddleOf(const Cell corner[4])
{
	Cell sum = {0, 0, 0}, o = corner[0];
	for (int k = 1; k < 4; k++) /* differences are small */
		sum = (Cell){sum.x + corner[k].x - o.x, sum.y + corner[k].y - o.y, sum.z + corner[k].z - o.z};
	return (Cell){o.x + (sum.x >> 2), o.y + (sum.y >> 2), o.z + (sum.z >> 2)};
}

static void FaceLists_Add(FaceLists *lists, int cell, int quad)
{
	bool first = !Set_Has(&lists->cells, cell);
	lists->next[quad] = first ? NONE : lists->head[cell];
	lists->head[cell] = (int16_t)quad;
	lists->cells.y[cell >> 6] |= 1ull << (cell & 63);
}

/* A face that one of the block's cells has on either side. */
static void LoadQuad(CarveWorker *w, const CarveQuad *quad, int place)
{
	int to = w->quad_count++;
	w->quad_middle[to] = MiddleOf(quad->corner);
	for (int k = 0; k < 4; k++)
		w->quad_corner[to][k] = (uint16_t)VertexAt(w, quad->corner[k]);
	if (quad->inside_block == place)
		FaceLists_Add(&w->own_faces, quad->inside, to);
	else
		w->foreign[w->foreign_count++] = (int16_t)to;
	if (quad->air_block == place)
		FaceLists_Add(&w->air_faces, quad->air, to);
}

/* The block and those before it, whose edges reach into it; the last made comes first. */
static void FindSources(const Carver *c, int place, int sources[4])
{
	Cell at = c->blocks.data[place].at;
	int found[4] = {place, Carver_FindBlock(c, (Cell){at.x - 1, at.y, at.z}),
	                Carver_FindBlock(c, (Cell){at.x, at.y - 1, at.z}),
	                Carver_FindBlock(c, (Cell){at.x, at.y, at.z - 1})};
	for (int i = 0; i < 4; i++) {
		int to = i;
		for (; to > 0 && sources[to - 1] < found[i]; to--)
			sources[to] = sources[to - 1];
		sources[to] = found[i];
	}
}

/* A block has no more vertices than its 9^3 lattice corners have loops. */
static void LoadBlock(const Carver *c, CarveWorker *w, int place)
{
	int sources[4];
	w->block = &c->blocks.data[place];
	w->corner = Carver_Corner(c, w->block);
	w->vertex_count = w->quad_count = w->foreign_count = 0;
	w->own_faces.cells = w->air_faces.cells = (CellSet){{0}};
	memset(w->table, 0xFF, sizeof(w->table));
	FindSources(c, place, sources);
	for (int i = 0; i < 4; i++) {
		const CarveBlock *from = &c->blocks.data[sources[i]];
		const CarveQuad *quads = c->workers[from->worker]->quads.data + from->quad;
		for (int k = from->quad_count - 1; k >= 0; k--)
			if (quads[k].inside_block == place || quads[k].air_block == place)
				LoadQuad(w, &quads[k], place);
	}
}

/* ---- the block's air --------------------------------------------------------------------------------------------- */

/* Walks over the faces that a list has of a set's cells. */
#define FOR_FACES(quad, lists, set)                                                                                    \
	for (int layer = 0; layer < BLOCK; layer++)                                                                        \
		for (uint64_t left = (lists)->cells.y[layer] & (set)->y[layer]; left != 0; left &= left - 1)                   \
			for (int quad = (lists)->head[64 * layer + __builtin_ctzll(left)]; quad != NONE; quad = (lists)->next[quad])

/* The middles of the faces, whosever they are, of the air that is in a set of the block's cells; and their vertices. */
static void FindAir(CarveWorker *w, const CellSet *set, AirPoints *air)
{
	uint64_t seen[BLOCK_VERTICES / 64];
	memset(seen, 0, sizeof(uint64_t) * ((size_t)w->vertex_count / 64 + 1));
	air->middle_count = air->vertex_count = 0;
	FOR_FACES(quad, &w->air_faces, set)
	{
		air->middle[air->middle_count++] = w->quad_middle[quad];
		for (int k = 0; k < 4; k++) {
			int vertex = w->quad_corner[quad][k];
			if (!(seen[vertex >> 6] >> (vertex & 63) & 1))
				air->vertex[air->vertex_count++] = w->vertices[vertex];
			seen[vertex >> 6] |= 1ull << (vertex & 63);
		}
	}
}

/* Does the worker's hull leave these alone? */
static bool FitsAir(CarveWorker *w, const AirPoints *air)
{
	return !LatticeHull_AnyDeep(w->hull, air->middle, air->middle_count, w->over[SAMPLE_AIR_MIDDLE]) &&
	       !LatticeHull_AnyDeep(w->hull, air->vertex, air->vertex_count, w->over[SAMPLE_AIR_VERTEX]);
}

static bool FitsAllAir(CarveWorker *w)
{
	return FitsAir(w, &w->all_air);
}

static CellSet InsideOf(const CarveBlock *block)
{
	CellSet set = {{0}};
	for (int y = 0; y < BLOCK; y++)
		for (int z = 0; z < BLOCK; z++)
			set.y[y] |= (uint64_t)(block->inside[y + 1][z + 1] >> 1 & 255) << (8 * z);
	return set;
}

/* ---- is a set of cells free of holes along the axes? ------------------------------------------------------------- */

static bool LinesAreWhole(const CellSet *set)
{
	uint64_t below[BLOCK], above = 0, seen = 0;
	for (int y = 0; y < BLOCK; y++) {
		below[y] = seen;
		seen |= set->y[y];
	}
	for (int y = BLOCK - 1; y >= 0; y--) {
		uint64_t word = set->y[y], low = 0, high = 0;
		for (int z = 1; z < BLOCK; z++) { /* whatever lies before, and after, along z */
			low |= word << (8 * z);
			high |= word >> (8 * z);
		}
		if ((below[y] & above & ~word) || (low & high & ~word))
			return false;
		above |= word;
		for (int z = 0; z < BLOCK; z++) {
			unsigned row = (unsigned)(word >> (8 * z)) & 255;
			unsigned run = row ? row >> __builtin_ctz(row) : 0;
			if ((run & (run + 1)) != 0)
				return false;
		}
	}
	return true;
}

/* A layer moved by one along x and z, without wrapping round. */
static uint64_t Moved(uint64_t layer, int dx, int dz)
{
	const uint64_t first = 0x0101010101010101u;
	if (dx > 0)
		layer = (layer & ~(first << 7)) << 1;
	if (dx < 0)
		layer = (layer & ~first) >> 1;
	return dz > 0 ? layer << 8 : dz < 0 ? layer >> 8 : layer;
}

/* The same along the diagonals of planes: whatever is convex has no holes along any line. */
static bool DiagonalsAreWhole(const CellSet *set)
{
	static const int8_t ways[4][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};
	for (int k = 0; k < 4; k++) {
		uint64_t below[BLOCK], seen = 0;
		for (int y = 0; y < BLOCK; y++) {
			below[y] = seen;
			seen = Moved(seen | set->y[y], ways[k][0], ways[k][1]);
		}
		seen = 0;
		for (int y = BLOCK - 1; y >= 0; y--) {
			if (below[y] & seen & ~set->y[y])
				return false;
			seen = Moved(seen | set->y[y], -ways[k][0], -ways[k][1]);
		}
	}
	for (int y = 0; y < BLOCK; y++)
		for (int dx = -1; dx <= 1; dx += 2) {
			uint64_t low = 0, high = 0;
			for (int i = 1; i < BLOCK; i++) {
				low = Moved(low | set->y[y], dx, 1);
				high = Moved(high | set->y[y], -dx, -1);
			}
			if (low & high & ~set->y[y])
				return false;
		}
	return true;
}

/* ---- points of a set of cells ------------------------------------------------------------------------------------ */

/* Lattice corners of the cells that lie deep in the solid, but for those between two others on a line. */
typedef struct CornerRows {
	int y0, y1, z0, z1;                 /* the first and last rows that there can be */
	uint16_t row[BLOCK + 1][BLOCK + 1]; /* [y][z], bit x; of those */
} CornerRows;

static unsigned SetRow(const CellSet *set, int y, int z)
{
	if (y < 0 || z < 0 || y >= BLOCK || z >= BLOCK)
		return 0;
	return (unsigned)(set->y[y] >> (8 * z)) & 255;
}

/* Of a set that is not empty. */
static void FindRange(const CellSet *set, CornerRows *rows)
{
	uint64_t all = 0;
	rows->y0 = BLOCK;
	rows->y1 = 0;
	for (int y = 0; y < BLOCK; y++) {
		if (set->y[y] == 0)
			continue;
		all |= set->y[y];
		rows->y0 = Int_Min(rows->y0, y);
		rows->y1 = y + 1;
	}
	rows->z0 = __builtin_ctzll(all) / 8;
	rows->z1 = (63 - __builtin_clzll(all)) / 8 + 1;
}

static void FindCorners(const CarveBlock *block, const CellSet *set, CornerRows *rows)
{
	FindRange(set, rows);
	for (int y = rows->y0; y <= rows->y1; y++)
		for (int z = rows->z0; z <= rows->z1; z++) {
			unsigned in =
			    block->inside[y][z] & block->inside[y][z + 1] & block->inside[y + 1][z] & block->inside[y + 1][z + 1];
			unsigned own =
			    SetRow(set, y - 1, z - 1) | SetRow(set, y - 1, z) | SetRow(set, y, z - 1) | SetRow(set, y, z);
			rows->row[y][z] = (uint16_t)(in & (in >> 1) & (own | own << 1) & 0x1FF);
		}
}

static unsigned BetweenBits(unsigned row)
{
	return row & (row - 1) & ~(1u << (31 - __builtin_clz(row)));
}

static unsigned BetweenRows(const CornerRows *rows, int y, int z)
{
	unsigned below = 0, above = 0, before = 0, after = 0;
	for (int i = rows->y0; i < y; i++)
		below |= rows->row[i][z];
	for (int i = y + 1; i <= rows->y1; i++)
		above |= rows->row[i][z];
	for (int i = rows->z0; i < z; i++)
		before |= rows->row[y][i];
	for (int i = z + 1; i <= rows->z1; i++)
		after |= rows->row[y][i];
	return (below & above) | (before & after);
}

static bool AddCorners(CarveWorker *w, const CellSet *set)
{
	CornerRows rows;
	FindCorners(w->block, set, &rows);
	for (int y = rows.y0; y <= rows.y1; y++)
		for (int z = rows.z0; z <= rows.z1; z++) {
			unsigned row = rows.row[y][z];
			unsigned left = row != 0 ? row & ~BetweenBits(row) & ~BetweenRows(&rows, y, z) : 0;
			for (; left != 0; left &= left - 1) {
				Cell at = LatticePoint(w, __builtin_ctz(left), y, z);
				if (!Array_Push(w->memory, w->points, at))
					return false;
			}
		}
	return true;
}

/* The vertices of the faces of the set's cells, which are marked as used, and its corners. */
static bool FindPoints(CarveWorker *w, const CellSet *set)
{
	int words = w->vertex_count / 64 + 1;
	w->points.count = 0;
	memset(w->used, 0, sizeof(uint64_t) * (size_t)words);
	FOR_FACES(quad, &w->own_faces, set)
	for (int k = 0; k < 4; k++)
		w->used[w->quad_corner[quad][k] >> 6] |= 1ull << (w->quad_corner[quad][k] & 63);
	for (int i = 0; i < words; i++)
		for (uint64_t left = w->used[i]; left != 0; left &= left - 1)
			if (!Array_Push(w->memory, w->points, w->vertices[64 * i + __builtin_ctzll(left)]))
				return false;
	return AddCorners(w, set);
}

/* ---- parts ------------------------------------------------------------------------------------------------------- */

/* A part of the worker's hull, with samples at the set's vertices and the middles of its faces. NONE: no memory. */
static int AddSetPart(CarveWorker *w, const CellSet *set)
{
	PartList *list = &w->list;
	int part = PartList_AddPart(list, w->memory, w->hull);
	if (part == NONE)
		return NONE;
	list->parts.data[part].cells = *set;
	FOR_FACES(quad, &w->own_faces, set)
	if (!PartList_AddSample(list, w->memory, part, w->quad_middle[quad], SAMPLE_MIDDLE))
		return NONE;
	for (int i = 0; i < w->vertex_count / 64 + 1; i++)
		for (uint64_t left = w->used[i]; left != 0; left &= left - 1)
			if (!PartList_AddSample(list, w->memory, part, w->vertices[64 * i + __builtin_ctzll(left)], SAMPLE_VERTEX))
				return NONE;
	for (int i = 0; i < list->parts.data[part].corner_count; i++)
		if (!PartList_AddSample(list, w->memory, part, list->corners.data[list->parts.data[part].corner + i],
		                        SAMPLE_CORNER))
			return NONE;
	return part;
}

static void DropLastPart(CarveWorker *w)
{
	CarvePart *part = &w->list.parts.data[--w->list.parts.count];
	w->list.corners.count = part->corner;
	if (part->sample != NONE) {
		w->list.samples.count = w->list.sample_runs.data[part->sample].first;
		w->list.sample_runs.count = part->sample;
	}
}

/* 1: the set, of the cells within `region`, has become a part; 0: its hull does not fit; ERROR_MEMORY. */
static int TrySet(CarveWorker *w, const CellSet *set, const CellSet *region, bool whatever)
{
	if (!whatever && !LinesAreWhole(set))
		return 0;
	if (!FindPoints(w, set))
		return ERROR_MEMORY;
	int built = LatticeHull_Build(w->hull, w->points.data, w->points.count, SPLIT_SLACK * PATCH_UNIT);
	if (built != 1)
		return built;
	if (!whatever) {
		FindAir(w, region, &w->set_air);
		if (!FitsAir(w, &w->set_air))
			return 0;
	}
	int part = AddSetPart(w, set);
	if (part == NONE)
		return ERROR_MEMORY;
	if (whatever || Worker_FitsOwn(w, &w->list, part))
		return 1;
	DropLastPart(w);
	return 0;
}

/* A cell whose surface encloses nothing becomes a speck at its middle. */
static bool AddSpeck(CarveWorker *w, const CellSet *set, int x, int y, int z)
{
	const int32_t half = PATCH_UNIT / 2, r = (int32_t)(SPECK * PATCH_UNIT);
	Cell m = LatticePoint(w, x, y, z);
	w->points.count = 0;
	for (int i = 0; i < 8; i++)
		if (!Array_Push(
		        w->memory, w->points,
		        ((Cell){m.x + half + (i & 1 ? r : -r), m.y + half + (i & 2 ? r : -r), m.z + half + (i & 4 ? r : -r)})))
			return false;
	if (LatticeHull_Build(w->hull, w->points.data, 8, 0.0) != 1)
		return false;
	int part = PartList_AddPart(&w->list, w->memory, w->hull);
	if (part != NONE)
		w->list.parts.data[part].cells = *set;
	return part != NONE;
}

static CellSet Cut(const CellSet *set, int x, int y, int z, int size)
{
	CellSet cut = {{0}};
	uint64_t rows = 0;
	for (int i = z; i < z + size; i++)
		rows |= (uint64_t)((1u << size) - 1) << (x + 8 * i);
	for (int i = y; i < y + size; i++)
		cut.y[i] = set->y[i] & rows;
	return cut;
}

/* Depth: 8, 4, 2, 1. */
static bool Split(CarveWorker *w, const CellSet *inside, int x, int y, int z, int size)
{
	CellSet set = Cut(inside, x, y, z, size), region = Cut(&all_cells, x, y, z, size);
	if (Set_IsEmpty(&set))
		return true;
	int made = TrySet(w, &set, &region, size == 1);
	if (made != 0)
		return made > 0;
	if (size == 1)
		return AddSpeck(w, &set, x, y, z);
	int half = size / 2;
	for (int i = 0; i < 8; i++)
		if (!Split(w, inside, x + (i & 1) * half, y + (i >> 2) * half, z + (i >> 1 & 1) * half, half))
			return false;
	return true;
}

/* ---- joining within the block ------------------------------------------------------------------------------------ */

/* Cells of the set and those over their faces. */
static CellSet Dilated(const CellSet *set)
{
	const uint64_t low = 0x0101010101010101u, high = low << 7;
	CellSet out;
	for (int y = 0; y < BLOCK; y++) {
		uint64_t word = set->y[y];
		out.y[y] = word | word << 8 | word >> 8 | (word & ~high) << 1 | (word & ~low) >> 1;
		out.y[y] |= y > 0 ? set->y[y - 1] : 0;
		out.y[y] |= y < BLOCK - 1 ? set->y[y + 1] : 0;
	}
	return out;
}

/* Do they touch, and could they be convex together? Where stairs count as slopes, diagonals say nothing. */
static bool MayJoin(const CellSet *a, const CellSet *b, bool stairs)
{
	CellSet near = Dilated(a), both;
	uint64_t touch = 0;
	for (int y = 0; y < BLOCK; y++) {
		touch |= near.y[y] & b->y[y];
		both.y[y] = a->y[y] | b->y[y];
	}
	return touch != 0 && LinesAreWhole(&both) && (stairs || DiagonalsAreWhole(&both));
}

static bool AreApart(const CarveWorker *w, int a, int b)
{
	return w->apart[a][b >> 6] >> (b & 63) & 1;
}

static void SetApart(CarveWorker *w, int a, int b)
{
	w->apart[a][b >> 6] |= 1ull << (b & 63);
	w->apart[b][a >> 6] |= 1ull << (a & 63);
}

/* What either was apart from, both are: a hull around more is no less deep anywhere. */
static void ShareApart(CarveWorker *w, int a, int b, int count)
{
	for (int i = 0; i < count; i++)
		if (AreApart(w, b, i))
			SetApart(w, a, i);
}

/* 1: the second of the block's parts (numbered from `first`) has become part of the first; 0; ERROR_MEMORY. */
static int JoinPair(CarveWorker *w, int first, int a, int b)
{
	CarvePart *pa = &w->list.parts.data[first + a], *pb = &w->list.parts.data[first + b];
	int joined = Worker_TryJoin(w, &w->list, first + a, first + b, FitsAllAir);
	if (joined == 0)
		SetApart(w, a, b);
	if (joined != 1)
		return joined;
	int count = LatticeHull_CornerCount(w->hull);
	if (!Array_Reserve(w->memory, w->list.corners, w->list.corners.count + count))
		return ERROR_MEMORY;
	for (int i = 0; i < count; i++)
		w->list.corners.data[w->list.corners.count++] = LatticeHull_Corner(w->hull, i);
	PartList_Join(&w->list, first + a, first + b, count);
	ShareApart(w, a, b, w->list.parts.count - first);
	for (int y = 0; y < BLOCK; y++)
		pa->cells.y[y] |= pb->cells.y[y];
	return 1;
}

/* Each part takes up what it can of the others. Joined ones are marked by a count of 0. */
static bool JoinParts(CarveWorker *w, int first)
{
	int tried = 0, count = w->list.parts.count - first;
	bool stairs = w->over[SAMPLE_VERTEX] > 0.5 * PATCH_UNIT;
	const CarvePart *parts = w->list.parts.data + first;
	memset(w->apart, 0, sizeof(w->apart[0]) * (size_t)count);
	for (int a = 0; a < count; a++) {
		for (int b = 0; b < count && tried < JOINS_TRIED; b++) {
			if (a == b || parts[a].corner_count == 0 || parts[b].corner_count == 0 || AreApart(w, a, b) ||
			    !MayJoin(&parts[a].cells, &parts[b].cells, stairs))
				continue;
			tried++;
			int joined = JoinPair(w, first, a, b);
			if (joined < 0)
				return false;
			if (joined == 1)
				b = -1; /* what it has become may take others */
		}
	}
	return true;
}

/* Where all is one part, it may be joined with other blocks', and is held to all air of both then. */
static bool AddAirSamples(CarveWorker *w, int part)
{
	PartList *list = &w->list;
	for (int i = 0; i < w->foreign_count; i++)
		for (int k = 0; k < 4; k++)
			if (!PartList_AddSample(list, w->memory, part, w->vertices[w->quad_corner[w->foreign[i]][k]],
			                        SAMPLE_AIR_VERTEX))
				return false;
	for (int i = 0; i < w->foreign_count; i++)
		if (!PartList_AddSample(list, w->memory, part, w->quad_middle[w->foreign[i]], SAMPLE_AIR_MIDDLE))
			return false;
	return true;
}

/* The parts that are left become a list. */
static void LinkParts(CarveWorker *w, CarveShare *share)
{
	share->head = NONE;
	share->count = 0;
	for (int i = w->list.parts.count - 1; i >= share->part; i--) {
		CarvePart *part = &w->list.parts.data[i];
		if (part->corner_count == 0)
			continue;
		part->next = share->head;
		share->head = i;
		share->count++;
	}
}

bool Worker_SplitBlock(Carver *c, CarveWorker *w, int place, CarveShare *share)
{
	PartList *list = &w->list;
	CellSet inside = InsideOf(&c->blocks.data[place]);
	*share = (CarveShare){.worker = w->number,
	                      .part = list->parts.count,
	                      .corner = list->corners.count,
	                      .sample = list->samples.count,
	                      .run = list->sample_runs.count};
	LoadBlock(c, w, place);
	FindAir(w, &all_cells, &w->all_air);
	if (!Split(w, &inside, 0, 0, 0, BLOCK) || !JoinParts(w, share->part))
		return false;
	LinkParts(w, share);
	if (share->count == 1 && !AddAirSamples(w, share->head))
		return false;
	share->parts = list->parts.count - share->part;
	share->corners = list->corners.count - share->corner;
	share->samples = list->samples.count - share->sample;
	share->runs = list->sample_runs.count - share->run;
	return true;
}
