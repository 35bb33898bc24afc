/* Terrain from meshes of triangles. */
#include "api/api_internal.h"

void scree_mesh_import_defaults(ScreeMeshImport *import)
{
	*import = (ScreeMeshImport){.rotation = {0, 0, 0, 1}, .scale = {1, 1, 1}, .material = 6, .mode = SCREE_SET};
}

/* The file's points to metres: in double, so that a model far away keeps its shape. */
static void Transform(const ScreeMeshImport *import, Mesh *mesh)
{
	const double *r = import->rotation;
	double n = 1.0 / sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2] + r[3] * r[3]);
	double x = n * r[0], y = n * r[1], z = n * r[2], w = n * r[3];
	const double turn[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)},
	                           {2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)},
	                           {2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)}};
	for (int v = 0; v < mesh->positions.count; v += 3) {
		double *p = mesh->positions.data + v, q[3];
		for (int i = 0; i < 3; i++)
			q[i] = import->scale[i] * p[i];
		for (int i = 0; i < 3; i++)
			p[i] = turn[i][0] * q[0] + turn[i][1] * q[1] + turn[i][2] * q[2] + import->position[i];
	}
}

static void Report(const Mesh *mesh, const MeshSurvey *survey, ScreeMeshImport *import)
{
	import->triangles = Mesh_TriangleCount(mesh);
	import->vertices = Mesh_VertexCount(mesh);
	import->skipped = (double)mesh->skipped;
	import->open_edges = (double)survey->open_edges;
	import->crowded_edges = (double)survey->crowded_edges;
	import->closed = survey->even;
	import->volume = AbsD(survey->volume);
	for (int i = 0; i < 3; i++) {
		import->min[i] = survey->lo[i];
		import->max[i] = survey->hi[i];
	}
}

/* What a part of the mesh becomes. */
static int32_t PartMaterial(const Mesh *mesh, int part, const ScreeMeshImport *import)
{
	int32_t material = import->material;
	for (int i = 0; i < import->map_count; i++) {
		const ScreeMeshMaterial *entry = &import->map[i];
		if (!entry->name && entry->number == part + 1)
			return entry->material;
		if (entry->name && strcmp(entry->name, Mesh_PartName(mesh, part)) == 0)
			material = entry->material;
	}
	return material;
}

/* Keeps the mesh's parts in the world, in the place of the last import's. */
static int KeepParts(ScreeWorld *w, Mesh *mesh, ScreeMeshImport *import)
{
	Memory *memory = World_Memory(w->world);
	if (!Array_Reserve(memory, w->parts, mesh->parts.count))
		return Api_OutOfMemory(w);
	w->parts.count = mesh->parts.count;
	for (int i = 0; i < mesh->parts.count; i++)
		w->parts.data[i] =
		    (ScreeMeshPart){Mesh_PartName(mesh, i), mesh->parts.data[i].triangles, PartMaterial(mesh, i, import)};
	Array_Free(memory, w->part_names);
	memcpy(&w->part_names, &mesh->names, sizeof w->part_names);
	memset(&mesh->names, 0, sizeof mesh->names);
	import->parts = w->parts.data;
	import->part_count = w->parts.count;
	return ERROR_NONE;
}

/* The triangles' own materials, or NULL where they have none. False: no memory. */
static bool TriangleMaterials(ScreeWorld *w, const Mesh *mesh, const ScreeMeshImport *import, uint8_t **materials)
{
	*materials = NULL;
	if (import->map_count == 0 || mesh->parts.count == 0)
		return true;
	*materials = Memory_Alloc(World_Memory(w->world), (size_t)Mesh_TriangleCount(mesh));
	for (int t = 0; *materials && t < Mesh_TriangleCount(mesh); t++) {
		int part = mesh->part_of.data[t];
		(*materials)[t] = (uint8_t)(part > 0 ? w->parts.data[part - 1].material : import->material);
	}
	return *materials != NULL;
}

