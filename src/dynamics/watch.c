/* Checking: sleepers beside something awake, and those to which a change of load is passed on.
 *
 * A watched sleeper stays where it is, but its velocity is solved for like that of the awake, starting with the
 * impulses that it fell asleep with. As long as its contacts and joints can hold it, what comes out is next to nothing,
 * however great the load: it sleeps on. When they cannot, the velocity grows from step to step until it wakes the
 * sleeper, which then goes on with it. So what wakes is what Newton's first law says.
 *
 * Contacts and joints are springs: under another load they give way by a fraction of a millimetre, and spring back when
 * it is gone. That is kept beside the place (Body.give), so that a tower whose foot sleeps sways like one that is
 * awake; it is added to the place when the sleeper wakes. */
#include "dynamics/sleep_internal.h"

/* ---- forces ------------------------------------------------------------------------------------------------------ */

/* On B. */
static Vec3 ContactForce(const Dynamics *d, const Contact *c)
{
	Vec3 sum = {0.0f, 0.0f, 0.0f};
	for (int i = 0; i < c->count; i++) {
		const StoredManifold *m = Contact_Manifold(d, c, i);
		for (int k = 0; k < m->count; k++)
			sum = MulAdd(sum, m->points[k].total, m->normal);
		sum = MulAdd(sum, (float)d->substeps, m->friction_impulse);
	}
	return Scale(d->inverse_dt, sum);
}

static Vec3 JointForce(const Dynamics *d, const Joint *j)
{
	return Scale(d->inverse_dt, j->total_linear);
}

Vec3 Neighbour_Force(const Dynamics *d, const NeighbourWalk *walk)
{
	bool is_b = walk->contact != NONE ? d->contacts.data[walk->contact].body_b == walk->body
	                                  : d->joints.data[walk->joint].body_b == walk->body;
	Vec3 force = walk->contact != NONE ? ContactForce(d, &d->contacts.data[walk->contact])
	                                   : JointForce(d, &d->joints.data[walk->joint]);
	return is_b ? force : Neg(force);
}

/* ---- who is watched ---------------------------------------------------------------------------------------------- */

static bool IsSleeper(const Dynamics *d, int slot)
{
	return slot != NONE && d->bodies.data[slot].motion == MOTION_DYNAMIC && !Body_IsAwake(&d->bodies.data[slot]) &&
	       slot != d->dying;
}

bool Watch_Add(Dynamics *d, int slot)
{
	Body *body = &d->bodies.data[slot];
	if (body->watch_place != NONE)
		return true;
	if (!Array_Push(d->memory, d->watched, slot))
		return false;
	body->watch_place = d->watched.count - 1;
	return true;
}

static bool WatchBeside(Dynamics *d, int slot)
{
	if (!IsSleeper(d, slot))
		return true;
	d->bodies.data[slot].watch_time = 0.0f;
	return Watch_Add(d, slot);
}

static bool AddBesideAwake(Dynamics *d)
{
	if (d->sleepers == 0)
		return true;
	for (int i = 0; i < d->awake_contacts.count; i++) {
		if (!Awake_Matters(d, i))
			continue;
		const Contact *c = &d->contacts.data[d->awake_contacts.data[i]];
		if (c->count == 0 || c->body_a == NONE)
			continue;
		if (!WatchBeside(d, c->body_a) || !WatchBeside(d, c->body_b))
			return false;
	}
	for (int i = 0; i < d->awake.count && d->holding_joints > 0; i++)
		for (int cursor = NONE, joint; (joint = Body_NextJoint(d, d->awake.data[i], false, &cursor)) != NONE;) {
			const Joint *j = &d->joints.data[joint];
			int other = j->body_a == d->awake.data[i] ? j->body_b : j->body_a;
			if (!WatchBeside(d, other))
				return false;
		}
	return true;
}

/* For a sleep time more: what lost a part of its support with its last neighbour that moved gives way only slowly. */
static bool AddLingering(Dynamics *d, const int *before, int count, float dt)
{
	for (int i = 0; i < count; i++) {
		Body *body = &d->bodies.data[before[i]];
		if (body->watch_place != NONE || !IsSleeper(d, before[i]))
			continue;
		body->watch_time += dt;
		if (body->watch_time < d->sleep.time && !Watch_Add(d, before[i]))
			return false;
	}
	return true;
}

/* Does the neighbour feel another load than the one that it sleeps with? */
static bool IsNews(const Dynamics *d, const NeighbourWalk *n)
{
	Vec3 change = n->contact != NONE
	                  ? Sub(ContactForce(d, &d->contacts.data[n->contact]), d->contacts.data[n->contact].rest)
	                  : Sub(JointForce(d, &d->joints.data[n->joint]), d->joints.data[n->joint].rest);
	float limit = WATCH_CHANGE * d->bodies.data[n->body].mass;
	return LengthSq(change) > limit * limit;
}

/* The list is the queue. What is not solved for does not change, so a load goes on by one body a step. Through joints
 * it goes on at once: they hold both ways, and one end that is taken for immovable would take the load off the other.
 */
static bool AddLoaded(Dynamics *d)
{
	for (int i = 0; i < d->watched.count; i++) {
		NeighbourWalk walk = Neighbour_Start(d, d->watched.data[i]);
		while (Neighbour_Next(d, &walk))
			if (IsSleeper(d, walk.body) && d->bodies.data[walk.body].watch_place == NONE &&
			    (walk.joint != NONE || IsNews(d, &walk)) && !Watch_Add(d, walk.body))
				return false;
	}
	return true;
}

