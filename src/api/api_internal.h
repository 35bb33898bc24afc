/* api: the public C functions of scree.h. Checks every argument, then calls the floors below; nothing else lives here.
 *
 * Owns: the buffers that public functions hand out pointers to. Uses: world and everything below. Called by: programs.
 */
#ifndef SCREE_API_INTERNAL_H
#define SCREE_API_INTERNAL_H

#include "mesh/mesh.h"
#include "scree.h"
#include "world/world.h"

struct ScreeWorld {
	World *world;
	Error error;      /* of the last failed call */
	Tally tally;      /* of the last edit */
	Memory outer;     /* the hook that this struct itself came from */
	ScreeSleep sleep; /* as given */
	char why[160];    /* the last answer of WhyAwake */
	/* buffers behind the pointers that calls give out */
	ARRAY(ScreeHit) hits;
	ARRAY(ScreeId) ids;
	ARRAY(int32_t) numbers; /* beside ids */
	MechanismList mechanisms;
	ARRAY(ScreeContact) contacts;
	ARRAY(ScreeEvent) events;
	ARRAY(double) transforms;
	ARRAY(int) ignored;
	QueryHitList query_hits;
	SlotList slots;
	ContactViewList views;
	Archive snapshot;
	WorldScript script;     /* of the file that the world came from */
	BlockModel block_model; /* its names are those of `blocks` */
	ARRAY(ScreeBlockCount) blocks;
	ARRAY(char) part_names; /* of `parts` */
	ARRAY(ScreeMeshPart) parts;
};

/* ---- checks (check.c): true when good; else the error names the argument and the value --------------------------- */

#define NUMBER_LIMIT 1e18 /* its square still fits a float */

bool Check_Number(ScreeWorld *w, const char *name, double value, double lo, double hi);
bool Check_Positive(ScreeWorld *w, const char *name, double value); /* > 0, < NUMBER_LIMIT */
bool Check_Vector(ScreeWorld *w, const char *name, const double *v, double limit);
bool Check_Rotation(ScreeWorld *w, const char *name, const double *q, Quat *out); /* any length but zero: normalised */
bool Check_Flag(ScreeWorld *w, const char *name, int32_t value);
bool Check_Index(ScreeWorld *w, const char *name, int32_t value, int32_t count);
bool Check_Cell(ScreeWorld *w, const char *name, const double *v, Cell *out);
bool Check_CellBox(ScreeWorld *w, const double *min, const double *max, CellBox *out);
bool Check_Material(ScreeWorld *w, const char *name, int32_t material); /* in the table */
int Api_Fail(ScreeWorld *w, ErrorCode code, const char *format, ...) __attribute__((format(printf, 3, 4)));
int Api_OutOfMemory(ScreeWorld *w);
/* Where there is no world yet to keep it: copies the message to the caller's buffer (NULL: none); returns its code. */
int Api_Report(char *error, int32_t error_size, const Error *from);
/* Reads a file into memory and gives it to `read`, whose error is told with the path before it. */
typedef int ApiReadFn(void *context, Memory *memory, const char *path, const void *data, size_t size, Error *error);
int Api_ReadFile(ScreeWorld *w, const char *path, ApiReadFn *read, void *context);
/* Slot of an assembly, or -1 with the error set. */
int Check_Assembly(ScreeWorld *w, ScreeId id);
int Check_Joint(ScreeWorld *w, ScreeId id); /* the same of a joint */

static inline Vec3 ToVec3(const double *v)
{
	return V3((float)v[0], (float)v[1], (float)v[2]);
}
static inline Pos ToPos(const double *v)
{
	return (Pos){v[0], v[1], v[2]};
}
static inline void FromVec3(Vec3 v, double *out)
{
	out[0] = v.x, out[1] = v.y, out[2] = v.z;
}
static inline void FromPos(Pos p, double *out)
{
	out[0] = p.x, out[1] = p.y, out[2] = p.z;
}
static inline void FromQuat(Quat q, double *out)
{
	out[0] = q.x, out[1] = q.y, out[2] = q.z, out[3] = q.w;
}

/* What a ScreeMesh that is handed out belongs to. */
typedef struct MeshHandle {
	ScreeMesh face; /* first: the caller's pointer is this struct's */
	TerrainMesh mesh;
} MeshHandle;

static inline ScreeMesh *MeshHandle_Face(MeshHandle *handle)
{
	const TerrainMesh *mesh = &handle->mesh;
	handle->face = (ScreeMesh){(double)mesh->vertex_count,
	                           (double)mesh->triangle_count,
	                           mesh->positions,
	                           mesh->normals,
	                           mesh->indices,
	                           mesh->materials};
	return &handle->face;
}

/* A world with its outer handle (scene.c); NULL: no memory. */
ScreeWorld *Api_MakeHandle(ScreeResizeFn *resize, void *user);

/* A checked part (part.c). `prefix` names it in errors ("" or "parts[2]."). The hull, if any, is made with the world's
 * memory and belongs to the caller. */
int Api_MakePart(ScreeWorld *w, const char *prefix, const ScreePart *part, PartDef *def);
/* The same for its shape, when that is a mesh (part_mesh.c). */
int Api_MakeMesh(ScreeWorld *w, const char *prefix, const ScreePart *part, Shape *shape);
int Api_MakeSurface(ScreeWorld *w, const char *prefix, const ScreePart *part,
                    PartDef *def); /* all but shape and place */
/* Nine numbers, rows: finite, and an inertia that a body can have. */
bool Check_Inertia(ScreeWorld *w, const char *name, const double *rows, Mat3 *out);
/* Query filter from the public one (query.c). */
int Api_MakeFilter(ScreeWorld *w, const ScreeQuery *query, QueryFilter *filter);

#endif
