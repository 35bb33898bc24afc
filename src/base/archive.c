/* States to bytes and back, little-endian on every machine. */
#include "base/base.h"

void Archive_BeginWrite(Archive *archive, Memory *memory)
{
	*archive = (Archive){.memory = memory};
}

void Archive_BeginRead(Archive *archive, Memory *memory, const void *data, size_t size)
{
	*archive = (Archive){.memory = memory, .reading = true, .from = data, .size = size};
}

void Archive_End(Archive *archive)
{
	if (archive->bytes)
		Memory_Free(archive->memory, archive->bytes, archive->capacity);
	*archive = (Archive){0};
}

void Archive_Fail(Archive *archive, const char *what)
{
	if (archive->failure != ERROR_NONE)
		return;
	archive->failure = ERROR_FILE;
	archive->what = what;
}

bool Archive_IsSound(Archive *archive, bool sound, const char *what)
{
	if (!sound)
		Archive_Fail(archive, what);
	return archive->failure == ERROR_NONE;
}

/* Room for so many more bytes; NULL once something has failed. */
static uint8_t *Room(Archive *archive, size_t size)
{
	if (archive->failure != ERROR_NONE)
		return NULL;
	if (size > archive->capacity - archive->used) {
		size_t want = archive->capacity + archive->capacity / 2 + size + 4096;
		uint8_t *grown = want > size ? Memory_Resize(archive->memory, archive->bytes, archive->capacity, want) : NULL;
		if (!grown) {
			archive->failure = ERROR_MEMORY;
			return NULL;
		}
		archive->bytes = grown;
		archive->capacity = want;
	}
	archive->used += size;
	return archive->bytes + archive->used - size;
}

/* The next bytes; NULL, and a fault, at the end. */
static const uint8_t *Next(Archive *archive, size_t size)
{
	if (!Archive_IsSound(archive, size <= archive->size - archive->at, "it is cut short"))
		return NULL;
	archive->at += size;
	return archive->from + archive->at - size;
}

void Archive_Bytes(Archive *archive, void *data, size_t size)
{
	if (size == 0)
		return;
	if (!archive->reading) {
		uint8_t *to = Room(archive, size);
		if (to)
			memcpy(to, data, size);
		return;
	}
	const uint8_t *from = Next(archive, size);
	if (from)
		memcpy(data, from, size);
	else
		memset(data, 0, size);
}

static uint64_t Number(Archive *archive, uint64_t value, int size)
{
	uint8_t bytes[8];
	for (int i = 0; i < size; i++)
		bytes[i] = (uint8_t)(value >> (8 * i));
	Archive_Bytes(archive, bytes, (size_t)size);
	value = 0;
	for (int i = 0; i < size; i++)
		value |= (uint64_t)bytes[i] << (8 * i);
	return value;
}

void Archive_U8(Archive *archive, uint8_t *value)
{
	*value = (uint8_t)Number(archive, *value, 1);
}
void Archive_U32(Archive *archive, uint32_t *value)
{
	*value = (uint32_t)Number(archive, *value, 4);
}
void Archive_U64(Archive *archive, uint64_t *value)
{
	*value = Number(archive, *value, 8);
}
void Archive_I64(Archive *archive, int64_t *value)
{
	*value = (int64_t)Number(archive, (uint64_t)*value, 8);
}

void Archive_Int(Archive *archive, int *value, int lo, int hi)
{
	int read = (int)(int32_t)Number(archive, (uint32_t)(int32_t)*value, 4);
	if (archive->reading)
		*value = Archive_IsSound(archive, read >= lo && read <= hi, "a number is out of range") ? read : lo;
}

void Archive_Bool(Archive *archive, bool *value)
{
	uint8_t byte = *value;
	Archive_U8(archive, &byte);
	if (archive->reading)
		*value = Archive_IsSound(archive, byte <= 1, "a flag is neither 0 nor 1") && byte == 1;
}

static bool IsFiniteBits(uint64_t bits, uint64_t exponent)
{
	return (bits & exponent) != exponent;
}

void Archive_F32(Archive *archive, float *value)
{
	uint32_t bits;
	memcpy(&bits, value, sizeof bits);
	bits = (uint32_t)Number(archive, bits, 4);
	if (archive->reading && !Archive_IsSound(archive, IsFiniteBits(bits, 0x7F800000u), "a number is not finite"))
		bits = 0;
	memcpy(value, &bits, sizeof bits);
}

void Archive_F64(Archive *archive, double *value)
{
	uint64_t bits;
	memcpy(&bits, value, sizeof bits);
	bits = Number(archive, bits, 8);
	if (archive->reading &&
	    !Archive_IsSound(archive, IsFiniteBits(bits, 0x7FF0000000000000u), "a number is not finite"))
		bits = 0;
	memcpy(value, &bits, sizeof bits);
}

void Archive_F32s(Archive *archive, float *values, int count)
{
	for (int i = 0; i < count; i++)
		Archive_F32(archive, &values[i]);
}

void Archive_F64s(Archive *archive, double *values, int count)
{
	for (int i = 0; i < count; i++)
		Archive_F64(archive, &values[i]);
}

int Archive_Count(Archive *archive, int count, int limit, size_t least)
{
	Archive_Int(archive, &count, 0, limit);
	if (!archive->reading)
		return count;
	return Archive_IsSound(archive, (size_t)count * least <= archive->size - archive->at, "a count is too large")
	           ? count
	           : 0;
}

int Archive_Report(const Archive *archive, Error *error)
{
	if (archive->failure == ERROR_FILE)
		return Error_Set(error, ERROR_FILE, "it is damaged: %s", archive->what);
	return archive->failure == ERROR_MEMORY ? Error_OutOfMemory(error) : ERROR_NONE;
}
