/* Groups by place, without hashing: one number for each place in the box around all groups, and a bit for each block,
 * by which rays walk. Kept only while the box has not many more places than there are groups; worlds of far islands do
 * with the hash map. */
#include "terrain/terrain_internal.h"

#define PLACES_FREE 4096  /* that many places are had in any case */
#define PLACES_A_GROUP 32 /* and this many more for each group */

/* Is the place within the ring of places that hold no group? */
static bool IsWithin(const GroupGrid *grid, Cell at)
{
	return at.x > grid->lo.x && at.x < grid->lo.x + grid->size[0] - 1 && at.y > grid->lo.y &&
	       at.y < grid->lo.y + grid->size[1] - 1 && at.z > grid->lo.z && at.z < grid->lo.z + grid->size[2] - 1;
}

void GroupGrid_Set(GroupGrid *grid, Cell at, int group)
{
	if (!grid->at)
		return;
	if (IsWithin(grid, at)) {
		grid->at[GroupGrid_Place(grid, at.x, at.y, at.z)] = group;
		return;
	}
	grid->complete = false;
}

void GroupGrid_Mark(GroupGrid *grid, Cell block, bool looked_at)
{
	const Cell at = {block.x >> GROUP_BITS, block.y >> GROUP_BITS, block.z >> GROUP_BITS};
	if (!grid->at || !IsWithin(grid, at))
		return;
	size_t bit = GroupGrid_Bit(grid, block);
	grid->bits[bit / 64] = (grid->bits[bit / 64] & ~((uint64_t)1 << bit % 64)) | (uint64_t)looked_at << bit % 64;
}

void GroupGrid_Free(GroupGrid *grid, Memory *memory)
{
	Memory_Free(memory, grid->bits, GroupGrid_Bytes(grid));
	*grid = (GroupGrid){0};
}

void GroupGrid_Fit(Terrain *terrain)
{
	GroupGrid *grid = &terrain->group_grid;
	if (grid->complete)
		return;
	GroupGrid_Free(grid, terrain->memory);
	if (terrain->record_count == 0)
		return;
	const Cell lo = {(terrain->lo.x >> GROUP_BITS) - 1, (terrain->lo.y >> GROUP_BITS) - 1,
	                 (terrain->lo.z >> GROUP_BITS) - 1};
	const int32_t size[3] = {(terrain->hi.x >> GROUP_BITS) + 2 - lo.x, (terrain->hi.y >> GROUP_BITS) + 2 - lo.y,
	                         (terrain->hi.z >> GROUP_BITS) + 2 - lo.z};
	double places = (double)size[0] * size[1] * size[2];
	if (places > (double)PLACES_FREE + (double)PLACES_A_GROUP * terrain->groups.count)
		return;
	*grid = (GroupGrid){.lo = lo, .size = {size[0], size[1], size[2]}};
	size_t bytes = GroupGrid_Bytes(grid);
	grid->bits = Memory_AllocZero(terrain->memory, bytes);
	if (!grid->bits) {
		*grid = (GroupGrid){0};
		return;
	}
	grid->at = (int32_t *)(grid->bits + (size_t)places);
	memset(grid->at, 0xff, (size_t)places * sizeof *grid->at);
	grid->complete = true;
	for (int i = 0; i < terrain->groups.count; i++) {
		const Group *group = &terrain->groups.data[i];
		if (group->any == 0)
			continue;
		GroupGrid_Set(grid, group->at, i);
		for (uint64_t left = group->mixed | group->inside; left; left &= left - 1)
			GroupGrid_Mark(grid, Group_Block(group, __builtin_ctzll(left)), true);
	}
}
