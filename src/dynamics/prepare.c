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
	Dynamics *d = step->dynamics;
	Body *body = &d->bodies.data[slot];
	SolverBody *s = &step->bodies[index];
	bool watched = Solver_IsWatched(step, index);
	*s = (SolverBody){.velocity = watched ? body->drift : body->velocity,
	                  .angular_velocity = watched ? body->drift_angular : body->angular_velocity,
	                  .shift = watched ? body->give : V3(0.0f, 0.0f, 0.0f),
	                  .turn = watched ? body->give_turn : QuatIdentity(),
	                  .inverse_mass = body->inverse_mass,
	                  .body = slot};
	bool moves = body->inverse_mass > 0.0f, tumbles = Body_Tumbles(body);
	if (!watched && body->load > 0.0f)
		body->load = 0.0f; /* found anew (stiff.c) */
	/* a ball's inertia is the same from all sides */
	s->inverse_inertia = tumbles ? WorldInertia(body->inverse_inertia, body->pose.q) : body->inverse_inertia;
	step->forces[index] = (SolverForce){.speed_limit = MAX_SPEED, .spins = moves && tumbles, .jammed = body->jammed};
	if (watched && body->wet) /* water bears what it bore when it fell asleep, since neither has moved */
		return;
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
	const Dynamics *d = step->dynamics;
	for (int i = begin; i < end; i++) {
		if (i + FETCH_AHEAD < end)
			Fetch(&d->bodies.data[d->awake.data[i + FETCH_AHEAD]], offsetof(Body, contact_count));
		GatherBody(step, i + 1, d->awake.data[i]);
	}
}

/* Of its centre, but of any point of what drives others. */
static float DrivingSpeed(const SolverStep *step, int body)
{
	const SolverBody *s = &step->bodies[body];
	return s->inverse_mass > 0.0f || body == 0 ? Length(s->velocity) : step->dynamics->bodies.data[s->body].reach_speed;
}

/* Many bodies in one place would push each other apart by the sum of their contacts' speeds. So each of them shares its
 * speed of push-out among its deep contacts; and from when it was deep in several, or buried, until it is clear of all,
 * it gets no faster than that speed, or than it and what it overlaps with were before. */
static void CountDeep(const SolverStep *step, const ConstraintSource *s, bool deep)
{
	int sides[2] = {s->a, s->b};
	float fastest = Max(PUSH_OUT_SPEED, Max(DrivingSpeed(step, s->a), DrivingSpeed(step, s->b)));
	for (int i = 0; i < 2; i++) {
		if (sides[i] == 0)
			continue;
		step->deep[sides[i]] += deep;
		step->forces[sides[i]].overlap_speed = Max(step->forces[sides[i]].overlap_speed, fastest);
	}
}

/* Ground that is filled, or a press, can lock bodies in so that their overlap is pushed at with a thousand times their
 * weight. Once a way opens, what was locked in would shoot out of it: it is jammed, too. */
static void CountLocked(SolverStep *step, const ConstraintSource *s, const StoredManifold *m)
{
	int sides[2] = {s->a, s->b};
	float impulse = 0.0f;
	for (int k = 0; k < m->count; k++)
		impulse += m->points[k].impulse;
	for (int i = 0; i < 2; i++) {
		const SolverBody *body = &step->bodies[sides[i]];
		if (impulse * body->inverse_mass > LOCKED_PUSH * step->h)
			step->dynamics->bodies.data[body->body].jammed = step->forces[sides[i]].jammed = true;
	}
}

static void HoldJammed(SolverStep *step)
{
	for (int i = 1; i < step->body_count; i++) {
		SolverForce *force = &step->forces[i];
		bool jammed = force->overlap_speed > 0.0f && (force->jammed || step->deep[i] >= JAMMED_IN);
		if (jammed)
			force->speed_limit = force->overlap_speed + step->dt * Length(force->acceleration);
		if (jammed != force->jammed)
			step->dynamics->bodies.data[step->bodies[i].body].jammed = jammed;
	}
}

/* TOUCH_... of a manifold in the step. */
static unsigned TouchOf(const StoredManifold *m)
{
	unsigned touch = 0;
	for (int k = 0; k < m->count; k++) {
		const StoredPoint *p = &m->points[k];
		bool pushed = p->total > 0.0f;
		touch |= pushed || p->separation <= SLOP ? TOUCH_NEAR : 0;
		touch |= pushed || p->separation <= SPECULATIVE_DISTANCE ? TOUCH_LOOSE : 0;
		touch |= pushed && p->approach < -RESTITUTION_THRESHOLD ? TOUCH_BLOW : 0;
	}
	return touch;
}

