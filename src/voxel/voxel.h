/* voxel: what the ground is made of. Materials, the sparse store, regions, brushes, the journal, importers.
 *
 * Owns: every cell of a world. Uses: base, math. Called by: terrain (reads), world and api (read and write).
 *
 * A cell has three bytes. material 0 is air. occupancy v of a solid cell means (v+1)/256 of matter, so a solid cell is
 * never empty; air stores 0. water w is a level: the cell is under water up to w/255 of its height, beside ground as
 * high as in the cell next to it. What ground takes is not water: the amount is what the level stands above it, see
 * Cell_Water, so that ground and water together never are more than the cell. A cell with v = 255 has no level. The
 * material "water" of the table never stands in the material channel: water has its own. The surface treats a cell as
 * inside when v >= 128.
 *
 * Coordinates are int32 cells within +-CELL_LIMIT. Lengths in this room are in cells: cell (x,y,z) is the unit cube
 * [x,x+1) x [y,y+1) x [z,z+1), its centre at +0.5. Y is up.
 */
#ifndef SCREE_VOXEL_H
#define SCREE_VOXEL_H

#include "base/base.h"
#include "math/math.h"

/* ---- materials (materials.c) ------------------------------------------------------------------------------- */

#define MATERIAL_LIMIT 256
#define MATERIAL_NAME_SIZE 32
#define MATERIAL_AIR 0
#define MATERIAL_WATER 1

typedef struct Material {
	char name[MATERIAL_NAME_SIZE]; /* a letter, then letters, digits, '_' */
	float density;                 /* kg/m3, > 0 */
	float friction;                /* >= 0; a pair uses sqrt(a b) */
	float restitution;             /* 0..1; a pair uses the larger */
	float rolling;                 /* rolling resistance, metres-free factor >= 0 */
	float hardness;                /* >= 0, for scripts and blasts */
	float blockiness;              /* 0..1: pulls the surface's vertices to lattice corners; 1 gives exact cubes */
	uint32_t color;                /* 0xRRGGBB */
} Material;

typedef struct MaterialTable {
	Material items[MATERIAL_LIMIT];
	int count;
	uint32_t version; /* +1 with every change; blockiness changes the surface */
} MaterialTable;

/* air water grass ground sand mud rock basalt slate sandstone limestone concrete brick wood ice snow glacier asphalt
 * salt metal */
void MaterialTable_Init(MaterialTable *table);
int MaterialTable_Find(const MaterialTable *table, const char *name); /* index or -1 */
/* Adds or changes by name. Index, or ErrorCode with the field and value named. air and water keep their nature. */
int MaterialTable_Put(MaterialTable *table, const Material *material, Error *error);

/* ---- store (store.c, channel.c) ------------------------------------------------------------------------------ */

#define CELL_LIMIT (1 << 30)
#define CHUNK_BITS 5
#define CHUNK_SIZE 32
/* A bulk edit that may create cells spans at most this many chunks; ERROR_LIMIT beyond. */
#define EDIT_CHUNK_LIMIT (1 << 20)

typedef enum Channel { CHANNEL_MATERIAL, CHANNEL_OCCUPANCY, CHANNEL_WATER, CHANNEL_COUNT } Channel;

typedef struct Voxel {
	uint8_t material, occupancy, water;
} Voxel;

/* The amount of water in a cell, in 1/255: of air the level, of ground what the level stands above it (whose share of
 * the cell is rounded up). Sums and tallies count this. */
static inline int Cell_Water(int material, int occupancy, int level)
{
	return material == MATERIAL_AIR ? level : Int_Max(level - occupancy - 1, 0);
}

/* A dense block of cells. Index of (x,y,z) counted from the block's corner: x + nx * (z + nz * y). Caller-owned buffers
 * of nx*ny*nz bytes; a NULL channel is not read or written. */
typedef struct Region {
	int nx, ny, nz;
	uint8_t *channel[CHANNEL_COUNT];
} Region;

/* What an edit took and gave, per material, in 1/256 of a cell of matter (v+1 of a solid cell); water in 1/255, by
 * its amount, which also changes with the ground that stands in it. A cell that keeps its material counts only by the
 * difference. Edits add to what the caller's Tally holds, and only when they
 * succeed: matter before + added - removed = matter after. */
typedef struct Tally {
	int64_t removed[MATERIAL_LIMIT];
	int64_t added[MATERIAL_LIMIT];
} Tally;

