/* The kernels of hulls, four points or planes at a time, in the form of the file that includes this: FORM(name) is what
 * a function is called in it. With FORM_SIMD they are for processors with AVX2: the same operations, and so the same
 * bits. */
#include "shape/lattice_internal.h"

typedef int64_t Masks __attribute__((vector_size(32), aligned(8)));

/* BITS_GREATER(a, b): bits of the lanes in which a is greater. */
#if FORM_SIMD

#include <immintrin.h>

#define FORM_FUNCTION SIMD_FUNCTION
#define BITS_GREATER(a, b) ((unsigned)_mm256_movemask_pd(_mm256_cmp_pd((a), (b), _CMP_GT_OQ)))

#else

#define FORM_FUNCTION
#define BITS_GREATER(a, b) BitsOf((const Masks[]){(Masks)((a) > (b))})

static inline unsigned BitsOf(const Masks *t)
{
	return (unsigned)(((*t)[0] & 1) | ((*t)[1] & 2) | ((*t)[2] & 4) | ((*t)[3] & 8));
}

#endif

#define KERNEL FORM_FUNCTION static inline __attribute__((always_inline))

/* The greatest number so far in each lane, and whose it is. */
typedef struct Most {
	Lanes number;
	Masks at;
} Most;

KERNEL void Most_Add(Most *most, const Lanes *number, int first)
{
	const Masks at = {first, first + 1, first + 2, first + 3};
	Masks more = (Masks)(*number > most->number);
	most->number = (Lanes)((more & (Masks)*number) | (~more & (Masks)most->number));
	most->at = (more & at) | (~more & most->at);
}

/* Of equal ones the first; NO_POINT: none is more than 0. */
KERNEL int Most_Find(const Most *most)
{
	double number = 0.0;
	int at = NO_POINT;
	for (int k = 0; k < LANES; k++)
		if (most->number[k] > number || (at != NO_POINT && most->number[k] == number && most->at[k] < at)) {
			number = most->number[k];
			at = (int)most->at[k];
		}
	return at;
}

KERNEL int FarthestFromPoint(const LatticeHull *h, int a)
{
	const double *px = Lattice_X(h), *py = Lattice_Y(h), *pz = Lattice_Z(h);
	double ax = px[a], ay = py[a], az = pz[a];
	Most most = {{0}, {0}};
	for (int i = 0; i < h->count; i += LANES) {
		Lanes x = *(const Lanes *)(px + i) - ax, y = *(const Lanes *)(py + i) - ay;
		Lanes z = *(const Lanes *)(pz + i) - az, far = x * x + y * y + z * z;
		Most_Add(&most, &far, i);
	}
	return Most_Find(&most);
}

KERNEL int FarthestFromLine(const LatticeHull *h, int a, int b)
{
	const double *px = Lattice_X(h), *py = Lattice_Y(h), *pz = Lattice_Z(h);
	double ax = px[a], ay = py[a], az = pz[a];
	double bx = px[b] - ax, by = py[b] - ay, bz = pz[b] - az;
	Most most = {{0}, {0}};
	for (int i = 0; i < h->count; i += LANES) {
		Lanes x = *(const Lanes *)(px + i) - ax, y = *(const Lanes *)(py + i) - ay;
		Lanes z = *(const Lanes *)(pz + i) - az;
		Lanes nx = by * z - bz * y, ny = bz * x - bx * z, nz = bx * y - by * x;
		Lanes far = nx * nx + ny * ny + nz * nz;
		Most_Add(&most, &far, i);
	}
	return Most_Find(&most);
}

KERNEL int FarthestFromPlane(const LatticeHull *h, int a, const double normal[3])
{
	const double *px = Lattice_X(h), *py = Lattice_Y(h), *pz = Lattice_Z(h);
	double ax = px[a], ay = py[a], az = pz[a];
	Most most = {{0}, {0}};
	for (int i = 0; i < h->count; i += LANES) {
		Lanes x = *(const Lanes *)(px + i) - ax, y = *(const Lanes *)(py + i) - ay;
		Lanes z = *(const Lanes *)(pz + i) - az;
		Lanes height = normal[0] * x + normal[1] * y + normal[2] * z;
		Lanes far = (Lanes)((Masks)height & INT64_MAX); /* without its sign */
		Most_Add(&most, &far, i);
	}
	return Most_Find(&most);
}

FORM_FUNCTION bool FORM(Lattice_Pick)(const LatticeHull *h, int pick[4], double normal[3])
{
	const double *x = Lattice_X(h), *y = Lattice_Y(h), *z = Lattice_Z(h);
	int a = pick[0], b = pick[1] = FarthestFromPoint(h, a);
	int c = pick[2] = b == NO_POINT ? NO_POINT : FarthestFromLine(h, a, b);
	if (c == NO_POINT)
		return false;
	double bx = x[b] - x[a], by = y[b] - y[a], bz = z[b] - z[a], cx = x[c] - x[a], cy = y[c] - y[a], cz = z[c] - z[a];
	normal[0] = by * cz - bz * cy;
	normal[1] = bz * cx - bx * cz;
	normal[2] = bx * cy - by * cx;
	pick[3] = FarthestFromPlane(h, a, normal);
	return true;
}

FORM_FUNCTION void FORM(Lattice_Share)(LatticeHull *h, int first, int but)
{
	const double *px = Lattice_X(h), *py = Lattice_Y(h), *pz = Lattice_Z(h);
	const FourFaces *cone = h->cone.data;
	int groups = h->cone.count;
	for (int point = first, after; point != NO_POINT; point = after) {
		after = h->next_point.data[point];
		if (point == but)
			continue;
		double x = px[point], y = py[point], z = pz[point];
		for (int i = 0; i < groups; i++) {
			Lanes height = cone[i].x * x + cone[i].y * y + cone[i].z * z - cone[i].offset;
			unsigned above = BITS_GREATER(height, cone[i].limit);
			if (above != 0) {
				int k = __builtin_ctz(above);
				Lattice_Give(h, &h->faces.data[h->fresh.data[LANES * i + k]], point, height[k]);
				break;
			}
		}
	}
}

