/* A generated world as games have them: plains, hills, mountains with overhangs, mesas with cliffs, canyons, lakes and
 * a net of caves, in 1280 x 1280 columns
 * that are 75 cells deep on average, with three or four layers of rock. No level of a real game, but no harder and no
 * easier by what counts here: see the last line of the benchmark's table, what the published format takes on it.
 *
 * The ground is the set where a field is positive: the height of the ground over y from several octaves of noise
 * (terraced in mesas, cut by canyons), bent by 3D noise into overhangs, minus tubes along the common zeros of two 3D
 * noises (caves). Occupancy is 0.5 + d/2 as the brushes write it, d being the field over its own gradient. Materials:
 * a skin by height and slope, a few cells of ground, warped strata of rock below, with lumps of others in them. Lakes
 * fill hollows to one level with a partly filled top layer.
 *
 * Only +, -, *, / and sqrt on floats, and integer hashes: the same level on every machine.
 */
#include "level_big.h"

#include <stdlib.h>

#define MARGIN 1 /* cells around a column of chunks, for the gradient */
#define WIDE (CHUNK_SIZE + 2 * MARGIN)
#define TALL (LEVEL_BIG_HEIGHT + 2 * MARGIN)
#define STEP 4 /* cells between the points where 3D noise is evaluated */
#define POINTS (WIDE / STEP + 2)
#define POINTS_UP (TALL / STEP + 2)
#define LAKE_LEVEL 56.4f

typedef enum Noise3 { NOISE_BEND, NOISE_CAVE_A, NOISE_CAVE_B, NOISE_LUMP, NOISE_COUNT } Noise3;

typedef struct Column {
	float height;
	float bend; /* how far the 3D noise may move the surface */
	float warp; /* of the strata */
	float skin; /* depth of grass and ground */
	float cave; /* half width of the caves, in noise */
	uint8_t biome;
} Column;

enum { BIOME_GRASS, BIOME_SAND, BIOME_MESA, BIOME_ROCK, BIOME_SNOW };

typedef struct Builder {
	int x0, z0;
	Column columns[WIDE][WIDE]; /* [z][x] */
	float points[NOISE_COUNT][POINTS_UP][POINTS][POINTS];
	float field[TALL][WIDE][WIDE];
	float lump[TALL][WIDE][WIDE];
	uint8_t cells[CHANNEL_COUNT][LEVEL_BIG_HEIGHT * CHUNK_SIZE * CHUNK_SIZE];
} Builder;

/* ---- noise -------------------------------------------------------------------------------------------------- */

static float Lattice(int x, int y, int z, uint32_t seed)
{
	uint32_t h = (uint32_t)x * 0x8DA6B343u ^ (uint32_t)y * 0xD8163841u ^ (uint32_t)z * 0xCB1AB31Fu ^ seed * 0x9E3779B9u;
	h ^= h >> 15;
	h *= 0x2C1B3C6Du;
	h ^= h >> 12;
	h *= 0x297A2D39u;
	h ^= h >> 15;
	return (float)(int32_t)h * (1.0f / 2147483648.0f);
}

static float Smooth(float t)
{
	return t * t * (3.0f - 2.0f * t);
}

static float Mix(float a, float b, float t)
{
	return a + (b - a) * t;
}

static float Ramp(float lo, float hi, float v)
{
	return Smooth(Clamp((v - lo) / (hi - lo), 0.0f, 1.0f));
}

/* Value noise in about [-1, 1]. */
static float Noise_2(float x, float z, uint32_t seed)
{
	int ix = FloorToInt(x), iz = FloorToInt(z);
	float tx = Smooth(x - (float)ix), tz = Smooth(z - (float)iz);
	float a = Mix(Lattice(ix, 0, iz, seed), Lattice(ix + 1, 0, iz, seed), tx);
	float b = Mix(Lattice(ix, 0, iz + 1, seed), Lattice(ix + 1, 0, iz + 1, seed), tx);
	return Mix(a, b, tz);
}