typedef struct Store Store;

Store *Store_Create(Memory *memory); /* NULL on failure */
void Store_Destroy(Store *store);

Voxel Store_Get(const Store *store, Cell cell);
/* The 32 cells of one channel from x = 32*chunk_x on, at (y,z). Always a plain pointer: uniform rows point into a
 * shared read-only table. Valid until the next write. Constant time. */
const uint8_t *Store_Row(const Store *store, Channel channel, int32_t chunk_x, int32_t y, int32_t z);
/* Likewise all rows of a chunk: z + 32 * y, counted from its corner. */
void Store_ChunkRows(const Store *store, Channel channel, Cell chunk, const uint8_t *rows[CHUNK_SIZE * CHUNK_SIZE]);
void Store_Read(const Store *store, CellBox box, Region *into);
/* True when every cell of the box is air without water (fast: by chunks and row headers). */
bool Store_IsEmpty(const Store *store, CellBox box);
/* True only when every cell of the box is at least half full of ground and dry. Looks at what the box cuts off from
 * chunks row by row, and takes chunks that lie in it with all their cells only when they are of one occupancy: then it
 * is fast, and it may say no where a reader of all cells would say yes. */
bool Store_IsDeep(const Store *store, CellBox box);

/* Writes one cell, normalised (air has v 0; a full solid cell no water; material "water" becomes air with at least that
 * much water, which holds for every write). Cells beyond the limit are ERROR_LIMIT, and read as dry air. In place where
 * the row has a payload; rows are re-packed lazily, so many small writes to one chunk cost no repacking each. */
int Store_Set(Store *store, Cell cell, Voxel voxel, Tally *tally, Error *error);
/* Writes the box from a region of exactly its size. mask (same indexing, may be NULL): only cells with mask != 0. NULL
 * channels of `from` keep what is there. tally may be NULL. On ERROR_MEMORY nothing was changed. */
int Store_Write(Store *store, CellBox box, const Region *from, const uint8_t *mask, Tally *tally, Error *error);

/* The one engine under every bulk edit. For each row piece of the box (in order chunk by chunk, y, z) calls fn with the
 * n cells from (x,y,z): it changes the three arrays in place. Results are normalised, tallied and packed, two-phase:
 * all new chunk payloads are made first, then swapped in, so on failure nothing was changed; reads from within fn see
 * the cells as they were. Makes one journal entry of the box of the cells that really changed; none if nothing did. */
typedef void EditRowFn(void *context, int32_t x, int32_t y, int32_t z, int n, uint8_t *material, uint8_t *occupancy,
                       uint8_t *water);
int Store_Edit(Store *store, CellBox box, EditRowFn *fn, void *context, Tally *tally, Error *error);

/* The same for whole chunks, those of the list that exist (sorted by y, z, x, each once). Changes far from each other
 * are journal entries of their own. */
int Store_EditChunks(Store *store, const Cell *chunks, int count, EditRowFn *fn, void *context, Tally *tally,
                     Error *error);

/* Counts cells (not matter) per material in the box; index MATERIAL_AIR counts air cells (at most INT64_MAX). water
 * (may be NULL): cells with a water level. */
void Store_Count(const Store *store, CellBox box, int64_t counts[MATERIAL_LIMIT], int64_t *water);
/* Sums matter in 1/256 of a cell per material; sums[MATERIAL_WATER] is the amount of water in 1/255. */
void Store_Matter(const Store *store, CellBox box, int64_t sums[MATERIAL_LIMIT]);
/* Cells of `from` become `to` and keep their occupancy. From air: full cells. From water: what stands in air cells
 * becomes cells of that occupancy (to air: all water goes). To water: see Store_Set. */
int Store_Replace(Store *store, CellBox box, uint8_t from, uint8_t to, Tally *tally, Error *error);
int Store_Clear(Store *store, Tally *tally, Error *error); /* everything to air; one journal entry */

/* The smallest box that holds all non-air or wet cells. False when there is none. */
bool Store_Bounds(const Store *store, CellBox *bounds);
size_t Store_Bytes(const Store *store);       /* all memory it holds */
int64_t Store_SolidCells(const Store *store); /* non-air cells */
/* Chunks in a fixed order (sorted by y, z, x), for hashing, saving and iteration. `i` in [0, count). */
int Store_ChunkCount(const Store *store);
Cell Store_ChunkAt(const Store *store, int i);                       /* chunk coordinates; cell = 32 * chunk */
void Store_Hash(const Store *store, Hasher *hasher);                 /* contents only: equal cells, equal bytes */
bool Store_Validate(const Store *store, char *why, size_t why_size); /* whole-structure check for debug builds */

