/* Joints: making, breaking, destroying, and what is asked of them. */
#include "dynamics/dynamics_internal.h"

#include <stdio.h>

/* ---- lists ------------------------------------------------------------------------------------------------------- */

static void LinkBody(Dynamics *d, int joint, int side, int slot)
{
	Joint *j = &d->joints.data[joint];
	Body *body = &d->bodies.data[slot];
	j->link[side].previous = NONE;
	j->link[side].next = body->joints;
	if (body->joints != NONE)
		d->joints.data[body->joints >> 1].link[body->joints & 1].previous = joint * 2 + side;
	body->joints = joint * 2 + side;
	body->joint_count++;
}

static void UnlinkBody(Dynamics *d, int joint, int side, int slot)
{
	const Joint *j = &d->joints.data[joint];
	Body *body = &d->bodies.data[slot];
	int previous = j->link[side].previous, next = j->link[side].next;
	if (previous != NONE)
		d->joints.data[previous >> 1].link[previous & 1].next = next;
	else
		body->joints = next;
	if (next != NONE)
		d->joints.data[next >> 1].link[next & 1].previous = previous;
	body->joint_count--;
}

static void LinkWorld(Dynamics *d, int joint)
{
	Joint *j = &d->joints.data[joint];
	j->previous = d->last_joint;
	j->next = NONE;
	if (d->last_joint != NONE)
		d->joints.data[d->last_joint].next = joint;
	else
		d->first_joint = joint;
	d->last_joint = joint;
}

void Joint_Link(Dynamics *d, int slot)
{
	Joint *j = &d->joints.data[slot];
	j->alive = true;
	j->link[0].previous = j->link[0].next = NONE;
	if (j->body_a != NONE)
		LinkBody(d, slot, 0, j->body_a);
	LinkBody(d, slot, 1, j->body_b);
	LinkWorld(d, slot);
	d->holding_joints += !j->broken;
}

static void UnlinkWorld(Dynamics *d, const Joint *j)
{
	if (j->previous != NONE)
		d->joints.data[j->previous].next = j->next;
	else
		d->first_joint = j->next;
	if (j->next != NONE)
		d->joints.data[j->next].previous = j->previous;
	else
		d->last_joint = j->previous;
}

/* ---- places ------------------------------------------------------------------------------------------------------ */

static Vec3 TargetOf(const Joint *j)
{
	Pos p = j->settings.position;
	return V3((float)p.x, (float)p.y, (float)p.z);
}

JointPlace Joint_Place(const Dynamics *d, const Joint *j)
{
	const Body *b = &d->bodies.data[j->body_b];
	JointPlace place = {.arm_a = V3(0.0f, 0.0f, 0.0f), .frame_a = j->frame_a};
	Pos from = j->type == JOINT_ALIGN ? j->settings.position : j->world_anchor;
	if (j->body_a != NONE) {
		const Body *a = &d->bodies.data[j->body_a];
		Vec3 anchor = j->anchor_a;
		if (j->type == JOINT_ALIGN) /* its end at a is the target, which can be set */
			anchor = Sub(TargetOf(j), a->local_center);
		place.arm_a = Rotate(a->pose.q, anchor);
		place.frame_a = QuatMul(a->pose.q, j->frame_a);
		from = PosAdd(a->pose.p, place.arm_a);
	}
	place.arm_b = Rotate(b->pose.q, j->anchor_b);
	place.frame_b = QuatMul(b->pose.q, j->frame_b);
	place.gap = PosSub(PosAdd(b->pose.p, place.arm_b), from);
	return place;
}

double Joint_Twist(Quat frame_a, Quat frame_b, double near)
{
	Quat q = QuatInvMul(frame_a, frame_b);
	double angle = 2.0 * Trig_Atan2((double)q.x, (double)q.w);
	double turns = (near - angle) / (2.0 * PI);
	if (!(turns > -1e9 && turns < 1e9))
		return angle;
	return angle + 2.0 * PI * (double)FloorToInt(turns + 0.5);
}

