/* A dense block of cells, the brute-force twin of a store in tests. Outside the block everything is dry air. */
#ifndef TESTS_STORE_TWIN_H
#define TESTS_STORE_TWIN_H

#include "require.h"
#include "voxel/voxel.h"

#include <check.h>
#include <stdlib.h>

typedef struct Twin {
	CellBox box;
	int nx, ny, nz;
	uint8_t *channel[CHANNEL_COUNT];
} Twin;

static inline size_t Twin_Size(const Twin *twin)
{
	return (size_t)twin->nx * (size_t)twin->ny * (size_t)twin->nz;
}

static inline Twin Twin_Create(CellBox box)
{
	Twin twin = {box, box.hi.x - box.lo.x + 1, box.hi.y - box.lo.y + 1, box.hi.z - box.lo.z + 1, {0}};
	for (int c = 0; c < CHANNEL_COUNT; c++) {
		twin.channel[c] = calloc(1, Twin_Size(&twin));
		ck_assert_ptr_nonnull(twin.channel[c]);
	}
	return twin;
}

static inline void Twin_Free(Twin *twin)
{
	for (int c = 0; c < CHANNEL_COUNT; c++)
		free(twin->channel[c]);
}

static inline Twin Twin_Copy(const Twin *twin)
{
	Twin copy = Twin_Create(twin->box);
	for (int c = 0; c < CHANNEL_COUNT; c++)
		memcpy(copy.channel[c], twin->channel[c], Twin_Size(twin));
	return copy;
}

static inline bool Twin_Holds(const Twin *twin, Cell c)
{
	return c.x >= twin->box.lo.x && c.x <= twin->box.hi.x && c.y >= twin->box.lo.y && c.y <= twin->box.hi.y &&
	       c.z >= twin->box.lo.z && c.z <= twin->box.hi.z;
}

static inline size_t Twin_Index(const Twin *twin, Cell c)
{
	return (size_t)(c.x - twin->box.lo.x) +
	       (size_t)twin->nx * ((size_t)(c.z - twin->box.lo.z) + (size_t)twin->nz * (size_t)(c.y - twin->box.lo.y));
}

static inline Voxel Twin_Get(const Twin *twin, Cell c)
{
	if (!Twin_Holds(twin, c))
		return (Voxel){0, 0, 0};
	size_t i = Twin_Index(twin, c);
	return (Voxel){twin->channel[0][i], twin->channel[1][i], twin->channel[2][i]};
}

/* With the rules of a cell applied. */
static inline void Twin_Set(Twin *twin, Cell c, Voxel v)
{
	if (v.material == MATERIAL_WATER)
		v = (Voxel){MATERIAL_AIR, 0, v.water > v.occupancy ? v.water : v.occupancy};
	if (v.material == MATERIAL_AIR)
		v.occupancy = 0;
	if (v.material != MATERIAL_AIR && v.occupancy == 255)
		v.water = 0;
	size_t i = Twin_Index(twin, c);
	twin->channel[0][i] = v.material;
	twin->channel[1][i] = v.occupancy;
	twin->channel[2][i] = v.water;
}

/* for (Cell c in box) */
#define FOR_CELLS(c, box)                                                                                              \
	for (Cell c = {0, (box).lo.y, 0}; c.y <= (box).hi.y; c.y++)                                                        \
		for (c.z = (box).lo.z; c.z <= (box).hi.z; c.z++)                                                               \
			for (c.x = (box).lo.x; c.x <= (box).hi.x; c.x++)

static inline CellBox Twin_Clip(const Twin *twin, CellBox box)
{
	return (CellBox){
	    {Int_Max(box.lo.x, twin->box.lo.x), Int_Max(box.lo.y, twin->box.lo.y), Int_Max(box.lo.z, twin->box.lo.z)},
	    {Int_Min(box.hi.x, twin->box.hi.x), Int_Min(box.hi.y, twin->box.hi.y), Int_Min(box.hi.z, twin->box.hi.z)}};
}

