/* The benchmark of rigid bodies: scenes that are described once, and engines that run them. */
#ifndef BENCH_PHYSICS_H
#define BENCH_PHYSICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define BENCH_DT (1.0 / 60.0)
#define BENCH_GRAVITY 9.81
#define BENCH_FRICTION 0.6 /* of every pair; nothing bounces */
#define BENCH_DENSITY 1000.0
#define BENCH_STAGES 10

typedef enum BenchShape { BENCH_BALL, BENCH_BOX, BENCH_CAPSULE, BENCH_HULL } BenchShape;
typedef enum BenchMotion { BENCH_STATIC, BENCH_KINEMATIC, BENCH_DYNAMIC } BenchMotion;

typedef struct BenchPart {
	BenchShape shape;
	double size[3];        /* box: full lengths */
	double radius, length; /* ball, capsule (between the ends' centres, along y) */
	const double *points;  /* hull */
	int point_count;
	double position[3], rotation[4]; /* in the body's frame */
} BenchPart;

typedef struct BenchBody {
	int first_part, part_count;
	double position[3], rotation[4];
	BenchMotion motion;
} BenchBody;

typedef struct BenchJoint {
	int a, b;
	double at[3]; /* where a ball joint holds both, in the world */
} BenchJoint;

/* Ground: a grid of heights (voxels of `spacing`; for engines without voxels the mesh that they make). */
typedef struct BenchGround {
	int width; /* samples a side; 0: none */
	double spacing, bottom, lowest;
	double *heights;
	float *vertices; /* made by the first engine that opens the scene, for the others */
	uint32_t *triangles;
	int vertex_count, triangle_count;
} BenchGround;

typedef struct BenchScene BenchScene;
struct BenchScene {
	const char *name;
	int steps;
	BenchPart *parts;
	BenchBody *bodies;
	BenchJoint *joints;
	int part_count, body_count, joint_count;
	int part_room, body_room, joint_room;
	BenchGround ground;
	int driven; /* the kinematic body, or -1 */
	/* Where the driven body is after `step` steps. */
	void (*drive)(int step, double position[3], double rotation[4]);
};

/* `size`: instead of the scene's usual one (0: that). NULL: no scene of that name. */
BenchScene *BenchScene_Make(const char *name, int size);
void BenchScene_Free(BenchScene *scene);
const char *BenchScene_Name(int i); /* NULL after the last */

typedef struct BenchEngine {
	const char *name;
	void *(*open)(BenchScene *scene, int threads); /* NULL: cannot run it */
	void (*step)(void *world, const BenchScene *scene, int step);
	void (*close)(void *world);
	/* Mean height and largest speed of the dynamic bodies: to see that the engines do the same. */
	void (*look)(void *world, double *height, double *speed);
	int (*contacts)(void *world);
	/* Milliseconds of the stages of the last step by name; NULL: keeps none. */
	int (*stages)(void *world, const char **names, double *ms);
} BenchEngine;

extern const BenchEngine bench_scree_physics, bench_bullet_physics;

#ifdef __cplusplus
}
#endif

#endif
