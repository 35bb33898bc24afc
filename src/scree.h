/* scree: voxel terrain and rigid-body physics. The public C API, and the declarations that Lua's FFI reads.
 *
 * Metres, seconds, kilograms, radians; y up, right-handed. Vectors are double[3], rotations double[4] (x, y, z, w).
 * Functions that can fail return a ScreeResult (or a count): negative on failure, with the reason in screeWorld_Error.
 * A failed call changes nothing, but see screeWorld_Step. Handles are whole numbers in doubles; a handle of a destroyed
 * object is an error for ever, never another object. A world may be used from one thread at a time; different worlds
 * are independent.
 *
 * This header holds plain declarations only: the build makes Lua's cdef from it.
 */
#ifndef SCREE_H
#define SCREE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef SCREE_API
#define SCREE_API __attribute__((visibility("default")))
#endif

typedef struct ScreeWorld ScreeWorld;

/* Handle of an assembly: a whole number below 2^53, 0 for none. */
typedef double ScreeId;

enum ScreeResult {
	SCREE_OK = 0,
	SCREE_BAD_ARGUMENT = -1, /* the caller's mistake */
	SCREE_OUT_OF_MEMORY = -2,
	SCREE_BAD_FILE = -3, /* missing, damaged, too large */
	SCREE_LIMIT = -4     /* a stated limit would be passed */
};

/* The version of the library, "major.minor.patch". */
SCREE_API const char *scree_version(void);

/* ---- mathematics: the same bits on every machine ---------------------------------------------------------------- */

SCREE_API double scree_sin(double x);
SCREE_API double scree_cos(double x);
SCREE_API double scree_tan(double x);
SCREE_API double scree_asin(double x);
SCREE_API double scree_acos(double x);
SCREE_API double scree_atan2(double y, double x);
SCREE_API double scree_exp(double x);
SCREE_API double scree_log(double x);
SCREE_API double scree_pow(double x, double y);

/* ---- bytes for files --------------------------------------------------------------------------------------------- */

/* Compresses into the format of zlib (RFC 1950), level 0..9: the bytes that were written to out, or a negative
 * ScreeResult. scree_deflate_bound is a capacity that always suffices. */
SCREE_API double scree_deflate_bound(double size);
SCREE_API double scree_deflate(const void *data, double size, int32_t level, void *out, double capacity);

/* ---- pictures ---------------------------------------------------------------------------------------------------- */

/* A PNG file of 8-bit red, green and blue (sRGB): 3 * width * height bytes from the upper left, row after row. Sides of
 * 1..32768. The old file stays unless everything went well. error (may be NULL): as for screeWorld_Create. */
SCREE_API int32_t scree_write_png(const char *path, int32_t width, int32_t height, const uint8_t *rgb, char *error,
                                  int32_t error_size);

/* ---- world ------------------------------------------------------------------------------------------------------- */

/* Allocator hook: resize(user, NULL, 0, n) allocates, resize(user, p, n, 0) frees, else grows or shrinks; NULL on
 * failure with the old block intact. 16-byte alignment. Called from several threads when threads > 1. NULL: the C heap.
 */
typedef void *ScreeResizeFn(void *user, void *block, size_t old_size, size_t new_size);

/* By impulse: an assembly falls asleep by itself, when it hardly moves and no net force acts on it, and wakes when what
 * passes into it no longer balances. By velocity, for comparison: touching assemblies together, by their speed alone.
 */
enum ScreeSleepRule { SCREE_SLEEP_IMPULSE, SCREE_SLEEP_VELOCITY };

typedef struct ScreeSleep {
	int32_t enabled;
	int32_t rule;   /* ScreeSleepRule */
	double linear;  /* m/s: the speed below which an assembly may fall asleep */
	double angular; /* m/s at the surface of its bounding ball */
	double time;    /* s it must stay below both */
	double balance; /* m/s2: a mean acceleration above it is a net force */
	double wake;    /* m/s: an assembly that sleeps beside awake ones wakes when they would make it faster than this */
} ScreeSleep;

typedef struct ScreeWorldDef {
	double gravity[3];
	double cell_size;       /* metres a terrain cell */
	double seed;            /* whole number; feeds nothing but what a script asks for */
	int32_t substeps;       /* 1..64 */
	int32_t threads;        /* 1..64, the caller included */
	int32_t narrowphase;    /* how contacts and rays find terrain triangles; 0: kd-tree, 1: lattice; same results */
	int32_t broadphase;     /* terrain: 0: bits; 1: boxes around the surface of each block, for comparison */
	double collider_budget; /* bytes of terrain colliders that are kept from step to step, the latest used first */
	double snapshot_budget; /* bytes of cells that are kept as they were at snapshots; the oldest go first */
	ScreeSleep sleep;
	ScreeResizeFn *resize;
	void *resize_user;
} ScreeWorldDef;

SCREE_API void scree_world_defaults(ScreeWorldDef *def);
/* error: receives a message of at most error_size bytes on failure. */
SCREE_API int32_t screeWorld_Create(const ScreeWorldDef *def, ScreeWorld **world, char *error, int32_t error_size);
/* Gives every byte back. Returns the bytes that were not (0, or a defect of the library). */
SCREE_API double screeWorld_Destroy(ScreeWorld *world);
/* Why the last failed call failed: names the argument and its value. Valid until the next failed call. */
SCREE_API const char *screeWorld_Error(const ScreeWorld *world);

/* How the world was made; the hooks are not told. */
SCREE_API void screeWorld_GetDef(const ScreeWorld *world, ScreeWorldDef *out);

/* The world's whole state as a block of bytes, valid until the next call. Cells are in it by name only: the world keeps
 * what changes since, as far as its snapshot_budget allows, and only it (or a world with the same cells) can restore
 * it. script: bytes of the caller's own to go with it (script_size 0: none). Steps after a snapshot are not changed by
 * having taken it. */
