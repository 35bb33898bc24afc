/* The collider cache: built when a contact or a ray first needs one, kept in order of use, dropped when the cells
 * changed or when the budget is passed. */
#include "terrain/terrain_internal.h"

/* ---- the list by use ----------------------------------------------------------------------------------------- */

static ColliderSlot *SlotAt(Terrain *terrain, int slot)
{
	return &terrain->slots.data[slot];
}

static Record *RecordOf(Terrain *terrain, const ColliderSlot *slot)
{
	return &terrain->records.data[slot->record];
}

static void Unlink(Terrain *terrain, int slot)
{
	const ColliderSlot *s = SlotAt(terrain, slot);
	if (s->older >= 0)
		SlotAt(terrain, s->older)->newer = s->newer;
	else
		terrain->oldest = s->newer;
	if (s->newer >= 0)
		SlotAt(terrain, s->newer)->older = s->older;
	else
		terrain->newest = s->older;
}

static void LinkNewest(Terrain *terrain, int slot)
{
	ColliderSlot *s = SlotAt(terrain, slot);
	s->older = terrain->newest;
	s->newer = -1;
	if (terrain->newest >= 0)
		SlotAt(terrain, terrain->newest)->newer = slot;
	else
		terrain->oldest = slot;
	terrain->newest = slot;
}

/* Once an epoch is enough: the order only matters from one trim to the next. */
static void Touch(Terrain *terrain, Record *record)
{
	if (record->used == terrain->epoch)
		return;
	record->used = terrain->epoch;
	Unlink(terrain, record->slot);
	LinkNewest(terrain, record->slot);
}

/* ---- slots --------------------------------------------------------------------------------------------------- */

/* Gives the record a slot, its collider still to be built. */
static bool TakeSlot(Terrain *terrain, int record)
{
	int slot = terrain->free_slot;
	if (slot >= 0) {
		terrain->free_slot = SlotAt(terrain, slot)->older;
	} else {
		slot = terrain->slots.count;
		if (!Array_Reserve(terrain->memory, terrain->slots, slot + 1))
			return false;
		terrain->slots.count++;
	}
	*SlotAt(terrain, slot) = (ColliderSlot){.record = record};
	LinkNewest(terrain, slot);
	terrain->records.data[record].slot = slot;
	terrain->records.data[record].used = terrain->epoch;
	return true;
}

/* Adds (sign 1) or takes off (-1) what a built collider counts for. */
static void CountCollider(Terrain *terrain, ColliderSlot *slot, int sign)
{
	const Collider *collider = RecordOf(terrain, slot)->collider;
	size_t index = sizeof *collider + collider->node_count * sizeof(KdNode);
	slot->counted = sign > 0;
	terrain->built += sign > 0;
	terrain->colliders += sign;
	terrain->triangles += sign * 2 * collider->quad_count;
	terrain->index_bytes += (size_t)sign * index;
	terrain->mesh_bytes += (size_t)sign * (collider->bytes - index);
}

void Cache_DropKinds(Terrain *terrain, int slot)
{
	ColliderSlot *s = SlotAt(terrain, slot);
	if (!s->kinds)
		return;
	size_t bytes = Collider_KindsBytes(RecordOf(terrain, s)->collider);
	Memory_Free(terrain->memory, s->kinds, bytes);
	terrain->mesh_bytes -= bytes;
	s->kinds = NULL;
}

void Cache_Drop(Terrain *terrain, int slot)
{
	ColliderSlot *s = SlotAt(terrain, slot);
	Record *record = RecordOf(terrain, s);
	if (record->collider) {
		Cache_DropKinds(terrain, slot);
		CountCollider(terrain, s, -1);
		Memory_Free(terrain->memory, record->collider, record->collider->bytes);
	}
	record->collider = NULL;
	record->slot = -1;
	Unlink(terrain, slot);
	*s = (ColliderSlot){.record = -1, .older = terrain->free_slot};
	terrain->free_slot = slot;
}

void Cache_Free(Terrain *terrain)
{
	while (terrain->oldest >= 0)
		Cache_Drop(terrain, terrain->oldest);
	for (int i = 0; i < terrain->scratch.count; i++)
		Memory_Free(terrain->memory, terrain->scratch.data[i], sizeof(ColliderScratch));
	Array_Free(terrain->memory, terrain->scratch);
	Array_Free(terrain->memory, terrain->pending);
	Array_Free(terrain->memory, terrain->slots);
}

/* ---- building ------------------------------------------------------------------------------------------------ */

static bool NeedScratch(Terrain *terrain, int workers)
{
	while (terrain->scratch.count < workers) {
		if (!Array_Reserve(terrain->memory, terrain->scratch, terrain->scratch.count + 1))
			return false;
		ColliderScratch *scratch = Memory_Alloc(terrain->memory, sizeof *scratch);
		if (!scratch)
			return false;
		terrain->scratch.data[terrain->scratch.count++] = scratch;
	}
	return true;
}

const Collider *Cache_Need(Terrain *terrain, int index)
{
	Record *record = &terrain->records.data[index];
	if (record->collider) {
		Touch(terrain, record);
		return record->collider;
	}
	if (!NeedScratch(terrain, 1) || !TakeSlot(terrain, index))
		return NULL;
	Collider_Mesh(terrain, record->block, terrain->scratch.data[0]);
	record->collider = Collider_Make(terrain, terrain->scratch.data[0]);
	if (record->collider)
		CountCollider(terrain, SlotAt(terrain, record->slot), 1);
	else
		Cache_Drop(terrain, record->slot);
	return record->collider;
}

