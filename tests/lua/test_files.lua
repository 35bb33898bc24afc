-- Real files against the facts that are known of them, hostile files, and cells at the borders of chunks.

local luaunit = require "luaunit"
local files = require "files"
local scree = require "scree"
local scenery = require "scenery"
local support = require "support"
local ffi = require "ffi"

local near, at_most, at_least = scenery.near, scenery.at_most, scenery.at_least

-- ---- the collection of real files ----------------------------------------------------------------------------------

local function corpus_folder()
	local here = arg[0]:match "^(.*)[/\\]" or "."
	local folder = os.getenv "SCREE_CORPUS" or (os.getenv "SCREE_SOURCE_ROOT" or here .. "/../..") .. "/../shared/corpus"
	return files.read(folder .. "/FACTS.jsonl") and folder
end

local folder = corpus_folder()

-- The line of facts about a file, and a function that reads a number of it by name (the first of that name).
local function facts_of(name)
	luaunit.skipIf(not folder, "no collection of real files")
	for line in io.lines(folder .. "/FACTS.jsonl") do
		if line:find('"file": "' .. name .. '"', 1, true) then
			return folder .. "/" .. name, function(key)
				return tonumber(line:match('"' .. key .. '": (%-?[%d.]+)'))
			end, line
		end
	end
	luaunit.fail("no facts about " .. name)
end

-- Asserts that call() gives nil and a message, and that the world is as before.
local function is_refused(world, call, what)
	local hash, version = world:hash(), world.terrain.version
	local result, message = call()
	luaunit.assertNil(result, what)
	luaunit.assertEquals(type(message), "string", what)
	luaunit.assertEquals(world:hash(), hash, what .. ": world changed")
	luaunit.assertEquals(world.terrain.version, version, what .. ": version changed")
end

-- ---- heights -------------------------------------------------------------------------------------------------------

local function ground_at(terrain, x, z)
	local hit = terrain:raycast({ x, 4000, z }, { x, -4000, z })
	return hit and hit.position.y
end

local TestHeightFiles = {}

-- Metres for a sample: what the file maps it to.
local heights = {
	{ "height/S36E149_257.png", { min = 0, max = 6553.5 }, 0.1 },
	{ "height/panda_heightfield_1024.png", { min = 0, max = 131.07 }, 131.07 / 65535 },
	{ "height/N44W072.hgt", { scale = 1 / 30 }, 1 / 30 },
	{ "height/N53E027_513x513.r16", {}, nil },
}

function TestHeightFiles.testFacts()
	for _, entry in ipairs(heights) do
		local name, options, metres = unpack(entry, 1, 3)
		local path, fact = facts_of(name)
		options.path, options.material = path, "rock"
		if not metres then -- the whole range of 16 bits, signed, so that a step is a metre
			options.min, options.max, metres = 0, 65535, 1
		end
		local world = scree.world()
		local result, message = world.terrain:fill_heightmap(options)
		luaunit.assertNotNil(result, message)
		luaunit.assertEquals(result.width, fact "width", name)
		luaunit.assertEquals(result.depth, fact "height", name)
		luaunit.assertEquals(result.voids, 0, name)
		local offset = result.min - fact "min" * metres -- signed files may be mapped from -32768
		near(result.max - offset, fact "max" * metres, 1e-3, name .. ": highest")
		if name:find "r16" then
			luaunit.assertTrue(offset == 0 or offset == 32768, name .. ": lowest")
		else
			near(offset, 0, 1e-3, name .. ": lowest")
		end
		-- the middle, with the cells around it averaged by the surface
		local x, z = math.floor(fact "width" / 2), math.floor(fact "height" / 2)
		local ground
		if offset == 0 or math.abs(offset) < 1 then
			ground = ground_at(world.terrain, x, z)
			luaunit.assertNotNil(ground, name)
			near(ground, fact "centre" * metres, math.max(1, 3 * metres), name .. ": height in the middle")
		end
		local bounds = world.terrain.bounds
		luaunit.assertEquals(bounds.max.x - bounds.min.x + 1, fact "width", name)
		luaunit.assertEquals(bounds.max.z - bounds.min.z + 1, fact "height", name)
		world:destroy()
	end
