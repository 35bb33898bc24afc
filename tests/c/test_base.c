/* base: memory, arrays, arenas, handles, maps, hashing, errors. */
#include "base/base.h"
#include "failing_memory.h"
#include "require.h"

#include <math.h>

#define UNLIMITED (-1)

/* ---- memory ------------------------------------------------------------------------------------------------ */

START_TEST(memory_is_counted)
{
	Memory memory;
	Memory_Init(&memory, NULL, NULL);
	char *a = Memory_Alloc(&memory, 100);
	char *b = Memory_AllocZero(&memory, 50);
	ck_assert(a && b);
	ck_assert_uint_eq(memory.bytes, 150);
	ck_assert_uint_eq(memory.blocks, 2);
	ck_assert_uint_eq(memory.calls, 2);
	for (int i = 0; i < 50; i++)
		ck_assert_int_eq(b[i], 0);
	a[99] = 7;
	a = Memory_Resize(&memory, a, 100, 300);
	ck_assert_int_eq(a[99], 7);
	ck_assert_uint_eq(memory.bytes, 350);
	ck_assert_uint_eq(memory.calls, 3);
	a = Memory_Resize(&memory, a, 300, 100);
	ck_assert_int_eq(a[99], 7);
	ck_assert_uint_eq(memory.bytes, 150);
	ck_assert_uint_eq(memory.calls, 3); /* shrinking is not counted */
	ck_assert_ptr_null(Memory_Resize(&memory, a, 100, 0));
	Memory_Free(&memory, b, 50);
	Memory_Free(&memory, NULL, 0);
	ck_assert_uint_eq(memory.bytes, 0);
	ck_assert_uint_eq(memory.blocks, 0);
	ck_assert_ptr_null(Memory_Alloc(&memory, 0));
	ck_assert_uint_eq(memory.blocks, 0);
}
END_TEST

START_TEST(memory_failure_changes_nothing)
{
	FailingMemory f;
	FailingMemory_Init(&f, 1);
	char *a = Memory_Alloc(&f.memory, 10);
	a[0] = 3;
	ck_assert_ptr_null(Memory_Alloc(&f.memory, 10));
	ck_assert_ptr_null(Memory_Resize(&f.memory, a, 10, 20));
	ck_assert(f.failed);
	ck_assert_int_eq(a[0], 3);
	ck_assert_uint_eq(f.memory.bytes, 10);
	ck_assert_uint_eq(f.memory.blocks, 1);
	Memory_Free(&f.memory, a, 10);
	ck_assert_uint_eq(f.memory.bytes, 0);
}
END_TEST

typedef ARRAY(int) IntArray;

START_TEST(array_grows)
{
	FailingMemory f;
	FailingMemory_Init(&f, UNLIMITED);
	IntArray list = {0};
	for (int i = 0; i < 100000; i++)
		REQUIRE(Array_Push(&f.memory, list, i * 3), "push %d", i);
	ck_assert_int_eq(list.count, 100000);
	for (int i = 0; i < list.count; i++)
		REQUIRE(list.data[i] == i * 3, "element %d", i);
	ck_assert_uint_eq(f.memory.bytes, (size_t)list.capacity * sizeof(int));
	ck_assert_uint_lt(f.memory.calls, 40); /* by half each time, not one by one */
	uint64_t calls = f.memory.calls;
	list.count = 0;
	ck_assert(Array_Resize(&f.memory, list, 100000));
	ck_assert_int_eq(list.count, 100000);
	ck_assert_uint_eq(f.memory.calls, calls);
	Array_Free(&f.memory, list);
	ck_assert_uint_eq(f.memory.bytes, 0);
	ck_assert_ptr_null(list.data);
	ck_assert_int_eq(list.capacity, 0);
}
END_TEST

