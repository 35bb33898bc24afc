/* The same work as tests/bench/face.lua times, by functions of Lua's C API: userdata that is checked at every call, and
 * numbers that go over the stack. A module that LuaJIT loads; the library's own functions are called through scree.h.
 */
#include <lauxlib.h>
#include <lua.h>
#include <stdlib.h>

#include "scree.h"

#define WORLD "classic.world"
#define BODY "classic.body"

typedef struct Body {
	ScreeWorld *world;
	ScreeId id;
} Body;

static ScreeWorld *ToWorld(lua_State *L)
{
	ScreeWorld **slot = luaL_checkudata(L, 1, WORLD);
	luaL_argcheck(L, *slot != NULL, 1, "the world is destroyed");
	return *slot;
}

static Body *ToBody(lua_State *L)
{
	return luaL_checkudata(L, 1, BODY);
}

static int PushVector(lua_State *L, const double *v)
{
	for (int i = 0; i < 3; i++)
		lua_pushnumber(L, v[i]);
	return 3;
}

static void ReadVector(lua_State *L, int first, double *v)
{
	for (int i = 0; i < 3; i++)
		v[i] = luaL_checknumber(L, first + i);
}

/* ---- bodies ------------------------------------------------------------------------------------------------------ */

static int Body_GetPosition(lua_State *L)
{
	Body *body = ToBody(L);
	double p[3];
	if (screeAssembly_GetPosition(body->world, body->id, p) < 0)
		return luaL_error(L, "the body is destroyed");
	return PushVector(L, p);
}

static int Body_GetMass(lua_State *L)
{
	Body *body = ToBody(L);
	double mass;
	if (screeAssembly_GetMass(body->world, body->id, &mass) < 0)
		return luaL_error(L, "the body is destroyed");
	lua_pushnumber(L, mass);
	return 1;
}

static int Body_SetVelocity(lua_State *L)
{
	Body *body = ToBody(L);
	double v[3];
	ReadVector(L, 2, v);
	if (screeAssembly_SetVelocity(body->world, body->id, v[0], v[1], v[2]) < 0)
		return luaL_error(L, "the body is destroyed");
	return 0;
}

static int Body_Destroy(lua_State *L)
{
	Body *body = ToBody(L);
	screeAssembly_Destroy(body->world, body->id);
	return 0;
}

static int PushBody(lua_State *L, ScreeWorld *world, ScreeId id)
{
	Body *body = lua_newuserdata(L, sizeof *body);
	*body = (Body){world, id};
	luaL_getmetatable(L, BODY);
	lua_setmetatable(L, -2);
	return 1;
}

/* ---- worlds ------------------------------------------------------------------------------------------------------ */

static int World_NewBox(lua_State *L)
{
	ScreeWorld *world = ToWorld(L);
	ScreePart part;
	ScreeAssemblyDef def;
	ScreeId id;
	scree_part_defaults(&part);
	scree_assembly_defaults(&def);
	ReadVector(L, 2, def.position);
	ReadVector(L, 5, part.size);
	part.shape = SCREE_BOX;
	def.parts = &part;
	def.part_count = 1;
	if (screeAssembly_Create(world, &def, &id) < 0)
		return luaL_error(L, "%s", screeWorld_Error(world));
	return PushBody(L, world, id);
}

static int World_Raycast(lua_State *L)
{
	ScreeWorld *world = ToWorld(L);
	double from[3], to[3];
	ScreeHit hit;
	ReadVector(L, 2, from);
	ReadVector(L, 5, to);
	if (screeWorld_Raycast(world, from, to, NULL, &hit) <= 0)
		return 0;
	PushVector(L, hit.position);
	PushVector(L, hit.normal);
	lua_pushnumber(L, hit.fraction);
	return 7;
}

static int World_GetCell(lua_State *L)
{
	ScreeWorld *world = ToWorld(L);
	double c[3];
	int32_t cell[3];
	ReadVector(L, 2, c);
	if (screeTerrain_Get(world, c[0], c[1], c[2], cell) < 0)
		return luaL_error(L, "%s", screeWorld_Error(world));
	ScreeMaterial description;
	screeWorld_GetMaterial(world, cell[0], &description);
	lua_pushstring(L, description.name);
	lua_pushnumber(L, cell[0] == 0 ? 0 : (cell[1] + 1) / 256.0);
	lua_pushnumber(L, cell[2] / 255.0);
	return 3;
}

/* A table for each event, as such interfaces hand them to callbacks. */
static int World_GetEvents(lua_State *L)
{
	ScreeWorld *world = ToWorld(L);
	const ScreeEvent *events;
	int32_t count = screeWorld_Events(world, &events);
	lua_createtable(L, count > 0 ? count : 0, 0);
	for (int32_t i = 0; i < count; i++) {
		lua_createtable(L, 0, 4);
		lua_pushinteger(L, events[i].kind);
		lua_setfield(L, -2, "kind");
		PushBody(L, world, events[i].a);
		lua_setfield(L, -2, "a");
		lua_pushboolean(L, events[i].terrain);
		lua_setfield(L, -2, "terrain");
		lua_pushnumber(L, events[i].speed);
		lua_setfield(L, -2, "speed");
		lua_rawseti(L, -2, i + 1);
	}
	return 1;
}

/* The world of the FFI's face, by its address: both drive the same one. */
static int Wrap(lua_State *L)
{
	ScreeWorld **slot = lua_newuserdata(L, sizeof *slot);
	*slot = (ScreeWorld *)strtoull(luaL_checkstring(L, 1), NULL, 16);
	luaL_getmetatable(L, WORLD);
	lua_setmetatable(L, -2);
	return 1;
}

static int WrapBody(lua_State *L)
{
	return PushBody(L, ToWorld(L), (ScreeId)luaL_checknumber(L, 2));
}

static void Register(lua_State *L, const char *name, const luaL_Reg *methods)
{
	luaL_newmetatable(L, name);
	lua_pushvalue(L, -1);
	lua_setfield(L, -2, "__index");
	luaL_register(L, NULL, methods);
	lua_pop(L, 1);
}

int luaopen_face_classic(lua_State *L);
int luaopen_face_classic(lua_State *L)
{
	static const luaL_Reg body[] = {
	    {"getPosition", Body_GetPosition},
	    {"getMass", Body_GetMass},
	    {"setVelocity", Body_SetVelocity},
	    {"destroy", Body_Destroy},
	    {NULL, NULL},
	};
	static const luaL_Reg world[] = {
	    {"newBox", World_NewBox},       {"raycast", World_Raycast}, {"getCell", World_GetCell},
	    {"getEvents", World_GetEvents}, {"body", WrapBody},         {NULL, NULL},
	};
	static const luaL_Reg module[] = {{"wrap", Wrap}, {NULL, NULL}};
	Register(L, BODY, body);
	Register(L, WORLD, world);
	lua_newtable(L);
	luaL_register(L, NULL, module);
	return 1;
}
