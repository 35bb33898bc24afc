/* Terrain against its peers: building, memory, rays, boxes, edits. Prints one table; every figure is a median of passes
 * in which the contenders take turns, and ratios are taken pass by pass.
 *
 * bench_terrain [passes] [rays long and down]. */
#include "bench_terrain.h"

#include "level_hills.h"
#include "terrain/terrain_internal.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define LEVEL_X 256
#define LEVEL_Y 64
#define LEVEL_Z 256
#define PASS_LIMIT 25
#define SLOW_SHARE 8 /* slow peers get one run of rays (or box) in so many */
#define RUN 250
#define PROBE_LENGTH 5.0f
#define RAY_LENGTH 400.0f

double Bench_Seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void Fail(const char *what)
{
	fprintf(stderr, "bench_terrain: %s\n", what);
	exit(1);
}

static void *Need(size_t bytes)
{
	void *block = malloc(bytes ? bytes : 1);
	if (!block)
		Fail("out of memory");
	return block;
}

/* ---- the level ----------------------------------------------------------------------------------------------- */

static Memory memory;
static MaterialTable materials;
static Store *store;

static Terrain *NewTerrain(Narrowphase narrowphase)
{
	Error error = {0};
	Terrain *terrain = Terrain_Create(&memory, store, &materials, 1.0, narrowphase);
	if (!terrain || Terrain_Sync(terrain, &error) != ERROR_NONE)
		Fail("no terrain");
	return terrain;
}

static bool BuildAll(Terrain *terrain, bool edge_kinds)
{
	bool ok = true;
	for (int32_t i = Record_Next(terrain, -1); i >= 0; i = Record_Next(terrain, i))
		ok &= Terrain_Build(terrain, &i, 1, edge_kinds, NULL);
	return ok;
}

static void CopyMesh(const TerrainMesh *from, float *vertices, uint32_t *triangles)
{
	for (int64_t i = 0; i < 3 * from->vertex_count; i++)
		vertices[i] = (float)from->positions[i];
	memcpy(triangles, from->indices, 3 * (size_t)from->triangle_count * sizeof *triangles);
}

static BenchMesh MakeMesh(Terrain *terrain)
{
	BenchMesh mesh = {0};
	TerrainMesh whole;
	Error error = {0};
	CellList blocks = {0};
	if (Terrain_Mesh(terrain, NULL, &whole, &error) != ERROR_NONE ||
	    !Terrain_SurfaceBlocks(terrain, NULL, &memory, &blocks))
		Fail(error.text);
	mesh.vertex_count = (int)whole.vertex_count;
	mesh.triangle_count = (int)whole.triangle_count;
	mesh.vertices = Need(12 * (size_t)whole.vertex_count + 16);
	mesh.triangles = Need(12 * (size_t)whole.triangle_count);
	mesh.chunk_vertices =
	    Need(12 * 4 * (size_t)whole.vertex_count + 16); /* a vertex is in up to eight, on average two */
	mesh.chunk_triangles = Need(12 * (size_t)whole.triangle_count);
	mesh.chunks = Need((size_t)blocks.items.count * sizeof(BenchChunk));
	CopyMesh(&whole, mesh.vertices, mesh.triangles);
	int triangles = 0;
	for (int i = 0; i < blocks.items.count; i++) {
		TerrainMesh one;
		CellBox cells = CellsOfBlocks(blocks.items.data[i], blocks.items.data[i]);
		if (Terrain_Mesh(terrain, &cells, &one, &error) != ERROR_NONE)
			Fail(error.text);
		BenchChunk chunk = {mesh.chunk_vertex_count, (int)one.vertex_count, triangles, (int)one.triangle_count};
		if (chunk.vertex + chunk.vertices > 4 * mesh.vertex_count || triangles + chunk.triangles > mesh.triangle_count)
			Fail("the blocks have more than the whole");
		CopyMesh(&one, mesh.chunk_vertices + 3 * chunk.vertex, mesh.chunk_triangles + 3 * triangles);
		mesh.chunks[mesh.chunk_count++] = chunk;
		mesh.chunk_vertex_count += chunk.vertices;
		triangles += chunk.triangles;
		TerrainMesh_Free(&memory, &one);
	}
	Array_Free(&memory, blocks.items);
	TerrainMesh_Free(&memory, &whole);
	return mesh;
}

