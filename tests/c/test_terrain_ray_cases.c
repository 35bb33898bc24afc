/* Rays and points in the cases that break ray casters: starts inside, no length, the ends of the world, far islands,
 * water, edits at borders; and what they build, and when memory fails. */
#include "require.h"

#include "terrain_brute.h"

#include <check.h>
#include <stdlib.h>

/* ---- starts -------------------------------------------------------------------------------------------------- */

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
			Ground_RandomPoint(&ground, &r, 2.0, p);
			if (i % 3 == 0) { /* close to the surface */
				const RefVertex *v = &ground.mesh.vertices[Random_Below(&r, ground.mesh.vertex_count)];
				for (int a = 0; a < 3; a++)
					p[a] = v->at[a] + Random_Range(&r, -60.0, 60.0);
				near++;
			} else if (i % 3 == 1 && i % 2) { /* on planes of the grid */
				for (int k = 0; k < 2; k++) {
					int a = Random_Below(&r, 3);
					p[a] = 2048.0 * Random_Below(&r, 34);
				}
			}
			Pos at = ToMetres(&ground, p);
			int want = BruteInside(&ground, at, &r);
			int got = Terrain_PointInside(ground.world.terrain, at, NULL);
			REQUIRE(want < 0 || got == want, "%s, seed %llu, point %d at (%g, %g, %g) is %d", ground.name, LOG(seed), i,
			        p[0] / 4096, p[1] / 4096, p[2] / 4096, want);
			inside += got;
			/* A ray of no length says the same, with the cell of the point. */
			TerrainHit hit;
			int result = Ground_Cast(&ground, at, at, usual, &hit);
			REQUIRE(result == got, "%s, seed %llu, point %d: the ray disagrees", ground.name, LOG(seed), i);
			REQUIRE(!result || (hit.inside && hit.fraction == 0.0 && LengthSq(hit.normal) == 0.0f && hit.material > 1),
			        "%s, seed %llu, point %d: material %d", ground.name, LOG(seed), i, hit.material);
			REQUIRE(Ground_Cast(&ground, at, at, unhindered, &hit) == 0, "a point is no obstacle");
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
		Ground_RandomPoint(&ground, &r, 2.0, p);
		Pos from = ToMetres(&ground, p), zero = {0, 0, 0}, to = zero;
		bool inside = Terrain_PointInside(ground.world.terrain, from, NULL) == 1;
		for (int k = 0; k < COUNT_OF(lengths); k++) {
			to = (Pos){from.x + lengths[k], from.y - lengths[k], from.z};
			int result = Ground_Cast(&ground, from, to, usual, &hit);
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
			int result = Ground_Cast(&ground, (Pos){0, 0, 0}, to, usual, &hit);
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
	/* What lies exactly at the limit counts: the face is at x = 10 m. */
	TerrainRayOptions reach = unhindered;
	reach.limit = 0.5;
	ck_assert_int_eq(Terrain_Ray(world.terrain, (Pos){8, 0.9, 0.9}, (Pos){12, 0.9, 0.9}, reach, &hit, &error), 1);
	ck_assert(hit.fraction == 0.5 && hit.normal.x == -1.0f);
	reach.limit = 0.4999999;
	ck_assert_int_eq(Terrain_Ray(world.terrain, (Pos){8, 0.9, 0.9}, (Pos){12, 0.9, 0.9}, reach, &hit, &error), 0);
	near.limit = NAN;
	ck_assert_int_eq(Terrain_Ray(world.terrain, from, to, near, &hit, &error), 0);
	World_Close(&world);
}
END_TEST

