/* The store's memory: packing, hash of the contents, failing allocations, and the check itself. */
#include "failing_memory.h"
#include "store_edits.h"

/* ---- memory ------------------------------------------------------------------------------------------------- */

START_TEST(test_cycles_do_not_grow)
{
	const CellBox box = {{-20, -20, -20}, {20, 20, 20}};
	size_t most = 0;
	for (int cycle = 0; cycle < 10; cycle++) {
		Random random = {99}, again = {99};
		for (int i = 0; i < 1000; i++)
			Put(RandomCell(&random, box), (Voxel){6, (uint8_t)(i & 127), 9});
		Store_CheckValid(store, "cycle");
		size_t bytes = Store_Bytes(store);
		if (cycle == 1)
			most = bytes;
		if (cycle > 1)
			ck_assert_uint_le(bytes, most);
		for (int i = 0; i < 1000; i++)
			Put(RandomCell(&again, box), (Voxel){0, 0, 0});
		ck_assert_int_eq(Store_ChunkCount(store), 0);
	}
	ck_assert_uint_le(Store_Bytes(store), sizeof(*store) + 2 * JOURNAL_LIMIT * sizeof(JournalEntry));
}
END_TEST

/* One chunk filled cell by cell in random order, thinned out the same way: the payload follows. */
START_TEST(test_waste_is_packed)
{
	Random random = {12};
	static int order[CHUNK_CELLS];
	for (int i = 0; i < CHUNK_CELLS; i++) {
		int j = Random_Below(&random, i + 1);
		order[i] = order[j];
		order[j] = i;
	}
	for (int pass = 0; pass < 2; pass++) {
		for (int i = 0; i < CHUNK_CELLS; i++) {
			Cell c = {order[i] & 31, order[i] >> 10, order[i] >> 5 & 31};
			Put(c, pass == 0 ? (Voxel){6, 255, 0} : (Voxel){0, 0, 0});
			const ChannelData *channel = Store_ChunkOrAir(store, (Cell){0, 0, 0})->channel;
			if (channel[0].header)
				REQUIRE(channel[0].used - channel[0].shared - 32 * channel[0].owning <= channel[0].used / 4 + 4 * 32,
				        "waste at step %d", i);
			if (i % 4096 == 0)
				Store_CheckValid(store, "packing");
		}
		if (pass == 0)
			ck_assert_uint_le(Store_Bytes(store), sizeof(*store) + 2 * JOURNAL_LIMIT * sizeof(JournalEntry) + 4096);
	}
	ck_assert_int_eq(Store_ChunkCount(store), 0);
}
END_TEST

/* Many small writes to one chunk cost few allocations: slots run out ever more seldom, and rows that have one are
 * written in place. */
START_TEST(test_small_writes_do_not_repack)
{
	Random random = {77};
	uint64_t calls = heap.calls;
	const CellBox chunk = {{-32, 64, 32}, {-1, 95, 63}};
	for (int i = 0; i < 20000; i++)
		Put(RandomCell(&random, chunk), (Voxel){(uint8_t)(2 + i % 17), (uint8_t)(i % 255), (uint8_t)(i % 7)});
	/* Three channels of about 30 packings each, and the journal. */
	ck_assert_uint_le(heap.calls - calls, 140);
	calls = heap.calls;
	for (int i = 0; i < 50000; i++)
		Put(RandomCell(&random, chunk), (Voxel){(uint8_t)(2 + i % 17), (uint8_t)(i % 255), (uint8_t)(i % 7)});
	ck_assert_uint_le(heap.calls - calls, 3);
	/* One cell on and off: its row is mixed and uniform by turns. */
	ck_assert_int_eq(Store_Clear(store, NULL, NULL), ERROR_NONE);
	ck_assert_int_eq(Store_Replace(store, chunk, MATERIAL_AIR, 6, NULL, NULL), ERROR_NONE);
	Put((Cell){-5, 70, 40}, (Voxel){0, 0, 0});
	calls = heap.calls;
	for (int i = 0; i < 10000; i++)
		Put((Cell){-9, 90, 50}, i % 2 ? (Voxel){6, 255, 0} : (Voxel){0, 0, 0});
	ck_assert_uint_le(heap.calls - calls, 4);
	/* A packed chunk that is edited here and there is opened once in each channel. */
	Twin twin = Twin_Create(chunk);
	Region region = {32, 32, 32, {twin.channel[0], twin.channel[1], twin.channel[2]}};
	for (size_t i = 0; i < Twin_Size(&twin); i++)
		twin.channel[0][i] = (uint8_t)(i % 32 < 5 + i / 32 % 23 ? 6 : 3), twin.channel[1][i] = (uint8_t)(200 + i % 11);
	ck_assert_int_eq(Store_Write(store, chunk, &region, NULL, NULL, NULL), ERROR_NONE);
	calls = heap.calls;
	for (int i = 0; i < 4; i++)
		Put((Cell){-20, 66 + 7 * i, 35 + i}, (Voxel){9, 77, 0});
	ck_assert_uint_le(heap.calls - calls, 3);
	Twin_Free(&twin);
}
END_TEST

