/* What the dynamics room keeps: its structures and its tuning.
 *
 * Bodies, parts and contacts live in slots that never move while they exist; what is awake is listed densely beside
 * them, so a step's cost follows what moves. All order comes from slots and lists, never from pointers or threads.
 */
#ifndef SCREE_DYNAMICS_STATE_INTERNAL_H
#define SCREE_DYNAMICS_STATE_INTERNAL_H

#include "dynamics/dynamics.h"
#include "dynamics/joint_internal.h"

#include <stdlib.h>

#define NONE (-1)
#define PART_LIMIT (1 << 24)

/* Tuning, with units and reasons. */
#define SLOP 0.005f                /* m: closer than this counts as touching */
#define SPECULATIVE_DISTANCE 0.02f /* m: contacts are made this early, so that the solver sees them coming */
#define BOX_MARGIN 0.1f            /* m: fattening of tree boxes, so that slow parts seldom move in the tree */
#define CONTACT_HERTZ 40.0f /* stiffness of contacts between bodies, with strong damping: soft but never springy */
#define CONTACT_RATIO 10.0f
#define STATIC_HERTZ 60.0f /* against the ground and other immovables */
#define STATIC_RATIO 8.0f
#define LIFT_RATE 3.0f         /* 1/s: slower than the contacts' own 9 to 20, so that both stay calm */
#define LIFT_LIMIT 0.25f       /* m */
#define BEARING 4.0f           /* times its own weight: what is pushed so hard may bear a heavy load */
#define LANDING_ROUNDS 16      /* the points of a manifold push against each other: a flat landing must not tip over */
#define LANDING_ACCURACY 1e-3f /* of their sum: less change of an impulse ends the rounds */
#define PUSH_OUT_SPEED 3.0f    /* m/s: how fast overlap may be undone */
#define JAMMED_IN 3            /* contacts of one body deeper than DEEP_OVERLAP */
#define LOCKED_PUSH 1000.0f    /* m/s2: by which a contact that overlaps would speed a body up, were it free */
#define SOME_OVERLAP 0.02f     /* m: what was jammed is so while it overlaps so much */
#define DEEP_OVERLAP 0.1f      /* m: contacts so deep share that speed among all of a body's */
#define RESTITUTION_THRESHOLD 1.0f /* m/s: slower impacts do not bounce */
#define DIG_OUT_REACH 8.0          /* m: how far a buried part looks for air; beyond it goes up */
#define SQUEEZED -0.3f             /* cosine: faces on both sides, closer than the part is thick */
#define BURIED_POINT UINT32_MAX    /* id of the one point of a part that is buried (narrow.c) */
#define BURIED_GRIP 1.0f           /* friction of ground all around */
#define FLOAT_SLEEP_SHARE 0.15f    /* of the usual speeds, for what only water holds */
#define TRIES_LIMIT 3              /* Body.tries: 8 times as long to wait is enough */
#define FREE_SLEEP_SPEED 0.001f    /* m/s: what touches nothing sleeps only below this */

/* In place, rising; asks for no memory, which qsort may (runs.c). */
void Sort_U64(uint64_t *items, int count);

/* ---- runs: contiguous slots (runs.c) ---------------------------------------------------------------------------- */

#define RUN_CLASSES 24

/* Hands out runs of 2^k consecutive indices of an array that the caller keeps. */
typedef struct RunPool {
	ARRAY(int) unused[RUN_CLASSES];
	int cut[RUN_CLASSES]; /* runs of the class that exist, handed out or not */
	int used;             /* indices below this belong to some run */
} RunPool;

int RunPool_Class(int count);
int RunPool_Take(RunPool *pool, Memory *memory, int run_class); /* first index, or NONE on failure */
void RunPool_Return(RunPool *pool, int first, int run_class);   /* never fails: room was made in Take */
void RunPool_Free(RunPool *pool, Memory *memory);

/* ---- bodies ------------------------------------------------------------------------------------------------------ */

