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
/* The same where all bytes are 255; and for a chunk in which they are. */
void FillRule_RowCovered(const FillRule *rule, const uint8_t *fresh, int n, uint8_t *material, uint8_t *occupancy);
ChunkAnswer FillRule_Covered(const FillRule *rule, uint8_t fresh, const Chunk *chunk, WholeChunk *whole);

int Fill_CheckMode(EditMode mode, uint8_t material, const MaterialTable *table, Error *error);
int Fill_Box(CellBox *box, bool existing, Error *error);
CellBox CellBox_Grown(CellBox box, int32_t by);
/* Runs a fill; what is taken and given of one material, which the mending of fringes can do, is told as the difference.
 */
int Fill_Run(Store *store, const EditPlan *plan, const CleanPlan *clean, Tally *tally, Error *error);
/* Water of a checked brush (water_fill.c). */
int Fill_Water(Store *store, const Brush *brush, bool drain, Tally *tally, Error *error);

/* ---- after a fill (cleanup.c, fringe.c) ---------------------------------------------------------------------- */

/* Has the running edit changed the chunk or one of the 26 around it? */
bool Chunk_NearChange(const Store *store, Cell chunk);
/* Solid cells: with v under 128; of these those above 0; from 128 on but not full. */
typedef enum Partial { PARTIAL_WEAK, PARTIAL_OUTSIDE, PARTIAL_INSIDE } Partial;

/* The box of the piece's cells of the kind; false when there are none. */
bool Chunk_PartialBox(const Chunk *chunk, CellBox piece, Partial kind, CellBox *partial);
/* A cell's byte in the scratch, its row taken over from the chunk and marked. */
uint8_t *Scratch_Cell(EditScratch *scratch, const Chunk *chunk, Channel c, int row, int x);
bool Batch_MendFringe(Batch *batch, const CleanPlan *plan); /* stages; false: no memory */

#endif
