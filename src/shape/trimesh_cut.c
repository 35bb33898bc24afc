/* Cutting a mesh into clusters, at the median of the triangles' middles along the longest axis, again and again. */
#include "shape/trimesh_internal.h"

typedef struct CutItem {
	float middle[3];
	uint32_t triangle; /* of the draft */
} CutItem;

/* A run of items that is to become this branch. */
typedef struct CutTask {
	int first, count, branch;
} CutTask;

struct TrimeshCut {
	Memory *memory;
	TrimeshDraft *draft;
	CutItem *items;
	Random random;
	ARRAY(TrimeshBranch) branches;
	ARRAY(TrimeshCluster) clusters;
	ARRAY(Vec3) vertices;
	ARRAY(KdNode) nodes;
	ARRAY(uint16_t) corners;
	ARRAY(uint8_t) flags;
	/* scratch of one cluster */
	uint16_t *local; /* per point of the draft: its number in the cluster + 1; 0: none yet */
	KdQuadBox boxes[KD_QUAD_LIMIT];
	KdNode tree[2 * KD_QUAD_LIMIT];
	uint16_t order[KD_QUAD_LIMIT];
};

/* ---- medians ----------------------------------------------------------------------------------------------------- */

/* A strict order: no two items are equal, so that runs of equal middles are cut in half too. */
static bool ItemBefore(const CutItem *a, const CutItem *b, int axis)
{
	return a->middle[axis] != b->middle[axis] ? a->middle[axis] < b->middle[axis] : a->triangle < b->triangle;
}

/* Hoare's selection with pivots drawn at random: the items before `place` come before all others. */
static void SelectPlace(struct TrimeshCut *cut, CutItem *items, int count, int place, int axis)
{
	int lo = 0, hi = count - 1;
	while (lo < hi) {
		CutItem pivot = items[lo + Random_Below(&cut->random, hi - lo + 1)];
		int i = lo, j = hi;
		while (i <= j) {
			while (ItemBefore(&items[i], &pivot, axis))
				i++;
			while (ItemBefore(&pivot, &items[j], axis))
				j--;
			if (i <= j) {
				CutItem swap = items[i];
				items[i++] = items[j];
				items[j--] = swap;
			}
		}
		if (place <= j)
			hi = j;
		else if (place >= i)
			lo = i;
		else
			return;
	}
}

static int LongestAxis(const CutItem *items, int count)
{
	float size[3];
	for (int a = 0; a < 3; a++) {
		float lo = FLT_MAX, hi = -FLT_MAX;
		for (int i = 0; i < count; i++) {
			lo = Min(lo, items[i].middle[a]);
			hi = Max(hi, items[i].middle[a]);
		}
		size[a] = hi - lo;
	}
	return size[0] >= size[1] ? (size[0] >= size[2] ? 0 : 2) : size[1] >= size[2] ? 1 : 2;
}

/* ---- one cluster ------------------------------------------------------------------------------------------------- */

static Box TriangleBox(const Vec3 v[3])
{
	return (Box){MinV(v[0], MinV(v[1], v[2])), MaxV(v[0], MaxV(v[1], v[2]))};
}

/* Corners by their number in the cluster, in the order in which its triangles name them. */
static bool AddCorners(struct TrimeshCut *cut, TrimeshCluster *cluster, const CutItem *items)
{
	const TrimeshDraft *draft = cut->draft;
	for (int k = 0; k < cluster->count; k++)
		for (int i = 0; i < 3; i++) {
			uint32_t point = draft->corners.data[3 * (size_t)items[cut->order[k]].triangle + (size_t)i];
			if (cut->local[point] == 0) {
				if (!Array_Push(cut->memory, cut->vertices, draft->points.data[point]))
					return false;
				cut->local[point] = (uint16_t)(cut->vertices.count - cluster->vertex_first);
			}
			cut->corners.data[cut->corners.count++] = (uint16_t)(cut->local[point] - 1);
		}
	for (int k = 0; k < cluster->count; k++)
		for (int i = 0; i < 3; i++)
			cut->local[draft->corners.data[3 * (size_t)items[k].triangle + (size_t)i]] = 0;
	return true;
}

