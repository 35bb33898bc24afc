/* The lattice index and the kD-tree, each in its plain and its fast form, on the same ground: the same triangles in the
 * same order, the same hits, also after edits; and both against the tree as it was first published. */
#include "require.h"

#include "kdtree_reference.h"
#include "terrain_world.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- four terrains over one store ---------------------------------------------------------------------------- */

enum { FORMS = 4 };

static const char *const form_names[FORMS] = {"tree, plain", "lattice, plain", "tree, fast", "lattice, fast"};

typedef struct Forms {
	TerrainWorld world;
	Terrain *terrain[FORMS]; /* the last one is the world's own */
} Forms;

static void Forms_Open(Forms *forms, double cell_size)
{
	World_Open(&forms->world, cell_size);
	Terrain_Destroy(forms->world.terrain);
	for (int i = 0; i < FORMS; i++) {
		Narrowphase narrowphase = i % 2 ? NARROWPHASE_LATTICE : NARROWPHASE_KDTREE;
		forms->terrain[i] = Terrain_Create(World_Memory(&forms->world), forms->world.store, &forms->world.materials,
		                                   cell_size, narrowphase);
		ck_assert_ptr_nonnull(forms->terrain[i]);
		forms->terrain[i]->simd = i >= 2 && Cpu_Simd();
	}
	forms->world.terrain = forms->terrain[FORMS - 1];
}

static void Forms_Close(Forms *forms)
{
	for (int i = 0; i < FORMS - 1; i++)
		Terrain_Destroy(forms->terrain[i]);
	World_Close(&forms->world);
}

static void Forms_Sync(Forms *forms)
{
	Error error = {0};
	for (int i = 0; i < FORMS; i++)
		REQUIRE(Terrain_Sync(forms->terrain[i], &error) == ERROR_NONE, "sync: %s", error.text);
}

static void Forms_Validate(Forms *forms, const char *what, uint64_t seed)
{
	for (int i = 0; i < FORMS; i++) {
		char why[200] = "";
		REQUIRE(Terrain_Validate(forms->terrain[i], why, sizeof why), "%s, seed %llu, %s: %s", what, LOG(seed),
		        form_names[i], why);
	}
}

/* From a hair to the whole field; some thinner than a unit, some flat on the grid of units. */
static WorldBox RandomBox(Random *r, const RefField *field, Cell at, double s)
{
	static const double reach[] = {0.0, 1e-5, 0.3, 1.0, 4.0, 9.0, 16.0, 40.0};
	const int n[3] = {field->nx, field->ny, field->nz}, offset[3] = {at.x, at.y, at.z};
	double lo[3], hi[3];
	for (int a = 0; a < 3; a++) {
		double c = offset[a] + Random_Range(r, -2.0, n[a] + 2.0), size = reach[Random_Below(r, COUNT_OF(reach))];
		if (Random_Below(r, 4) == 0)
			c = FloorToInt(c * 2.0) * 0.5;
		lo[a] = c * s;
		hi[a] = (c + size) * s;
	}
	return (WorldBox){{lo[0], lo[1], lo[2]}, {hi[0], hi[1], hi[2]}};
}

static void CheckBox(Forms *forms, WorldBox box, Pos origin, bool edge_kinds, const char *name, uint64_t seed)
{
	TriangleList list[FORMS] = {{{0}}};
	TerrainQuadList named[FORMS] = {{{0}}};
	Memory *memory = World_Memory(&forms->world);
	for (int i = 0; i < FORMS; i++) {
		REQUIRE(Terrain_Gather(forms->terrain[i], box, origin, edge_kinds, &list[i]), "out of memory");
		REQUIRE(list[i].items.count == list[0].items.count, "%s, seed %llu, %s: %d triangles, not %d", name, LOG(seed),
		        form_names[i], list[i].items.count, list[0].items.count);
		REQUIRE(list[0].items.count == 0 ||
		            memcmp(list[i].items.data, list[0].items.data, (size_t)list[0].items.count * sizeof(Triangle)) == 0,
		        "%s, seed %llu, %s: other triangles, or another order", name, LOG(seed), form_names[i]);
		TerrainQuadList *quads = &named[i];
		int halves = 0;
		REQUIRE(Terrain_Overlap(forms->terrain[i], box, quads), "out of memory");
		for (int k = 0; k < quads->items.count; k++)
			halves += (quads->items.data[k].halves & 1) + (quads->items.data[k].halves >> 1);
		REQUIRE(halves == list[0].items.count, "%s, seed %llu, %s: %d triangles named, %d given", name, LOG(seed),
		        form_names[i], halves, list[0].items.count);
		REQUIRE(quads->items.count == named[0].items.count, "%s, seed %llu, %s: %d quads, not %d", name, LOG(seed),
		        form_names[i], quads->items.count, named[0].items.count);
		for (int k = 0; k < quads->items.count; k++) {
			TerrainQuad a = quads->items.data[k], b = named[0].items.data[k];
			Cell at = Record_Block(forms->terrain[i], a.record), first = Record_Block(forms->terrain[0], b.record);
			REQUIRE(a.edge == b.edge && a.halves == b.halves && Cell_Order(&at, &first) == 0,
			        "%s, seed %llu, %s: another name for quad %d", name, LOG(seed), form_names[i], k);
		}
	}
	for (int i = 0; i < FORMS; i++) {
		Array_Free(memory, list[i].items);
		Array_Free(memory, named[i].items);
	}
}

