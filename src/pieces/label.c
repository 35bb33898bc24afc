/* Components of one chunk: union-find over runs of inside cells, row by row (after Rosenfeld and Pfaltz, "Sequential
 * operations in digital picture processing", 1966, and He, Chao and Suzuki's runs, 2008). A row of 32 cells is one
 * word. */
#include "pieces/rows_internal.h"

/* Faces, edges, corners; of each the lower first, then by z, then by x. */
const int8_t neighbour_ways[26][3] = {
    {0, -1, 0},   {0, 0, -1},  {-1, 0, 0},  {1, 0, 0},  {0, 0, 1},   {0, 1, 0}, /* over faces */
    {0, -1, -1},  {-1, -1, 0}, {1, -1, 0},  {0, -1, 1}, {-1, 0, -1}, {1, 0, -1}, {-1, 0, 1}, {1, 0, 1},
    {0, 1, -1},   {-1, 1, 0},  {1, 1, 0},   {0, 1, 1}, /* over edges */
    {-1, -1, -1}, {1, -1, -1}, {-1, -1, 1}, {1, -1, 1}, {-1, 1, -1}, {1, 1, -1}, {-1, 1, 1}, {1, 1, 1},
};

bool Cell_Greatest(const Store *store, Cell cell, int own, Cell *greatest, int *value)
{
	int most = own;
	for (int i = 0; i < 26; i++) {
		const int8_t *way = neighbour_ways[i];
		Cell near = {cell.x + way[0], cell.y + way[1], cell.z + way[2]};
		int v = Store_Get(store, near).occupancy;
		if (v > most) {
			most = v;
			*greatest = near;
		}
	}
	*value = most;
	return most > own;
}

/* ---- rows as words ----------------------------------------------------------------------------------------------- */

static void ReadRows(const Store *store, Cell chunk, LabelScratch *s, bool *fringed)
{
	uint32_t any = 0;
	Store_ChunkRows(store, CHANNEL_MATERIAL, chunk, s->materials);
	Store_ChunkRows(store, CHANNEL_OCCUPANCY, chunk, s->values);
	for (int row = 0; row < CHUNK_ROWS; row++) {
		if (row > 0 && s->materials[row] == s->materials[row - 1] && s->values[row] == s->values[row - 1]) {
			s->inside[row] = s->inside[row - 1]; /* uniform rows share their bytes */
			s->weak[row] = s->weak[row - 1];
		} else {
			s->inside[row] = Row_Tops(s->values[row]);
			s->weak[row] = Row_Some(s->materials[row]) & ~s->inside[row];
		}
		any |= s->weak[row];
	}
	*fringed = any != 0;
}

/* Weak cells of a row that have no cell of 128 or more within one cell, as far as the chunk tells. */
static uint32_t Row_Candidates(const LabelScratch *s, int y, int z)
{
	uint32_t near = 0;
	for (int dy = Int_Max(y - 1, 0); dy <= Int_Min(y + 1, CHUNK_SIZE - 1); dy++)
		for (int dz = Int_Max(z - 1, 0); dz <= Int_Min(z + 1, CHUNK_SIZE - 1); dz++)
			near |= s->inside[dz + CHUNK_SIZE * dy];
	return s->weak[z + CHUNK_SIZE * y] & ~(near | near << 1 | near >> 1);
}

/* Cells under 128 that have no greater neighbour count as inside. Most have one within the chunk, which words tell. */
static void AddPeaks(const Store *store, Cell chunk, LabelScratch *s)
{
	memset(s->peaks, 0, sizeof(s->peaks));
	for (int row = 0; row < CHUNK_ROWS; row++) {
		int y = row / CHUNK_SIZE, z = row % CHUNK_SIZE;
		uint32_t left = s->weak[row] ? Row_Candidates(s, y, z) : 0;
		for (; left != 0; left &= left - 1) {
			int x = __builtin_ctz(left), value;
			Cell cell = {chunk.x * CHUNK_SIZE + x, chunk.y * CHUNK_SIZE + y, chunk.z * CHUNK_SIZE + z}, greatest;
			if (!Cell_Greatest(store, cell, Store_Get(store, cell).occupancy, &greatest, &value))
				s->peaks[row] |= 1u << x;
		}
	}
	for (int row = 0; row < CHUNK_ROWS; row++)
		s->inside[row] |= s->peaks[row];
}

/* ---- union-find -------------------------------------------------------------------------------------------------- */

/* The root is the earliest run of its set, so that numbers follow from places. */
static int Find(uint16_t *parent, int i)
{
	while (parent[i] != i) {
		parent[i] = parent[parent[i]];
		i = parent[i];
	}
	return i;
}

