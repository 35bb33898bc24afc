/* The soft step: substeps of integrate, warm start, solve with push-out, move, relax without push-out; then restitution
 * (after Catto, "Solver2D", 2024, in three dimensions). Friction acts in both passes (in the relax pass alone, towers
 * keep a faint sway): one row of two at the centre of the touching points, one of twist, and rolling resistance. */
#include "dynamics/solver_internal.h"

/* ---- impulses
 * ------------------------------------------------------------------------------------------------------------ */

/* Immovable bodies are never written: they are shared by many constraints. */
static void Push(SolverBody *a, SolverBody *b, Vec3 ra, Vec3 rb, Vec3 impulse)
{
	if (a->inverse_mass > 0.0f) {
		a->velocity = MulSub(a->velocity, a->inverse_mass, impulse);
		a->angular_velocity = Sub(a->angular_velocity, MatMulV(a->inverse_inertia, Cross(ra, impulse)));
	}
	if (b->inverse_mass > 0.0f) {
		b->velocity = MulAdd(b->velocity, b->inverse_mass, impulse);
		b->angular_velocity = Add(b->angular_velocity, MatMulV(b->inverse_inertia, Cross(rb, impulse)));
	}
}

static void Twist(SolverBody *a, SolverBody *b, Vec3 impulse)
{
	if (a->inverse_mass > 0.0f)
		a->angular_velocity = Sub(a->angular_velocity, MatMulV(a->inverse_inertia, impulse));
	if (b->inverse_mass > 0.0f)
		b->angular_velocity = Add(b->angular_velocity, MatMulV(b->inverse_inertia, impulse));
}

static Vec3 RelativeVelocity(const SolverBody *a, const SolverBody *b, Vec3 ra, Vec3 rb)
{
	Vec3 va = Add(a->velocity, Cross(a->angular_velocity, ra));
	Vec3 vb = Add(b->velocity, Cross(b->angular_velocity, rb));
	return Sub(vb, va);
}

/* The core of a round shape turns with its body, its surface stays the radius away along the normal. */
float Constraint_Separation(const SolverBody *a, const SolverBody *b, const ContactConstraint *c,
                            const ConstraintPoint *p)
{
	Vec3 shift = Sub(b->shift, a->shift);
	Vec3 arm_a = Rotate(a->turn, MulSub(p->start_a, c->radius_a, c->normal));
	Vec3 arm_b = Rotate(b->turn, MulAdd(p->start_b, c->radius_b, c->normal));
	return Dot(Add(shift, Sub(arm_b, arm_a)), c->normal) + p->base;
}

/* ---- one constraint
 * -------------------------------------------------------------------------------------------------------- */

/* Two bodies that move past each other must still be pushed at one point of the world, or their impulses would make up
 * a torque out of nothing: asked for whenever they have moved. Against an immovable side the arm stays with the body.
 */
static void MeetArms(const SolverStep *step, ContactConstraint *c)
{
	const SolverBody *a = &step->bodies[c->a], *b = &step->bodies[c->b];
	if (!c->both_move)
		return;
	Vec3 half = Scale(0.5f, Sub(b->shift, a->shift));
	if (LengthSq(half) > LengthSq(c->friction_start_a) + LengthSq(c->friction_start_b))
		return; /* a step so long that they have left each other: no point is common */
	for (int k = 0; k < c->count; k++) {
		c->points[k].ra = Add(c->points[k].start_a, half);
		c->points[k].rb = Sub(c->points[k].start_b, half);
	}
	c->friction_ra = Add(c->friction_start_a, half);
	c->friction_rb = Sub(c->friction_start_b, half);
}

static void WarmStartOne(const SolverStep *step, ContactConstraint *c)
{
	SolverBody *a = &step->bodies[c->a], *b = &step->bodies[c->b];
	for (int k = 0; k < c->count; k++)
		Push(a, b, c->points[k].ra, c->points[k].rb, Scale(c->points[k].impulse, c->normal));
	Vec3 friction = Add(Scale(c->tangent_impulse[0], c->tangent1), Scale(c->tangent_impulse[1], c->tangent2));
	Push(a, b, c->friction_ra, c->friction_rb, friction);
	Twist(a, b, MulAdd(c->rolling_impulse, c->twist_impulse, c->normal));
}

