/* Cylinders and cones against triangles.
 *
 * Over a face, what is lowest along its normal counts: a flat end as the polygon of its rim, or the line of the side.
 * At an edge the best of the planes between its two faces is searched for; at a corner it is that of the shape's
 * surface nearest to it.
 */
#include "collide/curved_internal.h"
#include "collide/triangles_internal.h"

#define EDGE_PLANES 9           /* looked at first, between the two faces of an edge */
#define END_ANGLE 1e-4f         /* radians */
#define SLOPE_REACH 2e-3f       /* radians */
#define ALONG_END_COSINE 0.996f /* 5 degrees: an edge lies on a flat end, with two points */
#define END_INCIDENT 1000u      /* names of ends among names of faces */

/* ---- over the face ----------------------------------------------------------------------------------------------- */

static void MeetLine(TriangleTest *test, int f)
{
	const Face *face = &test->faces[f];
	Vec3 q[2];
	float t[2];
	int cut[2], count = 0;
	Curved_Line(&test->curved, Neg(face->normal), q);
	if (!Face_ClipSegment(test, face, q[0], q[1], t, cut))
		return;
	TouchPoint points[2];
	bool deep = false;
	for (int i = 0; i < 2; i++) {
		Vec3 p = t[i] <= 0.0f ? q[0] : t[i] >= 1.0f ? q[1] : Lerp(q[0], q[1], t[i]);
		float s = Dot(face->normal, p) - face->offset;
		deep = deep || s < -DEEP;
		if (s > test->margin)
			continue;
		bool seam = cut[i] >= 0 && face->triangle->edge[cut[i]] == EDGE_FLAT;
		uint32_t id =
		    cut[i] < 0 ? Ring_Name(2 * i - 1, 0, 0) : Touch_Id(110, face->triangle->id, (uint32_t)(3 * i + cut[i]));
		points[count++] = (TouchPoint){MulSub(p, s, face->normal), s, id, seam};
	}
	if (count == 0)
		return;
	Candidate *c = Test_Add(test, CANDIDATE_FACE, f, NO_FACE, face->normal, face->lowest, points, count);
	if (!c)
		return;
	c->hidden = deep && !Triangles_Reach(test, face, test->margin);
	c->weight = (t[1] - t[0]) * Length(Sub(q[1], q[0]));
}

static void MeetFace(TriangleTest *test, int f, ClipPolygon polygons[2])
{
	Vec3 down = Neg(test->faces[f].normal);
	int end;
	if (!Curved_EndFaces(&test->curved, down, &end)) {
		MeetLine(test, f);
		return;
	}
	int farthest = Curved_Ring(&test->curved, end, down, &polygons[0]);
	Triangles_MeetPolygon(test, f, polygons, END_INCIDENT + (uint32_t)(end > 0), farthest);
}

/* ---- edges ------------------------------------------------------------------------------------------------------- */

typedef struct EdgePlanes {
	const TriangleTest *test;
	Vec3 origin, along; /* the edge */
	Vec3 from, across;  /* normals: cos(x) from + sin(x) across */
	float span;
} EdgePlanes;

static Vec3 PlaneAt(const EdgePlanes *planes, float x)
{
	float c = (float)Trig_Cos((double)x), s = (float)Trig_Sin((double)x);
	return Add(Scale(c, planes->from), Scale(s, planes->across));
}

static float SeparationAt(const EdgePlanes *planes, float x)
{
	Vec3 n = PlaneAt(planes, x);
	return Curved_Lowest(&planes->test->curved, n) - Dot(n, planes->origin);
}

/* The normals between those of the two faces; without a second face, as far as at right angles to the first. From the
 * face of the lower id, whichever of the two asks, so that rounding is the same. */
static void EdgePlanes_Set(EdgePlanes *planes, const TriangleTest *test, int f, int i)
{
	const Face *face = &test->faces[f];
	int other = test->edge_filter ? face->neighbour[i] : NO_FACE;
	Vec3 a = face->v[i], b = face->v[(i + 1) % 3], from = face->normal, to = from;
	if (other != NO_FACE) {
		to = test->faces[other].normal;
		if (test->faces[other].triangle->id < face->triangle->id) {
			a = b, b = face->v[i];
			from = to, to = face->normal;
		}
	}
	*planes = (EdgePlanes){test, a, Sub(b, a), from, Cross(Normalize(Sub(b, a)), from), 0.5f * PI_F};
	if (other != NO_FACE)
		planes->span = (float)Trig_Atan2((double)Dot(to, planes->across), (double)Dot(to, from));
}

static float SlopeAt(const EdgePlanes *planes, float x)
{
	Vec3 n = PlaneAt(planes, x), turn = PlaneAt(planes, x + 0.5f * PI_F);
	return Dot(turn, Sub(Curved_Support(&planes->test->curved, Neg(n)), planes->origin));
}