static void Unite(uint16_t *parent, int a, int b)
{
	a = Find(parent, a);
	b = Find(parent, b);
	if (a < b)
		parent[b] = (uint16_t)a;
	else
		parent[a] = (uint16_t)b;
}

static void AddRuns(LabelScratch *s, uint32_t bits)
{
	while (bits != 0) {
		int first = __builtin_ctz(bits);
		uint32_t rest = ~(bits >> first);
		int length = first == 0 && rest == 0 ? CHUNK_SIZE : __builtin_ctz(rest);
		s->parent[s->run_count] = (uint16_t)s->run_count;
		s->runs[s->run_count++] = (LabelRun){(uint8_t)first, (uint8_t)(first + length - 1), 0};
		bits &= first + length == CHUNK_SIZE ? 0 : ~0u << (first + length);
	}
}

static void JoinRows(LabelScratch *s, int row, int other)
{
	int a = s->row_first[row], a_end = s->row_first[row + 1], b = s->row_first[other], b_end = s->row_first[other + 1];
	while (a < a_end && b < b_end) {
		if (s->runs[a].first <= s->runs[b].last && s->runs[b].first <= s->runs[a].last)
			Unite(s->parent, a, b);
		if (s->runs[a].last < s->runs[b].last)
			a++;
		else
			b++;
	}
}

static void FindRuns(LabelScratch *s)
{
	s->run_count = 0;
	for (int row = 0; row < CHUNK_ROWS; row++) {
		s->row_first[row] = (uint16_t)s->run_count;
		AddRuns(s, s->inside[row]);
		s->row_first[row + 1] = (uint16_t)s->run_count;
		if (row % CHUNK_SIZE > 0)
			JoinRows(s, row, row - 1);
		if (row >= CHUNK_SIZE)
			JoinRows(s, row, row - CHUNK_SIZE);
	}
}

static int NumberRuns(LabelScratch *s)
{
	int count = 0;
	for (int i = 0; i < s->run_count; i++) {
		int root = Find(s->parent, i);
		if (root == i)
			s->number[i] = (uint16_t)count++;
		s->runs[i].label = s->number[root];
	}
	return count;
}

/* ---- the call ---------------------------------------------------------------------------------------------------- */

/* Bits of fringes, rows, runs: one block. False: no memory. */
static bool AllocLabels(ChunkLabels *labels, bool fringed, int runs, Memory *memory)
{
	size_t fringe = fringed ? sizeof(uint32_t) * CHUNK_ROWS : 0, rows = sizeof(uint16_t) * (CHUNK_ROWS + 2);
	labels->bytes = fringe + rows + sizeof(LabelRun) * (size_t)runs;
	uint8_t *block = Memory_Alloc(memory, labels->bytes);
	if (!block)
		return false;
	labels->fringe = fringed ? (uint32_t *)(void *)block : NULL;
	labels->row_first = (uint16_t *)(void *)(block + fringe);
	labels->runs = (LabelRun *)(void *)(block + fringe + rows);
	return true;
}

bool Labels_Make(const Store *store, Cell chunk, LabelScratch *s, Memory *memory, ChunkLabels *labels)
{
	bool fringed;
	*labels = (ChunkLabels){.chunk = chunk};
	if (Store_Blocks(store, chunk) == 0)
		return true;
	ReadRows(store, chunk, s, &fringed);
	if (fringed)
		AddPeaks(store, chunk, s);
	FindRuns(s);
	int count = NumberRuns(s);
	if (count == 0 && !fringed)
		return true;
	if (!AllocLabels(labels, fringed, s->run_count, memory))
		return false;
	labels->run_count = s->run_count;
	labels->count = count;
	memcpy(labels->row_first, s->row_first, sizeof(s->row_first));
	memcpy(labels->runs, s->runs, sizeof(LabelRun) * (size_t)s->run_count);
	for (int row = 0; row < CHUNK_ROWS && fringed; row++)
		labels->fringe[row] = s->weak[row] & ~s->peaks[row];
	return true;
}

void Labels_Free(ChunkLabels *labels, Memory *memory)
{
	if (labels->row_first)
		Memory_Free(memory, labels->fringe ? (void *)labels->fringe : labels->row_first, labels->bytes);
	labels->row_first = NULL;
}

int Labels_At(const ChunkLabels *labels, int x, int row)
{
	if (labels->count == 0)
		return NONE;
	int n;
	const LabelRun *runs = Labels_Row(labels, row, &n);
	for (int i = 0; i < n; i++)
		if (runs[i].first <= x && x <= runs[i].last)
			return runs[i].label;
	return NONE;
}
