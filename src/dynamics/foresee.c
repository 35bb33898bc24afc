/* Fast bodies: contacts of a step where they will be when they come about.
 *
 * A body that goes farther in a step than half of its smallest extent could pass through things between two looks. So
 * its way is swept before the step is solved, and the contact at the time of impact is given to the solver as one that
 * is still apart by what the two have to go: it closes the gap in the substep in which that happens, and bounce,
 * friction, what the other side receives, waking and events are those of any contact. Only the first impact on a way is
 * foreseen, since what follows goes another way; continuous.c holds back what that would cross.
 */
#include "dynamics/dynamics_internal.h"

#define TARGET (0.5f * SLOP)      /* m: a swept shape stops this much before the other */
#define SAME_IMPACT (2.0f * SLOP) /* m on the way: impacts so near to the first one come with it */
#define SAME_PLANE 0.98f          /* cosine: a contact at hand with such a normal takes the same impact up */

/* ---- ways -------------------------------------------------------------------------------------------------------- */

/* One ball about the centre, which does not get anywhere by turning. */
static bool IsLoneBall(const Body *body)
{
	return body->inner_radius == body->outer_radius;
}

static Path PathOf(const Dynamics *d, const Body *body, float dt)
{
	Vec3 velocity = body->velocity;
	if (body->motion == MOTION_DYNAMIC) {
		/* the mean speed over the substeps, which take gravity up one by one */
		float part = 0.5f * (1.0f + 1.0f / (float)d->substeps) * dt;
		velocity =
		    MulAdd(velocity, part, MulAdd(Scale(body->gravity_scale, d->gravity), body->inverse_mass, body->force));
	}
	Path path = {.shift = Scale(dt, velocity), .turn = Scale(dt, body->angular_velocity), .bend = 1.0f};
	float turn = IsLoneBall(body) ? 0.0f : Length(path.turn);
	path.travel = Length(path.shift) + turn * body->outer_radius;
	path.fast = path.travel > body->inner_radius;
	return path;
}

ShapeSweep Part_Sweep(const Dynamics *d, const Part *part, Pos origin, Vec3 shift, Vec3 turn)
{
	const Body *body = &d->bodies.data[part->body];
	Vec3 pivot = PosSub(body->pose.p, origin);
	Xform start = {Add(pivot, Rotate(body->pose.q, part->local.p)), QuatMul(body->pose.q, part->local.q)};
	return (ShapeSweep){.start = start, .pivot = pivot, .shift = shift, .turn = turn};
}

WorldBox Part_SweptBox(const Dynamics *d, const Part *part, Vec3 shift, Vec3 turn)
{
	WorldBox box = Part_Box(d, part);
	if (LengthSq(turn) > 0.0f && (part->def.shape.kind != SHAPE_BALL || LengthSq(part->local.p) > 0.0f)) {
		Pos center = d->bodies.data[part->body].pose.p;
		double reach = (double)(Length(part->local.p) + part->outer_radius);
		box = WorldBoxGrow((WorldBox){center, center}, reach);
	}
	return WorldBoxUnion(box, (WorldBox){PosAdd(box.lo, shift), PosAdd(box.hi, shift)});
}

typedef struct ReachJob {
	Dynamics *dynamics;
	float dt;
	uint8_t *leaves; /* per place in awake: in this step a part gets out of its box in the tree */
} ReachJob;

/* `need`: the box that all of its way takes. */
static bool LeavesOnWay(const Dynamics *d, const Path *path, int slot, WorldBox *need)
{
	*need = WorldBoxGrow(Part_SweptBox(d, &d->parts.data[slot], path->shift, path->turn), (double)SPECULATIVE_DISTANCE);
	return !WorldBoxContains(d->fat_boxes.data[slot], *need);
}

