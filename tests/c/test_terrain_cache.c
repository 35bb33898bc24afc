/* Colliders: their triangles against the plain mesh of surface_reference.h, the cache that keeps them, failing memory,
 * and the nearest air. */
#include "require.h"

#include "terrain_world.h"

#include <check.h>
#include <stdlib.h>

/* ---- triangles ----------------------------------------------------------------------------------------------- */

typedef struct TwinTriangle {
	Vec3 v[3];
	uint8_t edge[3], material;
	Cell cell;
	int meets; /* -1: no, 1: yes, 0: touches, which rounding decides */
} TwinTriangle;

/* Triangle `i` of the twin, by the words of the contract. */
static TwinTriangle MakeTwin(const RefMesh *mesh, const uint16_t *kinds, int i, Cell at, double s, WorldBox box,
                             Pos origin)
{
	const RefQuad *quad = &mesh->quads[i / 2];
	int half = i % 2, corner[3] = {0, 1 + half, 2 + half};
	const int32_t offset[3] = {at.x, at.y, at.z};
	double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
	TwinTriangle t = {.material = (uint8_t)FIELD_MATERIAL(quad->material)};
	for (int k = 0; k < 3; k++) {
		const int *p = mesh->vertices[quad->corner[corner[k]]].at;
		double m[3];
		for (int a = 0; a < 3; a++) {
			m[a] = (offset[a] + (p[a] + 2048) / 4096.0) * s;
			lo[a] = MinD(lo[a], m[a] / s);
			hi[a] = MaxD(hi[a], m[a] / s);
		}
		t.v[k] = V3((float)(m[0] - origin.x), (float)(m[1] - origin.y), (float)(m[2] - origin.z));
	}
	unsigned w = kinds[i / 2], diagonal = w >> 8 & 3;
	t.edge[0] = (uint8_t)(half ? diagonal : w & 3);
	t.edge[1] = (uint8_t)(half ? w >> 4 & 3 : w >> 2 & 3);
	t.edge[2] = (uint8_t)(half ? w >> 6 & 3 : diagonal);
	int c[3] = {quad->cell[0] + at.x, quad->cell[1] + at.y, quad->cell[2] + at.z};
	c[quad->axis] += !quad->low_inside;
	t.cell = (Cell){c[0], c[1], c[2]};
	const double from[3] = {box.lo.x / s, box.lo.y / s, box.lo.z / s},
	             to[3] = {box.hi.x / s, box.hi.y / s, box.hi.z / s};
	double gap = -1.0;
	for (int a = 0; a < 3; a++)
		gap = MaxD(gap, MaxD(lo[a] - to[a], from[a] - hi[a]));
	t.meets = s == 1.0 ? (gap <= 0.0 ? 1 : -1) : gap < -1e-9 ? 1 : gap > 1e-9 ? -1 : 0;
	return t;
}

static bool SameTriangle(const Triangle *a, const TwinTriangle *b)
{
	return memcmp(a->v, b->v, sizeof a->v) == 0 && memcmp(a->edge, b->edge, 3) == 0 && a->material == b->material &&
	       a->cell.x == b->cell.x && a->cell.y == b->cell.y && a->cell.z == b->cell.z;
}

static void CheckGather(TerrainWorld *world, const RefMesh *mesh, const uint16_t *kinds, Cell at, WorldBox box,
                        const char *name, uint64_t seed)
{
	TriangleList list = {0}, again = {0};
	double s = world->terrain->cell_size;
	Pos origin = {at.x * s + 1.25, at.y * s, at.z * s - 0.3};
	REQUIRE(Terrain_Gather(world->terrain, box, origin, true, &list), "out of memory");
	bool *used = calloc((size_t)list.items.count + 1, 1);
	int want = 0;
	for (int i = 0; i < 2 * mesh->quad_count; i++) {
		TwinTriangle twin = MakeTwin(mesh, kinds, i, at, s, box, origin);
		if (twin.meets < 0)
			continue;
		int k = 0;
		while (k < list.items.count && (used[k] || !SameTriangle(&list.items.data[k], &twin)))
			k++;
		if (k == list.items.count && twin.meets == 0)
			continue;
		REQUIRE(k < list.items.count, "%s, seed %llu: a triangle of cell (%d, %d, %d) is missing or different", name,
		        LOG(seed), twin.cell.x, twin.cell.y, twin.cell.z);
		used[k] = true;
		want++;
	}
	REQUIRE(want == list.items.count, "%s, seed %llu: %d triangles, not %d", name, LOG(seed), list.items.count, want);
	for (int i = 0; i < list.items.count; i++)
		for (int k = 0; k < i; k++)
			REQUIRE(list.items.data[i].id != list.items.data[k].id, "%s, seed %llu: two triangles with one id", name,
			        LOG(seed));
	/* The same again, in the same order. */
	REQUIRE(Terrain_Gather(world->terrain, box, origin, true, &again), "out of memory");
	REQUIRE(again.items.count == list.items.count &&
	            (list.items.count == 0 ||
	             memcmp(again.items.data, list.items.data, (size_t)list.items.count * sizeof(Triangle)) == 0),
	        "%s, seed %llu: another order", name, LOG(seed));
	free(used);
	Array_Free(World_Memory(world), list.items);
	Array_Free(World_Memory(world), again.items);
}

