/* A piece back into the ground. The ground's cells are sampled from the piece's, turned as it lies: between eight of
 * them linearly, as the surface reads occupancies, so that the surface comes out where the piece's was, and so much
 * matter as it had. */
#include "pieces/carve_internal.h"

#define QUARTER 1e-4 /* of a turn's sine: as near to a quarter turn counts as one */
#define WHOLE 1e-4   /* cells: likewise, of places */

typedef struct LayBlock {
	Cell at;
	uint8_t value[BLOCK_CELLS], material[BLOCK_CELLS];
} LayBlock;

typedef struct LayPlan {
	CoordMap map;
	ARRAY(LayBlock) blocks;
	CellBox box; /* of the piece's cells */
	double position[3];
	double turn[3][3]; /* of the piece into the world: columns are its axes */
	bool blocky[MATERIAL_LIMIT];
} LayPlan;

/* ---- the piece's cells ------------------------------------------------------------------------------------------- */

static bool LoadPiece(LayPlan *plan, Memory *memory, const Piece *piece)
{
	plan->box = piece->box;
	for (int i = 0; i < piece->run_count; i++) {
		PieceRun run = piece->runs[i];
		for (int32_t x = run.x; x < run.x + run.n; x++) {
			Cell at = {x >> 3, run.y >> 3, run.z >> 3};
			int place = CoordMap_Find(&plan->map, at.x, at.y, at.z);
			if (place < 0) {
				place = plan->blocks.count;
				if (!Array_Resize(memory, plan->blocks, place + 1) ||
				    !CoordMap_Put(&plan->map, memory, at.x, at.y, at.z, place))
					return false;
				memset(&plan->blocks.data[place], 0, sizeof(LayBlock));
				plan->blocks.data[place].at = at;
			}
			int cell = (x & 7) + BLOCK * ((run.z & 7) + BLOCK * (run.y & 7));
			plan->blocks.data[place].value[cell] = run.occupancy;
			plan->blocks.data[place].material[cell] = run.material;
		}
	}
	return true;
}

/* matter: 0..256 of a cell. */
static int CellOfPiece(const LayPlan *plan, int32_t x, int32_t y, int32_t z, uint8_t *material)
{
	int place = CoordMap_Find(&plan->map, x >> 3, y >> 3, z >> 3);
	*material = MATERIAL_AIR;
	if (place < 0)
		return 0;
	int cell = (x & 7) + BLOCK * ((z & 7) + BLOCK * (y & 7));
	*material = plan->blocks.data[place].material[cell];
	return *material == MATERIAL_AIR ? 0 : plan->blocks.data[place].value[cell] + 1;
}

/* ---- sampling ---------------------------------------------------------------------------------------------------- */

/* A world cell's middle in the piece's frame, counted from the middle of its cell 0. False: beyond all of its cells. */
static bool ToPiece(const LayPlan *plan, const double world[3], double local[3])
{
	const int32_t *lo = &plan->box.lo.x, *hi = &plan->box.hi.x;
	double d[3];
	for (int a = 0; a < 3; a++)
		d[a] = world[a] - plan->position[a];
	for (int a = 0; a < 3; a++) {
		local[a] = plan->turn[0][a] * d[0] + plan->turn[1][a] * d[1] + plan->turn[2][a] * d[2] - 0.5;
		if (!(local[a] > lo[a] - 1.0 && local[a] < hi[a] + 1.0))
			return false;
	}
	return true;
}

/* matter and material at a place between eight cells. The material is that of the cell which gives most. */
static int Sample(const LayPlan *plan, const double local[3], uint8_t *material)
{
	int32_t base[3];
	double share[3], sum = 0.0, most = 0.0, nearest = 0.0;
	uint8_t m, near = MATERIAL_AIR;
	int matter = 0;
	*material = MATERIAL_AIR;
	for (int a = 0; a < 3; a++) {
		base[a] = FloorToInt(local[a] + WHOLE);
		share[a] = local[a] - base[a];
		if (share[a] < WHOLE)
			share[a] = 0.0;
	}
	for (int i = 0; i < 8; i++) {
		double weight = (i & 1 ? share[0] : 1.0 - share[0]) * (i & 2 ? share[1] : 1.0 - share[1]) *
		                (i & 4 ? share[2] : 1.0 - share[2]);
		if (weight <= 0.0)
			continue;
		int here = CellOfPiece(plan, base[0] + (i & 1), base[1] + (i >> 1 & 1), base[2] + (i >> 2), &m);
		sum += weight * here;
		if (weight * here > most) {
			most = weight * here;
			*material = m;
		}
		if (weight > nearest) { /* for cells that stay whole */
			nearest = weight;
			near = m;
			matter = here;
		}
	}
	if (plan->blocky[*material] || plan->blocky[near]) {
		*material = near;
		return matter;
	}
	return FloorToInt(sum + 0.5);
}

