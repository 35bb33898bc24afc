/* Boxes and hulls against balls and capsules. All in the frame of the polyhedron; the normal leaves it. */
#include "collide/pairs_internal.h"

#define LANDING_COSINE 0.8f /* 37 degrees */
#define FACE_COSINE 0.9995f /* normals within 1.8 degrees of a face's: contact over that face */

/* ---- one point --------------------------------------------------------------------------------------------------- */

/* `core` is the nearest point of the round shape's axis, `gap` its distance from the surface along the normal. */
static void AddPoint(Manifold *m, Vec3 core, float gap, float radius, uint32_t id)
{
	float s = gap - radius;
	m->points[m->count++] = (ManifoldPoint){MulSub(core, radius + 0.5f * s, m->normal), s, id};
}

/* ---- balls ------------------------------------------------------------------------------------------------------- */

/* The face that the point is farthest outside of, or least inside of. */
static int NearestFace(const Poly *poly, Vec3 p, float *distance)
{
	int best = 0;
	float most = -FLT_MAX;
	for (int f = 0; f < poly->face_count; f++) {
		float d = Dot(poly->normals[f], p) - poly->offsets[f];
		if (d > most) {
			most = d;
			best = f;
		}
	}
	*distance = most;
	return best;
}

static void CollideBall(const Shape *a, const Poly *poly, const Round *ball, float margin, Manifold *m)
{
	float distance;
	int face = NearestFace(poly, ball->p0, &distance);
	if (distance > ball->radius + margin)
		return;
	if (distance > 0.0f && !Poly_OverFace(poly, face, ball->p0)) {
		Core core_a, core_b = {.points = &ball->p0, .count = 1};
		Core_OfShape(&core_a, a);
		Frame frame = Frame_Of(XformIdentity());
		GjkResult g;
		Gjk_Distance(&core_a, &core_b, &frame, &g);
		if (g.distance > (double)(ball->radius + margin))
			return;
		if (g.distance > 1e-6 * (double)ball->radius) {
			m->normal = ToF(g.normal);
			AddPoint(m, ball->p0, (float)g.distance, ball->radius, 1);
			return;
		}
	}
	m->normal = poly->normals[face];
	AddPoint(m, ball->p0, distance, ball->radius, 1);
}

/* ---- capsules ---------------------------------------------------------------------------------------------------- */

/* Over a face: what lies above it of the axis, by its two ends. Heights are taken from the face even where the normal
 * leans a little off it, over the face's border. Nothing, when they miss the least gap, which is known. */
static void AddFacePoints(const Poly *poly, int face, const Round *c, float gap, float margin, Manifold *m)
{
	float t0, t1, deepest = FLT_MAX;
	Vec3 n = poly->normals[face];
	if (Dot(n, m->normal) < FACE_COSINE || !Poly_ClipToFace(poly, face, c->p0, c->p1, &t0, &t1))
		return;
	Vec3 axis = Sub(c->p1, c->p0);
	bool one = (t1 - t0) * Length(axis) < 0.01f * c->radius, first = Dot(n, axis) >= 0.0f;
	for (int i = 0; i < (one ? 1 : 2); i++) {
		float t = (one ? first : i == 0) ? t0 : t1;
		Vec3 p = MulAdd(c->p0, t, axis);
		float s = Dot(n, p) - poly->offsets[face] - c->radius;
		if (s <= margin)
			m->points[m->count++] = (ManifoldPoint){MulSub(p, c->radius + 0.5f * s, n), s, (uint32_t)(one ? 4 : 2 + i)};
		deepest = Min(deepest, s);
	}
	if (deepest > gap - c->radius + 5e-4f * c->radius)
		m->count = 0;
}

/* Along an edge that the capsule is parallel to: the ends of the stretch that they share. `least`: the known least gap,
 * by which the edge is recognised. */
static void AddEdgePoints(const Poly *poly, const Round *c, float least, float margin, Manifold *m)
{
	Vec3 d = Sub(c->p1, c->p0);
	float dd = LengthSq(d);
	for (int e = 0; e < poly->edge_count; e++) {
		Vec3 a = poly->vertices[poly->edges[e].a], u = Poly_EdgeVector(poly, e);
		float uu = LengthSq(u);
		if (LengthSq(Cross(u, d)) > PARALLEL_SQUARE * uu * dd)
			continue;
		float at[2] = {Dot(d, Sub(a, c->p0)) / dd, Dot(d, Sub(Add(a, u), c->p0)) / dd};
		float lo = Max(0.0f, Min(at[0], at[1])), hi = Min(1.0f, Max(at[0], at[1]));
		if (hi <= lo || (hi - lo) * (hi - lo) * dd <= 1e-4f * Min(uu, dd))
			continue;
		Vec3 core[2], ground[2];
		float gap[2];
		bool faces = true;
		for (int i = 0; i < 2; i++) {
			float t = i == 0 ? lo : hi;
			core[i] = MulAdd(c->p0, t, d);
			ground[i] = MulAdd(a, Clamp((t - at[0]) / (at[1] - at[0]), 0.0f, 1.0f), u);
			gap[i] = Dot(m->normal, Sub(core[i], ground[i]));
			faces = faces && Round_Faces(core[i], ground[i], m->normal, c->radius);
		}
		if (!faces || Abs(Min(gap[0], gap[1]) - least) > 5e-4f * c->radius)
			continue;
		for (int i = 0; i < 2; i++)
			if (gap[i] - c->radius <= margin)
				AddPoint(m, core[i], gap[i], c->radius, (uint32_t)(2 + i));
		return;
	}
}

