/* Cylinders and cones against every kind of shape, in the frame of A, which is a cylinder or a cone.
 *
 * The normal is that of a flat end or a face of either where it says the same overlap, to a hair, as the best of all
 * directions, which GJK or EPA finds. What the other shape has farthest that way (a face, an end, a line of its side, a
 * point) is cut to the face. Where no face is met, lines that lie along each other touch in two points, all else in
 * one.
 */
#include "collide/curved_internal.h"
#include "collide/pairs_internal.h"

#define LANDING_COSINE 0.8f /* 37 degrees */
#define EDGE_SLOPE 0.02f    /* an edge of a polyhedron within 1.1 degrees of level is met along its length */

typedef enum SolidKind { SOLID_CURVED, SOLID_POLY, SOLID_ROUND } SolidKind;

/* A placed shape of any kind. */
typedef struct Solid {
	SolidKind kind;
	Curved curved;
	Poly poly;
	Round round;
	float radius;    /* of the rounding: points below are of its core */
	float thickness; /* scale of tolerances */
} Solid;

static void Solid_Place(Solid *s, PolyStore *store, const Shape *shape, Xform t)
{
	s->radius = 0.0f;
	s->thickness = Shape_InnerRadius(shape);
	if (Shape_IsCurved(shape)) {
		s->kind = SOLID_CURVED;
		s->curved = Curved_Of(shape, t);
	} else if (shape->kind == SHAPE_BOX || shape->kind == SHAPE_HULL) {
		s->kind = SOLID_POLY;
		Poly_Place(&s->poly, store, shape, t);
	} else {
		s->kind = SOLID_ROUND;
		s->round = Round_Of(shape, t);
		s->radius = s->round.radius;
	}
}

/* Least dot(direction, p) of the core. */
static float Solid_Lowest(const Solid *s, Vec3 direction)
{
	int vertex;
	if (s->kind == SOLID_CURVED)
		return Curved_Lowest(&s->curved, direction);
	if (s->kind == SOLID_POLY)
		return -Poly_Support(&s->poly, Neg(direction), &vertex);
	return Min(Dot(direction, s->round.p0), Dot(direction, s->round.p1));
}

/* ---- faces ------------------------------------------------------------------------------------------------------ */

typedef struct FaceAxis {
	bool of_b;
	int face; /* of a polyhedron; end (-1, 1) of a cylinder or cone */
	Vec3 normal;
	float separation;
} FaceAxis;

static void TryFace(const Solid *other, bool of_b, int face, Vec3 normal, float offset, float bar, FaceAxis *best)
{
	float s = Solid_Lowest(other, normal) - other->radius - offset;
	if (s > bar && s > best->separation)
		*best = (FaceAxis){of_b, face, normal, s};
}

static Vec3 EndNormal(const Curved *c, int end)
{
	return end > 0 ? c->axis : Neg(c->axis);
}

static float EndOffset(const Curved *c, int end)
{
	return Dot(EndNormal(c, end), c->center) + c->half;
}

static void TryFaces(const Solid *s, const Solid *other, bool of_b, float bar, FaceAxis *best)
{
	if (s->kind == SOLID_CURVED)
		for (int end = -1; end <= (s->curved.tip ? -1 : 1); end += 2)
			TryFace(other, of_b, end, EndNormal(&s->curved, end), EndOffset(&s->curved, end), bar, best);
	else if (s->kind == SOLID_POLY)
		for (int f = 0; f < s->poly.face_count; f++)
			TryFace(other, of_b, f, s->poly.normals[f], s->poly.offsets[f], bar, best);
}

/* The face of s that looks most along a direction, if it does so at all. */
static bool FaceToward(const Solid *s, bool of_b, Vec3 direction, FaceAxis *face)
{
	*face = (FaceAxis){.of_b = of_b};
	if (s->kind == SOLID_ROUND)
		return false;
	if (s->kind == SOLID_POLY) {
		face->face = Poly_FaceToward(&s->poly, direction);
		face->normal = s->poly.normals[face->face];
	} else {
		face->face = s->curved.tip || Dot(direction, s->curved.axis) < 0.0f ? -1 : 1;
		face->normal = EndNormal(&s->curved, face->face);
	}
	return Dot(face->normal, direction) >= LANDING_COSINE;
}

