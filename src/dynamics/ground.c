/* Broadphase against terrain: which blocks each awake part may touch, as contacts of a part and a block that live from
 * step to step (after the terrain broadphase of Roblox, in the account of A. Kapoulkine). */
#include "dynamics/dynamics_internal.h"

#include <stdio.h>

/* ---- contacts with blocks ---------------------------------------------------------------------------------------- */

int Ground_Order(const GroundContact *a, const GroundContact *b)
{
	if (a->block.y != b->block.y)
		return a->block.y < b->block.y ? -1 : 1;
	if (a->block.z != b->block.z)
		return a->block.z < b->block.z ? -1 : 1;
	if (a->block.x != b->block.x)
		return a->block.x < b->block.x ? -1 : 1;
	return a->water - b->water;
}

static void CountOpened(Dynamics *d, const GroundContact *c)
{
	d->ground.solid += !c->water;
	d->ground.water += c->water;
	d->ground.opened += !c->water;
}

static void CountClosed(Dynamics *d, const GroundContact *c)
{
	d->ground.solid -= !c->water;
	d->ground.water -= c->water;
	d->ground.barren += !c->water && !c->fruitful;
}

void Ground_Close(Dynamics *d, Part *part)
{
	if (part->ground_count == 0)
		return;
	for (int i = 0; i < part->ground_count; i++)
		CountClosed(d, &d->grounds.data[part->ground_first + i]);
	RunPool_Return(&d->ground_runs, part->ground_first, part->ground_class);
	part->ground_count = 0;
}

/* Room for `count` contacts; what is there may be lost. Parts without contacts hold no run. */
static bool Ground_Room(Dynamics *d, int count, int *first, int *run_class)
{
	*run_class = RunPool_Class(count);
	*first = RunPool_Take(&d->ground_runs, d->memory, *run_class);
	if (*first == NONE)
		return false;
	int high = *first + (1 << *run_class);
	if (!Array_Reserve(d->memory, d->grounds, high)) {
		RunPool_Return(&d->ground_runs, *first, *run_class);
		return false;
	}
	d->grounds.count = Int_Max(d->grounds.count, high);
	return true;
}

bool Ground_Reserve(Dynamics *d, Part *part, int count)
{
	if (!Ground_Room(d, count, &part->ground_first, &part->ground_class))
		return false;
	part->ground_count = count;
	memset(&d->grounds.data[part->ground_first], 0, sizeof(GroundContact) * (size_t)count);
	return true;
}

/* Both lists are sorted: what is in both goes on, the rest of the old is closed, the rest of the new is opened. */
static bool Ground_Update(Dynamics *d, Part *part)
{
	GroundContact *fresh = d->found_grounds.data;
	int count = d->found_grounds.count, first = part->ground_first, run_class = part->ground_class;
	bool held = part->ground_count > 0, fits = held && count > 0 && RunPool_Class(count) == run_class;
	if (count > 0 && !fits && !Ground_Room(d, count, &first, &run_class))
		return false;
	const GroundContact *old = held ? d->grounds.data + part->ground_first : NULL;
	int i = 0, k = 0;
	while (i < part->ground_count || k < count) {
		int order = i == part->ground_count ? 1 : k == count ? -1 : Ground_Order(&old[i], &fresh[k]);
		if (order < 0) {
			CountClosed(d, &old[i++]);
		} else if (order > 0) {
			CountOpened(d, &fresh[k++]);
		} else {
			fresh[k++].fruitful = old[i++].fruitful;
		}
	}
	if (held && !fits)
		RunPool_Return(&d->ground_runs, part->ground_first, part->ground_class);
	if (count > 0)
		memcpy(d->grounds.data + first, fresh, sizeof *fresh * (size_t)count);
	part->ground_first = first;
	part->ground_class = run_class;
	part->ground_count = count;
	return true;
}

void Ground_NotePoint(Dynamics *d, const TerrainPair *pair, int i)
{
	const Part *part = &d->parts.data[pair->part];
	GroundContact at = {.block = d->block_hits.items.data[pair->first + i].block};
	GroundContact *list = part->ground_count > 0 ? d->grounds.data + part->ground_first : NULL;
	for (int k = 0; k < part->ground_count; k++)
		if (Ground_Order(&list[k], &at) == 0)
			list[k].fruitful = true;
}

