/* The store's inside, private to the room: chunks, walks over them, and the transaction under every bulk edit. */
#ifndef SCREE_VOXEL_STORE_INTERNAL_H
#define SCREE_VOXEL_STORE_INTERNAL_H

#include "voxel/channel_internal.h"

#define ENTRY_NONE (-1)

/* A chunk that is all dry air is not stored. Slots in `chunks` are stable while the chunk lives. */
typedef struct Chunk {
	int32_t x, y, z;
	int32_t entry; /* its BatchEntry while a transaction runs; the next free slot of an unused Chunk; else ENTRY_NONE */
	uint64_t blocks; /* see Store_Blocks */
	ChannelData channel[CHANNEL_COUNT];
} Chunk;

/* Everything with from < version <= to lies in the box. */
typedef struct JournalEntry {
	CellBox box;
	uint64_t version;
} JournalEntry;

/* A dense table over a box of chunk coordinates, in front of the map: reads that stay near the bulk of the world find
 * their chunk with one load. Only a shortcut: it may be missing (no memory, or chunks too scattered). */
typedef struct ChunkGrid {
	int32_t *slots; /* [x + nx * (z + nz * y)] from lo; -1: no chunk; NULL: no grid */
	Cell lo;
	int32_t nx, ny, nz;
} ChunkGrid;

struct Store {
	Memory memory; /* counts what this store holds, on top of `parent` */
	Memory *parent;
	ARRAY(Chunk) chunks;
	int32_t free_chunk; /* head of the list of unused Chunks, or -1 */
	ChunkGrid grid;
	CellBox known;        /* chunk coordinates used since the store was last empty */
	CoordMap map;         /* chunk coordinates -> slot */
	ARRAY(int32_t) order; /* slots, sorted by (y, z, x) */
	int64_t solid_cells;
	uint64_t version;
	ARRAY(JournalEntry) journal; /* oldest first, at most JOURNAL_LIMIT */
	struct Undo *undo;           /* NULL until the first group begins */
	size_t undo_budget;
	struct Marks *marks; /* NULL until the first mark */
	size_t mark_budget;
	bool simd; /* SIMD_FUNCTIONs may be called */
};

/* ---- small geometry ----------------------------------------------------------------------------------------- */

static inline int Cell_Row(int32_t y, int32_t z)
{
	return (z & (CHUNK_SIZE - 1)) + CHUNK_SIZE * (y & (CHUNK_SIZE - 1));
}

static inline bool CellBox_IsValid(CellBox box)
{
	return box.lo.x <= box.hi.x && box.lo.y <= box.hi.y && box.lo.z <= box.hi.z;
}

static inline CellBox CellBox_Intersect(CellBox a, CellBox b)
{
	return (CellBox){{Int_Max(a.lo.x, b.lo.x), Int_Max(a.lo.y, b.lo.y), Int_Max(a.lo.z, b.lo.z)},
	                 {Int_Min(a.hi.x, b.hi.x), Int_Min(a.hi.y, b.hi.y), Int_Min(a.hi.z, b.hi.z)}};
}

static inline CellBox CellBox_Union(CellBox a, CellBox b)
{
	return (CellBox){{Int_Min(a.lo.x, b.lo.x), Int_Min(a.lo.y, b.lo.y), Int_Min(a.lo.z, b.lo.z)},
	                 {Int_Max(a.hi.x, b.hi.x), Int_Max(a.hi.y, b.hi.y), Int_Max(a.hi.z, b.hi.z)}};
}

/* All cells that a store can hold. */
static inline CellBox CellBox_World(void)
{
	return (CellBox){{-CELL_LIMIT, -CELL_LIMIT, -CELL_LIMIT}, {CELL_LIMIT, CELL_LIMIT, CELL_LIMIT}};
}

static inline CellBox CellBox_Empty(void)
{
	return (CellBox){{INT32_MAX, INT32_MAX, INT32_MAX}, {INT32_MIN, INT32_MIN, INT32_MIN}};
}

static inline CellBox Chunk_Box(Cell chunk)
{
	Cell lo = {chunk.x * CHUNK_SIZE, chunk.y * CHUNK_SIZE, chunk.z * CHUNK_SIZE};
	return (CellBox){lo, {lo.x + CHUNK_SIZE - 1, lo.y + CHUNK_SIZE - 1, lo.z + CHUNK_SIZE - 1}};
}

static inline bool CellBox_Contains(CellBox outer, CellBox inner)
{
	return outer.lo.x <= inner.lo.x && outer.lo.y <= inner.lo.y && outer.lo.z <= inner.lo.z &&
	       inner.hi.x <= outer.hi.x && inner.hi.y <= outer.hi.y && inner.hi.z <= outer.hi.z;
}

/* Of a box within one chunk: is it the whole chunk? */
static inline bool Piece_IsChunk(CellBox piece)
{
	return piece.hi.x - piece.lo.x + piece.hi.y - piece.lo.y + piece.hi.z - piece.lo.z == 3 * (CHUNK_SIZE - 1);
}

