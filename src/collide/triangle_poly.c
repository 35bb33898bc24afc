/* Boxes and hulls against triangles. */
#include "collide/triangles_internal.h"

#define BEARING 0.01f         /* metres: contact area counts what is nearer to the plane than this */
#define ALONG_FACE_SINE 0.09f /* 5 degrees: an edge this near to the plane of a face lies on it, with two points */
#define NEAR_COSINE 0.9945f   /* 6 degrees: such an edge pair is the two-point contact with less points */
#define PARALLEL_SINE 0.001f

/* ---- over the face ----------------------------------------------------------------------------------------------- */

static int IncidentFace(TriangleTest *test, Vec3 normal)
{
	Vec3 last = test->last_normal;
	if (test->last_incident < 0 || last.x != normal.x || last.y != normal.y || last.z != normal.z) {
		test->last_normal = normal;
		test->last_incident = Poly_IncidentFace(&test->poly, Neg(normal));
	}
	return test->last_incident;
}

/* Cuts the polygon to what lies over the triangle; planes 0..2 are its edges. */
static void ClipToTriangle(const Face *face, float seam, ClipPolygon **polygon, ClipPolygon **spare)
{
	for (int i = 0; i < 3 && (*polygon)->count > 0; i++) {
		Vec3 a = face->v[i], outward = Cross(Sub(face->v[(i + 1) % 3], a), face->normal);
		float room = face->triangle->edge[i] == EDGE_FLAT ? seam * Length(outward) : 0.0f;
		Clip_ByPlane(polygon, spare, outward, Dot(outward, a) + room, i);
	}
}

/* What a polygon of the shape is called. */
typedef struct Names {
	uint32_t incident;
	int farthest;     /* a corner with a name of its own, or -1 */
	const Poly *poly; /* gives the corners' numbers; NULL: they are their own */
} Names;

static TouchPoint PointOf(const Names *names, const Face *face, const ClipCorner *corner, float s)
{
	const uint8_t *kinds = face->triangle->edge;
	int before = corner->before - CLIP_CUT, after = corner->after - CLIP_CUT;
	TouchPoint point = {MulSub(corner->p, s, face->normal), s, 0, false};
	if (before < 0 && after < 0) {
		/* a corner of the polyhedron: the same whatever triangle it is over */
		int vertex = names->poly                        ? Poly_Corner(names->poly, (int)names->incident, corner->after)
		             : corner->after == names->farthest ? RING_POINTS
		                                                : corner->after;
		point.id = Touch_Id(1, names->incident, (uint32_t)vertex);
		return point;
	}
	point.seam = (before < 0 || kinds[before] == EDGE_FLAT) && (after < 0 || kinds[after] == EDGE_FLAT);
	uint32_t sides = (uint32_t)corner->before << 16 | corner->after;
	point.id = Touch_Id(2 + names->incident, face->triangle->id, sides);
	return point;
}

static float AreaOf(const ClipPolygon *polygon)
{
	Vec3 sum = {0.0f, 0.0f, 0.0f};
	for (int i = 2; i < polygon->count; i++)
		sum = Add(sum, Cross(Sub(polygon->corners[i - 1].p, polygon->corners[0].p),
		                     Sub(polygon->corners[i].p, polygon->corners[0].p)));
	return 0.5f * Length(sum);
}

/* Something of the shape is far below the face. Does the shape reach the triangle itself, or did it come in from
 * another side of the solid? */
bool Triangles_Reach(const TriangleTest *test, const Face *face, float margin)
{
	Core shape, triangle = {.points = face->v, .count = 3};
	Core_OfShape(&shape, test->shape);
	Frame frame = Frame_Of(test->turn);
	GjkResult g;
	Gjk_Distance(&triangle, &shape, &frame, &g);
	return g.distance <= (double)margin;
}

static void MeetPolygon(TriangleTest *test, int f, ClipPolygon polygons[2], const Names *names)
{
	const Face *face = &test->faces[f];
	ClipPolygon *polygon = &polygons[0], *spare = &polygons[1];
	ClipToTriangle(face, test->seam, &polygon, &spare);
	TouchPoint points[CLIP_LIMIT];
	int count = 0;
	bool high = false, deep = false;
	for (int i = 0; i < polygon->count; i++) {
		float s = Dot(face->normal, polygon->corners[i].p) - face->offset;
		high = high || s > BEARING;
		deep = deep || s < -Min(test->margin, DEEP);
		if (s <= test->margin)
			points[count++] = PointOf(names, face, &polygon->corners[i], s);
	}
	if (count == 0)
		return;
	Candidate *c = Test_Add(test, CANDIDATE_FACE, f, NO_FACE, face->normal, face->lowest, points, count);
	if (!c)
		return;
	c->hidden = deep && !Triangles_Reach(test, face, test->margin);
	if (high)
		Clip_ByPlane(&polygon, &spare, face->normal, face->offset + BEARING, 3);
	c->weight = AreaOf(polygon);
}

