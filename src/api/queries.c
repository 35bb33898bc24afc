/* Queries, contacts and events. */
#include "api/api_internal.h"

void scree_query_defaults(ScreeQuery *query)
{
	*query = (ScreeQuery){.terrain = 1, .assemblies = 1, .dynamic = 1, .inside = 1, .groups = 4294967295.0};
}

/* ---- from and to the public structs ------------------------------------------------------------------------------ */

int Api_MakeFilter(ScreeWorld *w, const ScreeQuery *query, QueryFilter *filter)
{
	ScreeQuery defaults;
	scree_query_defaults(&defaults);
	if (!query)
		query = &defaults;
	if (!Check_Number(w, "groups", query->groups, 0.0, 4294967295.0))
		return ERROR_ARGUMENT;
	if (query->ignore_count < 0 || (query->ignore_count > 0 && !query->ignore))
		return Api_Fail(w, ERROR_ARGUMENT, "ignore must hold ignore_count ids, got %d", query->ignore_count);
	if (!Array_Reserve(World_Memory(w->world), w->ignored, query->ignore_count))
		return Api_OutOfMemory(w);
	w->ignored.count = 0;
	for (int i = 0; i < query->ignore_count; i++) {
		int slot = Check_Assembly(w, query->ignore[i]);
		if (slot < 0)
			return ERROR_ARGUMENT;
		w->ignored.data[w->ignored.count++] = slot;
	}
	*filter = (QueryFilter){.terrain = query->terrain != 0,
	                        .water = query->water != 0,
	                        .assemblies = query->assemblies != 0,
	                        .dynamic = query->dynamic != 0,
	                        .inside = query->inside != 0,
	                        .groups = (uint32_t)query->groups,
	                        .ignore = w->ignored.data,
	                        .ignore_count = w->ignored.count};
	return ERROR_NONE;
}

static void FillHit(const ScreeWorld *w, const QueryHit *hit, const double *from, const double *to, ScreeHit *out)
{
	const Dynamics *d = World_Dynamics(w->world);
	double x = to[0] - from[0], y = to[1] - from[1], z = to[2] - from[2];
	*out = (ScreeHit){.fraction = hit->fraction,
	                  .distance = hit->fraction * sqrt(x * x + y * y + z * z),
	                  .part = -1,
	                  .material = hit->material,
	                  .cell = {hit->cell.x, hit->cell.y, hit->cell.z},
	                  .terrain = hit->terrain,
	                  .water = hit->water,
	                  .inside = hit->inside};
	FromPos(hit->position, out->position);
	FromVec3(hit->normal, out->normal);
	if (hit->part >= 0) {
		PartView view = Part_View(d, hit->part);
		out->assembly = Body_Id(d, view.body);
		out->part = view.index;
	}
}

static bool CheckSegment(ScreeWorld *w, const double *from, const double *to)
{
	return Check_Vector(w, "from", from, MAX_COORDINATE) && Check_Vector(w, "to", to, MAX_COORDINATE);
}

/* ---- rays -------------------------------------------------------------------------------------------------------- */

int32_t screeWorld_Raycast(ScreeWorld *w, const double *from, const double *to, const ScreeQuery *query, ScreeHit *hit)
{
	QueryFilter filter;
	QueryHit found;
	if (!CheckSegment(w, from, to))
		return SCREE_BAD_ARGUMENT;
	int result = Api_MakeFilter(w, query, &filter);
	if (result == ERROR_NONE)
		result = World_Raycast(w->world, ToPos(from), ToPos(to), &filter, &found, &w->error);
	if (result == 1)
		FillHit(w, &found, from, to, hit);
	return result;
}

int32_t screeWorld_RaycastAll(ScreeWorld *w, const double *from, const double *to, const ScreeQuery *query,
                              const ScreeHit **out)
{
	QueryFilter filter;
	if (!CheckSegment(w, from, to))
		return SCREE_BAD_ARGUMENT;
	int result = Api_MakeFilter(w, query, &filter);
	if (result == ERROR_NONE)
		result = World_RaycastAll(w->world, ToPos(from), ToPos(to), &filter, &w->query_hits, &w->error);
	if (result != ERROR_NONE)
		return result;
	if (!Array_Resize(World_Memory(w->world), w->hits, w->query_hits.count))
		return Api_OutOfMemory(w);
	for (int i = 0; i < w->query_hits.count; i++)
		FillHit(w, &w->query_hits.data[i], from, to, &w->hits.data[i]);
	*out = w->hits.data;
	return w->hits.count;
}

int32_t screeWorld_Raycasts(ScreeWorld *w, int32_t n, const double *from, const double *to, double *fractions,
                            const ScreeQuery *query)
{
	QueryFilter filter;
	if (!Check_Number(w, "n", n, 0, INT32_MAX))
		return SCREE_BAD_ARGUMENT;
	int result = Api_MakeFilter(w, query, &filter);
	if (result == ERROR_NONE)
		result = World_Raycasts(w->world, n, from, to, &filter, fractions, &w->error);
	return result;
}

/* ---- shapes ------------------------------------------------------------------------------------------------------ */

/* A query's shape, its placement (position and rotation of the part) and its filter. The hull, if any, is the caller's.
 */
static int MakeProbe(ScreeWorld *w, const ScreePart *shape, const ScreeQuery *query, PartDef *probe,
                     QueryFilter *filter)
{
	int result = Api_MakeFilter(w, query, filter);
	if (result == ERROR_NONE && shape->shape == SCREE_MESH)
		return Api_Fail(w, ERROR_ARGUMENT, "shape must be convex: a mesh cannot be asked with");
	return result == ERROR_NONE ? Api_MakePart(w, "", shape, probe) : result;
}

