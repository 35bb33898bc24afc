/* Rays and points against brute force over the triangles of the twin's mesh (surface_reference.h), which shares no code
 * with src/terrain: random rays, rays along the grid, rays aimed at corners and edges, far away, from inside. */
#include "require.h"

#include "terrain_world.h"

#include <check.h>
#include <stdlib.h>

#define LOG(seed) ((unsigned long long)(seed))

static const TerrainRayOptions usual = {true, false, 1.0};
static const TerrainRayOptions unhindered = {false, false, 1.0};

/* ---- brute force -------------------------------------------------------------------------------------------------- */

/* A ball around a quad. */
typedef struct Ball {
	double x, y, z, radius;
} Ball;

static Ball BallAround(const RefMesh *mesh, int q)
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
	RefField field;
	RefMesh mesh;
	Ball *balls; /* one a quad */
	Cell at;
	double size; /* of a cell */
	const char *name;
	uint64_t seed;
	int64_t asked, unsure; /* rays, and those that brute force leaves open: through an edge to the rounding */
} Ground;

static void Ground_Mesh(Ground *ground)
{
	ground->mesh = RefMesh_Create(&ground->field, true);
	ground->balls = malloc((size_t)ground->mesh.quad_count * sizeof *ground->balls);
	for (int q = 0; q < ground->mesh.quad_count; q++)
		ground->balls[q] = BallAround(&ground->mesh, q);
}

static void Ground_Open(Ground *ground, FieldKind kind, int n, double size, int range, uint64_t seed)
{
	Random r = {seed};
	*ground = (Ground){.size = size, .name = field_names[kind], .seed = seed};
	World_Open(&ground->world, size);
	ground->field = Field_Make(kind, n, &r);
	ground->at = (Cell){Random_Below(&r, 2 * range) - range, Random_Below(&r, 2 * range) - range,
	                    Random_Below(&r, 2 * range) - range};
	World_Put(&ground->world, &ground->field, ground->at);
	Ground_Mesh(ground);
}

static void Ground_Close(Ground *ground)
{
	free(ground->balls);
	RefMesh_Free(&ground->mesh);
	RefField_Free(&ground->field);
	World_Close(&ground->world);
}

static void ToUnits(const Ground *ground, Pos p, Real out[3])
{
	out[0] = ((Real)p.x / ground->size - ground->at.x - 0.5L) * 4096;
	out[1] = ((Real)p.y / ground->size - ground->at.y - 0.5L) * 4096;
	out[2] = ((Real)p.z / ground->size - ground->at.z - 0.5L) * 4096;
}

/* The nearest double metres: back in units they are off by rounding. */
static Pos ToMetres(const Ground *ground, const double units[3])
{
	return (Pos){(units[0] / 4096 + 0.5 + ground->at.x) * ground->size,
	             (units[1] / 4096 + 0.5 + ground->at.y) * ground->size,
	             (units[2] / 4096 + 0.5 + ground->at.z) * ground->size};
}

static Real DotR(const Real a[3], const Real b[3])
{
	return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
static void CrossR(const Real a[3], const Real b[3], Real out[3])
{
	out[0] = a[1] * b[2] - a[2] * b[1];
	out[1] = a[2] * b[0] - a[0] * b[2];
	out[2] = a[0] * b[1] - a[1] * b[0];
}

typedef struct Line {
	Real o[3], d[3]; /* d of length 1 */
	Real length;
} Line;

static Line LineBetween(const Ground *ground, Pos from, Pos to)
{
	Line line;
	Real end[3];
	ToUnits(ground, from, line.o);
	ToUnits(ground, to, end);
	for (int a = 0; a < 3; a++)
		line.d[a] = end[a] - line.o[a];
	line.length = sqrtl(DotR(line.d, line.d));
	for (int a = 0; a < 3; a++)
		line.d[a] = line.length > 0 ? line.d[a] / line.length : 0;
	return line;
}

static void TriangleCorners(const RefMesh *mesh, int i, Real v[3][3])
{
	const RefQuad *quad = &mesh->quads[i / 2];
	const int *corner[3] = {mesh->vertices[quad->corner[0]].at, mesh->vertices[quad->corner[1 + i % 2]].at,
	                        mesh->vertices[quad->corner[2 + i % 2]].at};
	for (int k = 0; k < 3; k++)
		for (int a = 0; a < 3; a++)
			v[k][a] = corner[k][a];
}

/* Is the line near enough to the quad to bother? */
static bool NearBall(const Ball *ball, const double o[3], const double d[3], double length)
{
	double x = ball->x - o[0], y = ball->y - o[1], z = ball->z - o[2];
	double along = x * d[0] + y * d[1] + z * d[2];
	if (along < -ball->radius || along > length + ball->radius)
		return false;
	double cx = y * d[2] - z * d[1], cy = z * d[0] - x * d[2], cz = x * d[1] - y * d[0];
	return cx * cx + cy * cy + cz * cz < ball->radius * ball->radius;
}

typedef enum Side { MISSES, GRAZES, FRONT, BACK } Side;

/* The distance from a line to the segment a b. */
static Real SegmentDistance(const Line *line, const Real a[3], const Real b[3])
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
static Side MeetTriangle(const Line *line, Real v[3][3], Real *t, Real normal[3])
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
		/* The distance from the line to the edge's line, in the plane across the line; inside has the sign of `along`. */
		Real e = DotR(line->d, cross) / sqrtl(DotR(edge, edge)) * (along < 0 ? -1 : 1);
		nearest = e < nearest ? e : nearest;
	}
	*t = DotR(normal, ao[0]) / along;
	return nearest < -1e-4L ? MISSES : nearest < 1e-4L ? GRAZES : along < 0 ? FRONT : BACK;
}

typedef struct Brute {
	Real sure;      /* length to the nearest sure crossing from the front; > line length: none */
	Real unsure;    /* ... to the nearest that grazes */
	int triangle;   /* of the sure one */
	int crossings;  /* sure ones, both sides, within the line */
	int fronts;
	Real nearest_any; /* length to any crossing, sure or not, from t = -1 on */
} Brute;

static Brute BruteForce(const Ground *ground, const Line *line)
{
	const Real slack = 1e-3L;
	Brute result = {.sure = 1e30L, .unsure = 1e30L, .triangle = -1, .nearest_any = 1e30L};
	const double o[3] = {(double)line->o[0], (double)line->o[1], (double)line->o[2]};
	const double d[3] = {(double)line->d[0], (double)line->d[1], (double)line->d[2]};
	for (int q = 0; q < ground->mesh.quad_count; q++) {
		if (!NearBall(&ground->balls[q], o, d, (double)line->length))
			continue;
		for (int i = 2 * q; i < 2 * q + 2; i++) {
			Real v[3][3], normal[3], t = 0;
			TriangleCorners(&ground->mesh, i, v);
			Side side = MeetTriangle(line, v, &t, normal);
			if (side == MISSES || t < -slack || t > line->length + slack)
				continue;
			result.nearest_any = fabsl(t) < result.nearest_any ? fabsl(t) : result.nearest_any;
			if (side == GRAZES || t < slack || t > line->length - slack) {
				/* A flat one may be met anywhere along it. */
				result.unsure = t - 20000 < result.unsure && side == GRAZES ? MaxD((double)t - 20000, 0.0)
				                : t < result.unsure                       ? t
				                                                          : result.unsure;
				continue;
			}
			result.crossings++;
			result.fronts += side == FRONT;
			if (side == FRONT && t < result.sure) {
				result.sure = t;
				result.triangle = i;
			}
		}
	}
	return result;
}

