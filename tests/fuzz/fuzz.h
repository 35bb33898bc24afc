/* What the fuzz targets share: the interface that libFuzzer and AFL++ call, a memory with a ceiling, and a reader that
 * makes choices and numbers out of the bytes it is given.
 *
 * A target is one C file with FuzzOne. fuzzer.c calls it for libFuzzer (-Dfuzz=true, clang); standalone.c for the tests
 * and wherever there is no libFuzzer. Whatever the bytes are, FuzzOne must not crash, leak, or find a promise broken.
 */
#ifndef TESTS_FUZZ_H
#define TESTS_FUZZ_H

#include "base/base.h"

#include <stdio.h>
#include <stdlib.h>

void FuzzOne(const uint8_t *data, size_t size);

/* An assertion that is always on. */
#define REQUIRE(condition)                                                                                             \
	do {                                                                                                               \
		if (!(condition)) {                                                                                            \
			fprintf(stderr, "%s:%d: broken: %s\n", __FILE__, __LINE__, #condition);                                    \
			abort();                                                                                                   \
		}                                                                                                              \
	} while (0)

/* ---- memory with a ceiling ----------------------------------------------------------------------------------- */

/* More than `left` bytes in all are refused, so that a file which claims to be huge shows how that is taken. */
typedef struct FuzzMemory {
	_Atomic size_t left; /* two threads may ask */
} FuzzMemory;

static inline void *FuzzMemory_Resize(void *user, void *block, size_t old_size, size_t new_size)
{
	FuzzMemory *memory = user;
	if (new_size == 0) {
		memory->left += old_size;
		free(block);
		return NULL;
	}
	if (new_size > old_size && new_size - old_size > memory->left)
		return NULL;
	void *grown = realloc(block, new_size);
	if (grown)
		memory->left += old_size - new_size;
	return grown;
}

/* ---- bytes as choices ---------------------------------------------------------------------------------------- */

typedef struct Input {
	const uint8_t *data;
	size_t size, at;
} Input;

static inline uint8_t Input_Byte(Input *in)
{
	return in->at < in->size ? in->data[in->at++] : 0;
}

static inline int Input_Below(Input *in, int n)
{
	return Input_Byte(in) % n;
}

/* Mostly usable numbers of a scene's size, and now and then one that is not. */
static inline double Input_Number(Input *in)
{
	static const double odd[] = {0.0, -0.0, 1e-300, 1e300, -1e300, 1e9, -1e9, 1e7, 2147483648.0, 0.5};
	uint8_t kind = Input_Byte(in);
	if (kind < 12) {
		uint64_t bits = 0; /* anything at all, NaN and infinity too */
		for (int i = 0; i < 8; i++)
			bits = bits << 8 | Input_Byte(in);
		double value;
		memcpy(&value, &bits, sizeof value);
		return value;
	}
	if (kind < 24)
		return odd[kind % COUNT_OF(odd)];
	return ((double)Input_Byte(in) - 128.0) * (kind % 4 == 0 ? 1.0 : 0.0625);
}

static inline void Input_Numbers(Input *in, double *out, int n)
{
	for (int i = 0; i < n; i++)
		out[i] = Input_Number(in);
}

#endif
