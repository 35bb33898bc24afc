/* Contacts of parts with each other and with the ground in an archive. */
#include "dynamics/archive_internal.h"

#define MANIFOLD_LIMIT (1 << 16) /* of one contact */

/* A new field has to be named below, too. */
_Static_assert(sizeof(void *) != 8 || sizeof(Contact) == 160, "Contact has changed: so must Archive_Contact");
_Static_assert(sizeof(StoredManifold) == 276, "StoredManifold has changed: so must Archive_Manifold");

static void Archive_Point(Archive *ar, StoredPoint *p)
{
	Archive_Vec3(ar, &p->rb);
	Archive_Vec3(ar, &p->made_rb);
	Archive_U32(ar, &p->id);
	float *numbers[] = {&p->separation, &p->made_separation, &p->impulse, &p->total, &p->approach};
	for (int i = 0; i < COUNT_OF(numbers); i++)
		Archive_F32(ar, numbers[i]);
}

static void Archive_Manifold(Archive *ar, StoredManifold *m)
{
	Archive_Vec3(ar, &m->normal);
	Archive_Vec3(ar, &m->made_normal);
	Archive_Byte(ar, &m->deep, 3);
	Archive_U8(ar, &m->touch);
	Archive_U8(ar, &m->material);
	Archive_Vec3(ar, &m->friction_impulse);
	Archive_Vec3(ar, &m->rolling_impulse);
	float *numbers[] = {&m->friction, &m->restitution, &m->rolling, &m->twist_impulse,
	                    &m->lift,     &m->radius_a,    &m->radius_b};
	for (int i = 0; i < COUNT_OF(numbers); i++)
		Archive_F32(ar, numbers[i]);
	Archive_Int(ar, &m->count, 0, MANIFOLD_POINTS);
	for (int i = 0; i < m->count; i++)
		Archive_Point(ar, &m->points[i]);
}

static void Archive_Made(Archive *ar, ContactMade *made)
{
	Archive_Bool(ar, &made->holds);
	if (!made->holds)
		return;
	Archive_Quat(ar, &made->qa);
	Archive_Quat(ar, &made->qb);
	Archive_Vec3D(ar, &made->way);
	Archive_F32(ar, &made->margin);
	Archive_F32(ar, &made->room);
}

static void ReadManifolds(Dynamics *d, Archive *ar, Contact *c)
{
	c->first = NONE;
	if (c->count == 0)
		return;
	int run_class = RunPool_Class(c->count);
	int first = RunPool_Take(&d->manifold_runs, d->memory, run_class);
	bool room = first != NONE && Array_Reserve(d->memory, d->manifolds, first + (1 << run_class));
	if (!room) {
		c->count = 0;
		ar->failure = ERROR_MEMORY;
		return;
	}
	d->manifolds.count = Int_Max(d->manifolds.count, first + (1 << run_class));
	c->first = first;
	c->run_class = run_class;
	memset(&d->manifolds.data[first], 0, sizeof(StoredManifold) << run_class);
}

static void Archive_Contact(Dynamics *d, Archive *ar, Contact *c)
{
	Archive_Int(ar, &c->part_a, NONE, d->parts.count - 1);
	Archive_Int(ar, &c->part_b, 0, Int_Max(d->parts.count - 1, 0));
	Archive_U64(ar, &c->born);
	Archive_Vec3(ar, &c->rest);
	Archive_Bool(ar, &c->touching);
	Archive_U8(ar, &c->touch);
	Archive_U8(ar, &c->points);
	Archive_Vec3(ar, &c->between);
	Archive_Made(ar, &c->made);
	Archive_Int(ar, &c->count, 0, MANIFOLD_LIMIT);
	if (ar->reading && ar->failure == ERROR_NONE)
		ReadManifolds(d, ar, c);
	for (int i = 0; i < c->count && ar->failure == ERROR_NONE; i++)
		Archive_Manifold(ar, &d->manifolds.data[c->first + i]);
}

/* Parts by slot, but a mesh comes first. */
static bool SidesAreSound(const Dynamics *d, const Contact *c)
{
	bool mesh = c->part_a != NONE && Part_IsMesh(&d->parts.data[c->part_a]);
	return !Part_IsMesh(&d->parts.data[c->part_b]) && c->part_a != c->part_b && (mesh || c->part_a < c->part_b);
}

