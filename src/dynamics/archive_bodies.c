/* Bodies and their parts in an archive. */
#include "dynamics/archive_internal.h"

#define PLACE_LIMIT 4e9 /* m: beyond MAX_COORDINATE, since bodies may fall for long */

/* A new field has to be named below, too, unless it follows from the rest. */
_Static_assert(sizeof(void *) != 8 || sizeof(Body) == 696, "Body has changed: so must Archive_Body");
_Static_assert(sizeof(void *) != 8 || sizeof(Part) == 296, "Part has changed: so must Archive_Part");

/* ---- lists of slots ---------------------------------------------------------------------------------------------- */

static bool AllDifferent(Memory *memory, const IntList *list, int limit, Archive *ar)
{
	uint8_t *seen = limit > 0 ? Memory_AllocZero(memory, (size_t)limit) : NULL;
	if (limit > 0 && !seen) {
		ar->failure = ERROR_MEMORY;
		return false;
	}
	bool good = true;
	for (int i = 0; i < list->count && good; i++)
		good = !seen[list->data[i]]++;
	Memory_Free(memory, seen, (size_t)limit);
	return Archive_IsSound(ar, good, "a slot is listed twice");
}

bool Archive_Slots(Archive *ar, Memory *memory, IntList *list, int limit)
{
	int count = Archive_Count(ar, list->count, limit, 4);
	if (ar->reading && !Array_Resize(memory, *list, count)) {
		ar->failure = ERROR_MEMORY;
		return false;
	}
	for (int i = 0; i < count; i++)
		Archive_Int(ar, &list->data[i], 0, limit - 1);
	return ar->failure == ERROR_NONE && (!ar->reading || AllDifferent(memory, list, limit, ar));
}

/* ---- handles ----------------------------------------------------------------------------------------------------- */

bool Archive_Ids(IdPool *ids, Memory *memory, Archive *ar)
{
	int count = Archive_Count(ar, ids->generation.count, 1 << ID_INDEX_BITS, 5);
	if (ar->reading && (!Array_Resize(memory, ids->generation, count) || !Array_Resize(memory, ids->alive, count) ||
	                    !Array_Reserve(memory, ids->unused, count))) {
		ar->failure = ERROR_MEMORY;
		return false;
	}
	ids->live = 0;
	for (int i = 0; i < count; i++) {
		bool alive = ids->alive.data[i];
		Archive_U32(ar, &ids->generation.data[i]);
		Archive_Bool(ar, &alive);
		ids->alive.data[i] = alive;
		ids->live += alive;
		Archive_IsSound(ar, ids->generation.data[i] >= 1 && ids->generation.data[i] <= 1u << 29, "a handle is wrong");
	}
	IntList unused = {.data = ids->unused.data, .count = ids->unused.count, .capacity = ids->unused.capacity};
	bool good = Archive_Slots(ar, memory, &unused, count);
	ids->unused.data = unused.data;
	ids->unused.count = unused.count;
	ids->unused.capacity = unused.capacity;
	for (int i = 0; good && i < unused.count; i++)
		good = Archive_IsSound(ar, !ids->alive.data[unused.data[i]], "a handle is free and taken");
	return good;
}

/* ---- runs of parts ----------------------------------------------------------------------------------------------- */

static bool Archive_Runs(RunPool *pool, Memory *memory, Archive *ar, int limit)
{
	Archive_Int(ar, &pool->used, 0, limit);
	for (int k = 0; k < RUN_CLASSES; k++) {
		IntList list = {pool->unused[k].data, pool->unused[k].count, pool->unused[k].capacity};
		Archive_Int(ar, &pool->cut[k], 0, limit);
		if (ar->reading && !Array_Reserve(memory, list, pool->cut[k] + 1))
			ar->failure = ERROR_MEMORY;
		bool good = Archive_Slots(ar, memory, &list, pool->used);
		pool->unused[k].data = list.data;
		pool->unused[k].count = list.count;
		pool->unused[k].capacity = list.capacity;
		if (!good || !Archive_IsSound(ar, list.count <= pool->cut[k], "more free runs than there are"))
			return false;
	}
	return true;
}

