/* terrain: the ground as collision sees it. Surface meshes of blocks, the bit broadphase, the collider cache, rays.
 *
 * Owns: records and colliders made from a store; never changes the store. Uses: voxel, spatial, math, base.
 * Called by: dynamics (contacts), world (queries), api (mesh export).
 *
 * A block is 8^3 cells. A record (always present, for every block that can touch something) says in bits which cells
 * can hold surface or water; a collider (mesh + search structure) is built when a contact or a ray first needs it.
 * Positions at this room's boundary are world metres: cell (0,0,0) spans [0, cell_size) on each axis.
 */
#ifndef SCREE_TERRAIN_H
#define SCREE_TERRAIN_H

#include "base/base.h"
#include "math/math.h"
#include "spatial/spatial.h"
#include "voxel/voxel.h"

typedef struct Terrain Terrain;

/* How a collider finds its quads: by a loose kD-tree, or by the lattice edges that they belong to. Both give the same
 * triangles in the same order, and the same hits. */
typedef enum Narrowphase { NARROWPHASE_KDTREE, NARROWPHASE_LATTICE } Narrowphase;

Terrain *Terrain_Create(Memory *memory, const Store *store, const MaterialTable *materials, double cell_size,
                        Narrowphase narrowphase);
void Terrain_Destroy(Terrain *terrain);
double Terrain_CellSize(const Terrain *terrain);

/* Brings records up to the store's version: rebuilds those whose cells a write touched and drops stale colliders. Cheap
 * when nothing changed. Every function below wants a synced terrain. ERROR_MEMORY: still behind, can be called again.
 */
int Terrain_Sync(Terrain *terrain, Error *error);

/* Boxes of the world (metres, grown to what the surface of the changed cells can reach) that became different in the
 * Terrain_Sync calls since the last Terrain_ClearChanged: what bodies must be woken by. */
int Terrain_ChangedCount(const Terrain *terrain);
WorldBox Terrain_ChangedBox(const Terrain *terrain, int i);
void Terrain_ClearChanged(Terrain *terrain);
/* The cells and materials of now are what bodies know; of what was changed before, these boxes are all that they must
 * be told: for worlds whose state was replaced. Needs no Sync. Room for so many must have been reserved. */
void Terrain_SetChanged(Terrain *terrain, const WorldBox *boxes, int count);
bool Terrain_ReserveChanged(Terrain *terrain, int count);

/* ---- bit broadphase (record.c, broadphase.c) -------------------------------------------------------------------- */

typedef enum BlockTag { BLOCK_SURFACE, BLOCK_ALL_INSIDE, BLOCK_ALL_WATER } BlockTag;

/* What the bits say of a box in one block. */
typedef struct BlockHit {
	int32_t record; /* id, valid until the next Terrain_Sync */
	Cell block;     /* block coordinates: cell = 8 * block */
	bool solid;     /* the box meets a cell that can hold surface */
	bool water;     /* ... a cell that can hold water, or its neighbour */
	bool buried;    /* the block is all inside */
	bool surface;   /* the box meets a cube that the surface passes through: only then can it touch the block's quads */
	bool boxed;     /* the box meets the one around the block's surface: what a broadphase of boxes would say */
} BlockHit;

typedef struct BlockHitList {
	ARRAY(BlockHit) items;
} BlockHitList;

/* Blocks whose bits the box meets, sorted by block (y, z, x): for a moving part pass the box around its old and new
 * place. Appends to `hits`. Huge boxes cost by existing records, not by volume. False: out of memory. */
bool Terrain_Query(const Terrain *terrain, Memory *memory, WorldBox box, BlockHitList *hits);
/* The same for contacts: with `surface` and `boxed`, also where only the box says so. */
bool Terrain_QuerySurface(const Terrain *terrain, Memory *memory, WorldBox box, BlockHitList *hits);

/* ---- colliders (collider.c, cache.c) ----------------------------------------------------------------------------- */

