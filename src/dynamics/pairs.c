/* Broadphase: which parts may touch. */
#include "dynamics/dynamics_internal.h"

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
	uint64_t key = PairKey(part, user);
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

/* A new pair. When neither side is awake (something static was put into a sleeper) the sleeper wakes and finds out. */
static bool MakePair(Dynamics *d, uint64_t key)
{
	int part_a = (int)(key >> 32), part_b = (int)(key & 0xFFFFFFFFu);
	if (Part_IsMesh(&d->parts.data[part_b])) { /* triangles are the first side, as the ground is */
		int mesh = part_b;
		part_b = part_a;
		part_a = mesh;
	}
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
	if (ok)
		Sort_U64(d->new_pairs.data, d->new_pairs.count);
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
