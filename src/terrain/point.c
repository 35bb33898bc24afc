/* Points: under the surface or not, in water or not, and the nearest way out. */
#include "terrain/cast_internal.h"

/* ---- inside the ground --------------------------------------------------------------------------------------- */

static Cell CellOf(const GridPoint *point)
{
	Cell cell = CellsOfBlocks(point->block, point->block).lo;
	return (Cell){cell.x + GridPoint_Cell(point, 0), cell.y + GridPoint_Cell(point, 1),
	              cell.z + GridPoint_Cell(point, 2)};
}

/* The centre of a cell is under the surface exactly when the cell is inside: each lattice edge that crosses carries one
 * quad, and no other quad comes near it. From there to the point every crossing changes sides, and all of them are
 * quads of the dual cube that holds both. */
static int CountToCentre(Terrain *terrain, const GridPoint *point, int record, bool inside, uint8_t *material)
{
	int cube[3];
	double delta[3];
	for (int a = 0; a < 3; a++) {
		cube[a] = GridPoint_Cube(point, a);
		delta[a] = (double)GridPoint_Cell(point, a) * SURFACE_UNIT - point->at[a];
	}
	if (delta[0] == 0.0 && delta[1] == 0.0 && delta[2] == 0.0)
		return inside;
	Ray ray;
	Ray_Set(&ray, point, delta);
	Cast cast = {.terrain = terrain, .ray = &ray, .mode = CAST_COUNT, .limit = ray.end};
	CubeVisit visit = CubeVisit_Begin(record, point->block);
	Cast_Cube(&cast, &visit, cube, 0.0, ray.end);
	if (cast.failed)
		return ERROR_MEMORY;
	if (cast.count % 2 == 0)
		return inside;
	if (!inside && material)
		*material = Collider_Materials(cast.nearest.collider)[cast.nearest.quad];
	return !inside;
}

/* The cell of the point may lie in the next block, beyond this block's words: then nothing is known here. */
static bool MayBeInside(const Group *group, int index, const GridPoint *point)
{
	int x = GridPoint_Cell(point, 0), y = GridPoint_Cell(point, 1), z = GridPoint_Cell(point, 2);
	return (group->inside >> index & 1) || x == BLOCK_SIZE || y == BLOCK_SIZE || z == BLOCK_SIZE ||
	       (Group_Solid(group, index)[y] >> (8 * z + x) & 1);
}

int GridPoint_InGround(Terrain *terrain, const GridPoint *point, uint8_t *material)
{
	int id = Record_Find(terrain, point->block), index = Group_Index(point->block);
	if (id < 0)
		return 0;
	const Group *group = Record_Group(terrain, id);
	const Record *record = Group_Record(group, index);
	int bit = 8 * GridPoint_Cube(point, 2) + GridPoint_Cube(point, 0);
	bool mixed = record && (record->mixed[GridPoint_Cube(point, 1)] >> bit & 1);
	if (!mixed && !MayBeInside(group, index, point))
		return 0;
	Cell cell = CellOf(point);
	int inside = (group->inside >> index & 1) || Terrain_CellInside(terrain, cell);
	if (material)
		*material = Store_Get(terrain->store, cell).material;
	return mixed ? CountToCentre(terrain, point, id, inside, material) : inside;
}

int Terrain_PointInside(Terrain *terrain, Pos point, bool *water)
{
	GridPoint at;
	if (water)
		*water = false;
	if (!GridPoint_From(terrain, point, &at))
		return 0;
	int inside = GridPoint_InGround(terrain, &at, NULL);
	if (water && inside == 0)
		*water = GridPoint_InWater(terrain, &at);
	return inside;
}

/* ---- the nearest air ----------------------------------------------------------------------------------------- */

#define RING_LIMIT 16 /* blocks: further away nothing is looked for */

typedef struct AirSearch {
	const Terrain *terrain;
	double point[3]; /* cells */
	double best;     /* squared distance, cells; nothing at or beyond it counts */
	double air[3];
	bool roomy, found;
} AirSearch;

/* Bits of cells: [y + 1][z + 1], bit x + 1, each -1..8. */
typedef uint16_t AirRows[BLOCK_SIZE + 2][BLOCK_SIZE + 2];

static void FindAir(const Terrain *terrain, Cell block, AirRows air)
{
	SurfaceField field;
	Terrain_GatherField(terrain, block, &field);
	Surface_Inside(terrain->simd, &field, air);
	for (int y = 0; y < BLOCK_SIZE + 2; y++)
		for (int z = 0; z < BLOCK_SIZE + 2; z++)
			air[y][z] ^= (1u << (BLOCK_SIZE + 2)) - 1u;
}

