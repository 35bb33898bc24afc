/* Swept shapes over the ground against brute force: the sweep of a world, which finds its triangles by both indices and
 * goes long ways piece by piece, against all triangles of the twin's mesh (surface_reference.h) on the whole way. Balls
 * are also measured by a distance that shares no code with the library. */
#include "require.h"

#include "collide/collide.h"
#include "failing_memory.h"
#include "random_turns.h"
#include "surface_fields.h"
#include "world/world.h"

#include <stdlib.h>

Suite *suite_sweeps(void);

enum { SIDE = 24, MATERIALS = 4 };
#define NEAR_ENOUGH 5e-4 /* metres; Collide_Cast comes up to its own slack */

typedef struct Scene {
	FailingMemory heap[2];
	World *world[2]; /* by index */
	Triangle *triangles;
	double (*corners)[3][3]; /* the same, cells as metres */
	int count;
} Scene;

/* ---- the ground ---------------------------------------------------------------------------------------------- */

static void FillWorld(World *world, const RefField *field)
{
	Error error = {0};
	size_t size = (size_t)field->nx * field->ny * field->nz;
	uint8_t *material = malloc(size);
	for (size_t i = 0; i < size; i++)
		material[i] = (uint8_t)(field->material[i] ? field->material[i] + 1 : 0); /* 1 is water in the table */
	Region region = {field->nx, field->ny, field->nz, {material, field->value, NULL}};
	CellBox box = {{0, 0, 0}, {field->nx - 1, field->ny - 1, field->nz - 1}};
	REQUIRE(Store_Write(World_Store(world), box, &region, NULL, NULL, &error) == ERROR_NONE, "%s", error.text);
	for (int m = 1; m <= MATERIALS; m++) {
		Material changed = World_Materials(world)->items[m + 1];
		changed.blockiness = field->blockiness[m] / 256.0f;
		REQUIRE(MaterialTable_Put(World_Materials(world), &changed, &error) == m + 1, "%s", error.text);
	}
	free(material);
}

static void Scene_Open(Scene *scene, const RefField *field)
{
	Error error = {0};
	RefMesh mesh = RefMesh_Create(field, true);
	scene->count = 2 * mesh.quad_count;
	scene->triangles = calloc((size_t)scene->count, sizeof *scene->triangles);
	scene->corners = calloc((size_t)scene->count, sizeof *scene->corners);
	for (int i = 0; i < scene->count; i++) {
		const RefQuad *quad = &mesh.quads[i / 2];
		const int corner[3] = {quad->corner[0], quad->corner[1 + i % 2], quad->corner[2 + i % 2]};
		for (int k = 0; k < 3; k++)
			for (int a = 0; a < 3; a++)
				scene->corners[i][k][a] = mesh.vertices[corner[k]].at[a] / 4096.0 + 0.5;
	}
	RefMesh_Free(&mesh);
	for (int w = 0; w < 2; w++) {
		FailingMemory_Init(&scene->heap[w], -1);
		WorldDef def = {.cell_size = 1.0,
		                .substeps = 4,
		                .threads = 1,
		                .narrowphase = w ? NARROWPHASE_LATTICE : NARROWPHASE_KDTREE,
		                .collider_budget = 1 << 24,
		                .resize = FailingMemory_Resize,
		                .resize_user = &scene->heap[w]};
		scene->world[w] = World_Create(&def, &error);
		REQUIRE(scene->world[w], "%s", error.text);
		FillWorld(scene->world[w], field);
	}
}

static void Scene_Close(Scene *scene)
{
	free(scene->triangles);
	free(scene->corners);
	for (int w = 0; w < 2; w++)
		ck_assert_int_eq((int)World_Destroy(scene->world[w]), 0);
}

/* ---- the twin ------------------------------------------------------------------------------------------------ */

static void PlaceTriangles(Scene *scene, Pos from)
{
	for (int i = 0; i < scene->count; i++)
		for (int k = 0; k < 3; k++) {
			const double *p = scene->corners[i][k];
			scene->triangles[i].v[k] = V3((float)(p[0] - from.x), (float)(p[1] - from.y), (float)(p[2] - from.z));
		}
}

/* Fraction of the first touch, or 2; 0 when it starts across a triangle. */
static double BruteSweep(const Scene *scene, const Shape *shape, Quat turn, Vec3 motion)
{
	double best = 2.0;
	Xform here = {{0, 0, 0}, turn};
	for (int i = 0; i < scene->count; i++) {
		CastHit hit;
		if (Collide_TriangleDistance(&scene->triangles[i], shape, here).distance <= 0.0f)
			return 0.0;
		if (Collide_CastTriangle(&scene->triangles[i], shape, here, motion, 0.0f, &hit))
			best = MinD(best, hit.inside ? 0.0 : (double)hit.fraction);
	}
	return best;
}

