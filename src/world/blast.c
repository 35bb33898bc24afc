/* Digging by hardness, and blasts. */
#include "world/world_internal.h"

#include <stdlib.h>

/* ---- digging ----------------------------------------------------------------------------------------------------- */

int World_Dig(World *w, Pos center, double radius, double strength, Tally *tally, Error *error)
{
	double size = Terrain_CellSize(w->terrain), at[3] = {center.x / size, center.y / size, center.z / size};
	double reach[MATERIAL_LIMIT] = {0.0};
	for (int m = MATERIAL_WATER + 1; m < w->materials->count; m++) {
		double left = 1.0 - (double)w->materials->items[m].hardness / strength;
		reach[m] = left > 0.0 ? radius / size * Trig_Pow(left, 1.0 / 3.0) : 0.0;
	}
	if (!World_NoteEdits(w, CAUSE_EDIT))
		return Error_OutOfMemory(error);
	int code = Store_Dig(w->store, w->materials, at, reach, tally, error);
	World_NoteEdits(w, CAUSE_DIG); /* if not now, the step notes it as an edit */
	return code;
}

/* ---- blasts ------------------------------------------------------------------------------------------------------ */

/* Of its force at the centre, what is left at a distance. */
static double Falloff(double distance, double radius)
{
	double left = 1.0 - distance / radius;
	return left > 0.0 ? left * left : 0.0;
}

typedef struct PushList {
	World *w;
	WorldBox box;
	bool failed;
} PushList;

static bool ListBody(void *context, int32_t part)
{
	PushList *list = context;
	World *w = list->w;
	int body = Part_View(w->dynamics, part).body;
	if (Body_Motion(w->dynamics, body) != MOTION_DYNAMIC)
		return true;
	uint64_t birth = Body_Birth(w->dynamics, body);
	list->failed = !Array_Push(&w->memory, w->pushed, ((PushedBody){.birth = birth, .body = body}));
	return !list->failed;
}

static int ByBirth(const void *a, const void *b)
{
	uint64_t x = ((const PushedBody *)a)->birth, y = ((const PushedBody *)b)->birth;
	return x < y ? -1 : x > y;
}

static double Excess(double v, double lo, double hi)
{
	return MaxD(MaxD(lo - v, v - hi), 0.0);
}

/* Each part takes its share of the body's volume of the impulse, by how far its box is from the blast, and is pushed
 * at the middle of the box, away from it. */
static void MeasurePush(const World *w, const Blast *blast, PushedBody *pushed)
{
	int body = pushed->body, count = Body_PartCount(w->dynamics, body);
	Pos center = Body_Pose(w->dynamics, body).p;
	double volume = 0.0;
	pushed->linear = pushed->angular = V3(0.0f, 0.0f, 0.0f);
	for (int i = 0; i < count; i++)
		volume += (double)Shape_Volume(&Part_View(w->dynamics, Body_Part(w->dynamics, body, i)).def->shape);
	for (int i = 0; i < count; i++) {
		PartView view = Part_View(w->dynamics, Body_Part(w->dynamics, body, i));
		double dx = Excess(blast->position.x, view.box.lo.x, view.box.hi.x);
		double dy = Excess(blast->position.y, view.box.lo.y, view.box.hi.y);
		double dz = Excess(blast->position.z, view.box.lo.z, view.box.hi.z);
		double share = (double)Shape_Volume(&view.def->shape) / volume;
		double force = blast->impulse * share * Falloff(sqrt(dx * dx + dy * dy + dz * dz), blast->radius);
		if (!(force > 0.0))
			continue;
		Pos middle = {0.5 * (view.box.lo.x + view.box.hi.x), 0.5 * (view.box.lo.y + view.box.hi.y),
		              0.5 * (view.box.lo.z + view.box.hi.z)};
		Vec3 away = PosSub(middle, blast->position);
		away = LengthSq(away) > 1e-12f ? Normalize(away) : V3(0.0f, 1.0f, 0.0f);
		Vec3 push = Scale((float)force, away);
		pushed->linear = Add(pushed->linear, push);
		pushed->angular = Add(pushed->angular, Cross(PosSub(middle, center), push));
	}
}

/* Dynamic bodies that feel it, in order of creation; makes room to wake them. */
static bool FindPushed(World *w, const Blast *blast)
{
	double r = blast->radius;
	PushList list = {.w = w};
	w->pushed.count = 0;
	if (!(blast->impulse > 0.0))
		return true;
	list.box = (WorldBox){{blast->position.x - r, blast->position.y - r, blast->position.z - r},
	                      {blast->position.x + r, blast->position.y + r, blast->position.z + r}};
	Dynamics_QueryParts(w->dynamics, list.box, ListBody, &list);
	if (list.failed)
		return false;
	if (w->pushed.count > 1)
		qsort(w->pushed.data, (size_t)w->pushed.count, sizeof(PushedBody), ByBirth);
	int kept = 0;
	for (int i = 0; i < w->pushed.count; i++) {
		PushedBody pushed = w->pushed.data[i];
		if (kept > 0 && w->pushed.data[kept - 1].body == pushed.body)
			continue;
		MeasurePush(w, blast, &pushed);
		if (LengthSq(pushed.linear) > 0.0f || LengthSq(pushed.angular) > 0.0f)
			w->pushed.data[kept++] = pushed;
	}
	w->pushed.count = kept;
	return Dynamics_ReserveWakes(w->dynamics, 0) && Array_Reserve(&w->memory, w->listed, kept);
}

int World_Blast(World *w, const Blast *blast, Tally *tally, const Id **pushed, Error *error)
{
	double size = Terrain_CellSize(w->terrain), reach[MATERIAL_LIMIT] = {0.0};
	const double at[3] = {blast->position.x / size, blast->position.y / size, blast->position.z / size};
	for (int m = MATERIAL_WATER + 1; m < w->materials->count && blast->strength > 0.0; m++) {
		double hard = (double)w->materials->items[m].hardness / blast->strength;
		reach[m] = hard < 1.0 ? blast->radius / size * (1.0 - sqrt(hard)) : 0.0;
	}
	if (!FindPushed(w, blast) || !World_NoteEdits(w, CAUSE_EDIT))
		return Error_OutOfMemory(error);
	int code = Store_Dig(w->store, w->materials, at, reach, tally, error);
	if (code != ERROR_NONE)
		return code;
	World_NoteEdits(w, CAUSE_BLAST); /* if not now, the step notes it as an edit */
	w->listed.count = 0;
	for (int i = 0; i < w->pushed.count; i++) { /* room was made, so it cannot fail */
		PushedBody push = w->pushed.data[i];
		Body_Wake(w->dynamics, push.body, "blast");
		w->listed.data[w->listed.count++] = Body_Id(w->dynamics, push.body);
	}
	for (int i = 0; i < w->pushed.count; i++)
		Body_ApplyImpulse(w->dynamics, w->pushed.data[i].body, w->pushed.data[i].linear, w->pushed.data[i].angular);
	*pushed = w->listed.data;
	return w->pushed.count;
}