/* ---- what is asked ------------------------------------------------------------------------------------------- */

typedef struct Question {
	const char *name;
	float length; /* of rays */
	float side;   /* of boxes; 0: rays */
	int count;
	float *data; /* six or three floats each */
} Question;

static float Uniform(Random *r, double lo, double hi)
{
	return (float)Random_Range(r, lo, hi);
}

/* Rays start in clear air: what is behind their first front face differs from peer to peer by design. */
static bool IsSolid(Terrain *terrain, const float p[3])
{
	return Terrain_PointInside(terrain, (Pos){p[0], p[1], p[2]}, NULL) != 0;
}

/* Height of the uppermost cell that is at least half full. */
static int TopOf(float x, float z)
{
	int y = LEVEL_Y - 1;
	while (y > 0 && Store_Get(store, (Cell){FloorToInt(x), y, FloorToInt(z)}).occupancy < 128)
		y--;
	return y;
}

static void SetRay(float *ray, const float origin[3], const double d[3])
{
	double length = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
	for (int a = 0; a < 3; a++) {
		ray[a] = origin[a];
		ray[3 + a] = (float)(d[a] / length);
	}
}

/* From clear air into any direction. */
static Question LongRays(Terrain *terrain, int count, Random *r)
{
	Question q = {"rays, long", RAY_LENGTH, 0, count, Need(24 * (size_t)count)};
	for (int i = 0; i < count; i++) {
		float o[3];
		double d[3], size;
		do {
			o[0] = Uniform(r, 1, LEVEL_X - 1);
			o[1] = Uniform(r, 1, LEVEL_Y - 1);
			o[2] = Uniform(r, 1, LEVEL_Z - 1);
		} while (IsSolid(terrain, o));
		do {
			size = 0.0;
			for (int a = 0; a < 3; a++) {
				d[a] = Random_Range(r, -1.0, 1.0);
				size += d[a] * d[a];
			}
		} while (size > 1.0 || size < 1e-3);
		SetRay(q.data + 6 * (size_t)i, o, d);
	}
	return q;
}

/* Ground probes, as wheels and feet send them. */
static Question DownRays(Terrain *terrain, int count, Random *r)
{
	Question q = {"rays, down", PROBE_LENGTH, 0, count, Need(24 * (size_t)count)};
	const double down[3] = {0.0, -1.0, 0.0};
	for (int i = 0; i < count; i++) {
		float o[3];
		do {
			o[0] = Uniform(r, 2, LEVEL_X - 2);
			o[2] = Uniform(r, 2, LEVEL_Z - 2);
			o[1] = (float)TopOf(o[0], o[2]) + Uniform(r, 1.5, 3.5);
		} while (IsSolid(terrain, o));
		SetRay(q.data + 6 * (size_t)i, o, down);
	}
	return q;
}

enum { VIEWS = 16, PIXELS = 250 };

/* Views of 70 degrees from six cells above the ground, in scan order. */
static Question CameraRays(Random *r)
{
	const double spread = 0.7002;
	Question q = {"rays, camera", RAY_LENGTH, 0, VIEWS * PIXELS * PIXELS, Need(24 * (size_t)VIEWS * PIXELS * PIXELS)};
	float *out = q.data;
	for (int view = 0; view < VIEWS; view++) {
		float x = Uniform(r, 60, LEVEL_X - 60), z = Uniform(r, 60, LEVEL_Z - 60);
		const float o[3] = {x, (float)TopOf(x, z) + 6.0f, z};
		double yaw = Random_Range(r, 0.0, 2.0 * PI), pitch = Random_Range(r, -0.5, 0.0);
		double cy = Trig_Cos(yaw), sy = Trig_Sin(yaw), cp = Trig_Cos(pitch), sp = Trig_Sin(pitch);
		for (int row = 0; row < PIXELS; row++)
			for (int column = 0; column < PIXELS; column++, out += 6) {
				double u = ((column + 0.5) / (PIXELS * 0.5) - 1.0) * spread;
				double v = (1.0 - (row + 0.5) / (PIXELS * 0.5)) * spread;
				const double d[3] = {cy * cp - u * sy - v * sp * cy, sp + v * cp, sy * cp + u * cy - v * sp * sy};
				SetRay(out, o, d);
			}
	}
	return q;
}

