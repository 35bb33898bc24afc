/* Brute force over the triangles of the twin's mesh (surface_reference.h), which shares no code with src/terrain: what
 * a ray meets, whether a point is inside. In extended precision, and with an honest "unsure" where a line passes an
 * edge to the rounding. Include after require.h. */
#ifndef TESTS_TERRAIN_BRUTE_H
#define TESTS_TERRAIN_BRUTE_H

#include "terrain_world.h"

#include <stdlib.h>

static const TerrainRayOptions usual = {true, false, 1.0};
static const TerrainRayOptions unhindered = {false, false, 1.0};

/* A ball around a quad. */
typedef struct Ball {
	double x, y, z, radius;
} Ball;

static inline Ball BallAround(const RefMesh *mesh, int q)
{
	double lo[3] = {1e30, 1e30, 1e30}, hi[3] = {-1e30, -1e30, -1e30};
	for (int k = 0; k < 4; k++)
		for (int a = 0; a < 3; a++) {
			lo[a] = MinD(lo[a], mesh->vertices[mesh->quads[q].corner[k]].at[a]);
			hi[a] = MaxD(hi[a], mesh->vertices[mesh->quads[q].corner[k]].at[a]);
		}
	double x = hi[0] - lo[0], y = hi[1] - lo[1], z = hi[2] - lo[2];
	return (Ball){(lo[0] + hi[0]) / 2, (lo[1] + hi[1]) / 2, (lo[2] + hi[2]) / 2, sqrt(x * x + y * y + z * z) / 2 + 8};
}

/* Units of 1/4096 cell from the centre of the field's cell (0,0,0). */
typedef long double Real;

typedef struct Ground {
	TerrainWorld world;
	Terrain
	    *forms[4]; /* over the same store: both indices, in the plain and in the fast form; made when first cast at */
	RefField field;
	RefMesh mesh;
	Ball *balls;       /* one a quad */
	int *sorted;       /* quads by bucket of 4^3 cells, so that brute force need not look at all of them */
	int *bucket_start; /* in `sorted`; one more than buckets */
	Ball *bucket_balls;
	int buckets;
	Cell at;
	double size; /* of a cell */
	const char *name;
	uint64_t seed;
	int64_t casts;
	int64_t asked, unsure; /* rays, and those that brute force leaves open: through an edge to the rounding */
} Ground;

static inline int BucketOf(const Ground *ground, int q)
{
	const int *c = ground->mesh.quads[q].cell;
	int nx = (ground->field.nx + 8) / 4, nz = (ground->field.nz + 8) / 4;
	return (c[0] + 4) / 4 + nx * ((c[2] + 4) / 4 + nz * ((c[1] + 4) / 4));
}

static inline void Ground_Mesh(Ground *ground)
{
	const RefField *f = &ground->field;
	ground->mesh = RefMesh_Create(f, true);
	int quads = ground->mesh.quad_count, nx = (f->nx + 8) / 4, nz = (f->nz + 8) / 4;
	ground->buckets = nx * nz * ((f->ny + 8) / 4);
	ground->balls = malloc((size_t)quads * sizeof *ground->balls);
	ground->sorted = malloc((size_t)quads * sizeof *ground->sorted);
	ground->bucket_start = calloc((size_t)ground->buckets + 1, sizeof *ground->bucket_start);
	ground->bucket_balls = malloc((size_t)ground->buckets * sizeof *ground->bucket_balls);
	for (int b = 0; b < ground->buckets; b++) {
		const double corner[3] = {b % nx * 4.0 - 4, b / nx / nz * 4.0 - 4, b / nx % nz * 4.0 - 4};
		/* Its quads reach from half a cell below its cells to one and a half above, from centre to centre. */
		ground->bucket_balls[b] =
		    (Ball){(corner[0] + 2) * 4096, (corner[1] + 2) * 4096, (corner[2] + 2) * 4096, 3.0 * 1.7321 * 4096};
	}
	for (int q = 0; q < quads; q++) {
		ground->balls[q] = BallAround(&ground->mesh, q);
		ground->bucket_start[BucketOf(ground, q)]++;
	}
	for (int b = 1; b < ground->buckets; b++)
		ground->bucket_start[b] += ground->bucket_start[b - 1];
	for (int q = 0; q < quads; q++)
		ground->sorted[--ground->bucket_start[BucketOf(ground, q)]] = q;
	/* Now these are the starts; the end of the last is known. */
	ground->bucket_start[ground->buckets] = quads;
}