START_TEST(array_failure_changes_nothing)
{
	FailingMemory f;
	FailingMemory_Init(&f, 1);
	IntArray list = {0};
	for (int i = 0; list.count < list.capacity || i == 0; i++)
		ck_assert(Array_Push(&f.memory, list, i));
	IntArray before = list;
	ck_assert(!Array_Push(&f.memory, list, 9));
	ck_assert_ptr_eq(list.data, before.data);
	ck_assert_int_eq(list.count, before.count);
	ck_assert_int_eq(list.capacity, before.capacity);
	for (int i = 0; i < list.count; i++)
		ck_assert_int_eq(list.data[i], i);
	Array_Free(&f.memory, list);
	ck_assert_uint_eq(f.memory.bytes, 0);

	/* A size beyond size_t is refused before it is asked for. */
	FailingMemory_Init(&f, UNLIMITED);
	int capacity = 0;
	void *data = NULL;
	ck_assert(!Array_GrowRaw(&f.memory, &data, &capacity, 1 << 30, (size_t)1 << 40));
	ck_assert_uint_eq(f.memory.calls, 0);
	ck_assert_int_eq(capacity, 0);
}
END_TEST

START_TEST(arena_aligns_and_keeps)
{
	FailingMemory f;
	FailingMemory_Init(&f, UNLIMITED);
	Arena arena;
	Arena_Init(&arena, &f.memory);
	Random r = {11};
	unsigned char *blocks[2000];
	size_t sizes[2000];
	for (int step = 0; step < 3; step++) {
		r.state = 11;
		size_t total = 0;
		uint64_t calls = f.memory.calls;
		for (int i = 0; i < 2000; i++) {
			sizes[i] = (size_t)Random_Below(&r, i % 100 == 0 ? 200000 : 300);
			blocks[i] = Arena_Alloc(&arena, sizes[i]);
			REQUIRE(blocks[i] && (uintptr_t)blocks[i] % 16 == 0, "block %d at %p", i, (void *)blocks[i]);
			memset(blocks[i], i & 255, sizes[i]);
			total += sizes[i];
		}
		for (int i = 0; i < 2000; i++)
			for (size_t k = 0; k < sizes[i]; k++)
				REQUIRE(blocks[i][k] == (i & 255), "block %d byte %zu overwritten", i, k);
		ck_assert_uint_ge(arena.used, total);
		if (step > 0)
			ck_assert_uint_eq(f.memory.calls, calls); /* the merged block holds the same step again */
		Arena_Reset(&arena);
		ck_assert_uint_eq(arena.used, 0);
		ck_assert_uint_eq(f.memory.blocks, 1);
	}
	int *ints = Arena_Array(&arena, int, 0);
	ck_assert_ptr_nonnull(ints);
	ck_assert_ptr_null(Arena_Alloc(&arena, SIZE_MAX));
	ck_assert_ptr_null(Arena_Alloc(&arena, SIZE_MAX / 2));
	Arena_Destroy(&arena);
	ck_assert_uint_eq(f.memory.bytes, 0);
}
END_TEST

START_TEST(arena_gives_back_to_a_mark)
{
	FailingMemory f;
	FailingMemory_Init(&f, UNLIMITED);
	Arena arena;
	Arena_Init(&arena, &f.memory);
	ArenaMark none = Arena_Mark(&arena);
	unsigned char *kept = Arena_Alloc(&arena, 100);
	memset(kept, 7, 100);
	Arena_Release(&arena, none); /* from before there was a block: nothing is given back */
	ck_assert_uint_eq(arena.used, 112);
	ArenaMark mark = Arena_Mark(&arena);
	unsigned char *first = Arena_Alloc(&arena, 1000);
	ck_assert(first >= kept + 100);
	ck_assert_ptr_nonnull(Arena_Alloc(&arena, 5000));
	Arena_Release(&arena, mark);
	ck_assert_uint_eq(arena.used, 112);
	ck_assert_ptr_eq(Arena_Alloc(&arena, 2000), first);
	/* where a block came since, what the mark's block holds stays */
	size_t used = arena.used;
	unsigned char *large = Arena_Alloc(&arena, 1000000);
	memset(large, 9, 1000000);
	Arena_Release(&arena, mark);
	ck_assert_uint_eq(arena.used, used + 1000000);
	unsigned char *next = Arena_Alloc(&arena, 500);
	memset(next, 1, 500);
	for (int i = 0; i < 100; i++)
		ck_assert_uint_eq(kept[i], 7);
	for (int i = 0; i < 1000000; i++)
		REQUIRE(large[i] == 9, "byte %d overwritten", i);
	Arena_Destroy(&arena);
	ck_assert_uint_eq(f.memory.bytes, 0);
}
END_TEST

