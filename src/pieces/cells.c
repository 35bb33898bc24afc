/* From loose components to pieces: which cells go with them, fringes too, in runs. */
#include "pieces/rows_internal.h"

#include <stdlib.h>

#define FIELD (CHUNK_SIZE + 2) /* a chunk and one cell around it */
#define FIELD_CELLS (FIELD * FIELD * FIELD)

/* A fringe cell that goes with a piece. */
typedef struct FringeCell {
	uint16_t row;
	uint8_t x;
	int piece;
} FringeCell;

/* A chunk that cells are taken from. */
typedef struct TakenChunk {
	Cell chunk;
	int place;                /* of its labels */
	int fringe, fringe_count; /* in `fringe` */
	uint8_t lo[3], hi[3];     /* of its cells that go, counted from the corner */
	bool any;                 /* has such cells */
} TakenChunk;

typedef struct Taker {
	Finder *f;
	LooseSet *set;
	ARRAY(TakenChunk) chunks; /* grows while it is worked on */
	CoordMap known;           /* chunk -> place in chunks */
	ARRAY(FringeCell) fringe;
	uint8_t *field;   /* occupancy of the chunk that is looked at */
	Cell corner;      /* of the field */
	int16_t step[26]; /* ways as steps in the field */
} Taker;

/* ---- chunks ------------------------------------------------------------------------------------------------------ */

static bool AddChunk(Taker *t, Cell chunk, int *index)
{
	*index = CoordMap_Find(&t->known, chunk.x, chunk.y, chunk.z);
	if (*index >= 0)
		return true;
	*index = t->chunks.count;
	int place = Finder_Chunk(t->f, chunk);
	return place != NONE && CoordMap_Put(&t->known, t->f->memory, chunk.x, chunk.y, chunk.z, t->chunks.count) &&
	       Array_Push(t->f->memory, t->chunks, ((TakenChunk){.chunk = chunk, .place = place}));
}

static void GrowBox(TakenChunk *chunk, int x0, int x1, int row)
{
	const int lo[3] = {x0, row / CHUNK_SIZE, row % CHUNK_SIZE}, hi[3] = {x1, row / CHUNK_SIZE, row % CHUNK_SIZE};
	for (int a = 0; a < 3; a++) {
		chunk->lo[a] = (uint8_t)(chunk->any ? Int_Min(chunk->lo[a], lo[a]) : lo[a]);
		chunk->hi[a] = (uint8_t)(chunk->any ? Int_Max(chunk->hi[a], hi[a]) : hi[a]);
	}
	chunk->any = true;
}

/* The neighbours into which a fringe of its cells may reach. */
static bool AddAround(Taker *t, int index)
{
	TakenChunk chunk = t->chunks.data[index];
	const int last = CHUNK_SIZE - 1;
	if (!chunk.any)
		return true;
	for (int i = 0; i < 26; i++) {
		const int8_t *way = neighbour_ways[i];
		bool reaches = true;
		for (int a = 0; a < 3; a++)
			reaches = reaches && (way[a] == 0 || (way[a] < 0 ? chunk.lo[a] == 0 : chunk.hi[a] == last));
		Cell next = {chunk.chunk.x + way[0], chunk.chunk.y + way[1], chunk.chunk.z + way[2]};
		int added;
		if (reaches && Store_Blocks(t->f->store, next) != 0 && !AddChunk(t, next, &added))
			return false;
	}
	return true;
}

/* ---- which pieces there are -------------------------------------------------------------------------------------- */

static int PieceOfNode(const Finder *f, int node)
{
	int search = f->nodes.data[node].search;
	return search == NONE ? NONE : f->piece_of.data[search];
}

static int OrderCells(const void *a, const void *b)
{
	return Chunk_Order(*(const Cell *)a, *(const Cell *)b);
}

