/* Terrain keeps in step with its store: after any edits it is as if made anew, or nothing has changed when memory ran
 * out; up to the ends of the world. */
#include "require.h"

#include "terrain_world.h"

#include <check.h>
#include <stdlib.h>

Suite *suite_terrain_sync(void);

static void BuildSome(TerrainWorld *world, Random *r)
{
	int32_t chosen[40];
	int n = 0;
	const Terrain *terrain = world->terrain;
	for (int i = 0; i < 40 && terrain->groups.count > 0; i++) {
		int id = Random_Below(r, terrain->groups.count * GROUP_BLOCKS);
		if (Record_Group(terrain, id)->any >> (id % GROUP_BLOCKS) & 1)
			chosen[n++] = id;
	}
	ck_assert(Terrain_Build(world->terrain, chosen, n, Random_Below(r, 2), NULL));
}

static void RandomEdit(TerrainWorld *world, Random *r)
{
	Error error = {0};
	int style = Random_Below(r, 10);
	if (style < 6) { /* a few cells, of the values that matter to the local-maximum rule */
		for (int i = 1 + Random_Below(r, 4); i > 0; i--) {
			int solid = Random_Below(r, 3);
			int value = Random_Below(r, 4) == 0 ? 255 : Random_Below(r, 2) ? 90 : Random_Below(r, 256);
			int water = Random_Below(r, 4) ? 0 : Random_Below(r, 256);
			Cell cell = World_RandomPlace(r, 14);
			World_SetCell(world, cell, solid ? 2 + Random_Below(r, 3) : 0, solid ? value : 0, water);
		}
	} else if (style < 9) { /* a box of noise, now and then with faint cells only */
		Cell lo = World_RandomPlace(r, 16);
		Cell size = World_RandomPlace(r, 6);
		CellBox box = {lo, {lo.x + size.x + 6, lo.y + size.y + 6, lo.z + size.z + 6}};
		Region region = {box.hi.x - lo.x + 1, box.hi.y - lo.y + 1, box.hi.z - lo.z + 1, {NULL, NULL, NULL}};
		int n = region.nx * region.ny * region.nz, faint = Random_Below(r, 2), share = Random_Below(r, 101);
		uint8_t *bytes = calloc((size_t)n, 3);
		for (int i = 0; i < n; i++) {
			bool solid = Random_Below(r, 100) < share;
			bytes[i] = solid ? (uint8_t)(2 + Random_Below(r, 4)) : 0;
			bytes[n + i] = solid ? (uint8_t)(faint ? 70 : Random_Below(r, 256)) : 0;
			bytes[2 * n + i] = Random_Below(r, 8) ? 0 : 255;
		}
		for (int c = 0; c < 3; c++)
			region.channel[c] = bytes + c * n;
		REQUIRE(Store_Write(world->store, box, &region, NULL, NULL, &error) == ERROR_NONE, "write: %s", error.text);
		free(bytes);
	} else if (Random_Below(r, 3)) { /* far islands, so that boxes get large */
		World_SetCell(world, World_RandomPlace(r, 1 << 28), 3, 255, 0);
	} else {
		REQUIRE(Store_Clear(world->store, NULL, &error) == ERROR_NONE, "clear: %s", error.text);
	}
}

static uint64_t HashRecords(const Terrain *terrain)
{
	Hasher hasher;
	Hasher_Init(&hasher);
	CellList list = {0};
	for (int id = Record_Next(terrain, -1); id >= 0; id = Record_Next(terrain, id))
		ck_assert(Array_Push(terrain->memory, list.items, Record_Block(terrain, id)));
	if (list.items.count > 0)
		qsort(list.items.data, (size_t)list.items.count, sizeof(Cell), Cell_Order);
	for (int i = 0; i < list.items.count; i++) {
		int id = Record_Find(terrain, list.items.data[i]);
		const Group *group = Record_Group(terrain, id);
		const Record *record = Record_At(terrain, id);
		const size_t size = sizeof record->mixed;
		Hasher_Bytes(&hasher, &list.items.data[i], sizeof(Cell));
		Hasher_Bytes(&hasher, Group_Solid(group, id % GROUP_BLOCKS), size);
		Hasher_Bytes(&hasher, Group_Water(group, id % GROUP_BLOCKS), size);
		Hasher_Bytes(&hasher, record ? record->mixed : WORDS_NONE, size);
	}
	Array_Free(terrain->memory, list.items);
	return Hasher_Value(&hasher);
}

