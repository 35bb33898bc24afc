/* Undo and redo of terrain edits. */
#include "api/api_internal.h"

_Static_assert(UNDO_NAME_SIZE == SCREE_UNDO_NAME, "one length for the names of groups");

int32_t screeTerrain_BeginUndo(ScreeWorld *w, const char *name)
{
	return Store_BeginUndo(World_Store(w->world), name, &w->error);
}

int32_t screeTerrain_Undo(ScreeWorld *w, char *name)
{
	return Store_Undo(World_Store(w->world), name, &w->error);
}

int32_t screeTerrain_Redo(ScreeWorld *w, char *name)
{
	return Store_Redo(World_Store(w->world), name, &w->error);
}

int32_t screeTerrain_SetUndoBudget(ScreeWorld *w, double bytes)
{
	if (!Check_Number(w, "undo_budget", bytes, 0.0, 1e15))
		return SCREE_BAD_ARGUMENT;
	Store_SetUndoBudget(World_Store(w->world), (size_t)bytes);
	return SCREE_OK;
}

void screeTerrain_UndoStats(const ScreeWorld *w, ScreeUndoStats *out)
{
	UndoStats stats = Store_UndoStats(World_Store(w->world));
	*out = (ScreeUndoStats){.undos = stats.undos,
	                        .redos = stats.redos,
	                        .bytes = (double)stats.bytes,
	                        .budget = (double)stats.budget,
	                        .dropped = (double)stats.dropped};
}