/* Rows of few runs, shifted against each other, as strata and walls have them: they share bytes when they are written
 * at once, and part again when single cells are set. */
static void Patterned(Random *random, Twin *twin)
{
	uint8_t core[4][6];
	for (int i = 0; i < 24; i++)
		core[i / 6][i % 6] = (uint8_t)(2 + Random_Below(random, 5));
	memset(twin->channel[2], 0, Twin_Size(twin));
	for (size_t line = 0; line < Twin_Size(twin) / 32; line++) {
		int from = Random_Below(random, 33), kind = Random_Below(random, 4), wide = Random_Below(random, 7);
		uint8_t a = (uint8_t)(2 * Random_Below(random, 3)), b = (uint8_t)(3 * Random_Below(random, 2));
		for (int x = 0; x < 32; x++) {
			bool inside = x >= from && x < from + wide;
			uint8_t m = x < from ? a : inside ? core[kind][x - from] : b;
			twin->channel[0][32 * line + (size_t)x] = m;
			twin->channel[1][32 * line + (size_t)x] = m == 0 ? 0 : inside ? (uint8_t)(40 * kind + x - from) : 255;
		}
	}
}

START_TEST(test_rows_that_share)
{
	const CellBox chunk = {{0, 32, -32}, {31, 63, -1}};
	for (uint64_t seed = 1; seed <= 12; seed++) {
		char what[64];
		snprintf(what, sizeof(what), "patterned rows, seed %d", (int)seed);
		Random random = {seed};
		Twin twin = Twin_Create(chunk);
		Region region = {32, 32, 32, {twin.channel[0], twin.channel[1], twin.channel[2]}};
		Patterned(&random, &twin);
		ck_assert_int_eq(Store_Write(store, chunk, &region, NULL, NULL, NULL), ERROR_NONE);
		Store_CheckValid(store, what);
		Twin_CheckEqual(&twin, store, what);
		const ChannelData *channel = Store_ChunkOrAir(store, (Cell){0, 1, -1})->channel;
		/* 9 pairs of materials by 4 cores of 7 widths, most of them in one place of at most 62 bytes. */
		for (int c = 0; c < 2; c++) {
			REQUIRE(channel[c].sharing > 800, "%s: only %d rows share", what, channel[c].sharing);
			REQUIRE(channel[c].shared - channel[c].rows < 9 * (4 * 6 + 1) * 62, "%s: %d shared bytes", what,
			        channel[c].shared);
		}
		/* Waste is bounded while single cells part them. */
		for (int i = 0; i < 3000; i++) {
			Cell c = RandomCell(&random, chunk);
			Voxel v = RandomVoxel(&random);
			Put(c, v);
			Twin_Set(&twin, c, v);
			channel = Store_ChunkOrAir(store, (Cell){0, 1, -1})->channel;
			for (int k = 0; k < 2; k++)
				REQUIRE(channel[k].capacity <= 2 * 32 * (channel[k].sharing + channel[k].owning) + 1024 + 2176,
				        "%s: %d bytes for %d rows", what, channel[k].capacity, channel[k].sharing + channel[k].owning);
			if (i % 500 == 0)
				Store_CheckValid(store, what);
		}
		Twin_CheckEqual(&twin, store, what);
		/* Back in one go, to the same bytes as before. */
		Patterned(&random, &twin);
		ck_assert_int_eq(Store_Write(store, chunk, &region, NULL, NULL, NULL), ERROR_NONE);
		Store_CheckValid(store, what);
		Twin_CheckEqual(&twin, store, what);
		Twin_Free(&twin);
	}
}
END_TEST

