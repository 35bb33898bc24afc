-- Triangles as few bytes. What is alike stands together, in columns, so that it can be compressed well.
--
-- The surface of ground is a function of its cells, so of a block of ground the cells are written (surface.lua makes
-- triangles of them). Other triangles are written corner by corner, as whole numbers of a unit.
--
--   HEAD       0 others: count of vertices; 1 or 0: with normals or without; count of triangles
--              1 ground: how many materials are blocky; for each which one, and how much
--   X, Y, Z    others: signed numbers, each from the vertex before
--   INDICES    others: three signed numbers a triangle, each from the one before
--   NORMALS    others: two bytes a vertex
--   MATERIALS  runs: how many, of what; others: of triangles; ground: of the cells that have a say
--   RUNS       ground: runs of cells, y first, then x, then z: three times their length, and 0 empty, 1 full, 2 partly
--   VALUES     ground: a byte for each cell that is partly full

local ffi = require "ffi"
local raise = require "scree.raise"
local bytes = require "scree.record.bytes"
local surface = require "scree.record.surface"
raise.own()

local abs, floor = math.abs, math.floor

local mesh_bytes = {}

local HEAD, X, INDICES, NORMALS, MATERIALS, RUNS, VALUES = 1, 2, 5, 6, 7, 8, 9

mesh_bytes.COLUMNS = 9

local OTHERS, GROUND = 0, 1
local SIDE, COUNT = surface.SIDE, surface.COUNT

-- ---- normals -------------------------------------------------------------------------------------------------------

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

-- ---- columns -------------------------------------------------------------------------------------------------------

local function new_columns()
	local columns = {}
	for i = 1, mesh_bytes.COLUMNS do
		columns[i] = bytes.writer()
	end
	return columns
end

local function finish(columns)
	for i, column in ipairs(columns) do
		columns[i] = column:string()
	end
	return columns
end

local function write_runs(out, values, count)
	local i = 0
	while i < count do
		local value, first = values[i], i
		repeat
			i = i + 1
		until i == count or values[i] ~= value
		out:whole(i - first)
		out:byte(value)
	end
end

-- Calls put(value) for each of so many.
local function read_runs(from, count, put)
	local done = 0
	while done < count do
		local run = from:whole()
		local value = from:byte()
		for _ = 1, run do
			put(value)
		end
		done = done + run
	end
end

-- ---- any triangles -------------------------------------------------------------------------------------------------

--- Writes a mesh: vertex_count, positions (3 a vertex), normals (or nil), triangle_count, indices (from 0), materials.
---@param mesh table
---@param origin number[] metres: of the whole numbers
---@param unit number metres
---@return string[] columns
function mesh_bytes.write(mesh, origin, unit)
	local columns = new_columns()
	columns[HEAD]:byte(OTHERS)
	columns[HEAD]:whole(mesh.vertex_count)
	columns[HEAD]:byte(mesh.normals and 1 or 0)
	columns[HEAD]:whole(mesh.triangle_count)
	for axis = 0, 2 do
		local out, before = columns[X + axis], 0
		for i = 0, mesh.vertex_count - 1 do
			local value = floor((mesh.positions[3 * i + axis] - origin[axis + 1]) / unit + 0.5)
			out:signed(value - before)
			before = value
		end
	end
	for i = 0, mesh.normals and 3 * mesh.vertex_count - 3 or -1, 3 do
		local u, v = fold(mesh.normals[i], mesh.normals[i + 1], mesh.normals[i + 2])
		columns[NORMALS]:byte(u)
		columns[NORMALS]:byte(v)
	end
	local last = 0
	for i = 0, 3 * mesh.triangle_count - 1 do
		columns[INDICES]:signed(mesh.indices[i] - last)
		last = mesh.indices[i]
	end
	write_runs(columns[MATERIALS], mesh.materials, mesh.triangle_count)
	return finish(columns)
end

