-- examples/cookbook/raft.lua
local scree = require "scree"

local world = scree.world {}
world.terrain:fill_box { position = { 0, -4, 0 }, size = { 30, 8, 30 }, material = "sand" }
world.terrain:fill_box { position = { 0, -2, 0 }, size = { 24, 4, 24 }, material = "air" }
world.terrain:fill_box { position = { 0, -2.5, 0 }, size = { 24, 3, 24 }, material = "water" } -- up to y = -1

local logs = {}
for i = 1, 6 do
	logs[i] = {
		shape = "cylinder", radius = 0.3, length = 5, position = { 0.62 * (i - 3.5), 0, 0 },
		rotation = scree.axis_angle({ 1, 0, 0 }, math.pi / 2), material = "wood",
	}
end
local raft = world:spawn { parts = logs, position = { 0, -0.5, 0 } }
world:settle(30)
print(("empty: %.0f %% of it is under water"):format(100 * raft.submerged))

local load = world:spawn { shape = "box", size = { 1, 1, 1 }, position = { 0, 0.5, 0 }, mass = 800 }
world:settle(30)
print(("with a load: %.0f %%, and the load is %s"):format(100 * raft.submerged,
	load.submerged > 0 and "wet" or "dry"))

world.terrain:fill_box { position = { 0, -0.5, 0 }, size = { 24, 1, 24 }, material = "water" } -- the tide: up to y = 0
world:settle(30)
print(("the tide lifts it to %.2f m"):format(raft.position.y))
