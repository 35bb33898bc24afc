/* Reading boxes of the store: copies, counts, sums, bounds, hash. Work goes by chunk and row headers where it can. */
#include "voxel/store_internal.h"

/* ---- walking ------------------------------------------------------------------------------------------------ */

static double Span(int32_t lo, int32_t hi)
{
	return (double)hi - lo + 1;
}

double CellBox_Volume(CellBox box)
{
	if (!CellBox_IsValid(box))
		return 0;
	return Span(box.lo.x, box.hi.x) * Span(box.lo.y, box.hi.y) * Span(box.lo.z, box.hi.z);
}

static CellBox Box_Chunks(CellBox box)
{
	return (CellBox){{box.lo.x >> CHUNK_BITS, box.lo.y >> CHUNK_BITS, box.lo.z >> CHUNK_BITS},
	                 {box.hi.x >> CHUNK_BITS, box.hi.y >> CHUNK_BITS, box.hi.z >> CHUNK_BITS}};
}

double ChunkWalk_Count(CellBox box)
{
	return CellBox_IsValid(box) ? CellBox_Volume(Box_Chunks(box)) : 0;
}

void ChunkWalk_Begin(ChunkWalk *walk, const Store *store, CellBox box, bool existing)
{
	/* Chunks have room for all their cells within int32 only inside the limits. */
	box = CellBox_Intersect(box, CellBox_World());
	CellBox chunks = Box_Chunks(box);
	*walk = (ChunkWalk){.store = store, .box = box, .existing = existing, .lo = chunks.lo, .hi = chunks.hi};
	walk->by_order = existing && ChunkWalk_Count(box) > store->order.count;
	walk->at = chunks.lo;
	if (!CellBox_IsValid(box))
		walk->done = true;
}

static bool Walk_Order(ChunkWalk *walk)
{
	while (walk->next < walk->store->order.count) {
		walk->slot = walk->store->order.data[walk->next++];
		const Chunk *chunk = &walk->store->chunks.data[walk->slot];
		walk->chunk = (Cell){chunk->x, chunk->y, chunk->z};
		walk->piece = CellBox_Intersect(Chunk_Box(walk->chunk), walk->box);
		if (CellBox_IsValid(walk->piece))
			return true;
	}
	return false;
}

static bool Walk_Coordinates(ChunkWalk *walk)
{
	while (walk->at.y <= walk->hi.y) {
		walk->chunk = walk->at;
		walk->slot = Store_FindChunk(walk->store, walk->chunk);
		if (++walk->at.x > walk->hi.x) {
			walk->at.x = walk->lo.x;
			if (++walk->at.z > walk->hi.z) {
				walk->at.z = walk->lo.z;
				walk->at.y++;
			}
		}
		if (walk->slot < 0 && walk->existing)
			continue;
		walk->piece = CellBox_Intersect(Chunk_Box(walk->chunk), walk->box);
		return true;
	}
	return false;
}

bool ChunkWalk_Next(ChunkWalk *walk)
{
	if (walk->done)
		return false;
	return walk->by_order ? Walk_Order(walk) : Walk_Coordinates(walk);
}

/* The current chunk of a walk over existing ones. */
static const Chunk *Walk_Chunk(const ChunkWalk *walk)
{
	return &walk->store->chunks.data[walk->slot];
}

/* ---- copies ------------------------------------------------------------------------------------------------- */

#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* n bytes, 1 to 32, of which `least` is known at compile time: two copies that overlap cost less than a call with a
 * length that is not known. */
ALWAYS_INLINE void Row_Copy(uint8_t *to, const uint8_t *from, size_t n, size_t least)
{
	if (least == 0) {
		for (size_t i = 0; i < n; i++)
			to[i] = from[i];
		return;
	}
	memcpy(to, from, least);
	if (least < CHUNK_SIZE)
		memcpy(to + n - least, from + n - least, least);
}

/* Where the cells of a piece go. */
typedef struct PieceTarget {
	uint8_t *to; /* of the first cell */
	size_t row, layer;
} PieceTarget;

ALWAYS_INLINE void Read_Uniform(uint8_t value, CellBox piece, PieceTarget target, size_t n, size_t least)
{
	for (int32_t y = piece.lo.y; y <= piece.hi.y; y++, target.to += target.layer)
		for (int32_t i = 0; i <= piece.hi.z - piece.lo.z; i++)
			Row_Copy(target.to + target.row * (size_t)i, uniform_rows[value], n, least);
}

