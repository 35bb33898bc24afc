/* Broadphase: which parts may touch. */
#include "dynamics/dynamics_internal.h"

/* ---- what is new ------------------------------------------------------------------------------------------------- */

typedef struct PairSearch {
	Dynamics *dynamics;
	Worker *worker;
	int part;
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
	if (!Array_Push(d->memory, search->worker->pairs, key))
		search->worker->failed = true;
	return !search->worker->failed;
}

static void SearchRange(void *context, int begin, int end, int worker)
{
	Dynamics *d = context;
	PairSearch search = {.dynamics = d, .worker = &d->workers[worker]};
	for (int i = begin; i < end && !search.worker->failed; i++) {
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
}

/* All that the workers found, by slots, so that neither the trees' shape nor who found what shows. */
static bool SearchPairs(Dynamics *d)
{
	for (int i = 0; i < d->worker_count; i++) {
		d->workers[i].pairs.count = 0;
		d->workers[i].failed = false;
	}
	TaskPool_For(d->tasks, d->moved_parts.count, 16, SearchRange, d);
	int count = 0;
	bool ok = true;
	for (int i = 0; i < d->worker_count; i++) {
		count += d->workers[i].pairs.count;
		ok = ok && !d->workers[i].failed;
	}
	d->new_pairs.count = 0;
	if (!ok || !Array_Reserve(d->memory, d->new_pairs, count))
		return false;
	for (int i = 0; i < d->worker_count; i++)
		for (int k = 0; k < d->workers[i].pairs.count; k++)
			d->new_pairs.data[d->new_pairs.count++] = d->workers[i].pairs.data[k];
	Sort_U64(d->new_pairs.data, d->new_pairs.count);
	return true;
}

/* ---- what has ended ---------------------------------------------------------------------------------------------- */

typedef struct EndJob {
	Dynamics *dynamics;
	uint8_t *ends; /* per place in awake_contacts */
} EndJob;

/* Only where a box has moved since it was last looked at. */
static bool HasEnded(Dynamics *d, const Contact *c)
{
	if (c->part_a == NONE)
		return false;
	const Part *a = &d->parts.data[c->part_a], *b = &d->parts.data[c->part_b];
	if (!a->moved && !b->moved)
		return false;
	WorldBox box_a = BoxTree_Box(Body_Tree(d, &d->bodies.data[a->body]), a->leaf);
	WorldBox box_b = BoxTree_Box(Body_Tree(d, &d->bodies.data[b->body]), b->leaf);
	return !WorldBoxOverlap(box_a, box_b);
}

static void FindEnded(void *context, int begin, int end, int worker)
{
	(void)worker;
	const EndJob *job = context;
	for (int i = begin; i < end; i++)
		job->ends[i] = HasEnded(job->dynamics, Awake_Contact(job->dynamics, i));
}

static bool EndPairs(Dynamics *d)
{
	EndJob job = {d, Arena_Array(&d->arena, uint8_t, d->awake_contacts.count)};
	if (!job.ends)
		return false;
	TaskPool_For(d->tasks, d->awake_contacts.count, 256, FindEnded, &job);
	int ended = 0;
	for (int i = 0; i < d->awake_contacts.count; i++)
		ended += job.ends[i];
	if (!Contact_ReserveEvents(d, ended))
		return false;
	for (int i = d->awake_contacts.count - 1; i >= 0; i--)
		if (job.ends[i])
			Contact_Destroy(d, d->awake_contacts.data[i]);
	return true;
}

/* ---- the stage --------------------------------------------------------------------------------------------------- */

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
		awake = awake || (Body_IsAwake(&d->bodies.data[sides[i]]) && !d->bodies.data[sides[i]].probed);
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
	if (!EndPairs(d) || !SearchPairs(d))
		return false;
	for (int i = 0; i < d->new_pairs.count; i++)
		if (KeyMap_Find(&d->pair_map, d->new_pairs.data[i]) < 0 && !MakePair(d, d->new_pairs.data[i]))
			return false;
	for (int i = 0; i < d->moved_parts.count; i++)
		d->parts.data[d->moved_parts.data[i]].moved = false;
	d->moved_parts.count = 0;
	return true;
}
