-- Memory: everything is given back, nothing grows, and a world at work asks for none.

local luaunit = require "luaunit"
local scree = require "scree"
local scenery = require "scenery"
local object = require "scree.object"
local C = require("scree.ffi").C

local at_most, at_least = scenery.at_most, scenery.at_least
local KB = 1024

-- Kilobytes that Lua holds after everything that can go has gone.
local function lua_kilobytes()
	collectgarbage()
	collectgarbage()
	return collectgarbage "count"
end

-- Resident kilobytes of the process, or nil where /proc does not tell.
local function resident_kilobytes()
	local file = io.open "/proc/self/status"
	if not file then
		return nil
	end
	local text = file:read "*a"
	file:close()
	return tonumber(text:match "VmRSS:%s*(%d+) kB")
end

-- Lua must hold no more after work() than before. What other tests have left may grow once (a table, compiled code), a
-- leak grows every time.
local function assert_lua_keeps_nothing(work)
	local least = math.huge
	for _ = 1, 3 do
		local before = lua_kilobytes()
		work()
		least = math.min(least, lua_kilobytes() - before)
		if least <= 64 then
			return
		end
	end
	at_most(least, 64, "kB that Lua holds more")
end

local function busy_world()
	local world = scree.world()
	scenery.floor(world, {}, { 48, 8, 48 })
	world.terrain:fill_ball { position = { 5, 0, 5 }, radius = 4, material = "rock" }
	for i = 0, 19 do
		world:spawn { shape = "box", size = { 1, 1, 1 }, position = { i % 5 * 1.5, 1 + 1.2 * math.floor(i / 5), 0 } }
		world:spawn { shape = "ball", radius = 0.5, position = { i % 5 * 1.5, 1 + 1.2 * math.floor(i / 5), 3 } }
	end
	return world
end

local TestMemory = {}

-- What is kept for the page of a golden check that fails, where another test has loaded that module, is no leak.
local function set_replay(value)
	local golden = package.loaded["scree.golden"]
	if golden then
		golden.replay = value
	end
end

-- Each test warms up before it measures; what other tests have left to the compiler would not be warm for ever.
function TestMemory.setUp()
	jit.flush()
	set_replay(false)
end

function TestMemory.tearDown()
	set_replay(nil)
end

-- Bytes of garbage a turn of a loop that is compiled: what is left when compiling it has made its own.
local function garbage_of(loop)
	local least = math.huge
	for _ = 1, 5 do
		collectgarbage()
		collectgarbage "stop"
		local before = collectgarbage "count"
		loop(4000)
		least = math.min(least, KB * (collectgarbage "count" - before) / 4000)
		collectgarbage "restart"
	end
	return least
end

function TestMemory.testSteadyLoopsMakeNoGarbage()
	if not jit.status() then
		luaunit.skip "needs the compiler"
	end
	local world = busy_world()
	local crate = world:spawn { shape = "box", size = { 1, 1, 1 }, position = { 20, 0.5, 20 }, material = "wood" }
	local up, down, speed = scree.vec3(20, 9, 20), scree.vec3(20, -9, 20), scree.vec3(1, 0, 0)
	local loops = {
		["properties"] = function(n)
			local sum = 0
			for _ = 1, n do
				sum = sum + crate.position.y + crate.velocity:length() + crate.mass + (crate.rotation * speed).x
				crate.velocity = speed
			end
			return sum
		end,
		["rays"] = function(n)
			local sum = 0
			for i = 1, n do
				local hit = world:raycast(up, down)
				if hit and hit.assembly == crate and hit.material == "wood" and not hit.terrain then
					sum = sum + hit.position.y + hit.normal.y + hit.part
				end
				hit = world.terrain:raycast({ i % 7, 9, 2 }, down)
				if hit then
					sum = sum + hit.cell.y + hit.distance
				end
			end
			return sum
		end,
		["events"] = function(n)
			local sum = 0
			for _ = 1, n do
				for event in world:events() do
					sum = sum + (event.speed or 0)
				end
			end
			return sum
		end,
	}
	repeat
		world:step()
	until world:events()()
	for name, loop in pairs(loops) do
		at_most(garbage_of(loop), 1, "bytes a turn: " .. name)
	end
	local box = { shape = "box", size = { 1, 1, 1 }, position = { 0, 80, 0 } }
	at_most(garbage_of(function(n)
		for _ = 1, n do
			world:spawn(box):destroy()
		end
	end), 400, "bytes a spawn")
end

-- destroy raises if the library kept bytes; the bare call returns them.
function TestMemory.testDestroyGivesEverythingBack()
	local world = busy_world()
	world:step(1 / 60, 60)
	world:raycast({ 0, 10, 0 }, { 0, -10, 0 })
	world.terrain:mesh()
	world:hash()
	world:destroy()
	local ffi = require "ffi"
	local def, slot, message = ffi.new "ScreeWorldDef", ffi.new "ScreeWorld *[1]", ffi.new "char[256]"
	C.scree_world_defaults(def)
	luaunit.assertEquals(C.screeWorld_Create(def, slot, message, 256), 0)
	luaunit.assertEquals(C.screeWorld_Destroy(slot[0]), 0)
end

function TestMemory.testWorldsComeAndGo()
	local function round(count)
		for _ = 1, count do
			local world = busy_world()
			world:step(1 / 60, 5)
			world:destroy()
		end
	end
	round(100)
	local resident_before = resident_kilobytes()
	assert_lua_keeps_nothing(function() round(200) end)
	if resident_before then
		at_most(resident_kilobytes() - resident_before, 1.5 * KB, "kB resident more")
	end
