/* Files that are read piece by piece. */
#include "base/file_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define READ_MOST ((size_t)1 << 30) /* bytes asked of the system at once */

int FileReader_Open(FileReader *reader, const char *path, Error *error)
{
	/* O_NONBLOCK: opening a pipe that nobody writes to must not hang; it has no effect on regular files. */
	*reader = (FileReader){.path = path, .fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
	if (reader->fd < 0)
		return File_FailWith(error, "open", path, errno);
	struct stat info;
	int code = ERROR_NONE;
	int looked = fstat(reader->fd, &info);
	WRITTEN_ELSEWHERE(&info, sizeof info);
	if (looked != 0)
		code = File_FailWith(error, "read", path, errno);
	else if (!S_ISREG(info.st_mode))
		code = Error_Set(error, ERROR_FILE, "cannot read file '%s': not a regular file", path);
	else
		reader->size = (double)info.st_size;
	if (code != ERROR_NONE)
		FileReader_Close(reader);
	return code;
}

int FileReader_Read(FileReader *reader, void *data, size_t size, size_t *got, Error *error)
{
	char *to = data;
	*got = 0;
	while (*got < size) {
		size_t part = size - *got < READ_MOST ? size - *got : READ_MOST;
		ssize_t n = read(reader->fd, to + *got, part);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return File_FailWith(error, "read", reader->path, errno);
		if (n == 0)
			break;
		*got += (size_t)n;
	}
	reader->done += (double)*got;
	return ERROR_NONE;
}

void FileReader_Close(FileReader *reader)
{
	if (reader->fd >= 0)
		close(reader->fd);
	reader->fd = -1;
}