/* 1, 0, or -1: not to be decided (the point is on the surface). */
static int BruteInside(const Ground *ground, Pos p, Random *r)
{
	for (int attempt = 0; attempt < 8; attempt++) {
		Pos far = {p.x + Random_Range(r, 100, 200) * ground->size, p.y + Random_Range(r, -60, 60) * ground->size,
		           p.z + Random_Range(r, -60, 60) * ground->size};
		Line line = LineBetween(ground, p, far);
		Brute brute = BruteForce(ground, &line);
		if (brute.unsure > line.length + 1)
			return brute.crossings % 2;
	}
	return -1;
}

/* ---- one ray ------------------------------------------------------------------------------------------------------ */

static int Cast_(Ground *ground, Pos from, Pos to, TerrainRayOptions options, TerrainHit *hit)
{
	Error error = {0};
	memset(hit, 0xA5, sizeof *hit);
	int result = Terrain_Ray(ground->world.terrain, from, to, options, hit, &error);
	REQUIRE(result >= 0, "%s, seed %llu: %s", ground->name, LOG(ground->seed), error.text);
	return result;
}

static void CheckHit(Ground *ground, const Brute *brute, const Line *line, const TerrainHit *hit, int ray)
{
	Real v[3][3], normal[3], t;
	TriangleCorners(&ground->mesh, brute->triangle, v);
	MeetTriangle(line, v, &t, normal);
	Real size = sqrtl(DotR(normal, normal));
	const float n[3] = {hit->normal.x, hit->normal.y, hit->normal.z};
	for (int a = 0; a < 3; a++)
		REQUIRE(fabsl(n[a] - normal[a] / size) < 1e-6L, "%s, seed %llu, ray %d: wrong normal", ground->name,
		        LOG(ground->seed), ray);
	const RefQuad *quad = &ground->mesh.quads[brute->triangle / 2];
	int c[3] = {quad->cell[0] + ground->at.x, quad->cell[1] + ground->at.y, quad->cell[2] + ground->at.z};
	c[quad->axis] += !quad->low_inside;
	REQUIRE(hit->cell.x == c[0] && hit->cell.y == c[1] && hit->cell.z == c[2] &&
	            hit->material == FIELD_MATERIAL(quad->material) && !hit->inside && !hit->water,
	        "%s, seed %llu, ray %d: cell (%d, %d, %d) of material %d", ground->name, LOG(ground->seed), ray,
	        hit->cell.x, hit->cell.y, hit->cell.z, hit->material);
}

/* Casts and compares. limit: fraction beyond which nothing counts. */
static void CheckRay(Ground *ground, Pos from, Pos to, TerrainRayOptions options, int ray)
{
	TerrainHit hit;
	Random r = {ground->seed + (uint64_t)ray};
	int result = Cast_(ground, from, to, options, &hit);
	int inside = options.inside ? BruteInside(ground, from, &r) : 0;
	Line line = LineBetween(ground, from, to);
	Real whole = line.length;
	line.length *= MinD(options.limit, 1.0);
	ground->asked++;
	if (result && hit.inside) {
		REQUIRE(inside != 0 && hit.fraction == 0.0 && LengthSq(hit.normal) == 0.0f,
		        "%s, seed %llu, ray %d: said to start inside", ground->name, LOG(ground->seed), ray);
		return;
	}
	Brute brute = BruteForce(ground, &line);
	if (inside != 0) {
		REQUIRE(inside < 0 || brute.nearest_any < 1e-3L, "%s, seed %llu, ray %d: the start inside is not seen",
		        ground->name, LOG(ground->seed), ray);
		ground->unsure++;
		return;
	}
	Real tolerance = 4096e-6L + whole * 1e-13L, t = result ? (Real)hit.fraction * whole : 2e30L;
	if (brute.unsure <= line.length + 1 && brute.unsure <= brute.sure + 1) {
		/* Any of both is right, and nothing between. */
		ground->unsure++;
		REQUIRE(t <= brute.sure + tolerance || brute.triangle < 0, "%s, seed %llu, ray %d: goes through at %Lg",
		        ground->name, LOG(ground->seed), ray, brute.sure / 4096);
		REQUIRE(!result || t >= brute.unsure - 1 || fabsl(t - brute.sure) < tolerance,
		        "%s, seed %llu, ray %d: met something at %Lg", ground->name, LOG(ground->seed), ray, t / 4096);
		return;
	}
	REQUIRE(result == (brute.triangle >= 0), "%s, seed %llu, ray %d: %s, brute force says %Lg of %Lg cells (met %Lg)",
	        ground->name, LOG(ground->seed), ray, result ? "hit" : "missed", brute.sure / 4096, whole / 4096, t / 4096);
	if (!result)
		return;
	REQUIRE(fabsl(t - brute.sure) < tolerance, "%s, seed %llu, ray %d: %Lg cells, brute force says %Lg", ground->name,
	        LOG(ground->seed), ray, t / 4096, brute.sure / 4096);
	CheckHit(ground, &brute, &line, &hit, ray);
}

/* ---- many rays ---------------------------------------------------------------------------------------------------- */

static void RandomPoint(const Ground *ground, Random *r, double margin, double out[3])
{
	const int n[3] = {ground->field.nx, ground->field.ny, ground->field.nz};
	for (int a = 0; a < 3; a++)
		out[a] = Random_Range(r, -margin, n[a] + margin) * 4096;
}

typedef enum Style {
	ANY,
	AXIS,      /* along an axis */
	GRID_AXIS, /* along an axis, on planes through cells' corners or centres */
	ONE_ZERO,
	DIAGONAL, /* from a lattice point along a diagonal of the lattice */
	FAR_OFF,
	SHORT,
	LIMITED,
	STYLE_COUNT
} Style;

static void RandomRay(const Ground *ground, Random *r, Style style, Pos *from, Pos *to, TerrainRayOptions *options)
{
	double o[3], e[3];
	*options = Random_Below(r, 3) ? usual : unhindered;
	RandomPoint(ground, r, 4.0, o);
	RandomPoint(ground, r, 4.0, e);
	int axis = Random_Below(r, 3);
	for (int a = 0; a < 3; a++) {
		double half = 2048.0 * Random_Below(r, 2 * ground->field.nx);
		if (style == GRID_AXIS)
			o[a] = a == axis ? o[a] : half;
		if (style == AXIS || style == GRID_AXIS)
			e[a] = a == axis ? e[a] : o[a];
		if (style == ONE_ZERO && a == axis)
			e[a] = o[a];
		if (style == DIAGONAL) {
			o[a] = half;
			e[a] = o[a] + (Random_Below(r, 3) - 1) * 4096.0 * 20;
		}
		if (style == SHORT)
			e[a] = o[a] + Random_Range(r, -1.0, 1.0) * 4096 * 0.7;
	}
	if (style == FAR_OFF)
		for (int a = 0; a < 3; a++) {
			double d = e[a] - o[a];
			o[a] = e[a] - 1e4 * d;
			e[a] += 1e3 * d;
		}
	if (style == LIMITED)
		options->limit = Random_Unit(r);
	*from = ToMetres(ground, o);
	*to = ToMetres(ground, e);
	if (style == AXIS || style == GRID_AXIS) { /* exactly so, after rounding */
		to->x = axis == 0 ? to->x : from->x;
		to->y = axis == 1 ? to->y : from->y;
		to->z = axis == 2 ? to->z : from->z;
	}
}

static void CheckStyle(Style style, int rays, int range)
{
	static const double sizes[] = {1.0, 0.3, 4.0, 0.25, 1.7};
	for (int kind = 0; kind < FIELD_KINDS; kind++) {
		Ground ground;
		uint64_t seed = 10000 + 100 * (uint64_t)style + (uint64_t)kind;
		Random r = {seed};
		Ground_Open(&ground, kind, kind == FIELD_HILLS ? 24 : 17, sizes[(kind + style) % 5], range, seed);
		for (int ray = 0; ray < rays; ray++) {
			Pos from, to;
			TerrainRayOptions options;
			RandomRay(&ground, &r, style, &from, &to, &options);
			CheckRay(&ground, from, to, options, ray);
		}
		/* Brute force must have something to say. */
		bool on_grid = style == GRID_AXIS || style == DIAGONAL;
		REQUIRE(on_grid || ground.unsure * 20 < ground.asked, "%s, seed %llu: %lld of %lld rays left open", ground.name,
		        LOG(seed), (long long)ground.unsure, (long long)ground.asked);
		World_Validate(&ground.world, ground.name, seed);
		Ground_Close(&ground);
	}
}

