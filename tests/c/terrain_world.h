/* What the terrain's test suites share: a store with a terrain over it, filled from a field whose surface the twin of
 * surface_reference.h knows. Include after require.h. */
#ifndef TESTS_TERRAIN_WORLD_H
#define TESTS_TERRAIN_WORLD_H

#include "failing_memory.h"
#include "surface_fields.h"
#include "terrain/terrain_internal.h"

typedef struct TerrainWorld {
	FailingMemory heap;
	Store *store;
	MaterialTable materials;
	Terrain *terrain;
} TerrainWorld;

/* Materials 1..4 of a field stand for ground, brick and the like: 0 and 1 of the table are air and water. */
#define FIELD_MATERIAL(m) ((m) == 0 ? 0 : (m) + 1)

static inline Memory *World_Memory(TerrainWorld *world)
{
	return &world->heap.memory;
}

static inline void World_Open(TerrainWorld *world, double cell_size)
{
	FailingMemory_Init(&world->heap, -1);
	MaterialTable_Init(&world->materials);
	world->store = Store_Create(World_Memory(world));
	ck_assert_ptr_nonnull(world->store);
	world->terrain =
	    Terrain_Create(World_Memory(world), world->store, &world->materials, cell_size, NARROWPHASE_KDTREE);
	ck_assert_ptr_nonnull(world->terrain);
}

/* Everything must have been given back. */
static inline void World_Close(TerrainWorld *world)
{
	Terrain_Destroy(world->terrain);
	Store_Destroy(world->store);
	ck_assert_int_eq((int)world->heap.memory.bytes, 0);
	ck_assert_int_eq((int)world->heap.memory.blocks, 0);
}

static inline void World_Sync(TerrainWorld *world)
{
	Error error = {0};
	REQUIRE(Terrain_Sync(world->terrain, &error) == ERROR_NONE, "sync: %s", error.text);
}

/* Writes the field with its corner at cell `at`, and the blockiness of its materials. */
static inline void World_Put(TerrainWorld *world, const RefField *field, Cell at)
{
	Error error = {0};
	CellBox box = {at, {at.x + field->nx - 1, at.y + field->ny - 1, at.z + field->nz - 1}};
	size_t size = (size_t)field->nx * field->ny * field->nz;
	uint8_t *material = malloc(size);
	for (size_t i = 0; i < size; i++)
		material[i] = (uint8_t)FIELD_MATERIAL(field->material[i]);
	Region region = {field->nx, field->ny, field->nz, {material, field->value, NULL}};
	REQUIRE(Store_Write(world->store, box, &region, NULL, NULL, &error) == ERROR_NONE, "write: %s", error.text);
	for (int m = 1; m <= 4; m++) {
		Material changed = world->materials.items[FIELD_MATERIAL(m)];
		changed.blockiness = field->blockiness[m] / 256.0f;
		REQUIRE(MaterialTable_Put(&world->materials, &changed, &error) == FIELD_MATERIAL(m), "%s", error.text);
	}
	free(material);
	World_Sync(world);
}

static inline void World_SetCell(TerrainWorld *world, Cell cell, int material, int value, int water)
{
	Error error = {0};
	Voxel voxel = {(uint8_t)material, (uint8_t)value, (uint8_t)water};
	REQUIRE(Store_Set(world->store, cell, voxel, NULL, &error) == ERROR_NONE, "set: %s", error.text);
}

static inline void World_Validate(TerrainWorld *world, const char *what, unsigned long long seed)
{
	char why[200] = "";
	REQUIRE(Terrain_Validate(world->terrain, why, sizeof why), "%s, seed %llu: %s", what, seed, why);
}

/* ---- kinds of ground ----------------------------------------------------------------------------------------- */

typedef enum FieldKind {
	FIELD_HILLS,
	FIELD_SPARSE,
	FIELD_HALF,
	FIELD_DENSE,
	FIELD_FAINT, /* faint everywhere, a few full cells: the local-maximum rule at work */
	FIELD_EXTREME,
	FIELD_CUBES, /* exact cubes */
	FIELD_MIXED, /* all kinds of blockiness side by side */
	FIELD_BALLS,
	FIELD_KINDS
} FieldKind;

static const char *const field_names[FIELD_KINDS] = {"hills",   "sparse", "half",  "dense", "faint",
                                                     "extreme", "cubes",  "mixed", "balls"};

