/* dynamics: bodies (assemblies), contacts, the solver, sleep. Moves things by one step when the world says so.
 *
 * Owns: bodies, their parts and hulls, contacts, the trees of part boxes, this step's events. Uses: collide, pieces,
 * terrain, shape, spatial, voxel (materials), math, base. Called by: world (the step's stages, queries), api
 * (properties).
 *
 * A body is named by its slot (int) inside the library and by its Id outside. A part belongs to one body for life.
 * Position and velocity are those of the centre of mass unless a name says origin. SI units.
 */
#ifndef SCREE_DYNAMICS_H
#define SCREE_DYNAMICS_H

#include "base/base.h"
#include "collide/collide.h"
#include "math/math.h"
#include "pieces/pieces.h"
#include "shape/shape.h"
#include "terrain/terrain.h"
#include "voxel/voxel.h"

typedef struct Dynamics Dynamics;

typedef enum Motion { MOTION_STATIC, MOTION_KINEMATIC, MOTION_DYNAMIC } Motion;
typedef enum SleepState { STATE_AWAKE, STATE_CHECKING, STATE_ASLEEP } SleepState;

/* Limits on what a body may be told. Speeds above MAX_SPEED are held to it; faster turning than MAX_TURN radians a
 * substep likewise. */
#define MAX_SPEED 10000.0f /* m/s */
#define MAX_TURN 1.5f      /* rad a substep: beyond it a rotation is ambiguous */
#define MAX_COORDINATE 1e9 /* m */

/* By impulses: each assembly by itself, when it hardly moves and no net force acts on it; it wakes when its balance is
 * disturbed. By velocity, for comparison: touching assemblies together, when all are slow. */
typedef enum SleepRule { SLEEP_BY_IMPULSE, SLEEP_BY_VELOCITY } SleepRule;

typedef struct SleepSettings {
	bool enabled;
	SleepRule rule;
	float linear, angular; /* m/s; of the centre, and of the surface of the bounding ball by rotation */
	float time;            /* s */
	float balance;         /* m/s2: of the centre, and of the surface by rotation: more is a net force */
	float wake;            /* m/s: a sleeper that its neighbours make so fast wakes */
} SleepSettings;

/* A body's own limits; negative: the world's. */
typedef struct SleepLimits {
	float linear, angular, balance, wake;
} SleepLimits;

typedef struct DynamicsDef {
	Memory *memory;
	TaskPool *tasks;
	Terrain *terrain;
	const Store *store; /* what terrain was made from */
	const MaterialTable *materials;
	int substeps;
	bool boxes;     /* contacts with blocks of terrain by the boxes around their surface, instead of bits */
	bool raw_edges; /* every edge of the ground is felt: for tests, to see that they would notice */
	SleepSettings sleep;
	Vec3 gravity;
} DynamicsDef;

Dynamics *Dynamics_Create(const DynamicsDef *def);
void Dynamics_Destroy(Dynamics *dynamics);
Vec3 Dynamics_Gravity(const Dynamics *dynamics);
bool Dynamics_SetGravity(Dynamics *dynamics, Vec3 gravity); /* wakes everything; false: out of memory, unchanged */
SleepSettings Dynamics_Sleep(const Dynamics *dynamics);
bool Dynamics_SetSleep(Dynamics *dynamics, SleepSettings settings);

/* ---- bodies (body.c, part.c) ------------------------------------------------------------------------------------- */

#define SWELL_LIMIT 1e6f

typedef struct PartDef {
	Shape shape;     /* a hull or mesh is taken over by the body on success */
	Xform placement; /* in the assembly's frame */
	int source;      /* the caller's name for the kind of shape (SCREE_WEDGE is a hull here) */
	uint8_t material;
	uint8_t group; /* 0..31 */
	uint32_t mask; /* groups it meets */
	float density, friction, restitution, rolling;
	float
	    swell; /* share of its shape's volume by which it displaces more, up to SWELL_LIMIT: of pieces of the ground */
} PartDef;

