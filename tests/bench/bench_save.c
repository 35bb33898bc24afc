/* Saved files of the big level: bytes a cell and speed of saving and loading, beside zstd over the plain bytes of the
 * cells. Columns of bytes are per cell that is not air; megabytes a second are of plain bytes, three a cell of every
 * chunk. Each time is the median of three passes. `bench_save [SIZE [LEVELS...]]`. */
#include "level_big.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <zstd.h>

#define PASSES 3
#define CHUNK_CELLS (CHUNK_SIZE * CHUNK_SIZE * CHUNK_SIZE)

static double Median(double times[PASSES])
{
	for (int i = 0; i < PASSES; i++)
		for (int k = i + 1; k < PASSES; k++)
			if (times[k] < times[i]) {
				double t = times[i];
				times[i] = times[k];
				times[k] = t;
			}
	return times[PASSES / 2];
}

static void Fail(const char *what)
{
	printf("failed: %s\n", what);
	exit(1);
}

/* The cells of all chunks, one channel after the other within each: what a program without a format of its own has. */
static uint8_t *PlainBytes(const Store *store, size_t *size)
{
	int count = Store_ChunkCount(store);
	*size = (size_t)count * CHANNEL_COUNT * CHUNK_CELLS;
	uint8_t *bytes = malloc(*size);
	for (int i = 0; i < count && bytes; i++) {
		Cell at = Store_ChunkAt(store, i), lo = {at.x * CHUNK_SIZE, at.y * CHUNK_SIZE, at.z * CHUNK_SIZE};
		CellBox box = {lo, {lo.x + CHUNK_SIZE - 1, lo.y + CHUNK_SIZE - 1, lo.z + CHUNK_SIZE - 1}};
		Region region = {CHUNK_SIZE, CHUNK_SIZE, CHUNK_SIZE, {0}};
		for (int c = 0; c < CHANNEL_COUNT; c++)
			region.channel[c] = bytes + ((size_t)i * CHANNEL_COUNT + (size_t)c) * CHUNK_CELLS;
		Store_Read(store, box, &region);
	}
	return bytes;
}

static void Report(const char *name, int level, double bytes, double cells, double plain, double save, double load)
{
	printf("%-12s %2d %8.4f %8.1f %8.2f s %6.0f MB/s %8.2f s %6.0f MB/s\n", name, level, bytes / cells, 1e-6 * bytes,
	       save, 1e-6 * plain / save, load, 1e-6 * plain / load);
}

static void Bench_Plain(const Store *store, int level)
{
	size_t size;
	uint8_t *bytes = PlainBytes(store, &size);
	size_t bound = ZSTD_compressBound(size), stored = 0;
	void *frame = malloc(bound);
	if (!bytes || !frame)
		Fail("memory");
	double save[PASSES], load[PASSES];
	for (int pass = 0; pass < PASSES; pass++) {
		double start = Clock_Seconds();
		stored = ZSTD_compress(frame, bound, bytes, size, level);
		save[pass] = Clock_Seconds() - start;
		start = Clock_Seconds();
		if (ZSTD_decompress(bytes, size, frame, stored) != size)
			Fail("zstd");
		load[pass] = Clock_Seconds() - start;
	}
	Report("plain zstd", level, (double)stored, (double)Store_SolidCells(store), (double)size, Median(save),
	       Median(load));
	free(bytes);
	free(frame);
}

static void Bench_File(const Store *store, int level)
{
	char path[] = "/tmp/scree-bench-XXXXXX";
	int fd = mkstemp(path);
	Memory memory;
	MaterialTable *table = malloc(sizeof(*table));
	Error error = {0};
	double save[PASSES], load[PASSES], bytes = 0;
	Memory_Init(&memory, NULL, NULL);
	if (fd < 0 || !table)
		Fail("temporary file");
	close(fd);
	MaterialTable_Init(table);
	for (int pass = 0; pass < PASSES; pass++) {
		double start = Clock_Seconds();
		if (Store_Save(store, table, 1.0, level, path, &error))
			Fail(error.text);
		save[pass] = Clock_Seconds() - start;
		Store *copy = Store_Create(&memory);
		TerrainLoad *loaded = NULL;
		start = Clock_Seconds();
		if (!copy || Store_Load(copy, table, false, path, &loaded, &error) ||
		    TerrainLoad_Commit(loaded, table, NULL, &error))
			Fail(error.text);
		load[pass] = Clock_Seconds() - start;
		Hasher a, b;
		Hasher_Init(&a);
		Hasher_Init(&b);
		Store_Hash(store, &a);
		Store_Hash(copy, &b);
		if (Hasher_Value(&a) != Hasher_Value(&b))
			Fail("the loaded cells differ");
		Store_Destroy(copy);
	}
	FileReader reader;
	if (FileReader_Open(&reader, path, &error))
		Fail(error.text);
	bytes = reader.size;
	FileReader_Close(&reader);
	unlink(path);
	double plain = 1.0 * Store_ChunkCount(store) * CHANNEL_COUNT * CHUNK_CELLS;
	Report("scree", level, bytes, (double)Store_SolidCells(store), plain, Median(save), Median(load));
	free(table);
}

int main(int argc, char **argv)
{
	static const int usual[] = {1, 3, 6, 12, 19};
	Memory memory;
	Error error = {0};
	Memory_Init(&memory, NULL, NULL);
	Store *store = Store_Create(&memory);
	if (!store || LevelBig_Build(store, argc > 1 ? atoi(argv[1]) : LEVEL_BIG_SIZE, &error))
		Fail(error.text);
	printf("%.1f M cells in %d chunks, %.4f bytes a cell in memory\n", 1e-6 * (double)Store_SolidCells(store),
	       Store_ChunkCount(store), (double)Store_Bytes(store) / (double)Store_SolidCells(store));
	printf("%-12s    %8s %8s %20s %20s\n", "level", "bytes", "MB", "save", "load");
	int count = argc > 2 ? argc - 2 : (int)(sizeof(usual) / sizeof(*usual));
	for (int i = 0; i < count; i++) {
		int level = argc > 2 ? atoi(argv[i + 2]) : usual[i];
		Bench_File(store, level);
		Bench_Plain(store, level);
	}
	Store_Destroy(store);
	return 0;
}
