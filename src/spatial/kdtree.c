/* The loose kD-tree over the quads of one block (after "Voxel terrain: physics", zeux.io 2017; the fallback to the
 * median and the 6-byte nodes are ours).
 *
 * A branch cuts by the quads' midpoints and keeps, on its axis, how far its left child reaches up and its right child
 * reaches down; the two may overlap. Cutting at the mean of the midpoints is cheap and good on surfaces; where it would
 * leave one side with under a quarter of the quads (fans, clusters, equal boxes), the sorted quads are cut in half, so
 * the depth stays under 24 whatever the input.
 *
 * Leaf link: bits 0-1 are 3, bits 2-3 the number of quads - 1, the rest the place of the first quad.
 */
#include "spatial/spatial.h"

#define LEAF 3
#define DEPTH_LIMIT 64
#define INDEX_BITS 11 /* of a quad: KD_QUAD_LIMIT <= 2^11 */

static KdNode Leaf(int first, int count)
{
	return (KdNode){{0, 0}, (uint16_t)(LEAF | (count - 1) << 2 | first << 4)};
}
static bool IsLeaf(const KdNode *node)
{
	return (node->link & 3) == LEAF;
}
static int LeafFirst(const KdNode *node)
{
	return node->link >> 4;
}
static int LeafCount(const KdNode *node)
{
	return (node->link >> 2 & 3) + 1;
}

/* ---- building ------------------------------------------------------------------------------------------------ */

/* A quad while the tree is built: moved as a whole, so that every pass runs through memory in order. */
typedef struct Item {
	uint16_t lo[3], quad, hi[3], spare;
} Item;

typedef struct Builder {
	Item items[KD_QUAD_LIMIT], aside[KD_QUAD_LIMIT];
} Builder;

/* Twice the midpoint: a whole number. */
static inline int Middle(const Item *item, int axis)
{
	return item->lo[axis] + item->hi[axis];
}

typedef struct Extent {
	int lo[3], hi[3];
	int middles[3]; /* their sum: 1,536 times 131,070 at most */
} Extent;

static Extent ExtentOf(const Item *items, int count)
{
	Extent all = {{UINT16_MAX, UINT16_MAX, UINT16_MAX}, {0, 0, 0}, {0, 0, 0}};
	for (int axis = 0; axis < 3; axis++) {
		int lo = UINT16_MAX, hi = 0, sum = 0;
		for (int i = 0; i < count; i++) {
			lo = Int_Min(lo, items[i].lo[axis]);
			hi = Int_Max(hi, items[i].hi[axis]);
			sum += Middle(&items[i], axis);
		}
		all.lo[axis] = lo;
		all.hi[axis] = hi;
		all.middles[axis] = sum;
	}
	return all;
}

static int LongestAxis(const Extent *all)
{
	int x = all->hi[0] - all->lo[0], y = all->hi[1] - all->lo[1], z = all->hi[2] - all->lo[2];
	return x >= y ? (x >= z ? 0 : 2) : y >= z ? 1 : 2;
}

/* Quads with a midpoint at or under the mean come first. Returns how many those are. Each goes to both sides and one
 * of them moves on: a branch would be foreseen as often as not. */
static int CutAtMean(Builder *builder, int first, int count, int axis, int sum)
{
	Item *items = builder->items + first, *aside = builder->aside;
	int left = 0, right = 0;
	for (int i = 0; i < count; i++) {
		Item item = items[i];
		int under = (int64_t)Middle(&item, axis) * count <= sum;
		items[left] = item;
		aside[right] = item;
		left += under;
		right += 1 - under;
	}
	memcpy(items + left, aside, (size_t)right * sizeof *items);
	return left;
}

