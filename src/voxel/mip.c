/* The store seen from afar: what its blocks hold, and cells of 2, 4 and 8 cells a side. Nothing is kept but one bit for
 * each 8^3 block; coarse cells are made when they are asked for. */
#include "voxel/store_internal.h"

#define BLOCK_BITS 3
#define BLOCKS (CHUNK_SIZE >> BLOCK_BITS) /* along an edge of a chunk */

/* ---- blocks ------------------------------------------------------------------------------------------------- */

static inline int Block_Bit(int x, int y, int z)
{
	return x + BLOCKS * (z + BLOCKS * y);
}

/* Bit x: does the row hold anything within its x-th eight cells? */
static unsigned Row_Some(const ChannelData *channel, uint16_t header)
{
	if (header < HEADER_SLOT)
		return header == 0 ? 0 : 15;
	unsigned some = 0;
	uint64_t words[BLOCKS];
	memcpy(words, Channel_Slot(channel, header), sizeof(words));
	for (int x = 0; x < BLOCKS; x++)
		some |= (unsigned)(words[x] != 0) << x;
	return some;
}

/* A group of headers is a line of one block after another along x. */
static void Channel_AddSome(const ChannelData *channel, uint64_t *blocks)
{
	if (!channel->header) {
		*blocks |= channel->uniform == 0 ? 0 : UINT64_MAX;
		return;
	}
	for (int group = 0; group < CHUNK_GROUPS; group++) {
		int y = group / BLOCKS, z = group % BLOCKS, bit = Block_Bit(0, y >> BLOCK_BITS, z);
		const uint16_t *header = Channel_Group(channel, group);
		unsigned some = (unsigned)(*blocks >> bit) & 15;
		for (int i = 0; i < GROUP_ROWS && some != 15; i++)
			some |= Row_Some(channel, header[i]);
		*blocks |= (uint64_t)some << bit;
	}
}

uint64_t Chunk_FindBlocks(const Chunk *chunk)
{
	uint64_t blocks = 0;
	Channel_AddSome(&chunk->channel[CHANNEL_MATERIAL], &blocks);
	Channel_AddSome(&chunk->channel[CHANNEL_WATER], &blocks);
	return blocks;
}

void Chunk_UpdateBlock(Chunk *chunk, Cell cell)
{
	int bx = (cell.x & (CHUNK_SIZE - 1)) >> BLOCK_BITS, by = (cell.y & (CHUNK_SIZE - 1)) >> BLOCK_BITS;
	int bz = (cell.z & (CHUNK_SIZE - 1)) >> BLOCK_BITS;
	static const int channels[] = {CHANNEL_MATERIAL, CHANNEL_WATER};
	bool some = false;
	for (int i = 0; i < COUNT_OF(channels) && !some; i++) {
		const ChannelData *channel = &chunk->channel[channels[i]];
		for (int y = 8 * by; y < 8 * by + 8 && !some; y++)
			for (int z = 8 * bz; z < 8 * bz + 8 && !some; z++)
				some = Row_Some(channel, Channel_Header(channel, Cell_Row(y, z))) >> bx & 1;
	}
	uint64_t bit = (uint64_t)1 << Block_Bit(bx, by, bz);
	chunk->blocks = some ? chunk->blocks | bit : chunk->blocks & ~bit;
}

uint64_t Piece_Blocks(CellBox piece)
{
	uint64_t line = 0, layer = 0, blocks = 0;
	for (int x = (piece.lo.x & 31) >> BLOCK_BITS; x <= (piece.hi.x & 31) >> BLOCK_BITS; x++)
		line |= (uint64_t)1 << Block_Bit(x, 0, 0);
	for (int z = (piece.lo.z & 31) >> BLOCK_BITS; z <= (piece.hi.z & 31) >> BLOCK_BITS; z++)
		layer |= line << Block_Bit(0, 0, z);
	for (int y = (piece.lo.y & 31) >> BLOCK_BITS; y <= (piece.hi.y & 31) >> BLOCK_BITS; y++)
		blocks |= layer << Block_Bit(0, y, 0);
	return blocks;
}

uint64_t Store_Blocks(const Store *store, Cell chunk)
{
	return Store_ChunkOrAir(store, chunk)->blocks;
}

/* ---- coarse cells ------------------------------------------------------------------------------------------- */

typedef struct CoarseSum {
	int cells[MATERIAL_LIMIT]; /* by material; only entries of `seen` are set */
	uint8_t seen[MATERIAL_LIMIT];
	int kinds;
	int matter, water;
	bool full; /* so far all cells are full of solid */
} CoarseSum;

static void CoarseSum_Add(CoarseSum *sum, int m, int v, int w, int n)
{
	if (m != MATERIAL_AIR) {
		if (sum->kinds == 0 || sum->seen[sum->kinds - 1] != m) {
			bool known = false;
			for (int i = 0; i < sum->kinds && !known; i++)
				known = sum->seen[i] == m;
			if (!known) {
				sum->cells[m] = 0;
				sum->seen[sum->kinds++] = (uint8_t)m;
			}
		}
		sum->cells[m] += n;
		sum->matter += n * (v + 1);
	}
	sum->water += n * w;
	sum->full = sum->full && m != MATERIAL_AIR && v == 255;
}

