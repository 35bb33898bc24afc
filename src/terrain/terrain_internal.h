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

#define GROUP_BITS 2 /* a group is 4^3 blocks */
#define GROUP_SIDE (1 << GROUP_BITS)
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

/* Words of bits everywhere: word = y, bit = z*8 + x.
 *
 * What is known of a block, by kind, so that each costs what it needs:
 * - some dual cube is mixed: a Record, with its solid words inside;
 * - only some cells can hold surface (the layers beside other blocks' surface): solid words in the group's array;
 * - all inside, all cells solid, all wet: a bit of the group and nothing more;
 * - water beyond that: words in the group's array.
 * Arrays stand in the order of the blocks in the group, so a count of bits finds an entry. */
typedef struct Record {
	uint64_t mixed[BLOCK_SIZE];       /* dual cubes whose eight cells are not all inside or all outside */
	struct Collider *collider;        /* NULL: not built */
	uint8_t mixed_lo[3], mixed_hi[3]; /* box around the mixed cubes */
	uint16_t quads : 15;              /* owned by the block: known from bits, without meshing */
	uint16_t listed : 1;              /* among those that Terrain_Build works on */
	uint64_t solid[BLOCK_SIZE];       /* cells within one cell of an inside cell */
} Record;

#define GROUP_BLOCKS 64

/* 4^3 blocks; bit and index = (y&3)*16 + (z&3)*4 + (x&3). Rays ask these words before they look at a record. */
typedef struct Group {
	uint64_t any;          /* something is known; 0 with a free place */
	uint64_t mixed;        /* has a Record */
	uint64_t water;        /* has water bits */
	uint64_t inside;       /* every cell -1..8 is inside: no surface, no solid bits */
	Record *records;       /* of `mixed` */
	uint64_t solid_all;    /* every cell has its solid bit (and no cube is mixed) */
	uint64_t solid_some;   /* has solid words (and no cube is mixed) */
	uint64_t water_some;   /* has water words: water bits, but not in every cell */
	uint64_t flooded;      /* every cell -1..8 is full of water */
	uint64_t (*solids)[8]; /* of `solid_some`: cells within one cell of an inside cell */
	uint64_t (*waters)[8]; /* of `water_some`: cells within one cell of water */
	Cell at;               /* block >> GROUP_BITS */
	uint8_t capacity[3];   /* of the three arrays */
} Group;

static inline int Group_Index(Cell block)
{
	return (block.y & 3) * 16 + (block.z & 3) * 4 + (block.x & 3);
}
static inline uint64_t Group_Bit(Cell block)
{
	return (uint64_t)1 << Group_Index(block);
}
static inline Cell BlockOfGroup(Cell at, int index)
{
	return (Cell){at.x * GROUP_SIDE + (index & 3), at.y * GROUP_SIDE + (index >> 4),
	              at.z * GROUP_SIDE + (index >> 2 & 3)};
}
/* Place of a block in the array that belongs to `mask`. */
static inline int Group_Place(uint64_t mask, int index)
{
	return __builtin_popcountll(mask & (((uint64_t)1 << index) - 1));
}
static inline Record *Group_Record(const Group *group, int index)
{
	return group->mixed >> index & 1 ? &group->records[Group_Place(group->mixed, index)] : NULL;
}

/* Groups by place, and a bit for each of their blocks that a ray has to look at (group_grid.c). The outermost places
 * hold none, so that a walk may leave the groups by one step. */
typedef struct GroupGrid {
	Cell lo;
	int32_t size[3];
	int32_t *at;    /* [y][z][x]: place in the terrain's groups, or -1; NULL: there is no grid */
	uint64_t *bits; /* by block, [y][z][x]: mixed or inside */
	bool complete;  /* it holds all groups */
} GroupGrid;

