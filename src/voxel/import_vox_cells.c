/* From placed models to one list of distinct cells sorted by (z, y, x).
 *
 * Where the scene is compact its bounds are laid out as a grid of colours, a byte a cell, which sorts and unites in one
 * go. Where it is scattered (small things far apart) the cells are sorted by radix. Both give the same list. */
#include "voxel/import_internal.h"

#define GRID_LIMIT ((int64_t)1 << 26)
/* A grid may have that many cells for each voxel; it is cheaper than sorting up to there. */
#define GRID_PER_VOXEL 64

/* floor(R (p + 0.5 - floor(size / 2)) + t) on one axis, in halves: R maps odd numbers to odd numbers, so halving is
 * exact. */
static int32_t Instance_Axis(const VoxInstance *instance, const VoxPiece *piece, int r, int32_t p)
{
	const VoxTurn *turn = &instance->turn;
	int32_t halves = turn->sign[r] * (2 * p + 1 - 2 * (piece->size[turn->axis[r]] / 2));
	return (halves - 1) / 2 + (int32_t)turn->shift[r];
}

static VoxCell Instance_Cell(const VoxInstance *instance, const VoxPiece *piece, const uint8_t voxel[4])
{
	const int8_t *axis = instance->turn.axis;
	return (VoxCell){Instance_Axis(instance, piece, 0, voxel[axis[0]]),
	                 Instance_Axis(instance, piece, 1, voxel[axis[1]]),
	                 Instance_Axis(instance, piece, 2, voxel[axis[2]]), voxel[3]};
}

/* The bounds of all that is placed; there is something. */
static void Cells_Bounds(const VoxFile *file, VoxCell *lo, VoxCell *hi)
{
	int32_t first[3] = {INT32_MAX, INT32_MAX, INT32_MAX}, last[3] = {INT32_MIN, INT32_MIN, INT32_MIN};
	for (int i = 0; i < file->instances.count; i++) {
		const VoxInstance *instance = &file->instances.data[i];
		const VoxPiece *piece = &file->pieces.data[instance->piece];
		for (int r = 0; r < 3; r++) {
			int a = instance->turn.axis[r];
			int32_t p = Instance_Axis(instance, piece, r, piece->lo[a]);
			int32_t q = Instance_Axis(instance, piece, r, piece->hi[a]);
			first[r] = Int_Min(first[r], Int_Min(p, q));
			last[r] = Int_Max(last[r], Int_Max(p, q));
		}
	}
	*lo = (VoxCell){first[0], first[1], first[2], 0};
	*hi = (VoxCell){last[0], last[1], last[2], 0};
}

/* ---- grid -------------------------------------------------------------------------------------------------- */

static int64_t Extent(int32_t lo, int32_t hi)
{
	return (int64_t)hi - lo + 1;
}

/* Cells of the bounds, or -1 when a grid of them is not worth while. */
static int64_t Grid_Volume(const VoxFile *file, const VoxModel *model)
{
	int64_t limit = file->placed < GRID_LIMIT / GRID_PER_VOXEL ? file->placed * GRID_PER_VOXEL : GRID_LIMIT;
	int64_t area = Extent(model->lo.x, model->hi.x);
	if (area > limit)
		return -1;
	area *= Extent(model->lo.y, model->hi.y);
	if (area > limit)
		return -1;
	area *= Extent(model->lo.z, model->hi.z);
	return area > limit ? -1 : area;
}

/* Lays the colours into the grid and returns how many cells have one. */
static int64_t Grid_Paint(const VoxFile *file, const VoxModel *model, uint8_t *grid)
{
	int64_t nx = Extent(model->lo.x, model->hi.x), ny = Extent(model->lo.y, model->hi.y), count = 0;
	for (int i = 0; i < file->instances.count; i++) {
		const VoxInstance *instance = &file->instances.data[i];
		const VoxPiece *piece = &file->pieces.data[instance->piece];
		for (int32_t v = 0; v < piece->stored; v++) {
			const uint8_t *voxel = piece->voxels + 4 * (size_t)v;
			if (!VoxPiece_Holds(piece, voxel))
				continue;
			VoxCell cell = Instance_Cell(instance, piece, voxel);
			uint8_t *at = grid + (((cell.z - model->lo.z) * ny + (cell.y - model->lo.y)) * nx + (cell.x - model->lo.x));
			count += *at == 0;
			*at = cell.color;
		}
	}
	return count;
}

static void Grid_List(const VoxModel *model, const uint8_t *grid, VoxCell *cells)
{
	for (int32_t z = model->lo.z; z <= model->hi.z; z++)
		for (int32_t y = model->lo.y; y <= model->hi.y; y++)
			for (int32_t x = model->lo.x; x <= model->hi.x; x++, grid++)
				if (*grid)
					*cells++ = (VoxCell){x, y, z, *grid};
}

