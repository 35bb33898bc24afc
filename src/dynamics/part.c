/* Parts: where they are, and their boxes in the trees. */
#include "dynamics/dynamics_internal.h"

void Shape_Free(Memory *memory, const Shape *shape)
{
	if (shape->hull)
		Hull_Destroy(memory, (Hull *)shape->hull);
	Trimesh_Release(memory, shape->mesh);
}

Pose Part_Pose(const Dynamics *d, const Part *part)
{
	return PoseMul(d->bodies.data[part->body].pose, part->local);
}

/* Sine of the angle between the part's axis and the normal; *along: its cosine. */
static float AxisSine(const Dynamics *d, const Part *part, Vec3 normal, float *along)
{
	Quat turn = QuatMul(d->bodies.data[part->body].pose.q, part->local.q);
	*along = Dot(Rotate(turn, V3(0.0f, 1.0f, 0.0f)), normal);
	return Sqrt(Max(0.0f, 1.0f - *along * *along));
}

float Part_Rounding(const Dynamics *d, const Part *part, Vec3 normal)
{
	const Shape *shape = &part->def.shape;
	float along;
	if (shape->kind == SHAPE_BALL || shape->kind == SHAPE_CAPSULE)
		return shape->radius;
	if (shape->kind != SHAPE_CYLINDER)
		return 0.0f;
	float sine = AxisSine(d, part, normal, &along);
	return sine > Abs(along) ? shape->radius / sine : 0.0f; /* else a flat end is touched */
}

float Part_RollingRadius(const Dynamics *d, const Part *part, Vec3 normal)
{
	const Shape *shape = &part->def.shape;
	if (shape->kind != SHAPE_CYLINDER && shape->kind != SHAPE_CONE)
		return Part_Rounding(d, part, normal);
	float along, sine = AxisSine(d, part, normal, &along);
	if (sine <= Abs(along))
		return shape->radius; /* on its rim, as a coin that rocks */
	return shape->kind == SHAPE_CONE ? 0.5f * shape->radius : shape->radius / sine;
}

Vec3 Part_LocalMiddle(const Part *part)
{
	return Shape_Middle(&part->def.shape);
}

Pos Part_Middle(const Dynamics *d, const Part *part)
{
	return PosePoint(Part_Pose(d, part), Part_LocalMiddle(part));
}

static bool SamePose(const Pose *a, const Pose *b)
{
	return a->p.x == b->p.x && a->p.y == b->p.y && a->p.z == b->p.z && a->q.x == b->q.x && a->q.y == b->q.y &&
	       a->q.z == b->q.z && a->q.w == b->q.w;
}

WorldBox Part_Box(const Dynamics *d, const Part *part)
{
	if (SamePose(&part->boxed, &d->bodies.data[part->body].pose))
		return part->box;
	Pose pose = Part_Pose(d, part);
	Box box = Shape_Bounds(&part->def.shape, (Xform){{0.0f, 0.0f, 0.0f}, pose.q});
	return (WorldBox){PosAdd(pose.p, box.lo), PosAdd(pose.p, box.hi)};
}

WorldBox Part_KeepBox(const Dynamics *d, Part *part)
{
	part->box = Part_Box(d, part);
	part->boxed = d->bodies.data[part->body].pose;
	return part->box;
}

BoxTree *Body_Tree(Dynamics *d, const Body *body)
{
	return body->motion == MOTION_STATIC ? &d->fixed_tree : &d->moving_tree;
}

bool Parts_Reserve(Dynamics *d, int count)
{
	return Array_Reserve(d->memory, d->parts, count) && Array_Reserve(d->memory, d->moved_parts, count) &&
	       Array_Reserve(d->memory, d->moved_from, count) && Array_Reserve(d->memory, d->moved_places, count) &&
	       Array_Reserve(d->memory, d->fat_boxes, count) && Array_Reserve(d->memory, d->reaches, count);
}

