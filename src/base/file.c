/* Whole files in and out. */
#include "base/file_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_TEMPORARIES 100 /* names tried for a temporary before giving up */
#define FILE_CHUNK ((size_t)1 << 30)

int File_FailWith(Error *error, const char *action, const char *path, int number)
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
		return File_FailWith(error, "read", path, number);
	char more;
	size_t extra = 0;
	if (got == size)
		number = ReadFully(fd, &more, 1, &extra);
	if (number != 0)
		return File_FailWith(error, "read", path, number);
	if (got != size || extra != 0)
		return Error_Set(error, ERROR_FILE, "cannot read file '%s': its size changed while it was read", path);
	return ERROR_NONE;
}

static int ReadOpen(int fd, Memory *memory, const char *path, size_t limit, void **data, size_t *size, Error *error)
{
	struct stat info;
	int looked = fstat(fd, &info);
	WRITTEN_ELSEWHERE(&info, sizeof info);
	if (looked != 0)
		return File_FailWith(error, "read", path, errno);
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
		return File_FailWith(error, "open", path, errno);
	int code = ReadOpen(fd, memory, path, limit, data, size, error);
	close(fd);
	return code;
}

/* ---- writing ----------------------------------------------------------------------------------------------- */

int File_WriteAll(int fd, const char *data, size_t size)
{
	while (size > 0) {
		ssize_t n = write(fd, data, size < FILE_CHUNK ? size : FILE_CHUNK);
		if (n >= 0) {
			data += n;
			size -= (size_t)n;
		} else if (errno != EINTR) {
			return errno;
		}
	}
	return 0;
}

/* Forces to disk and closes. Returns `number` if that is an error already, else 0 or an errno value. */
static int Finish(int fd, int number)
{
	if (number == 0 && fsync(fd) != 0)
		number = errno;
	if (close(fd) != 0 && number == 0)
		number = errno;
	return number;
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
int File_Create(const char *path, char *temporary, int *fd, Error *error)
{
	struct stat info;
	bool exists = stat(path, &info) == 0;
	WRITTEN_ELSEWHERE(&info, sizeof info);
	if (exists && !S_ISREG(info.st_mode))
		return Error_Set(error, ERROR_FILE, "cannot write file '%s': not a regular file", path);
	*fd = CreateTemporary(path, temporary);
	if (*fd < 0)
		return File_FailWith(error, "write", path, errno);
	if (exists)
		(void)fchmod(*fd, info.st_mode & 0777); /* a replaced file keeps its permissions where that is allowed */
	return ERROR_NONE;
}

int File_Replace(const char *path, char *temporary, int fd, int number, Error *error)
{
	number = Finish(fd, number);
	if (number == 0 && rename(temporary, path) != 0)
		number = errno;
	if (number != 0) {
		unlink(temporary);
		return File_FailWith(error, "write", path, number);
	}
	SyncFolder(temporary);
	return ERROR_NONE;
}

int File_Write(const char *path, const void *data, size_t size, Error *error)
{
	char temporary[FILE_PATH_LIMIT];
	int fd;
	int code = File_Create(path, temporary, &fd, error);
	return code ? code : File_Replace(path, temporary, fd, File_WriteAll(fd, data, size), error);
}

bool File_HasEnding(const char *path, const char *ending)
{
	size_t n = strlen(path), m = strlen(ending);
	for (size_t i = 0; i < m; i++) {
		char c = n >= m ? path[n - m + i] : 0;
		if ((c >= 'A' && c <= 'Z' ? c + 32 : c) != ending[i])
			return false;
	}
	return true;
}
