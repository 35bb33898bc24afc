/* Where a hard face and a soft fringe meet.
 *
 * A fill takes the greater byte of what is there and what it brings (digging: of their complements). Of two distance
 * fields that is their union to the byte, since both fall by 128 a cell along an axis. A hard face falls by 255, so in
 * the pair of cells that it runs between, the inside byte may come from one of the two and the outside byte from the
 * other, and the surface then lies beyond both. Here such outside bytes are put right: the surface crosses each edge
 * from an inside cell where the further one of the two surfaces does,
 *
 *     t = (a - 127.5) / (a - b), a inside, b outside,
 *
 * solved for the outside byte; of a cell with several inside neighbours the greatest answer holds. Edges as steep as
 * no distance field has them mark the cells concerned, so soft fills among soft ground are left alone. */
#include "voxel/fill_internal.h"

/* Beyond the cells looked at: their face neighbours. */
#define REACH 1
#define GATHER_SIZE (CHUNK_SIZE + 2 * REACH)
#define GATHER_CELLS (GATHER_SIZE * GATHER_SIZE * GATHER_SIZE)
/* The byte of a distance falls by 128 or 129 a cell along its axis, never by more. */
#define STEEP 130

/* Bytes here are complements when digging, so that the outside of the fill is always below 128. */
typedef struct Fringe {
	Batch *batch;
	const CleanPlan *plan;
	CellBox box; /* of the bytes below */
	int nx, ny, nz;
	int step[6];
	uint8_t material[GATHER_CELLS]; /* before the edit */
	uint8_t was[GATHER_CELLS];
	uint8_t now[GATHER_CELLS];
	uint8_t brush[GATHER_CELLS];
} Fringe;

/* ---- gathering ---------------------------------------------------------------------------------------------- */

static int Fringe_Index(const Fringe *fringe, int32_t x, int32_t y, int32_t z)
{
	CellBox box = fringe->box;
	return (x - box.lo.x) + fringe->nx * ((z - box.lo.z) + fringe->nz * (y - box.lo.y));
}

/* Occupancy, or what is missing of it. */
static void Gather_Row(const ChannelData *channel, int row, int x0, int n, bool dig, uint8_t *bytes, uint8_t *material)
{
	const uint8_t *m = Channel_Row(&channel[CHANNEL_MATERIAL], row) + x0;
	const uint8_t *v = Channel_Row(&channel[CHANNEL_OCCUPANCY], row) + x0;
	for (int i = 0; i < n; i++) {
		uint8_t byte = m[i] == MATERIAL_AIR ? 0 : v[i];
		bytes[i] = dig ? (uint8_t)(255 - byte) : byte;
	}
	if (material)
		memcpy(material, m, (size_t)n);
}

static void Fringe_Aim(Fringe *fringe, CellBox partial)
{
	fringe->box = CellBox_Grown(partial, REACH);
	fringe->nx = fringe->box.hi.x - fringe->box.lo.x + 1;
	fringe->ny = fringe->box.hi.y - fringe->box.lo.y + 1;
	fringe->nz = fringe->box.hi.z - fringe->box.lo.z + 1;
	const int steps[6] = {-1, 1, -fringe->nx, fringe->nx, -fringe->nx * fringe->nz, fringe->nx * fringe->nz};
	memcpy(fringe->step, steps, sizeof(steps));
}

/* Is all that was there, round about, of bytes 0? Then it had no surface, and no fringe. */
static bool Fringe_WasNothing(const Fringe *fringe)
{
	bool dig = fringe->plan->dig;
	ChunkWalk walk;
	ChunkWalk_Begin(&walk, fringe->batch->store, fringe->box, false);
	while (ChunkWalk_Next(&walk)) {
		const ChannelData *was = Batch_Original(fringe->batch, Store_ChunkOrAir(fringe->batch->store, walk.chunk));
		bool air = Channel_IsAll(&was[CHANNEL_MATERIAL], MATERIAL_AIR);
		if (dig ? air || !Channel_IsAll(&was[CHANNEL_OCCUPANCY], 255) : !air)
			return false;
	}
	return true;
}

