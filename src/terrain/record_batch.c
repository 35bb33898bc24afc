/* The bits of many blocks of one group at once, which is how they change: whole chunks are written, and an edit touches
 * neighbours. The cells are read once, a row of up to 36 of them becomes a word a question, and what a block's record
 * says is cut out of words that were grown and combined for all of them. Record_Make is the plain form: the same bits,
 * block by block. */
#include "terrain/bytes_internal.h"
#include "terrain/terrain_internal.h"

#if SCREE_X86
#include <immintrin.h>
#endif

#define SIDE_LIMIT (GROUP_SIDE * BLOCK_SIZE + 2 * RECORD_HALO)
#define ROW_LIMIT (SIDE_LIMIT * SIDE_LIMIT)
#define CELL_LIMIT_HERE (ROW_LIMIT * SIDE_LIMIT)
#define SPARE_BYTES 64 /* rows are read 64 bytes at a time */

/* Rows along x, index z + nz * y; bit x. All count from the lowest cell read, RECORD_HALO under the first block. */
struct RecordBatch {
	Cell first; /* block */
	int nx, ny, nz;
	bool any_solid, any_wet;
	uint8_t material[CELL_LIMIT_HERE + SPARE_BYTES], value[CELL_LIMIT_HERE + SPARE_BYTES];
	uint8_t water[CELL_LIMIT_HERE + SPARE_BYTES];
	uint64_t solid[ROW_LIMIT];  /* not air */
	uint64_t inside[ROW_LIMIT]; /* after the local-maximum rule */
	uint64_t wet[ROW_LIMIT], full[ROW_LIMIT];
	uint64_t near_inside[ROW_LIMIT], near_wet[ROW_LIMIT]; /* within one cell */
	uint64_t mixed[ROW_LIMIT];                            /* by the cube from this cell on */
	uint64_t along_x[ROW_LIMIT], along_xz[ROW_LIMIT];     /* working space of Dilate */
};

size_t RecordBatch_Bytes(void)
{
	return sizeof(RecordBatch);
}

/* ---- rows of bits -------------------------------------------------------------------------------------------- */

#define EACH_BYTE 0x0101010101010101u

/* The top bits of bytes that are not 0. */
static uint64_t NotZero(uint64_t word)
{
	return word | ((word & 0x7f * EACH_BYTE) + 0x7f * EACH_BYTE);
}

static void ReadRow(RecordBatch *batch, int row)
{
	size_t at = (size_t)row * (size_t)batch->nx;
	uint64_t solid = 0, inside = 0, wet = 0, full = 0;
	for (int x = 0; x < batch->nx; x += 8) {
		uint64_t water = LoadBytes(batch->water + at + x);
		solid |= TopBits(NotZero(LoadBytes(batch->material + at + x))) << x;
		inside |= TopBits(LoadBytes(batch->value + at + x)) << x;
		wet |= TopBits(NotZero(water)) << x;
		full |= TopBits(~NotZero(~water)) << x;
	}
	batch->solid[row] = solid;
	batch->inside[row] = inside;
	batch->wet[row] = wet;
	batch->full[row] = full;
}

static void ReadRows(RecordBatch *batch)
{
	for (int row = 0; row < batch->ny * batch->nz; row++)
		ReadRow(batch, row);
}

#if SCREE_X86

SIMD_FUNCTION static inline uint64_t TopBits64(__m256i low, __m256i high)
{
	return (uint32_t)_mm256_movemask_epi8(low) | (uint64_t)(uint32_t)_mm256_movemask_epi8(high) << 32;
}

SIMD_FUNCTION static void ReadRowsFast(RecordBatch *batch)
{
	const __m256i zero = _mm256_setzero_si256(), ones = _mm256_set1_epi8(-1);
	for (int row = 0; row < batch->ny * batch->nz; row++) {
		size_t at = (size_t)row * (size_t)batch->nx;
		const __m256i *m = (const __m256i *)(batch->material + at), *v = (const __m256i *)(batch->value + at);
		const __m256i *w = (const __m256i *)(batch->water + at);
		__m256i m0 = _mm256_loadu_si256(m), m1 = _mm256_loadu_si256(m + 1);
		__m256i w0 = _mm256_loadu_si256(w), w1 = _mm256_loadu_si256(w + 1);
		batch->solid[row] = ~TopBits64(_mm256_cmpeq_epi8(m0, zero), _mm256_cmpeq_epi8(m1, zero));
		batch->inside[row] = TopBits64(_mm256_loadu_si256(v), _mm256_loadu_si256(v + 1));
		batch->wet[row] = ~TopBits64(_mm256_cmpeq_epi8(w0, zero), _mm256_cmpeq_epi8(w1, zero));
		batch->full[row] = TopBits64(_mm256_cmpeq_epi8(w0, ones), _mm256_cmpeq_epi8(w1, ones));
	}
}

