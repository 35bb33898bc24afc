/* From bodies and manifolds to dense solver bodies and constraints, and back. */
#include "dynamics/solver_internal.h"

Softness Softness_Make(float hertz, float damping_ratio, float h, float load)
{
	float omega = 2.0f * PI_F * hertz;
	float a1 = 2.0f * damping_ratio + h * omega;
	float a2 = load * h * omega * a1;
	float a3 = 1.0f / (1.0f + a2);
	return (Softness){omega / a1, a2 * a3, a3};
}

/* ---- gathering --------------------------------------------------------------------------------------------------- */

static void GatherBody(SolverStep *step, int index, int slot)
{
	const Dynamics *d = step->dynamics;
	const Body *body = &d->bodies.data[slot];
	SolverBody *s = &step->bodies[index];
	*s = (SolverBody){.velocity = body->velocity,
	                  .angular_velocity = body->angular_velocity,
	                  .turn = QuatIdentity(),
	                  .inverse_mass = body->inverse_mass,
	                  .body = slot};
	bool moves = body->inverse_mass > 0.0f, tumbles = Body_Tumbles(body);
	/* a ball's inertia is the same from all sides */
	s->inverse_inertia = tumbles ? WorldInertia(body->inverse_inertia, body->pose.q) : body->inverse_inertia;
	step->forces[index] = (SolverForce){.spins = moves && tumbles};
	if (moves) {
		step->forces[index].acceleration =
		    MulAdd(Scale(body->gravity_scale, d->gravity), body->inverse_mass, body->force);
		step->forces[index].torque = body->torque;
	}
}

static void GatherBodies(void *context, int begin, int end, int worker)
{
	(void)worker;
	SolverStep *step = context;
	for (int i = begin; i < end; i++)
		GatherBody(step, i + 1, step->dynamics->awake.data[i]);
}

static int SolverIndex(const Dynamics *d, int slot)
{
	return slot == NONE ? 0 : d->bodies.data[slot].awake_place + 1;
}

/* Many bodies in one place would push each other apart by the sum of their contacts' speeds. */
static void CountDeep(const SolverStep *step, const ConstraintSource *s)
{
	if (!Source_Manifold(step, s)->deep)
		return;
	step->deep[s->a] += s->a != 0;
	step->deep[s->b] += s->b != 0;
}

static void GatherSources(SolverStep *step)
{
	const Dynamics *d = step->dynamics;
	step->constraint_count = 0;
	for (int i = 0; i < d->awake_contacts.count; i++) {
		int contact = d->awake_contacts.data[i];
		const Contact *c = &d->contacts.data[contact];
		if (c->count == 0)
			continue;
		int a = SolverIndex(d, c->body_a), b = SolverIndex(d, c->body_b);
		if (step->bodies[a].inverse_mass == 0.0f && step->bodies[b].inverse_mass == 0.0f)
			continue;
		for (int k = 0; k < c->count; k++) {
			ConstraintSource *source = &step->sources[step->constraint_count++];
			*source = (ConstraintSource){contact, k, a, b, 0.0f};
			CountDeep(step, source);
		}
	}
}

bool Solver_Gather(SolverStep *step)
{
	Dynamics *d = step->dynamics;
	step->body_count = d->awake.count + 1;
	step->bodies = Arena_Array(&d->arena, SolverBody, step->body_count);
	step->forces = Arena_Array(&d->arena, SolverForce, step->body_count);
	step->deep = Arena_Array(&d->arena, int, step->body_count);
	int count = 0;
	for (int i = 0; i < d->awake_contacts.count; i++)
		count += d->contacts.data[d->awake_contacts.data[i]].count;
	step->sources = Arena_Array(&d->arena, ConstraintSource, count);
	if (!step->bodies || !step->forces || !step->deep || !step->sources)
		return false;
	step->bodies[0] = (SolverBody){.turn = QuatIdentity(), .body = NONE};
	step->forces[0] = (SolverForce){.spins = false};
	memset(step->deep, 0, sizeof *step->deep * (size_t)step->body_count);
	TaskPool_For(d->tasks, d->awake.count, 256, GatherBodies, step);
	GatherSources(step);
	return true;
}

/* ---- constraints ------------------------------------------------------------------------------------------------- */

