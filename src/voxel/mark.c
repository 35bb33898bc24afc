/* Marks: states of the terrain that can be gone back to, for snapshots of a world.
 *
 * Marks stand in a tree whose root is the present. Each keeps the chunks in which it differs from the mark before it on
 * the way to the present, as they are in it; the one next to the present is the base, and what the present changes is
 * kept there first, once a chunk. To go to a mark is to put in all chunks kept along the way, the farthest winning, and
 * to turn the way round: every mark on it then keeps what it has and its new neighbour has not. */
#include "voxel/store_internal.h"

#include <stdlib.h>

#define NONE (-1)

typedef struct KeptChunk {
	Cell at;
	ChannelData channel[CHANNEL_COUNT];
} KeptChunk;

typedef ARRAY(KeptChunk) KeptList;

typedef struct Mark {
	uint64_t id;
	int toward;   /* the mark before it on the way from the present, or NONE for the base */
	int children; /* marks whose `toward` it is */
	uint64_t born;
	KeptList kept;
} Mark;

typedef struct Marks {
	Memory *memory;
	size_t budget, bytes; /* of kept chunks */
	ARRAY(Mark) marks;
	int base;       /* or NONE */
	CoordMap dirty; /* chunks that the base keeps */
	uint64_t births;
} Marks;

/* ---- kept chunks ---------------------------------------------------------------------------------------------- */

static size_t Kept_Bytes(const KeptChunk *kept)
{
	size_t bytes = sizeof(*kept);
	for (int c = 0; c < CHANNEL_COUNT; c++)
		bytes += Channel_Bytes(&kept->channel[c]);
	return bytes;
}

static void Kept_Free(KeptChunk *kept, Memory *memory)
{
	for (int c = 0; c < CHANNEL_COUNT; c++)
		Channel_Free(&kept->channel[c], memory);
}

static void KeptList_Free(KeptList *list, Memory *memory)
{
	for (int i = 0; i < list->count; i++)
		Kept_Free(&list->data[i], memory);
	Array_Free(memory, *list);
}

static size_t KeptList_Bytes(const KeptList *list)
{
	size_t bytes = 0;
	for (int i = 0; i < list->count; i++)
		bytes += Kept_Bytes(&list->data[i]);
	return bytes;
}

static bool Channels_Copy(const ChannelData from[CHANNEL_COUNT], Memory *memory, ChannelData to[CHANNEL_COUNT])
{
	for (int c = 0; c < CHANNEL_COUNT; c++) {
		size_t size = Channel_Bytes(&from[c]);
		to[c] = from[c];
		to[c].header = size > 0 ? Memory_Alloc(memory, size) : NULL;
		if (size > 0 && !to[c].header) {
			while (--c >= 0)
				Channel_Free(&to[c], memory);
			return false;
		}
		if (size > 0)
			memcpy(to[c].header, from[c].header, size);
	}
	return true;
}

static bool KeptList_Push(KeptList *list, Memory *memory, Cell at, const ChannelData channel[CHANNEL_COUNT])
{
	KeptChunk kept = {.at = at};
	if (!Array_Reserve(memory, *list, list->count + 1) || !Channels_Copy(channel, memory, kept.channel))
		return false;
	list->data[list->count++] = kept;
	return true;
}

/* ---- the budget ----------------------------------------------------------------------------------------------- */

static void Marks_Remove(Marks *marks, int index)
{
	Mark *mark = &marks->marks.data[index];
	marks->bytes -= KeptList_Bytes(&mark->kept);
	KeptList_Free(&mark->kept, marks->memory);
	if (mark->toward != NONE)
		marks->marks.data[mark->toward].children--;
	if (marks->base == index) {
		marks->base = NONE;
		CoordMap_Free(&marks->dirty, marks->memory);
	}
	int last = --marks->marks.count;
	if (index == last)
		return;
	*mark = marks->marks.data[last];
	for (int i = 0; i < marks->marks.count; i++)
		if (marks->marks.data[i].toward == last)
			marks->marks.data[i].toward = index;
	if (marks->base == last)
		marks->base = index;
}

/* The oldest mark that no other hangs on. */
static int Marks_Oldest(const Marks *marks)
{
	int oldest = NONE;
	for (int i = 0; i < marks->marks.count; i++) {
		const Mark *mark = &marks->marks.data[i];
		if (mark->children == 0 && (oldest == NONE || mark->born < marks->marks.data[oldest].born))
			oldest = i;
	}
	return oldest;
}

