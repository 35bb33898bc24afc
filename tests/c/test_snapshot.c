/* Snapshots against hostile bytes and failing memory. That a restored world has the same future is tested from Lua. */
#include "base/base.h"
#include "failing_memory.h"
#include "scree.h"
#include "voxel/voxel.h"

#include <check.h>
#include <stdio.h>
#include <unistd.h>

Suite *suite_snapshot(void);

#define HASH_AT 12
#define CHECKED_FROM 20

static ScreeWorld *MakeWorld(FailingMemory *f)
{
	ScreeWorldDef def;
	ScreeWorld *w = NULL;
	scree_world_defaults(&def);
	def.resize = FailingMemory_Resize;
	def.resize_user = f;
	return screeWorld_Create(&def, &w, NULL, 0) == SCREE_OK ? w : NULL;
}

/* Ground, a pile with hulls and a compound, something asleep, something going on. */
static void Fill(ScreeWorld *w)
{
	static const double points[15] = {0, 0, 0, 1, 0, 0.1, 0.2, 0, 1, 0.9, 0.1, 1, 0.4, 0.9, 0.5};
	ScreeFill fill = {.brush = BRUSH_BOX,
	                  .material = 6,
	                  .position = {0.0, -2.0, 0.0},
	                  .rotation = {0.0, 0.0, 0.0, 1.0},
	                  .size = {20.0, 4.0, 20.0}};
	ck_assert(screeTerrain_Fill(w, &fill) == SCREE_OK);
	const ScreeId *pieces;
	const ScreeDetach detach = {1, 4, 0};
	const double low[3] = {-10.0, -4.0, -10.0}, high[3] = {9.0, -4.0, 9.0};
	for (int i = 0; i < 3; i++) /* a piece of the ground */
		ck_assert(screeTerrain_Set(w, 6.0 + i, 4.0, 6.0, 6 + i % 2, 200 + i, 0) == SCREE_OK);
	ck_assert(screeTerrain_DetachAll(w, &pieces) == 1);
	ck_assert(screeTerrain_Anchor(w, low, high) == SCREE_OK);
	ck_assert(screeTerrain_SetDetach(w, &detach) == SCREE_OK);
	for (int i = 0; i < 14; i++) {
		ScreePart parts[2];
		ScreeAssemblyDef def;
		ScreeId id;
		scree_assembly_defaults(&def);
		for (int k = 0; k < 2; k++) {
			scree_part_defaults(&parts[k]);
			parts[k].shape = (int32_t[]){SCREE_BOX, SCREE_HULL, SCREE_BALL, SCREE_CAPSULE}[(i + k) % 4];
			parts[k].points = points;
			parts[k].point_count = 5;
			parts[k].position[0] = k;
		}
		def.parts = parts;
		def.part_count = 1 + i % 2;
		def.position[0] = (i % 3) * 1.5 - 2.0;
		def.position[1] = 0.6 + 0.9 * (i / 3);
		ck_assert(screeAssembly_Create(w, &def, &id) == SCREE_OK);
	}
	ck_assert(screeWorld_Step(w, 1.0 / 60.0, 40) == SCREE_OK);
}

static uint8_t *Copy(const void *data, double size)
{
	uint8_t *copy = malloc((size_t)size);
	ck_assert(copy != NULL);
	memcpy(copy, data, (size_t)size);
	return copy;
}

static void Seal(uint8_t *bytes, size_t size)
{
	uint64_t hash = Hash_Bytes(bytes + CHECKED_FROM, size - CHECKED_FROM);
	for (int i = 0; i < 8; i++)
		bytes[HASH_AT + i] = (uint8_t)(hash >> (8 * i));
}

