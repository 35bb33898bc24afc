-- terrain: the ground. Cells are whole numbers, boxes of cells inclusive; fills work in metres. Every edit returns what
-- it took and gave, { removed = { rock = 12.5 }, added = {} }, in cells of matter.

local ffi = require "ffi"
local raise = require "scree.raise"
local check = require "scree.check"
local object = require "scree.object"
local bridge = require "scree.ffi"
local materials = require "scree.materials"
local mesh_buffers = require "scree.mesh_buffers"
local region = require "scree.region"
local query = require "scree.query"
local vec3 = require "scree.vec3"
raise.own()

local C = bridge.C
local POINTER, STATE = object.POINTER, object.STATE
local Vec3 = vec3.type
local floor = math.floor

local class = object.class("terrain", function()
	return "the terrain's world"
end)
object.private(class)
local getters = class.getters

---@class scree.Terrain
local methods = class.methods

local terrain = { class = class }

--- The object behind world.terrain.
function terrain.new(state)
	return setmetatable({ [POINTER] = state.pointer, [STATE] = state }, class.meta)
end

local MATERIALS = 256
local removed_out, added_out = ffi.new("double[?]", MATERIALS), ffi.new("double[?]", MATERIALS)

--- What the last edit took and gave.
---@return scree.Edit
function terrain.edit_result(state)
	C.screeTerrain_Tally(state.pointer, removed_out, added_out)
	return { removed = materials.by_name(state, removed_out), added = materials.by_name(state, added_out) }
end

-- ---- properties ----------------------------------------------------------------------------------------------------

local function alive(self, what)
	return self[POINTER] or object.dead(self, class, what)
end

local out6, out3 = ffi.new "double[6]", ffi.new "int32_t[3]"

function getters.version(self)
	return C.screeTerrain_Version(alive(self, "terrain.version"))
end

function getters.bytes(self)
	return C.screeTerrain_Bytes(alive(self, "terrain.bytes"))
end

function getters.cell_size(self)
	alive(self, "terrain.cell_size")
	return self[STATE].cell_size
end

function getters.bounds(self)
	if C.screeTerrain_Bounds(alive(self, "terrain.bounds"), out6) ~= 1 then
		return nil
	end
	local min, max = Vec3(out6[0], out6[1], out6[2]), Vec3(out6[3], out6[4], out6[5])
	return { min, max, min = min, max = max }
end

-- ---- single cells --------------------------------------------------------------------------------------------------

---Material, occupancy (0 for air) and water of a cell, both 0..1.
---@param x integer
---@param y integer
---@param z integer
---@return string material
---@return number occupancy
---@return number water
function methods.get(self, x, y, z)
	local pointer = object.alive(self, class, "get")
	check.cell(x, y, z, "get: ", "")
	local code = C.screeTerrain_Get(pointer, x, y, z, out3)
	if code < 0 then
		bridge.failed(pointer, code, "get: ")
	end
	return region.show_cell(self[STATE], out3[0], out3[1], out3[2])
end

---Sets a cell. Occupancy 0 makes air; the material "water" makes a cell of water as full as occupancy says.
---@param x integer
---@param y integer
---@param z integer
---@param material string
---@param occupancy number? 0..1, 1; stored in steps of 1/256
---@param water number? 0..1, 0
---@return scree.Edit
function methods.set(self, x, y, z, material, occupancy, water)
	local pointer = object.alive(self, class, "set")
	local state = self[STATE]
	check.cell(x, y, z, "set: ", "")
	local m, o, w = region.read_cell(state, material, occupancy, water, "set: ")
	local code = C.screeTerrain_Set(pointer, x, y, z, m, o, w)
	if code < 0 then
		bridge.failed(pointer, code, "set: ")
	end
	return terrain.edit_result(state)
end

-- ---- boxes of cells ------------------------------------------------------------------------------------------------

local min3, max3 = ffi.new "double[3]", ffi.new "double[3]"