typedef struct BuildWork {
	Terrain *terrain;
	bool edge_kinds;
} BuildWork;

/* A task writes the pointers of its own slots and records only; the books are kept afterwards. */
static void BuildPending(void *context, int begin, int end, int worker)
{
	const BuildWork *work = context;
	Terrain *terrain = work->terrain;
	ColliderScratch *scratch = terrain->scratch.data[worker];
	for (int i = begin; i < end; i++) {
		ColliderSlot *slot = SlotAt(terrain, terrain->pending.data[i]);
		Record *record = RecordOf(terrain, slot);
		Collider_Mesh(terrain, record->block, scratch);
		if (!record->collider)
			record->collider = Collider_Make(terrain, scratch);
		if (record->collider && work->edge_kinds)
			slot->kinds = Collider_MakeKinds(terrain, record->collider, scratch);
	}
}

/* Lists the slots to build, each once. */
static bool ListPending(Terrain *terrain, const int32_t *records, int count, bool edge_kinds)
{
	terrain->pending.count = 0;
	for (int i = 0; i < count; i++) {
		Record *record = &terrain->records.data[records[i]];
		if (record->quads == 0)
			continue;
		if (record->slot >= 0) {
			const ColliderSlot *slot = SlotAt(terrain, record->slot);
			Touch(terrain, record);
			if (slot->listed || slot->kinds || !edge_kinds)
				continue;
		}
		if (!Array_Reserve(terrain->memory, terrain->pending, terrain->pending.count + 1) ||
		    (record->slot < 0 && !TakeSlot(terrain, records[i])))
			return false;
		SlotAt(terrain, record->slot)->listed = true;
		terrain->pending.data[terrain->pending.count++] = record->slot;
	}
	return true;
}

/* Counts what was built and gives slots back where that failed. Returns whether all went well. */
static bool SettlePending(Terrain *terrain, bool edge_kinds)
{
	bool ok = true;
	for (int i = 0; i < terrain->pending.count; i++) {
		ColliderSlot *slot = SlotAt(terrain, terrain->pending.data[i]);
		const Collider *collider = RecordOf(terrain, slot)->collider;
		slot->listed = false;
		ok &= collider && (slot->kinds || !edge_kinds);
		if (!collider) {
			Cache_Drop(terrain, terrain->pending.data[i]);
			continue;
		}
		if (!slot->counted)
			CountCollider(terrain, slot, 1);
		if (slot->kinds)
			terrain->mesh_bytes += Collider_KindsBytes(collider);
	}
	terrain->pending.count = 0;
	return ok;
}

bool Terrain_Build(Terrain *terrain, const int32_t *records, int count, bool edge_kinds, TaskPool *pool)
{
	bool ok = ListPending(terrain, records, count, edge_kinds);
	int pending = terrain->pending.count;
	ok = ok && (pending == 0 || NeedScratch(terrain, pool ? TaskPool_Threads(pool) : 1));
	BuildWork work = {terrain, edge_kinds};
	if (ok && pending > 0 && pool)
		TaskPool_For(pool, pending, 1, BuildPending, &work);
	else if (ok && pending > 0)
		BuildPending(&work, 0, pending, 0);
	return SettlePending(terrain, edge_kinds) && ok;
}

/* What was used since the last trim stays, whatever the budget: a step needs all that it asked for. */
void Terrain_Trim(Terrain *terrain, size_t budget)
{
	while (terrain->oldest >= 0 && terrain->mesh_bytes + terrain->index_bytes > budget &&
	       RecordOf(terrain, SlotAt(terrain, terrain->oldest))->used < terrain->epoch) {
		Cache_Drop(terrain, terrain->oldest);
		terrain->evicted++;
	}
	terrain->epoch++;
}

/* ---- triangles ----------------------------------------------------------------------------------------------- */

bool Terrain_Triangles(const Terrain *terrain, int32_t index, WorldBox box, Pos origin, Memory *memory,
                       TriangleList *out)
{
	const Record *record = &terrain->records.data[index];
	if (record->quads == 0)
		return true;
	SCREE_ASSERT(record->collider);
	const uint16_t *kinds = terrain->slots.data[record->slot].kinds;
	return Collider_Triangles(terrain, record->block, record->collider, kinds, box, origin, memory, out);
}

bool Terrain_Gather(Terrain *terrain, WorldBox box, Pos origin, bool edge_kinds, TriangleList *out)
{
	BlockHitList hits = {0};
	int first = out->items.count;
	bool ok = Terrain_Query(terrain, terrain->memory, box, &hits);
	for (int i = 0; ok && i < hits.items.count; i++) {
		const BlockHit *hit = &hits.items.data[i];
		if (hit->solid)
			ok = Terrain_Build(terrain, &hit->record, 1, edge_kinds, NULL) &&
			     Terrain_Triangles(terrain, hit->record, box, origin, terrain->memory, out);
	}
	Array_Free(terrain->memory, hits.items);
	if (!ok)
		out->items.count = first;
	return ok;
}