static void FindReachers(void *context, int begin, int end, int worker)
{
	(void)worker;
	const ReachJob *job = context;
	const Dynamics *d = job->dynamics;
	for (int i = begin; i < end; i++) {
		const Body *body = Awake_Body(job->dynamics, i);
		Path path = PathOf(d, body, job->dt);
		WorldBox need;
		job->leaves[i] = false;
		for (int k = body->first_part; k < body->first_part + body->part_count && path.fast && !job->leaves[i]; k++)
			job->leaves[i] = LeavesOnWay(d, &path, k, &need);
	}
}

static void ReachOut(Dynamics *d, const Body *body, float dt)
{
	Path path = PathOf(d, body, dt);
	for (int k = body->first_part; k < body->first_part + body->part_count && path.fast; k++) {
		WorldBox need;
		if (!LeavesOnWay(d, &path, k, &need))
			continue;
		/* for two steps, so that it moves in the tree every other one */
		WorldBox later = {PosAdd(need.lo, path.shift), PosAdd(need.hi, path.shift)};
		Part_MoveInTree(d, k, WorldBoxGrow(WorldBoxUnion(need, later), (double)BOX_MARGIN));
	}
}

void Dynamics_ReachAhead(Dynamics *d, float dt)
{
	ReachJob job = {d, dt, Arena_Array(&d->arena, uint8_t, d->awake.count)};
	int count = 0;
	if (job.leaves) { /* else all are looked at here */
		TaskPool_For(d->tasks, d->awake.count, 128, FindReachers, &job);
		for (int i = 0; i < d->awake.count; i++)
			count += job.leaves[i];
	}
	Parts_BeginMoves(d, count);
	for (int i = 0; i < d->awake.count; i++)
		if (!job.leaves || job.leaves[i])
			ReachOut(d, &d->bodies.data[d->awake.data[i]], dt);
	Parts_EndMoves(d);
}

/* ---- contacts at hand -------------------------------------------------------------------------------------------- */

static const Path *PathAt(const Dynamics *d, int slot)
{
	int place = slot == NONE ? NONE : d->bodies.data[slot].awake_place;
	return place == NONE ? NULL : &d->paths[place];
}

/* How far the two sides of a point come along the normal over the step; < 0: nearer. The manifold is followed. */
static float Closing(const Path *a, const Path *b, const StoredManifold *m, const StoredPoint *p)
{
	Vec3 way = {0.0f, 0.0f, 0.0f};
	if (b)
		way = Add(b->shift, Cross(b->turn, p->rb));
	if (a)
		way = Sub(way, Add(a->shift, Cross(a->turn, p->made_rb)));
	return Dot(m->normal, way);
}

static void FollowManifold(Contact *c, StoredManifold *m)
{
	if (m->haste)
		return;
	m->haste = HASTE_FOLLOW;
	for (int k = 0; k < m->count; k++)
		m->points[k].made_rb = Sub(m->points[k].rb, c->between);
	c->made.holds = false;
}

/* What a fast body touches turns its way along the surface; what it comes to within the step ends it, unless it is
 * swept to find out when. */
static void MeetAtHand(Dynamics *d, Contact *c, int side, bool swept, float dt)
{
	const Path *a = PathAt(d, c->body_a), *b = PathAt(d, c->body_b);
	Path *own = &d->paths[d->bodies.data[side ? c->body_b : c->body_a].awake_place];
	bool fixed = c->body_a == NONE || d->bodies.data[side ? c->body_a : c->body_b].motion != MOTION_DYNAMIC;
	for (int i = 0; i < c->count; i++) {
		StoredManifold *m = &d->manifolds.data[c->first + i];
		bool touches = false;
		FollowManifold(c, m);
		for (int k = 0; k < m->count; k++) {
			StoredPoint *p = &m->points[k];
			float closing = Closing(a, b, m, p), separation = p->separation;
			if (fixed && separation > 0.0f) {
				/* on the surfaces: a point half way between would be carried round by a fast turn */
				p->made_rb = MulSub(p->made_rb, 0.5f * separation, m->normal);
				p->rb = MulAdd(p->rb, 0.5f * separation, m->normal);
			}
			touches = touches || separation <= SLOP;
			if (closing < -RESTITUTION_THRESHOLD * dt)
				m->haste |= HASTE_BLOW;
			if (!swept && separation > SLOP && separation + closing < 0.0f)
				own->bend = Min(own->bend, -separation / closing);
		}
		float into = Dot(m->normal, own->shift) * (side ? 1.0f : -1.0f);
		if (touches && fixed && into < 0.0f)
			own->shift = MulSub(own->shift, side ? into : -into, m->normal);
	}
}

