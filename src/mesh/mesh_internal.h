/* What the readers share. Private to the room. */
#ifndef SCREE_MESH_INTERNAL_H
#define SCREE_MESH_INTERNAL_H

#include "mesh/mesh.h"

/* ---- building (mesh.c) ----------------------------------------------------------------------------------------- */

/* Any numbers: what is not finite is kept, so that the numbering of the file holds, and checked where it is used. */
int Mesh_AddVertex(Mesh *mesh, Memory *memory, const double position[3], Error *error);
/* Corners out of range or not finite: skipped and counted. */
int Mesh_AddTriangle(Mesh *mesh, Memory *memory, const int64_t corner[3], Error *error);
/* n corners, cut into n - 2 triangles. */
int Mesh_AddPolygon(Mesh *mesh, Memory *memory, const int64_t *corners, int count, Error *error);
int Mesh_CutPolygon(Mesh *mesh, Memory *memory, const int64_t *corners, int count, Error *error); /* all are good */
/* Adds a part of the name, in which control characters become blanks. Several may have one name. */
int Mesh_AddPart(Mesh *mesh, Memory *memory, const char *name, size_t length, Error *error);
/* ERROR_FILE when there is no triangle. */
int Mesh_Finish(const Mesh *mesh, const char *kind, Error *error);

/* ---- bytes ------------------------------------------------------------------------------------------------------ */

static inline uint32_t Bytes_U16(const uint8_t *at)
{
	return (uint32_t)at[0] | (uint32_t)at[1] << 8;
}
static inline uint32_t Bytes_U32(const uint8_t *at)
{
	return Bytes_U16(at) | Bytes_U16(at + 2) << 16;
}
static inline float Bytes_Float(const uint8_t *at)
{
	uint32_t bits = Bytes_U32(at);
	float value;
	memcpy(&value, &bits, sizeof value);
	return value;
}

/* ---- text (text.c) ---------------------------------------------------------------------------------------------- */

/* Words between blanks, line by line. Blanks are spaces, tabs and what else is below a space; a line ends with LF, CR
 * or the text. */
typedef struct TextReader {
	const char *at, *end;
	int64_t line;   /* from 1 */
	bool continues; /* a backslash at the end of a line joins the next */
} TextReader;

typedef struct TextWord {
	const char *at;
	size_t length;
} TextWord;

/* The next word of this line; false at its end. */
bool Text_Word(TextReader *reader, TextWord *word);
/* What is left of this line, without the blanks around it. */
TextWord Text_Rest(TextReader *reader);
/* On to the next line; false at the end of the text. */
bool Text_NextLine(TextReader *reader);
/* The next word on this or any later line. */
bool Text_AnyWord(TextReader *reader, TextWord *word);
bool TextWord_Is(TextWord word, const char *text);
bool TextWord_IsNoCase(TextWord word, const char *text); /* text: lower case */
/* A decimal number, whatever the locale, the same bits everywhere: correctly rounded where the digits fit 2^53 and the
 * power of ten 10^22, else within some units of the last place. NaN for anything else, "nan" and "inf" among it. */
double TextWord_Number(TextWord word);
/* A whole number with at most 18 digits; false for anything else. */
bool TextWord_Whole(TextWord word, int64_t *value);

/* ---- writing (write.c) ------------------------------------------------------------------------------------------ */

int Write_Check(const MeshView *mesh, Error *error);
void Write_Float(FileWriter *writer, double value); /* rounded to float, little-endian */
void Write_Double(FileWriter *writer, double value);
/* A number with so many significant digits, whatever the locale. `text` has NUMBER_SIZE bytes. */
#define NUMBER_SIZE 40
void Format_Number(double value, int digits, char *text);
/* Triangles sorted by material, those of one in their order: order[start[m] .. start[m + 1]) are those of m. The block
 * of order is the caller's: triangle_count * 4 bytes. */
uint32_t *Write_SortTriangles(Memory *memory, const MeshView *mesh, int64_t start[257]);
/* Ends the file: closes it, or drops it when `code` is an error. */
int Write_End(FileWriter *writer, int code, uint64_t *bytes, Error *error);

#endif
