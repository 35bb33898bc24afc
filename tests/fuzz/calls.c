/* The C API by sequences of calls. Each byte chooses a call, the next ones its arguments: live, stale and made-up
 * handles, usable and impossible numbers. A refused call must change nothing, no position may be lost to a number that
 * is none, and the same calls must give the same world on one thread and on two. */
#include "fuzz.h"

#include "scree.h"

#define CEILING ((size_t)512 << 20)
#define MOST_CALLS 160
#define MOST_BODIES 24
#define MOST_JOINTS 16
#define MOST_STEPS 60

typedef struct Play {
	Input in;
	ScreeWorld *world;
	ScreeId bodies[MOST_BODIES], joints[MOST_JOINTS]; /* made so far, destroyed ones too */
	int body_count, joint_count, steps;
	const void *snapshot; /* a copy */
	double snapshot_size;
} Play;

static ScreeId AnyId(Play *p, const ScreeId *ids, int count)
{
	int choice = Input_Below(&p->in, 32);
	if (choice == 0)
		return Input_Number(&p->in);
	if (choice == 1 || count == 0)
		return 0.0;
	return ids[Input_Below(&p->in, count)];
}

static ScreeId AnyBody(Play *p)
{
	return AnyId(p, p->bodies, p->body_count);
}

static ScreeId AnyJoint(Play *p)
{
	return AnyId(p, p->joints, p->joint_count);
}

static void AnyPoint(Play *p, double *out3)
{
	Input_Numbers(&p->in, out3, 3);
}

static void AnyRotation(Play *p, double *out4)
{
	static const double none[4] = {0, 0, 0, 1};
	if (Input_Below(&p->in, 3) == 0)
		memcpy(out4, none, sizeof none);
	else
		Input_Numbers(&p->in, out4, 4);
}

/* Seldom an edge of a cell box that makes a call long. */
static double AnyCell(Play *p)
{
	return Input_Below(&p->in, 40) == 0 ? Input_Number(&p->in) : (double)(Input_Byte(&p->in) % 48 - 24);
}

static void AnyCells(Play *p, double *min, double *max)
{
	for (int i = 0; i < 3; i++) {
		min[i] = AnyCell(p);
		max[i] = Input_Below(&p->in, 40) == 0 ? Input_Number(&p->in) : min[i] + Input_Byte(&p->in) % 16;
	}
}

/* ---- what can be made ---------------------------------------------------------------------------------------- */

static const double corners[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1, 0.5, -0.3, 0.4};
static const uint32_t faces[] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2};

static void AnyPart(Play *p, ScreePart *part)
{
	scree_part_defaults(part);
	part->shape = Input_Below(&p->in, 9);
	part->material = Input_Below(&p->in, 24) - 1;
	for (int i = 0; i < 3; i++)
		part->size[i] = Input_Below(&p->in, 8) == 0 ? Input_Number(&p->in) : 0.2 + Input_Byte(&p->in) / 128.0;
	part->radius = Input_Below(&p->in, 8) == 0 ? Input_Number(&p->in) : 0.1 + Input_Byte(&p->in) / 256.0;
	part->length = Input_Below(&p->in, 8) == 0 ? Input_Number(&p->in) : 0.1 + Input_Byte(&p->in) / 128.0;
	part->points = corners;
	part->point_count = Input_Below(&p->in, 7);
	part->indices = faces;
	part->triangle_count = Input_Below(&p->in, 5);
	part->group = Input_Below(&p->in, 4) == 0 ? Input_Byte(&p->in) - 4 : 0;
	if (Input_Below(&p->in, 4) == 0) {
		AnyPoint(p, part->position);
		AnyRotation(p, part->rotation);
		part->friction = Input_Number(&p->in);
		part->restitution = Input_Number(&p->in);
		part->density = Input_Number(&p->in);
	}
}

static int32_t Spawn(Play *p)
{
	ScreePart parts[3];
	ScreeAssemblyDef def;
	ScreeId id = 0;
	if (p->body_count == MOST_BODIES)
		return SCREE_OK;
	scree_assembly_defaults(&def);
	AnyPoint(p, def.position);
	AnyRotation(p, def.rotation);
	if (Input_Below(&p->in, 2) == 0)
		Input_Numbers(&p->in, def.velocity, 3);
	if (Input_Below(&p->in, 4) == 0)
		Input_Numbers(&p->in, def.angular_velocity, 3);
	def.motion = Input_Below(&p->in, 4) ? SCREE_DYNAMIC : Input_Below(&p->in, 4);
	def.bullet = Input_Below(&p->in, 2);
	def.part_count = Input_Below(&p->in, 8) == 0 ? Input_Below(&p->in, 4) : 1;
	for (int i = 0; i < def.part_count; i++)
		AnyPart(p, &parts[i]);
	def.parts = parts;
	if (Input_Below(&p->in, 8) == 0)
		def.mass = Input_Number(&p->in);
	int32_t code = screeAssembly_Create(p->world, &def, &id);
	if (code == SCREE_OK)
		p->bodies[p->body_count++] = id;
	return code;
}