end

-- Worlds that nobody destroys are collected.
function TestMemory.testForgottenWorldsAreCollected()
	local function round(count)
		for _ = 1, count do
			busy_world():step()
		end
		collectgarbage()
		collectgarbage()
	end
	round(60)
	local before = resident_kilobytes()
	round(200)
	if before then
		at_most(resident_kilobytes() - before, 4 * KB, "kB resident more")
	end
end

function TestMemory.testRaysLeaveNothing()
	local world = busy_world()
	world:step(1 / 60, 30)
	local random = scenery.generator(4)
	local function rays(count)
		for _ = 1, count do
			local x, z = 40 * random() - 20, 40 * random() - 20
			world:raycast({ x, 10, z }, { z, -10, x })
		end
	end
	rays(20000)
	local bytes_before = world.stats.bytes
	assert_lua_keeps_nothing(function() rays(100000) end)
	luaunit.assertEquals(world.stats.bytes, bytes_before)
end

function TestMemory.testSpawnAndDestroyLeaveNothing()
	local world = busy_world()
	local function round(count)
		for i = 1, count do
			local body = world:spawn { shape = "ball", radius = 0.5, position = { i % 30 - 15, 3, i % 17 - 8 }, tag = "x" }
			if i % 1000 == 0 then
				world:step()
			end
			body:destroy()
		end
		world:step()
	end
	world:settle(20)
	round(5000)
	local bytes_before = world.stats.bytes
	assert_lua_keeps_nothing(function() round(100000) end)
	at_most(world.stats.bytes - bytes_before, 16 * KB, "bytes that the world holds more")
	luaunit.assertEquals(world.stats.assemblies, 40)
end

-- A body that falls for ever, far through empty space, costs nothing.
function TestMemory.testEndlessFallCostsNothing()
	local world = scree.world()
	scenery.floor(world)
	local body = world:spawn { shape = "ball", radius = 0.5, position = { 500, 0, 0 } }
	world:step(1 / 60, 60)
	local before = world.stats.bytes
	world:step(1 / 60, 20000)
	at_least(-body.position.y, 1e5, "fall")
	at_most(world.stats.bytes - before, 64 * KB, "bytes that the world holds more")
end

function TestMemory.testTerrainBytes()
	local world = scree.world()
	local terrain = world.terrain
	local empty = terrain.bytes
	terrain:fill_box { position = { 0, 0, 0 }, size = { 128, 64, 128 }, material = "rock" }
	local solid = terrain.bytes
	at_least(solid, empty, "bytes of rock")
	at_most(solid, 64 * KB + 128 * 64 * 128 / 8, "bytes of a million cells that are all alike")
	for i = 1, 40 do
		local position = { (i * 37) % 100 - 50, (i * 17) % 40 - 20, (i * 53) % 100 - 50 }
		terrain:fill_ball { position = position, radius = 5, material = "sand" }
	end
	at_least(terrain.bytes, solid, "bytes of mixed ground")
	at_least(world.stats.bytes, terrain.bytes, "bytes of the world")
	luaunit.assertEquals(world.stats.terrain.bytes, terrain.bytes)
	terrain:clear()
	at_most(terrain.bytes, empty + 16 * KB, "bytes after clear")
end

-- Digging and filling the same places over and over.
function TestMemory.testEditsDoNotAccumulate()
	local world = busy_world()
	local function round(count)
		for i = 1, count do
			local position = { (i * 7) % 30 - 15, -2, (i * 11) % 30 - 15 }
			world.terrain:fill_ball { position = position, radius = 3, material = "air" }
			world.terrain:fill_ball { position = position, radius = 3, material = "floor" }
			world:step()
		end
	end
	for body in world:assemblies() do
		body:destroy()
	end
	round(800)
	local before = world.stats.bytes
	round(800)
	at_most(world.stats.bytes - before, 16 * KB, "bytes that the world holds more")
end

local function allocator_calls(world)
	return C.screeWorld_AllocatorCalls(world[object.POINTER])
end

local function rolling_balls(world)
	local balls = {}
	for i = 0, 9 do -- each on a lane of its own
		balls[i] = world:spawn { shape = "ball", radius = 0.5, friction = 1, rolling = 0, position = { 0, 0.5, 3 + 2 * i } }
	end
	return function() -- from one side towards the other
		for i, ball in pairs(balls) do
			ball.position = { -20, 0.5, 3 + 2 * i }
			ball.velocity, ball.angular_velocity = { 3, 0, 0 }, { 0, 0, -6 }
		end
	end
end

-- Ground where nothing was before is made ready when the balls come to it for the first time; not so the second time.
function TestMemory.testAtRestAndRollingAskForNothing()
	local world = scree.world { sleep = { enabled = false } }
	scenery.floor(world, { friction = 1 })
	for i = 0, 24 do
		world:spawn { shape = "box", size = { 1, 1, 1 }, position = { i % 5 * 1.01, 0.5 + math.floor(i / 5), 0 } }
	end
	local start = rolling_balls(world)
	start()
	world:step(1 / 60, 600)
	start()
	world:step(1 / 60, 10)
	local calls = allocator_calls(world)
	world:step(1 / 60, 580)
	luaunit.assertEquals(allocator_calls(world) - calls, 0)
	at_least(world.stats.contacts, 30, "contacts")
end

return { TestMemory = TestMemory }