typedef struct Part {
	Xform local; /* the shape's frame relative to the centre of mass */
	float outer_radius, inner_radius;
	int body, index;
	PartDef def;
	int leaf;            /* in the tree of its body's kind */
	int terrain_contact; /* or NONE */
	int terrain_pair;    /* this step's, if there is one: its place in Dynamics.terrain_pairs */
	int ground_first, ground_class, ground_count; /* its contacts with blocks: a run of Dynamics.grounds */
	/* The box around it, and where its body was when that was found; it follows from that, so it is not saved. */
	WorldBox box;
	Pose boxed;
	/* A ball without any of the ground's surface in it, around where the middle was in the air: while the middle is in
	 * it, the part has not sunk. It follows from where things are, so it is not saved. */
	Pos clear_at;
	float clear_radius;
	uint32_t clear_version; /* Dynamics.ground_version then */
} Part;

/* What tells of two parts that they are far from each other. It is read for every pair in every step, so it stands by
 * itself, in one line of the cache. Of a part whose body is not awake: from its box in the tree. */
typedef struct PartReach {
	Pos center; /* of a box around it, */
	Vec3 half;
	float ball;         /* ... and of a ball */
	Vec3 velocity;      /* of its body */
	float spin;         /* m/s: of its fastest point about the body's centre */
	float inner_radius; /* < 0: a mesh */
	float radius;       /* m: of its farthest point from the body's centre */
} PartReach;

/* ---- contacts with blocks of the ground (ground.c) --------------------------------------------------------------- */

/* A part and a block of terrain, from the moment the part's box meets the block's bits until it does not. At most one
 * solid and one water contact a pair. The solver has one contact a part for all of its blocks, so that a manifold does
 * not end where a block does; these say which colliders are asked for it. */
typedef struct GroundContact {
	Cell block;
	bool water;
	bool fruitful; /* has made a point since it was opened */
} GroundContact;

/* The turning of a body that nothing touches, in double: rounded to float in every substep it would drift, and near its
 * middle axis that doubles with each turn over. It holds as long as the body still has the angular velocity that it was
 * rounded to. */
typedef struct FreeSpin {
	bool holds;
	Vec3 velocity;      /* what the angular momentum and the rotation gave, rounded */
	Vec3D momentum;     /* world axes, N m s */
	double rotation[4]; /* x y z w */
} FreeSpin;

/* What most loops over bodies read stands first, together. */
typedef struct Body {
	Pose pose; /* of the centre of mass */
	Vec3 velocity, angular_velocity;
	Motion motion;
	bool asleep, can_sleep, bullet;
	bool jammed;     /* was deep in several others and still overlaps: its speed is held */
	int awake_place; /* in Dynamics.awake, or NONE */
	int watch_place; /* in Dynamics.watched, or NONE */
	int first_part, part_count;
	int contacts;       /* head of its list: contact * 2 + side, or NONE */
	int joints;         /* head of its list: joint * 2 + side, or NONE */
	float outer_radius; /* of the ball about the centre that holds it */
	float inner_radius; /* smallest of its parts' */
	float reach_speed;  /* m/s: no point of it was faster when Collide began; 0 unless awake */
	float inverse_mass;
	float gravity_scale;
	Vec3 force, torque; /* for the next step, about the centre */
	float mass;
	Mat3 inertia, inverse_inertia; /* about the centre, body axes; inverse zero unless dynamic */
	int contact_count, joint_count;
	Vec3 local_center;            /* in the assembly's frame */
	Pose before;                  /* at the start of step `moved_in`, the last one if it moved in that; for drawing */
	uint64_t moved_in;            /* or 0: never, or put elsewhere since */
	Vec3 net_linear, net_angular; /* change of momentum in the last step */
	float drive_time;             /* s that a kinematic body still moves towards its target; 0: for good */
	float still_time;             /* s that it has been slow enough to sleep */
	float slow_time;              /* s that it has been slow and in one place */
	Pose place;                   /* that place */
	Pose window[2];               /* where it was at the start and in the middle of a sleep time */
	float window_time;            /* s since the later of the two */
	float pull;                   /* m/s2: its mean acceleration in the last whole window; negative: there was none */
	float stress;                 /* a measure of what holds it, when the window slid on; negative: not known */
	float change;                 /* of the stress in the last half window, as a share */
	uint8_t fading;               /* half windows in which it went the same way, at most FADING_LIMIT */
	float bustle;                 /* m/s: how fast it lately was at most, fading away */
	bool known;                   /* the stress is one that compares with the one before */
	bool yields;                  /* it moves while its loads go one way, or they clearly do */
	bool half_way;                /* the window has both */
	bool calm;                    /* hardly moved in the last whole window */
	bool gathers;                 /* moved farther in its second half than in the first */
	bool steady;                  /* what holds it hardly changed in the last half */
	uint8_t probed; /* a sleeper among the awake, to find out whether the ground under it changed (probe.c): 1 and the
	                   number of its parts that the ground touched; else 0 */
	bool firm;      /* only stands on others, and others on it: nothing wedges it in, no joint holds it */
	bool alone;     /* touches only what cannot move */
	uint8_t tries;  /* times that it fell asleep beside something awake and was woken by that, at most TRIES_LIMIT */
	bool wet;       /* in water at the end of the last step */
	Vec3 drift, drift_angular;           /* of a watched sleeper: the velocity that it would have (watch.c) */
	Vec3 mean_drift, mean_drift_angular; /* ... in the mean of the last time */
	Vec3 give;                           /* m: ... and how far it would have gone */
	Quat give_turn;                      /* ... and turned */
	float load;                          /* kg that rest on it, if they are many times its own mass (stiff.c) */
	float watch_time;                    /* s since anything beside it was awake */
	FreeSpin spin;
	SleepLimits limits;
	const char *wake_reason; /* static text, or of the archive */
	int previous, next;      /* order of creation */
	uint64_t birth;
	Piece *piece; /* owned; or NULL */
	int solver;   /* index among this step's solver bodies; valid during Solve only */
} Body;