START_TEST(triangles_equal_the_twin)
{
	static const double sizes[] = {1.0, 0.3, 4.0, 0.25};
	for (int run = 0; run < 2 * FIELD_KINDS; run++) {
		uint64_t seed = 5000 + (uint64_t)run;
		Random r = {seed};
		TerrainWorld world;
		World_Open(&world, sizes[run % 4]);
		RefField field = Field_Make(run % FIELD_KINDS, 18, &r);
		Cell at = World_RandomPlace(&r, run < FIELD_KINDS ? 30 : 100000);
		World_Put(&world, &field, at);
		RefMesh mesh = RefMesh_Create(&field, true);
		uint16_t *kinds = RefMesh_EdgeKinds(&mesh);
		for (int query = 0; query < 40; query++) {
			WorldBox box = World_RandomBox(&r, &field, at, sizes[run % 4], query % 2);
			CheckGather(&world, &mesh, kinds, at, box, field_names[run % FIELD_KINDS], seed);
		}
		CheckGather(&world, &mesh, kinds, at, World_RandomBox(&r, &field, at, sizes[run % 4], 4),
		            field_names[run % FIELD_KINDS], seed);
		World_Validate(&world, field_names[run % FIELD_KINDS], seed);
		free(kinds);
		RefMesh_Free(&mesh);
		RefField_Free(&field);
		World_Close(&world);
	}
}
END_TEST

/* Ids must not depend on where the collider's tree puts a quad, only on the surface; and must be good hashes. */
START_TEST(triangle_ids)
{
	Random r = {77};
	TerrainWorld world;
	World_Open(&world, 1.0);
	RefField field = Field_Make(FIELD_HALF, 36, &r);
	World_Put(&world, &field, (Cell){-18, -18, -18});
	TriangleList list = {0}, after = {0};
	WorldBox all = {{-30, -30, -30}, {30, 30, 30}}, corner = {{10, 10, 10}, {20, 20, 20}};
	ck_assert(Terrain_Gather(world.terrain, all, (Pos){0, 0, 0}, false, &list));
	int n = list.items.count, same = 0, filled = 0;
	ck_assert_int_gt(n, 20000);
	uint8_t *buckets = calloc(1 << 16, 1);
	for (int i = 0; i < n; i++) {
		filled += !buckets[list.items.data[i].id >> 16];
		buckets[list.items.data[i].id >> 16] = 1;
		for (int e = 0; e < 3; e++)
			ck_assert_int_eq(list.items.data[i].edge[e], EDGE_CONVEX); /* not asked for: nothing may be filtered */
	}
	free(buckets);
	double expected = 65536.0 * (1.0 - Trig_Exp(-n / 65536.0));
	ck_assert_msg(filled > 0.98 * expected, "%d of %g buckets filled", filled, expected);
	World_SetCell(&world, (Cell){-15, -15, -15}, 2, 255, 0);
	World_SetCell(&world, (Cell){-15, -14, -15}, 0, 0, 0);
	World_Sync(&world);
	list.items.count = 0;
	ck_assert(Terrain_Gather(world.terrain, corner, (Pos){0, 0, 0}, false, &list));
	World_SetCell(&world, (Cell){14, 14, 14}, 0, 0, 0);
	World_Sync(&world);
	World_SetCell(&world, (Cell){14, 14, 14}, 2, 255, 0);
	World_Sync(&world);
	ck_assert(Terrain_Gather(world.terrain, corner, (Pos){0, 0, 0}, false, &after));
	for (int i = 0; i < list.items.count; i++)
		for (int k = 0; k < after.items.count; k++)
			same += list.items.data[i].id == after.items.data[k].id &&
			        memcmp(list.items.data[i].v, after.items.data[k].v, sizeof after.items.data[k].v) == 0;
	ck_assert_msg(same > list.items.count * 9 / 10, "%d of %d kept their ids", same, list.items.count);
	Array_Free(World_Memory(&world), list.items);
	Array_Free(World_Memory(&world), after.items);
	RefField_Free(&field);
	World_Close(&world);
}
END_TEST

