/* Files that are read and replaced whole, and the progress bar. */
#ifndef _XOPEN_SOURCE
#define _XOPEN_SOURCE 700 /* pseudo-terminals */
#endif
#include "base/base.h"
#include "failing_memory.h"

#include <check.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct Folder {
	char path[64];
} Folder;

static Folder Folder_Make(void)
{
	Folder folder = {"/tmp/scree-test-XXXXXX"};
	ck_assert_ptr_nonnull(mkdtemp(folder.path));
	return folder;
}

static const char *Folder_File(const Folder *folder, const char *name, char path[256])
{
	snprintf(path, 256, "%s/%s", folder->path, name);
	return path;
}

/* The names in the folder other than `known`, counted. */
static int Folder_Others(const Folder *folder, const char *known)
{
	DIR *dir = opendir(folder->path);
	int count = 0;
	for (struct dirent *entry; (entry = readdir(dir)) != NULL;)
		count += entry->d_name[0] != '.' && strcmp(entry->d_name, known) != 0;
	closedir(dir);
	return count;
}

static void Folder_Remove(const Folder *folder)
{
	DIR *dir = opendir(folder->path);
	char path[512];
	for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
		snprintf(path, sizeof path, "%s/%s", folder->path, entry->d_name);
		if (entry->d_name[0] != '.')
			remove(path);
	}
	closedir(dir);
	rmdir(folder->path);
}

static void AssertFileIs(const char *path, const char *text)
{
	Memory memory;
	Memory_Init(&memory, NULL, NULL);
	Error error = {0};
	void *data = NULL;
	size_t size = 0;
	ck_assert_msg(File_Read(&memory, path, 1000, &data, &size, &error) == ERROR_NONE, "%s", error.text);
	ck_assert_uint_eq(size, strlen(text));
	ck_assert_int_eq(memcmp(size ? data : "", text, size), 0);
	ck_assert_uint_eq(memory.bytes, size);
	Memory_Free(&memory, data, size);
}

static void AssertReadFails(const char *path, size_t limit, const char *reason)
{
	Memory memory;
	Memory_Init(&memory, NULL, NULL);
	Error error = {0};
	char untouched;
	void *data = &untouched;
	size_t size = 77;
	ck_assert_int_eq(File_Read(&memory, path, limit, &data, &size, &error), ERROR_FILE);
	ck_assert_int_eq(error.code, ERROR_FILE);
	ck_assert_msg(strstr(error.text, path) != NULL, "%s", error.text);
	ck_assert_msg(strstr(error.text, reason) != NULL, "%s", error.text);
	ck_assert_ptr_eq(data, &untouched);
	ck_assert_uint_eq(size, 77);
	ck_assert_uint_eq(memory.bytes, 0);
}

START_TEST(file_write_and_read)
{
	Folder folder = Folder_Make();
	char path[256];
	Folder_File(&folder, "data.bin", path);
	Error error = {0};
	AssertReadFails(path, 1000, strerror(ENOENT));
	ck_assert_msg(File_Write(path, "first", 5, &error) == ERROR_NONE, "%s", error.text);
	AssertFileIs(path, "first");
	ck_assert_int_eq(chmod(path, 0640), 0);
	ck_assert_int_eq(File_Write(path, "second one", 10, &error), ERROR_NONE);
	AssertFileIs(path, "second one");
	struct stat info;
	stat(path, &info);
	ck_assert_int_eq(info.st_mode & 0777, 0640);
	ck_assert_int_eq(File_Write(path, NULL, 0, NULL), ERROR_NONE);
	AssertFileIs(path, "");
	ck_assert_int_eq(Folder_Others(&folder, "data.bin"), 0);

	/* A temporary that someone left behind is passed over. */
	char left[512];
	snprintf(left, sizeof left, "%s.tmp-%ld-0", path, (long)getpid());
	ck_assert_int_eq(File_Write(left, "left", 4, NULL), ERROR_NONE);
	ck_assert_int_eq(File_Write(path, "third", 5, NULL), ERROR_NONE);
	AssertFileIs(path, "third");
	AssertFileIs(left, "left");

	/* A bare name is written to the folder of the process. */
	ck_assert_int_eq(chdir(folder.path), 0);
	ck_assert_int_eq(File_Write("bare", "b", 1, NULL), ERROR_NONE);
	AssertFileIs("bare", "b");
	ck_assert_int_eq(chdir("/"), 0);
	Folder_Remove(&folder);
}
END_TEST