/* ---- the ends of the world ----------------------------------------------------------------------------------- */

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
	/* Fractions and limits count from the far start. */
	Pos high = {100000.5, 4e9, 40.5}, low = {100000.5, -4e9, 40.5}, level = {100000.5, 0, 40.5};
	ck_assert_int_eq(Terrain_Ray(world.terrain, high, low, usual, &hit, &error), 1);
	ck_assert_msg(AbsD(4e9 - 8e9 * hit.fraction + 99.3) < 0.5, "met at %g", 4e9 - 8e9 * hit.fraction);
	ck_assert_int_eq(Terrain_Ray(world.terrain, high, level, usual, &hit, &error), 0);
	TerrainRayOptions limited = usual;
	limited.limit = 0.5;
	ck_assert_int_eq(Terrain_Ray(world.terrain, high, low, limited, &hit, &error), 0);
	limited.limit = 0.5001;
	ck_assert_int_eq(Terrain_Ray(world.terrain, high, low, limited, &hit, &error), 1);
	/* Between islands two thousand million cells apart, corner to corner. */
	double e = (double)(1 << 30);
	int result = Terrain_Ray(world.terrain, (Pos){-e + 3, -e + 3, -e + 3}, (Pos){e, e, e}, usual, &hit, &error);
	ck_assert_int_eq(result, 1);
	ck_assert_int_eq(hit.cell.x, (1 << 30) - 1);
	ck_assert(hit.normal.x + hit.normal.y + hit.normal.z < -0.9f);
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
			int result =
			    Terrain_Ray(world.terrain, (Pos){v[0], v[1], v[2]}, (Pos){v[3], v[4], v[5]}, usual, &hit, &error);
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
		islands[i] = World_RandomPlace(&r, 1 << 23);
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

/* ---- water --------------------------------------------------------------------------------------------------- */

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
			spans[joined - 1].leave =
			    spans[i].leave > spans[joined - 1].leave ? spans[i].leave : spans[joined - 1].leave;
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
		Cell at = World_RandomPlace(&r, 30);
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
				double along =
				    h->normal.x * (to.x - from.x) + h->normal.y * (to.y - from.y) + h->normal.z * (to.z - from.z);
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

/* ---- edits and laziness -------------------------------------------------------------------------------------- */

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
			REQUIRE(filled ? y > 2.9 && y < 3.1 : y < -0.5 && y > -1.6, "corner %d, filled %d: met at %g", i, filled,
			        y);
			for (int side = 0; side < 6; side++) {
				double d[3] = {0, 0, 0};
				d[side / 2] = side % 2 ? 9 : -9;
				if (side == 3)
					continue;
				Pos from = {c.x + 0.5 + d[0], c.y + 0.5 + d[1], c.z + 0.5 + d[2]};
				ck_assert_int_eq(
				    Terrain_Ray(world.terrain, from, (Pos){c.x + 0.5, c.y + 0.5, c.z + 0.5}, usual, &hit, &error), 1);
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

/* ---- failing allocations ------------------------------------------------------------------------------------- */

START_TEST(rays_survive_failures)
{
	Random r = {80};
	RefField field = Field_Make(FIELD_DENSE, 12, &r);
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
			int result =
			    call == 0 ? Terrain_Ray(world.terrain, from, to, wet, &hit, &error)
			    : call == 1
			        ? (Terrain_RayAll(world.terrain, from, to, wet, World_Memory(&world), &list) ? 1 : ERROR_MEMORY)
			    : call == 2 ? Terrain_PointInside(world.terrain, (Pos){5.1, 5.4, 5.2}, &water)
			                : Terrain_Ray(world.terrain, (Pos){5.2, 12.7, 5.3}, far, wet, &hit, &error);
			bool failed = world.heap.failed;
			world.heap.left = -1;
			REQUIRE((result == ERROR_MEMORY) == failed && list.items.count * failed == 0, "call %d after %ld: %d", call,
			        allowed, result);
			REQUIRE(call != 1 || failed || list.items.count >= 2, "call %d after %ld: %d hits", call, allowed,
			        list.items.count);
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

Suite *suite_terrain_ray_cases(void)
{
	Suite *suite = suite_create("terrain_ray_cases");
	TCase *tcase = tcase_create("terrain_ray_cases");
	tcase_set_timeout(tcase, 120);
	tcase_add_test(tcase, points);
	tcase_add_test(tcase, tiny_rays);
	tcase_add_test(tcase, rays_from_inside);
	tcase_add_test(tcase, endless_rays);
	tcase_add_test(tcase, nonsense_is_an_error);
	tcase_add_test(tcase, rays_between_islands);
	tcase_add_test(tcase, rays_meet_water);
	tcase_add_test(tcase, water_over_ground);
	tcase_add_test(tcase, edits_at_borders);
	tcase_add_test(tcase, rays_build_only_what_they_need);
	tcase_add_test(tcase, rays_survive_failures);
	suite_add_tcase(suite, tcase);
	return suite;
}