static inline size_t GroupGrid_Place(const GroupGrid *grid, int32_t x, int32_t y, int32_t z)
{
	return ((size_t)(y - grid->lo.y) * (size_t)grid->size[2] + (size_t)(z - grid->lo.z)) * (size_t)grid->size[0] +
	       (size_t)(x - grid->lo.x);
}
static inline size_t GroupGrid_Bytes(const GroupGrid *grid)
{
	return (size_t)grid->size[0] * (size_t)grid->size[1] * (size_t)grid->size[2] *
	       (sizeof *grid->at + sizeof *grid->bits);
}
/* Of a block that lies in the grid. */
static inline size_t GroupGrid_Bit(const GroupGrid *grid, Cell block)
{
	size_t nx = (size_t)grid->size[0] * GROUP_SIDE, nz = (size_t)grid->size[2] * GROUP_SIDE;
	size_t x = (size_t)(block.x - grid->lo.x * GROUP_SIDE), y = (size_t)(block.y - grid->lo.y * GROUP_SIDE);
	return (y * nz + (size_t)(block.z - grid->lo.z * GROUP_SIDE)) * nx + x;
}
void GroupGrid_Set(GroupGrid *grid, Cell at, int group); /* -1: none there any more */
void GroupGrid_Mark(GroupGrid *grid, Cell block, bool looked_at);
void GroupGrid_Free(GroupGrid *grid, Memory *memory);
void GroupGrid_Fit(Terrain *terrain); /* brings it about again after groups came beyond it */

extern const uint64_t WORDS_NONE[BLOCK_SIZE], WORDS_ALL[BLOCK_SIZE];

static inline const uint64_t *Group_Solid(const Group *group, int index)
{
	if (group->mixed >> index & 1)
		return group->records[Group_Place(group->mixed, index)].solid;
	if (group->solid_some >> index & 1)
		return group->solids[Group_Place(group->solid_some, index)];
	return group->solid_all >> index & 1 ? WORDS_ALL : WORDS_NONE;
}
static inline const uint64_t *Group_Water(const Group *group, int index)
{
	if (group->water_some >> index & 1)
		return group->waters[Group_Place(group->water_some, index)];
	return group->water >> index & 1 ? WORDS_ALL : WORDS_NONE;
}

static inline bool Words_Any(const uint64_t words[BLOCK_SIZE])
{
	uint64_t any = 0;
	for (int y = 0; y < BLOCK_SIZE; y++)
		any |= words[y];
	return any != 0;
}
static inline bool Words_All(const uint64_t words[BLOCK_SIZE])
{
	uint64_t all = ~(uint64_t)0;
	for (int y = 0; y < BLOCK_SIZE; y++)
		all &= words[y];
	return all == ~(uint64_t)0;
}

/* What a block's cells say, before it is stored. */
typedef struct BlockBits {
	Cell block;
	uint64_t mixed[BLOCK_SIZE], solid[BLOCK_SIZE], water[BLOCK_SIZE];
	uint8_t mixed_lo[3], mixed_hi[3]; /* lo > hi when no cube is mixed */
	uint16_t quads;
	BlockTag tag;
} BlockBits;

bool Record_BoxMixed(BlockBits *bits); /* sets the box; false: no cube is mixed */

/* Finds the bits of a block in the store. False when it needs none (air as far as it can see). */
bool Record_Make(const Terrain *terrain, Cell block, BlockBits *bits);
/* Adds or replaces; keeps the collider of a block that stays mixed, else there must be none. False: no memory. */
bool Record_Put(Terrain *terrain, const BlockBits *bits);
/* All of these blocks of a group are inside and dry, as far as they see. False: no memory. */
bool Record_PutInside(Terrain *terrain, Cell group, uint64_t blocks);
void Record_Remove(Terrain *terrain, int id);  /* its collider must be gone */
void Record_Fit(Terrain *terrain, Cell block); /* gives back the spare room of the block's group */
void Record_FreeAll(Terrain *terrain);         /* at the end of the terrain */
BlockTag Record_Tag(const Terrain *terrain, int id);

/* The same for blocks of one group: reads their cells once. (record_batch.c) */
typedef struct RecordBatch RecordBatch;

