/* How near the surface comes to what the brushes were asked for: from Store_Fill to vertices and normals, shape by
 * shape. The bounds are the tables of what the method can do, not of what it happened to do; lengths are in cells.
 */
#include "require.h"
#include "surface_fields.h"
#include "voxel/voxel.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>

#define GROUND 3
#define DEGREES 57.29577951308232
/* A distance is written in steps of 1/128, so it is off by 1/256 at most; positions are rounded to 1/4096 an axis. */
#define WRITTEN (1.0 / 256.0)
#define STORED (1.7320508075688772 / 8192.0)

/* ---- a store to write in ----------------------------------------------------------------------------------------- */

typedef struct World {
	Memory memory;
	MaterialTable table;
	Store *store;
} World;

static void World_Make(World *world)
{
	Memory_Init(&world->memory, NULL, NULL);
	MaterialTable_Init(&world->table);
	world->store = Store_Create(&world->memory);
	ck_assert_ptr_nonnull(world->store);
}

static void Fill(World *world, const Brush *brush, EditMode mode)
{
	Error error = {0};
	uint8_t material = mode == EDIT_REMOVE ? MATERIAL_AIR : GROUND;
	int code = Store_Fill(world->store, &world->table, brush, material, mode, NULL, &error);
	REQUIRE(code == ERROR_NONE, "fill: %s", error.text);
}

/* The surface of cells 0..n-1 and the air around them, as the twin has it; that blocks have the same is checked where
 * it does not take long. Frees the store. */
static RefMesh World_Mesh(World *world, int n)
{
	RefField field = RefField_Create(n, n, n);
	Region region = {n, n, n, {field.material, field.value, NULL}};
	Store_Read(world->store, (CellBox){{0, 0, 0}, {n - 1, n - 1, n - 1}}, &region);
	Store_Destroy(world->store);
	ck_assert_int_eq((int)world->memory.bytes, 0);
	RefMesh mesh = RefMesh_Create(&field, true);
	int differing = n > 24 ? 0 : Field_DifferingBlocks(&field, &mesh, NULL, SURFACE_HALO, 1);
	ck_assert_msg(differing == 0, "%d blocks are not as in the twin", differing);
	RefField_Free(&field);
	return mesh;
}

static Brush MakeBrush(BrushShape shape, const double center[3], double x, double y, double z)
{
	return (Brush){.shape = shape, .center = {center[0], center[1], center[2]}, .half = {x, y, z}};
}

static Brush MakeBox(double x0, double y0, double z0, double x1, double y1, double z1)
{
	double center[3] = {0.5 * (x0 + x1), 0.5 * (y0 + y1), 0.5 * (z0 + z1)};
	return MakeBrush(BRUSH_BOX, center, 0.5 * (x1 - x0), 0.5 * (y1 - y0), 0.5 * (z1 - z0));
}

/* ---- vectors ----------------------------------------------------------------------------------------------------- */

