/* One step's constraints, as the solver sees them: gathered and stored by prepare.c, parted into batches by batches.c,
 * coloured by colour.c, solved by solve.c. */
#ifndef SCREE_DYNAMICS_SOLVER_INTERNAL_H
#define SCREE_DYNAMICS_SOLVER_INTERNAL_H

#include "dynamics/wide_internal.h"

/* A soft constraint over one substep (after Catto, "Soft constraints", GDC 2011, and "Solver2D", 2024). */
typedef struct Softness {
	float bias_rate, mass_scale, impulse_scale;
} Softness;

#define COLOUR_LIMIT 62 /* of each kind; what finds no colour is solved first, one by one */

/* Which manifold a constraint is made from. */
typedef struct ConstraintSource {
	int contact, manifold;
	int a, b;   /* solver bodies */
	float load; /* mass that rests on the lighter side, to its own; 0: not worth mention (stiff.c) */
	uint8_t points;
	bool rolls;    /* resists rolling */
	bool followed; /* of a fast body (StoredManifold.haste) */
} ConstraintSource;

typedef struct Range {
	int first, count;
} Range;

/* Bodies and constraints that have nothing to do with those of other batches: some whole islands. A batch is solved
 * through all substeps by itself, so that what it needs stays near the processor, and batches can be solved at once. */
typedef struct SolverBatch {
	Range bodies;   /* of SolverStep.body_list */
	Range sources;  /* of SolverStep.sources */
	Range groups;   /* of SolverStep.contacts: all of them */
	Range overflow; /* groups whose lanes share bodies: lane by lane, first */
	Range followed; /* groups of fast bodies and immovable ones: lane by lane, last */
	Range colours;  /* of SolverStep.colours */
	Range clusters; /* of SolverStep.clusters */
	Range joined;   /* of SolverStep.joined */
} SolverBatch;

/* A contact of something that is part of a mechanism (blows.c). */
typedef struct JoinedContact {
	int source;
	float before[MANIFOLD_POINTS], way[MANIFOLD_POINTS]; /* N s: impulses before a round, and how they go on */
} JoinedContact;

/* What acts on a body all through the step. */
typedef struct SolverForce {
	Vec3 acceleration, torque;
	float overlap_speed; /* m/s: greatest that overlaps explain; 0: there are none */
	bool jammed;         /* until now */
	float speed_limit;   /* m/s: MAX_SPEED, or less for what is jammed */
	bool spins;          /* its inertia is not that of a ball: it tumbles */
	bool touched;        /* it has contacts */
} SolverForce;

typedef struct SolverStep {
	Dynamics *dynamics;
	float dt, h, inverse_h;
	Softness fixed_softness, moving_softness; /* of contacts without a great load */
	SolverBody *bodies;
	SolverForce *forces;
	int body_count; /* with the immovable one at 0, and the watched behind the awake */
	int awake_count;
	int *deep;                 /* per body: its contacts that overlap deeply */
	ConstraintSource *sources; /* in order of contacts; then by batch and colour */
	int constraint_count;
	int *batch_of; /* per body */
	int *body_list;
	SolverBatch *batches;
	int batch_count;
	Range *colours;        /* groups whose lanes share no movable body, and so do they among each other */
	WideContact *contacts; /* from group first_group on: those of the batch that is being solved (Step_Group) */
	WideRolling *rolling;  /* likewise, where any constraint has rolling resistance */
	int first_group;
	bool rolls;
	Range *lanes; /* per group: sources */
	int *place;   /* per source: group * LANES + lane */
	int group_count;
	int *stiff; /* sources of bodies under great loads, by cluster */
	int stiff_count, cluster_count;
	Range *clusters;       /* ranges of `stiff`, by batch */
	JoinedContact *joined; /* by batch */
	JointStep joints;
} SolverStep;

/* `load`: how many times stiffer than the masses alone ask for, at the same speed of push-out. */
Softness Softness_Make(float hertz, float damping_ratio, float h, float load);
bool Solver_Gather(SolverStep *step);     /* dense bodies and constraint sources */
bool Solver_FindStiff(SolverStep *step);  /* loads of sources; before they are sorted */
bool Solver_Batch(SolverStep *step);      /* sorts sources by batch */
bool Solver_Colour(SolverStep *step);     /* sorts sources by colour, and makes groups */
bool Solver_Cluster(SolverStep *step);    /* gathers the stiff ones */
bool Solver_FindJoined(SolverStep *step); /* once joints are prepared */
bool Solver_Run(SolverStep *step);        /* all substeps of all batches */

/* The ends of a batch: constraints from sources, results back to manifolds and bodies. */
void Solver_ChooseSoftness(SolverStep *step);
void Solver_PrepareGroups(SolverStep *step, int begin, int end);
void Solver_StoreGroups(const SolverStep *step, int begin, int end);
void Solver_StoreBodies(const SolverStep *step, const int *bodies, int count);

/* Solves the cluster's constraints until little changes. Different clusters can be solved at once. */
void Solver_SweepCluster(SolverStep *step, int cluster, bool push_out);

/* Goes on with mechanisms and their contacts until they agree. */
void Solver_TakeBlows(SolverStep *step, const SolverBatch *batch);

/* ---- single lanes (solve_one.c) ---------------------------------------------------------------------------------- */

/* A pass over a lane. That of a fast body is followed: before the relax pass its arms, masses and separations become
 * those of now. A blow is over within one substep: given again in the next, it would be taken back at arms that have
 * turned on; and its friction knows all of it. */
