/* The counted heap and the growing arrays on it. */
#include "base/base.h"

#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>

/* malloc's blocks are aligned for every standard type, which is 16 bytes on the 64-bit machines we run on. */
static void *HeapResize(void *user, void *block, size_t old_size, size_t new_size)
{
	(void)user;
	(void)old_size;
	if (new_size == 0) {
		free(block);
		return NULL;
	}
	return realloc(block, new_size);
}

void Memory_Init(Memory *memory, MemoryResizeFn *resize, void *user)
{
	memory->resize = resize ? resize : HeapResize;
	memory->user = user;
	atomic_init(&memory->bytes, 0);
	atomic_init(&memory->blocks, 0);
	atomic_init(&memory->calls, 0);
}

void *Memory_Alloc(Memory *memory, size_t size)
{
	return Memory_Resize(memory, NULL, 0, size);
}

void *Memory_AllocZero(Memory *memory, size_t size)
{
	void *block = Memory_Alloc(memory, size);
	if (block)
		memset(block, 0, size);
	return block;
}

/* The counters need no ordering: they are statistics, read when nothing else runs. */
void *Memory_Resize(Memory *memory, void *block, size_t old_size, size_t new_size)
{
	SCREE_ASSERT((block == NULL) == (old_size == 0));
	if (new_size == 0) {
		Memory_Free(memory, block, old_size);
		return NULL;
	}
	if (new_size > old_size)
		atomic_fetch_add_explicit(&memory->calls, 1, memory_order_relaxed);
	void *moved = memory->resize(memory->user, block, old_size, new_size);
	if (!moved)
		return NULL;
	SCREE_ASSERT((uintptr_t)moved % 16 == 0);
	/* Unsigned wrap-around makes this right for shrinking too. */
	atomic_fetch_add_explicit(&memory->bytes, new_size - old_size, memory_order_relaxed);
	if (!block)
		atomic_fetch_add_explicit(&memory->blocks, 1, memory_order_relaxed);
	return moved;
}

void Memory_Free(Memory *memory, void *block, size_t size)
{
	if (!block)
		return;
	memory->resize(memory->user, block, size, 0);
	SCREE_ASSERT(atomic_load_explicit(&memory->bytes, memory_order_relaxed) >= size);
	atomic_fetch_sub_explicit(&memory->bytes, size, memory_order_relaxed);
	atomic_fetch_sub_explicit(&memory->blocks, 1, memory_order_relaxed);
}

bool Array_GrowRaw(Memory *memory, void *data_field, int *capacity, int want, size_t element_size)
{
	if (want <= *capacity)
		return true;
	int grown = *capacity > INT_MAX - *capacity / 2 ? INT_MAX : *capacity + *capacity / 2;
	grown = Int_Max(Int_Max(grown, want), 8);
	if ((size_t)grown > SIZE_MAX / element_size)
		return false;
	void *data;
	memcpy(&data, data_field, sizeof data);
	data = Memory_Resize(memory, data, (size_t)*capacity * element_size, (size_t)grown * element_size);
	if (!data)
		return false;
	memcpy(data_field, &data, sizeof data);
	*capacity = grown;
	return true;
}