/* ---- what lies over a face --------------------------------------------------------------------------------------- */

/* What a solid has farthest along a direction: a polygon, a line or a point. */
typedef struct Feature {
	ClipPolygon *polygon; /* NULL: a line or a point */
	int face, farthest;   /* of the polygon: for names */
	int end;
	Vec3 q[2];
	bool point;
} Feature;

static void Feature_Of(const Solid *s, Vec3 direction, ClipPolygon *room, Feature *feature)
{
	*feature = (Feature){.polygon = NULL, .farthest = -1};
	if (s->kind == SOLID_POLY) {
		feature->face = Poly_IncidentFace(&s->poly, direction);
		feature->polygon = room;
		Clip_Face(room, &s->poly, feature->face);
	} else if (s->kind == SOLID_ROUND) {
		feature->q[0] = s->round.p0;
		feature->q[1] = s->round.p1;
		feature->point = LengthSq(Sub(s->round.p1, s->round.p0)) <= 0.0f;
	} else if (Curved_EndFaces(&s->curved, direction, &feature->end)) {
		feature->farthest = Curved_Ring(&s->curved, feature->end, direction, room);
		feature->polygon = room;
	} else {
		Curved_Line(&s->curved, direction, feature->q);
	}
}

/* Sides of a face: planes at right angles to it. For an end, tangents of the rim. */
static int FaceSides(const Solid *s, const FaceAxis *face, Vec3 normals[HULL_VERTEX_LIMIT],
                     float offsets[HULL_VERTEX_LIMIT])
{
	if (s->kind == SOLID_POLY) {
		int count = Poly_CornerCount(&s->poly, face->face);
		for (int i = 0; i < count; i++) {
			Vec3 a = s->poly.vertices[Poly_Corner(&s->poly, face->face, i)];
			Vec3 b = s->poly.vertices[Poly_Corner(&s->poly, face->face, i + 1 < count ? i + 1 : 0)];
			normals[i] = Cross(Sub(b, a), face->normal);
			offsets[i] = Dot(normals[i], a);
		}
		return count;
	}
	/* half way between the points of the ring, so that the tangents' corners stand where these do */
	ClipPolygon ring;
	Curved_Ring(&s->curved, face->face, face->normal, &ring);
	for (int i = 0; i < ring.count; i++) {
		Vec3 between = Scale(0.5f, Add(ring.corners[i].p, ring.corners[i + 1 < ring.count ? i + 1 : 0].p));
		normals[i] = Curved_Outward(&s->curved, Sub(between, s->curved.center));
		offsets[i] = Dot(normals[i], s->curved.center) + s->curved.radius;
	}
	return ring.count;
}

/* The corners of the tangents lie a little outside of the rim. */
static Vec3 OntoEnd(const Curved *c, Vec3 p)
{
	Vec3 arm = Sub(p, c->center), across = MulSub(arm, Dot(arm, c->axis), c->axis);
	float length = Length(across);
	return length > c->radius ? MulSub(p, 1.0f - c->radius / length, across) : p;
}

static void AddOver(const Solid *ref, const FaceAxis *face, float offset, Vec3 p, float radius, float margin,
                    uint32_t id, ManifoldPoint *all, int *count)
{
	if (ref->kind == SOLID_CURVED)
		p = OntoEnd(&ref->curved, p);
	float s = Dot(face->normal, p) - offset - radius;
	if (s <= margin)
		all[(*count)++] = (ManifoldPoint){MulSub(p, radius + 0.5f * s, face->normal), s, id};
}