static Voxel CoarseSum_Voxel(const CoarseSum *sum, int count)
{
	Voxel voxel = {MATERIAL_AIR, 0, 0};
	int most = 0;
	for (int i = 0; i < sum->kinds; i++) {
		int m = sum->seen[i];
		if (sum->cells[m] > most || (sum->cells[m] == most && m < voxel.material)) {
			most = sum->cells[m];
			voxel.material = (uint8_t)m;
		}
	}
	if (sum->full)
		voxel.occupancy = 255;
	else if (most > 0)
		voxel.occupancy = (uint8_t)Int_Clamp((sum->matter + count / 2) / count - 1, 0, 254);
	if (sum->water > 0)
		voxel.water = (uint8_t)Int_Max(1, (sum->water + count / 2) / count);
	return voxel;
}

/* (x,y,z): the lowest of the fine cells, within the chunk. */
static Voxel Chunk_Mip(const Chunk *chunk, int level, int x, int y, int z)
{
	if (!(chunk->blocks >> Block_Bit(x >> BLOCK_BITS, y >> BLOCK_BITS, z >> BLOCK_BITS) & 1))
		return (Voxel){MATERIAL_AIR, 0, 0};
	int size = 1 << level;
	CoarseSum sum;
	sum.kinds = sum.matter = sum.water = 0;
	sum.full = true;
	for (int i = y; i < y + size; i++) {
		for (int j = z; j < z + size; j++) {
			int row = Cell_Row(i, j);
			uint16_t header[CHANNEL_COUNT];
			const uint8_t *bytes[CHANNEL_COUNT];
			for (int c = 0; c < CHANNEL_COUNT; c++) {
				header[c] = Channel_Header(&chunk->channel[c], row);
				bytes[c] = Channel_Row(&chunk->channel[c], row) + x;
			}
			bool uniform = (header[0] | header[1] | header[2]) < HEADER_SLOT;
			for (int k = 0; k < size; k += uniform ? size : 1)
				CoarseSum_Add(&sum, bytes[CHANNEL_MATERIAL][k], bytes[CHANNEL_OCCUPANCY][k], bytes[CHANNEL_WATER][k],
				              uniform ? size : 1);
		}
	}
	return CoarseSum_Voxel(&sum, size * size * size);
}

/* Coarse coordinates that hold any cell within the limits. */
static bool Coarse_InWorld(int level, Cell cell)
{
	int32_t limit = CELL_LIMIT >> level;
	return cell.x >= -limit && cell.x <= limit && cell.y >= -limit && cell.y <= limit && cell.z >= -limit &&
	       cell.z <= limit;
}

Voxel Store_Mip(const Store *store, int level, Cell cell)
{
	SCREE_ASSERT(level >= 1 && level <= MIP_LEVELS);
	if (!Coarse_InWorld(level, cell))
		return (Voxel){MATERIAL_AIR, 0, 0};
	int size = 1 << level, x = cell.x * size, y = cell.y * size, z = cell.z * size;
	Cell chunk = {x >> CHUNK_BITS, y >> CHUNK_BITS, z >> CHUNK_BITS};
	return Chunk_Mip(Store_ChunkOrAir(store, chunk), level, x & 31, y & 31, z & 31);
}

/* One chunk's part of the box. */
static void ReadMip_Chunk(const ChunkWalk *walk, int level, CellBox box, Region *into)
{
	const Chunk *chunk = Store_ChunkOrAir(walk->store, walk->chunk);
	CellBox piece = walk->piece;
	for (int32_t y = piece.lo.y >> level; y <= piece.hi.y >> level; y++)
		for (int32_t z = piece.lo.z >> level; z <= piece.hi.z >> level; z++)
			for (int32_t x = piece.lo.x >> level; x <= piece.hi.x >> level; x++) {
				size_t row = (size_t)(z - box.lo.z) + (size_t)into->nz * (size_t)(y - box.lo.y);
				size_t at = (size_t)(x - box.lo.x) + (size_t)into->nx * row;
				int size = 1 << level;
				Voxel voxel = Chunk_Mip(chunk, level, (x * size) & 31, (y * size) & 31, (z * size) & 31);
				const uint8_t bytes[CHANNEL_COUNT] = {voxel.material, voxel.occupancy, voxel.water};
				for (int c = 0; c < CHANNEL_COUNT; c++)
					if (into->channel[c])
						into->channel[c][at] = bytes[c];
			}
}

void Store_ReadMip(const Store *store, int level, CellBox box, Region *into)
{
	SCREE_ASSERT(level >= 1 && level <= MIP_LEVELS);
	if (!CellBox_IsValid(box))
		return;
	size_t count = (size_t)into->nx * (size_t)into->ny * (size_t)into->nz;
	for (int c = 0; c < CHANNEL_COUNT; c++)
		if (into->channel[c])
			memset(into->channel[c], 0, count);
	int32_t limit = CELL_LIMIT >> level, size = 1 << level;
	CellBox known = CellBox_Intersect(box, (CellBox){{-limit, -limit, -limit}, {limit, limit, limit}});
	if (!CellBox_IsValid(known))
		return;
	CellBox fine = {{known.lo.x * size, known.lo.y * size, known.lo.z * size},
	                {known.hi.x * size + size - 1, known.hi.y * size + size - 1, known.hi.z * size + size - 1}};
	ChunkWalk walk;
	ChunkWalk_Begin(&walk, store, fine, true);
	while (ChunkWalk_Next(&walk))
		ReadMip_Chunk(&walk, level, box, into);
}
