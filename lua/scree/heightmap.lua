-- Ground under a grid of heights: from a file, from numbers (fill_heightmap) or from a function (generate).

local ffi = require "ffi"
local raise = require "scree.raise"
local check = require "scree.check"
local object = require "scree.object"
local bridge = require "scree.ffi"
local fill = require "scree.fill"
local materials = require "scree.materials"
local progress = require "scree.progress"
raise.own()

local C = bridge.C
local STATE = object.STATE

local heightmap = {}

local SIDE_LEAST, SIDE_MOST, SAMPLE_LIMIT = 2, 65536, 2 ^ 28
local LAYER_LIMIT = 8
local TO_THE_BOTTOM = 1e9 -- metres of the last layer

local LAYER = check.names { "material", "depth" }

-- Layers from the surface down: each reaches depth metres below it, the last to the bottom.
local function read_layers(state, layers, map, where)
	local n = check.list(layers, 1, LAYER_LIMIT, where, "layers")
	local above = 0
	for i = 1, n do
		local layer, name = layers[i], "layers[" .. i .. "]"
		check.table(layer, where, name)
		check.keys(layer, LAYER, where .. name .. ": ")
		local depth = layer.depth
		if i < n then
			check.positive(depth, where, name .. ".depth")
			if depth <= above then
				raise.error(("%s%s.depth must be more than that of the layer above"):format(where, name))
			end
			above = depth
		elseif depth ~= nil then
			raise.error(("%s%s.depth: the last layer goes to the bottom"):format(where, name))
		end
		map.layer_material[i - 1] = materials.check_solid(state, layer.material, where, name .. ".material")
		map.layer_depth[i - 1] = depth or TO_THE_BOTTOM
	end
	map.layer_count = n
end

-- Mode, material or layers, spacing, bottom: what both forms share.
local function read_common(state, options, map, where)
	map.mode = options.mode == nil and C.SCREE_SET or check.choice(options.mode, fill.modes, where, "mode")
	if options.material ~= nil and options.layers ~= nil then
		raise.error(where .. "material and layers are alternatives, give one")
	elseif options.layers ~= nil then
		read_layers(state, options.layers, map, where)
	elseif options.material ~= nil then
		map.layer_count, map.layer_depth[0] = 1, TO_THE_BOTTOM
		map.layer_material[0] = materials.check_solid(state, options.material, where, "material")
	end
	if options.bottom ~= nil then
		map.bottom = check.not_negative(options.bottom, where, "bottom")
	end
	map.scale = options.scale == nil and 1 or check.number(options.scale, where, "scale")
	map.spacing = options.cell == nil and state.cell_size or check.positive(options.cell, where, "cell")
end

-- A list of numbers (NaN: a void) or a buffer of doubles.
local double_slot = ffi.new "const double *[1]"

