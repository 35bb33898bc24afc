/* A dynamic binary tree of world boxes. Insertion and rotations by surface area after Catto, "Dynamic bounding volume
 * hierarchies" (GDC 2019).
 *
 * Surface area alone bounds no depth: boxes nested in one another make a chain. So the heights of two siblings may
 * differ by HEIGHT_SLACK at most, a height-balanced tree of Foster, "A generalization of AVL trees" (1973). The order
 * of leaves means nothing here, so one kind of rotation (a child changes places with its taller nephew) keeps the
 * bound: every change makes a subtree's height grow or shrink by one at most, which leaves its parent at most one step
 * out of balance.
 */
#include "spatial/boxtree_internal.h"

/* ---- the tree ---------------------------------------------------------------------------------------------------- */

void BoxTree_Init(BoxTree *tree)
{
	memset(tree, 0, sizeof(*tree));
	tree->root = -1;
	tree->unused = -1;
}

void BoxTree_Free(BoxTree *tree, Memory *memory)
{
	Array_Free(memory, tree->nodes);
	BoxTree_Init(tree);
}

bool BoxTree_Reserve(BoxTree *tree, Memory *memory, int leaves)
{
	if (leaves <= 0)
		return true;
	if (leaves > INT32_MAX / 2)
		return false;
	return Array_Reserve(memory, tree->nodes, 2 * leaves);
}

/* ---- nodes ---------------------------------------------------------------------------------------------------- */

/* Room was made before. */
static int TakeNode(BoxTree *tree)
{
	int index = tree->unused;
	if (index >= 0) {
		tree->unused = tree->nodes.data[index].parent;
	} else {
		SCREE_ASSERT(tree->nodes.count < tree->nodes.capacity);
		index = tree->nodes.count++;
	}
	memset(&tree->nodes.data[index], 0, sizeof(BoxNode));
	tree->in_order = false;
	return index;
}

static void ReturnNode(BoxTree *tree, int index)
{
	BoxNode *node = &tree->nodes.data[index];
	memset(node, 0, sizeof(*node));
	node->parent = tree->unused;
	node->child[0] = node->child[1] = -1;
	node->height = -1;
	tree->unused = index;
}

/* Puts `index` where `old` hangs under `parent` (-1: the root). */
static void ReplaceChild(BoxTree *tree, int parent, int old, int index)
{
	tree->nodes.data[index].parent = parent;
	if (parent < 0)
		tree->root = index;
	else
		tree->nodes.data[parent].child[tree->nodes.data[parent].child[1] == old] = index;
}

/* ---- rotations ------------------------------------------------------------------------------------------------ */

/* The child on `side` of `index` changes places with grandchild `nephew` (0, 1) under the other child. */
static void SwapNephew(BoxTree *tree, int index, int side, int nephew)
{
	BoxNode *nodes = tree->nodes.data;
	int child = nodes[index].child[side], other = nodes[index].child[1 - side];
	int grandchild = nodes[other].child[nephew];
	nodes[index].child[side] = grandchild;
	nodes[grandchild].parent = index;
	nodes[other].child[nephew] = child;
	nodes[child].parent = other;
	tree->in_order = false;
	BoxTree_Refit(tree, other);
	BoxTree_Refit(tree, index);
}

/* Surface of the other child after SwapNephew. */
static inline double SwappedArea(const BoxTree *tree, int index, int side, int nephew)
{
	const BoxNode *nodes = tree->nodes.data;
	const BoxNode *other = &nodes[nodes[index].child[1 - side]];
	return AreaOfBoth(&nodes[nodes[index].child[side]].box, &nodes[other->child[1 - nephew]].box);
}

/* One child is a step too tall: its taller child comes up. */
static void Balance(BoxTree *tree, int index)
{
	const BoxNode *nodes = tree->nodes.data;
	const int32_t *child = nodes[index].child;
	int side = nodes[child[0]].height > nodes[child[1]].height ? 1 : 0; /* the lower one goes down */
	const int32_t *below = nodes[child[1 - side]].child;
	int a = nodes[below[0]].height, b = nodes[below[1]].height;
	int nephew = a > b ? 0 : 1;
	if (a == b)
		nephew = SwappedArea(tree, index, side, 0) < SwappedArea(tree, index, side, 1) ? 0 : 1;
	SwapNephew(tree, index, side, nephew);
}

/* Would SwapNephew keep all heights in bounds? `old`: the height here before the present change of the tree. */
static bool MaySwap(const BoxTree *tree, int index, int side, int nephew, int old)
{
	const BoxNode *nodes = tree->nodes.data;
	const BoxNode *other = &nodes[nodes[index].child[1 - side]];
	int down = nodes[nodes[index].child[side]].height;
	int stays = nodes[other->child[1 - nephew]].height;
	int up = nodes[other->child[nephew]].height;
	int lower = 1 + Int_Max(down, stays);
	int height = 1 + Int_Max(up, lower);
	return InBalance(down, stays) && InBalance(up, lower) && height >= old - 1 && height <= old + 1;
}

