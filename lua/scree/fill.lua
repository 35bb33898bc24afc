-- Fills: a shape that adds, removes or paints matter. t:fill_ball { center = {0, 4, 0}, radius = 3, material = "rock" }

local ffi = require "ffi"
local raise = require "scree.raise"
local check = require "scree.check"
local object = require "scree.object"
local bridge = require "scree.ffi"
local materials = require "scree.materials"
raise.own()

local C = bridge.C
local STATE = object.STATE

local fill = {}

fill.modes = check.choices {
	"set", C.SCREE_SET, "add", C.SCREE_ADD, "remove", C.SCREE_REMOVE, "paint", C.SCREE_PAINT,
}

local Fill = ffi.typeof "ScreeFill"

--- Mode and material of an edit; a material is needed unless the mode removes.
function fill.read_matter(state, options, where)
	local mode = options.mode == nil and C.SCREE_SET or check.choice(options.mode, fill.modes, where, "mode")
	if options.material == nil and mode == C.SCREE_REMOVE then
		return mode, 0
	end
	return mode, materials.check(state, check.required(options.material, where, "material"), where, "material")
end

local function read_round(options, f, where, upright)
	f.radius = check.positive(check.required(options.radius, where, "radius"), where, "radius")
	if upright then
		local height, name = check.either(options, "height", "length", where)
		f.height = check.positive(height, where, name)
	end
end

local function read_square(options, f, where)
	f.size[0], f.size[1], f.size[2] = check.size(check.required(options.size, where, "size"), where, "size")
end

local brushes = {
	{ name = "ball", middle = "center", brush = C.SCREE_BRUSH_BALL, read = read_round, keys = { "radius" } },
	{ name = "box", brush = C.SCREE_BRUSH_BOX, read = read_square, keys = { "size", "rotation" } },
	{
		name = "cylinder",
		brush = C.SCREE_BRUSH_CYLINDER,
		read = function(options, f, where)
			read_round(options, f, where, true)
		end,
		keys = { "radius", "height", "length", "rotation" },
	},
	{ name = "wedge", brush = C.SCREE_BRUSH_WEDGE, read = read_square, keys = { "size", "rotation" } },
}

local function fill_method(class, terrain, kind)
	local name = "fill_" .. kind.name
	local where = name .. ": "
	local keys = { "position", "center", "material", "mode" }
	for _, key in ipairs(kind.keys) do
		keys[#keys + 1] = key
	end
	local known = check.names(keys)
	local usual = kind.middle or "position" -- where it is; the other name is taken too
	local other = usual == "center" and "position" or "center"

	return function(self, options)
		local pointer = object.alive(self, class, name)
		local state = self[STATE]
		check.table(options, where, "options")
		check.keys(options, known, where)
		local f = Fill()
		f.brush = kind.brush
		local position, position_name = check.either(options, usual, other, where)
		check.vec3_into(f.position, position, where, position_name)
		f.rotation[3] = 1
		if known.set.rotation and options.rotation ~= nil then
			local r = f.rotation
			r[0], r[1], r[2], r[3] = check.quat(options.rotation, where, "rotation")
		end
		kind.read(options, f, where)
		f.mode, f.material = fill.read_matter(state, options, where)
		local code = C.screeTerrain_Fill(pointer, f)
		if code < 0 then
			bridge.failed(pointer, code, where, "position", position_name)
		end
		return terrain.edit_result(state)
	end
end

local SMOOTH = check.names { "center", "position", "radius", "strength" }
local GROW = check.names { "center", "position", "radius", "strength", "material" }
local center3 = ffi.new "double[3]"

-- Center and radius of the ball, and the strength.
local function read_ball(options, known, where)
	check.table(options, where, "options")
	check.keys(options, known, where)
	local center, name = check.either(options, "center", "position", where)
	local x, y, z = check.vec3(center, where, name)
	local radius = check.positive(check.required(options.radius, where, "radius"), where, "radius")
	local strength = check.number(check.required(options.strength, where, "strength"), where, "strength")
	center3[0], center3[1], center3[2] = x, y, z
	return radius, strength, name
end

local function install_reshaping(class, terrain)
	---@class scree.Terrain
	local methods = class.methods

	---Moves the surface within a ball towards its average; planes stay.
	---@param options { center: scree.vec3|number[], radius: number, strength: number } strength 0..1
	---@return scree.Edit
	function methods.smooth(self, options)
		local pointer, where = object.alive(self, class, "smooth"), "smooth: "
		local radius, strength, center_name = read_ball(options, SMOOTH, where)
		check.range(strength, 0, 1, where, "strength")
		local code = C.screeTerrain_Smooth(pointer, center3, radius, strength)
		if code < 0 then
			bridge.failed(pointer, code, where, "center", center_name)
		end
		return terrain.edit_result(self[STATE])
	end

	---Moves the surface within a ball outwards by strength metres, inwards where that is negative.
	---@param options { center: scree.vec3|number[], radius: number, strength: number, material: string? }
	---@return scree.Edit
	function methods.grow(self, options)
		local pointer, where = object.alive(self, class, "grow"), "grow: "
		local radius, strength, center_name = read_ball(options, GROW, where)
		local material = -1
		if options.material ~= nil then
			material = materials.check_solid(self[STATE], options.material, where, "material")
		end
		local code = C.screeTerrain_Grow(pointer, center3, radius, strength, material)
		if code < 0 then
			bridge.failed(pointer, code, where, "center", center_name)
		end
		return terrain.edit_result(self[STATE])
	end
end

--- Adds fill_ball, fill_box, fill_cylinder, fill_wedge, smooth and grow to the terrain's class.
function fill.install(class, terrain)
	for _, kind in ipairs(brushes) do
		class.methods["fill_" .. kind.name] = fill_method(class, terrain, kind)
	end
	install_reshaping(class, terrain)
end

return fill
