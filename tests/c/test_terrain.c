/* Records and the bit broadphase. The twin is the plain mesh of surface_reference.h and loops over cells. */
#include "require.h"

#include "terrain_world.h"

#include <check.h>
#include <stdlib.h>

/* Blocks from one below the field to one above. */
#define FOR_BLOCKS(field, at, block)                                                                                   \
	for (Cell block = {0, ((at).y >> 3) - 1, 0}; block.y <= ((at).y + (field).ny) >> 3; block.y++)                     \
		for (block.z = ((at).z >> 3) - 1; block.z <= ((at).z + (field).nz) >> 3; block.z++)                            \
			for (block.x = ((at).x >> 3) - 1; block.x <= ((at).x + (field).nx) >> 3; block.x++)

/* ---- records ------------------------------------------------------------------------------------------------- */

typedef bool CellTest(const void *context, int x, int y, int z);

typedef struct FieldAt {
	const RefField *field;
	Cell at;
	const uint8_t *water; /* as the field's cells, or NULL */
} FieldAt;

static bool IsInside(const void *context, int x, int y, int z)
{
	const FieldAt *f = context;
	return Field_InsideAt(f->field, f->at, x, y, z);
}

static int WaterOf(const FieldAt *f, int x, int y, int z)
{
	x -= f->at.x, y -= f->at.y, z -= f->at.z;
	if (!f->water || x < 0 || y < 0 || z < 0 || x >= f->field->nx || y >= f->field->ny || z >= f->field->nz)
		return 0;
	return f->water[x + f->field->nx * (z + f->field->nz * y)];
}

static bool IsWet(const void *context, int x, int y, int z)
{
	return WaterOf(context, x, y, z) > 0;
}

/* How many of the cells lo..hi pass. */
static int CountCells(CellTest *test, const void *context, Cell lo, int size)
{
	int n = 0;
	for (int y = 0; y < size; y++)
		for (int z = 0; z < size; z++)
			for (int x = 0; x < size; x++)
				n += test(context, lo.x + x, lo.y + y, lo.z + z);
	return n;
}

static bool Bit(const uint64_t words[8], int x, int y, int z)
{
	return words[y] >> (8 * z + x) & 1;
}

static void CheckRecord(const TerrainWorld *world, const FieldAt *f, Cell block, const char *name, uint64_t seed)
{
	int index = Record_Find(world->terrain, block), marked = 0, quads = 0;
	const Group *group = index < 0 ? NULL : Record_Group(world->terrain, index);
	const Record *record = index < 0 ? NULL : Record_At(world->terrain, index);
	const uint64_t *solids = group ? Group_Solid(group, index % GROUP_BLOCKS) : NULL;
	const uint64_t *waters = group ? Group_Water(group, index % GROUP_BLOCKS) : NULL;
	Cell corner = {block.x * 8, block.y * 8, block.z * 8};
	bool all_inside = CountCells(IsInside, f, (Cell){corner.x - 1, corner.y - 1, corner.z - 1}, 10) == 1000;
	int full_water = 0;
	for (int y = -1; y <= 8; y++)
		for (int z = -1; z <= 8; z++)
			for (int x = -1; x <= 8; x++)
				full_water += WaterOf(f, corner.x + x, corner.y + y, corner.z + z) == 255;
	for (int y = 0; y < 8; y++)
		for (int z = 0; z < 8; z++)
			for (int x = 0; x < 8; x++) {
				Cell c = {corner.x + x, corner.y + y, corner.z + z};
				bool inside = IsInside(f, c.x, c.y, c.z);
				bool solid = CountCells(IsInside, f, (Cell){c.x - 1, c.y - 1, c.z - 1}, 3) > 0;
				bool water = CountCells(IsWet, f, (Cell){c.x - 1, c.y - 1, c.z - 1}, 3) > 0;
				int in_cube = CountCells(IsInside, f, c, 2);
				quads += (inside != IsInside(f, c.x + 1, c.y, c.z)) + (inside != IsInside(f, c.x, c.y + 1, c.z)) +
				         (inside != IsInside(f, c.x, c.y, c.z + 1));
				marked += solid + water;
				if (!group)
					continue;
				REQUIRE(Bit(solids, x, y, z) == (solid && !all_inside), "%s, seed %llu: solid bit of cell (%d, %d, %d)",
				        name, LOG(seed), c.x, c.y, c.z);
				REQUIRE(Bit(waters, x, y, z) == water, "%s, seed %llu: water bit of cell (%d, %d, %d)", name, LOG(seed),
				        c.x, c.y, c.z);
				bool mixed = in_cube != 0 && in_cube != 8;
				REQUIRE((record && Bit(record->mixed, x, y, z)) == mixed,
				        "%s, seed %llu: mixed bit of cube (%d, %d, %d)", name, LOG(seed), c.x, c.y, c.z);
				for (int a = 0; mixed && a < 3; a++) {
					int at = a == 0 ? x : a == 1 ? y : z;
					REQUIRE(at >= record->mixed_lo[a] && at <= record->mixed_hi[a],
					        "%s, seed %llu: the mixed box leaves out (%d, %d, %d)", name, LOG(seed), c.x, c.y, c.z);
				}
			}
	REQUIRE((marked > 0) == (group != NULL), "%s, seed %llu: block (%d, %d, %d) has %s record", name, LOG(seed),
	        block.x, block.y, block.z, group ? "a" : "no");
	if (!group)
		return;
	int tag = all_inside ? BLOCK_ALL_INSIDE : full_water == 1000 ? BLOCK_ALL_WATER : BLOCK_SURFACE;
	int tagged = Record_Tag(world->terrain, index), counted = record ? record->quads : 0;
	REQUIRE(tagged == tag && counted == quads, "%s, seed %llu: tag %d for %d, %d quads for %d", name, LOG(seed), tagged,
	        tag, counted, quads);
}