/* Some rotation that takes x to the unit axis. */
static Quat FrameOfAxis(Vec3 axis)
{
	Vec3 y = Perpendicular(axis);
	return QuatNormalize(MatToQuat((Mat3){axis, y, Cross(axis, y)}));
}

/* ---- touching ---------------------------------------------------------------------------------------------------- */

bool Joint_Parts(const Dynamics *d, int body_a, int body_b)
{
	const Body *a = &d->bodies.data[body_a], *b = &d->bodies.data[body_b];
	if (a->joint_count == 0 || b->joint_count == 0)
		return false;
	int from = a->joint_count <= b->joint_count ? body_a : body_b, to = from == body_a ? body_b : body_a;
	for (int link = d->bodies.data[from].joints; link != NONE;) {
		const Joint *j = &d->joints.data[link >> 1];
		int other = (link & 1) ? j->body_a : j->body_b;
		if (other == to && !j->collide && !j->broken)
			return true;
		link = j->link[link & 1].next;
	}
	return false;
}

/* Contacts between two bodies: ends them, or only counts. */
static int EndContactsBetween(Dynamics *d, int body_a, int body_b, bool end)
{
	int count = 0;
	for (int link = d->bodies.data[body_b].contacts, next; link != NONE; link = next) {
		const Contact *c = &d->contacts.data[link >> 1];
		next = c->link[link & 1].next;
		if (((link & 1) ? c->body_a : c->body_b) != body_a)
			continue;
		count++;
		if (end)
			Contact_Destroy(d, link >> 1);
	}
	return count;
}

/* Parts that a joint kept from touching are looked at again. */
static void AllowContacts(Dynamics *d, const Joint *j)
{
	if (j->collide || j->body_a == NONE)
		return;
	const Body *a = &d->bodies.data[j->body_a], *b = &d->bodies.data[j->body_b];
	const Body *body = a->part_count < b->part_count ? a : b;
	for (int i = 0; i < body->part_count; i++)
		Part_MarkMoved(d, body->first_part + i);
}

/* ---- making ------------------------------------------------------------------------------------------------------ */

static bool WakeBoth(Dynamics *d, int body_a, int body_b, const char *reason)
{
	return Dynamics_ReserveWakes(d, 0) && (body_a == NONE || Sleep_Wake(d, body_a, reason)) &&
	       (body_b == NONE || Sleep_Wake(d, body_b, reason));
}

static Joint JointFrom(const Dynamics *d, const JointDef *def)
{
	Joint j = {.type = def->type, .alive = true, .collide = def->collide, .settings = def->settings};
	Pos anchor_a = def->anchor_a, anchor_b = def->anchor_b;
	j.body_a = def->a;
	j.body_b = def->b;
	j.reversed = def->b == NONE;
	if (j.reversed) {
		j.body_a = NONE;
		j.body_b = def->a;
		anchor_a = def->anchor_b;
		anchor_b = def->anchor_a;
	}
	Quat frame = FrameOfAxis(def->axis);
	j.frame_a = frame;
	j.world_anchor = anchor_a;
	if (j.body_a != NONE) {
		Pose pose = d->bodies.data[j.body_a].pose;
		j.frame_a = QuatNormalize(QuatInvMul(pose.q, frame));
		j.anchor_a = PoseInvPoint(pose, anchor_a);
	}
	Pose pose = d->bodies.data[j.body_b].pose;
	j.frame_b = QuatNormalize(QuatInvMul(pose.q, frame));
	j.anchor_b = PoseInvPoint(pose, anchor_b);
	if (def->type == JOINT_ALIGN)
		j.frame_a = j.frame_b = QuatIdentity(); /* what is aligned are the bodies' own axes */
	Joint_NoteSettings(&j);
	return j;
}

