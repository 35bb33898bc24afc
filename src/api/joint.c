/* Joints: making, changing, listing. */
#include "api/api_internal.h"

#include <stdio.h>

static const char *const type_names[] = {"weld", "ball", "hinge",  "slider", "cylindrical",
                                         "rope", "rod",  "spring", "align"};

#define ANGLE_LIMIT 1e6    /* rad */
#define DISTANCE_LIMIT 1e9 /* m */
#define RATE_LIMIT 1e6     /* Hz, 1/s, ratio */

void scree_joint_defaults(ScreeJointDef *def)
{
	*def = (ScreeJointDef){.type = SCREE_JOINT_WELD,
	                       .settings = {.cone = -1.0,
	                                    .motor_max = SCREE_JOINT_UNLIMITED,
	                                    .length = -1.0,
	                                    .rotation = {0.0, 0.0, 0.0, 1.0},
	                                    .max_speed = SCREE_JOINT_UNLIMITED,
	                                    .max_turn = SCREE_JOINT_UNLIMITED,
	                                    .max_force = SCREE_JOINT_UNLIMITED,
	                                    .max_torque = SCREE_JOINT_UNLIMITED,
	                                    .response = 10.0,
	                                    .break_force = SCREE_JOINT_UNLIMITED,
	                                    .break_torque = SCREE_JOINT_UNLIMITED}};
}

int Check_Joint(ScreeWorld *w, ScreeId id)
{
	int slot = Joint_Find(World_Dynamics(w->world), id);
	if (slot < 0)
		Api_Fail(w, ERROR_ARGUMENT, "joint %.17g does not exist (any more)", id);
	return slot;
}

/* ---- settings ---------------------------------------------------------------------------------------------------- */

static bool CheckRange(ScreeWorld *w, const char *name, double low, double high, double limit)
{
	char item[32];
	snprintf(item, sizeof item, "%s[1]", name);
	if (!Check_Number(w, item, low, -limit, limit))
		return false;
	snprintf(item, sizeof item, "%s[2]", name);
	if (!Check_Number(w, item, high, -limit, limit))
		return false;
	if (low <= high)
		return true;
	Api_Fail(w, ERROR_ARGUMENT, "%s must go from low to high, got %g to %g", name, low, high);
	return false;
}

static bool CheckUpTo(ScreeWorld *w, const char *name, double value, double most)
{
	return Check_Number(w, name, value, 0.0, most);
}

static bool CheckLimits(ScreeWorld *w, JointType type, const ScreeJointSettings *s)
{
	bool turns = type == JOINT_HINGE;
	return Check_Flag(w, "limited", s->limited) && Check_Flag(w, "twist_limited", s->twist_limited) &&
	       (!s->limited || CheckRange(w, "limits", s->low, s->high, turns ? ANGLE_LIMIT : DISTANCE_LIMIT)) &&
	       (!s->twist_limited ||
	        CheckRange(w, "twist", s->twist_low, s->twist_high, type == JOINT_BALL ? PI : ANGLE_LIMIT)) &&
	       (s->cone < 0.0 || CheckUpTo(w, "cone", s->cone, PI)) && CheckUpTo(w, "friction", s->friction, NUMBER_LIMIT);
}

static bool CheckMotor(ScreeWorld *w, const ScreeJointSettings *s)
{
	if (!Check_Index(w, "motor", s->motor, 3) || s->motor == SCREE_MOTOR_OFF)
		return s->motor == SCREE_MOTOR_OFF;
	const char *name = s->motor == SCREE_MOTOR_SERVO ? "servo" : "motor";
	char speed[32], max[32];
	snprintf(speed, sizeof speed, "%s.speed", name);
	snprintf(max, sizeof max, "%s.max", name);
	double least = s->motor == SCREE_MOTOR_SERVO ? 0.0 : -NUMBER_LIMIT;
	return Check_Number(w, speed, s->motor_speed, least, NUMBER_LIMIT) &&
	       Check_Number(w, "servo.target", s->motor_target, -DISTANCE_LIMIT, DISTANCE_LIMIT) &&
	       CheckUpTo(w, max, s->motor_max, NUMBER_LIMIT) && Check_Number(w, "response", s->response, 0.0, RATE_LIMIT);
}

