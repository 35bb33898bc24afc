/* Parts of the shape mesh: from files or from arrays. */
#include "api/api_internal.h"

#include <stdio.h>

static bool CheckScale(ScreeWorld *w, const char *prefix, const double *scale)
{
	for (int i = 0; i < 3; i++) {
		char name[80];
		snprintf(name, sizeof name, "%sscale[%d]", prefix, i + 1);
		if (!Check_Number(w, name, scale[i], 1e-9, 1e9))
			return false;
	}
	return true;
}

static int MakeFromFile(ScreeWorld *w, const ScreePart *part, Shape *shape)
{
	Memory *memory = World_Memory(w->world);
	Mesh mesh;
	Error inner = {0};
	int code = Mesh_ReadFile(memory, part->path, &mesh, &w->error);
	if (code != ERROR_NONE)
		return code;
	for (int i = 0; i < mesh.positions.count; i++)
		mesh.positions.data[i] *= part->scale[i % 3];
	shape->mesh = Trimesh_Create(memory, mesh.positions.data, Mesh_VertexCount(&mesh), mesh.indices.data,
	                             Mesh_TriangleCount(&mesh), &inner);
	Mesh_Free(memory, &mesh);
	if (shape->mesh)
		return ERROR_NONE;
	if (inner.code == ERROR_MEMORY)
		return Api_OutOfMemory(w);
	return Api_Fail(w, ERROR_FILE, "%s: %s", part->path, inner.text); /* what is in it is not the caller's making */
}

static int MakeFromArrays(ScreeWorld *w, const char *prefix, const ScreePart *part, Shape *shape)
{
	Memory *memory = World_Memory(w->world);
	Error inner = {0};
	if (part->point_count < 3 || !part->points)
		return Api_Fail(w, ERROR_ARGUMENT, "%spoints must hold the 3 or more vertices of the mesh, got %d", prefix,
		                part->point_count);
	if (part->triangle_count < 1 || !part->indices)
		return Api_Fail(w, ERROR_ARGUMENT, "%sindices must hold 1 triangle or more, got %d", prefix,
		                part->triangle_count);
	size_t count = 3 * (size_t)part->point_count;
	double *positions = Memory_Alloc(memory, count * sizeof *positions);
	if (!positions)
		return Api_OutOfMemory(w);
	int code = ERROR_NONE;
	for (size_t i = 0; i < count && code == ERROR_NONE; i++) {
		char name[80];
		positions[i] = part->points[i] * part->scale[i % 3];
		if (AbsD(positions[i]) <= TRIMESH_REACH)
			continue;
		snprintf(name, sizeof name, "%spoints[%zu][%zu], scaled,", prefix, i / 3 + 1, i % 3 + 1);
		Check_Number(w, name, positions[i], -TRIMESH_REACH, TRIMESH_REACH);
		code = ERROR_ARGUMENT;
	}
	if (code == ERROR_NONE) {
		shape->mesh = Trimesh_Create(memory, positions, part->point_count, part->indices, part->triangle_count, &inner);
		if (!shape->mesh)
			code = inner.code == ERROR_MEMORY ? Api_OutOfMemory(w)
			                                  : Api_Fail(w, inner.code, "%smesh: %s", prefix, inner.text);
	}
	Memory_Free(memory, positions, count * sizeof *positions);
	return code;
}

int Api_MakeMesh(ScreeWorld *w, const char *prefix, const ScreePart *part, Shape *shape)
{
	*shape = (Shape){.kind = SHAPE_MESH};
	if (!CheckScale(w, prefix, part->scale))
		return ERROR_ARGUMENT;
	return part->path ? MakeFromFile(w, part, shape) : MakeFromArrays(w, prefix, part, shape);
}

int32_t screeAssembly_GetMesh(ScreeWorld *w, ScreeId id, int32_t index, ScreeMeshInfo *out)
{
	int slot = Check_Assembly(w, id);
	const Dynamics *d = World_Dynamics(w->world);
	if (slot < 0 || !Check_Index(w, "index", index, Body_PartCount(d, slot)))
		return SCREE_BAD_ARGUMENT;
	const Trimesh *mesh = Part_View(d, Body_Part(d, slot, index)).def->shape.mesh;
	if (!mesh)
		return Api_Fail(w, ERROR_ARGUMENT, "part %d is no mesh", index);
	const TrimeshInfo *info = Trimesh_Info(mesh);
	*out = (ScreeMeshInfo){.triangles = info->triangle_count,
	                       .vertices = info->vertex_count,
	                       .dropped = (double)info->dropped,
	                       .open_edges = info->open_edges,
	                       .closed = info->closed,
	                       .volume = (double)info->volume,
	                       .bytes = (double)info->bytes,
	                       .min = {info->lo.x, info->lo.y, info->lo.z},
	                       .max = {info->hi.x, info->hi.y, info->hi.z}};
	return SCREE_OK;
}
