-- Triangles of many pieces gathered by material, as the primitives of one glTF mesh.

local raise = require "scree.raise"
raise.own()

local surface = {}
surface.__index = surface

function surface.new()
	return setmetatable({ by_material = {}, order = {} }, surface)
end

local function group_of(self, material)
	local group = self.by_material[material]
	if not group then
		group = { material = material, positions = {}, normals = {}, indices = {}, vertices = 0 }
		self.by_material[material] = group
		self.order[#self.order + 1] = group
	end
	return group
end

-- The number that a vertex of the piece has in the group, where it is added if it is not there yet.
local function vertex_of(group, known, piece, i)
	local number = known[i]
	if number then
		return number
	end
	number = group.vertices
	known[i], group.vertices = number, number + 1
	local x, y, z = piece.place(i)
	local at = 3 * number
	group.positions[at + 1], group.positions[at + 2], group.positions[at + 3] = x, y, z
	if piece.normal then
		x, y, z = piece.normal(i)
		group.normals[at + 1], group.normals[at + 2], group.normals[at + 3] = x, y, z
	end
	return number
end

---@class scree.GltfPiece
---@field count integer of triangles
---@field corner fun(i: integer): integer the vertex of corner i, three a triangle
---@field material fun(triangle: integer): any
---@field place fun(vertex: integer): number, number, number
---@field normal (fun(vertex: integer): number, number, number)?

--- Adds triangles. Of one material, either all pieces have normals or none has.
---@param piece scree.GltfPiece
function surface:add(piece)
	local known_of = {}
	for triangle = 0, piece.count - 1 do
		local material = piece.material(triangle)
		local group = group_of(self, material)
		local known = known_of[group]
		if not known then
			known = {}
			known_of[group] = known
		end
		for k = 0, 2 do
			group.indices[#group.indices + 1] = vertex_of(group, known, piece, piece.corner(3 * triangle + k))
		end
	end
end

--- The primitives, whose numbers go into the buffer; nil when there is not a single triangle.
---@param material_index fun(material: any): integer
---@return table[]?
function surface:primitives(buffer, material_index)
	local list = {}
	for i, group in ipairs(self.order) do
		local count = group.vertices
		list[i] = {
			attributes = {
				POSITION = buffer:add("position", group.positions, count),
				NORMAL = #group.normals > 0 and buffer:add("normal", group.normals, count) or nil,
			},
			indices = buffer:add("index", group.indices, #group.indices),
			material = material_index(group.material),
		}
	end
	return #list > 0 and list or nil
end

return surface