START_TEST(sync_equals_making_anew)
{
	for (int run = 0; run < 6; run++) {
		uint64_t seed = 3000 + (uint64_t)run;
		Random r = {seed};
		TerrainWorld world;
		World_Open(&world, 1.0);
		for (int step = 0; step < 60; step++) {
			for (int edits = Random_Below(&r, 4); edits >= 0; edits--)
				RandomEdit(&world, &r);
			World_Sync(&world);
			BuildSome(&world, &r);
			if (step % 5 == 0)
				World_Validate(&world, "edits", seed);
			if (step % 20 != 7)
				continue;
			Terrain *fresh =
			    Terrain_Create(World_Memory(&world), world.store, &world.materials, 1.0, NARROWPHASE_KDTREE);
			Error error;
			ck_assert_int_eq(Terrain_Sync(fresh, &error), ERROR_NONE);
			REQUIRE(fresh->record_count == world.terrain->record_count &&
			            HashRecords(fresh) == HashRecords(world.terrain),
			        "seed %llu, step %d: %d records, a new terrain has %d", LOG(seed), step,
			        world.terrain->record_count, fresh->record_count);
			REQUIRE(memcmp(&fresh->lo, &world.terrain->lo, sizeof fresh->lo) == 0 &&
			            memcmp(&fresh->hi, &world.terrain->hi, sizeof fresh->hi) == 0,
			        "seed %llu, step %d: other bounds", LOG(seed), step);
			Terrain_Destroy(fresh);
		}
		World_Validate(&world, "edits", seed);
		World_Close(&world);
	}
}
END_TEST

static void FillCells(TerrainWorld *world, Cell lo, int side, Voxel voxel)
{
	size_t n = (size_t)side * (size_t)side * (size_t)side;
	uint8_t *bytes = malloc(3 * n);
	memset(bytes, voxel.material, n);
	memset(bytes + n, voxel.occupancy, n);
	memset(bytes + 2 * n, voxel.water, n);
	Region region = {side, side, side, {bytes, bytes + n, bytes + 2 * n}};
	Error error = {0};
	CellBox box = {lo, {lo.x + side - 1, lo.y + side - 1, lo.z + side - 1}};
	REQUIRE(Store_Write(world->store, box, &region, NULL, NULL, &error) == ERROR_NONE, "fill: %s", error.text);
	free(bytes);
}

/* Whole chunks of ground, which are taken without looking at their cells, with holes, weak spots and water in them. */
START_TEST(deep_ground)
{
	const Voxel kinds[] = {{3, 255, 0}, {4, 128, 0}, {2, 127, 0}, {0, 0, 0}, {0, 0, 255}, {2, 140, 90}};
	int deep = 0;
	for (int run = 0; run < 4; run++) {
		uint64_t seed = 7100 + (uint64_t)run;
		Random r = {seed};
		TerrainWorld world;
		World_Open(&world, 1.0);
		FillCells(&world, (Cell){-40, -40, -40}, 140, kinds[run % 2]);
		for (int step = 0; step < 10; step++) {
			World_Sync(&world);
			BuildSome(&world, &r);
			World_Validate(&world, "deep ground", seed);
			for (int i = 0; i < world.terrain->groups.count; i++)
				deep += world.terrain->groups.data[i].inside == ~(uint64_t)0;
			for (int edits = Random_Below(&r, 3); edits >= 0; edits--) {
				Cell at = World_RandomPlace(&r, 70);
				int side = Random_Below(&r, 3) ? 1 + Random_Below(&r, 6) : 64;
				FillCells(&world, (Cell){at.x + 20, at.y + 20, at.z + 20}, side, kinds[Random_Below(&r, 6)]);
			}
		}
		World_Close(&world);
	}
	ck_assert_int_gt(deep, 100);
}
END_TEST

