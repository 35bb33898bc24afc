/* Convex hulls of points on a lattice, in whole numbers: quickhull (Barber, Dobkin and Huhdanpaa, 1996) whose only
 * question, on which side of a plane a point lies, is answered exactly. Made for many small hulls: nothing is shaken or
 * merged on the way, and what lies within `slack` of the hull is left out from the start. */
#include "shape/shape.h"
#include "shape/shape_internal.h"

#define FACES_AT_ONCE 1024   /* a hull that has so many while it grows is given up */
#define MERGE_TOLERANCE 2e-5 /* of the extent: faces within it of one plane become one */
#define NO_POINT (-1)

typedef struct LatticeFace {
	int corner[3]; /* counter-clockwise from outside */
	int next[3];   /* faces over the edges corner[i], corner[i + 1] */
	int64_t normal[3];
	double length;         /* of the normal */
	int outside, farthest; /* list of points above it, and the one furthest off */
	int64_t height;        /* of that one, times length */
	bool alive, visible;
} LatticeFace;

/* Unit normals and offsets of four faces, side by side. */
typedef double Lanes __attribute__((vector_size(32), aligned(16))); /* as memory is */

typedef struct FourPlanes {
	Lanes x, y, z, offset;
} FourPlanes;

struct LatticeHull {
	Memory *memory;
	const Cell *points;
	int count;
	double slack;
	ARRAY(LatticeFace) faces;
	ARRAY(int) next_point; /* list of points of a face; by point */
	ARRAY(int) starts;     /* by point: the new face whose edge at the horizon begins there */
	ARRAY(int) visible, fresh, orphans, corners;
	int alive;
	/* Of the finished hull: */
	ARRAY(FourPlanes) planes; /* the last one again where the four are not full */
	Cell lo, hi;              /* its box */
	int last;                 /* the planes that answered the last question, where the next may be answered, too */
	QhullFacets triangles;
	HullMerge merge;
};

LatticeHull *LatticeHull_Create(Memory *memory)
{
	LatticeHull *h = Memory_AllocZero(memory, sizeof(*h));
	if (h)
		h->memory = memory;
	return h;
}

void LatticeHull_Destroy(LatticeHull *h)
{
	if (!h)
		return;
	Memory *memory = h->memory;
	Array_Free(memory, h->faces);
	Array_Free(memory, h->next_point);
	Array_Free(memory, h->starts);
	Array_Free(memory, h->visible);
	Array_Free(memory, h->fresh);
	Array_Free(memory, h->orphans);
	Array_Free(memory, h->corners);
	Array_Free(memory, h->planes);
	QhullFacets_Free(&h->triangles, memory);
	Memory_Free(memory, h, sizeof(*h));
}

/* ---- exact geometry ---------------------------------------------------------------------------------------------- */

/* Within 2^19 of each other, so that products of three fit 63 bits. */
static void CrossOf(Cell o, Cell a, Cell b, int64_t out[3])
{
	int64_t ax = a.x - o.x, ay = a.y - o.y, az = a.z - o.z, bx = b.x - o.x, by = b.y - o.y, bz = b.z - o.z;
	out[0] = ay * bz - az * by;
	out[1] = az * bx - ax * bz;
	out[2] = ax * by - ay * bx;
}

static double SquareOf(const int64_t v[3])
{
	double x = (double)v[0], y = (double)v[1], z = (double)v[2];
	return x * x + y * y + z * z;
}

/* Signed height over the face's plane, times its normal's length. */
static int64_t Height(const LatticeHull *h, const LatticeFace *face, int point)
{
	Cell p = h->points[point], o = h->points[face->corner[0]];
	return face->normal[0] * (p.x - o.x) + face->normal[1] * (p.y - o.y) + face->normal[2] * (p.z - o.z);
}

static int AddFace(LatticeHull *h, int a, int b, int c)
{
	if (!Array_Reserve(h->memory, h->faces, h->faces.count + 1))
		return -1;
	LatticeFace *face = &h->faces.data[h->faces.count];
	face->corner[0] = a;
	face->corner[1] = b;
	face->corner[2] = c;
	CrossOf(h->points[a], h->points[b], h->points[c], face->normal);
	face->length = sqrt(SquareOf(face->normal));
	face->outside = face->farthest = NO_POINT;
	face->alive = true;
	face->visible = false;
	h->alive++;
	return h->faces.count++;
}

/* ---- points outside ---------------------------------------------------------------------------------------------- */

/* Gives the point to the first of the faces that it lies above by more than the slack. */
static void AssignPoint(LatticeHull *h, const int *faces, int count, int point)
{
	for (int i = 0; i < count; i++) {
		LatticeFace *face = &h->faces.data[faces[i]];
		int64_t height = Height(h, face, point);
		if ((double)height <= h->slack * face->length)
			continue;
		h->next_point.data[point] = face->outside;
		face->outside = point;
		if (face->farthest == NO_POINT || height > face->height || (height == face->height && point < face->farthest)) {
			face->farthest = point;
			face->height = height;
		}
		return;
	}
}

