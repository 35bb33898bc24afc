/* The store on the big level: how long it takes to make, and what a cell costs. */
#include "level_big.h"
#include "voxel/store_internal.h"

#include <stdio.h>
#include <stdlib.h>

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
	int mixed[CHANNEL_COUNT] = {0};
	for (int i = 0; i < store->order.count; i++) {
		const Chunk *chunk = &store->chunks.data[store->order.data[i]];
		if (!Channel_IsAll(&chunk->channel[CHANNEL_MATERIAL], MATERIAL_AIR))
			Peer_Chunk(chunk, &packed, &dense);
		for (int c = 0; c < CHANNEL_COUNT; c++) {
			channel[c] += (double)Channel_Bytes(&chunk->channel[c]);
			for (int row = 0; row < CHUNK_ROWS && chunk->channel[c].header; row++)
				mixed[c] += Channel_Header(&chunk->channel[c], row) >= HEADER_SLOT;
		}
	}
	static const char *names[CHANNEL_COUNT] = {"material", "occupancy", "water"};
	printf("%.1f M cells in %d chunks, %.0f %% of their cells\n", 1e-6 * cells, Store_ChunkCount(store),
	       100.0 * cells / CHUNK_CELLS / Store_ChunkCount(store));
	printf("bytes a cell: %.4f in all\n", (double)Store_Bytes(store) / cells);
	for (int c = 0; c < CHANNEL_COUNT; c++)
		printf("  %-10s %.4f  (%d mixed rows, which would be %.4f)\n", names[c], channel[c] / cells, mixed[c],
		       32.0 * mixed[c] / cells);
	printf("  chunks     %.4f\n", (double)store->chunks.capacity * sizeof(Chunk) / cells);
	double lists = (double)store->map.capacity * sizeof(CoordMapSlot) + 4.0 * store->order.capacity;
	printf("  map, order %.4f\n", lists / cells);
	printf("  grid       %.4f\n", 4.0 * store->grid.nx * store->grid.ny * store->grid.nz / cells);
	printf("  journal    %.4f\n", (double)store->journal.capacity * sizeof(JournalEntry) / cells);
	printf("the published format, two channels: rows %.3f, dense chunks %.3f\n", packed / cells, dense / cells);
}

int main(int argc, char **argv)
{
	Memory memory;
	Memory_Init(&memory, NULL, NULL);
	Store *store = Store_Create(&memory);
	Error error = {0};
	double start = Clock_Seconds();
	if (!store || LevelBig_Build(store, argc > 1 ? atoi(argv[1]) : LEVEL_BIG_SIZE, &error)) {
		printf("%s\n", error.text);
		return 1;
	}
	printf("level made in %.1f s\n", Clock_Seconds() - start);
	Report_Bytes(store);
	Store_Destroy(store);
	return 0;
}
