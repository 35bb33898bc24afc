/* Properties of assemblies. */
#include "api/api_internal.h"

/* ---- getters ----------------------------------------------------------------------------------------------------- */

/* Check_Assembly for what is read most, many times a frame: with fewer calls between the caller and the body. */
static inline int FindBody(ScreeWorld *w, const Dynamics *d, ScreeId id)
{
	int slot = Body_Find(d, id);
	return slot < 0 ? Check_Assembly(w, id) : slot;
}

int32_t screeAssembly_GetPosition(ScreeWorld *w, ScreeId id, double *out3)
{
	const Dynamics *d = World_Dynamics(w->world);
	int slot = FindBody(w, d, id);
	if (slot < 0)
		return SCREE_BAD_ARGUMENT;
	FromPos(Body_Origin(d, slot), out3);
	return SCREE_OK;
}

int32_t screeAssembly_GetRotation(ScreeWorld *w, ScreeId id, double *out4)
{
	const Dynamics *d = World_Dynamics(w->world);
	int slot = FindBody(w, d, id);
	if (slot < 0)
		return SCREE_BAD_ARGUMENT;
	FromQuat(Body_Pose(d, slot).q, out4);
	return SCREE_OK;
}

int32_t screeAssembly_GetVelocity(ScreeWorld *w, ScreeId id, double *out3)
{
	const Dynamics *d = World_Dynamics(w->world);
	int slot = FindBody(w, d, id);
	if (slot < 0)
		return SCREE_BAD_ARGUMENT;
	FromVec3(Body_Velocity(d, slot), out3);
	return SCREE_OK;
}

int32_t screeAssembly_GetAngularVelocity(ScreeWorld *w, ScreeId id, double *out3)
{
	const Dynamics *d = World_Dynamics(w->world);
	int slot = FindBody(w, d, id);
	if (slot < 0)
		return SCREE_BAD_ARGUMENT;
	FromVec3(Body_AngularVelocity(d, slot), out3);
	return SCREE_OK;
}

int32_t screeAssembly_GetMass(ScreeWorld *w, ScreeId id, double *out)
{
	const Dynamics *d = World_Dynamics(w->world);
	int slot = FindBody(w, d, id);
	if (slot < 0)
		return SCREE_BAD_ARGUMENT;
	*out = Body_Mass(d, slot);
	return SCREE_OK;
}

int32_t screeAssembly_GetCenterOfMass(ScreeWorld *w, ScreeId id, double *out3)
{
	int slot = Check_Assembly(w, id);
	if (slot < 0)
		return SCREE_BAD_ARGUMENT;
	FromPos(Body_Pose(World_Dynamics(w->world), slot).p, out3);
	return SCREE_OK;
}

int32_t screeAssembly_GetInertia(ScreeWorld *w, ScreeId id, double *out9)
{
	int slot = Check_Assembly(w, id);
	if (slot < 0)
		return SCREE_BAD_ARGUMENT;
	Mat3 m = MatTranspose(Body_Inertia(World_Dynamics(w->world), slot));
	FromVec3(m.cx, out9);
	FromVec3(m.cy, out9 + 3);
	FromVec3(m.cz, out9 + 6);
	return SCREE_OK;
}

int32_t screeAssembly_GetNetImpulse(ScreeWorld *w, ScreeId id, double *out6)
{
	int slot = Check_Assembly(w, id);
	if (slot < 0)
		return SCREE_BAD_ARGUMENT;
	Vec3 linear, angular;
	Body_NetImpulse(World_Dynamics(w->world), slot, &linear, &angular);
	FromVec3(linear, out6);
	FromVec3(angular, out6 + 3);
	return SCREE_OK;
}

int32_t screeAssembly_GetGravityScale(ScreeWorld *w, ScreeId id, double *out)
{
	int slot = Check_Assembly(w, id);
	if (slot < 0)
		return SCREE_BAD_ARGUMENT;
	*out = Body_GravityScale(World_Dynamics(w->world), slot);
	return SCREE_OK;
}

int32_t screeAssembly_GetBounds(ScreeWorld *w, ScreeId id, double *out6)
{
	int slot = Check_Assembly(w, id);
	if (slot < 0)
		return SCREE_BAD_ARGUMENT;
	WorldBox box = Body_Bounds(World_Dynamics(w->world), slot);
	FromPos(box.lo, out6);
	FromPos(box.hi, out6 + 3);
	return SCREE_OK;
}