/* ---- mips (mip.c) ---------------------------------------------------------------------------------------------- */

/* The store from afar. A coarse cell of level 1, 2 or 3 is a cube of 2, 4 or 8 cells a side; coarse cell c covers the
 * cells from c << level on. Its material is the one that most of its cells have (of several the lowest), air only if
 * all are air; its occupancy the mean of all, air counting nothing, 255 only if all cells are full; its water the mean,
 * 0 only if all are dry. So what is empty from afar is empty, and what is full is full. Always up to date. */
#define MIP_LEVELS 3

Voxel Store_Mip(const Store *store, int level, Cell coarse);
void Store_ReadMip(const Store *store, int level, CellBox coarse, Region *into); /* as Store_Read, of coarse cells */
/* Which 8^3 blocks of a chunk hold anything but dry air: bit x + 4 * (z + 4 * y), counted from the chunk's corner. */
uint64_t Store_Blocks(const Store *store, Cell chunk);

/* ---- journal (journal.c) ------------------------------------------------------------------------------------- */

/* Every write adds {box, version}. Version counts up from 0 (an empty, untouched store). */
uint64_t Store_Version(const Store *store);
/* Boxes changed after `since`, oldest first, at most `capacity`; returns how many there are in all, never more than
 * JOURNAL_LIMIT. When the history is full, the boxes of its older half are merged in pairs of neighbours in time: they
 * grow, but together still cover every change since any version. */
#define JOURNAL_LIMIT 1024

int Store_Changes(const Store *store, uint64_t since, CellBox *boxes, int capacity);

/* ---- brushes (brush.c, brush_fill.c, fringe.c, water_fill.c) ----------------------------------------------------- */

typedef enum BrushShape { BRUSH_BALL, BRUSH_BOX, BRUSH_CYLINDER, BRUSH_WEDGE } BrushShape;
typedef enum EditMode { EDIT_SET, EDIT_ADD, EDIT_REMOVE, EDIT_PAINT } EditMode;

/* A shape in cell units. half: half extents for box and wedge; cylinder: half.x radius, half.y half of the height along
 * the local Y axis; ball: half.x radius. A wedge is the box's lower half cut by the plane from its (-y,-z) edge to its
 * (+y,+z) edge: full height at +z, none at -z. rotation: local to world, rows by columns, orthonormal, double. */
typedef struct Brush {
	BrushShape shape;
	double center[3];
	double half[3];
	double rotation[3][3];
	bool rotated; /* false: rotation is the identity, and faces on grid planes are written hard */
} Brush;

/* Signed distance in cells from the brush's surface at a point, positive inside; the least over the shape's faces, so a
 * max-norm outside edges. Round shapes carry their curvature compensation (r + 1/(3r), r + 1/(6r) for r >= 1.5). */
double Brush_Distance(const Brush *brush, double x, double y, double z);
CellBox Brush_Bounds(const Brush *brush); /* cells it can touch, grown by the writer's reach */

/* Fills. Occupancy is 0.5 + d/2 of the distance, so that planes of any slope come out exact. EDIT_SET unites (the
 * greater v; the brush's material where it covers the cell's centre or its v is not below the cell's), EDIT_ADD does
 * too but keeps the material of what is solid, EDIT_REMOVE takes min(v, 255 - brush), EDIT_PAINT changes the material
 * of solid cells at least half covered. material = MATERIAL_AIR digs in every mode but paint.
 * - Faces square to the axes (unrotated brushes) that lie on grid planes, to 1e-6, are hard: full or nothing by the
 *   cell's centre. So are materials of blockiness 1 altogether; digging takes their cells whole or leaves them.
 * - Filling widens extents of box, cylinder and wedge that are under 1.5 cells to 1.5, since thinner plates leak; not
 *   those of an unrotated brush with both ends on grid planes. Digging, painting and water are never widened.
 * - Afterwards, within the brush's bounds grown by one, cells are dropped that can never be seen (v < 128, neither a
 * local maximum nor beside an inside cell), if the fill changed them or took away what they were seen by; digging also
 * drops local maxima under 128 that were none before.
 * - MATERIAL_WATER raises the water of every cell that is not full of solid to the share that the brush covers: exact
 * for boxes and upright cylinders (level fills; the round side by 0.5 + d), 0.5 + d for others. With EDIT_REMOVE it
 * drains: max(0, w - share), so a shape takes out what it put in. In the cell where a box or cylinder begins, what
 * stands below its bottom stays (the cell below has water, or is ground and the cell above is dry): a level drained
 * from b on is b. Fills must lie within the limits; digging, painting and draining may reach beyond.
 * - Where a hard face meets a soft surface (or a steep step of any other origin) the byte outside is not the greater
 * of both but the one with which the surface crosses where the further of the two does: 255 against 57 would lie
 * beyond both. So fills of planes one after another leave the last, the union or the difference; a soft
 * surface that comes after a hard one errs by 1/256 cell at most, one that was there before, of which only bytes are
 * known, by 1/128. What that takes and gives of one material is told as the difference.
 * - Rotations by quarter turns, to 1e-6, are exact: such a box is an unrotated one, and its faces can be hard. */