static inline void Ground_Open(Ground *ground, FieldKind kind, int n, double size, int range, uint64_t seed)
{
	Random r = {seed};
	*ground = (Ground){.size = size, .name = field_names[kind], .seed = seed};
	World_Open(&ground->world, size);
	ground->field = Field_Make(kind, n, &r);
	ground->at = World_RandomPlace(&r, range);
	World_Put(&ground->world, &ground->field, ground->at);
	Ground_Mesh(ground);
}

static inline void Ground_Close(Ground *ground)
{
	for (int i = 0; i < 4; i++)
		if (ground->forms[i])
			Terrain_Destroy(ground->forms[i]);
	free(ground->balls);
	free(ground->sorted);
	free(ground->bucket_start);
	free(ground->bucket_balls);
	RefMesh_Free(&ground->mesh);
	RefField_Free(&ground->field);
	World_Close(&ground->world);
}

static inline void ToUnits(const Ground *ground, Pos p, Real out[3])
{
	out[0] = ((Real)p.x / ground->size - ground->at.x - 0.5L) * 4096;
	out[1] = ((Real)p.y / ground->size - ground->at.y - 0.5L) * 4096;
	out[2] = ((Real)p.z / ground->size - ground->at.z - 0.5L) * 4096;
}

/* The nearest double metres: back in units they are off by rounding. */
static inline Pos ToMetres(const Ground *ground, const double units[3])
{
	return (Pos){(units[0] / 4096 + 0.5 + ground->at.x) * ground->size,
	             (units[1] / 4096 + 0.5 + ground->at.y) * ground->size,
	             (units[2] / 4096 + 0.5 + ground->at.z) * ground->size};
}