static double DotOf(const double a[3], const double b[3])
{
	return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void CrossOf(const double a[3], const double b[3], double n[3])
{
	for (int i = 0; i < 3; i++)
		n[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

static void Normalise(double v[3])
{
	double length = sqrt(DotOf(v, v));
	for (int i = 0; i < 3; i++)
		v[i] /= length;
}

static void RandomDirection(Random *random, double n[3])
{
	do
		for (int i = 0; i < 3; i++)
			n[i] = Random_Range(random, -1.0, 1.0);
	while (DotOf(n, n) > 1.0 || DotOf(n, n) < 0.01);
	Normalise(n);
}

/* Local y along n, turned about it by chance. */
static void TurnTo(Brush *brush, const double n[3], Random *random)
{
	double x[3], z[3], other[3];
	RandomDirection(random, other);
	CrossOf(other, n, x);
	Normalise(x);
	CrossOf(x, n, z);
	for (int i = 0; i < 3; i++) {
		brush->rotation[i][0] = x[i];
		brush->rotation[i][1] = n[i];
		brush->rotation[i][2] = z[i];
	}
	brush->rotated = true;
}

/* In the brush's frame, from its centre. */
static void ToLocal(const Brush *brush, const double p[3], double local[3])
{
	for (int j = 0; j < 3; j++) {
		local[j] = 0.0;
		for (int i = 0; i < 3; i++)
			local[j] += (brush->rotated ? brush->rotation[i][j] : i == j) * (p[i] - brush->center[i]);
	}
}

static void VertexAt(const RefMesh *mesh, int vertex, double at[3])
{
	for (int i = 0; i < 3; i++)
		at[i] = mesh->vertices[vertex].at[i] / 4096.0 + 0.5;
}

/* Corners and unit normal of one of a quad's triangles. */
static void TriangleAt(const RefMesh *mesh, int quad, int half, double p[3][3], double normal[3])
{
	const int *corner = mesh->quads[quad].corner;
	double side[2][3];
	for (int k = 0; k < 3; k++)
		VertexAt(mesh, corner[k == 0 ? 0 : k + half], p[k]);
	for (int k = 0; k < 2; k++)
		for (int i = 0; i < 3; i++)
			side[k][i] = p[k + 1][i] - p[0][i];
	CrossOf(side[0], side[1], normal);
	Normalise(normal);
}

/* Degrees between two unit vectors. */
static double AngleOf(const double a[3], const double b[3])
{
	double cross[3];
	CrossOf(a, b, cross);
	return DEGREES * atan2(sqrt(DotOf(cross, cross)), DotOf(a, b));
}

typedef struct Spread {
	double sum, squares, most;
	int count;
} Spread;

static void Spread_Add(Spread *spread, double off)
{
	spread->sum += off;
	spread->squares += off * off;
	spread->most = fabs(off) > spread->most ? fabs(off) : spread->most;
	spread->count++;
}

static double Spread_Rms(const Spread *spread)
{
	return sqrt(spread->squares / spread->count);
}

/* How far a point of the surface is off; NaN where that is not to count. */
typedef double OffFn(const double p[3], const void *shape);

/* All over the surface: at each triangle's corners, edges' middles and middle. */
static void MeasureSurface(const RefMesh *mesh, OffFn *off, const void *shape, Spread *spread)
{
	static const double share[7][3] = {{6, 0, 0}, {0, 6, 0}, {0, 0, 6}, {3, 3, 0}, {0, 3, 3}, {3, 0, 3}, {2, 2, 2}};
	for (int q = 0; q < mesh->quad_count; q++)
		for (int half = 0; half < 2; half++) {
			double p[3][3], normal[3];
			TriangleAt(mesh, q, half, p, normal);
			for (int k = 0; k < 7; k++) {
				double at[3];
				for (int i = 0; i < 3; i++)
					at[i] = (share[k][0] * p[0][i] + share[k][1] * p[1][i] + share[k][2] * p[2][i]) / 6.0;
				double d = off(at, shape);
				if (d == d)
					Spread_Add(spread, d);
			}
		}
}

/* rms and most within their bounds, which are printed figures: half a unit of the last place is theirs too. */
static void CheckSpread(const Spread *spread, const char *what, double rms, double most)
{
	ck_assert_msg(spread->count > 0, "%s: nothing was measured", what);
	ck_assert_msg(Spread_Rms(spread) <= rms, "%s: %g rms, not within %g", what, Spread_Rms(spread), rms);
	ck_assert_msg(spread->most <= most, "%s: %g at most, not within %g", what, spread->most, most);
}

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

/* Away from the sides of a field of n cells. */
static bool IsInner(const RefVertex *vertex, int n)
{
	for (int i = 0; i < 3; i++)
		if (vertex->cube[i] < 3 || vertex->cube[i] > n - 5)
			return false;
	return true;
}

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

typedef struct BallShape {
	double center[3], r;
} BallShape;

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

/* ---- boxes ------------------------------------------------------------------------------------------------------- */

/* Distances of a point from the planes of the nearest three faces, nearest first; positive inside. */
static void FaceDistances(const Brush *box, const double at[3], double d[3])
{
	double local[3];
	ToLocal(box, at, local);
	for (int i = 0; i < 3; i++)
		d[i] = box->half[i] - fabs(local[i]);
	for (int i = 0; i < 2; i++)
		for (int k = 0; k < 2 - i; k++)
			if (d[k] > d[k + 1]) {
				double swap = d[k];
				d[k] = d[k + 1];
				d[k + 1] = swap;
			}
}

static double DistanceToSegment(const double p[3], const double a[3], const double b[3])
{
	double ab[3], ap[3];
	for (int i = 0; i < 3; i++) {
		ab[i] = b[i] - a[i];
		ap[i] = p[i] - a[i];
	}
	double t = ClampD(DotOf(ab, ap) / DotOf(ab, ab), 0.0, 1.0);
	for (int i = 0; i < 3; i++)
		ap[i] -= t * ab[i];
	return sqrt(DotOf(ap, ap));
}

/* How far the mesh's edges keep from a point. */
static double GapAt(const RefMesh *mesh, const double at[3])
{
	double gap = 1e9;
	for (int q = 0; q < mesh->quad_count; q++)
		for (int k = 0; k < 5; k++) {
			const int *corner = mesh->quads[q].corner;
			double a[3], b[3];
			VertexAt(mesh, corner[k < 4 ? k : 0], a);
			VertexAt(mesh, corner[k < 4 ? (k + 1) & 3 : 2], b);
			double d = DistanceToSegment(at, a, b);
			gap = d < gap ? d : gap;
		}
	return gap;
}

static void WorldPoint(const Brush *box, const double local[3], double at[3])
{
	for (int i = 0; i < 3; i++) {
		at[i] = box->center[i];
		for (int j = 0; j < 3; j++)
			at[i] += box->rotation[i][j] * local[j];
	}
}

START_TEST(boxes)
{
	Spread faces = {0}, normals = {0}, edges = {0}, corners = {0};
	Random random = {400};
	const int n = 40;
	for (int i = 0; i < 4; i++) {
		double center[3], axis[3];
		for (int k = 0; k < 3; k++)
			center[k] = 0.5 * n + Random_Range(&random, -0.5, 0.5);
		RandomDirection(&random, axis);
		World world;
		World_Make(&world);
		Brush box = MakeBrush(BRUSH_BOX, center, 9.0, 7.0, 6.0);
		TurnTo(&box, axis, &random);
		Fill(&world, &box, EDIT_SET);
		RefMesh mesh = World_Mesh(&world, n);
		for (int v = 0; v < mesh.vertex_count; v++) {
			double at[3], d[3];
			VertexAt(&mesh, v, at);
			FaceDistances(&box, at, d);
			if (d[1] > 2.0)
				Spread_Add(&faces, d[0]);
		}
		for (int q = 0; q < mesh.quad_count; q++)
			for (int half = 0; half < 2; half++) {
				double p[3][3], normal[3], d[3], local[3], least = 180.0;
				bool inner = true;
				TriangleAt(&mesh, q, half, p, normal);
				for (int k = 0; k < 3; k++) {
					FaceDistances(&box, p[k], d);
					inner = inner && d[1] > 2.0;
				}
				for (int j = 0; inner && j < 6; j++) {
					for (int k = 0; k < 3; k++)
						local[k] = (j & 1 ? -1.0 : 1.0) * box.rotation[k][j / 2];
					least = MinD(least, AngleOf(local, normal));
				}
				if (inner)
					Spread_Add(&normals, least);
			}
		for (int k = 0; k < 12; k++) {
			int along = k / 4;
			double local[3], at[3];
			for (int j = 0; j < 3; j++)
				local[j] = box.half[j];
			local[(along + 1) % 3] *= k & 1 ? -1.0 : 1.0;
			local[(along + 2) % 3] *= k & 2 ? -1.0 : 1.0;
			local[along] *= Random_Range(&random, -0.5, 0.5);
			WorldPoint(&box, local, at);
			Spread_Add(&edges, GapAt(&mesh, at));
			if (k < 8) {
				for (int j = 0; j < 3; j++)
					local[j] = k >> j & 1 ? box.half[j] : -box.half[j];
				WorldPoint(&box, local, at);
				Spread_Add(&corners, GapAt(&mesh, at));
			}
		}
		RefMesh_Free(&mesh);
	}
	CheckSpread(&faces, "faces of turned boxes", 0.0015, WRITTEN + STORED);
	CheckSpread(&normals, "normals of turned boxes", 0.15, 0.585);
	/* An edge is rounded, as if by a ball of radius about 1; sharp ones take blockiness. */
	CheckSpread(&edges, "gaps at edges of turned boxes", 0.5, 0.675);
	CheckSpread(&corners, "gaps at corners of turned boxes", 1.0, 1.05);
	ck_assert_msg(fabs(edges.sum / edges.count - 0.44) < 0.06, "gaps at edges: %g", edges.sum / edges.count);
}
END_TEST

/* ---- shapes together --------------------------------------------------------------------------------------------- */

/* Off the nearer of two balls, where the other is not near. */
static double TwoBallsOff(const double p[3], const void *shape)
{
	const BallShape *ball = shape;
	double off[2];
	for (int k = 0; k < 2; k++) {
		double at[3] = {p[0] - ball[k].center[0], p[1] - ball[k].center[1], p[2] - ball[k].center[2]};
		off[k] = sqrt(DotOf(at, at)) - ball[k].r;
	}
	int near = fabs(off[0]) < fabs(off[1]) ? 0 : 1;
	return fabs(off[1 - near]) > 2.5 ? off[near] : (double)NAN;
}

/* Two balls united, or one dug out of the other: off the line where they meet each is as good as alone. */
START_TEST(combinations)
{
	for (int dig = 0; dig < 2; dig++) {
		Spread spread = {0};
		Random random = {500 + (uint64_t)dig};
		const int n = 34;
		for (int i = 0; i < 4; i++) {
			BallShape shape[2];
			World world;
			World_Make(&world);
			for (int k = 0; k < 2; k++) {
				shape[k].r = Random_Range(&random, 6.0, 7.0);
				for (int j = 0; j < 3; j++)
					shape[k].center[j] = 17.0 + Random_Range(&random, -3.0, 3.0) + (j == 0 ? 8 * k - 4 : 0);
				Brush ball = MakeBrush(BRUSH_BALL, shape[k].center, shape[k].r, 0.0, 0.0);
				Fill(&world, &ball, k && dig ? EDIT_REMOVE : EDIT_SET);
			}
			RefMesh mesh = World_Mesh(&world, n);
			RefTopology t = RefMesh_Topology(&mesh);
			ck_assert_int_eq(t.open + t.non_manifold + t.vertices + t.backwards + t.degenerate, 0);
			MeasureSurface(&mesh, TwoBallsOff, shape, &spread);
			RefMesh_Free(&mesh);
		}
		CheckSpread(&spread, dig ? "a ball less a ball" : "two balls", 0.021, 0.065);
	}
}
END_TEST

/* The top of two boxes side by side, y = 9.37, about the plane x = seam where they meet. */
static Spread MeasureSeam(double left_end, double right_begin)
{
	World world;
	World_Make(&world);
	Brush left = MakeBox(-10, -10, -10, left_end, 9.37, 40), right = MakeBox(right_begin, -10, -10, 40, 9.37, 40);
	Fill(&world, &left, EDIT_SET);
	Fill(&world, &right, EDIT_SET);
	const int n = 20;
	RefMesh mesh = World_Mesh(&world, n);
	Spread spread = {0};
	for (int v = 0; v < mesh.vertex_count; v++) {
		double at[3];
		VertexAt(&mesh, v, at);
		if (IsInner(&mesh.vertices[v], n))
			Spread_Add(&spread, at[1] - 9.37);
	}
	RefMesh_Free(&mesh);
	return spread;
}

START_TEST(seams)
{
	Spread grid = {0}, none = {0}, one = {0}, two = {0};
	grid = MeasureSeam(10.0, 10.0);
	CheckSpread(&grid, "fills that meet on a grid plane", WRITTEN, WRITTEN);
	for (int k = 1; k < 16; k += 2) {
		double seam = 10.0 + k / 16.0;
		Spread apart = MeasureSeam(seam, seam), by_one = MeasureSeam(seam, seam - 1.0);
		Spread by_two = MeasureSeam(seam, seam - 2.0);
		Spread_Add(&none, apart.most);
		Spread_Add(&one, by_one.most);
		Spread_Add(&two, by_two.most);
	}
	/* A groove, which the manual says to avoid: by grid planes, or by overlapping. */
	CheckSpread(&none, "fills that meet elsewhere", 0.425, 0.425);
	CheckSpread(&one, "fills that overlap by 1", 0.0365, 0.0365);
	CheckSpread(&two, "fills that overlap by 2", WRITTEN, WRITTEN);
	ck_assert_double_gt(none.most, 0.1);
}
END_TEST

/* ---- plates ------------------------------------------------------------------------------------------------------ */

/* Does the line through a point along n meet any triangle? */
static bool LineMeets(const RefMesh *mesh, const double point[3], const double n[3])
{
	for (int q = 0; q < mesh->quad_count; q++)
		for (int half = 0; half < 2; half++) {
			double p[3][3], normal[3], volume[3];
			TriangleAt(mesh, q, half, p, normal);
			for (int k = 0; k < 3; k++)
				for (int i = 0; i < 3; i++)
					p[k][i] -= point[i];
			for (int k = 0; k < 3; k++) {
				CrossOf(p[k], p[(k + 1) % 3], normal);
				volume[k] = DotOf(normal, n);
			}
			if ((volume[0] >= 0 && volume[1] >= 0 && volume[2] >= 0) ||
			    (volume[0] <= 0 && volume[1] <= 0 && volume[2] <= 0))
				return true;
		}
	return false;
}

/* Turned plates of 1.5 cells let nothing through; thinner ones are widened to that. */
START_TEST(plates)
{
	Random random = {600};
	const int n = 24;
	int lines = 0, through = 0;
	for (int i = 0; i < 12; i++) {
		double center[3], axis[3], thickness = i & 1 ? Random_Range(&random, 0.2, 1.5) : 1.5;
		for (int k = 0; k < 3; k++)
			center[k] = 0.5 * n + Random_Range(&random, -0.5, 0.5);
		RandomDirection(&random, axis);
		World world;
		World_Make(&world);
		Brush plate = MakeBrush(BRUSH_BOX, center, 7.0, 0.5 * thickness, 7.0);
		TurnTo(&plate, axis, &random);
		Fill(&world, &plate, EDIT_SET);
		RefMesh mesh = World_Mesh(&world, n);
		for (int k = 0; k < 40; k++) {
			double local[3] = {Random_Range(&random, -4.0, 4.0), 0.0, 0.0}, point[3];
			local[2] = Random_Range(&random, -4.0, 4.0);
			WorldPoint(&plate, local, point);
			lines++;
			through += !LineMeets(&mesh, point, axis);
		}
		RefMesh_Free(&mesh);
	}
	ck_assert_msg(through == 0, "%d of %d lines pass through plates", through, lines);
}
END_TEST

/* ---- the local-maximum rule and slivers -------------------------------------------------------------------------- */

/* The rule is for what would be invisible. Nothing of full thickness is. */
START_TEST(no_ghosts)
{
	Random random = {700};
	const int n = 18;
	int raised[4] = {0};
	for (int i = 0; i < 10; i++)
		for (int shape = 0; shape < 4; shape++) {
			double center[3], axis[3], r = Random_Range(&random, 1.0, 3.0);
			for (int k = 0; k < 3; k++)
				center[k] = 0.5 * n + Random_Range(&random, -0.5, 0.5);
			RandomDirection(&random, axis);
			World world;
			World_Make(&world);
			Brush brush = shape == 0 ? MakeBrush(BRUSH_BALL, center, r, 0.0, 0.0)
			                         : MakeBrush(BRUSH_BOX, center, r + 0.5, r + 1.0, r + 1.5);
			if (shape == 3)
				brush = MakeBrush(BRUSH_CYLINDER, center, r, r + 1.0, r);
			if (shape > 1)
				TurnTo(&brush, axis, &random);
			Fill(&world, &brush, EDIT_SET);
			RefMesh mesh = World_Mesh(&world, n);
			raised[shape] += mesh.raised_cells;
			RefMesh_Free(&mesh);
		}
	ck_assert_msg(raised[0] + raised[1] + raised[2] + raised[3] == 0,
	              "raised cells: %d in balls, %d in boxes, %d in turned boxes, %d in cylinders", raised[0], raised[1],
	              raised[2], raised[3]);
}
END_TEST

START_TEST(no_slivers)
{
	double least_area = 1.0, least_height = 1.0;
	for (int i = 0; i < 12; i++) {
		Random random = {800 + (uint64_t)i};
		double share = 0.3 + 0.1 * (i % 6);
		RefField field = i & 1 ? Field_Extremes(20, share, &random) : Field_Noise(20, share, &random);
		RefMesh mesh = RefMesh_Create(&field, true);
		for (int q = 0; q < mesh.quad_count; q++)
			for (int half = 0; half < 2; half++) {
				double p[3][3], n[3], longest = 0.0, side[2][3];
				TriangleAt(&mesh, q, half, p, n);
				for (int k = 0; k < 3; k++) {
					double length = 0.0;
					for (int j = 0; j < 3; j++)
						length += (p[k][j] - p[(k + 1) % 3][j]) * (p[k][j] - p[(k + 1) % 3][j]);
					longest = MaxD(longest, sqrt(length));
				}
				for (int k = 0; k < 2; k++)
					for (int j = 0; j < 3; j++)
						side[k][j] = p[k + 1][j] - p[0][j];
				CrossOf(side[0], side[1], n);
				double area = 0.5 * sqrt(DotOf(n, n));
				least_area = MinD(least_area, area);
				least_height = MinD(least_height, 2.0 * area / longest);
			}
		RefMesh_Free(&mesh);
		RefField_Free(&field);
	}
	ck_assert_msg(least_area > 1e-6, "a triangle has an area of %g", least_area);
	ck_assert_msg(least_height > 0.0015, "a triangle has a height of %g", least_height);
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
	tcase_add_test(shapes, boxes);
	tcase_add_test(shapes, combinations);
	tcase_add_test(shapes, seams);
	tcase_add_test(shapes, plates);
	tcase_add_test(shapes, no_ghosts);
	tcase_add_test(shapes, no_slivers);
	suite_add_tcase(suite, shapes);
	return suite;
}
