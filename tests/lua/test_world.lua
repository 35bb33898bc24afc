-- Worlds: making and unmaking, properties, time, materials.

local lu = require "luaunit"
local scree = require "scree"
local support = require "support"

local fails = support.fails
local NAN, INF = support.NAN, support.INF

local TestWorld = {}

function TestWorld.testDefaults()
	local world = scree.world()
	support.is_vec3(world.gravity, 0, -9.81, 0, 1e-6)
	lu.assertEquals(world.cell_size, 1)
	lu.assertEquals(world.substeps, 4)
	lu.assertEquals(world.threads, 1)
	lu.assertEquals(world.seed, 0)
	lu.assertEquals(world.time, 0)
	lu.assertEquals(world.step_count, 0)
	lu.assertTrue(world.valid)
	lu.assertEquals(tostring(world), "the world")
end

function TestWorld.testOptions()
	local world = scree.world {
		gravity = { 0, -3.7, 0 },
		cell_size = 0.5,
		substeps = 8,
		threads = 2,
		seed = 42,
		sleep = { enabled = false, linear = 0.125, angular = 0.25, time = 2 },
		narrowphase = "kdtree",
		collider_budget = 1e6,
	}
	support.is_vec3(world.gravity, 0, -3.7, 0, 1e-6)
	lu.assertEquals(world.cell_size, 0.5)
	lu.assertEquals(world.terrain.cell_size, 0.5)
	lu.assertEquals(world.substeps, 8)
	lu.assertEquals(world.threads, 2)
	lu.assertEquals(world.seed, 42)
	lu.assertEquals(world.narrowphase, "kdtree")
	lu.assertEquals(world.collider_budget, 1e6)
	lu.assertEquals(scree.world().narrowphase, "lattice")
	lu.assertEquals(world.sleep.enabled, false)
	lu.assertEquals(world.sleep.linear, 0.125)
	lu.assertEquals(world.sleep.angular, 0.25)
	lu.assertEquals(world.sleep.time, 2)
end

function TestWorld.testOptionsAreChecked()
	fails(function() scree.world(1) end, "world: ", "options")
	fails(function() scree.world { gravty = { 0, 0, 0 } } end, "world: ", '"gravty"', '"gravity"')
	fails(function() scree.world { 1 } end, "world: ", "unknown key [1]")
	fails(function() scree.world { gravity = -9.81 } end, "world: gravity", "-9.81")
	fails(function() scree.world { gravity = { 0, NAN, 0 } } end, "world: gravity[2]", "nan")
	fails(function() scree.world { cell_size = 0 } end, "world: cell_size", "got 0")
	fails(function() scree.world { cell_size = -1 } end, "world: cell_size", "got -1")
	fails(function() scree.world { substeps = 0 } end, "world: substeps")
	fails(function() scree.world { substeps = 1.5 } end, "world: substeps", "1.5")
	fails(function() scree.world { threads = 65 } end, "world: threads", "65")
	fails(function() scree.world { seed = 0.5 } end, "world: seed")
	fails(function() scree.world { seed = "x" } end, "world: seed")
	fails(function() scree.world { sleep = { tiem = 1 } } end, "world: sleep.tiem: unknown key", '"time"')
	fails(function() scree.world { narrowphase = "kdtre" } end, "world: narrowphase", '"kdtree"')
	fails(function() scree.world { sleep = true } end, "world: sleep")
	fails(function() scree.world { sleep = { tme = 1 } } end, "world: sleep", '"tme"', '"time"')
	fails(function() scree.world { sleep = { time = -1 } } end, "world: sleep.time")
	fails(function() scree.world { sleep = { enabled = 1 } } end, "world: sleep.enabled")
end

function TestWorld.testGravityIsSetWhole()
	local world = scree.world()
	world.gravity = { 1, 2, 3 }
	support.is_vec3(world.gravity, 1, 2, 3)
	world.gravity = scree.vec3(0, -1, 0)
	support.is_vec3(world.gravity, 0, -1, 0)
	fails(function() world.gravity = -9.81 end, "world.gravity")
	fails(function() world.gravity = nil end, "world.gravity", "nil")
	fails(function() world.gravity = { 0, INF, 0 } end, "world.gravity[2]", "inf")
	fails(function() world.gravity.y = 3 end, "vec3 is immutable")
	support.is_vec3(world.gravity, 0, -1, 0)
