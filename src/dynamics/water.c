/* Water: buoyancy and drag of parts whose boxes meet cells with water.
 *
 * Where all the water that a part's box meets has one level, ground aside, the part is cut by that plane, in every
 * substep anew, so that floating keeps its energy. Elsewhere (a dry shaft, a hull across a dyke) lines through the part
 * are measured against the cells that they pass, once a step; within it what is under water follows the heave.
 *
 * Drag, however strong, brings a point to rest at most. Under water it goes with the area that is held against the
 * flow, and a little with speed itself; at the surface there is the loss to waves, which damps heaving and rolling, so
 * that what floats comes to rest. It goes by the velocity at the start of a substep: weight, lift and contacts, which
 * cancel each other where something lies on what floats, are added one after another, and drag between them would keep
 * a share of what comes first. */
#include "dynamics/water_internal.h"

#define DRAG_SQUARE 1.0f /* drag coefficient of the area across the flow */
#define DRAG_LINEAR 0.3f /* 1/s, of the displaced mass */
#define DRAG_WAVES 3.0f  /* 1/s, of the displaced mass: up and down, half in and half out of water */
#define DRAG_TURN 0.5f   /* 1/s, of the displaced mass to the body's */
#define DRAG_SPIN 0.3f   /* a radian: the same by the square of the turning */
#define DRAG_ROLL 3.0f   /* 1/s, at the surface */
#define STIFF 1.0f       /* of the mass over the square of a substep: stiffer is what heaves too fast for it */

float Part_Displaced(const Part *part)
{
	return Shape_Volume(&part->def.shape) * (1.0f + part->def.swell);
}

/* ---- one substep ------------------------------------------------------------------------------------------------- */

/* What is under water of a part now, and where: relative to the body's centre. */
static float Submerged(const WaterPart *w, const Dynamics *d, const Body *body, const SolverBody *s, Quat q,
                       Vec3 *center)
{
	const Part *part = &d->parts.data[w->part];
	if (w->plane) {
		Xform placement = {Rotate(q, part->local.p), QuatMul(q, part->local.q)};
		double level = w->level - (body->pose.p.y + (double)s->shift.y);
		float volume;
		Shape_Submerged(&part->def.shape, placement, V3(0.0f, 1.0f, 0.0f), (float)ClampD(level, -1e6, 1e6), &volume,
		                center);
		return volume * (1.0f + part->def.swell);
	}
	*center = Rotate(s->turn, w->center);
	return Clamp(w->volume - w->area * s->shift.y, 0.0f, w->total);
}

static Vec3 VelocityAt(const SolverBody *s, Vec3 arm)
{
	return Add(s->velocity, Cross(s->angular_velocity, arm));
}

static void Push(SolverBody *s, Vec3 impulse, Vec3 arm)
{
	s->velocity = MulAdd(s->velocity, s->inverse_mass, impulse);
	s->angular_velocity = Add(s->angular_velocity, MatMulV(s->inverse_inertia, Cross(arm, impulse)));
}

/* The share of a speed that a drag takes which, were it constant, would take `share` of it: never all. To the second
 * order `share`, so that what sinks comes to the speed at which drag is its weight. */
static float Taken(float share)
{
	return share / Sqrt(1.0f + share * share);
}

/* Takes speed off along a unit direction: `rate` in N s/m, for a time h. */
static void Brake(SolverBody *s, Vec3 direction, float speed, float rate, Vec3 arm, float h)
{
	Vec3 lever = Cross(arm, direction);
	float give = s->inverse_mass + Dot(lever, MatMulV(s->inverse_inertia, lever));
	Push(s, Scale(-speed / give * Taken(rate * h * give), direction), arm);
}

/* Of the box around the part, how much it holds against a flow from that direction, m2. */
static float AreaAcross(const WaterPart *w, Quat q, Vec3 direction)
{
	Vec3 along = AbsV(InvRotate(q, direction)), h = w->half;
	return w->fill * 4.0f * (along.x * h.y * h.z + along.y * h.x * h.z + along.z * h.x * h.y);
}

