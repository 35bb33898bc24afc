/* Hills, overhangs and caves, made of value noise: the kind of ground that the surface's speed and its tests are about.
 * The same cells on every machine: nothing but sums, products and square roots of doubles.
 */
#ifndef TESTS_SURFACE_TERRAIN_H
#define TESTS_SURFACE_TERRAIN_H

#include "base/base.h"
#include "math/math.h"

/* In [-1, 1] at a point of the lattice. */
static inline double Ground_Lattice(int x, int y, int z, uint64_t seed)
{
	Random random = {seed * 0x9E3779B97F4A7C15u ^ (uint64_t)(uint32_t)x << 40 ^ (uint64_t)(uint32_t)y << 20 ^
	                 (uint64_t)(uint32_t)z};
	Random_U64(&random);
	return Random_Range(&random, -1.0, 1.0);
}

static inline double Ground_Noise(double x, double y, double z, uint64_t seed)
{
	double at[3] = {x, y, z}, sum = 0.0;
	int cell[3];
	for (int i = 0; i < 3; i++) {
		cell[i] = (int)at[i] - (at[i] < (int)at[i]);
		at[i] -= cell[i];
		at[i] = at[i] * at[i] * (3.0 - 2.0 * at[i]);
	}
	for (int i = 0; i < 8; i++) {
		int dx = i & 1, dy = i >> 1 & 1, dz = i >> 2;
		double weight = (dx ? at[0] : 1.0 - at[0]) * (dy ? at[1] : 1.0 - at[1]) * (dz ? at[2] : 1.0 - at[2]);
		sum += weight * Ground_Lattice(cell[0] + dx, cell[1] + dy, cell[2] + dz, seed);
	}
	return sum;
}

/* Height of the hills, before overhangs. */
static inline double Ground_Height(double x, double z, double middle, uint64_t seed)
{
	double height = middle, strength = 11.0, scale = 1.0 / 48.0;
	for (int octave = 0; octave < 4; octave++) {
		height += strength * Ground_Noise(scale * x, 0.5, scale * z, seed + 1 + (uint64_t)octave);
		strength *= 0.5;
		scale *= 2.0;
	}
	return height;
}

/* Signed distance, about, of a point from the surface: positive in the ground. Tunnels run where two noises vanish. */
static inline double Ground_Depth(double x, double y, double z, double height, uint64_t seed)
{
	double depth = height - y + 5.0 * Ground_Noise(x / 14.0, y / 10.0, z / 14.0, seed + 11);
	double a = Ground_Noise(x / 22.0, y / 16.0, z / 22.0, seed + 12);
	double b = Ground_Noise(x / 22.0, y / 16.0, z / 22.0, seed + 13);
	double tunnel = 24.0 * (0.13 - sqrt(a * a + b * b));
	return y > 4.0 && -tunnel < depth ? -tunnel : depth;
}

/* Occupancy of a cell for a signed distance: the writer of the brushes. */
static inline int Ground_Value(double depth)
{
	double v = 127.5 + 128.0 * depth;
	return v <= 0.0 ? 0 : v >= 255.0 ? 255 : (int)(v + 0.5);
}

#endif
