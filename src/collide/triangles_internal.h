/* Shared by the tests of a shape against triangles.
 *
 * A surface is met as the boundary of a solid. What may push a shape is a supporting plane of that solid: a face's own
 * normal anywhere on the face, at a convex edge any normal between those of its two faces, at a convex corner any
 * normal within the cone of its faces. Each such plane that the shape reaches is a Candidate; triangle_choose.c decides
 * which of them are the reason for the contact, triangle_cluster.c makes manifolds of them.
 *
 * Everything is relative to the shape's origin, in the directions of the common frame.
 */
#ifndef SCREE_COLLIDE_TRIANGLES_INTERNAL_H
#define SCREE_COLLIDE_TRIANGLES_INTERNAL_H

#include "collide/collide_internal.h"
#include "collide/curved_internal.h"
#include "collide/four_internal.h"
#include "collide/pairs_internal.h"

#define NO_FACE (-1)
#define DEEP 0.02f /* metres: what is sunk deeper may have come in from elsewhere */

/* A triangle near the shape. */
typedef struct Face {
	const Triangle *triangle;
	Vec3 v[3];
	Vec3 normal;
	float offset;
	float lowest;   /* separation of the shape's lowest point from the plane; < 0: it reaches below */
	bool active;    /* reached by the shape, and not wholly in front of it */
	bool touched;   /* has a candidate of its own */
	uint8_t wanted; /* which of its borders are convex and near to the shape, see Triangles_MeetBorders */
	int part;       /* union-find over active faces joined by edges that are not concave */
	/* set by Links_Make: */
	int vertex[3];
	int neighbour[3]; /* across v[i] v[i+1]; NO_FACE */
} Face;

/* A place where the shape meets the surface. */
typedef struct TouchPoint {
	Vec3 ground; /* on the triangle */
	float separation;
	uint32_t id;
	bool seam; /* made by cutting at a flat edge: no corner of the contact if the surface goes on in the same plane */
} TouchPoint;

typedef enum CandidateKind { CANDIDATE_FACE, CANDIDATE_EDGE, CANDIDATE_CORNER } CandidateKind;

typedef struct Candidate {
	struct Candidate *next;
	CandidateKind kind;
	int face, other; /* the triangle; for an edge the one across, or NO_FACE */
	Vec3 normal;
	float offset;     /* of the supporting plane */
	float separation; /* of the whole shape from that plane, as a separating axis counts it */
	float deepest;    /* of its points */
	float weight;     /* size of the contact area, square metres; for capsules length */
	bool dropped;
	bool hidden;  /* the shape is deep below this triangle, but does not touch it */
	bool ahead;   /* not touched yet, across a gentle bend: to land on, no reason to drop others */
	bool follows; /* a face beside an edge or corner that is the reason for the contact: adds points, no direction */
	int count;
	TouchPoint *points;
} Candidate;

/* Four edges of a polyhedron. */
typedef struct FourEdges {
	FourVec from, along; /* the first end, and from it to the second */
	FourVec left, right; /* in the planes of the faces on both sides, away from the edge: normals that go along these
	                      * support the polyhedron at the edge */
} FourEdges;

/* Faces and edges of a polyhedron, four by four; the last is repeated to fill its four. */
typedef struct PolyFours {
	int face_groups, edge_groups;
	FourVec *normals;
	Four *offsets;
	FourEdges *edges; /* NULL until one is asked for */
} PolyFours;

typedef struct TriangleTest {
	const Shape *shape;
	Xform turn; /* of the shape, about its own origin */
	float margin;
	const ShapeMotion *motion; /* or NULL */
	bool edge_filter;
	Arena *arena;
	bool failed;  /* the arena had no more memory */
	bool lenient; /* nothing was found: edges and corners count that are only near to meeting the shape */
	Box bounds;   /* of the shape, grown by the margin */
	float size;   /* radius of a ball inside the shape: the scale of tolerances */
	float seam;   /* metres by which triangles overlap their neighbours across flat edges */

	float reach; /* radius of the ball about the shape's origin that holds it */

	Round round;   /* balls and capsules */
	Poly poly;     /* boxes and hulls */
	Curved curved; /* cylinders and cones */
	PolyStore *store;
	PolyFours fours;
	Vec3 last_normal; /* incident face of the last triangle: neighbours often share it */
	int last_incident;

	Face *faces;
	int face_count;
	Candidate *first, *last;
	int candidate_count;

	/* links, made when first needed */
	bool linked;
	int vertex_count;
	int *vertex_first;  /* per vertex: a corner, 3 * face + i */
	int *corner_vertex; /* per corner */
	int *corner_next;   /* per corner: the next one at the same vertex, or -1 */
} TriangleTest;

/* ---- candidates (triangles.c) ------------------------------------------------------------------------------------ */

