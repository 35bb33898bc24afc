/* The soft step: substeps of integrate, warm start, solve with push-out, move, relax without push-out; then restitution
 * (after Catto, "Solver2D", 2024, in three dimensions). Friction acts in both passes (in the relax pass alone, towers
 * keep a faint sway): one row of two at the centre of the touching points, one of twist, and rolling resistance. What
 * is done to a contact is in solve_kernel_internal.h. */
#include "dynamics/solver_internal.h"

const SolverKernel *SolverKernel_Choose(void)
{
	const char *wish = getenv("SCREE_SIMD");
	if (wish && strcmp(wish, "0") == 0)
		return &solver_kernel_one;
#if SCREE_X86
	if (Cpu_Simd() && !(wish && strcmp(wish, "4") == 0))
		return &solver_kernel_eight;
#endif
	return &solver_kernel_four;
}

/* ---- restitution ------------------------------------------------------------------------------------------------- */

static float GravityAlong(const SolverStep *step, const SolverBody *a, const SolverBody *b, Vec3 normal)
{
	const Dynamics *d = step->dynamics;
	float scale = 0.0f;
	if (a->inverse_mass > 0.0f)
		scale += d->bodies.data[a->body].gravity_scale;
	if (b->inverse_mass > 0.0f)
		scale -= d->bodies.data[b->body].gravity_scale;
	return scale * Dot(d->gravity, normal);
}

/* Speed after the bounce from the energy at the start of the step: what gravity (m/s2 that close the contact) gives on
 * the way to the contact counts, and what the push-out has lifted is taken off (separations before and after), so a
 * bounce neither loses nor gains height by where in the step it falls. Half a substep of gravity at both ends turns the
 * integrator's speeds (half a substep ahead) into those of the path. */
static float BounceSpeed(const SolverStep *step, float restitution, float gravity, float approach, float before,
                         float after)
{
	float half_kick = 0.5f * step->h * gravity;
	float in = -approach + half_kick;
	float energy = restitution * restitution * (in * in + 2.0f * gravity * before) - 2.0f * gravity * after;
	return energy > 0.0f ? Sqrt(energy) + half_kick : 0.0f;
}

static StoredManifold *LaneManifold(const SolverStep *step, int group, int lane)
{
	return Source_Manifold(step, &step->sources[step->lanes[group].first + lane]);
}

static float LaneGravity(const SolverStep *step, const WideContact *c, int lane)
{
	Vec3 normal = V3(c->normal.x[lane], c->normal.y[lane], c->normal.z[lane]);
	return GravityAlong(step, &step->bodies[c->a[lane]], &step->bodies[c->b[lane]], normal);
}

/* `at_hand`: only if what is struck has been reached. */
static bool BounceLane(const SolverStep *step, int group, int lane, bool at_hand)
{
	WideContact *c = Step_Group(step, group);
	const StoredManifold *m = LaneManifold(step, group, lane);
	float gravity = LaneGravity(step, c, lane);
	float target[MANIFOLD_POINTS], separation[MANIFOLD_POINTS];
	bool any = false, reached = !at_hand;
	WideContact_Separations(step, c, lane, separation);
	for (int k = 0; k < c->points; k++) {
		float approach = c->approach[k][lane];
		bool bounces = k < m->count && approach < -RESTITUTION_THRESHOLD && c->point[k].total[lane] > 0.0f;
		target[k] = -1.0f;
		if (bounces)
			target[k] = BounceSpeed(step, m->restitution, gravity, approach, m->points[k].separation, separation[k]);
		any = any || bounces;
		reached = reached || (bounces && separation[k] <= SLOP);
	}
	if (any && reached)
		WideContact_Bounce(step, c, lane, target, m);
	return any && reached;
}

static void BounceGroups(const SolverStep *step, Range groups)
{
	for (int i = groups.first; i < groups.first + groups.count; i++)
		for (unsigned lanes = Step_Group(step, i)->bounces; lanes; lanes &= lanes - 1)
			BounceLane(step, i, __builtin_ctz(lanes), false);
}

