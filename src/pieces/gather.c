/* The cells of a piece in blocks, as they are, or so many a side taken together: then a cell's occupancy is the mean,
 * and its material that of which it has most. */
#include "pieces/carve_internal.h"

#define GRID_LIMIT 32768 /* blocks */
#define THIN_SHARE 5     /* one cell in so many may be where a piece is thin */

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

/* Room for all blocks of a piece, those before them, and those around these, as a grid where it is small. False: no
 * memory. */
static bool ClearBlocks(Carver *c, CellBox box)
{
	const int32_t sides[3] = {((box.hi.x - box.lo.x) >> 3) + 4, ((box.hi.y - box.lo.y) >> 3) + 4,
	                          ((box.hi.z - box.lo.z) >> 3) + 4};
	double volume = (double)sides[0] * sides[1] * sides[2];
	CoordMap_Free(&c->map, c->memory);
	c->blocks.count = c->sums.count = c->grid.count = 0;
	memcpy(c->grid_sides, sides, sizeof(sides));
	if (volume > GRID_LIMIT)
		return true;
	if (!Array_Resize(c->memory, c->grid, (int)volume))
		return false;
	memset(c->grid.data, 0xFF, sizeof(int) * (size_t)c->grid.count); /* NONE */
	return true;
}

static int *GridPlace(const Carver *c, Cell at)
{
	return &c->grid.data[at.x + 2 + c->grid_sides[0] * (at.z + 2 + c->grid_sides[2] * (at.y + 2))];
}

int Carver_FindBlock(const Carver *c, Cell at)
{
	if (c->grid.count > 0)
		return *GridPlace(c, at);
	int place = CoordMap_Find(&c->map, at.x, at.y, at.z);
	return place < 0 ? NONE : place;
}

int Carver_BlockAt(Carver *c, Cell at)
{
	int place = Carver_FindBlock(c, at);
	if (place != NONE)
		return place;
	if (!Array_Reserve(c->memory, c->blocks, c->blocks.count + 1))
		return NONE;
	if (c->grid.count > 0)
		*GridPlace(c, at) = c->blocks.count;
	else if (!CoordMap_Put(&c->map, c->memory, at.x, at.y, at.z, c->blocks.count))
		return NONE;
	CarveBlock *block = &c->blocks.data[c->blocks.count];
	memset(block, 0, sizeof(*block));
	block->at = at;
	return c->blocks.count++;
}

static int CellInBlock(int32_t x, int32_t y, int32_t z)
{
	return (x & 7) + BLOCK * ((z & 7) + BLOCK * (y & 7));
}

/* ---- as they are ------------------------------------------------------------------------------------------------- */

/* What is inside, so far, which tells whether it is worth while to have the cells. Mostly a run is in the block of the
 * one before. */
static bool AddBits(Carver *c, const Piece *piece)
{
	const Cell base = c->base;
	Cell last = {INT32_MIN, 0, 0};
	int place = NONE;
	for (int i = 0; i < piece->run_count; i++) {
		const PieceRun *run = &piece->runs[i];
		int32_t y = run->y - base.y, z = run->z - base.z;
		for (int32_t x = run->x - base.x, end = x + run->n; x < end;) {
			Cell at = {x >> 3, y >> 3, z >> 3};
			int n = Int_Min(end - x, BLOCK - (x & 7));
			if (at.x != last.x || at.y != last.y || at.z != last.z) {
				place = Carver_BlockAt(c, at);
				if (place == NONE)
					return false;
				last = at;
			}
			if (run->occupancy >= 128)
				c->blocks.data[place].cells.y[y & 7] |= (uint64_t)(0xFF >> (BLOCK - n) << (x & 7)) << (8 * (z & 7));
			x += n;
		}
	}
	return true;
}

static void SetCells(uint8_t *at, uint8_t value, int n)
{
	if (n == BLOCK)
		memset(at, value, BLOCK);
	else
		for (int i = 0; i < n; i++)
			at[i] = value;
}

