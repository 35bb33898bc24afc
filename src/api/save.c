/* Terrain to files and back. */
#include "api/api_internal.h"

int32_t screeTerrain_Save(ScreeWorld *w, const char *path, int32_t level)
{
	if (!path)
		return Api_Fail(w, ERROR_ARGUMENT, "path must be given");
	if (level != 0 && !Check_Number(w, "level", level, 1, 19))
		return SCREE_BAD_ARGUMENT;
	double cell = Terrain_CellSize(World_Terrain(w->world));
	return Store_Save(World_Store(w->world), World_Materials(w->world), cell, level ? level : SAVE_LEVEL, path,
	                  &w->error);
}

/* What changed its properties is under bodies: they wake before anything becomes different, since waking may fail. */
static bool WakeForMaterials(ScreeWorld *w, const TerrainLoad *load)
{
	return TerrainLoad_Info(load)->materials_changed == 0 || Dynamics_MaterialChanged(World_Dynamics(w->world), 0);
}

int32_t screeTerrain_Load(ScreeWorld *w, const char *path, int32_t keep_materials, ScreeTerrainInfo *out)
{
	TerrainLoad *load = NULL;
	Store *store = World_Store(w->world);
	MaterialTable *table = World_Materials(w->world);
	if (!path)
		return Api_Fail(w, ERROR_ARGUMENT, "path must be given");
	if (!Check_Flag(w, "keep_materials", keep_materials))
		return SCREE_BAD_ARGUMENT;
	int result = Store_Load(store, table, keep_materials != 0, path, &load, &w->error);
	if (result != ERROR_NONE)
		return result;
	TerrainLoadInfo info = *TerrainLoad_Info(load);
	if (!WakeForMaterials(w, load)) {
		TerrainLoad_Abort(load);
		return Api_OutOfMemory(w);
	}
	memset(&w->tally, 0, sizeof w->tally);
	result = TerrainLoad_Commit(load, table, &w->tally, &w->error);
	if (result == ERROR_NONE && out)
		*out = (ScreeTerrainInfo){.cell_size = info.cell_size,
		                          .cells = (double)info.cells,
		                          .chunks = info.chunks,
		                          .materials_added = info.materials_added,
		                          .materials_changed = info.materials_changed};
	return result;
}
