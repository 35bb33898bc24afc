-- What assemblies are made of: their parts as plain tables. Assemblies that are alike share one list.

local ffi = require "ffi"
local raise = require "scree.raise"
local C = require("scree.ffi").C
local mesh_buffers = require "scree.mesh_buffers"
raise.own()

local shapes = {}

local NAMES = {
	[C.SCREE_BALL] = "ball", [C.SCREE_BOX] = "box", [C.SCREE_CAPSULE] = "capsule", [C.SCREE_CYLINDER] = "cylinder",
	[C.SCREE_CONE] = "cone", [C.SCREE_HULL] = "hull", [C.SCREE_MESH] = "mesh", [C.SCREE_WEDGE] = "wedge",
}

-- The same triangles with corners that are one where they are at one place: positions (double[]), indices (uint32_t[]).
local function weld(mesh)
	local numbers, places, count = {}, ffi.new("double[?]", 3 * mesh.vertex_count), 0
	local indices = ffi.new("uint32_t[?]", 3 * mesh.triangle_count)
	for i = 0, 3 * mesh.triangle_count - 1 do
		local at = mesh.positions + 3 * mesh.indices[i]
		local key = ffi.string(at, 24)
		local number = numbers[key]
		if not number then
			number, count = count, count + 1
			numbers[key] = number
			ffi.copy(places + 3 * number, at, 24)
		end
		indices[i] = number
	end
	return { vertex_count = count, positions = places, triangle_count = mesh.triangle_count, indices = indices,
		materials = mesh.materials }
end

local function triangles(pointer, id, index)
	if C.screeAssembly_PartMesh(pointer, id, index, mesh_buffers.slot) < 0 then
		return nil
	end
	return weld(mesh_buffers.take(pointer, "record: "))
end

local part = ffi.new "ScreePart"

-- Part `index` (from 0) as a plain table, and words that only those equal to it have.
local function read_part(pointer, id, index)
	if C.screeAssembly_GetPart(pointer, id, index, part) < 0 then
		return nil
	end
	local p, r, s = part.position, part.rotation, part.size
	local result = {
		shape = NAMES[part.shape] or "unknown",
		material = part.material,
		position = { p[0], p[1], p[2] },
		rotation = { r[0], r[1], r[2], r[3] },
		size = { s[0], s[1], s[2] },
		radius = part.radius,
		length = part.length,
	}
	local key = ("%d %d %a %a %a %a %a %a %a %a %a %a %a %a"):format(part.shape, part.material, p[0], p[1], p[2], r[0],
		r[1], r[2], r[3], s[0], s[1], s[2], part.radius, part.length)
	if result.shape == "hull" or result.shape == "mesh" then
		local mesh = triangles(pointer, id, index)
		result.mesh = mesh
		if mesh then
			key = key .. ffi.string(mesh.positions, 24 * mesh.vertex_count)
				.. ffi.string(mesh.indices, 12 * mesh.triangle_count)
		end
	end
	return result, key
end

--- The parts of an assembly: shape, material (index), position and rotation in the assembly's frame, size, radius,
--- length as in scree.h; of hulls and meshes, mesh: vertex_count, positions, triangle_count, indices (from 0).
---@return table[] parts
---@return string key equal for equal parts
function shapes.read(pointer, id)
	local parts, keys = {}, {}
	for i = 0, C.screeAssembly_PartCount(pointer, id) - 1 do
		local read, key = read_part(pointer, id, i)
		parts[#parts + 1], keys[#keys + 1] = read, key
	end
	return parts, table.concat(keys, "\n")
end

return shapes