static void Marks_KeepBudget(Marks *marks)
{
	while (marks->marks.count > MARK_LIMIT || (marks->bytes > marks->budget && marks->marks.count > 0))
		Marks_Remove(marks, Marks_Oldest(marks));
}

/* ---- keeping -------------------------------------------------------------------------------------------------- */

/* Undoes the last `count` keepings. */
static void Base_Forget(Marks *marks, int count)
{
	KeptList *kept = &marks->marks.data[marks->base].kept;
	while (count-- > 0) {
		KeptChunk *last = &kept->data[--kept->count];
		marks->bytes -= Kept_Bytes(last);
		CoordMap_Remove(&marks->dirty, last->at.x, last->at.y, last->at.z);
		Kept_Free(last, marks->memory);
	}
}

/* 1: kept, 0: it was already, -1: no memory. */
static int Base_Keep(Marks *marks, Cell at, const ChannelData channel[CHANNEL_COUNT])
{
	if (CoordMap_Find(&marks->dirty, at.x, at.y, at.z) >= 0)
		return 0;
	KeptList *kept = &marks->marks.data[marks->base].kept;
	if (!KeptList_Push(kept, marks->memory, at, channel))
		return -1;
	if (!CoordMap_Put(&marks->dirty, marks->memory, at.x, at.y, at.z, 0)) {
		Kept_Free(&kept->data[--kept->count], marks->memory);
		return -1;
	}
	marks->bytes += Kept_Bytes(&kept->data[kept->count - 1]);
	return 1;
}

bool Mark_KeepBatch(const Batch *batch)
{
	Marks *marks = batch->store->marks;
	if (!marks || marks->base == NONE)
		return true;
	int made = 0;
	for (int i = 0; i < batch->entries.count; i++) {
		const BatchEntry *entry = &batch->entries.data[i];
		const Chunk *chunk = &batch->store->chunks.data[entry->slot];
		int kept = Base_Keep(marks, (Cell){chunk->x, chunk->y, chunk->z}, entry->original);
		if (kept < 0) {
			Base_Forget(marks, made);
			return false;
		}
		made += kept;
	}
	Marks_KeepBudget(marks);
	return true;
}

bool Mark_KeepChunk(Store *store, Cell chunk)
{
	Marks *marks = store->marks;
	if (!marks || marks->base == NONE)
		return true;
	if (Base_Keep(marks, chunk, Store_ChunkOrAir(store, chunk)->channel) < 0)
		return false;
	Marks_KeepBudget(marks);
	return true;
}

/* ---- making --------------------------------------------------------------------------------------------------- */

static int KeptOrder(const void *a, const void *b)
{
	const KeptChunk *p = a, *q = b;
	if (p->at.y != q->at.y)
		return p->at.y < q->at.y ? -1 : 1;
	if (p->at.z != q->at.z)
		return p->at.z < q->at.z ? -1 : 1;
	return (p->at.x > q->at.x) - (p->at.x < q->at.x);
}

static void Hash_Chunk(Hasher *hasher, const Store *store, Cell at)
{
	const Chunk *chunk = Store_ChunkOrAir(store, at);
	int32_t place[3] = {at.x, at.y, at.z};
	Hasher_Bytes(hasher, place, sizeof(place));
	for (int c = 0; c < CHANNEL_COUNT; c++)
		for (int row = 0; row < CHUNK_ROWS; row++)
			Hasher_Bytes(hasher, Channel_Row(&chunk->channel[c], row), CHUNK_SIZE);
}

/* Names the present by its contents: by all of them where there is no base, else by what has changed since. Sorts what
 * the base keeps, which makes no difference to anybody. */
static uint64_t Marks_Name(Marks *marks, const Store *store)
{
	Hasher hasher;
	Hasher_Init(&hasher);
	if (marks->base == NONE) {
		Store_Hash(store, &hasher);
		return Hasher_Value(&hasher);
	}
	Mark *base = &marks->marks.data[marks->base];
	qsort(base->kept.data, (size_t)base->kept.count, sizeof(KeptChunk), KeptOrder);
	Hasher_Bytes(&hasher, &base->id, sizeof(base->id));
	for (int i = 0; i < base->kept.count; i++)
		Hash_Chunk(&hasher, store, base->kept.data[i].at);
	return Hasher_Value(&hasher);
}

