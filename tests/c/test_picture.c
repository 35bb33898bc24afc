/* Pictures written as PNG files, read again by libspng. */
#include "base/base.h"
#include "scree.h"

#include <check.h>
#include <signal.h>
#include <spng.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

static char path[64];

static void Setup(void)
{
	snprintf(path, sizeof path, "/tmp/scree-test-png-%ld", (long)getpid());
}

static void Teardown(void)
{
	unlink(path);
}

static void AssertFileHolds(int width, int height, const uint8_t *rgb)
{
	Memory memory;
	void *data;
	size_t size, expected;
	struct spng_ihdr head;
	uint8_t intent;
	Memory_Init(&memory, NULL, NULL);
	ck_assert_int_eq(File_Read(&memory, path, 1 << 28, &data, &size, NULL), 0);
	spng_ctx *png = spng_ctx_new(0);
	ck_assert_int_eq(spng_set_png_buffer(png, data, size), 0);
	ck_assert_int_eq(spng_set_crc_action(png, SPNG_CRC_ERROR, SPNG_CRC_ERROR), 0);
	ck_assert_int_eq(spng_get_ihdr(png, &head), 0);
	ck_assert(head.width == (uint32_t)width && head.height == (uint32_t)height);
	ck_assert(head.bit_depth == 8 && head.color_type == SPNG_COLOR_TYPE_TRUECOLOR && head.interlace_method == 0);
	ck_assert_int_eq(spng_get_srgb(png, &intent), 0);
	ck_assert_int_eq(spng_decoded_image_size(png, SPNG_FMT_RAW, &expected), 0);
	ck_assert_uint_eq(expected, 3 * (size_t)width * (size_t)height);
	uint8_t *pixels = malloc(expected);
	ck_assert_int_eq(spng_decode_image(png, pixels, expected, SPNG_FMT_RAW, 0), 0);
	ck_assert_int_eq(spng_decode_chunks(png), 0);
	ck_assert_int_eq(memcmp(pixels, rgb, expected), 0);
	free(pixels);
	spng_ctx_free(png);
	Memory_Free(&memory, data, size);
	ck_assert_uint_eq(memory.bytes, 0);
}

START_TEST(test_pictures_come_back)
{
	static const int sizes[][2] = {{1, 1}, {1, 300}, {300, 1}, {17, 5}, {640, 360}};
	Random random = {0x91C7u};
	for (int s = 0; s < COUNT_OF(sizes); s++) {
		int width = sizes[s][0], height = sizes[s][1], count = 3 * width * height;
		uint8_t *rgb = malloc((size_t)count);
		for (int i = 0; i < count; i++) /* noise, and runs that compress */
			rgb[i] = (uint8_t)(i / 600 % 2 ? Random_U64(&random) : (uint64_t)i / 50);
		char error[100] = "";
		ck_assert_msg(scree_write_png(path, width, height, rgb, error, sizeof error) == SCREE_OK, "%s", error);
		AssertFileHolds(width, height, rgb);
		free(rgb);
	}
}
END_TEST

START_TEST(test_wrong_arguments_write_nothing)
{
	static const uint8_t rgb[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
	char error[100];
	ck_assert_int_eq(scree_write_png(path, 2, 2, rgb, error, sizeof error), SCREE_OK);
	ck_assert_int_eq(scree_write_png(NULL, 2, 2, rgb, error, sizeof error), SCREE_BAD_ARGUMENT);
	ck_assert_ptr_nonnull(strstr(error, "path"));
	ck_assert_int_eq(scree_write_png(path, 2, 2, NULL, error, sizeof error), SCREE_BAD_ARGUMENT);
	ck_assert_ptr_nonnull(strstr(error, "rgb"));
	ck_assert_int_eq(scree_write_png(path, 0, 2, rgb, error, sizeof error), SCREE_BAD_ARGUMENT);
	ck_assert_ptr_nonnull(strstr(error, "width"));
	ck_assert_int_eq(scree_write_png(path, 2, -1, rgb, error, sizeof error), SCREE_BAD_ARGUMENT);
	ck_assert_ptr_nonnull(strstr(error, "height"));
	ck_assert_int_eq(scree_write_png(path, 32769, 1, rgb, NULL, 0), SCREE_BAD_ARGUMENT);
	AssertFileHolds(2, 2, rgb);
	char nowhere[100];
	snprintf(nowhere, sizeof nowhere, "%s/none/shot.png", path);
	ck_assert_int_eq(scree_write_png(nowhere, 2, 2, rgb, error, sizeof error), SCREE_BAD_FILE);
	ck_assert_ptr_nonnull(strstr(error, "none/shot.png"));
	ck_assert_int_eq(scree_write_png(nowhere, 2, 2, rgb, NULL, 0), SCREE_BAD_FILE);
}
END_TEST

/* Files may grow to few bytes only: a write fails half way, as on a full disk. */
START_TEST(test_a_full_disk_keeps_the_old_file)
{
	enum { SIDE = 300 };
	static const uint8_t old[3] = {1, 2, 3};
	static uint8_t rgb[3 * SIDE * SIDE];
	char error[100] = "";
	struct rlimit limit;
	Random random = {7};
	for (int i = 0; i < COUNT_OF(rgb); i++)
		rgb[i] = (uint8_t)Random_U64(&random);
	ck_assert_int_eq(scree_write_png(path, 1, 1, old, error, sizeof error), SCREE_OK);
	signal(SIGXFSZ, SIG_IGN);
	ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &limit), 0);
	limit.rlim_cur = 100000;
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	ck_assert_int_eq(scree_write_png(path, SIDE, SIDE, rgb, error, sizeof error), SCREE_BAD_FILE);
	ck_assert_ptr_nonnull(strstr(error, path));
	AssertFileHolds(1, 1, old);
}
END_TEST

Suite *suite_picture(void)
{
	Suite *suite = suite_create("picture");
	TCase *tcase = tcase_create("png");
	tcase_add_checked_fixture(tcase, Setup, Teardown);
	tcase_add_test(tcase, test_pictures_come_back);
	tcase_add_test(tcase, test_wrong_arguments_write_nothing);
	tcase_add_test(tcase, test_a_full_disk_keeps_the_old_file);
	suite_add_tcase(suite, tcase);
	return suite;
}
