/* Distances from the surface, out of occupancy.
 *
 * Within a cell of the surface a soft fill's byte is the distance. Where bytes are cut off (255 against 0: hard faces,
 * cubes) it comes from where the surface crosses the cell's edges: a plane with intercepts t_i lies 1/sqrt(sum 1/t_i^2)
 * away. From there on it is carried outwards and inwards by fast sweeping (Zhao, "A fast sweeping method for Eikonal
 * equations", 2005), whose upwind scheme is exact for planes of every slope. */
#include "voxel/smooth_internal.h"

/* Byte steps along an axis that no distance field has. */
#define STEEP 130

/* ---- at the surface ----------------------------------------------------------------------------------------- */

/* FIELD_FAR where the cell's own bytes do not tell. */
static float SeedAt(const DistanceField *field, size_t i, const size_t step[3])
{
	const uint8_t *v = field->occupancy;
	int here = v[i];
	bool inside = here >= 128, steep = false;
	float sum = 0.0f;
	for (int axis = 0; axis < 3; axis++) {
		float nearest = 2.0f;
		for (int side = 0; side < 2; side++) {
			int there = v[side ? i + step[axis] : i - step[axis]];
			steep = steep || here - there >= STEEP || there - here >= STEEP;
			if ((there >= 128) == inside)
				continue;
			float t = inside ? Crossing_At(here, there) : 1.0f - Crossing_At(there, here);
			nearest = Min(nearest, t);
		}
		if (nearest < 2.0f)
			sum += 1.0f / (nearest * nearest);
	}
	if (here > 0 && here < 255 && !steep)
		return ((float)here - 127.5f) / 128.0f;
	float d = sum > 0.0f ? 1.0f / Sqrt(sum) : FIELD_FAR;
	return inside ? d : -d;
}

static void Field_Seed(DistanceField *field)
{
	const size_t step[3] = {1, (size_t)field->nx * (size_t)field->nz, (size_t)field->nx};
	size_t i = 0;
	for (int y = 0; y < field->ny; y++) {
		for (int z = 0; z < field->nz; z++) {
			for (int x = 0; x < field->nx; x++, i++) {
				bool border =
				    x == 0 || y == 0 || z == 0 || x == field->nx - 1 || y == field->ny - 1 || z == field->nz - 1;
				float far = field->occupancy[i] >= 128 ? FIELD_FAR : -FIELD_FAR;
				field->distance[i] = border ? far : SeedAt(field, i, step);
				/* Marks what the sweeps may not change. */
				field->wanted[i] = AbsD(field->distance[i]) < FIELD_FAR ? 1.0f : 0.0f;
			}
		}
	}
}

/* ---- further away ------------------------------------------------------------------------------------------- */

/* The upwind solution from the nearest values along the three axes. */
static float Upwind(float a, float b, float c)
{
	float lo = Min(a, Min(b, c)), hi = Max(a, Max(b, c)), mid = Max(Min(a, b), Min(Max(a, b), c));
	float u = lo + 1.0f;
	if (u <= mid)
		return u;
	u = 0.5f * (lo + mid + Sqrt(2.0f - (lo - mid) * (lo - mid)));
	if (u <= hi)
		return u;
	float sum = lo + mid + hi, root = sum * sum - 3.0f * (lo * lo + mid * mid + hi * hi - 1.0f);
	return (sum + Sqrt(Max(root, 0.0f))) / 3.0f;
}

static void Field_Update(DistanceField *field, size_t i, const size_t step[3], float reach)
{
	float *d = field->distance, near[3];
	if (field->wanted[i] != 0.0f)
		return;
	float sign = field->occupancy[i] >= 128 ? 1.0f : -1.0f;
	for (int axis = 0; axis < 3; axis++)
		near[axis] = Max(Min(sign * d[i - step[axis]], sign * d[i + step[axis]]), 0.0f);
	if (Min(near[0], Min(near[1], near[2])) >= reach)
		return;
	d[i] = sign * Min(sign * d[i], Upwind(near[0], near[1], near[2]));
}

/* The eight directions of a sweep over the inner cells, `rounds` times. */
static void Field_Sweep(DistanceField *field, float reach, int rounds)
{
	const size_t step[3] = {1, (size_t)field->nx * (size_t)field->nz, (size_t)field->nx};
	for (int k = 0; k < 8 * rounds; k++) {
		bool bx = k & 1, by = k & 2, bz = k & 4;
		for (int j = 1; j < field->ny - 1; j++) {
			int y = by ? field->ny - 1 - j : j;
			for (int n = 1; n < field->nz - 1; n++) {
				int z = bz ? field->nz - 1 - n : n;
				size_t row = (size_t)field->nx * ((size_t)z + (size_t)field->nz * (size_t)y);
				for (int m = 1; m < field->nx - 1; m++)
					Field_Update(field, row + (size_t)(bx ? field->nx - 1 - m : m), step, reach);
			}
		}
	}
}

/* ---- life --------------------------------------------------------------------------------------------------- */

static size_t Field_Cells(const DistanceField *field)
{
	return (size_t)field->nx * (size_t)field->ny * (size_t)field->nz;
}

void DistanceField_Free(DistanceField *field, Memory *memory)
{
	size_t cells = Field_Cells(field);
	if (field->material)
		Memory_Free(memory, field->material, cells);
	if (field->occupancy)
		Memory_Free(memory, field->occupancy, cells);
	if (field->distance)
		Memory_Free(memory, field->distance, cells * sizeof(float));
	if (field->wanted)
		Memory_Free(memory, field->wanted, cells * sizeof(float));
	*field = (DistanceField){0};
}

int DistanceField_Read(DistanceField *field, Memory *memory, const Store *store, CellBox box, float reach, Error *error)
{
	*field = (DistanceField){
	    .box = box, .nx = box.hi.x - box.lo.x + 1, .ny = box.hi.y - box.lo.y + 1, .nz = box.hi.z - box.lo.z + 1};
	size_t cells = Field_Cells(field);
	field->material = Memory_Alloc(memory, cells);
	field->occupancy = Memory_Alloc(memory, cells);
	field->distance = Memory_Alloc(memory, cells * sizeof(float));
	field->wanted = Memory_Alloc(memory, cells * sizeof(float));
	if (!field->material || !field->occupancy || !field->distance || !field->wanted)
		return Error_OutOfMemory(error);
	Region region = {field->nx, field->ny, field->nz, {field->material, field->occupancy, NULL}};
	Store_Read(store, box, &region);
	for (size_t i = 0; i < cells; i++)
		if (field->material[i] == MATERIAL_AIR)
			field->occupancy[i] = 0;
	Field_Seed(field);
	Field_Sweep(field, reach, 2);
	return ERROR_NONE;
}