/* ---- contacts ---------------------------------------------------------------------------------------------------- */

#define CONTACT_SLOT_BITS 24
#define CONTACT_LIMIT (1 << CONTACT_SLOT_BITS)

typedef struct StoredPoint {
	Vec3 rb;          /* from the centre of B, world axes; from that of A it is less Contact.between */
	float separation; /* m, at the start of the last step */
	Vec3 made_rb;     /* both as they were when the manifold was made; in haste: the arm of A now */
	float made_separation;
	uint32_t id;
	float impulse;  /* N s of the last substep, for warm starting */
	float total;    /* N s over the last step */
	float approach; /* relative normal speed at the start of the last step; < 0: closing */
} StoredPoint;

/* What a fast body has to do with a manifold. */
#define HASTE_FOLLOW 1   /* one of its bodies is fast: arms and masses follow it through the step (follow.c) */
#define HASTE_BLOW 2     /* ... and comes to it within the step */
#define HASTE_FORESEEN 4 /* ... where it is not yet now (foresee.c) */

typedef struct StoredManifold {
	Vec3 normal; /* from A to B */
	int count;
	Vec3 made_normal;         /* as it was when the manifold was made */
	uint8_t material;         /* of A, for terrain */
	uint8_t touch;            /* TOUCH_... of the last step */
	uint8_t deep;             /* 1: overlaps by more than SOME_OVERLAP, 2: DEEP_OVERLAP */
	uint8_t haste;            /* HASTE_ bits, for this step only */
	float radius_a, radius_b; /* of the rounding of the two */
	float friction, restitution, rolling;
	Vec3 friction_impulse; /* world axes, in the tangent plane */
	float twist_impulse;
	Vec3 rolling_impulse;
	float lift; /* m, <= 0: solved as if it were that much deeper, so that a steady load stands at depth 0 */
	StoredPoint points[MANIFOLD_POINTS];
} StoredManifold;

/* Of a part that is in the solid of what it touches. */
static inline bool Manifold_IsBuried(const StoredManifold *m)
{
	return m->count == 1 && m->points[0].id == BURIED_POINT;
}

/* How two parts stood when their manifolds were made, or were found to be apart: while they stand nearly so, nothing is
 * made anew (narrow.c). */
typedef struct ContactMade {
	Quat qa, qb;  /* rotations of the bodies; of A: none for terrain */
	Vec3D way;    /* from the centre of B to that of A, however far that is; for terrain to the world's origin */
	float margin; /* m, at which the manifolds were made */
	float room;   /* m that the parts may still move against each other */
	bool holds;
	bool altered; /* of a probed sleeper: the ground under it is another than before */
} ContactMade;

/* How near the points of a manifold or of all of a contact came in the last step. */
enum { TOUCH_NEAR = 1, TOUCH_LOOSE = 2, TOUCH_BLOW = 4 };

