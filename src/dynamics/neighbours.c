/* What a body is tied to, by touching or by joints: sleep and waking walk along it. */
#include "dynamics/dynamics_internal.h"

NeighbourWalk Neighbour_Start(const Dynamics *d, int slot)
{
	const Body *body = &d->bodies.data[slot];
	NeighbourWalk walk = {.next = body->contacts, .body = slot, .contact = NONE, .joint = NONE};
	if (walk.next == NONE) {
		walk.in_joints = true;
		walk.next = body->joints;
	}
	return walk;
}

/* The body whose neighbours are walked is needed once, to go from its contacts to its joints: the link says whose it
 * is. */
bool Neighbour_Next(const Dynamics *d, NeighbourWalk *walk)
{
	while (!walk->in_joints) {
		int link = walk->next;
		const Contact *c = &d->contacts.data[link >> 1];
		int own = (link & 1) ? c->body_b : c->body_a;
		walk->next = c->link[link & 1].next;
		if (walk->next == NONE) {
			walk->in_joints = true;
			walk->next = d->bodies.data[own].joints;
		}
		if (!c->touching)
			continue;
		walk->body = (link & 1) ? c->body_a : c->body_b;
		walk->contact = link >> 1;
		return true;
	}
	walk->contact = NONE;
	while (walk->next != NONE) {
		int link = walk->next;
		const Joint *j = &d->joints.data[link >> 1];
		walk->next = j->link[link & 1].next;
		if (j->broken)
			continue;
		walk->body = (link & 1) ? j->body_a : j->body_b;
		walk->joint = link >> 1;
		return true;
	}
	return false;
}
