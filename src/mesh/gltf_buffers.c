/* Buffers, views and accessors of glTF: where bytes come from, and how numbers are read out of them. */
#include "mesh/gltf_internal.h"

#include <stdio.h>

#define NAME_LIMIT 64 /* of a place in the file, for messages */

/* An accessor without a view stands for zeros, however many a file cares to announce. */
#define ZEROS_LIMIT (1 << 20)

/* ---- data: URIs -------------------------------------------------------------------------------------------------- */

static int Base64_Value(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	return c == '+' || c == '-' ? 62 : c == '/' || c == '_' ? 63 : -1;
}

/* `out` has room for 3/4 of the text. Returns the bytes, or -1 for text that is no Base64 (RFC 4648). */
static int64_t Base64_Decode(const char *text, size_t length, uint8_t *out)
{
	uint32_t bits = 0;
	int held = 0;
	int64_t count = 0;
	while (length > 0 && text[length - 1] == '=')
		length--;
	for (size_t i = 0; i < length; i++) {
		int value = Base64_Value(text[i]);
		if (value < 0)
			return -1;
		bits = bits << 6 | (uint32_t)value;
		held += 6;
		if (held >= 8) {
			held -= 8;
			out[count++] = (uint8_t)(bits >> held);
		}
	}
	return length % 4 == 1 ? -1 : count;
}

static int Buffer_FromUri(Gltf *gltf, const char *uri, GltfBuffer *buffer, const char *where, Error *error)
{
	const char *comma = strchr(uri, ',');
	static const char mark[] = ";base64";
	size_t head = comma ? (size_t)(comma - uri) : 0, tail = sizeof mark - 1;
	if (!comma || head < tail || memcmp(comma - tail, mark, tail) != 0)
		return Error_Set(error, ERROR_FILE, "glTF: %s: its data: URI is not Base64", where);
	size_t length = strlen(comma + 1), room = length / 4 * 3 + 3;
	uint8_t *bytes = Memory_Alloc(gltf->memory, room);
	if (!bytes)
		return Error_OutOfMemory(error);
	int64_t count = Base64_Decode(comma + 1, length, bytes);
	*buffer = (GltfBuffer){bytes, count < 0 ? 0 : (size_t)count, room};
	return count < 0 ? Error_Set(error, ERROR_FILE, "glTF: %s: its data: URI is not Base64", where) : ERROR_NONE;
}

/* ---- files beside ------------------------------------------------------------------------------------------------ */

static int Hex_Value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Decodes %xx. False for what is not the plain name of a file in the same folder: a file must not make its reader open
 * others elsewhere. */
