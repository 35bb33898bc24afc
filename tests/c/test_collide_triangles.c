/* A shape against triangles: a surface must feel like one surface. */
#include "collide_meet.h"

/* ---- flat ground ------------------------------------------------------------------------------------------------- */

static float LevelAtHeight(float x, float z)
{
	(void)x, (void)z;
	return 3.3710938f;
}

static Quat UprightTurn(Random *r, const Shape *shape)
{
	Quat yaw = Quat_FromAxisAngle(Y, Random_Range(r, -PI, PI));
	if (Random_Below(r, 4) == 0)
		yaw = QuatIdentity();
	if (shape->kind == SHAPE_CAPSULE && Random_Below(r, 2))
		return QuatMul(yaw, Quat_FromAxisAngle(Z, PI / 2));
	return yaw;
}

START_TEST(big_box_on_floor)
{
	/* hundreds of triangles under it: four corners, the floor's normal to the bit */
	Shape box = {.kind = SHAPE_BOX, .half = {2, 0.25f, 1.5f}};
	for (int d = 0; d < 3; d++) {
		Mesh mesh = {0};
		Mesh_AddGrid(&mesh, LevelAtHeight, -4, -4, 0.25f, 32, 32, (Diagonals)d);
		Mesh_SetEdges(&mesh);
		for (int i = 0; i < 60; i++) {
			Quat q = Quat_FromAxisAngle(Y, 0.05 * i);
			float sink = 0.001f * (float)(i % 12 - 1);
			int count =
			    Meet(&mesh, &box, (Xform){{0.013f * (float)i, 3.3710938f + 0.25f - sink, 0.01f}, q}, 0.02f, true);
			ck_assert_int_eq(count, 1);
			ck_assert_int_eq(found[0].count, 4);
			ck_assert_msg(found[0].normal.x == 0 && found[0].normal.y == 1 && found[0].normal.z == 0, "normal %g %g %g",
			              found[0].normal.x, found[0].normal.y, found[0].normal.z);
			for (int k = 0; k < 4; k++) {
				Vec3 local = InvRotate(q, Sub(found[0].points[k].point, V3(0.013f * (float)i, 0, 0.01f)));
				ck_assert_msg(Abs(Abs(local.x) - 2) < 1e-5f && Abs(Abs(local.z) - 1.5f) < 1e-5f, "point %d at %g %g", k,
				              local.x, local.z);
				ck_assert_float_eq_tol(found[0].points[k].separation, -sink, 2e-6f);
			}
		}
		Mesh_Free(&mesh);
	}
}
END_TEST

/* Fraction of placements with any normal but the floor's. */
static double GhostShare(const Mesh *mesh, HullStock *stock, ShapeKind kind, bool tumbled, bool filter, int tries)
{
	Random r = {100 + (uint64_t)kind};
	int ghosts = 0;
	for (int i = 0; i < tries; i++) {
		Shape shape = RandomShape(&r, stock, kind);
		if (kind == SHAPE_BOX)
			shape.half = RandomSizes(&r, 0.1, 0.8);
		if (kind == SHAPE_BALL || kind == SHAPE_CAPSULE) {
			shape.radius = Clamp(shape.radius, 0.05f, 0.6f);
			shape.half_length = Min(shape.half_length, 0.8f);
		}
		Quat q = tumbled ? RandomTurn(&r) : UprightTurn(&r, &shape);
		float low = Lowest(&shape, q);
		float sink = (float)Random_Range(&r, -0.015, 0.01), x = (float)Random_Range(&r, -1, 1);
		float z = (float)Random_Range(&r, -1, 1);
		if (i % 5 == 0) /* on the lines of the grid */
			x = 0.25f * (float)Random_Below(&r, 4), z = 0.25f * (float)Random_Below(&r, 4);
		int count = Meet(mesh, &shape, (Xform){{x, -low - sink, z}, q}, 0.02f, filter);
		bool ghost = count != 1 || found[0].normal.x != 0 || found[0].normal.y != 1 || found[0].normal.z != 0;
		ghosts += ghost;
		REQUIRE(!filter || !ghost, "kind %d, try %d, sunk %g: %d manifolds, normal %.9g %.9g %.9g", kind, i, sink,
		        count, found[0].normal.x, found[0].normal.y, found[0].normal.z);
		REQUIRE(!filter || Abs(DeepestOf(&found[0]) + sink) < 3e-6f, "kind %d, try %d: depth %g for %g", kind, i,
		        DeepestOf(&found[0]), -sink);
	}
	return (double)ghosts / tries;
}