static void AnySettings(Play *p, ScreeJointSettings *s)
{
	double *numbers[] = {&s->low,         &s->high,        &s->twist_low,    &s->twist_high, &s->cone,
	                     &s->motor_speed, &s->motor_max,   &s->motor_target, &s->length,     &s->stiffness,
	                     &s->damping,     &s->break_force, &s->max_force,    &s->response};
	s->limited = Input_Below(&p->in, 2);
	s->twist_limited = Input_Below(&p->in, 2);
	s->motor = Input_Below(&p->in, 4);
	s->by_stiffness = Input_Below(&p->in, 2);
	for (int n = Input_Below(&p->in, 4); n > 0; n--)
		*numbers[Input_Below(&p->in, COUNT_OF(numbers))] = Input_Number(&p->in);
}

static int32_t Join(Play *p)
{
	ScreeJointDef def;
	ScreeId id = 0;
	if (p->joint_count == MOST_JOINTS)
		return SCREE_OK;
	scree_joint_defaults(&def);
	def.type = Input_Below(&p->in, 10);
	def.a = AnyBody(p);
	def.b = AnyBody(p);
	def.collide = Input_Below(&p->in, 2);
	def.has_at = Input_Below(&p->in, 2);
	if (def.has_at)
		AnyPoint(p, def.at);
	if (Input_Below(&p->in, 8) == 0)
		Input_Numbers(&p->in, def.axis, 3);
	else
		def.axis[Input_Below(&p->in, 3)] = 1.0;
	AnySettings(p, &def.settings);
	int32_t code = screeJoint_Create(p->world, &def, &id);
	if (code == SCREE_OK)
		p->joints[p->joint_count++] = id;
	return code;
}

/* ---- calls by kind ------------------------------------------------------------------------------------------- */

static int32_t Change(Play *p, int which)
{
	double v[9];
	ScreeId id = AnyBody(p);
	Input_Numbers(&p->in, v, 4);
	switch (which) {
	case 0:
		return screeAssembly_SetPosition(p->world, id, v[0], v[1], v[2]);
	case 1:
		return screeAssembly_SetRotation(p->world, id, v[0], v[1], v[2], v[3]);
	case 2:
		return screeAssembly_SetVelocity(p->world, id, v[0], v[1], v[2]);
	case 3:
		return screeAssembly_SetAngularVelocity(p->world, id, v[0], v[1], v[2]);
	case 4:
		return screeAssembly_SetMotion(p->world, id, Input_Below(&p->in, 4));
	case 5:
		return screeAssembly_SetMass(p->world, id, v[0]);
	case 6:
		return screeAssembly_SetCenterOfMass(p->world, id, v[0], v[1], v[2]);
	case 7:
		Input_Numbers(&p->in, v, 9);
		return screeAssembly_SetInertia(p->world, id, v);
	case 8:
		return screeAssembly_SetCanSleep(p->world, id, Input_Below(&p->in, 2));
	case 9:
		return screeAssembly_SetGravityScale(p->world, id, v[0]);
	case 10:
		return screeAssembly_ApplyForce(p->world, id, v, Input_Below(&p->in, 2) ? v + 1 : NULL);
	case 11:
		return screeAssembly_ApplyImpulse(p->world, id, v, Input_Below(&p->in, 2) ? v + 1 : NULL);
	case 12:
		return screeAssembly_ApplyTorque(p->world, id, v);
	case 13:
		return screeAssembly_Sleep(p->world, id);
	case 14:
		return screeAssembly_Wake(p->world, id);
	case 15:
		return screeAssembly_MoveTo(p->world, id, v, NULL, v[3]);
	case 16:
		return screeAssembly_SetSleepLimits(p->world, id, v[0], v[1], v[2], v[3]);
	case 17:
		return screeAssembly_SetBullet(p->world, id, Input_Below(&p->in, 2));
	default:
		return screeAssembly_Destroy(p->world, id);
	}
}

