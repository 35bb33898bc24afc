/* shape: convex primitives and hulls. Geometry, mass, support points, rays; no motion.
 *
 * Owns: hulls. Uses: base, math (qhull for hulls). Called by: collide, dynamics, world.
 *
 * A shape sits in its own frame: ball, box, capsule, cylinder and cone about the origin (their axis is Y), a hull where
 * its points are. A cone's origin is the middle of its height, so its base is half_length below and its tip as far
 * above, and its centre of mass a quarter of its length above the base. Metres; kilograms.
 */
#ifndef SCREE_SHAPE_H
#define SCREE_SHAPE_H

#include "base/base.h"
#include "math/math.h"
#include "spatial/spatial.h"

typedef enum ShapeKind {
	SHAPE_BALL,
	SHAPE_CAPSULE,
	SHAPE_BOX,
	SHAPE_HULL,
	SHAPE_CYLINDER,
	SHAPE_CONE,
	SHAPE_KIND_COUNT, /* of those that are convex */
	SHAPE_MESH
} ShapeKind;

/* A convex polyhedron with planar faces of any number of corners. Arrays are parts of the one block `this` starts. */
typedef struct HullEdge {
	uint8_t a, b;        /* vertices; a -> b runs counter-clockwise on `left` */
	uint8_t left, right; /* faces */
} HullEdge;

#define HULL_VERTEX_LIMIT 128
#define HULL_FACE_LIMIT 255
#define HULL_POINT_LIMIT (1 << 22) /* points that Hull_Create takes */

typedef struct Hull {
	int vertex_count, face_count, edge_count, index_count;
	const Vec3 *vertices;
	const Vec3 *normals;        /* per face, unit, outward */
	const float *offsets;       /* per face: dot(normal, p) = offset on the plane */
	const uint16_t *face_first; /* face_count + 1: corners of face f are face_index[face_first[f] .. face_first[f+1]) */
	const uint8_t *face_index;  /* counter-clockwise seen from outside */
	const HullEdge *edges;
	Box bounds;
	Vec3 center; /* of mass at uniform density */
	float volume;
	Mat3 inertia;       /* about center, at density 1 */
	float inner_radius; /* of a ball about center that lies inside */
	float outer_radius; /* of the ball about the frame's origin that holds it */
	size_t bytes;
} Hull;

/* The convex hull of any points (3 doubles each). Duplicates and interior points are fine. Coplanar triangles are
 * merged into one face. NULL with ERROR_ARGUMENT when the points are fewer than 4, not finite, over 1e6 m away, over
 * 1000 times their extent away, all within 1e-5 m, on a line or flat (thickness under 1e-4 of the extent), saying
 * which. Points within 2e-6 of the extent of the hull of the others are left out (near-duplicates); when more than
 * HULL_VERTEX_LIMIT corners remain, the hull is simplified to that many by keeping the points that matter most
 * (farthest-point order), never silently wrong: *deviation (metres; NULL if not wanted) receives how far outside of the
 * hull the farthest input point lies. Vertices stand in the order of the input; faces start at their lowest vertex and
 * are sorted. qhull works on the C heap, beside `memory`; nothing of it stays. */
Hull *Hull_Create(Memory *memory, const double *points, int count, float *deviation, Error *error);
Hull *Hull_CreateBox(Memory *memory, Vec3 half);   /* for tests and generic paths */
Hull *Hull_CreateWedge(Memory *memory, Vec3 half); /* the box's lower half: full height at +z, none at -z */
/* From corners and faces (face_first and face_index as in Hull, face_count + 1 and face_first[face_count] long), bit
 * for bit the hull that they were taken from. ERROR_ARGUMENT when they are no convex polyhedron. */
Hull *Hull_CreateFaces(Memory *memory, const Vec3 *vertices, int vertex_count, const uint16_t *face_first,
                       const uint8_t *face_index, int face_count, Error *error);
void Hull_Destroy(Memory *memory, Hull *hull);
bool Hull_Validate(const Hull *hull, char *why, size_t why_size); /* Euler, convexity, windings */

/* ---- hulls of lattice points (lattice_hull.c) -------------------------------------------------------------------- */

