/* Mass, centre of mass and inertia of bodies: of their parts, or as they are told. */
#include "dynamics/dynamics_internal.h"

/* ---- checking ---------------------------------------------------------------------------------------------------- */

int Mass_Check(const MassProps *mass, Error *error)
{
	Mat3 m = mass->inertia;
	double product = (double)m.cx.x * (double)m.cy.y * (double)m.cz.z;
	if (mass->mass > 1e-12f && IsFinite(mass->mass) && m.cx.x > 0.0f && m.cy.y > 0.0f && m.cz.z > 0.0f &&
	    IsFinite(product) && MatInverse(m).cx.x > 0.0f)
		return ERROR_NONE;
	return Error_Set(error, ERROR_ARGUMENT, "the parts' mass of %g kg is too small or too large to move",
	                 (double)mass->mass);
}

bool Mass_CanMove(const MassProps *mass)
{
	return Mass_Check(mass, NULL) == ERROR_NONE;
}

int Inertia_Check(Mat3 m, Error *error)
{
	float rows[3][3] = {{m.cx.x, m.cy.x, m.cz.x}, {m.cx.y, m.cy.y, m.cz.y}, {m.cx.z, m.cy.z, m.cz.z}};
	float largest = Max(Abs(m.cx.x), Max(Abs(m.cy.y), Abs(m.cz.z)));
	for (int i = 0; i < 3; i++)
		for (int j = 0; j < i; j++)
			if (Abs(rows[i][j] - rows[j][i]) > 1e-5f * largest)
				return Error_Set(error, ERROR_ARGUMENT,
				                 "inertia must be symmetric: row %d, column %d is %g, its mirror %g", i + 1, j + 1,
				                 (double)rows[i][j], (double)rows[j][i]);
	Vec3 moments;
	MatDiagonalize(m, &moments);
	float low = Min(moments.x, Min(moments.y, moments.z)), high = Max(moments.x, Max(moments.y, moments.z));
	double sum = (double)moments.x + (double)moments.y + (double)moments.z;
	if (!(low > 1e-7f * high) || !(low > 1e-12f) ||
	    !IsFinite((double)moments.x * (double)moments.y * (double)moments.z))
		return Error_Set(error, ERROR_ARGUMENT, "inertia must be positive definite, its principal moments are %g %g %g",
		                 (double)moments.x, (double)moments.y, (double)moments.z);
	if (2.0 * (double)high > sum * (1.0 + 1e-5))
		return Error_Set(
		    error, ERROR_ARGUMENT,
		    "inertia is of no body: of the principal moments %g %g %g one is more than the sum of the others",
		    (double)moments.x, (double)moments.y, (double)moments.z);
	return ERROR_NONE;
}

/* ---- of parts ---------------------------------------------------------------------------------------------------- */

bool Mass_OfParts(Dynamics *d, const PartDef *parts, int part_count, MassProps *total)
{
	size_t count = (size_t)part_count;
	MassProps *props = Memory_Alloc(d->memory, count * sizeof(MassProps));
	Xform *placements = Memory_Alloc(d->memory, count * sizeof(Xform));
	bool ok = props && placements;
	for (int i = 0; ok && i < part_count; i++) {
		props[i] = Shape_Mass(&parts[i].shape, parts[i].density);
		placements[i] = parts[i].placement;
	}
	if (ok)
		*total = Mass_Combine(props, placements, part_count);
	Memory_Free(d->memory, props, count * sizeof(MassProps));
	Memory_Free(d->memory, placements, count * sizeof(Xform));
	return ok;
}

/* ---- of bodies --------------------------------------------------------------------------------------------------- */

void Body_SetInverseMass(Body *body)
{
	bool movable = body->motion == MOTION_DYNAMIC;
	body->inverse_mass = movable ? 1.0f / body->mass : 0.0f;
	body->inverse_inertia = movable ? MatInverse(body->inertia) : MatDiag(0.0f, 0.0f, 0.0f);
}

void Body_DropManifolds(Dynamics *d, const Body *body)
{
	for (int link = body->contacts; link != NONE; link = d->contacts.data[link >> 1].link[link & 1].next)
		d->contacts.data[link >> 1].made.holds = false;
}

/* Where the parts are does not change: the centre moves in the body. */
static void MoveCenter(Dynamics *d, Body *body, Vec3 center)
{
	Vec3 shift = Sub(center, body->local_center), arm = Rotate(body->pose.q, shift);
	body->velocity = PointVelocity(body, arm);
	body->pose.p = PosAdd(body->pose.p, arm);
	body->local_center = center;
	for (int link = body->joints; link != NONE; link = d->joints.data[link >> 1].link[link & 1].next) {
		Joint *j = &d->joints.data[link >> 1];
		Vec3 *anchor = link & 1 ? &j->anchor_b : &j->anchor_a;
		*anchor = Sub(*anchor, shift);
	}
	body->outer_radius = 0.0f;
	for (int i = 0; i < body->part_count; i++) {
		Part *part = &d->parts.data[body->first_part + i];
		part->local.p = Sub(part->def.placement.p, center);
		part->boxed = (Pose){.q = {0.0f, 0.0f, 0.0f, 0.0f}}; /* it is found anew */
		body->outer_radius = Max(body->outer_radius, Length(part->local.p) + part->outer_radius);
	}
}

void Body_TakeMass(Dynamics *d, int slot, const MassProps *mass)
{
	Body *body = &d->bodies.data[slot];
	body->mass = mass->mass;
	body->inertia = mass->inertia;
	body->spin.holds = false;
	Body_DropManifolds(d, body);
	MoveCenter(d, body, mass->center);
	Body_SetInverseMass(body);
}

bool Body_SetMass(Dynamics *d, int slot, float mass)
{
	if (!Sleep_Wake(d, slot, "mass set"))
		return false;
	Body *body = &d->bodies.data[slot];
	float ratio = mass / body->mass;
	body->mass = mass;
	body->spin.holds = false;
	body->inertia =
	    (Mat3){Scale(ratio, body->inertia.cx), Scale(ratio, body->inertia.cy), Scale(ratio, body->inertia.cz)};
	Body_SetInverseMass(body);
	return true;
}

bool Body_SetCenter(Dynamics *d, int slot, Vec3 center)
{
	if (!Sleep_Wake(d, slot, "center of mass set"))
		return false;
	Body *body = &d->bodies.data[slot];
	MassProps mass = {body->mass, center, body->inertia};
	Body_TakeMass(d, slot, &mass);
	return true;
}

bool Body_SetInertia(Dynamics *d, int slot, Mat3 inertia)
{
	if (!Sleep_Wake(d, slot, "inertia set"))
		return false;
	Body *body = &d->bodies.data[slot];
	MassProps mass = {body->mass, body->local_center, inertia};
	Body_TakeMass(d, slot, &mass);
	return true;
}
