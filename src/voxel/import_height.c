/* Height samples from files: grey-scale PNG (through libspng), SRTM .hgt, raw 16-bit squares.
 *
 * Samples come out as doubles with NaN for a void, so that no sentinel can be taken for a height further up. */
#include "voxel/voxel.h"

#include <spng.h>

#define HEIGHT_SAMPLE_LIMIT (IMPORT_SIZE_LIMIT / sizeof(double))
#define HEIGHT_VOID (-32768) /* of signed samples; no unsigned one is that */

/* The image's memory, before any sample is read. */
static int HeightImage_Make(Memory *memory, size_t width, size_t depth, HeightImage *image, Error *error)
{
	if (depth > HEIGHT_SAMPLE_LIMIT / width)
		return Error_Set(error, ERROR_LIMIT, "height image: %zu x %zu samples are too many; at most %zu are read",
		                 width, depth, HEIGHT_SAMPLE_LIMIT);
	size_t bytes = width * depth * sizeof(double);
	double *samples = Memory_Alloc(memory, bytes);
	if (!samples)
		return Error_OutOfMemory(error);
	*image = (HeightImage){.width = (int)width, .depth = (int)depth, .samples = samples, .bytes = bytes};
	return ERROR_NONE;
}

static void HeightImage_Measure(HeightImage *image)
{
	size_t count = (size_t)image->width * (size_t)image->depth, known = 0;
	for (size_t i = 0; i < count; i++) {
		double v = image->samples[i];
		if (v != v)
			continue;
		image->min = known == 0 ? v : MinD(image->min, v);
		image->max = known == 0 ? v : MaxD(image->max, v);
		known++;
	}
	image->voids = (int64_t)(count - known);
}

void HeightImage_Free(Memory *memory, HeightImage *image)
{
	Memory_Free(memory, image->samples, image->bytes);
	memset(image, 0, sizeof *image);
}

static int TooLarge(const char *format, size_t size, Error *error)
{
	return Error_Set(error, ERROR_FILE, "%s: the file has %zu bytes; at most %zu are read", format, size,
	                 IMPORT_SIZE_LIMIT);
}

/* ---- 16-bit squares ---------------------------------------------------------------------------------------- */

/* The n with 2 n n == size, or 0. */
static size_t SquareSide(size_t size)
{
	size_t n = (size_t)sqrt((double)size * 0.5);
	for (size_t side = n > 0 ? n - 1 : 0; side <= n + 1; side++)
		if (side * side * 2 == size)
			return side;
	return 0;
}

static int ReadSquare(Memory *memory, const char *format, const uint8_t *data, size_t size, bool little_endian,
                      bool is_signed, HeightImage *image, Error *error)
{
	memset(image, 0, sizeof *image);
	if (size > IMPORT_SIZE_LIMIT)
		return TooLarge(format, size, error);
	size_t n = SquareSide(size);
	if (n < 2)
		return Error_Set(error, ERROR_FILE, "%s: %zu bytes are not a square of 16-bit samples (2 x n x n, n >= 2)",
		                 format, size);
	int code = HeightImage_Make(memory, n, n, image, error);
	if (code)
		return code;
	for (size_t i = 0; i < n * n; i++) {
		int low = data[2 * i + !little_endian], high = data[2 * i + little_endian];
		int value = high << 8 | low;
		if (is_signed && value >= 0x8000)
			value -= 0x10000;
		image->samples[i] = value == HEIGHT_VOID ? (double)NAN : (double)value;
	}
	image->full_scale = is_signed ? 0.0 : 65535.0;
	HeightImage_Measure(image);
	return ERROR_NONE;
}

int HeightImage_ReadHgt(Memory *memory, const void *data, size_t size, HeightImage *image, Error *error)
{
	return ReadSquare(memory, ".hgt", data, size, false, true, image, error);
}

int HeightImage_ReadRaw16(Memory *memory, const void *data, size_t size, bool little_endian, bool is_signed,
                          HeightImage *image, Error *error)
{
	return ReadSquare(memory, "raw 16-bit heights", data, size, little_endian, is_signed, image, error);
}

/* ---- PNG --------------------------------------------------------------------------------------------------- */

/* Deflate makes at most 1032 bytes of one, so an image larger than that cannot be in the file. */
#define DEFLATE_RATIO 1032
/* For the texts and profiles beside the pixels, which we do not use. */
#define PNG_CHUNK_LIMIT ((size_t)64 << 20)

typedef struct PngLayout {
	size_t width, depth, row_bytes;
	int bits;        /* of a sample: 1, 2, 4, 8, 16 */
	int channels;    /* 1 grey, 2 grey and alpha */
	int void_sample; /* the grey value that tRNS makes transparent, or -1 */
	double stretch;  /* to the range of full_scale; 1 for 8 and 16 bits */
	double full_scale;
} PngLayout;

static int PngFailed(int result, Error *error)
{
	if (result == SPNG_EMEM)
		return Error_OutOfMemory(error);
	return Error_Set(error, ERROR_FILE, "PNG: the file is damaged or not a PNG (%s)", spng_strerror(result));
}

static int PngRefuse(const char *what, Error *error)
{
	return Error_Set(error, ERROR_FILE, "PNG: this is %s image; heights need a grey-scale image (8 or 16 bits)", what);
}

