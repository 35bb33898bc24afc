/* Disks that fail: each call of the system that the library makes for a file goes wrong in turn. What was to be written
 * is then either whole or as it was, nothing is left beside it, and what was to be read changes nothing. The calls are
 * caught by the linker (--wrap in meson.build). */
#include "base/base.h"
#include "require.h"
#include "scree.h"

#include <check.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the disk ---------------------------------------------------------------------------------------------------- */

typedef enum DiskCall { DISK_OPEN, DISK_READ, DISK_WRITE, DISK_SYNC, DISK_CLOSE, DISK_RENAME, DISK_CALLS } DiskCall;

static const char *const call_names[DISK_CALLS] = {"open", "read", "write", "fsync", "close", "rename"};

typedef enum DiskFault {
	FAULT_ERROR,     /* it fails with `number`, and so do all after it where the disk is full */
	FAULT_END,       /* of a read: the file ends here */
	FAULT_CUT,       /* before the read, somebody else empties the file */
	FAULT_UNLINK,    /* ... removes it */
	FAULT_SHORT,     /* all of them do less than they are asked for */
	FAULT_INTERRUPT, /* each is interrupted once */
} DiskFault;

static struct {
	bool armed, happened, odd;
	DiskCall call;
	DiskFault fault;
	int left, number;
	const char *path; /* that is cut */
} disk;

static bool IsDue(DiskCall call)
{
	if (!disk.armed || call != disk.call || disk.left < 0)
		return false;
	if (disk.left > 0) {
		disk.left--;
		return false;
	}
	if (disk.number != ENOSPC)
		disk.left = -1;
	disk.happened = true;
	return true;
}

/* 1: the wrapper is to fail. Sets errno. */
static int Fault(DiskCall call, size_t *size)
{
	if (disk.armed && call == disk.call && disk.fault == FAULT_SHORT) {
		disk.happened = true;
		*size = *size > 3 ? *size / 3 : *size > 0;
		return 0;
	}
	if (disk.armed && call == disk.call && disk.fault == FAULT_INTERRUPT) {
		disk.happened = true;
		disk.odd = !disk.odd;
		errno = EINTR;
		return disk.odd;
	}
	if (!IsDue(call))
		return 0;
	errno = disk.number;
	if (disk.fault == FAULT_CUT)
		ck_assert_int_eq(truncate(disk.path, 0), 0);
	if (disk.fault == FAULT_UNLINK)
		ck_assert_int_eq(unlink(disk.path), 0);
	if (disk.fault == FAULT_END)
		*size = 0;
	return disk.fault == FAULT_ERROR;
}

ssize_t __real_read(int fd, void *data, size_t size);
ssize_t __wrap_read(int fd, void *data, size_t size)
{
	return Fault(DISK_READ, &size) ? -1 : __real_read(fd, data, size);
}

ssize_t __real_write(int fd, const void *data, size_t size);
ssize_t __wrap_write(int fd, const void *data, size_t size)
{
	return Fault(DISK_WRITE, &size) ? -1 : __real_write(fd, data, size);
}

int __real_fsync(int fd);
int __wrap_fsync(int fd)
{
	size_t none;
	return Fault(DISK_SYNC, &none) ? -1 : __real_fsync(fd);
}

int __real_close(int fd);
int __wrap_close(int fd)
{
	size_t none;
	bool fails = Fault(DISK_CLOSE, &none);
	int number = errno, code = __real_close(fd); /* it is closed either way */
	errno = fails ? number : errno;
	return fails ? -1 : code;
}

int __real_rename(const char *from, const char *to);
int __wrap_rename(const char *from, const char *to)
{
	size_t none;
	return Fault(DISK_RENAME, &none) ? -1 : __real_rename(from, to);
}

static int ModeOf(int flags, va_list list)
{
	return flags & O_CREAT ? va_arg(list, int) : 0;
}

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...)
{
	va_list list;
	size_t none;
	va_start(list, flags);
	int mode = ModeOf(flags, list);
	va_end(list);
	return Fault(DISK_OPEN, &none) ? -1 : __real_open(path, flags, mode);
}