static void NoteTouch(Contact *c, StoredManifold *m)
{
	m->touch = (uint8_t)TouchOf(m);
	if (c->count == 1) {
		c->touch = m->touch;
		c->points = (uint8_t)m->count;
	}
}

/* A contact that is not solved, since neither side moves by it. */
static void PassOver(Dynamics *d, Contact *c)
{
	for (int i = 0; i < c->count; i++) {
		StoredManifold *m = &d->manifolds.data[c->first + i];
		for (int k = 0; k < m->count; k++)
			m->points[k].total = 0.0f;
		NoteTouch(c, m);
	}
}

static void GatherContact(SolverStep *step, int contact)
{
	Dynamics *d = step->dynamics;
	Contact *c = &d->contacts.data[contact];
	if (c->count == 0)
		return;
	int a = Solver_Index(d, c->body_a), b = Solver_Index(d, c->body_b);
	if (step->bodies[a].inverse_mass == 0.0f && step->bodies[b].inverse_mass == 0.0f) {
		PassOver(d, c);
		return;
	}
	step->forces[a].touched = step->forces[b].touched = true;
	for (int k = 0; k < c->count; k++) {
		ConstraintSource *source = &step->sources[step->constraint_count++];
		const StoredManifold *m = Contact_Manifold(d, c, k);
		*source = (ConstraintSource){contact, k, a, b, 0.0f, (uint8_t)m->count, m->rolling > 0.0f, m->haste != 0};
		if (m->deep) {
			CountDeep(step, source, m->deep > 1);
			CountLocked(step, source, m);
		}
		if (Manifold_IsBuried(m))
			d->bodies.data[c->body_b].jammed = step->forces[b].jammed = true;
	}
}

/* Contacts of watched sleepers with what does not move, or with one another: their manifolds are as they were when the
 * later of the two fell asleep. Of two that are watched the earlier gives the contact. */
static bool IsWatchedContact(const Dynamics *d, const Body *body, int link)
{
	const Contact *c = &d->contacts.data[link >> 1];
	int other = (link & 1) ? c->body_a : c->body_b;
	int place = other == NONE ? NONE : d->bodies.data[other].watch_place;
	return c->awake_place == NONE && (place == NONE || place > body->watch_place);
}

static int CountWatchedManifolds(const Dynamics *d)
{
	int count = 0;
	for (int i = 0; i < d->watched.count; i++) {
		const Body *body = &d->bodies.data[d->watched.data[i]];
		for (int link = body->contacts; link != NONE; link = d->contacts.data[link >> 1].link[link & 1].next)
			if (IsWatchedContact(d, body, link))
				count += d->contacts.data[link >> 1].count;
	}
	return count;
}

static void GatherSources(SolverStep *step)
{
	Dynamics *d = step->dynamics;
	step->constraint_count = 0;
	for (int i = 0; i < d->awake_contacts.count; i++)
		if (Awake_Matters(d, i))
			GatherContact(step, (int)(Awake_WholeContact(d, i) - d->contacts.data));
	for (int i = 0; i < d->watched.count; i++) {
		const Body *body = &d->bodies.data[d->watched.data[i]];
		for (int link = body->contacts; link != NONE; link = d->contacts.data[link >> 1].link[link & 1].next)
			if (IsWatchedContact(d, body, link))
				GatherContact(step, link >> 1);
	}
}

#define FEW_SLEEP 8 /* one body in so many is awake, at least */

/* Solver_Index of all bodies, side by side. */
static void ListIndices(Dynamics *d)
{
	d->solver_index = NULL;
	if (d->awake.count < d->bodies.count / FEW_SLEEP)
		return;
	int *index = Arena_Array(&d->arena, int, d->bodies.count);
	if (!index) /* then each is asked */
		return;
	memset(index, 0, sizeof *index * (size_t)d->bodies.count);
	for (int i = 0; i < d->awake.count; i++)
		index[d->awake.data[i]] = i + 1;
	for (int i = 0; i < d->watched.count; i++)
		index[d->watched.data[i]] = d->awake.count + 1 + i;
	d->solver_index = index;
}

