/* Fills: how a brush's byte field meets what is there. */
#include "voxel/brush_internal.h"
#include "voxel/fill_internal.h"

/* ---- combining rows ----------------------------------------------------------------------------------------- */

/* Blocky cells go whole or stay whole, so that cutting exact cubes leaves exact cubes. */
static void Fill_Dig(const FillRule *rule, const uint8_t *bytes, int n, uint8_t *material, uint8_t *occupancy)
{
	for (int i = 0; i < n; i++) {
		uint8_t cut = bytes[i];
		if (rule->blocky[material[i]])
			cut = cut >= 128 ? 255 : 0;
		if (cut == 255) {
			material[i] = MATERIAL_AIR;
			occupancy[i] = 0;
		} else if (occupancy[i] > 255 - cut) {
			occupancy[i] = (uint8_t)(255 - cut);
		}
	}
}

/* Filling: eight cells that the fill leaves alone, or covers. */
static bool Fill_Eight(const FillRule *rule, const uint8_t *bytes, const uint8_t *fresh, uint8_t *material,
                       uint8_t *occupancy)
{
	uint64_t word;
	memcpy(&word, bytes, 8);
	if (word != 0 && (word != UINT64_MAX || rule->mode != EDIT_SET))
		return false;
	if (word != 0) {
		memcpy(material, fresh, 8);
		memset(occupancy, 255, 8);
	}
	return true;
}

static void Fill_Cell(EditMode mode, uint8_t byte, uint8_t fresh, uint8_t *material, uint8_t *occupancy)
{
	bool solid = *material != MATERIAL_AIR;
	if (mode == EDIT_PAINT) {
		if (solid && byte >= 128)
			*material = fresh;
		return;
	}
	if (byte == 0)
		return;
	if (!solid || (mode == EDIT_SET && (byte >= 128 || byte >= *occupancy)))
		*material = fresh;
	if (byte > *occupancy)
		*occupancy = byte;
}

void FillRule_Row(const FillRule *rule, const uint8_t *bytes, const uint8_t *fresh, int n, uint8_t *material,
                  uint8_t *occupancy)
{
	if (rule->mode == EDIT_REMOVE) {
		Fill_Dig(rule, bytes, n, material, occupancy);
		return;
	}
	for (int first = 0; first < n; first += 8) {
		if (first + 8 <= n && Fill_Eight(rule, bytes + first, fresh + first, material + first, occupancy + first))
			continue;
		for (int i = first; i < Int_Min(first + 8, n); i++)
			Fill_Cell(rule->mode, bytes[i], fresh[i], &material[i], &occupancy[i]);
	}
}

void FillRule_RowCovered(const FillRule *rule, const uint8_t *fresh, int n, uint8_t *material, uint8_t *occupancy)
{
	if (rule->mode == EDIT_SET || rule->mode == EDIT_REMOVE) {
		bool dig = rule->mode == EDIT_REMOVE;
		memset(occupancy, dig ? 0 : 255, (size_t)n);
		if (dig)
			memset(material, MATERIAL_AIR, (size_t)n);
		else
			memcpy(material, fresh, (size_t)n);
		return;
	}
	FillRule_Row(rule, uniform_rows[255], fresh, n, material, occupancy);
}

void FillRule_Init(FillRule *rule, const MaterialTable *table, EditMode mode)
{
	rule->mode = mode;
	for (int m = 0; m < MATERIAL_LIMIT; m++)
		rule->blocky[m] = m < table->count && table->items[m].blockiness >= 1.0f;
	rule->blocky[MATERIAL_AIR] = rule->blocky[MATERIAL_WATER] = false;
}

ChunkAnswer FillRule_Covered(const FillRule *rule, uint8_t fresh, const Chunk *chunk, WholeChunk *whole)
{
	const ChannelData *materials = &chunk->channel[CHANNEL_MATERIAL];
	const unsigned material = 1u << CHANNEL_MATERIAL, matter = material | 1u << CHANNEL_OCCUPANCY;
	bool uniform = !materials->header, air = Channel_IsAll(materials, MATERIAL_AIR);
	switch (rule->mode) {
	case EDIT_SET:
		*whole = (WholeChunk){matter | 1u << CHANNEL_WATER, {fresh, 255, 0}};
		return CHUNK_WHOLE;
	case EDIT_ADD:
		*whole = (WholeChunk){matter | 1u << CHANNEL_WATER, {air ? fresh : materials->uniform, 255, 0}};
		return uniform ? CHUNK_WHOLE : CHUNK_BY_ROWS;
	case EDIT_REMOVE:
		*whole = (WholeChunk){matter, {MATERIAL_AIR, 0, 0}};
		return CHUNK_WHOLE;
	case EDIT_PAINT:
		*whole = (WholeChunk){material, {fresh, 0, 0}};
		return air ? CHUNK_UNCHANGED : uniform ? CHUNK_WHOLE : CHUNK_BY_ROWS;
	}
	return CHUNK_BY_ROWS;
}

/* ---- solid fills -------------------------------------------------------------------------------------------- */

typedef struct SolidFill {
	FillRule rule;
	BrushField field;
	uint8_t fresh[CHUNK_SIZE];
} SolidFill;