#endif

/* Bits of the row's cells: what was read beyond them goes. */
static void CutRows(RecordBatch *batch)
{
	uint64_t cells = ((uint64_t)1 << batch->nx) - 1, any_solid = 0, any_wet = 0;
	for (int row = 0; row < batch->ny * batch->nz; row++) {
		any_solid |= batch->solid[row] &= cells;
		batch->inside[row] &= cells;
		any_wet |= batch->wet[row] &= cells;
		batch->full[row] &= cells;
	}
	batch->any_solid = any_solid != 0;
	batch->any_wet = any_wet != 0;
}

/* Grows the bits to their 26 neighbours. What lies at the rim comes out too small, and is not looked at. */
static void Dilate(RecordBatch *batch, const uint64_t *rows, uint64_t *grown)
{
	int nz = batch->nz, count = batch->ny * nz;
	uint64_t *x = batch->along_x, *xz = batch->along_xz;
	for (int r = 0; r < count; r++)
		x[r] = rows[r] | rows[r] << 1 | rows[r] >> 1;
	xz[0] = xz[count - 1] = 0;
	for (int r = 1; r < count - 1; r++)
		xz[r] = x[r - 1] | x[r] | x[r + 1];
	memcpy(grown, xz, (size_t)count * sizeof *grown);
	for (int r = nz; r < count - nz; r++)
		grown[r] = xz[r - nz] | xz[r] | xz[r + nz];
}

/* ---- the local-maximum rule ---------------------------------------------------------------------------------- */

static bool IsLocalMaximum(const RecordBatch *batch, int x, int row)
{
	int nx = batch->nx, nz = batch->nz, own = batch->value[x + nx * row];
	for (int y = -1; y <= 1; y++)
		for (int z = -1; z <= 1; z++) {
			const uint8_t *v = batch->value + x + nx * (row + z + nz * y);
			if (v[-1] > own || v[0] > own || v[1] > own)
				return false;
		}
	return true;
}

/* Weak cells without a greater neighbour count as inside. One with an inside neighbour has a greater one. */
static void RaiseMaxima(RecordBatch *batch)
{
	int nz = batch->nz;
	uint64_t inner = (((uint64_t)1 << (batch->nx - 2)) - 1) << 1;
	for (int y = 1; y < batch->ny - 1; y++)
		for (int z = 1; z < nz - 1; z++) {
			int row = z + nz * y;
			uint64_t weak = batch->solid[row] & ~batch->near_inside[row] & inner;
			for (; weak; weak &= weak - 1) {
				int x = __builtin_ctzll(weak);
				if (IsLocalMaximum(batch, x, row))
					batch->inside[row] |= (uint64_t)1 << x;
			}
		}
}

/* Cubes whose eight cells are not all the same. */
static void MarkMixed(RecordBatch *batch)
{
	int nz = batch->nz;
	for (int r = 0; r < (batch->ny - 1) * nz - 1; r++) {
		const uint64_t *i = batch->inside + r;
		uint64_t any = i[0] | i[1] | i[nz] | i[nz + 1], all = i[0] & i[1] & i[nz] & i[nz + 1];
		batch->mixed[r] = (any | any >> 1) & ~(all & all >> 1);
	}
}

