/* From joints to one step's constraints, and back. */
#include "dynamics/solver_internal.h"

/* ---- which ------------------------------------------------------------------------------------------------------- */

/* Joints of the awake and the watched, each once: by its side b, or by a where b does not move. */
static void ListBody(SolverStep *step, int slot)
{
	const Dynamics *d = step->dynamics;
	for (int link = d->bodies.data[slot].joints, next; link != NONE; link = next) {
		const Joint *j = &d->joints.data[link >> 1];
		next = j->link[link & 1].next;
		int a = Solver_Index(d, j->body_a), b = Solver_Index(d, j->body_b);
		bool moves = step->bodies[a].inverse_mass > 0.0f || step->bodies[b].inverse_mass > 0.0f;
		if (!j->broken && moves && ((link & 1) || b == 0))
			Joint_AddSource(step, link >> 1, a, b);
	}
}

/* The joint that comes after `steps` others in a body's list; those are there. */
static void FetchLink(const Dynamics *d, int place, int steps)
{
	int link = place < d->awake.count ? d->bodies.data[d->awake.data[place]].joints : NONE;
	for (; steps > 0 && link != NONE; steps--)
		link = d->joints.data[link >> 1].link[link & 1].next;
	if (link != NONE)
		Fetch(&d->joints.data[link >> 1], 128);
}

static void ListSources(SolverStep *step)
{
	const Dynamics *d = step->dynamics;
	for (int i = 0; i < d->awake.count; i++) {
		if (i + 2 * FETCH_AHEAD < d->awake.count)
			Fetch(&d->bodies.data[d->awake.data[i + 2 * FETCH_AHEAD]], 128);
		for (int k = 0; k < 4; k++)
			FetchLink(d, i + 2 * (4 - k), k);
		ListBody(step, d->awake.data[i]);
	}
	for (int i = 0; i < d->watched.count; i++)
		ListBody(step, d->watched.data[i]);
}

/* How many may come, at most. */
static int CountLinks(const Dynamics *d)
{
	int links = 0;
	if (d->holding_joints <= 4 * d->awake.count)
		return d->holding_joints;
	for (int i = 0; i < d->awake.count; i++)
		links += d->bodies.data[d->awake.data[i]].joint_count;
	for (int i = 0; i < d->watched.count; i++)
		links += d->bodies.data[d->watched.data[i]].joint_count;
	return links;
}

/* ---- constraints ------------------------------------------------------------------------------------------------- */

static int LinearRows(JointType type)
{
	static const int rows[] = {
	    [JOINT_WELD] = 3, [JOINT_BALL] = 3,        [JOINT_HINGE] = 3,  [JOINT_SLIDER] = 2, [JOINT_ROD] = 1,
	    [JOINT_ROPE] = 0, [JOINT_CYLINDRICAL] = 2, [JOINT_SPRING] = 0, [JOINT_ALIGN] = 3};
	return rows[type];
}

static int AngularRows(JointType type)
{
	static const int rows[] = {
	    [JOINT_WELD] = 3, [JOINT_BALL] = 0,        [JOINT_HINGE] = 2,  [JOINT_SLIDER] = 3, [JOINT_ROD] = 0,
	    [JOINT_ROPE] = 0, [JOINT_CYLINDRICAL] = 2, [JOINT_SPRING] = 0, [JOINT_ALIGN] = 3};
	return rows[type];
}

static void AddRow(JointExtra *extra, RowKind kind, int slot, bool turning)
{
	extra->rows[extra->row_count++] = (JointRow){.kind = kind, .slot = slot, .turning = turning};
}

/* Limits come as two rows, low and high, in slots of their own. */
static void AddLimits(JointExtra *extra, int slot, bool turning)
{
	AddRow(extra, ROW_LIMIT, slot, turning);
	AddRow(extra, ROW_LIMIT, slot + 1, turning);
}

/* Slots of single rows: 0 and 1 limits, 2 the motor, spring, rope or cone, 3 and 4 limits of twist. */
static void ListRows(const Joint *j, JointExtra *extra)
{
	const JointSettings *s = &j->settings;
	bool axial = j->type == JOINT_SLIDER || j->type == JOINT_CYLINDRICAL;
	if (axial || j->type == JOINT_HINGE) {
		if (s->motor != MOTOR_OFF)
			AddRow(extra, ROW_DRIVE, 2, !axial);
		if (s->limited)
			AddLimits(extra, 0, !axial);
	}
	if (j->type == JOINT_ROPE)
		AddRow(extra, ROW_LIMIT, 2, false);
	if (j->type == JOINT_SPRING)
		AddRow(extra, ROW_SPRING, 2, false);
	if (j->type == JOINT_BALL && s->cone >= 0.0f)
		AddRow(extra, ROW_LIMIT, 2, true);
	if ((j->type == JOINT_BALL || j->type == JOINT_CYLINDRICAL) && s->twist_limited)
		AddLimits(extra, 3, true);
}

