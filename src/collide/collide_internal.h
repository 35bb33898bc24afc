/* Shared inside collide/: convex cores for GJK, placed polyhedra, clipping. */
#ifndef SCREE_COLLIDE_INTERNAL_H
#define SCREE_COLLIDE_INTERNAL_H

#include "collide/collide.h"

/* A placement with its rotation as a matrix of three columns, exactly orthonormal up to rounding in double: the float
 * quaternion is normalised on the way, so nothing is scaled by its error. */
typedef struct Frame {
	Vec3D cx, cy, cz, p;
} Frame;

Frame Frame_Of(Xform t);
Frame Frame_OfTurn(const double q[4], Vec3D p);       /* quaternion x y z w of any length but zero */
Frame Frame_Relative(const Frame *a, const Frame *b); /* b in the frame of a */

static inline Vec3D Frame_Turn(const Frame *f, Vec3D v)
{
	return (Vec3D){f->cx.x * v.x + f->cy.x * v.y + f->cz.x * v.z, f->cx.y * v.x + f->cy.y * v.y + f->cz.y * v.z,
	               f->cx.z * v.x + f->cy.z * v.y + f->cz.z * v.z};
}
static inline Vec3D Frame_InvTurn(const Frame *f, Vec3D v)
{
	return (Vec3D){DotD(f->cx, v), DotD(f->cy, v), DotD(f->cz, v)};
}
static inline Vec3D Frame_Point(const Frame *f, Vec3D v)
{
	return AddD(Frame_Turn(f, v), f->p);
}

/* ---- GJK (gjk.c) ------------------------------------------------------------------------------------------------- */

/* What remains of a shape when the roundness of balls and capsules is taken off: a point, a segment, a triangle, a
 * polyhedron, or a shape with rings about Y. */
typedef struct Core {
	const Vec3 *points;
	int count; /* 0: a box of half extents `half`, or what `ring` says */
	Vec3 half;
	double radius;
	double ring; /* > 0: a cylinder of that radius and half.y, or a cone of it (`tip`) */
	bool tip;
	Vec3 own[2]; /* what `points` shows for balls and capsules: a Core must not be copied */
} Core;

void Core_OfShape(Core *core, const Shape *shape);
void Core_OfTriangle(Core *core, const Triangle *triangle);

/* Distance of two cores, radii not counted, in the frame of A. */
typedef struct GjkResult {
	double distance;        /* 0: they overlap */
	double bound;           /* separation along the normal: never more than the true distance, equal to it up to
	                         * rounding unless the walk was cut short */
	Vec3D point_a, point_b; /* nearest points; when overlapping, about one point of both */
	Vec3D normal;           /* unit from A to B; zero when overlapping */
	int iterations;
} GjkResult;

/* The nearest float that is not above: fractions must not pass the true contact. */
static inline float RoundDown(double value)
{
	float f = (float)value;
	if ((double)f <= value || f <= 0.0f)
		return f;
	uint32_t bits;
	memcpy(&bits, &f, sizeof(bits));
	bits--;
	memcpy(&f, &bits, sizeof(bits));
	return f;
}

#define SLIVER 1e-6 /* height over longest side, below which a triangle is a line */
/* Unit normal of a triangle. False for one without area (height under 1e-6 of the longest side). */
bool Triangle_Normal(const Vec3 v[3], Vec3 *normal);
/* Of the shape's centre above the plane. */
float Triangle_Height(const Triangle *triangle, Vec3 normal, const Shape *shape, Xform placement);

void Gjk_Distance(const Core *a, const Core *b, const Frame *b_in_a, GjkResult *result);
/* Farthest point along d, and a number for it: -1 for a point of a ring, which has none. */
Vec3D Core_Support(const Core *core, Vec3D d, int *index);

/* ---- EPA (epa.c) ------------------------------------------------------------------------------------------------- */

/* Overlapping cores with volume, at least one of them: the least push that parts them, its direction (unit, from A to
 * B) and the point of A that is deepest in B, in the frame of A. */
double Epa_Depth(const Core *a, const Core *b, const Frame *b_in_a, Vec3D *normal, Vec3D *point_a);

/* ---- polyhedra (poly.c) ------------------------------------------------------------------------------------------ */

/* A box or a hull in the frame of one test. Same layout as Hull; boxes have a topology of their own. */
typedef struct Poly {
	int vertex_count, face_count, edge_count;
	const Vec3 *vertices;
	const Vec3 *normals;
	const float *offsets;
	const uint16_t *face_first;
	const uint8_t *face_index;
	const HullEdge *edges;
	Vec3 center;
	float thickness; /* radius of a ball that fits inside: the scale of tolerances */
} Poly;

/* Vertices and planes of a placed polyhedron; 5.6 KB. */
typedef struct PolyStore {
	Vec3 vertices[HULL_VERTEX_LIMIT];
	Vec3 normals[HULL_FACE_LIMIT];
	float offsets[HULL_FACE_LIMIT];
} PolyStore;

