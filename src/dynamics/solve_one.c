/* The solver's kernels, lane by lane: the plain form, which the others are compared with, and single lanes. */
#include "dynamics/wide_internal.h"

#define F float
#define M bool
#define WIDTH 1
#define KERNEL static inline

KERNEL F F_Load(const float *from)
{
	return *from;
}
KERNEL void F_Store(float *to, F v)
{
	*to = v;
}
KERNEL F F_Set(float v)
{
	return v;
}
KERNEL M F_Greater(F a, F b)
{
	return a > b;
}
KERNEL bool F_Any(M m)
{
	return m;
}
KERNEL F F_Pick(M m, F a, F b)
{
	return m ? a : b;
}
KERNEL F F_Max(F a, F b)
{
	return Max(a, b);
}
KERNEL F F_Min(F a, F b)
{
	return Min(a, b);
}
KERNEL F F_Sqrt(F a)
{
	return Sqrt(a);
}

#include "dynamics/solve_kernel_internal.h"

#include "dynamics/joint_kernel_internal.h"
#include "dynamics/turn_kernel_internal.h"

KERNEL V V_Of(Vec3 v)
{
	return (V){v.x, v.y, v.z};
}

KERNEL void Motion_Load(const SolverBody *bodies, const int32_t *index, KMotion *m)
{
	const SolverBody *s = &bodies[*index];
	*m = (KMotion){.v = V_Of(s->velocity), .w = V_Of(s->angular_velocity), .mass = s->inverse_mass};
}

KERNEL void Motion_Store(SolverBody *bodies, const int32_t *index, unsigned mask, const KMotion *m)
{
	if (!(mask & 1))
		return;
	bodies[*index].velocity = V3(m->v.x, m->v.y, m->v.z);
	bodies[*index].angular_velocity = V3(m->w.x, m->w.y, m->w.z);
}

KERNEL void Pose_Load(const SolverBody *bodies, const int32_t *index, KPose *p)
{
	const SolverBody *s = &bodies[*index];
	const Mat3 *m = &s->inverse_inertia;
	*p = (KPose){V_Of(s->shift), s->turn.x, s->turn.y, s->turn.z, s->turn.w, m->cx.x,
	             m->cx.y,        m->cx.z,   m->cy.y,   m->cy.z,   m->cz.z};
}

KERNEL void Place_Load(const SolverBody *bodies, const int32_t *index, KPlace *p)
{
	const SolverBody *s = &bodies[*index];
	const Mat3 *m = &s->inverse_inertia;
	*p = (KPlace){V_Of(s->shift), s->turn.x, s->turn.y, s->turn.z, s->turn.w, V_Of(m->cx), V_Of(m->cy), V_Of(m->cz)};
}

static void Run(const SolverStep *step, Pass pass, WideContact *contacts, int count)
{
	RunAll(step, pass, contacts, count);
}

static void RunBalls(const SolverStep *step, JointPass pass, WideBall *balls, int count)
{
	RunAllBalls(step, pass, balls, count);
}

static void RunTurns(WideTurn *turn, bool tumbling, float h)
{
	RunTurn(turn, tumbling, h);
}

const SolverKernel solver_kernel_one = {Run, RunBalls, RunTurns};

/* ---- single lanes ------------------------------------------------------------------------------------------------ */

static void RunLane(const SolverStep *step, Pass pass, WideContact *c, int lane)
{
	if (pass == PASS_WARM_START)
		WarmStart(step, c, lane, c->points);
	else
		Solve(step, c, lane, c->points, pass == PASS_SOLVE);
}

float WideContact_SolveAgain(const SolverStep *step, WideContact *c, int lane, bool push_out)
{
	KPair p;
	KPoint point[MANIFOLD_POINTS];
	for (int k = 0; k < c->points && !push_out; k++)
		c->point[k].total[lane] -= c->point[k].impulse[lane];
	LoadPair(step, c, lane, &p);
	SolveFriction(c, lane, c->points, &p);
	SolveNormal(step, c, lane, c->points, &p, push_out, point);
	StorePair(step, c, lane, &p);
	float largest = 0.0f;
	for (int k = 0; k < c->points; k++)
		largest = Max(largest, Abs(point[k].change));
	return largest;
}

