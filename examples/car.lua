-- Car: four wheels on hinges, driven by motors, the front ones on knuckles that servos turn; it drives a circle over
-- hilly ground.
--
--   luajit examples/car.lua [seconds]
--
-- The scene is also a module, for tests:  local car = require "examples.car"

local scree = require "scree"

local M = {}

local RADIUS = 0.45 -- of a wheel, metres
local SPEED = 9 -- m/s

local function height(x, z)
	return 0.35 * scree.sin(0.21 * x) + 0.3 * scree.cos(0.17 * z) + 0.1 * scree.sin(0.55 * x + 0.4 * z)
end

-- A wheel at x, z of the car (x forward); steered ones get a knuckle between it and the chassis.
local function add_wheel(scene, x, z, steered)
	local world, at = scene.world, scene.start + scree.vec3(x, -0.35, z)
	local wheel = world:spawn {
		shape = "ball", radius = RADIUS, position = at, material = "wood", friction = 1.2, group = "car",
		collides_with = "default",
	}
	wheel.mass = 40
	local holder = scene.chassis
	if steered then
		holder = world:spawn { shape = "box", size = { 0.2, 0.2, 0.2 }, position = at, group = "car", collides_with = {} }
		holder.mass = 25
		scene.steering[#scene.steering + 1] = world:joint {
			type = "hinge", a = scene.chassis, b = holder, at = at, axis = { 0, 1, 0 }, limits = { -0.6, 0.6 },
			servo = { target = 0, speed = 2, max_torque = 4000 },
		}
	end
	scene.drive[#scene.drive + 1] = world:joint {
		type = "hinge", a = holder, b = wheel, at = at, axis = { 0, 0, 1 }, motor = { speed = 0, max_torque = 600 },
	}
end

-- options: threads (1).
function M.build(options)
	options = options or {}
	local world = scree.world { threads = options.threads or 1 }
	world.terrain:generate { min = { -40, -40 }, max = { 40, 40 }, height = height, material = "ground" }
	local scene = { world = world, start = scree.vec3(0, height(0, 14) + 1.1, 14), drive = {}, steering = {} }
	scene.chassis = world:spawn {
		parts = {
			{ shape = "box", size = { 3.6, 0.4, 1.4 } },
			{ shape = "box", size = { 1.6, 0.5, 1.3 }, position = { -0.2, 0.45, 0 } },
		},
		position = scene.start, group = "car", collides_with = "default",
	}
	scene.chassis.mass = 900
	for _, z in ipairs { -0.85, 0.85 } do
		add_wheel(scene, 1.25, z, true)
		add_wheel(scene, -1.25, z, false)
	end
	scene.way, scene.fastest, scene.gap = 0, 0, 0
	return scene
end

local function forward_speed(scene)
	return scene.chassis.velocity:dot(scene.chassis.rotation * scree.vec3(1, 0, 0))
end

-- Drives for a time, its wheels turned by an angle.
function M.drive(scene, seconds, turn)
	for _, joint in ipairs(scene.steering) do
		joint.servo = { target = turn }
	end
	for _, joint in ipairs(scene.drive) do
		joint.motor = { speed = -SPEED / RADIUS }
	end
	local last = scene.chassis.position
	for _ = 1, seconds * 60 do
		scene.world:step()
		local here = scene.chassis.position
		scene.way = scene.way + (here - last):length()
		scene.fastest = math.max(scene.fastest, forward_speed(scene))
		for _, joint in ipairs(scene.drive) do
			scene.gap = math.max(scene.gap, (joint.at_a - joint.at_b):length())
		end
		last = here
	end
end

-- Brakes until it stands.
function M.stop(scene)
	for _, joint in ipairs(scene.drive) do
		joint.motor = { speed = 0 }
	end
	scene.world:run(3)
end

local function main(seconds)
	local scene = M.build()
	M.drive(scene, tonumber(seconds) or 12, 0.2)
	local p = scene.chassis.position
	M.stop(scene)
	print(("drove %.1f m, at most %.2f m/s, to (%.1f, %.1f, %.1f)"):format(scene.way, scene.fastest, p:unpack()))
	print(("wheels off their axles by at most %.2f mm"):format(1000 * scene.gap))
	print(("stands: %s"):format(tostring(scene.chassis.velocity:length() < 0.1)))
	return scene.way > 10 and 0 or 1
end

if ... == "examples.car" then
	return M
end
os.exit(main(...))