/* Box faces: -x +x -y +y -z +z; box vertex i has + on axis k where bit k is set; box edges: four along x, then y, z. */
void Poly_Place(Poly *poly, PolyStore *store, const Shape *shape, Xform placement);
void Poly_OfShape(Poly *poly, PolyStore *store, const Shape *shape); /* in its own frame; hulls are not copied */
/* The face whose normal is nearest to `direction`. */
int Poly_FaceToward(const Poly *poly, Vec3 direction);
/* Of the faces at the corner farthest along `direction`, the one turned most that way. (The face whose normal is
 * nearest need not have that corner.) */
int Poly_IncidentFace(const Poly *poly, Vec3 direction);
float Poly_Support(const Poly *poly, Vec3 direction, int *vertex);
/* Cuts p0 p1 down to what lies over face `face` (between the planes through its edges, at right angles to it). */
bool Poly_ClipToFace(const Poly *poly, int face, Vec3 p0, Vec3 p1, float *t0, float *t1);
bool Poly_OverFace(const Poly *poly, int face, Vec3 p);

static inline int Poly_CornerCount(const Poly *poly, int face)
{
	return poly->face_first[face + 1] - poly->face_first[face];
}
static inline int Poly_Corner(const Poly *poly, int face, int i)
{
	return poly->face_index[poly->face_first[face] + i];
}
static inline Vec3 Poly_EdgeVector(const Poly *poly, int edge)
{
	return Sub(poly->vertices[poly->edges[edge].b], poly->vertices[poly->edges[edge].a]);
}

/* ---- separating axes (sat.c) ------------------------------------------------------------------------------------- */

typedef enum AxisKind { AXIS_FACE_A, AXIS_FACE_B, AXIS_EDGES } AxisKind;

typedef struct Axis {
	AxisKind kind;
	int a, b;         /* faces or edges, as kind says; the other -1 */
	float separation; /* along normal; the largest of all axes up to the preference for faces */
	Vec3 normal;      /* unit, from A to B */
} Axis;

/* How much better (metres) an axis must be than a face of A, or of B, to be taken instead: half a millimetre, less for
 * small things. */
static inline float Preference(float thickness)
{
	return Min(0.0005f, 0.002f * thickness);
}
/* Both in one frame. False when an axis says that they are farther apart than margin; its separation is then no more
 * than their distance. `near`: they are known not to be, so edges that are far from the other need not be looked at. */
bool Poly_FindAxis(const Poly *a, const Poly *b, float margin, bool near, Axis *axis);
/* The same for two boxes: the classic fifteen axes. `a` in its own frame, `b` placed in it by `turn`. */
bool Box_FindAxis(Vec3 half_a, Vec3 half_b, Mat3 turn, Vec3 shift, float preference, float margin, Axis *axis);
/* Segment against polyhedron: the normal points to the segment. kind is AXIS_FACE_A (a = face) or AXIS_EDGES (a =
 * edge). No margin: always finds one. */
void Segment_FindAxis(const Poly *poly, Vec3 p0, Vec3 p1, Axis *axis);

/* ---- segments (segment.c) ---------------------------------------------------------------------------------------- */

/* Nearest points p0 + s (p1 - p0), q0 + t (q1 - q0); s, t in [0,1]. Either may have no length (Ericson, "Real-Time
 * Collision Detection", 5.1.9). Returns the squared distance. */
double Segment_Closest(Vec3D p0, Vec3D p1, Vec3D q0, Vec3D q1, double *s, double *t);

/* ---- clipping (clip.c) ------------------------------------------------------------------------------------------- */

#define CLIP_LIMIT 264 /* corners of a face + planes that cut it, each adding at most one */

/* A corner of a polygon being cut, with the labels of the two sides that meet there: < CLIP_CUT an edge of the polygon
 * as it came, else CLIP_CUT + the plane that made the side. */
#define CLIP_CUT 256
typedef struct ClipCorner {
	Vec3 p;
	uint16_t before, after; /* sides towards the previous and the next corner */
} ClipCorner;

typedef struct ClipPolygon {
	int count;
	ClipCorner corners[CLIP_LIMIT];
} ClipPolygon;

void Clip_Face(ClipPolygon *polygon, const Poly *poly, int face);
/* Keeps dot(normal, p) <= offset. New sides are labelled `plane`. The result goes to the spare polygon, which then
 * becomes *polygon; where nothing is cut off nothing moves. */
void Clip_ByPlane(ClipPolygon **polygon, ClipPolygon **spare, Vec3 normal, float offset, int plane);
/* Moves the (up to four) points that matter to the front: the deepest, now or at the end of the motion (which may be
 * NULL; points are taken from the shape's origin), then others that touch, then what spans the largest area. */
int Clip_Reduce(ManifoldPoint *points, int count, Vec3 normal, const ShapeMotion *motion);
/* Manifold of the incident face of `other` over `face` of `reference`: points no farther than margin, not more than
 * four. Normal along the face's. Returns the count. `flip`: goes into the ids. */
int Clip_Manifold(const Poly *reference, int face, const Poly *other, float margin, bool flip,
                  ManifoldPoint points[MANIFOLD_POINTS]);

#endif
