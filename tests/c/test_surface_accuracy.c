/* How near the surface comes to what the brushes were asked for: from Store_Fill to vertices and normals, floors,
 * planes and round shapes. The bounds are the tables of what the method can do, not of what it happened to do; lengths
 * are in cells. */
#include "surface_measures.h"

/* ---- floors ------------------------------------------------------------------------------------------------------ */

static void CheckFloor(double height, Spread *level, Spread *column)
{
	World world;
	World_Make(&world);
	Brush box = MakeBox(-20, -10, -20, 20, height, 20);
	Fill(&world, &box, EDIT_SET);
	SurfaceField field;
	static SurfaceMesh mesh;
	static const uint16_t smooth[256];
	Region region = {FIELD_SIZE, FIELD_SIZE, FIELD_SIZE, {field.material, field.value, NULL}};
	Store_Read(world.store, (CellBox){{-4, -4, -4}, {11, 11, 11}}, &region);
	Store_Destroy(world.store);
	Surface_Build(&field, smooth, &mesh);
	REQUIRE(mesh.quad_count == 64, "floor at %g: %d quads", height, mesh.quad_count);
	for (int i = 0; i < mesh.vertex_count; i++) {
		REQUIRE(mesh.position[i][1] == mesh.position[0][1], "floor at %g is not level", height);
		Spread_Add(level, (mesh.position[i][1] - 2048) / 4096.0 - height);
	}
	double matter = -4.0;
	for (int y = -4; y < 12; y++)
		if (field.material[Field_Cell(2, y, 2)])
			matter += (field.value[Field_Cell(2, y, 2)] + 1) / 256.0;
	Spread_Add(column, matter - height);
}

START_TEST(floors)
{
	Spread level = {0}, column = {0};
	for (int k = 0; k < 64; k++)
		CheckFloor(3.0 + k / 64.0, &level, &column);
	for (int k = 0; k < 1000; k += 4)
		CheckFloor(3.0 + k / 1000.0, &level, &column);
	CheckSpread(&level, "floors' heights", 0.0025, WRITTEN);
	CheckSpread(&column, "floors' matter", 0.008, 0.008);
}
END_TEST

/* ---- planes ------------------------------------------------------------------------------------------------------ */

typedef struct PlaneSpread {
	Spread off, angle, bend;
} PlaneSpread;

static bool QuadIsInner(const RefMesh *mesh, int quad, int n)
{
	for (int k = 0; k < 4; k++)
		if (!IsInner(&mesh->vertices[mesh->quads[quad].corner[k]], n))
			return false;
	return true;
}

/* Everything in the field's middle against the plane through `point`. */
static void MeasurePlane(const RefMesh *mesh, int n, const double normal[3], const double point[3], PlaneSpread *spread)
{
	for (int i = 0; i < mesh->vertex_count; i++) {
		double at[3];
		if (!IsInner(&mesh->vertices[i], n))
			continue;
		VertexAt(mesh, i, at);
		Spread_Add(&spread->off, DotOf(at, normal) - DotOf(point, normal));
	}
	uint16_t *kinds = RefMesh_EdgeKinds(mesh);
	for (int q = 0; q < mesh->quad_count; q++) {
		double p[3][3], m[2][3];
		if (!QuadIsInner(mesh, q, n))
			continue;
		for (int half = 0; half < 2; half++) {
			TriangleAt(mesh, q, half, p, m[half]);
			Spread_Add(&spread->angle, AngleOf(m[half], normal));
		}
		Spread_Add(&spread->bend, AngleOf(m[0], m[1]));
		REQUIRE(kinds[q] == 0 || !QuadIsInner(mesh, q, n - 1), "an edge on a plane counts as bent");
	}
	free(kinds);
}

/* A box of which one face goes through the field's middle. */
static void CheckPlane(const double normal[3], Random *random, PlaneSpread *spread)
{
	const int n = 17;
	double point[3], center[3];
	for (int i = 0; i < 3; i++) {
		point[i] = 0.5 * n + Random_Range(random, -0.5, 0.5);
		center[i] = point[i] - 12.0 * normal[i];
	}
	World world;
	World_Make(&world);
	Brush box = MakeBrush(BRUSH_BOX, center, 22.0, 12.0, 22.0);
	TurnTo(&box, normal, random);
	Fill(&world, &box, EDIT_SET);
	RefMesh mesh = World_Mesh(&world, n);
	MeasurePlane(&mesh, n, normal, point, spread);
	RefMesh_Free(&mesh);
}