/* For many small hulls of points with whole numbers, exactly. Working space for one hull at a time. */
typedef struct LatticeHull LatticeHull;

#define LATTICE_SPAN (1 << 18) /* points of one hull lie within so much of each other on every axis */

LatticeHull *LatticeHull_Create(Memory *memory);
void LatticeHull_Destroy(LatticeHull *hull);
/* The hull of the points (which must stay as long as it is used), but for those that lie within `slack` of the hull of
 * the others. 1: made; 0: they are flat, or there would be more corners or faces than a Hull has; ERROR_MEMORY. */
int LatticeHull_Build(LatticeHull *hull, const Cell *points, int count, double slack);
/* Does one of the points lie deeper than `depth` under all of the faces' planes? Quick where neighbours follow one
 * another. */
bool LatticeHull_AnyDeep(LatticeHull *hull, const Cell *points, int count, double depth);
/* Is one of them further than `distance` beyond one of the planes? */
bool LatticeHull_AnyOutside(const LatticeHull *hull, const Cell *points, int count, double distance);
int LatticeHull_CornerCount(const LatticeHull *hull);
Cell LatticeHull_Corner(const LatticeHull *hull, int i); /* in the order of the points */
/* The hull in metres; unit: of one step of the lattice. NULL: no memory, or ERROR_ARGUMENT where rounding to float
 * leaves nothing convex. */
Hull *LatticeHull_Make(LatticeHull *hull, Memory *memory, double unit, Error *error);

/* ---- meshes of triangles: the surface of what never moves (trimesh*.c) ---------------------------------------- */

#define TRIMESH_LIMIT (1 << 23) /* triangles */
#define TRIMESH_REACH 1e5       /* m from the shape's origin */

/* One-sided triangles with a search tree. Corners within 1e-6 of the mesh's extent of each other are one, so that edges
 * are known even where a file has three corners of its own for each triangle. */
typedef struct Trimesh Trimesh;

typedef struct TrimeshInfo {
	int triangle_count, vertex_count; /* kept, after corners were made one */
	int64_t dropped;                  /* triangles without area */
	int open_edges;                   /* sides of triangles along which no other runs the other way */
	bool closed;                      /* the surface of a solid, looking outwards */
	float volume;                     /* of a closed one, else 0 */
	Vec3D lo, hi;                     /* bounds in the shape's frame */
	size_t bytes;                     /* everything it holds */
	uint64_t hash;                    /* over all of it */
} TrimeshInfo;

/* positions: 3 a vertex, indices: 3 a triangle, from 0, counter-clockwise from outside. NULL: an index without a
 * vertex, nothing that has an area (ERROR_ARGUMENT), over TRIMESH_REACH or TRIMESH_LIMIT (ERROR_LIMIT), ERROR_MEMORY.
 * Has one owner. Shows a progress bar when long. */
Trimesh *Trimesh_Create(Memory *memory, const double *positions, int vertex_count, const uint32_t *indices,
                        int triangle_count, Error *error);
const Trimesh *Trimesh_Share(const Trimesh *mesh);         /* one more owner */
void Trimesh_Release(Memory *memory, const Trimesh *mesh); /* the last owner's frees it; NULL does nothing */
const TrimeshInfo *Trimesh_Info(const Trimesh *mesh);
/* To an archive or from it, bit for bit. When reading, *mesh is NULL after a fault, else the caller's. */
void Trimesh_Archive(Archive *archive, Memory *memory, const Trimesh **mesh);
Box Trimesh_Bounds(const Trimesh *mesh, Xform placement);

/* Triangles whose own box meets `box`, in a fixed order: the mesh turned by `rotation`, then shifted, in double, so
 * that a large mesh loses nothing near the asker's origin. A vertex that triangles share has the same bits in each;
 * `id` is a triangle's place. What is too thin to have a normal is left out. */
typedef bool TrimeshFn(void *context, const Triangle *triangle); /* false stops */
bool Trimesh_Visit(const Trimesh *mesh, Quat rotation, Vec3D shift, Box box, TrimeshFn *fn, void *context);
/* The same as a list, appended, relative to `origin`. False: out of memory. */
bool Trimesh_Gather(const Trimesh *mesh, Pose pose, Pos origin, WorldBox box, Memory *memory, TriangleList *out);

