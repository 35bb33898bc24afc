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

WorldBox Part_Box(const Dynamics *d, const Part *part)
{
	Pose pose = Part_Pose(d, part);
	Box box = Shape_Bounds(&part->def.shape, (Xform){{0.0f, 0.0f, 0.0f}, pose.q});
	return (WorldBox){PosAdd(pose.p, box.lo), PosAdd(pose.p, box.hi)};
}

BoxTree *Body_Tree(Dynamics *d, const Body *body)
{
	return body->motion == MOTION_STATIC ? &d->fixed_tree : &d->moving_tree;
}

void Part_MarkMoved(Dynamics *d, int slot)
{
	Part *part = &d->parts.data[slot];
	if (part->moved)
		return;
	part->moved = true;
	SCREE_ASSERT(d->moved_parts.count < d->moved_parts.capacity);
	d->moved_parts.data[d->moved_parts.count++] = slot;
}

static WorldBox FatBox(WorldBox tight, Vec3 drift)
{
	WorldBox shifted = {PosAdd(tight.lo, drift), PosAdd(tight.hi, drift)};
	return WorldBoxGrow(WorldBoxUnion(tight, shifted), (double)BOX_MARGIN);
}

void Body_UpdateBoxes(Dynamics *d, Body *body, Vec3 drift)
{
	BoxTree *tree = Body_Tree(d, body);
	for (int i = 0; i < body->part_count; i++) {
		Part *part = &d->parts.data[body->first_part + i];
		WorldBox tight = Part_Box(d, part);
		WorldBox need = WorldBoxGrow(tight, (double)SPECULATIVE_DISTANCE);
		if (WorldBoxContains(BoxTree_Box(tree, part->leaf), need))
			continue;
		BoxTree_Move(tree, part->leaf, FatBox(tight, drift));
		Part_MarkMoved(d, body->first_part + i);
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