static bool Touches(const StoredManifold *m)
{
	for (int k = 0; k < m->count; k++)
		if (m->points[k].separation <= SLOP)
			return true;
	return false;
}

/* Will a contact that touches already take up an impact along this normal at this time? */
static bool IsTakenUp(const Dynamics *d, const Contact *c, Vec3 normal, float time)
{
	const Path *a = PathAt(d, c->body_a), *b = PathAt(d, c->body_b);
	for (int i = 0; i < c->count; i++) {
		const StoredManifold *m = Contact_Manifold(d, c, i);
		if (!m->haste || Dot(m->normal, normal) < SAME_PLANE || !Touches(m))
			continue;
		for (int k = 0; k < m->count; k++)
			if (m->points[k].separation + time * Closing(a, b, m, &m->points[k]) <= SLOP)
				return true;
	}
	return false;
}

/* ---- impacts ----------------------------------------------------------------------------------------------------- */

/* A point of a swept shape at a time, brought back to time 0. */
static Vec3 BringBack(const ShapeSweep *sweep, float time, Vec3 point)
{
	Vec3 arm = Sub(point, MulAdd(sweep->pivot, time, sweep->shift));
	float angle = Length(sweep->turn);
	if (angle > 0.0f)
		arm = InvRotate(Quat_FromAxisAngle(Scale(1.0f / angle, sweep->turn), (double)(time * angle)), arm);
	return Add(sweep->pivot, arm);
}

/* From a manifold at the time of impact to one of the step's start. The rounding of a ball or capsule does not turn. */
static void Translate(const Manifold *from, const ShapeSweep *a, float radius_a, const ShapeSweep *b, float radius_b,
                      float time, StoredManifold *m, Vec3 *places)
{
	*m = (StoredManifold){.normal = from->normal, .count = from->count, .material = from->material};
	m->haste = HASTE_FOLLOW | HASTE_BLOW | HASTE_FORESEEN;
	for (int k = 0; k < from->count; k++) {
		const ManifoldPoint *p = &from->points[k];
		Vec3 on_a = MulSub(p->point, 0.5f * p->separation, from->normal);
		Vec3 on_b = MulAdd(p->point, 0.5f * p->separation, from->normal);
		on_a = MulAdd(BringBack(a, time, MulSub(on_a, radius_a, from->normal)), radius_a, from->normal);
		on_b = MulSub(BringBack(b, time, MulAdd(on_b, radius_b, from->normal)), radius_b, from->normal);
		m->points[k] = (StoredPoint){.made_rb = Sub(on_a, a->pivot),
		                             .rb = Sub(on_b, b->pivot),
		                             .separation = Dot(from->normal, Sub(on_b, on_a)),
		                             .id = p->id};
		places[k] = p->point;
	}
}

static bool Fill(Dynamics *d, Foreseen *f, Worker *worker, const Manifold *found, int count, const ShapeSweep *a,
                 const ShapeSweep *b)
{
	const Contact *c = &d->contacts.data[f->contact];
	const Part *part_a = c->part_a == NONE ? NULL : &d->parts.data[c->part_a], *part_b = &d->parts.data[c->part_b];
	f->manifolds = Arena_Array(&worker->arena, StoredManifold, count);
	f->places = Arena_Array(&worker->arena, Vec3, count * MANIFOLD_POINTS);
	if (!f->manifolds || !f->places)
		return false;
	for (int i = 0; i < count; i++) {
		if (found[i].count == 0 || IsTakenUp(d, c, found[i].normal, f->time))
			continue;
		float radius_a = part_a ? Part_Rounding(d, part_a, found[i].normal) : 0.0f;
		float radius_b = Part_Rounding(d, part_b, found[i].normal);
		Translate(&found[i], a, radius_a, b, radius_b, f->time, &f->manifolds[f->count],
		          &f->places[f->count * MANIFOLD_POINTS]);
		f->count++;
	}
	return true;
}