START_TEST(file_read_refuses)
{
	Folder folder = Folder_Make();
	char path[256];
	AssertReadFails(folder.path, 1000, "not a regular file");
	AssertReadFails("/dev/null", 1000, "not a regular file");
	ck_assert_int_eq(mkfifo(Folder_File(&folder, "fifo", path), 0600), 0);
	AssertReadFails(path, 1000, "not a regular file"); /* and does not wait for a writer */
	Folder_File(&folder, "ten", path);
	ck_assert_int_eq(File_Write(path, "0123456789", 10, NULL), ERROR_NONE);
	AssertReadFails(path, 9, "10 bytes are more than the limit of 9");
	AssertFileIs(path, "0123456789");
	/* The kernel's files have content but say that they are empty. */
	if (access("/proc/self/status", R_OK) == 0)
		AssertReadFails("/proc/self/status", 100000, "size changed");

	Error error = {0};
	void *data = NULL;
	size_t size = 0;
	FailingMemory f;
	FailingMemory_Init(&f, 0);
	ck_assert_int_eq(File_Read(&f.memory, path, 10, &data, &size, &error), ERROR_MEMORY);
	ck_assert_ptr_null(data);
	FailingMemory_Init(&f, -1);
	ck_assert_int_eq(File_Read(&f.memory, path, 10, &data, &size, &error), ERROR_NONE);
	ck_assert_uint_eq(size, 10);
	Memory_Free(&f.memory, data, size);
	Folder_Remove(&folder);
}
END_TEST

static void AssertWriteFails(const char *path, const void *data, size_t size, const char *reason)
{
	Error error = {0};
	ck_assert_int_eq(File_Write(path, data, size, &error), ERROR_FILE);
	ck_assert_msg(strstr(error.text, reason) != NULL, "%s", error.text);
	ck_assert_int_eq(error.code, ERROR_FILE);
}

START_TEST(file_write_refuses)
{
	Folder folder = Folder_Make();
	char path[256];
	AssertWriteFails(folder.path, "x", 1, "not a regular file");
	AssertWriteFails("/dev/null", "x", 1, "not a regular file");
	AssertWriteFails(Folder_File(&folder, "missing/file", path), "x", 1, strerror(ENOENT));
	AssertWriteFails("", "x", 1, "cannot write");
	static char deep[6000];
	memset(deep, 'd', sizeof deep - 1);
	AssertWriteFails(deep, "x", 1, "cannot write");

	/* A disk that fills up: the old file stays, the temporary goes. */
	Folder_File(&folder, "kept", path);
	ck_assert_int_eq(File_Write(path, "old", 3, NULL), ERROR_NONE);
	static char large[20000];
	struct rlimit limit;
	getrlimit(RLIMIT_FSIZE, &limit);
	rlim_t full = limit.rlim_cur;
	limit.rlim_cur = 10000;
	signal(SIGXFSZ, SIG_IGN);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	AssertWriteFails(path, large, sizeof large, strerror(EFBIG));
	limit.rlim_cur = full;
	setrlimit(RLIMIT_FSIZE, &limit);
	AssertFileIs(path, "old");
	ck_assert_int_eq(Folder_Others(&folder, "kept"), 0);
	Folder_Remove(&folder);
}
END_TEST

/* Sends stderr to `fd` while a bar of 1/2 is drawn that began `age` seconds ago. */
static void DrawProgress(int fd, double age)
{
	int saved = dup(STDERR_FILENO);
	dup2(fd, STDERR_FILENO);
	Progress progress;
	Progress_Begin(&progress, "digging");
	progress.started -= age;
	Progress_Update(&progress, 0.5);
	Progress_Update(&progress, (double)NAN); /* too soon after the last one to be drawn */
	Progress_End(&progress);
	dup2(saved, STDERR_FILENO);
	close(saved);
}

/* All that the terminal has shown; the mark is needed since what is written arrives some time later. */
static void ReadUntilMark(int terminal, int master, char *text, size_t room)
{
	size_t size = 0;
	ck_assert_int_eq((int)write(terminal, "@", 1), 1);
	while (size == 0 || text[size - 1] != '@') {
		ssize_t n = read(master, text + size, room - size);
		ck_assert_int_gt((int)n, 0);
		size += (size_t)n;
	}
	text[size - 1] = '\0';
}

START_TEST(progress_only_on_terminals)
{
	double before = Clock_Seconds();
	ck_assert(Clock_Seconds() >= before);

	int ends[2];
	char text[512] = "";
	ck_assert_int_eq(pipe(ends), 0);
	DrawProgress(ends[1], 10.0);
	close(ends[1]);
	ck_assert_int_eq((int)read(ends[0], text, sizeof text), 0);
	close(ends[0]);

	int master = posix_openpt(O_RDWR | O_NOCTTY);
	if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0)
		return; /* no pseudo-terminals here */
	int terminal = open(ptsname(master), O_RDWR | O_NOCTTY);
	ck_assert_int_ge(terminal, 0);
	DrawProgress(terminal, 0.0);
	ReadUntilMark(terminal, master, text, sizeof text);
	ck_assert_str_eq(text, ""); /* half a second has not passed */
	DrawProgress(terminal, 10.0);
	ReadUntilMark(terminal, master, text, sizeof text);
	ck_assert_msg(strstr(text, "digging") && strstr(text, " 50%") && !strstr(text, "  0%"), "%s", text);
	ck_assert_int_eq(text[strlen(text) - 1], '\r'); /* wiped */
	close(terminal);
	close(master);
}
END_TEST

Suite *suite_files(void)
{
	Suite *suite = suite_create("files");
	TCase *files = tcase_create("files");
	tcase_add_test(files, file_write_and_read);
	tcase_add_test(files, file_read_refuses);
	tcase_add_test(files, file_write_refuses);
	tcase_add_test(files, progress_only_on_terminals);
	suite_add_tcase(suite, files);
	return suite;
}
