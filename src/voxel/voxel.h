/* voxel: what the ground is made of. Materials, the sparse store, regions, brushes, the journal, importers.
 *
 * Owns: every cell of a world. Uses: base, math. Called by: terrain (reads), world and api (read and write).
 *
 * A cell has three bytes. material 0 is air. occupancy v of a solid cell means (v+1)/256 of matter, so a solid cell is
 * never empty; air stores 0. water w means w/255 of the cell; a cell with v = 255 holds no water. The material "water"
 * of the table never stands in the material channel: water has its own. The surface treats a cell as inside when v >=
 * 128.
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

/* A dense block of cells. Index of (x,y,z) counted from the block's corner: x + nx * (z + nz * y). Caller-owned buffers
 * of nx*ny*nz bytes; a NULL channel is not read or written. */
typedef struct Region {
	int nx, ny, nz;
	uint8_t *channel[CHANNEL_COUNT];
} Region;

/* What an edit took and gave, per material, in 1/256 of a cell of matter (v+1 of a solid cell); water in 1/255. A cell
 * that keeps its material counts only by the difference. Edits add to what the caller's Tally holds, and only when they
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
void Store_Read(const Store *store, CellBox box, Region *into);
/* True when every cell of the box is air without water (fast: by chunks and row headers). */
bool Store_IsEmpty(const Store *store, CellBox box);

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

/* Counts cells (not matter) per material in the box; index MATERIAL_AIR counts air cells (at most INT64_MAX). water
 * (may be NULL): cells with any water. */
void Store_Count(const Store *store, CellBox box, int64_t counts[MATERIAL_LIMIT], int64_t *water);
/* Sums matter in 1/256 of a cell per material; sums[MATERIAL_WATER] is water in 1/255. */
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

/* ---- journal (journal.c) ------------------------------------------------------------------------------------- */

/* Every write adds {box, version}. Version counts up from 0 (an empty, untouched store). */
uint64_t Store_Version(const Store *store);
/* Boxes changed after `since`, oldest first, at most `capacity`; returns how many there are in all, never more than
 * JOURNAL_LIMIT. When the history is full, the boxes of its older half are merged in pairs of neighbours in time: they
 * grow, but together still cover every change since any version. */
#define JOURNAL_LIMIT 1024

int Store_Changes(const Store *store, uint64_t since, CellBox *boxes, int capacity);

/* ---- brushes (brush.c, brush_fill.c) ------------------------------------------------------------------------- */

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
 * for an unrotated box (level fills), 0.5 + d for others. With EDIT_REMOVE it drains: min(w, 255 - share). Fills must
 * lie within the limits; digging, painting and draining may reach beyond. */
int Store_Fill(Store *store, const MaterialTable *table, const Brush *brush, uint8_t material, EditMode mode,
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

/* ---- meshes (voxelise*.c) ------------------------------------------------------------------------------------------
 */

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
	double thickness; /* of a shell, cells; at least 1.5, as of all plates */
} MeshFill;

/* Fills the mesh as brushes are filled: occupancy 0.5 + d/2 of the exact distance d to the nearest triangle, except
 * that triangles which lie flat on a grid plane are hard; modes, materials, water and clean-up as in Store_Fill. The
 * surface of curved meshes lies 0.157 (k1 + k2) cells inside of them, as all surfaces do. ERROR_LIMIT when the mesh
 * spans more than 2^18 cells or reaches beyond CELL_LIMIT, and for sizes that would take too long or too much memory.
 * Shows a progress bar when long. */
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
/* The name without namespace and state, of a number what the game called it; not ended by a zero. */
const char *Block_Base(const char *block, size_t *length);

typedef struct BlockReport {
	int64_t cells, air, water; /* made solid; air in the file; made water */
	int64_t unknown;           /* of the solid: cells of blocks that became a material of their own */
	int merged;                /* blocks that found no room in the table and became rock */
	CellBox box;               /* of the whole schematic */
} BlockReport;

/* Writes the model's cells, full, with its first cell at `at`. materials[i] says what name i becomes (NULL or -1: what
 * Block_Material says, else a material of its own, named after the block, of blockiness 1). The file's air leaves what
 * is there unless `clear`; a name that `materials` makes air clears. One edit: on any error neither store nor table is
 * changed. */
int Store_PlaceBlocks(Store *store, MaterialTable *table, const BlockModel *model, Cell at, const int16_t *materials,
                      bool clear, Tally *tally, BlockReport *report, Error *error);

/* ---- exporters (export_vox.c) ---------------------------------------------------------------------------------------
 */

/* MagicaVoxel: a model for each 256^3 cells, from the first that holds anything on, placed by a scene graph so that
 * VoxModel_Read gives world cell (x, y, z) as file cell (x, -1 - z, y). Written are the cells that the surface treats
 * as inside; each material has a colour index of its own, rising from 1 in the table's order. Water is not written.
 * ERROR_ARGUMENT when there is no such cell, ERROR_LIMIT when there are more than the reader takes. Writes a temporary
 * and renames it. *bytes receives the size of the file, *cells and *models what it holds. */
int Store_WriteVox(const Store *store, const MaterialTable *table, Memory *memory, CellBox box, const char *path,
                   uint64_t *bytes, int64_t *cells, int *models, Error *error);

#endif