static ShapeSweep SweepOf(const Dynamics *d, const Part *part, Pos origin)
{
	const Path *path = PathAt(d, part->body);
	Vec3 still = {0.0f, 0.0f, 0.0f};
	return Part_Sweep(d, part, origin, path ? path->shift : still, path ? path->turn : still);
}

static bool MeetPart(Dynamics *d, Foreseen *f, float dt, Worker *worker)
{
	const Contact *c = &d->contacts.data[f->contact];
	const Part *a = &d->parts.data[c->part_a], *b = &d->parts.data[c->part_b];
	ShapeSweep sweep_a = SweepOf(d, a, f->origin), sweep_b = SweepOf(d, b, f->origin);
	const Shape *shape_a = &a->def.shape, *shape_b = &b->def.shape;
	float time;
	if (!Collide_SweptImpact(shape_a, &sweep_a, shape_b, &sweep_b, TARGET, &time) || time <= 0.0f)
		return true;
	f->time = time;
	Manifold manifold;
	float margin = Part_Margin(d, c->part_a, c->part_b, dt);
	Collide_Shapes(shape_a, ShapeSweep_At(&sweep_a, time), shape_b, ShapeSweep_At(&sweep_b, time), margin, &manifold);
	return Fill(d, f, worker, &manifold, manifold.count > 0, &sweep_a, &sweep_b);
}

/* Of the blocks of a terrain pair, or of a mesh. */
static bool Gather(Dynamics *d, const Foreseen *f, WorldBox box, Pos origin, TriangleList *triangles)
{
	triangles->items.count = 0;
	if (f->terrain_pair == NONE) {
		const Part *mesh = &d->parts.data[d->contacts.data[f->contact].part_a];
		return Trimesh_Gather(mesh->def.shape.mesh, Part_Pose(d, mesh), origin, box, d->memory, triangles);
	}
	const TerrainPair *pair = &d->terrain_pairs.data[f->terrain_pair];
	for (int i = 0; i < pair->count; i++) {
		const BlockHit *hit = &d->block_hits.items.data[pair->first + i];
		if (hit->solid && !Terrain_Triangles(d->terrain, hit->record, box, origin, d->memory, triangles))
			return false;
	}
	return true;
}

static bool MeetTriangles(Dynamics *d, Foreseen *f, float dt, Worker *worker)
{
	const Contact *c = &d->contacts.data[f->contact];
	const Part *part = &d->parts.data[c->part_b];
	const Shape *shape = &part->def.shape;
	ShapeSweep sweep = SweepOf(d, part, f->origin), ground = {.start = XformIdentity()};
	WorldBox way = WorldBoxGrow(Part_SweptBox(d, part, sweep.shift, sweep.turn), (double)SLOP);
	TriangleList *triangles = &worker->triangles;
	if (!Gather(d, f, way, f->origin, triangles))
		return false;
	float first = 2.0f, time;
	for (int i = 0; i < triangles->items.count; i++) {
		const Triangle *triangle = &triangles->items.data[i];
		if (Collide_TriangleSweptImpact(triangle, shape, &sweep, TARGET, &time) && time > 0.0f)
			first = Min(first, time);
	}
	if (first > 1.0f)
		return true;
	f->time = first;
	Xform then = ShapeSweep_At(&sweep, first);
	float margin = Part_Margin(d, c->part_a, c->part_b, dt);
	Box box = BoxGrow(Shape_Bounds(shape, then), margin);
	Manifold manifolds[FRESH_LIMIT];
	if (!Gather(d, f, (WorldBox){PosAdd(f->origin, box.lo), PosAdd(f->origin, box.hi)}, f->origin, triangles))
		return false;
	ArenaMark mark = Arena_Mark(&worker->arena);
	int count = Collide_Triangles(triangles->items.data, triangles->items.count, shape, then, margin, NULL, true,
	                              &worker->arena, manifolds, FRESH_LIMIT, NULL);
	Arena_Release(&worker->arena, mark);
	return count >= 0 && Fill(d, f, worker, manifolds, count, &ground, &sweep);
}