size_t RecordBatch_Bytes(void);
/* False: none of the blocks needs a record, and none may be asked for. */
bool RecordBatch_Read(RecordBatch *batch, const Terrain *terrain, CellBox blocks);
bool RecordBatch_Bits(const RecordBatch *batch, Cell block, BlockBits *bits); /* as Record_Make */

/* ---- the store seen from a block (record.c) ------------------------------------------------------------------ */

/* Fills the field (cells -4..11 of the block; value = occupancy, air 0; water ignored). */
void Terrain_GatherField(const Terrain *terrain, Cell block, SurfaceField *field);
/* Is the cell inside, after the local-maximum rule? Its centre then lies under the surface. */
bool Terrain_CellInside(const Terrain *terrain, Cell cell);

/* ---- boxes and blocks (broadphase.c) ------------------------------------------------------------------------- */

/* The cells whose blocks can have a part in what meets the box: grown by half a cell, since a quad reaches that far
 * beyond the cell that owns it, and cut to the blocks with records. False: none, or a number is none. */
bool Terrain_CellsOf(const Terrain *terrain, WorldBox box, CellBox *cells);

/* Bits x0..x1 of every row of a slice, and all bits of its rows z0..z1. */
static inline uint64_t Words_Columns(int x0, int x1)
{
	return (uint64_t)(0xffu << x0 & 0xffu >> (7 - x1) & 0xffu) * 0x0101010101010101u;
}
static inline uint64_t Words_Rows(int z0, int z1)
{
	return ~(uint64_t)0 << 8 * z0 & ~(uint64_t)0 >> 8 * (7 - z1);
}

/* Is a bit set among the block's cells that are in `cells` too? They must meet. */
static inline bool Words_Meet(const uint64_t words[BLOCK_SIZE], Cell block, const CellBox *cells)
{
	int x = block.x * BLOCK_SIZE, y = block.y * BLOCK_SIZE, z = block.z * BLOCK_SIZE, last = BLOCK_SIZE - 1;
	uint64_t bits = 0, mask = Words_Columns(Int_Max(cells->lo.x - x, 0), Int_Min(cells->hi.x - x, last)) &
	                          Words_Rows(Int_Max(cells->lo.z - z, 0), Int_Min(cells->hi.z - z, last));
	for (int i = Int_Max(cells->lo.y - y, 0); i <= Int_Min(cells->hi.y - y, last); i++)
		bits |= words[i];
	return (bits & mask) != 0;
}

typedef struct CellList {
	ARRAY(Cell) items;
} CellList;

/* Appends the blocks that own quads (whose cells meet `cells`, if given), sorted by y, z, x. Wants a synced terrain.
 * False: out of memory. */
bool Terrain_SurfaceBlocks(const Terrain *terrain, const CellBox *cells, Memory *memory, CellList *out);
int Cell_Order(const void *a, const void *b); /* for qsort: y, then z, then x */

/* ---- colliders (collider.c, lattice.c) ----------------------------------------------------------------------- */

/* One block's quads and their index, one allocation: this head, the index (Lattice, or KdBounds and its KdNodes),
 * corner[quads][4] (u8, or u16 when wide), u16 position[vertices][3], u8 material[quads], and some bytes that are not
 * used, so that eight bytes can be read at any position. Positions are those of surface_internal.h. Quads stand in the
 * mesher's order with a lattice, in the tree's order with a tree. Corners are turned as the mesher does it: the
 * diagonal is always 0-2. The lattice edge of a quad is not stored: its corners' cubes name it (Quad_Name). */
typedef struct Collider {
	struct Collider *older, *newer; /* list by use */
	uint8_t *kinds;                 /* edge kinds, a byte a quad (Kinds_Unpack); NULL: not made */
	uint32_t used;                  /* the terrain's epoch when it was last asked for */
	int32_t record;                 /* its id */
	uint32_t bytes;
	uint16_t vertex_count, quad_count;
	uint16_t corner_at, position_at, material_at; /* bytes from the head */
	uint8_t wide;                                 /* corners are u16: more than 256 vertices */
	uint8_t linked;                               /* in the list and in the terrain's statistics */
} Collider;

