/* Worlds to files and back: the blocks of terrain (voxel.h), and two kinds more, which readers of terrain pass over:
 *
 *   wdef  the first block: the version of the state's format, and how the world was made
 *   wrld  its state, an archive in pieces of up to 8 MB
 *
 * The old file is intact unless everything went well; nothing that is read is trusted. */
#include "world/world_internal.h"

#define PIECE_SIZE ((size_t)8 << 20)
#define STATE_LIMIT ((size_t)8 << 30)

/* ---- how it was made --------------------------------------------------------------------------------------------- */

/* False: it failed, or is of another version, which is put down in `other`. */
static bool Archive_Def(Archive *ar, WorldDef *def, uint32_t *other)
{
	uint32_t version = STATE_VERSION;
	int narrowphase = (int)def->narrowphase;
	uint64_t budget = def->collider_budget, marks = def->mark_budget;
	Archive_U32(ar, &version);
	if (ar->failure == ERROR_NONE && version != STATE_VERSION) {
		*other = version;
		return false;
	}
	Archive_F64(ar, &def->cell_size);
	Archive_F64(ar, &def->seed);
	Archive_Int(ar, &def->substeps, 1, 64);
	Archive_Int(ar, &def->threads, 1, 64);
	Archive_Int(ar, &narrowphase, NARROWPHASE_KDTREE, NARROWPHASE_LATTICE);
	Archive_Bool(ar, &def->boxes);
	Archive_U64(ar, &budget);
	Archive_U64(ar, &marks);
	Archive_IsSound(ar, def->cell_size >= 1e-3 && def->cell_size <= 1e3, "its cells have no size");
	def->narrowphase = (Narrowphase)narrowphase;
	def->collider_budget = (size_t)budget;
	def->mark_budget = (size_t)marks;
	return ar->failure == ERROR_NONE;
}

/* ---- saving ------------------------------------------------------------------------------------------------------ */

static int WriteToFile(void *context, const void *data, size_t size, Error *error)
{
	FileWriter *writer = context;
	(void)error;
	FileWriter_Bytes(writer, data, size);
	return writer->failure ? ERROR_FILE : ERROR_NONE;
}

static int SaveDef(SaveWriter *save, World *w, Error *error)
{
	Archive ar;
	WorldDef def = World_Def(w);
	uint32_t other;
	Archive_BeginWrite(&ar, &w->memory);
	Archive_Def(&ar, &def, &other);
	int code = Archive_Report(&ar, error);
	if (code == ERROR_NONE)
		code = Save_Block(save, "wdef", ar.bytes, ar.used, error);
	Archive_End(&ar);
	return code;
}

static int SavePieces(SaveWriter *save, const Archive *ar, Error *error)
{
	int code = ERROR_NONE;
	for (size_t at = 0; at < ar->used && code == ERROR_NONE; at += PIECE_SIZE) {
		size_t size = ar->used - at < PIECE_SIZE ? ar->used - at : PIECE_SIZE;
		code = Save_Block(save, "wrld", ar->bytes + at, size, error);
	}
	return code;
}

static int SaveState(SaveWriter *save, World *w, const void *script, size_t script_size, Error *error)
{
	Archive ar;
	WorldHeader header = World_Header(w);
	uint64_t size = script_size;
	Archive_BeginWrite(&ar, &w->memory);
	Archive_U64(&ar, &size);
	Archive_Bytes(&ar, (void *)(uintptr_t)script, script_size); /* writing does not change it */
	Archive_Header(&ar, &header);
	Archive_Materials(&ar, w->materials);
	Archive_Changed(&ar, w->terrain, NULL);
	int code = Dynamics_Archive(w->dynamics, &ar, error);
	if (code == ERROR_NONE && !Archive_Detach(&ar, &w->detach))
		code = Archive_Report(&ar, error);
	if (code == ERROR_NONE)
		code = SavePieces(save, &ar, error);
	Archive_End(&ar);
	return code;
}

