/* Assemblies: making, destroying, applying. */
#include "api/api_internal.h"

#include <stdio.h>

void scree_assembly_defaults(ScreeAssemblyDef *def)
{
	*def = (ScreeAssemblyDef){
	    .rotation = {0.0, 0.0, 0.0, 1.0}, .gravity_scale = 1.0, .motion = SCREE_DYNAMIC, .can_sleep = 1};
}

/* ---- making ------------------------------------------------------------------------------------------------------ */

static bool CheckStill(ScreeWorld *w, const char *name, const double *v)
{
	if (v[0] == 0.0 && v[1] == 0.0 && v[2] == 0.0)
		return true;
	Api_Fail(w, ERROR_ARGUMENT, "%s must be zero: motion is static", name);
	return false;
}

static bool CheckDef(ScreeWorld *w, const ScreeAssemblyDef *def, BodyDef *body)
{
	if (!Check_Vector(w, "position", def->position, MAX_COORDINATE) ||
	    !Check_Rotation(w, "rotation", def->rotation, &body->rotation) ||
	    !Check_Vector(w, "velocity", def->velocity, MAX_SPEED) ||
	    !Check_Vector(w, "angular_velocity", def->angular_velocity, MAX_SPEED) ||
	    !Check_Number(w, "gravity_scale", def->gravity_scale, -1e6, 1e6) || !Check_Index(w, "motion", def->motion, 3) ||
	    !Check_Flag(w, "bullet", def->bullet) || !Check_Flag(w, "can_sleep", def->can_sleep))
		return false;
	if (def->motion == SCREE_STATIC &&
	    (!CheckStill(w, "velocity", def->velocity) || !CheckStill(w, "angular_velocity", def->angular_velocity)))
		return false;
	if (def->part_count < 1 || def->part_count > 65536 || !def->parts) {
		Api_Fail(w, ERROR_ARGUMENT, "parts must hold 1 to 65536 parts, got %d", def->part_count);
		return false;
	}
	if (def->mass != 0.0 && (!Check_Positive(w, "mass", def->mass) || !Check_Number(w, "mass", def->mass, 1e-9, 1e15)))
		return false;
	if (!Check_Flag(w, "has_center_of_mass", def->has_center_of_mass) ||
	    !Check_Flag(w, "has_inertia", def->has_inertia) ||
	    (def->has_center_of_mass && !Check_Vector(w, "center_of_mass", def->center_of_mass, 1e5)) ||
	    (def->has_inertia && !Check_Inertia(w, "inertia", def->inertia, &body->mass.inertia)))
		return false;
	body->has_mass = def->mass != 0.0;
	body->has_center = def->has_center_of_mass != 0;
	body->has_inertia = def->has_inertia != 0;
	body->mass.mass = (float)def->mass;
	body->mass.center = ToVec3(def->center_of_mass);
	body->origin = ToPos(def->position);
	body->velocity = ToVec3(def->velocity);
	body->angular_velocity = ToVec3(def->angular_velocity);
	body->gravity_scale = (float)def->gravity_scale;
	body->motion = (Motion)def->motion;
	body->bullet = def->bullet != 0;
	body->can_sleep = def->can_sleep != 0;
	body->part_count = def->part_count;
	return true;
}

static void FreeHulls(ScreeWorld *w, const PartDef *parts, int count)
{
	for (int i = 0; i < count; i++)
		Shape_Free(World_Memory(w->world), &parts[i].shape);
}

int32_t screeAssembly_Create(ScreeWorld *w, const ScreeAssemblyDef *def, ScreeId *id)
{
	BodyDef body = {0};
	if (!CheckDef(w, def, &body))
		return SCREE_BAD_ARGUMENT;
	Memory *memory = World_Memory(w->world);
	size_t bytes = sizeof(PartDef) * (size_t)def->part_count;
	PartDef *parts = Memory_Alloc(memory, bytes);
	if (!parts)
		return Api_OutOfMemory(w);
	int made = 0, result = ERROR_NONE;
	for (; made < def->part_count && result == ERROR_NONE; made++) {
		char prefix[32] = "";
		if (def->part_count > 1)
			snprintf(prefix, sizeof prefix, "parts[%d].", made + 1);
		result = Api_MakePart(w, prefix, &def->parts[made], &parts[made]);
	}
	if (result == ERROR_NONE) {
		body.parts = parts;
		*id = Body_Create(World_Dynamics(w->world), &body, &w->error);
		result = *id == ID_NONE ? (int)w->error.code : ERROR_NONE;
	}
	if (result != ERROR_NONE)
		FreeHulls(w, parts, made);
	Memory_Free(memory, parts, bytes);
	return result;
}

