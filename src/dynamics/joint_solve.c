/* Joints in the substeps: warm start, solving with errors undone, and relaxing without. Errors are undone softly (see
 * Softness_Make). In a mechanism (joint_direct.c) they are undone the harder the more a joint bears, so that no load
 * draws it apart by more than JOINT_LOAD would its mass. Joint by joint that must not be: one round does not find what
 * a net bears, impulses of the last substep are started with, and only that a soft joint gives some of them up keeps
 * these from swinging ever wider. Springs act once a substep, by a rule that neither adds nor takes energy as long as
 * the substep can follow. */
#include "dynamics/solver_internal.h"

#define SPENT 0.9999f /* of the most that a drive has */
#define MANY 512      /* joints of a batch that are worth sharing out */

/* ---- impulses ---------------------------------------------------------------------------------------------------- */

/* Immovable bodies are never written. */
void Joint_Push(const SolverStep *step, const JointConstraint *c, Vec3 impulse, Vec3 angular)
{
	SolverBody *a = &step->bodies[c->a], *b = &step->bodies[c->b];
	if (a->inverse_mass > 0.0f) {
		Vec3 turn = Add(Cross(c->arm_a, impulse), angular);
		a->velocity = MulSub(a->velocity, a->inverse_mass, impulse);
		a->angular_velocity = Sub(a->angular_velocity, MatMulV(a->inverse_inertia, turn));
	}
	if (b->inverse_mass > 0.0f) {
		Vec3 turn = Add(Cross(c->arm_b, impulse), angular);
		b->velocity = MulAdd(b->velocity, b->inverse_mass, impulse);
		b->angular_velocity = Add(b->angular_velocity, MatMulV(b->inverse_inertia, turn));
	}
}

static Vec3 LinearSpeed(const SolverStep *step, const JointConstraint *c)
{
	const SolverBody *a = &step->bodies[c->a], *b = &step->bodies[c->b];
	Vec3 va = Add(a->velocity, Cross(a->angular_velocity, c->arm_a));
	Vec3 vb = Add(b->velocity, Cross(b->angular_velocity, c->arm_b));
	return Sub(vb, va);
}

static Vec3 AngularSpeed(const SolverStep *step, const JointConstraint *c)
{
	return Sub(step->bodies[c->b].angular_velocity, step->bodies[c->a].angular_velocity);
}

static Vec3 BlockVector(const JointBlock *block)
{
	Vec3 sum = {0.0f, 0.0f, 0.0f};
	for (int k = 0; k < block->count; k++)
		sum = MulAdd(sum, block->impulse[k], block->axis[k]);
	return sum;
}

/* All that the joint does to b in this substep. */
static void Reaction(const JointConstraint *c, Vec3 *impulse, Vec3 *angular)
{
	*impulse = BlockVector(&c->linear);
	*angular = V3(0.0f, 0.0f, 0.0f);
	if (!c->extra)
		return;
	*angular = BlockVector(&c->extra->angular);
	for (int i = 0; i < c->extra->row_count; i++) {
		const JointRow *row = &c->extra->rows[i];
		Vec3 *to = row->turning ? angular : impulse;
		*to = MulAdd(*to, row->impulse, row->axis);
	}
}

float Block_Impulse(const JointBlock *block)
{
	float sum = 0.0f;
	for (int k = 0; k < block->count; k++)
		sum += block->impulse[k] * block->impulse[k];
	return Sqrt(sum);
}

float Joint_Load(const SolverStep *step, float impulse, float inverse_mass)
{
	return Clamp(impulse * inverse_mass * step->inverse_h / JOINT_LOAD, 1.0f, JOINT_LOAD_LIMIT);
}

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

static void Multiply(const float m[6], const float v[3], int n, float out[3])
{
	float x = v[0], y = n > 1 ? v[1] : 0.0f, z = n > 2 ? v[2] : 0.0f;
	out[0] = m[0] * x + m[1] * y + m[2] * z;
	out[1] = m[1] * x + m[3] * y + m[4] * z;
	out[2] = m[2] * x + m[4] * y + m[5] * z;
}

