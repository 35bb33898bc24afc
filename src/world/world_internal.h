/* Structures of the world room. Only its own files include this. */
#ifndef SCREE_WORLD_INTERNAL_H
#define SCREE_WORLD_INTERNAL_H

#include "world/world.h"

#define STAGE_LIMIT 16

typedef struct PendingBox {
	CellBox box;
	DetachCause cause;
} PendingBox;

typedef struct DetachState {
	DetachSettings settings;
	ARRAY(CellBox) anchors;
	bool has_floor;
	int32_t floor;             /* y of the cells that hold, and all below, while there are no anchors */
	ARRAY(PendingBox) pending; /* edited and not yet looked at */
	uint64_t seen;             /* the store's version up to which edits are in `pending` or done with */
} DetachState;

bool Archive_Detach(Archive *archive, DetachState *state);
void DetachState_Free(DetachState *state, Memory *memory);
void DetachState_Hash(const DetachState *state, const Store *store, Hasher *hasher);

typedef struct PushedBody {
	uint64_t birth;
	int body;
	Vec3 linear, angular;
} PushedBody;

struct World {
	Memory memory; /* counts everything below */
	TaskPool *tasks;
	MaterialTable *materials;
	Store *store;
	Terrain *terrain;
	Dynamics *dynamics;
	double seed;
	Pos gravity;
	double time;
	int64_t steps;
	double step_ms, stage_ms[STAGE_LIMIT];
	TriangleList triangles; /* of the last query */
	TerrainHitList terrain_hits;
	TrimeshHitList mesh_hits;
	ARRAY(uint64_t) found;    /* bodies of the last overlap: birth, slot */
	size_t collider_budget;   /* bytes */
	DynamicsDef dynamics_def; /* to make the room anew */
	Narrowphase narrowphase;
	DetachState detach;
	ARRAY(PushedBody) pushed; /* by the last blast */
	ARRAY(Id) listed;         /* for the caller: what the last blast pushed, or what came off last */
};

/* ---- state to and from archives (archive.c) ---------------------------------------------------------------------- */

#define STATE_VERSION 9 /* of what the archives hold; to be counted up whenever that changes */

typedef ARRAY(WorldBox) WorldBoxList;

typedef struct WorldHeader {
	Pos gravity; /* m/s2 */
	double time; /* s */
	int64_t steps;
} WorldHeader;

/* A state that was read, not yet the world's. */
typedef struct WorldState {
	WorldHeader header;
	WorldBoxList changed;
	MaterialTable old_materials;
	bool materials_differ;
	Dynamics *dynamics;
	DetachState detach;
} WorldState;

WorldHeader World_Header(const World *world);
bool Archive_Header(Archive *archive, WorldHeader *header);
bool Archive_Materials(Archive *archive, MaterialTable *table);
bool Archive_Changed(Archive *archive, Terrain *terrain, WorldBoxList *boxes); /* boxes: what was read */
/* Exactly one of Drop and Enter ends a state, also one that was not read. */
int WorldState_Read(WorldState *state, World *world, Archive *archive, Error *error);
void WorldState_Drop(WorldState *state, World *world);
void WorldState_Enter(WorldState *state, World *world);

#endif
