/* Building a mesh from what a file says, and reading by the file's name. */
#include "mesh/mesh_internal.h"

#include <stdio.h>

int Mesh_AddVertex(Mesh *mesh, Memory *memory, const double position[3], Error *error)
{
	int count = mesh->positions.count;
	if (count / 3 >= MESH_LIMIT)
		return Error_Set(error, ERROR_FILE, "more than %d vertices", MESH_LIMIT);
	if (!Array_Reserve(memory, mesh->positions, count + 3))
		return Error_OutOfMemory(error);
	memcpy(mesh->positions.data + count, position, 3 * sizeof *position);
	mesh->positions.count = count + 3;
	return ERROR_NONE;
}

/* Beyond this a product of three lengths would leave the range of a double. */
#define LARGEST 1e90

static bool Corner_IsGood(const Mesh *mesh, int64_t corner)
{
	if (corner < 0 || corner >= Mesh_VertexCount(mesh))
		return false;
	const double *p = mesh->positions.data + 3 * corner;
	return AbsD(p[0]) < LARGEST && AbsD(p[1]) < LARGEST && AbsD(p[2]) < LARGEST;
}

int Mesh_AddTriangle(Mesh *mesh, Memory *memory, const int64_t corner[3], Error *error)
{
	if (!Corner_IsGood(mesh, corner[0]) || !Corner_IsGood(mesh, corner[1]) || !Corner_IsGood(mesh, corner[2])) {
		mesh->skipped++;
		return ERROR_NONE;
	}
	int count = mesh->indices.count;
	if (count / 3 >= MESH_LIMIT)
		return Error_Set(error, ERROR_FILE, "more than %d triangles", MESH_LIMIT);
	if (!Array_Reserve(memory, mesh->indices, count + 3) || !Array_Push(memory, mesh->part_of, mesh->part))
		return Error_OutOfMemory(error);
	for (int i = 0; i < 3; i++)
		mesh->indices.data[count + i] = (uint32_t)corner[i];
	mesh->indices.count = count + 3;
	if (mesh->part > 0)
		mesh->parts.data[mesh->part - 1].triangles++;
	return ERROR_NONE;
}

int Mesh_AddPolygon(Mesh *mesh, Memory *memory, const int64_t *corners, int count, Error *error)
{
	bool good = count >= 3;
	for (int i = 0; i < count && good; i++)
		good = Corner_IsGood(mesh, corners[i]);
	if (!good) {
		mesh->skipped += Int_Max(count - 2, 1);
		return ERROR_NONE;
	}
	return Mesh_CutPolygon(mesh, memory, corners, count, error);
}

int Mesh_AddPart(Mesh *mesh, Memory *memory, const char *name, size_t length, Error *error)
{
	MeshPart part = {.name = mesh->names.count, .next = -1};
	if (mesh->parts.count >= MESH_PART_LIMIT)
		return Error_Set(error, ERROR_FILE, "more than %d materials", MESH_PART_LIMIT);
	if (length > (size_t)(INT32_MAX / 2 - mesh->names.count))
		return Error_Set(error, ERROR_FILE, "the names of materials are too long");
	if (!Array_Reserve(memory, mesh->names, mesh->names.count + (int)length + 1) ||
	    !Array_Push(memory, mesh->parts, part))
		return Error_OutOfMemory(error);
	char *to = mesh->names.data + mesh->names.count;
	for (size_t i = 0; i < length; i++)
		to[i] = (unsigned char)name[i] < ' ' ? ' ' : name[i];
	to[length] = '\0';
	mesh->names.count += (int)length + 1;
	return ERROR_NONE;
}

int Mesh_Finish(const Mesh *mesh, const char *kind, Error *error)
{
	if (mesh->indices.count > 0)
		return ERROR_NONE;
	if (mesh->skipped > 0)
		return Error_Set(error, ERROR_FILE, "%s: none of the %lld triangles can be used", kind,
		                 (long long)mesh->skipped);
	return Error_Set(error, ERROR_FILE, "%s: there is no triangle in the file", kind);
}

void Mesh_Free(Memory *memory, Mesh *mesh)
{
	Array_Free(memory, mesh->positions);
	Array_Free(memory, mesh->indices);
	Array_Free(memory, mesh->parts);
	Array_Free(memory, mesh->names);
	Array_Free(memory, mesh->part_of);
	mesh->skipped = 0;
	mesh->part = 0;
}

/* ---- by name ---------------------------------------------------------------------------------------------------- */

static int ReadGltfBeside(Memory *memory, const char *path, const void *data, size_t size, Mesh *mesh, Error *error)
{
	const char *slash = strrchr(path, '/');
	size_t length = slash ? (size_t)(slash - path) + 1 : 2;
	char *folder = Memory_Alloc(memory, length + 1);
	if (!folder)
		return Error_OutOfMemory(error);
	memcpy(folder, slash ? path : "./", length);
	folder[length] = '\0';
	int code = Mesh_ReadGltf(memory, data, size, folder, mesh, error);
	Memory_Free(memory, folder, length + 1);
	return code;
}

int Mesh_ReadFile(Memory *memory, const char *path, Mesh *mesh, Error *error)
{
	void *data;
	size_t size;
	Error inner = {0};
	*mesh = (Mesh){0};
	int code = File_Read(memory, path, MESH_FILE_LIMIT, &data, &size, error);
	if (code)
		return code;
	if (File_HasEnding(path, ".obj"))
		code = Mesh_ReadObj(memory, data, size, mesh, &inner);
	else if (File_HasEnding(path, ".stl"))
		code = Mesh_ReadStl(memory, data, size, mesh, &inner);
	else if (File_HasEnding(path, ".ply"))
		code = Mesh_ReadPly(memory, data, size, mesh, &inner);
	else if (File_HasEnding(path, ".glb") || File_HasEnding(path, ".gltf"))
		code = ReadGltfBeside(memory, path, data, size, mesh, &inner);
	else
		code = Error_Set(&inner, ERROR_FILE, "unknown kind of mesh file (.obj, .stl, .ply, .glb and .gltf are read)");
	Memory_Free(memory, data, size);
	return code ? Error_Set(error, inner.code, "%s: %s", path, inner.text) : ERROR_NONE;
}