static void CheckRay(Forms *forms, Pos from, Pos to, const char *name, uint64_t seed)
{
	TerrainHit hit[FORMS];
	int result[FORMS];
	Error error;
	memset(hit, 0, sizeof hit);
	for (int i = 0; i < FORMS; i++) {
		TerrainRayOptions options = {true, false, 1.0};
		result[i] = Terrain_Ray(forms->terrain[i], from, to, options, &hit[i], &error);
		const TerrainHit *a = &hit[0], *b = &hit[i];
		REQUIRE(result[i] == result[0] && a->fraction == b->fraction && a->material == b->material &&
		            memcmp(&a->normal, &b->normal, sizeof a->normal) == 0 && Cell_Order(&a->cell, &b->cell) == 0,
		        "%s, seed %llu, %s: another hit: %d at %.17g, not %d at %.17g", name, LOG(seed), form_names[i],
		        result[i], b->fraction, result[0], a->fraction);
	}
}

START_TEST(forms_agree)
{
	static const double sizes[] = {1.0, 0.3, 4.0, 0.25};
	for (int run = 0; run < 2 * FIELD_KINDS; run++) {
		uint64_t seed = 9000 + (uint64_t)run;
		Random r = {seed};
		double s = sizes[run % 4];
		const char *name = field_names[run % FIELD_KINDS];
		Forms forms;
		Forms_Open(&forms, s);
		RefField field = Field_Make(run % FIELD_KINDS, 28, &r);
		Cell at = World_RandomPlace(&r, run < FIELD_KINDS ? 30 : 1000000);
		World_Put(&forms.world, &field, at);
		Forms_Sync(&forms);
		for (int query = 0; query < 120; query++) {
			WorldBox box = RandomBox(&r, &field, at, s);
			CheckBox(&forms, box, World_RandomPos(&r, at, 0, 28, s), query % 4 == 0, name, seed);
		}
		CheckBox(&forms, World_RandomBox(&r, &field, at, s, 3), (Pos){0, 0, 0}, true, name, seed);
		for (int ray = 0; ray < 200; ray++)
			CheckRay(&forms, World_RandomPos(&r, at, -5, 33, s), World_RandomPos(&r, at, -5, 33, s), name, seed);
		Forms_Validate(&forms, name, seed);
		RefField_Free(&field);
		Forms_Close(&forms);
	}
}
END_TEST

static int CountTriangles(Terrain *terrain, WorldBox box, Memory *memory)
{
	TriangleList list = {0};
	REQUIRE(Terrain_Gather(terrain, box, (Pos){0, 0, 0}, false, &list), "out of memory");
	int count = list.items.count;
	Array_Free(memory, list.items);
	return count;
}

/* Boxes with so many blocks in them that these are found in another way. */
START_TEST(wide_boxes)
{
	Forms forms;
	Random r = {9600};
	Cell west = {-20, 3, -7}, east = {1500, -40, 90};
	Forms_Open(&forms, 1.0);
	RefField field = Field_Make(FIELD_HILLS, 24, &r);
	World_Put(&forms.world, &field, west);
	World_Put(&forms.world, &field, east);
	Forms_Sync(&forms);
	WorldBox all = {{-1e3, -1e3, -1e3}, {1e4, 1e3, 1e3}}, left = all, right = all;
	left.hi.x = 700.0;
	right.lo.x = 700.0;
	CheckBox(&forms, all, (Pos){700, 0, 0}, true, "wide", 9600);
	CheckBox(&forms, (WorldBox){{-10, -30, -1e300}, {1510, 12, 1e300}}, (Pos){0, 0, 0}, false, "wide", 9600);
	for (int i = 0; i < FORMS; i++) {
		Memory *memory = World_Memory(&forms.world);
		int both = CountTriangles(forms.terrain[i], all, memory);
		ck_assert_int_gt(both, 1000);
		ck_assert_int_eq(CountTriangles(forms.terrain[i], left, memory) * 2, both);
		ck_assert_int_eq(CountTriangles(forms.terrain[i], right, memory) * 2, both);
	}
	RefField_Free(&field);
	Forms_Close(&forms);
}
END_TEST

