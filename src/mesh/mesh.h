/* mesh: triangle meshes in files. Readers of OBJ, STL, PLY and glTF, what can be said of a mesh as a whole, writers.
 *
 * Owns: nothing but what it hands out. Uses: base, math; cJSON for the JSON of glTF. Called by: api (terrain from
 * meshes and meshes from terrain), and whoever needs the triangles of a file, such as static colliders.
 *
 * Readers work on memory, so that a test can feed them anything: every count, index and product is checked against the
 * size of the data and a cap. A damaged file is ERROR_FILE with what and where. A mesh need not be initialised before
 * it is read; after a failure it is empty, so freeing it does no harm. Coordinates are taken as they stand in the file:
 * no unit and no axis is changed.
 */
#ifndef SCREE_MESH_H
#define SCREE_MESH_H

#include "base/base.h"
#include "math/math.h"

#define MESH_FILE_LIMIT ((size_t)1 << 30) /* bytes of a file */
#define MESH_LIMIT (1 << 25)              /* vertices, and triangles */
#define MESH_PART_LIMIT 65534             /* materials that a file may name */

/* A material that the file names. */
typedef struct MeshPart {
	int32_t name;      /* where in `names` it begins, with a zero at its end; "" for one without a name */
	int32_t triangles; /* made of it */
	int32_t next;      /* while OBJ is read: another whose name has the same hash, or -1 */
} MeshPart;

typedef struct Mesh {
	ARRAY(double) positions; /* 3 a vertex, finite where a triangle uses them */
	ARRAY(uint32_t) indices; /* 3 a triangle, from 0, counter-clockwise from outside */
	int64_t skipped;         /* triangles left out: an index without a vertex, a corner that is no number */
	ARRAY(MeshPart) parts;   /* glTF: its list of materials; OBJ: those that faces have, as they are met; else none */
	ARRAY(char) names;       /* of the parts */
	ARRAY(uint16_t) part_of; /* 1 a triangle: the part that it is made of, from 1; 0: of none */
	uint16_t part;           /* while a file is read: of the triangles to come */
} Mesh;

static inline int Mesh_VertexCount(const Mesh *mesh)
{
	return mesh->positions.count / 3;
}
static inline int Mesh_TriangleCount(const Mesh *mesh)
{
	return mesh->indices.count / 3;
}
static inline const char *Mesh_PartName(const Mesh *mesh, int part)
{
	return mesh->names.data + mesh->parts.data[part].name;
}

/* ---- reading ------------------------------------------------------------------------------------------------- */

/* Wavefront OBJ: v and f, all groups and objects together; indices may be negative; a backslash continues a line.
 * Normals, points, lines and libraries of materials are passed over; usemtl, with all of its line as the name, makes
 * parts. A face with an index that no vertex has, or with a corner that is not finite, is skipped and counted. The
 * format does not say where a file ends; one that is cut within a vertex or a face is an error, one that is cut between
 * two lines is an open mesh at best. */
int Mesh_ReadObj(Memory *memory, const void *data, size_t size, Mesh *mesh, Error *error);
/* Binary by its size, whatever its first word; else text, which must end with endsolid. A vertex for each corner. */
int Mesh_ReadStl(Memory *memory, const void *data, size_t size, Mesh *mesh, Error *error);
/* Text or binary of either byte order; elements other than vertex and face are passed over. */
int Mesh_ReadPly(Memory *memory, const void *data, size_t size, Mesh *mesh, Error *error);
/* .gltf or .glb 2.0: the nodes of the scene with their transforms; triangles, strips and fans. Buffers within the file,
 * as data: URIs, or files of `folder` itself (NULL: none are opened). Materials are parts, by their names alone. Skins
 * and morph targets are not applied. Files that need a compressed form of geometry are refused by its name. */
int Mesh_ReadGltf(Memory *memory, const void *data, size_t size, const char *folder, Mesh *mesh, Error *error);

/* By the ending of its name: .obj .stl .ply .glb .gltf. Messages begin with the path. */
int Mesh_ReadFile(Memory *memory, const char *path, Mesh *mesh, Error *error);
void Mesh_Free(Memory *memory, Mesh *mesh);

/* ---- the whole ------------------------------------------------------------------------------------------------- */

/* Vertices at equal positions count as one, and triangles that then have two equal corners do not count. */
typedef struct MeshSurvey {
	int64_t open_edges;    /* used by one triangle */
	int64_t crowded_edges; /* by more than two */
	int64_t uneven_edges;  /* not as often in one direction as in the other, open ones aside */
	int64_t points;        /* distinct positions that triangles use */
	int64_t degenerate;    /* triangles with two equal corners */
	bool even;             /* every edge is used an even number of times: inside and outside differ by parity */
	bool balanced;         /* every edge as often in one direction as in the other: winding numbers are whole */
	double volume, area;   /* signed, positive when the triangles look outwards; file units */
	double lo[3], hi[3];   /* bounds of the vertices that triangles use */
} MeshSurvey;

int Mesh_Survey(Memory *memory, const Mesh *mesh, MeshSurvey *survey, Error *error);

/* ---- writing --------------------------------------------------------------------------------------------------- */

typedef struct MeshMaterial {
	const char *name;
	uint32_t color; /* 0xRRGGBB, sRGB */
} MeshMaterial;

/* A mesh to be written; nothing is owned. Vertices are written as they are, none is merged with another. */
typedef struct MeshView {
	int64_t vertex_count, triangle_count;
	const double *positions, *normals; /* 3 a vertex */
	const uint32_t *indices;           /* 3 a triangle */
	const uint8_t *materials;          /* 1 a triangle: index into `palette` */
	const MeshMaterial *palette;
	int palette_count;
} MeshView;

/* Each writes a temporary beside `path` and renames it, so that an old file stays whole until the new one is.
 * *bytes (may be NULL): what was written in all. A mesh without triangles is ERROR_ARGUMENT.
 * OBJ: fifteen digits, a group for each material, and their colours in a .mtl file beside it, written first.
 * STL: binary; positions are floats. PLY: binary little-endian with normals, the colour of each face, and for each
 * vertex the mean colour of its faces; positions are floats where that is exact for all, else doubles. GLB: one mesh
 * with a primitive for each material; floats about a whole-numbered centre that the node's translation gives back. */
int Mesh_WriteObj(Memory *memory, const char *path, const MeshView *mesh, uint64_t *bytes, Error *error);
int Mesh_WriteStl(Memory *memory, const char *path, const MeshView *mesh, uint64_t *bytes, Error *error);
int Mesh_WritePly(Memory *memory, const char *path, const MeshView *mesh, uint64_t *bytes, Error *error);
int Mesh_WriteGlb(Memory *memory, const char *path, const MeshView *mesh, uint64_t *bytes, Error *error);

#endif
