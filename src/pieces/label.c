/* Components of one chunk: union-find over runs of inside cells, row by row (after Rosenfeld and Pfaltz, "Sequential
 * operations in digital picture processing", 1966, and He, Chao and Suzuki's runs, 2008). A row of 32 cells is one
 * word. */
#include "pieces/pieces_internal.h"

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

/* Bit i: byte i is 128 or more. */
static uint32_t Row_Tops(const uint8_t *row)
{
	uint32_t bits = 0;
	for (int i = 0; i < CHUNK_SIZE / 8; i++) {
		uint64_t word;
		memcpy(&word, row + 8 * i, 8);
		bits |= (uint32_t)((((word >> 7) & 0x0101010101010101u) * 0x0102040810204080u) >> 56) << (8 * i);
	}
	return bits;
}

/* Bit i: byte i is not 0. */
static uint32_t Row_Some(const uint8_t *row)
{
	const uint64_t low = 0x7F7F7F7F7F7F7F7Fu;
	uint32_t bits = 0;
	for (int i = 0; i < CHUNK_SIZE / 8; i++) {
		uint64_t word;
		memcpy(&word, row + 8 * i, 8);
		word |= (word & low) + low;
		bits |= (uint32_t)((((word >> 7) & 0x0101010101010101u) * 0x0102040810204080u) >> 56) << (8 * i);
	}
	return bits;
}

static void ReadRows(const Store *store, Cell chunk, LabelScratch *s, bool *fringed)
{
	const uint8_t *last_m = NULL, *last_v = NULL;
	uint32_t any = 0;
	for (int y = 0; y < CHUNK_SIZE; y++)
		for (int z = 0; z < CHUNK_SIZE; z++) {
			int row = z + CHUNK_SIZE * y;
			int32_t wy = chunk.y * CHUNK_SIZE + y, wz = chunk.z * CHUNK_SIZE + z;
			const uint8_t *m = Store_Row(store, CHANNEL_MATERIAL, chunk.x, wy, wz);
			const uint8_t *v = Store_Row(store, CHANNEL_OCCUPANCY, chunk.x, wy, wz);
			if (row > 0 && m == last_m && v == last_v) { /* uniform rows share their bytes */
				s->inside[row] = s->inside[row - 1];
				s->weak[row] = s->weak[row - 1];
			} else {
				s->inside[row] = Row_Tops(v);
				s->weak[row] = Row_Some(m) & ~s->inside[row];
			}
			any |= s->weak[row];
			last_m = m;
			last_v = v;
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

static size_t Labels_Bytes(int runs)
{
	return sizeof(uint16_t) * (CHUNK_ROWS + 2) + sizeof(LabelRun) * (size_t)runs;
}

bool Labels_Make(const Store *store, Cell chunk, LabelScratch *s, Memory *memory, ChunkLabels *labels)
{
	*labels = (ChunkLabels){.chunk = chunk};
	if (Store_Blocks(store, chunk) == 0)
		return true;
	ReadRows(store, chunk, s, &labels->fringed);
	if (labels->fringed)
		AddPeaks(store, chunk, s);
	FindRuns(s);
	int count = NumberRuns(s);
	if (count == 0)
		return true;
	uint8_t *block = Memory_Alloc(memory, Labels_Bytes(s->run_count));
	if (!block)
		return false;
	labels->row_first = (uint16_t *)(void *)block;
	labels->runs = (LabelRun *)(void *)(block + sizeof(uint16_t) * (CHUNK_ROWS + 2));
	labels->run_count = s->run_count;
	labels->count = count;
	memcpy(labels->row_first, s->row_first, sizeof(s->row_first));
	memcpy(labels->runs, s->runs, sizeof(LabelRun) * (size_t)s->run_count);
	return true;
}

void Labels_Free(ChunkLabels *labels, Memory *memory)
{
	if (labels->row_first)
		Memory_Free(memory, labels->row_first, Labels_Bytes(labels->run_count));
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
