/* Digging by hardness: a ball whose radius differs from material to material. */
#include "voxel/brush_internal.h"
#include "voxel/fill_internal.h"

typedef struct DigPlan {
	double center[3];
	double radius[MATERIAL_LIMIT]; /* of the ball that is taken, with what round brushes give back; <= 0: none */
	double largest;
	bool blocky[MATERIAL_LIMIT];
} DigPlan;

static void Dig_Row(void *context, int32_t x, int32_t y, int32_t z, int n, uint8_t *material, uint8_t *occupancy,
                    uint8_t *water)
{
	const DigPlan *dig = context;
	double dy = y + 0.5 - dig->center[1], dz = z + 0.5 - dig->center[2], reach = dig->largest + 1.0;
	double across = dy * dy + dz * dz;
	(void)water;
	if (across >= reach * reach)
		return;
	for (int i = 0; i < n; i++) {
		double dx = x + i + 0.5 - dig->center[0], radius = dig->radius[material[i]];
		if (material[i] == MATERIAL_AIR || radius <= 0.0)
			continue;
		uint8_t cut = Distance_ToByte(radius - sqrt(dx * dx + across));
		if (dig->blocky[material[i]])
			cut = cut >= 128 ? 255 : 0;
		if (cut == 255) {
			material[i] = MATERIAL_AIR;
			occupancy[i] = 0;
		} else if (occupancy[i] > 255 - cut) {
			occupancy[i] = (uint8_t)(255 - cut);
		}
	}
}

static ChunkAnswer Dig_Chunk(void *context, const Chunk *chunk, CellBox piece, WholeChunk *whole)
{
	(void)context, (void)piece, (void)whole;
	return Channel_IsAll(&chunk->channel[CHANNEL_MATERIAL], MATERIAL_AIR) ? CHUNK_UNCHANGED : CHUNK_BY_ROWS;
}

int Store_Dig(Store *store, const MaterialTable *table, const double center[3], const double radius[MATERIAL_LIMIT],
              Tally *tally, Error *error)
{
	DigPlan dig = {.center = {center[0], center[1], center[2]}};
	FillRule rule;
	for (int m = MATERIAL_WATER + 1; m < table->count; m++) {
		double r = radius[m];
		dig.radius[m] = r >= 1.5 ? r + 1.0 / (3.0 * r) : r;
		dig.largest = MaxD(dig.largest, dig.radius[m]);
	}
	if (!(dig.largest > 0.0))
		return ERROR_NONE;
	if (dig.largest > DIG_RADIUS + 1.0)
		return Error_Set(error, ERROR_LIMIT, "radius: %.9g cells, at most %d can be dug at once", dig.largest,
		                 DIG_RADIUS);
	FillRule_Init(&rule, table, EDIT_REMOVE);
	memcpy(dig.blocky, rule.blocky, sizeof(dig.blocky));
	double reach = dig.largest + 2.0;
	CellBox box = {{FloorToInt(center[0] - reach), FloorToInt(center[1] - reach), FloorToInt(center[2] - reach)},
	               {FloorToInt(center[0] + reach), FloorToInt(center[1] + reach), FloorToInt(center[2] + reach)}};
	int code = Fill_Box(&box, true, error);
	if (code)
		return code;
	EditPlan plan = {.box = box, .existing = true, .chunk = Dig_Chunk, .row = Dig_Row, .context = &dig};
	CleanPlan clean = {.box = CellBox_Grown(box, 1), .dig = true, .blocky = dig.blocky};
	return Fill_Run(store, &plan, &clean, tally, error);
}
