/* What brushes and height fills share: how an occupancy byte meets the cell that is there. Private to the room. */
#ifndef SCREE_VOXEL_FILL_INTERNAL_H
#define SCREE_VOXEL_FILL_INTERNAL_H

#include "voxel/store_internal.h"

typedef struct FillRule {
	EditMode mode; /* EDIT_REMOVE digs */
	bool blocky[MATERIAL_LIMIT];
} FillRule;

void FillRule_Init(FillRule *rule, const MaterialTable *table, EditMode mode);
/* bytes: what the fill wants (0: untouched); fresh: its material, per cell. */
void FillRule_Row(const FillRule *rule, const uint8_t *bytes, const uint8_t *fresh, int n, uint8_t *material,
                  uint8_t *occupancy);
/* For a chunk whose bytes are all 255. */
ChunkAnswer FillRule_Covered(const FillRule *rule, uint8_t fresh, const Chunk *chunk, WholeChunk *whole);

int Fill_CheckMode(EditMode mode, uint8_t material, const MaterialTable *table, Error *error);
int Fill_Box(CellBox *box, bool existing, Error *error);
CellBox CellBox_Grown(CellBox box, int32_t by);

#endif
