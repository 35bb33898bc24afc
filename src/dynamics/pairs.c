/* Broadphase: which parts may touch, and which parts stand over terrain. */
#include "dynamics/dynamics_internal.h"

/* ---- pairs of parts
 * -------------------------------------------------------------------------------------------------- */

typedef struct PairSearch {
	Dynamics *dynamics;
	int part;
	bool failed;
} PairSearch;

static bool FoundPair(void *context, int32_t user)
{
	PairSearch *search = context;
	Dynamics *d = search->dynamics;
	int part = search->part;
	if (part == user)
		return true;
	/* each of two moved parts finds the other: the lower one speaks */
	if (d->parts.data[user].moved && user < part)
		return true;
	uint64_t key = part < user ? PairKey(part, user) : PairKey(user, part);
	if (!Parts_ShouldCollide(d, part, user) || KeyMap_Find(&d->pair_map, key) >= 0)
		return true;
	if (!Array_Push(d->memory, d->new_pairs, key))
		search->failed = true;
	return !search->failed;
}

static bool EndPairs(Dynamics *d)
{
	int ended = 0;
	for (int i = 0; i < d->awake_contacts.count; i++)
		ended += d->contacts.data[d->awake_contacts.data[i]].touching;
	if (!Contact_ReserveEvents(d, ended))
		return false;
	for (int i = d->awake_contacts.count - 1; i >= 0; i--) {
		int slot = d->awake_contacts.data[i];
		const Contact *c = &d->contacts.data[slot];
		if (c->part_a == NONE)
			continue;
		const Part *a = &d->parts.data[c->part_a], *b = &d->parts.data[c->part_b];
		WorldBox box_a = BoxTree_Box(Body_Tree(d, &d->bodies.data[a->body]), a->leaf);
		WorldBox box_b = BoxTree_Box(Body_Tree(d, &d->bodies.data[b->body]), b->leaf);
		if (!WorldBoxOverlap(box_a, box_b))
			Contact_Destroy(d, slot);
	}
	return true;
}