int Store_Fill(Store *store, const MaterialTable *table, const Brush *brush, uint8_t material, EditMode mode,
               Tally *tally, Error *error);

/* ---- reshaping (smooth_grow.c, smooth_field.c) ---------------------------------------------------------------- */

/* Both work on the surface's distance within a ball (cells), in full within two thirds of its radius, fading to nothing
 * at it, and leave alone what is more than a few cells from the surface; water levels stay. What becomes solid takes
 * the material of the deepest neighbour. Materials of blockiness 1 stay in whole cells. Cells that can never be seen
 * go, as after digging. center within CELL_LIMIT, radius up to RESHAPE_RADIUS. */
#define RESHAPE_RADIUS 128
#define GROW_LIMIT 16

/* Moves the surface towards its average: distances are averaged four times over 27 cells (1,2,1 along each axis),
 * taken with the part `strength` (0..1). A plane stays, at any slope; bumps, edges and pits go with repeated use; walls
 * and gaps of three cells keep their place to 1/20, of four to 1/50 (three uses); what is thinner than about two may
 * vanish. */
int Store_Smooth(Store *store, const MaterialTable *table, const double center[3], double radius, double strength,
                 Tally *tally, Error *error);
/* Moves the surface outwards by `strength` cells (negative: inwards), at most GROW_LIMIT. material: of what was outside
 * and becomes solid; -1: the neighbours'. */
int Store_Grow(Store *store, const MaterialTable *table, const double center[3], double radius, double strength,
               int material, Tally *tally, Error *error);

/* Takes a ball out of the ground whose radius (cells, up to DIG_RADIUS; 0 and less: nothing) differs by material. The
 * occupancies are those of a round brush; cells that can never be seen go, water stays. center within CELL_LIMIT. */
#define DIG_RADIUS 4096
int Store_Dig(Store *store, const MaterialTable *table, const double center[3], const double radius[MATERIAL_LIMIT],
              Tally *tally, Error *error);

/* Ground under a grid of heights. heights[i + width*k] is the ground's height, in cells, above the grid point
 * (x0 + i*spacing, z0 + k*spacing) in cells (x0 may lie anywhere). Between samples bilinear, read at the cells'
 * centres. Covered are the cells from the one that holds the first sample to the one that holds the last (x = floor(x0)
 * to floor(x0 + (width-1)*spacing)), so one sample a cell gives every sample its cell, and exactly its height when x0
 * ends in .5; beyond the outermost samples, by less than a cell, the ground goes on level. NaN is a void: columns that
 * would need it stay as they are and are counted. Cells from `bottom` (a hard face) up to the ground get layers: layer
 * j's material down to layer_depth[j] cells under the surface, the last layer to the bottom. d = (ground - y) * n_y
 * with n_y from central differences of the columns, so slopes are exact. The material of a column may instead come from
 * `sample_material` (a byte a sample, the nearest; NULL if not wanted; layers then unused). Modes, blockiness and
 * clean-up as in Store_Fill; EDIT_REMOVE digs out what lies under the surface and needs no layers. */
typedef struct HeightFill {
	const double *heights;
	const uint8_t *sample_material;
	int width, depth;
	double x0, z0, spacing;
	int32_t bottom;
	int layer_count;
	uint8_t layer_material[8];
	double layer_depth[8];
} HeightFill;

