/* Packs: their streams, which zstd compresses one by one, and the chunks in them. See rle_internal.h. */
#include "voxel/rle_internal.h"

#include <zstd.h>

#define STREAM_LEAST 64 /* shorter streams are not worth a frame of zstd */

#define KIND_SHAPE 1 /* one shape, one material, one water level in the whole chunk */
#define KIND_MATERIAL 2
#define KIND_WATER 4

/* Chunks that hold cells within CELL_LIMIT. */
#define CHUNK_LIMIT (CELL_LIMIT >> CHUNK_BITS)

/* ---- streams ------------------------------------------------------------------------------------------------- */

bool Rle_Grow(Rle *rle, RleStream *stream)
{
	size_t capacity = stream->capacity ? stream->capacity * 2 : 256;
	uint8_t *data = Memory_Resize(rle->memory, stream->data, stream->capacity, capacity);
	if (!data) {
		rle->failed = true;
		return false;
	}
	stream->data = data;
	stream->capacity = capacity;
	return true;
}

uint32_t Rle_Number(Rle *rle, int name, uint32_t value)
{
	uint32_t result = 0;
	for (int shift = 0; shift < 35; shift += 7) {
		uint32_t rest = rle->reading ? 0 : value >> shift;
		uint8_t byte = Rle_Byte(rle, name, (uint8_t)(rest > 127 ? rest | 128 : rest));
		if (shift == 28 && byte > 15)
			break;
		result |= (uint32_t)(byte & 127) << shift;
		if (byte < 128)
			return result;
	}
	rle->failed = true;
	return 0;
}

static int32_t Rle_Signed(Rle *rle, int name, int32_t value)
{
	uint32_t folded = Rle_Number(rle, name, (uint32_t)value << 1 ^ (uint32_t) - (value < 0));
	return (int32_t)(folded >> 1 ^ (uint32_t) - (int32_t)(folded & 1));
}

int Rle_Run(Rle *rle, RleRun *run, int name, int hits, int n)
{
	if (!rle->reading) {
		run->count += (uint32_t)hits;
		if (hits < n) {
			Rle_Number(rle, name, run->count);
			run->count = 0;
		}
		return hits;
	}
	if (!run->open)
		run->count = Rle_Number(rle, name, 0);
	run->open = true;
	int take = run->count < (uint32_t)n ? (int)run->count : n;
	run->count -= (uint32_t)take;
	if (take < n)
		run->open = false;
	return take;
}

/* The hits after the last miss. */
static bool Rle_CloseRun(Rle *rle, RleRun *run, int name)
{
	if (!rle->reading)
		Rle_Number(rle, name, run->count);
	else if (!run->open)
		run->count = Rle_Number(rle, name, 0);
	bool good = !rle->reading || run->count == 0;
	*run = (RleRun){0};
	return good;
}

static bool Rle_CloseRuns(Rle *rle)
{
	bool good = Rle_CloseRun(rle, &rle->shape_run, STREAM_SHAPE_RUN);
	good = Rle_CloseRun(rle, &rle->material_run, STREAM_MATERIAL_RUN) && good;
	return Rle_CloseRun(rle, &rle->water_run, STREAM_WATER_RUN) && good;
}

void Rle_Reset(Rle *rle)
{
	for (int i = 0; i < STREAM_COUNT; i++)
		rle->streams[i].size = rle->streams[i].at = 0;
	rle->shape_run = rle->material_run = rle->water_run = (RleRun){0};
	rle->last = (Cell){0, 0, 0};
	rle->chunks = 0;
	rle->raw = 0;
	rle->failed = false;
}

bool Rle_Begin(Rle *rle, Memory *memory, bool reading)
{
	*rle = (Rle){.memory = memory, .reading = reading};
	rle->cells = Memory_Alloc(memory, sizeof(*rle->cells));
	/* zstd's own buffers come from the C heap: its stable interface has no other. */
	rle->zstd = reading ? (void *)ZSTD_createDCtx() : (void *)ZSTD_createCCtx();
	if (rle->cells && rle->zstd)
		return true;
	Rle_End(rle);
	return false;
}

void Rle_End(Rle *rle)
{
	for (int i = 0; i < STREAM_COUNT; i++)
		Memory_Free(rle->memory, rle->streams[i].data, rle->streams[i].capacity);
	Memory_Free(rle->memory, rle->cells, sizeof(*rle->cells));
	if (rle->reading)
		ZSTD_freeDCtx(rle->zstd);
	else
		ZSTD_freeCCtx(rle->zstd);
	*rle = (Rle){0};
}

/* ---- chunks to columns --------------------------------------------------------------------------------------- */

