-- A pendulum let go at the end of a small swing, and a weight on a weak spring let go at full stretch. Neither is held
-- back by anything, so both swing as far after half a minute as at first; at the ends of their ways they stand still.
--
--   luajit examples/sleep/turning_points.lua

local scree = require "scree"
local states = require "examples.sleep.states"

local M = { title = "pendulum at its turning point, weak spring at full stretch", right = "goes on", starred = true }

local LENGTH, SWING = 4, math.rad(1.5)
local STRETCH = 0.3

function M.run(rule, watch)
	local world = scree.world { sleep = { rule = rule } }
	local bob = world:spawn {
		shape = "ball", radius = 0.2, position = { LENGTH * math.sin(SWING), -LENGTH * math.cos(SWING), 0 },
	}
	world:joint { type = "rod", b = bob, at_a = { 0, 0, 0 }, length = LENGTH }
	local weight = world:spawn { shape = "ball", radius = 0.2, position = { 8 + STRETCH, 0, 0 }, gravity_scale = 0 }
	world:joint { type = "spring", b = weight, at_a = { 6, 0, 0 }, length = 2, frequency = 0.1, damping = 0 }
	local last = { bob = 0, weight = 0 } -- how far each swings in the last ten seconds
	local slept = {}
	states.run(world, 30, watch, { { "pendulum", bob }, { "weight", weight } }, function(t)
		if t > 15 then
			last.bob = math.max(last.bob, math.abs(bob.position.x))
			last.weight = math.max(last.weight, math.abs(weight.position.x - 8))
		end
		slept.bob = slept.bob or bob.state == "asleep"
		slept.weight = slept.weight or weight.state == "asleep"
	end)
	local swing, stretch = last.bob / (LENGTH * math.sin(SWING)), last.weight / STRETCH
	local ok = not slept.bob and not slept.weight and math.abs(swing - 1) < 0.05 and math.abs(stretch - 1) < 0.05
	local said = ok and "both swing on, as far as at first" or ("%s"):format(
		slept.bob and slept.weight and "both asleep half way" or slept.bob and "pendulum asleep half way"
			or slept.weight and "weight asleep half way" or ("swing %.0f %%"):format(100 * math.min(swing, stretch)))
	return ok, said, { swing = swing, stretch = stretch }
end

if ... == "examples.sleep.turning_points" then
	return M
end
os.exit(states.main(M))