void Carver_FillCells(Carver *c, const Piece *piece)
{
	for (int i = 0; i < piece->run_count; i++) {
		PieceRun run = piece->runs[i];
		run.y -= c->base.y;
		run.z -= c->base.z;
		for (int32_t x = run.x - c->base.x, end = x + run.n; x < end;) {
			CarveBlock *block = &c->blocks.data[Carver_FindBlock(c, (Cell){x >> 3, run.y >> 3, run.z >> 3})];
			int n = Int_Min(end - x, BLOCK - (x & 7)), at = CellInBlock(x, run.y, run.z);
			SetCells(block->value + at, run.occupancy, n);
			SetCells(block->material + at, run.material, n);
			x += n;
		}
	}
}

/* ---- taken together ---------------------------------------------------------------------------------------------- */

/* Sums of occupancy, in 1/256 of a cell; and how much of it was added at once at most, which gives the material. */
static bool AddSums(Carver *c, PieceRun run, int shift)
{
	const int32_t size = 1 << shift;
	int32_t y = (run.y >> shift) - c->base.y, z = (run.z >> shift) - c->base.z;
	uint32_t each = run.occupancy + 1u;
	for (int32_t x = run.x, end = x + run.n; x < end;) {
		int32_t cx = (x >> shift) - c->base.x, stop = Int_Min(((cx | 7) + 1 + c->base.x) * size, end);
		int place = Carver_BlockAt(c, (Cell){cx >> 3, y >> 3, z >> 3}), at = CellInBlock(cx, y, z);
		if (place == NONE || !Array_Reserve(c->memory, c->sums, place + 1))
			return false;
		for (; c->sums.count <= place; c->sums.count++)
			memset(&c->sums.data[c->sums.count], 0, sizeof(CarveSums));
		CarveSums *sums = &c->sums.data[place];
		uint8_t *materials = c->blocks.data[place].material;
		for (; x < stop; at++) {
			int32_t next = Int_Min((x & -size) + size, stop);
			uint32_t added = (uint32_t)(next - x) * each;
			sums->sum[at] += added;
			if (added > sums->most[at]) {
				sums->most[at] = (uint16_t)added;
				materials[at] = run.material;
			}
			x = next;
		}
	}
	return true;
}

static void TakeMeans(Carver *c, int shift)
{
	for (int i = 0; i < c->blocks.count; i++)
		for (int k = 0; k < BLOCK_CELLS; k++) {
			int mean = (int)(c->sums.data[i].sum[k] >> (3 * shift)) - 1;
			c->blocks.data[i].value[k] = (uint8_t)Int_Max(mean, 0);
			if (mean < 0)
				c->blocks.data[i].material[k] = MATERIAL_AIR;
		}
}

/* ---- what is thin ------------------------------------------------------------------------------------------------ */

static void FindInside(CarveBlock *block)
{
	for (int y = 0; y < BLOCK; y++) {
		block->cells.y[y] = 0;
		for (int z = 0; z < BLOCK; z++) {
			uint64_t row;
			memcpy(&row, block->value + BLOCK * (z + BLOCK * y), sizeof(row));
			row = (((row >> 7) & 0x0101010101010101u) * 0x0102040810204080u) >> 56;
			block->cells.y[y] |= row << (8 * z);
		}
	}
}

static bool IsSolid(const CarveBlock *block)
{
	uint64_t all = ~0ull;
	for (int y = 0; y < BLOCK; y++)
		all &= block->cells.y[y];
	return all == ~0ull;
}

static CellSet CellsAt(const Carver *c, const CarveBlock *block, int dx, int dy, int dz)
{
	int place = Carver_FindBlock(c, (Cell){block->at.x + dx, block->at.y + dy, block->at.z + dz});
	return place == NONE ? (CellSet){{0}} : c->blocks.data[place].cells;
}

/* Cells of a row of which neither three together with it on one side, nor one on each side, are there: a1, a2 before
 * it, b1, b2 behind. */
