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

void WideContact_LookAtBlow(const SolverStep *step, WideContact *c, int lane, float gravity, StoredManifold *m)
{
	KPair p;
	KPoint point[MANIFOLD_POINTS];
	float half_kick = 0.5f * step->h * gravity;
	LoadPair(step, c, lane, &p);
	LoadPoints(step, c, lane, c->points, &p, false, point);
	for (int k = 0; k < m->count; k++)
		if (c->point[k].total[lane] > 0.0f) /* has begun */
			return;
	m->points[0].approach = 0.0f;
	for (int k = 0; k < m->count; k++) {
		float in = -point[k].speed - half_kick; /* without this substep's kick, but for half of it: see BounceSpeed */
		float fallen = m->points[k].separation - (point[k].separation - c->lift[lane]);
		float square = in * in - 2.0f * gravity * fallen;
		m->points[k].total = point[k].speed;
		c->approach[k][lane] = half_kick - (in > 0.0f && square > 0.0f ? Sqrt(square) : in);
	}
}

#define SAME_BLOW 0.01f /* share: nearer to what it should be, a blow is that */

/* What a push of `sum` at `arms` gives the bodies as they are turned now, as a share of what `work` says that it
 * should. Masses are those at the start of the step, but inertias turn with their bodies: a blow that is not scaled by
 * this makes energy out of nothing, the more so the more it spins what it meets. */
static float BounceScale(const SolverStep *step, const WideContact *c, int lane, const KPair *from,
                         const float given[MANIFOLD_POINTS], float work)
{
	KPair p = *from;
	KPoint point[MANIFOLD_POINTS];
	float sum = 0.0f, before = 0.0f, after = 0.0f;
	V arms = {0.0f, 0.0f, 0.0f};
	LoadPoints(step, c, lane, c->points, &p, false, point);
	for (int k = 0; k < c->points; k++) {
		sum += given[k];
		arms = V_MulAdd(arms, given[k], V_Load(&c->point[k].arm, lane));
		before += given[k] * point[k].speed;
	}
	PushNormal(&p, sum, arms);
	LoadPoints(step, c, lane, c->points, &p, false, point);
	for (int k = 0; k < c->points; k++)
		after += given[k] * point[k].speed;
	float square = 0.5f * (after - before), root = before * before + 4.0f * square * work;
	if (!(after > 0.0f && square > 0.0f && root > 0.0f))
		return 1.0f; /* it slows what the solver has made too fast */
	float scale = 0.5f * (Sqrt(root) - before) / square;
	return Abs(scale - 1.0f) > SAME_BLOW ? scale : 1.0f;
}

/* The points that have a target (>= 0, m/s along the normal) are pushed to that speed, several of them in turn.
 * Impulses are kept out of the warm start: the next step has no use for a blow. */
void WideContact_Bounce(const SolverStep *step, WideContact *c, int lane, const float target[MANIFOLD_POINTS],
                        const StoredManifold *m)
{
	KPair p;
	KPoint point[MANIFOLD_POINTS];
	float given[MANIFOLD_POINTS] = {0}, start[MANIFOLD_POINTS] = {0}, sum = 0.0f, work = 0.0f;
	int bouncing = 0;
	V arms = {0.0f, 0.0f, 0.0f};
	LoadPair(step, c, lane, &p);
	LoadPoints(step, c, lane, c->points, &p, false, point);
	for (int k = 0; k < c->points; k++) {
		bouncing += target[k] >= 0.0f;
		start[k] = point[k].speed;
	}
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
	for (int k = 0; k < c->points; k++)
		work += 0.5f * given[k] * (start[k] + point[k].speed);
	int hardest = 0;
	for (int k = 0; k < c->points; k++) {
		sum += given[k];
		hardest = given[k] > given[hardest] ? k : hardest;
	}
	if (m->haste & HASTE_BLOW && m->points[hardest].total < 0.0f && sum > 0.0f) {
		/* what the blow has taken and, where they are still on their way, will take */
		float in = Min(start[hardest], 0.0f), rest = 0.5f * sum / (target[hardest] - in) * in * in;
		float ratio = target[hardest] / m->points[hardest].total;
		work = ratio * ratio * Max(rest - m->points[0].approach, 0.0f) - rest;
	}
	float scale = BounceScale(step, c, lane, &p, given, work);
	for (int k = 0; k < c->points; k++) {
		given[k] *= scale;
		c->point[k].total[lane] += given[k];
		arms = V_MulAdd(arms, given[k], V_Load(&c->point[k].arm, lane));
	}
	PushNormal(&p, scale * sum, arms);
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

/* Speeds of a lane's points, and what they have been given in this substep. */
typedef struct Blow {
	float speed[MANIFOLD_POINTS], impulse[MANIFOLD_POINTS];
} Blow;

static Blow Blow_Now(const SolverStep *step, const WideContact *c, int lane)
{
	KPair p;
	KPoint point[MANIFOLD_POINTS];
	Blow blow = {{0}, {0}};
	LoadPair(step, c, lane, &p);
	LoadPoints(step, c, lane, c->points, &p, false, point);
	for (int k = 0; k < c->points; k++) {
		blow.speed[k] = point[k].speed;
		blow.impulse[k] = point[k].impulse;
	}
	return blow;
}

/* What the points have done since: impulses by the mean of the speeds before and after. */
static float Blow_Work(const SolverStep *step, const WideContact *c, int lane, Blow *blow)
{
	Blow before = *blow;
	float work = 0.0f;
	*blow = Blow_Now(step, c, lane);
	for (int k = 0; k < c->points; k++)
		work += 0.5f * (blow->impulse[k] - before.impulse[k]) * (before.speed[k] + blow->speed[k]);
	return work;
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

static void RunBlow(const SolverStep *step, Pass pass, WideContact *c, int lane, StoredManifold *m)
{
	bool bounces = c->bounces >> lane & 1;
	Blow blow = {{0}, {0}};
	if (pass == PASS_RELAX)
		Follow(step, c, lane, m);
	if (bounces)
		blow = Blow_Now(step, c, lane);
	if (pass == PASS_RELAX) {
		SolveNormalOnly(step, c, lane);
		m->points[0].approach += bounces ? Blow_Work(step, c, lane, &blow) : 0.0f;
	}
	RunLane(step, pass, c, lane);
	m->points[0].approach += bounces ? Blow_Work(step, c, lane, &blow) : 0.0f;
}

void WideContact_RunSingly(const SolverStep *step, Pass pass, WideContact *c, int lane, StoredManifold *m)
{
	if (m->haste & HASTE_BLOW) {
		if (pass == PASS_WARM_START)
			ForgetImpulses(c, lane);
		else
			RunBlow(step, pass, c, lane, m);
		return;
	}
	if (pass == PASS_RELAX && m->haste)
		Follow(step, c, lane, m);
	RunLane(step, pass, c, lane);
}
