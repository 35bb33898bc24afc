-- Landslide: several hundred balls, boxes, capsules and compounds let go above a slope, until all is at rest.
--
--   luajit examples/landslide.lua [heightmap.png | tile.hgt | model.vox] [count]
--
-- Without a file the ground is a generated valley. The scene is also a module, for tests and benchmarks:
--   local landslide = require "examples.landslide"
--   local world = landslide.build { count = 100 }

local scree = require "scree"

local M = {}

-- A whole number in [0, n) from a running state: the same on every machine.
local function generator(seed)
	local state = seed
	return function(n)
		state = (state * 16807) % 2147483647
		return state % n
	end
end

---------------------------------------------------------------------------------------------------------------
-- The ground
---------------------------------------------------------------------------------------------------------------

local function valley_height(x, z)
	local across = (x - 96) / 96
	local valley = 46 * across * across
	local ridges = 2.2 * scree.sin(x * 0.13 + 0.5 * scree.sin(z * 0.09)) + 1.4 * scree.sin(z * 0.17 + x * 0.05)
	local stones = 0.35 * scree.sin(x * 0.9) * scree.sin(z * 0.8)
	return valley + ridges + stones + 0.04 * z, valley > 22 and "rock" or "grass"
end

local function generate_valley(world)
	world.terrain:generate { min = { 0, 0 }, max = { 192, 192 }, height = valley_height }
end

-- Width of the map is kept, one sample a cell; heights are brought to a quarter of it (.png) or made three times as
-- steep as the real ground (.hgt, whose samples stand about 90 m apart).
local function load_heights(world, path)
	local options = { path = path, min = 0, max = 256, layers = {
		{ material = "grass", depth = 1.5 },
		{ material = "ground", depth = 4 },
		{ material = "rock" },
	} }
	if path:lower():match("%.hgt$") then
		options.scale = 3 / 90
		options.min, options.max = nil, nil
	end
	return world.terrain:fill_heightmap(options)
end

-- A model stands on a wide slab, so that what slides off it is caught.
local function load_model(world, path)
	local info, message = world.terrain:import(path, {})
	if not info then
		return nil, message
	end
	local lo, hi = info.min, info.max
	local margin = 24
	world.terrain:fill_box {
		position = { (lo.x + hi.x + 1) / 2, lo.y - 2, (lo.z + hi.z + 1) / 2 },
		size = { hi.x - lo.x + 1 + 2 * margin, 4, hi.z - lo.z + 1 + 2 * margin },
		material = "rock",
	}
	return info
end

-- A rim round everything, so that nothing rolls off the edge of the world.
local function fence(world)
	local bounds = world.terrain.bounds
	local lo, hi = bounds.min, bounds.max
	local top, base = hi.y + 30, lo.y
	local height, middle = top - base, (top + base) / 2
	local cx, cz = (lo.x + hi.x + 1) / 2, (lo.z + hi.z + 1) / 2
	local width, depth = hi.x - lo.x + 1, hi.z - lo.z + 1
	for _, side in ipairs { -1, 1 } do
		world.terrain:fill_box {
			position = { cx + side * (width / 2 + 1), middle, cz },
			size = { 2, height, depth + 4 },
			material = "rock",
		}
		world.terrain:fill_box {
			position = { cx, middle, cz + side * (depth / 2 + 1) },
			size = { width, height, 2 },
			material = "rock",
		}
	end
end

---------------------------------------------------------------------------------------------------------------
-- Where to let go
---------------------------------------------------------------------------------------------------------------

local function ground_height(world, x, z, lo, hi)
	local hit = world.terrain:raycast({ x, hi + 1, z }, { x, lo - 1, z })
	return hit and hit.position.y
end

-- The steepest place, over eight cells, of a coarse grid well inside the bounds.
local function steepest_place(world)
	local bounds = world.terrain.bounds
	local lo, hi = bounds.min, bounds.max
	local best_x, best_z, best_drop = (lo.x + hi.x) / 2, (lo.z + hi.z) / 2, -1
	local inset = 0.2
	for i = 0, 24 do
		for k = 0, 24 do
			local x = lo.x + (hi.x - lo.x) * (inset + (1 - 2 * inset) * i / 24)
			local z = lo.z + (hi.z - lo.z) * (inset + (1 - 2 * inset) * k / 24)
			local here = ground_height(world, x, z, lo.y, hi.y)
			local east = ground_height(world, x + 8, z, lo.y, hi.y)
			local south = ground_height(world, x, z + 8, lo.y, hi.y)
			if here and east and south then
				local drop = math.abs(here - east) + math.abs(here - south)
				if drop > best_drop and drop < 24 then
					best_x, best_z, best_drop = x, z, drop
				end
			end
		end
	end
	return best_x, best_z