/* Builds what is missing of these records' colliders (with edge kinds when asked). Shares the work over the pool (may
 * be NULL). False: out of memory, what was built stays. Never drops one that was used since the last Terrain_Trim. */
bool Terrain_Build(Terrain *terrain, const int32_t *records, int count, bool edge_kinds, TaskPool *pool);
/* Evicts the least recently used colliders beyond the byte budget; called once a step by the world. */
void Terrain_Trim(Terrain *terrain, size_t budget);

/* Triangles of a built collider whose own box meets `box` (world metres), relative to `origin`. Appends in a fixed
 * order. Without edge kinds every edge counts as convex, so that nothing is filtered. Thread-safe between Syncs on
 * built colliders (edge kinds built too). False: out of memory. */
bool Terrain_Triangles(const Terrain *terrain, int32_t record, WorldBox box, Pos origin, Memory *memory,
                       TriangleList *out);
/* One call for queries: builds as needed and gathers from every block that the box meets. */
bool Terrain_Gather(Terrain *terrain, WorldBox box, Pos origin, bool edge_kinds, TriangleList *out);

/* The same triangles without their geometry: two of them a quad, which a lattice edge names. */
typedef struct TerrainQuad {
	int32_t record;  /* id, valid until the next Terrain_Sync */
	uint16_t edge;   /* within the block: axis * 512 + y * 64 + z * 8 + x */
	uint16_t halves; /* bit 0: corners 0 1 2 meet the box, bit 1: corners 0 2 3 */
} TerrainQuad;

typedef struct TerrainQuadList {
	ARRAY(TerrainQuad) items;
} TerrainQuadList;

bool Terrain_Overlap(Terrain *terrain, WorldBox box, TerrainQuadList *out);

/* ---- rays and points (ray.c, point.c) ---------------------------------------------------------------------------- */

typedef struct TerrainHit {
	double fraction; /* of from..to */
	Vec3 normal;     /* unit, of the triangle; zero when inside */
	Cell cell;       /* the solid cell of the quad; or the cell it starts in */
	uint8_t material;
	bool inside; /* the ray starts in the ground (or in water, when asked) */
	bool water;  /* the hit is the surface of water */
} TerrainHit;

typedef struct TerrainRayOptions {
	bool inside;  /* report a start inside (default); false: leave that solid unhindered and meet the next */
	bool water;   /* also report water */
	double limit; /* nothing beyond this fraction (1 by default) */
} TerrainRayOptions;

/* Nearest hit of the segment, limit included. from == to: tests the point only. Watertight: an aimed ray cannot slip
 * through the seam of two triangles or blocks. Water in a cell is a box as high as its fraction; its surface is where a
 * ray comes into it from the dry. 1: hit, 0: none, ERROR_MEMORY, ERROR_ARGUMENT for what is not finite. */
int Terrain_Ray(Terrain *terrain, Pos from, Pos to, TerrainRayOptions options, TerrainHit *hit, Error *error);
/* Many at once: met[i] receives 1 or 0 and hits[i] the hit, the same bits as Terrain_Ray would give. Rays that stand
 * beside each other in the list, start in one block and go the same way, as those of a view do, are cast together and
 * take less time. ERROR_NONE, or the error of a ray; then what met and hits hold is not to be used. */
int Terrain_Rays(Terrain *terrain, int count, const Pos *from, const Pos *to, TerrainRayOptions options,
                 TerrainHit *hits, uint8_t *met, Error *error);
/* All crossings from the front, nearest first; before them the start, when it is inside and that is asked for. Appends;
 * false: out of memory. Ends that are not finite meet nothing. */
typedef struct TerrainHitList {
	ARRAY(TerrainHit) items;
} TerrainHitList;
bool Terrain_RayAll(Terrain *terrain, Pos from, Pos to, TerrainRayOptions options, Memory *memory,
                    TerrainHitList *hits);
