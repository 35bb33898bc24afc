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
	__m128 inverse;      /* along dir[k]: s a cell, as floats; the fourth is 0 */
	/* layers: across k, rows and columns in them */
	int k, row, column;
	bool up;
	double axis;       /* dir[k]: 1 or -1 */
	double near_plane; /* of a block's nearest layer, from its corner */
	float slope_row, slope_column;
	/* the float test: corner -> plane across the ray's axis, turned so that fronts wind positively */
	__m256 to_u[3], to_v[3];
	float sign;
	bool filter; /* these are set */
} FastRay;

/* A block whose quads are looked at. */
typedef struct FastOwner {
	const Collider *collider; /* NULL: none */
	Cell block;
	__m256 base_u, base_v; /* what the float test adds */
} FastOwner;

/* One block's part of a ray. */
typedef struct FastBlock {
	const Group *group;
	const Record *record;
	int id;           /* of the record */
	double corner[4]; /* the ray's origin from the block's corner, cells */
	FastOwner own;    /* its collider and base are set with the first mixed cube: begun */
	int last[3];      /* the cube before, all of whose quads were looked at */
	bool begun;
} FastBlock;

/* The quads of a mixed cube (ray_fast_quads.c). */
void FastCube_Meet(FastRay *ray, FastBlock *block, const int cube[3]);

#endif
#endif
