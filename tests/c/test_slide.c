/* Things that slide and roll over a floor of cells or of triangles must feel one plane. With the filter of edges off
 * they must not: else the test would see nothing. */
#include "require.h"
#include "world/world.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#define DT (1.0 / 60.0)

Suite *suite_slide(void);

static World *Empty(bool raw_edges)
{
	WorldDef def = {
	    .gravity = {0.0, -9.81, 0.0},
	    .cell_size = 1.0,
	    .substeps = 4,
	    .threads = 1,
	    .raw_edges = raw_edges,
	    .sleep = {.enabled = true, .linear = 0.09f, .angular = 0.12f, .time = 0.5f, .balance = 0.02f, .wake = 0.02f}};
	World *world = World_Create(&def, NULL);
	ck_assert_ptr_nonnull(world);
	World_Materials(world)->items[6].rolling = 0.0f;
	return world;
}

/* A flat floor over some chunks, height 0. */
static World *CellFloor(bool raw_edges)
{
	World *world = Empty(raw_edges);
	Brush slab = {.shape = BRUSH_BOX, .center = {0.0, -2.0, 0.0}, .half = {40.0, 2.0, 40.0}};
	for (int i = 0; i < 3; i++)
		slab.rotation[i][i] = 1.0;
	ck_assert_int_eq(Store_Fill(World_Store(world), World_Materials(world), &slab, 6, EDIT_SET, NULL, NULL),
	                 ERROR_NONE);
	return world;
}

static int Put(World *world, Shape shape, Pos origin, Quat rotation, Vec3 velocity, Vec3 turn, float friction)
{
	PartDef part = {.shape = shape,
	                .placement = XformIdentity(),
	                .material = 6,
	                .mask = UINT32_MAX,
	                .density = 1000.0f,
	                .friction = friction};
	BodyDef def = {.origin = origin,
	               .rotation = rotation,
	               .velocity = velocity,
	               .angular_velocity = turn,
	               .gravity_scale = 1.0f,
	               .motion = MOTION_DYNAMIC,
	               .can_sleep = true,
	               .part_count = 1,
	               .parts = &part};
	Id id = Body_Create(World_Dynamics(world), &def, NULL);
	ck_assert(id != ID_NONE);
	return Body_Find(World_Dynamics(world), id);
}

/* The same of triangles: squares of a metre, cut one way and the other in turn. */
static World *MeshFloor(bool raw_edges)
{
	enum { SIDE = 40 };
	World *world = Empty(raw_edges);
	double *vertices = malloc(sizeof(double) * 3 * (SIDE + 1) * (SIDE + 1));
	uint32_t *indices = malloc(sizeof(uint32_t) * 6 * SIDE * SIDE), *next = indices;
	ck_assert(vertices && indices);
	for (int z = 0; z <= SIDE; z++)
		for (int x = 0; x <= SIDE; x++) {
			double *v = vertices + 3 * (z * (SIDE + 1) + x);
			v[0] = x - SIDE / 2, v[1] = 0.0, v[2] = z - SIDE / 2;
		}
	for (uint32_t z = 0; z < SIDE; z++)
		for (uint32_t x = 0; x < SIDE; x++) {
			uint32_t a = z * (SIDE + 1) + x, b = a + 1, c = a + SIDE + 1, d = c + 1;
			const uint32_t one[6] = {a, c, b, b, c, d}, other[6] = {a, c, d, a, d, b};
			memcpy(next, (x + z) % 2 ? one : other, sizeof one);
			next += 6;
		}
	Trimesh *mesh =
	    Trimesh_Create(World_Memory(world), vertices, (SIDE + 1) * (SIDE + 1), indices, 2 * SIDE * SIDE, NULL);
	ck_assert_ptr_nonnull(mesh);
	free(vertices);
	free(indices);
	PartDef part = {.shape = {.kind = SHAPE_MESH, .mesh = mesh},
	                .placement = XformIdentity(),
	                .material = 6,
	                .mask = UINT32_MAX,
	                .density = 1000.0f,
	                .friction = 1.0f};
	BodyDef def = {.rotation = QuatIdentity(), .motion = MOTION_STATIC, .part_count = 1, .parts = &part};
	ck_assert(Body_Create(World_Dynamics(world), &def, NULL) != ID_NONE);
	return world;
}

/* The largest of: change of height, of velocity, way off the line; m and m/s. */
typedef struct Ride {
	double height, speed, aside, way;
} Ride;

static Ride RideOf(Shape shape, Quat rotation, float angle, double z, bool rolls, bool mesh, bool raw_edges)
{
	World *world = mesh ? MeshFloor(raw_edges) : CellFloor(raw_edges);
	Dynamics *d = World_Dynamics(world);
	Vec3 low = Shape_Support(&shape, InvRotate(rotation, V3(0, -1, 0)));
	double height = -(double)Rotate(rotation, low).y;
	Vec3 way = V3((float)Trig_Cos((double)angle), 0, (float)Trig_Sin((double)angle)), across = V3(-way.z, 0, way.x);
	Vec3 velocity = Scale(3.0f, way), turn = rolls ? Scale(3.0f / (float)height, V3(way.z, 0, -way.x)) : V3(0, 0, 0);
	Pos start = {-3.3, height, z};
	int body = Put(world, shape, start, QuatMul(Quat_FromAxisAngle(V3(0, -1, 0), (double)angle), rotation), velocity,
	               turn, rolls ? 1.0f : 0.0f);
	/* the lift of the first steps is not of the edges */
	Ride ride = {0};
	for (int i = 0; i < 120; i++) {
		ck_assert_int_eq(World_Step(world, DT, NULL), ERROR_NONE);
		Vec3 moved = PosSub(Body_Origin(d, body), start);
		ride.height = MaxD(ride.height, AbsD((double)moved.y));
		ride.speed = MaxD(ride.speed, (double)Length(Sub(Body_Velocity(d, body), velocity)));
		ride.aside = MaxD(ride.aside, AbsD((double)Dot(moved, across)));
		ride.way = (double)Dot(moved, way);
	}
	ck_assert_uint_eq(World_Destroy(world), 0);
	return ride;
}

