/* Height files: real ones against known facts, PNGs of every grey layout written here, voids, and damaged bytes. */
#include "corpus.h"
#include "failing_memory.h"
#include "require.h"
#include "voxel/voxel.h"

#include <check.h>
#include <spng.h>

static Memory heap;

static void Setup(void)
{
	Memory_Init(&heap, NULL, NULL);
}

static bool IsVoid(double v)
{
	return v != v;
}

typedef enum Format { PNG, HGT, RAW_LITTLE, RAW_BIG, RAW_UNSIGNED } Format;

/* Reads from an exact copy of the bytes, so that the address sanitizer sees a read beyond them. */
static int Read(Memory *memory, Format format, const void *data, size_t size, HeightImage *image, Error *error)
{
	void *copy = malloc(size > 0 ? size : 1);
	REQUIRE(copy, "no memory for the test itself");
	if (size > 0)
		memcpy(copy, data, size);
	size_t before = memory->bytes;
	int code;
	*error = (Error){0};
	if (format == PNG)
		code = HeightImage_ReadPng(memory, copy, size, image, error);
	else if (format == HGT)
		code = HeightImage_ReadHgt(memory, copy, size, image, error);
	else
		code = HeightImage_ReadRaw16(memory, copy, size, format != RAW_BIG, format != RAW_UNSIGNED, image, error);
	free(copy);
	if (code) {
		REQUIRE(code < 0 && (int)error->code == code && strlen(error->text) > 10, "error %d: %s", code, error->text);
		REQUIRE(memory->bytes == before && !image->samples, "a failed read left something: %s", error->text);
	} else {
		REQUIRE(image->bytes == sizeof(double) * (size_t)image->width * (size_t)image->depth, "bytes");
		REQUIRE(memory->bytes - before == image->bytes, "%zu bytes", memory->bytes - before);
	}
	return code;
}

/* ---- real files -------------------------------------------------------------------------------------------- */

static int CompareInts(const void *a, const void *b)
{
	int32_t p = *(const int32_t *)a, q = *(const int32_t *)b;
	return (p > q) - (p < q);
}

static void CheckNumber(const char *name, const char *facts, const char *key, double got)
{
	double want;
	ck_assert_msg(Corpus_Number(facts, key, &want), "%s: no %s", name, key);
	ck_assert_msg(want == got, "%s: %s is %.17g instead of %.17g", name, key, got, want);
}

static void CompareWithFacts(const char *name, const char *facts, const HeightImage *image)
{
	int width = image->width, depth = image->depth;
	size_t count = (size_t)width * (size_t)depth, distinct = 0;
	const double *s = image->samples;
	CheckNumber(name, facts, "width", width);
	CheckNumber(name, facts, "height", depth);
	CheckNumber(name, facts, "min", image->min);
	CheckNumber(name, facts, "max", image->max);
	CheckNumber(name, facts, "first", s[0]);
	CheckNumber(name, facts, "row0_last", s[width - 1]);
	CheckNumber(name, facts, "last_row_first", s[count - (size_t)width]);
	CheckNumber(name, facts, "last", s[count - 1]);
	CheckNumber(name, facts, "centre", s[(size_t)(depth / 2) * (size_t)width + (size_t)(width / 2)]);
	int32_t *values = malloc(4 * count);
	uint8_t *bytes = malloc(4 * count);
	ck_assert(values && bytes);
	double sum = 0;
	for (size_t i = 0; i < count; i++) {
		values[i] = (int32_t)s[i];
		REQUIRE(values[i] == s[i], "%s: sample %zu is %g", name, i, s[i]);
		sum += s[i];
		for (int b = 0; b < 4; b++)
			bytes[4 * i + (size_t)b] = (uint8_t)((uint32_t)values[i] >> (8 * b));
	}
	CheckNumber(name, facts, "mean_without_voids", sum / (double)count);
	char want[65], got[65];
	ck_assert(Corpus_String(facts, "values_sha256_le_int32", want, sizeof want));
	Sha256_Hex(bytes, 4 * count, got);
	ck_assert_str_eq(want, got);
	qsort(values, count, 4, CompareInts);
	for (size_t i = 0; i < count; i++)
		distinct += i == 0 || values[i] != values[i - 1];
	CheckNumber(name, facts, "distinct_values", (double)distinct);
	ck_assert_int_eq(image->voids, 0);
	free(values);
	free(bytes);
}

