/* The surface of a piece, block by block as if nothing else were there. */
#include "pieces/carve_internal.h"

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

/* Cells of one neighbour into the field around a block: n of each row. */
static inline void CopyRows(uint8_t *field, const uint8_t *from, int dx, int dy, int dz, size_t n)
{
	static const uint8_t start[3] = {4, 0, 0}, count[3] = {4, 8, 4}, to[3] = {0, 4, 12};
	for (int y = 0; y < count[dy + 1]; y++)
		for (int z = 0; z < count[dz + 1]; z++)
			memcpy(field + to[dx + 1] + PATCH_SIZE * ((to[dz + 1] + z) + PATCH_SIZE * (to[dy + 1] + y)),
			       from + start[dx + 1] + BLOCK * ((start[dz + 1] + z) + BLOCK * (start[dy + 1] + y)), n);
}

static void CopyInto(uint8_t *field, const uint8_t *from, int dx, int dy, int dz)
{
	if (dx == 0)
		CopyRows(field, from, dx, dy, dz, BLOCK);
	else
		CopyRows(field, from, dx, dy, dz, PATCH_HALO);
}

/* False: the block and all around it are solid, so it has no surface. places: of the 27 blocks. */
static bool FillField(const Carver *c, TerrainPatch *patch, const CarveBlock *block, int places[27])
{
	uint8_t *value, *material;
	int solid = 0;
	const CarveBlock *around[27];
	for (int i = 0; i < 27; i++) {
		Cell at = {block->at.x + i % 3 - 1, block->at.y + i / 9 - 1, block->at.z + i / 3 % 3 - 1};
		places[i] = Carver_FindBlock(c, at);
		around[i] = places[i] == NONE ? NULL : &c->blocks.data[places[i]];
		solid += around[i] && around[i]->solid;
	}
	if (solid == 27)
		return false;
	TerrainPatch_Cells(patch, &value, &material);
	memset(value, 0, PATCH_SIZE * PATCH_SIZE * PATCH_SIZE);
	memset(material, 0, PATCH_SIZE * PATCH_SIZE * PATCH_SIZE);
	for (int i = 0; i < 27; i++)
		if (around[i]) {
			CopyInto(value, around[i]->value, i % 3 - 1, i / 9 - 1, i / 3 % 3 - 1);
			CopyInto(material, around[i]->material, i % 3 - 1, i / 9 - 1, i / 3 % 3 - 1);
		}
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

/* Air that no part is near is in no block. */
static CarveQuad QuadFrom(PatchQuad quad, Cell corner, const int places[27])
{
	int inside = places[Around(quad.inside)], air = places[Around(quad.air)];
	CarveQuad to = {.inside_block = inside, .air_block = air, .inside = PlaceOf(quad.inside), .air = PlaceOf(quad.air)};
	for (int k = 0; k < 4; k++)
		to.corner[k] = (Cell){quad.corner[k].x + corner.x, quad.corner[k].y + corner.y, quad.corner[k].z + corner.z};
	return to;
}

static bool MeshBlock(Carver *c, CarveWorker *w, int item)
{
	CarveBlock *block = &c->blocks.data[item];
	int places[27];
	block->worker = w->number;
	block->quad = w->quads.count;
	block->quad_count = 0;
	if (!FillField(c, w->patch, block, places)) {
		memset(block->inside, 0xFF, sizeof(block->inside));
		return true;
	}
	block->quad_count = TerrainPatch_Build(w->patch);
	if (!Array_Reserve(w->memory, w->quads, w->quads.count + block->quad_count))
		return false;
	for (int y = -1; y <= BLOCK; y++)
		for (int z = -1; z <= BLOCK; z++)
			block->inside[y + 1][z + 1] = TerrainPatch_Inside(w->patch, y, z);
	Cell corner = Carver_Corner(c, block);
	for (int k = 0; k < block->quad_count; k++)
		w->quads.data[w->quads.count++] = QuadFrom(TerrainPatch_Quad(w->patch, k), corner, places);
	return true;
}

bool Carver_Mesh(Carver *c)
{
	for (int i = 0; i < c->worker_count; i++)
		if (c->workers[i])
			c->workers[i]->quads.count = 0;
	return AddBlocksBefore(c) && Carver_ForAll(c, c->blocks.count, MeshBlock);
}