/* The capsule's axis pierces the polyhedron: the way out by separating axes. */
static void CollideDeepCapsule(const Poly *poly, const Round *c, float margin, Manifold *m)
{
	Axis axis;
	Segment_FindAxis(poly, c->p0, c->p1, &axis);
	m->normal = axis.normal;
	if (axis.kind == AXIS_FACE_A)
		AddFacePoints(poly, axis.a, c, axis.separation + Preference(poly->thickness), margin, m);
	if (m->count > 0)
		return;
	double s = 0.5, t;
	if (axis.kind == AXIS_EDGES) {
		const HullEdge *edge = &poly->edges[axis.a];
		Segment_Closest(ToD(c->p0), ToD(c->p1), ToD(poly->vertices[edge->a]), ToD(poly->vertices[edge->b]), &s, &t);
	} else {
		s = Dot(axis.normal, c->p0) < Dot(axis.normal, c->p1) ? 0.0 : 1.0;
	}
	AddPoint(m, Lerp(c->p0, c->p1, (float)s), axis.separation, c->radius, 1);
}

static bool IsNew(const Manifold *m, Vec3 point, float near)
{
	for (int i = 0; i < m->count; i++)
		if (LengthSq(Sub(m->points[i].point, point)) <= near * near)
			return false;
	return true;
}

/* A capsule that touches with one end, or at one place, may turn about it within the step: its ends over the face that
 * it would land on. They count along the normal, and none is deeper than what touches. */
static void AddLandingPoints(const Poly *poly, int face, const Round *c, float gap, float margin, Manifold *m)
{
	float t[2], along = Dot(poly->normals[face], m->normal), least = gap - c->radius;
	if (along < LANDING_COSINE || !Poly_ClipToFace(poly, face, c->p0, c->p1, &t[0], &t[1]))
		return;
	for (int i = 0; i < 2; i++) {
		Vec3 p = MulAdd(c->p0, t[i], Sub(c->p1, c->p0)), n = poly->normals[face];
		float s = Dot(n, p) - poly->offsets[face] - c->radius;
		Vec3 middle = MulSub(p, c->radius + 0.5f * s, n);
		s /= along;
		if (s >= least && s <= margin && IsNew(m, middle, 0.2f * c->radius))
			m->points[m->count++] = (ManifoldPoint){middle, s, (uint32_t)(5 + i)};
	}
}

static void CollideCapsule(const Shape *a, const Poly *poly, const Round *c, float margin, Manifold *m)
{
	Vec3 ends[2] = {c->p0, c->p1};
	Core core_a, core_b = {.points = ends, .count = 2};
	Core_OfShape(&core_a, a);
	Frame frame = Frame_Of(XformIdentity());
	GjkResult g;
	Gjk_Distance(&core_a, &core_b, &frame, &g);
	if (g.distance > (double)(c->radius + margin))
		return;
	if (g.distance <= 1e-5 * (double)c->radius) {
		CollideDeepCapsule(poly, c, margin, m);
		return;
	}
	m->normal = ToF(g.normal);
	int face = Poly_FaceToward(poly, m->normal);
	if (Dot(poly->normals[face], m->normal) > 1.0f - 1e-6f)
		m->normal = poly->normals[face]; /* exact, where GJK has it up to rounding */
	AddFacePoints(poly, face, c, (float)g.distance, margin, m);
	if (m->count == 0)
		AddEdgePoints(poly, c, (float)g.distance, margin, m);
	if (m->count == 0)
		AddPoint(m, ToF(g.point_b), (float)g.distance, c->radius, 1);
	AddLandingPoints(poly, face, c, (float)g.distance, margin, m);
}

void Collide_PolyRound(const Shape *a, Xform ta, const Shape *b, Xform tb, float margin, Manifold *m)
{
	Round round = Round_Of(b, XformInvMul(ta, tb));
	PolyStore store;
	Poly poly;
	Poly_OfShape(&poly, &store, a);
	if (b->kind == SHAPE_BALL || b->half_length <= 0.0f)
		CollideBall(a, &poly, &round, margin, m);
	else
		CollideCapsule(a, &poly, &round, margin, m);
	Manifold_Place(m, ta);
}
