/* Contact of two shapes: which test serves which pair; balls and capsules among themselves. */
#include "collide/curved_internal.h"
#include "collide/pairs_internal.h"

#define LANDING_COSINE 0.8f /* 37 degrees */
#define FEW_FACES 1500      /* pairs of a face and a corner of the other */

/* ---- manifolds --------------------------------------------------------------------------------------------------- */

void Manifold_Place(Manifold *m, Xform frame)
{
	m->normal = Rotate(frame.q, m->normal);
	for (int i = 0; i < m->count; i++)
		m->points[i].point = XformPoint(frame, m->points[i].point);
}

void Manifold_Flip(Manifold *m)
{
	m->normal = Neg(m->normal);
}

/* ---- balls and capsules ------------------------------------------------------------------------------------------ */

Round Round_Of(const Shape *shape, Xform t)
{
	Vec3 half = shape->kind == SHAPE_CAPSULE ? Rotate(t.q, V3(0.0f, shape->half_length, 0.0f)) : V3(0.0f, 0.0f, 0.0f);
	return (Round){Sub(t.p, half), Add(t.p, half), shape->radius};
}

static void AddPoint(Manifold *m, Vec3 on_a, Vec3 on_b, float separation, uint32_t id)
{
	m->points[m->count++] = (ManifoldPoint){Scale(0.5f, Add(on_a, on_b)), separation, id};
}

static void AddRoundPoint(Manifold *m, Vec3 core_a, float radius_a, Vec3 core_b, float radius_b, uint32_t id)
{
	float s = Dot(m->normal, Sub(core_b, core_a)) - radius_a - radius_b;
	AddPoint(m, MulAdd(core_a, radius_a, m->normal), MulSub(core_b, radius_b, m->normal), s, id);
}

/* From A to B where their axes touch or cross: no direction comes from the nearest points. */
static Vec3 CrossingNormal(Vec3 along_a, Vec3 along_b, Vec3 centers)
{
	Vec3 n = Cross(along_a, along_b);
	float scale = Length(along_a) * Length(along_b);
	if (Length(n) > 1e-4f * scale)
		n = Normalize(n);
	else if (Length(along_a) > 1e-12f || Length(along_b) > 1e-12f)
		n = Perpendicular(Normalize(LengthSq(along_a) > LengthSq(along_b) ? along_a : along_b));
	else
		n = V3(0.0f, 1.0f, 0.0f);
	return Dot(n, centers) < 0.0f ? Neg(n) : n;
}

/* Two capsules that lie along each other touch along a line: its two ends, cut to the shorter. */
static bool AddParallelPoints(Manifold *m, const Round *a, const Round *b, float margin)
{
	Vec3 u = Sub(a->p1, a->p0), v = Sub(b->p1, b->p0);
	float uu = LengthSq(u), vv = LengthSq(v);
	if (uu <= 0.0f || vv <= 0.0f || LengthSq(Cross(u, v)) > PARALLEL_SQUARE * uu * vv)
		return false;
	float at[2] = {Dot(u, Sub(b->p0, a->p0)) / uu, Dot(u, Sub(b->p1, a->p0)) / uu};
	float lo = Max(0.0f, Min(at[0], at[1])), hi = Min(1.0f, Max(at[0], at[1]));
	if (hi <= lo || (hi - lo) * (hi - lo) * uu <= 1e-4f * Min(uu, vv))
		return false;
	Vec3 core_a[2], core_b[2];
	for (int i = 0; i < 2; i++) {
		float t = i == 0 ? lo : hi;
		core_a[i] = MulAdd(a->p0, t, u);
		core_b[i] = MulAdd(b->p0, Clamp((t - at[0]) / (at[1] - at[0]), 0.0f, 1.0f), v);
		if (!Round_Faces(core_a[i], core_b[i], m->normal, a->radius + b->radius))
			return false;
	}
	for (int i = 0; i < 2; i++) {
		AddRoundPoint(m, core_a[i], a->radius, core_b[i], b->radius, (uint32_t)(2 + i));
		if (m->points[m->count - 1].separation > margin)
			m->count--;
	}
	return m->count > 0;
}