START_TEST(arena_survives_failures)
{
	for (long n = 0;; n++) {
		FailingMemory f;
		FailingMemory_Init(&f, n);
		Arena arena;
		Arena_Init(&arena, &f.memory);
		bool all = true;
		for (int step = 0; step < 2; step++) {
			for (int i = 0; i < 8; i++) {
				size_t used = arena.used;
				char *block = Arena_Alloc(&arena, 50000);
				if (block)
					memset(block, 1, 50000);
				else
					ck_assert_uint_eq(arena.used, used);
				all = all && block;
			}
			Arena_Reset(&arena);
		}
		Arena_Destroy(&arena);
		ck_assert_uint_eq(f.memory.bytes, 0);
		ck_assert_int_eq(all && !f.failed, !f.failed);
		if (!f.failed)
			break;
		ck_assert_int_lt(n, 50);
	}
}
END_TEST

/* ---- handles ----------------------------------------------------------------------------------------------- */

START_TEST(ids_stay_stale)
{
	enum { CYCLES = 70000 };
	static double old[CYCLES];
	FailingMemory f;
	FailingMemory_Init(&f, UNLIMITED);
	IdPool pool = {0};
	int index;
	for (int i = 0; i < CYCLES; i++) {
		old[i] = IdPool_Take(&pool, &f.memory, &index);
		REQUIRE(index == 0, "cycle %d took another slot, %d", i, index);
		REQUIRE(IdPool_Find(&pool, old[i]) == 0 && IdPool_IdAt(&pool, 0) == old[i], "cycle %d", i);
		REQUIRE(i == 0 || IdPool_Find(&pool, old[i - 1]) == -1, "cycle %d", i);
		IdPool_Return(&pool, 0);
		REQUIRE(IdPool_IdAt(&pool, 0) == ID_NONE, "cycle %d", i);
	}
	Id live = IdPool_Take(&pool, &f.memory, &index);
	for (int i = 0; i < CYCLES; i++)
		REQUIRE(IdPool_Find(&pool, old[i]) == -1 && old[i] != live, "id of cycle %d came back", i);
	ck_assert_int_eq(pool.live, 1);
	ck_assert_int_eq(IdPool_Find(&pool, live), 0);
	IdPool_Free(&pool, &f.memory);
	ck_assert_uint_eq(f.memory.bytes, 0);
}
END_TEST

START_TEST(ids_reject_nonsense)
{
	FailingMemory f;
	FailingMemory_Init(&f, UNLIMITED);
	IdPool pool = {0};
	int index;
	Id id = IdPool_Take(&pool, &f.memory, &index);
	double nonsense[] = {
	    0.0, -0.0,     -1.0,     (double)NAN, (double)INFINITY, -(double)INFINITY, 1e300,        -1e300, /**/
	    0.5, 5e-324,   1.0,      16777215.0,  0x1p53,           -0x1p53,           0x1p53 - 1.0, 0x1p64, /**/
	    -id, id + 0.5, id - 0.5, id + 1.0,    id - 1.0,         id * 2.0,          id * 3.0,     id + 16777216.0};
	for (int i = 0; i < COUNT_OF(nonsense); i++)
		ck_assert_msg(IdPool_Find(&pool, nonsense[i]) == -1, "%g passed as an id", nonsense[i]);
	ck_assert(IdPool_IdAt(&pool, -1) == ID_NONE);
	ck_assert(IdPool_IdAt(&pool, 1) == ID_NONE);
	IdPool_Free(&pool, &f.memory);
}
END_TEST

START_TEST(ids_retire_worn_slots)
{
	FailingMemory f;
	FailingMemory_Init(&f, UNLIMITED);
	IdPool pool = {0};
	int index;
	IdPool_Take(&pool, &f.memory, &index);
	IdPool_Return(&pool, index);
	pool.generation.data[0] = (1u << 29) - 1;
	Id last = IdPool_Take(&pool, &f.memory, &index);
	ck_assert_int_eq(index, 0);
	ck_assert_int_eq(IdPool_Find(&pool, last), 0);
	ck_assert(last < 9007199254740992.0);
	IdPool_Return(&pool, 0);
	ck_assert_int_eq(IdPool_Find(&pool, last), -1);
	Id next = IdPool_Take(&pool, &f.memory, &index);
	ck_assert_int_eq(index, 1);
	ck_assert_int_eq(IdPool_Find(&pool, next), 1);
	IdPool_Free(&pool, &f.memory);
}
END_TEST

