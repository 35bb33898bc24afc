/* The carver's work shared out to threads. Every item is worked on by itself, and what comes of it is put together in
 * the order of the items, so that who did what leaves no trace. */
#include "pieces/carve_internal.h"

#include <stdatomic.h>

#define FEW_ITEMS 4 /* so few are done before another thread is awake */

static void Worker_Destroy(CarveWorker *w, Memory *memory)
{
	if (!w)
		return;
	TerrainPatch_Destroy(w->patch);
	LatticeHull_Destroy(w->hull);
	Array_Free(memory, w->points);
	Array_Free(memory, w->joined);
	Array_Free(memory, w->quads);
	PartList_Free(&w->list, memory);
	Memory_Free(memory, w, sizeof(*w));
}

static CarveWorker *Worker_Create(const Carver *c, int number)
{
	CarveWorker *w = Memory_AllocZero(c->memory, sizeof(*w));
	if (!w)
		return NULL;
	w->memory = c->memory;
	w->number = number;
	w->patch = TerrainPatch_Create(c->memory, c->blockiness);
	w->hull = LatticeHull_Create(c->memory);
	if (w->patch && w->hull)
		return w;
	Worker_Destroy(w, c->memory);
	return NULL;
}

CarveWorker *Carver_Worker(Carver *c, int number)
{
	if (!c->workers[number])
		c->workers[number] = Worker_Create(c, number);
	return c->workers[number];
}

void Carver_FreeWorkers(Carver *c)
{
	for (int i = 0; i < c->worker_count && c->workers; i++)
		Worker_Destroy(c->workers[i], c->memory);
	Memory_Free(c->memory, c->workers, sizeof(CarveWorker *) * (size_t)c->worker_count);
	c->workers = NULL;
}

typedef struct CarveLoop {
	Carver *carver;
	CarveItemFn *fn;
} CarveLoop;

static void RunItems(void *context, int begin, int end, int number)
{
	const CarveLoop *loop = context;
	Carver *c = loop->carver;
	CarveWorker *w = Carver_Worker(c, number);
	if (w)
		memcpy(w->over, c->over, sizeof(w->over));
	for (int i = begin; i < end && !atomic_load_explicit(&c->failed, memory_order_relaxed); i++)
		if (!w || !loop->fn(c, w, i))
			atomic_store_explicit(&c->failed, true, memory_order_relaxed);
}

bool Carver_ForAll(Carver *c, int count, CarveItemFn *fn)
{
	CarveLoop loop = {c, fn};
	atomic_store_explicit(&c->failed, false, memory_order_relaxed);
	if (c->tasks && count >= FEW_ITEMS)
		TaskPool_For(c->tasks, count, 1, RunItems, &loop);
	else
		RunItems(&loop, 0, count, 0);
	return !atomic_load_explicit(&c->failed, memory_order_relaxed);
}