void WideContact_GoOn(const SolverStep *step, WideContact *c, int lane, const float way[MANIFOLD_POINTS])
{
	KPair p;
	float sum = 0.0f;
	V arms = {0.0f, 0.0f, 0.0f};
	LoadPair(step, c, lane, &p);
	for (int k = 0; k < c->points; k++) {
		float *impulse = &c->point[k].impulse[lane], change = Max(way[k], -*impulse);
		*impulse += change;
		sum += change;
		arms = V_MulAdd(arms, change, V_Load(&c->point[k].arm, lane));
	}
	PushNormal(&p, sum, arms);
	StorePair(step, c, lane, &p);
}

void WideContact_Separations(const SolverStep *step, const WideContact *c, int lane, float separation[MANIFOLD_POINTS])
{
	KPair p;
	KPoint point[MANIFOLD_POINTS];
	LoadPair(step, c, lane, &p);
	LoadPoints(step, c, lane, c->points, &p, false, point);
	for (int k = 0; k < c->points; k++)
		separation[k] = point[k].separation - c->lift[lane];
}

/* The points that have a target (>= 0, m/s along the normal) are pushed to that speed, several of them in turn.
 * Impulses are kept out of the warm start: the next step has no use for a blow. */
void WideContact_Bounce(const SolverStep *step, WideContact *c, int lane, const float target[MANIFOLD_POINTS])
{
	KPair p;
	KPoint point[MANIFOLD_POINTS];
	float given[MANIFOLD_POINTS] = {0}, sum = 0.0f;
	int bouncing = 0;
	V arms = {0.0f, 0.0f, 0.0f};
	LoadPair(step, c, lane, &p);
	LoadPoints(step, c, lane, c->points, &p, false, point);
	for (int k = 0; k < c->points; k++)
		bouncing += target[k] >= 0.0f;
	for (int round = 0; round < (bouncing > 1 ? LANDING_ROUNDS : bouncing); round++)
		for (int k = 0; k < c->points; k++) {
			float mass = c->point[k].mass[lane];
			if (target[k] < 0.0f || mass <= 0.0f)
				continue;
			float all = Max(given[k] + mass * (target[k] - point[k].speed), -point[k].impulse);
			float change = all - given[k];
			given[k] = all;
			for (int l = 0; l < c->points; l++)
				point[l].speed +=
				    change * (l == k ? 1.0f / mass : c->coupling[l > k ? COUPLING(k, l) : COUPLING(l, k)][lane]);
		}
	for (int k = 0; k < c->points; k++) {
		c->point[k].total[lane] += given[k];
		sum += given[k];
		arms = V_MulAdd(arms, given[k], V_Load(&c->point[k].arm, lane));
	}
	PushNormal(&p, sum, arms);
	StorePair(step, c, lane, &p);
}

/* ---- lanes of fast bodies ---------------------------------------------------------------------------------------- */

/* An arm that has turned with its body, but for the rounding, which stays along the normal. */
static Vec3 TurnedArm(const SolverBody *s, Vec3 arm, float radius, Vec3 normal)
{
	Vec3 round = Scale(radius, normal);
	return Sub(Rotate(s->turn, Add(arm, round)), round);
}

/* Masses at the arms that the lane has now. What they are not about stays. */
static void Weigh(const SolverStep *step, WideContact *c, int lane)
{
	float approach[MANIFOLD_POINTS], tangent[2] = {c->tangent_impulse[0][lane], c->tangent_impulse[1][lane]};
	for (int k = 0; k < c->points; k++)
		approach[k] = c->approach[k][lane];
	Prepare(step, c, lane);
	for (int k = 0; k < c->points; k++)
		c->approach[k][lane] = approach[k];
	for (int i = 0; i < 2; i++)
		c->tangent_impulse[i][lane] = tangent[i];
	if (c->rolling)
		WideRolling_Weigh(c->rolling, lane, &step->bodies[c->a[lane]], &step->bodies[c->b[lane]]);
}