static float Noise_3(float x, float y, float z, uint32_t seed)
{
	int ix = FloorToInt(x), iy = FloorToInt(y), iz = FloorToInt(z);
	float tx = Smooth(x - (float)ix), ty = Smooth(y - (float)iy), tz = Smooth(z - (float)iz);
	float plane[2];
	for (int k = 0; k < 2; k++) {
		float a = Mix(Lattice(ix, iy + k, iz, seed), Lattice(ix + 1, iy + k, iz, seed), tx);
		float b = Mix(Lattice(ix, iy + k, iz + 1, seed), Lattice(ix + 1, iy + k, iz + 1, seed), tx);
		plane[k] = Mix(a, b, tz);
	}
	return Mix(plane[0], plane[1], ty);
}

static float Octaves(float x, float z, uint32_t seed, int count)
{
	float sum = 0.0f, size = 1.0f;
	for (int i = 0; i < count; i++) {
		sum += size * Noise_2(x, z, seed + (uint32_t)i);
		x = 2.03f * x + 17.3f;
		z = 2.03f * z - 9.1f;
		size *= 0.5f;
	}
	return sum;
}

/* ---- the shape of the ground -------------------------------------------------------------------------------- */

/* Steps of 14 cells with steep risers. */
static float Terraced(float height)
{
	float step = height / 14.0f;
	int floor = FloorToInt(step);
	return 14.0f * ((float)floor + Ramp(0.42f, 0.58f, step - (float)floor)) + 0.12f * (height - 14.0f * (float)floor);
}

static Column Column_At(float x, float z)
{
	float mountain = Ramp(0.12f, 0.62f, Noise_2(x / 430.0f, z / 430.0f, 1));
	float mesa = Ramp(0.30f, 0.42f, Noise_2(x / 350.0f, z / 350.0f, 2)) * (1.0f - mountain);
	float dry = Noise_2(x / 500.0f, z / 500.0f, 3);
	float hills = Octaves(x / 150.0f, z / 150.0f, 10, 4);
	float ridge = 1.0f - Abs(Octaves(x / 210.0f, z / 210.0f, 20, 4));
	float height = 62.0f + 9.0f * Noise_2(x / 620.0f, z / 620.0f, 4) + hills * (4.5f + 5.0f * mountain);
	height += mountain * Max(ridge, 0.0f) * Max(ridge, 0.0f) * 50.0f + mesa * 22.0f;
	height += 0.6f * Octaves(x / 26.0f, z / 26.0f, 30, 2) * (1.0f + 1.5f * mountain);
	height = Mix(height, Terraced(height), mesa);
	float canyon = 1.0f - Ramp(0.045f, 0.085f, Abs(Octaves(x / 330.0f, z / 330.0f, 40, 3)));
	canyon *= Ramp(-0.1f, 0.15f, Noise_2(x / 520.0f, z / 520.0f, 5));
	height = Mix(height, Min(height, 14.0f + 0.25f * height), canyon);
	Column column = {Clamp(height, 3.0f, LEVEL_BIG_HEIGHT - 24.0f), 0, 0, 0, 0, BIOME_GRASS};
	column.bend = 0.6f + 6.0f * mountain + 3.5f * mesa + 3.0f * canyon;
	column.warp = 7.0f * Noise_2(x / 120.0f, z / 120.0f, 6) + 2.0f * Noise_2(x / 31.0f, z / 31.0f, 7);
	float fray = 0.07f * Octaves(x / 30.0f, z / 30.0f, 50, 2);
	column.cave = 0.075f * Ramp(0.25f, 0.5f, Noise_2(x / 200.0f, z / 200.0f, 9));
	column.skin = 3.5f + 2.0f * Noise_2(x / 40.0f, z / 40.0f, 8);
	if (column.height > 112.0f)
		column.biome = BIOME_SNOW;
	else if (mountain + fray > 0.55f)
		column.biome = BIOME_ROCK;
	else if (mesa + fray > 0.4f)
		column.biome = BIOME_MESA;
	else if (dry + fray > 0.35f || column.height < LAKE_LEVEL + 1.5f)
		column.biome = BIOME_SAND;
	return column;
}

