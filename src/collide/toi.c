/* Shapes that move and turn: conservative advancement with a bound on how fast any of their points can come nearer
 * (after Mirtich 1996): the shift along the normal, and the turn times the reach of the core. */
#include "collide/collide_internal.h"

#define TOI_ITERATIONS 128
#define TOI_TOLERANCE 1e-5       /* metres short of the target, */
#define TOI_TOLERANCE_SHARE 0.05 /* and this share of it */
#define FACING_COSINE 0.05f      /* an edge is met by shapes in front of at least one of its faces */

typedef struct Sweep {
	Core a, b;
	Frame frame_a;
	Vec3D p0, shift; /* of B, common frame */
	double q0[4];
	Vec3D axis; /* unit */
	double angle, reach, target;
} Sweep;

static double ReachOf(const Core *core)
{
	if (core->ring > 0.0)
		return sqrt(core->ring * core->ring + (double)core->half.y * (double)core->half.y);
	if (core->count == 0)
		return LengthD(ToD(core->half));
	double square = 0.0;
	for (int i = 0; i < core->count; i++)
		square = MaxD(square, DotD(ToD(core->points[i]), ToD(core->points[i])));
	return sqrt(square);
}

static void Sweep_Place(Sweep *s, Xform t0, Xform t1, float target)
{
	s->p0 = ToD(t0.p);
	s->shift = SubD(ToD(t1.p), s->p0);
	s->q0[0] = (double)t0.q.x, s->q0[1] = (double)t0.q.y, s->q0[2] = (double)t0.q.z, s->q0[3] = (double)t0.q.w;
	double x = (double)t1.q.x, y = (double)t1.q.y, z = (double)t1.q.z, w = (double)t1.q.w;
	const double *q = s->q0;
	/* the turn from q0 to q1, the short way */
	Vec3D v = {-w * q[0] + x * q[3] - y * q[2] + z * q[1], -w * q[1] + x * q[2] + y * q[3] - z * q[0],
	           -w * q[2] - x * q[1] + y * q[0] + z * q[3]};
	double c = w * q[3] + x * q[0] + y * q[1] + z * q[2], sine = LengthD(v);
	if (c < 0.0) {
		c = -c;
		v = ScaleD(-1.0, v);
	}
	s->axis = sine > 0.0 ? ScaleD(1.0 / sine, v) : (Vec3D){0.0, 1.0, 0.0};
	s->angle = sine > 1e-9 ? 2.0 * Trig_Atan2(sine, c) : 0.0;
	s->reach = ReachOf(&s->b);
	s->target = (double)target;
}

static Frame Sweep_At(const Sweep *s, double t)
{
	Vec3D p = MulAddD(s->p0, t, s->shift);
	double half = 0.5 * t * s->angle, sine = Trig_Sin(half), c = Trig_Cos(half);
	Vec3D v = ScaleD(sine, s->axis);
	const double *q = s->q0;
	double turned[4] = {
	    c * q[0] + v.x * q[3] + v.y * q[2] - v.z * q[1], c * q[1] - v.x * q[2] + v.y * q[3] + v.z * q[0],
	    c * q[2] + v.x * q[1] - v.y * q[0] + v.z * q[3], c * q[3] - v.x * q[0] - v.y * q[1] - v.z * q[2]};
	return Frame_OfTurn(turned, p);
}

/* What was found at the time of impact: common frame. */
typedef struct Impact {
	double time;
	Vec3 point, normal; /* on A; from A to B */
} Impact;

static bool Sweep_Run(const Sweep *s, Impact *impact)
{
	double t = 0.0, radius = s->a.radius + s->b.radius;
	double tolerance = TOI_TOLERANCE + TOI_TOLERANCE_SHARE * s->target;
	for (int i = 0;; i++) {
		Frame frame = Sweep_At(s, t), now = Frame_Relative(&s->frame_a, &frame);
		GjkResult g;
		Gjk_Distance(&s->a, &s->b, &now, &g);
		Vec3D normal = Frame_Turn(&s->frame_a, g.normal);
		double gap = g.bound - radius - s->target;
		*impact = (Impact){t, ToF(Frame_Point(&s->frame_a, g.point_a)), ToF(normal)};
		/* out of iterations: nothing has been met up to here, and to stop is the safe side */
		if ((i == 0 ? gap <= 0.0 : gap <= tolerance) || i == TOI_ITERATIONS)
			return true;
		double approach = s->reach * s->angle * LengthD(CrossD(s->axis, normal)) - DotD(s->shift, normal);
		if (!(approach > 0.0))
			return false;
		t += gap / approach;
		if (t > 1.0)
			return false;
	}
}

bool Collide_TimeOfImpact(const Shape *a, Xform ta, const Shape *b, Xform t0, Xform t1, float target, float *time)
{
	if (a->kind == SHAPE_MESH)
		return Collide_MeshTimeOfImpact(a->mesh, ta, b, t0, t1, target, time);
	Sweep sweep;
	Impact impact;
	Core_OfShape(&sweep.a, a);
	Core_OfShape(&sweep.b, b);
	sweep.frame_a = Frame_Of(ta);
	Sweep_Place(&sweep, t0, t1, target);
	if (!Sweep_Run(&sweep, &impact))
		return false;
	*time = RoundDown(impact.time);
	return true;
}

/* ---- triangles --------------------------------------------------------------------------------------------------- */

/* Bits of the edges that the point lies on: two at a corner, none inside. */
static int EdgesAt(const Triangle *triangle, Vec3 normal, Vec3 point)
{
	int edges = 0;
	for (int i = 0; i < 3; i++) {
		Vec3 a = triangle->v[i], u = Sub(triangle->v[(i + 1) % 3], a);
		float inside = Dot(Cross(normal, Normalize(u)), Sub(point, a));
		if (inside <= 1e-4f + 1e-4f * Length(u))
			edges |= 1 << i;
	}
	return edges;
}

/* Can a shape that slides along the triangle's own plane be stopped where it met the triangle? Not at a seam of flat
 * ground, only inside (by a part of it that comes down there), or where a convex edge is in the way. */
static bool CanStop(const Triangle *triangle, Vec3 normal, const Impact *impact)
{
	int edges = EdgesAt(triangle, normal, impact->point);
	bool convex = edges == 0;
	for (int i = 0; i < 3; i++)
		convex = convex || (edges >> i & 1 && triangle->edge[i] == EDGE_CONVEX);
	return convex && Dot(impact->normal, normal) >= FACING_COSINE;
}

bool Collide_TriangleTimeOfImpact(const Triangle *a, const Shape *b, Xform t0, Xform t1, float target, float *time)
{
	Vec3 normal;
	if (!Triangle_Normal(a->v, &normal) || Triangle_Height(a, normal, b, t0) < 0.0f)
		return false;
	Sweep sweep;
	Impact impact;
	Core_OfTriangle(&sweep.a, a);
	Core_OfShape(&sweep.b, b);
	sweep.frame_a = Frame_Of(XformIdentity());
	Sweep_Place(&sweep, t0, t1, target);
	if (!Sweep_Run(&sweep, &impact))
		return false;
	Vec3 lowest = XformPoint(t0, Shape_Support(b, InvRotate(t0.q, Neg(normal))));
	bool slides = Dot(normal, Sub(lowest, a->v[0])) <= target;
	if (impact.time > 0.0 && slides && !CanStop(a, normal, &impact))
		return false;
	*time = RoundDown(impact.time);
	return true;
}
