/* PLY, after Greg Turk, "The PLY Polygon File Format" (1994). */
#include "mesh/mesh_internal.h"

#define PLY_PROPERTIES 1024 /* of all elements together */
#define PLY_ELEMENTS 64
#define PLY_LIST_LIMIT (1 << 20) /* corners of one polygon */

typedef enum PlyType { PLY_I8, PLY_U8, PLY_I16, PLY_U16, PLY_I32, PLY_U32, PLY_F32, PLY_F64, PLY_NONE } PlyType;

typedef struct PlyProperty {
	PlyType type;
	PlyType list; /* of the count; PLY_NONE: a single value */
	int role;     /* 0..2: x, y, z of a vertex; 3: corners of a face; -1: passed over */
} PlyProperty;

typedef enum PlyKind { PLY_OTHER, PLY_VERTEX, PLY_FACE } PlyKind;

typedef struct PlyElement {
	int64_t count;
	PlyKind kind;
	int first, properties;
} PlyElement;

typedef struct PlyReader {
	TextReader text; /* the header; then the data, of text files and of binary ones */
	Memory *memory;
	Mesh *mesh;
	enum { PLY_TEXT, PLY_LITTLE, PLY_BIG } format;
	ARRAY(PlyElement) elements;
	ARRAY(PlyProperty) properties;
	ARRAY(int64_t) corners;
} PlyReader;

static int Ply_Fail(const PlyReader *ply, const char *what, Error *error)
{
	return Error_Set(error, ERROR_FILE, "PLY, line %lld: %s", (long long)ply->text.line, what);
}

/* ---- header ------------------------------------------------------------------------------------------------------ */

static PlyType Ply_Type(TextWord word)
{
	static const char *const names[][2] = {{"char", "int8"},     {"uchar", "uint8"},   {"short", "int16"},
	                                       {"ushort", "uint16"}, {"int", "int32"},     {"uint", "uint32"},
	                                       {"float", "float32"}, {"double", "float64"}};
	for (int i = 0; i < COUNT_OF(names); i++)
		if (TextWord_Is(word, names[i][0]) || TextWord_Is(word, names[i][1]))
			return (PlyType)i;
	return PLY_NONE;
}

static int Ply_Format(PlyReader *ply, Error *error)
{
	TextWord word;
	if (Text_Word(&ply->text, &word) && TextWord_Is(word, "ascii"))
		ply->format = PLY_TEXT;
	else if (TextWord_Is(word, "binary_little_endian"))
		ply->format = PLY_LITTLE;
	else if (TextWord_Is(word, "binary_big_endian"))
		ply->format = PLY_BIG;
	else
		return Ply_Fail(ply, "the format is neither ascii nor binary_little_endian nor binary_big_endian", error);
	return ERROR_NONE;
}

static int Ply_Element(PlyReader *ply, Error *error)
{
	TextWord word;
	PlyElement element = {.first = ply->properties.count};
	if (Text_Word(&ply->text, &word) && TextWord_Is(word, "vertex"))
		element.kind = PLY_VERTEX;
	else if (TextWord_Is(word, "face"))
		element.kind = PLY_FACE;
	if (!Text_Word(&ply->text, &word) || !TextWord_Whole(word, &element.count) || element.count < 0)
		return Ply_Fail(ply, "an element without a count", error);
	if (ply->elements.count == PLY_ELEMENTS)
		return Ply_Fail(ply, "too many elements", error);
	return Array_Push(ply->memory, ply->elements, element) ? ERROR_NONE : Error_OutOfMemory(error);
}

static int Ply_Role(PlyKind kind, TextWord name, bool is_list)
{
	if (kind == PLY_VERTEX && !is_list && name.length == 1 && *name.at >= 'x' && *name.at <= 'z')
		return *name.at - 'x';
	if (kind == PLY_FACE && is_list && (TextWord_Is(name, "vertex_indices") || TextWord_Is(name, "vertex_index")))
		return 3;
	return -1;
}