static inline void Field_AddBalls(RefField *field, Random *random)
{
	double c[6][4];
	for (int i = 0; i < 6; i++) {
		c[i][0] = Random_Range(random, 0, field->nx);
		c[i][1] = Random_Range(random, 0, field->ny);
		c[i][2] = Random_Range(random, 0, field->nz);
		c[i][3] = Random_Range(random, 1.0, 5.0);
	}
	for (int y = 0; y < field->ny; y++)
		for (int z = 0; z < field->nz; z++)
			for (int x = 0; x < field->nx; x++) {
				double d = -10.0;
				for (int i = 0; i < 6; i++) {
					double u = x + 0.5 - c[i][0], v = y + 0.5 - c[i][1], w = z + 0.5 - c[i][2];
					d = MaxD(d, c[i][3] - sqrt(u * u + v * v + w * w));
				}
				RefField_Write(field, x, y, z, 1, d);
			}
}

static inline RefField Field_Make(FieldKind kind, int n, Random *random)
{
	RefField field;
	switch (kind) {
	case FIELD_HILLS:
		return Field_Hills(n, n, random);
	case FIELD_FAINT:
		return Field_Adversarial(n, 0.8, 1 + Random_Below(random, 127), random);
	case FIELD_EXTREME:
		return Field_Extremes(n, 0.7, random);
	case FIELD_BALLS:
		field = RefField_Create(n, n, n);
		Field_AddBalls(&field, random);
		return field;
	default:
		field = Field_Noise(n, kind == FIELD_SPARSE ? 0.03 : kind == FIELD_DENSE ? 0.9 : 0.4, random);
		Field_MixBlockiness(&field);
		if (kind == FIELD_CUBES)
			for (int m = 1; m <= 4; m++)
				field.blockiness[m] = 256;
		if (kind == FIELD_SPARSE || kind == FIELD_HALF || kind == FIELD_DENSE)
			memset(field.blockiness, 0, sizeof field.blockiness);
		return field;
	}
}

/* The field seen in the world's cells. */
static inline bool Field_InsideAt(const RefField *field, Cell at, int x, int y, int z)
{
	return RefField_RaisedValue(field, x - at.x, y - at.y, z - at.z) >= 128;
}

/* ---- places and boxes ---------------------------------------------------------------------------------------- */

#define LOG(seed) ((unsigned long long)(seed))

/* Coordinates from -range to range - 1, drawn one after the other: the order within one expression is open in C. */
static inline Cell World_RandomPlace(Random *r, int range)
{
	Cell c;
	c.x = Random_Below(r, 2 * range) - range;
	c.y = Random_Below(r, 2 * range) - range;
	c.z = Random_Below(r, 2 * range) - range;
	return c;
}

/* A point of the box from (lo, lo, lo) to (hi, hi, hi) counted from cell `at`. */
static inline Pos World_RandomPos(Random *r, Cell at, double lo, double hi, double cell_size)
{
	Pos p;
	p.x = (at.x + Random_Range(r, lo, hi)) * cell_size;
	p.y = (at.y + Random_Range(r, lo, hi)) * cell_size;
	p.z = (at.z + Random_Range(r, lo, hi)) * cell_size;
	return p;
}

/* Round a field: style 0 under a cell, 1 on the grid, 2 large, 3 and 4 endless on some axes. */
static inline WorldBox World_RandomBox(Random *r, const RefField *field, Cell at, double s, int style)
{
	const int n[3] = {field->nx, field->ny, field->nz}, offset[3] = {at.x, at.y, at.z};
	double lo[3], hi[3];
	for (int a = 0; a < 3; a++) {
		double c = offset[a] + Random_Range(r, -3.0, n[a] + 3.0);
		if (style == 1) /* on the grid */
			c = FloorToInt(c);
		double size = style == 2 ? Random_Range(r, 0.0, 40.0) : style == 1 ? Random_Below(r, 3) : Random_Unit(r);
		lo[a] = c * s;
		hi[a] = (c + size) * s;
	}
	WorldBox box = {{lo[0], lo[1], lo[2]}, {hi[0], hi[1], hi[2]}};
	if (style == 3)
		box = (WorldBox){{-INFINITY, lo[1], -1e300}, {INFINITY, hi[1], 1e300}};
	if (style == 4)
		box.lo.x = -1e9, box.hi.x = 1e9, box.lo.z = -INFINITY, box.hi.z = INFINITY;
	return box;
}

#endif
