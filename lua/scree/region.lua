-- region: a dense block of cells in Lua's own memory, for bulk work. material, occupancy and water are flat uint8
-- buffers of size.x * size.y * size.z bytes, index x + size.x * (z + size.z * y) from 0. They are raw: writing outside
-- them, or a material byte that no material has, is not checked here. get and set are checked.
--
-- Occupancy is a fraction in get and set: a stored byte v of a solid cell means (v + 1) / 256, air has 0. Water is
-- w / 255.

local ffi = require "ffi"
local raise = require "scree.raise"
local text = require "scree.text"
local check = require "scree.check"
local object = require "scree.object"
local materials = require "scree.materials"
local vec3 = require "scree.vec3"
raise.own()

local STATE = object.STATE
local DATA = "\0data" -- size and buffers, out of a script's reach
local floor = math.floor

---@class scree.Region
local methods = {}

local region = { DATA = DATA, methods = methods }

local known = { "size", "material", "occupancy", "water", "get", "set", "rotated", "mirrored" }
local meta = {}

function meta.__index(self, key)
	local value = methods[key] or rawget(self, DATA)[key]
	if value == nil then
		raise.error("region: no field " .. text.key(key) .. text.hint(key, known))
	end
	return value
end

function meta.__newindex(_, key)
	raise.error("region: " .. text.key(key) .. " cannot be assigned, write into the buffers instead")
end

function meta.__tostring(self)
	return "region of " .. tostring(rawget(self, DATA).size)
end

local CELL_COUNT_LIMIT = 2 ^ 30

--- A region of nx * ny * nz cells of air.
function region.new(state, nx, ny, nz, where)
	local count = nx * ny * nz
	if count > CELL_COUNT_LIMIT then
		raise.error(("%sa region of %.0f x %.0f x %.0f cells is more than 2^30"):format(where, nx, ny, nz))
	end
	local ok, a, b, c = pcall(function()
		local Bytes = ffi.typeof "uint8_t[?]"
		return Bytes(count), Bytes(count), Bytes(count)
	end)
	if not ok then
		raise.error(("%sout of memory for a region of %.0f cells"):format(where, count))
	end
	local data = {
		size = vec3.type(nx, ny, nz), nx = nx, ny = ny, nz = nz, count = count,
		material = a, occupancy = b, water = c,
	}
	return setmetatable({ [DATA] = data, [STATE] = state }, meta)
end

--- The data of a region of this world that a script passed.
function region.check(state, value, where, name)
	if getmetatable(value) ~= meta then
		check.wrong(value, where, name, "a region")
	elseif rawget(value, STATE) ~= state then
		raise.error(where .. name .. " belongs to another world")
	end
	return rawget(value, DATA)
end

local const_bytes = ffi.new "const uint8_t *[1]"

--- The bytes of a mask for a region's data: a buffer of one byte a cell, or the materials of a region of its size.
function region.mask(state, value, data, where)
	if getmetatable(value) ~= meta then
		local wanted = "a buffer of one byte a cell or a region"
		return check.buffer(value, const_bytes, data.count, where, "mask", wanted)
	end
	local mask = region.check(state, value, where, "mask")
	if not (mask.nx == data.nx and mask.ny == data.ny and mask.nz == data.nz) then
		local wanted = "%smask must have the size %s of the region, got %s"
		raise.error(wanted:format(where, tostring(data.size), tostring(mask.size)))
	end
	return mask.material
end

--- The byte of an occupancy fraction of a solid cell: at least 0, which means 1/256.
function region.occupancy_byte(fraction)
	return math.max(0, floor(fraction * 256 - 0.5))
end

function region.water_byte(fraction)
	return floor(fraction * 255 + 0.5)
end

--- What a script says of a cell as bytes. "water" is a cell of air with water, as full as occupancy says.
function region.read_cell(state, material, occupancy, water, where)
	local m = materials.check(state, material, where, "material")
	local o = occupancy == nil and 1 or check.range(occupancy, 0, 1, where, "occupancy")
	if m == 1 then
		if water ~= nil then
			raise.error(where .. 'water is given twice: the material "water" is as full as occupancy says')
		end
		return 0, 0, region.water_byte(o)
	end
	local w = water == nil and 0 or check.range(water, 0, 1, where, "water")
	if m == 0 or o == 0 then
		return 0, 0, region.water_byte(w)
	end
	return m, region.occupancy_byte(o), region.water_byte(w)
