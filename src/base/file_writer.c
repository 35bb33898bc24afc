/* Files that are made piece by piece, and take their place only when they are whole. */
#include "base/file_internal.h"

#include <unistd.h>

#define WRITER_BUFFER ((size_t)1 << 16)

static void FreeBuffers(FileWriter *writer)
{
	Memory_Free(writer->memory, writer->buffer, WRITER_BUFFER);
	Memory_Free(writer->memory, writer->temporary, FILE_PATH_LIMIT);
}

int FileWriter_Open(FileWriter *writer, Memory *memory, const char *path, Error *error)
{
	*writer = (FileWriter){.memory = memory, .path = path, .fd = -1};
	writer->buffer = Memory_Alloc(memory, WRITER_BUFFER);
	writer->temporary = Memory_Alloc(memory, FILE_PATH_LIMIT);
	int code = writer->buffer && writer->temporary ? File_Create(path, writer->temporary, &writer->fd, error)
	                                               : Error_OutOfMemory(error);
	if (code)
		FreeBuffers(writer);
	return code;
}

static void Flush(FileWriter *writer)
{
	if (writer->failure == 0)
		writer->failure = File_WriteAll(writer->fd, (const char *)writer->buffer, writer->used);
	writer->used = 0;
}

void FileWriter_Bytes(FileWriter *writer, const void *data, size_t size)
{
	const unsigned char *at = data;
	writer->written += size;
	while (size > 0) {
		if (writer->used == WRITER_BUFFER)
			Flush(writer);
		size_t room = WRITER_BUFFER - writer->used, part = size < room ? size : room;
		memcpy(writer->buffer + writer->used, at, part);
		writer->used += part;
		at += part;
		size -= part;
	}
}

void FileWriter_Text(FileWriter *writer, const char *text)
{
	FileWriter_Bytes(writer, text, strlen(text));
}

void FileWriter_U32(FileWriter *writer, uint32_t value)
{
	unsigned char bytes[4] = {value & 255, value >> 8 & 255, value >> 16 & 255, value >> 24};
	FileWriter_Bytes(writer, bytes, sizeof bytes);
}

int FileWriter_Close(FileWriter *writer, Error *error)
{
	Flush(writer);
	int code = File_Replace(writer->path, writer->temporary, writer->fd, writer->failure, error);
	FreeBuffers(writer);
	return code;
}

void FileWriter_Drop(FileWriter *writer)
{
	close(writer->fd);
	unlink(writer->temporary);
	FreeBuffers(writer);
}
