/* How full the cells of a chunk are, foretold from their neighbours.
 *
 * Near a surface the shape is a linear function of the distance to it, cut off at 0 and 256. So each column, once
 * known, is carried on linearly beyond its empty and full ends (`reach`), and the next ones are foretold as planes
 * through their neighbours: several forecasts, of which the outermost two are left out of the mean. How far they lie
 * apart says how good it will be, and that chooses the stream for the difference.
 */
#include "voxel/rle_internal.h"

#include <stdlib.h>

#define FAR_OUT 164 /* how far beyond the cut a cell counts that has no surface near it */
#define SLOPE 110   /* per cell, where only one cell of a crossing is neither empty nor full */

static bool IsCut(int shape)
{
	return shape == 0 || shape == SHAPE_FULL;
}

/* ---- columns ------------------------------------------------------------------------------------------------- */

/* What a cut cell would be if the shape went on from the nearest one or two cells in direction d; false: unknown. */
static bool Reach_From(const int16_t *column, int y, int d, int *value)
{
	int shape = column[y];
	for (int steps = 1; steps <= 2; steps++) {
		int near = y + steps * d, next = near + d;
		if (near < 0 || near >= CHUNK_SIZE)
			return false;
		if (IsCut(column[near])) {
			if (column[near] != shape)
				return false;
			continue;
		}
		int slope = shape ? SLOPE : -SLOPE;
		if (next >= 0 && next < CHUNK_SIZE && !IsCut(column[next]))
			slope = column[near] - column[next];
		*value = column[near] + steps * slope;
		return true;
	}
	return false;
}

static int16_t Reach_At(const int16_t *column, int y)
{
	int shape = column[y], value;
	if (!IsCut(shape))
		return (int16_t)shape;
	int best = shape ? SHAPE_FULL + FAR_OUT : -FAR_OUT;
	for (int d = -1; d <= 1; d += 2) {
		if (!Reach_From(column, y, d, &value))
			continue;
		best = shape ? Int_Min(best, Int_Max(value, SHAPE_FULL)) : Int_Max(best, Int_Min(value, 0));
	}
	return (int16_t)best;
}

static void Column_Reach(RleCells *cells, int z, int x)
{
	const int16_t *column = cells->shape[z][x];
	int16_t *reach = cells->reach[z][x];
	if (cells->air[z][x] == UINT32_MAX || cells->full[z][x] == UINT32_MAX) {
		for (int y = 0; y < CHUNK_SIZE; y++)
			reach[y] = column[0] ? SHAPE_FULL + FAR_OUT : -FAR_OUT;
		return;
	}
	for (int y = 0; y < CHUNK_SIZE; y++)
		reach[y] = Reach_At(column, y);
}

/* ---- the forecast -------------------------------------------------------------------------------------------- */

typedef struct Forecast {
	int shape;
	int class;
} Forecast;

typedef struct Guesses {
	int count, least, most, sum;
} Guesses;

static void Guess(Guesses *guesses, int shape)
{
	guesses->least = guesses->count && guesses->least < shape ? guesses->least : shape;
	guesses->most = guesses->count && guesses->most > shape ? guesses->most : shape;
	guesses->sum += shape;
	guesses->count++;
}

/* Without the column's own cells above: planes through the columns beside it. */
static void Guess_Across(Guesses *guesses, const RleCells *cells, int z, int x, int y)
{
	const int16_t(*row)[CHUNK_SIZE] = cells->reach[z];
	if (x > 0 && z > 0) {
		const int16_t(*back)[CHUNK_SIZE] = cells->reach[z - 1];
		Guess(guesses, row[x - 1][y] + back[x][y] - back[x - 1][y]);
		if (x + 1 < CHUNK_SIZE)
			Guess(guesses, row[x - 1][y] + (back[x + 1][y] - back[x - 1][y]) / 2);
	} else if (x > 0) {
		Guess(guesses, row[x - 1][y]);
	} else if (z > 0) {
		Guess(guesses, cells->reach[z - 1][x][y]);
	}
}

/* From the cell above, by the steps that the columns beside it take there. */
static void Guess_Down(Guesses *guesses, const RleCells *cells, int z, int x, int y)
{
	const int16_t *column = cells->shape[z][x];
	int above = column[y - 1];
	int left = 0, back = 0, corner = 0;
	if (x > 0)
		left = cells->reach[z][x - 1][y] - cells->reach[z][x - 1][y - 1];
	if (z > 0)
		back = cells->reach[z - 1][x][y] - cells->reach[z - 1][x][y - 1];
	if (x > 0)
		Guess(guesses, above + left);
	if (z > 0)
		Guess(guesses, above + back);
	if (x > 0 && z > 0) {
		corner = cells->reach[z - 1][x - 1][y] - cells->reach[z - 1][x - 1][y - 1];
		Guess(guesses, above + left + back - corner);
	}
	if (y > 1 && !IsCut(column[y - 2]))
		Guess(guesses, 2 * above - column[y - 2]);
	if (guesses->count == 0)
		Guess(guesses, above + (y > 1 && column[y - 2] == SHAPE_FULL ? -SLOPE : SLOPE));
}

/* Classes 0-7: nothing above to go by, 8-15: there is; by how far the guesses lie apart. 16-23: forecasts that end at a
 * cut; by how far beyond it. */