START_TEST(random_rays)
{
	CheckStyle(ANY, 2400, 40);
}
END_TEST

START_TEST(rays_along_axes)
{
	CheckStyle(AXIS, 1800, 1000000);
}
END_TEST

START_TEST(rays_on_the_grid)
{
	CheckStyle(GRID_AXIS, 1500, 40);
	CheckStyle(DIAGONAL, 1000, 40);
}
END_TEST

START_TEST(rays_in_planes)
{
	CheckStyle(ONE_ZERO, 1500, 40);
}
END_TEST

START_TEST(rays_from_afar)
{
	CheckStyle(FAR_OFF, 1200, 40);
}
END_TEST

START_TEST(short_rays)
{
	CheckStyle(SHORT, 1600, 1000000);
	CheckStyle(LIMITED, 800, 40);
}
END_TEST

/* ---- watertight --------------------------------------------------------------------------------------------------- */

/* Do all triangles at the target face the ray? Then it must be stopped there or before. */
static bool AllFace(const Ground *ground, const double target[3], const double d[3])
{
	Real dir[3] = {d[0], d[1], d[2]}, p[3] = {target[0], target[1], target[2]}, size = sqrtl(DotR(dir, dir));
	int touching = 0;
	for (int q = 0; q < ground->mesh.quad_count; q++) {
		const Ball *ball = &ground->balls[q];
		if (AbsD(ball->x - target[0]) > ball->radius || AbsD(ball->y - target[1]) > ball->radius ||
		    AbsD(ball->z - target[2]) > ball->radius)
			continue;
		for (int i = 2 * q; i < 2 * q + 2; i++) {
			Real v[3][3], ab[3], ac[3], ap[3], normal[3];
			TriangleCorners(&ground->mesh, i, v);
			for (int a = 0; a < 3; a++) {
				ab[a] = v[1][a] - v[0][a];
				ac[a] = v[2][a] - v[0][a];
				ap[a] = p[a] - v[0][a];
			}
			CrossR(ab, ac, normal);
			Real n = sqrtl(DotR(normal, normal)), nearest = 1e30L;
			for (int k = 0; k < 3; k++) {
				Real edge[3], to[3], inward[3];
				for (int a = 0; a < 3; a++) {
					edge[a] = v[(k + 1) % 3][a] - v[k][a];
					to[a] = p[a] - v[k][a];
				}
				CrossR(normal, edge, inward);
				Real e = DotR(inward, to) / n / sqrtl(DotR(edge, edge));
				nearest = e < nearest ? e : nearest;
			}
			if (fabsl(DotR(normal, ap)) > 0.01L * n || nearest < -0.01L)
				continue; /* does not touch the target */
			if (DotR(normal, dir) > -1e-3L * n * size)
				return false;
			touching++;
		}
	}
	return touching > 0;
}

/* A corner of the mesh, a point on an edge, or a point on a diagonal: half of them at a border of blocks. */
static void PickTarget(const Ground *ground, Random *r, double target[3])
{
	const RefMesh *mesh = &ground->mesh;
	const int offset[3] = {ground->at.x, ground->at.y, ground->at.z};
	const RefQuad *quad = NULL;
	for (int attempt = 0; attempt < 40; attempt++) {
		quad = &mesh->quads[Random_Below(r, mesh->quad_count)];
		int border = 0;
		for (int a = 0; a < 3; a++) {
			int at = (mesh->vertices[quad->corner[0]].cube[a] + offset[a]) & 7;
			border += at == 7 || at == 0;
		}
		if (border > 1 || attempt % 2)
			break;
	}
	int k = Random_Below(r, 4), to = Random_Below(r, 5) ? (k + 1) % 4 : (k & 1 ? k : (k + 2) % 4);
	int part = Random_Below(r, 2) ? 0 : Random_Below(r, 17); /* in 16ths, so that the point is exact */
	const int *p = mesh->vertices[quad->corner[k]].at, *q = mesh->vertices[quad->corner[to]].at;
	for (int a = 0; a < 3; a++)
		target[a] = p[a] + (q[a] - p[a]) * (part / 16.0);
}

/* exact: the ray goes through the target to the last bit (cells of 1 m, whole-number directions). */
static void CheckAimed(double size, int range, bool exact, int rays, uint64_t base)
{
	for (int kind = 0; kind < FIELD_KINDS; kind++) {
		Ground ground;
		Random r = {base + (uint64_t)kind};
		int counted = 0;
		Ground_Open(&ground, kind, 18, size, range, base + (uint64_t)kind);
		for (int ray = 0; ray < rays; ray++) {
			double target[3], d[3], o[3];
			TerrainHit hit;
			PickTarget(&ground, &r, target);
			int style = Random_Below(&r, 4), axis = Random_Below(&r, 3);
			for (int a = 0; a < 3; a++) {
				d[a] = exact ? Random_Below(&r, 9) - 4 : Random_Range(&r, -1.0, 1.0);
				if (style == 0)
					d[a] = a == axis ? (ray & 1 ? 1 : -1) : 0;
			}
			if (d[0] == 0 && d[1] == 0 && d[2] == 0)
				continue;
			double back = exact ? 4096.0 * (1 << Random_Below(&r, 6)) / 8 : Random_Range(&r, 500.0, 100000.0);
			double beyond[3];
			for (int a = 0; a < 3; a++) {
				o[a] = target[a] - back * d[a];
				beyond[a] = target[a] + back * d[a];
			}
			if (!AllFace(&ground, target, d))
				continue;
			counted++;
			int result = Cast_(&ground, ToMetres(&ground, o), ToMetres(&ground, beyond), unhindered, &hit);
			REQUIRE(result && hit.fraction < 0.5 + 1e-6, "%s, seed %llu, ray %d: slipped through (%g, %g, %g): %s",
			        ground.name, LOG(ground.seed), ray, target[0] / 4096, target[1] / 4096, target[2] / 4096,
			        result ? "hit behind" : "no hit");
		}
		REQUIRE(counted > rays / 8, "%s: only %d rays of %d count", ground.name, counted, rays);
		Ground_Close(&ground);
	}
}

START_TEST(aimed_rays)
{
	CheckAimed(1.0, 64, false, 1500, 20000);
	CheckAimed(0.3, 1000000, false, 700, 21000);
}
END_TEST

START_TEST(exactly_aimed_rays)
{
	CheckAimed(1.0, 64, true, 2000, 22000);
	CheckAimed(0.5, 100000, true, 700, 23000);
}
END_TEST