static int Ply_Property(PlyReader *ply, Error *error)
{
	TextWord word;
	PlyProperty property = {PLY_NONE, PLY_NONE, -1};
	if (ply->elements.count == 0)
		return Ply_Fail(ply, "a property before any element", error);
	bool is_list = Text_Word(&ply->text, &word) && TextWord_Is(word, "list");
	if (is_list) {
		property.list = Text_Word(&ply->text, &word) ? Ply_Type(word) : PLY_NONE;
		if (property.list >= PLY_F32 || !Text_Word(&ply->text, &word))
			return Ply_Fail(ply, "a list without a type of its count", error);
	}
	property.type = Ply_Type(word);
	if (property.type == PLY_NONE || !Text_Word(&ply->text, &word))
		return Ply_Fail(ply, "a property without a known type and a name", error);
	if (ply->properties.count == PLY_PROPERTIES)
		return Ply_Fail(ply, "too many properties", error);
	PlyElement *element = &ply->elements.data[ply->elements.count - 1];
	property.role = Ply_Role(element->kind, word, is_list);
	element->properties++;
	return Array_Push(ply->memory, ply->properties, property) ? ERROR_NONE : Error_OutOfMemory(error);
}

static int Ply_HeaderLine(PlyReader *ply, TextWord word, bool *formatted, Error *error)
{
	if (TextWord_Is(word, "format")) {
		*formatted = true;
		return Ply_Format(ply, error);
	}
	if (TextWord_Is(word, "element"))
		return Ply_Element(ply, error);
	if (TextWord_Is(word, "property"))
		return Ply_Property(ply, error);
	if (TextWord_Is(word, "comment") || TextWord_Is(word, "obj_info"))
		return ERROR_NONE;
	return Ply_Fail(ply, "not a line of a header", error);
}

