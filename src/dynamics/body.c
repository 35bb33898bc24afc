/* Bodies: making, destroying, and what is asked of them. */
#include "dynamics/dynamics_internal.h"

/* ---- making ------------------------------------------------------------------------------------------------------ */

static void Body_Link(Dynamics *d, int slot)
{
	Body *body = &d->bodies.data[slot];
	body->previous = d->last_body;
	body->next = NONE;
	if (d->last_body != NONE)
		d->bodies.data[d->last_body].next = slot;
	else
		d->first_body = slot;
	d->last_body = slot;
}

static void Body_Unlink(Dynamics *d, const Body *body)
{
	if (body->previous != NONE)
		d->bodies.data[body->previous].next = body->next;
	else
		d->first_body = body->next;
	if (body->next != NONE)
		d->bodies.data[body->next].previous = body->previous;
	else
		d->last_body = body->previous;
}

/* Everything that making the body needs, so that what follows cannot fail. Takes the handle and the parts' run last. */
static bool Body_Reserve(Dynamics *d, int part_count, Id *id, int *slot, int *first_part)
{
	int leaves = part_count + d->parts.count;
	if (!BoxTree_Reserve(&d->fixed_tree, d->memory, leaves) || !BoxTree_Reserve(&d->moving_tree, d->memory, leaves) ||
	    !Array_Reserve(d->memory, d->awake, d->awake.count + 1))
		return false;
	int run_class = RunPool_Class(part_count);
	*first_part = RunPool_Take(&d->part_runs, d->memory, run_class);
	if (*first_part == NONE)
		return false;
	int high = *first_part + (1 << run_class);
	*id = ID_NONE;
	if (Parts_Reserve(d, high))
		*id = IdPool_Take(&d->ids, d->memory, slot);
	if (*id != ID_NONE && Array_Reserve(d->memory, d->bodies, *slot + 1)) {
		while (d->parts.count < high)
			Parts_Add(d, d->parts.count);
		d->bodies.count = Int_Max(d->bodies.count, *slot + 1);
		return true;
	}
	if (*id != ID_NONE)
		IdPool_Undo(&d->ids, *slot);
	RunPool_Return(&d->part_runs, *first_part, run_class);
	return false;
}

static void Body_InitParts(Dynamics *d, Body *body, int slot, const BodyDef *def)
{
	body->outer_radius = 0.0f;
	body->inner_radius = FLT_MAX;
	for (int i = 0; i < def->part_count; i++) {
		Part *part = &d->parts.data[body->first_part + i];
		*part = (Part){.def = def->parts[i], .body = slot, .index = i, .terrain_contact = NONE};
		part->local = part->def.placement;
		part->local.p = Sub(part->local.p, body->local_center);
		part->outer_radius = Shape_OuterRadius(&part->def.shape);
		part->inner_radius = Shape_InnerRadius(&part->def.shape);
		body->outer_radius = Max(body->outer_radius, Length(part->local.p) + part->outer_radius);
		body->inner_radius = Min(body->inner_radius, part->inner_radius);
		WorldBox box = WorldBoxGrow(Part_Box(d, part), (double)BOX_MARGIN);
		Part_EnterTree(d, body->first_part + i, box);
		Part_MarkMoved(d, body->first_part + i); /* the slot's last owner may have been listed */
	}
}