/* Water that fills the hollows of a field up to a level, and a whole block of it where there is room. */
static uint8_t *PourWater(TerrainWorld *world, const RefField *field, Cell at, Random *r)
{
	uint8_t *water = calloc((size_t)field->nx * field->ny * field->nz, 1);
	for (int y = 0; y < field->ny; y++)
		for (int z = 0; z < field->nz; z++)
			for (int x = 0; x < field->nx; x++) {
				int i = x + field->nx * (z + field->nz * y);
				if (field->value[i] == 255 || (y > field->ny / 2 && Random_Below(r, 10)))
					continue;
				water[i] = (uint8_t)(Random_Below(r, 30) ? 255 : Random_Below(r, 256));
				World_SetCell(world, (Cell){at.x + x, at.y + y, at.z + z}, FIELD_MATERIAL(field->material[i]),
				              field->value[i], water[i]);
			}
	World_Sync(world);
	return water;
}

START_TEST(records_are_dilations)
{
	for (int kind = 0; kind < FIELD_KINDS; kind++)
		for (int run = 0; run < 2; run++) {
			uint64_t seed = 100 * (uint64_t)kind + (uint64_t)run;
			Random r = {seed};
			TerrainWorld world;
			World_Open(&world, 1.0);
			RefField field = Field_Make(kind, 21, &r);
			Cell at = World_RandomPlace(&r, run ? 1000000 : 40);
			World_Put(&world, &field, at);
			FieldAt f = {&field, at, run ? PourWater(&world, &field, at, &r) : NULL};
			FOR_BLOCKS(field, at, block)
			CheckRecord(&world, &f, block, field_names[kind], seed);
			World_Validate(&world, field_names[kind], seed);
			free((void *)f.water);
			RefField_Free(&field);
			World_Close(&world);
		}
}
END_TEST

