/* Files in and out, whole or piece by piece. */
#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_TEMPORARIES 100 /* names tried for a temporary before giving up */
#define FILE_CHUNK ((size_t)1 << 30)

static int FailWith(Error *error, const char *action, const char *path, int number)
{
	char reason[96] = "";
	if (strerror_r(number, reason, sizeof reason) != 0)
		snprintf(reason, sizeof reason, "error %d", number);
	return Error_Set(error, ERROR_FILE, "cannot %s file '%s': %s", action, path, reason);
}

/* ---- reading ----------------------------------------------------------------------------------------------- */

/* Reads up to `size` bytes; *got tells how many there were. Returns 0 or an errno value. */
static int ReadFully(int fd, char *data, size_t size, size_t *got)
{
	*got = 0;
	while (*got < size) {
		size_t part = size - *got < FILE_CHUNK ? size - *got : FILE_CHUNK;
		ssize_t n = read(fd, data + *got, part);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno;
		if (n == 0)
			break;
		*got += (size_t)n;
	}
	return 0;
}

/* Reads exactly `size` bytes and checks that the file ends there. */
static int ReadExactly(int fd, const char *path, char *data, size_t size, Error *error)
{
	size_t got;
	int number = ReadFully(fd, data, size, &got);
	if (number != 0)
		return FailWith(error, "read", path, number);
	char more;
	size_t extra = 0;
	if (got == size)
		number = ReadFully(fd, &more, 1, &extra);
	if (number != 0)
		return FailWith(error, "read", path, number);
	if (got != size || extra != 0)
		return Error_Set(error, ERROR_FILE, "cannot read file '%s': its size changed while it was read", path);
	return ERROR_NONE;
}

static int ReadOpen(int fd, Memory *memory, const char *path, size_t limit, void **data, size_t *size, Error *error)
{
	struct stat info;
	if (fstat(fd, &info) != 0)
		return FailWith(error, "read", path, errno);
	if (!S_ISREG(info.st_mode))
		return Error_Set(error, ERROR_FILE, "cannot read file '%s': not a regular file", path);
	if (info.st_size < 0 || (uintmax_t)info.st_size > limit)
		return Error_Set(error, ERROR_FILE, "cannot read file '%s': %jd bytes are more than the limit of %zu", path,
		                 (intmax_t)info.st_size, limit);
	size_t length = (size_t)info.st_size;
	char *block = Memory_Alloc(memory, length); /* NULL for an empty file, which is right */
	if (!block && length > 0)
		return Error_OutOfMemory(error);
	int code = ReadExactly(fd, path, block, length, error);
	if (code != ERROR_NONE) {
		Memory_Free(memory, block, length);
		return code;
	}
	*data = block;
	*size = length;
	return ERROR_NONE;
}

int File_Read(Memory *memory, const char *path, size_t limit, void **data, size_t *size, Error *error)
{
	/* O_NONBLOCK: opening a pipe that nobody writes to must not hang; it has no effect on regular files. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return FailWith(error, "open", path, errno);
	int code = ReadOpen(fd, memory, path, limit, data, size, error);
	close(fd);
	return code;
}

/* ---- reading piece by piece -------------------------------------------------------------------------------- */

int FileReader_Open(FileReader *reader, const char *path, Error *error)
{
	*reader = (FileReader){.path = path, .fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
	if (reader->fd < 0)
		return FailWith(error, "open", path, errno);
	struct stat info;
	int code = ERROR_NONE;
	if (fstat(reader->fd, &info) != 0)
		code = FailWith(error, "read", path, errno);
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
	int number = ReadFully(reader->fd, data, size, got);
	reader->done += (double)*got;
	return number == 0 ? ERROR_NONE : FailWith(error, "read", reader->path, number);
}

void FileReader_Close(FileReader *reader)
{
	if (reader->fd >= 0)
		close(reader->fd);
	reader->fd = -1;
}

/* ---- writing ----------------------------------------------------------------------------------------------- */

/* Returns 0 or an errno value. */
static int WriteFully(int fd, const char *data, size_t size)
{
	while (size > 0) {
		ssize_t n = write(fd, data, size < FILE_CHUNK ? size : FILE_CHUNK);
		if (n < 0 && errno != EINTR)
			return errno;
		if (n > 0) {
			data += n;
			size -= (size_t)n;
		}
	}
	return 0;
}

/* Creates a new file beside `path`; `temporary` has FILE_PATH_LIMIT bytes. Returns its descriptor, or -1 with errno. */
static int CreateTemporary(const char *path, char *temporary)
{
	for (int i = 0; i < FILE_TEMPORARIES; i++) {
		int length = snprintf(temporary, FILE_PATH_LIMIT, "%s.tmp-%ld-%d", path, (long)getpid(), i);
		if (length < 0 || length >= FILE_PATH_LIMIT) {
			errno = ENAMETOOLONG;
			return -1;
		}
		int fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (fd >= 0 || errno != EEXIST)
			return fd;
	}
	return -1;
}

/* A rename is only sure to outlive a crash once its folder is on disk too. Not every file system can do that, so
 * failure is no error: the file is whole either way. */
static void SyncFolder(char *path)
{
	char *slash = strrchr(path, '/');
	if (slash)
		slash[slash == path] = '\0';
	int fd = open(slash ? path : ".", O_RDONLY | O_CLOEXEC | O_DIRECTORY);
	if (fd < 0)
		return;
	(void)fsync(fd);
	close(fd);
}

/* Only a missing or a regular file is replaced: renaming over a device would remove the device. A symbolic link is
 * replaced, not followed. */
int FileWriter_Open(FileWriter *writer, const char *path, Error *error)
{
	struct stat info;
	bool exists = stat(path, &info) == 0;
	*writer = (FileWriter){.path = path, .fd = -1};
	if (exists && !S_ISREG(info.st_mode))
		return Error_Set(error, ERROR_FILE, "cannot write file '%s': not a regular file", path);
	writer->fd = CreateTemporary(path, writer->temporary);
	if (writer->fd < 0)
		return FailWith(error, "write", path, errno);
	if (exists)
		(void)fchmod(writer->fd, info.st_mode & 0777); /* a replaced file keeps its permissions where that is allowed */
	return ERROR_NONE;
}

int FileWriter_Write(FileWriter *writer, const void *data, size_t size, Error *error)
{
	int number = WriteFully(writer->fd, data, size);
	return number == 0 ? ERROR_NONE : FailWith(error, "write", writer->path, number);
}

int FileWriter_Commit(FileWriter *writer, Error *error)
{
	int number = fsync(writer->fd) != 0 ? errno : 0;
	if (close(writer->fd) != 0 && number == 0)
		number = errno;
	writer->fd = -1;
	if (number == 0 && rename(writer->temporary, writer->path) != 0)
		number = errno;
	if (number != 0) {
		unlink(writer->temporary);
		return FailWith(error, "write", writer->path, number);
	}
	SyncFolder(writer->temporary);
	return ERROR_NONE;
}

void FileWriter_Abort(FileWriter *writer)
{
	if (writer->fd < 0)
		return;
	close(writer->fd);
	unlink(writer->temporary);
	writer->fd = -1;
}

int File_Write(const char *path, const void *data, size_t size, Error *error)
{
	FileWriter writer;
	int code = FileWriter_Open(&writer, path, error);
	if (code == ERROR_NONE)
		code = FileWriter_Write(&writer, data, size, error);
	if (code == ERROR_NONE)
		return FileWriter_Commit(&writer, error);
	FileWriter_Abort(&writer);
	return code;
}