static Vec3 RelativeVelocity(const SolverBody *a, const SolverBody *b, Vec3 ra, Vec3 rb)
{
	Vec3 va = Add(a->velocity, Cross(a->angular_velocity, ra));
	Vec3 vb = Add(b->velocity, Cross(b->angular_velocity, rb));
	return Sub(vb, va);
}

static void SetLane3(Lanes3 *to, int lane, Vec3 v)
{
	to->x[lane] = v.x;
	to->y[lane] = v.y;
	to->z[lane] = v.z;
}

/* The centre of friction, from the centre of B: the middle of the points that touch, or of all when none does yet. */
static Vec3 FrictionArm(const StoredManifold *m)
{
	int touching = 0;
	for (int k = 0; k < m->count; k++)
		touching += m->points[k].separation <= SLOP;
	Vec3 sum = {0, 0, 0};
	for (int k = 0; k < m->count; k++)
		if (touching == 0 || m->points[k].separation <= SLOP)
			sum = Add(sum, m->points[k].rb);
	return Scale(1.0f / (float)(touching > 0 ? touching : m->count), sum);
}

/* Turning that an impulse along a direction gives, of both sides. */
typedef struct Lever {
	Vec3 a, b;           /* cross(arm, direction) */
	Vec3 spin_a, spin_b; /* inverse inertia of that */
} Lever;

static Lever Lever_Of(const SolverBody *a, const SolverBody *b, Vec3 ra, Vec3 rb, Vec3 direction)
{
	Vec3 ca = Cross(ra, direction), cb = Cross(rb, direction);
	return (Lever){ca, cb, MatMulV(a->inverse_inertia, ca), MatMulV(b->inverse_inertia, cb)};
}

/* Speed along one lever's direction from a unit impulse along the other's, turning only. */
static float Lever_Coupling(const Lever *x, const Lever *y)
{
	return Dot(x->a, y->spin_a) + Dot(x->b, y->spin_b);
}

static void PrepareFriction(WideContact *c, int lane, const StoredManifold *m, const SolverBody *a, const SolverBody *b,
                            Vec3 between)
{
	Vec3 tangent1 = Perpendicular(m->normal), tangent2 = Cross(m->normal, tangent1);
	Vec3 arm_b = FrictionArm(m), arm_a = Sub(arm_b, between);
	Lever x = Lever_Of(a, b, arm_a, arm_b, tangent1), y = Lever_Of(a, b, arm_a, arm_b, tangent2);
	float mass = a->inverse_mass + b->inverse_mass;
	float k11 = mass + Lever_Coupling(&x, &x), k22 = mass + Lever_Coupling(&y, &y), k12 = Lever_Coupling(&x, &y);
	float determinant = k11 * k22 - k12 * k12;
	float inverse = determinant > 0.0f ? 1.0f / determinant : 0.0f;
	SetLane3(&c->tangent, lane, tangent1);
	SetLane3(&c->friction_arm, lane, arm_b);
	c->friction[lane] = m->friction;
	c->tangent_mass[0][lane] = inverse * k22;
	c->tangent_mass[1][lane] = -inverse * k12;
	c->tangent_mass[2][lane] = inverse * k11;
	c->tangent_impulse[0][lane] = Dot(m->friction_impulse, tangent1);
	c->tangent_impulse[1][lane] = Dot(m->friction_impulse, tangent2);
	float twist =
	    Dot(m->normal, MatMulV(a->inverse_inertia, m->normal)) + Dot(m->normal, MatMulV(b->inverse_inertia, m->normal));
	c->twist_mass[lane] = twist > 0.0f ? 1.0f / twist : 0.0f;
	c->twist_impulse[lane] = m->twist_impulse;
	for (int k = 0; k < m->count; k++)
		c->point[k].lever[lane] = Length(Sub(m->points[k].rb, arm_b));
}

static void PrepareRolling(SolverStep *step, int group, int lane, const StoredManifold *m, const SolverBody *a,
                           const SolverBody *b)
{
	WideContact *c = &step->contacts[group];
	if (m->rolling <= 0.0f)
		return;
	if (!c->rolling) {
		c->rolling = &step->rolling[group];
		memset(c->rolling, 0, sizeof *c->rolling);
	}
	WideRolling *r = c->rolling;
	Mat3 mass = MatInverse(MatAdd(a->inverse_inertia, b->inverse_inertia));
	float entries[6] = {mass.cx.x, mass.cx.y, mass.cx.z, mass.cy.y, mass.cy.z, mass.cz.z};
	for (int i = 0; i < 6; i++)
		r->mass[i][lane] = entries[i];
	r->limit[lane] = m->rolling;
	SetLane3(&r->impulse, lane, m->rolling_impulse);
}

