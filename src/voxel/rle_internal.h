/* Chunks to bytes and back, private to the room: what files, undo and snapshots keep of cells.
 *
 * A pack holds up to PACK_CHUNKS chunks and can be read by itself. In it, every chunk is foretold cell by cell from the
 * cells before it. Where the forecast is certain, only the lengths of the runs of hits are kept; elsewhere the
 * difference goes into one of many byte streams, chosen by how far the forecast is to be trusted, so that each stream
 * is of one kind; zstd then makes each of them small. The order of cells is columns, from the top down.
 *
 * One traversal serves both ways: in the coder's reading mode each step returns what its twin in writing mode was
 * given. Whole numbers only, so that the bytes are the same on every machine. Reading never trusts what it reads: a
 * fault ends in `failed`, not in a wrong access.
 */
#ifndef SCREE_VOXEL_RLE_INTERNAL_H
#define SCREE_VOXEL_RLE_INTERNAL_H

#include "voxel/store_internal.h"

#define PACK_CHUNKS 256
#define PACK_RAW_WISH ((size_t)1 << 20)  /* a pack that has reached it is full */
#define PACK_RAW_LIMIT ((size_t)8 << 20) /* more is taken for damage */

/* How full a cell is: 0 air, else the stored occupancy + 1. */
#define SHAPE_FULL 256
#define SHAPE_CLASSES 32
#define MATERIAL_CLASSES 34

typedef enum RleStreamName {
	STREAM_PLACE,        /* chunk coordinates */
	STREAM_KIND,         /* which channels of a chunk are one value, and the values */
	STREAM_SHAPE_RUN,    /* hits between misses where the shape is certain */
	STREAM_SHAPE_MISS,   /* the shapes of those misses */
	STREAM_SHAPE_EXTRA,  /* second byte of differences of 255 and more */
	STREAM_MATERIAL_RUN, /* the same for materials */
	STREAM_MATERIAL_MISS,
	STREAM_WATER_RUN,
	STREAM_WATER_MISS,
	STREAM_SHAPE,                                   /* differences, a stream for each class */
	STREAM_MATERIAL = STREAM_SHAPE + SHAPE_CLASSES, /* which neighbour has the material, a stream for each class */
	STREAM_COUNT = STREAM_MATERIAL + MATERIAL_CLASSES
} RleStreamName;

typedef struct RleStream {
	uint8_t *data;
	size_t size, capacity, at;
} RleStream;

/* Cells that are as foretold, between two that are not. */
typedef struct RleRun {
	uint32_t count; /* writing: hits so far; reading: hits to come */
	bool open;      /* reading: count is known */
} RleRun;

/* A chunk by columns; y counts from the top. */
typedef struct RleCells {
	int16_t shape[CHUNK_SIZE][CHUNK_SIZE][CHUNK_SIZE];    /* [z][x][y] */
	int16_t reach[CHUNK_SIZE][CHUNK_SIZE][CHUNK_SIZE];    /* shape, carried on beyond empty and full */
	uint32_t air[CHUNK_SIZE][CHUNK_SIZE];                 /* bit y */
	uint32_t full[CHUNK_SIZE][CHUNK_SIZE];                /* bit y */
	uint8_t material[CHUNK_SIZE][CHUNK_SIZE][CHUNK_SIZE]; /* 0 where air */
	uint8_t only[CHUNK_SIZE][CHUNK_SIZE];                 /* the one material of a column; see rle_material.c */
	uint8_t water[CHUNK_SIZE][CHUNK_SIZE][CHUNK_SIZE];
} RleCells;

typedef struct Rle {
	Memory *memory;
	bool reading;
	bool failed; /* writing: no memory; reading: damaged */
	RleStream streams[STREAM_COUNT];
	RleRun shape_run, material_run, water_run;
	Cell last; /* the chunk before */
	int chunks;
	size_t raw;      /* bytes in all streams */
	RleCells *cells; /* of the chunk at work */
	void *zstd;      /* ZSTD_CCtx or ZSTD_DCtx */
} Rle;

typedef struct ByteList {
	uint8_t *data;
	int count, capacity;
} ByteList;

/* A chunk as it is read: channels that are one value everywhere have no rows. */
typedef struct RleChunk {
	Cell at;
	bool uniform[CHANNEL_COUNT];
	uint8_t value[CHANNEL_COUNT];
	RowBytes (*rows)[CHUNK_ROWS]; /* [channel][row]; all rows of channels that are not uniform */
} RleChunk;

/* ---- packs (rle.c) ------------------------------------------------------------------------------------------- */

bool Rle_Begin(Rle *rle, Memory *memory, bool reading); /* false: no memory */
void Rle_End(Rle *rle);
void Rle_Reset(Rle *rle);                                                     /* forgets what was added */
bool Rle_Add(Rle *rle, Cell chunk, const ChannelData channel[CHANNEL_COUNT]); /* false: no memory, the pack is lost */
bool Rle_IsFull(const Rle *rle);
/* Appends the pack to `out` and begins a new one. level: of zstd, 1..19. False: no memory. */
bool Rle_Finish(Rle *rle, int level, ByteList *out);

/* Begins to read a pack of `size` bytes; all streams are unpacked. ErrorCode: ERROR_FILE is damage. */
int Rle_Open(Rle *rle, const uint8_t *data, size_t size, int *chunks);
/* The next chunk. rows: where the cells go, see RleChunk. False: damage. */
bool Rle_Next(Rle *rle, RowBytes (*rows)[CHUNK_ROWS], RleChunk *chunk);
/* After the last chunk: was everything read? */
bool Rle_AtEnd(Rle *rle);

/* ---- streams (rle.c) ----------------------------------------------------------------------------------------- */

bool Rle_Grow(Rle *rle, RleStream *stream); /* false: no memory */

/* Writing: appends value. Reading: returns the next. */
static inline uint8_t Rle_Byte(Rle *rle, int name, uint8_t value)
{
	RleStream *stream = &rle->streams[name];
	if (rle->reading) {
		if (stream->at < stream->size)
			return stream->data[stream->at++];
		rle->failed = true;
		return 0;
	}
	if (stream->size < stream->capacity || Rle_Grow(rle, stream)) {
		stream->data[stream->size++] = value;
		rle->raw++;
	}
	return value;
}

uint32_t Rle_Number(Rle *rle, int name, uint32_t value); /* seven bits a byte, low ones first */
/* Of n cells the first `hits` are as foretold (known when writing); returns how many. When fewer than n, the next one
 * is a miss, whose value the caller passes on. */
int Rle_Run(Rle *rle, RleRun *run, int name, int hits, int n);

/* ---- channels of one chunk ----------------------------------------------------------------------------------- */

void Rle_Shape(Rle *rle);    /* rle_shape.c */
void Rle_Material(Rle *rle); /* rle_material.c */
void Rle_Water(Rle *rle);    /* rle_material.c */

/* ---- into the store (load_stage.c) --------------------------------------------------------------------------- */

/* Stages the chunk as it is to become. False: no memory. */
bool Batch_StageChunk(Batch *batch, const RleChunk *chunk);
/* The first broken rule of voxel.h in a chunk that was read, or NULL. */
const char *RleChunk_Fault(const RleChunk *chunk);

#endif