START_TEST(ids_many_and_failures)
{
	for (long n = 0;; n++) {
		FailingMemory f;
		FailingMemory_Init(&f, n);
		IdPool pool = {0};
		Id ids[100] = {0};
		int taken = 0;
		for (int i = 0; i < 100; i++) {
			int index = -7;
			ids[i] = IdPool_Take(&pool, &f.memory, &index);
			ck_assert_int_eq(index, ids[i] == ID_NONE ? -7 : taken);
			taken += ids[i] != ID_NONE;
			ck_assert_int_eq(pool.live, taken);
		}
		/* Returning never allocates, in any order. */
		for (int k = 0; k < 100; k++) {
			int i = k * 37 % 100;
			int index = IdPool_Find(&pool, ids[i]);
			ck_assert_int_eq(index, ids[i] == ID_NONE ? -1 : i);
			if (index >= 0)
				IdPool_Return(&pool, index);
		}
		ck_assert_int_eq(pool.live, 0);
		IdPool_Free(&pool, &f.memory);
		ck_assert_uint_eq(f.memory.bytes, 0);
		if (!f.failed) {
			ck_assert_int_eq(taken, 100);
			break;
		}
		ck_assert_int_lt(n, 100);
	}
}
END_TEST

/* ---- maps -------------------------------------------------------------------------------------------------- */

#define SIDE 9

START_TEST(coord_map_matches_twin)
{
	uint64_t seed = 100 + (uint64_t)_i;
	Random r = {seed};
	FailingMemory f;
	FailingMemory_Init(&f, UNLIMITED);
	CoordMap map = {0};
	static int twin[SIDE * SIDE * SIDE];
	memset(twin, 0xff, sizeof twin);
	/* Small coordinates, and ones that only differ in high bits. */
	int32_t spread = _i == 0 ? 1 : _i == 1 ? 1 << 16 : 477218588;
	int count = 0;
	for (int i = 0; i < 60000; i++) {
		int cell = Random_Below(&r, SIDE * SIDE * SIDE);
		int32_t x = (cell % SIDE - 4) * spread, y = (cell / SIDE % SIDE - 4) * spread,
		        z = (cell / SIDE / SIDE - 4) * spread;
		REQUIRE(CoordMap_Find(&map, x, y, z) == twin[cell], "seed %d step %d", (int)seed, i);
		/* Phases of growing and of shrinking. */
		if (Random_Below(&r, 10) < (i / 5000 % 2 ? 3 : 7)) {
			count += twin[cell] < 0;
			twin[cell] = Random_Below(&r, 1000);
			REQUIRE(CoordMap_Put(&map, &f.memory, x, y, z, twin[cell]), "seed %d step %d", (int)seed, i);
		} else {
			count -= twin[cell] >= 0;
			twin[cell] = -1;
			CoordMap_Remove(&map, x, y, z);
		}
		REQUIRE(map.count == count && map.count * 10 <= map.capacity * 7, "seed %d step %d", (int)seed, i);
	}
	for (int cell = 0; cell < COUNT_OF(twin); cell++)
		ck_assert_int_eq(CoordMap_Find(&map, (cell % SIDE - 4) * spread, (cell / SIDE % SIDE - 4) * spread,
		                               (cell / SIDE / SIDE - 4) * spread),
		                 twin[cell]);
	CoordMap_Free(&map, &f.memory);
	ck_assert_uint_eq(f.memory.bytes, 0);
	ck_assert_int_eq(CoordMap_Find(&map, 0, 0, 0), -1);
}
END_TEST