static void Fringe_Gather(Fringe *fringe)
{
	bool dig = fringe->plan->dig;
	ChunkWalk walk;
	ChunkWalk_Begin(&walk, fringe->batch->store, fringe->box, false);
	while (ChunkWalk_Next(&walk)) {
		const Chunk *chunk = Store_ChunkOrAir(fringe->batch->store, walk.chunk);
		const ChannelData *was = Batch_Original(fringe->batch, chunk);
		CellBox piece = walk.piece;
		int x0 = piece.lo.x & (CHUNK_SIZE - 1), n = piece.hi.x - piece.lo.x + 1;
		for (int32_t y = piece.lo.y; y <= piece.hi.y; y++) {
			for (int32_t z = piece.lo.z; z <= piece.hi.z; z++) {
				int row = Cell_Row(y, z), i = Fringe_Index(fringe, piece.lo.x, y, z);
				Gather_Row(chunk->channel, row, x0, n, dig, fringe->now + i, NULL);
				Gather_Row(was, row, x0, n, dig, fringe->was + i, fringe->material + i);
			}
		}
	}
}

static void Fringe_GatherBrush(Fringe *fringe)
{
	const CleanPlan *plan = fringe->plan;
	CellBox box = fringe->box;
	for (int32_t y = box.lo.y; y <= box.hi.y; y++) {
		for (int32_t z = box.lo.z; z <= box.hi.z; z++) {
			for (int32_t x = box.lo.x; x <= box.hi.x; x = (x | (CHUNK_SIZE - 1)) + 1) {
				int n = Int_Min(box.hi.x, x | (CHUNK_SIZE - 1)) - x + 1;
				plan->bytes(plan->context, x, y, z, n, fringe->brush + Fringe_Index(fringe, x, y, z));
			}
		}
	}
	int cells = fringe->nx * fringe->ny * fringe->nz;
	/* Blocky cells are dug whole or not at all. */
	for (int i = 0; plan->dig && i < cells; i++)
		if (plan->blocky[fringe->material[i]])
			fringe->brush[i] = fringe->brush[i] >= 128 ? 255 : 0;
}

/* ---- judgement ---------------------------------------------------------------------------------------------- */

/* Does the pair a | b cross further out than c | d? Both a and c are 128 or more, b and d less. */
static bool CrossesFurther(int a, int b, int c, int d)
{
	return (2 * a - 255) * (c - d) > (2 * c - 255) * (a - b);
}

/* The byte outside of `a` with which the surface crosses where it does between c and d. */
static int OutsideByte(int a, int c, int d)
{
	if (a == c)
		return d;
	int over = 2 * c - 255;
	return a - ((2 * a - 255) * (c - d) + over / 2) / over;
}

/* The byte outside of `a` for a surface that crosses the part t of the way from it. */
static int ByteAt(int a, double t)
{
	return t > 0.0 ? Int_Clamp(a - FloorToInt(MinD((a - 127.5) / t + 0.5, 256.0)), 0, 127) : 0;
}

static Cell Fringe_Cell(const Fringe *fringe, int i)
{
	Cell lo = fringe->box.lo;
	return (Cell){lo.x + i % fringe->nx, lo.y + i / (fringe->nx * fringe->nz), lo.z + i / fringe->nx % fringe->nz};
}

/* The byte outside of the inside cell p with which the surface crosses where the fill's does: by its distances where
 * they are known, which are finer than its bytes. */
static int BrushByte(const Fringe *fringe, int p, int i)
{
	const CleanPlan *plan = fringe->plan;
	bool whole = plan->dig && plan->blocky[fringe->material[p]]; /* such cells are dug by their byte */
	int by_bytes = OutsideByte(fringe->now[p], fringe->brush[p], fringe->brush[i]);
	if (!plan->distance || whole || fringe->brush[p] == fringe->now[p] || fringe->brush[p] < 128 ||
	    fringe->brush[i] >= 128)
		return by_bytes;
	Cell in = Fringe_Cell(fringe, p), out = Fringe_Cell(fringe, i);
	double d = plan->distance(plan->context, in.x, in.y, in.z), e = plan->distance(plan->context, out.x, out.y, out.z);
	if (AbsD(d) >= FILL_HARD || AbsD(e) >= FILL_HARD || !(d - e > 0.0))
		return by_bytes;
	return ByteAt(fringe->now[p], d / (d - e));
}

/* What an outside cell should hold, given what it holds. */
static int Fringe_Byte(const Fringe *fringe, int i)
{
	const uint8_t *was = fringe->was, *brush = fringe->brush, *now = fringe->now;
	int least = -1;
	bool steep = false;
	for (int k = 0; k < 6; k++) {
		int p = i + fringe->step[k];
		if (now[p] < 128)
			continue;
		steep = steep || was[p] - was[i] >= STEEP || brush[p] - brush[i] >= STEEP;
		bool by_brush = was[p] < 128 || (brush[p] >= 128 && CrossesFurther(brush[p], brush[i], was[p], was[i]));
		int byte = by_brush ? BrushByte(fringe, p, i) : OutsideByte(now[p], was[p], was[i]);
		least = Int_Max(least, byte);
	}
	return steep && least >= 0 ? Int_Min(least, now[i]) : now[i];
}

