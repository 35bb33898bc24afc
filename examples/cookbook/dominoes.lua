-- examples/cookbook/dominoes.lua
local scree = require "scree"

local world = scree.world {}
world.terrain:fill_box { position = { 0, -1, 0 }, size = { 40, 2, 40 }, material = "wood" }

local dominoes = {}
for i = 0, 39 do -- along a spiral, each turned into its direction
	local angle = 0.16 * i
	local radius = 5 + 0.1 * i
	dominoes[#dominoes + 1] = world:spawn {
		shape = "box", size = { 0.2, 2, 1 }, material = "brick",
		position = { radius * scree.cos(angle), 1, radius * scree.sin(angle) },
		rotation = scree.axis_angle({ 0, 1, 0 }, -angle - math.pi / 2),
	}
end
world:settle(5)

local first = dominoes[1]
first:apply_impulse(first.rotation * scree.vec3(0.7 * first.mass, 0, 0), first:to_world { 0, 1, 0 })
local seconds = world:settle(30)

local fallen = 0
for _, domino in ipairs(dominoes) do
	local up = domino.rotation * scree.vec3(0, 1, 0)
	fallen = fallen + (up.y < 0.5 and 1 or 0)
end
print(("%d of %d have fallen, all is at rest after %.0f s"):format(fallen, #dominoes, seconds))