static double Dot3(const double a[3], const double b[3])
{
	return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Squared distance to a segment. */
static double SegmentDistance(const double p[3], const double a[3], const double b[3])
{
	double ab[3], ap[3], rest[3];
	for (int i = 0; i < 3; i++) {
		ab[i] = b[i] - a[i];
		ap[i] = p[i] - a[i];
	}
	double t = ClampD(Dot3(ap, ab) / Dot3(ab, ab), 0.0, 1.0);
	for (int i = 0; i < 3; i++)
		rest[i] = ap[i] - t * ab[i];
	return Dot3(rest, rest);
}

/* The plane where the point lies over the triangle, else the nearest of its sides. */
static double PointDistance(const double p[3], double v[3][3])
{
	double ab[3], ac[3], ap[3], n[3], nearest = 1e30;
	for (int i = 0; i < 3; i++) {
		ab[i] = v[1][i] - v[0][i];
		ac[i] = v[2][i] - v[0][i];
		ap[i] = p[i] - v[0][i];
	}
	n[0] = ab[1] * ac[2] - ab[2] * ac[1];
	n[1] = ab[2] * ac[0] - ab[0] * ac[2];
	n[2] = ab[0] * ac[1] - ab[1] * ac[0];
	bool over = true;
	for (int k = 0; k < 3; k++) {
		const double *a = v[k], *b = v[(k + 1) % 3];
		const double e[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]}, q[3] = {p[0] - a[0], p[1] - a[1], p[2] - a[2]};
		const double inward[3] = {n[1] * e[2] - n[2] * e[1], n[2] * e[0] - n[0] * e[2], n[0] * e[1] - n[1] * e[0]};
		over = over && Dot3(inward, q) >= 0.0;
		nearest = MinD(nearest, SegmentDistance(p, a, b));
	}
	return over ? AbsD(Dot3(n, ap)) / sqrt(Dot3(n, n)) : sqrt(nearest);
}

static double GroundDistance(const Scene *scene, Pos at)
{
	const double p[3] = {at.x, at.y, at.z};
	double nearest = 1e30;
	for (int i = 0; i < scene->count; i++)
		nearest = MinD(nearest, PointDistance(p, scene->corners[i]));
	return nearest;
}

static Pos At(Pos from, Pos to, double t)
{
	return (Pos){from.x + (to.x - from.x) * t, from.y + (to.y - from.y) * t, from.z + (to.z - from.z) * t};
}

/* ---- sweeps -------------------------------------------------------------------------------------------------- */

static Shape ShapeOf(int kind, Random *r, Hull *const hulls[2])
{
	float size = (float)Random_Range(r, 0.15, 1.1);
	switch (kind) {
	case 0:
		return (Shape){.kind = SHAPE_BALL, .radius = size};
	case 1:
		return (Shape){.kind = SHAPE_CAPSULE, .radius = 0.5f * size, .half_length = size};
	case 2:
		return (Shape){.kind = SHAPE_BOX, .half = V3(size, 0.6f * size, 1.3f * size)};
	default:
		return (Shape){.kind = SHAPE_HULL, .hull = hulls[Random_Below(r, 2)]};
	}
}

static Pos RandomPlace(Random *r)
{
	return (Pos){Random_Range(r, -3, SIDE + 3), Random_Range(r, -3, SIDE + 3), Random_Range(r, -3, SIDE + 3)};
}

typedef struct Counts {
	int hits, misses, starts, balls, grazes;
} Counts;

static void CheckBall(const Scene *scene, Pos from, Pos to, double radius, double fraction, const char *what)
{
	if (fraction <= 1.0) {
		double gap = GroundDistance(scene, At(from, to, fraction)) - radius;
		REQUIRE(AbsD(gap) < NEAR_ENOUGH, "%s: ends %g from the ground", what, gap);
	}
	for (int i = 0; i < 12; i++) {
		double gap = GroundDistance(scene, At(from, to, MinD(fraction, 1.0) * i / 12)) - radius;
		REQUIRE(gap > -NEAR_ENOUGH, "%s: %g in the ground on its way", what, -gap);
	}
}

