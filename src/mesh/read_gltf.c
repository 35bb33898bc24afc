/* glTF 2.0: the file's parts, the nodes of its scene, and the triangles of their meshes. */
#include "mesh/gltf_internal.h"

#include <stdio.h>

#define NODE_LIMIT (1 << 20)

/* ---- transforms ------------------------------------------------------------------------------------------------- */

/* Three rows of four: the last column is the shift. */
typedef struct Affine {
	double m[3][4];
} Affine;

static Affine Affine_Mul(const Affine *a, const Affine *b)
{
	Affine out;
	for (int i = 0; i < 3; i++)
		for (int j = 0; j < 4; j++)
			out.m[i][j] = a->m[i][0] * b->m[0][j] + a->m[i][1] * b->m[1][j] + a->m[i][2] * b->m[2][j] +
			              (j == 3 ? a->m[i][3] : 0.0);
	return out;
}

static double Affine_Determinant(const Affine *a)
{
	return a->m[0][0] * (a->m[1][1] * a->m[2][2] - a->m[1][2] * a->m[2][1]) -
	       a->m[0][1] * (a->m[1][0] * a->m[2][2] - a->m[1][2] * a->m[2][0]) +
	       a->m[0][2] * (a->m[1][0] * a->m[2][1] - a->m[1][1] * a->m[2][0]);
}

/* From a quaternion x, y, z, w of any length but zero. */
static void Affine_Turn(Affine *a, const double q[4])
{
	double n = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3], s = n > 0.0 ? 2.0 / n : 0.0;
	double x = q[0], y = q[1], z = q[2], w = q[3];
	const double turn[3][3] = {{1.0 - s * (y * y + z * z), s * (x * y - z * w), s * (x * z + y * w)},
	                           {s * (x * y + z * w), 1.0 - s * (x * x + z * z), s * (y * z - x * w)},
	                           {s * (x * z - y * w), s * (y * z + x * w), 1.0 - s * (x * x + y * y)}};
	for (int i = 0; i < 3; i++)
		for (int j = 0; j < 3; j++)
			a->m[i][j] = turn[i][j];
}

static int Node_Transform(const cJSON *node, const char *where, Affine *out, Error *error)
{
	double matrix[16], shift[3] = {0, 0, 0}, turn[4] = {0, 0, 0, 1}, scale[3] = {1, 1, 1};
	bool found;
	int code = Json_Numbers(node, "matrix", 16, where, matrix, &found, error);
	if (code)
		return code;
	if (found) {
		for (int i = 0; i < 3; i++)
			for (int j = 0; j < 4; j++)
				out->m[i][j] = matrix[4 * j + i];
		return ERROR_NONE;
	}
	code = Json_Numbers(node, "translation", 3, where, shift, &found, error);
	if (!code)
		code = Json_Numbers(node, "rotation", 4, where, turn, &found, error);
	if (!code)
		code = Json_Numbers(node, "scale", 3, where, scale, &found, error);
	Affine_Turn(out, turn);
	for (int i = 0; i < 3; i++) {
		for (int j = 0; j < 3; j++)
			out->m[i][j] *= scale[j];
		out->m[i][3] = shift[i];
	}
	return code;
}

/* ---- triangles -------------------------------------------------------------------------------------------------- */

/* The vertices of the primitive at hand; primitives in a row often share them. */
typedef struct Placed {
	const Affine *transform;
	bool mirrored;
	int64_t positions; /* accessor of the vertices that stand in the mesh, or -1 */
	int64_t base, count;
} Placed;

static int Primitive_Vertices(Gltf *gltf, int64_t accessor_index, Placed *placed, Error *error)
{
	GltfAccessor accessor;
	if (accessor_index == placed->positions)
		return ERROR_NONE;
	int code = Gltf_Accessor(gltf, accessor_index, 3, &accessor, error);
	placed->positions = accessor_index;
	placed->base = Mesh_VertexCount(gltf->mesh);
	placed->count = code ? 0 : accessor.count;
	for (int64_t i = 0; i < placed->count && !code; i++) {
		double p[3], q[3];
		GltfAccessor_Get(&accessor, i, p);
		for (int r = 0; r < 3; r++) {
			const double *m = placed->transform->m[r];
			q[r] = m[0] * p[0] + m[1] * p[1] + m[2] * p[2] + m[3];
		}
		code = Mesh_AddVertex(gltf->mesh, gltf->memory, q, error);
	}
	return code;
}

enum { MODE_TRIANGLES = 4, MODE_STRIP = 5, MODE_FAN = 6 };

