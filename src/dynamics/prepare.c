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

/* ---- gathering
 * ---------------------------------------------------------------------------------------------------------- */

static void GatherBody(Dynamics *d, SolverBody *s, int slot)
{
	Body *body = &d->bodies.data[slot];
	*s = (SolverBody){.velocity = body->velocity,
	                  .angular_velocity = body->angular_velocity,
	                  .turn = QuatIdentity(),
	                  .inverse_mass = body->inverse_mass,
	                  .body = slot};
	s->inverse_inertia = WorldInertia(body->inverse_inertia, body->pose.q);
}

static int SolverIndex(const Dynamics *d, int slot)
{
	if (slot == NONE || !Body_IsAwake(&d->bodies.data[slot]))
		return 0;
	return d->bodies.data[slot].awake_place + 1;
}

/* Many bodies in one place would push each other apart by the sum of their contacts' speeds. */
static void CountDeep(const SolverStep *step)
{
	const Dynamics *d = step->dynamics;
	memset(step->deep, 0, sizeof *step->deep * (size_t)step->body_count);
	for (int i = 0; i < step->constraint_count; i++) {
		const struct ConstraintSource *s = &step->sources[i];
		const StoredManifold *m = Contact_Manifold(d, &d->contacts.data[s->contact], s->manifold);
		bool deep = false;
		for (int k = 0; k < m->count; k++)
			deep = deep || m->points[k].separation < -DEEP_OVERLAP;
		step->deep[s->a] += deep && s->a != 0;
		step->deep[s->b] += deep && s->b != 0;
	}
}

bool Solver_Gather(SolverStep *step)
{
	Dynamics *d = step->dynamics;
	step->body_count = d->awake.count + 1;
	step->bodies = Arena_Array(&d->arena, SolverBody, step->body_count);
	step->deep = Arena_Array(&d->arena, int, step->body_count);
	if (!step->bodies || !step->deep)
		return false;
	step->bodies[0] = (SolverBody){.turn = QuatIdentity(), .body = NONE};
	for (int i = 0; i < d->awake.count; i++)
		GatherBody(d, &step->bodies[i + 1], d->awake.data[i]);

	int count = 0;
	for (int i = 0; i < d->awake_contacts.count; i++)
		count += d->contacts.data[d->awake_contacts.data[i]].count;
	step->sources = Arena_Array(&d->arena, struct ConstraintSource, count);
	step->constraints = Arena_Array(&d->arena, ContactConstraint, count);
	if (!step->sources || !step->constraints)
		return false;
	step->constraint_count = 0;
	for (int i = 0; i < d->awake_contacts.count; i++) {
		int contact = d->awake_contacts.data[i];
		const Contact *c = &d->contacts.data[contact];
		int a = SolverIndex(d, c->body_a), b = SolverIndex(d, c->body_b);
		if (step->bodies[a].inverse_mass == 0.0f && step->bodies[b].inverse_mass == 0.0f)
			continue;
		for (int k = 0; k < c->count; k++)
			step->sources[step->constraint_count++] = (struct ConstraintSource){contact, k, a, b, 0.0f};
	}
	CountDeep(step);
	return true;
}

/* ---- constraints
 * ---------------------------------------------------------------------------------------------------------- */

/* Inverse of the effective mass along a direction at two arms. */
static float InverseMassAlong(const SolverBody *a, const SolverBody *b, Vec3 ra, Vec3 rb, Vec3 n)
{
	Vec3 ca = Cross(ra, n), cb = Cross(rb, n);
	return a->inverse_mass + b->inverse_mass + Dot(ca, MatMulV(a->inverse_inertia, ca)) +
	       Dot(cb, MatMulV(b->inverse_inertia, cb));
}

static float Coupling(const SolverBody *a, const SolverBody *b, Vec3 ra, Vec3 rb, Vec3 n, Vec3 m)
{
	Vec3 ca = Cross(ra, n), cb = Cross(rb, n);
	return Dot(ca, MatMulV(a->inverse_inertia, Cross(ra, m))) + Dot(cb, MatMulV(b->inverse_inertia, Cross(rb, m)));
}