/* ---- the cache ----------------------------------------------------------------------------------------------- */

static int AllWithQuads(const Terrain *terrain, int32_t *out)
{
	int n = 0;
	for (int id = Record_Next(terrain, -1); id >= 0; id = Record_Next(terrain, id))
		if (Record_At(terrain, id) && Record_At(terrain, id)->quads > 0)
			out[n++] = id;
	return n;
}

static void CheckBooks(TerrainWorld *world, const char *when)
{
	const Terrain *terrain = world->terrain;
	TerrainStats stats = Terrain_Stats(terrain);
	size_t mesh = 0, index = 0, bytes = Store_Bytes(world->store);
	int built = 0, listed = 0;
	int64_t triangles = 0;
	for (int id = Record_Next(terrain, -1); id >= 0; id = Record_Next(terrain, id)) {
		const Collider *collider = Record_At(terrain, id) ? Record_At(terrain, id)->collider : NULL;
		if (!collider)
			continue;
		built++;
		triangles += 2 * collider->quad_count;
		size_t head = (size_t)(Collider_Corners(collider) - (const uint8_t *)collider);
		index += head;
		mesh += collider->bytes - head;
		if (collider->kinds)
			mesh += collider->quad_count;
	}
	for (const Collider *c = terrain->oldest; c; c = c->newer)
		listed++;
	REQUIRE(stats.colliders == built && listed == built && stats.triangles == triangles && stats.mesh_bytes == mesh &&
	            stats.index_bytes == index,
	        "%s: the books are wrong", when);
	REQUIRE(stats.bytes + bytes == world->heap.memory.bytes, "%s: %zu bytes in the books, %zu on the heap", when,
	        stats.bytes, (size_t)world->heap.memory.bytes - bytes);
}

START_TEST(cache_by_use)
{
	Random r = {50};
	TerrainWorld world;
	World_Open(&world, 1.0);
	RefField field = Field_Make(FIELD_HILLS, 40, &r);
	World_Put(&world, &field, (Cell){0, 0, 0});
	Terrain *terrain = world.terrain;
	int32_t all[600];
	int n = AllWithQuads(terrain, all);
	ck_assert_int_gt(n, 40);
	CheckBooks(&world, "at first");
	ck_assert_int_eq(Terrain_Stats(terrain).colliders, 0);
	ck_assert(Terrain_Build(terrain, all, n, false, NULL));
	CheckBooks(&world, "built");
	ck_assert_int_eq((int)Terrain_Stats(terrain).built, n);
	ck_assert(Terrain_Build(terrain, all, n, false, NULL));
	ck_assert_int_eq((int)Terrain_Stats(terrain).built, n); /* nothing was built twice */
	Terrain_Trim(terrain, 0);                               /* all were used since the last trim: none goes */
	ck_assert_int_eq(terrain->colliders, n);
	ck_assert(Terrain_Build(terrain, all, 10, true, NULL)); /* these ten are in use */
	Terrain_Trim(terrain, 0);
	ck_assert_int_eq(terrain->colliders, 10);
	for (int i = 0; i < n; i++)
		ck_assert_int_eq(Record_At(terrain, all[i])->collider != NULL, i < 10);
	ck_assert_int_eq((int)Terrain_Stats(terrain).evicted, n - 10);
	CheckBooks(&world, "trimmed");
	World_Validate(&world, "trimmed", 50);
	/* Oldest first, and no more than the budget asks for. */
	ck_assert(Terrain_Build(terrain, all, 5, false, NULL));
	Terrain_Trim(terrain, 1 << 30);
	ck_assert(Terrain_Build(terrain, all + 5, 15, false, NULL));
	Terrain_Trim(terrain, 1 << 30);
	size_t whole = terrain->mesh_bytes + terrain->index_bytes;
	Terrain_Trim(terrain, whole - 1);
	ck_assert_int_eq(terrain->colliders, 19);
	ck_assert_ptr_null(Record_At(terrain, all[0])->collider);
	ck_assert_ptr_nonnull(Record_At(terrain, all[1])->collider);
	CheckBooks(&world, "one less");
	RefField_Free(&field);
	World_Close(&world);
}
END_TEST

