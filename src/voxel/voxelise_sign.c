/* Inside or outside: the winding number of a mesh at the centres of cells, by counting crossings along lines.
 *
 * All is decided in whole numbers. A line that meets an edge or a vertex is taken to pass an infinitely small step
 * beside it, the same step for every triangle (the rule by which rasterisers fill), so each crossing of a closed mesh
 * is counted exactly once and inside and outside never leak into each other. */
#include "voxel/voxelise_internal.h"

typedef struct CrossingFinder {
	Crossings *out;
	Memory *memory;
	const MeshLattice *lattice;
	int64_t lines; /* looked at so far */
} CrossingFinder;

/* ---- one triangle ------------------------------------------------------------------------------------------------ */

/* Twice the area of (a, b, p) in the plane across the axis, positive when they turn counter-clockwise. */
static int64_t Turn(const int32_t *a, const int32_t *b, int64_t pu, int64_t pv, int u, int v)
{
	return ((int64_t)b[u] - a[u]) * (pv - a[v]) - ((int64_t)b[v] - a[v]) * (pu - a[u]);
}

/* Does a point on the edge a -> b of a counter-clockwise triangle belong to it? To one of two neighbours exactly. */
static bool OwnsEdge(const int32_t *a, const int32_t *b, int u, int v)
{
	return b[v] < a[v] || (b[v] == a[v] && b[u] > a[u]);
}

/* The first cell along the line whose centre is not before x (in 1/4096 cell). */
static int32_t CellFrom(double x, int32_t size)
{
	double cell = x * (1.0 / LATTICE) - 0.5;
	if (!(cell > 0.0))
		return 0;
	return cell < size ? CeilToInt(cell) : size;
}

static bool Crossings_Add(CrossingFinder *finder, uint64_t key)
{
	Crossings *out = finder->out;
	if (out->count == out->room) {
		int64_t room = out->room + out->room / 2 + 1024;
		uint64_t *keys =
		    Memory_Resize(finder->memory, out->keys, (size_t)out->room * sizeof *keys, (size_t)room * sizeof *keys);
		if (!keys)
			return false;
		out->keys = keys;
		out->room = room;
	}
	out->keys[out->count++] = key;
	return true;
}

/* The lines whose number along one axis across lies in lo..hi (1/4096 cell). */
static void LineRange(int32_t lo, int32_t hi, int32_t size, int32_t *first, int32_t *last)
{
	const int half = LATTICE / 2;
	*first = Int_Max(0, (int32_t)(((int64_t)lo + LATTICE - 1 - half) / LATTICE) - 1);
	*last = Int_Min(size - 1, (int32_t)(((int64_t)hi - half) / LATTICE) + 1);
}

static int Crossings_Triangle(CrossingFinder *finder, const int32_t *const corner[3], Error *error)
{
	Crossings *out = finder->out;
	const MeshLattice *lattice = finder->lattice;
	int u = out->u, v = out->v;
	const int32_t *a = corner[0], *b = corner[1], *c = corner[2];
	int64_t area = Turn(a, b, c[u], c[v], u, v);
	if (area == 0)
		return ERROR_NONE;
	bool goes_in = area < 0; /* its outside looks back along the axis */
	if (goes_in) {
		const int32_t *swap = b;
		b = c, c = swap;
		area = -area;
	}
	int32_t first[2], last[2];
	LineRange(Int_Min(a[u], Int_Min(b[u], c[u])), Int_Max(a[u], Int_Max(b[u], c[u])), lattice->size[u], &first[0],
	          &last[0]);
	LineRange(Int_Min(a[v], Int_Min(b[v], c[v])), Int_Max(a[v], Int_Max(b[v], c[v])), lattice->size[v], &first[1],
	          &last[1]);
	finder->lines += Int_Max(0, last[0] - first[0] + 1) * (int64_t)Int_Max(0, last[1] - first[1] + 1);
	if (finder->lines > LINE_LIMIT)
		return Error_Set(error, ERROR_LIMIT, "the mesh is too large for its number of triangles: use a smaller scale");
	bool owns[3] = {OwnsEdge(b, c, u, v), OwnsEdge(c, a, u, v), OwnsEdge(a, b, u, v)};
	for (int32_t j = first[1]; j <= last[1]; j++) {
		int64_t pv = (int64_t)j * LATTICE + LATTICE / 2;
		for (int32_t i = first[0]; i <= last[0]; i++) {
			int64_t pu = (int64_t)i * LATTICE + LATTICE / 2;
			int64_t wa = Turn(b, c, pu, pv, u, v), wb = Turn(c, a, pu, pv, u, v), wc = area - wa - wb;
			if (wa < !owns[0] || wb < !owns[1] || wc < !owns[2])
				continue;
			double x =
			    ((double)wa * a[out->axis] + (double)wb * b[out->axis] + (double)wc * c[out->axis]) / (double)area;
			uint64_t line = (uint64_t)i + (uint64_t)lattice->size[u] * (uint64_t)j;
			uint64_t cell = (uint64_t)CellFrom(x, lattice->size[out->axis]);
			if (out->count >= CROSSING_LIMIT)
				return Error_Set(error, ERROR_LIMIT,
				                 "the mesh crosses more than %lld lines of cells: use a smaller scale",
				                 (long long)CROSSING_LIMIT);
			if (!Crossings_Add(finder, (line << 19 | cell) << 1 | goes_in))
				return Error_OutOfMemory(error);
		}
	}
	return ERROR_NONE;
}