START_TEST(ReadsRealFiles)
{
	static const struct {
		const char *name;
		Format format;
		double full_scale;
	} files[] = {{"height/panda_heightfield_1024.png", PNG, 65535},
	             {"height/S36E149_257.png", PNG, 65535},
	             {"height/N44W072.hgt", HGT, 0},
	             {"height/N53E027_513x513.r16", RAW_LITTLE, 0}};
	for (int i = 0; i < COUNT_OF(files); i++) {
		CorpusFile file = Corpus_Open(files[i].name);
		char *facts = Corpus_Facts(files[i].name);
		if (file.data && facts) {
			HeightImage image;
			Error error;
			int code = Read(&heap, files[i].format, file.data, file.size, &image, &error);
			ck_assert_msg(code == 0, "%s: %s", files[i].name, error.text);
			ck_assert_double_eq(image.full_scale, files[i].full_scale);
			CompareWithFacts(files[i].name, facts, &image);
			HeightImage_Free(&heap, &image);
		}
		free(facts);
		Corpus_Close(&file);
	}
	ck_assert_uint_eq(heap.bytes, 0);
}
END_TEST

/* Holes in a copy of a real tile, among them one at a border: the neighbours are as they were. */
START_TEST(KeepsVoidsApart)
{
	CorpusFile file = Corpus_Open("height/N53E027_513x513.r16");
	if (!file.data)
		return;
	static const size_t holes[] = {0, 7, 512, 513 * 100 + 50, 513 * 100 + 51, 513 * 300, 513 * 513 - 1};
	HeightImage whole, holed;
	Error error;
	ck_assert_int_eq(Read(&heap, RAW_LITTLE, file.data, file.size, &whole, &error), 0);
	for (int h = 0; h < COUNT_OF(holes); h++)
		memcpy(file.data + 2 * holes[h], (const uint8_t[]){0x00, 0x80}, 2);
	ck_assert_int_eq(Read(&heap, RAW_LITTLE, file.data, file.size, &holed, &error), 0);
	ck_assert_int_eq(holed.voids, COUNT_OF(holes));
	ck_assert_double_ge(holed.min, whole.min);
	for (size_t i = 0; i < 513 * 513; i++) {
		bool hole = false;
		for (int h = 0; h < COUNT_OF(holes); h++)
			hole = hole || holes[h] == i;
		REQUIRE(hole ? IsVoid(holed.samples[i]) : holed.samples[i] == whole.samples[i], "sample %zu", i);
	}
	HeightImage_Free(&heap, &whole);
	HeightImage_Free(&heap, &holed);
	Corpus_Close(&file);
}
END_TEST

/* ---- 16-bit squares ---------------------------------------------------------------------------------------- */