static void CheckPlaneSpread(const PlaneSpread *spread, const char *what, double rms, double most, double normal,
                             double normal_most)
{
	char text[100];
	snprintf(text, sizeof text, "%s, vertices", what);
	CheckSpread(&spread->off, text, rms, most);
	snprintf(text, sizeof text, "%s, normals", what);
	CheckSpread(&spread->angle, text, normal, normal_most);
	snprintf(text, sizeof text, "%s, between triangles", what);
	CheckSpread(&spread->bend, text, normal_most, 0.6);
}

START_TEST(planes)
{
	PlaneSpread all = {0}, gentle = {0};
	Random random = {100};
	for (int i = 0; i < 60; i++) {
		double normal[3];
		RandomDirection(&random, normal);
		CheckPlane(normal, &random, &all);
	}
	CheckPlaneSpread(&all, "planes in 60 directions", 0.0013, WRITTEN + STORED, 0.13, 0.45);
	for (int i = 0; i < 8; i++) {
		double turn = Random_Range(&random, 0.0, 2.0 * PI), normal[3] = {cos(turn) / 50.0, 1.0, sin(turn) / 50.0};
		Normalise(normal);
		CheckPlane(normal, &random, &gentle);
	}
	CheckPlaneSpread(&gentle, "planes of 1 in 50", 0.0016, WRITTEN + STORED, 0.2, 0.45);
}
END_TEST

/* Straight slopes along one axis, every angle from level to upright. */
START_TEST(slopes)
{
	PlaneSpread all = {0};
	Random random = {110};
	for (int degrees = 0; degrees <= 90; degrees += 5) {
		double normal[3] = {sin(degrees / DEGREES), cos(degrees / DEGREES), 0.0};
		CheckPlane(normal, &random, &all);
	}
	CheckPlaneSpread(&all, "slopes of 0 to 90 degrees", 0.002, WRITTEN + STORED, 0.2, 0.45);
}
END_TEST

/* Grids of heights: exact up to 45 degrees; steeper, what is written is still the distance and not the height. */
START_TEST(heights)
{
	static const double slope[] = {0.02, 0.5, 1.0, 2.0, 4.0};
	const int n = 20, width = 40;
	for (int i = 0; i < COUNT_OF(slope); i++) {
		PlaneSpread spread = {0};
		double *grid = malloc(sizeof(double) * (size_t)(width * width));
		double normal[3] = {-slope[i], 1.0, 0.0}, point[3] = {10.0, 10.25, 10.0};
		for (int k = 0; k < width; k++)
			for (int x = 0; x < width; x++)
				grid[x + width * k] = point[1] + slope[i] * (x - 10.0 - point[0]);
		World world;
		World_Make(&world);
		Error error = {0};
		HeightFill fill = {.heights = grid,
		                   .width = width,
		                   .depth = width,
		                   .x0 = -10.0,
		                   .z0 = -10.0,
		                   .spacing = 1.0,
		                   .bottom = -100,
		                   .layer_count = 1,
		                   .layer_material = {GROUND},
		                   .layer_depth = {1000.0}};
		REQUIRE(Store_FillHeights(world.store, &world.table, &fill, EDIT_SET, NULL, NULL, &error) == ERROR_NONE,
		        "heights: %s", error.text);
		RefMesh mesh = World_Mesh(&world, n);
		Normalise(normal);
		MeasurePlane(&mesh, n, normal, point, &spread);
		CheckPlaneSpread(&spread, "heights", 0.003, WRITTEN + STORED, 0.3, 0.5);
		RefMesh_Free(&mesh);
		free(grid);
	}
}
END_TEST

/* ---- round shapes ------------------------------------------------------------------------------------------------ */

static double MeshVolume(const RefMesh *mesh)
{
	return RefMesh_Topology(mesh).volume;
}