typedef struct BodyDef {
	Pos origin;
	Quat rotation;
	Vec3 velocity, angular_velocity;
	float gravity_scale;
	Motion motion;
	bool bullet, can_sleep;
	int part_count;
	const PartDef *parts;
	bool has_mass, has_center, has_inertia; /* what of `mass` counts instead of the parts' own */
	MassProps mass;                         /* centre: assembly's frame; a mass alone scales the inertia */
	Piece *piece;                           /* of the ground, whose cells it is; or NULL. Taken over on success */
} BodyDef;

/* A mesh in a body that is not static is ERROR_ARGUMENT. */
Id Body_Create(Dynamics *dynamics, const BodyDef *def, Error *error); /* ID_NONE on failure: nothing changed */
/* Makes room, so that bodies of so many parts can be made one after another, and so many events pushed, without failing
 * for lack of memory, if their mass, centre and inertia are given. */
bool Dynamics_Reserve(Dynamics *dynamics, const int *part_counts, int bodies, int events);
/* The same for waking whatever sleeps, and so many events besides. */
bool Dynamics_ReserveWakes(Dynamics *dynamics, int events);
/* After these, destroying the body at once cannot fail. The first changes nothing; the second wakes what touches it,
 * and cannot fail after the first. */
bool Body_ReserveDestroy(Dynamics *dynamics, int body);
bool Body_PrepareDestroy(Dynamics *dynamics, int body, const char *reason);
const Piece *Body_Piece(const Dynamics *dynamics, int body); /* NULL: it is none */
/* Tells that a piece came off (body NONE: and vanished). Room must have been made. cause: static text. */
void Dynamics_PushDetach(Dynamics *dynamics, int body, Pos position, int64_t cells, const char *cause);
bool Body_Destroy(Dynamics *dynamics, int body); /* false: out of memory (for events), nothing changed */
int Body_Find(const Dynamics *dynamics, Id id);  /* slot, or -1 */
Id Body_Id(const Dynamics *dynamics, int body);
int Body_Count(const Dynamics *dynamics);
/* In order of creation: -1 ends. */
int Body_First(const Dynamics *dynamics);
int Body_Next(const Dynamics *dynamics, int body);
uint64_t Body_Birth(const Dynamics *dynamics, int body); /* how many were made before it */

Pos Body_Origin(const Dynamics *dynamics, int body);
Pose Body_Pose(const Dynamics *dynamics, int body); /* of the centre of mass */
/* Between the start of the last step (alpha 0) and now (1), for drawing. */
void Body_Between(const Dynamics *dynamics, int body, double alpha, Pos *origin, Quat *rotation);
Vec3 Body_Velocity(const Dynamics *dynamics, int body);
Vec3 Body_AngularVelocity(const Dynamics *dynamics, int body);
Vec3 Body_VelocityAt(const Dynamics *dynamics, int body, Pos point);
float Body_Mass(const Dynamics *dynamics, int body);
Mat3 Body_Inertia(const Dynamics *dynamics, int body); /* about the centre, assembly's axes */
Motion Body_Motion(const Dynamics *dynamics, int body);
SleepState Body_State(const Dynamics *dynamics, int body);
bool Body_CanSleep(const Dynamics *dynamics, int body);
bool Body_Bullet(const Dynamics *dynamics, int body);
float Body_GravityScale(const Dynamics *dynamics, int body);
WorldBox Body_Bounds(const Dynamics *dynamics, int body);
/* What the last step did to its momentum, gravity included: N s and N m s. */
void Body_NetImpulse(const Dynamics *dynamics, int body, Vec3 *linear, Vec3 *angular);

float Body_Submerged(const Dynamics *dynamics, int body); /* share of its parts' volume under water, now */

