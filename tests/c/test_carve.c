/* Convex parts of pieces: they hold the surface and stand out of it by no more than they say; hollows stay hollow. */
#include "failing_memory.h"
#include "pieces/pieces.h"
#include "store_twin.h"
#include "test_scale.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* after all others: its globals have short names */
#include "heap_store.h"

static void Fill(BrushShape shape, double x, double y, double z, double hx, double hy, double hz, int material,
                 EditMode mode)
{
	Brush brush = {.shape = shape, .center = {x, y, z}, .half = {hx, hy, hz}};
	for (int i = 0; i < 3; i++)
		brush.rotation[i][i] = 1.0;
	ck_assert_int_eq(Store_Fill(store, table, &brush, (uint8_t)material, mode, NULL, NULL), ERROR_NONE);
}

static LooseSet FindAll(void)
{
	LooseSet set;
	Error error;
	Anchors anchors = {.floor = false};
	ck_assert_int_eq(Loose_Find(store, table, &heap, NULL, -1, &anchors, &set, &error), ERROR_NONE);
	return set;
}

static PieceParts Carve(const Piece *piece, double size, bool simple)
{
	uint16_t blockiness[MATERIAL_LIMIT];
	PieceParts parts = {0};
	Terrain_Blockiness(table, blockiness);
	Carver *carver = Carver_Create(&heap, NULL, blockiness);
	ck_assert(Carver_Run(carver, piece, size, simple, &heap, &parts));
	Carver_Destroy(carver);
	return parts;
}

/* How deep a point (metres from the piece's origin) is in the part; negative outside. */
static double DepthIn(const PiecePart *part, Vec3D p)
{
	double least = DBL_MAX;
	if (part->shape.kind == SHAPE_BOX) {
		Vec3D c = ToD(part->center), h = ToD(part->shape.half);
		least = MinD(h.x - AbsD(p.x - c.x), MinD(h.y - AbsD(p.y - c.y), h.z - AbsD(p.z - c.z)));
	} else {
		const Hull *hull = part->shape.hull;
		for (int f = 0; f < hull->face_count; f++)
			least = MinD(least, (double)hull->offsets[f] - DotD(ToD(hull->normals[f]), p));
	}
	return least;
}

static double DepthInAny(const PieceParts *parts, Vec3D p)
{
	double most = -DBL_MAX;
	for (int i = 0; i < parts->items.count; i++)
		most = MaxD(most, DepthIn(&parts->items.data[i], p));
	return most;
}

/* Points of the surface of what the store holds, vertices and points of triangles: how far they are outside of the
 * parts, and within them, at most, in cells. */
typedef struct Misfit {
	double under, over;
} Misfit;

static Misfit MeasureSurface(const Piece *piece, const PieceParts *parts, double size)
{
	Error error;
	TerrainMesh mesh;
	Terrain *terrain = Terrain_Create(&heap, store, table, size, NARROWPHASE_LATTICE);
	ck_assert_int_eq(Terrain_Sync(terrain, &error), ERROR_NONE);
	ck_assert_int_eq(Terrain_Mesh(terrain, NULL, &mesh, &error), ERROR_NONE);
	double under = 0.0, over = 0.0;
	for (int64_t t = 0; t < mesh.triangle_count; t++) {
		Vec3D v[4] = {{0, 0, 0}};
		for (int k = 0; k < 3; k++) {
			const double *at = mesh.positions + 3 * (size_t)mesh.indices[3 * t + k];
			v[k] =
			    (Vec3D){at[0] - piece->origin.x * size, at[1] - piece->origin.y * size, at[2] - piece->origin.z * size};
			v[3] = AddD(v[3], ScaleD(1.0 / 3.0, v[k]));
		}
		for (int k = 0; k < 4; k++) {
			double depth = DepthInAny(parts, v[k]) / size;
			under = MaxD(under, -depth);
			over = MaxD(over, depth);
		}
	}
	TerrainMesh_Free(&heap, &mesh);
	Terrain_Destroy(terrain);
	return (Misfit){under, over};
}