int32_t screeAssembly_GetSubmerged(ScreeWorld *w, ScreeId id, double *out)
{
	int slot = Check_Assembly(w, id);
	if (slot < 0)
		return SCREE_BAD_ARGUMENT;
	*out = (double)Body_Submerged(World_Dynamics(w->world), slot);
	return SCREE_OK;
}

int32_t screeAssembly_GetVelocityAt(ScreeWorld *w, ScreeId id, const double *point, double *out3)
{
	int slot = Check_Assembly(w, id);
	if (slot < 0 || !Check_Vector(w, "point", point, MAX_COORDINATE))
		return SCREE_BAD_ARGUMENT;
	FromVec3(Body_VelocityAt(World_Dynamics(w->world), slot, ToPos(point)), out3);
	return SCREE_OK;
}

int32_t screeAssembly_GetState(ScreeWorld *w, ScreeId id)
{
	int slot = Check_Assembly(w, id);
	return slot < 0 ? SCREE_BAD_ARGUMENT : (int)Body_State(World_Dynamics(w->world), slot);
}

int32_t screeAssembly_GetMotion(ScreeWorld *w, ScreeId id)
{
	int slot = Check_Assembly(w, id);
	return slot < 0 ? SCREE_BAD_ARGUMENT : (int)Body_Motion(World_Dynamics(w->world), slot);
}

int32_t screeAssembly_GetCanSleep(ScreeWorld *w, ScreeId id)
{
	int slot = Check_Assembly(w, id);
	return slot < 0 ? SCREE_BAD_ARGUMENT : Body_CanSleep(World_Dynamics(w->world), slot);
}

int32_t screeAssembly_GetBullet(ScreeWorld *w, ScreeId id)
{
	int slot = Check_Assembly(w, id);
	return slot < 0 ? SCREE_BAD_ARGUMENT : Body_Bullet(World_Dynamics(w->world), slot);
}

int32_t screeAssembly_PartCount(ScreeWorld *w, ScreeId id)
{
	int slot = Check_Assembly(w, id);
	return slot < 0 ? SCREE_BAD_ARGUMENT : Body_PartCount(World_Dynamics(w->world), slot);
}

static void FillShape(const Shape *shape, ScreePart *out)
{
	out->radius = shape->radius;
	out->length = 2.0 * (double)shape->half_length;
	FromVec3(Scale(2.0f, shape->half), out->size);
}

int32_t screeAssembly_GetPart(ScreeWorld *w, ScreeId id, int32_t index, ScreePart *out)
{
	int slot = Check_Assembly(w, id);
	const Dynamics *d = World_Dynamics(w->world);
	if (slot < 0 || !Check_Index(w, "index", index, Body_PartCount(d, slot)))
		return SCREE_BAD_ARGUMENT;
	const PartDef *def = Part_View(d, Body_Part(d, slot, index)).def;
	scree_part_defaults(out);
	out->shape = def->source;
	out->material = def->material;
	out->group = def->group;
	out->collides_with = def->mask;
	out->density = def->density;
	out->friction = def->friction;
	out->restitution = def->restitution;
	out->rolling = def->rolling;
	FillShape(&def->shape, out);
	FromVec3(def->placement.p, out->position);
	FromQuat(def->placement.q, out->rotation);
	out->points = NULL;
	out->point_count = 0;
	if (!def->shape.hull)
		return SCREE_OK;
	const Hull *hull = def->shape.hull;
	FromVec3(Sub(hull->bounds.hi, hull->bounds.lo), out->size);
	if (!Array_Resize(World_Memory(w->world), w->transforms, 3 * hull->vertex_count))
		return Api_OutOfMemory(w);
	for (int i = 0; i < hull->vertex_count; i++)
		FromVec3(hull->vertices[i], w->transforms.data + 3 * i);
	out->points = w->transforms.data;
	out->point_count = hull->vertex_count;
	return SCREE_OK;
}

/* ---- setters ----------------------------------------------------------------------------------------------------- */