int __real_open64(const char *path, int flags, ...);
int __wrap_open64(const char *path, int flags, ...)
{
	va_list list;
	size_t none;
	va_start(list, flags);
	int mode = ModeOf(flags, list);
	va_end(list);
	return Fault(DISK_OPEN, &none) ? -1 : __real_open64(path, flags, mode);
}

static void Arm(DiskCall call, DiskFault fault, int n, int number, const char *path)
{
	disk.call = call;
	disk.fault = fault;
	disk.left = n;
	disk.number = number;
	disk.path = path;
	disk.happened = disk.odd = false;
	disk.armed = true;
}

/* ---- a folder and a world ---------------------------------------------------------------------------------------- */

typedef struct Stage {
	char folder[64], path[96], wanted[17];
	ScreeWorld *world;
	void *old, *whole; /* what is in the file before, and what is to be */
	long old_size, whole_size;
} Stage;

static long Slurp(const char *path, void **data)
{
	struct stat about;
	FILE *file = fopen(path, "rb");
	*data = NULL;
	if (!file)
		return -1;
	ck_assert_int_eq(fstat(fileno(file), &about), 0);
	*data = malloc((size_t)about.st_size + 1);
	ck_assert_uint_eq(fread(*data, 1, (size_t)about.st_size, file), (size_t)about.st_size);
	fclose(file);
	return (long)about.st_size;
}

static void Dump(const char *path, const void *data, long size)
{
	FILE *file = fopen(path, "wb");
	ck_assert(file && fwrite(data, 1, (size_t)size, file) == (size_t)size && fclose(file) == 0);
}

static bool Holds(const char *path, const void *data, long size)
{
	void *got;
	long got_size = Slurp(path, &got);
	bool same = got_size == size && (size <= 0 || memcmp(got, data, (size_t)size) == 0);
	free(got);
	return same;
}

static int NamesIn(const char *folder, bool remove)
{
	DIR *dir = opendir(folder);
	int count = 0;
	ck_assert_ptr_nonnull(dir);
	for (struct dirent *entry; (entry = readdir(dir));) {
		char name[400];
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		count++;
		snprintf(name, sizeof name, "%s/%s", folder, entry->d_name);
		if (remove)
			unlink(name);
	}
	closedir(dir);
	return count;
}

static void Fill(ScreeWorld *w, double y, double side, int material)
{
	ScreeFill fill = {.brush = SCREE_BRUSH_BOX,
	                  .material = material,
	                  .position = {0.3, y, 0},
	                  .rotation = {0.0, 0.1, 0.0, 1.0},
	                  .size = {side, 3, side}};
	ck_assert_int_eq(screeTerrain_Fill(w, &fill), SCREE_OK);
}

static ScreeWorld *MakeWorld(void)
{
	ScreeWorldDef def;
	ScreeWorld *w = NULL;
	ScreePart part;
	ScreeAssemblyDef body;
	ScreeId id;
	scree_world_defaults(&def);
	ck_assert_int_eq(screeWorld_Create(&def, &w, NULL, 0), SCREE_OK);
	for (int i = 0; i < 9; i++)
		Fill(w, 2.3 * i, 20 - i, 4 + i);
	scree_part_defaults(&part);
	scree_assembly_defaults(&body);
	body.parts = &part;
	body.part_count = 1;
	body.position[1] = 30;
	ck_assert_int_eq(screeAssembly_Create(w, &body, &id), SCREE_OK);
	ck_assert_int_eq(screeWorld_Step(w, 1.0 / 60.0, 3), SCREE_OK);
	return w;
}

static void Begin(Stage *s, const char *name)
{
	*s = (Stage){.folder = P_tmpdir "/scree-disk-XXXXXX"};
	ck_assert_ptr_nonnull(mkdtemp(s->folder));
	snprintf(s->path, sizeof s->path, "%s/%s", s->folder, name);
	s->world = MakeWorld();
	ck_assert_int_eq(screeWorld_Hash(s->world, s->wanted), SCREE_OK);
}

