/* The library under test, through its public C functions. */
#include "bench_physics.h"

#include "scree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Scree {
	ScreeWorld *world;
	ScreeId *ids;
	int count;
	const BenchScene *scene;
} Scree;

static void Require(const Scree *s, bool ok)
{
	if (ok)
		return;
	fprintf(stderr, "scree: %s\n", screeWorld_Error(s->world));
	exit(1);
}

static void Copy(double *to, const double *from, int count)
{
	memcpy(to, from, sizeof(double) * (size_t)count);
}

static ScreePart PartOf(const BenchPart *from)
{
	static const int32_t shapes[] = {
	    [BENCH_BALL] = SCREE_BALL, [BENCH_BOX] = SCREE_BOX, [BENCH_CAPSULE] = SCREE_CAPSULE, [BENCH_HULL] = SCREE_HULL};
	ScreePart part;
	scree_part_defaults(&part);
	part.shape = shapes[from->shape];
	Copy(part.size, from->size, 3);
	part.radius = from->radius;
	part.length = from->length;
	part.points = from->points;
	part.point_count = from->point_count;
	Copy(part.position, from->position, 3);
	Copy(part.rotation, from->rotation, 4);
	part.density = BENCH_DENSITY;
	part.friction = BENCH_FRICTION;
	part.restitution = 0.0;
	part.rolling = 0.0;
	return part;
}

static void MakeGround(Scree *s, BenchGround *g)
{
	ScreeMaterial material = {.name = "hills", .density = 2600.0, .friction = BENCH_FRICTION};
	int32_t index = screeWorld_PutMaterial(s->world, &material);
	Require(s, index >= 0);
	ScreeHeightmap map;
	scree_heightmap_defaults(&map);
	map.heights = g->heights;
	map.width = map.depth = g->width;
	map.spacing = g->spacing;
	map.position[0] = map.position[2] = -0.5 * g->spacing * (g->width - 1);
	map.bottom = g->bottom;
	map.layer_count = 1;
	map.layer_material[0] = index;
	Require(s, screeTerrain_FillHeightmap(s->world, &map) >= 0);
	if (g->vertices)
		return;
	ScreeMesh *mesh;
	Require(s, screeTerrain_Mesh(s->world, NULL, NULL, &mesh) >= 0);
	g->vertex_count = (int)mesh->vertex_count;
	g->triangle_count = (int)mesh->triangle_count;
	g->vertices = malloc(sizeof(float) * 3 * (size_t)g->vertex_count);
	g->triangles = malloc(sizeof(uint32_t) * 3 * (size_t)g->triangle_count);
	if (!g->vertices || !g->triangles)
		abort();
	for (int i = 0; i < 3 * g->vertex_count; i++)
		g->vertices[i] = (float)mesh->positions[i];
	memcpy(g->triangles, mesh->indices, sizeof(uint32_t) * 3 * (size_t)g->triangle_count);
	screeMesh_Free(s->world, mesh);
}

static void AddJoint(Scree *s, const BenchJoint *from)
{
	ScreeJointDef def;
	ScreeId id;
	scree_joint_defaults(&def);
	def.type = SCREE_JOINT_BALL;
	def.a = s->ids[from->a];
	def.b = s->ids[from->b];
	def.has_at = 1;
	Copy(def.at, from->at, 3);
	Require(s, screeJoint_Create(s->world, &def, &id) >= 0);
}

static void *Open(BenchScene *scene, int threads)
{
	Scree *s = calloc(1, sizeof *s);
	ScreeId *ids = malloc(sizeof(ScreeId) * (size_t)scene->body_count);
	ScreePart *parts = malloc(sizeof(ScreePart) * (size_t)scene->part_count);
	if (!s || !ids || !parts)
		abort();
	char error[256];
	ScreeWorldDef def;
	scree_world_defaults(&def);
	def.threads = threads;
	def.gravity[1] = -BENCH_GRAVITY;
	def.sleep.enabled = 0;
	if (scene->ground.width > 0)
		def.cell_size = scene->ground.spacing;
	if (screeWorld_Create(&def, &s->world, error, sizeof error) < 0) {
		fprintf(stderr, "scree: %s\n", error);
		exit(1);
	}
	s->ids = ids;
	s->scene = scene;
	if (scene->ground.width > 0)
		MakeGround(s, &scene->ground);
	for (int i = 0; i < scene->part_count; i++)
		parts[i] = PartOf(&scene->parts[i]);
	for (int i = 0; i < scene->body_count; i++) {
		static const int32_t motions[] = {
		    [BENCH_STATIC] = SCREE_STATIC, [BENCH_KINEMATIC] = SCREE_KINEMATIC, [BENCH_DYNAMIC] = SCREE_DYNAMIC};
		const BenchBody *body = &scene->bodies[i];
		ScreeAssemblyDef made;
		scree_assembly_defaults(&made);
		Copy(made.position, body->position, 3);
		Copy(made.rotation, body->rotation, 4);
		made.motion = motions[body->motion];
		made.parts = parts + body->first_part;
		made.part_count = body->part_count;
		Require(s, screeAssembly_Create(s->world, &made, &ids[i]) >= 0);
	}
	free(parts);
	for (int i = 0; i < scene->joint_count; i++)
		AddJoint(s, &scene->joints[i]);
	return s;
}

static void Step(void *world, const BenchScene *scene, int step)
{
	Scree *s = world;
	if (scene->drive) {
		double position[3], rotation[4];
		scene->drive(step + 1, position, rotation);
		Require(s, screeAssembly_MoveTo(s->world, s->ids[scene->driven], position, rotation, BENCH_DT) >= 0);
	}
	Require(s, screeWorld_Step(s->world, BENCH_DT, 1) >= 0);
}

static void Close(void *world)
{
	Scree *s = world;
	if (screeWorld_Destroy(s->world) != 0.0)
		fprintf(stderr, "scree: bytes are missing\n");
	free(s->ids);
	free(s);
}

static void Look(void *world, double *height, double *speed)
{
	Scree *s = world;
	int count = 0;
	*height = *speed = 0.0;
	for (int i = 0; i < s->scene->body_count; i++) {
		double p[3], v[3];
		if (s->scene->bodies[i].motion != BENCH_DYNAMIC)
			continue;
		screeAssembly_GetPosition(s->world, s->ids[i], p);
		screeAssembly_GetVelocity(s->world, s->ids[i], v);
		double square = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
		*height += p[1];
		*speed = square > *speed ? square : *speed;
		count++;
	}
	*height /= count > 0 ? count : 1;
	*speed = __builtin_sqrt(*speed);
}

static int Contacts(void *world)
{
	Scree *s = world;
	ScreeStats stats;
	screeWorld_Stats(s->world, &stats);
	return stats.points;
}

static int Stages(void *world, const char **names, double *ms)
{
	Scree *s = world;
	ScreeStats stats;
	screeWorld_Stats(s->world, &stats);
	int count = 0;
	for (; count < BENCH_STAGES && screeWorld_StageName(count); count++) {
		names[count] = screeWorld_StageName(count);
		ms[count] = stats.stage_ms[count];
	}
	return count;
}

const BenchEngine bench_scree_physics = {"scree", Open, Step, Close, Look, Contacts, Stages};
