/* The task pool. The caller is worker 0; the other workers wait for a loop to open, first spinning for a moment, then
 * asleep. Pieces of a loop are handed out by one atomic counter.
 *
 * `gate` holds all that must change together: the number of the loop, whether it is open, and how many workers are in
 * it. A worker enters only an open loop and the caller closes it once no pieces are left, so it waits for the workers
 * that came, never for those still waking up. What the loop is (fn, context, ...) is written only while the gate is
 * closed and empty. */
#include "base/base.h"

#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

#define SPIN_SECONDS 20e-6  /* about what waking a sleeping thread costs */
#define PIECES_PER_WORKER 8 /* enough to even out pieces of different cost */
#define THREADS_LIMIT 1024

#define GATE_WORKERS 0xffffu
#define GATE_OPEN 0x10000u
#define GATE_LOOP 0x20000u /* one loop; the number wraps, which would take 2^47 loops */

typedef struct Worker {
	TaskPool *pool;
	pthread_t thread;
	int number;
} Worker;

struct TaskPool {
	int threads;
	int started; /* workers whose thread runs */
	bool spin;
	pthread_mutex_t mutex;
	pthread_cond_t opened; /* the gate was opened, or the pool stops */
	pthread_cond_t left;   /* the last worker left a closed gate */
	int sleeping;          /* workers waiting on `opened`; under the mutex */
	atomic_bool stop;

	TaskFn *fn;
	void *context;
	int count;
	int piece;
	int pieces;

	/* The two contended words, each on a cache line of its own. */
	char pad0[64];
	_Atomic uint64_t gate;
	char pad1[64];
	atomic_int next; /* the next piece */
	char pad2[64];

	Worker workers[]; /* workers[i] is number i + 1 */
};

static size_t PoolSize(int threads)
{
	return sizeof(TaskPool) + (size_t)(threads - 1) * sizeof(Worker);
}

static void Pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ __volatile__("yield");
#endif
}

static void RunPieces(TaskPool *pool, int worker)
{
	for (;;) {
		int i = atomic_fetch_add_explicit(&pool->next, 1, memory_order_relaxed);
		if (i >= pool->pieces)
			return;
		int begin = i * pool->piece;
		int end = i == pool->pieces - 1 ? pool->count : begin + pool->piece;
		pool->fn(pool->context, begin, end, worker);
	}
}

/* ---- workers ----------------------------------------------------------------------------------------------- */

static bool IsCalled(TaskPool *pool, uint64_t seen)
{
	uint64_t gate = atomic_load_explicit(&pool->gate, memory_order_acquire);
	return gate / GATE_LOOP != seen || atomic_load_explicit(&pool->stop, memory_order_acquire);
}

/* Returns when there is a loop later than number `seen`, or when the pool stops. */
static void AwaitLoop(TaskPool *pool, uint64_t seen)
{
	if (pool->spin) {
		double until = Clock_Seconds() + SPIN_SECONDS;
		do {
			if (IsCalled(pool, seen))
				return;
			Pause();
		} while (Clock_Seconds() < until);
	}
	pthread_mutex_lock(&pool->mutex);
	pool->sleeping++;
	while (!IsCalled(pool, seen))
		pthread_cond_wait(&pool->opened, &pool->mutex);
	pool->sleeping--;
	pthread_mutex_unlock(&pool->mutex);
}

/* Counts the worker into the current loop if it is still open. *seen receives the loop's number either way. */
static bool Enter(TaskPool *pool, uint64_t *seen)
{
	uint64_t gate = atomic_load_explicit(&pool->gate, memory_order_acquire);
	do {
		*seen = gate / GATE_LOOP;
		if (!(gate & GATE_OPEN))
			return false;
	} while (!atomic_compare_exchange_weak_explicit(&pool->gate, &gate, gate + 1, memory_order_acq_rel,
	                                                memory_order_acquire));
	return true;
}

static void Leave(TaskPool *pool)
{
	uint64_t gate = atomic_fetch_sub_explicit(&pool->gate, 1, memory_order_acq_rel) - 1;
	if (gate & (GATE_OPEN | GATE_WORKERS))
		return;
	pthread_mutex_lock(&pool->mutex);
	pthread_cond_signal(&pool->left);
	pthread_mutex_unlock(&pool->mutex);
}

static void *WorkerMain(void *argument)
{
	Worker *worker = argument;
	TaskPool *pool = worker->pool;
	uint64_t seen = 0;
	for (;;) {
		AwaitLoop(pool, seen);
		if (atomic_load_explicit(&pool->stop, memory_order_acquire))
			return NULL;
		if (Enter(pool, &seen)) {
			RunPieces(pool, worker->number);
			Leave(pool);
		}
	}
}