/* What the two parts know of it. */
static bool ReadSides(Dynamics *d, Archive *ar, int slot)
{
	Contact *c = &d->contacts.data[slot];
	bool sound = d->parts.count > 0 && d->parts.data[c->part_b].body != NONE && SidesAreSound(d, c) &&
	             (c->part_a == NONE || d->parts.data[c->part_a].body != NONE);
	if (!Archive_IsSound(ar, sound, "a contact is of nothing"))
		return false;
	c->body_b = d->parts.data[c->part_b].body;
	c->body_a = c->part_a == NONE ? NONE : d->parts.data[c->part_a].body;
	c->awake_place = NONE;
	c->alive = true;
	d->live_contacts++;
	if (c->part_a == NONE) {
		bool first = d->parts.data[c->part_b].terrain_contact == NONE;
		d->parts.data[c->part_b].terrain_contact = slot;
		return Archive_IsSound(ar, first, "a part touches the ground twice");
	}
	uint64_t key = PairKey(c->part_a, c->part_b);
	if (!Archive_IsSound(ar, c->body_a != c->body_b && KeyMap_Find(&d->pair_map, key) < 0, "two parts touch twice"))
		return false;
	if (!KeyMap_Put(&d->pair_map, d->memory, key, slot))
		ar->failure = ERROR_MEMORY;
	return ar->failure == ERROR_NONE;
}

/* ---- the lists of bodies ----------------------------------------------------------------------------------------- */

static void WriteLinks(Dynamics *d, Archive *ar, const Body *body)
{
	int count = body->contact_count;
	Archive_Int(ar, &count, 0, INT32_MAX);
	for (int link = body->contacts; link != NONE; link = d->contacts.data[link >> 1].link[link & 1].next) {
		int number = link;
		Archive_Int(ar, &number, 0, INT32_MAX);
	}
}

/* `linked`: bit 0 and 1 of a contact, its sides that are in a list already. */
static void ReadLinks(Dynamics *d, Archive *ar, int slot, uint8_t *linked)
{
	Body *body = &d->bodies.data[slot];
	int count = Archive_Count(ar, 0, 2 * d->contacts.count, 4), last = NONE;
	for (int i = 0; i < count && ar->failure == ERROR_NONE; i++) {
		int link = 0;
		Archive_Int(ar, &link, 0, 2 * d->contacts.count - 1);
		Contact *c = &d->contacts.data[link >> 1];
		int side = link & 1, owner = side ? c->body_b : c->body_a;
		if (!Archive_IsSound(ar, c->alive && owner == slot && !(linked[link >> 1] & (1 << side)), "a list is tangled"))
			return;
		linked[link >> 1] |= (uint8_t)(1 << side);
		c->link[side].previous = last;
		c->link[side].next = NONE;
		if (last == NONE)
			body->contacts = link;
		else
			d->contacts.data[last >> 1].link[last & 1].next = link;
		last = link;
		body->contact_count++;
	}
}

static bool Archive_Links(Dynamics *d, Archive *ar)
{
	size_t size = (size_t)d->contacts.count;
	uint8_t *linked = ar->reading && size > 0 ? Memory_AllocZero(d->memory, size) : NULL;
	if (ar->reading && size > 0 && !linked) {
		ar->failure = ERROR_MEMORY;
		return false;
	}
	for (int slot = d->first_body; slot != NONE && ar->failure == ERROR_NONE; slot = d->bodies.data[slot].next) {
		if (ar->reading)
			ReadLinks(d, ar, slot, linked);
		else
			WriteLinks(d, ar, &d->bodies.data[slot]);
	}
	for (int i = 0; linked && i < d->contacts.count; i++) {
		const Contact *c = &d->contacts.data[i];
		Archive_IsSound(ar, !c->alive || linked[i] == (c->part_a == NONE ? 2 : 3), "a contact is in no list");
	}
	Memory_Free(d->memory, linked, linked ? size : 0);
	return ar->failure == ERROR_NONE;
}

/* ---- all contacts ------------------------------------------------------------------------------------------------ */

static bool PrepareContacts(Dynamics *d, Archive *ar, int slots)
{
	if (!Array_Resize(d->memory, d->contacts, slots) || !Array_Reserve(d->memory, d->pairs, slots) ||
	    !Array_Reserve(d->memory, d->unused_contacts, slots)) {
		ar->failure = ERROR_MEMORY;
		return false;
	}
	for (int i = 0; i < slots; i++) {
		d->contacts.data[i] = (Contact){.awake_place = NONE, .first = NONE};
		d->pairs.data[i] = (ContactPair){.part_a = NONE};
	}
	return true;
}