int Store_FillHeights(Store *store, const MaterialTable *table, const HeightFill *fill, EditMode mode, Tally *tally,
                      int64_t *void_columns, Error *error);

/* ---- undo (undo.c) ------------------------------------------------------------------------------------------- */

/* From the first Store_BeginUndo on, every edit is kept, compressed, in the group that was begun last: the chunks that
 * it changes, as they were before the group. What is edited after an undo or a redo without a new group begins one
 * without a name. A new edit drops what could be redone. Groups that changed nothing do not count. When all groups
 * together pass the budget, the oldest go; a group that passes it alone is lost with all before it, and nothing is kept
 * until the next one begins. */
#define UNDO_BUDGET ((size_t)256 << 20) /* bytes, unless set otherwise */
#define UNDO_NAME_SIZE 64

typedef struct UndoStats {
	int undos, redos; /* groups that can be undone and redone */
	size_t bytes;     /* of both, compressed */
	size_t budget;
	int64_t dropped; /* groups lost to the budget so far */
} UndoStats;

/* name (may be NULL): shorter than UNDO_NAME_SIZE. */
int Store_BeginUndo(Store *store, const char *name, Error *error);
/* Puts the cells back as they were before the last group (undo), or as they were before the last undo (redo), bit for
 * bit, as one edit. 1: done, and name has the group's ("" without); 0: there is none. ERROR_MEMORY: nothing changed. */
int Store_Undo(Store *store, char name[UNDO_NAME_SIZE], Error *error);
int Store_Redo(Store *store, char name[UNDO_NAME_SIZE], Error *error);
void Store_SetUndoBudget(Store *store, size_t bytes); /* may drop groups at once */
void Store_ForgetUndo(Store *store);                  /* drops all groups and stops keeping */
UndoStats Store_UndoStats(const Store *store);

/* ---- marks (mark.c) -------------------------------------------------------------------------------------------- */

/* States that can be gone back to, in any order: for snapshots of a world. From the first mark on, chunks that change
 * are kept as they were. When they pass the budget (or there are MARK_LIMIT marks), the oldest marks go. */
#define MARK_LIMIT 1024
#define MARK_BUDGET ((size_t)256 << 20) /* bytes, unless set otherwise */

typedef struct MarkStats {
	int marks;
	size_t bytes, budget;
} MarkStats;

/* Marks the present. *id names it by what the store held at the first mark and what has changed from mark to mark: the
 * same edits from the same cells give the same names. Without a change since the last mark it is that one again. */
int Store_Mark(Store *store, uint64_t *id, Error *error);
/* Makes the cells what they were at the mark, as one edit, bit for bit. What was undoable is forgotten if that changes
 * anything. ERROR_FILE: there is no such mark (any more); nothing changes on failure. */
int Store_GoToMark(Store *store, uint64_t id, Error *error);
void Store_SetMarkBudget(Store *store, size_t bytes); /* may drop marks at once */
void Store_ForgetMarks(Store *store);                 /* drops all and stops keeping */
MarkStats Store_MarkStats(const Store *store);

/* ---- saved files (save.c, load.c) ---------------------------------------------------------------------------- */

/* All numbers are little-endian.
 *
 *   header  8 bytes "\x89SCREE\r\n", u32 version (1), u32 0, u64 XXH3 of those 16 bytes
 *   block   4 bytes tag, u32 size, u64 XXH3 of (u32 number of the block from 0, tag, size, payload), payload
 *   ...     until the block "END ", which is empty and the last thing in the file
 *
 * Blocks of a kind that a reader does not know are an error, unless the tag's first letter is small. Terrain is:
 *
 *   INFO  f64 metres a cell
 *   MATS  u16 count, then for each material: u8 length, name, f32 density friction restitution rolling hardness
 *         blockiness, u32 colour. The first two are air and water.
 *   CELL  a pack of up to 256 chunks, see rle_internal.h; chunks go by (y, z, x) over the whole file
 *   CSUM  u32 chunks, u64 solid cells, after the last CELL
 */
#define SAVE_VERSION 1
#define SAVE_BLOCK_LIMIT ((size_t)16 << 20)
#define SAVE_STORE_LIMIT ((size_t)4 << 30) /* bytes of cells in memory */
#define SAVE_LEVEL 6                       /* of zstd, 1..19, unless asked otherwise */

typedef int SaveWriteFn(void *context, const void *data, size_t size, Error *error); /* ErrorCode */