START_TEST(ReadsSquaresByTheirByteOrder)
{
	static const uint8_t bytes[8] = {0x00, 0x01, 0xff, 0xfe, 0x80, 0x00, 0x7f, 0xff};
	HeightImage image;
	Error error;
	ck_assert_int_eq(Read(&heap, HGT, bytes, 8, &image, &error), 0);
	ck_assert(image.width == 2 && image.depth == 2 && image.voids == 1 && image.full_scale == 0);
	ck_assert(image.samples[0] == 1 && image.samples[1] == -2 && IsVoid(image.samples[2]) && image.samples[3] == 32767);
	ck_assert(image.min == -2 && image.max == 32767);
	HeightImage_Free(&heap, &image);
	ck_assert_int_eq(Read(&heap, RAW_BIG, bytes, 8, &image, &error), 0);
	ck_assert(image.samples[0] == 1 && image.samples[1] == -2 && IsVoid(image.samples[2]) && image.samples[3] == 32767);
	HeightImage_Free(&heap, &image);
	ck_assert_int_eq(Read(&heap, RAW_LITTLE, bytes, 8, &image, &error), 0);
	ck_assert(image.samples[0] == 256 && image.samples[1] == -257 && image.samples[2] == 128 &&
	          image.samples[3] == -129);
	ck_assert(image.voids == 0 && image.min == -257 && image.max == 256);
	HeightImage_Free(&heap, &image);
	ck_assert_int_eq(Read(&heap, RAW_UNSIGNED, bytes, 8, &image, &error), 0);
	ck_assert(image.samples[1] == 65279 && image.samples[2] == 128 && image.full_scale == 65535);
	HeightImage_Free(&heap, &image);
	/* Unsigned samples have no void. */
	ck_assert_int_eq(Read(&heap, RAW_UNSIGNED, "\0\x80\0\x80\0\x80\0\x80", 8, &image, &error), 0);
	ck_assert(image.voids == 0 && image.min == 32768 && image.max == 32768);
	HeightImage_Free(&heap, &image);
	ck_assert_int_eq(Read(&heap, HGT, "\x80\0\x80\0\x80\0\x80\0", 8, &image, &error), 0);
	ck_assert(image.voids == 4 && image.min == 0 && image.max == 0);
	HeightImage_Free(&heap, &image);
}
END_TEST

START_TEST(RefusesWhatIsNoSquare)
{
	static uint8_t bytes[2 * 70 * 70];
	HeightImage image;
	Error error;
	for (size_t size = 0; size <= sizeof bytes; size++) {
		size_t n = 0;
		for (size_t side = 2; side <= 70; side++)
			n = 2 * side * side == size ? side : n;
		int code = Read(&heap, size % 2 ? RAW_LITTLE : HGT, bytes, size, &image, &error);
		REQUIRE(code == (n ? 0 : ERROR_FILE), "%zu bytes", size);
		REQUIRE(!n || image.width == (int)n, "%zu bytes", size);
		HeightImage_Free(&heap, &image);
	}
	ck_assert_int_eq(HeightImage_ReadHgt(&heap, bytes, IMPORT_SIZE_LIMIT + 1, &image, &error), ERROR_FILE);
	/* A square, but its samples would pass the limit: refused before a byte is read. */
	size_t side = 16384;
	uint64_t calls = heap.calls;
	ck_assert_int_eq(HeightImage_ReadHgt(&heap, bytes, 2 * side * side, &image, &error), ERROR_LIMIT);
	ck_assert_uint_eq(heap.calls, calls);
}
END_TEST

/* ---- PNG --------------------------------------------------------------------------------------------------- */

typedef struct Png {
	uint8_t *data;
	size_t size;
} Png;

/* pixels: rows in the file's own layout (16 bits big-endian). clear: grey value for tRNS, or -1. */
static Png MakePng(uint32_t width, uint32_t height, int type, int bits, bool interlaced, int clear, const void *pixels,
                   size_t size)
{
	Png png = {NULL, 0};
	spng_ctx *encoder = spng_ctx_new(SPNG_CTX_ENCODER);
	REQUIRE(encoder, "no encoder");
	struct spng_ihdr head = {.width = width, .height = height, .bit_depth = (uint8_t)bits, .color_type = (uint8_t)type};
	head.interlace_method = interlaced ? SPNG_INTERLACE_ADAM7 : SPNG_INTERLACE_NONE;
	int result = spng_set_option(encoder, SPNG_ENCODE_TO_BUFFER, 1) || spng_set_ihdr(encoder, &head);
	struct spng_plte palette = {.n_entries = 2, .entries = {{1, 2, 3, 0}, {200, 100, 50, 0}}};
	if (type == SPNG_COLOR_TYPE_INDEXED)
		result = result || spng_set_plte(encoder, &palette);
	struct spng_trns trns = {.gray = (uint16_t)clear};
	if (clear >= 0)
		result = result || spng_set_trns(encoder, &trns);
	result = result || spng_encode_image(encoder, pixels, size, SPNG_FMT_RAW, SPNG_ENCODE_FINALIZE);
	REQUIRE(result == 0, "encoding failed: %d bits, type %d", bits, type);
	png.data = spng_get_png_buffer(encoder, &png.size, &result);
	REQUIRE(png.data && result == 0, "encoding gave no buffer");
	WRITTEN_ELSEWHERE(png.data, png.size);
	spng_ctx_free(encoder);
	return png;
}

