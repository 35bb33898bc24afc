/* Terrain against its peers: building, memory, rays, boxes, edits. Prints one table; every figure is a median of passes
 * in which the contenders take turns, and ratios are taken pass by pass.
 *
 * bench_terrain [passes] [rays long and down]. */
#include "bench_terrain_level.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define SLOW_SHARE 8 /* slow peers get one run of rays (or box) in so many */
#define RUN 250

double Bench_Seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

void Fail(const char *what)
{
	fprintf(stderr, "bench_terrain: %s\n", what);
	exit(1);
}

void *Need(size_t bytes)
{
	void *block = malloc(bytes ? bytes : 1);
	if (!block)
		Fail("out of memory");
	return block;
}

/* ---- the library as a contender ------------------------------------------------------------------------------ */

static const TerrainRayOptions options = {true, false, 1.0};

static bool OpenTerrain(Contender *self, Narrowphase narrowphase)
{
	Terrain *terrain = NewTerrain(narrowphase);
	double started = Bench_Seconds();
	bool ok = BuildAll(terrain, false);
	self->build_seconds = Bench_Seconds() - started;
	TerrainStats stats = Terrain_Stats(terrain);
	self->bytes = (double)(stats.mesh_bytes + stats.index_bytes + stats.record_bytes);
	self->data = terrain;
	return ok;
}

static bool OpenTree(Contender *self, const BenchMesh *mesh)
{
	(void)mesh;
	return OpenTerrain(self, NARROWPHASE_KDTREE);
}

static bool OpenLattice(Contender *self, const BenchMesh *mesh)
{
	(void)mesh;
	return OpenTerrain(self, NARROWPHASE_LATTICE);
}

static void CloseTerrain(Contender *self)
{
	Terrain_Destroy(self->data);
}

static void Rays(Contender *self, const float *rays, int count, float length, float *t)
{
	Error error;
	for (int i = 0; i < count; i++) {
		const float *r = rays + 6 * (size_t)i;
		Pos from = {r[0], r[1], r[2]};
		Pos to = {from.x + (double)r[3] * length, from.y + (double)r[4] * length, from.z + (double)r[5] * length};
		TerrainHit hit;
		t[i] = Terrain_Ray(self->data, from, to, options, &hit, &error) > 0 ? (float)(hit.fraction * length) : -1.0f;
	}
}

/* The batch call. */
static void RaysTogether(Contender *self, const float *rays, int count, float length, float *t)
{
	static Pos from[RUN], to[RUN];
	static TerrainHit hits[RUN];
	static uint8_t met[RUN];
	for (int first = 0; first < count; first += RUN) {
		int some = Int_Min(RUN, count - first);
		for (int i = 0; i < some; i++) {
			const float *r = rays + 6 * (size_t)(first + i);
			from[i] = (Pos){r[0], r[1], r[2]};
			to[i] = (Pos){from[i].x + (double)r[3] * length, from[i].y + (double)r[4] * length,
			              from[i].z + (double)r[5] * length};
		}
		Error error;
		if (Terrain_Rays(self->data, some, from, to, options, hits, met, &error) != ERROR_NONE)
			Fail("no rays");
		for (int i = 0; i < some; i++)
			t[first + i] = met[i] ? (float)(hits[i].fraction * length) : -1.0f;
	}
}

/* Triangles are named, not made, as the peers' callbacks are only asked to count them. */
static int64_t CountBoxes(Contender *self, const float *centres, int count, float side)
{
	TerrainQuadList list = {0};
	int64_t sum = 0;
	double half = side * 0.5;
	for (int i = 0; i < count; i++) {
		Pos at = {centres[3 * i], centres[3 * i + 1], centres[3 * i + 2]};
		list.items.count = 0;
		if (!Terrain_Overlap(self->data, WorldBoxGrow((WorldBox){at, at}, half), &list))
			Fail("out of memory");
		for (int k = 0; k < list.items.count; k++)
			sum += (list.items.data[k].halves & 1) + (list.items.data[k].halves >> 1);
	}
	Array_Free(&bench_memory, list.items);
	return sum;
}

static Contender lattice = {
    .name = "scree, lattice", .open = OpenLattice, .close = CloseTerrain, .rays = Rays, .boxes = CountBoxes};
static Contender tree = {
    .name = "scree, kd-tree", .open = OpenTree, .close = CloseTerrain, .rays = Rays, .boxes = CountBoxes};

