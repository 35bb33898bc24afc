-- A stack of five sleeps on the ground, and so does a box five metres away. The ground under the stack is dug out.
--
--   luajit examples/sleep/dug_stack.lua

local scree = require "scree"
local states = require "examples.sleep.states"

local M = {
	title = "box on a stack, stack on terrain, terrain dug out",
	right = "falls in the next step; a box 5 m away stays asleep",
}

function M.run(rule, watch)
	local world = scree.world { sleep = { rule = rule } }
	world.terrain:fill_box { position = { 0, -2, 0 }, size = { 24, 4, 24 }, material = "rock" }
	local stack = {}
	for i = 1, 5 do
		stack[i] = world:spawn { shape = "box", size = { 1, 1, 1 }, position = { 0, i - 0.5, 0 } }
	end
	local away = world:spawn { shape = "box", size = { 1, 1, 1 }, position = { 5, 0.5, 0 } }
	local named = { { "lowest", stack[1] }, { "top", stack[5] }, { "away", away } }
	local settled = states.run(world, 20, watch, named, function()
		return world.stats.awake + world.stats.checking == 0
	end)
	local top = stack[5].position.y
	world.terrain:fill_box { position = { 0, -1, 0 }, size = { 3, 2, 3 }, material = "air" }
	states.run(world, 1 / 60, watch, named)
	local falling = 0
	for _, box in ipairs(stack) do
		falling = falling + (box.state == "awake" and box.velocity.y < -0.1 and 1 or 0)
	end
	states.run(world, 29 / 60, watch, named)
	local fell = top - stack[5].position.y
	local ok = settled ~= nil and falling == 5 and fell > 1 and away.state == "asleep"
	return ok, ("%d of 5 fall in the next step; the box away is %s"):format(falling, away.state),
		{ falling = falling, fell = fell, settled = settled }
end

if ... == "examples.sleep.dug_stack" then
	return M
end
os.exit(states.main(M))
