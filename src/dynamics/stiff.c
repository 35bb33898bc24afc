/* Light bodies under heavy ones. Solving contact by contact, an impulse that a light body passes on grows by no more
 * than its own mass allows in one round, so a load of a thousand times its weight would press it into the ground before
 * it is carried. The contacts of such bodies are gathered in clusters, solved again and again until little changes (at
 * rest the warm start has the answer, and that is at once), and made as stiff as the load asks for. */
#include "dynamics/solver_internal.h"

#define PRESSING 8.0f    /* times its own mass: a neighbour so heavy may be a load */
#define LANDING 0.5f     /* m/s: or so fast must they come together */
#define SPREAD_ROUNDS 16 /* how many bodies below each other are found to carry one load */
#define SWEEP_LIMIT 400  /* rounds over a cluster in one pass */
#define SWEEP_WORK 2000  /* constraints solved in all of the rounds of one pass for up to ... */
#define SWEEP_FEW                                                                                                      \
	8                 /* ... so many stiff ones; the more there are, the fewer, but half of those of the step: what a  \
	                     heap of big and small things costs is not doubled */
#define SETTLED 0.01f /* of the largest impulse over the load's ratio: a smaller change ends the rounds */

typedef ConstraintSource Source;

static bool IsMovable(const SolverStep *step, int body)
{
	return step->bodies[body].inverse_mass > 0.0f;
}

static bool IsPressed(const SolverStep *step, const float *load, int body)
{
	return load[body] * step->bodies[body].inverse_mass > PRESSING;
}

/* Bodies with one neighbour only carry nothing. Sources of one contact stand together. */
static void CountNeighbours(const SolverStep *step, int *neighbours)
{
	for (int i = 0; i < step->constraint_count; i++) {
		const Source *s = &step->sources[i];
		if (i > 0 && step->sources[i - 1].contact == s->contact)
			continue;
		neighbours[s->a]++;
		neighbours[s->b]++;
	}
}

/* Is the lighter side pushed harder than its own weight explains, or about to be? In N s a substep. */
static bool Bears(const SolverStep *step, const Source *s, int lighter)
{
	const Dynamics *d = step->dynamics;
	const StoredManifold *m = Source_Manifold(step, s);
	float impulse = 0.0f;
	for (int k = 0; k < m->count; k++)
		impulse += m->points[k].impulse;
	if (impulse * step->bodies[lighter].inverse_mass > BEARING * step->h * Length(d->gravity))
		return true;
	return Dot(m->normal, Sub(step->bodies[s->b].velocity, step->bodies[s->a].velocity)) < -LANDING;
}

/* The load on `to` from a neighbour, itself or what presses on that. Returns whether it grew. */
static bool Press(const SolverStep *step, const Source *s, float *load, const int *neighbours, int from, int to,
                  bool through)
{
	float mass = through ? load[from] : 1.0f / step->bodies[from].inverse_mass;
	if (neighbours[to] < 2 || mass <= load[to] || mass * step->bodies[to].inverse_mass <= PRESSING)
		return false;
	if (!Bears(step, s, to))
		return false;
	load[to] = mass;
	return true;
}

static bool PressAll(const SolverStep *step, float *load, const int *neighbours, bool through)
{
	bool grew = false;
	for (int i = 0; i < step->constraint_count; i++) {
		const Source *s = &step->sources[i];
		if (!IsMovable(step, s->a) || !IsMovable(step, s->b))
			continue;
		grew = Press(step, s, load, neighbours, s->a, s->b, through) || grew;
		grew = Press(step, s, load, neighbours, s->b, s->a, through) || grew;
	}
	return grew;
}

/* What loads a watched sleeper need not be solved for itself: the load is that of when it was. Returns whether there
 * is any. */
static bool RecallLoads(const SolverStep *step, float *load)
{
	bool any = false;
	for (int i = step->awake_count + 1; i < step->body_count; i++) {
		load[i] = step->dynamics->bodies.data[step->bodies[i].body].load;
		any = any || load[i] > 0.0f;
	}
	return any;
}

/* Those that are awake had none (prepare.c). */
static void NoteLoads(const SolverStep *step, const float *load)
{
	for (int i = 1; i < step->body_count; i++)
		if (load[i] > 0.0f)
			step->dynamics->bodies.data[step->bodies[i].body].load = load[i];
}

