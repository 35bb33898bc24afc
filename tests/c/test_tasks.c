/* The task pool: every item once, by workers that do run side by side. */
#include "base/base.h"
#include "failing_memory.h"
#include "require.h"

#include <stdatomic.h>
#include <time.h>

enum { TASK_ITEMS = 5000 };

static void Pause(long microseconds)
{
	nanosleep(&(struct timespec){.tv_nsec = microseconds * 1000}, NULL);
}

typedef struct TaskTwin {
	int visits[TASK_ITEMS]; /* not atomic: a piece run twice is a race that the thread sanitizer sees */
	atomic_int bad_worker, small_pieces, pieces;
	int threads, count, grain;
} TaskTwin;

static void CountVisits(void *context, int begin, int end, int worker)
{
	TaskTwin *twin = context;
	if (worker < 0 || worker >= twin->threads || begin < 0 || end > twin->count || begin >= end)
		twin->bad_worker++;
	if (end - begin < twin->grain && end != twin->count)
		twin->small_pieces++;
	twin->pieces++;
	for (int i = begin; i < end; i++)
		twin->visits[i]++;
}

START_TEST(tasks_visit_each_item_once)
{
	static const int counts[] = {0, 1, 2, 3, 7, 64, 1000, TASK_ITEMS};
	static const int grains[] = {0, 1, 3, 16, 100, 100000};
	static TaskTwin twin;
	Memory memory;
	Memory_Init(&memory, NULL, NULL);
	twin.threads = _i;
	TaskPool *pool = TaskPool_Create(&memory, _i);
	ck_assert_ptr_nonnull(pool);
	ck_assert_int_eq(TaskPool_Threads(pool), _i);
	for (int c = 0; c < COUNT_OF(counts); c++) {
		for (int g = 0; g < COUNT_OF(grains); g++) {
			memset(twin.visits, 0, sizeof twin.visits);
			twin.count = counts[c];
			twin.grain = grains[g];
			TaskPool_For(pool, counts[c], grains[g], CountVisits, &twin);
			for (int i = 0; i < TASK_ITEMS; i++)
				REQUIRE(twin.visits[i] == (i < counts[c]), "item %d of %d visited %d times", i, counts[c],
				        twin.visits[i]);
		}
	}
	ck_assert_int_eq(twin.bad_worker, 0);
	ck_assert_int_eq(twin.small_pieces, 0);
	TaskPool_Destroy(pool, &memory);
	ck_assert_uint_eq(memory.bytes, 0);
}
END_TEST

START_TEST(tasks_many_small_loops)
{
	static TaskTwin twin;
	Memory memory;
	Memory_Init(&memory, NULL, NULL);
	twin.threads = _i;
	TaskPool *pool = TaskPool_Create(&memory, _i);
	Random r = {77};
	for (int loop = 1; loop <= 5000; loop++) {
		twin.count = 40;
		twin.grain = 1;
		TaskPool_For(pool, twin.count, 1, CountVisits, &twin);
		for (int i = 0; i < twin.count; i++)
			REQUIRE(twin.visits[i] == loop, "loop %d item %d", loop, i);
		/* Now and then long enough a pause for the workers to fall asleep. */
		if (Random_Below(&r, 100) == 0)
			Pause(200);
	}
	ck_assert_int_eq(twin.bad_worker, 0);
	TaskPool_Destroy(pool, &memory);
	ck_assert_uint_eq(memory.bytes, 0);
}
END_TEST

typedef struct Meeting {
	atomic_int arrived;
	int expected;
	int worker_of[8];
} Meeting;

/* Each item waits for all others, so all of them must run at the same time. */
static void Meet(void *context, int begin, int end, int worker)
{
	Meeting *meeting = context;
	meeting->arrived += end - begin;
	meeting->worker_of[begin] = worker;
	while (meeting->arrived < meeting->expected)
		Pause(50);
}

START_TEST(tasks_run_at_the_same_time)
{
	Memory memory;
	Memory_Init(&memory, NULL, NULL);
	TaskPool *pool = TaskPool_Create(&memory, _i);
	for (int round = 0; round < 20; round++) {
		Meeting meeting = {.expected = _i};
		TaskPool_For(pool, _i, 1, Meet, &meeting);
		int seen = 0;
		for (int i = 0; i < _i; i++)
			seen |= 1 << meeting.worker_of[i];
		ck_assert_int_eq(seen, (1 << _i) - 1); /* every worker had one */
	}
	TaskPool_Destroy(pool, &memory);
}
END_TEST

START_TEST(tasks_create_and_fail)
{
	FailingMemory f;
	FailingMemory_Init(&f, 0);
	ck_assert_ptr_null(TaskPool_Create(&f.memory, 2));
	FailingMemory_Init(&f, -1);
	ck_assert_ptr_null(TaskPool_Create(&f.memory, 0));
	ck_assert_ptr_null(TaskPool_Create(&f.memory, -3));
	ck_assert_ptr_null(TaskPool_Create(&f.memory, INT32_MAX));
	for (int i = 0; i < 50; i++) {
		TaskPool *pool = TaskPool_Create(&f.memory, 1 + i % 4);
		ck_assert_ptr_nonnull(pool);
		TaskPool_Destroy(pool, &f.memory);
	}
	TaskPool_Destroy(NULL, &f.memory);
	ck_assert_uint_eq(f.memory.bytes, 0);
}
END_TEST

Suite *suite_tasks(void)
{
	Suite *suite = suite_create("tasks");
	TCase *tasks = tcase_create("pool");
	tcase_set_timeout(tasks, 60);
	tcase_add_loop_test(tasks, tasks_visit_each_item_once, 1, 5);
	tcase_add_loop_test(tasks, tasks_many_small_loops, 1, 5);
	tcase_add_loop_test(tasks, tasks_run_at_the_same_time, 1, 5);
	tcase_add_test(tasks, tasks_create_and_fail);
	suite_add_tcase(suite, tasks);
	return suite;
}
