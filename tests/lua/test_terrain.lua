-- Terrain: cells, boxes of cells, fills, heights, files. What the surface looks like is for the tests of the mesher.

local ffi = require "ffi"
local lu = require "luaunit"
local scree = require "scree"
local support = require "support"

local fails = support.fails
local vec3 = scree.vec3
local NAN, INF = support.NAN, support.INF

local TestCells = {}

function TestCells.testSetAndGet()
	local t = scree.world().terrain
	lu.assertEquals({ t:get(1, 2, 3) }, { "air", 0, 0 })
	t:set(1, 2, 3, "rock")
	lu.assertEquals({ t:get(1, 2, 3) }, { "rock", 1, 0 })
	t:set(-1, -2, -3, "wood", 0.5)
	lu.assertEquals({ t:get(-1, -2, -3) }, { "wood", 0.5, 0 })
	t:set(0, 0, 0, "sand", 0.25, 0.6)
	lu.assertEquals({ t:get(0, 0, 0) }, { "sand", 0.25, 0.6 })
	t:set(0, 0, 0, "sand", 1e-9)
	lu.assertEquals({ t:get(0, 0, 0) }, { "sand", 1 / 256, 0 })
	t:set(0, 0, 0, "sand", 0)
	lu.assertEquals({ t:get(0, 0, 0) }, { "air", 0, 0 })
	t:set(0, 0, 0, "air", 1, 1)
	lu.assertEquals({ t:get(0, 0, 0) }, { "air", 0, 1 })
	t:set(0, 0, 0, "water", 0.2)
	lu.assertEquals({ t:get(0, 0, 0) }, { "air", 0, 0.2 })
	t:set(0, 0, 0, "water")
	lu.assertEquals({ t:get(0, 0, 0) }, { "air", 0, 1 })
	t:set(0, 0, 0, "air")
	lu.assertEquals({ t:get(0, 0, 0) }, { "air", 0, 0 })
	t:set(0, 0, 0, "rock", 1, 1) -- a full cell has no room for water
	lu.assertEquals({ t:get(0, 0, 0) }, { "rock", 1, 0 })
end

function TestCells.testEveryOccupancyByteComesBack()
	local t = scree.world().terrain
	for v = 0, 255 do
		t:set(4, 5, 6, "ground", (v + 1) / 256)
		local _, occupancy = t:get(4, 5, 6)
		lu.assertEquals(occupancy, (v + 1) / 256)
		t:set(4, 5, 6, "air", 0, v / 255)
		local _, _, water = t:get(4, 5, 6)
		lu.assertEquals(water, v / 255)
	end
end

function TestCells.testEditsSayWhatTheyTookAndGave()
	local t = scree.world().terrain
	local edit = t:set(0, 0, 0, "rock")
	lu.assertEquals(edit, { removed = {}, added = { rock = 1 } })
	edit = t:set(0, 0, 0, "wood", 0.5)
	lu.assertEquals(edit, { removed = { rock = 1 }, added = { wood = 0.5 } })
	edit = t:set(0, 0, 0, "water")
	lu.assertEquals(edit, { removed = { wood = 0.5 }, added = { water = 1 } })
	edit = t:set(0, 0, 0, "air")
	lu.assertEquals(edit, { removed = { water = 1 }, added = {} })
end

function TestCells.testMistakes()
	local world = scree.world()
	local t, hash = world.terrain, world:hash()
	for _, bad in ipairs { 0.5, NAN, INF, -INF, 2 ^ 30 + 1, -2 ^ 31, "1", {}, true } do
		fails(function() t:get(bad, 0, 0) end, "get: x")
		fails(function() t:get(0, bad, 0) end, "get: y")
		fails(function() t:get(0, 0, bad) end, "get: z")
		fails(function() t:set(bad, 0, 0, "rock") end, "set: x")
		fails(function() t:set(0, bad, 0, "rock") end, "set: y")
		fails(function() t:set(0, 0, bad, "rock") end, "set: z")
		fails(function() t:cell_center(0, 0, bad) end, "cell_center: z")
	end
	fails(function() t:get(vec3(0, 0, 0)) end, "get: x")
	fails(function() t:set(0, 0, 0) end, "set: material", "nil")
	fails(function() t:set(0, 0, 0, "rok") end, "set: material", '"rok"', '"rock"')
	fails(function() t:set(0, 0, 0, 6) end, "set: material", "6")
	for _, bad in ipairs { -0.1, 1.1, NAN, INF, "1", {} } do
		fails(function() t:set(0, 0, 0, "rock", bad) end, "set: occupancy")
		fails(function() t:set(0, 0, 0, "rock", 1, bad) end, "set: water")
	end
	fails(function() t:set(0, 0, 0, "water", 1, 1) end, "set: water", "twice")
	lu.assertEquals(world:hash(), hash)
	lu.assertEquals(t.version, 0)
