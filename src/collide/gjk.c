/* Distance of convex cores by GJK (Gilbert, Johnson, Keerthi, "A fast procedure for computing the distance between
 * complex objects in three-dimensional space", 1988).
 *
 * In double throughout: shapes of a kilometre beside shapes of a centimetre keep 1e-9 m. The nearest point of a simplex
 * is found by looking at every sub-simplex that can hold it rather than by walking Voronoi regions, so a flat or
 * doubled simplex only costs time.
 */
#include "collide/collide_internal.h"

#define GJK_ITERATIONS 64
#define GJK_RELATIVE 1e-12 /* of the squared distance: gap between the best point and the best bound */

/* ---- frames ------------------------------------------------------------------------------------------------------ */

Frame Frame_OfTurn(const double q[4], Vec3D p)
{
	double x = q[0], y = q[1], z = q[2], w = q[3];
	double norm = x * x + y * y + z * z + w * w;
	double s = norm > 0.0 ? 2.0 / norm : 0.0;
	Frame f;
	f.cx = (Vec3D){1.0 - s * (y * y + z * z), s * (x * y + z * w), s * (x * z - y * w)};
	f.cy = (Vec3D){s * (x * y - z * w), 1.0 - s * (x * x + z * z), s * (y * z + x * w)};
	f.cz = (Vec3D){s * (x * z + y * w), s * (y * z - x * w), 1.0 - s * (x * x + y * y)};
	f.p = p;
	return f;
}

Frame Frame_Of(Xform t)
{
	double q[4] = {(double)t.q.x, (double)t.q.y, (double)t.q.z, (double)t.q.w};
	return Frame_OfTurn(q, ToD(t.p));
}

Frame Frame_Relative(const Frame *a, const Frame *b)
{
	return (Frame){Frame_InvTurn(a, b->cx), Frame_InvTurn(a, b->cy), Frame_InvTurn(a, b->cz),
	               Frame_InvTurn(a, SubD(b->p, a->p))};
}

/* ---- cores ------------------------------------------------------------------------------------------------------- */

void Core_OfShape(Core *core, const Shape *shape)
{
	*core = (Core){.points = core->own};
	switch (shape->kind) {
	case SHAPE_BALL:
		core->count = 1;
		core->radius = (double)shape->radius;
		break;
	case SHAPE_CAPSULE:
		core->own[0].y = -shape->half_length;
		core->own[1].y = shape->half_length;
		core->count = 2;
		core->radius = (double)shape->radius;
		break;
	case SHAPE_BOX:
		core->half = shape->half;
		break;
	case SHAPE_HULL:
		core->points = shape->hull->vertices;
		core->count = shape->hull->vertex_count;
		break;
	case SHAPE_CYLINDER:
	case SHAPE_CONE:
		core->half.y = shape->half_length;
		core->ring = (double)shape->radius;
		core->tip = shape->kind == SHAPE_CONE;
		break;
	case SHAPE_MESH:
	case SHAPE_KIND_COUNT:
		SCREE_ASSERT(false);
		break;
	}
}

void Core_OfTriangle(Core *core, const Triangle *triangle)
{
	*core = (Core){.points = triangle->v, .count = 3};
}

static Vec3D Ring_Support(const Core *core, Vec3D d, int *index)
{
	double across = sqrt(d.x * d.x + d.z * d.z), h = (double)core->half.y;
	*index = -1;
	if (core->tip && d.y * h >= core->ring * across - d.y * h) {
		*index = 0;
		return (Vec3D){0.0, h, 0.0};
	}
	Vec3D p = {core->ring, core->tip || d.y < 0.0 ? -h : h, 0.0};
	if (across > 1e-12 * AbsD(d.y)) {
		p.x = core->ring * (d.x / across);
		p.z = core->ring * (d.z / across);
	}
	return p;
}

Vec3D Core_Support(const Core *core, Vec3D d, int *index)
{
	if (core->ring > 0.0)
		return Ring_Support(core, d, index);
	if (core->count == 0) {
		int bits = (d.x >= 0.0 ? 1 : 0) | (d.y >= 0.0 ? 2 : 0) | (d.z >= 0.0 ? 4 : 0);
		*index = bits;
		Vec3D h = ToD(core->half);
		return (Vec3D){bits & 1 ? h.x : -h.x, bits & 2 ? h.y : -h.y, bits & 4 ? h.z : -h.z};
	}
	int best = 0;
	double reach = DotD(d, ToD(core->points[0]));
	for (int i = 1; i < core->count; i++) {
		double r = DotD(d, ToD(core->points[i]));
		if (r > reach) {
			reach = r;
			best = i;
		}
	}
	*index = best;
	return ToD(core->points[best]);
}