static void Load_Row(RleCells *cells, const ChannelData channel[CHANNEL_COUNT], int row)
{
	int y = CHUNK_SIZE - 1 - row / CHUNK_SIZE, z = row % CHUNK_SIZE;
	const uint8_t *material = Channel_Row(&channel[CHANNEL_MATERIAL], row);
	const uint8_t *occupancy = Channel_Row(&channel[CHANNEL_OCCUPANCY], row);
	for (int x = 0; x < CHUNK_SIZE; x++) {
		int shape = material[x] == MATERIAL_AIR ? 0 : occupancy[x] + 1;
		cells->shape[z][x][y] = (int16_t)shape;
		cells->air[z][x] |= (uint32_t)(shape == 0) << y;
		cells->full[z][x] |= (uint32_t)(shape == SHAPE_FULL) << y;
	}
}

static void Load_Bytes(uint8_t to[CHUNK_SIZE][CHUNK_SIZE][CHUNK_SIZE], const ChannelData *channel)
{
	for (int row = 0; row < CHUNK_ROWS; row++) {
		int y = CHUNK_SIZE - 1 - row / CHUNK_SIZE, z = row % CHUNK_SIZE;
		const uint8_t *bytes = Channel_Row(channel, row);
		for (int x = 0; x < CHUNK_SIZE; x++)
			to[z][x][y] = bytes[x];
	}
}

/* All columns of one shape. */
static void Fill_Shape(RleCells *cells, int shape)
{
	for (int i = 0; i < CHUNK_CELLS; i++)
		(&cells->shape[0][0][0])[i] = (int16_t)shape;
	memset(cells->air, shape == 0 ? 0xFF : 0, sizeof(cells->air));
	memset(cells->full, shape == SHAPE_FULL ? 0xFF : 0, sizeof(cells->full));
}

bool Rle_Add(Rle *rle, Cell chunk, const ChannelData channel[CHANNEL_COUNT])
{
	const ChannelData *materials = &channel[CHANNEL_MATERIAL], *occupancy = &channel[CHANNEL_OCCUPANCY];
	const ChannelData *water = &channel[CHANNEL_WATER];
	RleCells *cells = rle->cells;
	bool air = Channel_IsAll(materials, MATERIAL_AIR), one_material = !materials->header;
	bool one_shape = air || (one_material && !occupancy->header), one_water = !water->header;
	Rle_Signed(rle, STREAM_PLACE, chunk.x - rle->last.x);
	Rle_Signed(rle, STREAM_PLACE, chunk.y - rle->last.y);
	Rle_Signed(rle, STREAM_PLACE, chunk.z - rle->last.z);
	rle->last = chunk;
	rle->chunks++;
	int kind = (one_shape ? KIND_SHAPE : 0) + (one_material ? KIND_MATERIAL : 0) + (one_water ? KIND_WATER : 0);
	Rle_Byte(rle, STREAM_KIND, (uint8_t)kind);
	if (one_shape) {
		int shape = air ? 0 : occupancy->uniform + 1;
		Rle_Number(rle, STREAM_KIND, (uint32_t)shape);
		if (!one_water)
			Fill_Shape(cells, shape);
	} else {
		memset(cells->air, 0, sizeof(cells->air));
		memset(cells->full, 0, sizeof(cells->full));
		for (int row = 0; row < CHUNK_ROWS; row++)
			Load_Row(cells, channel, row);
		Rle_Shape(rle);
	}
	if (one_material) {
		Rle_Byte(rle, STREAM_KIND, materials->uniform);
	} else {
		Load_Bytes(cells->material, materials);
		Rle_Material(rle);
	}
	if (one_water) {
		Rle_Byte(rle, STREAM_KIND, water->uniform);
	} else {
		Load_Bytes(cells->water, water);
		Rle_Water(rle);
	}
	return !rle->failed;
}

bool Rle_IsFull(const Rle *rle)
{
	return rle->chunks >= PACK_CHUNKS || rle->raw >= PACK_RAW_WISH;
}

/* ---- columns to chunks --------------------------------------------------------------------------------------- */

static void Store_Bytes3(const uint8_t from[CHUNK_SIZE][CHUNK_SIZE][CHUNK_SIZE], RowBytes rows[CHUNK_ROWS])
{
	for (int row = 0; row < CHUNK_ROWS; row++) {
		int y = CHUNK_SIZE - 1 - row / CHUNK_SIZE, z = row % CHUNK_SIZE;
		for (int x = 0; x < CHUNK_SIZE; x++)
			rows[row][x] = from[z][x][y];
	}
}

