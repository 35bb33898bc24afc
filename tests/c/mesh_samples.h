/* Closed meshes of known size, and files of them. All triangles look outwards. */
#ifndef TESTS_MESH_SAMPLES_H
#define TESTS_MESH_SAMPLES_H

#include "mesh/mesh.h"
#include "require.h"

#include <stdio.h>
#include <stdlib.h>

static inline uint32_t Sample_Vertex(Memory *heap, Mesh *mesh, double x, double y, double z)
{
	REQUIRE(Array_Reserve(heap, mesh->positions, mesh->positions.count + 3), "no memory for the test itself");
	double *p = mesh->positions.data + mesh->positions.count;
	p[0] = x, p[1] = y, p[2] = z;
	mesh->positions.count += 3;
	return (uint32_t)Mesh_VertexCount(mesh) - 1;
}

static inline void Sample_Triangle(Memory *heap, Mesh *mesh, uint32_t a, uint32_t b, uint32_t c)
{
	bool made =
	    Array_Push(heap, mesh->indices, a) && Array_Push(heap, mesh->indices, b) && Array_Push(heap, mesh->indices, c);
	REQUIRE(made, "no memory for the test itself");
}

static inline void Sample_Quad(Memory *heap, Mesh *mesh, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
	Sample_Triangle(heap, mesh, a, b, c);
	Sample_Triangle(heap, mesh, a, c, d);
}

/* A box from lo to hi, appended. */
static inline void Sample_Box(Memory *heap, Mesh *mesh, const double lo[3], const double hi[3])
{
	static const uint8_t faces[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
	                                    {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
	uint32_t base = (uint32_t)Mesh_VertexCount(mesh);
	for (int i = 0; i < 8; i++)
		Sample_Vertex(heap, mesh, i & 1 ? hi[0] : lo[0], i & 2 ? hi[1] : lo[1], i & 4 ? hi[2] : lo[2]);
	for (int f = 0; f < 6; f++)
		Sample_Quad(heap, mesh, base + faces[f][0], base + faces[f][1], base + faces[f][2], base + faces[f][3]);
}

/* A ring of `around` x `across` quads: radii R of the circle and r of the tube, about y. R = 0 is not a ball. */
static inline void Sample_Torus(Memory *heap, Mesh *mesh, double R, double r, int around, int across)
{
	uint32_t base = (uint32_t)Mesh_VertexCount(mesh);
	for (int i = 0; i < around; i++)
		for (int j = 0; j < across; j++) {
			double a = 2.0 * PI * i / around, b = 2.0 * PI * j / across, d = R + r * Trig_Cos(b);
			Sample_Vertex(heap, mesh, d * Trig_Cos(a), r * Trig_Sin(b), d * Trig_Sin(a));
		}
	for (int i = 0; i < around; i++)
		for (int j = 0; j < across; j++) {
			uint32_t i2 = (uint32_t)((i + 1) % around * across), i1 = (uint32_t)(i * across);
			uint32_t j1 = (uint32_t)j, j2 = (uint32_t)((j + 1) % across);
			Sample_Quad(heap, mesh, base + i1 + j1, base + i1 + j2, base + i2 + j2, base + i2 + j1);
		}
}

/* A ball about the origin: rings of latitude, and two poles. */
static inline void Sample_Ball(Memory *heap, Mesh *mesh, double r, int rings, int sides)
{
	uint32_t base = (uint32_t)Mesh_VertexCount(mesh), n = (uint32_t)sides;
	Sample_Vertex(heap, mesh, 0, r, 0);
	Sample_Vertex(heap, mesh, 0, -r, 0);
	for (int i = 1; i < rings; i++)
		for (int j = 0; j < sides; j++) {
			double a = PI * i / rings, b = 2.0 * PI * j / sides;
			Sample_Vertex(heap, mesh, r * Trig_Sin(a) * Trig_Cos(b), r * Trig_Cos(a), r * Trig_Sin(a) * Trig_Sin(b));
		}
	for (uint32_t j = 0; j < n; j++) {
		uint32_t next = (j + 1) % n, last = base + 2 + (uint32_t)(rings - 2) * n;
		Sample_Triangle(heap, mesh, base, base + 2 + next, base + 2 + j);
		Sample_Triangle(heap, mesh, base + 1, last + j, last + next);
		for (uint32_t i = 0; i + 2 < (uint32_t)rings; i++) {
			uint32_t up = base + 2 + i * n, down = up + n;
			Sample_Quad(heap, mesh, up + j, up + next, down + next, down + j);
		}
	}
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

typedef struct Bytes {
	uint8_t *data;
	size_t size, room;
} Bytes;

static inline void Bytes_Add(Bytes *bytes, const void *data, size_t size)
{
	if (bytes->size + size > bytes->room) {
		bytes->room = 2 * (bytes->size + size) + 256;
		bytes->data = realloc(bytes->data, bytes->room);
		REQUIRE(bytes->data, "no memory for the test itself");
	}
	memcpy(bytes->data + bytes->size, data, size);
	bytes->size += size;
}

static inline void Bytes_AddText(Bytes *bytes, const char *text)
{
	Bytes_Add(bytes, text, strlen(text));
}

static inline void Bytes_AddNumber(Bytes *bytes, uint64_t value, int size, bool big)
{
	uint8_t out[8];
	for (int i = 0; i < size; i++)
		out[i] = (uint8_t)(value >> 8 * (big ? size - 1 - i : i));
	Bytes_Add(bytes, out, (size_t)size);
}

static inline void Bytes_AddFloat(Bytes *bytes, double value, bool big)
{
	float narrow = (float)value;
	uint32_t bits;
	memcpy(&bits, &narrow, sizeof bits);
	Bytes_AddNumber(bytes, bits, 4, big);
}

static inline void Bytes_Free(Bytes *bytes)
{
	free(bytes->data);
	*bytes = (Bytes){0};
}

static inline Bytes Bytes_OfFile(const char *path)
{
	Bytes bytes = {0};
	FILE *file = fopen(path, "rb");
	REQUIRE(file, "%s cannot be opened", path);
	uint8_t block[4096];
	size_t n;
	while ((n = fread(block, 1, sizeof block, file)) > 0)
		Bytes_Add(&bytes, block, n);
	fclose(file);
	return bytes;
}

#endif
