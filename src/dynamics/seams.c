/* Seams between parts: a floor of many boxes must feel like one.
 *
 * What slides over a floor of boxes sinks into it by a hair, and then the next box's side is in the way, by that hair.
 * Such a contact is of an inner side of what the parts make together: the place lies at another part, which is touched
 * too, and all of its own part lies behind that other contact's plane. Parts of one body count as one thing, and so do
 * all parts of static bodies. (The rule for triangles of the ground, told of convex parts.)
 */
#include "dynamics/dynamics_internal.h"

#define SEAM_REACH 0.005f     /* m: as near as this to the other part */
#define SEAM_BEHIND 0.001f    /* m: as far as this in front of its plane still counts as behind */
#define SAME_COSINE 0.999998f /* 0.1 degrees: contacts of one direction do not disturb each other */

/* A manifold as the part that meets others has it: relative to the middle of its body, normals towards it. */
typedef struct Seam {
	const Part *other;
	const StoredManifold *manifold;
	Vec3 normal, shift;
	float offset;    /* of the plane through the deepest point of the other part */
	Xform placement; /* of the other part */
} Seam;

static Vec3 PointOfOther(const Seam *s, int k)
{
	const StoredPoint *p = &s->manifold->points[k];
	return MulSub(Add(p->rb, s->shift), 0.5f * p->separation, s->normal);
}

/* The contact from its side `side`, 0 or 1. */
static Seam Seam_Of(const Dynamics *d, int contact, int side)
{
	const Contact *c = &d->contacts.data[contact];
	Pos origin = d->bodies.data[side ? c->body_b : c->body_a].pose.p;
	Seam s = {.other = &d->parts.data[side ? c->part_a : c->part_b], .manifold = Contact_Manifold(d, c, 0)};
	const Body *body = &d->bodies.data[s.other->body];
	s.normal = side ? s.manifold->normal : Neg(s.manifold->normal);
	s.shift = PosSub(d->bodies.data[c->body_b].pose.p, origin);
	s.placement = (Xform){Add(PosSub(body->pose.p, origin), Rotate(body->pose.q, s.other->local.p)),
	                      QuatMul(body->pose.q, s.other->local.q)};
	int deepest = 0;
	for (int k = 1; k < s.manifold->count; k++)
		if (s.manifold->points[k].separation < s.manifold->points[deepest].separation)
			deepest = k;
	s.offset = Dot(s.normal, PointOfOther(&s, deepest));
	return s;
}

/* Is the other part of g wholly behind the plane of f? */
static bool IsBehind(const Seam *g, const Seam *f)
{
	Vec3 local = Shape_Support(&g->other->def.shape, InvRotate(g->placement.q, f->normal));
	float slack = Min(SEAM_BEHIND, 0.01f * g->other->inner_radius);
	return Dot(f->normal, XformPoint(g->placement, local)) <= f->offset + slack;
}

/* Bits of the points of g that lie at f's part. */
static int Covered(const Seam *g, const Seam *f)
{
	if (Dot(g->normal, f->normal) > SAME_COSINE || !IsBehind(g, f) || IsBehind(f, g))
		return 0;
	int covered = 0;
	Shape dot = {.kind = SHAPE_BALL, .radius = Min(SEAM_REACH, 0.1f * f->other->inner_radius)};
	for (int k = 0; k < g->manifold->count; k++) {
		Xform at = {PointOfOther(g, k), QuatIdentity()};
		if (Collide_Overlap(&f->other->def.shape, f->placement, &dot, at))
			covered |= 1 << k;
	}
	return covered;
}

/* Of two convex parts, and touching. */
static bool Matters(const Dynamics *d, const Contact *c)
{
	return c->part_a != NONE && c->count > 0 && c->awake_place != NONE && !Part_IsMesh(&d->parts.data[c->part_a]);
}

static bool IsInner(const Dynamics *d, int contact, int side)
{
	const Contact *c = &d->contacts.data[contact];
	int part = side ? c->part_b : c->part_a, other_body = side ? c->body_a : c->body_b;
	const Body *own = &d->bodies.data[side ? c->body_b : c->body_a], *other = &d->bodies.data[other_body];
	bool fixed = other->motion == MOTION_STATIC;
	if (!fixed && other->part_count == 1)
		return false;
	/* of a moving thing its own contacts will do */
	const Body *list = fixed || own->contact_count <= other->contact_count ? own : other;
	Seam g = {0};
	int covered = 0;
	for (int link = list->contacts; link != NONE; link = d->contacts.data[link >> 1].link[link & 1].next) {
		int index = link >> 1;
		const Contact *f = &d->contacts.data[index];
		int f_side = f->part_b == part;
		if (index == contact || !Matters(d, f) || (f_side ? f->part_b : f->part_a) != part)
			continue;
		int body = f_side ? f->body_a : f->body_b;
		if (body != other_body && !(fixed && d->bodies.data[body].motion == MOTION_STATIC))
			continue;
		if (!g.other)
			g = Seam_Of(d, contact, side);
		Seam seam = Seam_Of(d, index, f_side);
		covered |= Covered(&g, &seam);
	}
	return g.other && covered == (1 << g.manifold->count) - 1;
}

typedef struct SeamJob {
	const Dynamics *dynamics;
	uint8_t *inner; /* per place in awake_contacts */
} SeamJob;

static void FindInner(void *context, int begin, int end, int worker)
{
	(void)worker;
	const SeamJob *job = context;
	const Dynamics *d = job->dynamics;
	for (int i = begin; i < end; i++) {
		int contact = d->awake_contacts.data[i];
		job->inner[i] = Awake_Matters(d, i) && !d->pairs.data[contact].lone && Matters(d, Awake_WholeContact(d, i)) &&
		                (IsInner(d, contact, 0) || IsInner(d, contact, 1));
	}
}

bool Seams_Silence(Dynamics *d)
{
	SeamJob job = {d, Arena_Array(&d->arena, uint8_t, d->awake_contacts.count)};
	if (!job.inner)
		return false;
	TaskPool_For(d->tasks, d->awake_contacts.count, 128, FindInner, &job);
	for (int i = 0; i < d->awake_contacts.count; i++) {
		if (job.inner[i]) {
			Contact *c = &d->contacts.data[d->awake_contacts.data[i]];
			c->count = 0;
			c->made.holds = false; /* it is looked at again in the next step */
		}
	}
	return true;
}
