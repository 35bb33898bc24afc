/* Why a body is awake, in words. */
#include "dynamics/sleep_internal.h"

#include <stdio.h>

static bool IsPushed(const Dynamics *d, int slot)
{
	NeighbourWalk walk = Neighbour_Start(d, slot);
	while (Neighbour_Next(d, &walk))
		if (walk.body != NONE && d->bodies.data[walk.body].motion == MOTION_KINEMATIC &&
		    Body_IsAwake(&d->bodies.data[walk.body]))
			return true;
	return false;
}

void Body_WhyAwake(const Dynamics *d, int slot, char *text, size_t size)
{
	const Body *body = &d->bodies.data[slot];
	const char *woken = body->wake_reason ? body->wake_reason : "made";
	if (body->motion == MOTION_STATIC)
		snprintf(text, size, "it is static");
	else if (body->motion == MOTION_KINEMATIC)
		snprintf(text, size, Body_IsAwake(body) ? "it is kinematic and moves" : "it is kinematic and stands still");
	else if (body->watch_place != NONE)
		snprintf(text, size, "it sleeps, and what is beside it is awake");
	else if (!Body_IsAwake(body))
		snprintf(text, size, "it sleeps");
	else if (!d->sleep.enabled)
		snprintf(text, size, "sleep is not enabled in this world");
	else if (!body->can_sleep)
		snprintf(text, size, "can_sleep is false");
	else if (IsPushed(d, slot))
		snprintf(text, size, "something kinematic moves against it");
	else if (body->still_time <= 0.0f)
		snprintf(text, size, "it moves at %.3g m/s and turns at %.3g rad/s", (double)Length(body->velocity),
		         (double)Length(body->angular_velocity));
	else if (d->sleep.rule == SLEEP_BY_IMPULSE && body->pull > Sleep_Balance(d, body))
		snprintf(text, size, "a net force accelerates it by %.3g m/s2", (double)body->pull);
	else if (d->sleep.rule == SLEEP_BY_IMPULSE && body->pull >= 0.0f && !body->calm)
		snprintf(text, size, "it moves on slowly, at %.3g m/s", (double)Length(body->velocity));
	else if (d->sleep.rule == SLEEP_BY_IMPULSE && body->pull >= 0.0f && !body->steady)
		snprintf(text, size, "the loads that it lies between still change");
	else if (body->still_time >= d->sleep.time)
		snprintf(text, size, "what it touches moves");
	else
		snprintf(text, size, "it has been still for %.2f of %.2f s (%s)", (double)body->still_time,
		         (double)d->sleep.time, woken);
}