/* The rotation that takes most surface away, if any does. The other child then holds the one that goes down, so there
 * is nothing to gain unless that is smaller. */
static void Improve(BoxTree *tree, int index, int old)
{
	const BoxNode *nodes = tree->nodes.data;
	const int32_t *child = nodes[index].child;
	double areas[2] = {Area(&nodes[child[0]].box), Area(&nodes[child[1]].box)}, gain = 0.0;
	int side = areas[0] < areas[1] ? 0 : 1, best = -1;
	if (areas[0] == areas[1] || IsLeaf(tree, child[1 - side]))
		return;
	for (int nephew = 0; nephew < 2; nephew++) {
		double g = areas[1 - side] - SwappedArea(tree, index, side, nephew);
		if (g > gain && MaySwap(tree, index, side, nephew, old)) {
			gain = g;
			best = nephew;
		}
	}
	if (best >= 0)
		SwapNephew(tree, index, side, best);
}

/* From `index` to the root: boxes, heights, balance. */
static void Mend(BoxTree *tree, int index)
{
	while (index >= 0) {
		BoxNode *node = &tree->nodes.data[index];
		int old = node->height;
		BoxTree_Refit(tree, index);
		if (InBalance(tree->nodes.data[node->child[0]].height, tree->nodes.data[node->child[1]].height))
			Improve(tree, index, old);
		else
			Balance(tree, index);
		index = node->parent;
	}
}

/* ---- insertion and removal ------------------------------------------------------------------------------------ */

/* What a subtree costs at least if the new box goes somewhere into it; `grown`: its surface with the box. */
static double LowerBound(const BoxNode *node, double grown, double box_area)
{
	return node->child[0] < 0 ? grown : grown - Area(&node->box) + box_area;
}

/* The node beside which the box adds least surface to the tree, followed greedily downwards. Ties go on down, into the
 * lower child, so that equal boxes make a full tree. Only nodes low enough for the balance count. */
static int FindSibling(const BoxTree *tree, WorldBox box)
{
	const BoxNode *nodes = tree->nodes.data;
	double box_area = Area(&box), inherited = 0.0, best_cost = 0.0;
	double grown = AreaOfBoth(&nodes[tree->root].box, &box);
	int index = tree->root, best = -1;
	for (;;) {
		const BoxNode *node = &nodes[index];
		double cost = grown + inherited;
		if (node->height <= HEIGHT_SLACK && (best < 0 || cost <= best_cost)) {
			best = index;
			best_cost = cost;
		}
		if (IsLeaf(tree, index))
			return best;
		inherited += grown - Area(&node->box);
		const BoxNode *a = &nodes[node->child[0]], *b = &nodes[node->child[1]];
		double grown_a = AreaOfBoth(&a->box, &box), grown_b = AreaOfBoth(&b->box, &box);
		double bound_a = LowerBound(a, grown_a, box_area), bound_b = LowerBound(b, grown_b, box_area);
		int side = bound_b < bound_a || (bound_b == bound_a && b->height < a->height) ? 1 : 0;
		if (best >= 0 && best_cost < inherited + (side ? bound_b : bound_a))
			return best;
		index = node->child[side];
		grown = side ? grown_b : grown_a;
	}
}

/* Hangs a leaf, whose box is set, into the tree. Needs one free node unless the tree is empty. */
static void Attach(BoxTree *tree, int leaf)
{
	if (tree->root < 0) {
		tree->root = leaf;
		tree->nodes.data[leaf].parent = -1;
		return;
	}
	int sibling = FindSibling(tree, tree->nodes.data[leaf].box);
	int joint = TakeNode(tree);
	BoxNode *node = &tree->nodes.data[joint];
	node->user = -1;
	node->height = tree->nodes.data[sibling].height; /* what stood here before: Mend compares with it */
	ReplaceChild(tree, tree->nodes.data[sibling].parent, sibling, joint);
	node->child[0] = sibling;
	node->child[1] = leaf;
	tree->nodes.data[sibling].parent = joint;
	tree->nodes.data[leaf].parent = joint;
	Mend(tree, joint);
}

static void Detach(BoxTree *tree, int leaf)
{
	int parent = tree->nodes.data[leaf].parent;
	if (parent < 0) {
		tree->root = -1;
		return;
	}
	const BoxNode *node = &tree->nodes.data[parent];
	int sibling = node->child[node->child[0] == leaf];
	int grandparent = node->parent;
	ReplaceChild(tree, grandparent, parent, sibling);
	ReturnNode(tree, parent);
	Mend(tree, grandparent);
}