/* Capsules that touch with one point may turn about it within the step: their ends, where they would land on the other.
 * They count along the normal, and none is deeper than the one that touches. */
static void AddLandingEnds(Manifold *m, const Round *a, const Round *b, float margin)
{
	Vec3 first = m->points[0].point;
	float least = m->points[0].separation, reach = a->radius + b->radius;
	for (int i = 0; i < 4 && m->count < MANIFOLD_POINTS; i++) {
		bool of_b = i >= 2;
		Vec3 end = of_b ? (i & 1 ? b->p1 : b->p0) : i & 1 ? a->p1 : a->p0;
		Vec3 from = of_b ? a->p0 : b->p0, along = of_b ? Sub(a->p1, a->p0) : Sub(b->p1, b->p0);
		float square = LengthSq(along);
		float t = square > 0.0f ? Clamp(Dot(along, Sub(end, from)) / square, 0.0f, 1.0f) : 0.0f;
		Vec3 other = MulAdd(from, t, along), gap = of_b ? Sub(end, other) : Sub(other, end);
		float distance = Length(gap), cosine = Dot(gap, m->normal);
		if (!(cosine > LANDING_COSINE * distance) || distance > reach + margin)
			continue;
		float s = (distance - reach) * distance / cosine;
		if (s < least || s > margin)
			continue;
		Vec3 way = Scale(1.0f / distance, gap);
		Vec3 on_a = MulAdd(of_b ? other : end, a->radius, way), on_b = MulSub(of_b ? end : other, b->radius, way);
		if (LengthSq(Sub(Scale(0.5f, Add(on_a, on_b)), first)) > 0.04f * reach * reach)
			AddPoint(m, on_a, on_b, s, (uint32_t)(4 + i));
	}
}

/* In a frame near both. */
static void Round_Round(const Round *a, const Round *b, float margin, Manifold *m)
{
	double s, t;
	Vec3D p0 = ToD(a->p0), q0 = ToD(b->p0), u = SubD(ToD(a->p1), p0), v = SubD(ToD(b->p1), q0);
	double square = Segment_Closest(p0, ToD(a->p1), q0, ToD(b->p1), &s, &t);
	double reach = (double)a->radius + (double)b->radius + (double)margin;
	if (square > reach * reach)
		return;
	double distance = sqrt(square);
	Vec3D pa = MulAddD(p0, s, u), pb = MulAddD(q0, t, v);
	if (distance > 1e-6 * ((double)a->radius + (double)b->radius))
		m->normal = ToF(ScaleD(1.0 / distance, SubD(pb, pa)));
	else
		m->normal = CrossingNormal(ToF(u), ToF(v), Scale(0.5f, Sub(Add(b->p0, b->p1), Add(a->p0, a->p1))));
	if (AddParallelPoints(m, a, b, margin))
		return;
	AddRoundPoint(m, ToF(pa), a->radius, ToF(pb), b->radius, 1);
	AddLandingEnds(m, a, b, margin);
}

static void CollideRound(const Shape *a, Xform ta, const Shape *b, Xform tb, float margin, Manifold *m)
{
	Xform near_a = {V3(0.0f, 0.0f, 0.0f), ta.q}, near_b = {Sub(tb.p, ta.p), tb.q};
	Round round_a = Round_Of(a, near_a), round_b = Round_Of(b, near_b);
	Round_Round(&round_a, &round_b, margin, m);
	for (int i = 0; i < m->count; i++)
		m->points[i].point = Add(m->points[i].point, ta.p);
}

/* ---- polyhedra --------------------------------------------------------------------------------------------------- */