typedef struct ForeseeJob {
	Dynamics *dynamics;
	float dt;
} ForeseeJob;

static void ForeseeRange(void *context, int begin, int end, int worker_index)
{
	const ForeseeJob *job = context;
	Dynamics *d = job->dynamics;
	Worker *worker = &d->workers[worker_index];
	for (int i = begin; i < end && !worker->failed; i++) {
		Foreseen *f = &d->foreseen[i];
		int a = d->contacts.data[f->contact].part_a;
		bool triangles = a == NONE || Part_IsMesh(&d->parts.data[a]);
		worker->failed = !(triangles ? MeetTriangles : MeetPart)(d, f, job->dt, worker);
	}
}

/* ---- the stage --------------------------------------------------------------------------------------------------- */

/* Immovable and kinematic things are always looked at, other moving ones where one of the two is a bullet. A pair of
 * two fast ones is listed from its second side. */
static bool IsForeseeable(const Dynamics *d, const Contact *c, int side)
{
	if (c->part_a == NONE)
		return false; /* by its terrain pair */
	const Body *own = &d->bodies.data[side ? c->body_b : c->body_a];
	const Body *other = &d->bodies.data[side ? c->body_a : c->body_b];
	if (side == 0 && Body_IsAwake(other) && d->paths[other->awake_place].fast)
		return false;
	return own->motion != MOTION_DYNAMIC || other->motion != MOTION_DYNAMIC || own->bullet || other->bullet;
}

static void Note(Dynamics *d, int contact, int terrain_pair)
{
	int body = d->contacts.data[contact].body_b;
	d->foreseen[d->foreseen_count++] = (Foreseen){.contact = contact,
	                                              .terrain_pair = terrain_pair,
	                                              .time = 2.0f,
	                                              .origin = d->bodies.data[body].pose.p,
	                                              .first = NONE};
}

/* Lists what is to be swept. */
static bool List(Dynamics *d, float dt)
{
	int room = d->terrain_pairs.count;
	for (int i = 0; i < d->path_count; i++)
		if (d->paths[i].fast)
			room += d->bodies.data[d->awake.data[i]].contact_count;
	d->foreseen = Arena_Array(&d->arena, Foreseen, room);
	if (!d->foreseen)
		return false;
	for (int i = 0; i < d->path_count; i++) {
		const Body *body = &d->bodies.data[d->awake.data[i]];
		for (int link = body->contacts; d->paths[i].fast && link != NONE;
		     link = d->contacts.data[link >> 1].link[link & 1].next) {
			Contact *c = &d->contacts.data[link >> 1];
			bool swept = IsForeseeable(d, c, link & 1);
			if (body->motion == MOTION_DYNAMIC)
				MeetAtHand(d, c, link & 1, swept || c->part_a == NONE, dt);
			if (swept)
				Note(d, link >> 1, NONE);
		}
	}
	for (int i = 0; i < d->terrain_pairs.count; i++) {
		const TerrainPair *pair = &d->terrain_pairs.data[i];
		const Path *path = PathAt(d, d->parts.data[pair->part].body); /* none: it was probed and sleeps on */
		if (!pair->sunk && path && path->fast)
			Note(d, pair->contact, i);
	}
	return true;
}

/* Does a dynamic body's free way end clearly before this time? */
static bool IsTooLate(const Dynamics *d, int slot, float time)
{
	const Path *path = PathAt(d, slot);
	bool moves = path && d->bodies.data[slot].motion == MOTION_DYNAMIC;
	return moves && (time - path->bend) * path->travel > SAME_IMPACT;
}