/* Closing a row gives memory back if it can: with a heap that always fails it only keeps more. */
START_TEST(test_thinning_without_memory)
{
	FailingMemory f;
	FailingMemory_Init(&f, -1);
	Store *s = Store_Create(&f.memory);
	Random random = {8}, again = {8};
	const CellBox chunk = {{0, 0, 0}, {31, 31, 31}};
	ck_assert_int_eq(Store_Set(s, (Cell){31, 0, 0}, (Voxel){3, 200, 0}, NULL, NULL), ERROR_NONE);
	for (int i = 0; i < 1200; i++)
		ck_assert_int_eq(Store_Set(s, RandomCell(&random, chunk), (Voxel){6, 99, 0}, NULL, NULL), ERROR_NONE);
	for (int i = 0; i < 1200; i++) {
		Cell c = RandomCell(&again, chunk);
		f.left = 0;
		int code = Store_Set(s, c, (Voxel){0, 0, 0}, NULL, NULL);
		f.left = -1;
		if (code)
			ck_assert_int_eq(Store_Set(s, c, (Voxel){0, 0, 0}, NULL, NULL), ERROR_NONE);
		if (i % 100 == 0)
			Store_CheckValid(s, "thinning");
	}
	Store_CheckValid(s, "thinned");
	ck_assert_int_le(Store_SolidCells(s), 1);
	Store_Destroy(s);
	ck_assert_uint_eq(f.memory.bytes, 0);
}
END_TEST

START_TEST(test_uniform_costs_nothing)
{
	/* 4 x 4 x 4 chunks of rock under a lake of the same size. */
	CellBox rock = {{-64, -64, -64}, {63, 63, 63}}, lake = {{-64, 64, -64}, {63, 191, 63}};
	ck_assert_int_eq(Store_Replace(store, rock, MATERIAL_AIR, 6, NULL, NULL), ERROR_NONE);
	ck_assert_int_eq(Store_Replace(store, lake, MATERIAL_AIR, MATERIAL_WATER, NULL, NULL), ERROR_NONE);
	ck_assert_int_eq(Store_ChunkCount(store), 128);
	ck_assert_int_eq(Store_SolidCells(store), 128 * 128 * 128);
	ck_assert_uint_le(Store_Bytes(store), 128 * 200 + 16384);
	CheckCell((Cell){0, 64, 0}, (Voxel){0, 0, 255});
}
END_TEST

/* ---- hash --------------------------------------------------------------------------------------------------- */

START_TEST(test_hash_of_contents)
{
	Random random = {31};
	Twin twin = Twin_Create(block);
	for (int i = 0; i < 300; i++)
		EditRandom(&random, &twin, NULL);
	Twin_CheckEqual(&twin, store, "hash");
	/* The same cells, one by one in another order, over other cells that go again. */
	Store *other = Store_Create(&heap), *third = Store_Create(&heap);
	Region region = {twin.nx, twin.ny, twin.nz, {twin.channel[0], twin.channel[1], twin.channel[2]}};
	ck_assert_int_eq(Store_Write(other, block, &region, NULL, NULL, NULL), ERROR_NONE);
	for (int i = 0; i < 5000; i++) {
		Cell cell = RandomCell(&random, block);
		REQUIRE(!Store_Set(third, cell, RandomVoxel(&random), NULL, NULL), "set failed");
	}
	ck_assert_int_eq(Store_Set(third, (Cell){500, 500, 500}, (Voxel){4, 4, 4}, NULL, NULL), ERROR_NONE);
	for (int y = 47; y >= -48; y--)
		for (int z = -48; z <= 47; z++)
			for (int x = 47; x >= -48; x--)
				REQUIRE(!Store_Set(third, (Cell){x, y, z}, Twin_Get(&twin, (Cell){x, y, z}), NULL, NULL), "set failed");
	ck_assert_uint_ne(Store_HashValue(third), Store_HashValue(store));
	ck_assert_int_eq(Store_Set(third, (Cell){500, 500, 500}, (Voxel){0, 0, 0}, NULL, NULL), ERROR_NONE);
	ck_assert_uint_eq(Store_HashValue(other), Store_HashValue(store));
	ck_assert_uint_eq(Store_HashValue(third), Store_HashValue(store));
	/* Any single byte counts. */
	for (int i = 0; i < 100; i++) {
		Cell c = RandomCell(&random, block);
		Voxel v = Store_Get(third, c), w = v;
		if (i % 3 == 0 || v.material == 0 || v.occupancy == 255)
			w.material = v.material == 5 ? 6 : 5;
		else if (i % 3 == 1)
			w.occupancy = v.occupancy ^ 1;
		else
			w.water = v.water ^ 1;
		ck_assert_int_eq(Store_Set(third, c, w, NULL, NULL), ERROR_NONE);
		ck_assert_uint_ne(Store_HashValue(third), Store_HashValue(store));
		ck_assert_int_eq(Store_Set(third, c, v, NULL, NULL), ERROR_NONE);
		ck_assert_uint_eq(Store_HashValue(third), Store_HashValue(store));
	}
	Store_CheckValid(other, "hash");
	Store_CheckValid(third, "hash");
	Store_Destroy(other);
	Store_Destroy(third);
	Twin_Free(&twin);
}
END_TEST