static int SaveBlocks(SaveWriter *save, World *w, int level, const void *script, size_t script_size, Error *error)
{
	int code = SaveDef(save, w, error);
	if (code == ERROR_NONE)
		code = Store_SaveBlocks(w->store, w->materials, Terrain_CellSize(w->terrain), level, save, error);
	if (code == ERROR_NONE)
		code = SaveState(save, w, script, script_size, error);
	return code == ERROR_NONE ? Save_End(save, error) : code;
}

int World_Save(World *w, const char *path, int level, const void *script, size_t script_size, Error *error)
{
	FileWriter writer;
	SaveWriter save;
	int code = Terrain_Sync(w->terrain, error);
	if (code == ERROR_NONE && !World_NoteEdits(w, CAUSE_EDIT))
		code = Error_OutOfMemory(error);
	if (code == ERROR_NONE)
		code = FileWriter_Open(&writer, &w->memory, path, error);
	if (code != ERROR_NONE)
		return code;
	code = Save_Begin(&save, &w->memory, WriteToFile, &writer, error);
	if (code == ERROR_NONE)
		code = SaveBlocks(&save, w, level, script, script_size, error);
	if (code == ERROR_NONE || writer.failure)
		return FileWriter_Close(&writer, error);
	FileWriter_Drop(&writer);
	return code;
}

/* ---- loading ----------------------------------------------------------------------------------------------------- */

typedef struct WorldLoad {
	const WorldLoadDef *def;
	FileReader file;
	Progress progress;
	Memory memory; /* until there is a world */
	LoadReader reader;
	World *world;
	TerrainLoad *terrain;
	uint8_t *state;
	size_t size, capacity;
} WorldLoad;

static int ReadFromFile(void *context, void *data, size_t size, size_t *got, Error *error)
{
	WorldLoad *load = context;
	int code = FileReader_Read(&load->file, data, size, got, error);
	Progress_Update(&load->progress, load->file.done / (load->file.size + 1.0));
	return code;
}

static int LoadDef(WorldLoad *load, Error *error)
{
	Archive ar;
	WorldDef def = {.resize = load->def->resize, .resize_user = load->def->resize_user};
	if (load->world)
		return Error_Set(error, ERROR_FILE, "it is of two worlds");
	Archive_BeginRead(&ar, &load->memory, load->reader.block, load->reader.size);
	uint32_t other = STATE_VERSION;
	if (!Archive_Def(&ar, &def, &other))
		return other == STATE_VERSION
		           ? Archive_Report(&ar, error)
		           : Error_Set(error, ERROR_FILE,
		                       "its world is of format version %u, and this program reads version %d", (unsigned)other,
		                       STATE_VERSION);
	if (load->def->threads > 0)
		def.threads = load->def->threads;
	load->world = World_Create(&def, error);
	if (!load->world)
		return ERROR_MEMORY;
	load->terrain = TerrainLoad_Begin(load->world->store, load->world->materials, false);
	return load->terrain ? ERROR_NONE : Error_OutOfMemory(error);
}

static int LoadPiece(WorldLoad *load, Error *error)
{
	size_t want = load->size + load->reader.size;
	if (want > STATE_LIMIT)
		return Error_Set(error, ERROR_FILE, "its state is of more than %zu bytes", STATE_LIMIT);
	if (want > load->capacity) {
		size_t capacity = load->capacity + load->capacity / 2 > want ? load->capacity + load->capacity / 2 : want;
		uint8_t *grown = Memory_Resize(&load->memory, load->state, load->capacity, capacity);
		if (!grown)
			return Error_OutOfMemory(error);
		load->state = grown;
		load->capacity = capacity;
	}
	memcpy(load->state + load->size, load->reader.block, load->reader.size);
	load->size = want;
	return ERROR_NONE;
}

static int LoadBlock(WorldLoad *load, Error *error)
{
	if (Load_IsTag(&load->reader, "wdef"))
		return LoadDef(load, error);
	if (!load->world)
		return Error_Set(error, ERROR_FILE, "it holds no world");
	if (Load_IsTag(&load->reader, "wrld"))
		return LoadPiece(load, error);
	int code = TerrainLoad_Block(load->terrain, &load->reader, error);
	if (code == 0)
		code = Load_Unknown(&load->reader, error);
	return code < 0 ? code : ERROR_NONE;
}