/* Some rows of one group. Which are uniform is hard to foresee, so where a row stands is found without branches. */
ALWAYS_INLINE void Read_Group(const uint8_t *block, const uint16_t *header, int count, size_t x, uint8_t *to,
                              size_t stride, size_t n, size_t least)
{
	for (const uint16_t *end = header + count; header < end; header++, to += stride) {
		const uint8_t *uniform = uniform_rows[*header & 0xFF], *slot = block + *header;
		bool mixed = __builtin_expect_with_probability(*header >= HEADER_SLOT, 1, 0.5);
		Row_Copy(to, (mixed ? slot : uniform) + x, n, least);
	}
}

ALWAYS_INLINE void Read_Rows(const ChannelData *channel, CellBox piece, PieceTarget target, size_t n, size_t least)
{
	size_t x = (size_t)(piece.lo.x & (CHUNK_SIZE - 1));
	for (int32_t y = piece.lo.y; y <= piece.hi.y; y++, target.to += target.layer) {
		uint8_t *to = target.to;
		int row = Cell_Row(y, piece.lo.z), end = row + piece.hi.z - piece.lo.z + 1;
		while (row < end) {
			int first = row % GROUP_ROWS, count = Int_Min(GROUP_ROWS - first, end - row);
			Read_Group(channel->header, Channel_Group(channel, row / GROUP_ROWS) + first, count, x, to, target.row, n,
			           least);
			row += count;
			to += target.row * (size_t)count;
		}
	}
}

ALWAYS_INLINE void Read_Either(const ChannelData *channel, CellBox piece, PieceTarget target, size_t n, size_t least)
{
	if (channel->header)
		Read_Rows(channel, piece, target, n, least);
	else
		Read_Uniform(channel->uniform, piece, target, n, least);
}

static void Read_Piece(const ChannelData *channel, CellBox piece, CellBox box, const Region *into, uint8_t *bytes)
{
	size_t n = (size_t)(piece.hi.x - piece.lo.x + 1), nx = (size_t)into->nx, nz = (size_t)into->nz;
	size_t line = (size_t)((int64_t)piece.lo.z - box.lo.z) + nz * (size_t)((int64_t)piece.lo.y - box.lo.y);
	PieceTarget target = {bytes + (size_t)((int64_t)piece.lo.x - box.lo.x) + nx * line, nx, nx * nz};
	if (n == CHUNK_SIZE)
		Read_Either(channel, piece, target, n, CHUNK_SIZE);
	else if (n >= 16)
		Read_Either(channel, piece, target, n, 16);
	else if (n >= 8)
		Read_Either(channel, piece, target, n, 8);
	else if (n >= 4)
		Read_Either(channel, piece, target, n, 4);
	else
		Read_Either(channel, piece, target, n, 0);
}

void Store_Read(const Store *store, CellBox box, Region *into)
{
	if (!CellBox_IsValid(box))
		return;
	SCREE_ASSERT(Span(box.lo.x, box.hi.x) == into->nx && Span(box.lo.y, box.hi.y) == into->ny &&
	             Span(box.lo.z, box.hi.z) == into->nz);
	size_t size = (size_t)into->nx * (size_t)into->ny * (size_t)into->nz;
	bool inside = CellBox_Contains(CellBox_World(), box);
	for (int c = 0; c < CHANNEL_COUNT; c++)
		if (into->channel[c] && !inside)
			memset(into->channel[c], 0, size);
	ChunkWalk walk;
	ChunkWalk_Begin(&walk, store, box, false);
	while (ChunkWalk_Next(&walk)) {
		const Chunk *chunk = Store_ChunkOrAir(store, walk.chunk);
		for (int c = 0; c < CHANNEL_COUNT; c++)
			if (into->channel[c])
				Read_Piece(&chunk->channel[c], walk.piece, box, into, into->channel[c]);
	}
}

/* ---- emptiness ---------------------------------------------------------------------------------------------- */

static bool Piece_IsZero(const ChannelData *channel, CellBox piece)
{
	if (!channel->header)
		return channel->uniform == 0;
	size_t n = (size_t)(piece.hi.x - piece.lo.x + 1);
	for (int32_t y = piece.lo.y; y <= piece.hi.y; y++) {
		for (int32_t z = piece.lo.z; z <= piece.hi.z; z++) {
			int row = Cell_Row(y, z);
			if (Channel_Header(channel, row) != 0 &&
			    memcmp(Channel_Row(channel, row) + (piece.lo.x & (CHUNK_SIZE - 1)), uniform_rows[0], n) != 0)
				return false;
		}
	}
	return true;
}