/* Which lattice edges have quads, and so where each quad stands: quad of edge (axis, y, bit) =
 * rank[axis][y] + bits of word[axis][y] below it. */
typedef struct Lattice {
	uint64_t word[3][BLOCK_SIZE]; /* [axis][y], bit z*8+x: the edge from cell (x,y,z) along axis */
	uint16_t rank[3][BLOCK_SIZE];
} Lattice;

/* In front of a tree's nodes: the box around all its quads. */
typedef struct KdBounds {
	KdQuadBox box;
	KdNode node[];
} KdBounds;

/* The positions of a quad's four corners, in the collider. */
typedef const uint16_t *QuadCorners[4];

/* Which lattice edge a quad belongs to: from cell p of the block along axis; low_inside: p is the solid cell, else p +
 * axis is. */
typedef struct QuadName {
	int8_t p[3];
	int8_t axis;
	bool low_inside;
} QuadName;

/* With a lattice only. */
static inline const Lattice *Collider_Lattice(const Collider *collider)
{
	return (const Lattice *)(collider + 1);
}
/* With a tree only. */
static inline const KdBounds *Collider_Tree(const Collider *collider)
{
	return (const KdBounds *)(collider + 1);
}
static inline int Collider_NodeCount(const Collider *collider)
{
	return (int)((collider->corner_at - sizeof(Collider) - sizeof(KdBounds)) / sizeof(KdNode));
}
static inline const uint16_t *Collider_Positions(const Collider *collider)
{
	return (const uint16_t *)((const char *)collider + collider->position_at);
}
static inline const uint8_t *Collider_Corners(const Collider *collider)
{
	return (const uint8_t *)collider + collider->corner_at;
}
static inline const uint8_t *Collider_Materials(const Collider *collider)
{
	return (const uint8_t *)collider + collider->material_at;
}
/* Written out: compilers leave a loop of four a loop. */
static inline void Collider_Quad(const Collider *collider, int quad, QuadCorners out)
{
	const uint16_t *positions = Collider_Positions(collider);
	const uint8_t *corners = Collider_Corners(collider);
	if (collider->wide) {
		uint16_t index[4];
		memcpy(index, corners + 8 * quad, sizeof index);
		out[0] = positions + 3 * index[0];
		out[1] = positions + 3 * index[1];
		out[2] = positions + 3 * index[2];
		out[3] = positions + 3 * index[3];
	} else {
		const uint8_t *index = corners + 4 * quad;
		out[0] = positions + 3 * index[0];
		out[1] = positions + 3 * index[1];
		out[2] = positions + 3 * index[2];
		out[3] = positions + 3 * index[3];
	}
}
/* Head, index and corners, and of most colliders all the rest too: each tells where to look in the next, so they are
 * better fetched together. May be NULL. Written out: compilers leave it a loop. Always inline: gcc takes a function
 * that does nothing else for one without effects, and drops its calls. */
static inline __attribute__((always_inline)) void Collider_Prefetch(const Collider *collider)
{
	uintptr_t at = (uintptr_t)collider;
#define PREFETCH_LINE(i) __builtin_prefetch((const void *)(at + 64 * (i)))
	PREFETCH_LINE(0), PREFETCH_LINE(1), PREFETCH_LINE(2), PREFETCH_LINE(3), PREFETCH_LINE(4);
	PREFETCH_LINE(5), PREFETCH_LINE(6), PREFETCH_LINE(7), PREFETCH_LINE(8), PREFETCH_LINE(9);
	PREFETCH_LINE(10), PREFETCH_LINE(11), PREFETCH_LINE(12), PREFETCH_LINE(13), PREFETCH_LINE(14);
	PREFETCH_LINE(15), PREFETCH_LINE(16), PREFETCH_LINE(17), PREFETCH_LINE(18), PREFETCH_LINE(19);
#undef PREFETCH_LINE
}
static inline int Lattice_Quad(const Lattice *lattice, int axis, int y, int bit)
{
	return lattice->rank[axis][y] + __builtin_popcountll(lattice->word[axis][y] & (((uint64_t)1 << bit) - 1));
}