/* A blow that would fall in the first substep of the next step has been begun in the last relax pass, which lets
 * nothing come faster than it may close the gap. It is given back, so that it falls, and is told, as one. What bounces
 * has been thrown back. */
static void PutOffLane(const SolverStep *step, WideContact *c, int lane)
{
	float separation[MANIFOLD_POINTS], back[MANIFOLD_POINTS] = {0};
	bool any = false;
	WideContact_Separations(step, c, lane, separation);
	for (int k = 0; k < c->points; k++) {
		float impulse = c->point[k].impulse[lane];
		if (c->point[k].total[lane] > impulse || (impulse > 0.0f && separation[k] < RESTITUTION_THRESHOLD * step->h))
			return;
		back[k] = -impulse;
		any = any || impulse > 0.0f;
	}
	if (!any)
		return;
	WideContact_GoOn(step, c, lane, back);
	for (int k = 0; k < c->points; k++)
		c->point[k].total[lane] += back[k];
}

static void PutOffGroups(const SolverStep *step, Range groups)
{
	for (int i = groups.first; i < groups.first + groups.count; i++)
		for (unsigned lanes = Step_Group(step, i)->lands; lanes; lanes &= lanes - 1)
			PutOffLane(step, Step_Group(step, i), __builtin_ctz(lanes));
}

/* What a fast body strikes it leaves in the substep in which it does: until the end of the step it would have turned,
 * and the blow that stopped it and the one that throws it back would be at arms that differ. Before the substep the
 * speeds are looked at that the two have then; after it those that were struck bounce. */
static void BounceFast(const SolverStep *step, Range groups, bool look)
{
	for (int i = groups.first; i < groups.first + groups.count; i++) {
		WideContact *c = Step_Group(step, i);
		for (unsigned lanes = c->bounces; lanes; lanes &= lanes - 1) {
			int lane = __builtin_ctz(lanes);
			StoredManifold *m = LaneManifold(step, i, lane);
			if (!(m->haste & HASTE_BLOW))
				continue;
			if (look)
				WideContact_LookAtBlow(step, c, lane, LaneGravity(step, c, lane), m);
			else if (BounceLane(step, i, lane, true))
				c->bounces &= (uint8_t) ~(1u << lane);
		}
	}
}

/* ---- one batch --------------------------------------------------------------------------------------------------- */

/* Inner loops of a batch are shared out among the workers when it is a large one; else the batches are. */
typedef struct BatchJob {
	SolverStep *step;
	const SolverBatch *batch;
	bool shared;
	Pass pass;
	int first;
} BatchJob;

static void ForEach(const BatchJob *job, int count, int grain, TaskFn *fn)
{
	if (job->shared)
		TaskPool_For(job->step->dynamics->tasks, count, grain, fn, (void *)job);
	else if (count > 0)
		fn((void *)job, 0, count, 0);
}

static void RunGroups(void *context, int begin, int end, int worker)
{
	(void)worker;
	const BatchJob *job = context;
	job->step->dynamics->kernel->run(job->step, job->pass, Step_Group(job->step, job->first + begin), end - begin);
}

static void RunSingly(const SolverStep *step, Pass pass, Range groups)
{
	for (int i = groups.first; i < groups.first + groups.count; i++)
		for (int lane = 0; lane < step->lanes[i].count; lane++)
			WideContact_RunSingly(step, pass, Step_Group(step, i), lane,
			                      Source_Manifold(step, &step->sources[step->lanes[i].first + lane]));
}

static void RunPass(BatchJob *job, Pass pass)
{
	const SolverStep *step = job->step;
	const SolverBatch *batch = job->batch;
	RunSingly(step, pass, batch->overflow);
	job->pass = pass;
	for (int i = 0; i < batch->colours.count; i++) {
		Range groups = step->colours[batch->colours.first + i];
		job->first = groups.first;
		ForEach(job, groups.count, 8, RunGroups);
	}
	RunSingly(step, pass, batch->followed);
}

