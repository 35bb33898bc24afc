-- examples/cookbook/lift.lua
local scree = require "scree"

local world = scree.world {}
world.terrain:fill_box { position = { 0, -2, 0 }, size = { 20, 4, 20 }, material = "concrete" }

local lift = world:spawn { shape = "box", size = { 4, 0.4, 4 }, position = { 0, 0.2, 0 }, motion = "kinematic" }
local cargo = {}
for i = 1, 8 do
	cargo[i] = world:spawn {
		shape = "box", size = { 0.8, 0.8, 0.8 }, position = { (i % 2) - 0.5, 0.8 * math.ceil(i / 2), 0 }, material = "wood",
	}
end
world:run(2)

local TOP, SECONDS = 6, 4
local from, start = lift.position, world.time
while world.time - start < SECONDS do -- softly off, softly to a stop
	local t = math.min(1, (world.time + 1 / 60 - start) / SECONDS)
	lift:move_to(from + scree.vec3(0, TOP * t * t * (3 - 2 * t), 0))
	world:step()
end
lift.velocity = { 0, 0, 0 }
world:settle(10)

local aboard = 0
for _, box in ipairs(cargo) do
	aboard = aboard + (box.position.y > TOP and 1 or 0)
end
print(("%d of %d boxes came up to %.1f m"):format(aboard, #cargo, lift.position.y))