/* The top between lo and hi, by golden sections. */
static float TopBetween(const EdgePlanes *planes, float lo, float hi)
{
	const float g = 0.61803399f;
	float a = hi - g * (hi - lo), b = lo + g * (hi - lo), sa = SeparationAt(planes, a), sb = SeparationAt(planes, b);
	for (int k = 0; k < 24; k++) {
		if (sa >= sb) {
			hi = b, b = a, sb = sa;
			a = hi - g * (hi - lo);
			sa = SeparationAt(planes, a);
		} else {
			lo = a, a = b, sa = sb;
			b = lo + g * (hi - lo);
			sb = SeparationAt(planes, b);
		}
	}
	/* as flat as it is there, its slope tells the place more exactly */
	float mid = 0.5f * (lo + hi);
	lo = Max(0.0f, mid - SLOPE_REACH), hi = Min(planes->span, mid + SLOPE_REACH);
	for (int k = 0; k < 20; k++) {
		mid = 0.5f * (lo + hi);
		if (SlopeAt(planes, mid) > 0.0f)
			lo = mid;
		else
			hi = mid;
	}
	return 0.5f * (lo + hi);
}

/* Wherever one of the planes looked at is better than its neighbours, there is a top near it. */
static float BestPlane(const EdgePlanes *planes, float *separation)
{
	float s[EDGE_PLANES + 2], step = planes->span / (EDGE_PLANES - 1), at = 0.0f;
	s[0] = s[EDGE_PLANES + 1] = *separation = -FLT_MAX;
	for (int k = 0; k < EDGE_PLANES; k++)
		s[k + 1] = SeparationAt(planes, step * (float)k);
	for (int k = 0; k < EDGE_PLANES; k++) {
		if (s[k + 1] < s[k] || s[k + 1] < s[k + 2])
			continue;
		float x = step * (float)k;
		float top = TopBetween(planes, Max(0.0f, x - step), Min(planes->span, x + step));
		float best = SeparationAt(planes, top);
		if (best < s[k + 1]) {
			top = x;
			best = s[k + 1];
		}
		if (best > *separation) {
			*separation = best;
			at = top;
		}
	}
	return at;
}

/* Cuts the edge a + t u to what lies under the flat end, seen along n. */
static bool ClipToEnd(const Curved *c, int end, Vec3 n, Vec3 a, Vec3 u, float t[2])
{
	Vec3 normal = end > 0 ? c->axis : Neg(c->axis), middle = MulAdd(c->center, c->half, normal);
	float along = Dot(normal, n); /* onto the end's plane */
	Vec3 p = MulSub(a, Dot(normal, Sub(a, middle)) / along, n), v = MulSub(u, Dot(normal, u) / along, n);
	Vec3 d = Sub(p, middle);
	float vv = LengthSq(v), b = Dot(d, v), root = b * b - vv * (LengthSq(d) - c->radius * c->radius);
	if (!(root > 0.0f) || !(vv > 0.0f))
		return false;
	root = Sqrt(root);
	t[0] = Max(0.0f, (-b - root) / vv);
	t[1] = Min(1.0f, (-b + root) / vv);
	return t[0] < t[1];
}

/* Two points where the edge lies along a flat end, or along the line of the side. */
static int PointsAlong(const TriangleTest *test, Vec3 a, Vec3 u, Vec3 n, uint32_t id, TouchPoint points[2])
{
	const Curved *c = &test->curved;
	float t[2], s[2], down = -Dot(n, c->axis);
	int end = c->tip || down < 0.0f ? -1 : 1, count = 0;
	Vec3 q[2];
	Curved_Line(c, Neg(n), q);
	Vec3 d = Sub(q[1], q[0]);
	if (Abs(down) > ALONG_END_COSINE && (!c->tip || down < 0.0f)) {
		if (!ClipToEnd(c, end, n, a, u, t))
			return 0;
		Vec3 normal = end > 0 ? c->axis : Neg(c->axis);
		for (int i = 0; i < 2; i++) {
			Vec3 p = MulAdd(a, t[i], u);
			s[i] = (Dot(normal, Sub(c->center, p)) + c->half) / Dot(normal, n);
		}
	} else {
		float uu = LengthSq(u);
		if (LengthSq(Cross(u, d)) > PARALLEL_SQUARE * uu * LengthSq(d))
			return 0;
		float at[2] = {Dot(u, Sub(q[0], a)) / uu, Dot(u, Sub(q[1], a)) / uu};
		t[0] = Max(0.0f, Min(at[0], at[1])), t[1] = Min(1.0f, Max(at[0], at[1]));
		if (t[0] >= t[1])
			return 0;
		for (int i = 0; i < 2; i++) {
			Vec3 core = MulAdd(q[0], Clamp((t[i] - at[0]) / (at[1] - at[0]), 0.0f, 1.0f), d);
			s[i] = Dot(n, Sub(core, MulAdd(a, t[i], u)));
		}
	}
	for (int i = 0; i < 2; i++)
		if (s[i] <= test->margin)
			points[count++] = (TouchPoint){MulAdd(a, t[i], u), s[i], Touch_Id(112, id, (uint32_t)i), false};
	return count;
}

