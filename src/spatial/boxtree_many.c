/* The tree of boxes where much of it moves at once: boxes of leaves are set alone, and one pass mends all that is above
 * them. The branches stay as they are until the boxes have grown loose by that; then they are built anew, from the top
 * down by surface area over bins (Wald, "On fast construction of SAH-based bounding volume hierarchies", 2007). Pairs
 * that meet are found by going down the tree beside itself. */
#include "spatial/boxtree_internal.h"

#include <float.h>

#define LOOSE 1.2    /* times the surface of branches after they were built, before they are built anew */
#define REST_TURNS 8 /* BoxTree_Settle that they are left alone at least */

void BoxTree_Put(BoxTree *tree, int leaf, WorldBox box)
{
	SCREE_ASSERT(leaf >= 0 && leaf < tree->nodes.count && tree->nodes.data[leaf].height == 0);
	SCREE_ASSERT(box.lo.x <= box.hi.x && box.lo.y <= box.hi.y && box.lo.z <= box.hi.z);
	tree->nodes.data[leaf].box = box;
}

/* ---- boxes from the leaves up ------------------------------------------------------------------------------------ */

static int FirstLeaf(const BoxTree *tree, int index)
{
	while (!IsLeaf(tree, index))
		index = tree->nodes.data[index].child[0];
	return index;
}

/* Each branch after its children, without a stack. */
static void RefitByLinks(BoxTree *tree)
{
	const BoxNode *nodes = tree->nodes.data;
	int index = FirstLeaf(tree, tree->root);
	for (int parent = nodes[index].parent; parent >= 0; parent = nodes[index].parent) {
		if (nodes[parent].child[0] == index) {
			index = FirstLeaf(tree, nodes[parent].child[1]);
		} else {
			BoxTree_Refit(tree, parent);
			index = parent;
		}
	}
}

static void RefitInOrder(BoxTree *tree)
{
	for (int i = tree->nodes.count - 1; i >= 0; i--)
		if (tree->nodes.data[i].height > 0)
			BoxTree_Refit(tree, i);
}

/* Surface of all branches to that of all leaves. */
static double Looseness(const BoxTree *tree)
{
	double leaves = 0.0, branches = 0.0;
	for (int i = 0; i < tree->nodes.count; i++) {
		const BoxNode *node = &tree->nodes.data[i];
		if (node->height == 0)
			leaves += Area(&node->box);
		else if (node->height > 0)
			branches += Area(&node->box);
	}
	return branches / leaves; /* no box is without surface */
}

/* ---- building ---------------------------------------------------------------------------------------------------- */

#define BINS 8
#define SMALLEST_SHARE 16 /* of a branch's leaves: on the lesser side is at least one in so many, */
#define BUILD_SLACK 10    /* ... and a branch is by so much higher than it must be at most, */
_Static_assert(BUILD_SLACK + 5 <= HEIGHT_SLACK, "so that the heights of two siblings are in balance");

/* A leaf while the tree is built, from the lowest corner of all. */
typedef struct Item {
	float lo[3], hi[3];
	int32_t leaf, bin;
} Item;

typedef struct Extent {
	float lo[3], hi[3];
} Extent;

static const Extent nothing = {{FLT_MAX, FLT_MAX, FLT_MAX}, {-FLT_MAX, -FLT_MAX, -FLT_MAX}};

static inline void Extent_Add(Extent *e, const float lo[3], const float hi[3])
{
	for (int k = 0; k < 3; k++) {
		e->lo[k] = e->lo[k] < lo[k] ? e->lo[k] : lo[k];
		e->hi[k] = e->hi[k] > hi[k] ? e->hi[k] : hi[k];
	}
}

static float Extent_Area(const Extent *e)
{
	float x = e->hi[0] - e->lo[0], y = e->hi[1] - e->lo[1], z = e->hi[2] - e->lo[2];
	return x * y + y * z + z * x;
}

static inline float Middle(const Item *item, int axis)
{
	return item->lo[axis] + item->hi[axis]; /* twice of it */
}

/* A number that can be reckoned with; what is endless is far. */
static float Within(double v)
{
	return v > 1e15 ? 1e15f : v > -1e15 ? (float)v : -1e15f;
}

static int HeightAtLeast(int leaves)
{
	int height = 0;
	while ((1 << height) < leaves)
		height++;
	return height;
}

/* Which axis their middles are spread along the farthest, and where. */
static int FindAxis(const Item *items, int count, float *from, float *length)
{
	Extent middles = nothing;
	for (int i = 0; i < count; i++) {
		float m[3] = {Middle(&items[i], 0), Middle(&items[i], 1), Middle(&items[i], 2)};
		Extent_Add(&middles, m, m);
	}
	int axis = 0;
	for (int k = 1; k < 3; k++)
		if (middles.hi[k] - middles.lo[k] > middles.hi[axis] - middles.lo[axis])
			axis = k;
	*from = middles.lo[axis];
	*length = middles.hi[axis] - middles.lo[axis];
	return axis;
}

