/* Sleep: a group of touching bodies falls asleep together once all have been slow, and free of net force, for a while;
 * it wakes together. Bodies that touch nothing sleep only when they are truly still. */
#include "dynamics/dynamics_internal.h"

/* ---- waking
 * ------------------------------------------------------------------------------------------------------------ */

static bool CanWake(const Dynamics *d, int slot)
{
	const Body *body = &d->bodies.data[slot];
	return body->motion == MOTION_DYNAMIC && !Body_IsAwake(body) && slot != d->dying;
}

static bool WakeOne(Dynamics *d, int slot, const char *reason)
{
	if (!Contact_ReserveEvents(d, 1) || !Body_ListAwake(d, slot))
		return false;
	d->events.data[d->events.count++] =
	    (Event){.kind = EVENT_WAKE, .a = Body_Id(d, slot), .part_a = -1, .part_b = -1, .reason = reason};
	return true;
}

/* Walks the awake list itself as the queue: what was woken stands at its end. */
bool Sleep_Wake(Dynamics *d, int slot, const char *reason)
{
	Body *body = &d->bodies.data[slot];
	if (Body_IsAwake(body)) {
		body->still_time = 0.0f;
		return true;
	}
	if (!CanWake(d, slot))
		return true;
	int next = d->awake.count;
	if (!WakeOne(d, slot, reason))
		return false;
	for (; next < d->awake.count; next++) {
		NeighbourWalk walk = Neighbour_Start(d, d->awake.data[next]);
		while (Neighbour_Next(d, &walk))
			if (walk.body != NONE && CanWake(d, walk.body) && !WakeOne(d, walk.body, "neighbour woke"))
				return false;
	}
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

bool Sleep_WakeNeighbours(Dynamics *d, int slot, const char *reason)
{
	NeighbourWalk walk = Neighbour_Start(d, slot);
	while (Neighbour_Next(d, &walk))
		if (walk.body != NONE && !Sleep_Wake(d, walk.body, reason))
			return false;
	return true;
}

typedef struct WakeQuery {
	Dynamics *dynamics;
	WorldBox box;
	const char *reason;
	bool failed;
} WakeQuery;

static bool WakeInBox(void *context, int32_t user)
{
	WakeQuery *query = context;
	Dynamics *d = query->dynamics;
	const Part *part = &d->parts.data[user];
	WorldBox box = WorldBoxGrow(Part_Box(d, part), (double)SPECULATIVE_DISTANCE);
	if (!WorldBoxOverlap(box, query->box))
		return true;
	if (part->terrain_contact != NONE)
		d->contacts.data[part->terrain_contact].made.holds = false;
	query->failed = !Sleep_Wake(d, part->body, query->reason);
	return !query->failed;
}

bool Dynamics_WakeChanged(Dynamics *d)
{
	for (int i = 0; i < Terrain_ChangedCount(d->terrain); i++) {
		WakeQuery query = {d, Terrain_ChangedBox(d->terrain, i), "terrain changed", false};
		BoxTree_Query(&d->moving_tree, query.box, WakeInBox, &query);
		if (query.failed)
			return false;
	}
	Terrain_ClearChanged(d->terrain);
	return true;
}

/* Will the two meet in this step, or do they already? Closer than touching, so that neighbours with a gap that counts
 * as none do not wake each other in turn. */
static bool Meets(const Dynamics *d, const Contact *c, float dt)
{
	const Body *a = &d->bodies.data[c->body_a], *b = &d->bodies.data[c->body_b];
	for (int i = 0; i < c->count; i++) {
		const StoredManifold *m = Contact_Manifold(d, c, i);
		for (int k = 0; k < m->count; k++) {
			const StoredPoint *p = &m->points[k];
			float speed = Dot(m->normal, Sub(PointVelocity(b, p->rb), PointVelocity(a, Sub(p->rb, c->between))));
			if (p->separation + Min(speed, 0.0f) * dt < 0.5f * SLOP)
				return true;
		}
	}
	return false;
}

/* What moves wakes what it is joined to: a platform that starts, or a link whose neighbour was put to sleep. */
static bool WakeJoined(Dynamics *d)
{
	for (int i = 0; i < d->awake.count && d->holding_joints > 0; i++) {
		int slot = d->awake.data[i];
		if (d->bodies.data[slot].joint_count == 0 ||
		    !(LengthSq(d->bodies.data[slot].velocity) > 0.0f || LengthSq(d->bodies.data[slot].angular_velocity) > 0.0f))
			continue;
		for (int cursor = NONE, joint; (joint = Body_NextJoint(d, slot, false, &cursor)) != NONE;) {
			const Joint *j = &d->joints.data[joint];
			int other = j->body_a == slot ? j->body_b : j->body_a;
			if (other != NONE && CanWake(d, other) && !Sleep_Wake(d, other, "pulled"))
				return false;
		}
	}
	return true;
}

bool Dynamics_WakeTouched(Dynamics *d, float dt)
{
	if (!WakeJoined(d))
		return false;
	for (int i = 0; i < d->awake_contacts.count; i++) {
		const Contact *c = &d->contacts.data[d->awake_contacts.data[i]];
		if (c->count == 0 || c->body_a == NONE || (!CanWake(d, c->body_a) && !CanWake(d, c->body_b)) ||
		    !Meets(d, c, dt))
			continue;
		int sides[2] = {c->body_a, c->body_b};
		for (int k = 0; k < 2; k++)
			if (CanWake(d, sides[k]) && !Sleep_Wake(d, sides[k], "touched"))
				return false;
	}
	return true;
}

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

/* ---- falling asleep
 * -------------------------------------------------------------------------------------------------------- */

/* What an awake body is to its group, by place in the awake list. */
typedef struct GroupMember {
	int parent;    /* union of places; the lowest is the root */
	bool restless; /* of a root: some member does not rest */
	bool held;     /* of a root: some member touches something, or is joined to something immovable */
	bool pushed;   /* by what is kinematic and moves */
} GroupMember;

static int FindRoot(GroupMember *members, int i)
{
	while (members[i].parent != i) {
		members[i].parent = members[members[i].parent].parent;
		i = members[i].parent;
	}
	return i;
}

/* Joins the groups of bodies that touch or are joined, and notes what holds and pushes them. */
static void JoinGroups(const Dynamics *d, GroupMember *members)
{
	for (int i = 0; i < d->awake.count; i++)
		members[i] = (GroupMember){.parent = i};
	for (int i = 0; i < d->awake.count; i++) {
		NeighbourWalk walk = Neighbour_Start(d, d->awake.data[i]);
		if (d->bodies.data[d->awake.data[i]].motion != MOTION_DYNAMIC)
			continue;
		while (Neighbour_Next(d, &walk)) {
			const Body *other = walk.body == NONE ? NULL : &d->bodies.data[walk.body];
			bool movable = other && other->motion == MOTION_DYNAMIC;
			int x = FindRoot(members, i);
			if (walk.contact != NONE || !movable)
				members[x].held = true;
			if (other && other->motion == MOTION_KINEMATIC && Body_IsAwake(other))
				members[i].pushed = true;
			if (!movable || !Body_IsAwake(other))
				continue;
			int y = FindRoot(members, other->awake_place), root = Int_Min(x, y);
			bool held = members[x].held || members[y].held;
			members[Int_Max(x, y)].parent = root;
			members[root].held = held;
		}
	}
}

static bool IsSlow(const Dynamics *d, const Body *body, const GroupMember *member, bool held)
{
	/* what floats heaves slowly at both ends of its way */
	float linear = held ? d->sleep.linear : body->wet ? FLOAT_SLEEP_SHARE * d->sleep.linear : FREE_SLEEP_SPEED;
	float angular = held ? d->sleep.angular : body->wet ? FLOAT_SLEEP_SHARE * d->sleep.angular : FREE_SLEEP_SPEED;
	float turning = Length(body->angular_velocity) * body->outer_radius;
	return Length(body->velocity) < linear && turning < angular && body->can_sleep && !member->pushed;
}

static Vec3 TurnBetween(Quat from, Quat to)
{
	Quat q = QuatMul(to, QuatConj(from));
	float sign = q.w < 0.0f ? -2.0f : 2.0f;
	return V3(sign * q.x, sign * q.y, sign * q.z); /* rotation vector of a small turn */
}

/* Newton's first law: what rests has no net force on it. The ways gone in the two halves of the window differ by its
 * mean acceleration, in which the contacts' noise cancels: a ball at the top of its path is slow, but not at rest. */
static bool IsBalanced(const Dynamics *d, const Body *body)
{
	Vec3 first = PosSub(body->window[1].p, body->window[0].p), second = PosSub(body->pose.p, body->window[1].p);
	Vec3 first_turn = TurnBetween(body->window[0].q, body->window[1].q);
	Vec3 second_turn = TurnBetween(body->window[1].q, body->pose.q);
	float limit = BALANCE * 0.25f * d->sleep.time * d->sleep.time;
	return Length(Sub(second, first)) <= limit && Length(Sub(second_turn, first_turn)) * body->outer_radius <= limit;
}

/* Time that the body has been slow, with where it was at the start and the middle of it. An unbalanced window slides on
 * by half. */
static void UpdateStillTime(Dynamics *d, Body *body, bool slow, float dt)
{
	if (!slow) {
		body->still_time = body->slow_time = 0.0f;
		return;
	}
	if (body->still_time == 0.0f) {
		body->window[0] = body->window[1] = body->pose;
		body->half_way = false;
	}
	body->still_time += dt;
	if (!body->half_way && body->still_time >= 0.5f * d->sleep.time) {
		body->window[1] = body->pose;
		body->half_way = true;
	}
	body->slow_time += dt;
	bool long_slow = body->slow_time >= LONG_SLOW * d->sleep.time;
	if (body->still_time >= d->sleep.time && !long_slow && !IsBalanced(d, body)) {
		body->window[0] = body->window[1];
		body->window[1] = body->pose;
		body->still_time = 0.5f * d->sleep.time;
	}
}

static bool IsResting(const Dynamics *d, const Body *body)
{
	return body->still_time >= d->sleep.time;
}

static void FallAsleep(Dynamics *d, int slot)
{
	Body *body = &d->bodies.data[slot];
	body->velocity = body->angular_velocity = V3(0.0f, 0.0f, 0.0f);
	body->net_linear = body->net_angular = V3(0.0f, 0.0f, 0.0f);
	Body_UnlistAwake(d, slot);
	d->events.data[d->events.count++] =
	    (Event){.kind = EVENT_SLEEP, .a = Body_Id(d, slot), .part_a = -1, .part_b = -1, .reason = "at rest"};
}

/* A kinematic body that stands still leaves the awake list; after its boxes have followed its last move. */
void Sleep_RetireStopped(Dynamics *d)
{
	for (int i = d->awake.count - 1; i >= 0; i--) {
		const Body *body = &d->bodies.data[d->awake.data[i]];
		if (body->motion == MOTION_KINEMATIC && LengthSq(body->velocity) == 0.0f &&
		    LengthSq(body->angular_velocity) == 0.0f)
			Body_UnlistAwake(d, d->awake.data[i]);
	}
}

/* Out of memory here only means that nothing falls asleep in this step. */
void Dynamics_SleepResting(Dynamics *d, float dt)
{
	int count = d->awake.count;
	GroupMember *members = Arena_Array(&d->arena, GroupMember, count);
	int *sleepers = Arena_Array(&d->arena, int, count);
	if (!d->sleep.enabled || !members || !sleepers || !Contact_ReserveEvents(d, count))
		return;
	JoinGroups(d, members);
	for (int i = 0; i < count; i++) {
		Body *body = &d->bodies.data[d->awake.data[i]];
		if (body->motion != MOTION_DYNAMIC)
			continue;
		int root = FindRoot(members, i);
		UpdateStillTime(d, body, IsSlow(d, body, &members[i], members[root].held), dt);
		if (!IsResting(d, body))
			members[root].restless = true;
	}
	int asleep = 0;
	for (int i = 0; i < count; i++)
		if (d->bodies.data[d->awake.data[i]].motion == MOTION_DYNAMIC && !members[FindRoot(members, i)].restless)
			sleepers[asleep++] = d->awake.data[i];
	for (int i = 0; i < asleep; i++)
		FallAsleep(d, sleepers[i]);
}

bool Body_PutToSleep(Dynamics *d, int slot)
{
	Body *body = &d->bodies.data[slot];
	if (body->motion != MOTION_DYNAMIC || !Body_IsAwake(body))
		return true;
	if (!Contact_ReserveEvents(d, 1))
		return false;
	FallAsleep(d, slot);
	d->events.data[d->events.count - 1].reason = "put to sleep";
	return true;
}