static bool NeedsExtra(const Joint *j)
{
	const JointSettings *s = &j->settings;
	bool lone = j->type == JOINT_ROD ||
	            (j->type == JOINT_BALL && !(s->cone >= 0.0f) && !s->twist_limited && !(s->friction > 0.0));
	return !lone;
}

void Joint_NoteSettings(Joint *j)
{
	const JointSettings *s = &j->settings;
	j->plain = j->type == JOINT_BALL && !NeedsExtra(j);
	j->tears = s->break_force < JOINT_UNLIMITED || s->break_torque < JOINT_UNLIMITED;
}

static void StartExtra(const SolverStep *step, const Joint *j, JointExtra *extra, float scale)
{
	*extra = (JointExtra){.angular.count = AngularRows(j->type)};
	if (j->type == JOINT_ALIGN) {
		extra->angular.drive = true;
		extra->angular.max = step->h * j->settings.max_torque;
		if (!j->settings.drive_rotation)
			extra->angular.count = 0;
	}
	if (j->type == JOINT_BALL && j->settings.friction > 0.0) { /* a drive that wants rest */
		extra->angular.drive = true;
		extra->angular.count = 3;
		extra->angular.max = step->h * (float)j->settings.friction;
	}
	ListRows(j, extra);
	for (int k = 0; k < extra->angular.count; k++)
		extra->angular.impulse[k] = scale * j->impulse[3 + k];
	for (int i = 0; i < extra->row_count; i++) {
		JointRow *row = &extra->rows[i];
		row->impulse = scale * j->impulse[6 + row->slot];
		row->max = step->h * j->settings.motor_max;
		if (row->kind == ROW_DRIVE) /* it may be weaker than it was */
			row->impulse = Clamp(row->impulse, -row->max, row->max);
	}
}

/* Impulses are those of a substep: of a shorter one there is less. */
float Joint_ImpulseScale(const SolverStep *step, const Joint *j)
{
	return j->step > 0.0f ? Min(step->h / j->step, 1.0f) : 0.0f;
}

static void StartConstraint(SolverStep *step, int index)
{
	Dynamics *d = step->dynamics;
	const JointSource *source = &step->joints.sources[index];
	const Joint *j = &d->joints.data[source->joint];
	JointPlace place = Joint_Place(d, j);
	step->joints.frames[index] =
	    (JointFrames){place.frame_a, place.frame_b, place.arm_a, place.arm_b, place.gap, j->angle};
	JointConstraint *c = &step->joints.list[index];
	JointExtra *extra = c->extra;
	*c = (JointConstraint){.a = source->a, .b = source->b, .joint = source->joint, .extra = extra};
	c->linear.count = LinearRows(j->type);
	if (j->type == JOINT_ALIGN) {
		c->linear.drive = true;
		c->linear.max = step->h * j->settings.max_force;
		if (!j->settings.drive_position)
			c->linear.count = 0;
	}
	float scale = Joint_ImpulseScale(step, j);
	for (int k = 0; k < c->linear.count; k++)
		c->linear.impulse[k] = scale * j->impulse[k];
	if (extra)
		StartExtra(step, j, extra, scale);
	Joint_PlaceConstraint(step, index);
}

static void StartRange(void *context, int begin, int end, int worker)
{
	(void)worker;
	SolverStep *step = context;
	for (int i = begin; i < end; i++)
		if (!step->joints.sources[i].wide)
			StartConstraint(step, i);
}

static void SetLane(Lanes3 *to, int lane, Vec3 v)
{
	to->x[lane] = v.x;
	to->y[lane] = v.y;
	to->z[lane] = v.z;
}