/* Every index below `used` belongs to one free run or to one body at most. */
static bool RunsAreApart(const Dynamics *d, Archive *ar)
{
	int used = d->part_runs.used;
	uint8_t *taken = used > 0 ? Memory_AllocZero(d->memory, (size_t)used) : NULL;
	if (used > 0 && !taken) {
		ar->failure = ERROR_MEMORY;
		return false;
	}
	bool good = true;
	for (int k = 0; k < RUN_CLASSES && good; k++)
		for (int i = 0; i < d->part_runs.unused[k].count && good; i++) {
			int first = d->part_runs.unused[k].data[i], size = 1 << k;
			good = first <= used - size;
			for (int j = 0; j < size && good; j++)
				good = !taken[first + j]++;
		}
	for (int slot = d->first_body; slot != NONE && good; slot = d->bodies.data[slot].next) {
		const Body *body = &d->bodies.data[slot];
		int size = 1 << RunPool_Class(body->part_count);
		good = body->first_part <= used - size;
		for (int j = 0; j < size && good; j++)
			good = !taken[body->first_part + j]++;
	}
	Memory_Free(d->memory, taken, (size_t)used);
	return Archive_IsSound(ar, good, "parts overlap");
}

/* ---- parts ------------------------------------------------------------------------------------------------------- */

static void Archive_Part(Dynamics *d, Archive *ar, Part *part)
{
	PartDef *def = &part->def;
	Archive_Shape(ar, d->memory, &def->shape);
	Archive_Xform(ar, &def->placement);
	Archive_Int(ar, &def->source, 0, 64);
	Archive_Byte(ar, &def->material, d->materials->count);
	Archive_Byte(ar, &def->group, 32);
	Archive_U32(ar, &def->mask);
	float *numbers[] = {&def->density, &def->friction,      &def->restitution,
	                    &def->rolling, &part->outer_radius, &part->inner_radius};
	for (int i = 0; i < COUNT_OF(numbers); i++) {
		Archive_F32(ar, numbers[i]);
		Archive_IsSound(ar, *numbers[i] >= 0.0f, "a part has a negative property");
	}
	Archive_F32(ar, &def->swell);
	Archive_IsSound(ar, def->swell >= -1.0f && def->swell <= SWELL_LIMIT, "a part displaces too much");
	Archive_Xform(ar, &part->local);
	Archive_IsSound(ar, LengthSq(part->local.p) <= SIZE_LIMIT * SIZE_LIMIT && part->outer_radius <= SIZE_LIMIT,
	                "a part is too far from its body");
}

static bool BoxIsSound(WorldBox box)
{
	const double *lo = &box.lo.x, *hi = &box.hi.x;
	for (int i = 0; i < 3; i++)
		if (!(lo[i] <= hi[i] && lo[i] >= -PLACE_LIMIT && hi[i] <= PLACE_LIMIT))
			return false;
	return true;
}

/* The fat box decides when pairs are looked for; the tree's shape decides nothing. */
static void Archive_Leaf(Dynamics *d, Archive *ar, const Body *body, int slot)
{
	Part *part = &d->parts.data[slot];
	WorldBox box = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
	if (!ar->reading)
		box = BoxTree_Box(Body_Tree(d, body), part->leaf);
	Archive_Pos(ar, &box.lo);
	Archive_Pos(ar, &box.hi);
	if (ar->reading && Archive_IsSound(ar, BoxIsSound(box), "a box is inside out"))
		Part_EnterTree(d, slot, box);
}

static void Archive_BodyParts(Dynamics *d, Archive *ar, int slot)
{
	Body *body = &d->bodies.data[slot];
	int count = body->part_count;
	Archive_Int(ar, &count, 1, 1 << 20);
	Archive_Int(ar, &body->first_part, 0, Int_Max(d->part_runs.used - count, 0));
	Archive_IsSound(ar, count <= d->part_runs.used, "a body has more parts than there are");
	body->part_count = ar->reading ? 0 : count;
	for (int i = 0; i < count && ar->failure == ERROR_NONE; i++) {
		int place = body->first_part + i;
		if (ar->reading) {
			if (!Archive_IsSound(ar, d->parts.data[place].body == NONE, "parts overlap"))
				return;
			d->parts.data[place] = (Part){.body = slot, .index = i, .terrain_contact = NONE};
		}
		Archive_Part(d, ar, &d->parts.data[place]);
		body->part_count = ar->reading ? i + 1 : count; /* what has a shape is freed with the body */
		Archive_IsSound(ar, body->motion == MOTION_STATIC || !Part_IsMesh(&d->parts.data[place]), "a mesh moves");
		Archive_Leaf(d, ar, body, place);
	}
}

/* ---- bodies ------------------------------------------------------------------------------------------------------ */

static void Archive_Spin(Archive *ar, FreeSpin *spin)
{
	Archive_Bool(ar, &spin->holds);
	Archive_Vec3(ar, &spin->velocity);
	Archive_Vec3D(ar, &spin->momentum);
	Archive_F64s(ar, spin->rotation, 4);
}

