-- Undo and redo from Lua; and edits of one step, which become visible together.

local lu = require "luaunit"
local ffi = require "ffi"
local scree = require "scree"
local support = require "support"

local TestUndo = {}

local function ground()
	local world = scree.world {}
	world.terrain:fill_box { position = { 0, -4, 0 }, size = { 64, 8, 64 }, material = "rock" }
	return world, world.terrain
end

function TestUndo.testGroups()
	local world, t = ground()
	lu.assertFalse(t:undo())
	lu.assertFalse(t:redo())
	local before = world:hash()
	t:begin_undo "crater"
	t:fill_ball { center = { 0, 0, 0 }, radius = 5, material = "air" }
	t:set(3, 3, 3, "sand", 0.5)
	local crater = world:hash()
	t:begin_undo()
	t:fill_box { position = { 0, -2, 0 }, size = { 4, 4, 4 }, material = "water" }
	local lake = world:hash()
	lu.assertEquals(t.undo_stats.undos, 2)
	lu.assertTrue(t.undo_stats.bytes > 0)
	local stats = world.stats.terrain
	lu.assertEquals({ stats.undos, stats.redos, stats.undo_bytes }, { 2, 0, t.undo_stats.bytes })
	lu.assertTrue(stats.undo_bytes < world.stats.bytes)
	lu.assertEquals(t:undo(), true)
	lu.assertEquals({ world.stats.terrain.undos, world.stats.terrain.redos }, { 1, 1 })
	lu.assertEquals(world:hash(), crater)
	lu.assertEquals(t:undo(), "crater")
	lu.assertEquals(world:hash(), before)
	lu.assertEquals(t:undo(), false)
	lu.assertEquals(t:redo(), "crater")
	lu.assertEquals(t:redo(), true)
	lu.assertEquals(world:hash(), lake)
	lu.assertEquals(t:redo(), false)
	t:undo()
	t:set(0, 9, 0, "wood")
	lu.assertEquals(t:redo(), false)
	lu.assertEquals(t.undo_stats.redos, 0)
end

function TestUndo.testEveryKindOfEdit()
	local _, t = ground()
	local region = t:copy({ -3, -3, -3 }, { 4, 2, 4 })
	local edits = {
		set = function() t:set(0, 5, 0, "sand") end,
		write = function() t:write({ 30, -3, -7 }, region) end,
		fill_ball = function() t:fill_ball { center = { 9, 0, 9 }, radius = 5, material = "sand" } end,
		fill_box = function() t:fill_box { position = { 9, 0, 9 }, size = { 5, 5, 5 }, material = "air" } end,
		fill_cylinder = function()
			t:fill_cylinder { position = { -9, 0, 9 }, radius = 3, height = 9, material = "wood" }
		end,
		fill_wedge = function()
			t:fill_wedge { position = { -9, 0, -9 }, size = { 5, 5, 5 }, material = "brick", mode = "add" }
		end,
		paint = function() t:fill_ball { center = { 0, 0, 0 }, radius = 5, material = "mud", mode = "paint" } end,
		water = function() t:fill_box { position = { 0, 9, 0 }, size = { 9, 9, 9 }, material = "water" } end,
		fill_heightmap = function()
			t:fill_heightmap { heights = { 5, 6, 7, 8 }, width = 2, depth = 2, cell = 20, material = "snow" }
		end,
		generate = function()
			t:generate { min = { -9, -9 }, max = { 9, 9 }, height = function(x) return x end, material = "ice" }
		end,
		replace = function() t:replace({ -99, -99, -99 }, { 99, 99, 99 }, "rock", "basalt") end,
		clear = function() t:clear() end,
	}
	for _, name in ipairs { "smooth", "grow" } do
		if pcall(function() return t[name] end) then
			edits[name] = function() t[name](t, { center = { 0, 0, 0 }, radius = 6, strength = 0.5 }) end
		end
	end
	local function hash() return t:copy({ -40, -12, -40 }, { 45, 20, 45 }) end
	for name, edit in pairs(edits) do
		local before, version = hash(), t.version
		t:begin_undo(name)
		edit()
		local changed = t.version > version
		lu.assertTrue(changed or name == "smooth", name)
		if changed then
			lu.assertEquals(t:undo(), name)
		end
		local after = hash()
		for _, channel in ipairs { "material", "occupancy", "water" } do
			local size = ffi.sizeof(before[channel])
			lu.assertTrue(ffi.string(before[channel], size) == ffi.string(after[channel], size), name)
		end
	end