START_TEST(key_map_matches_twin)
{
	uint64_t seed = 200 + (uint64_t)_i;
	Random r = {seed};
	FailingMemory f;
	FailingMemory_Init(&f, UNLIMITED);
	KeyMap map = {0};
	enum { KEYS = 700 };
	static uint64_t keys[KEYS];
	static int twin[KEYS];
	memset(twin, 0xff, sizeof twin);
	for (int i = 0; i < KEYS; i++)
		keys[i] = _i == 0 ? (uint64_t)i : _i == 1 ? (uint64_t)i << 48 : UINT64_MAX - 1 - Random_U64(&r) / 2 * 2;
	for (int i = 0; i < 60000; i++) {
		int k = Random_Below(&r, KEYS);
		REQUIRE(KeyMap_Find(&map, keys[k]) == twin[k], "seed %d step %d", (int)seed, i);
		if (Random_Below(&r, 10) < (i / 5000 % 2 ? 3 : 7)) {
			twin[k] = Random_Below(&r, 1000);
			REQUIRE(KeyMap_Put(&map, &f.memory, keys[k], twin[k]), "seed %d step %d", (int)seed, i);
		} else {
			twin[k] = -1;
			KeyMap_Remove(&map, keys[k]);
		}
	}
	int count = 0;
	for (int k = 0; k < KEYS; k++) {
		ck_assert_int_eq(KeyMap_Find(&map, keys[k]), twin[k]);
		count += twin[k] >= 0;
	}
	ck_assert_int_eq(map.count, count);
	KeyMap_Free(&map, &f.memory);
	ck_assert_uint_eq(f.memory.bytes, 0);
}
END_TEST

START_TEST(maps_survive_failures)
{
	for (long n = 0;; n++) {
		FailingMemory f;
		FailingMemory_Init(&f, n);
		CoordMap coords = {0};
		KeyMap keys = {0};
		int coord_count = 0, key_count = 0;
		for (int i = 0; i < 200; i++) {
			coord_count += CoordMap_Put(&coords, &f.memory, i, -i, 7, i);
			key_count += KeyMap_Put(&keys, &f.memory, (uint64_t)i * 1000, i);
			REQUIRE(coords.count == coord_count && keys.count == key_count, "failure %ld put %d", n, i);
		}
		/* Without holes: once a put has failed, every later new one fails too. Old entries can be changed. */
		for (int i = 0; i < 200; i++) {
			REQUIRE(CoordMap_Find(&coords, i, -i, 7) == (i < coord_count ? i : -1), "failure %ld key %d", n, i);
			REQUIRE(KeyMap_Find(&keys, (uint64_t)i * 1000) == (i < key_count ? i : -1), "failure %ld key %d", n, i);
		}
		if (coord_count > 0)
			ck_assert(CoordMap_Put(&coords, &f.memory, 0, 0, 7, 99));
		CoordMap_Free(&coords, &f.memory);
		KeyMap_Free(&keys, &f.memory);
		ck_assert_uint_eq(f.memory.bytes, 0);
		if (!f.failed)
			break;
		ck_assert_int_lt(n, 100);
	}
}
END_TEST

START_TEST(key_map_reserve_makes_room)
{
	FailingMemory f;
	FailingMemory_Init(&f, UNLIMITED);
	KeyMap map = {0};
	ck_assert(KeyMap_Reserve(&map, &f.memory, 5000));
	ck_assert_int_eq(map.count, 0);
	f.left = 0;
	for (int i = 0; i < 5000; i++)
		REQUIRE(KeyMap_Put(&map, &f.memory, (uint64_t)i, i), "entry %d of the room made for 5000", i);
	ck_assert(!f.failed);
	ck_assert(!KeyMap_Reserve(&map, &f.memory, 1 << 20));
	ck_assert(!KeyMap_Reserve(&map, &f.memory, INT32_MAX));
	ck_assert_int_eq(map.count, 5000);
	ck_assert_int_eq(KeyMap_Find(&map, 4999), 4999);
	KeyMap_Free(&map, &f.memory);
	ck_assert_uint_eq(f.memory.bytes, 0);
}
END_TEST

/* ---- hashing ----------------------------------------------------------------------------------------------- */

