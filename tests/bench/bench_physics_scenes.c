/* Scenes of rigid bodies, each described once for all engines. */
#include "bench_physics.h"

#include "math/math.h"

#include <stdio.h>
#include <stdlib.h>

static const double UPRIGHT[4] = {0, 0, 0, 1};

static void *Grow(void *block, int count, int *room, size_t size)
{
	if (count < *room)
		return block;
	*room = *room > 0 ? 2 * *room : 256;
	block = realloc(block, (size_t)*room * size);
	if (!block)
		abort();
	return block;
}

/* A body whose parts are those added next. */
static BenchBody *AddBody(BenchScene *s, BenchMotion motion, double x, double y, double z)
{
	s->bodies = Grow(s->bodies, s->body_count, &s->body_room, sizeof *s->bodies);
	BenchBody *body = &s->bodies[s->body_count++];
	*body = (BenchBody){.first_part = s->part_count, .motion = motion, .position = {x, y, z}};
	memcpy(body->rotation, UPRIGHT, sizeof UPRIGHT);
	return body;
}

static BenchPart *AddPart(BenchScene *s, BenchShape shape)
{
	s->parts = Grow(s->parts, s->part_count, &s->part_room, sizeof *s->parts);
	BenchPart *part = &s->parts[s->part_count++];
	*part = (BenchPart){.shape = shape};
	memcpy(part->rotation, UPRIGHT, sizeof UPRIGHT);
	s->bodies[s->body_count - 1].part_count++;
	return part;
}

static BenchPart *AddBox(BenchScene *s, double x, double y, double z)
{
	BenchPart *part = AddPart(s, BENCH_BOX);
	part->size[0] = x, part->size[1] = y, part->size[2] = z;
	return part;
}

static void AddHull(BenchScene *s, const double *points, int count)
{
	BenchPart *part = AddPart(s, BENCH_HULL);
	part->points = points;
	part->point_count = count;
}

static void AddFloor(BenchScene *s, double size)
{
	AddBody(s, BENCH_STATIC, 0, -1, 0);
	AddBox(s, size, 2, size);
}

static void AddPyramid(BenchScene *s, int base, double x, double z)
{
	for (int row = 0; row < base; row++)
		for (int i = 0; i < base - row; i++) {
			AddBody(s, BENCH_DYNAMIC, x + i - 0.5 * (base - row - 1), row + 0.5, z);
			AddBox(s, 1, 1, 1);
		}
}

/* ---- piles of boxes ---------------------------------------------------------------------------------------------- */

static void LargePyramid(BenchScene *s, int size)
{
	s->steps = 200;
	AddFloor(s, 2 * size + 20);
	AddPyramid(s, size, 0, 0);
}

static void ManyPyramids(BenchScene *s, int size)
{
	s->steps = 100;
	AddFloor(s, 14 * size + 20);
	for (int i = 0; i < size; i++)
		for (int k = 0; k < size; k++)
			AddPyramid(s, 10, 12.0 * (i - 0.5 * (size - 1)), 3.0 * (k - 0.5 * (size - 1)));
}

/* ---- washer ------------------------------------------------------------------------------------------------------ */

static void TurnDrum(int step, double position[3], double rotation[4])
{
	double angle = 25.0 * PI / 180.0 * step * BENCH_DT;
	position[0] = position[1] = position[2] = 0.0;
	rotation[0] = rotation[1] = 0.0;
	rotation[2] = Trig_Sin(0.5 * angle);
	rotation[3] = Trig_Cos(0.5 * angle);
}