static void SweepRange(void *context, int begin, int end, int worker)
{
	(void)worker;
	const BatchJob *job = context;
	for (int i = begin; i < end; i++)
		Solver_SweepCluster(job->step, job->batch->clusters.first + i, job->pass == PASS_SOLVE);
}

static void VelocityRange(void *context, int begin, int end, int worker)
{
	(void)worker;
	const BatchJob *job = context;
	Integrate_Velocities(job->step, job->step->body_list + job->batch->bodies.first + begin, end - begin);
}

static void PositionRange(void *context, int begin, int end, int worker)
{
	(void)worker;
	const BatchJob *job = context;
	Integrate_Positions(job->step, job->step->body_list + job->batch->bodies.first + begin, end - begin);
}

static void PrepareRange(void *context, int begin, int end, int worker)
{
	(void)worker;
	const BatchJob *job = context;
	int first = job->batch->groups.first;
	Solver_PrepareGroups(job->step, first + begin, first + end);
}

static void StoreRange(void *context, int begin, int end, int worker)
{
	(void)worker;
	const BatchJob *job = context;
	int first = job->batch->groups.first;
	Solver_StoreGroups(job->step, first + begin, first + end);
}

static void BodyRange(void *context, int begin, int end, int worker)
{
	(void)worker;
	const BatchJob *job = context;
	Solver_StoreBodies(job->step, job->step->body_list + job->batch->bodies.first + begin, end - begin);
}

/* Joints know nothing of contacts while they are solved, and contacts nothing of joints. Once round, what lies on
 * something and is joined would tremble for ever: each takes back what the other did. Fast bodies have no time for
 * that. */
#define JOINED_ROUNDS 2

static int RoundsOf(const SolverStep *step, const SolverBatch *batch)
{
	bool joined = step->joints.count > 0 && step->joints.batches[batch - step->batches].constraints.count > 0;
	return joined && batch->groups.count > 0 && batch->followed.count == 0 ? JOINED_ROUNDS : 1;
}

static void SolveBatch(BatchJob *job, int rounds)
{
	int number = (int)(job->batch - job->step->batches);
	for (int i = 0; i < rounds; i++) {
		Joints_Solve(job->step, number, job->shared);
		RunPass(job, PASS_SOLVE);
	}
	ForEach(job, job->batch->clusters.count, 1, SweepRange);
	Solver_TakeBlows(job->step, job->batch);
}

/* What the contacts of a batch have given is counted once a substep. */
static void TakeBackTotals(const SolverStep *step, const SolverBatch *batch)
{
	for (int i = batch->groups.first; i < batch->groups.first + batch->groups.count; i++) {
		WideContact *c = Step_Group(step, i);
		for (int k = 0; k < c->points; k++)
			for (int lane = 0; lane < LANES; lane++)
				c->point[k].total[lane] -= c->point[k].impulse[lane];
	}
}

static void RelaxBatch(BatchJob *job, int rounds)
{
	int number = (int)(job->batch - job->step->batches);
	Joints_Place(job->step, number, job->shared);
	for (int i = 0; i < rounds; i++) {
		if (i > 0)
			TakeBackTotals(job->step, job->batch);
		Joints_Relax(job->step, number, job->shared, i > 0);
		RunPass(job, PASS_RELAX);
	}
	Joints_Count(job->step, number);
	ForEach(job, job->batch->clusters.count, 1, SweepRange);
}

/* `step`: with room for the batch's groups. */
static void RunBatch(SolverStep *step, const SolverBatch *batch, bool shared)
{
	BatchJob job = {.step = step, .batch = batch, .shared = shared};
	int number = (int)(batch - step->batches), rounds = RoundsOf(step, batch);
	step->first_group = batch->groups.first;
	ForEach(&job, batch->groups.count, 16, PrepareRange);
	for (int i = 0; i < step->dynamics->substeps; i++) {
		ForEach(&job, batch->bodies.count, 128, VelocityRange);
		BounceFast(step, batch->overflow, true);
		BounceFast(step, batch->followed, true);
		Joints_WarmStart(step, number, shared);
		RunPass(&job, PASS_WARM_START);
		SolveBatch(&job, rounds);
		ForEach(&job, batch->bodies.count, 128, PositionRange);
		RelaxBatch(&job, rounds);
		BounceFast(step, batch->overflow, false);
		BounceFast(step, batch->followed, false);
	}
	PutOffGroups(step, batch->groups);
	BounceGroups(step, batch->overflow);
	for (int i = 0; i < batch->colours.count; i++)
		BounceGroups(step, step->colours[batch->colours.first + i]);
	BounceGroups(step, batch->followed);
	ForEach(&job, batch->groups.count, 32, StoreRange);
	ForEach(&job, batch->bodies.count, 128, BodyRange);
}