static void CheckSurface(const Piece *piece, const PieceParts *parts, double size, const char *what)
{
	Misfit m = MeasureSurface(piece, parts, size);
	ck_assert_msg(m.under <= CARVE_UNDER + 0.01, "%s: the surface is %g cells outside of all parts", what, m.under);
	/* The samples are vertices and middles of faces; between them a hull may stand out a little more. */
	ck_assert_msg(m.over <= CARVE_OVER + 0.2, "%s: a part stands out by %g cells", what, m.over);
}

static void CheckSound(const PieceParts *parts, const char *what)
{
	char why[200] = "";
	for (int i = 0; i < parts->items.count; i++) {
		const Shape *shape = &parts->items.data[i].shape;
		if (shape->kind == SHAPE_HULL)
			REQUIRE(Hull_Validate(shape->hull, why, sizeof why), "%s, part %d: %s", what, i, why);
		else
			REQUIRE(shape->half.x > 0 && shape->half.y > 0 && shape->half.z > 0, "%s: an empty box", what);
	}
}

/* The one piece that the store holds; returns how many parts it has. */
static int CheckPiece(double size, const char *what)
{
	LooseSet set = FindAll();
	ck_assert_msg(set.pieces.count == 1, "%s: %d pieces", what, set.pieces.count);
	PieceParts parts = Carve(set.pieces.data[0], size, false);
	CheckSound(&parts, what);
	CheckSurface(set.pieces.data[0], &parts, size, what);
	int count = parts.items.count;
	PieceParts_Free(&parts, &heap);
	LooseSet_Free(&set);
	return count;
}

START_TEST(boxes_are_one_part)
{
	Fill(BRUSH_BOX, 2.0, 3.0, 1.0, 2.0, 3.0, 5.0, 6, EDIT_SET);
	ck_assert_int_eq(CheckPiece(1.0, "box"), 1);
	Store_Clear(store, NULL, NULL);
	Fill(BRUSH_BOX, 0.0, 0.0, 0.0, 15.0, 2.0, 1.0, 12, EDIT_SET); /* brick: exact cubes */
	ck_assert_int_eq(CheckPiece(0.5, "brick"), 1);
	Store_Clear(store, NULL, NULL);
	Store_Set(store, (Cell){-5, 7, 31}, (Voxel){6, 255, 0}, NULL, NULL);
	ck_assert_int_eq(CheckPiece(1.0, "one cell"), 1);
	Store_Clear(store, NULL, NULL);
	Store_Set(store, (Cell){-5, 7, 31}, (Voxel){6, 3, 0}, NULL, NULL);
	ck_assert_int_eq(CheckPiece(1.0, "a little of one cell"), 1);
}
END_TEST

START_TEST(balls_are_few_parts)
{
	Fill(BRUSH_BALL, 0.3, 0.2, -0.4, 4.0, 4.0, 4.0, 6, EDIT_SET);
	ck_assert_int_le(CheckPiece(1.0, "ball of 4"), 6);
	Store_Clear(store, NULL, NULL);
	Fill(BRUSH_BALL, 40.0, 5.0, 0.0, 14.0, 14.0, 14.0, 6, EDIT_SET);
	ck_assert_int_le(CheckPiece(2.0, "ball of 14"), 40);
}
END_TEST