/* ---- the first four ---------------------------------------------------------------------------------------------- */

static bool Before(Cell a, Cell b)
{
	return a.x != b.x ? a.x < b.x : a.y != b.y ? a.y < b.y : a.z < b.z;
}

/* Four points that are not in one plane: the first in order, the one furthest from it, from their line, their plane. */
static bool PickFirst(const LatticeHull *h, int pick[4])
{
	double best = 0.0;
	pick[0] = 0;
	for (int i = 1; i < h->count; i++)
		if (Before(h->points[i], h->points[pick[0]]))
			pick[0] = i;
	Cell a = h->points[pick[0]];
	for (int i = 0; i < h->count; i++) {
		double x = h->points[i].x - a.x, y = h->points[i].y - a.y, z = h->points[i].z - a.z;
		double far = x * x + y * y + z * z;
		if (far > best) {
			best = far;
			pick[1] = i;
		}
	}
	if (best == 0.0)
		return false;
	best = 0.0;
	int64_t normal[3];
	for (int i = 0; i < h->count; i++) {
		CrossOf(a, h->points[pick[1]], h->points[i], normal);
		double far = SquareOf(normal);
		if (far > best) {
			best = far;
			pick[2] = i;
		}
	}
	if (best == 0.0)
		return false;
	int64_t most = 0;
	CrossOf(a, h->points[pick[1]], h->points[pick[2]], normal);
	for (int i = 0; i < h->count; i++) {
		Cell p = h->points[i];
		int64_t far = normal[0] * (p.x - a.x) + normal[1] * (p.y - a.y) + normal[2] * (p.z - a.z);
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
	int all[4] = {0, 1, 2, 3};
	for (int f = 0; f < 4; f++) {
		if (AddFace(h, p[corner[f][0]], p[corner[f][1]], p[corner[f][2]]) < 0)
			return false;
		for (int i = 0; i < 3; i++)
			h->faces.data[f].next[i] = next[f][i];
	}
	for (int i = 0; i < h->count; i++)
		AssignPoint(h, all, 4, i);
	return true;
}

/* ---- one more point ---------------------------------------------------------------------------------------------- */

/* The faces that the point sees, from one of them on. */
static bool FindVisible(LatticeHull *h, int first, int point)
{
	h->visible.count = 0;
	h->faces.data[first].visible = true;
	if (!Array_Push(h->memory, h->visible, first))
		return false;
	for (int i = 0; i < h->visible.count; i++)
		for (int k = 0; k < 3; k++) {
			int next = h->faces.data[h->visible.data[i]].next[k];
			LatticeFace *face = &h->faces.data[next];
			if (face->visible || Height(h, face, point) <= 0)
				continue;
			face->visible = true;
			if (!Array_Push(h->memory, h->visible, next))
				return false;
		}
	return true;
}

static int EdgeOf(const LatticeFace *face, int from)
{
	return face->corner[0] == from ? 0 : face->corner[1] == from ? 1 : 2;
}

/* New faces from the horizon's edges to the point. */
static bool MakeCone(LatticeHull *h, int point)
{
	h->fresh.count = 0;
	for (int i = 0; i < h->visible.count; i++)
		for (int k = 0; k < 3; k++) {
			const LatticeFace *old = &h->faces.data[h->visible.data[i]];
			int a = old->corner[k], b = old->corner[k < 2 ? k + 1 : 0], beyond = old->next[k];
			if (h->faces.data[beyond].visible)
				continue;
			int face = AddFace(h, a, b, point);
			if (face < 0 || !Array_Push(h->memory, h->fresh, face))
				return false;
			h->faces.data[face].next[0] = beyond;
			h->faces.data[beyond].next[EdgeOf(&h->faces.data[beyond], b)] = face;
			h->starts.data[a] = face;
		}
	for (int i = 0; i < h->fresh.count; i++) {
		LatticeFace *face = &h->faces.data[h->fresh.data[i]];
		int after = h->starts.data[face->corner[1]];
		face->next[1] = after;
		h->faces.data[after].next[2] = h->fresh.data[i];
	}
	return true;
}

/* The visible faces go, and their points find new ones. */
static bool Retire(LatticeHull *h, int point)
{
	h->orphans.count = 0;
	for (int i = 0; i < h->visible.count; i++) {
		LatticeFace *face = &h->faces.data[h->visible.data[i]];
		for (int p = face->outside; p != NO_POINT; p = h->next_point.data[p])
			if (p != point && !Array_Push(h->memory, h->orphans, p))
				return false;
		face->alive = false;
		face->outside = face->farthest = NO_POINT;
		h->alive--;
	}
	for (int i = 0; i < h->orphans.count; i++)
		AssignPoint(h, h->fresh.data, h->fresh.count, h->orphans.data[i]);
	return true;
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
		if (!FindVisible(h, f, point) || !MakeCone(h, point) || !Retire(h, point))
			return false;
	}
	return true;
}

