/* The JSON of glTF, parsed by cJSON. */
#include "mesh/gltf_internal.h"

/* cJSON makes an item of 64 bytes for each value, so two bytes of text can ask for thirty times as much. What separates
 * values is counted first. */
#define JSON_VALUE_LIMIT 4000000

static size_t CountValues(const char *text, size_t size)
{
	size_t count = 1;
	for (size_t i = 0; i < size; i++)
		count += text[i] == ',' || text[i] == '[' || text[i] == '{';
	return count;
}

/* cJSON takes its memory from the C heap: its hooks are global and have no place for a Memory. A copy with a zero at
 * its end is parsed, so that no step over the end can leave the block. Nesting is limited by the library. */
int Json_Parse(Memory *memory, const void *text, size_t size, cJSON **root, Error *error)
{
	*root = NULL;
	if (CountValues(text, size) > JSON_VALUE_LIMIT)
		return Error_Set(error, ERROR_FILE, "glTF: the JSON holds more than %d values", JSON_VALUE_LIMIT);
	char *copy = Memory_Alloc(memory, size + 1);
	if (!copy)
		return Error_OutOfMemory(error);
	memcpy(copy, text, size);
	copy[size] = '\0';
	const char *end = copy;
	*root = cJSON_ParseWithLengthOpts(copy, size + 1, &end, true);
	size_t at = (size_t)(end - copy);
	Memory_Free(memory, copy, size + 1);
	if (!*root)
		return Error_Set(error, ERROR_FILE, "glTF: the JSON cannot be parsed at byte %zu", at);
	if (!cJSON_IsObject(*root))
		return Error_Set(error, ERROR_FILE, "glTF: the JSON is no object");
	return ERROR_NONE;
}

const cJSON *Json_Get(const cJSON *object, const char *key)
{
	return cJSON_GetObjectItemCaseSensitive(object, key);
}

int Json_Whole(const cJSON *object, const char *key, int64_t fallback, int64_t limit, const char *where, int64_t *value,
               Error *error)
{
	const cJSON *item = Json_Get(object, key);
	*value = fallback;
	if (!item && fallback >= 0)
		return ERROR_NONE;
	if (!item || !cJSON_IsNumber(item))
		return Error_Set(error, ERROR_FILE, "glTF: %s.%s is %s", where, key, item ? "not a number" : "missing");
	double number = item->valuedouble;
	if (!(number >= 0.0 && number <= (double)limit) || (double)(int64_t)number != number)
		return Error_Set(error, ERROR_FILE, "glTF: %s.%s is %g; it must be a whole number from 0 to %lld", where, key,
		                 number, (long long)limit);
	*value = (int64_t)number;
	return ERROR_NONE;
}

int Json_Numbers(const cJSON *object, const char *key, int n, const char *where, double *values, bool *found,
                 Error *error)
{
	const cJSON *list = Json_Get(object, key);
	*found = list != NULL;
	if (!list)
		return ERROR_NONE;
	int i = 0;
	const cJSON *item;
	cJSON_ArrayForEach(item, list)
	{
		if (i == n || !cJSON_IsNumber(item) || !(AbsD(item->valuedouble) < 1e30))
			break;
		values[i++] = item->valuedouble;
	}
	if (!cJSON_IsArray(list) || i < n || item)
		return Error_Set(error, ERROR_FILE, "glTF: %s.%s must be %d numbers", where, key, n);
	return ERROR_NONE;
}

int GltfList_Read(Gltf *gltf, GltfList *list, const char *name, Error *error)
{
	const cJSON *array = Json_Get(gltf->root, name), *item;
	list->name = name;
	if (array && !cJSON_IsArray(array))
		return Error_Set(error, ERROR_FILE, "glTF: %s is no array", name);
	cJSON_ArrayForEach(item, array)
	{
		if (!Array_Push(gltf->memory, list->items, item))
			return Error_OutOfMemory(error);
	}
	return ERROR_NONE;
}

const cJSON *GltfList_At(const GltfList *list, int64_t index)
{
	if (index < 0 || index >= list->items.count || !cJSON_IsObject(list->items.data[index]))
		return NULL;
	return list->items.data[index];
}
