/* Undo and redo. A group holds, in packs, every chunk that changed since the group began, as it was then; to undo it is
 * to put all of them back as one edit, while what they replace is kept as the group to redo. */
#include "voxel/rle_internal.h"

#define UNDO_LEVEL 1 /* of zstd: edits wait for it */

typedef struct UndoGroup {
	char name[UNDO_NAME_SIZE];
	ByteList packs; /* u32 size (of this machine), pack, and so on */
} UndoGroup;

typedef ARRAY(UndoGroup) UndoStack;

typedef struct Undo {
	Memory *memory;
	Rle rle;
	size_t budget;
	UndoStack undos, redos;    /* the next one to go back to is the last */
	char name[UNDO_NAME_SIZE]; /* of the group that the next edit begins */
	bool open;                 /* the last of undos takes more edits; `kept` has its chunks */
	bool lost;                 /* the group passed the budget: nothing is kept until the next begins */
	CoordMap kept;
	UndoGroup *target; /* while undoing or redoing: where what is replaced goes */
	int64_t dropped;
} Undo;

/* ---- groups -------------------------------------------------------------------------------------------------- */

static size_t Group_Bytes(const UndoGroup *group)
{
	return (size_t)group->packs.capacity + sizeof(*group);
}

static size_t Stack_Bytes(const UndoStack *stack)
{
	size_t bytes = 0;
	for (int i = 0; i < stack->count; i++)
		bytes += Group_Bytes(&stack->data[i]);
	return bytes;
}

static void Stack_Clear(UndoStack *stack, Memory *memory)
{
	for (int i = 0; i < stack->count; i++)
		Array_Free(memory, stack->data[i].packs);
	stack->count = 0;
}

static void Stack_DropFirst(UndoStack *stack, Memory *memory)
{
	Array_Free(memory, stack->data[0].packs);
	stack->count--;
	memmove(stack->data, stack->data + 1, (size_t)stack->count * sizeof(*stack->data));
}

static void Undo_Close(Undo *undo)
{
	undo->open = false;
	undo->name[0] = 0;
	CoordMap_Free(&undo->kept, undo->memory);
}

/* Drops the oldest to undo, then the last to redo: what is left can still be gone through one by one. */
static void Undo_KeepBudget(Undo *undo)
{
	while (Stack_Bytes(&undo->undos) + Stack_Bytes(&undo->redos) > undo->budget) {
		UndoStack *stack = undo->undos.count > 0 ? &undo->undos : &undo->redos;
		Stack_DropFirst(stack, undo->memory);
		undo->dropped++;
		if (undo->open && undo->undos.count == 0) {
			Undo_Close(undo);
			undo->lost = true;
		}
	}
}

/* ---- keeping ------------------------------------------------------------------------------------------------- */

/* Appends what the coder holds to the list. */
static bool Undo_Flush(Undo *undo, ByteList *packs)
{
	uint32_t size = 0;
	int at = packs->count;
	if (!Array_Resize(undo->memory, *packs, at + (int)sizeof(size)) || !Rle_Finish(&undo->rle, UNDO_LEVEL, packs)) {
		packs->count = at;
		return false;
	}
	size = (uint32_t)(packs->count - at - (int)sizeof(size));
	memcpy(packs->data + at, &size, sizeof(size));
	return true;
}

/* Chunks that an edit is about to change for good: all of a batch, or one. */
typedef struct UndoEdit {
	const Batch *batch;
	const Chunk *one;
	int count;
} UndoEdit;

static const Chunk *Edit_Chunk(const UndoEdit *edit, int i)
{
	return edit->one ? edit->one : &edit->batch->store->chunks.data[edit->batch->entries.data[i].slot];
}

static const ChannelData *Edit_Before(const UndoEdit *edit, int i)
{
	return edit->one ? edit->one->channel : edit->batch->entries.data[i].original;
}

static bool Channels_Same(const ChannelData *a, const ChannelData *b)
{
	for (int c = 0; c < CHANNEL_COUNT; c++)
		for (int row = 0; row < CHUNK_ROWS; row++) {
			const uint8_t *x = Channel_Row(&a[c], row), *y = Channel_Row(&b[c], row);
			if (x != y && memcmp(x, y, CHUNK_SIZE) != 0)
				return false;
			if (!a[c].header && !b[c].header)
				break;
		}
	return true;
}

static bool Edit_Changes(const UndoEdit *edit, int i)
{
	return edit->one || !Channels_Same(Edit_Before(edit, i), Edit_Chunk(edit, i)->channel);
}

typedef ARRAY(Cell) CellList;

