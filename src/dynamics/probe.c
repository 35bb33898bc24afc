/* Edits of the ground near sleepers. Where the surface can have changed is known only roughly, so what sleeps there is
 * not woken at once: it is listed with the awake until its contacts with the ground have been made anew. When they bear
 * it as before it sleeps on, and no one will know. */
#include "dynamics/dynamics_internal.h"

#define SAME_DEPTH 0.0002f /* m */
#define SAME_PLACE 0.005f  /* m: so near, a point that bears is the same */
#define SAME_NORMAL 0.001f /* difference: on a slope of so much less gravity pulls than a body may be pulled asleep */

static bool Bears(const Manifold *m, const StoredManifold *old, const StoredPoint *point)
{
	if (m->material != old->material || LengthSq(Sub(m->normal, old->normal)) > SAME_NORMAL * SAME_NORMAL)
		return false;
	for (int k = 0; k < m->count; k++)
		if (LengthSq(Sub(m->points[k].point, point->rb)) < SAME_PLACE * SAME_PLACE &&
		    Abs(m->points[k].separation - point->separation) <= SAME_DEPTH)
			return true;
	return false;
}

bool Probe_IsSame(const StoredManifold *old, int old_count, const Manifold *fresh, int count)
{
	float deepest = 0.0f;
	for (int i = 0; i < old_count; i++)
		for (int k = 0; k < old[i].count; k++) {
			const StoredPoint *point = &old[i].points[k];
			deepest = Min(deepest, point->separation);
			bool found = point->impulse <= 0.0f;
			for (int j = 0; j < count && !found; j++)
				found = Bears(&fresh[j], &old[i], point);
			if (!found)
				return false;
		}
	for (int j = 0; j < count; j++)
		for (int k = 0; k < fresh[j].count; k++)
			if (fresh[j].points[k].separation < deepest - SAME_DEPTH)
				return false;
	return true;
}

static int CountTouching(const Dynamics *d, const Body *body)
{
	int count = 0;
	for (int i = 0; i < body->part_count; i++) {
		int contact = d->parts.data[body->first_part + i].terrain_contact;
		count += contact != NONE && d->contacts.data[contact].touching;
	}
	return Int_Min(count, 254);
}

bool Probe_Start(Dynamics *d, int slot, const char *reason)
{
	Body *body = &d->bodies.data[slot];
	if (body->probed)
		return true;
	if (body->motion != MOTION_DYNAMIC || Body_IsAwake(body) || body->wet)
		return Sleep_WakeStack(d, slot, reason);
	if (!Body_ListAwake(d, slot))
		return false;
	body->probed = (uint8_t)(1 + CountTouching(d, body));
	for (int i = 0; i < body->part_count; i++) {
		int contact = d->parts.data[body->first_part + i].terrain_contact;
		if (contact != NONE)
			d->contacts.data[contact].made.holds = d->contacts.data[contact].made.altered = false;
	}
	return true;
}

static bool IsAltered(const Dynamics *d, const Body *body)
{
	for (int i = 0; i < body->part_count; i++) {
		const Part *part = &d->parts.data[body->first_part + i];
		if (part->terrain_contact != NONE && d->contacts.data[part->terrain_contact].made.altered)
			return true;
		for (int k = 0; k < part->ground_count; k++)
			if (d->grounds.data[part->ground_first + k].water)
				return true;
	}
	return CountTouching(d, body) != body->probed - 1; /* a contact went */
}

bool Probe_End(Dynamics *d, const char *reason)
{
	int *altered = Arena_Array(&d->arena, int, d->awake.count);
	int count = 0;
	if (!altered)
		return false;
	for (int i = d->awake.count - 1; i >= 0; i--) {
		int slot = d->awake.data[i];
		Body *body = &d->bodies.data[slot];
		if (!body->probed)
			continue;
		if (IsAltered(d, body))
			altered[count++] = slot;
		body->probed = 0;
		Body_UnlistAwake(d, slot);
	}
	for (int i = 0; i < count; i++)
		if (!Sleep_WakeStack(d, altered[i], reason))
			return false;
	return true;
}