/* Many threads, records named twice, kinds for some: the same bytes as one thread makes. */
START_TEST(building_is_shared)
{
	Random r = {51};
	TerrainWorld worlds[2];
	RefField field = Field_Make(FIELD_MIXED, 34, &r);
	for (int k = 0; k < 2; k++) {
		World_Open(&worlds[k], 1.0);
		World_Put(&worlds[k], &field, (Cell){-5, 3, -40});
		Terrain *terrain = worlds[k].terrain;
		int32_t list[1200];
		int n = AllWithQuads(terrain, list);
		memcpy(list + n, list, (size_t)n * sizeof *list);
		TaskPool *pool = k ? TaskPool_Create(World_Memory(&worlds[k]), 4) : NULL;
		ck_assert(Terrain_Build(terrain, list, n / 3, false, pool));
		ck_assert(Terrain_Build(terrain, list, 2 * n, true, pool));
		if (pool)
			TaskPool_Destroy(pool, World_Memory(&worlds[k]));
		CheckBooks(&worlds[k], "shared");
		World_Validate(&worlds[k], "shared", 51);
		ck_assert_int_eq(terrain->colliders, n);
	}
	for (int id = Record_Next(worlds[0].terrain, -1); id >= 0; id = Record_Next(worlds[0].terrain, id)) {
		const Record *records[2] = {Record_At(worlds[0].terrain, id), Record_At(worlds[1].terrain, id)};
		ck_assert(!records[0] == !records[1]);
		if (!records[0] || !records[0]->collider)
			continue;
		const Collider *a = records[0]->collider, *b = records[1]->collider;
		ck_assert(b && a->bytes == b->bytes && memcmp(a + 1, b + 1, a->bytes - sizeof *a) == 0);
		ck_assert(a->kinds && b->kinds && memcmp(a->kinds, b->kinds, a->quad_count) == 0);
	}
	RefField_Free(&field);
	World_Close(&worlds[0]);
	World_Close(&worlds[1]);
}
END_TEST

/* What the whole is for: compact. Without edge kinds, tree included. */
START_TEST(colliders_are_compact)
{
	Random r = {52};
	TerrainWorld world;
	World_Open(&world, 1.0);
	RefField field = Field_Make(FIELD_HILLS, 48, &r);
	World_Put(&world, &field, (Cell){0, 0, 0});
	int32_t all[600];
	int n = AllWithQuads(world.terrain, all);
	ck_assert(Terrain_Build(world.terrain, all, n, true, NULL));
	TerrainStats stats = Terrain_Stats(world.terrain);
	double per_triangle = (double)(stats.mesh_bytes + stats.index_bytes) / (double)stats.triangles;
	ck_assert_msg(per_triangle < 10.5, "%g bytes a triangle", per_triangle);
	RefField_Free(&field);
	World_Close(&world);
}
END_TEST

/* ---- the nearest air ----------------------------------------------------------------------------------------- */

#define LUMP 26 /* cells a side */
#define AROUND 8
#define LUMP_SIDE (LUMP + 2 * AROUND)

/* 0: inside the ground; 1: air; 2: in a cube of 2^3 of air. Of the lump and what is around it. */
static void FindRoom(const RefField *field, uint8_t *room)
{
	static const int step[3] = {1, LUMP_SIDE, LUMP_SIDE * LUMP_SIDE}; /* x, z, y */
	const int count = LUMP_SIDE * LUMP_SIDE * LUMP_SIDE, last = LUMP_SIDE - 1;
	for (int i = 0; i < count; i++) {
		int x = i % LUMP_SIDE - AROUND, z = i / step[1] % LUMP_SIDE - AROUND, y = i / step[2] - AROUND;
		room[i] = RefField_RaisedValue(field, x, y, z) < 128;
	}
	for (int i = 0; i < count; i++) {
		if (i % LUMP_SIDE == last || i / step[1] % LUMP_SIDE == last || i / step[2] == last)
			continue;
		bool all = true;
		for (int k = 0; k < 8; k++)
			all = all && room[i + (k & 1) * step[0] + (k >> 1 & 1) * step[1] + (k >> 2) * step[2]];
		for (int k = 0; k < 8 && all; k++)
			room[i + (k & 1) * step[0] + (k >> 1 & 1) * step[1] + (k >> 2) * step[2]] = 2;
	}
}

