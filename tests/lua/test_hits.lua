-- Where hit events say that things met: at the origin, by theory, at every phase of the step.

local luaunit = require "luaunit"
local scree = require "scree"

local vec3 = scree.vec3
local PHASES = 12

local function world_of_plates()
	local world = scree.world { gravity = { 0, 0, 0 } }
	world.materials.plate = { density = 2600, friction = 0, restitution = 0.3 }
	return world
end

local function ball(world, radius, position, velocity, bullet)
	return world:spawn {
		shape = "ball", radius = radius, material = "plate", position = position, velocity = velocity, bullet = bullet,
	}
end

local function slab(world, position, velocity)
	return world:spawn {
		shape = "box", size = { 20, 4, 20 }, material = "plate", position = position,
		motion = velocity and "kinematic" or "static", velocity = velocity,
	}
end

-- Each starts so that what it throws meets something at the origin after `time` seconds.
local SCENES = {
	["a ball aslant on terrain"] = function(world, speed, time, bullet)
		world.terrain:fill_box { position = { 0, -2, 0 }, size = { 20, 4, 20 }, material = "plate" }
		local velocity = vec3(0.8, -0.6, 0) * speed
		ball(world, 0.5, vec3(0, 0.5, 0) - velocity * time, velocity, bullet)
	end,
	["a ball aslant on a static box"] = function(world, speed, time, bullet)
		slab(world, { 0, -2, 0 })
		local velocity = vec3(0.6, -0.8, 0) * speed
		ball(world, 0.5, vec3(0, 0.5, 0) - velocity * time, velocity, bullet)
	end,
	["a ball on a platform that rises"] = function(world, speed, time, bullet)
		slab(world, { 0, -2 - 2 * time, 0 }, { 0, 2, 0 })
		ball(world, 0.5, { 0, 0.5 + speed * time, 0 }, { 0, -speed, 0 }, bullet)
	end,
	["a ball on one that rests"] = function(world, speed, time, bullet)
		ball(world, 0.5, { 0.5, 0, 0 })
		ball(world, 0.5, { -0.5 - speed * time, 0, 0 }, { speed, 0, 0 }, bullet)
	end,
	["a ball and a large one that comes towards it"] = function(world, speed, time, bullet)
		ball(world, 0.5, { -0.5 - speed * time, 0, 0 }, { speed, 0, 0 }, bullet)
		ball(world, 2, { 2 + 0.5 * speed * time, 0, 0 }, { -0.5 * speed, 0, 0 })
	end,
}

local function first_hit(world)
	for _ = 1, 120 do
		world:step()
		local event = world:events "hit"()
		if event then
			return event
		end
	end
end

local function check(name, speed, phase, bullet)
	local world = world_of_plates()
	SCENES[name](world, speed, 0.5 + phase / PHASES / 60, bullet)
	local event = first_hit(world)
	local what = ("%s, %d m/s, phase %d, bullet %s"):format(name, speed, phase, tostring(bullet))
	luaunit.assertNotNil(event, what)
	luaunit.assertTrue(event.position:length() < 0.015, ("%s: %s"):format(what, tostring(event.position)))
end

local TestHits = {}

function TestHits.testPlace()
	for name in pairs(SCENES) do
		for _, speed in ipairs { 3, 10, 30, 100 } do
			for phase = 0, PHASES - 1 do
				if speed <= 30 then -- faster, they may pass through each other
					check(name, speed, phase, false)
				end
				check(name, speed, phase, true)
			end
		end
	end
end

-- A landing under gravity: the surface, and not where the body was when the step began.
function TestHits.testFall()
	for phase = 0, PHASES - 1 do
		local world = scree.world {}
		world.terrain:fill_box { position = { 0, -2, 0 }, size = { 20, 4, 20 }, material = "rock" }
		world:spawn { shape = "box", size = { 1, 1, 1 }, position = { 0, 5.6 + 0.02 * phase, 0 } }
		local event = first_hit(world)
		luaunit.assertAlmostEquals(event.position.y, 0, 0.01)
		luaunit.assertAlmostEquals(math.abs(event.position.x), 0.5, 0.01)
	end
end

-- The impulse is that of the whole blow, at however many points it falls.
function TestHits.testImpulse()
	for _, shape in ipairs {
		{ shape = "ball", radius = 0.5 }, { shape = "box", size = { 1, 1, 1 } },
		{ shape = "cylinder", radius = 0.5, length = 1 },
		{ shape = "capsule", radius = 0.5, length = 1, rotation = scree.euler(0, 0, math.pi / 2) },
	} do
		for _, ground in ipairs { "terrain", "slab" } do
			local world = scree.world()
			if ground == "terrain" then
				world.terrain:fill_box { position = { 0, -2, 0 }, size = { 20, 4, 20 }, material = "rock" }
			else
				world:spawn { shape = "box", size = { 20, 4, 20 }, position = { 0, -2, 0 }, motion = "static" }
			end
			shape.position, shape.restitution = { 0, 2, 0 }, 0.5
			local body, event = world:spawn(shape), nil
			local before
			repeat
				before = body.velocity.y
				world:step()
				for hit in world:events "hit" do
					event = hit
				end
			until event
			local expected = body.mass * (body.velocity.y - before + 9.81 / 60)
			luaunit.assertAlmostEquals(event.impulse / expected, 1, 1e-3, shape.shape .. " on " .. ground)
		end
	end
end

-- One landing without a bounce is one blow, in whichever part of a step it falls.
function TestHits.testLandingIsToldOnce()
	for _, shape in ipairs { { shape = "ball", radius = 0.5 }, { shape = "box", size = { 1, 1, 1 } } } do
		for phase = 0, 23 do
			local world = scree.world()
			world:spawn { shape = "box", size = { 9, 1, 9 }, position = { 0, -0.5, 0 }, motion = "static", restitution = 0 }
			shape.position, shape.restitution = { 0, 1.5 + 0.011 * phase, 0 }, 0
			local body, hits, impulse, fastest = world:spawn(shape), 0, 0, 0
			for _ = 1, 50 do
				world:step()
				fastest = math.max(fastest, -body.velocity.y)
				for hit in world:events "hit" do
					hits, impulse = hits + 1, hit.impulse
				end
			end
			local what = ("a %s, phase %d"):format(shape.shape, phase)
			luaunit.assertEquals(hits, 1, what)
			luaunit.assertAlmostEquals(impulse / body.mass, fastest + 9.81 / 60, 0.02, what)
		end
	end
end

return { TestHits = TestHits }
