/* What gather.c and its fast form share. */
#ifndef SCREE_TERRAIN_GATHER_INTERNAL_H
#define SCREE_TERRAIN_GATHER_INTERNAL_H

#include "terrain/terrain_internal.h"

/* Boxes that reach more blocks go by the list of what is there. */
#define NEAR_BLOCKS 512

/* A query at work. */
typedef struct Gathering {
	Terrain *terrain;
	UnitBox units; /* of the plain form */
	Pos origin;
	bool edge_kinds;
	TriangleList *triangles; /* NULL: quads are asked for */
	TerrainQuadList *quads;
} Gathering;

/* Dual cubes lo..hi of the world, cut to those that quads stand on. */
typedef struct CubeBox {
	int32_t lo[3], hi[3];
} CubeBox;

/* Appends the triangles of a block whose collider is there. False: out of memory. */
bool Gather_Triangles(const Gathering *to, Cell block, const Record *record, const KdQuadBox *asked);

#if SCREE_X86

/* A box that reaches few blocks. The fourth numbers mean nothing. */
typedef struct NearBox {
	int32_t cube_lo[4], cube_hi[4];   /* as CubeBox */
	int32_t block_lo[4], block_hi[4]; /* blocks whose quads stand on these */
	int32_t unit_lo[4], unit_hi[4];   /* as UnitBox, in the positions of block block_lo, cut to what is near */
} NearBox;

typedef enum NearAnswer { NEAR_NOTHING, NEAR_FEW, NEAR_MANY } NearAnswer;

NearAnswer NearBox_From(const Terrain *terrain, WorldBox box, NearBox *near);
bool Gather_NearFast(const Gathering *to, const NearBox *near); /* false: out of memory */

#endif
#endif