/* Boxes about the surface. */
static Question Boxes(const char *name, float side, int count, const BenchMesh *mesh, Random *r)
{
	Question q = {name, 0, side, count, Need(12 * (size_t)count)};
	for (int i = 0; i < count; i++) {
		const uint32_t *triangle = mesh->triangles + 3 * (size_t)Random_Below(r, mesh->triangle_count);
		for (int a = 0; a < 3; a++) {
			float sum = 0.0f;
			for (int k = 0; k < 3; k++)
				sum += mesh->vertices[3 * (size_t)triangle[k] + a];
			q.data[3 * i + a] = sum / 3.0f + Uniform(r, -0.5, 0.5);
		}
	}
	return q;
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
	Array_Free(&memory, list.items);
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

static double Median(const double *values, int count)
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

/* ---- building ------------------------------------------------------------------------------------------------ */

static double MeshAlone(const Terrain *terrain)
{
	static SurfaceField field;
	static SurfaceMesh mesh;
	double started = Bench_Seconds();
	for (int id = Record_Next(terrain, -1); id >= 0; id = Record_Next(terrain, id)) {
		const Record *record = Record_At(terrain, id);
		if (!record || record->quads == 0)
			continue;
		Terrain_GatherField(terrain, Record_Block(terrain, id), &field);
		Surface_Mesh(terrain->simd, &field, terrain->blockiness, &mesh);
	}
	return Bench_Seconds() - started;
}

static double BuildSeconds(Terrain *terrain, bool edge_kinds)
{
	double started = Bench_Seconds();
	if (!BuildAll(terrain, edge_kinds))
		Fail("out of memory");
	return Bench_Seconds() - started;
}

static void PrintBuild(Narrowphase narrowphase, const char *name, int passes)
{
	double records[PASS_LIMIT], mesh[PASS_LIMIT], index[PASS_LIMIT], kinds[PASS_LIMIT];
	TerrainStats stats = {0}, with_kinds = {0};
	for (int pass = 0; pass < passes; pass++) {
		double started = Bench_Seconds();
		Terrain *plain = NewTerrain(narrowphase);
		records[pass] = Bench_Seconds() - started;
		Terrain *full = NewTerrain(narrowphase);
		mesh[pass] = MeshAlone(plain);
		double whole = BuildSeconds(plain, false);
		index[pass] = whole - mesh[pass];
		kinds[pass] = BuildSeconds(full, true) - whole;
		stats = Terrain_Stats(plain);
		with_kinds = Terrain_Stats(full);
		Terrain_Destroy(plain);
		Terrain_Destroy(full);
	}
	double ns = 1e9 / (double)stats.triangles, each = 1.0 / (double)stats.triangles;
	printf("build          %-24s records %.1f, mesh %.1f, index %.1f, edge kinds %.1f ns a triangle\n", name,
	       Median(records, passes) * ns, Median(mesh, passes) * ns, Median(index, passes) * ns,
	       Median(kinds, passes) * ns);
	double mesh_bytes = (double)stats.mesh_bytes * each, index_bytes = (double)stats.index_bytes * each;
	double record_bytes = (double)stats.record_bytes * each;
	printf("memory         %-24s mesh %.2f, index %.2f, records %.2f, all %.2f; edge kinds %.2f bytes a triangle\n",
	       name, mesh_bytes, index_bytes, record_bytes, mesh_bytes + index_bytes + record_bytes,
	       (double)with_kinds.mesh_bytes * each - mesh_bytes);
	fflush(stdout);
}

/* ---- edits --------------------------------------------------------------------------------------------------- */

/* Balls dug at the surface: from the edit to colliders that can be touched. */
static void PrintEdits(Narrowphase narrowphase, const char *name, double radius, uint64_t seed, const BenchMesh *mesh)
{
	enum { EDITS = 200 };
	Terrain *terrain = NewTerrain(narrowphase);
	BuildAll(terrain, false);
	Terrain_ClearChanged(terrain);
	double write = 0.0, sync = 0.0, build = 0.0;
	int64_t built = Terrain_Stats(terrain).built;
	Random r = {seed}; /* another for each call: holes stay */
	BlockHitList hits = {0};
	Error error = {0};
	for (int i = 0; i < EDITS; i++) {
		const float *v = mesh->vertices + 3 * (size_t)Random_Below(&r, mesh->vertex_count);
		Brush ball = {.shape = BRUSH_BALL, .center = {v[0], v[1], v[2]}, .half = {radius, radius, radius}};
		double started = Bench_Seconds();
		if (Store_Fill(store, &materials, &ball, MATERIAL_AIR, EDIT_SET, NULL, &error) < 0)
			Fail(error.text);
		write += Bench_Seconds() - started;
		started = Bench_Seconds();
		if (Terrain_Sync(terrain, &error) != ERROR_NONE)
			Fail(error.text);
		sync += Bench_Seconds() - started;
		started = Bench_Seconds();
		for (int k = 0; k < Terrain_ChangedCount(terrain); k++) {
			hits.items.count = 0;
			Terrain_Query(terrain, &memory, Terrain_ChangedBox(terrain, k), &hits);
			for (int h = 0; h < hits.items.count; h++)
				if (hits.items.data[h].solid)
					Terrain_Build(terrain, &hits.items.data[h].record, 1, false, NULL);
		}
		build += Bench_Seconds() - started;
		Terrain_ClearChanged(terrain);
	}
	printf("edit           %-24s ball of radius %g: write %.1f, records %.1f, colliders %.1f us (%.1f blocks)\n", name,
	       radius, write * 1e6 / EDITS, sync * 1e6 / EDITS, build * 1e6 / EDITS,
	       (double)(Terrain_Stats(terrain).built - built) / EDITS);
	Array_Free(&memory, hits.items);
	Terrain_Destroy(terrain);
	fflush(stdout);
}

/* ---- all of it ----------------------------------------------------------------------------------------------- */

int main(int argc, char **argv)
{
	int passes = argc > 1 ? Int_Clamp(atoi(argv[1]), 1, PASS_LIMIT) : 5;
	int rays = argc > 2 ? Int_Clamp(atoi(argv[2]), 8, VIEWS * PIXELS * PIXELS) : VIEWS * PIXELS * PIXELS / 4;
	Error error = {0};
	Random r = {12345};
	/* The first touch of a fresh page is dear: memory stays with the process. */
	mallopt(M_MMAP_MAX, 0);
	mallopt(M_TRIM_THRESHOLD, 0x7fffffff);
	mallopt(M_TOP_PAD, 128 << 20);
	Memory_Init(&memory, NULL, NULL);
	MaterialTable_Init(&materials);
	store = Store_Create(&memory);
	if (!store || LevelHills_Fill(store, (Cell){0, 0, 0}, LEVEL_X, LEVEL_Y, LEVEL_Z, 1, &error) != ERROR_NONE)
		Fail(error.text);
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
		if (asked[i].side == 0.0f)
			PrintRays(&asked[i], passes);
		else
			PrintBoxes(&asked[i], passes);
		free(asked[i].data);
	}
	for (int c = 0; c < CONTENDERS; c++)
		contenders[c]->close(contenders[c]);
	PrintEdits(NARROWPHASE_LATTICE, lattice.name, 1.5, 77, &mesh);
	PrintEdits(NARROWPHASE_LATTICE, lattice.name, 4.0, 78, &mesh);
	PrintEdits(NARROWPHASE_KDTREE, tree.name, 4.0, 79, &mesh);
	free(mesh.vertices);
	free(mesh.triangles);
	free(mesh.chunk_vertices);
	free(mesh.chunk_triangles);
	free(mesh.chunks);
	Store_Destroy(store);
	return 0;
}
