-- examples/cookbook/best_throw.lua
local scree = require "scree"

local world = scree.world {}
world.terrain:fill_box { position = { 20, -2, 0 }, size = { 80, 4, 20 }, material = "sand" }
world.terrain:fill_box { position = { 12, 2, 0 }, size = { 2, 4, 20 }, material = "brick" } -- a wall to throw over
local stone = world:spawn { shape = "ball", radius = 0.2, position = { 0, 1.5, 0 }, material = "rock", rolling = 0.3 }

local TARGET = scree.vec3(25, 0, 0)
local before = world:snapshot()

-- Throws, sees where it ends, and takes it all back.
local function try(degrees)
	local angle = math.rad(degrees)
	stone.velocity = { 15 * scree.cos(angle), 15 * scree.sin(angle), 0 }
	world:settle(20)
	local off = stone.position:distance(TARGET)
	assert(world:restore(before))
	return off
end

local best, least
for degrees = 15, 75, 5 do
	local off = try(degrees)
	if not least or off < least then
		best, least = degrees, off
	end
end
print(("%d degrees is the best of these: %.1f m off"):format(best, least))
assert(try(best) == least) -- the same throw is the same throw, to the bit
