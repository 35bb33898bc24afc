/* Snapshots, and whole worlds in files. What belongs to this floor (the settings of sleep as they were given) goes in
 * front of the caller's own bytes. */
#include "api/api_internal.h"

#define SLEEP_BYTES 45
#define SCRIPT_LIMIT 1073741824.0 /* bytes */

void screeWorld_GetDef(const ScreeWorld *w, ScreeWorldDef *out)
{
	WorldDef def = World_Def(w->world);
	*out = (ScreeWorldDef){.cell_size = def.cell_size,
	                       .seed = def.seed,
	                       .substeps = def.substeps,
	                       .threads = def.threads,
	                       .narrowphase = (int32_t)def.narrowphase,
	                       .broadphase = def.boxes,
	                       .collider_budget = (double)def.collider_budget,
	                       .snapshot_budget = (double)def.mark_budget,
	                       .sleep = w->sleep};
	FromPos(def.gravity, out->gravity);
}

static bool CheckScript(ScreeWorld *w, const void *script, double size)
{
	if (!Check_Number(w, "script_size", size, 0.0, SCRIPT_LIMIT))
		return false;
	if (size > 0.0 && !script) {
		Api_Fail(w, ERROR_ARGUMENT, "script must be given: script_size is %.0f", size);
		return false;
	}
	return true;
}

static void Archive_Sleep(Archive *ar, ScreeSleep *sleep)
{
	bool enabled = sleep->enabled != 0;
	Archive_Bool(ar, &enabled);
	Archive_F64(ar, &sleep->linear);
	Archive_F64(ar, &sleep->angular);
	Archive_F64(ar, &sleep->time);
	Archive_F64(ar, &sleep->balance);
	Archive_F64(ar, &sleep->wake);
	Archive_Int(ar, &sleep->rule, SCREE_SLEEP_IMPULSE, SCREE_SLEEP_VELOCITY);
	sleep->enabled = enabled;
}

/* Sleep and script in one block. */
static bool Pack(ScreeWorld *w, Archive *ar, const void *script, double size)
{
	ScreeSleep sleep = w->sleep;
	Archive_BeginWrite(ar, World_Memory(w->world));
	Archive_Sleep(ar, &sleep);
	Archive_Bytes(ar, (void *)(uintptr_t)script, (size_t)size); /* writing does not change it */
	return ar->failure == ERROR_NONE;
}

static bool Unpack(ScreeWorld *w, const void *data, size_t size, const void **script, double *script_size)
{
	Archive ar;
	ScreeSleep sleep;
	Archive_BeginRead(&ar, World_Memory(w->world), data, size);
	Archive_Sleep(&ar, &sleep);
	if (ar.failure != ERROR_NONE)
		return false;
	w->sleep = sleep;
	if (script)
		*script = (const char *)data + SLEEP_BYTES;
	if (script_size)
		*script_size = (double)(size - SLEEP_BYTES);
	return true;
}

int32_t screeWorld_Snapshot(ScreeWorld *w, const void *script, double script_size, const void **data, double *size)
{
	if (!CheckScript(w, script, script_size))
		return SCREE_BAD_ARGUMENT;
	Archive extra;
	Archive_End(&w->snapshot);
	int result = Pack(w, &extra, script, script_size)
	                 ? World_Snapshot(w->world, extra.bytes, extra.used, &w->snapshot, &w->error)
	                 : Api_OutOfMemory(w);
	Archive_End(&extra);
	if (result != ERROR_NONE)
		return result;
	*data = w->snapshot.bytes;
	*size = (double)w->snapshot.used;
	return SCREE_OK;
}

int32_t screeWorld_Restore(ScreeWorld *w, const void *data, double size, const void **script, double *script_size)
{
	const void *extra = NULL;
	size_t extra_size = 0;
	if (script)
		*script = NULL;
	if (script_size)
		*script_size = 0.0;
	if (!Check_Number(w, "size", size, 0.0, 9007199254740992.0))
		return SCREE_BAD_ARGUMENT;
	if (!data)
		return Api_Fail(w, ERROR_ARGUMENT, "data must be given");
	Error inner = {0};
	int result = World_Restore(w->world, data, (size_t)size, &extra, &extra_size, &inner);
	if (result == ERROR_MEMORY)
		return Api_OutOfMemory(w);
	if (result != ERROR_NONE)
		return Api_Fail(w, ERROR_FILE, "cannot restore this: %s", inner.text);
	Unpack(w, extra, extra_size, script, script_size);
	return SCREE_OK;
}

int32_t screeWorld_Save(ScreeWorld *w, const char *path, int32_t level, const void *script, double script_size)
{
	if (!path)
		return Api_Fail(w, ERROR_ARGUMENT, "path must be given");
	if ((level != 0 && !Check_Number(w, "level", level, 1, 19)) || !CheckScript(w, script, script_size))
		return SCREE_BAD_ARGUMENT;
	Archive extra;
	int result = Pack(w, &extra, script, script_size)
	                 ? World_Save(w->world, path, level ? level : SAVE_LEVEL, extra.bytes, extra.used, &w->error)
	                 : Api_OutOfMemory(w);
	Archive_End(&extra);
	return result;
}

int32_t screeWorld_Load(const char *path, int32_t threads, ScreeResizeFn *resize, void *resize_user, ScreeWorld **world,
                        const void **script, double *script_size, char *error, int32_t error_size)
{
	ScreeWorld checker = {0};
	if (!path) {
		Api_Fail(&checker, ERROR_ARGUMENT, "path must be given");
		return Api_Report(error, error_size, &checker.error);
	}
	if (threads != 0 && !Check_Number(&checker, "threads", threads, 1, 64))
		return Api_Report(error, error_size, &checker.error);
	ScreeWorld *w = Api_MakeHandle(resize, resize_user);
	if (!w) {
		Error_OutOfMemory(&checker.error);
		return Api_Report(error, error_size, &checker.error);
	}
	WorldLoadDef def = {threads, resize, resize_user};
	int result = World_Load(&def, path, &w->world, &w->script, &w->error);
	if (result == ERROR_NONE && !Unpack(w, w->script.data, w->script.size, script, script_size)) {
		Error_Set(&w->error, ERROR_FILE, "cannot read file '%s': it is damaged", path);
		result = Api_Report(error, error_size, &w->error);
		screeWorld_Destroy(w);
		return result;
	}
	if (result != ERROR_NONE) {
		result = Api_Report(error, error_size, &w->error);
		w->outer.resize(w->outer.user, w, sizeof *w, 0);
		return result;
	}
	*world = w;
	return SCREE_OK;
}