void WideContact_RunSingly(const SolverStep *step, Pass pass, WideContact *c, int lane, StoredManifold *m);
/* Friction and normal impulses of one constraint once more. Returns the largest change of an impulse, N s. */
float WideContact_SolveAgain(const SolverStep *step, WideContact *c, int lane, bool push_out);
/* Adds to the normal impulses of one constraint, which stay positive. */
void WideContact_GoOn(const SolverStep *step, WideContact *c, int lane, const float way[MANIFOLD_POINTS]);
/* Separations now, from those at the start of the step and the motion since. */
void WideContact_Separations(const SolverStep *step, const WideContact *c, int lane, float separation[MANIFOLD_POINTS]);
/* Of what a fast body comes to in this step: `approach` becomes the speed that it would have had when the step began to
 * come as it does now. Until the end of the step the manifold's points have their speeds now in `total`, and the first
 * in `approach` the work that the blow does on the two from now on. */
void WideContact_LookAtBlow(const SolverStep *step, WideContact *c, int lane, float gravity, StoredManifold *m);
void WideContact_Bounce(const SolverStep *step, WideContact *c, int lane, const float target[MANIFOLD_POINTS],
                        const StoredManifold *m);

void WideRolling_Weigh(WideRolling *r, int lane, const SolverBody *a, const SolverBody *b); /* prepare.c */

/* ---- bodies (integrate.c) ---------------------------------------------------------------------------------------- */

/* ---- joints (joint_gather.c, joint_order.c, joint_place.c, joint_solve.c, joint_direct.c) ------------------------ */

bool Joints_Gather(SolverStep *step); /* sources: awake joints; after the bodies. False: out of memory */
void Joint_AddSource(SolverStep *step, int joint, int a, int b); /* and what it pulls at its bodies; there is room */
void Joints_Calm(SolverStep *step);    /* more inertia for links under tension; sources are there */
bool Joints_Prepare(SolverStep *step); /* constraints; once there are batches */
float Joint_ImpulseScale(const SolverStep *step, const Joint *j);
bool Joints_Order(SolverStep *step); /* sorts sources into batches, and in these into colours and mechanisms */
bool Joints_AreMany(const SolverStep *step, int batch); /* too many for one worker */
/* Passes over one batch; `shared`: among all workers. */
void Joints_WarmStart(SolverStep *step, int batch, bool shared);
void Joints_Solve(SolverStep *step, int batch, bool shared);
/* m/s: the largest error of speed, of those that are solved at once. */
float Joints_Miss(const SolverStep *step, int batch);
void Joints_SolveMechanisms(SolverStep *step, int batch);    /* of a pass of Joints_Solve */
void Joints_Place(SolverStep *step, int batch, bool shared); /* anew: after bodies have moved */
void Joints_Relax(SolverStep *step, int batch, bool shared, bool again);
void Joints_Count(SolverStep *step, int batch); /* adds the impulses of the substep to the step's */
void Joints_Store(SolverStep *step);            /* impulses back to the joints, which may break */

/* Geometry of one constraint where its bodies are now. */
void Joint_PlaceConstraint(const SolverStep *step, int index);
/* Impulse on b at the arms, and angular impulse. */
void Joint_Push(const SolverStep *step, const JointConstraint *c, Vec3 impulse, Vec3 angular);
/* Times its usual stiffness that something must have which carries this impulse. */
float Joint_Load(const SolverStep *step, float impulse, float inverse_mass);
float Block_Impulse(const JointBlock *block); /* its length */
/* Solves the blocks of a constraint that are drives by themselves, and notes which give all that they have. */
void Joint_SolveDrives(const SolverStep *step, JointConstraint *c);
void Joint_CalmMechanism(SolverStep *step, int mechanism); /* by what it bears in this substep */
/* A mechanism's locks, and what of its limits and drives acts, at once. False: its numbers are beyond that. */
bool Joint_SolveMechanism(SolverStep *step, int mechanism, bool push_out);

Mat3 WorldInertia(Mat3 body_inertia, Quat q); /* from body to world axes; of inverses too */
bool Body_Tumbles(const Body *body);          /* its inertia is not that of a ball */
/* Buoyancy and drag over a substep of a body with the parts in water first..end - 1 (water.c). */
void Water_Push(Dynamics *d, int first, int end, const Body *body, const SolverBody *before, SolverBody *s, float h);
/* Holds speeds to their limits. */
void Integrate_HoldSpeeds(const SolverStep *step, const int *bodies, int count);
void Integrate_Velocities(SolverStep *step, const int *bodies, int count);
void Integrate_Positions(SolverStep *step, const int *bodies, int count);

static inline WideContact *Step_Group(const SolverStep *step, int group)
{
	return &step->contacts[group - step->first_group];
}

/* A watched sleeper has a velocity, but stays where it is. */
static inline bool Solver_IsWatched(const SolverStep *step, int body)
{
	return body > step->awake_count;
}
static inline bool Solver_Moves(const SolverStep *step, int body)
{
	return body > 0 && body <= step->awake_count;
}

/* The awake come first, then the watched; 0 is what neither moves nor is watched. */
static inline int Solver_Index(const Dynamics *d, int slot)
{
	if (slot == NONE)
		return 0;
	if (d->solver_index)
		return d->solver_index[slot];
	const Body *body = &d->bodies.data[slot];
	return body->watch_place == NONE ? body->awake_place + 1 : d->awake.count + 1 + body->watch_place;
}

static inline StoredManifold *Source_Manifold(const SolverStep *step, const ConstraintSource *s)
{
	return &step->dynamics->manifolds.data[step->dynamics->contacts.data[s->contact].first + s->manifold];
}

#endif