/* The cubes of a corner, one more than their coordinates: x, y, z in sixteen bits each. */
static inline uint64_t Corner_Cubes(const uint16_t *corner)
{
	uint64_t words; /* the fourth belongs to the next */
	memcpy(&words, corner, sizeof words);
	return words >> 12 & 0x000f000f000fu;
}
/* The quad of edge (p, axis) has its corners in the four cubes p - {0,1} u - {0,1} v, u and v the axes after `axis`:
 * counter-clockwise seen from +axis, which is their order when p is inside, (-u,-v), (0,-v), (0,0), (-u,0). So corners
 * 0 and 2 agree on the axis alone and differ by one on the others. */
static inline QuadName Quad_Name(const QuadCorners corners)
{
	static const uint8_t next[5] = {0, 1, 2, 0, 1};
	const uint64_t ones = 0x000100010001u;
	uint64_t first = Corner_Cubes(corners[0]), opposite = Corner_Cubes(corners[2]);
	uint64_t step = opposite + ones - first;        /* 0, 1, 2: down, the same, up */
	uint64_t p = first + (step >> 1 & ones) - ones; /* the higher of both */
	uint64_t turned = first ^ Corner_Cubes(corners[1]);
	int axis = __builtin_ctzll(step & ones) >> 4, u = 16 * next[axis + 1], v = 16 * next[axis + 2];
	bool high_u = (step >> u & 3) == 0, high_v = (step >> v & 3) == 0;
	return (QuadName){{(int8_t)p, (int8_t)(p >> 16), (int8_t)(p >> 32)},
	                  (int8_t)axis,
	                  ((turned >> u & 1) != 0) == (high_u == high_v)};
}
/* The solid cell. */
static inline Cell Quad_Cell(Cell block, QuadName name)
{
	int high = name.low_inside ? 0 : 1;
	return (Cell){block.x * BLOCK_SIZE + name.p[0] + (name.axis == 0 ? high : 0),
	              block.y * BLOCK_SIZE + name.p[1] + (name.axis == 1 ? high : 0),
	              block.z * BLOCK_SIZE + name.p[2] + (name.axis == 2 ? high : 0)};
}
/* Number of the lattice edge: axis * 512 + y * 64 + z * 8 + x, the order of quads. */
static inline int Quad_Edge(QuadName name)
{
	return name.axis * 512 + name.p[1] * 64 + name.p[2] * 8 + name.p[0];
}

/* Edge kinds as a byte: five kinds of three. Unpacked: 2 bits each, as Surface_EdgeKinds has them. */
uint8_t Kinds_Pack(unsigned kinds);
unsigned Kinds_Unpack(uint8_t packed);

/* Working space of one thread for meshing and tree building. */
typedef struct ColliderScratch {
	SurfaceField field;
	SurfaceMesh mesh;
	KdQuadBox boxes[KD_QUAD_LIMIT + 1]; /* one to spare: eight bytes are stored where six belong */
	KdNode nodes[2 * KD_QUAD_LIMIT];
	uint16_t order[KD_QUAD_LIMIT];
	SurfaceEdgeScratch edges;
	uint16_t kinds[SURFACE_QUAD_LIMIT];
	uint16_t place[SURFACE_QUAD_LIMIT]; /* by lattice edge: the mesher's number of its quad */
} ColliderScratch;

void Collider_Mesh(const Terrain *terrain, Cell block, ColliderScratch *scratch);
/* Both from the block's mesh in the scratch. NULL: out of memory. */
Collider *Collider_Make(const Terrain *terrain, ColliderScratch *scratch);
uint8_t *Collider_MakeKinds(const Terrain *terrain, const Collider *collider, ColliderScratch *scratch);
static inline size_t Collider_IndexBytes(const Collider *collider)
{
	return collider->corner_at;
}
static inline size_t Collider_KindsBytes(const Collider *collider)
{
	return collider->quad_count;
}

