/* The step: a list of stages, each with a name, run in order and timed. */
#include "world/world_internal.h"

typedef bool StageFn(World *world, double dt);

/* Queued edits become visible here, at one point of the step; what they touch wakes. */
static bool Stage_Edits(World *w, double dt)
{
	(void)dt;
	Error error;
	Dynamics_BeginStep(w->dynamics);
	return World_DetachLoose(w, &error) == ERROR_NONE && Terrain_Sync(w->terrain, &error) == ERROR_NONE &&
	       Dynamics_WakeChanged(w->dynamics);
}

static bool Stage_Pairs(World *w, double dt)
{
	Dynamics_ReachAhead(w->dynamics, (float)dt);
	return Dynamics_FindPairs(w->dynamics);
}

static bool Stage_Terrain(World *w, double dt)
{
	return Dynamics_FindTerrain(w->dynamics, (float)dt);
}
static bool Stage_Collide(World *w, double dt)
{
	return Dynamics_Collide(w->dynamics, (float)dt) && Dynamics_Foresee(w->dynamics, (float)dt);
}
static bool Stage_Wake(World *w, double dt)
{
	return Dynamics_WakeTouched(w->dynamics, (float)dt) && Dynamics_FindWater(w->dynamics);
}
static bool Stage_Solve(World *w, double dt)
{
	return Dynamics_Solve(w->dynamics, (float)dt);
}

static bool Stage_Continuous(World *w, double dt)
{
	(void)dt;
	Dynamics_Continuous(w->dynamics);
	return true;
}

static bool Stage_Sleep(World *w, double dt)
{
	Dynamics_FindTouches(w->dynamics);
	Dynamics_SleepResting(w->dynamics, (float)dt);
	return true;
}

static bool Stage_Finish(World *w, double dt)
{
	Dynamics_EndStep(w->dynamics, (float)dt);
	Terrain_Trim(w->terrain, w->collider_budget);
	return true;
}

/* Nothing moves before "solve", and nothing after it can fail. */
static const struct {
	const char *name;
	StageFn *run;
} stages[] = {
    {"edits", Stage_Edits},           {"pairs", Stage_Pairs}, {"terrain", Stage_Terrain},
    {"collide", Stage_Collide},       {"wake", Stage_Wake},   {"solve", Stage_Solve},
    {"continuous", Stage_Continuous}, {"sleep", Stage_Sleep}, {"finish", Stage_Finish},
};

int World_StageCount(void)
{
	return COUNT_OF(stages);
}
const char *World_StageName(int stage)
{
	return stages[stage].name;
}
double World_StageMs(const World *w, int stage)
{
	return w->stage_ms[stage];
}
double World_StepMs(const World *w)
{
	return w->step_ms;
}
double World_Time(const World *w)
{
	return w->time;
}
int64_t World_StepCount(const World *w)
{
	return w->steps;
}

int World_Step(World *w, double dt, Error *error)
{
	double begin = Clock_Seconds(), last = begin;
	for (int i = 0; i < COUNT_OF(stages); i++) {
		if (!stages[i].run(w, dt))
			return Error_OutOfMemory(error);
		double now = Clock_Seconds();
		w->stage_ms[i] = (now - last) * 1e3;
		last = now;
	}
	w->step_ms = (last - begin) * 1e3;
	w->time += dt;
	w->steps++;
	return ERROR_NONE;
}
