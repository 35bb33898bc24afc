/* The C API by sequences of calls. Each byte chooses a call, the next ones its arguments: live, stale and made-up
 * handles, usable and impossible numbers. A call that fails must change nothing, no position may be lost to a number
 * that is none, a step must lose no matter of ground and pieces, the world's structures must agree with each other, and
 * the same calls must give the same world on one thread and on two. */
#include "play.h"

#include <unistd.h>

static void CheckStructure(ScreeWorld *world)
{
	char why[200] = "";
	bool sound = World_Validate(world->world, why, sizeof why);
	if (!sound && why[0] != 0)
		fprintf(stderr, "%s\n", why);
	REQUIRE(sound || why[0] == 0); /* without a reason: no memory to find out */
}

static int32_t Keep(Play *p)
{
	const void *data;
	double size;
	int32_t code = screeWorld_Snapshot(p->world, p, 8, &data, &size);
	if (code != SCREE_OK)
		return code;
	void *copy = malloc((size_t)size);
	REQUIRE(copy);
	memcpy(copy, data, (size_t)size);
	free((void *)(uintptr_t)p->snapshot);
	p->snapshot = copy;
	p->snapshot_size = size;
	return SCREE_OK;
}

static int32_t GoBack(Play *p)
{
	const void *script;
	double size;
	if (!p->snapshot)
		return SCREE_OK;
	int32_t code = screeWorld_Restore(p->world, p->snapshot, p->snapshot_size, &script, &size);
	REQUIRE(code != SCREE_OK || size == 8.0);
	return code == SCREE_BAD_FILE ? SCREE_OK : code; /* its cells may be kept no longer */
}

/* To a file and back: the same world. */
static int32_t SaveAndLoad(Play *p)
{
	char path[64], error[200], a[17], b[17];
	FuzzMemory ceiling = {.left = CEILING};
	ScreeWorld *other;
	snprintf(path, sizeof path, P_tmpdir "/scree-fuzz-calls-%d", (int)getpid());
	int32_t code = screeWorld_Save(p->world, path, 1, p, 8);
	if (code != SCREE_OK)
		return code;
	code = screeWorld_Load(path, 1, FuzzMemory_Resize, &ceiling, &other, NULL, NULL, error, sizeof error);
	unlink(path);
	if (code == SCREE_OUT_OF_MEMORY)
		return SCREE_OK;
	REQUIRE(code == SCREE_OK);
	screeWorld_Hash(p->world, a);
	screeWorld_Hash(other, b);
	REQUIRE(strcmp(a, b) == 0);
	CheckStructure(other);
	REQUIRE(screeWorld_Destroy(other) == 0.0 && ceiling.left == CEILING);
	return SCREE_OK;
}

/* Matter of all materials in the ground and in pieces. */
static void Matter(Play *p, double sums[256])
{
	static ScreeId ids[MOST_LISTED];
	double box[6], part[256];
	memset(sums, 0, sizeof(double) * 256);
	if (screeTerrain_Bounds(p->world, box) == 1)
		REQUIRE(screeTerrain_Matter(p->world, box, box + 3, sums) == SCREE_OK);
	int count = screeWorld_Assemblies(p->world, ids, MOST_LISTED);
	for (int i = 0; i < count && i < MOST_LISTED; i++) {
		REQUIRE(screeAssembly_Cells(p->world, ids[i], NULL, part) >= 0);
		for (int m = 0; m < 256; m++)
			sums[m] += part[m];
	}
}

static bool SomeVanished(Play *p)
{
	const ScreeEvent *events;
	int count = screeWorld_Events(p->world, &events);
	for (int i = 0; i < count; i++)
		if (events[i].kind == SCREE_DETACH && events[i].a == 0.0)
			return true;
	return false;
}

/* Steps one by one. */
static int32_t Step(Play *p)
{
	int count = 1 + Input_Below(&p->in, 8);
	double dt = Input_Below(&p->in, 8) == 0 ? Input_Number(&p->in) : 1.0 / 60.0, before[256], after[256];
	p->is_step = true;
	for (int i = 0; i < count && p->steps < MOST_STEPS; i++, p->steps++) {
		Matter(p, before);
		int32_t code = screeWorld_Step(p->world, dt, 1);
		Matter(p, after);
		bool full = screeWorld_Assemblies(p->world, NULL, 0) > MOST_LISTED;
		for (int m = 0; m < 256 && !full && !SomeVanished(p); m++)
			REQUIRE(before[m] == after[m]);
		if (code != SCREE_OK)
			return code;
	}
	return SCREE_OK;
}

