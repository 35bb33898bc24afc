-- Cylinders, cones, compounds and all kinds together in motion.

local lu = require "luaunit"
local scree = require "scree"
local scenery = require "scenery"

local G = scenery.G
local near, at_most, at_least, run = scenery.near, scenery.at_most, scenery.at_least, scenery.run
local vec3, slope, with = scree.vec3, scenery.slope, scenery.with
local LYING = scree.axis_angle({ 1, 0, 0 }, math.pi / 2) -- the axis along z

-- ---- cylinders ---------------------------------------------------------------------------------------------------

local TestCylinder = {}

-- 2/3 g sin, straight, at one height, over cells and borders of chunks.
function TestCylinder.testRollsDownASlope()
	for _, degrees in ipairs { 5, 10, 20 } do
		local world = slope(degrees)
		local drum = world:spawn {
			shape = "cylinder", radius = 0.4, length = 0.8, material = "even", position = { -40, 0.4, 0.3 }, rotation = LYING,
		}
		run(world, 2, function(t)
			near(drum.position.y, 0.4, 1e-3, degrees .. " degrees: height at " .. t)
			near(drum.position.z, 0.3, 1e-3, degrees .. " degrees: aside at " .. t)
		end)
		local expected = 2 / 3 * G * math.sin(math.rad(degrees))
		near(drum.velocity.x / 2, expected, 0.01 * expected, degrees .. " degrees")
	end
end

function TestCylinder.testFiveStandOnEachOther()
	local world = slope(0)
	local drums = {}
	for i = 1, 5 do
		drums[i] = world:spawn {
			shape = "cylinder", radius = 0.5, length = 1, material = "even", position = { 0.3, i - 0.5, 0.2 },
		}
	end
	lu.assertNotNil(world:settle(10))
	for i = 1, 5 do
		lu.assertEquals(drums[i].state, "asleep")
		near((drums[i].position - vec3(0.3, i - 0.5, 0.2)):length(), 0, 5e-3, "drum " .. i)
	end
end

-- A wheel runs on its rim, at its height, and keeps its speed but for the little that tilting costs.
function TestCylinder.testRunsOnItsRim()
	local world = slope(0, { 96, 8, 48 })
	local wheel = world:spawn {
		shape = "cylinder", radius = 0.5, length = 0.1, material = "even", position = { -40, 0.5, 0 },
		rotation = scree.axis_angle({ 1, 0, 0 }, math.pi / 2 + 0.05), velocity = { 4, 0, 0 }, angular_velocity = { 0, 0, -8 },
	}
	run(world, 8, function(t)
		at_most(math.abs((wheel.rotation * vec3(0, 1, 0)).y), 0.08, "tilt at " .. t)
		near(wheel.position.y, 0.5, 0.01, "height at " .. t)
	end)
	near(wheel.velocity:length(), 4, 0.1, "speed")
	lu.assertEquals(wheel.state, "awake")
end

-- Set spinning on its edge, a coin comes to lie flat.
function TestCylinder.testCoinFallsFlat()
	local world = slope(0)
	local coin = world:spawn {
		shape = "cylinder", radius = 0.3, length = 0.04, material = "metal", position = { 0, 0.32, 0 },
		rotation = scree.axis_angle({ 1, 0, 0 }, math.pi / 2 - 0.1), angular_velocity = { 0, 6, 0 },
	}
	lu.assertNotNil(world:settle(20))
	near(math.abs((coin.rotation * vec3(0, 1, 0)).y), 1, 1e-4, "flat")
	near(coin.position.y, 0.02, 2e-3, "height")
end

-- ---- cones -------------------------------------------------------------------------------------------------------

local TestCone = {}

function TestCone.testWhereItsOriginIs()
	local world = scree.world { gravity = { 0, 0, 0 } }
	local cone = world:spawn { shape = "cone", radius = 0.5, length = 2, density = 1000, position = { 1, 2, 3 } }
	near(cone.mass, 1000 * math.pi * 0.25 * 2 / 3, 1e-3, "mass")
	near((cone.center_of_mass - vec3(1, 1.5, 3)):length(), 0, 1e-6, "centre a quarter above the base")
	local low, high = cone:bounds()
	near((low - vec3(0.5, 1, 2.5)):length(), 0, 1e-5, "low")
	near((high - vec3(1.5, 3, 3.5)):length(), 0, 1e-5, "high")
	local hit = world:raycast({ 1, 9, 3 }, { 1, -9, 3 })
	near(hit.position.y, 3, 1e-6, "tip")
	hit = world:raycast({ 9, 2, 3 }, { -9, 2, 3 })
	near(hit.position.x, 1.25, 1e-6, "half way up")
end