/* Of a chunk whose shape differs: occupancy, and the material where it is the same in all solid cells. */
static void Store_Shape(const RleCells *cells, int material, RowBytes (*rows)[CHUNK_ROWS])
{
	for (int row = 0; row < CHUNK_ROWS; row++) {
		int y = CHUNK_SIZE - 1 - row / CHUNK_SIZE, z = row % CHUNK_SIZE;
		for (int x = 0; x < CHUNK_SIZE; x++) {
			int shape = cells->shape[z][x][y];
			rows[CHANNEL_OCCUPANCY][row][x] = (uint8_t)(shape ? shape - 1 : 0);
			rows[CHANNEL_MATERIAL][row][x] = (uint8_t)(shape ? material : MATERIAL_AIR);
		}
	}
}

static bool Rle_ReadPlace(Rle *rle, Cell *at)
{
	int32_t step[3];
	for (int i = 0; i < 3; i++) {
		step[i] = Rle_Signed(rle, STREAM_PLACE, 0);
		if (step[i] < -2 * CHUNK_LIMIT || step[i] > 2 * CHUNK_LIMIT)
			return false;
	}
	*at = (Cell){rle->last.x + step[0], rle->last.y + step[1], rle->last.z + step[2]};
	rle->last = *at;
	return at->x >= -CHUNK_LIMIT && at->x <= CHUNK_LIMIT && at->y >= -CHUNK_LIMIT && at->y <= CHUNK_LIMIT &&
	       at->z >= -CHUNK_LIMIT && at->z <= CHUNK_LIMIT;
}

static int Read_Shape(Rle *rle, bool one)
{
	RleCells *cells = rle->cells;
	if (!one) {
		memset(cells->shape, 0, sizeof(cells->shape));
		memset(cells->air, 0, sizeof(cells->air));
		memset(cells->full, 0, sizeof(cells->full));
		Rle_Shape(rle);
		return -1;
	}
	uint32_t shape = Rle_Number(rle, STREAM_KIND, 0);
	if (shape > SHAPE_FULL) {
		rle->failed = true;
		return 0;
	}
	/* Materials and water of cells that differ look at the shape. */
	Fill_Shape(cells, (int)shape);

	return (int)shape;
}

static void Read_Materials(Rle *rle, int shape, bool one, RowBytes (*rows)[CHUNK_ROWS], RleChunk *chunk)
{
	int material = one ? Rle_Byte(rle, STREAM_KIND, 0) : MATERIAL_AIR;
	bool solid = one && shape != 0;
	if (solid && (material == MATERIAL_AIR || material == MATERIAL_WATER))
		rle->failed = true;
	if (shape < 0)
		Store_Shape(rle->cells, material, rows);
	if (!one) {
		memset(rle->cells->material, 0, sizeof(rle->cells->material));
		Rle_Material(rle);
		Store_Bytes3((const uint8_t(*)[CHUNK_SIZE][CHUNK_SIZE])rle->cells->material, rows[CHANNEL_MATERIAL]);
	}
	chunk->uniform[CHANNEL_OCCUPANCY] = shape >= 0;
	chunk->value[CHANNEL_OCCUPANCY] = (uint8_t)(shape > 0 ? shape - 1 : 0);
	chunk->uniform[CHANNEL_MATERIAL] = shape >= 0 && one;
	chunk->value[CHANNEL_MATERIAL] = (uint8_t)(shape > 0 ? material : MATERIAL_AIR);
}

static void Read_Water(Rle *rle, bool one, RowBytes (*rows)[CHUNK_ROWS], RleChunk *chunk)
{
	chunk->uniform[CHANNEL_WATER] = one;
	if (one) {
		chunk->value[CHANNEL_WATER] = Rle_Byte(rle, STREAM_KIND, 0);
		return;
	}
	memset(rle->cells->water, 0, sizeof(rle->cells->water));
	Rle_Water(rle);
	Store_Bytes3((const uint8_t(*)[CHUNK_SIZE][CHUNK_SIZE])rle->cells->water, rows[CHANNEL_WATER]);
}

bool Rle_Next(Rle *rle, RowBytes (*rows)[CHUNK_ROWS], RleChunk *chunk)
{
	*chunk = (RleChunk){.rows = rows};
	if (!Rle_ReadPlace(rle, &chunk->at))
		return false;
	int kind = Rle_Byte(rle, STREAM_KIND, 0);
	if (kind > KIND_SHAPE + KIND_MATERIAL + KIND_WATER || rle->failed)
		return false;
	int shape = Read_Shape(rle, kind & KIND_SHAPE);
	Read_Materials(rle, shape, kind & KIND_MATERIAL, rows, chunk);
	Read_Water(rle, kind & KIND_WATER, rows, chunk);
	return !rle->failed;
}