/* Along the roof's ridge, in the plane of a floor, just above it (R07): no back face, no nonsense. */
START_TEST(grazing_rays)
{
	Ground ground = {.size = 1.0, .name = "roof"};
	World_Open(&ground.world, 1.0);
	ground.field = RefField_Create(40, 30, 40);
	for (int y = 0; y < 30; y++)
		for (int z = 0; z < 40; z++)
			for (int x = 0; x < 40; x++) {
				double px = x + 0.5 - 20.0, py = y + 0.5 - 20.0;
				/* Below two slopes of 45 degrees with the ridge at height 20, above a floor at 10. */
				double d = MinD((-px - py) * 0.70710678118654752, (px - py) * 0.70710678118654752);
				RefField_Write(&ground.field, x, y, z, 1, MaxD(d, 10.0 - (y + 0.5)));
			}
	World_Put(&ground.world, &ground.field, ground.at);
	Ground_Mesh(&ground);
	Random r = {31};
	int hits = 0, over = 0;
	for (int i = 0; i < 3000; i++) {
		/* Around the ridge's true height of the surface, which the vertices have exactly. */
		double ridge = -1e9;
		for (int v = 0; v < ground.mesh.vertex_count; v++)
			ridge = MaxD(ridge, ground.mesh.vertices[v].at[1] / 4096.0 + 0.5);
		static const double offsets[] = {0.0, 1e-4, -1e-4, 1e-9, -1e-9, 1e-13, -0.2};
		double y = ridge + offsets[i % 7], z = i % 3 ? Random_Range(&r, 2, 38) : Random_Below(&r, 36) + 2;
		TerrainHit hit;
		Pos from = {-5, y, z}, to = {45, y, z + (i % 5 ? 0.0 : Random_Range(&r, -9.0, 9.0))};
		int result = Cast_(&ground, from, to, usual, &hit);
		REQUIRE(!result || (!hit.inside && hit.fraction >= 0.0 && hit.fraction <= 1.0 && hit.normal.x <= 1e-6f),
		        "ray %d over the ridge: normal (%g, %g, %g)", i, hit.normal.x, hit.normal.y, hit.normal.z);
		over += i % 7 == 1 && result;
		hits += i % 7 == 6 && result;
		/* In the floor's plane and a hair above and below it. */
		double floor = 10.0 + offsets[i % 7] * 0.01;
		from = (Pos){1.0, floor, z}, to = (Pos){9.0, floor, Random_Range(&r, 2, 38)};
		result = Cast_(&ground, from, to, unhindered, &hit);
		REQUIRE(!result || (hit.fraction >= 0.0 && hit.fraction <= 1.0 && hit.normal.y >= 0.0f), "ray %d in the floor",
		        i);
		REQUIRE(!result || floor <= 10.0 + 1e-7, "ray %d above the floor hits it", i);
	}
	ck_assert_int_eq(over, 0);
	ck_assert_int_gt(hits, 400);
	Ground_Close(&ground);
}
END_TEST

/* ---- starts ------------------------------------------------------------------------------------------------------- */

START_TEST(points)
{
	static const double sizes[] = {1.0, 0.3, 4.0};
	for (int kind = 0; kind < FIELD_KINDS; kind++) {
		Ground ground;
		uint64_t seed = 30000 + (uint64_t)kind;
		Random r = {seed};
		int inside = 0, near = 0;
		Ground_Open(&ground, kind, 17, sizes[kind % 3], kind < 5 ? 40 : 1000000, seed);
		for (int i = 0; i < 1500; i++) {
			double p[3];
			RandomPoint(&ground, &r, 2.0, p);
			if (i % 3 == 0) { /* close to the surface */
				const RefVertex *v = &ground.mesh.vertices[Random_Below(&r, ground.mesh.vertex_count)];
				for (int a = 0; a < 3; a++)
					p[a] = v->at[a] + Random_Range(&r, -60.0, 60.0);
				near++;
			} else if (i % 3 == 1 && i % 2) { /* on planes of the grid */
				p[Random_Below(&r, 3)] = 2048.0 * Random_Below(&r, 34);
				p[Random_Below(&r, 3)] = 2048.0 * Random_Below(&r, 34);
			}
			Pos at = ToMetres(&ground, p);
			int want = BruteInside(&ground, at, &r);
			int got = Terrain_PointInside(ground.world.terrain, at, NULL);
			REQUIRE(want < 0 || got == want, "%s, seed %llu, point %d at (%g, %g, %g) is %d", ground.name, LOG(seed),
			        i, p[0] / 4096, p[1] / 4096, p[2] / 4096, want);
			inside += got;
			/* A ray of no length says the same, with the cell of the point. */
			TerrainHit hit;
			int result = Cast_(&ground, at, at, usual, &hit);
			REQUIRE(result == got, "%s, seed %llu, point %d: the ray disagrees", ground.name, LOG(seed), i);
			REQUIRE(!result || (hit.inside && hit.fraction == 0.0 && LengthSq(hit.normal) == 0.0f && hit.material > 1),
			        "%s, seed %llu, point %d: material %d", ground.name, LOG(seed), i, hit.material);
			REQUIRE(Cast_(&ground, at, at, unhindered, &hit) == 0, "a point is no obstacle");
		}
		ck_assert_int_gt(inside, 20);
		ck_assert_int_gt(near, 400);
		Ground_Close(&ground);
	}
}
END_TEST

/* Rays too short to have a direction in floats, or none (R01). */
START_TEST(tiny_rays)
{
	Ground ground;
	Ground_Open(&ground, FIELD_BALLS, 20, 1.0, 20, 5);
	Random r = {5};
	static const double lengths[] = {0.0, 5e-324, 1e-300, 1e-30, 1e-18};
	for (int i = 0; i < 600; i++) {
		double p[3];
		TerrainHit hit;
		RandomPoint(&ground, &r, 2.0, p);
		Pos from = ToMetres(&ground, p), zero = {0, 0, 0}, to = zero;
		bool inside = Terrain_PointInside(ground.world.terrain, from, NULL) == 1;
		for (int k = 0; k < COUNT_OF(lengths); k++) {
			to = (Pos){from.x + lengths[k], from.y - lengths[k], from.z};
			int result = Cast_(&ground, from, to, usual, &hit);
			REQUIRE(result == inside, "point %d, length %g: %d", i, lengths[k], result);
		}
	}
	/* About the origin such lengths do not vanish in the sum. */
	World_SetCell(&ground.world, (Cell){0, 0, 0}, 2, 255, 0);
	World_SetCell(&ground.world, (Cell){-1, 0, 0}, 0, 0, 0);
	World_Sync(&ground.world);
	for (int k = 0; k < COUNT_OF(lengths); k++)
		for (int axis = 0; axis < 3; axis++) {
			TerrainHit hit;
			Pos to = {axis == 0 ? lengths[k] : 0, axis == 1 ? lengths[k] : 0, axis == 2 ? lengths[k] : 0};
			int inside = Terrain_PointInside(ground.world.terrain, (Pos){0, 0, 0}, NULL);
			int result = Cast_(&ground, (Pos){0, 0, 0}, to, usual, &hit);
			REQUIRE(result == inside, "length %g: %d", lengths[k], result);
		}
	Ground_Close(&ground);
}
END_TEST

/* A start inside is reported at once; unhindered, the ray leaves that solid and meets the next (R05). */
START_TEST(rays_from_inside)
{
	TerrainWorld world;
	World_Open(&world, 0.5);
	for (int i = 0; i < 4; i++)
		for (int y = 0; y < 4; y++)
			for (int z = 0; z < 4; z++) {
				World_SetCell(&world, (Cell){i, y, z}, 11, 255, 0);      /* concrete: x 0..2 m */
				World_SetCell(&world, (Cell){20 + i, y, z}, 12, 255, 0); /* brick: x 10..12 m */
			}
	World_Sync(&world);
	ck_assert_str_eq(world.materials.items[12].name, "brick");
	TerrainHit hit;
	Error error;
	Pos from = {0.9, 0.9, 0.9}, to = {20.9, 0.9, 0.9};
	ck_assert_int_eq(Terrain_Ray(world.terrain, from, to, usual, &hit, &error), 1);
	ck_assert(hit.inside && hit.fraction == 0.0 && hit.material == 11 && hit.cell.x == 1 && hit.cell.y == 1);
	ck_assert_int_eq(Terrain_Ray(world.terrain, from, to, unhindered, &hit, &error), 1);
	ck_assert(!hit.inside && hit.material == 12 && hit.cell.x == 20);
	ck_assert(hit.normal.x < -0.99f && AbsD(hit.fraction * 20.0 + 0.9 - 10.0) < 0.01);
	TerrainRayOptions near = unhindered;
	near.limit = 0.4;
	ck_assert_int_eq(Terrain_Ray(world.terrain, from, to, near, &hit, &error), 0);
	near.limit = 0.0;
	ck_assert_int_eq(Terrain_Ray(world.terrain, from, to, near, &hit, &error), 0);
	near.inside = true;
	ck_assert_int_eq(Terrain_Ray(world.terrain, from, to, near, &hit, &error), 1);
	near.limit = NAN;
	ck_assert_int_eq(Terrain_Ray(world.terrain, from, to, near, &hit, &error), 0);
	World_Close(&world);
}
END_TEST