START_TEST(forms_agree_after_edits)
{
	for (int run = 0; run < 4; run++) {
		uint64_t seed = 9500 + (uint64_t)run;
		Random r = {seed};
		Forms forms;
		Forms_Open(&forms, 1.0);
		RefField field = Field_Make(run == 0 ? FIELD_HILLS : run == 1 ? FIELD_FAINT : FIELD_MIXED, 24, &r);
		Cell at = {-12, -12, -12};
		World_Put(&forms.world, &field, at);
		Forms_Sync(&forms);
		for (int step = 0; step < 40; step++) {
			for (int edits = Random_Below(&r, 3); edits >= 0; edits--) {
				int solid = Random_Below(&r, 2), value = Random_Below(&r, 3) ? Random_Below(&r, 256) : 255;
				World_SetCell(&forms.world, World_RandomPlace(&r, 13), solid ? 2 + Random_Below(&r, 3) : 0,
				              solid ? value : 0, Random_Below(&r, 5) ? 0 : Random_Below(&r, 256));
			}
			Forms_Sync(&forms);
			for (int query = 0; query < 8; query++)
				CheckBox(&forms, RandomBox(&r, &field, at, 1.0), (Pos){0, 0, 0}, query % 2, "edits", seed);
			for (int ray = 0; ray < 20; ray++)
				CheckRay(&forms, World_RandomPos(&r, at, -4, 28, 1.0), World_RandomPos(&r, at, -4, 28, 1.0), "edits",
				         seed);
			if (step % 8 == 0)
				Forms_Validate(&forms, "edits", seed);
			for (int i = 0; i < FORMS; i++)
				Terrain_Trim(forms.terrain[i], step % 3 ? 4000 : 0);
		}
		RefField_Free(&field);
		Forms_Close(&forms);
	}
}
END_TEST

/* ---- the tree as it was first published ---------------------------------------------------------------------- */

static float (*CopyTriangles(const TriangleList *list))[9]
{
	float(*triangles)[9] = malloc((size_t)list->items.count * sizeof *triangles);
	for (int i = 0; i < list->items.count; i++)
		for (int k = 0; k < 3; k++) {
			Vec3 v = list->items.data[i].v[k];
			triangles[i][3 * k] = v.x;
			triangles[i][3 * k + 1] = v.y;
			triangles[i][3 * k + 2] = v.z;
		}
	return triangles;
}