/* ---- what a part meets ------------------------------------------------------------------------------------------- */

/* The part's box now and at the end of the step, and what the narrowphase looks at around it. */
static WorldBox SweptBox(const Dynamics *d, int slot, const Body *body, float dt)
{
	const Part *part = &d->parts.data[slot];
	WorldBox box = Part_Box(d, part);
	Vec3 shift = Scale(dt, body->velocity);
	WorldBox later = {PosAdd(box.lo, shift), PosAdd(box.hi, shift)};
	return WorldBoxUnion(WorldBoxGrow(box, (double)Part_Margin(d, NONE, slot, dt)),
	                     WorldBoxGrow(later, (double)SPECULATIVE_DISTANCE));
}

static bool IsClear(const Dynamics *d, const Part *part, Pos middle)
{
	return part->clear_version == d->ground_version &&
	       LengthSq(PosSub(middle, part->clear_at)) < part->clear_radius * part->clear_radius;
}

/* Whether the part was buried in the last step, or in faces on opposite sides, in one of them deep. */
static bool IsSqueezed(const Dynamics *d, const Part *part)
{
	const Contact *c = &d->contacts.data[part->terrain_contact];
	if (c->count == 0) /* it may never have had one */
		return false;
	const StoredManifold *m = &d->manifolds.data[c->first];
	for (int i = 0; i < c->count; i++) {
		if (Manifold_IsBuried(&m[i]))
			return true;
		for (int j = 0; j < i && m[i].deep > 0; j++)
			if (m[i].deep + m[j].deep > 2 && Dot(m[i].normal, m[j].normal) < SQUEEZED)
				return true;
	}
	return false;
}

/* Is the middle in the ground, or in a hollow that is too small for the part? 1 or 0; negative: out of memory. Asked
 * exactly only where the middle has left its clear ball and the cell there is solid. */
static int IsSunk(Dynamics *d, TerrainPair *pair, Pos middle, double size)
{
	const Part *part = &d->parts.data[pair->part];
	bool squeezed = IsSqueezed(d, part);
	if (!squeezed && IsClear(d, part, middle))
		return 0;
	pair->asked = true;
	Cell cell = {FloorToInt(middle.x / size), FloorToInt(middle.y / size), FloorToInt(middle.z / size)};
	int inside = 0;
	if (Store_Get(d->store, cell).material != MATERIAL_AIR)
		inside = Terrain_PointInside(d->terrain, middle, NULL);
	return inside == 0 && squeezed ? !Terrain_HasRoom(d->terrain, middle) : inside;
}

/* A part that sank so far gets a way out instead of contacts with faces, which have but one side: to where it has room,
 * or else to any air, or else up. */
static bool FindWayOut(Dynamics *d, TerrainPair *pair)
{
	double size = Terrain_CellSize(d->terrain);
	Pos middle = Part_Middle(d, &d->parts.data[pair->part]), air;
	if (MaxD(AbsD(middle.x), MaxD(AbsD(middle.y), AbsD(middle.z))) > size * CELL_LIMIT)
		return true;
	int sunk = IsSunk(d, pair, middle, size);
	if (sunk <= 0)
		return sunk == 0;
	pair->sunk = true;
	pair->out = V3(0.0f, 1.0f, 0.0f);
	pair->depth = (float)DIG_OUT_REACH;
	if (Terrain_NearestAir(d->terrain, middle, DIG_OUT_REACH, true, &air) ||
	    Terrain_NearestAir(d->terrain, middle, DIG_OUT_REACH, false, &air)) {
		Vec3 way = PosSub(air, middle);
		pair->depth = Length(way);
		if (pair->depth > 1e-4f)
			pair->out = Scale(1.0f / pair->depth, way);
	}
	return true;
}

/* Turns the hits from `first` on into the part's contacts with blocks; what opens none is taken out. `near`: the part
 * is at the ground or in it. */
