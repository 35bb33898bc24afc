/* Worlds: making, stepping, statistics, materials. */
#include "api/api_internal.h"

#include <stdio.h>

void scree_world_defaults(ScreeWorldDef *def)
{
	*def = (ScreeWorldDef){.gravity = {0.0, -9.81, 0.0},
	                       .cell_size = 1.0,
	                       .substeps = 4,
	                       .threads = 1,
	                       .narrowphase = NARROWPHASE_LATTICE,
	                       .collider_budget = 256 << 20,
	                       .snapshot_budget = 256 << 20,
	                       .sleep = {.enabled = 1,
	                                 .rule = SCREE_SLEEP_IMPULSE,
	                                 .linear = 0.09,
	                                 .angular = 0.12,
	                                 .time = 0.5,
	                                 .balance = 0.02,
	                                 .wake = 0.02}};
}

/* ---- making ------------------------------------------------------------------------------------------------------ */

static bool CheckSleep(ScreeWorld *w, const ScreeSleep *sleep)
{
	return Check_Flag(w, "sleep.enabled", sleep->enabled) && Check_Index(w, "sleep.rule", sleep->rule, 2) &&
	       Check_Number(w, "sleep.balance", sleep->balance, 0.0, 1e6) &&
	       Check_Number(w, "sleep.wake", sleep->wake, 0.0, 1e3) &&
	       Check_Number(w, "sleep.linear", sleep->linear, 0.0, 1e3) &&
	       Check_Number(w, "sleep.angular", sleep->angular, 0.0, 1e3) &&
	       Check_Number(w, "sleep.time", sleep->time, 0.0, 1e6);
}

static SleepSettings ToSleep(const ScreeSleep *sleep)
{
	return (SleepSettings){.enabled = sleep->enabled != 0,
	                       .rule = (SleepRule)sleep->rule,
	                       .linear = (float)sleep->linear,
	                       .angular = (float)sleep->angular,
	                       .time = (float)sleep->time,
	                       .balance = (float)sleep->balance,
	                       .wake = (float)sleep->wake};
}

static bool CheckNarrowphase(ScreeWorld *w, int32_t narrowphase)
{
	if (narrowphase == NARROWPHASE_KDTREE || narrowphase == NARROWPHASE_LATTICE)
		return true;
	Api_Fail(w, ERROR_ARGUMENT, "narrowphase must be 0 (kd-tree) or 1 (lattice), got %d", narrowphase);
	return false;
}

static bool CheckWorldDef(ScreeWorld *w, const ScreeWorldDef *def)
{
	return Check_Vector(w, "gravity", def->gravity, 1e6) && Check_Number(w, "cell_size", def->cell_size, 1e-3, 1e3) &&
	       Check_Number(w, "seed", def->seed, -9007199254740992.0, 9007199254740992.0) &&
	       Check_Number(w, "substeps", def->substeps, 1, 64) && Check_Number(w, "threads", def->threads, 1, 64) &&
	       CheckNarrowphase(w, def->narrowphase) && Check_Flag(w, "broadphase", def->broadphase) &&
	       Check_Number(w, "collider_budget", def->collider_budget, 0, 9007199254740992.0) &&
	       Check_Number(w, "snapshot_budget", def->snapshot_budget, 0, 9007199254740992.0) &&
	       CheckSleep(w, &def->sleep);
}

ScreeWorld *Api_MakeHandle(ScreeResizeFn *resize, void *user)
{
	Memory outer; /* the handle lives outside the world's own count */
	Memory_Init(&outer, resize, user);
	ScreeWorld *w = Memory_AllocZero(&outer, sizeof *w);
	if (w)
		w->outer = outer;
	return w;
}

int32_t screeWorld_Create(const ScreeWorldDef *def, ScreeWorld **world, char *error, int32_t error_size)
{
	ScreeWorld checker = {0};
	if (!CheckWorldDef(&checker, def))
		return Api_Report(error, error_size, &checker.error);
	ScreeWorld *w = Api_MakeHandle(def->resize, def->resize_user);
	if (!w) {
		Error_OutOfMemory(&checker.error);
		return Api_Report(error, error_size, &checker.error);
	}
	w->sleep = def->sleep;
	WorldDef inner = {.gravity = ToPos(def->gravity),
	                  .cell_size = def->cell_size,
	                  .seed = def->seed,
	                  .substeps = def->substeps,
	                  .threads = def->threads,
	                  .narrowphase = (Narrowphase)def->narrowphase,
	                  .collider_budget = (size_t)def->collider_budget,
	                  .mark_budget = (size_t)def->snapshot_budget,
	                  .boxes = def->broadphase == 1,
	                  .sleep = ToSleep(&def->sleep),
	                  .resize = def->resize,
	                  .resize_user = def->resize_user};
	w->world = World_Create(&inner, &checker.error);
	if (!w->world) {
		w->outer.resize(w->outer.user, w, sizeof *w, 0);
		return Api_Report(error, error_size, &checker.error);
	}
	*world = w;
	return SCREE_OK;
}

