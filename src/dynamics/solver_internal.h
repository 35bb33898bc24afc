/* One step's constraints, as the solver sees them: made by prepare.c, coloured by colour.c, solved by solve.c. */
#ifndef SCREE_DYNAMICS_SOLVER_INTERNAL_H
#define SCREE_DYNAMICS_SOLVER_INTERNAL_H

#include "dynamics/dynamics_internal.h"

/* A soft constraint over one substep (after Catto, "Soft constraints", GDC 2011, and "Solver2D", 2024). */
typedef struct Softness {
	float bias_rate, mass_scale, impulse_scale;
} Softness;

typedef struct ConstraintPoint {
	Vec3 ra, rb;           /* arms of the impulse, of this substep */
	Vec3 start_a, start_b; /* arms at the start of the step */
	float base;            /* separation less dot(rb - ra, normal): what turning adds is put back each substep */
	float separation;      /* at the start of the step */
	float approach;        /* relative normal speed at the start of the step */
	float normal_mass;
	float impulse; /* of this substep */
	float total;   /* over the step so far */
	float lever;   /* distance from the centre of friction, for twist */
} ConstraintPoint;

typedef struct ContactConstraint {
	int a, b; /* solver bodies */
	Vec3 normal, tangent1, tangent2;
	Softness softness;
	float friction, restitution, rolling;
	float radius_a, radius_b; /* of a ball or capsule: its surface does not turn away with it */
	float push_out;           /* m/s, at most */
	float gravity_along;      /* relative acceleration that closes the contact, m/s2 */
	Vec3 friction_ra, friction_rb, friction_start_a, friction_start_b;
	bool both_move;        /* neither side is immovable */
	int rounds;            /* of solving its points against each other: more for a hard landing */
	float tangent_mass[3]; /* inverse of the 2x2 matrix: 11, 12, 22 */
	float tangent_impulse[2];
	float twist_mass, twist_impulse;
	Mat3 rolling_mass;
	Vec3 rolling_impulse;
	float lift; /* added to the separation */
	StoredManifold *store;
	int count;
	ConstraintPoint points[MANIFOLD_POINTS];
} ContactConstraint;

#define COLOUR_LIMIT 62 /* of each kind; what finds no colour is solved last, one by one */

/* Constraints of one colour share no movable body, so they can be solved in any order, or at once. */
typedef struct ColourRange {
	int first, count;
} ColourRange;

typedef struct SolverStep {
	Dynamics *dynamics;
	float dt, h, inverse_h;
	SolverBody *bodies;
	int body_count; /* with the immovable one at 0 */
	int *deep;      /* per body: its contacts that overlap deeply */
	ContactConstraint *constraints;
	int constraint_count;
	/* per constraint before sorting: which manifold; filled by Solver_Colour in the order of colours */
	struct ConstraintSource {
		int contact, manifold;
		int a, b;
		float load; /* mass that rests on the lighter side, to its own; 0: not worth mention (stiff.c) */
	} * sources;
	ColourRange colours[2 * COLOUR_LIMIT];
	int colour_count;
	ColourRange overflow;
	int *stiff; /* constraints of bodies under great loads, by cluster */
	int stiff_count, cluster_count;
	ColourRange *clusters; /* ranges of `stiff` */
} SolverStep;

/* `load`: how many times stiffer than the masses alone ask for, at the same speed of push-out. */
Softness Softness_Make(float hertz, float damping_ratio, float h, float load);
bool Solver_Gather(SolverStep *step);    /* bodies.c side: dense bodies and constraint sources */
bool Solver_FindStiff(SolverStep *step); /* loads of sources; before they are sorted */
bool Solver_Colour(SolverStep *step);    /* sorts sources by colour */
bool Solver_Cluster(SolverStep *step);   /* gathers the stiff ones */
void Solver_Prepare(SolverStep *step);   /* constraints from sources */
void Solver_Run(SolverStep *step);       /* all substeps */
void Solver_Scatter(SolverStep *step);   /* results back to bodies and manifolds */

/* Solves the cluster's constraints until little changes. Different clusters can be solved at once. */
void Solver_SweepCluster(SolverStep *step, int cluster, bool push_out);
/* Friction and normal impulses of one constraint once more. Returns the largest change of an impulse, N s. */
float Constraint_SolveAgain(const SolverStep *step, ContactConstraint *c, bool push_out);

/* Separation now, from that at the start of the step and the motion since. */
float Constraint_Separation(const SolverBody *a, const SolverBody *b, const ContactConstraint *c,
                            const ConstraintPoint *p);

Mat3 WorldInertia(Mat3 body_inertia, Quat q); /* from body to world axes; of inverses too */
void Integrate_Velocities(SolverStep *step, int begin, int end);
void Integrate_Positions(SolverStep *step, int begin, int end);

#endif
