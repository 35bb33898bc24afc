/* The room as a whole: making it, its step's beginning and end, statistics, hash, validation. */
#include "dynamics/wide_internal.h"

#include <stdio.h>

Dynamics *Dynamics_Create(const DynamicsDef *def)
{
	Dynamics *d = Memory_AllocZero(def->memory, sizeof *d);
	if (!d)
		return NULL;
	d->memory = def->memory;
	d->tasks = def->tasks;
	d->terrain = def->terrain;
	d->store = def->store;
	d->materials = def->materials;
	d->substeps = def->substeps;
	d->steps = 1;
	d->sleep = def->sleep;
	d->gravity = def->gravity;
	d->boxes = def->boxes;
	d->raw_edges = def->raw_edges;
	d->kernel = SolverKernel_Choose();
	d->first_body = d->last_body = d->dying = NONE;
	d->first_joint = d->last_joint = NONE;
	BoxTree_Init(&d->fixed_tree);
	BoxTree_Init(&d->moving_tree);
	Arena_Init(&d->arena, d->memory);
	d->worker_count = TaskPool_Threads(def->tasks);
	d->workers = Memory_AllocZero(d->memory, sizeof(Worker) * (size_t)d->worker_count);
	if (!d->workers) {
		Memory_Free(def->memory, d, sizeof *d);
		return NULL;
	}
	for (int i = 0; i < d->worker_count; i++)
		Arena_Init(&d->workers[i].arena, d->memory);
	return d;
}

void Dynamics_Destroy(Dynamics *d)
{
	if (!d)
		return;
	Memory *memory = d->memory;
	for (int slot = d->first_body; slot != NONE; slot = d->bodies.data[slot].next) {
		for (int i = 0; i < d->bodies.data[slot].part_count; i++)
			Shape_Free(memory, &d->parts.data[d->bodies.data[slot].first_part + i].def.shape);
		Piece_Destroy(memory, d->bodies.data[slot].piece);
	}
	for (int i = 0; i < d->worker_count; i++) {
		Arena_Destroy(&d->workers[i].arena);
		Array_Free(memory, d->workers[i].triangles.items);
		Array_Free(memory, d->workers[i].pairs);
	}
	Memory_Free(memory, d->workers, sizeof(Worker) * (size_t)d->worker_count);
	Arena_Destroy(&d->arena);
	Reasons_Free(d);
	IdPool_Free(&d->ids, memory);
	RunPool_Free(&d->part_runs, memory);
	RunPool_Free(&d->manifold_runs, memory);
	RunPool_Free(&d->ground_runs, memory);
	KeyMap_Free(&d->pair_map, memory);
	BoxTree_Free(&d->fixed_tree, memory);
	BoxTree_Free(&d->moving_tree, memory);
	IdPool_Free(&d->joint_ids, memory);
	Array_Free(memory, d->joints);
	Array_Free(memory, d->bodies);
	Array_Free(memory, d->parts);
	Array_Free(memory, d->awake);
	Array_Free(memory, d->watched);
	Array_Free(memory, d->moved_parts);
	Array_Free(memory, d->moved_from);
	Array_Free(memory, d->moved_places);
	Array_Free(memory, d->fat_boxes);
	Array_Free(memory, d->reaches);
	Array_Free(memory, d->new_pairs);
	Array_Free(memory, d->contacts);
	Array_Free(memory, d->pairs);
	Array_Free(memory, d->unused_contacts);
	Array_Free(memory, d->awake_contacts);
	Array_Free(memory, d->manifolds);
	Array_Free(memory, d->grounds);
	Array_Free(memory, d->found_grounds);
	Array_Free(memory, d->events);
	Array_Free(memory, d->block_hits.items);
	Array_Free(memory, d->terrain_pairs);
	Array_Free(memory, d->build_list);
	Array_Free(memory, d->water);
	Memory_Free(memory, d, sizeof *d);
}

Vec3 Dynamics_Gravity(const Dynamics *d)
{
	return d->gravity;
}
SleepSettings Dynamics_Sleep(const Dynamics *d)
{
	return d->sleep;
}
int Dynamics_EventCount(const Dynamics *d)
{
	return d->reported;
}
const Event *Dynamics_Events(const Dynamics *d)
{
	return d->events.data;
}

/* ---- the step's ends --------------------------------------------------------------------------------------------- */

/* Events made between steps (by destroying, moving, waking) come out with those of the step that follows. */
void Dynamics_BeginStep(Dynamics *d)
{
	int since = d->events.count - d->reported;
	if (d->reported > 0 && since > 0)
		memmove(d->events.data, d->events.data + d->reported, sizeof(Event) * (size_t)since);
	d->events.count = since;
	d->reported = 0;
	d->steps++;
	Arena_Reset(&d->arena);
	d->counted_places = 0;
	d->solver_bodies = NULL;
}

typedef struct LeaverJob {
	Dynamics *dynamics;
	uint8_t *leaves; /* per place in awake */
} LeaverJob;