end

function TestCells.testPropertiesAreChecked()
	local t = scree.world().terrain
	fails(function() return t.verson end, "terrain", '"verson"', '"version"')
	fails(function() t.verson = 1 end, "terrain", '"verson"', '"version"')
	fails(function() t.version = 1 end, "terrain.version is read-only")
	fails(function() t.get = 1 end, "terrain.get is a method")
	fails(function() t.get(0, 0, 0) end, "get: call it with a colon")
end

function TestCells.testOneValueAWorld()
	local world = scree.world()
	lu.assertTrue(world.terrain == world.terrain)
	lu.assertFalse(world.terrain == scree.world().terrain)
end

local TestRegions = {}

function TestRegions.testReadAndWrite()
	local t = scree.world().terrain
	t:set(1, 2, 3, "rock")
	t:set(2, 2, 3, "wood", 0.5, 0.2)
	t:set(1, 3, 4, "water")
	local r = t:read({ 1, 2, 3 }, { 2, 3, 5 })
	support.is_vec3(r.size, 2, 2, 3)
	lu.assertEquals({ r:get(0, 0, 0) }, { "rock", 1, 0 })
	lu.assertEquals({ r:get(1, 0, 0) }, { "wood", 0.5, 0.2 })
	lu.assertEquals({ r:get(0, 1, 1) }, { "air", 0, 1 })
	lu.assertEquals({ r:get(1, 1, 2) }, { "air", 0, 0 })
	lu.assertEquals(r.occupancy[0], 255)
	lu.assertEquals(r.occupancy[1], 127)
	lu.assertEquals(r.water[0 + 2 * (1 + 3 * 1)], 255)
	r:set(1, 1, 2, "sand", 0.75)
	lu.assertEquals(t:get(2, 3, 5), "air") -- a region is a copy
	t:write({ -10, 0, 7 }, r)
	lu.assertEquals({ t:get(-10, 0, 7) }, { "rock", 1, 0 })
	lu.assertEquals({ t:get(-9, 0, 7) }, { "wood", 0.5, 0.2 })
	lu.assertEquals({ t:get(-9, 1, 9) }, { "sand", 0.75, 0 })
	lu.assertEquals({ t:get(2, 3, 5) }, { "air", 0, 0 })
end

function TestRegions.testRawBuffers()
	local world = scree.world()
	local t = world.terrain
	local r = t:copy({ 0, 0, 0 }, { 3, 0, 0 })
	t:set(10, 0, 0, "rock")
	local rock = t:read({ 10, 0, 0 }, { 10, 0, 0 }).material[0]
	for x = 0, 3 do
		r.material[x], r.occupancy[x] = rock, 63
	end
	local edit = t:write({ 0, 0, 0 }, r)
	lu.assertEquals(edit, { removed = {}, added = { rock = 1 } })
	lu.assertEquals({ t:get(3, 0, 0) }, { "rock", 0.25, 0 })
end

function TestRegions.testReuse()
	local t = scree.world().terrain
	local r = t:read({ 0, 0, 0 }, { 1, 1, 1 })
	t:set(5, 5, 5, "rock")
	lu.assertTrue(t:read({ 5, 5, 5 }, { 6, 6, 6 }, r) == r)
	lu.assertEquals(r:get(0, 0, 0), "rock")
	fails(function() t:read({ 0, 0, 0 }, { 2, 1, 1 }, r) end, "read: into", "size")
	fails(function() t:read({ 0, 0, 0 }, { 1, 1, 1 }, {}) end, "read: into")
end