/* Random pixels of one layout, read back and compared sample by sample. */
static void RoundTrip(int bits, bool alpha, bool interlaced, bool keyed, uint64_t seed)
{
	enum { WIDTH = 37, HEIGHT = 21 };
	int channels = alpha ? 2 : 1, top = (1 << bits) - 1;
	size_t row = ((size_t)(WIDTH * bits * channels) + 7) / 8;
	uint8_t *pixels = calloc(row, HEIGHT);
	static double want[HEIGHT][WIDTH];
	REQUIRE(pixels, "no memory for the test itself");
	Random random = {seed};
	int clear = keyed ? Random_Below(&random, bits == 16 ? 4 : top + 1) : -1, voids = 0;
	for (size_t k = 0; k < HEIGHT; k++)
		for (size_t i = 0; i < WIDTH; i++) {
			int grey = Random_Below(&random, top + 1), opacity = Random_Below(&random, 3) * (top / 2);
			if (bits == 16 && Random_Below(&random, 3) == 0)
				grey = Random_Below(&random, 4); /* so that the key is hit */
			want[k][i] = grey * (bits == 16 ? 1.0 : 255.0 / top);
			if (grey == clear || (alpha && opacity == 0)) {
				want[k][i] = NAN;
				voids++;
			}
			int numbers[2] = {grey, opacity};
			for (int c = 0; c < channels; c++) {
				size_t bit = (i * (size_t)channels + (size_t)c) * (size_t)bits;
				uint8_t *at = pixels + k * row + bit / 8;
				if (bits == 16) {
					at[0] = (uint8_t)(numbers[c] >> 8);
					at[1] = (uint8_t)numbers[c];
				} else {
					at[0] |= (uint8_t)(numbers[c] << (8 - bits - (int)(bit % 8)));
				}
			}
		}
	int type = alpha ? SPNG_COLOR_TYPE_GRAYSCALE_ALPHA : SPNG_COLOR_TYPE_GRAYSCALE;
	Png png = MakePng(WIDTH, HEIGHT, type, bits, interlaced, clear, pixels, row * HEIGHT);
	HeightImage image;
	Error error;
	int code = Read(&heap, PNG, png.data, png.size, &image, &error);
	REQUIRE(code == 0, "seed %llu: %s", (unsigned long long)seed, error.text);
	REQUIRE(image.width == WIDTH && image.depth == HEIGHT && image.voids == voids, "seed %llu: %lld voids, not %d",
	        (unsigned long long)seed, (long long)image.voids, voids);
	REQUIRE(image.full_scale == (bits == 16 ? 65535 : 255), "full scale %g", image.full_scale);
	for (int i = 0; i < WIDTH * HEIGHT; i++) {
		double w = want[i / WIDTH][i % WIDTH], got = image.samples[i];
		REQUIRE(IsVoid(w) ? IsVoid(got) : w == got && got >= image.min && got <= image.max,
		        "seed %llu, %d bits: sample %d is %g instead of %g", (unsigned long long)seed, bits, i, got, w);
	}
	HeightImage_Free(&heap, &image);
	free(png.data);
	free(pixels);
}

START_TEST(ReadsEveryGreyPng)
{
	for (uint64_t seed = 1; seed <= 5; seed++)
		for (int interlaced = 0; interlaced < 2; interlaced++) {
			for (int bits = 1; bits <= 16; bits *= 2)
				for (int keyed = 0; keyed < 2; keyed++)
					RoundTrip(bits, false, interlaced, keyed, seed);
			RoundTrip(8, true, interlaced, false, seed);
			RoundTrip(16, true, interlaced, false, seed);
		}
	ck_assert_uint_eq(heap.bytes, 0);
}
END_TEST

