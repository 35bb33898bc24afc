/* Contacts: a pair of parts, or a part and the ground, from the moment their boxes meet until they part. */
#include "dynamics/dynamics_internal.h"

/* ---- lists ------------------------------------------------------------------------------------------------------- */

static void Link(Dynamics *d, int contact, int side, int slot)
{
	Contact *c = &d->contacts.data[contact];
	Body *body = &d->bodies.data[slot];
	c->link[side].previous = NONE;
	c->link[side].next = body->contacts;
	if (body->contacts != NONE)
		d->contacts.data[body->contacts >> 1].link[body->contacts & 1].previous = contact * 2 + side;
	body->contacts = contact * 2 + side;
	body->contact_count++;
}

static void Unlink(Dynamics *d, int contact, int side, int slot)
{
	Contact *c = &d->contacts.data[contact];
	Body *body = &d->bodies.data[slot];
	int previous = c->link[side].previous, next = c->link[side].next;
	if (previous != NONE)
		d->contacts.data[previous >> 1].link[previous & 1].next = next;
	else
		body->contacts = next;
	if (next != NONE)
		d->contacts.data[next >> 1].link[next & 1].previous = previous;
	body->contact_count--;
}

bool Contact_ListAwake(Dynamics *d, int contact)
{
	Contact *c = &d->contacts.data[contact];
	if (c->awake_place != NONE)
		return true;
	if (!Array_Push(d->memory, d->awake_contacts, contact))
		return false;
	c->awake_place = d->awake_contacts.count - 1;
	d->pairs.data[contact] = Contact_Pair(d, c);
	Awake_SetMatters(d, c->awake_place);
	return true;
}

void Contact_UnlistAwake(Dynamics *d, int contact)
{
	Contact *c = &d->contacts.data[contact];
	if (c->awake_place == NONE)
		return;
	int last = d->awake_contacts.data[--d->awake_contacts.count];
	d->awake_contacts.data[c->awake_place] = last;
	d->pairs.data[contact].awake = false;
	d->contacts.data[last].awake_place = c->awake_place;
	Awake_SetMatters(d, c->awake_place);
	c->awake_place = NONE;
}

/* ---- making and ending ------------------------------------------------------------------------------------------- */

bool Parts_ShouldCollide(const Dynamics *d, int part_a, int part_b)
{
	const Part *a = &d->parts.data[part_a], *b = &d->parts.data[part_b];
	if (a->body == b->body)
		return false;
	const Body *body_a = &d->bodies.data[a->body], *body_b = &d->bodies.data[b->body];
	if (body_a->motion != MOTION_DYNAMIC && body_b->motion != MOTION_DYNAMIC)
		return false;
	if (Joint_Parts(d, a->body, b->body))
		return false;
	return ((a->def.mask >> b->def.group) & 1) && ((b->def.mask >> a->def.group) & 1);
}

static int TakeSlot(Dynamics *d)
{
	if (d->unused_contacts.count > 0)
		return d->unused_contacts.data[--d->unused_contacts.count];
	int slot = d->contacts.count;
	if (slot >= CONTACT_LIMIT || !Array_Reserve(d->memory, d->unused_contacts, slot + 1) ||
	    !Array_Reserve(d->memory, d->contacts, slot + 1) || !Array_Reserve(d->memory, d->pairs, slot + 1))
		return NONE;
	d->pairs.data[slot] = (ContactPair){.part_a = NONE};
	d->contacts.count++;
	return slot;
}

ContactPair Contact_Pair(const Dynamics *d, const Contact *c)
{
	ContactPair pair = {c->part_a, c->part_b, true, false, false};
	if (c->body_a != NONE) {
		const Body *a = &d->bodies.data[c->body_a], *b = &d->bodies.data[c->body_b];
		pair.lone =
		    a->part_count == 1 && b->part_count == 1 && a->motion != MOTION_STATIC && b->motion != MOTION_STATIC;
	}
	return pair;
}

static bool TakeManifolds(Dynamics *d, Contact *c, int run_class)
{
	c->first = RunPool_Take(&d->manifold_runs, d->memory, run_class);
	if (c->first == NONE)
		return false;
	c->run_class = run_class;
	int high = c->first + (1 << run_class);
	if (!Array_Reserve(d->memory, d->manifolds, high)) {
		RunPool_Return(&d->manifold_runs, c->first, run_class);
		return false;
	}
	d->manifolds.count = Int_Max(d->manifolds.count, high);
	return true;
}

