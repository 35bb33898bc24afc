/* Shared by the files of meshes of triangles.
 *
 * A mesh is cut into clusters of at most KD_QUAD_LIMIT triangles, each with corners and a loose kD-tree of its own; a
 * binary tree of boxes stands over the clusters. Corners are floats about the mesh's origin; those that triangles share
 * have the same bits in every cluster.
 */
#ifndef SCREE_SHAPE_TRIMESH_INTERNAL_H
#define SCREE_SHAPE_TRIMESH_INTERNAL_H

#include "shape/shape.h"

#define TRIMESH_UNITS 65533.0 /* of a cluster's extent; one is left free at either end for rounding outwards */
#define TRIMESH_DEPTH 48      /* of the boxes over clusters: halves of halves of TRIMESH_LIMIT */

/* Flags of a triangle: EdgeKind of edge i in bits 2 i and 2 i + 1. */
#define TRIMESH_THIN 64 /* too thin for its normal to mean anything: met by rays only */
#define TRIMESH_OPEN 3  /* in place of an EdgeKind, while the mesh is made: no neighbour was found */

typedef struct TrimeshCluster {
	Box box; /* about the mesh's origin */
	int32_t first, vertex_first, node_first;
	uint16_t count, node_count;
} TrimeshCluster;

typedef struct TrimeshBranch {
	Box box;
	int32_t child; /* the first of two neighbours; or ~cluster */
} TrimeshBranch;

struct Trimesh {
	TrimeshInfo info;
	int owners;
	Pos origin; /* in the shape's frame */
	int cluster_count, branch_count, vertex_count, node_count, triangle_count;
	/* arrays of one block, which this starts */
	TrimeshCluster *clusters;
	TrimeshBranch *branches;
	Vec3 *vertices;
	KdNode *nodes;
	uint16_t *corners; /* 3 a triangle, from its cluster's first vertex */
	uint8_t *flags;
};

/* A mesh while it is made. Triangles stand in the order of the input until clusters are cut. */
typedef struct TrimeshDraft {
	Memory *memory;
	Progress progress;
	Pos origin;
	float tolerance; /* m: corners nearer than this were made one */
	ARRAY(Vec3) points;
	ARRAY(uint32_t) corners; /* 3 a triangle */
	ARRAY(uint8_t) flags;
	int64_t dropped;
	int open_edges;
	bool closed;
	double volume;
} TrimeshDraft;

/* Corners that are one get one number; triangles without area go, those nearly so are marked thin, except that slivers
 * of distinct corners are left for Trimesh_FindEdges. (trimesh_weld.c) */
int Trimesh_Weld(TrimeshDraft *draft, const double *positions, const uint32_t *indices, int triangle_count,
                 Error *error);
/* Kinds of edges, whether the mesh is closed; then drops slivers. (trimesh_edges.c) */
int Trimesh_FindEdges(TrimeshDraft *draft, Error *error);
/* Edges without a partner of the same corners, which others run along: makes them flat or concave where these say so.
 * (trimesh_seams.c) */
int Trimesh_FindSeams(Trimesh *mesh, Memory *memory, float tolerance, Error *error);
void TrimeshDraft_Free(TrimeshDraft *draft);
/* Nothing in it but the counts and where the arrays are. */
Trimesh *Trimesh_Allocate(Memory *memory, int cluster_count, int vertex_count, int node_count, int triangle_count);
/* The mesh of a draft, with one owner. NULL: out of memory. (trimesh_cut.c) */
Trimesh *Trimesh_Cut(TrimeshDraft *draft);

/* What Shape_... functions say of meshes. */
float Trimesh_OuterRadius(const Trimesh *mesh);
MassProps Trimesh_Mass(const Trimesh *mesh, float density);
bool Trimesh_RayHit(const Trimesh *mesh, const double origin[3], const double delta[3], ShapeHit *hit);

/* Unit normal in double; false for a sliver: lower than 1e-6 of its longest side. */
bool Trimesh_Normal(Vec3 a, Vec3 b, Vec3 c, Vec3D *normal);
/* Of the edge from `a` to `b` of a triangle with normal n, whose neighbour across has normal m: how far it is round the
 * outside from one to the other, as a measure that grows with the angle from 0 to 4; 2 where they are level. */
double Trimesh_OutsideAngle(Vec3D along, Vec3D n, Vec3D m);
EdgeKind Trimesh_EdgeKind(Vec3D along, Vec3D n, Vec3D m);

static inline void Trimesh_Corners(const Trimesh *mesh, const TrimeshCluster *cluster, int triangle, Vec3 out[3])
{
	const uint16_t *corner = mesh->corners + 3 * (size_t)triangle;
	const Vec3 *vertices = mesh->vertices + cluster->vertex_first;
	for (int i = 0; i < 3; i++)
		out[i] = vertices[corner[i]];
}

/* From metres about the mesh's origin to the 16-bit units of a cluster. */
typedef struct ClusterUnits {
	double lo[3], scale[3];
} ClusterUnits;

static inline ClusterUnits Cluster_Units(const TrimeshCluster *cluster)
{
	Vec3 lo = cluster->box.lo, hi = cluster->box.hi;
	const double low[3] = {lo.x, lo.y, lo.z}, high[3] = {hi.x, hi.y, hi.z};
	ClusterUnits units;
	for (int a = 0; a < 3; a++) {
		units.lo[a] = low[a];
		units.scale[a] = high[a] > low[a] ? TRIMESH_UNITS / (high[a] - low[a]) : 1.0;
	}
	return units;
}

/* Rounded outwards. */
static inline KdQuadBox Cluster_UnitBox(const ClusterUnits *units, Box box)
{
	const double lo[3] = {box.lo.x, box.lo.y, box.lo.z}, hi[3] = {box.hi.x, box.hi.y, box.hi.z};
	KdQuadBox out;
	for (int a = 0; a < 3; a++) {
		out.lo[a] = (uint16_t)ClampD((lo[a] - units->lo[a]) * units->scale[a], 0.0, 65534.0);
		out.hi[a] = (uint16_t)(ClampD((hi[a] - units->lo[a]) * units->scale[a], 0.0, 65534.0) + 1.0);
	}
	return out;
}

/* Leaves of the tree of boxes that meet a box, and triangles whose own box does, in the mesh's order of clusters. */
typedef bool TrimeshLocalFn(void *context, const TrimeshCluster *cluster, int triangle, const Vec3 corner[3]);
bool Trimesh_VisitLocal(const Trimesh *mesh, Box box, TrimeshLocalFn *fn, void *context); /* false: was stopped */

#endif
