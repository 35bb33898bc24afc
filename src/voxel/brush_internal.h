/* Brushes as byte fields, private to the room: how distance becomes occupancy, per cell, row and chunk. */
#ifndef SCREE_VOXEL_BRUSH_INTERNAL_H
#define SCREE_VOXEL_BRUSH_INTERNAL_H

#include "voxel/store_internal.h"

/* The occupancy byte 0.5 + d/2 for the distance d in cells, positive inside (recipe: error at most 1/256 in d, exact on
 * grid planes). 0 stands for "not touched", 128 and more for "centre inside". */
static inline uint8_t Distance_ToByte(double d)
{
	if (d >= 0.0)
		return d >= 1.0 ? 255 : (uint8_t)(128 + Int_Min(127, (int)(128.0 * d)));
	return d <= -1.0 ? 0 : (uint8_t)(127 - Int_Min(127, (int)(-128.0 * d)));
}

/* A brush made ready. Flat faces square to the axes are kept apart (brushes turned by whole quarters only), so that
 * those on grid planes can be hard: 255 or 0 by the cell's centre. The other faces make up `rest`. */
typedef struct BrushField {
	Brush brush;
	bool square;
	double face[3][2];   /* per axis: low and high face; those near a grid plane lie on it */
	bool has_face[3][2]; /* squared faces that the shape has */
	bool hard[3][2];
	bool has_rest;
	bool any_hard;    /* some face is hard */
	bool hard_all;    /* 255 or 0 everywhere: materials of blockiness 1 */
	int32_t cached_x; /* the row start that axis_x holds */
	int cached_n;     /* and how many cells; 0: none */
	uint8_t axis_x[CHUNK_SIZE];
} BrushField;

typedef enum FieldCover { COVER_NONE, COVER_SOME, COVER_ALL } FieldCover;

/* A checked brush: ErrorCode. */
int Brush_Check(const Brush *brush, Error *error);
/* Turns by whole quarters made exact; boxes, balls and upright cylinders then come unrotated. */
Brush Brush_Squared(const Brush *brush);
/* Extents under 1.5 cells grown to 1.5, but for those between faces on grid planes. */
Brush Brush_Widened(const Brush *brush);
void BrushField_Init(BrushField *field, const Brush *brush, bool hard_all);
/* Occupancy bytes of the n <= 32 cells from (x,y,z) on, all in one chunk; filled only for COVER_SOME. */
FieldCover BrushField_Row(BrushField *field, int32_t x, int32_t y, int32_t z, int n, uint8_t *bytes);
/* What the cell's byte is made of; +-FILL_HARD where a hard face decides. */
double BrushField_Distance(const BrushField *field, int32_t x, int32_t y, int32_t z);
/* Of all cells of a chunk; SOME when in doubt. */
FieldCover BrushField_Chunk(const BrushField *field, Cell corner);
#endif
