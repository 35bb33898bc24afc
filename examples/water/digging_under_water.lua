-- Ground that is dug away under water: a boulder that lies on it sinks deeper, a buoy that it held down comes up.
--
--   luajit examples/water/digging_under_water.lua

local scree = require "scree"

local M = {}

function M.build()
	local world = scree.world {}
	local terrain = world.terrain
	terrain:fill_box { position = { 0, -10, 0 }, size = { 24, 8, 24 }, material = "brick" } -- up to y = -6
	terrain:fill_box { position = { 0, -3, 0 }, size = { 24, 6, 24 }, material = "water" }
	local boulder = world:spawn { shape = "ball", radius = 0.6, position = { -5, -5.2, 0 }, material = "rock" }
	-- held under a ledge of brick
	terrain:fill_box { position = { 5, -5, 0 }, size = { 4, 2, 4 }, material = "brick" }
	terrain:fill_box { position = { 5, -5, 0 }, size = { 2, 2, 2 }, material = "air" }
	terrain:fill_box { position = { 5, -5, 0 }, size = { 2, 2, 2 }, material = "water" }
	terrain:fill_box { position = { 5, -3.5, 0 }, size = { 4, 1, 4 }, material = "brick" }
	local buoy = world:spawn { shape = "ball", radius = 0.5, position = { 5, -5, 0 }, material = "wood" }
	return world, boulder, buoy
end

function M.run()
	local world, boulder, buoy = M.build()
	local facts = { world = world, boulder = boulder, buoy = buoy }
	facts.settled = world:settle(30)
	facts.boulder_before, facts.buoy_before = boulder.position.y, buoy.position.y

	world.terrain:fill_box { position = { -5, -7.5, 0 }, size = { 6, 3, 6 }, material = "air" }
	world.terrain:fill_box { position = { -5, -7.5, 0 }, size = { 6, 3, 6 }, material = "water" }
	world.terrain:fill_box { position = { 5, -3.5, 0 }, size = { 2, 1, 2 }, material = "air" }
	world.terrain:fill_box { position = { 5, -3.5, 0 }, size = { 2, 1, 2 }, material = "water" }
	world:step()
	facts.woke = boulder.state == "awake" and buoy.state == "awake"
	facts.settled_after = world:settle(60)
	facts.boulder_after, facts.buoy_after, facts.buoy_submerged = boulder.position.y, buoy.position.y, buoy.submerged
	return facts
end

if ... == "examples.water.digging_under_water" then
	return M
end
local f = M.run()
print(("the boulder lay at %.2f m and lies at %.2f m"):format(f.boulder_before, f.boulder_after))
print(("the buoy was held at %.2f m and floats at %.2f m, %.0f %% under water"):format(f.buoy_before, f.buoy_after,
	100 * f.buoy_submerged))