/* ---- the ends of the world ---------------------------------------------------------------------------------------- */

/* All of these must end (R03), and say the right thing. */
START_TEST(endless_rays)
{
	TerrainWorld world;
	World_Open(&world, 1.0);
	TerrainHit hit;
	Error error;
	Random r = {9};
	for (int pass = 0; pass < 3; pass++) {
		if (pass == 1)
			World_SetCell(&world, (Cell){100000, -100, 40}, 2, 255, 0);
		if (pass == 2) {
			World_SetCell(&world, (Cell){-(1 << 30), -(1 << 30), -(1 << 30)}, 3, 255, 0);
			World_SetCell(&world, (Cell){(1 << 30) - 1, (1 << 30) - 1, (1 << 30) - 1}, 3, 255, 0);
		}
		World_Sync(&world);
		Pos a = {-668 * 16.0, -340 * 16.0, 77 * 16.0}, b = {404 * 16.0, -64 * 16.0, -784 * 16.0};
		ck_assert_int_eq(Terrain_Ray(world.terrain, a, b, usual, &hit, &error), 0);
		ck_assert_int_eq(Terrain_Ray(world.terrain, (Pos){0, 0, 0}, (Pos){1e-20, 1, 0}, usual, &hit, &error), 0);
		ck_assert_int_eq(Terrain_Ray(world.terrain, (Pos){0, 0, 0}, (Pos){1e-20, 1e9, 0}, usual, &hit, &error), 0);
		for (int i = 0; i < 3000; i++) {
			double d[6], length = Trig_Pow(10.0, Random_Range(&r, 0.0, 5.0));
			for (int k = 0; k < 6; k++)
				d[k] = Random_Range(&r, -1.0, 1.0) * (k < 3 ? 1000.0 : length);
			Pos from = {d[0], d[1], d[2]}, to = {d[0] + d[3], d[1] + d[4], d[2] + d[5]};
			ck_assert_int_eq(Terrain_Ray(world.terrain, from, to, usual, &hit, &error), 0);
		}
		/* From beyond all cells, and to there. */
		for (int k = 0; k < 6; k++) {
			static const double far[] = {2e9, 1e12, 1e20, 1e100, 1e300, 1e303};
			Pos from = {100000.5, far[k], 40.5}, to = {100000.5, -far[k], 40.5};
			int result = Terrain_Ray(world.terrain, from, to, usual, &hit, &error);
			/* So far away the ray is known to within its own rounding only: up to 1e12 that is under a cell. */
			REQUIRE(k > 1 || result == (pass > 0), "pass %d, from %g: %d", pass, far[k], result);
			REQUIRE(result >= 0, "from %g: %s", far[k], error.text);
			REQUIRE(!result || hit.normal.y > 0.5f, "from %g: normal", far[k]);
			ck_assert_int_eq(Terrain_Ray(world.terrain, to, from, usual, &hit, &error) > 0, result > 0);
			from = (Pos){far[k], far[k], far[k]};
			ck_assert_int_ge(Terrain_Ray(world.terrain, from, (Pos){0, 0, 0}, usual, &hit, &error), 0);
			ck_assert_int_ge(Terrain_Ray(world.terrain, (Pos){0, 0, 0}, from, usual, &hit, &error), 0);
		}
	}
	/* Between islands two thousand million cells apart, corner to corner. */
	double e = (double)(1 << 30);
	int result = Terrain_Ray(world.terrain, (Pos){-e + 3, -e + 3, -e + 3}, (Pos){e, e, e}, usual, &hit, &error);
	ck_assert_int_eq(result, 1);
	ck_assert_int_eq(hit.cell.x, (1 << 30) - 1);
	ck_assert(hit.normal.x < 0.0f && hit.normal.y < 0.0f && hit.normal.z < 0.0f);
	World_Close(&world);
}
END_TEST

START_TEST(nonsense_is_an_error)
{
	TerrainWorld world;
	World_Open(&world, 1.0);
	World_SetCell(&world, (Cell){0, 0, 0}, 2, 255, 0);
	World_Sync(&world);
	TerrainHit hit;
	const double bad[] = {NAN, INFINITY, -INFINITY};
	for (int k = 0; k < 3; k++)
		for (int i = 0; i < 6; i++) {
			double v[6] = {1, 2, 3, 4, 5, 6};
			Error error = {0};
			v[i] = bad[k];
			int result = Terrain_Ray(world.terrain, (Pos){v[0], v[1], v[2]}, (Pos){v[3], v[4], v[5]}, usual, &hit, &error);
			ck_assert_int_eq(result, ERROR_ARGUMENT);
			ck_assert_int_eq(error.code, ERROR_ARGUMENT);
		}
	Error error = {0};
	ck_assert_int_eq(Terrain_Ray(world.terrain, (Pos){-1.7e308, 0, 0}, (Pos){1.7e308, 0, 0}, usual, &hit, &error),
	                 ERROR_ARGUMENT);
	ck_assert_int_eq(Terrain_PointInside(world.terrain, (Pos){NAN, 0, 0}, NULL), 0);
	ck_assert_int_eq(Terrain_PointInside(world.terrain, (Pos){INFINITY, 0, 0}, NULL), 0);
	World_Close(&world);
}
END_TEST

/* Scattered islands, most of them far: the way by the list of groups. Each is a ball whose hit is known. */
START_TEST(rays_between_islands)
{
	TerrainWorld world;
	World_Open(&world, 1.0);
	Random r = {12};
	Cell islands[40];
	for (int i = 0; i < 40; i++) {
		islands[i] = (Cell){Random_Below(&r, 1 << 24), Random_Below(&r, 1 << 24), Random_Below(&r, 1 << 24)};
		World_SetCell(&world, islands[i], 4, 255, 0);
	}
	World_Sync(&world);
	int hits = 0;
	for (int i = 0; i < 40; i++)
		for (int k = 0; k < 40; k++) {
			if (i == k)
				continue;
			/* From two cells above island i to the centre of island k. */
			Pos from = {islands[i].x + 0.5, islands[i].y + 2.5, islands[i].z + 0.5};
			Pos to = {islands[k].x + 0.5, islands[k].y + 0.5, islands[k].z + 0.5};
			TerrainHit hit;
			Error error;
			int result = Terrain_Ray(world.terrain, from, to, usual, &hit, &error);
			REQUIRE(result == 1, "%d to %d: no hit", i, k);
			if (hit.cell.x == islands[i].x && hit.cell.y == islands[i].y) /* its own, on the way down */
				continue;
			REQUIRE(hit.cell.x == islands[k].x && hit.cell.y == islands[k].y, "%d to %d: another", i, k);
			/* The last half cell, of the whole. */
			double dx = to.x - from.x, dy = to.y - from.y, dz = to.z - from.z;
			double left = (1.0 - hit.fraction) * sqrt(dx * dx + dy * dy + dz * dz);
			REQUIRE(left > 0.1 && left < 0.5, "%d to %d: %g before the centre", i, k, left);
			hits++;
			/* And beyond it there is nothing. */
			Pos past = {to.x + (to.x - from.x) * 1e-3, to.y + (to.y - from.y) * 1e-3, to.z + (to.z - from.z) * 1e-3};
			TerrainHitList list = {0};
			ck_assert(Terrain_RayAll(world.terrain, from, past, usual, World_Memory(&world), &list));
			ck_assert_int_ge(list.items.count, 1);
			Array_Free(World_Memory(&world), list.items);
		}
	ck_assert_int_gt(hits, 40 * 35);
	World_Close(&world);
}
END_TEST