static int IntOrder(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

/* Boxes whose faces no vertex touches (multiples of 1/4096 and a half), so that both mean the same by "meets". */
static double OffUnits(double v)
{
	return (FloorToInt(v * 4096.0) + 0.5) / 4096.0;
}

static void CompareBoxes(Forms *forms, const SeedTree *seed_tree, const TriangleList *all, Random *r, uint64_t seed)
{
	int *found = malloc((size_t)all->items.count * sizeof *found);
	for (int query = 0; query < 60; query++) {
		Cell zero = {0, 0, 0};
		Pos from = World_RandomPos(r, zero, -2, 26, 1.0), size = World_RandomPos(r, zero, 0, query % 3 ? 3 : 20, 1.0);
		double lo[3] = {OffUnits(from.x), OffUnits(from.y), OffUnits(from.z)};
		double hi[3] = {OffUnits(from.x + size.x), OffUnits(from.y + size.y), OffUnits(from.z + size.z)};
		float flo[3], fhi[3];
		for (int a = 0; a < 3; a++)
			flo[a] = (float)lo[a], fhi[a] = (float)hi[a]; /* exact: under 32, in 1/8192 */
		int n = SeedTree_Box(seed_tree, flo, fhi, found);
		qsort(found, (size_t)n, sizeof *found, IntOrder);
		for (int f = 0; f < FORMS; f++) {
			TriangleList list = {0};
			WorldBox box = {{lo[0], lo[1], lo[2]}, {hi[0], hi[1], hi[2]}};
			REQUIRE(Terrain_Gather(forms->terrain[f], box, (Pos){0, 0, 0}, false, &list), "out of memory");
			REQUIRE(list.items.count == n, "seed %llu, query %d, %s: %d triangles, the first tree has %d", LOG(seed),
			        query, form_names[f], list.items.count, n);
			for (int i = 0; i < n; i++)
				REQUIRE(list.items.data[i].id == all->items.data[found[i]].id,
				        "seed %llu, query %d, %s: another triangle", LOG(seed), query, form_names[f]);
			Array_Free(World_Memory(&forms->world), list.items);
		}
	}
	free(found);
}

static void CompareRays(Forms *forms, const SeedTree *seed_tree, Random *r, uint64_t seed)
{
	int hits = 0, differ = 0;
	for (int ray = 0; ray < 300; ray++) {
		Cell zero = {0, 0, 0};
		Pos from = World_RandomPos(r, zero, -3, 27, 1.0), to = World_RandomPos(r, zero, -3, 27, 1.0);
		const double o[3] = {from.x, from.y, from.z}, d[3] = {to.x - from.x, to.y - from.y, to.z - from.z};
		double t;
		int triangle = SeedTree_Ray(seed_tree, o, d, 1.0, &t);
		TerrainRayOptions options = {false, false, 1.0};
		for (int f = 0; f < FORMS; f++) {
			TerrainHit hit = {0};
			Error error;
			int result = Terrain_Ray(forms->terrain[f], from, to, options, &hit, &error);
			/* Not watertight itself, it may lose a ray on an edge. */
			bool same = result == (triangle >= 0) && (!result || AbsD(hit.fraction - t) < 1e-6);
			differ += !same;
		}
		hits += triangle >= 0;
	}
	REQUIRE(hits > 50 && differ == 0, "seed %llu: %d of 1,200 hits differ", LOG(seed), differ);
}

START_TEST(the_first_tree_finds_the_same)
{
	static const FieldKind kinds[] = {FIELD_HILLS, FIELD_HALF, FIELD_MIXED, FIELD_BALLS};
	for (int run = 0; run < COUNT_OF(kinds); run++) {
		uint64_t seed = 9700 + (uint64_t)run;
		Random r = {seed};
		Forms forms;
		Forms_Open(&forms, 1.0);
		RefField field = Field_Make(kinds[run], 24, &r);
		World_Put(&forms.world, &field, (Cell){0, 0, 0});
		Forms_Sync(&forms);
		TriangleList all = {0};
		WorldBox everything = {{-100, -100, -100}, {100, 100, 100}};
		REQUIRE(Terrain_Gather(forms.world.terrain, everything, (Pos){0, 0, 0}, false, &all), "out of memory");
		float(*triangles)[9] = CopyTriangles(&all);
		SeedTree tree = SeedTree_Build((const float(*)[9])triangles, all.items.count);
		ck_assert_int_eq((int)sizeof(SeedNode), 12);
		ck_assert_int_le(tree.depth, 64);
		CompareBoxes(&forms, &tree, &all, &r, seed);
		CompareRays(&forms, &tree, &r, seed);
		SeedTree_Free(&tree);
		free(triangles);
		Array_Free(World_Memory(&forms.world), all.items);
		RefField_Free(&field);
		Forms_Close(&forms);
	}
}
END_TEST

/* ---- edits at borders ---------------------------------------------------------------------------------------- */

static void CheckCube(Forms *forms, const int c[3], bool there)
{
	Error error;
	for (int f = 0; f < FORMS; f++) {
		Terrain *terrain = forms->terrain[f];
		for (int i = 0; i < 8; i++) {
			Pos p = {c[0] - 0.5 + (i & 1), c[1] - 0.5 + (i >> 1 & 1), c[2] - 0.5 + (i >> 2)};
			REQUIRE(Terrain_PointInside(terrain, p, NULL) == there, "%s: cell %d at (%d, %d, %d)", form_names[f], i,
			        c[0], c[1], c[2]);
		}
		for (int side = 0; side < 6; side++) {
			double from[3] = {c[0] + 0.1, c[1] - 0.2, c[2] + 0.3};
			double to[3] = {from[0], from[1], from[2]};
			from[side / 2] = c[side / 2] + (side % 2 ? 6.0 : -6.0);
			to[side / 2] = c[side / 2];
			TerrainHit hit = {0};
			TerrainRayOptions options = {true, false, 1.0};
			int result = Terrain_Ray(terrain, (Pos){from[0], from[1], from[2]}, (Pos){to[0], to[1], to[2]}, options,
			                         &hit, &error);
			REQUIRE(result == there && (!there || (hit.fraction > 0.8 && hit.fraction < 0.86)),
			        "%s: side %d at (%d, %d, %d): %d at %g", form_names[f], side, c[0], c[1], c[2], result,
			        hit.fraction);
		}
		TriangleList list = {0};
		WorldBox box = {{c[0] - 3, c[1] - 3, c[2] - 3}, {c[0] + 3, c[1] + 3, c[2] + 3}};
		REQUIRE(Terrain_Gather(terrain, box, (Pos){c[0], c[1], c[2]}, true, &list), "out of memory");
		REQUIRE(list.items.count == (there ? 48 : 0), "%s: %d triangles at (%d, %d, %d)", form_names[f],
		        list.items.count, c[0], c[1], c[2]);
		Array_Free(World_Memory(&forms->world), list.items);
	}
}

/* Two cells a side around every corner, edge and face between chunks, set and cleared: at once and everywhere right. */
START_TEST(edits_at_chunk_borders)
{
	Forms forms;
	Forms_Open(&forms, 1.0);
	for (int site = 0; site < 1000; site++) {
		const int index[3] = {site % 10, site / 10 % 10, site / 100};
		int c[3];
		for (int a = 0; a < 3; a++)
			c[a] = (index[a] / 2 - 2) * 32 + (index[a] % 2 ? 13 : 0);
		for (int there = 1; there >= 0; there--) {
			for (int i = 0; i < 8; i++) {
				Cell cell = {c[0] - 1 + (i & 1), c[1] - 1 + (i >> 1 & 1), c[2] - 1 + (i >> 2)};
				World_SetCell(&forms.world, cell, there ? 2 : 0, there ? 255 : 0, 0);
			}
			Forms_Sync(&forms);
			CheckCube(&forms, c, there);
		}
	}
	for (int f = 0; f < FORMS; f++)
		ck_assert_int_eq(forms.terrain[f]->record_count, 0);
	Forms_Close(&forms);
}
END_TEST

/* ---- memory -------------------------------------------------------------------------------------------------- */

/* All that the ground's collision holds: records, colliders, index, materials, edge kinds, groups and their map. */
START_TEST(ten_and_a_half_bytes_a_triangle)
{
	Random r = {53};
	Forms forms;
	Forms_Open(&forms, 1.0);
	RefField field = Field_Make(FIELD_HILLS, 96, &r);
	World_Put(&forms.world, &field, (Cell){0, 0, 0});
	Forms_Sync(&forms);
	for (int f = 0; f < FORMS; f++) {
		Terrain *terrain = forms.terrain[f];
		for (int id = Record_Next(terrain, -1); id >= 0; id = Record_Next(terrain, id))
			ck_assert(Terrain_Build(terrain, &id, 1, true, NULL));
		TerrainStats stats = Terrain_Stats(terrain);
		double bytes = (double)(stats.mesh_bytes + stats.index_bytes + stats.record_bytes) / (double)stats.triangles;
		ck_assert_msg(bytes <= 10.5, "%s: %g bytes a triangle (mesh %zu, index %zu, records %zu of %lld)",
		              form_names[f], bytes, stats.mesh_bytes, stats.index_bytes, stats.record_bytes,
		              (long long)stats.triangles);
	}
	RefField_Free(&field);
	Forms_Close(&forms);
}
END_TEST

START_TEST(kinds_in_a_byte)
{
	for (int i = 0; i < 243; i++) {
		unsigned kinds = 0;
		for (int field = 0, rest = i; field < 5; field++, rest /= 3)
			kinds |= (unsigned)(rest % 3) << 2 * field;
		ck_assert_int_eq(Kinds_Pack(kinds), i);
		ck_assert_int_eq((int)Kinds_Unpack((uint8_t)i), (int)kinds);
	}
}
END_TEST

Suite *suite_lattice(void)
{
	Suite *suite = suite_create("lattice");
	TCase *tcase = tcase_create("lattice");
	tcase_set_timeout(tcase, 120);
	tcase_add_test(tcase, forms_agree);
	tcase_add_test(tcase, forms_agree_after_edits);
	tcase_add_test(tcase, wide_boxes);
	tcase_add_test(tcase, the_first_tree_finds_the_same);
	tcase_add_test(tcase, edits_at_chunk_borders);
	tcase_add_test(tcase, ten_and_a_half_bytes_a_triangle);
	tcase_add_test(tcase, kinds_in_a_byte);
	suite_add_tcase(suite, tcase);
	return suite;
}
