/* Joints as structures: random scenes stay valid, failed allocations change nothing and lose nothing, a steady step
 * allocates nothing. Physics values are tested from Lua. */
#include "failing_world.h"
#include "require.h"

#include <check.h>

#define DT (1.0 / 60.0)

Suite *suite_joints(void);

static int Drop(World *world, Random *r, uint32_t mask)
{
	float size = (float)Random_Range(r, 0.1, 0.4);
	PartDef part = {.shape = {.kind = SHAPE_BOX, .half = V3(size, 0.7f * size, 1.2f * size)},
	                .placement = XformIdentity(),
	                .material = 6,
	                .mask = mask,
	                .density = 1000.0f,
	                .friction = 0.6f};
	BodyDef def = {.rotation = QuatIdentity(),
	               .gravity_scale = 1.0f,
	               .motion = (Motion)(Random_Below(r, 8) == 0 ? Random_Below(r, 2) : MOTION_DYNAMIC),
	               .can_sleep = true,
	               .part_count = 1,
	               .parts = &part};
	def.origin.x = Random_Range(r, -4.0, 4.0);
	def.origin.y = Random_Range(r, 2.0, 6.0);
	def.origin.z = Random_Range(r, -4.0, 4.0);
	Dynamics *d = World_Dynamics(world);
	Id id = Body_Create(d, &def, NULL);
	return id == ID_NONE ? -1 : Body_Find(d, id);
}

static JointDef RandomJoint(World *world, Random *r, int a, int b)
{
	const Dynamics *d = World_Dynamics(world);
	Vec3 axis = Normalize(V3((float)Random_Range(r, -1, 1), (float)Random_Range(r, -1, 1), 0.3f));
	JointDef def = {.type = (JointType)Random_Below(r, JOINT_ALIGN + 1),
	                .a = a,
	                .b = b,
	                .collide = Random_Below(r, 3) == 0,
	                .axis = axis,
	                .settings = {.limited = Random_Below(r, 2),
	                             .low = -0.3,
	                             .high = 0.6,
	                             .twist_limited = Random_Below(r, 2),
	                             .twist_low = -0.3,
	                             .twist_high = 0.4,
	                             .cone = Random_Below(r, 2) ? 0.5 : -1.0,
	                             .motor = (MotorMode)Random_Below(r, 3),
	                             .motor_speed = 2.0,
	                             .motor_target = 0.3,
	                             .motor_max = 300.0,
	                             .length = Random_Range(r, 0.5, 2.0),
	                             .stiffness = 3.0,
	                             .damping = 0.2,
	                             .drive_position = true,
	                             .drive_rotation = Random_Below(r, 2),
	                             .rotation = QuatIdentity(),
	                             .max_speed = 5.0,
	                             .max_turn = 5.0,
	                             .max_force = 2000.0,
	                             .max_torque = 300.0,
	                             .response = 10.0,
	                             .break_force = Random_Below(r, 3) ? JOINT_UNLIMITED : 20000.0,
	                             .break_torque = JOINT_UNLIMITED}};
	def.anchor_a = def.anchor_b = Body_Pose(d, b >= 0 ? b : a).p;
	if (def.type == JOINT_ROPE || def.type == JOINT_ROD || def.type == JOINT_SPRING)
		def.anchor_a = Body_Pose(d, a >= 0 ? a : b).p;
	return def;
}

static int CountJoints(const Dynamics *d)
{
	int count = 0;
	for (int joint = Joint_First(d); joint >= 0; joint = Joint_Next(d, joint))
		count++;
	return count;
}

