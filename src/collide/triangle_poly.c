/* Boxes and hulls against triangles. */
#include "collide/four_internal.h"
#include "collide/triangles_internal.h"

#define BEARING 0.01f         /* metres: contact area counts what is nearer to the plane than this */
#define ALONG_FACE_SINE 0.09f /* 5 degrees: an edge this near to the plane of a face lies on it, with two points */
#define NEAR_COSINE 0.9945f   /* 6 degrees: such an edge pair is the two-point contact with less points */
#define PARALLEL_SINE 0.001f

/* ---- the polyhedron in fours ------------------------------------------------------------------------------------- */

bool PolyFours_TakeFaces(TriangleTest *test)
{
	const Poly *poly = &test->poly;
	PolyFours *fours = &test->fours;
	int groups = (poly->face_count + 3) / 4;
	*fours = (PolyFours){.face_groups = groups,
	                     .normals = Arena_Array(test->arena, FourVec, groups),
	                     .offsets = Arena_Array(test->arena, Four, groups)};
	if (!fours->normals || !fours->offsets)
		return false;
	for (int g = 0; g < groups; g++) {
		fours->normals[g] = FourVec_Take(poly->normals, 4 * g, poly->face_count);
		for (int k = 0; k < 4; k++)
			fours->offsets[g][k] = poly->offsets[Int_Min(4 * g + k, poly->face_count - 1)];
	}
	return true;
}

/* When the first edge of the ground needs them. */
static bool PolyFours_TakeEdges(TriangleTest *test)
{
	const Poly *poly = &test->poly;
	PolyFours *fours = &test->fours;
	if (fours->edges)
		return true;
	fours->edge_groups = (poly->edge_count + 3) / 4;
	fours->edges = Arena_Array(test->arena, FourEdges, fours->edge_groups);
	if (!fours->edges) {
		test->failed = true;
		return false;
	}
	for (int g = 0; g < fours->edge_groups; g++) {
		FourEdges *to = &fours->edges[g];
		FourVec left, right;
		for (int k = 0; k < 4; k++) {
			int e = Int_Min(4 * g + k, poly->edge_count - 1);
			const HullEdge *edge = &poly->edges[e];
			FourVec_Set(&to->from, k, poly->vertices[edge->a]);
			FourVec_Set(&to->along, k, Poly_EdgeVector(poly, e));
			FourVec_Set(&left, k, poly->normals[edge->left]);
			FourVec_Set(&right, k, poly->normals[edge->right]);
		}
		to->left = FourVec_Cross(left, to->along);
		to->right = FourVec_Cross(to->along, right);
	}
	return true;
}

bool PolyFours_AreBeyond(const PolyFours *fours, const Vec3 v[3], float margin)
{
	for (int g = 0; g < fours->face_groups; g++) {
		const FourVec *n = &fours->normals[g];
		Four least = Four_Min(Four_Min(FourVec_Dot(*n, v[0]), FourVec_Dot(*n, v[1])), FourVec_Dot(*n, v[2]));
		if (FourBits_Mask(least > fours->offsets[g] + Four_Of(margin)))
			return true;
	}
	return false;
}

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
	bool high = false, deep = false, reached = false;
	for (int i = 0; i < polygon->count; i++) {
		float s = Dot(face->normal, polygon->corners[i].p) - face->offset;
		high = high || s > BEARING;
		deep = deep || s < -Min(test->margin, DEEP);
		reached = reached || Abs(s) <= test->margin; /* over the triangle, so that is how far it is from it */
		if (s <= test->margin)
			points[count++] = PointOf(names, face, &polygon->corners[i], s);
	}
	if (count == 0)
		return;
	Candidate *c = Test_Add(test, CANDIDATE_FACE, f, NO_FACE, face->normal, face->lowest, points, count);
	if (!c)
		return;
	c->hidden = deep && !reached && !Triangles_Reach(test, face, test->margin);
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

/* Is any of edge i within margin of all faces' planes? d: how far beyond them its corners are, less the margin. */
static bool EdgeIsNear(const Four (*d)[3], int groups, int i)
{
	Four zero = Four_Of(0.0f), one = Four_Of(1.0f), lo = zero, hi = one;
	for (int g = 0; g < groups; g++) {
		Four d0 = d[g][i], d1 = d[g][i == 2 ? 0 : i + 1], at = d0 / (d0 - d1);
		lo = Four_Max(Four_Pick(d0 > zero, at, zero), lo);
		hi = Four_Min(Four_Pick(d1 > zero, at, one), hi);
	}
	return Max(Max(lo[0], lo[1]), Max(lo[2], lo[3])) <= Min(Min(hi[0], hi[1]), Min(hi[2], hi[3]));
}

/* Which edges and corners are within margin of all faces' planes. */
static unsigned NearBorders(const TriangleTest *test, const Face *face, unsigned asked)
{
	const PolyFours *fours = &test->fours;
	Four d[(HULL_FACE_LIMIT + 3) / 4][3];
	unsigned edges = asked & 7, corners = 7, near = 0;
	for (int g = 0; g < fours->face_groups; g++) {
		Four reach = fours->offsets[g] + Four_Of(test->margin);
		unsigned out[3];
		for (int i = 0; i < 3; i++) {
			d[g][i] = FourVec_Dot(fours->normals[g], face->v[i]) - reach;
			out[i] = FourBits_Mask(d[g][i] > Four_Of(0.0f));
			corners &= ~((unsigned)(out[i] != 0) << i);
		}
		edges &= ~((unsigned)((out[0] & out[1]) != 0) | (unsigned)((out[1] & out[2]) != 0) << 1 |
		           (unsigned)((out[2] & out[0]) != 0) << 2);
		if (!(edges | corners))
			return 0;
	}
	for (int i = 0; i < 3; i++)
		if ((edges >> i & 1) && EdgeIsNear(d, fours->face_groups, i))
			near |= 1u << i;
	return near | corners << 3;
}