static int Cells_FillByGrid(const VoxFile *file, VoxModel *model, int64_t volume, Error *error)
{
	uint8_t *grid = Memory_AllocZero(file->memory, (size_t)volume);
	if (!grid)
		return Error_OutOfMemory(error);
	int64_t count = Grid_Paint(file, model, grid);
	model->cells = Memory_Alloc(file->memory, (size_t)count * sizeof(VoxCell));
	if (model->cells) {
		Grid_List(model, grid, model->cells);
		model->count = model->capacity = count;
	}
	Memory_Free(file->memory, grid, (size_t)volume);
	return model->cells ? ERROR_NONE : Error_OutOfMemory(error);
}

/* ---- sort -------------------------------------------------------------------------------------------------- */

static void Cells_List(const VoxFile *file, VoxCell *cells)
{
	for (int i = 0; i < file->instances.count; i++) {
		const VoxInstance *instance = &file->instances.data[i];
		const VoxPiece *piece = &file->pieces.data[instance->piece];
		for (int32_t v = 0; v < piece->stored; v++) {
			const uint8_t *voxel = piece->voxels + 4 * (size_t)v;
			if (VoxPiece_Holds(piece, voxel))
				*cells++ = Instance_Cell(instance, piece, voxel);
		}
	}
}

/* Eight bits of the distance from `lo` along the axis. */
static uint32_t Cell_Digit(const VoxCell *cell, int axis, const VoxCell *lo, int shift)
{
	uint32_t distance = axis == 0   ? (uint32_t)cell->x - (uint32_t)lo->x
	                    : axis == 1 ? (uint32_t)cell->y - (uint32_t)lo->y
	                                : (uint32_t)cell->z - (uint32_t)lo->z;
	return distance >> shift & 255;
}

/* One pass of a stable radix sort. False when all cells have the same digit and nothing was done. */
static bool Cells_Pass(const VoxCell *from, VoxCell *to, int64_t count, int axis, const VoxCell *lo, int shift)
{
	int64_t start[256] = {0};
	for (int64_t i = 0; i < count; i++)
		start[Cell_Digit(&from[i], axis, lo, shift)]++;
	if (start[Cell_Digit(&from[0], axis, lo, shift)] == count)
		return false;
	int64_t sum = 0;
	for (int d = 0; d < 256; d++) {
		int64_t here = start[d];
		start[d] = sum;
		sum += here;
	}
	for (int64_t i = 0; i < count; i++)
		to[start[Cell_Digit(&from[i], axis, lo, shift)]++] = from[i];
	return true;
}

/* Sorts by (z, y, x), equal cells in their old order. Returns where the result is: cells or scratch. */
static VoxCell *Cells_Sort(VoxCell *cells, VoxCell *scratch, int64_t count, const VoxCell *lo)
{
	for (int axis = 0; axis < 3; axis++)
		for (int shift = 0; shift < 32; shift += 8)
			if (Cells_Pass(cells, scratch, count, axis, lo, shift)) {
				VoxCell *swap = cells;
				cells = scratch;
				scratch = swap;
			}
	return cells;
}

/* Of equal cells the last stays. Returns how many are left. */
static int64_t Cells_Unite(VoxCell *cells, int64_t count)
{
	int64_t kept = 0;
	for (int64_t i = 0; i < count; i++) {
		if (kept > 0) {
			const VoxCell *last = &cells[kept - 1], *next = &cells[i];
			if (last->x == next->x && last->y == next->y && last->z == next->z)
				kept--;
		}
		cells[kept++] = cells[i];
	}
	return kept;
}

static int Cells_FillBySort(const VoxFile *file, VoxModel *model, Error *error)
{
	Memory *memory = file->memory;
	size_t bytes = (size_t)file->placed * sizeof(VoxCell);
	VoxCell *cells = Memory_Alloc(memory, bytes);
	VoxCell *scratch = cells ? Memory_Alloc(memory, bytes) : NULL;
	if (!scratch) {
		Memory_Free(memory, cells, bytes);
		return Error_OutOfMemory(error);
	}
	Cells_List(file, cells);
	model->cells = Cells_Sort(cells, scratch, file->placed, &model->lo);
	model->capacity = file->placed;
	Memory_Free(memory, model->cells == cells ? scratch : cells, bytes);
	model->count = Cells_Unite(model->cells, file->placed);
	return ERROR_NONE;
}

int Vox_FillCells(const VoxFile *file, VoxModel *model, Error *error)
{
	if (file->placed == 0)
		return ERROR_NONE;
	Cells_Bounds(file, &model->lo, &model->hi);
	int64_t volume = Grid_Volume(file, model);
	int code = volume > 0 ? Cells_FillByGrid(file, model, volume, error) : Cells_FillBySort(file, model, error);
	model->overlaps = file->placed - model->count;
	if (code)
		memset(model, 0, sizeof *model);
	return code;
}