/* Where edges that are apart along their common perpendicular end before they meet, they may be too far away. */
static void AddEdgePoint(const Poly *a, const Poly *b, const Axis *axis, float margin, Manifold *m)
{
	const HullEdge *x = &a->edges[axis->a], *y = &b->edges[axis->b];
	Vec3D p0 = ToD(a->vertices[x->a]), p1 = ToD(a->vertices[x->b]);
	Vec3D q0 = ToD(b->vertices[y->a]), q1 = ToD(b->vertices[y->b]);
	double s, t;
	double square = Segment_Closest(p0, p1, q0, q1, &s, &t);
	if (axis->separation > 0.0f && square > (double)margin * (double)margin)
		return;
	Vec3 pa = ToF(MulAddD(p0, s, SubD(p1, p0))), pb = ToF(MulAddD(q0, t, SubD(q1, q0)));
	AddPoint(m, pa, pb, axis->separation, (uint32_t)axis->a | (uint32_t)axis->b << 10 | 1u << 31);
}

static void NearestPoints(const Shape *a, const Shape *b, Xform b_in_a, GjkResult *g)
{
	Core core_a, core_b;
	Core_OfShape(&core_a, a);
	Core_OfShape(&core_b, b);
	Frame frame = Frame_Of(b_in_a);
	Gjk_Distance(&core_a, &core_b, &frame, g);
}

/* Apart, but no face of one looks at the other: corner against corner. The nearest points, if they are near. */
static void AddNearestPoint(const Shape *a, const Shape *b, Xform b_in_a, float margin, Manifold *m)
{
	GjkResult g;
	NearestPoints(a, b, b_in_a, &g);
	m->points[0].separation = (float)g.bound;
	if (g.distance > (double)margin || g.distance <= 0.0)
		return;
	m->normal = ToF(g.normal);
	AddPoint(m, ToF(g.point_a), ToF(g.point_b), (float)g.distance, 3u << 30);
}

/* How far p is outside of the polyhedron. */
static float OutsideOf(const Poly *poly, Vec3 p)
{
	float most = -FLT_MAX;
	for (int f = 0; f < poly->face_count; f++)
		most = Max(most, Dot(poly->normals[f], p) - poly->offsets[f]);
	return most;
}

/* Of the corners that are farthest along a direction, up to a hair, the one that is most inside the other. */
static int DeepestCorner(const Poly *poly, Vec3 direction, const Poly *other)
{
	int best;
	float slack = 1e-4f * poly->thickness, reach = Poly_Support(poly, direction, &best);
	float least = OutsideOf(other, poly->vertices[best]);
	for (int i = 0; i < poly->vertex_count; i++) {
		float out = Dot(poly->vertices[i], direction) >= reach - slack ? OutsideOf(other, poly->vertices[i]) : FLT_MAX;
		if (out < least) {
			least = out;
			best = i;
		}
	}
	return best;
}

/* Overlapping, yet clipping left nothing (an axis preferred by a hair): the deepest corner. */
static void AddDeepestCorner(const Poly *a, const Poly *b, const Axis *axis, Manifold *m)
{
	bool of_a = axis->kind == AXIS_FACE_B;
	int va = DeepestCorner(a, axis->normal, b), vb = DeepestCorner(b, Neg(axis->normal), a);
	Vec3 p = of_a ? a->vertices[va] : b->vertices[vb];
	float half = (of_a ? 0.5f : -0.5f) * axis->separation;
	m->points[m->count++] =
	    (ManifoldPoint){MulAdd(p, half, axis->normal), axis->separation, (uint32_t)va | (uint32_t)vb << 10 | 3u << 30};
}

/* A body that touches with one point may turn about it within the step: where a face is near to that direction, the
 * points over it are what it would land on. They count along the normal, and none is deeper than the one that touches.
 */
static void AddLandingPoints(const Poly *a, const Poly *b, float margin, Manifold *m)
{
	int face_a = Poly_FaceToward(a, m->normal), face_b = Poly_FaceToward(b, Neg(m->normal));
	float along_a = Dot(a->normals[face_a], m->normal), along_b = -Dot(b->normals[face_b], m->normal);
	bool of_b = along_b > along_a;
	float along = Max(along_a, along_b), size = Min(a->thickness, b->thickness);
	if (along < LANDING_COSINE)
		return;
	ManifoldPoint points[MANIFOLD_POINTS], first = m->points[0];
	int count =
	    of_b ? Clip_Manifold(b, face_b, a, margin, true, points) : Clip_Manifold(a, face_a, b, margin, false, points);
	for (int i = 0; i < count && m->count < MANIFOLD_POINTS; i++) {
		points[i].separation /= along;
		if (points[i].separation >= first.separation && points[i].separation <= margin &&
		    LengthSq(Sub(points[i].point, first.point)) > 0.04f * size * size)
			m->points[m->count++] = points[i];
	}
}