static void PreparePoints(WideContact *c, int lane, StoredManifold *m, const SolverBody *a, const SolverBody *b,
                          Vec3 between)
{
	Lever lever[MANIFOLD_POINTS];
	float mass = a->inverse_mass + b->inverse_mass;
	for (int k = 0; k < m->count; k++) {
		StoredPoint *from = &m->points[k];
		WidePoint *to = &c->point[k];
		Vec3 rb = from->rb, ra = Sub(rb, between);
		lever[k] = Lever_Of(a, b, ra, rb, m->normal);
		SetLane3(&to->arm, lane, rb);
		to->separation[lane] = from->separation;
		to->impulse[lane] = from->impulse;
		to->mass[lane] = 1.0f / (mass + Lever_Coupling(&lever[k], &lever[k]));
		from->approach = Dot(m->normal, RelativeVelocity(a, b, ra, rb));
		for (int l = 0; l < k; l++)
			c->coupling[l == 0 ? k - 1 : l + k][lane] = mass + Lever_Coupling(&lever[l], &lever[k]);
		if (from->approach >= -RESTITUTION_THRESHOLD)
			continue;
		if (m->count > 1) {
			c->rounds_of[lane] = LANDING_ROUNDS;
			c->rounds = LANDING_ROUNDS;
		}
		if (m->restitution > 0.0f)
			c->bounces |= (uint8_t)(1 << lane);
	}
}

static void PrepareLane(SolverStep *step, int group, int lane, const ConstraintSource *source)
{
	Dynamics *d = step->dynamics;
	WideContact *c = &step->contacts[group];
	StoredManifold *m = &d->manifolds.data[d->contacts.data[source->contact].first + source->manifold];
	const SolverBody *a = &step->bodies[source->a], *b = &step->bodies[source->b];
	bool fixed = a->inverse_mass == 0.0f || b->inverse_mass == 0.0f;
	float rate = 0.25f * step->inverse_h; /* no spring faster than the substeps can follow */
	float load = Max(source->load, 1.0f);
	Softness soft = fixed ? Softness_Make(Min(STATIC_HERTZ, rate), STATIC_RATIO, step->h, load)
	                      : Softness_Make(Min(CONTACT_HERTZ, rate), CONTACT_RATIO, step->h, load);
	/* a point is one place of the world, so all arms differ by the same */
	Vec3 between = Sub(m->points[0].rb, m->points[0].ra);
	c->a[lane] = source->a;
	c->b[lane] = source->b;
	c->move_a |= (uint8_t)((a->inverse_mass > 0.0f) << lane);
	c->move_b |= (uint8_t)((b->inverse_mass > 0.0f) << lane);
	c->points = (uint8_t)Int_Max(c->points, m->count);
	c->rounds_of[lane] = 1.0f;
	SetLane3(&c->normal, lane, m->normal);
	SetLane3(&c->between, lane, between);
	c->bias_rate[lane] = soft.bias_rate;
	c->mass_scale[lane] = soft.mass_scale;
	c->impulse_scale[lane] = soft.impulse_scale;
	c->push_out[lane] = PUSH_OUT_SPEED / (float)Int_Max(1, Int_Max(step->deep[source->a], step->deep[source->b]));
	c->lift[lane] = m->lift;
	c->radius_a[lane] = m->radius_a;
	c->radius_b[lane] = m->radius_b;
	PreparePoints(c, lane, m, a, b, between);
	PrepareFriction(c, lane, m, a, b, between);
	PrepareRolling(step, group, lane, m, a, b);
}

static void PrepareRange(void *context, int begin, int end, int worker)
{
	(void)worker;
	SolverStep *step = context;
	for (int i = begin; i < end; i++) {
		memset(&step->contacts[i], 0, sizeof step->contacts[i]);
		step->contacts[i].rounds = 1;
		for (int k = 0; k < step->lanes[i].count; k++)
			PrepareLane(step, i, k, &step->sources[step->lanes[i].first + k]);
	}
}

void Solver_Prepare(SolverStep *step)
{
	TaskPool_For(step->dynamics->tasks, step->group_count, 16, PrepareRange, step);
}