/* Returns the largest change of an impulse. */
static float SolvePoints(const SolverStep *step, ContactConstraint *c, bool push_out)
{
	float largest = 0.0f;
	SolverBody *a = &step->bodies[c->a], *b = &step->bodies[c->b];
	for (int k = 0; k < c->count; k++) {
		ConstraintPoint *p = &c->points[k];
		float s = Constraint_Separation(a, b, c, p) + c->lift;
		float bias = 0.0f, mass_scale = 1.0f, impulse_scale = 0.0f;
		if (s > 0.0f) {
			bias = s * step->inverse_h; /* still apart: may close the gap in this substep, no more */
		} else if (push_out) {
			bias = Max(c->softness.bias_rate * s, -c->push_out);
			mass_scale = c->softness.mass_scale;
			impulse_scale = c->softness.impulse_scale;
		}
		float speed = Dot(c->normal, RelativeVelocity(a, b, p->ra, p->rb));
		float change = -p->normal_mass * mass_scale * (speed + bias) - impulse_scale * p->impulse;
		float impulse = Max(p->impulse + change, 0.0f);
		change = impulse - p->impulse;
		p->impulse = impulse;
		largest = Max(largest, Abs(change));
		Push(a, b, p->ra, p->rb, Scale(change, c->normal));
	}
	return largest;
}

static void SolveNormal(const SolverStep *step, ContactConstraint *c, bool push_out)
{
	for (int i = 0; i < c->rounds; i++)
		SolvePoints(step, c, push_out);
	for (int k = 0; k < c->count && !push_out; k++)
		c->points[k].total += c->points[k].impulse;
}

static void SolveRolling(ContactConstraint *c, SolverBody *a, SolverBody *b, float load)
{
	if (c->rolling <= 0.0f)
		return;
	Vec3 turning = Sub(b->angular_velocity, a->angular_velocity);
	Vec3 impulse = Sub(c->rolling_impulse, MatMulV(c->rolling_mass, turning));
	float limit = c->rolling * load, length = Length(impulse);
	if (length > limit)
		impulse = Scale(limit / length, impulse);
	Vec3 change = Sub(impulse, c->rolling_impulse);
	c->rolling_impulse = impulse;
	Twist(a, b, change);
}

static void SolveTwist(ContactConstraint *c, SolverBody *a, SolverBody *b)
{
	float limit = 0.0f;
	for (int k = 0; k < c->count; k++)
		limit += c->points[k].lever * c->points[k].impulse;
	limit *= c->friction;
	float speed = Dot(c->normal, Sub(b->angular_velocity, a->angular_velocity));
	float impulse = Clamp(c->twist_impulse - c->twist_mass * speed, -limit, limit);
	float change = impulse - c->twist_impulse;
	c->twist_impulse = impulse;
	Twist(a, b, Scale(change, c->normal));
}

static void SolveFriction(const SolverStep *step, ContactConstraint *c)
{
	SolverBody *a = &step->bodies[c->a], *b = &step->bodies[c->b];
	float load = 0.0f;
	for (int k = 0; k < c->count; k++)
		load += c->points[k].impulse;
	SolveRolling(c, a, b, load);
	SolveTwist(c, a, b);
	Vec3 velocity = RelativeVelocity(a, b, c->friction_ra, c->friction_rb);
	float v1 = Dot(velocity, c->tangent1), v2 = Dot(velocity, c->tangent2);
	float x = c->tangent_impulse[0] - (c->tangent_mass[0] * v1 + c->tangent_mass[1] * v2);
	float y = c->tangent_impulse[1] - (c->tangent_mass[1] * v1 + c->tangent_mass[2] * v2);
	float limit = c->friction * load, length = Sqrt(x * x + y * y);
	if (length > limit) {
		x *= limit / length;
		y *= limit / length;
	}
	Vec3 change = Add(Scale(x - c->tangent_impulse[0], c->tangent1), Scale(y - c->tangent_impulse[1], c->tangent2));
	c->tangent_impulse[0] = x;
	c->tangent_impulse[1] = y;
	Push(a, b, c->friction_ra, c->friction_rb, change);
}

float Constraint_SolveAgain(const SolverStep *step, ContactConstraint *c, bool push_out)
{
	for (int k = 0; k < c->count && !push_out; k++)
		c->points[k].total -= c->points[k].impulse;
	SolveFriction(step, c);
	float change = SolvePoints(step, c, push_out);
	for (int k = 0; k < c->count && !push_out; k++)
		c->points[k].total += c->points[k].impulse;
	return change;
}

/* Speed after the bounce from the energy at the start of the step: what gravity gives on the way to the contact counts,
 * and what the push-out has lifted is taken off, so a bounce neither loses nor gains height by where in the step it
 * falls. Half a substep of gravity at both ends turns the integrator's speeds (half a substep ahead) into those of the
 * path. */
static float BounceSpeed(const SolverStep *step, const ContactConstraint *c, const ConstraintPoint *p, float separation)
{
	float g = c->gravity_along, half_kick = 0.5f * step->h * g;
	float in = -p->approach + half_kick;
	float energy = c->restitution * c->restitution * (in * in + 2.0f * g * p->separation) - 2.0f * g * separation;
	return energy > 0.0f ? Sqrt(energy) + half_kick : 0.0f;
}