int32_t screeAssembly_SetPosition(ScreeWorld *w, ScreeId id, double x, double y, double z)
{
	int slot = Check_Assembly(w, id);
	double v[3] = {x, y, z};
	if (slot < 0 || !Check_Vector(w, "position", v, MAX_COORDINATE))
		return SCREE_BAD_ARGUMENT;
	return Body_SetOrigin(World_Dynamics(w->world), slot, ToPos(v)) ? SCREE_OK : Api_OutOfMemory(w);
}

int32_t screeAssembly_SetRotation(ScreeWorld *w, ScreeId id, double x, double y, double z, double w4)
{
	int slot = Check_Assembly(w, id);
	double v[4] = {x, y, z, w4};
	Quat q;
	if (slot < 0 || !Check_Rotation(w, "rotation", v, &q))
		return SCREE_BAD_ARGUMENT;
	return Body_SetRotation(World_Dynamics(w->world), slot, q) ? SCREE_OK : Api_OutOfMemory(w);
}

/* What is static has no velocity: one that is set would silently be lost. */
static bool CheckMoves(ScreeWorld *w, int slot, const char *name, const double *v)
{
	if (Body_Motion(World_Dynamics(w->world), slot) != MOTION_STATIC || (v[0] == 0.0 && v[1] == 0.0 && v[2] == 0.0))
		return true;
	Api_Fail(w, ERROR_ARGUMENT, "%s must be zero: the assembly's motion is static", name);
	return false;
}

int32_t screeAssembly_SetVelocity(ScreeWorld *w, ScreeId id, double x, double y, double z)
{
	int slot = Check_Assembly(w, id);
	double v[3] = {x, y, z};
	if (slot < 0 || !Check_Vector(w, "velocity", v, MAX_SPEED) || !CheckMoves(w, slot, "velocity", v))
		return SCREE_BAD_ARGUMENT;
	return Body_SetVelocity(World_Dynamics(w->world), slot, ToVec3(v)) ? SCREE_OK : Api_OutOfMemory(w);
}

int32_t screeAssembly_SetAngularVelocity(ScreeWorld *w, ScreeId id, double x, double y, double z)
{
	int slot = Check_Assembly(w, id);
	double v[3] = {x, y, z};
	if (slot < 0 || !Check_Vector(w, "angular_velocity", v, MAX_SPEED) || !CheckMoves(w, slot, "angular_velocity", v))
		return SCREE_BAD_ARGUMENT;
	return Body_SetAngularVelocity(World_Dynamics(w->world), slot, ToVec3(v)) ? SCREE_OK : Api_OutOfMemory(w);
}

int32_t screeAssembly_SetMotion(ScreeWorld *w, ScreeId id, int32_t motion)
{
	int slot = Check_Assembly(w, id);
	if (slot < 0 || !Check_Index(w, "motion", motion, 3))
		return SCREE_BAD_ARGUMENT;
	if (motion != SCREE_STATIC && Body_HasMesh(World_Dynamics(w->world), slot))
		return Api_Fail(w, ERROR_ARGUMENT, "motion must be static: the assembly has a mesh");
	return Body_SetMotion(World_Dynamics(w->world), slot, (Motion)motion) ? SCREE_OK : Api_OutOfMemory(w);
}

int32_t screeAssembly_SetMass(ScreeWorld *w, ScreeId id, double mass)
{
	int slot = Check_Assembly(w, id);
	if (slot < 0 || !Check_Positive(w, "mass", mass) || !Check_Number(w, "mass", mass, 1e-9, 1e15))
		return SCREE_BAD_ARGUMENT;
	return Body_SetMass(World_Dynamics(w->world), slot, (float)mass) ? SCREE_OK : Api_OutOfMemory(w);
}

int32_t screeAssembly_SetCenterOfMass(ScreeWorld *w, ScreeId id, double x, double y, double z)
{
	int slot = Check_Assembly(w, id);
	double v[3] = {x, y, z};
	if (slot < 0 || !Check_Vector(w, "center_of_mass", v, MAX_COORDINATE))
		return SCREE_BAD_ARGUMENT;
	Dynamics *d = World_Dynamics(w->world);
	Vec3 center = InvRotate(Body_Pose(d, slot).q, PosSub(ToPos(v), Body_Origin(d, slot)));
	if (!(Length(center) <= 1e5f))
		return Api_Fail(w, ERROR_ARGUMENT, "center_of_mass must lie within 100000 m of the assembly's origin, got %g m",
		                (double)Length(center));
	return Body_SetCenter(d, slot, center) ? SCREE_OK : Api_OutOfMemory(w);
}