end

function TestHeightFiles.testVoidsInAFile()
	local path = facts_of "height/N44W072.hgt"
	local data = files.read(path)
	local side = 1201
	local function void(text, x, z)
		local at = 2 * (x + side * z)
		return text:sub(1, at) .. "\128\0" .. text:sub(at + 3)
	end
	data = void(void(void(void(data, 100, 100), 101, 100), 100, 101), 101, 101)
	data = void(data, 0, 0)
	files.holding(".hgt", data, function(copy)
		local world = scree.world()
		local result, message = world.terrain:fill_heightmap { path = copy, scale = 1 / 30, material = "rock" }
		luaunit.assertNotNil(result, message)
		luaunit.assertEquals(result.voids, 5)
		near(result.min, 115 / 30, 1e-3, "lowest")
		luaunit.assertNil(ground_at(world.terrain, 100.5, 100.5))
		at_least(ground_at(world.terrain, 105, 100) or -1, 115 / 30 - 1, "ground beside the void")
		at_least(ground_at(world.terrain, 98, 98) or -1, 115 / 30 - 1, "ground beside the void")
	end)
end

function TestHeightFiles.testVoidsInNumbers()
	local world, list = scree.world(), {}
	for i = 1, 24 * 24 do
		list[i] = 3
	end
	for _, at in ipairs { { 0, 5 }, { 10, 10 }, { 11, 10 }, { 10, 11 }, { 11, 11 } } do
		list[1 + at[1] + 24 * at[2]] = support.NAN
	end
	local result = world.terrain:fill_heightmap {
		heights = list, width = 24, depth = 24, position = { 0.5, 0, 0.5 }, bottom = 4, material = "rock",
	}
	luaunit.assertEquals(result.voids, 5)
	luaunit.assertNil(ground_at(world.terrain, 11, 11))
	near(ground_at(world.terrain, 5.5, 15.5), 3, 1e-6, "height")
	near(ground_at(world.terrain, 8.5, 8.5), 3, 1e-6, "height near the void")
	local ball = world:spawn { shape = "ball", radius = 0.4, position = { 11, 5, 11 } }
	world:step(1 / 60, 240)
	at_most(ball.position.y, -5, "a ball falls through the void")
end

