/* Water: levels that are filled in and drained.
 *
 * A fill raises the water of a cell to the share of the cell that the shape covers; a drain takes as much as that
 * share, so the two undo each other. What the shape's flat bottom leaves below it in a cell stays, though, when the
 * water stands there: fill to a, drain from b on, and the level is b. Water stands if it comes up from the cell below
 * or rests on ground, with nothing above it; what hangs in the air, or under other water, was filled in as it is. */
#include "voxel/brush_internal.h"
#include "voxel/fill_internal.h"

typedef struct WaterFill {
	const Store *store;
	BrushField field;
	bool drain;
} WaterFill;

/* ---- shares ------------------------------------------------------------------------------------------------- */

static double Overlap(double lo, double hi, int32_t c)
{
	return MaxD(0.0, MinD(hi, (double)c + 1.0) - MaxD(lo, (double)c));
}

/* Boxes and upright cylinders: what they cover of a column of cells, and of a layer. */
static bool HasLevels(const BrushField *field)
{
	return !field->brush.rotated && (field->brush.shape == BRUSH_BOX || field->brush.shape == BRUSH_CYLINDER);
}

static double ColumnShare(const BrushField *field, int32_t x, int32_t z)
{
	const Brush *brush = &field->brush;
	if (brush->shape == BRUSH_BOX)
		return Overlap(field->face[0][0], field->face[0][1], x) * Overlap(field->face[2][0], field->face[2][1], z);
	/* The distance to the mantle alone: seen from the cylinder's middle height. */
	Brush mantle = *brush;
	mantle.half[1] = 2.0 * brush->half[0] + 2.0;
	return ClampD(0.5 + Brush_Distance(&mantle, x + 0.5, brush->center[1], z + 0.5), 0.0, 1.0);
}

static uint8_t ShareToByte(double share)
{
	return (uint8_t)(255.0 * ClampD(share, 0.0, 1.0) + 0.5);
}

/* keep: what lies under the shape's bottom in the cell, where the shape goes on into the cell above. In 1/255. */
static void Water_Shares(const BrushField *field, int32_t x, int32_t y, int32_t z, int n, uint8_t *share, uint8_t *keep)
{
	memset(keep, 0, (size_t)n);
	if (!HasLevels(field)) {
		for (int i = 0; i < n; i++)
			share[i] = ShareToByte(0.5 + Brush_Distance(&field->brush, x + i + 0.5, y + 0.5, z + 0.5));
		return;
	}
	double bottom = field->face[1][0], top = field->face[1][1], layer = Overlap(bottom, top, y);
	bool ends_inside = bottom > y && bottom < y + 1.0;
	double above = Overlap(bottom, top, y + 1);
	for (int i = 0; i < n; i++) {
		double column = layer == 0.0 ? 0.0 : ColumnShare(field, x + i, z);
		share[i] = ShareToByte(column * layer);
		if (ends_inside && ShareToByte(column * above) > 0)
			keep[i] = ShareToByte(column * (bottom - y));
	}
}

/* ---- rows --------------------------------------------------------------------------------------------------- */

/* Does the cell's water stand, seen from the cells below and above as they were? */
static bool Water_Stands(const WaterFill *fill, Cell cell)
{
	Voxel below = Store_Get(fill->store, (Cell){cell.x, cell.y - 1, cell.z});
	if (below.water > 0)
		return true;
	return below.material != MATERIAL_AIR && Store_Get(fill->store, (Cell){cell.x, cell.y + 1, cell.z}).water == 0;
}

/* Full solid cells lose it again when the row is normalised. */
static void Water_Row(void *context, int32_t x, int32_t y, int32_t z, int n, uint8_t *material, uint8_t *occupancy,
                      uint8_t *water)
{
	const WaterFill *fill = context;
	uint8_t share[CHUNK_SIZE], keep[CHUNK_SIZE];
	Water_Shares(&fill->field, x, y, z, n, share, keep);
	for (int i = 0; i < n; i++) {
		if (!fill->drain) {
			if (material[i] == MATERIAL_AIR || occupancy[i] != 255)
				water[i] = (uint8_t)Int_Max(water[i], share[i]);
			continue;
		}
		int left = Int_Max(water[i] - share[i], 0), standing = Int_Min(water[i], keep[i]);
		if (standing > left && Water_Stands(fill, (Cell){x + i, y, z}))
			left = standing;
		water[i] = (uint8_t)left;
	}
}

static ChunkAnswer Water_Chunk(void *context, const Chunk *chunk, CellBox piece, WholeChunk *whole)
{
	const WaterFill *fill = context;
	const ChannelData *channel = chunk->channel;
	if (fill->drain && Channel_IsAll(&channel[CHANNEL_WATER], 0))
		return CHUNK_UNCHANGED;
	if (!channel[CHANNEL_MATERIAL].header && !Channel_IsAll(&channel[CHANNEL_MATERIAL], MATERIAL_AIR) &&
	    Channel_IsAll(&channel[CHANNEL_OCCUPANCY], 255))
		return CHUNK_UNCHANGED;
	if (!Piece_IsChunk(piece) || BrushField_Chunk(&fill->field, piece.lo) != COVER_ALL)
		return CHUNK_BY_ROWS;
	*whole = (WholeChunk){1u << CHANNEL_WATER, {0, 0, fill->drain ? 0 : 255}};
	bool dry = Channel_IsAll(&channel[CHANNEL_MATERIAL], MATERIAL_AIR);
	return fill->drain || dry ? CHUNK_WHOLE : CHUNK_BY_ROWS;
}

int Fill_Water(Store *store, const Brush *brush, bool drain, Tally *tally, Error *error)
{
	WaterFill fill = {.store = store, .drain = drain};
	EditPlan plan = {Brush_Bounds(brush), drain, Water_Chunk, Water_Row, &fill};
	int code = Fill_Box(&plan.box, drain, error);
	if (code)
		return code;
	BrushField_Init(&fill.field, brush, false);
	return Store_RunPlan(store, &plan, NULL, tally, error);
}