Id Joint_Create(Dynamics *d, const JointDef *def)
{
	int slot;
	Id id = IdPool_Take(&d->joint_ids, d->memory, &slot);
	if (id == ID_NONE)
		return ID_NONE;
	int touching = 0;
	bool parts = !def->collide && def->a != NONE && def->b != NONE;
	if (parts)
		touching = EndContactsBetween(d, def->a, def->b, false);
	if (!Array_Reserve(d->memory, d->joints, slot + 1) || !Dynamics_ReserveWakes(d, touching) ||
	    !WakeBoth(d, def->a, def->b, "joined")) {
		IdPool_Undo(&d->joint_ids, slot);
		return ID_NONE;
	}
	for (; d->joints.count <= slot; d->joints.count++)
		d->joints.data[d->joints.count] = (Joint){.alive = false};
	Joint made = JointFrom(d, def);
	made.birth = d->joint_births++;
	d->joints.data[slot] = made;
	Joint_Link(d, slot);
	if (parts)
		EndContactsBetween(d, def->a, def->b, true);
	return id;
}

static void Remove(Dynamics *d, int slot)
{
	Joint *j = &d->joints.data[slot];
	if (j->body_a != NONE)
		UnlinkBody(d, slot, 0, j->body_a);
	UnlinkBody(d, slot, 1, j->body_b);
	UnlinkWorld(d, j);
	d->holding_joints -= !j->broken;
	j->alive = false;
	IdPool_Return(&d->joint_ids, slot);
}

bool Joint_Destroy(Dynamics *d, int slot)
{
	const Joint *j = &d->joints.data[slot];
	if (!j->broken && !WakeBoth(d, j->body_a, j->body_b, "joint destroyed"))
		return false;
	if (!j->broken)
		AllowContacts(d, j);
	Remove(d, slot);
	return true;
}

void Joint_DestroyAll(Dynamics *d, int body)
{
	while (d->bodies.data[body].joints != NONE) {
		int slot = d->bodies.data[body].joints >> 1;
		Remove(d, slot);
	}
}

void Joint_Break(Dynamics *d, int slot)
{
	Joint *j = &d->joints.data[slot];
	JointState state = Joint_State(d, slot);
	j->broken = true;
	d->holding_joints--;
	memset(j->impulse, 0, sizeof j->impulse);
	AllowContacts(d, j);
	SCREE_ASSERT(d->events.count < d->events.capacity);
	d->events.data[d->events.count++] = (Event){.kind = EVENT_JOINT_BREAK,
	                                            .a = state.a,
	                                            .b = state.b,
	                                            .part_a = -1,
	                                            .part_b = -1,
	                                            .position = state.anchor_b,
	                                            .impulse = Length(state.impulse),
	                                            .joint = Joint_Id(d, slot)};
}

/* ---- what is asked ----------------------------------------------------------------------------------------------- */

int Joint_Find(const Dynamics *d, Id id)
{
	return IdPool_Find(&d->joint_ids, id);
}
Id Joint_Id(const Dynamics *d, int joint)
{
	return IdPool_IdAt(&d->joint_ids, joint);
}
int Joint_First(const Dynamics *d)
{
	return d->first_joint;
}
int Joint_Next(const Dynamics *d, int joint)
{
	return d->joints.data[joint].next;
}
bool Joint_IsBroken(const Dynamics *d, int joint)
{
	return d->joints.data[joint].broken;
}
JointType Joint_Type(const Dynamics *d, int joint)
{
	return d->joints.data[joint].type;
}
JointSettings Joint_Settings(const Dynamics *d, int joint)
{
	return d->joints.data[joint].settings;
}

void Joint_Bodies(const Dynamics *d, int joint, int *a, int *b)
{
	const Joint *j = &d->joints.data[joint];
	*a = j->reversed ? j->body_b : j->body_a;
	*b = j->reversed ? j->body_a : j->body_b;
}