Id Body_Create(Dynamics *d, const BodyDef *def, Error *error)
{
	MassProps mass = def->mass;
	bool told = def->has_mass && def->has_center && def->has_inertia;
	for (int i = 0; i < def->part_count && def->motion != MOTION_STATIC; i++)
		if (def->parts[i].shape.kind == SHAPE_MESH) {
			Error_Set(error, ERROR_ARGUMENT,
			          "a mesh must be static: it has a surface, but no inside that could be moved");
			return ID_NONE;
		}
	if (!told && !Mass_OfParts(d, def->parts, def->part_count, &mass)) {
		Error_OutOfMemory(error);
		return ID_NONE;
	}
	if (def->has_mass && !told) {
		float ratio = def->mass.mass / mass.mass;
		mass.mass = def->mass.mass;
		mass.inertia =
		    (Mat3){Scale(ratio, mass.inertia.cx), Scale(ratio, mass.inertia.cy), Scale(ratio, mass.inertia.cz)};
	}
	if (def->has_center)
		mass.center = def->mass.center;
	if (def->has_inertia)
		mass.inertia = def->mass.inertia;
	if (Mass_Check(&mass, error) != ERROR_NONE)
		return ID_NONE;
	Id id;
	int slot, first_part;
	if (!Body_Reserve(d, def->part_count, &id, &slot, &first_part)) {
		Error_OutOfMemory(error);
		return ID_NONE;
	}
	Body *body = &d->bodies.data[slot];
	*body = (Body){
	    .pose = {PosAdd(def->origin, Rotate(def->rotation, mass.center)), def->rotation},
	    .velocity = def->velocity,
	    .angular_velocity = def->angular_velocity,
	    .local_center = mass.center,
	    .mass = mass.mass,
	    .inertia = mass.inertia,
	    .gravity_scale = def->gravity_scale,
	    .motion = def->motion,
	    .asleep = true,
	    .can_sleep = def->can_sleep,
	    .bullet = def->bullet,
	    .awake_place = NONE,
	    .watch_place = NONE,
	    .give_turn = QuatIdentity(),
	    .limits = {-1.0f, -1.0f, -1.0f, -1.0f},
	    .first_part = first_part,
	    .part_count = def->part_count,
	    .contacts = NONE,
	    .joints = NONE,
	    .birth = d->body_births++,
	    .piece = def->piece,
	};
	if (def->motion == MOTION_STATIC)
		body->velocity = body->angular_velocity = V3(0.0f, 0.0f, 0.0f);
	Body_SetInverseMass(body);
	Body_Link(d, slot);
	Body_InitParts(d, body, slot, def);
	d->sleepers += Body_IsSleeper(body);
	Body_ListAwake(d, slot);
	return id;
}

/* Everything that making many bodies needs. The runs of each size may have to be cut anew. */
bool Dynamics_Reserve(Dynamics *d, const int *part_counts, int bodies, int events)
{
	int64_t leaves = d->parts.count, used = d->part_runs.used;
	int cut[RUN_CLASSES] = {0};
	for (int i = 0; i < bodies; i++) {
		int run_class = RunPool_Class(part_counts[i]);
		if (run_class >= RUN_CLASSES)
			return false;
		cut[run_class]++;
		leaves += part_counts[i];
		used += 1 << run_class;
	}
	if (leaves > PART_LIMIT || used > PART_LIMIT)
		return false;
	for (int k = 0; k < RUN_CLASSES; k++)
		if (cut[k] > 0 && !Array_Reserve(d->memory, d->part_runs.unused[k], d->part_runs.cut[k] + cut[k]))
			return false;
	return BoxTree_Reserve(&d->fixed_tree, d->memory, (int)leaves) &&
	       BoxTree_Reserve(&d->moving_tree, d->memory, (int)leaves) && Parts_Reserve(d, (int)used) &&
	       IdPool_Reserve(&d->ids, d->memory, bodies) &&
	       Array_Reserve(d->memory, d->bodies, d->ids.generation.count + bodies) &&
	       Array_Reserve(d->memory, d->awake, d->awake.count + bodies) && Contact_ReserveEvents(d, events);
}

const Piece *Body_Piece(const Dynamics *d, int body)
{
	return d->bodies.data[body].piece;
}

void Dynamics_PushDetach(Dynamics *d, int body, Pos position, int64_t cells, const char *cause)
{
	SCREE_ASSERT(d->events.count < d->events.capacity);
	d->events.data[d->events.count++] = (Event){.kind = EVENT_DETACH,
	                                            .a = body == NONE ? ID_NONE : IdPool_IdAt(&d->ids, body),
	                                            .part_a = -1,
	                                            .part_b = -1,
	                                            .position = position,
	                                            .reason = cause,
	                                            .cells = cells};
}

bool Body_ReserveDestroy(Dynamics *d, int slot)
{
	return Dynamics_ReserveWakes(d, d->bodies.data[slot].contact_count + 1);
}

bool Body_PrepareDestroy(Dynamics *d, int slot, const char *reason)
{
	const Body *body = &d->bodies.data[slot];
	int awake = d->awake.count;
	/* waking uses up room for events, so it comes first */
	d->dying = slot;
	bool ok = Body_ReserveDestroy(d, slot) && Sleep_WakeNeighbours(d, slot, reason) &&
	          Contact_ReserveEvents(d, body->contact_count + 1);
	d->dying = NONE;
	if (ok)
		Sleep_ForgetLoads(d, awake);
	return ok;
}