/* A ring, a tube, a plate with a hole of one cell: nothing of any part is where the hollow is. */
START_TEST(hollows_stay)
{
	for (int k = 0; k < 4; k++) {
		int material = k % 2 ? 12 : 6;
		Vec3D middle = {4.5, 4.5, 4.5};
		Store_Clear(store, NULL, NULL);
		if (k < 2) { /* plate, one cell thick */
			Fill(BRUSH_BOX, 4.5, 4.5, 4.5, 4.5, 0.5, 4.5, material, EDIT_SET);
			Store_Set(store, (Cell){4, 4, 4}, (Voxel){0, 0, 0}, NULL, NULL);
		} else {
			Fill(BRUSH_BOX, 4.0, 4.0, 4.0, 12.0, 3.0, 12.0, material, EDIT_SET);
			Fill(BRUSH_BOX, 4.0, 4.0, 4.0, 4.0, 5.0, 4.0, 0, EDIT_REMOVE);
			middle = (Vec3D){4.0, 4.0, 4.0};
		}
		LooseSet set = FindAll();
		ck_assert_int_eq(set.pieces.count, 1);
		const Piece *piece = set.pieces.data[0];
		PieceParts parts = Carve(piece, 1.0, false);
		Vec3D at = SubD(middle, (Vec3D){piece->origin.x, piece->origin.y, piece->origin.z});
		double depth = DepthInAny(&parts, at);
		ck_assert_msg(depth < -0.2, "hollow %d is filled: %g cells", k, depth);
		CheckSurface(piece, &parts, 1.0, "hollow");
		ck_assert_int_le(parts.items.count, 12);
		PieceParts_Free(&parts, &heap);
		parts = Carve(piece, 1.0, true);
		ck_assert_int_eq(parts.items.count, 1); /* simple: one hull around all of it */
		ck_assert(DepthInAny(&parts, at) > 0.0);
		PieceParts_Free(&parts, &heap);
		LooseSet_Free(&set);
	}
}
END_TEST

/* Lumps of balls and boxes, with holes, soft and of cubes. */
START_TEST(random_lumps)
{
	for (int k = 0; k < LESS(16); k++) {
		Random random = {(uint64_t)(300 + k)};
		char what[40];
		Store_Clear(store, NULL, NULL);
		Fill(BRUSH_BALL, 0, 0, 0, 5, 5, 5, 6, EDIT_SET);
		for (int i = 0; i < 6; i++) {
			double h = Random_Range(&random, 2.0, 4.0);
			Fill(i % 2 ? BRUSH_BALL : BRUSH_BOX, Random_Range(&random, -6, 6), Random_Range(&random, -6, 6),
			     Random_Range(&random, -6, 6), h, h, h,
			     i == 3  ? 0
			     : k % 3 ? 6
			             : 12,
			     i == 3 ? EDIT_REMOVE : EDIT_SET);
		}
		LooseSet set = FindAll();
		Error error;
		int largest = 0;
		for (int i = 1; i < set.pieces.count; i++)
			if (set.pieces.data[i]->cells > set.pieces.data[largest]->cells)
				largest = i;
		for (int i = 0; i < set.pieces.count; i++) { /* leaves the largest */
			const Piece *piece = set.pieces.data[i];
			for (int r = 0; r < piece->run_count && i != largest; r++)
				for (int n = 0; n < piece->runs[r].n; n++)
					Store_Set(store,
					          (Cell){piece->origin.x + piece->runs[r].x + n, piece->origin.y + piece->runs[r].y,
					                 piece->origin.z + piece->runs[r].z},
					          (Voxel){0, 0, 0}, NULL, &error);
		}
		LooseSet_Free(&set);
		snprintf(what, sizeof what, "seed %d", 300 + k);
		int parts = CheckPiece(1.0, what);
		ck_assert_msg(parts < 400, "%s: %d parts", what, parts);
	}
}
END_TEST

/* Large pieces are carved from cells taken together: few parts, which fit within a cell and a half of those; but what
 * would be too thin, and cubes, are carved as they are. */
START_TEST(large_pieces_are_coarser)
{
	static const struct {
		double ball, hollow; /* radii */
		int material, parts;
		double fit; /* cells */
	} cases[] = {{23, 0, 6, 80, 1.6}, {23, 15, 6, CARVE_PARTS, 1.6}, {45, 0, 6, 100, 3.0}, {24, 22.5, 6, 4000, 0.7}};
	for (size_t k = 0; k < COUNT_OF(cases); k++) {
		char what[40];
		Store_Clear(store, NULL, NULL);
		Fill(BRUSH_BALL, 0.3, 0.2, -0.4, cases[k].ball, cases[k].ball, cases[k].ball, cases[k].material, EDIT_SET);
		if (cases[k].hollow > 0)
			Fill(BRUSH_BALL, 0.3, 0.2, -0.4, cases[k].hollow, cases[k].hollow, cases[k].hollow, 0, EDIT_REMOVE);
		else
			Fill(BRUSH_BOX, 0.0, -50.0, 0.0, 4.0, 30.0, 4.0, cases[k].material, EDIT_SET);
		snprintf(what, sizeof what, "large piece %zu", k);
		LooseSet set = FindAll();
		ck_assert_msg(set.pieces.count == 1, "%s: %d pieces", what, set.pieces.count);
		PieceParts parts = Carve(set.pieces.data[0], 0.5, false);
		CheckSound(&parts, what);
		Misfit m = MeasureSurface(set.pieces.data[0], &parts, 0.5);
		fprintf(stderr, "%s: %d parts, under %g, over %g\n", what, parts.items.count, m.under, m.over);
		ck_assert_msg(m.under <= cases[k].fit && m.over <= cases[k].fit, "%s: %g outside, %g within", what, m.under,
		              m.over);
		ck_assert_msg(parts.items.count <= cases[k].parts, "%s: %d parts", what, parts.items.count);
		PieceParts_Free(&parts, &heap);
		LooseSet_Free(&set);
	}
}
END_TEST

