/* Wavefront OBJ, after "Object Files (.obj)", Appendix B1 of the Advanced Visualizer manual. */
#include "mesh/mesh_internal.h"

typedef struct ObjReader {
	TextReader text;
	const char *start; /* of the text */
	Memory *memory;
	Mesh *mesh;
	ARRAY(int64_t) corners; /* of the face at hand */
	KeyMap parts;           /* by the hash of their names */
	TextWord material;      /* of the faces to come */
	bool material_is_new;   /* no face had it since it was named */
} ObjReader;

/* Does the text end within the line? Whole files may do so too, but not within what the line says. */
static bool Obj_IsCut(const ObjReader *obj)
{
	return obj->text.at == obj->text.end;
}

/* A vertex that cannot be read is kept as no number: later faces count it. */
static int Obj_Vertex(ObjReader *obj, Error *error)
{
	double position[3];
	TextWord word;
	for (int i = 0; i < 3; i++) {
		if (!Text_Word(&obj->text, &word))
			word = (TextWord){"", 0};
		position[i] = TextWord_Number(word);
	}
	if (word.length == 0 && Obj_IsCut(obj))
		return Error_Set(error, ERROR_FILE, "the file is cut in a vertex");
	return Mesh_AddVertex(obj->mesh, obj->memory, position, error);
}

/* The vertex of a corner v, v/vt, v//vn or v/vt/vn from 0, or -1 for what is none. Only the vertex is looked at: many
 * files have wrong numbers for textures and normals. */
static int64_t Obj_Corner(const ObjReader *obj, TextWord word)
{
	const char *stroke = memchr(word.at, '/', word.length);
	int64_t index;
	if (stroke)
		word.length = (size_t)(stroke - word.at);
	if (!TextWord_Whole(word, &index) || index == 0)
		return -1;
	return index > 0 ? index - 1 : Mesh_VertexCount(obj->mesh) + index;
}

/* The part of the material at hand, found or made. */
static int Obj_Part(ObjReader *obj, Error *error)
{
	Mesh *mesh = obj->mesh;
	TextWord name = obj->material;
	obj->material_is_new = false;
	mesh->part = 0;
	if (name.length == 0)
		return ERROR_NONE;
	uint64_t key = Hash_Bytes(name.at, name.length) >> 1;
	int first = KeyMap_Find(&obj->parts, key), made = mesh->parts.count;
	for (int i = first; i >= 0; i = mesh->parts.data[i].next)
		if (TextWord_Is(name, Mesh_PartName(mesh, i))) {
			mesh->part = (uint16_t)(i + 1);
			return ERROR_NONE;
		}
	int code = Mesh_AddPart(mesh, obj->memory, name.at, name.length, error);
	if (code)
		return code;
	mesh->parts.data[made].next = first;
	if (!KeyMap_Put(&obj->parts, obj->memory, key, made))
		return Error_OutOfMemory(error);
	mesh->part = (uint16_t)(made + 1);
	return ERROR_NONE;
}

static int Obj_Face(ObjReader *obj, Error *error)
{
	TextWord word;
	int code = obj->material_is_new ? Obj_Part(obj, error) : ERROR_NONE;
	if (code)
		return code;
	obj->corners.count = 0;
	while (Text_Word(&obj->text, &word) && *word.at != '#')
		if (!Array_Push(obj->memory, obj->corners, Obj_Corner(obj, word)))
			return Error_OutOfMemory(error);
	bool open = obj->corners.count < 3 || (obj->text.at > obj->start && obj->text.at[-1] == '/');
	if (open && Obj_IsCut(obj))
		return Error_Set(error, ERROR_FILE, "the file is cut in a face");
	return Mesh_AddPolygon(obj->mesh, obj->memory, obj->corners.data, obj->corners.count, error);
}

static int Obj_Read(ObjReader *obj, Error *error)
{
	do {
		TextWord word;
		int code = ERROR_NONE;
		int64_t line = obj->text.line;
		if (!Text_Word(&obj->text, &word))
			continue;
		if (TextWord_Is(word, "v"))
			code = Obj_Vertex(obj, error);
		else if (TextWord_Is(word, "f") || TextWord_Is(word, "fo"))
			code = Obj_Face(obj, error);
		else if (TextWord_Is(word, "usemtl")) {
			obj->material = Text_Rest(&obj->text);
			obj->material_is_new = true;
		}
		if (code == ERROR_FILE) {
			Error inner = *error;
			return Error_Set(error, ERROR_FILE, "OBJ, line %lld: %s", (long long)line, inner.text);
		}
		if (code)
			return code;
	} while (Text_NextLine(&obj->text));
	return Mesh_Finish(obj->mesh, "OBJ", error);
}

/* Faces may come before their vertices only in files that nobody writes; indices are looked up as they are met. */
int Mesh_ReadObj(Memory *memory, const void *data, size_t size, Mesh *mesh, Error *error)
{
	Error inner = {0};
	*mesh = (Mesh){0};
	ObjReader obj = {.text = {data, (const char *)data + size, 1, true}, .start = data, .memory = memory, .mesh = mesh};
	int code = size > 0 ? Obj_Read(&obj, &inner) : Error_Set(&inner, ERROR_FILE, "OBJ: the file is empty");
	Array_Free(memory, obj.corners);
	KeyMap_Free(&obj.parts, memory);
	if (code) {
		Mesh_Free(memory, mesh);
		if (error)
			*error = inner;
	}
	return code;
}
