/* glTF 2.0 as one binary file (GLB). After the Khronos Group's "glTF 2.0 Specification". */
#include "mesh/mesh_internal.h"

#include <stdio.h>

#define PROGRESS_ITEMS 4095

enum { GLB_FLOAT = 5126, GLB_U32 = 5125, GLB_VERTICES = 34962, GLB_INDICES = 34963 };

typedef struct GlbText {
	Memory *memory;
	ARRAY(char) text;
	bool failed;
} GlbText;

static void Text_Add(GlbText *json, const char *text)
{
	size_t length = strlen(text);
	int want = json->text.count + (int)length;
	if (json->failed || !Array_Reserve(json->memory, json->text, want)) {
		json->failed = true;
		return;
	}
	memcpy(json->text.data + json->text.count, text, length);
	json->text.count = want;
}

static void Text_AddNumber(GlbText *json, double value, int digits)
{
	char number[NUMBER_SIZE];
	Format_Number(value, digits, number);
	Text_Add(json, number);
}

static void Text_AddVector(GlbText *json, const char *before, const double v[3], int digits)
{
	Text_Add(json, before);
	for (int i = 0; i < 3; i++) {
		Text_Add(json, i > 0 ? "," : "[");
		Text_AddNumber(json, v[i], digits);
	}
	Text_Add(json, "]");
}

/* A string without what JSON would want escaped. */
static void Text_AddName(GlbText *json, const char *name)
{
	char letter[2] = "";
	Text_Add(json, "\"");
	for (; *name; name++) {
		bool plain = (unsigned char)*name >= ' ' && *name != '"' && *name != '\\';
		letter[0] = plain ? *name : '_';
		Text_Add(json, letter);
	}
	Text_Add(json, "\"");
}

/* The transfer function of sRGB, IEC 61966-2-1: glTF's colours are linear. */
static double Linear(uint32_t byte)
{
	double c = byte / 255.0;
	return c <= 0.04045 ? c / 12.92 : Trig_Pow((c + 0.055) / 1.055, 2.4);
}

typedef struct GlbLayout {
	double centre[3];
	double lo[3], hi[3];             /* of the floats that are written */
	uint64_t normals, indices, size; /* offsets in the binary chunk */
} GlbLayout;

/* The centre is a whole number, so that the shift by it is exact where positions are sums of powers of two. */
static void Glb_Lay(const MeshView *mesh, GlbLayout *lay)
{
	for (int i = 0; i < 3; i++) {
		lay->lo[i] = DBL_MAX;
		lay->hi[i] = -DBL_MAX;
	}
	for (int64_t v = 0; v < 3 * mesh->vertex_count; v++) {
		lay->lo[v % 3] = MinD(lay->lo[v % 3], mesh->positions[v]);
		lay->hi[v % 3] = MaxD(lay->hi[v % 3], mesh->positions[v]);
	}
	for (int i = 0; i < 3; i++) {
		double middle = 0.5 * (lay->lo[i] + lay->hi[i]);
		lay->centre[i] = AbsD(middle) < 9e15 ? (double)(int64_t)middle : 0.0;
		lay->lo[i] = (float)(lay->lo[i] - lay->centre[i]);
		lay->hi[i] = (float)(lay->hi[i] - lay->centre[i]);
	}
	lay->normals = 12 * (uint64_t)mesh->vertex_count;
	lay->indices = 2 * lay->normals;
	lay->size = lay->indices + 12 * (uint64_t)mesh->triangle_count;
}

static void Text_AddView(GlbText *json, uint64_t offset, uint64_t length, int target, bool last)
{
	char text[160];
	snprintf(text, sizeof text, "{\"buffer\":0,\"byteOffset\":%llu,\"byteLength\":%llu,\"target\":%d}%s",
	         (unsigned long long)offset, (unsigned long long)length, target, last ? "" : ",");
	Text_Add(json, text);
}

static void Text_AddAccessor(GlbText *json, int view, uint64_t offset, int type, uint64_t count, const char *shape)
{
	char text[200];
	snprintf(text, sizeof text,
	         "{\"bufferView\":%d,\"byteOffset\":%llu,\"componentType\":%d,\"count\":%llu,\"type\":\"%s\"", view,
	         (unsigned long long)offset, type, (unsigned long long)count, shape);
	Text_Add(json, text);
}

static void Glb_Materials(GlbText *json, const MeshView *mesh, const int64_t start[257])
{
	bool first = true;
	Text_Add(json, "\"materials\":[");
	for (int m = 0; m < 256; m++) {
		if (start[m] == start[m + 1])
			continue;
		uint32_t color = mesh->palette[m].color;
		const double rgb[3] = {Linear(color >> 16 & 255), Linear(color >> 8 & 255), Linear(color & 255)};
		Text_Add(json, first ? "{\"name\":" : ",{\"name\":");
		Text_AddName(json, mesh->palette[m].name);
		Text_Add(json, ",\"pbrMetallicRoughness\":{\"baseColorFactor\":[");
		for (int i = 0; i < 3; i++) {
			Text_AddNumber(json, rgb[i], 9);
			Text_Add(json, ",");
		}
		Text_Add(json, "1],\"metallicFactor\":0,\"roughnessFactor\":1}}");
		first = false;
	}
	Text_Add(json, "],");
}

static void Glb_Primitives(GlbText *json, const int64_t start[257])
{
	int count = 0;
	Text_Add(json, "\"meshes\":[{\"name\":\"terrain\",\"primitives\":[");
	for (int m = 0; m < 256; m++) {
		if (start[m] == start[m + 1])
			continue;
		char text[128];
		snprintf(text, sizeof text, "%s{\"attributes\":{\"POSITION\":0,\"NORMAL\":1},\"indices\":%d,\"material\":%d}",
		         count > 0 ? "," : "", 2 + count, count);
		Text_Add(json, text);
		count++;
	}
	Text_Add(json, "]}],");
}