START_TEST(RefusesColourAndPalettePngs)
{
	static const struct {
		int type, bits, bytes;
		const char *word;
	} refused[] = {{SPNG_COLOR_TYPE_TRUECOLOR, 8, 3, "colour"},
	               {SPNG_COLOR_TYPE_TRUECOLOR, 16, 6, "colour"},
	               {SPNG_COLOR_TYPE_TRUECOLOR_ALPHA, 8, 4, "colour"},
	               {SPNG_COLOR_TYPE_TRUECOLOR_ALPHA, 16, 8, "colour"},
	               {SPNG_COLOR_TYPE_INDEXED, 8, 1, "palette"}};
	static const uint8_t pixels[8 * 6];
	for (int i = 0; i < COUNT_OF(refused); i++) {
		HeightImage image;
		Error error;
		Png png = MakePng(3, 2, refused[i].type, refused[i].bits, false, -1, pixels, 6 * (size_t)refused[i].bytes);
		ck_assert_int_eq(Read(&heap, PNG, png.data, png.size, &image, &error), ERROR_FILE);
		ck_assert_ptr_nonnull(strstr(error.text, refused[i].word));
		ck_assert_ptr_nonnull(strstr(error.text, "grey"));
		free(png.data);
	}
}
END_TEST

START_TEST(RefusesWhatIsNoPng)
{
	HeightImage image;
	Error error;
	ck_assert_int_eq(Read(&heap, PNG, "", 0, &image, &error), ERROR_FILE);
	ck_assert_int_eq(Read(&heap, PNG, "\x89PNG\r\n\x1a\n", 8, &image, &error), ERROR_FILE);
	ck_assert_int_eq(Read(&heap, PNG, "GIF89a, and then some more", 26, &image, &error), ERROR_FILE);
	ck_assert_int_eq(HeightImage_ReadPng(&heap, "", IMPORT_SIZE_LIMIT + 1, &image, &error), ERROR_FILE);
}
END_TEST

/* ---- damage ------------------------------------------------------------------------------------------------ */

