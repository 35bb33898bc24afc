/* From cells to convex parts: the piece's surface, block by block as if nothing else were there; each block split until
 * its parts are convex enough (split.c); parts joined again where that leaves them so (merge.c). */
#include "pieces/carve_internal.h"

#define WIDEST (1 << 19) /* cells from the origin that positions can tell */

Carver *Carver_Create(Memory *memory, const uint16_t blockiness[MATERIAL_LIMIT])
{
	Carver *c = Memory_AllocZero(memory, sizeof(*c));
	if (!c)
		return NULL;
	c->memory = memory;
	memcpy(c->blockiness, blockiness, sizeof(c->blockiness));
	c->patch = TerrainPatch_Create(memory, blockiness);
	c->hull = LatticeHull_Create(memory);
	if (c->patch && c->hull)
		return c;
	Carver_Destroy(c);
	return NULL;
}

void Carver_Destroy(Carver *c)
{
	if (!c)
		return;
	Memory *memory = c->memory;
	TerrainPatch_Destroy(c->patch);
	LatticeHull_Destroy(c->hull);
	CoordMap_Free(&c->map, memory);
	Array_Free(memory, c->blocks);
	Array_Free(memory, c->sums);
	Array_Free(memory, c->quads);
	Array_Free(memory, c->parts);
	Array_Free(memory, c->corners);
	Array_Free(memory, c->samples);
	Array_Free(memory, c->points);
	Array_Free(memory, c->sample_runs);
	Array_Free(memory, c->nodes);
	Array_Free(memory, c->coarser);
	Memory_Free(memory, c, sizeof(*c));
}

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

/* Blocks own the edges from their cells upwards, so a face may belong to the block before that of its cell. */
static bool AddBlocksBefore(Carver *c)
{
	int count = c->blocks.count;
	for (int i = 0; i < count; i++) {
		Cell at = c->blocks.data[i].at;
		if (Carver_BlockAt(c, (Cell){at.x - 1, at.y, at.z}) == NONE ||
		    Carver_BlockAt(c, (Cell){at.x, at.y - 1, at.z}) == NONE ||
		    Carver_BlockAt(c, (Cell){at.x, at.y, at.z - 1}) == NONE)
			return false;
	}
	return true;
}

/* ---- the surface ------------------------------------------------------------------------------------------------- */

/* Cells of one neighbour into the field around a block. */
static void CopyInto(uint8_t *value, uint8_t *material, const CarveBlock *from, int dx, int dy, int dz)
{
	static const uint8_t start[3] = {4, 0, 0}, count[3] = {4, 8, 4}, to[3] = {0, 4, 12};
	for (int y = 0; y < count[dy + 1]; y++)
		for (int z = 0; z < count[dz + 1]; z++) {
			int source = start[dx + 1] + BLOCK * ((start[dz + 1] + z) + BLOCK * (start[dy + 1] + y));
			int target = to[dx + 1] + PATCH_SIZE * ((to[dz + 1] + z) + PATCH_SIZE * (to[dy + 1] + y));
			memcpy(value + target, from->value + source, count[dx + 1]);
			memcpy(material + target, from->material + source, count[dx + 1]);
		}
}

/* False: the block and all around it are solid, so it has no surface. around: places of the 27 blocks. */
static bool FillField(Carver *c, const CarveBlock *block, int places[27])
{
	uint8_t *value, *material;
	int solid = 0;
	const CarveBlock *around[27];
	for (int i = 0; i < 27; i++) {
		Cell at = {block->at.x + i % 3 - 1, block->at.y + i / 9 - 1, block->at.z + i / 3 % 3 - 1};
		places[i] = CoordMap_Find(&c->map, at.x, at.y, at.z);
		around[i] = places[i] < 0 ? NULL : &c->blocks.data[places[i]];
		solid += around[i] && around[i]->solid;
	}
	if (solid == 27)
		return false;
	TerrainPatch_Cells(c->patch, &value, &material);
	memset(value, 0, PATCH_SIZE * PATCH_SIZE * PATCH_SIZE);
	memset(material, 0, PATCH_SIZE * PATCH_SIZE * PATCH_SIZE);
	for (int i = 0; i < 27; i++)
		if (around[i])
			CopyInto(value, material, around[i], i % 3 - 1, i / 9 - 1, i / 3 % 3 - 1);
	return true;
}

