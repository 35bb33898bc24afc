-- examples/cookbook/blast.lua
local scree = require "scree"

local world = scree.world {}
world.terrain:fill_box { position = { 0, -5, 0 }, size = { 80, 10, 80 }, material = "ground" }
for y = 0, 4 do -- a tower of crates
	for x = -2, 2 do
		world:spawn { shape = "box", size = { 1, 1, 1 }, position = { 1.02 * x, y + 0.5, 6 }, material = "wood" }
	end
end
world:settle(10)

-- Digs a hole and pushes what is near, the more the nearer.
local function blast(center, radius, speed)
	local edit = world.terrain:fill_ball { center = center, radius = radius, material = "air" }
	for _, thing in ipairs(world:overlap({ shape = "ball", radius = 3 * radius }, center)) do
		local away = thing.center_of_mass - center
		local push = speed * math.max(0, 1 - away:length() / (3 * radius))
		thing:apply_impulse(away:normalized() * (push * thing.mass))
	end
	return edit.removed.ground
end

world:run(0.5)
local dug = blast({ 0, 0, 3 }, 3, 10)
world:settle(60)

local far = 0
for crate in world:assemblies() do
	far = math.max(far, crate.position:distance { 0, 0, 6 })
end
print(("%.0f cells dug, the farthest crate lies %.0f m away"):format(dug, far))