/* The blocks that lie in the piece with all their cells. */
static uint64_t Piece_WholeBlocks(CellBox piece)
{
	CellBox whole = {{(piece.lo.x + 7) & ~7, (piece.lo.y + 7) & ~7, (piece.lo.z + 7) & ~7},
	                 {((piece.hi.x + 1) & ~7) - 1, ((piece.hi.y + 1) & ~7) - 1, ((piece.hi.z + 1) & ~7) - 1}};
	return CellBox_IsValid(whole) ? Piece_Blocks(whole) : 0;
}

bool Store_IsEmpty(const Store *store, CellBox box)
{
	ChunkWalk walk;
	ChunkWalk_Begin(&walk, store, box, true);
	while (ChunkWalk_Next(&walk)) {
		const Chunk *chunk = Walk_Chunk(&walk);
		uint64_t blocks = chunk->blocks & Piece_Blocks(walk.piece);
		if (blocks == 0)
			continue;
		if (blocks & Piece_WholeBlocks(walk.piece))
			return false;
		if (!Piece_IsZero(&chunk->channel[CHANNEL_MATERIAL], walk.piece) ||
		    !Piece_IsZero(&chunk->channel[CHANNEL_WATER], walk.piece))
			return false;
	}
	return true;
}

/* Are the piece's cells all at least half full? Of chunks that are mixed only parts are looked at. */
static bool Piece_IsHalfFull(const ChannelData *channel, CellBox piece)
{
	if (!channel->header)
		return channel->uniform >= 128;
	int n = piece.hi.x - piece.lo.x + 1;
	if (n == CHUNK_SIZE && piece.hi.y - piece.lo.y + 1 == CHUNK_SIZE && piece.hi.z - piece.lo.z + 1 == CHUNK_SIZE)
		return false;
	for (int32_t y = piece.lo.y; y <= piece.hi.y; y++)
		for (int32_t z = piece.lo.z; z <= piece.hi.z; z++) {
			const uint8_t *cells = Channel_Row(channel, Cell_Row(y, z)) + (piece.lo.x & (CHUNK_SIZE - 1));
			unsigned all = 128;
			for (int x = 0; x < n; x++)
				all &= cells[x];
			if (all == 0)
				return false;
		}
	return true;
}

bool Store_IsDeep(const Store *store, CellBox box)
{
	double pieces = 0;
	ChunkWalk walk;
	ChunkWalk_Begin(&walk, store, box, true);
	for (; ChunkWalk_Next(&walk); pieces++) {
		const Chunk *chunk = Walk_Chunk(&walk);
		if (!Piece_IsHalfFull(&chunk->channel[CHANNEL_OCCUPANCY], walk.piece) ||
		    !Piece_IsZero(&chunk->channel[CHANNEL_WATER], walk.piece))
			return false;
	}
	return pieces == ChunkWalk_Count(box);
}

/* ---- counts and sums ---------------------------------------------------------------------------------------- */

static void Count_Piece(const ChannelData *channel, CellBox piece, int64_t counts[256])
{
	int n = piece.hi.x - piece.lo.x + 1;
	if (!channel->header) {
		counts[channel->uniform] += (int64_t)CellBox_Volume(piece);
		return;
	}
	for (int32_t y = piece.lo.y; y <= piece.hi.y; y++) {
		for (int32_t z = piece.lo.z; z <= piece.hi.z; z++) {
			int row = Cell_Row(y, z);
			uint16_t header = Channel_Header(channel, row);
			if (header < HEADER_SLOT) {
				counts[header] += n;
				continue;
			}
			const uint8_t *bytes = Channel_Row(channel, row) + (piece.lo.x & (CHUNK_SIZE - 1));
			for (int i = 0; i < n; i++)
				counts[bytes[i]]++;
		}
	}
}

