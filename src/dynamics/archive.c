/* The whole room in an archive: everything that decides its future, in one order, and nothing else. */
#include "dynamics/archive_internal.h"

#define REASON_SIZE 48

_Static_assert(sizeof(void *) != 8 || sizeof(Event) == 104, "Event has changed: so must Archive_Event");

/* ---- events ------------------------------------------------------------------------------------------------------ */

/* Reasons are texts of the program; those of an archive are kept as long as the room is. */
static const char *KeepReason(Dynamics *d, Archive *ar, const char *text)
{
	for (int i = 0; i < d->reasons.count; i++)
		if (strcmp(d->reasons.data[i], text) == 0)
			return d->reasons.data[i];
	char *copy = Memory_Alloc(d->memory, REASON_SIZE);
	if (!copy || !Array_Push(d->memory, d->reasons, copy)) {
		Memory_Free(d->memory, copy, REASON_SIZE);
		ar->failure = ERROR_MEMORY;
		return NULL;
	}
	memcpy(copy, text, REASON_SIZE);
	return copy;
}

void Reasons_Free(Dynamics *d)
{
	for (int i = 0; i < d->reasons.count; i++)
		Memory_Free(d->memory, d->reasons.data[i], REASON_SIZE);
	Array_Free(d->memory, d->reasons);
}

void Archive_Reason(Dynamics *d, Archive *ar, const char **reason)
{
	char text[REASON_SIZE] = {0};
	if (!ar->reading && *reason)
		memcpy(text, *reason, strlen(*reason) < REASON_SIZE ? strlen(*reason) : REASON_SIZE - 1);
	Archive_Bytes(ar, text, sizeof text);
	text[REASON_SIZE - 1] = 0;
	if (ar->reading)
		*reason = text[0] && ar->failure == ERROR_NONE ? KeepReason(d, ar, text) : NULL;
}

static void Archive_Event(Dynamics *d, Archive *ar, Event *event)
{
	int kind = (int)event->kind;
	Archive_Int(ar, &kind, 0, EVENT_KIND_COUNT - 1);
	event->kind = (EventKind)kind;
	Archive_Bool(ar, &event->terrain);
	Archive_F64(ar, &event->a);
	Archive_F64(ar, &event->b);
	Archive_Int(ar, &event->part_a, -1, INT32_MAX);
	Archive_Int(ar, &event->part_b, -1, INT32_MAX);
	Archive_Pos(ar, &event->position);
	Archive_Vec3(ar, &event->normal);
	Archive_F32(ar, &event->speed);
	Archive_F32(ar, &event->impulse);
	Archive_Reason(d, ar, &event->reason);
	Archive_F64(ar, &event->joint);
	Archive_I64(ar, &event->cells);
}

bool Archive_Events(Dynamics *d, Archive *ar)
{
	int count = Archive_Count(ar, d->events.count, INT32_MAX / 256, 108);
	if (ar->reading && !Array_Resize(d->memory, d->events, count)) {
		ar->failure = ERROR_MEMORY;
		return false;
	}
	Archive_Int(ar, &d->reported, 0, count);
	for (int i = 0; i < count; i++) {
		if (ar->reading)
			d->events.data[i] = (Event){0};
		Archive_Event(d, ar, &d->events.data[i]);
	}
	return ar->failure == ERROR_NONE;
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

static void Archive_Settings(Dynamics *d, Archive *ar)
{
	int substeps = d->substeps;
	Archive_Int(ar, &substeps, 1, 64);
	Archive_IsSound(ar, substeps == d->substeps, "its steps have another number of substeps");
	Archive_Bool(ar, &d->boxes);
	Archive_Bool(ar, &d->sleep.enabled);
	Archive_F32(ar, &d->sleep.linear);
	Archive_F32(ar, &d->sleep.angular);
	Archive_F32(ar, &d->sleep.time);
	Archive_F32(ar, &d->sleep.balance);
	Archive_F32(ar, &d->sleep.wake);
	Archive_F32(ar, &d->inverse_dt);
	int rule = (int)d->sleep.rule;
	Archive_Int(ar, &rule, SLEEP_BY_IMPULSE, SLEEP_BY_VELOCITY);
	d->sleep.rule = (SleepRule)rule;
	Archive_Vec3(ar, &d->gravity);
	Archive_U64(ar, &d->body_births);
}

int Dynamics_Archive(Dynamics *d, Archive *ar, Error *error)
{
	Archive_Settings(d, ar);
	bool good = ar->failure == ERROR_NONE && Archive_Bodies(d, ar) && Archive_Joints(d, ar) &&
	            Archive_Contacts(d, ar) && Archive_Grounds(d, ar) && Archive_Events(d, ar);
	char why[160];
	if (good && ar->reading && !Dynamics_Validate(d, why, sizeof why))
		Archive_Fail(ar, "its parts do not fit together");
	return Archive_Report(ar, error);
}
