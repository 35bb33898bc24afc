-- A ship of planks, open above, with a load of rock in it. Water stands where its cells say, inside the ship as
-- outside, so what bears it is the volume of its planks and load under water. Then half of the basin is drained.
--
--   luajit examples/water/half_full_ship.lua

local scree = require "scree"

local M = {}

local LENGTH, WIDTH, HEIGHT, PLANK = 6, 3, 1.3, 0.2

function M.build()
	local world = scree.world {}
	local terrain = world.terrain
	terrain:fill_box { position = { 0, -3, 0 }, size = { 26, 12, 16 }, material = "brick" }
	terrain:fill_box { position = { 0, -2, 0 }, size = { 22, 12, 12 }, material = "air" }
	terrain:fill_box { position = { 0, -4, 0 }, size = { 22, 8, 12 }, material = "water" } -- up to y = 0
	local parts = { { shape = "box", size = { LENGTH, PLANK, WIDTH } } }
	for side = -1, 1, 2 do
		local y = (PLANK + HEIGHT) / 2
		parts[#parts + 1] = {
			shape = "box", size = { LENGTH, HEIGHT, PLANK }, position = { 0, y, side * (WIDTH - PLANK) / 2 },
		}
		parts[#parts + 1] = {
			shape = "box", size = { PLANK, HEIGHT, WIDTH - 2 * PLANK }, position = { side * (LENGTH - PLANK) / 2, y, 0 },
		}
	end
	for _, part in ipairs(parts) do
		part.material = "wood"
	end
	parts[#parts + 1] = { shape = "box", size = { 1, 0.3, 1 }, position = { 0, 0.25, 0 }, material = "rock" }
	local ship = world:spawn { parts = parts, position = { 0, 1, 0 } }
	local volume = 0
	for _, part in ipairs(parts) do
		volume = volume + part.size[1] * part.size[2] * part.size[3]
	end
	return world, ship, volume
end

function M.run()
	local world, ship, volume = M.build()
	local facts = { world = world, ship = ship }
	facts.settled = world:settle(60)
	facts.submerged, facts.wanted = ship.submerged, ship.mass / (1000 * volume)
	facts.height = ship.position.y
	local up = ship.rotation * scree.vec3(0, 1, 0)
	facts.tilt = math.acos(math.min(1, up.y))

	-- Without water on one side of the middle, the ship has half as much to stand on, and that end goes down.
	world.terrain:fill_box { position = { 5.5, -4, 0 }, size = { 11, 8, 12 }, material = "water", mode = "remove" }
	world:step()
	facts.woke, facts.half = ship.state == "awake", ship.submerged
	world:step(1 / 60, 60)
	facts.dips = (ship.rotation * scree.vec3(1, 0, 0)).y
	return facts
end

if ... == "examples.water.half_full_ship" then
	return M
end
local f = M.run()
print(("afloat after %.1f s: %.1f %% under water, %.1f %% by weight; tilted by %.2f degrees"):format(f.settled,
	100 * f.submerged, 100 * f.wanted, math.deg(f.tilt)))
print(("one half drained: %.1f %% under water, and a second later the bow points %.0f degrees down"):format(
	100 * f.half, -math.deg(math.asin(f.dips))))
