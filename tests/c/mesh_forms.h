/* Reading mesh files in tests, and the same box in every form of each format. */
#ifndef TESTS_MESH_FORMS_H
#define TESTS_MESH_FORMS_H

#include "failing_memory.h"
#include "mesh_samples.h"
#include "require.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static Memory heap;

static inline void Setup(void)
{
	Memory_Init(&heap, NULL, NULL);
}

typedef enum Format { OBJ, STL, PLY, GLTF } Format;

static inline int ReadWith(Memory *memory, Format format, const void *data, size_t size, Mesh *mesh, Error *error)
{
	switch (format) {
	case OBJ:
		return Mesh_ReadObj(memory, data, size, mesh, error);
	case STL:
		return Mesh_ReadStl(memory, data, size, mesh, error);
	case PLY:
		return Mesh_ReadPly(memory, data, size, mesh, error);
	default:
		return Mesh_ReadGltf(memory, data, size, NULL, mesh, error);
	}
}

/* Reads from an exact copy of the bytes, so that the address sanitizer sees a read beyond them; checks what must hold
 * of every result. */
static inline int Read(Memory *memory, Format format, const void *data, size_t size, Mesh *mesh, Error *error)
{
	void *copy = malloc(size > 0 ? size : 1);
	REQUIRE(copy, "no memory for the test itself");
	if (size > 0)
		memcpy(copy, data, size);
	size_t before = memory->bytes;
	*error = (Error){0};
	int code = ReadWith(memory, format, copy, size, mesh, error);
	free(copy);
	if (code) {
		REQUIRE(code < 0 && (int)error->code == code && strlen(error->text) > 10, "error %d: %s", code, error->text);
		REQUIRE(memory->bytes == before && !mesh->positions.data, "a failed read left something: %s", error->text);
		return code;
	}
	REQUIRE(Mesh_TriangleCount(mesh) > 0 && mesh->indices.count % 3 == 0, "no triangles");
	for (int i = 0; i < mesh->indices.count; i++) {
		REQUIRE(mesh->indices.data[i] < (uint32_t)Mesh_VertexCount(mesh), "index %u", mesh->indices.data[i]);
		for (int k = 0; k < 3; k++)
			REQUIRE(IsFinite(mesh->positions.data[3 * (size_t)mesh->indices.data[i] + k]), "corner %d", i);
	}
	return code;
}

static inline Mesh ReadGood(Format format, const void *data, size_t size)
{
	Mesh mesh;
	Error error;
	int code = Read(&heap, format, data, size, &mesh, &error);
	ck_assert_msg(code == 0, "%s", error.text);
	return mesh;
}

static inline void ExpectError(Format format, const void *data, size_t size, const char *word)
{
	Mesh mesh;
	Error error;
	int code = Read(&heap, format, data, size, &mesh, &error);
	ck_assert_msg(code == ERROR_FILE, "code %d, wanted an error about \"%s\"", code, word);
	ck_assert_msg(strstr(error.text, word) != NULL, "no \"%s\" in \"%s\"", word, error.text);
}

static inline MeshSurvey Survey(const Mesh *mesh)
{
	MeshSurvey survey;
	Error error = {0};
	ck_assert_msg(Mesh_Survey(&heap, mesh, &survey, &error) == 0, "%s", error.text);
	return survey;
}

#define CORNERS "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"

static inline Mesh ReadText(Format format, const char *text)
{
	return ReadGood(format, text, strlen(text));
}

/* ---- the same box in every form ---------------------------------------------------------------------------------- */

static inline Mesh SampleBox(void)
{
	Mesh mesh = {0};
	const double lo[3] = {-1.0, 0.5, 2.0}, hi[3] = {2.0, 2.5, 6.0};
	Sample_Box(&heap, &mesh, lo, hi);
	return mesh;
}

static inline void CheckBox(Mesh *mesh, const char *what)
{
	MeshSurvey survey = Survey(mesh);
	ck_assert_msg(Mesh_TriangleCount(mesh) == 12 && survey.balanced && survey.even && survey.points == 8, "%s: %d",
	              what, Mesh_TriangleCount(mesh));
	ck_assert_msg(AbsD(survey.volume - 24.0) < 1e-5 && AbsD(survey.area - 52.0) < 1e-5, "%s: volume %g, area %g", what,
	              survey.volume, survey.area);
	ck_assert_msg(survey.lo[0] == -1.0 && survey.lo[1] == 0.5 && survey.hi[2] == 6.0, "%s: bounds", what);
	Mesh_Free(&heap, mesh);
}