/* Shell's sort with Ciura's gaps: in place, and fast enough for a case that is rare. */
static void SortKeys(uint32_t *keys, int count)
{
	static const int gaps[] = {701, 301, 132, 57, 23, 10, 4, 1};
	for (int g = 0; g < COUNT_OF(gaps); g++) {
		for (int i = gaps[g]; i < count; i++) {
			uint32_t key = keys[i];
			int j = i;
			for (; j >= gaps[g] && keys[j - gaps[g]] > key; j -= gaps[g])
				keys[j] = keys[j - gaps[g]];
			keys[j] = key;
		}
	}
}

static int CutAtMedian(Builder *builder, int first, int count, int axis)
{
	uint32_t keys[KD_QUAD_LIMIT];
	Item *items = builder->items + first;
	for (int i = 0; i < count; i++)
		keys[i] = (uint32_t)Middle(&items[i], axis) << INDEX_BITS | (uint32_t)i;
	SortKeys(keys, count);
	memcpy(builder->aside, items, (size_t)count * sizeof *items);
	for (int i = 0; i < count; i++)
		items[i] = builder->aside[keys[i] & ((1u << INDEX_BITS) - 1)];
	return count / 2;
}

/* Quads first..first + count - 1 are to become this node; as soon as their extent is known, so is their parent's plane
 * on this side. */
typedef struct Task {
	int16_t node, first, count;
	int16_t parent; /* -1: none */
	int16_t side;
} Task;

int KdTree_Build(const KdQuadBox *boxes, int count, KdNode *nodes, uint16_t *order)
{
	SCREE_ASSERT(count >= 1 && count <= KD_QUAD_LIMIT);
	Builder builder;
	Task stack[DEPTH_LIMIT];
	int used = 1, top = 0;
	for (int i = 0; i < count; i++)
		builder.items[i] = (Item){{boxes[i].lo[0], boxes[i].lo[1], boxes[i].lo[2]},
		                          (uint16_t)i,
		                          {boxes[i].hi[0], boxes[i].hi[1], boxes[i].hi[2]},
		                          0};
	stack[top++] = (Task){.count = (int16_t)count, .parent = -1};
	while (top > 0) {
		Task task = stack[--top];
		Extent extent = ExtentOf(builder.items + task.first, task.count);
		if (task.parent >= 0) {
			KdNode *parent = &nodes[task.parent];
			int axis = parent->link & 3;
			parent->split[task.side] = (uint16_t)(task.side ? extent.lo[axis] : extent.hi[axis]);
		}
		if (task.count <= KD_LEAF_QUADS) {
			nodes[task.node] = Leaf(task.first, task.count);
			continue;
		}
		int axis = LongestAxis(&extent);
		int left = CutAtMean(&builder, task.first, task.count, axis, extent.middles[axis]);
		if (4 * left < task.count || 4 * (task.count - left) < task.count)
			left = CutAtMedian(&builder, task.first, task.count, axis);
		nodes[task.node] = (KdNode){{0, 0}, (uint16_t)(axis | used << 2)};
		SCREE_ASSERT(top + 2 <= DEPTH_LIMIT);
		stack[top++] =
		    (Task){(int16_t)(used + 1), (int16_t)(task.first + left), (int16_t)(task.count - left), task.node, 1};
		stack[top++] = (Task){(int16_t)used, task.first, (int16_t)left, task.node, 0};
		used += 2;
	}
	for (int i = 0; i < count; i++)
		order[i] = builder.items[i].quad;
	return used;
}

/* ---- boxes --------------------------------------------------------------------------------------------------- */

int KdTree_Query(const KdNode *nodes, int node_count, int quad_count, KdQuadBox box, uint16_t *out)
{
	uint16_t stack[DEPTH_LIMIT];
	int found = 0, top = 0;
	if (node_count > 0)
		stack[top++] = 0;
	while (top > 0) {
		const KdNode *node = &nodes[stack[--top]];
		if (IsLeaf(node)) {
			int first = LeafFirst(node), count = LeafCount(node);
			SCREE_ASSERT(first + count <= quad_count);
			for (int i = 0; i < count; i++)
				out[found++] = (uint16_t)(first + i);
			continue;
		}
		int axis = node->link & 3, child = node->link >> 2;
		if (node->split[1] <= box.hi[axis])
			stack[top++] = (uint16_t)(child + 1);
		if (node->split[0] >= box.lo[axis])
			stack[top++] = (uint16_t)child;
	}
	(void)quad_count;
	return found;
}