START_TEST(no_ghosts_on_flat_ground)
{
	Random r = {5};
	HullStock stock;
	HullStock_Make(&stock, &r);
	for (int d = 0; d < 3; d++) {
		Mesh mesh = {0};
		Mesh_AddGrid(&mesh, Level, -3, -3, 0.25f, 24, 24, (Diagonals)d);
		Mesh_SetEdges(&mesh);
		for (int kind = 0; kind < SHAPE_KIND_COUNT; kind++)
			for (int tumbled = 0; tumbled < 2; tumbled++) {
				GhostShare(&mesh, &stock, (ShapeKind)kind, tumbled, true, 250);
				double raw = GhostShare(&mesh, &stock, (ShapeKind)kind, tumbled, false, 60);
				ck_assert_msg(raw > 0.15, "kind %d, tumbled %d: without the filter only %g have ghosts", kind, tumbled,
				              raw);
			}
		Mesh_Free(&mesh);
	}
	HullStock_Free(&stock);
}
END_TEST

START_TEST(no_ghosts_on_tilted_ground)
{
	Random r = {6};
	HullStock stock;
	HullStock_Make(&stock, &r);
	for (int m = 0; m < 4; m++) {
		Mesh mesh = {0};
		Mesh_AddGrid(&mesh, Level, -3, -3, 0.3f, 20, 20, DIAGONAL_MIXED);
		Quat tilt = RandomTurn(&r);
		Vec3 up = Rotate(tilt, Y);
		for (int i = 0; i < mesh.count; i++)
			for (int k = 0; k < 3; k++)
				mesh.triangles[i].v[k] = Rotate(tilt, mesh.triangles[i].v[k]);
		Mesh_SetEdges(&mesh);
		for (int i = 0; i < 800; i++) {
			Shape shape = RandomShape(&r, &stock, (ShapeKind)(i % SHAPE_KIND_COUNT));
			Quat q = QuatMul(tilt, i / 4 % 2 ? RandomTurn(&r) : UprightTurn(&r, &shape));
			float low = Dot(up, Rotate(q, Shape_Support(&shape, InvRotate(q, Neg(up)))));
			float sink = (float)Random_Range(&r, -0.015, 0.01);
			Vec3 at = RandomVec(&r, -0.5, 0.5);
			at.y = -low - sink;
			at = Rotate(tilt, at);
			int count = Meet(&mesh, &shape, (Xform){at, q}, 0.02f, true);
			REQUIRE(count == 1, "ground %d, try %d: %d manifolds", m, i, count);
			REQUIRE(Length(Sub(found[0].normal, up)) < 4e-6f, "ground %d, try %d: normal off by %g", m, i,
			        Length(Sub(found[0].normal, up)));
			REQUIRE(Abs(DeepestOf(&found[0]) + sink) < 4e-6f, "ground %d, try %d: depth %g for %g", m, i,
			        DeepestOf(&found[0]), -sink);
		}
		Mesh_Free(&mesh);
	}
	HullStock_Free(&stock);
}
END_TEST

START_TEST(ball_on_mesh_box)
{
	/* a ball of radius 3 on top of a mesh box 5 x 1 x 5, off centre: straight up, for every tessellation */
	Shape box = {.kind = SHAPE_BOX, .half = {2.5f, 0.5f, 2.5f}}, ball = {.kind = SHAPE_BALL, .radius = 3};
	int cuts[3] = {1, 2, 10};
	for (int c = 0; c < 3; c++) {
		Mesh mesh = {0};
		Mesh_AddSolid(&mesh, &box, cuts[c]);
		Mesh_SetEdges(&mesh);
		for (int i = 0; i < 100; i++) {
			float sink = 0.002f * (float)(i % 50);
			ck_assert_int_eq(Meet(&mesh, &ball, At(-2, 3.5f - sink, 0.02f * (float)i), 0.02f, true), 1);
			ck_assert(found[0].normal.x == 0 && found[0].normal.y == 1 && found[0].normal.z == 0);
			ck_assert_float_eq_tol(DeepestOf(&found[0]), -sink, 2e-6f);
		}
		Mesh_Free(&mesh);
	}
}
END_TEST