/* The last bin of the first side that makes least surface, of those that both sides may be cut at; -1: none. */
static int FindCut(const Extent *boxes, const int *counts, int count, int height)
{
	float behind[BINS]; /* surface times leaves of the bins from here on */
	Extent sum = nothing;
	int leaves = 0, best = -1;
	for (int i = BINS - 1; i > 0; i--) {
		Extent_Add(&sum, boxes[i].lo, boxes[i].hi);
		leaves += counts[i];
		behind[i] = leaves > 0 ? Extent_Area(&sum) * (float)leaves : 0.0f;
	}
	sum = nothing;
	leaves = 0;
	float least = FLT_MAX;
	for (int i = 0; i + 1 < BINS; i++) {
		Extent_Add(&sum, boxes[i].lo, boxes[i].hi);
		leaves += counts[i];
		int lesser = Int_Min(leaves, count - leaves), larger = count - lesser;
		if ((int64_t)lesser * SMALLEST_SHARE < count || HeightAtLeast(larger) > height - 1)
			continue;
		float cost = Extent_Area(&sum) * (float)leaves + behind[i + 1];
		if (cost < least) {
			least = cost;
			best = i;
		}
	}
	return best;
}

static void Swap(Item *items, int a, int b)
{
	Item item = items[a];
	items[a] = items[b];
	items[b] = item;
}

/* Half of them lie lower along the axis than the others; nearly so where many rounds did not do. */
static void Halve(Item *items, int count, int axis)
{
	int first = 0, last = count - 1, half = count / 2;
	for (int round = 0; round < 64 && first < last; round++) {
		float pivot = Middle(&items[first + (last - first) / 2], axis);
		int i = first, k = last;
		while (i <= k) {
			while (Middle(&items[i], axis) < pivot)
				i++;
			while (Middle(&items[k], axis) > pivot)
				k--;
			if (i <= k)
				Swap(items, i++, k--);
		}
		if (half <= k)
			last = k;
		else if (half >= i)
			first = i;
		else
			return;
	}
}

/* Sorts them into two sides; returns how many are on the first. */
static int Part(Item *items, int count, int height)
{
	float from, length;
	if (count == 2)
		return 1;
	int axis = FindAxis(items, count, &from, &length), counts[BINS] = {0};
	Extent boxes[BINS];
	for (int i = 0; i < BINS; i++)
		boxes[i] = nothing;
	float scale = length > 0.0f ? (float)BINS / length : 0.0f;
	for (int i = 0; i < count; i++) {
		float at = (Middle(&items[i], axis) - from) * scale;
		items[i].bin = at < (float)BINS ? (int)at : BINS - 1;
		counts[items[i].bin]++;
		Extent_Add(&boxes[items[i].bin], items[i].lo, items[i].hi);
	}
	int cut = FindCut(boxes, counts, count, height), first = 0, last = count - 1;
	if (cut < 0) {
		Halve(items, count, axis);
		return count / 2;
	}
	while (first <= last)
		if (items[first].bin <= cut)
			first++;
		else
			Swap(items, first, last--);
	return first;
}

typedef struct Build {
	BoxTree *tree;
	Item *items;
	int *branches; /* nodes, rising; taken one after the other, so that those above stand before those below */
	int taken;
} Build;

/* Some leaves that still have to be put under a node. */
typedef struct Branch {
	int first, count, parent, side;
	int height; /* that they may have */
} Branch;

static int Hang(Build *b, const Branch *branch)
{
	BoxNode *nodes = b->tree->nodes.data;
	int index = branch->count == 1 ? b->items[branch->first].leaf : b->branches[b->taken++];
	nodes[index].parent = branch->parent;
	if (branch->parent < 0)
		b->tree->root = index;
	else
		nodes[branch->parent].child[branch->side] = index;
	return index;
}

static void BuildAll(Build *b)
{
	Branch stack[64];
	int top = 0, leaves = b->tree->leaf_count;
	stack[top++] = (Branch){0, leaves, -1, 0, HeightAtLeast(leaves) + BUILD_SLACK};
	while (top > 0) {
		Branch branch = stack[--top];
		int index = Hang(b, &branch);
		if (branch.count == 1)
			continue;
		int first = Part(&b->items[branch.first], branch.count, branch.height), second = branch.count - first;
		SCREE_ASSERT(top + 2 <= COUNT_OF(stack));
		stack[top++] = (Branch){branch.first + first, second, index, 1,
		                        Int_Min(branch.height - 1, HeightAtLeast(second) + BUILD_SLACK)};
		stack[top++] =
		    (Branch){branch.first, first, index, 0, Int_Min(branch.height - 1, HeightAtLeast(first) + BUILD_SLACK)};
	}
}

