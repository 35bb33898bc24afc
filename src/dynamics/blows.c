/* Blows at mechanisms. A limb that strikes something is light, but what it is joined to is not: solved in turns, each
 * round carries over to the rest as much as the limb's own mass allows, and until then the joint is drawn open. So
 * after a blow the contacts of mechanisms go on being solved in turn with these until they agree, with the impulses of
 * contacts carried on in the direction in which they go (nonlinear conjugate gradients: Silcowitz-Hansen, Niebe and
 * Erleben, "A nonsmooth nonlinear conjugate gradient method for interactive contact force problems", 2010). */
#include "dynamics/solver_internal.h"

#define BLOW_ROUNDS 24
#define BLOW_GAP 0.3e-3f /* m: by so much a joint may be drawn open in a substep */

static bool IsJoined(const SolverStep *step, int body)
{
	const JointStep *joints = &step->joints;
	return step->bodies[body].inverse_mass > 0.0f && joints->node_of[body] != NONE;
}

bool Solver_FindJoined(SolverStep *step)
{
	if (step->joints.mechanism_count == 0)
		return true;
	int count = 0;
	for (int i = 0; i < step->constraint_count; i++)
		count += IsJoined(step, step->sources[i].a) || IsJoined(step, step->sources[i].b);
	step->joined = Arena_Array(&step->dynamics->arena, JoinedContact, count);
	if (!step->joined)
		return false;
	count = 0;
	for (int i = 0; i < step->batch_count; i++) {
		SolverBatch *batch = &step->batches[i];
		batch->joined.first = count;
		if (step->joints.batches[i].mechanisms.count == 0)
			continue;
		for (int k = batch->sources.first; k < batch->sources.first + batch->sources.count; k++)
			if (IsJoined(step, step->sources[k].a) || IsJoined(step, step->sources[k].b))
				step->joined[count++].source = k;
		batch->joined.count = count - batch->joined.first;
	}
	return true;
}

/* One round. Returns the square of what it changed. */
static float SolveRound(SolverStep *step, JoinedContact *list, int count, int batch)
{
	float square = 0.0f;
	Joints_SolveMechanisms(step, batch);
	for (int i = 0; i < count; i++) {
		JoinedContact *j = &list[i];
		int place = step->place[j->source], lane = place % LANES;
		WideContact *c = Step_Group(step, place / LANES);
		for (int k = 0; k < c->points; k++)
			j->before[k] = c->point[k].impulse[lane];
		WideContact_RunSingly(step, PASS_SOLVE, c, lane, Source_Manifold(step, &step->sources[j->source]));
		for (int k = 0; k < c->points; k++) {
			float change = c->point[k].impulse[lane] - j->before[k];
			square += change * change;
		}
	}
	return square;
}

/* `share`: of the old way, after a round. */
static void GoOn(SolverStep *step, JoinedContact *list, int count, float share)
{
	for (int i = 0; i < count; i++) {
		JoinedContact *j = &list[i];
		int place = step->place[j->source], lane = place % LANES;
		WideContact *c = Step_Group(step, place / LANES);
		for (int k = 0; k < c->points; k++) {
			float change = c->point[k].impulse[lane] - j->before[k];
			float old = share > 0.0f ? share * j->way[k] : 0.0f; /* before the first round there was no way */
			j->way[k] = old + change;
			j->before[k] = old;
		}
		if (share > 0.0f)
			WideContact_GoOn(step, c, lane, j->before);
	}
}

void Solver_TakeBlows(SolverStep *step, const SolverBatch *batch)
{
	int number = (int)(batch - step->batches), count = batch->joined.count;
	float before = 0.0f;
	if (count == 0)
		return;
	JoinedContact *list = step->joined + batch->joined.first;
	for (int i = 0; i < BLOW_ROUNDS && Joints_Miss(step, number) * step->h > BLOW_GAP; i++) {
		float square = SolveRound(step, list, count, number);
		GoOn(step, list, count, i > 0 && square < before ? square / before : 0.0f);
		before = square;
	}
}
