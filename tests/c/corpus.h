/* Real files for tests: where they are, their bytes, and the facts known about them. A checkout without them is normal,
 * so a test that does not get its file says so and passes:
 *
 *   CorpusFile file = Corpus_Open("vox/menger.vox");
 *   if (!file.data)
 *       return;
 *   ... file.data, file.size ...
 *   Corpus_Close(&file);
 *
 * The folder is $SCREE_CORPUS, else ../shared/corpus beside the source tree $SCREE_SOURCE_ROOT (or the working
 * directory). Beside the files lies FACTS.jsonl, one line of JSON for each. */
#ifndef TESTS_CORPUS_H
#define TESTS_CORPUS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct CorpusFile {
	uint8_t *data; /* NULL: there is no such file here */
	size_t size;
} CorpusFile;

static inline CorpusFile Corpus_Open(const char *name)
{
	char path[1024];
	const char *folder = getenv("SCREE_CORPUS"), *root = getenv("SCREE_SOURCE_ROOT");
	if (folder && folder[0])
		snprintf(path, sizeof path, "%s/%s", folder, name);
	else
		snprintf(path, sizeof path, "%s/../shared/corpus/%s", root && root[0] ? root : ".", name);
	CorpusFile file = {NULL, 0};
	FILE *stream = fopen(path, "rb");
	if (!stream) {
		printf("note: %s is not here, its test is skipped\n", path);
		return file;
	}
	long size = fseek(stream, 0, SEEK_END) == 0 ? ftell(stream) : -1;
	if (size >= 0 && fseek(stream, 0, SEEK_SET) == 0) {
		/* One more byte, a zero, so that text can be searched as a string. */
		file.data = malloc((size_t)size + 1);
		file.size = (size_t)size;
		if (file.data && fread(file.data, 1, file.size, stream) == file.size) {
			file.data[file.size] = 0;
		} else {
			free(file.data);
			file = (CorpusFile){NULL, 0};
		}
	}
	fclose(stream);
	return file;
}

static inline void Corpus_Close(CorpusFile *file)
{
	free(file->data);
	*file = (CorpusFile){NULL, 0};
}

/* The line of FACTS.jsonl about one file, to be freed; NULL when there is none. */
static inline char *Corpus_Facts(const char *name)
{
	CorpusFile facts = Corpus_Open("FACTS.jsonl");
	char *line = NULL;
	if (facts.data) {
		char start[256];
		snprintf(start, sizeof start, "{\"file\": \"%s\",", name);
		char *at = strstr((char *)facts.data, start);
		if (at) {
			size_t length = strcspn(at, "\n");
			line = calloc(length + 1, 1);
			if (line)
				memcpy(line, at, length);
		}
	}
	Corpus_Close(&facts);
	return line;
}

/* What follows the first `"key": ` of a line, or NULL. Good enough for keys that are unique, or wanted where they come
 * first. */
static inline const char *Corpus_Value(const char *line, const char *key)
{
	char quoted[128];
	int length = snprintf(quoted, sizeof quoted, "\"%s\": ", key);
	const char *at = strstr(line, quoted);
	return at ? at + length : NULL;
}

static inline bool Corpus_Number(const char *line, const char *key, double *value)
{
	const char *at = Corpus_Value(line, key);
	if (at)
		*value = strtod(at, NULL);
	return at != NULL;
}

/* A list of three numbers. */
static inline bool Corpus_Triple(const char *line, const char *key, int value[3])
{
	const char *at = Corpus_Value(line, key);
	return at && sscanf(at, "[%d, %d, %d]", &value[0], &value[1], &value[2]) == 3;
}

/* A string without escapes, cut to size. */
static inline bool Corpus_String(const char *line, const char *key, char *value, size_t size)
{
	const char *at = Corpus_Value(line, key);
	if (!at || *at != '"')
		return false;
	snprintf(value, size, "%.*s", (int)strcspn(at + 1, "\""), at + 1);
	return true;
}

/* ---- SHA-256 (FIPS 180-4) ------------------------------------------------------------------------------------ */

