/* Joints in an archive. */
#include "dynamics/archive_internal.h"

/* A new field has to be named below, too. */
_Static_assert(sizeof(void *) != 8 || sizeof(Joint) == 464, "Joint has changed: so must Archive_Joint");
_Static_assert(sizeof(JointSettings) == 232, "JointSettings has changed: so must Archive_JointSettings");

static void Archive_JointSettings(Archive *ar, JointSettings *s)
{
	int motor = (int)s->motor;
	bool *flags[] = {&s->limited, &s->twist_limited, &s->by_stiffness, &s->drive_position, &s->drive_rotation};
	double *numbers[] = {&s->low,        &s->high,        &s->twist_low,    &s->twist_high,  &s->cone,
	                     &s->friction,   &s->motor_speed, &s->motor_target, &s->motor_max,   &s->length,
	                     &s->stiffness,  &s->damping,     &s->max_speed,    &s->max_turn,    &s->max_force,
	                     &s->max_torque, &s->response,    &s->break_force,  &s->break_torque};
	for (int i = 0; i < COUNT_OF(flags); i++)
		Archive_Bool(ar, flags[i]);
	for (int i = 0; i < COUNT_OF(numbers); i++) {
		Archive_F64(ar, numbers[i]);
		Archive_IsSound(ar, AbsD(*numbers[i]) <= JOINT_UNLIMITED, "a joint has a number beyond its limits");
	}
	Archive_Int(ar, &motor, MOTOR_OFF, MOTOR_SERVO);
	s->motor = (MotorMode)motor;
	Archive_Pos(ar, &s->position);
	Archive_Quat(ar, &s->rotation);
}

static void Archive_Joint(Dynamics *d, Archive *ar, Joint *j)
{
	int type = (int)j->type;
	Archive_Int(ar, &type, JOINT_WELD, JOINT_ALIGN);
	j->type = (JointType)type;
	Archive_Bool(ar, &j->broken);
	Archive_Bool(ar, &j->collide);
	Archive_Bool(ar, &j->reversed);
	Archive_Int(ar, &j->body_a, NONE, Int_Max(d->bodies.count - 1, NONE));
	Archive_Int(ar, &j->body_b, 0, Int_Max(d->bodies.count - 1, 0));
	Archive_U64(ar, &j->birth);
	Archive_JointSettings(ar, &j->settings);
	Archive_Vec3(ar, &j->anchor_a);
	Archive_Vec3(ar, &j->anchor_b);
	Archive_Pos(ar, &j->world_anchor);
	Archive_Quat(ar, &j->frame_a);
	Archive_Quat(ar, &j->frame_b);
	Archive_F64(ar, &j->angle);
	Archive_F32(ar, &j->step);
	Archive_F32s(ar, j->impulse, JOINT_IMPULSES);
	Archive_Vec3(ar, &j->total_linear);
	Archive_Vec3(ar, &j->total_angular);
	Archive_Vec3(ar, &j->rest);
	Archive_IsSound(ar, j->step >= 0.0f, "a joint's time is negative");
}

static bool IsAlive(const Dynamics *d, int body)
{
	return body < d->ids.alive.count && d->ids.alive.data[body];
}

static void ReadJoint(Dynamics *d, Archive *ar, int slot)
{
	Joint *j = &d->joints.data[slot];
	if (!Archive_IsSound(ar, d->joint_ids.alive.data[slot] && !j->alive, "a joint is there twice"))
		return;
	Archive_Joint(d, ar, j);
	Joint_NoteSettings(j);
	bool sound = IsAlive(d, j->body_b) && (j->body_a == NONE || IsAlive(d, j->body_a)) && j->body_a != j->body_b &&
	             !(j->reversed && j->body_a != NONE);
	if (ar->failure == ERROR_NONE && Archive_IsSound(ar, sound, "a joint joins nothing"))
		Joint_Link(d, slot);
}

/* In order of creation, which is that of the lists of bodies, too. */
bool Archive_Joints(Dynamics *d, Archive *ar)
{
	if (!Archive_Ids(&d->joint_ids, d->memory, ar))
		return false;
	Archive_U64(ar, &d->joint_births);
	if (ar->reading) {
		int slots = d->joint_ids.generation.count;
		if (!Array_Resize(d->memory, d->joints, slots)) {
			ar->failure = ERROR_MEMORY;
			return false;
		}
		for (int i = 0; i < slots; i++)
			d->joints.data[i] = (Joint){.alive = false};
	}
	int from = d->first_joint;
	for (int i = 0; i < d->joint_ids.live && ar->failure == ERROR_NONE; i++) {
		int slot = ar->reading ? 0 : from;
		from = ar->reading ? NONE : d->joints.data[from].next;
		Archive_Int(ar, &slot, 0, Int_Max(d->joints.count - 1, 0));
		if (ar->reading)
			ReadJoint(d, ar, slot);
		else
			Archive_Joint(d, ar, &d->joints.data[slot]);
	}
	return ar->failure == ERROR_NONE;
}
