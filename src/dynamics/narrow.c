/* Narrowphase: manifolds for every awake contact. Those of parts that have hardly moved against each other are kept
 * (keep.c); the others are made anew. Each contact is one worker's alone; what does not fit into its place is stored
 * afterwards, in the order of contacts. */
#include "dynamics/dynamics_internal.h"

/* ---- how far ahead to look --------------------------------------------------------------------------------------- */

static float TravelSpeed(const Dynamics *d, int slot, const Part *part)
{
	const Body *body = &d->bodies.data[slot];
	return Length(body->angular_velocity) * (Length(part->local.p) + part->outer_radius);
}

/* Contacts are made a step's motion early, so that the solver stops a body at the surface rather than in it; but not so
 * early that a body would meet what it is only passing. */
float Part_Margin(const Dynamics *d, int part_a, int part_b, float dt)
{
	const Part *b = &d->parts.data[part_b];
	Vec3 velocity = d->bodies.data[b->body].velocity;
	float speed = TravelSpeed(d, b->body, b);
	float reach = b->outer_radius; /* the ground and meshes have one side: early contact does no harm */
	if (part_a != NONE) {
		const Part *a = &d->parts.data[part_a];
		velocity = Sub(velocity, d->bodies.data[a->body].velocity);
		speed += TravelSpeed(d, a->body, a);
		if (!Part_IsMesh(a))
			reach = Min(b->inner_radius, a->inner_radius);
	}
	/* twice: what hits with one end swings its other end down faster than it came */
	float margin = 2.0f * (Length(velocity) + speed) * dt;
	return Max(SPECULATIVE_DISTANCE, Min(margin, reach));
}

/* ---- computing --------------------------------------------------------------------------------------------------- */

/* Both shapes in world axes, from the centre of B: the frame in which manifolds are made and kept. */
static Xform Placement(const Dynamics *d, const Part *part, Pos origin)
{
	const Body *body = &d->bodies.data[part->body];
	Vec3 center = PosSub(body->pose.p, origin);
	return (Xform){Add(center, Rotate(body->pose.q, part->local.p)), QuatMul(body->pose.q, part->local.q)};
}

/* What cannot move is met as A, from the centre of what can, whichever was there first: the points are the same then.
 */
static void CollideParts(Dynamics *d, const Contact *c, float margin, Manifold *manifold)
{
	const Part *a = &d->parts.data[c->part_a], *b = &d->parts.data[c->part_b];
	bool turned = d->bodies.data[c->body_b].motion != MOTION_DYNAMIC;
	Pos origin = d->bodies.data[turned ? c->body_a : c->body_b].pose.p;
	Xform at_a = Placement(d, a, origin), at_b = Placement(d, b, origin);
	if (!turned) {
		Collide_Shapes(&a->def.shape, at_a, &b->def.shape, at_b, margin, manifold);
		return;
	}
	Collide_Shapes(&b->def.shape, at_b, &a->def.shape, at_a, margin, manifold);
	Vec3 way = PosSub(origin, d->bodies.data[c->body_b].pose.p);
	manifold->normal = Neg(manifold->normal);
	for (int k = 0; k < manifold->count; k++)
		manifold->points[k].point = Add(manifold->points[k].point, way);
}

/* A buried part is pushed towards the air at the solver's bounded speed, by a point in its middle. What is all around
 * it holds it against all other motion (Manifold_SetSurface): nothing falls or slides through solid ground. */
static int PushOut(const Dynamics *d, const Part *part, Vec3 out, float depth, Manifold *manifold)
{
	Vec3 middle = PosSub(Part_Middle(d, part), d->bodies.data[part->body].pose.p);
	*manifold = (Manifold){.normal = out, .count = 1, .material = MATERIAL_AIR};
	manifold->points[0] =
	    (ManifoldPoint){.point = middle, .separation = -depth - part->inner_radius, .id = BURIED_POINT};
	return 1;
}