/* Gives a face to the block that a cell on one of its sides is in. */
static bool ListQuad(Carver *c, int place, const CarveQuad *quad)
{
	if (place < 0)
		return true; /* air that no part is near */
	if (!Array_Push(c->memory, c->quads, *quad))
		return false;
	c->quads.data[c->quads.count - 1].next = c->blocks.data[place].quad;
	c->blocks.data[place].quad = c->quads.count - 1;
	return true;
}

/* Which of the 27 blocks a cell of -1..8 is in. */
static int Around(Cell cell)
{
	return 13 + (cell.x >> 3) + 3 * (cell.z >> 3) + 9 * (cell.y >> 3);
}

static int16_t PlaceOf(Cell cell)
{
	return (int16_t)((cell.x & 7) + BLOCK * ((cell.z & 7) + BLOCK * (cell.y & 7)));
}

static bool AddQuad(Carver *c, Cell block, const int places[27], PatchQuad quad)
{
	Cell corner = {(BLOCK * block.x + c->base.x) * PATCH_UNIT, (BLOCK * block.y + c->base.y) * PATCH_UNIT,
	               (BLOCK * block.z + c->base.z) * PATCH_UNIT};
	int own = Around(quad.inside), other = Around(quad.air);
	bool same = own == other;
	CarveQuad to = {.cell = PlaceOf(quad.inside), .air = same ? PlaceOf(quad.air) : NONE};
	for (int k = 0; k < 4; k++)
		to.corner[k] = (Cell){quad.corner[k].x + corner.x, quad.corner[k].y + corner.y, quad.corner[k].z + corner.z};
	if (!ListQuad(c, places[own], &to))
		return false;
	to.cell = NONE;
	to.air = PlaceOf(quad.air);
	return same || ListQuad(c, places[other], &to);
}

static bool MeshBlocks(Carver *c)
{
	for (int i = 0; i < c->blocks.count; i++) {
		CarveBlock *block = &c->blocks.data[i];
		int places[27];
		if (!FillField(c, block, places)) {
			memset(block->inside, 0xFF, sizeof(block->inside));
			continue;
		}
		int quads = TerrainPatch_Build(c->patch);
		for (int y = -1; y <= BLOCK; y++)
			for (int z = -1; z <= BLOCK; z++)
				block->inside[y + 1][z + 1] = TerrainPatch_Inside(c->patch, y, z);
		for (int k = 0; k < quads; k++)
			if (!AddQuad(c, block->at, places, TerrainPatch_Quad(c->patch, k)))
				return false;
	}
	return true;
}

/* ---- parts ------------------------------------------------------------------------------------------------------- */

int Carver_AddPart(Carver *c)
{
	int count = LatticeHull_CornerCount(c->hull);
	if (!Array_Reserve(c->memory, c->parts, c->parts.count + 1) ||
	    !Array_Reserve(c->memory, c->corners, c->corners.count + count))
		return NONE;
	CarvePart *part = &c->parts.data[c->parts.count];
	*part = (CarvePart){
	    .corner = c->corners.count, .corner_count = count, .sample = NONE, .last_sample = NONE, .next = NONE};
	for (int i = 0; i < count; i++)
		c->corners.data[c->corners.count++] = LatticeHull_Corner(c->hull, i);
	return c->parts.count++;
}

bool Carver_AddSample(Carver *c, int part, Cell at, SampleKind kind)
{
	CarvePart *p = &c->parts.data[part];
	if (!Array_Push(c->memory, c->samples, at))
		return false;
	if (p->last_sample != NONE && c->sample_runs.data[p->last_sample].kind == kind) {
		c->sample_runs.data[p->last_sample].count++;
		return true;
	}
	int run = c->sample_runs.count;
	if (!Array_Push(c->memory, c->sample_runs, ((SampleRun){c->samples.count - 1, 1, NONE, kind})))
		return false;
	if (p->last_sample != NONE)
		c->sample_runs.data[p->last_sample].next = run;
	else
		p->sample = run;
	p->last_sample = run;
	return true;
}

bool Carver_FitsOwn(const Carver *c, int part)
{
	for (int i = c->parts.data[part].sample; i != NONE; i = c->sample_runs.data[i].next) {
		SampleRun run = c->sample_runs.data[i];
		for (int k = run.first; k < run.first + run.count && run.kind != SAMPLE_CORNER; k++)
			if (LatticeHull_IsDeep(c->hull, c->samples.data[k], c->over[run.kind]))
				return false;
	}
	return true;
}

