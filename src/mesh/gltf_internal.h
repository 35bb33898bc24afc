/* glTF 2.0 while it is read. Private to the room. After the Khronos Group's "glTF 2.0 Specification". */
#ifndef SCREE_MESH_GLTF_INTERNAL_H
#define SCREE_MESH_GLTF_INTERNAL_H

#include "mesh/mesh_internal.h"

#include <cJSON.h>

typedef struct GltfBuffer {
	const uint8_t *data;
	size_t size;
	size_t owned; /* bytes of the block behind `data`, or 0 */
} GltfBuffer;

/* An array of the top level, so that items are found by index. */
typedef struct GltfList {
	ARRAY(const cJSON *) items;
	const char *name;
} GltfList;

typedef struct Gltf {
	Memory *memory;
	Mesh *mesh;
	const char *folder; /* ends with a slash; NULL: no files */
	cJSON *root;
	const uint8_t *binary; /* the second chunk of a .glb, or NULL */
	size_t binary_size;
	ARRAY(GltfBuffer) buffers;
	GltfList views, accessors, meshes, nodes, materials;
} Gltf;

/* ---- JSON (gltf_json.c) ------------------------------------------------------------------------------------------ */

/* Parses text that need not end with a zero. */
int Json_Parse(Memory *memory, const void *text, size_t size, cJSON **root, Error *error);
const cJSON *Json_Get(const cJSON *object, const char *key); /* NULL when absent */
/* A whole number from 0 to limit: `fallback` when absent, unless that is negative. `where` names the object. */
int Json_Whole(const cJSON *object, const char *key, int64_t fallback, int64_t limit, const char *where, int64_t *value,
               Error *error);
/* n finite numbers; *found tells whether the key is there. */
int Json_Numbers(const cJSON *object, const char *key, int n, const char *where, double *values, bool *found,
                 Error *error);
int GltfList_Read(Gltf *gltf, GltfList *list, const char *name, Error *error);
/* NULL when there is no such item, or it is no object. */
const cJSON *GltfList_At(const GltfList *list, int64_t index);

/* ---- bytes (gltf_buffers.c) -------------------------------------------------------------------------------------- */

int Gltf_ReadBuffers(Gltf *gltf, Error *error);

typedef struct GltfAccessor {
	int64_t count;
	int components;
	int type; /* 5120..5126 */
	bool normalized;
	const uint8_t *data; /* NULL: zeros */
	size_t stride;
	int64_t changed; /* sparse: that many elements are replaced */
	const uint8_t *changed_at, *changed_to;
	int changed_type;
} GltfAccessor;

int Gltf_Accessor(const Gltf *gltf, int64_t index, int components, GltfAccessor *accessor, Error *error);
/* The components of element i, which must be below count. */
void GltfAccessor_Get(const GltfAccessor *accessor, int64_t i, double *values);

#endif