end

--- The three values of a cell as a script sees them.
function region.show_cell(state, m, o, w)
	return materials.name(state, m) or "?", m == 0 and 0 or (o + 1) / 256, w / 255
end

local function index(data, x, y, z, where)
	check.whole(x, 0, data.nx - 1, where, "x")
	check.whole(y, 0, data.ny - 1, where, "y")
	check.whole(z, 0, data.nz - 1, where, "z")
	return x + data.nx * (z + data.nz * y)
end

local function own(self, where)
	if getmetatable(self) ~= meta then
		raise.error(where .. "call it with a colon on a region, got " .. text.describe(self))
	end
	local state = rawget(self, STATE)
	if not state.pointer then
		raise.error(where .. "the world is destroyed")
	end
	return state, rawget(self, DATA)
end

---The cell at x, y, z, counted from 0.
---@return string material
---@return number occupancy
---@return number water
function methods.get(self, x, y, z)
	local state, data = own(self, "region:get: ")
	local i = index(data, x, y, z, "region:get: ")
	return region.show_cell(state, data.material[i], data.occupancy[i], data.water[i])
end

---@param x integer
---@param y integer
---@param z integer
---@param material string
---@param occupancy number? 0..1, 1; 0 makes air
---@param water number? 0..1, 0
function methods.set(self, x, y, z, material, occupancy, water)
	local state, data = own(self, "region:set: ")
	local i = index(data, x, y, z, "region:set: ")
	data.material[i], data.occupancy[i], data.water[i] =
		region.read_cell(state, material, occupancy, water, "region:set: ")
end

-- A new region of nx * ny * nz cells; its cell x, y, z is the old one's at first + ax * x + ay * y + az * z.
local function rearranged(state, data, nx, ny, nz, first, ax, ay, az, where)
	local result = region.new(state, nx, ny, nz, where)
	local new, to = rawget(result, DATA), 0
	for y = 0, ny - 1 do
		for z = 0, nz - 1 do
			local from = first + ay * y + az * z
			for _ = 1, nx do
				new.material[to], new.occupancy[to] = data.material[from], data.occupancy[from]
				new.water[to] = data.water[from]
				to, from = to + 1, from + ax
			end
		end
	end
	return result
end

---A copy turned about the y axis by quarter turns, counter-clockwise seen from above: what lay at +z lies at +x.
---@param turns integer? any whole number, 1
---@return scree.Region
function methods.rotated(self, turns)
	local where = "region:rotated: "
	local state, data = own(self, where)
	turns = turns == nil and 1 or check.whole(turns, -1e9, 1e9, where, "turns")
	local nx, ny, nz = data.nx, data.ny, data.nz
	local z_step, y_step = nx, nx * nz
	local last_x, last_z = nx - 1, (nz - 1) * z_step
	turns = turns % 4
	if turns == 1 then
		return rearranged(state, data, nz, ny, nx, last_x, z_step, y_step, -1, where)
	elseif turns == 2 then
		return rearranged(state, data, nx, ny, nz, last_x + last_z, -1, y_step, -z_step, where)
	elseif turns == 3 then
		return rearranged(state, data, nz, ny, nx, last_z, -z_step, y_step, 1, where)
	end
	return rearranged(state, data, nx, ny, nz, 0, 1, y_step, z_step, where)
end

local AXES = check.choices { "x", 1, "y", 2, "z", 3 }

---A copy with one axis turned over.
---@param axis "x"|"y"|"z"
---@return scree.Region
function methods.mirrored(self, axis)
	local where = "region:mirrored: "
	local state, data = own(self, where)
	local which = check.choice(axis, AXES, where, "axis")
	local nx, ny, nz = data.nx, data.ny, data.nz
	local steps = { 1, nx * nz, nx }
	local last = { nx - 1, (ny - 1) * steps[2], (nz - 1) * steps[3] }
	steps[which] = -steps[which]
	return rearranged(state, data, nx, ny, nz, last[which], steps[1], steps[2], steps[3], where)
end

return region