/* Is the point below the surface (exactly: on the inner side of the triangles)? water receives whether it is in water.
 * ERROR_MEMORY: not known. */
int Terrain_PointInside(Terrain *terrain, Pos point, bool *water);
/* Whether the cell of a point, and seven others that form a cube of 2^3 with it, are not inside the ground. */
bool Terrain_HasRoom(const Terrain *terrain, Pos point);
/* The centre of the cell nearest to a point, under `reach` metres and 128 cells, that is not inside the ground: for
 * pushing buried bodies out. roomy: only one that has room as above, which cracks and small hollows have not. False
 * when there is none. */
bool Terrain_NearestAir(const Terrain *terrain, Pos point, double reach, bool roomy, Pos *air);

/* ---- mesh (mesh.c) ----------------------------------------------------------------------------------------------- */

/* Caller frees with TerrainMesh_Free. Indexed triangles, metres; normals are per vertex, area-weighted. Vertices are
 * shared by what is one vertex of the surface and never welded by position. */
typedef struct TerrainMesh {
	int64_t vertex_count, triangle_count;
	double *positions;  /* 3 a vertex */
	double *normals;    /* 3 a vertex */
	uint32_t *indices;  /* 3 a triangle, counter-clockwise from the air */
	uint8_t *materials; /* 1 a triangle */
	size_t bytes;       /* of all four, one block */
	void *block;
} TerrainMesh;

/* The whole closed surface (box NULL), or the quads of the edges that the box's cells own. Shows a progress bar when
 * long. */
int Terrain_Mesh(Terrain *terrain, const CellBox *box, TerrainMesh *mesh, Error *error);
void TerrainMesh_Free(Memory *memory, TerrainMesh *mesh);

/* ---- cells by themselves (patch.c) ------------------------------------------------------------------------------- */

/* The surface of one block of cells that need not be in a store: working space for one at a time. */
typedef struct TerrainPatch TerrainPatch;

#define PATCH_SIZE 16   /* cells a side that are looked at: the block's 8, */
#define PATCH_HALO 4    /* and so many around it */
#define PATCH_UNIT 4096 /* positions a cell */

typedef struct PatchQuad {
	Cell inside;    /* the cell whose face it is, 0..8 from the block's corner */
	Cell air;       /* the cell on its other side, likewise */
	Cell corner[4]; /* in PATCH_UNITs from the block's corner, counter-clockwise from outside */
} PatchQuad;

/* blockiness: 0..256 a material. NULL: no memory. */
TerrainPatch *TerrainPatch_Create(Memory *memory, const uint16_t blockiness[MATERIAL_LIMIT]);
void TerrainPatch_Destroy(TerrainPatch *patch);
/* Where the cells go before Build: occupancy bytes (air 0) and materials; cell (x,y,z) of the block, each -4..11, at
 * (x+4) + 16 * ((z+4) + 16 * (y+4)). */
void TerrainPatch_Cells(TerrainPatch *patch, uint8_t **value, uint8_t **material);
int TerrainPatch_Build(TerrainPatch *patch);                           /* how many quads the block owns */
PatchQuad TerrainPatch_Quad(const TerrainPatch *patch, int i);         /* of the edges from its cells upwards */
uint16_t TerrainPatch_Inside(const TerrainPatch *patch, int y, int z); /* bit x + 1: cell (x,y,z), each -1..8 */

/* 0..256 a material, as meshes want it. */
void Terrain_Blockiness(const MaterialTable *materials, uint16_t blockiness[MATERIAL_LIMIT]);

typedef struct TerrainStats {
	int records, colliders;
	int64_t triangles;
	size_t mesh_bytes, index_bytes, record_bytes, bytes; /* bytes: everything this room holds */
	int64_t built, evicted;                              /* since creation */
} TerrainStats;
TerrainStats Terrain_Stats(const Terrain *terrain);
bool Terrain_Validate(Terrain *terrain, char *why, size_t why_size); /* records and colliders equal those made anew */

#endif
