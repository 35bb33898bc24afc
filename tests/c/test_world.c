/* Worlds as a whole: structures stay valid in a random scene, failed allocations move nothing and lose nothing, every
 * byte comes back. Physics values are tested from Lua. */
#include "failing_world.h"
#include "require.h"

#include <check.h>

#define DT (1.0 / 60.0)

Suite *suite_world(void);

static Shape RandomShape(Random *r)
{
	float size = (float)Random_Range(r, 0.2, 0.6);
	switch (Random_Below(r, 3)) {
	case 0:
		return (Shape){.kind = SHAPE_BALL, .radius = size};
	case 1:
		return (Shape){.kind = SHAPE_CAPSULE, .radius = 0.6f * size, .half_length = size};
	default:
		return (Shape){.kind = SHAPE_BOX, .half = V3(size, 0.7f * size, 1.2f * size)};
	}
}

static Id Drop(World *world, Random *r)
{
	PartDef part = {.shape = RandomShape(r),
	                .placement = XformIdentity(),
	                .material = 6,
	                .mask = UINT32_MAX,
	                .density = 1000.0f,
	                .friction = 0.6f,
	                .rolling = 0.1f};
	BodyDef def = {.rotation = QuatIdentity(),
	               .gravity_scale = 1.0f,
	               .motion = MOTION_DYNAMIC,
	               .can_sleep = true,
	               .part_count = 1,
	               .parts = &part};
	def.origin.x = Random_Range(r, -4.0, 4.0);
	def.origin.y = Random_Range(r, 2.0, 9.0);
	def.origin.z = Random_Range(r, -4.0, 4.0);
	return Body_Create(World_Dynamics(world), &def, NULL);
}

static void AddGround(World *world)
{
	Brush slab = {.shape = BRUSH_BOX, .center = {0.0, -2.0, 0.0}, .half = {8.0, 2.0, 8.0}};
	for (int i = 0; i < 3; i++)
		slab.rotation[i][i] = 1.0;
	Brush hill = {.shape = BRUSH_BALL, .center = {1.0, -1.0, 0.5}, .half = {3.0, 3.0, 3.0}};
	for (int i = 0; i < 3; i++)
		hill.rotation[i][i] = 1.0;
	const MaterialTable *table = World_Materials(world);
	ck_assert_int_eq(Store_Fill(World_Store(world), table, &slab, 6, EDIT_SET, NULL, NULL), ERROR_NONE);
	ck_assert_int_eq(Store_Fill(World_Store(world), table, &hill, 6, EDIT_SET, NULL, NULL), ERROR_NONE);
}

START_TEST(structures_stay_valid)
{
	for (uint64_t seed = 1; seed <= 4; seed++) {
		FailingMemory f;
		FailingMemory_Init(&f, -1);
		WorldDef def = FailingWorldDef(&f);
		World *world = World_Create(&def, NULL);
		Random r = {seed};
		ARRAY(Id) ids = {0};
		AddGround(world);
		for (int step = 0; step < 240; step++) {
			if (step % 6 == 0)
				ck_assert(Array_Push(&f.memory, ids, Drop(world, &r)));
			if (step % 17 == 16) {
				int i = Random_Below(&r, ids.count);
				ck_assert(Body_Destroy(World_Dynamics(world), Body_Find(World_Dynamics(world), ids.data[i])));
				ids.data[i] = ids.data[--ids.count];
			}
			if (step % 40 == 39) {
				Cell cell = {Random_Below(&r, 9) - 4, -1, Random_Below(&r, 9) - 4};
				Voxel air = {0};
				ck_assert_int_eq(Store_Set(World_Store(world), cell, air, NULL, NULL), ERROR_NONE);
			}
			ck_assert_int_eq(World_Step(world, DT, NULL), ERROR_NONE);
			char why[160] = "";
			if (step % 10 == 0)
				REQUIRE(World_Validate(world, why, sizeof why), "seed %llu, step %d: %s", (unsigned long long)seed,
				        step, why);
		}
		Array_Free(&f.memory, ids);
		ck_assert_uint_eq(World_Destroy(world), 0);
	}
}
END_TEST