typedef struct Corners {
	const GltfAccessor *accessor; /* NULL: the vertices in their order */
	const Placed *placed;
} Corners;

static int64_t Corner_At(const Corners *corners, int64_t i)
{
	double index = (double)i;
	if (corners->accessor)
		GltfAccessor_Get(corners->accessor, i, &index);
	if (!(index >= 0.0 && index < (double)corners->placed->count))
		return -1;
	return corners->placed->base + (int64_t)index;
}

static int Primitive_Triangles(Gltf *gltf, const Corners *corners, int64_t count, int64_t mode, Error *error)
{
	int64_t triangles = mode == MODE_TRIANGLES ? count / 3 : count - 2;
	for (int64_t i = 0; i < triangles; i++) {
		int64_t first = mode == MODE_TRIANGLES ? 3 * i : mode == MODE_STRIP ? i : 0;
		int64_t a = Corner_At(corners, first), b = Corner_At(corners, mode == MODE_FAN ? i + 1 : first + 1);
		int64_t c = Corner_At(corners, mode == MODE_FAN ? i + 2 : first + 2);
		bool swap = (mode == MODE_STRIP && i % 2 == 1) != corners->placed->mirrored;
		const int64_t triangle[3] = {a, swap ? c : b, swap ? b : c};
		int code = Mesh_AddTriangle(gltf->mesh, gltf->memory, triangle, error);
		if (code)
			return code;
	}
	return ERROR_NONE;
}

/* Materials only say what a triangle is made of: a number that none has is passed over. */
static int Primitive_Part(const Gltf *gltf, const cJSON *primitive)
{
	const cJSON *item = Json_Get(primitive, "material");
	double number = cJSON_IsNumber(item) ? item->valuedouble : -1.0;
	return number >= 0.0 && number < (double)gltf->mesh->parts.count ? (int)number + 1 : 0;
}

static int Primitive_Read(Gltf *gltf, const cJSON *primitive, Placed *placed, const char *where, Error *error)
{
	int64_t mode, positions, indices;
	GltfAccessor accessor;
	Corners corners = {NULL, placed};
	int code = Json_Whole(primitive, "mode", MODE_TRIANGLES, MODE_FAN, where, &mode, error);
	const cJSON *attributes = Json_Get(primitive, "attributes");
	if (code || mode < MODE_TRIANGLES || !Json_Get(attributes, "POSITION"))
		return code;
	code = Json_Whole(attributes, "POSITION", -1, INT32_MAX, where, &positions, error);
	if (!code)
		code = Primitive_Vertices(gltf, positions, placed, error);
	int64_t count = placed->count;
	if (!code && Json_Get(primitive, "indices")) {
		code = Json_Whole(primitive, "indices", -1, INT32_MAX, where, &indices, error);
		if (!code)
			code = Gltf_Accessor(gltf, indices, 1, &accessor, error);
		if (!code && accessor.type != 5121 && accessor.type != 5123 && accessor.type != 5125)
			code = Error_Set(error, ERROR_FILE, "glTF: %s: its indices are no whole numbers", where);
		corners.accessor = &accessor;
		count = code ? 0 : accessor.count;
	}
	gltf->mesh->part = (uint16_t)Primitive_Part(gltf, primitive);
	return code ? code : Primitive_Triangles(gltf, &corners, count, mode, error);
}

static int Mesh_Place(Gltf *gltf, int64_t index, const Affine *transform, Error *error)
{
	char where[64];
	snprintf(where, sizeof where, "meshes[%lld]", (long long)index);
	const cJSON *item = GltfList_At(&gltf->meshes, index), *primitive;
	if (!item)
		return Error_Set(error, ERROR_FILE, "glTF: there is no %s", where);
	Placed placed = {transform, Affine_Determinant(transform) < 0.0, -1, 0, 0};
	cJSON_ArrayForEach(primitive, Json_Get(item, "primitives"))
	{
		int code = Primitive_Read(gltf, primitive, &placed, where, error);
		if (code)
			return code;
	}
	return ERROR_NONE;
}

/* ---- nodes ------------------------------------------------------------------------------------------------------ */

typedef struct NodeVisit {
	int64_t node;
	Affine parent;
} NodeVisit;

typedef struct NodeWalk {
	ARRAY(NodeVisit) stack;
	ARRAY(uint8_t) seen;
} NodeWalk;

/* Pushes the nodes of a list of indices. A node has at most one parent, so one that is named again is an error; that
 * also ends rings. */
