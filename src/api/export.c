/* Terrain into files: its surface as a mesh, or its cells. */
#include "api/api_internal.h"

typedef int MeshWriteFn(Memory *memory, const char *path, const MeshView *mesh, uint64_t *bytes, Error *error);

static const struct {
	const char *ending;
	MeshWriteFn *write; /* NULL: cells */
} kinds[] = {
    {".obj", Mesh_WriteObj}, {".stl", Mesh_WriteStl}, {".ply", Mesh_WritePly}, {".glb", Mesh_WriteGlb}, {".vox", NULL}};

/* An empty world is no mistake of the script, and a full disk is none either. */
static int WriteFailed(ScreeWorld *w, const char *path, const Error *inner)
{
	bool outside = inner->code == ERROR_ARGUMENT || inner->code == ERROR_LIMIT;
	return Api_Fail(w, outside ? ERROR_FILE : inner->code, "%s%s%s", outside ? path : "", outside ? ": " : "",
	                inner->text);
}

static int ExportMesh(ScreeWorld *w, const char *path, const CellBox *box, MeshWriteFn *write, ScreeExport *out)
{
	TerrainMesh mesh = {0};
	MeshMaterial palette[MATERIAL_LIMIT];
	Error inner = {0};
	uint64_t bytes = 0;
	const MaterialTable *table = World_Materials(w->world);
	int result = World_SyncTerrain(w->world, &w->error);
	if (result == ERROR_NONE)
		result = Terrain_Mesh(World_Terrain(w->world), box, &mesh, &w->error);
	if (result != ERROR_NONE)
		return result;
	for (int m = 0; m < table->count; m++)
		palette[m] = (MeshMaterial){table->items[m].name, table->items[m].color};
	MeshView view = {mesh.vertex_count, mesh.triangle_count, mesh.positions, mesh.normals,
	                 mesh.indices,      mesh.materials,      palette,        table->count};
	if (mesh.triangle_count == 0)
		result = Error_Set(&inner, ERROR_ARGUMENT, "there is no surface to write");
	else
		result = write(World_Memory(w->world), path, &view, &bytes, &inner);
	*out = (ScreeExport){.bytes = (double)bytes,
	                     .vertex_count = (double)mesh.vertex_count,
	                     .triangle_count = (double)mesh.triangle_count};
	TerrainMesh_Free(World_Memory(w->world), &mesh);
	return result == ERROR_NONE ? ERROR_NONE : WriteFailed(w, path, &inner);
}

static int ExportCells(ScreeWorld *w, const char *path, const CellBox *box, ScreeExport *out)
{
	Error inner = {0};
	uint64_t bytes = 0;
	int64_t cells = 0;
	int models = 0;
	CellBox all = {{-CELL_LIMIT, -CELL_LIMIT, -CELL_LIMIT}, {CELL_LIMIT, CELL_LIMIT, CELL_LIMIT}};
	int result = Store_WriteVox(World_Store(w->world), World_Materials(w->world), World_Memory(w->world),
	                            box ? *box : all, path, &bytes, &cells, &models, &inner);
	*out = (ScreeExport){.bytes = (double)bytes, .cells = (double)cells, .models = models};
	return result == ERROR_NONE ? ERROR_NONE : WriteFailed(w, path, &inner);
}

int32_t screeTerrain_Export(ScreeWorld *w, const char *path, const double *min, const double *max, ScreeExport *out)
{
	CellBox box;
	bool whole = !min && !max;
	ScreeExport unwanted;
	if (!path)
		return Api_Fail(w, ERROR_ARGUMENT, "path must be given");
	if (!whole && (!min || !max))
		return Api_Fail(w, ERROR_ARGUMENT, "min and max must both be given, or neither");
	if (!whole && !Check_CellBox(w, min, max, &box))
		return SCREE_BAD_ARGUMENT;
	for (int i = 0; i < COUNT_OF(kinds); i++) {
		if (!File_HasEnding(path, kinds[i].ending))
			continue;
		const CellBox *part = whole ? NULL : &box;
		return kinds[i].write ? ExportMesh(w, path, part, kinds[i].write, out ? out : &unwanted)
		                      : ExportCells(w, path, part, out ? out : &unwanted);
	}
	return Api_Fail(w, ERROR_FILE, "%s: unknown kind of file (.obj, .stl, .ply, .glb and .vox are written)", path);
}