static void StartBall(const SolverStep *step, WideBall *c)
{
	const Dynamics *d = step->dynamics;
	int first = c->first, count = c->count;
	memset(c, 0, sizeof *c);
	c->first = first;
	c->count = (uint8_t)count;
	for (int lane = 0; lane < count; lane++) {
		const JointSource *source = &step->joints.sources[first + lane];
		const JointEnds *ends = &step->joints.ends[source->ends];
		c->a[lane] = source->a;
		c->b[lane] = source->b;
		c->move_a |= (uint8_t)((step->bodies[source->a].inverse_mass > 0.0f) << lane);
		c->move_b |= (uint8_t)((step->bodies[source->b].inverse_mass > 0.0f) << lane);
		SetLane(&c->start_a, lane, ends->arm_a);
		SetLane(&c->start_b, lane, ends->arm_b);
		SetLane(&c->start_gap, lane, ends->gap);
		SetLane(&c->impulse, lane, ends->impulse);
	}
	d->kernel->run_balls(step, JOINTS_PLACE, c, 1);
}

static void StartBalls(void *context, int begin, int end, int worker)
{
	(void)worker;
	SolverStep *step = context;
	for (int i = begin; i < end; i++)
		StartBall(step, &step->joints.balls[i]);
}

static bool ShareExtras(SolverStep *step)
{
	const Dynamics *d = step->dynamics;
	JointStep *joints = &step->joints;
	int count = 0;
	for (int i = 0; i < joints->count; i++)
		count += !joints->sources[i].wide && NeedsExtra(&d->joints.data[joints->sources[i].joint]);
	joints->extras = Arena_Array(&step->dynamics->arena, JointExtra, count);
	if (!joints->extras)
		return false;
	int next = 0;
	for (int i = 0; i < joints->count; i++) {
		if (joints->sources[i].wide)
			continue;
		bool needs = NeedsExtra(&d->joints.data[joints->sources[i].joint]);
		joints->list[i].extra = needs ? &joints->extras[next++] : NULL;
	}
	return true;
}

/* Room for the equations of mechanisms: their rows follow from what the constraints are. */
static bool ShareRows(SolverStep *step)
{
	JointStep *joints = &step->joints;
	Arena *arena = &step->dynamics->arena;
	joints->first_row = Arena_Array(arena, int, joints->count + 1);
	if (!joints->first_row)
		return false;
	int rows = 0;
	for (int i = 0; i < joints->count; i++) {
		const JointConstraint *c = &joints->list[i];
		joints->first_row[i] = rows;
		if (joints->sources[i].group >= FIRST_MECHANISM)
			rows += c->linear.count + (c->extra ? c->extra->angular.count + c->extra->row_count : 0);
	}
	joints->first_row[joints->count] = rows;
	joints->rows = Arena_Array(arena, SystemRow, rows);
	return joints->rows != NULL;
}

bool Joints_Gather(SolverStep *step)
{
	Dynamics *d = step->dynamics;
	JointStep *joints = &step->joints;
	*joints = (JointStep){.count = 0};
	int links = CountLinks(d);
	if (links == 0)
		return true;
	joints->sources = Arena_Array(&d->arena, JointSource, links);
	joints->ends = Arena_Array(&d->arena, JointEnds, links);
	joints->tensions = Arena_Array(&d->arena, JointTension, step->body_count);
	if (!joints->sources || !joints->ends || !joints->tensions)
		return false;
	memset(joints->tensions, 0, sizeof *joints->tensions * (size_t)step->body_count);
	ListSources(step);
	Joints_Calm(step);
	return Contact_ReserveEvents(d, 2 * d->awake_contacts.count + joints->count);
}

bool Joints_Prepare(SolverStep *step)
{
	Dynamics *d = step->dynamics;
	JointStep *joints = &step->joints;
	if (joints->count == 0)
		return true;
	joints->list = Arena_Array(&d->arena, JointConstraint, joints->count);
	joints->frames = Arena_Array(&d->arena, JointFrames, joints->count);
	if (!joints->list || !joints->frames || !Joints_Order(step) || !ShareExtras(step))
		return false;
	float omega = 2.0f * PI_F * Min(JOINT_HERTZ, 0.25f * step->inverse_h);
	float damped = 2.0f * JOINT_RATIO + step->h * omega;
	joints->stiffness = step->h * omega * damped;
	joints->bias_rate = omega / damped;
	TaskPool_For(d->tasks, joints->count, 32, StartRange, step);
	TaskPool_For(d->tasks, joints->ball_groups, 8, StartBalls, step);
	return ShareRows(step);
}

/* ---- results ----------------------------------------------------------------------------------------------------- */

/* What came out of bounds in the solver is forgotten, as bodies are then stopped (KeepSound): the next step begins
 * without it. */
