/* base: the ground floor. Allocation, growing arrays, step arenas, handles, maps, hashing, tasks, errors, files.
 *
 * Owns: nothing but what its callers ask it to hold. Uses: the C library, POSIX threads, xxHash.
 * Called by: every floor above.
 *
 * Rule of the house: a function that can fail for lack of memory says so in its result and leaves what it was given
 * as it was. Nothing here aborts, prints (but Progress_*), or keeps state outside the objects that it is handed.
 */
#ifndef SCREE_BASE_H
#define SCREE_BASE_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* ---- checks ------------------------------------------------------------------------------------------------ */

/* Internal asserts: on in debug and sanitizer builds, compiled out with NDEBUG. API errors never go through here. */
#define SCREE_ASSERT(condition) assert(condition)

/* Bytes that were never written, for MemorySanitizer, which does not see what libraries do that were built without it:
 * what they wrote, what they are about to read, functions that read their structures. Nothing in other builds. */
#if defined(__has_feature)
#if __has_feature(memory_sanitizer)
#include <sanitizer/msan_interface.h>
#define WRITTEN_ELSEWHERE(data, size) __msan_unpoison((data), (size))
#define READ_ELSEWHERE(data, size) __msan_check_mem_is_initialized((data), (size))
#define READS_FOREIGN_STRUCTURES __attribute__((no_sanitize("memory")))
#endif
#endif
#ifndef WRITTEN_ELSEWHERE
#define WRITTEN_ELSEWHERE(data, size) ((void)0)
#define READ_ELSEWHERE(data, size) ((void)0)
#define READS_FOREIGN_STRUCTURES
#endif

#define COUNT_OF(array) ((int)(sizeof(array) / sizeof((array)[0])))

static inline int Int_Min(int a, int b)
{
	return a < b ? a : b;
}
static inline int Int_Max(int a, int b)
{
	return a > b ? a : b;
}
static inline int Int_Clamp(int v, int lo, int hi)
{
	return v < lo ? lo : v > hi ? hi : v;
}

/* ---- errors (error.c) -------------------------------------------------------------------------------------- */

typedef enum ErrorCode {
	ERROR_NONE = 0,
	ERROR_ARGUMENT = -1, /* the caller's mistake: wrong value, stale handle */
	ERROR_MEMORY = -2,   /* an allocation failed; nothing was changed */
	ERROR_FILE = -3,     /* the outside world: missing, damaged, too large */
	ERROR_LIMIT = -4     /* a stated limit of the library would be passed */
} ErrorCode;

/* One error, filled by the function that found it and carried up unchanged. */
typedef struct Error {
	ErrorCode code;
	char text[240];
} Error;

/* Fills *error (which may be NULL) and returns code, so that a caller can write `return Error_Set(...)`. */
int Error_Set(Error *error, ErrorCode code, const char *format, ...) __attribute__((format(printf, 3, 4)));
int Error_OutOfMemory(Error *error);

/* ---- memory (memory.c) ------------------------------------------------------------------------------------- */

/* The one allocator hook. resize(user, NULL, 0, n) allocates, resize(user, p, n, 0) frees and returns NULL; a failed
 * call returns NULL and leaves the old block as it was. Blocks are aligned to 16 bytes. Must be callable from any
 * thread. */
typedef void *MemoryResizeFn(void *user, void *block, size_t old_size, size_t new_size);

/* A counted heap. Every byte asked for is in `bytes` until it is given back. */
typedef struct Memory {
	MemoryResizeFn *resize;
	void *user;
	_Atomic size_t bytes;   /* live now */
	_Atomic size_t blocks;  /* live now */
	_Atomic uint64_t calls; /* allocations and growths since Memory_Init: a steady step makes none */
} Memory;

void Memory_Init(Memory *memory, MemoryResizeFn *resize, void *user); /* resize NULL: the C heap */
void *Memory_Alloc(Memory *memory, size_t size);                      /* NULL on failure; size 0 gives NULL */
void *Memory_AllocZero(Memory *memory, size_t size);
void *Memory_Resize(Memory *memory, void *block, size_t old_size, size_t new_size);
void Memory_Free(Memory *memory, void *block, size_t size); /* block may be NULL */

/* ---- arrays (memory.c) ------------------------------------------------------------------------------------- */

/* ARRAY(int) list = {0}; if (!Array_Push(memory, list, 7)) ...; list.data[0]; Array_Free(memory, list); */
#define ARRAY(T)                                                                                                       \
	struct {                                                                                                           \
		T *data;                                                                                                       \
		int count;                                                                                                     \
		int capacity;                                                                                                  \
	}