/* The validator itself must see faults: of every part that it compares. */
START_TEST(validation_sees_faults)
{
	Random r = {11};
	TerrainWorld world;
	char why[200];
	World_Open(&world, 1.0);
	RefField field = Field_Make(FIELD_HILLS, 20, &r);
	World_Put(&world, &field, (Cell){0, 0, 0});
	World_SetCell(&world, (Cell){100, 103, 100}, 2, 255, 0); /* gives the block above solid words and no more */
	World_Sync(&world);
	Terrain *terrain = world.terrain;
	int index = -1;
	for (int id = Record_Next(terrain, -1); id >= 0; id = Record_Next(terrain, id))
		if (Record_At(terrain, id) && Record_At(terrain, id)->quads > 10)
			index = id;
	ck_assert_int_ge(index, 0);
	ck_assert(Terrain_Build(terrain, &index, 1, true, NULL));
	World_Validate(&world, "hills", 11);
	Record *record = Record_At(terrain, index);
	Group *group = Record_Group(terrain, index), *beside = NULL;
	for (int i = 0; i < terrain->groups.count; i++)
		if (terrain->groups.data[i].solid_some)
			beside = &terrain->groups.data[i];
	ck_assert_ptr_nonnull(beside);
	/* Each gets its lowest bit turned. */
	uint8_t *faults[] = {(uint8_t *)&record->solid[3],
	                     (uint8_t *)&record->mixed[2],
	                     (uint8_t *)&beside->solids[0][4],
	                     (uint8_t *)&group->inside,
	                     (uint8_t *)&group->solid_all,
	                     (uint8_t *)&group->water,
	                     (uint8_t *)&group->flooded,
	                     &record->mixed_lo[1],
	                     (uint8_t *)&terrain->triangles,
	                     (uint8_t *)&terrain->mesh_bytes,
	                     (uint8_t *)&terrain->index_bytes,
	                     (uint8_t *)record->collider + sizeof(Collider) + 7,
	                     (uint8_t *)record->collider + record->collider->bytes - 1,
	                     record->collider->kinds + 1,
	                     (uint8_t *)&terrain->record_count};
	for (int i = 0; i < COUNT_OF(faults); i++) {
		*faults[i] ^= 1;
		ck_assert_msg(!Terrain_Validate(terrain, why, sizeof why), "fault %d is not seen", i);
		*faults[i] ^= 1;
		World_Validate(&world, "hills again", 11);
	}
	World_SetCell(&world, (Cell){1, 1, 1}, 0, 0, 0);
	ck_assert(!Terrain_Validate(terrain, why, sizeof why));
	RefField_Free(&field);
	World_Close(&world);
}
END_TEST

/* A write drops the colliders within 3 cells and the edge kinds within 4, and no others. */
START_TEST(edits_drop_what_sees_them)
{
	uint64_t seed = 40;
	Random r = {seed};
	TerrainWorld world;
	World_Open(&world, 1.0);
	RefField field = Field_Make(FIELD_HALF, 40, &r);
	World_Put(&world, &field, (Cell){-20, -20, -20});
	Terrain *terrain = world.terrain;
	for (int run = 0; run < 60; run++) {
		int32_t *all = malloc((size_t)terrain->record_count * sizeof *all);
		int n = 0, before = 0;
		for (int id = Record_Next(terrain, -1); id >= 0; id = Record_Next(terrain, id))
			all[n++] = id;
		ck_assert(Terrain_Build(terrain, all, n, true, NULL));
		before = terrain->colliders;
		Cell c = World_RandomPlace(&r, 18);
		World_SetCell(&world, c, 2 + run % 2, 1 + Random_Below(&r, 255), 0);
		World_Sync(&world);
		int gone = 0;
		for (int i = 0; i < n; i++) {
			const Record *record = Record_At(terrain, all[i]);
			if (!record || record->quads == 0)
				continue;
			Cell lo = CellsOfBlocks(Record_Block(terrain, all[i]), Record_Block(terrain, all[i])).lo;
			int far = 0;
			const int32_t p[3] = {c.x, c.y, c.z}, q[3] = {lo.x, lo.y, lo.z};
			for (int a = 0; a < 3; a++)
				far = Int_Max(far, Int_Max(q[a] - p[a], p[a] - q[a] - 7));
			bool has = record->collider != NULL;
			REQUIRE(has == (far > 3), "seed %llu, run %d: the collider %d cells away is %s", LOG(seed), run, far,
			        has ? "kept" : "gone");
			REQUIRE(!has || (record->collider->kinds != NULL) == (far > 4),
			        "seed %llu, run %d: wrong kinds kept %d cells away", LOG(seed), run, far);
			gone += !has;
		}
		REQUIRE(gone >= 1 && gone <= 8 && terrain->colliders <= before, "seed %llu: %d gone", LOG(seed), gone);
		free(all);
	}
	World_Validate(&world, "edits", seed);
	RefField_Free(&field);
	World_Close(&world);
}
END_TEST

