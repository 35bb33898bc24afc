/* A program with a LuaJIT of its own that runs scenes: it owns the loop, the script the scene.
 *
 *   cc host.c $(pkg-config --cflags --libs luajit) -o host && ./host scene.lua 5
 *
 * The script is called with "host" and returns a world, and a function of the time that is called before each frame, if
 * it wants one. What it does beyond that is its own business. The host has no need of scree's header: where everything
 * is comes to it as one block of numbers, world:transforms(alpha), in which it looks for what has moved furthest.
 */
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

#include <stdio.h>
#include <stdlib.h>

enum { ON_ERROR = 1, WORLD, UPDATE }; /* places on the stack */

static int AddTraceback(lua_State *lua)
{
	const char *message = lua_tostring(lua, 1);
	luaL_traceback(lua, lua, message ? message : "(an error that is no text)", 1);
	return 1;
}

static void Call(lua_State *lua, int arguments, int results)
{
	if (lua_pcall(lua, arguments, results, ON_ERROR) != 0) {
		fprintf(stderr, "host: %s\n", lua_tostring(lua, -1));
		exit(1);
	}
}

/* Pushes world:name, and the world, as it is called. */
static void PushMethod(lua_State *lua, const char *name)
{
	lua_getfield(lua, WORLD, name);
	lua_pushvalue(lua, WORLD);
}

static void LoadScene(lua_State *lua, const char *path)
{
	if (luaL_loadfile(lua, path) != 0) {
		fprintf(stderr, "host: %s\n", lua_tostring(lua, -1));
		exit(1);
	}
	lua_pushstring(lua, "host");
	Call(lua, 1, 2);
	if (lua_isnil(lua, WORLD)) {
		fprintf(stderr, "host: %s returned no world\n", path);
		exit(1);
	}
}

/* One frame: the script's own, as many steps as the time asks for. The fraction of a step that is left over. */
static double Advance(lua_State *lua, double time, double frame)
{
	if (lua_isfunction(lua, UPDATE)) {
		lua_pushvalue(lua, UPDATE);
		lua_pushnumber(lua, time);
		Call(lua, 1, 0);
	}
	PushMethod(lua, "advance");
	lua_pushnumber(lua, frame);
	Call(lua, 2, 1);
	double alpha = lua_tonumber(lua, -1);
	lua_pop(lua, 1);
	return alpha;
}

/* What a renderer does for each frame. The first result is a cdata pointer, whose value lies where lua_topointer says.
 */
static int Draw(lua_State *lua, double alpha, double *highest)
{
	PushMethod(lua, "transforms");
	lua_pushnumber(lua, alpha);
	Call(lua, 2, 2);
	const double *transforms = *(const double *const *)lua_topointer(lua, -2);
	int count = (int)lua_tointeger(lua, -1);
	*highest = -1e9;
	for (int i = 0; i < count; i++) /* id, x, y, z, qx, qy, qz, qw */
		if (transforms[8 * i + 2] > *highest)
			*highest = transforms[8 * i + 2];
	lua_pop(lua, 2);
	return count;
}

int main(int argc, char **argv)
{
	const double frame = 1.0 / 50; /* not a whole number of steps: a display has its own pace */
	if (argc < 2) {
		fprintf(stderr, "usage: host scene.lua [seconds]\n");
		return 2;
	}
	int frames = (int)((argc > 2 ? atof(argv[2]) : 5) / frame + 0.5);
	lua_State *lua = luaL_newstate();
	if (!lua) {
		fprintf(stderr, "host: out of memory\n");
		return 1;
	}
	luaL_openlibs(lua);
	lua_pushcfunction(lua, AddTraceback);
	LoadScene(lua, argv[1]);
	for (int i = 0; i < frames; i++) {
		double highest, alpha = Advance(lua, i * frame, frame);
		int count = Draw(lua, alpha, &highest);
		if (i % 50 == 49 || i == frames - 1)
			printf("%.2f s: %d assemblies, the highest at %.2f m\n", (i + 1) * frame, count, highest);
	}
	PushMethod(lua, "hash");
	Call(lua, 1, 1);
	printf("hash %s\n", lua_tostring(lua, -1));
	lua_close(lua);
	return 0;
}