end

function TestWorld.testSleepIsACopyThatChangesInParts()
	local world = scree.world()
	local before = world.sleep
	world.sleep = { time = 3 }
	lu.assertEquals(world.sleep.time, 3)
	lu.assertEquals(world.sleep.linear, before.linear)
	lu.assertEquals(world.sleep.enabled, before.enabled)
	fails(function() world.sleep.time = 4 end, "world.sleep", "copy")
	fails(function() return world.sleep.tiem end, '"tiem"', '"time"')
	fails(function() world.sleep = { tiem = 4 } end, "world.sleep", '"tiem"', '"time"')
	fails(function() world.sleep = { time = "4" } end, "world.sleep.time")
	fails(function() world.sleep = 4 end, "world.sleep")
	lu.assertEquals(world.sleep.time, 3)
	world.sleep = before
	lu.assertEquals(world.sleep.time, before.time)
end

function TestWorld.testUnknownAndReadOnlyProperties()
	local world = scree.world()
	fails(function() return world.gravty end, "world", '"gravty"', '"gravity"')
	fails(function() world.gravty = 1 end, "world", '"gravty"', '"gravity"')
	fails(function() world.time = 1 end, "world.time is read-only")
	fails(function() world.terrain = 1 end, "world.terrain is read-only")
	fails(function() world.step = 1 end, "world.step is a method")
	fails(function() return world[1] end, "[1]")
end

function TestWorld.testSelfIsChecked()
	local world = scree.world()
	fails(function() world.step(1 / 60) end, "step: call it with a colon")
	fails(function() world.spawn { shape = "ball" } end, "spawn: call it with a colon")
	fails(function() world.hash() end, "hash: call it with a colon")
	fails(function() world.hash(world.terrain) end, "hash: call it with a colon")
end

function TestWorld.testHash()
	local world, twin = scree.world(), scree.world()
	lu.assertStrMatches(world:hash(), ("%x"):rep(16))
	lu.assertEquals(world:hash(), twin:hash())
	support.box(world)
	lu.assertNotEquals(world:hash(), twin:hash())
	support.box(twin)
	lu.assertEquals(world:hash(), twin:hash())
end

function TestWorld.testStats()
	local world = support.world_with_floor()
	support.box(world)
	support.box(world, { position = { 0, 8, 0 } })
	world:step()
	local stats = world.stats
	lu.assertEquals(stats.assemblies, 2)
	lu.assertEquals(stats.awake + stats.checking + stats.asleep, 2)
	for _, key in ipairs { "joints", "contacts", "points", "step_ms", "bytes" } do
		lu.assertIsNumber(stats[key], key)
	end
	local stages = 0
	for name, ms in pairs(stats.stages) do
		lu.assertIsString(name)
		lu.assertIsNumber(ms)
		stages = stages + 1
	end
	lu.assertTrue(stages > 0)
	for _, key in ipairs {
		"chunks", "records", "colliders", "triangles", "mesh_bytes", "index_bytes", "record_bytes", "cells", "bytes",
	} do
		lu.assertIsNumber(stats.terrain[key], key)
	end
end

-- A ball rolls over a hill: with no budget only what the step used is kept; what happens is the same.
function TestWorld.testColliderBudget()
	local hashes, kept, bytes = {}, {}, {}
	for i, options in ipairs {
		{}, { collider_budget = 0 }, { narrowphase = "kdtree" }, { narrowphase = "kdtree", collider_budget = 0 },
	} do
		local world = scree.world(options)
		world.terrain:generate {
			min = { 0, 0 }, max = { 64, 64 }, bottom = 8, material = "grass",
			height = function(x, z) return 3 * math.sin(x / 7) + 2 * math.cos(z / 5) - x / 4 end,
		}
		world:spawn { shape = "ball", radius = 0.6, position = { 6.3, 9, 30.2 }, velocity = { 9, 0, 1 } }
		for _ = 1, 150 do
			world:step()
			world.terrain:raycast({ 50.5, 30, 50.5 }, { 50.5, -30, 50.5 })
		end
		hashes[i], kept[i], bytes[i] = world:hash(), world.stats.terrain.colliders, world.stats.terrain.mesh_bytes
		world:destroy()
	end
	for i = 2, 4 do
		lu.assertEquals(hashes[i], hashes[1])
	end
	lu.assertTrue(kept[2] < kept[1] and kept[4] < kept[3], ("%d of %d kept"):format(kept[2], kept[1]))
	lu.assertTrue(bytes[2] < bytes[1] and bytes[4] < bytes[3])
