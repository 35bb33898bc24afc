/* Bodies: what is set, what pushes them, and that it wakes them. */
#include "dynamics/dynamics_internal.h"

bool Body_Disturb(Dynamics *d, int slot, const char *reason)
{
	int awake = d->awake.count;
	if (!Dynamics_ReserveWakes(d, 0) || !Sleep_WakeNeighbours(d, slot, reason) || !Sleep_WakeStack(d, slot, reason))
		return false;
	Sleep_ForgetLoads(d, awake);
	return true;
}

static void Body_Replace(Dynamics *d, int slot, Pose pose)
{
	Body *body = &d->bodies.data[slot];
	body->pose = pose;
	body->moved_in = 0;
	body->spin.holds = false;
	Body_UpdateBoxes(d, body, V3(0.0f, 0.0f, 0.0f));
	for (int i = 0; i < body->part_count; i++)
		Part_MarkMoved(d, body->first_part + i);
}

bool Body_SetOrigin(Dynamics *d, int slot, Pos origin)
{
	if (!Body_Disturb(d, slot, "moved"))
		return false;
	Body *body = &d->bodies.data[slot];
	Body_Replace(d, slot, (Pose){PosAdd(origin, Rotate(body->pose.q, body->local_center)), body->pose.q});
	return true;
}

bool Body_SetRotation(Dynamics *d, int slot, Quat rotation)
{
	if (!Body_Disturb(d, slot, "turned"))
		return false;
	Body *body = &d->bodies.data[slot];
	Pos origin = Body_Origin(d, slot);
	Body_Replace(d, slot, (Pose){PosAdd(origin, Rotate(rotation, body->local_center)), rotation});
	return true;
}

/* Sets both velocities. A kinematic body enters or leaves the awake list by whether it moves; static ones keep still.
 */
static bool Body_SetMotionState(Dynamics *d, int slot, Vec3 velocity, Vec3 angular)
{
	Body *body = &d->bodies.data[slot];
	if (body->motion == MOTION_STATIC)
		return true;
	Vec3 old_velocity = body->velocity, old_angular = body->angular_velocity;
	if (body->motion == MOTION_DYNAMIC && !Sleep_Wake(d, slot, "velocity set"))
		return false;
	body->velocity = velocity;
	body->angular_velocity = angular;
	if (body->motion == MOTION_KINEMATIC && !Body_ListAwake(d, slot)) {
		body->velocity = old_velocity;
		body->angular_velocity = old_angular;
		return false;
	}
	body->still_time = 0.0f;
	body->drive_time = 0.0f;
	return true;
}

bool Body_SetVelocity(Dynamics *d, int slot, Vec3 velocity)
{
	return Body_SetMotionState(d, slot, velocity, d->bodies.data[slot].angular_velocity);
}

bool Body_SetAngularVelocity(Dynamics *d, int slot, Vec3 velocity)
{
	return Body_SetMotionState(d, slot, d->bodies.data[slot].velocity, velocity);
}

/* The velocities that bring a kinematic body to a place in dt. */
bool Body_MoveTo(Dynamics *d, int slot, Pos origin, Quat rotation, float dt)
{
	Body *body = &d->bodies.data[slot];
	Pos target = PosAdd(origin, Rotate(rotation, body->local_center));
	Vec3 velocity = Scale(1.0f / dt, PosSub(target, body->pose.p));
	Quat turn = QuatMul(rotation, QuatConj(body->pose.q));
	if (turn.w < 0.0f)
		turn = (Quat){-turn.x, -turn.y, -turn.z, -turn.w};
	Vec3 axis = V3(turn.x, turn.y, turn.z);
	float sine = Length(axis);
	Vec3 angular = V3(0.0f, 0.0f, 0.0f);
	if (sine > 1e-9f)
		angular = Scale(2.0f * (float)Trig_Atan2((double)sine, (double)turn.w) / (sine * dt), axis);
	if (!Body_SetMotionState(d, slot, velocity, angular))
		return false;
	body->drive_time = dt;
	return true;
}

static void RemoveLeaves(Dynamics *d, const Body *body)
{
	for (int i = 0; i < body->part_count; i++)
		BoxTree_Remove(Body_Tree(d, body), d->parts.data[body->first_part + i].leaf);
}

static void InsertLeaves(Dynamics *d, const Body *body)
{
	for (int i = 0; i < body->part_count; i++) {
		Part *part = &d->parts.data[body->first_part + i];
		WorldBox box = WorldBoxGrow(Part_Box(d, part), (double)BOX_MARGIN);
		Part_EnterTree(d, body->first_part + i, box);
		Part_MarkMoved(d, body->first_part + i);
	}
}

/* Ends what its kind of motion no longer allows: contacts of two that are both not dynamic, and those with the ground.
 */
