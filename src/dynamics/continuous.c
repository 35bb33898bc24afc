/* Continuous collision, after the step is solved: a body that moved more than its smallest half extent is held back
 * where one of its parts would have crossed terrain or something static. The first impact on its way was foreseen and
 * solved (foresee.c); this is for what it would cross after that. Parts are swept a little thinner than they are, so
 * sliding on a surface is no crossing: the contacts have dealt with all that stays outside. Velocity is kept; the
 * contact of the next step takes it up (the thinner core is Box2D's idea). */
#include "dynamics/dynamics_internal.h"

#define CORE_DEPTH 0.02f /* m: how deep a fast part may be carried into a surface by one step */
#define AT_ONCE 1e-3f    /* m: what the core meets sooner it has touched from the start */

typedef struct Sweep {
	Dynamics *dynamics;
	const Body *body;
	const Part *part;
	Shape core; /* the part, thinner */
	Hull hull;  /* its hull, if it is one; the corners are in the arena */
	Shape ball; /* within the core: for what the core touches from the start */
	Pos origin; /* of the common frame: the centre of mass at the start of this stretch */
	ShapeSweep way;
	WorldBox box; /* around it */
	Xform ball_from;
	Vec3 ball_motion;
	float soon; /* time until when a hit is one from the start */
	float time; /* first hit so far */
} Sweep;

/* ---- cores ------------------------------------------------------------------------------------------------------- */

/* The part's shape drawn in by CORE_DEPTH on all sides; no more than half of what there is. */
static void MakeCore(Sweep *sweep)
{
	const Part *part = sweep->part;
	float depth = Min(CORE_DEPTH, 0.5f * part->inner_radius);
	sweep->core = part->def.shape;
	sweep->ball = (Shape){.kind = SHAPE_BALL, .radius = part->inner_radius - depth};
	switch (part->def.shape.kind) {
	case SHAPE_BALL:
	case SHAPE_CAPSULE:
		sweep->core.radius -= depth;
		break;
	case SHAPE_CYLINDER:
		sweep->core.radius -= depth;
		sweep->core.half_length -= depth;
		break;
	case SHAPE_CONE:
		sweep->core.radius *= 1.0f - depth / part->inner_radius;
		sweep->core.half_length *= 1.0f - depth / part->inner_radius;
		break;
	case SHAPE_BOX:
		sweep->core.half = Sub(sweep->core.half, V3(depth, depth, depth));
		break;
	default: { /* towards its middle */
		const Hull *hull = part->def.shape.hull;
		Vec3 *corners = hull ? Arena_Array(&sweep->dynamics->arena, Vec3, hull->vertex_count) : NULL;
		if (!corners) {
			sweep->core = sweep->ball;
			break;
		}
		float share = 1.0f - depth / part->inner_radius;
		for (int i = 0; i < hull->vertex_count; i++)
			corners[i] = Lerp(hull->center, hull->vertices[i], share);
		sweep->hull = *hull;
		sweep->hull.vertices = corners;
		sweep->core.hull = &sweep->hull;
	}
	}
}

static Vec3 Middle(const Part *part, Xform at)
{
	return XformPoint(at, Part_LocalMiddle(part));
}

/* ---- what is crossed --------------------------------------------------------------------------------------------- */

static void MeetTriangle(Sweep *sweep, const Triangle *triangle)
{
	CastHit hit;
	float time;
	if (Collide_TriangleSweptImpact(triangle, &sweep->core, &sweep->way, 0.0f, &time)) {
		if (time > sweep->soon)
			sweep->time = Min(sweep->time, time);
		else if (Collide_CastTriangle(triangle, &sweep->ball, sweep->ball_from, sweep->ball_motion, 0.0f, &hit) &&
		         !hit.inside)
			sweep->time = Min(sweep->time, hit.fraction);
	}
}

/* Whether the part of a contact is in the solid of the other side: faces of that have it behind them, and are no bounds
 * to it. */
static bool IsBuriedIn(const Dynamics *d, int contact)
{
	if (contact == NONE)
		return false;
	const Contact *c = &d->contacts.data[contact];
	return c->count > 0 && Manifold_IsBuried(&d->manifolds.data[c->first]);
}

static void MeetTriangles(Sweep *sweep, const TriangleList *triangles)
{
	for (int i = 0; i < triangles->items.count; i++)
		MeetTriangle(sweep, &triangles->items.data[i]);
}

