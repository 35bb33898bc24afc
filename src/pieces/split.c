/* A block of a piece as convex parts: all of it if its hull fits the surface, else its eighths, and theirs, down to
 * single cells; then parts of the block are joined where they can be. */
#include "pieces/carve_internal.h"

#define JOINS_TRIED 256 /* in one block */
#define SPECK 0.05      /* cells: half of what stands for a cell that has no volume */

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

static int VertexAt(Carver *c, Cell p)
{
	uint32_t hash = ((uint32_t)p.x * 0x9E3779B1u) ^ ((uint32_t)p.y * 0x85EBCA77u) ^ ((uint32_t)p.z * 0xC2B2AE3Du);
	for (uint32_t i = (hash ^ hash >> 15) % COUNT_OF(c->table);; i = (i + 1) % COUNT_OF(c->table)) {
		int found = c->table[i];
		if (found < 0) {
			c->table[i] = (int16_t)c->vertex_count;
			c->vertices[c->vertex_count] = p;
			return c->vertex_count++;
		}
		Cell q = c->vertices[found];
		if (q.x == p.x && q.y == p.y && q.z == p.z)
			return found;
	}
}

/* A corner of the block's lattice, each of its numbers 0..8. */
static Cell LatticePoint(const Carver *c, int x, int y, int z)
{
	return (Cell){(c->base.x + BLOCK * c->block->at.x + x) * PATCH_UNIT,
	              (c->base.y + BLOCK * c->block->at.y + y) * PATCH_UNIT,
	              (c->base.z + BLOCK * c->block->at.z + z) * PATCH_UNIT};
}

static Cell MiddleOf(const Cell corner[4])
{
	Cell sum = {0, 0, 0}, o = corner[0];
	for (int k = 1; k < 4; k++) /* differences are small */
		sum = (Cell){sum.x + corner[k].x - o.x, sum.y + corner[k].y - o.y, sum.z + corner[k].z - o.z};
	return (Cell){o.x + (sum.x >> 2), o.y + (sum.y >> 2), o.z + (sum.z >> 2)};
}

/* A block has no more vertices than its 9^3 lattice corners have loops. */
static void LoadBlock(Carver *c, const CarveBlock *block)
{
	c->block = block;
	c->vertex_count = c->quad_count = c->air_count = 0;
	memset(c->table, 0xFF, sizeof(c->table));
	for (int i = block->quad; i != NONE; i = c->quads.data[i].next) {
		const CarveQuad *quad = &c->quads.data[i];
		int to = c->quad_count++;
		c->quad_cell[to] = quad->cell;
		c->quad_air[to] = quad->air;
		c->quad_middle[to] = MiddleOf(quad->corner);
		for (int k = 0; k < 4; k++)
			c->quad_corner[to][k] = (uint16_t)VertexAt(c, quad->corner[k]);
		if (quad->air != NONE)
			c->air_quads[c->air_count++] = (int16_t)to;
	}
}

/* Does the carver's hull leave alone the faces, whosever they are, of the air of the block, or of a set of its cells?
 */