static int FillMesh(ScreeWorld *w, Mesh *mesh, const MeshSurvey *survey, const ScreeMeshImport *import)
{
	uint8_t *materials;
	double cell = Terrain_CellSize(World_Terrain(w->world));
	for (int i = 0; i < mesh->positions.count; i++)
		mesh->positions.data[i] /= cell;
	MeshFill fill = {.positions = mesh->positions.data,
	                 .indices = mesh->indices.data,
	                 .vertex_count = Mesh_VertexCount(mesh),
	                 .triangle_count = Mesh_TriangleCount(mesh),
	                 .rule = survey->balanced ? MESH_WINDING
	                         : survey->even   ? MESH_PARITY
	                                          : MESH_VOTE,
	                 .thickness = import->shell / cell};
	if (import->shell > 0.0)
		fill.rule = MESH_SHELL;
	if (!TriangleMaterials(w, mesh, import, &materials))
		return Api_OutOfMemory(w);
	fill.materials = materials;
	memset(&w->tally, 0, sizeof w->tally);
	int result = Store_FillMesh(World_Store(w->world), World_Materials(w->world), &fill, (uint8_t)import->material,
	                            (EditMode)import->mode, &w->tally, &w->error);
	if (materials)
		Memory_Free(World_Memory(w->world), materials, (size_t)Mesh_TriangleCount(mesh));
	return result;
}

static bool CheckMap(ScreeWorld *w, const ScreeMeshImport *import)
{
	if (!Check_Number(w, "map_count", import->map_count, 0, MESH_PART_LIMIT))
		return false;
	if (import->map_count == 0)
		return true;
	if (!import->map) {
		Api_Fail(w, ERROR_ARGUMENT, "map must be given");
		return false;
	}
	if (import->mode == SCREE_REMOVE || import->material == MATERIAL_AIR || import->material == MATERIAL_WATER) {
		Api_Fail(w, ERROR_ARGUMENT, "map: digging and water take no materials of the file");
		return false;
	}
	for (int i = 0; i < import->map_count; i++) {
		const ScreeMeshMaterial *entry = &import->map[i];
		if (!Check_Material(w, "map.material", entry->material) ||
		    (!entry->name && !Check_Number(w, "map.number", entry->number, 1, MESH_PART_LIMIT)))
			return false;
		if (entry->material == MATERIAL_AIR || entry->material == MATERIAL_WATER) {
			Api_Fail(w, ERROR_ARGUMENT, "map.material must be solid, got %d", entry->material);
			return false;
		}
	}
	return true;
}

static bool CheckImport(ScreeWorld *w, const ScreeMeshImport *import)
{
	Quat turn;
	static const char *const names[] = {"scale[1]", "scale[2]", "scale[3]"};
	for (int i = 0; i < 3; i++)
		if (!Check_Positive(w, names[i], import->scale[i]))
			return false;
	return Check_Vector(w, "position", import->position, MAX_COORDINATE) &&
	       Check_Rotation(w, "rotation", import->rotation, &turn) && Check_Material(w, "material", import->material) &&
	       Check_Index(w, "mode", import->mode, 4) && Check_Number(w, "shell", import->shell, 0.0, 1e6) &&
	       CheckMap(w, import);
}

int32_t screeTerrain_ImportMesh(ScreeWorld *w, const char *path, ScreeMeshImport *import)
{
	Memory *memory = World_Memory(w->world);
	Mesh mesh = {0};
	MeshSurvey survey;
	if (!path)
		return Api_Fail(w, ERROR_ARGUMENT, "path must be given");
	if (!CheckImport(w, import))
		return SCREE_BAD_ARGUMENT;
	int result = Mesh_ReadFile(memory, path, &mesh, &w->error);
	if (result == ERROR_NONE) {
		Transform(import, &mesh);
		result = Mesh_Survey(memory, &mesh, &survey, &w->error);
	}
	if (result == ERROR_NONE) {
		Report(&mesh, &survey, import);
		result = KeepParts(w, &mesh, import);
	}
	if (result == ERROR_NONE) {
		result = FillMesh(w, &mesh, &survey, import);
		Error inner = w->error;
		if (result == ERROR_LIMIT) /* of the file's making as much as of the scale's */
			result = Api_Fail(w, ERROR_FILE, "%s: %s", path, inner.text);
	}
	Mesh_Free(memory, &mesh);
	return result;
}