/* Where the shape meets the edge in one place: false when that is beyond its ends. */
static bool PointAcross(const TriangleTest *test, Vec3 a, Vec3 u, Vec3 n, float separation, TouchPoint *point)
{
	const Curved *c = &test->curved;
	Vec3 q[2], d;
	Curved_Line(c, Neg(n), q);
	d = Sub(q[1], q[0]);
	double x, y, slack = (double)Abs(separation) + 1e-3 * (double)test->size;
	if (Abs(Dot(n, d)) > LINE_SLOPE * Length(d))
		q[0] = q[1] = Curved_Support(c, Neg(n));
	if (Segment_Closest(ToD(a), ToD(Add(a, u)), ToD(q[0]), ToD(q[1]), &x, &y) > slack * slack)
		return false;
	point->ground = MulAdd(a, (float)x, u);
	return true;
}

static void MeetEdge(TriangleTest *test, int f, int i)
{
	const Face *face = &test->faces[f];
	Vec3 a = face->v[i], u = Sub(face->v[(i + 1) % 3], a);
	float reach = test->reach + test->margin;
	float t = Clamp(-Dot(a, u) / LengthSq(u), 0.0f, 1.0f);
	if (LengthSq(MulAdd(a, t, u)) > reach * reach)
		return;
	EdgePlanes planes;
	EdgePlanes_Set(&planes, test, f, i);
	if (!(planes.span > 0.0f))
		return;
	a = planes.origin, u = planes.along;
	float separation, preference = Preference(test->size);
	float x = BestPlane(&planes, &separation);
	Vec3 n = PlaneAt(&planes, x);
	/* no better than a face of it: that says all there is to say */
	if (test->edge_filter && (x < END_ANGLE || x > planes.span - END_ANGLE))
		return;
	if (separation > test->margin || !Links_EdgeWins(test, f, i, separation, preference))
		return;
	uint32_t id = Links_EdgeId(test, f, i);
	TouchPoint points[2];
	int count = PointsAlong(test, a, u, n, id, points);
	if (count == 0 && PointAcross(test, a, u, n, separation, &points[0])) {
		points[0].separation = separation;
		points[0].id = Touch_Id(111, id, 0);
		points[0].seam = false;
		count = 1;
	}
	int other = test->edge_filter ? face->neighbour[i] : NO_FACE;
	bool swap = other != NO_FACE && test->faces[other].active && test->faces[other].triangle->id < face->triangle->id;
	if (count > 0)
		Test_Add(test, CANDIDATE_EDGE, swap ? other : f, swap ? f : other, n, separation, points, count);
}

/* ---- corners ----------------------------------------------------------------------------------------------------- */

/* Of the faces at a corner the one of the lowest id: whichever comes first, it stands for the corner. */
static int FirstAtCorner(const TriangleTest *test, int f, int k)
{
	int best = f;
	for (int c = test->edge_filter ? test->vertex_first[test->faces[f].vertex[k]] : -1; c >= 0;
	     c = test->corner_next[c])
		if (test->faces[c / 3].active && test->faces[c / 3].triangle->id < test->faces[best].triangle->id)
			best = c / 3;
	return best;
}

static void MeetCorner(TriangleTest *test, int f, int k)
{
	Vec3 v = test->faces[f].v[k];
	PointAxis axes[3];
	int count = Curved_PointAxes(&test->curved, v, axes), best = -1;
	for (int i = 0; i < count; i++)
		if (axes[i].height <= test->margin && (best < 0 || axes[i].height > axes[best].height) &&
		    Links_CornerSupports(test, f, k, Neg(axes[i].normal)))
			best = i;
	if (best < 0 || !Links_CornerWins(test, f, k, axes[best].height, Preference(test->size)))
		return;
	TouchPoint point = {v, axes[best].height, Touch_Id(113, Links_CornerId(test, f, k), 0), false};
	Test_Add(test, CANDIDATE_CORNER, FirstAtCorner(test, f, k), NO_FACE, Neg(axes[best].normal), axes[best].height,
	         &point, 1);
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

/* Nothing was found, yet it overlaps: out of the face that takes the least push. */
static void Rescue(TriangleTest *test)
{
	int best = NO_FACE;
	for (int f = 0; f < test->face_count; f++)
		if (test->faces[f].active && (best == NO_FACE || test->faces[f].lowest > test->faces[best].lowest) &&
		    Triangles_Reach(test, &test->faces[f], 0.0f))
			best = f;
	if (best == NO_FACE)
		return;
	const Face *face = &test->faces[best];
	int feature;
	Vec3 lowest = Curved_Support(&test->curved, Neg(face->normal));
	TouchPoint point = {Face_Nearest(face, lowest, &feature), face->lowest, Touch_Id(114, face->triangle->id, 0),
	                    false};
	Test_Add(test, CANDIDATE_FACE, best, NO_FACE, face->normal, face->lowest, &point, 1);
}

void Triangles_MeetCurved(TriangleTest *test)
{
	ClipPolygon polygons[2];
	for (int f = 0; f < test->face_count && !test->failed; f++)
		if (test->faces[f].active)
			MeetFace(test, f, polygons);
	Triangles_MeetBorders(test, Triangles_NearBox, MeetEdge, MeetCorner);
	if (test->candidate_count == 0 && !test->failed && test->edge_filter)
		Rescue(test);
}