local function read_heights(value, count, where)
	if type(value) == "cdata" then
		return check.buffer(value, double_slot, 8 * count, where, "heights", "a buffer of width * depth doubles")
	end
	check.table(value, where, "heights")
	if #value ~= count then
		raise.error(("%sheights must hold width * depth = %.0f numbers, got %.0f"):format(where, count, #value))
	end
	local buffer = ffi.new("double[?]", count)
	for i = 1, count do
		local height = value[i]
		if type(height) ~= "number" or height == height then
			check.number(height, where, "heights[" .. i .. "]")
		end
		buffer[i - 1] = height
	end
	return buffer
end

local function read_grid(options, map, where)
	for _, key in ipairs { "width", "depth" } do
		if options[key] == nil then
			raise.error(where .. key .. " is missing (heights need it)")
		end
		map[key] = check.whole(options[key], SIDE_LEAST, SIDE_MOST, where, key)
	end
	for _, key in ipairs { "min", "max" } do
		if options[key] ~= nil then
			raise.error(("%s%s is for files: heights are metres already"):format(where, key))
		end
	end
	local count = map.width * map.depth
	if count > SAMPLE_LIMIT then
		raise.error(("%swidth * depth must be at most 2^28, got %.0f"):format(where, count))
	end
	return read_heights(options.heights, count, where)
end

local function read_file(options, map, where)
	for _, key in ipairs { "width", "depth" } do
		if options[key] ~= nil then
			raise.error(("%s%s is for heights: a file has its own"):format(where, key))
		end
	end
	if options.min ~= nil then
		map.min = check.number(options.min, where, "min")
	end
	if options.max ~= nil then
		map.max = check.number(options.max, where, "max")
	end
	return check.path(options.path, where, "path")
end

-- Runs the fill. held: what C reads through pointers.
local function run(terrain, state, pointer, map, held, where)
	state.held_heights = held
	local code = C.screeTerrain_FillHeightmap(pointer, map)
	state.held_heights = nil
	if code < 0 then
		return nil, bridge.failed_file(pointer, code, where)
	end
	local result = terrain.edit_result(state)
	result.voids, result.width, result.depth = map.voids, map.out_width, map.out_depth
	result.min, result.max = map.out_min, map.out_max
	return result
end

local MAP = check.names {
	"path", "heights", "width", "depth", "position", "cell", "min", "max", "bottom", "material", "layers", "mode",
	"scale",
}

local GENERATE = check.names { "min", "max", "height", "cell", "bottom", "material", "layers", "mode", "scale" }

-- Samples of one axis: at the centres of the cells whose centres lie in min..max.
local function axis(min, max, spacing, where, name)
	local first, last = math.ceil(min / spacing - 0.5), math.floor(max / spacing - 0.5)
	local count = last - first + 1
	if max < min then
		raise.error(("%smax[%s] must be above min[%s] (%g), got %g"):format(where, name, name, min, max))
	elseif count < SIDE_LEAST or count > SIDE_MOST then
		local wanted = "%smax[%s] must have the centres of 2 to 65536 columns between it and min[%s] (%g), got %g: %.0f"
		raise.error(wanted:format(where, name, name, min, max, math.max(count, 0)))
	end
	return (first + 0.5) * spacing, count
end

-- Calls the script's function for one sample: the height (NaN for false, a void) and the material's index or nil.
local function sample(state, height, x, z, where)
	local h, material = height(x, z)
	local at = ("height(%g, %g)"):format(x, z)
	if h == false then
		h = 0 / 0
	else
		check.number(h, where, at)
	end
	return h, material ~= nil and materials.check_solid(state, material, where, at .. " material") or nil
end

-- Heights and materials of the whole grid; materials is nil when the function named none.
local function sample_grid(bar, state, options, map, x0, z0, where)
	local width, depth = map.width, map.depth
	local heights, indices = ffi.new("double[?]", width * depth), nil
	for k = 0, depth - 1 do
		for i = 0, width - 1 do
			local n = i + width * k
			local h, material = sample(state, options.height, x0 + i * map.spacing, z0 + k * map.spacing, where)
			heights[n] = h
			if material and not indices then
				if options.layers ~= nil then
					raise.error(where .. "height gives a material although there are layers")
				end
				indices = ffi.new("uint8_t[?]", width * depth)
				ffi.fill(indices, width * depth, map.layer_material[0])
			end
			if material then
				indices[n] = material
			end
		end
		bar:update((k + 1) / depth)
	end
	return heights, indices
end

--- Adds the methods to the terrain's class.
function heightmap.install(class, terrain)
	---@class scree.Terrain
	local methods = class.methods

	---Ground under a grid of heights. What a file lacks or has wrong is nil, message.
	---@param options scree.Heightmap
	---@return scree.Edit? result also voids, width, depth, min, max
	---@return string? message
	function methods.fill_heightmap(self, options)
		local pointer = object.alive(self, class, "fill_heightmap")
		local state, where = self[STATE], "fill_heightmap: "
		check.table(options, where, "options")
		check.keys(options, MAP, where)
		local map = ffi.new "ScreeHeightmap"
		C.scree_heightmap_defaults(map)
		read_common(state, options, map, where)
		if options.position ~= nil then
			check.vec3_into(map.position, options.position, where, "position")
		end
		local held
		if options.heights ~= nil and options.path ~= nil then
			raise.error(where .. "path and heights are alternatives, give one")
		elseif options.heights ~= nil then
			held = read_grid(options, map, where)
			map.heights = held
		elseif options.path ~= nil then
			held = read_file(options, map, where)
			map.path = held
		else
			raise.error(where .. "path or heights is missing")
		end
		return run(terrain, state, pointer, map, held, where)
	end

	---Ground from a function: height(x, z) in metres is called for the centre of every column of cells in the
	---rectangle min..max (metres) and returns the height and, if it likes, a material; false leaves a hole.
	---@param options { min: number[], max: number[], height: fun(x: number, z: number): number|false, string? }
	---@return scree.Edit
	function methods.generate(self, options)
		object.alive(self, class, "generate")
		local state, where = self[STATE], "generate: "
		check.table(options, where, "options")
		check.keys(options, GENERATE, where)
		for _, key in ipairs { "min", "max", "height" } do
			if options[key] == nil then
				raise.error(where .. key .. " is missing")
			end
		end
		check.callable(options.height, where, "height")
		local map = ffi.new "ScreeHeightmap"
		C.scree_heightmap_defaults(map)
		read_common(state, options, map, where)
		local min_x, min_z = check.pair(options.min, where, "min")
		local max_x, max_z = check.pair(options.max, where, "max")
		local x0, z0
		x0, map.width = axis(min_x, max_x, map.spacing, where, "1")
		z0, map.depth = axis(min_z, max_z, map.spacing, where, "2")
		if map.width * map.depth > SAMPLE_LIMIT then
			raise.error(where .. "more than 2^28 samples")
		end
		map.position[0], map.position[2] = x0, z0
		local heights, indices = progress.run("generate", sample_grid, state, options, map, x0, z0, where)
		local pointer = object.alive(self, class, "generate") -- the script's function may have destroyed the world
		map.heights, map.sample_materials = heights, indices
		return run(terrain, state, pointer, map, { heights, indices }, where)
	end
end

return heightmap
