/* Felling a tree: what the step costs in which it comes off, and what of that is search, convex parts, and taking its
 * cells out of the ground. A frame has 16.7 ms. Medians of processor time; and the least that the whole step took by
 * the clock, with one thread and with two, which must leave the same world.
 *
 * bench_pieces [runs [tree]] */
#include "pieces/pieces.h"
#include "scree.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define GROUND 6 /* materials */
#define WOOD 13
#define LEAVES 2

static double ClockMs(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return 1e3 * (double)t.tv_sec + (double)t.tv_nsec * 1e-6;
}

static double Milliseconds(void)
{
	return ClockMs(CLOCK_THREAD_CPUTIME_ID);
}

static void Fail(const char *what)
{
	fprintf(stderr, "bench_pieces: %s\n", what);
	exit(1);
}

static int Compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static double Median(double *values, int count)
{
	qsort(values, (size_t)count, sizeof *values, Compare);
	return values[count / 2];
}

static double Least(const double *values, int count)
{
	double least = values[0];
	for (int i = 1; i < count; i++)
		least = values[i] < least ? values[i] : least;
	return least;
}

/* ---- trees ------------------------------------------------------------------------------------------------------- */

/* What a tree is made of, put into a world or into a store alone. */
typedef void Put(void *into, const ScreeFill *fill);

typedef struct Wood {
	Put *put;
	void *into;
} Wood;

static void Ball(Wood w, double x, double y, double z, double r, int material)
{
	ScreeFill fill = {
	    .brush = SCREE_BRUSH_BALL, .material = material, .position = {x, y, z}, .rotation = {0, 0, 0, 1}, .radius = r};
	w.put(w.into, &fill);
}

/* Along an axis that leans by an angle about z. */
static void Stem(Wood w, double x, double y, double z, double r, double length, double lean)
{
	ScreeFill fill = {.brush = SCREE_BRUSH_CYLINDER,
	                  .material = WOOD,
	                  .position = {x, y, z},
	                  .rotation = {0, 0, scree_sin(lean / 2), scree_cos(lean / 2)},
	                  .radius = r,
	                  .height = length};
	w.put(w.into, &fill);
}

static void Crown(Wood w)
{
	Stem(w, 0, 20, 0, 4, 40, 0);
	Ball(w, 0, 52, 0, 23, LEAVES);
}

static void Oak(Wood w)
{
	Stem(w, 0, 15, 0, 4.5, 30, 0);
	for (int i = 0; i < 5; i++) {
		double lean = -1.0 + 0.5 * i;
		Stem(w, -14 * lean, 38, 3.0 * (i % 3 - 1), 2, 34, lean);
		Ball(w, -26 * lean, 52 - 6 * lean * lean, 4.0 * (i % 3 - 1), 13.5 + i % 2, LEAVES);
	}
}

static void Spruce(Wood w)
{
	Stem(w, 0, 35, 0, 3, 70, 0);
	for (int i = 0; i < 12; i++) {
		double r = 21.5 - 1.5 * i;
		Stem(w, 0, 14 + 5 * i, 0, r, 3, 0);
	}
}

/* Leaves with holes: a ball less many smaller ones. */
static void Holed(Wood w)
{
	Random random = {7};
	Stem(w, 0, 20, 0, 4, 40, 0);
	Ball(w, 0, 52, 0, 26, LEAVES);
	for (int i = 0; i < 90;
	     i++) { /* one after another: the order in which arguments are worked out is the compiler's */
		double r = Random_Range(&random, 2, 5), z = Random_Range(&random, -22, 22);
		double y = Random_Range(&random, 32, 74), x = Random_Range(&random, -22, 22);
		Ball(w, x, y, z, r, 0);
	}
	Stem(w, 0, 26, 0, 4, 52, 0);
}

typedef struct Tree {
	const char *name;
	void (*grow)(Wood w);
} Tree;

static const Tree trees[] = {{"one crown", Crown}, {"oak", Oak}, {"spruce", Spruce}, {"leaves with holes", Holed}};

/* ---- in a world -------------------------------------------------------------------------------------------------- */

static void PutInWorld(void *into, const ScreeFill *fill)
{
	if (screeTerrain_Fill(into, fill) != SCREE_OK)
		Fail(screeWorld_Error(into));
}

static void Plain(ScreeWorld *world)
{
	ScreeFill fill = {.brush = SCREE_BRUSH_BOX,
	                  .material = GROUND,
	                  .position = {0, -16, 0},
	                  .rotation = {0, 0, 0, 1},
	                  .size = {256, 32, 256}};
	PutInWorld(world, &fill);
}

/* A slice out of the foot. */
static const ScreeFill slice = {
    .brush = SCREE_BRUSH_BOX, .position = {0, 2.5, 0}, .rotation = {0, 0, 0, 1}, .size = {12, 1, 12}};

typedef struct Felling {
	double step, edits, wall; /* ms */
	double cells;
	char hash[17];
	int parts;
} Felling;

