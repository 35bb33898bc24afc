/* Capsules against triangles. */
#include "collide/triangles_internal.h"

/* ---- over the face ----------------------------------------------------------------------------------------------- */

bool Face_ClipSegment(const TriangleTest *test, const Face *face, Vec3 p0, Vec3 p1, float t[2], int cut[2])
{
	t[0] = 0.0f, t[1] = 1.0f;
	cut[0] = cut[1] = -1;
	for (int i = 0; i < 3; i++) {
		Vec3 a = face->v[i], edge = Sub(face->v[(i + 1) % 3], a);
		Vec3 outward = Normalize(Cross(edge, face->normal));
		float room = face->triangle->edge[i] == EDGE_FLAT ? test->seam : 0.0f;
		float d0 = Dot(outward, Sub(p0, a)) - room, d1 = Dot(outward, Sub(p1, a)) - room;
		if (d0 > 0.0f && d1 > 0.0f)
			return false;
		float at = d0 / (d0 - d1);
		if (d0 > 0.0f && at > t[0])
			t[0] = at, cut[0] = i;
		else if (d1 > 0.0f && at < t[1])
			t[1] = at, cut[1] = i;
	}
	return t[0] <= t[1];
}

static void MeetFace(TriangleTest *test, int f)
{
	const Face *face = &test->faces[f];
	const Round *c = &test->round;
	float t[2];
	int cut[2];
	if (!Face_ClipSegment(test, face, c->p0, c->p1, t, cut))
		return;
	TouchPoint points[2];
	int count = 0;
	float highest = -FLT_MAX;
	for (int i = 0; i < 2; i++) {
		Vec3 p = t[i] <= 0.0f ? c->p0 : t[i] >= 1.0f ? c->p1 : Lerp(c->p0, c->p1, t[i]);
		float height = Dot(face->normal, p) - face->offset, s = height - c->radius;
		highest = Max(highest, height);
		if (s > test->margin)
			continue;
		bool seam = cut[i] >= 0 && face->triangle->edge[cut[i]] == EDGE_FLAT;
		uint32_t id = cut[i] < 0 ? 1u + (uint32_t)i : Touch_Id(104, face->triangle->id, (uint32_t)(3 * i + cut[i]));
		points[count++] = (TouchPoint){MulSub(p, height, face->normal), s, id, seam};
	}
	/* wholly farther below than it is thick: it came in from another side of the solid */
	if (count == 0 || highest < -c->radius - test->margin)
		return;
	Candidate *made = Test_Add(test, CANDIDATE_FACE, f, NO_FACE, face->normal, face->lowest, points, count);
	if (made)
		made->weight = (t[1] - t[0]) * Length(Sub(c->p1, c->p0));
}

/* ---- edges ------------------------------------------------------------------------------------------------------- */

static bool AddEdge(TriangleTest *test, int f, int i, Vec3 normal, const TouchPoint *points, int count)
{
	/* of the whole capsule: it may go on beyond this edge, and lie deeper there */
	const Round *c = &test->round;
	float whole = Min(Dot(normal, c->p0), Dot(normal, c->p1)) - Dot(normal, test->faces[f].v[i]) - c->radius;
	if (!Links_EdgeWins(test, f, i, whole, -1e-4f * c->radius))
		return false;
	Test_Add(test, CANDIDATE_EDGE, f, test->edge_filter ? test->faces[f].neighbour[i] : NO_FACE, normal, whole, points,
	         count);
	return true;
}

/* Along an edge that the axis is parallel to: the ends of the stretch that they share. */
static bool MeetParallelEdge(TriangleTest *test, int f, int i)
{
	const Face *face = &test->faces[f];
	const Round *c = &test->round;
	Vec3 a = face->v[i], u = Sub(face->v[(i + 1) % 3], a), d = Sub(c->p1, c->p0);
	float uu = LengthSq(u), dd = LengthSq(d);
	if (LengthSq(Cross(u, d)) > PARALLEL_SQUARE * uu * dd)
		return false;
	float at[2] = {Dot(u, Sub(c->p0, a)) / uu, Dot(u, Sub(c->p1, a)) / uu};
	float lo = Max(0.0f, Min(at[0], at[1])), hi = Min(1.0f, Max(at[0], at[1]));
	if (hi <= lo)
		return false;
	Vec3 ground[2], core[2];
	for (int k = 0; k < 2; k++) {
		float s = k == 0 ? lo : hi;
		ground[k] = MulAdd(a, s, u);
		core[k] = MulAdd(c->p0, Clamp((s - at[0]) / (at[1] - at[0]), 0.0f, 1.0f), d);
	}
	Vec3 gap = Scale(0.5f, Add(Sub(core[0], ground[0]), Sub(core[1], ground[1])));
	gap = MulSub(gap, Dot(gap, u) / uu, u);
	if (LengthSq(gap) <= 1e-12f * c->radius * c->radius)
		return false;
	Vec3 normal = Normalize(gap);
	if (!Round_Faces(core[0], ground[0], normal, c->radius) || !Round_Faces(core[1], ground[1], normal, c->radius) ||
	    !Links_EdgeSupports(test, f, i, normal))
		return false;
	TouchPoint points[2];
	int count = 0;
	for (int k = 0; k < 2; k++) {
		float s = Dot(normal, Sub(core[k], ground[k])) - c->radius;
		if (s <= test->margin)
			points[count++] = (TouchPoint){ground[k], s, Touch_Id(105, Links_EdgeId(test, f, i), (uint32_t)k), false};
	}
	return count > 0 && AddEdge(test, f, i, normal, points, count);
}

