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

/* A face of the surface, as the block whose cells own its edge found it: between a cell inside and one that is not. */
typedef struct CarveQuad {
	Cell corner[4];
	int inside_block, air_block; /* places; NONE: there is no such block */
	int16_t inside, air;         /* x + 8 * (z + 8 * y) in their blocks */
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
	int worker, quad, quad_count;          /* the faces that it found: in `quads` of that worker */
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

typedef struct PartList {
	ARRAY(CarvePart) parts;
	ARRAY(Cell) corners, samples;
	ARRAY(SampleRun) sample_runs;
} PartList;

/* Blocks that were looked at together: their parts are one convex part, or several. */
typedef struct CarveNode {
	Cell at;
	int part, count; /* head; how many */
} CarveNode;

/* What a block was split into: where that stands in the list of the worker that did it. */
typedef struct CarveShare {
	int worker, part, corner, sample, run; /* the first ones */
	int parts, corners, samples, runs;     /* how many */
	int head, count;                       /* of the parts that are left */
} CarveShare;

/* Two nodes that may become one. */
typedef struct CarvePair {
	int into; /* in `coarser` */
	CarveNode from;
	int worker, corner, corner_count; /* of the hull around both, in the worker's `joined`; 0: they stay two */
} CarvePair;

/* While cells are taken together: of each that comes of it the occupancy, in 1/256 of a piece's cell, and the most of
 * it that was added at once. */
typedef struct CarveSums {
	uint32_t sum[BLOCK_CELLS];
	uint16_t most[BLOCK_CELLS];
} CarveSums;

/* Faces by a cell of theirs. */
typedef struct FaceLists {
	CellSet cells; /* that have any */
	int16_t head[BLOCK_CELLS], next[FACE_LIMIT];
} FaceLists;

/* What hulls are not to hold of a block, where there is air. */
typedef struct AirPoints {
	int middle_count, vertex_count;
	Cell middle[FACE_LIMIT], vertex[BLOCK_VERTICES];
} AirPoints;

/* Working space of one thread, and what it found. */
typedef struct CarveWorker {
	Memory *memory;
	int number;
	TerrainPatch *patch;
	LatticeHull *hull;
	ARRAY(Cell) points, joined;
	ARRAY(CarveQuad) quads;
	PartList list;
	double over[SAMPLE_KINDS]; /* how deep such a point may lie in a hull, PATCH_UNITs */
	/* of the block that is being split: */
	const CarveBlock *block;
	Cell corner; /* where it begins, PATCH_UNITs */
	int vertex_count, quad_count, foreign_count;
	Cell vertices[BLOCK_VERTICES], quad_middle[FACE_LIMIT];
	uint16_t quad_corner[FACE_LIMIT][4];
	int16_t foreign[FACE_LIMIT];        /* of cells of other blocks */
	FaceLists own_faces, air_faces;     /* by the cell inside, by that of air */
	uint64_t used[BLOCK_VERTICES / 64]; /* the vertices that a set has */
	int16_t table[2 * BLOCK_VERTICES];  /* positions to vertices; -1: empty */
	AirPoints all_air, set_air;
	/* Bit b of row a: these parts of the block cannot be joined, nor whatever they become part of. Symmetric. */
	uint64_t apart[BLOCK_CELLS][BLOCK_CELLS / 64];
} CarveWorker;

struct Carver {
	Memory *memory;
	TaskPool *tasks;       /* NULL: the caller does it all */
	CarveWorker **workers; /* made when they have something to do */
	int worker_count;
	_Atomic bool failed; /* there was no memory */
	_Atomic int stay;    /* parts of blocks that have several: they are not joined with those of others */
	uint16_t blockiness[MATERIAL_LIMIT];
	int shift;       /* 2^shift cells of the piece on each axis are one here */
	int open_blocks; /* that are not solid */
	bool has_cubes;  /* cells of some blockiness */
	int most;        /* parts that it may be, which is known before all are there */
	double over[SAMPLE_KINDS];
	double unit;     /* metres of a PATCH_UNIT */
	Cell base;       /* the piece's lowest cell on each axis, where the first block begins */
	ARRAY(int) grid; /* places of blocks, each from -2 on, by x, z, y; empty: they are in `map` */
	int32_t grid_sides[3];
	CoordMap map, node_map; /* block -> place; node -> place in `coarser` */
	ARRAY(CarveBlock) blocks;
	ARRAY(CarveSums) sums;    /* by block */
	ARRAY(CarveShare) shares; /* likewise */
	PartList list;
	ARRAY(CarveNode) nodes, coarser;
	ARRAY(CarvePair) pairs;
	ARRAY(int) order; /* in which blocks are split; then, of the finished parts */
	PieceParts made;
	Memory *hull_memory; /* what their hulls are made with */
};

/* ---- shared work (share.c) --------------------------------------------------------------------------------------- */

/* Does something with an item (a block, a pair, a part), writing only what belongs to it or to the worker. False: no
 * memory. */
typedef bool CarveItemFn(Carver *carver, CarveWorker *worker, int item);
/* With all items, in any order. False: no memory. */
bool Carver_ForAll(Carver *carver, int count, CarveItemFn *fn);
/* NULL: no memory. */
CarveWorker *Carver_Worker(Carver *carver, int number);
void Carver_FreeWorkers(Carver *carver);

/* ---- steps ------------------------------------------------------------------------------------------------------- */

/* The cells of a piece, 2^shift on each axis taken together, in blocks (gather.c). Where they are taken as they are,
 * only what is inside is told at first, and FillCells does the rest. False: no memory. */
bool Carver_Gather(Carver *carver, const Piece *piece, int shift);
void Carver_FillCells(Carver *carver, const Piece *piece);
/* May more of its cells be taken together than are now? Those of cubes may not. */
bool Carver_MayCoarsen(const Carver *carver, const Piece *piece);
/* Asked for blocks of the piece, those before them on an axis, and those around these. NONE: there is none. */
int Carver_FindBlock(const Carver *carver, Cell at);
/* Of a block that exists or is made now, empty. NONE: no memory. */
int Carver_BlockAt(Carver *carver, Cell at);
/* Where a block begins, in PATCH_UNITs. */
static inline Cell Carver_Corner(const Carver *c, const CarveBlock *block)
{
	return (Cell){(c->base.x + BLOCK * block->at.x) * PATCH_UNIT, (c->base.y + BLOCK * block->at.y) * PATCH_UNIT,
	              (c->base.z + BLOCK * block->at.z) * PATCH_UNIT};
}
/* The faces of all blocks (skin.c). False: no memory. */
bool Carver_Mesh(Carver *carver);
/* Splits a block into parts (split.c), which are the worker's. False: no memory. */
bool Worker_SplitBlock(Carver *carver, CarveWorker *worker, int block, CarveShare *share);
/* Joins parts where the outcome is convex enough (merge.c). False: no memory. */
bool Carver_Merge(Carver *carver);

/* ---- parts (parts.c) --------------------------------------------------------------------------------------------- */

void PartList_Clear(PartList *list);
void PartList_Free(PartList *list, Memory *memory);
/* Adds a part of a hull as it stands, without samples. NONE: no memory. */
int PartList_AddPart(PartList *list, Memory *memory, const LatticeHull *hull);
/* Samples of one part are added one after another, those of a kind together. */
bool PartList_AddSample(PartList *list, Memory *memory, int part, Cell at, SampleKind kind);
/* Makes one part of two (the first of them), of which the last `count` corners are the list's last. */
void PartList_Join(PartList *list, int a, int b, int count);
/* All of a share goes from one list to another, of which the node is. False: no memory. */
bool PartList_Move(PartList *list, Memory *memory, const PartList *from, const CarveShare *share, CarveNode *node);
/* Are the part's samples within the tolerances of the worker's hull, which was made of these very points, so that none
 * is outside? */
bool Worker_FitsOwn(const CarveWorker *worker, const PartList *list, int part);
/* Is there a hull around both parts that fits them, and `fits` (may be NULL) says so, too? Then it is the worker's: 1;
 * or 0; ERROR_MEMORY. */
typedef bool CarveFitsFn(CarveWorker *worker);
int Worker_TryJoin(CarveWorker *worker, const PartList *list, int a, int b, CarveFitsFn *fits);

#endif
