-- A scene for a host with a loop of its own (host.c, ../love): it makes a world, and drops a stone every half second.
-- Run by itself it makes the steps too.
--
--   luajit examples/embed/scene.lua

local host = ...
local scree = require "scree"

local world = scree.world {}
world.terrain:generate {
	min = { -24, -24 }, max = { 24, 24 },
	height = function(x, z)
		local bowl = 0.012 * (x * x + z * z)
		return bowl + 0.6 * scree.sin(0.7 * x) * scree.cos(0.5 * z), bowl > 4 and "rock" or "grass"
	end,
}
for level = 0, 4 do
	for i = 0, 4 - level do
		world:spawn {
			shape = "box", size = { 1, 1, 1 }, material = "wood",
			position = { 1.05 * (i - (4 - level) / 2), 2.2 + 1.02 * level, 0 },
		}
	end
end

local dropped = 0

local function update(time)
	while dropped < 10 and time >= 0.5 * dropped do
		world:spawn {
			shape = "ball", radius = 0.4 + 0.05 * dropped, material = "basalt",
			position = { 6 * scree.cos(dropped), 9, 6 * scree.sin(dropped) }, velocity = { 0, -4, 0 },
		}
		dropped = dropped + 1
	end
end

if host == "host" then
	return world, update
end
for i = 1, 360 do
	update((i - 1) / 60)
	world:step()
end
print(("%d assemblies after %.1f s, hash %s"):format(world.stats.assemblies, world.time, world:hash()))