/* ---- failing allocations ------------------------------------------------------------------------------------ */

typedef int AttemptFn(Store *s, Tally *tally);

static int Attempt_Set(Store *s, Tally *tally)
{
	return Store_Set(s, (Cell){200, 5, -7}, (Voxel){3, 44, 2}, tally, NULL);
}

static int Attempt_SetInside(Store *s, Tally *tally)
{
	return Store_Set(s, (Cell){161, 162, 163}, (Voxel){7, 44, 2}, tally, NULL);
}

static int Attempt_Write(Store *s, Tally *tally)
{
	static uint8_t bytes[70 * 40 * 40];
	Region region = {70, 40, 40, {bytes, bytes, bytes}};
	for (int i = 0; i < COUNT_OF(bytes); i++)
		bytes[i] = (uint8_t)(i % 3 * (i % 111));
	return Store_Write(s, (CellBox){{-10, -10, -10}, {59, 29, 29}}, &region, NULL, tally, NULL);
}

static int Attempt_Edit(Store *s, Tally *tally)
{
	Smear smear = {2};
	return Store_Edit(s, (CellBox){{-40, -20, -20}, {20, 20, 20}}, Smear_Row, &smear, tally, NULL);
}

static int Attempt_Replace(Store *s, Tally *tally)
{
	return Store_Replace(s, (CellBox){{-20, -20, -20}, {40, 20, 20}}, MATERIAL_AIR, 9, tally, NULL);
}

static int Attempt_Clear(Store *s, Tally *tally)
{
	return Store_Clear(s, tally, NULL);
}

static void CheckFailing(AttemptFn *attempt, const char *what)
{
	const CellBox few = {{-16, -16, -16}, {15, 15, 15}};
	FailingMemory f;
	FailingMemory_Init(&f, -1);
	Store *s = Store_Create(&f.memory);
	Random random = {17};
	for (int i = 0; i < 200; i++) {
		Cell cell = RandomCell(&random, few);
		Store_Set(s, cell, RandomVoxel(&random), NULL, NULL);
	}
	/* A chunk with solid cells but without water: to wet it takes a new block. */
	Store_Set(s, (Cell){160, 160, 160}, (Voxel){3, 44, 0}, NULL, NULL);
	uint64_t hash = Store_HashValue(s), version = Store_Version(s);
	int64_t solid = Store_SolidCells(s);
	size_t most = 0;
	int code = ERROR_MEMORY, failures = 0;
	for (long allowed = 0; code != ERROR_NONE; allowed++) {
		Tally tally = {0}, none = {0};
		f.left = allowed;
		code = attempt(s, &tally);
		f.left = -1;
		Store_CheckValid(s, what);
		if (code == ERROR_NONE)
			break;
		failures++;
		REQUIRE(code == ERROR_MEMORY && f.failed, "%s: code %d", what, code);
		REQUIRE(hash == Store_HashValue(s) && version == Store_Version(s) && solid == Store_SolidCells(s),
		        "%s: changed although allocation %ld failed", what, allowed);
		REQUIRE(memcmp(&tally, &none, sizeof(none)) == 0, "%s: tallied although failed", what);
		/* Lists may have grown, but only once. */
		if (allowed == 20)
			most = f.memory.bytes + 4096;
		REQUIRE(most == 0 || f.memory.bytes <= most, "%s: grows with failures", what);
	}
	REQUIRE(failures > 0, "%s: never failed", what);
	REQUIRE(hash != Store_HashValue(s), "%s: did nothing", what);
	Store_Destroy(s);
	REQUIRE(f.memory.bytes == 0 && f.memory.blocks == 0, "%s: leak", what);
}