int32_t screeAssembly_SetInertia(ScreeWorld *w, ScreeId id, const double *inertia9)
{
	int slot = Check_Assembly(w, id);
	Mat3 inertia;
	if (slot < 0 || !Check_Inertia(w, "inertia", inertia9, &inertia))
		return SCREE_BAD_ARGUMENT;
	return Body_SetInertia(World_Dynamics(w->world), slot, inertia) ? SCREE_OK : Api_OutOfMemory(w);
}

int32_t screeAssembly_SetPart(ScreeWorld *w, ScreeId id, int32_t index, const ScreePart *part)
{
	int slot = Check_Assembly(w, id);
	Dynamics *d = World_Dynamics(w->world);
	PartDef def = {0};
	if (slot < 0 || !Check_Index(w, "index", index, Body_PartCount(d, slot)) ||
	    Api_MakeSurface(w, "", part, &def) != ERROR_NONE)
		return SCREE_BAD_ARGUMENT;
	return Part_SetSurface(d, Body_Part(d, slot, index), &def, &w->error);
}

int32_t screeAssembly_SetCanSleep(ScreeWorld *w, ScreeId id, int32_t can_sleep)
{
	int slot = Check_Assembly(w, id);
	if (slot < 0 || !Check_Flag(w, "can_sleep", can_sleep))
		return SCREE_BAD_ARGUMENT;
	return Body_SetCanSleep(World_Dynamics(w->world), slot, can_sleep != 0) ? SCREE_OK : Api_OutOfMemory(w);
}

int32_t screeAssembly_SetGravityScale(ScreeWorld *w, ScreeId id, double scale)
{
	int slot = Check_Assembly(w, id);
	if (slot < 0 || !Check_Number(w, "gravity_scale", scale, -1e6, 1e6))
		return SCREE_BAD_ARGUMENT;
	return Body_SetGravityScale(World_Dynamics(w->world), slot, (float)scale) ? SCREE_OK : Api_OutOfMemory(w);
}

int32_t screeAssembly_SetBullet(ScreeWorld *w, ScreeId id, int32_t bullet)
{
	int slot = Check_Assembly(w, id);
	if (slot < 0 || !Check_Flag(w, "bullet", bullet))
		return SCREE_BAD_ARGUMENT;
	Body_SetBullet(World_Dynamics(w->world), slot, bullet != 0);
	return SCREE_OK;
}

int32_t screeAssembly_GetSleepLimits(ScreeWorld *w, ScreeId id, double *out4)
{
	int slot = Check_Assembly(w, id);
	if (slot < 0)
		return SCREE_BAD_ARGUMENT;
	SleepLimits limits = Body_SleepLimits(World_Dynamics(w->world), slot);
	out4[0] = limits.linear, out4[1] = limits.angular, out4[2] = limits.balance, out4[3] = limits.wake;
	return SCREE_OK;
}

int32_t screeAssembly_SetSleepLimits(ScreeWorld *w, ScreeId id, double linear, double angular, double balance,
                                     double wake)
{
	int slot = Check_Assembly(w, id);
	if (slot < 0 || !Check_Number(w, "linear", linear, -1.0, 1e3) || !Check_Number(w, "angular", angular, -1.0, 1e3) ||
	    !Check_Number(w, "balance", balance, -1.0, 1e6) || !Check_Number(w, "wake", wake, -1.0, 1e3))
		return SCREE_BAD_ARGUMENT;
	SleepLimits limits = {(float)linear, (float)angular, (float)balance, (float)wake};
	return Body_SetSleepLimits(World_Dynamics(w->world), slot, limits) ? SCREE_OK : Api_OutOfMemory(w);
}

int32_t screeAssembly_WhyAwake(ScreeWorld *w, ScreeId id, const char **out)
{
	int slot = Check_Assembly(w, id);
	if (slot < 0)
		return SCREE_BAD_ARGUMENT;
	Body_WhyAwake(World_Dynamics(w->world), slot, w->why, sizeof w->why);
	*out = w->why;
	return SCREE_OK;
}
