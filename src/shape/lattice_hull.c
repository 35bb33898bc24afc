/* Convex hulls of points on a lattice, in whole numbers: quickhull (Barber, Dobkin and Huhdanpaa, 1996) whose only
 * question, on which side of a plane a point lies, is answered exactly. Made for many small hulls: nothing is shaken or
 * merged on the way, and what lies within `slack` of the hull is left out from the start. */
#include "shape/lattice_internal.h"

#include <limits.h>

#define FACES_AT_ONCE 1024   /* a hull that has so many while it grows is given up */
#define MERGE_TOLERANCE 2e-5 /* of the extent: faces within it of one plane become one */

LatticeHull *LatticeHull_Create(Memory *memory)
{
	LatticeHull *h = Memory_AllocZero(memory, sizeof(*h));
	if (!h)
		return NULL;
	h->memory = memory;
	h->simd = Cpu_Simd();
	return h;
}

void LatticeHull_Destroy(LatticeHull *h)
{
	if (!h)
		return;
	Memory *memory = h->memory;
	Memory_Free(memory, h->at, 3 * sizeof(double) * (size_t)h->at_capacity);
	Array_Free(memory, h->faces);
	Array_Free(memory, h->next_point);
	Array_Free(memory, h->starts);
	Array_Free(memory, h->visible);
	Array_Free(memory, h->fresh);
	Array_Free(memory, h->cone);
	Array_Free(memory, h->corners);
	Array_Free(memory, h->planes);
	QhullFacets_Free(&h->triangles, memory);
	Memory_Free(memory, h, sizeof(*h));
}

/* ---- exact geometry ---------------------------------------------------------------------------------------------- */

/* Signed height over the plane with this normal through a point, times the normal's length. */
static int64_t HeightOver(const double normal[3], Cell o, Cell p)
{
	return (int64_t)normal[0] * (p.x - o.x) + (int64_t)normal[1] * (p.y - o.y) + (int64_t)normal[2] * (p.z - o.z);
}

static bool IsAbove(const LatticeHull *h, const LatticeFace *face, int point)
{
	if (!h->exact)
		return HeightOver(face->normal, h->points[face->corner[0]], h->points[point]) > 0;
	return face->normal[0] * Lattice_X(h)[point] + face->normal[1] * Lattice_Y(h)[point] +
	           face->normal[2] * Lattice_Z(h)[point] >
	       face->offset;
}

/* A fresh face; there is room for it. */
static inline int AddFace(LatticeHull *h, int a, int b, int c)
{
	LatticeFace *face = &h->faces.data[h->faces.count];
	const double *x = Lattice_X(h), *y = Lattice_Y(h), *z = Lattice_Z(h);
	double bx = x[b] - x[a], by = y[b] - y[a], bz = z[b] - z[a], cx = x[c] - x[a], cy = y[c] - y[a], cz = z[c] - z[a];
	double nx = by * cz - bz * cy, ny = bz * cx - bx * cz, nz = bx * cy - by * cx; /* whole numbers under 2^53 */
	face->corner[0] = a;
	face->corner[1] = b;
	face->corner[2] = c;
	face->normal[0] = nx;
	face->normal[1] = ny;
	face->normal[2] = nz;
	face->offset = nx * x[a] + ny * y[a] + nz * z[a];
	face->length = sqrt(nx * nx + ny * ny + nz * nz);
	face->outside = face->farthest = NO_POINT;
	face->seen = 0;
	face->alive = true;
	face->visible = false;
	h->alive++;
	h->fresh.data[h->fresh.count++] = h->faces.count;
	return h->faces.count++;
}

/* Room for so many more, all of them fresh. */
static bool ReserveFaces(LatticeHull *h, int count)
{
	h->fresh.count = 0;
	return Array_Reserve(h->memory, h->faces, h->faces.count + count) && Array_Reserve(h->memory, h->fresh, count) &&
	       Array_Reserve(h->memory, h->cone, (count + LANES - 1) / LANES);
}

/* The fresh faces, four side by side; the last one again where they are not full, which comes too late to be the first.
 */
static void FillCone(LatticeHull *h)
{
	int count = h->fresh.count;
	h->cone.count = (count + LANES - 1) / LANES;
	for (int i = 0; i < h->cone.count; i++) {
		FourFaces *four = &h->cone.data[i];
		for (int k = 0; k < LANES; k++) {
			const LatticeFace *face = &h->faces.data[h->fresh.data[Int_Min(LANES * i + k, count - 1)]];
			four->x[k] = face->normal[0];
			four->y[k] = face->normal[1];
			four->z[k] = face->normal[2];
			four->offset[k] = face->offset;
			four->limit[k] = h->slack * face->length;
		}
	}
}