START_TEST(whole_blocks_are_tagged)
{
	TerrainWorld world;
	World_Open(&world, 1.0);
	RefField field = RefField_Create(26, 26, 26);
	for (int i = 0; i < 26 * 26 * 26; i++)
		field.value[i] = 200, field.material[i] = 1;
	World_Put(&world, &field, (Cell){-9, -9, -9});
	int index = Record_Find(world.terrain, (Cell){0, 0, 0});
	ck_assert_int_ge(index, 0);
	ck_assert_int_eq(Record_Tag(world.terrain, index), BLOCK_ALL_INSIDE);
	ck_assert_ptr_null(Record_At(world.terrain, index));
	BlockHitList hits = {0};
	ck_assert(Terrain_Query(world.terrain, World_Memory(&world), (WorldBox){{3, 3, 3}, {4, 4, 4}}, &hits));
	ck_assert_int_eq(hits.items.count, 1);
	ck_assert(hits.items.data[0].buried && !hits.items.data[0].solid && !hits.items.data[0].water);
	/* Half full cells have a surface: a block of v = 100 is a plateau that the local-maximum rule makes solid, one of v
	 * = 127 under a full cell is not. */
	World_SetCell(&world, (Cell){3, 3, 3}, 2, 100, 0);
	World_Sync(&world);
	ck_assert_int_eq(Record_Tag(world.terrain, Record_Find(world.terrain, (Cell){0, 0, 0})), BLOCK_SURFACE);
	Error error;
	ck_assert_int_eq(Store_Clear(world.store, NULL, &error), ERROR_NONE);
	for (int y = -9; y < 17; y++)
		for (int z = -9; z < 17; z++)
			for (int x = -9; x < 17; x++)
				World_SetCell(&world, (Cell){x, y, z}, 0, 0, 255);
	World_Sync(&world);
	index = Record_Find(world.terrain, (Cell){0, 0, 0});
	ck_assert_int_eq(Record_Tag(world.terrain, index), BLOCK_ALL_WATER);
	hits.items.count = 0;
	ck_assert(Terrain_Query(world.terrain, World_Memory(&world), (WorldBox){{3, 3, 3}, {4, 4, 4}}, &hits));
	ck_assert_int_eq(hits.items.count, 1);
	ck_assert(!hits.items.data[0].buried && !hits.items.data[0].solid && hits.items.data[0].water);
	Array_Free(World_Memory(&world), hits.items);
	RefField_Free(&field);
	World_Close(&world);
}
END_TEST

/* Every vertex and every triangle's box lies in cells whose solid bit is set. */
START_TEST(records_cover_the_mesh)
{
	for (int kind = 0; kind < FIELD_KINDS; kind++) {
		uint64_t seed = 500 + (uint64_t)kind;
		Random r = {seed};
		TerrainWorld world;
		World_Open(&world, 1.0);
		RefField field = Field_Make(kind, 22, &r);
		Cell at = World_RandomPlace(&r, 40);
		World_Put(&world, &field, at);
		RefMesh mesh = RefMesh_Create(&field, true);
		for (int i = 0; i < 2 * mesh.quad_count; i++) {
			const RefQuad *quad = &mesh.quads[i / 2];
			const int *corner[3] = {mesh.vertices[quad->corner[0]].at, mesh.vertices[quad->corner[1 + i % 2]].at,
			                        mesh.vertices[quad->corner[2 + i % 2]].at};
			const int32_t offset[3] = {at.x, at.y, at.z};
			int lo[3], hi[3];
			for (int a = 0; a < 3; a++) { /* cells; positions count from a cell's centre */
				int from = Int_Min(corner[0][a], Int_Min(corner[1][a], corner[2][a]));
				int to = Int_Max(corner[0][a], Int_Max(corner[1][a], corner[2][a]));
				lo[a] = offset[a] + ((from + 2048) >> 12);
				hi[a] = offset[a] + ((to + 2048) >> 12);
			}
			for (int y = lo[1]; y <= hi[1]; y++)
				for (int z = lo[2]; z <= hi[2]; z++)
					for (int x = lo[0]; x <= hi[0]; x++) {
						int index = Record_Find(world.terrain, (Cell){x >> 3, y >> 3, z >> 3});
						const Group *group = index < 0 ? NULL : Record_Group(world.terrain, index);
						REQUIRE(group && Bit(Group_Solid(group, index % GROUP_BLOCKS), x & 7, y & 7, z & 7),
						        "%s, seed %llu: surface in the unmarked cell (%d, %d, %d)", field_names[kind],
						        LOG(seed), x, y, z);
					}
		}
		RefMesh_Free(&mesh);
		RefField_Free(&field);
		World_Close(&world);
	}
}
END_TEST

/* ---- queries ------------------------------------------------------------------------------------------------- */

