/* From an edit to fresh colliders: a cube of cells is written at the surface of a level, records are brought up to
 * date, and what the edit dropped is built again, with edge kinds as contacts want them. Medians over many places.
 * Before that, balls that are filled and dug.
 *
 * bench_edit [edits]. */
#include "level_hills.h"
#include "terrain/terrain_internal.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define LEVEL_X 256
#define LEVEL_Y 64
#define LEVEL_Z 256

enum { WRITE, RECORDS, COLLIDERS, KINDS, WHOLE, PARTS };

static double Seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void Fail(const char *what)
{
	fprintf(stderr, "bench_edit: %s\n", what);
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

/* All blocks that own quads and have no collider, or no kinds when those are asked for. */
static int BuildMissing(Terrain *terrain, const BlockHitList *near, bool edge_kinds)
{
	int64_t before = Terrain_Stats(terrain).built;
	for (int i = 0; i < near->items.count; i++)
		if (!Terrain_Build(terrain, &near->items.data[i].record, 1, edge_kinds, NULL))
			Fail("out of memory");
	return (int)(Terrain_Stats(terrain).built - before);
}

/* A cell of the surface: of a random block's first quad. */
static Cell SurfaceCell(const Terrain *terrain, Random *r)
{
	for (;;) {
		int id = Random_Below(r, terrain->groups.count * GROUP_BLOCKS);
		const Record *record = Record_At(terrain, id);
		if (!record || record->quads == 0)
			continue;
		Cell corner = CellsOfBlocks(Record_Block(terrain, id), Record_Block(terrain, id)).lo;
		int y = record->mixed_lo[1], bit = __builtin_ctzll(record->mixed[y]);
		return (Cell){corner.x + (bit & 7), corner.y + y, corner.z + (bit >> 3)};
	}
}

static void Measure(Store *store, const MaterialTable *materials, Memory *memory, Narrowphase narrowphase, int size,
                    int edits)
{
	Error error = {0};
	Terrain *terrain = Terrain_Create(memory, store, materials, 1.0, narrowphase);
	double *part[PARTS];
	Random r = {99};
	BlockHitList near = {0};
	int built = 0;
	if (!terrain || Terrain_Sync(terrain, &error) != ERROR_NONE)
		Fail("no terrain");
	for (int id = Record_Next(terrain, -1); id >= 0; id = Record_Next(terrain, id))
		if (!Terrain_Build(terrain, &id, 1, true, NULL))
			Fail("out of memory");
	for (int i = 0; i < PARTS; i++)
		part[i] = malloc((size_t)edits * sizeof(double));
	for (int i = 0; i < edits; i++) {
		Cell at = SurfaceCell(terrain, &r);
		uint8_t material[512], value[512];
		int cells = size * size * size, solid = i % 2;
		memset(material, solid ? 4 : 0, (size_t)cells);
		memset(value, solid ? 255 : 0, (size_t)cells);
		Region region = {size, size, size, {material, value, NULL}};
		CellBox box = {at, {at.x + size - 1, at.y + size - 1, at.z + size - 1}};
		double start = Seconds();
		if (Store_Write(store, box, &region, NULL, NULL, &error) != ERROR_NONE)
			Fail(error.text);
		double written = Seconds();
		if (Terrain_Sync(terrain, &error) != ERROR_NONE)
			Fail(error.text);
		double synced = Seconds();
		near.items.count = 0;
		for (int k = 0; k < Terrain_ChangedCount(terrain); k++)
			Terrain_Query(terrain, memory, WorldBoxGrow(Terrain_ChangedBox(terrain, k), 2.0), &near);
		double asked = Seconds();
		built += BuildMissing(terrain, &near, false);
		double made = Seconds();
		BuildMissing(terrain, &near, true);
		double done = Seconds();
		Terrain_ClearChanged(terrain);
		part[WRITE][i] = written - start;
		part[RECORDS][i] = synced - written;
		part[COLLIDERS][i] = made - asked;
		part[KINDS][i] = done - made;
		part[WHOLE][i] = done - start;
	}
	double us[PARTS];
	for (int i = 0; i < PARTS; i++) {
		us[i] = Median(part[i], edits) * 1e6;
		free(part[i]);
	}
	printf(
	    "%-8s %d^3 cells: write %6.1f  records %6.1f  colliders %6.1f  edge kinds %6.1f  all %7.1f us, %.1f blocks\n",
	    narrowphase == NARROWPHASE_LATTICE ? "lattice" : "kd-tree", size, us[WRITE], us[RECORDS], us[COLLIDERS],
	    us[KINDS], us[WHOLE], (double)built / edits);
	fflush(stdout);
	Array_Free(memory, near.items);
	Terrain_Destroy(terrain);
}

/* Balls filled into air and dug out of rock; what a plain array of as many bytes as the ball's box costs, beside. */
static void MeasureBalls(const MaterialTable *materials, Memory *memory)
{
	static const double radii[] = {4, 16, 64};
	Error error = {0};
	for (int k = 0; k < COUNT_OF(radii); k++) {
		enum { REPEATS = 15 };
		double fill[REPEATS], dig[REPEATS], plain[REPEATS];
		Brush ball = {.shape = BRUSH_BALL, .center = {0.3, 0.2, 0.1}, .half = {radii[k], 0, 0}};
		Brush rock = {.shape = BRUSH_BOX, .half = {96, 96, 96}};
		CellBox box = Brush_Bounds(&ball);
		size_t cells = (size_t)(box.hi.x - box.lo.x + 1) * (size_t)(box.hi.y - box.lo.y + 1);
		cells *= (size_t)(box.hi.z - box.lo.z + 1);
		uint8_t *array = malloc(3 * cells);
		for (int i = 0; i < REPEATS; i++) {
			Store *store = Store_Create(memory);
			double start = Seconds();
			if (!store || Store_Fill(store, materials, &ball, 6, EDIT_SET, NULL, &error) != ERROR_NONE)
				Fail(error.text);
			fill[i] = Seconds() - start;
			if (Store_Fill(store, materials, &rock, 6, EDIT_SET, NULL, &error) != ERROR_NONE)
				Fail(error.text);
			start = Seconds();
			if (Store_Fill(store, materials, &ball, MATERIAL_AIR, EDIT_SET, NULL, &error) != ERROR_NONE)
				Fail(error.text);
			dig[i] = Seconds() - start;
			Store_Destroy(store);
			start = Seconds();
			memset(array, i + 1, 3 * cells);
			plain[i] = Seconds() - start;
		}
		printf("ball of radius %2.0f: filled %8.3f, dug %8.3f ms; its box in a plain array %7.3f ms\n", radii[k],
		       Median(fill, REPEATS) * 1e3, Median(dig, REPEATS) * 1e3, Median(plain, REPEATS) * 1e3);
		free(array);
	}
}

int main(int argc, char **argv)
{
	int edits = argc > 1 ? Int_Clamp(atoi(argv[1]), 2, 1000000) : 2000;
	Memory memory;
	MaterialTable materials;
	Error error = {0};
	/* The first touch of a fresh page is dear: memory stays with the process. */
	mallopt(M_MMAP_MAX, 0);
	mallopt(M_TRIM_THRESHOLD, 0x7fffffff);
	mallopt(M_TOP_PAD, 128 << 20);
	Memory_Init(&memory, NULL, NULL);
	MaterialTable_Init(&materials);
	Store *store = Store_Create(&memory);
	if (!store || LevelHills_Fill(store, (Cell){0, 0, 0}, LEVEL_X, LEVEL_Y, LEVEL_Z, 1, &error) != ERROR_NONE)
		Fail(error.text);
	MeasureBalls(&materials, &memory);
	for (int size = 1; size <= 7; size += 2) {
		Measure(store, &materials, &memory, NARROWPHASE_KDTREE, size, edits);
		Measure(store, &materials, &memory, NARROWPHASE_LATTICE, size, edits);
	}
	Store_Destroy(store);
	return 0;
}
