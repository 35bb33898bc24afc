/* Inside the carver: blocks of a piece, their surface, convex parts on their way. */
#ifndef SCREE_PIECES_CARVE_INTERNAL_H
#define SCREE_PIECES_CARVE_INTERNAL_H

#include "pieces/pieces_internal.h"

#define BLOCK 8 /* cells a side */
#define BLOCK_CELLS (BLOCK * BLOCK * BLOCK)
#define BLOCK_VERTICES 4096

/* All positions are in PATCH_UNITs from the piece's origin. */

/* A face of the surface. */
typedef struct CarveQuad {
	Cell corner[4];
	int next;      /* of the same block, or NONE */
	uint16_t cell; /* x + 8 * (z + 8 * y) in its block: the cell whose face it is */
} CarveQuad;

typedef struct CarveBlock {
	Cell at; /* cells from 8 * at on */
	uint8_t value[BLOCK_CELLS], material[BLOCK_CELLS];
	uint16_t inside[BLOCK + 2][BLOCK + 2]; /* [y + 1][z + 1], bit x + 1, each -1..8 */
	int quad;                              /* head of its faces, or NONE */
	bool solid;                            /* all cells are 128 or more */
} CarveBlock;

/* Cells of a block: bit x + 8 * z of word y. */
typedef struct CellSet {
	uint64_t y[BLOCK];
} CellSet;

/* What the parts' hulls are held to, points of the surface: a list of runs of `samples`. */
typedef struct SampleRun {
	int first, count, next;
} SampleRun;

typedef struct CarvePart {
	int corner, corner_count; /* in `corners` */
	int sample, last_sample;  /* head and tail in `sample_runs`, or NONE */
	CellSet cells;            /* while it is of one block */
	int next;                 /* part of the same node, or NONE */
} CarvePart;

/* Blocks that were looked at together: their parts are one convex part, or several. */
typedef struct CarveNode {
	Cell at;
	int part, count; /* head; how many */
} CarveNode;

struct Carver {
	Memory *memory;
	TerrainPatch *patch;
	LatticeHull *hull;
	CoordMap map; /* block or node -> place */
	ARRAY(CarveBlock) blocks;
	ARRAY(CarveQuad) quads;
	ARRAY(CarvePart) parts;
	ARRAY(Cell) corners, samples, points;
	ARRAY(SampleRun) sample_runs;
	ARRAY(CarveNode) nodes, coarser;
	/* of the block that is being split: */
	const CarveBlock *block;
	int vertex_count, quad_count;
	Cell vertices[BLOCK_VERTICES];
	uint16_t quad_cell[6 * BLOCK_CELLS], quad_corner[6 * BLOCK_CELLS][4];
	uint8_t used[BLOCK_VERTICES];
	int16_t table[2 * BLOCK_VERTICES]; /* positions to vertices; -1: empty */
};

/* Splits a block into parts (split.c), which become a node. False: no memory. */
bool Carver_SplitBlock(Carver *carver, const CarveBlock *block);
/* Joins parts where the outcome is convex enough (merge.c). False: no memory. */
bool Carver_Merge(Carver *carver);
/* Makes one part of two (the first of them), if it is convex enough: 1 or 0; ERROR_MEMORY. */
int Carver_TryJoin(Carver *carver, int a, int b);
/* Adds a part of the carver's hull as it stands, without samples. NONE: no memory. */
int Carver_AddPart(Carver *carver);
bool Carver_AddSample(Carver *carver, int part, Cell at); /* samples of one part are added one after another */
/* Are the part's samples within the tolerances of the carver's hull? */
bool Carver_Fits(const Carver *carver, int part);

#endif