/* New impulses of a block whose relative speed is `speed`; returns their change as a vector. */
static Vec3 SolveBlock(const SolverStep *step, JointBlock *block, Vec3 speed, bool push_out)
{
	float mass_scale = 1.0f, impulse_scale = 0.0f, bias_rate = 0.0f;
	if (push_out && !block->drive) {
		float stiffness = step->joints.stiffness;
		impulse_scale = 1.0f / (1.0f + stiffness);
		mass_scale = stiffness * impulse_scale;
		bias_rate = step->joints.bias_rate;
	}
	float miss[3] = {0.0f}, change[3], sum = 0.0f;
	for (int k = 0; k < block->count; k++) {
		float bias = block->drive ? -block->wanted[k] : bias_rate * block->error[k];
		miss[k] = Dot(block->axis[k], speed) + Clamp(bias, -JOINT_PULL_SPEED, JOINT_PULL_SPEED);
	}
	Multiply(block->inverse, miss, block->count, change);
	for (int k = 0; k < block->count; k++) {
		change[k] = block->impulse[k] - mass_scale * change[k] - impulse_scale * block->impulse[k];
		sum += change[k] * change[k];
	}
	float scale = block->drive && sum > block->max * block->max ? block->max / Sqrt(sum) : 1.0f;
	Vec3 total = {0.0f, 0.0f, 0.0f};
	for (int k = 0; k < block->count; k++) {
		total = MulAdd(total, scale * change[k] - block->impulse[k], block->axis[k]);
		block->impulse[k] = scale * change[k];
	}
	return total;
}

/* ---- single rows ------------------------------------------------------------------------------------------------- */

static float SolveLimit(const SolverStep *step, const JointRow *row, float speed, bool push_out)
{
	float mass = 1.0f / row->inverse_mass, bias = 0.0f, mass_scale = 1.0f, impulse_scale = 0.0f;
	if (row->error > 0.0f) {
		bias = row->error * step->inverse_h; /* room left: may be used up in this substep, no more */
	} else if (push_out) {
		float stiffness = step->joints.stiffness;
		impulse_scale = 1.0f / (1.0f + stiffness);
		mass_scale = stiffness * impulse_scale;
		bias = Max(step->joints.bias_rate * row->error, -JOINT_PULL_SPEED);
	}
	return Max(row->impulse - mass * mass_scale * (speed + bias) - impulse_scale * row->impulse, 0.0f);
}

static float SolveDrive(const JointRow *row, float speed)
{
	return Clamp(row->impulse + (row->wanted - speed) / row->inverse_mass, -row->max, row->max);
}

/* The force of the stretch at the start of the substep, which keeps energy (symplectic Euler) while omega h <= 1; of
 * stiffer springs so much of the stretch at its end that it stays stable. Damping acts on the speed at the end. */
static float SolveSpring(const SolverStep *step, const JointRow *row, float speed)
{
	float h = step->h, ratio = h * h * row->stiffness * row->inverse_mass;
	float late = ratio > 1.0f ? 1.0f - 1.0f / ratio : 0.0f;
	float drag = h * (row->damping + late * h * row->stiffness), share = drag * row->inverse_mass;
	float pull = h * row->stiffness * row->error + drag * speed;
	return (share * row->impulse - pull) / (1.0f + share);
}

static void SolveRow(const SolverStep *step, const JointConstraint *c, JointRow *row, bool push_out)
{
	if (row->inverse_mass <= 0.0f || (row->kind == ROW_SPRING && !push_out))
		return;
	float speed = Dot(row->axis, row->turning ? AngularSpeed(step, c) : LinearSpeed(step, c)), impulse;
	if (row->kind == ROW_LIMIT)
		impulse = SolveLimit(step, row, speed, push_out);
	else if (row->kind == ROW_DRIVE)
		impulse = SolveDrive(row, speed);
	else
		impulse = SolveSpring(step, row, speed);
	Vec3 change = Scale(impulse - row->impulse, row->axis), none = {0.0f, 0.0f, 0.0f};
	row->impulse = impulse;
	Joint_Push(step, c, row->turning ? none : change, row->turning ? change : none);
}

/* ---- one joint --------------------------------------------------------------------------------------------------- */

