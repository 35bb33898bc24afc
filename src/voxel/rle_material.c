/* Materials and water of a chunk whose shape is known.
 *
 * Only cells that are not air have a material to tell. It is most often that of the cell above, else of the one to the
 * left or behind, or of those below them, where layers descend. Which of these neighbours agree with each other chooses
 * the stream. Where all do, the material is certain and only runs are kept.
 *
 * Water is that of the neighbour that can hold some; misses are kept as they are.
 */
#include "voxel/rle_internal.h"

/* `only` of a column: no solid cell (agrees with any material), several materials, or the one that it has. */
#define ONLY_NONE 0
#define ONLY_SEVERAL 1

typedef struct MaterialView {
	uint8_t from[5]; /* above, left, back, left below, back below; where there is none, another of them, or 0 */
	int class;
} MaterialView;

#define CLASS_CERTAIN 15
#define CLASS_LOST 16 /* no neighbour at all */
#define CLASS_TOP 17  /* added where the cell above is air */

static MaterialView View_At(const RleCells *cells, int z, int x, int y)
{
	uint8_t above = y > 0 ? cells->material[z][x][y - 1] : 0;
	uint8_t left = x > 0 ? cells->material[z][x - 1][y] : 0, back = z > 0 ? cells->material[z - 1][x][y] : 0;
	uint8_t corner = x > 0 && z > 0 ? cells->material[z - 1][x - 1][y] : 0, left_low = 0, back_low = 0;
	bool top = y > 0 && above == 0;
	if (x > 0 && y + 1 < CHUNK_SIZE)
		left_low = cells->material[z][x - 1][y + 1];
	if (z > 0 && y + 1 < CHUNK_SIZE)
		back_low = cells->material[z - 1][x][y + 1];
	above = above ? above : left ? left : back ? back : corner;
	left = left ? left : above;
	back = back ? back : above;
	left_low = left_low ? left_low : left;
	back_low = back_low ? back_low : back;
	int class = (left == above) + 2 * (back == above) + 4 * (left_low == left) + 8 * (back_low == back);
	class = above ? class : CLASS_LOST;
	return (MaterialView){{above, left, back, left_low, back_low}, class + (top ? CLASS_TOP : 0)};
}

static bool Agrees(const RleCells *cells, int z, int x, uint8_t material)
{
	return cells->only[z][x] == ONLY_NONE || cells->only[z][x] == material;
}

/* How many cells from y on are certain as long as they are hits: all solid ones in a row, if the columns beside hold
 * nothing else; else the one at y. */
static int Certain_Length(const RleCells *cells, int z, int x, int y, uint8_t material)
{
	if ((x > 0 && !Agrees(cells, z, x - 1, material)) || (z > 0 && !Agrees(cells, z - 1, x, material)))
		return 1;
	uint32_t air = cells->air[z][x] >> y;
	return air ? __builtin_ctz(air) : CHUNK_SIZE - y;
}

static uint8_t Material_Miss(Rle *rle, uint8_t material)
{
	material = Rle_Byte(rle, STREAM_MATERIAL_MISS, material);
	if (material == MATERIAL_AIR || material == MATERIAL_WATER)
		rle->failed = true;
	return material;
}

static int Material_Certain(Rle *rle, RleCells *cells, int z, int x, int y, uint8_t material)
{
	uint8_t *column = cells->material[z][x];
	int n = Certain_Length(cells, z, x, y, material), hits = 0;
	while (!rle->reading && hits < n && column[y + hits] == material)
		hits++;
	hits = Rle_Run(rle, &rle->material_run, STREAM_MATERIAL_RUN, hits, n);
	memset(column + y, material, (size_t)hits);
	if (hits == n)
		return n;
	column[y + hits] = Material_Miss(rle, column[y + hits]);
	return hits + 1;
}

static uint8_t Material_Choice(Rle *rle, const MaterialView *view, uint8_t material)
{
	int choice = 0;
	while (!rle->reading && choice < COUNT_OF(view->from) && view->from[choice] != material)
		choice++;
	choice = Rle_Byte(rle, STREAM_MATERIAL + view->class, (uint8_t)choice);
	if (choice == COUNT_OF(view->from))
		return Material_Miss(rle, material);
	if (choice > COUNT_OF(view->from) || view->from[choice] == MATERIAL_AIR) {
		rle->failed = true;
		return MATERIAL_AIR;
	}
	return view->from[choice];
}

static void Material_Column(Rle *rle, RleCells *cells, int z, int x)
{
	uint8_t *column = cells->material[z][x], only = ONLY_NONE;
	uint32_t air = cells->air[z][x];
	for (int y = 0; y < CHUNK_SIZE;) {
		if (air >> y & 1) {
			y++;
			continue;
		}
		MaterialView view = View_At(cells, z, x, y);
		if (view.class == CLASS_CERTAIN) {
			y += Material_Certain(rle, cells, z, x, y, view.from[0]);
		} else {
			column[y] = Material_Choice(rle, &view, column[y]);
			y++;
		}
	}
	for (int y = 0; y < CHUNK_SIZE; y++)
		if (column[y])
			only = only == ONLY_NONE || only == column[y] ? column[y] : ONLY_SEVERAL;
	cells->only[z][x] = only;
}

/* Reading: material starts out as zeros. */
void Rle_Material(Rle *rle)
{
	for (int z = 0; z < CHUNK_SIZE; z++)
		for (int x = 0; x < CHUNK_SIZE; x++)
			Material_Column(rle, rle->cells, z, x);
}

/* ---- water --------------------------------------------------------------------------------------------------- */

static uint8_t Water_Forecast(const RleCells *cells, int z, int x, int y)
{
	if (x > 0 && !(cells->full[z][x - 1] >> y & 1))
		return cells->water[z][x - 1][y];
	if (z > 0 && !(cells->full[z - 1][x] >> y & 1))
		return cells->water[z - 1][x][y];
	return y > 0 ? cells->water[z][x][y - 1] : 0;
}

static void Water_Column(Rle *rle, RleCells *cells, int z, int x)
{
	uint8_t *column = cells->water[z][x];
	for (int y = 0; y < CHUNK_SIZE; y++) {
		if (cells->full[z][x] >> y & 1)
			continue;
		uint8_t forecast = Water_Forecast(cells, z, x, y);
		bool hit = Rle_Run(rle, &rle->water_run, STREAM_WATER_RUN, column[y] == forecast, 1) == 1;
		column[y] = hit ? forecast : Rle_Byte(rle, STREAM_WATER_MISS, column[y]);
	}
}

/* Reading: water starts out as zeros. Full cells hold none. */
void Rle_Water(Rle *rle)
{
	for (int z = 0; z < CHUNK_SIZE; z++)
		for (int x = 0; x < CHUNK_SIZE; x++)
			Water_Column(rle, rle->cells, z, x);
}
