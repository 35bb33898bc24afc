/* The surface mesher's speed: both forms on hills and caves, on a flat floor and on noise, each from gathered fields;
 * gathering from the store; edge kinds; what building a collider costs besides. The forms take turns in every pass and
 * the medians over the passes count, in processor time, since machines are noisy.
 *
 * bench_surface [passes] [side] [ground]     side: of the ground in cells, a multiple of 8; ground: 0..2, one alone
 */
#include "surface_terrain.h"
#include "terrain/terrain_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define HEIGHT 64
#define PASS_LIMIT 101
#define WINDOW                                                                                                         \
	16 /* blocks gathered before each round of measuring: in use their fields come fresh from the gatherer             \
	    */

typedef struct Ground {
	const char *name;
	Memory memory;
	MaterialTable materials;
	Store *store;
	Terrain *terrain;
	int side;
	Cell *blocks;         /* those that have quads */
	SurfaceField *fields; /* of the window at hand */
	int block_count, all_blocks;
	int64_t quads, vertices;
} Ground;

static void Fail(const char *why)
{
	fprintf(stderr, "bench_surface: %s\n", why);
	exit(1);
}

static void *Allocate(size_t size)
{
	void *block = malloc(size);
	if (!block)
		Fail("out of memory");
	return block;
}

/* ---- grounds ----------------------------------------------------------------------------------------------------- */

typedef void FillColumn(int side, int x, int z, uint8_t *material, uint8_t *value);

static void HillsColumn(int side, int x, int z, uint8_t *material, uint8_t *value)
{
	(void)side;
	double height = Ground_Height(x + 0.5, z + 0.5, 30.0, 1);
	for (int y = 0; y < HEIGHT; y++) {
		int v = Ground_Value(Ground_Depth(x + 0.5, y + 0.5, z + 0.5, height, 1));
		value[y] = (uint8_t)v;
		material[y] = v == 0 ? 0 : y < height - 3.0 ? 3 : 2;
	}
}

static void FloorColumn(int side, int x, int z, uint8_t *material, uint8_t *value)
{
	(void)side, (void)x, (void)z;
	for (int y = 0; y < HEIGHT; y++) {
		int v = Ground_Value(20.37 - (y + 0.5));
		value[y] = (uint8_t)v;
		material[y] = v == 0 ? 0 : 2;
	}
}

static void NoiseColumn(int side, int x, int z, uint8_t *material, uint8_t *value)
{
	Random random = {(uint64_t)(x + side * z)};
	for (int y = 0; y < HEIGHT; y++) {
		bool solid = (Random_U64(&random) & 1) != 0;
		value[y] = (uint8_t)(solid ? Random_Below(&random, 256) : 0);
		material[y] = solid ? 2 : 0;
	}
}

static void Ground_Write(Ground *ground, FillColumn *column)
{
	int side = ground->side;
	size_t size = (size_t)side * side * HEIGHT;
	uint8_t *material = Allocate(size), *value = Allocate(size), m[HEIGHT], v[HEIGHT];
	for (int z = 0; z < side; z++)
		for (int x = 0; x < side; x++) {
			column(side, x, z, m, v);
			for (int y = 0; y < HEIGHT; y++) {
				size_t i = (size_t)x + (size_t)side * ((size_t)z + (size_t)side * (size_t)y);
				material[i] = m[y];
				value[i] = v[y];
			}
		}
	Region region = {side, HEIGHT, side, {material, value, NULL}};
	CellBox box = {{0, 0, 0}, {side - 1, HEIGHT - 1, side - 1}};
	if (Store_Write(ground->store, box, &region, NULL, NULL, NULL) != ERROR_NONE)
		Fail("cannot write the ground");
	free(material);
	free(value);
}