static void WarmStartOne(const SolverStep *step, const JointConstraint *c)
{
	Vec3 impulse, angular;
	Reaction(c, &impulse, &angular);
	Joint_Push(step, c, impulse, angular);
}

static void SolveOne(const SolverStep *step, JointConstraint *c, bool push_out)
{
	Vec3 none = {0.0f, 0.0f, 0.0f};
	if (c->extra) {
		for (int i = 0; i < c->extra->row_count; i++)
			SolveRow(step, c, &c->extra->rows[i], push_out);
		if (c->extra->angular.count > 0)
			Joint_Push(step, c, none, SolveBlock(step, &c->extra->angular, AngularSpeed(step, c), push_out));
	}
	if (c->linear.count > 0)
		Joint_Push(step, c, SolveBlock(step, &c->linear, LinearSpeed(step, c), push_out), none);
}

void Joint_SolveDrives(const SolverStep *step, JointConstraint *c)
{
	Vec3 none = {0.0f, 0.0f, 0.0f};
	JointBlock *angular = c->extra ? &c->extra->angular : NULL;
	if (angular && angular->drive && angular->count > 0) {
		Joint_Push(step, c, none, SolveBlock(step, angular, AngularSpeed(step, c), false));
		angular->spent = Block_Impulse(angular) >= SPENT * angular->max;
	}
	if (c->linear.drive && c->linear.count > 0) {
		Joint_Push(step, c, SolveBlock(step, &c->linear, LinearSpeed(step, c), false), none);
		c->linear.spent = Block_Impulse(&c->linear) >= SPENT * c->linear.max;
	}
}

static void AddTotals(JointConstraint *c)
{
	Vec3 impulse, angular;
	Reaction(c, &impulse, &angular);
	c->total_linear = Add(c->total_linear, impulse);
	c->total_angular = Add(c->total_angular, angular);
}

/* m/s: how far the joint's ends are from parting as they should, to undo their error. */
static float MissOf(const SolverStep *step, const JointConstraint *c)
{
	const JointBlock *block = &c->linear;
	float sum = 0.0f;
	if (block->drive)
		return 0.0f;
	Vec3 speed = LinearSpeed(step, c);
	for (int k = 0; k < block->count; k++) {
		float bias = Clamp(step->joints.bias_rate * block->error[k], -JOINT_PULL_SPEED, JOINT_PULL_SPEED);
		float miss = Dot(block->axis[k], speed) + bias;
		sum += miss * miss;
	}
	return Sqrt(sum);
}

float Joints_Miss(const SolverStep *step, int batch)
{
	const JointStep *joints = &step->joints;
	float most = 0.0f;
	if (joints->count == 0)
		return 0.0f;
	JointRange range = joints->batches[batch].mechanical;
	for (int i = range.first; i < range.first + range.count; i++)
		most = Max(most, MissOf(step, &joints->list[i]));
	return most;
}

/* ---- passes ------------------------------------------------------------------------------------------------------ */

typedef struct JointJob {
	SolverStep *step;
	JointPass pass;
	bool shared; /* among all workers; else it is one's alone */
	int first;
} JointJob;

static void RunRange(void *context, int begin, int end, int worker)
{
	(void)worker;
	const JointJob *job = context;
	for (int i = job->first + begin; i < job->first + end; i++) {
		JointConstraint *c = &job->step->joints.list[i];
		if (job->pass == JOINTS_START) {
			WarmStartOne(job->step, c);
		} else {
			SolveOne(job->step, c, job->pass == JOINTS_SOLVE);
		}
	}
}

static void RunBalls(void *context, int begin, int end, int worker)
{
	(void)worker;
	const JointJob *job = context;
	const SolverStep *step = job->step;
	step->dynamics->kernel->run_balls(step, job->pass, &step->joints.balls[job->first + begin], end - begin);
}