void Triangles_MeetPolygon(TriangleTest *test, int face, ClipPolygon polygons[2], uint32_t incident, int farthest)
{
	MeetPolygon(test, face, polygons, &(Names){incident, farthest, NULL});
}

static void MeetFace(TriangleTest *test, int f, ClipPolygon polygons[2])
{
	int incident = IncidentFace(test, test->faces[f].normal);
	Clip_Face(&polygons[0], &test->poly, incident);
	MeetPolygon(test, f, polygons, &(Names){(uint32_t)incident, -1, &test->poly});
}

/* ---- edges ------------------------------------------------------------------------------------------------------- */

/* The best plane of one kind for one edge. */
typedef struct EdgeAxis {
	float least;      /* separation at the points */
	float separation; /* of the whole polyhedron, which may go on beyond this edge and lie deeper there */
	Vec3 normal;
	TouchPoint points[2];
	int count; /* 0: none */
} EdgeAxis;

/* Is any of the segment within margin of the polyhedron? */
static bool NearPoly(const Poly *poly, Vec3 a, Vec3 b, float margin)
{
	float lo = 0.0f, hi = 1.0f;
	for (int f = 0; f < poly->face_count; f++) {
		float reach = poly->offsets[f] + margin;
		float d0 = Dot(poly->normals[f], a) - reach, d1 = Dot(poly->normals[f], b) - reach;
		if (d0 > 0.0f && d1 > 0.0f)
			return false;
		if (d0 > 0.0f)
			lo = Max(lo, d0 / (d0 - d1));
		else if (d1 > 0.0f)
			hi = Min(hi, d0 / (d0 - d1));
	}
	return lo <= hi;
}

/* The edge lies along face j of the polyhedron: both ends of the stretch over it. */
static void TryAlongFace(TriangleTest *test, int f, int i, int j, EdgeAxis *best)
{
	const Face *face = &test->faces[f];
	const Poly *poly = &test->poly;
	Vec3 a = face->v[i], u = Sub(face->v[(i + 1) % 3], a), m = poly->normals[j], along = Normalize(u);
	float slope = Dot(m, along), t[2];
	if (Abs(slope) > ALONG_FACE_SINE)
		return;
	Vec3 normal = Normalize(Sub(Scale(slope, along), m));
	if (!Links_EdgeSupports(test, f, i, normal) || !Poly_ClipToFace(poly, j, a, Add(a, u), &t[0], &t[1]))
		return;
	float depth[2], least = FLT_MAX;
	for (int k = 0; k < 2; k++) {
		depth[k] = (Dot(m, MulAdd(a, t[k], u)) - poly->offsets[j]) / Sqrt(1.0f - slope * slope);
		least = Min(least, depth[k]);
	}
	if (least > test->margin || (best->count > 0 && least <= best->least))
		return;
	int vertex;
	float whole = -Poly_Support(poly, Neg(normal), &vertex) - Dot(normal, a);
	*best = (EdgeAxis){.least = least, .separation = whole, .normal = normal};
	uint32_t id = Links_EdgeId(test, f, i);
	for (int k = 0; k < 2; k++)
		if (depth[k] <= test->margin)
			best->points[best->count++] =
			    (TouchPoint){MulAdd(a, t[k], u), depth[k], Touch_Id(106 + (uint32_t)k, id, (uint32_t)j), false};
}

/* Does edge e of the polyhedron hold it up on the side that n points to? */
static bool PolyEdgeSupports(const Poly *poly, int e, Vec3 n)
{
	const HullEdge *edge = &poly->edges[e];
	Vec3 along = Poly_EdgeVector(poly, e);
	return Dot(n, Cross(poly->normals[edge->left], along)) >= 0.0f &&
	       Dot(n, Cross(along, poly->normals[edge->right])) >= 0.0f;
}

