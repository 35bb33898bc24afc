/* Graph colouring of constraints. Greedy, in the order of contacts: the result depends on nothing else, so any number
 * of workers solves the same sequence. Constraints between two movable bodies come first; those with an immovable side
 * have colours of their own after them, so that the ground has the last word. */
#include "dynamics/solver_internal.h"

#define OVERFLOW (2 * COLOUR_LIMIT)
#define FOLLOWED (OVERFLOW + 1)
#define KEYS (MANIFOLD_POINTS * (FOLLOWED + 1)) /* colours, and in them first what has most points */

static bool IsMovable(const SolverStep *step, int solver_body)
{
	return step->bodies[solver_body].inverse_mass > 0.0f;
}

/* Lowest colour that neither body has yet, or COLOUR_LIMIT. */
static int TakeColour(uint64_t *used, int a, int b)
{
	uint64_t taken = (a != NONE ? used[a] : 0) | (b != NONE ? used[b] : 0);
	int colour = taken == UINT64_MAX ? COLOUR_LIMIT : __builtin_ctzll(~taken);
	if (colour >= COLOUR_LIMIT)
		return COLOUR_LIMIT;
	if (a != NONE)
		used[a] |= (uint64_t)1 << colour;
	if (b != NONE)
		used[b] |= (uint64_t)1 << colour;
	return colour;
}

/* Keys of all sources; whether any of them resists rolling. Colours: [0, COLOUR_LIMIT) both movable, then
 * [COLOUR_LIMIT, 2 COLOUR_LIMIT) one immovable; OVERFLOW: none, or of fast bodies; FOLLOWED: of fast bodies, one
 * immovable. */
static bool AssignKeys(const SolverStep *step, uint64_t *used_moving, uint64_t *used_fixed, uint16_t *key)
{
	bool rolls = false;
	for (int i = 0; i < step->constraint_count; i++) {
		const ConstraintSource *s = &step->sources[i];
		bool a = IsMovable(step, s->a), b = IsMovable(step, s->b);
		int c;
		if (s->followed)
			c = a && b ? OVERFLOW : FOLLOWED;
		else if (a && b)
			c = TakeColour(used_moving, s->a, s->b);
		else
			c = TakeColour(used_fixed, a ? s->a : NONE, b ? s->b : NONE) + COLOUR_LIMIT;
		if (a && b && c == COLOUR_LIMIT)
			c = OVERFLOW;
		key[i] = (uint16_t)(c * MANIFOLD_POINTS + MANIFOLD_POINTS - s->points);
		rolls = rolls || s->rolls;
	}
	return rolls;
}

/* Groups of the sources [first, end), which have one colour. */
static Range MakeGroups(SolverStep *step, int first, int end)
{
	Range groups = {step->group_count, 0};
	for (int i = first; i < end; i += LANES) {
		step->lanes[step->group_count] = (Range){i, Int_Min(LANES, end - i)};
		for (int k = i; k < Int_Min(i + LANES, end); k++)
			step->place[k] = step->group_count * LANES + (k - i);
		step->group_count++;
		groups.count++;
	}
	return groups;
}

/* Sorts one batch's sources by key and makes its groups. */
static void SortBatch(SolverStep *step, SolverBatch *batch, const ConstraintSource *from, const uint16_t *key,
                      int *colours)
{
	int place[KEYS + 1] = {0};
	int first = batch->sources.first, end = first + batch->sources.count;
	for (int i = first; i < end; i++)
		place[key[i] + 1]++;
	place[0] = first;
	for (int k = 0; k < KEYS; k++)
		place[k + 1] += place[k];
	batch->groups.first = step->group_count;
	batch->colours = (Range){*colours, 0};
	for (int c = 0; c <= FOLLOWED; c++) {
		int begin = place[c * MANIFOLD_POINTS], stop = place[(c + 1) * MANIFOLD_POINTS];
		if (begin == stop && c < OVERFLOW)
			continue;
		Range groups = MakeGroups(step, begin, stop);
		if (c == OVERFLOW)
			batch->overflow = groups;
		else if (c == FOLLOWED)
			batch->followed = groups;
		else
			step->colours[batch->colours.first + batch->colours.count++] = groups;
	}
	*colours += batch->colours.count;
	batch->groups.count = step->group_count - batch->groups.first;
	for (int i = first; i < end; i++)
		step->sources[place[key[i]]++] = from[i];
}

/* Each colour of a batch may leave lanes empty, so there are more groups than sources / LANES. */
static int GroupsAtMost(const SolverStep *step)
{
	int64_t count = step->constraint_count / LANES;
	for (int i = 0; i < step->batch_count; i++)
		count += Int_Min(step->batches[i].sources.count, FOLLOWED + 1);
	return count < step->constraint_count ? (int)count : step->constraint_count;
}

bool Solver_Colour(SolverStep *step)
{
	Arena *arena = &step->dynamics->arena;
	int count = step->constraint_count, most = GroupsAtMost(step);
	size_t mask_bytes = sizeof(uint64_t) * (size_t)step->body_count;
	uint64_t *used_moving = Arena_Alloc(arena, mask_bytes), *used_fixed = Arena_Alloc(arena, mask_bytes);
	uint16_t *key = Arena_Array(arena, uint16_t, count);
	ConstraintSource *sorted = Arena_Array(arena, ConstraintSource, count), *from = step->sources;
	step->colours = Arena_Array(arena, Range, most);
	step->lanes = Arena_Array(arena, Range, most);
	step->place = Arena_Array(arena, int, count);
	if (!used_moving || !used_fixed || !key || !sorted || !step->colours || !step->lanes || !step->place)
		return false;
	memset(used_moving, 0, mask_bytes);
	memset(used_fixed, 0, mask_bytes);
	bool rolls = AssignKeys(step, used_moving, used_fixed, key);
	step->sources = sorted;
	step->group_count = 0;
	int colours = 0;
	for (int i = 0; i < step->batch_count; i++)
		SortBatch(step, &step->batches[i], from, key, &colours);
	step->rolls = rolls;
	return true;
}
