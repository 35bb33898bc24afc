-- Triangles as few bytes: corners as whole numbers of a unit, each as its way from the one before; normals as two
-- bytes.
--
--   count of vertices, 1 or 0: with normals or without
--   for each vertex three signed numbers; then, with normals, two bytes for each
--   count of triangles, for each three signed numbers: indices, from the one before
--   materials in runs, until all triangles have one: count, material

local raise = require "scree.raise"
raise.own()

local abs, floor = math.abs, math.floor

local mesh_bytes = {}

-- A unit vector as two bytes: the sphere as an octahedron, unfolded into a square (Meyer et al. 2010, "On
-- floating-point normal vectors").
local function fold(x, y, z)
	local size = abs(x) + abs(y) + abs(z)
	if size == 0 then
		return 127, 127
	end
	local u, v = x / size, y / size
	if z < 0 then
		u, v = (1 - abs(v)) * (u < 0 and -1 or 1), (1 - abs(u)) * (v < 0 and -1 or 1)
	end
	return floor((u + 1) * 127 + 0.5), floor((v + 1) * 127 + 0.5)
end

mesh_bytes.fold = fold

-- The unit vector of two bytes.
local function unfold(u, v)
	local x, y = u / 127 - 1, v / 127 - 1
	local z = 1 - abs(x) - abs(y)
	if z < 0 then
		x, y = (1 - abs(y)) * (x < 0 and -1 or 1), (1 - abs(x)) * (y < 0 and -1 or 1)
	end
	local length = math.sqrt(x * x + y * y + z * z)
	return x / length, y / length, z / length
end

mesh_bytes.unfold = unfold

local function write_materials(out, materials, count)
	local i = 0
	while i < count do
		local material, run = materials[i], 1
		while i + run < count and materials[i + run] == material do
			run = run + 1
		end
		out:whole(run)
		out:byte(material)
		i = i + run
	end
end

--- Writes a mesh: vertex_count, positions (3 a vertex), normals (or nil), triangle_count, indices (from 0), materials.
---@param out table writer of bytes
---@param mesh table
---@param origin number[] metres: of the whole numbers
---@param unit number metres
function mesh_bytes.write(out, mesh, origin, unit)
	out:whole(mesh.vertex_count)
	out:byte(mesh.normals and 1 or 0)
	local positions, normals = mesh.positions, mesh.normals
	local before = { 0, 0, 0 }
	for i = 0, mesh.vertex_count - 1 do
		for axis = 1, 3 do
			local value = floor((positions[3 * i + axis - 1] - origin[axis]) / unit + 0.5)
			out:signed(value - before[axis])
			before[axis] = value
		end
	end
	for i = 0, normals and mesh.vertex_count - 1 or -1 do
		local u, v = fold(normals[3 * i], normals[3 * i + 1], normals[3 * i + 2])
		out:byte(u)
		out:byte(v)
	end
	out:whole(mesh.triangle_count)
	local last = 0
	for i = 0, 3 * mesh.triangle_count - 1 do
		out:signed(mesh.indices[i] - last)
		last = mesh.indices[i]
	end
	write_materials(out, mesh.materials, mesh.triangle_count)
end

--- Reads what write wrote: positions (Lua numbers from 1, metres, 3 a vertex), normals (the same, nil: without),
--- indices (from 0), materials, counts.
---@param from table reader of bytes
---@return table mesh
function mesh_bytes.read(from, origin, unit)
	local mesh = { vertex_count = from:whole(), positions = {}, indices = {}, materials = {} }
	local has_normals = from:byte() == 1
	local at = { 0, 0, 0 }
	for i = 1, mesh.vertex_count do
		for axis = 1, 3 do
			at[axis] = at[axis] + from:signed()
			mesh.positions[3 * i + axis - 3] = origin[axis] + at[axis] * unit
		end
	end
	mesh.normals = has_normals and {} or nil
	for i = 1, has_normals and mesh.vertex_count or 0 do
		local u = from:byte()
		local x, y, z = unfold(u, from:byte())
		mesh.normals[3 * i - 2], mesh.normals[3 * i - 1], mesh.normals[3 * i] = x, y, z
	end
	mesh.triangle_count = from:whole()
	local last = 0
	for i = 1, 3 * mesh.triangle_count do
		last = last + from:signed()
		mesh.indices[i] = last
	end
	while #mesh.materials < mesh.triangle_count do
		local run = from:whole()
		local material = from:byte()
		for _ = 1, run do
			mesh.materials[#mesh.materials + 1] = material
		end
	end
	return mesh
end

return mesh_bytes
