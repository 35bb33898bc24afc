-- Schematics and meshes into terrain. Real files against facts about them, and files written here.

local lu = require "luaunit"
local files = require "files"
local scree = require "scree"
local support = require "support"

local fails, corpus = support.fails, support.corpus

local function world_and_hash()
	local world = scree.world {}
	world.terrain:fill_box { position = { 0, -2, 0 }, size = { 8, 4, 8 }, material = "sand" }
	return world, world:hash(), world.terrain.version
end

-- ---- schematics ----------------------------------------------------------------------------------------------------

local TestSchematics = {}

function TestSchematics.testTrees()
	local t = scree.world({}).terrain
	local info = assert(t:import(corpus "schem/apple_tree.mts", { at = { 100, 0, -50 } }))
	lu.assertEquals(info.size, scree.vec3(7, 8, 7))
	lu.assertEquals(info.cells, 85)
	lu.assertEquals(info.skipped, 307)
	lu.assertEquals(info.unknown, 76)
	lu.assertEquals(info.blocks, { air = 307, ["default:leaves"] = 72, ["default:apple"] = 4, ["default:tree"] = 9 })
	lu.assertEquals(info.added.wood, 9)
	lu.assertEquals(info.added.leaves, 72)
	lu.assertEquals(info.min, scree.vec3(100, 0, -50))
	lu.assertEquals(t:count({ 100, 0, -50 }, { 106, 7, -44 }).wood, 9)
end

function TestSchematics.testHouse()
	local world = scree.world { cell_size = 0.5 }
	local info = assert(world.terrain:import(corpus "schem/viking-house1.schematic", { position = { 10, 1.5, -3.2 } }))
	lu.assertEquals(info.min, scree.vec3(20, 3, -7))
	lu.assertEquals(info.cells, 2492)
	lu.assertEquals(info.air, 16023)
	lu.assertEquals(info.blocks["id:5"], 611)
	local bounds = world.terrain.bounds
	lu.assertEquals(world.terrain:count(bounds.min, bounds.max).grass, 292)
	-- mapped by the game's name, by number, and away
	local other = scree.world {}
	info = assert(other.terrain:import(
		corpus "schem/viking-house1.schematic",
		{ materials = { ["minecraft:planks"] = "metal", [17] = "ice", torch = "air", ["id:2"] = "water" } }
	))
	lu.assertEquals(info.added.metal, 611)
	lu.assertEquals(info.added.ice, 472)
	lu.assertEquals(info.water, 292)
	lu.assertNil(info.added.torch)
	lu.assertEquals(info.cells, 2492 - 23 - 292)
end

function TestSchematics.testRefused()
	local world, hash, version = world_and_hash()
	local t = world.terrain
	for _, ending in ipairs { ".schem", ".schematic", ".mts" } do
		local info, message = t:import("no such file" .. ending)
		lu.assertNil(info)
		lu.assertStrContains(message, "no such file")
		for _, data in ipairs { "", "MTSM", "\31\139\8\0", "\10\0\0\0", ("x"):rep(1000) } do
			files.holding(ending, data, function(path)
				info, message = t:import(path)
				lu.assertNil(info)
				lu.assertStrContains(message, path)
			end)
		end
	end
	fails(function() t:import("x.schem", { at = { 0, 0.5, 0 } }) end, "import: at[2]")
	fails(function() t:import("x.schem", { at = { 0, 0, 0 }, position = { 0, 0, 0 } }) end, "at and position")
	fails(function() t:import("x.schem", { materials = { stone = "rok" } }) end, 'materials["stone"]', '"rock"')
	fails(function() t:import("x.schem", { materials = { [1.5] = "rock" } }) end, "a key of materials")
	fails(function() t:import("x.schem", { materials = { [""] = "rock" } }) end, "a key of materials")
	fails(function() t:import("x.schem", { materials = { [5] = "rock", ["5"] = "ice" } }) end, "two entries", '"5"')
	fails(function() t:import("x.mts", { clear = 1 }) end, "import: clear")
	fails(function() t:import("x.mts", { hidden = true }) end, '"hidden"')
	lu.assertEquals(world:hash(), hash)
	lu.assertEquals(t.version, version)
end

-- ---- meshes --------------------------------------------------------------------------------------------------------

local CUBE = [[
v 0 0 0
v 4 0 0
v 4 3 0
v 0 3 0
v 0 0 2
v 4 0 2
v 4 3 2
v 0 3 2
f 1 4 3 2
f 5 6 7 8
f 1 2 6 5
f 2 3 7 6
f 3 4 8 7
f 4 1 5 8
]]