/* Any cells at all: nothing fails, all parts are sound. */
START_TEST(noise_is_carved)
{
	for (int k = 0; k < LESS(6); k++) {
		Random random = {(uint64_t)k};
		CellBox box = {{-9, -9, -9}, {9, 9, 9}};
		Twin twin = Twin_Create(box);
		for (size_t i = 0; i < Twin_Size(&twin); i++) {
			bool solid = Random_Below(&random, 10) < 3 + k;
			twin.channel[CHANNEL_MATERIAL][i] = solid ? (uint8_t)(Random_Below(&random, 2) ? 6 : 12) : 0;
			twin.channel[CHANNEL_OCCUPANCY][i] = solid ? (uint8_t)Random_U64(&random) : 0;
		}
		Region region = {twin.nx, twin.ny, twin.nz, {twin.channel[0], twin.channel[1], NULL}};
		ck_assert_int_eq(Store_Write(store, box, &region, NULL, NULL, NULL), ERROR_NONE);
		Twin_Free(&twin);
		LooseSet set = FindAll();
		for (int i = 0; i < set.pieces.count; i++) {
			PieceParts parts = Carve(set.pieces.data[i], 1.0, i % 3 == 0);
			ck_assert_int_gt(parts.items.count, 0);
			CheckSound(&parts, "noise");
			PieceParts_Free(&parts, &heap);
		}
		LooseSet_Free(&set);
	}
}
END_TEST

START_TEST(failed_allocations)
{
	Fill(BRUSH_BOX, 4.0, 4.0, 4.0, 7.0, 2.0, 7.0, 6, EDIT_SET);
	Fill(BRUSH_BALL, 4.0, 4.0, 4.0, 4.0, 4.0, 4.0, 0, EDIT_REMOVE);
	LooseSet set = FindAll();
	uint16_t blockiness[MATERIAL_LIMIT];
	Terrain_Blockiness(table, blockiness);
	for (long n = 0;; n++) {
		FailingMemory f;
		PieceParts parts = {0};
		FailingMemory_Init(&f, n);
		Carver *carver = Carver_Create(&f.memory, NULL, blockiness);
		bool ok = carver && Carver_Run(carver, set.pieces.data[0], 1.0, false, &f.memory, &parts);
		ck_assert(ok == !f.failed);
		Carver_Destroy(carver);
		ck_assert(ok || parts.items.count == 0);
		PieceParts_Free(&parts, &f.memory);
		REQUIRE(f.memory.bytes == 0, "call %ld leaks %zu bytes", n, (size_t)f.memory.bytes);
		if (ok)
			break;
		n += n > 100 ? n / 10 : 0;
	}
	LooseSet_Free(&set);
}
END_TEST

/* Of holes and balls, so that there are blocks of one part and of many. */
static void FillTree(void)
{
	Random random = {11};
	Fill(BRUSH_BALL, 0, 0, 0, 12, 12, 12, 6, EDIT_SET);
	for (int i = 0; i < 8; i++) {
		double r = Random_Range(&random, 2, 4);
		Fill(BRUSH_BALL, Random_Range(&random, -10, 10), Random_Range(&random, -10, 10), Random_Range(&random, -10, 10),
		     r, r, r, 0, EDIT_REMOVE);
	}
	Fill(BRUSH_BOX, 0, -20, 0, 2.5, 20, 2.5, 6, EDIT_SET);
}