/* ---- ridges, hollows, holes -------------------------------------------------------------------------------------- */

/* A roof with its ridge along z at height 0; `slope` in degrees on both sides; < 0: a valley. */
static float roof_tangent;

static float Roof(float x, float z)
{
	(void)z;
	return -roof_tangent * Abs(x);
}

static void MakeRoof(Mesh *mesh, double slope)
{
	roof_tangent = (float)Trig_Tan(slope * PI / 180.0);
	Mesh_AddGrid(mesh, Roof, -2, -2, 0.25f, 16, 16, DIAGONAL_MIXED);
	Mesh_SetEdges(mesh);
}

START_TEST(over_ridges)
{
	/* straight above the ridge: pushed straight up, by the edge itself once it is sharper than flat */
	Shape shapes[] = {{.kind = SHAPE_BOX, .half = {0.5f, 0.3f, 0.4f}},
	                  {.kind = SHAPE_BALL, .radius = 0.3f},
	                  {.kind = SHAPE_CAPSULE, .radius = 0.2f, .half_length = 0.5f}};
	for (int slope = 1; slope <= 80; slope++)
		for (int k = 0; k < 4; k++) {
			Mesh mesh = {0};
			MakeRoof(&mesh, slope);
			const Shape *shape = &shapes[Int_Min(k, 2)];
			Quat q = k == 2 ? Quat_FromAxisAngle(Z, PI / 2) : k == 3 ? Quat_FromAxisAngle(X, PI / 2) : QuatIdentity();
			float low = Lowest(shape, q);
			for (int i = 0; i < 10; i++) {
				float sink = 0.001f * (float)(i - 2);
				int count = Meet(&mesh, shape, (Xform){{0, -low - sink, 0.013f * (float)i}, q}, 0.005f, true);
				REQUIRE(count >= 1, "slope %d, shape %d, sunk %g: nothing", slope, k, sink);
				Vec3 up = V3(0, 0, 0);
				for (int m = 0; m < count; m++)
					up = Add(up, found[m].normal);
				up = Normalize(up);
				/* folds up to 5 degrees are flat: there a face's own normal will do */
				float lean = slope <= 3 ? 0.06f : 1e-4f;
				REQUIRE(Abs(up.x) < lean && Abs(up.z) < 1e-3f, "slope %d, shape %d, sunk %g: pushed along %g %g %g",
				        slope, k, sink, up.x, up.y, up.z);
				/* before it touches, both sides of a gentle bend are ground to land on */
				bool one = count == 1 || (k == 0 && count == 2 && Dot(found[0].normal, found[1].normal) > 0.9999f);
				REQUIRE(slope <= 3 || one || (sink < 0 && count <= 3), "slope %d, shape %d, sunk %g: %d manifolds",
				        slope, k, sink, count);
				float depth = FLT_MAX;
				for (int m = 0; m < count; m++)
					depth = Min(depth, DeepestOf(&found[m]));
				REQUIRE(Abs(depth + sink) < 1e-3f + 0.01f * (float)(slope <= 3), "slope %d, shape %d: depth %g for %g",
				        slope, k, -depth, sink);
			}
			Mesh_Free(&mesh);
		}
}
END_TEST

