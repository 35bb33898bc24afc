-- Drawbridge: a deck on a hinge, held by two chains over a winch that pays out and takes in; when it lies, a boulder of
-- three tonnes rolls over it, and then it is drawn up again.
--
--   luajit examples/drawbridge.lua
--
-- The scene is also a module, for tests:  local drawbridge = require "examples.drawbridge"

local scree = require "scree"

local M = {}

local LENGTH, HEIGHT, LINK = 6, 7, 0.4 -- of the deck, of the winch over it, of a chain's link; metres

-- options: threads (1).
function M.build(options)
	options = options or {}
	local world = scree.world { threads = options.threads or 1 }
	local terrain = world.terrain
	terrain:fill_box { position = { -8, -4, 0 }, size = { 16, 8, 16 }, material = "brick" } -- the castle's bank: x < 0
	terrain:fill_box { position = { LENGTH + 10, -4, 0 }, size = { 20, 8, 16 }, material = "ground" } -- the other one
	local scene = { world = world, winches = {} }
	-- it is built upright, with its foot at the hinge; down, its top is level with the banks
	scene.deck = world:spawn {
		shape = "box", size = { LENGTH - 0.4, 0.3, 3 }, position = { 0.2, LENGTH / 2 - 0.15, 0 }, material = "wood",
		rotation = scree.axis_angle({ 0, 0, 1 }, 0.5 * math.pi), friction = 0.8,
	}
	scene.deck.mass = 1500
	scene.hinge = world:joint {
		type = "hinge", b = scene.deck, at = { 0.2, -0.15, 0 }, axis = { 0, 0, -1 }, limits = { 0.1, 0.5 * math.pi },
	}
	for i, z in ipairs { -1.4, 1.4 } do
		M.add_chain(scene, i, z)
	end
	return scene
end

-- A chain from the deck's tip; its last link hangs on a rope from the gate, whose length the winch sets.
function M.add_chain(scene, i, z)
	local world, last, at = scene.world, scene.deck, scree.vec3(0.2, LENGTH - 0.4, z)
	for k = 1, 5 do
		local link = world:spawn {
			shape = "capsule", radius = 0.04, length = LINK - 0.15, position = at + scree.vec3(0, (k - 0.5) * LINK, 0),
			material = "metal", group = "chain", collides_with = {},
		}
		world:joint { type = "ball", a = last, b = link, at = at + scree.vec3(0, (k - 1) * LINK, 0) }
		last = link
	end
	scene.winches[i] = world:joint {
		type = "rope", b = last, at = { -0.5, HEIGHT, z }, at_b = at + scree.vec3(0, 5 * LINK, 0), length = 2,
	}
end

-- Lets out (positive) or takes in rope, in m/s, until the deck's angle is reached or the time is over. Returns whether.
function M.winch(scene, speed, angle, seconds)
	for _ = 1, seconds * 60 do
		for _, rope in ipairs(scene.winches) do
			rope.length = math.max(0.3, rope.length + speed / 60)
		end
		scene.world:step()
		local now = scene.hinge.angle
		if speed > 0 and now >= angle or speed < 0 and now <= angle then
			return true
		end
	end
	return false
end

-- How strongly the two chains pull together, in the mean over a second at rest.
function M.pull(scene)
	local sum = 0
	for _ = 1, 60 do
		scene.world:step()
		sum = sum + scene.winches[1].impulse:length() + scene.winches[2].impulse:length()
	end
	return sum
end

-- A boulder crosses from the castle. Returns how far the deck gave way, radians, and where the boulder got to.
function M.cross(scene)
	local boulder = scene.world:spawn {
		shape = "ball", radius = 0.7, position = { -4, 0.7, 0 }, velocity = { 4, 0, 0 }, rolling = 0,
		angular_velocity = { 0, 0, -4 / 0.7 },
	}
	boulder.mass = 3000
	local given = 0
	scene.world:run(1)
	for _ = 1, 240 do
		scene.world:step()
		given = math.max(given, math.abs(scene.hinge.angle - 0.5 * math.pi))
	end
	return given, boulder.position
end

local function main()
	local scene = M.build()
	local down = M.winch(scene, 1, math.rad(89.9), 20)
	print(("down after %.1f s, at %.1f degrees"):format(scene.world.time, math.deg(scene.hinge.angle)))
	local given, place = M.cross(scene)
	print(("a boulder of 3 t crossed to (%.1f, %.1f, %.1f); the deck moved by %.2f degrees"):format(place.x, place.y,
		place.z, math.deg(given)))
	local up = M.winch(scene, -0.8, math.rad(30), 30)
	print(("up again after %.1f s, at %.1f degrees; the chains pull with %.0f N"):format(scene.world.time,
		math.deg(scene.hinge.angle), M.pull(scene)))
	return down and up and place.x > LENGTH and 0 or 1
end

if ... == "examples.drawbridge" then
	return M
end
os.exit(main(...))