static Felling Fell(const Tree *tree, int threads)
{
	ScreeWorldDef def;
	ScreeWorld *world;
	ScreeDetach detach = {1, 0, 0};
	ScreeStats stats;
	ScreeId id;
	Felling f = {0};
	scree_world_defaults(&def);
	def.threads = threads;
	if (screeWorld_Create(&def, &world, NULL, 0) != SCREE_OK)
		Fail("no world");
	Plain(world);
	tree->grow((Wood){PutInWorld, world});
	screeTerrain_SetDetach(world, &detach);
	screeWorld_Step(world, 1.0 / 60.0, 2);
	PutInWorld(world, &slice);
	double start = Milliseconds(), begin = ClockMs(CLOCK_MONOTONIC);
	if (screeWorld_Step(world, 1.0 / 60.0, 1) != SCREE_OK)
		Fail(screeWorld_Error(world));
	f.wall = ClockMs(CLOCK_MONOTONIC) - begin;
	f.step = Milliseconds() - start;
	screeWorld_Stats(world, &stats);
	for (int i = 0; screeWorld_StageName(i); i++)
		if (strcmp(screeWorld_StageName(i), "edits") == 0)
			f.edits = stats.stage_ms[i];
	if (screeWorld_Assemblies(world, &id, 1) != 1)
		Fail("not one piece");
	double cells[256];
	screeAssembly_Cells(world, id, cells, NULL);
	for (int m = 0; m < 256; m++)
		f.cells += cells[m];
	f.parts = screeAssembly_PartCount(world, id);
	if (screeWorld_Hash(world, f.hash) != SCREE_OK)
		Fail(screeWorld_Error(world));
	if (screeWorld_Destroy(world) != 0.0)
		Fail("leaks");
	return f;
}

/* ---- by itself --------------------------------------------------------------------------------------------------- */

typedef struct Stages {
	double find, carve, remove;
} Stages;

typedef struct Ground {
	Memory memory;
	MaterialTable table;
	Store *store;
} Ground;

static void PutInStore(void *into, const ScreeFill *fill)
{
	static const BrushShape shapes[] = {BRUSH_BALL, BRUSH_BOX, BRUSH_CYLINDER};
	Ground *g = into;
	double s = fill->rotation[2], c = fill->rotation[3];
	Brush brush = {.shape = shapes[fill->brush],
	               .rotation = {{1 - 2 * s * s, -2 * s * c, 0}, {2 * s * c, 1 - 2 * s * s, 0}, {0, 0, 1}}};
	for (int i = 0; i < 3; i++) {
		brush.center[i] = fill->position[i];
		brush.half[i] = fill->brush == SCREE_BRUSH_BOX ? fill->size[i] / 2 : fill->radius;
	}
	if (fill->brush == SCREE_BRUSH_CYLINDER)
		brush.half[1] = fill->height / 2;
	if (Store_Fill(g->store, &g->table, &brush, (uint8_t)fill->material, EDIT_SET, NULL, NULL) != ERROR_NONE)
		Fail("no memory");
}

static Stages Part(const Tree *tree)
{
	Ground g;
	Stages s = {0};
	LooseSet set;
	PieceParts parts = {0};
	uint16_t blockiness[MATERIAL_LIMIT];
	ScreeFill plain = {.brush = SCREE_BRUSH_BOX,
	                   .material = GROUND,
	                   .position = {0, -16, 0},
	                   .rotation = {0, 0, 0, 1},
	                   .size = {256, 32, 256}};
	Memory_Init(&g.memory, NULL, NULL);
	MaterialTable_Init(&g.table);
	g.store = Store_Create(&g.memory);
	PutInStore(&g, &plain);
	tree->grow((Wood){PutInStore, &g});
	uint64_t seen = Store_Version(g.store);
	PutInStore(&g, &slice);
	CellBox changed;
	if (Store_Changes(g.store, seen, &changed, 1) != 1)
		Fail("no change");
	Anchors anchors = {.floor = true, .level = -32};
	double start = Milliseconds();
	if (Loose_Find(g.store, &g.table, &g.memory, &changed, 1, &anchors, &set, NULL) != ERROR_NONE)
		Fail("no memory");
	double found = Milliseconds();
	Terrain_Blockiness(&g.table, blockiness);
	Carver *carver = Carver_Create(&g.memory, NULL, blockiness);
	if (!carver || set.pieces.count != 1 || !Carver_Run(carver, set.pieces.data[0], 1.0, false, &g.memory, &parts))
		Fail("not carved");
	Carver_Destroy(carver);
	double carved = Milliseconds();
	Loose_Remove(&set, g.store, NULL, NULL);
	s = (Stages){found - start, carved - found, Milliseconds() - carved};
	PieceParts_Free(&parts, &g.memory);
	LooseSet_Free(&set);
	Store_Destroy(g.store);
	return s;
}

/* ------------------------------------------------------------------------------------------------------------------ */

static void Measure(const Tree *tree, int runs)
{
	double values[7][64];
	Felling f = {0};
	for (int i = 0; i < runs; i++) {
		f = Fell(tree, 1);
		Felling two = Fell(tree, 2);
		Stages s = Part(tree);
		if (strcmp(f.hash, two.hash) != 0)
			Fail("two threads make another world than one");
		values[0][i] = f.step;
		values[1][i] = f.edits;
		values[2][i] = s.find;
		values[3][i] = s.carve;
		values[4][i] = s.remove;
		values[5][i] = f.wall;
		values[6][i] = two.wall;
	}
	printf("%-18s %7.0f cells %4d parts  step %6.2f  edits %6.2f  find %5.2f  carve %6.2f  remove %5.2f ms  "
	       "by the clock %6.2f, two threads %6.2f ms  %s\n",
	       tree->name, f.cells, f.parts, Median(values[0], runs), Median(values[1], runs), Median(values[2], runs),
	       Median(values[3], runs), Median(values[4], runs), Least(values[5], runs), Least(values[6], runs), f.hash);
}

int main(int argc, char **argv)
{
	int runs = argc > 1 ? atoi(argv[1]) : 9, only = argc > 2 ? atoi(argv[2]) : -1;
	if (runs < 1 || runs > 64)
		Fail("runs must be 1..64");
	for (int i = 0; i < (int)COUNT_OF(trees); i++)
		if (only < 0 || i == only)
			Measure(&trees[i], runs);
	return 0;
}