/* A part against the triangles of worker->triangles, relative to its body's centre. `touched`: see Collide_Triangles.
 */
static int CollideTriangles(const Dynamics *d, const Part *part, float margin, float dt, Worker *worker,
                            Manifold *manifolds, uint8_t *touched)
{
	const Body *body = &d->bodies.data[part->body];
	Xform placement = Placement(d, part, body->pose.p);
	ShapeMotion motion = {Scale(dt, PointVelocity(body, placement.p)), Scale(dt, body->angular_velocity)};
	return Collide_Triangles(worker->triangles.items.data, worker->triangles.items.count, &part->def.shape, placement,
	                         margin, &motion, !d->raw_edges, &worker->arena, manifolds, FRESH_LIMIT, touched);
}

/* What is wholly in the solid of a closed mesh, where no face is met. */
static int LeaveMesh(const Dynamics *d, const Part *mesh, const Part *part, Manifold *manifold)
{
	Pose pose = Part_Pose(d, mesh);
	Vec3 out;
	float depth;
	if (!Trimesh_WayOut(mesh->def.shape.mesh, PoseInvPoint(pose, Part_Middle(d, part)), &out, &depth))
		return 0;
	return PushOut(d, part, Rotate(pose.q, out), depth, manifold);
}

static int CollideMesh(const Dynamics *d, const Contact *c, float margin, float dt, Worker *worker, Manifold *manifolds)
{
	const Part *mesh = &d->parts.data[c->part_a], *part = &d->parts.data[c->part_b];
	WorldBox box = WorldBoxGrow(Part_Box(d, part), (double)margin);
	worker->triangles.items.count = 0;
	if (!Trimesh_Gather(mesh->def.shape.mesh, Part_Pose(d, mesh), d->bodies.data[c->body_b].pose.p, box, d->memory,
	                    &worker->triangles))
		return NONE;
	int count = 0;
	if (worker->triangles.items.count > 0)
		count = CollideTriangles(d, part, margin, dt, worker, manifolds, NULL);
	return count == 0 ? LeaveMesh(d, mesh, part, manifolds) : count;
}

/* Which blocks' triangles made points: `ends` says up to which triangle each of the pair's blocks reaches. */
static void NotePoints(Dynamics *d, const TerrainPair *pair, const int *ends, const uint8_t *touched)
{
	int triangle = 0;
	for (int i = 0; i < pair->count; i++) {
		bool any = false;
		for (; triangle < ends[i]; triangle++)
			any = any || touched[triangle];
		if (any)
			Ground_NotePoint(d, pair, i);
	}
}

/* Distance of the point from the triangle's plane, or from its box if that is farther: no more than from it. */
static float DistanceAtLeast(const Triangle *t, Vec3 p)
{
	Vec3 n = Cross(Sub(t->v[1], t->v[0]), Sub(t->v[2], t->v[0]));
	Vec3 lo = MinV(t->v[0], MinV(t->v[1], t->v[2])), hi = MaxV(t->v[0], MaxV(t->v[1], t->v[2]));
	Vec3 gap = MaxV(MaxV(Sub(lo, p), Sub(p, hi)), V3(0.0f, 0.0f, 0.0f));
	float square = LengthSq(n), height = square > 0.0f ? Abs(Dot(n, Sub(p, t->v[0]))) / Sqrt(square) : 0.0f;
	return Max(height, Length(gap));
}

/* The part's middle is in the air; all triangles in the box are at hand. */
static void NoteClear(const Dynamics *d, Part *part, WorldBox box, const TriangleList *triangles)
{
	Pos middle = Part_Middle(d, part);
	Vec3 p = PosSub(middle, d->bodies.data[part->body].pose.p);
	Vec3 below = PosSub(middle, box.lo), above = PosSub(box.hi, middle);
	float radius = Min(Min(Min(below.x, below.y), below.z), Min(Min(above.x, above.y), above.z));
	for (int i = 0; i < triangles->items.count; i++)
		radius = Min(radius, DistanceAtLeast(&triangles->items.data[i], p));
	/* what is asked exactly is the point rounded to a small part of a cell */
	radius = 0.99f * radius - 1e-3f * (float)Terrain_CellSize(d->terrain);
	part->clear_at = middle;
	part->clear_radius = Max(radius, 0.0f);
	part->clear_version = d->ground_version;
}

