/* Contact constraints eight by eight, as the kernels see them (solve_kernel_internal.h). The eight of a group share no
 * movable body, so they can be solved side by side: all at once, four by four, or one by one, with the same bits. */
#ifndef SCREE_DYNAMICS_WIDE_INTERNAL_H
#define SCREE_DYNAMICS_WIDE_INTERNAL_H

#include "dynamics/dynamics_internal.h"

#define LANES 8

typedef float Lanes[LANES];

typedef struct Lanes3 {
	Lanes x, y, z;
} Lanes3;

typedef struct WidePoint {
	Lanes3 arm;       /* from the centre of B when the step began */
	Lanes separation; /* at the start of the step */
	Lanes mass;       /* effective, along the normal; 0: no such point */
	Lanes impulse;    /* of this substep */
	Lanes lever;      /* distance from the centre of friction, for twist */
	Lanes total;      /* over the step so far */
} WidePoint;

/* Rolling resistance, for groups that have any. */
typedef struct WideRolling {
	Lanes limit;   /* m: lever of the normal impulse */
	Lanes mass[6]; /* xx xy xz yy yz zz */
	Lanes3 impulse;
} WideRolling;

typedef struct WideContact {
	int32_t a[LANES], b[LANES]; /* solver bodies */
	uint8_t move_a, move_b;     /* a bit a lane: the body may be written */
	uint8_t points;             /* most of any lane */
	uint8_t bounces;            /* a bit a lane: some point comes fast enough to bounce */
	uint8_t lands;              /* a bit a lane: so fast, but without a bounce */
	uint8_t rounds;             /* of solving the points against each other: more for a hard landing */
	WideRolling *rolling;       /* or NULL */
	Lanes rounds_of;            /* the same for each lane */
	Lanes3 normal, tangent;     /* the second tangent is normal x tangent */
	Lanes3 between;      /* from the centre of B to that of A when the step began: arms of A are those of B less this */
	Lanes3 friction_arm; /* the centre of friction, from the centre of B */
	Lanes meets;         /* 1: arms of two that move meet half way; 0: they are followed one by one (solve_one.c) */
	Lanes friction;
	Lanes bias_rate, mass_scale, impulse_scale; /* of the soft constraint */
	Lanes push_out;                             /* m/s, at most */
	Lanes lift;                                 /* m, added to all separations */
	Lanes radius_a, radius_b;                   /* of a ball or capsule: its surface does not turn away with it */
	Lanes tangent_mass[3];                      /* inverse of the 2x2 matrix: 11, 12, 22 */
	Lanes tangent_impulse[2];
	Lanes twist_mass, twist_impulse;
	Lanes coupling[6]; /* speed that an impulse of one at point k gives at point l: 01 02 03 12 13 23 */
	WidePoint point[MANIFOLD_POINTS];
	/* what only the start and the end of the step need */
	Lanes count; /* of the lane's points */
	Lanes3 friction_impulse;
	Lanes approach[MANIFOLD_POINTS]; /* relative normal speed at the start of the step */
} WideContact;

/* PREPARE: masses, speeds and tangents of constraints whose normals, arms, separations, impulses and counts are set;
 * FINISH: the lift for the next step, and the impulse of friction. */
typedef enum Pass { PASS_PREPARE, PASS_WARM_START, PASS_SOLVE, PASS_RELAX, PASS_FINISH } Pass;

/* Eight joints that hold two points together, of one colour (joint_kernel_internal.h). */
typedef struct WideBall {
	int32_t a[LANES], b[LANES]; /* solver bodies */
	uint8_t move_a, move_b;     /* a bit a lane: the body may be written */
	uint8_t count;              /* of lanes */
	int first;                  /* source of the first lane */
	Lanes3 start_a, start_b;    /* arms when the step began, world axes */
	Lanes3 start_gap;           /* from a's end to b's then */
	Lanes3 arm_a, arm_b;        /* of impulses, now */
	Lanes3 error, impulse;
	Lanes inverse[6]; /* of the matrix of inverse masses: xx xy xz yy yz zz */
	Lanes3 total;     /* impulse over the step so far */
} WideBall;

/* Eight bodies that turn (turn_kernel_internal.h). */
typedef struct WideTurn {
	int body[LANES]; /* solver bodies */
	int count;
	Lanes3 velocity; /* angular */
	Lanes turn[4];   /* since the start of the step: x y z w */
	/* of those that tumble: the rotation when the step began, the inertia in body axes, and its inverse, which comes
	 * back in the world's */
	Lanes pose[4];
	Lanes3 inertia[3], inverse[3];
	Lanes unsettled; /* out: 1 where the rounds of the midpoint rule still changed the spin much */
} WideTurn;

/* RELAX: places them anew and solves without undoing errors; AGAIN: the same once more in a substep. COUNT: adds up
 * what they have given, once a substep. */
typedef enum JointPass { JOINTS_PLACE, JOINTS_START, JOINTS_SOLVE, JOINTS_RELAX, JOINTS_AGAIN, JOINTS_COUNT } JointPass;

struct SolverStep;

/* One form of the kernels. All give the same bits. */
typedef struct SolverKernel {
	void (*run)(const struct SolverStep *step, Pass pass, WideContact *contacts, int count);
	void (*run_balls)(const struct SolverStep *step, JointPass pass, WideBall *balls, int count);
	void (*turn)(WideTurn *turn, bool tumbling, float h);
} SolverKernel;

extern const SolverKernel solver_kernel_one, solver_kernel_four;
#if SCREE_X86
extern const SolverKernel solver_kernel_eight; /* where Cpu_Simd() */
#endif

const SolverKernel *SolverKernel_Choose(void);

#endif