bool Solver_Gather(SolverStep *step)
{
	Dynamics *d = step->dynamics;
	ListIndices(d);
	step->awake_count = d->awake.count;
	step->body_count = d->awake.count + d->watched.count + 1;
	step->bodies = Arena_Array(&d->arena, SolverBody, step->body_count);
	step->forces = Arena_Array(&d->arena, SolverForce, step->body_count);
	step->deep = Arena_Array(&d->arena, int, step->body_count);
	int count = CountWatchedManifolds(d);
	for (int i = 0; i < d->awake_contacts.count; i++)
		if (Awake_Matters(d, i))
			count += d->contacts.data[d->awake_contacts.data[i]].count;
	step->sources = Arena_Array(&d->arena, ConstraintSource, count);
	if (!step->bodies || !step->forces || !step->deep || !step->sources)
		return false;
	step->bodies[0] = (SolverBody){.turn = QuatIdentity(), .body = NONE};
	step->forces[0] = (SolverForce){.speed_limit = MAX_SPEED};
	memset(step->deep, 0, sizeof *step->deep * (size_t)step->body_count);
	TaskPool_For(d->tasks, d->awake.count, 256, GatherBodies, step);
	for (int i = 0; i < d->watched.count; i++)
		GatherBody(step, d->awake.count + 1 + i, d->watched.data[i]);
	GatherSources(step);
	HoldJammed(step);
	return true;
}

/* ---- constraints ------------------------------------------------------------------------------------------------- */

static void SetLane3(Lanes3 *to, int lane, Vec3 v)
{
	to->x[lane] = v.x;
	to->y[lane] = v.y;
	to->z[lane] = v.z;
}

void WideRolling_Weigh(WideRolling *r, int lane, const SolverBody *a, const SolverBody *b)
{
	Mat3 mass = MatInverse(MatAdd(a->inverse_inertia, b->inverse_inertia));
	float entries[6] = {mass.cx.x, mass.cx.y, mass.cx.z, mass.cy.y, mass.cy.z, mass.cz.z};
	for (int i = 0; i < 6; i++)
		r->mass[i][lane] = entries[i];
}

static void PrepareRolling(SolverStep *step, int group, int lane, const StoredManifold *m, const SolverBody *a,
                           const SolverBody *b, float sign)
{
	WideContact *c = Step_Group(step, group);
	if (m->rolling <= 0.0f)
		return;
	if (!c->rolling) {
		c->rolling = &step->rolling[group - step->first_group];
		memset(c->rolling, 0, sizeof *c->rolling);
	}
	WideRolling *r = c->rolling;
	WideRolling_Weigh(r, lane, a, b);
	r->limit[lane] = m->rolling;
	SetLane3(&r->impulse, lane, Scale(sign, m->rolling_impulse));
}

/* `shift`: from the centre that arms are stored from to that of the constraint's B. */
static void FillPoints(WideContact *c, int lane, const StoredManifold *m, Vec3 shift)
{
	for (int k = 0; k < m->count; k++) {
		const StoredPoint *from = &m->points[k];
		WidePoint *to = &c->point[k];
		SetLane3(&to->arm, lane, Sub(from->rb, shift));
		to->separation[lane] = from->separation;
		to->impulse[lane] = from->impulse;
	}
}

/* ---- what bears a watched sleeper -------------------------------------------------------------------------------- */

/* A sleeper that is not watched is taken for immovable. What a watched one lies on of that kind only bears: a spring
 * would be another than that by which the two hold each other. */
#define WATCHED_GAP 0.0005f /* m: what is farther off does not bear */
static const Softness bearing = {.bias_rate = 0.0f, .mass_scale = 1.0f, .impulse_scale = 0.0f};

static bool IsUnwatched(const Dynamics *d, int slot)
{
	const Body *body = slot == NONE ? NULL : &d->bodies.data[slot];
	return body && body->motion == MOTION_DYNAMIC && body->awake_place == NONE && body->watch_place == NONE;
}

static bool IsBorne(const SolverStep *step, const ConstraintSource *s)
{
	const Dynamics *d = step->dynamics;
	const Contact *c = &d->contacts.data[s->contact];
	return (s->a == 0 && IsUnwatched(d, c->body_a)) || (s->b == 0 && IsUnwatched(d, c->body_b));
}