/* Points of `other` over a face of `ref`, no farther than margin: at most four. Normal along the face's. */
static int OverFace(const Solid *ref, const FaceAxis *face, const Solid *other, float margin,
                    ManifoldPoint points[MANIFOLD_POINTS])
{
	Vec3 normals[HULL_VERTEX_LIMIT];
	float offsets[HULL_VERTEX_LIMIT];
	ClipPolygon rooms[2], *polygon = &rooms[0], *spare = &rooms[1];
	ManifoldPoint all[CLIP_LIMIT];
	Feature feature;
	int sides = FaceSides(ref, face, normals, offsets), count = 0;
	float offset = ref->kind == SOLID_POLY ? ref->poly.offsets[face->face] : EndOffset(&ref->curved, face->face);
	uint32_t base = (uint32_t)face->of_b << 31 | (uint32_t)(face->face & 255) << 20;
	Feature_Of(other, Neg(face->normal), polygon, &feature);
	if (feature.polygon) {
		for (int i = 0; i < sides; i++)
			Clip_ByPlane(&polygon, &spare, normals[i], offsets[i], i);
		for (int i = 0; i < polygon->count; i++) {
			const ClipCorner *c = &polygon->corners[i];
			bool own = c->before < CLIP_CUT && c->after < CLIP_CUT;
			uint32_t id = (uint32_t)c->before | (uint32_t)c->after << 10;
			if (own && other->kind == SOLID_CURVED)
				id = 1u << 19 | Ring_Name(feature.end, c->after, feature.farthest);
			AddOver(ref, face, offset, c->p, 0.0f, margin, base | id, all, &count);
		}
	} else {
		float lo = 0.0f, hi = 1.0f;
		for (int i = 0; i < sides && lo <= hi; i++) {
			float d0 = Dot(normals[i], feature.q[0]) - offsets[i], d1 = Dot(normals[i], feature.q[1]) - offsets[i];
			if (d0 > 0.0f && d1 > 0.0f)
				return 0;
			if (d0 > 0.0f)
				lo = Max(lo, d0 / (d0 - d1));
			else if (d1 > 0.0f)
				hi = Min(hi, d0 / (d0 - d1));
		}
		Vec3 along = Sub(feature.q[1], feature.q[0]);
		if (lo > hi)
			return 0;
		for (int i = 0; i < (feature.point ? 1 : 2); i++) {
			float t = i == 0 ? lo : hi;
			Vec3 p = t <= 0.0f ? feature.q[0] : t >= 1.0f ? feature.q[1] : MulAdd(feature.q[0], t, along);
			AddOver(ref, face, offset, p, other->radius, margin, base | 1u << 19 | Ring_Name(2 * i - 1, 0, 0), all,
			        &count);
		}
		if (count == 2 && LengthSq(Sub(all[0].point, all[1].point)) <= 1e-4f * other->thickness * other->thickness) {
			all[0] = all[1].separation < all[0].separation ? all[1] : all[0];
			count = 1;
		}
	}
	count = Clip_Reduce(all, count, face->normal, NULL);
	memcpy(points, all, sizeof(ManifoldPoint) * (size_t)count);
	return count;
}

/* ---- where no face is met --------------------------------------------------------------------------------------- */

/* What is farthest along a direction, where that is a line and nearly level. */
static bool FarthestLine(const Solid *s, Vec3 direction, Vec3 q[2])
{
	float slope = LINE_SLOPE;
	if (s->kind == SOLID_CURVED) {
		Curved_Line(&s->curved, direction, q);
	} else if (s->kind == SOLID_ROUND) {
		q[0] = s->round.p0;
		q[1] = s->round.p1;
	} else {
		int vertex;
		Poly_Support(&s->poly, direction, &vertex);
		q[0] = q[1] = s->poly.vertices[vertex];
		slope = EDGE_SLOPE;
		float least = FLT_MAX;
		for (int e = 0; e < s->poly.edge_count; e++) {
			const HullEdge *edge = &s->poly.edges[e];
			if (edge->a != vertex && edge->b != vertex)
				continue;
			Vec3 end = s->poly.vertices[edge->a == vertex ? edge->b : edge->a], way = Sub(end, q[0]);
			float steep = Abs(Dot(direction, way)) / Max(Length(way), 1e-20f);
			if (steep < least) {
				least = steep;
				q[1] = end;
			}
		}
	}
	Vec3 way = Sub(q[1], q[0]);
	float length = Length(way);
	return length > 0.0f && Abs(Dot(direction, way)) <= slope * length;
}