local TestMeshes = {}

function TestMeshes.testCube()
	files.holding(".OBJ", CUBE, function(path)
		local world = scree.world {}
		local t = world.terrain
		local info = assert(t:import(path, { position = { 10, 0, 20 }, scale = 2, material = "wood" }))
		lu.assertEquals(info.triangles, 12)
		lu.assertEquals(info.vertices, 8)
		lu.assertTrue(info.closed)
		lu.assertEquals(info.open_edges + info.crowded_edges + info.skipped, 0)
		lu.assertAlmostEquals(info.volume, 192, 1e-9)
		lu.assertEquals(info.added.wood, 192)
		lu.assertEquals(info.max, scree.vec3(18, 6, 24))
		lu.assertEquals(t:count({ 10, 0, 20 }, { 17, 5, 23 }).wood, 192)
		-- turned by a quarter about y: x to -z; other scales along the axes; dug out again
		local turn = scree.axis_angle({ 0, 1, 0 }, math.pi / 2)
		info = assert(t:import(path, { position = { 0, 0, 0 }, rotation = turn, scale = { 1, 2, 3 } }))
		lu.assertAlmostEquals(info.added.rock, 4 * 6 * 6, 0.01)
		support.is_vec3(info.min, 0, 0, -4, 1e-5)
		info = assert(t:import(path, { position = { 10, 0, 20 }, scale = 2, material = "air" }))
		lu.assertEquals(info.removed.wood, 192)
		assert(t:import(path, { position = { 0, 50, 0 }, scale = 4, shell = 2 }))
		lu.assertEquals(t:get(8, 56, 4), "air")
		lu.assertEquals(t:get(8, 50, 4), "rock")
		info = assert(t:import(path, { position = { 0, 100, 0 }, material = "water" }))
		lu.assertAlmostEquals(info.added.water, 24, 1e-6)
	end)
end

-- The cube's six faces in the order of the file, of three materials.
local PAINTED = CUBE:gsub("f 1 4 3 2\n", "f 1 4 3 2\nusemtl red wall\n", 1):gsub("f 3 4", "usemtl top\nf 3 4", 1)

function TestMeshes.testMaterialsOfTheFile()
	files.holding(".obj", PAINTED, function(path)
		local t = scree.world({}).terrain
		local info = assert(t:import(path, { scale = 8 }))
		lu.assertEquals(info.materials, {
			{ name = "red wall", triangles = 6, material = "rock" }, { name = "top", triangles = 4, material = "rock" },
		})
		lu.assertEquals(info.added, { rock = 32 * 24 * 16 })
		-- y = 24 is the top, z = 0 the face without a material
		info = assert(t:import(path, { scale = 8, material = "sand", materials = { ["red wall"] = "wood", top = "ice" } }))
		lu.assertEquals(info.materials[1], { name = "red wall", triangles = 6, material = "wood" })
		lu.assertEquals(t:get(16, 23, 8), "ice")
		lu.assertEquals(t:get(16, 12, 0), "sand")
		lu.assertEquals(t:get(16, 12, 15), "wood")
		lu.assertEquals(t:get(16, 0, 8), "wood")
		lu.assertEquals(t:get(16, 16, 7), "sand") -- inner cells as the nearest face
		local added = info.added
		lu.assertEquals(added.sand + added.wood + added.ice, 32 * 24 * 16)
		-- by number, which counts before the name; names that the file does not have are passed over
		info = assert(t:import(path, { scale = 8, materials = { "metal", top = "ice", no = "sand", ["red wall"] = "wood" } }))
		lu.assertEquals(t:get(16, 12, 15), "metal")
		lu.assertEquals(t:get(16, 12, 0), "rock")
		lu.assertEquals(info.materials[2].material, "ice")
		-- painting changes nothing else
		local before = t:count({ 0, 0, 0 }, { 31, 23, 15 }).metal
		assert(t:import(path, { scale = 8, mode = "paint", materials = { ["red wall"] = "mud" } }))
		local now = t:count({ 0, 0, 0 }, { 31, 23, 15 })
		lu.assertEquals({ now.mud, now.metal }, { before, nil })
		lu.assertEquals(t:get(16, 12, 15), "mud")
		fails(function() t:import(path, { materials = { top = "water" } }) end, 'materials["top"]', "solid")
		fails(function() t:import(path, { materials = { [0] = "ice" } }) end, "a key of materials")
		fails(function() t:import(path, { materials = { "icy" } }) end, "materials[1]", '"ice"')
		fails(function() t:import(path, { materials = { "ice" }, mode = "remove" }) end, "materials is not for digging")
		fails(function() t:import(path, { materials = { "ice" }, material = "water" }) end, "materials is not for digging")
	end)
