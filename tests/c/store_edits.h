/* A store under test with its heap, random edits of it and of its dense twin. */
#ifndef TESTS_STORE_EDITS_H
#define TESTS_STORE_EDITS_H

#include "store_twin.h"
#include "voxel/store_internal.h"

#include <stdio.h>

static Memory heap;
static Store *store;

static inline void Setup(void)
{
	Memory_Init(&heap, NULL, NULL);
	store = Store_Create(&heap);
	ck_assert_ptr_nonnull(store);
}

static inline void Teardown(void)
{
	Store_CheckValid(store, "at the end");
	Store_Destroy(store);
	ck_assert_uint_eq(heap.bytes, 0);
	ck_assert_uint_eq(heap.blocks, 0);
}

static const CellBox block = {{-48, -48, -48}, {47, 47, 47}};

static inline CellBox RandomBox(Random *random, CellBox within, int largest)
{
	const int lo[3] = {within.lo.x, within.lo.y, within.lo.z}, hi[3] = {within.hi.x, within.hi.y, within.hi.z};
	int a[3], b[3];
	for (int i = 0; i < 3; i++) {
		a[i] = lo[i] + Random_Below(random, hi[i] - lo[i] + 1);
		b[i] = Int_Min(hi[i], a[i] + Random_Below(random, largest));
	}
	return (CellBox){{a[0], a[1], a[2]}, {b[0], b[1], b[2]}};
}

static inline Cell RandomCell(Random *random, CellBox within)
{
	return RandomBox(random, within, 1).lo;
}

static inline Voxel RandomVoxel(Random *random)
{
	static const uint8_t materials[] = {0, 0, 2, 3, 6, 12, 1, 255};
	Voxel v = {materials[Random_Below(random, COUNT_OF(materials))], (uint8_t)Random_Below(random, 256), 0};
	if (Random_Below(random, 3) == 0)
		v.occupancy = 255;
	if (Random_Below(random, 3) == 0)
		v.water = (uint8_t)Random_Below(random, 256);
	return v;
}

static inline bool Voxel_Same(Voxel a, Voxel b)
{
	return a.material == b.material && a.occupancy == b.occupancy && a.water == b.water;
}

static inline void CheckCell(Cell c, Voxel want)
{
	Voxel v = Store_Get(store, c);
	REQUIRE(Voxel_Same(v, want), "(%d, %d, %d) is {%d, %d, %d}, not {%d, %d, %d}", c.x, c.y, c.z, v.material,
	        v.occupancy, v.water, want.material, want.occupancy, want.water);
}

static inline void Put(Cell c, Voxel v)
{
	REQUIRE(Store_Set(store, c, v, NULL, NULL) == ERROR_NONE, "set of (%d, %d, %d) failed", c.x, c.y, c.z);
}

/* ---- edits of store and twin -------------------------------------------------------------------------------- */

static inline int WriteRandom(Random *random, Twin *twin, CellBox box, Tally *tally)
{
	int nx = box.hi.x - box.lo.x + 1, ny = box.hi.y - box.lo.y + 1, nz = box.hi.z - box.lo.z + 1;
	size_t size = (size_t)nx * (size_t)ny * (size_t)nz;
	uint8_t *bytes[CHANNEL_COUNT + 1];
	int keep = Random_Below(random, 6), masked = Random_Below(random, 2), plain = Random_Below(random, 2);
	Voxel all = RandomVoxel(random);
	for (int k = 0; k <= CHANNEL_COUNT; k++)
		bytes[k] = malloc(size);
	for (size_t i = 0; i < size; i++) {
		Voxel v = plain ? all : RandomVoxel(random);
		bytes[0][i] = v.material, bytes[1][i] = v.occupancy, bytes[2][i] = v.water;
		bytes[3][i] = (uint8_t)Random_Below(random, 2);
	}
	Region region = {nx, ny, nz, {bytes[0], bytes[1], bytes[2]}};
	if (keep < CHANNEL_COUNT)
		region.channel[keep] = NULL;
	size_t i = 0;
	FOR_CELLS(c, box)
	{
		if (!masked || bytes[3][i]) {
			Voxel v = Twin_Get(twin, c);
			v.material = region.channel[0] ? bytes[0][i] : v.material;
			v.occupancy = region.channel[1] ? bytes[1][i] : v.occupancy;
			v.water = region.channel[2] ? bytes[2][i] : v.water;
			Twin_Set(twin, c, v);
		}
		i++;
	}
	int code = Store_Write(store, box, &region, masked ? bytes[3] : NULL, tally, NULL);
	for (int k = 0; k <= CHANNEL_COUNT; k++)
		free(bytes[k]);
	return code;
}

