/* Records, the bit broadphase, keeping in step with the store, the collider cache, triangles. The twin is the plain
 * mesh of surface_reference.h and loops over cells. */
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

/* ---- staying in step ----------------------------------------------------------------------------------------- */

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
	tcase_add_test(tcase, sync_equals_making_anew);
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
