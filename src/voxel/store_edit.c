/* Bulk edits: the engine that walks chunks and rows, and the plain edits made of it. */
#include "voxel/store_internal.h"

#include <limits.h>

/* ---- checks ------------------------------------------------------------------------------------------------- */

static bool Cell_InWorld(Cell cell)
{
	return cell.x >= -CELL_LIMIT && cell.x <= CELL_LIMIT && cell.y >= -CELL_LIMIT && cell.y <= CELL_LIMIT &&
	       cell.z >= -CELL_LIMIT && cell.z <= CELL_LIMIT;
}

int CellBox_Check(CellBox box, Error *error)
{
	if (!CellBox_IsValid(box))
		return Error_Set(error, ERROR_ARGUMENT, "box: min (%d, %d, %d) must not pass max (%d, %d, %d)", box.lo.x,
		                 box.lo.y, box.lo.z, box.hi.x, box.hi.y, box.hi.z);
	if (Cell_InWorld(box.lo) && Cell_InWorld(box.hi))
		return ERROR_NONE;
	Cell cell = Cell_InWorld(box.lo) ? box.hi : box.lo;
	return Error_Set(error, ERROR_LIMIT, "cell (%d, %d, %d) lies beyond the limit of %d cells from the origin", cell.x,
	                 cell.y, cell.z, CELL_LIMIT);
}

/* ---- the engine --------------------------------------------------------------------------------------------- */

/* Runs the plan's function over one row piece and notes which channels of the row it changed. */
static void Edit_Row(Batch *batch, const EditPlan *plan, const ChannelData *old, CellBox piece, int32_t y, int32_t z)
{
	EditScratch *scratch = batch->scratch;
	int row = Cell_Row(y, z), x = piece.lo.x & (CHUNK_SIZE - 1), n = piece.hi.x - piece.lo.x + 1;
	uint8_t *bytes[CHANNEL_COUNT];
	for (int c = 0; c < CHANNEL_COUNT; c++) {
		bytes[c] = scratch->rows[c][row];
		memcpy(bytes[c], Channel_Row(&old[c], row), CHUNK_SIZE);
	}
	plan->row(plan->context, piece.lo.x, y, z, n, bytes[CHANNEL_MATERIAL] + x, bytes[CHANNEL_OCCUPANCY] + x,
	          bytes[CHANNEL_WATER] + x);
	bool changed = false;
	for (int c = 0; c < CHANNEL_COUNT; c++)
		changed = changed || memcmp(bytes[c], Channel_Row(&old[c], row), CHUNK_SIZE) != 0;
	if (!changed)
		return;
	Cells_Normalise(bytes[CHANNEL_MATERIAL] + x, bytes[CHANNEL_OCCUPANCY] + x, bytes[CHANNEL_WATER] + x, n);
	for (int c = 0; c < CHANNEL_COUNT; c++)
		if (memcmp(bytes[c], Channel_Row(&old[c], row), CHUNK_SIZE) != 0)
			scratch->touched[c][row / 64] |= (uint64_t)1 << (row & 63);
}

static bool Edit_ByRows(Batch *batch, const EditPlan *plan, const ChunkWalk *walk)
{
	const ChannelData *old = Store_ChunkOrAir(batch->store, walk->chunk)->channel;
	memset(batch->scratch->touched, 0, sizeof(batch->scratch->touched));
	for (int32_t y = walk->piece.lo.y; y <= walk->piece.hi.y; y++)
		for (int32_t z = walk->piece.lo.z; z <= walk->piece.hi.z; z++)
			Edit_Row(batch, plan, old, walk->piece, y, z);
	return Batch_StageScratch(batch, walk->chunk, old);
}

static bool Edit_Whole(Batch *batch, const ChunkWalk *walk, const WholeChunk *whole)
{
	const Chunk *chunk = Store_ChunkOrAir(batch->store, walk->chunk);
	ChannelData fresh[CHANNEL_COUNT];
	unsigned mask = 0;
	for (int c = 0; c < CHANNEL_COUNT; c++) {
		if (!(whole->mask >> c & 1) || Channel_IsAll(&chunk->channel[c], whole->value[c]))
			continue;
		fresh[c] = Channel_Uniform(whole->value[c]);
		mask |= 1u << c;
	}
	return mask == 0 || Batch_Stage(batch, walk->chunk, mask, fresh);
}

static bool Edit_Chunks(Batch *batch, const EditPlan *plan)
{
	ChunkWalk walk;
	ChunkWalk_Begin(&walk, batch->store, plan->box, plan->existing);
	while (ChunkWalk_Next(&walk)) {
		WholeChunk whole = {0};
		ChunkAnswer answer = CHUNK_BY_ROWS;
		if (plan->chunk)
			answer = plan->chunk(plan->context, Store_ChunkOrAir(batch->store, walk.chunk), walk.piece, &whole);
		if (answer == CHUNK_BY_ROWS && !Edit_ByRows(batch, plan, &walk))
			return false;
		if (answer == CHUNK_WHOLE && !Edit_Whole(batch, &walk, &whole))
			return false;
	}
	return true;
}

