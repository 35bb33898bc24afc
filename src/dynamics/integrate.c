/* Motion of free bodies over one substep. */
#include "dynamics/solver_internal.h"

bool Body_Tumbles(const Body *body)
{
	const Mat3 *m = &body->inertia;
	/* a ball or cube has no gyroscopic term */
	return m->cx.x != m->cy.y || m->cy.y != m->cz.z || m->cx.y != 0.0f || m->cx.z != 0.0f || m->cy.z != 0.0f;
}

Mat3 WorldInertia(Mat3 body_inertia, Quat q)
{
	Mat3 r = QuatToMat(q);
	return MatMul(MatMul(r, body_inertia), MatTranspose(r));
}

void Integrate_HoldSpeeds(const SolverStep *step, const int *bodies, int count)
{
	for (int i = 0; i < count; i++) {
		SolverBody *s = &step->bodies[bodies[i]];
		float limit = step->forces[bodies[i]].speed_limit, speed = LengthSq(s->velocity);
		if (speed > limit * limit && s->inverse_mass > 0.0f)
			s->velocity = Scale(limit / Sqrt(speed), s->velocity);
	}
}

void Integrate_Velocities(SolverStep *step, const int *bodies, int count)
{
	float h = step->h;
	float max_turn = MAX_TURN * step->inverse_h;
	Dynamics *d = step->dynamics;
	const int *water = d->water_first; /* by place in the awake list: solver bodies count from 1 */
	for (int i = 0; i < count; i++) {
		SolverBody *s = &step->bodies[bodies[i]];
		const SolverForce *force = &step->forces[bodies[i]];
		if (s->inverse_mass == 0.0f)
			continue;
		const SolverBody before = *s;
		s->velocity = MulAdd(s->velocity, h, force->acceleration);
		s->angular_velocity = MulAdd(s->angular_velocity, h, MatMulV(s->inverse_inertia, force->torque));
		if (water && Solver_Moves(step, bodies[i]) && water[bodies[i] - 1] < water[bodies[i]])
			Water_Push(d, water[bodies[i] - 1], water[bodies[i]], &d->bodies.data[s->body], &before, s, h);
		float speed = LengthSq(s->velocity), turn = LengthSq(s->angular_velocity);
		if (speed > MAX_SPEED * MAX_SPEED)
			s->velocity = Scale(MAX_SPEED / Sqrt(speed), s->velocity);
		if (turn > max_turn * max_turn)
			s->angular_velocity = Scale(max_turn / Sqrt(turn), s->angular_velocity);
	}
}

/* Slower in both, the gyroscopic term is little beside what contacts do. What touches nothing has it at any speed. */
#define SLOW_TURN 0.001f /* rad a substep */
#define SLOW_SPIN 0.24f  /* rad/s: with short substeps, what turns fast does so by little in each */
#define MIDPOINT_ROUNDS 4
#define SETTLED 1e-4 /* share of the spin that the last of them may still change it by */

/* A rotation in double. */
typedef struct Turn4 {
	double x, y, z, w;
} Turn4;