START_TEST(in_valleys)
{
	/* a ball in a valley touches both sides, each with its own normal and at the right depth */
	Shape ball = {.kind = SHAPE_BALL, .radius = 0.3f};
	for (int slope = 8; slope <= 80; slope += 4) {
		Mesh mesh = {0};
		MakeRoof(&mesh, -slope);
		double c = Trig_Cos(slope * PI / 180.0), s = Trig_Sin(slope * PI / 180.0);
		for (int i = 0; i < 20; i++) {
			/* height of the centre at which it just touches, less what it is sunk; deep down to below the valley's line
			 */
			double sink = 0.03 * (double)(i - 1), height = 0.3 / c - sink;
			int count = Meet(&mesh, &ball, At(0, (float)height, 0.017f * (float)i), 0.05f, true);
			double depth = sink * c;
			REQUIRE(count >= 1, "slope %d, sunk %g: lost", slope, sink);
			if (height < 0.0)
				continue; /* below the line where the sides meet, one of them may do */
			REQUIRE(count == 2, "slope %d, sunk %g: %d manifolds", slope, sink, count);
			for (int m = 0; m < 2; m++) {
				REQUIRE(AbsD(AbsD(found[m].normal.x) - s) < 1e-5 && AbsD(found[m].normal.y - c) < 1e-5,
				        "slope %d, sunk %g: normal %g %g", slope, sink, found[m].normal.x, found[m].normal.y);
				REQUIRE(AbsD(DeepestOf(&found[m]) + depth) < 1e-5, "slope %d, sunk %g: depth %g for %g", slope, sink,
				        DeepestOf(&found[m]), -depth);
			}
			REQUIRE(found[0].normal.x * found[1].normal.x < 0, "slope %d: twice the same side", slope);
		}
		Mesh_Free(&mesh);
	}
}
END_TEST

START_TEST(across_a_bend)
{
	/* A box lies on one side of a roof and sticks out over the ridge. Sliding down its side it must not be held by the
	 * other side, which its tail passes in the air; tipping over the ridge it must find it. */
	Shape box = {.kind = SHAPE_BOX, .half = {0.6f, 0.2f, 0.4f}};
	for (int slope = 4; slope <= 16; slope += 2) {
		Mesh mesh = {0};
		MakeRoof(&mesh, slope);
		double angle = slope * PI / 180.0;
		Quat q = Quat_FromAxisAngle(Z, -angle);
		Vec3 down = Rotate(q, X), up = Rotate(q, Y), other = V3(-up.x, up.y, 0);
		for (int i = 0; i < 12; i++) {
			float out = 0.04f * (float)(i + 2);
			Vec3 at = Add(Scale(0.6f - out, down), Scale(0.2f - 0.001f, up));
			ShapeMotion slide = {Scale(0.6f, down), V3(0, 0, 0)}, tip = {V3(0, -0.05f, 0), V3(0, 0, 0.4f)};
			bool held[2] = {false, false};
			for (int k = 0; k < 2; k++) {
				int count = MeetMoving(&mesh, &box, (Xform){at, q}, 0.4f, k == 0 ? &slide : &tip, true);
				bool lies = false;
				for (int m = 0; m < count; m++) {
					lies = lies || Dot(found[m].normal, up) > 0.9999f;
					held[k] = held[k] || Dot(found[m].normal, other) > 0.9999f;
				}
				REQUIRE(lies, "slope %d, out %g: does not lie on its side", slope, out);
			}
			REQUIRE(!held[0], "slope %d, out %g: held by the other side", slope, out);
			REQUIRE(held[1], "slope %d, out %g: will fall into the other side", slope, out);
		}
		Mesh_Free(&mesh);
	}
}
END_TEST