static bool HasLooseNodes(const Finder *f, const ChunkLabels *labels)
{
	for (int i = 0; i < labels->count; i++) {
		int search = f->nodes.data[labels->node + i].search;
		if (search != NONE && f->searches.data[search] == SEARCH_LOOSE)
			return true;
	}
	return false;
}

/* Numbers pieces by place, and lists their chunks in order. */
static bool NumberPieces(Taker *t)
{
	Finder *f = t->f;
	ARRAY(Cell) found = {0};
	bool ok = Array_Resize(f->memory, f->piece_of, f->searches.count);
	for (int i = 0; ok && i < f->searches.count; i++)
		f->piece_of.data[i] = NONE;
	for (int i = 0; ok && i < f->chunks.count; i++)
		if (HasLooseNodes(f, &f->chunks.data[i]))
			ok = Array_Push(f->memory, found, f->chunks.data[i].chunk);
	if (ok && found.count > 1)
		qsort(found.data, (size_t)found.count, sizeof(Cell), OrderCells);
	for (int i = 0, index; ok && i < found.count; i++) {
		ok = AddChunk(t, found.data[i], &index);
		const ChunkLabels *labels = ok ? &f->chunks.data[t->chunks.data[index].place] : NULL;
		for (int k = 0; ok && k < labels->count; k++) {
			int search = f->nodes.data[labels->node + k].search;
			if (search == NONE || f->searches.data[search] != SEARCH_LOOSE || f->piece_of.data[search] != NONE)
				continue;
			f->piece_of.data[search] = t->set->pieces.count;
			ok = Array_Push(f->memory, t->set->pieces, NULL) &&
			     Array_Push(f->memory, t->set->box, f->search_box.data[search]);
		}
	}
	Array_Free(f->memory, found);
	return ok;
}

static void BoxOfLoose(Taker *t, TakenChunk *chunk)
{
	const ChunkLabels *labels = &t->f->chunks.data[chunk->place];
	for (int row = 0; row < CHUNK_ROWS && labels->count > 0; row++) {
		int count, first = NONE, last = NONE;
		const LabelRun *runs = Labels_Row(labels, row, &count);
		for (int i = 0; i < count; i++) {
			if (PieceOfNode(t->f, labels->node + runs[i].label) == NONE)
				continue;
			first = first == NONE ? runs[i].first : first;
			last = runs[i].last;
		}
		if (first != NONE)
			GrowBox(chunk, first, last, row);
	}
}

/* ---- fringes ----------------------------------------------------------------------------------------------------- */

static void ReadField(Taker *t, Cell chunk)
{
	t->corner = (Cell){chunk.x * CHUNK_SIZE - 1, chunk.y * CHUNK_SIZE - 1, chunk.z * CHUNK_SIZE - 1};
	CellBox box = {t->corner, {t->corner.x + FIELD - 1, t->corner.y + FIELD - 1, t->corner.z + FIELD - 1}};
	Region region = {FIELD, FIELD, FIELD, {[CHANNEL_OCCUPANCY] = t->field}};
	Store_Read(t->f->store, box, &region);
}

/* The greatest neighbour of a cell of the chunk, from the field. */
static bool FieldGreatest(const Taker *t, Cell cell, Cell *greatest, int *value)
{
	const uint8_t *at =
	    t->field + (cell.x - t->corner.x) + FIELD * ((cell.z - t->corner.z) + FIELD * (cell.y - t->corner.y));
	int most = *at, best = NONE;
	for (int i = 0; i < 26; i++)
		if (at[t->step[i]] > most) {
			most = at[t->step[i]];
			best = i;
		}
	if (best == NONE)
		return false;
	const int8_t *way = neighbour_ways[best];
	*greatest = (Cell){cell.x + way[0], cell.y + way[1], cell.z + way[2]};
	*value = most;
	return true;
}

/* The piece that a fringe cell goes with: up to the inside cell that its greatest neighbours lead to. False: no
 * memory. */