end

function TestWorld.testDestroy()
	local world = scree.world()
	local box, terrain, materials = support.box(world, { tag = "mine" }), world.terrain, world.materials
	world:destroy()
	lu.assertFalse(world.valid)
	lu.assertFalse(box.valid)
	lu.assertFalse(terrain.valid)
	fails(function() world:destroy() end, "destroy", "the world is destroyed")
	fails(function() world:step() end, "step", "destroyed")
	fails(function() world:spawn { shape = "ball", radius = 1 } end, "spawn", "destroyed")
	fails(function() return world.gravity end, "world.gravity", "destroyed")
	fails(function() world.gravity = { 0, 0, 0 } end, "world.gravity", "destroyed")
	fails(function() return world.terrain end, "destroyed")
	fails(function() return box.position end, "assembly.position", "destroyed")
	fails(function() box.position = { 0, 0, 0 } end, "assembly.position", "destroyed")
	fails(function() return box.tag end, "assembly.tag", "destroyed")
	fails(function() box:wake() end, "wake", "destroyed")
	fails(function() terrain:get(0, 0, 0) end, "get", "destroyed")
	fails(function() return terrain.version end, "terrain.version", "destroyed")
	fails(function() return materials.rock end, "materials", "destroyed")
	fails(function() materials.rock = { friction = 1 } end, "materials", "destroyed")
	fails(function() materials:names() end, "names", "destroyed")
	lu.assertEquals(tostring(world), "the world (destroyed)")
end

function TestWorld.testDroppedWorldsAreCollected()
	local seen = setmetatable({}, { __mode = "v" })
	for i = 1, 100 do
		local world = support.world_with_floor()
		world:on("hit", function() return world end) -- a cycle does not keep it
		support.box(world).tag = world
		seen[i] = world
	end
	collectgarbage()
	collectgarbage()
	lu.assertNil(next(seen))
end

function TestWorld.testObjectsKeepTheirWorldAlive()
	local box = (function()
		local world = scree.world()
		return support.box(world, { position = { 1, 2, 3 } })
	end)()
	for _ = 1, 40 do
		scree.world()
	end
	collectgarbage()
	collectgarbage()
	support.is_vec3(box.position, 1, 2, 3)
	box.world:step()
	lu.assertTrue(box.position.y < 2)
end

local TestStep = {}

function TestStep.testTimeGoesOn()
	local world = scree.world()
	world:step()
	lu.assertEquals(world.step_count, 1)
	lu.assertAlmostEquals(world.time, 1 / 60, 1e-12)
	world:step(0.01)
	world:step(0.01, 4)
	world:step(nil, 2)
	lu.assertEquals(world.step_count, 8)
	lu.assertAlmostEquals(world.time, 3 / 60 + 0.05, 1e-12)
end

function TestStep.testNoTimeChangesNothing()
	local world = support.world_with_floor()
	local box = support.box(world, { velocity = { 1, 0, 0 } })
	world:step(1 / 60, 40)
	local hash = world:hash()
	world:step(0)
	world:step(0, 100)
	world:step(1 / 60, 0)
	lu.assertEquals(world:hash(), hash)
	lu.assertEquals(world.step_count, 40)
	support.is_vec3(box.position, 40 / 60, box.position.y, 0, 1e-3)
end

function TestStep.testBadTimesAreErrors()
	local world = scree.world()
	support.box(world)
	local hash = world:hash()
	for _, bad in ipairs { -1 / 60, NAN, INF, -INF, 1e38, "x", "1", true, {} } do
		fails(function() world:step(bad) end, "step: dt")
		fails(function() world:run(bad) end, "run: seconds")
		fails(function() world:settle(bad) end, "settle: max_seconds")
		fails(function() world:advance(bad) end, "advance: real_dt")
	end
	for _, bad in ipairs { -1, 1.5, NAN, INF, 2 ^ 31, "1" } do
		fails(function() world:step(1 / 60, bad) end, "step: count")
	end
	fails(function() world:run() end, "run: seconds", "nil")
	fails(function() world:settle() end, "settle: max_seconds", "nil")
	fails(function() world:advance() end, "advance: real_dt", "nil")
	lu.assertEquals(world:hash(), hash)
