/* Bulk edits: the engine that walks chunks and rows, and the plain edits made of it. */
#include "voxel/store_internal.h"

#include <limits.h>

#if SCREE_X86
#include <immintrin.h>
#endif

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
		changed = changed || !Row_IsSame(bytes[c], Channel_Row(&old[c], row));
	if (!changed)
		return;
	if (!Row_IsNormal(bytes[CHANNEL_MATERIAL], bytes[CHANNEL_OCCUPANCY], bytes[CHANNEL_WATER]))
		Cells_Normalise(bytes[CHANNEL_MATERIAL] + x, bytes[CHANNEL_OCCUPANCY] + x, bytes[CHANNEL_WATER] + x, n);
	for (int c = 0; c < CHANNEL_COUNT; c++)
		if (!Row_IsSame(bytes[c], Channel_Row(&old[c], row)))
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

static int Edit_CheckSpan(CellBox box, Error *error)
{
	double chunks = ChunkWalk_Count(box);
	if (chunks <= EDIT_CHUNK_LIMIT)
		return ERROR_NONE;
	return Error_Set(error, ERROR_LIMIT, "an edit may span %d chunks of 32 cells a side, this box spans %.0f",
	                 EDIT_CHUNK_LIMIT, chunks);
}

static int Batch_Finish(Batch *batch, bool made, Tally *tally, Error *error)
{
	if (!made)
		Batch_Abort(batch);
	return made && Batch_Commit(batch, tally) ? ERROR_NONE : Error_OutOfMemory(error);
}

int Store_RunPlan(Store *store, const EditPlan *plan, const CleanPlan *clean, Tally *tally, Error *error)
{
	int code = plan->existing ? ERROR_NONE : Edit_CheckSpan(plan->box, error);
	if (code)
		return code;
	Batch batch;
	if (!Batch_Begin(&batch, store))
		return Error_OutOfMemory(error);
	bool made = Edit_Chunks(&batch, plan) && Batch_Apply(&batch);
	if (made && clean)
		made = Batch_Clean(&batch, clean) && Batch_Apply(&batch);
	return Batch_Finish(&batch, made, tally, error);
}

int Store_Edit(Store *store, CellBox box, EditRowFn *fn, void *context, Tally *tally, Error *error)
{
	int code = CellBox_Check(box, error);
	if (code)
		return code;
	EditPlan plan = {.box = box, .row = fn, .context = context};
	return Store_RunPlan(store, &plan, NULL, tally, error);
}

int Store_EditChunks(Store *store, const Cell *chunks, int count, EditRowFn *fn, void *context, Tally *tally,
                     Error *error)
{
	EditPlan plan = {.row = fn, .context = context};
	Batch batch;
	if (!Batch_Begin(&batch, store))
		return Error_OutOfMemory(error);
	batch.apart = true;
	bool made = true;
	for (int i = 0; made && i < count; i++) {
		ChunkWalk walk = {.chunk = chunks[i], .piece = Chunk_Box(chunks[i])};
		made = Store_FindChunk(store, chunks[i]) < 0 || Edit_ByRows(&batch, &plan, &walk);
	}
	return Batch_Finish(&batch, made && Batch_Apply(&batch), tally, error);
}

/* ---- writing a region --------------------------------------------------------------------------------------- */

typedef struct RegionWrite {
	CellBox box;
	const Region *from;
	const uint8_t *mask;
	size_t layer; /* bytes between neighbours along y */
} RegionWrite;

/* The channel's 32 bytes of a row piece: in the region itself when all of them are asked for, else put together in the
 * scratch. */
static inline const uint8_t *Write_Channel(const RegionWrite *write, int c, size_t at, int x, int n,
                                           const ChannelData *old, int row, uint8_t *scratch)
{
	const uint8_t *from = write->from->channel[c];
	if (from && n == CHUNK_SIZE && !write->mask) {
		/* The row of the next layer: strides this long are beyond what processors foresee. */
		__builtin_prefetch((const void *)((uintptr_t)(from + at) + write->layer));
		return from + at;
	}
	if (!from)
		return Channel_Row(old, row);
	memcpy(scratch, Channel_Row(old, row), CHUNK_SIZE);
	for (int i = 0; i < n; i++)
		if (!write->mask || write->mask[at + (size_t)i])
			scratch[x + i] = from[at + (size_t)i];
	return scratch;
}

static bool Headers_AreNormal(const uint16_t header[CHANNEL_COUNT])
{
	int m = header[CHANNEL_MATERIAL], v = header[CHANNEL_OCCUPANCY], w = header[CHANNEL_WATER];
	return m == MATERIAL_AIR ? v == 0 : m != MATERIAL_WATER && (v != 255 || w == 0);
}

