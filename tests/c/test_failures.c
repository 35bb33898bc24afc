/* Every allocation fails once. A scene is a list of acts, calls of the public API; each act is tried with no allocation
 * allowed, with one, with two and so on, until it goes through. Each failure must be told as what it is and leave the
 * world as it was, so that in the end the world is bit for bit the one in which nothing ever failed. */
#include "base/base.h"
#include "failing_memory.h"
#include "scree.h"
#include "test_scale.h"

#include <check.h>
#include <stdio.h>
#include <unistd.h>

#define MOST_TRIES 200000

typedef struct Stage {
	FailingMemory memory;
	ScreeWorld *world;
	ScreeId bodies[64], joints[8];
	int body_count, joint_count, table;
	char *kept; /* a snapshot */
	double kept_size;
	char path[64];
} Stage;

typedef int32_t Act(Stage *stage);

/* ---- acts -------------------------------------------------------------------------------------------------------- */

static int32_t Floor(Stage *s)
{
	ScreeFill fill = {.brush = SCREE_BRUSH_BOX, .rotation = {0, 0, 0, 1}, .size = {40, 6, 40}, .position = {0, -3, 0}};
	fill.material = screeWorld_FindMaterial(s->world, "grass");
	return screeTerrain_Fill(s->world, &fill);
}

static int32_t Hill(Stage *s)
{
	ScreeFill fill = {.brush = SCREE_BRUSH_BALL, .rotation = {0, 0, 0, 1}, .radius = 7.3, .position = {4, -3, 2}};
	fill.material = screeWorld_FindMaterial(s->world, "rock");
	return screeTerrain_Fill(s->world, &fill);
}

static int32_t Pond(Stage *s)
{
	ScreeFill fill = {
	    .brush = SCREE_BRUSH_BOX, .rotation = {0, 0, 0, 1}, .size = {12, 1.5, 12}, .position = {-9, 0.7, 4}};
	fill.material = screeWorld_FindMaterial(s->world, "water");
	return screeTerrain_Fill(s->world, &fill);
}

static int32_t Dig(Stage *s)
{
	ScreeFill fill = {.brush = SCREE_BRUSH_BALL, .rotation = {0, 0, 0, 1}, .radius = 2.6, .position = {0, 0, 0}};
	return screeTerrain_Fill(s->world, &fill);
}

static int32_t Smooth(Stage *s)
{
	const double center[3] = {4, 3, 2};
	return screeTerrain_Smooth(s->world, center, 4.0, 0.7);
}

static int32_t Grow(Stage *s)
{
	const double center[3] = {-4, 0, -4};
	return screeTerrain_Grow(s->world, center, 3.0, 0.6, -1);
}

static int32_t Group(Stage *s)
{
	return screeTerrain_BeginUndo(s->world, "act");
}

static int32_t Undo(Stage *s)
{
	char name[SCREE_UNDO_NAME];
	int32_t code = screeTerrain_Undo(s->world, name);
	return code > 0 ? SCREE_OK : code;
}

static int32_t Redo(Stage *s)
{
	char name[SCREE_UNDO_NAME];
	int32_t code = screeTerrain_Redo(s->world, name);
	return code > 0 ? SCREE_OK : code;
}

static const double corners[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 0.7};

/* The n-th body has the shape that is its turn. */
static int32_t Spawn(Stage *s)
{
	static const int32_t shapes[] = {SCREE_BALL,  SCREE_BOX,      SCREE_CAPSULE, SCREE_HULL,
	                                 SCREE_WEDGE, SCREE_CYLINDER, SCREE_CONE};
	ScreePart parts[2];
	ScreeAssemblyDef def;
	int n = s->body_count;
	scree_assembly_defaults(&def);
	for (int i = 0; i < 2; i++) {
		scree_part_defaults(&parts[i]);
		parts[i].shape = shapes[(n + i) % COUNT_OF(shapes)];
		parts[i].radius = 0.4;
		parts[i].length = 0.7;
		parts[i].size[0] = parts[i].size[1] = parts[i].size[2] = 0.8;
		parts[i].points = corners;
		parts[i].point_count = 5;
		parts[i].position[1] = 0.9 * i;
	}
	def.parts = parts;
	def.part_count = 1 + n % 2;
	def.position[0] = n % 5 * 1.3 - 3.0;
	def.position[1] = 3.0 + n / 5 * 1.4;
	def.position[2] = n % 3 * 1.1 - 1.0;
	int32_t code = screeAssembly_Create(s->world, &def, &s->bodies[n]);
	s->body_count += code == SCREE_OK;
	return code;
}