static Contender together = {
    .name = "scree, lattice, batch", .open = OpenLattice, .close = CloseTerrain, .rays = RaysTogether};

static Contender *const contenders[] = {
    &lattice,      &together,
    &tree,
#ifdef BENCH_EMBREE
    &bench_embree,
#endif
#ifdef BENCH_BULLET
    &bench_bullet, &bench_bullet_quantised,
#endif
};
enum { CONTENDERS = COUNT_OF(contenders) };

/* ---- timing -------------------------------------------------------------------------------------------------- */

static int Compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

double Median(const double *values, int count)
{
	double sorted[PASS_LIMIT];
	memcpy(sorted, values, (size_t)count * sizeof *sorted);
	qsort(sorted, (size_t)count, sizeof *sorted, Compare);
	return (sorted[(count - 1) / 2] + sorted[count / 2]) * 0.5;
}

/* Median of a[i] / b[i]. */
static double MedianRatio(const double *a, const double *b, int count)
{
	double ratios[PASS_LIMIT];
	for (int i = 0; i < count; i++)
		ratios[i] = a[i] / b[i];
	return Median(ratios, count);
}

/* All rays, or a share of them, a run at a time. Returns how many. */
static int CastRays(Contender *contender, const Question *q, float *t)
{
	int cast = 0;
	for (int first = 0; first < q->count; first += RUN * (contender->slow ? SLOW_SHARE : 1)) {
		int count = Int_Min(RUN, q->count - first);
		contender->rays(contender, q->data + 6 * (size_t)first, count, q->length, t + first);
		cast += count;
	}
	return cast;
}

/* Rates of all contenders, 1/s, by pass. t: distances of rays, or NULL; found: triangles of boxes. */
static void Measure(const Question *q, int passes, double rate[CONTENDERS][PASS_LIMIT], float *t[CONTENDERS],
                    double found[CONTENDERS])
{
	for (int pass = 0; pass < passes; pass++)
		for (int c = 0; c < CONTENDERS; c++) {
			Contender *contender = contenders[c];
			int count = contender->slow ? q->count / SLOW_SHARE : q->count;
			double started = Bench_Seconds();
			rate[c][pass] = 0.0;
			if (q->side == 0.0f)
				count = CastRays(contender, q, t[c]);
			else if (contender->boxes)
				found[c] = (double)contender->boxes(contender, q->data, count, q->side) / count;
			else
				continue;
			rate[c][pass] = count / (Bench_Seconds() - started);
		}
}

#define NOT_ASKED -2.0f

/* Pairs of answers of which one must be wrong, a million. */
static double Differences(const float *a, const float *b, int count)
{
	int wrong = 0, asked = 0;
	for (int i = 0; i < count; i++) {
		if (a[i] == NOT_ASKED || b[i] == NOT_ASKED)
			continue;
		asked++;
		wrong += (a[i] < 0.0f) != (b[i] < 0.0f) || Abs(a[i] - b[i]) > 0.02f;
	}
	return wrong * 1e6 / asked;
}

static void PrintRays(const Question *q, int passes)
{
	static double rate[CONTENDERS][PASS_LIMIT];
	float *t[CONTENDERS];
	for (int c = 0; c < CONTENDERS; c++) {
		t[c] = Need((size_t)q->count * sizeof(float));
		for (int i = 0; i < q->count; i++)
			t[c][i] = NOT_ASKED;
	}
	Measure(q, passes, rate, t, NULL);
	for (int c = 0; c < CONTENDERS; c++) {
		printf("%-14s %-24s %8.3f M/s", q->name, contenders[c]->name, Median(rate[c], passes) * 1e-6);
		for (int peer = 0; peer < CONTENDERS; peer++)
			if (peer != c && contenders[c]->close == CloseTerrain && contenders[peer]->close != CloseTerrain)
				printf("  %6.2f x %s", MedianRatio(rate[c], rate[peer], passes), contenders[peer]->name);
		printf("\n");
	}
	for (int c = 0; c < CONTENDERS; c++)
		for (int peer = c + 1; peer < CONTENDERS; peer++)
			printf("%-14s differing a million: %8.1f  %s / %s\n", q->name, Differences(t[c], t[peer], q->count),
			       contenders[c]->name, contenders[peer]->name);
	for (int c = 0; c < CONTENDERS; c++)
		free(t[c]);
	fflush(stdout);
}