static void End(Stage *s)
{
	disk.armed = false;
	ck_assert(screeWorld_Destroy(s->world) == 0.0);
	NamesIn(s->folder, true);
	rmdir(s->folder);
	free(s->old);
	free(s->whole);
}

static void CheckHash(Stage *s, const char *what, int n)
{
	char got[17];
	ck_assert_int_eq(screeWorld_Hash(s->world, got), SCREE_OK);
	REQUIRE(strcmp(got, s->wanted) == 0, "%s, %d: the world has changed", what, n);
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

static int32_t SaveWorld(Stage *s)
{
	return screeWorld_Save(s->world, s->path, 1, "script", 6);
}

static int32_t SaveGround(Stage *s)
{
	return screeTerrain_Save(s->world, s->path, 1);
}

static int32_t Export(Stage *s)
{
	ScreeExport out;
	return screeTerrain_Export(s->world, s->path, NULL, NULL, &out);
}

static int32_t WritePicture(Stage *s)
{
	static uint8_t rgb[3 * 90 * 70];
	char error[200] = "";
	for (size_t i = 0; i < sizeof rgb; i++)
		rgb[i] = (uint8_t)(i * i >> 3);
	int32_t code = scree_write_png(s->path, 90, 70, rgb, error, sizeof error);
	REQUIRE(code == SCREE_OK || strstr(error, s->path), "the error does not name the file: %s", error);
	return code;
}

typedef struct Writer {
	const char *name;
	int32_t (*write)(Stage *s);
} Writer;

static const Writer writers[] = {
    {"a.world", SaveWorld}, {"a.terrain", SaveGround}, {"a.vox", Export}, {"a.obj", Export},
    {"a.stl", Export},      {"a.ply", Export},         {"a.glb", Export}, {"a.png", WritePicture},
};

/* One fault: the file is as before, or new and whole, and nobody lies about it. False: there was no such call. */
static bool WriteOnce(Stage *s, const Writer *writer, DiskCall call, int n, int number)
{
	Dump(s->path, s->old, s->old_size);
	int names = NamesIn(s->folder, false);
	Arm(call, FAULT_ERROR, n, number, NULL);
	int32_t code = writer->write(s);
	disk.armed = false;
	const char *what = call_names[call];
	if (!disk.happened) {
		REQUIRE(code == SCREE_OK, "%s: %d", writer->name, code);
		return false;
	}
	REQUIRE(code == SCREE_OK || code == SCREE_BAD_FILE, "%s, %s %d: %d", writer->name, what, n, code);
	if (code == SCREE_BAD_FILE) {
		bool named = writer->write == WritePicture || strstr(screeWorld_Error(s->world), s->folder);
		REQUIRE(named, "%s, %s %d: %s", writer->name, what, n, screeWorld_Error(s->world));
		REQUIRE(Holds(s->path, s->old, s->old_size), "%s, %s %d: the old file is gone", writer->name, what, n);
	} else
		REQUIRE(Holds(s->path, s->whole, s->whole_size), "%s, %s %d: not whole", writer->name, what, n);
	REQUIRE(code != SCREE_OK || call != DISK_WRITE, "%s, write %d fails, and all is well", writer->name, n);
	REQUIRE(NamesIn(s->folder, false) == names, "%s, %s %d: leaves something behind", writer->name, what, n);
	CheckHash(s, writer->name, n);
	return true;
}

START_TEST(writes_fail)
{
	static const int numbers[] = {ENOSPC, EIO};
	const Writer *writer = &writers[_i];
	Stage s;
	Begin(&s, writer->name);
	ck_assert_int_eq(writer->write(&s), SCREE_OK);
	s.whole_size = Slurp(s.path, &s.whole);
	s.old_size = 9;
	s.old = strdup("old bytes");
	int faults = 0;
	for (DiskCall call = DISK_OPEN; call < DISK_CALLS; call++)
		for (size_t k = 0; k < COUNT_OF(numbers); k++)
			for (int n = 0; WriteOnce(&s, writer, call, n, numbers[k]); n++)
				faults++;
	REQUIRE(faults >= 10, "%s: only %d faults", writer->name, faults);
	for (DiskFault fault = FAULT_SHORT; fault <= FAULT_INTERRUPT; fault++) {
		Dump(s.path, s.old, s.old_size);
		Arm(DISK_WRITE, fault, 0, 0, NULL);
		int32_t code = writer->write(&s);
		disk.armed = false;
		REQUIRE(code == SCREE_OK && disk.happened, "%s, fault %d: %d", writer->name, fault, code);
		REQUIRE(Holds(s.path, s.whole, s.whole_size), "%s, fault %d: another file", writer->name, fault);
	}
	End(&s);
}
END_TEST

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* Into another world, which is compared and gone. */
static int32_t LoadWorld(Stage *s)
{
	ScreeWorld *other;
	char error[300] = "", got[17];
	int32_t code = screeWorld_Load(s->path, 1, NULL, NULL, &other, NULL, NULL, error, sizeof error);
	if (code == SCREE_OK) {
		ck_assert_int_eq(screeWorld_Hash(other, got), SCREE_OK);
		ck_assert_str_eq(got, s->wanted);
		ck_assert(screeWorld_Destroy(other) == 0.0);
	} else
		REQUIRE(strstr(error, s->path), "the error does not name the file: %s", error);
	return code;
}

static int32_t LoadGround(Stage *s)
{
	return screeTerrain_Load(s->world, s->path, 0, NULL);
}

static int32_t ImportVox(Stage *s)
{
	ScreeVoxImport import;
	scree_vox_import_defaults(&import);
	import.at[1] = 64;
	return screeTerrain_ImportVox(s->world, s->path, &import);
}

static int32_t ImportMesh(Stage *s)
{
	ScreeMeshImport import;
	scree_mesh_import_defaults(&import);
	import.position[1] = 64;
	import.material = 6;
	return screeTerrain_ImportMesh(s->world, s->path, &import);
}

static int32_t ImportBlocks(Stage *s)
{
	ScreeBlockImport import;
	scree_block_import_defaults(&import);
	return screeTerrain_ImportBlocks(s->world, s->path, &import);
}

static int32_t ImportHeights(Stage *s)
{
	ScreeHeightmap map;
	scree_heightmap_defaults(&map);
	map.path = s->path;
	map.max = 9;
	map.mode = SCREE_ADD;
	return screeTerrain_FillHeightmap(s->world, &map);
}

static int32_t MakeRaw(Stage *s)
{
	uint16_t heights[64 * 64];
	for (size_t i = 0; i < COUNT_OF(heights); i++)
		heights[i] = (uint16_t)(i * 7);
	Dump(s->path, heights, sizeof heights);
	return SCREE_OK;
}

/* Sponge, not compressed: 2 x 1 x 1 blocks of stone. */
static int32_t MakeSchem(Stage *s)
{
	static const char nbt[] = "\12\0\11Schematic"
	                          "\3\0\7Version\0\0\0\2"
	                          "\2\0\5Width\0\2"
	                          "\2\0\6Height\0\1"
	                          "\2\0\6Length\0\1"
	                          "\12\0\7Palette\3\0\17minecraft:stone\0\0\0\0\0"
	                          "\7\0\11BlockData\0\0\0\2\0\0"
	                          "\0";
	Dump(s->path, nbt, sizeof nbt - 1);
	return SCREE_OK;
}

typedef struct Reader {
	Writer writer;
	int32_t (*read)(Stage *s);
} Reader;

static const Reader readers[] = {
    {{"a.world", SaveWorld}, LoadWorld},    {{"a.terrain", SaveGround}, LoadGround},
    {{"a.vox", Export}, ImportVox},         {{"a.obj", Export}, ImportMesh},
    {{"a.stl", Export}, ImportMesh},        {{"a.ply", Export}, ImportMesh},
    {{"a.glb", Export}, ImportMesh},        {{"a.r16", MakeRaw}, ImportHeights},
    {{"a.schem", MakeSchem}, ImportBlocks},
};

/* One fault: an error that changes nothing, or the same as without it. False: there was no such call. */
static bool ReadOnce(Stage *s, const Reader *reader, DiskCall call, DiskFault fault, int n)
{
	Dump(s->path, s->whole, s->whole_size);
	Arm(call, fault, n, EIO, s->path);
	int32_t code = reader->read(s);
	disk.armed = false;
	const char *name = reader->writer.name, *what = call_names[call];
	if (!disk.happened) {
		REQUIRE(code == SCREE_OK, "%s: %d", name, code);
		return false;
	}
	REQUIRE(code == SCREE_OK || code == SCREE_BAD_FILE, "%s, %s %d, fault %d: %d", name, what, n, fault, code);
	if (code == SCREE_BAD_FILE && reader->read != LoadWorld) {
		REQUIRE(strstr(screeWorld_Error(s->world), s->path), "%s, %s %d: %s", name, what, n,
		        screeWorld_Error(s->world));
		CheckHash(s, name, n);
	}
	REQUIRE(code == SCREE_OK || fault != FAULT_UNLINK, "%s: an open file that is removed is still there", name);
	return code == SCREE_BAD_FILE || fault == FAULT_UNLINK || fault == FAULT_END || fault == FAULT_CUT ||
	       call == DISK_CLOSE;
}

START_TEST(reads_fail)
{
	const Reader *reader = &readers[_i];
	const char *name = reader->writer.name;
	Stage s;
	Begin(&s, name);
	ck_assert_int_eq(reader->writer.write(&s), SCREE_OK);
	s.whole_size = Slurp(s.path, &s.whole);
	int refused = 0;
	for (DiskFault fault = FAULT_ERROR; fault <= FAULT_UNLINK; fault++)
		for (int n = 0;; n++) {
			ScreeWorld *fresh = s.world;
			s.world = MakeWorld();
			bool happened = ReadOnce(&s, reader, DISK_READ, fault, n);
			ck_assert(screeWorld_Destroy(s.world) == 0.0);
			s.world = fresh;
			if (!happened)
				break;
			refused++;
		}
	REQUIRE(refused >= 4, "%s: only %d faults", name, refused);
	REQUIRE(ReadOnce(&s, reader, DISK_OPEN, FAULT_ERROR, 0), "%s: opens what cannot be opened", name);
	CheckHash(&s, name, 0);
	for (DiskFault fault = FAULT_SHORT; fault <= FAULT_INTERRUPT; fault++) {
		char got[2][17];
		for (int plain = 0; plain < 2; plain++) {
			ScreeWorld *fresh = s.world;
			s.world = MakeWorld();
			Dump(s.path, s.whole, s.whole_size);
			Arm(DISK_READ, fault, 0, 0, NULL);
			disk.armed = !plain;
			int32_t code = reader->read(&s);
			disk.armed = false;
			REQUIRE(code == SCREE_OK && disk.happened == !plain, "%s, fault %d: %d", name, fault, code);
			ck_assert_int_eq(screeWorld_Hash(s.world, got[plain]), SCREE_OK);
			ck_assert(screeWorld_Destroy(s.world) == 0.0);
			s.world = fresh;
		}
		ck_assert_str_eq(got[0], got[1]);
	}
	End(&s);
}
END_TEST

Suite *suite_disk(void)
{
	Suite *suite = suite_create("disk");
	TCase *tests = tcase_create("disk");
	tcase_add_loop_test(tests, writes_fail, 0, COUNT_OF(writers));
	tcase_add_loop_test(tests, reads_fail, 0, COUNT_OF(readers));
	suite_add_tcase(suite, tests);
	return suite;
}
