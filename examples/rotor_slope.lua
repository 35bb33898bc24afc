-- A cylinder is rolled up a slope of two degrees by the flywheel in it, which is then taken away: it slows, turns,
-- rolls back down and rests against the stop. At its turning point it is as slow as what sleeps.
--
--   luajit examples/rotor_slope.lua
--
-- As a module, for tests and the table of docs/sleep.md:  require("examples.rotor_slope").run(rule)

local scree = require "scree"
local states = require "examples.sleep.states"

local M = {
	title = "cylinder rolled up a slope by a rotor, let go", right = "rolls back down, asleep only at the bottom",
	starred = true,
}

local ANGLE = math.rad(2)
local LET_GO = 1.5 -- seconds

function M.build(rule)
	local world = scree.world { sleep = { rule = rule } }
	local slope = scree.axis_angle({ 0, 0, 1 }, ANGLE)
	local function on_slope(x, y)
		return slope * scree.vec3(x, y, 0)
	end
	world:spawn {
		shape = "box", size = { 40, 2, 6 }, position = on_slope(12, -1), rotation = slope, motion = "static", friction = 1,
		rolling = 0,
	}
	world:spawn {
		shape = "box", size = { 1, 2, 6 }, position = on_slope(-1, 1), rotation = slope, motion = "static", friction = 0,
		restitution = 0,
	}
	local across = scree.axis_angle({ 1, 0, 0 }, math.pi / 2)
	local cylinder = world:spawn {
		shape = "cylinder", radius = 0.5, length = 1, position = on_slope(0, 0.5), rotation = across, friction = 1,
		rolling = 0, restitution = 0, mass = 100,
	}
	local rotor = world:spawn {
		shape = "ball", radius = 0.3, position = on_slope(0, 0.5), collides_with = "none", mass = 50,
		inertia = { 50, 50, 50 },
	}
	local hinge = world:joint {
		type = "hinge", a = rotor, b = cylinder, at = on_slope(0, 0.5), axis = { 0, 0, 1 },
		motor = { speed = -20, max_torque = 120 },
	}
	return {
		world = world, cylinder = cylinder, rotor = rotor, hinge = hinge, up = on_slope(1, 0), start = on_slope(0, 0.5),
	}
end

function M.run(rule, watch)
	local scene = M.build(rule)
	local function way()
		return (scene.cylinder.position - scene.start):dot(scene.up)
	end
	local top, slept = 0, nil
	local ended = states.run(scene.world, 40, watch, { { "cylinder", scene.cylinder } }, function(t)
		if t >= LET_GO and scene.rotor.valid then
			scene.rotor:destroy()
		end
		top = math.max(top, way())
		slept = scene.cylinder.state == "asleep" and way() or nil
		return slept
	end)
	local facts = { top = top, slept = slept, time = ended }
	local ok = slept ~= nil and top > 2 and math.abs(slept) < 0.05
	local said = slept and ("rolled up %.1f m, fell asleep %s"):format(top,
		ok and "at the bottom" or ("%.1f m above the bottom"):format(slept)) or "never slept"
	return ok, said, facts
end

if ... == "examples.rotor_slope" then
	return M
end
os.exit(states.main(M))