SCREE_API int32_t screeWorld_Snapshot(ScreeWorld *world, const void *script, double script_size, const void **data,
                                      double *size);
/* Back to a snapshot: the same future, bit for bit, and the events of the step before it. Handles made since are stale,
 * and may be given to others; those destroyed since are alive again. What could be undone of the terrain is forgotten
 * if it has changed. *script points into data. SCREE_BAD_FILE: not a snapshot, damaged, or its cells are not kept. */
SCREE_API int32_t screeWorld_Restore(ScreeWorld *world, const void *data, double size, const void **script,
                                     double *script_size);
/* The whole world to a file, terrain and all. level: 1..19 of compression, 0 for the usual. The older file stays unless
 * everything went well. */
SCREE_API int32_t screeWorld_Save(ScreeWorld *world, const char *path, int32_t level, const void *script,
                                  double script_size);
/* A world from a file. threads: 0 as saved. *script (may be NULL): the bytes that were saved with it, valid as long as
 * the world. error: as for screeWorld_Create. */
SCREE_API int32_t screeWorld_Load(const char *path, int32_t threads, ScreeResizeFn *resize, void *resize_user,
                                  ScreeWorld **world, const void **script, double *script_size, char *error,
                                  int32_t error_size);

/* Steps `count` times by dt seconds (0 <= dt <= 60; a dt under 1e-9 changes nothing). Of SCREE_OUT_OF_MEMORY the steps
 * before are made, and the one that failed has moved nothing and can be made again; pieces may have come off in it and
 * sleepers woken. */
SCREE_API int32_t screeWorld_Step(ScreeWorld *world, double dt, int32_t count);
SCREE_API double screeWorld_Time(const ScreeWorld *world);
SCREE_API double screeWorld_StepCount(const ScreeWorld *world);
SCREE_API void screeWorld_GetGravity(const ScreeWorld *world, double *out3);
SCREE_API int32_t screeWorld_SetGravity(ScreeWorld *world, double x, double y, double z);
SCREE_API void screeWorld_GetSleep(const ScreeWorld *world, ScreeSleep *out);
SCREE_API int32_t screeWorld_SetSleep(ScreeWorld *world, const ScreeSleep *sleep);
/* 16 hex digits and a zero, over all simulated state (bodies, contacts' impulses, terrain, time). */
SCREE_API int32_t screeWorld_Hash(ScreeWorld *world, char *out17);

typedef struct ScreeStats {
	int32_t assemblies, awake, checking, asleep;
	int32_t contacts, points, joints; /* touching pairs, their points */
	int32_t bodies_static, bodies_kinematic;
	double step_ms;
	double stage_ms[10]; /* by screeWorld_StageName */
	double bytes;        /* everything the world holds */
	int32_t terrain_chunks, terrain_records, terrain_colliders;
	double terrain_triangles, terrain_mesh_bytes, terrain_index_bytes, terrain_record_bytes;
	double terrain_cells, terrain_bytes; /* non-air cells; bytes of the store, without undo */
	int32_t undo_groups, redo_groups;    /* edits of the terrain that can be undone, and redone */
	double undo_bytes;                   /* of both */
	/* Contacts of parts with 8^3 blocks of terrain. Open now: */
	int32_t ground_contacts, ground_water_contacts;
	/* in the last step: those that ran the narrowphase; blocks whose box a part met but not their bits; points made: */
	int32_t ground_tested, ground_refused, ground_points;
	/* solid ones since the start: opened; of these without a point, so far or until they were closed. */
	double ground_opened, ground_barren;
} ScreeStats;

SCREE_API int32_t screeWorld_Stats(ScreeWorld *world, ScreeStats *out);
/* Name of step stage i in [0, 10), or NULL past the last. */
SCREE_API const char *screeWorld_StageName(int32_t i);
/* Bytes live and allocator calls made so far, for tests. */
SCREE_API double screeWorld_Bytes(const ScreeWorld *world);
SCREE_API double screeWorld_AllocatorCalls(const ScreeWorld *world);

/* ---- materials --------------------------------------------------------------------------------------------------- */

typedef struct ScreeMaterial {
	char name[32];
	double density, friction, restitution, rolling, hardness, blockiness;
	double color; /* 0xRRGGBB */
} ScreeMaterial;

SCREE_API int32_t screeWorld_MaterialCount(const ScreeWorld *world);
SCREE_API int32_t screeWorld_FindMaterial(const ScreeWorld *world, const char *name); /* index, or -1: no such name */
/* A negative ScreeResult, without a message: there is no such index. */
SCREE_API int32_t screeWorld_GetMaterial(const ScreeWorld *world, int32_t index, ScreeMaterial *out);
/* Adds or changes by name. Returns the index, or a negative ScreeResult. Wakes what uses it. */
SCREE_API int32_t screeWorld_PutMaterial(ScreeWorld *world, const ScreeMaterial *material);

/* ---- assemblies -------------------------------------------------------------------------------------------------- */

enum ScreeShape {
	SCREE_BALL,
	SCREE_BOX,
	SCREE_CAPSULE,
	SCREE_HULL,
	SCREE_WEDGE,
	SCREE_MESH,
	SCREE_CYLINDER,
	SCREE_CONE
};
enum ScreeMotion { SCREE_STATIC, SCREE_KINEMATIC, SCREE_DYNAMIC };
enum ScreeState { SCREE_AWAKE, SCREE_CHECKING, SCREE_ASLEEP };

