-- A box in a shaft that is hardly wider than it is: water stands in the shaft alone, and carries it.
--
--   luajit examples/water/box_in_shaft.lua

local scree = require "scree"

local M = {}

--- A shaft of one square metre, 10 m deep, with water 6 m deep in it; cells of any size that divides a metre.
function M.build(cell_size)
	local world = scree.world { cell_size = cell_size }
	local terrain = world.terrain
	terrain:fill_box { position = { 0.5, -5, 0.5 }, size = { 6, 12, 6 }, material = "brick" }
	terrain:fill_box { position = { 0.5, -4, 0.5 }, size = { 1, 10, 1 }, material = "air" }
	terrain:fill_box { position = { 0.5, -6, 0.5 }, size = { 1, 6, 1 }, material = "water" } -- up to y = -3
	local box = world:spawn { shape = "box", size = { 0.8, 0.8, 0.8 }, position = { 0.5, 0, 0.5 }, material = "wood" }
	return world, box
end

function M.run(cell_size)
	local world, box = M.build(cell_size)
	local facts = { world = world, box = box }
	facts.settled = world:settle(60)
	facts.draft = -3 - (box.position.y - 0.4) -- m under the level
	facts.wanted = 0.8 * box.mass / (1000 * 0.8 ^ 3)
	-- three more metres of water
	world.terrain:fill_box { position = { 0.5, -1.5, 0.5 }, size = { 1, 3, 1 }, material = "water" }
	world:step()
	facts.settled_higher = world:settle(60)
	facts.higher = box.position.y
	return facts
end

if ... == "examples.water.box_in_shaft" then
	return M
end
local f = M.run(1)
print(("afloat after %.1f s with a draft of %.3f m (%.3f m by weight)"):format(f.settled, f.draft, f.wanted))
print(("with 3 m more of water it stands at %.2f m"):format(f.higher))