/* Bodies and joints come and go while all of it moves. */
START_TEST(structures_stay_valid)
{
	int broken = 0, most = 0;
	for (uint64_t seed = 1; seed <= 6; seed++) {
		FailingMemory f;
		FailingMemory_Init(&f, -1);
		WorldDef def = FailingWorldDef(&f);
		World *world = World_Create(&def, NULL);
		Dynamics *d = World_Dynamics(world);
		Random r = {seed};
		ARRAY(Id) bodies = {0};
		ARRAY(Id) joints = {0};
		for (int step = 0; step < 200; step++) {
			if (step % 3 == 0)
				ck_assert(Array_Push(&f.memory, bodies, Body_Id(d, Drop(world, &r, UINT32_MAX))));
			if (bodies.count > 1) {
				int a = Body_Find(d, bodies.data[Random_Below(&r, bodies.count)]);
				int b = Body_Find(d, bodies.data[Random_Below(&r, bodies.count)]);
				bool alone = Random_Below(&r, 4) == 0;
				if (alone || a == b)
					*(Random_Below(&r, 2) ? &a : &b) = -1;
				JointDef joint = RandomJoint(world, &r, a, b);
				ck_assert(Array_Push(&f.memory, joints, Joint_Create(d, &joint)));
			}
			if (step % 7 == 6) {
				int i = Random_Below(&r, bodies.count);
				ck_assert(Body_Destroy(d, Body_Find(d, bodies.data[i])));
				bodies.data[i] = bodies.data[--bodies.count];
			}
			for (int k = 0; k < 2 && joints.count > 40; k++) {
				int i = Random_Below(&r, joints.count), slot = Joint_Find(d, joints.data[i]);
				ck_assert(slot < 0 || Joint_Destroy(d, slot));
				joints.data[i] = joints.data[--joints.count];
			}
			ck_assert_int_eq(World_Step(world, step % 50 == 49 ? 0.2 : DT, NULL), ERROR_NONE);
			char why[160] = "";
			REQUIRE(World_Validate(world, why, sizeof why), "seed %llu, step %d: %s", (unsigned long long)seed, step,
			        why);
			for (int slot = Body_First(d); slot >= 0; slot = Body_Next(d, slot)) {
				Pos p = Body_Origin(d, slot);
				REQUIRE(IsFinite(p.x + p.y + p.z), "seed %llu, step %d", (unsigned long long)seed, step);
			}
			for (int slot = Joint_First(d); slot >= 0; slot = Joint_Next(d, slot))
				broken += Joint_IsBroken(d, slot);
			most = Int_Max(most, Dynamics_Stats(d).joints);
		}
		Array_Free(&f.memory, bodies);
		Array_Free(&f.memory, joints);
		ck_assert_uint_eq(World_Destroy(world), 0);
	}
	ck_assert_int_gt(broken, 0);
	ck_assert_int_gt(most, 20);
}
END_TEST

#define LINKS 12

/* A chain from the world, a ring, and a door. */
static bool BuildScene(World *world, Random *r, uint32_t mask, int bodies[LINKS])
{
	Dynamics *d = World_Dynamics(world);
	for (int i = 0; i < LINKS; i++) {
		bodies[i] = Drop(world, r, mask);
		if (bodies[i] < 0)
			return false;
	}
	for (int i = 0; i <= LINKS; i++) {
		JointDef def = RandomJoint(world, r, i > 0 ? bodies[i - 1] : -1, bodies[i % LINKS]);
		def.type = i % 3 == 2 ? JOINT_HINGE : JOINT_BALL;
		if (Joint_Create(d, &def) == ID_NONE)
			return false;
	}
	return true;
}

/* Of where bodies are, how they move, and what joints say of it. */
static uint64_t HashMotion(const Dynamics *d)
{
	Hasher hasher;
	Hasher_Init(&hasher);
	for (int slot = Body_First(d); slot >= 0; slot = Body_Next(d, slot)) {
		Pose pose = Body_Pose(d, slot);
		Vec3 motion[2] = {Body_Velocity(d, slot), Body_AngularVelocity(d, slot)};
		Hasher_Bytes(&hasher, &pose.p, sizeof pose.p);
		Hasher_Bytes(&hasher, &pose.q, sizeof pose.q);
		Hasher_Bytes(&hasher, motion, sizeof motion);
	}
	for (int slot = Joint_First(d); slot >= 0; slot = Joint_Next(d, slot)) {
		JointState state = Joint_State(d, slot);
		Hasher_Bytes(&hasher, &state.angle, sizeof state.angle);
		Hasher_Bytes(&hasher, &state.impulse, sizeof state.impulse);
		Hasher_Bytes(&hasher, &state.broken, sizeof state.broken);
	}
	return Hasher_Value(&hasher);
}