/* ---- points outside ---------------------------------------------------------------------------------------------- */

/* As Lattice_SharePlain, where heights are too great for doubles: they are compared as whole numbers. */
static void ShareWide(LatticeHull *h, int first, int but)
{
	for (int point = first, after; point != NO_POINT; point = after) {
		after = h->next_point.data[point];
		for (int i = 0; i < h->fresh.count && point != but; i++) {
			LatticeFace *face = &h->faces.data[h->fresh.data[i]];
			int64_t height = HeightOver(face->normal, h->points[face->corner[0]], h->points[point]);
			if ((double)height <= h->slack * face->length)
				continue;
			h->next_point.data[point] = face->outside;
			face->outside = point;
			if (face->farthest == NO_POINT || height > face->wide_height ||
			    (height == face->wide_height && point < face->farthest)) {
				face->farthest = point;
				face->wide_height = height;
			}
			break;
		}
	}
}

static void SharePoints(LatticeHull *h, int first, int but)
{
	if (!h->exact)
		ShareWide(h, first, but);
	else if (h->simd)
		Lattice_ShareFast(h, first, but);
	else
		Lattice_SharePlain(h, first, but);
}

static bool Before(Cell a, Cell b)
{
	return a.x != b.x ? a.x < b.x : a.y != b.y ? a.y < b.y : a.z < b.z;
}

static bool ReserveLanes(LatticeHull *h)
{
	if (h->count > INT_MAX / 2)
		return false;
	int capacity = (h->count + LANES - 1) & -LANES;
	if (capacity <= h->at_capacity)
		return true;
	capacity += capacity / 2;
	double *at = Memory_Alloc(h->memory, 3 * sizeof(double) * (size_t)capacity);
	if (!at)
		return false;
	Memory_Free(h->memory, h->at, 3 * sizeof(double) * (size_t)h->at_capacity);
	h->at = at;
	h->at_capacity = capacity;
	return true;
}

/* All points, in lanes and as a list; which is the first in order; and whether heights are exact in double. False: no
 * memory. */
static bool LoadPoints(LatticeHull *h, int *first)
{
	Cell base = h->points[0], lo = base, hi = base;
	if (!ReserveLanes(h))
		return false;
	double *x = h->at, *y = x + h->at_capacity, *z = y + h->at_capacity;
	h->base = base;
	*first = 0;
	for (int i = 0; i < h->count; i++) {
		Cell p = h->points[i];
		lo = (Cell){Int_Min(lo.x, p.x), Int_Min(lo.y, p.y), Int_Min(lo.z, p.z)};
		hi = (Cell){Int_Max(hi.x, p.x), Int_Max(hi.y, p.y), Int_Max(hi.z, p.z)};
		if (Before(p, h->points[*first]))
			*first = i;
		x[i] = p.x - base.x;
		y[i] = p.y - base.y;
		z[i] = p.z - base.z;
		h->next_point.data[i] = i + 1 < h->count ? i + 1 : NO_POINT;
	}
	for (int i = h->count; i % LANES != 0; i++)
		x[i] = y[i] = z[i] = 0.0;
	h->exact = Int_Max(hi.x - lo.x, Int_Max(hi.y - lo.y, hi.z - lo.z)) <= EXACT_SPAN;
	return true;
}

/* ---- the first four ---------------------------------------------------------------------------------------------- */

/* Four points that are not in one plane, of which the first is known. */
static bool PickFirst(const LatticeHull *h, int pick[4])
{
	double normal[3];
	if (!(h->simd ? Lattice_PickFast(h, pick, normal) : Lattice_PickPlain(h, pick, normal)))
		return false;
	Cell a = h->points[pick[0]];
	int64_t most = h->exact && pick[3] != NO_POINT ? HeightOver(normal, a, h->points[pick[3]]) : 0;
	for (int i = 0; i < h->count && !h->exact; i++) {
		int64_t far = HeightOver(normal, a, h->points[i]);
		if ((far < 0 ? -far : far) > (most < 0 ? -most : most)) {
			most = far;
			pick[3] = i;
		}
	}
	if (most > 0) { /* the fourth is to lie behind the first three */
		int swap = pick[1];
		pick[1] = pick[2];
		pick[2] = swap;
	}
	return most != 0;
}

static bool MakeFirst(LatticeHull *h, const int p[4])
{
	static const uint8_t corner[4][3] = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};
	static const uint8_t next[4][3] = {{1, 2, 3}, {3, 2, 0}, {1, 3, 0}, {2, 1, 0}};
	if (!ReserveFaces(h, 4))
		return false;
	for (int f = 0; f < 4; f++) {
		AddFace(h, p[corner[f][0]], p[corner[f][1]], p[corner[f][2]]);
		for (int i = 0; i < 3; i++)
			h->faces.data[f].next[i] = next[f][i];
	}
	FillCone(h);
	SharePoints(h, 0, NO_POINT);
	return true;
}