void Store_Count(const Store *store, CellBox box, int64_t counts[MATERIAL_LIMIT], int64_t *water)
{
	int64_t levels[256] = {0}, solid = 0;
	memset(counts, 0, MATERIAL_LIMIT * sizeof(*counts));
	ChunkWalk walk;
	ChunkWalk_Begin(&walk, store, box, true);
	while (ChunkWalk_Next(&walk)) {
		const Chunk *chunk = Walk_Chunk(&walk);
		if ((chunk->blocks & Piece_Blocks(walk.piece)) == 0)
			continue; /* dry air, which is counted as what is left */
		Count_Piece(&chunk->channel[CHANNEL_MATERIAL], walk.piece, counts);
		if (water)
			Count_Piece(&chunk->channel[CHANNEL_WATER], walk.piece, levels);
	}
	for (int i = 1; i < MATERIAL_LIMIT; i++)
		solid += counts[i];
	/* Air has no end: its count stops at the largest int64. */
	double volume = CellBox_Volume(box);
	counts[MATERIAL_AIR] = INT64_MAX;
	if (volume < 9e15) {
		counts[MATERIAL_AIR] = (int64_t)volume - solid;
	} else if (volume < 9e18) {
		uint64_t nx = (uint64_t)((int64_t)box.hi.x - box.lo.x + 1), ny = (uint64_t)((int64_t)box.hi.y - box.lo.y + 1);
		uint64_t nz = (uint64_t)((int64_t)box.hi.z - box.lo.z + 1);
		counts[MATERIAL_AIR] = (int64_t)(nx * ny * nz) - solid;
	}
	if (water) {
		*water = 0;
		for (int i = 1; i < 256; i++)
			*water += levels[i];
	}
}

static void Sum_Piece(const Chunk *chunk, CellBox piece, int64_t sums[MATERIAL_LIMIT])
{
	const ChannelData *materials = &chunk->channel[CHANNEL_MATERIAL], *values = &chunk->channel[CHANNEL_OCCUPANCY];
	int n = piece.hi.x - piece.lo.x + 1, x = piece.lo.x & (CHUNK_SIZE - 1);
	if (!materials->header && !values->header) {
		sums[materials->uniform] += (int64_t)CellBox_Volume(piece) * (values->uniform + 1);
		return;
	}
	for (int32_t y = piece.lo.y; y <= piece.hi.y; y++) {
		for (int32_t z = piece.lo.z; z <= piece.hi.z; z++) {
			int row = Cell_Row(y, z);
			uint16_t material = Channel_Header(materials, row), value = Channel_Header(values, row);
			if (material < HEADER_SLOT && value < HEADER_SLOT) {
				sums[material] += (int64_t)n * (value + 1);
				continue;
			}
			const uint8_t *m = Channel_Row(materials, row) + x, *v = Channel_Row(values, row) + x;
			for (int i = 0; i < n; i++)
				sums[m[i]] += v[i] + 1;
		}
	}
}

/* The amount of water: with the ground that stands in it. */
static int64_t Sum_Water(const Chunk *chunk, CellBox piece)
{
	const ChannelData *channel = chunk->channel;
	int n = piece.hi.x - piece.lo.x + 1, x = piece.lo.x & (CHUNK_SIZE - 1);
	int64_t sum = 0;
	if (Channel_IsAll(&channel[CHANNEL_WATER], 0))
		return 0;
	for (int32_t y = piece.lo.y; y <= piece.hi.y; y++) {
		for (int32_t z = piece.lo.z; z <= piece.hi.z; z++) {
			int row = Cell_Row(y, z);
			uint16_t level = Channel_Header(&channel[CHANNEL_WATER], row);
			if (level < HEADER_SLOT && Channel_Header(&channel[CHANNEL_MATERIAL], row) == MATERIAL_AIR) {
				sum += (int64_t)n * level;
				continue;
			}
			const uint8_t *m = Channel_Row(&channel[CHANNEL_MATERIAL], row) + x;
			const uint8_t *v = Channel_Row(&channel[CHANNEL_OCCUPANCY], row) + x;
			const uint8_t *w = Channel_Row(&channel[CHANNEL_WATER], row) + x;
			for (int i = 0; i < n; i++)
				sum += Cell_Water(m[i], v[i], w[i]);
		}
	}
	return sum;
}

void Store_Matter(const Store *store, CellBox box, int64_t sums[MATERIAL_LIMIT])
{
	int64_t water = 0;
	memset(sums, 0, MATERIAL_LIMIT * sizeof(*sums));
	ChunkWalk walk;
	ChunkWalk_Begin(&walk, store, box, true);
	while (ChunkWalk_Next(&walk)) {
		Sum_Piece(Walk_Chunk(&walk), walk.piece, sums);
		water += Sum_Water(Walk_Chunk(&walk), walk.piece);
	}
	sums[MATERIAL_AIR] = 0;
	sums[MATERIAL_WATER] = water;
}

