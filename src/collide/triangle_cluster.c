/* From candidates to manifolds: planes of nearly one direction share one, of up to four points. */
#include "collide/triangles_internal.h"

#define CLUSTER_COSINE 0.9945f  /* 6 degrees */
#define EQUAL_COSINE 0.9999995f /* 0.06 degrees: one plane */
#define BEARS 0.002f            /* metres: points this near to the deepest bear load with it */
#define SEAM_SLACK 2e-4f        /* metres */
#define FIT_SLOPE 0.15f         /* how far ground may leave the first point's plane: this share of the way to it */

typedef struct Cluster {
	Vec3 seed_normal, seed_ground;
	Vec3 sum;    /* of normals by contact area */
	bool planar; /* all normals equal */
	uint8_t material;
	float deepest;
	ManifoldPoint *points;
	bool *seam;
	int count;
} Cluster;

/* ---- gathering --------------------------------------------------------------------------------------------------- */

static bool Fits(const TriangleTest *test, const Cluster *cluster, const Candidate *c)
{
	if (Dot(c->normal, cluster->seed_normal) <= CLUSTER_COSINE)
		return false;
	float room = Min(0.01f, 0.1f * test->size);
	for (int i = 0; i < c->count; i++) {
		Vec3 d = Sub(c->points[i].ground, cluster->seed_ground);
		float height = Abs(Dot(cluster->seed_normal, d));
		if (height > room + FIT_SLOPE * Length(d))
			return false;
	}
	return true;
}

static void Take(const TriangleTest *test, Cluster *cluster, const Candidate *seed, Candidate *c)
{
	c->dropped = true; /* taken */
	float cosine = Dot(c->normal, cluster->seed_normal);
	cluster->planar = cluster->planar && cosine > EQUAL_COSINE;
	/* a little even for points and edges, so that there is always a sum */
	float weight = c->follows && c != seed ? 0.0f : c->weight + 1e-4f * test->size * test->size;
	cluster->sum = MulAdd(cluster->sum, weight, c->normal);
	for (int i = 0; i < c->count; i++) {
		const TouchPoint *p = &c->points[i];
		cluster->seam[cluster->count] = p->seam;
		cluster->points[cluster->count++] =
		    (ManifoldPoint){MulAdd(p->ground, 0.5f * p->separation, c->normal), p->separation, p->id};
	}
}

/* On one plane, cuts at flat edges are no corners of the contact: the neighbour has the rest. (Should they be deepest,
 * it has not.) */
static void DropSeams(Cluster *cluster)
{
	float deepest = FLT_MAX;
	for (int i = 0; i < cluster->count; i++)
		if (!cluster->seam[i])
			deepest = Min(deepest, cluster->points[i].separation);
	if (!cluster->planar || deepest == FLT_MAX)
		return;
	int kept = 0;
	for (int i = 0; i < cluster->count; i++)
		if (!cluster->seam[i] || cluster->points[i].separation < deepest - SEAM_SLACK)
			cluster->points[kept++] = cluster->points[i];
	cluster->count = kept;
}

static int FindDouble(const Cluster *cluster, int kept, const ManifoldPoint *p, float near)
{
	int found = -1;
	for (int j = 0; j < kept; j++) {
		if (cluster->points[j].id == p->id)
			return j;
		if (found < 0 && LengthSq(Sub(cluster->points[j].point, p->point)) <= near * near)
			found = j;
	}
	return found;
}

/* A corner of the shape on the border of two triangles, a corner of the ground that several share: once. */
static void DropDoubles(const TriangleTest *test, Cluster *cluster)
{
	float near = Min(1e-3f, 0.01f * test->size);
	int kept = 0;
	for (int i = 0; i < cluster->count; i++) {
		ManifoldPoint p = cluster->points[i];
		int j = FindDouble(cluster, kept, &p, near);
		if (j < 0)
			cluster->points[kept++] = p;
		else if (p.separation < cluster->points[j].separation)
			cluster->points[j] = p;
	}
	cluster->count = kept;
}

/* ---- one manifold ------------------------------------------------------------------------------------------------ */

static Candidate *DeepestLeft(const TriangleTest *test)
{
	Candidate *best = NULL;
	for (Candidate *c = test->first; c; c = c->next) {
		if (c->dropped)
			continue;
		if (best && c->follows != best->follows) {
			best = c->follows ? best : c;
			continue;
		}
		bool tie = best && c->deepest == best->deepest;
		if (!best || c->deepest < best->deepest ||
		    (tie && test->faces[c->face].triangle->id < test->faces[best->face].triangle->id))
			best = c;
	}
	return best;
}

static void Cluster_Make(const TriangleTest *test, Cluster *cluster, Candidate *seed)
{
	cluster->seed_normal = seed->normal;
	cluster->seed_ground = seed->points[0].ground;
	for (int i = 1; i < seed->count; i++)
		if (seed->points[i].separation == seed->deepest)
			cluster->seed_ground = seed->points[i].ground;
	cluster->sum = V3(0.0f, 0.0f, 0.0f);
	cluster->planar = true;
	cluster->material = test->faces[seed->face].triangle->material;
	cluster->deepest = seed->deepest;
	cluster->count = 0;
	for (Candidate *c = test->first; c; c = c->next)
		if (!c->dropped && (c == seed || Fits(test, cluster, c)))
			Take(test, cluster, seed, c);
	DropSeams(cluster);
	DropDoubles(test, cluster);
}

static void WriteManifold(const TriangleTest *test, const Cluster *cluster, Vec3 origin, Manifold *m)
{
	*m = (Manifold){.normal = cluster->planar ? cluster->seed_normal : Normalize(cluster->sum),
	                .material = cluster->material};
	m->count = Clip_Reduce(cluster->points, cluster->count, m->normal, test->motion);
	for (int i = 0; i < m->count; i++) {
		m->points[i] = cluster->points[i];
		m->points[i].point = Add(m->points[i].point, origin);
	}
}

/* Leaves of the cluster what bears load beyond the points that were written. Without these a body that rocks on curved
 * ground would sink to where one of them is chosen instead, be lifted, and sink again for ever. */
static bool KeepBearing(Cluster *cluster, int written)
{
	int left = 0;
	for (int i = written; i < cluster->count; i++)
		if (cluster->points[i].separation <= cluster->deepest + BEARS)
			cluster->points[left++] = cluster->points[i];
	cluster->count = left;
	return left > 0;
}

int Candidates_Cluster(TriangleTest *test, Vec3 origin, Manifold *manifolds, int capacity)
{
	int points = 0, count = 0;
	for (const Candidate *c = test->first; c; c = c->next)
		points += c->dropped ? 0 : c->count;
	if (points == 0)
		return 0;
	Cluster cluster = {.points = Arena_Array(test->arena, ManifoldPoint, points),
	                   .seam = Arena_Array(test->arena, bool, points)};
	if (!cluster.points || !cluster.seam)
		return -1;
	/* the deepest is always the next seed, so what is left out past the capacity is the shallowest */
	bool rocks = test->shape->kind == SHAPE_BOX || test->shape->kind == SHAPE_HULL; /* others have few points */
	while (count < capacity) {
		Candidate *seed = DeepestLeft(test);
		if (!seed)
			break;
		Cluster_Make(test, &cluster, seed);
		Manifold *m = &manifolds[count++];
		WriteManifold(test, &cluster, origin, m);
		if (rocks && !cluster.planar && count < capacity && KeepBearing(&cluster, m->count))
			WriteManifold(test, &cluster, origin, &manifolds[count++]);
	}
	return count;
}