/* Adds the chunks that the edit changes and that are not kept yet to both lists. *changed: does it change any? */
static bool Undo_Collect(Undo *undo, const UndoEdit *edit, CellList *fresh, ByteList *packs, bool *changed)
{
	for (int i = 0; i < edit->count; i++) {
		const Chunk *chunk = Edit_Chunk(edit, i);
		if (!Edit_Changes(edit, i))
			continue;
		*changed = true;
		if (!undo->target && (undo->lost || CoordMap_Find(&undo->kept, chunk->x, chunk->y, chunk->z) >= 0))
			continue;
		Cell at = {chunk->x, chunk->y, chunk->z};
		if (!Array_Push(undo->memory, *fresh, at) || !Rle_Add(&undo->rle, at, Edit_Before(edit, i)))
			return false;
		if (Rle_IsFull(&undo->rle) && !Undo_Flush(undo, packs))
			return false;
	}
	return undo->rle.chunks == 0 || Undo_Flush(undo, packs);
}

static bool Undo_MarkKept(Undo *undo, const CellList *fresh)
{
	for (int i = 0; i < fresh->count; i++) {
		Cell at = fresh->data[i];
		if (CoordMap_Put(&undo->kept, undo->memory, at.x, at.y, at.z, 0))
			continue;
		while (--i >= 0)
			CoordMap_Remove(&undo->kept, fresh->data[i].x, fresh->data[i].y, fresh->data[i].z);
		return false;
	}
	return true;
}

/* Into the open group, or a new one. Takes packs over only when it succeeds. */
static bool Undo_AddToGroup(Undo *undo, const CellList *fresh, ByteList *packs)
{
	Memory *memory = undo->memory;
	if (undo->open) {
		ByteList *list = &undo->undos.data[undo->undos.count - 1].packs;
		if (packs->count > INT32_MAX / 2 - list->count || !Array_Reserve(memory, *list, list->count + packs->count) ||
		    !Undo_MarkKept(undo, fresh))
			return false;
		if (packs->count > 0)
			memcpy(list->data + list->count, packs->data, (size_t)packs->count);
		list->count += packs->count;
		return true;
	}
	if (!Array_Reserve(memory, undo->undos, undo->undos.count + 1) || !Undo_MarkKept(undo, fresh))
		return false;
	UndoGroup *group = &undo->undos.data[undo->undos.count++];
	*group = (UndoGroup){.packs = *packs};
	memcpy(group->name, undo->name, sizeof(group->name));
	*packs = (ByteList){0};
	undo->open = true;
	return true;
}

static bool Undo_Finish(Undo *undo, const CellList *fresh, ByteList *packs)
{
	if (undo->target) {
		undo->target->packs = *packs;
		*packs = (ByteList){0};
		return true;
	}
	if (!undo->lost && !Undo_AddToGroup(undo, fresh, packs))
		return false;
	Stack_Clear(&undo->redos, undo->memory);
	Undo_KeepBudget(undo);
	return true;
}

static bool Undo_Keep(Undo *undo, const UndoEdit *edit)
{
	CellList fresh = {0};
	ByteList packs = {0};
	bool changed = false;
	bool made = Undo_Collect(undo, edit, &fresh, &packs, &changed);
	if (made && changed)
		made = Undo_Finish(undo, &fresh, &packs);
	Rle_Reset(&undo->rle);
	Array_Free(undo->memory, fresh);
	Array_Free(undo->memory, packs);
	return made;
}

bool Undo_KeepBatch(const Batch *batch)
{
	Undo *undo = batch->store->undo;
	UndoEdit edit = {.batch = batch, .count = batch->entries.count};
	return !undo || Undo_Keep(undo, &edit);
}

bool Undo_KeepChunk(Store *store, Cell chunk)
{
	Undo *undo = store->undo;
	if (!undo)
		return true;
	Chunk before = *Store_ChunkOrAir(store, chunk);
	before.x = chunk.x, before.y = chunk.y, before.z = chunk.z;
	UndoEdit edit = {.one = &before, .count = 1};
	return Undo_Keep(undo, &edit);
}

/* ---- going back and forth ------------------------------------------------------------------------------------ */

static bool Undo_StagePack(Rle *rle, Batch *batch, const uint8_t *data, size_t size)
{
	int chunks = 0;
	if (Rle_Open(rle, data, size, &chunks) != ERROR_NONE)
		return false;
	for (int i = 0; i < chunks; i++) {
		RleChunk chunk;
		bool read = Rle_Next(rle, batch->scratch->rows, &chunk);
		SCREE_ASSERT(read);
		if (!read || !Batch_StageChunk(batch, &chunk))
			return false;
	}
	SCREE_ASSERT(Rle_AtEnd(rle));
	return true;
}