int BoxTree_Insert(BoxTree *tree, Memory *memory, WorldBox box, int32_t user)
{
	SCREE_ASSERT(box.lo.x <= box.hi.x && box.lo.y <= box.hi.y && box.lo.z <= box.hi.z);
	int needed = tree->leaf_count > 0 ? 2 : 1;
	int live = tree->leaf_count > 0 ? 2 * tree->leaf_count - 1 : 0;
	if (live > INT32_MAX - needed || !Array_Reserve(memory, tree->nodes, live + needed))
		return -1;
	int leaf = TakeNode(tree);
	BoxNode *node = &tree->nodes.data[leaf];
	node->box = box;
	node->user = user;
	node->child[0] = node->child[1] = -1;
	Attach(tree, leaf);
	tree->leaf_count++;
	return leaf;
}

void BoxTree_Remove(BoxTree *tree, int leaf)
{
	SCREE_ASSERT(leaf >= 0 && leaf < tree->nodes.count && tree->nodes.data[leaf].height == 0);
	Detach(tree, leaf);
	ReturnNode(tree, leaf);
	tree->leaf_count--;
}

static bool SameBox(WorldBox a, WorldBox b)
{
	return WorldBoxContains(a, b) && WorldBoxContains(b, a);
}

/* A leaf that stays within the box above its parent's stays where it hangs: of all boxes only its parent's may grow,
 * and that no farther than the one above it. */
static bool MoveWithin(BoxTree *tree, int leaf, WorldBox box)
{
	BoxNode *nodes = tree->nodes.data;
	int parent = nodes[leaf].parent, above = parent < 0 ? -1 : nodes[parent].parent;
	if (above < 0 || !WorldBoxContains(nodes[above].box, box))
		return false;
	nodes[leaf].box = box;
	for (int i = parent; i >= 0; i = nodes[i].parent) {
		WorldBox both = WorldBoxUnion(nodes[nodes[i].child[0]].box, nodes[nodes[i].child[1]].box);
		if (SameBox(both, nodes[i].box))
			break;
		nodes[i].box = both;
	}
	return true;
}

void BoxTree_Move(BoxTree *tree, int leaf, WorldBox box)
{
	SCREE_ASSERT(leaf >= 0 && leaf < tree->nodes.count && tree->nodes.data[leaf].height == 0);
	SCREE_ASSERT(box.lo.x <= box.hi.x && box.lo.y <= box.hi.y && box.lo.z <= box.hi.z);
	if (MoveWithin(tree, leaf, box))
		return;
	Detach(tree, leaf);
	tree->nodes.data[leaf].box = box;
	Attach(tree, leaf);
}

/* ---- questions ------------------------------------------------------------------------------------------------ */

void BoxTree_Query(const BoxTree *tree, WorldBox box, BoxQueryFn *fn, void *context)
{
	const BoxNode *nodes = tree->nodes.data;
	int32_t stack[STACK_SIZE];
	Overlap asked = Overlap_With(&box);
	int top = 0;
	if (tree->root >= 0 && Overlap_Meets(&asked, &nodes[tree->root].box))
		stack[top++] = tree->root;
	while (top > 0) {
		const BoxNode *node = &nodes[stack[--top]];
		if (node->child[0] < 0) {
			if (!fn(context, node->user))
				return;
		} else {
			SCREE_ASSERT(top + 2 <= STACK_SIZE);
			for (int i = 1; i >= 0; i--) {
				stack[top] = node->child[i];
				top += Overlap_Meets(&asked, &nodes[node->child[i]].box);
			}
		}
	}
}

typedef struct BoxRay {
	double from[3], inverse[3], extent[3];
	bool flat[3]; /* no motion to speak of along this axis */
} BoxRay;

/* A hair more than 1, so that rounding never loses a box that the ray touches (after Ize, "Robust BVH ray traversal",
 * 2013). */
#define RAY_SLACK (1.0 + 16.0 * DBL_EPSILON)

static BoxRay MakeRay(Pos from, const double delta[3], Vec3 extent)
{
	BoxRay ray = {.from = {from.x, from.y, from.z},
	              .extent = {RAY_SLACK * (double)extent.x, RAY_SLACK * (double)extent.y, RAY_SLACK * (double)extent.z}};
	for (int i = 0; i < 3; i++) {
		ray.flat[i] = AbsD(delta[i]) < 1e-290; /* whose inverse could be infinite */
		ray.inverse[i] = ray.flat[i] ? 0.0 : 1.0 / delta[i];
	}
	return ray;
}

