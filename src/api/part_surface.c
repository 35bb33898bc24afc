/* The triangles of parts that numbers alone do not describe: hulls and meshes. */
#include "api/api_internal.h"

/* Receives triangles; without room for them it only counts. */
typedef struct Gatherer {
	TerrainMesh *mesh;
	int64_t count;
} Gatherer;

static void Gatherer_Add(Gatherer *gatherer, Vec3 a, Vec3 b, Vec3 c, Vec3 normal)
{
	int64_t triangle = gatherer->count++;
	TerrainMesh *mesh = gatherer->mesh;
	if (!mesh)
		return;
	const Vec3 corners[3] = {a, b, c};
	for (int i = 0; i < 3; i++) {
		FromVec3(corners[i], mesh->positions + 9 * triangle + 3 * i);
		FromVec3(normal, mesh->normals + 9 * triangle + 3 * i);
		mesh->indices[3 * triangle + i] = (uint32_t)(3 * triangle + i);
	}
}

static bool AddTriangle(void *context, const Triangle *triangle)
{
	const Vec3 *p = triangle->v;
	Gatherer_Add(context, p[0], p[1], p[2], Normalize(Cross(Sub(p[1], p[0]), Sub(p[2], p[0]))));
	return true;
}

/* All of a shape that is one of the two. */
static void Gather(const Shape *shape, Gatherer *gatherer)
{
	if (shape->mesh) {
		const Box everywhere = {V3(-1e9f, -1e9f, -1e9f), V3(1e9f, 1e9f, 1e9f)};
		Trimesh_Visit(shape->mesh, QuatIdentity(), (Vec3D){0}, everywhere, AddTriangle, gatherer);
		return;
	}
	const Hull *hull = shape->hull;
	for (int face = 0; face < hull->face_count; face++) {
		const uint8_t *corners = hull->face_index + hull->face_first[face];
		int count = hull->face_first[face + 1] - hull->face_first[face];
		for (int i = 2; i < count; i++)
			Gatherer_Add(gatherer, hull->vertices[corners[0]], hull->vertices[corners[i - 1]],
			             hull->vertices[corners[i]], hull->normals[face]);
	}
}

/* Room for so many triangles, as one block. */
static bool MakeRoom(Memory *memory, TerrainMesh *mesh, int64_t triangles)
{
	size_t numbers = 9 * (size_t)triangles;
	mesh->bytes = 2 * numbers * sizeof(double) + 3 * (size_t)triangles * sizeof(uint32_t) + (size_t)triangles;
	mesh->block = Memory_AllocZero(memory, mesh->bytes);
	if (!mesh->block)
		return false;
	mesh->positions = mesh->block;
	mesh->normals = mesh->positions + numbers;
	mesh->indices = (uint32_t *)(mesh->normals + numbers);
	mesh->materials = (uint8_t *)(mesh->indices + 3 * triangles);
	mesh->vertex_count = 3 * triangles;
	mesh->triangle_count = triangles;
	return true;
}

int32_t screeAssembly_PartMesh(ScreeWorld *w, ScreeId id, int32_t index, ScreeMesh **mesh)
{
	int slot = Check_Assembly(w, id);
	const Dynamics *d = World_Dynamics(w->world);
	if (slot < 0 || !Check_Index(w, "index", index, Body_PartCount(d, slot)))
		return SCREE_BAD_ARGUMENT;
	const PartDef *def = Part_View(d, Body_Part(d, slot, index)).def;
	if (!def->shape.mesh && !def->shape.hull)
		return Api_Fail(w, ERROR_ARGUMENT, "part %d is neither a hull nor a mesh", index + 1);
	Gatherer gatherer = {0};
	Gather(&def->shape, &gatherer);
	Memory *memory = World_Memory(w->world);
	MeshHandle *handle = Memory_AllocZero(memory, sizeof *handle);
	if (!handle)
		return Api_OutOfMemory(w);
	if (!MakeRoom(memory, &handle->mesh, gatherer.count)) {
		Memory_Free(memory, handle, sizeof *handle);
		return Api_OutOfMemory(w);
	}
	gatherer = (Gatherer){&handle->mesh, 0};
	Gather(&def->shape, &gatherer);
	for (int64_t i = 0; i < gatherer.count; i++)
		handle->mesh.materials[i] = (uint8_t)def->material;
	*mesh = MeshHandle_Face(handle);
	return SCREE_OK;
}
