/* What the files of this room share: the records of the bit broadphase, the colliders and their cache.
 *
 * Three grids lie over each other, all in cells: a block is 8^3 cells, a group 4^3 blocks. The surface lives on the
 * dual grid: dual cube c spans from the centre of cell c to that of cell c + 1. "G space" is cells - 0.5, where cube c
 * is [c, c+1), so block b has the cubes 8b..8b+7 and the same index there as among the cells.
 */
#ifndef SCREE_TERRAIN_INTERNAL_H
#define SCREE_TERRAIN_INTERNAL_H

#include "terrain/surface_internal.h"
#include "terrain/terrain.h"

#define GROUP_BITS 2  /* a group is 4^3 blocks */
#define RECORD_HALO 2 /* a record sees one cell around its block, and the local-maximum rule one more */

static inline CellBox CellsOfBlocks(Cell lo, Cell hi)
{
	int last = BLOCK_SIZE - 1;
	return (CellBox){{lo.x * BLOCK_SIZE, lo.y * BLOCK_SIZE, lo.z * BLOCK_SIZE},
	                 {hi.x * BLOCK_SIZE + last, hi.y * BLOCK_SIZE + last, hi.z * BLOCK_SIZE + last}};
}
static inline CellBox BlocksOfCells(CellBox cells)
{
	return (CellBox){{cells.lo.x >> BLOCK_BITS, cells.lo.y >> BLOCK_BITS, cells.lo.z >> BLOCK_BITS},
	                 {cells.hi.x >> BLOCK_BITS, cells.hi.y >> BLOCK_BITS, cells.hi.z >> BLOCK_BITS}};
}
static inline bool CellBoxHolds(CellBox box, Cell at)
{
	return CellBoxOverlap(box, (CellBox){at, at});
}

/* ---- records (record.c) -------------------------------------------------------------------------------------- */

/* Words of bits: word = y, bit = z*8 + x. What rays need stands first. */
typedef struct Record {
	struct Collider *collider; /* NULL: not built */
	uint64_t used;             /* the terrain's epoch when the collider was last asked for */
	int32_t slot;              /* of the collider in the cache, or -1 */
	Cell block;
	uint8_t mixed_lo[3], mixed_hi[3]; /* box around the mixed cubes; lo > hi when there are none */
	uint16_t quads;                   /* owned by the block: known from bits, without meshing */
	uint8_t tag;                      /* BlockTag */
	uint8_t live;                     /* 0: the place is free */
	uint64_t mixed[BLOCK_SIZE];       /* dual cubes whose eight cells are not all inside or all outside */
	uint64_t solid[BLOCK_SIZE];       /* cells within one cell of an inside cell */
	uint64_t water[BLOCK_SIZE];       /* cells within one cell of water */
} Record;

#define GROUP_BLOCKS 64

/* 4^3 blocks; bit and index = (y&3)*16 + (z&3)*4 + (x&3). Rays ask these words before they look at a record. */
typedef struct Group {
	uint64_t any;                 /* a record exists */
	uint64_t mixed;               /* ... with mixed cubes */
	uint64_t water;               /* ... with water bits */
	Cell at;                      /* block >> GROUP_BITS */
	int32_t record[GROUP_BLOCKS]; /* index, or -1 */
} Group;

static inline int Group_Index(Cell block)
{
	return (block.y & 3) * 16 + (block.z & 3) * 4 + (block.x & 3);
}
static inline uint64_t Group_Bit(Cell block)
{
	return (uint64_t)1 << Group_Index(block);
}

static inline bool Words_Any(const uint64_t words[BLOCK_SIZE])
{
	uint64_t any = 0;
	for (int y = 0; y < BLOCK_SIZE; y++)
		any |= words[y];
	return any != 0;
}

