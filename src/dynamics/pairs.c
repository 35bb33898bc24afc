/* Broadphase: which parts may touch. */
#include "dynamics/dynamics_internal.h"

#include <stdio.h>

/* ---- what is new ------------------------------------------------------------------------------------------------- */

typedef struct PairSearch {
	Dynamics *dynamics;
	Worker *worker;
	int part;
	WorldBox from; /* its box when pairs were last looked for */
} PairSearch;

static WorldBox BoxBefore(const Dynamics *d, int part)
{
	int place = d->moved_places.data[part];
	return place > 0 ? d->moved_from.data[place - 1] : d->fat_boxes.data[part];
}

static bool NoteNew(const Dynamics *d, Worker *worker, int part, int other)
{
	uint64_t key = PairKey(part, other);
	if (!Parts_ShouldCollide(d, part, other) || KeyMap_Find(&d->pair_map, key) >= 0)
		return true;
	if (!Array_Push(d->memory, worker->pairs, key))
		worker->failed = true;
	return !worker->failed;
}

static bool FoundPair(void *context, int32_t user)
{
	PairSearch *search = context;
	const Dynamics *d = search->dynamics;
	int part = search->part;
	if (part == user)
		return true;
	/* each of two moved parts finds the other: the lower one speaks */
	int place = d->moved_places.data[user];
	if (place > 0 && user < part)
		return true;
	/* what met it then already is a pair, or may be none */
	return WorldBoxOverlap(search->from, BoxBefore(d, user)) || NoteNew(d, search->worker, part, user);
}

static void SearchRange(void *context, int begin, int end, int worker)
{
	Dynamics *d = context;
	PairSearch search = {.dynamics = d, .worker = &d->workers[worker]};
	for (int i = begin; i < end && !search.worker->failed; i++) {
		search.part = d->moved_parts.data[i];
		search.from = d->moved_from.data[i];
		const Part *part = &d->parts.data[search.part];
		if (part->body == NONE)
			continue;
		const Body *body = &d->bodies.data[part->body];
		WorldBox box = d->fat_boxes.data[search.part];
		if (!d->search_all || body->motion == MOTION_STATIC) /* else it is in that tree itself */
			BoxTree_Query(&d->moving_tree, box, FoundPair, &search);
		if (body->motion == MOTION_DYNAMIC)
			BoxTree_Query(&d->fixed_tree, box, FoundPair, &search);
	}
}

/* ---- where many have moved: all pairs of the tree of moving ones --------------------------------------------------
 */

#define MANY_MOVED 4 /* one part in so many */
#define DENSE 8      /* pairs a part: of so many most are known, which is seen sooner from one of the two */
#define SEARCH_SHARES 64

typedef struct AllSearch {
	Dynamics *dynamics;
	BoxNodePair starts[SEARCH_SHARES];
} AllSearch;

static bool FoundTwo(void *context, int32_t a, int32_t b)
{
	PairSearch *search = context;
	const Dynamics *d = search->dynamics;
	if (d->moved_places.data[a] == 0 && d->moved_places.data[b] == 0)
		return true;
	return WorldBoxOverlap(BoxBefore(d, a), BoxBefore(d, b)) || NoteNew(d, search->worker, a, b);
}

static void SearchShare(void *context, int begin, int end, int worker)
{
	const AllSearch *all = context;
	PairSearch search = {.dynamics = all->dynamics, .worker = &all->dynamics->workers[worker]};
	for (int i = begin; i < end && !search.worker->failed; i++)
		BoxTree_Pairs(&all->dynamics->moving_tree, all->starts[i], FoundTwo, &search);
}

static void SearchAll(Dynamics *d)
{
	AllSearch all = {.dynamics = d};
	int shares = BoxTree_PairStarts(&d->moving_tree, all.starts, SEARCH_SHARES);
	TaskPool_For(d->tasks, shares, 1, SearchShare, &all);
}

/* All that the workers found, by slots, so that neither the trees' shape nor who found what shows. */
static bool SearchPairs(Dynamics *d)
{
	for (int i = 0; i < d->worker_count; i++) {
		d->workers[i].pairs.count = 0;
		d->workers[i].failed = false;
	}
	d->search_all = d->moved_parts.count > d->moving_tree.leaf_count / MANY_MOVED &&
	                d->awake_contacts.count < DENSE * d->moving_tree.leaf_count;
	if (d->search_all)
		SearchAll(d);
	if (!d->search_all || d->fixed_tree.leaf_count > 0)
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
	uint8_t *ends; /* per contact, of those awake */
} EndJob;

/* Only where a box has moved since it was last looked at. */
static bool HasEnded(const Dynamics *d, const ContactPair *pair)
{
	int a = pair->part_a, b = pair->part_b;
	if (!pair->awake || a == NONE || (d->moved_places.data[a] == 0 && d->moved_places.data[b] == 0))
		return false;
	return !WorldBoxOverlap(d->fat_boxes.data[a], d->fat_boxes.data[b]);
}

static void FetchBoxes(const Dynamics *d, const ContactPair *pair)
{
	Fetch(&d->fat_boxes.data[pair->part_b], sizeof(WorldBox));
	if (pair->part_a != NONE)
		Fetch(&d->fat_boxes.data[pair->part_a], sizeof(WorldBox));
}