static int32_t SpawnMesh(Stage *s)
{
	static const uint32_t faces[] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2};
	ScreePart part;
	ScreeAssemblyDef def;
	scree_assembly_defaults(&def);
	scree_part_defaults(&part);
	part.shape = SCREE_MESH;
	part.points = corners;
	part.point_count = 4;
	part.indices = faces;
	part.triangle_count = 4;
	part.scale[0] = part.scale[1] = part.scale[2] = 3.0;
	def.parts = &part;
	def.part_count = 1;
	def.motion = SCREE_STATIC;
	def.position[0] = 6.0;
	int32_t code = screeAssembly_Create(s->world, &def, &s->bodies[s->body_count]);
	s->body_count += code == SCREE_OK;
	return code;
}

static int32_t Join(Stage *s)
{
	static const int32_t types[] = {SCREE_JOINT_HINGE, SCREE_JOINT_BALL, SCREE_JOINT_ROPE, SCREE_JOINT_WELD};
	ScreeJointDef def;
	int n = s->joint_count;
	scree_joint_defaults(&def);
	def.type = types[n % COUNT_OF(types)];
	def.a = s->bodies[n];
	def.b = s->bodies[n + 1];
	def.axis[2] = 1.0;
	int32_t code = screeJoint_Create(s->world, &def, &s->joints[n]);
	s->joint_count += code == SCREE_OK;
	return code;
}

static int32_t Step(Stage *s)
{
	return screeWorld_Step(s->world, 1.0 / 60.0, 1);
}

static int32_t Push(Stage *s)
{
	const double impulse[3] = {900, 0, 300};
	return screeAssembly_ApplyImpulse(s->world, s->bodies[0], impulse, NULL);
}

static int32_t Change(Stage *s)
{
	ScreePart part;
	int32_t code = screeAssembly_GetPart(s->world, s->bodies[1], 0, &part);
	part.friction = 0.1;
	return code ? code : screeAssembly_SetPart(s->world, s->bodies[1], 0, &part);
}

static int32_t Remove(Stage *s)
{
	return screeAssembly_Destroy(s->world, s->bodies[2]);
}

static int32_t Paint(Stage *s)
{
	ScreeMaterial paint = {.name = "paint", .density = 900, .friction = 0.4};
	int32_t code = screeWorld_PutMaterial(s->world, &paint);
	return code >= 0 ? SCREE_OK : code;
}

static int32_t Ask(Stage *s)
{
	const double from[3] = {0.2, 30, 0.3}, to[3] = {0.1, -30, 0.1};
	const ScreeHit *hits;
	const ScreeId *ids;
	ScreePart ball;
	ScreeHit hit;
	const double *transforms;
	scree_part_defaults(&ball);
	int32_t code = screeWorld_RaycastAll(s->world, from, to, NULL, &hits);
	if (code >= 0)
		code = screeWorld_Cast(s->world, &ball, from, to, NULL, &hit);
	if (code >= 0)
		code = screeWorld_Overlap(s->world, &ball, to, NULL, &ids, NULL, NULL);
	if (code >= 0)
		code = screeWorld_Transforms(s->world, &transforms);
	return code >= 0 ? SCREE_OK : code;
}

static int32_t Surface(Stage *s)
{
	ScreeMesh *mesh;
	int32_t code = screeTerrain_Mesh(s->world, NULL, NULL, &mesh);
	if (code == SCREE_OK)
		screeMesh_Free(s->world, mesh);
	return code;
}

static int32_t Keep(Stage *s)
{
	const void *data;
	double size;
	int32_t code = screeWorld_Snapshot(s->world, "script", 6, &data, &size);
	if (code != SCREE_OK)
		return code;
	free(s->kept);
	s->kept = malloc((size_t)size);
	memcpy(s->kept, data, (size_t)size);
	s->kept_size = size;
	return SCREE_OK;
}

static int32_t GoBack(Stage *s)
{
	const void *script;
	double size;
	return screeWorld_Restore(s->world, s->kept, s->kept_size, &script, &size);
}

