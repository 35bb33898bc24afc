-- A raft of planks with a crate on it: falls into a pond, comes to rest, sleeps, and follows the water when it goes.
--
--   luajit examples/water/raft.lua
--
-- As a module, for tests: require("examples.water.raft").run() -> facts

local scree = require "scree"

local M = {}

--- A brick basin of 20 x 10 x 20 m whose floor is at y = -5, with water up to y = 0.
function M.build()
	local world = scree.world {}
	local terrain = world.terrain
	terrain:fill_box { position = { 0, -2, 0 }, size = { 24, 8, 24 }, material = "brick" }
	terrain:fill_box { position = { 0, -1, 0 }, size = { 20, 8, 20 }, material = "air" }
	terrain:fill_box { position = { 0, -2.5, 0 }, size = { 20, 5, 20 }, material = "water" }
	local planks = {}
	for i = 1, 5 do
		planks[i] = { shape = "box", size = { 0.8, 0.5, 4 }, position = { 0.82 * (i - 3), 0, 0 }, material = "wood" }
	end
	planks[6] = { shape = "box", size = { 4.1, 0.1, 0.4 }, position = { 0, 0.3, 1.6 }, material = "wood" }
	planks[7] = { shape = "box", size = { 4.1, 0.1, 0.4 }, position = { 0, 0.3, -1.6 }, material = "wood" }
	local raft = world:spawn { parts = planks, position = { 0, 1, 0 } }
	local crate = world:spawn { shape = "box", size = { 0.6, 0.6, 0.6 }, position = { 0.4, 2, 0.3 }, material = "wood" }
	return world, raft, crate
end

local function fill(world, top, mode)
	return world.terrain:fill_box {
		position = { 0, (top - 5) / 2, 0 }, size = { 20, top + 5, 20 }, material = "water", mode = mode,
	}
end

function M.run()
	local world, raft, crate = M.build()
	local facts = { world = world, raft = raft, crate = crate, entered = 0, exited = 0 }
	world:on("water_enter", function()
		facts.entered = facts.entered + 1
	end)
	world:on("water_exit", function()
		facts.exited = facts.exited + 1
	end)
	facts.settled = world:settle(30)
	facts.height, facts.submerged, facts.crate_height = raft.position.y, raft.submerged, crate.position.y
	facts.density = raft.mass / (5 * 0.8 * 0.5 * 4 + 2 * 4.1 * 0.1 * 0.4) -- kg/m3

	fill(world, 0, "remove")
	fill(world, -2)
	world:step()
	facts.woke = raft.state == "awake"
	facts.settled_lower = world:settle(30)
	facts.lower = raft.position.y

	fill(world, 0, "remove")
	world:step()
	facts.settled_dry = world:settle(30)
	facts.dry, facts.dry_submerged = raft.position.y, raft.submerged

	fill(world, 0)
	world:step()
	facts.settled_again = world:settle(60)
	facts.again = raft.position.y
	return facts
end

if ... == "examples.water.raft" then
	return M
end
local f = M.run()
print(("afloat and asleep after %.1f s, %.0f %% under water (its planks weigh %.0f kg/m3)"):format(f.settled,
	100 * f.submerged, f.density))
print(("water 2 m lower: the raft %.2f m lower; drained: it lies at %.2f m; filled again: back at %.2f m"):format(
	f.height - f.lower, f.dry, f.again))
