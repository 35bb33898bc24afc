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

static bool Field_IsBorder(const DistanceField *field, int x, int y, int z)
{
	return x == 0 || y == 0 || z == 0 || x == field->nx - 1 || y == field->ny - 1 || z == field->nz - 1;
}

static void Field_Seed(DistanceField *field)
{
	const size_t step[3] = {1, (size_t)field->nx * (size_t)field->nz, (size_t)field->nx};
	size_t i = 0;
	for (int y = 0; y < field->ny; y++) {
		for (int z = 0; z < field->nz; z++) {
			for (int x = 0; x < field->nx; x++, i++) {
				float far = field->occupancy[i] >= 128 ? FIELD_FAR : -FIELD_FAR;
				field->distance[i] = Field_IsBorder(field, x, y, z) ? far : SeedAt(field, i, step);
				field->mark[i] = AbsD(field->distance[i]) < FIELD_FAR;
			}
		}
	}
}

/* ---- rows near the surface ---------------------------------------------------------------------------------- */

static void Range_Join(int32_t *range, const int32_t *other)
{
	range[0] = Int_Min(range[0], other[0]);
	range[1] = Int_Max(range[1], other[1]);
}

/* Grows the ranges by `by` cells along rows, and from row to row: over `count` rows that lie `step` apart. */
static void Ranges_Spread(int32_t *range, int32_t *scratch, int count, int step, int by)
{
	for (int i = 0; i < count; i++)
		memcpy(scratch + 2 * i, range + 2 * (size_t)(i * (ptrdiff_t)step), 2 * sizeof(int32_t));
	for (int i = 0; i < count; i++)
		for (int k = Int_Max(0, i - by); k <= Int_Min(count - 1, i + by); k++)
			Range_Join(range + 2 * (size_t)(i * (ptrdiff_t)step), scratch + 2 * k);
}