/* m by which a side's give moves a point along the manifold's normal. */
static float GiveOf(const Dynamics *d, int slot, Vec3 arm, Vec3 normal)
{
	if (slot == NONE)
		return 0.0f;
	const Body *body = &d->bodies.data[slot];
	return Dot(normal, Add(body->give, Cross(QuatSmallTurn(body->give_turn), arm)));
}

/* m by which a point has opened since its sleepers fell asleep; *moving: of it by the side that is solved for. */
static float OpenedBy(const SolverStep *step, const ConstraintSource *s, const StoredPoint *p, float *moving)
{
	const Dynamics *d = step->dynamics;
	const Contact *c = &d->contacts.data[s->contact];
	Vec3 normal = Source_Manifold(step, s)->normal;
	float a = -GiveOf(d, c->body_a, Sub(p->rb, c->between), normal), b = GiveOf(d, c->body_b, p->rb, normal);
	*moving = (s->a != 0 ? a : 0.0f) + (s->b != 0 ? b : 0.0f);
	return a + b;
}

/* It bears where it bore at first: what was lifted comes down again as far, and no point is pushed out. */
static float BorneSeparation(const SolverStep *step, const ConstraintSource *s, const StoredPoint *p)
{
	float moving, opened = OpenedBy(step, s, p, &moving);
	return Max(Max(p->separation - WATCHED_GAP, 0.0f) + opened, 0.0f) - moving;
}

static Softness SoftnessOf(const SolverStep *step, bool fixed, float load)
{
	if (load <= 1.0f)
		return fixed ? step->fixed_softness : step->moving_softness;
	float rate = 0.25f * step->inverse_h; /* no spring faster than the substeps can follow */
	return fixed ? Softness_Make(Min(STATIC_HERTZ, rate), STATIC_RATIO, step->h, load)
	             : Softness_Make(Min(CONTACT_HERTZ, rate), CONTACT_RATIO, step->h, load);
}

/* The manifold as the constraint has it: what cannot move is A. */
static void FillManifold(WideContact *c, int lane, const Contact *contact, const StoredManifold *m, bool turned)
{
	float sign = turned ? -1.0f : 1.0f;
	SetLane3(&c->normal, lane, Scale(sign, m->normal));
	SetLane3(&c->between, lane, m->haste ? Sub(m->points[0].rb, m->points[0].made_rb) : Scale(sign, contact->between));
	SetLane3(&c->friction_impulse, lane, Scale(sign, m->friction_impulse));
	c->radius_a[lane] = turned ? m->radius_b : m->radius_a;
	c->radius_b[lane] = turned ? m->radius_a : m->radius_b;
	FillPoints(c, lane, m, turned ? contact->between : V3(0.0f, 0.0f, 0.0f));
}

static void FillLane(SolverStep *step, int group, int lane, const ConstraintSource *source)
{
	WideContact *c = Step_Group(step, group);
	const StoredManifold *m = Source_Manifold(step, source);
	bool turned = step->bodies[source->b].inverse_mass == 0.0f && !m->haste; /* what is followed stays as it is */
	int body_a = turned ? source->b : source->a, body_b = turned ? source->a : source->b;
	const SolverBody *a = &step->bodies[body_a], *b = &step->bodies[body_b];
	bool borne = IsBorne(step, source);
	Softness soft =
	    borne ? bearing : SoftnessOf(step, a->inverse_mass == 0.0f || b->inverse_mass == 0.0f, source->load);
	c->a[lane] = body_a;
	c->b[lane] = body_b;
	c->move_a |= (uint8_t)((a->inverse_mass > 0.0f) << lane);
	c->move_b |= (uint8_t)((b->inverse_mass > 0.0f) << lane);
	c->points = (uint8_t)Int_Max(c->points, m->count);
	c->count[lane] = (float)m->count;
	c->rounds_of[lane] = 1.0f;
	c->meets[lane] = m->haste ? 0.0f : 1.0f;
	c->friction[lane] = m->friction;
	c->twist_impulse[lane] = m->twist_impulse;
	c->bias_rate[lane] = soft.bias_rate;
	c->mass_scale[lane] = soft.mass_scale;
	c->impulse_scale[lane] = soft.impulse_scale;
	c->push_out[lane] = PUSH_OUT_SPEED / (float)Int_Max(1, Int_Max(step->deep[body_a], step->deep[body_b]));
	c->lift[lane] = m->lift;
	FillManifold(c, lane, &step->dynamics->contacts.data[source->contact], m, turned);
	for (int k = 0; k < m->count && borne; k++)
		c->point[k].separation[lane] = BorneSeparation(step, source, &m->points[k]);
	PrepareRolling(step, group, lane, m, a, b, turned ? -1.0f : 1.0f);
}