void Watch_Remember(Dynamics *d, int slot)
{
	NeighbourWalk walk = Neighbour_Start(d, slot);
	while (Neighbour_Next(d, &walk))
		if (walk.contact != NONE)
			d->contacts.data[walk.contact].rest = ContactForce(d, &d->contacts.data[walk.contact]);
		else
			d->joints.data[walk.joint].rest = JointForce(d, &d->joints.data[walk.joint]);
}

static void ForgetDrift(Body *body)
{
	body->watch_time = 0.0f;
	body->drift = body->drift_angular = body->mean_drift = body->mean_drift_angular = V3(0.0f, 0.0f, 0.0f);
}

static void Leave(Dynamics *d, int slot)
{
	Body *body = &d->bodies.data[slot];
	ForgetDrift(body);
	if (!IsSleeper(d, slot))
		return;
	body->tries = 0;
	Watch_Remember(d, slot);
}

bool Watch_Update(Dynamics *d, float dt)
{
	int count = d->watched.count;
	int *before = Arena_Array(&d->arena, int, count);
	if (!before)
		return false;
	d->inverse_dt = 1.0f / dt;
	for (int i = 0; i < count; i++) {
		before[i] = d->watched.data[i];
		d->bodies.data[before[i]].watch_place = NONE;
	}
	d->watched.count = 0;
	bool ok = AddBesideAwake(d) && AddLingering(d, before, count, dt) && Watch_AddStruck(d, dt) && AddLoaded(d);
	for (int i = 0; i < count; i++)
		if (d->bodies.data[before[i]].watch_place == NONE)
			Leave(d, before[i]);
	return ok;
}

void Watch_Drop(Dynamics *d, int slot)
{
	Body *body = &d->bodies.data[slot];
	ForgetDrift(body);
	if (body->watch_place == NONE)
		return;
	int last = d->watched.data[--d->watched.count];
	d->watched.data[body->watch_place] = last;
	d->bodies.data[last].watch_place = body->watch_place;
	body->watch_place = NONE;
}

/* ---- who wakes --------------------------------------------------------------------------------------------------- */

/* Does anything hold it that does not move itself? */
static bool IsHeld(const Dynamics *d, int slot)
{
	NeighbourWalk walk = Neighbour_Start(d, slot);
	while (Neighbour_Next(d, &walk))
		if (walk.body == NONE || !Body_IsAwake(&d->bodies.data[walk.body]))
			return true;
	return false;
}

float Watch_Limit(const Dynamics *d, const Body *body)
{
	return body->limits.wake >= 0.0f ? body->limits.wake : d->sleep.wake;
}

/* Farther than what its contacts were made for? */
static bool HasGivenWay(const Body *body)
{
	float turn = Length(QuatSmallTurn(body->give_turn)) * body->outer_radius;
	return Length(body->give) > GIVE_LIMIT || turn > GIVE_LIMIT;
}

static float SpeedOf(const Body *body, Vec3 velocity, Vec3 angular)
{
	return Max(Length(velocity), Length(angular) * body->outer_radius);
}

/* A sleeper that gives way only slowly does so in the mean, in which shaking cancels. */
static float MeanDrift(const Dynamics *d, Body *body)
{
	float share = Min(1.0f / (d->inverse_dt * DRIFT_MEAN), 1.0f);
	body->mean_drift = MulAdd(body->mean_drift, share, Sub(body->drift, body->mean_drift));
	body->mean_drift_angular =
	    MulAdd(body->mean_drift_angular, share, Sub(body->drift_angular, body->mean_drift_angular));
	return SpeedOf(body, body->mean_drift, body->mean_drift_angular);
}

bool Watch_WakeMoving(Dynamics *d)
{
	for (int i = d->watched.count - 1; i >= 0; i--) {
		if (i >= d->watched.count) /* others woke with one */
			continue;
		int slot = d->watched.data[i];
		Body *body = &d->bodies.data[slot];
		float speed = SpeedOf(body, body->drift, body->drift_angular), mean = MeanDrift(d, body);
		float limit = Watch_Limit(d, body);
		float slowly = DRIFT_SPEED * (float)(1 << body->tries); /* more, where it was woken before and stayed */
		bool moves = speed > limit || (!body->firm && mean > Min(slowly, limit)) || HasGivenWay(body);
		if (!moves && (speed <= FREE_SLEEP_SPEED || IsHeld(d, slot)))
			continue;
		Vec3 velocity = body->drift, angular = body->drift_angular;
		float rest = Min(body->slow_time, KEPT_REST * d->sleep.time);
		int tries = Int_Min(body->tries + 1, TRIES_LIMIT), first = d->awake.count;
		if (!Sleep_Wake(d, slot, "load changed"))
			return false;
		if (d->sleep.rule == SLEEP_BY_IMPULSE && !Sleep_WakeJoined(d, first, false, "load changed"))
			return false;
		for (int k = first; k < d->awake.count; k++)
			d->bodies.data[d->awake.data[k]].tries = (uint8_t)tries;
		body->velocity = velocity;
		body->angular_velocity = angular;
		body->slow_time = rest;
	}
	return true;
}