bool Solver_FindStiff(SolverStep *step)
{
	Arena *arena = &step->dynamics->arena;
	float *load = Arena_Array(arena, float, step->body_count);
	int *neighbours = Arena_Array(arena, int, step->body_count);
	if (!load || !neighbours)
		return false;
	memset(load, 0, sizeof *load * (size_t)step->body_count);
	memset(neighbours, 0, sizeof *neighbours * (size_t)step->body_count);
	CountNeighbours(step, neighbours);
	step->stiff_count = 0;
	bool recalled = RecallLoads(step, load);
	if (!PressAll(step, load, neighbours, false) && !recalled)
		return true;
	for (int i = 0; i < SPREAD_ROUNDS && PressAll(step, load, neighbours, true); i++)
		continue;
	for (int i = 0; i < step->constraint_count; i++) {
		Source *s = &step->sources[i];
		float a = IsPressed(step, load, s->a) ? load[s->a] * step->bodies[s->a].inverse_mass : 0.0f;
		float b = IsPressed(step, load, s->b) ? load[s->b] * step->bodies[s->b].inverse_mass : 0.0f;
		s->load = Max(a, b);
		step->stiff_count += s->load > 0.0f;
	}
	NoteLoads(step, load);
	return true;
}

/* ---- clusters ---------------------------------------------------------------------------------------------------- */

static int FindRoot(int *parent, int i)
{
	while (parent[i] != i) {
		parent[i] = parent[parent[i]];
		i = parent[i];
	}
	return i;
}

static void JoinBodies(const SolverStep *step, int *parent)
{
	for (int i = 0; i < step->body_count; i++)
		parent[i] = i;
	for (int i = 0; i < step->constraint_count; i++) {
		const Source *s = &step->sources[i];
		if (s->load <= 0.0f || !IsMovable(step, s->a) || !IsMovable(step, s->b))
			continue;
		int a = FindRoot(parent, s->a), b = FindRoot(parent, s->b);
		parent[Int_Max(a, b)] = Int_Min(a, b);
	}
}

/* Stiff constraints cluster by cluster, in each in the order of solving; clusters by batch. Clusters share no
 * movable body. */
bool Solver_Cluster(SolverStep *step)
{
	if (step->stiff_count == 0)
		return true;
	Arena *arena = &step->dynamics->arena;
	int *parent = Arena_Array(arena, int, step->body_count), *size = Arena_Array(arena, int, step->body_count);
	step->stiff = Arena_Array(arena, int, step->stiff_count);
	step->clusters = Arena_Array(arena, Range, step->stiff_count);
	if (!parent || !size || !step->stiff || !step->clusters)
		return false;
	JoinBodies(step, parent);
	memset(size, 0, sizeof *size * (size_t)step->body_count);
	int placed = 0;
	step->cluster_count = 0;
	for (int b = 0; b < step->batch_count; b++) {
		SolverBatch *batch = &step->batches[b];
		int end = batch->sources.first + batch->sources.count;
		batch->clusters.first = step->cluster_count;
		for (int i = batch->sources.first; i < end; i++) {
			const Source *s = &step->sources[i];
			if (s->load > 0.0f)
				size[FindRoot(parent, IsMovable(step, s->a) ? s->a : s->b)]++;
		}
		for (int i = 0; i < batch->bodies.count; i++) {
			int body = step->body_list[batch->bodies.first + i];
			if (size[body] == 0)
				continue;
			step->clusters[step->cluster_count++] = (Range){placed, 0};
			placed += size[body];
			size[body] = step->cluster_count; /* from here on: its cluster's number, from 1 */
		}
		for (int i = batch->sources.first; i < end; i++) {
			const Source *s = &step->sources[i];
			if (s->load <= 0.0f)
				continue;
			Range *to = &step->clusters[size[FindRoot(parent, IsMovable(step, s->a) ? s->a : s->b)] - 1];
			step->stiff[to->first + to->count++] = i;
		}
		batch->clusters.count = step->cluster_count - batch->clusters.first;
	}
	return true;
}

/* ---- rounds ------------------------------------------------------------------------------------------------------ */

void Solver_SweepCluster(SolverStep *step, int cluster, bool push_out)
{
	Range range = step->clusters[cluster];
	const int *list = step->stiff + range.first;
	float load = 0.0f;
	for (int k = 0; k < range.count; k++)
		load = Max(load, step->sources[list[k]].load);
	int few = SWEEP_WORK * SWEEP_FEW / Int_Max(step->stiff_count, SWEEP_FEW);
	int work = (few + step->constraint_count / 2) / step->stiff_count;
	int sweeps = Int_Min((int)Min(load, (float)SWEEP_LIMIT), Int_Max(work, 1));
	for (int i = 0; i < sweeps; i++) {
		float change = 0.0f, largest = 0.0f;
		for (int k = 0; k < range.count; k++) {
			int place = step->place[list[k]], lane = place % LANES;
			WideContact *c = Step_Group(step, place / LANES);
			change = Max(change, WideContact_SolveAgain(step, c, lane, push_out));
			for (int p = 0; p < c->points; p++)
				largest = Max(largest, c->point[p].impulse[lane]);
		}
		if (change * load <= SETTLED * largest)
			break;
	}
}
