/* Where the ends of a joint are, and what of it is wrong: its axes, arms, errors and masses, once a substep. */
#include "dynamics/solver_internal.h"

#define FAR 1e6f           /* rad: of a limit that does not count */
#define TWIST_LOST -0.9f   /* cosine of the lean beyond which a twist has no meaning */
#define BRAKE 0.8f         /* of the drive's own force, for stopping in time */
#define LEAST_LENGTH 1e-6f /* m: shorter has no direction */

/* ---- masses ------------------------------------------------------------------------------------------------------ */

/* Inverse of a symmetric matrix of one to three rows, stored xx xy xz yy yz zz. Rows without mass get 0. */
static void Invert(const float k[6], int n, float out[6])
{
	double a = k[0], b = k[1], e = k[3];
	memset(out, 0, 6 * sizeof *out);
	if (n == 1) {
		out[0] = a > 0.0 ? (float)(1.0 / a) : 0.0f;
		return;
	}
	if (n == 2) {
		double det = a * e - b * b, s = det > 0.0 ? 1.0 / det : 0.0;
		out[0] = (float)(s * e);
		out[1] = (float)(-s * b);
		out[3] = (float)(s * a);
		return;
	}
	Joint_Invert(k, out);
}

static const int entry[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};

static void SetMass(JointBlock *block, const float k[6])
{
	float sum = 0.0f;
	for (int i = 0; i < block->count; i++)
		sum += k[entry[i][i]];
	block->mean = block->count > 0 ? sum / (float)block->count : 0.0f;
	Invert(k, block->count, block->inverse);
}

static void SetLinearMass(const SolverBody *a, const SolverBody *b, JointConstraint *c)
{
	JointBlock *block = &c->linear;
	float k[6] = {0.0f};
	for (int i = 0; i < block->count; i++) {
		Vec3 turn_a = Cross(c->arm_a, block->axis[i]), turn_b = Cross(c->arm_b, block->axis[i]);
		Vec3 spin_a = MatMulV(a->inverse_inertia, turn_a), spin_b = MatMulV(b->inverse_inertia, turn_b);
		k[entry[i][i]] = a->inverse_mass + b->inverse_mass + Dot(turn_a, spin_a) + Dot(turn_b, spin_b);
		for (int j = 0; j < i; j++)
			k[entry[i][j]] =
			    Dot(Cross(c->arm_a, block->axis[j]), spin_a) + Dot(Cross(c->arm_b, block->axis[j]), spin_b);
	}
	SetMass(block, k);
}

static void SetAngularMass(Mat3 turning, JointBlock *block)
{
	float k[6] = {0.0f};
	for (int i = 0; i < block->count; i++)
		for (int j = 0; j <= i; j++)
			k[entry[i][j]] = Dot(block->axis[i], MatMulV(turning, block->axis[j]));
	SetMass(block, k);
}

static void SetRowMass(const SolverBody *a, const SolverBody *b, const JointConstraint *c, JointRow *row)
{
	if (row->turning) {
		row->inverse_mass = Dot(row->axis, MatMulV(MatAdd(a->inverse_inertia, b->inverse_inertia), row->axis));
		return;
	}
	Vec3 turn_a = Cross(c->arm_a, row->axis), turn_b = Cross(c->arm_b, row->axis);
	row->inverse_mass = a->inverse_mass + b->inverse_mass + Dot(turn_a, MatMulV(a->inverse_inertia, turn_a)) +
	                    Dot(turn_b, MatMulV(b->inverse_inertia, turn_b));
}

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

/* What has just been placed. */
typedef struct Placed {
	const SolverStep *step;
	const Joint *joint;
	const SolverBody *a, *b;
	Vec3 ra, rb, gap;      /* arms to the two ends, and from one end to the other */
	Quat frame_a, frame_b; /* now */
	Vec3 axis_a, axis_b;   /* their x */
	double angle;
} Placed;

static void SetError(JointBlock *block, Vec3 error)
{
	for (int k = 0; k < block->count; k++)
		block->error[k] = Dot(error, block->axis[k]);
}

static void SetAxes(JointBlock *block, Quat frame, int skip)
{
	block->axis[0] = Rotate(frame, V3(skip ? 0.0f : 1.0f, skip ? 1.0f : 0.0f, 0.0f));
	block->axis[1] = Rotate(frame, V3(0.0f, skip ? 0.0f : 1.0f, skip ? 1.0f : 0.0f));
	block->axis[2] = Rotate(frame, V3(0.0f, 0.0f, 1.0f));
}