void Parts_Add(Dynamics *d, int slot)
{
	d->parts.data[slot] = (Part){.body = NONE};
	d->moved_places.data[slot] = 0;
	d->fat_boxes.data[slot] = (WorldBox){{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
	d->reaches.data[slot] = (PartReach){.spin = 0.0f};
	d->parts.count = d->moved_places.count = d->fat_boxes.count = d->reaches.count = slot + 1;
}

static void ListMoved(Dynamics *d, int slot, WorldBox from)
{
	SCREE_ASSERT(d->moved_parts.count < d->moved_parts.capacity);
	d->moved_parts.data[d->moved_parts.count] = slot;
	d->moved_from.data[d->moved_parts.count++] = from;
	d->moved_places.data[slot] = d->moved_parts.count;
}

void Part_MarkMoved(Dynamics *d, int slot)
{
	const WorldBox nowhere = {{DBL_MAX, DBL_MAX, DBL_MAX}, {-DBL_MAX, -DBL_MAX, -DBL_MAX}}; /* meets no box */
	if (d->moved_places.data[slot] > 0)
		d->moved_from.data[d->moved_places.data[slot] - 1] = nowhere;
	else
		ListMoved(d, slot, nowhere);
}

void Part_NoteReach(Dynamics *d, int slot, WorldBox box, bool tight)
{
	const Part *part = &d->parts.data[slot];
	const Body *body = &d->bodies.data[part->body];
	const float up = 1.000001f; /* rounded to float, neither may be less */
	Vec3 half = Scale(0.5f * up, PosSub(box.hi, box.lo));
	bool even = part->def.shape.kind == SHAPE_BALL || part->def.shape.kind == SHAPE_BOX ||
	            part->def.shape.kind == SHAPE_CAPSULE; /* about the middle of the box */
	float radius = Length(part->local.p) + part->outer_radius;
	d->reaches.data[slot] = (PartReach){
	    .center = {0.5 * (box.lo.x + box.hi.x), 0.5 * (box.lo.y + box.hi.y), 0.5 * (box.lo.z + box.hi.z)},
	    .half = half,
	    .ball = tight && even ? up * part->outer_radius : Length(half),
	    .velocity = body->velocity,
	    .spin = Length(body->angular_velocity) * radius,
	    .inner_radius = Part_IsMesh(part) ? -1.0f : part->inner_radius,
	    .radius = radius,
	};
}

static void NoteFat(Dynamics *d, int slot, WorldBox fat)
{
	d->fat_boxes.data[slot] = fat;
	Part_NoteReach(d, slot, fat, false);
}

void Part_EnterTree(Dynamics *d, int slot, WorldBox fat)
{
	Part *part = &d->parts.data[slot];
	part->leaf = BoxTree_Insert(Body_Tree(d, &d->bodies.data[part->body]), d->memory, fat, slot);
	NoteFat(d, slot, fat);
}

void Part_MoveInTree(Dynamics *d, int slot, WorldBox fat)
{
	const Part *part = &d->parts.data[slot];
	if (d->moved_places.data[slot] == 0)
		ListMoved(d, slot, d->fat_boxes.data[slot]);
	if (d->many_move)
		BoxTree_Put(&d->moving_tree, part->leaf, fat);
	else
		BoxTree_Move(Body_Tree(d, &d->bodies.data[part->body]), part->leaf, fat);
	NoteFat(d, slot, fat);
}

#define MANY_SHARE 8 /* one leaf in so many moves: mending all boxes at once costs less than moving them one by one */

void Parts_BeginMoves(Dynamics *d, int count)
{
	d->many_move = count > d->moving_tree.leaf_count / MANY_SHARE && count > MANY_SHARE;
}

void Parts_EndMoves(Dynamics *d)
{
	if (d->many_move)
		BoxTree_Settle(&d->moving_tree, &d->arena);
	d->many_move = false;
}

static WorldBox FatBox(WorldBox tight, Vec3 drift)
{
	WorldBox shifted = {PosAdd(tight.lo, drift), PosAdd(tight.hi, drift)};
	return WorldBoxGrow(WorldBoxUnion(tight, shifted), (double)BOX_MARGIN);
}

static bool LeavesBox(const Dynamics *d, int part, WorldBox tight)
{
	WorldBox need = WorldBoxGrow(tight, (double)SPECULATIVE_DISTANCE);
	return !WorldBoxContains(d->fat_boxes.data[part], need);
}

bool Body_LeavesBoxes(Dynamics *d, const Body *body)
{
	bool leaves = false;
	for (int i = body->first_part; i < body->first_part + body->part_count; i++)
		leaves |= LeavesBox(d, i, Part_KeepBox(d, &d->parts.data[i]));
	return leaves;
}

void Body_UpdateBoxes(Dynamics *d, Body *body, Vec3 drift)
{
	for (int i = body->first_part; i < body->first_part + body->part_count; i++) {
		WorldBox tight = Part_Box(d, &d->parts.data[i]);
		if (LeavesBox(d, i, tight))
			Part_MoveInTree(d, i, FatBox(tight, drift));
	}
}

PartView Part_View(const Dynamics *d, int slot)
{
	const Part *part = &d->parts.data[slot];
	return (PartView){part->body, part->index, &part->def, Part_Pose(d, part), Part_Box(d, part)};
}

int Part_SetSurface(Dynamics *d, int slot, const PartDef *def, Error *error)
{
	Part *part = &d->parts.data[slot];
	Body *body = &d->bodies.data[part->body];
	PartDef old = part->def;
	MassProps mass;
	bool heavier = def->density != old.density;
	if (heavier) {
		size_t size = sizeof(PartDef) * (size_t)body->part_count;
		PartDef *defs = Memory_Alloc(d->memory, size);
		if (!defs)
			return Error_OutOfMemory(error);
		for (int i = 0; i < body->part_count; i++)
			defs[i] = d->parts.data[body->first_part + i].def;
		defs[part->index].density = def->density;
		bool ok = Mass_OfParts(d, defs, body->part_count, &mass);
		Memory_Free(d->memory, defs, size);
		if (!ok)
			return Error_OutOfMemory(error);
		if (Mass_Check(&mass, error) != ERROR_NONE)
			return ERROR_ARGUMENT;
	}
	if (!Body_Disturb(d, part->body, "part changed") || !Contact_ReserveEvents(d, body->contact_count))
		return Error_OutOfMemory(error);
	Body_DropManifolds(d, body); /* they have values of it */
	part->def.material = def->material;
	part->def.group = def->group;
	part->def.mask = def->mask;
	part->def.density = def->density;
	part->def.friction = def->friction;
	part->def.restitution = def->restitution;
	part->def.rolling = def->rolling;
	if (heavier)
		Body_TakeMass(d, part->body, &mass);
	if (def->group != old.group || def->mask != old.mask) {
		Body_EndContacts(d, body);
		Part_MarkMoved(d, slot);
	}
	return ERROR_NONE;
}

typedef struct TwoTreeQuery {
	BoxQueryFn *fn;
	void *context;
	bool stopped;
} TwoTreeQuery;

static bool ForwardQuery(void *context, int32_t user)
{
	TwoTreeQuery *query = context;
	query->stopped = !query->fn(query->context, user);
	return !query->stopped;
}

void Dynamics_QueryParts(const Dynamics *d, WorldBox box, BoxQueryFn *fn, void *context)
{
	TwoTreeQuery query = {fn, context, false};
	BoxTree_Query(&d->fixed_tree, box, ForwardQuery, &query);
	if (!query.stopped)
		BoxTree_Query(&d->moving_tree, box, ForwardQuery, &query);
}

typedef struct TwoTreeRay {
	BoxRayFn *fn;
	void *context;
	double limit;
} TwoTreeRay;

static double ForwardRay(void *context, int32_t user, double max_fraction)
{
	TwoTreeRay *ray = context;
	ray->limit = ray->fn(ray->context, user, max_fraction);
	return ray->limit;
}

void Dynamics_RayParts(const Dynamics *d, Pos from, const double delta[3], Vec3 extent, BoxRayFn *fn, void *context)
{
	TwoTreeRay ray = {fn, context, 1.0};
	BoxTree_Ray(&d->fixed_tree, from, delta, extent, 1.0, ForwardRay, &ray);
	if (ray.limit >= 0.0)
		BoxTree_Ray(&d->moving_tree, from, delta, extent, ray.limit, ForwardRay, &ray);
}
