/* Waking. An assembly wakes by itself; what rested on it when its support goes wakes with it, and all other neighbours
 * are watched (watch.c). Under the rule of velocities everything that touches wakes together. */
#include "dynamics/sleep_internal.h"

/* ---- one and its group ------------------------------------------------------------------------------------------- */

bool Sleep_CanWake(const Dynamics *d, int slot)
{
	const Body *body = &d->bodies.data[slot];
	return body->motion == MOTION_DYNAMIC && !Body_IsAwake(body) && slot != d->dying;
}

/* So what wakes many either does or, where memory is short, wakes none. */
bool Dynamics_ReserveWakes(Dynamics *d, int events)
{
	int sleepers = d->bodies.count - d->awake.count;
	return Array_Reserve(d->memory, d->awake, d->bodies.count + 1) &&
	       Array_Reserve(d->memory, d->awake_contacts, 2 * d->contacts.count) &&
	       Contact_ReserveEvents(d, Int_Max(sleepers, 0) + events);
}

void Sleep_MoveContacts(Dynamics *d, int slot, Vec3 shift, Vec3 turn)
{
	for (int link = d->bodies.data[slot].contacts; link != NONE;
	     link = d->contacts.data[link >> 1].link[link & 1].next) {
		const Contact *c = &d->contacts.data[link >> 1];
		float sign = link & 1 ? 1.0f : -1.0f;
		for (int i = 0; i < c->count; i++) {
			StoredManifold *m = &d->manifolds.data[c->first + i];
			for (int k = 0; k < m->count; k++) {
				Vec3 arm = link & 1 ? m->points[k].rb : Sub(m->points[k].rb, c->between);
				m->points[k].separation += sign * Dot(m->normal, Add(shift, Cross(turn, arm)));
			}
		}
	}
}

#define TAKEN_LIMIT 0.01f /* m */

/* It goes on from where it had given way to. What a blow has just moved farther starts from its place: on that way
 * nothing has been looked for that it may meet. */
static void TakeGive(Dynamics *d, int slot)
{
	Body *body = &d->bodies.data[slot];
	Vec3 turn = QuatSmallTurn(body->give_turn);
	if (Length(body->give) <= TAKEN_LIMIT && Length(turn) * body->outer_radius <= TAKEN_LIMIT) {
		Sleep_MoveContacts(d, slot, body->give, turn);
		body->pose.p = PosAdd(body->pose.p, body->give);
		body->pose.q = QuatNormalize(QuatMul(body->give_turn, body->pose.q));
	}
	body->give = V3(0.0f, 0.0f, 0.0f);
	body->give_turn = QuatIdentity();
}

static bool WakeOne(Dynamics *d, int slot, const char *reason)
{
	if (!Contact_ReserveEvents(d, 1) || !Body_ListAwake(d, slot))
		return false;
	if (LengthSq(d->bodies.data[slot].give) > 0.0f || d->bodies.data[slot].give_turn.w != 1.0f)
		TakeGive(d, slot);
	d->bodies.data[slot].wake_reason = reason;
	d->bodies.data[slot].tries = 0;
	d->events.data[d->events.count++] =
	    (Event){.kind = EVENT_WAKE, .a = Body_Id(d, slot), .part_a = -1, .part_b = -1, .reason = reason};
	return true;
}

/* Of what was woken from this place of the awake list on, everything that touches it. The list is the queue. */
static bool WakeGroups(Dynamics *d, int first)
{
	for (int i = first; i < d->awake.count; i++) {
		NeighbourWalk walk = Neighbour_Start(d, d->awake.data[i]);
		while (Neighbour_Next(d, &walk))
			if (walk.body != NONE && Sleep_CanWake(d, walk.body) && !WakeOne(d, walk.body, "neighbour woke"))
				return false;
	}
	return true;
}

bool Sleep_WakeJoined(Dynamics *d, int first, bool welds_only, const char *reason)
{
	for (int i = first; i < d->awake.count && d->holding_joints > 0; i++)
		for (int cursor = NONE, joint; (joint = Body_NextJoint(d, d->awake.data[i], false, &cursor)) != NONE;) {
			const Joint *j = &d->joints.data[joint];
			int other = j->body_a == d->awake.data[i] ? j->body_b : j->body_a;
			if (other == NONE || !Sleep_CanWake(d, other) || (welds_only && j->type != JOINT_WELD))
				continue;
			Body *body = &d->bodies.data[other];
			Vec3 velocity = body->drift, angular = body->drift_angular;
			float rest = welds_only ? 0.0f : body->slow_time;
			if (!WakeOne(d, other, reason))
				return false;
			body->velocity = velocity;
			body->angular_velocity = angular;
			body->slow_time = Min(rest, KEPT_REST * d->sleep.time);
		}
	return true;
}

