/* STL, binary and text, after the StereoLithography Interface Specification of 3D Systems. */
#include "mesh/mesh_internal.h"

#define STL_HEAD 84
#define STL_TRIANGLE 50

static int Stl_Corner(Mesh *mesh, Memory *memory, const double position[3], int64_t *corner, Error *error)
{
	*corner = Mesh_VertexCount(mesh);
	return Mesh_AddVertex(mesh, memory, position, error);
}

/* ---- binary ------------------------------------------------------------------------------------------------------ */

static int Stl_ReadBinary(Memory *memory, const uint8_t *data, uint32_t count, Mesh *mesh, Error *error)
{
	for (uint32_t i = 0; i < count; i++) {
		const uint8_t *at = data + STL_HEAD + (size_t)i * STL_TRIANGLE + 12; /* after the normal */
		int64_t corner[3];
		int code = ERROR_NONE;
		for (int k = 0; k < 3 && !code; k++, at += 12) {
			const double position[3] = {Bytes_Float(at), Bytes_Float(at + 4), Bytes_Float(at + 8)};
			code = Stl_Corner(mesh, memory, position, &corner[k], error);
		}
		if (!code)
			code = Mesh_AddTriangle(mesh, memory, corner, error);
		if (code)
			return code;
	}
	return ERROR_NONE;
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

static int Stl_Fail(const TextReader *text, const char *what, Error *error)
{
	return Error_Set(error, ERROR_FILE, "STL, line %lld: %s", (long long)text->line, what);
}

/* From behind "facet" to behind "endfacet". */
static int Stl_Facet(TextReader *text, Memory *memory, Mesh *mesh, Error *error)
{
	TextWord word = {0};
	int64_t corner[3];
	int corners = 0;
	while (Text_AnyWord(text, &word) && !TextWord_IsNoCase(word, "endfacet")) {
		if (TextWord_IsNoCase(word, "facet") || TextWord_IsNoCase(word, "endsolid"))
			return Stl_Fail(text, "a facet without endfacet", error);
		if (!TextWord_IsNoCase(word, "vertex"))
			continue; /* normal and its numbers, outer loop, endloop */
		if (corners == 3)
			return Stl_Fail(text, "a facet with more than three vertices", error);
		double position[3];
		for (int i = 0; i < 3; i++) {
			if (!Text_AnyWord(text, &word))
				return Stl_Fail(text, "the file is cut in a vertex", error);
			position[i] = TextWord_Number(word);
		}
		int code = Stl_Corner(mesh, memory, position, &corner[corners++], error);
		if (code)
			return code;
	}
	if (word.length == 0)
		return Stl_Fail(text, "the file is cut in a facet", error);
	if (corners != 3)
		return Stl_Fail(text, "a facet with fewer than three vertices", error);
	return Mesh_AddTriangle(mesh, memory, corner, error);
}

/* Names of solids are free text, so all of their lines is passed over. */
static int Stl_ReadText(Memory *memory, const uint8_t *data, size_t size, Mesh *mesh, Error *error)
{
	TextReader text = {(const char *)data, (const char *)data + size, 1, false};
	TextWord word;
	bool open = false;
	while (Text_AnyWord(&text, &word)) {
		int code = ERROR_NONE;
		if (TextWord_IsNoCase(word, "solid") || TextWord_IsNoCase(word, "endsolid")) {
			open = word.length == 5;
			Text_NextLine(&text);
		} else if (open && TextWord_IsNoCase(word, "facet")) {
			code = Stl_Facet(&text, memory, mesh, error);
		} else {
			code = Stl_Fail(&text, "neither solid, facet nor endsolid", error);
		}
		if (code)
			return code;
	}
	return open ? Stl_Fail(&text, "the file is cut: endsolid is missing", error) : ERROR_NONE;
}

/* ---- which ------------------------------------------------------------------------------------------------------- */

static bool Stl_LooksLikeText(const uint8_t *data, size_t size)
{
	TextReader text = {(const char *)data, (const char *)data + size, 1, false};
	TextWord word;
	return Text_AnyWord(&text, &word) && TextWord_IsNoCase(word, "solid") && !memchr(data, 0, size < 512 ? size : 512);
}

/* Many binary files begin with the word "solid" too, so the size decides: it follows from the number of triangles. */
static int Stl_Read(Memory *memory, const uint8_t *data, size_t size, Mesh *mesh, Error *error)
{
	uint32_t count = size >= STL_HEAD ? Bytes_U32(data + 80) : 0;
	size_t room = size >= STL_HEAD ? (size - STL_HEAD) / STL_TRIANGLE : 0;
	bool exact = size >= STL_HEAD && count == room && (size - STL_HEAD) % STL_TRIANGLE == 0;
	int code;
	if (!exact && Stl_LooksLikeText(data, size))
		code = Stl_ReadText(memory, data, size, mesh, error);
	else if (size < STL_HEAD)
		code = Error_Set(error, ERROR_FILE, "STL: neither text nor the head of a binary file (%zu bytes)", size);
	else if (count > room)
		code = Error_Set(error, ERROR_FILE, "STL: %u triangles are announced; there is room for %zu", count, room);
	else
		code = Stl_ReadBinary(memory, data, count, mesh, error);
	return code ? code : Mesh_Finish(mesh, "STL", error);
}

int Mesh_ReadStl(Memory *memory, const void *data, size_t size, Mesh *mesh, Error *error)
{
	*mesh = (Mesh){0};
	int code =
	    size > 0 ? Stl_Read(memory, data, size, mesh, error) : Error_Set(error, ERROR_FILE, "STL: the file is empty");
	if (code)
		Mesh_Free(memory, mesh);
	return code;
}