/* False: there was no room to do it in. */
static bool Rebuild(BoxTree *tree, Arena *arena)
{
	ArenaMark mark = Arena_Mark(arena);
	Build b = {tree, Arena_Array(arena, Item, tree->leaf_count), Arena_Array(arena, int, tree->leaf_count), 0};
	if (!b.items || !b.branches)
		return false;
	Pos from = tree->nodes.data[tree->root].box.lo;
	for (int i = 0, leaf = 0, branch = 0; i < tree->nodes.count; i++) {
		const BoxNode *node = &tree->nodes.data[i];
		const WorldBox *box = &node->box;
		if (node->height > 0)
			b.branches[branch++] = i;
		if (node->height == 0)
			b.items[leaf++] =
			    (Item){{Within(box->lo.x - from.x), Within(box->lo.y - from.y), Within(box->lo.z - from.z)},
			           {Within(box->hi.x - from.x), Within(box->hi.y - from.y), Within(box->hi.z - from.z)},
			           i,
			           0};
	}
	BuildAll(&b);
	RefitInOrder(tree);
	tree->in_order = true;
	Arena_Release(arena, mark);
	return true;
}

void BoxTree_Settle(BoxTree *tree, Arena *arena)
{
	if (tree->leaf_count < 2)
		return;
	if (tree->in_order)
		RefitInOrder(tree);
	else
		RefitByLinks(tree);
	double now = Looseness(tree);
	bool known = tree->looseness > 0.0;
	tree->looseness = known ? MinD(tree->looseness, now) : now;
	tree->turns++;
	if ((!known || (now > LOOSE * tree->looseness && tree->turns >= REST_TURNS)) && Rebuild(tree, arena)) {
		tree->looseness = Looseness(tree);
		tree->turns = 0;
	}
}

/* ---- pairs ------------------------------------------------------------------------------------------------------- */

/* What is left to look at: `start` and up to three more, with a and b equal for all pairs within one branch. Returns
 * how many. */
static int Descend(const BoxTree *tree, BoxNodePair start, BoxNodePair out[3])
{
	const BoxNode *nodes = tree->nodes.data, *a = &nodes[start.a], *b = &nodes[start.b];
	if (start.a == start.b) {
		if (IsLeaf(tree, start.a))
			return 0;
		const int32_t *child = a->child;
		out[0] = (BoxNodePair){child[0], child[0]};
		out[1] = (BoxNodePair){child[1], child[1]};
		Overlap left = Overlap_With(&nodes[child[0]].box);
		out[2] = (BoxNodePair){child[0], child[1]};
		return 2 + Overlap_Meets(&left, &nodes[child[1]].box);
	}
	if (a->height < b->height) { /* the higher one is opened */
		const BoxNode *other = a;
		a = b;
		b = other;
		start = (BoxNodePair){start.b, start.a};
	}
	Overlap asked = Overlap_With(&b->box);
	int count = 0;
	for (int i = 0; i < 2; i++) {
		out[count] = (BoxNodePair){a->child[i], start.b};
		count += Overlap_Meets(&asked, &nodes[a->child[i]].box);
	}
	return count;
}

static bool AreLeaves(const BoxTree *tree, BoxNodePair pair)
{
	return pair.a != pair.b && (tree->nodes.data[pair.a].height | tree->nodes.data[pair.b].height) == 0;
}

/* In rounds, so that the shares become alike. */
int BoxTree_PairStarts(const BoxTree *tree, BoxNodePair *starts, int room)
{
	int count = 0;
	if (tree->leaf_count < 2)
		return 0;
	starts[count++] = (BoxNodePair){tree->root, tree->root};
	for (bool opened = true; opened;) {
		opened = false;
		for (int i = 0; i < count && count + 2 <= room; i++) {
			BoxNodePair out[3];
			if (AreLeaves(tree, starts[i]))
				continue;
			opened = true;
			int more = Descend(tree, starts[i], out);
			for (int k = 1; k < more; k++)
				starts[count++] = out[k];
			if (more > 0)
				starts[i] = out[0];
			else
				starts[i--] = starts[--count];
		}
	}
	return count;
}

bool BoxTree_Pairs(const BoxTree *tree, BoxNodePair start, BoxPairFn *fn, void *context)
{
	BoxNodePair stack[5 * STACK_SIZE];
	const BoxNode *nodes = tree->nodes.data;
	int top = 0;
	stack[top++] = start;
	while (top > 0) {
		BoxNodePair pair = stack[--top];
		if (AreLeaves(tree, pair)) {
			if (!fn(context, nodes[pair.a].user, nodes[pair.b].user))
				return false;
			continue;
		}
		SCREE_ASSERT(top + 3 <= COUNT_OF(stack));
		top += Descend(tree, pair, &stack[top]);
	}
	return true;
}