-- Reads an inclusive box of cells into the shared buffers and returns its size in cells.
local function read_box(min, max, where)
	local ax, ay, az = check.cell_vector(min, where, "min")
	local bx, by, bz = check.cell_vector(max, where, "max")
	if not (ax <= bx and ay <= by and az <= bz) then
		local i = ax > bx and 1 or ay > by and 2 or 3
		local low, high = i == 1 and ax or i == 2 and ay or az, i == 1 and bx or i == 2 and by or bz
		raise.error(("%smax[%d] must be at least min[%d] (%.0f), got %.0f"):format(where, i, i, low, high))
	end
	min3[0], min3[1], min3[2] = ax, ay, az
	max3[0], max3[1], max3[2] = bx, by, bz
	return bx - ax + 1, by - ay + 1, bz - az + 1
end

local function read(self, min, max, into, name)
	local pointer = object.alive(self, class, name)
	local state, where = self[STATE], name .. ": "
	local nx, ny, nz = read_box(min, max, where)
	local target = into
	if into == nil then
		target = region.new(state, nx, ny, nz, where)
	end
	local data = region.check(state, target, where, "into")
	if not (data.nx == nx and data.ny == ny and data.nz == nz) then
		raise.error(("%sinto must have the size %s of the box, got %s"):format(
			where,
			tostring(Vec3(nx, ny, nz)),
			tostring(data.size)
		))
	end
	local code = C.screeTerrain_Read(pointer, min3, max3, data.material, data.occupancy, data.water)
	if code < 0 then
		bridge.failed(pointer, code, where)
	end
	return target
end

---The cells of a box, in a new region or in one of the same size.
---@param min scree.vec3|number[]
---@param max scree.vec3|number[]
---@param into scree.Region?
---@return scree.Region
function methods.read(self, min, max, into)
	return read(self, min, max, into, "read")
end

---@param min scree.vec3|number[]
---@param max scree.vec3|number[]
---@return scree.Region
function methods.copy(self, min, max)
	return read(self, min, max, nil, "copy")
end

---Writes a region with its first cell at min; with a mask only where that is not 0: a buffer of one byte a cell, or a
---region of the same size, whose cells that are not air count.
---@param min scree.vec3|number[]
---@param from scree.Region
---@param mask (ffi.cdata*|scree.Region)?
---@return scree.Edit
function methods.write(self, min, from, mask)
	local pointer = object.alive(self, class, "write")
	local state, where = self[STATE], "write: "
	local x, y, z = check.cell_vector(min, where, "min")
	local data = region.check(state, from, where, "region")
	if mask ~= nil then
		mask = region.mask(state, mask, data, where)
	end
	read_box({ x, y, z }, { x + data.nx - 1, y + data.ny - 1, z + data.nz - 1 }, where)
	local code = C.screeTerrain_Write(pointer, min3, max3, data.material, data.occupancy, data.water, mask)
	if code < 0 then
		bridge.failed(pointer, code, where)
	end
	return terrain.edit_result(state)
end

local sums_out, water_out = ffi.new("double[?]", MATERIALS), ffi.new "double[1]"

---Cells of each material in a box, "air" among them; "water" counts the cells that hold any.
---@param min scree.vec3|number[]
---@param max scree.vec3|number[]
---@return table<string, integer>
function methods.count(self, min, max)
	local pointer = object.alive(self, class, "count")
	read_box(min, max, "count: ")
	local code = C.screeTerrain_Count(pointer, min3, max3, sums_out, water_out)
	if code < 0 then
		bridge.failed(pointer, code, "count: ")
	end
	local result = materials.by_name(self[STATE], sums_out)
	result.water = water_out[0] ~= 0 and water_out[0] or nil
	return result
end

---Matter of each material in a box, in full cells.
---@param min scree.vec3|number[]
---@param max scree.vec3|number[]
---@return table<string, number>
function methods.matter(self, min, max)
	local pointer = object.alive(self, class, "matter")
	read_box(min, max, "matter: ")
	local code = C.screeTerrain_Matter(pointer, min3, max3, sums_out)
	if code < 0 then
		bridge.failed(pointer, code, "matter: ")
	end
	return materials.by_name(self[STATE], sums_out)
end

---Turns one material of a box into another.
---@param min scree.vec3|number[]
---@param max scree.vec3|number[]
---@param from string
---@param to string
---@return scree.Edit
function methods.replace(self, min, max, from, to)
	local pointer = object.alive(self, class, "replace")
	local state = self[STATE]
	local from_index = materials.check_solid(state, from, "replace: ", "from")
	local to_index = materials.check(state, to, "replace: ", "to")
	if to_index == 1 then
		check.wrong(to, "replace: ", "to", "a solid material or air")
	end
	read_box(min, max, "replace: ")
	local code = C.screeTerrain_Replace(pointer, min3, max3, from_index, to_index)
	if code < 0 then
		bridge.failed(pointer, code, "replace: ")
	end
	return terrain.edit_result(state)