static inline Bytes StlOfBox(const char *head)
{
	Mesh box = SampleBox();
	Bytes out = {0};
	char start[80] = {0};
	memcpy(start, head, strlen(head));
	Bytes_Add(&out, start, 80);
	Bytes_AddNumber(&out, 12, 4, false);
	for (int t = 0; t < 12; t++) {
		for (int i = 0; i < 3; i++)
			Bytes_AddFloat(&out, 0.0, false);
		for (int k = 0; k < 9; k++)
			Bytes_AddFloat(&out, box.positions.data[3 * box.indices.data[3 * t + k / 3] + k % 3], false);
		Bytes_AddNumber(&out, 7, 2, false);
	}
	Mesh_Free(&heap, &box);
	return out;
}

static inline Bytes StlTextOfBox(bool in_two)
{
	Mesh box = SampleBox();
	Bytes out = {0};
	Bytes_AddText(&out, "solid a facet of names\n");
	for (int t = 0; t < 12; t++) {
		Bytes_AddText(&out, "  facet normal 0 0 0\n\touter loop\n");
		for (int k = 0; k < 3; k++) {
			char text[100];
			const double *p = box.positions.data + 3 * box.indices.data[3 * t + k];
			snprintf(text, sizeof text, "VERTEX %g %g %e\n", p[0], p[1], p[2]);
			Bytes_AddText(&out, text);
		}
		Bytes_AddText(&out, "endloop endfacet\n");
		if (t == 6 && in_two)
			Bytes_AddText(&out, "endsolid a\nsolid\n");
	}
	Bytes_AddText(&out, "endsolid\n");
	Mesh_Free(&heap, &box);
	return out;
}

static inline Bytes PlyOfBox(int format) /* 0 text, 1 little, 2 big */
{
	static const char *const names[] = {"ascii", "binary_little_endian", "binary_big_endian"};
	static const double more[][3] = {{0, 0, 0}, {1, 1, 1}};
	Mesh box = SampleBox();
	Bytes out = {0};
	char text[300];
	bool big = format == 2;
	snprintf(text, sizeof text,
	         "ply\nformat %s 1.0\ncomment element vertex 99\nobj_info x\nelement vertex 8\nproperty uchar red\n"
	         "property double z\nproperty float x\nproperty float y\nelement speck 2\nproperty list uint16 short v\n",
	         names[format]);
	Bytes_AddText(&out, text);
	Bytes_AddText(&out, "element face 6\nproperty list uchar int vertex_indices\nproperty int8 flags\nend_header\n");
	for (int i = 0; i < 8; i++) {
		const double *p = box.positions.data + 3 * i;
		uint64_t bits;
		memcpy(&bits, &p[2], sizeof bits);
		snprintf(text, sizeof text, "%d %g %g\n%g ", 200 + i, p[2], p[0], p[1]);
		if (format == 0) {
			Bytes_AddText(&out, text);
			continue;
		}
		Bytes_AddNumber(&out, 200 + (unsigned)i, 1, big);
		Bytes_AddNumber(&out, bits, 8, big);
		Bytes_AddFloat(&out, p[0], big);
		Bytes_AddFloat(&out, p[1], big);
	}
	for (int i = 0; i < COUNT_OF(more); i++) {
		if (format == 0) {
			Bytes_AddText(&out, "3 1 -2 3\n");
			continue;
		}
		Bytes_AddNumber(&out, 3, 2, big);
		for (int k = 0; k < 3; k++)
			Bytes_AddNumber(&out, (uint64_t)more[i][k], 2, big);
	}
	for (int f = 0; f < 6; f++) {
		const uint32_t *a = box.indices.data + 6 * f;
		const uint32_t corner[4] = {a[0], a[1], a[2], a[5]};
		snprintf(text, sizeof text, "4 %u %u %u %u -1\n", corner[0], corner[1], corner[2], corner[3]);
		if (format == 0) {
			Bytes_AddText(&out, text);
			continue;
		}
		Bytes_AddNumber(&out, 4, 1, big);
		for (int k = 0; k < 4; k++)
			Bytes_AddNumber(&out, corner[k], 4, big);
		Bytes_AddNumber(&out, 255, 1, big);
	}
	Mesh_Free(&heap, &box);
	return out;
}

/* ---- glTF -------------------------------------------------------------------------------------------------------- */