static bool FitsAir(Carver *c, const CellSet *set)
{
	memset(c->asked, 0, (size_t)c->vertex_count);
	for (int i = 0; i < c->air_count; i++) {
		int quad = c->air_quads[i];
		if (set && !Set_Has(set, c->quad_air[quad]))
			continue;
		if (LatticeHull_IsDeep(c->hull, c->quad_middle[quad], c->over[SAMPLE_AIR_MIDDLE]))
			return false;
		for (int k = 0; k < 4; k++) {
			int vertex = c->quad_corner[quad][k];
			if (!c->asked[vertex] && LatticeHull_IsDeep(c->hull, c->vertices[vertex], c->over[SAMPLE_AIR_VERTEX]))
				return false;
			c->asked[vertex] = 1;
		}
	}
	return true;
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

static bool AddCorners(Carver *c, const CellSet *set)
{
	CornerRows rows;
	FindCorners(c->block, set, &rows);
	for (int y = rows.y0; y <= rows.y1; y++)
		for (int z = rows.z0; z <= rows.z1; z++) {
			unsigned row = rows.row[y][z];
			unsigned left = row != 0 ? row & ~BetweenBits(row) & ~BetweenRows(&rows, y, z) : 0;
			for (; left != 0; left &= left - 1) {
				Cell at = LatticePoint(c, __builtin_ctz(left), y, z);
				if (!Array_Push(c->memory, c->points, at))
					return false;
			}
		}
	return true;
}

/* The vertices of the faces of the set's cells, which are marked as used, and its corners. */
static bool FindPoints(Carver *c, const CellSet *set)
{
	c->points.count = 0;
	memset(c->used, 0, (size_t)c->vertex_count);
	for (int i = 0; i < c->quad_count; i++)
		for (int k = 0; k < 4 && c->quad_cell[i] != NONE && Set_Has(set, c->quad_cell[i]); k++)
			c->used[c->quad_corner[i][k]] = 1;
	for (int i = 0; i < c->vertex_count; i++)
		if (c->used[i] && !Array_Push(c->memory, c->points, c->vertices[i]))
			return false;
	return AddCorners(c, set);
}

/* ---- parts ------------------------------------------------------------------------------------------------------- */

/* A part of the carver's hull, with samples at the set's vertices and the middles of its faces. NONE: no memory. */
static int AddSetPart(Carver *c, const CellSet *set)
{
	int part = Carver_AddPart(c);
	if (part == NONE)
		return NONE;
	c->parts.data[part].cells = *set;
	for (int i = 0; i < c->quad_count; i++)
		if (c->quad_cell[i] != NONE && Set_Has(set, c->quad_cell[i]) &&
		    !Carver_AddSample(c, part, c->quad_middle[i], SAMPLE_MIDDLE))
			return NONE;
	for (int i = 0; i < c->vertex_count; i++)
		if (c->used[i] && !Carver_AddSample(c, part, c->vertices[i], SAMPLE_VERTEX))
			return NONE;
	for (int i = 0; i < c->parts.data[part].corner_count; i++)
		if (!Carver_AddSample(c, part, c->corners.data[c->parts.data[part].corner + i], SAMPLE_CORNER))
			return NONE;
	return part;
}

static void DropLastPart(Carver *c)
{
	CarvePart *part = &c->parts.data[--c->parts.count];
	c->corners.count = part->corner;
	if (part->sample != NONE) {
		c->samples.count = c->sample_runs.data[part->sample].first;
		c->sample_runs.count = part->sample;
	}
}

/* 1: the set, of the cells within `region`, has become a part; 0: its hull does not fit; ERROR_MEMORY. */
static int TrySet(Carver *c, const CellSet *set, const CellSet *region, bool whatever)
{
	if (!whatever && !LinesAreWhole(set))
		return 0;
	if (!FindPoints(c, set))
		return ERROR_MEMORY;
	int built = LatticeHull_Build(c->hull, c->points.data, c->points.count, SPLIT_SLACK * PATCH_UNIT);
	if (built != 1)
		return built;
	if (!whatever && !FitsAir(c, region))
		return 0;
	int part = AddSetPart(c, set);
	if (part == NONE)
		return ERROR_MEMORY;
	if (whatever || Carver_FitsOwn(c, part))
		return 1;
	DropLastPart(c);
	return 0;
}

/* A cell whose surface encloses nothing becomes a speck at its middle. */
static bool AddSpeck(Carver *c, const CellSet *set, int x, int y, int z)
{
	const int32_t half = PATCH_UNIT / 2, r = (int32_t)(SPECK * PATCH_UNIT);
	Cell m = LatticePoint(c, x, y, z);
	c->points.count = 0;
	for (int i = 0; i < 8; i++)
		if (!Array_Push(
		        c->memory, c->points,
		        ((Cell){m.x + half + (i & 1 ? r : -r), m.y + half + (i & 2 ? r : -r), m.z + half + (i & 4 ? r : -r)})))
			return false;
	if (LatticeHull_Build(c->hull, c->points.data, 8, 0.0) != 1)
		return false;
	int part = Carver_AddPart(c);
	if (part != NONE)
		c->parts.data[part].cells = *set;
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
static bool Split(Carver *c, const CellSet *inside, int x, int y, int z, int size)
{
	static const CellSet all = {{~0ull, ~0ull, ~0ull, ~0ull, ~0ull, ~0ull, ~0ull, ~0ull}};
	CellSet set = Cut(inside, x, y, z, size), region = Cut(&all, x, y, z, size);
	if (Set_IsEmpty(&set))
		return true;
	int made = TrySet(c, &set, &region, size == 1);
	if (made != 0)
		return made > 0;
	if (size == 1)
		return AddSpeck(c, &set, x, y, z);
	int half = size / 2;
	for (int i = 0; i < 8; i++)
		if (!Split(c, inside, x + (i & 1) * half, y + (i >> 2) * half, z + (i >> 1 & 1) * half, half))
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

static bool AreApart(const Carver *c, int a, int b)
{
	return c->apart[a][b >> 6] >> (b & 63) & 1;
}

static void SetApart(Carver *c, int a, int b)
{
	c->apart[a][b >> 6] |= 1ull << (b & 63);
	c->apart[b][a >> 6] |= 1ull << (a & 63);
}

/* What either was apart from, both are: a hull around more is no less deep anywhere. */
static void ShareApart(Carver *c, int a, int b, int count)
{
	for (int i = 0; i < count; i++)
		if (AreApart(c, b, i))
			SetApart(c, a, i);
}

/* 1: the second of the block's parts (numbered from `first`) has become part of the first; 0; ERROR_MEMORY. */
static int JoinPair(Carver *c, int first, int a, int b)
{
	CarvePart *pa = &c->parts.data[first + a], *pb = &c->parts.data[first + b];
	int joined = Carver_TryJoin(c, first + a, first + b, FitsAir);
	if (joined == 0)
		SetApart(c, a, b);
	if (joined != 1)
		return joined;
	ShareApart(c, a, b, c->parts.count - first);
	for (int y = 0; y < BLOCK; y++)
		pa->cells.y[y] |= pb->cells.y[y];
	return 1;
}

/* Each part takes up what it can of the others. Joined ones are marked by a count of 0. */
static bool JoinParts(Carver *c, int first)
{
	int tried = 0, count = c->parts.count - first;
	bool stairs = c->over[SAMPLE_VERTEX] > 0.5 * PATCH_UNIT;
	const CarvePart *parts = c->parts.data + first;
	memset(c->apart, 0, sizeof(c->apart[0]) * (size_t)count);
	for (int a = 0; a < count; a++) {
		for (int b = 0; b < count && tried < JOINS_TRIED; b++) {
			if (a == b || parts[a].corner_count == 0 || parts[b].corner_count == 0 || AreApart(c, a, b) ||
			    !MayJoin(&parts[a].cells, &parts[b].cells, stairs))
				continue;
			tried++;
			int joined = JoinPair(c, first, a, b);
			if (joined < 0)
				return false;
			if (joined == 1)
				b = -1; /* what it has become may take others */
		}
	}
	return true;
}

bool Carver_SplitBlock(Carver *c, const CarveBlock *block)
{
	int first = c->parts.count;
	CellSet inside = InsideOf(block);
	LoadBlock(c, block);
	if (!Split(c, &inside, 0, 0, 0, BLOCK) || !JoinParts(c, first))
		return false;
	CarveNode node = {.at = block->at, .part = NONE};
	for (int i = c->parts.count - 1; i >= first; i--) {
		if (c->parts.data[i].corner_count == 0)
			continue;
		c->parts.data[i].next = node.part;
		node.part = i;
		node.count++;
	}
	/* where all is one part, it may be joined with other blocks', and is held to all air of both then */
	for (int i = 0; i < c->quad_count && node.count == 1; i++)
		for (int k = 0; k < 4 && c->quad_cell[i] == NONE; k++)
			if (!Carver_AddSample(c, node.part, c->vertices[c->quad_corner[i][k]], SAMPLE_AIR_VERTEX))
				return false;
	for (int i = 0; i < c->quad_count && node.count == 1; i++)
		if (c->quad_cell[i] == NONE && !Carver_AddSample(c, node.part, c->quad_middle[i], SAMPLE_AIR_MIDDLE))
			return false;
	return node.count == 0 || Array_Push(c->memory, c->nodes, node);
}
