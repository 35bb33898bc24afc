/* Inside the room: labels of chunks, the search, the runs of cells that were found. */
#ifndef SCREE_PIECES_INTERNAL_H
#define SCREE_PIECES_INTERNAL_H

#include "pieces/pieces.h"

#define CHUNK_ROWS (CHUNK_SIZE * CHUNK_SIZE)
#define CHUNK_RUNS (CHUNK_ROWS * CHUNK_SIZE / 2) /* at most: every second cell */
#define NONE (-1)

/* ---- labels of one chunk (label.c) ------------------------------------------------------------------------------- */

/* Inside cells first..last of a row, of component `label` of the chunk. */
typedef struct LabelRun {
	uint8_t first, last;
	uint16_t label;
} LabelRun;

/* Components of inside cells joined over faces within a chunk, numbered in the order of their first cells (y, z, x). */
typedef struct ChunkLabels {
	Cell chunk;
	int node;            /* of component 0; the others follow */
	int count;           /* components */
	int run_count;       /* in `runs` */
	LabelRun *runs;      /* by row: row z + 32 * y has runs [row_first[row], row_first[row + 1]) */
	uint16_t *row_first; /* CHUNK_ROWS + 1 */
	uint32_t *fringe;    /* by row: bits of solid cells that are not inside; NULL: there are none */
	size_t bytes;        /* of all these, one block */
	uint8_t linked;      /* bit f: edges to the neighbour over face f are made */
} ChunkLabels;

/* A row's runs. */
static inline const LabelRun *Labels_Row(const ChunkLabels *labels, int row, int *count)
{
	*count = labels->row_first[row + 1] - labels->row_first[row];
	return labels->runs + labels->row_first[row];
}

/* The component of a cell of the chunk (x, z + 32 * y), or NONE. */
int Labels_At(const ChunkLabels *labels, int x, int row);

typedef struct LabelScratch {
	const uint8_t *materials[CHUNK_ROWS], *values[CHUNK_ROWS]; /* the rows of a chunk */
	uint32_t inside[CHUNK_ROWS], weak[CHUNK_ROWS], peaks[CHUNK_ROWS];
	uint32_t own[CHUNK_ROWS], other[CHUNK_ROWS]; /* of one piece, and of what is none of it */
	LabelRun runs[CHUNK_RUNS];
	uint16_t row_first[CHUNK_ROWS + 1];
	uint16_t parent[CHUNK_RUNS];
	uint16_t number[CHUNK_RUNS]; /* of roots */
	int run_count;
} LabelScratch;

/* Fills chunk, count, runs; one block of memory. False: no memory. */
bool Labels_Make(const Store *store, Cell chunk, LabelScratch *scratch, Memory *memory, ChunkLabels *labels);
void Labels_Free(ChunkLabels *labels, Memory *memory);

/* The 26 ways to a cell's neighbours: over faces, edges, corners; of equals the lower first. */
extern const int8_t neighbour_ways[26][3];
/* The greatest of the 26 neighbours' stored bytes, the first of several; false: none is greater than the cell's own. */
bool Cell_Greatest(const Store *store, Cell cell, int own, Cell *greatest, int *value);

/* ---- the search (loose.c) -------------------------------------------------------------------------------------- */

typedef struct Node {
	int chunk, edge; /* in `chunks`; head in `edges` */
	int search;      /* that has visited it, or NONE */
	int32_t low;     /* y of its lowest cell, in the world */
	uint8_t faces;   /* bit f: has cells at the chunk's face f: -x +x -y +y -z +z */
	bool held;       /* by an anchor, itself */
} Node;

typedef struct NodeEdge {
	int to, next;
} NodeEdge;

typedef enum SearchEnd { SEARCH_OPEN, SEARCH_HELD, SEARCH_LOOSE } SearchEnd;

typedef struct HeapItem {
	int32_t key;
	int node;
} HeapItem;

typedef struct LooseRun {
	int32_t x, y, z; /* in the world */
	uint16_t n;
	uint8_t material, occupancy;
	int piece;
} LooseRun;

typedef struct Finder {
	const Store *store;
	Memory *memory;
	const Anchors *anchors;
	CoordMap map; /* chunk -> place in chunks */
	ARRAY(ChunkLabels) chunks;
	ARRAY(Node) nodes;
	ARRAY(NodeEdge) edges;
	ARRAY(HeapItem) heap;
	ARRAY(uint8_t) searches; /* SearchEnd */
	ARRAY(int) search_box;   /* by search: the box that it began with */
	ARRAY(int) piece_of;     /* by search: the piece, or NONE */
	LabelScratch *scratch;
	int64_t visited;
} Finder;

/* Place of the chunk's labels, made when they are missing; NONE: no memory. */
int Finder_Chunk(Finder *finder, Cell chunk);

/* ---- cells (cells.c) --------------------------------------------------------------------------------------------- */

/* Makes the pieces of all loose searches. False: no memory; the set is to be freed. */
bool Finder_TakeCells(Finder *finder, const MaterialTable *materials, LooseSet *set);

/* A piece without cells, with room for runs. */
Piece *Piece_Create(Memory *memory, int runs);
/* Box and count from the runs. */
void Piece_Measure(Piece *piece);

/* Order of chunks: y, z, x. */
static inline int Chunk_Order(Cell a, Cell b)
{
	if (a.y != b.y)
		return a.y < b.y ? -1 : 1;
	if (a.z != b.z)
		return a.z < b.z ? -1 : 1;
	return a.x < b.x ? -1 : a.x > b.x;
}

#endif