/* ---- nearest point of a simplex to the origin -------------------------------------------------------------------- */

typedef struct Vertex {
	Vec3D w;    /* b - a */
	Vec3D a, b; /* in the frame of A */
	int ia, ib;
} Vertex;

typedef struct Simplex {
	Vertex v[4];
	double weight[4];
	int count;
	double flat; /* squared sine below which a tetrahedron has no inside: rounding decides about it */
} Simplex;

/* The best sub-simplex so far. */
typedef struct Best {
	int index[4];
	double weight[4];
	int count;
	double square; /* of the distance */
} Best;

static void Best_Offer(Best *best, const Simplex *s, const int *index, const double *weight, int count)
{
	Vec3D p = {0.0, 0.0, 0.0};
	for (int i = 0; i < count; i++)
		p = MulAddD(p, weight[i], s->v[index[i]].w);
	double square = DotD(p, p);
	if (square >= best->square)
		return;
	best->square = square;
	best->count = count;
	for (int i = 0; i < count; i++) {
		best->index[i] = index[i];
		best->weight[i] = weight[i];
	}
}

static void OfferSegment(Best *best, const Simplex *s, int i, int j)
{
	Vec3D p = s->v[i].w, d = SubD(s->v[j].w, p);
	double dd = DotD(d, d), t = -DotD(p, d);
	if (t <= 0.0 || dd <= 0.0)
		Best_Offer(best, s, (int[]){i}, (double[]){1.0}, 1);
	else if (t >= dd)
		Best_Offer(best, s, (int[]){j}, (double[]){1.0}, 1);
	else
		Best_Offer(best, s, (int[]){i, j}, (double[]){1.0 - t / dd, t / dd}, 2);
}

static void OfferTriangle(Best *best, const Simplex *s, int i, int j, int k)
{
	Vec3D a = s->v[i].w, b = s->v[j].w, c = s->v[k].w;
	Vec3D n = CrossD(SubD(b, a), SubD(c, a));
	double nn = DotD(n, n);
	double u = DotD(CrossD(b, c), n), v = DotD(CrossD(c, a), n), w = DotD(CrossD(a, b), n);
	if (nn > 0.0 && u > 0.0 && v > 0.0 && w > 0.0) {
		double sum = 1.0 / (u + v + w);
		Best_Offer(best, s, (int[]){i, j, k}, (double[]){u * sum, v * sum, w * sum}, 3);
		return;
	}
	OfferSegment(best, s, i, j);
	OfferSegment(best, s, j, k);
	OfferSegment(best, s, k, i);
}

/* False when the origin is inside. */
static bool OfferTetrahedron(Best *best, const Simplex *s)
{
	static const uint8_t face[4][4] = {{0, 1, 2, 3}, {0, 3, 1, 2}, {0, 2, 3, 1}, {1, 3, 2, 0}};
	bool outside = false;
	for (int f = 0; f < 4; f++) {
		Vec3D a = s->v[face[f][0]].w, b = s->v[face[f][1]].w, c = s->v[face[f][2]].w, d = s->v[face[f][3]].w;
		Vec3D n = CrossD(SubD(b, a), SubD(c, a)), ad = SubD(d, a);
		double origin = -DotD(n, a), other = DotD(n, ad);
		bool flat = other * other <= s->flat * DotD(n, n) * DotD(ad, ad);
		if (flat || (other > 0.0 ? origin < 0.0 : origin > 0.0)) {
			outside = true;
			OfferTriangle(best, s, face[f][0], face[f][1], face[f][2]);
		}
	}
	return outside;
}

/* Reduces the simplex to the part that holds its nearest point. False when it holds the origin. */
static bool Simplex_Solve(Simplex *s, double *square)
{
	Best best = {.square = DBL_MAX};
	if (s->count == 1)
		Best_Offer(&best, s, (int[]){0}, (double[]){1.0}, 1);
	else if (s->count == 2)
		OfferSegment(&best, s, 0, 1);
	else if (s->count == 3)
		OfferTriangle(&best, s, 0, 1, 2);
	else if (!OfferTetrahedron(&best, s))
		return false;
	Simplex old = *s;
	s->count = best.count;
	for (int i = 0; i < best.count; i++) {
		s->v[i] = old.v[best.index[i]];
		s->weight[i] = best.weight[i];
	}
	*square = best.square;
	return true;
}

static Vec3D Simplex_Point(const Simplex *s)
{
	Vec3D p = {0.0, 0.0, 0.0};
	for (int i = 0; i < s->count; i++)
		p = MulAddD(p, s->weight[i], s->v[i].w);
	return p;
}

