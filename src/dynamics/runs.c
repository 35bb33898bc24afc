/* Runs of consecutive slots in powers of two, with a free list per size. */
#include "dynamics/dynamics_internal.h"

int RunPool_Class(int count)
{
	int run_class = 0;
	while ((1 << run_class) < count)
		run_class++;
	return run_class;
}

/* Room for the run's way back is made here, so that returning it cannot fail: a class's free list can hold every run
 * that was ever cut for it. */
int RunPool_Take(RunPool *pool, Memory *memory, int run_class)
{
	if (run_class >= RUN_CLASSES)
		return NONE;
	if (pool->unused[run_class].count > 0)
		return pool->unused[run_class].data[--pool->unused[run_class].count];
	if (pool->used > INT32_MAX - (1 << run_class) ||
	    !Array_Reserve(memory, pool->unused[run_class], pool->cut[run_class] + 1))
		return NONE;
	int first = pool->used;
	pool->cut[run_class]++;
	pool->used += 1 << run_class;
	return first;
}

void RunPool_Return(RunPool *pool, int first, int run_class)
{
	SCREE_ASSERT(pool->unused[run_class].count < pool->unused[run_class].capacity);
	pool->unused[run_class].data[pool->unused[run_class].count++] = first;
}

void RunPool_Free(RunPool *pool, Memory *memory)
{
	for (int k = 0; k < RUN_CLASSES; k++)
		Array_Free(memory, pool->unused[k]);
	pool->used = 0;
}

/* ---- sorting ----------------------------------------------------------------------------------------------------- */

static void SiftDown(uint64_t *items, int from, int count)
{
	uint64_t item = items[from];
	for (;;) {
		int child = 2 * from + 1;
		if (child >= count)
			break;
		if (child + 1 < count && items[child + 1] > items[child])
			child++;
		if (items[child] <= item)
			break;
		items[from] = items[child];
		from = child;
	}
	items[from] = item;
}

/* Insertion for few, a heap for many (Williams, "Heapsort", 1964). */
void Sort_U64(uint64_t *items, int count)
{
	if (count <= 16) {
		for (int i = 1; i < count; i++) {
			uint64_t item = items[i];
			int k = i;
			for (; k > 0 && items[k - 1] > item; k--)
				items[k] = items[k - 1];
			items[k] = item;
		}
		return;
	}
	for (int i = count / 2 - 1; i >= 0; i--)
		SiftDown(items, i, count);
	for (int i = count - 1; i > 0; i--) {
		uint64_t last = items[i];
		items[i] = items[0];
		items[0] = last;
		SiftDown(items, 0, i);
	}
}