/* From the marks: whatever is within `by` cells of one. */
static void Field_FindRanges(DistanceField *field, int by)
{
	int32_t *range = field->range, *scratch = range + 2 * (size_t)(field->ny * (ptrdiff_t)field->nz);
	for (int row = 0; row < field->ny * field->nz; row++) {
		const uint8_t *mark = field->mark + (size_t)field->nx * (size_t)row;
		const uint8_t *first = memchr(mark, 1, (size_t)field->nx);
		range[2 * row] = first ? (int32_t)(first - mark) - by : INT32_MAX;
		range[2 * row + 1] = INT32_MIN;
		for (int x = field->nx - 1; first && range[2 * row + 1] == INT32_MIN; x--)
			if (mark[x])
				range[2 * row + 1] = x + by;
	}
	for (int y = 0; y < field->ny; y++)
		Ranges_Spread(range + 2 * (size_t)(y * (ptrdiff_t)field->nz), scratch, field->nz, 1, by);
	for (int z = 0; z < field->nz; z++)
		Ranges_Spread(range + 2 * z, scratch, field->ny, field->nz, by);
	for (int row = 0; row < field->ny * field->nz; row++) {
		range[2 * row] = Int_Max(range[2 * row], 1);
		range[2 * row + 1] = Int_Min(range[2 * row + 1], field->nx - 2);
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

/* True when the value came nearer. */
static bool Field_Update(float *d, size_t i, const size_t step[3], float reach)
{
	float near[3], sign = d[i] >= 0.0f ? 1.0f : -1.0f;
	for (int axis = 0; axis < 3; axis++)
		near[axis] = Max(Min(sign * d[i - step[axis]], sign * d[i + step[axis]]), 0.0f);
	if (Min(near[0], Min(near[1], near[2])) >= reach)
		return false;
	float fresh = Upwind(near[0], near[1], near[2]);
	if (!(fresh < sign * d[i]))
		return false;
	d[i] = sign * fresh;
	return true;
}

/* The eight directions of a sweep over the inner cells near the surface, `rounds` times, or until one changes nothing;
 * marked ones stay. */
static void Field_Sweep(const DistanceField *field, float *d, float reach, int rounds)
{
	const size_t step[3] = {1, (size_t)field->nx * (size_t)field->nz, (size_t)field->nx};
	bool changed = true;
	for (int k = 0; k < 8 * rounds && changed; k++) {
		changed = false;
		bool bx = k & 1, by = k & 2, bz = k & 4;
		for (int j = 1; j < field->ny - 1; j++) {
			int y = by ? field->ny - 1 - j : j;
			for (int n = 1; n < field->nz - 1; n++) {
				int z = bz ? field->nz - 1 - n : n;
				size_t row = (size_t)z + (size_t)field->nz * (size_t)y, first = row * (size_t)field->nx;
				const int32_t *range = field->range + 2 * row;
				for (int m = range[0]; m <= range[1]; m++) {
					size_t i = first + (size_t)(bx ? range[0] + range[1] - m : m);
					if (!field->mark[i])
						changed |= Field_Update(d, i, step, reach);
				}
			}
		}
	}
}

static bool ChangesSign(const float *d, size_t i, const size_t step[3])
{
	bool inside = d[i] >= 0.0f;
	for (int axis = 0; axis < 3; axis++)
		if ((d[i - step[axis]] >= 0.0f) != inside || (d[i + step[axis]] >= 0.0f) != inside)
			return true;
	return false;
}

void DistanceField_Renew(DistanceField *field, const float *from, float *to, float reach)
{
	const size_t step[3] = {1, (size_t)field->nx * (size_t)field->nz, (size_t)field->nx};
	size_t cells = (size_t)field->nx * (size_t)field->ny * (size_t)field->nz;
	memset(field->mark, 0, cells);
	for (size_t i = 0; i < cells; i++)
		to[i] = from[i] >= 0.0f ? FIELD_FAR : -FIELD_FAR;
	for (int y = 1; y < field->ny - 1; y++) {
		for (int z = 1; z < field->nz - 1; z++) {
			size_t row = (size_t)z + (size_t)field->nz * (size_t)y;
			for (int x = field->range[2 * row]; x <= field->range[2 * row + 1]; x++) {
				size_t i = row * (size_t)field->nx + (size_t)x;
				if (AbsD(from[i]) >= FIELD_FAR || !ChangesSign(from, i, step))
					continue;
				field->mark[i] = 1;
				to[i] = from[i];
			}
		}
	}
	Field_FindRanges(field, CeilToInt(reach));
	Field_Sweep(field, to, reach, 1);
}

/* ---- life --------------------------------------------------------------------------------------------------- */

static size_t Field_Cells(const DistanceField *field)
{
	return (size_t)field->nx * (size_t)field->ny * (size_t)field->nz;
}

/* A pair for each row, and for those of one line while they are spread. */
static size_t Field_RangeBytes(const DistanceField *field)
{
	size_t ny = (size_t)field->ny, nz = (size_t)field->nz;
	return (ny * nz + ny + nz) * 2 * sizeof(int32_t);
}

void DistanceField_Free(DistanceField *field, Memory *memory)
{
	size_t cells = Field_Cells(field);
	if (field->material)
		Memory_Free(memory, field->material, cells);
	if (field->occupancy)
		Memory_Free(memory, field->occupancy, cells);
	if (field->mark)
		Memory_Free(memory, field->mark, cells);
	if (field->range)
		Memory_Free(memory, field->range, Field_RangeBytes(field));
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
	field->mark = Memory_Alloc(memory, cells);
	field->range = Memory_Alloc(memory, Field_RangeBytes(field));
	if (!field->mark || !field->range || !field->material || !field->occupancy || !field->distance || !field->wanted)
		return Error_OutOfMemory(error);
	Region region = {field->nx, field->ny, field->nz, {field->material, field->occupancy, NULL}};
	Store_Read(store, box, &region);
	for (size_t i = 0; i < cells; i++)
		if (field->material[i] == MATERIAL_AIR)
			field->occupancy[i] = 0;
	Field_Seed(field);
	Field_FindRanges(field, CeilToInt(reach) + 1);
	Field_Sweep(field, field->distance, reach, 2);
	return ERROR_NONE;
}