typedef struct RoundSpread {
	Spread off, angle;
	double volume; /* mean share of the true one, less 1 */
} RoundSpread;

static double BallOff(const double p[3], const void *shape)
{
	const BallShape *ball = shape;
	double at[3] = {p[0] - ball->center[0], p[1] - ball->center[1], p[2] - ball->center[2]};
	double off = sqrt(DotOf(at, at)) - ball->r;
	return off > 1.5 ? (double)NAN : off; /* the block around a hole */
}

/* Balls at random places, or holes of that shape in the solid. */
static RoundSpread MeasureBalls(double r, bool hole, int placements)
{
	RoundSpread spread = {0};
	Random random = {200 + (uint64_t)(10.0 * r) + hole};
	int n = 2 * (int)r + 14;
	for (int i = 0; i < placements; i++) {
		World world;
		double center[3], p[3][3], normal[3], true_volume = 4.0 / 3.0 * PI * r * r * r;
		for (int k = 0; k < 3; k++)
			center[k] = 0.5 * n + Random_Range(&random, -0.5, 0.5);
		World_Make(&world);
		Brush ball = MakeBrush(BRUSH_BALL, center, r, 0.0, 0.0), around = MakeBox(2, 2, 2, n - 2, n - 2, n - 2);
		if (hole)
			Fill(&world, &around, EDIT_SET);
		Fill(&world, &ball, hole ? EDIT_REMOVE : EDIT_SET);
		RefMesh mesh = World_Mesh(&world, n);
		BallShape shape = {{center[0], center[1], center[2]}, r};
		MeasureSurface(&mesh, BallOff, &shape, &spread.off);
		for (int q = 0; q < mesh.quad_count; q++)
			for (int half = 0; half < 2; half++) {
				double outwards[3];
				TriangleAt(&mesh, q, half, p, normal);
				for (int k = 0; k < 3; k++)
					outwards[k] = ((p[0][k] + p[1][k] + p[2][k]) / 3.0 - center[k]) * (hole ? -1.0 : 1.0);
				if (hole && DotOf(outwards, outwards) > (r + 1.5) * (r + 1.5))
					continue;
				Normalise(outwards);
				Spread_Add(&spread.angle, AngleOf(normal, outwards));
			}
		/* Edges and corners of the block around are rounded: its own volume is measured on one without a hole. */
		spread.volume += hole ? 0.0 : MeshVolume(&mesh) / true_volume - 1.0;
		RefMesh_Free(&mesh);
	}
	spread.volume /= placements;
	return spread;
}

START_TEST(balls)
{
	/* The ball of radius 1 is not compensated. Volumes: signed share of the true one. */
	static const struct {
		double r, rms, most, volume, volume_spread;
	} want[] = {{1.0, 0.33, 0.69, -0.78, 0.05},
	            {2.0, 0.066, 0.175, -0.007, 0.012},
	            {4.0, 0.0315, 0.0865, -0.0044, 0.003},
	            {8.0, 0.0155, 0.0455, -0.0013, 0.0008},
	            {16.0, 0.00765, 0.0245, -0.0003, 0.0002}};
	for (int i = 0; i < COUNT_OF(want); i++)
		for (int hole = 0; hole < 2; hole++) {
			char text[60];
			if (hole && i == 0)
				continue;
			RoundSpread spread = MeasureBalls(want[i].r, hole, i < 3 ? 12 : i == 3 ? 5 : 1);
			snprintf(text, sizeof text, "%s of radius %g", hole ? "hole" : "ball", want[i].r);
			CheckSpread(&spread.off, text, want[i].rms, want[i].most);
			ck_assert_msg(hole || fabs(spread.volume - want[i].volume) < want[i].volume_spread, "%s: volume off by %g",
			              text, spread.volume);
			if (want[i].r == 16.0)
				CheckSpread(&spread.angle, "normals of the ball of radius 16", 1.15, 5.0);
		}
}
END_TEST

static double CylinderOff(const double p[3], const void *shape)
{
	const Brush *cylinder = shape;
	double local[3];
	ToLocal(cylinder, p, local);
	bool inner = fabs(local[1]) < cylinder->half[1] - 2.0;
	for (int i = 0; i < 3; i++)
		inner = inner && p[i] > 3.0 && p[i] < 29.0;
	return inner ? sqrt(local[0] * local[0] + local[2] * local[2]) - cylinder->half[0] : (double)NAN;
}