static bool IsPartial(uint8_t byte)
{
	return byte > 0 && byte < 128;
}

/* Can any cell of the box need it? Without hard faces of the fill, only where the ground itself is steep. */
static bool Fringe_Concerns(const Fringe *fringe, CellBox partial)
{
	int cells = fringe->nx * fringe->ny * fringe->nz;
	bool any = false;
	/* Into nothing, or out of the full, the fill goes as it is. */
	for (int i = 0; i < cells && !any; i++)
		any = fringe->was[i] != 0;
	if (!any || fringe->plan->hard)
		return any;
	for (int32_t y = partial.lo.y; y <= partial.hi.y; y++) {
		for (int32_t z = partial.lo.z; z <= partial.hi.z; z++) {
			int first = Fringe_Index(fringe, partial.lo.x, y, z);
			for (int i = first; i <= first + partial.hi.x - partial.lo.x; i++) {
				if (!IsPartial(fringe->now[i]))
					continue;
				for (int k = 0; k < 6; k++)
					if (fringe->was[i + fringe->step[k]] - fringe->was[i] >= STEEP)
						return true;
			}
		}
	}
	return false;
}

/* ---- the sweep ---------------------------------------------------------------------------------------------- */

static void Fringe_Put(Fringe *fringe, const Chunk *chunk, int32_t x, int row, int i, int byte)
{
	EditScratch *scratch = fringe->batch->scratch;
	x &= CHUNK_SIZE - 1;
	if (fringe->plan->dig) {
		*Scratch_Cell(scratch, chunk, CHANNEL_OCCUPANCY, row, x) = (uint8_t)(255 - byte);
		return;
	}
	*Scratch_Cell(scratch, chunk, CHANNEL_OCCUPANCY, row, x) = (uint8_t)byte;
	if (byte == 0)
		*Scratch_Cell(scratch, chunk, CHANNEL_MATERIAL, row, x) = MATERIAL_AIR;
	else if (byte <= fringe->was[i])
		*Scratch_Cell(scratch, chunk, CHANNEL_MATERIAL, row, x) = fringe->material[i];
}

static bool Fringe_Chunk(Fringe *fringe, Cell at, const Chunk *chunk, CellBox partial)
{
	Fringe_Aim(fringe, partial);
	if (Fringe_WasNothing(fringe))
		return true;
	Fringe_Gather(fringe);
	if (!Fringe_Concerns(fringe, partial))
		return true;
	Fringe_GatherBrush(fringe);
	EditScratch *scratch = fringe->batch->scratch;
	memset(scratch->touched, 0, sizeof(scratch->touched));
	for (int32_t y = partial.lo.y; y <= partial.hi.y; y++) {
		for (int32_t z = partial.lo.z; z <= partial.hi.z; z++) {
			int first = Fringe_Index(fringe, partial.lo.x, y, z);
			for (int32_t x = partial.lo.x; x <= partial.hi.x; x++) {
				int i = first + (x - partial.lo.x);
				if (!IsPartial(fringe->now[i]) || (fringe->plan->dig && fringe->plan->blocky[fringe->material[i]]))
					continue;
				int byte = Fringe_Byte(fringe, i);
				if (byte != fringe->now[i])
					Fringe_Put(fringe, chunk, x, Cell_Row(y, z), i, byte);
			}
		}
	}
	return Batch_StageScratch(fringe->batch, at, chunk->channel);
}

bool Batch_MendFringe(Batch *batch, const CleanPlan *plan)
{
	Store *store = batch->store;
	Fringe *fringe = Memory_Alloc(&store->memory, sizeof(*fringe));
	if (!fringe)
		return false;
	fringe->batch = batch;
	fringe->plan = plan;
	bool made = true;
	ChunkWalk walk;
	ChunkWalk_Begin(&walk, store, plan->box, plan->dig);
	while (made && ChunkWalk_Next(&walk)) {
		CellBox partial;
		if (walk.slot < 0 || !Chunk_NearChange(store, walk.chunk))
			continue;
		if (Chunk_PartialBox(&store->chunks.data[walk.slot], walk.piece, plan->dig ? PARTIAL_INSIDE : PARTIAL_OUTSIDE,
		                     &partial))
			made = Fringe_Chunk(fringe, walk.chunk, &store->chunks.data[walk.slot], partial);
	}
	Memory_Free(&store->memory, fringe, sizeof(*fringe));
	return made;
}
