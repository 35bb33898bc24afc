-- scree info: what is in a file, as lines of "name: value".

local raise = require "scree.raise"
local pairs = require "scree.pairs"
local text = require "scree.text"
local scree = require "scree"
raise.own()

local info = {}

local SAVED = "\137SCREE\r\n" -- how files of world:save and terrain:save begin

local function line(name, value)
	print(("  %s: %s"):format(name, type(value) == "number" and text.number(value) or tostring(value)))
end

local function point(value)
	return ("%s %s %s"):format(text.number(value.x), text.number(value.y), text.number(value.z))
end

-- Lines for how many there are of each, the most frequent first.
local function counts(title, table_of, digits)
	local names = {}
	for name in pairs(table_of) do
		names[#names + 1] = name
	end
	table.sort(names, function(a, b)
		if table_of[a] ~= table_of[b] then
			return table_of[a] > table_of[b]
		end
		return tostring(a) < tostring(b)
	end)
	line(title, #names)
	for _, name in ipairs(names) do
		print(("    %s: %s"):format(tostring(name), digits:format(table_of[name])))
	end
end

local function extent(name, low, high)
	line(name, ("%s (from %s to %s)"):format(point(high - low + { 1, 1, 1 }), point(low), point(high)))
end

local function materials_within(terrain, low, high)
	counts("materials, cells of matter", terrain:matter(low, high), "%.1f")
end

-- ---- kinds of files ------------------------------------------------------------------------------------------------

local function terrain_lines(terrain)
	line("cell size, m", terrain.cell_size)
	line("terrain bytes in memory", terrain.bytes)
	local bounds = terrain.bounds
	if bounds then
		extent("cells", bounds.min, bounds.max)
		materials_within(terrain, bounds.min, bounds.max)
	else
		line("cells", "none")
	end
end

local function saved(path)
	local world, message = scree.load(path)
	if world then
		local stats = world.stats
		line("kind", "saved world")
		line("time, s", world.time)
		line("steps", world.step_count)
		line("assemblies", ("%d (awake %d, checking %d, asleep %d)"):format(
			stats.assemblies, stats.awake, stats.checking, stats.asleep))
		line("joints", stats.joints)
		line("hash", world:hash())
		terrain_lines(world.terrain)
		return true
	end
	world = scree.world {}
	local loaded, why = world.terrain:load(path)
	if not loaded then
		return nil, why or message
	end
	line("kind", "saved terrain")
	line("chunks", loaded.chunks)
	line("cell size in the file, m", loaded.cell_size)
	terrain_lines(world.terrain)
	return true
end

local function model(path)
	local terrain = scree.world({}).terrain
	local read, message = terrain:import(path)
	if not read then
		return nil, message
	end
	line("kind", "MagicaVoxel model")
	for _, name in ipairs { "models", "instances", "hidden_instances", "dropped", "overlaps", "merged_colors", "cells" } do
		line(name:gsub("_", " ") .. "", read[name])
	end
	if read.cells > 0 then
		extent("size in cells", read.min, read.max)
		materials_within(terrain, read.min, read.max)
	end
	return true
end

local function schematic(path)
	local read, message = scree.world({}).terrain:import(path)
	if not read then
		return nil, message
	end
	line("kind", "schematic")
	line("size in cells", point(read.size))
	for _, name in ipairs { "cells", "air", "water", "unknown", "skipped", "merged" } do
		line(name, read[name])
	end
	counts("blocks", read.blocks, "%d")
	return true
end

local function mesh(path)
	local body, message = scree.world({}):spawn { shape = "mesh", path = path }
	if not body then
		return nil, message
	end
	local read = body.parts[1].mesh
	line("kind", "mesh")
	for _, name in ipairs { "triangles", "vertices", "dropped", "open_edges", "closed" } do
		line(name:gsub("_", " ") .. "", read[name])
	end
	if read.closed then
		line("volume, cubed units", ("%.7g"):format(read.volume))
	end
	line("size", ("%s (from %s to %s)"):format(point(read.max - read.min), point(read.min), point(read.max)))
	return true
end

-- Read into a plane of ground, which costs little: heights are made so small that they all are in one layer of cells,
-- by a power of two, so that nothing is rounded.
local FLAT = 2 ^ -20

local function heights(path, in_metres)
	local options = { path = path, scale = FLAT, bottom = 1 }
	if not in_metres then
		options.min, options.max = 0, 1
	end
	local read, message = scree.world({}).terrain:fill_heightmap(options)
	if not read then
		return nil, message
	end
	line("kind", "height map")
	line("samples", ("%d x %d"):format(read.width, read.depth))
	line("voids", read.voids)
	if read.voids < read.width * read.depth then
		local unit = in_metres and "m" or "of the full range of its format"
		line("lowest, " .. unit, ("%.7g"):format(read.min / FLAT))
		line("highest, " .. unit, ("%.7g"):format(read.max / FLAT))
	end
	return true
end

local function metres(path)
	return heights(path, true)
end

local function image(path)
	return heights(path, false)
end

local readers = {
	vox = model,
	schem = schematic, schematic = schematic, mts = schematic,
	obj = mesh, stl = mesh, ply = mesh, glb = mesh, gltf = mesh,
	hgt = metres, r16 = metres, png = image,
}

local function reader_of(path)
	local file, message = io.open(path, "rb")
	if not file then
		return nil, message
	end
	local head, why_not = file:read(#SAVED)
	file:close()
	if not head and io.open(path .. "/.", "rb") then
		return nil, path .. ": a folder; name the files in it"
	elseif not head then
		return nil, path .. ": " .. (why_not or "an empty file")
	elseif head == SAVED then
		return saved
	end
	local ending = path:match "%.(%w+)$"
	local reader = ending and readers[ending:lower()]
	if not reader then
		return nil, path .. ": of no kind that is known (scree info --help names them)"
	end
	return reader
end

--- Prints what is in the files; goes on after one that cannot be read.
---@param paths string[]
---@return integer code
function info.run(paths)
	local code = 0
	for _, path in ipairs(paths) do
		local reader, message = reader_of(path)
		local read
		if reader then
			print(path)
			read, message = reader(path)
			message = message and message:gsub("^%l[%l_]+: ", "") -- the function that read it says nothing here
		end
		if not read then
			code = 1
			io.stdout:flush()
			io.stderr:write("scree: ", message, "\n")
		end
	end
	return code
end

return info
