/* What the terrain benchmark asks: sets of rays and of boxes. */
#include "bench_terrain_level.h"

#define PROBE_LENGTH 5.0f
#define RAY_LENGTH 400.0f

static float Uniform(Random *r, double lo, double hi)
{
	return (float)Random_Range(r, lo, hi);
}

/* Rays start in clear air: what is behind their first front face differs from peer to peer by design. */
static bool IsSolid(Terrain *terrain, const float p[3])
{
	return Terrain_PointInside(terrain, (Pos){p[0], p[1], p[2]}, NULL) != 0;
}

/* Height of the uppermost cell that is at least half full. */
static int TopOf(float x, float z)
{
	int y = LEVEL_Y - 1;
	while (y > 0 && Store_Get(bench_store, (Cell){FloorToInt(x), y, FloorToInt(z)}).occupancy < 128)
		y--;
	return y;
}

static void SetRay(float *ray, const float origin[3], const double d[3])
{
	double length = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
	for (int a = 0; a < 3; a++) {
		ray[a] = origin[a];
		ray[3 + a] = (float)(d[a] / length);
	}
}

/* From clear air into any direction. */
Question LongRays(Terrain *terrain, int count, Random *r)
{
	Question q = {"rays, long", RAY_LENGTH, 0, count, Need(24 * (size_t)count)};
	for (int i = 0; i < count; i++) {
		float o[3];
		double d[3], size;
		do {
			o[0] = Uniform(r, 1, LEVEL_X - 1);
			o[1] = Uniform(r, 1, LEVEL_Y - 1);
			o[2] = Uniform(r, 1, LEVEL_Z - 1);
		} while (IsSolid(terrain, o));
		do {
			size = 0.0;
			for (int a = 0; a < 3; a++) {
				d[a] = Random_Range(r, -1.0, 1.0);
				size += d[a] * d[a];
			}
		} while (size > 1.0 || size < 1e-3);
		SetRay(q.data + 6 * (size_t)i, o, d);
	}
	return q;
}

/* Ground probes, as wheels and feet send them. */
Question DownRays(Terrain *terrain, int count, Random *r)
{
	Question q = {"rays, down", PROBE_LENGTH, 0, count, Need(24 * (size_t)count)};
	const double down[3] = {0.0, -1.0, 0.0};
	for (int i = 0; i < count; i++) {
		float o[3];
		do {
			o[0] = Uniform(r, 2, LEVEL_X - 2);
			o[2] = Uniform(r, 2, LEVEL_Z - 2);
			o[1] = (float)TopOf(o[0], o[2]) + Uniform(r, 1.5, 3.5);
		} while (IsSolid(terrain, o));
		SetRay(q.data + 6 * (size_t)i, o, down);
	}
	return q;
}

/* Views of 70 degrees from six cells above the ground, in scan order. */
Question CameraRays(Random *r)
{
	const double spread = 0.7002;
	Question q = {"rays, camera", RAY_LENGTH, 0, VIEWS * PIXELS * PIXELS, Need(24 * (size_t)VIEWS * PIXELS * PIXELS)};
	float *out = q.data;
	for (int view = 0; view < VIEWS; view++) {
		float x = Uniform(r, 60, LEVEL_X - 60), z = Uniform(r, 60, LEVEL_Z - 60);
		const float o[3] = {x, (float)TopOf(x, z) + 6.0f, z};
		double yaw = Random_Range(r, 0.0, 2.0 * PI), pitch = Random_Range(r, -0.5, 0.0);
		double cy = Trig_Cos(yaw), sy = Trig_Sin(yaw), cp = Trig_Cos(pitch), sp = Trig_Sin(pitch);
		for (int row = 0; row < PIXELS; row++)
			for (int column = 0; column < PIXELS; column++, out += 6) {
				double u = ((column + 0.5) / (PIXELS * 0.5) - 1.0) * spread;
				double v = (1.0 - (row + 0.5) / (PIXELS * 0.5)) * spread;
				const double d[3] = {cy * cp - u * sy - v * sp * cy, sp + v * cp, sy * cp + u * cy - v * sp * sy};
				SetRay(out, o, d);
			}
	}
	return q;
}

/* Boxes about the surface. */
Question Boxes(const char *name, float side, int count, const BenchMesh *mesh, Random *r)
{
	Question q = {name, 0, side, count, Need(12 * (size_t)count)};
	for (int i = 0; i < count; i++) {
		const uint32_t *triangle = mesh->triangles + 3 * (size_t)Random_Below(r, mesh->triangle_count);
		for (int a = 0; a < 3; a++) {
			float sum = 0.0f;
			for (int k = 0; k < 3; k++)
				sum += mesh->vertices[3 * (size_t)triangle[k] + a];
			q.data[3 * i + a] = sum / 3.0f + Uniform(r, -0.5, 0.5);
		}
	}
	return q;
}