/* ---- shifts ------------------------------------------------------------------------------------------------------- */

/* The same ground and rays, moved by whole blocks up to eight million cells: the same bits. */
START_TEST(shifts_change_no_bit)
{
	Random r = {44};
	RefField field = Field_Make(FIELD_MIXED, 20, &r);
	Cell shifts[] = {{0, 0, 0}, {8, -8, 16}, {-8000000, 800, 8000000}, {8 * 123457, -8 * 1000003, -8}};
	TerrainWorld worlds[4];
	int hits = 0;
	for (int k = 0; k < 4; k++) {
		World_Open(&worlds[k], 1.0);
		World_Put(&worlds[k], &field, shifts[k]);
	}
	for (int ray = 0; ray < 4000; ray++) {
		double v[6];
		for (int i = 0; i < 6; i++) /* multiples of 2^-20, which all these places can hold */
			v[i] = FloorToInt(Random_Range(&r, -4.0, 24.0) * 1048576.0) / 1048576.0;
		TerrainHit first = {0};
		int want = 0;
		for (int k = 0; k < 4; k++) {
			TerrainHit hit = {0};
			Error error;
			Cell s = shifts[k];
			Pos from = {v[0] + s.x, v[1] + s.y, v[2] + s.z}, to = {v[3] + s.x, v[4] + s.y, v[5] + s.z};
			int result = Terrain_Ray(worlds[k].terrain, from, to, ray % 2 ? usual : unhindered, &hit, &error);
			hit.cell = (Cell){hit.cell.x - s.x, hit.cell.y - s.y, hit.cell.z - s.z};
			if (k == 0) {
				first = hit;
				want = result;
				hits += result;
				continue;
			}
			REQUIRE(result == want && (!result || (memcmp(&hit.fraction, &first.fraction, sizeof hit.fraction) == 0 &&
			                                       memcmp(&hit.normal, &first.normal, sizeof hit.normal) == 0 &&
			                                       memcmp(&hit.cell, &first.cell, sizeof hit.cell) == 0)),
			        "ray %d, shift %d: %d at %.17g, not %d at %.17g", ray, k, result, hit.fraction, want,
			        first.fraction);
		}
	}
	ck_assert_int_gt(hits, 2000);
	for (int k = 0; k < 4; k++)
		World_Close(&worlds[k]);
	RefField_Free(&field);
}
END_TEST

/* ---- all crossings ------------------------------------------------------------------------------------------------ */

START_TEST(all_crossings)
{
	for (int kind = 0; kind < FIELD_KINDS; kind++) {
		Ground ground;
		uint64_t seed = 50000 + (uint64_t)kind;
		Random r = {seed};
		int counted = 0;
		Ground_Open(&ground, kind, 18, kind % 2 ? 0.3 : 1.0, 50, seed);
		for (int ray = 0; ray < 500; ray++) {
			Pos from, to;
			TerrainRayOptions options;
			RandomRay(&ground, &r, ray % 4 == 0 ? AXIS : ANY, &from, &to, &options);
			TerrainHitList list = {0};
			TerrainHit nearest;
			ck_assert(Terrain_RayAll(ground.world.terrain, from, to, options, World_Memory(&ground.world), &list));
			int result = Cast_(&ground, from, to, options, &nearest), n = list.items.count;
			const TerrainHit *hits = list.items.data;
			REQUIRE(result == (n > 0), "%s, seed %llu, ray %d: %d crossings, nearest %d", ground.name, LOG(seed), ray,
			        n, result);
			REQUIRE(!result || (hits[0].fraction == nearest.fraction && hits[0].inside == nearest.inside),
			        "%s, seed %llu, ray %d: another first hit", ground.name, LOG(seed), ray);
			for (int i = 1; i < n; i++)
				REQUIRE(hits[i].fraction >= hits[i - 1].fraction && !hits[i].inside, "%s, seed %llu, ray %d: order",
				        ground.name, LOG(seed), ray);
			Line line = LineBetween(&ground, from, to);
			Brute brute = BruteForce(&ground, &line);
			int start = n > 0 && hits[0].inside;
			if (brute.unsure > line.length + 1) {
				counted++;
				REQUIRE(n == brute.fronts + start, "%s, seed %llu, ray %d: %d crossings from the front, not %d",
				        ground.name, LOG(seed), ray, n - start, brute.fronts);
			}
			Array_Free(World_Memory(&ground.world), list.items);
		}
		ck_assert_int_gt(counted, 400);
		Ground_Close(&ground);
	}
}
END_TEST

/* ---- water -------------------------------------------------------------------------------------------------------- */

typedef struct Span {
	Real enter, leave;
} Span;

static int SpanOrder(const void *a, const void *b)
{
	const Span *p = a, *q = b;
	return p->enter < q->enter ? -1 : p->enter > q->enter;
}

/* The boxes of water of all wet cells, cut with the line and joined where they touch. */
static int WaterSpans(const uint8_t *water, int n, Cell at, double size, Pos from, Pos to, Span *spans)
{
	int count = 0, joined = 0;
	const Real o[3] = {(Real)from.x / size, (Real)from.y / size, (Real)from.z / size};
	const Real d[3] = {(Real)to.x / size - o[0], (Real)to.y / size - o[1], (Real)to.z / size - o[2]};
	for (int i = 0; i < n * n * n; i++) {
		if (!water[i])
			continue;
		Real lo[3] = {at.x + i % n, at.y + i / n / n, at.z + i / n % n}, enter = 0, leave = 1;
		Real hi[3] = {lo[0] + 1, lo[1] + water[i] / 255.0L, lo[2] + 1};
		for (int a = 0; a < 3 && enter <= leave; a++) {
			if (d[a] == 0) {
				if (o[a] < lo[a] || o[a] > hi[a])
					leave = -1;
				continue;
			}
			Real u = (lo[a] - o[a]) / d[a], v = (hi[a] - o[a]) / d[a];
			Real first = u < v ? u : v, last = u < v ? v : u;
			enter = first > enter ? first : enter;
			leave = last < leave ? last : leave;
		}
		if (enter < leave)
			spans[count++] = (Span){enter, leave};
	}
	qsort(spans, (size_t)count, sizeof *spans, SpanOrder);
	for (int i = 0; i < count; i++) {
		if (joined > 0 && spans[i].enter <= spans[joined - 1].leave + 1e-12L)
			spans[joined - 1].leave = spans[i].leave > spans[joined - 1].leave ? spans[i].leave : spans[joined - 1].leave;
		else
			spans[joined++] = spans[i];
	}
	return joined;
}