function TestCone.testStandsOnItsBase()
	local world = slope(0)
	local cone = world:spawn { shape = "cone", radius = 0.5, length = 1, material = "even", position = { 0.3, 0.6, 0.2 } }
	lu.assertNotNil(world:settle(10))
	near((cone.position - vec3(0.3, 0.5, 0.2)):length(), 0, 3e-3, "place")
end

-- On its side it lies still, and pushed it rolls about its tip, which stays where it is.
function TestCone.testRollsInACircle()
	local world = slope(0)
	local radius, length = 0.5, 1
	local half = math.atan(radius / length)
	local cone = world:spawn {
		shape = "cone", radius = radius, length = length, material = "even",
		rotation = scree.axis_angle({ 0, 0, 1 }, math.pi / 2 + half),
	}
	cone.position = -cone:to_world { 0, length / 2, 0 }
	lu.assertNotNil(world:settle(5))
	near(cone:to_world({ 0, length / 2, 0 }):length(), 0, 1e-3, "the tip at rest")
	local tip = cone:to_world { 0, length / 2, 0 }
	local turning = vec3(-1 / math.tan(half), 0, 0) -- about the line on the ground: once round in 2 pi seconds
	cone.angular_velocity = turning
	cone.velocity = turning:cross(cone.center_of_mass - tip)
	local height, speed = cone.center_of_mass.y, cone.velocity:length()
	run(world, math.pi, function(t)
		near((cone:to_world { 0, length / 2, 0 } - tip):length(), 0, 0.02, "tip at " .. t)
		near(cone.center_of_mass.y, height, 3e-3, "height at " .. t)
		near(cone.velocity:length(), speed, 0.03 * speed, "speed at " .. t)
	end)
	local arm = cone.center_of_mass - tip
	at_most(arm.x, -0.9 * math.sqrt(arm.x * arm.x + arm.z * arm.z), "half way round") -- it began at +x
end

-- ---- all shapes --------------------------------------------------------------------------------------------------

local shapes = {
	{ shape = "ball", radius = 0.4 },
	{ shape = "box", size = { 0.8, 0.6, 0.7 } },
	{ shape = "capsule", radius = 0.3, length = 0.6 },
	{ shape = "cylinder", radius = 0.4, length = 0.7 },
	{ shape = "cone", radius = 0.5, length = 0.8 },
	{ shape = "wedge", size = { 0.8, 0.6, 0.9 } },
	{ shape = "hull", points = { { 0, 0.4, 0 }, { 0.5, -0.3, 0.4 }, { -0.5, -0.3, 0.3 }, { 0, -0.3, -0.5 } } },
}

local TestAll = {}

-- A heap of all kinds comes to rest above the ground, nothing in anything else.
function TestAll.testHeapComesToRest()
	local world = slope(0)
	for k = -1, 1, 2 do -- a pen, so that none rolls away
		world:spawn { shape = "box", size = { 1, 3, 17 }, position = { 8 * k, 1.5, 0 }, motion = "static" }
		world:spawn { shape = "box", size = { 17, 3, 1 }, position = { 0, 1.5, 8 * k }, motion = "static" }
	end
	for i = 0, 41 do
		world:spawn(with(shapes[i % #shapes + 1], {
			position = { 0.9 * (i % 3), 0.8 + 0.8 * math.floor(i / 3), 0.4 * scree.sin(i) }, friction = 0.6, rolling = 0.05,
			rotation = scree.axis_angle({ scree.sin(i), scree.cos(i), 0.3 }, i), material = "wood",
		}))
	end
	lu.assertNotNil(world:settle(40))
	for body in world:assemblies() do
		lu.assertTrue(body.motion == "static" or body.state == "asleep")
		at_least(body.center_of_mass.y, 0.05, tostring(body))
		for _, contact in ipairs(body:contacts()) do
			for _, point in ipairs(contact.points) do
				at_least(point.separation, -0.02, tostring(body) .. " overlaps")
			end
		end
	end
end

-- What is deep in the ground comes out at a bounded speed.
function TestAll.testBuriedOnesComeOut()
	for _, shape in ipairs { shapes[4], shapes[5] } do
		local world = slope(0, { 64, 16, 64 })
		local body = world:spawn(with(shape, { position = { 0.3, -3, 0.4 } }))
		run(world, 10, function()
			at_most(body.velocity:length(), 6, shape.shape .. ": speed")
		end)
		at_least(body.center_of_mass.y, 0, shape.shape)
	end
end

-- Small and fast over thin ground: none goes through.
function TestAll.testNoneFallsThrough()
	local world = slope(0, { 96, 8, 96 })
	local bodies = {}
	for i = 0, 99 do
		local small = i % 2 == 0 and { shape = "cylinder", radius = 0.1, length = 0.2 }
			or { shape = "cone", radius = 0.12, length = 0.25 }
		bodies[i] = world:spawn(with(small, {
			position = { 4 * (i % 10) - 20.3, 10, 4 * math.floor(i / 10) - 20.1 },
			rotation = scree.axis_angle({ scree.sin(i), 1, scree.cos(3 * i) }, i), velocity = { 0, -20, 0 },
		}))
	end
	run(world, 3)
	for i = 0, 99 do
		at_least(bodies[i].position.y, 0, "body " .. i)
	end