/* One rigid part. Fields that its shape does not use are ignored. */
typedef struct ScreePart {
	int32_t shape;
	int32_t material;      /* index; gives density, friction, restitution, rolling where those are < 0 */
	double size[3];        /* box, wedge: full lengths */
	double radius, length; /* ball, capsule, cylinder, cone. Length is along y: of a capsule between the centres of its
	                        * ends, of a cylinder or cone the whole. A cone's base is length / 2 below its origin. */
	const double *points;  /* hull: 3 * point_count; mesh without a path: its vertices */
	int32_t point_count;
	int32_t group;        /* 0..31: the collision group it is in */
	double collides_with; /* bit mask of groups (whole number below 2^32) */
	double position[3];   /* in the assembly's frame */
	double rotation[4];
	double density, friction, restitution, rolling; /* < 0: the material's */
	/* mesh, static assemblies only: a file (.obj .stl .ply .glb .gltf), or points and indices */
	const char *path;        /* NULL: none */
	const uint32_t *indices; /* 3 * triangle_count, from 0, counter-clockwise from outside: that side collides */
	int32_t triangle_count;
	double scale[3]; /* of the vertices, along their own axes */
} ScreePart;

typedef struct ScreeAssemblyDef {
	double position[3]; /* of the assembly's origin */
	double rotation[4];
	double velocity[3]; /* of the centre of mass */
	double angular_velocity[3];
	double gravity_scale;
	int32_t motion;
	int32_t bullet;
	int32_t can_sleep;
	int32_t part_count; /* >= 1 */
	const ScreePart *parts;
	double mass; /* kg; 0: of the parts. Scales the inertia, unless that is given too */
	int32_t has_center_of_mass, has_inertia;
	double center_of_mass[3]; /* in the assembly's frame */
	double inertia[9];        /* about the centre, assembly's axes, rows, kg m2 */
} ScreeAssemblyDef;

SCREE_API void scree_part_defaults(ScreePart *part);           /* a rock ball of radius 0.5 in group 0 that meets all */
SCREE_API void scree_assembly_defaults(ScreeAssemblyDef *def); /* dynamic at the origin, no parts */
SCREE_API int32_t screeAssembly_Create(ScreeWorld *world, const ScreeAssemblyDef *def, ScreeId *id);
SCREE_API int32_t screeAssembly_Destroy(ScreeWorld *world, ScreeId id);
SCREE_API int32_t screeAssembly_IsValid(const ScreeWorld *world, ScreeId id); /* 1 or 0 */
/* Ids in order of creation: writes at most capacity, returns how many there are. */
SCREE_API int32_t screeWorld_Assemblies(const ScreeWorld *world, ScreeId *out, int32_t capacity);

SCREE_API int32_t screeAssembly_GetPosition(ScreeWorld *world, ScreeId id, double *out3);
SCREE_API int32_t screeAssembly_GetRotation(ScreeWorld *world, ScreeId id, double *out4);
SCREE_API int32_t screeAssembly_GetVelocity(ScreeWorld *world, ScreeId id, double *out3);
SCREE_API int32_t screeAssembly_GetAngularVelocity(ScreeWorld *world, ScreeId id, double *out3);
SCREE_API int32_t screeAssembly_GetMass(ScreeWorld *world, ScreeId id, double *out);
SCREE_API int32_t screeAssembly_GetCenterOfMass(ScreeWorld *world, ScreeId id, double *out3); /* world point */
SCREE_API int32_t screeAssembly_GetInertia(ScreeWorld *world, ScreeId id,
                                           double *out9); /* about the centre, assembly's axes, rows */
SCREE_API int32_t screeAssembly_GetNetImpulse(
    ScreeWorld *world, ScreeId id, double *out6); /* last step: linear N s, angular N m s, gravity included */
SCREE_API int32_t screeAssembly_GetState(ScreeWorld *world, ScreeId id);  /* ScreeState or negative */
SCREE_API int32_t screeAssembly_GetMotion(ScreeWorld *world, ScreeId id); /* ScreeMotion or negative */
/* linear, angular, balance and wake of its own; a negative one is the world's. */
SCREE_API int32_t screeAssembly_GetSleepLimits(ScreeWorld *world, ScreeId id, double *out4);
SCREE_API int32_t screeAssembly_SetSleepLimits(ScreeWorld *world, ScreeId id, double linear, double angular,
                                               double balance, double wake);
/* In words, for people: why it does not sleep, or that it does. Valid until the next call. */
SCREE_API int32_t screeAssembly_WhyAwake(ScreeWorld *world, ScreeId id, const char **out);
SCREE_API int32_t screeAssembly_GetCanSleep(ScreeWorld *world, ScreeId id);
SCREE_API int32_t screeAssembly_GetBullet(ScreeWorld *world, ScreeId id);
SCREE_API int32_t screeAssembly_GetGravityScale(ScreeWorld *world, ScreeId id, double *out);
SCREE_API int32_t screeAssembly_GetBounds(ScreeWorld *world, ScreeId id, double *out6); /* min, max */
/* Share of the volume of its parts that is under water, as it stands now; a mesh has no volume. */
SCREE_API int32_t screeAssembly_GetSubmerged(ScreeWorld *world, ScreeId id, double *out);
SCREE_API int32_t screeAssembly_GetVelocityAt(ScreeWorld *world, ScreeId id, const double *point, double *out3);
SCREE_API int32_t screeAssembly_PartCount(ScreeWorld *world, ScreeId id);
/* The part as it was made, with resolved density, friction, restitution and rolling; points of a hull: its corners,
 * valid until the next call. */
SCREE_API int32_t screeAssembly_GetPart(ScreeWorld *world, ScreeId id, int32_t index, ScreePart *out);

typedef struct ScreeMeshInfo {
	int32_t triangles, vertices; /* kept; vertices after those at one place were made one */
	double dropped;              /* triangles without area */
	int32_t open_edges;          /* along which no other triangle runs the other way */
	int32_t closed;              /* the surface of a solid: it has an inside */
	double volume;               /* of a closed one */
	double bytes;                /* of everything: vertices, triangles, tree */
	double min[3], max[3];       /* in the part's frame */
} ScreeMeshInfo;

/* Of a part whose shape is a mesh; another part is an error. */
SCREE_API int32_t screeAssembly_GetMesh(ScreeWorld *world, ScreeId id, int32_t index, ScreeMeshInfo *out);

