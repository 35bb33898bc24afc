-- A tall block that stands on its edge, tipped a third of a degree past its balance: at first it hardly moves.
--
--   luajit examples/sleep/tipped_block.lua

local scree = require "scree"
local states = require "examples.sleep.states"

local M = { title = "tall block tipped just past balance", right = "lies down, then sleeps", starred = true }

function M.run(rule, watch)
	local world = scree.world { sleep = { rule = rule } }
	world.terrain:fill_box { position = { 0, -2, 0 }, size = { 20, 4, 20 }, material = "rock" }
	local turn = scree.axis_angle({ 0, 0, 1 }, -math.atan(0.5 / 4) - math.rad(0.3))
	local block = world:spawn {
		shape = "box", size = { 0.5, 4, 0.5 }, rotation = turn, position = turn * scree.vec3(-0.25, 2, 0), friction = 0.8,
		restitution = 0,
	}
	states.run(world, 10, watch, { { "block", block } }, function()
		return block.state == "asleep"
	end)
	local up = (block.rotation * scree.vec3(0, 1, 0)).y
	local tilt = math.deg(math.acos(math.max(-1, math.min(1, up))))
	local ok = block.state == "asleep" and math.abs(tilt - 90) < 1
	return ok, ("%s tilted by %.0f degrees"):format(block.state, tilt), { tilt = tilt }
end

if ... == "examples.sleep.tipped_block" then
	return M
end
os.exit(states.main(M))
