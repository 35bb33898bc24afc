/* An allocator for tests that fails on command, in any thread.
 *
 *   FailingMemory f;
 *   FailingMemory_Init(&f, 3);            // the 4th allocation or growth fails, and every later one too
 *   ... use &f.memory ...
 *   f.failed                              // did a call fail?
 *   f.memory.bytes                        // live bytes: 0 once all was given back
 */
#ifndef TESTS_FAILING_MEMORY_H
#define TESTS_FAILING_MEMORY_H

#include "base/base.h"

#include <stdatomic.h>
#include <stdlib.h>

typedef struct FailingMemory {
	Memory memory;
	_Atomic long left; /* calls that still succeed; negative: never fail */
	_Atomic bool failed;
} FailingMemory;

static inline void *FailingMemory_Resize(void *user, void *block, size_t old_size, size_t new_size)
{
	FailingMemory *f = user;
	(void)old_size;
	if (new_size == 0) {
		free(block);
		return NULL;
	}
	long left = f->left;
	while (left > 0 && !atomic_compare_exchange_weak(&f->left, &left, left - 1))
		;
	if (left == 0) {
		f->failed = true;
		return NULL;
	}
	return realloc(block, new_size);
}

static inline void FailingMemory_Init(FailingMemory *f, long allowed)
{
	f->left = allowed;
	f->failed = false;
	Memory_Init(&f->memory, FailingMemory_Resize, f);
}

#endif