static int32_t Save(Stage *s)
{
	return screeWorld_Save(s->world, s->path, 1, NULL, 0);
}

static int32_t Load(Stage *s)
{
	ScreeWorld *other = NULL;
	char error[200], a[17], b[17];
	int32_t code =
	    screeWorld_Load(s->path, 1, FailingMemory_Resize, &s->memory, &other, NULL, NULL, error, sizeof error);
	if (code != SCREE_OK)
		return code;
	s->memory.left = -1;
	ck_assert(screeWorld_Hash(s->world, a) == SCREE_OK && screeWorld_Hash(other, b) == SCREE_OK);
	ck_assert_str_eq(a, b);
	ck_assert(screeWorld_Destroy(other) == 0.0);
	return SCREE_OK;
}

static int32_t SaveGround(Stage *s)
{
	return screeTerrain_Save(s->world, s->path, 1);
}

static int32_t LoadGround(Stage *s)
{
	return screeTerrain_Load(s->world, s->path, 0, NULL);
}

static int32_t Export(Stage *s)
{
	char path[80];
	ScreeExport out;
	snprintf(path, sizeof path, "%s.glb", s->path);
	int32_t code = screeTerrain_Export(s->world, path, NULL, NULL, &out);
	unlink(path);
	return code;
}

static int32_t Clear(Stage *s)
{
	return screeTerrain_Clear(s->world);
}

/* ---- what breaks ------------------------------------------------------------------------------------------------- */

/* Of two tables the next foot or board. */
static int32_t Table(Stage *s)
{
	static const double boxes[][6] = {{0, 2, 0, 2, 4, 2}, {0, 5, 0, 7, 2, 7}, {12, 2, 0, 2, 4, 2}, {12, 5, 0, 5, 2, 5}};
	ScreeFill fill = {.brush = SCREE_BRUSH_BOX, .rotation = {0, 0, 0, 1}};
	fill.material = screeWorld_FindMaterial(s->world, s->table % 2 ? "rock" : "wood");
	memcpy(fill.position, boxes[s->table], sizeof fill.position);
	memcpy(fill.size, boxes[s->table] + 3, sizeof fill.size);
	int32_t code = screeTerrain_Fill(s->world, &fill);
	s->table += code == SCREE_OK;
	return code;
}

static int32_t Loose(Stage *s)
{
	const ScreeDetach detach = {1, 3, 1};
	return screeTerrain_SetDetach(s->world, &detach);
}

static int32_t Anchor(Stage *s)
{
	const double min[3] = {-20, -6, -20}, max[3] = {19, -6, 19};
	return screeTerrain_Anchor(s->world, min, max);
}

static int32_t CutFoot(Stage *s)
{
	ScreeFill fill = {.brush = SCREE_BRUSH_BOX, .rotation = {0, 0, 0, 1}, .size = {4, 1, 4}, .position = {0, 1.5, 0}};
	return screeTerrain_Fill(s->world, &fill);
}

static int32_t DigFoot(Stage *s)
{
	const double center[3] = {12, 2, 0};
	return screeTerrain_Dig(s->world, center, 2.2, 60.0);
}

static int32_t Blast(Stage *s)
{
	const ScreeId *ids;
	const ScreeBlast blast = {{0.5, 4.5, 0.3}, 7.0, 30.0, 4000.0};
	int32_t count = screeWorld_Blast(s->world, &blast, &ids);
	return count < 0 ? count : SCREE_OK;
}

static int32_t ComeOff(Stage *s)
{
	const ScreeId *ids;
	int32_t count = screeTerrain_DetachAll(s->world, &ids);
	return count < 0 ? count : SCREE_OK;
}

/* The piece that is last in order. */
static int32_t PutBack(Stage *s)
{
	ScreeId ids[512];
	for (int i = screeWorld_Assemblies(s->world, ids, 512) - 1; i >= 0; i--)
		if (screeAssembly_Cells(s->world, ids[i], NULL, NULL) == 1)
			return screeAssembly_ToTerrain(s->world, ids[i]);
	ck_abort_msg("there is no piece");
	return SCREE_OK;
}

static int32_t Rest(Stage *s)
{
	return screeAssembly_Sleep(s->world, s->bodies[s->body_count - 1]);
}

/* ---- what comes from files --------------------------------------------------------------------------------------- */