static int CollideTerrain(Dynamics *d, const TerrainPair *pair, float margin, float dt, Worker *worker,
                          Manifold *manifolds)
{
	Part *part = &d->parts.data[pair->part];
	Pos origin = d->bodies.data[part->body].pose.p;
	WorldBox box = WorldBoxGrow(Part_Box(d, part), (double)margin);
	if (pair->sunk)
		return PushOut(d, part, pair->out, pair->depth, manifolds);
	worker->triangles.items.count = 0;
	int *ends = Arena_Array(&worker->arena, int, pair->count);
	if (!ends)
		return NONE;
	for (int i = 0; i < pair->count; i++) {
		const BlockHit *hit = &d->block_hits.items.data[pair->first + i];
		if (hit->solid && !Terrain_Triangles(d->terrain, hit->record, box, origin, d->memory, &worker->triangles))
			return NONE;
		ends[i] = worker->triangles.items.count;
	}
	int triangles = worker->triangles.items.count;
	if (pair->asked)
		NoteClear(d, part, box, &worker->triangles);
	if (triangles == 0)
		return 0;
	uint8_t *touched = Arena_Array(&worker->arena, uint8_t, triangles);
	if (!touched)
		return NONE;
	int count = CollideTriangles(d, part, margin, dt, worker, manifolds, touched);
	if (count > 0)
		NotePoints(d, pair, ends, touched);
	return count;
}

/* ---- storing ----------------------------------------------------------------------------------------------------- */

void Manifold_SetSurface(const Dynamics *d, const Contact *c, StoredManifold *m)
{
	const PartDef *b = &d->parts.data[c->part_b].def;
	float friction, restitution, rolling;
	if (c->part_a != NONE) {
		const PartDef *a = &d->parts.data[c->part_a].def;
		friction = a->friction, restitution = a->restitution, rolling = a->rolling;
	} else {
		const Material *ground = &d->materials->items[m->material];
		friction = ground->friction, restitution = ground->restitution, rolling = ground->rolling;
	}
	/* a pair's friction is the geometric mean (either side at 0 slides), its bounce and rolling resistance the larger
	 */
	m->friction = Sqrt(friction * b->friction);
	m->restitution = Max(restitution, b->restitution);
	const Part *part_a = c->part_a == NONE ? NULL : &d->parts.data[c->part_a], *part_b = &d->parts.data[c->part_b];
	m->radius_a = part_a ? Part_Rounding(d, part_a, m->normal) : 0.0f;
	m->radius_b = Part_Rounding(d, part_b, m->normal);
	float lever = part_a ? Part_RollingRadius(d, part_a, m->normal) : 0.0f;
	m->rolling = Max(rolling, b->rolling) * Max(lever, Part_RollingRadius(d, part_b, m->normal));
	if (Manifold_IsBuried(m)) {
		m->friction = BURIED_GRIP;
		m->restitution = 0.0f;
		m->rolling = BURIED_GRIP * part_b->inner_radius;
	}
}

#define SAME_DIRECTION 0.8f /* cosine: manifolds may trade points when the ground's facets regroup */
#define SAME_FACE 0.98f     /* cosine */
#define SAME_PLACE 0.02f    /* m: a point that lost its id is still the same contact this near */

typedef struct OldPoint {
	const StoredManifold *manifold;
	StoredPoint *point;
} OldPoint;