static int32_t Edit(Play *p, int which)
{
	double min[3], max[3], center[3];
	ScreeFill fill = {.brush = Input_Below(&p->in, 5), .mode = Input_Below(&p->in, 5)};
	switch (which) {
	case 0:
	case 1:
	case 2:
		fill.material = Input_Below(&p->in, 24) - 1;
		AnyPoint(p, fill.position);
		AnyRotation(p, fill.rotation);
		for (int i = 0; i < 3; i++)
			fill.size[i] = Input_Below(&p->in, 16) == 0 ? Input_Number(&p->in) : Input_Byte(&p->in) / 8.0;
		fill.radius = Input_Below(&p->in, 16) == 0 ? Input_Number(&p->in) : Input_Byte(&p->in) / 16.0;
		fill.height = fill.size[1];
		return screeTerrain_Fill(p->world, &fill);
	case 3:
		AnyCells(p, min, max);
		return screeTerrain_Replace(p->world, min, max, Input_Below(&p->in, 24) - 1, Input_Below(&p->in, 24) - 1);
	case 4:
		AnyPoint(p, center);
		return screeTerrain_Smooth(p->world, center, Input_Byte(&p->in) / 32.0, Input_Number(&p->in));
	case 5:
		AnyPoint(p, center);
		return screeTerrain_Grow(p->world, center, Input_Byte(&p->in) / 32.0, Input_Number(&p->in),
		                         Input_Below(&p->in, 24) - 1);
	case 6:
		return screeTerrain_Set(p->world, AnyCell(p), AnyCell(p), AnyCell(p), Input_Below(&p->in, 24) - 1,
		                        Input_Byte(&p->in), Input_Byte(&p->in));
	case 7:
		return screeTerrain_BeginUndo(p->world, "group");
	case 8:
		return screeTerrain_Undo(p->world, (char[SCREE_UNDO_NAME]){0}) < 0 ? SCREE_OUT_OF_MEMORY : SCREE_OK;
	default:
		return screeTerrain_Redo(p->world, (char[SCREE_UNDO_NAME]){0}) < 0 ? SCREE_OUT_OF_MEMORY : SCREE_OK;
	}
}

static void Ask(Play *p, int which)
{
	double from[3], to[3], numbers[24], counts[256];
	ScreeHit hit;
	ScreePart part;
	ScreeStats stats;
	ScreeQuery query;
	const ScreeHit *hits;
	const ScreeId *ids;
	const ScreeContact *contacts;
	const ScreeEvent *events;
	const char *why;
	int32_t terrain, water, code;
	AnyPoint(p, from);
	AnyPoint(p, to);
	scree_query_defaults(&query);
	query.water = Input_Below(&p->in, 2);
	query.inside = Input_Below(&p->in, 2);
	switch (which) {
	case 0:
		code = screeWorld_Raycast(p->world, from, to, &query, &hit);
		REQUIRE(code < 1 || (hit.fraction >= 0.0 && hit.fraction <= 1.0));
		break;
	case 1:
		code = screeWorld_RaycastAll(p->world, from, to, &query, &hits);
		for (int32_t i = 1; i < code; i++)
			REQUIRE(hits[i].fraction >= hits[i - 1].fraction);
		break;
	case 2:
		AnyPart(p, &part);
		code = screeWorld_Cast(p->world, &part, from, to, &query, &hit);
		REQUIRE(code < 1 || (hit.fraction >= 0.0 && hit.fraction <= 1.0));
		break;
	case 3:
		AnyPart(p, &part);
		screeWorld_Overlap(p->world, &part, from, &query, &ids, &terrain, &water);
		break;
	case 4:
		screeWorld_Stats(p->world, &stats);
		REQUIRE(stats.awake + stats.checking + stats.asleep <= stats.assemblies);
		break;
	case 5:
		screeAssembly_Contacts(p->world, AnyBody(p), &contacts);
		break;
	case 6:
		screeWorld_Events(p->world, &events);
		break;
	case 7:
		screeAssembly_WhyAwake(p->world, AnyBody(p), &why);
		break;
	case 8:
		AnyCells(p, from, to);
		screeTerrain_Count(p->world, from, to, counts, numbers);
		break;
	case 9:
		screeTerrain_IsInside(p->world, from, &water);
		break;
	default:
		screeAssembly_Mechanism(p->world, AnyBody(p), &ids);
	}
}

static int32_t Keep(Play *p)
{
	const void *data;
	double size;
	int32_t code = screeWorld_Snapshot(p->world, p, 8, &data, &size);
	if (code != SCREE_OK)
		return code;
	void *copy = malloc((size_t)size);
	REQUIRE(copy);
	memcpy(copy, data, (size_t)size);
	free((void *)(uintptr_t)p->snapshot);
	p->snapshot = copy;
	p->snapshot_size = size;
	return SCREE_OK;
}