static void KeepFinite(Joint *j)
{
	float sum = Dot(j->total_linear, V3(1, 1, 1)) + Dot(j->total_angular, V3(1, 1, 1));
	for (int i = 0; i < COUNT_OF(j->impulse); i++)
		sum += j->impulse[i];
	if (sum - sum == 0.0f)
		return;
	memset(j->impulse, 0, sizeof j->impulse);
	j->total_linear = j->total_angular = V3(0.0f, 0.0f, 0.0f);
}

static void StoreOne(SolverStep *step, int index)
{
	const JointConstraint *c = &step->joints.list[index];
	Joint *j = &step->dynamics->joints.data[c->joint];
	memset(j->impulse, 0, sizeof j->impulse);
	for (int k = 0; k < c->linear.count; k++)
		j->impulse[k] = c->linear.impulse[k];
	for (int k = 0; c->extra && k < c->extra->angular.count; k++)
		j->impulse[3 + k] = c->extra->angular.impulse[k];
	for (int i = 0; c->extra && i < c->extra->row_count; i++)
		j->impulse[6 + c->extra->rows[i].slot] = c->extra->rows[i].impulse;
	j->step = step->h;
	j->angle = step->joints.frames[index].angle;
	j->total_linear = c->total_linear;
	j->total_angular = c->total_angular;
	KeepFinite(j);
}

static void StoreRange(void *context, int begin, int end, int worker)
{
	(void)worker;
	SolverStep *step = context;
	for (int i = begin; i < end; i++)
		if (!step->joints.sources[i].wide)
			StoreOne(step, i);
}

static void StoreBall(const SolverStep *step, const WideBall *c, int lane)
{
	Joint *j = &step->dynamics->joints.data[step->joints.sources[c->first + lane].joint];
	Vec3 impulse = V3(c->impulse.x[lane], c->impulse.y[lane], c->impulse.z[lane]);
	Vec3 total = V3(c->total.x[lane], c->total.y[lane], c->total.z[lane]);
	float sum = Dot(impulse, V3(1, 1, 1)) + Dot(total, V3(1, 1, 1));
	bool finite = sum - sum == 0.0f;
	memset(j->impulse, 0, sizeof j->impulse);
	j->step = step->h;
	j->total_linear = finite ? total : V3(0.0f, 0.0f, 0.0f);
	j->total_angular = V3(0.0f, 0.0f, 0.0f);
	if (!finite)
		return;
	j->impulse[0] = impulse.x;
	j->impulse[1] = impulse.y;
	j->impulse[2] = impulse.z;
}

static void StoreBalls(void *context, int begin, int end, int worker)
{
	(void)worker;
	const SolverStep *step = context;
	const Joint *joints = step->dynamics->joints.data;
	for (int i = begin; i < end; i++) {
		const WideBall *c = &step->joints.balls[i];
		for (int lane = 0; i + 1 < end && lane < c[1].count; lane++)
			Fetch(&joints[step->joints.sources[c[1].first + lane].joint].step, 128);
		for (int lane = 0; lane < c->count; lane++)
			StoreBall(step, c, lane);
	}
}

static bool IsTorn(const Joint *j, float dt)
{
	const JointSettings *s = &j->settings;
	return Length(j->total_linear) > s->break_force * dt || Length(j->total_angular) > s->break_torque * dt;
}

static int OrderSlots(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

/* Older joints break first, in the order of events. */
void Joints_Store(SolverStep *step)
{
	Dynamics *d = step->dynamics;
	JointStep *joints = &step->joints;
	uint64_t *torn = (uint64_t *)(void *)joints->sources; /* smaller: behind what is read */
	int count = 0;
	TaskPool_For(d->tasks, joints->count, 128, StoreRange, step);
	TaskPool_For(d->tasks, joints->ball_groups, 16, StoreBalls, step);
	for (int i = 0; i < joints->count; i++) {
		int slot = joints->sources[i].joint;
		const Joint *j = &d->joints.data[slot];
		if (joints->sources[i].tears && IsTorn(j, step->dt))
			torn[count++] = (j->birth << ID_INDEX_BITS) | (uint32_t)slot;
	}
	if (count > 1)
		qsort(torn, (size_t)count, sizeof *torn, OrderSlots);
	for (int i = 0; i < count; i++)
		Joint_Break(d, (int)(torn[i] & ((1u << ID_INDEX_BITS) - 1)));
}