static void Archive_BodyMass(Archive *ar, Body *body)
{
	Archive_Vec3(ar, &body->local_center);
	Archive_F32(ar, &body->mass);
	Archive_F32(ar, &body->inverse_mass);
	Archive_Mat3(ar, &body->inertia);
	Archive_Mat3(ar, &body->inverse_inertia);
	Archive_F32(ar, &body->gravity_scale);
	Archive_F32(ar, &body->outer_radius);
	Archive_F32(ar, &body->inner_radius);
	Archive_IsSound(ar, body->mass > 0.0f && body->inverse_mass >= 0.0f && body->outer_radius > 0.0f,
	                "a body has no mass or size");
}

static bool IsTurn(Quat q)
{
	return Abs(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w - 1.0f) < 0.01f;
}

static void Archive_BodyRest(Archive *ar, Body *body)
{
	Archive_F32(ar, &body->drive_time);
	Archive_F32(ar, &body->still_time);
	Archive_F32(ar, &body->slow_time);
	for (int i = 0; i < 2; i++) { /* may be unused, and zero */
		Archive_Pos(ar, &body->window[i].p);
		Archive_F32s(ar, &body->window[i].q.x, 4);
	}
	Archive_Pos(ar, &body->place.p);
	Archive_F32s(ar, &body->place.q.x, 4);
	Archive_Vec3(ar, &body->drift);
	Archive_Vec3(ar, &body->drift_angular);
	Archive_Vec3(ar, &body->mean_drift);
	Archive_Vec3(ar, &body->mean_drift_angular);
	Archive_Vec3(ar, &body->give);
	Archive_F32s(ar, &body->give_turn.x, 4);
	Archive_IsSound(ar, IsTurn(body->give_turn), "a sleeper has turned by no rotation");
	Archive_F32(ar, &body->load);
	Archive_F32(ar, &body->watch_time);
	Archive_F32s(ar, &body->limits.linear, 4);
	Archive_F32(ar, &body->window_time);
	Archive_Bool(ar, &body->half_way);
	Archive_F32(ar, &body->pull);
	Archive_F32(ar, &body->stress);
	Archive_F32(ar, &body->change);
	Archive_U8(ar, &body->fading);
	Archive_Bool(ar, &body->known);
	Archive_Bool(ar, &body->yields);
	Archive_F32(ar, &body->bustle);
	Archive_Bool(ar, &body->calm);
	Archive_Bool(ar, &body->gathers);
	Archive_Bool(ar, &body->steady);
	Archive_Bool(ar, &body->firm);
	Archive_Bool(ar, &body->alone);
	Archive_U8(ar, &body->tries);
	Archive_IsSound(ar, body->tries <= TRIES_LIMIT, "a body has slept too often");
	Archive_Bool(ar, &body->jammed);
	Archive_Bool(ar, &body->asleep);
	Archive_Bool(ar, &body->can_sleep);
	Archive_Bool(ar, &body->bullet);
	Archive_Bool(ar, &body->wet);
}

static bool IsNear(Pos p)
{
	return AbsD(p.x) <= PLACE_LIMIT && AbsD(p.y) <= PLACE_LIMIT && AbsD(p.z) <= PLACE_LIMIT;
}

static void Archive_Body(Dynamics *d, Archive *ar, Body *body)
{
	int motion = (int)body->motion;
	Archive_Int(ar, &motion, MOTION_STATIC, MOTION_DYNAMIC);
	body->motion = (Motion)motion;
	Archive_Pose(ar, &body->pose);
	Vec3 *vectors[] = {&body->velocity, &body->angular_velocity, &body->force,
	                   &body->torque,   &body->net_linear,       &body->net_angular};
	for (int i = 0; i < COUNT_OF(vectors); i++)
		Archive_Vec3(ar, vectors[i]);
	Archive_BodyMass(ar, body);
	Archive_Spin(ar, &body->spin);
	Archive_BodyRest(ar, body);
	Archive_Reason(d, ar, &body->wake_reason);
	Archive_U64(ar, &body->birth);
	Archive_IsSound(ar, IsNear(body->pose.p), "a body is too far away");
	Archive_IsSound(ar, LengthSq(body->velocity) <= 100.0f * MAX_SPEED * MAX_SPEED, "a body is too fast");
}

static bool PrepareBodies(Dynamics *d, Archive *ar)
{
	int slots = d->ids.generation.count, parts = d->part_runs.used;
	bool room = Array_Resize(d->memory, d->bodies, slots) && Parts_Reserve(d, parts) &&
	            Array_Reserve(d->memory, d->awake, slots) && BoxTree_Reserve(&d->fixed_tree, d->memory, parts) &&
	            BoxTree_Reserve(&d->moving_tree, d->memory, parts);
	if (!room) {
		d->bodies.count = 0;
		ar->failure = ERROR_MEMORY;
		return false;
	}
	for (int i = 0; i < parts; i++)
		Parts_Add(d, i);
	for (int i = 0; i < slots; i++)
		d->bodies.data[i] = (Body){
		    .awake_place = NONE, .watch_place = NONE, .contacts = NONE, .joints = NONE, .previous = NONE, .next = NONE};
	return true;
}