/* The record's part of the answer, cell by cell. */
static BlockHit NaiveHit(const Terrain *terrain, int index, WorldBox box)
{
	const Group *group = Record_Group(terrain, index);
	const uint64_t *solids = Group_Solid(group, index % GROUP_BLOCKS),
	               *waters = Group_Water(group, index % GROUP_BLOCKS);
	Cell block = Record_Block(terrain, index);
	BlockHit hit = {.record = index, .block = block};
	double s = terrain->cell_size, h = 0.5;
	for (int y = 0; y < 8; y++)
		for (int z = 0; z < 8; z++)
			for (int x = 0; x < 8; x++) {
				double cx = block.x * 8.0 + x, cy = block.y * 8.0 + y, cz = block.z * 8.0 + z;
				if (box.lo.x / s - h >= cx + 1 || box.hi.x / s + h < cx || box.lo.y / s - h >= cy + 1 ||
				    box.hi.y / s + h < cy || box.lo.z / s - h >= cz + 1 || box.hi.z / s + h < cz)
					continue;
				hit.solid |= Bit(solids, x, y, z);
				hit.water |= Bit(waters, x, y, z);
				hit.buried |= Record_Tag(terrain, index) == BLOCK_ALL_INSIDE;
			}
	return hit;
}

static void CheckQuery(TerrainWorld *world, WorldBox box, const char *name, uint64_t seed)
{
	const Terrain *terrain = world->terrain;
	BlockHitList hits = {0};
	REQUIRE(Terrain_Query(terrain, World_Memory(world), box, &hits), "out of memory");
	int want = 0;
	for (int i = Record_Next(terrain, -1); i >= 0; i = Record_Next(terrain, i)) {
		BlockHit naive = NaiveHit(terrain, i, box);
		const BlockHit *found = NULL;
		for (int k = 0; k < hits.items.count; k++)
			if (hits.items.data[k].record == i)
				found = &hits.items.data[k];
		bool any = naive.solid || naive.water || naive.buried;
		want += any;
		REQUIRE(any == (found != NULL), "%s, seed %llu: block (%d, %d, %d) is %s", name, LOG(seed), naive.block.x,
		        naive.block.y, naive.block.z, found ? "found" : "missed");
		REQUIRE(!found || (found->solid == naive.solid && found->water == naive.water &&
		                   found->buried == naive.buried && Cell_Order(&found->block, &naive.block) == 0),
		        "%s, seed %llu: block (%d, %d, %d) is not what its bits say", name, LOG(seed), naive.block.x,
		        naive.block.y, naive.block.z);
	}
	REQUIRE(want == hits.items.count, "%s, seed %llu: %d hits, not %d", name, LOG(seed), hits.items.count, want);
	for (int k = 1; k < hits.items.count; k++)
		REQUIRE(Cell_Order(&hits.items.data[k - 1].block, &hits.items.data[k].block) < 0, "%s, seed %llu: out of order",
		        name, LOG(seed));
	Array_Free(World_Memory(world), hits.items);
}

START_TEST(queries_equal_loops_over_cells)
{
	static const double sizes[] = {1.0, 0.25, 0.3, 4.0};
	for (int run = 0; run < 8; run++) {
		uint64_t seed = 900 + (uint64_t)run;
		Random r = {seed};
		TerrainWorld world;
		World_Open(&world, sizes[run % 4]);
		RefField field = Field_Make(run % FIELD_KINDS, 25, &r);
		Cell at = World_RandomPlace(&r, run < 4 ? 30 : 1000000);
		World_Put(&world, &field, at);
		free(PourWater(&world, &field, at, &r));
		for (int query = 0; query < 150; query++)
			CheckQuery(&world, World_RandomBox(&r, &field, at, sizes[run % 4], query % 5),
			           field_names[run % FIELD_KINDS], seed);
		/* What is no box meets nothing. */
		BlockHitList hits = {0};
		WorldBox none[] = {{{NAN, 0, 0}, {1, 1, 1}}, {{0, 0, 0}, {1, NAN, 1}}, {{2e9, 0, 0}, {3e9, 1e9, 1e9}}};
		for (int i = 0; i < COUNT_OF(none); i++)
			ck_assert(Terrain_Query(world.terrain, World_Memory(&world), none[i], &hits));
		ck_assert_int_eq(hits.items.count, 0);
		RefField_Free(&field);
		World_Close(&world);
	}
}
END_TEST