static int32_t Call(Play *p)
{
	int kind = Input_Below(&p->in, 20);
	if (kind < 4)
		return Play_Spawn(p);
	if (kind < 7)
		return Play_Change(p, Input_Below(&p->in, CHANGE_COUNT));
	if (kind < 10)
		return Play_Edit(p, Input_Below(&p->in, EDIT_COUNT));
	if (kind < 12)
		return Play_Join(p);
	if (kind == 12) {
		Play_Ask(p, Input_Below(&p->in, ASK_COUNT));
		return SCREE_OK;
	}
	if (kind == 13)
		return Input_Below(&p->in, 2) ? Keep(p) : GoBack(p);
	if (kind == 14)
		return Play_SetJoint(p);
	if (kind < 18)
		return Play_Break(p, Input_Below(&p->in, BREAK_COUNT));
	if (kind == 18 && Input_Below(&p->in, 4) == 0)
		return SaveAndLoad(p);
	return Step(p);
}

/* ---- a whole play -------------------------------------------------------------------------------------------- */

/* Call, with what it must leave as it is. */
static void CallAndCheck(Play *p)
{
	char before[17], after[17];
	screeWorld_Hash(p->world, before);
	p->is_step = false;
	int32_t code = Call(p);
	if (code >= 0 || (p->is_step && code != SCREE_BAD_ARGUMENT))
		return;
	REQUIRE(screeWorld_Error(p->world)[0] != 0);
	screeWorld_Hash(p->world, after);
	REQUIRE(strcmp(before, after) == 0);
}

static void CheckBodies(Play *p)
{
	for (int i = 0; i < p->body_count; i++) {
		double at[3], turn[4];
		if (!screeAssembly_IsValid(p->world, p->bodies[i]))
			continue;
		REQUIRE(screeAssembly_GetPosition(p->world, p->bodies[i], at) == SCREE_OK);
		REQUIRE(screeAssembly_GetRotation(p->world, p->bodies[i], turn) == SCREE_OK);
		REQUIRE(at[0] - at[0] == 0.0 && at[1] - at[1] == 0.0 && at[2] - at[2] == 0.0);
		double length = turn[0] * turn[0] + turn[1] * turn[1] + turn[2] * turn[2] + turn[3] * turn[3];
		REQUIRE(length > 0.999 && length < 1.001);
	}
}

static void Run(const uint8_t *data, size_t size, int threads, char hash[17])
{
	char error[200];
	FuzzMemory ceiling = {.left = CEILING};
	ScreeWorldDef def;
	Play p = {.in = {.data = data, .size = size}};
	scree_world_defaults(&def);
	def.threads = threads;
	def.narrowphase = Input_Below(&p.in, 2);
	def.sleep.rule = Input_Below(&p.in, 8) == 0;
	def.resize = FuzzMemory_Resize;
	def.resize_user = &ceiling;
	REQUIRE(screeWorld_Create(&def, &p.world, error, sizeof error) == SCREE_OK);
	for (int i = 0; i < MOST_CALLS && p.in.at < p.in.size; i++) {
		CallAndCheck(&p);
		if (i % 16 == 15)
			CheckStructure(p.world);
	}
	REQUIRE(screeWorld_Step(p.world, 1.0 / 60.0, 2) != SCREE_BAD_ARGUMENT);
	CheckBodies(&p);
	CheckStructure(p.world);
	screeWorld_Hash(p.world, hash);
	free((void *)(uintptr_t)p.snapshot);
	REQUIRE(screeWorld_Destroy(p.world) == 0.0);
	REQUIRE(threads > 1 || ceiling.left == CEILING);
}

void FuzzOne(const uint8_t *data, size_t size)
{
	char one[17] = "", two[17] = "";
	if (size == 0)
		return;
	Run(data + 1, size - 1, 1, one);
	if (data[0] % 4 == 0) {
		Run(data + 1, size - 1, 2, two);
		REQUIRE(strcmp(one, two) == 0);
	}
}