/* ---- the caller's side ------------------------------------------------------------------------------------- */

static void Open(TaskPool *pool)
{
	pthread_mutex_lock(&pool->mutex);
	uint64_t gate = atomic_load_explicit(&pool->gate, memory_order_relaxed);
	atomic_store_explicit(&pool->gate, (gate + GATE_LOOP) | GATE_OPEN, memory_order_release);
	if (pool->sleeping > 0)
		pthread_cond_broadcast(&pool->opened);
	pthread_mutex_unlock(&pool->mutex);
}

static bool IsEmpty(TaskPool *pool)
{
	return (atomic_load_explicit(&pool->gate, memory_order_acquire) & GATE_WORKERS) == 0;
}

/* Lets nobody in any more and waits for those inside. */
static void Close(TaskPool *pool)
{
	atomic_fetch_and_explicit(&pool->gate, ~(uint64_t)GATE_OPEN, memory_order_acq_rel);
	if (pool->spin && !IsEmpty(pool)) {
		double until = Clock_Seconds() + SPIN_SECONDS;
		while (!IsEmpty(pool) && Clock_Seconds() < until)
			Pause();
	}
	if (IsEmpty(pool))
		return;
	pthread_mutex_lock(&pool->mutex);
	while (!IsEmpty(pool))
		pthread_cond_wait(&pool->left, &pool->mutex);
	pthread_mutex_unlock(&pool->mutex);
}

void TaskPool_For(TaskPool *pool, int count, int grain, TaskFn *fn, void *context)
{
	if (count <= 0)
		return;
	int piece = count / (pool->threads * PIECES_PER_WORKER);
	piece = Int_Max(Int_Max(piece, grain), 1);
	if (pool->threads == 1 || piece >= count) {
		fn(context, 0, count, 0);
		return;
	}
	SCREE_ASSERT(!(atomic_load(&pool->gate) & (GATE_OPEN | GATE_WORKERS)));
	pool->fn = fn;
	pool->context = context;
	pool->count = count;
	pool->piece = piece;
	pool->pieces = (count - 1) / piece + 1;
	atomic_store_explicit(&pool->next, 0, memory_order_relaxed);
	Open(pool);
	RunPieces(pool, 0);
	Close(pool);
}

int TaskPool_Threads(const TaskPool *pool)
{
	return pool->threads;
}

/* ---- life -------------------------------------------------------------------------------------------------- */

static bool InitLocks(TaskPool *pool)
{
	if (pthread_mutex_init(&pool->mutex, NULL) != 0)
		return false;
	if (pthread_cond_init(&pool->opened, NULL) == 0) {
		if (pthread_cond_init(&pool->left, NULL) == 0)
			return true;
		pthread_cond_destroy(&pool->opened);
	}
	pthread_mutex_destroy(&pool->mutex);
	return false;
}

/* Signals are the program's business, so the workers block them all. */
static bool StartWorkers(TaskPool *pool)
{
	sigset_t all, old;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	while (pool->started < pool->threads - 1) {
		Worker *worker = &pool->workers[pool->started];
		worker->pool = pool;
		worker->number = pool->started + 1;
		if (pthread_create(&worker->thread, NULL, WorkerMain, worker) != 0)
			break;
		pool->started++;
	}
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return pool->started == pool->threads - 1;
}

TaskPool *TaskPool_Create(Memory *memory, int threads)
{
	if (threads < 1 || threads > THREADS_LIMIT)
		return NULL;
	TaskPool *pool = Memory_AllocZero(memory, PoolSize(threads));
	if (!pool)
		return NULL;
	pool->threads = threads;
	pool->spin = sysconf(_SC_NPROCESSORS_ONLN) > 1;
	atomic_init(&pool->stop, false);
	atomic_init(&pool->gate, 0);
	atomic_init(&pool->next, 0);
	if (!InitLocks(pool)) {
		Memory_Free(memory, pool, PoolSize(threads));
		return NULL;
	}
	if (!StartWorkers(pool)) {
		TaskPool_Destroy(pool, memory);
		return NULL;
	}
	return pool;
}

void TaskPool_Destroy(TaskPool *pool, Memory *memory)
{
	if (!pool)
		return;
	pthread_mutex_lock(&pool->mutex);
	atomic_store_explicit(&pool->stop, true, memory_order_release);
	pthread_cond_broadcast(&pool->opened);
	pthread_mutex_unlock(&pool->mutex);
	for (int i = 0; i < pool->started; i++)
		pthread_join(pool->workers[i].thread, NULL);
	pthread_cond_destroy(&pool->left);
	pthread_cond_destroy(&pool->opened);
	pthread_mutex_destroy(&pool->mutex);
	Memory_Free(memory, pool, PoolSize(pool->threads));
}