static int Ply_Header(PlyReader *ply, Error *error)
{
	TextWord word;
	bool formatted = false;
	if (!Text_Word(&ply->text, &word) || !TextWord_Is(word, "ply"))
		return Error_Set(error, ERROR_FILE, "PLY: the file does not begin with \"ply\"");
	while (Text_NextLine(&ply->text)) {
		if (!Text_Word(&ply->text, &word))
			continue;
		if (TextWord_Is(word, "end_header")) {
			Text_NextLine(&ply->text);
			return formatted ? ERROR_NONE : Ply_Fail(ply, "the header has no format", error);
		}
		int code = Ply_HeaderLine(ply, word, &formatted, error);
		if (code)
			return code;
	}
	return Ply_Fail(ply, "the file is cut in its header", error);
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

static double Ply_Decode(const uint8_t *at, PlyType type, bool big)
{
	static const int sizes[] = {1, 1, 2, 2, 4, 4, 4, 8};
	uint64_t bits = 0;
	for (int i = 0; i < sizes[type]; i++)
		bits |= (uint64_t)at[i] << 8 * (big ? sizes[type] - 1 - i : i);
	double wide;
	float narrow;
	uint32_t low = (uint32_t)bits;
	memcpy(&wide, &bits, sizeof wide);
	memcpy(&narrow, &low, sizeof narrow);
	switch (type) {
	case PLY_I8:
		return (int8_t)bits;
	case PLY_I16:
		return (int16_t)bits;
	case PLY_I32:
		return (int32_t)bits;
	case PLY_F32:
		return narrow;
	case PLY_F64:
		return wide;
	default:
		return (double)bits;
	}
}

/* The next value; false: the data ends. In text, what is no number reads as NaN. */
static bool Ply_Value(PlyReader *ply, PlyType type, double *value)
{
	static const int sizes[] = {1, 1, 2, 2, 4, 4, 4, 8};
	TextReader *text = &ply->text;
	if (ply->format == PLY_TEXT) {
		TextWord word;
		if (!Text_AnyWord(text, &word))
			return false;
		*value = TextWord_Number(word);
		return true;
	}
	if (text->end - text->at < sizes[type])
		return false;
	*value = Ply_Decode((const uint8_t *)text->at, type, ply->format == PLY_BIG);
	text->at += sizes[type];
	return true;
}

/* ---- elements ---------------------------------------------------------------------------------------------------- */

static int Ply_Cut(const PlyReader *ply, const PlyElement *element, int64_t row, Error *error)
{
	static const char *const names[] = {"other", "vertex", "face"};
	(void)ply;
	return Error_Set(error, ERROR_FILE, "PLY: the file is cut in %s %lld of %lld", names[element->kind],
	                 (long long)row + 1, (long long)element->count);
}

/* Corners that are no whole numbers become -1, which no vertex has. */
static int Ply_List(PlyReader *ply, const PlyProperty *property, bool *ended, Error *error)
{
	double count, value;
	*ended = !Ply_Value(ply, property->list, &count);
	if (*ended)
		return ERROR_NONE;
	if (!(count >= 0.0 && count <= PLY_LIST_LIMIT))
		return Error_Set(error, ERROR_FILE, "PLY: a list announces %g values; at most %d are read", count,
		                 PLY_LIST_LIMIT);
	if (property->role == 3)
		ply->corners.count = 0;
	for (int i = 0; i < (int)count; i++) {
		*ended = !Ply_Value(ply, property->type, &value);
		if (*ended)
			return ERROR_NONE;
		if (property->role != 3)
			continue;
		int64_t corner = value >= 0.0 && value < 4294967296.0 ? (int64_t)value : -1;
		if (!Array_Push(ply->memory, ply->corners, (double)corner == value ? corner : -1))
			return Error_OutOfMemory(error);
	}
	return ERROR_NONE;
}

static int Ply_Row(PlyReader *ply, const PlyElement *element, int64_t row, Error *error)
{
	double position[3] = {(double)NAN, (double)NAN, (double)NAN};
	ply->corners.count = 0;
	for (int i = 0; i < element->properties; i++) {
		const PlyProperty *property = &ply->properties.data[element->first + i];
		bool ended = false;
		int code = ERROR_NONE;
		double value = 0.0;
		if (property->list != PLY_NONE)
			code = Ply_List(ply, property, &ended, error);
		else
			ended = !Ply_Value(ply, property->type, &value);
		if (ended)
			return Ply_Cut(ply, element, row, error);
		if (code)
			return code;
		if (property->role >= 0 && property->role < 3)
			position[property->role] = value;
	}
	if (element->kind == PLY_VERTEX)
		return Mesh_AddVertex(ply->mesh, ply->memory, position, error);
	if (element->kind == PLY_FACE)
		return Mesh_AddPolygon(ply->mesh, ply->memory, ply->corners.data, ply->corners.count, error);
	return ERROR_NONE;
}

static bool Ply_HasRole(const PlyReader *ply, PlyKind kind, int role)
{
	for (int e = 0; e < ply->elements.count; e++) {
		const PlyElement *element = &ply->elements.data[e];
		for (int i = 0; i < element->properties && element->kind == kind; i++)
			if (ply->properties.data[element->first + i].role == role)
				return true;
	}
	return false;
}

static int Ply_Read(PlyReader *ply, Error *error)
{
	int code = Ply_Header(ply, error);
	if (code)
		return code;
	for (int i = 0; i < 3; i++)
		if (!Ply_HasRole(ply, PLY_VERTEX, i))
			return Error_Set(error, ERROR_FILE, "PLY: the vertices have no property %c", "xyz"[i]);
	if (!Ply_HasRole(ply, PLY_FACE, 3))
		return Error_Set(error, ERROR_FILE, "PLY: the faces have no list of vertex_indices");
	for (int e = 0; e < ply->elements.count; e++) {
		const PlyElement *element = &ply->elements.data[e];
		for (int64_t row = 0; row < element->count && element->properties > 0; row++) {
			code = Ply_Row(ply, element, row, error);
			if (code)
				return code;
		}
	}
	return Mesh_Finish(ply->mesh, "PLY", error);
}

int Mesh_ReadPly(Memory *memory, const void *data, size_t size, Mesh *mesh, Error *error)
{
	*mesh = (Mesh){0};
	PlyReader ply = {.text = {data, (const char *)data + size, 1, false}, .memory = memory, .mesh = mesh};
	int code = size > 0 ? Ply_Read(&ply, error) : Error_Set(error, ERROR_FILE, "PLY: the file is empty");
	Array_Free(memory, ply.elements);
	Array_Free(memory, ply.properties);
	Array_Free(memory, ply.corners);
	if (code)
		Mesh_Free(memory, mesh);
	return code;
}