bool Rle_AtEnd(Rle *rle)
{
	bool good = Rle_CloseRuns(rle);
	for (int i = 0; i < STREAM_COUNT; i++)
		good = good && rle->streams[i].at == rle->streams[i].size;
	return good && !rle->failed;
}

/* ---- packs --------------------------------------------------------------------------------------------------- */

static bool List_Number(ByteList *list, Memory *memory, uint32_t value)
{
	while (value > 127) {
		if (!Array_Push(memory, *list, (uint8_t)(value | 128)))
			return false;
		value >>= 7;
	}
	return Array_Push(memory, *list, (uint8_t)value);
}

/* Size, size of the frame (0: not compressed), bytes. An empty stream is its size alone. */
static bool Pack_Stream(Rle *rle, const RleStream *stream, int level, ByteList *out)
{
	Memory *memory = rle->memory;
	size_t bound = ZSTD_compressBound(stream->size), stored = 0;
	if (!List_Number(out, memory, (uint32_t)stream->size))
		return false;
	if (stream->size == 0)
		return true;
	/* Room for the second number too; the frame is made in place and moved. */
	if (!Array_Reserve(memory, *out, out->count + 5 + (int)bound))
		return false;
	uint8_t *frame = out->data + out->count + 5;
	if (stream->size >= STREAM_LEAST) {
		READ_ELSEWHERE(stream->data, stream->size);
		stored = ZSTD_compressCCtx(rle->zstd, frame, bound, stream->data, stream->size, level);
		WRITTEN_ELSEWHERE(frame, bound);
		if (ZSTD_isError(stored)) /* with room enough, only memory can be lacking */
			return false;
		if (stored >= stream->size)
			stored = 0;
	}
	if (!List_Number(out, memory, (uint32_t)stored))
		return false;
	size_t size = stored ? stored : stream->size;
	memmove(out->data + out->count, stored ? frame : stream->data, size);
	out->count += (int)size;
	return true;
}

bool Rle_Finish(Rle *rle, int level, ByteList *out)
{
	int before = out->count;
	Rle_CloseRuns(rle);
	bool good = !rle->failed && List_Number(out, rle->memory, (uint32_t)rle->chunks);
	for (int i = 0; i < STREAM_COUNT && good; i++)
		good = Pack_Stream(rle, &rle->streams[i], level, out);
	if (!good)
		out->count = before;
	Rle_Reset(rle);
	return good;
}

/* A place in the bytes of a pack. */
typedef struct PackView {
	const uint8_t *data;
	size_t left;
	bool bad;
} PackView;

static uint32_t View_Number(PackView *view)
{
	uint32_t value = 0;
	for (int shift = 0; shift < 28 && view->left > 0; shift += 7) {
		uint8_t byte = *view->data++;
		view->left--;
		value |= (uint32_t)(byte & 127) << shift;
		if (byte < 128)
			return value;
	}
	view->bad = true;
	return 0;
}

static int Open_Stream(Rle *rle, PackView *view, RleStream *stream)
{
	uint32_t size = View_Number(view);
	if (view->bad || rle->raw + size > PACK_RAW_LIMIT)
		return ERROR_FILE;
	if (size == 0)
		return ERROR_NONE;
	uint32_t frame = View_Number(view), stored = frame ? frame : size;
	if (view->bad || stored > view->left)
		return ERROR_FILE;
	if (size > stream->capacity) {
		uint8_t *data = Memory_Resize(rle->memory, stream->data, stream->capacity, size);
		if (!data)
			return ERROR_MEMORY;
		stream->data = data;
		stream->capacity = size;
	}
	if (!frame)
		memcpy(stream->data, view->data, size);
	else if (ZSTD_decompressDCtx(rle->zstd, stream->data, size, view->data, frame) != size)
		return ERROR_FILE; /* an error's code is greater than any size */
	WRITTEN_ELSEWHERE(stream->data, size);
	stream->size = size;
	rle->raw += size;
	view->data += stored;
	view->left -= stored;
	return ERROR_NONE;
}

int Rle_Open(Rle *rle, const uint8_t *data, size_t size, int *chunks)
{
	PackView view = {data, size, false};
	int code = ERROR_NONE;
	Rle_Reset(rle);
	uint32_t count = View_Number(&view);
	if (view.bad || count > PACK_CHUNKS)
		return ERROR_FILE;
	for (int i = 0; i < STREAM_COUNT && code == ERROR_NONE; i++)
		code = Open_Stream(rle, &view, &rle->streams[i]);
	if (code == ERROR_NONE && view.left > 0)
		code = ERROR_FILE;
	*chunks = (int)count;
	return code;
}