static bool CheckLength(ScreeWorld *w, JointType type, double length)
{
	if (type == JOINT_SPRING)
		return CheckUpTo(w, "length", length, DISTANCE_LIMIT);
	if (type != JOINT_ROPE && type != JOINT_ROD)
		return true;
	return Check_Positive(w, "length", length) && Check_Number(w, "length", length, 1e-6, DISTANCE_LIMIT);
}

static bool CheckSpring(ScreeWorld *w, JointType type, const ScreeJointSettings *s)
{
	if (type != JOINT_SPRING)
		return true;
	const char *name = s->by_stiffness ? "stiffness" : "frequency";
	return Check_Flag(w, "by_stiffness", s->by_stiffness) && Check_Positive(w, name, s->stiffness) &&
	       Check_Number(w, name, s->stiffness, 1e-9, s->by_stiffness ? NUMBER_LIMIT : RATE_LIMIT) &&
	       CheckUpTo(w, "damping", s->damping, s->by_stiffness ? NUMBER_LIMIT : RATE_LIMIT);
}

static bool CheckAlign(ScreeWorld *w, const ScreeJointSettings *s, Quat *rotation)
{
	return Check_Flag(w, "drive_position", s->drive_position) && Check_Flag(w, "drive_rotation", s->drive_rotation) &&
	       Check_Vector(w, "position", s->position, MAX_COORDINATE) &&
	       Check_Rotation(w, "rotation", s->rotation, rotation) &&
	       CheckUpTo(w, "max_speed", s->max_speed, NUMBER_LIMIT) &&
	       CheckUpTo(w, "max_turn", s->max_turn, NUMBER_LIMIT) &&
	       CheckUpTo(w, "max_force", s->max_force, NUMBER_LIMIT) &&
	       CheckUpTo(w, "max_torque", s->max_torque, NUMBER_LIMIT) && CheckUpTo(w, "response", s->response, RATE_LIMIT);
}

static bool CheckSettings(ScreeWorld *w, JointType type, const ScreeJointSettings *s, JointSettings *out)
{
	Quat rotation = QuatIdentity();
	if (!CheckLimits(w, type, s) || !CheckMotor(w, s) || !CheckLength(w, type, s->length) || !CheckSpring(w, type, s) ||
	    !CheckAlign(w, s, &rotation) || !CheckUpTo(w, "break_force", s->break_force, NUMBER_LIMIT) ||
	    !CheckUpTo(w, "break_torque", s->break_torque, NUMBER_LIMIT))
		return false;
	*out = (JointSettings){.limited = s->limited != 0,
	                       .low = s->low,
	                       .high = s->high,
	                       .twist_limited = s->twist_limited != 0,
	                       .twist_low = s->twist_low,
	                       .twist_high = s->twist_high,
	                       .cone = s->cone,
	                       .friction = s->friction,
	                       .motor = (MotorMode)s->motor,
	                       .motor_speed = s->motor_speed,
	                       .motor_target = s->motor_target,
	                       .motor_max = s->motor_max,
	                       .length = s->length,
	                       .by_stiffness = s->by_stiffness != 0,
	                       .stiffness = s->stiffness,
	                       .damping = s->damping,
	                       .drive_position = s->drive_position != 0,
	                       .drive_rotation = s->drive_rotation != 0,
	                       .position = ToPos(s->position),
	                       .rotation = rotation,
	                       .max_speed = s->max_speed,
	                       .max_turn = s->max_turn,
	                       .max_force = s->max_force,
	                       .max_torque = s->max_torque,
	                       .response = s->response,
	                       .break_force = s->break_force,
	                       .break_torque = s->break_torque};
	return true;
}