START_TEST(turning_side_first)
{
	/* an eight-cornered plate just above the ground, turning: the corners that come down are among the four */
	double points[3 * 16];
	for (int i = 0; i < 16; i++) {
		double angle = PI / 4 * (i % 8) + 0.2;
		points[3 * i] = Trig_Cos(angle);
		points[3 * i + 1] = i < 8 ? -0.1 : 0.1;
		points[3 * i + 2] = Trig_Sin(angle);
	}
	Hull *hull = Hull_Create(&memory, points, 16, NULL, NULL);
	ck_assert_ptr_nonnull(hull);
	Shape plate = {.kind = SHAPE_HULL, .hull = hull};
	Mesh mesh = {0};
	Mesh_AddGrid(&mesh, Level, -3, -3, 0.5f, 12, 12, DIAGONAL_MIXED);
	Mesh_SetEdges(&mesh);
	for (int i = 0; i < 64; i++) {
		double way = 2 * PI / 64 * i;
		Vec3 turn = Scale(0.15f, V3((float)Trig_Cos(way), 0, (float)Trig_Sin(way)));
		ShapeMotion motion = {V3(0, -0.01f, 0), turn};
		ck_assert_int_eq(MeetMoving(&mesh, &plate, At(0, 0.11f, 0), 0.3f, &motion, true), 1);
		ck_assert_int_eq(found[0].count, 4);
		float lowest = 0.0f, low_found = 0.0f;
		for (int k = 0; k < 8; k++)
			lowest = Min(lowest, Cross(turn, V3((float)points[3 * k], -0.1f, (float)points[3 * k + 2])).y);
		for (int k = 0; k < 4; k++)
			low_found = Min(low_found, Cross(turn, Sub(found[0].points[k].point, V3(0, 0.11f, 0))).y);
		REQUIRE(low_found < lowest + 1e-3f, "way %d: the lowest corner comes down by %g, the found one by %g", i,
		        -lowest, -low_found);
	}
	Mesh_Free(&mesh);
	Hull_Destroy(&memory, hull);
}
END_TEST

/* Ground of unit cells like voxel terrain: each column a whole height; walls between. */
START_TEST(over_a_pit)
{
	/* a broad box sliding over a pit, sunk by up to the solver's slop: the floor carries it, no side of the pit stops
	 * it */
	Mesh mesh = {0};
	Mesh_AddCells(&mesh, Pit, 4);
	Shape box = {.kind = SHAPE_BOX, .half = {1.2f, 0.4f, 1.6f}};
	for (int i = 0; i < 2080; i++) {
		float sink = 0.0005f * (float)(i % 11), margin = i % 3 ? 0.02f : 0.2f;
		float x = -2.5f + 0.0025f * (float)i;
		int count = Meet(&mesh, &box, At(x, 0.4f - sink, 0.9f), margin, true);
		REQUIRE(count == 1 && found[0].normal.y == 1.0f && found[0].count == 4,
		        "at %g, sunk %g: %d manifolds, normal %g %g %g", x, sink, count, found[0].normal.x, found[0].normal.y,
		        found[0].normal.z);
		REQUIRE(Abs(DeepestOf(&found[0]) + sink) < 2e-6f, "at %g: depth", x);
	}
	Mesh_Free(&mesh);
}
END_TEST

START_TEST(against_stairs)
{
	/* on the floor and against the wall of a step: both, and nothing of the step's top, deep as the wall contact may be
	 */
	Mesh mesh = {0};
	Mesh_AddCells(&mesh, Stairs, 4);
	Shape box = {.kind = SHAPE_BOX, .half = {0.5f, 0.6f, 0.5f}};
	for (int i = 0; i < 200; i++) {
		float sink = 0.0005f * (float)(i % 11), into = -0.01f + 0.0005f * (float)(i % 100);
		int count = Meet(&mesh, &box, At(-0.5f + into, 0.6f - sink, 0.03f * (float)i - 2.5f), 0.02f, true);
		REQUIRE(count == 2, "sunk %g, into the wall %g: %d manifolds", sink, into, count);
		for (int m = 0; m < 2; m++) {
			bool floor = found[m].normal.y == 1.0f, wall = found[m].normal.x == -1.0f;
			REQUIRE(floor || wall, "sunk %g, into the wall %g: normal %g %g %g", sink, into, found[m].normal.x,
			        found[m].normal.y, found[m].normal.z);
			REQUIRE(Abs(DeepestOf(&found[m]) + (floor ? sink : into)) < 2e-6f, "depth %g", DeepestOf(&found[m]));
			REQUIRE(found[m].count == 4, "%d points", found[m].count);
		}
		REQUIRE(found[0].normal.x != found[1].normal.x, "twice the same");
	}
	/* on the edge of the step, half over the void: its top only */
	for (int i = 0; i < 200; i++) {
		float sink = 0.0002f * (float)(i % 50);
		int count = Meet(&mesh, &box, At(0.05f, 1.6f - sink, 0.01f * (float)i - 1.0f), 0.02f, true);
		REQUIRE(count == 1 && found[0].normal.y == 1.0f && found[0].count == 4, "on the edge, sunk %g: %d manifolds",
		        sink, count);
	}
	Mesh_Free(&mesh);
}
END_TEST