end

-- Rays, casts and overlaps know every kind.
function TestAll.testQueries()
	for _, shape in ipairs(shapes) do
		local world = scree.world { gravity = { 0, 0, 0 } }
		local body = world:spawn(with(shape, { position = { 2, 3, 4 }, motion = "static" }))
		local hit = world:raycast({ 2.01, 13, 4.02 }, { 2.01, -7, 4.02 })
		local low, high = body:bounds()
		lu.assertEquals(hit.assembly, body, shape.shape)
		at_most(hit.position.y, high.y + 1e-5, shape.shape)
		for _, moving in ipairs(shapes) do
			hit = world:cast(moving, { 2, 13, 4 }, { 2, -7, 4 })
			lu.assertEquals(hit and hit.assembly, body, moving.shape .. " on " .. shape.shape)
			at_most(math.abs(hit.normal:length() - 1), 1e-5, moving.shape .. " on " .. shape.shape)
			lu.assertEquals(#world:overlap(moving, { 2, 3, 4 }), 1, moving.shape .. " in " .. shape.shape)
			lu.assertEquals(#world:overlap(moving, { 2, high.y + 2, 4 }), 0)
		end
		lu.assertTrue(low.y < high.y)
	end
end

-- ---- seams between parts -----------------------------------------------------------------------------------------

local TestPartSeams = {}

-- A floor of unit boxes, as parts of one assembly or as many.
local function tiles(world, as_parts)
	local parts = {}
	for x = -10, 10 do
		for z = -2, 2 do
			local part = { shape = "box", size = { 1, 1, 1 }, position = { x, -0.5, z }, material = "slick" }
			if as_parts then
				parts[#parts + 1] = part
			else
				part.motion = "static"
				world:spawn(part)
			end
		end
	end
	if as_parts then
		world:spawn { parts = parts, motion = "static" }
	end
end

function TestPartSeams.testFloorOfBoxesIsOneFloor()
	for _, as_parts in ipairs { true, false } do
		for k, shape in ipairs {
			{ shape = "box", size = { 0.6, 0.6, 0.6 } },
			{ shape = "ball", radius = 0.3 },
			{ shape = "cylinder", radius = 0.3, length = 0.6 },
			{ shape = "cylinder", radius = 0.3, length = 0.6, rotation = LYING },
			{ shape = "capsule", radius = 0.3, length = 0.6, rotation = LYING },
		} do
			local world = scree.world()
			world.materials.slick = { density = 1000, friction = 0, restitution = 0, rolling = 0 }
			tiles(world, as_parts)
			local body = world:spawn(with(shape, {
				position = { -8, 0.3, 0.25 }, velocity = { 5, 0, 0.3 }, material = "slick",
			}))
			run(world, 3, function(t)
				near((body.velocity - vec3(5, 0, 0.3)):length(), 0, 5e-3, k .. ": velocity at " .. t)
				near(body.position.y, 0.3, 1e-3, k .. ": height at " .. t)
			end)
			near(body.position.x, 7, 1e-2, k .. ": way")
		end
	end
end

-- A raft of boxes over one slab, and a box over the raft: neither feels the seams. A wall on it is felt.
function TestPartSeams.testRaftOfBoxes()
	local world = scree.world()
	world.materials.slick = { density = 1000, friction = 0, restitution = 0, rolling = 0 }
	world:spawn { shape = "box", size = { 60, 1, 20 }, position = { 0, -0.5, 0 }, motion = "static", material = "slick" }
	local parts = {}
	for x = -2, 2 do
		for z = -2, 2 do
			parts[#parts + 1] = { shape = "box", size = { 1, 0.5, 1 }, position = { x, 0.25, z } }
		end
	end
	parts[#parts + 1] = { shape = "box", size = { 0.5, 1, 5 }, position = { -2.25, 1, 0 } }
	local raft = world:spawn { parts = parts, position = { -10, 0, 0 }, velocity = { 4, 0, 0 }, material = "slick" }
	local box = world:spawn {
		shape = "box", size = { 0.6, 0.6, 0.6 }, position = { -8, 0.8, 0.2 }, velocity = { 1, 0, 0 }, material = "slick",
	}
	run(world, 1)
	near(raft.velocity.x, 4, 1e-3, "the raft")
	near(box.velocity.x, 1, 1e-3, "the box")
	run(world, 2)
	at_least(box.velocity.x, 3.5, "taken along by the wall")
end

return { TestCylinder = TestCylinder, TestCone = TestCone, TestAll = TestAll, TestPartSeams = TestPartSeams }
