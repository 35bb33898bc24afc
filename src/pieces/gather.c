/* The cells of a piece in blocks, as they are, or so many a side taken together: then a cell's occupancy is the mean,
 * and its material that of which it has most. */
#include "pieces/carve_internal.h"

#define THIN_SHARE 5 /* one cell in so many may be where a piece is thin */

static int FindBlock(Carver *c, Cell at)
{
	int place = CoordMap_Find(&c->map, at.x, at.y, at.z);
	if (place >= 0)
		return place;
	if (!Array_Reserve(c->memory, c->blocks, c->blocks.count + 1) ||
	    !CoordMap_Put(&c->map, c->memory, at.x, at.y, at.z, c->blocks.count))
		return NONE;
	CarveBlock *block = &c->blocks.data[c->blocks.count];
	memset(block, 0, sizeof(*block));
	block->at = at;
	block->quad = NONE;
	return c->blocks.count++;
}

/* Mostly it is the one that was asked for before. */
int Carver_BlockAt(Carver *c, Cell at)
{
	if (c->last_block < c->blocks.count) {
		Cell last = c->blocks.data[c->last_block].at;
		if (last.x == at.x && last.y == at.y && last.z == at.z)
			return c->last_block;
	}
	int place = FindBlock(c, at);
	c->last_block = Int_Max(place, 0);
	return place;
}

static int CellInBlock(int32_t x, int32_t y, int32_t z)
{
	return (x & 7) + BLOCK * ((z & 7) + BLOCK * (y & 7));
}

/* ---- as they are ------------------------------------------------------------------------------------------------- */

static bool AddRun(Carver *c, PieceRun run)
{
	run.y -= c->base.y;
	run.z -= c->base.z;
	for (int32_t x = run.x - c->base.x, end = x + run.n; x < end;) {
		int place = Carver_BlockAt(c, (Cell){x >> 3, run.y >> 3, run.z >> 3});
		if (place == NONE)
			return false;
		int n = Int_Min(end - x, BLOCK - (x & 7)), at = CellInBlock(x, run.y, run.z);
		memset(c->blocks.data[place].value + at, run.occupancy, (size_t)n);
		memset(c->blocks.data[place].material + at, run.material, (size_t)n);
		x += n;
	}
	return true;
}

/* ---- taken together ---------------------------------------------------------------------------------------------- */

/* Sums of occupancy, in 1/256 of a cell; and how much of it was added at once at most, which gives the material. */
static bool AddSums(Carver *c, PieceRun run, int shift)
{
	int32_t y = (run.y >> shift) - c->base.y, z = (run.z >> shift) - c->base.z;
	for (int32_t x = run.x, end = x + run.n; x < end;) {
		int32_t to = x >> shift, next = Int_Min((to + 1) * (1 << shift), end), cx = to - c->base.x;
		int place = Carver_BlockAt(c, (Cell){cx >> 3, y >> 3, z >> 3}), at = CellInBlock(cx, y, z);
		if (place == NONE || !Array_Reserve(c->memory, c->sums, place + 1))
			return false;
		for (; c->sums.count <= place; c->sums.count++)
			memset(&c->sums.data[c->sums.count], 0, sizeof(CarveSums));
		uint32_t added = (uint32_t)(next - x) * (run.occupancy + 1u);
		CarveSums *sums = &c->sums.data[place];
		sums->sum[at] += added;
		if (added > sums->most[at]) {
			sums->most[at] = added;
			c->blocks.data[place].material[at] = run.material;
		}
		x = next;
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
	int place = CoordMap_Find(&c->map, block->at.x + dx, block->at.y + dy, block->at.z + dz);
	return place < 0 ? (CellSet){{0}} : c->blocks.data[place].cells;
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

bool Carver_Gather(Carver *c, const Piece *piece, int shift)
{
	CoordMap_Free(&c->map, c->memory);
	c->base = (Cell){piece->box.lo.x >> shift, piece->box.lo.y >> shift, piece->box.lo.z >> shift};
	c->shift = shift;
	c->blocks.count = c->sums.count = 0;
	for (int i = 0; i < piece->run_count; i++)
		if (!(shift == 0 ? AddRun(c, piece->runs[i]) : AddSums(c, piece->runs[i], shift)))
			return false;
	if (shift > 0)
		TakeMeans(c, shift);
	c->open_blocks = 0;
	for (int i = 0; i < c->blocks.count; i++) {
		FindInside(&c->blocks.data[i]);
		c->blocks.data[i].solid = IsSolid(&c->blocks.data[i]);
		c->open_blocks += !c->blocks.data[i].solid;
	}
	return true;
}

/* Those of cubes may not. */
bool Carver_MayCoarsen(const Carver *c, const Piece *piece)
{
	if (c->shift == CARVE_SHIFT_LIMIT)
		return false;
	for (int i = 0; i < piece->run_count; i++)
		if (c->blockiness[piece->runs[i].material] > 0)
			return false;
	return HasFewThin(c, piece);
}
