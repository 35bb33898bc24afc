/* Blocks of a file, checked one by one. Nothing here trusts what it reads. The format is described in voxel.h. */
#include "voxel/save_internal.h"

#define FIRST_CAPACITY ((size_t)64 << 10)

/* Exactly size bytes. */
static int Load_Exactly(LoadReader *load, void *data, size_t size, Error *error)
{
	size_t got = 0;
	int code = load->read(load->context, data, size, &got, error);
	if (!code && got != size)
		code = Error_Set(error, ERROR_FILE, "it is cut short in block %u", load->blocks);
	return code;
}

int Load_Begin(LoadReader *load, Memory *memory, LoadReadFn *read, void *context, Error *error)
{
	*load = (LoadReader){.memory = memory, .read = read, .context = context};
	uint8_t header[SAVE_HEADER_SIZE];
	size_t got = 0;
	int code = read(context, header, sizeof(header), &got, error);
	if (code)
		return code;
	if (got < sizeof(save_magic) || memcmp(header, save_magic, sizeof(save_magic)) != 0)
		return Error_Set(error, ERROR_FILE, "it is not a file of scree");
	if (got < sizeof(header))
		return Error_Set(error, ERROR_FILE, "it is cut short in its header");
	if (Get_U64(header + 16) != Hash_Bytes(header, 16))
		return Error_Set(error, ERROR_FILE, "its header is damaged");
	uint32_t version = Get_U32(header + 8);
	if (version != SAVE_VERSION || Get_U32(header + 12) != 0)
		return Error_Set(error, ERROR_FILE, "it is of format version %u, and this program reads version %d", version,
		                 SAVE_VERSION);
	return ERROR_NONE;
}

/* Grows by doubling as bytes come in, so that a false size cannot ask for more than twice the file. */
static int Load_Payload(LoadReader *load, Error *error)
{
	size_t have = 0;
	while (have < load->size) {
		if (have == load->capacity) {
			size_t want = 2 * have > FIRST_CAPACITY ? 2 * have : FIRST_CAPACITY;
			uint8_t *block = Memory_Resize(load->memory, load->block, load->capacity, want);
			if (!block)
				return Error_OutOfMemory(error);
			load->block = block;
			load->capacity = want;
		}
		size_t end = load->capacity < load->size ? load->capacity : load->size;
		int code = Load_Exactly(load, load->block + have, end - have, error);
		if (code)
			return code;
		have = end;
	}
	return ERROR_NONE;
}

int Load_Next(LoadReader *load, Error *error)
{
	uint8_t head[SAVE_BLOCK_HEADER];
	int code = Load_Exactly(load, head, sizeof(head), error);
	if (code)
		return code;
	memcpy(load->tag, head, 4);
	load->size = Get_U32(head + 4);
	if (load->size > SAVE_BLOCK_LIMIT)
		return Error_Set(error, ERROR_FILE, "block %u is damaged: its size is %zu", load->blocks, load->size);
	code = Load_Payload(load, error);
	if (code)
		return code;
	if (Get_U64(head + 8) != Save_BlockHash(load->blocks, load->tag, load->block, load->size))
		return Error_Set(error, ERROR_FILE, "block %u is damaged: its checksum is wrong", load->blocks);
	load->blocks++;
	if (!Load_IsTag(load, "END "))
		return ERROR_NONE;
	uint8_t more;
	size_t got = 0;
	code = load->read(load->context, &more, 1, &got, error);
	if (!code && (got != 0 || load->size != 0))
		code = Error_Set(error, ERROR_FILE, "it goes on after its end");
	return code;
}

bool Load_IsTag(const LoadReader *load, const char *tag)
{
	return memcmp(load->tag, tag, 4) == 0;
}

int Load_Unknown(const LoadReader *load, Error *error)
{
	if (load->tag[0] >= 'a' && load->tag[0] <= 'z')
		return ERROR_NONE;
	char shown[5] = {0};
	for (int i = 0; i < 4; i++)
		shown[i] = load->tag[i] >= ' ' && load->tag[i] <= '~' ? load->tag[i] : '?';
	return Error_Set(error, ERROR_FILE, "block %u is of the kind \"%s\", which this program does not know",
	                 load->blocks - 1, shown);
}

void Load_End(LoadReader *load)
{
	Memory_Free(load->memory, load->block, load->capacity);
	*load = (LoadReader){0};
}
