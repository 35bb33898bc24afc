-- Two blocks without gravity, a slack rope between them: one drifts away, the other sleeps until the rope goes taut.
--
--   luajit examples/sleep/taut_rope.lua

local scree = require "scree"
local states = require "examples.sleep.states"

local M = {
	title = "rope between a drifting block and a resting one, no gravity",
	right = "resting one wakes in the step in which the rope goes taut", starred = true,
}

function M.run(rule, watch)
	local world = scree.world { gravity = { 0, 0, 0 }, sleep = { rule = rule } }
	local resting = world:spawn { shape = "box", size = { 1, 1, 1 } }
	local drifting = world:spawn { shape = "box", size = { 1, 1, 1 }, position = { 2, 0, 0 }, velocity = { 0.05, 0, 0 } }
	local rope = world:joint { type = "rope", a = resting, b = drifting, length = 2.3 }
	resting:sleep()
	local taut, woke, drifted
	states.run(world, 12, watch, { { "resting", resting }, { "drifting", drifting } }, function(t)
		taut = taut or (rope.impulse:length() > 1e-6 and t or nil)
		woke = woke or (resting.state == "awake" and t or nil)
		drifted = drifting.position.x - 2
	end)
	local ok = taut ~= nil and woke == taut and math.abs(resting.velocity.x - 0.025) < 0.005
	local said
	if not taut then
		said = ("the drifting one falls asleep after %.2f m"):format(drifted)
	elseif woke == taut then
		said = ("taut after %.1f s, and awake in that step"):format(taut)
	else
		said = ("taut after %.1f s, awake %s"):format(taut, woke and ("after %.1f s"):format(woke) or "never")
	end
	return ok, said, { taut = taut, woke = woke, drifted = drifted }
end

if ... == "examples.sleep.taut_rope" then
	return M
end
os.exit(states.main(M))
