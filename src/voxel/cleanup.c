/* Cells that can never be seen.
 *
 * The surface treats a cell as inside when v >= 128 or when it is a weak local maximum: solid, and no greater value
 * among its 26 neighbours. A weak cell that is not inside and has no inside cell among its 26 neighbours shapes
 * nothing. An edit leaves such cells behind; they are dropped if the edit changed them, or if it took away what they
 * were seen by. Digging moreover drops weak local maxima that were none before: specks.
 *
 * All is judged by the cells as the edit left them, so the result does not depend on the order of the chunks. */
#include "voxel/fill_internal.h"

/* Cells that decide over one cell: its neighbours, and theirs. */
#define REACH 2
#define GATHER_SIZE (CHUNK_SIZE + 2 * REACH)
#define GATHER_CELLS (GATHER_SIZE * GATHER_SIZE * GATHER_SIZE)

/* Levels: 0 for air, v + 1 (at most 255) for solid cells. */
#define LEVEL_INSIDE 129

typedef struct Cleaner {
	Batch *batch;
	bool dig;
	CellBox box; /* of the levels below */
	int nx, ny, nz;
	int step[26]; /* index differences of the neighbours */
	bool has_was;
	uint8_t now[GATHER_CELLS];
	uint8_t was[GATHER_CELLS];
} Cleaner;

/* ---- candidates --------------------------------------------------------------------------------------------- */

bool Chunk_NearChange(const Store *store, Cell chunk)
{
	for (int i = 0; i < 27; i++) {
		Cell near = {chunk.x + i % 3 - 1, chunk.y + i / 9 - 1, chunk.z + i / 3 % 3 - 1};
		if (Store_ChunkOrAir(store, near)->entry >= 0)
			return true;
	}
	return false;
}

/* Bit i: cell i of a row is solid with an occupancy of the kind. */
static uint32_t Row_Partial(const uint8_t *material, const uint8_t *occupancy, Partial kind)
{
	const uint64_t top = 0x8080808080808080u, low = ~top;
	uint32_t bits = 0;
	for (int i = 0; i < CHUNK_SIZE / 8; i++) {
		uint64_t m = Row_Word(material, i), v = Row_Word(occupancy, i);
		uint64_t solid = ((m & low) + low) | m; /* top bit: not 0 */
		uint64_t flipped = kind == PARTIAL_INSIDE ? ~v : v, not_end = ((flipped & low) + low) | flipped;
		uint64_t found = solid & ~flipped & (kind == PARTIAL_WEAK ? top : not_end & top);
		bits |= (uint32_t)(((found >> 7) * 0x0102040810204080u) >> 56) << (8 * i);
	}
	return bits;
}

/* Cells x0 to x0 + n - 1 of a row. */
static uint32_t Row_Bits(int x0, int n)
{
	return (uint32_t)(((uint64_t)1 << n) - 1) << x0;
}

static bool Byte_IsPartial(int v, Partial kind)
{
	return kind == PARTIAL_INSIDE ? v >= 128 && v < 255 : v < 128 && (v > 0 || kind == PARTIAL_WEAK);
}

bool Chunk_PartialBox(const Chunk *chunk, CellBox piece, Partial kind, CellBox *partial)
{
	const ChannelData *materials = &chunk->channel[CHANNEL_MATERIAL], *values = &chunk->channel[CHANNEL_OCCUPANCY];
	if (Channel_IsAll(materials, MATERIAL_AIR) || (!values->header && !Byte_IsPartial(values->uniform, kind)))
		return false;
	int x0 = piece.lo.x & (CHUNK_SIZE - 1), n = piece.hi.x - piece.lo.x + 1;
	uint32_t within = Row_Bits(x0, n);
	*partial = CellBox_Empty();
	for (int32_t y = piece.lo.y; y <= piece.hi.y; y++) {
		for (int32_t z = piece.lo.z; z <= piece.hi.z; z++) {
			int row = Cell_Row(y, z);
			uint16_t header = Channel_Header(values, row);
			if ((header < HEADER_SLOT && !Byte_IsPartial(header, kind)) ||
			    Channel_Header(materials, row) == MATERIAL_AIR)
				continue;
			uint32_t bits = Row_Partial(Channel_Row(materials, row), Channel_Row(values, row), kind) & within;
			if (bits == 0)
				continue;
			int32_t first = piece.lo.x - x0 + __builtin_ctz(bits), last = piece.lo.x - x0 + 31 - __builtin_clz(bits);
			*partial = CellBox_Union(*partial, (CellBox){{first, y, z}, {last, y, z}});
		}
	}
	return CellBox_IsValid(*partial);
}

/* ---- levels ------------------------------------------------------------------------------------------------- */