static bool FollowFringe(Taker *t, Cell cell, int *piece)
{
	Cell next = cell;
	int value = 0;
	bool up = FieldGreatest(t, cell, &next, &value);
	while (up && value < 128) { /* rises with every step */
		Cell from = next;
		up = Cell_Greatest(t->f->store, from, value, &next, &value);
	}
	int place = Finder_Chunk(t->f, (Cell){next.x >> CHUNK_BITS, next.y >> CHUNK_BITS, next.z >> CHUNK_BITS});
	if (place == NONE)
		return false;
	const ChunkLabels *labels = &t->f->chunks.data[place];
	int row = (next.z & (CHUNK_SIZE - 1)) + CHUNK_SIZE * (next.y & (CHUNK_SIZE - 1));
	int label = Labels_At(labels, next.x & (CHUNK_SIZE - 1), row);
	*piece = label == NONE ? NONE : PieceOfNode(t->f, labels->node + label);
	return true;
}

static uint32_t CellBits(int first, int last)
{
	return ~0u >> (CHUNK_SIZE - 1 - last + first) << first;
}

/* Makes of bits those within one cell of them, as far as the chunk tells. */
static void DilateRows(uint32_t rows[CHUNK_ROWS])
{
	static const int steps[2] = {1, CHUNK_SIZE};
	for (int row = 0; row < CHUNK_ROWS; row++)
		rows[row] |= rows[row] << 1 | rows[row] >> 1;
	for (int axis = 0; axis < 2; axis++)
		for (int line = 0; line < CHUNK_SIZE; line++) {
			uint32_t *at = rows + line * (axis == 0 ? CHUNK_SIZE : 1), before = 0;
			for (int i = 0; i < CHUNK_SIZE; i++, at += steps[axis]) {
				uint32_t here = *at;
				*at |= before | (i + 1 < CHUNK_SIZE ? at[steps[axis]] : 0);
				before = here;
			}
		}
}

/* Where cells of 128 or more of one piece, which is told, are near, and where any others are. */
static int FindNear(Taker *t, const ChunkLabels *labels)
{
	int first = NONE;
	Store_ChunkRows(t->f->store, CHANNEL_OCCUPANCY, labels->chunk, t->f->scratch->values);
	for (int row = 0; row < CHUNK_ROWS; row++) {
		int count = 0;
		const LabelRun *runs = labels->count > 0 ? Labels_Row(labels, row, &count) : NULL;
		uint32_t tops = count > 0 ? Row_Tops(t->f->scratch->values[row]) : 0, own = 0;
		for (int i = 0; i < count; i++) {
			int piece = PieceOfNode(t->f, labels->node + runs[i].label);
			first = first == NONE ? piece : first;
			if (piece == first && piece != NONE)
				own |= CellBits(runs[i].first, runs[i].last);
		}
		t->f->scratch->own[row] = tops & own;
		t->f->scratch->other[row] = tops & ~own;
	}
	if (first != NONE) {
		DilateRows(t->f->scratch->own);
		DilateRows(t->f->scratch->other);
	}
	return first;
}

/* Cells of a row that lie at none of the chunk's faces. */
static uint32_t InnerBits(int row)
{
	int y = row / CHUNK_SIZE, z = row % CHUNK_SIZE;
	return y > 0 && y < CHUNK_SIZE - 1 && z > 0 && z < CHUNK_SIZE - 1 ? ~0u << 2 >> 1 : 0;
}

/* All fringe cells of a chunk that go with pieces. Where what is 128 or more around one is all of one piece, it needs
 * no looking for the greatest. */