START_TEST(one_plane)
{
	Quat lying = Quat_FromAxisAngle(V3(1, 0, 0), PI / 2), upright = QuatIdentity();
	const struct {
		const char *what;
		Shape shape;
		Quat rotation;
		bool rolls;
	} cases[] = {
	    {"cube", {.kind = SHAPE_BOX, .half = {0.5f, 0.5f, 0.5f}}, upright, false},
	    {"ball", {.kind = SHAPE_BALL, .radius = 0.3f}, upright, true},
	    {"capsule", {.kind = SHAPE_CAPSULE, .radius = 0.3f, .half_length = 0.5f}, lying, true},
	    {"drum", {.kind = SHAPE_CYLINDER, .radius = 0.4f, .half_length = 0.5f}, lying, true},
	    {"standing drum", {.kind = SHAPE_CYLINDER, .radius = 0.4f, .half_length = 0.5f}, upright, false},
	    {"cone", {.kind = SHAPE_CONE, .radius = 0.5f, .half_length = 0.4f}, upright, false},
	};
	const float angles[] = {0.0f, 0.3f, 0.785398f};
	for (int mesh = 0; mesh <= 1; mesh++) {
		int noticed = 0;
		for (int k = 0; k < COUNT_OF(cases); k++) {
			const char *floor = mesh ? "triangles" : "cells";
			for (int a = 0; a < COUNT_OF(angles); a++) {
				/* along a border of chunks, and across some */
				double z = a == 0 ? 0.0 : -3.7;
				Ride ride = RideOf(cases[k].shape, cases[k].rotation, angles[a], z, cases[k].rolls, mesh, false);
				REQUIRE(ride.height < 1e-3 && ride.speed < (cases[k].rolls ? 2e-3 : 1e-3) && ride.aside < 1e-3 &&
				            fabs(ride.way - 6.0) < 1e-3,
				        "%s on %s, angle %g: height %g, speed %g, aside %g, way %g", cases[k].what, floor, angles[a],
				        ride.height, ride.speed, ride.aside, ride.way);
			}
			Ride raw = RideOf(cases[k].shape, cases[k].rotation, 0.3f, -3.7, cases[k].rolls, mesh, true);
			bool felt = raw.height > 1e-3 || raw.speed > 1e-2 || fabs(raw.way - 6.0) > 1e-2;
			/* the cube is the case that is asked for */
			REQUIRE(k > 0 || felt, "without the filter the cube glides on %s: height %g, speed %g, way %g", floor,
			        raw.height, raw.speed, raw.way);
			noticed += felt;
		}
		ck_assert_msg(noticed >= 5, "without the filter only %d of %d were held up", noticed, COUNT_OF(cases));
	}
}
END_TEST

/* 10,000 boxes at once, each at another place of the cells: none may feel anything but the floor. */
static int GhostHits(int side, int steps, bool raw_edges)
{
	World *world = CellFloor(raw_edges);
	Dynamics *d = World_Dynamics(world);
	Shape box = {.kind = SHAPE_BOX, .half = {0.15f, 0.15f, 0.15f}};
	Quat turn = Quat_FromAxisAngle(V3(0, 1, 0), 0.2);
	Vec3 velocity = V3(4.0f, 0, 1.0f);
	double step = 68.0 / side;
	int hits = 0;
	for (int i = 0; i < side * side; i++)
		Put(world, box, (Pos){-35.0 + step * (i % side), 0.15, -35.0 + step * (i / side)}, turn, velocity, V3(0, 0, 0),
		    0.0f);
	for (int i = 0; i < steps; i++)
		ck_assert_int_eq(World_Step(world, DT, NULL), ERROR_NONE);
	for (int slot = Body_First(d); slot >= 0; slot = Body_Next(d, slot))
		hits += Length(Sub(Body_Velocity(d, slot), velocity)) > 1e-3f || Length(Body_AngularVelocity(d, slot)) > 1e-3f;
	ck_assert_uint_eq(World_Destroy(world), 0);
	return hits;
}

START_TEST(many_boxes)
{
	ck_assert_int_eq(GhostHits(100, 30, false), 0);
	ck_assert_int_gt(GhostHits(12, 30, true), 50);
}
END_TEST

Suite *suite_slide(void)
{
	Suite *suite = suite_create("slide");
	TCase *tcase = tcase_create("slide");
	tcase_set_timeout(tcase, 120);
	tcase_add_test(tcase, one_plane);
	tcase_add_test(tcase, many_boxes);
	suite_add_tcase(suite, tcase);
	return suite;
}