/* A copy of the points is kept. Offset, deepest and face flags are filled in here. */
Candidate *Test_Add(TriangleTest *test, CandidateKind kind, int face, int other, Vec3 normal, float separation,
                    const TouchPoint *points, int count);
uint32_t Touch_Id(uint32_t a, uint32_t b, uint32_t c);

/* ---- gathering (triangle_gather.c) ------------------------------------------------------------------------------- */

/* Those that the shape's box meets become faces; `origin` is the shape's. */
void Triangles_Gather(TriangleTest *test, const Triangle *triangles, int count, Vec3 origin);

/* ---- neighbours (triangle_links.c) ------------------------------------------------------------------------------- */

bool Links_Make(TriangleTest *test); /* does nothing the second time; false when out of memory */
/* Is the plane through edge i at right angles to `direction` (unit) above both of its triangles, on the outside? */
bool Links_EdgeSupports(const TriangleTest *test, int face, int edge, Vec3 direction);
bool Links_CornerSupports(const TriangleTest *test, int face, int corner, Vec3 direction);
bool Links_CornerIsConvex(const TriangleTest *test, int face, int corner); /* has a convex edge */
uint32_t Links_EdgeId(const TriangleTest *test, int face, int edge);
uint32_t Links_CornerId(const TriangleTest *test, int face, int corner);
/* Is the plane better by `preference` than those of all triangles around, where these are touched at all? Then the edge
 * or corner is what the shape meets, not a face. */
float Links_EdgeLeast(const TriangleTest *test, int face, int edge, float preference); /* more wins, this does not */
bool Links_EdgeWins(const TriangleTest *test, int face, int edge, float separation, float preference);
bool Links_CornerWins(const TriangleTest *test, int face, int corner, float separation, float preference);

/* Calls for every convex edge and corner of active faces, each once, that is near to the shape: those whose bit `near`
 * sets, i for edge i, 3 + i for corner i; of edges only `asked` are of use. */
typedef unsigned NearFn(const TriangleTest *test, const Face *face, unsigned asked);
typedef void BorderFn(TriangleTest *test, int face, int edge_or_corner);
void Triangles_MeetBorders(TriangleTest *test, NearFn *near, BorderFn *meet_edge, BorderFn *meet_corner);
unsigned Triangles_NearBox(const TriangleTest *test, const Face *face, unsigned asked); /* by the shape's box */

/* ---- shapes ------------------------------------------------------------------------------------------------------ */

bool PolyFours_TakeFaces(TriangleTest *test); /* false: out of memory */
/* Is the triangle out of reach beyond one face of the polyhedron? */
bool PolyFours_AreBeyond(const PolyFours *fours, const Vec3 v[3], float margin);

void Triangles_MeetBall(TriangleTest *test);
void Triangles_MeetCapsule(TriangleTest *test);
void Triangles_MeetPoly(TriangleTest *test);
void Triangles_MeetCurved(TriangleTest *test);

/* A polygon of the shape (in polygons[0]; both are used) over the face. `incident` and the numbers of its corners name
 * its points; corner `farthest` (-1: none) has a name of its own. */
void Triangles_MeetPolygon(TriangleTest *test, int face, ClipPolygon polygons[2], uint32_t incident, int farthest);
/* Does the shape come within margin of the triangle itself? */
bool Triangles_Reach(const TriangleTest *test, const Face *face, float margin);
/* Cuts p0 p1 down to what lies over the triangle. cut[i]: the edge that made end i, or -1 for the segment's own end. */
bool Face_ClipSegment(const TriangleTest *test, const Face *face, Vec3 p0, Vec3 p1, float t[2], int cut[2]);

/* Nearest point of a triangle: feature 0 the face, 1 + i edge i, 4 + i corner i. */
Vec3 Face_Nearest(const Face *face, Vec3 p, int *feature);
/* Point `p` of the axis of a round shape whose nearest point of the face, `q`, lies on an edge or corner. `flat_only`:
 * convex edges and corners are left to the caller. */
void Round_MeetBorder(TriangleTest *test, int face, Vec3 p, Vec3 q, int feature, uint32_t id, bool flat_only);
/* When nothing was found for points that lie below the surface: out along the nearest face. */
void Round_Rescue(TriangleTest *test, const Vec3 *points, int count);

/* Are these two of one plane, to within a millimetre or less? */
bool Candidate_SamePlane(const TriangleTest *test, const Candidate *a, const Candidate *b);

/* ---- the outcome ------------------------------------------------------------------------------------------------- */

bool Candidates_Choose(TriangleTest *test); /* sets `dropped`; false when out of memory */
int Candidates_Cluster(TriangleTest *test, Vec3 origin, Manifold *manifolds, int capacity); /* -1: out of memory */

#endif
