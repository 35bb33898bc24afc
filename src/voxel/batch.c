/* Transactions: an edit of many chunks happens wholly or not at all, and is tallied from what really differs. */
#include "voxel/store_internal.h"

bool Batch_Begin(Batch *batch, Store *store)
{
	*batch = (Batch){.store = store};
	batch->scratch = Memory_Alloc(&store->memory, sizeof(*batch->scratch));
	return batch->scratch != NULL;
}

static void FreeChannels(ChannelData channel[CHANNEL_COUNT], unsigned mask, Memory *memory)
{
	for (int c = 0; c < CHANNEL_COUNT; c++)
		if (mask >> c & 1)
			Channel_Free(&channel[c], memory);
}

static void Batch_End(Batch *batch)
{
	Memory *memory = &batch->store->memory;
	for (int i = 0; i < batch->staged.count; i++)
		FreeChannels(batch->staged.data[i].fresh, batch->staged.data[i].mask, memory);
	Array_Free(memory, batch->staged);
	Array_Free(memory, batch->entries);
	Array_Free(memory, batch->created);
	Memory_Free(memory, batch->scratch, sizeof(*batch->scratch));
	batch->scratch = NULL;
}

const ChannelData *Batch_Original(const Batch *batch, const Chunk *chunk)
{
	return chunk->entry < 0 ? chunk->channel : batch->entries.data[chunk->entry].original;
}

/* ---- staging ------------------------------------------------------------------------------------------------ */

bool Batch_Stage(Batch *batch, Cell chunk, unsigned mask, ChannelData fresh[CHANNEL_COUNT])
{
	Memory *memory = &batch->store->memory;
	int slot = Store_FindChunk(batch->store, chunk);
	bool room = Array_Reserve(memory, batch->staged, batch->staged.count + 1);
	if (room && slot < 0) {
		room = Array_Reserve(memory, batch->created, batch->created.count + 1);
		slot = room ? Store_NewChunk(batch->store, chunk) : -1;
		room = slot >= 0;
		if (room)
			batch->created.data[batch->created.count++] = slot;
	}
	if (!room) {
		FreeChannels(fresh, mask, memory);
		return false;
	}
	Staged *staged = &batch->staged.data[batch->staged.count++];
	*staged = (Staged){.slot = slot, .mask = mask};
	for (int c = 0; c < CHANNEL_COUNT; c++)
		staged->fresh[c] = mask >> c & 1 ? fresh[c] : Channel_Uniform(0);
	return true;
}

bool Batch_StageScratch(Batch *batch, Cell chunk, const ChannelData old[CHANNEL_COUNT])
{
	Memory *memory = &batch->store->memory;
	const EditScratch *scratch = batch->scratch;
	ChannelData fresh[CHANNEL_COUNT];
	unsigned mask = 0;
	for (int c = 0; c < CHANNEL_COUNT; c++) {
		uint64_t any = 0;
		for (int i = 0; i < ROW_WORDS; i++)
			any |= scratch->touched[c][i];
		if (!any)
			continue;
		if (!Channel_Rebuild(&old[c], scratch->rows[c], scratch->touched[c], memory, &fresh[c])) {
			FreeChannels(fresh, mask, memory);
			return false;
		}
		mask |= 1u << c;
	}
	return mask == 0 || Batch_Stage(batch, chunk, mask, fresh);
}

bool Batch_StageLists(Batch *batch, Cell chunk, unsigned mask)
{
	Memory *memory = &batch->store->memory;
	ChannelData fresh[CHANNEL_COUNT];
	unsigned made = 0;
	for (int c = 0; c < CHANNEL_COUNT; c++) {
		if (!(mask >> c & 1))
			continue;
		if (!Channel_Pack(&batch->scratch->lists[c], false, memory, &fresh[c])) {
			FreeChannels(fresh, made, memory);
			return false;
		}
		made |= 1u << c;
	}
	return mask == 0 || Batch_Stage(batch, chunk, mask, fresh);
}

/* Puts one staged channel into the chunk; the first replaced one goes to the entry, later ones are freed. */
static void Batch_Swap(Batch *batch, Chunk *chunk, int c, ChannelData fresh)
{
	BatchEntry *entry = &batch->entries.data[chunk->entry];
	if (entry->replaced >> c & 1)
		Channel_Free(&chunk->channel[c], &batch->store->memory);
	entry->replaced |= 1u << c;
	chunk->channel[c] = fresh;
}