end

---------------------------------------------------------------------------------------------------------------
-- What is let go
---------------------------------------------------------------------------------------------------------------

local makers = {
	function(r)
		return { shape = "ball", radius = 0.3 + 0.04 * r(10), material = "rock" }
	end,
	function(r)
		return { shape = "box", size = { 0.5 + 0.08 * r(10), 0.4 + 0.06 * r(10), 0.6 + 0.08 * r(10) }, material = "wood" }
	end,
	function(r)
		return { shape = "capsule", radius = 0.25 + 0.02 * r(8), length = 0.5 + 0.1 * r(6), material = "wood" }
	end,
	function(r) -- a jack: three crossed beams and two heavy ends
		local arm = 0.9 + 0.05 * r(8)
		return {
			parts = {
				{ shape = "box", size = { arm, 0.25, 0.25 }, material = "concrete" },
				{ shape = "box", size = { 0.25, arm, 0.25 }, material = "concrete" },
				{ shape = "box", size = { 0.25, 0.25, arm }, material = "concrete" },
				{ shape = "ball", radius = 0.22, position = { arm / 2, 0, 0 }, material = "rock" },
				{ shape = "ball", radius = 0.22, position = { -arm / 2, 0, 0 }, material = "rock" },
			},
		}
	end,
}

local function release(world, count)
	local r = generator(20170327)
	local x0, z0 = steepest_place(world)
	local bounds = world.terrain.bounds
	local columns = 12
	for i = 0, count - 1 do
		local layer = math.floor(i / (columns * columns))
		local column, row = i % columns, math.floor(i / columns) % columns
		local x = x0 + (column - columns / 2) * 1.8 + 0.02 * r(20)
		local z = z0 + (row - columns / 2) * 1.8 + 0.02 * r(20)
		local ground = ground_height(world, x, z, bounds.min.y, bounds.max.y) or bounds.max.y
		local def = makers[i % #makers + 1](r)
		def.position = { x, ground + 2.5 + 1.9 * layer, z }
		def.rotation = scree.euler(0.1 * r(63), 0.1 * r(63), 0.1 * r(63))
		world:spawn(def)
	end
end

---------------------------------------------------------------------------------------------------------------
-- The scene
---------------------------------------------------------------------------------------------------------------

-- options: path (a height file or .vox; nil for the valley), count (600), threads (1). World, or nil and a message.
function M.build(options)
	options = options or {}
	local world = scree.world { threads = options.threads or 1 }
	local path = options.path
	local ok, message = true, nil
	if not path then
		generate_valley(world)
	elseif path:lower():match("%.vox$") then
		ok, message = load_model(world, path)
	else
		ok, message = load_heights(world, path)
	end
	if not ok then
		return nil, message
	end
	fence(world)
	release(world, options.count or 600)
	return world
end

-- How many assemblies are in the ground, or have left the world.
function M.misplaced(world)
	local below, lost = 0, 0
	local floor = world.terrain.bounds.min.y
	for body in world:assemblies() do
		local center = body.center_of_mass
		if world.terrain:is_inside(center) then
			below = below + 1
		end
		if center.y < floor then
			lost = lost + 1
		end
	end
	return below, lost
end

local function summary(world, seconds, clock)
	local stats = world.stats
	local below, lost = M.misplaced(world)
	local steps = world.step_count
	print(("assemblies %d: awake %d, asleep %d"):format(stats.assemblies, stats.awake, stats.asleep))
	print(seconds and ("at rest after %.2f s"):format(seconds) or ("not at rest after %.2f s"):format(world.time))
	print(("steps %d, %.3f ms a step on average"):format(steps, clock * 1000 / steps))
	print(("contacts %d, points %d"):format(stats.contacts, stats.points))
	print(("bytes %d, of which terrain %d (%d cells)"):format(stats.bytes, world.terrain.bytes, stats.terrain.cells))
	print(("below the ground %d, lost %d"):format(below, lost))
	print("hash " .. world:hash())
	return below == 0 and lost == 0 and seconds ~= nil
end

local function main(path, count)
	if path and path:match("^%d+$") then
		path, count = nil, path
	end
	local world, message = M.build { path = path, count = tonumber(count) }
	if not world then
		io.stderr:write(message, "\n")
		return 1
	end
	local begin = os.clock()
	local seconds = world:settle(180)
	return summary(world, seconds, os.clock() - begin) and 0 or 1
end

if ... == "examples.landslide" then
	return M
end
os.exit(main(...))