static void SetWorldAxes(JointBlock *block)
{
	block->axis[0] = V3(1.0f, 0.0f, 0.0f);
	block->axis[1] = V3(0.0f, 1.0f, 0.0f);
	block->axis[2] = V3(0.0f, 0.0f, 1.0f);
}

/* Two bodies must be pushed at one point of the world, or an error would turn them out of nothing. */
static void MeetArms(const Placed *p, JointConstraint *c)
{
	c->arm_a = p->ra;
	c->arm_b = p->rb;
	if (p->a->inverse_mass <= 0.0f || p->b->inverse_mass <= 0.0f)
		return;
	c->arm_a = MulAdd(p->ra, 0.5f, p->gap);
	c->arm_b = MulSub(p->rb, 0.5f, p->gap);
}

/* Rotation vector from a's frame to b's; of large ones twice the sine of the half. */
static Vec3 TurnError(Quat from, Quat to)
{
	Quat q = QuatMul(to, QuatConj(from));
	float sign = q.w < 0.0f ? -2.0f : 2.0f;
	return V3(sign * q.x, sign * q.y, sign * q.z);
}

/* The speed at which a drive goes for its target: proportional to the way left, and so that it can stop in time. */
static float Approach(const SolverStep *step, float way, float response, float fastest, float force, float inverse_mass)
{
	float rate = Min(response, 0.5f * step->inverse_h);
	float brake = Sqrt(2.0f * BRAKE * Min(force * inverse_mass, 1e12f) * way);
	return Min(Min(rate * way, fastest), brake);
}

static void SetDrive(const Placed *p, JointBlock *block, Vec3 error, float fastest, float force)
{
	float way = Length(error);
	float speed = Approach(p->step, way, p->joint->settings.response, fastest, force, block->mean);
	SetError(block, error);
	for (int k = 0; k < block->count; k++)
		block->wanted[k] = way > 0.0f ? -speed / way * block->error[k] : 0.0f;
}

static void PlaceBlocks(const Placed *p, JointConstraint *c)
{
	const JointSettings *s = &p->joint->settings;
	JointBlock *angular = c->extra ? &c->extra->angular : NULL;
	bool along = p->joint->type == JOINT_SLIDER || p->joint->type == JOINT_CYLINDRICAL;
	if (along || c->linear.count < 3) {
		c->arm_a = along ? Add(p->ra, p->gap) : p->ra;
		c->arm_b = p->rb;
	} else {
		MeetArms(p, c);
	}
	if (c->linear.count == 3)
		SetWorldAxes(&c->linear);
	else if (along)
		SetAxes(&c->linear, p->frame_a, 1);
	if (p->joint->type == JOINT_ROD) {
		float length = Length(p->gap);
		c->linear.axis[0] = length > LEAST_LENGTH ? Scale(1.0f / length, p->gap) : p->axis_a;
		c->linear.error[0] = length - s->length;
	} else {
		SetError(&c->linear, p->gap);
	}
	SetLinearMass(p->a, p->b, c);
	if (c->linear.drive)
		SetDrive(p, &c->linear, p->gap, s->max_speed, s->max_force);
	if (!angular || angular->count == 0)
		return;
	if (angular->count == 3)
		SetWorldAxes(angular);
	else
		SetAxes(angular, p->frame_a, 1);
	SetAngularMass(MatAdd(p->a->inverse_inertia, p->b->inverse_inertia), angular);
	if (p->joint->type == JOINT_BALL)
		return; /* friction: holds no place, wants speed 0 */
	if (angular->drive)
		SetDrive(p, angular, TurnError(QuatMul(p->frame_a, s->rotation), p->frame_b), s->max_turn, s->max_torque);
	else
		SetError(angular, angular->count == 3 ? TurnError(p->frame_a, p->frame_b) : Cross(p->axis_a, p->axis_b));
}

/* ---- single rows ------------------------------------------------------------------------------------------------- */

static void PlaceMotor(const Placed *p, const JointConstraint *c, JointRow *row, float position)
{
	const JointSettings *s = &p->joint->settings;
	row->axis = p->axis_a;
	SetRowMass(p->a, p->b, c, row);
	row->max = Min(row->max, MAX_SPEED / Max(row->inverse_mass, 1e-20f));
	row->wanted = s->motor_speed;
	if (s->motor != MOTOR_SERVO)
		return;
	float way = s->motor_target - position;
	float speed = Approach(p->step, Abs(way), s->response, Abs(s->motor_speed), s->motor_max, row->inverse_mass);
	row->wanted = way < 0.0f ? -speed : speed;
}

/* A lower limit for an even slot... the first of a pair, an upper for the second. */
static void PlaceLimit(JointRow *row, bool upper, Vec3 axis, float position, float low, float high)
{
	row->axis = upper ? Neg(axis) : axis;
	row->error = upper ? high - position : position - low;
}