/* ---- one more point ---------------------------------------------------------------------------------------------- */

/* The faces that the point sees, from one of them on. */
static bool FindVisible(LatticeHull *h, int first, int point)
{
	int count = 0, round = ++h->round;
	if (!Array_Reserve(h->memory, h->visible, h->alive)) /* each enters once */
		return false;
	LatticeFace *faces = h->faces.data;
	int *visible = h->visible.data;
	faces[first].visible = true;
	faces[first].seen = round;
	visible[count++] = first;
	for (int i = 0; i < count; i++)
		for (int k = 0; k < 3; k++) {
			int next = faces[visible[i]].next[k];
			if (faces[next].seen == round)
				continue;
			faces[next].seen = round;
			faces[next].visible = IsAbove(h, &faces[next], point);
			if (faces[next].visible)
				visible[count++] = next;
		}
	h->visible.count = count;
	return true;
}

static int EdgeOf(const LatticeFace *face, int from)
{
	return face->corner[0] == from ? 0 : face->corner[1] == from ? 1 : 2;
}

/* New faces from the horizon's edges to the point. */
static bool MakeCone(LatticeHull *h, int point)
{
	if (!ReserveFaces(h, 3 * h->visible.count))
		return false;
	LatticeFace *faces = h->faces.data;
	int *starts = h->starts.data;
	for (int i = 0; i < h->visible.count; i++)
		for (int k = 0; k < 3; k++) {
			const LatticeFace *old = &faces[h->visible.data[i]];
			int a = old->corner[k], b = old->corner[k < 2 ? k + 1 : 0], beyond = old->next[k];
			if (faces[beyond].visible)
				continue;
			int face = AddFace(h, a, b, point);
			faces[face].next[0] = beyond;
			faces[beyond].next[EdgeOf(&faces[beyond], b)] = face;
			starts[a] = face;
		}
	for (int i = 0; i < h->fresh.count; i++) {
		int face = h->fresh.data[i], after = starts[faces[face].corner[1]];
		faces[face].next[1] = after;
		faces[after].next[2] = face;
	}
	FillCone(h);
	return true;
}

/* The visible faces go, and their points find new ones. */
static void Retire(LatticeHull *h, int point)
{
	for (int i = 0; i < h->visible.count; i++) {
		LatticeFace *face = &h->faces.data[h->visible.data[i]];
		SharePoints(h, face->outside, point);
		face->alive = false;
		face->outside = face->farthest = NO_POINT;
		h->alive--;
	}
}

static bool Grow(LatticeHull *h, bool *given_up)
{
	for (int f = 0; f < h->faces.count; f++) {
		int point = h->faces.data[f].farthest;
		if (!h->faces.data[f].alive || point == NO_POINT)
			continue;
		if (h->alive > FACES_AT_ONCE) {
			*given_up = true;
			return true;
		}
		if (!FindVisible(h, f, point) || !MakeCone(h, point))
			return false;
		Retire(h, point);
	}
	return true;
}

/* ---- the finished hull ------------------------------------------------------------------------------------------- */

/* The points that faces meet at, in the points' order, and the box around them. */
static void ListCorners(LatticeHull *h)
{
	int *starts = h->starts.data, count = 0;
	memset(starts, 0xFF, sizeof(int) * (size_t)h->count); /* NO_POINT */
	for (int f = 0; f < h->faces.count; f++) {
		const LatticeFace *face = &h->faces.data[f];
		if (face->alive)
			starts[face->corner[0]] = starts[face->corner[1]] = starts[face->corner[2]] = 0;
	}
	Cell lo = {INT32_MAX, INT32_MAX, INT32_MAX}, hi = {INT32_MIN, INT32_MIN, INT32_MIN};
	for (int i = 0; i < h->count; i++) {
		if (starts[i] != 0)
			continue;
		Cell p = h->points[i];
		lo = (Cell){Int_Min(lo.x, p.x), Int_Min(lo.y, p.y), Int_Min(lo.z, p.z)};
		hi = (Cell){Int_Max(hi.x, p.x), Int_Max(hi.y, p.y), Int_Max(hi.z, p.z)};
		starts[i] = count;
		h->corners.data[count++] = i;
	}
	h->corners.count = count;
	h->lo = lo;
	h->hi = hi;
}

/* False: no memory. */
static bool Finish(LatticeHull *h)
{
	h->last = 0;
	if (!Array_Reserve(h->memory, h->planes, (h->alive + LANES - 1) / LANES) ||
	    !Array_Reserve(h->memory, h->corners, Int_Min(h->count, 3 * h->alive)))
		return false;
	if (h->simd)
		Lattice_PlanesFast(h);
	else
		Lattice_PlanesPlain(h);
	ListCorners(h);
	return true;
}

