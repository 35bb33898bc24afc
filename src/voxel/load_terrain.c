/* The terrain of a file on its way into a store: materials matched by name, chunks staged in one transaction. */
#include "voxel/rle_internal.h"
#include "voxel/save_internal.h"

#define NO_PLACE (-1) /* a material of the file that has no place in the table yet */

struct TerrainLoad {
	Store *store;
	Batch batch;
	Rle rle;
	TerrainLoadInfo info;
	int next;      /* in the store's order: the first chunk that the file has not come to */
	size_t memory; /* that the store held before */
	bool has_info, has_materials, has_sums, has_chunk;
	Cell last; /* chunk */
	MaterialTable table;
	bool keep; /* the table's properties win */
	int count; /* materials of the file */
	Material materials[MATERIAL_LIMIT];
	int16_t place[MATERIAL_LIMIT]; /* of the file's materials in the table */
};

TerrainLoad *TerrainLoad_Begin(Store *store, const MaterialTable *table, bool keep_materials)
{
	TerrainLoad *load = Memory_AllocZero(store->parent, sizeof(*load));
	if (!load)
		return NULL;
	load->store = store;
	load->memory = Store_Bytes(store);
	load->table = *table;
	load->keep = keep_materials;
	if (!Rle_Begin(&load->rle, store->parent, true)) {
		Memory_Free(store->parent, load, sizeof(*load));
		return NULL;
	}
	if (!Batch_Begin(&load->batch, store)) {
		Rle_End(&load->rle);
		Memory_Free(store->parent, load, sizeof(*load));
		return NULL;
	}
	return load;
}

static void TerrainLoad_Free(TerrainLoad *load)
{
	Rle_End(&load->rle);
	Memory_Free(load->store->parent, load, sizeof(*load));
}

void TerrainLoad_Abort(TerrainLoad *load)
{
	if (!load)
		return;
	Batch_Abort(&load->batch);
	TerrainLoad_Free(load);
}

const MaterialTable *TerrainLoad_Table(const TerrainLoad *load)
{
	return &load->table;
}

const TerrainLoadInfo *TerrainLoad_Info(const TerrainLoad *load)
{
	return &load->info;
}

/* ---- materials ----------------------------------------------------------------------------------------------- */

static bool Material_Same(const Material *a, const Material *b)
{
	return a->density == b->density && a->friction == b->friction && a->restitution == b->restitution &&
	       a->rolling == b->rolling && a->hardness == b->hardness && a->blockiness == b->blockiness &&
	       a->color == b->color;
}

/* Gives material i its place in the table. */
static int Place_Material(TerrainLoad *load, int i, Error *error)
{
	const Material *material = &load->materials[i];
	int index = MaterialTable_Find(&load->table, material->name);
	bool found = index >= 0;
	if (found && (load->keep || index == MATERIAL_AIR || Material_Same(material, &load->table.items[index]))) {
		load->place[i] = (int16_t)index;
		return ERROR_NONE;
	}
	Error inner = {0};
	index = MaterialTable_Put(&load->table, material, &inner);
	if (index < 0) /* properties that no table has are damage, a full table is not */
		return Error_Set(error, inner.code == ERROR_LIMIT ? ERROR_LIMIT : ERROR_FILE, "%s", inner.text);
	load->place[i] = (int16_t)index;
	load->info.materials_added += !found;
	load->info.materials_changed += found;
	return ERROR_NONE;
}

static bool Read_Material(const uint8_t **at, size_t *left, Material *material)
{
	*material = (Material){0};
	size_t length = *left > 0 ? **at : 0, size = 1 + length + 7 * 4;
	if (length == 0 || length >= MATERIAL_NAME_SIZE || *left < size)
		return false;
	const uint8_t *values = *at + 1 + length;
	memcpy(material->name, *at + 1, length);
	material->density = Get_F32(values);
	material->friction = Get_F32(values + 4);
	material->restitution = Get_F32(values + 8);
	material->rolling = Get_F32(values + 12);
	material->hardness = Get_F32(values + 16);
	material->blockiness = Get_F32(values + 20);
	material->color = Get_U32(values + 24);
	*at += size;
	*left -= size;
	return strlen(material->name) == length;
}

static bool Read_MaterialList(TerrainLoad *load, const LoadReader *reader)
{
	const uint8_t *at = reader->block;
	size_t left = reader->size;
	if (left < 2)
		return false;
	load->count = at[0] | at[1] << 8;
	at += 2;
	left -= 2;
	if (load->count < 2 || load->count > MATERIAL_LIMIT)
		return false;
	for (int i = 0; i < load->count; i++) {
		if (!Read_Material(&at, &left, &load->materials[i]))
			return false;
		for (int k = 0; k < i; k++)
			if (strcmp(load->materials[k].name, load->materials[i].name) == 0)
				return false;
	}
	return left == 0 && strcmp(load->materials[MATERIAL_AIR].name, "air") == 0 &&
	       strcmp(load->materials[MATERIAL_WATER].name, "water") == 0;
}

