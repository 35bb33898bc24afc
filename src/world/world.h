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

/* ---- step (step.c) ----------------------------------------------------------------------------------------------- */

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

/* ---- pieces of the ground (detach.c) ----------------------------------------------------------------------------- */

#define PIECE_SOURCE_BOX 1 /* PartDef.source of a piece's parts */
#define PIECE_SOURCE_HULL 3
#define ANCHOR_LIMIT 4096
#define SMALL_PIECE_LIMIT 4096 /* cells */

typedef struct DetachSettings {
	bool enabled;      /* what edits cut off becomes a body in the step that follows */
	bool small_vanish; /* small pieces vanish; else they become bodies of one hull */
	int small_cells;   /* pieces of fewer cells are small */
} DetachSettings;

typedef enum DetachCause { CAUSE_EDIT, CAUSE_DIG, CAUSE_BLAST, CAUSE_ALL, CAUSE_COUNT } DetachCause;

DetachSettings World_Detach(const World *world);
bool World_SetDetach(World *world, DetachSettings settings);
/* Boxes of cells that hold what is in them. While there are none, the floor holds: the lowest layer of the ground when
 * it was first looked at, and all below it. */
int World_AddAnchor(World *world, CellBox box, Error *error);
void World_ClearAnchors(World *world);
int World_AnchorCount(const World *world);
CellBox World_Anchor(const World *world, int i);
/* All that has been edited since it was last called, as of this cause. False: no memory. */
bool World_NoteEdits(World *world, DetachCause cause);
/* What edits have cut off becomes bodies: a stage of the step. On failure nothing was changed. */
int World_DetachLoose(World *world, Error *error);
/* The same of all the ground, at once, enabled or not. How many bodies came of it, or ErrorCode. *made: they, in the
 * order of their places, valid until the next blast, detaching or step. */
int World_DetachAll(World *world, const Id **made, Error *error);
/* A body that is a piece becomes ground again where it is. ERROR_ARGUMENT: it is none. */
int World_ToTerrain(World *world, int body, Tally *tally, Error *error);

/* ---- digging by hardness, blasts (blast.c) ----------------------------------------------------------------------- */

/* Takes from a ball (metres): of a material of hardness h the part 1 - h / strength of its volume, around the centre.
 */
int World_Dig(World *world, Pos center, double radius, double strength, Tally *tally, Error *error);

typedef struct Blast {
	Pos position;
	double radius;   /* m, at which nothing is felt any more */
	double strength; /* takes materials up to where strength (1 - distance / radius)^2 is their hardness */
	double impulse;  /* N s that a body at the centre gets; the same falloff */
} Blast;

/* How many bodies were pushed, or ErrorCode, which changed nothing. *pushed: they, in order of creation, valid until
 * the next blast, detaching or step. */
int World_Blast(World *world, const Blast *blast, Tally *tally, const Id **pushed, Error *error);

/* ---- snapshots and saved worlds (snapshot.c, save.c, archive.c) -------------------------------------------------- */

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

/* ---- queries (query.c, query_cast.c) ----------------------------------------------------------------------------- */

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
/* Many at once: from and to hold three numbers a ray; fractions receives that of each nearest hit, the same number as
 * World_Raycast gives, or RAY_MISSED. Rays with a number that is not finite meet nothing. ERROR_NONE, or an error. */
#define RAY_MISSED 2.0
int World_Raycasts(World *world, int count, const double *from, const double *to, const QueryFilter *filter,
                   double *fractions, Error *error);
int World_RaycastAll(World *world, Pos from, Pos to, const QueryFilter *filter, QueryHitList *hits, Error *error);
/* Moves a shape (its frame from `from` to `to`, turned by rotation) and reports the first touch. 1, 0 or ErrorCode. */
int World_Cast(World *world, const Shape *shape, Quat rotation, Pos from, Pos to, const QueryFilter *filter,
               QueryHit *hit, Error *error);
/* Body slots that overlap the placed shape, in order of creation; *terrain, *water: whether it meets the ground, and
 * water where that is asked for. */
int World_Overlap(World *world, const Shape *shape, Pose placement, const QueryFilter *filter, SlotList *bodies,
                  bool *terrain, bool *water, Error *error);

#endif