static Forecast Forecast_At(const RleCells *cells, int z, int x, int y)
{
	static const int steps[] = {3, 6, 12, 24, 48, 96, 200};
	bool above = y > 0 && !IsCut(cells->shape[z][x][y - 1]);
	Guesses guesses = {0};
	Guess_Across(&guesses, cells, z, x, y);
	if (above)
		Guess_Down(&guesses, cells, z, x, y);
	if (guesses.count == 0)
		Guess(&guesses, y > 0 ? cells->shape[z][x][y - 1] : 0);
	int n = guesses.count, spread = guesses.most - guesses.least, shape = guesses.sum / n;
	if (n > 2)
		shape = (guesses.sum - guesses.least - guesses.most) / (n - 2);
	int class = above ? 8 : 0;
	if (shape < 0)
		return (Forecast){0, 16 + (above ? 4 : 0) + (shape < -40)};
	if (shape > SHAPE_FULL)
		return (Forecast){SHAPE_FULL, 18 + (above ? 4 : 0) + (shape > SHAPE_FULL + 40)};
	for (int i = 0; i < COUNT_OF(steps); i++)
		class += spread >= steps[i];
	return (Forecast){shape, class};
}

/* ---- differences --------------------------------------------------------------------------------------------- */

/* 0..256: small for small differences of either sign; what lies farther off than the nearer cut can only be on the
 * other side, and needs no sign. */
static int Fold(int shape, int forecast)
{
	int room = Int_Min(forecast, SHAPE_FULL - forecast), off = abs(shape - forecast);
	if (off > room)
		return off + room;
	return shape > forecast ? 2 * off - 1 : 2 * off;
}

static int Unfold(int folded, int forecast)
{
	int room = Int_Min(forecast, SHAPE_FULL - forecast);
	if (folded > 2 * room)
		return room == forecast ? forecast + folded - room : forecast - folded + room;
	return folded & 1 ? forecast + (folded + 1) / 2 : forecast - folded / 2;
}

static int Shape_Difference(Rle *rle, const RleCells *cells, int z, int x, int y)
{
	Forecast forecast = Forecast_At(cells, z, x, y);
	int folded = rle->reading ? 0 : Fold(cells->shape[z][x][y], forecast.shape);
	int low = Rle_Byte(rle, STREAM_SHAPE + forecast.class, (uint8_t)Int_Min(folded, 255));
	if (low == 255)
		low += Rle_Byte(rle, STREAM_SHAPE_EXTRA, (uint8_t)(folded - 255));
	if (low > SHAPE_FULL) {
		rle->failed = true;
		return 0;
	}
	return Unfold(low, forecast.shape);
}

static void Put(RleCells *cells, int z, int x, int y, int shape)
{
	cells->shape[z][x][y] = (int16_t)shape;
	cells->air[z][x] |= (uint32_t)(shape == 0) << y;
	cells->full[z][x] |= (uint32_t)(shape == SHAPE_FULL) << y;
}

/* Bits y at which the cells beside and those one lower are all cut alike. Beyond the chunk nothing objects. */
static uint32_t Around(const uint32_t cut[CHUNK_SIZE][CHUNK_SIZE], int z, int x)
{
	uint32_t both = UINT32_MAX;
	if (x > 0)
		both &= cut[z][x - 1] & (cut[z][x - 1] >> 1 | (uint32_t)1 << 31);
	if (z > 0)
		both &= cut[z - 1][x] & (cut[z - 1][x] >> 1 | (uint32_t)1 << 31);
	return both;
}

static int LowBits(uint32_t bits)
{
	return bits == UINT32_MAX ? 32 : __builtin_ctz(~bits);
}

/* Cells from y on that are certain to be `cut`: as many of n as are; then perhaps one that is not. Returns how many
 * cells were dealt with. */
static int Shape_Certain(Rle *rle, RleCells *cells, int z, int x, int y, int cut, int n)
{
	uint32_t same = cut ? cells->full[z][x] : cells->air[z][x];
	int hits = rle->reading ? 0 : Int_Min(n, LowBits(same >> y));
	hits = Rle_Run(rle, &rle->shape_run, STREAM_SHAPE_RUN, hits, n);
	if (rle->reading)
		for (int i = 0; i < hits; i++)
			Put(cells, z, x, y + i, cut);
	if (hits == n)
		return n;
	int off = rle->reading ? 0 : abs(cells->shape[z][x][y + hits] - cut) - 1;
	off = 1 + Rle_Byte(rle, STREAM_SHAPE_MISS, (uint8_t)off);
	if (rle->reading)
		Put(cells, z, x, y + hits, cut ? cut - off : off);
	return hits + 1;
}

static void Shape_Column(Rle *rle, RleCells *cells, int z, int x)
{
	uint32_t air = Around(cells->air, z, x), full = Around(cells->full, z, x);
	for (int y = 0; y < CHUNK_SIZE;) {
		int above = y > 0 ? cells->shape[z][x][y - 1] : -1;
		/* In the first column of all, the first cell counts as certain to be air. */
		bool is_air = (above == 0 || above < 0) && (air >> y & 1);
		bool is_full = !is_air && (above == SHAPE_FULL || above < 0) && (full >> y & 1);
		if (is_air || is_full) {
			int n = Int_Min(CHUNK_SIZE - y, LowBits((is_air ? air : full) >> y));
			y += Shape_Certain(rle, cells, z, x, y, is_air ? 0 : SHAPE_FULL, n);
		} else {
			int shape = Shape_Difference(rle, cells, z, x, y);
			if (rle->reading)
				Put(cells, z, x, y, shape);
			y++;
		}
	}
	Column_Reach(cells, z, x);
}

/* Reading: air, full and shape are filled; they start out as zeros. */
void Rle_Shape(Rle *rle)
{
	for (int z = 0; z < CHUNK_SIZE; z++)
		for (int x = 0; x < CHUNK_SIZE; x++)
			Shape_Column(rle, rle->cells, z, x);
}