end

function TestStep.testVeryShortAndLongStepsStayFinite()
	local world = support.world_with_floor()
	local box = support.box(world)
	world:step(1e-9)
	world:step(5e-324)
	world:step(1)
	local p = box.position
	lu.assertTrue(p - p == scree.vec3(0, 0, 0))
end

function TestStep.testRun()
	local world = scree.world()
	world:run(1)
	lu.assertEquals(world.step_count, 60)
	world:run(0)
	lu.assertEquals(world.step_count, 60)
	world:run(0.05)
	lu.assertEquals(world.step_count, 63)
end

function TestStep.testSettle()
	local world = support.world_with_floor()
	local box = support.box(world, { position = { 0, 0.6, 0 } })
	lu.assertNil(world:settle(0.1))
	local seconds = world:settle(30)
	lu.assertIsNumber(seconds)
	lu.assertTrue(seconds > 0 and seconds < 30)
	lu.assertEquals(box.state, "asleep")
	lu.assertEquals(world:settle(10), 0)
	local steps = world.step_count
	world.terrain:fill_ball { center = { 0, -1, 0 }, radius = 2, material = "air" }
	lu.assertNotEquals(world:settle(0.5), 0) -- the edit has to be met first
	lu.assertTrue(world.step_count > steps)
end

function TestStep.testAdvance()
	local world = scree.world()
	local alpha = world:advance(0.01)
	lu.assertEquals(world.step_count, 0)
	lu.assertAlmostEquals(alpha, 0.6, 1e-12)
	alpha = world:advance(0.01)
	lu.assertEquals(world.step_count, 1)
	lu.assertAlmostEquals(alpha, 0.2, 1e-9)
	local before = world.step_count
	for _ = 1, 50 do
		alpha = world:advance(0.013)
		lu.assertTrue(alpha >= 0 and alpha < 1)
	end
	lu.assertAlmostEquals(world.step_count - before, 50 * 0.013 * 60, 1)
	before = world.step_count
	alpha = world:advance(10)
	lu.assertEquals(world.step_count - before, 8)
	lu.assertTrue(alpha >= 0 and alpha < 1)
	before = world.step_count
	world:advance(0)
	lu.assertEquals(world.step_count, before)
	alpha = world:advance(1e18)
	lu.assertTrue(alpha >= 0 and alpha < 1)
end

function TestStep.testOneByOneIsTheSameAsAtOnce()
	local function run(step)
		local world = support.world_with_floor()
		for i = 1, 8 do
			support.box(world, { position = { 0.1 * i, 1.2 * i, 0 } })
		end
		step(world)
		return world:hash()
	end
	local at_once = run(function(world) world:step(1 / 60, 60) end)
	lu.assertEquals(run(function(world) world:run(1) end), at_once)
	lu.assertEquals(run(function(world)
		world:on("hit", function() end)
		world:step(1 / 60, 60)
	end), at_once)
end

local TestMaterials = {}

local BUILT_IN = {
	"air", "water", "grass", "ground", "sand", "mud", "rock", "basalt", "slate", "sandstone", "limestone", "concrete",
	"brick", "wood", "ice", "snow", "glacier", "asphalt", "salt", "metal",
}

function TestMaterials.testKnownFromTheStart()
	lu.assertEquals(scree.world().materials:names(), BUILT_IN)
end

