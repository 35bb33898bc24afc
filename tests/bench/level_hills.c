#include "level_hills.h"

#include "math/math.h"

enum { SOIL = 2, ROCK = 3 };

typedef struct Level {
	Cell at;
	int ny;
	uint64_t seed;
} Level;

/* ---- noise --------------------------------------------------------------------------------------------------- */

/* A number in [-1, 1] for a lattice point. */
static double Lattice(uint64_t seed, int x, int y, int z)
{
	Random r = {seed ^ (uint64_t)(uint32_t)x * 0x9E3779B97F4A7C15u ^ (uint64_t)(uint32_t)y * 0xC2B2AE3D27D4EB4Fu ^
	            (uint64_t)(uint32_t)z * 0x165667B19E3779F9u};
	return Random_Range(&r, -1.0, 1.0);
}

static double Smooth(double t)
{
	return t * t * t * (t * (t * 6.0 - 15.0) + 10.0);
}

static double Mix(double a, double b, double t)
{
	return a + (b - a) * t;
}

static double Noise(uint64_t seed, double x, double y, double z)
{
	int ix = FloorToInt(x), iy = FloorToInt(y), iz = FloorToInt(z);
	double tx = Smooth(x - ix), ty = Smooth(y - iy), tz = Smooth(z - iz), plane[2];
	for (int k = 0; k < 2; k++) {
		double near = Mix(Lattice(seed, ix, iy, iz + k), Lattice(seed, ix + 1, iy, iz + k), tx);
		double far = Mix(Lattice(seed, ix, iy + 1, iz + k), Lattice(seed, ix + 1, iy + 1, iz + k), tx);
		plane[k] = Mix(near, far, ty);
	}
	return Mix(plane[0], plane[1], tz);
}

static double Octaves(uint64_t seed, int octaves, double x, double y, double z)
{
	double sum = 0.0, weight = 1.0;
	for (int i = 0; i < octaves; i++) {
		sum += weight * Noise(seed + (uint64_t)i, x, y, z);
		x *= 2.0;
		y *= 2.0;
		z *= 2.0;
		weight *= 0.5;
	}
	return sum;
}

/* ---- ground -------------------------------------------------------------------------------------------------- */

static double Height(const Level *level, double x, double z)
{
	return level->ny * (0.5 + 0.3 * Octaves(level->seed, 4, x / 70.0, 0.0, z / 70.0));
}

/* About how deep a point lies in the ground, cells; negative in the air. */
static double Depth(const Level *level, double height, double x, double y, double z)
{
	double hill = (height - y) * 0.75;
	if (hill < -2.0)
		return hill;
	double cavern = (0.80 - Octaves(level->seed + 100, 2, x / 26.0, y / 17.0, z / 26.0)) * 14.0;
	double u = Noise(level->seed + 200, x / 30.0, y / 30.0, z / 30.0);
	double v = Noise(level->seed + 300, x / 30.0, y / 30.0, z / 30.0);
	double tunnel = (sqrt(u * u + v * v) - 0.045) * 22.0;
	return MinD(hill, MinD(MinD(cavern, tunnel), y + 100.0));
}

static void FillRow(void *context, int32_t x, int32_t y, int32_t z, int n, uint8_t *material, uint8_t *occupancy,
                    uint8_t *water)
{
	const Level *level = context;
	double py = y - level->at.y + 0.5, pz = z - level->at.z + 0.5;
	for (int i = 0; i < n; i++) {
		double px = x + i - level->at.x + 0.5, height = Height(level, px, pz);
		double depth = Depth(level, height, px, py, pz), filled = ClampD(0.5 + depth * 0.5, 0.0, 1.0);
		int value = (int)(filled * 256.0) - 1;
		material[i] = value < 0 ? MATERIAL_AIR : height - py < 3.0 ? SOIL : ROCK;
		occupancy[i] = (uint8_t)Int_Max(value, 0);
		water[i] = 0;
	}
}

int LevelHills_Fill(Store *store, Cell at, int nx, int ny, int nz, uint64_t seed, Error *error)
{
	Level level = {at, ny, seed};
	CellBox box = {at, {at.x + nx - 1, at.y + ny - 1, at.z + nz - 1}};
	return Store_Edit(store, box, FillRow, &level, NULL, error);
}
