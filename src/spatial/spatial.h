/* spatial: search structures over boxes and triangles. They know geometry, not what it belongs to.
 *
 * Owns: its trees. Uses: base, math. Called by: terrain and shape (kD-trees), dynamics and world (box trees).
 */
#ifndef SCREE_SPATIAL_H
#define SCREE_SPATIAL_H

#include "base/base.h"
#include "math/math.h"

/* ---- triangles, as the narrowphase sees them ----------------------------------------------------------------- */

typedef enum EdgeKind { EDGE_FLAT, EDGE_CONVEX, EDGE_CONCAVE } EdgeKind;

/* A one-sided triangle of terrain or of a mesh, in metres relative to an origin that the asker chose. A vertex shared
 * by neighbouring triangles has the same bits in each of them, across blocks too. */
typedef struct Triangle {
	Vec3 v[3];       /* counter-clockwise seen from outside (the air) */
	uint32_t id;     /* stable while the surface stays the same: warm starting matches by it */
	uint8_t edge[3]; /* EdgeKind of v[i] v[(i+1)%3] */
	uint8_t material;
	Cell cell; /* terrain: the solid cell that the triangle belongs to */
} Triangle;

typedef struct TriangleList {
	ARRAY(Triangle) items;
} TriangleList;

/* ---- loose kD-tree over the quads of one block (kdtree.c) ------------------------------------------------------ */

/* Two planes a branch on one axis: hi of the left child, lo of the right child (terrain.md, after Roblox's "voxel
 * terrain: physics"). Quads of four corners with 16-bit positions, at most four a leaf, 6-byte nodes; children of a
 * branch are neighbours. The tree holds no geometry: quads are passed in again for building and exact tests. Its order
 * of quads is a permutation that the builder applies to the caller's quads. */
typedef struct KdNode {
	uint16_t split[2]; /* branch: max of the left child, min of the right child on the axis; leaf: unused, 0 */
	uint16_t link;     /* bits 0-1: axis, or 3 for a leaf; branch: index of the left child << 2; leaf: see kdtree.c */
} KdNode;

#define KD_LEAF_QUADS 4
#define KD_QUAD_LIMIT 1536

typedef struct KdQuadBox {
	uint16_t lo[3], hi[3];
} KdQuadBox;

/* Builds over `count` boxes (1..KD_QUAD_LIMIT). nodes: room for 2*count; order: receives the permutation (order[i] =
 * which input quad stands at place i). Returns the number of nodes. Loops, no recursion, depth <= 64. */
int KdTree_Build(const KdQuadBox *boxes, int count, KdNode *nodes, uint16_t *order);
/* Places of the quads whose leaves meet the box: `out` has room for count quads. Returns how many (a superset). */
int KdTree_Query(const KdNode *nodes, int node_count, int quad_count, KdQuadBox box, uint16_t *out);

/* Is what was read from somewhere a tree over so many quads that the functions here can walk? */
bool KdTree_IsSound(const KdNode *nodes, int node_count, int quad_count);

/* A walk along a segment o + t d, t in [t0, t1], in the same units as the 16-bit positions. Leaves come nearest first;
 * on an axis along which it hardly moves the origin alone is tested against the planes. */
typedef struct KdWalk {
	const KdNode *nodes;
	double plane[2][3]; /* what is taken off split[i]: the origin, and some slack */
	double inverse[3];  /* 1 / direction; 1e300 where the segment hardly moves */
	bool negative[3];
	int top;
	struct {
		uint16_t node;
		double t0, t1;
	} stack[68];
} KdWalk;

void KdWalk_Begin(KdWalk *walk, const KdNode *nodes, int node_count, const double origin[3], const double direction[3],
                  double t0, double t1);
/* Next leaf that starts before `limit` (the best hit so far). False at the end. *first, *count: places of its quads. */
bool KdWalk_Next(KdWalk *walk, double limit, int *first, int *count);

/* ---- dynamic tree of world boxes (boxtree.c) -------------------------------------------------------------------- */

/* A binary tree of fattened boxes, balanced by rotations, insertion by surface area (after Catto, "Dynamic BVH", GDC
 * 2019). Results come in tree order: sort them where order matters. */
typedef struct BoxNode {
	WorldBox box;
	int32_t parent;   /* or next free */
	int32_t child[2]; /* leaf: child[0] = -1 */
	int32_t user;
	int32_t height; /* leaf 0, free -1 */
} BoxNode;

typedef struct BoxTree {
	ARRAY(BoxNode) nodes;
	int32_t root; /* -1: empty */
	int32_t unused;
	int leaf_count;
	bool in_order;    /* every branch has a lower index than those below it */
	int turns;        /* BoxTree_Settle since it was built */
	double looseness; /* surface of branches to that of leaves, at its least since then; 0: not known */
} BoxTree;

void BoxTree_Init(BoxTree *tree);
void BoxTree_Free(BoxTree *tree, Memory *memory);
bool BoxTree_Reserve(BoxTree *tree, Memory *memory, int leaves); /* so that inserts up to `leaves` in all cannot fail */
int BoxTree_Insert(BoxTree *tree, Memory *memory, WorldBox box, int32_t user); /* leaf, or -1 on failure */
void BoxTree_Remove(BoxTree *tree, int leaf);
void BoxTree_Move(BoxTree *tree, int leaf, WorldBox box); /* puts it where it belongs; never fails */
static inline WorldBox BoxTree_Box(const BoxTree *tree, int leaf)
{
	return tree->nodes.data[leaf].box;
}
static inline int32_t BoxTree_User(const BoxTree *tree, int leaf)
{
	return tree->nodes.data[leaf].user;
}

typedef bool BoxQueryFn(void *context, int32_t user);                      /* false stops the query */
typedef double BoxRayFn(void *context, int32_t user, double max_fraction); /* new max fraction; < 0 stops */

void BoxTree_Query(const BoxTree *tree, WorldBox box, BoxQueryFn *fn, void *context);
/* Leaves whose box, grown by `extent` (half sizes of a swept box; zero for a ray), meets from + t * delta, t in [0,
 * max]. */
void BoxTree_Ray(const BoxTree *tree, Pos from, const double delta[3], Vec3 extent, double max_fraction, BoxRayFn *fn,
                 void *context);
bool BoxTree_Validate(const BoxTree *tree);

/* Where many leaves move (boxtree_many.c): Put sets the box of a leaf alone, and nothing may be asked of the tree
 * before Settle, which mends all others. Where they have grown loose it builds the tree anew, with room from the arena;
 * without room it stays loose. */
void BoxTree_Put(BoxTree *tree, int leaf, WorldBox box);
void BoxTree_Settle(BoxTree *tree, Arena *arena);

/* Two nodes whose leaves may meet, or twice the same one. */
typedef struct BoxNodePair {
	int32_t a, b;
} BoxNodePair;

typedef bool BoxPairFn(void *context, int32_t user_a, int32_t user_b); /* false stops */

/* Pairs of leaves whose boxes meet, each once: the work in up to `room` (at least 3) shares, in any order, of which
 * each can be done by itself. */
int BoxTree_PairStarts(const BoxTree *tree, BoxNodePair *starts, int room);
bool BoxTree_Pairs(const BoxTree *tree, BoxNodePair start, BoxPairFn *fn, void *context); /* false: was stopped */

#endif