START_TEST(on_pillars)
{
	/* a plate on the tops of separate pillars: one manifold over all of them */
	Mesh mesh = {0};
	Mesh_AddCells(&mesh, Pillars, 4);
	Shape plate = {.kind = SHAPE_BOX, .half = {2.8f, 0.1f, 2.7f}};
	for (int i = 0; i < 50; i++) {
		Quat q = Quat_FromAxisAngle(Y, 0.03 * i);
		int count = Meet(&mesh, &plate, (Xform){{0.3f, 1.1f - 0.004f, 0.2f}, q}, 0.02f, true);
		REQUIRE(count == 1 && found[0].count == 4 && found[0].normal.y == 1.0f, "turn %d: %d manifolds", i, count);
		REQUIRE(Abs(DeepestOf(&found[0]) + 0.004f) < 2e-6f, "turn %d: depth %g", i, DeepestOf(&found[0]));
		/* wide apart: the tops farthest out */
		Vec3 a = found[0].points[0].point, b = found[0].points[1].point;
		REQUIRE(Length(Sub(a, b)) > 3.5f, "turn %d: the first two points are %g apart", i, Length(Sub(a, b)));
	}
	Mesh_Free(&mesh);
}
END_TEST

/* ---- rough ground ------------------------------------------------------------------------------------------------ */

/* Deepest overlap of the shape's skin with any triangle that it is in front of: by distance of a shrunken shape. */
static bool Clear(const Mesh *mesh, const Shape *shape, Xform at)
{
	for (int i = 0; i < mesh->count; i++)
		if (Collide_TriangleDistance(&mesh->triangles[i], shape, at).distance <= 0.0f)
			return false;
	return true;
}

START_TEST(pushed_out_of_rough_ground)
{
	/* sunk into rough ground, pushed by the found depths over and over: out soon, and not far from where it was */
	Random r = {12};
	HullStock stock;
	HullStock_Make(&stock, &r);
	for (int m = 0; m < 6; m++) {
		Mesh mesh = {0};
		roughness = 0.03f + 0.04f * (float)m;
		Mesh_AddGrid(&mesh, Rough, -3, -3, 0.5f, 12, 12, DIAGONAL_MIXED);
		Mesh_SetEdges(&mesh);
		for (int i = 0; i < 160; i++) {
			Shape shape = RandomShape(&r, &stock, (ShapeKind)(i % SHAPE_KIND_COUNT)), thin = shape;
			Quat q = RandomTurn(&r);
			Vec3 start = RandomVec(&r, -1, 1);
			if (Shape_InnerRadius(&shape) < 0.1f || Shape_OuterRadius(&shape) > 1.5f)
				continue;
			/* down on the ground by casting, then a little farther */
			float first = 1.0f;
			for (int t = 0; t < mesh.count; t++) {
				CastHit hit;
				Xform from = {V3(start.x, 4, start.z), q};
				if (Collide_CastTriangle(&mesh.triangles[t], &shape, from, V3(0, -6, 0), 0, &hit))
					first = Min(first, hit.fraction);
			}
			float sink = (float)Random_Range(&r, 0.0, 0.5) * Shape_InnerRadius(&shape);
			Xform at = {V3(start.x, 4 - 6 * first - sink, start.z), q};
			Vec3 before = at.p;
			int steps = 0, count = 1;
			for (; steps < 60; steps++) {
				count = Meet(&mesh, &shape, at, 0.0f, true);
				if (count == 0 || DeepestOf(&found[0]) > -1e-4f)
					break;
				at.p = MulSub(at.p, DeepestOf(&found[0]), found[0].normal);
			}
			REQUIRE(steps < 60, "ground %d, try %d (kind %d), sunk %g: still %g after 60 pushes", m, i, shape.kind,
			        sink, DeepestOf(&found[0]));
			/* the lowest point of a cone's or cylinder's rim may go from one face to the next on the way */
			float room = shape.kind == SHAPE_CYLINDER || shape.kind == SHAPE_CONE ? 0.08f : 0.01f;
			REQUIRE(Length(Sub(at.p, before)) < 3.0f * sink + room,
			        "ground %d, try %d (kind %d), sunk %g: pushed %g away", m, i, shape.kind, sink,
			        Length(Sub(at.p, before)));
			/* and really out: a skin of 2 mm less touches nothing */
			thin.radius -= 0.002f;
			thin.half = Sub(thin.half, V3(0.002f, 0.002f, 0.002f));
			if (shape.kind == SHAPE_CYLINDER)
				thin.half_length -= 0.002f;
			if (shape.kind != SHAPE_HULL && shape.kind != SHAPE_CONE)
				REQUIRE(Clear(&mesh, &thin, at), "ground %d, try %d (kind %d), sunk %g: still touching", m, i,
				        shape.kind, sink);
		}
		Mesh_Free(&mesh);
	}
	HullStock_Free(&stock);
}
END_TEST