/* Does the ray meet the grown box within [0, max]? *enter: where. */
static bool RayMeetsBox(const BoxRay *ray, const WorldBox *box, double max, double *enter)
{
	const double lo[3] = {box->lo.x, box->lo.y, box->lo.z}, hi[3] = {box->hi.x, box->hi.y, box->hi.z};
	double t0 = 0.0, t1 = max;
	for (int i = 0; i < 3; i++) {
		double a = lo[i] - ray->from[i] - ray->extent[i];
		double b = hi[i] - ray->from[i] + ray->extent[i];
		if (ray->flat[i]) {
			if (a > 0.0 || b < 0.0)
				return false;
			continue;
		}
		double near = ray->inverse[i] < 0.0 ? b * ray->inverse[i] : a * ray->inverse[i];
		double far = ray->inverse[i] < 0.0 ? a * ray->inverse[i] : b * ray->inverse[i];
		t0 = MaxD(t0, near);
		t1 = MinD(t1, far * RAY_SLACK);
	}
	*enter = t0;
	return t0 <= t1;
}

typedef struct RayEntry {
	int32_t node;
	double enter;
} RayEntry;

void BoxTree_Ray(const BoxTree *tree, Pos from, const double delta[3], Vec3 extent, double max_fraction, BoxRayFn *fn,
                 void *context)
{
	const BoxNode *nodes = tree->nodes.data;
	BoxRay ray = MakeRay(from, delta, extent);
	RayEntry stack[STACK_SIZE];
	double max = max_fraction, enter[2];
	int top = 0;
	if (tree->root >= 0 && RayMeetsBox(&ray, &nodes[tree->root].box, max, &enter[0]))
		stack[top++] = (RayEntry){tree->root, enter[0]};
	while (top > 0) {
		RayEntry entry = stack[--top];
		const BoxNode *node = &nodes[entry.node];
		if (entry.enter > max)
			continue;
		if (node->child[0] < 0) {
			double left = fn(context, node->user, max);
			if (!(left >= 0.0))
				return;
			max = MinD(max, left);
			continue;
		}
		bool meets[2];
		for (int i = 0; i < 2; i++)
			meets[i] = RayMeetsBox(&ray, &nodes[node->child[i]].box, max, &enter[i]);
		int last = meets[0] && meets[1] && enter[1] < enter[0] ? 0 : 1; /* pushed first, visited last */
		SCREE_ASSERT(top + 2 <= STACK_SIZE);
		if (meets[last])
			stack[top++] = (RayEntry){node->child[last], enter[last]};
		if (meets[1 - last])
			stack[top++] = (RayEntry){node->child[1 - last], enter[1 - last]};
	}
}

/* ---- check ---------------------------------------------------------------------------------------------------- */

/* A branch's links, box, height and balance. */
static bool ValidBranch(const BoxTree *tree, int index)
{
	const BoxNode *node = &tree->nodes.data[index];
	int a = node->child[0], b = node->child[1];
	if (a < 0 || b < 0 || a >= tree->nodes.count || b >= tree->nodes.count || a == b)
		return false;
	const BoxNode *na = &tree->nodes.data[a], *nb = &tree->nodes.data[b];
	if (tree->in_order && ((na->height > 0 && a < index) || (nb->height > 0 && b < index)))
		return false;
	return na->parent == index && nb->parent == index && SameBox(node->box, WorldBoxUnion(na->box, nb->box)) &&
	       node->height == 1 + Int_Max(na->height, nb->height) && InBalance(na->height, nb->height);
}

bool BoxTree_Validate(const BoxTree *tree)
{
	const BoxNode *nodes = tree->nodes.data;
	int32_t stack[STACK_SIZE];
	int top = 0, seen = 0, leaves = 0, unused = 0;
	if (tree->root >= tree->nodes.count || (tree->root >= 0 && nodes[tree->root].parent != -1))
		return false;
	if (tree->root >= 0)
		stack[top++] = tree->root;
	while (top > 0) {
		int index = stack[--top];
		if (++seen > tree->nodes.count)
			return false;
		if (IsLeaf(tree, index)) {
			if (nodes[index].height != 0)
				return false;
			leaves++;
			continue;
		}
		if (!ValidBranch(tree, index) || top + 2 > STACK_SIZE)
			return false;
		stack[top++] = nodes[index].child[0];
		stack[top++] = nodes[index].child[1];
	}
	for (int i = tree->unused; i >= 0; i = nodes[i].parent)
		if (i >= tree->nodes.count || nodes[i].height != -1 || ++unused > tree->nodes.count)
			return false;
	return leaves == tree->leaf_count && seen + unused == tree->nodes.count;
}