static int32_t ImportAs(Stage *s, const char *ending, int32_t (*import)(Stage *, const char *))
{
	char path[80];
	ScreeExport out;
	long left = s->memory.left;
	snprintf(path, sizeof path, "%s.%s", s->path, ending);
	s->memory.left = -1;
	ck_assert(screeTerrain_Export(s->world, path, NULL, NULL, &out) == SCREE_OK);
	s->memory.left = left;
	int32_t code = import(s, path);
	unlink(path);
	return code;
}

static int32_t TakeVox(Stage *s, const char *path)
{
	ScreeVoxImport import;
	scree_vox_import_defaults(&import);
	import.at[1] = 40;
	return screeTerrain_ImportVox(s->world, path, &import);
}

static int32_t TakeMesh(Stage *s, const char *path)
{
	ScreeMeshImport import;
	scree_mesh_import_defaults(&import);
	import.position[1] = 40;
	import.scale[0] = import.scale[1] = import.scale[2] = 0.5;
	import.material = screeWorld_FindMaterial(s->world, "sand");
	return screeTerrain_ImportMesh(s->world, path, &import);
}

static int32_t ImportVox(Stage *s)
{
	return ImportAs(s, "vox", TakeVox);
}

static int32_t ImportStl(Stage *s)
{
	return ImportAs(s, "stl", TakeMesh);
}

static int32_t ImportGlb(Stage *s)
{
	return ImportAs(s, "glb", TakeMesh);
}

static int32_t Heights(Stage *s)
{
	double heights[36];
	ScreeHeightmap map;
	scree_heightmap_defaults(&map);
	for (int i = 0; i < 36; i++)
		heights[i] = i % 7 * 0.4;
	map.heights = heights;
	map.width = map.depth = 6;
	map.spacing = 2.5;
	return screeTerrain_FillHeightmap(s->world, &map);
}

/* ---- scenes ------------------------------------------------------------------------------------------------------ */

static Act *const pile[] = {Floor, Spawn, Spawn, Spawn, Spawn, Spawn,  Spawn, Spawn,  Spawn, Spawn, Step,    Step,
                            Step,  Step,  Push,  Step,  Step,  Change, Step,  Remove, Step,  Ask,   Surface, Step};
static Act *const quarry[] = {Group, Floor,      Hill,  Spawn, Spawn,      Step, Group, Dig,
                              Step,  Smooth,     Grow,  Step,  Undo,       Step, Redo,  Step,
                              Paint, SaveGround, Clear, Step,  LoadGround, Step, Export};
static Act *const pond[] = {Floor, Pond, Spawn, Spawn, SpawnMesh, Spawn,  Spawn, Join, Join, Join, Step,
                            Step,  Keep, Dig,   Step,  Step,      GoBack, Step,  Save, Load, Step};

static Act *const breaks[] = {Floor,   Pond,    Table, Table, Table,   Table, Spawn,  Spawn, Anchor,  Loose, Step,
                              Rest,    CutFoot, Step,  Keep,  DigFoot, Step,  Step,   Blast, Step,    Ask,   Rest,
                              PutBack, Step,    Save,  Load,  ComeOff, Step,  GoBack, Step,  PutBack, Step};
static Act *const imports[] = {Heights, ImportVox, Step, Clear, Floor, Hill, ImportStl, Spawn, Step, ImportGlb, Step};

typedef struct Scene {
	const char *name;
	Act *const *acts;
	int count;
} Scene;

static const Scene scenes[] = {
    {"pile", pile, COUNT_OF(pile)},       {"quarry", quarry, COUNT_OF(quarry)},    {"pond", pond, COUNT_OF(pond)},
    {"breaks", breaks, COUNT_OF(breaks)}, {"imports", imports, COUNT_OF(imports)},
};

static void Begin(Stage *s, int threads)
{
	ScreeWorldDef def;
	char error[200];
	*s = (Stage){0};
	FailingMemory_Init(&s->memory, -1);
	snprintf(s->path, sizeof s->path, P_tmpdir "/scree-failures-%d", (int)getpid());
	scree_world_defaults(&def);
	def.threads = threads;
	def.resize = FailingMemory_Resize;
	def.resize_user = &s->memory;
	ck_assert(screeWorld_Create(&def, &s->world, error, sizeof error) == SCREE_OK);
}