static int Walk_Push(Gltf *gltf, NodeWalk *walk, const cJSON *list, const Affine *parent, Error *error)
{
	const cJSON *item;
	cJSON_ArrayForEach(item, list)
	{
		double number = cJSON_IsNumber(item) ? item->valuedouble : -1.0;
		if (!(number >= 0.0 && number < (double)walk->seen.count) || (double)(int64_t)number != number)
			return Error_Set(error, ERROR_FILE, "glTF: a node %g is named; there are %d", number, walk->seen.count);
		NodeVisit visit = {(int64_t)number, *parent};
		if (walk->seen.data[visit.node])
			return Error_Set(error, ERROR_FILE, "glTF: nodes[%lld] is named twice", (long long)visit.node);
		walk->seen.data[visit.node] = 1;
		if (!Array_Push(gltf->memory, walk->stack, visit))
			return Error_OutOfMemory(error);
	}
	return ERROR_NONE;
}

static int Walk_Run(Gltf *gltf, NodeWalk *walk, Error *error)
{
	while (walk->stack.count > 0) {
		NodeVisit visit = walk->stack.data[--walk->stack.count];
		char where[64];
		snprintf(where, sizeof where, "nodes[%lld]", (long long)visit.node);
		const cJSON *node = GltfList_At(&gltf->nodes, visit.node);
		Affine own, world;
		int64_t mesh;
		if (!node)
			return Error_Set(error, ERROR_FILE, "glTF: %s is no object", where);
		int code = Node_Transform(node, where, &own, error);
		if (code)
			return code;
		world = Affine_Mul(&visit.parent, &own);
		if (Json_Get(node, "mesh")) {
			code = Json_Whole(node, "mesh", -1, INT32_MAX, where, &mesh, error);
			if (!code)
				code = Mesh_Place(gltf, mesh, &world, error);
		}
		if (!code)
			code = Walk_Push(gltf, walk, Json_Get(node, "children"), &world, error);
		if (code)
			return code;
	}
	return ERROR_NONE;
}

/* The roots of the scene that the file shows; without scenes, every mesh as it is. */
static int Gltf_Walk(Gltf *gltf, NodeWalk *walk, Error *error)
{
	static const Affine identity = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}};
	const cJSON *scenes = Json_Get(gltf->root, "scenes");
	int count = gltf->nodes.items.count, code = ERROR_NONE;
	if (count > NODE_LIMIT)
		return Error_Set(error, ERROR_FILE, "glTF: %d nodes; at most %d are read", count, NODE_LIMIT);
	if (!scenes) {
		for (int i = 0; i < gltf->meshes.items.count && !code; i++)
			code = Mesh_Place(gltf, i, &identity, error);
		return code;
	}
	int64_t shown;
	code = Json_Whole(gltf->root, "scene", 0, INT32_MAX, "glTF", &shown, error);
	if (code)
		return code;
	const cJSON *scene = shown < cJSON_GetArraySize(scenes) ? cJSON_GetArrayItem(scenes, (int)shown) : NULL;
	if (!scene)
		return Error_Set(error, ERROR_FILE, "glTF: there is no scenes[%lld]", (long long)shown);
	if (!Array_Resize(gltf->memory, walk->seen, count))
		return Error_OutOfMemory(error);
	if (count > 0)
		memset(walk->seen.data, 0, (size_t)count);
	code = Walk_Push(gltf, walk, Json_Get(scene, "nodes"), &identity, error);
	return code ? code : Walk_Run(gltf, walk, error);
}

/* ---- the file --------------------------------------------------------------------------------------------------- */

/* Extensions that change where the triangles are found, so that a reader without them would see none or wrong ones. */
static int Gltf_CheckNeeds(const Gltf *gltf, Error *error)
{
	static const char *const unread[] = {"KHR_draco_mesh_compression", "EXT_meshopt_compression",
	                                     "KHR_meshopt_compression", "EXT_mesh_gpu_instancing"};
	const cJSON *item;
	cJSON_ArrayForEach(item, Json_Get(gltf->root, "extensionsRequired"))
	{
		for (int i = 0; i < COUNT_OF(unread); i++)
			if (cJSON_IsString(item) && strcmp(item->valuestring, unread[i]) == 0)
				return Error_Set(error, ERROR_FILE, "glTF: the file needs the extension %s, which is not read",
				                 unread[i]);
	}
	const cJSON *version = Json_Get(Json_Get(gltf->root, "asset"), "version");
	if (!cJSON_IsString(version) || strncmp(version->valuestring, "2.", 2) != 0)
		return Error_Set(error, ERROR_FILE, "glTF: asset.version must be 2.0, got \"%.20s\"",
		                 cJSON_IsString(version) ? version->valuestring : "");
	return ERROR_NONE;
}

