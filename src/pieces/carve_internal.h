/* Inside the carver: blocks of a piece, their surface, convex parts on their way. */
#ifndef SCREE_PIECES_CARVE_INTERNAL_H
#define SCREE_PIECES_CARVE_INTERNAL_H

#include "pieces/pieces_internal.h"

#define BLOCK 8 /* cells a side */
#define BLOCK_CELLS (BLOCK * BLOCK * BLOCK)
#define SPLIT_SLACK 0.03 /* cells that a point of the surface may lie outside of its block's part */
#define BLOCK_VERTICES 4096
#define FACE_LIMIT (6 * BLOCK_CELLS)

/* All positions are in PATCH_UNITs from the piece's origin, of cells as the carver takes them. */

/* A face of the surface. */
typedef struct CarveQuad {
	Cell corner[4];
	int next;     /* of the same block, or NONE */
	int16_t cell; /* x + 8 * (z + 8 * y) in its block: the cell whose face it is; NONE: of another block */
	int16_t air;  /* the cell on the other side, likewise */
} CarveQuad;

/* Cells of a block: bit x + 8 * z of word y. */
typedef struct CellSet {
	uint64_t y[BLOCK];
} CellSet;

typedef struct CarveBlock {
	Cell at; /* cells from base + 8 * at on */
	uint8_t value[BLOCK_CELLS], material[BLOCK_CELLS];
	CellSet cells;                         /* of 128 or more */
	uint16_t inside[BLOCK + 2][BLOCK + 2]; /* [y + 1][z + 1], bit x + 1, each -1..8 */
	int quad;                              /* head of the faces that its cells have on either side, or NONE */
	bool solid;                            /* all cells are 128 or more */
} CarveBlock;

/* What the parts' hulls are held to: a list of runs of `samples`. Points of the surface of the part's cells, or of
 * other cells' where it faces the same air, which are not to be deep within the hull; and corners of the hulls of
 * blocks, which are not to be outside: from these the surface is SPLIT_SLACK off. */
typedef enum SampleKind {
	SAMPLE_VERTEX,
	SAMPLE_MIDDLE,
	SAMPLE_AIR_VERTEX,
	SAMPLE_AIR_MIDDLE,
	SAMPLE_CORNER,
	SAMPLE_KINDS
} SampleKind;

typedef struct SampleRun {
	int first, count, next;
	SampleKind kind;
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

/* While cells are taken together: of each that comes of it the occupancy, in 1/256 of a piece's cell, and the most of
 * it that was added at once. */
typedef struct CarveSums {
	uint32_t sum[BLOCK_CELLS], most[BLOCK_CELLS];
} CarveSums;

struct Carver {
	Memory *memory;
	uint16_t blockiness[MATERIAL_LIMIT];
	int shift;                 /* 2^shift cells of the piece on each axis are one here */
	int open_blocks;           /* that are not solid */
	int last_block;            /* that was looked up */
	double over[SAMPLE_KINDS]; /* how deep such a point may lie in a hull, PATCH_UNITs */
	TerrainPatch *patch;
	LatticeHull *hull;
	Cell base;    /* the piece's lowest cell on each axis, where the first block begins */
	CoordMap map; /* block or node -> place */
	ARRAY(CarveBlock) blocks;
	ARRAY(CarveSums) sums; /* by block */
	ARRAY(CarveQuad) quads;
	ARRAY(CarvePart) parts;
	ARRAY(Cell) corners, samples, points;
	ARRAY(SampleRun) sample_runs;
	ARRAY(CarveNode) nodes, coarser;
	/* of the block that is being split: */
	const CarveBlock *block;
	int vertex_count, quad_count, air_count;
	Cell vertices[BLOCK_VERTICES], quad_middle[FACE_LIMIT];
	int16_t air_quads[FACE_LIMIT]; /* whose air is in the block */
	int16_t quad_cell[FACE_LIMIT], quad_air[FACE_LIMIT];
	uint16_t quad_corner[FACE_LIMIT][4];
	uint8_t used[BLOCK_VERTICES], asked[BLOCK_VERTICES];
	int16_t table[2 * BLOCK_VERTICES]; /* positions to vertices; -1: empty */
	/* Bit b of row a: these parts of the block cannot be joined, nor whatever they become part of. Symmetric. */
	uint64_t apart[BLOCK_CELLS][BLOCK_CELLS / 64];
};

/* The cells of a piece, 2^shift on each axis taken together, in blocks (gather.c). False: no memory. */
bool Carver_Gather(Carver *carver, const Piece *piece, int shift);
/* May more of its cells be taken together than are now? */
bool Carver_MayCoarsen(const Carver *carver, const Piece *piece);
/* Of a block that exists or is made now, empty. NONE: no memory. */
int Carver_BlockAt(Carver *carver, Cell at);
/* Splits a block into parts (split.c), which become a node. False: no memory. */
bool Carver_SplitBlock(Carver *carver, const CarveBlock *block);
/* Joins parts where the outcome is convex enough (merge.c). False: no memory. */
bool Carver_Merge(Carver *carver);
/* Makes one part of two (the first of them), if it is convex enough, and `fits` (may be NULL) says so of the carver's
 * hull: 1 or 0; ERROR_MEMORY. */
typedef bool CarveFitsFn(Carver *carver, const CellSet *set);
int Carver_TryJoin(Carver *carver, int a, int b, CarveFitsFn *fits);
/* Adds a part of the carver's hull as it stands, without samples. NONE: no memory. */
int Carver_AddPart(Carver *carver);
/* Samples of one part are added one after another, those of a kind together. */
bool Carver_AddSample(Carver *carver, int part, Cell at, SampleKind kind);
/* Are the part's samples within the tolerances of the carver's hull? */
bool Carver_Fits(const Carver *carver, int part);
/* Likewise where the hull was made of these very points, so that none is outside. */
bool Carver_FitsOwn(const Carver *carver, int part);

#endif