end

---Removes everything, water too.
---@return scree.Edit
function methods.clear(self)
	local pointer = object.alive(self, class, "clear")
	local code = C.screeTerrain_Clear(pointer)
	if code < 0 then
		bridge.failed(pointer, code, "clear: ")
	end
	return terrain.edit_result(self[STATE])
end

---What changed since a version: the version now, and boxes of cells that hold every change.
---@param since integer
---@return integer version
---@return { [1]: scree.vec3, [2]: scree.vec3 }[]
function methods.changes(self, since)
	local pointer = object.alive(self, class, "changes")
	check.whole(since, 0, 2 ^ 53, "changes: ", "since")
	local count = C.screeTerrain_Changes(pointer, since, nil, 0)
	if count < 0 then
		bridge.failed(pointer, count, "changes: ")
	end
	local boxes = ffi.new("double[?]", math.max(6 * count, 1))
	count = C.screeTerrain_Changes(pointer, since, boxes, count)
	local list = {}
	for i = 1, count do
		local b = boxes + 6 * (i - 1)
		list[i] = { Vec3(b[0], b[1], b[2]), Vec3(b[3], b[4], b[5]) }
	end
	return C.screeTerrain_Version(pointer), list
end

-- ---- questions -----------------------------------------------------------------------------------------------------

---The ground alone on the way from one point to another. opts: water, inside.
---@param from scree.vec3|number[]
---@param to scree.vec3|number[]
---@param opts { water: boolean?, inside: boolean? }?
---@return scree.Hit?
function methods.raycast(self, from, to, opts)
	local pointer = object.alive(self, class, "raycast")
	return query.raycast_terrain(self[STATE], pointer, from, to, opts)
end

---Whether a point is below the surface, and whether it is in water.
---@param point scree.vec3|number[]
---@return boolean solid
---@return boolean water
function methods.is_inside(self, point)
	local pointer = object.alive(self, class, "is_inside")
	min3[0], min3[1], min3[2] = check.vec3(point, "is_inside: ", "point")
	local code = C.screeTerrain_IsInside(pointer, min3, out3)
	if code < 0 then
		bridge.failed(pointer, code, "is_inside: ")
	end
	return code == 1, out3[0] ~= 0
end

---The cell that holds a point.
---@param point scree.vec3|number[]
---@return integer x
---@return integer y
---@return integer z
function methods.to_cell(self, point)
	object.alive(self, class, "to_cell")
	local x, y, z = check.vec3(point, "to_cell: ", "point")
	local size = self[STATE].cell_size
	return floor(x / size), floor(y / size), floor(z / size)
end

---The centre of a cell, metres.
---@param x integer
---@param y integer
---@param z integer
---@return scree.vec3
function methods.cell_center(self, x, y, z)
	object.alive(self, class, "cell_center")
	check.cell(x, y, z, "cell_center: ", "")
	local size = self[STATE].cell_size
	return Vec3((x + 0.5) * size, (y + 0.5) * size, (z + 0.5) * size)
end

---The surface as triangles: all of it, closed, or what a box of cells owns of it, open where it is cut.
---@param min (scree.vec3|number[])?
---@param max (scree.vec3|number[])?
---@return scree.Mesh
function methods.mesh(self, min, max)
	local pointer = object.alive(self, class, "mesh")
	local whole = min == nil and max == nil
	if not whole then
		read_box(min, max, "mesh: ")
	end
	local code = C.screeTerrain_Mesh(pointer, not whole and min3 or nil, not whole and max3 or nil, mesh_buffers.slot)
	if code < 0 then
		bridge.failed(pointer, code, "mesh: ")
	end
	return mesh_buffers.take(pointer, "mesh: ")
end

require("scree.fill").install(class, terrain)
require("scree.heightmap").install(class, terrain)
require("scree.import").install(class, terrain)
require("scree.save").install(class, terrain)
require("scree.undo").install(class)
require("scree.breaking").install_terrain(class, terrain, read_box, min3, max3)
require("scree.export").install(class, read_box, min3, max3)

return terrain