typedef struct TrimeshHit {
	double fraction;
	Vec3 normal; /* of the triangle, unit, facing the ray */
	int triangle;
} TrimeshHit;

typedef struct TrimeshHitList {
	ARRAY(TrimeshHit) items;
} TrimeshHitList;

/* Rays in the shape's frame, origin + t * delta, t in [0, 1]: the nearest triangle that faces it, or all (appended, in
 * no order; false: out of memory). Watertight. A start on a triangle meets it. */
bool Trimesh_Raycast(const Trimesh *mesh, const double origin[3], const double delta[3], TrimeshHit *hit);
bool Trimesh_RaycastAll(const Trimesh *mesh, const double origin[3], const double delta[3], Memory *memory,
                        TrimeshHitList *hits);
/* Is the point in the solid of a closed mesh, and not on its surface? Of one that is not closed none is. */
bool Trimesh_Contains(const Trimesh *mesh, const double point[3]);
/* The nearest way out of that solid along its axes, and how far it is. False: the point is not in it. */
bool Trimesh_WayOut(const Trimesh *mesh, Vec3 point, Vec3 *out, float *depth);

/* ---- all kinds ------------------------------------------------------------------------------------------------- */

typedef struct Shape {
	ShapeKind kind;
	float radius;      /* ball, capsule, cylinder; of a cone's base */
	float half_length; /* capsule: half of the distance between its end centres; cylinder, cone: of the whole length */
	Vec3 half;         /* box half extents */
	const Hull *hull;  /* not owned */
	const Trimesh *mesh; /* not owned; has bounds and rays, but no support points, and the mass of its bounds' box */
} Shape;

typedef struct MassProps {
	float mass;
	Vec3 center;
	Mat3 inertia; /* about center, in the frame's axes */
} MassProps;

MassProps Shape_Mass(const Shape *shape, float density);
/* Sum of placed mass properties (parallel axes), in double inside: exact to float rounding. */
MassProps Mass_Combine(const MassProps *parts, const Xform *placements, int count);

Box Shape_Bounds(const Shape *shape, Xform placement);
/* Of a ball about Shape_Middle that lies inside: how far it may move before it can tunnel. */
float Shape_InnerRadius(const Shape *shape);
Vec3 Shape_Middle(const Shape *shape);                    /* a point well inside */
float Shape_OuterRadius(const Shape *shape);              /* of the ball about its origin that holds it */
Vec3 Shape_Support(const Shape *shape, Vec3 direction);   /* farthest point along direction (any length) */
bool Shape_ContainsPoint(const Shape *shape, Vec3 point); /* the surface counts as inside */
float Shape_Volume(const Shape *shape);

/* What of the placed shape lies under a plane, dot(normal, p) <= offset (normal unit): its volume, m3, and its centre
 * in the frame of the placement and the plane. Exact for balls, boxes and hulls, within 1e-6 of the volume for the
 * others. Nothing under it: volume 0, and the centre is that of the shape. */
void Shape_Submerged(const Shape *shape, Xform placement, Vec3 normal, float offset, float *volume, Vec3 *center);

/* A ray in the shape's frame: origin + t * delta, t in [0,1], in double. One rule for all solids: a start inside gives
 * inside = true, fraction 0, normal zero. For rays the surface is outside: a start on it that goes in is a hit at
 * fraction 0 with the surface's normal, one that goes out or along is a miss. A touch that grazes from outside may hit
 * or miss; a hit's normal always faces the ray (dot(normal, delta) <= 0). Zero delta: inside or miss. Numbers that are
 * not finite: miss. Who wants to see out of solids takes a hit with `inside` for a miss: convex, so there is nothing
 * else to meet. */
typedef struct ShapeHit {
	double fraction;
	Vec3 normal;
	bool inside;
} ShapeHit;

bool Shape_Ray(const Shape *shape, const double origin[3], const double delta[3], ShapeHit *hit);

#endif