/* Side walls of cylinders in any position, more than two cells from the ends. */
START_TEST(cylinders)
{
	/* Along an axis, and in any direction, where rows of cells do not repeat: as bodies and as holes. */
	for (int kind = 0; kind < 4; kind++) {
		bool hole = kind & 1, turned = kind > 1;
		Spread spread = {0};
		Random random = {300};
		const int n = 32;
		for (int i = 0; i < 4; i++) {
			double center[3], axis[3];
			for (int k = 0; k < 3; k++)
				center[k] = 0.5 * n + Random_Range(&random, -0.5, 0.5);
			RandomDirection(&random, axis);
			World world;
			World_Make(&world);
			Brush cylinder = MakeBrush(BRUSH_CYLINDER, center, 4.0, 9.0, 4.0), all = MakeBox(0, 0, 0, n, n, n);
			if (turned)
				TurnTo(&cylinder, axis, &random);
			if (hole)
				Fill(&world, &all, EDIT_SET);
			Fill(&world, &cylinder, hole ? EDIT_REMOVE : EDIT_SET);
			RefMesh mesh = World_Mesh(&world, n);
			MeasureSurface(&mesh, CylinderOff, &cylinder, &spread);
			RefMesh_Free(&mesh);
		}
		CheckSpread(&spread, turned ? "turned cylinders" : "cylinders", 0.0175, 0.075);
	}
}
END_TEST

typedef struct TorusShape {
	double center[3], axis[3];
} TorusShape;

static double TorusOff(const double p[3], const void *shape)
{
	const TorusShape *torus = shape;
	double at[3] = {p[0] - torus->center[0], p[1] - torus->center[1], p[2] - torus->center[2]};
	double y = DotOf(at, torus->axis), x = sqrt(DotOf(at, at) - y * y) - 8.0;
	return sqrt(x * x + y * y) - 2.5;
}

/* No brush makes one, so it has no compensation: it shrinks as its curvature says. */
START_TEST(tori)
{
	Spread spread = {0};
	Random random = {310};
	double volume = 0.0;
	for (int i = 0; i < 6; i++) {
		RefField field = RefField_Create(28, 28, 28);
		TorusShape torus;
		for (int k = 0; k < 3; k++)
			torus.center[k] = 14.0 + Random_Range(&random, -0.5, 0.5);
		RandomDirection(&random, torus.axis);
		for (int c = 0; c < 28 * 28 * 28; c++) {
			double p[3] = {c % 28 + 0.5, c / 784 + 0.5, c / 28 % 28 + 0.5};
			RefField_Write(&field, c % 28, c / 784, c / 28 % 28, 1, -TorusOff(p, &torus));
		}
		RefMesh mesh = RefMesh_Create(&field, true);
		MeasureSurface(&mesh, TorusOff, &torus, &spread);
		volume += MeshVolume(&mesh) / (2.0 * PI * PI * 8.0 * 2.5 * 2.5) - 1.0;
		RefMesh_Free(&mesh);
		RefField_Free(&field);
	}
	CheckSpread(&spread, "tori", 0.0675, 0.2);
	ck_assert_msg(fabs(volume / 6.0 + 0.058) < 0.006, "tori: volume off by %g", volume / 6.0);
}
END_TEST

Suite *suite_surface_accuracy(void)
{
	Suite *suite = suite_create("surface_accuracy");
	TCase *planes_case = tcase_create("planes");
	tcase_set_timeout(planes_case, 120);
	tcase_add_test(planes_case, floors);
	tcase_add_test(planes_case, planes);
	tcase_add_test(planes_case, slopes);
	tcase_add_test(planes_case, heights);
	suite_add_tcase(suite, planes_case);
	TCase *shapes = tcase_create("shapes");
	tcase_set_timeout(shapes, 120);
	tcase_add_test(shapes, balls);
	tcase_add_test(shapes, cylinders);
	tcase_add_test(shapes, tori);
	suite_add_tcase(suite, shapes);
	return suite;
}
