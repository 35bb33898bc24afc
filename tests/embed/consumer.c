/* What a program of a user does with the installed library: the version of the header is that of the library. */
#include <scree.h>

#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
	ScreeWorldDef def;
	ScreeWorld *world;
	char error[256];
	if (argc != 2 || strcmp(scree_version(), argv[1]) != 0) {
		fprintf(stderr, "the library is version %s\n", scree_version());
		return 1;
	}
	scree_world_defaults(&def);
	if (screeWorld_Create(&def, &world, error, sizeof error) < 0) {
		fprintf(stderr, "%s\n", error);
		return 1;
	}
	int result = screeWorld_Step(world, 1.0 / 60, 60);
	printf("scree %s, %.2f s\n", scree_version(), screeWorld_Time(world));
	return result < 0 || screeWorld_Destroy(world) != 0;
}