static void FillSettings(const JointSettings *s, ScreeJointSettings *out)
{
	*out = (ScreeJointSettings){.limited = s->limited,
	                            .low = s->low,
	                            .high = s->high,
	                            .twist_limited = s->twist_limited,
	                            .twist_low = s->twist_low,
	                            .twist_high = s->twist_high,
	                            .cone = s->cone,
	                            .friction = s->friction,
	                            .motor = (int32_t)s->motor,
	                            .motor_speed = s->motor_speed,
	                            .motor_target = s->motor_target,
	                            .motor_max = s->motor_max,
	                            .length = s->length,
	                            .by_stiffness = s->by_stiffness,
	                            .stiffness = s->stiffness,
	                            .damping = s->damping,
	                            .drive_position = s->drive_position,
	                            .drive_rotation = s->drive_rotation,
	                            .max_speed = s->max_speed,
	                            .max_turn = s->max_turn,
	                            .max_force = s->max_force,
	                            .max_torque = s->max_torque,
	                            .response = s->response,
	                            .break_force = s->break_force,
	                            .break_torque = s->break_torque};
	FromPos(s->position, out->position);
	FromQuat(s->rotation, out->rotation);
}

/* ---- making ------------------------------------------------------------------------------------------------------ */

static bool CheckSides(ScreeWorld *w, const ScreeJointDef *def, JointDef *out)
{
	out->a = out->b = -1;
	if (def->a == 0.0 && def->b == 0.0) {
		Api_Fail(w, ERROR_ARGUMENT, "a or b must be an assembly: both are left out");
		return false;
	}
	if (def->a != 0.0 && (out->a = Check_Assembly(w, def->a)) < 0)
		return false;
	if (def->b != 0.0 && (out->b = Check_Assembly(w, def->b)) < 0)
		return false;
	if (out->a != out->b)
		return true;
	Api_Fail(w, ERROR_ARGUMENT, "a and b must be two assemblies, not the same");
	return false;
}

static bool IsLine(JointType type)
{
	return type == JOINT_ROPE || type == JOINT_ROD || type == JOINT_SPRING;
}

static bool PlaceEnds(ScreeWorld *w, const ScreeJointDef *def, JointDef *out)
{
	const Dynamics *d = World_Dynamics(w->world);
	if (!Check_Flag(w, "has_at", def->has_at) || !Check_Flag(w, "has_at_a", def->has_at_a) ||
	    !Check_Flag(w, "has_at_b", def->has_at_b) || (def->has_at && !Check_Vector(w, "at", def->at, MAX_COORDINATE)) ||
	    (def->has_at_a && !Check_Vector(w, "at_a", def->at_a, MAX_COORDINATE)) ||
	    (def->has_at_b && !Check_Vector(w, "at_b", def->at_b, MAX_COORDINATE)))
		return false;
	Pos center_a = Body_Pose(d, out->a >= 0 ? out->a : out->b).p,
	    center_b = Body_Pose(d, out->b >= 0 ? out->b : out->a).p;
	if (!IsLine(out->type)) {
		if (def->has_at_a || def->has_at_b) {
			Api_Fail(w, ERROR_ARGUMENT, "%s belongs to rope, rod and spring, not to %s",
			         def->has_at_a ? "at_a" : "at_b", type_names[out->type]);
			return false;
		}
		out->anchor_a = out->anchor_b = def->has_at ? ToPos(def->at) : center_b;
		return true;
	}
	bool at_b = out->b < 0; /* `at` is the end at the world, if there is one, else that at a */
	out->anchor_a = def->has_at_a ? ToPos(def->at_a) : def->has_at && !at_b ? ToPos(def->at) : center_a;
	out->anchor_b = def->has_at_b ? ToPos(def->at_b) : def->has_at && at_b ? ToPos(def->at) : center_b;
	return true;
}