bool Batch_Apply(Batch *batch)
{
	if (!Array_Reserve(&batch->store->memory, batch->entries, batch->entries.count + batch->staged.count))
		return false;
	for (int i = 0; i < batch->staged.count; i++) {
		const Staged *staged = &batch->staged.data[i];
		Chunk *chunk = &batch->store->chunks.data[staged->slot];
		if (chunk->entry < 0) {
			chunk->entry = batch->entries.count++;
			BatchEntry *entry = &batch->entries.data[chunk->entry];
			*entry = (BatchEntry){.slot = staged->slot, .blocks = chunk->blocks};
			memcpy(entry->original, chunk->channel, sizeof(entry->original));
		}
		for (int c = 0; c < CHANNEL_COUNT; c++)
			if (staged->mask >> c & 1)
				Batch_Swap(batch, chunk, c, staged->fresh[c]);
		chunk->blocks = Chunk_FindBlocks(chunk);
	}
	batch->staged.count = 0;
	return true;
}

void Batch_Abort(Batch *batch)
{
	Store *store = batch->store;
	for (int i = 0; i < batch->entries.count; i++) {
		const BatchEntry *entry = &batch->entries.data[i];
		Chunk *chunk = &store->chunks.data[entry->slot];
		FreeChannels(chunk->channel, entry->replaced, &store->memory);
		memcpy(chunk->channel, entry->original, sizeof(chunk->channel));
		chunk->blocks = entry->blocks;
		chunk->entry = ENTRY_NONE;
	}
	for (int i = 0; i < batch->created.count; i++)
		Store_DropChunk(store, batch->created.data[i]);
	Batch_End(batch);
}

/* ---- what changed ------------------------------------------------------------------------------------------- */

typedef struct Diff {
	Tally *tally;
	int64_t solid;
	CellBox box;
} Diff;

/* A run of cells that keep their pair of materials, old and new, summed up before it goes to the tally. */
typedef struct DiffRun {
	int m, m2;
	int64_t cells, removed, added;
} DiffRun;

static void DiffRun_End(const DiffRun *run, Diff *diff)
{
	if (run->m != run->m2)
		diff->solid += run->cells * ((run->m2 != MATERIAL_AIR) - (run->m != MATERIAL_AIR));
	diff->tally->removed[run->m] += run->removed;
	diff->tally->added[run->m2] += run->added;
}

/* Adds n cells that were all (m, v, w) and became all (m2, v2, w2). */
static inline void DiffRun_Add(DiffRun *run, Diff *diff, const uint8_t old[CHANNEL_COUNT],
                               const uint8_t new[CHANNEL_COUNT], int64_t n)
{
	int m = old[CHANNEL_MATERIAL], m2 = new[CHANNEL_MATERIAL];
	if (m != run->m || m2 != run->m2) {
		DiffRun_End(run, diff);
		*run = (DiffRun){.m = m, .m2 = m2};
	}
	int matter = m == MATERIAL_AIR ? 0 : old[CHANNEL_OCCUPANCY] + 1;
	int matter2 = m2 == MATERIAL_AIR ? 0 : new[CHANNEL_OCCUPANCY] + 1;
	int kept = m == m2 ? Int_Min(matter, matter2) : 0;
	run->cells += n;
	run->removed += n * (matter - kept);
	run->added += n * (matter2 - kept);
	if ((old[CHANNEL_WATER] | new[CHANNEL_WATER]) == 0)
		return;
	int wetter = Cell_Water(m2, new[CHANNEL_OCCUPANCY], new[CHANNEL_WATER]) -
	             Cell_Water(m, old[CHANNEL_OCCUPANCY], old[CHANNEL_WATER]);
	diff->tally->added[MATERIAL_WATER] += n * Int_Max(wetter, 0);
	diff->tally->removed[MATERIAL_WATER] += n * Int_Max(-wetter, 0);
}

static void Diff_Run(Diff *diff, const uint8_t old[CHANNEL_COUNT], const uint8_t new[CHANNEL_COUNT], int64_t n)
{
	DiffRun run = {0};
	DiffRun_Add(&run, diff, old, new, n);
	DiffRun_End(&run, diff);
}

/* Adds cells [first, last] of `rows` rows, which follow each other along z. */
static void Diff_AddRows(Diff *diff, const Chunk *chunk, int row, int rows, int first, int last)
{
	Cell lo = Chunk_Box((Cell){chunk->x, chunk->y, chunk->z}).lo;
	lo.y += row / CHUNK_SIZE;
	lo.z += row % CHUNK_SIZE;
	diff->box = CellBox_Union(diff->box, (CellBox){{lo.x + first, lo.y, lo.z}, {lo.x + last, lo.y, lo.z + rows - 1}});
}

static bool Word_IsUniform(uint64_t word)
{
	return word == (word & 0xFF) * 0x0101010101010101u;
}