START_TEST(nearest_air)
{
	static const double sizes[] = {1.0, 0.5, 2.5};
	static const unsigned solid[] = {1500, 20, 4}; /* one cell of so many is not */
	static uint8_t rooms[LUMP_SIDE * LUMP_SIDE * LUMP_SIDE];
	for (int run = 0; run < 9; run++) {
		uint64_t seed = 6000 + (uint64_t)run;
		Random r = {seed};
		TerrainWorld world;
		double s = sizes[run % 3];
		World_Open(&world, s);
		/* A large lump with a few hollows, or many. */
		RefField field = RefField_Create(LUMP, LUMP, LUMP);
		for (int i = 0; i < LUMP * LUMP * LUMP; i++) {
			field.value[i] = (uint8_t)(Random_Below(&r, solid[run / 3]) ? 255 : 0);
			field.material[i] = field.value[i] ? 1 : 0;
		}
		FindRoom(&field, rooms);
		Cell at = World_RandomPlace(&r, 50);
		World_Put(&world, &field, at);
		for (int query = 0; query < 60; query++) {
			Pos p = World_RandomPos(&r, at, -2, 28, s);
			bool roomy = query % 2;
			double reach = Random_Range(&r, 0.2, 20.0) * s, best = INFINITY;
			for (int i = 0; i < COUNT_OF(rooms); i++) {
				int x = i % LUMP_SIDE - AROUND, z = i / LUMP_SIDE % LUMP_SIDE - AROUND;
				int y = i / LUMP_SIDE / LUMP_SIDE - AROUND;
				if (rooms[i] < 1 + roomy)
					continue;
				double dx = (at.x + x + 0.5) * s - p.x, dy = (at.y + y + 0.5) * s - p.y;
				double dz = (at.z + z + 0.5) * s - p.z;
				best = MinD(best, sqrt(dx * dx + dy * dy + dz * dz));
			}
			Pos air;
			bool found = Terrain_NearestAir(world.terrain, p, reach, roomy, &air);
			double distance = found ? sqrt((air.x - p.x) * (air.x - p.x) + (air.y - p.y) * (air.y - p.y) +
			                               (air.z - p.z) * (air.z - p.z))
			                        : best;
			REQUIRE(found == (best < reach) && AbsD(distance - best) < 1e-9 * (1.0 + best),
			        "seed %llu, query %d: %g within %g, want %g", LOG(seed), query, found ? distance : -1.0, reach,
			        best);
			REQUIRE(!found || Terrain_PointInside(world.terrain, air, NULL) == 0, "seed %llu: no air there", LOG(seed));
			int cell[3] = {(int)Random_Below(&r, LUMP + 4), (int)Random_Below(&r, LUMP + 4),
			               (int)Random_Below(&r, LUMP + 4)};
			Pos inside = {(at.x + cell[0] - 1.5) * s, (at.y + cell[1] - 1.5) * s, (at.z + cell[2] - 1.5) * s};
			int i = cell[0] + AROUND - 2 + LUMP_SIDE * (cell[2] + AROUND - 2 + LUMP_SIDE * (cell[1] + AROUND - 2));
			REQUIRE(Terrain_HasRoom(world.terrain, inside) == (rooms[i] == 2), "seed %llu, cell %d %d %d: room %d",
			        LOG(seed), cell[0] - 2, cell[1] - 2, cell[2] - 2, rooms[i]);
		}
		RefField_Free(&field);
		World_Close(&world);
	}
}
END_TEST

