/* The store on the big level: how long it takes to make, what a cell costs, and how fast cells are read and written.
 *
 * Every time is measured beside a peer's in the same passes, and the median over the passes is told. Peers: for single
 * cells a dense array of 3-byte voxels over the same box (one load finds all of a cell, which is the best that an array
 * can do), with the same check of its bounds; for bulk, memcpy of as many bytes from and to the same sizes of buffers.
 */
#include "corpus.h"
#include "level_big.h"
#include "voxel/store_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* ---- what it takes ------------------------------------------------------------------------------------------ */

/* The published format that this store is measured against: chunks of 32^3 cells with two bytes each, as a row header
 * of 16 bits plus both channels of every row that is not of one material and full. */
static void Peer_Chunk(const Chunk *chunk, double *packed, double *dense)
{
	int mixed = 0;
	if (chunk->channel[CHANNEL_MATERIAL].header || chunk->channel[CHANNEL_OCCUPANCY].header)
		for (int row = 0; row < CHUNK_ROWS; row++)
			mixed += Channel_Header(&chunk->channel[CHANNEL_MATERIAL], row) >= HEADER_SLOT ||
			         Channel_Header(&chunk->channel[CHANNEL_OCCUPANCY], row) >= HEADER_SLOT;
	*dense += 2.0 * CHUNK_CELLS;
	*packed += CHUNK_ROWS * 2.0 + mixed * 64.0;
}

static void Report_Bytes(const Store *store)
{
	double cells = (double)Store_SolidCells(store), packed = 0, dense = 0, channel[CHANNEL_COUNT] = {0};
	double headers[CHANNEL_COUNT] = {0}, shared[CHANNEL_COUNT] = {0};
	int mixed[CHANNEL_COUNT] = {0};
	for (int i = 0; i < store->order.count; i++) {
		const Chunk *chunk = &store->chunks.data[store->order.data[i]];
		if (!Channel_IsAll(&chunk->channel[CHANNEL_MATERIAL], MATERIAL_AIR))
			Peer_Chunk(chunk, &packed, &dense);
		for (int c = 0; c < CHANNEL_COUNT; c++) {
			channel[c] += (double)Channel_Bytes(&chunk->channel[c]);
			headers[c] += chunk->channel[c].rows;
			shared[c] += chunk->channel[c].shared - chunk->channel[c].rows;
			for (int row = 0; row < CHUNK_ROWS && chunk->channel[c].header; row++)
				mixed[c] += Channel_Header(&chunk->channel[c], row) >= HEADER_SLOT;
		}
	}
	static const char *names[CHANNEL_COUNT] = {"material", "occupancy", "water"};
	printf("%.1f M cells in %d chunks, %.0f %% of their cells\n", 1e-6 * cells, Store_ChunkCount(store),
	       100.0 * cells / CHUNK_CELLS / Store_ChunkCount(store));
	printf("bytes a cell: %.4f in all\n", (double)Store_Bytes(store) / cells);
	for (int c = 0; c < CHANNEL_COUNT; c++)
		printf("  %-10s %.4f: headers %.4f, shared bytes %.4f, owned %.4f  (%d mixed rows, alone they were %.4f)\n",
		       names[c], channel[c] / cells, headers[c] / cells, shared[c] / cells,
		       (channel[c] - headers[c] - shared[c]) / cells, mixed[c], 32.0 * mixed[c] / cells);
	printf("  chunks     %.4f\n", (double)store->chunks.capacity * sizeof(Chunk) / cells);
	double lists = (double)store->map.capacity * sizeof(CoordMapSlot) + 4.0 * store->order.capacity;
	printf("  map, order %.4f\n", lists / cells);
	printf("  grid       %.4f\n", 4.0 * store->grid.nx * store->grid.ny * store->grid.nz / cells);
	printf("  journal    %.4f\n", (double)store->journal.capacity * sizeof(JournalEntry) / cells);
	printf("the published format, two channels: rows %.3f, dense chunks %.3f\n", packed / cells, dense / cells);
}

/* The corpus' height map of 1024 x 1024 samples, as examples/landslide.lua fills it: a cell a sample, 256 cells high,
 * grass over ground over rock. */