/* Which lanes land so hard that their points must be solved against each other, and which bounce. */
static void MarkLandings(SolverStep *step, int group)
{
	WideContact *c = Step_Group(step, group);
	for (int lane = 0; lane < step->lanes[group].count; lane++) {
		const StoredManifold *m = Source_Manifold(step, &step->sources[step->lanes[group].first + lane]);
		bool lands = false;
		for (int k = 0; k < m->count; k++)
			lands = lands || c->approach[k][lane] < -RESTITUTION_THRESHOLD;
		if (!lands)
			continue;
		if (m->count > 1) {
			c->rounds_of[lane] = LANDING_ROUNDS;
			c->rounds = LANDING_ROUNDS;
		}
		if (m->restitution > 0.0f)
			c->bounces |= (uint8_t)(1 << lane);
		else if (!m->haste)
			c->lands |= (uint8_t)(1 << lane);
	}
}

/* Manifolds lie about in the order of contacts, the groups are in that of colours. Those of the next group, and of the
 * one after it the contacts, which say where its manifolds are. */
static void FetchGroups(const SolverStep *step, int group, int end)
{
	const Contact *contacts = step->dynamics->contacts.data;
	if (group < end)
		for (int k = 0; k < step->lanes[group].count; k++)
			Fetch(Source_Manifold(step, &step->sources[step->lanes[group].first + k]), sizeof(StoredManifold));
	if (group + 1 < end)
		for (int k = 0; k < step->lanes[group + 1].count; k++)
			Fetch(&contacts[step->sources[step->lanes[group + 1].first + k].contact], 64);
}

void Solver_PrepareGroups(SolverStep *step, int begin, int end)
{
	for (int i = begin; i < end; i++) {
		FetchGroups(step, i + 1, end);
		WideContact *c = Step_Group(step, i);
		memset(c, 0, sizeof *c);
		c->rounds = 1;
		for (int k = 0; k < step->lanes[i].count; k++)
			FillLane(step, i, k, &step->sources[step->lanes[i].first + k]);
		step->dynamics->kernel->run(step, PASS_PREPARE, c, 1);
		MarkLandings(step, i);
	}
}

void Solver_ChooseSoftness(SolverStep *step)
{
	float rate = 0.25f * step->inverse_h; /* no spring faster than the substeps can follow */
	step->fixed_softness = Softness_Make(Min(STATIC_HERTZ, rate), STATIC_RATIO, step->h, 1.0f);
	step->moving_softness = Softness_Make(Min(CONTACT_HERTZ, rate), CONTACT_RATIO, step->h, 1.0f);
}

/* ---- results ----------------------------------------------------------------------------------------------------- */

static Vec3 Lane3(const Lanes3 *from, int lane)
{
	return V3(from->x[lane], from->y[lane], from->z[lane]);
}

/* m/s that an impulse of 1 N s along a direction gives to this point of a body in it. */
static float Yielding(const Dynamics *d, int slot, Vec3 arm, Vec3 direction)
{
	const Body *body = slot == NONE ? NULL : &d->bodies.data[slot];
	if (!body || body->inverse_mass == 0.0f)
		return 0.0f;
	Vec3 lever = Cross(arm, direction);
	return body->inverse_mass + Dot(lever, MatMulV(WorldInertia(body->inverse_inertia, body->pose.q), lever));
}

/* m that a point's spring gives way for 1 N s a substep. */
static float Compliance(const SolverStep *step, const Contact *c, const StoredManifold *m, const StoredPoint *p,
                        float load)
{
	const Dynamics *d = step->dynamics;
	float a = Yielding(d, c->body_a, Sub(p->rb, c->between), m->normal), b = Yielding(d, c->body_b, p->rb, m->normal);
	Softness soft = SoftnessOf(step, a == 0.0f || b == 0.0f, load);
	return (a + b) * soft.impulse_scale / (soft.mass_scale * soft.bias_rate);
}

/* What a watched sleeper's contact bears may become another than what its springs held. The lift goes with it, so that
 * they hold that as deep as they are, and the sleeper is in balance when it wakes. It follows what changes, since they
 * may be stiffer than they seem, but not below what they need if they are not. */
