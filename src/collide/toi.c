/* Shapes that move and turn: conservative advancement with a bound on how fast any of their points can come nearer
 * (after Mirtich 1996): the shift along the normal, and the turn times the reach of the core. */
#include "collide/collide_internal.h"

#define TOI_ITERATIONS 128
#define TOI_TOLERANCE 1e-5       /* metres short of the target, */
#define TOI_TOLERANCE_SHARE 0.05 /* and this share of it */
#define FACING_COSINE 0.05f      /* an edge is met by shapes in front of at least one of its faces */

/* A core in motion: turns about a pivot that goes straight. */
typedef struct Mover {
	Core core;
	Vec3D pivot, shift, arm; /* pivot at time 0; from it to the frame's origin at time 0 */
	double turn[4];          /* of the frame at time 0 */
	Vec3D axis;              /* unit */
	double angle, reach;     /* radians over the whole time; metres from the pivot to the farthest point of the core */
} Mover;

typedef struct Sweep {
	Mover a, b;
	double target;
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

/* The core must have been set. */
static void Mover_Place(Mover *m, const ShapeSweep *sweep)
{
	Vec3D turn = ToD(sweep->turn);
	m->pivot = ToD(sweep->pivot);
	m->shift = ToD(sweep->shift);
	m->arm = SubD(ToD(sweep->start.p), m->pivot);
	m->turn[0] = (double)sweep->start.q.x, m->turn[1] = (double)sweep->start.q.y;
	m->turn[2] = (double)sweep->start.q.z, m->turn[3] = (double)sweep->start.q.w;
	m->angle = LengthD(turn);
	m->axis = m->angle > 0.0 ? ScaleD(1.0 / m->angle, turn) : (Vec3D){0.0, 1.0, 0.0};
	m->reach = ReachOf(&m->core) + LengthD(m->arm);
}

static void Mover_Rest(Mover *m, Xform at)
{
	ShapeSweep still = {.start = at, .pivot = at.p};
	Mover_Place(m, &still);
}

static Frame Mover_At(const Mover *m, double t)
{
	double half = 0.5 * t * m->angle, sine = Trig_Sin(half), c = Trig_Cos(half);
	Vec3D v = ScaleD(sine, m->axis);
	const double *q = m->turn;
	double turned[4] = {
	    c * q[0] + v.x * q[3] + v.y * q[2] - v.z * q[1], c * q[1] - v.x * q[2] + v.y * q[3] + v.z * q[0],
	    c * q[2] + v.x * q[1] - v.y * q[0] + v.z * q[3], c * q[3] - v.x * q[0] - v.y * q[1] - v.z * q[2]};
	double own[4] = {v.x, v.y, v.z, c};
	Frame spin = Frame_OfTurn(own, MulAddD(m->pivot, t, m->shift));
	return Frame_OfTurn(turned, Frame_Point(&spin, m->arm));
}

/* How fast its points can come along n by turning. */
static double Mover_TurnSpeed(const Mover *m, Vec3D n)
{
	return m->reach * m->angle * LengthD(CrossD(m->axis, n));
}

/* What was found at the time of impact: common frame. */
typedef struct Impact {
	double time;
	Vec3 point, normal; /* on A; from A to B */
} Impact;

static bool Sweep_Run(const Sweep *s, Impact *impact)
{
	double t = 0.0, radius = s->a.core.radius + s->b.core.radius;
	double tolerance = TOI_TOLERANCE + TOI_TOLERANCE_SHARE * s->target;
	Vec3D shift = SubD(s->b.shift, s->a.shift);
	for (int i = 0;; i++) {
		Frame frame_a = Mover_At(&s->a, t), frame_b = Mover_At(&s->b, t), now = Frame_Relative(&frame_a, &frame_b);
		GjkResult g;
		Gjk_Distance(&s->a.core, &s->b.core, &now, &g);
		Vec3D normal = Frame_Turn(&frame_a, g.normal);
		double gap = g.bound - radius - s->target;
		*impact = (Impact){t, ToF(Frame_Point(&frame_a, g.point_a)), ToF(normal)};
		/* out of iterations: nothing has been met up to here, and to stop is the safe side */
		if ((i == 0 ? gap <= 0.0 : gap <= tolerance) || i == TOI_ITERATIONS)
			return true;
		double approach = Mover_TurnSpeed(&s->a, normal) + Mover_TurnSpeed(&s->b, normal) - DotD(shift, normal);
		if (!(approach > 0.0))
			return false;
		t += gap / approach;
		if (t > 1.0)
			return false;
	}
}

Xform ShapeSweep_At(const ShapeSweep *sweep, float t)
{
	Mover m = {.core = {0}};
	Mover_Place(&m, sweep);
	float angle = (float)m.angle;
	Quat turn = angle > 0.0f ? Quat_FromAxisAngle(ToF(m.axis), (double)t * m.angle) : QuatIdentity();
	return (Xform){ToF(Mover_At(&m, (double)t).p), QuatNormalize(QuatMul(turn, sweep->start.q))};
}

bool Collide_SweptImpact(const Shape *a, const ShapeSweep *sweep_a, const Shape *b, const ShapeSweep *sweep_b,
                         float target, float *time)
{
	Sweep sweep = {.target = (double)target};
	Impact impact;
	Core_OfShape(&sweep.a.core, a);
	Core_OfShape(&sweep.b.core, b);
	Mover_Place(&sweep.a, sweep_a);
	Mover_Place(&sweep.b, sweep_b);
	if (!Sweep_Run(&sweep, &impact))
		return false;
	*time = RoundDown(impact.time);
	return true;
}

/* From one placement to another: the turn between them, the short way, about the shape's origin. */
static ShapeSweep Between(Xform t0, Xform t1)
{
	ShapeSweep sweep = {.start = t0, .pivot = t0.p, .shift = Sub(t1.p, t0.p)};
	double q[4] = {(double)t0.q.x, (double)t0.q.y, (double)t0.q.z, (double)t0.q.w};
	double x = (double)t1.q.x, y = (double)t1.q.y, z = (double)t1.q.z, w = (double)t1.q.w;
	Vec3D v = {-w * q[0] + x * q[3] - y * q[2] + z * q[1], -w * q[1] + x * q[2] + y * q[3] - z * q[0],
	           -w * q[2] - x * q[1] + y * q[0] + z * q[3]};
	double c = w * q[3] + x * q[0] + y * q[1] + z * q[2], sine = LengthD(v);
	if (c < 0.0) {
		c = -c;
		v = ScaleD(-1.0, v);
	}
	if (sine > 1e-9)
		sweep.turn = ToF(ScaleD(2.0 * Trig_Atan2(sine, c) / sine, v));
	return sweep;
}

bool Collide_TimeOfImpact(const Shape *a, Xform ta, const Shape *b, Xform t0, Xform t1, float target, float *time)
{
	if (a->kind == SHAPE_MESH)
		return Collide_MeshTimeOfImpact(a->mesh, ta, b, t0, t1, target, time);
	ShapeSweep still = {.start = ta, .pivot = ta.p}, moving = Between(t0, t1);
	return Collide_SweptImpact(a, &still, b, &moving, target, time);
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

bool Collide_TriangleSweptImpact(const Triangle *a, const Shape *b, const ShapeSweep *sweep_b, float target,
                                 float *time)
{
	Vec3 normal;
	Xform t0 = sweep_b->start;
	if (!Triangle_Normal(a->v, &normal) || Triangle_Height(a, normal, b, t0) < 0.0f)
		return false;
	Sweep sweep = {.target = (double)target};
	Impact impact;
	Core_OfTriangle(&sweep.a.core, a);
	Core_OfShape(&sweep.b.core, b);
	Mover_Rest(&sweep.a, XformIdentity());
	Mover_Place(&sweep.b, sweep_b);
	if (!Sweep_Run(&sweep, &impact))
		return false;
	Vec3 lowest = XformPoint(t0, Shape_Support(b, InvRotate(t0.q, Neg(normal))));
	bool slides = Dot(normal, Sub(lowest, a->v[0])) <= target;
	if (impact.time > 0.0 && slides && !CanStop(a, normal, &impact))
		return false;
	*time = RoundDown(impact.time);
	return true;
}

bool Collide_TriangleTimeOfImpact(const Triangle *a, const Shape *b, Xform t0, Xform t1, float target, float *time)
{
	ShapeSweep moving = Between(t0, t1);
	return Collide_TriangleSweptImpact(a, b, &moving, target, time);
}