void Body_EndContacts(Dynamics *d, Body *body)
{
	for (int link = body->contacts, next; link != NONE; link = next) {
		const Contact *c = &d->contacts.data[link >> 1];
		next = c->link[link & 1].next;
		bool goes_on =
		    c->part_a == NONE ? body->motion == MOTION_DYNAMIC : Parts_ShouldCollide(d, c->part_a, c->part_b);
		if (!goes_on)
			Contact_Destroy(d, link >> 1);
	}
	for (int i = 0; i < body->part_count && body->motion != MOTION_DYNAMIC; i++)
		Ground_Close(d, &d->parts.data[body->first_part + i]);
}

/* A touch that goes on is the same contact still. */
bool Body_SetMotion(Dynamics *d, int slot, Motion motion)
{
	Body *body = &d->bodies.data[slot];
	if (body->motion == motion)
		return true;
	if (!Dynamics_ReserveWakes(d, body->contact_count + 1) || !Sleep_WakeNeighbours(d, slot, "motion changed") ||
	    !Sleep_Wake(d, slot, "motion changed") || /* so that events say of what is dynamic whether it sleeps */
	    !Contact_ReserveEvents(d, body->contact_count + 1) || !Array_Reserve(d->memory, d->awake, d->awake.count + 1) ||
	    !Array_Reserve(d->memory, d->awake_contacts, d->awake_contacts.count + body->contact_count))
		return false;
	RemoveLeaves(d, body);
	d->sleepers -= Body_IsSleeper(body);
	body->motion = motion;
	d->sleepers += Body_IsSleeper(body);
	Body_EndContacts(d, body);
	if (body->wet && motion != MOTION_DYNAMIC)
		Water_PushEvent(d, slot, EVENT_WATER_EXIT);
	Body_UnlistAwake(d, slot);
	if (motion == MOTION_STATIC)
		body->velocity = body->angular_velocity = V3(0.0f, 0.0f, 0.0f);
	body->force = body->torque = V3(0.0f, 0.0f, 0.0f);
	body->spin.holds = false;
	Body_SetInverseMass(body);
	InsertLeaves(d, body);
	Body_ListAwake(d, slot); /* room was made */
	for (int link = body->contacts; link != NONE; link = d->contacts.data[link >> 1].link[link & 1].next)
		if (d->contacts.data[link >> 1].awake_place != NONE)
			d->pairs.data[link >> 1] = Contact_Pair(d, &d->contacts.data[link >> 1]);
	return true;
}

bool Body_SetCanSleep(Dynamics *d, int slot, bool can_sleep)
{
	if (!can_sleep && !Sleep_Wake(d, slot, "may not sleep"))
		return false;
	d->bodies.data[slot].can_sleep = can_sleep;
	return true;
}

void Body_SetBullet(Dynamics *d, int slot, bool bullet)
{
	d->bodies.data[slot].bullet = bullet;
}

bool Body_SetGravityScale(Dynamics *d, int slot, float scale)
{
	if (!Sleep_Wake(d, slot, "gravity scale set"))
		return false;
	d->bodies.data[slot].gravity_scale = scale;
	return true;
}

bool Body_ApplyForce(Dynamics *d, int slot, Vec3 force, Vec3 torque)
{
	Body *body = &d->bodies.data[slot];
	if (body->motion != MOTION_DYNAMIC || (LengthSq(force) == 0.0f && LengthSq(torque) == 0.0f))
		return true;
	if (!Sleep_Wake(d, slot, "force"))
		return false;
	body->force = Add(body->force, force);
	body->torque = Add(body->torque, torque);
	return true;
}

bool Body_ApplyImpulse(Dynamics *d, int slot, Vec3 impulse, Vec3 angular)
{
	Body *body = &d->bodies.data[slot];
	if (body->motion != MOTION_DYNAMIC || (LengthSq(impulse) == 0.0f && LengthSq(angular) == 0.0f))
		return true;
	if (!Sleep_Wake(d, slot, "impulse"))
		return false;
	body->velocity = MulAdd(body->velocity, body->inverse_mass, impulse);
	Vec3 local = MatMulV(body->inverse_inertia, InvRotate(body->pose.q, angular));
	body->angular_velocity = Add(body->angular_velocity, Rotate(body->pose.q, local));
	return true;
}

bool Body_Wake(Dynamics *d, int slot, const char *reason)
{
	if (!Sleep_Wake(d, slot, reason))
		return false;
	d->bodies.data[slot].still_time = 0.0f;
	return true;
}

SleepLimits Body_SleepLimits(const Dynamics *d, int body)
{
	return d->bodies.data[body].limits;
}

bool Body_SetSleepLimits(Dynamics *d, int slot, SleepLimits limits)
{
	if (!Sleep_Wake(d, slot, "sleep limits set"))
		return false;
	d->bodies.data[slot].limits = limits;
	return true;
}
