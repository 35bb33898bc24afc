/* The cells of a piece: making, counting, weighing, keeping. */
#include "pieces/pieces_internal.h"

static size_t Piece_Bytes(int runs)
{
	return sizeof(Piece) + sizeof(PieceRun) * (size_t)runs;
}

Piece *Piece_Create(Memory *memory, int runs)
{
	Piece *piece = Memory_AllocZero(memory, Piece_Bytes(runs));
	if (!piece)
		return NULL;
	piece->bytes = Piece_Bytes(runs);
	piece->run_count = runs;
	piece->runs = (PieceRun *)(void *)(piece + 1);
	return piece;
}

void Piece_Destroy(Memory *memory, Piece *piece)
{
	if (piece)
		Memory_Free(memory, piece, piece->bytes);
}

void Piece_Measure(Piece *piece)
{
	CellBox box = {{INT32_MAX, INT32_MAX, INT32_MAX}, {INT32_MIN, INT32_MIN, INT32_MIN}};
	piece->cells = 0;
	for (int i = 0; i < piece->run_count; i++) {
		PieceRun run = piece->runs[i];
		piece->cells += run.n;
		box.lo = (Cell){Int_Min(box.lo.x, run.x), Int_Min(box.lo.y, run.y), Int_Min(box.lo.z, run.z)};
		box.hi = (Cell){Int_Max(box.hi.x, run.x + run.n - 1), Int_Max(box.hi.y, run.y), Int_Max(box.hi.z, run.z)};
	}
	piece->box = box;
}

void Piece_Count(const Piece *piece, int64_t cells[MATERIAL_LIMIT], int64_t matter[MATERIAL_LIMIT])
{
	for (int i = 0; i < piece->run_count; i++) {
		PieceRun run = piece->runs[i];
		cells[run.material] += run.n;
		matter[run.material] += (int64_t)run.n * (run.occupancy + 1);
	}
}

uint8_t Piece_Material(const Piece *piece)
{
	int64_t cells[MATERIAL_LIMIT] = {0}, matter[MATERIAL_LIMIT] = {0};
	int most = 0;
	Piece_Count(piece, cells, matter);
	for (int m = 0; m < MATERIAL_LIMIT; m++)
		if (matter[m] > matter[most])
			most = m;
	return (uint8_t)most;
}

/* ---- mass -------------------------------------------------------------------------------------------------------- */

/* Sums over cells: mass, first and second moments of their centres. */
typedef struct CellSums {
	double mass, x, y, z, xx, yy, zz, xy, xz, yz;
} CellSums;

/* From a point near the middle, so that little cancels. */
static CellSums SumCells(const Piece *piece, const MaterialTable *materials)
{
	CellSums s = {0};
	for (int i = 0; i < piece->run_count; i++) {
		PieceRun run = piece->runs[i];
		double n = run.n, each = (double)materials->items[run.material].density * ((double)run.occupancy + 1.0) / 256.0;
		double x = run.x + 0.5 * n, y = run.y + 0.5, z = run.z + 0.5; /* of the run's middle */
		double m = n * each, spread = each * n * (n * n - 1.0) / 12.0;
		s.mass += m;
		s.x += m * x;
		s.y += m * y;
		s.z += m * z;
		s.xx += m * x * x + spread;
		s.yy += m * y * y;
		s.zz += m * z * z;
		s.xy += m * x * y;
		s.xz += m * x * z;
		s.yz += m * y * z;
	}
	return s;
}

MassProps Piece_Mass(const Piece *piece, const MaterialTable *materials, double size)
{
	CellSums s = SumCells(piece, materials);
	double x = s.x / s.mass, y = s.y / s.mass, z = s.z / s.mass, own = s.mass / 12.0; /* of cubes about themselves */
	double xx = s.xx - s.mass * x * x + own, yy = s.yy - s.mass * y * y + own, zz = s.zz - s.mass * z * z + own;
	double xy = s.xy - s.mass * x * y, xz = s.xz - s.mass * x * z, yz = s.yz - s.mass * y * z;
	double mass = size * size * size, square = mass * size * size;
	float ixy = (float)(-xy * square), ixz = (float)(-xz * square), iyz = (float)(-yz * square);
	return (MassProps){(float)(s.mass * mass), V3((float)(x * size), (float)(y * size), (float)(z * size)),
	                   (Mat3){{(float)((yy + zz) * square), ixy, ixz},
	                          {ixy, (float)((xx + zz) * square), iyz},
	                          {ixz, iyz, (float)((xx + yy) * square)}}};
}

/* ---- keeping ----------------------------------------------------------------------------------------------------- */

void Piece_Hash(const Piece *piece, Hasher *hasher)
{
	_Static_assert(sizeof(PieceRun) == 16, "no padding, which would be hashed");
	Hasher_Bytes(hasher, &piece->origin, sizeof(piece->origin));
	Hasher_Bytes(hasher, piece->runs, sizeof(PieceRun) * (size_t)piece->run_count);
}

static void Archive_Run(Archive *ar, PieceRun *run, int material_count)
{
	int32_t *at[] = {&run->x, &run->y, &run->z};
	int n = run->n;
	for (int i = 0; i < 3; i++)
		Archive_Int(ar, at[i], -CELL_LIMIT, CELL_LIMIT);
	Archive_Int(ar, &n, 1, UINT16_MAX);
	run->n = (uint16_t)n;
	Archive_U8(ar, &run->material);
	Archive_U8(ar, &run->occupancy);
	Archive_IsSound(ar, run->material > MATERIAL_WATER && run->material < material_count,
	                "a piece is of no solid material");
}

void Piece_Archive(Archive *ar, Memory *memory, int material_count, Piece **piece)
{
	bool there = !ar->reading && *piece;
	Archive_Bool(ar, &there);
	if (ar->reading)
		*piece = NULL;
	if (!there || ar->failure != ERROR_NONE)
		return;
	int count = Archive_Count(ar, ar->reading ? 0 : (*piece)->run_count, INT32_MAX / 32, 18);
	if (ar->reading && Archive_IsSound(ar, count > 0, "a piece has no cells") &&
	    !(*piece = Piece_Create(memory, count)))
		ar->failure = ERROR_MEMORY;
	if (!*piece)
		return;
	Cell *origin = &(*piece)->origin;
	Archive_Int(ar, &origin->x, -CELL_LIMIT, CELL_LIMIT);
	Archive_Int(ar, &origin->y, -CELL_LIMIT, CELL_LIMIT);
	Archive_Int(ar, &origin->z, -CELL_LIMIT, CELL_LIMIT);
	for (int i = 0; i < count; i++)
		Archive_Run(ar, &(*piece)->runs[i], material_count);
	if (ar->reading && ar->failure != ERROR_NONE) {
		Piece_Destroy(memory, *piece);
		*piece = NULL;
	} else if (ar->reading) {
		Piece_Measure(*piece);
	}
}