static int OrderKeys(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

/* A new pair. When neither side is awake (something static was put into a sleeper) the sleeper wakes and finds out. */
static bool MakePair(Dynamics *d, uint64_t key)
{
	int part_a = (int)(key >> 32), part_b = (int)(key & 0xFFFFFFFFu);
	int contact = Contact_Create(d, part_a, part_b);
	if (contact == NONE)
		return false;
	int sides[2] = {d->contacts.data[contact].body_a, d->contacts.data[contact].body_b};
	bool awake = false;
	for (int i = 0; i < 2; i++)
		awake = awake || Body_IsAwake(&d->bodies.data[sides[i]]);
	bool ok = !awake || Contact_ListAwake(d, contact);
	for (int i = 0; ok && !awake && i < 2; i++)
		if (d->bodies.data[sides[i]].motion == MOTION_DYNAMIC)
			ok = Sleep_Wake(d, sides[i], "new neighbour");
	if (!ok)
		Contact_Destroy(d, contact);
	return ok;
}

bool Dynamics_FindPairs(Dynamics *d)
{
	if (!EndPairs(d))
		return false;
	PairSearch search = {.dynamics = d};
	d->new_pairs.count = 0;
	for (int i = 0; i < d->moved_parts.count && !search.failed; i++) {
		search.part = d->moved_parts.data[i];
		const Part *part = &d->parts.data[search.part];
		if (part->body == NONE)
			continue;
		const Body *body = &d->bodies.data[part->body];
		WorldBox box = BoxTree_Box(Body_Tree(d, body), part->leaf);
		BoxTree_Query(&d->moving_tree, box, FoundPair, &search);
		if (body->motion == MOTION_DYNAMIC)
			BoxTree_Query(&d->fixed_tree, box, FoundPair, &search);
	}
	bool ok = !search.failed;
	/* by slots, so that the tree's shape does not show */
	if (ok && d->new_pairs.count > 1)
		qsort(d->new_pairs.data, (size_t)d->new_pairs.count, sizeof(uint64_t), OrderKeys);
	for (int i = 0; ok && i < d->new_pairs.count; i++)
		if (KeyMap_Find(&d->pair_map, d->new_pairs.data[i]) < 0)
			ok = MakePair(d, d->new_pairs.data[i]);
	if (!ok)
		return false;
	for (int i = 0; i < d->moved_parts.count; i++)
		d->parts.data[d->moved_parts.data[i]].moved = false;
	d->moved_parts.count = 0;
	return true;
}

/* ---- parts over terrain
 * -------------------------------------------------------------------------------------------------- */

/* The part's box now and at the end of the step, grown by what the narrowphase looks at. */
static WorldBox SweptBox(const Dynamics *d, const Part *part, const Body *body, float dt)
{
	WorldBox box = Part_Box(d, part);
	Vec3 shift = Scale(dt, body->velocity);
	WorldBox later = {PosAdd(box.lo, shift), PosAdd(box.hi, shift)};
	float turn = Min(Length(body->angular_velocity) * dt * part->outer_radius, part->outer_radius);
	return WorldBoxGrow(WorldBoxUnion(box, later), (double)(SPECULATIVE_DISTANCE + turn));
}

/* Is the part's middle in the ground? Asked exactly only where the cell there is solid, so what rests on the ground
 * costs one look. A part that sank so far gets a way out instead of contacts with faces, which have but one side. */
static bool FindWayOut(Dynamics *d, TerrainPair *pair)
{
	const Part *part = &d->parts.data[pair->part];
	double size = Terrain_CellSize(d->terrain);
	Pos middle = Part_Middle(d, part), air;
	Cell cell = {FloorToInt(middle.x / size), FloorToInt(middle.y / size), FloorToInt(middle.z / size)};
	if (Store_Get(d->store, cell).material == MATERIAL_AIR)
		return true;
	int inside = Terrain_PointInside(d->terrain, middle, NULL);
	if (inside <= 0)
		return inside == 0;
	pair->sunk = true;
	pair->out = V3(0.0f, 1.0f, 0.0f);
	pair->depth = (float)DIG_OUT_REACH;
	if (Terrain_NearestAir(d->terrain, middle, DIG_OUT_REACH, &air)) {
		Vec3 way = PosSub(air, middle);
		pair->depth = Length(way);
		if (pair->depth > 1e-4f)
			pair->out = Scale(1.0f / pair->depth, way);
	}
	return true;
}

static bool VisitPart(Dynamics *d, int slot, const Body *body, float dt)
{
	Part *part = &d->parts.data[slot];
	TerrainPair pair = {.part = slot, .contact = part->terrain_contact, .first = d->block_hits.items.count};
	if (!Terrain_Query(d->terrain, d->memory, SweptBox(d, part, body, dt), &d->block_hits))
		return false;
	bool near = false;
	for (int i = pair.first; i < d->block_hits.items.count; i++) {
		const BlockHit *hit = &d->block_hits.items.data[i];
		near = near || hit->solid || hit->buried;
		if (hit->solid && !Array_Push(d->memory, d->build_list, hit->record))
			return false;
	}
	pair.count = d->block_hits.items.count - pair.first;
	if (near && pair.contact == NONE) {
		pair.contact = Contact_Create(d, NONE, slot);
		if (pair.contact == NONE)
			return false;
		if (!Contact_ListAwake(d, pair.contact)) {
			Contact_Destroy(d, pair.contact);
			return false;
		}
	}
	if (!near && pair.contact != NONE) {
		if (!Contact_ReserveEvents(d, 1))
			return false;
		Contact_Destroy(d, pair.contact);
		pair.contact = NONE;
	}
	if (pair.contact == NONE)
		return true;
	return FindWayOut(d, &pair) && Array_Push(d->memory, d->terrain_pairs, pair);
}

static int OrderRecords(const void *a, const void *b)
{
	int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
	return (x > y) - (x < y);
}

bool Dynamics_FindTerrain(Dynamics *d, float dt)
{
	d->block_hits.items.count = 0;
	d->terrain_pairs.count = 0;
	d->build_list.count = 0;
	for (int i = 0; i < d->awake.count; i++) {
		const Body *body = &d->bodies.data[d->awake.data[i]];
		for (int k = 0; k < body->part_count && body->motion == MOTION_DYNAMIC; k++)
			if (!VisitPart(d, body->first_part + k, body, dt))
				return false;
	}
	int unique = 0;
	int32_t *records = d->build_list.data;
	if (d->build_list.count > 1)
		qsort(records, (size_t)d->build_list.count, sizeof *records, OrderRecords);
	for (int i = 0; i < d->build_list.count; i++)
		if (unique == 0 || records[unique - 1] != records[i])
			records[unique++] = records[i];
	d->build_list.count = unique;
	return Terrain_Build(d->terrain, records, unique, true, d->tasks);
}
