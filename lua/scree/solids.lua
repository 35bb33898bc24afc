-- The surfaces of parts as triangles, for renderers and files: metres, in the part's own frame. What is round gets flat
-- pieces with the normals of what is round.

local ffi = require "ffi"
local raise = require "scree.raise"
local check = require "scree.check"
local functions = require "scree.functions"
raise.own()

local solids = {}

local ROUND = 24 -- pieces around an axis
local STEEP = 12 -- pieces from pole to pole of a ball

-- ---- building ------------------------------------------------------------------------------------------------------

-- Lists of numbers as a solid.
local function solid(positions, normals, indices)
	local result = {
		vertex_count = #positions / 3, triangle_count = #indices / 3,
		positions = ffi.new("double[?]", #positions, positions),
		normals = ffi.new("double[?]", #normals, normals),
		indices = ffi.new("uint32_t[?]", #indices, indices),
	}
	return result
end

local function push(list, a, b, c)
	local n = #list
	list[n + 1], list[n + 2], list[n + 3] = a, b, c
end

-- Turns a profile about y: points { r, y, and the normal there: out, up } from below; where it has an edge, one point
-- with either normal.
local function turned(profile)
	local positions, normals, indices = {}, {}, {}
	for _, p in ipairs(profile) do
		for i = 0, ROUND do
			local angle = 2 * math.pi * (i % ROUND) / ROUND
			local c, s = functions.cos(angle), functions.sin(angle)
			push(positions, p[1] * c, p[2], p[1] * s)
			push(normals, p[3] * c, p[4], p[3] * s)
		end
	end
	for k = 1, #profile - 1 do
		local low, high = profile[k], profile[k + 1]
		local is_edge = low[1] == high[1] and low[2] == high[2]
		for i = 0, is_edge and -1 or ROUND - 1 do
			local a, b = (k - 1) * (ROUND + 1) + i, k * (ROUND + 1) + i
			if low[1] > 0 then
				push(indices, a, b, a + 1)
			end
			if high[1] > 0 then
				push(indices, a + 1, b, b + 1)
			end
		end
	end
	return solid(positions, normals, indices)
end

-- Faces of corners in a plane, counter-clockwise from outside.
local function faceted(corners, faces)
	local positions, normals, indices = {}, {}, {}
	for _, face in ipairs(faces) do
		local a, b, c = corners[face[1]], corners[face[2]], corners[face[3]]
		local ux, uy, uz = b[1] - a[1], b[2] - a[2], b[3] - a[3]
		local vx, vy, vz = c[1] - a[1], c[2] - a[2], c[3] - a[3]
		local nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
		local length, first = math.sqrt(nx * nx + ny * ny + nz * nz), #positions / 3
		for i, corner in ipairs(face) do
			push(positions, unpack(corners[corner]))
			push(normals, nx / length, ny / length, nz / length)
			if i >= 3 then
				push(indices, first, first + i - 2, first + i - 1)
			end
		end
	end
	return solid(positions, normals, indices)
end

-- ---- kinds ---------------------------------------------------------------------------------------------------------

-- Quarter turns of a circle of radius r about height y, from below or upwards.
local function arc(profile, r, y, from, to)
	for i = from, to do
		local angle = math.pi * (i / STEEP - 0.5)
		local out, up = functions.cos(angle), functions.sin(angle)
		if i == 0 or i == STEEP then
			out = 0
		end
		profile[#profile + 1] = { r * out, y + r * up, out, up }
	end
	return profile
end

local function box_corners(x, y, z)
	return {
		{ -x, -y, -z }, { x, -y, -z }, { x, -y, z }, { -x, -y, z }, { -x, y, -z }, { x, y, -z }, { x, y, z }, { -x, y, z },
	}
end

local BOX = { { 1, 2, 3, 4 }, { 8, 7, 6, 5 }, { 1, 5, 6, 2 }, { 3, 7, 8, 4 }, { 1, 4, 8, 5 }, { 2, 6, 7, 3 } }
local WEDGE = { { 1, 2, 3, 4 }, { 3, 7, 8, 4 }, { 1, 8, 7, 2 }, { 1, 4, 8 }, { 2, 7, 3 } }

-- Each triangle with corners of its own and its own normal.
local function of_triangles(mesh)
	local corners, faces = {}, {}
	for i = 0, mesh.triangle_count - 1 do
		for k = 0, 2 do
			local p = mesh.positions + 3 * mesh.indices[3 * i + k]
			corners[3 * i + k + 1] = { p[0], p[1], p[2] }
		end
		faces[i + 1] = { 3 * i + 1, 3 * i + 2, 3 * i + 3 }
	end
	return faceted(corners, faces)
end

local makers = {
	ball = function(part)
		return turned(arc({}, part.radius, 0, 0, STEEP))
	end,
	capsule = function(part)
		local half = part.length / 2
		local below = arc({}, part.radius, -half, 0, STEEP / 2)
		return turned(arc(below, part.radius, half, STEEP / 2, STEEP))
	end,
	cylinder = function(part)
		local r, h = part.radius, part.length / 2
		return turned { { 0, -h, 0, -1 }, { r, -h, 0, -1 }, { r, -h, 1, 0 }, { r, h, 1, 0 }, { r, h, 0, 1 }, { 0, h, 0, 1 } }
	end,
	cone = function(part)
		local r, h = part.radius, part.length / 2
		local side = math.sqrt(r * r + 4 * h * h)
		local out, up = 2 * h / side, r / side
		return turned { { 0, -h, 0, -1 }, { r, -h, 0, -1 }, { r, -h, out, up }, { 0, h, out, up } }
	end,
	box = function(part)
		local size = part.size
		return faceted(box_corners(size[1] / 2, size[2] / 2, size[3] / 2), BOX)
	end,
	wedge = function(part)
		local size = part.size
		return faceted(box_corners(size[1] / 2, size[2] / 2, size[3] / 2), WEDGE)
	end,
}

local doubles, words = ffi.new "const double *[1]", ffi.new "const uint32_t *[1]"

-- Triangles as terrain:mesh and assembly:part_mesh give them.
local function check_triangles(mesh, where)
	check.table(mesh, where, "mesh")
	local vertices = check.whole(mesh.vertex_count, 0, 2 ^ 31 - 1, where, "mesh.vertex_count")
	local triangles = check.whole(mesh.triangle_count, 0, 2 ^ 31 - 1, where, "mesh.triangle_count")
	check.buffer(mesh.positions, doubles, 24 * vertices, where, "mesh.positions", "a buffer of doubles")
	check.buffer(mesh.indices, words, 12 * triangles, where, "mesh.indices", "a buffer of uint32_t")
	for i = 0, 3 * triangles - 1 do
		check.range(mesh.indices[i], 0, vertices - 1, where, "mesh.indices[" .. i .. "]")
	end
	return mesh
end

--- The surface of a part.
---@param part scree.Part|scree.QueryShape with shape and its dimensions
---@param mesh scree.Mesh? the triangles of a hull or a mesh, as assembly:part_mesh gives them
---@return scree.Solid
function solids.mesh(part, mesh)
	local where = "solids.mesh: "
	check.table(part, where, "part")
	local kind = part.shape
	if kind == "hull" or kind == "mesh" then
		return of_triangles(check_triangles(mesh, where))
	elseif not makers[kind] then
		check.wrong(kind, where, "part.shape", '"ball", "box", "capsule", "cylinder", "cone", "wedge", "hull" or "mesh"')
	elseif kind == "box" or kind == "wedge" then
		check.size(part.size, where, "part.size")
	else
		check.positive(part.radius, where, "part.radius")
		if kind ~= "ball" then
			check.positive(part.length, where, "part.length")
		end
	end
	return makers[kind](part)
end

return solids
