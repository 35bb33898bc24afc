/* Meshes into files: what the writers share, and the two binary formats that are one plain list, STL and PLY. */
#include "mesh/mesh_internal.h"

#include <stdio.h>

/* Items between two looks at the clock. */
#define PROGRESS_ITEMS 4095

/* ---- shared ------------------------------------------------------------------------------------------------------ */

int Write_Check(const MeshView *mesh, Error *error)
{
	if (mesh->triangle_count <= 0)
		return Error_Set(error, ERROR_ARGUMENT, "the mesh has no triangles");
	if (mesh->vertex_count > UINT32_MAX || mesh->triangle_count > UINT32_MAX / 3)
		return Error_Set(error, ERROR_LIMIT, "%lld vertices and %lld triangles are more than a file of meshes can hold",
		                 (long long)mesh->vertex_count, (long long)mesh->triangle_count);
	return ERROR_NONE;
}

void Write_Float(FileWriter *writer, double value)
{
	float narrow = (float)value;
	uint32_t bits;
	memcpy(&bits, &narrow, sizeof bits);
	FileWriter_U32(writer, bits);
}

void Write_Double(FileWriter *writer, double value)
{
	uint64_t bits;
	memcpy(&bits, &value, sizeof bits);
	FileWriter_U32(writer, (uint32_t)bits);
	FileWriter_U32(writer, (uint32_t)(bits >> 32));
}

/* The C library writes the point of the locale, which may be any character, or several. */
void Format_Number(double value, int digits, char *text)
{
	char local[NUMBER_SIZE];
	snprintf(local, sizeof local, "%.*g", digits, value);
	char *to = text;
	for (const char *c = local; *c; c++) {
		bool plain = (*c >= '0' && *c <= '9') || *c == '-' || *c == '+' || *c == 'e';
		if (plain)
			*to++ = *c;
		else if (to == text || to[-1] != '.')
			*to++ = '.';
	}
	*to = '\0';
}

uint32_t *Write_SortTriangles(Memory *memory, const MeshView *mesh, int64_t start[257])
{
	uint32_t *order = Memory_Alloc(memory, (size_t)mesh->triangle_count * sizeof *order);
	int64_t next[256];
	if (!order)
		return NULL;
	memset(start, 0, 257 * sizeof *start);
	for (int64_t t = 0; t < mesh->triangle_count; t++)
		start[mesh->materials[t] + 1]++;
	for (int m = 0; m < 256; m++) {
		start[m + 1] += start[m];
		next[m] = start[m];
	}
	for (int64_t t = 0; t < mesh->triangle_count; t++)
		order[next[mesh->materials[t]]++] = (uint32_t)t;
	return order;
}

int Write_End(FileWriter *writer, int code, uint64_t *bytes, Error *error)
{
	if (code) {
		FileWriter_Drop(writer);
		return code;
	}
	if (bytes)
		*bytes += writer->written;
	return FileWriter_Close(writer, error);
}

/* ---- STL --------------------------------------------------------------------------------------------------------- */

static void TriangleNormal(const double *const p[3], double n[3])
{
	double a[3], b[3];
	for (int i = 0; i < 3; i++) {
		a[i] = p[1][i] - p[0][i];
		b[i] = p[2][i] - p[0][i];
	}
	n[0] = a[1] * b[2] - a[2] * b[1];
	n[1] = a[2] * b[0] - a[0] * b[2];
	n[2] = a[0] * b[1] - a[1] * b[0];
	double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
	for (int i = 0; i < 3 && length > 0.0; i++)
		n[i] /= length;
}

int Mesh_WriteStl(Memory *memory, const char *path, const MeshView *mesh, uint64_t *bytes, Error *error)
{
	/* Not beginning with "solid", which would look like text to many readers. */
	static const char head[80] = "scree: binary STL, metres, y up";
	FileWriter writer;
	if (bytes)
		*bytes = 0;
	int code = Write_Check(mesh, error);
	if (!code)
		code = FileWriter_Open(&writer, memory, path, error);
	if (code)
		return code;
	Progress progress;
	Progress_Begin(&progress, "writing mesh");
	FileWriter_Bytes(&writer, head, sizeof head);
	FileWriter_U32(&writer, (uint32_t)mesh->triangle_count);
	for (int64_t t = 0; t < mesh->triangle_count; t++) {
		const double *p[3];
		double n[3];
		for (int k = 0; k < 3; k++)
			p[k] = mesh->positions + 3 * (size_t)mesh->indices[3 * t + k];
		TriangleNormal(p, n);
		for (int i = 0; i < 3; i++)
			Write_Float(&writer, n[i]);
		for (int k = 0; k < 9; k++)
			Write_Float(&writer, p[k / 3][k % 3]);
		FileWriter_Bytes(&writer, "\0\0", 2);
		if ((t & PROGRESS_ITEMS) == 0)
			Progress_Update(&progress, (double)t / (double)mesh->triangle_count);
	}
	Progress_End(&progress);
	return Write_End(&writer, ERROR_NONE, bytes, error);
}