static bool TakeFringe(Taker *t, int index)
{
	ChunkLabels labels = t->f->chunks.data[t->chunks.data[index].place];
	t->chunks.data[index].fringe = t->fringe.count;
	if (!labels.fringe)
		return true;
	int near = FindNear(t, &labels);
	bool read = false;
	for (int row = 0; row < CHUNK_ROWS; row++) {
		uint32_t sure = near == NONE ? 0 : t->f->scratch->own[row] & ~t->f->scratch->other[row] & InnerBits(row);
		for (uint32_t left = labels.fringe[row]; left != 0; left &= left - 1) {
			int x = __builtin_ctz(left), piece = near;
			if (!(sure >> x & 1)) {
				Cell cell = {labels.chunk.x * CHUNK_SIZE + x, labels.chunk.y * CHUNK_SIZE + row / CHUNK_SIZE,
				             labels.chunk.z * CHUNK_SIZE + row % CHUNK_SIZE};
				if (!read)
					ReadField(t, labels.chunk);
				read = true;
				if (!FollowFringe(t, cell, &piece))
					return false;
			}
			if (piece == NONE)
				continue;
			if (!Array_Push(t->f->memory, t->fringe, ((FringeCell){(uint16_t)row, (uint8_t)x, piece})))
				return false;
			GrowBox(&t->chunks.data[index], x, x, row);
		}
	}
	t->chunks.data[index].fringe_count = t->fringe.count - t->chunks.data[index].fringe;
	return true;
}

/* ---- runs -------------------------------------------------------------------------------------------------------- */

static bool PushRun(Taker *t, LooseRun run)
{
	LooseSet *set = t->set;
	if (set->run_count == set->run_capacity &&
	    !Array_GrowRaw(t->f->memory, &set->runs, &set->run_capacity, set->run_count + 1, sizeof(LooseRun)))
		return false;
	set->runs[set->run_count++] = run;
	return true;
}

/* What goes of one row: cells of one piece mostly. */
typedef struct RowOwners {
	int first;     /* a piece, or NONE */
	uint32_t bits; /* its cells */
	bool several;  /* there are other pieces, in `owner` */
	int owner[CHUNK_SIZE];
} RowOwners;

static void AddOwner(RowOwners *row, int first, int last, int piece)
{
	if (piece == NONE)
		return;
	if (row->first == NONE)
		row->first = piece;
	if (piece == row->first) {
		row->bits |= CellBits(first, last);
		return;
	}
	if (!row->several)
		memset(row->owner, 0xFF, sizeof(row->owner)); /* NONE */
	row->several = true;
	for (int x = first; x <= last; x++)
		row->owner[x] = piece;
}

/* Cells of one piece in a row whose equal neighbours are known. */
static bool PushBits(Taker *t, LooseRun run, uint32_t bits, uint32_t same, const uint8_t *m, const uint8_t *v)
{
	int32_t x0 = run.x;
	while (bits != 0) {
		int x = __builtin_ctz(bits), n = 1 + __builtin_ctz(~((bits & bits >> 1 & same) >> x));
		run.x = x0 + x;
		run.n = (uint16_t)n;
		run.material = m[x];
		run.occupancy = v[x];
		if (!PushRun(t, run))
			return false;
		bits &= ~CellBits(x, x + n - 1);
	}
	return true;
}

static bool PushRow(Taker *t, Cell chunk, int row, RowOwners *owners)
{
	const uint8_t *m = t->f->scratch->materials[row], *v = t->f->scratch->values[row];
	uint32_t same = Row_Same(m) & Row_Same(v);
	LooseRun run = {.x = chunk.x * CHUNK_SIZE,
	                .y = chunk.y * CHUNK_SIZE + row / CHUNK_SIZE,
	                .z = chunk.z * CHUNK_SIZE + row % CHUNK_SIZE,
	                .piece = owners->first};
	if (!owners->several)
		return PushBits(t, run, owners->bits, same, m, v);
	for (uint32_t left = owners->bits; left != 0; left &= left - 1)
		owners->owner[__builtin_ctz(left)] = owners->first;
	for (int x = 0, end; x < CHUNK_SIZE; x = end) { /* those of one piece beside each other, in order */
		for (end = x + 1; end < CHUNK_SIZE && owners->owner[end] == owners->owner[x];)
			end++;
		run.piece = owners->owner[x];
		if (run.piece != NONE && !PushBits(t, run, CellBits(x, end - 1), same, m, v))
			return false;
	}
	return true;
}