/* ---- sliding ----------------------------------------------------------------------------------------------------- */

typedef struct Slide {
	double speed_loss; /* largest share of the speed lost on the way */
	double height;     /* largest change */
	double rise;       /* largest vertical speed */
	double aside;
} Slide;

/* A body that does not turn, without friction, under gravity: sequential impulses on the found contacts, 60 Hz. */
static Slide SlideOver(const Mesh *mesh, const Shape *shape, Xform at, double speed, double distance, bool filter)
{
	double dt = 1.0 / 60.0, start_height = at.p.y;
	P3 v = {speed, 0, 0};
	Slide slide = {0};
	float start = at.p.x;
	for (int step = 0; step < 260 && (double)(at.p.x - start) < distance && at.p.x >= start; step++) {
		int count = Meet(mesh, shape, at, 0.02f, filter);
		double impulse[MANIFOLDS * 4] = {0};
		v.y -= 9.81 * dt;
		for (int pass = 0; pass < 30; pass++)
			for (int m = 0; m < count; m++)
				for (int k = 0; k < found[m].count; k++) {
					P3 n = P3Of(found[m].normal);
					double s = (double)found[m].points[k].separation;
					double wish = s > 0.0 ? -s / dt : MinD(0.2 * MaxD(-s - 0.005, 0.0) / dt, 3.0);
					double *sum = &impulse[4 * m + k], was = *sum;
					*sum = MaxD(0.0, was + 0.5 * (wish - P3Dot(n, v)));
					v = P3Add(v, *sum - was, n);
				}
		at.p = V3((float)(at.p.x + v.x * dt), (float)(at.p.y + v.y * dt), (float)(at.p.z + v.z * dt));
		slide.speed_loss = MaxD(slide.speed_loss, (speed - v.x) / speed);
		slide.height = MaxD(slide.height, AbsD((double)at.p.y - start_height));
		slide.rise = MaxD(slide.rise, AbsD(v.y));
		slide.aside = MaxD(slide.aside, AbsD((double)at.p.z));
	}
	return slide;
}

START_TEST(sliding_on_flat_ground)
{
	Shape shapes[] = {{.kind = SHAPE_BOX, .half = {0.5f, 0.5f, 0.5f}},
	                  {.kind = SHAPE_BALL, .radius = 0.3f},
	                  {.kind = SHAPE_CAPSULE, .radius = 0.2f, .half_length = 0.5f}};
	for (int d = 0; d < 3; d++) {
		Mesh mesh = {0};
		Mesh_AddGrid(&mesh, Level, -1, -1, 0.25f, 56, 8, (Diagonals)d);
		Mesh_SetEdges(&mesh);
		int bumped = 0;
		for (int k = 0; k < 9; k++) {
			const Shape *shape = &shapes[k % 3];
			Quat q = k < 3 ? QuatIdentity() : Quat_FromAxisAngle(k < 6 ? Z : Y, k == 3 ? PI / 2 : 0.4);
			Xform at = {V3(0, -Lowest(shape, q) - 0.004f, 0), q};
			Slide slide = SlideOver(&mesh, shape, at, 5.0, 11.0, true);
			REQUIRE(slide.speed_loss < 1e-9 && slide.height < 1e-5 && slide.rise < 1e-6 && slide.aside < 1e-9,
			        "shape %d: lost %g of its speed, %g high, %g m/s, %g aside", k, slide.speed_loss, slide.height,
			        slide.rise, slide.aside);
			if (k < 4) {
				slide = SlideOver(&mesh, shape, at, 5.0, 4.0, false);
				bumped += slide.speed_loss > 0.01 || slide.rise > 0.1;
			}
		}
		ck_assert_msg(bumped > 2, "without the filter only %d of 4 felt bumps", bumped);
		Mesh_Free(&mesh);
	}
}
END_TEST