static inline Real DotR(const Real a[3], const Real b[3])
{
	return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
static inline void CrossR(const Real a[3], const Real b[3], Real out[3])
{
	out[0] = a[1] * b[2] - a[2] * b[1];
	out[1] = a[2] * b[0] - a[0] * b[2];
	out[2] = a[0] * b[1] - a[1] * b[0];
}

typedef struct Line {
	Real o[3], d[3]; /* d of length 1 */
	Real length;
	double near_o[3], near_d[3]; /* the same, rounded */
} Line;

static inline Line LineBetween(const Ground *ground, Pos from, Pos to)
{
	Line line;
	Real end[3];
	ToUnits(ground, from, line.o);
	ToUnits(ground, to, end);
	for (int a = 0; a < 3; a++)
		line.d[a] = end[a] - line.o[a];
	line.length = sqrtl(DotR(line.d, line.d));
	for (int a = 0; a < 3; a++) {
		line.d[a] = line.length > 0 ? line.d[a] / line.length : 0;
		line.near_o[a] = (double)line.o[a];
		line.near_d[a] = (double)line.d[a];
	}
	return line;
}

static inline void CornersOf(const RefMesh *mesh, int i, const int *corner[3])
{
	const RefQuad *quad = &mesh->quads[i / 2];
	corner[0] = mesh->vertices[quad->corner[0]].at;
	corner[1] = mesh->vertices[quad->corner[1 + i % 2]].at;
	corner[2] = mesh->vertices[quad->corner[2 + i % 2]].at;
}

static inline void TriangleCorners(const RefMesh *mesh, int i, Real v[3][3])
{
	const int *corner[3];
	CornersOf(mesh, i, corner);
	for (int k = 0; k < 3; k++)
		for (int a = 0; a < 3; a++)
			v[k][a] = corner[k][a];
}

typedef enum Side { MISSES, GRAZES, FRONT, BACK } Side;

/* Is the line near enough to the quad to bother? */
static inline bool NearBall(const Ball *ball, const Line *line)
{
	const double *o = line->near_o, *d = line->near_d, length = (double)line->length;
	double x = ball->x - o[0], y = ball->y - o[1], z = ball->z - o[2];
	double along = x * d[0] + y * d[1] + z * d[2];
	if (along < -ball->radius || along > length + ball->radius)
		return false;
	double cx = y * d[2] - z * d[1], cy = z * d[0] - x * d[2], cz = x * d[1] - y * d[0];
	return cx * cx + cy * cy + cz * cz < ball->radius * ball->radius;
}

/* Does the line pass more than a unit outside one edge? In doubles, which is good enough for that. */
static inline bool FarOutside(const Line *line, const int *const corner[3])
{
	double ao[3][3];
	const double *d = line->near_d;
	for (int k = 0; k < 3; k++)
		for (int a = 0; a < 3; a++)
			ao[k][a] = corner[k][a] - line->near_o[a];
	double lowest = 0.0, highest = 0.0;
	for (int k = 0; k < 3; k++) {
		const double *p = ao[k], *q = ao[(k + 1) % 3];
		double e = d[0] * (p[1] * q[2] - p[2] * q[1]) + d[1] * (p[2] * q[0] - p[0] * q[2]) +
		           d[2] * (p[0] * q[1] - p[1] * q[0]);
		lowest = MinD(lowest, e);
		highest = MaxD(highest, e);
	}
	/* No edge is longer than four cells. */
	return lowest < -16384.0 && highest > 16384.0;
}

/* The distance from a line to the segment a b. */
static inline Real SegmentDistance(const Line *line, const Real a[3], const Real b[3])
{
	Real e[3], w[3], across_e[3], across_w[3], gap = 0;
	for (int i = 0; i < 3; i++) {
		e[i] = b[i] - a[i];
		w[i] = line->o[i] - a[i];
	}
	/* Both seen along the line: a point and a segment of the plane. */
	Real e_along = DotR(e, line->d), w_along = DotR(w, line->d);
	for (int i = 0; i < 3; i++) {
		across_e[i] = e[i] - e_along * line->d[i];
		across_w[i] = w[i] - w_along * line->d[i];
	}
	Real size = DotR(across_e, across_e), t = size > 0 ? DotR(across_e, across_w) / size : 0;
	t = t < 0 ? 0 : t > 1 ? 1 : t;
	for (int i = 0; i < 3; i++)
		gap += (across_w[i] - t * across_e[i]) * (across_w[i] - t * across_e[i]);
	return sqrtl(gap);
}

/* How the line meets a triangle, and at which length. GRAZES: so near an edge, or so flat, that rounding decides. */
static inline Side MeetTriangle(const Line *line, Real v[3][3], Real *t, Real normal[3])
{
	Real ab[3], ac[3], ao[3][3], cross[3], nearest = 1e30L, gap = 1e30L;
	for (int a = 0; a < 3; a++) {
		ab[a] = v[1][a] - v[0][a];
		ac[a] = v[2][a] - v[0][a];
		for (int k = 0; k < 3; k++)
			ao[k][a] = v[k][a] - line->o[a];
	}
	CrossR(ab, ac, normal);
	Real along = DotR(normal, line->d), size = sqrtl(DotR(normal, normal));
	if (fabsl(along) < 1e-6L * size) {
		*t = DotR(ao[0], line->d);
		for (int k = 0; k < 3; k++) {
			Real distance = SegmentDistance(line, v[k], v[(k + 1) % 3]);
			gap = distance < gap ? distance : gap;
		}
		return gap < 0.1L ? GRAZES : MISSES;
	}
	for (int k = 0; k < 3; k++) {
		Real edge[3];
		CrossR(ao[k], ao[(k + 1) % 3], cross);
		for (int a = 0; a < 3; a++)
			edge[a] = v[(k + 1) % 3][a] - v[k][a];
		/* The distance from the line to the edge's line, in the plane across the line; inside has the sign of `along`.
		 */
		Real e = DotR(line->d, cross) / sqrtl(DotR(edge, edge)) * (along < 0 ? -1 : 1);
		nearest = e < nearest ? e : nearest;
	}
	*t = DotR(normal, ao[0]) / along;
	return nearest < -1e-4L ? MISSES : nearest < 1e-4L ? GRAZES : along < 0 ? FRONT : BACK;
}

typedef struct Brute {
	Real sure;     /* length to the nearest sure crossing from the front; > line length: none */
	Real unsure;   /* ... to the nearest that grazes */
	int triangle;  /* of the sure one */
	int crossings; /* sure ones, both sides, within the line */
	int fronts;
	Real nearest_any; /* length to any crossing, sure or not, from t = -1 on */
} Brute;

static inline void BruteQuad(const Ground *ground, const Line *line, int q, Brute *result)
{
	const Real slack = 1e-3L;
	for (int i = 2 * q; i < 2 * q + 2; i++) {
		Real v[3][3], normal[3], t = 0;
		const int *corner[3];
		CornersOf(&ground->mesh, i, corner);
		if (FarOutside(line, corner))
			continue;
		TriangleCorners(&ground->mesh, i, v);
		Side side = MeetTriangle(line, v, &t, normal);
		if (side == MISSES || t < -slack || t > line->length + slack)
			continue;
		result->nearest_any = fabsl(t) < result->nearest_any ? fabsl(t) : result->nearest_any;
		if (side == GRAZES || t < slack || t > line->length - slack) {
			/* A flat one may be met anywhere along it. */
			Real from = side == GRAZES ? MaxD((double)t - 20000.0, 0.0) : t;
			result->unsure = from < result->unsure ? from : result->unsure;
			continue;
		}
		result->crossings++;
		result->fronts += side == FRONT;
		if (side == FRONT && t < result->sure) {
			result->sure = t;
			result->triangle = i;
		}
	}
}

static inline Brute BruteForce(const Ground *ground, const Line *line)
{
	Brute result = {.sure = 1e30L, .unsure = 1e30L, .triangle = -1, .nearest_any = 1e30L};
	for (int b = 0; b < ground->buckets; b++) {
		if (!NearBall(&ground->bucket_balls[b], line))
			continue;
		for (int i = ground->bucket_start[b]; i < ground->bucket_start[b + 1]; i++)
			if (NearBall(&ground->balls[ground->sorted[i]], line))
				BruteQuad(ground, line, ground->sorted[i], &result);
	}
	return result;
}

/* 1, 0, or -1: not to be decided (the point is on the surface). */
static inline int BruteInside(const Ground *ground, Pos p, Random *r)
{
	for (int attempt = 0; attempt < 5; attempt++) {
		Cell zero = {0, 0, 0};
		Pos aside = World_RandomPos(r, zero, -60, 60, ground->size);
		Pos far = {p.x + 150 * ground->size + aside.x, p.y + aside.y, p.z + aside.z};
		Line line = LineBetween(ground, p, far);
		Brute brute = BruteForce(ground, &line);
		if (brute.unsure > line.length + 1)
			return brute.crossings % 2;
	}
	return -1;
}

/* ---- what tests do with it ----------------------------------------------------------------------------------- */

/* How many times the usual number of rays: SCREE_SOAK, for long runs. Under sanitizers, which are slow, there are few:
 * they look for faults in memory, not for rays that slip through. */
#if defined(__SANITIZE_ADDRESS__)
enum { FEWER_RAYS = 50, KIND_STEP = 3 }; /* one kind of ground in three */
#else
enum { FEWER_RAYS = 1, KIND_STEP = 1 };
#endif
static inline int Soak(int count)
{
	const char *times = getenv("SCREE_SOAK");
	count = (count + FEWER_RAYS - 1) / FEWER_RAYS;
	return times && atoi(times) > 0 ? count * atoi(times) : count;
}

static inline bool SameHit(const TerrainHit *a, const TerrainHit *b)
{
	return memcmp(&a->fraction, &b->fraction, sizeof a->fraction) == 0 &&
	       memcmp(&a->normal, &b->normal, sizeof a->normal) == 0 && memcmp(&a->cell, &b->cell, sizeof a->cell) == 0 &&
	       a->material == b->material && a->inside == b->inside && a->water == b->water;
}

/* The same bits from both indices, in the plain and in the fast form. */
static inline void Ground_CompareForms(Ground *ground, Pos from, Pos to, TerrainRayOptions options, int want,
                                       const TerrainHit *hit)
{
	for (int i = 0; i < 4; i++) {
		Error error = {0};
		TerrainHit other;
		if (!ground->forms[i]) {
			ground->forms[i] =
			    Terrain_Create(World_Memory(&ground->world), ground->world.store, &ground->world.materials,
			                   ground->size, i & 1 ? NARROWPHASE_LATTICE : NARROWPHASE_KDTREE);
			REQUIRE(ground->forms[i] && Terrain_Sync(ground->forms[i], &error) == ERROR_NONE, "%s", error.text);
			ground->forms[i]->simd = i >= 2 && Cpu_Simd();
		}
		memset(&other, 0xA5, sizeof other);
		int result = Terrain_Ray(ground->forms[i], from, to, options, &other, &error);
		REQUIRE(result == want && (result <= 0 || SameHit(&other, hit)),
		        "%s, seed %llu, form %d: (%.17g, %.17g, %.17g) to (%.17g, %.17g, %.17g): %d at %.17g, not %d at %.17g",
		        ground->name, LOG(ground->seed), i, from.x, from.y, from.z, to.x, to.y, to.z, result, other.fraction,
		        want, hit->fraction);
	}
}

/* The batch call must say the same of rays that go together: a few beside this one, and this one among others. */
static inline void Ground_CompareBatch(Ground *ground, Pos from, Pos to, TerrainRayOptions options)
{
	enum { RAYS = 20 };
	Pos starts[RAYS], ends[RAYS];
	TerrainHit hits[RAYS], one;
	uint8_t met[RAYS];
	Error error = {0};
	Random r = {ground->seed + (uint64_t)ground->casts};
	double spread = ground->size * (ground->casts % 3 == 0 ? 0.02 : 1.5);
	for (int i = 0; i < RAYS; i++) {
		starts[i] = from;
		ends[i] = to;
		if (i == 3)
			continue;
		ends[i].x += Random_Range(&r, -spread, spread);
		ends[i].y += Random_Range(&r, -spread, spread);
		ends[i].z += Random_Range(&r, -spread, spread);
		starts[i].x += Random_Range(&r, -spread, spread) * 0.05;
	}
	Terrain *terrain = ground->forms[3];
	REQUIRE(Terrain_Rays(terrain, RAYS, starts, ends, options, hits, met, &error) == ERROR_NONE, "%s", error.text);
	for (int i = 0; i < RAYS; i++) {
		int result = Terrain_Ray(terrain, starts[i], ends[i], options, &one, &error);
		REQUIRE(result == met[i] && (result <= 0 || SameHit(&one, &hits[i])),
		        "%s, seed %llu, batch %lld, ray %d: (%.17g, %.17g, %.17g) to (%.17g, %.17g, %.17g): %d, alone %d",
		        ground->name, LOG(ground->seed), (long long)ground->casts, i, starts[i].x, starts[i].y, starts[i].z,
		        ends[i].x, ends[i].y, ends[i].z, met[i], result);
	}
}

static inline int Ground_Cast(Ground *ground, Pos from, Pos to, TerrainRayOptions options, TerrainHit *hit)
{
	Error error = {0};
	memset(hit, 0xA5, sizeof *hit);
	int result = Terrain_Ray(ground->world.terrain, from, to, options, hit, &error);
	REQUIRE(result >= 0, "%s, seed %llu: %s", ground->name, LOG(ground->seed), error.text);
	Ground_CompareForms(ground, from, to, options, result, hit);
	if (ground->casts++ % 4 == 0) /* twenty rays each */
		Ground_CompareBatch(ground, from, to, options);
	return result;
}

static inline void Ground_RandomPoint(const Ground *ground, Random *r, double margin, double out[3])
{
	const int n[3] = {ground->field.nx, ground->field.ny, ground->field.nz};
	for (int a = 0; a < 3; a++)
		out[a] = Random_Range(r, -margin, n[a] + margin) * 4096;
}

#endif