START_TEST(rays_meet_water)
{
	const TerrainRayOptions wet = {true, true, 1.0};
	for (int run = 0; run < 6; run++) {
		enum { N = 18 };
		static Span spans[N * N * N];
		uint64_t seed = 60000 + (uint64_t)run;
		Random r = {seed};
		TerrainWorld world;
		double size = run % 2 ? 0.3 : 1.0;
		World_Open(&world, size);
		Cell at = {Random_Below(&r, 60) - 30, Random_Below(&r, 60) - 30, Random_Below(&r, 60) - 30};
		uint8_t *water = calloc(N * N * N, 1);
		for (int i = 0; i < N * N * N; i++) {
			int y = i / N / N;
			/* Pools with a partial top layer; or splashes. */
			if (run < 3)
				water[i] = y < 9 ? 255 : y == 9 ? 100 : 0;
			else if (Random_Below(&r, 10) < run)
				water[i] = (uint8_t)(Random_Below(&r, 2) ? 255 : Random_Below(&r, 256));
			if (water[i])
				World_SetCell(&world, (Cell){at.x + i % N, at.y + y, at.z + i / N % N}, 0, 0, water[i]);
		}
		World_Sync(&world);
		int entries = 0, starts = 0;
		for (int ray = 0; ray < 600; ray++) {
			double v[6];
			for (int k = 0; k < 6; k++)
				v[k] = Random_Range(&r, -3.0, N + 3.0);
			if (ray % 3 == 0)
				for (int k = 0; k < 3; k++)
					v[3 + k] = k == ray / 3 % 3 ? v[3 + k] : v[k];
			Pos from = {(v[0] + at.x) * size, (v[1] + at.y) * size, (v[2] + at.z) * size};
			Pos to = {(v[3] + at.x) * size, (v[4] + at.y) * size, (v[5] + at.z) * size};
			int n = WaterSpans(water, N, at, size, from, to, spans);
			bool start = n > 0 && spans[0].enter == 0, in_water = false;
			TerrainHit hit;
			Error error;
			ck_assert_int_eq(Terrain_PointInside(world.terrain, from, &in_water), 0);
			REQUIRE(in_water == start, "seed %llu, ray %d: the start", LOG(seed), ray);
			int result = Terrain_Ray(world.terrain, from, to, wet, &hit, &error);
			REQUIRE(result == (n > 0), "seed %llu, ray %d: %d for %d stretches of water", LOG(seed), ray, result, n);
			if (result)
				REQUIRE(hit.water && hit.material == MATERIAL_WATER && hit.inside == start &&
				            fabsl(hit.fraction - spans[0].enter) < 1e-9L,
				        "seed %llu, ray %d: %g, not %Lg", LOG(seed), ray, hit.fraction, spans[0].enter);
			REQUIRE(Terrain_Ray(world.terrain, from, to, usual, &hit, &error) == 0, "water without being asked");
			/* All of them; a start in water unhindered first leaves it. */
			TerrainRayOptions options = wet;
			options.inside = ray % 2;
			TerrainHitList list = {0};
			ck_assert(Terrain_RayAll(world.terrain, from, to, options, World_Memory(&world), &list));
			int skip = start && !options.inside;
			REQUIRE(list.items.count == n - skip, "seed %llu, ray %d: %d entries for %d", LOG(seed), ray,
			        list.items.count, n - skip);
			for (int i = 0; i < list.items.count; i++) {
				const TerrainHit *h = &list.items.data[i];
				REQUIRE(h->water && fabsl(h->fraction - spans[i + skip].enter) < 1e-9L, "seed %llu, ray %d: entry %d",
				        LOG(seed), ray, i);
				double along = h->normal.x * (to.x - from.x) + h->normal.y * (to.y - from.y) +
				               h->normal.z * (to.z - from.z);
				REQUIRE(h->inside || (LengthSq(h->normal) == 1.0f && along < 0.0), "seed %llu, ray %d: normal of %d",
				        LOG(seed), ray, i);
			}
			entries += list.items.count;
			starts += start;
			Array_Free(World_Memory(&world), list.items);
		}
		REQUIRE(entries > 150 && starts > 50, "seed %llu: %d entries, %d starts", LOG(seed), entries, starts);
		free(water);
		World_Close(&world);
	}
}
END_TEST

/* Ground under water: each is met where it is. */
START_TEST(water_over_ground)
{
	TerrainWorld world;
	World_Open(&world, 1.0);
	for (int y = 0; y < 10; y++)
		for (int z = 0; z < 10; z++)
			for (int x = 0; x < 10; x++)
				World_SetCell(&world, (Cell){x, y, z}, y < 4 ? 2 : 0, y < 4 ? 255 : 0, y < 4 ? 0 : y < 9 ? 255 : 128);
	World_Sync(&world);
	const TerrainRayOptions wet = {true, true, 1.0};
	TerrainHit hit;
	Error error;
	Pos sky = {5.2, 20, 5.3}, below = {5.2, -20, 5.3}, pond = {5.2, 6, 5.3}, deep = {5.2, 2, 5.3};
	ck_assert_int_eq(Terrain_Ray(world.terrain, sky, below, usual, &hit, &error), 1);
	ck_assert(!hit.water && AbsD(20 - 40 * hit.fraction - 4.0) < 1e-9 && hit.normal.y == 1.0f);
	ck_assert_int_eq(Terrain_Ray(world.terrain, sky, below, wet, &hit, &error), 1);
	ck_assert(hit.water && !hit.inside && AbsD(20 - 40 * hit.fraction - (9.0 + 128 / 255.0)) < 1e-9);
	ck_assert(hit.normal.y == 1.0f && hit.cell.y == 9);
	ck_assert_int_eq(Terrain_Ray(world.terrain, pond, below, wet, &hit, &error), 1);
	ck_assert(hit.water && hit.inside && hit.fraction == 0.0);
	ck_assert_int_eq(Terrain_Ray(world.terrain, pond, below, usual, &hit, &error), 1);
	ck_assert(!hit.water && !hit.inside && hit.cell.y == 3);
	ck_assert_int_eq(Terrain_Ray(world.terrain, deep, sky, wet, &hit, &error), 1);
	ck_assert(!hit.water && hit.inside && hit.material == 2);
	bool water;
	ck_assert_int_eq(Terrain_PointInside(world.terrain, deep, &water), 1);
	ck_assert(!water);
	ck_assert_int_eq(Terrain_PointInside(world.terrain, pond, &water), 0);
	ck_assert(water);
	ck_assert_int_eq(Terrain_PointInside(world.terrain, (Pos){5, 9.51, 5}, &water), 0);
	ck_assert(!water);
	World_Close(&world);
}
END_TEST

/* ---- edits and laziness ------------------------------------------------------------------------------------------- */

/* Digging and filling at the borders and corners of blocks and chunks: rays and points agree with the cells at once
 * (V01, R09). */
START_TEST(edits_at_borders)
{
	TerrainWorld world;
	World_Open(&world, 1.0);
	Error error;
	for (int y = -40; y < 40; y++)
		for (int z = -40; z < 40; z += 1)
			for (int x = -40; x < 40; x += 1)
				if (x >= -2 && y >= -2 && z >= -2 && x < 34 && y < 34 && z < 34 && (x + y + z) % 2 == 0)
					World_SetCell(&world, (Cell){x, y, z}, 0, 0, 0);
	static const int planes[] = {-32, -8, 0, 8, 32};
	int checked = 0;
	for (int i = 0; i < 125; i++) {
		Cell c = {planes[i % 5], planes[i / 5 % 5], planes[i / 25]};
		for (int filled = 0; filled < 2; filled++) {
			/* A lump of 6^3 with the 2^3 at the corner open or filled. */
			for (int k = 0; k < 216; k++) {
				int x = k % 6 - 3, y = k / 36 - 3, z = k / 6 % 6 - 3;
				bool core = x >= -1 && x <= 0 && y >= -1 && y <= 0 && z >= -1 && z <= 0;
				bool shaft = x >= -1 && x <= 0 && z >= -1 && z <= 0 && y > 0; /* open to the sky */
				bool solid = filled || !(core || shaft);
				World_SetCell(&world, (Cell){c.x + x, c.y + y, c.z + z}, solid ? 2 : 0, solid ? 255 : 0, 0);
			}
			World_Sync(&world);
			TerrainHit hit;
			Pos top = {c.x, c.y + 9, c.z}, bottom = {c.x, c.y - 9, c.z};
			ck_assert_int_eq(Terrain_Ray(world.terrain, top, bottom, usual, &hit, &error), 1);
			double y = top.y - 18 * hit.fraction - c.y;
			REQUIRE(filled ? y > 2.9 && y < 3.1 : y < -0.5 && y > -1.6, "corner %d, filled %d: met at %g", i, filled, y);
			for (int side = 0; side < 6; side++) {
				double d[3] = {0, 0, 0};
				d[side / 2] = side % 2 ? 9 : -9;
				if (side == 3)
					continue;
				Pos from = {c.x + 0.5 + d[0], c.y + 0.5 + d[1], c.z + 0.5 + d[2]};
				ck_assert_int_eq(Terrain_Ray(world.terrain, from, (Pos){c.x + 0.5, c.y + 0.5, c.z + 0.5}, usual, &hit,
				                             &error),
				                 1);
				REQUIRE(AbsD(hit.fraction * 9 - 6) < 0.8, "corner %d, side %d: %g", i, side, hit.fraction * 9);
			}
			for (int k = 0; k < 216; k++) {
				Cell at = {c.x + k % 6 - 3, c.y + k / 36 - 3, c.z + k / 6 % 6 - 3};
				Voxel voxel = Store_Get(world.store, at);
				int inside = Terrain_PointInside(world.terrain, (Pos){at.x + 0.5, at.y + 0.5, at.z + 0.5}, NULL);
				REQUIRE(inside == (voxel.occupancy >= 128), "corner %d, cell %d: inside %d", i, k, inside);
				checked++;
			}
		}
		ck_assert_int_eq(Store_Clear(world.store, NULL, &error), ERROR_NONE);
	}
	ck_assert_int_eq(checked, 125 * 2 * 216);
	World_Close(&world);
}
END_TEST