/* Unit normals and offsets from normals, and points on the planes, as they stand in four lists. */
KERNEL void FinishPlanes(LatticeHull *h, FourPlanes *four, const int faces[LANES])
{
	const double *px = Lattice_X(h), *py = Lattice_Y(h), *pz = Lattice_Z(h);
	Lanes x = {0}, y = x, z = x, length = x, ox = x, oy = x, oz = x;
	for (int k = 0; k < LANES; k++) {
		const LatticeFace *face = &h->faces.data[faces[k]];
		x[k] = face->normal[0];
		y[k] = face->normal[1];
		z[k] = face->normal[2];
		length[k] = face->length;
		ox[k] = px[face->corner[0]];
		oy[k] = py[face->corner[0]];
		oz[k] = pz[face->corner[0]];
	}
	four->x = x / length;
	four->y = y / length;
	four->z = z / length;
	four->offset =
	    four->x * (ox + (double)h->base.x) + four->y * (oy + (double)h->base.y) + four->z * (oz + (double)h->base.z);
}

FORM_FUNCTION void FORM(Lattice_Planes)(LatticeHull *h)
{
	int faces[LANES], n = 0, count = 0;
	for (int f = 0; f < h->faces.count; f++) {
		if (!h->faces.data[f].alive)
			continue;
		faces[n++] = f;
		if (n == LANES) {
			FinishPlanes(h, &h->planes.data[count++], faces);
			n = 0;
		}
	}
	if (n > 0) {
		for (int k = n; k < LANES; k++)
			faces[k] = faces[n - 1];
		FinishPlanes(h, &h->planes.data[count++], faces);
	}
	h->planes.count = count;
}

/* The lanes in which the point is no deeper than `depth`. */
#define BITS_SHALLOW(four, p, depths)                                                                                  \
	(15u & ~BITS_GREATER((four)->offset -                                                                              \
	                         ((four)->x * (double)(p).x + (four)->y * (double)(p).y + (four)->z * (double)(p).z),      \
	                     depths))

/* Whatever is near the box around the hull has a face as near. */
KERNEL bool IsNearBox(const LatticeHull *h, Cell p, double depth)
{
	return p.x - h->lo.x <= depth || h->hi.x - p.x <= depth || p.y - h->lo.y <= depth || h->hi.y - p.y <= depth ||
	       p.z - h->lo.z <= depth || h->hi.z - p.z <= depth;
}

/* One point's answer is mostly that of the planes that gave the last. */
FORM_FUNCTION bool FORM(Lattice_AnyDeep)(LatticeHull *h, const Cell *points, int count, double depth)
{
	const Lanes depths = {depth, depth, depth, depth};
	const FourPlanes *planes = h->planes.data;
	int plane_count = h->planes.count, last = h->last;
	for (int k = 0; k < count; k++) {
		Cell p = points[k];
		if (IsNearBox(h, p, depth) || BITS_SHALLOW(&planes[last], p, depths))
			continue;
		int i = 0;
		while (i < plane_count && !BITS_SHALLOW(&planes[i], p, depths))
			i++;
		if (i == plane_count)
			return true;
		last = i;
	}
	h->last = last;
	return false;
}

FORM_FUNCTION bool FORM(Lattice_AnyOutside)(const LatticeHull *h, const Cell *points, int count, double distance)
{
	const Lanes over = {-distance, -distance, -distance, -distance};
	const FourPlanes *planes = h->planes.data;
	for (int k = 0; k < count; k++) {
		Cell p = points[k];
		for (int i = 0; i < h->planes.count; i++) {
			const FourPlanes *four = &planes[i];
			Lanes under = four->offset - (four->x * (double)p.x + four->y * (double)p.y + four->z * (double)p.z);
			if (BITS_GREATER(over, under))
				return true;
		}
	}
	return false;
}

/* ---- hulls of any points ---------------------------------------------------------------------------------------- */

FORM_FUNCTION bool FORM(Lanes_Hold)(const PointLanes *points, int count, Vec3D n, Vec3D on, double limit)
{
	const Lanes limits = {limit, limit, limit, limit};
	for (int i = 0; i < count; i += LANES) {
		Lanes x = *(const Lanes *)(points->x + i), y = *(const Lanes *)(points->y + i);
		Lanes z = *(const Lanes *)(points->z + i);
		Lanes height = n.x * (x - on.x) + n.y * (y - on.y) + n.z * (z - on.z);
		if (BITS_GREATER(height, limits))
			return false;
	}
	return true;
}

FORM_FUNCTION double FORM(Lanes_Support)(const PointLanes *points, int count, Vec3D n)
{
	Lanes most = {-DBL_MAX, -DBL_MAX, -DBL_MAX, -DBL_MAX};
	for (int i = 0; i < count; i += LANES) {
		Lanes x = *(const Lanes *)(points->x + i), y = *(const Lanes *)(points->y + i);
		Lanes z = *(const Lanes *)(points->z + i);
		Lanes along = n.x * x + n.y * y + n.z * z;
		Masks more = (Masks)(along > most);
		most = (Lanes)((more & (Masks)along) | (~more & (Masks)most));
	}
	return MaxD(MaxD(most[0], most[1]), MaxD(most[2], most[3]));
}
