/* Shared inside shape/: hull parts. */
#ifndef SCREE_SHAPE_INTERNAL_H
#define SCREE_SHAPE_INTERNAL_H

#include "shape/shape.h"

/* From p to the segment a b. */
static inline double SegmentDistance(Vec3D p, Vec3D a, Vec3D b)
{
	Vec3D ab = SubD(b, a), ap = SubD(p, a);
	double t = ClampD(DotD(ap, ab) / DotD(ab, ab), 0.0, 1.0);
	return LengthD(SubD(ap, ScaleD(t, ab)));
}

/* Nearest float at or above the value: keeps "holds everything" true after rounding. */
float RoundUp(double value);
float RoundDown(double value);

/* ---- hulls ---------------------------------------------------------------------------------------------------- */

#define HULL_INDEX_LIMIT (6 * HULL_VERTEX_LIMIT - 12) /* corners in all: twice the edges of a triangulation */
#define HULL_EDGE_LIMIT (3 * HULL_VERTEX_LIMIT - 6)
#define HULL_NO_FACE 255

/* Faces as lists of corners, counter-clockwise from outside. */
typedef struct HullFaces {
	int face_count;
	uint16_t first[HULL_FACE_LIMIT + 1];
	uint8_t index[HULL_INDEX_LIMIT];
} HullFaces;

/* Which face runs along a -> b; HULL_NO_FACE where none does. 16 KB. */
typedef struct HullSides {
	uint8_t face[HULL_VERTEX_LIMIT][HULL_VERTEX_LIMIT];
} HullSides;

/* False when an edge has no partner, or two faces run along it the same way: not a closed surface. */
bool HullSides_Fill(HullSides *sides, const HullFaces *faces, int vertex_count);

/* Newell's normal (length: twice the area) of a polygon, about its first corner. */
Vec3D Polygon_Normal(const Vec3D *points, const uint8_t *corners, int count);

/* From p to a polygon with unit normal n, over whose plane p stands at height d. The height counts where p is over the
 * polygon, so corners may lie a little off the plane. */
double Polygon_Distance(const Vec3D *points, const uint8_t *corners, int count, Vec3D n, Vec3D p, double d);

/* Signed distance of a point from a face's stored plane, in double: everyone rounds the same way. */
static inline double Hull_PlaneDistance(const Hull *hull, int face, Vec3D p)
{
	return DotD(ToD(hull->normals[face]), p) - (double)hull->offsets[face];
}

/* Points four side by side; lanes beyond the last are as the last. */
#define LANES 4
typedef struct PointLanes {
	double x[HULL_VERTEX_LIMIT], y[HULL_VERTEX_LIMIT], z[HULL_VERTEX_LIMIT];
} PointLanes;
_Static_assert(HULL_VERTEX_LIMIT % LANES == 0, "lanes end where points do");

void Lanes_Load(PointLanes *lanes, const Vec3D *points, int count);
/* Are all points at most `limit` over the plane with normal n through `on`? In two forms (hull_kernel_internal.h). */
bool Lanes_HoldPlain(const PointLanes *points, int count, Vec3D n, Vec3D on, double limit);
bool Lanes_HoldFast(const PointLanes *points, int count, Vec3D n, Vec3D on, double limit);
/* The most of n times a point; a zero has either sign. */
double Lanes_SupportPlain(const PointLanes *points, int count, Vec3D n);
double Lanes_SupportFast(const PointLanes *points, int count, Vec3D n);

/* One block with planes, edges and mass properties. The faces must be a closed convex surface of these vertices. simd:
 * Cpu_Simd(). */
Hull *Hull_Assemble(Memory *memory, bool simd, const Vec3 *vertices, int vertex_count, const HullFaces *faces,
                    Error *error);

/* Volume, centre and inertia at density 1 from faces and vertices (mass.c). */
void Hull_ComputeMass(Hull *hull);

/* ---- building ------------------------------------------------------------------------------------------------- */

/* What qhull says: facets as lists of point numbers, all turned alike. */
typedef struct QhullFacets {
	ARRAY(int) index;
	ARRAY(int) first; /* one more than there are facets */
} QhullFacets;

void QhullFacets_Free(QhullFacets *facets, Memory *memory);

/* Convex hull of count points (3 doubles each) by qhull. joggled: points are shaken by about 1e-11 of their extent and
 * all facets are triangles; otherwise facets that lie in one plane up to rounding are one. ERROR_ARGUMENT with qhull's
 * words where it finds no sound hull. */
int Qhull_Run(Memory *memory, const double *points, int count, bool joggled, QhullFacets *facets, Error *error);

/* Makes planar faces of qhull's facets: those that lie within `tolerance` of one plane become one face. `used` tells
 * which points are corners of the result. False when the outcome would not be convex to within a few tolerances: try a
 * smaller one. Working memory, about 20 KB, is the caller's. */
typedef struct HullMerge {
	HullSides sides;
	HullFaces facets; /* as they came */
	Vec3D normal[HULL_FACE_LIMIT];
	double area[HULL_FACE_LIMIT];
	int region[HULL_FACE_LIMIT];
	int region_count;
	uint8_t region_first[HULL_FACE_LIMIT], region_next[HULL_FACE_LIMIT]; /* their facets in order, then HULL_NO_FACE */
	HullFaces faces;                                                     /* the result; corners are numbers of points */
	bool used[HULL_VERTEX_LIMIT];
} HullMerge;

bool HullMerge_Load(HullMerge *merge, const QhullFacets *facets, const Vec3D *points, int count);
bool HullMerge_Run(HullMerge *merge, bool simd, const Vec3D *points, int count, double tolerance);

#endif