static int Load_Materials(TerrainLoad *load, const LoadReader *reader, Error *error)
{
	if (load->has_materials || !Read_MaterialList(load, reader))
		return Error_Set(error, ERROR_FILE, "its list of materials is damaged");
	load->has_materials = true;
	int missing = 0;
	for (int i = 0; i < load->count; i++) {
		load->place[i] = NO_PLACE;
		missing += MaterialTable_Find(&load->table, load->materials[i].name) < 0;
	}
	/* In the file's order when all have room, so that a new world gets the table as it was saved. */
	bool room = load->table.count + missing <= MATERIAL_LIMIT;
	int code = ERROR_NONE;
	for (int i = 0; i < load->count && !code; i++)
		if (room || MaterialTable_Find(&load->table, load->materials[i].name) >= 0)
			code = Place_Material(load, i, error);
	return code;
}

/* ---- cells --------------------------------------------------------------------------------------------------- */

/* Bytes of the file's materials to those of the table. */
static int Map_Byte(TerrainLoad *load, uint8_t *material, Error *error)
{
	if (*material >= load->count)
		return Error_Set(error, ERROR_FILE, "a cell has material %d of %d", *material, load->count);
	if (load->place[*material] == NO_PLACE) {
		int code = Place_Material(load, *material, error);
		if (code)
			return code;
	}
	*material = (uint8_t)load->place[*material];
	return ERROR_NONE;
}

static int Map_Materials(TerrainLoad *load, RleChunk *chunk, Error *error)
{
	if (chunk->uniform[CHANNEL_MATERIAL])
		return Map_Byte(load, &chunk->value[CHANNEL_MATERIAL], error);
	uint8_t *bytes = chunk->rows[CHANNEL_MATERIAL][0], from = MATERIAL_AIR, to = MATERIAL_AIR;
	for (int i = 0; i < CHUNK_CELLS; i++) {
		if (bytes[i] != from) {
			from = to = bytes[i];
			int code = Map_Byte(load, &to, error);
			if (code)
				return code;
		}
		bytes[i] = to;
	}
	return ERROR_NONE;
}

static int64_t Solid_Cells(const RleChunk *chunk)
{
	if (chunk->uniform[CHANNEL_MATERIAL])
		return chunk->value[CHANNEL_MATERIAL] ? CHUNK_CELLS : 0;
	const uint8_t *bytes = chunk->rows[CHANNEL_MATERIAL][0];
	int64_t count = 0;
	for (int i = 0; i < CHUNK_CELLS; i++)
		count += bytes[i] != MATERIAL_AIR;
	return count;
}

static bool Cell_Before(Cell a, Cell b)
{
	if (a.y != b.y)
		return a.y < b.y;
	if (a.z != b.z)
		return a.z < b.z;
	return a.x < b.x;
}

/* Stages air for the chunks that the store has and the file, up to the chunk `end`, has not. NULL: to the end. */
static bool Clear_Until(TerrainLoad *load, const Cell *end)
{
	Store *store = load->store;
	for (; load->next < store->order.count; load->next++) {
		const Chunk *old = &store->chunks.data[store->order.data[load->next]];
		Cell at = {old->x, old->y, old->z};
		if (end && !Cell_Before(at, *end)) {
			load->next += !Cell_Before(*end, at); /* the same one is staged by the caller */
			return true;
		}
		ChannelData air[CHANNEL_COUNT] = {Channel_Uniform(0), Channel_Uniform(0), Channel_Uniform(0)};
		if (!Batch_Stage(&load->batch, at, 7, air))
			return false;
	}
	return true;
}

static int Load_Chunk(TerrainLoad *load, Error *error)
{
	RleChunk chunk;
	if (!Rle_Next(&load->rle, load->batch.scratch->rows, &chunk))
		return Error_Set(error, ERROR_FILE, "its cells are damaged");
	const char *fault = RleChunk_Fault(&chunk);
	if (load->has_chunk && !Cell_Before(load->last, chunk.at))
		fault = "chunks out of order";
	if (fault)
		return Error_Set(error, ERROR_FILE, "its cells are damaged: %s", fault);
	load->has_chunk = true;
	load->last = chunk.at;
	int code = Map_Materials(load, &chunk, error);
	if (code)
		return code;
	load->info.cells += Solid_Cells(&chunk);
	load->info.chunks++;
	if (!Clear_Until(load, &chunk.at) || !Batch_StageChunk(&load->batch, &chunk))
		return Error_OutOfMemory(error);
	if (Store_Bytes(load->store) > load->memory && Store_Bytes(load->store) - load->memory > SAVE_STORE_LIMIT)
		return Error_Set(error, ERROR_FILE, "its cells need more than %zu bytes", SAVE_STORE_LIMIT);
	return ERROR_NONE;
}