/* The constants are the first 32 bits of the fractional parts of the cube roots of the first 64 primes (for `round`)
 * and of the square roots of the first 8 (the start): found here by integer roots, so that no table can be mistyped. */
static inline uint32_t Sha256_RootBits(uint32_t prime, int degree)
{
	/* The largest r with r^degree <= prime * 2^(32 degree), in 128-bit (or, for cubes, split) whole numbers. */
	unsigned __int128 bound = (unsigned __int128)prime << 64;
	uint64_t root = 0;
	for (int bit = 36; bit >= 0; bit--) {
		uint64_t r = root | (uint64_t)1 << bit;
		unsigned __int128 square = (unsigned __int128)r * r;
		bool fits = square <= bound;
		if (degree == 3) /* r^3 <= prime 2^96, that is floor(r^3 / 2^32) < prime 2^64, or equal with no rest */
			fits = fits && (square >> 32) * r + (((square & 0xffffffffu) * r) >> 32) < bound;
		if (fits)
			root = r;
	}
	return (uint32_t)root;
}

static inline uint32_t Sha256_Turn(uint32_t v, int n)
{
	return v >> n | v << (32 - n);
}

static inline void Sha256_Block(uint32_t h[8], const uint32_t k[64], const uint8_t *block)
{
	uint32_t w[64], v[8];
	for (int i = 0; i < 16; i++)
		w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 | (uint32_t)block[4 * i + 2] << 8 |
		       block[4 * i + 3];
	for (int i = 16; i < 64; i++) {
		uint32_t a = w[i - 15], b = w[i - 2];
		w[i] = w[i - 16] + (Sha256_Turn(a, 7) ^ Sha256_Turn(a, 18) ^ a >> 3) + w[i - 7] +
		       (Sha256_Turn(b, 17) ^ Sha256_Turn(b, 19) ^ b >> 10);
	}
	memcpy(v, h, sizeof v);
	for (int i = 0; i < 64; i++) {
		uint32_t e = Sha256_Turn(v[4], 6) ^ Sha256_Turn(v[4], 11) ^ Sha256_Turn(v[4], 25);
		uint32_t a = Sha256_Turn(v[0], 2) ^ Sha256_Turn(v[0], 13) ^ Sha256_Turn(v[0], 22);
		uint32_t t = v[7] + e + ((v[4] & v[5]) ^ (~v[4] & v[6])) + k[i] + w[i];
		uint32_t u = a + ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
		memmove(v + 1, v, 7 * sizeof *v);
		v[4] += t;
		v[0] = t + u;
	}
	for (int i = 0; i < 8; i++)
		h[i] += v[i];
}

/* Writes 64 hexadecimal digits and a zero. */
static inline void Sha256_Hex(const void *data, size_t size, char hex[65])
{
	uint32_t h[8], k[64], prime = 1;
	for (int i = 0; i < 64; i++) {
		bool is_prime = false;
		while (!is_prime) {
			prime++;
			is_prime = true;
			for (uint32_t d = 2; d * d <= prime && is_prime; d++)
				is_prime = prime % d != 0;
		}
		k[i] = Sha256_RootBits(prime, 3);
		if (i < 8)
			h[i] = Sha256_RootBits(prime, 2);
	}
	const uint8_t *bytes = data;
	size_t whole = size / 64 * 64;
	for (size_t i = 0; i < whole; i += 64)
		Sha256_Block(h, k, bytes + i);
	uint8_t tail[128] = {0};
	size_t rest = size - whole, length = rest < 56 ? 64 : 128;
	if (rest > 0)
		memcpy(tail, bytes + whole, rest);
	tail[rest] = 0x80;
	for (int i = 0; i < 8; i++)
		tail[length - 1 - (size_t)i] = (uint8_t)((uint64_t)size * 8 >> (8 * i));
	for (size_t i = 0; i < length; i += 64)
		Sha256_Block(h, k, tail + i);
	for (int i = 0; i < 8; i++)
		snprintf(hex + 8 * i, 9, "%08x", h[i]);
}

#endif