static void FindLeavers(void *context, int begin, int end, int worker)
{
	(void)worker;
	const LeaverJob *job = context;
	const Dynamics *d = job->dynamics;
	for (int i = begin; i < end; i++) {
		if (i + FETCH_AHEAD / 2 < end)
			Fetch(&d->parts.data[d->bodies.data[d->awake.data[i + FETCH_AHEAD / 2]].first_part], sizeof(Part));
		job->leaves[i] = Body_LeavesBoxes(job->dynamics, Awake_Body(d, i));
	}
}

static void UpdateBoxes(Dynamics *d, float dt)
{
	LeaverJob job = {d, Arena_Array(&d->arena, uint8_t, d->awake.count)};
	int count = 0;
	if (job.leaves) { /* else all are looked at here */
		TaskPool_For(d->tasks, d->awake.count, 128, FindLeavers, &job);
		for (int i = 0; i < d->awake.count; i++)
			count += job.leaves[i];
	}
	Parts_BeginMoves(d, count);
	for (int i = 0; i < d->awake.count; i++) {
		Body *body = &d->bodies.data[d->awake.data[i]];
		if (!job.leaves || job.leaves[i])
			Body_UpdateBoxes(d, body, Scale(2.0f * dt, body->velocity));
	}
	Parts_EndMoves(d);
}

void Dynamics_EndStep(Dynamics *d, float dt)
{
	UpdateBoxes(d, dt);
	Sleep_RetireStopped(d);
	d->solver_bodies = NULL;
	d->counted_places = 0;
	d->reported = d->events.count;
}

void Dynamics_FindTouches(Dynamics *d)
{
	Contact_PushTouchEvents(d);
	Water_PushEvents(d);
}

/* ---- statistics -------------------------------------------------------------------------------------------------- */

DynamicsStats Dynamics_Stats(const Dynamics *d)
{
	DynamicsStats stats = {.bodies = d->ids.live, .joints = d->holding_joints, .ground = d->ground};
	for (int i = 0; i < d->parts.count; i++)
		for (int k = 0; k < d->parts.data[i].ground_count; k++) {
			const GroundContact *c = &d->grounds.data[d->parts.data[i].ground_first + k];
			stats.ground.barren += !c->water && !c->fruitful;
		}
	for (int slot = d->first_body; slot != NONE; slot = d->bodies.data[slot].next) {
		const Body *body = &d->bodies.data[slot];
		stats.fixed += body->motion == MOTION_STATIC;
		stats.kinematic += body->motion == MOTION_KINEMATIC;
		if (body->motion == MOTION_DYNAMIC && Body_IsAwake(body))
			stats.awake++;
		else if (body->motion == MOTION_DYNAMIC && body->watch_place != NONE)
			stats.checking++;
		else if (body->motion == MOTION_DYNAMIC)
			stats.asleep++;
	}
	for (int i = 0; i < d->contacts.count; i++) {
		const Contact *c = &d->contacts.data[i];
		if (!c->alive || !c->touching)
			continue;
		stats.contacts++;
		for (int k = 0; k < c->count; k++)
			stats.points += Contact_Manifold(d, c, k)->count;
	}
	return stats;
}

/* ---- hash -------------------------------------------------------------------------------------------------------- */

static void HashBody(const Dynamics *d, int slot, Hasher *hasher)
{
	const Body *body = &d->bodies.data[slot];
	double numbers[] = {Body_Id(d, slot),
	                    body->pose.p.x,
	                    body->pose.p.y,
	                    body->pose.p.z,
	                    body->pose.q.x,
	                    body->pose.q.y,
	                    body->pose.q.z,
	                    body->pose.q.w,
	                    body->velocity.x,
	                    body->velocity.y,
	                    body->velocity.z,
	                    body->angular_velocity.x,
	                    body->angular_velocity.y,
	                    body->angular_velocity.z,
	                    body->force.x,
	                    body->force.y,
	                    body->force.z,
	                    body->torque.x,
	                    body->torque.y,
	                    body->torque.z,
	                    body->mass,
	                    body->still_time,
	                    body->gravity_scale,
	                    (double)body->motion,
	                    (double)body->asleep,
	                    (double)body->can_sleep,
	                    (double)body->bullet,
	                    (double)body->part_count,
	                    body->drive_time,
	                    body->drift.x,
	                    body->drift.y,
	                    body->drift.z,
	                    body->drift_angular.x,
	                    body->drift_angular.y,
	                    body->drift_angular.z,
	                    (double)(body->watch_place != NONE),
	                    (double)body->spin.holds};
	Hasher_Bytes(hasher, numbers, sizeof numbers);
	if (body->piece)
		Piece_Hash(body->piece, hasher);
	for (int i = 0; i < body->part_count; i++) {
		const Trimesh *mesh = d->parts.data[body->first_part + i].def.shape.mesh;
		if (mesh)
			Hasher_Bytes(hasher, &Trimesh_Info(mesh)->hash, sizeof(uint64_t));
	}
	if (!body->spin.holds)
		return;
	Hasher_Bytes(hasher, &body->spin.momentum, sizeof body->spin.momentum);
	Hasher_Bytes(hasher, body->spin.rotation, sizeof body->spin.rotation);
}

