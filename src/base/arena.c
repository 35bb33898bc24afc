/* Step arenas: blocks that double in size, one after another; a reset merges them into one, so that a step of the same
 * size as the one before allocates nothing. */
#include "base/base.h"

#include <string.h>

#define ARENA_FIRST ((size_t)64 * 1024)

#define ARENA_HEADER sizeof(ArenaBlock)

_Static_assert(ARENA_HEADER % 16 == 0, "what follows the header is aligned");

void Arena_Init(Arena *arena, Memory *memory)
{
	*arena = (Arena){.memory = memory};
}

static bool AddBlock(Arena *arena, size_t size)
{
	if (size > SIZE_MAX - ARENA_HEADER)
		return false;
	ArenaBlock *block = Memory_Alloc(arena->memory, ARENA_HEADER + size);
	if (!block)
		return false;
	*block = (ArenaBlock){.next = arena->block, .size = size};
	arena->block = block;
	return true;
}

/* Returns the room that the freed blocks had. */
static size_t FreeBlocks(Arena *arena)
{
	size_t total = 0;
	while (arena->block) {
		ArenaBlock *block = arena->block;
		arena->block = block->next;
		total += block->size;
		Memory_Free(arena->memory, block, ARENA_HEADER + block->size);
	}
	return total;
}

void *Arena_AllocSlow(Arena *arena, size_t size)
{
	if (size > SIZE_MAX / 4)
		return NULL;
	size = size == 0 ? ARENA_ALIGN : (size + ARENA_ALIGN - 1) & ~(ARENA_ALIGN - 1);
	ArenaBlock *block = arena->block;
	if (!block || block->size - block->used < size) {
		size_t room = block && block->size <= SIZE_MAX / 4 ? block->size * 2 : ARENA_FIRST;
		/* When memory is short, the exact size may still be had. */
		if (!AddBlock(arena, room > size ? room : size) && !AddBlock(arena, size))
			return NULL;
		block = arena->block;
	}
	void *result = (char *)block + ARENA_HEADER + block->used;
	block->used += size;
	arena->used += size;
#ifndef NDEBUG
	memset(result, 0xff, size); /* not a number: what is used before it is written shows */
#endif
	return result;
}

void Arena_Reset(Arena *arena)
{
	arena->used = 0;
	if (!arena->block)
		return;
	/* Should the merged block not be had, the arena is simply empty and grows again. */
	if (arena->block->next)
		(void)AddBlock(arena, FreeBlocks(arena));
	else
		arena->block->used = 0;
}

ArenaMark Arena_Mark(const Arena *arena)
{
	return (ArenaMark){arena->block, arena->block ? arena->block->used : 0, arena->used};
}

void Arena_Release(Arena *arena, ArenaMark mark)
{
	if (!mark.block || arena->block != mark.block)
		return;
	arena->block->used = mark.block_used;
	arena->used = mark.used;
}

void Arena_Destroy(Arena *arena)
{
	FreeBlocks(arena);
	arena->used = 0;
}