function TestRegions.testMask()
	local t = scree.world().terrain
	local r = t:read({ 0, 0, 0 }, { 3, 0, 0 })
	for x = 0, 3 do
		r:set(x, 0, 0, "rock")
	end
	t:write({ 0, 0, 0 }, r, ffi.new("uint8_t[4]", { 1, 0, 0, 1 }))
	lu.assertEquals(t:count({ 0, 0, 0 }, { 3, 0, 0 }), { rock = 2, air = 2 })
	lu.assertEquals(t:get(1, 0, 0), "air")
	fails(function() t:write({ 0, 0, 0 }, r, ffi.new "uint8_t[3]") end, "write: mask", "3")
	fails(function() t:write({ 0, 0, 0 }, r, ffi.new "double[4]") end, "write: mask")
	fails(function() t:write({ 0, 0, 0 }, r, { 1, 0, 0, 1 }) end, "write: mask")
	fails(function() t:write({ 0, 0, 0 }, r, "\1\0\0\1") end, "write: mask")
end

function TestRegions.testMistakes()
	local world = scree.world()
	local t, hash = world.terrain, world:hash()
	local r = t:read({ 0, 0, 0 }, { 1, 2, 3 })
	fails(function() t:read({ 0, 0, 0 }) end, "read: max", "nil")
	fails(function() t:read({ 0, 1, 0 }, { 5, 0, 5 }) end, "read: max[2]", "min[2]")
	fails(function() t:read({ 0, 0.5, 0 }, { 5, 1, 5 }) end, "read: min[2]", "0.5")
	fails(function() t:read({ 0, 0, 0 }, { 2 ^ 30, 2 ^ 30, 2 ^ 30 }) end, "read: ", "2^30")
	fails(function() t:read({ 0, 0, 0 }, { 2 ^ 31, 0, 0 }) end, "read: max[1]")
	fails(function() t:write({ 0, 0, 0 }, {}) end, "write: region")
	fails(function() t:write({ 0, 0, NAN }, r) end, "write: min[3]")
	fails(function() t:write({ 0, 0, 0 }, scree.world().terrain:read({ 0, 0, 0 }, { 1, 1, 1 })) end, "another world")
	fails(function() t:write({ 2 ^ 30, 0, 0 }, r) end, "write: max[1]")
	fails(function() r:get(2, 0, 0) end, "region:get: x", "got 2")
	fails(function() r:get(0, 0, -1) end, "region:get: z")
	fails(function() r:get(0, 4, 0) end, "region:get: y")
	fails(function() r:get(0, 0) end, "region:get: z", "nil")
	fails(function() r:set(0, 0, 0, "rok") end, "region:set: material", '"rock"')
	fails(function() r:set(0, 0, 0, "rock", 2) end, "region:set: occupancy")
	fails(function() r.size = vec3(9, 9, 9) end, "region", "size")
	fails(function() r.material = nil end, "region", "material")
	fails(function() return r.sise end, '"sise"', '"size"')
	fails(function() r.get(0, 0, 0) end, "region:get: call it with a colon")
	lu.assertEquals(world:hash(), hash)
	world:destroy()
	fails(function() r:get(0, 0, 0) end, "destroyed")
end

function TestRegions.testCountMatterReplaceClear()
	local t = scree.world().terrain
	t:set(0, 0, 0, "rock")
	t:set(1, 0, 0, "rock", 0.5)
	t:set(2, 0, 0, "wood")
	t:set(3, 0, 0, "water", 0.2)
	lu.assertEquals(t:count({ 0, 0, 0 }, { 4, 0, 0 }), { rock = 2, wood = 1, air = 2, water = 1 })
	lu.assertEquals(t:matter({ 0, 0, 0 }, { 4, 0, 0 }), { rock = 1.5, wood = 1, water = 0.2 })
	local edit = t:replace({ 0, 0, 0 }, { 0, 0, 0 }, "rock", "sand")
	lu.assertEquals(edit, { removed = { rock = 1 }, added = { sand = 1 } })
	lu.assertEquals(t:count({ 0, 0, 0 }, { 4, 0, 0 }), { sand = 1, rock = 1, wood = 1, air = 2, water = 1 })
	t:replace({ 0, 0, 0 }, { 4, 0, 0 }, "wood", "air")
	lu.assertEquals(t:get(2, 0, 0), "air")
	fails(function() t:replace({ 0, 0, 0 }, { 4, 0, 0 }, "rok", "air") end, "replace: from", '"rock"')
	fails(function() t:replace({ 0, 0, 0 }, { 4, 0, 0 }, "air", "rock") end, "replace: from")
	fails(function() t:replace({ 0, 0, 0 }, { 4, 0, 0 }, "rock", "water") end, "replace: to")
	fails(function() t:replace({ 0, 0, 0 }, { 4, 0, 0 }, "rock") end, "replace: to", "nil")
	fails(function() t:count({ 0, 0, 0 }, { 4, -1, 0 }) end, "count: max[2]")
	fails(function() t:matter(1, 2) end, "matter: min")
	t:clear()
	lu.assertEquals(t:count({ -9, -9, -9 }, { 9, 9, 9 }), { air = 19 ^ 3 })
	lu.assertNil(t.bounds)