/* In order of creation. A slot is in the list once it is read so far that it can be destroyed. */
static void ReadLink(Dynamics *d, int slot)
{
	d->bodies.data[slot].previous = d->last_body;
	if (d->last_body != NONE)
		d->bodies.data[d->last_body].next = slot;
	else
		d->first_body = slot;
	d->last_body = slot;
}

static bool ReadBodies(Dynamics *d, Archive *ar)
{
	if (!PrepareBodies(d, ar))
		return false;
	uint8_t *seen = d->bodies.count > 0 ? Memory_AllocZero(d->memory, (size_t)d->bodies.count) : NULL;
	if (d->bodies.count > 0 && !seen)
		ar->failure = ERROR_MEMORY;
	for (int i = 0; i < d->ids.live && ar->failure == ERROR_NONE; i++) {
		int slot = 0;
		Archive_Int(ar, &slot, 0, d->bodies.count - 1);
		if (!Archive_IsSound(ar, d->ids.alive.data[slot] && !seen[slot], "a body is there twice"))
			break;
		seen[slot] = 1;
		Archive_Body(d, ar, &d->bodies.data[slot]);
		ReadLink(d, slot);
		Piece_Archive(ar, d->memory, d->materials->count, &d->bodies.data[slot].piece);
		Archive_BodyParts(d, ar, slot);
	}
	Memory_Free(d->memory, seen, (size_t)d->bodies.count);
	return ar->failure == ERROR_NONE && RunsAreApart(d, ar);
}

static void WriteBodies(Dynamics *d, Archive *ar)
{
	for (int slot = d->first_body; slot != NONE; slot = d->bodies.data[slot].next) {
		int number = slot;
		Archive_Int(ar, &number, 0, INT32_MAX);
		Archive_Body(d, ar, &d->bodies.data[slot]);
		Piece_Archive(ar, d->memory, d->materials->count, &d->bodies.data[slot].piece);
		Archive_BodyParts(d, ar, slot);
	}
}

/* The awake, and parts that have moved, in their order. */
static bool Archive_BodyLists(Dynamics *d, Archive *ar)
{
	IntList awake = {d->awake.data, d->awake.count, d->awake.capacity};
	IntList moved = {d->moved_parts.data, d->moved_parts.count, d->moved_parts.capacity};
	bool good =
	    Archive_Slots(ar, d->memory, &awake, d->bodies.count) && Archive_Slots(ar, d->memory, &moved, d->parts.count);
	IntList watched = {d->watched.data, d->watched.count, d->watched.capacity};
	good = good && Archive_Slots(ar, d->memory, &watched, d->bodies.count);
	d->watched.data = watched.data;
	d->watched.count = watched.count;
	d->watched.capacity = watched.capacity;
	d->awake.count = awake.count;
	d->moved_parts.count = ar->reading ? 0 : moved.count;
	if (!ar->reading || !good)
		return good;
	for (int i = 0; i < awake.count && good; i++) {
		Body *body = &d->bodies.data[awake.data[i]];
		good = Archive_IsSound(ar, d->ids.alive.data[awake.data[i]] && body->motion != MOTION_STATIC && !body->asleep,
		                       "what is awake is not alive");
		body->awake_place = i;
	}
	for (int i = 0; i < watched.count && good; i++) {
		good = Archive_IsSound(ar, d->ids.alive.data[watched.data[i]], "what is watched is not there");
		d->bodies.data[watched.data[i]].watch_place = i;
	}
	for (int i = 0; i < moved.count && good; i++)
		Part_MarkMoved(d, moved.data[i]);
	d->sleepers = 0;
	for (int slot = d->first_body; slot != NONE; slot = d->bodies.data[slot].next)
		d->sleepers += Body_IsSleeper(&d->bodies.data[slot]);
	return good;
}

bool Archive_Bodies(Dynamics *d, Archive *ar)
{
	const int part_limit = 1 << 24;
	if (!Archive_Ids(&d->ids, d->memory, ar) || !Archive_Runs(&d->part_runs, d->memory, ar, part_limit))
		return false;
	if (!ar->reading)
		WriteBodies(d, ar);
	else if (!ReadBodies(d, ar))
		return false;
	return ar->failure == ERROR_NONE && Archive_BodyLists(d, ar);
}