int32_t screeAssembly_Destroy(ScreeWorld *w, ScreeId id)
{
	int slot = Check_Assembly(w, id);
	if (slot < 0)
		return SCREE_BAD_ARGUMENT;
	return Body_Destroy(World_Dynamics(w->world), slot) ? SCREE_OK : Api_OutOfMemory(w);
}

int32_t screeAssembly_IsValid(const ScreeWorld *w, ScreeId id)
{
	return Body_Find(World_Dynamics(w->world), id) >= 0;
}

int32_t screeWorld_Assemblies(const ScreeWorld *w, ScreeId *out, int32_t capacity)
{
	const Dynamics *d = World_Dynamics(w->world);
	int count = 0;
	for (int slot = Body_First(d); slot >= 0; slot = Body_Next(d, slot), count++)
		if (count < capacity)
			out[count] = Body_Id(d, slot);
	return count;
}

int32_t screeWorld_Transforms(ScreeWorld *w, const double **out)
{
	return screeWorld_TransformsBetween(w, 1.0, out);
}

int32_t screeWorld_TransformsBetween(ScreeWorld *w, double alpha, const double **out)
{
	if (!Check_Number(w, "alpha", alpha, 0.0, 1.0))
		return SCREE_BAD_ARGUMENT;
	const Dynamics *d = World_Dynamics(w->world);
	int count = Body_Count(d);
	if (!Array_Reserve(World_Memory(w->world), w->transforms, 8 * Int_Max(count, 1)))
		return Api_OutOfMemory(w);
	double *at = w->transforms.data;
	for (int slot = Body_First(d); slot >= 0; slot = Body_Next(d, slot), at += 8) {
		at[0] = Body_Id(d, slot);
		Pos origin = Body_Origin(d, slot);
		Quat rotation = Body_Pose(d, slot).q;
		if (alpha < 1.0)
			Body_Between(d, slot, alpha, &origin, &rotation);
		FromPos(origin, at + 1);
		FromQuat(rotation, at + 4);
	}
	*out = w->transforms.data;
	return count;
}

/* ---- pushing ----------------------------------------------------------------------------------------------------- */

/* Force or impulse at a world point: its moment about the centre of mass. */
static bool CheckPush(ScreeWorld *w, int slot, const char *name, const double *push, const double *at, Vec3 *linear,
                      Vec3 *angular)
{
	if (!Check_Vector(w, name, push, NUMBER_LIMIT) || (at && !Check_Vector(w, "at", at, MAX_COORDINATE)))
		return false;
	*linear = ToVec3(push);
	*angular = V3(0.0f, 0.0f, 0.0f);
	if (at)
		*angular = Cross(PosSub(ToPos(at), Body_Pose(World_Dynamics(w->world), slot).p), *linear);
	return true;
}

/* What a push would do to the velocities, checked before it is done: both must stay within what a body can have. */
static bool CheckImpulse(ScreeWorld *w, int slot, const char *name, Vec3 linear, Vec3 angular, double seconds)
{
	const Dynamics *d = World_Dynamics(w->world);
	Mat3 inertia = Body_Inertia(d, slot);
	double least = (double)Min(inertia.cx.x, Min(inertia.cy.y, inertia.cz.z));
	double speed = (double)Length(linear) / (double)Body_Mass(d, slot) * seconds;
	double turn = (double)Length(angular) / least * seconds;
	if (speed <= 1e12 && turn <= 1e12)
		return true;
	Api_Fail(w, ERROR_ARGUMENT, "%s is too large for a mass of %g kg", name, (double)Body_Mass(d, slot));
	return false;
}