static int Png_ReadLayout(spng_ctx *png, size_t size, PngLayout *layout, Error *error)
{
	struct spng_ihdr head;
	int result = spng_get_ihdr(png, &head);
	WRITTEN_ELSEWHERE(&head, sizeof head);
	if (result)
		return PngFailed(result, error);
	if (head.color_type == SPNG_COLOR_TYPE_INDEXED)
		return PngRefuse("a palette", error);
	if (head.color_type != SPNG_COLOR_TYPE_GRAYSCALE && head.color_type != SPNG_COLOR_TYPE_GRAYSCALE_ALPHA)
		return PngRefuse("a colour", error);
	*layout = (PngLayout){.width = head.width, .depth = head.height, .bits = head.bit_depth, .void_sample = -1};
	layout->channels = head.color_type == SPNG_COLOR_TYPE_GRAYSCALE_ALPHA ? 2 : 1;
	layout->full_scale = head.bit_depth == 16 ? 65535.0 : 255.0;
	layout->stretch = layout->full_scale / (double)((1 << head.bit_depth) - 1);
	layout->row_bytes = (layout->width * (size_t)(layout->bits * layout->channels) + 7) / 8;
	if (layout->row_bytes * layout->depth / DEFLATE_RATIO > size)
		return Error_Set(error, ERROR_FILE, "PNG: %zu bytes cannot hold %zu x %zu pixels; the file is cut or damaged",
		                 size, layout->width, layout->depth);
	struct spng_trns clear;
	result = spng_get_trns(png, &clear);
	WRITTEN_ELSEWHERE(&clear, sizeof clear);
	if (result && result != SPNG_ECHUNKAVAIL)
		return PngFailed(result, error);
	if (!result && layout->channels == 1)
		layout->void_sample = clear.gray;
	return ERROR_NONE;
}

/* The i-th number of a row as it stands in the file: big-endian, small ones packed from the high bits on. */
static int Row_At(const uint8_t *row, size_t i, int bits)
{
	if (bits == 16)
		return row[2 * i] << 8 | row[2 * i + 1];
	size_t bit = i * (size_t)bits;
	return row[bit / 8] >> (8 - bits - (int)(bit % 8)) & ((1 << bits) - 1);
}

static void Png_Convert(const PngLayout *layout, const uint8_t *pixels, double *samples)
{
	for (size_t k = 0; k < layout->depth; k++, pixels += layout->row_bytes, samples += layout->width)
		for (size_t i = 0; i < layout->width; i++) {
			int grey = Row_At(pixels, i * (size_t)layout->channels, layout->bits);
			bool clear = grey == layout->void_sample;
			if (layout->channels == 2)
				clear = Row_At(pixels, 2 * i + 1, layout->bits) == 0;
			samples[i] = clear ? (double)NAN : grey * layout->stretch;
		}
}

/* Decodes into a buffer of the file's own layout. */
static int Png_Decode(spng_ctx *png, Memory *memory, const PngLayout *layout, HeightImage *image, Error *error)
{
	size_t expected, bytes = layout->row_bytes * layout->depth;
	int result = spng_decoded_image_size(png, SPNG_FMT_RAW, &expected);
	WRITTEN_ELSEWHERE(&expected, sizeof expected);
	if (result || expected != bytes)
		return PngFailed(result ? result : SPNG_EINTERNAL, error);
	uint8_t *pixels = Memory_AllocZero(memory, bytes);
	if (!pixels)
		return Error_OutOfMemory(error);
	result = spng_decode_image(png, pixels, bytes, SPNG_FMT_RAW, 0);
	WRITTEN_ELSEWHERE(pixels, bytes);
	if (!result)
		result = spng_decode_chunks(png); /* to the end mark: a cut file does not have it */
	if (!result)
		Png_Convert(layout, pixels, image->samples);
	Memory_Free(memory, pixels, bytes);
	return result ? PngFailed(result, error) : ERROR_NONE;
}

static int Png_Read(spng_ctx *png, Memory *memory, const void *data, size_t size, HeightImage *image, Error *error)
{
	int result = spng_set_png_buffer(png, data, size);
	if (!result)
		result = spng_set_crc_action(png, SPNG_CRC_ERROR, SPNG_CRC_ERROR);
	if (!result)
		result = spng_set_chunk_limits(png, PNG_CHUNK_LIMIT, PNG_CHUNK_LIMIT);
	if (result)
		return PngFailed(result, error);
	PngLayout layout = {0};
	int code = Png_ReadLayout(png, size, &layout, error);
	if (!code)
		code = HeightImage_Make(memory, layout.width, layout.depth, image, error);
	if (code)
		return code;
	code = Png_Decode(png, memory, &layout, image, error);
	if (code) {
		HeightImage_Free(memory, image);
		return code;
	}
	image->full_scale = layout.full_scale;
	HeightImage_Measure(image);
	return ERROR_NONE;
}

/* The library's own working memory (some rows and zlib's window) comes from the C heap: its allocator hooks have no
 * place for a Memory. */
int HeightImage_ReadPng(Memory *memory, const void *data, size_t size, HeightImage *image, Error *error)
{
	memset(image, 0, sizeof *image);
	if (size > IMPORT_SIZE_LIMIT)
		return TooLarge("PNG", size, error);
	if (size == 0)
		return Error_Set(error, ERROR_FILE, "PNG: the file is empty");
	spng_ctx *png = spng_ctx_new(0);
	if (!png)
		return Error_OutOfMemory(error);
	int code = Png_Read(png, memory, data, size, image, error);
	spng_ctx_free(png);
	return code;
}