/* What is light for the water's surface in it heaves and rolls too fast for the time of a substep. As in the implicit
 * rule of Euler, the stiffness of that works like a drag h times as great; where it is soft this is next to nothing. */
static void Steady(SolverBody *s, float stiffness, Vec3 center, float h)
{
	Vec3 up = V3(0.0f, 1.0f, 0.0f), lever = Cross(center, up);
	float give = s->inverse_mass + Dot(lever, MatMulV(s->inverse_inertia, lever));
	float heave = VelocityAt(s, center).y;
	Push(s, Scale(-heave * h * h * stiffness / (1.0f + h * h * stiffness * give), up), center);
	s->angular_velocity = Scale(1.0f / (1.0f + h * h * stiffness * s->inverse_mass), s->angular_velocity);
}

/* N/m: by how much more a part is lifted that is pushed under. */
static float Stiffness(const Dynamics *d, const WaterPart *w, Quat q)
{
	float swell = d->parts.data[w->part].def.swell;
	float area = w->plane ? AreaAcross(w, q, V3(0.0f, 1.0f, 0.0f)) * (1.0f + swell) : w->area;
	return w->density * Length(d->gravity) * area;
}

/* N s/m, along the flow. */
static float FlowDrag(const WaterPart *w, float volume, Quat q, Vec3 direction, float speed)
{
	float share = volume / w->total;
	return 0.5f * DRAG_SQUARE * w->density * share * AreaAcross(w, q, direction) * speed +
	       DRAG_LINEAR * w->density * volume;
}

static void Drag(SolverBody *s, const WaterPart *w, float volume, Vec3 center, Quat q, float h)
{
	float share = volume / w->total, density = w->density;
	/* kg: as much as is displaced when half of it is under water, less when nearly all or nothing is */
	float surface = 0.5f * w->total * density * Min(6.0f * share * (1.0f - share), 1.0f);
	Vec3 up = V3(0.0f, 1.0f, 0.0f), velocity = VelocityAt(s, center);
	float speed = Length(velocity);
	if (speed > 1e-6f) {
		Vec3 direction = Scale(1.0f / speed, velocity);
		Brake(s, direction, speed, FlowDrag(w, volume, q, direction, speed), center, h);
	}
	Brake(s, up, VelocityAt(s, center).y, DRAG_WAVES * surface, center, h);
	float spin = Length(s->angular_velocity);
	float rate = (DRAG_TURN + DRAG_SPIN * spin) * density * volume + DRAG_ROLL * surface;
	s->angular_velocity = MulSub(s->angular_velocity, Taken(h * rate * s->inverse_mass), s->angular_velocity);
}

/* Does drag take most of what a substep gives it? So it is with what is far lighter than water, which lift would throw
 * up if drag came after. */
static bool IsFeather(const SolverBody *s, const WaterPart *w, float volume, Vec3 center, Quat q, float h)
{
	Vec3 velocity = VelocityAt(s, center);
	float speed = Length(velocity);
	Vec3 direction = speed > 1e-6f ? Scale(1.0f / speed, velocity) : V3(0.0f, 1.0f, 0.0f);
	return FlowDrag(w, volume, q, direction, speed) * h * s->inverse_mass > 1.0f;
}

void Water_Push(Dynamics *d, int first, int end, const Body *body, const SolverBody *before, SolverBody *s, float h)
{
	SolverBody slowed = *before; /* by drag alone */
	Quat q = QuatMul(s->turn, body->pose.q);
	for (int i = first; i < end; i++) {
		WaterPart *w = &d->water.data[i];
		Vec3 center;
		float volume = Submerged(w, d, body, s, q, &center);
		w->now = volume;
		if (volume <= 0.0f)
			continue;
		Quat own = QuatMul(q, d->parts.data[w->part].local.q);
		Push(s, Scale(-w->density * volume * h, d->gravity), center);
		float stiffness = volume < w->total ? Stiffness(d, w, own) : 0.0f;
		bool soft = h * h * stiffness * s->inverse_mass < STIFF; /* what is not would swing up by the older velocity */
		Steady(soft ? &slowed : s, stiffness, center, h);
		Drag(IsFeather(s, w, volume, center, own, h) ? s : &slowed, w, volume, center, own, h);
	}
	s->velocity = Add(s->velocity, Sub(slowed.velocity, before->velocity));
	s->angular_velocity = Add(s->angular_velocity, Sub(slowed.angular_velocity, before->angular_velocity));
}

