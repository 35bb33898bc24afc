-- examples/cookbook/village.lua
local scree = require "scree"

local world = scree.world { cell_size = 0.5 }
local terrain = world.terrain
terrain:fill_box { position = { 0, -2, 0 }, size = { 40, 4, 40 }, material = "grass" }

-- One house, built far away, is the stamp for all others.
terrain:fill_box { position = { 100, 1.5, 100 }, size = { 5, 3, 4 }, material = "brick" }
terrain:fill_box { position = { 100, 1.5, 100 }, size = { 3, 3, 2 }, material = "air" }
terrain:fill_box { position = { 100, 1, 102 }, size = { 1, 2, 1 }, material = "air" } -- the door, at +z
for side = 0, 1 do
	terrain:fill_wedge {
		position = { 100, 4, 99 + 2 * side }, size = { 5, 2, 2 }, material = "slate",
		rotation = scree.axis_angle({ 0, 1, 0 }, math.pi * side),
	}
end
local low, high = scree.vec3(terrain:to_cell { 97, 0, 97.5 }), scree.vec3(terrain:to_cell { 102.9, 5.9, 102.4 })
local house = terrain:copy(low, high)

terrain:begin_undo "village"
local cells = 0
for i = 0, 3 do -- around the green, every door towards it
	local turned = house:rotated(i)
	local angle = i * math.pi / 2
	local x, z = -9 * scree.sin(angle), -9 * scree.cos(angle)
	local half = scree.vec3(math.floor(turned.size.x / 2), 0, math.floor(turned.size.z / 2))
	local corner = scree.vec3(terrain:to_cell { x, 0, z }) - half
	local edit = terrain:write(corner, turned, turned) -- the last one is the mask: no air is stamped
	cells = cells + edit.added.brick
end
print(("4 houses, %.0f cells of brick"):format(cells))

world:spawn { shape = "ball", radius = 0.4, position = { 0, 1, 0 }, velocity = { 0, 0, -6 } }
world:settle(20)
print(terrain:undo() .. " undone: " .. (terrain:count({ -40, 0, -40 }, { 40, 20, 40 }).brick or "no") .. " brick left")