static void Ground_Open(Ground *ground, const char *name, int side, FillColumn *column)
{
	static SurfaceMesh mesh;
	*ground = (Ground){.name = name, .side = side};
	Memory_Init(&ground->memory, NULL, NULL);
	MaterialTable_Init(&ground->materials);
	ground->store = Store_Create(&ground->memory);
	if (!ground->store)
		Fail("out of memory");
	Ground_Write(ground, column);
	ground->terrain = Terrain_Create(&ground->memory, ground->store, &ground->materials, 1.0, NARROWPHASE_KDTREE);
	if (!ground->terrain || Terrain_Sync(ground->terrain, NULL) != ERROR_NONE)
		Fail("out of memory");
	ground->all_blocks = (side / BLOCK_SIZE) * (side / BLOCK_SIZE) * (HEIGHT / BLOCK_SIZE);
	ground->blocks = Allocate(sizeof(Cell) * (size_t)ground->all_blocks);
	for (int i = 0; i < ground->all_blocks; i++) {
		int n = side / BLOCK_SIZE;
		Cell block = {i % n, i / n / n, i / n % n};
		int id = Record_Find(ground->terrain, block);
		const Record *record = id < 0 ? NULL : Record_At(ground->terrain, id);
		if (record && record->quads > 0)
			ground->blocks[ground->block_count++] = block;
	}
	ground->fields = Allocate(sizeof(SurfaceField) * WINDOW);
	for (int i = 0; i < ground->block_count; i++) {
		Terrain_GatherField(ground->terrain, ground->blocks[i], ground->fields);
		Surface_Build(ground->fields, ground->terrain->blockiness, &mesh);
		ground->quads += mesh.quad_count;
		ground->vertices += mesh.vertex_count;
	}
}

static void Ground_Close(Ground *ground)
{
	free(ground->fields);
	free(ground->blocks);
	Terrain_Destroy(ground->terrain);
	Store_Destroy(ground->store);
}

