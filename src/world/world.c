/* Making and ending a world. */
#include "world/world_internal.h"

static bool CreateRooms(World *w, const WorldDef *def)
{
	w->tasks = TaskPool_Create(&w->memory, def->threads);
	w->materials = Memory_AllocZero(&w->memory, sizeof *w->materials);
	w->store = Store_Create(&w->memory);
	if (!w->tasks || !w->materials || !w->store)
		return false;
	MaterialTable_Init(w->materials);
	w->terrain = Terrain_Create(&w->memory, w->store, w->materials, def->cell_size, def->narrowphase);
	if (!w->terrain)
		return false;
	Store_SetMarkBudget(w->store, def->mark_budget);
	w->narrowphase = def->narrowphase;
	w->dynamics_def = (DynamicsDef){.memory = &w->memory,
	                                .tasks = w->tasks,
	                                .terrain = w->terrain,
	                                .store = w->store,
	                                .materials = w->materials,
	                                .substeps = def->substeps,
	                                .boxes = def->boxes,
	                                .raw_edges = def->raw_edges,
	                                .sleep = def->sleep,
	                                .gravity = V3((float)def->gravity.x, (float)def->gravity.y, (float)def->gravity.z)};
	w->dynamics = Dynamics_Create(&w->dynamics_def);
	return w->dynamics != NULL;
}

/* The world itself lives outside its own count, so that the count can be read when all else is gone. */
World *World_Create(const WorldDef *def, Error *error)
{
	Memory outer;
	Memory_Init(&outer, def->resize, def->resize_user);
	World *w = Memory_AllocZero(&outer, sizeof *w);
	if (!w) {
		Error_OutOfMemory(error);
		return NULL;
	}
	Memory_Init(&w->memory, def->resize, def->resize_user);
	w->gravity = def->gravity;
	w->seed = def->seed;
	w->collider_budget = def->collider_budget;
	if (!CreateRooms(w, def)) {
		World_Destroy(w);
		Error_OutOfMemory(error);
		return NULL;
	}
	return w;
}

size_t World_Destroy(World *w)
{
	if (!w)
		return 0;
	Dynamics_Destroy(w->dynamics);
	if (w->terrain)
		Terrain_Destroy(w->terrain);
	if (w->store)
		Store_Destroy(w->store);
	Memory_Free(&w->memory, w->materials, sizeof *w->materials);
	Array_Free(&w->memory, w->triangles.items);
	Array_Free(&w->memory, w->terrain_hits.items);
	Array_Free(&w->memory, w->mesh_hits.items);
	Array_Free(&w->memory, w->found);
	Array_Free(&w->memory, w->pushed);
	Array_Free(&w->memory, w->listed);
	DetachState_Free(&w->detach, &w->memory);
	if (w->tasks)
		TaskPool_Destroy(w->tasks, &w->memory);
	size_t left = w->memory.bytes;
	MemoryResizeFn *resize = w->memory.resize;
	resize(w->memory.user, w, sizeof *w, 0);
	return left;
}

WorldDef World_Def(const World *w)
{
	return (WorldDef){.gravity = w->gravity,
	                  .cell_size = Terrain_CellSize(w->terrain),
	                  .seed = w->seed,
	                  .substeps = w->dynamics_def.substeps,
	                  .threads = TaskPool_Threads(w->tasks),
	                  .narrowphase = w->narrowphase,
	                  .collider_budget = w->collider_budget,
	                  .mark_budget = Store_MarkStats(w->store).budget,
	                  .boxes = w->dynamics_def.boxes,
	                  .sleep = Dynamics_Sleep(w->dynamics)};
}

Memory *World_Memory(World *w)
{
	return &w->memory;
}
Store *World_Store(World *w)
{
	return w->store;
}
Terrain *World_Terrain(World *w)
{
	return w->terrain;
}
MaterialTable *World_Materials(World *w)
{
	return w->materials;
}
Dynamics *World_Dynamics(World *w)
{
	return w->dynamics;
}

Pos World_Gravity(const World *w)
{
	return w->gravity;
}

bool World_SetGravity(World *w, Pos gravity)
{
	if (!Dynamics_SetGravity(w->dynamics, V3((float)gravity.x, (float)gravity.y, (float)gravity.z)))
		return false;
	w->gravity = gravity;
	return true;
}

int World_SyncTerrain(World *w, Error *error)
{
	return Terrain_Sync(w->terrain, error);
}

int World_Hash(World *w, uint64_t *value, Error *error)
{
	(void)error;
	Hasher hasher;
	Hasher_Init(&hasher);
	Hasher_Bytes(&hasher, &w->time, sizeof w->time);
	Hasher_Bytes(&hasher, &w->steps, sizeof w->steps);
	Hasher_Bytes(&hasher, &w->seed, sizeof w->seed);
	Dynamics_Hash(w->dynamics, &hasher);
	Store_Hash(w->store, &hasher);
	DetachState_Hash(&w->detach, w->store, &hasher);
	*value = Hasher_Value(&hasher);
	return ERROR_NONE;
}

bool World_Validate(World *w, char *why, size_t why_size)
{
	Error error;
	if (!Store_Validate(w->store, why, why_size) || !Dynamics_Validate(w->dynamics, why, why_size))
		return false;
	return Terrain_Sync(w->terrain, &error) == ERROR_NONE && Terrain_Validate(w->terrain, why, why_size);
}