static void Bend(Dynamics *d, int slot, float time)
{
	if (slot != NONE && Body_IsAwake(&d->bodies.data[slot])) {
		Path *path = &d->paths[d->bodies.data[slot].awake_place];
		path->bend = Min(path->bend, time);
	}
}

/* What is foreseen takes the place of manifolds that were made early: they are as near features say, not as the way
 * goes. */
static void DropEarly(Dynamics *d, Contact *c)
{
	int kept = 0;
	StoredManifold *m = &d->manifolds.data[c->first];
	for (int i = 0; i < c->count; i++)
		if (Touches(&m[i]))
			m[kept++] = m[i];
	c->count = kept;
}

static bool Keep(Dynamics *d, Foreseen *f)
{
	Contact *c = &d->contacts.data[f->contact];
	if (f->count == 0 || IsTooLate(d, c->body_a, f->time) || IsTooLate(d, c->body_b, f->time))
		return true;
	int count = Int_Min(f->count, FRESH_LIMIT - c->count);
	if (!Contact_Resize(d, c, c->count + count))
		return false;
	DropEarly(d, c);
	c->made.holds = false;
	Awake_SetMatters(d, c->awake_place);
	d->pairs.data[f->contact].quiet = false;
	f->first = c->count;
	f->count = count;
	for (int i = 0; i < count; i++) {
		StoredManifold *m = &d->manifolds.data[c->first + c->count++];
		*m = f->manifolds[i];
		Manifold_SetSurface(d, c, m);
	}
	return true;
}

static int OrderForeseen(const void *a, const void *b)
{
	const Foreseen *x = a, *y = b;
	return x->contact != y->contact ? (x->contact > y->contact) - (x->contact < y->contact)
	                                : (x->terrain_pair > y->terrain_pair) - (x->terrain_pair < y->terrain_pair);
}

static void FindPaths(void *context, int begin, int end, int worker)
{
	(void)worker;
	const ForeseeJob *job = context;
	Dynamics *d = job->dynamics;
	for (int i = begin; i < end; i++) {
		Body *body = Awake_Body(d, i);
		if (i + FETCH_AHEAD < end)
			Fetch(&d->bodies.data[d->awake.data[i + FETCH_AHEAD]].before,
			      offsetof(Body, net_linear) - offsetof(Body, before));
		body->before = body->pose;
		body->moved_in = d->steps;
		d->paths[i] = PathOf(d, body, job->dt);
	}
}

bool Dynamics_Foresee(Dynamics *d, float dt)
{
	bool any = false;
	d->foreseen_count = 0;
	d->path_count = d->awake.count;
	d->paths = Arena_Array(&d->arena, Path, d->awake.count);
	if (!d->paths)
		return false;
	ForeseeJob job = {d, dt};
	TaskPool_For(d->tasks, d->awake.count, 128, FindPaths, &job);
	for (int i = 0; i < d->awake.count && !any; i++)
		any = d->paths[i].fast;
	if (!any)
		return true;
	if (!List(d, dt))
		return false;
	if (d->foreseen_count > 1)
		qsort(d->foreseen, (size_t)d->foreseen_count, sizeof *d->foreseen, OrderForeseen);
	TaskPool_For(d->tasks, d->foreseen_count, 8, ForeseeRange, &job);
	for (int i = 0; i < d->worker_count; i++)
		if (d->workers[i].failed)
			return false;
	for (int i = 0; i < d->foreseen_count; i++) {
		const Foreseen *f = &d->foreseen[i];
		if (f->time > 1.0f)
			continue;
		Bend(d, d->contacts.data[f->contact].body_a, f->time);
		Bend(d, d->contacts.data[f->contact].body_b, f->time);
	}
	for (int i = 0; i < d->foreseen_count; i++)
		if (!Keep(d, &d->foreseen[i]))
			return false;
	return true;
}