/* Brings a row into normal form in the scratch, unless it has it. */
static void Write_Normalise(EditScratch *scratch, int row, const uint8_t *bytes[CHANNEL_COUNT],
                            uint16_t header[CHANNEL_COUNT])
{
	bool uniform = (header[0] | header[1] | header[2]) < HEADER_SLOT;
	if (uniform ? Headers_AreNormal(header)
	            : Row_IsNormal(bytes[CHANNEL_MATERIAL], bytes[CHANNEL_OCCUPANCY], bytes[CHANNEL_WATER]))
		return;
	for (int c = 0; c < CHANNEL_COUNT; c++) {
		memmove(scratch->rows[c][row], bytes[c], CHUNK_SIZE);
		bytes[c] = scratch->rows[c][row];
	}
	Cells_Normalise(scratch->rows[CHANNEL_MATERIAL][row], scratch->rows[CHANNEL_OCCUPANCY][row],
	                scratch->rows[CHANNEL_WATER][row], CHUNK_SIZE);
	for (int c = 0; c < CHANNEL_COUNT; c++)
		header[c] = Row_Kind(bytes[c]);
}

/* Lists what the row becomes. *changed: the channels known to differ from what they were. */
static inline void Write_Row(EditScratch *scratch, const RegionWrite *write, const ChannelData *old, CellBox piece,
                             int row, size_t at, unsigned *changed)
{
	int x = piece.lo.x & (CHUNK_SIZE - 1), n = piece.hi.x - piece.lo.x + 1;
	const uint8_t *bytes[CHANNEL_COUNT];
	uint16_t header[CHANNEL_COUNT];
	for (int c = 0; c < CHANNEL_COUNT; c++) {
		bytes[c] = Write_Channel(write, c, at, x, n, &old[c], row, scratch->rows[c][row]);
		header[c] = Row_Kind(bytes[c]);
	}
	Write_Normalise(scratch, row, bytes, header);
	for (int c = 0; c < CHANNEL_COUNT; c++) {
		scratch->lists[c].bytes[row] = bytes[c];
		scratch->lists[c].header[row] = header[c];
		if (!(*changed >> c & 1) && !Row_IsSame(bytes[c], Channel_Row(&old[c], row)))
			*changed |= 1u << c;
	}
}

#if SCREE_X86

/* As Row_IsNormal. */
SIMD_FUNCTION static inline bool Row_IsNormalFast(__m256i m, __m256i v, __m256i w)
{
	const __m256i zero = _mm256_setzero_si256();
	__m256i air = _mm256_cmpeq_epi8(m, zero), full = _mm256_cmpeq_epi8(v, _mm256_set1_epi8(-1));
	__m256i bad = _mm256_cmpeq_epi8(m, _mm256_set1_epi8(MATERIAL_WATER));
	bad = _mm256_or_si256(bad, _mm256_andnot_si256(_mm256_cmpeq_epi8(v, zero), air));
	__m256i wet = _mm256_andnot_si256(_mm256_cmpeq_epi8(w, zero), _mm256_andnot_si256(air, full));
	bad = _mm256_or_si256(bad, wet);
	return _mm256_testz_si256(bad, bad);
}

/* What a row piece of 32 cells is to become. */
typedef struct FastRow {
	const uint8_t *bytes[CHANNEL_COUNT];
	uint16_t header[CHANNEL_COUNT];
} FastRow;

/* Which rows are of one byte is hard to foresee: no branches. */
SIMD_FUNCTION static inline __m256i FastRow_Look(FastRow *look, const RegionWrite *write, int c, size_t at)
{
	const uint8_t *bytes = write->from->channel[c] + at;
	__builtin_prefetch((const void *)((uintptr_t)bytes + write->layer));
	__m256i cells = _mm256_loadu_si256((const __m256i *)(const void *)bytes);
	__m128i first = _mm256_castsi256_si128(cells);
	int uniform = _mm256_movemask_epi8(_mm256_cmpeq_epi8(cells, _mm256_broadcastb_epi8(first))) == -1;
	look->bytes[c] = bytes;
	look->header[c] = (uint16_t)(HEADER_SLOT + (-uniform & (_mm_extract_epi8(first, 0) - HEADER_SLOT)));
	return cells;
}

