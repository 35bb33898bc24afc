/* Wavefront OBJ with its materials in a file beside it. */
#include "mesh/mesh_internal.h"

#include <stdio.h>

#define PROGRESS_ITEMS 4095

/* Enough that a place of 1/4096 of a metre within 100 km of the origin is kept to a billionth. */
#define OBJ_DIGITS 15

/* A material's name as a word: what would end it becomes _. */
static void WriteWord(FileWriter *writer, const char *name)
{
	for (; *name; name++) {
		char c = (unsigned char)*name <= ' ' ? '_' : *name;
		FileWriter_Bytes(writer, &c, 1);
	}
}

/* The path with .mtl for its ending; control characters, which would end the line that names it, become _. */
static char *MaterialPath(Memory *memory, const char *path, size_t *room, const char **name)
{
	size_t length = strlen(path);
	const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
	if (dot && (!slash || dot > slash))
		length = (size_t)(dot - path);
	*room = length + 5;
	char *made = Memory_Alloc(memory, *room);
	if (!made)
		return NULL;
	snprintf(made, *room, "%.*s.mtl", (int)length, path);
	char *base = slash ? made + (slash - path) + 1 : made;
	for (char *c = base; *c; c++)
		if ((unsigned char)*c < ' ')
			*c = '_';
	*name = base;
	return made;
}

static int WriteMaterials(Memory *memory, const char *path, const MeshView *mesh, const int64_t start[257],
                          uint64_t *bytes, Error *error)
{
	FileWriter writer;
	int code = FileWriter_Open(&writer, memory, path, error);
	if (code)
		return code;
	FileWriter_Text(&writer, "# scree\n");
	for (int m = 0; m < 256; m++) {
		if (start[m] == start[m + 1])
			continue;
		char number[NUMBER_SIZE];
		uint32_t color = mesh->palette[m].color;
		FileWriter_Text(&writer, "\nnewmtl ");
		WriteWord(&writer, mesh->palette[m].name);
		FileWriter_Text(&writer, "\nKd");
		for (int i = 16; i >= 0; i -= 8) {
			Format_Number((color >> i & 255) / 255.0, 6, number);
			FileWriter_Text(&writer, " ");
			FileWriter_Text(&writer, number);
		}
		FileWriter_Text(&writer, "\nKa 0 0 0\nKs 0 0 0\nNs 0\nd 1\nillum 1\n");
	}
	return Write_End(&writer, ERROR_NONE, bytes, error);
}

static void WriteVectors(FileWriter *writer, const char *word, const double *values, int64_t count, int digits)
{
	char number[NUMBER_SIZE];
	for (int64_t v = 0; v < count; v++) {
		FileWriter_Text(writer, word);
		for (int i = 0; i < 3; i++) {
			Format_Number(values[3 * v + i], digits, number);
			FileWriter_Text(writer, " ");
			FileWriter_Text(writer, number);
		}
		FileWriter_Text(writer, "\n");
	}
}

static void WriteFaces(FileWriter *writer, const MeshView *mesh, const uint32_t *order, const int64_t start[257],
                       Progress *progress)
{
	char text[96];
	for (int m = 0; m < 256; m++) {
		if (start[m] == start[m + 1])
			continue;
		FileWriter_Text(writer, "usemtl ");
		WriteWord(writer, mesh->palette[m].name);
		FileWriter_Text(writer, "\n");
		for (int64_t i = start[m]; i < start[m + 1]; i++) {
			const uint32_t *k = mesh->indices + 3 * (size_t)order[i];
			unsigned long long a = k[0] + 1ull, b = k[1] + 1ull, c = k[2] + 1ull;
			snprintf(text, sizeof text, "f %llu//%llu %llu//%llu %llu//%llu\n", a, a, b, b, c, c);
			FileWriter_Text(writer, text);
			if ((i & PROGRESS_ITEMS) == 0)
				Progress_Update(progress, 0.6 + 0.4 * (double)i / (double)mesh->triangle_count);
		}
	}
}

static int WriteObject(Memory *memory, const char *path, const char *materials, const MeshView *mesh,
                       const uint32_t *order, const int64_t start[257], uint64_t *bytes, Error *error)
{
	FileWriter writer;
	int code = FileWriter_Open(&writer, memory, path, error);
	if (code)
		return code;
	Progress progress;
	Progress_Begin(&progress, "writing mesh");
	FileWriter_Text(&writer, "# scree: metres, y up\nmtllib ");
	FileWriter_Text(&writer, materials);
	FileWriter_Text(&writer, "\no terrain\n");
	WriteVectors(&writer, "v", mesh->positions, mesh->vertex_count, OBJ_DIGITS);
	Progress_Update(&progress, 0.4);
	WriteVectors(&writer, "vn", mesh->normals, mesh->vertex_count, 6);
	WriteFaces(&writer, mesh, order, start, &progress);
	Progress_End(&progress);
	return Write_End(&writer, ERROR_NONE, bytes, error);
}

int Mesh_WriteObj(Memory *memory, const char *path, const MeshView *mesh, uint64_t *bytes, Error *error)
{
	int64_t start[257];
	size_t room = 0;
	const char *name = NULL;
	if (bytes)
		*bytes = 0;
	int code = Write_Check(mesh, error);
	if (code)
		return code;
	uint32_t *order = Write_SortTriangles(memory, mesh, start);
	char *materials = order ? MaterialPath(memory, path, &room, &name) : NULL;
	if (materials)
		code = WriteMaterials(memory, materials, mesh, start, bytes, error);
	else
		code = Error_OutOfMemory(error);
	if (!code)
		code = WriteObject(memory, path, name, mesh, order, start, bytes, error);
	Memory_Free(memory, materials, room);
	Memory_Free(memory, order, (size_t)mesh->triangle_count * sizeof *order);
	return code;
}