/* Slots that are not free hold a contact, by slot. */
static bool Archive_ContactSlots(Dynamics *d, Archive *ar)
{
	int slots = Archive_Count(ar, d->contacts.count, CONTACT_LIMIT, 4);
	if (ar->reading && !PrepareContacts(d, ar, slots))
		return false;
	IntList unused = {d->unused_contacts.data, d->unused_contacts.count, d->unused_contacts.capacity};
	if (!Archive_Slots(ar, d->memory, &unused, slots))
		return false;
	d->unused_contacts.count = unused.count;
	if (ar->reading) { /* `alive` for now: not free */
		for (int i = 0; i < slots; i++)
			d->contacts.data[i].alive = true;
		for (int i = 0; i < unused.count; i++)
			d->contacts.data[unused.data[i]].alive = false;
	}
	for (int i = 0; i < slots && ar->failure == ERROR_NONE; i++) {
		if (!d->contacts.data[i].alive)
			continue;
		Archive_Contact(d, ar, &d->contacts.data[i]);
		if (ar->reading && (ar->failure != ERROR_NONE || !ReadSides(d, ar, i)))
			return false;
	}
	return ar->failure == ERROR_NONE;
}

static bool Archive_AwakeContacts(Dynamics *d, Archive *ar)
{
	IntList awake = {d->awake_contacts.data, d->awake_contacts.count, d->awake_contacts.capacity};
	bool good = Archive_Slots(ar, d->memory, &awake, d->contacts.count);
	d->awake_contacts.data = awake.data;
	d->awake_contacts.count = awake.count;
	d->awake_contacts.capacity = awake.capacity;
	for (int i = 0; ar->reading && good && i < awake.count; i++) {
		Contact *c = &d->contacts.data[awake.data[i]];
		good = Archive_IsSound(ar, c->alive, "a contact is awake and gone");
		c->awake_place = i;
		d->pairs.data[awake.data[i]] = good ? Contact_Pair(d, c) : (ContactPair){.part_a = NONE};
	}
	return good;
}

bool Archive_Contacts(Dynamics *d, Archive *ar)
{
	Archive_U64(ar, &d->births);
	return Archive_ContactSlots(d, ar) && Archive_Links(d, ar) && Archive_AwakeContacts(d, ar);
}

/* ---- contacts with blocks of the ground -------------------------------------------------------------------------- */

static void Archive_Ground(Archive *ar, GroundContact *c)
{
	int *place[] = {&c->block.x, &c->block.y, &c->block.z};
	for (int i = 0; i < COUNT_OF(place); i++)
		Archive_Int(ar, place[i], -CELL_LIMIT, CELL_LIMIT);
	Archive_Bool(ar, &c->water);
	Archive_Bool(ar, &c->fruitful);
}

static bool Archive_PartGrounds(Dynamics *d, Archive *ar, Part *part)
{
	int count = Archive_Count(ar, part->ground_count, INT32_MAX, 14);
	if (ar->reading && count > 0 && !Ground_Reserve(d, part, count)) {
		ar->failure = ERROR_MEMORY;
		return false;
	}
	for (int i = 0; i < count; i++) {
		GroundContact *c = &d->grounds.data[part->ground_first + i];
		Archive_Ground(ar, c);
		if (i > 0)
			Archive_IsSound(ar, Ground_Order(c - 1, c) < 0, "ground contacts are out of order");
	}
	return ar->failure == ERROR_NONE;
}

bool Archive_Grounds(Dynamics *d, Archive *ar)
{
	GroundStats *stats = &d->ground;
	int *numbers[] = {&stats->solid, &stats->water, &stats->tested, &stats->refused, &stats->points, &d->points};
	for (int i = 0; i < COUNT_OF(numbers); i++)
		Archive_Int(ar, numbers[i], 0, INT32_MAX);
	Archive_I64(ar, &stats->opened);
	Archive_I64(ar, &stats->barren);
	for (int i = 0; i < d->parts.count; i++)
		if (d->parts.data[i].body != NONE && !Archive_PartGrounds(d, ar, &d->parts.data[i]))
			return false;
	return true;
}