static void Builder_Columns(Builder *b)
{
	for (int z = 0; z < WIDE; z++)
		for (int x = 0; x < WIDE; x++)
			b->columns[z][x] = Column_At((float)(b->x0 + x - MARGIN) + 0.5f, (float)(b->z0 + z - MARGIN) + 0.5f);
}

/* Point i stands at cell 4*i - MARGIN; points above the highest ground are not needed. */
static int Builder_Points(Builder *b, int tall)
{
	static const float size[NOISE_COUNT][2] = {{44, 30}, {58, 40}, {58, 40}, {19, 14}};
	int up = Int_Min(POINTS_UP, tall / STEP + 2);
	for (int n = 0; n < NOISE_COUNT; n++)
		for (int y = 0; y < up; y++)
			for (int z = 0; z < POINTS; z++)
				for (int x = 0; x < POINTS; x++) {
					float px = (float)(b->x0 + STEP * x) / size[n][0], py = (float)(STEP * y) / size[n][1];
					float pz = (float)(b->z0 + STEP * z) / size[n][0];
					float fine = Noise_3(2.1f * px, 2.1f * py, 2.1f * pz, 70 + (uint32_t)n);
					b->points[n][y][z][x] = Noise_3(px, py, pz, 60 + (uint32_t)n) + (n == NOISE_BEND ? 0.4f * fine : 0);
				}
	return up;
}

/* The four noises along one row of cells, trilinear between the points. */
static void Builder_NoiseRow(const Builder *b, int y, int z, float row[NOISE_COUNT][WIDE])
{
	float ty = (float)(y % STEP) / STEP, tz = (float)(z % STEP) / STEP;
	for (int n = 0; n < NOISE_COUNT; n++) {
		float edge[POINTS];
		const float(*low)[POINTS] = b->points[n][y / STEP], (*high)[POINTS] = b->points[n][y / STEP + 1];
		for (int x = 0; x < POINTS; x++)
			edge[x] = Mix(Mix(low[z / STEP][x], low[z / STEP + 1][x], tz),
			              Mix(high[z / STEP][x], high[z / STEP + 1][x], tz), ty);
		for (int x = 0; x < WIDE; x++)
			row[n][x] = Mix(edge[x / STEP], edge[x / STEP + 1], (float)(x % STEP) / STEP);
	}
}

static void Builder_Field(Builder *b, int tall)
{
	for (int y = 0; y < tall; y++)
		for (int z = 0; z < WIDE; z++) {
			float noise[NOISE_COUNT][WIDE];
			Builder_NoiseRow(b, y, z, noise);
			for (int x = 0; x < WIDE; x++) {
				const Column *column = &b->columns[z][x];
				float ground = column->height - ((float)(y - MARGIN) + 0.5f) + column->bend * noise[NOISE_BEND][x];
				float a = noise[NOISE_CAVE_A][x], c = noise[NOISE_CAVE_B][x];
				float cave = column->cave > 0.0f ? (Sqrt(a * a + c * c) - column->cave) * 34.0f : 100.0f;
				b->field[y][z][x] = Min(ground, cave);
				b->lump[y][z][x] = noise[NOISE_LUMP][x];
			}
		}
}

/* ---- cells -------------------------------------------------------------------------------------------------- */

/* Distance to occupancy byte as the brushes have it: 0 is untouched, 128 and more is inside. */
static uint8_t ByteOf(float d)
{
	if (d >= 0.0f)
		return d >= 1.0f ? 255 : (uint8_t)(128 + Int_Min(127, (int)(128.0f * d)));
	return d <= -1.0f ? 0 : (uint8_t)(127 - Int_Min(127, (int)(-128.0f * d)));
}

static uint8_t Occupancy_At(const Builder *b, int y, int z, int x)
{
	float f = b->field[y][z][x];
	if (f > 12.0f || f < -12.0f)
		return f > 0.0f ? 255 : 0;
	float gx = 0.5f * (b->field[y][z][x + 1] - b->field[y][z][x - 1]);
	float gy = 0.5f * (b->field[y + 1][z][x] - b->field[y - 1][z][x]);
	float gz = 0.5f * (b->field[y][z + 1][x] - b->field[y][z - 1][x]);
	return ByteOf(f / Max(0.35f, Sqrt(gx * gx + gy * gy + gz * gz)));
}