/* Setters wake what they concern; they return false when out of memory, with nothing changed. */
bool Body_SetOrigin(Dynamics *dynamics, int body, Pos origin);
bool Body_SetRotation(Dynamics *dynamics, int body, Quat rotation); /* about the origin of the assembly */
bool Body_SetVelocity(Dynamics *dynamics, int body, Vec3 velocity);
bool Body_SetAngularVelocity(Dynamics *dynamics, int body, Vec3 velocity);
bool Body_SetMotion(Dynamics *dynamics, int body, Motion motion);
bool Body_SetMass(Dynamics *dynamics, int body, float mass);      /* scales the inertia with it */
bool Body_SetCenter(Dynamics *dynamics, int body, Vec3 center);   /* assembly's frame; the inertia is about it then */
bool Body_SetInertia(Dynamics *dynamics, int body, Mat3 inertia); /* see Inertia_Check */
/* Of a body: symmetric, positive definite, and no principal moment more than the sum of the others. */
int Inertia_Check(Mat3 inertia, Error *error);
bool Mass_CanMove(const MassProps *mass); /* is it such that a body can have it? */
bool Body_SetCanSleep(Dynamics *dynamics, int body, bool can_sleep);
void Body_SetBullet(Dynamics *dynamics, int body, bool bullet);
bool Body_SetGravityScale(Dynamics *dynamics, int body, float scale);
bool Body_MoveTo(Dynamics *dynamics, int body, Pos origin, Quat rotation, float dt); /* kinematic */
bool Body_ApplyForce(Dynamics *dynamics, int body, Vec3 force, Vec3 torque);         /* about the centre; next step */
bool Body_ApplyImpulse(Dynamics *dynamics, int body, Vec3 impulse, Vec3 angular);
bool Body_Wake(Dynamics *dynamics, int body, const char *reason);
bool Body_PutToSleep(Dynamics *dynamics, int body);
SleepLimits Body_SleepLimits(const Dynamics *dynamics, int body);
bool Body_SetSleepLimits(Dynamics *dynamics, int body, SleepLimits limits);
void Body_WhyAwake(const Dynamics *dynamics, int body, char *text, size_t size); /* in words */
/* Everything made of or standing on this material is looked at again. */
bool Dynamics_MaterialChanged(Dynamics *dynamics, int material);

/* ---- parts ------------------------------------------------------------------------------------------------------- */

typedef struct PartView {
	int body, index; /* slot of its body, place in it */
	const PartDef *def;
	Pose pose;    /* of the shape's frame, in the world */
	WorldBox box; /* tight around it */
} PartView;

int Body_PartCount(const Dynamics *dynamics, int body);
int Body_Part(const Dynamics *dynamics, int body, int index); /* part slot */
bool Body_HasMesh(const Dynamics *dynamics, int body);        /* then it stays static */
void Shape_Free(Memory *memory, const Shape *shape);          /* a part's hull, or its share of a mesh */
PartView Part_View(const Dynamics *dynamics, int part);
/* Material, group, mask, density, friction, restitution and rolling of `def`; shape and place stay. Wakes what it
 * touches; a density makes mass, centre and inertia those of the parts again. */
int Part_SetSurface(Dynamics *dynamics, int part, const PartDef *def, Error *error);
/* Parts whose boxes meet. Tree order; the callback gets the part slot in `user`. Boxes are current at any time, not
 * only after a step. */
void Dynamics_QueryParts(const Dynamics *dynamics, WorldBox box, BoxQueryFn *fn, void *context);
void Dynamics_RayParts(const Dynamics *dynamics, Pos from, const double delta[3], Vec3 extent, BoxRayFn *fn,
                       void *context);

/* ---- contacts ---------------------------------------------------------------------------------------------------- */

typedef struct ContactView {
	int part_a, part_b; /* part slots; part_a is -1 for terrain */
	Vec3 normal;        /* from a to b */
	int count;
	Pos position[MANIFOLD_POINTS];
	float separation[MANIFOLD_POINTS];
	float impulse[MANIFOLD_POINTS]; /* N s, last step */
	uint8_t material;               /* of a's side, for terrain */
} ContactView;

typedef ARRAY(ContactView) ContactViewList;
/* Touching manifolds of a body, oldest contact first. False: out of memory. */
bool Body_Contacts(const Dynamics *dynamics, int body, Memory *memory, ContactViewList *out);

/* ---- joints (joint.c and the files beside it) -------------------------------------------------------------------- */

typedef enum JointType {
	JOINT_WELD,
	JOINT_BALL,
	JOINT_HINGE,
	JOINT_SLIDER,
	JOINT_CYLINDRICAL,
	JOINT_ROPE,
	JOINT_ROD,
	JOINT_SPRING,
	JOINT_ALIGN
} JointType;

typedef enum MotorMode { MOTOR_OFF, MOTOR_SPEED, MOTOR_SERVO } MotorMode;