/* Makes room for `want` elements in all. Grows by half, so pushes cost amortised constant time. `data_field` is the
 * address of the array's pointer, read and written with memcpy since its type is not known here. */
bool Array_GrowRaw(Memory *memory, void *data_field, int *capacity, int want, size_t element_size);

#define Array_Reserve(memory, array, want)                                                                             \
	((want) <= (array).capacity ||                                                                                     \
	 Array_GrowRaw((memory), &(array).data, &(array).capacity, (want), sizeof(*(array).data)))
#define Array_Push(memory, array, value)                                                                               \
	(Array_Reserve((memory), (array), (array).count + 1) && ((array).data[(array).count++] = (value), true))
#define Array_Resize(memory, array, n) (Array_Reserve((memory), (array), (n)) && ((array).count = (n), true))
#define Array_Free(memory, array)                                                                                      \
	(Memory_Free((memory), (array).data, (size_t)(array).capacity * sizeof(*(array).data)), (array).data = NULL,       \
	 (array).count = (array).capacity = 0)

/* ---- arena: step-long temporaries (arena.c) ---------------------------------------------------------------- */

typedef struct ArenaBlock {
	struct ArenaBlock *next; /* older */
	size_t size;             /* bytes of room after the header */
	size_t used;
	size_t unused; /* the header takes whole steps of ARENA_ALIGN */
} ArenaBlock;

#define ARENA_ALIGN ((size_t)16)

/* Bump allocation; everything goes at once with Arena_Reset, which keeps (and merges) the blocks for the next step. */
typedef struct Arena {
	Memory *memory;
	ArenaBlock *block; /* newest first */
	size_t used;       /* bytes handed out since the last reset */
} Arena;

void Arena_Init(Arena *arena, Memory *memory);
void *Arena_AllocSlow(Arena *arena, size_t size); /* what Arena_Alloc comes to where the block is full */
void Arena_Reset(Arena *arena);
/* What was handed out since the mark may be given back early, so that what comes next finds it in the cache. (Where a
 * block was added since, nothing is given back before the next reset.) */
typedef struct ArenaMark {
	const ArenaBlock *block;
	size_t block_used, used;
} ArenaMark;
ArenaMark Arena_Mark(const Arena *arena);
void Arena_Release(Arena *arena, ArenaMark mark);
void Arena_Destroy(Arena *arena);

/* 16-byte aligned; NULL on failure; not zeroed. Asked so often that the usual case stands here. */
static inline void *Arena_Alloc(Arena *arena, size_t size)
{
#ifdef NDEBUG
	ArenaBlock *block = arena->block;
	size_t whole = (size + ARENA_ALIGN - 1) & ~(ARENA_ALIGN - 1);
	if (block && size - 1 < block->size - block->used && whole <= block->size - block->used) {
		void *result = (char *)(block + 1) + block->used;
		block->used += whole;
		arena->used += whole;
		return result;
	}
#endif
	return Arena_AllocSlow(arena, size);
}
#define Arena_Array(arena, T, n) ((T *)Arena_Alloc((arena), sizeof(T) * (size_t)((n) > 0 ? (n) : 1)))

/* ---- handles (handle.c) ------------------------------------------------------------------------------------ */

/* An id is slot index + generation in a whole number below 2^53, held in a double so that it is an exact Lua number:
 * id = generation * 2^24 + index, generation >= 1. 0 is never a valid id. A slot whose generation would pass 2^29 is
 * retired. */
typedef double Id;
#define ID_NONE 0.0
#define ID_INDEX_BITS 24

typedef struct IdPool {
	ARRAY(uint32_t) generation; /* per slot; odd use count is not needed: `alive` says it */
	ARRAY(uint8_t) alive;
	ARRAY(int32_t) unused; /* stack of free slots */
	int live;
} IdPool;

/* Takes the lowest-cost free slot (last returned first). ID_NONE on failure. *index receives the slot. */
Id IdPool_Take(IdPool *pool, Memory *memory, int *index);
/* Makes room, so that the next `count` Takes cannot fail for lack of memory. */
bool IdPool_Reserve(IdPool *pool, Memory *memory, int count);
int IdPool_Find(const IdPool *pool, Id id); /* the slot, or -1 for a stale or foreign or nonsensical id */
Id IdPool_IdAt(const IdPool *pool, int index);
void IdPool_Return(IdPool *pool, int index); /* never fails: room was made in Take */
/* Of the last Take, for a call that failed after it: the next Take gives the same id. */
void IdPool_Undo(IdPool *pool, int index);
void IdPool_Free(IdPool *pool, Memory *memory);

/* ---- maps (map.c) ------------------------------------------------------------------------------------------ */