bool Sleep_Wake(Dynamics *d, int slot, const char *reason)
{
	Body *body = &d->bodies.data[slot];
	if (body->probed) { /* it sleeps, but for the list that it is in */
		body->probed = 0;
		Body_UnlistAwake(d, slot);
	}
	if (Body_IsAwake(body)) {
		body->still_time = body->slow_time = 0.0f;
		body->wake_reason = reason;
		return true;
	}
	if (!Sleep_CanWake(d, slot))
		return true;
	bool by_impulse = d->sleep.rule == SLEEP_BY_IMPULSE;
	if (by_impulse && body->joint_count == 0)
		return WakeOne(d, slot, reason);
	int first = d->awake.count;
	if (!Dynamics_ReserveWakes(d, 0) || !WakeOne(d, slot, reason))
		return false;
	return by_impulse ? Sleep_WakeJoined(d, first, true, reason) : WakeGroups(d, first);
}

/* ---- what rests on what ------------------------------------------------------------------------------------------ */

#define SUPPORT_SHARE 0.1f /* of its weight: what bears so much of a body supports it */

/* Does the neighbour bear on the body `from`: does `from` push it against gravity? */
static bool Supports(const Dynamics *d, const NeighbourWalk *n)
{
	const Body *upper = &d->bodies.data[n->body];
	float weight = upper->mass * upper->gravity_scale;
	Vec3 force = Neighbour_Force(d, n);
	float along = -Dot(force, d->gravity), gravity = LengthSq(d->gravity);
	return along * (weight > 0.0f ? 1.0f : -1.0f) > SUPPORT_SHARE * Abs(weight) * gravity;
}

static bool WakeLoads(Dynamics *d, int first)
{
	for (int i = first; i < d->awake.count; i++) {
		NeighbourWalk walk = Neighbour_Start(d, d->awake.data[i]);
		while (Neighbour_Next(d, &walk))
			if (walk.body != NONE && Sleep_CanWake(d, walk.body) && Supports(d, &walk) &&
			    !WakeOne(d, walk.body, "support moved"))
				return false;
	}
	return true;
}

bool Sleep_WakeStack(Dynamics *d, int slot, const char *reason)
{
	int first = d->awake.count;
	return Sleep_Wake(d, slot, reason) && (d->sleep.rule == SLEEP_BY_VELOCITY || WakeLoads(d, first));
}

bool Sleep_WakeNeighbours(Dynamics *d, int slot, const char *reason)
{
	NeighbourWalk walk = Neighbour_Start(d, slot);
	while (Neighbour_Next(d, &walk))
		if (walk.body != NONE && !Sleep_WakeStack(d, walk.body, reason))
			return false;
	return true;
}

/* The load that rested on a body is gone with it: impulses that carried it would throw its neighbours about. */
void Sleep_ForgetLoads(Dynamics *d, int first_place)
{
	for (int i = first_place; i < d->awake.count; i++)
		for (int link = d->bodies.data[d->awake.data[i]].contacts; link != NONE;
		     link = d->contacts.data[link >> 1].link[link & 1].next) {
			const Contact *c = &d->contacts.data[link >> 1];
			for (int m = 0; m < c->count; m++)
				for (int k = 0; k < d->manifolds.data[c->first + m].count; k++)
					d->manifolds.data[c->first + m].points[k].impulse = 0.0f;
		}
}

/* ---- the ground -------------------------------------------------------------------------------------------------- */

typedef struct WakeQuery {
	Dynamics *dynamics;
	WorldBox box;
	uint64_t *bodies; /* room for one a part */
	int count;
} WakeQuery;

static bool FindInBox(void *context, int32_t user)
{
	WakeQuery *query = context;
	Dynamics *d = query->dynamics;
	const Part *part = &d->parts.data[user];
	WorldBox box = WorldBoxGrow(Part_Box(d, part), (double)SPECULATIVE_DISTANCE);
	if (!WorldBoxOverlap(box, query->box))
		return true;
	if (part->terrain_contact != NONE)
		d->contacts.data[part->terrain_contact].made.holds = false;
	query->bodies[query->count++] = (uint64_t)part->body;
	return true;
}

/* In the order of their slots: that of the tree depends on its past. */
static bool WakeInBox(Dynamics *d, WakeQuery *query)
{
	query->count = 0;
	BoxTree_Query(&d->moving_tree, query->box, FindInBox, query);
	Sort_U64(query->bodies, query->count);
	for (int i = 0; i < query->count; i++)
		if (!Probe_Start(d, (int)query->bodies[i], "terrain changed"))
			return false;
	return true;
}

bool Dynamics_WakeChanged(Dynamics *d)
{
	int count = Terrain_ChangedCount(d->terrain);
	d->ground_version += count > 0;
	WakeQuery query = {.dynamics = d, .bodies = count > 0 ? Arena_Array(&d->arena, uint64_t, d->parts.count) : NULL};
	if (count > 0 && !query.bodies)
		return false;
	for (int i = 0; i < count; i++) {
		query.box = Terrain_ChangedBox(d->terrain, i);
		if (!WakeInBox(d, &query))
			return false;
	}
	Terrain_ClearChanged(d->terrain);
	return true;
}