SCREE_API int32_t screeAssembly_SetPosition(ScreeWorld *world, ScreeId id, double x, double y, double z);
SCREE_API int32_t screeAssembly_SetRotation(ScreeWorld *world, ScreeId id, double x, double y, double z, double w);
/* Velocities of what is static must be zero. */
SCREE_API int32_t screeAssembly_SetVelocity(ScreeWorld *world, ScreeId id, double x, double y, double z);
SCREE_API int32_t screeAssembly_SetAngularVelocity(ScreeWorld *world, ScreeId id, double x, double y, double z);
SCREE_API int32_t screeAssembly_SetMotion(ScreeWorld *world, ScreeId id, int32_t motion);
SCREE_API int32_t screeAssembly_SetMass(ScreeWorld *world, ScreeId id, double mass); /* scales the inertia with it */
/* World point. Nothing moves: the velocity becomes that of the new centre, and the inertia is about it. */
SCREE_API int32_t screeAssembly_SetCenterOfMass(ScreeWorld *world, ScreeId id, double x, double y, double z);
/* About the centre, assembly's axes, rows: symmetric, positive definite, no principal moment more than the sum of the
 * other two. */
SCREE_API int32_t screeAssembly_SetInertia(ScreeWorld *world, ScreeId id, const double *inertia9);
/* Material, group, collides_with, density, friction, restitution and rolling of `part`; shape and place stay. Values
 * < 0 are the material's. Takes effect at once, on what it touches too, and wakes it. Another density makes mass,
 * centre and inertia of the assembly those of its parts again. */
SCREE_API int32_t screeAssembly_SetPart(ScreeWorld *world, ScreeId id, int32_t index, const ScreePart *part);
SCREE_API int32_t screeAssembly_SetCanSleep(ScreeWorld *world, ScreeId id, int32_t can_sleep);
SCREE_API int32_t screeAssembly_SetBullet(ScreeWorld *world, ScreeId id, int32_t bullet);
SCREE_API int32_t screeAssembly_SetGravityScale(ScreeWorld *world, ScreeId id, double scale);

/* Forces and torques act during the next step, and add up; impulses at once. `at` is a world point, NULL: the
 * centre of mass. All wake. What is static or kinematic does not give way: nothing happens, which is no error. */
SCREE_API int32_t screeAssembly_ApplyForce(ScreeWorld *world, ScreeId id, const double *force, const double *at);
SCREE_API int32_t screeAssembly_ApplyImpulse(ScreeWorld *world, ScreeId id, const double *impulse, const double *at);
SCREE_API int32_t screeAssembly_ApplyTorque(ScreeWorld *world, ScreeId id, const double *torque);
SCREE_API int32_t screeAssembly_ApplyAngularImpulse(ScreeWorld *world, ScreeId id, const double *impulse);
SCREE_API int32_t screeAssembly_Wake(ScreeWorld *world, ScreeId id);
SCREE_API int32_t screeAssembly_Sleep(ScreeWorld *world, ScreeId id);
/* Kinematic only: sets the velocities that bring it there in dt seconds. rotation NULL: keeps it. */
SCREE_API int32_t screeAssembly_MoveTo(ScreeWorld *world, ScreeId id, const double *position, const double *rotation,
                                       double dt);

typedef struct ScreeContact {
	ScreeId other; /* 0: terrain */
	int32_t part, other_part;
	int32_t point_count;
	int32_t material; /* of the other side */
	double normal[3]; /* from the other towards this assembly */
	double position[4][3];
	double separation[4];
	double impulse[4]; /* N s, last step */
} ScreeContact;

/* Touching contacts of an assembly, in a fixed order: returns how many; *out points at them until the next query or
 * step. */
SCREE_API int32_t screeAssembly_Contacts(ScreeWorld *world, ScreeId id, const ScreeContact **out);

/* ---- joints ------------------------------------------------------------------------------------------------------ */

enum ScreeJointType {
	SCREE_JOINT_WELD,        /* holds everything */
	SCREE_JOINT_BALL,        /* holds a point */
	SCREE_JOINT_HINGE,       /* turns about an axis */
	SCREE_JOINT_SLIDER,      /* moves along an axis */
	SCREE_JOINT_CYLINDRICAL, /* both */
	SCREE_JOINT_ROPE,        /* its ends are at most `length` apart */
	SCREE_JOINT_ROD,         /* exactly */
	SCREE_JOINT_SPRING,      /* pulled towards `length` apart */
	SCREE_JOINT_ALIGN        /* driven towards a position and a rotation */
};
enum ScreeMotorMode { SCREE_MOTOR_OFF, SCREE_MOTOR_SPEED, SCREE_MOTOR_SERVO };

#define SCREE_JOINT_UNLIMITED 1e18 /* N, N m, m/s: as good as no limit */

/* What can be changed while a joint lives; what its type does not use means nothing. */
typedef struct ScreeJointSettings {
	int32_t limited; /* hinge: angle, rad, over any number of turns; slider, cylindrical: way along the axis, m */
	double low, high;
	int32_t twist_limited; /* ball (within +-pi), cylindrical: turning about the axis, rad */
	double twist_low, twist_high;
	double cone;         /* ball: rad by which the axes may lean apart, up to pi; < 0: any */
	int32_t motor;       /* hinge; slider and cylindrical: along the axis */
	double motor_speed;  /* rad/s, m/s; of a servo the fastest, >= 0 */
	double motor_target; /* servo: rad, m */
	double motor_max;    /* N m, N: >= 0 */
	double length;       /* rope, rod: > 0; spring: >= 0; < 0 when made: as far as the ends are apart */
	int32_t by_stiffness;
	double stiffness;             /* spring: N/m with by_stiffness, else Hz */
	double damping;               /* spring: N s/m with by_stiffness, else the ratio to critical damping */
	int32_t drive_position;       /* align: 0, 1; when made also 2: stays where it is */
	int32_t drive_rotation;       /* align: the same */
	double position[3];           /* align: of the anchor of b, in the frame of a (of the world) */
	double rotation[4];           /* align: of b, in the frame of a (of the world) */
	double max_speed, max_turn;   /* align: m/s, rad/s */
	double max_force, max_torque; /* align: N, N m */
	double response;              /* servo, align: speed a metre or radian of error, 1/s */
	double break_force;           /* N: a greater mean force of a step breaks it */
	double break_torque;          /* N m */
	double friction;              /* ball: N m by which it resists turning in any way, >= 0 */
} ScreeJointSettings;