static void AddBetween(Manifold *m, const Solid *a, Vec3 pa, const Solid *b, Vec3 pb, float separation, uint32_t id)
{
	Vec3 on_a = MulAdd(pa, a->radius, m->normal), on_b = MulSub(pb, b->radius, m->normal);
	m->points[m->count++] = (ManifoldPoint){Scale(0.5f, Add(on_a, on_b)), separation, id};
}

/* Two lines along each other: the ends of what they share. */
static bool AddAlong(Manifold *m, const Solid *a, const Vec3 p[2], const Solid *b, const Vec3 q[2], float margin)
{
	Vec3 u = Sub(p[1], p[0]), v = Sub(q[1], q[0]);
	float uu = LengthSq(u), vv = LengthSq(v);
	if (LengthSq(Cross(u, v)) > PARALLEL_SQUARE * uu * vv)
		return false;
	float at[2] = {Dot(u, Sub(q[0], p[0])) / uu, Dot(u, Sub(q[1], p[0])) / uu};
	float lo = Max(0.0f, Min(at[0], at[1])), hi = Min(1.0f, Max(at[0], at[1]));
	if (hi <= lo || (hi - lo) * (hi - lo) * uu <= 1e-4f * Min(uu, vv))
		return false;
	for (int i = 0; i < 2; i++) {
		float t = i == 0 ? lo : hi;
		Vec3 pa = MulAdd(p[0], t, u), pb = MulAdd(q[0], Clamp((t - at[0]) / (at[1] - at[0]), 0.0f, 1.0f), v);
		float s = Dot(m->normal, Sub(pb, pa)) - a->radius - b->radius;
		if (s <= margin)
			AddBetween(m, a, pa, b, pb, s, (uint32_t)(2 + i));
	}
	return m->count > 0;
}

/* The best direction of all, its separation, and the point of A's core that is nearest to B, or deepest in it. */
typedef struct FreeAxis {
	Vec3 normal, point_a;
	float separation;
} FreeAxis;

static void AddFree(Manifold *m, const Solid *a, const Solid *b, const FreeAxis *axis, float margin)
{
	Vec3 p[2], q[2];
	m->normal = axis->normal;
	if (FarthestLine(a, axis->normal, p) && FarthestLine(b, Neg(axis->normal), q) && AddAlong(m, a, p, b, q, margin))
		return;
	Vec3 on_b = MulAdd(axis->point_a, axis->separation + a->radius + b->radius, axis->normal);
	AddBetween(m, a, axis->point_a, b, on_b, axis->separation, 1);
}

/* A body that touches with one point may turn about it within the step: where a face is near to that direction, the
 * points over it are what it would land on. They count along the normal, and none is deeper than the one that touches.
 */
static void AddLanding(Manifold *m, const Solid *a, const Solid *b, float margin)
{
	FaceAxis face_a, face_b;
	bool has_a = FaceToward(a, false, m->normal, &face_a), has_b = FaceToward(b, true, Neg(m->normal), &face_b);
	if (!has_a && !has_b)
		return;
	float along_a = has_a ? Dot(face_a.normal, m->normal) : 0.0f;
	float along_b = has_b ? -Dot(face_b.normal, m->normal) : 0.0f;
	ManifoldPoint points[MANIFOLD_POINTS], first = m->points[0];
	int count = along_b > along_a ? OverFace(b, &face_b, a, margin, points) : OverFace(a, &face_a, b, margin, points);
	float along = Max(along_a, along_b), size = Min(a->thickness, b->thickness);
	for (int i = 0; i < count && m->count < MANIFOLD_POINTS; i++) {
		points[i].separation /= along;
		if (points[i].separation >= first.separation && points[i].separation <= margin &&
		    LengthSq(Sub(points[i].point, first.point)) > 0.04f * size * size && points[i].id != first.id)
			m->points[m->count++] = points[i];
	}
}