static Turn4 Mul4(Turn4 a, Turn4 b)
{
	return (Turn4){a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
	               a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}

static Vec3D Rotate3(Turn4 q, Vec3D v, double sign)
{
	double x = sign * q.x, y = sign * q.y, z = sign * q.z, s = 2.0 / (q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
	Vec3D c = {y * v.z - z * v.y, z * v.x - x * v.z, x * v.y - y * v.x};
	return (Vec3D){v.x + s * (q.w * c.x + y * c.z - z * c.y), v.y + s * (q.w * c.y + z * c.x - x * c.z),
	               v.z + s * (q.w * c.z + x * c.y - y * c.x)};
}

/* Turn by the rotation vector v: series of sine and cosine of the half angle. */
static Turn4 Exp4(Vec3D v)
{
	double x = 0.25 * (v.x * v.x + v.y * v.y + v.z * v.z);
	double s = 0.5 * (1.0 - x / 6.0 * (1.0 - x / 20.0 * (1.0 - x / 42.0 * (1.0 - x / 72.0 * (1.0 - x / 110.0)))));
	double c = 1.0 - x / 2.0 * (1.0 - x / 12.0 * (1.0 - x / 30.0 * (1.0 - x / 56.0 * (1.0 - x / 90.0))));
	return (Turn4){s * v.x, s * v.y, s * v.z, c};
}

static Vec3D Apply3(const Mat3 *m, Vec3D v)
{
	return (Vec3D){(double)m->cx.x * v.x + (double)m->cy.x * v.y + (double)m->cz.x * v.z,
	               (double)m->cx.y * v.x + (double)m->cy.y * v.y + (double)m->cz.y * v.z,
	               (double)m->cx.z * v.x + (double)m->cy.z * v.y + (double)m->cz.z * v.z};
}

/* The inverse in double: the product with a float inverse is off by some 1e-7, the same way in every substep. */
typedef struct Inertia3 {
	Vec3D x, y, z; /* columns */
} Inertia3;

static Inertia3 Invert3(const Mat3 *m)
{
	double a = m->cx.x, b = m->cy.x, c = m->cz.x, e = m->cy.y, f = m->cz.y, i = m->cz.z; /* symmetric */
	double ei = e * i - f * f, fc = f * c - b * i, bf = b * f - e * c;
	double s = 1.0 / (a * ei + b * fc + c * bf);
	double bc = b * c - a * f;
	return (Inertia3){
	    {s * ei, s * fc, s * bf}, {s * fc, s * (a * i - c * c), s * bc}, {s * bf, s * bc, s * (a * e - b * b)}};
}

/* Angular velocity of a body in rotation q that has the angular momentum l, both in world axes. */
static Vec3D Spin(const Inertia3 *inverse, Turn4 q, Vec3D l)
{
	Vec3D v = Rotate3(q, l, -1.0);
	return Rotate3(q,
	               (Vec3D){inverse->x.x * v.x + inverse->y.x * v.y + inverse->z.x * v.z,
	                       inverse->x.y * v.x + inverse->y.y * v.y + inverse->z.y * v.z,
	                       inverse->x.z * v.x + inverse->y.z * v.y + inverse->z.z * v.z},
	               1.0);
}

static bool SameBits(Vec3 a, Vec3 b)
{
	return a.x == b.x && a.y == b.y && a.z == b.z;
}

/* Rotation and angular momentum: those of the last substep where nothing has changed the spin since, else what the
 * floats say. */
static void StartSpin(const Body *body, const SolverBody *s, Turn4 *q, Vec3D *l)
{
	const FreeSpin *spin = &body->spin;
	if (spin->holds && SameBits(spin->velocity, s->angular_velocity)) {
		*q = (Turn4){spin->rotation[0], spin->rotation[1], spin->rotation[2], spin->rotation[3]};
		*l = spin->momentum;
		return;
	}
	Quat start = QuatMul(s->turn, body->pose.q);
	*q = (Turn4){start.x, start.y, start.z, start.w};
	*l = Rotate3(*q, Apply3(&body->inertia, Rotate3(*q, ToD(s->angular_velocity), -1.0)), 1.0);
}

/* Sets the floats to what the rotation says, and remembers it. */
static void EndSpin(Body *body, SolverBody *s, Turn4 q, Vec3D l, Vec3D w)
{
	double scale = 1.0 / sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
	q = (Turn4){scale * q.x, scale * q.y, scale * q.z, scale * q.w};
	Turn4 back = {-body->pose.q.x, -body->pose.q.y, -body->pose.q.z, body->pose.q.w};
	Turn4 turn = Mul4(q, back);
	s->angular_velocity = ToF(w);
	s->turn = QuatNormalize((Quat){(float)turn.x, (float)turn.y, (float)turn.z, (float)turn.w});
	s->inverse_inertia = WorldInertia(body->inverse_inertia, QuatMul(s->turn, body->pose.q));
	body->spin = (FreeSpin){true, s->angular_velocity, l, {q.x, q.y, q.z, q.w}};
}

/* ---- slender and fast ones --------------------------------------------------------------------------------------- */

/* q turned about an axis of its own frame (0, 1, 2). Any angle. */
static Turn4 TurnAbout(Turn4 q, int axis, double angle)
{
	double s = Trig_Sin(0.5 * angle), c = Trig_Cos(0.5 * angle);
	return Mul4(q, (Turn4){axis == 0 ? s : 0.0, axis == 1 ? s : 0.0, axis == 2 ? s : 0.0, c});
}

/* About an axis of the world. */
static Turn4 TurnAround(Turn4 q, Vec3D v)
{
	double angle = LengthD(v);
	if (angle == 0.0)
		return q;
	double s = Trig_Sin(0.5 * angle) / angle, c = Trig_Cos(0.5 * angle);
	return Mul4((Turn4){s * v.x, s * v.y, s * v.z, c}, q);
}

static double OfAxis(Vec3D v, int axis)
{
	return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

/* The axis whose moment stands apart from the two others. */
static int OddAxis(const double inverse[3])
{
	double ratio[3]; /* of the two others, the larger to the smaller */
	for (int i = 0; i < 3; i++) {
		double a = inverse[(i + 1) % 3], b = inverse[(i + 2) % 3];
		ratio[i] = MaxD(a, b) / MinD(a, b);
	}
	int axis = ratio[1] < ratio[0] ? 1 : 0;
	return ratio[2] < ratio[axis] ? 2 : axis;
}

/* Free rotation of any body at any speed: that of a symmetric top, which is known exactly, between two halves of what
 * the body is not one by (Dullweber, Leimkuhler and McLachlan, Symplectic splitting methods for rigid body molecular
 * dynamics, 1997). Every factor is a rotation, so the momentum stays; the energy does not drift. */
static Turn4 TurnTop(const Mat3 *inertia, Turn4 q, Vec3D l, double h)
{
	Vec3 moments;
	Quat own = MatDiagonalize(*inertia, &moments);
	Turn4 to_axes = {own.x, own.y, own.z, own.w}, p = Mul4(q, to_axes);
	double inverse[3] = {1.0 / (double)moments.x, 1.0 / (double)moments.y, 1.0 / (double)moments.z};
	int odd = OddAxis(inverse), first = (odd + 1) % 3, second = (odd + 2) % 3;
	double rest = 0.5 * h * (inverse[first] - inverse[second]);
	p = TurnAbout(p, first, rest * OfAxis(Rotate3(p, l, -1.0), first));
	double about = OfAxis(Rotate3(p, l, -1.0), odd);
	p = TurnAround(p, ScaleD(h * inverse[second], l));
	p = TurnAbout(p, odd, h * (inverse[odd] - inverse[second]) * about);
	p = TurnAbout(p, first, rest * OfAxis(Rotate3(p, l, -1.0), first));
	return Mul4(p, (Turn4){-to_axes.x, -to_axes.y, -to_axes.z, to_axes.w});
}

/* ---- over a substep ---------------------------------------------------------------------------------------------- */

/* Free rotation over a substep by the implicit midpoint rule on rotations: turn by h w(m), m the rotation half way,
 * w(m) the spin that the constant angular momentum has there. It keeps the momentum to the bit in direction and length,
 * and, being symmetric in time, does not drift in energy. Fixed-point rounds gain a factor of h |w| each, but of what
 * is slender less, and in the end none: then it is taken as a top. */
static void TurnFreely(Body *body, SolverBody *s, float h)
{
	Turn4 q;
	Vec3D l;
	StartSpin(body, s, &q, &l);
	Inertia3 inverse = Invert3(&body->inertia);
	double half = 0.5 * (double)h;
	Vec3D w = Spin(&inverse, q, l), before = w;
	bool follows = true;
	for (int i = 0; i < MIDPOINT_ROUNDS && follows; i++) {
		Vec3D v = ScaleD(half, w);
		follows = DotD(v, v) < (double)MAX_TURN * (double)MAX_TURN;
		before = w;
		w = follows ? Spin(&inverse, Mul4(Exp4(v), q), l) : w;
	}
	Vec3D change = SubD(w, before);
	if (follows && DotD(change, change) <= SETTLED * SETTLED * DotD(w, w))
		q = Mul4(Exp4(ScaleD(2.0 * half, w)), q);
	else
		q = TurnTop(&body->inertia, q, l, (double)h);
	EndSpin(body, s, q, l, Spin(&inverse, q, l));
}

/* A body among contacts whose two rounds (turn_kernel_internal.h) did not settle, taken as a top. In its floats is all
 * that is known of it. */
static void TurnTouchedTop(const Body *body, SolverBody *s, float h)
{
	Quat q = QuatMul(s->turn, body->pose.q);
	Mat3 r = QuatToMat(q);
	Vec3 l = MatMulV(r, MatMulV(body->inertia, MatTMulV(r, s->angular_velocity)));
	Turn4 start = {q.x, q.y, q.z, q.w}, turned = TurnTop(&body->inertia, start, ToD(l), (double)h);
	Turn4 back = {-body->pose.q.x, -body->pose.q.y, -body->pose.q.z, body->pose.q.w}, turn = Mul4(turned, back);
	s->turn = QuatNormalize((Quat){(float)turn.x, (float)turn.y, (float)turn.z, (float)turn.w});
	r = QuatToMat(QuatMul(s->turn, body->pose.q));
	s->inverse_inertia = MatMul(MatMul(r, body->inverse_inertia), MatTranspose(r));
	s->angular_velocity = MatMulV(s->inverse_inertia, l);
}

/* ---- eight at a time --------------------------------------------------------------------------------------------- */

static void SetLane3(Lanes3 *to, int lane, Vec3 v)
{
	to->x[lane] = v.x;
	to->y[lane] = v.y;
	to->z[lane] = v.z;
}

static void SetLane4(Lanes to[4], int lane, Quat q)
{
	to[0][lane] = q.x;
	to[1][lane] = q.y;
	to[2][lane] = q.z;
	to[3][lane] = q.w;
}

static Vec3 Lane3(const Lanes3 *from, int lane)
{
	return V3(from->x[lane], from->y[lane], from->z[lane]);
}

static void FillTurn(const SolverStep *step, WideTurn *t, int lane, int index, bool tumbling)
{
	const SolverBody *s = &step->bodies[index];
	SetLane3(&t->velocity, lane, s->angular_velocity);
	SetLane4(t->turn, lane, s->turn);
	if (!tumbling)
		return;
	const Body *body = &step->dynamics->bodies.data[s->body];
	const Mat3 *m = &body->inertia, *inverse = &body->inverse_inertia;
	SetLane4(t->pose, lane, body->pose.q);
	SetLane3(&t->inertia[0], lane, m->cx);
	SetLane3(&t->inertia[1], lane, m->cy);
	SetLane3(&t->inertia[2], lane, m->cz);
	SetLane3(&t->inverse[0], lane, inverse->cx);
	SetLane3(&t->inverse[1], lane, inverse->cy);
	SetLane3(&t->inverse[2], lane, inverse->cz);
}

static void FlushTurns(const SolverStep *step, WideTurn *t, bool tumbling)
{
	if (t->count == 0)
		return;
	for (int lane = t->count; lane < LANES; lane++)
		FillTurn(step, t, lane, t->body[0], tumbling); /* some numbers that are good ones */
	step->dynamics->kernel->turn(t, tumbling, step->h);
	for (int lane = 0; lane < t->count; lane++) {
		SolverBody *s = &step->bodies[t->body[lane]];
		if (tumbling && t->unsettled[lane] > 0.0f) {
			TurnTouchedTop(&step->dynamics->bodies.data[s->body], s, step->h);
			continue;
		}
		s->turn = (Quat){t->turn[0][lane], t->turn[1][lane], t->turn[2][lane], t->turn[3][lane]};
		if (!tumbling)
			continue;
		s->angular_velocity = Lane3(&t->velocity, lane);
		s->inverse_inertia =
		    (Mat3){Lane3(&t->inverse[0], lane), Lane3(&t->inverse[1], lane), Lane3(&t->inverse[2], lane)};
	}
	t->count = 0;
}

static void AddTurn(const SolverStep *step, WideTurn *t, int index, bool tumbling)
{
	t->body[t->count] = index;
	FillTurn(step, t, t->count++, index, tumbling);
	if (t->count == LANES)
		FlushTurns(step, t, tumbling);
}

void Integrate_Positions(SolverStep *step, const int *bodies, int count)
{
	Dynamics *d = step->dynamics;
	float h = step->h;
	float slow = Min(SLOW_SPIN, SLOW_TURN * step->inverse_h);
	WideTurn plain, tumbling;
	plain.count = tumbling.count = 0;
	Integrate_HoldSpeeds(step, bodies, count);
	for (int i = 0; i < count; i++) {
		SolverBody *s = &step->bodies[bodies[i]];
		const SolverForce *force = &step->forces[bodies[i]];
		s->shift = MulAdd(s->shift, h, s->velocity);
		float spin = LengthSq(s->angular_velocity);
		if (force->spins && !force->touched && spin > 0.0f)
			TurnFreely(&d->bodies.data[s->body], s, h);
		else if (force->spins && spin > slow * slow)
			AddTurn(step, &tumbling, bodies[i], true);
		else
			AddTurn(step, &plain, bodies[i], false);
	}
	FlushTurns(step, &plain, false);
	FlushTurns(step, &tumbling, true);
}
