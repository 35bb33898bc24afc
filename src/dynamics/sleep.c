/* Falling asleep. An assembly sleeps when two things have held for the sleep time: it hardly moved, and nothing pulled
 * at it; and if it does not simply stand on something, the forces that hold it must not be fading. Each does so by
 * itself, whatever its neighbours do; the rule of velocities, for comparison, puts groups of touching bodies to sleep
 * together, once all have been slow. Bodies that touch nothing sleep only when they are truly still. */
#include "dynamics/sleep_internal.h"

/* ---- falling asleep ---------------------------------------------------------------------------------------------- */

/* What an awake body is to its group, by place in the awake list. */
typedef struct GroupMember {
	int parent;    /* union of places; the lowest is the root */
	bool restless; /* of a root: some member does not rest */
	bool moving;   /* of a root: ... and some is not slow */
	bool wanders;  /* of a root: some has not been in one place for long */
	bool held;     /* of a root: some member touches something, or is joined to what does not move */
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
			if (walk.contact != NONE || !movable || !Body_IsAwake(other))
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

static float LimitOf(float own, float of_world)
{
	return own >= 0.0f ? own : of_world;
}

/* PACE_TREMBLES: too fast for what is slow, but not for what stays in its place. */
typedef enum Pace { PACE_SLOW, PACE_TREMBLES, PACE_MOVES } Pace;

static Pace PaceOf(const Dynamics *d, const Body *body, const GroupMember *member, bool held)
{
	float linear = LimitOf(body->limits.linear, d->sleep.linear);
	float angular = LimitOf(body->limits.angular, d->sleep.angular);
	if (d->sleep.rule == SLEEP_BY_VELOCITY)
		held = true;          /* as most engines do: the speed alone counts */
	if (!held && body->wet) { /* what floats heaves slowly at both ends of its way */
		linear *= FLOAT_SLEEP_SHARE;
		angular *= FLOAT_SLEEP_SHARE;
	} else if (!held) {
		linear = angular = FREE_SLEEP_SPEED;
	}
	float moving = Length(body->velocity), turning = Length(body->angular_velocity) * body->outer_radius;
	if (!body->can_sleep || member->pushed)
		return PACE_MOVES;
	if (moving < linear && turning < angular)
		return PACE_SLOW;
	return held && moving < TREMBLING * linear && turning < TREMBLING * angular ? PACE_TREMBLES : PACE_MOVES;
}

static Vec3 TurnBetween(Quat from, Quat to)
{
	Quat q = QuatMul(to, QuatConj(from));
	float sign = q.w < 0.0f ? -2.0f : 2.0f;
	return V3(sign * q.x, sign * q.y, sign * q.z); /* rotation vector of a small turn */
}

static float Way(const Body *body, const Pose *from, const Pose *to)
{
	return Max(Length(PosSub(to->p, from->p)), Length(TurnBetween(from->q, to->q)) * body->outer_radius);
}

float Sleep_Balance(const Dynamics *d, const Body *body)
{
	return LimitOf(body->limits.balance, d->sleep.balance);
}

/* Newton's first law: what rests has no net force on it. The ways gone in the two halves of the window differ by its
 * mean acceleration, in which the contacts' noise cancels: a ball at the top of its path is slow, but not at rest. In
 * m/s2, of the centre or of the surface by turning. */
static float MeanAcceleration(const Dynamics *d, const Body *body)
{
	Vec3 first = PosSub(body->window[1].p, body->window[0].p), second = PosSub(body->pose.p, body->window[1].p);
	Vec3 first_turn = TurnBetween(body->window[0].q, body->window[1].q);
	Vec3 second_turn = TurnBetween(body->window[1].q, body->pose.q);
	float change = Max(Length(Sub(second, first)), Length(Sub(second_turn, first_turn)) * body->outer_radius);
	return 4.0f * change / Max(d->sleep.time * d->sleep.time, 1e-6f);
}

/* m that a body may move and still be in one place: under four fifths of the acceleration that counts as a net force it
 * is farther than that from its turning point before the time is over. */
static float PlaceReach(const Dynamics *d, const Body *body)
{
	float half = 0.5f * LONE_REST * d->sleep.time;
	return Min(0.4f * Sleep_Balance(d, body) * half * half, LONG_REACH);
}

/* Does it touch nothing that moves, or could? Then nothing but its own rocking can unbalance it. */
static bool IsAlone(const Dynamics *d, int slot)
{
	NeighbourWalk walk = Neighbour_Start(d, slot);
	while (Neighbour_Next(d, &walk))
		if (walk.joint != NONE || (walk.body != NONE && d->bodies.data[walk.body].motion != MOTION_STATIC))
			return false;
	return true;
}

static bool HasStayed(const Dynamics *d, int slot)
{
	const Body *body = &d->bodies.data[slot];
	float least = body->firm || (body->calm && body->steady) ? LONG_REST : LONGEST_REST;
	if (body->slow_time >= least * d->sleep.time)
		return true;
	return body->slow_time >= LONE_REST * d->sleep.time && body->firm && IsAlone(d, slot);
}

/* What the body is held by, (N s)2: the squares of its impulses, which change also when load goes from one point to
 * another. `firm`: whether it only stands on others, and others on it; what stands firmly may tremble from point to
 * point, so of it the squares of what each neighbour gives. */
static float Stress(const Dynamics *d, int slot, bool *firm)
{
	float points = 0.0f, neighbours = 0.0f, substeps = (float)d->substeps;
	float gravity = LengthSq(d->gravity);
	NeighbourWalk walk = Neighbour_Start(d, slot);
	*firm = true;
	while (Neighbour_Next(d, &walk)) {
		if (walk.contact == NONE) {
			points += LengthSq(d->joints.data[walk.joint].total_linear);
			*firm = false;
			continue;
		}
		const Contact *c = &d->contacts.data[walk.contact];
		Vec3 whole = {0.0f, 0.0f, 0.0f};
		for (int i = 0; i < c->count; i++) {
			const StoredManifold *m = Contact_Manifold(d, c, i);
			float upright = Dot(m->normal, d->gravity), normal = 0.0f;
			points += substeps * substeps * LengthSq(m->friction_impulse);
			for (int k = 0; k < m->count; k++) {
				normal += m->points[k].total;
				points += m->points[k].total * m->points[k].total;
			}
			if (normal > 0.0f && upright * upright < FIRM_UPRIGHT * gravity)
				*firm = false;
			whole = MulAdd(MulAdd(whole, normal, m->normal), substeps, m->friction_impulse);
		}
		neighbours += LengthSq(whole);
	}
	return *firm ? neighbours : points;
}

static void BeginWindow(Body *body)
{
	body->window[0] = body->window[1] = body->pose;
	body->window_time = 0.0f;
	body->half_way = body->calm = body->steady = false;
	body->stress = -1.0f;
	body->pull = -1.0f;
}

/* Hardly moves, and no faster at the end than at first: what leaves an unstable balance begins so. */
static bool IsCalm(const Body *body)
{
	float first = Way(body, &body->window[0], &body->window[1]), second = Way(body, &body->window[1], &body->pose);
	float noise = body->firm ? FIRM_CALM_NOISE : CALM_NOISE;
	return first <= CALM_REACH && second <= CALM_REACH && second <= Max(CALM_GROWTH * first, noise);
}

/* The window slides on by half. */
static void UpdateWindow(const Dynamics *d, int slot, float dt)
{
	Body *body = &d->bodies.data[slot];
	body->window_time += dt;
	if (body->window_time < 0.5f * d->sleep.time)
		return;
	bool was_firm = body->firm;
	float stress = Stress(d, slot, &body->firm), most = Max(stress, body->stress);
	bool known = body->stress >= 0.0f && body->firm == was_firm;
	body->steady = known && Abs(stress - body->stress) <= STEADY_SHARE * most;
	body->stress = stress;
	if (body->half_way) {
		body->pull = MeanAcceleration(d, body);
		body->calm = IsCalm(body);
		body->window[0] = body->window[1];
	}
	body->window[1] = body->pose;
	body->window_time = 0.0f;
	body->half_way = true;
}

/* Time that the body has been in one place. */
static void UpdatePlace(const Dynamics *d, Body *body, bool moves, float dt)
{
	if (moves || body->slow_time == 0.0f || Way(body, &body->place, &body->pose) > PlaceReach(d, body)) {
		body->place = body->pose;
		body->slow_time = 0.0f;
	}
	body->slow_time += moves ? 0.0f : dt;
}

/* ... and that it has been slow. */
static void UpdateStillTime(Dynamics *d, int slot, Pace pace, float dt)
{
	Body *body = &d->bodies.data[slot];
	UpdatePlace(d, body, pace == PACE_MOVES, dt);
	if (pace != PACE_SLOW) {
		body->still_time = 0.0f;
		body->calm = body->steady = false;
		return;
	}
	if (body->still_time == 0.0f)
		BeginWindow(body);
	body->still_time += dt;
	UpdateWindow(d, slot, dt);
}

static bool IsResting(const Dynamics *d, int slot)
{
	const Body *body = &d->bodies.data[slot];
	if (d->sleep.rule == SLEEP_BY_VELOCITY)
		return body->still_time >= d->sleep.time;
	bool balanced = body->still_time > 0.0f && body->pull >= 0.0f && body->pull <= Sleep_Balance(d, body);
	return (balanced && body->steady) || HasStayed(d, slot);
}

/* What is at rest sleeps with all that touches it and is at rest, too; beside something else that is awake, only once
 * it has been calm for long: it would be taken along, or hold a tower in the middle of its sway, and push it when it is
 * woken. What was woken by what moved beside it waits for twice as long the next time. What creeps through an unstable
 * balance is not at rest, though nothing pulls at it in the mean. */
static bool MayLeaveGroup(const Dynamics *d, int slot, const GroupMember *group)
{
	const Body *body = &d->bodies.data[slot];
	bool alone = body->joint_count == 0; /* what is joined waits for the others, or for long */
	if (!group->restless || !group->wanders)
		return true;
	if (!IsResting(d, slot))
		return false;
	float waits = (float)(1 << body->tries) * d->sleep.time;
	if (!alone && !group->moving && body->slow_time < WAIT_REST * Min(waits, 2.0f * d->sleep.time))
		return false;
	bool waited = body->slow_time >= LEAVE_REST * waits;
	bool stayed = body->slow_time >= (body->calm && body->steady ? QUIET_REST : STAY_REST) * waits;
	if (waited && (stayed || (body->calm && alone)))
		return true;
	if (!body->calm || body->tries > 0)
		return false;
	NeighbourWalk walk = Neighbour_Start(d, slot);
	while (Neighbour_Next(d, &walk)) {
		const Body *other = walk.body == NONE ? NULL : &d->bodies.data[walk.body];
		if (other && Body_IsAwake(other) && (other->motion != MOTION_DYNAMIC || !IsResting(d, walk.body)))
			return false;
	}
	return true;
}

static void FallAsleep(Dynamics *d, int slot)
{
	Body *body = &d->bodies.data[slot];
	body->velocity = body->angular_velocity = V3(0.0f, 0.0f, 0.0f);
	body->net_linear = body->net_angular = V3(0.0f, 0.0f, 0.0f);
	Body_UnlistAwake(d, slot);
	Watch_Remember(d, slot);
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

/* Sleepers by the rule of velocities: whole groups. Returns how many there are. */
static int FindRestingGroups(Dynamics *d, int *sleepers, GroupMember *members)
{
	int asleep = 0;
	for (int i = 0; i < d->awake.count; i++) {
		const Body *body = &d->bodies.data[d->awake.data[i]];
		if (body->motion == MOTION_DYNAMIC && !IsResting(d, d->awake.data[i]))
			members[FindRoot(members, i)].restless = true;
	}
	for (int i = 0; i < d->awake.count; i++)
		if (d->bodies.data[d->awake.data[i]].motion == MOTION_DYNAMIC && !members[FindRoot(members, i)].restless)
			sleepers[asleep++] = d->awake.data[i];
	return asleep;
}

static int FindResting(Dynamics *d, int *sleepers, GroupMember *members)
{
	int asleep = 0;
	for (int i = 0; i < d->awake.count; i++) {
		int slot = d->awake.data[i];
		const Body *body = &d->bodies.data[slot];
		GroupMember *group = &members[FindRoot(members, i)];
		bool still = body->motion == MOTION_DYNAMIC && IsResting(d, slot) && (body->calm || HasStayed(d, slot));
		group->restless = group->restless || !still;
		group->moving = group->moving || members[i].pushed || body->still_time < d->sleep.time;
		group->wanders = group->wanders || body->slow_time < WHOLE_REST * d->sleep.time;
	}
	for (int i = 0; i < d->awake.count; i++) {
		int slot = d->awake.data[i];
		const Body *body = &d->bodies.data[slot];
		if (body->motion == MOTION_DYNAMIC && MayLeaveGroup(d, slot, &members[FindRoot(members, i)]))
			sleepers[asleep++] = slot;
	}
	return asleep;
}

/* What is watched for the sake of something that trembled where it is need not be when that sleeps. */
static void StopWatching(Dynamics *d, int slot)
{
	NeighbourWalk walk = Neighbour_Start(d, slot);
	while (Neighbour_Next(d, &walk))
		if (walk.body != NONE)
			d->bodies.data[walk.body].watch_time = d->sleep.time;
}

/* Out of memory here only means that nothing falls asleep, or wakes, in this step. */
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
		bool held = members[FindRoot(members, i)].held;
		if (body->motion == MOTION_DYNAMIC)
			UpdateStillTime(d, d->awake.data[i], PaceOf(d, body, &members[i], held), dt);
	}
	d->inverse_dt = 1.0f / dt;
	int asleep =
	    d->sleep.rule == SLEEP_BY_IMPULSE ? FindResting(d, sleepers, members) : FindRestingGroups(d, sleepers, members);
	for (int i = 0; i < asleep; i++)
		FallAsleep(d, sleepers[i]);
	for (int i = 0; i < asleep; i++)
		if (d->bodies.data[sleepers[i]].slow_time >= WHOLE_REST * d->sleep.time)
			StopWatching(d, sleepers[i]);
	Watch_WakeMoving(d);
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