static bool AddCluster(struct TrimeshCut *cut, const CutItem *items, int count, Box box)
{
	const TrimeshDraft *draft = cut->draft;
	TrimeshCluster cluster = {.box = box,
	                          .first = cut->flags.count,
	                          .count = (uint16_t)count,
	                          .vertex_first = cut->vertices.count,
	                          .node_first = cut->nodes.count};
	ClusterUnits units = Cluster_Units(&cluster);
	for (int k = 0; k < count; k++) {
		Vec3 v[3];
		for (int i = 0; i < 3; i++)
			v[i] = draft->points.data[draft->corners.data[3 * (size_t)items[k].triangle + (size_t)i]];
		cut->boxes[k] = Cluster_UnitBox(&units, TriangleBox(v));
	}
	int nodes = KdTree_Build(cut->boxes, count, cut->tree, cut->order);
	cluster.node_count = (uint16_t)nodes;
	if (!Array_Reserve(cut->memory, cut->nodes, cut->nodes.count + nodes) || !AddCorners(cut, &cluster, items))
		return false;
	memcpy(cut->nodes.data + cut->nodes.count, cut->tree, sizeof(KdNode) * (size_t)nodes);
	cut->nodes.count += nodes;
	for (int k = 0; k < count; k++)
		cut->flags.data[cut->flags.count++] = draft->flags.data[items[cut->order[k]].triangle];
	return Array_Push(cut->memory, cut->clusters, cluster);
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

static Box ItemsBox(const struct TrimeshCut *cut, const CutItem *items, int count)
{
	Box box = BoxEmpty();
	for (int k = 0; k < count; k++)
		for (int i = 0; i < 3; i++)
			box = BoxAddPoint(
			    box, cut->draft->points.data[cut->draft->corners.data[3 * (size_t)items[k].triangle + (size_t)i]]);
	return box;
}

static bool CutAll(struct TrimeshCut *cut, int count)
{
	CutTask stack[TRIMESH_DEPTH];
	int top = 0;
	stack[top++] = (CutTask){0, count, 0};
	if (!Array_Push(cut->memory, cut->branches, (TrimeshBranch){0}))
		return false;
	while (top > 0) {
		CutTask task = stack[--top];
		CutItem *items = cut->items + task.first;
		Box box = ItemsBox(cut, items, task.count);
		if (task.count <= KD_QUAD_LIMIT) {
			cut->branches.data[task.branch] = (TrimeshBranch){box, ~cut->clusters.count};
			if (!AddCluster(cut, items, task.count, box))
				return false;
			Progress_Update(&cut->draft->progress, 0.5 + 0.5 * (double)(task.first + task.count) / (double)count);
			continue;
		}
		int child = cut->branches.count, half = task.count / 2;
		SelectPlace(cut, items, task.count, half, LongestAxis(items, task.count));
		cut->branches.data[task.branch] = (TrimeshBranch){box, child};
		if (!Array_Push(cut->memory, cut->branches, (TrimeshBranch){0}) ||
		    !Array_Push(cut->memory, cut->branches, (TrimeshBranch){0}))
			return false;
		SCREE_ASSERT(top + 2 <= TRIMESH_DEPTH);
		stack[top++] = (CutTask){task.first + half, task.count - half, child + 1};
		stack[top++] = (CutTask){task.first, half, child};
	}
	return true;
}

static void ListItems(struct TrimeshCut *cut, int count)
{
	const TrimeshDraft *draft = cut->draft;
	for (int t = 0; t < count; t++) {
		Vec3 v[3];
		for (int i = 0; i < 3; i++)
			v[i] = draft->points.data[draft->corners.data[3 * (size_t)t + (size_t)i]];
		Box box = TriangleBox(v);
		Vec3 middle = Scale(0.5f, Add(box.lo, box.hi));
		cut->items[t] = (CutItem){{middle.x, middle.y, middle.z}, (uint32_t)t};
	}
}

/* One block: the head, then the arrays, the widest first. */
Trimesh *Trimesh_Allocate(Memory *memory, int cluster_count, int vertex_count, int node_count, int triangle_count)
{
	int branch_count = 2 * cluster_count - 1;
	size_t clusters = sizeof(TrimeshCluster) * (size_t)cluster_count;
	size_t branches = sizeof(TrimeshBranch) * (size_t)branch_count;
	size_t vertices = sizeof(Vec3) * (size_t)vertex_count;
	size_t nodes = sizeof(KdNode) * (size_t)node_count;
	size_t corners = 3 * sizeof(uint16_t) * (size_t)triangle_count, flags = (size_t)triangle_count;
	size_t bytes = sizeof(Trimesh) + clusters + branches + vertices + nodes + corners + flags;
	Trimesh *mesh = Memory_Alloc(memory, bytes);
	if (!mesh)
		return NULL;
	unsigned char *at = (unsigned char *)(mesh + 1);
	*mesh = (Trimesh){.owners = 1,
	                  .cluster_count = cluster_count,
	                  .branch_count = branch_count,
	                  .vertex_count = vertex_count,
	                  .node_count = node_count,
	                  .triangle_count = triangle_count};
	mesh->info.bytes = bytes;
	mesh->clusters = (TrimeshCluster *)at;
	mesh->branches = (TrimeshBranch *)(at += clusters);
	mesh->vertices = (Vec3 *)(at += branches);
	mesh->nodes = (KdNode *)(at += vertices);
	mesh->corners = (uint16_t *)(at += nodes);
	mesh->flags = at + corners;
	return mesh;
}

static Trimesh *Pack(const struct TrimeshCut *cut)
{
	SCREE_ASSERT(cut->branches.count == 2 * cut->clusters.count - 1);
	Trimesh *mesh =
	    Trimesh_Allocate(cut->memory, cut->clusters.count, cut->vertices.count, cut->nodes.count, cut->flags.count);
	if (!mesh)
		return NULL;
	mesh->origin = cut->draft->origin;
	memcpy(mesh->clusters, cut->clusters.data, sizeof(TrimeshCluster) * (size_t)mesh->cluster_count);
	memcpy(mesh->branches, cut->branches.data, sizeof(TrimeshBranch) * (size_t)mesh->branch_count);
	memcpy(mesh->vertices, cut->vertices.data, sizeof(Vec3) * (size_t)mesh->vertex_count);
	memcpy(mesh->nodes, cut->nodes.data, sizeof(KdNode) * (size_t)mesh->node_count);
	memcpy(mesh->corners, cut->corners.data, 3 * sizeof(uint16_t) * (size_t)mesh->triangle_count);
	memcpy(mesh->flags, cut->flags.data, (size_t)mesh->triangle_count);
	return mesh;
}

Trimesh *Trimesh_Cut(TrimeshDraft *draft)
{
	Memory *memory = draft->memory;
	int count = draft->flags.count;
	size_t items = sizeof(CutItem) * (size_t)count, locals = sizeof(uint16_t) * (size_t)draft->points.count;
	struct TrimeshCut *cut = Memory_AllocZero(memory, sizeof *cut);
	if (!cut)
		return NULL;
	cut->memory = memory;
	cut->draft = draft;
	cut->items = Memory_Alloc(memory, items);
	cut->local = Memory_AllocZero(memory, locals);
	Trimesh *mesh = NULL;
	if (cut->items && cut->local && Array_Reserve(memory, cut->corners, 3 * count) &&
	    Array_Reserve(memory, cut->flags, count)) {
		ListItems(cut, count);
		if (CutAll(cut, count))
			mesh = Pack(cut);
	}
	Memory_Free(memory, cut->items, items);
	Memory_Free(memory, cut->local, locals);
	Array_Free(memory, cut->branches);
	Array_Free(memory, cut->clusters);
	Array_Free(memory, cut->vertices);
	Array_Free(memory, cut->nodes);
	Array_Free(memory, cut->corners);
	Array_Free(memory, cut->flags);
	Memory_Free(memory, cut, sizeof *cut);
	return mesh;
}