START_TEST(rays_build_only_what_they_need)
{
	Random r = {70};
	TerrainWorld world;
	World_Open(&world, 1.0);
	RefField field = Field_Make(FIELD_HILLS, 64, &r);
	World_Put(&world, &field, (Cell){0, 0, 0});
	TerrainHit hit;
	Error error;
	Terrain *terrain = world.terrain;
	/* Through air, high and low, and deep inside the ground: nothing is built. */
	for (int i = 0; i < 200; i++) {
		Pos from = {-10, 57, 20.0 + 0.1 * i}, to = {80, 60, 22};
		ck_assert_int_eq(Terrain_Ray(terrain, from, to, usual, &hit, &error), 0);
	}
	ck_assert_int_eq(Terrain_Ray(terrain, (Pos){31, 6, 31}, (Pos){31, -50, 31}, usual, &hit, &error), 1);
	ck_assert(hit.inside);
	ck_assert_int_eq(terrain->colliders, 0);
	/* Straight down onto the ground: the block that is met, or two or three at a border, not the column. */
	int met = 0;
	for (int i = 0; i < 16; i++) {
		int before = terrain->colliders;
		Pos from = {4.3 + 8 * (i % 4), 62, 4.3 + 8 * (i / 4)};
		ck_assert_int_eq(Terrain_Ray(terrain, from, (Pos){from.x, -5, from.z}, usual, &hit, &error), 1);
		ck_assert_int_le(terrain->colliders - before, 4);
		met += terrain->colliders - before;
	}
	ck_assert_int_le(met, 24);
	/* What is built is not built again. */
	int64_t built = Terrain_Stats(terrain).built;
	for (int i = 0; i < 16; i++) {
		Pos from = {4.3 + 8 * (i % 4), 62, 4.3 + 8 * (i / 4)};
		ck_assert_int_eq(Terrain_Ray(terrain, from, (Pos){from.x, -5, from.z}, usual, &hit, &error), 1);
	}
	ck_assert_int_eq((int)Terrain_Stats(terrain).built, (int)built);
	/* Rays keep alive what they use. */
	Terrain_Trim(terrain, 0);
	ck_assert_int_eq(Terrain_Ray(terrain, (Pos){4.3, 62, 4.3}, (Pos){4.3, -5, 4.3}, usual, &hit, &error), 1);
	Terrain_Trim(terrain, 0);
	ck_assert_int_ge(terrain->colliders, 1);
	ck_assert_int_le(terrain->colliders, 4);
	RefField_Free(&field);
	World_Close(&world);
}
END_TEST

/* ---- failing allocations ------------------------------------------------------------------------------------------ */

START_TEST(rays_survive_failures)
{
	Random r = {80};
	RefField field = Field_Make(FIELD_HALF, 12, &r);
	const TerrainRayOptions wet = {true, true, 1.0};
	for (int call = 0; call < 4; call++)
		for (long allowed = 0;; allowed++) {
			TerrainWorld world;
			World_Open(&world, 1.0);
			World_Put(&world, &field, (Cell){0, 0, 0});
			World_SetCell(&world, (Cell){5, 20, 5}, 0, 0, 200);
			if (call == 3) /* so sparse that the walk goes by the list of groups */
				World_SetCell(&world, (Cell){1 << 29, 20, 5}, 2, 255, 0);
			World_Sync(&world);
			TerrainHit hit = {0};
			TerrainHitList list = {0};
			Error error = {0};
			Pos from = {5.2, 30, 5.3}, to = {5.9, -5, 5.8}, far = {1e9, -1e6, 0};
			bool water;
			world.heap.left = allowed;
			int result = call == 0   ? Terrain_Ray(world.terrain, from, to, wet, &hit, &error)
			             : call == 1 ? (Terrain_RayAll(world.terrain, from, to, wet, World_Memory(&world), &list)
			                                ? 1
			                                : ERROR_MEMORY)
			             : call == 2 ? Terrain_PointInside(world.terrain, (Pos){5.1, 5.4, 5.2}, &water)
			                         : Terrain_Ray(world.terrain, (Pos){5.2, 12.7, 5.3}, far, wet, &hit, &error);
			bool failed = world.heap.failed;
			world.heap.left = -1;
			REQUIRE((result == ERROR_MEMORY) == failed && list.items.count * failed == 0, "call %d after %ld: %d", call,
			        allowed, result);
			REQUIRE(call != 1 || failed || list.items.count >= 2, "call %d after %ld", call, allowed);
			Array_Free(World_Memory(&world), list.items);
			World_Validate(&world, "after failures", (unsigned long long)allowed);
			World_Close(&world);
			if (!failed) {
				REQUIRE(allowed > 0, "call %d allocates nothing", call);
				break;
			}
		}
	RefField_Free(&field);
}
END_TEST

Suite *suite_terrain_ray(void)
{
	Suite *suite = suite_create("terrain_ray");
	TCase *tcase = tcase_create("terrain_ray");
	tcase_set_timeout(tcase, 120);
	tcase_add_test(tcase, random_rays);
	tcase_add_test(tcase, rays_along_axes);
	tcase_add_test(tcase, rays_on_the_grid);
	tcase_add_test(tcase, rays_in_planes);
	tcase_add_test(tcase, rays_from_afar);
	tcase_add_test(tcase, short_rays);
	tcase_add_test(tcase, aimed_rays);
	tcase_add_test(tcase, exactly_aimed_rays);
	tcase_add_test(tcase, grazing_rays);
	tcase_add_test(tcase, points);
	tcase_add_test(tcase, tiny_rays);
	tcase_add_test(tcase, rays_from_inside);
	tcase_add_test(tcase, endless_rays);
	tcase_add_test(tcase, nonsense_is_an_error);
	tcase_add_test(tcase, rays_between_islands);
	tcase_add_test(tcase, shifts_change_no_bit);
	tcase_add_test(tcase, all_crossings);
	tcase_add_test(tcase, rays_meet_water);
	tcase_add_test(tcase, water_over_ground);
	tcase_add_test(tcase, edits_at_borders);
	tcase_add_test(tcase, rays_build_only_what_they_need);
	tcase_add_test(tcase, rays_survive_failures);
	suite_add_tcase(suite, tcase);
	return suite;
}
