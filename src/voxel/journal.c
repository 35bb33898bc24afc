/* What changed since when. Every edit adds one box; a full journal merges the older half in pairs of neighbours in
 * time, so the remote past gets coarser but stays covered. */
#include "voxel/store_internal.h"

uint64_t Store_Version(const Store *store)
{
	return store->version;
}

bool Journal_Reserve(Store *store, int count)
{
	return Array_Reserve(&store->memory, store->journal, Int_Min(store->journal.count + count, JOURNAL_LIMIT));
}

static void Journal_MergeOldHalf(Store *store)
{
	JournalEntry *entries = store->journal.data;
	int merged = JOURNAL_LIMIT / 4;
	for (int i = 0; i < merged; i++) {
		CellBox box = CellBox_Union(entries[2 * i].box, entries[2 * i + 1].box);
		entries[i] = (JournalEntry){box, entries[2 * i + 1].version};
	}
	int rest = store->journal.count - 2 * merged;
	memmove(entries + merged, entries + 2 * merged, (size_t)rest * sizeof(*entries));
	store->journal.count = merged + rest;
}

void Journal_Add(Store *store, CellBox box)
{
	if (store->journal.count == JOURNAL_LIMIT)
		Journal_MergeOldHalf(store);
	SCREE_ASSERT(store->journal.count < store->journal.capacity);
	store->journal.data[store->journal.count++] = (JournalEntry){box, ++store->version};
}

int Store_Changes(const Store *store, uint64_t since, CellBox *boxes, int capacity)
{
	int first = 0, last = store->journal.count;
	while (first < last) {
		int middle = first + (last - first) / 2;
		if (store->journal.data[middle].version > since)
			last = middle;
		else
			first = middle + 1;
	}
	int count = store->journal.count - first;
	for (int i = 0; i < count && i < capacity; i++)
		boxes[i] = store->journal.data[first + i].box;
	return count;
}
