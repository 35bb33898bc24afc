/* The sparse store: chunks in a pool, a map from coordinates to them, and their order. Single cells. */
#include "voxel/store_internal.h"

/* ---- life --------------------------------------------------------------------------------------------------- */

/* The store's own count of bytes sits on the caller's heap. */
static void *ParentResize(void *user, void *block, size_t old_size, size_t new_size)
{
	return Memory_Resize(user, block, old_size, new_size);
}

Store *Store_Create(Memory *memory)
{
	Store *store = Memory_AllocZero(memory, sizeof(*store));
	if (!store)
		return NULL;
	Memory_Init(&store->memory, ParentResize, memory);
	store->parent = memory;
	store->free_chunk = -1;
	store->known = CellBox_Empty();
	store->simd = Cpu_Simd();
	store->undo_budget = UNDO_BUDGET;
	store->mark_budget = MARK_BUDGET;
	return store;
}

void Store_Destroy(Store *store)
{
	if (!store)
		return;
	for (int i = 0; i < store->order.count; i++)
		for (int c = 0; c < CHANNEL_COUNT; c++)
			Channel_Free(&store->chunks.data[store->order.data[i]].channel[c], &store->memory);
	Store_ForgetUndo(store);
	Store_ForgetMarks(store);
	Array_Free(&store->memory, store->chunks);
	Array_Free(&store->memory, store->order);
	Array_Free(&store->memory, store->journal);
	CoordMap_Free(&store->map, &store->memory);
	ChunkGrid_Free(store);
	SCREE_ASSERT(store->memory.bytes == 0);
	Memory_Free(store->parent, store, sizeof(*store));
}

size_t Store_Bytes(const Store *store)
{
	return sizeof(*store) + store->memory.bytes;
}

int64_t Store_SolidCells(const Store *store)
{
	return store->solid_cells;
}

int Store_ChunkCount(const Store *store)
{
	return store->order.count;
}

Cell Store_ChunkAt(const Store *store, int i)
{
	const Chunk *chunk = &store->chunks.data[store->order.data[i]];
	return (Cell){chunk->x, chunk->y, chunk->z};
}

/* ---- the pool ----------------------------------------------------------------------------------------------- */

static const Chunk air_chunk = {.entry = ENTRY_NONE,
                                .channel = {{.unused = SLOT_NONE}, {.unused = SLOT_NONE}, {.unused = SLOT_NONE}}};

const Chunk *Store_ChunkOrAir(const Store *store, Cell chunk)
{
	int slot = Store_FindChunk(store, chunk);
	return slot < 0 ? &air_chunk : &store->chunks.data[slot];
}

bool Chunk_IsEmpty(const Chunk *chunk)
{
	return chunk->blocks == 0;
}

int Store_NewChunk(Store *store, Cell chunk)
{
	int slot = store->free_chunk;
	/* Chunks that wait to enter the order have their room in it, too. */
	if (!Array_Reserve(&store->memory, store->order, store->map.count + 1))
		return -1;
	if (slot < 0 && !Array_Reserve(&store->memory, store->chunks, store->chunks.count + 1))
		return -1;
	if (!CoordMap_Put(&store->map, &store->memory, chunk.x, chunk.y, chunk.z, slot < 0 ? store->chunks.count : slot))
		return -1;
	if (slot < 0)
		slot = store->chunks.count++;
	else
		store->free_chunk = store->chunks.data[slot].entry;
	store->chunks.data[slot] = air_chunk;
	store->chunks.data[slot].x = chunk.x;
	store->chunks.data[slot].y = chunk.y;
	store->chunks.data[slot].z = chunk.z;
	ChunkGrid_Add(store, chunk, slot);
	return slot;
}

void Store_DropChunk(Store *store, int slot)
{
	Chunk *chunk = &store->chunks.data[slot];
	CoordMap_Remove(&store->map, chunk->x, chunk->y, chunk->z);
	ChunkGrid_Remove(store, (Cell){chunk->x, chunk->y, chunk->z});
	for (int c = 0; c < CHANNEL_COUNT; c++)
		Channel_Free(&chunk->channel[c], &store->memory);
	chunk->entry = store->free_chunk;
	store->free_chunk = slot;
	if (store->map.count > 0)
		return;
	/* The last one: give everything back. */
	Array_Free(&store->memory, store->chunks);
	Array_Free(&store->memory, store->order);
	CoordMap_Free(&store->map, &store->memory);
	ChunkGrid_Free(store);
	store->free_chunk = -1;
}

/* Is a before b by (y, z, x)? */
static bool Chunk_Before(const Chunk *a, const Chunk *b)
{
	if (a->y != b->y)
		return a->y < b->y;
	if (a->z != b->z)
		return a->z < b->z;
	return a->x < b->x;
}

