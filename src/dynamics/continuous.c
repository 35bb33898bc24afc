/* Continuous collision: a body that moved more than its smallest half extent in the step is held back where a ball
 * inside one of its parts would have crossed terrain or a static part. The ball is a little smaller than the part, so
 * sliding on a surface is no crossing: the contacts have dealt with all that stays outside. Velocity is kept; the
 * contact of the next step takes it up (the core shape is Box2D's idea). */
#include "dynamics/dynamics_internal.h"

#define CORE_DEPTH 0.02f /* m: how deep a fast part may be carried into a surface by one step */

typedef struct Sweep {
	Dynamics *dynamics;
	const Body *body;
	const Part *part;
	Shape core;  /* the ball inside the part */
	Pos origin;  /* of the common frame: the centre of mass at the start of the step */
	Xform from;  /* of the ball in that frame */
	Vec3 motion; /* of the ball in the step */
	float time;  /* first hit so far */
} Sweep;

static Shape CoreBall(const Part *part)
{
	float radius = Max(part->inner_radius - CORE_DEPTH, 0.5f * part->inner_radius);
	return (Shape){.kind = SHAPE_BALL, .radius = radius};
}

static void MeetTriangle(Sweep *sweep, const Triangle *triangle)
{
	CastHit hit;
	if (Collide_CastTriangle(triangle, &sweep->core, sweep->from, sweep->motion, 0.0f, &hit) && !hit.inside)
		sweep->time = Min(sweep->time, hit.fraction);
}

static bool MeetPart(void *context, int32_t user)
{
	Sweep *sweep = context;
	Dynamics *d = sweep->dynamics;
	if (!Parts_ShouldCollide(d, user, sweep->body->first_part + sweep->part->index))
		return true;
	const Part *other = &d->parts.data[user];
	Pose pose = Part_Pose(d, other);
	Xform placement = {PosSub(pose.p, sweep->origin), pose.q};
	CastHit hit;
	if (Part_IsMesh(other)) {
		if (Collide_CastMesh(other->def.shape.mesh, placement, &sweep->core, sweep->from, sweep->motion, 0.0f, false,
		                     &hit))
			sweep->time = Min(sweep->time, hit.fraction);
		return true;
	}
	if (Collide_Cast(&other->def.shape, placement, &sweep->core, sweep->from, sweep->motion, 0.0f, &hit) && !hit.inside)
		sweep->time = Min(sweep->time, hit.fraction);
	return true;
}

static void SweepPart(Sweep *sweep, TriangleList *triangles)
{
	Dynamics *d = sweep->dynamics;
	Box start = BoxGrow((Box){sweep->from.p, sweep->from.p}, sweep->core.radius + SLOP);
	Box box = BoxUnion(start, (Box){Add(start.lo, sweep->motion), Add(start.hi, sweep->motion)});
	WorldBox world_box = {PosAdd(sweep->origin, box.lo), PosAdd(sweep->origin, box.hi)};
	BoxTree_Query(&d->fixed_tree, world_box, MeetPart, sweep);
	triangles->items.count = 0;
	/* out of memory: it stays where it was, which is safe */
	if (!Terrain_Gather(d->terrain, world_box, sweep->origin, false, triangles))
		sweep->time = 0.0f;
	for (int i = 0; i < triangles->items.count; i++)
		MeetTriangle(sweep, &triangles->items.data[i]);
}

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

static Vec3 CoreCenter(const Part *part, Quat rotation)
{
	return Rotate(rotation, XformPoint(part->local, Part_LocalMiddle(part)));
}

static void SweepBody(Dynamics *d, Body *body, const SolverBody *motion)
{
	Quat end = body->pose.q;
	Quat start = QuatMul(QuatConj(motion->turn), end);
	Sweep sweep = {.dynamics = d, .body = body, .time = 1.0f};
	sweep.origin = PosAdd(body->pose.p, Neg(motion->shift));
	for (int i = 0; i < body->part_count; i++) {
		const Part *part = &d->parts.data[body->first_part + i];
		sweep.part = part;
		sweep.core = CoreBall(part);
		sweep.from = (Xform){CoreCenter(part, start), QuatIdentity()};
		sweep.motion = Sub(Add(motion->shift, CoreCenter(part, end)), sweep.from.p);
		SweepPart(&sweep, &d->workers[0].triangles);
	}
	if (sweep.time >= 1.0f)
		return;
	Vec3 turn = RotationVector(motion->turn);
	float angle = Length(turn);
	Quat part_way =
	    angle > 0.0f ? Quat_FromAxisAngle(Scale(1.0f / angle, turn), (double)(sweep.time * angle)) : QuatIdentity();
	body->pose.p = PosAdd(sweep.origin, Scale(sweep.time, motion->shift));
	body->pose.q = QuatNormalize(QuatMul(part_way, start));
	body->spin.holds = false;
}

void Dynamics_Continuous(Dynamics *d)
{
	for (int i = 0; i < d->awake.count; i++) {
		Body *body = &d->bodies.data[d->awake.data[i]];
		const SolverBody *motion = &d->solver_bodies[i + 1];
		if (body->motion != MOTION_DYNAMIC)
			continue;
		float moved = Length(motion->shift) + Length(RotationVector(motion->turn)) * body->outer_radius;
		if (moved > body->inner_radius)
			SweepBody(d, body, motion);
	}
}