/* Arms turn with their bodies: the inertia does, and an impulse at an arm of before would spin a thin rod about its own
 * axis. Two that move are pushed at points half way between their own, as by LoadPair, unless the contact was foreseen:
 * then its points come together only at the impact. */
static void Follow(const SolverStep *step, WideContact *c, int lane, const StoredManifold *m)
{
	const SolverBody *a = &step->bodies[c->a[lane]], *b = &step->bodies[c->b[lane]];
	Vec3 shift = Sub(b->shift, a->shift);
	float reach = LengthSq(m->points[0].made_rb) + LengthSq(m->points[0].rb);
	bool meet = a->inverse_mass > 0.0f && b->inverse_mass > 0.0f && 0.25f * LengthSq(shift) <= reach &&
	            !(m->haste & HASTE_FORESEEN);
	Vec3 start = Sub(m->points[0].rb, m->points[0].made_rb), between = {0.0f, 0.0f, 0.0f};
	float separation[MANIFOLD_POINTS];
	for (int k = 0; k < m->count; k++) {
		const StoredPoint *p = &m->points[k];
		Vec3 ra = TurnedArm(a, p->made_rb, -m->radius_a, m->normal), rb = TurnedArm(b, p->rb, m->radius_b, m->normal);
		separation[k] = p->separation + Dot(m->normal, Add(shift, Sub(Sub(rb, p->rb), Sub(ra, p->made_rb))));
		if (meet)
			rb = Scale(0.5f, Add(Add(ra, rb), Sub(start, shift)));
		else
			between = MulAdd(between, 1.0f / (float)m->count, Sub(rb, ra));
		c->point[k].arm.x[lane] = rb.x;
		c->point[k].arm.y[lane] = rb.y;
		c->point[k].arm.z[lane] = rb.z;
		c->point[k].separation[lane] = separation[k];
	}
	if (meet)
		between = Sub(start, shift);
	c->between.x[lane] = between.x;
	c->between.y[lane] = between.y;
	c->between.z[lane] = between.z;
	Weigh(step, c, lane);
	/* what LoadPoints adds to a separation of the start is taken off, so that it finds the ones of now */
	KPair p;
	KPoint point[MANIFOLD_POINTS];
	LoadPair(step, c, lane, &p);
	LoadPoints(step, c, lane, c->points, &p, false, point);
	for (int k = 0; k < m->count; k++)
		c->point[k].separation[lane] -= point[k].separation - c->lift[lane] - separation[k];
}

static void ForgetImpulses(WideContact *c, int lane)
{
	for (int k = 0; k < c->points; k++)
		c->point[k].impulse[lane] = 0.0f;
	c->tangent_impulse[0][lane] = c->tangent_impulse[1][lane] = c->twist_impulse[lane] = 0.0f;
	if (c->rolling)
		c->rolling->impulse.x[lane] = c->rolling->impulse.y[lane] = c->rolling->impulse.z[lane] = 0.0f;
}

static void SolveNormalOnly(const SolverStep *step, WideContact *c, int lane)
{
	KPair p;
	KPoint point[MANIFOLD_POINTS];
	LoadPair(step, c, lane, &p);
	SolveNormal(step, c, lane, c->points, &p, false, point);
	StorePair(step, c, lane, &p);
	for (int k = 0; k < c->points; k++)
		c->point[k].total[lane] -= c->point[k].impulse[lane];
}

void WideContact_RunSingly(const SolverStep *step, Pass pass, WideContact *c, int lane, const StoredManifold *m)
{
	bool blow = m->haste & HASTE_BLOW;
	if (pass == PASS_WARM_START && blow) {
		ForgetImpulses(c, lane);
		return;
	}
	if (pass == PASS_RELAX && m->haste) {
		Follow(step, c, lane, m);
		if (blow)
			SolveNormalOnly(step, c, lane);
	}
	RunLane(step, pass, c, lane);
}
