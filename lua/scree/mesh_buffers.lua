-- Triangles that C hands out, as Lua's own buffers.

local ffi = require "ffi"
local raise = require "scree.raise"
local C = require("scree.ffi").C
raise.own()

local mesh_buffers = {}

--- Where C is to put the mesh that take is called for next.
mesh_buffers.slot = ffi.new "ScreeMesh *[1]"

local function copy(mesh)
	local vertices, triangles = mesh.vertex_count, mesh.triangle_count
	local result = {
		vertex_count = vertices,
		triangle_count = triangles,
		positions = ffi.new("double[?]", 3 * vertices),
		normals = ffi.new("double[?]", 3 * vertices),
		indices = ffi.new("uint32_t[?]", 3 * triangles),
		materials = ffi.new("uint8_t[?]", triangles),
	}
	ffi.copy(result.positions, mesh.positions, 24 * vertices)
	ffi.copy(result.normals, mesh.normals, 24 * vertices)
	ffi.copy(result.indices, mesh.indices, 12 * triangles)
	ffi.copy(result.materials, mesh.materials, triangles)
	return result
end

--- A copy of the mesh in the slot, which may outlive the world; C's own is given back.
---@param where string for the error when there is no memory
---@return scree.Mesh
function mesh_buffers.take(pointer, where)
	local mesh = mesh_buffers.slot[0]
	local ok, result = pcall(copy, mesh)
	C.screeMesh_Free(pointer, mesh)
	if not ok then
		raise.error(where .. "out of memory")
	end
	return result
end

return mesh_buffers
