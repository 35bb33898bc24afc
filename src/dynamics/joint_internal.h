/* Joints inside the dynamics room: how one is kept, and one step's constraints made of it.
 *
 * Inside, side b is always a body and the world can only be side a. A joint that was given the other way round is
 * `reversed`: its body is b here, and all that is measured (angle, way, impulse) is that body's against the world.
 */
#ifndef SCREE_DYNAMICS_JOINT_INTERNAL_H
#define SCREE_DYNAMICS_JOINT_INTERNAL_H

#include "dynamics/dynamics.h"

#define JOINT_HERTZ 60.0f /* stiffness of joints: with strong damping, so that errors go without a swing */
#define JOINT_RATIO 2.0f
#define JOINT_LOAD 10.0f /* m/s2 (rad/s2): what pulls harder than this on its mass makes it stiffer in proportion */
#define JOINT_LOAD_LIMIT 1e6f   /* ... up to so many times */
#define JOINT_PULL_SPEED 100.0f /* m/s, rad/s: how fast an error may be undone */
#define SINGLE_ROWS 5           /* limits and drives of one joint, at most */
#define JOINT_IMPULSES 11       /* three of its linear block, three of its angular block, five single rows */

/* Everything about a joint, without pointers: what decides the future is in here and in the bodies. What a step needs
 * of those that only hold two points together stands first. */
typedef struct Joint {
	JointType type;
	bool alive, broken, collide, reversed;
	int body_a, body_b; /* body_a NONE: the world */
	struct {
		int previous, next;  /* joint * 2 + side */
	} link[2];               /* in the lists of body_a and body_b */
	Vec3 anchor_a, anchor_b; /* from the centres of mass, body axes */
	bool plain, tears;       /* of its settings: it only holds two points together; it may break */
	float step;              /* s of the substep that the impulses belong to */
	float impulse[JOINT_IMPULSES];
	Vec3 total_linear, total_angular; /* N s and N m s on b over the last step */
	Pos world_anchor;                 /* a's end where a is the world */
	Quat frame_a, frame_b;            /* the joint's axes in the bodies' (the world's); x is the axis */
	double angle;                     /* rad about the axis, turns counted, at the end of the last step */
	Vec3 rest;                        /* N on b when the later of the two fell asleep (watch.c) */
	int previous, next;               /* order of creation */
	uint64_t birth;                   /* joints made before it */
	JointSettings settings;
} Joint;

/* Where a joint's ends are, in the world's axes. */
typedef struct JointPlace {
	Vec3 arm_a, arm_b;     /* from the centres of mass; a's is 0 for the world */
	Vec3 gap;              /* from a's end to b's */
	Quat frame_a, frame_b; /* x is the axis */
} JointPlace;

/* ---- one step's constraints -------------------------------------------------------------------------------------- */

/* Inverse of a symmetric matrix, stored xx xy xz yy yz zz; in double, since long arms make it near to singular. */
static inline void Joint_Invert(const float k[6], float out[6])
{
	double a = k[0], b = k[1], c = k[2], e = k[3], f = k[4], i = k[5];
	double ei = e * i - f * f, fc = f * c - b * i, bf = b * f - e * c;
	double det = a * ei + b * fc + c * bf, s = det > 0.0 ? 1.0 / det : 0.0;
	out[0] = (float)(s * ei);
	out[1] = (float)(s * fc);
	out[2] = (float)(s * bf);
	out[3] = (float)(s * (a * i - c * c));
	out[4] = (float)(s * (b * c - a * f));
	out[5] = (float)(s * (a * e - b * b));
}

/* One to three rows that are solved at once, along axes: of the relative speed at the anchor, or of turning. */
typedef struct JointBlock {
	int count;
	bool drive;       /* goes at a wanted speed with a bounded impulse, instead of holding its error at 0 */
	bool spent;       /* a drive that gives all it has: not in the equations of its mechanism */
	float inverse[6]; /* of the matrix of inverse masses: xx xy xz yy yz zz */
	float mean;       /* inverse mass of a row, in the mean */
	float max;        /* drive: N s a substep */
	Vec3 axis[3];     /* world; of a point x, y, z */
	float error[3], impulse[3];
	float wanted[3]; /* drive: speed */
} JointBlock;

typedef enum RowKind { ROW_LIMIT, ROW_DRIVE, ROW_SPRING } RowKind;

/* A single row with a range. A limit's impulse pushes only towards greater speed, and its error is the room that is
 * left. */
typedef struct JointRow {
	RowKind kind;
	int slot;     /* among the joint's stored impulses of single rows */
	bool turning; /* else along the axis at the anchor */
	bool pinned;  /* at an end of its range: not in the equations of its mechanism */
	Vec3 axis;
	float inverse_mass;
	float error, wanted, max; /* max: drive, N s a substep */
	float stiffness, damping; /* spring: N/m, N s/m */
	float impulse;
} JointRow;