double CellBox_Volume(CellBox box); /* cells; exact up to 2^53 */

/* ---- chunks (store.c) --------------------------------------------------------------------------------------- */

/* Index in the grid, or -1 outside it. Differences wrap, so that far coordinates fall outside too. */
static inline int64_t ChunkGrid_Index(const ChunkGrid *grid, Cell chunk)
{
	uint32_t x = (uint32_t)chunk.x - (uint32_t)grid->lo.x, y = (uint32_t)chunk.y - (uint32_t)grid->lo.y;
	uint32_t z = (uint32_t)chunk.z - (uint32_t)grid->lo.z;
	if (x >= (uint32_t)grid->nx || y >= (uint32_t)grid->ny || z >= (uint32_t)grid->nz)
		return -1;
	return (int64_t)x + (int64_t)grid->nx * ((int64_t)z + (int64_t)grid->nz * y);
}

/* Slot of the chunk, or -1. */
static inline int Store_FindChunk(const Store *store, Cell chunk)
{
	int64_t i = ChunkGrid_Index(&store->grid, chunk);
	if (i >= 0)
		return store->grid.slots[i];
	return CellBox_Contains(store->known, (CellBox){chunk, chunk})
	           ? CoordMap_Find(&store->map, chunk.x, chunk.y, chunk.z)
	           : -1;
}

/* The chunk, or one of dry air. */
const Chunk *Store_ChunkOrAir(const Store *store, Cell chunk);
bool Chunk_IsEmpty(const Chunk *chunk);
/* An all-air chunk in pool and map, with room for it in the order but not in it yet. -1: no memory. */
int Store_NewChunk(Store *store, Cell chunk);
/* Takes a chunk that is not in the order out of map and pool. */
void Store_DropChunk(Store *store, int slot);
/* Adds slots (sorted as the order is). Room was made by Store_NewChunk. */
void Store_MergeOrder(Store *store, const int32_t *slots, int count);
/* Drops all those of the chunks that have become empty. */
void Store_DropEmpty(Store *store, const int32_t *slots, int count);

/* Bytes of the three channels made to obey the rules of voxel.h; and do the 32 of a row obey them? */
void Cells_Normalise(uint8_t *material, uint8_t *occupancy, uint8_t *water, int n);
bool Row_IsNormal(const uint8_t *material, const uint8_t *occupancy, const uint8_t *water);

/* A box that an edit may write: not inverted, within the limits. */
int CellBox_Check(CellBox box, Error *error);

/* ---- the grid (chunk_grid.c) --------------------------------------------------------------------------------- */

/* After the chunk entered the map. Makes or enlarges the grid when that is worth its memory. */
void ChunkGrid_Add(Store *store, Cell chunk, int slot);
void ChunkGrid_Remove(Store *store, Cell chunk);
void ChunkGrid_Free(Store *store);

/* ---- walking (store_read.c) --------------------------------------------------------------------------------- */

/* Chunks that a box overlaps, in the order (y, z, x): all of them, or only those that exist. */
typedef struct ChunkWalk {
	const Store *store;
	CellBox box;
	bool by_order; /* along store->order */
	bool existing;
	bool done;
	int next;
	Cell lo, hi, at;
	Cell chunk;    /* the current one */
	int slot;      /* -1 when it does not exist */
	CellBox piece; /* its cells within the box */
} ChunkWalk;

double ChunkWalk_Count(CellBox box); /* chunks that the box overlaps */
void ChunkWalk_Begin(ChunkWalk *walk, const Store *store, CellBox box, bool existing);
bool ChunkWalk_Next(ChunkWalk *walk);

/* ---- blocks (mip.c) ----------------------------------------------------------------------------------------- */

uint64_t Chunk_FindBlocks(const Chunk *chunk);   /* from the channels */
void Chunk_UpdateBlock(Chunk *chunk, Cell cell); /* looks at the block of the cell again */
uint64_t Piece_Blocks(CellBox piece);            /* the blocks that a box within one chunk touches */

/* ---- journal (journal.c) ------------------------------------------------------------------------------------ */

#define JOURNAL_APART 8 /* boxes that one edit adds at most */

bool Journal_Reserve(Store *store, int count); /* so that the next `count` Adds cannot fail */
void Journal_Add(Store *store, CellBox box);

/* ---- what an edit changed (diff.c) ----------------------------------------------------------------------------- */

/* Adds up over chunks. Two forms, plain and AVX2, that count the same. */
typedef struct Diff {
	Tally *tally;
	int64_t solid;    /* cells that became solid, less those that ceased to be */
	CellBox box;      /* of the chunk's cells that differ */
	uint32_t x, y, z; /* while it is looked at: bits of their places in it */
	bool simd;
} Diff;

/* was: the chunk's channels before. */
void Diff_Chunk(Diff *diff, const ChannelData *was, const Chunk *chunk);

/* ---- transactions (batch.c) --------------------------------------------------------------------------------- */