/* From byte to level: v + 1, but 255 for the full; air: 0. Eight at once. */
static void Row_Levels(const uint8_t *material, const uint8_t *occupancy, int n, uint8_t *levels)
{
	int i = 0;
	for (; i + 8 <= n; i += 8) {
		const uint64_t top = 0x8080808080808080u, low = ~top;
		uint64_t m, v;
		memcpy(&m, material + i, 8);
		memcpy(&v, occupancy + i, 8);
		uint64_t solid = ((((m & low) + low) | m) & top) >> 7, short_of = ((((~v & low) + low) | ~v) & top) >> 7;
		uint64_t sum = (v & low) + short_of; /* of 127 alone it carries, into the byte's own top bit, which is free */
		sum ^= v & top;
		uint64_t level = sum & (solid * 0xFF);
		memcpy(levels + i, &level, 8);
	}
	for (; i < n; i++)
		levels[i] = material[i] == MATERIAL_AIR ? 0 : (uint8_t)(occupancy[i] + (occupancy[i] < 255));
}

static void Levels_Piece(const Cleaner *cleaner, const ChannelData *channel, CellBox piece, uint8_t *levels)
{
	int x0 = piece.lo.x & (CHUNK_SIZE - 1), n = piece.hi.x - piece.lo.x + 1;
	CellBox box = cleaner->box;
	for (int32_t y = piece.lo.y; y <= piece.hi.y; y++) {
		for (int32_t z = piece.lo.z; z <= piece.hi.z; z++) {
			int row = Cell_Row(y, z);
			const uint8_t *m = Channel_Row(&channel[CHANNEL_MATERIAL], row) + x0;
			const uint8_t *v = Channel_Row(&channel[CHANNEL_OCCUPANCY], row) + x0;
			uint8_t *to =
			    levels + (piece.lo.x - box.lo.x) + cleaner->nx * (z - box.lo.z + cleaner->nz * (y - box.lo.y));
			Row_Levels(m, v, n, to);
		}
	}
}

/* Fills `levels` from the cells as they are, or as they were before the edit. */
static void Levels_Gather(const Cleaner *cleaner, bool before, uint8_t *levels)
{
	memset(levels, 0, (size_t)(cleaner->nx * cleaner->ny * cleaner->nz));
	ChunkWalk walk;
	ChunkWalk_Begin(&walk, cleaner->batch->store, cleaner->box, false);
	while (ChunkWalk_Next(&walk)) {
		const Chunk *chunk = Store_ChunkOrAir(cleaner->batch->store, walk.chunk);
		Levels_Piece(cleaner, before ? Batch_Original(cleaner->batch, chunk) : chunk->channel, walk.piece, levels);
	}
}

static const uint8_t *Cleaner_Was(Cleaner *cleaner)
{
	if (!cleaner->has_was)
		Levels_Gather(cleaner, true, cleaner->was);
	cleaner->has_was = true;
	return cleaner->was;
}

static void Cleaner_Aim(Cleaner *cleaner, CellBox weak)
{
	cleaner->box = CellBox_Grown(weak, REACH);
	cleaner->nx = cleaner->box.hi.x - cleaner->box.lo.x + 1;
	cleaner->ny = cleaner->box.hi.y - cleaner->box.lo.y + 1;
	cleaner->nz = cleaner->box.hi.z - cleaner->box.lo.z + 1;
	cleaner->has_was = false;
	int count = 0;
	/* Lowest first: what a weak cell leans on is mostly below it. */
	for (int dy = -1; dy <= 1; dy++)
		for (int dz = -1; dz <= 1; dz++)
			for (int dx = -1; dx <= 1; dx++)
				if (dx != 0 || dy != 0 || dz != 0)
					cleaner->step[count++] = dx + cleaner->nx * (dz + cleaner->nz * dy);
	Levels_Gather(cleaner, false, cleaner->now);
}

/* ---- judgement ---------------------------------------------------------------------------------------------- */

static bool IsWeak(uint8_t level)
{
	return level > 0 && level < LEVEL_INSIDE;
}

static bool IsWeakMaximum(const Cleaner *cleaner, const uint8_t *levels, int i)
{
	if (!IsWeak(levels[i]))
		return false;
	for (int k = 0; k < COUNT_OF(cleaner->step); k++)
		if (levels[i + cleaner->step[k]] > levels[i])
			return false;
	return true;
}

static bool HasInsideNeighbour(const Cleaner *cleaner, const uint8_t *levels, int i)
{
	for (int k = 0; k < COUNT_OF(cleaner->step); k++)
		if (levels[i + cleaner->step[k]] >= LEVEL_INSIDE)
			return true;
	return false;
}

/* A weak maximum that counts as inside and may stay. */
static bool IsKeptMaximum(Cleaner *cleaner, int i)
{
	if (!IsWeakMaximum(cleaner, cleaner->now, i))
		return false;
	return !cleaner->dig || IsWeakMaximum(cleaner, Cleaner_Was(cleaner), i);
}

