/* scree from C alone: ground, a row of crates that a ball runs into, steps, and a ray.
 *
 *   cc plain.c $(pkg-config --cflags --libs scree) -o plain && ./plain
 */
#include <scree.h>

#include <stdio.h>
#include <stdlib.h>

/* Every call that can fail says so with a negative result, and the world says why. */
static int Check(ScreeWorld *world, int result)
{
	if (result >= 0)
		return result;
	fprintf(stderr, "plain: %s\n", screeWorld_Error(world));
	exit(1);
}

static ScreeWorld *MakeWorld(void)
{
	ScreeWorld *world;
	ScreeWorldDef def;
	char error[256];
	scree_world_defaults(&def);
	if (screeWorld_Create(&def, &world, error, sizeof error) < 0) {
		fprintf(stderr, "plain: %s\n", error);
		exit(1);
	}
	return world;
}

static void FillGround(ScreeWorld *world)
{
	ScreeFill fill = {.brush = SCREE_BRUSH_BOX, .mode = SCREE_SET, .position = {0, -2, 0}, .size = {40, 4, 40}};
	fill.material = Check(world, screeWorld_FindMaterial(world, "grass"));
	fill.rotation[3] = 1;
	Check(world, screeTerrain_Fill(world, &fill));
}

static ScreeId Spawn(ScreeWorld *world, ScreePart part, const char *material, double x, double y, double z)
{
	ScreeAssemblyDef def;
	ScreeId id;
	scree_assembly_defaults(&def);
	part.material = Check(world, screeWorld_FindMaterial(world, material));
	def.parts = &part;
	def.part_count = 1;
	def.position[0] = x, def.position[1] = y, def.position[2] = z;
	Check(world, screeAssembly_Create(world, &def, &id));
	return id;
}

int main(void)
{
	ScreeWorld *world = MakeWorld();
	ScreePart crate, ball;
	double place[3];
	FillGround(world);
	scree_part_defaults(&crate);
	crate.shape = SCREE_BOX;
	crate.size[0] = crate.size[1] = crate.size[2] = 1;
	scree_part_defaults(&ball);
	ball.radius = 0.75;
	for (int i = 0; i < 5; i++)
		Spawn(world, crate, "wood", 1.5 * i, 0.5, 0);
	ScreeId runner = Spawn(world, ball, "rock", -8, 0.75, 0.2);
	Check(world, screeAssembly_SetVelocity(world, runner, 12, 0, 0));

	Check(world, screeWorld_Step(world, 1.0 / 60, 180));

	Check(world, screeAssembly_GetPosition(world, runner, place));
	printf("after %.1f s the ball is at %.3f %.3f %.3f\n", screeWorld_Time(world), place[0], place[1], place[2]);
	const double *transforms;
	int count = Check(world, screeWorld_Transforms(world, &transforms));
	for (int i = 0; i < count; i++) /* 8 numbers each: id, position, rotation */
		printf("%d: %.3f %.3f %.3f\n", i, transforms[8 * i + 1], transforms[8 * i + 2], transforms[8 * i + 3]);

	ScreeHit hit;
	const double from[3] = {place[0], 20, place[2]}, to[3] = {place[0], -20, place[2]};
	if (Check(world, screeWorld_Raycast(world, from, to, NULL, &hit)) == 1)
		printf("from above one meets the %s at a height of %.3f m\n", hit.assembly == runner ? "ball" : "rest",
		       hit.position[1]);

	char hash[17];
	Check(world, screeWorld_Hash(world, hash));
	printf("hash %s\n", hash);
	return screeWorld_Destroy(world) == 0 ? 0 : 1; /* the bytes that were not given back */
}