/* Bytes with a sound checksum and unsound contents: refused, or a world that goes on without harm. */
START_TEST(forged_bytes_do_no_harm)
{
	FailingMemory f;
	FailingMemory_Init(&f, -1);
	ScreeWorld *w = MakeWorld(&f);
	const void *data;
	double size;
	char before[17], after[17];
	Fill(w);
	ck_assert(screeWorld_Snapshot(w, "abc", 3, &data, &size) == SCREE_OK);
	uint8_t *good = Copy(data, size);
	ck_assert(screeWorld_Hash(w, before) == SCREE_OK);
	int refused = 0, taken = 0;
	Random r = {11};
	for (int i = 0; i < 1500; i++) {
		uint8_t *bytes = Copy(good, size);
		for (int n = 1 + Random_Below(&r, 3); n > 0; n--) {
			size_t at = CHECKED_FROM + (size_t)Random_Below(&r, (int)size - CHECKED_FROM);
			bytes[at] = (uint8_t)(Random_Below(&r, 2) ? Random_Below(&r, 256) : bytes[at] ^ (1 << Random_Below(&r, 8)));
		}
		Seal(bytes, (size_t)size);
		int32_t result = screeWorld_Restore(w, bytes, size, NULL, NULL);
		free(bytes);
		ck_assert_msg(result == SCREE_OK || result == SCREE_BAD_FILE, "seed 11, %d: %d", i, result);
		refused += result != SCREE_OK;
		taken += result == SCREE_OK;
		if (result == SCREE_OK) {
			ck_assert(screeWorld_Step(w, 1.0 / 60.0, 2) == SCREE_OK);
			ck_assert(screeWorld_Restore(w, good, size, NULL, NULL) == SCREE_OK);
		}
		ck_assert(screeWorld_Hash(w, after) == SCREE_OK);
		ck_assert_msg(strcmp(before, after) == 0, "seed 11, %d: changed", i);
	}
	ck_assert_msg(refused > 300 && taken > 50, "%d refused, %d taken", refused, taken);
	free(good);
	ck_assert(screeWorld_Destroy(w) == 0.0);
}
END_TEST

/* Each number in turn becomes none, such as that of parts, bodies or joints of which others go on to speak. */
START_TEST(no_number_can_be_left_out)
{
	FailingMemory f;
	FailingMemory_Init(&f, -1);
	ScreeWorld *w = MakeWorld(&f);
	const void *data;
	double size;
	Fill(w);
	ck_assert(screeWorld_Snapshot(w, "abc", 3, &data, &size) == SCREE_OK);
	uint8_t *good = Copy(data, size);
	for (size_t at = CHECKED_FROM; at + 4 <= (size_t)size; at++) {
		uint8_t *bytes = Copy(good, size);
		memset(bytes + at, 0, 4);
		Seal(bytes, (size_t)size);
		int32_t result = screeWorld_Restore(w, bytes, size, NULL, NULL);
		free(bytes);
		ck_assert_msg(result == SCREE_OK || result == SCREE_BAD_FILE, "at %zu: %d", at, result);
	}
	free(good);
	ck_assert(screeWorld_Destroy(w) == 0.0);
}
END_TEST

/* Whatever fails, the world is as it was, and all memory comes back. */
START_TEST(failed_allocations_change_nothing)
{
	FailingMemory f;
	FailingMemory_Init(&f, -1);
	ScreeWorld *w = MakeWorld(&f);
	const void *data, *script;
	double size, script_size;
	char first[17], second[17], now[17];
	Fill(w);
	ck_assert(screeWorld_Snapshot(w, "abc", 3, &data, &size) == SCREE_OK);
	uint8_t *kept = Copy(data, size);
	double kept_size = size;
	ck_assert(screeWorld_Hash(w, first) == SCREE_OK);
	ck_assert(screeTerrain_Set(w, 3, -1, 2, 8, 255, 0) == SCREE_OK);
	ck_assert(screeWorld_Step(w, 1.0 / 60.0, 5) == SCREE_OK);
	ck_assert(screeWorld_Hash(w, second) == SCREE_OK);
	int failures = 0;
	for (long n = 0;; n++) {
		f.left = n;
		int32_t result = screeWorld_Snapshot(w, "x", 1, &data, &size);
		f.left = -1;
		ck_assert(screeWorld_Hash(w, now) == SCREE_OK);
		ck_assert_str_eq(now, second);
		if (result == SCREE_OK)
			break;
		ck_assert_int_eq(result, SCREE_OUT_OF_MEMORY);
		failures++;
	}
	ck_assert_int_gt(failures, 3);
	uint8_t *later = Copy(data, size);
	double later_size = size;
	ck_assert(screeWorld_Step(w, 1.0 / 60.0, 1) == SCREE_OK);
	ck_assert(screeWorld_Hash(w, second) == SCREE_OK);
	for (long n = 0;; n++) {
		f.left = n;
		int32_t result = screeWorld_Restore(w, kept, kept_size, &script, &script_size);
		f.left = -1;
		ck_assert(screeWorld_Hash(w, now) == SCREE_OK);
		if (result == SCREE_OK)
			break;
		ck_assert_int_eq(result, SCREE_OUT_OF_MEMORY);
		ck_assert_msg(strcmp(now, second) == 0, "changed by failure %ld", n);
		failures++;
	}
	ck_assert_str_eq(now, first);
	ck_assert_int_eq((int)script_size, 3);
	ck_assert_int_eq(memcmp(script, "abc", 3), 0);
	ck_assert_int_gt(failures, 20);
	ck_assert(screeWorld_Restore(w, later, later_size, NULL, NULL) == SCREE_OK);
	free(kept);
	free(later);
	ck_assert(screeWorld_Destroy(w) == 0.0);
}
END_TEST