static void FreeProbe(ScreeWorld *w, PartDef *probe)
{
	Shape_Free(World_Memory(w->world), &probe->shape);
}

int32_t screeWorld_Cast(ScreeWorld *w, const ScreePart *shape, const double *from, const double *to,
                        const ScreeQuery *query, ScreeHit *hit)
{
	PartDef probe;
	QueryFilter filter;
	QueryHit found;
	if (!CheckSegment(w, from, to))
		return SCREE_BAD_ARGUMENT;
	int result = MakeProbe(w, shape, query, &probe, &filter);
	if (result != ERROR_NONE)
		return result;
	Pos start = PosAdd(ToPos(from), probe.placement.p), end = PosAdd(ToPos(to), probe.placement.p);
	result = World_Cast(w->world, &probe.shape, probe.placement.q, start, end, &filter, &found, &w->error);
	FreeProbe(w, &probe);
	if (result == 1)
		FillHit(w, &found, from, to, hit);
	return result;
}

int32_t screeWorld_Overlap(ScreeWorld *w, const ScreePart *shape, const double *position, const ScreeQuery *query,
                           const ScreeId **out, int32_t *terrain, int32_t *water)
{
	PartDef probe;
	QueryFilter filter;
	bool ground = false, wet = false;
	if (!Check_Vector(w, "position", position, MAX_COORDINATE))
		return SCREE_BAD_ARGUMENT;
	int result = MakeProbe(w, shape, query, &probe, &filter);
	if (result != ERROR_NONE)
		return result;
	Pose placement = {PosAdd(ToPos(position), probe.placement.p), probe.placement.q};
	result = World_Overlap(w->world, &probe.shape, placement, &filter, &w->slots, &ground, &wet, &w->error);
	FreeProbe(w, &probe);
	if (result != ERROR_NONE)
		return result;
	if (!Array_Resize(World_Memory(w->world), w->ids, w->slots.count))
		return Api_OutOfMemory(w);
	for (int i = 0; i < w->slots.count; i++)
		w->ids.data[i] = Body_Id(World_Dynamics(w->world), w->slots.data[i]);
	if (terrain)
		*terrain = ground;
	if (water)
		*water = wet;
	*out = w->ids.data;
	return w->ids.count;
}

/* ---- contacts ---------------------------------------------------------------------------------------------------- */

/* Seen from one side: the normal towards it, the other side named. */
static void FillContact(const Dynamics *d, int slot, const ContactView *view, ScreeContact *out)
{
	bool is_b = Part_View(d, view->part_b).body == slot;
	int own = is_b ? view->part_b : view->part_a, other = is_b ? view->part_a : view->part_b;
	*out = (ScreeContact){.part = Part_View(d, own).index, .other_part = -1, .point_count = view->count};
	FromVec3(is_b ? view->normal : Neg(view->normal), out->normal);
	out->material = view->material;
	if (other >= 0) {
		PartView part = Part_View(d, other);
		out->other = Body_Id(d, part.body);
		out->other_part = part.index;
		out->material = part.def->material;
	}
	for (int k = 0; k < view->count; k++) {
		FromPos(view->position[k], out->position[k]);
		out->separation[k] = view->separation[k];
		out->impulse[k] = view->impulse[k];
	}
}

int32_t screeAssembly_Contacts(ScreeWorld *w, ScreeId id, const ScreeContact **out)
{
	int slot = Check_Assembly(w, id);
	if (slot < 0)
		return SCREE_BAD_ARGUMENT;
	const Dynamics *d = World_Dynamics(w->world);
	Memory *memory = World_Memory(w->world);
	w->views.count = 0;
	if (!Body_Contacts(d, slot, memory, &w->views) || !Array_Resize(memory, w->contacts, w->views.count))
		return Api_OutOfMemory(w);
	for (int i = 0; i < w->views.count; i++)
		FillContact(d, slot, &w->views.data[i], &w->contacts.data[i]);
	*out = w->contacts.data;
	return w->contacts.count;
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

static const int32_t public_kind[] = {[EVENT_CONTACT_BEGIN] = SCREE_CONTACT_BEGIN,
                                      [EVENT_CONTACT_END] = SCREE_CONTACT_END,
                                      [EVENT_HIT] = SCREE_HIT_EVENT,
                                      [EVENT_SLEEP] = SCREE_SLEEP_EVENT,
                                      [EVENT_WAKE] = SCREE_WAKE_EVENT,
                                      [EVENT_JOINT_BREAK] = SCREE_JOINT_BREAK,
                                      [EVENT_WATER_ENTER] = SCREE_WATER_ENTER,
                                      [EVENT_WATER_EXIT] = SCREE_WATER_EXIT,
                                      [EVENT_DETACH] = SCREE_DETACH};

int32_t screeWorld_Events(ScreeWorld *w, const ScreeEvent **out)
{
	const Dynamics *d = World_Dynamics(w->world);
	int count = Dynamics_EventCount(d);
	if (!Array_Resize(World_Memory(w->world), w->events, count))
		return Api_OutOfMemory(w);
	for (int i = 0; i < count; i++) {
		const Event *event = &Dynamics_Events(d)[i];
		ScreeEvent *to = &w->events.data[i];
		*to = (ScreeEvent){.kind = public_kind[event->kind],
		                   .terrain = event->terrain,
		                   .a = event->a,
		                   .b = event->b,
		                   .part_a = event->part_a,
		                   .part_b = event->part_b,
		                   .speed = event->speed,
		                   .impulse = event->impulse,
		                   .reason = event->reason,
		                   .joint = event->joint,
		                   .cells = (double)event->cells};
		FromPos(event->position, to->position);
		FromVec3(event->normal, to->normal);
	}
	*out = w->events.data;
	return count;
}