START_TEST(test_failing_allocations)
{
	CheckFailing(Attempt_Set, "set in a new chunk");
	CheckFailing(Attempt_SetInside, "set in an old chunk");
	CheckFailing(Attempt_Write, "write");
	CheckFailing(Attempt_Edit, "edit");
	CheckFailing(Attempt_Replace, "replace");
	CheckFailing(Attempt_Clear, "clear");
	FailingMemory f;
	FailingMemory_Init(&f, 0);
	ck_assert_ptr_null(Store_Create(&f.memory));
	ck_assert_uint_eq(f.memory.bytes, 0);
}
END_TEST

/* ---- the check checks --------------------------------------------------------------------------------------- */

START_TEST(test_validate_sees_faults)
{
	char why[128];
	for (int i = 0; i < 8; i++)
		Put((Cell){i, 1, 2}, (Voxel){(uint8_t)(2 + i), 100, 5});
	Put((Cell){0, 40, 0}, (Voxel){2, 5, 0});
	ck_assert(Store_Validate(store, why, sizeof(why)));
	Chunk *chunk = &store->chunks.data[Store_FindChunk(store, (Cell){0, 0, 0})];
	int row = Cell_Row(1, 2);
	ChannelData *m = &chunk->channel[CHANNEL_MATERIAL];

#define BROKEN(put, back)                                                                                              \
	do {                                                                                                               \
		put;                                                                                                           \
		REQUIRE(!Store_Validate(store, why, sizeof(why)), "not seen: %s", #put);                                       \
		back;                                                                                                          \
		ck_assert(Store_Validate(store, why, sizeof(why)));                                                            \
	} while (0)

	BROKEN(Channel_Put(m, row, 3, MATERIAL_WATER), Channel_Put(m, row, 3, 5));
	BROKEN(Channel_Put(m, row, 3, MATERIAL_AIR), Channel_Put(m, row, 3, 5));
	BROKEN(Channel_Put(&chunk->channel[CHANNEL_OCCUPANCY], row, 3, 255),
	       Channel_Put(&chunk->channel[CHANNEL_OCCUPANCY], row, 3, 100));
	BROKEN(store->solid_cells++, store->solid_cells--);
	BROKEN(m->owning++, m->owning--);
	BROKEN(Channel_Group(m, 0)[7] = 256, Channel_Group(m, 0)[7] = 0);
	BROKEN(Channel_Group(m, 0)[7] = 300, Channel_Group(m, 0)[7] = 0);
	BROKEN(Channel_Group(m, 0)[7] = 65500, Channel_Group(m, 0)[7] = 0);
	BROKEN(m->header[3] = 4, m->header[3] = 3);
	BROKEN(m->uniform = 7, m->uniform = 0);
	BROKEN(m->used += 32, m->used -= 32);
	BROKEN(chunk->blocks ^= 1, chunk->blocks ^= 1);
	BROKEN(chunk->blocks ^= (uint64_t)1 << 63, chunk->blocks ^= (uint64_t)1 << 63);
	BROKEN(store->version++, store->version--);
	int32_t first = store->order.data[0];
	BROKEN((store->order.data[0] = store->order.data[1], store->order.data[1] = first),
	       (store->order.data[1] = store->order.data[0], store->order.data[0] = first));
	BROKEN(chunk->x++, chunk->x--);
	BROKEN(chunk->entry = 0, chunk->entry = ENTRY_NONE);
	ck_assert(Channel_Open(m, &store->memory, 9));
	ck_assert(!Store_Validate(store, why, sizeof(why)));
	Channel_Close(m, &store->memory, 9);
}
END_TEST

Suite *suite_store_memory(void);
Suite *suite_store_memory(void)
{
	Suite *suite = suite_create("store_memory");
	TCase *tests = tcase_create("store_memory");
	tcase_set_timeout(tests, 120);
	tcase_add_checked_fixture(tests, Setup, Teardown);
	tcase_add_test(tests, test_cycles_do_not_grow);
	tcase_add_test(tests, test_waste_is_packed);
	tcase_add_test(tests, test_small_writes_do_not_repack);
	tcase_add_test(tests, test_rows_that_share);
	tcase_add_test(tests, test_thinning_without_memory);
	tcase_add_test(tests, test_uniform_costs_nothing);
	tcase_add_test(tests, test_hash_of_contents);
	tcase_add_test(tests, test_failing_allocations);
	tcase_add_test(tests, test_validate_sees_faults);
	suite_add_tcase(suite, tests);
	return suite;
}
