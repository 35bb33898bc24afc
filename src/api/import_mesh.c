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

static int FillMesh(ScreeWorld *w, Mesh *mesh, const MeshSurvey *survey, const ScreeMeshImport *import)
{
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
	memset(&w->tally, 0, sizeof w->tally);
	return Store_FillMesh(World_Store(w->world), World_Materials(w->world), &fill, (uint8_t)import->material,
	                      (EditMode)import->mode, &w->tally, &w->error);
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
	       Check_Index(w, "mode", import->mode, 4) && Check_Number(w, "shell", import->shell, 0.0, 1e6);
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
		result = FillMesh(w, &mesh, &survey, import);
		Error inner = w->error;
		if (result == ERROR_LIMIT) /* of the file's making as much as of the scale's */
			result = Api_Fail(w, ERROR_FILE, "%s: %s", path, inner.text);
	}
	Mesh_Free(memory, &mesh);
	return result;
}
