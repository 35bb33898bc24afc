-- examples/cookbook/bridge.lua
local scree = require "scree"

local world = scree.world {}
for side = -1, 1, 2 do
	world.terrain:fill_box { position = { 13 * side, -4, 0 }, size = { 10, 8, 12 }, material = "rock" }
end

local function point(i) -- from edge to edge, with some slack
	return scree.vec3(i - 8, -0.1 - 0.012 * (64 - (i - 8) ^ 2), 0)
end

local last
for i = 1, 16 do -- planks, each hinged to the one before
	local from, to = point(i - 1), point(i)
	local along = to - from
	local plank = world:spawn {
		shape = "box", size = { along:length() - 0.05, 0.2, 3 }, position = from:lerp(to, 0.5), material = "wood",
		rotation = scree.axis_angle({ 0, 0, 1 }, scree.atan2(along.y, along.x)),
	}
	world:joint { type = "hinge", a = last, b = plank, at = from, axis = { 0, 0, 1 } }
	last = plank
end
world:joint { type = "hinge", a = last, at = point(16), axis = { 0, 0, 1 } }
world:run(2)

local stone = world:spawn { shape = "ball", radius = 0.8, position = { -11, 0.8, 0 }, material = "rock" }
stone.velocity = { 9, 0, 0 }

local lowest = 0
while stone.position.x < 10 and world.time < 20 do
	world:step()
	lowest = math.min(lowest, stone.position.y - 0.8)
end
print(("across after %.1f s, and %.2f m down on the way"):format(world.time - 2, -lowest))
