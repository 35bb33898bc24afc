/* What the files of the fast form of rays share (ray_fast.c, ray_fast_quads.c). */
#ifndef SCREE_TERRAIN_RAY_FAST_INTERNAL_H
#define SCREE_TERRAIN_RAY_FAST_INTERNAL_H

#include "terrain/cast_internal.h"

#if SCREE_X86

#include <immintrin.h>

#define CELL (1.0 / SURFACE_UNIT)
#define BOX_SLACK 0.001f /* cells */

typedef struct FastRay {
	Cast *cast;
	const Terrain *terrain;
	__m256d origin, dir; /* cells; the fourth is 0 */
	__m128i frame;       /* block */
	/* layers: across k, rows and columns in them */
	int k;
	bool up;
	__m128i turn;     /* x, y, z to k, row, column */
	__m256 along;     /* dir[k]: 1 or -1 */
	__m256 near_edge; /* from k to cells from a block's nearest plane: 0 or 8, then k times `along` is added */
	__m256 slope_row, slope_column, inverse_row, inverse_column;
	__m256i layer; /* in the order in which the ray meets them, as parts of the number of a cube */
	__m128i row_shift, column_shift;
	/* the float test: corner -> plane across the ray's axis, turned so that fronts wind positively */
	__m256 to_u[3], to_v[3];
	float sign;
	bool filter; /* these are set */
} FastRay;

/* A block whose quads are looked at. */
typedef struct FastOwner {
	const Collider *collider; /* NULL: none; then what follows is not set */
	const uint16_t *positions;
	const uint8_t *corners;
	Cell block;
	__m256 base_u, base_v; /* what the float test adds */
} FastOwner;

/* The way through a block, by layer: the cube by which the ray comes in, the one between, the one by which it leaves.
 * Cubes by number: y * 64 + z * 8 + x. */
typedef struct FastWay {
	int32_t cell[3][BLOCK_SIZE];
	uint32_t mixed; /* bits 4 * layer + which of the three, without what stands twice */
	double start;   /* s where layer 0 begins, cells */
} FastWay;

/* One block's part of a ray. */
typedef struct FastBlock {
	const Group *group;
	const Record *record;
	int id;           /* of the record */
	double corner[4]; /* the ray's origin from the block's corner, cells */
	FastOwner own;    /* without a tree its collider and base are set by FastBlock_Meet */
} FastBlock;

/* Can nothing in a layer be nearer than what was met before? */
static inline bool FastWay_IsBehind(const FastWay *way, int layer, const Cast *cast)
{
	return cast->limit * CELL < way->start + (double)layer - (double)BOX_SLACK;
}

/* Cast_Triangle, but not for CAST_COUNT: the same bits (ray_fast_quads.c). */
void FastTriangle_Meet(Cast *cast, const Collider *collider, Cell block, int quad, int half);
/* The quads of the mixed cubes of a way. */
void FastBlock_Meet(FastRay *ray, FastBlock *block, const FastWay *way);

#endif
#endif