function TestMaterials.testNewOnesNeedADensity()
	local materials = scree.world().materials
	lu.assertNil(materials.copper)
	fails(function() materials.copper = { friction = 0.4 } end, "materials.copper: density", "nil")
	lu.assertNil(materials.copper)
	materials.copper = { density = 8900 }
	lu.assertEquals(materials.copper.density, 8900)
	lu.assertEquals(materials.copper.blockiness, 0)
	lu.assertEquals(materials:names()[21], "copper")
	materials.copper = {
		density = 8950, friction = 0.5, restitution = 0.25, rolling = 0.125, hardness = 4, blockiness = 1, color = 0xB87333,
	}
	local copper = materials.copper
	lu.assertEquals(copper.density, 8950)
	lu.assertEquals(copper.friction, 0.5)
	lu.assertEquals(copper.restitution, 0.25)
	lu.assertEquals(copper.rolling, 0.125)
	lu.assertEquals(copper.hardness, 4)
	lu.assertEquals(copper.blockiness, 1)
	lu.assertEquals(copper.color, 0xB87333)
	lu.assertEquals(#materials:names(), 21)
end

function TestMaterials.testChangesKeepTheOtherFields()
	local materials = scree.world().materials
	local density, color = materials.rock.density, materials.rock.color
	materials.rock = { friction = 0.25 }
	lu.assertEquals(materials.rock.friction, 0.25)
	lu.assertEquals(materials.rock.density, density)
	lu.assertEquals(materials.rock.color, color)
	materials.granite = materials.rock
	lu.assertEquals(materials.granite.friction, 0.25)
end

-- The ground has new values at once, parts when they are given the material again.
function TestMaterials.testChangesReachTheGroundAndNotParts()
	local world = scree.world { gravity = { 3, -9, 0 } }
	world.terrain:fill_box { position = { 0, -1, 0 }, size = { 60, 2, 8 }, material = "ice" }
	world.materials.ice = { friction = 1 }
	world.materials.felt = { density = 500, friction = 1 }
	local crate = world:spawn { shape = "box", size = { 1, 1, 1 }, position = { -20, 0.5, 2 }, material = "felt" }
	world:run(2)
	lu.assertEquals(crate.state, "asleep")
	world.materials.felt = { friction = 0.04, density = 250 }
	world:run(1)
	lu.assertAlmostEquals(crate.velocity.x, 0, 1e-3)
	lu.assertEquals({ crate.parts[1].friction, crate.mass }, { 1, 500 })
	crate.parts[1].material = "felt"
	lu.assertEquals(crate.mass, 250)
	world:run(1)
	lu.assertAlmostEquals(crate.velocity.x, 3 - 0.2 * 9, 0.03)
	world.materials.ice = { friction = 0 }
	local before = crate.velocity.x
	world:run(1)
	lu.assertAlmostEquals(crate.velocity.x - before, 3, 0.03)
end

-- What resists rolling, the larger of two, is the slope down which a ball does not roll.
function TestMaterials.testRolling()
	for _, case in ipairs { { 0.05, 0, 0.045, false }, { 0.05, 0, 0.055, true }, { 0, 0.05, 0.045, false } } do
		local world = scree.world { gravity = { 9.81 * case[3], -9.81, 0 } }
		world:spawn { shape = "box", size = { 20, 1, 4 }, motion = "static", rolling = case[1] }
		local ball = world:spawn { shape = "ball", radius = 0.4, position = { 0, 0.9, 0 }, rolling = case[2] }
		world:run(3)
		lu.assertEquals(ball.position.x > 0.05, case[4])
	end
end

function TestMaterials.testMistakes()
	local world = scree.world()
	local materials, hash = world.materials, world:hash()
	fails(function() materials.rock.friction = 0.9 end, "materials.rock", "copy")
	fails(function() return materials.rock.frction end, '"frction"', '"friction"')
	fails(function() materials.rock = { frction = 1 } end, "materials.rock", '"frction"', '"friction"')
	fails(function() materials.rock = 1 end, "materials.rock", "table")
	fails(function() materials.rock = nil end, "materials", "removed")
	fails(function() materials.names = { density = 1 } end, "materials", "method")
	for _, name in ipairs { "", "1st", "two words", "a-b", ("x"):rep(32), 1, true } do
		fails(function() materials[name] = { density = 1 } end, "materials", "name")
	end
	local bad = {
		density = { 0, -1, NAN, INF, "1", 1e38, true },
		friction = { -0.1, NAN, "1" },
		restitution = { -0.1, 1.1, NAN },
		rolling = { -1, INF },
		hardness = { -1, {} },
		blockiness = { -0.5, 2, NAN },
		color = { -1, 0x1000000, 0.5, "red" },
	}
	for field, values in pairs(bad) do
		for _, value in ipairs(values) do
			fails(function() materials.rock = { [field] = value } end, "materials.rock: " .. field)
		end
	end
	lu.assertEquals(world:hash(), hash)
	lu.assertNil(materials["rock\0"])
	lu.assertNil(materials[1])
end

return { TestWorld = TestWorld, TestStep = TestStep, TestMaterials = TestMaterials }