/* New contents of chunks are staged, then applied together, in one or more rounds; Commit or Abort ends it. Until Apply
 * every read sees the old cells. Before Commit nothing is lost: the original channels are kept. */
typedef struct BatchEntry {
	int32_t slot;
	unsigned replaced; /* bit c: `original[c]` is no longer the chunk's */
	uint64_t blocks;
	ChannelData original[CHANNEL_COUNT];
} BatchEntry;

typedef struct Staged {
	int32_t slot;
	unsigned mask; /* bit c: fresh[c] replaces the channel */
	ChannelData fresh[CHANNEL_COUNT];
} Staged;

/* One chunk's rows while they are being made. */
typedef struct EditScratch {
	RowBytes rows[CHANNEL_COUNT][CHUNK_ROWS];
	uint64_t touched[CHANNEL_COUNT][ROW_WORDS];
	RowList lists[CHANNEL_COUNT];
	Tally tally;
} EditScratch;

typedef struct Batch {
	Store *store;
	EditScratch *scratch;
	ARRAY(BatchEntry) entries;
	ARRAY(Staged) staged;
	ARRAY(int32_t) created; /* in the order of the walk */
	bool apart;             /* changes far from each other are told apart in the journal */
} Batch;

bool Batch_Begin(Batch *batch, Store *store);
/* Takes over the channels of `mask` in fresh, also on failure. */
bool Batch_Stage(Batch *batch, Cell chunk, unsigned mask, ChannelData fresh[CHANNEL_COUNT]);
/* Stages the rows of batch->scratch that are marked as touched; old: the chunk's channels. */
bool Batch_StageScratch(Batch *batch, Cell chunk, const ChannelData old[CHANNEL_COUNT]);
/* Stages the channels of `mask` as batch->scratch->lists say. */
bool Batch_StageLists(Batch *batch, Cell chunk, unsigned mask);
bool Batch_Apply(Batch *batch);
/* For those who did not stage along a walk. False: no memory. */
bool Batch_SortCreated(Batch *batch);
/* Tallies, journals and frees what was there. False (no memory): everything was undone. */
bool Batch_Commit(Batch *batch, Tally *tally);
void Batch_Abort(Batch *batch);
/* The chunk's channels as they were before the transaction. */
const ChannelData *Batch_Original(const Batch *batch, const Chunk *chunk);

/* ---- undo (undo.c) ------------------------------------------------------------------------------------------ */

/* Before an edit becomes final: keeps what it changes. False: no memory, and the edit must not happen. */
bool Undo_KeepBatch(const Batch *batch);
bool Undo_KeepChunk(Store *store, Cell chunk); /* of a single cell that is about to change */

/* ---- marks (mark.c) ----------------------------------------------------------------------------------------- */

bool Mark_KeepBatch(const Batch *batch); /* as for undo */
bool Mark_KeepChunk(Store *store, Cell chunk);

/* ---- the edit engine (store_edit.c) ------------------------------------------------------------------------- */

/* What becomes of a whole chunk: bit c of mask says that channel c becomes value[c] everywhere. */
typedef struct WholeChunk {
	unsigned mask;
	uint8_t value[CHANNEL_COUNT];
} WholeChunk;

typedef enum ChunkAnswer { CHUNK_BY_ROWS, CHUNK_UNCHANGED, CHUNK_WHOLE } ChunkAnswer;

/* Asked before the rows of a chunk; piece: the cells of it that the edit may change. CHUNK_WHOLE only if piece is the
 * whole chunk, with values that obey the rules of voxel.h. */
typedef ChunkAnswer EditChunkFn(void *context, const Chunk *chunk, CellBox piece, WholeChunk *whole);

typedef struct EditPlan {
	CellBox box;
	bool existing;      /* air stays air, so chunks that do not exist need no look */
	EditChunkFn *chunk; /* may be NULL */
	EditRowFn *row;
	void *context;
} EditPlan;

/* The bytes that a fill brings to n cells of one chunk's row. */
typedef void FillBytesFn(void *context, int32_t x, int32_t y, int32_t z, int n, uint8_t *bytes);

/* The distance in cells, positive inside, that a cell's byte was made of; FILL_HARD of either sign at a hard face. */
typedef double FillDistanceFn(void *context, int32_t x, int32_t y, int32_t z);
#define FILL_HARD 1e9

/* After a fill: fringes at hard faces are mended (fringe.c; not without `bytes`), then the box's invisible cells go
 * (cleanup.c). */
typedef struct CleanPlan {
	CellBox box;
	bool dig;
	bool creates;       /* digs, but may make chunks, too */
	bool hard;          /* the fill has hard faces */
	const bool *blocky; /* by material */
	FillBytesFn *bytes;
	FillDistanceFn *distance; /* may be NULL: mending is to the byte then */
	void *context;
} CleanPlan;

int Store_RunPlan(Store *store, const EditPlan *plan, const CleanPlan *clean, Tally *tally, Error *error);
bool Batch_Clean(Batch *batch, const CleanPlan *clean); /* stages; false: no memory */

#endif