bool Body_Destroy(Dynamics *d, int slot)
{
	Body *body = &d->bodies.data[slot];
	if (!Body_PrepareDestroy(d, slot, "support destroyed"))
		return false;
	while (body->contacts != NONE)
		Contact_Destroy(d, body->contacts >> 1);
	Joint_DestroyAll(d, slot);
	if (body->wet)
		Water_PushEvent(d, slot, EVENT_WATER_EXIT);
	Body_UnlistAwake(d, slot);
	d->sleepers -= body->motion == MOTION_DYNAMIC;
	Watch_Drop(d, slot);
	for (int i = 0; i < body->part_count; i++) {
		Part *part = &d->parts.data[body->first_part + i];
		BoxTree_Remove(Body_Tree(d, body), part->leaf);
		Shape_Free(d->memory, &part->def.shape);
		Ground_Close(d, part);
		part->body = NONE; /* it may stay in the list of moved parts, which skips it */
	}
	RunPool_Return(&d->part_runs, body->first_part, RunPool_Class(body->part_count));
	Body_Unlink(d, body);
	Piece_Destroy(d->memory, body->piece);
	body->piece = NULL;
	IdPool_Return(&d->ids, slot);
	return true;
}

/* ---- names and order --------------------------------------------------------------------------------------------- */

int Body_Find(const Dynamics *d, Id id)
{
	return IdPool_Find(&d->ids, id);
}
Id Body_Id(const Dynamics *d, int body)
{
	return IdPool_IdAt(&d->ids, body);
}
int Body_Count(const Dynamics *d)
{
	return d->ids.live;
}
int Body_First(const Dynamics *d)
{
	return d->first_body;
}
int Body_Next(const Dynamics *d, int body)
{
	return d->bodies.data[body].next;
}
uint64_t Body_Birth(const Dynamics *d, int body)
{
	return d->bodies.data[body].birth;
}

/* ---- what is asked ----------------------------------------------------------------------------------------------- */

Pos Body_Origin(const Dynamics *d, int slot)
{
	const Body *body = &d->bodies.data[slot];
	Vec3 center = body->local_center;
	if (center.x == 0.0f && center.y == 0.0f && center.z == 0.0f)
		return body->pose.p; /* of most bodies; scripts read it more than anything else */
	return PosAdd(body->pose.p, Neg(Rotate(body->pose.q, center)));
}

Pose Body_Pose(const Dynamics *d, int body)
{
	return d->bodies.data[body].pose;
}
/* Rotations by their chord, which is as good for the turn of one step. */
void Body_Between(const Dynamics *d, int slot, double alpha, Pos *origin, Quat *rotation)
{
	const Body *body = &d->bodies.data[slot];
	Pose pose = body->pose;
	if (body->moved_in == d->steps) {
		Pose from = body->before;
		float share = (float)alpha, sign = 1.0f;
		if (pose.q.x * from.q.x + pose.q.y * from.q.y + pose.q.z * from.q.z + pose.q.w * from.q.w < 0.0f)
			sign = -1.0f;
		float old = sign * (1.0f - share);
		pose.p.x = from.p.x + alpha * (pose.p.x - from.p.x);
		pose.p.y = from.p.y + alpha * (pose.p.y - from.p.y);
		pose.p.z = from.p.z + alpha * (pose.p.z - from.p.z);
		pose.q = QuatNormalize((Quat){share * pose.q.x + old * from.q.x, share * pose.q.y + old * from.q.y,
		                              share * pose.q.z + old * from.q.z, share * pose.q.w + old * from.q.w});
	}
	*origin = PosAdd(pose.p, Neg(Rotate(pose.q, body->local_center)));
	*rotation = pose.q;
}

