-- A ball thrown up where gravity is weak: it hangs in the air for seconds, slower than anything that sleeps.
--
--   luajit examples/sleep/thrown_ball.lua

local scree = require "scree"
local states = require "examples.sleep.states"

local M = { title = "ball thrown up with gravity 0.1 m/s²", right = "comes down", starred = true }

function M.run(rule, watch, gravity)
	local world = scree.world { gravity = { 0, -(gravity or 0.1), 0 }, sleep = { rule = rule } }
	world:spawn { shape = "box", size = { 20, 1, 20 }, position = { 0, -0.5, 0 }, motion = "static" }
	local ball = world:spawn {
		shape = "ball", radius = 0.2, position = { 0, 0.2, 0 }, velocity = { 0, 0.3, 0 }, restitution = 0,
	}
	local top, slept = 0, nil
	local seconds = 0.7 / (gravity or 0.1) + 6
	states.run(world, seconds, watch, { { "ball", ball } }, function()
		top = math.max(top, ball.position.y - 0.2)
		slept = ball.state == "asleep" and ball.position.y - 0.2 or nil
		return slept
	end)
	local ok = top > 0.1 and ball.position.y - 0.2 < 0.01
	return ok, ok and ("rose %.2f m and came down"):format(top) or ("asleep in the air, %.2f m up"):format(slept or -1),
		{ top = top, slept = slept }
end

if ... == "examples.sleep.thrown_ball" then
	return M
end
os.exit(states.main(M))