/* Results are appended behind what is there; an empty terrain answers too. */
START_TEST(queries_append)
{
	TerrainWorld world;
	World_Open(&world, 1.0);
	BlockHitList hits = {0};
	WorldBox everything = {{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
	ck_assert(Terrain_Query(world.terrain, World_Memory(&world), everything, &hits));
	ck_assert_int_eq(hits.items.count, 0);
	World_SetCell(&world, (Cell){100, 0, 0}, 2, 255, 0);
	World_SetCell(&world, (Cell){-100, 0, 0}, 2, 255, 0);
	World_Sync(&world);
	ck_assert(Terrain_Query(world.terrain, World_Memory(&world), (WorldBox){{100, 0, 0}, {101, 1, 1}}, &hits));
	int first = hits.items.count;
	ck_assert_int_gt(first, 0);
	ck_assert(Terrain_Query(world.terrain, World_Memory(&world), everything, &hits));
	ck_assert_int_eq(hits.items.count, first + world.terrain->record_count);
	for (int i = first + 1; i < hits.items.count; i++)
		ck_assert_int_lt(Cell_Order(&hits.items.data[i - 1].block, &hits.items.data[i].block), 0);
	Array_Free(World_Memory(&world), hits.items);
	World_Close(&world);
}
END_TEST

START_TEST(surface_blocks)
{
	for (int run = 0; run < 6; run++) {
		uint64_t seed = 1200 + (uint64_t)run;
		Random r = {seed};
		TerrainWorld world;
		World_Open(&world, 1.0);
		RefField field = Field_Make(run, 25, &r);
		Cell at = World_RandomPlace(&r, 40);
		World_Put(&world, &field, at);
		RefMesh mesh = RefMesh_Create(&field, true);
		CellBox box = {{at.x + 3, at.y - 1, at.z + 2}, {at.x + 20, at.y + 17, at.z + 11}};
		for (int all = 0; all < 2; all++) {
			CellList list = {0};
			ck_assert(Terrain_SurfaceBlocks(world.terrain, all ? NULL : &box, World_Memory(&world), &list));
			for (int i = 1; i < list.items.count; i++)
				ck_assert_int_lt(Cell_Order(&list.items.data[i - 1], &list.items.data[i]), 0);
			/* Every quad's block is listed when its block's cells meet the box, and no block without quads. */
			int listed_quads = 0, want_quads = 0;
			for (int i = 0; i < list.items.count; i++) {
				int n = Record_At(world.terrain, Record_Find(world.terrain, list.items.data[i]))->quads;
				ck_assert_int_gt(n, 0);
				listed_quads += n;
			}
			for (int q = 0; q < mesh.quad_count; q++) {
				const int *c = mesh.quads[q].cell;
				Cell block = {(c[0] + at.x) >> 3, (c[1] + at.y) >> 3, (c[2] + at.z) >> 3};
				want_quads += all || CellBoxOverlap(CellsOfBlocks(block, block), box);
			}
			REQUIRE(listed_quads == want_quads, "seed %llu: %d quads in the blocks, not %d", LOG(seed), listed_quads,
			        want_quads);
			Array_Free(World_Memory(&world), list.items);
		}
		RefMesh_Free(&mesh);
		RefField_Free(&field);
		World_Close(&world);
	}
}
END_TEST

Suite *suite_terrain(void)
{
	Suite *suite = suite_create("terrain");
	TCase *tcase = tcase_create("terrain");
	tcase_set_timeout(tcase, 120);
	tcase_add_test(tcase, records_are_dilations);
	tcase_add_test(tcase, whole_blocks_are_tagged);
	tcase_add_test(tcase, records_cover_the_mesh);
	tcase_add_test(tcase, queries_equal_loops_over_cells);
	tcase_add_test(tcase, queries_append);
	tcase_add_test(tcase, surface_blocks);
	suite_add_tcase(suite, tcase);
	return suite;
}