/* The point of the last step that a new one continues: of the same id, or else the nearest. */
static OldPoint FindOld(StoredManifold *old, int old_count, Vec3 normal, const StoredPoint *p)
{
	OldPoint best = {NULL, NULL};
	float nearest = SAME_PLACE * SAME_PLACE;
	for (int i = 0; i < old_count; i++) {
		if (Dot(old[i].normal, normal) < SAME_DIRECTION)
			continue;
		for (int j = 0; j < old[i].count; j++) {
			StoredPoint *q = &old[i].points[j];
			if (q->impulse <= 0.0f)
				continue;
			if (q->id == p->id)
				return (OldPoint){&old[i], q};
			float square = LengthSq(Sub(q->rb, p->rb));
			if (square < nearest) {
				nearest = square;
				best = (OldPoint){&old[i], q};
			}
		}
	}
	return best;
}

static float TotalImpulse(const StoredManifold *m)
{
	float sum = 0.0f;
	for (int k = 0; k < m->count; k++)
		sum += m->points[k].impulse;
	return sum;
}

/* Impulses of the last step live on in the points that continue it; a manifold's friction is shared out by load.
 * `totals`: of the old manifolds, before any point was taken. Taken points are emptied, so that no load is counted
 * twice. */
static void WarmStart(StoredManifold *m, StoredManifold *old, const float *totals, int old_count)
{
	for (int k = 0; k < m->count; k++) {
		OldPoint from = FindOld(old, old_count, m->normal, &m->points[k]);
		if (!from.point)
			continue;
		float share = from.point->impulse / totals[from.manifold - old];
		m->points[k].impulse = from.point->impulse;
		m->friction_impulse = MulAdd(m->friction_impulse, share, from.manifold->friction_impulse);
		m->lift += share * from.manifold->lift;
		m->twist_impulse += share * from.manifold->twist_impulse;
		m->rolling_impulse = MulAdd(m->rolling_impulse, share, from.manifold->rolling_impulse);
		from.point->impulse = 0.0f;
	}
	m->friction_impulse = MulSub(m->friction_impulse, Dot(m->friction_impulse, m->normal), m->normal);
}

/* The nearest point of those that touch, or NULL. */
static StoredPoint *FindNearest(StoredManifold *m, Vec3 place)
{
	StoredPoint *best = NULL;
	float nearest = FLT_MAX;
	for (int k = 0; k < m->count; k++) {
		float square = LengthSq(Sub(m->points[k].rb, place));
		if (m->points[k].separation > SLOP || square >= nearest)
			continue;
		nearest = square;
		best = &m->points[k];
	}
	return best;
}

/* A round rim that leans elsewhere has all its points there at once: they bear what the old ones bore. */
static void HandOn(StoredManifold *m, const StoredManifold *old)
{
	float total = TotalImpulse(old);
	if (TotalImpulse(m) > 0.0f || Dot(old->normal, m->normal) <= SAME_FACE)
		return;
	for (int k = 0; k < old->count; k++) {
		const StoredPoint *from = &old->points[k];
		StoredPoint *to = from->impulse > 0.0f ? FindNearest(m, from->rb) : NULL;
		if (!to)
			continue;
		float share = from->impulse / total;
		to->impulse += from->impulse;
		m->friction_impulse = MulAdd(m->friction_impulse, share, old->friction_impulse);
		m->lift += share * old->lift;
	}
	m->friction_impulse = MulSub(m->friction_impulse, Dot(m->friction_impulse, m->normal), m->normal);
}

