/* What balls and capsules share against triangles: nearest points, edges and corners met by a point of the axis. */
#include "collide/triangles_internal.h"

#define FLAT_COSINE 0.9945f  /* 6 degrees: a flat edge folds by up to 5 */
#define SNAP_COSINE 0.99999f /* 0.26 degrees: as good as the face's own normal */

/* Ericson, "Real-Time Collision Detection", 5.1.5; in double, since long triangles are usual. */
Vec3 Face_Nearest(const Face *face, Vec3 p, int *feature)
{
	Vec3D a = ToD(face->v[0]), b = ToD(face->v[1]), c = ToD(face->v[2]), x = ToD(p);
	Vec3D ab = SubD(b, a), ac = SubD(c, a), ap = SubD(x, a);
	double d1 = DotD(ab, ap), d2 = DotD(ac, ap);
	if (d1 <= 0.0 && d2 <= 0.0)
		return *feature = 4, face->v[0];
	Vec3D bp = SubD(x, b);
	double d3 = DotD(ab, bp), d4 = DotD(ac, bp);
	if (d3 >= 0.0 && d4 <= d3)
		return *feature = 5, face->v[1];
	double vc = d1 * d4 - d3 * d2;
	if (vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0)
		return *feature = 1, ToF(MulAddD(a, d1 / (d1 - d3), ab));
	Vec3D cp = SubD(x, c);
	double d5 = DotD(ab, cp), d6 = DotD(ac, cp);
	if (d6 >= 0.0 && d5 <= d6)
		return *feature = 6, face->v[2];
	double vb = d5 * d2 - d1 * d6;
	if (vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0)
		return *feature = 3, ToF(MulAddD(a, d2 / (d2 - d6), ac));
	double va = d3 * d6 - d5 * d4;
	if (va <= 0.0 && d4 >= d3 && d5 >= d6)
		return *feature = 2, ToF(MulAddD(b, (d4 - d3) / ((d4 - d3) + (d5 - d6)), SubD(c, b)));
	double sum = 1.0 / (va + vb + vc);
	return *feature = 0, ToF(AddD(a, AddD(ScaleD(vb * sum, ab), ScaleD(vc * sum, ac))));
}

static void AddFace(TriangleTest *test, int f, Vec3 p, float height, Vec3 normal, uint32_t id)
{
	TouchPoint point = {MulSub(p, height, normal), height - test->round.radius, id, false};
	Test_Add(test, CANDIDATE_FACE, f, NO_FACE, normal, test->faces[f].lowest, &point, 1);
}

/* ---- edges and corners ------------------------------------------------------------------------------------------- */

static void AddBorder(TriangleTest *test, int f, int feature, Vec3 q, Vec3 normal, float distance, uint32_t id)
{
	TouchPoint point = {q, distance - test->round.radius, id, false};
	bool corner = feature >= 4;
	int other = corner || !test->edge_filter ? NO_FACE : test->faces[f].neighbour[feature - 1];
	/* the other end of a capsule may lie deeper along this normal */
	float whole = Min(Dot(normal, test->round.p0), Dot(normal, test->round.p1)) - Dot(normal, q) - test->round.radius;
	Test_Add(test, corner ? CANDIDATE_CORNER : CANDIDATE_EDGE, f, other, normal, whole, &point, 1);
}

/* Between the two planes of a fold of a few degrees lies a thin wedge over no face. There the edge stands for them. */
static void MeetFlat(TriangleTest *test, int f, Vec3 q, int feature, Vec3 direction, float distance, uint32_t id)
{
	const Face *face = &test->faces[f];
	if (!test->edge_filter || Dot(direction, face->normal) < FLAT_COSINE || !Links_Make(test))
		return;
	bool supports =
	    feature >= 4 ? Links_CornerSupports(test, f, feature - 4, direction)
	                 : face->neighbour[feature - 1] != NO_FACE && Links_EdgeSupports(test, f, feature - 1, direction);
	if (!supports)
		return;
	if (Dot(direction, face->normal) > SNAP_COSINE)
		direction = face->normal;
	AddBorder(test, f, feature, q, direction, distance, id);
}

static void MeetConvex(TriangleTest *test, int f, Vec3 q, int feature, Vec3 direction, float distance)
{
	if (!Links_Make(test))
		return;
	if (feature >= 4) {
		int corner = feature - 4;
		if (Links_CornerIsConvex(test, f, corner) && Links_CornerSupports(test, f, corner, direction))
			AddBorder(test, f, feature, q, direction, distance, Links_CornerId(test, f, corner));
	} else if (Links_EdgeSupports(test, f, feature - 1, direction)) {
		AddBorder(test, f, feature, q, direction, distance, Links_EdgeId(test, f, feature - 1));
	}
}