static void FindEnded(void *context, int begin, int end, int worker)
{
	(void)worker;
	const EndJob *job = context;
	const Dynamics *d = job->dynamics;
	bool by_slot = Contacts_BySlot(d);
	for (int i = begin; i < end; i++) {
		int contact = by_slot ? i : d->awake_contacts.data[i];
		if (by_slot && i + FETCH_AHEAD < end && d->pairs.data[i + FETCH_AHEAD].awake)
			FetchBoxes(d, &d->pairs.data[i + FETCH_AHEAD]);
		job->ends[contact] = HasEnded(d, &d->pairs.data[contact]);
	}
}

static bool EndPairs(Dynamics *d)
{
	EndJob job = {d, Arena_Array(&d->arena, uint8_t, d->contacts.count)};
	if (!job.ends)
		return false;
	TaskPool_For(d->tasks, Contacts_BySlot(d) ? d->contacts.count : d->awake_contacts.count, 256, FindEnded, &job);
	int ended = 0;
	for (int i = 0; i < d->awake_contacts.count; i++)
		ended += job.ends[d->awake_contacts.data[i]];
	if (!Contact_ReserveEvents(d, ended))
		return false;
	for (int i = d->awake_contacts.count - 1; i >= 0; i--)
		if (job.ends[d->awake_contacts.data[i]])
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

static bool MakePairs(Dynamics *d)
{
	for (int i = 0; i < d->new_pairs.count; i++)
		if (KeyMap_Find(&d->pair_map, d->new_pairs.data[i]) < 0 && !MakePair(d, d->new_pairs.data[i]))
			return false;
	return true;
}

bool Dynamics_FindPairs(Dynamics *d)
{
	if (!EndPairs(d) || !SearchPairs(d) || !MakePairs(d)) {
		/* some may have ended that will meet again before the next try */
		for (int i = 0; i < d->moved_parts.count; i++)
			Part_MarkMoved(d, d->moved_parts.data[i]);
		return false;
	}
	for (int i = 0; i < d->moved_parts.count; i++)
		d->moved_places.data[d->moved_parts.data[i]] = 0;
	d->moved_parts.count = 0;
	return true;
}

/* ---- validation -------------------------------------------------------------------------------------------------- */

typedef struct PairCheck {
	const Dynamics *dynamics;
	int part, missing;
} PairCheck;

static bool FindMissing(void *context, int32_t user)
{
	PairCheck *check = context;
	const Dynamics *d = check->dynamics;
	bool is_pair = user != check->part && d->moved_places.data[user] == 0 && Parts_ShouldCollide(d, check->part, user);
	if (is_pair && KeyMap_Find(&d->pair_map, PairKey(check->part, user)) < 0)
		check->missing = user;
	return check->missing == NONE;
}

static bool SameBox(WorldBox a, WorldBox b)
{
	return WorldBoxContains(a, b) && WorldBoxContains(b, a);
}

/* Parts whose boxes meet and have not moved since pairs were looked for are pairs. */
static bool ValidateParts(const Dynamics *d, char *why, size_t why_size)
{
	for (int i = 0; i < d->parts.count; i++) {
		const Part *part = &d->parts.data[i];
		int place = d->moved_places.data[i];
		if (place > 0 && (place > d->moved_parts.count || d->moved_parts.data[place - 1] != i)) {
			snprintf(why, why_size, "part %d is not where it says in the list of moved parts", i);
			return false;
		}
		if (part->body == NONE)
			continue;
		bool fixed = d->bodies.data[part->body].motion == MOTION_STATIC;
		if (!SameBox(d->fat_boxes.data[i], BoxTree_Box(fixed ? &d->fixed_tree : &d->moving_tree, part->leaf))) {
			snprintf(why, why_size, "part %d has another box in the tree", i);
			return false;
		}
		PairCheck check = {d, i, NONE};
		if (place == 0)
			BoxTree_Query(&d->moving_tree, d->fat_boxes.data[i], FindMissing, &check);
		if (place == 0 && check.missing == NONE)
			BoxTree_Query(&d->fixed_tree, d->fat_boxes.data[i], FindMissing, &check);
		if (check.missing != NONE) {
			snprintf(why, why_size, "parts %d and %d should be a pair", i, check.missing);
			return false;
		}
	}
	return true;
}

bool Pairs_Validate(const Dynamics *d, char *why, size_t why_size)
{
	for (int i = 0; i < d->contacts.count; i++) {
		const Contact *c = &d->contacts.data[i];
		const ContactPair *pair = &d->pairs.data[i];
		bool awake = c->alive && c->awake_place != NONE;
		if (pair->awake != awake || (awake && (pair->part_a != c->part_a || pair->part_b != c->part_b)) ||
		    (awake && pair->lone != Contact_Pair(d, c).lone) ||
		    (awake && pair->quiet && (c->count > 0 || c->touching))) {
			snprintf(why, why_size, "contact %d is another than its pair says", i);
			return false;
		}
	}
	return ValidateParts(d, why, why_size);
}
