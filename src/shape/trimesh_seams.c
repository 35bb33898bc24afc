/* Seams: edges that have no partner of the same two corners, but others that run along them, as where one long edge
 * meets two short ones. Left open they would be ridges in the middle of a floor. */
#include "shape/trimesh_internal.h"

#define COVERED 0.99      /* of an edge's length: then it is no border */
#define LOOKED_AT 400     /* open edges near one; beyond it stays a border */
#define ALONG_COSINE 0.99 /* the distances of both ends decide; this only keeps out what crosses */

typedef struct SeamSearch {
	const Trimesh *mesh;
	int triangle;
	Vec3D a, along; /* the edge's start and its unit direction */
	Vec3D normal;
	double length, tolerance;
	double level, valley; /* metres of it along which others run */
	int looked;
} SeamSearch;

static void MeetEdge(SeamSearch *s, const Vec3 v[3], int edge)
{
	Vec3D from = ToD(v[edge]), to = ToD(v[(edge + 1) % 3]), normal, d = SubD(to, from);
	double length = LengthD(d);
	s->looked++;
	if (!(DotD(d, s->along) < -ALONG_COSINE * length))
		return;
	Vec3D p = SubD(from, s->a), q = SubD(to, s->a);
	double tp = DotD(p, s->along), tq = DotD(q, s->along);
	if (LengthD(SubD(p, ScaleD(tp, s->along))) > s->tolerance || LengthD(SubD(q, ScaleD(tq, s->along))) > s->tolerance)
		return;
	double shared = MinD(tp, s->length) - MaxD(tq, 0.0);
	if (shared <= s->tolerance || !Trimesh_Normal(v[0], v[1], v[2], &normal))
		return;
	EdgeKind kind = Trimesh_EdgeKind(s->along, s->normal, normal);
	if (kind == EDGE_FLAT)
		s->level += shared;
	else if (kind == EDGE_CONCAVE)
		s->valley += shared;
}

static bool MeetTriangle(void *context, const TrimeshCluster *cluster, int triangle, const Vec3 v[3])
{
	SeamSearch *s = context;
	uint8_t flags = s->mesh->flags[triangle];
	(void)cluster;
	if (triangle == s->triangle || flags & TRIMESH_THIN)
		return true;
	for (int i = 0; i < 3; i++)
		if ((flags >> 2 * i & 3) == TRIMESH_OPEN)
			MeetEdge(s, v, i);
	return s->looked < LOOKED_AT;
}

static int SeamKind(const Trimesh *mesh, int triangle, const Vec3 v[3], int edge, double tolerance)
{
	SeamSearch s = {.mesh = mesh, .triangle = triangle, .tolerance = tolerance};
	Vec3 a = v[edge], b = v[(edge + 1) % 3];
	Vec3D d = SubD(ToD(b), ToD(a));
	s.a = ToD(a);
	s.length = LengthD(d);
	s.along = ScaleD(1.0 / s.length, d);
	if (s.length < 4.0 * tolerance || !Trimesh_Normal(v[0], v[1], v[2], &s.normal))
		return TRIMESH_OPEN;
	Box box = BoxGrow((Box){MinV(a, b), MaxV(a, b)}, (float)tolerance);
	if (!Trimesh_VisitLocal(mesh, box, MeetTriangle, &s) || s.level + s.valley < COVERED * s.length)
		return TRIMESH_OPEN;
	return s.valley > (1.0 - COVERED) * s.length ? EDGE_CONCAVE : EDGE_FLAT;
}

int Trimesh_FindSeams(Trimesh *mesh, Memory *memory, float tolerance, Error *error)
{
	size_t bytes = (size_t)mesh->triangle_count;
	uint8_t *found = Memory_Alloc(memory, bytes);
	if (!found)
		return Error_OutOfMemory(error);
	memcpy(found, mesh->flags, bytes);
	for (int c = 0; c < mesh->cluster_count; c++) {
		const TrimeshCluster *cluster = &mesh->clusters[c];
		for (int t = cluster->first; t < cluster->first + cluster->count; t++) {
			Vec3 v[3];
			Trimesh_Corners(mesh, cluster, t, v);
			for (int i = 0; i < 3 && !(found[t] & TRIMESH_THIN); i++) {
				if ((mesh->flags[t] >> 2 * i & 3) != TRIMESH_OPEN)
					continue;
				int kind = SeamKind(mesh, t, v, i, 4.0 * (double)tolerance);
				found[t] = (uint8_t)((found[t] & ~(3 << 2 * i)) | kind << 2 * i);
				mesh->info.open_edges += kind == TRIMESH_OPEN;
			}
		}
	}
	memcpy(mesh->flags, found, bytes);
	Memory_Free(memory, found, bytes);
	return ERROR_NONE;
}