static int Marks_Find(const Marks *marks, uint64_t id)
{
	for (int i = 0; i < marks->marks.count; i++)
		if (marks->marks.data[i].id == id)
			return i;
	return NONE;
}

static Marks *Marks_Get(Store *store)
{
	if (store->marks)
		return store->marks;
	Marks *marks = Memory_AllocZero(store->parent, sizeof(*marks));
	if (!marks)
		return NULL;
	*marks = (Marks){.memory = store->parent, .budget = store->mark_budget, .base = NONE};
	store->marks = marks;
	return marks;
}

/* The same contents by the same way have the same name, so an older mark of that name can only be this state: what
 * hangs there is as good here. The new one takes its place. */
static void Marks_DropTwin(Marks *marks, uint64_t id)
{
	int twin = Marks_Find(marks, id);
	if (twin != NONE)
		marks->marks.data[twin].id = ~id;
}

int Store_Mark(Store *store, uint64_t *id, Error *error)
{
	Marks *marks = Marks_Get(store);
	if (!marks)
		return Error_OutOfMemory(error);
	if (marks->base != NONE && marks->marks.data[marks->base].kept.count == 0) {
		*id = marks->marks.data[marks->base].id;
		return ERROR_NONE;
	}
	if (!Array_Reserve(marks->memory, marks->marks, marks->marks.count + 1))
		return Error_OutOfMemory(error);
	*id = Marks_Name(marks, store);
	Marks_DropTwin(marks, *id);
	int made = marks->marks.count++;
	marks->marks.data[made] = (Mark){.id = *id, .toward = NONE, .born = marks->births++};
	if (marks->base != NONE) {
		marks->marks.data[marks->base].toward = made;
		marks->marks.data[made].children = 1;
	}
	marks->base = made;
	CoordMap_Free(&marks->dirty, marks->memory);
	Marks_KeepBudget(marks);
	return ERROR_NONE;
}

/* ---- going ---------------------------------------------------------------------------------------------------- */

/* The way from the present to a mark, and what it becomes when it is turned round. */
typedef struct Way {
	Marks *marks;
	ARRAY(int) path;        /* base first */
	ARRAY(KeptList) turned; /* of step i: chunks of path[i], as they are in path[i - 1]; none for the base */
	CoordMap latest;        /* chunk -> index in `places`: where its last image on the way is */
	ARRAY(uint64_t) places; /* step << 32 | index in what that mark keeps */
} Way;

static void Way_End(Way *way)
{
	Memory *memory = way->marks->memory;
	for (int i = 0; i < way->turned.count; i++)
		KeptList_Free(&way->turned.data[i], memory);
	Array_Free(memory, way->turned);
	Array_Free(memory, way->path);
	Array_Free(memory, way->places);
	CoordMap_Free(&way->latest, memory);
}

static const KeptChunk *Way_Image(const Way *way, uint64_t place)
{
	return &way->marks->marks.data[way->path.data[place >> 32]].kept.data[(uint32_t)place];
}

static bool Way_FindPath(Way *way, int target)
{
	const Mark *marks = way->marks->marks.data;
	for (int i = target; i != NONE; i = marks[i].toward)
		if (!Array_Push(way->marks->memory, way->path, i))
			return false;
	for (int i = 0, k = way->path.count - 1; i < k; i++, k--) {
		int other = way->path.data[i];
		way->path.data[i] = way->path.data[k];
		way->path.data[k] = other;
	}
	return true;
}

/* Takes step i: what path[i] keeps is turned round, and then stands for the chunks. */
static bool Way_Step(Way *way, const Store *store, int i)
{
	Memory *memory = way->marks->memory;
	const KeptList *kept = &way->marks->marks.data[way->path.data[i]].kept;
	if (!Array_Push(memory, way->turned, (KeptList){0}))
		return false;
	for (int k = 0; k < kept->count; k++) {
		Cell at = kept->data[k].at;
		uint64_t place = (uint64_t)i << 32 | (uint32_t)k;
		int known = CoordMap_Find(&way->latest, at.x, at.y, at.z);
		const ChannelData *before =
		    known >= 0 ? Way_Image(way, way->places.data[known])->channel : Store_ChunkOrAir(store, at)->channel;
		if (i > 0 && !KeptList_Push(&way->turned.data[i], memory, at, before))
			return false;
		if (known >= 0)
			way->places.data[known] = place;
		else if (!Array_Push(memory, way->places, place) ||
		         !CoordMap_Put(&way->latest, memory, at.x, at.y, at.z, way->places.count - 1))
			return false;
	}
	return true;
}

