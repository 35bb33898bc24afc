/* Pictures into PNG files, through libspng. */
#include "api/api_internal.h"

#include <spng.h>

#define PICTURE_SIDE 32768

static int Png_Piece(spng_ctx *png, void *user, void *data, size_t size)
{
	(void)png;
	FileWriter_Bytes(user, data, size); /* keeps its own failure until it is closed */
	return 0;
}

/* 0, or what libspng says. */
static int Png_Encode(spng_ctx *png, FileWriter *writer, uint32_t width, uint32_t height, const uint8_t *rgb)
{
	struct spng_ihdr head = {.width = width, .height = height, .bit_depth = 8, .color_type = SPNG_COLOR_TYPE_TRUECOLOR};
	int result = spng_set_png_stream(png, Png_Piece, writer);
	if (result == 0)
		result = spng_set_ihdr(png, &head);
	if (result == 0)
		result = spng_set_srgb(png, 0);
	if (result == 0)
		result = spng_set_option(png, SPNG_IMG_COMPRESSION_LEVEL, 9);
	size_t size = 3 * (size_t)width * height;
	return result ? result : spng_encode_image(png, rgb, size, SPNG_FMT_PNG, SPNG_ENCODE_FINALIZE);
}

static int Png_Write(const char *path, uint32_t width, uint32_t height, const uint8_t *rgb, Error *error)
{
	Memory memory;
	FileWriter writer;
	Memory_Init(&memory, NULL, NULL);
	spng_ctx *png = spng_ctx_new(SPNG_CTX_ENCODER);
	if (!png)
		return Error_OutOfMemory(error);
	int code = FileWriter_Open(&writer, &memory, path, error);
	if (code == ERROR_NONE) {
		int result = Png_Encode(png, &writer, width, height, rgb);
		if (result == 0) {
			code = FileWriter_Close(&writer, error);
		} else {
			FileWriter_Drop(&writer);
			code = result == SPNG_EMEM ? Error_OutOfMemory(error)
			                           : Error_Set(error, ERROR_FILE, "%s: %s", path, spng_strerror(result));
		}
	}
	spng_ctx_free(png);
	return code;
}

int32_t scree_write_png(const char *path, int32_t width, int32_t height, const uint8_t *rgb, char *error,
                        int32_t error_size)
{
	ScreeWorld checker = {0};
	if (!path)
		Api_Fail(&checker, ERROR_ARGUMENT, "path must be given");
	else if (!rgb)
		Api_Fail(&checker, ERROR_ARGUMENT, "rgb must be given");
	else if (Check_Number(&checker, "width", width, 1, PICTURE_SIDE) &&
	         Check_Number(&checker, "height", height, 1, PICTURE_SIDE))
		Png_Write(path, (uint32_t)width, (uint32_t)height, rgb, &checker.error);
	return Api_Report(error, error_size, &checker.error);
}