end

function TestRegions.testChangesAndBounds()
	local t = scree.world().terrain
	lu.assertNil(t.bounds)
	local version, boxes = t:changes(0)
	lu.assertEquals(version, t.version)
	lu.assertEquals(#boxes, 0)
	t:set(1, 2, 3, "rock")
	t:set(-4, 2, 3, "rock")
	local next_version
	next_version, boxes = t:changes(version)
	lu.assertEquals(next_version, t.version)
	lu.assertTrue(next_version > version)
	local function holds(x, y, z)
		for _, box in ipairs(boxes) do
			local min, max = box[1], box[2]
			if min.x <= x and x <= max.x and min.y <= y and y <= max.y and min.z <= z and z <= max.z then
				return true
			end
		end
		return false
	end
	lu.assertTrue(holds(1, 2, 3) and holds(-4, 2, 3))
	local _, none = t:changes(next_version)
	lu.assertEquals(#none, 0)
	support.is_vec3(t.bounds.min, -4, 2, 3)
	support.is_vec3(t.bounds.max, 1, 2, 3)
	lu.assertTrue(t.bounds[1] == t.bounds.min and t.bounds[2] == t.bounds.max)
	lu.assertTrue(t.bytes > 0)
	for _, bad in ipairs { -1, 0.5, NAN, "0" } do
		fails(function() t:changes(bad) end, "changes: since")
	end
	fails(function() t:changes() end, "changes: since", "nil")
end

local TestFills = {}

function TestFills.testBox()
	local t = scree.world().terrain
	local edit = t:fill_box { position = { 0, 0, 0 }, size = { 4, 6, 8 }, material = "rock" }
	lu.assertEquals(edit, { removed = {}, added = { rock = 192 } })
	lu.assertEquals(t:count({ -2, -3, -4 }, { 1, 2, 3 }), { rock = 192 })
	edit = t:fill_box { center = { 1, 0, 0 }, size = { 2, 2, 2 }, material = "air" }
	lu.assertEquals(edit.removed.rock, 8)
	edit = t:fill_box { position = { 1, 0, 0 }, size = { 2, 2, 2 }, material = "water" }
	lu.assertEquals(edit.added, { water = 8 })
	edit = t:fill_box { position = { 0, 0, 0 }, size = { 4, 6, 8 }, material = "wood", mode = "add" }
	lu.assertEquals(edit.added.wood, 8)
	edit = t:fill_box { position = { 0, 0, 0 }, size = { 4, 6, 8 }, material = "sand", mode = "paint" }
	lu.assertEquals(edit.added.sand, 192)
	edit = t:fill_box { position = { 0, 0, 0 }, size = { 4, 6, 8 }, mode = "remove" }
	lu.assertEquals(edit.removed.sand, 192)
end

function TestFills.testRoundOnes()
	local t = scree.world().terrain
	local edit = t:fill_ball { center = { 0, 0, 0 }, radius = 5, material = "rock" }
	lu.assertTrue(edit.added.rock > 300)
	lu.assertEquals(t:get(0, 0, 0), "rock")
	edit = t:fill_cylinder { position = { 0, 0, 0 }, radius = 2, height = 6, material = "wood" }
	lu.assertTrue(edit.added.wood > 20)
	t:fill_cylinder { position = { 0, 0, 0 }, radius = 2, length = 6, material = "wood", rotation = { 0, 0, 1, 1 } }
	t:clear()
	edit = t:fill_wedge { position = { 0, 0, 0 }, size = { 4, 4, 4 }, material = "sand", rotation = { 0, 1, 0, 1 } }
	lu.assertTrue(edit.added.sand > 16 and edit.added.sand < 64)
end

function TestFills.testSetReplacesWhatTheShapeCovers()
	local t = scree.world().terrain
	t:fill_ball { center = { 0, 0, 0 }, radius = 8, material = "rock" }
	local edit = t:fill_box { position = { 0, 0, 0 }, size = { 6, 6, 6 }, material = "sand", rotation = { 0, 0.3, 0, 1 } }
	lu.assertTrue(edit.added.sand > 150 and edit.added.sand < 300, edit.added.sand)
	lu.assertAlmostEquals(edit.removed.rock, edit.added.sand, 30)
end

function TestFills.testMistakes()
	local world = scree.world()
	local t, hash = world.terrain, world:hash()
	fails(function() t:fill_ball() end, "fill_ball: options", "nil")
	fails(function() t:fill_ball { radius = 1, material = "rock" } end, "fill_ball: center is missing")
	fails(function() t:fill_ball { center = { 0, 0, 0 }, material = "rock" } end, "fill_ball: radius is missing")
	fails(function() t:fill_ball { center = { 0, 0, 0 }, radius = 1 } end, "fill_ball: material is missing")
	fails(function() t:fill_ball { center = { 0, 0, 0 }, position = { 0, 0, 0 }, radius = 1, material = "rock" } end,
		"fill_ball: ", "give one")
	fails(function() t:fill_ball { center = { 0, 0, 0 }, radus = 1, material = "rock" } end, '"radus"', '"radius"')
	fails(function() t:fill_ball { center = { 0, 0, 0 }, radius = 1, size = 1, material = "rock" } end, '"size"')
	fails(function() t:fill_ball { center = 0, radius = 1, material = "rock" } end, "fill_ball: center", "got 0")
	fails(function() t:fill_ball { center = { 0, 0, 0 }, radius = 1, material = "rok" } end, "material", '"rock"')
	fails(function() t:fill_ball { center = { 0, 0, 0 }, radius = 1, material = "rock", mode = "dig" } end, "mode", "dig")
	fails(function() t:fill_box { position = { 0, 0, 0 }, size = { 1, 1 }, material = "rock" } end, "fill_box: size[3]")
	fails(function() t:fill_box { position = { 0, 0, 0 }, size = { 1, 2e6, 1 }, material = "rock" } end,
		"fill_box: size[2] must be from 0 to 1e+06, got 2e+06")
	fails(function() t:fill_box { position = { 0, 0, 0 }, size = { 1, 1, -1 }, material = "rock" } end,
		"fill_box: size[3]")
	fails(function() t:fill_box { position = { 0, 0, 0 }, size = { 1, 1, 1 }, rotation = 1, material = "rock" } end,
		"fill_box: rotation")
	fails(function() t:fill_cylinder { position = { 0, 0, 0 }, radius = 1, material = "rock" } end, "height is missing")
	fails(function() t:fill_wedge { position = { 0, 0, 0 }, material = "rock" } end, "fill_wedge: size is missing")
	for _, bad in ipairs { 0, -1, NAN, INF, 1e38, "1", {} } do
		fails(function() t:fill_ball { center = { 0, 0, 0 }, radius = bad, material = "rock" } end, "fill_ball: radius")
		fails(function() t:fill_cylinder { position = { 0, 0, 0 }, radius = 1, height = bad, material = "rock" } end,
			"fill_cylinder: height")
	end
	fails(function() t:fill_box { position = { 0, 0, 0 }, size = { 1e15, 1e15, 1e15 }, material = "rock" } end,
		"fill_box: ")
	lu.assertEquals(world:hash(), hash)
end

local TestHeights = {}

function TestHeights.testFromNumbers()
	local t = scree.world().terrain
	local result = t:fill_heightmap {
		heights = { 1, 2, 3, 4, NAN, 2 },
		width = 3,
		depth = 2,
		position = { 0.5, 0, 0.5 },
		material = "sand",
		bottom = 2,
	}
	lu.assertEquals(result.width, 3)
	lu.assertEquals(result.depth, 2)
	lu.assertEquals(result.voids, 1)
	lu.assertTrue(result.added.sand > 0)
	lu.assertEquals(t:get(0, 0, 0), "sand")
	t:clear()
	result = t:fill_heightmap {
		heights = ffi.new("double[4]", { 4, 4, 4, 4 }),
		width = 2,
		depth = 2,
		cell = 2,
		layers = { { material = "grass", depth = 1 }, { material = "ground", depth = 3 }, { material = "rock" } },
		mode = "set",
	}
	lu.assertTrue(result.added.grass > 0)
end

function TestHeights.testFilesThatAreNotThere()
	local world = scree.world()
	local t, hash = world.terrain, world:hash()
	local result, message = t:fill_heightmap { path = "no such file.png", min = 0, max = 10, material = "rock" }
	lu.assertNil(result)
	lu.assertStrContains(message, "no such file.png")
	lu.assertEquals(world:hash(), hash)
end

function TestHeights.testMistakes()
	local world = scree.world()
	local t, hash = world.terrain, world:hash()
	local h = { 1, 1, 1, 1 }
	fails(function() t:fill_heightmap() end, "fill_heightmap: options", "nil")
	fails(function() t:fill_heightmap {} end, "fill_heightmap: path or heights is missing")
	fails(function() t:fill_heightmap { heights = h, path = "x", width = 2, depth = 2 } end,
		"fill_heightmap: ", "give one")
	fails(function() t:fill_heightmap { heights = h, depth = 2 } end, "fill_heightmap: width is missing")
	fails(function() t:fill_heightmap { heights = h, width = 2 } end, "fill_heightmap: depth is missing")
	fails(function() t:fill_heightmap { heights = h, width = 2, depth = 3 } end, "fill_heightmap: heights", "6", "4")
	fails(function() t:fill_heightmap { heights = { 1, 1, INF, 1 }, width = 2, depth = 2 } end, "heights[3]", "inf")
	fails(function() t:fill_heightmap { heights = { 1, 1, "1", 1 }, width = 2, depth = 2 } end, "heights[3]")
	fails(function() t:fill_heightmap { heights = ffi.new "double[3]", width = 2, depth = 2 } end, "heights")
	fails(function() t:fill_heightmap { heights = ffi.new "float[4]", width = 2, depth = 2 } end, "heights")
	fails(function() t:fill_heightmap { heights = h, width = 2, depth = 2, min = 0 } end,
		"fill_heightmap: min is for files")
	fails(function() t:fill_heightmap { heights = h, width = 2, depth = 2, cell = 0 } end, "fill_heightmap: cell")
	fails(function() t:fill_heightmap { heights = h, width = 2, depth = 2, material = "rok" } end, '"rock"')
	fails(function() t:fill_heightmap { heights = h, width = 2, depth = 2, layers = {} } end, "fill_heightmap: layers")
	fails(function() t:fill_heightmap { heights = h, width = 2, depth = 2, material = "rock", layers = {} } end,
		"give one")
	fails(function()
		t:fill_heightmap { heights = h, width = 2, depth = 2, layers = { { material = "rock", depth = 1 } } }
	end,
		"layers[1].depth")
	fails(function()
		t:fill_heightmap { heights = h, width = 2, depth = 2, layers = { { material = "sand" }, { material = "rock" } } }
	end, "layers[1].depth", "nil")
	fails(function() t:fill_heightmap { heights = h, width = 2, depth = 2, widht = 1 } end, '"widht"', '"width"')
	fails(function() t:fill_heightmap { path = 12 } end, "fill_heightmap: path", "12")
	fails(function() t:fill_heightmap { path = "a\0b" } end, "fill_heightmap: path")
	fails(function() t:fill_heightmap { path = "x.png", width = 2 } end, "fill_heightmap: width is for heights")
	fails(function() t:fill_heightmap { path = "x.png", min = NAN } end, "fill_heightmap: min", "nan")
	lu.assertEquals(world:hash(), hash)
end

function TestHeights.testGenerate()
	local world = scree.world { cell_size = 0.5 }
	local t = world.terrain
	local calls = {}
	local result = t:generate {
		min = { -1, 2 },
		max = { 1, 3 },
		height = function(x, z)
			calls[#calls + 1] = { x, z }
			return 1 + x, x > 0 and "sand" or nil
		end,
		material = "rock",
	}
	lu.assertEquals(calls, {
		{ -0.75, 2.25 }, { -0.25, 2.25 }, { 0.25, 2.25 }, { 0.75, 2.25 },
		{ -0.75, 2.75 }, { -0.25, 2.75 }, { 0.25, 2.75 }, { 0.75, 2.75 },
	})
	lu.assertEquals(result.width, 4)
	lu.assertEquals(result.depth, 2)
	lu.assertTrue(result.added.sand > 0 and result.added.rock > 0)
	result = t:generate { min = { 0, 0 }, max = { 2, 2 }, height = function(x) return x > 1 and 1 end }
	lu.assertEquals(result.voids, 8)
end

function TestHeights.testGenerateMistakes()
	local world = scree.world()
	local t, hash = world.terrain, world:hash()
	local function flat() return 1 end
	fails(function() t:generate { max = { 2, 2 }, height = flat } end, "generate: min is missing")
	fails(function() t:generate { min = { 0, 0 }, height = flat } end, "generate: max is missing")
	fails(function() t:generate { min = { 0, 0 }, max = { 2, 2 } } end, "generate: height is missing")
	fails(function() t:generate { min = { 0, 0 }, max = { 2, 2 }, height = 1 } end, "generate: height", "function")
	fails(function() t:generate { min = { 0, 0, 0 }, max = { 2, 2 }, height = flat } end, "generate: min")
	fails(function() t:generate { min = { 0, NAN }, max = { 2, 2 }, height = flat } end, "generate: min[2]", "nan")
	fails(function() t:generate { min = { 3, 0 }, max = { 2, 2 }, height = flat } end, "generate: max[1]")
	fails(function() t:generate { min = { 0, 0 }, max = { 1e9, 2 }, height = flat } end, "generate: max[1]")
	fails(function() t:generate { min = { 0, 0 }, max = { 2, 2 }, height = function() end } end,
		"generate: height(0.5, 0.5)", "nil")
	fails(function() t:generate { min = { 0, 0 }, max = { 2, 2 }, height = function() return NAN end } end,
		"height(", "nan")
	fails(function() t:generate { min = { 0, 0 }, max = { 2, 2 }, height = function() return 1, "rok" end } end,
		"height(0.5, 0.5) material", '"rock"')
	fails(function()
		t:generate {
			min = { 0, 0 },
			max = { 2, 2 },
			height = function() return 1, "rock" end,
			layers = { { material = "rock" } },
		}
	end, "generate: ", "layers")
	local function height() error "mine" end
	local ok, message = pcall(function() t:generate { min = { 0, 0 }, max = { 2, 2 }, height = height } end)
	support.is_error_of(height, ok, message, "mine")
	fails(function()
		local doomed = scree.world()
		doomed.terrain:generate { min = { 0, 0 }, max = { 2, 2 }, height = function()
			if doomed.valid then
				doomed:destroy()
			end
			return 1
		end }
	end, "destroyed")
	lu.assertEquals(world:hash(), hash)
end

local TestFiles = {}

function TestFiles.testImport()
	local world = scree.world()
	local t, hash = world.terrain, world:hash()
	local result, message = t:import "no such file.vox"
	lu.assertNil(result)
	lu.assertStrContains(message, "no such file.vox")
	result, message = t:import "hills.png"
	lu.assertNil(result)
	lu.assertStrContains(message, "fill_heightmap")
	result, message = t:import "hills.hgt"
	lu.assertNil(result)
	lu.assertStrContains(message, "fill_heightmap")
	result, message = t:import "model.xyz"
	lu.assertNil(result)
	lu.assertStrContains(message, "model.xyz")
	lu.assertNil((t:import "model"))
	fails(function() t:import() end, "import: path", "nil")
	fails(function() t:import(12) end, "import: path", "12")
	fails(function() t:import("x.vox", 1) end, "import: opts")
	fails(function() t:import("x.vox", { hiden = true }) end, '"hiden"', '"hidden"')
	fails(function() t:import("x.vox", { hidden = 1 }) end, "import: hidden")
	fails(function() t:import("x.vox", { at = { 0, 0.5, 0 } }) end, "import: at[2]")
	fails(function() t:import("x.vox", { materials = { [0] = "rock" } }) end, "import: ", "materials")
	fails(function() t:import("x.vox", { materials = { [9] = "rok" } }) end, "materials[9]", '"rock"')
	lu.assertEquals(world:hash(), hash)
end

-- A MagicaVoxel file of one model with two voxels of the colours 1 and 2.
local function tiny_vox()
	local function int(n)
		local bytes = {}
		for i = 1, 4 do
			bytes[i], n = string.char(n % 256), math.floor(n / 256)
		end
		return table.concat(bytes)
	end
	local function chunk(name, content, children)
		return name .. int(#content) .. int(#children) .. content .. children
	end
	local size = chunk("SIZE", int(2) .. int(1) .. int(1), "")
	local cells = chunk("XYZI", int(2) .. "\0\0\0\1" .. "\1\0\0\2", "")
	return "VOX " .. int(150) .. chunk("MAIN", "", size .. cells)
end

function TestFiles.testImportVox()
	local name = os.tmpname()
	local path = name .. ".vox"
	local file = assert(io.open(path, "wb"))
	file:write(tiny_vox())
	file:close()
	local t = scree.world().terrain
	local info, message = t:import(path, { at = { 10, 0, 0 }, materials = { "wood", "wood" } })
	os.remove(path)
	os.remove(name)
	lu.assertNotNil(info, message)
	lu.assertEquals(info.cells, 2)
	lu.assertEquals(info.models, 1)
	lu.assertEquals(info.instances, 1)
	lu.assertEquals(info.dropped, 0)
	lu.assertEquals(info.added, { wood = 2 })
	lu.assertEquals(t:count(info.min, info.max), { wood = 2 })
end

local TestSurface = {}

function TestSurface.testMesh()
	local world = scree.world()
	local t = world.terrain
	lu.assertEquals(t:mesh().triangle_count, 0)
	t:fill_box { position = { 0, 0, 0 }, size = { 4, 4, 4 }, material = "rock" }
	local mesh = t:mesh()
	lu.assertTrue(mesh.triangle_count > 0 and mesh.vertex_count > 0)
	lu.assertEquals(ffi.sizeof(mesh.positions), 24 * mesh.vertex_count)
	lu.assertEquals(ffi.sizeof(mesh.normals), 24 * mesh.vertex_count)
	lu.assertEquals(ffi.sizeof(mesh.indices), 12 * mesh.triangle_count)
	lu.assertEquals(ffi.sizeof(mesh.materials), mesh.triangle_count)
	for i = 0, 3 * mesh.triangle_count - 1 do
		lu.assertTrue(mesh.indices[i] < mesh.vertex_count)
	end
	local part = t:mesh({ -2, -2, -2 }, { 0, 0, 0 })
	lu.assertTrue(part.triangle_count <= mesh.triangle_count)
	fails(function() t:mesh { 0, 0, 0 } end, "mesh: max", "nil")
	fails(function() t:mesh({ 0, 0, 0 }, { 1, 1, NAN }) end, "mesh: max[3]")
	world:destroy()
	lu.assertIsNumber(mesh.positions[0]) -- the buffers are Lua's own
end

function TestSurface.testQuestions()
	local world = scree.world { cell_size = 0.5 }
	local t = world.terrain
	lu.assertEquals({ t:to_cell { 1.2, -0.1, -0.5 } }, { 2, -1, -1 })
	support.is_vec3(t:cell_center(2, -1, 0), 1.25, -0.25, 0.25)
	fails(function() t:to_cell(1) end, "to_cell: point")
	fails(function() t:is_inside { 0, 0, INF } end, "is_inside: point[3]")
	fails(function() t:cell_center(1, 2) end, "cell_center: z", "nil")
end

function TestSurface.testInside()
	local world = support.world_with_floor()
	local t = world.terrain
	lu.assertEquals({ t:is_inside { 0.5, -1.5, 0.5 } }, { true, false })
	lu.assertEquals({ t:is_inside { 0.5, 2.5, 0.5 } }, { false, false })
	t:fill_box { position = { 0, 1, 0 }, size = { 4, 2, 4 }, material = "water" }
	lu.assertEquals({ t:is_inside { 0.5, 0.5, 0.5 } }, { false, true })
end

function TestSurface.testRaycast()
	local world = support.world_with_floor()
	support.box(world, { position = { 0.5, 3, 0.5 } })
	local hit = world.terrain:raycast({ 0.5, 10, 0.5 }, { 0.5, -10, 0.5 })
	lu.assertNotNil(hit)
	lu.assertTrue(hit.terrain)
	lu.assertNil(hit.assembly)
	lu.assertEquals(hit.material, "rock")
	support.is_vec3(hit.position, 0.5, 0, 0.5, 1e-3)
	support.is_vec3(hit.cell, 0, -1, 0)
	lu.assertNil(world.terrain:raycast({ 0.5, 10, 0.5 }, { 0.5, 5, 0.5 }))
	fails(function() world.terrain:raycast({ 0, 0, 0 }) end, "raycast: to", "nil")
	fails(function() world.terrain:raycast({ 0, 0, 0 }, { 0, 1, 0 }, { ignore = {} }) end, "raycast", '"ignore"')
	fails(function() world.terrain:raycast({ 0, 0, 0 }, { 0, 1, 0 }, { water = 1 }) end, "raycast: opts.water")
end

return {
	TestCells = TestCells,
	TestRegions = TestRegions,
	TestFills = TestFills,
	TestHeights = TestHeights,
	TestFiles = TestFiles,
	TestSurface = TestSurface,
}