typedef struct ScreeJointDef {
	int32_t type;
	ScreeId a, b;    /* 0: the world, for one of them */
	int32_t collide; /* parts of the two may touch each other */
	/* World points. `at`: where it sits; of rope, rod and spring the end at a, or at the world, and at_a and at_b set
	 * either end by itself. Without: b's centre of mass (a's where b is the world); of rope, rod and spring each its
	 * own. */
	int32_t has_at, has_at_a, has_at_b;
	double at[3], at_a[3], at_b[3];
	double axis[3]; /* in the world, any length; 0: none, which is an error where one is needed */
	ScreeJointSettings settings;
} ScreeJointDef;

/* b is measured against a; where b is the world, a against the world. */
typedef struct ScreeJoint {
	int32_t type, collide, broken;
	ScreeId a, b;
	double angle;              /* rad about the axis since it was made, turns counted; ball: between the axes */
	double distance;           /* m along the axis; or between the ends */
	double at_a[3], at_b[3];   /* where the ends are now */
	double axis[3];            /* now */
	double impulse[3];         /* N s on b over the last step */
	double angular_impulse[3]; /* N m s */
	ScreeJointSettings settings;
} ScreeJoint;

SCREE_API void scree_joint_defaults(ScreeJointDef *def);
SCREE_API int32_t screeJoint_Create(ScreeWorld *world, const ScreeJointDef *def, ScreeId *id);
SCREE_API int32_t screeJoint_Destroy(ScreeWorld *world, ScreeId id);
SCREE_API int32_t screeJoint_IsValid(const ScreeWorld *world, ScreeId id); /* 1 or 0; broken ones are still valid */
SCREE_API int32_t screeJoint_Get(ScreeWorld *world, ScreeId id, ScreeJoint *out);
SCREE_API int32_t screeJoint_Set(ScreeWorld *world, ScreeId id, const ScreeJointSettings *settings); /* wakes both */
/* Joints that hold, in order of creation: returns how many; *out valid until the next call that lists ids, or step. */
SCREE_API int32_t screeWorld_Joints(ScreeWorld *world, const ScreeId **out);
/* The same of one assembly; broken = 1: those too that are broken. */
SCREE_API int32_t screeAssembly_Joints(ScreeWorld *world, ScreeId id, int32_t broken, const ScreeId **out);
/* Joined assemblies, in order of creation, and the number of the mechanism of each: from 0, in order of their oldest
 * assemblies. Returns how many assemblies. */
SCREE_API int32_t screeWorld_Mechanisms(ScreeWorld *world, const ScreeId **out, const int32_t **mechanism);
/* The assemblies that joints tie to this one, and itself. */
SCREE_API int32_t screeAssembly_Mechanism(ScreeWorld *world, ScreeId id, const ScreeId **out);

/* ---- queries ----------------------------------------------------------------------------------------------------- */

typedef struct ScreeQuery {
	int32_t terrain;    /* meet the ground */
	int32_t water;      /* meet water */
	int32_t assemblies; /* meet assemblies at all */
	int32_t dynamic;    /* meet dynamic ones */
	int32_t inside;     /* report a start inside; 0: leave that solid unhindered */
	int32_t ignore_count;
	const ScreeId *ignore; /* stale ids are an error */
	double groups;         /* bit mask: parts of these groups only */
} ScreeQuery;

typedef struct ScreeHit {
	double position[3], normal[3];
	double distance, fraction;
	ScreeId assembly; /* 0: terrain or water */
	int32_t part;     /* from 0; -1 */
	int32_t material; /* index */
	int32_t cell[3];
	int32_t terrain, water, inside;
} ScreeHit;

SCREE_API void scree_query_defaults(ScreeQuery *query);
/* Nearest hit of the segment: 1, 0, or negative. from == to tests the point. query NULL: defaults. */
SCREE_API int32_t screeWorld_Raycast(ScreeWorld *world, const double *from, const double *to, const ScreeQuery *query,
                                     ScreeHit *hit);
/* All hits, nearest first (entry of each solid; ties by terrain, then creation). Count, or negative; *out valid until
 * the next query or step. */
SCREE_API int32_t screeWorld_RaycastAll(ScreeWorld *world, const double *from, const double *to,
                                        const ScreeQuery *query, const ScreeHit **out);
/* n rays: from and to are flat triples; fractions receives the hit fraction, or 2 for none. Values are not checked. */
SCREE_API int32_t screeWorld_Raycasts(ScreeWorld *world, int32_t n, const double *from, const double *to,
                                      double *fractions, const ScreeQuery *query);
/* Moves a shape (its position is added to from and to; its rotation holds) and reports the first touch. Water that it
 * starts in is left unhindered with all other water, where inside is 0. */
SCREE_API int32_t screeWorld_Cast(ScreeWorld *world, const ScreePart *shape, const double *from, const double *to,
                                  const ScreeQuery *query, ScreeHit *hit);
/* Assemblies that overlap a placed shape, in order of creation. *terrain and *water (may be NULL): 1 when it meets the
 * ground, or water where the query asks for it. */
SCREE_API int32_t screeWorld_Overlap(ScreeWorld *world, const ScreePart *shape, const double *position,
                                     const ScreeQuery *query, const ScreeId **out, int32_t *terrain, int32_t *water);
/* 8 doubles an assembly in order of creation: id, x, y, z, qx, qy, qz, qw. Valid until the next call or step. Count or
 * negative. */