bool Carver_Fits(const Carver *c, int part)
{
	const double under = (CARVE_UNDER - 1.4 * SPLIT_SLACK) * PATCH_UNIT; /* at a right angle, the slack of both faces */
	if (!Carver_FitsOwn(c, part))
		return false;
	for (int i = c->parts.data[part].sample; i != NONE; i = c->sample_runs.data[i].next) {
		SampleRun run = c->sample_runs.data[i];
		for (int k = run.first; k < run.first + run.count && run.kind == SAMPLE_CORNER; k++)
			if (LatticeHull_Outside(c->hull, c->samples.data[k]) > under)
				return false;
	}
	return true;
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

static bool MakeShape(Carver *c, const CarvePart *part, double unit, Memory *memory, PieceParts *parts)
{
	const Cell *corners = c->corners.data + part->corner;
	Cell lo, hi;
	Error error = {0};
	if (!Array_Reserve(memory, parts->items, parts->items.count + 1))
		return false;
	CornerBounds(corners, part->corner_count, &lo, &hi);
	PiecePart made = BoxPart(lo, hi, unit);
	if (!IsBox(corners, part->corner_count, lo, hi)) {
		int built = LatticeHull_Build(c->hull, corners, part->corner_count, 0.0);
		Hull *hull = built == 1 ? LatticeHull_Make(c->hull, memory, unit, &error) : NULL;
		if (built < 0 || (!hull && error.code == ERROR_MEMORY))
			return false;
		if (hull)
			made = (PiecePart){.shape = {.kind = SHAPE_HULL, .hull = hull}};
	}
	parts->items.data[parts->items.count++] = made;
	return true;
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
	c->points.count = 0;
	for (int i = 0; i < c->quads.count; i++)
		for (int k = 0; k < 4 && c->quads.data[i].cell != NONE; k++)
			if (!Array_Push(c->memory, c->points, c->quads.data[i].corner[k]))
				return ERROR_MEMORY;
	for (double slack = 0.02; slack < 4.0; slack *= 2.0) {
		int built = LatticeHull_Build(c->hull, c->points.data, c->points.count, slack * PATCH_UNIT);
		if (built != 0)
			return built < 0 ? built : Carver_AddPart(c) == NONE ? ERROR_MEMORY : 1;
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

/* Parts of all blocks (the first `count`), with a tolerance for vertices of the surface, and one for middles of faces.
 * 1; 0: they are more than `most`, which may be known before all are there; ERROR_MEMORY. */
static int CarveBlocks(Carver *c, int count, double vertices, double middles, int most)
{
	c->over[SAMPLE_VERTEX] = c->over[SAMPLE_AIR_VERTEX] = vertices * PATCH_UNIT;
	c->over[SAMPLE_MIDDLE] = c->over[SAMPLE_AIR_MIDDLE] = middles * PATCH_UNIT;
	c->parts.count = c->corners.count = c->samples.count = c->sample_runs.count = c->nodes.count = 0;
	int stay = 0; /* several parts of one block are not joined with those of others */
	for (int i = 0; i < count; i++) {
		int nodes = c->nodes.count;
		if (!Carver_SplitBlock(c, &c->blocks.data[i]))
			return ERROR_MEMORY;
		if (c->nodes.count > nodes && c->nodes.data[nodes].count > 1)
			stay += c->nodes.data[nodes].count;
		if (stay > most)
			return 0;
	}
	return !Carver_Merge(c) ? ERROR_MEMORY : CountParts(c) <= most;
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
	c->quads.count = c->parts.count = c->corners.count = c->nodes.count = 0;
	if (!AddBlocksBefore(c) || !MeshBlocks(c))
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
	PieceParts made = {0};
	bool ok;
	if (IsWide(piece->box)) {
		ok = BoxRuns(piece, cell_size, memory, &made);
	} else {
		ok = FindParts(c, piece, simple);
		double unit = cell_size * (1 << c->shift) / PATCH_UNIT;
		for (int i = 0; ok && i < c->nodes.count; i++)
			for (int k = c->nodes.data[i].part; ok && k != NONE; k = c->parts.data[k].next)
				ok = MakeShape(c, &c->parts.data[k], unit, memory, &made);
		if (ok && c->nodes.count == 0) /* one hull around all */
			ok = MakeShape(c, &c->parts.data[0], unit, memory, &made);
	}
	ok = ok && Array_Reserve(memory, parts->items, parts->items.count + made.items.count);
	if (!ok) {
		PieceParts_Free(&made, memory);
		return false;
	}
	for (int i = 0; i < made.items.count; i++)
		parts->items.data[parts->items.count++] = made.items.data[i];
	Array_Free(memory, made.items);
	return true;
}