/* Leaves the cells of cubes of 2^3 that are all air. */
static void KeepRoomy(AirRows air)
{
	AirRows corner = {{0}}; /* the lowest cells of such cubes */
	for (int y = 0; y <= BLOCK_SIZE; y++)
		for (int z = 0; z <= BLOCK_SIZE; z++) {
			unsigned rows = air[y][z] & air[y][z + 1] & air[y + 1][z] & air[y + 1][z + 1];
			corner[y][z] = (uint16_t)(rows & rows >> 1);
		}
	memset(air, 0, sizeof(AirRows));
	for (int y = 0; y <= BLOCK_SIZE; y++)
		for (int z = 0; z <= BLOCK_SIZE; z++) {
			uint16_t pairs = (uint16_t)(corner[y][z] | corner[y][z] << 1);
			air[y][z] |= pairs;
			air[y][z + 1] |= pairs;
			air[y + 1][z] |= pairs;
			air[y + 1][z + 1] |= pairs;
		}
}

bool Terrain_HasRoom(const Terrain *terrain, Pos point)
{
	GridPoint at;
	AirRows air;
	if (!GridPoint_From(terrain, point, &at))
		return true;
	FindAir(terrain, at.block, air);
	KeepRoomy(air);
	int x = GridPoint_Cell(&at, 0), y = GridPoint_Cell(&at, 1), z = GridPoint_Cell(&at, 2);
	return air[y + 1][z + 1] >> (x + 1) & 1;
}

static void OfferCentre(AirSearch *search, const int32_t cell[3])
{
	double centre[3], distance = 0.0;
	for (int a = 0; a < 3; a++) {
		centre[a] = cell[a] + 0.5;
		distance += (centre[a] - search->point[a]) * (centre[a] - search->point[a]);
	}
	if (distance >= search->best)
		return;
	search->best = distance;
	search->found = true;
	memcpy(search->air, centre, sizeof centre);
}

static void SearchCells(AirSearch *search, Cell block)
{
	AirRows air;
	FindAir(search->terrain, block, air);
	if (search->roomy)
		KeepRoomy(air);
	Cell corner = CellsOfBlocks(block, block).lo;
	for (int y = 0; y < BLOCK_SIZE; y++)
		for (int z = 0; z < BLOCK_SIZE; z++)
			for (int x = 0; x < BLOCK_SIZE; x++)
				if (air[y + 1][z + 1] >> (x + 1) & 1)
					OfferCentre(search, (int32_t[3]){corner.x + x, corner.y + y, corner.z + z});
}

static void SearchBlock(AirSearch *search, Cell block)
{
	const int32_t at[3] = {block.x, block.y, block.z};
	int32_t nearest[3];
	double distance = 0.0;
	for (int a = 0; a < 3; a++) {
		double lo = (double)at[a] * BLOCK_SIZE + 0.5, hi = lo + BLOCK_SIZE - 1; /* of its cells' centres */
		double gap = MaxD(MaxD(lo - search->point[a], search->point[a] - hi), 0.0);
		distance += gap * gap;
		nearest[a] = FloorToInt(ClampD(search->point[a], lo, hi));
	}
	if (distance >= search->best)
		return;
	int record = Record_Find(search->terrain, block);
	if (record < 0)
		OfferCentre(search, nearest); /* all of it is air */
	else if (Record_Tag(search->terrain, record) != BLOCK_ALL_INSIDE)
		SearchCells(search, block);
}

bool Terrain_NearestAir(const Terrain *terrain, Pos point, double reach, bool roomy, Pos *air)
{
	GridPoint start;
	double size = terrain->cell_size, per_metre = terrain->cells_per_metre, cells = reach * per_metre;
	if (!GridPoint_From(terrain, point, &start) || !(cells > 0.0))
		return false;
	cells = MinD(cells, RING_LIMIT * BLOCK_SIZE);
	AirSearch search = {.terrain = terrain,
	                    .point = {point.x * per_metre, point.y * per_metre, point.z * per_metre},
	                    .best = cells * cells,
	                    .roomy = roomy};
	for (int ring = 0; ring <= RING_LIMIT; ring++) {
		double gap = (ring - 1) * (double)BLOCK_SIZE; /* no cell of the ring is nearer */
		if (ring > 1 && gap * gap >= search.best)
			break;
		for (int y = -ring; y <= ring; y++)
			for (int z = -ring; z <= ring; z++) {
				bool face = y == -ring || y == ring || z == -ring || z == ring;
				for (int x = -ring; x <= ring; x += face || ring == 0 ? 1 : 2 * ring)
					SearchBlock(&search, (Cell){start.block.x + x, start.block.y + y, start.block.z + z});
			}
	}
	if (search.found)
		*air = (Pos){search.air[0] * size, search.air[1] * size, search.air[2] * size};
	return search.found;
}