/* ---- a step ------------------------------------------------------------------------------------------------------ */

static bool MeetsWater(const Dynamics *d, const Part *part)
{
	for (int i = 0; i < part->ground_count; i++)
		if (d->grounds.data[part->ground_first + i].water)
			return true;
	return false;
}

bool Dynamics_FindWater(Dynamics *d)
{
	d->water.count = 0;
	d->water_first = NULL;
	if (d->ground.water == 0)
		return true;
	d->water_first = Arena_Array(&d->arena, int, d->awake.count + 1);
	if (!d->water_first)
		return false;
	for (int i = 0; i < d->awake.count; i++) {
		const Body *body = &d->bodies.data[d->awake.data[i]];
		d->water_first[i] = d->water.count;
		for (int k = 0; k < body->part_count && body->motion == MOTION_DYNAMIC; k++) {
			WaterPart found;
			if (!MeetsWater(d, &d->parts.data[body->first_part + k]) || !Water_Look(d, body->first_part + k, &found))
				continue;
			if (!Array_Push(d->memory, d->water, found))
				return false;
		}
	}
	d->water_first[d->awake.count] = d->water.count;
	return true;
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

static bool IsWet(const Dynamics *d, int place)
{
	for (int i = d->water_first ? d->water_first[place] : 0; d->water_first && i < d->water_first[place + 1]; i++)
		if (d->water.data[i].now > 0.0f)
			return true;
	return false;
}

void Water_PushEvent(Dynamics *d, int slot, EventKind kind)
{
	SCREE_ASSERT(d->events.count < d->events.capacity);
	d->events.data[d->events.count++] = (Event){.kind = kind, .a = Body_Id(d, slot), .part_a = -1, .part_b = -1};
	d->bodies.data[slot].wet = kind == EVENT_WATER_ENTER;
}

static int OrderBirths(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

/* Oldest body first. Without memory they come with the next step. */
void Water_PushEvents(Dynamics *d)
{
	int count = 0;
	for (int i = 0; i < d->awake.count; i++)
		count += d->bodies.data[d->awake.data[i]].wet != IsWet(d, i);
	if (count == 0 || !Contact_ReserveEvents(d, count))
		return;
	uint64_t *changed = Arena_Array(&d->arena, uint64_t, count);
	if (!changed)
		return;
	count = 0;
	for (int i = 0; i < d->awake.count; i++) {
		const Body *body = &d->bodies.data[d->awake.data[i]];
		if (body->wet != IsWet(d, i))
			changed[count++] = body->birth << ID_INDEX_BITS | (uint32_t)d->awake.data[i];
	}
	qsort(changed, (size_t)count, sizeof *changed, OrderBirths);
	for (int i = 0; i < count; i++) {
		int slot = (int)(changed[i] & ((1u << ID_INDEX_BITS) - 1));
		Water_PushEvent(d, slot, d->bodies.data[slot].wet ? EVENT_WATER_EXIT : EVENT_WATER_ENTER);
	}
}

/* ---- what is asked ----------------------------------------------------------------------------------------------- */

float Body_Submerged(const Dynamics *d, int slot)
{
	const Body *body = &d->bodies.data[slot];
	SolverBody still = {.turn = QuatIdentity()};
	double under = 0.0, total = 0.0;
	for (int i = 0; i < body->part_count; i++) {
		const Part *part = &d->parts.data[body->first_part + i];
		WaterPart found;
		Vec3 center;
		if (Part_IsMesh(part))
			continue;
		total += (double)Part_Displaced(part);
		if (Water_Look(d, body->first_part + i, &found))
			under += (double)Submerged(&found, d, body, &still, body->pose.q, &center);
	}
	return total > 0.0 ? (float)ClampD(under / total, 0.0, 1.0) : 0.0f;
}