/* ---- touches ----------------------------------------------------------------------------------------------------- */

/* Speed at which the two close where they will meet in this step, or do already; < 0 where they will not. Closer than
 * touching, so that neighbours with a gap that counts as none do not wake each other in turn. `slide`: of one over the
 * other there. */
static float MeetingSpeed(const Dynamics *d, const Contact *c, float dt, float *slide)
{
	/* a blow may be given a substep before they meet */
	float time = d->sleep.rule == SLEEP_BY_VELOCITY ? dt + 2.0f * dt / (float)d->substeps : dt;
	const Body *a = &d->bodies.data[c->body_a], *b = &d->bodies.data[c->body_b];
	float fastest = -1.0f;
	for (int i = 0; i < c->count; i++) {
		const StoredManifold *m = Contact_Manifold(d, c, i);
		for (int k = 0; k < m->count; k++) {
			const StoredPoint *p = &m->points[k];
			Vec3 velocity = Sub(PointVelocity(b, p->rb), PointVelocity(a, Sub(p->rb, c->between)));
			float speed = Dot(m->normal, velocity);
			if (p->separation + Min(speed, 0.0f) * time >= 0.5f * SLOP)
				continue;
			fastest = Max(fastest, Max(-speed, 0.0f));
			*slide = Max(*slide, Length(velocity));
		}
	}
	return fastest;
}

/* A blow wakes; so does anything that is driven against the sleeper. What only leans on it, or rolls over it, does not:
 * watching finds out whether the sleeper gives way. */
static bool Wakes(const Dynamics *d, const Contact *c, float dt)
{
	float slide = 0.0f, speed = MeetingSpeed(d, c, dt, &slide);
	if (speed < 0.0f || d->sleep.rule == SLEEP_BY_VELOCITY)
		return speed >= 0.0f;
	bool driven =
	    d->bodies.data[c->body_a].motion == MOTION_KINEMATIC || d->bodies.data[c->body_b].motion == MOTION_KINEMATIC;
	return speed > BLOW_SPEED || (driven && slide > DRIVEN_SPEED);
}

/* By the rule of velocities what moves wakes what it is joined to: a platform that starts, or a link whose neighbour
 * was put to sleep. */
static bool WakeJoined(Dynamics *d)
{
	for (int i = 0; i < d->awake.count && d->holding_joints > 0 && d->sleepers > 0; i++) {
		int slot = d->awake.data[i];
		if (d->bodies.data[slot].joint_count == 0 ||
		    !(LengthSq(d->bodies.data[slot].velocity) > 0.0f || LengthSq(d->bodies.data[slot].angular_velocity) > 0.0f))
			continue;
		for (int cursor = NONE, joint; (joint = Body_NextJoint(d, slot, false, &cursor)) != NONE;) {
			const Joint *j = &d->joints.data[joint];
			int other = j->body_a == slot ? j->body_b : j->body_a;
			if (other != NONE && Sleep_CanWake(d, other) && !Sleep_Wake(d, other, "pulled"))
				return false;
		}
	}
	return true;
}

bool Dynamics_WakeTouched(Dynamics *d, float dt)
{
	if (d->sleep.rule == SLEEP_BY_VELOCITY && !WakeJoined(d))
		return false;
	for (int i = 0; i < d->awake_contacts.count && d->sleepers > 0; i++) {
		if (!Awake_Matters(d, i))
			continue;
		const Contact *c = &d->contacts.data[d->awake_contacts.data[i]];
		if (c->count == 0 || c->body_a == NONE)
			continue;
		int sides[2] = {c->body_a, c->body_b};
		if ((Sleep_CanWake(d, sides[0]) || Sleep_CanWake(d, sides[1])) && Wakes(d, c, dt))
			for (int k = 0; k < 2; k++)
				if (Sleep_CanWake(d, sides[k]) && !Sleep_Wake(d, sides[k], "touched"))
					return false;
	}
	return d->sleep.rule == SLEEP_BY_VELOCITY || Watch_Update(d, dt);
}

/* ---- everything -------------------------------------------------------------------------------------------------- */

static bool WakeAll(Dynamics *d, const char *reason)
{
	for (int slot = d->first_body; slot != NONE; slot = d->bodies.data[slot].next)
		if (!Sleep_Wake(d, slot, reason))
			return false;
	return true;
}

bool Dynamics_SetGravity(Dynamics *d, Vec3 gravity)
{
	if (!WakeAll(d, "gravity changed"))
		return false;
	d->gravity = gravity;
	return true;
}

bool Dynamics_SetSleep(Dynamics *d, SleepSettings settings)
{
	if (!WakeAll(d, "sleep settings changed"))
		return false;
	d->sleep = settings;
	return true;
}

bool Dynamics_MaterialChanged(Dynamics *d, int material)
{
	(void)material; /* what stands on it is not indexed: a rare event wakes everything */
	for (int i = 0; i < d->contacts.count; i++)
		d->contacts.data[i].made.holds = false; /* manifolds have values of it */
	return WakeAll(d, "material changed");
}