static void Glb_Accessors(GlbText *json, const MeshView *mesh, const int64_t start[257], const GlbLayout *lay)
{
	uint64_t vertices = (uint64_t)mesh->vertex_count;
	Text_Add(json, "\"accessors\":[");
	Text_AddAccessor(json, 0, 0, GLB_FLOAT, vertices, "VEC3");
	Text_AddVector(json, ",\"min\":", lay->lo, 9);
	Text_AddVector(json, ",\"max\":", lay->hi, 9);
	Text_Add(json, "},");
	Text_AddAccessor(json, 1, 0, GLB_FLOAT, vertices, "VEC3");
	for (int m = 0; m < 256; m++) {
		if (start[m] == start[m + 1])
			continue;
		Text_Add(json, "},");
		Text_AddAccessor(json, 2, 12 * (uint64_t)start[m], GLB_U32, 3 * (uint64_t)(start[m + 1] - start[m]), "SCALAR");
	}
	Text_Add(json, "}],");
}

static void Glb_Json(GlbText *json, const MeshView *mesh, const int64_t start[257], const GlbLayout *lay)
{
	char text[96];
	Text_Add(json, "{\"asset\":{\"version\":\"2.0\",\"generator\":\"scree\"},\"scene\":0,"
	               "\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\"name\":\"terrain\",\"mesh\":0");
	Text_AddVector(json, ",\"translation\":", lay->centre, 17);
	Text_Add(json, "}],");
	Glb_Materials(json, mesh, start);
	Glb_Primitives(json, start);
	Glb_Accessors(json, mesh, start, lay);
	Text_Add(json, "\"bufferViews\":[");
	Text_AddView(json, 0, lay->normals, GLB_VERTICES, false);
	Text_AddView(json, lay->normals, lay->indices - lay->normals, GLB_VERTICES, false);
	Text_AddView(json, lay->indices, lay->size - lay->indices, GLB_INDICES, true);
	snprintf(text, sizeof text, "],\"buffers\":[{\"byteLength\":%llu}]}", (unsigned long long)lay->size);
	Text_Add(json, text);
	while (json->text.count % 4 != 0 && !json->failed)
		Text_Add(json, " ");
}

static void Glb_Binary(FileWriter *writer, const MeshView *mesh, const uint32_t *order, const GlbLayout *lay)
{
	Progress progress;
	Progress_Begin(&progress, "writing mesh");
	for (int64_t i = 0; i < 3 * mesh->vertex_count; i++) {
		Write_Float(writer, mesh->positions[i] - lay->centre[i % 3]);
		if ((i & PROGRESS_ITEMS) == 0)
			Progress_Update(&progress, 0.3 * (double)i / (double)(3 * mesh->vertex_count));
	}
	for (int64_t i = 0; i < 3 * mesh->vertex_count; i++)
		Write_Float(writer, mesh->normals[i]);
	for (int64_t t = 0; t < mesh->triangle_count; t++) {
		for (int k = 0; k < 3; k++)
			FileWriter_U32(writer, mesh->indices[3 * (size_t)order[t] + (size_t)k]);
		if ((t & PROGRESS_ITEMS) == 0)
			Progress_Update(&progress, 0.6 + 0.4 * (double)t / (double)mesh->triangle_count);
	}
	Progress_End(&progress);
}

static int Glb_Write(Memory *memory, const char *path, const MeshView *mesh, const uint32_t *order,
                     const int64_t start[257], GlbText *json, uint64_t *bytes, Error *error)
{
	GlbLayout lay;
	FileWriter writer;
	Glb_Lay(mesh, &lay);
	Glb_Json(json, mesh, start, &lay);
	if (json->failed)
		return Error_OutOfMemory(error);
	uint64_t total = 12 + 8 + (uint64_t)json->text.count + 8 + lay.size;
	if (total > UINT32_MAX)
		return Error_Set(error, ERROR_LIMIT, "the file would have %llu bytes; a .glb has at most %u",
		                 (unsigned long long)total, UINT32_MAX);
	int code = FileWriter_Open(&writer, memory, path, error);
	if (code)
		return code;
	FileWriter_Text(&writer, "glTF");
	FileWriter_U32(&writer, 2);
	FileWriter_U32(&writer, (uint32_t)total);
	FileWriter_U32(&writer, (uint32_t)json->text.count);
	FileWriter_Text(&writer, "JSON");
	FileWriter_Bytes(&writer, json->text.data, (size_t)json->text.count);
	FileWriter_U32(&writer, (uint32_t)lay.size); /* a multiple of 4 */
	FileWriter_Bytes(&writer, "BIN", 4);
	Glb_Binary(&writer, mesh, order, &lay);
	return Write_End(&writer, ERROR_NONE, bytes, error);
}

int Mesh_WriteGlb(Memory *memory, const char *path, const MeshView *mesh, uint64_t *bytes, Error *error)
{
	int64_t start[257];
	if (bytes)
		*bytes = 0;
	int code = Write_Check(mesh, error);
	if (code)
		return code;
	uint32_t *order = Write_SortTriangles(memory, mesh, start);
	if (!order)
		return Error_OutOfMemory(error);
	GlbText json = {.memory = memory};
	code = Glb_Write(memory, path, mesh, order, start, &json, bytes, error);
	Array_Free(memory, json.text);
	Memory_Free(memory, order, (size_t)mesh->triangle_count * sizeof *order);
	return code;
}