static bool CheckAxis(ScreeWorld *w, const ScreeJointDef *def, JointDef *out)
{
	bool needed = out->type == JOINT_HINGE || out->type == JOINT_SLIDER || out->type == JOINT_CYLINDRICAL ||
	              (out->type == JOINT_BALL && (def->settings.cone >= 0.0 || def->settings.twist_limited));
	if (!Check_Vector(w, "axis", def->axis, NUMBER_LIMIT))
		return false;
	double most = 0.0;
	for (int i = 0; i < 3; i++)
		most = MaxD(most, AbsD(def->axis[i]));
	out->axis = V3(0.0f, 1.0f, 0.0f);
	if (most > 0.0) {
		double scaled[3] = {def->axis[0] / most, def->axis[1] / most, def->axis[2] / most};
		out->axis = Normalize(ToVec3(scaled));
	} else if (needed) {
		Api_Fail(w, ERROR_ARGUMENT, "axis is missing or of length 0: a %s needs one", type_names[out->type]);
		return false;
	}
	return true;
}

/* Where b's anchor and b are now, in the frame of a (of the world); where b is the world, a is what is moved. */
static void FillTarget(const Dynamics *d, const JointDef *def, ScreeJointSettings *s)
{
	int moved = def->b >= 0 ? def->b : def->a, base = def->b >= 0 ? def->a : -1;
	Pos position = def->anchor_b;
	Quat rotation = Body_Pose(d, moved).q;
	if (base >= 0) {
		Pose frame = {Body_Origin(d, base), Body_Pose(d, base).q};
		Vec3 p = PoseInvPoint(frame, position);
		position = (Pos){p.x, p.y, p.z};
		rotation = QuatInvMul(frame.q, rotation);
	}
	if (s->drive_position == 2) {
		FromPos(position, s->position);
		s->drive_position = 1;
	}
	if (s->drive_rotation == 2) {
		FromQuat(rotation, s->rotation);
		s->drive_rotation = 1;
	}
}

int32_t screeJoint_Create(ScreeWorld *w, const ScreeJointDef *def, ScreeId *id)
{
	Dynamics *d = World_Dynamics(w->world);
	JointDef joint = {.collide = def->collide != 0};
	ScreeJointSettings settings = def->settings;
	if (!Check_Index(w, "type", def->type, COUNT_OF(type_names)) || !Check_Flag(w, "collide", def->collide))
		return SCREE_BAD_ARGUMENT;
	joint.type = (JointType)def->type;
	if (!CheckSides(w, def, &joint) || !CheckAxis(w, def, &joint) || !PlaceEnds(w, def, &joint))
		return SCREE_BAD_ARGUMENT;
	if (IsLine(joint.type) && settings.length < 0.0) {
		settings.length = (double)Length(PosSub(joint.anchor_b, joint.anchor_a));
		if (settings.length < 1e-6 && joint.type != JOINT_SPRING)
			return Api_Fail(w, ERROR_ARGUMENT, "length is missing: both ends are at the same point");
	}
	if (joint.type == JOINT_ALIGN)
		FillTarget(d, &joint, &settings);
	if (!CheckSettings(w, joint.type, &settings, &joint.settings))
		return SCREE_BAD_ARGUMENT;
	*id = Joint_Create(d, &joint);
	return *id == ID_NONE ? Api_OutOfMemory(w) : SCREE_OK;
}

int32_t screeJoint_Destroy(ScreeWorld *w, ScreeId id)
{
	int slot = Check_Joint(w, id);
	if (slot < 0)
		return SCREE_BAD_ARGUMENT;
	return Joint_Destroy(World_Dynamics(w->world), slot) ? SCREE_OK : Api_OutOfMemory(w);
}

int32_t screeJoint_IsValid(const ScreeWorld *w, ScreeId id)
{
	return Joint_Find(World_Dynamics(w->world), id) >= 0;
}

int32_t screeJoint_Set(ScreeWorld *w, ScreeId id, const ScreeJointSettings *settings)
{
	int slot = Check_Joint(w, id);
	JointSettings checked;
	Dynamics *d = World_Dynamics(w->world);
	if (slot < 0 || !CheckSettings(w, Joint_Type(d, slot), settings, &checked))
		return SCREE_BAD_ARGUMENT;
	return Joint_SetSettings(d, slot, &checked) ? SCREE_OK : Api_OutOfMemory(w);
}