/* Writes header and blocks wherever `write` puts them. */
typedef struct SaveWriter {
	Memory *memory;
	SaveWriteFn *write;
	void *context;
	uint32_t blocks;
} SaveWriter;

int Save_Begin(SaveWriter *save, Memory *memory, SaveWriteFn *write, void *context, Error *error);
int Save_Block(SaveWriter *save, const char *tag, const void *data, size_t size, Error *error);
int Save_End(SaveWriter *save, Error *error);
/* The terrain's blocks. A progress bar when it takes long. */
int Store_SaveBlocks(const Store *store, const MaterialTable *table, double cell_size, int level, SaveWriter *save,
                     Error *error);
/* A whole file of terrain; the old file is intact unless everything went well. */
int Store_Save(const Store *store, const MaterialTable *table, double cell_size, int level, const char *path,
               Error *error);

/* Fills data; *got is less than size only at the end. */
typedef int LoadReadFn(void *context, void *data, size_t size, size_t *got, Error *error); /* ErrorCode */

typedef struct LoadReader {
	Memory *memory;
	LoadReadFn *read;
	void *context;
	uint32_t blocks;
	uint8_t *block;
	size_t capacity;
	char tag[5]; /* of the current block */
	size_t size; /* of its payload, which is in `block` */
} LoadReader;

/* Errors say what is wrong, ERROR_FILE when it is the data. */
int Load_Begin(LoadReader *load, Memory *memory, LoadReadFn *read, void *context, Error *error);
/* The next block, checked. After "END " (returned too) there is nothing more; that is checked as well. */
int Load_Next(LoadReader *load, Error *error);
bool Load_IsTag(const LoadReader *load, const char *tag);
int Load_Unknown(const LoadReader *load, Error *error); /* of a block that nobody wants: an error unless optional */
void Load_End(LoadReader *load);

typedef struct TerrainLoadInfo {
	double cell_size; /* as saved */
	int64_t cells;    /* not air */
	int chunks;
	int materials_added, materials_changed;
} TerrainLoadInfo;

/* Terrain on its way in: everything is staged beside the store's contents until Commit. The store must not be edited
 * meanwhile. */
typedef struct TerrainLoad TerrainLoad;

/* Materials are matched by name. Those that the table lacks are added; where the table has one of the name, the file's
 * properties win, or with keep_materials the table's. If not all have room, only those that cells are made of are
 * added.
 */
TerrainLoad *TerrainLoad_Begin(Store *store, const MaterialTable *table, bool keep_materials); /* NULL: no memory */
/* 1: the block was one of terrain; 0: it is not; ErrorCode. */
int TerrainLoad_Block(TerrainLoad *load, const LoadReader *reader, Error *error);
int TerrainLoad_Complete(TerrainLoad *load, Error *error);       /* after the last block: is all there? */
const MaterialTable *TerrainLoad_Table(const TerrainLoad *load); /* what the table is to become */
const TerrainLoadInfo *TerrainLoad_Info(const TerrainLoad *load);
/* Swaps in cells and materials, as one edit. On ERROR_MEMORY nothing was changed. Both end the load. */
int TerrainLoad_Commit(TerrainLoad *load, MaterialTable *table, Tally *tally, Error *error);
void TerrainLoad_Abort(TerrainLoad *load);
/* Reads a whole file of terrain into *load, for Commit or Abort. */
int Store_Load(Store *store, const MaterialTable *table, bool keep_materials, const char *path, TerrainLoad **load,
               Error *error);
/* ---- meshes (voxelise*.c) ---------------------------------------------------------------------------------------- */

/* What counts as inside a mesh.
 * MESH_WINDING: where the winding number is not 0, for meshes whose every edge is used as often in one direction as in
 * the other; parts may overlap, and may look inwards. MESH_PARITY: where a line to it crosses the mesh an odd number of
 * times, for meshes whose every edge is used an even number of times. MESH_VOTE: for open meshes, where four of the six
 * lines along the axes say so by their winding numbers (after Nooruddin and Turk, "Simplification and repair of
 * polygonal models using volumetric techniques", 2003): small holes are closed, sheets are not filled. MESH_SHELL: what
 * is within half the thickness of a triangle. */
typedef enum MeshRule { MESH_WINDING, MESH_PARITY, MESH_VOTE, MESH_SHELL } MeshRule;