/* What tells of a contact whether it is worth looking at; it stands by itself, as that is asked of all in every step.
 */
typedef struct ContactPair {
	int part_a, part_b; /* as in the contact */
	bool awake;         /* is in the list of those awake */
	bool quiet;         /* has no manifold and does not touch; false: not known */
	bool lone;          /* of two bodies of one part each, neither of them static: there is no seam (seams.c) */
} ContactPair;

typedef struct Contact {
	int part_a, part_b; /* part_a NONE: terrain */
	int body_a, body_b;
	int awake_place;             /* in Dynamics.awake_contacts, or NONE */
	int first, run_class, count; /* manifolds; first NONE: never had any */
	Vec3 rest;                   /* force on B, N, when the later of the two fell asleep (watch.c) */
	bool alive, touching;
	uint8_t touch;  /* TOUCH_... of the last step, where there is one manifold */
	uint8_t points; /* likewise */
	Vec3 between;   /* from the centre of B to that of A; 0 for terrain */
	struct {
		int previous, next;
	} link[2]; /* in the lists of body_a and body_b */
	uint64_t born;
	ContactMade made;
} Contact;

/* ---- one step's temporaries -------------------------------------------------------------------------------------- */

/* A dynamic or moving kinematic body, dense, for the solver. Index 0 stands for everything immovable. The kernels read
 * it as six rows of four floats (solve_eight.c). */
typedef struct SolverBody {
	Vec3 velocity;
	float inverse_mass;
	Vec3 angular_velocity;
	int body;             /* slot, or NONE for index 0 */
	Vec3 shift;           /* of the centre since the start of the step */
	Quat turn;            /* since the start of the step */
	Mat3 inverse_inertia; /* world axes, now; symmetric */
} SolverBody;

#define SOLVER_BODY_FLOATS 24

struct SolverKernel;

/* Blocks of terrain under one part in this step. */
typedef struct TerrainPair {
	int part;
	int contact;
	int first, count; /* in Dynamics.block_hits: one a block, in the order of blocks */
	bool asked;       /* whether its middle is in the ground had to be found out */
	bool sunk;        /* its middle is in the ground: only `out` and `depth` count */
	Vec3 out;         /* unit, towards the nearest air, or up */
	float depth;      /* m to it */
} TerrainPair;

/* A contact's new manifolds, before they are stored. */
typedef struct FreshManifolds {
	Manifold *manifolds;
	int count;
} FreshManifolds;

/* Where an awake body goes in this step if nothing new stops it (foresee.c). */
typedef struct Path {
	Vec3 shift, turn; /* of the centre of mass, m; rotation vector, radians */
	float travel;     /* m that the fastest of its points can go */
	float bend;       /* time of [0, 1] at which something stops it; 1: nothing does */
	bool fast;        /* may pass through something within the step */
} Path;

/* Contacts of fast bodies as they will be at the time of impact. */
typedef struct Foreseen {
	int contact, terrain_pair; /* the latter NONE between parts */
	float time;                /* of [0, 1]; above: no impact */
	int count;
	StoredManifold *manifolds;
	Vec3 *places; /* MANIFOLD_POINTS a manifold: where its points are at that time, from `origin` */
	Pos origin;
	int first; /* place of the first in its contact, once stored; NONE: not stored */
} Foreseen;

/* A part in water: how that stands around it. Relative to the body's centre, world axes, at the start of the step. */
typedef struct WaterPart {
	int part;
	bool plane;   /* all of it has one level; else what follows was measured, */
	double level; /* m, world */
	float volume; /* m3 under water */
	float area;   /* m2 of water's surface within the part */
	Vec3 center;  /* ... of what is under water */
	float total;  /* m3 of the part */
	float fill;   /* share of its box that its outline takes */
	Vec3 half;    /* of its box, its own axes */
	float density;
	float now; /* m3 under water in the last substep */
} WaterPart;

typedef struct Worker {
	Arena arena;
	TriangleList triangles;
	ARRAY(uint64_t) pairs; /* found in this step */
	bool failed;
} Worker;

/* What is listed by numbers lies about in memory: asked for a few rounds of a loop ahead, it is there in time. */
#define FETCH_AHEAD 6

