-- What happens at the ends: of the coordinates, and of counts. Prints a table; docs/reliability.md keeps one.
--
--   luajit tests/soak/limits.lua [coordinates|bodies|contacts|chunks|specks ...]

local scree = require "scree"

io.stdout:setvbuf "line" -- some rows take minutes

local function gigabytes(bytes)
	return ("%.2f GB"):format(bytes / 2 ^ 30)
end

local function timed(fn)
	local begin = os.clock()
	fn()
	return os.clock() - begin
end

local limits = {}

--- Ten million chunks of solid ground, slab by slab (an edit takes 2^20 chunks at most), then a ray, a hole and a step.
--- Within less memory than that, an error that says so, and the world goes on.
function limits.chunks()
	local world = scree.world {}
	local t, side, slab = world.terrain, 216, 18 -- 216^3 = 10,077,696
	local seconds = timed(function()
		for y = 0, side - 1, slab do
			local ok, message = pcall(function()
				t:fill_box {
					position = { 16 * side, 32 * (y + slab / 2), 16 * side }, size = { 32 * side, 32 * slab, 32 * side },
					material = "rock",
				}
			end)
			if not ok then
				print(("chunks: %s in slab %d of %d"):format(tostring(message), y / slab + 1, side / slab))
				break
			end
		end
	end)
	print(("chunks: of solid ground up to y = %d, %s, %.0f s"):format(t.bounds.max.y, gigabytes(t.bytes), seconds))
	local hit, top = nil, t.bounds.max.y
	local first = timed(function() hit = world:raycast({ 100.5, top + 100, 100.5 }, { 100.5, -10, 100.5 }) end)
	t:fill_ball { center = { 3000, top, 3000 }, radius = 20, material = "air" }
	local box = world:spawn { shape = "box", size = { 1, 1, 1 }, position = { 3000, top + 2, 3000 } }
	print(("chunks: the first ray hits at y = %s (%.1f s); with a hole and a box a step takes %.1f ms"):format(
		hit and hit.position.y, first, 1000 * timed(function() world:step(1 / 60, 60) end) / 60))
	print(("chunks: %d, all in all %s"):format(world.stats.terrain.chunks, gigabytes(world.stats.bytes)))
	assert(box.position.y < top + 1)
	world:destroy()
end

--- A hundred thousand chunks of one cell each, which is the most that a cell can cost.
function limits.specks()
	local world = scree.world {}
	local t, side = world.terrain, 46
	local seconds = timed(function()
		for y = 0, side - 1 do
			for z = 0, side - 1 do
				for x = 0, side - 1 do
					t:set(32 * x, 32 * y, 32 * z, "rock", 1)
				end
			end
		end
	end)
	local look = timed(function() world:step() end)
	print(("specks: %d chunks of one cell in %.1f s, %s; the step that first looks at them %.1f s; all in all %s"):format(
		world.stats.terrain.chunks, seconds, gigabytes(t.bytes), look, gigabytes(world.stats.bytes)))
end

--- A hundred thousand bodies on a plain, from the air to their rest.
function limits.bodies()
	local world = scree.world {}
	world.terrain:fill_box { position = { 0, -2, 0 }, size = { 512, 4, 512 }, material = "grass" }
	local made = timed(function()
		for i = 0, 99999 do
			world:spawn { shape = "box", size = { 1, 1, 1 },
				position = { i % 317 * 1.5 - 237, 0.6, math.floor(i / 317) * 1.5 - 237 } }
		end
	end)
	local first = timed(function() world:step() end)
	local rest
	local settling = timed(function() rest = world:settle(20) end)
	print(("bodies: 100,000 made in %.1f s, first step %.1f s, at rest after %s s of simulation (%.0f s), %s"):format(
		made, first, rest and ("%.2f"):format(rest) or "more than 20", settling, gigabytes(world.stats.bytes)))
	print(("bodies: a step with all asleep %.4f ms"):format(1000 * timed(function() world:step(1 / 60, 100) end) / 100))
end

--- Boxes in a block, each touching six others: a million contact points and more.
function limits.contacts()
	local world = scree.world { sleep = { enabled = false } }
	world.terrain:fill_box { position = { 0, -2, 0 }, size = { 128, 4, 128 }, material = "grass" }
	for i = 0, 89999 do
		local x, z, y = i % 60, math.floor(i / 60) % 60, math.floor(i / 3600)
		world:spawn { shape = "box", size = { 1, 1, 1 }, position = { x - 30, y + 0.5, z - 30 } }
	end
	local seconds = timed(function() world:step() end)
	local stats = world.stats
	print(("contacts: %d with %d points among 90,000 boxes, first step %.1f s, %s"):format(
		stats.contacts, stats.points, seconds, gigabytes(stats.bytes)))
end

local function says(fn)
	local ok, message = pcall(fn)
	return ok and "works" or "error: " .. tostring(message):gsub("^.-:%d+: ", "")
end

--- Cells and bodies at the ends of the numbers.
function limits.coordinates()
	local world = scree.world {}
	local last = 2 ^ 30
	for _, x in ipairs { last - 1, last, last + 1, -last, -last - 1, 2 ^ 31, 2 ^ 53 } do
		print(("coordinates: set(%.0f, 0, 0): %s"):format(x, says(function() world.terrain:set(x, 0, 0, "rock") end)))
	end
	for _, x in ipairs { 1e7, 1e9, 1e12, 1e15, 1e300 } do
		print(("coordinates: a ball at x = %g: %s"):format(x, says(function()
			world:spawn { shape = "ball", radius = 0.5, position = { x, 3, 0 } }
		end)))
	end
	local box = world:spawn { shape = "box", size = { 1, 1, 1 }, position = { 0, 50, 0 } }
	print("coordinates: a box at 1e8 m/s for a second: " .. says(function()
		box.velocity = { 1e8, 0, 0 }
		world:step(1 / 60, 60)
	end) .. ", at " .. tostring(box.position))
end

local names = #arg > 0 and arg or { "coordinates", "bodies", "contacts", "chunks", "specks" }
for _, name in ipairs(names) do
	assert(limits[name], "no limit called " .. name)()
	collectgarbage()
end