/* A row that differs: eight cells at once where they are all the same, before and after. */
static void Diff_Row(Diff *diff, const Chunk *chunk, int row, const uint8_t *old[CHANNEL_COUNT],
                     const uint8_t *new[CHANNEL_COUNT])
{
	DiffRun run = {0};
	int first = CHUNK_SIZE, last = -1, step;
	for (int x = 0; x < CHUNK_SIZE; x += step) {
		bool uniform = x % 8 == 0;
		for (int c = 0; c < CHANNEL_COUNT && uniform; c++) {
			uint64_t was, is;
			memcpy(&was, old[c] + x, 8);
			memcpy(&is, new[c] + x, 8);
			uniform = Word_IsUniform(was) && Word_IsUniform(is);
		}
		step = uniform ? 8 : 1;
		const uint8_t was[] = {old[0][x], old[1][x], old[2][x]}, is[] = {new[0][x], new[1][x], new[2][x]};
		if (was[0] == is[0] && was[1] == is[1] && was[2] == is[2])
			continue;
		first = Int_Min(first, x);
		last = x + step - 1;
		DiffRun_Add(&run, diff, was, is, step);
	}
	DiffRun_End(&run, diff);
	Diff_AddRows(diff, chunk, row, 1, first, last);
}

/* ---- rows of one material, eight cells at once ---- */

#define BYTES_TOP 0x8080808080808080u
#define BYTES_LOW 0x7F7F7F7F7F7F7F7Fu

/* Top bit of each byte: it is not 0; a's is at least b's. */
static inline uint64_t Bytes_Some(uint64_t a)
{
	return (((a & BYTES_LOW) + BYTES_LOW) | a) & BYTES_TOP;
}

static inline uint64_t Bytes_NotLess(uint64_t a, uint64_t b)
{
	uint64_t low = (a | BYTES_TOP) - (b & BYTES_LOW);
	return ((a & ~b) | (~(a ^ b) & low)) & BYTES_TOP;
}

static inline int64_t Bytes_Sum(uint64_t a)
{
	const uint64_t even = 0x00FF00FF00FF00FFu;
	return (int64_t)((((a & even) + (a >> 8 & even)) * 0x0001000100010001u) >> 48);
}

/* The eight cells from x on, all of air or material m, become others such. False: some lose matter and some gain it. */
static inline bool Diff_Word(DiffRun *run, uint64_t v, uint64_t v2, uint64_t solid, uint64_t solid2)
{
	int64_t cells = Bytes_Sum(solid2 >> 7) - Bytes_Sum(solid >> 7), more = Bytes_Sum(v2) - Bytes_Sum(v) + cells;
	run->cells += cells;
	if (Bytes_NotLess(v2, v) == BYTES_TOP && (solid & ~solid2) == 0)
		run->added += more;
	else if (Bytes_NotLess(v, v2) == BYTES_TOP && (solid2 & ~solid) == 0)
		run->removed -= more;
	else
		return false;
	return true;
}

/* False, and nothing told: the row is wet, or of several materials, or loses and gains. */
static bool Diff_PlainRow(Diff *diff, const Chunk *chunk, int row, const uint8_t *old[CHANNEL_COUNT],
                          const uint8_t *new[CHANNEL_COUNT])
{
	uint8_t m = new[0][0] | new[0][CHUNK_SIZE - 1] | old[0][0] | old[0][CHUNK_SIZE - 1];
	uint64_t every = m * 0x0101010101010101u, bad = 0;
	uint32_t changed = 0;
	DiffRun run = {0};
	for (int i = 0; i < CHUNK_SIZE / 8; i++) {
		uint64_t was = Row_Word(old[0], i), is = Row_Word(new[0], i), v = Row_Word(old[1], i), v2 = Row_Word(new[1], i);
		uint64_t solid = Bytes_Some(was), solid2 = Bytes_Some(is), differ = Bytes_Some((was ^ is) | (v ^ v2));
		bad |= Row_Word(old[2], i) | Row_Word(new[2], i);
		bad |= (was ^ every) & ((solid >> 7) * 255);
		bad |= (is ^ every) & ((solid2 >> 7) * 255);
		if (bad || !Diff_Word(&run, v, v2, solid, solid2))
			return false;
		changed |= (uint32_t)(((differ >> 7) * 0x0102040810204080u) >> 56) << (8 * i);
	}
	diff->solid += run.cells;
	diff->tally->removed[m] += run.removed;
	diff->tally->added[m] += run.added;
	Diff_AddRows(diff, chunk, row, 1, __builtin_ctz(changed), 31 - __builtin_clz(changed));
	return true;
}

static void Diff_AnyRow(Diff *diff, const ChannelData *was, const Chunk *chunk, int row)
{
	const uint8_t *old[CHANNEL_COUNT], *new[CHANNEL_COUNT];
	bool same = true;
	for (int c = 0; c < CHANNEL_COUNT; c++) {
		old[c] = Channel_Row(&was[c], row);
		new[c] = Channel_Row(&chunk->channel[c], row);
		same = same && (old[c] == new[c] || Row_IsSame(old[c], new[c]));
	}
	if (!same && !Diff_PlainRow(diff, chunk, row, old, new))
		Diff_Row(diff, chunk, row, old, new);
}