static void End(Stage *s)
{
	s->memory.left = -1;
	ck_assert(screeWorld_Destroy(s->world) == 0.0);
	free(s->kept);
	unlink(s->path);
}

static void Hash(Stage *s, char out[17])
{
	s->memory.left = -1;
	ck_assert(screeWorld_Hash(s->world, out) == SCREE_OK);
}

/* A step may stop half-way between its stages. Then the world must be one that can go back. */
static void Repair(Stage *s, const void *kept, double size)
{
	const void *script;
	double script_size;
	s->memory.left = -1;
	ck_assert_msg(screeWorld_Restore(s->world, kept, size, &script, &script_size) == SCREE_OK, "%s",
	              screeWorld_Error(s->world));
}

static void *Remember(Stage *s, double *size)
{
	const void *data;
	s->memory.left = -1;
	ck_assert(screeWorld_Snapshot(s->world, NULL, 0, &data, size) == SCREE_OK);
	void *copy = malloc((size_t)*size);
	ck_assert_ptr_nonnull(copy);
	return memcpy(copy, data, (size_t)*size);
}

/* The act with ever more memory; under sanitizers, beyond the first allocations, not of every number of them. How often
 * it failed. */
static int Insist(Stage *s, const Scene *scene, int act)
{
	char before[17], after[17];
	double size = 0;
	void *kept = scene->acts[act] == Step ? Remember(s, &size) : NULL;
	Hash(s, before);
	for (int tries = 0, failures = 0; tries < MOST_TRIES; tries += tries < 20 ? 1 : TEST_STEP, failures++) {
		s->memory.left = tries;
		s->memory.failed = false;
		int32_t code = scene->acts[act](s);
		if (code == SCREE_OK) {
			free(kept);
			return failures;
		}
		ck_assert_msg(code == SCREE_OUT_OF_MEMORY && s->memory.failed, "%s, act %d, allocation %d: code %d, \"%s\"",
		              scene->name, act, tries, code, screeWorld_Error(s->world));
		if (kept)
			Repair(s, kept, size);
		Hash(s, after);
		ck_assert_msg(strcmp(before, after) == 0, "%s, act %d, allocation %d: the world has changed", scene->name, act,
		              tries);
	}
	ck_abort_msg("%s, act %d: never goes through", scene->name, act);
	return 0;
}

START_TEST(test_every_allocation)
{
	const Scene *scene = &scenes[_i];
	Stage plain, hard;
	char want[17], got[17];
	int failures = 0;
	Begin(&plain, 1);
	Begin(&hard, 1);
	for (int i = 0; i < scene->count; i++) {
		ck_assert_msg(scene->acts[i](&plain) == SCREE_OK, "%s, act %d: %s", scene->name, i,
		              screeWorld_Error(plain.world));
		failures += Insist(&hard, scene, i);
		Hash(&plain, want);
		Hash(&hard, got);
		ck_assert_msg(strcmp(want, got) == 0, "%s, act %d: not the world in which nothing failed", scene->name, i);
	}
	ck_assert_msg(failures > LESS(50), "%s: only %d allocations failed", scene->name, failures);
	End(&plain);
	End(&hard);
}
END_TEST

/* From the very first one: the world itself. */
START_TEST(test_creation)
{
	for (int tries = 0;; tries++) {
		FailingMemory memory;
		ScreeWorldDef def;
		ScreeWorld *world = NULL;
		char error[200] = "";
		FailingMemory_Init(&memory, tries);
		scree_world_defaults(&def);
		def.resize = FailingMemory_Resize;
		def.resize_user = &memory;
		int32_t code = screeWorld_Create(&def, &world, error, sizeof error);
		if (code == SCREE_OK) {
			ck_assert_int_gt(tries, 3);
			ck_assert(screeWorld_Destroy(world) == 0.0);
			return;
		}
		ck_assert_int_eq(code, SCREE_OUT_OF_MEMORY);
		ck_assert_ptr_null(world);
		ck_assert_str_ne(error, "");
	}
}
END_TEST

Suite *suite_failures(void)
{
	Suite *suite = suite_create("failures");
	TCase *tests = tcase_create("failures");
	tcase_add_loop_test(tests, test_every_allocation, 0, COUNT_OF(scenes));
	tcase_add_test(tests, test_creation);
	suite_add_tcase(suite, tests);
	return suite;
}