/* ---- the walk ---------------------------------------------------------------------------------------------------- */

static Vertex SupportVertex(const Core *a, const Core *b, const Frame *b_in_a, Vec3D v)
{
	Vertex w;
	w.a = Core_Support(a, v, &w.ia);
	Vec3D down = Frame_InvTurn(b_in_a, ScaleD(-1.0, v));
	w.b = Frame_Point(b_in_a, Core_Support(b, down, &w.ib));
	w.w = SubD(w.b, w.a);
	return w;
}

/* Points of rings have no number: what is this near to an old one brings nothing new. */
static bool SamePoint(const Core *core, Vec3D p, int ip, Vec3D q, int iq)
{
	if (ip >= 0 || iq >= 0)
		return ip == iq;
	Vec3D d = SubD(p, q);
	return DotD(d, d) <= 1e-14 * core->ring * core->ring;
}

static bool Simplex_Has(const Simplex *s, const Vertex *w, const Core *a, const Core *b)
{
	for (int i = 0; i < s->count; i++)
		if (SamePoint(a, s->v[i].a, s->v[i].ia, w->a, w->ia) && SamePoint(b, s->v[i].b, s->v[i].ib, w->b, w->ib))
			return true;
	return false;
}

static void SetWitnesses(GjkResult *result, const Simplex *s, bool overlap)
{
	Vec3D a = {0.0, 0.0, 0.0}, b = {0.0, 0.0, 0.0};
	for (int i = 0; i < s->count; i++) {
		double weight = overlap ? 1.0 / (double)s->count : s->weight[i];
		a = MulAddD(a, weight, s->v[i].a);
		b = MulAddD(b, weight, s->v[i].b);
	}
	result->point_a = a;
	result->point_b = b;
}

/* Barycentric weights of the origin in a tetrahedron that holds it: one point of both cores. */
static void SetCommonPoint(GjkResult *result, Simplex *s)
{
	Vec3D a = s->v[0].w, ab = SubD(s->v[1].w, a), ac = SubD(s->v[2].w, a), ad = SubD(s->v[3].w, a);
	double volume = DotD(ab, CrossD(ac, ad));
	if (volume != 0.0) {
		Vec3D o = ScaleD(-1.0, a);
		s->weight[1] = DotD(o, CrossD(ac, ad)) / volume;
		s->weight[2] = DotD(ab, CrossD(o, ad)) / volume;
		s->weight[3] = DotD(ab, CrossD(ac, o)) / volume;
		s->weight[0] = 1.0 - s->weight[1] - s->weight[2] - s->weight[3];
	}
	SetWitnesses(result, s, volume == 0.0);
}

void Gjk_Distance(const Core *a, const Core *b, const Frame *b_in_a, GjkResult *result)
{
	*result = (GjkResult){0};
	Vec3D v = DotD(b_in_a->p, b_in_a->p) > 0.0 ? b_in_a->p : (Vec3D){1.0, 0.0, 0.0};
	Simplex s = {.count = 1, .flat = a->ring > 0.0 || b->ring > 0.0 ? 1e-16 : 1e-24};
	s.v[0] = SupportVertex(a, b, b_in_a, v);
	s.weight[0] = 1.0;
	v = s.v[0].w;
	double square = DotD(v, v), largest = square;
	bool bounded = false;
	for (int i = 0; i < GJK_ITERATIONS; i++) {
		result->iterations = i + 1;
		if (square <= 1e-26 * largest || square == 0.0) {
			result->bound = 0.0;
			SetWitnesses(result, &s, false);
			return;
		}
		Vertex w = SupportVertex(a, b, b_in_a, v);
		double reach = DotD(v, w.w), length = sqrt(square);
		bounded = true;
		result->bound = reach / length;
		largest = MaxD(largest, DotD(w.w, w.w));
		if (square - reach <= GJK_RELATIVE * square + 1e-15 * length * sqrt(largest) || Simplex_Has(&s, &w, a, b))
			break;
		Simplex old = s;
		double next;
		s.v[s.count++] = w;
		if (!Simplex_Solve(&s, &next)) {
			result->bound = 0.0;
			SetCommonPoint(result, &s);
			return;
		}
		if (next >= square) { /* rounding: no nearer than before */
			s = old;
			break;
		}
		square = next;
		v = Simplex_Point(&s);
		bounded = false;
	}
	if (!bounded) {
		Vertex w = SupportVertex(a, b, b_in_a, v);
		result->bound = DotD(v, w.w) / sqrt(square);
	}
	SetWitnesses(result, &s, false);
	result->distance = sqrt(square);
	result->normal = ScaleD(1.0 / result->distance, v);
}