static int Load_Pack(TerrainLoad *load, const LoadReader *reader, Error *error)
{
	if (!load->has_materials || load->has_sums)
		return Error_Set(error, ERROR_FILE, "its cells stand in the wrong place");
	int chunks = 0;
	int code = Rle_Open(&load->rle, reader->block, reader->size, &chunks);
	if (code == ERROR_MEMORY)
		return Error_OutOfMemory(error);
	if (code)
		return Error_Set(error, ERROR_FILE, "its cells are damaged");
	for (int i = 0; i < chunks && !code; i++)
		code = Load_Chunk(load, error);
	if (!code && !Rle_AtEnd(&load->rle))
		code = Error_Set(error, ERROR_FILE, "its cells are damaged: there are more than chunks");
	return code;
}

static int Load_Sums(TerrainLoad *load, const LoadReader *reader, Error *error)
{
	if (load->has_sums || !load->has_materials || reader->size != 12)
		return Error_Set(error, ERROR_FILE, "its sums are damaged");
	load->has_sums = true;
	if (Get_U32(reader->block) == (uint32_t)load->info.chunks &&
	    Get_U64(reader->block + 4) == (uint64_t)load->info.cells)
		return ERROR_NONE;
	return Error_Set(error, ERROR_FILE, "it should hold %u chunks and %llu cells, and holds %d and %lld",
	                 Get_U32(reader->block), (unsigned long long)Get_U64(reader->block + 4), load->info.chunks,
	                 (long long)load->info.cells);
}

static int Load_Info(TerrainLoad *load, const LoadReader *reader, Error *error)
{
	double size = reader->size == 8 ? Get_F64(reader->block) : 0.0;
	if (load->has_info || !(size > 0.0 && size <= 1e9))
		return Error_Set(error, ERROR_FILE, "its size of cells is damaged");
	load->has_info = true;
	load->info.cell_size = size;
	return ERROR_NONE;
}

int TerrainLoad_Block(TerrainLoad *load, const LoadReader *reader, Error *error)
{
	static const struct {
		const char *tag;
		int (*read)(TerrainLoad *load, const LoadReader *reader, Error *error);
	} kinds[] = {{"INFO", Load_Info}, {"MATS", Load_Materials}, {"CELL", Load_Pack}, {"CSUM", Load_Sums}};
	for (int i = 0; i < COUNT_OF(kinds); i++) {
		if (!Load_IsTag(reader, kinds[i].tag))
			continue;
		int code = kinds[i].read(load, reader, error);
		return code ? code : 1;
	}
	return 0;
}

int TerrainLoad_Complete(TerrainLoad *load, Error *error)
{
	if (!load->has_info || !load->has_materials || !load->has_sums)
		return Error_Set(error, ERROR_FILE, "it holds no complete terrain");
	return Clear_Until(load, NULL) ? ERROR_NONE : Error_OutOfMemory(error);
}

int TerrainLoad_Commit(TerrainLoad *load, MaterialTable *table, Tally *tally, Error *error)
{
	bool made = Batch_Apply(&load->batch);
	if (!made)
		Batch_Abort(&load->batch);
	made = made && Batch_Commit(&load->batch, tally);
	if (made)
		*table = load->table;
	TerrainLoad_Free(load);
	return made ? ERROR_NONE : Error_OutOfMemory(error);
}

/* ---- files --------------------------------------------------------------------------------------------------- */

typedef struct FileSource {
	FileReader file;
	Progress progress;
} FileSource;

static int ReadFromFile(void *context, void *data, size_t size, size_t *got, Error *error)
{
	FileSource *source = context;
	int code = FileReader_Read(&source->file, data, size, got, error);
	Progress_Update(&source->progress, source->file.done / (source->file.size + 1.0));
	return code;
}

static int Load_Blocks(LoadReader *reader, TerrainLoad *load, Error *error)
{
	for (;;) {
		int code = Load_Next(reader, error);
		if (code)
			return code;
		if (Load_IsTag(reader, "END "))
			return TerrainLoad_Complete(load, error);
		code = TerrainLoad_Block(load, reader, error);
		if (code == 0)
			code = Load_Unknown(reader, error);
		if (code < 0)
			return code;
	}
}

int Store_Load(Store *store, const MaterialTable *table, bool keep_materials, const char *path, TerrainLoad **result,
               Error *error)
{
	FileSource source;
	LoadReader reader = {0};
	Error inner = {0};
	int code = FileReader_Open(&source.file, path, error);
	if (code)
		return code;
	TerrainLoad *load = TerrainLoad_Begin(store, table, keep_materials);
	if (!load) {
		FileReader_Close(&source.file);
		return Error_OutOfMemory(error);
	}
	Progress_Begin(&source.progress, "load");
	code = Load_Begin(&reader, store->parent, ReadFromFile, &source, &inner);
	if (!code)
		code = Load_Blocks(&reader, load, &inner);
	Progress_End(&source.progress);
	FileReader_Close(&source.file);
	Memory_Free(store->parent, reader.block, reader.capacity);
	if (!code) {
		*result = load;
		return ERROR_NONE;
	}
	TerrainLoad_Abort(load);
	if (code == ERROR_MEMORY)
		return Error_OutOfMemory(error);
	return Error_Set(error, ERROR_FILE, "cannot read file '%s': %s", path, inner.text);
}