static bool MeetPart(void *context, int32_t user)
{
	Sweep *sweep = context;
	Dynamics *d = sweep->dynamics;
	if (!Parts_ShouldCollide(d, user, sweep->body->first_part + sweep->part->index))
		return true;
	const Part *other = &d->parts.data[user];
	if (Part_IsMesh(other)) {
		int own = sweep->body->first_part + sweep->part->index;
		if (IsBuriedIn(d, KeyMap_Find(&d->pair_map, PairKey(user, own))))
			return true;
		TriangleList *triangles = &d->workers[0].triangles;
		triangles->items.count = 0;
		if (!Trimesh_Gather(other->def.shape.mesh, Part_Pose(d, other), sweep->origin, sweep->box, d->memory,
		                    triangles))
			sweep->time = 0.0f;
		MeetTriangles(sweep, triangles);
		return true;
	}
	Vec3 still = {0.0f, 0.0f, 0.0f};
	ShapeSweep at = Part_Sweep(d, other, sweep->origin, still, still);
	CastHit hit;
	float time;
	if (!Collide_SweptImpact(&other->def.shape, &at, &sweep->core, &sweep->way, 0.0f, &time))
		return true;
	if (time > sweep->soon)
		sweep->time = Min(sweep->time, time);
	else if (Collide_Cast(&other->def.shape, at.start, &sweep->ball, sweep->ball_from, sweep->ball_motion, 0.0f,
	                      &hit) &&
	         !hit.inside)
		sweep->time = Min(sweep->time, hit.fraction);
	return true;
}

/* ---- stretches of a way ------------------------------------------------------------------------------------------ */

/* The rotation vector of a turn of less than half a revolution. */
static Vec3 RotationVector(Quat q)
{
	if (q.w < 0.0f)
		q = (Quat){-q.x, -q.y, -q.z, -q.w};
	Vec3 axis = V3(q.x, q.y, q.z);
	float sine = Length(axis);
	if (sine < 1e-9f)
		return Scale(2.0f, axis);
	return Scale(2.0f * (float)Trig_Atan2((double)sine, (double)q.w) / sine, axis);
}

static void SweepPart(Sweep *sweep, const Part *part, Vec3 shift, Vec3 turn, TriangleList *triangles)
{
	Dynamics *d = sweep->dynamics;
	sweep->part = part;
	MakeCore(sweep);
	sweep->way = Part_Sweep(d, part, sweep->origin, shift, turn);
	Xform end = ShapeSweep_At(&sweep->way, 1.0f);
	sweep->ball_from = (Xform){Middle(part, sweep->way.start), QuatIdentity()};
	sweep->ball_motion = Sub(Middle(part, end), sweep->ball_from.p);
	sweep->box = Part_SweptBox(d, part, shift, turn);
	BoxTree_Query(&d->fixed_tree, sweep->box, MeetPart, sweep);
	if (IsBuriedIn(d, part->terrain_contact))
		return;
	triangles->items.count = 0;
	/* out of memory: it stays where it was, which is safe */
	if (!Terrain_Gather(d->terrain, sweep->box, sweep->origin, true, triangles))
		sweep->time = 0.0f;
	MeetTriangles(sweep, triangles);
}

static Pose Advance(Pose from, Vec3 shift, Vec3 turn, float time)
{
	float angle = Length(turn);
	Quat part = QuatIdentity();
	if (angle > 0.0f)
		part = Quat_FromAxisAngle(Scale(1.0f / angle, turn), (double)(time * angle));
	return (Pose){PosAdd(from.p, Scale(time, shift)), QuatNormalize(QuatMul(part, from.q))};
}

/* Moves the body from where it is along a stretch; false when it is held back on it. */
static bool Go(Dynamics *d, Body *body, Vec3 shift, Vec3 turn, Pose end)
{
	float travel = Length(shift) + Length(turn) * body->outer_radius;
	Sweep sweep = {.dynamics = d, .body = body, .origin = body->pose.p, .time = 1.0f};
	/* what a step has held back there would else stay caught for ever */
	sweep.soon = AT_ONCE / Max(travel, AT_ONCE);
	for (int i = 0; i < body->part_count; i++)
		SweepPart(&sweep, &d->parts.data[body->first_part + i], shift, turn, &d->workers[0].triangles);
	bool held = sweep.time < 1.0f;
	body->pose = held ? Advance(body->pose, shift, turn, sweep.time) : end;
	return !held;
}

/* Held back on its way, a body has an earlier rotation than its velocity was solved for: the spin goes back with it,
 * or a long thing would gain energy. */
static void TurnBack(Body *body, Quat end)
{
	Quat back = QuatNormalize(QuatMul(body->pose.q, QuatConj(end)));
	body->angular_velocity = Rotate(back, body->angular_velocity);
	body->spin.holds = false;
}

/* The way from the start of the step: straight to where something stopped it, if anything did, and straight from there.
 */
static void SweepBody(Dynamics *d, Body *body, const SolverBody *motion, const Path *path)
{
	Pose end = body->pose;
	Pose start = {PosAdd(end.p, Neg(motion->shift)), QuatNormalize(QuatMul(QuatConj(motion->turn), end.q))};
	body->pose = start;
	if (path && path->bend < 1.0f) {
		Vec3 shift = Scale(path->bend, path->shift), turn = Scale(path->bend, path->turn);
		Pose bend = Advance(start, shift, turn, 1.0f);
		if (!Go(d, body, shift, turn, bend)) {
			TurnBack(body, end.q);
			return;
		}
	}
	Vec3 shift = PosSub(end.p, body->pose.p), turn = RotationVector(QuatMul(end.q, QuatConj(body->pose.q)));
	if (!Go(d, body, shift, turn, end))
		TurnBack(body, end.q);
}