/* ---- bounds ------------------------------------------------------------------------------------------------- */

/* Grows the bounds by the cells of one row of the chunk. */
static void Bounds_AddRow(const Chunk *chunk, int row, CellBox *bounds)
{
	const ChannelData *materials = &chunk->channel[CHANNEL_MATERIAL], *water = &chunk->channel[CHANNEL_WATER];
	if (Channel_Header(materials, row) == 0 && Channel_Header(water, row) == 0)
		return;
	const uint8_t *m = Channel_Row(materials, row), *w = Channel_Row(water, row);
	int first = 0, last = CHUNK_SIZE - 1;
	while ((m[first] | w[first]) == 0)
		first++;
	while ((m[last] | w[last]) == 0)
		last--;
	int32_t x = chunk->x * CHUNK_SIZE, y = chunk->y * CHUNK_SIZE + row / CHUNK_SIZE;
	int32_t z = chunk->z * CHUNK_SIZE + row % CHUNK_SIZE;
	*bounds = CellBox_Union(*bounds, (CellBox){{x + first, y, z}, {x + last, y, z}});
}

/* The box of the chunk's blocks that hold anything. */
static CellBox Chunk_BlocksBox(const Chunk *chunk)
{
	CellBox box = CellBox_Empty();
	for (uint64_t left = chunk->blocks; left != 0; left &= left - 1) {
		int bit = __builtin_ctzll(left);
		Cell lo = {chunk->x * CHUNK_SIZE + 8 * (bit & 3), chunk->y * CHUNK_SIZE + 8 * (bit >> 4),
		           chunk->z * CHUNK_SIZE + 8 * (bit >> 2 & 3)};
		box = CellBox_Union(box, (CellBox){lo, {lo.x + 7, lo.y + 7, lo.z + 7}});
	}
	return box;
}

bool Store_Bounds(const Store *store, CellBox *bounds)
{
	CellBox all = CellBox_Empty();
	for (int i = 0; i < store->order.count; i++) {
		const Chunk *chunk = &store->chunks.data[store->order.data[i]];
		if (CellBox_Contains(all, Chunk_BlocksBox(chunk)))
			continue;
		for (int row = 0; row < CHUNK_ROWS; row++)
			Bounds_AddRow(chunk, row, &all);
	}
	if (!CellBox_IsValid(all))
		return false;
	*bounds = all;
	return true;
}

/* ---- hash --------------------------------------------------------------------------------------------------- */

/* Headers without their slot numbers, then the payload rows in the order of the rows: equal cells feed equal bytes. */
static void Hash_Channel(const ChannelData *channel, Hasher *hasher)
{
	uint8_t kind[2] = {channel->header != NULL, channel->uniform};
	if (!channel->header) {
		Hasher_Bytes(hasher, kind, sizeof(kind));
		return;
	}
	uint8_t headers[2 * CHUNK_ROWS];
	for (int row = 0; row < CHUNK_ROWS; row++) {
		uint16_t header = Channel_Header(channel, row);
		headers[2 * row] = header >= HEADER_SLOT;
		headers[2 * row + 1] = header < HEADER_SLOT ? (uint8_t)header : 0;
	}
	Hasher_Bytes(hasher, kind, 1);
	Hasher_Bytes(hasher, headers, sizeof(headers));
	for (int row = 0; row < CHUNK_ROWS; row++)
		if (Channel_Header(channel, row) >= HEADER_SLOT)
			Hasher_Bytes(hasher, Channel_Row(channel, row), CHUNK_SIZE);
}

void Store_Hash(const Store *store, Hasher *hasher)
{
	int32_t count = store->order.count;
	Hasher_Bytes(hasher, &count, sizeof(count));
	for (int i = 0; i < count; i++) {
		const Chunk *chunk = &store->chunks.data[store->order.data[i]];
		const int32_t at[3] = {chunk->x, chunk->y, chunk->z};
		Hasher_Bytes(hasher, at, sizeof(at));
		for (int c = 0; c < CHANNEL_COUNT; c++)
			Hash_Channel(&chunk->channel[c], hasher);
	}
}