/* ---- the finished hull ------------------------------------------------------------------------------------------- */

/* False: no memory. */
static bool ListPlanes(LatticeHull *h)
{
	int count = 0;
	if (!Array_Resize(h->memory, h->planes, (h->alive + 3) / 4))
		return false;
	for (int f = 0; f < h->faces.count; f++) {
		const LatticeFace *face = &h->faces.data[f];
		if (!face->alive)
			continue;
		Cell o = h->points[face->corner[0]];
		double x = (double)face->normal[0] / face->length, y = (double)face->normal[1] / face->length,
		       z = (double)face->normal[2] / face->length, offset = x * o.x + y * o.y + z * o.z;
		FourPlanes *four = &h->planes.data[count / 4];
		for (int k = count % 4; k < 4; k++) {
			four->x[k] = x;
			four->y[k] = y;
			four->z[k] = z;
			four->offset[k] = offset;
		}
		count++;
	}
	return true;
}

/* The points that faces meet at, in the points' order, and the box around them. False: no memory. */
static bool ListCorners(LatticeHull *h)
{
	for (int i = 0; i < h->count; i++)
		h->starts.data[i] = NO_POINT;
	for (int f = 0; f < h->faces.count; f++)
		for (int i = 0; i < 3 && h->faces.data[f].alive; i++)
			h->starts.data[h->faces.data[f].corner[i]] = 0;
	h->corners.count = 0;
	h->lo = (Cell){INT32_MAX, INT32_MAX, INT32_MAX};
	h->hi = (Cell){INT32_MIN, INT32_MIN, INT32_MIN};
	for (int i = 0; i < h->count; i++) {
		if (h->starts.data[i] != 0)
			continue;
		Cell p = h->points[i];
		h->lo = (Cell){Int_Min(h->lo.x, p.x), Int_Min(h->lo.y, p.y), Int_Min(h->lo.z, p.z)};
		h->hi = (Cell){Int_Max(h->hi.x, p.x), Int_Max(h->hi.y, p.y), Int_Max(h->hi.z, p.z)};
		h->starts.data[i] = h->corners.count;
		if (!Array_Push(h->memory, h->corners, i))
			return false;
	}
	return true;
}

/* False: no memory. */
static bool Finish(LatticeHull *h)
{
	h->last = 0;
	return ListPlanes(h) && ListCorners(h);
}

int LatticeHull_Build(LatticeHull *h, const Cell *points, int count, double slack)
{
	int first[4];
	bool given_up = false;
	h->points = points;
	h->count = count;
	h->slack = slack;
	h->alive = h->faces.count = 0;
	if (count < 4 || !PickFirst(h, first))
		return 0;
	if (!Array_Resize(h->memory, h->next_point, count) || !Array_Resize(h->memory, h->starts, count) ||
	    !MakeFirst(h, first) || !Grow(h, &given_up))
		return ERROR_MEMORY;
	if (given_up)
		return 0;
	if (!Finish(h))
		return ERROR_MEMORY;
	return h->corners.count <= HULL_VERTEX_LIMIT && h->alive <= HULL_FACE_LIMIT;
}

/* How far the point is below the lowest of four planes. */
static inline double Under(const FourPlanes *four, Cell p)
{
	Lanes under = four->offset - (four->x * (double)p.x + four->y * (double)p.y + four->z * (double)p.z);
	return MinD(MinD(under[0], under[1]), MinD(under[2], under[3]));
}

/* Whatever is near the box around the hull has a face as near. */
static bool IsNearBox(const LatticeHull *h, Cell p, double depth)
{
	return p.x - h->lo.x <= depth || h->hi.x - p.x <= depth || p.y - h->lo.y <= depth || h->hi.y - p.y <= depth ||
	       p.z - h->lo.z <= depth || h->hi.z - p.z <= depth;
}

bool LatticeHull_IsDeep(LatticeHull *h, Cell p, double depth)
{
	if (IsNearBox(h, p, depth) || (h->last < h->planes.count && Under(&h->planes.data[h->last], p) <= depth))
		return false;
	for (int i = 0; i < h->planes.count; i++)
		if (Under(&h->planes.data[i], p) <= depth) {
			h->last = i;
			return false;
		}
	return true;
}

double LatticeHull_Outside(const LatticeHull *h, Cell p)
{
	double lowest = DBL_MAX;
	for (int i = 0; i < h->planes.count; i++)
		lowest = MinD(lowest, Under(&h->planes.data[i], p));
	return -lowest;
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
		         HullMerge_Run(&h->merge, exact, count, factors[i] * MERGE_TOLERANCE * extent);
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
	return Hull_Assemble(memory, vertices, kept, faces, error);
}