static bool PushChunk(Taker *t, const TakenChunk *taken)
{
	const ChunkLabels *labels = &t->f->chunks.data[taken->place];
	const FringeCell *fringe = t->fringe.data + taken->fringe, *fringe_end = fringe + taken->fringe_count;
	Store_ChunkRows(t->f->store, CHANNEL_MATERIAL, taken->chunk, t->f->scratch->materials);
	Store_ChunkRows(t->f->store, CHANNEL_OCCUPANCY, taken->chunk, t->f->scratch->values);
	for (int row = 0; row < CHUNK_ROWS; row++) {
		RowOwners owners;
		int count = 0;
		const LabelRun *runs = labels->count > 0 ? Labels_Row(labels, row, &count) : NULL;
		owners.first = NONE;
		owners.bits = 0;
		owners.several = false;
		for (int i = 0; i < count; i++)
			AddOwner(&owners, runs[i].first, runs[i].last, PieceOfNode(t->f, labels->node + runs[i].label));
		for (; fringe < fringe_end && fringe->row == row; fringe++)
			AddOwner(&owners, fringe->x, fringe->x, fringe->piece);
		if (owners.first != NONE && !PushRow(t, taken->chunk, row, &owners))
			return false;
	}
	return true;
}

static int OrderTaken(const void *a, const void *b)
{
	return Chunk_Order(((const TakenChunk *)a)->chunk, ((const TakenChunk *)b)->chunk);
}

static bool PushChunks(Taker *t)
{
	if (t->chunks.count > 1)
		qsort(t->chunks.data, (size_t)t->chunks.count, sizeof(TakenChunk), OrderTaken);
	for (int i = 0; i < t->chunks.count; i++) {
		if (!t->chunks.data[i].any)
			continue;
		if (!Array_Push(t->f->memory, t->set->chunks, t->chunks.data[i].chunk) || !PushChunk(t, &t->chunks.data[i]))
			return false;
	}
	return true;
}

/* ---- pieces ------------------------------------------------------------------------------------------------------ */

/* The lattice point nearest to the centre of mass. */
static Cell Origin(const LooseRun *runs, const int *list, int count, const MaterialTable *materials)
{
	double mass = 0.0, sum[3] = {0.0, 0.0, 0.0};
	const LooseRun *first = &runs[list[0]];
	for (int i = 0; i < count; i++) {
		const LooseRun *run = &runs[list[i]];
		double each = ((double)run->occupancy + 1.0) * (double)materials->items[run->material].density, n = run->n;
		mass += n * each;
		sum[0] += n * each * ((double)run->x - first->x + 0.5 * n);
		sum[1] += n * each * ((double)run->y - first->y + 0.5);
		sum[2] += n * each * ((double)run->z - first->z + 0.5);
	}
	return (Cell){first->x + FloorToInt(sum[0] / mass + 0.5), first->y + FloorToInt(sum[1] / mass + 0.5),
	              first->z + FloorToInt(sum[2] / mass + 0.5)};
}

static bool MakePiece(Taker *t, int number, const int *list, int count, const MaterialTable *materials)
{
	Piece *piece = Piece_Create(t->f->memory, count);
	if (!piece)
		return false;
	t->set->pieces.data[number] = piece;
	piece->origin = Origin(t->set->runs, list, count, materials);
	for (int i = 0; i < count; i++) {
		const LooseRun *run = &t->set->runs[list[i]];
		piece->runs[i] = (PieceRun){run->x - piece->origin.x,
		                            run->y - piece->origin.y,
		                            run->z - piece->origin.z,
		                            run->n,
		                            run->material,
		                            run->occupancy};
	}
	Piece_Measure(piece);
	return true;
}