int32_t screeJoint_Get(ScreeWorld *w, ScreeId id, ScreeJoint *out)
{
	int slot = Check_Joint(w, id);
	if (slot < 0)
		return SCREE_BAD_ARGUMENT;
	JointState state = Joint_State(World_Dynamics(w->world), slot);
	JointSettings settings = Joint_Settings(World_Dynamics(w->world), slot);
	*out = (ScreeJoint){.type = (int32_t)state.type,
	                    .collide = state.collide,
	                    .broken = state.broken,
	                    .a = state.a,
	                    .b = state.b,
	                    .angle = state.angle,
	                    .distance = state.distance};
	FromPos(state.anchor_a, out->at_a);
	FromPos(state.anchor_b, out->at_b);
	FromVec3(state.axis, out->axis);
	FromVec3(state.impulse, out->impulse);
	FromVec3(state.angular_impulse, out->angular_impulse);
	FillSettings(&settings, &out->settings);
	return SCREE_OK;
}

/* ---- lists ------------------------------------------------------------------------------------------------------- */

int32_t screeWorld_Joints(ScreeWorld *w, const ScreeId **out)
{
	const Dynamics *d = World_Dynamics(w->world);
	w->ids.count = 0;
	for (int slot = Joint_First(d); slot >= 0; slot = Joint_Next(d, slot))
		if (!Joint_IsBroken(d, slot) && !Array_Push(World_Memory(w->world), w->ids, Joint_Id(d, slot)))
			return Api_OutOfMemory(w);
	*out = w->ids.data;
	return w->ids.count;
}

int32_t screeAssembly_Joints(ScreeWorld *w, ScreeId id, int32_t broken, const ScreeId **out)
{
	int slot = Check_Assembly(w, id);
	if (slot < 0 || !Check_Flag(w, "broken", broken))
		return SCREE_BAD_ARGUMENT;
	const Dynamics *d = World_Dynamics(w->world);
	w->ids.count = 0;
	for (int cursor = -1, joint; (joint = Body_NextJoint(d, slot, broken != 0, &cursor)) >= 0;)
		if (!Array_Push(World_Memory(w->world), w->ids, Joint_Id(d, joint)))
			return Api_OutOfMemory(w);
	for (int i = 0, k = w->ids.count - 1; i < k; i++, k--) { /* the newest came first */
		ScreeId swapped = w->ids.data[i];
		w->ids.data[i] = w->ids.data[k];
		w->ids.data[k] = swapped;
	}
	*out = w->ids.data;
	return w->ids.count;
}

static int ListMechanisms(ScreeWorld *w, int only)
{
	const Dynamics *d = World_Dynamics(w->world);
	Memory *memory = World_Memory(w->world);
	w->mechanisms.count = 0;
	if (!Dynamics_Mechanisms(d, only, memory, &w->mechanisms))
		return Api_OutOfMemory(w);
	int count = w->mechanisms.count / 2;
	if (!Array_Resize(memory, w->ids, count) || !Array_Resize(memory, w->numbers, count))
		return Api_OutOfMemory(w);
	for (int i = 0; i < count; i++) {
		w->ids.data[i] = Body_Id(d, w->mechanisms.data[2 * i]);
		w->numbers.data[i] = w->mechanisms.data[2 * i + 1];
	}
	return count;
}

int32_t screeWorld_Mechanisms(ScreeWorld *w, const ScreeId **out, const int32_t **mechanism)
{
	int count = ListMechanisms(w, -1);
	*out = w->ids.data;
	*mechanism = w->numbers.data;
	return count;
}

int32_t screeAssembly_Mechanism(ScreeWorld *w, ScreeId id, const ScreeId **out)
{
	int slot = Check_Assembly(w, id);
	if (slot < 0)
		return SCREE_BAD_ARGUMENT;
	int count = ListMechanisms(w, slot);
	*out = w->ids.data;
	return count;
}
