/* Graph colouring of constraints. Greedy, in the order of contacts: the result depends on nothing else, so any number
 * of workers solves the same sequence. Constraints between two movable bodies come first; those with an immovable side
 * have colours of their own after them, so that the ground has the last word. */
#include "dynamics/solver_internal.h"

typedef struct ConstraintSource Source;

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

/* Colours of all sources: [0, COLOUR_LIMIT) both movable, then [COLOUR_LIMIT, 2 COLOUR_LIMIT) one immovable; 2
 * COLOUR_LIMIT: none. */
static void AssignColours(const SolverStep *step, uint64_t *used_moving, uint64_t *used_fixed, uint8_t *colour)
{
	for (int i = 0; i < step->constraint_count; i++) {
		const Source *s = &step->sources[i];
		bool a = IsMovable(step, s->a), b = IsMovable(step, s->b);
		int c;
		if (a && b)
			c = TakeColour(used_moving, s->a, s->b);
		else
			c = TakeColour(used_fixed, a ? s->a : NONE, b ? s->b : NONE) + COLOUR_LIMIT;
		if (a && b && c == COLOUR_LIMIT)
			c = 2 * COLOUR_LIMIT;
		colour[i] = (uint8_t)c;
	}
}

bool Solver_Colour(SolverStep *step)
{
	Arena *arena = &step->dynamics->arena;
	int count = step->constraint_count;
	size_t mask_bytes = sizeof(uint64_t) * (size_t)step->body_count;
	uint64_t *used_moving = Arena_Alloc(arena, mask_bytes), *used_fixed = Arena_Alloc(arena, mask_bytes);
	uint8_t *colour = Arena_Array(arena, uint8_t, count);
	Source *sorted = Arena_Array(arena, Source, count);
	if (!used_moving || !used_fixed || !colour || !sorted)
		return false;
	memset(used_moving, 0, mask_bytes);
	memset(used_fixed, 0, mask_bytes);
	AssignColours(step, used_moving, used_fixed, colour);

	int sizes[2 * COLOUR_LIMIT + 1] = {0}, place[2 * COLOUR_LIMIT + 1];
	for (int i = 0; i < count; i++)
		sizes[colour[i]]++;
	int first = 0;
	step->colour_count = 0;
	for (int c = 0; c <= 2 * COLOUR_LIMIT; c++) {
		place[c] = first;
		ColourRange range = {first, sizes[c]};
		if (c == 2 * COLOUR_LIMIT)
			step->overflow = range;
		else if (sizes[c] > 0)
			step->colours[step->colour_count++] = range;
		first += sizes[c];
	}
	for (int i = 0; i < count; i++)
		sorted[place[colour[i]]++] = step->sources[i];
	step->sources = sorted;
	return true;
}