/* Integer coordinates -> non-negative int. Open addressing; order of iteration is the caller's business (keep a dense
 * array beside it): nothing may depend on this map's internal order. */
typedef struct CoordMapSlot {
	int32_t x, y, z;
	int32_t value; /* -1: empty */
} CoordMapSlot;

typedef struct CoordMap {
	CoordMapSlot *slots;
	int capacity; /* power of two, or 0 */
	int count;
} CoordMap;

int CoordMap_Find(const CoordMap *map, int32_t x, int32_t y, int32_t z); /* value, or -1 */
bool CoordMap_Put(CoordMap *map, Memory *memory, int32_t x, int32_t y, int32_t z, int32_t value);
void CoordMap_Remove(CoordMap *map, int32_t x, int32_t y, int32_t z);
void CoordMap_Free(CoordMap *map, Memory *memory);

/* 64-bit key (not UINT64_MAX) -> non-negative int; same rules. */
typedef struct KeyMapSlot {
	uint64_t key;
	int32_t value;
} KeyMapSlot;

typedef struct KeyMap {
	KeyMapSlot *slots;
	int capacity;
	int count;
} KeyMap;

int KeyMap_Find(const KeyMap *map, uint64_t key);
bool KeyMap_Put(KeyMap *map, Memory *memory, uint64_t key, int32_t value);
/* Makes room for `count` entries in all: until the map holds that many, Puts cannot fail. */
bool KeyMap_Reserve(KeyMap *map, Memory *memory, int count);
void KeyMap_Remove(KeyMap *map, uint64_t key);
void KeyMap_Free(KeyMap *map, Memory *memory);

/* ---- hashing (hash.c) -------------------------------------------------------------------------------------- */

/* XXH3 64-bit over a stream of bytes. Feed values, not structs with padding. A Hasher wants 64-byte alignment: keep it
 * on the stack, not in a Memory block. */
typedef struct Hasher {
	_Alignas(64) unsigned char state[640];
} Hasher;

void Hasher_Init(Hasher *hasher);
void Hasher_Bytes(Hasher *hasher, const void *data, size_t size);
uint64_t Hasher_Value(const Hasher *hasher);
uint64_t Hash_Bytes(const void *data, size_t size);

/* splitmix64: seeded random numbers for generators and tests; the same on every machine. */
typedef struct Random {
	uint64_t state;
} Random;

static inline uint64_t Random_U64(Random *r)
{
	uint64_t z = (r->state += 0x9E3779B97F4A7C15u);
	z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
	z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
	return z ^ (z >> 31);
}
static inline double Random_Unit(Random *r)
{
	return (double)(Random_U64(r) >> 11) * (1.0 / 9007199254740992.0);
}
static inline double Random_Range(Random *r, double lo, double hi)
{
	return lo + (hi - lo) * Random_Unit(r);
}
static inline int Random_Below(Random *r, int n)
{
	return (int)(Random_U64(r) % (uint64_t)n);
}

/* ---- tasks (tasks.c) --------------------------------------------------------------------------------------- */

/* A fixed set of threads that share out the items of one loop at a time. Which worker runs which items is open, so an
 * item may only write what belongs to it (or to its worker, if the result does not depend on the sharing). */
typedef struct TaskPool TaskPool;
typedef void TaskFn(void *context, int begin, int end, int worker); /* items [begin, end); worker in [0, threads) */

TaskPool *TaskPool_Create(Memory *memory, int threads); /* threads >= 1 counts the caller; NULL on failure */
int TaskPool_Threads(const TaskPool *pool);
/* Runs fn over [0, count) in pieces of at least `grain` items and returns when all are done. Runs inline when it is not
 * worth sharing. Not re-entrant. */
void TaskPool_For(TaskPool *pool, int count, int grain, TaskFn *fn, void *context);
void TaskPool_Destroy(TaskPool *pool, Memory *memory);

/* ---- processor (cpu.c) ------------------------------------------------------------------------------------- */

#if defined(__x86_64__)
#define SCREE_X86 1
/* Marks a function of the fast form. Both forms give the same bits: the same order of operations, and no fused
 * multiply-add but where the outcome does not depend on its rounding. */
#define SIMD_FUNCTION __attribute__((target("avx2,fma,bmi,bmi2,popcnt,lzcnt")))
#else
#define SCREE_X86 0
#endif

/* May SIMD_FUNCTIONs be called? (AVX2, FMA, BMI2 and all that comes with them.) The environment variable SCREE_SIMD=0
 * says no, so that tests can compare both forms. Owners ask once, when they are made. */
bool Cpu_Simd(void);

