/* Meshes in an archive: as they are, since the order of triangles is part of what contacts remember. What is read is
 * checked until nothing in it can lead beyond an array or round in a circle. */
#include "shape/trimesh_internal.h"

static void Archive_Corner(Archive *ar, Vec3 *v)
{
	Archive_F32s(ar, &v->x, 3);
}

static void Archive_U16(Archive *ar, uint16_t *value, int limit)
{
	int number = *value;
	Archive_Int(ar, &number, 0, limit);
	*value = (uint16_t)number;
}

/* ---- the block --------------------------------------------------------------------------------------------------- */

static bool MakeRoom(Archive *ar, Memory *memory, const Trimesh *sizes, Trimesh **mesh)
{
	*mesh =
	    Trimesh_Allocate(memory, sizes->cluster_count, sizes->vertex_count, sizes->node_count, sizes->triangle_count);
	if (!*mesh)
		ar->failure = ERROR_MEMORY;
	return *mesh != NULL;
}

static void Archive_Sizes(Archive *ar, Trimesh *sizes)
{
	sizes->triangle_count = Archive_Count(ar, sizes->triangle_count, TRIMESH_LIMIT, 7);
	sizes->vertex_count = Archive_Count(ar, sizes->vertex_count, 3 * TRIMESH_LIMIT, 12);
	sizes->node_count = Archive_Count(ar, sizes->node_count, 2 * TRIMESH_LIMIT, 8);
	sizes->cluster_count = Archive_Count(ar, sizes->cluster_count, TRIMESH_LIMIT, 24);
	Archive_IsSound(ar, sizes->triangle_count > 0 && sizes->cluster_count > 0, "a mesh is empty");
}

static void Archive_Info(Archive *ar, TrimeshInfo *info)
{
	Archive_Int(ar, &info->triangle_count, 1, TRIMESH_LIMIT);
	Archive_Int(ar, &info->vertex_count, 0, 3 * TRIMESH_LIMIT);
	Archive_I64(ar, &info->dropped);
	Archive_Int(ar, &info->open_edges, 0, 3 * TRIMESH_LIMIT);
	Archive_Bool(ar, &info->closed);
	Archive_F32(ar, &info->volume);
	Archive_F64s(ar, &info->lo.x, 3);
	Archive_F64s(ar, &info->hi.x, 3);
	Archive_U64(ar, &info->hash);
}

static void Archive_Arrays(Archive *ar, Trimesh *mesh)
{
	for (int i = 0; i < mesh->cluster_count && ar->failure == ERROR_NONE; i++) {
		TrimeshCluster *c = &mesh->clusters[i];
		Archive_Corner(ar, &c->box.lo);
		Archive_Corner(ar, &c->box.hi);
		Archive_Int(ar, &c->first, 0, TRIMESH_LIMIT);
		Archive_Int(ar, &c->vertex_first, 0, 3 * TRIMESH_LIMIT);
		Archive_Int(ar, &c->node_first, 0, 2 * TRIMESH_LIMIT);
		Archive_U16(ar, &c->count, KD_QUAD_LIMIT);
		Archive_U16(ar, &c->node_count, 2 * KD_QUAD_LIMIT);
	}
	for (int i = 0; i < mesh->branch_count && ar->failure == ERROR_NONE; i++) {
		Archive_Corner(ar, &mesh->branches[i].box.lo);
		Archive_Corner(ar, &mesh->branches[i].box.hi);
		Archive_Int(ar, &mesh->branches[i].child, -mesh->cluster_count, mesh->branch_count - 2);
	}
	for (int i = 0; i < mesh->vertex_count; i++)
		Archive_Corner(ar, &mesh->vertices[i]);
	for (int i = 0; i < mesh->node_count && ar->failure == ERROR_NONE; i++) {
		Archive_U16(ar, &mesh->nodes[i].split[0], UINT16_MAX);
		Archive_U16(ar, &mesh->nodes[i].split[1], UINT16_MAX);
		Archive_U16(ar, &mesh->nodes[i].link, UINT16_MAX);
	}
	for (int i = 0; i < 3 * mesh->triangle_count && ar->failure == ERROR_NONE; i++)
		Archive_U16(ar, &mesh->corners[i], UINT16_MAX);
	for (int i = 0; i < mesh->triangle_count; i++)
		Archive_U8(ar, &mesh->flags[i]);
}

/* ---- checks ------------------------------------------------------------------------------------------------------ */

/* Clusters share out the triangles, in order, and name only vertices and nodes that there are. */
static bool ClusterIsSound(const Trimesh *mesh, const TrimeshCluster *c, int first)
{
	int end = c == mesh->clusters + mesh->cluster_count - 1 ? mesh->vertex_count : c[1].vertex_first;
	if (c->count < 1 || c->first != first || c->first + c->count > mesh->triangle_count || c->node_count < 1 ||
	    c->node_first + c->node_count > mesh->node_count || end > mesh->vertex_count || c->vertex_first > end)
		return false;
	for (int i = 3 * c->first; i < 3 * (c->first + c->count); i++)
		if (mesh->corners[i] >= end - c->vertex_first)
			return false;
	return KdTree_IsSound(mesh->nodes + c->node_first, c->node_count, c->count);
}

/* Children come after their parent, in pairs, each branch but the first once: a tree no deeper than the stacks are. */
static bool BranchesAreSound(const Trimesh *mesh, uint8_t *depth)
{
	int children = 1, leaves = 0;
	for (int i = 0; i < mesh->branch_count; i++) {
		int child = mesh->branches[i].child;
		if (child < 0) {
			leaves++;
			continue;
		}
		if (child <= i || depth[child] > 0 || depth[child + 1] > 0 || depth[i] + 2 >= TRIMESH_DEPTH)
			return false;
		depth[child] = depth[child + 1] = (uint8_t)(depth[i] + 1);
		children += 2;
	}
	return children == mesh->branch_count && leaves == mesh->cluster_count;
}

static bool IsSound(Archive *ar, Memory *memory, const Trimesh *mesh)
{
	uint8_t *depth = Memory_AllocZero(memory, (size_t)mesh->branch_count);
	bool branches = depth && BranchesAreSound(mesh, depth);
	Memory_Free(memory, depth, (size_t)mesh->branch_count);
	if (!depth)
		ar->failure = ERROR_MEMORY;
	if (!branches)
		return false;
	int first = 0;
	for (int i = 0; i < mesh->cluster_count; i++) {
		if (!ClusterIsSound(mesh, &mesh->clusters[i], first))
			return false;
		first += mesh->clusters[i].count;
	}
	return first == mesh->triangle_count && mesh->info.triangle_count == first;
}

void Trimesh_Archive(Archive *ar, Memory *memory, const Trimesh **shared)
{
	Trimesh sizes = {0}, *mesh = ar->reading ? NULL : (Trimesh *)*shared;
	if (ar->reading)
		*shared = NULL;
	else
		sizes = *mesh;
	Archive_Sizes(ar, &sizes);
	if (ar->failure != ERROR_NONE || (ar->reading && !MakeRoom(ar, memory, &sizes, &mesh)))
		return;
	Archive_F64s(ar, &mesh->origin.x, 3);
	Archive_Info(ar, &mesh->info);
	Archive_Arrays(ar, mesh);
	if (!ar->reading)
		return;
	if (ar->failure == ERROR_NONE && Archive_IsSound(ar, IsSound(ar, memory, mesh), "a mesh is damaged"))
		*shared = mesh;
	else
		Trimesh_Release(memory, mesh);
}