/* ---- all batches ------------------------------------------------------------------------------------------------- */

/* Too large to be one worker's alone. */
static bool IsLarge(const SolverStep *step, const SolverBatch *batch)
{
	int threads = TaskPool_Threads(step->dynamics->tasks);
	if (threads > 1 && Joints_AreMany(step, (int)(batch - step->batches)))
		return true;
	return threads > 1 && batch->groups.count > 64 && batch->groups.count > step->group_count / (2 * threads);
}

/* Room for the groups of one batch at a time, for each worker. */
typedef struct AllJob {
	const SolverStep *step;
	SolverStep *rooms; /* copies that differ in where their groups are */
} AllJob;

static bool TakeRoom(SolverStep *room, int groups)
{
	Arena *arena = &room->dynamics->arena;
	room->contacts = Arena_Array(arena, WideContact, groups);
	room->rolling = room->rolls ? Arena_Array(arena, WideRolling, groups) : NULL;
	return room->contacts && (room->rolling || !room->rolls);
}

static SolverStep *MakeRooms(const SolverStep *step)
{
	int threads = TaskPool_Threads(step->dynamics->tasks), most[2] = {0, 0};
	SolverStep *rooms = Arena_Array(&step->dynamics->arena, SolverStep, threads);
	if (!rooms)
		return NULL;
	for (int i = 0; i < step->batch_count; i++) {
		int *largest = &most[IsLarge(step, &step->batches[i])];
		*largest = Int_Max(*largest, step->batches[i].groups.count);
	}
	for (int i = 0; i < threads; i++) {
		rooms[i] = *step;
		/* the caller is worker 0 and runs the large ones, too */
		if (!TakeRoom(&rooms[i], i == 0 ? Int_Max(most[0], most[1]) : most[0]))
			return NULL;
	}
	return rooms;
}

static void RunBatches(void *context, int begin, int end, int worker)
{
	const AllJob *job = context;
	for (int i = begin; i < end; i++)
		if (!IsLarge(job->step, &job->step->batches[i]))
			RunBatch(&job->rooms[worker], &job->step->batches[i], false);
}

bool Solver_Run(SolverStep *step)
{
	Solver_ChooseSoftness(step);
	AllJob job = {step, MakeRooms(step)};
	if (!job.rooms)
		return false;
	for (int i = 0; i < step->batch_count; i++)
		if (IsLarge(step, &step->batches[i]))
			RunBatch(&job.rooms[0], &step->batches[i], true);
	TaskPool_For(step->dynamics->tasks, step->batch_count, 1, RunBatches, &job);
	return true;
}

bool Dynamics_Solve(Dynamics *d, float dt)
{
	SolverStep step = {.dynamics = d, .dt = dt, .h = dt / (float)d->substeps};
	step.inverse_h = (float)d->substeps / dt;
	d->touch_order = Arena_Array(&d->arena, uint64_t, d->awake_contacts.count);
	if (!d->touch_order || !Contact_ReserveEvents(d, 2 * d->awake_contacts.count) || !Solver_Gather(&step) ||
	    !Joints_Gather(&step) || !Solver_FindStiff(&step) || !Solver_Batch(&step) || !Solver_Colour(&step) ||
	    !Solver_Cluster(&step) || !Joints_Prepare(&step) || !Solver_FindJoined(&step) || !Solver_Run(&step))
		return false;
	Joints_Store(&step);
	d->solver_bodies = step.bodies;
	return true;
}