static void HashManifold(const StoredManifold *m, Hasher *hasher)
{
	Hasher_Bytes(hasher, &m->normal, sizeof m->normal);
	Hasher_Bytes(hasher, &m->friction_impulse, sizeof m->friction_impulse);
	Hasher_Bytes(hasher, &m->rolling_impulse, sizeof m->rolling_impulse);
	Hasher_Bytes(hasher, &m->twist_impulse, sizeof m->twist_impulse);
	for (int k = 0; k < m->count; k++) {
		Hasher_Bytes(hasher, &m->points[k].id, sizeof(uint32_t));
		Hasher_Bytes(hasher, &m->points[k].impulse, sizeof(float));
	}
}

/* Bodies in order of creation, contacts by slot: both are part of what decides the future. */
void Dynamics_Hash(const Dynamics *d, Hasher *hasher)
{
	Hasher_Bytes(hasher, &d->gravity, sizeof d->gravity);
	for (int slot = d->first_body; slot != NONE; slot = d->bodies.data[slot].next)
		HashBody(d, slot, hasher);
	for (int i = 0; i < d->contacts.count; i++) {
		const Contact *c = &d->contacts.data[i];
		if (!c->alive)
			continue;
		int32_t sides[] = {c->part_a, c->part_b, c->touching};
		Hasher_Bytes(hasher, sides, sizeof sides);
		for (int k = 0; k < c->count; k++)
			HashManifold(Contact_Manifold(d, c, k), hasher);
	}
	Joint_Hash(d, hasher);
}

/* ---- validation -------------------------------------------------------------------------------------------------- */

static bool ValidateLists(const Dynamics *d, char *why, size_t why_size)
{
	for (int i = 0; i < d->awake.count; i++)
		if (d->bodies.data[d->awake.data[i]].awake_place != i) {
			snprintf(why, why_size, "awake place %d does not point back", i);
			return false;
		}
	for (int i = 0; i < d->watched.count; i++) {
		const Body *body = &d->bodies.data[d->watched.data[i]];
		if (body->watch_place != i || Body_IsAwake(body) || body->motion != MOTION_DYNAMIC) {
			snprintf(why, why_size, "watched place %d is wrong", i);
			return false;
		}
	}
	for (int i = 0; i < d->awake_contacts.count; i++)
		if (d->contacts.data[d->awake_contacts.data[i]].awake_place != i) {
			snprintf(why, why_size, "awake contact place %d does not point back", i);
			return false;
		}
	return true;
}

static bool ValidateContacts(const Dynamics *d, char *why, size_t why_size)
{
	int alive = 0;
	for (int i = 0; i < d->contacts.count; i++) {
		const Contact *c = &d->contacts.data[i];
		if (!c->alive)
			continue;
		alive++;
		bool awake =
		    Body_IsAwake(&d->bodies.data[c->body_b]) || (c->body_a != NONE && Body_IsAwake(&d->bodies.data[c->body_a]));
		if (awake != (c->awake_place != NONE)) {
			snprintf(why, why_size, "contact %d is %s the awake list", i, awake ? "missing from" : "wrongly in");
			return false;
		}
		if (c->part_a != NONE && KeyMap_Find(&d->pair_map, PairKey(c->part_a, c->part_b)) != i) {
			snprintf(why, why_size, "contact %d is not found by its pair", i);
			return false;
		}
	}
	if (alive != d->live_contacts) {
		snprintf(why, why_size, "%d contacts alive, %d counted", alive, d->live_contacts);
		return false;
	}
	return true;
}

bool Dynamics_Validate(const Dynamics *d, char *why, size_t why_size)
{
	int sleepers = 0;
	for (int slot = d->first_body; slot != NONE; slot = d->bodies.data[slot].next) {
		const Body *body = &d->bodies.data[slot];
		int links = 0;
		sleepers += Body_IsSleeper(body);
		for (int link = body->contacts; link != NONE; link = d->contacts.data[link >> 1].link[link & 1].next)
			links++;
		if (links != body->contact_count) {
			snprintf(why, why_size, "body %d has %d contacts linked, %d counted", slot, links, body->contact_count);
			return false;
		}
	}
	if (sleepers != d->sleepers) {
		snprintf(why, why_size, "%d bodies are asleep, %d counted", sleepers, d->sleepers);
		return false;
	}
	if (!BoxTree_Validate(&d->fixed_tree) || !BoxTree_Validate(&d->moving_tree)) {
		snprintf(why, why_size, "a box tree is damaged");
		return false;
	}
	return ValidateLists(d, why, why_size) && ValidateContacts(d, why, why_size) && Ground_Validate(d, why, why_size) &&
	       Joint_Validate(d, why, why_size) && Pairs_Validate(d, why, why_size);
}