/* Deep in the ground, what is straight ahead two blocks on is nearer than the far corner of the next block. */
START_TEST(nearest_air_looks_on)
{
	TerrainWorld world;
	World_Open(&world, 1.0);
	RefField field = RefField_Create(64, 64, 64);
	memset(field.value, 255, 64 * 64 * 64);
	memset(field.material, 1, 64 * 64 * 64);
	World_Put(&world, &field, (Cell){0, 0, 0});
	Pos air, point = {31.9, 28.2, 28.7};
	World_SetCell(&world, (Cell){20, 20, 20}, 0, 0, 0); /* 16.5 away, in the next block */
	World_Sync(&world);
	ck_assert(Terrain_NearestAir(world.terrain, point, 50.0, false, &air));
	ck_assert(air.x == 20.5 && air.y == 20.5 && air.z == 20.5);
	World_SetCell(&world, (Cell){41, 28, 28}, 0, 0, 0); /* 9.6 away, in the one after */
	World_Sync(&world);
	ck_assert(Terrain_NearestAir(world.terrain, point, 50.0, false, &air));
	ck_assert(air.x == 41.5 && air.y == 28.5 && air.z == 28.5);
	ck_assert(!Terrain_NearestAir(world.terrain, point, 9.0, false, &air));
	RefField_Free(&field);
	World_Close(&world);
}
END_TEST

START_TEST(nearest_air_has_limits)
{
	TerrainWorld world;
	World_Open(&world, 1.0);
	Pos air = {7, 7, 7};
	ck_assert(Terrain_NearestAir(world.terrain, (Pos){0.2, 0.2, 0.2}, 1.0, false, &air));
	ck_assert(air.x == 0.5 && air.y == 0.5 && air.z == 0.5);
	ck_assert(!Terrain_NearestAir(world.terrain, (Pos){0, 0, 0}, 0.0, false, &air));
	ck_assert(!Terrain_NearestAir(world.terrain, (Pos){0, 0, 0}, -1.0, false, &air));
	ck_assert(!Terrain_NearestAir(world.terrain, (Pos){0, 0, 0}, NAN, false, &air));
	ck_assert(!Terrain_NearestAir(world.terrain, (Pos){NAN, 0, 0}, 1.0, false, &air));
	ck_assert(!Terrain_NearestAir(world.terrain, (Pos){1e300, 0, 0}, 1.0, false, &air));
	ck_assert(Terrain_NearestAir(world.terrain, (Pos){0.2, 0.2, 0.2}, INFINITY, false, &air));
	World_Close(&world);
}
END_TEST

/* ---- failing allocations ------------------------------------------------------------------------------------- */

START_TEST(building_survives_failures)
{
	Random r = {62};
	RefField field = Field_Make(FIELD_HILLS, 14, &r);
	for (int call = 0; call < 3; call++) {
		for (long allowed = 0;; allowed++) {
			TerrainWorld world;
			World_Open(&world, 1.0);
			World_Put(&world, &field, (Cell){0, 0, 0});
			int32_t all[200];
			int n = AllWithQuads(world.terrain, all);
			TriangleList list = {0};
			BlockHitList hits = {0};
			WorldBox box = {{-1, -1, -1}, {15, 15, 15}};
			ck_assert(Terrain_Build(world.terrain, all, 2, false, NULL));
			world.heap.left = allowed;
			bool ok = call == 0   ? Terrain_Build(world.terrain, all, n, true, NULL)
			          : call == 1 ? Terrain_Gather(world.terrain, box, (Pos){0, 0, 0}, true, &list)
			                      : Terrain_Query(world.terrain, World_Memory(&world), box, &hits);
			bool failed = world.heap.failed;
			world.heap.left = -1;
			REQUIRE(ok == !failed && (ok || (list.items.count == 0 && hits.items.count == 0)), "call %d after %ld",
			        call, allowed);
			Array_Free(World_Memory(&world), list.items);
			Array_Free(World_Memory(&world), hits.items);
			CheckBooks(&world, "after failures");
			ck_assert(Terrain_Build(world.terrain, all, n, true, NULL));
			World_Validate(&world, "after failures", (unsigned long long)allowed);
			World_Close(&world);
			if (!failed)
				break;
		}
	}
	RefField_Free(&field);
}
END_TEST

Suite *suite_terrain_cache(void)
{
	Suite *suite = suite_create("terrain_cache");
	TCase *tcase = tcase_create("terrain_cache");
	tcase_set_timeout(tcase, 120);
	tcase_add_test(tcase, triangles_equal_the_twin);
	tcase_add_test(tcase, triangle_ids);
	tcase_add_test(tcase, cache_by_use);
	tcase_add_test(tcase, building_is_shared);
	tcase_add_test(tcase, colliders_are_compact);
	tcase_add_test(tcase, nearest_air);
	tcase_add_test(tcase, nearest_air_looks_on);
	tcase_add_test(tcase, nearest_air_has_limits);
	tcase_add_test(tcase, building_survives_failures);
	suite_add_tcase(suite, tcase);
	return suite;
}
