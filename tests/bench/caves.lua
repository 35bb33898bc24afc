-- Contacts with terrain in caves: how many are opened, and how many of them never make a point, when they are found by
-- the bits of a block's cells and when by the box around its surface.
--
--   luajit tests/bench/caves.lua [bodies] [seconds]

local here = debug.getinfo(1, "S").source:match "^@(.*)[/\\]" or "."
package.path = ("%s/../lua/?.lua;%s/../../lua/?.lua;%s/../../?.lua;%s"):format(here, here, here, package.path)

local scenes = require "scenes"

local PASSES = 3

-- Where all bodies are, to the bit.
local function places(world)
	local list, buffer, count = {}, world:transforms()
	for i = 0, 8 * count - 1 do
		list[i + 1] = ("%.17g"):format(buffer[i])
	end
	return table.concat(list, " ")
end

local function run(broadphase, count, seconds)
	local world = scenes.build.caves(1, { broadphase = broadphase, count = count })
	local steps = math.max(1, math.floor(seconds * 60 + 0.5))
	local tested, refused, points, ms = 0, 0, 0, 0
	for _ = 1, steps do
		world:step()
		local stats = world.stats
		local ground = stats.terrain
		tested, refused, points = tested + ground.tested, refused + ground.refused, points + ground.points
		ms = ms + stats.stages.terrain + stats.stages.collide
	end
	local terrain = world.stats.terrain
	local result = {
		opened = terrain.opened, barren = terrain.barren, tested = tested / steps, refused = refused / steps,
		points = points / steps, ms = ms / steps, colliders = terrain.colliders, records = terrain.records,
		bytes = terrain.record_bytes, places = places(world),
	}
	world:destroy()
	return result
end

local function median(list)
	table.sort(list)
	return list[math.floor((#list + 1) / 2)]
end

local bench = {}

--- Both filters on the same scene, passes interleaved: { boxes = {...}, bits = {...} }.
function bench.run(count, seconds, passes)
	local results, times = {}, { boxes = {}, bits = {} }
	for _ = 1, passes or PASSES do
		for _, name in ipairs { "boxes", "bits" } do
			results[name] = run(name, count, seconds)
			table.insert(times[name], results[name].ms)
		end
	end
	results.boxes.ms, results.bits.ms = median(times.boxes), median(times.bits)
	return results
end

if arg and (arg[0] or ""):match "[^/\\]*$" == "caves.lua" then
	local count, seconds = tonumber(arg[1] or "300"), tonumber(arg[2] or "10")
	local results = bench.run(count, seconds)
	print(("%d bodies, %g s; %d records of blocks in %d bytes"):format(
		count, seconds, results.bits.records, results.bits.bytes))
	print "filter  opened  never a point  share    tested/step  refused/step  points/step  colliders  broad+narrow ms/step"
	for _, name in ipairs { "boxes", "bits" } do
		local r = results[name]
		print(("%-6s %7d %14d %5.1f %% %13.1f %13.1f %12.1f %10d %21.3f"):format(name, r.opened, r.barren,
			100 * r.barren / math.max(1, r.opened), r.tested, r.refused, r.points, r.colliders, r.ms))
	end
	print(results.bits.places == results.boxes.places and "both moved alike, to the bit" or "the two moved differently")
end

return bench