/* Below the surface beside a valley or a fold, over neither face: both planes bound the solid there, so both push. */
static void MeetBelow(TriangleTest *test, int f, Vec3 p, int feature, float height, uint32_t id)
{
	if (feature >= 4 || test->faces[f].triangle->edge[feature - 1] == EDGE_CONVEX || !test->edge_filter ||
	    !Links_Make(test))
		return;
	int other = test->faces[f].neighbour[feature - 1];
	if (other == NO_FACE)
		return;
	const Face *g = &test->faces[other];
	int theirs;
	if (Dot(g->normal, p) >= g->offset)
		return;
	Face_Nearest(g, p, &theirs);
	if (theirs >= 1 && theirs <= 3 && g->neighbour[theirs - 1] == f)
		AddFace(test, f, p, height, test->faces[f].normal, id);
}

static EdgeKind KindOf(const TriangleTest *test, const Face *face, int feature)
{
	const uint8_t *kinds = face->triangle->edge;
	if (!test->edge_filter)
		return EDGE_CONVEX;
	if (feature <= 3)
		return (EdgeKind)kinds[feature - 1];
	uint8_t a = kinds[feature - 4], b = kinds[(feature - 4 + 2) % 3];
	/* a corner may be convex through edges of other triangles */
	return a == EDGE_FLAT && b == EDGE_FLAT ? EDGE_FLAT : EDGE_CONVEX;
}

void Round_MeetBorder(TriangleTest *test, int f, Vec3 p, Vec3 q, int feature, uint32_t id, bool flat_only)
{
	const Face *face = &test->faces[f];
	float height = Dot(face->normal, p) - face->offset;
	if (height < 0.0f) {
		if (height > -test->round.radius)
			MeetBelow(test, f, p, feature, height, id);
		return;
	}
	Vec3 gap = Sub(p, q);
	float distance = Length(gap), radius = test->round.radius;
	if (distance > radius + test->margin)
		return;
	EdgeKind kind = KindOf(test, face, feature);
	if (kind == EDGE_CONCAVE)
		return;
	Vec3 direction = distance > 1e-6f * radius ? Scale(1.0f / distance, gap) : face->normal;
	if (kind == EDGE_FLAT || feature >= 4)
		MeetFlat(test, f, q, feature, direction, distance, id);
	if (kind == EDGE_CONVEX && !flat_only)
		MeetConvex(test, f, q, feature, direction, distance);
}

/* ---- lost below -------------------------------------------------------------------------------------------------- */

void Round_Rescue(TriangleTest *test, const Vec3 *points, int count)
{
	float radius = test->round.radius, best = radius;
	int best_face = NO_FACE, best_point = 0;
	for (int f = 0; f < test->face_count; f++) {
		const Face *face = &test->faces[f];
		for (int i = 0; face->active && i < count; i++) {
			int feature;
			float height = Dot(face->normal, points[i]) - face->offset;
			if (height >= 0.0f || height <= -radius)
				continue;
			float distance = Length(Sub(points[i], Face_Nearest(face, points[i], &feature)));
			if (distance < best || (distance == best && best_face != NO_FACE &&
			                        face->triangle->id < test->faces[best_face].triangle->id)) {
				best = distance;
				best_face = f;
				best_point = i;
			}
		}
	}
	if (best_face == NO_FACE)
		return;
	const Face *face = &test->faces[best_face];
	Vec3 p = points[best_point];
	AddFace(test, best_face, p, Dot(face->normal, p) - face->offset, face->normal, 1u + (uint32_t)best_point);
}

/* ---- balls ------------------------------------------------------------------------------------------------------- */

void Triangles_MeetBall(TriangleTest *test)
{
	Vec3 center = V3(0.0f, 0.0f, 0.0f);
	for (int f = 0; f < test->face_count && !test->failed; f++) {
		const Face *face = &test->faces[f];
		if (!face->active)
			continue;
		int feature;
		Vec3 q = Face_Nearest(face, center, &feature);
		if (feature == 0)
			AddFace(test, f, center, -face->offset, face->normal, 1);
		else
			Round_MeetBorder(test, f, center, q, feature, 1, false);
	}
	if (test->candidate_count == 0 && !test->failed && test->edge_filter)
		Round_Rescue(test, &center, 1);
}