static void Bounce(const SolverStep *step, ContactConstraint *c)
{
	float target[MANIFOLD_POINTS], given[MANIFOLD_POINTS];
	int bouncing = 0;
	SolverBody *a = &step->bodies[c->a], *b = &step->bodies[c->b];
	for (int k = 0; k < c->count; k++) {
		const ConstraintPoint *p = &c->points[k];
		bool bounces = c->restitution > 0.0f && p->approach < -RESTITUTION_THRESHOLD && p->total > 0.0f;
		target[k] = bounces ? BounceSpeed(step, c, p, Constraint_Separation(a, b, c, p)) : -1.0f;
		given[k] = 0.0f;
		bouncing += bounces;
	}
	for (int round = 0; round < (bouncing > 1 ? LANDING_ROUNDS : bouncing); round++)
		for (int k = 0; k < c->count; k++) {
			ConstraintPoint *p = &c->points[k];
			if (target[k] < 0.0f)
				continue;
			/* kept out of the warm start: the next step has no use for a blow */
			float speed = Dot(c->normal, RelativeVelocity(a, b, p->ra, p->rb));
			float all = Max(given[k] + p->normal_mass * (target[k] - speed), -p->impulse);
			float change = all - given[k];
			given[k] = all;
			p->total += change;
			Push(a, b, p->ra, p->rb, Scale(change, c->normal));
		}
}

/* ---- passes over colours
 * ---------------------------------------------------------------------------------------------------- */

typedef enum Pass { PASS_WARM_START, PASS_SOLVE, PASS_RELAX, PASS_BOUNCE } Pass;

typedef struct PassJob {
	SolverStep *step;
	Pass pass;
	int first;
} PassJob;

static void RunRange(void *context, int begin, int end, int worker)
{
	(void)worker;
	const PassJob *job = context;
	for (int i = job->first + begin; i < job->first + end; i++) {
		ContactConstraint *c = &job->step->constraints[i];
		switch (job->pass) {
		case PASS_WARM_START:
			WarmStartOne(job->step, c);
			break;
		case PASS_SOLVE:
			SolveFriction(job->step, c);
			SolveNormal(job->step, c, true);
			break;
		case PASS_RELAX:
			MeetArms(job->step, c);
			SolveFriction(job->step, c);
			SolveNormal(job->step, c, false);
			break;
		case PASS_BOUNCE:
			Bounce(job->step, c);
			break;
		}
	}
}

static void RunPass(SolverStep *step, Pass pass)
{
	PassJob job = {step, pass, step->overflow.first};
	RunRange(&job, 0, step->overflow.count, 0);
	for (int c = 0; c < step->colour_count; c++) {
		job.first = step->colours[c].first;
		TaskPool_For(step->dynamics->tasks, step->colours[c].count, 64, RunRange, &job);
	}
}

static void SweepRange(void *context, int begin, int end, int worker)
{
	(void)worker;
	const PassJob *job = context;
	for (int i = begin; i < end; i++)
		Solver_SweepCluster(job->step, i, job->pass == PASS_SOLVE);
}

static void SweepClusters(SolverStep *step, Pass pass)
{
	PassJob job = {step, pass, 0};
	TaskPool_For(step->dynamics->tasks, step->cluster_count, 1, SweepRange, &job);
}

static void VelocityRange(void *context, int begin, int end, int worker)
{
	(void)worker;
	Integrate_Velocities(context, begin, end);
}

static void PositionRange(void *context, int begin, int end, int worker)
{
	(void)worker;
	Integrate_Positions(context, begin, end);
}

void Solver_Run(SolverStep *step)
{
	Dynamics *d = step->dynamics;
	for (int i = 0; i < d->substeps; i++) {
		TaskPool_For(d->tasks, step->body_count, 128, VelocityRange, step);
		RunPass(step, PASS_WARM_START);
		RunPass(step, PASS_SOLVE);
		SweepClusters(step, PASS_SOLVE);
		TaskPool_For(d->tasks, step->body_count, 128, PositionRange, step);
		RunPass(step, PASS_RELAX);
		SweepClusters(step, PASS_RELAX);
	}
	RunPass(step, PASS_BOUNCE);
}

bool Dynamics_Solve(Dynamics *d, float dt)
{
	SolverStep step = {.dynamics = d, .dt = dt, .h = dt / (float)d->substeps};
	step.inverse_h = (float)d->substeps / dt;
	d->touch_order = Arena_Array(&d->arena, uint64_t, d->awake_contacts.count);
	if (!d->touch_order || !Contact_ReserveEvents(d, 2 * d->awake_contacts.count) || !Solver_Gather(&step) ||
	    !Solver_FindStiff(&step) || !Solver_Colour(&step) || !Solver_Cluster(&step))
		return false;
	Solver_Prepare(&step);
	Solver_Run(&step);
	Solver_Scatter(&step);
	d->solver_bodies = step.bodies;
	return true;
}