static uint8_t Material_At(const Column *column, float y, float lump)
{
	enum { GRASS = 2, GROUND, SAND, MUD, ROCK, BASALT, SLATE, SANDSTONE, LIMESTONE, SNOW = 15, SALT = 18 };
	static const uint8_t strata[] = {BASALT, SLATE, ROCK, LIMESTONE, ROCK, SANDSTONE, SLATE, ROCK};
	static const uint8_t skin[] = {GRASS, SAND, SANDSTONE, ROCK, SNOW}, under[] = {GROUND, SAND, SANDSTONE, ROCK, ROCK};
	float depth = column->height - y;
	if (depth < 1.5f)
		return skin[column->biome];
	if (depth < column->skin)
		return under[column->biome];
	if (lump > 0.74f)
		return depth < 14.0f ? MUD : BASALT;
	if (lump < -0.76f)
		return SALT;
	int layer = FloorToInt((y + column->warp + 40.0f) / 28.0f);
	return strata[layer % COUNT_OF(strata)];
}

/* Share of the cell under the lakes' level, in 1/255; caves stay dry. */
static uint8_t Water_At(const Column *column, int y, uint8_t occupancy)
{
	if (occupancy == 255 || (float)y + 1.0f < column->height - 1.5f * column->bend)
		return 0;
	return (uint8_t)(255.0f * Clamp(LAKE_LEVEL - (float)y, 0.0f, 1.0f));
}

static void Builder_Cells(Builder *b, int tall)
{
	uint8_t *to[CHANNEL_COUNT] = {b->cells[0], b->cells[1], b->cells[2]};
	for (int y = 0; y < tall; y++)
		for (int z = 0; z < CHUNK_SIZE; z++)
			for (int x = 0; x < CHUNK_SIZE; x++) {
				const Column *column = &b->columns[z + MARGIN][x + MARGIN];
				uint8_t v = Occupancy_At(b, y + MARGIN, z + MARGIN, x + MARGIN);
				*to[CHANNEL_OCCUPANCY]++ = v;
				*to[CHANNEL_MATERIAL]++ =
				    v == 0 ? MATERIAL_AIR
				           : Material_At(column, (float)y + 0.5f, b->lump[y + MARGIN][z + MARGIN][x + MARGIN]);
				*to[CHANNEL_WATER]++ = Water_At(column, y, v);
			}
}

static int Builder_Run(Builder *b, Store *store, Error *error)
{
	float top = LAKE_LEVEL;
	Builder_Columns(b);
	for (int i = 0; i < WIDE * WIDE; i++) {
		const Column *column = &b->columns[i / WIDE][i % WIDE];
		top = Max(top, column->height + 1.4f * column->bend);
	}
	int tall = Int_Min(LEVEL_BIG_HEIGHT, (int)top + 3);
	Builder_Points(b, tall + 2 * MARGIN);
	Builder_Field(b, tall + 2 * MARGIN);
	Builder_Cells(b, tall);
	Region region = {CHUNK_SIZE, tall, CHUNK_SIZE, {b->cells[0], b->cells[1], b->cells[2]}};
	CellBox box = {{b->x0, 0, b->z0}, {b->x0 + CHUNK_SIZE - 1, tall - 1, b->z0 + CHUNK_SIZE - 1}};
	return Store_Write(store, box, &region, NULL, NULL, error);
}

int LevelBig_Build(Store *store, int size, Error *error)
{
	Builder *builder = malloc(sizeof(*builder));
	if (!builder)
		return Error_OutOfMemory(error);
	int code = ERROR_NONE;
	for (builder->z0 = 0; builder->z0 < size && !code; builder->z0 += CHUNK_SIZE)
		for (builder->x0 = 0; builder->x0 < size && !code; builder->x0 += CHUNK_SIZE)
			code = Builder_Run(builder, store, error);
	free(builder);
	return code;
}
