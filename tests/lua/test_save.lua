-- Terrain in files: what is saved comes back, what is damaged does not.

local lu = require "luaunit"
local files = require "files"
local scree = require "scree"
local support = require "support"

local TestSave = {}

local function landscape(world)
	local t = world.terrain
	world.materials.copper = { density = 8900, friction = 0.4, color = 0xB87333 }
	t:generate {
		min = { -40, -40 }, max = { 40, 40 },
		height = function(x, z) return 5 * scree.sin(x * 0.2) + 3 * scree.cos(z * 0.3) end,
		layers = { { material = "grass", depth = 1 }, { material = "rock" } },
	}
	t:fill_ball { center = { 3, -2, 5 }, radius = 6, material = "air" }
	t:fill_ball { center = { -20, -6, 5 }, radius = 4, material = "copper", mode = "paint" }
	t:fill_box { position = { 0, -4, 0 }, size = { 60, 4, 60 }, material = "water" }
end

function TestSave.testRoundTrip()
	files.with("", function(path)
		local world = scree.world { cell_size = 0.5 }
		landscape(world)
		lu.assertTrue(world.terrain:save(path))
		local other = scree.world { cell_size = 0.5 }
		other.terrain:set(2000, 7, -3, "sand")
		local version = other.terrain.version
		local info = assert(other.terrain:load(path))
		lu.assertEquals(other:hash(), world:hash())
		lu.assertEquals(other.materials.copper.friction, world.materials.copper.friction)
		lu.assertEquals(info.cell_size, 0.5)
		lu.assertEquals(info.materials_added, 1)
		lu.assertEquals(info.removed.sand, 1)
		lu.assertTrue(info.cells > 10000 and info.chunks > 8)
		lu.assertEquals(other.terrain.version, version + 1)
		local a, b = world.terrain:mesh(), other.terrain:mesh()
		lu.assertEquals(a.vertex_count, b.vertex_count)
		lu.assertEquals(a.triangle_count, b.triangle_count)
		-- Untouched ground beside it stays editable, and a second file of the same cells is the same file.
		local first = files.read(path)
		lu.assertTrue(other.terrain:save(path))
		lu.assertEquals(#files.read(path), #first)
		lu.assertTrue(files.read(path) == first)
		for _, level in ipairs { 1, 19 } do
			lu.assertTrue(other.terrain:save(path, { level = level }))
			lu.assertNotNil(other.terrain:load(path))
			lu.assertEquals(other:hash(), world:hash())
		end
	end)
end

function TestSave.testEmptyTerrain()
	files.with("", function(path)
		local world = scree.world {}
		lu.assertTrue(world.terrain:save(path))
		world.terrain:set(1, 2, 3, "rock")
		lu.assertEquals(world.terrain:load(path).cells, 0)
		lu.assertNil(world.terrain.bounds)
	end)
end

function TestSave.testMaterials()
	files.with("", function(path)
		local world = scree.world {}
		world.materials.rock = { friction = 0.3 }
		world.terrain:set(0, 0, 0, "rock")
		world.terrain:save(path)
		local a, b = scree.world {}, scree.world {}
		a.materials.first = { density = 1 }
		lu.assertEquals(a.terrain:load(path).materials_changed, 1)
		lu.assertAlmostEquals(a.materials.rock.friction, 0.3, 1e-6)
		lu.assertEquals(b.terrain:load(path, { materials = "world" }).materials_changed, 0)
		lu.assertAlmostEquals(b.materials.rock.friction, 0.75, 1e-6)
	end)
end

function TestSave.testDamagedFilesChangeNothing()
	files.with("", function(path)
		local source = scree.world {}
		source.terrain:fill_ball { center = { 1, 2, 3 }, radius = 3, material = "rock" }
		source.terrain:save(path)
		local good = files.read(path)
		local world = scree.world {}
		landscape(world)
		local crate = world:spawn { shape = "box", size = { 1, 1, 1 }, position = { 0, 9, 0 } }
		world:settle(20)
		local hash, version, names = world:hash(), world.terrain.version, #world.materials:names()
		local function refused(bytes, ...)
			files.write(path, bytes)
			local info, message = world.terrain:load(path)
			lu.assertNil(info)
			lu.assertStrContains(message, path)
			for _, words in ipairs { ... } do
				lu.assertStrContains(message, words)
			end
			lu.assertEquals(world.terrain.version, version)
		end
		for size = 0, #good - 1, 7 do
			refused(good:sub(1, size))
		end
		for at = 1, #good, 3 do
			local byte = bit.bxor(good:byte(at), bit.lshift(1, at % 8))
			refused(good:sub(1, at - 1) .. string.char(byte) .. good:sub(at + 1))
		end
		refused(good .. "x", "after its end")
		refused("", "not a file of scree")
		refused("not terrain at all, but text", "not a file of scree")
		lu.assertEquals(world:hash(), hash)
		lu.assertEquals(#world.materials:names(), names)
		lu.assertEquals(crate.state, "asleep")
	end)
end

function TestSave.testPlacesThatCannotBe()
	local world = scree.world {}
	for _, path in ipairs { "/no/such/folder/x", "/tmp", "/dev/full" } do
		local saved, message = world.terrain:save(path)
		lu.assertNil(saved)
		lu.assertStrContains(message, "save: ")
		lu.assertStrContains(message, path)
		local info
		info, message = world.terrain:load(path)
		lu.assertNil(info)
		lu.assertStrContains(message, "load: ")
		lu.assertStrContains(message, path)
	end
	support.fails(function() world.terrain:save("x", { levle = 3 }) end, "save: unknown key", "level")
	support.fails(function() world.terrain:load("x", { materials = "both" }) end, "opts.materials", "both")
end

-- The ground goes from under a sleeping body: it wakes and falls.
function TestSave.testLoadingWakes()
	files.with("", function(path)
		local world = scree.world {}
		world.terrain:save(path)
		world.terrain:fill_box { position = { 0, -2, 0 }, size = { 16, 4, 16 }, material = "rock" }
		local crate = world:spawn { shape = "box", size = { 1, 1, 1 }, position = { 0, 0.5, 0 } }
		world:settle(20)
		lu.assertEquals(crate.state, "asleep")
		world.terrain:load(path)
		world:run(1)
		lu.assertTrue(crate.position.y < -3)
	end)
end

-- A chunk that was never touched before is edited, saved and loaded.
function TestSave.testEditsFarAway()
	files.with("", function(path)
		local world = scree.world {}
		local cells = { { 2 ^ 30, -2 ^ 30, 0 }, { -16, -17, -33 }, { -1, -1, -1 }, { 1e6, 5, -1e6 } }
		for i, c in ipairs(cells) do
			world.terrain:set(c[1], c[2], c[3], "rock", i / 8)
		end
		world.terrain:save(path)
		local other = scree.world {}
		other.terrain:load(path)
		for i, c in ipairs(cells) do
			local material, occupancy = other.terrain:get(c[1], c[2], c[3])
			lu.assertEquals(material, "rock")
			lu.assertEquals(occupancy, i / 8)
		end
		lu.assertEquals(other.terrain:count({ -2 ^ 30, -2 ^ 30, -2 ^ 30 }, { 2 ^ 30, 2 ^ 30, 2 ^ 30 }).rock, 4)
	end)
end

return { TestSave = TestSave }
