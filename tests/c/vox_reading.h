/* What the tests of the .vox reader share: reading written bytes, with checks of what must hold of every result. */
#ifndef TESTS_VOX_READING_H
#define TESTS_VOX_READING_H

#include "require.h"
#include "vox_writer.h"
#include "voxel/voxel.h"

/* Of the test at hand: Setup, as a checked fixture, makes it. */
static Memory heap;

static inline void Setup(void)
{
	Memory_Init(&heap, NULL, NULL);
}

/* Reads from an exact copy of the bytes, so that the address sanitizer sees a read beyond them; checks what must hold
 * of every result, and that an error gives a text and an empty model. */
static inline int ReadBytes(const void *data, size_t size, bool with_hidden, VoxModel *model, Error *error)
{
	void *copy = malloc(size > 0 ? size : 1);
	REQUIRE(copy, "no memory for the test itself");
	if (size > 0)
		memcpy(copy, data, size);
	size_t before = heap.bytes;
	*error = (Error){0};
	int code = VoxModel_Read(&heap, copy, size, with_hidden, model, error);
	free(copy);
	if (code) {
		REQUIRE(code < 0 && (int)error->code == code && strlen(error->text) > 10, "error %d: %s", code, error->text);
		REQUIRE(heap.bytes == before && !model->cells, "a failed read left something: %s", error->text);
		return code;
	}
	REQUIRE(heap.bytes - before == (size_t)model->capacity * sizeof(VoxCell), "%zu bytes", heap.bytes - before);
	VoxCell lo = {INT32_MAX, INT32_MAX, INT32_MAX, 0}, hi = {INT32_MIN, INT32_MIN, INT32_MIN, 0};
	for (int64_t i = 0; i < model->count; i++) {
		const VoxCell *c = &model->cells[i], *p = c - 1;
		lo = (VoxCell){Int_Min(lo.x, c->x), Int_Min(lo.y, c->y), Int_Min(lo.z, c->z), 0};
		hi = (VoxCell){Int_Max(hi.x, c->x), Int_Max(hi.y, c->y), Int_Max(hi.z, c->z), 0};
		bool sorted = i == 0 || p->z < c->z || (p->z == c->z && (p->y < c->y || (p->y == c->y && p->x < c->x)));
		REQUIRE(c->color != 0 && sorted, "cell %lld", (long long)i);
	}
	bool tight = lo.x == model->lo.x && lo.y == model->lo.y && lo.z == model->lo.z && hi.x == model->hi.x &&
	             hi.y == model->hi.y && hi.z == model->hi.z;
	REQUIRE(tight || model->count == 0, "the bounds are not those of the cells");
	return code;
}

static inline int ReadWriter(VoxWriter *w, bool with_hidden, VoxModel *model, Error *error)
{
	Write_End(w);
	int code = ReadBytes(w->data, w->size, with_hidden, model, error);
	Write_Free(w);
	return code;
}

/* The file must be refused with this code and a text that has `word` in it. */
static inline void ExpectRefusal(VoxWriter *w, ErrorCode code, const char *word)
{
	VoxModel model;
	Error error;
	int got = ReadWriter(w, false, &model, &error);
	ck_assert_msg(got == (int)code, "code %d instead of %d: %s", got, code, error.text);
	ck_assert_msg(strstr(error.text, word) != NULL, "no \"%s\" in \"%s\"", word, error.text);
}

static inline int ColorAt(const VoxModel *model, int x, int y, int z)
{
	for (int64_t i = 0; i < model->count; i++)
		if (model->cells[i].x == x && model->cells[i].y == y && model->cells[i].z == z)
			return model->cells[i].color;
	return 0;
}

#endif