static void TryAcrossEdge(TriangleTest *test, int f, int i, int e, EdgeAxis *best)
{
	const Face *face = &test->faces[f];
	const Poly *poly = &test->poly;
	Vec3 a = face->v[i], b = face->v[(i + 1) % 3], u = Sub(b, a), v = Poly_EdgeVector(poly, e);
	Vec3 n = Cross(u, v), p = poly->vertices[poly->edges[e].a], q = poly->vertices[poly->edges[e].b];
	float square = LengthSq(n);
	if (square <= PARALLEL_SINE * PARALLEL_SINE * LengthSq(u) * LengthSq(v))
		return;
	n = Scale(1.0f / Sqrt(square), n);
	for (int side = 0; side < 2; side++, n = Neg(n)) {
		float s = Dot(n, Sub(p, a));
		if (s > test->margin || (best->count > 0 && s <= best->least) || !PolyEdgeSupports(poly, e, n) ||
		    !Links_EdgeSupports(test, f, i, n))
			continue;
		double x, y, slack = (double)Abs(s) + (test->lenient ? 0.5 : 1e-4) * (double)test->size;
		if (Segment_Closest(ToD(a), ToD(b), ToD(p), ToD(q), &x, &y) > slack * slack)
			continue; /* the lines meet beyond the ends */
		*best = (EdgeAxis){.least = s, .separation = s, .normal = n, .count = 1};
		best->points[0] =
		    (TouchPoint){MulAdd(a, (float)x, u), s, Touch_Id(108, Links_EdgeId(test, f, i), (uint32_t)e), false};
	}
}

/* Two points where the edge lies along a face, rather than the one of the nearly same plane through an edge of it, as
 * long as they say the same depth. */
static EdgeAxis *Better(EdgeAxis *along, EdgeAxis *across, float preference)
{
	if (along->count == 0 || across->count == 0)
		return along->count > 0 ? along : across;
	if (Dot(along->normal, across->normal) <= NEAR_COSINE)
		return across->separation > along->separation + preference ? across : along;
	float off = across->separation - along->least;
	if (off > preference || off < -2.0f * preference - 0.02f * Abs(across->separation))
		return across;
	along->separation = Max(along->separation, across->separation);
	return along;
}

static void MeetEdge(TriangleTest *test, int f, int i)
{
	const Face *face = &test->faces[f];
	const Poly *poly = &test->poly;
	float preference = Preference(test->size);
	if (!NearPoly(poly, face->v[i], face->v[(i + 1) % 3], test->margin))
		return;
	EdgeAxis along = {.count = 0}, across = {.count = 0};
	for (int j = 0; j < poly->face_count; j++)
		TryAlongFace(test, f, i, j, &along);
	for (int e = 0; e < poly->edge_count; e++)
		TryAcrossEdge(test, f, i, e, &across);
	const EdgeAxis *best = Better(&along, &across, preference);
	if (best->count > 0 && Links_EdgeWins(test, f, i, best->separation, preference))
		Test_Add(test, CANDIDATE_EDGE, f, test->edge_filter ? face->neighbour[i] : NO_FACE, best->normal,
		         best->separation, best->points, best->count);
}

/* ---- corners ----------------------------------------------------------------------------------------------------- */

/* The least push through a face that the corner is over and its cone allows. */
static void MeetCorner(TriangleTest *test, int f, int k)
{
	const Poly *poly = &test->poly;
	Vec3 v = test->faces[f].v[k];
	float highest = -FLT_MAX, best = -FLT_MAX;
	int face = -1;
	for (int j = 0; j < poly->face_count; j++)
		highest = Max(highest, Dot(poly->normals[j], v) - poly->offsets[j]);
	if (highest > test->margin)
		return;
	for (int j = 0; j < poly->face_count; j++) {
		float d = Dot(poly->normals[j], v) - poly->offsets[j];
		if (d > best && ((test->lenient && highest < 0.0f) || Poly_OverFace(poly, j, v)) &&
		    Links_CornerSupports(test, f, k, Neg(poly->normals[j]))) {
			best = d;
			face = j;
		}
	}
	if (face < 0 || !Links_CornerWins(test, f, k, best, Preference(test->size)))
		return;
	TouchPoint point = {v, best, Touch_Id(109, Links_CornerId(test, f, k), (uint32_t)face), false};
	Test_Add(test, CANDIDATE_CORNER, f, NO_FACE, Neg(poly->normals[face]), best, &point, 1);
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

void Triangles_MeetPoly(TriangleTest *test)
{
	ClipPolygon polygons[2];
	for (int f = 0; f < test->face_count && !test->failed; f++)
		if (test->faces[f].active)
			MeetFace(test, f, polygons);
	Triangles_MeetBorders(test, MeetEdge, MeetCorner);
	if (test->candidate_count > 0 || test->failed || !test->edge_filter)
		return;
	/* deep inside, the features that part the shapes may lie outside of what they share */
	for (int f = 0; f < test->face_count && !test->lenient; f++)
		test->lenient = test->faces[f].active && Triangles_Reach(test, &test->faces[f], 0.0f);
	if (test->lenient)
		Triangles_MeetBorders(test, MeetEdge, MeetCorner);
}