/* ---- the test --------------------------------------------------------------------------------------------------- */

/* False when farther apart than margin: then only the separation is said, at least. */
static bool BestAxis(const Shape *a, const Shape *b, Xform b_in_a, float margin, FreeAxis *axis)
{
	Core core_a, core_b;
	Core_OfShape(&core_a, a);
	Core_OfShape(&core_b, b);
	Frame frame = Frame_Of(b_in_a);
	GjkResult g;
	Gjk_Distance(&core_a, &core_b, &frame, &g);
	double radius = core_a.radius + core_b.radius;
	axis->separation = (float)(g.bound - radius);
	if (g.distance > radius + (double)margin)
		return false;
	if (g.distance <= 1e-7 * core_a.ring)
		g.distance = -Epa_Depth(&core_a, &core_b, &frame, &g.normal, &g.point_a);
	*axis = (FreeAxis){ToF(g.normal), ToF(g.point_a), (float)(g.distance - radius)};
	return true;
}

static void CollideBall(const Curved *c, Vec3 center, float radius, float margin, Manifold *m)
{
	PointAxis axes[3];
	int count = Curved_PointAxes(c, center, axes), best = 0;
	for (int i = 1; i < count; i++)
		if (axes[i].height > axes[best].height)
			best = i;
	float s = axes[best].height - radius;
	if (s > margin)
		return;
	m->normal = axes[best].normal;
	m->points[m->count++] = (ManifoldPoint){MulSub(center, radius + 0.5f * s, m->normal), s, 1};
}

static float DeepestOf(const Manifold *m)
{
	float deepest = FLT_MAX;
	for (int i = 0; i < m->count; i++)
		deepest = Min(deepest, m->points[i].separation);
	return deepest;
}

static void CollideSolids(const Shape *a, const Shape *b, Xform b_in_a, float margin, Manifold *m)
{
	FreeAxis axis;
	if (!BestAxis(a, b, b_in_a, margin, &axis)) {
		m->points[0].separation = axis.separation;
		return;
	}
	Solid solid_a, solid_b;
	PolyStore store;
	Solid_Place(&solid_a, NULL, a, XformIdentity());
	Solid_Place(&solid_b, &store, b, b_in_a);
	float preference = Preference(Min(solid_a.thickness, solid_b.thickness));
	FaceAxis face = {.separation = -FLT_MAX}, other = face;
	TryFaces(&solid_a, &solid_b, false, axis.separation - preference, &face);
	TryFaces(&solid_b, &solid_a, true, axis.separation - preference, &other);
	if (other.separation > face.separation + (face.separation > -FLT_MAX ? preference : 0.0f))
		face = other;
	if (face.separation > -FLT_MAX) {
		m->normal = face.of_b ? Neg(face.normal) : face.normal;
		m->count = face.of_b ? OverFace(&solid_b, &face, &solid_a, margin, m->points)
		                     : OverFace(&solid_a, &face, &solid_b, margin, m->points);
	}
	/* what is nearest may lie beside the face */
	if (DeepestOf(m) > face.separation + preference + 0.002f * Min(solid_a.thickness, solid_b.thickness))
		m->count = 0;
	if (m->count == 0)
		AddFree(m, &solid_a, &solid_b, &axis, margin);
	if (m->count == 1)
		AddLanding(m, &solid_a, &solid_b, margin);
}

void Collide_Curved(const Shape *a, Xform ta, const Shape *b, Xform tb, float margin, Manifold *m)
{
	Xform b_in_a = XformInvMul(ta, tb);
	if (b->kind == SHAPE_BALL || (b->kind == SHAPE_CAPSULE && b->half_length <= 0.0f)) {
		Curved c = Curved_Of(a, XformIdentity());
		CollideBall(&c, b_in_a.p, b->radius, margin, m);
	} else {
		CollideSolids(a, b, b_in_a, margin, m);
	}
	Manifold_Place(m, ta);
}