static inline void AddBase64(Bytes *out, const uint8_t *data, size_t size)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	for (size_t i = 0; i < size; i += 3) {
		uint32_t bits = (uint32_t)data[i] << 16 | (i + 1 < size ? (uint32_t)data[i + 1] << 8 : 0) |
		                (i + 2 < size ? data[i + 2] : 0u);
		char four[4];
		for (int k = 0; k < 4; k++)
			four[k] = i + (size_t)k > size && k > 1 ? '=' : digits[bits >> (18 - 6 * k) & 63];
		if (i + 1 >= size)
			four[2] = '=';
		if (i + 2 >= size)
			four[3] = '=';
		Bytes_Add(out, four, 4);
	}
}

/* The box's buffer: positions with a stride of 16, indices of two bytes, then sparse: index 7 and its place. In the
 * positions the last vertex is wrong; the sparse part puts it right. */
static inline Bytes GltfBuffer_OfBox(void)
{
	Mesh box = SampleBox();
	Bytes out = {0};
	for (int i = 0; i < 8; i++) {
		for (int k = 0; k < 3; k++)
			Bytes_AddFloat(&out, i == 7 ? 100.0 : box.positions.data[3 * i + k], false);
		Bytes_AddFloat(&out, -1.0, false);
	}
	for (int i = 0; i < 36; i++)
		Bytes_AddNumber(&out, box.indices.data[i], 2, false);
	Bytes_AddNumber(&out, 7, 4, false);
	for (int k = 0; k < 3; k++)
		Bytes_AddFloat(&out, box.positions.data[21 + k], false);
	Mesh_Free(&heap, &box);
	ck_assert_uint_eq(out.size, 128 + 72 + 16);
	return out;
}

static const char gltf_rest[] =
    "\"bufferViews\":[{\"buffer\":0,\"byteLength\":128,\"byteStride\":16},"
    "{\"buffer\":0,\"byteOffset\":128,\"byteLength\":72},{\"buffer\":0,\"byteOffset\":200,\"byteLength\":4},"
    "{\"buffer\":0,\"byteOffset\":204,\"byteLength\":12}],"
    "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":8,\"type\":\"VEC3\",\"sparse\":{\"count\":1,"
    "\"indices\":{\"bufferView\":2,\"componentType\":5125},\"values\":{\"bufferView\":3}}},"
    "{\"bufferView\":1,\"componentType\":5123,\"count\":36,\"type\":\"SCALAR\"}],"
    "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":1},{\"mode\":1,\"attributes\":"
    "{\"POSITION\":0}}]}],";

static inline Bytes GltfText(const char *nodes, const char *uri)
{
	Bytes out = {0}, buffer = GltfBuffer_OfBox();
	Bytes_AddText(&out, "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":216");
	if (uri && uri[0]) {
		Bytes_AddText(&out, ",\"uri\":\"");
		Bytes_AddText(&out, uri);
		Bytes_AddText(&out, "\"");
	} else if (!uri) {
		Bytes_AddText(&out, ",\"uri\":\"data:application/octet-stream;base64,");
		AddBase64(&out, buffer.data, buffer.size);
		Bytes_AddText(&out, "\"");
	}
	Bytes_AddText(&out, "}],");
	Bytes_AddText(&out, gltf_rest);
	Bytes_AddText(&out, nodes);
	Bytes_AddText(&out, "}");
	Bytes_Free(&buffer);
	return out;
}

static inline Bytes GlbFile(const char *nodes)
{
	Bytes out = {0}, json = GltfText(nodes, ""), buffer = GltfBuffer_OfBox();
	while (json.size % 4 != 0)
		Bytes_AddText(&json, " ");
	Bytes_AddText(&out, "glTF");
	Bytes_AddNumber(&out, 2, 4, false);
	Bytes_AddNumber(&out, 12 + 8 + json.size + 8 + buffer.size, 4, false);
	Bytes_AddNumber(&out, json.size, 4, false);
	Bytes_AddText(&out, "JSON");
	Bytes_Add(&out, json.data, json.size);
	Bytes_AddNumber(&out, buffer.size, 4, false);
	Bytes_Add(&out, "BIN", 4);
	Bytes_Add(&out, buffer.data, buffer.size);
	Bytes_Free(&json);
	Bytes_Free(&buffer);
	return out;
}

#define SCENE "\"scene\":0,\"scenes\":[{\"nodes\":[0]}],"

#endif
