-- The shape "mesh" as scripts write it: the path of a file, or vertices and indices.

local ffi = require "ffi"
local raise = require "scree.raise"
local check = require "scree.check"
local object = require "scree.object"
local vec3 = require "scree.vec3"
local C = require("scree.ffi").C
raise.own()

local Vec3 = vec3.type

local mesh_shape = {}

local LIMIT = 2 ^ 23 -- triangles; vertices: three times that

-- The buffer itself, when value is a cdata array of the element type; its length in elements.
local function as_array(value, element, where, name)
	if type(value) ~= "cdata" then
		return nil
	end
	local pointer = ffi.new("const " .. element .. " *[1]")
	check.buffer(value, pointer, 0, where, name, "a list or an array of " .. element)
	if check.is_pointer(value) then
		raise.error(where .. name .. " must be an array, whose length is known, got a pointer")
	end
	return pointer[0], ffi.sizeof(value) / ffi.sizeof(element)
end

local function count_triples(n, least, most, where, name)
	if n % 3 ~= 0 then
		raise.error(("%s%s must hold three numbers for each of its entries, got %d"):format(where, name, n))
	elseif n / 3 < least or n / 3 > most then
		raise.error(("%s%s must hold %d to %d triples, got %d"):format(where, name, least, most, n / 3))
	end
	return n / 3
end

-- A list of triples, or of all their numbers in a row: an array of count * 3 of them.
local function read_list(value, element, least, most, read_triple, read_one, where, name)
	local first = type(value) == "table" and rawget(value, 1)
	local flat = type(first) == "number"
	local n = check.list(value, flat and 3 * least or least, flat and 3 * most or most, where, name)
	local count = flat and count_triples(n, least, most, where, name) or n
	local out = ffi.new(element .. "[?]", 3 * count)
	for i = 1, n do
		local at = name .. "[" .. i .. "]"
		if flat then
			out[i - 1] = read_one(value[i], where, at)
		else
			out[3 * i - 3], out[3 * i - 2], out[3 * i - 1] = read_triple(value[i], where, at)
		end
	end
	return out, count
end

local function read_vertices(value, where)
	local array, n = as_array(value, "double", where, "vertices")
	if array then
		return array, count_triples(n, 3, 3 * LIMIT, where, "vertices")
	end
	return read_list(value, "double", 3, 3 * LIMIT, check.vec3, check.number, where, "vertices")
end

-- From 1 in a list, as Lua counts, unless there is a 0 among them; from 0 in an array, as terrain:mesh() gives them.
local function read_indices(value, vertices, where)
	local array, n = as_array(value, "uint32_t", where, "indices")
	if array then
		return array, count_triples(n, 1, LIMIT, where, "indices")
	end
	local base = 1
	local function one(index, _, name)
		check.whole(index, 0, vertices, where, name)
		if index == 0 then
			base = 0
		end
		return index
	end
	local function triple(t, _, name)
		check.list(t, 3, 3, where, name)
		return one(t[1], where, name .. "[1]"), one(t[2], where, name .. "[2]"), one(t[3], where, name .. "[3]")
	end
	local out, count = read_list(value, "uint32_t", 1, LIMIT, triple, one, where, "indices")
	for i = 0, 3 * count - 1 do
		if out[i] - base >= vertices then
			raise.error(("%sindices: there is no vertex %d, they count from 0 and there are %d"):format(where, out[i],
				vertices))
		end
		out[i] = out[i] - base
	end
	return out, count
end

--- Reads path or vertices and indices, and scale, into a ScreePart.
---@param anchors table receives buffers that must live as long as the part
function mesh_shape.read(t, part, where, anchors)
	local path, vertices, indices, scale = t.path, t.vertices, t.indices, t.scale
	if path ~= nil and (vertices ~= nil or indices ~= nil) then
		raise.error(("%spath and %s exclude each other"):format(where, vertices ~= nil and "vertices" or "indices"))
	elseif path ~= nil then
		anchors[#anchors + 1] = check.path(path, where, "path")
		part.path = path
	elseif vertices == nil or indices == nil then
		local missing = vertices == nil and indices == nil and "path is missing (a mesh needs it, or vertices and indices)"
			or (vertices == nil and "vertices" or "indices") .. " is missing (a mesh without a path needs both)"
		raise.error(where .. missing)
	else
		local points, point_count = read_vertices(vertices, where)
		local corners, triangle_count = read_indices(indices, point_count, where)
		anchors[#anchors + 1], anchors[#anchors + 2] = points, corners
		anchors[#anchors + 1], anchors[#anchors + 2] = vertices, indices -- arrays are used as they are
		part.points, part.point_count = points, point_count
		part.indices, part.triangle_count = corners, triangle_count
	end
	if type(scale) == "number" then
		scale = check.positive(scale, where, "scale")
		part.scale[0], part.scale[1], part.scale[2] = scale, scale, scale
	elseif scale ~= nil then
		part.scale[0], part.scale[1], part.scale[2] = check.size(scale, where, "scale")
	end
end

local FIELDS = {
	"triangles", "vertices", "dropped", "open_edges", "closed", "volume", "bytes", "bytes_per_triangle", "min", "max",
}

--- What there is to know of the mesh of part i (from 0).
---@return scree.PartMesh
function mesh_shape.info(pointer, id, i)
	local m = ffi.new "ScreeMeshInfo"
	C.screeAssembly_GetMesh(pointer, id, i, m)
	return object.frozen({
		triangles = m.triangles,
		vertices = m.vertices,
		dropped = m.dropped,
		open_edges = m.open_edges,
		closed = m.closed ~= 0,
		volume = m.volume,
		bytes = m.bytes,
		bytes_per_triangle = m.bytes / m.triangles,
		min = Vec3(m.min[0], m.min[1], m.min[2]),
		max = Vec3(m.max[0], m.max[1], m.max[2]),
	}, FIELDS, "mesh", "it says what was made of the mesh")
end

mesh_shape.KEYS = { "path", "vertices", "indices", "scale" }

return mesh_shape
