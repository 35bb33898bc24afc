/* The distance field that smoothing and growing work on. Private to the room. */
#ifndef SCREE_VOXEL_SMOOTH_INTERNAL_H
#define SCREE_VOXEL_SMOOTH_INTERNAL_H

#include "voxel/voxel.h"

/* Stands for "further from the surface than was asked for". */
#define FIELD_FAR 1e6f

/* A dense box of cells, index x + nx * (z + nz * y): what the store holds, and each cell's signed distance in cells
 * from the surface, positive inside, FIELD_FAR of either sign beyond the reach. */
typedef struct DistanceField {
	CellBox box;
	int nx, ny, nz;
	uint8_t *material, *occupancy;
	uint8_t *mark;            /* 1: the value is known, not carried there from others */
	float *distance, *wanted; /* wanted: a second array, for whoever changes the field */
	int32_t *range;           /* two a row (z + nz * y): cells that are near the surface, first and last */
} DistanceField;

/* Reads the box and measures it up to `reach` cells from the surface. ErrorCode; free it after a failure, too. */
int DistanceField_Read(DistanceField *field, Memory *memory, const Store *store, CellBox box, float reach,
                       Error *error);
/* Distances from where `from` changes its sign: cells beside that keep their values, the others are measured anew from
 * them, up to the reach. `to` and `from` are arrays like `distance`. */
void DistanceField_Renew(DistanceField *field, const float *from, float *to, float reach);
void DistanceField_Free(DistanceField *field, Memory *memory);

static inline size_t DistanceField_Index(const DistanceField *field, int32_t x, int32_t y, int32_t z)
{
	CellBox box = field->box;
	return (size_t)(x - box.lo.x) +
	       (size_t)field->nx * ((size_t)(z - box.lo.z) + (size_t)field->nz * (size_t)(y - box.lo.y));
}

/* The byte of an edge's other side: how far from the inside cell the surface crosses, as a part of the edge. */
static inline float Crossing_At(int inside, int outside)
{
	return ((float)inside - 127.5f) / (float)(inside - outside);
}

#endif