/* ---- boxes (gather.c, collider_box.c, collider_triangles.c) -------------------------------------------------- */

/* A box of the world in 1/4096 cells, in the positions of block 0: the whole numbers that lie in it. A box that is
 * thinner than a unit may hold none, lo = hi + 1; a triangle that reaches from hi to lo meets it. */
typedef struct UnitBox {
	int64_t lo[3], hi[3];
} UnitBox;

/* False: it meets nothing, or a number is none. */
bool UnitBox_From(const Terrain *terrain, WorldBox box, UnitBox *units);
/* The box in the positions of a block: those p with lo <= p <= hi lie in it. False: out of their reach. */
bool UnitBox_In(const UnitBox *units, Cell block, KdQuadBox *out);

/* Quads with a triangle whose own box meets the box, by lattice edges: row = axis * 8 + y, bit = z * 8 + x, so that
 * rows and bits count in the order of the edges. */
typedef struct QuadsFound {
	uint32_t rows;                      /* those that may have any; nothing else says something of the others */
	uint64_t half[2][3 * BLOCK_SIZE];   /* the triangles of corners 0 1 2, and of 0 2 3 */
	uint16_t place[SURFACE_QUAD_LIMIT]; /* by edge, with a tree only: of the quad in the collider */
} QuadsFound;

void Collider_Overlap(const Terrain *terrain, const Collider *collider, const KdQuadBox *box, QuadsFound *found);

#if SCREE_X86
/* With a lattice, for boxes in which few quads lie for certain: names those found straight away, in the same order.
 * Returns how many; `out` has room for all quads of the collider and one more. */
int Collider_NameNear(const Collider *collider, const KdQuadBox *box, int id, TerrainQuad *out);
#endif

/* Bits of a word, where the processor's own instruction may not be used. */
static inline int Word_Count(uint64_t w)
{
	w -= w >> 1 & 0x5555555555555555u;
	w = (w & 0x3333333333333333u) + (w >> 2 & 0x3333333333333333u);
	w = (w + (w >> 4)) & 0x0f0f0f0f0f0f0f0fu;
	return (int)(w * 0x0101010101010101u >> 56);
}
/* How many quads. */
static inline int QuadsFound_Count(const QuadsFound *found)
{
	int count = 0;
	for (uint32_t rows = found->rows; rows; rows &= rows - 1) {
		int r = __builtin_ctz(rows);
		count += Word_Count(found->half[0][r] | found->half[1][r]);
	}
	return count;
}

/* Terrain_Triangles on one collider. box: in its positions; kinds: its edge kinds, or NULL: then every edge counts as
 * convex. */
bool Collider_Triangles(const Terrain *terrain, Cell block, const Collider *collider, const uint8_t *kinds,
                        const KdQuadBox *box, Pos origin, Memory *memory, TriangleList *out);

/* ---- the cache (cache.c) ------------------------------------------------------------------------------------- */

/* The collider of a record that owns quads, built when it is not there, marked as used. NULL: out of memory. */
const Collider *Cache_Need(Terrain *terrain, int id);
/* Is the record's collider there, with kinds when they are asked for? Then it is marked as used. */
bool Cache_Ready(Terrain *terrain, const Record *record, bool edge_kinds);
void Cache_Drop(Terrain *terrain, Collider *collider);
void Cache_DropKinds(Terrain *terrain, Collider *collider);
void Cache_Free(Terrain *terrain); /* at the end of the terrain */

/* ---- the whole (terrain.c) ----------------------------------------------------------------------------------- */

struct Terrain {
	Memory *memory;
	const Store *store;
	const MaterialTable *materials;
	double cell_size, cells_per_metre;
	Narrowphase narrowphase;
	bool simd; /* the fast forms may run: Cpu_Simd() */

	uint64_t version;                    /* of the store, as of the last Terrain_Sync */
	uint32_t material_version;           /* of the table, likewise */
	uint16_t blockiness[MATERIAL_LIMIT]; /* 0..256 */