double screeWorld_Destroy(ScreeWorld *w)
{
	if (!w)
		return 0.0;
	Memory *memory = World_Memory(w->world);
	Archive_End(&w->snapshot);
	Memory_Free(memory, w->script.data, w->script.size);
	Array_Free(memory, w->hits);
	Array_Free(memory, w->ids);
	Array_Free(memory, w->numbers);
	Array_Free(memory, w->mechanisms);
	Array_Free(memory, w->contacts);
	Array_Free(memory, w->events);
	Array_Free(memory, w->transforms);
	Array_Free(memory, w->ignored);
	Array_Free(memory, w->query_hits);
	Array_Free(memory, w->slots);
	Array_Free(memory, w->views);
	Array_Free(memory, w->blocks);
	Array_Free(memory, w->part_names);
	Array_Free(memory, w->parts);
	BlockModel_Free(memory, &w->block_model);
	size_t left = World_Destroy(w->world);
	Memory outer = w->outer;
	outer.resize(outer.user, w, sizeof *w, 0);
	return (double)left;
}

const char *screeWorld_Error(const ScreeWorld *w)
{
	return w->error.text;
}

#define MAX_STEP 60.0   /* s */
#define LEAST_STEP 1e-9 /* s: a shorter step is none */

/* ---- stepping ---------------------------------------------------------------------------------------------------- */

int32_t screeWorld_Step(ScreeWorld *w, double dt, int32_t count)
{
	if (!Check_Number(w, "dt", dt, 0.0, MAX_STEP) || !Check_Number(w, "count", count, 0, 1e9))
		return SCREE_BAD_ARGUMENT;
	if (dt < LEAST_STEP)
		return SCREE_OK;
	for (int32_t i = 0; i < count; i++) {
		int result = World_Step(w->world, dt, &w->error);
		if (result != ERROR_NONE)
			return result;
	}
	return SCREE_OK;
}

double screeWorld_Time(const ScreeWorld *w)
{
	return World_Time(w->world);
}
double screeWorld_StepCount(const ScreeWorld *w)
{
	return (double)World_StepCount(w->world);
}

void screeWorld_GetGravity(const ScreeWorld *w, double *out3)
{
	FromPos(World_Gravity(w->world), out3);
}

int32_t screeWorld_SetGravity(ScreeWorld *w, double x, double y, double z)
{
	double v[3] = {x, y, z};
	if (!Check_Vector(w, "gravity", v, 1e6))
		return SCREE_BAD_ARGUMENT;
	return World_SetGravity(w->world, ToPos(v)) ? SCREE_OK : Api_OutOfMemory(w);
}

void screeWorld_GetSleep(const ScreeWorld *w, ScreeSleep *out)
{
	*out = w->sleep;
}

int32_t screeWorld_SetSleep(ScreeWorld *w, const ScreeSleep *sleep)
{
	if (!CheckSleep(w, sleep))
		return SCREE_BAD_ARGUMENT;
	if (!Dynamics_SetSleep(World_Dynamics(w->world), ToSleep(sleep)))
		return Api_OutOfMemory(w);
	w->sleep = *sleep;
	return SCREE_OK;
}

int32_t screeWorld_Hash(ScreeWorld *w, char *out17)
{
	uint64_t value;
	int result = World_Hash(w->world, &value, &w->error);
	if (result == ERROR_NONE)
		snprintf(out17, 17, "%016llx", (unsigned long long)value);
	return result;
}

/* ---- statistics -------------------------------------------------------------------------------------------------- */