START_TEST(hash_known_vectors)
{
	/* The input of xxHash's own self-test. */
	static unsigned char data[4096];
	uint64_t g = 2654435761u;
	for (int i = 0; i < COUNT_OF(data); i++) {
		data[i] = (unsigned char)(g >> 56);
		g *= 11400714785074694797u;
	}
	ck_assert_uint_eq(Hash_Bytes(NULL, 0), 0x2D06800538D394C2u);
	ck_assert_uint_eq(Hash_Bytes("abc", 3), 0x78AF5F94892F3950u);
	ck_assert_uint_eq(Hash_Bytes(data, 403), 0xCDEB804D65C6DEA4u);
	ck_assert_uint_eq(Hash_Bytes(data, 2048), 0xDD59E2C3A5F038E0u);

	/* However the stream is cut, the value is that of the whole. */
	Random r = {5};
	for (int round = 0; round < 200; round++) {
		size_t size = (size_t)Random_Below(&r, COUNT_OF(data));
		Hasher hasher;
		memset(&hasher, round, sizeof hasher);
		Hasher_Init(&hasher);
		for (size_t at = 0; at < size;) {
			size_t part = (size_t)Random_Below(&r, round % 2 ? 40 : 900);
			part = part < size - at ? part : size - at;
			Hasher_Bytes(&hasher, part > 0 ? data + at : NULL, part);
			at += part;
			REQUIRE(Hasher_Value(&hasher) == Hash_Bytes(data, at), "round %d at %zu of %zu", round, at, size);
		}
		ck_assert_uint_eq(Hasher_Value(&hasher), Hash_Bytes(data, size));
	}
}
END_TEST

START_TEST(random_known_values)
{
	/* splitmix64 with seed 1234567, from the published reference output */
	Random r = {1234567};
	ck_assert_uint_eq(Random_U64(&r), 6457827717110365317u);
	ck_assert_uint_eq(Random_U64(&r), 3203168211198807973u);
	for (int i = 0; i < 10000; i++) {
		double u = Random_Unit(&r);
		int b = Random_Below(&r, 7);
		REQUIRE(u >= 0.0 && u < 1.0 && b >= 0 && b < 7, "draw %d: %g, %d", i, u, b);
	}
}
END_TEST

/* ---- errors ------------------------------------------------------------------------------------------------ */

START_TEST(error_texts)
{
	Error error = {0};
	ck_assert_int_eq(Error_Set(&error, ERROR_ARGUMENT, "size[%d] must be positive, got %g", 2, -1.5), ERROR_ARGUMENT);
	ck_assert_int_eq(error.code, ERROR_ARGUMENT);
	ck_assert_str_eq(error.text, "size[2] must be positive, got -1.5");
	ck_assert_int_eq(Error_OutOfMemory(&error), ERROR_MEMORY);
	ck_assert_str_eq(error.text, "out of memory");
	ck_assert_int_eq(Error_Set(NULL, ERROR_LIMIT, "nobody listens"), ERROR_LIMIT);
	char longest[500];
	memset(longest, 'x', sizeof longest);
	longest[sizeof longest - 1] = '\0';
	Error_Set(&error, ERROR_FILE, "%s", longest);
	ck_assert_uint_eq(strlen(error.text), sizeof error.text - 1);
	ck_assert_str_eq(error.text + sizeof error.text - 5, "x...");
}
END_TEST

Suite *suite_base(void)
{
	Suite *suite = suite_create("base");
	TCase *memory = tcase_create("memory");
	tcase_add_test(memory, memory_is_counted);
	tcase_add_test(memory, memory_failure_changes_nothing);
	tcase_add_test(memory, array_grows);
	tcase_add_test(memory, array_failure_changes_nothing);
	tcase_add_test(memory, arena_aligns_and_keeps);
	tcase_add_test(memory, arena_gives_back_to_a_mark);
	tcase_add_test(memory, arena_survives_failures);
	suite_add_tcase(suite, memory);
	TCase *handles = tcase_create("handles");
	tcase_add_test(handles, ids_stay_stale);
	tcase_add_test(handles, ids_reject_nonsense);
	tcase_add_test(handles, ids_retire_worn_slots);
	tcase_add_test(handles, ids_many_and_failures);
	suite_add_tcase(suite, handles);
	TCase *maps = tcase_create("maps");
	tcase_add_loop_test(maps, coord_map_matches_twin, 0, 3);
	tcase_add_loop_test(maps, key_map_matches_twin, 0, 3);
	tcase_add_test(maps, maps_survive_failures);
	tcase_add_test(maps, key_map_reserve_makes_room);
	suite_add_tcase(suite, maps);
	TCase *hashing = tcase_create("hashing");
	tcase_add_test(hashing, hash_known_vectors);
	tcase_add_test(hashing, random_known_values);
	suite_add_tcase(suite, hashing);
	TCase *errors = tcase_create("errors");
	tcase_add_test(errors, error_texts);
	suite_add_tcase(suite, errors);
	return suite;
}