static World *Scene(FailingMemory *f, Id ids[12])
{
	WorldDef def = FailingWorldDef(f);
	World *world = World_Create(&def, NULL);
	Random r = {99};
	AddGround(world);
	for (int i = 0; i < 12; i++)
		ids[i] = Drop(world, &r);
	for (int step = 0; step < 20; step++)
		ck_assert_int_eq(World_Step(world, DT, NULL), ERROR_NONE);
	return world;
}

/* The first steps after new bodies allocate most: each allocation fails once. */
START_TEST(failed_steps_move_nothing)
{
	int failures = 0;
	for (int allowed = 0;; allowed++) {
		FailingMemory f;
		FailingMemory_Init(&f, -1);
		Id ids[12];
		World *world = Scene(&f, ids);
		Dynamics *d = World_Dynamics(world);
		Random r = {7};
		for (int i = 0; i < 20; i++)
			ck_assert(Drop(world, &r) != ID_NONE);
		bool failed = false;
		f.left = allowed;
		f.failed = false;
		for (int step = 0; step < 40 && !failed; step++) {
			Pos before = Body_Origin(d, Body_Find(d, ids[0]));
			failed = World_Step(world, DT, NULL) == ERROR_MEMORY;
			Pos after = Body_Origin(d, Body_Find(d, ids[0]));
			if (failed)
				REQUIRE(before.x == after.x && before.y == after.y && before.z == after.z, "allocation %d", allowed);
		}
		bool met = f.failed;
		failures += failed;
		f.left = -1;
		char why[160] = "";
		for (int step = 0; step < 5; step++)
			ck_assert_int_eq(World_Step(world, DT, NULL), ERROR_NONE);
		REQUIRE(World_Validate(world, why, sizeof why), "allocation %d: %s", allowed, why);
		ck_assert_uint_eq(World_Destroy(world), 0);
		if (!met)
			break;
	}
	ck_assert_int_gt(failures, 10);
}
END_TEST

START_TEST(failed_making_leaves_nothing)
{
	for (int allowed = 0; allowed < 60; allowed++) {
		FailingMemory f;
		FailingMemory_Init(&f, allowed);
		WorldDef def = FailingWorldDef(&f);
		World *world = World_Create(&def, NULL);
		if (!world)
			continue;
		size_t bytes = World_Memory(world)->bytes;
		Random r = {3};
		f.left = allowed % 9;
		Id id = Drop(world, &r);
		if (id == ID_NONE)
			ck_assert_int_eq(Body_Count(World_Dynamics(world)), 0);
		else
			ck_assert_uint_gt(World_Memory(world)->bytes, bytes);
		f.left = -1;
		ck_assert_uint_eq(World_Destroy(world), 0);
	}
}
END_TEST

/* Bodies that lie about, all awake: from now on no allocation succeeds, and none is asked for. */
START_TEST(steady_steps_allocate_nothing)
{
	for (int threads = 1; threads <= 2; threads++) {
		FailingMemory f;
		FailingMemory_Init(&f, -1);
		WorldDef def = FailingWorldDef(&f);
		def.threads = threads;
		def.sleep.enabled = false;
		World *world = World_Create(&def, NULL);
		Random r = {11};
		AddGround(world);
		for (int i = 0; i < 60; i++)
			Drop(world, &r);
		for (int step = 0; step < 600; step++)
			ck_assert_int_eq(World_Step(world, DT, NULL), ERROR_NONE);
		f.left = 0;
		for (int step = 0; step < 60; step++)
			REQUIRE(World_Step(world, DT, NULL) == ERROR_NONE && !f.failed, "%d threads, step %d", threads, step);
		f.left = -1;
		ck_assert_int_eq(Dynamics_Stats(World_Dynamics(world)).asleep, 0);
		World_Destroy(world);
	}
}
END_TEST

Suite *suite_world(void)
{
	Suite *suite = suite_create("world");
	TCase *tests = tcase_create("world");
	tcase_add_test(tests, structures_stay_valid);
	tcase_add_test(tests, failed_steps_move_nothing);
	tcase_add_test(tests, steady_steps_allocate_nothing);
	tcase_add_test(tests, failed_making_leaves_nothing);
	suite_add_tcase(suite, tests);
	return suite;
}