START_TEST(blockiness_drops_colliders)
{
	Random r = {41};
	TerrainWorld world;
	Error error;
	World_Open(&world, 1.0);
	RefField field = Field_Make(FIELD_HILLS, 24, &r);
	World_Put(&world, &field, (Cell){0, 0, 0});
	TriangleList smooth = {0}, blocky = {0};
	WorldBox all = {{-1, -1, -1}, {30, 30, 30}};
	ck_assert(Terrain_Gather(world.terrain, all, (Pos){0, 0, 0}, true, &smooth));
	Material changed = world.materials.items[2];
	Terrain_ClearChanged(world.terrain);
	changed.friction = 0.1f;
	ck_assert_int_eq(MaterialTable_Put(&world.materials, &changed, &error), 2);
	World_Sync(&world);
	ck_assert_int_gt(world.terrain->colliders, 0);
	ck_assert_int_eq(Terrain_ChangedCount(world.terrain), 0);
	changed.blockiness = 1.0f;
	ck_assert_int_eq(MaterialTable_Put(&world.materials, &changed, &error), 2);
	World_Sync(&world);
	ck_assert_int_eq(world.terrain->colliders, 0);
	ck_assert_int_eq(Terrain_ChangedCount(world.terrain), 1);
	World_Validate(&world, "blocky", 41);
	ck_assert(Terrain_Gather(world.terrain, all, (Pos){0, 0, 0}, true, &blocky));
	ck_assert_int_eq(blocky.items.count, smooth.items.count);
	int moved = 0;
	for (int i = 0; i < blocky.items.count; i++)
		moved += blocky.items.data[i].v[0].y != smooth.items.data[i].v[0].y;
	ck_assert_int_gt(moved, 100);
	Array_Free(World_Memory(&world), smooth.items);
	Array_Free(World_Memory(&world), blocky.items);
	RefField_Free(&field);
	World_Close(&world);
}
END_TEST

START_TEST(changed_boxes)
{
	TerrainWorld world;
	World_Open(&world, 0.5);
	World_Sync(&world);
	ck_assert_int_eq(Terrain_ChangedCount(world.terrain), 0);
	World_SetCell(&world, (Cell){10, -20, 30}, 2, 255, 0);
	World_SetCell(&world, (Cell){1000, 0, 0}, 2, 255, 0);
	World_Sync(&world);
	ck_assert_int_eq(Terrain_ChangedCount(world.terrain), 2);
	WorldBox box = Terrain_ChangedBox(world.terrain, 0);
	ck_assert(box.lo.x == 3.5 && box.hi.x == 7.0 && box.lo.y == -11.5 && box.hi.y == -8.0 && box.lo.z == 13.5 &&
	          box.hi.z == 17.0);
	World_Sync(&world);
	ck_assert_int_eq(Terrain_ChangedCount(world.terrain), 2);
	Terrain_ClearChanged(world.terrain);
	ck_assert_int_eq(Terrain_ChangedCount(world.terrain), 0);
	/* However many there were, they stay covered and their number bounded. */
	for (int i = 0; i < 3000; i++) {
		World_SetCell(&world, (Cell){i, 0, 0}, 2, 255, 0);
		World_Sync(&world);
	}
	ck_assert_int_le(Terrain_ChangedCount(world.terrain), 1024);
	for (int i = 0; i < 3000; i += 7) {
		bool covered = false;
		for (int k = 0; k < Terrain_ChangedCount(world.terrain); k++) {
			box = Terrain_ChangedBox(world.terrain, k);
			covered |= box.lo.x <= 0.5 * i && box.hi.x >= 0.5 * (i + 1) && box.lo.y <= 0.0 && box.hi.y >= 0.5;
		}
		REQUIRE(covered, "the change of cell %d is forgotten", i);
	}
	World_Close(&world);
}
END_TEST

/* ---- failing allocations ------------------------------------------------------------------------------------- */

/* Every call with one allocation less than it needs: refused, nothing lost, and right when called again. */
START_TEST(sync_survives_failures)
{
	int refused = 0;
	for (long allowed = 0;; allowed++) {
		Random r = {60};
		TerrainWorld world;
		Error error = {0};
		World_Open(&world, 1.0);
		RefField field = Field_Make(FIELD_HILLS, 14, &r);
		World_Put(&world, &field, (Cell){0, 0, 0});
		World_SetCell(&world, (Cell){500, 500, 500}, 2, 255, 0);
		World_SetCell(&world, (Cell){3, 4, 5}, 2, 255, 0);
		ck_assert_int_eq(Store_Clear(world.store, NULL, &error), ERROR_NONE);
		World_SetCell(&world, (Cell){7, 7, 7}, 2, 255, 0);
		World_SetCell(&world, (Cell){-700, 7, 7}, 2, 255, 0);
		int changed = Terrain_ChangedCount(world.terrain);
		world.heap.left = allowed;
		int result = Terrain_Sync(world.terrain, &error);
		bool failed = world.heap.failed;
		world.heap.left = -1;
		/* Giving room back may fail too, and then does no harm. */
		REQUIRE(result == ERROR_NONE || (result == ERROR_MEMORY && failed), "after %ld: %d", allowed, result);
		refused += result == ERROR_MEMORY;
		REQUIRE(result == ERROR_NONE || Terrain_ChangedCount(world.terrain) == changed, "after %ld: half a report",
		        allowed);
		World_Sync(&world);
		World_Validate(&world, "after failures", (unsigned long long)allowed);
		RefField_Free(&field);
		World_Close(&world);
		if (!failed)
			break;
	}
	ck_assert_int_gt(refused, 10);
}
END_TEST