static float RestLift(const SolverStep *step, const WideContact *c, int lane, const ConstraintSource *source)
{
	const Contact *contact = &step->dynamics->contacts.data[source->contact];
	const StoredManifold *m = Source_Manifold(step, source);
	float rest = 0.0f, change = 0.0f, points = 0.0f;
	bool bore = false;
	for (int k = 0; k < m->count; k++) {
		const StoredPoint *p = &m->points[k];
		float impulse = c->point[k].impulse[lane];
		if (impulse <= 0.0f && p->impulse <= 0.0f)
			continue;
		float compliance = Compliance(step, contact, m, p, source->load);
		bore = bore || p->impulse > 0.0f;
		change -= compliance * (impulse - p->impulse);
		if (impulse <= 0.0f)
			continue;
		float moving;
		rest -= compliance * impulse + p->separation + OpenedBy(step, source, p, &moving);
		points += 1.0f;
	}
	if (points == 0.0f)
		return m->lift;
	rest /= points;
	if (bore && source->load <= 1.0f)
		rest = Max(rest, m->lift + change / points);
	return Max(Min(rest, 0.0f), -LIFT_LIMIT);
}

static void StoreLane(const SolverStep *step, const WideContact *c, int lane, const ConstraintSource *source)
{
	Dynamics *d = step->dynamics;
	Contact *contact = &d->contacts.data[source->contact];
	StoredManifold *m = &d->manifolds.data[contact->first + source->manifold];
	float sign = c->a[lane] == source->a ? 1.0f : -1.0f;
	m->friction_impulse = Scale(sign, Lane3(&c->friction_impulse, lane));
	m->twist_impulse = c->twist_impulse[lane];
	m->lift = IsBorne(step, source) ? RestLift(step, c, lane, source) : c->lift[lane];
	if (c->rolling)
		m->rolling_impulse = Scale(sign, Lane3(&c->rolling->impulse, lane));
	for (int k = 0; k < m->count; k++) {
		m->points[k].impulse = c->point[k].impulse[lane];
		m->points[k].total = c->point[k].total[lane];
		m->points[k].approach = c->approach[k][lane];
	}
	NoteTouch(contact, m);
}

void Solver_StoreGroups(const SolverStep *step, int begin, int end)
{
	for (int i = begin; i < end; i++) {
		FetchGroups(step, i + 1, end);
		step->dynamics->kernel->run(step, PASS_FINISH, Step_Group(step, i), 1);
		for (int k = 0; k < step->lanes[i].count; k++)
			StoreLane(step, Step_Group(step, i), k, &step->sources[step->lanes[i].first + k]);
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

/* Numbers out of all bounds (of a forged file, say) are not passed on: the body keeps its place and stops. */
static void KeepSound(SolverBody *s)
{
	float sum = LengthSq(s->velocity) + LengthSq(s->angular_velocity) + LengthSq(s->shift) + s->turn.x * s->turn.x +
	            s->turn.y * s->turn.y + s->turn.z * s->turn.z + s->turn.w * s->turn.w;
	if (sum < 1e30f)
		return;
	s->velocity = s->angular_velocity = s->shift = V3(0.0f, 0.0f, 0.0f);
	s->turn = QuatIdentity();
}

static void ScatterBody(Dynamics *d, const SolverBody *s, const SolverForce *force, float dt)
{
	Body *body = &d->bodies.data[s->body];
	if (force->touched)
		body->spin.holds = false;
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

void Solver_StoreBodies(const SolverStep *step, const int *bodies, int count)
{
	const Dynamics *d = step->dynamics;
	Integrate_HoldSpeeds(step, bodies, count);
	for (int i = 0; i < count; i++) {
		SolverBody *s = &step->bodies[bodies[i]];
		if (i + FETCH_AHEAD < count)
			Fetch(&d->bodies.data[step->bodies[bodies[i + FETCH_AHEAD]].body], offsetof(Body, drive_time));
		KeepSound(s);
		if (!Solver_IsWatched(step, bodies[i])) {
			ScatterBody(step->dynamics, s, &step->forces[bodies[i]], step->dt);
			continue;
		}
		d->bodies.data[s->body].drift = s->velocity;
		d->bodies.data[s->body].drift_angular = s->angular_velocity;
		d->bodies.data[s->body].give = s->shift;
		d->bodies.data[s->body].give_turn = QuatNormalize(s->turn);
	}
}