static void RunMechanisms(void *context, int begin, int end, int worker)
{
	(void)worker;
	const JointJob *job = context;
	JointStep *joints = &job->step->joints;
	for (int m = job->first + begin; m < job->first + end; m++) {
		JointRange range = joints->mechanisms[m].constraints;
		bool push_out = job->pass == JOINTS_SOLVE;
		if (job->pass == JOINTS_RELAX)
			Joint_CalmMechanism(job->step, m);
		bool solved = job->pass == JOINTS_START || Joint_SolveMechanism(job->step, m, push_out);
		for (int i = range.first; i < range.first + range.count; i++) {
			if (job->pass == JOINTS_START)
				WarmStartOne(job->step, &joints->list[i]);
			if (!solved)
				SolveOne(job->step, &joints->list[i], push_out);
		}
	}
}

static void ForEach(JointJob *job, JointRange range, int grain, TaskFn *fn)
{
	job->first = range.first;
	if (job->shared)
		TaskPool_For(job->step->dynamics->tasks, range.count, grain, fn, job);
	else if (range.count > 0)
		fn(job, 0, range.count, 0);
}

static void RunPass(SolverStep *step, int number, bool shared, JointPass pass)
{
	const JointStep *joints = &step->joints;
	if (joints->count == 0)
		return;
	const JointBatch *batch = &joints->batches[number];
	JointJob job = {.step = step, .pass = pass, .shared = shared};
	for (int c = 0; c < batch->colours.count; c++) {
		const JointColour *colour = &joints->colours[batch->colours.first + c];
		bool alone = batch->overflow && c == batch->colours.count - 1;
		ForEach(&job, colour->groups, 8, RunBalls);
		ForEach(&job, colour->others, alone ? colour->others.count : 64, RunRange);
	}
	ForEach(&job, batch->mechanisms, 1, RunMechanisms);
}

void Joints_WarmStart(SolverStep *step, int batch, bool shared)
{
	RunPass(step, batch, shared, JOINTS_START);
}

void Joints_Solve(SolverStep *step, int batch, bool shared)
{
	RunPass(step, batch, shared, JOINTS_SOLVE);
}

void Joints_SolveMechanisms(SolverStep *step, int batch)
{
	JointJob job = {.step = step, .pass = JOINTS_SOLVE};
	ForEach(&job, step->joints.batches[batch].mechanisms, 1, RunMechanisms);
}

static void PlaceRange(void *context, int begin, int end, int worker)
{
	(void)worker;
	const JointJob *job = context;
	for (int i = begin; i < end; i++)
		Joint_PlaceConstraint(job->step, job->first + i);
}

void Joints_Place(SolverStep *step, int batch, bool shared)
{
	const JointStep *joints = &step->joints;
	JointJob job = {.step = step, .shared = shared};
	if (joints->count == 0)
		return;
	/* the wide ones are placed where they are relaxed, which comes to the same */
	const JointBatch *b = &joints->batches[batch];
	for (int c = 0; c < b->colours.count; c++)
		ForEach(&job, joints->colours[b->colours.first + c].others, 32, PlaceRange);
	ForEach(&job, b->mechanical, 32, PlaceRange);
}

void Joints_Relax(SolverStep *step, int batch, bool shared, bool again)
{
	RunPass(step, batch, shared, again ? JOINTS_AGAIN : JOINTS_RELAX);
}

static void CountRange(void *context, int begin, int end, int worker)
{
	(void)worker;
	const JointJob *job = context;
	for (int i = begin; i < end; i++)
		AddTotals(&job->step->joints.list[job->first + i]);
}

void Joints_Count(SolverStep *step, int batch)
{
	const JointStep *joints = &step->joints;
	JointJob job = {.step = step, .pass = JOINTS_COUNT};
	if (joints->count == 0)
		return;
	const JointBatch *b = &joints->batches[batch];
	for (int c = 0; c < b->colours.count; c++) {
		const JointColour *colour = &joints->colours[b->colours.first + c];
		ForEach(&job, colour->groups, 8, RunBalls);
		ForEach(&job, colour->others, 32, CountRange);
	}
	ForEach(&job, b->mechanical, 32, CountRange);
}

bool Joints_AreMany(const SolverStep *step, int batch)
{
	if (step->joints.count == 0)
		return false;
	int count = step->joints.batches[batch].constraints.count, threads = TaskPool_Threads(step->dynamics->tasks);
	return count > MANY && count > step->joints.count / (2 * threads);
}
