-- Two balls at rest are let go: one on a slope of one degree, one on a fifth of a degree, with a little resistance to
-- rolling. They speed up so slowly that for a second they are slower than what sleeps.
--
--   luajit examples/sleep/gentle_slopes.lua

local scree = require "scree"
local states = require "examples.sleep.states"

local M = {
	title = "sphere on a 1° slope, on a 0.2° slope with low rolling resistance", right = "rolls", starred = true,
}

local RADIUS, SECONDS, G = 0.5, 6, 9.81

local function put(world, degrees, rolling, z)
	local slope = scree.axis_angle({ 0, 0, 1 }, math.rad(degrees))
	local aside = scree.vec3(0, 0, z)
	world:spawn {
		shape = "box", size = { 60, 2, 6 }, position = slope * scree.vec3(0, -1, 0) + aside, rotation = slope,
		motion = "static", friction = 1, rolling = rolling,
	}
	local ball = world:spawn {
		shape = "ball", radius = RADIUS, position = slope * scree.vec3(20, RADIUS, 0) + aside, friction = 1,
		rolling = rolling, restitution = 0,
	}
	-- rolling resistance is a torque of so many radii times the weight
	local acceleration = 5 / 7 * G * (math.sin(math.rad(degrees)) - rolling * math.cos(math.rad(degrees)))
	return { ball = ball, start = ball.position, way = 0.5 * acceleration * SECONDS ^ 2 }
end

function M.run(rule, watch)
	local world = scree.world { sleep = { rule = rule } }
	local steep, flat = put(world, 1, 0, 0), put(world, 0.2, 2e-4, 20)
	local slept = false
	states.run(world, SECONDS, watch, { { "on 1°", steep.ball }, { "on 0.2°", flat.ball } }, function()
		slept = slept or steep.ball.state == "asleep" or flat.ball.state == "asleep"
	end)
	local ok, words = not slept, {}
	for i, one in ipairs { steep, flat } do
		one.went = (one.ball.position - one.start):length()
		ok = ok and math.abs(one.went - one.way) < 0.05 * one.way
		words[i] = ("%.2f m of %.2f"):format(one.went, one.way)
	end
	return ok, ("rolled %s and %s%s"):format(words[1], words[2], slept and ", asleep on the way" or ""),
		{ steep = steep, flat = flat }
end

if ... == "examples.sleep.gentle_slopes" then
	return M
end
os.exit(states.main(M))
