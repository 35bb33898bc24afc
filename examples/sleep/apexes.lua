-- How small a net acceleration is told from rest: a body that turns under a steady force, at the top of its path, falls
-- asleep there if the force is weaker than a limit. Found by halving an interval, for a ball in the air and for a ball
-- that rolls up a board and back.
--
--   luajit examples/sleep/apexes.lua

local scree = require "scree"

local M = {}

local function sleeps(world, body, seconds)
	for _ = 1, math.floor(60 * seconds) do
		world:step()
		if body.state == "asleep" then
			return true
		end
	end
	return false
end

local places = {}

--- Thrown up, the harder the stronger the pull, so that it turns within a second or so.
function places.air(rule, acceleration)
	local world = scree.world { gravity = { 0, -acceleration, 0 }, sleep = { rule = rule } }
	local speed = math.max(0.02, 0.6 * acceleration)
	local ball = world:spawn { shape = "ball", radius = 0.2, velocity = { 0, speed, 0 } }
	return sleeps(world, ball, 2 * speed / acceleration)
end

--- Rolls up a board so steep that its centre is slowed by `acceleration`.
function places.board(rule, acceleration)
	local world = scree.world { sleep = { rule = rule } }
	local angle = math.asin(math.min(1, acceleration / (5 / 7 * 9.81)))
	local slope = scree.axis_angle({ 0, 0, 1 }, angle)
	world:spawn {
		shape = "box", size = { 60, 2, 6 }, position = slope * scree.vec3(0, -1, 0), rotation = slope, motion = "static",
		friction = 1, rolling = 0,
	}
	local speed = math.max(0.02, 0.6 * acceleration)
	local ball = world:spawn {
		shape = "ball", radius = 0.2, position = slope * scree.vec3(0, 0.2, 0), friction = 1, rolling = 0, restitution = 0,
		velocity = slope * scree.vec3(speed, 0, 0), angular_velocity = { 0, 0, -speed / 0.2 },
	}
	return sleeps(world, ball, 2 * speed / acceleration)
end

--- The largest acceleration, m/s², at which it falls asleep at its apex, to a fiftieth.
function M.limit(rule, place)
	local low, high = 0.002, 2 -- falls asleep at the lower
	if not places[place](rule, low) then
		return 0
	end
	while high > 1.02 * low do
		local middle = math.sqrt(low * high)
		if places[place](rule, middle) then
			low = middle
		else
			high = middle
		end
	end
	return low
end

if ... == "examples.sleep.apexes" then
	return M
end
for _, rule in ipairs { "impulse", "velocity" } do
	print(("%-8s  in the air %.3f m/s², on a board %.3f m/s²"):format(rule, M.limit(rule, "air"), M.limit(rule, "board")))
end