bool Joint_SetSettings(Dynamics *d, int slot, const JointSettings *settings)
{
	Joint *j = &d->joints.data[slot];
	if (!j->broken && !WakeBoth(d, j->body_a, j->body_b, "joint changed"))
		return false;
	j->settings = *settings;
	Joint_NoteSettings(j);
	return true;
}

int Body_NextJoint(const Dynamics *d, int slot, bool broken, int *cursor)
{
	int link = *cursor == NONE ? d->bodies.data[slot].joints : *cursor;
	while (link >= 0) {
		const Joint *j = &d->joints.data[link >> 1];
		int next = j->link[link & 1].next;
		*cursor = next == NONE ? -2 : next; /* past the end */
		if (broken || !j->broken)
			return link >> 1;
		link = *cursor;
	}
	return NONE;
}

static double LeanAngle(Quat frame_a, Quat frame_b)
{
	Vec3 x = V3(1.0f, 0.0f, 0.0f);
	Vec3 a = Rotate(frame_a, x), b = Rotate(frame_b, x);
	return Trig_Atan2((double)Length(Cross(a, b)), (double)Dot(a, b));
}

JointState Joint_State(const Dynamics *d, int slot)
{
	const Joint *j = &d->joints.data[slot];
	JointPlace place = Joint_Place(d, j);
	int a, b;
	Joint_Bodies(d, slot, &a, &b);
	JointState state = {.type = j->type,
	                    .a = a == NONE ? ID_NONE : Body_Id(d, a),
	                    .b = b == NONE ? ID_NONE : Body_Id(d, b),
	                    .collide = j->collide,
	                    .broken = j->broken,
	                    .axis = Rotate(place.frame_a, V3(1.0f, 0.0f, 0.0f)),
	                    .impulse = j->total_linear,
	                    .angular_impulse = j->total_angular};
	Pos end_b = PosAdd(d->bodies.data[j->body_b].pose.p, place.arm_b);
	Pos end_a = j->type == JOINT_ALIGN ? j->settings.position : j->world_anchor;
	if (j->body_a != NONE)
		end_a = PosAdd(d->bodies.data[j->body_a].pose.p, place.arm_a);
	state.anchor_a = j->reversed ? end_b : end_a;
	state.anchor_b = j->reversed ? end_a : end_b;
	bool along = j->type == JOINT_SLIDER || j->type == JOINT_CYLINDRICAL;
	state.distance = along ? (double)Dot(place.gap, state.axis) : (double)Length(place.gap);
	if (j->type == JOINT_BALL)
		state.angle = LeanAngle(place.frame_a, place.frame_b);
	else
		state.angle = Joint_Twist(place.frame_a, place.frame_b, j->angle);
	return state;
}

/* ---- mechanisms -------------------------------------------------------------------------------------------------- */

static int FindRoot(int *parent, int i)
{
	while (parent[i] != i) {
		parent[i] = parent[parent[i]];
		i = parent[i];
	}
	return i;
}

static bool Holds(const Joint *j)
{
	return j->alive && !j->broken;
}

static void FindGroups(const Dynamics *d, int *parent)
{
	for (int i = 0; i < d->bodies.count; i++)
		parent[i] = i;
	for (int slot = d->first_joint; slot != NONE; slot = d->joints.data[slot].next) {
		const Joint *j = &d->joints.data[slot];
		if (j->broken || j->body_a == NONE)
			continue;
		int a = FindRoot(parent, j->body_a), b = FindRoot(parent, j->body_b);
		parent[Int_Max(a, b)] = Int_Min(a, b);
	}
}

static bool IsJoined(const Dynamics *d, int body)
{
	int cursor = NONE;
	return Body_NextJoint(d, body, false, &cursor) != NONE;
}

