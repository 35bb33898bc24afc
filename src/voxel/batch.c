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
			*entry = (BatchEntry){.slot = staged->slot};
			memcpy(entry->original, chunk->channel, sizeof(entry->original));
		}
		for (int c = 0; c < CHANNEL_COUNT; c++)
			if (staged->mask >> c & 1)
				Batch_Swap(batch, chunk, c, staged->fresh[c]);
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

/* n cells that were all (m, v, w) and became all (m2, v2, w2). */
static void Diff_Run(Diff *diff, const uint8_t old[CHANNEL_COUNT], const uint8_t new[CHANNEL_COUNT], int64_t n)
{
	int m = old[CHANNEL_MATERIAL], m2 = new[CHANNEL_MATERIAL];
	int matter = m == MATERIAL_AIR ? 0 : old[CHANNEL_OCCUPANCY] + 1;
	int matter2 = m2 == MATERIAL_AIR ? 0 : new[CHANNEL_OCCUPANCY] + 1;
	int wetter = new[CHANNEL_WATER] - old[CHANNEL_WATER];
	Tally *tally = diff->tally;
	if (m == m2) {
		tally->added[m] += n * Int_Max(matter2 - matter, 0);
		tally->removed[m] += n * Int_Max(matter - matter2, 0);
	} else {
		tally->removed[m] += n * matter;
		tally->added[m2] += n * matter2;
		diff->solid += n * ((m2 != MATERIAL_AIR) - (m != MATERIAL_AIR));
	}
	tally->added[MATERIAL_WATER] += n * Int_Max(wetter, 0);
	tally->removed[MATERIAL_WATER] += n * Int_Max(-wetter, 0);
}

static void Diff_AddRow(Diff *diff, const Chunk *chunk, int row, int first, int last)
{
	Cell lo = Chunk_Box((Cell){chunk->x, chunk->y, chunk->z}).lo;
	lo.y += row / CHUNK_SIZE;
	lo.z += row % CHUNK_SIZE;
	diff->box = CellBox_Union(diff->box, (CellBox){{lo.x + first, lo.y, lo.z}, {lo.x + last, lo.y, lo.z}});
}

/* A row that differs; uniform: before and after, in all channels. */
static void Diff_Row(Diff *diff, const Chunk *chunk, int row, const uint8_t *old[CHANNEL_COUNT],
                     const uint8_t *new[CHANNEL_COUNT], bool uniform)
{
	int first = CHUNK_SIZE, last = -1, step = uniform ? CHUNK_SIZE : 1;
	for (int x = 0; x < CHUNK_SIZE; x += step) {
		const uint8_t was[] = {old[0][x], old[1][x], old[2][x]}, is[] = {new[0][x], new[1][x], new[2][x]};
		if (memcmp(was, is, sizeof(is)) == 0)
			continue;
		first = Int_Min(first, x);
		last = x + step - 1;
		Diff_Run(diff, was, is, step);
	}
	Diff_AddRow(diff, chunk, row, first, last);
}

static void Diff_Chunk(Diff *diff, const ChannelData *was, const Chunk *chunk)
{
	const ChannelData *is = chunk->channel;
	bool uniform = true;
	for (int c = 0; c < CHANNEL_COUNT; c++)
		uniform = uniform && !was[c].header && !is[c].header;
	if (uniform) {
		const uint8_t old[] = {was[0].uniform, was[1].uniform, was[2].uniform};
		const uint8_t new[] = {is[0].uniform, is[1].uniform, is[2].uniform};
		if (memcmp(old, new, sizeof(old)) == 0)
			return;
		Diff_Run(diff, old, new, CHUNK_CELLS);
		diff->box = CellBox_Union(diff->box, Chunk_Box((Cell){chunk->x, chunk->y, chunk->z}));
		return;
	}
	for (int row = 0; row < CHUNK_ROWS; row++) {
		const uint8_t *old[CHANNEL_COUNT], *new[CHANNEL_COUNT];
		bool same = true, uniform_row = true;
		for (int c = 0; c < CHANNEL_COUNT; c++) {
			uniform_row = uniform_row && Channel_Header(&was[c], row) < HEADER_SLOT;
			uniform_row = uniform_row && Channel_Header(&is[c], row) < HEADER_SLOT;
			old[c] = Channel_Row(&was[c], row);
			new[c] = Channel_Row(&is[c], row);
			same = same && (old[c] == new[c] || memcmp(old[c], new[c], CHUNK_SIZE) == 0);
		}
		if (!same)
			Diff_Row(diff, chunk, row, old, new, uniform_row);
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

bool Batch_Commit(Batch *batch, Tally *tally)
{
	Store *store = batch->store;
	Diff diff = {.tally = &batch->scratch->tally, .box = CellBox_Empty()};
	/* The slots of the touched chunks, in a row, for DropEmpty; entries may be fewer than created. */
	ARRAY(int32_t) touched = {0};
	if (!Journal_Reserve(store) || !Array_Reserve(&store->memory, touched, batch->entries.count) ||
	    !Undo_KeepBatch(batch)) {
		Array_Free(&store->memory, touched);
		Batch_Abort(batch);
		return false;
	}
	memset(diff.tally, 0, sizeof(*diff.tally));
	for (int i = 0; i < batch->entries.count; i++) {
		BatchEntry *entry = &batch->entries.data[i];
		Chunk *chunk = &store->chunks.data[entry->slot];
		Diff_Chunk(&diff, entry->original, chunk);
		FreeChannels(entry->original, entry->replaced, &store->memory);
		chunk->entry = ENTRY_NONE;
		touched.data[touched.count++] = entry->slot;
	}
	Store_MergeOrder(store, batch->created.data, batch->created.count);
	Store_DropEmpty(store, touched.data, touched.count);
	store->solid_cells += diff.solid;
	if (CellBox_IsValid(diff.box))
		Journal_Add(store, diff.box);
	if (tally)
		Tally_Add(tally, diff.tally);
	Array_Free(&store->memory, touched);
	Batch_End(batch);
	return true;
}