/* ---- results ----------------------------------------------------------------------------------------------------- */

/* A soft contact gives way to a load: a tower would sink by the sum. The depth that stays is therefore added, slowly,
 * to what is pushed against, until a steady load stands at depth 0 (integral action). One value a manifold, from the
 * mean of its points: corrected point by point, a tower would begin to sway. */
static float Lift(const SolverStep *step, const WideContact *c, int lane, int points)
{
	float sum = 0.0f;
	int bearing = 0;
	for (int k = 0; k < points; k++) {
		if (c->point[k].impulse[lane] <= 0.0f)
			continue;
		sum += WideContact_Separation(step, c, lane, k);
		bearing++;
	}
	if (bearing == 0)
		return 0.0f;
	float mean = Clamp(sum / (float)bearing, -SLOP, SLOP);
	return Clamp(c->lift[lane] + LIFT_RATE * step->dt * mean, -LIFT_LIMIT, 0.0f);
}

static Vec3 Lane3(const Lanes3 *from, int lane)
{
	return V3(from->x[lane], from->y[lane], from->z[lane]);
}

static void StoreLane(const SolverStep *step, const WideContact *c, int lane, const ConstraintSource *source)
{
	Dynamics *d = step->dynamics;
	StoredManifold *m = &d->manifolds.data[d->contacts.data[source->contact].first + source->manifold];
	Vec3 tangent1 = Lane3(&c->tangent, lane), tangent2 = Cross(m->normal, tangent1);
	m->friction_impulse =
	    Add(Scale(c->tangent_impulse[0][lane], tangent1), Scale(c->tangent_impulse[1][lane], tangent2));
	m->twist_impulse = c->twist_impulse[lane];
	m->lift = Lift(step, c, lane, m->count);
	if (c->rolling)
		m->rolling_impulse = Lane3(&c->rolling->impulse, lane);
	for (int k = 0; k < m->count; k++) {
		m->points[k].impulse = c->point[k].impulse[lane];
		m->points[k].total = c->point[k].total[lane];
	}
}

static void StoreRange(void *context, int begin, int end, int worker)
{
	(void)worker;
	const SolverStep *step = context;
	for (int i = begin; i < end; i++)
		for (int k = 0; k < step->lanes[i].count; k++)
			StoreLane(step, &step->contacts[i], k, &step->sources[step->lanes[i].first + k]);
}

/* A kinematic body that was sent somewhere is there, and stops, once its time is up. */
static void ArriveInTime(Body *body, float dt)
{
	if (body->drive_time <= 0.0f)
		return;
	body->drive_time -= dt;
	if (body->drive_time > 0.01f * dt)
		return;
	body->drive_time = 0.0f;
	body->velocity = body->angular_velocity = V3(0.0f, 0.0f, 0.0f);
}

static void ScatterBody(Dynamics *d, const SolverBody *s, float dt)
{
	Body *body = &d->bodies.data[s->body];
	Mat3 r = QuatToMat(body->pose.q);
	Vec3 turn_change = Sub(s->angular_velocity, body->angular_velocity);
	body->net_linear = Scale(body->motion == MOTION_DYNAMIC ? body->mass : 0.0f, Sub(s->velocity, body->velocity));
	body->net_angular = body->motion == MOTION_DYNAMIC ? MatMulV(r, MatMulV(body->inertia, MatTMulV(r, turn_change)))
	                                                   : V3(0.0f, 0.0f, 0.0f);
	body->velocity = s->velocity;
	body->angular_velocity = s->angular_velocity;
	body->pose.p = PosAdd(body->pose.p, s->shift);
	body->pose.q = QuatNormalize(QuatMul(s->turn, body->pose.q));
	body->force = body->torque = V3(0.0f, 0.0f, 0.0f);
	ArriveInTime(body, dt);
}

static void ScatterRange(void *context, int begin, int end, int worker)
{
	(void)worker;
	const SolverStep *step = context;
	for (int i = begin; i < end; i++)
		ScatterBody(step->dynamics, &step->bodies[i + 1], step->dt);
}

void Solver_Scatter(SolverStep *step)
{
	TaskPool *tasks = step->dynamics->tasks;
	TaskPool_For(tasks, step->group_count, 32, StoreRange, step);
	TaskPool_For(tasks, step->body_count - 1, 256, ScatterRange, step);
}