typedef struct JointExtra {
	JointBlock angular;
	int row_count;
	JointRow rows[SINGLE_ROWS];
} JointExtra;

typedef struct JointConstraint {
	int a, b; /* solver bodies */
	int joint;
	JointExtra *extra; /* NULL: none */
	Vec3 arm_a, arm_b; /* of impulses, now */
	JointBlock linear;
	Vec3 total_linear, total_angular;
} JointConstraint;

/* What only placing needs, beside the constraint. */
typedef struct JointFrames {
	Quat a, b;             /* at the start of the step, in the world */
	Vec3 start_a, start_b; /* arms then, world axes */
	Vec3 start_gap;        /* from a's end to b's then */
	double angle;          /* about the axis, turns counted */
} JointFrames;

/* Which joint, of which solver bodies, in which group: of a colour, or of a mechanism. */
typedef struct JointSource {
	int joint, a, b;
	int group;
	int ends; /* in JointStep.ends */
	JointType type;
	bool wide; /* holds two points together and nothing else: may be solved beside others of its colour */
	bool tears;
} JointSource;

static inline int JointSource_Body(const JointSource *s)
{
	return s->b != 0 ? s->b : s->a;
}

#define JOINT_COLOURS 62                    /* what finds none of them is solved last, one by one */
#define FIRST_MECHANISM (JOINT_COLOURS + 1) /* group of a batch's first mechanism */

typedef struct JointRange {
	int first, count;
} JointRange;

/* Where a joint's ends are when the step begins, and what it gave last. */
typedef struct JointEnds {
	Vec3 arm_a, arm_b, gap; /* as in JointPlace */
	Vec3 impulse;           /* of its linear block, for a substep as long as this step's */
} JointEnds;

/* Joints that share no movable body. The wide ones are first. */
typedef struct JointColour {
	JointRange groups; /* of the wide ones: in JointStep.balls */
	JointRange others; /* the rest, of JointStep.list */
} JointColour;

/* Elimination of one body from the equations of its mechanism, and what it is tied to then. */
typedef struct JointPivot {
	int node;
	int neighbour[2], edge[2]; /* nodes that are eliminated later; NONE */
	int fill;                  /* edge between these two, or NONE */
} JointPivot;

typedef struct JointEdge {
	int a, b; /* nodes; the block's rows are a's, its columns b's */
} JointEdge;

typedef struct JointMechanism {
	JointRange constraints, pivots;
	bool tied;  /* in loops or held at several immovable ends: some rows may say the same, or what cannot be */
	float most; /* N s, N m s: what a row may give then, since nothing else would end it */
} JointMechanism;

/* One row of a mechanism's equations. */
typedef struct SystemRow {
	double a[6], b[6]; /* how velocity and turning of the bodies count */
	double weight;     /* 1 / compliance */
	double rest;       /* what must become 0 but for the compliance: speed, bias */
	float *impulse;    /* to be changed */
	float low, high;   /* its range */
	JointRow *single;  /* that it is; or NULL */
	int constraint;
	bool turning;      /* it has no linear part */
	bool point;        /* the first of three rows of equal weight along x, y and z at the arms */
	JointBlock *drive; /* at the first row of a drive: its rows are bounded together */
} SystemRow;

/* The joints of a batch of the solver. */
typedef struct JointBatch {
	JointRange constraints, colours, mechanisms;
	JointRange mechanical; /* constraints of mechanisms */
	bool overflow;         /* the last colour shares bodies */
} JointBatch;

/* What pulls at a body: the two strongest (joint_tension.c). */
typedef struct JointTension {
	float turn, second_turn; /* h2 times the stiffness against turning, N m s2 */
	Vec3 arm;                /* of the strongest */
	float line, second_line; /* of ropes and rods: against moving across, N/m s2 */
} JointTension;

typedef struct JointStep {
	JointConstraint *list; /* by batches, in them by colours, then by mechanisms; not of the wide ones */
	JointFrames *frames;   /* beside list */
	JointSource *sources;  /* beside list */
	JointEnds *ends;       /* in the order in which sources were listed */
	int count;
	JointExtra *extras;
	JointBatch *batches; /* as many as the solver has */
	JointColour *colours;
	struct WideBall *balls;
	int ball_groups;
	JointMechanism *mechanisms;
	int mechanism_count;
	int node_count, edge_count;
	int *node_of;           /* per solver body, or NONE */
	JointTension *tensions; /* per solver body */
	int *body_of;           /* per node */
	JointPivot *pivots;
	JointEdge *edges;
	int *edge_of;           /* per constraint: between its two bodies, or NONE */
	double (*diagonal)[36]; /* per node, row after row */
	double (*side)[36];     /* per edge */
	double (*right)[6];     /* per node */
	SystemRow *rows;
	int *first_row;  /* per constraint, and one more */
	float stiffness; /* of a lock under its usual load, to its mass: a2 of Softness_Make */
	float bias_rate; /* 1/s */
} JointStep;

#endif