bool Dynamics_Mechanisms(const Dynamics *d, int only, Memory *memory, MechanismList *out)
{
	size_t bytes = sizeof(int) * (size_t)d->bodies.count;
	int *parent = Memory_Alloc(memory, bytes), *number = Memory_Alloc(memory, bytes);
	bool ok = bytes == 0 || (parent && number);
	int groups = 0;
	if (ok && bytes > 0) {
		FindGroups(d, parent);
		memset(number, 0xFF, bytes);
	}
	int wanted = ok && only != NONE ? FindRoot(parent, only) : NONE;
	for (int body = d->first_body; ok && body != NONE; body = d->bodies.data[body].next) {
		int root = FindRoot(parent, body);
		if (only == NONE ? !IsJoined(d, body) : root != wanted)
			continue;
		if (number[root] < 0)
			number[root] = groups++;
		ok = Array_Reserve(memory, *out, out->count + 2);
		if (ok) {
			out->data[out->count++] = body;
			out->data[out->count++] = number[root];
		}
	}
	Memory_Free(memory, parent, bytes);
	Memory_Free(memory, number, bytes);
	return ok;
}

/* ---- hash, validation -------------------------------------------------------------------------------------------- */

static void HashSettings(const JointSettings *s, Hasher *hasher)
{
	double numbers[] = {
	    s->limited,     s->low,          s->high,       s->twist_limited, s->twist_low,      s->twist_high,
	    s->cone,        s->friction,     s->motor,      s->motor_speed,   s->motor_target,   s->motor_max,
	    s->length,      s->by_stiffness, s->stiffness,  s->damping,       s->drive_position, s->drive_rotation,
	    s->position.x,  s->position.y,   s->position.z, s->rotation.x,    s->rotation.y,     s->rotation.z,
	    s->rotation.w,  s->max_speed,    s->max_turn,   s->max_force,     s->max_torque,     s->response,
	    s->break_force, s->break_torque};
	Hasher_Bytes(hasher, numbers, sizeof numbers);
}

/* In order of creation. */
void Joint_Hash(const Dynamics *d, Hasher *hasher)
{
	for (int slot = d->first_joint; slot != NONE; slot = d->joints.data[slot].next) {
		const Joint *j = &d->joints.data[slot];
		double numbers[] = {Joint_Id(d, slot), j->type,           j->broken,         j->collide,    j->body_a,
		                    j->body_b,         j->angle,          j->step,           j->reversed,   j->anchor_a.x,
		                    j->anchor_a.y,     j->anchor_a.z,     j->anchor_b.x,     j->anchor_b.y, j->anchor_b.z,
		                    j->world_anchor.x, j->world_anchor.y, j->world_anchor.z, j->frame_a.x,  j->frame_a.y,
		                    j->frame_a.z,      j->frame_a.w,      j->frame_b.x,      j->frame_b.y,  j->frame_b.z,
		                    j->frame_b.w};
		Hasher_Bytes(hasher, numbers, sizeof numbers);
		Hasher_Bytes(hasher, j->impulse, sizeof j->impulse);
		HashSettings(&j->settings, hasher);
	}
}

bool Joint_Validate(const Dynamics *d, char *why, size_t why_size)
{
	int count = 0, holding = 0;
	for (int slot = d->first_joint; slot != NONE; slot = d->joints.data[slot].next, count++) {
		const Joint *j = &d->joints.data[slot];
		holding += Holds(j);
		for (int side = j->body_a == NONE; side < 2; side++) {
			int body = side ? j->body_b : j->body_a, previous = j->link[side].previous;
			int there =
			    previous == NONE ? d->bodies.data[body].joints : d->joints.data[previous >> 1].link[previous & 1].next;
			if (IdPool_IdAt(&d->ids, body) == ID_NONE || there != slot * 2 + side) {
				snprintf(why, why_size, "joint %d is not in the list of body %d", slot, body);
				return false;
			}
		}
	}
	if (count != d->joint_ids.live || holding != d->holding_joints) {
		snprintf(why, why_size, "%d joints linked, %d alive; %d hold, %d counted", count, d->joint_ids.live, holding,
		         d->holding_joints);
		return false;
	}
	return true;
}
