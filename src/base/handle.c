/* Ids that stay wrong once they are wrong: slot index and generation in one exact double. */
#include "base/base.h"

#define INDEX_COUNT (1 << ID_INDEX_BITS)
#define GENERATION_LIMIT (1u << 29) /* 29 + 24 bits: below 2^53 */

static Id MakeId(uint32_t generation, int index)
{
	return (double)generation * (double)INDEX_COUNT + (double)index;
}

static bool AddSlot(IdPool *pool, Memory *memory)
{
	int count = pool->generation.count;
	if (count >= INDEX_COUNT)
		return false;
	/* Room for the return of every slot, so that IdPool_Return cannot fail. */
	if (!Array_Reserve(memory, pool->generation, count + 1) || !Array_Reserve(memory, pool->alive, count + 1) ||
	    !Array_Reserve(memory, pool->unused, count + 1))
		return false;
	pool->generation.data[pool->generation.count++] = 1;
	pool->alive.data[pool->alive.count++] = 0;
	pool->unused.data[pool->unused.count++] = count;
	return true;
}

bool IdPool_Reserve(IdPool *pool, Memory *memory, int count)
{
	int want = pool->generation.count + Int_Max(count - pool->unused.count, 0);
	return want <= INDEX_COUNT && Array_Reserve(memory, pool->generation, want) &&
	       Array_Reserve(memory, pool->alive, want) && Array_Reserve(memory, pool->unused, want);
}

Id IdPool_Take(IdPool *pool, Memory *memory, int *index)
{
	if (pool->unused.count == 0 && !AddSlot(pool, memory))
		return ID_NONE;
	int slot = pool->unused.data[--pool->unused.count];
	pool->alive.data[slot] = 1;
	pool->live++;
	*index = slot;
	return MakeId(pool->generation.data[slot], slot);
}

int IdPool_Find(const IdPool *pool, Id id)
{
	/* Written so that NaN fails too. */
	if (!(id >= (double)INDEX_COUNT && id < 9007199254740992.0))
		return -1;
	uint64_t whole = (uint64_t)id;
	if ((double)whole != id)
		return -1;
	int index = (int)(whole & (INDEX_COUNT - 1));
	if (index >= pool->generation.count || !pool->alive.data[index] ||
	    pool->generation.data[index] != whole >> ID_INDEX_BITS)
		return -1;
	return index;
}

Id IdPool_IdAt(const IdPool *pool, int index)
{
	if (index < 0 || index >= pool->generation.count || !pool->alive.data[index])
		return ID_NONE;
	return MakeId(pool->generation.data[index], index);
}

void IdPool_Undo(IdPool *pool, int index)
{
	SCREE_ASSERT(index >= 0 && index < pool->generation.count && pool->alive.data[index]);
	pool->alive.data[index] = 0;
	pool->live--;
	pool->unused.data[pool->unused.count++] = index;
}

void IdPool_Return(IdPool *pool, int index)
{
	SCREE_ASSERT(index >= 0 && index < pool->generation.count && pool->alive.data[index]);
	pool->alive.data[index] = 0;
	pool->live--;
	if (++pool->generation.data[index] < GENERATION_LIMIT)
		pool->unused.data[pool->unused.count++] = index;
}

void IdPool_Free(IdPool *pool, Memory *memory)
{
	Array_Free(memory, pool->generation);
	Array_Free(memory, pool->alive);
	Array_Free(memory, pool->unused);
	pool->live = 0;
}