int Store_RunPlan(Store *store, const EditPlan *plan, const CleanPlan *clean, Tally *tally, Error *error)
{
	double chunks = ChunkWalk_Count(plan->box);
	if (!plan->existing && chunks > EDIT_CHUNK_LIMIT)
		return Error_Set(error, ERROR_LIMIT, "an edit may span %d chunks of 32 cells a side, this box spans %.0f",
		                 EDIT_CHUNK_LIMIT, chunks);
	Batch batch;
	if (!Batch_Begin(&batch, store))
		return Error_OutOfMemory(error);
	bool made = Edit_Chunks(&batch, plan) && Batch_Apply(&batch);
	if (made && clean)
		made = Batch_Clean(&batch, clean) && Batch_Apply(&batch);
	if (!made) {
		Batch_Abort(&batch);
		return Error_OutOfMemory(error);
	}
	return Batch_Commit(&batch, tally) ? ERROR_NONE : Error_OutOfMemory(error);
}

int Store_Edit(Store *store, CellBox box, EditRowFn *fn, void *context, Tally *tally, Error *error)
{
	int code = CellBox_Check(box, error);
	if (code)
		return code;
	EditPlan plan = {.box = box, .row = fn, .context = context};
	return Store_RunPlan(store, &plan, NULL, tally, error);
}

/* ---- writing a region --------------------------------------------------------------------------------------- */

typedef struct WriteContext {
	CellBox box;
	const Region *from;
	const uint8_t *mask;
} WriteContext;

static void Write_Row(void *context, int32_t x, int32_t y, int32_t z, int n, uint8_t *material, uint8_t *occupancy,
                      uint8_t *water)
{
	const WriteContext *write = context;
	const Region *from = write->from;
	uint8_t *to[CHANNEL_COUNT] = {material, occupancy, water};
	size_t row = (size_t)(z - write->box.lo.z) + (size_t)from->nz * (size_t)(y - write->box.lo.y);
	size_t at = (size_t)(x - write->box.lo.x) + (size_t)from->nx * row;
	for (int c = 0; c < CHANNEL_COUNT; c++) {
		if (!from->channel[c])
			continue;
		const uint8_t *bytes = from->channel[c] + at;
		if (!write->mask)
			memcpy(to[c], bytes, (size_t)n);
		else
			for (int i = 0; i < n; i++)
				to[c][i] = write->mask[at + (size_t)i] ? bytes[i] : to[c][i];
	}
}

int Store_Write(Store *store, CellBox box, const Region *from, const uint8_t *mask, Tally *tally, Error *error)
{
	int code = CellBox_Check(box, error);
	if (code)
		return code;
	int64_t nx = (int64_t)box.hi.x - box.lo.x + 1, ny = (int64_t)box.hi.y - box.lo.y + 1;
	int64_t nz = (int64_t)box.hi.z - box.lo.z + 1;
	if (nx != from->nx || ny != from->ny || nz != from->nz)
		return Error_Set(error, ERROR_ARGUMENT, "region: %d x %d x %d cells do not fit a box of %lld x %lld x %lld",
		                 from->nx, from->ny, from->nz, (long long)nx, (long long)ny, (long long)nz);
	WriteContext context = {box, from, mask};
	return Store_Edit(store, box, Write_Row, &context, tally, error);
}

/* ---- replacing ---------------------------------------------------------------------------------------------- */

typedef struct ReplaceContext {
	uint8_t from, to;
} ReplaceContext;

static void Replace_Row(void *context, int32_t x, int32_t y, int32_t z, int n, uint8_t *material, uint8_t *occupancy,
                        uint8_t *water)
{
	const ReplaceContext *replace = context;
	(void)x, (void)y, (void)z;
	for (int i = 0; i < n; i++) {
		if (replace->from == MATERIAL_WATER) {
			if (water[i] != 0 && material[i] == MATERIAL_AIR) {
				material[i] = replace->to;
				occupancy[i] = water[i];
				water[i] = 0;
			} else if (replace->to == MATERIAL_AIR) {
				water[i] = 0;
			}
		} else if (material[i] == replace->from) {
			occupancy[i] = replace->from == MATERIAL_AIR ? 255 : occupancy[i];
			material[i] = replace->to;
		}
	}
}

static ChunkAnswer Replace_Chunk(void *context, const Chunk *chunk, CellBox piece, WholeChunk *whole)
{
	const ReplaceContext *replace = context;
	const ChannelData *materials = &chunk->channel[CHANNEL_MATERIAL];
	(void)piece, (void)whole;
	if (replace->from == MATERIAL_WATER)
		return Channel_IsAll(&chunk->channel[CHANNEL_WATER], 0) ? CHUNK_UNCHANGED : CHUNK_BY_ROWS;
	if (!materials->header && materials->uniform != replace->from)
		return CHUNK_UNCHANGED;
	return CHUNK_BY_ROWS;
}

int Store_Replace(Store *store, CellBox box, uint8_t from, uint8_t to, Tally *tally, Error *error)
{
	int code = CellBox_Check(box, error);
	if (code || from == to)
		return code;
	ReplaceContext context = {from, to};
	EditPlan plan = {box, from != MATERIAL_AIR, Replace_Chunk, Replace_Row, &context};
	return Store_RunPlan(store, &plan, NULL, tally, error);
}

/* ---- clearing ----------------------------------------------------------------------------------------------- */

static ChunkAnswer Clear_Chunk(void *context, const Chunk *chunk, CellBox piece, WholeChunk *whole)
{
	(void)context, (void)chunk, (void)piece;
	*whole = (WholeChunk){7, {MATERIAL_AIR, 0, 0}};
	return CHUNK_WHOLE;
}

int Store_Clear(Store *store, Tally *tally, Error *error)
{
	EditPlan plan = {CellBox_World(), true, Clear_Chunk, NULL, NULL};
	return Store_RunPlan(store, &plan, NULL, tally, error);
}