static void Solid_Row(void *context, int32_t x, int32_t y, int32_t z, int n, uint8_t *material, uint8_t *occupancy,
                      uint8_t *water)
{
	SolidFill *fill = context;
	uint8_t bytes[CHUNK_SIZE];
	(void)water;
	FieldCover cover = BrushField_Row(&fill->field, x, y, z, n, bytes);
	if (cover == COVER_NONE)
		return;
	if (cover == COVER_ALL) {
		FillRule_RowCovered(&fill->rule, fill->fresh, n, material, occupancy);
		return;
	}
	FillRule_Row(&fill->rule, bytes, fill->fresh, n, material, occupancy);
}

static void Solid_Bytes(void *context, int32_t x, int32_t y, int32_t z, int n, uint8_t *bytes)
{
	SolidFill *fill = context;
	FieldCover cover = BrushField_Row(&fill->field, x, y, z, n, bytes);
	if (cover != COVER_SOME)
		memset(bytes, cover == COVER_ALL ? 255 : 0, (size_t)n);
}

static double Solid_Distance(void *context, int32_t x, int32_t y, int32_t z)
{
	const SolidFill *fill = context;
	return BrushField_Distance(&fill->field, x, y, z);
}

static ChunkAnswer Solid_Chunk(void *context, const Chunk *chunk, CellBox piece, WholeChunk *whole)
{
	SolidFill *fill = context;
	Cell corner = {piece.lo.x & ~(CHUNK_SIZE - 1), piece.lo.y & ~(CHUNK_SIZE - 1), piece.lo.z & ~(CHUNK_SIZE - 1)};
	FieldCover cover = BrushField_Chunk(&fill->field, corner);
	if (cover == COVER_NONE)
		return CHUNK_UNCHANGED;
	if (cover == COVER_SOME || !Piece_IsChunk(piece))
		return CHUNK_BY_ROWS;
	return FillRule_Covered(&fill->rule, fill->fresh[0], chunk, whole);
}

/* ---- the call ----------------------------------------------------------------------------------------------- */

/* The box of an edit that may create cells must lie within the limits; one that only takes or paints is clipped. */
int Fill_Box(CellBox *box, bool existing, Error *error)
{
	if (!existing)
		return CellBox_Check(*box, error);
	*box = CellBox_Intersect(*box, CellBox_World());
	return ERROR_NONE;
}

int Fill_CheckMode(EditMode mode, uint8_t material, const MaterialTable *table, Error *error)
{
	if ((int)mode < EDIT_SET || (int)mode > EDIT_PAINT)
		return Error_Set(error, ERROR_ARGUMENT, "mode: %d is no edit mode", (int)mode);
	if (material >= table->count)
		return Error_Set(error, ERROR_ARGUMENT, "material: %d is not in the table of %d", material, table->count);
	if (mode == EDIT_PAINT && (material == MATERIAL_AIR || material == MATERIAL_WATER))
		return Error_Set(error, ERROR_ARGUMENT, "material: %s cannot be painted with", table->items[material].name);
	return ERROR_NONE;
}

CellBox CellBox_Grown(CellBox box, int32_t by)
{
	return (CellBox){{box.lo.x - by, box.lo.y - by, box.lo.z - by}, {box.hi.x + by, box.hi.y + by, box.hi.z + by}};
}

int Fill_Run(Store *store, const EditPlan *plan, const CleanPlan *clean, Tally *tally, Error *error)
{
	Tally own = {0};
	int code = Store_RunPlan(store, plan, clean, &own, error);
	if (code || !tally)
		return code;
	for (int m = 0; m < MATERIAL_LIMIT; m++) {
		int64_t both = own.removed[m] < own.added[m] ? own.removed[m] : own.added[m];
		tally->removed[m] += own.removed[m] - both;
		tally->added[m] += own.added[m] - both;
	}
	return ERROR_NONE;
}

int Store_Fill(Store *store, const MaterialTable *table, const Brush *brush, uint8_t material, EditMode mode,
               Tally *tally, Error *error)
{
	int code = Brush_Check(brush, error);
	if (!code)
		code = Fill_CheckMode(mode, material, table, error);
	if (code)
		return code;
	Brush square = Brush_Squared(brush);
	if (material == MATERIAL_WATER)
		return Fill_Water(store, &square, mode == EDIT_REMOVE, tally, error);
	if (material == MATERIAL_AIR)
		mode = EDIT_REMOVE;
	SolidFill fill = {0};
	bool fills = mode == EDIT_SET || mode == EDIT_ADD;
	Brush used = fills ? Brush_Widened(&square) : square;
	EditPlan plan = {Brush_Bounds(&used), !fills, Solid_Chunk, Solid_Row, &fill};
	CleanPlan clean = {.box = CellBox_Grown(plan.box, 1), .dig = mode == EDIT_REMOVE, .bytes = Solid_Bytes};
	code = Fill_Box(&plan.box, !fills, error);
	if (code)
		return code;
	FillRule_Init(&fill.rule, table, mode);
	BrushField_Init(&fill.field, &used, fills && fill.rule.blocky[material]);
	memset(fill.fresh, material, sizeof(fill.fresh));
	clean.hard = fill.field.any_hard;
	clean.blocky = fill.rule.blocky;
	clean.distance = Solid_Distance;
	clean.context = &fill;
	return Fill_Run(store, &plan, mode == EDIT_PAINT ? NULL : &clean, tally, error);
}
