/* world: one scene. The step as a visible list of stages; queries over bodies and terrain together; hash, statistics.
 *
 * Owns: everything of a world, through one counted heap. Uses: dynamics, collide, terrain, shape, voxel, math, base.
 * Called by: api.
 */
#ifndef SCREE_WORLD_H
#define SCREE_WORLD_H

#include "base/base.h"
#include "dynamics/dynamics.h"
#include "math/math.h"
#include "terrain/terrain.h"
#include "voxel/voxel.h"

typedef struct World World;

typedef struct WorldDef {
	Pos gravity; /* m/s2; kept as given, so that it reads back the same */
	double cell_size;
	double seed;
	int substeps, threads;
	Narrowphase narrowphase;
	size_t collider_budget; /* bytes of terrain colliders kept from step to step */
	size_t mark_budget;     /* bytes of cells kept for snapshots */
	bool boxes, raw_edges;  /* see DynamicsDef */
	SleepSettings sleep;
	MemoryResizeFn *resize; /* NULL: the C heap */
	void *resize_user;
} WorldDef;

World *World_Create(const WorldDef *def, Error *error); /* NULL on failure */
size_t World_Destroy(World *world);                     /* bytes that were not given back: 0 */

WorldDef World_Def(const World *world); /* without the hooks */
Memory *World_Memory(World *world);
Store *World_Store(World *world);
Terrain *World_Terrain(World *world); /* not synced */
MaterialTable *World_Materials(World *world);
Dynamics *World_Dynamics(World *world);

Pos World_Gravity(const World *world);
bool World_SetGravity(World *world, Pos gravity); /* wakes everything; false: out of memory, unchanged */

/* Brings terrain records up to date; queries call it themselves. */
int World_SyncTerrain(World *world, Error *error);

/* ---- step (step.c)
 * --------------------------------------------------------------------------------------------------- */

/* One step of dt > 0. On ERROR_MEMORY nothing has moved and the step can be tried again. */
int World_Step(World *world, double dt, Error *error);
double World_Time(const World *world);
int64_t World_StepCount(const World *world);
int World_StageCount(void);
const char *World_StageName(int stage);
double World_StageMs(const World *world, int stage); /* of the last step */
double World_StepMs(const World *world);
int World_Hash(World *world, uint64_t *value, Error *error);
bool World_Validate(World *world, char *why, size_t why_size);

/* ---- snapshots and saved worlds (snapshot.c, save.c, archive.c)
 * ------------------------------------------------------ */

/* All state in one block: `archive` holds it in `bytes` and `used`, and the caller ends it. The cells are not in it but
 * in the store's marks, so only this world (or one whose cells are the same) can restore it, as long as they are kept.
 * `script`: bytes of the caller's, given back by Restore. */
int World_Snapshot(World *world, const void *script, size_t script_size, Archive *archive, Error *error);
/* The same future as from the snapshot, bit for bit. ERROR_FILE: it is damaged, or its cells are not kept any more. The
 * world is unchanged on failure. *script points into data. */
int World_Restore(World *world, const void *data, size_t size, const void **script, size_t *script_size, Error *error);

/* A whole world in a file, cells included. level: see SAVE_LEVEL. */
int World_Save(World *world, const char *path, int level, const void *script, size_t script_size, Error *error);

typedef struct WorldLoadDef {
	int threads; /* 0: as saved */
	MemoryResizeFn *resize;
	void *resize_user;
} WorldLoadDef;

/* Bytes of the world's memory. */
typedef struct WorldScript {
	void *data;
	size_t size;
} WorldScript;

int World_Load(const WorldLoadDef *def, const char *path, World **world, WorldScript *script, Error *error);

/* ---- queries (query.c, query_cast.c)
 * ------------------------------------------------------------------------------------ */

typedef struct QueryFilter {
	bool terrain, water, assemblies, dynamic;
	bool inside;       /* report a start inside; false: leave that solid unhindered */
	uint32_t groups;   /* parts of these groups */
	const int *ignore; /* body slots */
	int ignore_count;
} QueryFilter;

typedef struct QueryHit {
	double fraction;
	Pos position;
	Vec3 normal; /* unit, or zero when inside */
	int part;    /* part slot, or -1: terrain or water */
	Cell cell;   /* of the terrain */
	uint8_t material;
	bool terrain, water, inside;
	uint64_t rank; /* order among equals: 0 for terrain, then older bodies and earlier parts */
} QueryHit;

typedef ARRAY(QueryHit) QueryHitList;
typedef ARRAY(int) SlotList;

/* Nearest hit of the segment. 1, 0 or ErrorCode. */
int World_Raycast(World *world, Pos from, Pos to, const QueryFilter *filter, QueryHit *hit, Error *error);
/* All hits, nearest first; ties: terrain, then bodies in order of creation. Replaces the list. */
int World_RaycastAll(World *world, Pos from, Pos to, const QueryFilter *filter, QueryHitList *hits, Error *error);
/* Moves a shape (its frame from `from` to `to`, turned by rotation) and reports the first touch. 1, 0 or ErrorCode. */
int World_Cast(World *world, const Shape *shape, Quat rotation, Pos from, Pos to, const QueryFilter *filter,
               QueryHit *hit, Error *error);
/* Body slots that overlap the placed shape, in order of creation; *terrain, *water: whether it meets the ground, and
 * water where that is asked for. */
int World_Overlap(World *world, const Shape *shape, Pose placement, const QueryFilter *filter, SlotList *bodies,
                  bool *terrain, bool *water, Error *error);

#endif