Vec3 Body_Velocity(const Dynamics *d, int body)
{
	return d->bodies.data[body].velocity;
}
Vec3 Body_AngularVelocity(const Dynamics *d, int body)
{
	return d->bodies.data[body].angular_velocity;
}
float Body_Mass(const Dynamics *d, int body)
{
	return d->bodies.data[body].mass;
}
Mat3 Body_Inertia(const Dynamics *d, int body)
{
	return d->bodies.data[body].inertia;
}
Motion Body_Motion(const Dynamics *d, int body)
{
	return d->bodies.data[body].motion;
}
bool Body_CanSleep(const Dynamics *d, int body)
{
	return d->bodies.data[body].can_sleep;
}
bool Body_Bullet(const Dynamics *d, int body)
{
	return d->bodies.data[body].bullet;
}
float Body_GravityScale(const Dynamics *d, int body)
{
	return d->bodies.data[body].gravity_scale;
}
int Body_PartCount(const Dynamics *d, int body)
{
	return d->bodies.data[body].part_count;
}
int Body_Part(const Dynamics *d, int body, int index)
{
	return d->bodies.data[body].first_part + index;
}

bool Body_HasMesh(const Dynamics *d, int slot)
{
	const Body *body = &d->bodies.data[slot];
	for (int i = 0; i < body->part_count; i++)
		if (Part_IsMesh(&d->parts.data[body->first_part + i]))
			return true;
	return false;
}

Vec3 Body_VelocityAt(const Dynamics *d, int slot, Pos point)
{
	const Body *body = &d->bodies.data[slot];
	return PointVelocity(body, PosSub(point, body->pose.p));
}

SleepState Body_State(const Dynamics *d, int body)
{
	if (Body_IsAwake(&d->bodies.data[body]))
		return STATE_AWAKE;
	return d->bodies.data[body].watch_place != NONE ? STATE_CHECKING : STATE_ASLEEP;
}

WorldBox Body_Bounds(const Dynamics *d, int slot)
{
	const Body *body = &d->bodies.data[slot];
	WorldBox box = Part_Box(d, &d->parts.data[body->first_part]);
	for (int i = 1; i < body->part_count; i++)
		box = WorldBoxUnion(box, Part_Box(d, &d->parts.data[body->first_part + i]));
	return box;
}

void Body_NetImpulse(const Dynamics *d, int slot, Vec3 *linear, Vec3 *angular)
{
	*linear = d->bodies.data[slot].net_linear;
	*angular = d->bodies.data[slot].net_angular;
}

/* ---- the awake list ---------------------------------------------------------------------------------------------- */

static bool Body_Moves(const Body *body)
{
	if (body->motion == MOTION_KINEMATIC)
		return LengthSq(body->velocity) > 0.0f || LengthSq(body->angular_velocity) > 0.0f;
	return body->motion == MOTION_DYNAMIC;
}

bool Body_ListAwake(Dynamics *d, int slot)
{
	Body *body = &d->bodies.data[slot];
	if (Body_IsAwake(body) || !Body_Moves(body))
		return true;
	if (!Array_Reserve(d->memory, d->awake, d->awake.count + 1) ||
	    !Array_Reserve(d->memory, d->awake_contacts, d->awake_contacts.count + body->contact_count))
		return false;
	body->awake_place = d->awake.count;
	body->asleep = false;
	d->sleepers -= body->motion == MOTION_DYNAMIC;
	body->before = body->pose;
	body->moved_in = d->steps;
	body->still_time = body->slow_time = 0.0f;
	Watch_Drop(d, slot);
	d->awake.data[d->awake.count++] = slot;
	for (int link = body->contacts; link != NONE; link = d->contacts.data[link >> 1].link[link & 1].next)
		Contact_ListAwake(d, link >> 1);
	return true;
}

void Body_UnlistAwake(Dynamics *d, int slot)
{
	Body *body = &d->bodies.data[slot];
	body->asleep = true;
	body->reach_speed = 0.0f;
	if (!Body_IsAwake(body))
		return;
	int last = d->awake.data[--d->awake.count];
	d->awake.data[body->awake_place] = last;
	d->bodies.data[last].awake_place = body->awake_place;
	body->awake_place = NONE;
	d->sleepers += body->motion == MOTION_DYNAMIC;
	for (int i = body->first_part; i < body->first_part + body->part_count; i++)
		Part_NoteReach(d, i, d->fat_boxes.data[i], false);
	for (int link = body->contacts; link != NONE; link = d->contacts.data[link >> 1].link[link & 1].next) {
		const Contact *c = &d->contacts.data[link >> 1];
		int other = (link & 1) ? c->body_a : c->body_b;
		if (other == NONE || !Body_IsAwake(&d->bodies.data[other]))
			Contact_UnlistAwake(d, link >> 1);
	}
}
