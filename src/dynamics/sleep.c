/* Falling asleep. An assembly sleeps when two things have held for the sleep time: it hardly moved, and nothing pulled
 * at it; and if it does not simply stand on something, the forces that hold it must not be fading. Each does so by
 * itself, whatever its neighbours do; the rule of velocities, for comparison, puts groups of touching bodies to sleep
 * together, once all have been slow. Bodies that touch nothing sleep only when they are truly still. */
#include "dynamics/sleep_internal.h"

/* ---- falling asleep ---------------------------------------------------------------------------------------------- */

/* What an awake body is to its group, by place in the awake list. */
typedef struct GroupMember {
	int parent;    /* union of places, of what touches or is joined; the lowest is the root */
	int tied;      /* ... of what is joined alone: a mechanism */
	bool restless; /* of a root: some member does not rest */
	bool wanders;  /* of a root: some has not been in one place for long */
	bool held;     /* of a root: some member touches something, or is joined to what does not move */
	bool waiting;  /* of the root of a mechanism: some member does not rest, or touches what does not */
	bool roams;    /* likewise: some has not been in one place for long */
	bool moves;    /* likewise: some is not slow */
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

static int FindTied(GroupMember *members, int i)
{
	while (members[i].tied != i) {
		members[i].tied = members[members[i].tied].tied;
		i = members[i].tied;
	}
	return i;
}

/* Joins the groups of bodies that touch or are joined, and notes what holds and pushes them. */
static void JoinGroups(const Dynamics *d, GroupMember *members)
{
	for (int i = 0; i < d->awake.count; i++)
		members[i] = (GroupMember){.parent = i, .tied = i};
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
			if (walk.joint == NONE)
				continue;
			x = FindTied(members, i), y = FindTied(members, other->awake_place);
			members[Int_Max(x, y)].tied = Int_Min(x, y);
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
 * is farther than that from its turning point before the time is over in which it may be at rest for it. */
static float PlaceReach(const Dynamics *d, const Body *body)
{
	float half = 0.5f * (body->firm && body->alone ? LONE_REST : SHARED_REST) * d->sleep.time;
	return Min(0.4f * Sleep_Balance(d, body) * half * half, LONG_REACH);
}

static bool IsImmovable(const Dynamics *d, int slot)
{
	return slot == NONE || d->bodies.data[slot].motion == MOTION_STATIC;
}

/* Does it touch nothing that moves, or could? Then nothing but its own rocking can unbalance it. */
static bool IsAlone(const Dynamics *d, int slot)
{
	NeighbourWalk walk = Neighbour_Start(d, slot);
	while (Neighbour_Next(d, &walk))
		if (walk.joint != NONE || !IsImmovable(d, walk.body))
			return false;
	return true;
}

static float SurfaceSpeed(const Body *body)
{
	return Max(Length(body->velocity), Length(body->angular_velocity) * body->outer_radius);
}

/* What is alone sleeps when it is slower than it was of late, and gathers no speed: something that has lost what it
 * leaned on, and has just begun to roll, is not. */
static bool HasStayed(const Dynamics *d, int slot)
{
	const Body *body = &d->bodies.data[slot];
	bool firm = body->firm && body->known;
	float least = firm || (body->calm && body->steady) ? LONG_REST : LONGEST_REST;
	if (body->yields || body->slow_time < LONE_REST * d->sleep.time)
		return false;
	if (firm && IsAlone(d, slot))
		return SurfaceSpeed(body) <= SLOWER * body->bustle && !body->gathers;
	return body->slow_time >= least * d->sleep.time;
}

/* Grows by a share of a small load as by half of that of a large one: what a body leans on with little holds it no less
 * than what bears it. Loads under `least` count for next to nothing. */
static float Concave(float load, float least)
{
	return Sqrt(load + least) - Sqrt(least);
}

/* A measure of what holds the body, which changes also when load goes from one point to another. `firm`: whether it
 * only stands on others, and others on it; what stands firmly may tremble from point to point, so of it the squares of
 * what each neighbour gives, (N s)2. Of others the roots of what each point bears. `alone`: whether it touches nothing
 * that moves, or could. */
static float Stress(const Dynamics *d, int slot, float dt, bool *firm, bool *alone)
{
	float points = 0.0f, neighbours = 0.0f, substeps = (float)d->substeps;
	float gravity = LengthSq(d->gravity), least = LEAST_LOAD * d->bodies.data[slot].mass * Sqrt(gravity) * dt;
	NeighbourWalk walk = Neighbour_Start(d, slot);
	*firm = *alone = true;
	while (Neighbour_Next(d, &walk)) {
		*alone = *alone && walk.joint == NONE && IsImmovable(d, walk.body);
		if (walk.contact == NONE) {
			points += Concave(Length(d->joints.data[walk.joint].total_linear), least);
			*firm = false;
			continue;
		}
		const Contact *c = &d->contacts.data[walk.contact];
		Vec3 whole = {0.0f, 0.0f, 0.0f};
		for (int i = 0; i < c->count; i++) {
			const StoredManifold *m = Contact_Manifold(d, c, i);
			float upright = Dot(m->normal, d->gravity), normal = 0.0f;
			points += Concave(substeps * Length(m->friction_impulse), least);
			for (int k = 0; k < m->count; k++) {
				normal += m->points[k].total;
				points += Concave(Max(m->points[k].total, 0.0f), least);
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
	body->half_way = body->calm = body->gathers = body->steady = body->known = body->yields = false;
	body->stress = -1.0f;
	body->change = 0.0f;
	body->fading = 0;
	body->pull = -1.0f;
}

/* Hardly moves, and no faster at the end than at first: what leaves an unstable balance begins so. */
static void UpdateCalm(Body *body)
{
	float first = Way(body, &body->window[0], &body->window[1]), second = Way(body, &body->window[1], &body->pose);
	float noise = body->firm ? FIRM_CALM_NOISE : CALM_NOISE;
	body->gathers = second > Max(CALM_GROWTH * first, noise);
	body->calm = first <= CALM_REACH && second <= CALM_REACH && !body->gathers;
}

/* What a load that changes by less each time will still change by, as a share, if it goes on so. */
static float Remaining(float before, float now)
{
	float size = Abs(now), shrinks = Abs(before) - size;
	if (before * now <= 0.0f || size <= STEADY_NOISE)
		return size;
	return shrinks > 0.01f * size ? size * size / shrinks : 1.0f;
}

static void UpdateStress(const Dynamics *d, int slot, float dt)
{
	Body *body = &d->bodies.data[slot];
	bool was_firm = body->firm;
	float stress = Stress(d, slot, dt, &body->firm, &body->alone), most = Max(stress, body->stress);
	body->known = body->stress >= 0.0f && body->firm == was_firm;
	float change = body->known && most > 0.0f ? (stress - body->stress) / most : 0.0f;
	change *= body->firm ? 1.0f : ROOTS_TO_SQUARES;
	float share = body->firm ? FIRM_STEADY_SHARE : STEADY_SHARE;
	body->steady = body->known && Abs(change) <= share && Remaining(body->change, change) <= share;
	bool on = Abs(change) > STEADY_NOISE;
	body->fading = !on ? 0 : change * body->change > 0.0f ? (uint8_t)Int_Min(body->fading + 1, FADING_LIMIT) : 1;
	body->change = change;
	body->stress = stress;
}

/* Its loads go one way: it moves while they do, or there is no noise in which they could. For long, since they may do
 * so for ever. */
static bool Yields(const Dynamics *d, const Body *body)
{
	if (body->firm || body->fading < FADING_LIMIT || body->slow_time >= YIELD_REST * d->sleep.time)
		return false;
	bool clear = body->calm && body->joint_count == 0 && Abs(body->change) > STEADY_SHARE;
	return clear || Way(body, &body->window[1], &body->pose) > CALM_NOISE;
}

/* The window slides on by half. */
static void UpdateWindow(const Dynamics *d, int slot, float dt)
{
	Body *body = &d->bodies.data[slot];
	body->window_time += dt;
	if (body->window_time < 0.5f * d->sleep.time)
		return;
	UpdateStress(d, slot, dt);
	if (body->half_way) {
		body->pull = MeanAcceleration(d, body);
		UpdateCalm(body);
		body->window[0] = body->window[1];
	}
	body->yields = Yields(d, body);
	body->window[1] = body->pose;
	body->window_time = 0.0f;
	body->half_way = true;
}

/* Time that the body has been in one place. What trembles or sways there has long been as fast as it is; what is
 * suddenly faster begins to leave. */
static void UpdatePlace(const Dynamics *d, Body *body, bool moves, float dt)
{
	float speed = SurfaceSpeed(body);
	bool starts = speed > Max(START_GROWTH * body->bustle, START_SPEED);
	if (starts || moves || body->slow_time == 0.0f || Way(body, &body->place, &body->pose) > PlaceReach(d, body)) {
		body->place = body->pose;
		body->slow_time = body->bustle = 0.0f;
	}
	body->bustle = Max(speed, body->bustle - Min(dt / (BUSTLE_MEAN * d->sleep.time), 1.0f) * body->bustle);
	body->slow_time += moves ? 0.0f : dt;
}

/* ... and that it has been slow. */
static void UpdateStillTime(Dynamics *d, int slot, Pace pace, float dt)
{
	Body *body = &d->bodies.data[slot];
	UpdatePlace(d, body, pace == PACE_MOVES, dt);
	if (pace != PACE_SLOW) {
		body->still_time = 0.0f;
		body->calm = body->gathers = body->steady = false;
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

/* s that it waits beside what moves: twice as long each time that it was woken by that. What is joined is woken more
 * often, since it hangs together. */
static float WaitOf(const Dynamics *d, const Body *body)
{
	int tries = body->joint_count == 0 ? body->tries : Int_Min(body->tries, 1);
	return (float)(1 << tries) * d->sleep.time;
}

static bool TouchesRestless(const Dynamics *d, int slot)
{
	NeighbourWalk walk = Neighbour_Start(d, slot);
	while (Neighbour_Next(d, &walk)) {
		const Body *other = walk.body == NONE ? NULL : &d->bodies.data[walk.body];
		if (other && Body_IsAwake(other) && (other->motion != MOTION_DYNAMIC || !IsResting(d, walk.body)))
			return true;
	}
	return false;
}

/* What is at rest sleeps with all that touches it and is at rest, too; beside something else that is awake, only once
 * it has been calm for long: it would be taken along, or hold a tower in the middle of its sway, and push it when it is
 * woken. What was woken by what moved beside it waits for twice as long the next time. What creeps through an unstable
 * balance is not at rest, though nothing pulls at it in the mean. */
static bool MayLeaveGroup(const Dynamics *d, int slot, const GroupMember *group, const GroupMember *mechanism)
{
	const Body *body = &d->bodies.data[slot];
	bool alone = body->joint_count == 0; /* what is joined waits for the others, or for long */
	if (!group->restless || !group->wanders)
		return true;
	if (!alone && (!mechanism->waiting || !mechanism->roams))
		return true;
	if (!IsResting(d, slot))
		return false;
	float waits = WaitOf(d, body);
	bool waited = body->slow_time >= LEAVE_REST * waits;
	bool quiet = body->calm && body->steady && (alone || mechanism->moves);
	bool stayed = body->slow_time >= (quiet ? QUIET_REST : JOINED_REST) * waits ||
	              (alone && body->slow_time >= STAY_REST * d->sleep.time);
	if (waited && (stayed || (body->calm && alone)))
		return true;
	return alone && body->calm && body->tries == 0 && !TouchesRestless(d, slot);
}

/* The depths of its contacts are those at the start of the step: they become those at its end. */
static void FollowLastMove(Dynamics *d, int slot)
{
	const Body *body = &d->bodies.data[slot];
	Sleep_MoveContacts(d, slot, PosSub(body->pose.p, body->before.p),
	                   QuatSmallTurn(QuatMul(body->pose.q, QuatConj(body->before.q))));
}

static void FallAsleep(Dynamics *d, int slot)
{
	Body *body = &d->bodies.data[slot];
	if (body->moved_in == d->steps)
		FollowLastMove(d, slot);
	body->give = V3(0.0f, 0.0f, 0.0f);
	body->give_turn = QuatIdentity();
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
		group->wanders = group->wanders || body->slow_time < WHOLE_REST * d->sleep.time || body->yields;
		if (body->joint_count == 0)
			continue;
		float waits = WaitOf(d, body);
		GroupMember *mechanism = &members[FindTied(members, i)];
		bool tried = body->tries > 0 && body->slow_time < LEAVE_REST * waits;
		mechanism->waiting = mechanism->waiting || !still || tried || TouchesRestless(d, slot);
		mechanism->roams = mechanism->roams || body->slow_time < WHOLE_REST * waits || body->yields;
		mechanism->moves = mechanism->moves || members[i].pushed || body->still_time < d->sleep.time;
	}
	for (int i = 0; i < d->awake.count; i++) {
		int slot = d->awake.data[i];
		const Body *body = &d->bodies.data[slot];
		if (body->motion == MOTION_DYNAMIC &&
		    MayLeaveGroup(d, slot, &members[FindRoot(members, i)], &members[FindTied(members, i)]))
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
