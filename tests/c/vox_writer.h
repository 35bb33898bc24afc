/* A writer of .vox bytes for tests. It writes what it is told, right or wrong.
 *
 *   VoxWriter w;
 *   Write_Begin(&w);
 *   Write_Size(&w, 1, 1, 1);
 *   Write_Voxels(&w, 1, (const uint8_t[]){0, 0, 0, 7});
 *   Write_End(&w);
 *   ... w.data, w.size ...
 *   Write_Free(&w);
 */
#ifndef TESTS_VOX_WRITER_H
#define TESTS_VOX_WRITER_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct VoxWriter {
	uint8_t *data;
	size_t size, room;
	size_t chunk; /* where the open chunk's content begins */
} VoxWriter;

static inline void Write_Raw(VoxWriter *w, const void *data, size_t size)
{
	if (w->size + size > w->room) {
		w->room = 2 * (w->size + size) + 256;
		w->data = realloc(w->data, w->room);
		if (!w->data)
			abort();
	}
	if (size > 0)
		memcpy(w->data + w->size, data, size);
	w->size += size;
}

static inline void Write_PutU32(VoxWriter *w, size_t at, uint32_t v)
{
	for (int i = 0; i < 4; i++)
		w->data[at + (size_t)i] = (uint8_t)(v >> (8 * i));
}

static inline void Write_U32(VoxWriter *w, uint32_t v)
{
	uint8_t zero[4] = {0};
	Write_Raw(w, zero, 4);
	Write_PutU32(w, w->size - 4, v);
}

static inline void Write_I32(VoxWriter *w, int32_t v)
{
	Write_U32(w, (uint32_t)v);
}

static inline void Write_Text(VoxWriter *w, const char *text)
{
	Write_U32(w, (uint32_t)strlen(text));
	Write_Raw(w, text, strlen(text));
}

/* Chunks do not nest here but in MAIN. */
static inline void Write_Open(VoxWriter *w, const char *name)
{
	Write_Raw(w, name, 4);
	Write_U32(w, 0);
	Write_U32(w, 0);
	w->chunk = w->size;
}

static inline void Write_Close(VoxWriter *w)
{
	Write_PutU32(w, w->chunk - 8, (uint32_t)(w->size - w->chunk));
}

static inline void Write_Begin(VoxWriter *w)
{
	memset(w, 0, sizeof *w);
	Write_Raw(w, "VOX ", 4);
	Write_U32(w, 150);
	Write_Open(w, "MAIN");
}

static inline void Write_End(VoxWriter *w)
{
	Write_PutU32(w, 16, (uint32_t)(w->size - 20));
}

static inline void Write_Free(VoxWriter *w)
{
	free(w->data);
	memset(w, 0, sizeof *w);
}

static inline void Write_Size(VoxWriter *w, int32_t x, int32_t y, int32_t z)
{
	Write_Open(w, "SIZE");
	Write_I32(w, x);
	Write_I32(w, y);
	Write_I32(w, z);
	Write_Close(w);
}

/* voxels: count x (x, y, z, colour). */
static inline void Write_Voxels(VoxWriter *w, int count, const uint8_t *voxels)
{
	Write_Open(w, "XYZI");
	Write_I32(w, count);
	Write_Raw(w, voxels, 4 * (size_t)count);
	Write_Close(w);
}

static inline void Write_Hidden(VoxWriter *w, int hidden)
{
	Write_U32(w, 2);
	Write_Text(w, "_name");
	Write_Text(w, "thing");
	Write_Text(w, "_hidden");
	Write_Text(w, hidden ? "1" : "0");
}

/* rotation, translation: texts, NULL for none. */
static inline void Write_Transform(VoxWriter *w, int32_t id, int hidden, int32_t child, int32_t layer,
                                   const char *rotation, const char *translation)
{
	Write_Open(w, "nTRN");
	Write_I32(w, id);
	Write_Hidden(w, hidden);
	Write_I32(w, child);
	Write_I32(w, -1);
	Write_I32(w, layer);
	Write_U32(w, 1);
	Write_U32(w, (rotation != NULL) + (translation != NULL));
	if (rotation) {
		Write_Text(w, "_r");
		Write_Text(w, rotation);
	}
	if (translation) {
		Write_Text(w, "_t");
		Write_Text(w, translation);
	}
	Write_Close(w);
}

static inline void Write_Group(VoxWriter *w, int32_t id, int count, const int32_t *children)
{
	Write_Open(w, "nGRP");
	Write_I32(w, id);
	Write_U32(w, 0);
	Write_I32(w, count);
	for (int i = 0; i < count; i++)
		Write_I32(w, children[i]);
	Write_Close(w);
}

static inline void Write_Shape(VoxWriter *w, int32_t id, int32_t model)
{
	Write_Open(w, "nSHP");
	Write_I32(w, id);
	Write_U32(w, 0);
	Write_U32(w, 1);
	Write_I32(w, model);
	Write_U32(w, 0);
	Write_Close(w);
}

static inline void Write_Layer(VoxWriter *w, int32_t id, int hidden)
{
	Write_Open(w, "LAYR");
	Write_I32(w, id);
	Write_Hidden(w, hidden);
	Write_I32(w, -1);
	Write_Close(w);
}

/* Entry i is 0x(i) (255-i) (7 i mod 256). */
static inline void Write_Palette(VoxWriter *w)
{
	Write_Open(w, "RGBA");
	for (int i = 0; i < 256; i++) {
		uint8_t rgba[4] = {(uint8_t)i, (uint8_t)(255 - i), (uint8_t)(7 * i), 255};
		Write_Raw(w, rgba, 4);
	}
	Write_Close(w);
}

#endif
