/* Slow and simple twins of the collision tests, in double: all features against all, all axes, no pruning. And random
 * shapes and placements for them. */
#ifndef TESTS_COLLIDE_TWINS_H
#define TESTS_COLLIDE_TWINS_H

#include "collide/collide.h"
#include "random_turns.h"
#include "require.h"

/* ---- vectors ----------------------------------------------------------------------------------------------------- */

typedef struct P3 {
	double x, y, z;
} P3;

static inline P3 P3Of(Vec3 v)
{
	return (P3){(double)v.x, (double)v.y, (double)v.z};
}
static inline P3 P3Add(P3 a, double s, P3 b)
{
	return (P3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}
static inline P3 P3Sub(P3 a, P3 b)
{
	return P3Add(a, -1.0, b);
}
static inline double P3Dot(P3 a, P3 b)
{
	return a.x * b.x + a.y * b.y + a.z * b.z;
}
static inline P3 P3Cross(P3 a, P3 b)
{
	return (P3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline double P3Length(P3 a)
{
	return sqrt(P3Dot(a, a));
}
static inline P3 P3Unit(P3 a)
{
	double length = P3Length(a);
	return length > 0.0 ? (P3){a.x / length, a.y / length, a.z / length} : a;
}

static inline P3 TwinTurn(Quat q, P3 v)
{
	double n = sqrt((double)q.x * q.x + (double)q.y * q.y + (double)q.z * q.z + (double)q.w * q.w);
	P3 u = {q.x / n, q.y / n, q.z / n};
	double w = q.w / n;
	P3 t = P3Cross(u, v);
	t = (P3){2.0 * t.x, 2.0 * t.y, 2.0 * t.z};
	return P3Add(P3Add(v, w, t), 1.0, P3Cross(u, t));
}

/* ---- solids ------------------------------------------------------------------------------------------------------ */

#define TWIN_EDGES (3 * HULL_VERTEX_LIMIT)
#define TWIN_TRIANGLES (2 * HULL_VERTEX_LIMIT)

typedef struct Twin {
	int vertex_count, face_count, edge_count, triangle_count, direction_count;
	P3 v[HULL_VERTEX_LIMIT], normal[HULL_FACE_LIMIT];
	int edge[TWIN_EDGES][2], triangle[TWIN_TRIANGLES][3];
	P3 direction[TWIN_EDGES]; /* of edges, each once */
	double radius;
} Twin;

static inline void Twin_AddFace(Twin *t, const int *corners, int count)
{
	P3 a = t->v[corners[0]], best = {0, 0, 0};
	for (int i = 2; i < count; i++) {
		P3 n = P3Cross(P3Sub(t->v[corners[i - 1]], a), P3Sub(t->v[corners[i]], a));
		best = P3Add(best, 1.0, n);
		int *triangle = t->triangle[t->triangle_count++];
		triangle[0] = corners[0], triangle[1] = corners[i - 1], triangle[2] = corners[i];
	}
	t->normal[t->face_count++] = P3Unit(best);
	for (int i = 0; i < count; i++) {
		int p = corners[i], q = corners[(i + 1) % count];
		if (p < q) {
			t->edge[t->edge_count][0] = p;
			t->edge[t->edge_count++][1] = q;
		}
	}
}

static inline void Twin_AddDirections(Twin *t)
{
	for (int e = 0; e < t->edge_count; e++) {
		P3 d = P3Unit(P3Sub(t->v[t->edge[e][1]], t->v[t->edge[e][0]]));
		bool known = P3Length(d) == 0.0;
		for (int i = 0; i < t->direction_count && !known; i++)
			known = P3Length(P3Cross(d, t->direction[i])) < 1e-7;
		if (!known)
			t->direction[t->direction_count++] = d;
	}
}

static inline void Twin_OfShape(Twin *t, const Shape *shape, Xform at)
{
	static const int box[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
	t->vertex_count = t->face_count = t->edge_count = t->triangle_count = t->direction_count = 0;
	t->radius = 0.0;
	if (shape->kind == SHAPE_BALL || shape->kind == SHAPE_CAPSULE) {
		double h = shape->kind == SHAPE_CAPSULE ? (double)shape->half_length : 0.0;
		t->v[t->vertex_count++] = (P3){0, -h, 0};
		if (h > 0.0) {
			t->v[t->vertex_count++] = (P3){0, h, 0};
			t->edge[t->edge_count][0] = 0;
			t->edge[t->edge_count++][1] = 1;
		}
		t->radius = (double)shape->radius;
	} else if (shape->kind == SHAPE_BOX) {
		P3 h = P3Of(shape->half);
		for (int i = 0; i < 8; i++)
			t->v[t->vertex_count++] = (P3){i & 1 ? h.x : -h.x, i & 2 ? h.y : -h.y, i & 4 ? h.z : -h.z};
	} else {
		for (int i = 0; i < shape->hull->vertex_count; i++)
			t->v[t->vertex_count++] = P3Of(shape->hull->vertices[i]);
	}
	for (int i = 0; i < t->vertex_count; i++)
		t->v[i] = P3Add(P3Of(at.p), 1.0, TwinTurn(at.q, t->v[i]));
	if (shape->kind == SHAPE_BOX)
		for (int f = 0; f < 6; f++)
			Twin_AddFace(t, box[f], 4);
	if (shape->kind == SHAPE_HULL)
		for (int f = 0; f < shape->hull->face_count; f++) {
			int corners[HULL_VERTEX_LIMIT], count = 0;
			for (int i = shape->hull->face_first[f]; i < shape->hull->face_first[f + 1]; i++)
				corners[count++] = shape->hull->face_index[i];
			Twin_AddFace(t, corners, count);
		}
	Twin_AddDirections(t);
}

static inline void Twin_OfTriangle(Twin *t, const Triangle *triangle)
{
	t->vertex_count = 3;
	t->face_count = t->edge_count = t->triangle_count = t->direction_count = 0;
	t->radius = 0.0;
	for (int i = 0; i < 3; i++)
		t->v[i] = P3Of(triangle->v[i]);
	Twin_AddFace(t, (int[]){0, 1, 2}, 3);
	t->edge_count = 3;
	for (int i = 0; i < 3; i++) {
		t->edge[i][0] = i;
		t->edge[i][1] = (i + 1) % 3;
	}
	Twin_AddDirections(t);
}

static inline void Twin_Shift(Twin *t, P3 by)
{
	for (int i = 0; i < t->vertex_count; i++)
		t->v[i] = P3Add(t->v[i], 1.0, by);
}

/* ---- separating axes --------------------------------------------------------------------------------------------- */

/* The better of n and -n: separation of b from a along it. */
static inline void Twin_TryAxis(const Twin *a, const Twin *b, P3 n, double *best, P3 *axis)
{
	double a_lo = DBL_MAX, a_hi = -DBL_MAX, b_lo = DBL_MAX, b_hi = -DBL_MAX;
	for (int i = 0; i < a->vertex_count; i++) {
		double d = P3Dot(n, a->v[i]);
		a_lo = MinD(a_lo, d);
		a_hi = MaxD(a_hi, d);
	}
	for (int i = 0; i < b->vertex_count; i++) {
		double d = P3Dot(n, b->v[i]);
		b_lo = MinD(b_lo, d);
		b_hi = MaxD(b_hi, d);
	}
	if (b_lo - a_hi > *best) {
		*best = b_lo - a_hi;
		*axis = n;
	}
	if (a_lo - b_hi > *best) {
		*best = a_lo - b_hi;
		*axis = P3Add((P3){0, 0, 0}, -1.0, n);
	}
}

/* Of the cores: < 0 the least push that parts them; > 0: apart, by at least this. */
static inline double Twin_Axes(const Twin *a, const Twin *b, P3 *axis)
{
	double best = -DBL_MAX;
	for (int i = 0; i < a->face_count; i++)
		Twin_TryAxis(a, b, a->normal[i], &best, axis);
	for (int i = 0; i < b->face_count; i++)
		Twin_TryAxis(a, b, b->normal[i], &best, axis);
	for (int i = 0; i < a->direction_count; i++)
		for (int j = 0; j < b->direction_count; j++) {
			P3 n = P3Cross(a->direction[i], b->direction[j]);
			if (P3Length(n) > 1e-6)
				Twin_TryAxis(a, b, P3Unit(n), &best, axis);
		}
	return best;
}

/* ---- distances --------------------------------------------------------------------------------------------------- */

static inline double Twin_PointSegment(P3 p, P3 a, P3 b)
{
	P3 d = P3Sub(b, a);
	double dd = P3Dot(d, d), t = dd > 0.0 ? ClampD(P3Dot(P3Sub(p, a), d) / dd, 0.0, 1.0) : 0.0;
	return P3Length(P3Sub(p, P3Add(a, t, d)));
}

static inline double Twin_SegmentSegment(P3 a, P3 b, P3 c, P3 d)
{
	double best = MinD(MinD(Twin_PointSegment(a, c, d), Twin_PointSegment(b, c, d)),
	                   MinD(Twin_PointSegment(c, a, b), Twin_PointSegment(d, a, b)));
	P3 u = P3Sub(b, a), v = P3Sub(d, c), w = P3Sub(c, a), n = P3Cross(u, v);
	double nn = P3Dot(n, n);
	if (nn > 1e-16 * P3Dot(u, u) * P3Dot(v, v)) {
		double s = P3Dot(P3Cross(w, v), n) / nn, t = P3Dot(P3Cross(w, u), n) / nn;
		if (s > 0.0 && s < 1.0 && t > 0.0 && t < 1.0)
			best = MinD(best, AbsD(P3Dot(w, n)) / sqrt(nn));
	}
	return best;
}

static inline double Twin_PointTriangle(P3 p, P3 a, P3 b, P3 c)
{
	double best = MinD(Twin_PointSegment(p, a, b), MinD(Twin_PointSegment(p, b, c), Twin_PointSegment(p, c, a)));
	P3 n = P3Unit(P3Cross(P3Sub(b, a), P3Sub(c, a)));
	bool over = P3Dot(P3Cross(P3Sub(b, a), P3Sub(p, a)), n) >= 0.0 &&
	            P3Dot(P3Cross(P3Sub(c, b), P3Sub(p, b)), n) >= 0.0 &&
	            P3Dot(P3Cross(P3Sub(a, c), P3Sub(p, c)), n) >= 0.0;
	return over ? MinD(best, AbsD(P3Dot(n, P3Sub(p, a)))) : best;
}

static inline double Twin_CoreDistance(const Twin *a, const Twin *b)
{
	double best = DBL_MAX;
	for (int side = 0; side < 2; side++) {
		const Twin *x = side ? b : a, *y = side ? a : b;
		for (int i = 0; i < x->vertex_count; i++) {
			for (int j = 0; j < y->triangle_count; j++)
				best = MinD(best, Twin_PointTriangle(x->v[i], y->v[y->triangle[j][0]], y->v[y->triangle[j][1]],
				                                     y->v[y->triangle[j][2]]));
			if (y->triangle_count == 0)
				for (int j = 0; j < y->vertex_count; j++)
					best = MinD(best, P3Length(P3Sub(x->v[i], y->v[j])));
			if (y->triangle_count == 0)
				for (int j = 0; j < y->edge_count; j++)
					best = MinD(best, Twin_PointSegment(x->v[i], y->v[y->edge[j][0]], y->v[y->edge[j][1]]));
		}
	}
	for (int i = 0; i < a->edge_count; i++)
		for (int j = 0; j < b->edge_count; j++)
			best = MinD(best, Twin_SegmentSegment(a->v[a->edge[i][0]], a->v[a->edge[i][1]], b->v[b->edge[j][0]],
			                                      b->v[b->edge[j][1]]));
	return best;
}

/* Signed: distance, or minus the least push that parts them. */
static inline double Twin_Separation(const Twin *a, const Twin *b)
{
	P3 axis;
	double s = Twin_Axes(a, b, &axis); /* -DBL_MAX where there is no axis: two points or segments */
	if (s >= 0.0 || s == -DBL_MAX)
		s = Twin_CoreDistance(a, b);
	return s - a->radius - b->radius;
}

/* How far p is outside of the shape; < 0 inside. */
static inline double Twin_PointOutside(const Twin *t, P3 p)
{
	static const Twin none;
	static Twin point;
	point = none;
	point.vertex_count = 1;
	point.v[0] = p;
	return Twin_Separation(t, &point);
}

/* ---- random ------------------------------------------------------------------------------------------------------ */

/* lo..hi long, any way. */
static inline Vec3 RandomWay(Random *r, double lo, double hi)
{
	float length = (float)Random_Range(r, lo, hi);
	return Scale(length, RandomDirection(r));
}

static inline float RandomSize(Random *r, double lo, double hi) /* more small than large */
{
	double u = Random_Unit(r);
	return (float)(lo * (1.0 - u * u) + hi * u * u);
}

static inline Vec3 RandomSizes(Random *r, double lo, double hi)
{
	Vec3 v;
	v.x = RandomSize(r, lo, hi);
	v.y = RandomSize(r, lo, hi);
	v.z = RandomSize(r, lo, hi);
	return v;
}

#define HULL_STOCK 12

typedef struct HullStock {
	Memory memory;
	Hull *hull[HULL_STOCK];
} HullStock;

static inline void HullStock_Make(HullStock *stock, Random *r)
{
	Memory_Init(&stock->memory, NULL, NULL);
	for (int i = 0; i < HULL_STOCK; i++) {
		double points[3 * 16];
		int count = 4 + Random_Below(r, 9);
		Error error = {0};
		for (int k = 0; k < 3 * count; k++)
			points[k] = Random_Range(r, -1, 1);
		if (i == 0)
			stock->hull[i] = Hull_CreateWedge(&stock->memory, V3(1.0f, 0.7f, 0.4f));
		else if (i == 1)
			stock->hull[i] = Hull_CreateBox(&stock->memory, V3(0.5f, 1.0f, 0.3f));
		else
			stock->hull[i] = Hull_Create(&stock->memory, points, count, NULL, &error);
		ck_assert_msg(stock->hull[i] != NULL, "hull %d: %s", i, error.text);
	}
}

static inline void HullStock_Free(HullStock *stock)
{
	for (int i = 0; i < HULL_STOCK; i++)
		Hull_Destroy(&stock->memory, stock->hull[i]);
	ck_assert_uint_eq((size_t)stock->memory.bytes, 0);
}

static inline Shape RandomShape(Random *r, const HullStock *stock, ShapeKind kind)
{
	Shape s = {.kind = kind};
	if (kind == SHAPE_BALL || kind == SHAPE_CAPSULE || kind == SHAPE_CYLINDER || kind == SHAPE_CONE)
		s.radius = RandomSize(r, 0.05, 1.5);
	if (kind == SHAPE_CAPSULE || kind == SHAPE_CYLINDER || kind == SHAPE_CONE)
		s.half_length = RandomSize(r, 0.02, 2.0);
	if (kind == SHAPE_BOX)
		s.half = RandomSizes(r, 0.05, 2.0);
	if (kind == SHAPE_HULL)
		s.hull = stock->hull[Random_Below(r, HULL_STOCK)];
	return s;
}

/* Turned at random; now and then along the axes, or nearly, where ties and parallel edges live. */
static inline Quat RandomOrAlignedTurn(Random *r)
{
	int kind = Random_Below(r, 4);
	if (kind > 1)
		return RandomTurn(r);
	float s = 0.70710678f;
	Quat steps[4] = {{0, 0, 0, 1}, {s, 0, 0, s}, {0, s, 0, s}, {0, 0, s, s}};
	Quat first = steps[Random_Below(r, 4)], q = QuatMul(first, steps[Random_Below(r, 4)]);
	if (kind == 1) {
		float angle = RandomSize(r, 1e-6, 0.05);
		q = QuatIntegrate(q, Scale(angle, RandomDirection(r)));
	}
	return q;
}

/* At a distance of lo..hi from the origin. */
static inline Xform RandomPlace(Random *r, double lo, double hi)
{
	Vec3 p = RandomWay(r, lo, hi);
	return (Xform){p, RandomOrAlignedTurn(r)};
}

#endif