/* ---- sorting ----------------------------------------------------------------------------------------------------- */

/* One pass of a stable radix sort on eight bits; false when all have the same digit and nothing was done. */
static bool Keys_Pass(const uint64_t *from, uint64_t *to, int64_t count, int shift)
{
	int64_t start[256] = {0}, sum = 0;
	for (int64_t i = 0; i < count; i++)
		start[from[i] >> shift & 255]++;
	if (start[from[0] >> shift & 255] == count)
		return false;
	for (int d = 0; d < 256; d++) {
		int64_t here = start[d];
		start[d] = sum;
		sum += here;
	}
	for (int64_t i = 0; i < count; i++)
		to[start[from[i] >> shift & 255]++] = from[i];
	return true;
}

uint64_t *Keys_Sort(uint64_t *keys, uint64_t *other, int64_t count)
{
	for (int shift = 0; shift < 64; shift += 8)
		if (Keys_Pass(keys, other, count, shift)) {
			uint64_t *swap = keys;
			keys = other;
			other = swap;
		}
	return keys;
}

static int Crossings_Sort(Crossings *crossings, Memory *memory, Error *error)
{
	size_t count = (size_t)crossings->count;
	if (count == 0)
		return ERROR_NONE;
	uint64_t *keys =
	    Memory_Resize(memory, crossings->keys, (size_t)crossings->room * sizeof *keys, count * sizeof *keys);
	if (!keys)
		return Error_OutOfMemory(error);
	crossings->keys = keys;
	crossings->room = crossings->count;
	uint64_t *other = Memory_Alloc(memory, count * sizeof *other);
	crossings->sums = Memory_Alloc(memory, count * sizeof *crossings->sums);
	if (other && crossings->sums) {
		uint64_t *sorted = Keys_Sort(crossings->keys, other, crossings->count);
		other = sorted == other ? crossings->keys : other;
		crossings->keys = sorted;
		int32_t sum = 0;
		for (size_t i = 0; i < count; i++)
			crossings->sums[i] = sum += crossings->keys[i] & 1 ? 1 : -1;
	}
	bool done = other && crossings->sums;
	Memory_Free(memory, other, count * sizeof *other);
	return done ? ERROR_NONE : Error_OutOfMemory(error);
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

int Crossings_Find(Crossings *crossings, Memory *memory, const MeshLattice *lattice, const MeshFill *fill, int axis,
                   Progress *progress, Error *error)
{
	/* (u, v, axis) right-handed, so that a positive turn looks along the axis. */
	*crossings = (Crossings){.axis = axis, .u = (axis + 1) % 3, .v = (axis + 2) % 3};
	CrossingFinder finder = {crossings, memory, lattice, 0};
	int code = ERROR_NONE;
	for (int64_t t = 0; t < fill->triangle_count && !code; t++) {
		const int32_t *corner[3];
		for (int k = 0; k < 3; k++)
			corner[k] = lattice->at + 3 * (size_t)fill->indices[3 * t + k];
		code = Crossings_Triangle(&finder, corner, error);
		if ((t & 1023) == 0)
			Progress_Update(progress, 0.3 * (double)t / (double)fill->triangle_count);
	}
	if (!code)
		code = Crossings_Sort(crossings, memory, error);
	return code;
}

void Crossings_Free(Crossings *crossings, Memory *memory)
{
	if (crossings->sums)
		Memory_Free(memory, crossings->sums, (size_t)crossings->room * sizeof *crossings->sums);
	Memory_Free(memory, crossings->keys, (size_t)crossings->room * sizeof *crossings->keys);
	*crossings = (Crossings){0};
}

/* ---- votes ------------------------------------------------------------------------------------------------------- */

/* The first key that is not below `key`. */
static int64_t Crossings_Bisect(const Crossings *crossings, uint64_t key)
{
	int64_t low = 0, high = crossings->count;
	while (low < high) {
		int64_t middle = low + (high - low) / 2;
		if (crossings->keys[middle] < key)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* What keys[first..end) add. */
static int64_t Crossings_Sum(const Crossings *crossings, int64_t first, int64_t end)
{
	int64_t before = first > 0 ? crossings->sums[first - 1] : 0;
	return (end > 0 ? crossings->sums[end - 1] : 0) - before;
}

static bool Says(const Crossings *crossings, int64_t first, int64_t end, bool parity)
{
	return parity ? (end - first) & 1 : Crossings_Sum(crossings, first, end) != 0;
}

/* One line of SIGN_SIZE cells; `step` from one to the next in `votes`. */
static void Vote_Line(const Crossings *crossings, const MeshLattice *lattice, uint64_t line, int64_t from, bool parity,
                      uint8_t *votes, int step)
{
	int64_t size = lattice->size[crossings->axis];
	int64_t first = Crossings_Bisect(crossings, line << 20), end = Crossings_Bisect(crossings, (line + 1) << 20);
	if (first == end)
		return;
	int64_t low = from < 0 ? 0 : from > size ? size : from;
	int64_t at = Crossings_Bisect(crossings, (line << 19 | (uint64_t)low) << 1);
	for (int i = 0; i < SIGN_SIZE; i++) {
		while (at < end && (int64_t)(crossings->keys[at] >> 1 & ((1 << 19) - 1)) <= from + i)
			at++;
		if (from + i >= 0 && from + i < size)
			votes[i * step] += Says(crossings, first, at, parity) + Says(crossings, at, end, parity);
	}
}

void Crossings_Vote(const Crossings *crossings, const MeshLattice *lattice, Cell from, bool parity, uint8_t *votes)
{
	static const int steps[3] = {1, SIGN_SIZE * SIGN_SIZE, SIGN_SIZE};
	const int64_t at[3] = {(int64_t)from.x - lattice->lo.x, (int64_t)from.y - lattice->lo.y,
	                       (int64_t)from.z - lattice->lo.z};
	int u = crossings->u, v = crossings->v;
	for (int j = 0; j < SIGN_SIZE; j++)
		for (int i = 0; i < SIGN_SIZE; i++) {
			int64_t pu = at[u] + i, pv = at[v] + j;
			if (pu < 0 || pv < 0 || pu >= lattice->size[u] || pv >= lattice->size[v])
				continue;
			uint64_t line = (uint64_t)pu + (uint64_t)lattice->size[u] * (uint64_t)pv;
			Vote_Line(crossings, lattice, line, at[crossings->axis], parity, votes + i * steps[u] + j * steps[v],
			          steps[crossings->axis]);
		}
}

bool Crossings_Inside(const Crossings *crossings, const MeshLattice *lattice, Cell cell, bool parity)
{
	const int64_t at[3] = {(int64_t)cell.x - lattice->lo.x, (int64_t)cell.y - lattice->lo.y,
	                       (int64_t)cell.z - lattice->lo.z};
	for (int i = 0; i < 3; i++)
		if (at[i] < 0 || at[i] >= lattice->size[i])
			return false;
	uint64_t line = (uint64_t)at[crossings->u] + (uint64_t)lattice->size[crossings->u] * (uint64_t)at[crossings->v];
	int64_t first = Crossings_Bisect(crossings, line << 20);
	int64_t end = Crossings_Bisect(crossings, (line << 19 | (uint64_t)(at[crossings->axis] + 1)) << 1);
	return Says(crossings, first, end, parity);
}