/* Of this thread, so that other programs' time on the processor is not in it. */
static double CpuSeconds(void)
{
	struct timespec time;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* ---- what is measured -------------------------------------------------------------------------------------------- */

static ColliderScratch Scratch;

typedef void Work(const Ground *ground, int block);

static void MeshPlain(const Ground *ground, int block)
{
	Surface_Build(&ground->fields[block % WINDOW], ground->terrain->blockiness, &Scratch.mesh);
}

static void Gather(const Ground *ground, int block)
{
	Terrain_GatherField(ground->terrain, ground->blocks[block], &Scratch.field);
}

static void GatherPlain(const Ground *ground, int block)
{
	Gather(ground, block);
	Surface_Build(&Scratch.field, ground->terrain->blockiness, &Scratch.mesh);
}

static void KindsPlain(const Ground *ground, int block)
{
	MeshPlain(ground, block);
	Surface_EdgeKinds(&ground->fields[block % WINDOW], ground->terrain->blockiness, &Scratch.mesh, Scratch.kinds);
}

#if SCREE_X86
static void MeshFast(const Ground *ground, int block)
{
	Surface_BuildFast(&ground->fields[block % WINDOW], ground->terrain->blockiness, &Scratch.mesh);
}

static void GatherFast(const Ground *ground, int block)
{
	Gather(ground, block);
	Surface_BuildFast(&Scratch.field, ground->terrain->blockiness, &Scratch.mesh);
}
static void KindsFast(const Ground *ground, int block)
{
	MeshFast(ground, block);
	Surface_EdgeKindsFast(&ground->fields[block % WINDOW], ground->terrain->blockiness, &Scratch.mesh, &Scratch.edges,
	                      Scratch.kinds);
}
#endif

/* The whole collider, as Terrain_Build makes it without edge kinds, with the one index and the other. */
static void WholeCollider(const Ground *ground, int block, Narrowphase narrowphase)
{
	Terrain *terrain = ground->terrain;
	terrain->narrowphase = narrowphase;
	Collider_Mesh(terrain, ground->blocks[block], &Scratch);
	Collider *collider = Collider_Make(terrain, &Scratch);
	if (!collider)
		Fail("out of memory");
	Memory_Free(terrain->memory, collider, collider->bytes);
}

static void WholeLattice(const Ground *ground, int block)
{
	WholeCollider(ground, block, NARROWPHASE_LATTICE);
}

static void WholeTree(const Ground *ground, int block)
{
	WholeCollider(ground, block, NARROWPHASE_KDTREE);
}

typedef struct Measurement {
	const char *name;
	Work *work;
	bool fast; /* needs the fast form */
	double seconds[PASS_LIMIT];
} Measurement;

static int CompareDoubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static double OneWindow(const Ground *ground, Work *work, int first)
{
	int end = Int_Min(first + WINDOW, ground->block_count);
	for (int i = first; i < end; i++)
		Terrain_GatherField(ground->terrain, ground->blocks[i], &ground->fields[i - first]);
	double start = CpuSeconds();
	for (int i = first; i < end; i++)
		work(ground, i);
	return CpuSeconds() - start;
}

static void Measure(const Ground *ground, Measurement *list, int count, int passes, bool fast)
{
	for (int pass = 0; pass < passes; pass++)
		for (int i = 0; i < count; i++) {
			if (list[i].fast && !fast)
				continue;
			list[i].seconds[pass] = 0.0;
			for (int first = 0; first < ground->block_count; first += WINDOW)
				list[i].seconds[pass] += OneWindow(ground, list[i].work, first);
		}
	double blocks = ground->block_count, quads = (double)ground->quads;
	printf("\n%s: %d blocks of %d have quads; %.1f quads and %.1f vertices each\n", ground->name, ground->block_count,
	       ground->all_blocks, quads / blocks, (double)ground->vertices / blocks);
	printf("  %-28s %10s %10s %12s %10s %12s\n", "", "us/block", "ns/quad", "ns/triangle", "Mtri/s", "best Mtri/s");
	for (int i = 0; i < count; i++) {
		if (list[i].fast && !fast)
			continue;
		qsort(list[i].seconds, (size_t)passes, sizeof(double), CompareDoubles);
		double median = list[i].seconds[passes / 2], best = list[i].seconds[0];
		printf("  %-28s %10.2f %10.2f %12.2f %10.1f %12.1f\n", list[i].name, 1e6 * median / blocks,
		       1e9 * median / quads, 0.5e9 * median / quads, 2e-6 * quads / median, 2e-6 * quads / best);
	}
}

static void Report(Ground *ground, int passes, bool fast)
{
	Measurement list[] = {
		{.name = "mesh, plain", .work = MeshPlain},
#if SCREE_X86
		{.name = "mesh, fast", .work = MeshFast, .fast = true},
#endif
		{.name = "gather from the store", .work = Gather},
		{.name = "gather and mesh, plain", .work = GatherPlain},
#if SCREE_X86
		{.name = "gather and mesh, fast", .work = GatherFast, .fast = true},
#endif
		{.name = "mesh and edge kinds, plain", .work = KindsPlain},
#if SCREE_X86
		{.name = "mesh and edge kinds, fast", .work = KindsFast, .fast = true},
#endif
		{.name = "whole collider, lattice", .work = WholeLattice},
		{.name = "whole collider, tree", .work = WholeTree},
	};
	Measure(ground, list, COUNT_OF(list), passes, fast);
}

int main(int count, char **arguments)
{
	int passes = count > 1 ? atoi(arguments[1]) : 21, side = count > 2 ? atoi(arguments[2]) : 256;
	int only = count > 3 ? atoi(arguments[3]) : -1;
	if (passes < 1 || passes > PASS_LIMIT || side < 16 || side > 1024 || side % BLOCK_SIZE != 0)
		Fail("usage: bench_surface [passes 1..101] [side 16..1024, a multiple of 8] [ground 0..2]");
	static const struct {
		const char *name;
		FillColumn *column;
	} grounds[] = {{"hills and caves", HillsColumn}, {"flat floor", FloorColumn}, {"noise, half solid", NoiseColumn}};
	bool fast = Cpu_Simd();
	printf("surface: median of %d passes, fast form %s\n", passes, fast ? "on" : "off");
	for (int i = 0; i < COUNT_OF(grounds); i++) {
		Ground ground;
		if (only >= 0 && i != only)
			continue;
		Ground_Open(&ground, grounds[i].name, i == 2 ? Int_Min(side, 64) : side, grounds[i].column);
		Report(&ground, passes, fast);
		Ground_Close(&ground);
	}
	return 0;
}
