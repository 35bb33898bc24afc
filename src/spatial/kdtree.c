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

/* Twice the midpoint: a whole number. */
static int Middle(const KdQuadBox *box, int axis)
{
	return box->lo[axis] + box->hi[axis];
}

static int LongestAxis(const KdQuadBox *boxes, const uint16_t *order, int count)
{
	int best = 0, longest = -1;
	for (int axis = 0; axis < 3; axis++) {
		int lo = UINT16_MAX, hi = 0;
		for (int i = 0; i < count; i++) {
			lo = Int_Min(lo, boxes[order[i]].lo[axis]);
			hi = Int_Max(hi, boxes[order[i]].hi[axis]);
		}
		if (hi - lo > longest) {
			longest = hi - lo;
			best = axis;
		}
	}
	return best;
}

/* Quads with a midpoint at or under the mean come first. Returns how many those are. */
static int CutAtMean(const KdQuadBox *boxes, uint16_t *order, int count, int axis)
{
	int64_t sum = 0;
	for (int i = 0; i < count; i++)
		sum += Middle(&boxes[order[i]], axis);
	int left = 0, right = count;
	while (left < right) {
		if ((int64_t)Middle(&boxes[order[left]], axis) * count <= sum) {
			left++;
		} else {
			uint16_t swapped = order[--right];
			order[right] = order[left];
			order[left] = swapped;
		}
	}
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

static int CutAtMedian(const KdQuadBox *boxes, uint16_t *order, int count, int axis)
{
	uint32_t keys[KD_QUAD_LIMIT];
	for (int i = 0; i < count; i++)
		keys[i] = (uint32_t)Middle(&boxes[order[i]], axis) << INDEX_BITS | order[i];
	SortKeys(keys, count);
	for (int i = 0; i < count; i++)
		order[i] = keys[i] & ((1u << INDEX_BITS) - 1);
	return count / 2;
}

static KdNode Branch(const KdQuadBox *boxes, const uint16_t *order, int left, int count, int axis, int child)
{
	KdNode node = {{0, UINT16_MAX}, (uint16_t)(axis | child << 2)};
	for (int i = 0; i < left; i++)
		node.split[0] = (uint16_t)Int_Max(node.split[0], boxes[order[i]].hi[axis]);
	for (int i = left; i < count; i++)
		node.split[1] = (uint16_t)Int_Min(node.split[1], boxes[order[i]].lo[axis]);
	return node;
}

int KdTree_Build(const KdQuadBox *boxes, int count, KdNode *nodes, uint16_t *order)
{
	SCREE_ASSERT(count >= 1 && count <= KD_QUAD_LIMIT);
	struct {
		int node, first, count;
	} stack[DEPTH_LIMIT];
	for (int i = 0; i < count; i++)
		order[i] = (uint16_t)i;
	int used = 1, top = 0;
	stack[top].node = stack[top].first = 0;
	stack[top++].count = count;
	while (top > 0) {
		int at = stack[--top].node, first = stack[top].first, n = stack[top].count;
		if (n <= KD_LEAF_QUADS) {
			nodes[at] = Leaf(first, n);
			continue;
		}
		uint16_t *quads = order + first;
		int axis = LongestAxis(boxes, quads, n);
		int left = CutAtMean(boxes, quads, n, axis);
		if (4 * left < n || 4 * (n - left) < n)
			left = CutAtMedian(boxes, quads, n, axis);
		nodes[at] = Branch(boxes, quads, left, n, axis, used);
		SCREE_ASSERT(top + 2 <= DEPTH_LIMIT);
		stack[top].node = used + 1;
		stack[top].first = first + left;
		stack[top++].count = n - left;
		stack[top].node = used;
		stack[top].first = first;
		stack[top++].count = left;
		used += 2;
	}
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