#define JOINT_UNLIMITED 1e18 /* N, N m: as good as no limit */

/* What can be changed while a joint lives. Fields that its type does not use are kept and mean nothing. */
typedef struct JointSettings {
	bool limited; /* hinge: angle, rad, over any number of turns; slider, cylindrical: way, m */
	double low, high;
	bool twist_limited; /* ball, cylindrical: turning about the axis, rad */
	double twist_low, twist_high;
	double cone;         /* ball: rad that the axes may lean apart; < 0: any */
	double friction;     /* ball: N m against turning in any way */
	MotorMode motor;     /* hinge; slider and cylindrical: along the axis */
	double motor_speed;  /* rad/s or m/s; as a servo the fastest */
	double motor_target; /* servo: rad or m */
	double motor_max;    /* N m or N */
	double length;       /* m; rope, rod, spring */
	bool by_stiffness;   /* spring: stiffness in N/m and damping in N s/m, instead of frequency and ratio */
	double stiffness, damping;
	bool drive_position, drive_rotation; /* align */
	Pos position;                        /* align: of b's anchor, in a's frame or the world's */
	Quat rotation;                       /* align: of b, in a's frame or the world's */
	double max_speed, max_turn;          /* align: m/s, rad/s */
	double max_force, max_torque;        /* align: N, N m */
	double response;                     /* servo, align: speed a metre (or radian) of error, 1/s */
	double break_force, break_torque;    /* N, N m, as the mean over a step; JOINT_UNLIMITED: never */
} JointSettings;

typedef struct JointDef {
	JointType type;
	int a, b;               /* body slots; -1: the world, on one side at most */
	bool collide;           /* parts of the two may touch each other */
	Pos anchor_a, anchor_b; /* world points; the same but for rope, rod and spring */
	Vec3 axis;              /* unit, in the world */
	JointSettings settings;
} JointDef;

/* How a joint stands. b is measured against a; where b is the world, a against the world. */
typedef struct JointState {
	JointType type;
	Id a, b; /* ID_NONE: the world */
	bool collide, broken;
	double angle;           /* rad; hinge, cylindrical: about the axis, counting turns; ball: between the axes */
	double distance;        /* m; slider, cylindrical: along the axis; rope, rod, spring, align: between the ends */
	Pos anchor_a, anchor_b; /* where the ends are now */
	Vec3 axis;              /* now */
	Vec3 impulse;           /* N s on b (on a, where b is the world) over the last step */
	Vec3 angular_impulse;   /* N m s, without what the impulse at the anchor turns */
} JointState;

Id Joint_Create(Dynamics *dynamics, const JointDef *def); /* wakes both; ID_NONE: out of memory, nothing changed */
bool Joint_Destroy(Dynamics *dynamics, int joint);        /* wakes; false: out of memory, nothing changed */
int Joint_Find(const Dynamics *dynamics, Id id);          /* slot, or -1 */
Id Joint_Id(const Dynamics *dynamics, int joint);
/* In order of creation: -1 ends. Broken ones are among them. */
int Joint_First(const Dynamics *dynamics);
int Joint_Next(const Dynamics *dynamics, int joint);
bool Joint_IsBroken(const Dynamics *dynamics, int joint);
JointType Joint_Type(const Dynamics *dynamics, int joint);
/* Slots of its bodies, -1 for the world. */
void Joint_Bodies(const Dynamics *dynamics, int joint, int *a, int *b);
JointSettings Joint_Settings(const Dynamics *dynamics, int joint);
bool Joint_SetSettings(Dynamics *dynamics, int joint, const JointSettings *settings); /* wakes if they differ */
JointState Joint_State(const Dynamics *dynamics, int joint);
/* Joints of a body, the newest first: *cursor from -1; -1 ends. `broken`: those that are broken too. */
int Body_NextJoint(const Dynamics *dynamics, int body, bool broken, int *cursor);
/* Bodies that joints tie together, in order of creation, with the number of their group, from 0 in order of the groups'
 * oldest members. `only`: just the group of that body, or -1. False: out of memory. */
typedef ARRAY(int) MechanismList; /* pairs: body, group */
bool Dynamics_Mechanisms(const Dynamics *dynamics, int only, Memory *memory, MechanismList *out);

