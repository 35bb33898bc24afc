/* Rigid bodies: the same scenes by the library on one and on two threads and, where it is installed, by Bullet. All
 * worlds of a scene take turns, some steps each, so that a slow minute of the machine falls on all.
 *
 *   bench_physics [SCENE...] [size=N] [steps=N] [from=N] [threads=N] [only=scree|Bullet]
 *
 * size: instead of the scene's own; steps: how many are run; from: the steps before this one are not counted. Each
 * engine's line has the milliseconds a step by the clock and of this thread's processor time, and what it came to: mean
 * height, largest speed, contact points. */
#include "bench_physics.h"

#include "base/base.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define TURN 5 /* steps */
#define ENTRANTS 3

typedef struct Options {
	int size, steps, from, threads;
	const char *only;
} Options;

typedef struct Entrant {
	const BenchEngine *engine;
	int threads;
	void *world;
	double wall, cpu; /* s */
	int counted;      /* steps */
	const char *stage_names[BENCH_STAGES];
	double stage_ms[BENCH_STAGES];
	int stage_count;
} Entrant;

static double ThreadSeconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void RunTurn(Entrant *e, const BenchScene *scene, int from, int to, bool counts)
{
	for (int i = from; i < to; i++) {
		double wall = Clock_Seconds(), cpu = ThreadSeconds();
		e->engine->step(e->world, scene, i);
		if (!counts)
			continue;
		e->wall += Clock_Seconds() - wall;
		e->cpu += ThreadSeconds() - cpu;
		e->counted++;
		if (!e->engine->stages)
			continue;
		double ms[BENCH_STAGES];
		e->stage_count = e->engine->stages(e->world, e->stage_names, ms);
		for (int k = 0; k < e->stage_count; k++)
			e->stage_ms[k] += ms[k];
	}
}

static void PrintEntrant(const Entrant *e)
{
	double height, speed, n = Int_Max(e->counted, 1);
	e->engine->look(e->world, &height, &speed);
	printf("  %-7s %d thread%s %9.3f ms %9.3f ms CPU   height %.3f m, speed %.3f m/s, %d points\n", e->engine->name,
	       e->threads, e->threads > 1 ? "s" : " ", 1e3 * e->wall / n, 1e3 * e->cpu / n, height, speed,
	       e->engine->contacts(e->world));
	if (e->stage_count == 0)
		return;
	printf("                   ");
	for (int i = 0; i < e->stage_count; i++)
		printf(" %s %.3f", e->stage_names[i], e->stage_ms[i] / n);
	printf("\n");
}

static void PrintRatios(const Entrant *entrants, int count)
{
	const Entrant *one = NULL, *more = NULL, *peer = NULL;
	for (int i = 0; i < count; i++) {
		const Entrant *e = &entrants[i];
		if (e->engine != &bench_scree_physics)
			peer = e;
		else if (e->threads == 1)
			one = e;
		else
			more = e;
	}
	if (one && peer)
		printf("  %s / scree, one thread, CPU: %.2f\n", peer->engine->name, peer->cpu / one->cpu);
	if (one && more)
		printf("  scree, %d threads over one, clock: %.2f\n", more->threads, one->wall / more->wall);
}

static void RunScene(const char *name, const Options *o)
{
	BenchScene *scene = BenchScene_Make(name, o->size);
	Entrant entrants[ENTRANTS] = {{.engine = &bench_scree_physics, .threads = 1},
#ifdef BENCH_BULLET
	                              {.engine = &bench_bullet_physics, .threads = 1},
#endif
	                              {.engine = &bench_scree_physics, .threads = o->threads}};
	int count = 0;
	for (int i = 0; i < ENTRANTS; i++) {
		Entrant e = entrants[i];
		if (!e.engine || (i > 0 && e.engine == &bench_scree_physics && e.threads < 2) ||
		    (o->only && strcmp(o->only, e.engine->name) != 0))
			continue;
		e.world = e.engine->open(scene, e.threads);
		if (e.world)
			entrants[count++] = e;
	}
	int steps = o->steps > 0 ? o->steps : scene->steps, bodies = 0;
	for (int i = 0; i < scene->body_count; i++)
		bodies += scene->bodies[i].motion == BENCH_DYNAMIC;
	printf("%s: %d bodies, %d steps\n", name, bodies, steps);
	for (int i = 0; i < steps; i += TURN)
		for (int k = 0; k < count; k++)
			RunTurn(&entrants[k], scene, i, Int_Min(i + TURN, steps), i >= o->from);
	for (int k = 0; k < count; k++)
		PrintEntrant(&entrants[k]);
	PrintRatios(entrants, count);
	fflush(stdout);
	for (int k = 0; k < count; k++)
		entrants[k].engine->close(entrants[k].world);
	BenchScene_Free(scene);
}

static bool ReadNumber(const char *argument, const char *name, int *value)
{
	size_t length = strlen(name);
	if (strncmp(argument, name, length) != 0 || argument[length] != '=')
		return false;
	*value = atoi(argument + length + 1);
	return true;
}

int main(int argc, char **argv)
{
	Options o = {.threads = 2};
	const char *names[64];
	int count = 0;
	for (int i = 1; i < argc; i++) {
		const char *a = argv[i];
		if (ReadNumber(a, "size", &o.size) || ReadNumber(a, "steps", &o.steps) || ReadNumber(a, "from", &o.from) ||
		    ReadNumber(a, "threads", &o.threads))
			continue;
		if (strncmp(a, "only=", 5) == 0) {
			o.only = a + 5;
			continue;
		}
		BenchScene *known = BenchScene_Make(a, 1);
		if (!known || count == COUNT_OF(names)) {
			fprintf(stderr, "unknown scene or option: %s\n", a);
			return 2;
		}
		BenchScene_Free(known);
		names[count++] = a;
	}
	for (int i = 0; count < COUNT_OF(names) && argc == 1 && BenchScene_Name(i); i++)
		names[count++] = BenchScene_Name(i);
	for (int i = 0; i < count; i++)
		RunScene(names[i], &o);
	return 0;
}