function TestHeightFiles.testDamagedFiles()
	local path = facts_of "height/S36E149_257.png"
	local data = files.read(path)
	local world = scree.world()
	world.terrain:fill_box { position = { 0, 0, 0 }, size = { 8, 8, 8 }, material = "sand" }
	local function refused(extension, bytes, what)
		files.holding("." .. extension, bytes, function(copy)
			is_refused(world, function()
				return world.terrain:fill_heightmap { path = copy, min = 0, max = 100 }
			end, what)
		end)
	end
	for _, length in ipairs { 0, 1, 7, 8, 20, 33, 40, 100, 1000, 30000, #data - 40, #data - 14 } do
		refused("png", data:sub(1, length), "a .png of " .. length .. " bytes")
	end
	for _, at in ipairs { 1, 3, 13, 17, 20, 25, 26, 30 } do -- signature and header
		refused("png", data:sub(1, at - 1) .. "\255" .. data:sub(at + 1), "a .png with byte " .. at .. " changed")
	end
	refused("png", ("x"):rep(5000), "no .png")
	for _, length in ipairs { 0, 1, 2, 1201 * 1201 * 2 - 1, 1201 * 1201 * 2 + 2, 2000 } do
		refused("hgt", ("\1"):rep(length), "an .hgt of " .. length .. " bytes")
	end
	for _, length in ipairs { 0, 1, 2, 511, 513 * 513 * 2 - 1, 513 * 512 * 2 } do
		refused("r16", ("\1"):rep(length), "an .r16 of " .. length .. " bytes")
	end
end

function TestHeightFiles.testMissingFiles()
	local world = scree.world()
	for _, path in ipairs { "/no/such/file.png", "/no/such/file.hgt", "no such file.r16", "/.png", "file.tiff", "x" } do
		is_refused(world, function()
			return world.terrain:fill_heightmap { path = path, min = 0, max = 1 }
		end, path)
	end
	for _, path in ipairs { "/no/such/file.vox", "no such file.vox", "/.vox", "file.unknown", "x", "" } do
		if path ~= "" then
			is_refused(world, function()
				return world.terrain:import(path)
			end, path)
		end
	end
end

-- ---- .vox ----------------------------------------------------------------------------------------------------------

local models = {
	"placeholder", "axes", "alien_bot1", "veh_tank1", "obj_house4", "scene_park", "corvette", "scene_test",
	"hierarchy", "test_multiple_model_scene", "menger", "rgb",
}

local TestVoxFiles = {}

function TestVoxFiles.testFacts()
	for _, name in ipairs(models) do
		local path, fact, line = facts_of("vox/" .. name .. ".vox")
		local world = scree.world()
		local info, message = world.terrain:import(path, { hidden = true })
		luaunit.assertNotNil(info, message)
		local cells = fact "world_distinct_cells" or fact "total_voxels"
		luaunit.assertEquals(info.cells, cells, name .. ": cells")
		luaunit.assertEquals(info.models, fact "n_models", name .. ": models")
		luaunit.assertEquals(info.dropped, 0, name .. ": dropped")
		if fact "instances" then
			luaunit.assertEquals(info.instances, fact "instances", name .. ": instances")
			luaunit.assertEquals(info.hidden_instances, fact "instances_hidden", name .. ": hidden")
			luaunit.assertEquals(info.overlaps, fact "world_overlaps", name .. ": overlaps")
			-- the file's z is up: its x, z, y are here x, y, z, one of them turned round
			local x0, y0, z0 = line:match '"world_min": %[(%-?%d+), (%-?%d+), (%-?%d+)%]'
			local x1, y1, z1 = line:match '"world_max": %[(%-?%d+), (%-?%d+), (%-?%d+)%]'
			local size = info.max - info.min
			luaunit.assertEquals({ size.x, size.y, size.z }, { x1 - x0, z1 - z0, y1 - y0 }, name .. ": size")
			luaunit.assertEquals(info.min.y, tonumber(z0), name .. ": lowest")
		end
		local found = 0
		for material, count in pairs(world.terrain:count(info.min, info.max)) do
			luaunit.assertTrue(material == "air" or material:find "^vox_%x%x%x%x%x%x$" ~= nil, name .. ": " .. material)
			found = found + (material ~= "air" and count or 0)
		end
		luaunit.assertEquals(found, cells, name .. ": cells that are there")
		if fact "n_models" == 1 and cells < 200000 then -- two triangles for each face between a cell and the air
			luaunit.assertEquals(world.terrain:mesh().triangle_count, 2 * fact "exposed_faces", name .. ": triangles")
		end
		world:destroy()
	end
end

function TestVoxFiles.testHiddenPartsAreSkipped()
	local path, fact = facts_of "vox/scene_test.vox"
	local world = scree.world()
	local info = world.terrain:import(path)
	luaunit.assertEquals(info.hidden_instances, fact "instances_hidden")
	luaunit.assertEquals(info.instances, fact "instances")
	at_most(info.cells, fact "world_distinct_cells" - 1, "cells")
end

-- A world has room for 256 materials; a file with more colours than are left can still be mapped.
function TestVoxFiles.testTooManyColours()
	local path, fact = facts_of "vox/mother.vox"
	local world, map = scree.world(), {}
	local all = world.terrain:import(path)
	luaunit.assertEquals(all.cells, fact "total_voxels")
	luaunit.assertEquals(all.merged_colors, 255 - 236) -- 20 of the 256 materials are there from the start
	world.terrain:clear()
	for i = 1, 255 do
		map[i] = i % 2 == 0 and "sand" or "rock"
	end
	local info, message = world.terrain:import(path, { materials = map })
	luaunit.assertNotNil(info, message)
	luaunit.assertEquals(info.cells, fact "total_voxels")
	luaunit.assertEquals(info.added.sand + info.added.rock, fact "total_voxels")
end

function TestVoxFiles.testMaterialsAndPlace()
	local path = facts_of "vox/rgb.vox"
	local world, map = scree.world(), {}
	for i = 1, 255 do
		map[i] = "sand"
	end
	local info = world.terrain:import(path, { materials = map, at = { 100, 5, -70 } })
	luaunit.assertEquals(info.added, { sand = 99 })
	luaunit.assertEquals(world.terrain:count(info.min, info.max).sand, 99)
	local plain = scree.world().terrain:import(path)
	support.is_vec3(info.min - plain.min, 100, 5, -70)
end

-- A file by hand. chunks: { id, content } pairs inside MAIN.
local function u32(n)
	n = n % 2 ^ 32
	return string.char(n % 256, math.floor(n / 256) % 256, math.floor(n / 65536) % 256, math.floor(n / 16777216))
end

local function vox(chunks)
	local body = {}
	for _, chunk in ipairs(chunks) do
		body[#body + 1] = chunk[1] .. u32(chunk[3] or #chunk[2]) .. u32(0) .. chunk[2]
	end
	body = table.concat(body)
	return "VOX " .. u32(150) .. "MAIN" .. u32(0) .. u32(#body) .. body
end

local function model(sx, sy, sz, count, voxels)
	return vox { { "SIZE", u32(sx) .. u32(sy) .. u32(sz) }, { "XYZI", u32(count) .. voxels } }
end

local GOOD = model(2, 2, 2, 3, "\0\0\0\1" .. "\1\0\0\1" .. "\1\1\1\2")

function TestVoxFiles.testHandMadeFile()
	files.holding(".vox", GOOD, function(path)
		local info, message = scree.world().terrain:import(path)
		luaunit.assertNotNil(info, message)
		luaunit.assertEquals(info.cells, 3)
	end)
end

function TestVoxFiles.testEveryCutIsRefused()
	local world = scree.world()
	for length = 0, #GOOD - 1 do
		files.holding(".vox", GOOD:sub(1, length), function(path)
			is_refused(world, function()
				return world.terrain:import(path)
			end, "cut to " .. length .. " bytes")
		end)
	end
end

-- Each either refused with the world unchanged, or read with what is impossible left out and counted.
function TestVoxFiles.testHostileFiles()
	local big = 2 ^ 31 - 1
	local hostile = {
		{ "voxel outside", model(1, 1, 1, 1, "\255\255\255\1"), drops = 1 },
		{ "size 0", model(0, 1, 1, 1, "\0\0\0\1"), drops = 1 },
		{ "size -1", model(-1, -1, -1, 1, "\0\0\0\1") },
		{ "huge size", model(big, big, big, 1, "\0\0\0\1") },
		{ "huge count", model(2, 2, 2, 2 ^ 30, "\0\0\0\1"), refused = true },
		{ "count -1", model(2, 2, 2, -1, "\0\0\0\1"), refused = true },
		{ "no size", vox { { "XYZI", u32(1) .. "\0\0\0\1" } }, refused = true },
		{ "no model", vox {}, refused = true },
		{ "chunk longer than the file", vox { { "SIZE", u32(1) .. u32(1) .. u32(1), big } }, refused = true },
		{ "size of a chunk -1", vox { { "SIZE", u32(1) .. u32(1) .. u32(1), 2 ^ 32 - 1 } }, refused = true },
		{ "wrong magic", "VOY " .. GOOD:sub(5), refused = true },
		{ "text", ("not a model\n"):rep(50), refused = true },
	}
	for _, file in ipairs(hostile) do
		files.holding(".vox", file[2], function(path)
			local world = scree.world()
			local hash = world:hash()
			local info, message = world.terrain:import(path)
			if file.refused then
				luaunit.assertNil(info, file[1])
			end
			if info then
				luaunit.assertEquals(info.dropped, file.drops or info.dropped, file[1])
				luaunit.assertEquals(info.cells + info.dropped, 1, file[1])
			else
				luaunit.assertEquals(type(message), "string", file[1])
				luaunit.assertEquals(world:hash(), hash, file[1])
			end
			at_most(world.stats.bytes, 64 * 1024 * 1024, file[1] .. ": bytes")
		end)
	end
end

function TestVoxFiles.testNotAVoxFile()
	local path = facts_of "vox/not_a.vox"
	local world = scree.world()
	is_refused(world, function()
		return world.terrain:import(path)
	end, "not_a.vox")
end

-- Bytes of a real file changed at random: never a crash, and nothing half done.
function TestVoxFiles.testChangedBytes()
	local path = facts_of "vox/hierarchy.vox"
	local data, seed = files.read(path), 17
	local random, world = scenery.generator(seed), scree.world()
	for round = 1, 150 do
		local bytes = data
		for _ = 1, 1 + random(4) do
			local at = 1 + (round % 2 == 0 and random(3000) or random(#data))
			bytes = bytes:sub(1, at - 1) .. string.char(random(256)) .. bytes:sub(at + 1)
		end
		files.holding(".vox", bytes, function(copy)
			local hash = world:hash()
			local info, message = world.terrain:import(copy)
			if info then
				world.terrain:clear()
			else
				luaunit.assertEquals(type(message), "string")
				luaunit.assertEquals(world:hash(), hash, ("round %d, seed %d"):format(round, seed))
			end
		end)
	end
end

-- ---- cells at the borders of chunks --------------------------------------------------------------------------------

local TestBorders = {}

local DIRECTIONS = { { 1, 0, 0 }, { -1, 0, 0 }, { 0, 1, 0 }, { 0, -1, 0 }, { 0, 0, 1 }, { 0, 0, -1 } }

-- The corners of chunks, whatever their side: multiples of 8, 16 and 32.
local function corners(fn)
	for _, side in ipairs { 8, 16, 32 } do
		for x = -2, 2 do
			for y = -2, 2 do
				for z = -2, 2 do
					fn(x * side, y * side, z * side)
				end
			end
		end
	end
end

-- Points and rays around the eight cells at a corner against what the cells are.
local function agrees(terrain, x, y, z, solid, what)
	what = ("%s at %d, %d, %d: "):format(what, x, y, z)
	for i = -2, 1 do
		for j = -2, 1 do
			for k = -2, 1 do
				local material = terrain:get(x + i, y + j, z + k)
				local center = terrain:cell_center(x + i, y + j, z + k)
				if terrain:is_inside(center) ~= (material ~= "air") then
					luaunit.fail(("%sthe cell %d, %d, %d is %s"):format(what, x + i, y + j, z + k, material))
				end
			end
		end
	end
	for _, d in ipairs(DIRECTIONS) do
		local direction = scree.vec3(d[1], d[2], d[3])
		-- beside the axis, so that it runs through the middles of cells
		local aside = scree.vec3(d[1] == 0 and 0.5 or 0, d[2] == 0 and 0.5 or 0, d[3] == 0 and 0.5 or 0)
		local corner = scree.vec3(x, y, z) + aside
		local from, to = corner + 6 * direction, corner
		if not solid then
			from, to = corner, corner + 6 * direction -- from the middle of the hole
		end
		local hit = terrain:raycast(from, to)
		luaunit.assertNotNil(hit, what .. "no hit along " .. tostring(direction))
		local expected = corner + direction
		at_most((hit.position - expected):length(), 1e-6, what .. "hit along " .. tostring(direction))
		luaunit.assertFalse(hit.inside, what)
	end
end

function TestBorders.testBlocksInTheAir()
	local world = scree.world()
	local terrain = world.terrain
	corners(function(x, y, z)
		terrain:fill_box { position = { x, y, z }, size = { 2, 2, 2 }, material = "brick" }
		agrees(terrain, x, y, z, true, "a block")
		terrain:fill_box { position = { x, y, z }, size = { 2, 2, 2 }, material = "air" }
		luaunit.assertNil(terrain:raycast({ x + 0.5, y + 6, z + 0.5 }, { x + 0.5, y - 6, z + 0.5 }))
		luaunit.assertFalse((terrain:is_inside { x + 0.5, y + 0.5, z + 0.5 }))
	end)
	luaunit.assertNil(terrain.bounds)
end

function TestBorders.testHolesInTheGround()
	local world = scree.world()
	local terrain = world.terrain
	terrain:fill_box { position = { 0, 0, 0 }, size = { 144, 144, 144 }, material = "brick" }
	corners(function(x, y, z)
		for i = 0, 7 do -- cell by cell
			terrain:set(x - i % 2, y - math.floor(i / 2) % 2, z - math.floor(i / 4), "air")
		end
		agrees(terrain, x, y, z, false, "a hole")
		terrain:fill_box { position = { x, y, z }, size = { 2, 2, 2 }, material = "brick" }
		luaunit.assertTrue((terrain:is_inside { x + 0.5, y + 0.5, z - 0.5 }))
	end)
	luaunit.assertEquals(terrain:mesh().triangle_count, 2 * 6 * 144 * 144)
end

-- A value of its own, as far as bytes go, for each cell around the origin.
function TestBorders.testNegativeCoordinatesKeepTheirCells()
	local terrain = scree.world().terrain
	local low, high = { -33, -33, -33 }, { 33, 33, 33 }
	local region = terrain:read(low, high)
	local n = 67 * 67 * 67
	for i = 0, n - 1 do
		region.material[i], region.occupancy[i] = 2 + (i * 7 + math.floor(i / 67)) % 18, (i * 31 + math.floor(i / 4489)) % 256
	end
	terrain:write(low, region)
	local back = terrain:read(low, high)
	luaunit.assertEquals(ffi.string(back.material, n), ffi.string(region.material, n))
	luaunit.assertEquals(ffi.string(back.occupancy, n), ffi.string(region.occupancy, n))
	for _, at in ipairs { -33, -32, -31, -17, -16, -15, -9, -8, -7, -1, 0, 1, 7, 8, 15, 16, 31, 32, 33 } do
		local material, occupancy = terrain:get(at, -1, at)
		local i = at + 33 + 67 * (at + 33 + 67 * 32)
		local one = scree.world().terrain
		one:set(at, -1, at, material, occupancy)
		luaunit.assertEquals(one:get(at, -1, at), material)
		luaunit.assertEquals(occupancy, (region.occupancy[i] + 1) / 256)
		local x, y, z = one:to_cell { at + 0.5, -0.5, at + 0.5 }
		luaunit.assertEquals({ x, y, z }, { at, -1, at })
	end
end

function TestBorders.testBodiesRestAtNegativeCoordinates()
	for _, at in ipairs { -0.5, -1.5, -8.5, -16.5, -17.5, -32.5, -33.5, 15.5, 16.5 } do
		local world = scree.world()
		local cell = math.floor(at)
		for x = cell - 1, cell + 1 do
			for z = cell - 1, cell + 1 do
				world.terrain:set(x, cell, z, "brick")
			end
		end
		local box = world:spawn { shape = "box", size = { 1, 1, 1 }, position = { at, cell + 2, at } }
		luaunit.assertNotNil(world:settle(5), "never slept at " .. at)
		near(box.position.y, cell + 1.5, 0.006, "height at " .. at)
		near(box.position.x, at, 0.01, "x at " .. at)
		local hit = world.terrain:raycast({ at, cell + 5, at }, { at, cell - 5, at })
		near(hit.position.y, cell + 1, 1e-6, "ray at " .. at)
		support.is_vec3(hit.cell, cell, cell, cell)
	end
end

return { TestHeightFiles = TestHeightFiles, TestVoxFiles = TestVoxFiles, TestBorders = TestBorders }