static void CheckSameParts(const PieceParts *a, const PieceParts *b, int threads)
{
	REQUIRE(a->items.count == b->items.count, "%d threads: %d parts, not %d", threads, b->items.count, a->items.count);
	for (int i = 0; i < a->items.count; i++) {
		const PiecePart *p = &a->items.data[i], *q = &b->items.data[i];
		REQUIRE(p->shape.kind == q->shape.kind, "%d threads: part %d is of another kind", threads, i);
		if (p->shape.kind == SHAPE_BOX) {
			REQUIRE(memcmp(&p->center, &q->center, sizeof(Vec3)) == 0 &&
			            memcmp(&p->shape.half, &q->shape.half, sizeof(Vec3)) == 0,
			        "%d threads: box %d", threads, i);
			continue;
		}
		const Hull *h = p->shape.hull, *o = q->shape.hull;
		REQUIRE(h->vertex_count == o->vertex_count && h->face_count == o->face_count &&
		            memcmp(h->vertices, o->vertices, sizeof(Vec3) * (size_t)h->vertex_count) == 0 &&
		            memcmp(h->normals, o->normals, sizeof(Vec3) * (size_t)h->face_count) == 0,
		        "%d threads: hull %d", threads, i);
	}
}

/* The same bits, whoever does what; and whatever allocation fails in any of them, it comes back as failed. */
START_TEST(threads_agree)
{
	uint16_t blockiness[MATERIAL_LIMIT];
	Terrain_Blockiness(table, blockiness);
	FillTree();
	LooseSet set = FindAll();
	ck_assert_int_eq(set.pieces.count, 1);
	PieceParts one = Carve(set.pieces.data[0], 0.5, false);
	ck_assert_int_gt(one.items.count, 10);
	for (int threads = 2; threads <= 4; threads++) {
		TaskPool *tasks = TaskPool_Create(&heap, threads);
		ck_assert_ptr_nonnull(tasks);
		for (int k = 0; k < LESS(12); k++) {
			PieceParts parts = {0};
			Carver *carver = Carver_Create(&heap, tasks, blockiness);
			ck_assert(Carver_Run(carver, set.pieces.data[0], 0.5, false, &heap, &parts));
			Carver_Destroy(carver);
			CheckSameParts(&one, &parts, threads);
			PieceParts_Free(&parts, &heap);
		}
		for (long n = 0;; n += 1 + n / 3) {
			FailingMemory f;
			PieceParts parts = {0};
			FailingMemory_Init(&f, n);
			Carver *carver = Carver_Create(&f.memory, tasks, blockiness);
			bool ok = carver && Carver_Run(carver, set.pieces.data[0], 0.5, false, &f.memory, &parts);
			ck_assert(ok == !f.failed);
			Carver_Destroy(carver);
			if (ok)
				CheckSameParts(&one, &parts, threads);
			ck_assert(ok || parts.items.count == 0);
			PieceParts_Free(&parts, &f.memory);
			REQUIRE(f.memory.bytes == 0, "%d threads, call %ld leaks %zu bytes", threads, n, (size_t)f.memory.bytes);
			if (ok)
				break;
		}
		TaskPool_Destroy(tasks, &heap);
	}
	PieceParts_Free(&one, &heap);
	LooseSet_Free(&set);
}
END_TEST

Suite *suite_carve(void)
{
	Suite *suite = suite_create("carve");
	TCase *tests = tcase_create("carve");
	tcase_add_checked_fixture(tests, Setup, Teardown);
	tcase_add_test(tests, boxes_are_one_part);
	tcase_add_test(tests, balls_are_few_parts);
	tcase_add_test(tests, hollows_stay);
	tcase_add_test(tests, random_lumps);
	tcase_add_test(tests, large_pieces_are_coarser);
	tcase_add_test(tests, noise_is_carved);
	tcase_add_test(tests, failed_allocations);
	tcase_add_test(tests, threads_agree);
	suite_add_tcase(suite, tests);
	return suite;
}