static void Lay_Row(void *context, int32_t x, int32_t y, int32_t z, int n, uint8_t *material, uint8_t *occupancy,
                    uint8_t *water)
{
	const LayPlan *plan = context;
	(void)water;
	for (int i = 0; i < n; i++) {
		double world[3] = {x + i + 0.5, y + 0.5, z + 0.5}, local[3];
		uint8_t m;
		if (!ToPiece(plan, world, local))
			continue;
		int matter = Sample(plan, local, &m);
		if (matter == 0)
			continue;
		if (material[i] == MATERIAL_AIR)
			material[i] = m;
		occupancy[i] = (uint8_t)Int_Max(occupancy[i], matter - 1);
	}
}

/* ---- the call ---------------------------------------------------------------------------------------------------- */

/* Rotations by quarter turns are made exact, whole cells too. */
static void SetPlace(LayPlan *plan, const double position[3], Quat q)
{
	double x = q.x, y = q.y, z = q.z, w = q.w, s = 2.0 / (x * x + y * y + z * z + w * w);
	double m[3][3] = {{1.0 - s * (y * y + z * z), s * (x * y - z * w), s * (x * z + y * w)},
	                  {s * (x * y + z * w), 1.0 - s * (x * x + z * z), s * (y * z - x * w)},
	                  {s * (x * z - y * w), s * (y * z + x * w), 1.0 - s * (x * x + y * y)}};
	bool quarters = true;
	for (int i = 0; i < 9; i++) {
		double v = m[i / 3][i % 3];
		quarters = quarters && (AbsD(v) < QUARTER || AbsD(v) > 1.0 - QUARTER);
	}
	for (int i = 0; i < 9; i++) {
		double v = m[i / 3][i % 3];
		plan->turn[i / 3][i % 3] = !quarters ? v : AbsD(v) < 0.5 ? 0.0 : v > 0.0 ? 1.0 : -1.0;
	}
	for (int a = 0; a < 3; a++) {
		double whole = (double)FloorToInt(position[a] + 0.5);
		plan->position[a] = AbsD(position[a] - whole) < WHOLE ? whole : position[a];
	}
}

/* Cells of the world that the piece's can reach. */
static CellBox ReachOf(const LayPlan *plan)
{
	const int32_t *lo = &plan->box.lo.x, *hi = &plan->box.hi.x;
	int32_t out[2][3];
	for (int a = 0; a < 3; a++) {
		double least = plan->position[a], most = plan->position[a];
		for (int b = 0; b < 3; b++) {
			double from = plan->turn[a][b] * (lo[b] - 1.0), to = plan->turn[a][b] * (hi[b] + 2.0);
			least += MinD(from, to);
			most += MaxD(from, to);
		}
		out[0][a] = FloorToInt(least);
		out[1][a] = FloorToInt(most);
	}
	return (CellBox){{out[0][0], out[0][1], out[0][2]}, {out[1][0], out[1][1], out[1][2]}};
}

int Piece_Lay(const Piece *piece, Store *store, const MaterialTable *materials, Memory *memory,
              const double position[3], Quat rotation, Tally *tally, Error *error)
{
	LayPlan plan = {.map = {0}};
	for (int a = 0; a < 3; a++)
		if (!(AbsD(position[a]) <= CELL_LIMIT))
			return Error_Set(error, ERROR_LIMIT, "it lies beyond the ground's limit of %d cells from the origin",
			                 CELL_LIMIT);
	for (int m = 0; m < materials->count; m++)
		plan.blocky[m] = m > MATERIAL_WATER && materials->items[m].blockiness >= 1.0f;
	int code = LoadPiece(&plan, memory, piece) ? ERROR_NONE : Error_OutOfMemory(error);
	SetPlace(&plan, position, rotation);
	if (code == ERROR_NONE)
		code = Store_Edit(store, ReachOf(&plan), Lay_Row, &plan, tally, error);
	CoordMap_Free(&plan.map, memory);
	Array_Free(memory, plan.blocks);
	return code;
}