bool RecordBatch_Read(RecordBatch *batch, const Terrain *terrain, CellBox blocks)
{
	CellBox cells = CellsOfBlocks(blocks.lo, blocks.hi);
	cells = (CellBox){{cells.lo.x - RECORD_HALO, cells.lo.y - RECORD_HALO, cells.lo.z - RECORD_HALO},
	                  {cells.hi.x + RECORD_HALO, cells.hi.y + RECORD_HALO, cells.hi.z + RECORD_HALO}};
	if (Store_IsEmpty(terrain->store, cells))
		return false;
	batch->first = blocks.lo;
	batch->nx = cells.hi.x - cells.lo.x + 1;
	batch->ny = cells.hi.y - cells.lo.y + 1;
	batch->nz = cells.hi.z - cells.lo.z + 1;
	SCREE_ASSERT(batch->nx <= SIDE_LIMIT && batch->ny <= SIDE_LIMIT && batch->nz <= SIDE_LIMIT);
	Region region = {batch->nx, batch->ny, batch->nz, {batch->material, batch->value, batch->water}};
	Store_Read(terrain->store, cells, &region);
#if SCREE_X86
	if (terrain->simd)
		ReadRowsFast(batch);
	else
		ReadRows(batch);
#else
	ReadRows(batch);
#endif
	CutRows(batch);
	if (batch->any_solid) {
		Dilate(batch, batch->inside, batch->near_inside);
		RaiseMaxima(batch);
		Dilate(batch, batch->inside, batch->near_inside);
		MarkMixed(batch);
	}
	if (batch->any_wet)
		Dilate(batch, batch->wet, batch->near_wet);
	return true;
}

/* ---- one block ----------------------------------------------------------------------------------------------- */

/* The word of a slice: eight bits from `shift` on of eight rows. */
static inline uint64_t SliceOf(const uint64_t *rows, int shift)
{
	uint64_t word = 0;
	for (int z = 0; z < BLOCK_SIZE; z++)
		word |= (rows[z] >> shift & 0xff) << 8 * z;
	return word;
}

static void CutWords(const RecordBatch *batch, const uint64_t *rows, int row, int shift, uint64_t words[BLOCK_SIZE])
{
	for (int y = 0; y < BLOCK_SIZE; y++)
		words[y] = SliceOf(rows + row + batch->nz * y, shift);
}

/* Are all cells -1..8 of the block set? row, shift: of its cell 0. */
static bool AllAround(const RecordBatch *batch, const uint64_t *rows, int row, int shift)
{
	uint64_t cells = 0x3ff;
	for (int y = -1; y <= BLOCK_SIZE && cells == 0x3ff; y++)
		for (int z = -1; z <= BLOCK_SIZE; z++)
			cells &= rows[row + z + batch->nz * y] >> (shift - 1);
	return cells == 0x3ff;
}

/* Lattice edges of cells 0..7 that cross the surface. */
static int CountEdges(const RecordBatch *batch, int row, int shift)
{
	int count = 0;
	uint64_t above = SliceOf(batch->inside + row, shift);
	for (int y = 0; y < BLOCK_SIZE; y++) {
		const uint64_t *rows = batch->inside + row + batch->nz * y;
		uint64_t here = above;
		above = SliceOf(rows + batch->nz, shift);
		count += __builtin_popcountll(here ^ SliceOf(rows, shift + 1)) + __builtin_popcountll(here ^ above) +
		         __builtin_popcountll(here ^ SliceOf(rows + 1, shift));
	}
	return count;
}

bool RecordBatch_Bits(const RecordBatch *batch, Cell block, BlockBits *bits)
{
	int x = (block.x - batch->first.x) * BLOCK_SIZE + RECORD_HALO;
	int y = (block.y - batch->first.y) * BLOCK_SIZE + RECORD_HALO;
	int z = (block.z - batch->first.z) * BLOCK_SIZE + RECORD_HALO;
	int row = z + batch->nz * y;
	memset(bits, 0, sizeof *bits);
	bits->block = block;
	memset(bits->mixed_lo, BLOCK_SIZE, sizeof bits->mixed_lo);
	if (batch->any_wet)
		CutWords(batch, batch->near_wet, row, x, bits->water);
	bool any_solid = false;
	if (batch->any_solid && AllAround(batch, batch->inside, row, x)) {
		bits->tag = BLOCK_ALL_INSIDE; /* nothing in it can touch the surface: no solid bits */
		return true;
	}
	if (batch->any_solid) {
		CutWords(batch, batch->near_inside, row, x, bits->solid);
		any_solid = Words_Any(bits->solid);
	}
	if (any_solid) {
		CutWords(batch, batch->mixed, row, x, bits->mixed);
		if (Record_BoxMixed(bits))
			bits->quads = (uint16_t)CountEdges(batch, row, x);
	} else if (batch->any_wet && AllAround(batch, batch->full, row, x)) {
		bits->tag = BLOCK_ALL_WATER;
	}
	return any_solid || Words_Any(bits->water);
}