typedef struct MeshFill {
	const double *positions; /* 3 a vertex, in cells */
	const uint32_t *indices; /* 3 a triangle, counter-clockwise from outside */
	int64_t vertex_count, triangle_count;
	MeshRule rule;
	double thickness;         /* of a shell, cells; at least 1.5, as of all plates */
	const uint8_t *materials; /* 1 a triangle: solid materials of the table; NULL: all are what the call says */
} MeshFill;

/* Fills the mesh as brushes are filled: occupancy 0.5 + d/2 of the exact distance d to the nearest triangle, except
 * that triangles which lie flat on a grid plane are hard; modes, materials, water, fringes and clean-up as in
 * Store_Fill. What the surface loses where it is curved, 0.157 (k1 + k2) cells, is given back up to k1 + k2 = 0.5 (a
 * ball of 4 cells), and partly beyond; edges stick out by less than 0.08 for it. With materials of their own, the
 * triangle that is nearest to a cell's centre says what the cell is made of, the first of several; not for digging and
 * water. ERROR_LIMIT when the mesh spans more than 2^18 cells or reaches beyond CELL_LIMIT, and for sizes that would
 * take too long or too much memory. Shows a progress bar when long. */
int Store_FillMesh(Store *store, const MaterialTable *table, const MeshFill *fill, uint8_t material, EditMode mode,
                   Tally *tally, Error *error);

/* ---- importers (import_vox*.c, import_height.c) --------------------------------------------------------------- */

/* Readers work on memory, so that a test can feed them anything. Every count and product is checked against the size
 * of the data and a cap; a damaged file is ERROR_FILE with what and where. The image or model need not be initialised;
 * after a failure it is empty, so freeing it does no harm. */

/* Height samples of a file. */
typedef struct HeightImage {
	int width, depth;  /* row 0 first as in the file (north edge for .hgt) */
	double *samples;   /* width*depth; raw values (16-bit PNG 0..65535, .hgt metres); NaN where void */
	double min, max;   /* of the non-void samples; 0 when all are void */
	double full_scale; /* full range of the format: 65535 (16 bits), 255 (8-bit PNG), 0 for metres (.hgt, signed raw) */
	int64_t voids;
	size_t bytes; /* of samples */
} HeightImage;

#define IMPORT_SIZE_LIMIT ((size_t)1 << 30)

/* Grey-scale of 1 to 16 bits, interlaced or not; fewer than 8 bits are stretched to 0..255. Alpha 0, or the grey value
 * that tRNS makes transparent, is a void. Colour and palette images are refused. */
int HeightImage_ReadPng(Memory *memory, const void *data, size_t size, HeightImage *image, Error *error);
int HeightImage_ReadHgt(Memory *memory, const void *data, size_t size, HeightImage *image, Error *error);
/* Raw 16-bit squares: little_endian, is_signed as the caller says; void = -32768 when signed. */
int HeightImage_ReadRaw16(Memory *memory, const void *data, size_t size, bool little_endian, bool is_signed,
                          HeightImage *image, Error *error);
void HeightImage_Free(Memory *memory, HeightImage *image);

/* MagicaVoxel. Cells in the file's axes (z up) by the rule of the corpus: floor(R*(p + 0.5 - floor(size/2)) + t)
 * through the node tree, first frame; without a scene graph raw coordinates (of all models, or of the first when PACK
 * says that they are frames of an animation). */
typedef struct VoxCell {
	int32_t x, y, z;
	uint8_t color; /* palette index 1..255 */
} VoxCell;

typedef struct VoxModel {
	VoxCell *cells; /* distinct cells, sorted by (z,y,x); where instances overlap the later one in the tree wins */
	int64_t count;
	int64_t capacity;              /* of the block, for Memory_Free */
	uint32_t palette[256];         /* 0xRRGGBB by colour index (index 0 unused) */
	int models, instances, hidden; /* instances: all; hidden: of them, skipped (or shown when asked for) */
	int64_t dropped;               /* voxels outside their SIZE or of colour 0 (empty), skipped */
	int64_t overlaps;              /* voxels that fell on a cell that had one */
	VoxCell lo, hi;                /* bounds */
} VoxModel;