/* Children come after their parent, each node but the first is the child of one, leaves share out the quads. */
bool KdTree_IsSound(const KdNode *nodes, int node_count, int quad_count)
{
	uint8_t depth[2 * KD_QUAD_LIMIT] = {0};
	int children = 1, quads = 0;
	if (node_count < 1 || node_count > COUNT_OF(depth))
		return false;
	for (int i = 0; i < node_count; i++) {
		if (IsLeaf(&nodes[i])) {
			quads += LeafCount(&nodes[i]);
			if (LeafFirst(&nodes[i]) + LeafCount(&nodes[i]) > quad_count)
				return false;
			continue;
		}
		int child = nodes[i].link >> 2;
		if (child <= i || child + 1 >= node_count || depth[child] > 0 || depth[i] + 2 > DEPTH_LIMIT)
			return false;
		depth[child] = depth[child + 1] = (uint8_t)(depth[i] + 1);
		children += 2;
	}
	return children == node_count && quads == quad_count;
}

/* ---- segments ------------------------------------------------------------------------------------------------ */

/* Planes are moved out by this much (units of the positions), which covers the rounding of the walk. */
#define PLANE_SLACK 1.0
/* A segment that moves less than this along an axis counts as flat on it: a plane is then at one end of time. */
#define FLAT_MOTION 0.25
#define FLAT_INVERSE 1e300

void KdWalk_Begin(KdWalk *walk, const KdNode *nodes, int node_count, const double origin[3], const double direction[3],
                  double t0, double t1)
{
	double reach = MaxD(AbsD(t0), AbsD(t1));
	walk->nodes = nodes;
	for (int a = 0; a < 3; a++) {
		/* Written so that a direction of zero is flat even on an endless segment, where the product is no number. */
		bool flat = direction[a] == 0.0 || !(AbsD(direction[a]) * reach >= FLAT_MOTION);
		walk->negative[a] = !flat && direction[a] < 0.0;
		walk->plane[0][a] = origin[a] - PLANE_SLACK;
		walk->plane[1][a] = origin[a] + PLANE_SLACK;
		walk->inverse[a] = flat ? FLAT_INVERSE : 1.0 / direction[a];
	}
	walk->top = 0;
	if (node_count > 0 && t0 <= t1) {
		walk->stack[0].node = 0;
		walk->stack[0].t0 = t0;
		walk->stack[0].t1 = t1;
		walk->top = 1;
	}
}

bool KdWalk_Next(KdWalk *walk, double limit, int *first, int *count)
{
	while (walk->top > 0) {
		walk->top--;
		const KdNode *node = &walk->nodes[walk->stack[walk->top].node];
		double t0 = walk->stack[walk->top].t0, t1 = walk->stack[walk->top].t1;
		while (t0 <= t1 && t0 <= limit) {
			if (IsLeaf(node)) {
				*first = LeafFirst(node);
				*count = LeafCount(node);
				return true;
			}
			/* The near child is the one that the segment comes to first: the left one when it goes up. */
			int axis = node->link & 3, child = node->link >> 2, near = walk->negative[axis], far = 1 - near;
			double inverse = walk->inverse[axis];
			double leave_near = (node->split[near] - walk->plane[near][axis]) * inverse;
			double enter_far = MaxD((node->split[far] - walk->plane[far][axis]) * inverse, t0);
			if (enter_far <= t1) {
				SCREE_ASSERT(walk->top < COUNT_OF(walk->stack));
				walk->stack[walk->top].node = (uint16_t)(child + far);
				walk->stack[walk->top].t0 = enter_far;
				walk->stack[walk->top++].t1 = t1;
			}
			node = &walk->nodes[child + near];
			t1 = MinD(leave_near, t1);
		}
	}
	return false;
}