end

function TestUndo.testBodiesMeetWhatIsUndone()
	local world, t = ground()
	local crate = world:spawn { shape = "box", size = { 1, 1, 1 }, position = { 0, 6.5, 0 } }
	t:begin_undo "tower"
	t:fill_box { position = { 0, 3, 0 }, size = { 4, 6, 4 }, material = "rock" }
	world:settle(20)
	lu.assertEquals(crate.state, "asleep")
	lu.assertAlmostEquals(crate.position.y, 6.5, 0.05)
	local version = t.version
	t:undo()
	local _, boxes = t:changes(version)
	lu.assertTrue(#boxes >= 1)
	world:settle(20)
	lu.assertAlmostEquals(crate.position.y, 0.5, 0.05)
	t:redo() -- the tower comes back around the crate, which may not stay inside unnoticed
	world:step()
	lu.assertNotEquals(crate.state, "asleep")
end

function TestUndo.testBudget()
	local _, t = ground()
	lu.assertEquals(t.undo_budget, 256 * 2 ^ 20)
	t.undo_budget = 20000
	lu.assertEquals(t.undo_budget, 20000)
	for i = 1, 60 do
		t:begin_undo("group " .. i)
		t:fill_ball { center = { i, 0, 3 * i % 7 }, radius = 3, material = i % 2 == 0 and "air" or "sand" }
		lu.assertTrue(t.undo_stats.bytes <= 20000)
	end
	local stats = t.undo_stats
	lu.assertTrue(stats.dropped > 0 and stats.undos > 1)
	lu.assertEquals(stats.undos + stats.dropped, 60)
	lu.assertEquals(t:undo(), "group 60")
end

function TestUndo.testErrors()
	local world, t = ground()
	support.fails(function() t:begin_undo(5) end, "begin_undo: name", "5")
	support.fails(function() t:begin_undo "" end, "begin_undo: name")
	support.fails(function() t:begin_undo(("x"):rep(64)) end, "begin_undo: name")
	support.fails(function() t.undo_budget = -1 end, "terrain.undo_budget")
	support.fails(function() t.undo_budget = 0 / 0 end, "terrain.undo_budget")
	support.fails(function() t.undo_stats = {} end, "read-only")
	t:begin_undo(("x"):rep(63))
	world:destroy()
	support.fails(function() t:undo() end, "undo", "destroyed")
	support.fails(function() t:begin_undo() end, "begin_undo", "destroyed")
	support.fails(function() return t.undo_stats end, "undo_stats", "destroyed")
end

-- ---- edits of one step ----------------------------------------------------------------------------------------------

local COUNT = 10000
local LO, HI = { -24, -24, -24 }, { 39, 23, 23 }

-- A stream of overlapping edits that is the same each time.
local function edits(count, t, after)
	local seed = 12345
	local function random(n)
		seed = (seed * 1103515245 + 12345) % 2 ^ 31
		return math.floor(seed / 2 ^ 31 * n)
	end
	local materials = { "rock", "sand", "grass", "air", "brick", "water" }
	local stamp
	for i = 1, count do
		local p = { random(56) - 20 + 0.25 * random(4), random(40) - 20 + 0.5, random(40) - 20 }
		local m, kind = materials[1 + random(6)], random(40)
		if kind == 0 then
			t:fill_ball { center = p, radius = 1 + random(4), material = m }
		elseif kind == 1 then
			t:fill_box { position = p, size = { 1 + random(9), 1 + random(5), 1 + random(5) }, material = m }
		elseif kind == 2 then
			t:fill_ball { center = p, radius = 1 + random(4), material = "mud", mode = "paint" }
		elseif kind == 3 then
			t:fill_ball { center = p, radius = 2 + random(3), mode = "remove" }
		elseif kind == 4 then
			local x, y, z = math.floor(p[1]), math.floor(p[2]), math.floor(p[3])
			t:replace({ x, y, z }, { x + random(9), y + 3, z + 9 }, "rock", "basalt")
		elseif kind == 5 then
			local x, y, z = math.floor(p[1]) - 3, math.floor(p[2]) - 3, math.floor(p[3]) - 3
			if stamp then
				t:write({ x, y, z }, stamp, stamp)
			end
			stamp = t:copy({ x, y, z }, { x + 3, y + 3, z + 3 })
		else
			t:set(math.floor(p[1]), math.floor(p[2]), math.floor(p[3]), m, (1 + random(256)) / 256)
		end
		after(i)
	end
end

local function mesh_bytes(world)
	local mesh = world.terrain:mesh()
	return ffi.string(mesh.positions, 24 * mesh.vertex_count) .. ffi.string(mesh.indices, 12 * mesh.triangle_count)
		.. ffi.string(mesh.materials, mesh.triangle_count)
end

local function rays(world)
	local hits = {}
	for x = -24, 39, 1.7 do
		for z = -24, 23, 1.9 do
			local hit = world:raycast({ x, 60, z }, { x + 3, -60, z + 1 })
			hits[#hits + 1] = hit and ("%.17g"):format(hit.fraction) or "-"
		end
	end
	return table.concat(hits, " ")
end

local function drop_balls(world)
	for i = 0, 11 do
		world:spawn { shape = "ball", radius = 0.5, position = { 5 * i - 20, 32, 3 * (i % 5) - 6 } }
	end
	world:step(1 / 60, 90)
	return world:hash()
end

function TestUndo.testTenThousandEditsInOneStep()
	local once, spread, anew = scree.world {}, scree.world {}, scree.world {}
	edits(COUNT, once.terrain, function() end)
	once:step()
	edits(COUNT, spread.terrain, function(i)
		if i % 10 == 0 then -- a step of an empty world brings records and colliders up to date
			spread:step()
		end
		if i % 500 == 0 then
			spread:raycast({ 0, 60, 0 }, { 1, -60, 1 })
		end
	end)
	while spread.step_count > once.step_count do
		once:step()
	end
	local cells, from = anew.terrain:copy(LO, HI), once.terrain:copy(LO, HI)
	for _, channel in ipairs { "material", "occupancy", "water" } do
		ffi.copy(cells[channel], from[channel], ffi.sizeof(from[channel]))
	end
	anew.terrain:write(LO, cells)
	while anew.step_count < once.step_count do
		anew:step()
	end
	local bounds = once.terrain.bounds
	for i, axis in ipairs { "x", "y", "z" } do
		lu.assertTrue(bounds.min[axis] >= LO[i] and bounds.max[axis] <= HI[i])
	end
	lu.assertEquals(spread:hash(), once:hash())
	lu.assertEquals(anew:hash(), once:hash())
	local mesh, hits = mesh_bytes(once), rays(once)
	lu.assertTrue(#mesh > 100000)
	lu.assertTrue(mesh_bytes(spread) == mesh and mesh_bytes(anew) == mesh)
	lu.assertTrue(rays(spread) == hits and rays(anew) == hits)
	lu.assertEquals(spread.stats.terrain.records, once.stats.terrain.records)
	lu.assertEquals(anew.stats.terrain.records, once.stats.terrain.records)
	local hash = drop_balls(once)
	lu.assertEquals(drop_balls(spread), hash)
	lu.assertEquals(drop_balls(anew), hash)
end

return { TestUndo = TestUndo }