/* There is room for them. */
static void StoreFresh(Dynamics *d, Contact *c, const Manifold *fresh, int count)
{
	StoredManifold old[FRESH_LIMIT];
	float totals[FRESH_LIMIT];
	int old_count = c->count;
	if (old_count > 0)
		memcpy(old, &d->manifolds.data[c->first], sizeof(StoredManifold) * (size_t)old_count);
	for (int i = 0; i < old_count; i++)
		totals[i] = TotalImpulse(&old[i]);
	if (d->bodies.data[c->body_b].probed)
		c->made.altered = !Probe_IsSame(old, old_count, fresh, count);
	c->count = count;
	c->between = Contact_Between(d, c);
	for (int i = 0; i < count; i++) {
		const Manifold *from = &fresh[i];
		StoredManifold *m = &d->manifolds.data[c->first + i];
		*m = (StoredManifold){
		    .normal = from->normal, .made_normal = from->normal, .count = from->count, .material = from->material};
		for (int k = 0; k < from->count; k++) {
			const ManifoldPoint *p = &from->points[k];
			m->deep = (uint8_t)Int_Max(m->deep, Contact_DepthOf(p->separation));
			m->points[k] = (StoredPoint){.rb = p->point,
			                             .made_rb = p->point,
			                             .separation = p->separation,
			                             .made_separation = p->separation,
			                             .id = p->id};
		}
		Manifold_SetSurface(d, c, m);
		WarmStart(m, old, totals, old_count);
	}
	if (count == 1 && old_count == 1)
		HandOn(&d->manifolds.data[c->first], old);
}

/* ---- all contacts ------------------------------------------------------------------------------------------------ */

/* Speeds of bodies, of which the margins of most contacts can be told, and where their parts are. */
static void NoteReach(void *context, int begin, int end, int worker)
{
	(void)worker;
	Dynamics *d = context;
	for (int i = begin; i < end; i++) {
		Body *body = Awake_Body(d, i);
		if (i + FETCH_AHEAD / 2 < end)
			Fetch(&d->parts.data[d->bodies.data[d->awake.data[i + FETCH_AHEAD / 2]].first_part], sizeof(Part));
		body->reach_speed = Length(body->velocity) + Length(body->angular_velocity) * body->outer_radius;
		for (int k = body->first_part; k < body->first_part + body->part_count; k++)
			Part_NoteReach(d, k, Part_Box(d, &d->parts.data[k]), true);
	}
}

/* Part_Margin, without looking at the parts where nothing is fast. */
static float MarginOf(const Dynamics *d, const Contact *c, float dt)
{
	float speed = d->bodies.data[c->body_b].reach_speed;
	if (c->body_a != NONE)
		speed += d->bodies.data[c->body_a].reach_speed;
	return 2.0f * speed * dt <= 0.99f * SPECULATIVE_DISTANCE ? SPECULATIVE_DISTANCE
	                                                         : Part_Margin(d, c->part_a, c->part_b, dt);
}

/* By how much the balls around two parts are apart. */
static float BallsApart(const Dynamics *d, const Contact *c)
{
	const Part *a = &d->parts.data[c->part_a], *b = &d->parts.data[c->part_b];
	const Body *body_a = &d->bodies.data[c->body_a], *body_b = &d->bodies.data[c->body_b];
	Vec3 way = PosSub(body_a->pose.p, body_b->pose.p);
	way = Add(way, Sub(Rotate(body_a->pose.q, a->local.p), Rotate(body_b->pose.q, b->local.p)));
	return Length(way) - a->outer_radius - b->outer_radius;
}

/* Part_Margin of two parts, neither a mesh. */
static float PairMargin(const PartReach *a, const PartReach *b, float dt)
{
	float margin = 2.0f * (Length(Sub(b->velocity, a->velocity)) + (b->spin + a->spin)) * dt;
	return Max(SPECULATIVE_DISTANCE, Min(margin, Min(b->inner_radius, a->inner_radius)));
}

/* Are the boxes or balls around two parts apart by more than the margin? Then nothing of them is in touch. */
static bool AreApart(const PartReach *a, const PartReach *b, float margin)
{
	double x = a->center.x - b->center.x, y = a->center.y - b->center.y, z = a->center.z - b->center.z;
	double reach = 1.00001 * (double)margin, balls = (double)(a->ball + b->ball) + reach;
	return AbsD(x) > (double)(a->half.x + b->half.x) + reach || AbsD(y) > (double)(a->half.y + b->half.y) + reach ||
	       AbsD(z) > (double)(a->half.z + b->half.z) + reach || x * x + y * y + z * z > balls * balls;
}

