-- Shapes as scripts write them, { shape = "box", size = {1, 2, 1} }, to and from C's parts.

local ffi = require "ffi"
local pairs = require "scree.pairs"
local raise = require "scree.raise"
local check = require "scree.check"
local groups = require "scree.groups"
local materials = require "scree.materials"
local mesh_shape = require "scree.mesh_shape"
local vec3 = require "scree.vec3"
local quat = require "scree.quat"
local object = require "scree.object"
local single = require("scree.text").single
local C = require("scree.ffi").C
raise.own()

local Vec3, Quat = vec3.type, quat.type

local shape = {}

local kinds = check.choices {
	"ball", C.SCREE_BALL, "box", C.SCREE_BOX, "capsule", C.SCREE_CAPSULE, "cylinder", C.SCREE_CYLINDER,
	"cone", C.SCREE_CONE, "hull", C.SCREE_HULL, "mesh", C.SCREE_MESH, "wedge", C.SCREE_WEDGE,
}

-- Which dimensions a shape has.
local dimensions = {
	ball = { radius = true },
	box = { size = true },
	capsule = { radius = true, length = true },
	cylinder = { radius = true, length = true },
	cone = { radius = true, length = true },
	hull = { points = true },
	mesh = { path = true, vertices = true, indices = true, scale = true },
	wedge = { size = true },
}

shape.DIMENSIONS = { "size", "radius", "length", "points", "path", "vertices", "indices", "scale" }
shape.SURFACE = { "material", "group", "collides_with", "density", "friction", "restitution", "rolling" }

local LEAST, MOST = 0.001, 1e5 -- metres: what C takes

-- A length of a part.
local function check_length(value, where, name)
	if type(value) == "number" and value > 0 and (value < LEAST or value > MOST) then
		check.wrong(value, where, name, "a length from 0.001 to 100000 metres")
	end
	return check.positive(value, where, name)
end

local function check_size(value, where)
	for i = 1, type(value) == "table" and 3 or 0 do
		local number = rawget(value, i)
		if type(number) == "number" then
			check_length(number, where, "size[" .. i .. "]")
		end
	end
	local x, y, z = check.size(value, where, "size")
	return check_length(x, where, "size[1]"), check_length(y, where, "size[2]"), check_length(z, where, "size[3]")
end

local POINT_LIMIT = 2 ^ 20

local function read_points(value, where)
	local n = check.list(value, 4, POINT_LIMIT, where, "points")
	local points = ffi.new("double[?]", 3 * n)
	for i = 1, n do
		local x, y, z = check.vec3(value[i], where, "points[" .. i .. "]")
		points[3 * i - 3], points[3 * i - 2], points[3 * i - 1] = x, y, z
	end
	return points, n
end