/* A degree up and down again, each metre. */
static float Folded(float x, float z)
{
	(void)z;
	float t = x - 2.0f * (float)FloorToInt(0.5 * (double)x);
	return 0.017455f * (t < 1.0f ? t : 2.0f - t);
}

START_TEST(sliding_on_folds)
{
	Shape shapes[] = {{.kind = SHAPE_BOX, .half = {0.5f, 0.5f, 0.5f}},
	                  {.kind = SHAPE_BALL, .radius = 0.3f},
	                  {.kind = SHAPE_BOX, .half = {0.2f, 0.1f, 0.3f}},
	                  {.kind = SHAPE_CYLINDER, .radius = 0.4f, .half_length = 0.5f},
	                  {.kind = SHAPE_CONE, .radius = 0.4f, .half_length = 0.5f}};
	Mesh mesh = {0};
	Mesh_AddGrid(&mesh, Folded, -1, -1, 0.5f, 48, 4, DIAGONAL_MIXED);
	Mesh_SetEdges(&mesh);
	for (int k = 0; k < COUNT_OF(shapes); k++) {
		Slide slide =
		    SlideOver(&mesh, &shapes[k], At(0, -Lowest(&shapes[k], QuatIdentity()) + 0.01f, 0), 5.0, 20.0, true);
		REQUIRE(slide.speed_loss < 0.03 && slide.height < 0.1 && slide.aside < 1e-3,
		        "shape %d: lost %g of its speed, %g high, %g m/s, %g aside", k, slide.speed_loss, slide.height,
		        slide.rise, slide.aside);
	}
	Mesh_Free(&mesh);
}
END_TEST

Suite *suite_collide_triangles(void);
Suite *suite_collide_triangles(void)
{
	Suite *suite = suite_create("collide_triangles");
	TCase *flat = tcase_create("flat ground");
	tcase_add_checked_fixture(flat, Setup, Teardown);
	tcase_set_timeout(flat, 60);
	tcase_add_test(flat, big_box_on_floor);
	tcase_add_test(flat, no_ghosts_on_flat_ground);
	tcase_add_test(flat, no_ghosts_on_tilted_ground);
	tcase_add_test(flat, ball_on_mesh_box);
	suite_add_tcase(suite, flat);
	TCase *forms = tcase_create("ridges, hollows, holes");
	tcase_add_checked_fixture(forms, Setup, Teardown);
	tcase_set_timeout(forms, 60);
	tcase_add_test(forms, over_ridges);
	tcase_add_test(forms, in_valleys);
	tcase_add_test(forms, across_a_bend);
	tcase_add_test(forms, turning_side_first);
	tcase_add_test(forms, over_a_pit);
	tcase_add_test(forms, against_stairs);
	tcase_add_test(forms, on_pillars);
	tcase_add_test(forms, pushed_out_of_rough_ground);
	suite_add_tcase(suite, forms);
	TCase *sliding = tcase_create("sliding");
	tcase_add_checked_fixture(sliding, Setup, Teardown);
	tcase_set_timeout(sliding, 60);
	tcase_add_test(sliding, sliding_on_flat_ground);
	tcase_add_test(sliding, sliding_on_folds);
	suite_add_tcase(suite, sliding);
	return suite;
}