static inline Voxel Replaced(Voxel v, uint8_t from, uint8_t to)
{
	if (from == MATERIAL_WATER) {
		if (v.water && v.material == MATERIAL_AIR)
			return (Voxel){to, v.water, 0};
		if (to == MATERIAL_AIR)
			v.water = 0;
	} else if (v.material == from) {
		v.occupancy = from == MATERIAL_AIR ? 255 : v.occupancy;
		v.material = to;
	}
	return v;
}

static inline int ReplaceRandom(Random *random, Twin *twin, CellBox box, Tally *tally)
{
	static const uint8_t names[] = {0, 1, 2, 3, 6, 12, 255};
	uint8_t from = names[Random_Below(random, COUNT_OF(names))], to = names[Random_Below(random, COUNT_OF(names))];
	if (from != to) {
		FOR_CELLS(c, box)
		Twin_Set(twin, c, Replaced(Twin_Get(twin, c), from, to));
	}
	return Store_Replace(store, box, from, to, tally, NULL);
}

typedef struct Smear {
	int shift;
} Smear;

/* Some rule of its own, with rows that stay as they are. */
static inline void Smear_Row(void *context, int32_t x, int32_t y, int32_t z, int n, uint8_t *m, uint8_t *v, uint8_t *w)
{
	const Smear *smear = context;
	for (int i = 0; i < n; i++) {
		if ((x + i + y + z + smear->shift) % 3 == 0)
			v[i] = (uint8_t)(v[i] / 2);
		if ((x + i - y) % 5 == 0)
			m[i] = m[i] ? 0 : 2;
		if ((z + smear->shift) % 4 == 0)
			w[i] = (uint8_t)(w[i] + 40);
	}
}

static inline int SmearRandom(Random *random, Twin *twin, CellBox box, Tally *tally)
{
	Smear smear = {Random_Below(random, 7)};
	FOR_CELLS(c, box)
	{
		Voxel v = Twin_Get(twin, c);
		Smear_Row(&smear, c.x, c.y, c.z, 1, &v.material, &v.occupancy, &v.water);
		Twin_Set(twin, c, v);
	}
	return Store_Edit(store, box, Smear_Row, &smear, tally, NULL);
}

static inline int EditRandom(Random *random, Twin *twin, Tally *tally)
{
	int kind = Random_Below(random, 100);
	CellBox box = RandomBox(random, block, kind % 7 == 0 ? 60 : 9);
	if (kind < 50) {
		Cell c = RandomCell(random, block);
		Voxel v = RandomVoxel(random);
		Twin_Set(twin, c, v);
		return Store_Set(store, c, v, tally, NULL);
	}
	if (kind < 70)
		return WriteRandom(random, twin, box, tally);
	if (kind < 85)
		return ReplaceRandom(random, twin, box, tally);
	if (kind < 99 || Random_Below(random, 4))
		return SmearRandom(random, twin, box, tally);
	for (int k = 0; k < CHANNEL_COUNT; k++)
		memset(twin->channel[k], 0, Twin_Size(twin));
	return Store_Clear(store, tally, NULL);
}

static inline void CheckBounds(const Twin *twin, const char *what)
{
	CellBox want = {{INT32_MAX, INT32_MAX, INT32_MAX}, {INT32_MIN, INT32_MIN, INT32_MIN}}, bounds;
	FOR_CELLS(c, twin->box)
	{
		Voxel v = Twin_Get(twin, c);
		if (v.material == MATERIAL_AIR && v.water == 0)
			continue;
		want.lo = (Cell){Int_Min(want.lo.x, c.x), Int_Min(want.lo.y, c.y), Int_Min(want.lo.z, c.z)};
		want.hi = (Cell){Int_Max(want.hi.x, c.x), Int_Max(want.hi.y, c.y), Int_Max(want.hi.z, c.z)};
	}
	bool any = want.lo.x <= want.hi.x;
	REQUIRE(Store_Bounds(store, &bounds) == any, "%s: bounds", what);
	if (any)
		REQUIRE(memcmp(&bounds, &want, sizeof(want)) == 0, "%s: bounds", what);
}

#endif