SCREE_API int32_t screeWorld_Transforms(ScreeWorld *world, const double **out);
/* The same between the start of the last step (alpha 0) and now (1). What was put elsewhere since is there. */
SCREE_API int32_t screeWorld_TransformsBetween(ScreeWorld *world, double alpha, const double **out);

/* ---- events ------------------------------------------------------------------------------------------------------ */

enum ScreeEventKind {
	SCREE_CONTACT_BEGIN,
	SCREE_CONTACT_END,
	SCREE_HIT_EVENT,
	SCREE_SLEEP_EVENT,
	SCREE_WAKE_EVENT,
	SCREE_WATER_ENTER,
	SCREE_WATER_EXIT,
	SCREE_JOINT_BREAK,
	SCREE_DETACH
};

typedef struct ScreeEvent {
	int32_t kind;
	int32_t terrain;               /* b is the ground */
	ScreeId a, b;                  /* may already be destroyed when read */
	int32_t part_a, part_b;        /* from 0 */
	double position[3], normal[3]; /* hit: normal from a to b */
	double speed, impulse;         /* hit: of the hardest point, and of all together */
	const char *reason;            /* sleep, wake */
	ScreeId joint;                 /* joint break: a and b are its assemblies, 0 for the world */
	double cells;                  /* detach: of the piece a (0: it vanished); position: its centre of mass; reason:
	                                * "edit", "dig", "blast" or "detach_all" */
} ScreeEvent;

/* Events of the last step (and of changes made since), in a fixed order; valid until the next step. */
SCREE_API int32_t screeWorld_Events(ScreeWorld *world, const ScreeEvent **out);

/* ---- terrain ----------------------------------------------------------------------------------------------------- */

/* Cells are int32 within +-2^30; boxes of cells are inclusive. Edits are all or nothing. */
SCREE_API int32_t screeTerrain_Get(ScreeWorld *world, double x, double y, double z,
                                   int32_t *out3); /* material, occupancy byte, water byte */
/* occupancy: byte 0..255 meaning (v+1)/256; water: byte. */
SCREE_API int32_t screeTerrain_Set(ScreeWorld *world, double x, double y, double z, int32_t material, int32_t occupancy,
                                   int32_t water);
/* Flat buffers of the box's size, index x + nx*(z + nz*y); NULL channels are skipped. */
SCREE_API int32_t screeTerrain_Read(ScreeWorld *world, const double *min, const double *max, uint8_t *material,
                                    uint8_t *occupancy, uint8_t *water);
SCREE_API int32_t screeTerrain_Write(ScreeWorld *world, const double *min, const double *max, const uint8_t *material,
                                     const uint8_t *occupancy, const uint8_t *water, const uint8_t *mask);
/* counts: 256 doubles, cells a material (0: air); water: cells with water. */
SCREE_API int32_t screeTerrain_Count(ScreeWorld *world, const double *min, const double *max, double *counts,
                                     double *water);
/* sums: 256 doubles, cells of matter; entry 1 is water. */
SCREE_API int32_t screeTerrain_Matter(ScreeWorld *world, const double *min, const double *max, double *sums);
SCREE_API int32_t screeTerrain_Replace(ScreeWorld *world, const double *min, const double *max, int32_t from,
                                       int32_t to);
SCREE_API int32_t screeTerrain_Clear(ScreeWorld *world);
/* What the last edit removed and added: 256 doubles each, cells of matter a material (entry 1 is water). */
SCREE_API void screeTerrain_Tally(const ScreeWorld *world, double *removed, double *added);

enum ScreeBrush { SCREE_BRUSH_BALL, SCREE_BRUSH_BOX, SCREE_BRUSH_CYLINDER, SCREE_BRUSH_WEDGE };
enum ScreeMode { SCREE_SET, SCREE_ADD, SCREE_REMOVE, SCREE_PAINT };

typedef struct ScreeFill {
	int32_t brush, mode, material;
	double position[3], rotation[4]; /* metres; centre */
	double size[3];                  /* box, wedge: full lengths */
	double radius, height;           /* ball, cylinder (along y) */
} ScreeFill;

SCREE_API int32_t screeTerrain_Fill(ScreeWorld *world, const ScreeFill *fill);
/* Within a ball (center, radius: metres, up to 128 cells; full effect in two thirds of it, fading to the rim). Smooth:
 * the surface goes towards its average by the part strength, 0..1; planes stay. Grow: it moves outwards by strength
 * metres (negative: inwards), up to 16 cells; material: of what becomes solid, -1: the nearest's. */
SCREE_API int32_t screeTerrain_Smooth(ScreeWorld *world, const double *center, double radius, double strength);
SCREE_API int32_t screeTerrain_Grow(ScreeWorld *world, const double *center, double radius, double strength,
                                    int32_t material);

/* A grid of heights. heights NULL: read from `path`: grey .png, .hgt, or .r16, which is as .hgt with the low byte
 * first. NaN: a void. */
typedef struct ScreeHeightmap {
	const char *path;
	const double *heights;           /* metres, width * depth, row after row along x */
	const uint8_t *sample_materials; /* one a sample, or NULL */
	int32_t width, depth;
	int32_t mode;
	double position[3];  /* of the first sample's ground point at height 0 */
	double spacing;      /* metres between samples */
	double min, max;     /* metres: what the full range of a .png is mapped to */
	double scale;        /* heights are multiplied by it, after all else (1) */
	double bottom;       /* metres under position[1] + the lowest height to which the ground reaches */
	int32_t layer_count; /* 1..8, from the surface down */
	int32_t layer_material[8];
	double layer_depth[8];        /* metres down to which each reaches; the last goes to the bottom */
	int32_t voids;                /* out: void samples */
	int32_t out_width, out_depth; /* out: samples */
	double out_min, out_max;      /* out: metres */
} ScreeHeightmap;

SCREE_API void scree_heightmap_defaults(ScreeHeightmap *map);
SCREE_API int32_t screeTerrain_FillHeightmap(ScreeWorld *world, ScreeHeightmap *map);