static void Washer(BenchScene *s, int size)
{
	s->steps = 1000;
	double length = 0.4 * size + 1.0, ring = 17.0, angle = 2.0 * PI / 36.0;
	for (int side = -1; side <= 1; side += 2) { /* end walls */
		AddBody(s, BENCH_STATIC, 0, 0, side * (0.5 * length + 0.5));
		AddBox(s, 40, 40, 1);
	}
	s->driven = s->body_count;
	s->drive = TurnDrum;
	AddBody(s, BENCH_KINEMATIC, 0, 0, 0);
	for (int i = 0; i < 36; i++) {
		double c = Trig_Cos(angle * i), n = Trig_Sin(angle * i), wide = 36.2 * Trig_Tan(0.5 * angle);
		int parts = i % 9 == 0 ? 2 : 1; /* with a paddle */
		for (int k = 0; k < parts; k++) {
			double r = k == 0 ? ring : 15.0;
			BenchPart *part = k == 0 ? AddBox(s, 2, wide, length) : AddBox(s, 2.2, 0.5, length);
			part->position[0] = r * c;
			part->position[1] = r * n;
			part->rotation[2] = Trig_Sin(0.5 * angle * i);
			part->rotation[3] = Trig_Cos(0.5 * angle * i);
		}
	}
	for (int x = 0; x < size; x++)
		for (int y = 0; y < size; y++)
			for (int z = 0; z < size; z++) {
				double half = 0.5 * (size - 1), step = 0.42;
				AddBody(s, BENCH_DYNAMIC, step * (x - half), step * (y - half) - 4.0, 0.41 * (z - half));
				AddBox(s, 0.4, 0.4, 0.4);
			}
}

/* ---- junkyard ---------------------------------------------------------------------------------------------------- */

#define YARD 40.0 /* m a side */

static void OrbitCylinder(int step, double position[3], double rotation[4])
{
	double angle = 0.5 * step * BENCH_DT;
	position[0] = 12.0 * Trig_Cos(angle);
	position[1] = 12.0;
	position[2] = 12.0 * Trig_Sin(angle);
	memcpy(rotation, UPRIGHT, sizeof UPRIGHT);
}

/* `size`: layers of 21 x 21. */
static void Junkyard(BenchScene *s, int size)
{
	static double rock[30], cylinder[96];
	s->steps = 500;
	Random random = {7};
	for (int i = 0; i < 10; i++) { /* evenly over a ball of 0.75 m, so 1.5 m wide, and shaken a little */
		double y = 1.0 - (2.0 * i + 1.0) / 10.0, around = 2.399963 * i, r = sqrt(1.0 - y * y);
		double length = Random_Range(&random, 0.65, 0.75);
		rock[3 * i] = length * r * Trig_Cos(around);
		rock[3 * i + 1] = length * y;
		rock[3 * i + 2] = length * r * Trig_Sin(around);
	}
	for (int i = 0; i < 16; i++)
		for (int k = 0; k < 2; k++) {
			double *p = &cylinder[3 * (2 * i + k)];
			p[0] = 4.0 * Trig_Cos(2.0 * PI * i / 16.0);
			p[1] = k == 0 ? -12.0 : 12.0;
			p[2] = 4.0 * Trig_Sin(2.0 * PI * i / 16.0);
		}
	AddFloor(s, YARD + 8);
	for (int side = 0; side < 4; side++) {
		double at = (side & 1 ? 1 : -1) * (0.5 * YARD + 1.0);
		AddBody(s, BENCH_STATIC, side < 2 ? at : 0, 15, side < 2 ? 0 : at);
		AddBox(s, side < 2 ? 2 : YARD + 4, 30, side < 2 ? YARD + 4 : 2);
	}
	s->driven = s->body_count;
	s->drive = OrbitCylinder;
	AddBody(s, BENCH_KINEMATIC, 12, 12, 0);
	AddHull(s, cylinder, 32);
	for (int y = 0; y < size; y++)
		for (int x = 0; x < 21; x++)
			for (int z = 0; z < 21; z++) {
				AddBody(s, BENCH_DYNAMIC, 1.8 * (x - 10), 28.0 + 1.8 * y, 1.8 * (z - 10));
				AddHull(s, rock, 10);
			}
}

/* ---- bodies on hills --------------------------------------------------------------------------------------------- */