int LatticeHull_Build(LatticeHull *h, const Cell *points, int count, double slack)
{
	int first[4];
	bool given_up = false;
	h->points = points;
	h->count = count;
	h->slack = slack;
	h->alive = h->faces.count = h->round = 0;
	if (count < 4)
		return 0;
	if (!Array_Resize(h->memory, h->next_point, count) || !Array_Resize(h->memory, h->starts, count) ||
	    !LoadPoints(h, &first[0]))
		return ERROR_MEMORY;
	if (!PickFirst(h, first))
		return 0;
	if (!MakeFirst(h, first) || !Grow(h, &given_up))
		return ERROR_MEMORY;
	if (given_up)
		return 0;
	if (!Finish(h))
		return ERROR_MEMORY;
	return h->corners.count <= HULL_VERTEX_LIMIT && h->alive <= HULL_FACE_LIMIT;
}

bool LatticeHull_AnyDeep(LatticeHull *h, const Cell *points, int count, double depth)
{
	return h->simd ? Lattice_AnyDeepFast(h, points, count, depth) : Lattice_AnyDeepPlain(h, points, count, depth);
}

bool LatticeHull_AnyOutside(const LatticeHull *h, const Cell *points, int count, double distance)
{
	return h->simd ? Lattice_AnyOutsideFast(h, points, count, distance)
	               : Lattice_AnyOutsidePlain(h, points, count, distance);
}

int LatticeHull_CornerCount(const LatticeHull *h)
{
	return h->corners.count;
}

Cell LatticeHull_Corner(const LatticeHull *h, int i)
{
	return h->points[h->corners.data[i]];
}

/* ---- as a hull of metres ----------------------------------------------------------------------------------------- */

static bool ListTriangles(LatticeHull *h)
{
	QhullFacets *list = &h->triangles;
	list->index.count = list->first.count = 0;
	if (!Array_Push(h->memory, list->first, 0))
		return false;
	for (int f = 0; f < h->faces.count; f++) {
		const LatticeFace *face = &h->faces.data[f];
		for (int i = 0; i < 3 && face->alive; i++)
			if (!Array_Push(h->memory, list->index, h->starts.data[face->corner[i]]))
				return false;
		if (face->alive && !Array_Push(h->memory, list->first, list->index.count))
			return false;
	}
	return true;
}

Hull *LatticeHull_Make(LatticeHull *h, Memory *memory, double unit, Error *error)
{
	static const double factors[] = {1.0, 1.0 / 4.0, 1.0 / 16.0, 0.0};
	Vec3D exact[HULL_VERTEX_LIMIT];
	Vec3 vertices[HULL_VERTEX_LIMIT];
	uint8_t renumber[HULL_VERTEX_LIMIT] = {0};
	Vec3D lo = {DBL_MAX, DBL_MAX, DBL_MAX}, hi = {-DBL_MAX, -DBL_MAX, -DBL_MAX};
	int count = h->corners.count, kept = 0;
	bool merged = false;
	for (int i = 0; i < count; i++) {
		Cell p = LatticeHull_Corner(h, i);
		exact[i] = ToD(ToF((Vec3D){p.x * unit, p.y * unit, p.z * unit})); /* as it will be */
		lo = (Vec3D){MinD(lo.x, exact[i].x), MinD(lo.y, exact[i].y), MinD(lo.z, exact[i].z)};
		hi = (Vec3D){MaxD(hi.x, exact[i].x), MaxD(hi.y, exact[i].y), MaxD(hi.z, exact[i].z)};
	}
	double extent = MaxD(hi.x - lo.x, MaxD(hi.y - lo.y, hi.z - lo.z));
	if (!ListTriangles(h)) {
		Error_OutOfMemory(error);
		return NULL;
	}
	for (int i = 0; i < COUNT_OF(factors) && !merged; i++)
		merged = HullMerge_Load(&h->merge, &h->triangles, exact, count) &&
		         HullMerge_Run(&h->merge, h->simd, exact, count, factors[i] * MERGE_TOLERANCE * extent);
	if (!merged) {
		Error_Set(error, ERROR_ARGUMENT, "hull: no convex surface of these points");
		return NULL;
	}
	for (int i = 0; i < count; i++)
		if (h->merge.used[i]) {
			renumber[i] = (uint8_t)kept;
			vertices[kept++] = ToF(exact[i]);
		}
	HullFaces *faces = &h->merge.faces;
	for (int i = 0; i < faces->first[faces->face_count]; i++)
		faces->index[i] = renumber[faces->index[i]];
	return Hull_Assemble(memory, h->simd, vertices, kept, faces, error);
}