local function read_others(columns)
	local mesh = { vertex_count = columns[HEAD]:whole(), positions = {}, indices = {}, materials = {} }
	mesh.normals = columns[HEAD]:byte() == 1 and {} or nil
	mesh.triangle_count = columns[HEAD]:whole()
	for axis = 1, 3 do
		local value = 0
		for i = 0, mesh.vertex_count - 1 do
			value = value + columns[X + axis - 1]:signed()
			mesh.positions[3 * i + axis] = value
		end
	end
	for i = 1, mesh.normals and mesh.vertex_count or 0 do
		local u = columns[NORMALS]:byte()
		local x, y, z = unfold(u, columns[NORMALS]:byte())
		mesh.normals[3 * i - 2], mesh.normals[3 * i - 1], mesh.normals[3 * i] = x, y, z
	end
	local last = 0
	for i = 1, 3 * mesh.triangle_count do
		last = last + columns[INDICES]:signed()
		mesh.indices[i] = last
	end
	read_runs(columns[MATERIALS], mesh.triangle_count, function(material)
		mesh.materials[#mesh.materials + 1] = material
	end)
	return mesh
end

-- ---- ground --------------------------------------------------------------------------------------------------------

-- Where the cells stand, in the order in which they are written.
local ORDER = ffi.new("int32_t[?]", COUNT)
do
	local n = 0
	for z = 0, SIDE - 1 do
		for x = 0, SIDE - 1 do
			for y = 0, SIDE - 1 do
				ORDER[n], n = x + SIDE * (z + SIDE * y), n + 1
			end
		end
	end
end

local EMPTY, FULL, PARTLY = 0, 1, 2

local function kind_of(value)
	return value == 0 and EMPTY or value == 255 and FULL or PARTLY
end

local owners, owner_materials = ffi.new("uint8_t[?]", COUNT), ffi.new("uint8_t[?]", COUNT)

--- Writes the cells about a block of ground, see surface.lua. Those that no crossing is next to are empty or full.
---@return string[] columns
function mesh_bytes.write_ground(field)
	local columns, value = new_columns(), field.value
	local n = 0
	while n < COUNT do
		local kind, first = kind_of(value[ORDER[n]]), n
		repeat
			if kind == PARTLY then
				columns[VALUES]:byte(value[ORDER[n]])
			end
			n = n + 1
		until n == COUNT or kind_of(value[ORDER[n]]) ~= kind
		columns[RUNS]:whole(3 * (n - first) + kind)
	end
	surface.mark_owners(value, owners)
	local count, blocky, list = 0, {}, {}
	for i = 0, COUNT - 1 do
		local cell = ORDER[i]
		if owners[cell] ~= 0 then
			local material = field.material[cell]
			owner_materials[count], count = material, count + 1
			if (field.blockiness[material] or 0) > 0 and not blocky[material] then
				blocky[material] = true
				list[#list + 1] = material
			end
		end
	end
	write_runs(columns[MATERIALS], owner_materials, count)
	columns[HEAD]:byte(GROUND)
	columns[HEAD]:whole(#list)
	for _, material in ipairs(list) do
		columns[HEAD]:byte(material)
		columns[HEAD]:whole(field.blockiness[material])
	end
	return finish(columns)
end

local field = { value = ffi.new("uint8_t[?]", COUNT), material = ffi.new("uint8_t[?]", COUNT) }

local function read_ground(columns)
	field.blockiness = {}
	for _ = 1, columns[HEAD]:whole() do
		local material = columns[HEAD]:byte()
		field.blockiness[material] = columns[HEAD]:whole()
	end
	local n = 0
	while n < COUNT do
		local run = columns[RUNS]:whole()
		local kind = run % 3
		for i = n, n + floor(run / 3) - 1 do
			field.value[ORDER[i]] = kind == PARTLY and columns[VALUES]:byte() or kind == FULL and 255 or 0
		end
		n = n + floor(run / 3)
	end
	surface.mark_owners(field.value, owners)
	local at, count = 0, 0
	for i = 0, COUNT - 1 do
		count = count + owners[i]
	end
	read_runs(columns[MATERIALS], count, function(material)
		while owners[ORDER[at]] == 0 do
			at = at + 1
		end
		field.material[ORDER[at]], at = material, at + 1
	end)
	return surface.mesh(field)
end

-- ---- reading -------------------------------------------------------------------------------------------------------

--- Reads what was written: positions (Lua numbers from 1, metres, 3 a vertex), normals (the same, nil: without),
--- indices (from 0), materials, counts.
---@param texts string[] columns
---@param origin number[] metres
---@param unit number metres, of triangles that are no ground's
---@param cell number? metres, of ground
---@return table mesh
function mesh_bytes.read(texts, origin, unit, cell)
	local columns, writers = {}, {}
	for i, column in ipairs(texts) do
		writers[i] = bytes.writer()
		writers[i]:raw(column)
		columns[i] = bytes.reader(writers[i])
	end
	local is_ground = columns[HEAD]:byte() == GROUND
	local mesh = (is_ground and read_ground or read_others)(columns)
	unit = is_ground and cell / surface.UNITS or unit
	for i = 1, 3 * mesh.vertex_count do
		mesh.positions[i] = origin[(i - 1) % 3 + 1] + mesh.positions[i] * unit
	end
	assert(#writers == #columns) -- which kept the bytes that were read
	return mesh
end

return mesh_bytes