/* Puts the last image of every chunk into the store, as one edit. */
static bool Way_Apply(const Way *way, Store *store)
{
	Batch batch;
	if (!Batch_Begin(&batch, store))
		return false;
	bool good = true;
	for (int i = 0; i < way->places.count && good; i++) {
		const KeptChunk *kept = Way_Image(way, way->places.data[i]);
		ChannelData fresh[CHANNEL_COUNT];
		good = Channels_Copy(kept->channel, &store->memory, fresh) && Batch_Stage(&batch, kept->at, 7, fresh);
	}
	if (!good || !Batch_SortCreated(&batch) || !Batch_Apply(&batch)) {
		Batch_Abort(&batch);
		return false;
	}
	return Batch_Commit(&batch, NULL);
}

static void Way_Turn(Way *way)
{
	Marks *marks = way->marks;
	int steps = way->path.count, target = way->path.data[steps - 1];
	for (int i = 0; i < steps; i++) {
		Mark *mark = &marks->marks.data[way->path.data[i]];
		marks->bytes -= KeptList_Bytes(&mark->kept);
		KeptList_Free(&mark->kept, marks->memory);
		mark->toward = i + 1 < steps ? way->path.data[i + 1] : NONE;
		mark->children += (i > 0) - (i + 1 < steps);
		if (i + 1 == steps)
			continue;
		mark->kept = way->turned.data[i + 1];
		way->turned.data[i + 1] = (KeptList){0};
		marks->bytes += KeptList_Bytes(&mark->kept);
	}
	marks->base = target;
	CoordMap_Free(&marks->dirty, marks->memory);
	Marks_KeepBudget(marks);
}

static int Marks_Go(Store *store, int target, Error *error)
{
	Marks *marks = store->marks;
	Way way = {.marks = marks};
	bool good = Way_FindPath(&way, target);
	for (int i = 0; good && i < way.path.count; i++)
		good = Way_Step(&way, store, i);
	if (good && way.places.count > 0) {
		/* what is put back is not an edit to undo, and what could be undone has no meaning any more */
		struct Undo *undo = store->undo;
		store->undo = NULL;
		store->marks = NULL;
		good = Way_Apply(&way, store);
		store->undo = undo;
		store->marks = marks;
		if (good)
			Store_ForgetUndo(store);
	}
	if (good)
		Way_Turn(&way);
	Way_End(&way);
	return good ? ERROR_NONE : Error_OutOfMemory(error);
}

int Store_GoToMark(Store *store, uint64_t id, Error *error)
{
	Marks *marks = Marks_Get(store);
	if (!marks)
		return Error_OutOfMemory(error);
	int target = Marks_Find(marks, id);
	if (target == NONE && marks->base == NONE) {
		uint64_t present;
		int code = Store_Mark(store, &present, error);
		if (code != ERROR_NONE)
			return code;
		target = Marks_Find(marks, id);
	}
	if (target == NONE) {
		Hasher hasher;
		Hasher_Init(&hasher);
		Store_Hash(store, &hasher);
		if (Hasher_Value(&hasher) == id) /* another store's first mark, of the same cells */
			return ERROR_NONE;
		return Error_Set(error, ERROR_FILE, "the terrain that it belongs to is not kept here");
	}
	return Marks_Go(store, target, error);
}

/* ---- the whole ------------------------------------------------------------------------------------------------ */

void Store_SetMarkBudget(Store *store, size_t bytes)
{
	store->mark_budget = bytes;
	if (!store->marks)
		return;
	store->marks->budget = bytes;
	Marks_KeepBudget(store->marks);
}

void Store_ForgetMarks(Store *store)
{
	Marks *marks = store->marks;
	if (!marks)
		return;
	for (int i = 0; i < marks->marks.count; i++)
		KeptList_Free(&marks->marks.data[i].kept, marks->memory);
	Array_Free(marks->memory, marks->marks);
	CoordMap_Free(&marks->dirty, marks->memory);
	Memory_Free(marks->memory, marks, sizeof(*marks));
	store->marks = NULL;
}

MarkStats Store_MarkStats(const Store *store)
{
	const Marks *marks = store->marks;
	if (!marks)
		return (MarkStats){.budget = store->mark_budget};
	return (MarkStats){.marks = marks->marks.count, .bytes = marks->bytes, .budget = store->mark_budget};
}