static void MeetEdge(TriangleTest *test, int f, int i)
{
	const Face *face = &test->faces[f];
	const Round *c = &test->round;
	Vec3D a = ToD(face->v[i]), u = SubD(ToD(face->v[(i + 1) % 3]), a), p0 = ToD(c->p0), d = SubD(ToD(c->p1), p0);
	double s, t;
	double distance = sqrt(Segment_Closest(p0, ToD(c->p1), a, ToD(face->v[(i + 1) % 3]), &s, &t));
	if (distance > (double)(c->radius + test->margin) || MeetParallelEdge(test, f, i) || t <= 0.0 || t >= 1.0)
		return;
	Vec3D q = MulAddD(a, t, u), gap = SubD(MulAddD(p0, s, d), q);
	TouchPoint point = {ToF(q), (float)distance - c->radius, Links_EdgeId(test, f, i), false};
	if (distance > 1e-6 * (double)c->radius) {
		Vec3 normal = ToF(ScaleD(1.0 / distance, gap));
		if (Links_EdgeSupports(test, f, i, normal)) {
			AddEdge(test, f, i, normal, &point, 1);
			return;
		}
	}
	/* the axis has passed the edge: it goes out along the common perpendicular */
	Vec3D n = CrossD(u, d);
	double size = LengthD(n);
	if (s <= 0.0 || s >= 1.0 || size <= 1e-3 * LengthD(u) * LengthD(d))
		return;
	Vec3 normal = ToF(ScaleD(1.0 / size, n));
	if (!Links_EdgeSupports(test, f, i, normal)) {
		normal = Neg(normal);
		if (!Links_EdgeSupports(test, f, i, normal))
			return;
	}
	point.separation = Dot(normal, ToF(gap)) - c->radius;
	AddEdge(test, f, i, normal, &point, 1);
}

/* ---- corners ----------------------------------------------------------------------------------------------------- */

static void MeetCorner(TriangleTest *test, int f, int k)
{
	const Round *c = &test->round;
	Vec3 v = test->faces[f].v[k], d = Sub(c->p1, c->p0);
	float t = Clamp(Dot(d, Sub(v, c->p0)) / LengthSq(d), 0.0f, 1.0f);
	Vec3 gap = Sub(MulAdd(c->p0, t, d), v);
	float distance = Length(gap);
	if (distance > c->radius + test->margin || distance <= 1e-6f * c->radius)
		return;
	Vec3 normal = Scale(1.0f / distance, gap);
	if (!Links_CornerSupports(test, f, k, normal))
		return;
	TouchPoint point = {v, distance - c->radius, Links_CornerId(test, f, k), false};
	if (Links_CornerWins(test, f, k, point.separation, -1e-4f * c->radius))
		Test_Add(test, CANDIDATE_CORNER, f, NO_FACE, normal, point.separation, &point, 1);
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

/* Ends over the thin wedge of a flat fold, or below a valley. */
static void MeetEnds(TriangleTest *test, int f)
{
	Vec3 ends[2] = {test->round.p0, test->round.p1};
	for (int i = 0; i < 2; i++) {
		int feature;
		Vec3 q = Face_Nearest(&test->faces[f], ends[i], &feature);
		if (feature != 0)
			Round_MeetBorder(test, f, ends[i], q, feature, 1u + (uint32_t)i, true);
	}
}

void Triangles_MeetCapsule(TriangleTest *test)
{
	for (int f = 0; f < test->face_count && !test->failed; f++)
		if (test->faces[f].active) {
			MeetFace(test, f);
			MeetEnds(test, f);
		}
	Triangles_MeetBorders(test, Triangles_NearBox, MeetEdge, MeetCorner);
	if (test->candidate_count == 0 && !test->failed && test->edge_filter) {
		Vec3 points[3] = {test->round.p0, test->round.p1, V3(0.0f, 0.0f, 0.0f)};
		Round_Rescue(test, points, 3);
	}
}
