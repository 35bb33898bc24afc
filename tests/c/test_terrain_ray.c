/* Rays against brute force: random ones, along the grid, aimed at corners and edges, grazing, shifted, and all
 * crossings of a ray. */
#include "require.h"

#include "terrain_brute.h"

#include <check.h>
#include <stdlib.h>

/* ---- one ray ------------------------------------------------------------------------------------------------- */

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
	int result = Ground_Cast(ground, from, to, options, &hit);
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

/* ---- many rays ----------------------------------------------------------------------------------------------- */

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
	*options = Random_Below(r, 3) ? unhindered : usual;
	Ground_RandomPoint(ground, r, 4.0, o);
	Ground_RandomPoint(ground, r, 4.0, e);
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

/* How many a long run has done, for the reader of its output. */
static void Tell(const char *what, const char *ground, int64_t rays, int64_t unsure)
{
	if (getenv("SCREE_SOAK"))
		printf("%s, %s: %lld rays with both indices, %lld left open\n", what, ground, (long long)rays,
		       (long long)unsure);
}

static void CheckStyle(Style style, int rays, int range)
{
	rays = Soak(rays);
	static const double sizes[] = {1.0, 0.3, 4.0, 0.25, 1.7};
	for (int kind = style % KIND_STEP; kind < FIELD_KINDS; kind += KIND_STEP) {
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
		Tell("random", ground.name, ground.asked, ground.unsure);
		Ground_Close(&ground);
	}
}

START_TEST(random_rays)
{
	CheckStyle(ANY, 3000, 40);
}
END_TEST

START_TEST(rays_along_axes)
{
	CheckStyle(AXIS, 1800, 1000000);
}
END_TEST

START_TEST(rays_on_the_grid)
{
	CheckStyle(GRID_AXIS, 800, 40);
	CheckStyle(DIAGONAL, 500, 40);
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

/* ---- watertight ---------------------------------------------------------------------------------------------- */

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
static const RefQuad *PickTarget(const Ground *ground, Random *r, double target[3])
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
	return quad;
}