typedef struct CollideJob {
	Dynamics *dynamics;
	float dt;
	bool by_slot; /* the contacts are looked at in the order of slots, else as they are listed */
} CollideJob;

/* Of a part in this step; NULL: none. */
static const TerrainPair *TerrainPairOf(const Dynamics *d, int slot)
{
	int i = d->parts.data[slot].terrain_pair;
	return i < d->terrain_pairs.count && d->terrain_pairs.data[i].part == slot ? &d->terrain_pairs.data[i] : NULL;
}

/* Manifolds of a contact that is made anew. Returns how many, or NONE: out of memory. */
static int CollideAnew(const CollideJob *job, Contact *c, float margin, Worker *worker, Manifold *scratch)
{
	Dynamics *d = job->dynamics;
	float room = Contact_RoomOf(d, c);
	int count = 0;
	if (c->part_a != NONE && Part_IsMesh(&d->parts.data[c->part_a])) {
		count = CollideMesh(d, c, margin, job->dt, worker, scratch);
		if (count <= 0 || scratch[0].points[0].id == BURIED_POINT)
			room = 0.0f;
	} else if (c->part_a != NONE) {
		float apart = BallsApart(d, c);
		if (apart <= margin) {
			CollideParts(d, c, margin, &scratch[0]);
			count = scratch[0].count > 0;
			apart = scratch[0].points[0].separation; /* at least, if there is no point */
		}
		if (count == 0)
			room = apart;
	} else {
		const TerrainPair *pair = TerrainPairOf(d, c->part_b);
		if (pair)
			count = CollideTerrain(d, pair, margin, job->dt, worker, scratch);
		if (!pair || pair->sunk || count <= 0)
			room = 0.0f;
	}
	Contact_NoteMade(d, c, margin, room);
	return count;
}

static bool CollideOne(const CollideJob *job, Contact *c, float margin, Worker *worker, Manifold *scratch,
                       FreshManifolds *fresh)
{
	Dynamics *d = job->dynamics;
	*fresh = (FreshManifolds){NULL, 0};
	if (margin < 0.0f)
		margin = MarginOf(d, c, job->dt);
	const TerrainPair *pair = c->part_a == NONE ? TerrainPairOf(d, c->part_b) : NULL;
	bool sunk = pair && pair->sunk;
	if (!sunk && Contact_Keep(d, c, margin))
		return true;
	ArenaMark mark = Arena_Mark(&worker->arena);
	int count = CollideAnew(job, c, margin, worker, scratch);
	Arena_Release(&worker->arena, mark);
	if (count < 0)
		return false;
	if (count <= Contact_Room(c)) {
		StoreFresh(d, c, scratch, count);
		return true;
	}
	fresh->manifolds = Arena_Array(&worker->arena, Manifold, count);
	if (!fresh->manifolds)
		return false;
	fresh->count = count;
	memcpy(fresh->manifolds, scratch, sizeof(Manifold) * (size_t)count);
	return true;
}

#define NEAR_LIMIT 256

/* A contact that is worth looking at. */
typedef struct Near {
	int contact;
	float margin; /* < 0: not known */
} Near;

/* False: there is nothing in touch, nor was there. */
static bool IsNear(const CollideJob *job, int contact, float *margin)
{
	const Dynamics *d = job->dynamics;
	const ContactPair *pair = &d->pairs.data[contact];
	if (!pair->awake)
		return false;
	const PartReach *b = &d->reaches.data[pair->part_b];
	if (pair->part_a == NONE || d->reaches.data[pair->part_a].inner_radius < 0.0f) {
		*margin = -1.0f;
		return true;
	}
	const PartReach *a = &d->reaches.data[pair->part_a];
	*margin = PairMargin(a, b, job->dt);
	return !pair->quiet || !AreApart(a, b, *margin);
}