static void Report_HeightMap(void)
{
	static MaterialTable table;
	Memory memory;
	HeightImage image;
	CorpusFile file = Corpus_Open("height/panda_heightfield_1024.png");
	if (!file.data)
		return;
	Memory_Init(&memory, NULL, NULL);
	MaterialTable_Init(&table);
	Store *store = Store_Create(&memory);
	int code = HeightImage_ReadPng(&memory, file.data, file.size, &image, NULL);
	for (int64_t i = 0; i < (int64_t)image.width * image.depth; i++)
		image.samples[i] *= 256.0 / image.full_scale;
	HeightFill fill = {.heights = image.samples, .width = image.width, .depth = image.depth, .spacing = 1};
	fill.layer_count = 3;
	static const char *layers[] = {"grass", "ground", "rock"};
	static const double depths[] = {1.5, 4, 1e9};
	for (int i = 0; i < 3; i++) {
		fill.layer_material[i] = (uint8_t)MaterialTable_Find(&table, layers[i]);
		fill.layer_depth[i] = depths[i];
	}
	double start = Clock_Seconds();
	code |= Store_FillHeights(store, &table, &fill, EDIT_SET, NULL, NULL, NULL);
	printf("\nheight map of %d x %d in %.1f s%s\n", image.width, image.depth, Clock_Seconds() - start,
	       code ? " FAILED" : "");
	Report_Bytes(store);
	HeightImage_Free(&memory, &image);
	Store_Destroy(store);
	Corpus_Close(&file);
}

/* ---- how fast ----------------------------------------------------------------------------------------------- */

#define PASSES 9

