/* Batches: the islands of bodies that constraints join, some of them together. Moving kinematic bodies join, too, since
 * all that touches one must see it at the same substep. The result depends on bodies and constraints alone. */
#include "dynamics/solver_internal.h"

#define BATCH_WEIGHT 1536 /* bodies and constraints: fits a core's own cache, and wastes few lanes */

static int FindRoot(int *parent, int i)
{
	while (parent[i] != i) {
		parent[i] = parent[parent[i]];
		i = parent[i];
	}
	return i;
}

static void JoinIslands(const SolverStep *step, int *parent)
{
	for (int i = 0; i < step->body_count; i++)
		parent[i] = i;
	for (int i = 0; i < step->constraint_count; i++) {
		const ConstraintSource *s = &step->sources[i];
		if (s->a == 0 || s->b == 0)
			continue;
		int a = FindRoot(parent, s->a), b = FindRoot(parent, s->b);
		parent[Int_Max(a, b)] = Int_Min(a, b);
	}
	for (int i = 0; i < step->joints.count; i++) {
		const JointSource *s = &step->joints.sources[i];
		if (s->a == 0 || s->b == 0)
			continue;
		int a = FindRoot(parent, s->a), b = FindRoot(parent, s->b);
		parent[Int_Max(a, b)] = Int_Min(a, b);
	}
}

static int SourceBody(const ConstraintSource *s)
{
	return s->a != 0 ? s->a : s->b;
}

/* Islands in the order of their lowest bodies, as many to a batch as it has room for. `weight`: per root, of its
 * island. */
static void PartIslands(SolverStep *step, int *parent, const int *weight)
{
	int filled = BATCH_WEIGHT;
	step->batch_count = 0;
	for (int i = 1; i < step->body_count; i++) {
		int root = FindRoot(parent, i);
		if (root != i) {
			step->batch_of[i] = step->batch_of[root];
			continue;
		}
		if (filled + weight[i] > BATCH_WEIGHT && filled > 0) {
			step->batches[step->batch_count++] = (SolverBatch){.bodies = {0, 0}};
			filled = 0;
		}
		step->batch_of[i] = step->batch_count - 1;
		filled += weight[i];
	}
}

/* Lists of bodies and sources by batch, in each in their old order. */
static void ListMembers(SolverStep *step, const ConstraintSource *from)
{
	for (int i = 1; i < step->body_count; i++)
		step->batches[step->batch_of[i]].bodies.count++;
	for (int i = 0; i < step->constraint_count; i++)
		step->batches[step->batch_of[SourceBody(&from[i])]].sources.count++;
	int body = 0, source = 0;
	for (int i = 0; i < step->batch_count; i++) {
		SolverBatch *batch = &step->batches[i];
		batch->bodies.first = body;
		batch->sources.first = source;
		body += batch->bodies.count;
		source += batch->sources.count;
		batch->bodies.count = batch->sources.count = 0;
	}
	for (int i = 1; i < step->body_count; i++) {
		Range *to = &step->batches[step->batch_of[i]].bodies;
		step->body_list[to->first + to->count++] = i;
	}
	for (int i = 0; i < step->constraint_count; i++) {
		Range *to = &step->batches[step->batch_of[SourceBody(&from[i])]].sources;
		step->sources[to->first + to->count++] = from[i];
	}
}

bool Solver_Batch(SolverStep *step)
{
	Arena *arena = &step->dynamics->arena;
	int *parent = Arena_Array(arena, int, step->body_count), *weight = Arena_Array(arena, int, step->body_count);
	ConstraintSource *sorted = Arena_Array(arena, ConstraintSource, step->constraint_count);
	step->batch_of = Arena_Array(arena, int, step->body_count);
	step->body_list = Arena_Array(arena, int, step->body_count);
	step->batches = Arena_Array(arena, SolverBatch, step->body_count);
	if (!parent || !weight || !sorted || !step->batch_of || !step->body_list || !step->batches)
		return false;
	JoinIslands(step, parent);
	memset(weight, 0, sizeof *weight * (size_t)step->body_count);
	for (int i = 1; i < step->body_count; i++)
		weight[FindRoot(parent, i)]++;
	for (int i = 0; i < step->constraint_count; i++)
		weight[FindRoot(parent, SourceBody(&step->sources[i]))]++;
	for (int i = 0; i < step->joints.count; i++)
		weight[FindRoot(parent, JointSource_Body(&step->joints.sources[i]))]++;
	PartIslands(step, parent, weight);
	ConstraintSource *from = step->sources;
	step->sources = sorted;
	ListMembers(step, from);
	return true;
}