/* The edge lies along face j of the polyhedron: both ends of the stretch over it. */
static void TryAlongFace(TriangleTest *test, int f, int i, Vec3 along, int j, EdgeAxis *best)
{
	const Face *face = &test->faces[f];
	const Poly *poly = &test->poly;
	Vec3 a = face->v[i], u = Sub(face->v[(i + 1) % 3], a), m = poly->normals[j];
	float slope = Dot(m, along), t[2];
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

static void TryAlongFaces(TriangleTest *test, int f, int i, EdgeAxis *best)
{
	const Face *face = &test->faces[f];
	Vec3 along = Normalize(Sub(face->v[(i + 1) % 3], face->v[i]));
	for (int g = 0; g < test->fours.face_groups; g++) {
		Four slope = Four_Abs(FourVec_Dot(test->fours.normals[g], along));
		for (unsigned bits = FourBits_Mask(slope <= Four_Of(ALONG_FACE_SINE)); bits; bits &= bits - 1) {
			int j = 4 * g + __builtin_ctz(bits);
			if (j < test->poly.face_count)
				TryAlongFace(test, f, i, along, j, best);
		}
	}
}

/* The plane at right angles to n, along the edge and along edge e of the polyhedron, which supports it there. */
static void TryAcrossEdge(TriangleTest *test, int f, int i, int e, Vec3 n, float s, EdgeAxis *best)
{
	const Face *face = &test->faces[f];
	const Poly *poly = &test->poly;
	Vec3 a = face->v[i], b = face->v[(i + 1) % 3];
	Vec3 p = poly->vertices[poly->edges[e].a], q = poly->vertices[poly->edges[e].b];
	if ((best->count > 0 && s <= best->least) || !Links_EdgeSupports(test, f, i, n))
		return;
	double x, y, slack = (double)Abs(s) + (test->lenient ? 0.5 : 1e-4) * (double)test->size;
	if (Segment_Closest(ToD(a), ToD(b), ToD(p), ToD(q), &x, &y) > slack * slack)
		return; /* the lines meet beyond the ends */
	*best = (EdgeAxis){.least = s, .separation = s, .normal = n, .count = 1};
	best->points[0] =
	    (TouchPoint){MulAdd(a, (float)x, Sub(b, a)), s, Touch_Id(108, Links_EdgeId(test, f, i), (uint32_t)e), false};
}

/* All edges of the polyhedron that are not parallel to it, from both sides, where they hold the polyhedron up on the
 * side that the normal points to. Those of `least` separation or less are left out. */
static void TryAcrossEdges(TriangleTest *test, int f, int i, float least, EdgeAxis *best)
{
	const Face *face = &test->faces[f];
	const PolyFours *fours = &test->fours;
	Vec3 a = face->v[i], u = Sub(face->v[(i + 1) % 3], a);
	FourVec from = FourVec_Of(a), along = FourVec_Of(u);
	Four zero = Four_Of(0.0f), thin = Four_Of(PARALLEL_SINE * PARALLEL_SINE * LengthSq(u)),
	     margin = Four_Of(test->margin), worth = Four_Of(least);
	for (int g = 0; g < fours->edge_groups; g++) {
		const FourEdges *edges = &fours->edges[g];
		FourVec n = FourVec_Cross(along, edges->along);
		Four square = FourVec_DotBoth(n, n);
		FourBits apart = square > thin * FourVec_DotBoth(edges->along, edges->along);
		n = FourVec_Scale(Four_Of(1.0f) / Four_Sqrt(square), n);
		Four s = FourVec_DotBoth(n, FourVec_Sub(edges->from, from));
		Four left = FourVec_DotBoth(n, edges->left), right = FourVec_DotBoth(n, edges->right);
		unsigned sides[2] = {FourBits_Mask(apart & (s <= margin) & (s > worth) & (left >= zero) & (right >= zero)),
		                     FourBits_Mask(apart & (-s <= margin) & (-s > worth) & (left <= zero) & (right <= zero))};
		for (unsigned bits = sides[0] | sides[1]; bits; bits &= bits - 1) {
			int k = __builtin_ctz(bits), e = 4 * g + k;
			Vec3 normal = FourVec_Lane(&n, k);
			if (e < test->poly.edge_count && (sides[0] >> k & 1))
				TryAcrossEdge(test, f, i, e, normal, s[k], best);
			if (e < test->poly.edge_count && (sides[1] >> k & 1))
				TryAcrossEdge(test, f, i, e, Neg(normal), -s[k], best);
		}
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
	float preference = Preference(test->size);
	if (!PolyFours_TakeEdges(test))
		return;
	EdgeAxis along = {.count = 0}, across = {.count = 0};
	TryAlongFaces(test, f, i, &along);
	/* where nothing lies along it, only what wins in the end is worth looking at */
	TryAcrossEdges(test, f, i, along.count > 0 ? -FLT_MAX : Links_EdgeLeast(test, f, i, preference), &across);
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
	Triangles_MeetBorders(test, NearBorders, MeetEdge, MeetCorner);
	if (test->candidate_count > 0 || test->failed || !test->edge_filter)
		return;
	/* deep inside, the features that part the shapes may lie outside of what they share */
	for (int f = 0; f < test->face_count && !test->lenient; f++)
		test->lenient = test->faces[f].active && Triangles_Reach(test, &test->faces[f], 0.0f);
	if (test->lenient)
		Triangles_MeetBorders(test, NearBorders, MeetEdge, MeetCorner);
}
