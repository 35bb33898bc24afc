/* The collider cache: built when a contact or a ray first needs one, kept in order of use, dropped when the cells
 * changed or when the budget is passed. */
#include "terrain/terrain_internal.h"

/* ---- the list by use ----------------------------------------------------------------------------------------- */

static void Unlink(Terrain *terrain, Collider *c)
{
	*(c->older ? &c->older->newer : &terrain->oldest) = c->newer;
	*(c->newer ? &c->newer->older : &terrain->newest) = c->older;
}

static void LinkNewest(Terrain *terrain, Collider *c)
{
	c->older = terrain->newest;
	c->newer = NULL;
	*(terrain->newest ? &terrain->newest->newer : &terrain->oldest) = c;
	terrain->newest = c;
}

/* Once an epoch is enough: the order only matters from one trim to the next. */
static void Touch(Terrain *terrain, Collider *c)
{
	if (c->used == terrain->epoch)
		return;
	c->used = terrain->epoch;
	Unlink(terrain, c);
	LinkNewest(terrain, c);
}

/* ---- the books ----------------------------------------------------------------------------------------------- */

/* Adds (sign 1) or takes off (-1) what a collider counts for, without its kinds. */
static void Count(Terrain *terrain, const Collider *c, int sign)
{
	size_t index = Collider_IndexBytes(c);
	terrain->colliders += sign;
	terrain->triangles += sign * 2 * c->quad_count;
	terrain->index_bytes += (size_t)sign * index;
	terrain->mesh_bytes += (size_t)sign * (c->bytes - index);
}

/* A fresh collider enters the list and the books. */
static void Enter(Terrain *terrain, Collider *c, int record)
{
	c->record = record;
	c->used = terrain->epoch;
	c->linked = 1;
	LinkNewest(terrain, c);
	Count(terrain, c, 1);
	terrain->built++;
}

void Cache_DropKinds(Terrain *terrain, Collider *c)
{
	if (!c->kinds)
		return;
	size_t bytes = Collider_KindsBytes(c);
	Memory_Free(terrain->memory, c->kinds, bytes);
	terrain->mesh_bytes -= bytes;
	c->kinds = NULL;
}

void Cache_Drop(Terrain *terrain, Collider *c)
{
	Cache_DropKinds(terrain, c);
	Count(terrain, c, -1);
	Unlink(terrain, c);
	Record_At(terrain, c->record)->collider = NULL;
	Memory_Free(terrain->memory, c, c->bytes);
}

void Cache_Free(Terrain *terrain)
{
	while (terrain->oldest)
		Cache_Drop(terrain, terrain->oldest);
	for (int i = 0; i < terrain->scratch.count; i++)
		Memory_Free(terrain->memory, terrain->scratch.data[i], sizeof(ColliderScratch));
	Array_Free(terrain->memory, terrain->scratch);
	Array_Free(terrain->memory, terrain->pending);
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

const Collider *Cache_Need(Terrain *terrain, int id)
{
	Record *record = Record_At(terrain, id);
	if (record->collider) {
		Touch(terrain, record->collider);
		return record->collider;
	}
	if (!NeedScratch(terrain, 1))
		return NULL;
	Collider_Mesh(terrain, Record_Block(terrain, id), terrain->scratch.data[0]);
	record->collider = Collider_Make(terrain, terrain->scratch.data[0]);
	if (record->collider)
		Enter(terrain, record->collider, id);
	return record->collider;
}

bool Cache_Ready(Terrain *terrain, int id, bool edge_kinds)
{
	const Record *record = Record_At(terrain, id);
	if (!record || record->quads == 0)
		return true;
	if (!record->collider || (edge_kinds && !record->collider->kinds))
		return false;
	Touch(terrain, record->collider);
	return true;
}

typedef struct BuildWork {
	Terrain *terrain;
	bool edge_kinds;
} BuildWork;

/* A task writes its own records and colliders only; the books are kept afterwards. */
static void BuildPending(void *context, int begin, int end, int worker)
{
	const BuildWork *work = context;
	Terrain *terrain = work->terrain;
	ColliderScratch *scratch = terrain->scratch.data[worker];
	for (int i = begin; i < end; i++) {
		int id = terrain->pending.data[i];
		Record *record = Record_At(terrain, id);
		Collider_Mesh(terrain, Record_Block(terrain, id), scratch);
		if (!record->collider)
			record->collider = Collider_Make(terrain, scratch);
		if (record->collider && work->edge_kinds)
			record->collider->kinds = Collider_MakeKinds(terrain, record->collider, scratch);
	}
}

/* Lists the records to build for, each once. */
static bool ListPending(Terrain *terrain, const int32_t *records, int count, bool edge_kinds)
{
	terrain->pending.count = 0;
	for (int i = 0; i < count; i++) {
		Record *record = Record_At(terrain, records[i]);
		if (!record || record->quads == 0 || record->listed)
			continue;
		if (record->collider) {
			Touch(terrain, record->collider);
			if (record->collider->kinds || !edge_kinds)
				continue;
		}
		if (!Array_Push(terrain->memory, terrain->pending, records[i]))
			return false;
		record->listed = 1;
	}
	return true;
}

/* Enters in the books what was built. Returns whether all went well. */
static bool SettlePending(Terrain *terrain, bool edge_kinds)
{
	bool ok = true;
	for (int i = 0; i < terrain->pending.count; i++) {
		int id = terrain->pending.data[i];
		Record *record = Record_At(terrain, id);
		Collider *collider = record->collider;
		record->listed = 0;
		ok &= collider && (collider->kinds || !edge_kinds);
		if (collider && !collider->linked)
			Enter(terrain, collider, id);
		if (collider && collider->kinds)
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

/* What was used since the last trim stays, whatever the budget: a step needs all that it asked for. It stands at the
 * newer end of the list. */
void Terrain_Trim(Terrain *terrain, size_t budget)
{
	while (terrain->oldest && terrain->mesh_bytes + terrain->index_bytes > budget &&
	       terrain->oldest->used != terrain->epoch) {
		Cache_Drop(terrain, terrain->oldest);
		terrain->evicted++;
	}
	terrain->epoch++;
}