int32_t screeAssembly_ApplyForce(ScreeWorld *w, ScreeId id, const double *force, const double *at)
{
	int slot = Check_Assembly(w, id);
	Vec3 f, t;
	if (slot < 0 || !CheckPush(w, slot, "force", force, at, &f, &t) || !CheckImpulse(w, slot, "force", f, t, 0.01))
		return SCREE_BAD_ARGUMENT;
	return Body_ApplyForce(World_Dynamics(w->world), slot, f, t) ? SCREE_OK : Api_OutOfMemory(w);
}

int32_t screeAssembly_ApplyImpulse(ScreeWorld *w, ScreeId id, const double *impulse, const double *at)
{
	int slot = Check_Assembly(w, id);
	Vec3 j, l;
	if (slot < 0 || !CheckPush(w, slot, "impulse", impulse, at, &j, &l) || !CheckImpulse(w, slot, "impulse", j, l, 1.0))
		return SCREE_BAD_ARGUMENT;
	return Body_ApplyImpulse(World_Dynamics(w->world), slot, j, l) ? SCREE_OK : Api_OutOfMemory(w);
}

int32_t screeAssembly_ApplyTorque(ScreeWorld *w, ScreeId id, const double *torque)
{
	int slot = Check_Assembly(w, id);
	Vec3 t, zero = {0.0f, 0.0f, 0.0f};
	if (slot < 0 || !CheckPush(w, slot, "torque", torque, NULL, &t, &zero) ||
	    !CheckImpulse(w, slot, "torque", zero, t, 0.01))
		return SCREE_BAD_ARGUMENT;
	return Body_ApplyForce(World_Dynamics(w->world), slot, zero, t) ? SCREE_OK : Api_OutOfMemory(w);
}

int32_t screeAssembly_ApplyAngularImpulse(ScreeWorld *w, ScreeId id, const double *impulse)
{
	int slot = Check_Assembly(w, id);
	Vec3 l, zero = {0.0f, 0.0f, 0.0f};
	if (slot < 0 || !CheckPush(w, slot, "impulse", impulse, NULL, &l, &zero) ||
	    !CheckImpulse(w, slot, "impulse", zero, l, 1.0))
		return SCREE_BAD_ARGUMENT;
	return Body_ApplyImpulse(World_Dynamics(w->world), slot, zero, l) ? SCREE_OK : Api_OutOfMemory(w);
}

int32_t screeAssembly_Wake(ScreeWorld *w, ScreeId id)
{
	int slot = Check_Assembly(w, id);
	if (slot < 0)
		return SCREE_BAD_ARGUMENT;
	return Body_Wake(World_Dynamics(w->world), slot, "asked to") ? SCREE_OK : Api_OutOfMemory(w);
}

int32_t screeAssembly_Sleep(ScreeWorld *w, ScreeId id)
{
	int slot = Check_Assembly(w, id);
	if (slot < 0)
		return SCREE_BAD_ARGUMENT;
	return Body_PutToSleep(World_Dynamics(w->world), slot) ? SCREE_OK : Api_OutOfMemory(w);
}

int32_t screeAssembly_MoveTo(ScreeWorld *w, ScreeId id, const double *position, const double *rotation, double dt)
{
	int slot = Check_Assembly(w, id);
	if (slot < 0)
		return SCREE_BAD_ARGUMENT;
	Dynamics *d = World_Dynamics(w->world);
	Quat q = Body_Pose(d, slot).q;
	if (Body_Motion(d, slot) != MOTION_KINEMATIC)
		return Api_Fail(w, ERROR_ARGUMENT, "the assembly's motion is %s, only kinematic ones are moved so",
		                Body_Motion(d, slot) == MOTION_STATIC ? "static" : "dynamic");
	if (!Check_Vector(w, "position", position, MAX_COORDINATE) ||
	    (rotation && !Check_Rotation(w, "rotation", rotation, &q)) || !Check_Number(w, "dt", dt, 1e-6, 1e6))
		return SCREE_BAD_ARGUMENT;
	double way = (double)Length(PosSub(ToPos(position), Body_Origin(d, slot)));
	if (way / dt > (double)MAX_SPEED)
		return Api_Fail(w, ERROR_ARGUMENT, "position is %g m away: too far for %g s (at most %g m/s)", way, dt,
		                (double)MAX_SPEED);
	return Body_MoveTo(d, slot, ToPos(position), q, (float)dt) ? SCREE_OK : Api_OutOfMemory(w);
}