int32_t screeWorld_Stats(ScreeWorld *w, ScreeStats *out)
{
	int result = World_SyncTerrain(w->world, &w->error);
	if (result != ERROR_NONE)
		return result;
	DynamicsStats d = Dynamics_Stats(World_Dynamics(w->world));
	TerrainStats t = Terrain_Stats(World_Terrain(w->world));
	const Store *store = World_Store(w->world);
	UndoStats undo = Store_UndoStats(store);
	*out = (ScreeStats){.assemblies = d.bodies,
	                    .awake = d.awake,
	                    .checking = d.checking,
	                    .asleep = d.asleep,
	                    .bodies_static = d.fixed,
	                    .bodies_kinematic = d.kinematic,
	                    .contacts = d.contacts,
	                    .points = d.points,
	                    .joints = d.joints,
	                    .step_ms = World_StepMs(w->world),
	                    .bytes = screeWorld_Bytes(w),
	                    .terrain_chunks = Store_ChunkCount(store),
	                    .terrain_records = t.records,
	                    .terrain_colliders = t.colliders,
	                    .terrain_triangles = (double)t.triangles,
	                    .terrain_mesh_bytes = (double)t.mesh_bytes,
	                    .terrain_index_bytes = (double)t.index_bytes,
	                    .terrain_record_bytes = (double)t.record_bytes,
	                    .terrain_cells = (double)Store_SolidCells(store),
	                    .terrain_bytes = (double)Store_Bytes(store),
	                    .undo_groups = undo.undos,
	                    .redo_groups = undo.redos,
	                    .undo_bytes = (double)undo.bytes,
	                    .ground_contacts = d.ground.solid,
	                    .ground_water_contacts = d.ground.water,
	                    .ground_tested = d.ground.tested,
	                    .ground_refused = d.ground.refused,
	                    .ground_points = d.ground.points,
	                    .ground_opened = (double)d.ground.opened,
	                    .ground_barren = (double)d.ground.barren};
	for (int i = 0; i < World_StageCount() && i < COUNT_OF(out->stage_ms); i++)
		out->stage_ms[i] = World_StageMs(w->world, i);
	return SCREE_OK;
}

const char *screeWorld_StageName(int32_t i)
{
	return i >= 0 && i < World_StageCount() ? World_StageName(i) : NULL;
}
double screeWorld_Bytes(const ScreeWorld *w)
{
	return (double)World_Memory(w->world)->bytes;
}
double screeWorld_AllocatorCalls(const ScreeWorld *w)
{
	return (double)World_Memory(w->world)->calls;
}

/* ---- materials --------------------------------------------------------------------------------------------------- */

int32_t screeWorld_MaterialCount(const ScreeWorld *w)
{
	return World_Materials(w->world)->count;
}

int32_t screeWorld_FindMaterial(const ScreeWorld *w, const char *name)
{
	return MaterialTable_Find(World_Materials(w->world), name);
}

int32_t screeWorld_GetMaterial(const ScreeWorld *w, int32_t index, ScreeMaterial *out)
{
	const MaterialTable *table = World_Materials(w->world);
	if (index < 0 || index >= table->count)
		return SCREE_BAD_ARGUMENT;
	const Material *m = &table->items[index];
	*out = (ScreeMaterial){.density = m->density,
	                       .friction = m->friction,
	                       .restitution = m->restitution,
	                       .rolling = m->rolling,
	                       .hardness = m->hardness,
	                       .blockiness = m->blockiness,
	                       .color = m->color};
	memcpy(out->name, m->name, sizeof out->name);
	return SCREE_OK;
}

int32_t screeWorld_PutMaterial(ScreeWorld *w, const ScreeMaterial *material)
{
	if (!Check_Number(w, "density", material->density, 1e-6, 1e9) ||
	    !Check_Number(w, "friction", material->friction, 0.0, 1e6) ||
	    !Check_Number(w, "restitution", material->restitution, 0.0, 1.0) ||
	    !Check_Number(w, "rolling", material->rolling, 0.0, 1e6) ||
	    !Check_Number(w, "hardness", material->hardness, 0.0, 1e9) ||
	    !Check_Number(w, "blockiness", material->blockiness, 0.0, 1.0) ||
	    !Check_Number(w, "color", material->color, 0.0, 16777215.0))
		return SCREE_BAD_ARGUMENT;
	if (!memchr(material->name, 0, sizeof material->name))
		return Api_Fail(w, ERROR_ARGUMENT, "name must be shorter than %d bytes", (int)sizeof material->name);
	Material m = {.density = (float)material->density,
	              .friction = (float)material->friction,
	              .restitution = (float)material->restitution,
	              .rolling = (float)material->rolling,
	              .hardness = (float)material->hardness,
	              .blockiness = (float)material->blockiness,
	              .color = (uint32_t)material->color};
	memcpy(m.name, material->name, sizeof m.name);
	int index = MaterialTable_Put(World_Materials(w->world), &m, &w->error);
	if (index >= 0 && !Dynamics_MaterialChanged(World_Dynamics(w->world), index))
		return Api_OutOfMemory(w);
	return index;
}