/* The store holds exactly the twin's cells. */
static inline void Twin_CheckEqual(const Twin *twin, const Store *store, const char *what)
{
	Twin read = Twin_Create(twin->box);
	Region region = {read.nx, read.ny, read.nz, {read.channel[0], read.channel[1], read.channel[2]}};
	Store_Read(store, twin->box, &region);
	for (int k = 0; k < CHANNEL_COUNT; k++) {
		if (memcmp(read.channel[k], twin->channel[k], Twin_Size(twin)) == 0)
			continue;
		FOR_CELLS(c, twin->box)
		{
			size_t i = Twin_Index(twin, c);
			REQUIRE(read.channel[k][i] == twin->channel[k][i], "%s: cell (%d, %d, %d) channel %d is %d, not %d", what,
			        c.x, c.y, c.z, k, read.channel[k][i], twin->channel[k][i]);
		}
	}
	Twin_Free(&read);
	CellBox bounds;
	if (Store_Bounds(store, &bounds))
		REQUIRE(Twin_Holds(twin, bounds.lo) && Twin_Holds(twin, bounds.hi), "%s: cells outside the twin", what);
}

/* The amount of water: what has room above the ground, 256ths of it against 255ths of water, rounded down. */
static inline int Twin_Water(Voxel v)
{
	int solid = v.material == MATERIAL_AIR ? 0 : v.occupancy + 1, dry = 255 - (255 * 256 - 255 * solid) / 256;
	return v.water > dry ? v.water - dry : 0;
}

static inline void Twin_Matter(const Twin *twin, int64_t sums[MATERIAL_LIMIT])
{
	memset(sums, 0, MATERIAL_LIMIT * sizeof(*sums));
	for (size_t i = 0; i < Twin_Size(twin); i++) {
		if (twin->channel[0][i] != MATERIAL_AIR)
			sums[twin->channel[0][i]] += twin->channel[1][i] + 1;
		sums[MATERIAL_WATER] += Twin_Water((Voxel){twin->channel[0][i], twin->channel[1][i], twin->channel[2][i]});
	}
}

/* before + added - removed = after, per material, and no side of the tally is negative. */
static inline void Tally_Check(const int64_t before[MATERIAL_LIMIT], const Tally *tally, const Twin *after,
                               const char *what)
{
	int64_t sums[MATERIAL_LIMIT];
	Twin_Matter(after, sums);
	for (int m = 0; m < MATERIAL_LIMIT; m++) {
		REQUIRE(tally->added[m] >= 0 && tally->removed[m] >= 0, "%s: negative tally of material %d", what, m);
		REQUIRE(before[m] + tally->added[m] - tally->removed[m] == sums[m],
		        "%s: material %d: %lld + %lld - %lld != %lld", what, m, (long long)before[m],
		        (long long)tally->added[m], (long long)tally->removed[m], (long long)sums[m]);
	}
}

/* All cells in which the twins differ lie within the changes since `since`. */
static inline void Journal_Check(const Store *store, uint64_t since, const Twin *before, const Twin *after,
                                 const char *what)
{
	static CellBox boxes[JOURNAL_LIMIT];
	int count = Store_Changes(store, since, boxes, JOURNAL_LIMIT);
	REQUIRE(count <= JOURNAL_LIMIT, "%s: %d changes", what, count);
	bool differ = false;
	FOR_CELLS(c, after->box)
	{
		size_t i = Twin_Index(after, c);
		bool same = true, covered = false;
		for (int k = 0; k < CHANNEL_COUNT; k++)
			same = same && before->channel[k][i] == after->channel[k][i];
		if (same)
			continue;
		differ = true;
		for (int b = 0; b < count && !covered; b++)
			covered = boxes[b].lo.x <= c.x && c.x <= boxes[b].hi.x && boxes[b].lo.y <= c.y && c.y <= boxes[b].hi.y &&
			          boxes[b].lo.z <= c.z && c.z <= boxes[b].hi.z;
		REQUIRE(covered, "%s: cell (%d, %d, %d) changed outside the journal's boxes", what, c.x, c.y, c.z);
	}
	REQUIRE(!differ || count > 0, "%s: no journal entry", what);
}

static inline void Store_CheckValid(const Store *store, const char *what)
{
	char why[128] = "";
	REQUIRE(Store_Validate(store, why, sizeof(why)), "%s: %s", what, why);
}

static inline uint64_t Store_HashValue(const Store *store)
{
	Hasher hasher;
	Hasher_Init(&hasher);
	Store_Hash(store, &hasher);
	return Hasher_Value(&hasher);
}

#endif