/* Of this thread, so that other programs' time on the processor is not in it. */
static double Cpu_Seconds(void)
{
	struct timespec time;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static int Double_Compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static double Median(double times[PASSES])
{
	qsort(times, PASSES, sizeof(*times), Double_Compare);
	return times[PASSES / 2];
}

typedef struct Dense {
	Voxel *cells;
	CellBox box;
	int nx, ny, nz;
} Dense;

static __attribute__((noinline)) Voxel Dense_Get(const Dense *dense, Cell cell)
{
	uint32_t x = (uint32_t)(cell.x - dense->box.lo.x), y = (uint32_t)(cell.y - dense->box.lo.y);
	uint32_t z = (uint32_t)(cell.z - dense->box.lo.z);
	if (x >= (uint32_t)dense->nx || y >= (uint32_t)dense->ny || z >= (uint32_t)dense->nz)
		return (Voxel){MATERIAL_AIR, 0, 0};
	return dense->cells[x + (size_t)dense->nx * (z + (size_t)dense->nz * y)];
}

static void *Allocate(size_t size)
{
	void *block = malloc(size);
	if (!block) {
		printf("no memory for %zu bytes\n", size);
		exit(1);
	}
	memset(block, 1, size);
	return block;
}

static Region Region_Of(CellBox box)
{
	Region region = {box.hi.x - box.lo.x + 1, box.hi.y - box.lo.y + 1, box.hi.z - box.lo.z + 1, {0}};
	for (int c = 0; c < CHANNEL_COUNT; c++)
		region.channel[c] = Allocate((size_t)region.nx * (size_t)region.ny * (size_t)region.nz);
	return region;
}

static void Region_Free(Region *region)
{
	for (int c = 0; c < CHANNEL_COUNT; c++)
		free(region->channel[c]);
}

static Dense Dense_Of(const Store *store, CellBox box)
{
	Dense dense = {NULL, box, box.hi.x - box.lo.x + 1, box.hi.y - box.lo.y + 1, box.hi.z - box.lo.z + 1};
	size_t layer = (size_t)dense.nx * (size_t)dense.nz;
	dense.cells = Allocate(layer * (size_t)dense.ny * sizeof(Voxel));
	for (int y = 0; y < dense.ny; y++) {
		CellBox slice = {{box.lo.x, box.lo.y + y, box.lo.z}, {box.hi.x, box.lo.y + y, box.hi.z}};
		Region region = Region_Of(slice);
		Store_Read(store, slice, &region);
		for (size_t i = 0; i < layer; i++)
			dense.cells[layer * (size_t)y + i] =
			    (Voxel){region.channel[0][i], region.channel[1][i], region.channel[2][i]};
		Region_Free(&region);
	}
	return dense;
}

#define GETS (1 << 21)

/* Random cells of the box. */
static void Bench_Get(const Store *store, CellBox box, const char *what)
{
	Dense dense = Dense_Of(store, box);
	Cell *cells = Allocate(GETS * sizeof(*cells));
	Random random = {7};
	for (int i = 0; i < GETS; i++)
		cells[i] = (Cell){box.lo.x + Random_Below(&random, dense.nx), box.lo.y + Random_Below(&random, dense.ny),
		                  box.lo.z + Random_Below(&random, dense.nz)};
	double ours[PASSES], peer[PASSES];
	uint64_t sum[2] = {0};
	for (int pass = 0; pass < PASSES; pass++) {
		double start = Cpu_Seconds();
		for (int i = 0; i < GETS; i++) {
			Voxel voxel = Dense_Get(&dense, cells[i]);
			sum[0] += voxel.material + 3u * voxel.occupancy + 7u * voxel.water;
		}
		double middle = Cpu_Seconds();
		for (int i = 0; i < GETS; i++) {
			Voxel voxel = Store_Get(store, cells[i]);
			sum[1] += voxel.material + 3u * voxel.occupancy + 7u * voxel.water;
		}
		peer[pass] = middle - start;
		ours[pass] = Cpu_Seconds() - middle;
	}
	double a = Median(ours) / GETS * 1e9, b = Median(peer) / GETS * 1e9;
	printf("get, %s: %.1f ns, dense array of %.1f MB %.1f ns: %.2f x%s\n", what, a,
	       1e-6 * 3.0 * dense.nx * dense.ny * dense.nz, b, a / b, sum[0] == sum[1] ? "" : "  (CELLS DIFFER)");
	free(dense.cells);
	free(cells);
}

/* All bytes of all channels of the box, into buffers of its size. */
static void Bench_Read(const Store *store, CellBox box, const char *what)
{
	Region region = Region_Of(box), copy = Region_Of(box);
	size_t size = (size_t)region.nx * (size_t)region.ny * (size_t)region.nz;
	double ours[PASSES], peer[PASSES];
	for (int pass = 0; pass < PASSES; pass++) {
		double start = Cpu_Seconds();
		Store_Read(store, box, &region);
		double middle = Cpu_Seconds();
		for (int c = 0; c < CHANNEL_COUNT; c++)
			memcpy(copy.channel[c], region.channel[c], size);
		ours[pass] = middle - start;
		peer[pass] = Cpu_Seconds() - middle;
	}
	double a = 3e-9 * (double)size / Median(ours), b = 3e-9 * (double)size / Median(peer);
	printf("read, %s: %.2f GB/s, memcpy %.2f GB/s: %.2f x its time\n", what, a, b, b / a);
	Region_Free(&region);
	Region_Free(&copy);
}

/* The box's own cells into an empty store, then cells of elsewhere over them and back. */
static void Bench_Write(const Store *store, CellBox box, const char *what)
{
	Region here = Region_Of(box), there = Region_Of(box), copy = Region_Of(box);
	size_t size = (size_t)here.nx * (size_t)here.ny * (size_t)here.nz;
	CellBox other = box;
	other.lo.x -= 64, other.hi.x -= 64;
	Store_Read(store, box, &here);
	Store_Read(store, other, &there);
	double fresh[PASSES], over[PASSES], peer[PASSES];
	for (int pass = 0; pass < PASSES; pass++) {
		Memory memory;
		Memory_Init(&memory, NULL, NULL);
		Store *to = Store_Create(&memory);
		double start = Cpu_Seconds();
		int code = Store_Write(to, box, &here, NULL, NULL, NULL);
		double middle = Cpu_Seconds();
		code |= Store_Write(to, box, &there, NULL, NULL, NULL);
		double last = Cpu_Seconds();
		for (int c = 0; c < CHANNEL_COUNT; c++)
			memcpy(copy.channel[c], here.channel[c], size);
		peer[pass] = Cpu_Seconds() - last;
		fresh[pass] = middle - start;
		over[pass] = last - middle;
		if (code)
			printf("WRITE FAILED\n");
		Store_Destroy(to);
	}
	double a = 3e-9 * (double)size / Median(fresh), b = 3e-9 * (double)size / Median(over);
	double c = 3e-9 * (double)size / Median(peer);
	printf("write, %s: into nothing %.2f GB/s, over other ground %.2f GB/s, memcpy %.2f GB/s: %.2f, %.2f x its time\n",
	       what, a, b, c, c / a, c / b);
	Region_Free(&here);
	Region_Free(&there);
	Region_Free(&copy);
}

static CellBox Box_At(int x, int y, int z, int nx, int ny, int nz)
{
	return (CellBox){{x, y, z}, {x + nx - 1, y + ny - 1, z + nz - 1}};
}

/* bench_store [cells along x and z] */
int main(int argc, char **argv)
{
	Memory memory;
	Memory_Init(&memory, NULL, NULL);
	Store *store = Store_Create(&memory);
	Error error = {0};
	double start = Clock_Seconds();
	int size = argc > 1 ? atoi(argv[1]) : LEVEL_BIG_SIZE;
	if (!store || LevelBig_Build(store, size, &error)) {
		printf("%s\n", error.text);
		return 1;
	}
	printf("level made in %.1f s\n", Clock_Seconds() - start);
	Report_Bytes(store);
	int middle = size / 2;
	CellBox small = Box_At(middle, 40, middle, 64, 64, 64), wide = Box_At(middle - 128, 0, middle - 128, 256, 160, 256);
	Bench_Get(store, Box_At(0, 0, 0, size, 160, size), "whole level");
	Bench_Get(store, small, "64^3 at the surface");
	Bench_Read(store, wide, "256 x 160 x 256");
	Bench_Read(store, small, "64^3 at the surface");
	Bench_Write(store, wide, "256 x 160 x 256");
	Bench_Write(store, small, "64^3 at the surface");
	Store_Destroy(store);
	Report_HeightMap();
	return 0;
}