/* Are there so few axes of faces that trying them all costs less than walking to the distance first? */
static bool HasFewFaces(const Poly *a, const Poly *b)
{
	return a->face_count * b->vertex_count + b->face_count * a->vertex_count <= FEW_FACES;
}

static void CollidePolys(const Shape *a, Xform ta, const Shape *b, Xform tb, float margin, Manifold *m)
{
	Xform b_in_a = XformInvMul(ta, tb);
	PolyStore store_a, store_b;
	Poly poly_a, poly_b;
	Axis axis;
	if (a->kind == SHAPE_BOX && b->kind == SHAPE_BOX) {
		float thickness = Min(Min(a->half.x, Min(a->half.y, a->half.z)), Min(b->half.x, Min(b->half.y, b->half.z)));
		if (!Box_FindAxis(a->half, b->half, QuatToMat(b_in_a.q), b_in_a.p, Preference(thickness), margin, &axis)) {
			m->points[0].separation = axis.separation;
			return;
		}
		Poly_OfShape(&poly_a, &store_a, a);
		Poly_Place(&poly_b, &store_b, b, b_in_a);
	} else {
		Poly_OfShape(&poly_a, &store_a, a);
		Poly_Place(&poly_b, &store_b, b, b_in_a);
		bool few = HasFewFaces(&poly_a, &poly_b);
		GjkResult g = {.bound = 0.0};
		if (!few)
			NearestPoints(a, b, b_in_a, &g);
		bool near = g.bound <= (double)margin;
		if (!near || !Poly_FindAxis(&poly_a, &poly_b, margin, !few, &axis)) {
			m->points[0].separation = near ? axis.separation : (float)g.bound;
			return;
		}
	}
	m->normal = axis.normal;
	if (axis.kind == AXIS_FACE_A)
		m->count = Clip_Manifold(&poly_a, axis.a, &poly_b, margin, false, m->points);
	else if (axis.kind == AXIS_FACE_B)
		m->count = Clip_Manifold(&poly_b, axis.b, &poly_a, margin, true, m->points);
	else
		AddEdgePoint(&poly_a, &poly_b, &axis, margin, m);
	if (m->count == 0 && axis.separation > 0.0f)
		AddNearestPoint(a, b, b_in_a, margin, m);
	else if (m->count == 0)
		AddDeepestCorner(&poly_a, &poly_b, &axis, m);
	if (m->count == 1)
		AddLandingPoints(&poly_a, &poly_b, margin, m);
	Manifold_Place(m, ta);
}

/* ---- which test -------------------------------------------------------------------------------------------------- */

static bool IsRound(const Shape *shape)
{
	return shape->kind == SHAPE_BALL || shape->kind == SHAPE_CAPSULE;
}

void Collide_Shapes(const Shape *a, Xform ta, const Shape *b, Xform tb, float margin, Manifold *manifold)
{
	*manifold = (Manifold){.normal = {0.0f, 1.0f, 0.0f}};
	if (Shape_IsCurved(a)) {
		Collide_Curved(a, ta, b, tb, margin, manifold);
	} else if (Shape_IsCurved(b)) {
		Collide_Curved(b, tb, a, ta, margin, manifold);
		Manifold_Flip(manifold);
	} else if (IsRound(a) && IsRound(b)) {
		CollideRound(a, ta, b, tb, margin, manifold);
	} else if (IsRound(b)) {
		Collide_PolyRound(a, ta, b, tb, margin, manifold);
	} else if (IsRound(a)) {
		Collide_PolyRound(b, tb, a, ta, margin, manifold);
		Manifold_Flip(manifold);
	} else {
		CollidePolys(a, ta, b, tb, margin, manifold);
	}
	if (manifold->count == 0 && (IsRound(a) || IsRound(b)))
		manifold->points[0].separation = 0.0f;
}