/* Sorts the runs by piece, keeping their order. */
static bool MakePieces(Taker *t, const MaterialTable *materials)
{
	Memory *memory = t->f->memory;
	int pieces = t->set->pieces.count, runs = t->set->run_count;
	size_t first_bytes = sizeof(int) * ((size_t)pieces + 2), list_bytes = sizeof(int) * (size_t)(runs + 1);
	int *first = Memory_AllocZero(memory, first_bytes), *list = Memory_Alloc(memory, list_bytes);
	bool ok = first && list;
	if (ok) {
		for (int i = 0; i < runs; i++)
			first[t->set->runs[i].piece + 2]++;
		for (int i = 2; i < pieces + 2; i++)
			first[i] += first[i - 1];
		for (int i = 0; i < runs; i++)
			list[first[t->set->runs[i].piece + 1]++] = i;
	}
	for (int i = 0; ok && i < pieces; i++)
		ok = MakePiece(t, i, list + first[i], first[i + 1] - first[i], materials);
	Memory_Free(memory, first, first_bytes);
	Memory_Free(memory, list, list_bytes);
	return ok;
}

bool Finder_TakeCells(Finder *f, const MaterialTable *materials, LooseSet *set)
{
	bool loose = false;
	for (int i = 0; i < f->searches.count && !loose; i++)
		loose = f->searches.data[i] == SEARCH_LOOSE;
	if (!loose)
		return true;
	Taker t = {.f = f, .set = set};
	for (int i = 0; i < 26; i++)
		t.step[i] = (int16_t)(neighbour_ways[i][0] + FIELD * (neighbour_ways[i][2] + FIELD * neighbour_ways[i][1]));
	t.field = Memory_Alloc(f->memory, FIELD_CELLS);
	bool ok = t.field && NumberPieces(&t);
	int inside = t.chunks.count;
	for (int i = 0; ok && i < inside; i++) {
		BoxOfLoose(&t, &t.chunks.data[i]);
		ok = AddAround(&t, i);
	}
	for (int i = 0; ok && i < t.chunks.count; i++)
		ok = TakeFringe(&t, i) && AddAround(&t, i);
	ok = ok && PushChunks(&t) && MakePieces(&t, materials);
	Memory_Free(f->memory, t.field, FIELD_CELLS);
	CoordMap_Free(&t.known, f->memory);
	Array_Free(f->memory, t.chunks);
	Array_Free(f->memory, t.fringe);
	return ok;
}

/* ---- taking them out --------------------------------------------------------------------------------------------- */

void LooseSet_Free(LooseSet *set)
{
	if (!set->memory)
		return;
	for (int i = 0; i < set->pieces.count; i++)
		Piece_Destroy(set->memory, set->pieces.data[i]);
	Array_Free(set->memory, set->pieces);
	Array_Free(set->memory, set->box);
	Array_Free(set->memory, set->chunks);
	Memory_Free(set->memory, set->runs, sizeof(LooseRun) * (size_t)set->run_capacity);
	*set = (LooseSet){0};
}

typedef struct Removal {
	const LooseRun *next, *end;
} Removal;

/* Rows come in the order of the runs. */
static void RemoveRow(void *context, int32_t x, int32_t y, int32_t z, int n, uint8_t *material, uint8_t *occupancy,
                      uint8_t *water)
{
	Removal *removal = context;
	for (; removal->next < removal->end; removal->next++) {
		const LooseRun *run = removal->next;
		if (run->y != y || run->z != z || run->x < x || run->x >= x + n)
			return;
		for (int i = run->x - x; i < run->x - x + run->n; i++) {
			water[i] = (uint8_t)Cell_Water(material[i], occupancy[i], water[i]);
			material[i] = MATERIAL_AIR;
			occupancy[i] = 0;
		}
	}
}

int Loose_Remove(const LooseSet *set, Store *store, Tally *tally, Error *error)
{
	Removal removal = {set->runs, set->runs + set->run_count};
	return Store_EditChunks(store, set->chunks.data, set->chunks.count, RemoveRow, &removal, tally, error);
}