int Contact_Create(Dynamics *d, int part_a, int part_b)
{
	int slot = TakeSlot(d);
	if (slot == NONE)
		return NONE;
	Contact made = {.part_a = part_a, .part_b = part_b, .awake_place = NONE, .first = NONE, .alive = true};
	made.body_a = part_a == NONE ? NONE : d->parts.data[part_a].body;
	made.body_b = d->parts.data[part_b].body;
	if (part_a != NONE && !KeyMap_Put(&d->pair_map, d->memory, PairKey(part_a, part_b), slot)) {
		d->unused_contacts.data[d->unused_contacts.count++] = slot;
		d->contacts.data[slot].alive = false;
		return NONE;
	}
	made.born = d->births++;
	d->contacts.data[slot] = made;
	if (part_a != NONE)
		Link(d, slot, 0, made.body_a);
	else
		d->parts.data[part_b].terrain_contact = slot;
	Link(d, slot, 1, made.body_b);
	d->live_contacts++;
	return slot;
}

void Contact_Destroy(Dynamics *d, int slot)
{
	Contact *c = &d->contacts.data[slot];
	if (c->touching)
		Contact_PushEnd(d, c);
	Contact_UnlistAwake(d, slot);
	if (c->part_a != NONE) {
		Unlink(d, slot, 0, c->body_a);
		KeyMap_Remove(&d->pair_map, PairKey(c->part_a, c->part_b));
	} else {
		d->parts.data[c->part_b].terrain_contact = NONE;
	}
	Unlink(d, slot, 1, c->body_b);
	if (c->first != NONE)
		RunPool_Return(&d->manifold_runs, c->first, c->run_class);
	c->alive = false;
	d->unused_contacts.data[d->unused_contacts.count++] = slot;
	d->live_contacts--;
}

