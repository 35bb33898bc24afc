-- Buoyancy, drag, water events, and what the scenes under examples/water say.

local lu = require "luaunit"
local scree = require "scree"
local support = require "support"
local scenery = require "scenery"

local near, at_most, at_least, run = scenery.near, scenery.at_most, scenery.at_least, scenery.run
local vec3 = scree.vec3

local folder = debug.getinfo(1, "S").source:match "^@(.*)[/\\]" or "."
package.path = folder .. "/../../?.lua;" .. package.path

-- Water from y = -depth up to level (0).
local function pond(options, level, depth)
	local world = scree.world(options or {})
	level, depth = level or 0, depth or 10
	world.terrain:fill_box {
		position = { 0, (level - depth) / 2, 0 }, size = { 30, level + depth, 30 }, material = "water",
	}
	return world
end

-- ---- floating ------------------------------------------------------------------------------------------------------

local TestFloating = {}

-- Heights at which it turns back down, and the time at which it sleeps.
local function bob(world, body, seconds)
	local peaks, before, before_peak = {}, body.velocity.y, math.huge
	local asleep = run(world, seconds, function()
		local v = body.velocity.y
		if before > 0 and v <= 0 then
			peaks[#peaks + 1] = body.position.y
			at_most(body.position.y, before_peak, "peak")
			before_peak = body.position.y
		end
		before = v
		return body.state == "asleep"
	end)
	return peaks, asleep
end

function TestFloating.testCube()
	for _, cell_size in ipairs { 1, 0.5, 0.25 } do
		local world = pond({ cell_size = cell_size })
		local cube = world:spawn { shape = "box", size = { 1, 1, 1 }, position = { 0.3, 1.5, 0.2 }, density = 500 }
		local peaks, asleep = bob(world, cube, 30)
		at_least(#peaks, 2, "peaks")
		at_most(peaks[1], 1, "first peak")
		lu.assertNotNil(asleep)
		near(0.5 - cube.position.y, 0.5, 0.01, "draft")
		near(cube.submerged, 0.5, 0.01, "submerged")
		run(world, 10)
		lu.assertEquals(cube.state, "asleep")
	end
end

-- 30 kg in a ball of 0.2 m, in water of 1028 kg/m3.
function TestFloating.testSphere()
	local world = pond()
	world.materials.water = { density = 1028 }
	local density = 30 / (4 / 3 * math.pi * 0.008)
	local ball = world:spawn { shape = "ball", radius = 0.2, position = { 0.3, 1.2, 0.2 }, density = density }
	local _, asleep = bob(world, ball, 30)
	lu.assertNotNil(asleep)
	near(ball.mass, 30, 1e-4, "mass")
	near((0.2 - ball.position.y) / 0.4, 0.775, 0.775 * 0.015, "height under water")
	near(ball.submerged, 0.871, 0.871 * 0.015, "volume under water")
end

-- Every shape, light and heavy, dropped askew, floats by its density and sleeps; what is denser sinks.
function TestFloating.testAllShapes()
	local shapes = {
		{ shape = "ball", radius = 0.4 },
		{ shape = "box", size = { 2, 0.5, 1 } },
		{ shape = "capsule", radius = 0.3, length = 1 },
		{ shape = "wedge", size = { 1, 0.8, 1.5 } },
		{ shape = "cylinder", radius = 0.4, length = 1 },
		{ shape = "cone", radius = 0.5, length = 1 },
		{ shape = "hull", points = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 }, { 1, 1, 0.5 } } },
	}
	for _, shape in ipairs(shapes) do
		for _, density in ipairs { 80, 400, 900, 2000 } do
			local world = pond(nil, 0, 6)
			local floor = scenery.slab(world, { position = { 0, -7, 0 } })
			local body = world:spawn {
				shape = shape.shape, radius = shape.radius, size = shape.size, length = shape.length, points = shape.points,
				position = { 0.3, 1, -0.2 }, rotation = scree.euler(0.4, 0.2, 0.7), density = density,
			}
			local what = ("%s of %d kg/m3"):format(shape.shape, density)
			lu.assertNotNil(world:settle(60), what)
			near(body.submerged, math.min(density / 1000, 1), 0.02, what)
			lu.assertEquals(#floor:contacts() > 0, density > 1000, what)
		end
	end
end

-- Small and large, light and heavy things stay bounded and come to rest, also with large steps.
function TestFloating.testSizes()
	for _, size in ipairs { 0.05, 0.3, 3, 12 } do
		for _, density in ipairs { 20, 300, 950 } do
			for _, dt in ipairs { 1 / 60, 1 / 25 } do
				local world = pond({ substeps = dt < 0.02 and 4 or 2 }, 0, 30)
				local box = world:spawn {
					shape = "box", size = { size, size * 0.6, size * 0.8 }, position = { 0, size, 0 },
					rotation = scree.euler(0.2, 0, 0.3), density = density,
				}
				local what = ("%g m, %g kg/m3, dt %g"):format(size, density, dt)
				local asleep = run(world, 90, function(t)
					at_most(box.position.y, 1.7 * size, what)
					if t > 20 then
						at_most(box.velocity:length(), 0.5 * math.sqrt(size), what)
					end
					return box.state == "asleep"
				end, dt)
				lu.assertNotNil(asleep, what)
				near(box.submerged, density / 1000, 0.03 + 0.002 / size, what) -- within 2 mm
			end
		end
	end
end

-- What weighs as the water does hangs in it; spinning and moving die away and never turn round.
function TestFloating.testDrag()
	local world = pond()
	local ball = world:spawn {
		shape = "ball", radius = 0.5, position = { 0, -5, 0 }, density = 1000, velocity = { 5, 0, 0 },
		angular_velocity = { 0, 8, 0 },
	}
	local speed, spin = 5, 8
	run(world, 5, function()
		local v, w = ball.velocity, ball.angular_velocity
		at_most(v.x, speed, "speed")
		at_least(v.x, 0, "speed")
		at_most(w.y, spin, "spin")
		at_least(w.y, 0, "spin")
		speed, spin = v.x, w.y
	end)
	at_most(speed, 1, "speed at the end")
	at_most(spin, 1, "spin at the end")
	near(ball.position.y, -5, 0.01, "depth")
	-- a feather's weight at 100 m/s, in one step: no more than to a stop
	local chip = world:spawn {
		shape = "box", size = { 2, 0.01, 2 }, position = { 0, -5, 5 }, density = 1, velocity = { 0, -100, 0 },
	}
	world:step(1 / 20)
	at_least(chip.velocity.y, -100, "chip")
	at_most(chip.velocity.y, 60, "chip")
end

-- What lies on a raft weighs as much as if it were part of it, however light the raft.
function TestFloating.testLoads()
	for _, density in ipairs { 20, 300, 700 } do
		local world = pond()
		local raft = world:spawn { shape = "box", size = { 2, 0.4, 2 }, position = { 0, 0, 0 }, density = density }
		local load = world:spawn {
			shape = "box", size = { 0.5, 0.5, 0.5 }, position = { 0, 0.45, 0 }, density = 0.8 * (1000 - density) * 1.6 / 0.125,
		}
		lu.assertNotNil(run(world, 60, function() return raft.state == "asleep" and load.state == "asleep" end))
		near(raft.submerged * 1600 / (raft.mass + load.mass), 1, 2e-3, "displaced, at " .. density .. " kg/m3")
	end
end

-- A piece of the ground displaces what its cells take up, though the parts that it is met by are smaller.
function TestFloating.testPieces()
	for material, density in pairs { wood = 650, ice = 917 } do
		for _, size in ipairs { { 1, 1, 1 }, { 2, 2, 2 }, { 4, 4, 4 }, { 2, 2, 12 }, { 9, 4, 7 } } do
			local world = pond()
			local t = world.terrain
			t:fill_box { position = { size[1] / 2, size[2] / 2, size[3] / 2 }, size = size, material = material }
			t:anchor({ 100, 0, 0 }, { 100, 0, 0 })
			local piece = t:detach_all()[1]
			local what = ("%s of %d x %d x %d cells"):format(material, size[1], size[2], size[3])
			lu.assertNotNil(run(world, 60, function() return piece.state == "asleep" end), what)
			near(piece.submerged, density / 1000, 4e-3, what)
		end
	end
end

-- Weight less lift against drag: half of density, area and speed squared, and 0.3 a second of what is displaced.
function TestFloating.testTerminalSpeed()
	local world = pond({}, 0, 100)
	local cube = world:spawn { shape = "box", size = { 1, 1, 1 }, position = { 0, -5, 0 }, density = 2000 }
	world:run(10)
	local speed = -cube.velocity.y
	near(0.5 * 1000 * speed * speed + 300 * speed, 9810, 10, "drag at " .. speed .. " m/s")
end

-- The same bits with one thread and with two, far away as here, and after a snapshot.
function TestFloating.testDeterminism()
	local hashes, hash, later = {}, nil, nil
	for k = 1, 2 do
		local world = pond { threads = k }
		for i = 1, 30 do
			local position = { i % 5 * 1.2 - 2, 1 + i / 6, i % 3 }
			world:spawn { shape = "box", size = { 0.6, 0.4, 0.8 }, position = position, material = "wood" }
		end
		run(world, 2)
		hashes[k] = world:hash()
		local snapshot = world:snapshot()
		run(world, 1)
		later = world:hash()
		assert(world:restore(snapshot))
		run(world, 1)
		hash = world:hash()
	end
	lu.assertEquals(hashes[1], hashes[2])
	lu.assertEquals(hash, later)
	local ends = {}
	for k, far in ipairs { 0, 1e6 } do
		local world = scree.world {}
		world.terrain:fill_box { position = { far, -2, 0 }, size = { 10, 4, 10 }, material = "water" }
		local box = world:spawn {
			shape = "box", size = { 1, 1, 1 }, position = { far + 0.3, 1.5, 0.2 }, rotation = scree.euler(0.1, 0.2, 0.3),
			density = 650,
		}
		run(world, 3)
		ends[k] = box.position - vec3(far, 0, 0)
	end
	at_most((ends[1] - ends[2]):length(), 1e-3, "far away")
end

-- ---- how much is under water ---------------------------------------------------------------------------------------

local TestSubmerged = {}

-- Water in steps of uneven height, dry shafts and pillars: against points thrown at random.
function TestSubmerged.testAgainstPoints()
	local random = scenery.generator(21)
	local world = scree.world { cell_size = 0.5 }
	local terrain = world.terrain
	terrain:fill_box { position = { -2, -1, 0 }, size = { 4, 2, 8 }, material = "water" }
	terrain:fill_box { position = { 2, -1.2, 0 }, size = { 4, 1.6, 8 }, material = "water" }
	terrain:fill_box { position = { -1, 0, 1 }, size = { 1, 6, 1 }, material = "water", mode = "remove" }
	local shapes = {
		function() return { shape = "ball", radius = 0.6 + random() }, function(p, s) return p:length() <= s.radius end end,
		function()
			return { shape = "box", size = { 0.5 + 2 * random(), 0.5 + random(), 0.5 + 2 * random() } }, function(p, s)
				return math.abs(p.x) <= s.size[1] / 2 and math.abs(p.y) <= s.size[2] / 2 and math.abs(p.z) <= s.size[3] / 2
			end
		end,
		function()
			return { shape = "capsule", radius = 0.3 + 0.5 * random(), length = 0.5 + random() }, function(p, s)
				local y = math.max(-s.length / 2, math.min(s.length / 2, p.y))
				return (p - vec3(0, y, 0)):length() <= s.radius
			end
		end,
	}
	local mixed = 0
	for i = 1, 60 do
		local shape, holds = shapes[i % 3 + 1]()
		shape.position = { 5 * random() - 2.5, 2 * random() - 1.5, 4 * random() - 2 }
		shape.rotation = scenery.turn(random)
		shape.motion = "static"
		local body = world:spawn(shape)
		local lo, hi = body:bounds()
		local inside, under = 0, 0
		for _ = 1, 12000 do
			local p = vec3(lo.x + random() * (hi.x - lo.x), lo.y + random() * (hi.y - lo.y), lo.z + random() * (hi.z - lo.z))
			if holds(body:to_local(p), shape) then
				inside = inside + 1
				local _, water = terrain:is_inside(p)
				under = under + (water and 1 or 0)
			end
		end
		mixed = mixed + (under > 0 and under < inside and 1 or 0)
		near(body.submerged, under / inside, 0.03, ("%d: %s"):format(i, shape.shape))
		body:destroy()
	end
	at_least(mixed, 20, "neither dry nor under")
end

function TestSubmerged.testKnown()
	local world = pond(nil, 0)
	local function submerged(options)
		options.motion = options.motion or "static"
		local body = world:spawn(options)
		local share = body.submerged
		body:destroy()
		return share
	end
	near(submerged { shape = "box", size = { 1, 1, 1 }, position = { 0, -5, 0 } }, 1, 1e-6, "deep")
	near(submerged { shape = "box", size = { 1, 1, 1 }, position = { 0, 5, 0 } }, 0, 0, "above")
	near(submerged { shape = "box", size = { 1, 1, 1 }, position = { 0, 0.3, 0 }, motion = "kinematic" }, 0.2, 1e-5, "box")
	near(submerged { shape = "ball", radius = 1, position = { 0, 0, 0 } }, 0.5, 1e-5, "ball")
	near(submerged { shape = "ball", radius = 0.1, position = { 15.05, -2, 0 } }, 0.16, 0.03, "across the water's end")
	local parts = {
		{ shape = "box", size = { 1, 1, 1 }, position = { 0, -2, 0 } },
		{ shape = "box", size = { 1, 2, 1 }, position = { 0, 2, 0 } },
	}
	near(submerged { parts = parts }, 1 / 3, 1e-5, "of both parts")
	local mesh = world:spawn { shape = "mesh", vertices = { 0, -1, 0, 0, -1, 1, 1, -1, 0 }, indices = { 1, 2, 3 } }
	lu.assertEquals(mesh.submerged, 0)
	support.fails(function() mesh.submerged = 1 end, "read-only")
end

-- ---- events, sleep, edits ------------------------------------------------------------------------------------------

local TestWaterEvents = {}

local function names(world)
	local list = {}
	for event in world:events() do
		if event.kind:find "^water" then
			list[#list + 1] = event.kind .. (event.assembly.valid and event.assembly.tag or "")
		end
	end
	return table.concat(list, " ")
end

-- In and out once each, oldest first; also by being moved, destroyed or made static.
function TestWaterEvents.testOrder()
	local world = pond()
	local boxes = {}
	for i = 1, 3 do
		boxes[i] = world:spawn { shape = "ball", radius = 0.3, position = { 5 - i * 2, -2, 0 }, density = 1000, tag = i }
	end
	world:step()
	lu.assertEquals(names(world), "water_enter1 water_enter2 water_enter3")
	world:step()
	lu.assertEquals(names(world), "")
	boxes[2].position = { 0, 9, 0 }
	world:step()
	lu.assertEquals(names(world), "water_exit2")
	boxes[1].motion = "static"
	world:step()
	lu.assertEquals(names(world), "water_exit1")
	boxes[1].motion = "dynamic"
	boxes[3]:destroy()
	world:step()
	lu.assertEquals(names(world), "water_exit water_enter1") -- what is destroyed has lost its tag
end

function TestWaterEvents.testFallsInAndIsDrained()
	local world = pond()
	local box = world:spawn { shape = "box", size = { 1, 1, 1 }, position = { 0, 3, 0 }, material = "wood" }
	local entered = run(world, 5, function()
		return names(world) == "water_enter"
	end)
	near(entered, math.sqrt(2 * 2.5 / scenery.G), 2 / 60, "time")
	world:settle(30)
	lu.assertEquals(box.state, "asleep")
	world.terrain:fill_box { position = { 12, -5, 12 }, size = { 2, 10, 2 }, material = "water", mode = "remove" }
	world:step()
	lu.assertEquals(box.state, "asleep") -- far from it
	world.terrain:clear()
	world:step()
	lu.assertEquals({ box.state, names(world) }, { "awake", "water_exit" })
	run(world, 1)
	near(box.velocity.y, -scenery.G, 0.4, "falls freely")
end

-- Rising water lifts what lies dry.
function TestWaterEvents.testIsLifted()
	local world = scree.world {}
	local floor = scenery.slab(world)
	local box = world:spawn { shape = "box", size = { 1, 1, 1 }, position = { 0, 0.5, 0 }, material = "wood" }
	world:settle(10)
	world.terrain:fill_box { position = { 0, 1.5, 0 }, size = { 8, 3, 8 }, material = "water" }
	world:step()
	lu.assertEquals({ box.state, names(world) }, { "awake", "water_enter" })
	world:settle(30)
	near(box.position.y, 3 - 0.15, 0.01, "floats")
	lu.assertEquals(#floor:contacts(), 0)
end

-- ---- scenes --------------------------------------------------------------------------------------------------------

local TestWaterScenes = {}

function TestWaterScenes.testRaft()
	local f = require("examples.water.raft").run()
	lu.assertTrue(f.settled ~= nil and f.settled < 20)
	at_least(f.submerged, f.density / 1000 - 0.005, "bears itself")
	at_most(f.submerged, f.density / 1000 + 0.06, "and a crate")
	at_least(f.crate_height, 0.3, "crate")
	lu.assertTrue(f.woke and f.settled_lower ~= nil and f.settled_dry ~= nil and f.settled_again ~= nil)
	near(f.height - f.lower, 2, 0.02, "follows the water")
	near(f.dry, -4.75, 0.02, "on the bottom")
	lu.assertEquals(f.dry_submerged, 0)
	near(f.again, f.height, 0.08, "up again")
	at_least(f.entered, 2, "entered")
	lu.assertTrue(f.exited >= 1)
end

function TestWaterScenes.testSinkingRock()
	local f = require("examples.water.sinking_rock").run()
	lu.assertEquals(f.world.stats.awake, 0)
	at_most(f.energy_gained, 1e-3, "J/kg gained in a step")
	for i, rock in ipairs(f.rocks) do
		at_most(f.sinking[i], f.splash[i], "slowed")
		near(rock.position.y, -20 + ({ 0.5, 0.5, 0.1 })[i], 0.02, "on the bottom")
		lu.assertEquals(rock.submerged, 1)
	end
	-- a ball's own weight less that of its water, against half of density, area and speed squared
	local wanted = math.sqrt(2 * (f.rocks[1].mass - 1000 * 4 / 3 * math.pi / 8) * 9.81 / (1000 * math.pi / 4))
	near(f.sinking[1], wanted, 0.15 * wanted, "terminal speed")
end

function TestWaterScenes.testHalfFullShip()
	local f = require("examples.water.half_full_ship").run()
	lu.assertTrue(f.settled ~= nil and f.woke)
	near(f.submerged, f.wanted, 0.005, "by weight")
	at_most(f.tilt, math.rad(0.5), "upright")
	near(f.half, f.submerged / 2, 0.01, "half of the water gone")
	at_most(f.dips, -0.1, "dips by the dry end")
end

function TestWaterScenes.testBoxInShaft()
	for _, cell_size in ipairs { 1, 0.5, 0.25 } do
		local f = require("examples.water.box_in_shaft").run(cell_size)
		lu.assertTrue(f.settled ~= nil and f.settled_higher ~= nil)
		near(f.draft, f.wanted, 0.01, "draft")
		near(f.higher, 0.4 - f.wanted, 0.01, "higher")
	end
end

function TestWaterScenes.testDiggingUnderWater()
	local f = require("examples.water.digging_under_water").run()
	lu.assertTrue(f.settled ~= nil and f.woke and f.settled_after ~= nil)
	near(f.boulder_before, -5.4, 0.02, "boulder")
	near(f.boulder_after, -8.4, 0.02, "boulder")
	near(f.buoy_before, -4.5, 0.02, "buoy")
	near(f.buoy_submerged, 0.65, 0.01, "buoy")
end

return {
	TestFloating = TestFloating,
	TestSubmerged = TestSubmerged,
	TestWaterEvents = TestWaterEvents,
	TestWaterScenes = TestWaterScenes,
}
