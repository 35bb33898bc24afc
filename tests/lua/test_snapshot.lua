-- Snapshots and saved worlds: from a restored state everything happens again, bit for bit; what is damaged is refused,
-- and then nothing has changed.

local lu = require "luaunit"
local files = require "files"
local scree = require "scree"
local scenes = require "scenes"
local scenery = require "scenery"
local support = require "support"

local TestSnapshot = {}

local DT = scenery.DT

-- An edit, a push, something new and something gone, the same for the same k.
local function disturb(world, k)
	local list = {}
	for body in world:assemblies() do
		list[#list + 1] = body
	end
	if list[3 + k] then
		list[3 + k]:apply_impulse { 3, 20, 1 }
		list[2 + k]:destroy()
	end
	world:spawn { shape = "box", size = { 1, 0.5, 0.7 }, position = { k, 9, 0 }, velocity = { 0, -3, 0 } }
	world.terrain:fill_ball { center = { 2 * k - 4, -1, k }, radius = 2 + k, material = k % 2 == 0 and "air" or "sand" }
end

-- Hashes and events of some steps, as text.
local function future(world)
	local lines = {}
	for k = 0, 3 do
		world:step(DT, 15)
		for event in world:events() do
			lines[#lines + 1] = ("%s %s %s %s"):format(
				event.kind, tostring(event.a and event.a.id), tostring(event.assembly and event.assembly.id),
				tostring(event.reason)
			)
		end
		lines[#lines + 1] = world:hash()
		disturb(world, k)
		lines[#lines + 1] = world:hash()
	end
	return table.concat(lines, "\n")
end

for _, name in ipairs(scenes.names) do
	TestSnapshot["testSameFuture" .. name] = function()
		for _, threads in ipairs { 1, 2 } do
			local world = scenes.build[name](threads)
			world:step(DT, 70)
			local before = world:hash()
			local first = world:snapshot()
			lu.assertEquals(world:hash(), before)
			local expected = future(world)
			local later = world:snapshot()
			local after = world:hash()
			assert(world:restore(first))
			lu.assertEquals(world:hash(), before)
			lu.assertTrue(world:snapshot() == first)
			lu.assertEquals(future(world), expected)
			assert(world:restore(later))
			lu.assertEquals(world:hash(), after)
			assert(world:restore(first))
			lu.assertEquals(future(world), expected)
			world:destroy()
		end
	end
end

-- In the middle of falling asleep, and with edits and changes that no step has met yet.
function TestSnapshot.testAnyMoment()
	local world = support.world_with_floor()
	for i = 1, 20 do
		support.box(world, { position = { 0.02 * (i % 3), i - 0.5, 0 } })
	end
	local moments, hashes = {}, {}
	for i = 1, 40 do
		if i == 30 then
			world.terrain:fill_ball { center = { 0, -1, 0 }, radius = 1.5, material = "air" }
		end
		moments[i], hashes[i] = world:snapshot(), world:hash()
		world:step(DT, 6)
	end
	local last = world:hash()
	local random = scenery.generator(3)
	for _ = 1, 25 do
		local i = 1 + math.floor(40 * random())
		assert(world:restore(moments[i]))
		for k = i, 40 do
			lu.assertEquals(world:hash(), hashes[k], ("from %d, at %d"):format(i, k))
			if k == 29 then
				world:step(DT, 6)
				world.terrain:fill_ball { center = { 0, -1, 0 }, radius = 1.5, material = "air" }
			else
				world:step(DT, 6)
			end
		end
		lu.assertEquals(world:hash(), last)
	end
end

-- A pending edit wakes only in the step that follows, as it would have.
function TestSnapshot.testPendingEdit()
	local function build()
		local world = support.world_with_floor()
		local near, far = support.box(world, { position = { 0, 0.5, 0 } }), support.box(world, { position = { 9, 0.5, 0 } })
		lu.assertNotNil(world:settle(5))
		return world, near, far
	end
	local world, near, far = build()
	local calm = world:snapshot()
	world.terrain:fill_ball { center = { 0, -1, 0 }, radius = 1.5, material = "air" }
	local edited = world:snapshot()
	world:step()
	lu.assertEquals({ near.state, far.state }, { "awake", "asleep" })
	assert(world:restore(edited))
	lu.assertEquals({ near.state, far.state }, { "asleep", "asleep" })
	world:step()
	lu.assertEquals({ near.state, far.state }, { "awake", "asleep" })
	-- going back fills the hole again, which is no news to the sleepers
	assert(world:restore(calm))
	lu.assertEquals(world.terrain:get(0, -1, 0), "rock")
	world:step()
	lu.assertEquals({ near.state, far.state }, { "asleep", "asleep" })
end

function TestSnapshot.testHandles()
	local world = support.world_with_floor()
	local old = support.box(world, { tag = "old" })
	local gone = support.box(world, { position = { 5, 5, 0 }, tag = "gone" })
	local snapshot = world:snapshot()
	gone:destroy()
	local new = support.box(world, { position = { -5, 5, 0 } })
	local id = new.id
	assert(world:restore(snapshot))
	lu.assertTrue(old.valid and gone.valid)
	lu.assertFalse(new.valid)
	lu.assertEquals(old.tag, "old")
	lu.assertNil(gone.tag)
	lu.assertEquals(gone.position.x, 5)
	support.fails(function() return new.position end, "destroyed")
	gone:destroy()
	local other = support.box(world, { position = { -7, 5, 0 } })
	lu.assertEquals(other.id, id)
	lu.assertFalse(new.valid)
	lu.assertTrue(other ~= new and other.valid)
end

function TestSnapshot.testRest()
	local world = scree.world { gravity = { 0, -5, 0 }, sleep = { time = 0.3 } }
	world.terrain:fill_box { position = { 0, -1, 0 }, size = { 8, 2, 8 }, material = "rock" }
	world.materials.copper = { density = 8900 }
	local body = support.box(world, { group = "boxes", collides_with = { "default" }, material = "copper" })
	world:advance(0.1)
	local snapshot, materials = world:snapshot(), world.materials.copper.friction
	local alpha = world:advance(0.1)
	world.gravity, world.sleep = { 0, 5, 0 }, { time = 9, enabled = false }
	world.materials.copper = { density = 8900, friction = 0.01 }
	world.materials.tin = { density = 7300 }
	support.box(world, { group = "others", material = "tin", position = { 3, 3, 3 } })
	assert(world:restore(snapshot))
	lu.assertEquals(world.gravity.y, -5)
	lu.assertEquals(world.sleep.time, 0.3)
	lu.assertTrue(world.sleep.enabled)
	lu.assertEquals(world.materials.copper.friction, materials)
	lu.assertNil(world.materials.tin)
	lu.assertEquals(world:advance(0.1), alpha)
	lu.assertEquals(body.parts[1].group, "boxes")
	support.fails(function() world:spawn { shape = "ball", radius = 1, material = "tin" } end, "tin")
	support.fails(function() world:raycast({ 0, 9, 0 }, { 0, -9, 0 }, { group = "others" }) end, "others")
end

-- Marks of the terrain in a tree: any of them can be reached from any other, and each is what it was.
function TestSnapshot.testTerrainTree()
	local random = scenery.generator(8)
	local world = scree.world {}
	local t = world.terrain
	t:fill_box { position = { 0, 0, 0 }, size = { 60, 20, 60 }, material = "rock" }
	local kept, hashes = {}, {}
	for i = 1, 60 do
		if i > 1 and random() < 0.5 then
			local back = 1 + math.floor((i - 1) * random())
			assert(world:restore(kept[back]))
			lu.assertEquals(world:hash(), hashes[back], "seed 8, " .. back)
		end
		for _ = 1, math.floor(4 * random()) do
			local center = { 80 * random() - 40, 30 * random() - 15, 80 * random() - 40 }
			t:fill_ball { center = center, radius = 1 + 8 * random(), material = random() < 0.5 and "air" or "sand" }
			t:set(math.floor(center[1]), 12, math.floor(center[3]), "wood", random(), random())
		end
		kept[i], hashes[i] = world:snapshot(), world:hash()
	end
	for _ = 1, 200 do
		local back = 1 + math.floor(60 * random())
		assert(world:restore(kept[back]))
		lu.assertEquals(world:hash(), hashes[back], "seed 8, " .. back)
	end
	-- the mesh is that of the cells, too
	local a = t:mesh()
	files.with("", function(path)
		assert(t:save(path))
		local other = scree.world {}
		assert(other.terrain:load(path))
		local b = other.terrain:mesh()
		lu.assertEquals({ a.vertex_count, a.triangle_count }, { b.vertex_count, b.triangle_count })
	end)
end

function TestSnapshot.testBudget()
	local function build()
		local world, random = scree.world { snapshot_budget = 20000 }, scenery.generator(4)
		local t = world.terrain
		t:fill_box { position = { 0, 0, 0 }, size = { 60, 20, 60 }, material = "rock" }
		local function dig(count)
			for _ = 1, count do
				t:fill_ball { center = { 60 * random() - 30, 9, 60 * random() - 30 }, radius = 3, material = "air" }
			end
		end
		dig(40)
		return world, dig
	end
	local world, dig = build()
	local first, hash = world:snapshot(), world:hash()
	dig(40)
	local last, later = world:snapshot(), world:hash()
	dig(1)
	local now = world:hash()
	local done, message = world:restore(first)
	lu.assertNil(done)
	lu.assertStrContains(message, "terrain")
	lu.assertEquals(world:hash(), now)
	assert(world:restore(last))
	lu.assertEquals(world:hash(), later)
	-- a world with the same cells takes it, one with others does not
	local same, other = build(), scree.world {}
	assert(same:restore(first))
	lu.assertEquals(same:hash(), hash)
	lu.assertNil(other:restore(first))
	local none, reason = scree.world({ cell_size = 2 }):restore(first)
	lu.assertNil(none)
	lu.assertStrContains(reason, "cells are 1 m, and those of this one 2")
	lu.assertNil(scree.world({ substeps = 2 }):restore(first))
end

-- Costs by bodies, not by cells, and nothing is kept while the ground does not change.
function TestSnapshot.testSmall()
	local world = scree.world {}
	world.terrain:fill_box { position = { 0, 0, 0 }, size = { 300, 60, 300 }, material = "rock" }
	local size = #world:snapshot()
	lu.assertTrue(size < 4000, size)
	for i = 1, 100 do
		support.box(world, { position = { 2 * i, 40, 0 } })
	end
	lu.assertTrue(#world:snapshot() - size < 100 * 900)
	world:step(DT, 5)
	local bytes = world.stats.bytes
	for _ = 1, 50 do
		world:step()
		world:snapshot()
	end
	lu.assertTrue(world.stats.bytes < bytes + 400000)
end

local function shuffled(bytes, random, count)
	local list = {}
	for i = 1, count do
		list[i] = 1 + math.floor(#bytes * random())
	end
	return list
end

function TestSnapshot.testDamaged()
	local world = scenes.build.mixed(1)
	world:step(DT, 40)
	local snapshot, hash = world:snapshot(), world:hash()
	local random = scenery.generator(12)
	for _, at in ipairs(shuffled(snapshot, random, 150)) do
		local flipped = string.char(bit.bxor(snapshot:byte(at), 2 ^ math.floor(8 * random())))
		lu.assertNil(world:restore(snapshot:sub(1, at - 1) .. flipped .. snapshot:sub(at + 1)))
		lu.assertNil(world:restore(snapshot:sub(1, at - 1)))
	end
	for _, text in ipairs { "", "x", snapshot .. "x", ("\0"):rep(5000), snapshot:sub(1, 12) } do
		local done, message = world:restore(text)
		lu.assertNil(done)
		lu.assertStrContains(message, "restore: ")
	end
	lu.assertEquals(world:hash(), hash)
	support.fails(function() world:restore(12) end, "restore", "string")
	support.fails(function() world:restore() end, "restore", "string")
end

-- ---- files ---------------------------------------------------------------------------------------------------------

for _, name in ipairs(scenes.names) do
	TestSnapshot["testSaved" .. name] = function()
		files.with("", function(path)
			local world = scenes.build[name](1)
			world:step(DT, 50)
			disturb(world, 1)
			assert(world:save(path, { level = 1 }))
			local hash = world:hash()
			local expected = future(world)
			local other = assert(scree.load(path))
			lu.assertEquals(other:hash(), hash)
			lu.assertEquals(future(other), expected)
			local two = assert(scree.load(path, { threads = 2 }))
			lu.assertEquals(two.threads, 2)
			lu.assertEquals(future(two), expected)
		end)
	end
end

function TestSnapshot.testSavedProperties()
	files.with("", function(path)
		local world = scree.world {
			cell_size = 0.5, substeps = 6, seed = 77, narrowphase = "kdtree", gravity = { 0.1, -3.3, 0 },
			sleep = { time = 0.7 }, collider_budget = 12345678,
		}
		world.terrain:fill_box { position = { 0, -1, 0 }, size = { 8, 2, 8 }, material = "rock" }
		world.materials.copper = { density = 8900, color = 0xB87333 }
		support.box(world, { group = "boxes", material = "copper" })
		world:step(DT, 3)
		assert(world:save(path))
		local other = assert(scree.load(path))
		for _, key in ipairs { "cell_size", "substeps", "seed", "narrowphase", "time", "step_count", "collider_budget" } do
			lu.assertEquals(other[key], world[key], key)
		end
		lu.assertEquals(other.gravity, world.gravity)
		lu.assertEquals(other.sleep.time, 0.7)
		lu.assertEquals(other.materials.copper.color, 0xB87333)
		local body = other:assemblies()()
		lu.assertEquals(body.parts[1].group, "boxes")
		lu.assertEquals(body.parts[1].material, "copper")
		lu.assertEquals(other:hash(), world:hash())
		-- terrain:load reads the ground of a world
		local ground = scree.world {}
		assert(ground.terrain:load(path))
		lu.assertEquals(ground.terrain:get(0, -1, 0), "rock")
	end)
end

function TestSnapshot.testDamagedFiles()
	files.with("", function(path)
		local world = scenes.build.pile(1)
		world.terrain:fill_ball { center = { 20, 0, 0 }, radius = 5, material = "rock" }
		world:step(DT, 30)
		assert(world:save(path))
		local bytes = files.read(path)
		local random = scenery.generator(2)
		local function put(text)
			files.write(path, text)
			local loaded, message = scree.load(path)
			lu.assertNil(loaded)
			lu.assertStrContains(message, "cannot read file")
		end
		for _, at in ipairs(shuffled(bytes, random, 120)) do
			local flipped = string.char(bit.bxor(bytes:byte(at), 2 ^ math.floor(8 * random())))
			put(bytes:sub(1, at - 1) .. flipped .. bytes:sub(at + 1))
			put(bytes:sub(1, at - 1))
		end
		assert(world.terrain:save(path))
		local loaded, message = scree.load(path)
		lu.assertNil(loaded)
		lu.assertStrContains(message, "no world")
	end)
	local loaded, message = scree.load "/nowhere/at/all"
	lu.assertNil(loaded)
	lu.assertStrContains(message, "/nowhere/at/all")
	lu.assertNil(scree.world({}):save "/nowhere/at/all")
	support.fails(function() scree.load() end, "load", "path")
	support.fails(function() scree.load("x", { threads = 0 }) end, "threads", "0")
	support.fails(function() scree.world({}):save(7) end, "save", "path")
end

return TestSnapshot
