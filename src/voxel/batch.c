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
	Diff diff = {.tally = &batch->scratch->tally, .simd = store->simd};
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