START_TEST(failed_steps_move_nothing)
{
	int failures = 0;
	for (int allowed = 0;; allowed++) {
		FailingMemory f;
		FailingMemory_Init(&f, -1);
		WorldDef def = FailingWorldDef(&f);
		World *world = World_Create(&def, NULL);
		Dynamics *d = World_Dynamics(world);
		Random r = {5};
		int bodies[LINKS];
		ck_assert(BuildScene(world, &r, UINT32_MAX, bodies));
		f.left = allowed;
		f.failed = false;
		bool failed = false;
		for (int step = 0; step < 10 && !failed; step++) {
			uint64_t before = HashMotion(d);
			failed = World_Step(world, DT, NULL) == ERROR_MEMORY;
			if (failed)
				REQUIRE(before == HashMotion(d), "allocation %d", allowed);
		}
		bool met = f.failed;
		failures += failed;
		f.left = -1;
		char why[160] = "";
		ck_assert_int_eq(World_Step(world, DT, NULL), ERROR_NONE);
		REQUIRE(World_Validate(world, why, sizeof why), "allocation %d: %s", allowed, why);
		ck_assert_int_eq(CountJoints(d), LINKS + 1);
		ck_assert_uint_eq(World_Destroy(world), 0);
		if (!met)
			break;
	}
	ck_assert_int_gt(failures, 5);
}
END_TEST

/* Making a joint between sleepers that touch (they wake, their contact ends), lists and destruction. */
START_TEST(failed_making_leaves_nothing)
{
	int failures = 0;
	for (int allowed = 0;; allowed++) {
		FailingMemory f;
		FailingMemory_Init(&f, -1);
		WorldDef def = FailingWorldDef(&f);
		World *world = World_Create(&def, NULL);
		Dynamics *d = World_Dynamics(world);
		Random r = {8};
		int bodies[LINKS];
		for (int i = 0; i < LINKS; i++)
			bodies[i] = Drop(world, &r, UINT32_MAX);
		for (int step = 0; step < 5; step++)
			ck_assert_int_eq(World_Step(world, DT, NULL), ERROR_NONE);
		for (int i = 0; i < LINKS; i++)
			ck_assert(Body_PutToSleep(d, bodies[i]));
		f.left = allowed;
		f.failed = false;
		int made = 0;
		bool listed = true;
		MechanismList list = {0};
		for (int i = 1; i < LINKS; i++) {
			JointDef joint = RandomJoint(world, &r, bodies[i - 1], bodies[i]);
			joint.collide = false;
			made += Joint_Create(d, &joint) != ID_NONE;
		}
		listed = Dynamics_Mechanisms(d, -1, World_Memory(world), &list);
		bool met = f.failed;
		ck_assert_int_eq(CountJoints(d), made);
		ck_assert(met || (made == LINKS - 1 && listed && list.count == 2 * LINKS));
		failures += made < LINKS - 1;
		f.left = -1;
		char why[160] = "";
		ck_assert_int_eq(World_Step(world, DT, NULL), ERROR_NONE);
		REQUIRE(World_Validate(world, why, sizeof why), "allocation %d: %s", allowed, why);
		Array_Free(World_Memory(world), list);
		for (int i = 0; i < LINKS; i++)
			ck_assert(Body_Destroy(d, bodies[i]));
		ck_assert_int_eq(CountJoints(d), 0);
		ck_assert_uint_eq(World_Destroy(world), 0);
		if (!met)
			break;
	}
	ck_assert_int_gt(failures, 0);
}
END_TEST

START_TEST(steady_steps_allocate_nothing)
{
	FailingMemory f;
	FailingMemory_Init(&f, -1);
	WorldDef def = FailingWorldDef(&f);
	def.sleep.enabled = false;
	World *world = World_Create(&def, NULL);
	Random r = {5};
	int bodies[LINKS];
	ck_assert(BuildScene(world, &r, 0, bodies));
	for (int step = 0; step < 60; step++)
		ck_assert_int_eq(World_Step(world, DT, NULL), ERROR_NONE);
	uint64_t calls = World_Memory(world)->calls;
	for (int step = 0; step < 60; step++)
		ck_assert_int_eq(World_Step(world, DT, NULL), ERROR_NONE);
	ck_assert_uint_eq(World_Memory(world)->calls, calls);
	ck_assert_uint_eq(World_Destroy(world), 0);
}
END_TEST

Suite *suite_joints(void)
{
	Suite *suite = suite_create("joints");
	TCase *tests = tcase_create("joints");
	tcase_add_test(tests, structures_stay_valid);
	tcase_add_test(tests, failed_steps_move_nothing);
	tcase_add_test(tests, failed_making_leaves_nothing);
	tcase_add_test(tests, steady_steps_allocate_nothing);
	suite_add_tcase(suite, tests);
	return suite;
}