/* Makes the record of a block from the store. False when the block needs none (air as far as it can see). */
bool Record_Make(const Terrain *terrain, Cell block, Record *record);
bool Record_Put(Terrain *terrain, const Record *fresh); /* adds or replaces; keeps the collider; false: no memory */
void Record_Remove(Terrain *terrain, int index);        /* its collider must be gone */

/* ---- the store seen from a block (record.c) ------------------------------------------------------------------ */

/* Fills the field (cells -4..11 of the block; value = occupancy, air 0; water ignored). False when it is all air. */
bool Terrain_GatherField(const Terrain *terrain, Cell block, SurfaceField *field);
/* Is the cell inside, after the local-maximum rule? Its centre then lies under the surface. */
bool Terrain_CellInside(const Terrain *terrain, Cell cell);

/* ---- lists of blocks (broadphase.c) -------------------------------------------------------------------------- */

typedef struct CellList {
	ARRAY(Cell) items;
} CellList;

/* Appends the blocks that own quads (whose cells meet `cells`, if given), sorted by y, z, x. Wants a synced terrain.
 * False: out of memory. */
bool Terrain_SurfaceBlocks(const Terrain *terrain, const CellBox *cells, Memory *memory, CellList *out);
int Cell_Order(const void *a, const void *b); /* for qsort: y, then z, then x */

/* ---- colliders (collider.c) ---------------------------------------------------------------------------------- */

/* One block's quads and their tree, one allocation: this head, then KdNode node[nodes], u16 position[vertices][3],
 * corner[quads][4] (u8, or u16 when wide), u8 material[quads]. Quads stand in the tree's order. Positions are those of
 * surface_internal.h. The lattice edge of a quad is not stored: its corners' cubes name it (Quad_Name). */
typedef struct Collider {
	uint32_t bytes;
	uint16_t vertex_count, quad_count, node_count;
	uint16_t wide;
	KdQuadBox bounds;
} Collider;

/* The positions of a quad's four corners, in the collider. */
typedef const uint16_t *QuadCorners[4];

/* Which lattice edge a quad belongs to: from cell p of the block along axis; low_inside: p is the solid cell, else p +
 * axis is. */
typedef struct QuadName {
	int8_t p[3];
	int8_t axis;
	bool low_inside;
} QuadName;

static inline const KdNode *Collider_Nodes(const Collider *collider)
{
	return (const KdNode *)(collider + 1);
}
static inline const uint16_t *Collider_Positions(const Collider *collider)
{
	return (const uint16_t *)(Collider_Nodes(collider) + collider->node_count);
}
static inline const uint8_t *Collider_Corners(const Collider *collider)
{
	return (const uint8_t *)(Collider_Positions(collider) + 3 * collider->vertex_count);
}
static inline const uint8_t *Collider_Materials(const Collider *collider)
{
	return Collider_Corners(collider) + (collider->wide ? 8 : 4) * collider->quad_count;
}
static inline void Collider_Quad(const Collider *collider, int quad, QuadCorners out)
{
	const uint16_t *positions = Collider_Positions(collider);
	const uint8_t *corners = Collider_Corners(collider);
	if (collider->wide) {
		uint16_t index[4];
		memcpy(index, corners + 8 * quad, sizeof index);
		for (int i = 0; i < 4; i++)
			out[i] = positions + 3 * index[i];
	} else {
		for (int i = 0; i < 4; i++)
			out[i] = positions + 3 * corners[4 * quad + i];
	}
}

QuadName Quad_Name(const QuadCorners corners);
Cell Quad_Cell(Cell block, QuadName name); /* the solid cell */

/* Working space of one thread for meshing and tree building. */
typedef struct ColliderScratch {
	SurfaceField field;
	SurfaceMesh mesh;
	KdQuadBox boxes[KD_QUAD_LIMIT];
	KdNode nodes[2 * KD_QUAD_LIMIT];
	uint16_t order[KD_QUAD_LIMIT];
	uint16_t kinds[SURFACE_QUAD_LIMIT];
	uint16_t place[SURFACE_QUAD_LIMIT]; /* by lattice edge: the mesher's number of its quad */
} ColliderScratch;