/* ---- archives (archive.c) ---------------------------------------------------------------------------------- */

/* One function describes a state, both ways: it hands every value to the archive, which writes it down or sets it to
 * what was read. After a fault (no memory; damaged data) writing does nothing and reading gives zeros or lower bounds,
 * so that callers need to look only where they allocate or index. Numbers that are not finite are faults. */
typedef struct Archive {
	Memory *memory;
	bool reading;
	ErrorCode failure; /* ERROR_MEMORY or ERROR_FILE once something has failed */
	const char *what;  /* the first fault of what was read */
	uint8_t *bytes;    /* writing: what has been written */
	size_t used, capacity;
	const uint8_t *from; /* reading: not owned */
	size_t size, at;
} Archive;

void Archive_BeginWrite(Archive *archive, Memory *memory);
void Archive_BeginRead(Archive *archive, Memory *memory, const void *data, size_t size);
void Archive_End(Archive *archive); /* frees what was written */
void Archive_Fail(Archive *archive, const char *what);
bool Archive_IsSound(Archive *archive, bool sound, const char *what); /* false once anything has failed */
void Archive_Bytes(Archive *archive, void *data, size_t size);
void Archive_U8(Archive *archive, uint8_t *value);
void Archive_U32(Archive *archive, uint32_t *value);
void Archive_U64(Archive *archive, uint64_t *value);
void Archive_I64(Archive *archive, int64_t *value);
void Archive_Int(Archive *archive, int *value, int lo, int hi); /* beyond its bounds: a fault */
void Archive_Bool(Archive *archive, bool *value);
void Archive_F32(Archive *archive, float *value);
void Archive_F64(Archive *archive, double *value);
void Archive_F32s(Archive *archive, float *values, int count);
void Archive_F64s(Archive *archive, double *values, int count);
/* How many items of at least `least` bytes follow: read, no more than limit and than there is room for. */
int Archive_Count(Archive *archive, int count, int limit, size_t least);
int Archive_Report(const Archive *archive, Error *error); /* ERROR_NONE, or what failed */

/* ---- files and progress (file.c) --------------------------------------------------------------------------- */

/* Reads the whole file (at most `limit` bytes) into a block of `*size` bytes owned by the caller; NULL when it is
 * empty. Only regular files are read. */
int File_Read(Memory *memory, const char *path, size_t limit, void **data, size_t *size, Error *error);
/* Writes to a temporary beside `path`, then renames: the old file is intact unless everything went well. */
/* Does the path end like that, whatever the case of its letters? ending: lower case. */
bool File_HasEnding(const char *path, const char *ending);
int File_Write(const char *path, const void *data, size_t size, Error *error);

/* The same for a file that is made piece by piece (file_writer.c): nothing is at `path` before FileWriter_Close. A
 * failed write is kept, later ones do nothing, and Close reports it. After Open, exactly one of Close and Drop. */
typedef struct FileWriter {
	Memory *memory;
	const char *path;
	char *temporary;
	unsigned char *buffer;
	size_t used;
	uint64_t written; /* bytes so far */
	int fd;
	int failure; /* errno of the first failed write */
} FileWriter;

int FileWriter_Open(FileWriter *writer, Memory *memory, const char *path, Error *error); /* keeps `path` */
void FileWriter_Bytes(FileWriter *writer, const void *data, size_t size);
void FileWriter_Text(FileWriter *writer, const char *text);
void FileWriter_U32(FileWriter *writer, uint32_t value); /* little-endian */
int FileWriter_Close(FileWriter *writer, Error *error);
void FileWriter_Drop(FileWriter *writer); /* the old file stays */

/* A progress bar on stderr, shown only on a terminal and only once the work has taken half a second. */
typedef struct Progress {
	const char *label;
	double started; /* seconds, monotonic */
	double drawn;
	bool shown;
} Progress;

void Progress_Begin(Progress *progress, const char *label);
void Progress_Update(Progress *progress, double fraction); /* 0..1 */
void Progress_End(Progress *progress);

/* Reads a regular file from its start, piece by piece (file_reader.c); `path` must outlive it. */
typedef struct FileReader {
	const char *path;
	int fd;
	double size, done; /* bytes; size as it was when the file was opened */
} FileReader;

int FileReader_Open(FileReader *reader, const char *path, Error *error); /* failed: nothing to close */
/* Fills data; *got is less than size only at the end of the file. */
int FileReader_Read(FileReader *reader, void *data, size_t size, size_t *got, Error *error);
void FileReader_Close(FileReader *reader);

double Clock_Seconds(void); /* monotonic; for statistics only, never for simulation */

#endif
