// The same from C++: the header must be good for it.
#include <scree.h>

int main(int argc, char **argv)
{
	ScreeWorldDef def;
	ScreeWorld *world = nullptr;
	scree_world_defaults(&def);
	if (argc != 2 || screeWorld_Create(&def, &world, nullptr, 0) < 0)
		return 1;
	return screeWorld_Destroy(world) == 0 ? 0 : 1;
}