/* ---- where things met ---------------------------------------------------------------------------------------------
 */

static Pos StartOf(const Dynamics *d, int slot)
{
	const Body *body = &d->bodies.data[slot];
	return body->moved_in == d->steps ? body->before.p : body->pose.p;
}

/* How a point of the body at this arm would go in the step if nothing stopped it. */
static Vec3 WayOf(const Dynamics *d, int slot, Vec3 arm)
{
	int place = slot == NONE ? NONE : d->bodies.data[slot].awake_place;
	if (place == NONE || place >= d->path_count) /* what the step woke stood still until then */
		return V3(0.0f, 0.0f, 0.0f);
	const Path *path = &d->paths[place];
	return Add(path->shift, Cross(path->turn, arm));
}

/* A point lies half way between the two surfaces as they were when the step began; by the time they meet it has gone on
 * with them: with the smaller side more than with the larger, as that of two balls does. What was found only once it
 * was inside met before. */
Pos Contact_MeetingPlace(const Dynamics *d, const Contact *c, const StoredManifold *m, const StoredPoint *p)
{
	if (m->haste & HASTE_FORESEEN) /* Settle has put it there */
		return PosAdd(d->bodies.data[c->body_b].pose.p, p->rb);
	Vec3 rb = p->rb, ra = Sub(rb, c->between);
	if (m->haste) { /* each may be on its own surface */
		rb = Scale(0.5f, Add(p->rb, Add(p->made_rb, c->between)));
		ra = Sub(rb, c->between);
	}
	float size_a = c->part_a == NONE ? 0.0f : d->parts.data[c->part_a].outer_radius;
	float size_b = d->parts.data[c->part_b].outer_radius;
	float share_b = c->part_a == NONE ? 1.0f : size_a / (size_a + size_b);
	Vec3 way_a = WayOf(d, c->body_a, ra), way_b = WayOf(d, c->body_b, rb);
	float closing = Dot(m->normal, Sub(way_a, way_b));
	/* of steps; above 1, as the solver takes up what would meet in the substep that follows */
	float time = 2.0f * closing > Abs(p->separation) ? p->separation / closing : 0.0f;
	Vec3 way = MulAdd(Scale((1.0f - share_b) * time, way_a), share_b * time, way_b);
	way = MulAdd(way, (share_b - 0.5f) * p->separation, m->normal);
	return PosAdd(StartOf(d, c->body_b), Add(rb, way));
}

/* ---- the stage --------------------------------------------------------------------------------------------------- */

/* A contact that was foreseen is now one at hand: the blow is over, and its points are where it fell. */
static void Settle(Dynamics *d, const Foreseen *f)
{
	const Contact *c = &d->contacts.data[f->contact];
	Pos center = d->bodies.data[c->body_b].pose.p;
	for (int i = 0; f->first != NONE && i < f->count; i++) {
		StoredManifold *m = &d->manifolds.data[c->first + f->first + i];
		for (int k = 0; k < m->count; k++) {
			StoredPoint *p = &m->points[k];
			p->impulse = 0.0f;
			if (p->total <= 0.0f)
				continue;
			Pos place = PosAdd(f->origin, f->places[i * MANIFOLD_POINTS + k]);
			p->separation = 0.0f;
			p->rb = PosSub(place, center);
		}
		m->friction_impulse = m->rolling_impulse = V3(0.0f, 0.0f, 0.0f);
		m->twist_impulse = m->lift = 0.0f;
	}
}

static void HoldAxis(double *place, float *velocity)
{
	double inside = ClampD(*place, -MAX_COORDINATE, MAX_COORDINATE);
	if (inside == *place)
		return;
	*place = inside;
	*velocity = 0.0f;
}

/* What comes to the end of the world stays there. */
static void HoldInWorld(Body *body)
{
	HoldAxis(&body->pose.p.x, &body->velocity.x);
	HoldAxis(&body->pose.p.y, &body->velocity.y);
	HoldAxis(&body->pose.p.z, &body->velocity.z);
}

/* Did some point of it go farther than its smallest half extent? */
static bool IsFar(const Body *body, const SolverBody *motion)
{
	Quat q = motion->turn;
	float shift = Length(motion->shift), sine = Length(V3(q.x, q.y, q.z));
	/* the angle is pi times the sine of its half at most */
	if (shift + 3.2f * sine * body->outer_radius <= body->inner_radius)
		return false;
	return shift + Length(RotationVector(q)) * body->outer_radius > body->inner_radius;
}

void Dynamics_Continuous(Dynamics *d)
{
	for (int i = 0; i < d->awake.count; i++) {
		Body *body = Awake_Body(d, i);
		const SolverBody *motion = &d->solver_bodies[i + 1];
		HoldInWorld(body);
		if (body->motion != MOTION_DYNAMIC)
			continue;
		if (IsFar(body, motion))
			SweepBody(d, body, motion, i < d->path_count ? &d->paths[i] : NULL);
	}
	for (int i = 0; i < d->foreseen_count; i++)
		Settle(d, &d->foreseen[i]);
}