--- Reads the shape's kind and dimensions into a ScreePart.
---@param anchors table receives buffers that must live as long as the part
function shape.read(t, part, where, anchors)
	if t.shape == nil then
		raise.error(where .. 'shape is missing ("ball", "box", "capsule", "cylinder", "cone", "hull", "mesh" or "wedge")')
	end
	local name = t.shape
	part.shape = check.choice(name, kinds, where, "shape")
	local has = dimensions[name]
	for _, key in ipairs(shape.DIMENSIONS) do
		local value = t[key]
		if not has[key] and value ~= nil then
			raise.error(("%s%s does not belong to a %s"):format(where, key, name))
		elseif has[key] and value == nil and name ~= "mesh" then
			raise.error(("%s%s is missing (a %s needs it)"):format(where, key, name))
		end
		if value == nil or name == "mesh" then -- luacheck: ignore 542 (nothing to read, or all at once below)
		elseif key == "size" then
			local size = part.size
			size[0], size[1], size[2] = check_size(value, where)
		elseif key == "points" then
			local points, n = read_points(value, where)
			anchors[#anchors + 1] = points
			part.points, part.point_count = points, n
		else
			part[key] = check_length(value, where, key)
		end
	end
	if name == "mesh" then
		mesh_shape.read(t, part, where, anchors)
	end
end

--- Reads position and rotation, where given.
function shape.read_place(t, part, where)
	if t.position ~= nil then
		check.vec3_into(part.position, t.position, where, "position")
	end
	if t.rotation ~= nil then
		local r = part.rotation
		r[0], r[1], r[2], r[3] = check.quat(t.rotation, where, "rotation")
	end
end

-- The value of a key of a part, or of the whole assembly's defaults, and where it was found.
local function look_up(t, defaults, key, where)
	local value = t[key]
	if value == nil and defaults then
		return defaults[key], "spawn: "
	end
	return value, where
end

--- Reads material, groups and surface values; what is missing in t is looked for in defaults (may be nil).
---@param trial table see groups.trial
function shape.read_surface(state, t, defaults, part, where, trial)
	local value, at = look_up(t, defaults, "material", where)
	if value ~= nil then
		part.material = materials.check_solid(state, value, at, "material")
	end
	value, at = look_up(t, defaults, "density", where)
	if value ~= nil then
		part.density = check.positive(value, at, "density")
	end
	value, at = look_up(t, defaults, "friction", where)
	if value ~= nil then
		part.friction = check.not_negative(value, at, "friction")
	end
	value, at = look_up(t, defaults, "restitution", where)
	if value ~= nil then
		part.restitution = check.range(value, 0, 1, at, "restitution")
	end
	value, at = look_up(t, defaults, "rolling", where)
	if value ~= nil then
		part.rolling = check.not_negative(value, at, "rolling")
	end
	value, at = look_up(t, defaults, "group", where)
	if value ~= nil then
		part.group = groups.bit(trial, value, at, "group")
	end
	value, at = look_up(t, defaults, "collides_with", where)
	if value ~= nil then
		part.collides_with = groups.mask(trial, value, at, "collides_with")
	end
end

--- Is one of the parts a mesh?
function shape.has_mesh(parts, count)
	for i = 0, count - 1 do
		if parts[i].shape == C.SCREE_MESH then
			return true
		end
	end
	return false
end

local QUERY = check.names { "shape", "size", "radius", "length", "points", "position", "rotation" }

--- A shape for a query: a ScreePart and the buffers it needs.
function shape.for_query(t, where, name)
	check.table(t, where, name)
	where = where .. name .. ": "
	if t.shape == "mesh" then
		raise.error(where .. "a mesh cannot be asked with, only convex shapes can")
	end
	check.keys(t, QUERY, where)
	local part, anchors = ffi.new "ScreePart", {}
	C.scree_part_defaults(part)
	shape.read(t, part, where, anchors)
	shape.read_place(t, part, where)
	return part, anchors
end

local FIELDS = {
	"shape", "size", "radius", "length", "points", "position", "rotation", "material", "group", "collides_with", "density",
	"friction", "restitution", "rolling", "mesh",
}

local COMPOUND = check.names { "parts", "position", "rotation" }

--- The parts of a compound for a query, placed as the whole is: a list of { part, anchors }. Of a single shape one.
function shape.all_for_query(t, where, name)
	check.table(t, where, name)
	if t.parts == nil then
		return { { shape.for_query(t, where, name) } }
	end
	where = where .. name .. ": "
	check.keys(t, COMPOUND, where)
	local whole = ffi.new "ScreePart"
	C.scree_part_defaults(whole)
	shape.read_place(t, whole, where)
	local r, p = whole.rotation, whole.position
	local turn, shift = Quat(r[0], r[1], r[2], r[3]), Vec3(p[0], p[1], p[2])
	local list = {}
	for i = 1, check.list(t.parts, 1, 65536, where, "parts") do
		local at = ("parts[%d]"):format(i)
		local part, anchors = shape.for_query(t.parts[i], where, at)
		local q, v = part.rotation, part.position
		local place = shift + turn * Vec3(v[0], v[1], v[2])
		local rotation = turn * Quat(q[0], q[1], q[2], q[3])
		v[0], v[1], v[2] = place.x, place.y, place.z
		q[0], q[1], q[2], q[3] = rotation.x, rotation.y, rotation.z, rotation.w
		list[i] = { part, anchors }
	end
	return list
end

-- What of a part is set when it is spawned.
local FIXED = check.names({ "shape", "size", "radius", "length", "points", "position", "rotation", "mesh" }).set
-- What a part takes from its material unless it has its own.
local OF_MATERIAL = check.names({ "density", "friction", "restitution", "rolling" }).set

-- A ScreePart as a script would write it.
local function values_of(state, part, id, index)
	local name = kinds.name[part.shape]
	local has = dimensions[name]
	local values = {
		shape = name,
		size = has.size and Vec3(single(part.size[0]), single(part.size[1]), single(part.size[2])) or nil,
		radius = has.radius and single(part.radius) or nil,
		length = has.length and single(part.length) or nil,
		position = Vec3(part.position[0], part.position[1], part.position[2]),
		rotation = Quat(part.rotation[0], part.rotation[1], part.rotation[2], part.rotation[3]),
		material = materials.name(state, part.material),
		group = groups.name(state.groups, part.group),
		collides_with = groups.names(state.groups, part.collides_with),
		density = single(part.density),
		friction = single(part.friction),
		restitution = single(part.restitution),
		rolling = single(part.rolling),
		mesh = name == "mesh" and mesh_shape.info(state.pointer, id, index) or nil,
	}
	if has.points then
		values.points = {}
		for i = 1, part.point_count do
			local p = part.points + 3 * (i - 1)
			values.points[i] = Vec3(p[0], p[1], p[2])
		end
	end
	return values
end

-- Writes one value of a surface into a ScreePart that holds the part as it is.
local function write_surface(state, part, key, value, trial)
	if value ~= nil then
		shape.read_surface(state, { [key] = value }, nil, part, "part.", trial)
	elseif not OF_MATERIAL[key] then
		check.wrong(value, "part.", key, key == "material" and "the name of a material" or "a group")
	end
	if key == "material" then
		for name in pairs(OF_MATERIAL) do
			part[name] = -1
		end
	elseif value == nil then
		part[key] = -1
	end
end

--- A part of an assembly. Its surface can be written: access(part) fills a ScreePart, access(part, true) takes it over.
---@param id number of its assembly
---@param index integer from 0
---@param access fun(part: ffi.cdata*, write: boolean?)
---@return scree.Part
function shape.to_lua(state, id, index, access)
	local part = ffi.new "ScreePart"
	access(part)
	local values = values_of(state, part, id, index)
	return object.frozen(values, FIELDS, "part", "", function(key, value)
		if FIXED[key] then
			raise.error(("part.%s is set when the part is spawned"):format(key))
		end
		access(part)
		local trial = groups.trial(state.groups)
		write_surface(state, part, key, value, trial)
		access(part, true)
		groups.commit(trial)
		access(part)
		for name, new in pairs(values_of(state, part, id, index)) do
			values[name] = new
		end
	end)
end

return shape
