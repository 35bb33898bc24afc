/* Rays and water. A cell holds water up to its fraction: the box of the cell below that level. The surface is where a
 * ray comes into such a box from where there was no water: from above through the level, or through a side. */
#include "terrain/cast_internal.h"

#define HALF_CELL (SURFACE_UNIT / 2.0)

static uint8_t WaterAt(const Terrain *terrain, Cell cell)
{
	const uint8_t *row = Store_Row(terrain->store, CHANNEL_WATER, cell.x >> CHUNK_BITS, cell.y, cell.z);
	return row[cell.x & (CHUNK_SIZE - 1)];
}

bool GridPoint_InWater(const Terrain *terrain, const GridPoint *point)
{
	Cell cell = CellsOfBlocks(point->block, point->block).lo;
	int y = GridPoint_Cell(point, 1);
	cell.x += GridPoint_Cell(point, 0);
	cell.y += y;
	cell.z += GridPoint_Cell(point, 2);
	int water = WaterAt(terrain, cell);
	double height = (point->at[1] + HALF_CELL) / SURFACE_UNIT - y;
	return water == 255 || height * 255.0 < water;
}

/* The axis of the face through which the ray came into the cell: the last of its three near planes to be crossed. */
static int EntryAxis(const GridWalk *cells)
{
	int axis = 1;
	double last = -DBL_MAX;
	for (int a = 0; a < 3; a++) {
		double plane = (cells->at[a] + (cells->ray->step[a] < 0)) * cells->size;
		double s = (plane - cells->origin[a]) * cells->ray->inverse[a];
		if (s > last) {
			last = s;
			axis = a;
		}
	}
	return axis;
}

/* One cell of the walk, floor: the units of its floor in the ray's frame. */
static void MeetCell(WaterCast *cast, Cell cell, const GridWalk *walk, double floor)
{
	const Ray *ray = cast->ray;
	int water = WaterAt(cast->terrain, cell);
	double from = walk->enter, to = walk->leave;
	if (water < 255) {
		double level = floor + water * (SURFACE_UNIT / 255.0) - (ray->origin[1] + HALF_CELL);
		if (ray->step[1] < 0)
			from = MaxD(from, level * ray->inverse[1]);
		else
			to = MinD(to, level * ray->inverse[1]);
	}
	if (water == 0 || from > to) {
		cast->wet = false;
		return;
	}
	bool through_level = from > walk->enter;
	if (through_level || !cast->wet) {
		int axis = through_level ? 1 : EntryAxis(walk);
		WaterEntry entry = {from, cell, axis, ray->dir[axis] > 0.0 ? -1 : 1};
		if (from <= cast->limit && !Array_Push(cast->memory, cast->entries, entry))
			cast->failed = true;
		if (!cast->all)
			cast->limit = -1.0;
	}
	cast->wet = to >= walk->leave;
}

static void MeetBlock(void *context, int index, double enter, double leave)
{
	WaterCast *cast = context;
	const Ray *ray = cast->ray;
	const uint64_t *water = Group_Water(Record_Group(cast->terrain, index), index % GROUP_BLOCKS);
	Cell block = Record_Block(cast->terrain, index);
	const int ahead[3] = {block.x - ray->frame.x, block.y - ray->frame.y, block.z - ray->frame.z};
	const int lo[3] = {0, 0, 0}, hi[3] = {BLOCK_SIZE - 1, BLOCK_SIZE - 1, BLOCK_SIZE - 1};
	Cell corner = CellsOfBlocks(block, block).lo;
	double origin[3];
	for (int a = 0; a < 3; a++)
		origin[a] = ray->origin[a] + HALF_CELL - (double)ahead[a] * BLOCK_UNITS;
	GridWalk cells;
	GridWalk_Begin(&cells, ray, origin, SURFACE_UNIT, lo, hi, enter, leave);
	do {
		if (cast->failed || cells.enter > cast->limit)
			return;
		if (!(water[cells.at[1]] >> (8 * cells.at[2] + cells.at[0]) & 1)) {
			cast->wet = false;
			continue;
		}
		Cell cell = {corner.x + cells.at[0], corner.y + cells.at[1], corner.z + cells.at[2]};
		MeetCell(cast, cell, &cells, (double)ahead[1] * BLOCK_UNITS + cells.at[1] * SURFACE_UNIT);
	} while (GridWalk_Step(&cells));
}

void WaterCast_World(WaterCast *cast)
{
	if (!Ray_Blocks(cast->terrain, cast->ray, HALF_CELL, GROUP_WATER, 0.0, cast->ray->end, &cast->limit, MeetBlock,
	                cast))
		cast->failed = true;
}