	ARRAY(Group) groups; /* with holes (any == 0) that free_groups lists; order without meaning */
	ARRAY(int32_t) free_groups;
	CoordMap group_at;
	GroupGrid group_grid; /* the same, when it is not too large */
	int record_count;     /* blocks of which something is known */
	size_t word_bytes;    /* of the groups' arrays */
	RecordBatch *batch;   /* working space, made when first needed */
	Cell lo, hi;          /* blocks with records lie within; lo > hi when there are none */
	ARRAY(WorldBox) changed;
	uint64_t told;           /* version of the store up to which bodies know of changes, beyond `changed` */
	uint32_t told_materials; /* of the table, likewise */
	BlockHitList reached;    /* of the query at hand */

	Collider *oldest, *newest;        /* by use; NULL: none */
	ARRAY(int32_t) pending;           /* records whose colliders are being built */
	ARRAY(ColliderScratch *) scratch; /* one a worker, made when first needed */
	uint32_t epoch;                   /* +1 with every Terrain_Trim; wraps */
	int colliders;
	int64_t triangles; /* of the colliders */
	size_t mesh_bytes, index_bytes;
	int64_t built, evicted;
};

/* Group coordinates. -1: there is none. */
static inline int Group_FindPlace(const Terrain *terrain, int32_t x, int32_t y, int32_t z)
{
	const GroupGrid *grid = &terrain->group_grid;
	if (!grid->complete)
		return CoordMap_Find(&terrain->group_at, x, y, z);
	bool within = (uint32_t)x - (uint32_t)grid->lo.x < (uint32_t)grid->size[0] &&
	              (uint32_t)y - (uint32_t)grid->lo.y < (uint32_t)grid->size[1] &&
	              (uint32_t)z - (uint32_t)grid->lo.z < (uint32_t)grid->size[2];
	return within ? grid->at[GroupGrid_Place(grid, x, y, z)] : -1;
}
/* NULL: there is none. */
static inline const Group *Group_Find(const Terrain *terrain, int32_t x, int32_t y, int32_t z)
{
	int i = Group_FindPlace(terrain, x, y, z);
	return i < 0 ? NULL : &terrain->groups.data[i];
}

/* A block's id is its group's place * 64 + its index there. It holds as long as something is known of the block. */
static inline int Record_Id(const Terrain *terrain, const Group *group, int index)
{
	return (int)(group - terrain->groups.data) * GROUP_BLOCKS + index;
}
static inline Group *Record_Group(const Terrain *terrain, int id)
{
	return &terrain->groups.data[id / GROUP_BLOCKS];
}
/* NULL: no cube is mixed. */
static inline Record *Record_At(const Terrain *terrain, int id)
{
	return Group_Record(Record_Group(terrain, id), id % GROUP_BLOCKS);
}
static inline Cell Group_Block(const Group *group, int index)
{
	return BlockOfGroup(group->at, index);
}
static inline Cell Record_Block(const Terrain *terrain, int id)
{
	return Group_Block(Record_Group(terrain, id), id % GROUP_BLOCKS);
}

/* The block's id, or -1 when nothing is known of it. */
static inline int Record_Find(const Terrain *terrain, Cell block)
{
	int group = Group_FindPlace(terrain, block.x >> GROUP_BITS, block.y >> GROUP_BITS, block.z >> GROUP_BITS);
	int index = Group_Index(block);
	return group < 0 || !(terrain->groups.data[group].any >> index & 1) ? -1 : group * GROUP_BLOCKS + index;
}

/* The next id after one (begin with -1), in no meaningful order; -1 at the end. */
static inline int Record_Next(const Terrain *terrain, int id)
{
	id++;
	for (int g = id / GROUP_BLOCKS; g < terrain->groups.count; g++, id = g * GROUP_BLOCKS) {
		uint64_t left = terrain->groups.data[g].any >> (id % GROUP_BLOCKS);
		if (left)
			return id + __builtin_ctzll(left);
	}
	return -1;
}

#endif