static bool Undo_StageGroup(Undo *undo, Batch *batch, const UndoGroup *group)
{
	Rle rle;
	if (!Rle_Begin(&rle, undo->memory, true))
		return false;
	bool good = true;
	for (int at = 0; at < group->packs.count && good;) {
		uint32_t size;
		memcpy(&size, group->packs.data + at, sizeof(size));
		at += (int)sizeof(size);
		good = Undo_StagePack(&rle, batch, group->packs.data + at, size);
		at += (int)size;
	}
	Rle_End(&rle);
	return good && Batch_SortCreated(batch);
}

static int Undo_Go(Store *store, bool back, char name[UNDO_NAME_SIZE], Error *error)
{
	Undo *undo = store->undo;
	UndoStack *from = undo ? (back ? &undo->undos : &undo->redos) : NULL;
	if (!undo || from->count == 0)
		return 0;
	UndoStack *to = back ? &undo->redos : &undo->undos;
	UndoGroup *group = &from->data[from->count - 1], other = {0};
	memcpy(other.name, group->name, sizeof(other.name));
	Batch batch;
	if (!Array_Reserve(undo->memory, *to, to->count + 1) || !Batch_Begin(&batch, store))
		return Error_OutOfMemory(error);
	if (!Undo_StageGroup(undo, &batch, group) || !Batch_Apply(&batch)) {
		Batch_Abort(&batch);
		return Error_OutOfMemory(error);
	}
	undo->target = &other;
	bool made = Batch_Commit(&batch, NULL);
	undo->target = NULL;
	if (!made) {
		Array_Free(undo->memory, other.packs);
		return Error_OutOfMemory(error);
	}
	memcpy(name, other.name, sizeof(other.name));
	Array_Free(undo->memory, group->packs);
	from->count--;
	to->data[to->count++] = other;
	Undo_Close(undo);
	Undo_KeepBudget(undo);
	return 1;
}

int Store_Undo(Store *store, char name[UNDO_NAME_SIZE], Error *error)
{
	return Undo_Go(store, true, name, error);
}

int Store_Redo(Store *store, char name[UNDO_NAME_SIZE], Error *error)
{
	return Undo_Go(store, false, name, error);
}

/* ---- beginning and ending ------------------------------------------------------------------------------------ */

int Store_BeginUndo(Store *store, const char *name, Error *error)
{
	size_t length = name ? strlen(name) : 0;
	if (length >= UNDO_NAME_SIZE)
		return Error_Set(error, ERROR_ARGUMENT, "name must be shorter than %d bytes, got %zu", UNDO_NAME_SIZE, length);
	Memory *memory = store->parent;
	if (!store->undo) {
		Undo *fresh = Memory_AllocZero(memory, sizeof(*fresh));
		if (!fresh || !Rle_Begin(&fresh->rle, memory, false)) {
			Memory_Free(memory, fresh, sizeof(*fresh));
			return Error_OutOfMemory(error);
		}
		fresh->memory = memory;
		fresh->budget = store->undo_budget;
		store->undo = fresh;
	}
	Undo *undo = store->undo;
	Undo_Close(undo);
	undo->lost = false;
	if (length > 0)
		memcpy(undo->name, name, length + 1);
	return ERROR_NONE;
}

void Store_SetUndoBudget(Store *store, size_t bytes)
{
	store->undo_budget = bytes;
	if (!store->undo)
		return;
	store->undo->budget = bytes;
	Undo_KeepBudget(store->undo);
}

void Store_ForgetUndo(Store *store)
{
	Undo *undo = store->undo;
	if (!undo)
		return;
	Stack_Clear(&undo->undos, undo->memory);
	Stack_Clear(&undo->redos, undo->memory);
	Array_Free(undo->memory, undo->undos);
	Array_Free(undo->memory, undo->redos);
	CoordMap_Free(&undo->kept, undo->memory);
	Rle_End(&undo->rle);
	Memory_Free(undo->memory, undo, sizeof(*undo));
	store->undo = NULL;
}

UndoStats Store_UndoStats(const Store *store)
{
	const Undo *undo = store->undo;
	UndoStats stats = {.budget = store->undo_budget};
	if (!undo)
		return stats;
	stats.undos = undo->undos.count;
	stats.redos = undo->redos.count;
	stats.bytes = Stack_Bytes(&undo->undos) + Stack_Bytes(&undo->redos);
	stats.dropped = undo->dropped;
	return stats;
}