static void PlaceCone(const Placed *p, JointRow *row)
{
	Vec3 across = Cross(p->axis_a, p->axis_b);
	float sine = Length(across);
	float lean = (float)Trig_Atan2((double)sine, (double)Dot(p->axis_a, p->axis_b));
	row->axis = sine > LEAST_LENGTH ? Scale(-1.0f / sine, across) : Perpendicular(p->axis_a);
	row->error = p->joint->settings.cone - lean;
}

static void PlaceTwist(const Placed *p, JointRow *row)
{
	const JointSettings *s = &p->joint->settings;
	float cosine = Dot(p->axis_a, p->axis_b);
	Vec3 axis = p->axis_a;
	if (p->joint->type == JOINT_BALL)
		axis = Scale(1.0f / Max(1.0f + cosine, 1.0f + TWIST_LOST), Add(p->axis_a, p->axis_b));
	PlaceLimit(row, row->slot == 4, axis, (float)p->angle, s->twist_low, s->twist_high);
	if (cosine < TWIST_LOST)
		row->error = FAR;
}

/* Rope and spring: along the line between the ends. */
static void PlaceLine(const Placed *p, JointRow *row)
{
	const JointSettings *s = &p->joint->settings;
	float length = Length(p->gap);
	Vec3 axis = length > LEAST_LENGTH ? Scale(1.0f / length, p->gap) : p->axis_a;
	row->axis = row->kind == ROW_LIMIT ? Neg(axis) : axis;
	row->error = row->kind == ROW_LIMIT ? s->length - length : length - s->length;
}

/* Of frequency and ratio, those of the mass that moves. */
static void SetSpring(const Placed *p, JointRow *row)
{
	const JointSettings *s = &p->joint->settings;
	row->stiffness = s->stiffness;
	row->damping = s->damping;
	if (s->by_stiffness)
		return;
	float mass = row->inverse_mass > 0.0f ? 1.0f / row->inverse_mass : 0.0f;
	float omega = 2.0f * PI_F * s->stiffness;
	row->stiffness = mass * omega * omega;
	row->damping = 2.0f * mass * s->damping * omega;
}

static void PlaceRow(const Placed *p, const JointConstraint *c, JointRow *row)
{
	const JointSettings *s = &p->joint->settings;
	JointType type = p->joint->type;
	bool turns = type == JOINT_HINGE;
	float position = turns ? (float)p->angle : Dot(p->gap, p->axis_a);
	if (row->slot <= 1)
		PlaceLimit(row, row->slot == 1, p->axis_a, position, s->low, s->high);
	else if (row->slot >= 3)
		PlaceTwist(p, row);
	else if (row->kind == ROW_DRIVE)
		PlaceMotor(p, c, row, position);
	else if (type == JOINT_BALL)
		PlaceCone(p, row);
	else
		PlaceLine(p, row);
	SetRowMass(p->a, p->b, c, row);
	if (row->kind == ROW_SPRING)
		SetSpring(p, row);
}

/* ---- one constraint ---------------------------------------------------------------------------------------------- */

static bool HasAngle(const Joint *j)
{
	return j->type == JOINT_HINGE || j->type == JOINT_CYLINDRICAL ||
	       (j->type == JOINT_BALL && j->settings.twist_limited);
}

void Joint_PlaceConstraint(const SolverStep *step, int index)
{
	JointConstraint *c = &step->joints.list[index];
	JointFrames *f = &step->joints.frames[index];
	Vec3 x = V3(1.0f, 0.0f, 0.0f);
	Placed p = {.step = step,
	            .joint = &step->dynamics->joints.data[c->joint],
	            .a = &step->bodies[c->a],
	            .b = &step->bodies[c->b]};
	p.ra = Rotate(p.a->turn, f->start_a);
	p.rb = Rotate(p.b->turn, f->start_b);
	Vec3 moved = Sub(Add(p.b->shift, Sub(p.rb, f->start_b)), Add(p.a->shift, Sub(p.ra, f->start_a)));
	p.gap = Add(f->start_gap, moved);
	p.frame_a = QuatMul(p.a->turn, f->a);
	p.frame_b = QuatMul(p.b->turn, f->b);
	p.axis_a = Rotate(p.frame_a, x);
	p.axis_b = Rotate(p.frame_b, x);
	if (HasAngle(p.joint))
		f->angle = Joint_Twist(p.frame_a, p.frame_b, f->angle);
	p.angle = f->angle;
	PlaceBlocks(&p, c);
	for (int i = 0; c->extra && i < c->extra->row_count; i++)
		PlaceRow(&p, c, &c->extra->rows[i]);
}
