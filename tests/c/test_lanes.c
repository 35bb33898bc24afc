/* What is solved eight at a time: joints of a net and bodies that tumble come out the same in lanes of eight, of four
 * and of one, with one thread and with two; and joints as when each is solved by itself. */
#include "require.h"
#include "world/world.h"

#include <check.h>
#include <stdlib.h>

#define DT (1.0 / 60.0)
#define SIDE 7
#define STEPS 90

Suite *suite_lanes(void);

static int Put(Dynamics *d, Shape shape, Pos at, Vec3 spin, bool fixed)
{
	PartDef part = {
	    .shape = shape, .placement = XformIdentity(), .mask = UINT32_MAX, .density = 1000.0f, .friction = 0.6f};
	BodyDef def = {.origin = at,
	               .rotation = QuatIdentity(),
	               .angular_velocity = spin,
	               .gravity_scale = 1.0f,
	               .motion = fixed ? MOTION_STATIC : MOTION_DYNAMIC,
	               .can_sleep = false,
	               .part_count = 1,
	               .parts = &part};
	Id id = Body_Create(d, &def, NULL);
	ck_assert(id != ID_NONE);
	return Body_Find(d, id);
}

/* A net that hangs from two corners, of balls and of boxes with all kinds of masses, joined at points between them.
 * `limited`: the joints' twist, by what is never
 * reached. */
static void HangNet(Dynamics *d, Random *r, bool limited)
{
	int body[SIDE][SIDE];
	for (int i = 0; i < SIDE; i++)
		for (int k = 0; k < SIDE; k++) {
			float size = (float)Random_Range(r, 0.3, 0.4);
			Shape ball = {.kind = SHAPE_BALL, .radius = size};
			Shape box = {.kind = SHAPE_BOX, .half = V3(size, 0.5f * size, 0.8f * size)};
			Pos at = {i, 6.0, k};
			body[i][k] = Put(d, (i + k) % 3 ? ball : box, at, V3(0.0f, 0.0f, 0.0f), k == 0 && i % (SIDE - 1) == 0);
		}
	for (int i = 0; i < SIDE; i++)
		for (int k = 0; k < SIDE; k++)
			for (int side = 0; side < 2; side++) {
				int x = i + (side == 0), z = k + (side == 1);
				if (x >= SIDE || z >= SIDE)
					continue;
				JointDef def = {.type = JOINT_BALL,
				                .a = body[i][k],
				                .b = body[x][z],
				                .anchor_a = {0.5 * (i + x), 6.0 + Random_Range(r, -0.1, 0.1), 0.5 * (k + z)},
				                .axis = V3(0.0f, 1.0f, 0.0f),
				                .settings = {.cone = -1.0,
				                             .twist_limited = limited,
				                             .twist_low = -1e4,
				                             .twist_high = 1e4,
				                             .rotation = QuatIdentity(),
				                             .break_force = JOINT_UNLIMITED,
				                             .break_torque = JOINT_UNLIMITED}};
				def.anchor_b = def.anchor_a;
				ck_assert(Joint_Create(d, &def) != ID_NONE);
			}
}

/* Boxes that are no cubes, and that fall on a floor and on each other while they spin. */
static void DropBoxes(Dynamics *d, Random *r)
{
	Put(d, (Shape){.kind = SHAPE_BOX, .half = V3(30.0f, 1.0f, 30.0f)}, (Pos){0.0, -1.0, 0.0}, V3(0.0f, 0.0f, 0.0f),
	    true);
	for (int i = 0; i < 60; i++) {
		Vec3 half =
		    V3((float)Random_Range(r, 0.1, 0.5), (float)Random_Range(r, 0.1, 0.5), (float)Random_Range(r, 0.1, 0.5));
		Pos at = {Random_Range(r, -2.0, 2.0) - 8.0, 0.6 + 0.15 * i, Random_Range(r, -2.0, 2.0)};
		Vec3 spin = V3((float)Random_Range(r, -9, 9), (float)Random_Range(r, -9, 9), (float)Random_Range(r, -9, 9));
		Put(d, (Shape){.kind = SHAPE_BOX, .half = half}, at, spin, false);
	}
}

static World *NewWorld(const char *lanes, int threads)
{
	if (lanes)
		setenv("SCREE_SIMD", lanes, 1);
	else
		unsetenv("SCREE_SIMD");
	WorldDef def = {.gravity = {0.0, -9.81, 0.0}, .cell_size = 1.0, .substeps = 4, .threads = threads};
	World *world = World_Create(&def, NULL);
	ck_assert(world);
	unsetenv("SCREE_SIMD");
	return world;
}

static void Run(World *world)
{
	for (int step = 0; step < STEPS; step++)
		ck_assert_int_eq(World_Step(world, DT, NULL), ERROR_NONE);
}

START_TEST(all_widths_give_the_same_bits)
{
	static const struct {
		const char *lanes;
		int threads;
	} forms[] = {{"0", 1}, {"4", 1}, {NULL, 1}, {NULL, 2}, {"0", 2}};
	for (uint64_t seed = 1; seed <= 2; seed++) {
		uint64_t first = 0;
		for (int i = 0; i < COUNT_OF(forms); i++) {
			World *world = NewWorld(forms[i].lanes, forms[i].threads);
			Random r = {seed};
			uint64_t hash;
			HangNet(World_Dynamics(world), &r, false);
			DropBoxes(World_Dynamics(world), &r);
			Run(world);
			ck_assert_int_eq(World_Hash(world, &hash, NULL), ERROR_NONE);
			if (i == 0)
				first = hash;
			REQUIRE(hash == first, "seed %llu: lanes %s, %d threads differ", (unsigned long long)seed,
			        forms[i].lanes ? forms[i].lanes : "8", forms[i].threads);
			World_Destroy(world);
		}
	}
}
END_TEST

/* A joint with limits is solved by itself, and limits that are never reached say nothing. */
START_TEST(joints_in_lanes_are_as_single_ones)
{
	World *wide = NewWorld(NULL, 1), *single = NewWorld(NULL, 1);
	Random r1 = {7}, r2 = {7};
	HangNet(World_Dynamics(wide), &r1, false);
	HangNet(World_Dynamics(single), &r2, true);
	const Dynamics *a = World_Dynamics(wide), *b = World_Dynamics(single);
	double lowest = 10.0;
	for (int round = 0; round < 3; round++) {
		Run(wide);
		Run(single);
		for (int i = Body_First(a), k = Body_First(b); i >= 0 && k >= 0; i = Body_Next(a, i), k = Body_Next(b, k)) {
			Pose p = Body_Pose(a, i), q = Body_Pose(b, k);
			REQUIRE(p.p.x == q.p.x && p.p.y == q.p.y && p.p.z == q.p.z && p.q.x == q.q.x && p.q.y == q.q.y &&
			            p.q.z == q.q.z && p.q.w == q.q.w,
			        "round %d: body %d at %.9g %.9g %.9g and at %.9g %.9g %.9g", round, i, p.p.x, p.p.y, p.p.z, q.p.x,
			        q.p.y, q.p.z);
			lowest = MinD(lowest, p.p.y);
		}
	}
	ck_assert_msg(lowest < 4.0, "the net hangs at %g", lowest);
	World_Destroy(wide);
	World_Destroy(single);
}
END_TEST

Suite *suite_lanes(void)
{
	Suite *suite = suite_create("lanes");
	TCase *tests = tcase_create("lanes");
	tcase_add_test(tests, all_widths_give_the_same_bits);
	tcase_add_test(tests, joints_in_lanes_are_as_single_ones);
	suite_add_tcase(suite, tests);
	return suite;
}