static bool IsSeenNow(Cleaner *cleaner, int i)
{
	if (HasInsideNeighbour(cleaner, cleaner->now, i) || IsKeptMaximum(cleaner, i))
		return true;
	for (int k = 0; k < COUNT_OF(cleaner->step); k++)
		if (IsKeptMaximum(cleaner, i + cleaner->step[k]))
			return true;
	return false;
}

static bool WasSeen(Cleaner *cleaner, int i)
{
	const uint8_t *was = Cleaner_Was(cleaner);
	if (was[i] >= LEVEL_INSIDE || HasInsideNeighbour(cleaner, was, i) || IsWeakMaximum(cleaner, was, i))
		return true;
	for (int k = 0; k < COUNT_OF(cleaner->step); k++)
		if (IsWeakMaximum(cleaner, was, i + cleaner->step[k]))
			return true;
	return false;
}

static bool Cell_Changed(const Batch *batch, const Chunk *chunk, int row, int x)
{
	const ChannelData *was = Batch_Original(batch, chunk);
	for (int c = CHANNEL_MATERIAL; c <= CHANNEL_OCCUPANCY; c++)
		if (Channel_At(&was[c], row, x) != Channel_At(&chunk->channel[c], row, x))
			return true;
	return false;
}

/* ---- the sweep ---------------------------------------------------------------------------------------------- */

uint8_t *Scratch_Cell(EditScratch *scratch, const Chunk *chunk, Channel c, int row, int x)
{
	uint64_t bit = (uint64_t)1 << (row & 63), *word = &scratch->touched[c][row / 64];
	if (!(*word & bit))
		memcpy(scratch->rows[c][row], Channel_Row(&chunk->channel[c], row), CHUNK_SIZE);
	*word |= bit;
	return &scratch->rows[c][row][x];
}

static void Scratch_Drop(EditScratch *scratch, const Chunk *chunk, int row, int x)
{
	*Scratch_Cell(scratch, chunk, CHANNEL_MATERIAL, row, x) = MATERIAL_AIR;
	*Scratch_Cell(scratch, chunk, CHANNEL_OCCUPANCY, row, x) = 0;
}

static bool Clean_Chunk(Cleaner *cleaner, Cell at, const Chunk *chunk, CellBox weak)
{
	Batch *batch = cleaner->batch;
	memset(batch->scratch->touched, 0, sizeof(batch->scratch->touched));
	Cleaner_Aim(cleaner, weak);
	int x0 = weak.lo.x & (CHUNK_SIZE - 1);
	for (int32_t y = weak.lo.y; y <= weak.hi.y; y++) {
		for (int32_t z = weak.lo.z; z <= weak.hi.z; z++) {
			int row = Cell_Row(y, z), n = weak.hi.x - weak.lo.x + 1;
			const uint8_t *material = Channel_Row(&chunk->channel[CHANNEL_MATERIAL], row);
			const uint8_t *occupancy = Channel_Row(&chunk->channel[CHANNEL_OCCUPANCY], row);
			uint32_t left = Row_Partial(material, occupancy, PARTIAL_WEAK) & Row_Bits(x0, n);
			/* Of the levels: cell 0 of the chunk's row. */
			int first = REACH - x0 + cleaner->nx * (z - cleaner->box.lo.z + cleaner->nz * (y - cleaner->box.lo.y));
			for (; left != 0; left &= left - 1) {
				int x = __builtin_ctz(left), i = first + x;
				if (!IsSeenNow(cleaner, i) && (Cell_Changed(batch, chunk, row, x) || WasSeen(cleaner, i)))
					Scratch_Drop(batch->scratch, chunk, row, x);
			}
		}
	}
	return Batch_StageScratch(batch, at, chunk->channel);
}

bool Batch_Clean(Batch *batch, const CleanPlan *clean)
{
	Store *store = batch->store;
	if (clean->bytes && !(Batch_MendFringe(batch, clean) && Batch_Apply(batch)))
		return false;
	Cleaner *cleaner = Memory_Alloc(&store->memory, sizeof(*cleaner));
	if (!cleaner)
		return false;
	cleaner->batch = batch;
	cleaner->dig = clean->dig;
	bool made = true;
	ChunkWalk walk;
	/* Chunks made by this edit are not in the store's order yet; digging makes none. */
	ChunkWalk_Begin(&walk, store, clean->box, clean->dig && !clean->creates);
	while (made && ChunkWalk_Next(&walk)) {
		CellBox weak;
		if (walk.slot < 0 || !Chunk_PartialBox(&store->chunks.data[walk.slot], walk.piece, PARTIAL_WEAK, &weak))
			continue;
		if (Chunk_NearChange(store, walk.chunk))
			made = Clean_Chunk(cleaner, walk.chunk, &store->chunks.data[walk.slot], weak);
	}
	Memory_Free(&store->memory, cleaner, sizeof(*cleaner));
	return made;
}