static bool OpenContacts(Dynamics *d, Part *part, int first, bool *near)
{
	BlockHit *hits = d->block_hits.items.data;
	int kept = first;
	d->found_grounds.count = 0;
	for (int i = first; i < d->block_hits.items.count; i++) {
		BlockHit hit = hits[i];
		*near = *near || hit.solid || hit.buried;
		d->ground.refused += !d->boxes && hit.boxed && !hit.surface;
		hit.solid = d->boxes ? hit.boxed : hit.surface;
		if (!hit.solid && !hit.water)
			continue;
		if (!Array_Reserve(d->memory, d->found_grounds, d->found_grounds.count + 2) ||
		    (hit.solid && !Array_Push(d->memory, d->build_list, hit.record)))
			return false;
		if (hit.solid)
			d->found_grounds.data[d->found_grounds.count++] = (GroundContact){.block = hit.block};
		if (hit.water)
			d->found_grounds.data[d->found_grounds.count++] = (GroundContact){.block = hit.block, .water = true};
		hits[kept++] = hit;
	}
	d->block_hits.items.count = kept;
	return Ground_Update(d, part);
}

/* The solver's contact of the part with all of the ground near it. */
static bool NeedContact(Dynamics *d, int slot, bool near)
{
	int contact = d->parts.data[slot].terrain_contact;
	if (near && contact == NONE) {
		contact = Contact_Create(d, NONE, slot);
		if (contact == NONE)
			return false;
		if (!Contact_ListAwake(d, contact)) {
			Contact_Destroy(d, contact);
			return false;
		}
	}
	if (!near && contact != NONE) {
		if (!Contact_ReserveEvents(d, 1))
			return false;
		Contact_Destroy(d, contact);
	}
	return true;
}

static bool VisitPart(Dynamics *d, int slot, const Body *body, float dt)
{
	Part *part = &d->parts.data[slot];
	TerrainPair pair = {.part = slot, .first = d->block_hits.items.count};
	bool near = false;
	if (!Terrain_QuerySurface(d->terrain, d->memory, SweptBox(d, slot, body, dt), &d->block_hits) ||
	    !OpenContacts(d, part, pair.first, &near) || !NeedContact(d, slot, near))
		return false;
	pair.count = d->block_hits.items.count - pair.first;
	pair.contact = part->terrain_contact;
	part->terrain_pair = d->terrain_pairs.count;
	if (pair.contact != NONE && (!FindWayOut(d, &pair) || !Array_Push(d->memory, d->terrain_pairs, pair)))
		return false;
	for (int i = 0; i < pair.count && !pair.sunk; i++)
		d->ground.tested += d->block_hits.items.data[pair.first + i].solid;
	return true;
}

bool Dynamics_FindTerrain(Dynamics *d, float dt)
{
	d->block_hits.items.count = 0;
	d->terrain_pairs.count = 0;
	d->build_list.count = 0;
	d->ground.tested = d->ground.refused = d->ground.points = 0;
	for (int i = 0; i < d->awake.count; i++) {
		const Body *body = Awake_Body(d, i);
		for (int k = 0; k < body->part_count && body->motion == MOTION_DYNAMIC; k++)
			if (!VisitPart(d, body->first_part + k, body, dt))
				return false;
	}
	return Terrain_Build(d->terrain, d->build_list.data, d->build_list.count, true, d->tasks);
}

/* ---- validation -------------------------------------------------------------------------------------------------- */

bool Ground_Validate(const Dynamics *d, char *why, size_t why_size)
{
	int solid = 0, water = 0;
	for (int i = 0; i < d->parts.count; i++) {
		const Part *part = &d->parts.data[i];
		if (part->body == NONE)
			continue;
		const GroundContact *list = part->ground_count > 0 ? d->grounds.data + part->ground_first : NULL;
		for (int k = 0; k < part->ground_count; k++) {
			solid += !list[k].water;
			water += list[k].water;
			if (k > 0 && Ground_Order(&list[k - 1], &list[k]) >= 0) {
				snprintf(why, why_size, "part %d has contacts with blocks out of order, or one twice", i);
				return false;
			}
		}
	}
	if (solid != d->ground.solid || water != d->ground.water) {
		snprintf(why, why_size, "%d and %d contacts with blocks, %d and %d counted", solid, water, d->ground.solid,
		         d->ground.water);
		return false;
	}
	return true;
}