static uint64_t ThinOf(uint64_t own, uint64_t a1, uint64_t a2, uint64_t b1, uint64_t b2)
{
	return own & ~((a1 & a2) | (a1 & b1) | (b1 & b2));
}

/* How many cells of a block are in a row of less than three along some axis. */
static int CountThin(const Carver *c, const CarveBlock *block)
{
	const uint64_t first = 0x0101010101010101u, two = first * 3u;
	CellSet x0 = CellsAt(c, block, -1, 0, 0), x1 = CellsAt(c, block, 1, 0, 0), y0 = CellsAt(c, block, 0, -1, 0);
	CellSet y1 = CellsAt(c, block, 0, 1, 0), z0 = CellsAt(c, block, 0, 0, -1), z1 = CellsAt(c, block, 0, 0, 1);
	uint64_t layers[BLOCK + 4];
	int count = 0;
	memcpy(layers, y0.y + BLOCK - 2, 2 * sizeof(uint64_t));
	memcpy(layers + 2, block->cells.y, BLOCK * sizeof(uint64_t));
	memcpy(layers + 2 + BLOCK, y1.y, 2 * sizeof(uint64_t));
	for (int y = 0; y < BLOCK; y++) {
		const uint64_t *at = layers + 2 + y;
		uint64_t own = *at, lx = x0.y[y], hx = x1.y[y], lz = z0.y[y], hz = z1.y[y];
		uint64_t thin = ThinOf(own, at[-1], at[-2], at[1], at[2]);
		thin |= ThinOf(own, own << 8 | lz >> 56, own << 16 | lz >> 48, own >> 8 | hz << 56, own >> 16 | hz << 48);
		thin |= ThinOf(own, (own & ~(first << 7)) << 1 | (lx >> 7 & first), (own & ~(two << 6)) << 2 | (lx >> 6 & two),
		               (own & ~first) >> 1 | (hx & first) << 7, (own & ~two) >> 2 | (hx & two) << 6);
		count += __builtin_popcountll(thin);
	}
	return count;
}

static bool HasFewThin(const Carver *c, const Piece *piece)
{
	int64_t thin = 0;
	for (int i = 0; i < c->blocks.count; i++)
		if (!c->blocks.data[i].solid)
			thin += CountThin(c, &c->blocks.data[i]);
	return (thin << (3 * c->shift)) * THIN_SHARE <= piece->cells;
}

/* ---- the call ---------------------------------------------------------------------------------------------------- */

static bool HasCubes(const Carver *c, const Piece *piece)
{
	bool any = false;
	for (int i = 0; i < piece->run_count; i++)
		any |= c->blockiness[piece->runs[i].material] > 0;
	return any;
}

bool Carver_Gather(Carver *c, const Piece *piece, int shift)
{
	const int32_t *lo = &piece->box.lo.x, *hi = &piece->box.hi.x;
	CellBox box = {{lo[0] >> shift, lo[1] >> shift, lo[2] >> shift}, {hi[0] >> shift, hi[1] >> shift, hi[2] >> shift}};
	c->base = box.lo;
	c->shift = shift;
	if (shift == 0)
		c->has_cubes = HasCubes(c, piece);
	if (!ClearBlocks(c, box))
		return false;
	if (shift == 0 && !AddBits(c, piece))
		return false;
	for (int i = 0; i < piece->run_count && shift > 0; i++)
		if (!AddSums(c, piece->runs[i], shift))
			return false;
	if (shift > 0)
		TakeMeans(c, shift);
	c->open_blocks = 0;
	for (int i = 0; i < c->blocks.count; i++) {
		if (shift > 0)
			FindInside(&c->blocks.data[i]);
		c->blocks.data[i].solid = IsSolid(&c->blocks.data[i]);
		c->open_blocks += !c->blocks.data[i].solid;
	}
	return true;
}

bool Carver_MayCoarsen(const Carver *c, const Piece *piece)
{
	return c->shift < CARVE_SHIFT_LIMIT && !c->has_cubes && HasFewThin(c, piece);
}