static void CheckSweep(Scene *scene, Random *r, int kind, Hull *const hulls[2], Counts *counts, const char *what)
{
	static const QueryFilter filter = {.terrain = true, .inside = true, .groups = UINT32_MAX};
	Shape shape = ShapeOf(kind, r, hulls);
	Quat turn = RandomTurn(r);
	Pos from = RandomPlace(r), to = RandomPlace(r);
	Vec3 motion = V3((float)(to.x - from.x), (float)(to.y - from.y), (float)(to.z - from.z));
	double length = sqrt((double)LengthSq(motion));
	QueryHit hit[2];
	int met[2];
	for (int w = 0; w < 2; w++) {
		Error error = {0};
		met[w] = World_Cast(scene->world[w], &shape, turn, from, to, &filter, &hit[w], &error);
		REQUIRE(met[w] >= 0, "%s: %s", what, error.text);
	}
	REQUIRE(met[0] == met[1] && (!met[0] || (hit[0].fraction == hit[1].fraction && hit[0].inside == hit[1].inside &&
	                                         memcmp(&hit[0].cell, &hit[1].cell, sizeof(Cell)) == 0)),
	        "%s: the indices differ: %d at %.17g, %d at %.17g", what, met[0], hit[0].fraction, met[1], hit[1].fraction);
	bool water;
	int under = Terrain_PointInside(World_Terrain(scene->world[0]), from, &water);
	if (under) {
		REQUIRE(met[0] && hit[0].inside, "%s: starts in the ground, not said", what);
		counts->starts++;
		return;
	}
	PlaceTriangles(scene, from);
	double want = BruteSweep(scene, &shape, turn, motion), got = met[0] ? hit[0].fraction : 2.0;
	if (AbsD(got - want) * length > NEAR_ENOUGH) {
		/* Only where it passes the ground closely may one say so and the other not. */
		Vec3 there = Scale((float)MinD(MinD(got, want), 1.0), motion), normal = hit[0].normal;
		double closest = 1e30;
		for (int i = 0; i < scene->count; i++)
			closest = MinD(
			    closest, (double)Collide_TriangleDistance(&scene->triangles[i], &shape, (Xform){there, turn}).distance);
		REQUIRE(AbsD(closest) < NEAR_ENOUGH && (!met[0] || (double)Dot(normal, motion) > -0.02 * length),
		        "%s: %g, brute force says %g of %g m (%g from the ground)", what, got, want, length, closest);
		counts->grazes++;
		return;
	}
	counts->hits += got > 0.0 && got <= 1.0;
	counts->misses += got > 1.0;
	counts->starts += got == 0.0;
	if (kind == 0 && got > 0.0) {
		CheckBall(scene, from, to, (double)shape.radius, got, what);
		counts->balls++;
	}
}

static void CheckSweeps(RefField field, uint64_t seed, int sweeps)
{
	Random r = {seed};
	Scene scene;
	Memory memory;
	Counts counts = {0};
	Scene_Open(&scene, &field);
	Memory_Init(&memory, NULL, NULL);
	Hull *hulls[2] = {Hull_CreateBox(&memory, V3(0.4f, 0.3f, 0.9f)), Hull_CreateWedge(&memory, V3(0.7f, 0.4f, 0.5f))};
	for (int i = 0; i < sweeps; i++) {
		char what[60];
		snprintf(what, sizeof what, "seed %llu, sweep %d", (unsigned long long)seed, i);
		CheckSweep(&scene, &r, i % 4, hulls, &counts, what);
	}
	REQUIRE(counts.hits > sweeps / 8 && counts.balls > sweeps / 40 && counts.grazes * 100 < sweeps,
	        "seed %llu: %d hits, %d misses, %d starts inside, %d balls, %d grazes", (unsigned long long)seed,
	        counts.hits, counts.misses, counts.starts, counts.balls, counts.grazes);
	Hull_Destroy(&memory, hulls[0]);
	Hull_Destroy(&memory, hulls[1]);
	Scene_Close(&scene);
	RefField_Free(&field);
}

#if defined(__SANITIZE_ADDRESS__)
enum { SWEEPS = 40 };
#else
enum { SWEEPS = 400 };
#endif

START_TEST(over_hills)
{
	Random r = {71};
	CheckSweeps(Field_Hills(SIDE, SIDE, &r), 7100, SWEEPS);
}
END_TEST

/* Loose cells, most of them alone: sharp and everywhere. */
START_TEST(among_cells)
{
	Random r = {72};
	CheckSweeps(Field_Noise(SIDE, 0.02, &r), 7200, SWEEPS / 2);
}
END_TEST

Suite *suite_sweeps(void)
{
	Suite *suite = suite_create("sweeps");
	TCase *tcase = tcase_create("sweeps");
	tcase_set_timeout(tcase, 120);
	tcase_add_test(tcase, over_hills);
	tcase_add_test(tcase, among_cells);
	suite_add_tcase(suite, tcase);
	return suite;
}