static int32_t GoBack(Play *p)
{
	const void *script;
	double size;
	if (!p->snapshot)
		return SCREE_OK;
	int32_t code = screeWorld_Restore(p->world, p->snapshot, p->snapshot_size, &script, &size);
	REQUIRE(code != SCREE_OK || size == 8.0);
	return code == SCREE_BAD_FILE ? SCREE_OK : code; /* its cells may be kept no longer */
}

static int32_t Step(Play *p)
{
	int count = 1 + Input_Below(&p->in, 8);
	double dt = Input_Below(&p->in, 8) == 0 ? Input_Number(&p->in) : 1.0 / 60.0;
	if (p->steps + count > MOST_STEPS)
		return SCREE_OK;
	p->steps += count;
	return screeWorld_Step(p->world, dt, count);
}

static int32_t Call(Play *p)
{
	int kind = Input_Below(&p->in, 16);
	if (kind < 4)
		return Spawn(p);
	if (kind < 7)
		return Change(p, Input_Below(&p->in, 19));
	if (kind < 10)
		return Edit(p, Input_Below(&p->in, 10));
	if (kind < 12)
		return Join(p);
	if (kind == 12) {
		Ask(p, Input_Below(&p->in, 11));
		return SCREE_OK;
	}
	if (kind == 13)
		return Input_Below(&p->in, 2) ? Keep(p) : GoBack(p);
	if (kind == 14) {
		ScreeJointDef def;
		scree_joint_defaults(&def);
		AnySettings(p, &def.settings);
		return Input_Below(&p->in, 3) ? screeJoint_Set(p->world, AnyJoint(p), &def.settings)
		                              : screeJoint_Destroy(p->world, AnyJoint(p));
	}
	return Step(p);
}

/* ---- a whole play -------------------------------------------------------------------------------------------- */

static void CheckBodies(Play *p)
{
	for (int i = 0; i < p->body_count; i++) {
		double at[3], turn[4];
		if (!screeAssembly_IsValid(p->world, p->bodies[i]))
			continue;
		REQUIRE(screeAssembly_GetPosition(p->world, p->bodies[i], at) == SCREE_OK);
		REQUIRE(screeAssembly_GetRotation(p->world, p->bodies[i], turn) == SCREE_OK);
		REQUIRE(at[0] - at[0] == 0.0 && at[1] - at[1] == 0.0 && at[2] - at[2] == 0.0);
		double length = turn[0] * turn[0] + turn[1] * turn[1] + turn[2] * turn[2] + turn[3] * turn[3];
		REQUIRE(length > 0.999 && length < 1.001);
	}
}

static void Run(const uint8_t *data, size_t size, int threads, char hash[17])
{
	char error[200], before[17], after[17];
	FuzzMemory ceiling = {.left = CEILING};
	ScreeWorldDef def;
	Play p = {.in = {.data = data, .size = size}};
	scree_world_defaults(&def);
	def.threads = threads;
	def.narrowphase = Input_Below(&p.in, 2);
	def.sleep.rule = Input_Below(&p.in, 8) == 0;
	def.resize = FuzzMemory_Resize;
	def.resize_user = &ceiling;
	REQUIRE(screeWorld_Create(&def, &p.world, error, sizeof error) == SCREE_OK);
	for (int i = 0; i < MOST_CALLS && p.in.at < p.in.size; i++) {
		screeWorld_Hash(p.world, before);
		if (Call(&p) == SCREE_BAD_ARGUMENT) {
			REQUIRE(screeWorld_Error(p.world)[0] != 0);
			screeWorld_Hash(p.world, after);
			REQUIRE(strcmp(before, after) == 0);
		}
	}
	REQUIRE(screeWorld_Step(p.world, 1.0 / 60.0, 2) != SCREE_BAD_ARGUMENT);
	CheckBodies(&p);
	screeWorld_Hash(p.world, hash);
	free((void *)(uintptr_t)p.snapshot);
	REQUIRE(screeWorld_Destroy(p.world) == 0.0);
	REQUIRE(threads > 1 || ceiling.left == CEILING);
}

void FuzzOne(const uint8_t *data, size_t size)
{
	char one[17] = "", two[17] = "";
	if (size == 0)
		return;
	Run(data + 1, size - 1, 1, one);
	if (data[0] % 4 == 0) {
		Run(data + 1, size - 1, 2, two);
		REQUIRE(strcmp(one, two) == 0);
	}
}