/* Are the group's 8 rows of one byte? */
static bool Group_IsUniform(const ChannelData *channel, int group, uint8_t *byte)
{
	*byte = channel->uniform;
	if (!channel->header)
		return true;
	const uint16_t *header = Channel_Group(channel, group);
	uint64_t words[2];
	memcpy(words, header, sizeof(words));
	*byte = (uint8_t)header[0];
	return header[0] < HEADER_SLOT && words[0] == header[0] * 0x0001000100010001u && words[0] == words[1];
}

static void Diff_Chunk(Diff *diff, const ChannelData *was, const Chunk *chunk)
{
	for (int group = 0; group < CHUNK_GROUPS; group++) {
		uint8_t old[CHANNEL_COUNT], new[CHANNEL_COUNT];
		bool uniform = true;
		for (int c = 0; c < CHANNEL_COUNT && uniform; c++)
			uniform = Group_IsUniform(&was[c], group, &old[c]) && Group_IsUniform(&chunk->channel[c], group, &new[c]);
		if (!uniform) {
			for (int i = 0; i < GROUP_ROWS; i++)
				Diff_AnyRow(diff, was, chunk, GROUP_ROWS * group + i);
		} else if (memcmp(old, new, sizeof(old)) != 0) {
			Diff_Run(diff, old, new, GROUP_ROWS * CHUNK_SIZE);
			Diff_AddRows(diff, chunk, GROUP_ROWS * group, GROUP_ROWS, 0, CHUNK_SIZE - 1);
		}
	}
}

/* ---- the end ------------------------------------------------------------------------------------------------ */

static void Tally_Add(Tally *tally, const Tally *more)
{
	for (int m = 0; m < MATERIAL_LIMIT; m++) {
		tally->removed[m] += more->removed[m];
		tally->added[m] += more->added[m];
	}
}

/* Boxes of what changed: one, or with `apart` several, so that pieces far from each other do not make all between them
 * look changed. */
typedef struct ChangedBoxes {
	CellBox boxes[JOURNAL_APART];
	int count;
} ChangedBoxes;

static void ChangedBoxes_Add(ChangedBoxes *changed, CellBox box, bool apart)
{
	const int near = 2 * CHUNK_SIZE;
	if (!CellBox_IsValid(box))
		return;
	CellBox reach = {{box.lo.x - near, box.lo.y - near, box.lo.z - near},
	                 {box.hi.x + near, box.hi.y + near, box.hi.z + near}};
	int into = changed->count;
	for (int i = 0; i < changed->count && into == changed->count; i++)
		if (!apart || CellBoxOverlap(changed->boxes[i], reach))
			into = i;
	if (into == JOURNAL_APART)
		into--;
	if (into < changed->count)
		box = CellBox_Union(changed->boxes[into], box);
	else
		changed->count++;
	changed->boxes[into] = box;
}

bool Batch_Commit(Batch *batch, Tally *tally)
{
	Store *store = batch->store;
	Diff diff = {.tally = &batch->scratch->tally};
	ChangedBoxes changed = {.count = 0};
	/* The slots of the touched chunks, in a row, for DropEmpty; entries may be fewer than created. */
	ARRAY(int32_t) touched = {0};
	if (!Journal_Reserve(store, JOURNAL_APART) || !Array_Reserve(&store->memory, touched, batch->entries.count) ||
	    !Mark_KeepBatch(batch) || !Undo_KeepBatch(batch)) {
		Array_Free(&store->memory, touched);
		Batch_Abort(batch);
		return false;
	}
	memset(diff.tally, 0, sizeof(*diff.tally));
	for (int i = 0; i < batch->entries.count; i++) {
		BatchEntry *entry = &batch->entries.data[i];
		Chunk *chunk = &store->chunks.data[entry->slot];
		diff.box = CellBox_Empty();
		Diff_Chunk(&diff, entry->original, chunk);
		ChangedBoxes_Add(&changed, diff.box, batch->apart);
		FreeChannels(entry->original, entry->replaced, &store->memory);
		chunk->entry = ENTRY_NONE;
		touched.data[touched.count++] = entry->slot;
	}
	Store_MergeOrder(store, batch->created.data, batch->created.count);
	Store_DropEmpty(store, touched.data, touched.count);
	store->solid_cells += diff.solid;
	for (int i = 0; i < changed.count; i++)
		Journal_Add(store, changed.boxes[i]);
	if (tally)
		Tally_Add(tally, diff.tally);
	Array_Free(&store->memory, touched);
	Batch_End(batch);
	return true;
}