static Vec3 RelativeVelocity(const SolverBody *a, const SolverBody *b, Vec3 ra, Vec3 rb)
{
	Vec3 va = Add(a->velocity, Cross(a->angular_velocity, ra));
	Vec3 vb = Add(b->velocity, Cross(b->angular_velocity, rb));
	return Sub(vb, va);
}

/* The centre of friction: the middle of the points that touch, or of all when none does yet. */
static void PlaceFriction(ContactConstraint *c, const StoredManifold *m)
{
	int touching = 0;
	for (int k = 0; k < m->count; k++)
		touching += m->points[k].separation <= SLOP;
	Vec3 sum_a = {0, 0, 0}, sum_b = {0, 0, 0};
	for (int k = 0; k < m->count; k++)
		if (touching == 0 || m->points[k].separation <= SLOP) {
			sum_a = Add(sum_a, m->points[k].ra);
			sum_b = Add(sum_b, m->points[k].rb);
		}
	float share = 1.0f / (float)(touching > 0 ? touching : m->count);
	c->friction_ra = c->friction_start_a = Scale(share, sum_a);
	c->friction_rb = c->friction_start_b = Scale(share, sum_b);
}

static void PrepareFriction(ContactConstraint *c, const SolverBody *a, const SolverBody *b)
{
	float k11 = InverseMassAlong(a, b, c->friction_ra, c->friction_rb, c->tangent1);
	float k22 = InverseMassAlong(a, b, c->friction_ra, c->friction_rb, c->tangent2);
	float k12 = Coupling(a, b, c->friction_ra, c->friction_rb, c->tangent1, c->tangent2);
	float determinant = k11 * k22 - k12 * k12;
	float inverse = determinant > 0.0f ? 1.0f / determinant : 0.0f;
	c->tangent_mass[0] = inverse * k22;
	c->tangent_mass[1] = -inverse * k12;
	c->tangent_mass[2] = inverse * k11;
	Mat3 turning = MatAdd(a->inverse_inertia, b->inverse_inertia);
	float twist = Dot(c->normal, MatMulV(turning, c->normal));
	c->twist_mass = twist > 0.0f ? 1.0f / twist : 0.0f;
	c->rolling_mass = c->rolling > 0.0f ? MatInverse(turning) : MatDiag(0.0f, 0.0f, 0.0f);
}

static float GravityAlong(const SolverStep *step, const SolverBody *a, const SolverBody *b, Vec3 normal)
{
	const Dynamics *d = step->dynamics;
	float scale = 0.0f;
	if (a->inverse_mass > 0.0f)
		scale += d->bodies.data[a->body].gravity_scale;
	if (b->inverse_mass > 0.0f)
		scale -= d->bodies.data[b->body].gravity_scale;
	return scale * Dot(d->gravity, normal);
}

