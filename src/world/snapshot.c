/* Snapshots: a world's state in one block, which this world can go back to. Terrain is in it by name: its cells stay in
 * the store's marks. */
#include "world/world_internal.h"

#define CHECKED_FROM 20 /* bytes: magic, version, hash */

static const char magic[8] = {'\x89', 'S', 'C', 'R', 'S', 'N', 'P', '\n'};

static void PutNumber(uint8_t *to, uint64_t value, int size)
{
	for (int i = 0; i < size; i++)
		to[i] = (uint8_t)(value >> (8 * i));
}

static uint64_t GetNumber(const uint8_t *from, int size)
{
	uint64_t value = 0;
	for (int i = 0; i < size; i++)
		value |= (uint64_t)from[i] << (8 * i);
	return value;
}

static void Archive_Script(Archive *ar, const void **data, size_t *size)
{
	uint64_t count = *size;
	Archive_U64(ar, &count);
	if (!ar->reading) {
		Archive_Bytes(ar, (void *)(uintptr_t)*data, *size); /* writing does not change it */
		return;
	}
	bool there = Archive_IsSound(ar, count <= ar->size - ar->at, "it is cut short");
	*data = there ? ar->from + ar->at : NULL;
	*size = there ? (size_t)count : 0;
	ar->at += *size;
}

int World_Snapshot(World *w, const void *script, size_t script_size, Archive *ar, Error *error)
{
	uint64_t mark;
	int code = Terrain_Sync(w->terrain, error);
	if (code == ERROR_NONE && !World_NoteEdits(w, CAUSE_EDIT))
		code = Error_OutOfMemory(error);
	if (code == ERROR_NONE)
		code = Store_Mark(w->store, &mark, error);
	if (code != ERROR_NONE)
		return code;
	uint8_t head[CHECKED_FROM] = {0};
	double cell_size = Terrain_CellSize(w->terrain);
	WorldHeader header = World_Header(w);
	Archive_BeginWrite(ar, &w->memory);
	Archive_Bytes(ar, head, sizeof head);
	Archive_Script(ar, &script, &script_size);
	Archive_F64(ar, &cell_size);
	Archive_U64(ar, &mark);
	Archive_Header(ar, &header);
	Archive_Materials(ar, w->materials);
	Archive_Changed(ar, w->terrain, NULL);
	code = Dynamics_Archive(w->dynamics, ar, error);
	if (code == ERROR_NONE && !Archive_Detach(ar, &w->detach))
		code = Archive_Report(ar, error);
	if (code != ERROR_NONE) {
		Archive_End(ar);
		return code;
	}
	memcpy(ar->bytes, magic, sizeof magic);
	PutNumber(ar->bytes + 8, STATE_VERSION, 4);
	PutNumber(ar->bytes + 12, Hash_Bytes(ar->bytes + CHECKED_FROM, ar->used - CHECKED_FROM), 8);
	return ERROR_NONE;
}

static int CheckHead(const uint8_t *data, size_t size, Error *error)
{
	if (size < sizeof magic || memcmp(data, magic, sizeof magic) != 0)
		return Error_Set(error, ERROR_FILE, "it is not a snapshot of scree");
	if (size < CHECKED_FROM)
		return Error_Set(error, ERROR_FILE, "it is cut short");
	if (GetNumber(data + 8, 4) != STATE_VERSION)
		return Error_Set(error, ERROR_FILE, "it is of format version %u, and this program reads version %d",
		                 (unsigned)GetNumber(data + 8, 4), STATE_VERSION);
	if (GetNumber(data + 12, 8) != Hash_Bytes(data + CHECKED_FROM, size - CHECKED_FROM))
		return Error_Set(error, ERROR_FILE, "it is damaged: its checksum is wrong");
	return ERROR_NONE;
}

static int ReadSnapshot(World *w, Archive *ar, WorldState *state, const void **script, size_t *script_size,
                        Error *error)
{
	double cell_size = 0.0;
	uint64_t mark = 0;
	Archive_Script(ar, script, script_size);
	Archive_F64(ar, &cell_size);
	Archive_U64(ar, &mark);
	if (ar->failure == ERROR_NONE && cell_size != Terrain_CellSize(w->terrain))
		return Error_Set(error, ERROR_FILE, "it is of a world whose cells are %.9g m, and those of this one %.9g",
		                 cell_size, Terrain_CellSize(w->terrain));
	int code = WorldState_Read(state, w, ar, error);
	if (code == ERROR_NONE && ar->at != ar->size)
		code = Error_Set(error, ERROR_FILE, "it goes on after its end");
	if (code == ERROR_NONE && !Terrain_ReserveChanged(w->terrain, state->changed.count))
		code = Error_OutOfMemory(error);
	return code == ERROR_NONE ? Store_GoToMark(w->store, mark, error) : code;
}

int World_Restore(World *w, const void *data, size_t size, const void **script, size_t *script_size, Error *error)
{
	int code = CheckHead(data, size, error);
	if (code != ERROR_NONE)
		return code;
	WorldState state = {.old_materials = *w->materials};
	Archive ar;
	Archive_BeginRead(&ar, &w->memory, data, size);
	ar.at = CHECKED_FROM;
	code = ReadSnapshot(w, &ar, &state, script, script_size, error);
	if (code != ERROR_NONE)
		WorldState_Drop(&state, w);
	else
		WorldState_Enter(&state, w);
	return code;
}