/* Splits a .glb into its chunks; a .gltf is JSON alone. */
static int Gltf_Split(Gltf *gltf, const uint8_t *data, size_t size, const uint8_t **json, size_t *json_size,
                      Error *error)
{
	*json = data;
	*json_size = size;
	if (size < 4 || memcmp(data, "glTF", 4) != 0)
		return ERROR_NONE;
	if (size < 20 || Bytes_U32(data + 4) != 2)
		return Error_Set(error, ERROR_FILE, "GLB: not a file of version 2, or cut in its head");
	uint32_t total = Bytes_U32(data + 8), length = Bytes_U32(data + 12);
	if (total > size || total < 20)
		return Error_Set(error, ERROR_FILE, "GLB: %u bytes are announced; there are %zu", total, size);
	if (memcmp(data + 16, "JSON", 4) != 0 || length > total - 20)
		return Error_Set(error, ERROR_FILE, "GLB: the first chunk is not JSON, or reaches beyond the end");
	*json = data + 20;
	*json_size = length;
	size_t at = 20 + (((size_t)length + 3) & ~(size_t)3);
	if (at + 8 > total)
		return ERROR_NONE;
	length = Bytes_U32(data + at);
	if (length > total - at - 8)
		return Error_Set(error, ERROR_FILE, "GLB: the second chunk announces %u bytes; there are %zu", length,
		                 total - at - 8);
	if (memcmp(data + at + 4, "BIN\0", 4) == 0) {
		gltf->binary = data + at + 8;
		gltf->binary_size = length;
	}
	return ERROR_NONE;
}

static int Gltf_ReadMaterials(Gltf *gltf, Error *error)
{
	int code = GltfList_Read(gltf, &gltf->materials, "materials", error);
	for (int i = 0; i < gltf->materials.items.count && !code; i++) {
		const cJSON *name = Json_Get(gltf->materials.items.data[i], "name");
		const char *text = cJSON_IsString(name) ? name->valuestring : "";
		code = Mesh_AddPart(gltf->mesh, gltf->memory, text, strlen(text), error);
	}
	return code;
}

static int Gltf_Read(Gltf *gltf, const uint8_t *data, size_t size, NodeWalk *walk, Error *error)
{
	const uint8_t *json;
	size_t json_size;
	int code = Gltf_Split(gltf, data, size, &json, &json_size, error);
	if (!code)
		code = Json_Parse(gltf->memory, json, json_size, &gltf->root, error);
	if (!code)
		code = Gltf_CheckNeeds(gltf, error);
	if (!code)
		code = Gltf_ReadBuffers(gltf, error);
	if (!code)
		code = GltfList_Read(gltf, &gltf->views, "bufferViews", error);
	if (!code)
		code = GltfList_Read(gltf, &gltf->accessors, "accessors", error);
	if (!code)
		code = GltfList_Read(gltf, &gltf->meshes, "meshes", error);
	if (!code)
		code = GltfList_Read(gltf, &gltf->nodes, "nodes", error);
	if (!code)
		code = Gltf_ReadMaterials(gltf, error);
	if (!code)
		code = Gltf_Walk(gltf, walk, error);
	return code ? code : Mesh_Finish(gltf->mesh, "glTF", error);
}

static void Gltf_Free(Gltf *gltf)
{
	for (int i = 0; i < gltf->buffers.count; i++)
		if (gltf->buffers.data[i].owned)
			Memory_Free(gltf->memory, (void *)gltf->buffers.data[i].data, gltf->buffers.data[i].owned);
	Array_Free(gltf->memory, gltf->buffers);
	Array_Free(gltf->memory, gltf->views.items);
	Array_Free(gltf->memory, gltf->accessors.items);
	Array_Free(gltf->memory, gltf->meshes.items);
	Array_Free(gltf->memory, gltf->nodes.items);
	Array_Free(gltf->memory, gltf->materials.items);
	cJSON_Delete(gltf->root);
}

int Mesh_ReadGltf(Memory *memory, const void *data, size_t size, const char *folder, Mesh *mesh, Error *error)
{
	*mesh = (Mesh){0};
	Gltf gltf = {.memory = memory, .mesh = mesh, .folder = folder};
	NodeWalk walk = {0};
	int code =
	    size > 0 ? Gltf_Read(&gltf, data, size, &walk, error) : Error_Set(error, ERROR_FILE, "glTF: the file is empty");
	Array_Free(memory, walk.stack);
	Array_Free(memory, walk.seen);
	Gltf_Free(&gltf);
	if (code)
		Mesh_Free(memory, mesh);
	return code;
}