/* exact: the ray goes through the target to the last bit (cells of 1 m, whole-number directions). */
static void CheckAimed(double size, int range, bool exact, int rays, uint64_t base)
{
	rays = Soak(rays);
	for (int kind = exact ? KIND_STEP - 1 : 0; kind < FIELD_KINDS; kind += KIND_STEP) {
		Ground ground;
		Random r = {base + (uint64_t)kind};
		int counted = 0;
		Ground_Open(&ground, kind, 18, size, range, base + (uint64_t)kind);
		for (int ray = 0; ray < rays; ray++) {
			double target[3], d[3], o[3];
			TerrainHit hit;
			const RefQuad *quad = PickTarget(&ground, &r, target);
			int style = Random_Below(&r, 6);
			for (int a = 0; a < 3; a++)
				d[a] = exact ? Random_Below(&r, 9) - 4 : Random_Range(&r, -1.0, 1.0);
			if (style > 0) /* more or less against the quad's face; at times exactly along its axis */
				d[quad->axis] =
				    (quad->low_inside ? -1.0 : 1.0) * (exact ? 1 + Random_Below(&r, 6) : Random_Unit(&r) + 0.2);
			for (int a = 0; a < 3; a++)
				d[a] *= style == 1 && a != quad->axis ? 0.0 : 1.0;
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
			int result = Ground_Cast(&ground, ToMetres(&ground, o), ToMetres(&ground, beyond), unhindered, &hit);
			REQUIRE(result && hit.fraction < 0.5 + 1e-6, "%s, seed %llu, ray %d: slipped through (%g, %g, %g): %s",
			        ground.name, LOG(ground.seed), ray, target[0] / 4096, target[1] / 4096, target[2] / 4096,
			        result ? "hit behind" : "no hit");
		}
		REQUIRE(counted > rays / 8, "%s: only %d rays of %d count", ground.name, counted, rays);
		Tell("aimed", ground.name, counted, 0);
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

/* Along a diagonal, where the places of two planes are one and rounding may put them either way: a long run found that
 * the fast form left out the cube between them. */
START_TEST(tied_planes)
{
	Ground ground;
	TerrainHit hit;
	Ground_Open(&ground, FIELD_HILLS, 18, 1.0, 64, 22000);
	Pos from = {10, 32, -64.834716796875}, to = {14, 36, -60.834716796875};
	ck_assert_int_eq(Ground_Cast(&ground, from, to, unhindered, &hit), 1);
	ck_assert_double_eq(hit.fraction, 0.5);
	Ground_Close(&ground);
}
END_TEST

/* From points on the surface and some part of a unit beside it, in any direction: all forms must agree on which side
 * they start, and so must brute force where it is sure. */
START_TEST(starts_beside_the_surface)
{
	static const double gap[] = {0.0, 1e-9, 1e-5, 1e-3, 0.02, 0.3, 0.7, 2.0, 30.0};
	for (int kind = 0; kind < FIELD_KINDS; kind += KIND_STEP) {
		Ground ground;
		Random r = {24000 + (uint64_t)kind};
		const int rays = Soak(700);
		Ground_Open(&ground, kind, 18, 1.0, 64, 24000 + (uint64_t)kind);
		for (int ray = 0; ray < rays; ray++) {
			double target[3], o[3], e[3];
			const RefQuad *quad = PickTarget(&ground, &r, target);
			const double aside = gap[Random_Below(&r, COUNT_OF(gap))], length = Random_Below(&r, 2) ? 4000.0 : 90000.0;
			const bool across = Random_Below(&r, 2) != 0;
			for (int a = 0; a < 3; a++) {
				bool along = across && a != quad->axis && Random_Below(&r, 2);
				o[a] = target[a] + aside * Random_Range(&r, -1.0, 1.0);
				e[a] = along ? o[a] : o[a] + length * Random_Range(&r, -1.0, 1.0);
			}
			CheckRay(&ground, ToMetres(&ground, o), ToMetres(&ground, e), usual, ray);
		}
		Tell("started beside the surface", ground.name, ground.asked, ground.unsure);
		Ground_Close(&ground);
	}
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
		int result = Ground_Cast(&ground, from, to, usual, &hit);
		REQUIRE(!result || (!hit.inside && hit.fraction >= 0.0 && hit.fraction <= 1.0 && hit.normal.x <= 1e-6f),
		        "ray %d over the ridge: normal (%g, %g, %g)", i, hit.normal.x, hit.normal.y, hit.normal.z);
		over += i % 7 == 1 && result;
		hits += i % 7 == 6 && result;
		/* In the floor's plane and a hair above and below it. */
		double floor = 10.0 + offsets[i % 7] * 0.01;
		from = (Pos){1.0, floor, z}, to = (Pos){9.0, floor, Random_Range(&r, 2, 38)};
		result = Ground_Cast(&ground, from, to, unhindered, &hit);
		REQUIRE(!result || (hit.fraction >= 0.0 && hit.fraction <= 1.0 && hit.normal.y >= 0.0f), "ray %d in the floor",
		        i);
		REQUIRE(!result || floor <= 10.0 + 1e-7, "ray %d above the floor hits it", i);
	}
	ck_assert_int_eq(over, 0);
	ck_assert_int_gt(hits, 400);
	Ground_Close(&ground);
}
END_TEST

/* ---- shifts -------------------------------------------------------------------------------------------------- */

/* The same ground and rays, moved by whole blocks up to eight million cells: the same bits, with both indices. */
START_TEST(shifts_change_no_bit)
{
	Random r = {44};
	RefField field = Field_Make(FIELD_MIXED, 20, &r);
	Cell shifts[] = {{0, 0, 0}, {8, -8, 16}, {-8000000, 800, 8000000}, {8 * 123457, -8 * 1000003, -8}};
	TerrainWorld worlds[4];
	Terrain *forms[2][4];
	Error error = {0};
	int hits = 0;
	for (int k = 0; k < 4; k++) {
		World_Open(&worlds[k], 1.0);
		World_Put(&worlds[k], &field, shifts[k]);
		forms[0][k] = worlds[k].terrain;
		forms[1][k] =
		    Terrain_Create(World_Memory(&worlds[k]), worlds[k].store, &worlds[k].materials, 1.0, NARROWPHASE_LATTICE);
		REQUIRE(forms[1][k] && Terrain_Sync(forms[1][k], &error) == ERROR_NONE, "%s", error.text);
	}
	for (int ray = 0; ray < 4000; ray++) {
		double v[6];
		for (int i = 0; i < 6; i++) /* multiples of 2^-20, which all these places can hold */
			v[i] = FloorToInt(Random_Range(&r, -4.0, 24.0) * 1048576.0) / 1048576.0;
		TerrainHit first = {0};
		int want = 0;
		for (int form = 0; form < 8; form++) {
			TerrainHit hit = {0};
			int k = form & 3;
			Cell s = shifts[k];
			Pos from = {v[0] + s.x, v[1] + s.y, v[2] + s.z}, to = {v[3] + s.x, v[4] + s.y, v[5] + s.z};
			int result = Terrain_Ray(forms[form / 4][k], from, to, ray % 2 ? usual : unhindered, &hit, &error);
			hit.cell = (Cell){hit.cell.x - s.x, hit.cell.y - s.y, hit.cell.z - s.z};
			if (form == 0) {
				first = hit;
				want = result;
				hits += result;
				continue;
			}
			REQUIRE(result == want && (!result || (memcmp(&hit.fraction, &first.fraction, sizeof hit.fraction) == 0 &&
			                                       memcmp(&hit.normal, &first.normal, sizeof hit.normal) == 0 &&
			                                       memcmp(&hit.cell, &first.cell, sizeof hit.cell) == 0)),
			        "ray %d, shift %d, %s: %d at %.17g, not %d at %.17g", ray, k, form < 4 ? "tree" : "lattice", result,
			        hit.fraction, want, first.fraction);
		}
	}
	ck_assert_int_gt(hits, 2000);
	for (int k = 0; k < 4; k++) {
		Terrain_Destroy(forms[1][k]);
		World_Close(&worlds[k]);
	}
	RefField_Free(&field);
}
END_TEST

/* ---- all crossings ------------------------------------------------------------------------------------------- */

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
			int result = Ground_Cast(&ground, from, to, options, &nearest), n = list.items.count;
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

Suite *suite_terrain_ray(void)
{
	Suite *suite = suite_create("terrain_ray");
	/* Cases have names of their own so that CK_RUN_CASE can choose what a long run does. */
	TCase *random = tcase_create("random_rays"), *aimed = tcase_create("aimed_rays"),
	      *other = tcase_create("other_rays");
	tcase_set_timeout(random, 120);
	tcase_set_timeout(aimed, 120);
	tcase_set_timeout(other, 120);
	tcase_add_test(random, random_rays);
	tcase_add_test(random, rays_along_axes);
	tcase_add_test(random, rays_on_the_grid);
	tcase_add_test(random, rays_in_planes);
	tcase_add_test(random, rays_from_afar);
	tcase_add_test(random, short_rays);
	tcase_add_test(aimed, aimed_rays);
	tcase_add_test(aimed, exactly_aimed_rays);
	tcase_add_test(aimed, starts_beside_the_surface);
	tcase_add_test(other, tied_planes);
	tcase_add_test(other, grazing_rays);
	tcase_add_test(other, shifts_change_no_bit);
	tcase_add_test(other, all_crossings);
	suite_add_tcase(suite, random);
	suite_add_tcase(suite, aimed);
	suite_add_tcase(suite, other);
	return suite;
}