static void ConvexVsTerrain(BenchScene *s, int size)
{
	static double hull[24];
	const int n = 100;
	const double cell = 3.0;
	s->steps = 500;
	BenchGround *g = &s->ground;
	g->width = n + 1;
	g->spacing = cell;
	g->bottom = 6.0;
	g->lowest = -5.0;
	g->heights = malloc(sizeof(double) * (size_t)(g->width * g->width));
	if (!g->heights)
		abort();
	for (int z = 0; z <= n; z++)
		for (int x = 0; x <= n; x++)
			g->heights[z * g->width + x] = 5.0 * Trig_Sin(50.0 * x / n) * Trig_Cos(50.0 * z / n);
	for (int i = 0; i < 8; i++) { /* a block that narrows upwards and is turned over it */
		double wide = i < 4 ? 0.6 : 0.4, angle = PI / 2.0 * i + (i < 4 ? 0.0 : 0.5);
		hull[3 * i] = wide * Trig_Cos(angle);
		hull[3 * i + 1] = i < 4 ? -0.4 : 0.4;
		hull[3 * i + 2] = wide * Trig_Sin(angle);
	}
	for (int y = 0; y < 4; y++)
		for (int x = 0; x < size; x++)
			for (int z = 0; z < size; z++) {
				double step = 200.0 / size;
				AddBody(s, BENCH_DYNAMIC, step * (x - 0.5 * (size - 1)), 8.0 + 3.0 * y, step * (z - 0.5 * (size - 1)));
				switch ((x + y + z) % 4) {
				case 0:
					AddBox(s, 1.0, 0.8, 1.2);
					break;
				case 1:
					AddPart(s, BENCH_BALL)->radius = 0.5;
					break;
				case 2: {
					BenchPart *part = AddPart(s, BENCH_CAPSULE);
					part->radius = 0.35;
					part->length = 0.7;
					break;
				}
				default:
					AddHull(s, hull, 8);
				}
			}
}

/* ---- joints ------------------------------------------------------------------------------------------------------ */

/* A net of balls that hangs from one of its edges. */
static void JointGrid(BenchScene *s, int size)
{
	s->steps = 100;
	for (int i = 0; i < size; i++)
		for (int k = 0; k < size; k++) {
			bool held = k == 0 && (i % 4 == 0 || i == size - 1);
			AddBody(s, held ? BENCH_STATIC : BENCH_DYNAMIC, i, 0, k);
			AddPart(s, BENCH_BALL)->radius = 0.4;
		}
	for (int i = 0; i < size; i++)
		for (int k = 0; k < size; k++)
			for (int side = 0; side < 2; side++) {
				int x = i + (side == 0), z = k + (side == 1);
				if (x >= size || z >= size)
					continue;
				s->joints = Grow(s->joints, s->joint_count, &s->joint_room, sizeof *s->joints);
				s->joints[s->joint_count++] =
				    (BenchJoint){i * size + k, x * size + z, {0.5 * (i + x), 0, 0.5 * (k + z)}};
			}
}

/* ---- the list ---------------------------------------------------------------------------------------------------- */

static const struct {
	const char *name;
	void (*make)(BenchScene *scene, int size);
	int size;
} list[] = {
    {"large_pyramid", LargePyramid, 100}, {"many_pyramids", ManyPyramids, 14},        {"washer", Washer, 20},
    {"junkyard", Junkyard, 24},           {"convex_vs_terrain", ConvexVsTerrain, 21}, {"joint_grid", JointGrid, 100},
};

const char *BenchScene_Name(int i)
{
	return i < COUNT_OF(list) ? list[i].name : NULL;
}

BenchScene *BenchScene_Make(const char *name, int size)
{
	for (int i = 0; i < COUNT_OF(list); i++)
		if (strcmp(list[i].name, name) == 0) {
			BenchScene *scene = calloc(1, sizeof *scene);
			if (!scene)
				abort();
			scene->name = list[i].name;
			scene->driven = -1;
			list[i].make(scene, size > 0 ? size : list[i].size);
			return scene;
		}
	return NULL;
}

void BenchScene_Free(BenchScene *s)
{
	free(s->parts);
	free(s->bodies);
	free(s->joints);
	free(s->ground.heights);
	free(s->ground.vertices);
	free(s->ground.triangles);
	free(s);
}