static void PrintBoxes(const Question *q, int passes)
{
	static double rate[CONTENDERS][PASS_LIMIT];
	double found[CONTENDERS] = {0};
	Measure(q, passes, rate, NULL, found);
	for (int c = 0; c < CONTENDERS; c++) {
		if (!contenders[c]->boxes)
			continue;
		printf("%-14s %-24s %8.1f k/s %9.2f triangles", q->name, contenders[c]->name, Median(rate[c], passes) * 1e-3,
		       found[c]);
		for (int peer = 0; peer < CONTENDERS; peer++)
			if (contenders[peer]->boxes && contenders[c]->close == CloseTerrain &&
			    contenders[peer]->close != CloseTerrain)
				printf("  %6.2f x %s", MedianRatio(rate[c], rate[peer], passes), contenders[peer]->name);
		printf("\n");
	}
	fflush(stdout);
}

/* ---- all of it ----------------------------------------------------------------------------------------------- */

int main(int argc, char **argv)
{
	int passes = argc > 1 ? Int_Clamp(atoi(argv[1]), 1, PASS_LIMIT) : 5;
	int rays = argc > 2 ? Int_Clamp(atoi(argv[2]), 8, VIEWS * PIXELS * PIXELS) : VIEWS * PIXELS * PIXELS / 4;
	Random r = {12345};
	/* The first touch of a fresh page is dear: memory stays with the process. */
	mallopt(M_MMAP_MAX, 0);
	mallopt(M_TRIM_THRESHOLD, 0x7fffffff);
	mallopt(M_TOP_PAD, 128 << 20);
	Level_Open();
	Terrain *terrain = NewTerrain(NARROWPHASE_KDTREE);
	BenchMesh mesh = MakeMesh(terrain);
	printf("level          %d x %d x %d cells, %d triangles in %d blocks, %.0f each; medians of %d passes\n", LEVEL_X,
	       LEVEL_Y, LEVEL_Z, mesh.triangle_count, mesh.chunk_count, (double)mesh.triangle_count / mesh.chunk_count,
	       passes);
	PrintBuild(NARROWPHASE_LATTICE, lattice.name, passes);
	PrintBuild(NARROWPHASE_KDTREE, tree.name, passes);
	for (int c = 0; c < CONTENDERS; c++) {
		if (!contenders[c]->open(contenders[c], &mesh))
			Fail(contenders[c]->name);
		if (contenders[c]->close != CloseTerrain)
			printf("build, memory  %-24s %.1f ns, %.1f bytes a triangle\n", contenders[c]->name,
			       contenders[c]->build_seconds * 1e9 / mesh.triangle_count,
			       contenders[c]->bytes / mesh.triangle_count);
	}
	fflush(stdout);
	const Question asked[] = {LongRays(terrain, rays, &r),
	                          DownRays(terrain, rays, &r),
	                          CameraRays(&r),
	                          Boxes("boxes, side 1", 1.0f, 100000, &mesh, &r),
	                          Boxes("boxes, side 4", 4.0f, 50000, &mesh, &r),
	                          Boxes("boxes, side 16", 16.0f, 10000, &mesh, &r)};
	Terrain_Destroy(terrain);
	for (int i = 0; i < COUNT_OF(asked); i++) {
		if (asked[i].side == 0.0f) {
			PrintRays(&asked[i], passes);
			PrintVisits(lattice.data, &asked[i]);
		} else
			PrintBoxes(&asked[i], passes);
		free(asked[i].data);
	}
	for (int c = 0; c < CONTENDERS; c++)
		contenders[c]->close(contenders[c]);
	PrintSweeps(NARROWPHASE_LATTICE, lattice.name, passes);
	PrintSweeps(NARROWPHASE_KDTREE, tree.name, passes);
	PrintEdits(NARROWPHASE_LATTICE, lattice.name, 1.5, 77, &mesh);
	PrintEdits(NARROWPHASE_LATTICE, lattice.name, 4.0, 78, &mesh);
	PrintEdits(NARROWPHASE_KDTREE, tree.name, 4.0, 79, &mesh);
	free(mesh.vertices);
	free(mesh.triangles);
	free(mesh.chunk_vertices);
	free(mesh.chunk_triangles);
	free(mesh.chunks);
	Level_Close();
	return 0;
}