static inline void Fetch(const void *from, size_t bytes)
{
	for (size_t at = 0; at < bytes; at += 64)
		__builtin_prefetch((const char *)from + at);
}

struct Dynamics {
	Memory *memory;
	TaskPool *tasks;
	Terrain *terrain;
	const Store *store;
	const MaterialTable *materials;
	int substeps;
	uint64_t steps;                    /* begun, from 1 */
	const struct SolverKernel *kernel; /* the form of the solver that suits the processor */
	SleepSettings sleep;
	Vec3 gravity;

	IdPool ids;
	ARRAY(Body) bodies;
	int first_body, last_body;
	int dying; /* body that is being destroyed: not to be woken; or NONE */
	RunPool part_runs;
	ARRAY(Part) parts;
	BoxTree fixed_tree, moving_tree; /* parts of static bodies; of all others */
	bool many_move;                  /* leaves of moving_tree, between Parts_BeginMoves and Parts_EndMoves */
	ARRAY(int) awake;                /* slots of awake dynamic and moving kinematic bodies */
	ARRAY(int) watched;              /* slots of sleepers that are watched, in order */
	int sleepers;                    /* dynamic bodies that are not listed awake */
	float inverse_dt;                /* 1/s, of the last step */
	ARRAY(int) moved_parts;
	/* Along with moved_parts: the box in the tree when pairs were last looked for; inside out: whatever is met is to be
	 * looked at. */
	ARRAY(WorldBox) moved_from;
	/* By part, room for as many as parts: */
	ARRAY(int) moved_places;   /* in moved_parts, from 1; 0: is not in it */
	ARRAY(WorldBox) fat_boxes; /* as in the tree */
	ARRAY(PartReach) reaches;  /* valid from the start of Collide */
	ARRAY(uint64_t) new_pairs; /* found in this step */
	bool search_all;           /* while pairs are looked for: those of moving_tree all at once */

	ARRAY(Contact) contacts;
	ARRAY(ContactPair) pairs; /* by contact, room for as many */
	ARRAY(int) unused_contacts;
	ARRAY(int) awake_contacts;
	int live_contacts;
	KeyMap pair_map; /* part pair -> contact */
	RunPool manifold_runs;
	ARRAY(StoredManifold) manifolds;
	bool boxes; /* contacts with blocks are opened by boxes instead of bits */
	bool raw_edges;
	RunPool ground_runs;
	ARRAY(GroundContact) grounds;
	ARRAY(GroundContact) found_grounds; /* of one part, in this step */
	uint32_t ground_version;            /* steps in which the ground had changed */
	GroundStats ground;                 /* of the last step, and counted since the start */
	ARRAY(WaterPart) water;             /* of this step, by place in `awake` */
	int *solver_index;                  /* per body, during Solve; in the arena; NULL: too many bodies sleep */
	int *water_first;                   /* per place in `awake`, and one more; in the arena; NULL: no water */
	uint64_t births;                    /* contacts ever made */
	uint64_t body_births;               /* bodies ever made */

	IdPool joint_ids;
	ARRAY(Joint) joints;
	int first_joint, last_joint;
	uint64_t joint_births; /* joints ever made */
	int holding_joints;    /* alive and not broken */

	ARRAY(Event) events;
	ARRAY(char *) reasons; /* texts of events that came from an archive (archive.c) */
	int reported;          /* events that the last step ended with; later ones wait for the next */

	Arena arena; /* one step */
	BlockHitList block_hits;
	ARRAY(TerrainPair) terrain_pairs;
	ARRAY(int32_t) build_list;
	Worker *workers;
	int worker_count;
	/* Per place in awake_contacts, from Collide to the step's end, in the arena: 0 where the contact has no manifold
	 * and does not touch, as most have not. Places from counted_places on are not known. */
	uint8_t *matters;
	int counted_places;
	FreshManifolds *fresh; /* per place in awake_contacts; in the arena; valid in Collide only */
	Path *paths;           /* by place in awake; in the arena; from Foresee to EndStep */
	Foreseen *foreseen;    /* in the arena; likewise */
	int path_count, foreseen_count;
	const SolverBody *solver_bodies; /* by place in awake + 1; in the arena; from Solve to EndStep */
	uint64_t *touch_order;           /* room for sorting awake contacts; in the arena */
	int points;                      /* touching contact points of the last step */
};

#endif