static inline void FastRow_List(const FastRow *look, EditScratch *scratch, const ChannelData *old, int c, int row,
                                unsigned *changed)
{
	scratch->lists[c].bytes[row] = look->bytes[c];
	scratch->lists[c].header[row] = look->header[c];
	if (!(*changed >> c & 1) && !Row_IsSame(look->bytes[c], Channel_Row(&old[c], row)))
		*changed |= 1u << c;
}

/* As Write_Row, for 32 cells of all channels. Written out: compilers leave a loop of three a loop. */
SIMD_FUNCTION static inline void Write_RowFast(EditScratch *scratch, const RegionWrite *write, const ChannelData *old,
                                               int row, size_t at, unsigned *changed)
{
	FastRow look;
	__m256i m = FastRow_Look(&look, write, CHANNEL_MATERIAL, at);
	__m256i v = FastRow_Look(&look, write, CHANNEL_OCCUPANCY, at);
	__m256i w = FastRow_Look(&look, write, CHANNEL_WATER, at);
	if (!Row_IsNormalFast(m, v, w))
		Write_Normalise(scratch, row, look.bytes, look.header);
	FastRow_List(&look, scratch, old, CHANNEL_MATERIAL, row, changed);
	FastRow_List(&look, scratch, old, CHANNEL_OCCUPANCY, row, changed);
	FastRow_List(&look, scratch, old, CHANNEL_WATER, row, changed);
}

/* The rows of a chunk, which are whole. at: of the first. Returns the channels that change. */
SIMD_FUNCTION static unsigned Write_RowsFast(EditScratch *scratch, const RegionWrite *write, const ChannelData *old,
                                             CellBox piece, size_t at)
{
	unsigned changed = 0;
	for (int32_t y = piece.lo.y; y <= piece.hi.y; y++, at += write->layer) {
		size_t line = at;
		for (int32_t z = piece.lo.z; z <= piece.hi.z; z++, line += (size_t)write->from->nx)
			Write_RowFast(scratch, write, old, Cell_Row(y, z), line, &changed);
	}
	return changed;
}

/* Whole rows of all channels? */
static bool Write_IsPlain(const RegionWrite *write, CellBox piece)
{
	uint8_t *const *channel = write->from->channel;
	return piece.hi.x - piece.lo.x == CHUNK_SIZE - 1 && !write->mask && channel[0] && channel[1] && channel[2];
}

#endif

static bool Write_Chunk(Batch *batch, const RegionWrite *write, const ChunkWalk *walk)
{
	const ChannelData *old = Store_ChunkOrAir(batch->store, walk->chunk)->channel;
	CellBox piece = walk->piece;
	if (!Piece_IsChunk(piece))
		for (int c = 0; c < CHANNEL_COUNT; c++)
			RowList_Init(&batch->scratch->lists[c], &old[c]);
	unsigned changed = 0;
	size_t nx = (size_t)write->from->nx, nz = (size_t)write->from->nz;
#if SCREE_X86
	if (batch->store->simd && Write_IsPlain(write, piece)) {
		size_t line = (size_t)(piece.lo.z - write->box.lo.z) + nz * (size_t)(piece.lo.y - write->box.lo.y);
		size_t at = (size_t)(piece.lo.x - write->box.lo.x) + nx * line;
		return Batch_StageLists(batch, walk->chunk, Write_RowsFast(batch->scratch, write, old, piece, at));
	}
#endif
	for (int32_t y = piece.lo.y; y <= piece.hi.y; y++) {
		size_t line = (size_t)(piece.lo.z - write->box.lo.z) + nz * (size_t)(y - write->box.lo.y);
		size_t at = (size_t)(piece.lo.x - write->box.lo.x) + nx * line;
		for (int32_t z = piece.lo.z; z <= piece.hi.z; z++, at += nx)
			Write_Row(batch->scratch, write, old, piece, Cell_Row(y, z), at, &changed);
	}
	return Batch_StageLists(batch, walk->chunk, changed);
}

static bool Write_Chunks(Batch *batch, const RegionWrite *write)
{
	ChunkWalk walk;
	ChunkWalk_Begin(&walk, batch->store, write->box, false);
	while (ChunkWalk_Next(&walk))
		if (!Write_Chunk(batch, write, &walk))
			return false;
	return true;
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
	code = Edit_CheckSpan(box, error);
	if (code)
		return code;
	RegionWrite write = {box, from, mask, (size_t)from->nx * (size_t)from->nz};
	Batch batch;
	if (!Batch_Begin(&batch, store))
		return Error_OutOfMemory(error);
	bool made = Write_Chunks(&batch, &write) && Batch_Apply(&batch);
	return Batch_Finish(&batch, made, tally, error);
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