START_TEST(failed_allocations_while_loading)
{
	FailingMemory f;
	FailingMemory_Init(&f, -1);
	ScreeWorld *w = MakeWorld(&f);
	char path[] = "/tmp/scree_world_XXXXXX", hash[17], loaded[17], message[256];
	int file = mkstemp(path);
	ck_assert(file >= 0 && close(file) == 0);
	Fill(w);
	ck_assert(screeWorld_Save(w, path, 1, "abc", 3) == SCREE_OK);
	ck_assert(screeWorld_Hash(w, hash) == SCREE_OK);
	ck_assert(screeWorld_Destroy(w) == 0.0);
	int failures = 0;
	for (long n = 0;; n += 1 + n / 40) {
		f.left = n;
		w = NULL;
		int32_t result = screeWorld_Load(path, 0, FailingMemory_Resize, &f, &w, NULL, NULL, message, sizeof message);
		f.left = -1;
		if (result == SCREE_OK)
			break;
		ck_assert_int_eq(result, SCREE_OUT_OF_MEMORY);
		ck_assert_ptr_null(w);
		failures++;
	}
	ck_assert(screeWorld_Hash(w, loaded) == SCREE_OK);
	ck_assert_str_eq(hash, loaded);
	ck_assert_int_gt(failures, 20);
	ck_assert(screeWorld_Destroy(w) == 0.0);
	remove(path);
}
END_TEST

/* A world that another version of the format wrote says so. Its first block says how the world was made: after the
 * file's header of 24 bytes tag, size and checksum, and then the version. */
START_TEST(another_version_is_named)
{
	enum { TAG = 24, SIZE = 28, HASH = 32, VERSION = 40 };
	FailingMemory f;
	FailingMemory_Init(&f, -1);
	ScreeWorld *w = MakeWorld(&f);
	char path[] = "/tmp/scree_world_XXXXXX", message[256];
	uint8_t bytes[4096], checked[4096] = {0};
	int file = mkstemp(path);
	ck_assert(file >= 0 && close(file) == 0);
	ck_assert(screeWorld_Save(w, path, 1, NULL, 0) == SCREE_OK);
	ck_assert(screeWorld_Destroy(w) == 0.0);
	FILE *in = fopen(path, "rb");
	size_t size = fread(bytes, 1, sizeof bytes, in);
	fclose(in);
	uint32_t payload;
	memcpy(&payload, bytes + SIZE, 4);
	ck_assert(memcmp(bytes + TAG, "wdef", 4) == 0 && VERSION + payload < size);
	bytes[VERSION] = 99;
	memcpy(checked + 4, bytes + TAG, 8); /* after the block's number, 0 */
	memcpy(checked + 12, bytes + VERSION, payload);
	uint64_t hash = Hash_Bytes(checked, 12 + payload);
	memcpy(bytes + HASH, &hash, 8);
	FILE *out = fopen(path, "wb");
	ck_assert_uint_eq(fwrite(bytes, 1, size, out), size);
	fclose(out);
	ck_assert_int_eq(screeWorld_Load(path, 0, NULL, NULL, &w, NULL, NULL, message, sizeof message), SCREE_BAD_FILE);
	ck_assert_ptr_nonnull(strstr(message, "format version 99"));
	remove(path);
}
END_TEST

Suite *suite_snapshot(void)
{
	Suite *suite = suite_create("snapshot");
	TCase *tcase = tcase_create("snapshot");
	tcase_add_test(tcase, forged_bytes_do_no_harm);
	tcase_add_test(tcase, no_number_can_be_left_out);
	tcase_add_test(tcase, failed_allocations_change_nothing);
	tcase_add_test(tcase, failed_allocations_while_loading);
	tcase_add_test(tcase, another_version_is_named);
	suite_add_tcase(suite, tcase);
	return suite;
}