bool Contact_Resize(Dynamics *d, Contact *c, int manifolds)
{
	if (manifolds <= Contact_Room(c))
		return true;
	Contact larger = *c;
	if (!TakeManifolds(d, &larger, RunPool_Class(manifolds)))
		return false;
	if (c->first != NONE) {
		memcpy(&d->manifolds.data[larger.first], &d->manifolds.data[c->first],
		       sizeof(StoredManifold) * (size_t)c->count);
		RunPool_Return(&d->manifold_runs, c->first, c->run_class);
	}
	*c = larger;
	return true;
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

bool Contact_ReserveEvents(Dynamics *d, int count)
{
	return Array_Reserve(d->memory, d->events, d->events.count + count);
}

static Event ContactEvent(const Dynamics *d, const Contact *c, EventKind kind)
{
	const Part *b = &d->parts.data[c->part_b];
	Event event = {.kind = kind, .part_a = b->index, .part_b = -1, .terrain = c->part_a == NONE};
	event.a = IdPool_IdAt(&d->ids, c->body_b);
	if (c->part_a != NONE) {
		event.b = event.a;
		event.part_b = event.part_a;
		event.a = IdPool_IdAt(&d->ids, c->body_a);
		event.part_a = d->parts.data[c->part_a].index;
	}
	return event;
}

void Contact_PushEnd(Dynamics *d, const Contact *c)
{
	SCREE_ASSERT(d->events.count < d->events.capacity);
	d->events.data[d->events.count++] = ContactEvent(d, c, EVENT_CONTACT_END);
}

/* TOUCH_... of all its manifolds; *points: how many they have. */
static unsigned TouchOf(const Dynamics *d, const Contact *c, int *points)
{
	if (c->count == 1) {
		*points = c->points;
		return c->touch;
	}
	unsigned touch = 0;
	*points = 0;
	for (int i = 0; i < c->count; i++) {
		const StoredManifold *m = Contact_Manifold(d, c, i);
		touch |= m->touch;
		*points += m->count;
	}
	return touch;
}

static bool IsBlow(const StoredPoint *p)
{
	return p->approach < -RESTITUTION_THRESHOLD && p->total > 0.0f;
}

/* The blow of a contact in this step, when it is one: the place and the speed of its hardest point, and the impulse of
 * all. Events name terrain as b, so the normal is turned for it. */
static void PushHit(Dynamics *d, const Contact *c)
{
	const StoredPoint *hardest = NULL;
	const StoredManifold *holder = NULL;
	Vec3 impulse = {0.0f, 0.0f, 0.0f};
	for (int i = 0; i < c->count; i++) {
		const StoredManifold *m = Contact_Manifold(d, c, i);
		float sum = 0.0f;
		bool blow = false;
		for (int k = 0; k < m->count; k++) {
			const StoredPoint *p = &m->points[k];
			sum += p->total;
			blow = blow || IsBlow(p);
			if (IsBlow(p) && (!hardest || p->approach < hardest->approach)) {
				hardest = p;
				holder = m;
			}
		}
		impulse = MulAdd(impulse, blow ? sum : 0.0f, m->normal);
	}
	if (!hardest)
		return;
	Event event = ContactEvent(d, c, EVENT_HIT);
	event.position = Contact_MeetingPlace(d, c, holder, hardest);
	event.normal = c->part_a == NONE ? Neg(holder->normal) : holder->normal;
	event.speed = -hardest->approach;
	event.impulse = Length(impulse);
	d->events.data[d->events.count++] = event;
}

#define UNCHANGED UINT64_MAX

/* Of each place in awake_contacts: its contact behind its age, if there is something to tell of it. */
static void FindChanged(void *context, int begin, int end, int worker)
{
	(void)worker;
	Dynamics *d = context;
	int sum = 0;
	for (int i = begin; i < end; i++) {
		d->touch_order[i] = UNCHANGED;
		if (!Awake_Matters(d, i))
			continue;
		const Contact *c = &d->contacts.data[d->awake_contacts.data[i]];
		int points;
		unsigned touch = TouchOf(d, c, &points);
		/* what touched stays in touch until it is clearly apart, so that resting contacts do not flicker */
		bool touching = touch & (c->touching ? TOUCH_LOOSE : TOUCH_NEAR);
		if (touching != c->touching || (touching && (touch & TOUCH_BLOW)))
			d->touch_order[i] = (c->born << CONTACT_SLOT_BITS) | (uint32_t)d->awake_contacts.data[i];
		sum += touching ? points : 0;
	}
	__atomic_fetch_add(&d->points, sum, __ATOMIC_RELAXED);
}

/* Begin and end, by what the solver found, and blows; oldest contact first. Solve has made room for two events a
 * contact and for touch_order. */
void Contact_PushTouchEvents(Dynamics *d)
{
	d->points = 0;
	int count = 0;
	uint64_t *changed = d->touch_order;
	TaskPool_For(d->tasks, d->awake_contacts.count, 256, FindChanged, d);
	for (int i = 0; i < d->awake_contacts.count; i++)
		if (changed[i] != UNCHANGED)
			changed[count++] = changed[i];
	Sort_U64(changed, count);
	for (int i = 0; i < count; i++) {
		Contact *c = &d->contacts.data[changed[i] & (CONTACT_LIMIT - 1)];
		int points;
		bool touching = TouchOf(d, c, &points) & (c->touching ? TOUCH_LOOSE : TOUCH_NEAR);
		if (touching && !c->touching)
			d->events.data[d->events.count++] = ContactEvent(d, c, EVENT_CONTACT_BEGIN);
		if (touching)
			PushHit(d, c);
		if (!touching && c->touching)
			Contact_PushEnd(d, c);
		c->touching = touching;
	}
}

/* ---- what is asked ----------------------------------------------------------------------------------------------- */

static ContactView ViewOf(const Dynamics *d, const Contact *c, const StoredManifold *m)
{
	ContactView view = {.part_a = c->part_a, .part_b = c->part_b, .normal = m->normal, .count = m->count};
	view.material = c->part_a == NONE ? m->material : d->parts.data[c->part_a].def.material;
	for (int k = 0; k < m->count; k++) {
		view.position[k] = PosAdd(d->bodies.data[c->body_b].pose.p, m->points[k].rb);
		view.separation[k] = m->points[k].separation;
		view.impulse[k] = m->points[k].total;
	}
	return view;
}

bool Body_Contacts(const Dynamics *d, int slot, Memory *memory, ContactViewList *out)
{
	const Body *body = &d->bodies.data[slot];
	/* newest first in the list, so fill from behind */
	int total = 0;
	for (int link = body->contacts; link != NONE; link = d->contacts.data[link >> 1].link[link & 1].next)
		if (d->contacts.data[link >> 1].touching)
			total += d->contacts.data[link >> 1].count;
	int end = out->count + total;
	if (!Array_Reserve(memory, *out, end))
		return false;
	out->count = end;
	for (int link = body->contacts; link != NONE; link = d->contacts.data[link >> 1].link[link & 1].next) {
		const Contact *c = &d->contacts.data[link >> 1];
		if (!c->touching)
			continue;
		end -= c->count;
		for (int i = 0; i < c->count; i++)
			out->data[end + i] = ViewOf(d, c, Contact_Manifold(d, c, i));
	}
	return true;
}
