/* A mesh laid into cells, private to the room: where it is crossed, and how far cells are from it. */
#ifndef SCREE_VOXEL_VOXELISE_INTERNAL_H
#define SCREE_VOXEL_VOXELISE_INTERNAL_H

#include "voxel/fill_internal.h"

/* Signs are found in whole numbers of 1/4096 cell from the corner of the mesh's box. Within this span the products of
 * two differences stay below 2^62. */
#define LATTICE 4096
#define MESH_SPAN (1 << 18) /* cells along an axis */

/* The mesh's vertices on the lattice. */
typedef struct MeshLattice {
	Cell lo;         /* first cell of the box */
	int32_t size[3]; /* cells */
	int32_t *at;     /* 3 a vertex, in 1/4096 cell from the corner of `lo` */
} MeshLattice;

/* ---- crossings (voxelise_sign.c) --------------------------------------------------------------------------------- */

/* Where the lines through the cells' centres along one axis pass through the mesh. A key holds the line, the first cell
 * beyond the crossing, and whether the line goes in (1) or out (0) there; they are sorted. sums[i]: what keys[0..i]
 * add to the winding number. */
typedef struct Crossings {
	int axis, u, v; /* u, v: the axes across it; a line is numbered p[u] + size[u] * p[v] */
	uint64_t *keys;
	int32_t *sums;
	int64_t count, room;
} Crossings;

/* At most so many crossings, and so many lines looked at for them. */
#define CROSSING_LIMIT ((int64_t)1 << 26)
#define LINE_LIMIT ((int64_t)1 << 31)

int Crossings_Find(Crossings *crossings, Memory *memory, const MeshLattice *lattice, const MeshFill *fill, int axis,
                   Progress *progress, Error *error);
void Crossings_Free(Crossings *crossings, Memory *memory);

/* A block of SIGN_SIZE^3 cells with a margin of one around a chunk. */
#define SIGN_SIZE (CHUNK_SIZE + 2)

/* votes[x + SIGN_SIZE * (z + SIGN_SIZE * y)] += for how many of the two directions along the axis the cell is inside,
 * for the block whose first cell is `from`. */
void Crossings_Vote(const Crossings *crossings, const MeshLattice *lattice, Cell from, bool parity, uint8_t *votes);

/* Sorts; keys are in one of the two blocks at first, and in that which is returned then. */
uint64_t *Keys_Sort(uint64_t *keys, uint64_t *other, int64_t count);

/* Is the cell inside? By the one line through it. */
bool Crossings_Inside(const Crossings *crossings, const MeshLattice *lattice, Cell cell, bool parity);

/* ---- distances (voxelise_distance.c) ----------------------------------------------------------------------------- */

/* Which triangles come near which chunks. */
typedef struct ChunkTriangles {
	Cell lo;         /* first chunk */
	int32_t size[3]; /* chunks */
	int64_t *start;  /* per chunk and one more, index x + size x * (z + size z * y) */
	uint32_t *triangles;
	int64_t chunks, count;
} ChunkTriangles;

#define NEAR_LIMIT ((int64_t)1 << 26) /* pairs of a chunk and a triangle near it */
#define ROW_LIMIT 4e9                 /* rows of cells to be measured: some minutes */

int ChunkTriangles_Find(ChunkTriangles *near, Memory *memory, const MeshFill *fill, CellBox box, double band,
                        Error *error);
void ChunkTriangles_Free(ChunkTriangles *near, Memory *memory);
static inline int64_t ChunkTriangles_Index(const ChunkTriangles *near, Cell chunk)
{
	return chunk.x - near->lo.x +
	       (int64_t)near->size[0] * (chunk.z - near->lo.z + (int64_t)near->size[2] * (chunk.y - near->lo.y));
}

static inline bool ChunkTriangles_Holds(const ChunkTriangles *near, Cell chunk)
{
	return chunk.x >= near->lo.x && chunk.x - near->lo.x < near->size[0] && chunk.y >= near->lo.y &&
	       chunk.y - near->lo.y < near->size[1] && chunk.z >= near->lo.z && chunk.z - near->lo.z < near->size[2];
}

/* squared[x + SIGN_SIZE * (z + SIGN_SIZE * y)], of the chunk with a margin of one: least squared distance from a cell's
 * centre to those of the chunk's triangles that are nearer than `band`; DBL_MAX where none is. Triangles for which
 * `passed` (a byte each, or NULL) is set are left out. */
void Distance_Chunk(const ChunkTriangles *near, const MeshFill *fill, Cell chunk, double band, const uint8_t *passed,
                    double *squared);

/* Squared distance from a point to a triangle. */
double Triangle_Distance(const MeshFill *fill, uint32_t index, const double p[3]);

/* ---- materials (voxelise_material.c) ----------------------------------------------------------------------------- */

/* The triangles of a fill with materials of their own. */
typedef struct MaterialTree {
	const MeshFill *fill;
	struct MaterialNode *node;
	uint64_t *order; /* triangles, with the keys that they were sorted by */
	int64_t count;
	double from[3]; /* cells: boxes count from there */
} MaterialTree;

/* lo, hi: of the mesh, cells. */
int MaterialTree_Make(MaterialTree *tree, Memory *memory, const MeshFill *fill, const double lo[3], const double hi[3],
                      Error *error);
void MaterialTree_Free(MaterialTree *tree, Memory *memory);
/* What the cells of a chunk are made of, if they are of the mesh: those whose byte is not 0. corner: its first cell. */
void MaterialTree_Chunk(const MaterialTree *tree, Cell corner, const uint8_t *bytes, uint8_t *materials);

#endif