void Collider_Mesh(const Terrain *terrain, Cell block, ColliderScratch *scratch);
/* Both from the block's mesh in the scratch. NULL: out of memory. */
Collider *Collider_Make(const Terrain *terrain, ColliderScratch *scratch);
uint16_t *Collider_MakeKinds(const Terrain *terrain, const Collider *collider, ColliderScratch *scratch);
static inline size_t Collider_KindsBytes(const Collider *collider)
{
	return collider->quad_count * sizeof(uint16_t);
}

/* Terrain_Triangles on one collider. kinds may be NULL: every edge counts as convex. */
bool Collider_Triangles(const Terrain *terrain, Cell block, const Collider *collider, const uint16_t *kinds,
                        WorldBox box, Pos origin, Memory *memory, TriangleList *out);

/* ---- the cache (cache.c) ------------------------------------------------------------------------------------- */

typedef struct ColliderSlot {
	uint16_t *kinds;      /* edge kinds, a word a quad in the collider's order (Surface_EdgeKinds); NULL: not made */
	int32_t record;       /* -1: free */
	int32_t older, newer; /* list by use; free slots are chained by `older` */
	bool listed;          /* among those that Terrain_Build works on */
	bool counted;         /* in the terrain's statistics */
} ColliderSlot;

/* The collider of a record that owns quads, built when it is not there, marked as used. NULL: out of memory. */
const Collider *Cache_Need(Terrain *terrain, int record);
void Cache_Drop(Terrain *terrain, int slot);
void Cache_DropKinds(Terrain *terrain, int slot);
void Cache_Free(Terrain *terrain); /* at the end of the terrain */

/* ---- the whole (terrain.c) ----------------------------------------------------------------------------------- */

struct Terrain {
	Memory *memory;
	const Store *store;
	const MaterialTable *materials;
	double cell_size, cells_per_metre;
	Narrowphase narrowphase;
	bool simd; /* the fast forms may run */

	uint64_t version;                    /* of the store, as of the last Terrain_Sync */
	uint32_t material_version;           /* of the table, likewise */
	uint16_t blockiness[MATERIAL_LIMIT]; /* 0..256 */

	ARRAY(Record) records; /* with holes, see Record.live */
	ARRAY(int32_t) free_records;
	int record_count;
	ARRAY(Group) groups; /* dense, order without meaning */
	CoordMap group_at;
	Cell lo, hi; /* blocks with records lie within; lo > hi when there are none */
	ARRAY(WorldBox) changed;

	ARRAY(ColliderSlot) slots;
	int32_t free_slot, oldest, newest; /* -1: none */
	ARRAY(int32_t) pending;            /* slots being built */
	ARRAY(ColliderScratch *) scratch;  /* one a worker, made when first needed */
	uint64_t epoch;                    /* +1 with every Terrain_Trim */
	int colliders;
	int64_t triangles; /* of the colliders */
	size_t mesh_bytes, index_bytes;
	int64_t built, evicted;
};

/* Group coordinates. NULL: there is none. */
static inline const Group *Group_Find(const Terrain *terrain, int32_t x, int32_t y, int32_t z)
{
	int i = CoordMap_Find(&terrain->group_at, x, y, z);
	return i < 0 ? NULL : &terrain->groups.data[i];
}

/* Index of the block's record, or -1. */
static inline int Record_Find(const Terrain *terrain, Cell block)
{
	const Group *group = Group_Find(terrain, block.x >> GROUP_BITS, block.y >> GROUP_BITS, block.z >> GROUP_BITS);
	return group ? group->record[Group_Index(block)] : -1;
}

/* 0..256 a material, as the mesher wants it. */
void Terrain_Blockiness(const MaterialTable *materials, uint16_t blockiness[MATERIAL_LIMIT]);

#endif