static int LoadBlocks(WorldLoad *load, Error *error)
{
	int code = Load_Begin(&load->reader, &load->memory, ReadFromFile, load, error);
	while (code == ERROR_NONE) {
		code = Load_Next(&load->reader, error);
		if (code == ERROR_NONE && Load_IsTag(&load->reader, "END "))
			return load->world ? TerrainLoad_Complete(load->terrain, error)
			                   : Error_Set(error, ERROR_FILE, "it holds no world");
		if (code == ERROR_NONE)
			code = LoadBlock(load, error);
	}
	return code;
}

/* The terrain's own materials come first, in the order of the file; the state has all of them again, by place. */
static int LoadCells(WorldLoad *load, Error *error)
{
	TerrainLoad *terrain = load->terrain;
	load->terrain = NULL;
	return TerrainLoad_Commit(terrain, load->world->materials, NULL, error);
}

static int LoadState(WorldLoad *load, Error *error)
{
	World *w = load->world;
	WorldState state = {.old_materials = *w->materials};
	Archive ar;
	uint64_t script = 0;
	Archive_BeginRead(&ar, &w->memory, load->state, load->size);
	Archive_U64(&ar, &script);
	if (Archive_IsSound(&ar, script <= ar.size - ar.at, "it is cut short"))
		ar.at += (size_t)script;
	int code = Archive_Report(&ar, error);
	if (code == ERROR_NONE)
		code = WorldState_Read(&state, w, &ar, error);
	if (code == ERROR_NONE && (ar.at != ar.size || state.materials_differ))
		code = Error_Set(error, ERROR_FILE, "it is damaged: its state and its terrain do not fit together");
	if (code == ERROR_NONE && !Terrain_ReserveChanged(w->terrain, state.changed.count))
		code = Error_OutOfMemory(error);
	if (code != ERROR_NONE) {
		WorldState_Drop(&state, w);
		return code;
	}
	WorldState_Enter(&state, w);
	return ERROR_NONE;
}

/* The script's bytes, in a block of the world's. */
static int LoadScript(WorldLoad *load, WorldScript *script, Error *error)
{
	Archive ar;
	uint64_t size = 0;
	Archive_BeginRead(&ar, &load->memory, load->state, load->size);
	Archive_U64(&ar, &size);
	script->size = (size_t)size;
	script->data = Memory_Alloc(&load->world->memory, script->size);
	if (script->size > 0 && !script->data)
		return Error_OutOfMemory(error);
	Archive_Bytes(&ar, script->data, script->size);
	return ERROR_NONE;
}

static int LoadAll(WorldLoad *load, WorldScript *script, Error *error)
{
	int code = LoadBlocks(load, error);
	if (code == ERROR_NONE)
		code = LoadCells(load, error);
	if (code == ERROR_NONE)
		code = LoadState(load, error);
	return code == ERROR_NONE ? LoadScript(load, script, error) : code;
}

int World_Load(const WorldLoadDef *def, const char *path, World **world, WorldScript *script, Error *error)
{
	WorldLoad load = {.def = def};
	Error inner = {0};
	*script = (WorldScript){0};
	Memory_Init(&load.memory, def->resize, def->resize_user);
	int code = FileReader_Open(&load.file, path, error);
	if (code != ERROR_NONE)
		return code;
	Progress_Begin(&load.progress, "load");
	code = LoadAll(&load, script, &inner);
	Progress_End(&load.progress);
	FileReader_Close(&load.file);
	Memory_Free(&load.memory, load.state, load.capacity);
	Memory_Free(&load.memory, load.reader.block, load.reader.capacity);
	TerrainLoad_Abort(load.terrain);
	if (code == ERROR_NONE) {
		*world = load.world;
		return ERROR_NONE;
	}
	World_Destroy(load.world);
	if (code == ERROR_MEMORY)
		return Error_OutOfMemory(error);
	return Error_Set(error, ERROR_FILE, "cannot read file '%s': %s", path, inner.text);
}