void Store_MergeOrder(Store *store, const int32_t *slots, int count)
{
	const Chunk *chunks = store->chunks.data;
	int32_t *order = store->order.data;
	int from = store->order.count - 1, add = count - 1;
	SCREE_ASSERT(store->order.count + count <= store->order.capacity);
	for (int to = store->order.count + count - 1; add >= 0; to--) {
		if (from >= 0 && Chunk_Before(&chunks[slots[add]], &chunks[order[from]]))
			order[to] = order[from--];
		else
			order[to] = slots[add--];
	}
	store->order.count += count;
}

void Store_DropEmpty(Store *store, const int32_t *slots, int count)
{
	int doomed = 0;
	for (int i = 0; i < count; i++)
		doomed += Chunk_IsEmpty(&store->chunks.data[slots[i]]);
	if (doomed == 0)
		return;
	int kept = 0;
	for (int i = 0; i < store->order.count; i++)
		if (!Chunk_IsEmpty(&store->chunks.data[store->order.data[i]]))
			store->order.data[kept++] = store->order.data[i];
	store->order.count = kept;
	/* The last drop frees the pool, so count them down instead of looking into it again. */
	for (int i = 0; doomed > 0; i++) {
		if (!Chunk_IsEmpty(&store->chunks.data[slots[i]]))
			continue;
		Store_DropChunk(store, slots[i]);
		doomed--;
	}
}

/* ---- cells -------------------------------------------------------------------------------------------------- */

void Cells_Normalise(uint8_t *material, uint8_t *occupancy, uint8_t *water, int n)
{
	for (int i = 0; i < n; i++) {
		if (material[i] == MATERIAL_WATER) {
			water[i] = (uint8_t)Int_Max(water[i], occupancy[i]);
			material[i] = MATERIAL_AIR;
		}
		if (material[i] == MATERIAL_AIR)
			occupancy[i] = 0;
		else if (occupancy[i] == 255)
			water[i] = 0;
	}
}

/* The top bit of every byte of the word that is 0. */
static uint64_t Bytes_Zero(uint64_t word)
{
	const uint64_t low = 0x7F7F7F7F7F7F7F7Fu;
	return ~(((word & low) + low) | word | low);
}

bool Row_IsNormal(const uint8_t *material, const uint8_t *occupancy, const uint8_t *water)
{
	uint64_t bad = 0;
	for (int i = 0; i < CHUNK_SIZE; i += 8) {
		uint64_t m, v, w;
		memcpy(&m, material + i, 8);
		memcpy(&v, occupancy + i, 8);
		memcpy(&w, water + i, 8);
		uint64_t air = Bytes_Zero(m);
		bad |= Bytes_Zero(m ^ (MATERIAL_WATER * 0x0101010101010101u)) | (air & ~Bytes_Zero(v));
		if (w != 0)
			bad |= Bytes_Zero(~v) & ~air & ~Bytes_Zero(w);
	}
	return (bad & 0x8080808080808080u) == 0;
}

static Cell Cell_Chunk(Cell cell)
{
	return (Cell){cell.x >> CHUNK_BITS, cell.y >> CHUNK_BITS, cell.z >> CHUNK_BITS};
}

static inline Voxel Chunk_Get(const Chunk *chunk, Cell cell)
{
	const ChannelData *channel = chunk->channel;
	int row = Cell_Row(cell.y, cell.z), x = cell.x & (CHUNK_SIZE - 1);
	/* Put together in a register: three stores of a byte and one load of them all would wait for each other. */
	uint32_t bytes = Channel_At(&channel[CHANNEL_MATERIAL], row, x);
	bytes |= (uint32_t)Channel_At(&channel[CHANNEL_OCCUPANCY], row, x) << 8;
	if (channel[CHANNEL_WATER].header)
		bytes |= (uint32_t)Channel_At(&channel[CHANNEL_WATER], row, x) << 16;
	else
		bytes |= (uint32_t)channel[CHANNEL_WATER].uniform << 16;
	Voxel voxel;
	memcpy(&voxel, &bytes, sizeof(voxel));
	return voxel;
}

/* For cells that the grid does not know: kept apart, since the call would cost the others their registers. */
static __attribute__((noinline)) Voxel Store_GetFar(const Store *store, Cell cell)
{
	return Chunk_Get(Store_ChunkOrAir(store, Cell_Chunk(cell)), cell);
}

Voxel Store_Get(const Store *store, Cell cell)
{
	int64_t i = ChunkGrid_Index(&store->grid, Cell_Chunk(cell));
	if (i < 0)
		return Store_GetFar(store, cell);
	int slot = store->grid.slots[i];
	return slot < 0 ? (Voxel){MATERIAL_AIR, 0, 0} : Chunk_Get(&store->chunks.data[slot], cell);
}

