/* Compression for files that Lua writes. */
#include "scree.h"

#include <zlib.h>

#define SIZE_LIMIT 9e15 /* whole numbers below are exact in a double */

double scree_deflate_bound(double size)
{
	return size >= 0 && size < SIZE_LIMIT ? (double)compressBound((uLong)size) : SCREE_BAD_ARGUMENT;
}

double scree_deflate(const void *data, double size, int32_t level, void *out, double capacity)
{
	if (!(size >= 0 && size < SIZE_LIMIT) || !(capacity >= 0 && capacity < SIZE_LIMIT) || level < 0 || level > 9)
		return SCREE_BAD_ARGUMENT;
	if (!out || (!data && size > 0))
		return SCREE_BAD_ARGUMENT;
	uLongf written = (uLongf)capacity;
	switch (compress2(out, &written, data, (uLong)size, level)) {
	case Z_OK:
		return (double)written;
	case Z_BUF_ERROR:
		return SCREE_LIMIT;
	default:
		return SCREE_OUT_OF_MEMORY;
	}
}