START_TEST(first_sync_survives_failures)
{
	Random r = {61};
	RefField field = Field_Make(FIELD_HALF, 12, &r);
	for (long allowed = 0;; allowed++) {
		TerrainWorld world;
		Error error = {0};
		World_Open(&world, 1.0);
		Terrain_Destroy(world.terrain);
		world.terrain = NULL;
		world.heap.left = 0;
		ck_assert_ptr_null(
		    Terrain_Create(World_Memory(&world), world.store, &world.materials, 1.0, NARROWPHASE_KDTREE));
		world.heap.left = -1;
		world.heap.failed = false;
		world.terrain = Terrain_Create(World_Memory(&world), world.store, &world.materials, 1.0, NARROWPHASE_KDTREE);
		CellBox box = {{0, 0, 0}, {11, 11, 11}};
		Region region = {12, 12, 12, {field.material, field.value, NULL}};
		ck_assert_int_eq(Store_Write(world.store, box, &region, NULL, NULL, &error), ERROR_NONE);
		world.heap.left = allowed;
		int result = Terrain_Sync(world.terrain, &error);
		bool failed = world.heap.failed;
		world.heap.left = -1;
		ck_assert(result == ERROR_NONE || (result == ERROR_MEMORY && failed));
		ck_assert(failed || result == ERROR_NONE);
		World_Sync(&world);
		World_Validate(&world, "first sync", (unsigned long long)allowed);
		World_Close(&world);
		if (!failed)
			break;
	}
	RefField_Free(&field);
}
END_TEST

/* ---- a world of real size ------------------------------------------------------------------------------------ */

/* Cells at the very ends of the world. */
START_TEST(limits_of_the_world)
{
	TerrainWorld world;
	World_Open(&world, 1.0);
	const int32_t end = CELL_LIMIT - 1;
	const Cell corners[] = {{end, end, end}, {-CELL_LIMIT, -CELL_LIMIT, -CELL_LIMIT}, {end, 0, -CELL_LIMIT}};
	for (int i = 0; i < COUNT_OF(corners); i++)
		World_SetCell(&world, corners[i], 2, 255, 0);
	World_Sync(&world);
	World_Validate(&world, "limits", 0);
	for (int i = 0; i < COUNT_OF(corners); i++) {
		Pos c = {corners[i].x + 0.5, corners[i].y + 0.5, corners[i].z + 0.5};
		TriangleList list = {0};
		ck_assert(Terrain_Gather(world.terrain, (WorldBox){{c.x - 1, c.y - 1, c.z - 1}, {c.x + 1, c.y + 1, c.z + 1}}, c,
		                         true, &list));
		ck_assert_int_eq(list.items.count, 12);
		ck_assert_int_eq(Terrain_PointInside(world.terrain, c, NULL), 1);
		Array_Free(World_Memory(&world), list.items);
	}
	World_Close(&world);
}
END_TEST

Suite *suite_terrain_sync(void)
{
	Suite *suite = suite_create("terrain_sync");
	TCase *tcase = tcase_create("terrain_sync");
	tcase_set_timeout(tcase, 120);
	tcase_add_test(tcase, sync_equals_making_anew);
	tcase_add_test(tcase, deep_ground);
	tcase_add_test(tcase, validation_sees_faults);
	tcase_add_test(tcase, edits_drop_what_sees_them);
	tcase_add_test(tcase, blockiness_drops_colliders);
	tcase_add_test(tcase, changed_boxes);
	tcase_add_test(tcase, sync_survives_failures);
	tcase_add_test(tcase, first_sync_survives_failures);
	tcase_add_test(tcase, limits_of_the_world);
	suite_add_tcase(suite, tcase);
	return suite;
}