/* ---- PLY --------------------------------------------------------------------------------------------------------- */

typedef struct ColorSum {
	uint32_t red, green, blue, count;
} ColorSum;

static void SumColors(const MeshView *mesh, ColorSum *sums)
{
	for (int64_t i = 0; i < 3 * mesh->triangle_count; i++) {
		uint32_t color = mesh->palette[mesh->materials[i / 3]].color;
		ColorSum *sum = &sums[mesh->indices[i]];
		sum->red += color >> 16 & 255;
		sum->green += color >> 8 & 255;
		sum->blue += color & 255;
		sum->count++;
	}
}

static void WriteMeanColor(FileWriter *writer, const ColorSum *sum)
{
	uint32_t n = sum->count > 0 ? sum->count : 1;
	const uint8_t rgb[3] = {(uint8_t)((sum->red + n / 2) / n), (uint8_t)((sum->green + n / 2) / n),
	                        (uint8_t)((sum->blue + n / 2) / n)};
	FileWriter_Bytes(writer, rgb, 3);
}

static bool FloatsAreExact(const MeshView *mesh)
{
	for (int64_t i = 0; i < 3 * mesh->vertex_count; i++)
		if ((double)(float)mesh->positions[i] != mesh->positions[i])
			return false;
	return true;
}

static void WritePlyHeader(FileWriter *writer, const MeshView *mesh, bool exact)
{
	char text[600];
	const char *type = exact ? "float" : "double";
	snprintf(text, sizeof text,
	         "ply\nformat binary_little_endian 1.0\ncomment scree: metres, y up\nelement vertex %lld\n"
	         "property %s x\nproperty %s y\nproperty %s z\nproperty float nx\nproperty float ny\nproperty float nz\n"
	         "property uchar red\nproperty uchar green\nproperty uchar blue\nelement face %lld\n"
	         "property list uchar int vertex_indices\nproperty uchar red\nproperty uchar green\nproperty uchar blue\n"
	         "end_header\n",
	         (long long)mesh->vertex_count, type, type, type, (long long)mesh->triangle_count);
	FileWriter_Text(writer, text);
}

static void WritePlyBody(FileWriter *writer, const MeshView *mesh, bool exact, const ColorSum *sums)
{
	Progress progress;
	Progress_Begin(&progress, "writing mesh");
	double all = (double)(mesh->vertex_count + mesh->triangle_count);
	for (int64_t v = 0; v < mesh->vertex_count; v++) {
		for (int i = 0; i < 3; i++) {
			if (exact)
				Write_Float(writer, mesh->positions[3 * v + i]);
			else
				Write_Double(writer, mesh->positions[3 * v + i]);
		}
		for (int i = 0; i < 3; i++)
			Write_Float(writer, mesh->normals[3 * v + i]);
		WriteMeanColor(writer, &sums[v]);
		if ((v & PROGRESS_ITEMS) == 0)
			Progress_Update(&progress, (double)v / all);
	}
	for (int64_t t = 0; t < mesh->triangle_count; t++) {
		uint32_t color = mesh->palette[mesh->materials[t]].color;
		const uint8_t rgb[3] = {color >> 16 & 255, color >> 8 & 255, color & 255};
		FileWriter_Bytes(writer, "\3", 1);
		for (int k = 0; k < 3; k++)
			FileWriter_U32(writer, mesh->indices[3 * t + k]);
		FileWriter_Bytes(writer, rgb, 3);
		if ((t & PROGRESS_ITEMS) == 0)
			Progress_Update(&progress, (double)(mesh->vertex_count + t) / all);
	}
	Progress_End(&progress);
}

int Mesh_WritePly(Memory *memory, const char *path, const MeshView *mesh, uint64_t *bytes, Error *error)
{
	FileWriter writer;
	if (bytes)
		*bytes = 0;
	int code = Write_Check(mesh, error);
	if (code)
		return code;
	if (mesh->vertex_count > INT32_MAX) /* readers take indices for signed numbers */
		return Error_Set(error, ERROR_LIMIT, "%lld vertices are more than a PLY file can hold",
		                 (long long)mesh->vertex_count);
	size_t room = (size_t)mesh->vertex_count * sizeof(ColorSum);
	ColorSum *sums = Memory_AllocZero(memory, room);
	if (!sums)
		return Error_OutOfMemory(error);
	code = FileWriter_Open(&writer, memory, path, error);
	if (!code) {
		bool exact = FloatsAreExact(mesh);
		SumColors(mesh, sums);
		WritePlyHeader(&writer, mesh, exact);
		WritePlyBody(&writer, mesh, exact, sums);
		code = Write_End(&writer, ERROR_NONE, bytes, error);
	}
	Memory_Free(memory, sums, room);
	return code;
}
