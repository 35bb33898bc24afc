/* Smoothing and growing where ground is not level: slopes, thin walls, balls, over the borders of chunks, undone. */
#include "brush_naive.h"
#include "terrain/terrain.h"

/* ---- measures ----------------------------------------------------------------------------------------------- */

/* A plane: along . p = height. */
typedef struct Plane {
	double along[3], height;
} Plane;

static double Along(const double a[3], const double b[3])
{
	return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static Plane RandomPlane(Random *random)
{
	Plane plane;
	double length;
	do {
		for (int i = 0; i < 3; i++)
			plane.along[i] = Random_Range(random, -1, 1);
		length = sqrt(Along(plane.along, plane.along));
	} while (length < 0.1 || length > 1);
	for (int i = 0; i < 3; i++)
		plane.along[i] /= length;
	plane.height = Random_Range(random, -1, 1);
	return plane;
}

/* The solid behind the plane, thick enough to have no other side here; or a wall of the thickness. */
static Brush Behind(const Plane *plane, double thickness)
{
	const double *n = plane->along;
	Brush box = {.shape = BRUSH_BOX, .half = {40, 0.5 * thickness, 40}, .rotated = true};
	double side[3] = {n[1], -n[0], 0}, length = sqrt(n[0] * n[0] + n[1] * n[1]);
	if (length < 0.1) {
		side[0] = 0, side[1] = n[2], side[2] = -n[1];
		length = sqrt(n[1] * n[1] + n[2] * n[2]);
	}
	for (int i = 0; i < 3; i++) {
		side[i] /= length;
		box.center[i] = n[i] * (plane->height - 0.5 * thickness);
		box.rotation[i][1] = n[i];
	}
	for (int i = 0; i < 3; i++) {
		box.rotation[i][0] = side[i];
		int j = (i + 1) % 3, k = (i + 2) % 3;
		box.rotation[i][2] = side[j] * n[k] - side[k] * n[j];
	}
	return box;
}

/* How far the surface's vertices within `radius` of the middle are at most from the plane; the wall's other side, and
 * nothing else, may be `other` behind it. *seen: how many there are. */
static double FarthestFrom(const Plane *plane, const double middle[3], double radius, double other, int *seen)
{
	Terrain *terrain = Terrain_Create(&heap, store, &table, 1.0, NARROWPHASE_KDTREE);
	Error error = {0};
	TerrainMesh mesh;
	CellBox box = {{(int)middle[0] - 20, (int)middle[1] - 20, (int)middle[2] - 20},
	               {(int)middle[0] + 20, (int)middle[1] + 20, (int)middle[2] + 20}};
	double farthest = 0;
	*seen = 0;
	ck_assert_int_eq(Terrain_Sync(terrain, &error), 0);
	ck_assert_int_eq(Terrain_Mesh(terrain, &box, &mesh, &error), 0);
	for (int64_t v = 0; v < mesh.vertex_count; v++) {
		const double *p = mesh.positions + 3 * v, at[3] = {p[0] - middle[0], p[1] - middle[1], p[2] - middle[2]};
		if (Along(at, at) > radius * radius)
			continue;
		double off = Along(p, plane->along) - plane->height;
		farthest = fmax(farthest, fmin(fabs(off), fabs(off + other)));
		++*seen;
	}
	TerrainMesh_Free(&heap, &mesh);
	Terrain_Destroy(terrain);
	return farthest;
}

static double MatterNow(void)
{
	int64_t sums[MATERIAL_LIMIT], all = 0;
	Store_Matter(store, (CellBox){{-99, -99, -99}, {99, 99, 99}}, sums);
	for (int m = 2; m < MATERIAL_LIMIT; m++)
		all += sums[m];
	return (double)all / 256;
}

static const double origin[3] = {0, 0, 0};

static void Smooth(const double at[3], double radius, double strength)
{
	ck_assert_int_eq(Store_Smooth(store, &table, at, radius, strength, NULL, NULL), ERROR_NONE);
}

static void Grow(const double at[3], double radius, double by)
{
	ck_assert_int_eq(Store_Grow(store, &table, at, radius, by, -1, NULL, NULL), ERROR_NONE);
}

/* ---- planes ------------------------------------------------------------------------------------------------- */

static void CheckPlane(const Plane *plane, double radius, double other, double most, const char *what, int seed)
{
	int seen;
	double off = FarthestFrom(plane, origin, radius, other, &seen);
	REQUIRE(seen > 20 && off <= most, "%s, seed %d: %d vertices, one is %g off", what, seed, seen, off);
}

#define NEAR (1.0 / 100)

/* At any slope smoothing leaves a plane where it is, and growing moves it by what was asked for. */
START_TEST(test_slopes)
{
	for (int seed = 1; seed <= 6; seed++) {
		Random random = {(uint64_t)seed * 131};
		Plane plane = RandomPlane(&random);
		Brush ground = Behind(&plane, 40);
		double grow = Random_Range(&random, -3, 3);
		Fill(&ground, ROCK, EDIT_SET, NULL);
		for (int i = 0; i < 6; i++)
			Smooth(origin, 13, 1);
		CheckPlane(&plane, 13, 0, NEAR, "smoothed slope", seed);
		Grow(origin, 16, grow);
		plane.height += grow;
		CheckPlane(&plane, 9, 0, NEAR, "grown slope", seed);
		Grow(origin, 16, -grow);
		plane.height -= grow;
		CheckPlane(&plane, 6, 0, NEAR, "slope grown and worn", seed);
		ck_assert_int_eq(Store_Clear(store, NULL, NULL), ERROR_NONE);
	}
}
END_TEST

/* Both sides of a wall move, and neither knows of the other: three cells are thick enough for smoothing. */
START_TEST(test_walls)
{
	for (int seed = 1; seed <= 6; seed++) {
		Random random = {(uint64_t)seed * 177};
		Plane plane = RandomPlane(&random), grown = plane;
		double thickness = Random_Range(&random, 3, 6), grow = Random_Range(&random, -0.5, 2);
		Brush wall = Behind(&plane, thickness);
		Fill(&wall, ROCK, EDIT_SET, NULL);
		Grow(origin, 16, grow);
		grown.height += grow;
		CheckPlane(&grown, 7, thickness + 2 * grow, NEAR, "grown wall", seed);
		ck_assert_int_eq(Store_Clear(store, NULL, NULL), ERROR_NONE);
		Fill(&wall, ROCK, EDIT_SET, NULL);
		for (int i = 0; i < 3; i++)
			Smooth(origin, 13, 1);
		CheckPlane(&plane, 8, thickness, thickness < 4 ? 0.07 : 0.02, "smoothed wall", seed);
		ck_assert_int_eq(Store_Clear(store, NULL, NULL), ERROR_NONE);
	}
}
END_TEST

/* ---- curved ------------------------------------------------------------------------------------------------- */

/* A ball grown is about the ball of that radius; smoothed it only ever loses, and at last it goes. */
START_TEST(test_balls)
{
	static const double middle[3] = {0.3, -0.2, 0.1};
	for (int r = 3; r < 10; r += 2) {
		Brush ball = MakeBall(0.3, -0.2, 0.1, r);
		for (int k = -1; k <= 3; k += 2) {
			Brush other = MakeBall(0.3, -0.2, 0.1, r + k);
			Fill(&ball, ROCK, EDIT_SET, NULL);
			Grow(middle, 24, k);
			double grown = MatterNow();
			ck_assert_int_eq(Store_Clear(store, NULL, NULL), ERROR_NONE);
			Fill(&other, ROCK, EDIT_SET, NULL);
			double thick = (grown - MatterNow()) / (4 * PI * (r + k) * (r + k));
			REQUIRE(fabs(thick) < 0.14, "ball of %d grown by %d: %g cells off", r, k, thick);
			ck_assert_int_eq(Store_Clear(store, NULL, NULL), ERROR_NONE);
		}
		Fill(&ball, ROCK, EDIT_SET, NULL);
		double last = MatterNow();
		for (int i = 0; i < 16 && last > 0; i++) {
			Smooth(origin, 16, 1);
			double now = MatterNow();
			REQUIRE(now < last, "ball of %d, smoothed %d times: %g after %g", r, i + 1, now, last);
			last = now;
		}
		REQUIRE(last == 0 || r > 5, "ball of %d: %g left", r, last);
		ck_assert_int_eq(Store_Clear(store, NULL, NULL), ERROR_NONE);
	}
}
END_TEST

static void FillHills(uint64_t seed, double strength)
{
	double heights[32 * 32];
	Random random = {seed};
	Error error = {0};
	for (int i = 0; i < 32 * 32; i++)
		heights[i] = Random_Range(&random, -strength, strength);
	HeightFill fill = {.heights = heights, .width = 32, .depth = 32, .x0 = -31, .z0 = -31, .spacing = 2, .bottom = -20};
	fill.layer_count = 1;
	fill.layer_material[0] = ROCK;
	fill.layer_depth[0] = 1e6;
	ck_assert_int_eq(Store_FillHeights(store, &table, &fill, EDIT_SET, NULL, NULL, &error), ERROR_NONE);
}

/* Mean square of what a column's matter differs from its neighbours', within the part that is smoothed in full. */
static double Roughness(void)
{
	double column[21][21], sum = 0;
	for (int x = 0; x < 21; x++)
		for (int z = 0; z < 21; z++) {
			column[x][z] = 0;
			for (int y = -20; y < 12; y++) {
				Voxel v = Store_Get(store, (Cell){x - 10, y, z - 10});
				column[x][z] += v.material ? (v.occupancy + 1) / 256.0 : 0;
			}
		}
	for (int x = 0; x < 20; x++)
		for (int z = 0; z < 20; z++)
			sum += pow(column[x + 1][z] - column[x][z], 2) + pow(column[x][z + 1] - column[x][z], 2);
	return sum / 800;
}

/* Rough ground gets smoother with every use, ends near a plane, and loses or gains little. */
START_TEST(test_rough_ground)
{
	for (uint64_t seed = 1; seed <= 2; seed++) {
		FillHills(seed, 2.5);
		double matter = MatterNow(), first = Roughness(), last = first;
		for (int i = 0; i < 8; i++) {
			Smooth(origin, 21, 1);
			double now = Roughness();
			REQUIRE(now < last, "hills %d, round %d: roughness %g after %g", (int)seed, i, now, last);
			last = now;
		}
		double change = (MatterNow() - matter) / (PI * 21 * 21);
		REQUIRE(last < first / 20, "hills %d: roughness %g of %g is left", (int)seed, last, first);
		REQUIRE(fabs(change) < 0.15, "hills %d: the ground has moved by %g", (int)seed, change);
		ck_assert_int_eq(Store_Clear(store, NULL, NULL), ERROR_NONE);
	}
}
END_TEST

/* ---- where, and back again ---------------------------------------------------------------------------------- */

static void ReshapeAt(Cell at, Twin *result)
{
	const double middle[3] = {at.x + 0.3, at.y - 0.2, at.z + 0.45};
	Brush ground = MakeBox(at.x - 18, at.y - 12, at.z - 18, at.x + 18, at.y + 0.3, at.z + 18);
	Brush wall = MakeBall(at.x + 3.0, at.y + 1.5, at.z - 2.0, 4.5),
	      pit = MakeBox(at.x - 7, at.y - 4, at.z + 1, at.x - 3, at.y + 1, at.z + 6);
	Fill(&ground, ROCK, EDIT_SET, NULL);
	Fill(&wall, SAND, EDIT_SET, NULL);
	Fill(&pit, MATERIAL_AIR, EDIT_SET, NULL);
	Smooth(middle, 14, 0.75);
	Grow(middle, 12, 1.25);
	Smooth(middle, 9, 1);
	Grow(middle, 10, -0.75);
	*result = Twin_Create((CellBox){{at.x - 22, at.y - 16, at.z - 22}, {at.x + 22, at.y + 16, at.z + 22}});
	Region region = {result->nx, result->ny, result->nz, {result->channel[0], result->channel[1], result->channel[2]}};
	Store_Read(store, result->box, &region);
	ck_assert_int_eq(Store_Clear(store, NULL, NULL), ERROR_NONE);
}

/* Wherever chunks meet, what comes out is the same. */
START_TEST(test_borders_do_not_matter)
{
	static const Cell places[] = {{16, 0, -16}, {0, 31, 32}, {-33, 64, 1}, {7, -9, 100000}, {1000000, 1000000, -5}};
	Twin first;
	ReshapeAt((Cell){0, 0, 0}, &first);
	for (int k = 0; k < COUNT_OF(places); k++) {
		Twin other;
		ReshapeAt(places[k], &other);
		for (int c = 0; c < CHANNEL_COUNT; c++)
			REQUIRE(memcmp(first.channel[c], other.channel[c], Twin_Size(&first)) == 0, "place %d, channel %d", k, c);
		Twin_Free(&other);
	}
	Twin_Free(&first);
}
END_TEST

/* Undone it is what it was and redone what it became, to the bit, and the ground that bodies meet follows. */
START_TEST(test_undone)
{
	Random random = {5};
	Error error = {0};
	char name[UNDO_NAME_SIZE], why[200] = "";
	enum { EDITS = 16 };
	uint64_t hashes[EDITS + 1];
	Terrain *terrain = Terrain_Create(&heap, store, &table, 1.0, NARROWPHASE_LATTICE);
	FillHills(3, 2);
	for (int i = 0; i <= EDITS; i++) {
		hashes[i] = Store_HashValue(store);
		if (i == EDITS)
			break;
		const double at[3] = {Random_Range(&random, -34, 34), Random_Range(&random, -3, 3),
		                      Random_Range(&random, -34, 34)};
		ck_assert_int_eq(Store_BeginUndo(store, NULL, NULL), ERROR_NONE);
		if (i % 2)
			Grow(at, 9, Random_Range(&random, -2, 2));
		else
			Smooth(at, 9, 1);
	}
	for (int i = 0; i < 2 * EDITS; i++) {
		bool back = i < EDITS;
		ck_assert_int_eq(back ? Store_Undo(store, name, NULL) : Store_Redo(store, name, NULL), 1);
		REQUIRE(Store_HashValue(store) == hashes[back ? EDITS - 1 - i : i - EDITS + 1], "step %d", i);
		ck_assert_int_eq(Terrain_Sync(terrain, &error), ERROR_NONE);
		REQUIRE(Terrain_Validate(terrain, why, sizeof(why)), "step %d: %s", i, why);
	}
	Terrain_Destroy(terrain);
	Store_ForgetUndo(store);
}
END_TEST

Suite *suite_reshape(void);
Suite *suite_reshape(void)
{
	Suite *suite = suite_create("reshape");
	TCase *tests = tcase_create("reshape");
	tcase_set_timeout(tests, 120);
	tcase_add_checked_fixture(tests, Setup, Teardown);
	tcase_add_test(tests, test_slopes);
	tcase_add_test(tests, test_walls);
	tcase_add_test(tests, test_balls);
	tcase_add_test(tests, test_rough_ground);
	tcase_add_test(tests, test_borders_do_not_matter);
	tcase_add_test(tests, test_undone);
	suite_add_tcase(suite, tests);
	return suite;
}