static bool PlainName(const char *uri, char *name, size_t room)
{
	size_t n = 0;
	for (const char *c = uri; *c; c++) {
		int value = (unsigned char)*c;
		if (*c == '%') {
			int high = Hex_Value(c[1]), low = high < 0 ? -1 : Hex_Value(c[2]);
			value = low < 0 ? 0 : 16 * high + low;
			c += low < 0 ? 0 : 2;
		}
		if (n + 1 >= room || value < ' ' || value == '/' || value == '\\' || value == ':')
			return false;
		name[n++] = (char)value;
	}
	name[n] = '\0';
	return n > 0 && strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

static int Buffer_FromFile(Gltf *gltf, const char *uri, GltfBuffer *buffer, const char *where, Error *error)
{
	char name[256];
	if (!PlainName(uri, name, sizeof name))
		return Error_Set(error, ERROR_FILE, "glTF: %s: only files of the same folder are read, not \"%.80s\"", where,
		                 uri);
	if (!gltf->folder)
		return Error_Set(error, ERROR_FILE, "glTF: %s: the file \"%.80s\" is needed beside it", where, name);
	size_t length = strlen(gltf->folder), room = length + sizeof name;
	char *path = Memory_Alloc(gltf->memory, room);
	if (!path)
		return Error_OutOfMemory(error);
	snprintf(path, room, "%s%s", gltf->folder, name);
	void *data = NULL;
	size_t size = 0;
	int code = File_Read(gltf->memory, path, MESH_FILE_LIMIT, &data, &size, error);
	Memory_Free(gltf->memory, path, room);
	if (!code)
		*buffer = (GltfBuffer){data, size, size};
	return code;
}

/* ---- buffers ----------------------------------------------------------------------------------------------------- */

static int Buffer_Read(Gltf *gltf, const cJSON *item, int index, GltfBuffer *buffer, Error *error)
{
	char where[NAME_LIMIT];
	int64_t length;
	snprintf(where, sizeof where, "buffers[%d]", index);
	const cJSON *uri = Json_Get(item, "uri");
	int code = Json_Whole(item, "byteLength", -1, MESH_FILE_LIMIT, where, &length, error);
	if (code)
		return code;
	if (uri && !cJSON_IsString(uri))
		return Error_Set(error, ERROR_FILE, "glTF: %s.uri is no string", where);
	if (uri && strncmp(uri->valuestring, "data:", 5) == 0)
		code = Buffer_FromUri(gltf, uri->valuestring, buffer, where, error);
	else if (uri)
		code = Buffer_FromFile(gltf, uri->valuestring, buffer, where, error);
	else if (index == 0 && gltf->binary)
		*buffer = (GltfBuffer){gltf->binary, gltf->binary_size, 0};
	else
		code = Error_Set(error, ERROR_FILE, "glTF: %s has no bytes: neither a uri nor a chunk of the file", where);
	if (!code && buffer->size < (size_t)length)
		code = Error_Set(error, ERROR_FILE, "glTF: %s announces %lld bytes; there are %zu", where, (long long)length,
		                 buffer->size);
	if (!code)
		buffer->size = (size_t)length;
	if (!buffer->data)
		buffer->data = (const uint8_t *)""; /* so that offsets of 0 are offsets of something */
	return code;
}

int Gltf_ReadBuffers(Gltf *gltf, Error *error)
{
	const cJSON *array = Json_Get(gltf->root, "buffers"), *item;
	int index = 0;
	cJSON_ArrayForEach(item, array)
	{
		GltfBuffer buffer = {0};
		int code = Array_Reserve(gltf->memory, gltf->buffers, index + 1)
		               ? Buffer_Read(gltf, item, index, &buffer, error)
		               : Error_OutOfMemory(error);
		if (code) {
			if (buffer.owned > 0)
				Memory_Free(gltf->memory, (void *)buffer.data, buffer.owned);
			return code;
		}
		gltf->buffers.data[gltf->buffers.count++] = buffer;
		index++;
	}
	return ERROR_NONE;
}

/* ---- accessors --------------------------------------------------------------------------------------------------- */

static size_t Component_Size(int type)
{
	switch (type) {
	case 5120:
	case 5121:
		return 1;
	case 5122:
	case 5123:
		return 2;
	case 5125:
	case 5126:
		return 4;
	default:
		return 0;
	}
}

static double Component_Get(const uint8_t *at, int type, bool normalized)
{
	switch (type) {
	case 5120:
		return normalized ? MaxD((int8_t)at[0] / 127.0, -1.0) : (int8_t)at[0];
	case 5121:
		return normalized ? at[0] / 255.0 : at[0];
	case 5122:
		return normalized ? MaxD((int16_t)Bytes_U16(at) / 32767.0, -1.0) : (int16_t)Bytes_U16(at);
	case 5123:
		return normalized ? Bytes_U16(at) / 65535.0 : Bytes_U16(at);
	case 5125:
		return Bytes_U32(at);
	default:
		return Bytes_Float(at);
	}
}

/* `count` elements of `element` bytes from byteOffset of `object` into its view. *stride receives their distance. */
static int View_Resolve(const Gltf *gltf, const cJSON *object, int64_t count, size_t element, const char *where,
                        const uint8_t **data, size_t *stride, Error *error)
{
	int64_t index, offset, buffer, start, length, step;
	int code = Json_Whole(object, "bufferView", -1, INT32_MAX, where, &index, error);
	if (!code)
		code = Json_Whole(object, "byteOffset", 0, MESH_FILE_LIMIT, where, &offset, error);
	if (code)
		return code;
	char name[NAME_LIMIT];
	snprintf(name, sizeof name, "bufferViews[%lld]", (long long)index);
	const cJSON *view = GltfList_At(&gltf->views, index);
	if (!view)
		return Error_Set(error, ERROR_FILE, "glTF: %s: there is no %s", where, name);
	code = Json_Whole(view, "buffer", -1, INT32_MAX, name, &buffer, error);
	if (!code)
		code = Json_Whole(view, "byteOffset", 0, MESH_FILE_LIMIT, name, &start, error);
	if (!code)
		code = Json_Whole(view, "byteLength", -1, MESH_FILE_LIMIT, name, &length, error);
	if (!code)
		code = Json_Whole(view, "byteStride", 0, 252, name, &step, error);
	if (code)
		return code;
	if (buffer >= gltf->buffers.count || start + length > (int64_t)gltf->buffers.data[buffer].size)
		return Error_Set(error, ERROR_FILE, "glTF: %s reaches beyond its buffer", name);
	*stride = step > 0 ? (size_t)step : element;
	/* count and stride are below 2^32 and 2^8 */
	int64_t need = count > 0 ? (count - 1) * (int64_t)*stride + (int64_t)element : 0;
	if (offset + need > length)
		return Error_Set(error, ERROR_FILE, "glTF: %s needs %lld bytes of %s, which has %lld", where,
		                 (long long)(offset + need), name, (long long)length);
	*data = gltf->buffers.data[buffer].data + start + offset;
	return ERROR_NONE;
}

static int Accessor_Sparse(const Gltf *gltf, const cJSON *sparse, GltfAccessor *accessor, const char *where,
                           Error *error)
{
	int64_t type;
	size_t stride;
	const cJSON *at = Json_Get(sparse, "indices"), *to = Json_Get(sparse, "values");
	int code = Json_Whole(sparse, "count", -1, accessor->count, where, &accessor->changed, error);
	if (!code)
		code = Json_Whole(at, "componentType", -1, 5125, where, &type, error);
	if (code)
		return code;
	size_t size = Component_Size((int)type);
	if (size == 0 || (type != 5121 && type != 5123 && type != 5125))
		return Error_Set(error, ERROR_FILE, "glTF: %s: sparse indices of the type %lld", where, (long long)type);
	accessor->changed_type = (int)type;
	code = View_Resolve(gltf, at, accessor->changed, size, where, &accessor->changed_at, &stride, error);
	if (!code && stride != size)
		code = Error_Set(error, ERROR_FILE, "glTF: %s: sparse indices with a stride", where);
	size_t element = Component_Size(accessor->type) * (size_t)accessor->components;
	if (!code)
		code = View_Resolve(gltf, to, accessor->changed, element, where, &accessor->changed_to, &stride, error);
	if (!code && stride != element)
		code = Error_Set(error, ERROR_FILE, "glTF: %s: sparse values with a stride", where);
	double last = -1.0;
	for (int64_t i = 0; i < accessor->changed && !code; i++) {
		double index = Component_Get(accessor->changed_at + (size_t)i * size, (int)type, false);
		if (index <= last || index >= (double)accessor->count)
			code = Error_Set(error, ERROR_FILE, "glTF: %s: sparse indices must rise and be below count", where);
		last = index;
	}
	return code;
}

int Gltf_Accessor(const Gltf *gltf, int64_t index, int components, GltfAccessor *accessor, Error *error)
{
	char where[NAME_LIMIT];
	int64_t type;
	snprintf(where, sizeof where, "accessors[%lld]", (long long)index);
	const cJSON *item = GltfList_At(&gltf->accessors, index);
	if (!item)
		return Error_Set(error, ERROR_FILE, "glTF: there is no %s", where);
	*accessor = (GltfAccessor){.components = components};
	int code = Json_Whole(item, "count", -1, MESH_FILE_LIMIT, where, &accessor->count, error);
	if (!code)
		code = Json_Whole(item, "componentType", -1, 5126, where, &type, error);
	if (code)
		return code;
	accessor->type = (int)type;
	accessor->normalized = cJSON_IsTrue(Json_Get(item, "normalized"));
	const cJSON *shape = Json_Get(item, "type"), *sparse = Json_Get(item, "sparse");
	const char *wanted = components == 3 ? "VEC3" : "SCALAR";
	if (!cJSON_IsString(shape) || strcmp(shape->valuestring, wanted) != 0 || Component_Size((int)type) == 0)
		return Error_Set(error, ERROR_FILE, "glTF: %s must be of the type %s, of numbers of a known kind", where,
		                 wanted);
	size_t element = Component_Size((int)type) * (size_t)components;
	if (Json_Get(item, "bufferView"))
		code = View_Resolve(gltf, item, accessor->count, element, where, &accessor->data, &accessor->stride, error);
	else if (accessor->count > ZEROS_LIMIT)
		code = Error_Set(error, ERROR_FILE, "glTF: %s announces %lld zeros; at most %d are read", where,
		                 (long long)accessor->count, ZEROS_LIMIT);
	if (!code && sparse)
		code = Accessor_Sparse(gltf, sparse, accessor, where, error);
	return code;
}

/* The place of element i among the replaced ones, or -1. */
static int64_t Accessor_FindChanged(const GltfAccessor *accessor, int64_t i)
{
	size_t size = Component_Size(accessor->changed_type);
	int64_t low = 0, high = accessor->changed;
	while (low < high) {
		int64_t middle = low + (high - low) / 2;
		double index = Component_Get(accessor->changed_at + (size_t)middle * size, accessor->changed_type, false);
		if (index == (double)i)
			return middle;
		if (index < (double)i)
			low = middle + 1;
		else
			high = middle;
	}
	return -1;
}

void GltfAccessor_Get(const GltfAccessor *accessor, int64_t i, double *values)
{
	size_t size = Component_Size(accessor->type);
	int64_t changed = accessor->changed > 0 ? Accessor_FindChanged(accessor, i) : -1;
	const uint8_t *at = accessor->data ? accessor->data + (size_t)i * accessor->stride : NULL;
	if (changed >= 0)
		at = accessor->changed_to + (size_t)changed * size * (size_t)accessor->components;
	for (int c = 0; c < accessor->components; c++)
		values[c] = at ? Component_Get(at + (size_t)c * size, accessor->type, accessor->normalized) : 0.0;
}