end

function TestMeshes.testMaterialsThereAndBack()
	local t = scree.world({}).terrain
	t:fill_box { position = { 0, 5, 0 }, size = { 20, 10, 20 }, material = "rock" }
	t:fill_box { position = { 0, 12, 0 }, size = { 20, 4, 20 }, material = "grass" }
	for _, ending in ipairs { ".obj", ".glb" } do
		files.holding(ending, "", function(path)
			assert(t:export(path))
			local other = scree.world({}).terrain
			local info = assert(other:import(path, { material = "sand", materials = { grass = "mud", rock = "basalt" } }))
			lu.assertEquals(#info.materials, 2)
			lu.assertEquals(other:get(0, 13, 0), "mud")
			lu.assertEquals(other:get(0, 0, 0), "basalt")
			lu.assertEquals(other:get(9, 5, 0), "basalt")
			lu.assertNil(info.added.sand)
			os.remove((path:gsub("%.obj$", ".mtl")))
		end)
	end
end

function TestMeshes.testOpenMeshesAreReported()
	local open = CUBE:gsub("f 4 1 5 8\n", "f 1 2 99\n")
	files.holding(".obj", open, function(path)
		local info = assert(scree.world({}).terrain:import(path, { scale = 3 }))
		lu.assertFalse(info.closed)
		lu.assertEquals(info.open_edges, 4)
		lu.assertEquals(info.skipped, 1)
		lu.assertAlmostEquals(info.added.rock, 24 * 27, 0.2 * 24 * 27)
	end)
end

function TestMeshes.testRealOnes()
	local t = scree.world({}).terrain
	local info = assert(t:import(corpus "mesh/bunny_902.obj", { scale = 40, material = "snow" }))
	lu.assertTrue(info.closed)
	lu.assertAlmostEquals(info.volume, 0.8323532616415247 * 40 ^ 3, 1e-4)
	lu.assertAlmostEquals(info.added.snow, info.volume, 0.01 * info.volume)
	info = assert(t:import(corpus "mesh/featuretype.STL", { scale = 10, position = { 200, 0, 0 } }))
	lu.assertFalse(info.closed)
	lu.assertEquals(info.open_edges, 576)
	info = assert(t:import(corpus "mesh/test-nan.obj", { scale = 0.1, position = { 400, 0, 0 } }))
	lu.assertEquals(info.skipped, 2)
end

function TestMeshes.testRefused()
	local world, hash, version = world_and_hash()
	local t = world.terrain
	for _, ending in ipairs { ".obj", ".stl", ".ply", ".glb", ".gltf" } do
		local info, message = t:import("no such file" .. ending)
		lu.assertNil(info)
		lu.assertStrContains(message, "no such file")
		for _, data in ipairs { "", "solid", "ply\n", "glTF", "{}", "{", ("x"):rep(1000), "v 1 2 3\nf 1 1 9\n" } do
			files.holding(ending, data, function(path)
				info, message = t:import(path)
				lu.assertNil(info)
				lu.assertStrContains(message, path)
			end)
		end
	end
	files.holding(".obj", CUBE:gsub("v 4 3 2", "v 1e12 3 2"), function(path) -- too large: the file's fault
		local info, message = t:import(path)
		lu.assertNil(info)
		lu.assertStrContains(message, path)
	end)
	fails(function() t:import("x.obj", { scale = 0 }) end, "import: scale")
	fails(function() t:import("x.obj", { scale = { 1, -1, 1 } }) end, "import: scale[2]")
	fails(function() t:import("x.obj", { scale = "2" }) end, "import: scale")
	fails(function() t:import("x.obj", { position = { 0, support.NAN, 0 } }) end, "import: position[2]")
	fails(function() t:import("x.obj", { rotation = { 0, 0, 0, 0 } }) end, "import: rotation")
	fails(function() t:import("x.obj", { mode = "fill" }) end, "import: mode")
	fails(function() t:import("x.obj", { mode = "paint", material = "air" }) end, "import: material")
	fails(function() t:import("x.obj", { at = { 0, 0, 0 } }) end, '"at"')
	lu.assertEquals(world:hash(), hash)
	lu.assertEquals(t.version, version)
end

return { TestSchematics = TestSchematics, TestMeshes = TestMeshes }