int VoxModel_Read(Memory *memory, const void *data, size_t size, bool with_hidden, VoxModel *model, Error *error);
void VoxModel_Free(Memory *memory, VoxModel *model);
/* Writes the cells as exact cubes (v 255): file (x,y,z) becomes world cell at + (x, z, -1-y) (right-handed, y up). Each
 * used palette colour becomes a material named vox_rrggbb of blockiness 1 (or is the one of that name that the table
 * has) unless materials[color] >= 0 names one (materials may be NULL): air clears the cells, water makes them water.
 * One edit: on any error neither store nor table is changed. When the table runs out of room, the colours of
 * fewest cells take the nearest vox_ material and are counted in *merged (may be NULL). ERROR_LIMIT when there is no
 * room for any, the cells reach beyond CELL_LIMIT, or the bounds span more than EDIT_CHUNK_LIMIT chunks. */
int Store_PlaceVox(Store *store, MaterialTable *table, const VoxModel *model, Cell at, const int16_t materials[256],
                   Tally *tally, int *merged, Error *error);

/* Schematics of block games (import_schem.c, import_mts.c, place_blocks.c). */

#define BLOCK_NAME_SIZE 128
#define BLOCK_NONE UINT16_MAX

typedef struct BlockName {
	char text[BLOCK_NAME_SIZE]; /* as in the file: "minecraft:oak_log[axis=y]", "default:tree"; "id:5" for a number */
	int64_t count;              /* of cells */
} BlockName;

typedef struct BlockModel {
	int nx, ny, nz;
	uint16_t *cells; /* index into names; BLOCK_NONE: not to be placed. Index x + nx * (z + nz * y), y up */
	size_t bytes;    /* of cells */
	ARRAY(BlockName) names;
	int64_t skipped; /* cells that the file says are not to be placed */
} BlockModel;

/* Sponge schematics, versions 1 to 3 (.schem), and those of MCEdit (.schematic, numbers instead of names): NBT, packed
 * by gzip, zlib or not at all. Entities are passed over. */
int BlockModel_ReadSchem(Memory *memory, const void *data, size_t size, BlockModel *model, Error *error);
/* Schematics of Luanti (Minetest), versions 3 and 4. Nodes, and slices, of probability 0 are not to be placed; other
 * probabilities count as certain. */
int BlockModel_ReadMts(Memory *memory, const void *data, size_t size, BlockModel *model, Error *error);
void BlockModel_Free(Memory *memory, BlockModel *model);

/* What a block is to the ground: a name of the table, "air" or "water", or NULL for what is not known. The name is
 * looked at without its namespace and state. */
const char *Block_Material(const char *block);
/* How much of its cell the block fills, in eighths, as its name and state say: slabs 4, stairs 6 (inner corners 7,
 * outer ones 5), layers of snow; 8: all others. And does it stand in water? */
int Block_Eighths(const char *block);
bool Block_IsWet(const char *block);
/* The name without namespace and state, of a number what the game called it; not ended by a zero. */
const char *Block_Base(const char *block, size_t *length);

typedef struct BlockReport {
	int64_t cells, air, water; /* made solid; air in the file; made water */
	int64_t unknown;           /* of the solid: cells of blocks that became a material of their own */
	int merged;                /* blocks that found no room in the table and became rock */
	CellBox box;               /* of the whole schematic */
} BlockReport;

/* Writes the model's cells with its first cell at `at`: full, but for parts of blocks (Block_Eighths) of materials that
 * are not of blockiness 1. materials[i] says what name i becomes (NULL or -1: what
 * Block_Material says, else a material of its own, named after the block, of blockiness 1). The file's air leaves what
 * is there unless `clear`; a name that `materials` makes air clears. One edit: on any error neither store nor table is
 * changed. */
int Store_PlaceBlocks(Store *store, MaterialTable *table, const BlockModel *model, Cell at, const int16_t *materials,
                      bool clear, Tally *tally, BlockReport *report, Error *error);

/* ---- exporters (export_vox.c) ------------------------------------------------------------------------------------ */

/* MagicaVoxel: a model for each 256^3 cells, from the first that holds anything on, placed by a scene graph so that
 * VoxModel_Read gives world cell (x, y, z) as file cell (x, -1 - z, y). Written are the cells that the surface treats
 * as inside; each material has a colour index of its own, rising from 1 in the table's order. Water is not written.
 * ERROR_ARGUMENT when there is no such cell, ERROR_LIMIT when there are more than the reader takes. Writes a temporary
 * and renames it. *bytes receives the size of the file, *cells and *models what it holds. */
int Store_WriteVox(const Store *store, const MaterialTable *table, Memory *memory, CellBox box, const char *path,
                   uint64_t *bytes, int64_t *cells, int *models, Error *error);

#endif
