/* collide: two placed shapes, or a shape and triangles -> contact points, distances, sweeps. No bodies, no world.
 *
 * Owns: nothing. Uses: shape, spatial (Triangle), math, base. Called by: dynamics (contacts, continuous), world
 * (queries).
 *
 * All placements are given in one common frame near the origin (float): the caller moves the frame, so far-away worlds
 * cost no precision. A and B: the normal points from A to B. separation < 0 is penetration.
 */
#ifndef SCREE_COLLIDE_H
#define SCREE_COLLIDE_H

#include "base/base.h"
#include "math/math.h"
#include "shape/shape.h"
#include "spatial/spatial.h"

#define MANIFOLD_POINTS 4

typedef struct ManifoldPoint {
	Vec3 point;       /* common frame, midway between the two surfaces */
	float separation; /* metres along the normal; < 0: overlap */
	uint32_t id; /* feature pair: equal from step to step while the same features touch; differs within a manifold */
} ManifoldPoint;

/* Up to four points that share a normal. */
typedef struct Manifold {
	Vec3 normal; /* unit, from A to B */
	int count;   /* 0: apart by more than the margin */
	ManifoldPoint points[MANIFOLD_POINTS];
	uint8_t material; /* against triangles: the material of the deepest one's */
} Manifold;

/* ---- contact (pairs.c, sat.c, clip.c, gjk.c) --------------------------------------------------------------------- */

/* Contact of two convex shapes closer than margin. Balls and capsules in closed form; polyhedra by separating axes over
 * face normals and edge pairs (Gauss map pruning, after Gregorius, "The separating axis test between convex polyhedra",
 * GDC 2013) with clipping of the incident face; the reference axis is kept stable by a small preference for faces of A,
 * then of B, then edges. At most four points, those that span the largest area and include the deepest. Where one edge
 * or end touches, the points that the pair would land on if it turned about that follow it, counted along the same
 * normal. Coincident centres give some fixed normal, never NaN. When they are apart (count 0), points[0].separation may
 * say by how much at least; 0: not known. */
void Collide_Shapes(const Shape *a, Xform ta, const Shape *b, Xform tb, float margin, Manifold *manifold);

/* How a shape moves over the step that a manifold is made for: metres, and radians about its origin. */
typedef struct ShapeMotion {
	Vec3 shift, turn;
} ShapeMotion;

/* Contact of triangles (A) with a shape (B). One-sided: only what lies in front of, or has sunk less than its own depth
 * behind, a triangle. Face contacts are accepted first; an edge or a corner of a triangle counts only where it is
 * convex and no accepted face owns it, so that a surface cut into triangles feels like one surface (no ghost bumps).
 * Points are clustered by normal (within 6 degrees and only while one plane fits them) and reduced to four a cluster:
 * first those that are, or by `motion` (NULL: none) soon will be, the deepest, then those that span most. Returns the
 * number of manifolds (<= capacity; deepest clusters first where they would be more). `arena` holds its temporaries;
 * when it gives out the result is -1. `edge_filter` false lets every edge speak (negative controls in tests). `touched`
 * (NULL, or a byte a triangle): which triangles made points, before these were reduced. */
int Collide_Triangles(const Triangle *triangles, int count, const Shape *shape, Xform placement, float margin,
                      const ShapeMotion *motion, bool edge_filter, Arena *arena, Manifold *manifolds, int capacity,
                      uint8_t *touched);

/* ---- distance and sweeps (gjk.c, cast.c) ------------------------------------------------------------------------ */

typedef struct Separation {
	float distance; /* 0 when they overlap */
	Vec3 point_a, point_b;
	Vec3 normal; /* unit from A to B; zero when they overlap */
} Separation;

/* GJK (Gilbert, Johnson, Keerthi 1988), with the radii of balls and capsules taken off at the end. */
Separation Collide_Distance(const Shape *a, Xform ta, const Shape *b, Xform tb);
Separation Collide_TriangleDistance(const Triangle *triangle, const Shape *shape, Xform placement);
bool Collide_Overlap(const Shape *a, Xform ta, const Shape *b, Xform tb);

typedef struct CastHit {
	float fraction; /* of the motion; 0 with inside = true when they overlap at the start */
	Vec3 point;     /* common frame */
	Vec3 normal;    /* unit, from A (what is hit) to B (what moves) */
	bool inside;
} CastHit;

/* B moves by `motion` from its placement, without turning. First fraction in [0,1] at which it comes within `target`
 * metres of A (conservative advancement; never past the true contact). It must be coming: within the target already and
 * moving away or along is a miss. When they overlap at the start, the normal is the way out. */
bool Collide_Cast(const Shape *a, Xform ta, const Shape *b, Xform tb, Vec3 motion, float target, CastHit *hit);
/* The same against one one-sided triangle: motion out of it or along it passes, and so does a shape whose centre is
 * behind it. */
bool Collide_CastTriangle(const Triangle *a, const Shape *b, Xform tb, Vec3 motion, float target, CastHit *hit);

/* A shape in motion: at time t of [0, 1] it has been turned by t * turn about a pivot that has gone t * shift. */
typedef struct ShapeSweep {
	Xform start; /* placement at time 0 */
	Vec3 pivot;  /* at time 0, common frame: a body's centre of mass */
	Vec3 shift;  /* metres */
	Vec3 turn;   /* rotation vector, radians; any length */
} ShapeSweep;

Xform ShapeSweep_At(const ShapeSweep *sweep, float time);
/* First time in [0,1] at which the distance of the two falls to `target`, 0 when it is no more at the start (also when
 * they overlap); for continuous collision. Stops short of the target by up to 10 micrometres + 5 % of it. */
bool Collide_SweptImpact(const Shape *a, const ShapeSweep *sweep_a, const Shape *b, const ShapeSweep *sweep_b,
                         float target, float *time);
/* One-sided. A shape that touches the triangle's plane already (it slides on the ground that the triangle belongs to)
 * is stopped by its inside and by its convex edges only. */
bool Collide_TriangleSweptImpact(const Triangle *a, const Shape *b, const ShapeSweep *sweep_b, float target,
                                 float *time);
/* The same with A at rest and B going from t0 to t1: about its own origin, turned the short way. */
bool Collide_TimeOfImpact(const Shape *a, Xform ta, const Shape *b, Xform t0, Xform t1, float target, float *time);
bool Collide_TriangleTimeOfImpact(const Triangle *a, const Shape *b, Xform t0, Xform t1, float target, float *time);

/* ---- meshes as A (mesh.c) ---------------------------------------------------------------------------------------- */

/* Collide_Cast, Collide_Overlap and Collide_TimeOfImpact take a mesh as A and come here; Collide_Shapes and
 * Collide_Distance do not. One-sided triangles. Does B meet the surface, or is its middle in the solid of a closed
 * mesh? */
bool Collide_OverlapMesh(const Trimesh *mesh, Xform ta, const Shape *b, Xform tb);
/* `inside`: a start that overlaps is a hit with a zero normal; else it leaves what it overlaps unhindered and may meet
 * other triangles. */
bool Collide_CastMesh(const Trimesh *mesh, Xform ta, const Shape *b, Xform tb, Vec3 motion, float target, bool inside,
                      CastHit *hit);
bool Collide_MeshTimeOfImpact(const Trimesh *mesh, Xform ta, const Shape *b, Xform t0, Xform t1, float target,
                              float *time);

#endif
