/* The dense table in front of the chunk map: see ChunkGrid. */
#include "voxel/store_internal.h"

/* Entries of four bytes that a grid may spend per chunk, and in any case. */
#define SPEND_PER_CHUNK 16
#define SPEND_ALWAYS 512

static size_t Grid_Bytes(const ChunkGrid *grid)
{
	return (size_t)grid->nx * (size_t)grid->ny * (size_t)grid->nz * sizeof(*grid->slots);
}

void ChunkGrid_Free(Store *store)
{
	Memory_Free(&store->memory, store->grid.slots, Grid_Bytes(&store->grid));
	store->grid = (ChunkGrid){0};
	store->known = CellBox_Empty();
}

/* The known box with room for a quarter more on every side, so that a world that grows outwards is not copied each
 * time. */
static CellBox Grid_Roomy(CellBox known)
{
	int32_t x = (known.hi.x - known.lo.x) / 4 + 1, y = (known.hi.y - known.lo.y) / 4 + 1;
	int32_t z = (known.hi.z - known.lo.z) / 4 + 1;
	return (CellBox){{known.lo.x - x, known.lo.y - y, known.lo.z - z},
	                 {known.hi.x + x, known.hi.y + y, known.hi.z + z}};
}

static void Grid_Build(Store *store, CellBox box)
{
	ChunkGrid grid = {NULL, box.lo, box.hi.x - box.lo.x + 1, box.hi.y - box.lo.y + 1, box.hi.z - box.lo.z + 1};
	grid.slots = Memory_Alloc(&store->memory, Grid_Bytes(&grid));
	if (!grid.slots)
		return;
	memset(grid.slots, 0xFF, Grid_Bytes(&grid));
	Memory_Free(&store->memory, store->grid.slots, Grid_Bytes(&store->grid));
	store->grid = grid;
	for (int i = 0; i < store->map.capacity; i++) {
		const CoordMapSlot *entry = &store->map.slots[i];
		int64_t at = entry->value < 0 ? -1 : ChunkGrid_Index(&grid, (Cell){entry->x, entry->y, entry->z});
		if (at >= 0)
			grid.slots[at] = entry->value;
	}
}

void ChunkGrid_Add(Store *store, Cell chunk, int slot)
{
	store->known = CellBox_Union(store->known, (CellBox){chunk, chunk});
	int64_t at = ChunkGrid_Index(&store->grid, chunk);
	if (at >= 0) {
		store->grid.slots[at] = slot;
		return;
	}
	CellBox roomy = Grid_Roomy(store->known);
	double allowed = (double)store->map.count * SPEND_PER_CHUNK + SPEND_ALWAYS;
	if (CellBox_Volume(roomy) <= allowed)
		Grid_Build(store, roomy);
	else if (CellBox_Volume(store->known) <= allowed)
		Grid_Build(store, store->known);
}

void ChunkGrid_Remove(Store *store, Cell chunk)
{
	int64_t at = ChunkGrid_Index(&store->grid, chunk);
	if (at >= 0)
		store->grid.slots[at] = -1;
}