typedef struct ScreeVoxImport {
	double at[3];                                /* cell that the file's origin goes to */
	int32_t hidden;                              /* also hidden layers and nodes */
	int32_t materials[256];                      /* colour index to material; -1: a material vox_rrggbb of its own */
	double cells;                                /* out: cells written */
	double min[3], max[3];                       /* out: their bounds */
	int32_t models, instances, hidden_instances; /* out */
	int32_t merged_colors;    /* out: colours that found no room in the table of 256 and took the nearest one's */
	double dropped, overlaps; /* out: voxels outside their model's size; voxels laid over another instance's */
} ScreeVoxImport;

SCREE_API void scree_vox_import_defaults(ScreeVoxImport *import);
SCREE_API int32_t screeTerrain_ImportVox(ScreeWorld *world, const char *path, ScreeVoxImport *import);

/* Cells and materials to a file, and from one. level: of compression, 1 (fast) to 19 (small), 0 for the usual. The old
 * file stays unless the new one is complete. */
SCREE_API int32_t screeTerrain_Save(ScreeWorld *world, const char *path, int32_t level);

typedef struct ScreeTerrainInfo {
	double cell_size; /* metres, of the world that was saved; the cells are taken as they are */
	double cells;     /* that are not air */
	int32_t chunks;
	int32_t materials_added, materials_changed;
} ScreeTerrainInfo;

/* Replaces all cells, as one edit. Materials are matched by name, and those that are missing are added. Where there is
 * one of the name, it takes the file's properties, or keeps its own with keep_materials = 1. A file that is missing,
 * damaged or of a newer format is SCREE_BAD_FILE and changes nothing. out may be NULL. */
SCREE_API int32_t screeTerrain_Load(ScreeWorld *world, const char *path, int32_t keep_materials, ScreeTerrainInfo *out);

#define SCREE_UNDO_NAME 64

/* Begins a group of edits that are undone together, and the keeping of edits when it is the first. name: under
 * SCREE_UNDO_NAME bytes, or NULL. Edits after an undo or a redo begin a group without a name. */
SCREE_API int32_t screeTerrain_BeginUndo(ScreeWorld *world, const char *name);
/* 1: done, and name (64 bytes) has the group's, or ""; 0: there was nothing to go back to. One edit. */
SCREE_API int32_t screeTerrain_Undo(ScreeWorld *world, char *name);
SCREE_API int32_t screeTerrain_Redo(ScreeWorld *world, char *name);
/* The bytes that all groups may take together (256 MiB at first): the oldest go. */
SCREE_API int32_t screeTerrain_SetUndoBudget(ScreeWorld *world, double bytes);

typedef struct ScreeUndoStats {
	int32_t undos, redos; /* groups */
	double bytes, budget;
	double dropped; /* groups lost to the budget so far */
} ScreeUndoStats;

SCREE_API void screeTerrain_UndoStats(const ScreeWorld *world, ScreeUndoStats *out);
/* A schematic of a block game: .schem, .schematic (gzip or plain), .mts. Its first cell goes to `at`, y up, axes as in
 * the file. */
typedef struct ScreeBlockCount {
	const char *name; /* as in the file; "id:5" for a number */
	double count;     /* cells */
} ScreeBlockCount;

typedef struct ScreeBlockImport {
	double at[3];
	int32_t clear;            /* the file's air clears what is there */
	int32_t map_count;        /* of the two below */
	const char *const *names; /* with or without state and namespace; "5" or "id:5" for a number */
	const int32_t *materials; /* what they become; air and water allowed */
	double cells, air, water; /* out: made solid; air in the file; made water */
	double unknown;           /* out: solid cells of blocks that became a material of their own */
	double skipped;           /* out: cells that the file says are not to be placed */
	int32_t merged;           /* out: blocks that found no room in the table of 256 and became rock */
	double min[3], max[3];    /* out: cells of the whole schematic */
	int32_t block_count;      /* out: kinds of blocks; valid until the next such call */
	const ScreeBlockCount *blocks;
} ScreeBlockImport;

SCREE_API void scree_block_import_defaults(ScreeBlockImport *import);
SCREE_API int32_t screeTerrain_ImportBlocks(ScreeWorld *world, const char *path, ScreeBlockImport *import);

/* What a material of the file becomes. Named as the file has it (usemtl of .obj, name of glTF's materials), or by its
 * number from 1: in glTF's list, or in the order in which an .obj's faces have them. A number counts before a name. */
typedef struct ScreeMeshMaterial {
	const char *name; /* NULL: by number */
	int32_t number;
	int32_t material; /* solid */
} ScreeMeshMaterial;

/* A material that the file names. */
typedef struct ScreeMeshPart {
	const char *name; /* "" without one */
	double triangles;
	int32_t material; /* what they became, if they were filled or painted */
} ScreeMeshPart;

/* A mesh of triangles (.obj .stl .ply .glb .gltf), filled. A point p of the file goes to position + rotation(scale p).
 */
typedef struct ScreeMeshImport {
	double position[3], rotation[4], scale[3]; /* metres; scale > 0 */
	int32_t material, mode;                    /* SCREE_SET... */
	double shell;      /* metres of thickness about the triangles instead of a filled inside; 0: filled */
	int32_t map_count; /* of the next; none for digging and water */
	/* Cells become what the nearest triangle's material becomes; `material`, where nothing here says another. */
	const ScreeMeshMaterial *map;
	double triangles, vertices; /* out */
	double skipped;             /* out: triangles left out for indices or corners that are none */
	double open_edges;          /* out: edges of one triangle only */
	double crowded_edges;       /* out: edges of more than two */
	int32_t closed;             /* out: each edge is used an even number of times, so that there is an inside */
	double volume;              /* out: cubic metres between the triangles, exact for closed meshes */
	double min[3], max[3];      /* out: bounds, metres */
	int32_t part_count;         /* out: materials of the file, in the order of their numbers */
	const ScreeMeshPart *parts; /* out; valid until the next such call */
} ScreeMeshImport;