const uint8_t *Store_Row(const Store *store, Channel channel, int32_t chunk_x, int32_t y, int32_t z)
{
	const Chunk *chunk = Store_ChunkOrAir(store, (Cell){chunk_x, y >> CHUNK_BITS, z >> CHUNK_BITS});
	return Channel_Row(&chunk->channel[channel], Cell_Row(y, z));
}

void Store_ChunkRows(const Store *store, Channel channel, Cell chunk, const uint8_t *rows[CHUNK_SIZE * CHUNK_SIZE])
{
	const ChannelData *data = &Store_ChunkOrAir(store, chunk)->channel[channel];
	if (!data->header) {
		for (int row = 0; row < CHUNK_ROWS; row++)
			rows[row] = uniform_rows[data->uniform];
		return;
	}
	for (int group = 0; group < CHUNK_GROUPS; group++) {
		const uint16_t *headers = Channel_Group(data, group);
		for (int i = 0; i < GROUP_ROWS; i++)
			rows[group * GROUP_ROWS + i] =
			    headers[i] < HEADER_SLOT ? uniform_rows[headers[i]] : Channel_Slot(data, headers[i]);
	}
}

static void Tally_Cell(Tally *tally, Voxel old, Voxel new)
{
	if (old.material == new.material) {
		int more = new.occupancy - old.occupancy;
		tally->added[new.material] += Int_Max(more, 0);
		tally->removed[new.material] += Int_Max(-more, 0);
	} else {
		if (old.material != MATERIAL_AIR)
			tally->removed[old.material] += old.occupancy + 1;
		if (new.material != MATERIAL_AIR)
			tally->added[new.material] += new.occupancy + 1;
	}
	int wetter =
	    Cell_Water(new.material, new.occupancy, new.water) - Cell_Water(old.material, old.occupancy, old.water);
	tally->added[MATERIAL_WATER] += Int_Max(wetter, 0);
	tally->removed[MATERIAL_WATER] += Int_Max(-wetter, 0);
}

/* Writes the bytes; false: no memory, and the chunk is as it was. */
static bool Chunk_PutCell(Chunk *chunk, Memory *memory, Cell cell, Voxel old, Voxel new)
{
	const uint8_t before[CHANNEL_COUNT] = {old.material, old.occupancy, old.water};
	const uint8_t after[CHANNEL_COUNT] = {new.material, new.occupancy, new.water};
	int row = Cell_Row(cell.y, cell.z), x = cell.x & (CHUNK_SIZE - 1);
	bool open = true;
	for (int c = 0; c < CHANNEL_COUNT; c++)
		if (before[c] != after[c])
			open = open && Channel_Open(&chunk->channel[c], memory, row);
	for (int c = 0; c < CHANNEL_COUNT; c++) {
		if (before[c] == after[c])
			continue;
		if (open)
			Channel_Put(&chunk->channel[c], row, x, after[c]);
		Channel_Close(&chunk->channel[c], memory, row);
	}
	return open;
}

int Store_Set(Store *store, Cell cell, Voxel voxel, Tally *tally, Error *error)
{
	int code = CellBox_Check((CellBox){cell, cell}, error);
	if (code)
		return code;
	Cells_Normalise(&voxel.material, &voxel.occupancy, &voxel.water, 1);
	Voxel old = Store_Get(store, cell);
	if (old.material == voxel.material && old.occupancy == voxel.occupancy && old.water == voxel.water)
		return ERROR_NONE;
	int32_t slot = Store_FindChunk(store, Cell_Chunk(cell));
	bool created = slot < 0;
	if (!Journal_Reserve(store, 1) || !Mark_KeepChunk(store, Cell_Chunk(cell)) ||
	    !Undo_KeepChunk(store, Cell_Chunk(cell)))
		return Error_OutOfMemory(error);
	if (created)
		slot = Store_NewChunk(store, Cell_Chunk(cell));
	if (slot < 0)
		return Error_OutOfMemory(error);
	if (!Chunk_PutCell(&store->chunks.data[slot], &store->memory, cell, old, voxel)) {
		if (created)
			Store_DropChunk(store, slot);
		return Error_OutOfMemory(error);
	}
	if (created)
		Store_MergeOrder(store, &slot, 1);
	if (voxel.material != MATERIAL_AIR || voxel.water != 0)
		store->chunks.data[slot].blocks |= Piece_Blocks((CellBox){cell, cell});
	else
		Chunk_UpdateBlock(&store->chunks.data[slot], cell);
	store->solid_cells += (voxel.material != MATERIAL_AIR) - (old.material != MATERIAL_AIR);
	if (Chunk_IsEmpty(&store->chunks.data[slot]))
		Store_DropEmpty(store, &slot, 1);
	if (tally)
		Tally_Cell(tally, old, voxel);
	Journal_Add(store, (CellBox){cell, cell});
	return ERROR_NONE;
}