/* Of the contacts from `begin` on, up to NEAR_LIMIT; *count: how many. Returns where it stopped. */
static int FindNear(const CollideJob *job, int begin, int end, Near *near, int *count)
{
	const int *list = job->by_slot ? NULL : job->dynamics->awake_contacts.data;
	int i = begin;
	for (*count = 0; i < end && *count < NEAR_LIMIT; i++) {
		if (!list && i + 2 * FETCH_AHEAD < end)
			Fetch_Reaches(job->dynamics, &job->dynamics->pairs.data[i + 2 * FETCH_AHEAD]);
		near[*count].contact = list ? list[i] : i;
		*count += IsNear(job, near[*count].contact, &near[*count].margin);
	}
	return i;
}

/* What comes after k, and what it has to do with. */
static void FetchAhead(const Dynamics *d, const Near *near, int k, int count)
{
	if (k + FETCH_AHEAD < count)
		Fetch(&d->contacts.data[near[k + FETCH_AHEAD].contact], sizeof(Contact));
	if (k + FETCH_AHEAD / 2 < count) {
		Fetch_Whole(d, &d->contacts.data[near[k + FETCH_AHEAD / 2].contact]);
		Fetch_Parts(d, &d->pairs.data[near[k + FETCH_AHEAD / 2].contact]);
	}
}

static void CollideRange(void *context, int begin, int end, int worker_index)
{
	const CollideJob *job = context;
	Worker *worker = &job->dynamics->workers[worker_index];
	Manifold scratch[FRESH_LIMIT];
	Dynamics *d = job->dynamics;
	Near near[NEAR_LIMIT];
	int count;
	while (begin < end && !worker->failed) {
		begin = FindNear(job, begin, end, near, &count);
		for (int k = 0; k < count && !worker->failed; k++) {
			FetchAhead(d, near, k, count);
			Contact *c = &d->contacts.data[near[k].contact];
			FreshManifolds *fresh = &d->fresh[c->awake_place];
			worker->failed = !CollideOne(job, c, near[k].margin, worker, scratch, fresh);
			bool matters = c->count > 0 || c->touching || fresh->count > 0;
			d->matters[c->awake_place] = matters;
			d->pairs.data[near[k].contact].quiet = !matters;
		}
	}
}

bool Dynamics_Collide(Dynamics *d, float dt)
{
	int count = d->awake_contacts.count;
	d->fresh = Arena_Array(&d->arena, FreshManifolds, count);
	d->matters = Arena_Array(&d->arena, uint8_t, count);
	if (!d->fresh || !d->matters)
		return false;
	d->counted_places = count;
	for (int i = 0; i < d->worker_count; i++) {
		Arena_Reset(&d->workers[i].arena);
		d->workers[i].failed = false;
	}
	CollideJob job = {d, dt, Contacts_BySlot(d)};
	memset(d->matters, 0, (size_t)count);
	TaskPool_For(d->tasks, d->awake.count, 256, NoteReach, d);
	TaskPool_For(d->tasks, job.by_slot ? d->contacts.count : count, 32, CollideRange, &job);
	bool ok = true;
	for (int i = 0; i < d->worker_count; i++)
		ok = ok && !d->workers[i].failed;
	/* what found no room at its place */
	for (int i = 0; ok && i < count; i++) {
		if (!d->matters[i] || d->fresh[i].count == 0)
			continue;
		Contact *c = &d->contacts.data[d->awake_contacts.data[i]];
		ok = Contact_Resize(d, c, d->fresh[i].count);
		if (ok)
			StoreFresh(d, c, d->fresh[i].manifolds, d->fresh[i].count);
		c->made.holds = c->made.holds && ok;
	}
	for (int i = 0; ok && i < d->terrain_pairs.count; i++) {
		const Contact *c = &d->contacts.data[d->terrain_pairs.data[i].contact];
		for (int k = 0; k < c->count; k++)
			d->ground.points += Contact_Manifold(d, c, k)->count;
	}
	ok = ok && Seams_Silence(d) && Probe_End(d, "terrain changed");
	d->fresh = NULL;
	return ok;
}