static void PrepareOne(SolverStep *step, int index)
{
	Dynamics *d = step->dynamics;
	const struct ConstraintSource *source = &step->sources[index];
	const Contact *contact = &d->contacts.data[source->contact];
	StoredManifold *m = &d->manifolds.data[contact->first + source->manifold];
	const SolverBody *a = &step->bodies[source->a], *b = &step->bodies[source->b];
	bool fixed = a->inverse_mass == 0.0f || b->inverse_mass == 0.0f;
	float rate = 0.25f * step->inverse_h; /* no spring faster than the substeps can follow */
	ContactConstraint *c = &step->constraints[index];
	*c = (ContactConstraint){.a = source->a, .b = source->b, .normal = m->normal, .store = m, .count = m->count};
	c->tangent1 = Perpendicular(m->normal);
	c->tangent2 = Cross(m->normal, c->tangent1);
	float load = Max(source->load, 1.0f);
	c->softness = fixed ? Softness_Make(Min(STATIC_HERTZ, rate), STATIC_RATIO, step->h, load)
	                    : Softness_Make(Min(CONTACT_HERTZ, rate), CONTACT_RATIO, step->h, load);
	c->friction = m->friction;
	c->restitution = m->restitution;
	c->rolling = m->rolling;
	c->radius_a = contact->part_a == NONE ? 0.0f : Part_Radius(&d->parts.data[contact->part_a]);
	c->radius_b = Part_Radius(&d->parts.data[contact->part_b]);
	c->gravity_along = GravityAlong(step, a, b, m->normal);
	c->push_out = PUSH_OUT_SPEED / (float)Int_Max(1, Int_Max(step->deep[source->a], step->deep[source->b]));
	c->both_move = !fixed;
	c->rounds = 1;
	PlaceFriction(c, m);
	PrepareFriction(c, a, b);
	c->tangent_impulse[0] = Dot(m->friction_impulse, c->tangent1);
	c->tangent_impulse[1] = Dot(m->friction_impulse, c->tangent2);
	c->twist_impulse = m->twist_impulse;
	c->lift = m->lift;
	c->rolling_impulse = m->rolling_impulse;
	for (int k = 0; k < m->count; k++) {
		const StoredPoint *p = &m->points[k];
		ConstraintPoint *q = &c->points[k];
		float inverse = InverseMassAlong(a, b, p->ra, p->rb, m->normal);
		*q = (ConstraintPoint){.ra = p->ra,
		                       .rb = p->rb,
		                       .start_a = p->ra,
		                       .start_b = p->rb,
		                       .separation = p->separation,
		                       .impulse = p->impulse};
		q->base = p->separation - Dot(Sub(p->rb, p->ra), m->normal) - c->radius_a - c->radius_b;
		q->approach = Dot(m->normal, RelativeVelocity(a, b, p->ra, p->rb));
		q->normal_mass = inverse > 0.0f ? 1.0f / inverse : 0.0f;
		q->lever = Length(Sub(p->rb, c->friction_rb));
		if (q->approach < -RESTITUTION_THRESHOLD && m->count > 1)
			c->rounds = LANDING_ROUNDS;
	}
}

static void PrepareRange(void *context, int begin, int end, int worker)
{
	(void)worker;
	for (int i = begin; i < end; i++)
		PrepareOne(context, i);
}

void Solver_Prepare(SolverStep *step)
{
	TaskPool_For(step->dynamics->tasks, step->constraint_count, 64, PrepareRange, step);
}

/* ---- results
 * ---------------------------------------------------------------------------------------------------------------- */

/* A soft contact gives way to a load: a tower would sink by the sum. The depth that stays is therefore added, slowly,
 * to what is pushed against, until a steady load stands at depth 0 (integral action). One value a manifold, from the
 * mean of its points: corrected point by point, a tower would begin to sway. */
static float Lift(const SolverStep *step, const ContactConstraint *c)
{
	float sum = 0.0f;
	int bearing = 0;
	for (int k = 0; k < c->count; k++) {
		if (c->points[k].impulse <= 0.0f)
			continue;
		sum += Constraint_Separation(&step->bodies[c->a], &step->bodies[c->b], c, &c->points[k]);
		bearing++;
	}
	if (bearing == 0)
		return 0.0f;
	float mean = Clamp(sum / (float)bearing, -SLOP, SLOP);
	return Clamp(c->lift + LIFT_RATE * step->dt * mean, -LIFT_LIMIT, 0.0f);
}

static void StoreImpulses(SolverStep *step)
{
	for (int i = 0; i < step->constraint_count; i++) {
		const ContactConstraint *c = &step->constraints[i];
		StoredManifold *m = c->store;
		m->friction_impulse = Add(Scale(c->tangent_impulse[0], c->tangent1), Scale(c->tangent_impulse[1], c->tangent2));
		m->twist_impulse = c->twist_impulse;
		m->lift = Lift(step, c);
		m->rolling_impulse = c->rolling_impulse;
		for (int k = 0; k < c->count; k++) {
			m->points[k].impulse = c->points[k].impulse;
			m->points[k].total = c->points[k].total;
			m->points[k].approach = c->points[k].approach;
		}
	}
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

void Solver_Scatter(SolverStep *step)
{
	StoreImpulses(step);
	for (int i = 1; i < step->body_count; i++)
		ScatterBody(step->dynamics, &step->bodies[i], step->dt);
}