SCREE_API void scree_mesh_import_defaults(ScreeMeshImport *import);
SCREE_API int32_t screeTerrain_ImportMesh(ScreeWorld *world, const char *path, ScreeMeshImport *import);

typedef struct ScreeExport {
	double bytes;                        /* written, in all files */
	double vertex_count, triangle_count; /* of meshes */
	double cells;                        /* of .vox */
	int32_t models;                      /* of .vox */
} ScreeExport;

/* Writes the ground (min and max NULL), or what a box of cells holds, by the path's ending: .obj (and its .mtl), .stl,
 * .ply, .glb: the surface as screeTerrain_Mesh gives it, metres; .vox: cells. The old file stays until the new one is
 * whole. SCREE_BAD_FILE when there is nothing to write, too. */
SCREE_API int32_t screeTerrain_Export(ScreeWorld *world, const char *path, const double *min, const double *max,
                                      ScreeExport *out);

/* ---- what breaks ------------------------------------------------------------------------------------------------- */

/* Loose pieces. With `enabled`, regions of solid cells that an edit cuts off from every anchor become dynamic
 * assemblies in the step that follows, at rest, made of convex parts, with the mass of their cells. Pieces of fewer
 * than small_cells cells (up to 4096) get one hull, or vanish. Both are told by events. What could be undone of the
 * terrain before a piece came off, or was put back, is forgotten. */
typedef struct ScreeDetach {
	int32_t enabled, small_cells, small_vanish;
} ScreeDetach;

SCREE_API void screeTerrain_GetDetach(const ScreeWorld *world, ScreeDetach *out);
SCREE_API int32_t screeTerrain_SetDetach(ScreeWorld *world, const ScreeDetach *detach);
/* Cells in these boxes hold what hangs together with them over faces. Without any, what holds is the lowest layer of
 * the terrain as it was at the first examination, and all below it. At most 4096; nothing is examined by a change. */
SCREE_API int32_t screeTerrain_Anchor(ScreeWorld *world, const double *min, const double *max);
SCREE_API void screeTerrain_ClearAnchors(ScreeWorld *world);
/* Writes at most capacity boxes of 6 doubles (min, max), returns how many there are. */
SCREE_API int32_t screeTerrain_Anchors(ScreeWorld *world, double *boxes, int32_t capacity);
/* Examines all of the terrain at once, enabled or not: how many assemblies came off; *out: they, in the order of their
 * places, valid until the next call that lists ids, or step. */
SCREE_API int32_t screeTerrain_DetachAll(ScreeWorld *world, const ScreeId **out);
/* 1: the assembly is a piece of ground, and cells and matter (256 doubles each, or NULL; matter in full cells) tell
 * what it has of each material; 0: it is not, and they are 0. */
SCREE_API int32_t screeAssembly_Cells(ScreeWorld *world, ScreeId id, double *cells, double *matter);
/* A piece becomes terrain where it is, and is destroyed. Between its cells it is sampled anew, so the amounts are about
 * the same; after whole cells and quarter turns the cells are. What is solid there already stays. */
SCREE_API int32_t screeAssembly_ToTerrain(ScreeWorld *world, ScreeId id);

/* Takes from a ball (metres, up to 4096 cells) what is soft before what is hard: of a material of hardness h the part
 * 1 - h / strength of the ball's volume, around the centre; nothing if h is at least strength. */
SCREE_API int32_t screeTerrain_Dig(ScreeWorld *world, const double *center, double radius, double strength);

typedef struct ScreeBlast {
	double position[3];
	double
	    radius; /* m, up to 4096 cells; nothing is felt further off. At a distance d, (1 - d / radius)^2 is left of */
	double strength; /* ... this: takes materials of less hardness; and of */
	double impulse;  /* ... this: N s on a dynamic assembly, away from the position */
} ScreeBlast;

/* How many assemblies were pushed; *out: they, in order of creation, valid until the next call that lists ids. */
SCREE_API int32_t screeWorld_Blast(ScreeWorld *world, const ScreeBlast *blast, const ScreeId **out);

SCREE_API double screeTerrain_Version(const ScreeWorld *world);
/* Boxes changed since a version: writes at most capacity boxes of 6 doubles (min, max), returns how many. */
SCREE_API int32_t screeTerrain_Changes(ScreeWorld *world, double since, double *boxes, int32_t capacity);
/* 1 and the cells' bounds (min, max), or 0: empty. */
SCREE_API int32_t screeTerrain_Bounds(const ScreeWorld *world, double *out6);
SCREE_API double screeTerrain_Bytes(const ScreeWorld *world);
/* 1: below the surface, 0: not, negative. *water: 1 in water. */
SCREE_API int32_t screeTerrain_IsInside(ScreeWorld *world, const double *point, int32_t *water);

typedef struct ScreeMesh {
	double vertex_count, triangle_count;
	const double *positions, *normals; /* 3 a vertex */
	const uint32_t *indices;           /* 3 a triangle, counter-clockwise from the air */
	const uint8_t *materials;          /* 1 a triangle */
} ScreeMesh;

/* The closed surface of everything (min and max NULL), or the part that a box of cells owns. Free it before the world.
 */
SCREE_API int32_t screeTerrain_Mesh(ScreeWorld *world, const double *min, const double *max, ScreeMesh **mesh);
SCREE_API void screeMesh_Free(ScreeWorld *world, ScreeMesh *mesh);
/* The triangles of a part that is a hull or a mesh, in the part's frame; other parts are an error. Each triangle has
 * three corners of its own, whose normals are the triangle's. To be freed as the ground's. */
SCREE_API int32_t screeAssembly_PartMesh(ScreeWorld *world, ScreeId id, int32_t index, ScreeMesh **mesh);

#ifdef __cplusplus
}
#endif

#endif