/* PNG's checksum of a chunk (CRC-32, ISO 3309), bit by bit. */
static uint32_t Crc(const uint8_t *data, size_t size)
{
	uint32_t crc = UINT32_MAX;
	for (size_t i = 0; i < size; i++) {
		crc ^= data[i];
		for (int b = 0; b < 8; b++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
	}
	return ~crc;
}

static uint32_t Big32(const uint8_t *at)
{
	return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static void PutBig32(uint8_t *at, uint32_t v)
{
	for (int i = 0; i < 4; i++)
		at[i] = (uint8_t)(v >> (24 - 8 * i));
}

/* Makes the checksums right again, as far as the chunks' lengths lead. */
static void MendChecksums(uint8_t *data, size_t size)
{
	size_t at = 8;
	while (at + 12 <= size && Big32(data + at) <= size - at - 12) {
		uint32_t length = Big32(data + at);
		PutBig32(data + at + 8 + length, Crc(data + at + 4, length + 4));
		at += 12 + length;
	}
}

/* A small image with smooth and rough parts. */
static Png SamplePng(bool interlaced)
{
	static uint8_t pixels[2 * 16 * 12];
	Random random = {3};
	for (int i = 0; i < COUNT_OF(pixels); i++)
		pixels[i] = (uint8_t)(i % 32 < 20 ? i : Random_Below(&random, 256));
	return MakePng(16, 12, SPNG_COLOR_TYPE_GRAYSCALE, 16, interlaced, 700, pixels, sizeof pixels);
}

/* The last four bytes are the end mark's checksum; whether it is looked at is the library's business. */
START_TEST(BearsPngsCutAnywhere)
{
	for (int interlaced = 0; interlaced < 2; interlaced++) {
		Png png = SamplePng(interlaced);
		HeightImage image;
		Error error;
		for (size_t size = 0; size <= png.size - 5; size++)
			REQUIRE(Read(&heap, PNG, png.data, size, &image, &error) == ERROR_FILE, "cut after %zu bytes", size);
		ck_assert_int_eq(Read(&heap, PNG, png.data, png.size, &image, &error), 0);
		HeightImage_Free(&heap, &image);
		free(png.data);
	}
}
END_TEST

START_TEST(BearsFlippedBits)
{
	int read = 0, refused = 0;
	for (int round = 0; round < 6000; round++) {
		Random random = {(uint64_t)round};
		Png png = SamplePng(round & 1);
		HeightImage image;
		Error error;
		for (int flips = 1 + Random_Below(&random, 3); flips > 0; flips--) {
			int at = Random_Below(&random, (int)png.size);
			png.data[at] ^= (uint8_t)(1 << Random_Below(&random, 8));
		}
		if (round % 8 != 0)
			MendChecksums(png.data, png.size);
		if (Read(&heap, PNG, png.data, png.size, &image, &error) == 0)
			read++;
		else
			refused++;
		HeightImage_Free(&heap, &image);
		free(png.data);
		REQUIRE(heap.bytes == 0, "round %d leaks", round);
	}
	ck_assert_int_gt(read, 50);
	ck_assert_int_gt(refused, 1000);
}
END_TEST

/* A head that announces more than the file can hold must cost nothing. */
START_TEST(RefusesHugePngsAtOnce)
{
	static const struct {
		uint32_t width, height;
		int code;
	} huge[] = {{INT32_MAX, INT32_MAX, ERROR_FILE}, {65535, 65535, ERROR_FILE}, {1, INT32_MAX, ERROR_FILE},
	            {INT32_MAX, 1, ERROR_FILE},         {0, 5, ERROR_FILE},         {5, 0, ERROR_FILE},
	            {UINT32_MAX, 2, ERROR_FILE}};
	for (int i = 0; i < COUNT_OF(huge); i++) {
		Png png = SamplePng(false);
		HeightImage image;
		Error error;
		PutBig32(png.data + 16, huge[i].width);
		PutBig32(png.data + 20, huge[i].height);
		MendChecksums(png.data, png.size);
		uint64_t calls = heap.calls;
		ck_assert_msg(Read(&heap, PNG, png.data, png.size, &image, &error) == huge[i].code, "%u x %u: %s",
		              huge[i].width, huge[i].height, error.text);
		ck_assert_uint_eq(heap.calls, calls);
		free(png.data);
	}
}
END_TEST

START_TEST(BearsFailingAllocations)
{
	Png png = SamplePng(true);
	for (int format = PNG; format <= HGT; format++) {
		int code = ERROR_MEMORY, n = 0;
		for (; code != ERROR_NONE; n++) {
			FailingMemory f;
			FailingMemory_Init(&f, n);
			HeightImage image;
			Error error;
			code = Read(&f.memory, (Format)format, format == PNG ? png.data : (const uint8_t *)"\1\2\3\4\5\6\7\10",
			            format == PNG ? png.size : 8, &image, &error);
			ck_assert_msg(code == (f.failed ? ERROR_MEMORY : ERROR_NONE), "allocation %d: %s", n, error.text);
			HeightImage_Free(&f.memory, &image);
			ck_assert_uint_eq(f.memory.bytes, 0);
		}
		ck_assert_int_eq(n, format == PNG ? 3 : 2);
	}
	free(png.data);
}
END_TEST

Suite *suite_import_height(void);

Suite *suite_import_height(void)
{
	Suite *suite = suite_create("import_height");
	TCase *tcase = tcase_create("read");
	tcase_add_checked_fixture(tcase, Setup, NULL);
	tcase_set_timeout(tcase, 120);
	tcase_add_test(tcase, ReadsRealFiles);
	tcase_add_test(tcase, KeepsVoidsApart);
	tcase_add_test(tcase, ReadsSquaresByTheirByteOrder);
	tcase_add_test(tcase, RefusesWhatIsNoSquare);
	tcase_add_test(tcase, ReadsEveryGreyPng);
	tcase_add_test(tcase, RefusesColourAndPalettePngs);
	tcase_add_test(tcase, RefusesWhatIsNoPng);
	tcase_add_test(tcase, BearsPngsCutAnywhere);
	tcase_add_test(tcase, BearsFlippedBits);
	tcase_add_test(tcase, RefusesHugePngsAtOnce);
	tcase_add_test(tcase, BearsFailingAllocations);
	suite_add_tcase(suite, tcase);
	return suite;
}
