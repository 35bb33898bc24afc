/* A world's state in an archive: what snapshots and saved worlds have in common. */
#include "world/world_internal.h"

static void Archive_Text(Archive *ar, char *text, size_t size)
{
	Archive_Bytes(ar, text, size);
	text[size - 1] = 0;
}

static void Archive_Material(Archive *ar, Material *m)
{
	Archive_Text(ar, m->name, sizeof m->name);
	float *values[] = {&m->density, &m->friction, &m->restitution, &m->rolling, &m->hardness, &m->blockiness};
	for (int i = 0; i < COUNT_OF(values); i++)
		Archive_F32(ar, values[i]);
	Archive_U32(ar, &m->color);
}

/* A table that is being read takes its materials one by one, as a script would put them: the same checks. */
static bool ReadMaterials(Archive *ar, MaterialTable *table, int count)
{
	MaterialTable_Init(table);
	for (int i = 0; i < count && ar->failure == ERROR_NONE; i++) {
		Material m = {0};
		Error error;
		Archive_Material(ar, &m);
		bool known = i < table->count && strcmp(table->items[i].name, m.name) == 0;
		if (ar->failure == ERROR_NONE && (i < table->count) != known)
			Archive_Fail(ar, "its materials are in another order");
		else if (ar->failure == ERROR_NONE && i > 0 && MaterialTable_Put(table, &m, &error) != i)
			Archive_Fail(ar, "a material is not one");
	}
	return Archive_IsSound(ar, table->count == count, "it lacks materials");
}

bool Archive_Materials(Archive *ar, MaterialTable *table)
{
	int count = Archive_Count(ar, table->count, MATERIAL_LIMIT, MATERIAL_NAME_SIZE);
	if (ar->reading)
		return ReadMaterials(ar, table, count);
	for (int i = 0; i < count; i++)
		Archive_Material(ar, &table->items[i]);
	return ar->failure == ERROR_NONE;
}

bool Archive_Header(Archive *ar, WorldHeader *header)
{
	Archive_F64s(ar, &header->gravity.x, 3);
	Archive_F64(ar, &header->time);
	Archive_I64(ar, &header->steps);
	Archive_IsSound(ar, header->time >= 0.0 && header->steps >= 0, "its time is negative");
	return ar->failure == ERROR_NONE;
}

/* What edits have changed since the last step, which the next step wakes bodies by. */
bool Archive_Changed(Archive *ar, Terrain *terrain, WorldBoxList *boxes)
{
	int count = Archive_Count(ar, ar->reading ? 0 : Terrain_ChangedCount(terrain), 1 << 16, 48);
	if (ar->reading && !Array_Resize(ar->memory, *boxes, count)) {
		ar->failure = ERROR_MEMORY;
		return false;
	}
	for (int i = 0; i < count; i++) {
		WorldBox box = ar->reading ? (WorldBox){0} : Terrain_ChangedBox(terrain, i);
		Archive_F64s(ar, &box.lo.x, 3);
		Archive_F64s(ar, &box.hi.x, 3);
		if (ar->reading)
			boxes->data[i] = box;
	}
	return ar->failure == ERROR_NONE;
}

WorldHeader World_Header(const World *w)
{
	return (WorldHeader){.gravity = w->gravity, .time = w->time, .steps = w->steps};
}

/* ---- reading into a world that goes on living -------------------------------------------------------------------- */

/* The table of materials is the one that the new room reads by, so it is changed first and changed back on failure. */
int WorldState_Read(WorldState *state, World *w, Archive *ar, Error *error)
{
	*state = (WorldState){.old_materials = *w->materials};
	MaterialTable fresh;
	if (!Archive_Header(ar, &state->header) || !Archive_Materials(ar, &fresh) ||
	    !Archive_Changed(ar, w->terrain, &state->changed))
		return Archive_Report(ar, error);
	fresh.version = w->materials->version;
	state->materials_differ = fresh.count != w->materials->count ||
	                          memcmp(fresh.items, w->materials->items, sizeof(Material) * (size_t)fresh.count) != 0;
	fresh.version += state->materials_differ;
	*w->materials = fresh;
	state->dynamics = Dynamics_Create(&w->dynamics_def);
	if (!state->dynamics)
		return Error_OutOfMemory(error);
	int code = Dynamics_Archive(state->dynamics, ar, error);
	if (code == ERROR_NONE && !Archive_Detach(ar, &state->detach))
		code = Archive_Report(ar, error);
	return code;
}

void WorldState_Drop(WorldState *state, World *w)
{
	*w->materials = state->old_materials;
	Dynamics_Destroy(state->dynamics);
	DetachState_Free(&state->detach, &w->memory);
	Array_Free(&w->memory, state->changed);
}

/* The cells must be there already. Cannot fail: Terrain_ReserveChanged was called. */
void WorldState_Enter(WorldState *state, World *w)
{
	if (state->materials_differ) /* what could be undone may be of other ones */
		Store_ForgetUndo(w->store);
	Dynamics_Destroy(w->dynamics);
	w->dynamics = state->dynamics;
	DetachState_Free(&w->detach, &w->memory);
	w->detach = state->detach;
	w->detach.seen = Store_Version(w->store);
	w->gravity = state->header.gravity;
	w->time = state->header.time;
	w->steps = state->header.steps;
	Terrain_SetChanged(w->terrain, state->changed.data, state->changed.count);
	Array_Free(&w->memory, state->changed);
}