/* ---- the step's stages, in order (world calls them) -------------------------------------------------------------- */

/* All return false when out of memory; until Solve nothing has moved, so the step can be given up and tried again. */
void Dynamics_BeginStep(Dynamics *dynamics);
bool Dynamics_WakeChanged(Dynamics *dynamics);           /* bodies at boxes that Terrain_Sync changed */
void Dynamics_ReachAhead(Dynamics *dynamics, float dt);  /* boxes of fast bodies hold their way (foresee.c) */
bool Dynamics_FindPairs(Dynamics *dynamics);             /* new and ended pairs of parts (pairs.c) */
bool Dynamics_FindTerrain(Dynamics *dynamics, float dt); /* parts over blocks; colliders built (ground.c) */
bool Dynamics_Collide(Dynamics *dynamics, float dt);     /* manifolds (narrow.c) */
bool Dynamics_Foresee(Dynamics *dynamics, float dt);     /* contacts that fast bodies will come to (foresee.c) */
bool Dynamics_WakeTouched(Dynamics *dynamics, float dt); /* sleepers touched by what moves (sleep.c) */
bool Dynamics_FindWater(Dynamics *dynamics);             /* how it stands around awake parts (water.c) */
bool Dynamics_Solve(Dynamics *dynamics, float dt);       /* velocities and positions (solver.c) */
void Dynamics_Continuous(Dynamics *dynamics);  /* holds fast bodies back at what they would cross (continuous.c) */
void Dynamics_FindTouches(Dynamics *dynamics); /* begin, end and hit events (contact.c) */
void Dynamics_SleepResting(Dynamics *dynamics, float dt);
void Dynamics_EndStep(Dynamics *dynamics, float dt); /* boxes of what moved */

/* ---- events ------------------------------------------------------------------------------------------------------ */

typedef enum EventKind {
	EVENT_CONTACT_BEGIN,
	EVENT_CONTACT_END,
	EVENT_HIT,
	EVENT_SLEEP,
	EVENT_WAKE,
	EVENT_JOINT_BREAK,
	EVENT_WATER_ENTER,
	EVENT_WATER_EXIT,
	EVENT_DETACH, /* a: the piece, or none if it vanished; position: its centre; reason: the cause; cells */
	EVENT_KIND_COUNT
} EventKind;

typedef struct Event {
	EventKind kind;
	bool terrain; /* the other side (b) is the ground */
	Id a, b;
	int part_a, part_b; /* place in the body */
	Pos position;
	Vec3 normal; /* from a to b */
	float speed, impulse;
	const char *reason; /* static text */
	Id joint;           /* of a break; a and b are its bodies */
	int64_t cells;      /* of a piece */
} Event;

int Dynamics_EventCount(const Dynamics *dynamics);
const Event *Dynamics_Events(const Dynamics *dynamics);

/* ---- the whole --------------------------------------------------------------------------------------------------- */

/* Contacts of parts with blocks of terrain. */
typedef struct GroundStats {
	int solid, water;       /* open now */
	int tested;             /* in the last step: solid ones whose triangles were met with the part */
	int refused;            /* ... blocks whose box a part met, but not their bits */
	int points;             /* ... points made, after reduction */
	int64_t opened, barren; /* since the start: solid contacts; of these without any point so far or until the end */
} GroundStats;

typedef struct DynamicsStats {
	int bodies, awake, checking, asleep, fixed, kinematic;
	int contacts, points;
	int joints; /* that hold */
	GroundStats ground;
} DynamicsStats;
DynamicsStats Dynamics_Stats(const Dynamics *dynamics);
void Dynamics_Hash(const Dynamics *dynamics, Hasher *hasher);
/* Everything that decides the future, and the events of the last step, to or from an archive. To read, the room must
 * be new, and made with the same definition as the one that was written; on failure it can only be destroyed. The table
 * of materials must be that of the archive. ERROR_FILE: the archive is damaged, or of another number of substeps. */
int Dynamics_Archive(Dynamics *dynamics, Archive *archive, Error *error);
bool Dynamics_Validate(const Dynamics *dynamics, char *why, size_t why_size);

#endif
