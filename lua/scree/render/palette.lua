-- What colour a hit has: linear red, green and blue.

local ffi = require "ffi"
local raise = require "scree.raise"
local bridge = require "scree.ffi"
local functions = require "scree.functions"
local object = require "scree.object"
local text = require "scree.text"
raise.own()

local C = bridge.C

local palette = {}

-- The transfer function of sRGB, IEC 61966-2-1.
local function linear(byte)
	local v = byte / 255
	return v <= 0.04045 and v / 12.92 or functions.pow((v + 0.055) / 1.055, 2.4)
end

--- 0xRRGGBB as linear red, green, blue.
function palette.linear(hex)
	return linear(math.floor(hex / 65536) % 256), linear(math.floor(hex / 256) % 256), linear(hex % 256)
end

-- Colours that are told apart easily, for colors = "assembly".
local DISTINCT = {
	0xD9502E, 0xE9A63A, 0x3E86B5, 0x7FA650, 0x9A6FB0, 0xE8E2D4, 0x4FB3A5, 0xC2567A, 0x8C6B4A, 0x5B6EE1,
}
local OF_SHAPE = {
	ball = 0xD9502E, box = 0xE9A63A, capsule = 0x3E86B5, cylinder = 0x4FB3A5, cone = 0xC2567A, hull = 0x7FA650,
	wedge = 0x9A6FB0, mesh = 0x8C8C86,
}
local COMPOUND = 0xE8E2D4 -- several parts
local OF_STATE = { awake = 0xE0693A, checking = 0xE9C33A, asleep = 0x4A7FB5 }
local FIXED = 0x9A9A94 -- of what is not dynamic, where colours tell states

local VARIED = 0.10 -- by what share assemblies of one material differ in brightness
local GRAINED = 0.05 -- by what share cells do

-- A number in -1..1 for a whole number, without a pattern that one sees.
local function scattered(n)
	local mixed = n * 0.6180339887498949
	return 2 * (mixed - math.floor(mixed)) - 1
end

local function assembly_colorer(world, colors)
	if colors == "material" then
		return nil
	elseif colors == "assembly" then
		local order, count = {}, 0
		for each in world:assemblies() do
			if each.motion == "dynamic" then
				order[each] = DISTINCT[count % #DISTINCT + 1]
				count = count + 1
			end
		end
		return function(each)
			return order[each]
		end
	elseif colors == "shape" then
		return function(each)
			local parts = each.motion == "dynamic" and each.parts
			return parts and (#parts > 1 and COMPOUND or OF_SHAPE[parts[1].shape])
		end
	elseif colors == "state" then
		return function(each)
			return each.motion == "dynamic" and OF_STATE[each.state] or FIXED
		end
	end
	return colors
end

-- What the colours say of each part of each assembly, as { r, g, b }: id -> part from 0 -> colour or nil. All are asked
-- before anything is drawn, since a script's function may do what it likes.
local function ask_all(world, colorer)
	local of_part = {}
	for each in world:assemblies() do
		local id = each.id
		local parts = {}
		of_part[id] = parts
		for part = 1, C.screeAssembly_PartCount(world[object.POINTER], id) do
			local hex = colorer(each, part)
			if hex and (type(hex) ~= "number" or not (hex >= 0 and hex < 2 ^ 24)) then
				raise.error("render: opts.colors must return a colour 0xRRGGBB or nil, got " .. text.describe(hex))
			end
			parts[part - 1] = hex and { palette.linear(math.floor(hex)) } or nil
		end
	end
	return of_part
end

-- Its material's, a little brighter or darker than its neighbour's.
local function part_color(world, of_material, id, part)
	local described = ffi.new "ScreePart"
	C.screeAssembly_GetPart(world[object.POINTER], id, part, described)
	local factor = 1 + VARIED * scattered(id % 2 ^ 24)
	local color = of_material[described.material]
	return { factor * color[1], factor * color[2], factor * color[3] }
end

--- A function that gives the colour of a ScreeHit on the ground or on an assembly.
---@param world scree.World
---@param class table the world's
---@param colors "material"|"assembly"|"shape"|"state"|fun(assembly: scree.Assembly, part: integer): integer?
---@return fun(hit: ffi.cdata*): number, number, number
function palette.of(world, class, colors)
	local colorer = assembly_colorer(world, colors)
	local of_material, of_part = {}, colorer and ask_all(world, colorer) or {}
	local pointer, material = object.alive(world, class, "render"), ffi.new "ScreeMaterial"
	for i = 0, C.screeWorld_MaterialCount(pointer) - 1 do
		C.screeWorld_GetMaterial(pointer, i, material)
		of_material[i] = { palette.linear(material.color) }
	end
	return function(hit)
		local id = hit.assembly
		if id == 0 then
			local color = of_material[hit.material]
			local cell = hit.cell
			local mixed = (cell[0] * 73 + cell[1] * 179 + cell[2] * 283) % 97 * 61 % 97
			local factor = 1 + GRAINED * (mixed / 48 - 1)
			return factor * color[1], factor * color[2], factor * color[3]
		end
		local parts = of_part[id]
		if not parts then
			parts = {}
			of_part[id] = parts
		end
		local color = parts[hit.part]
		if not color then
			color = part_color(world, of_material, id, hit.part)
			parts[hit.part] = color
		end
		return color[1], color[2], color[3]
	end
end

return palette
