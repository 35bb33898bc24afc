-- The surface of a block of ground from its cells, as the terrain itself makes it: surface nets (Gibson 1998,
-- "Constrained elastic surface nets") with a vertex for each loop of crossings in a cube, and normals by area.
-- replay/surface.js is the same for pages.
--
-- A field has the cells of a block and two more on every side, SIDE along each axis: index x + SIDE * (z + SIDE * y).
-- value: 0 to 255, from 128 on inside; what the terrain raises (a solid cell that no neighbour is fuller than) is
-- raised in it already. material: of what is inside. blockiness: by material, 0 to 256.

local ffi = require "ffi"
local raise = require "scree.raise"
raise.own()

local floor, sqrt = math.floor, math.sqrt
local band, bxor, lshift, rshift = bit.band, bit.bxor, bit.lshift, bit.rshift

local surface = {}

local BLOCK = 16 -- cells along a block
local HALO = 2
local SIDE = BLOCK + 2 * HALO
local UNITS = 4096 -- of positions, in a cell
local CUBES = SIDE - 1 -- cubes between the centres of the cells
local COUNT = SIDE ^ 3

surface.BLOCK, surface.SIDE, surface.COUNT, surface.UNITS = BLOCK, SIDE, COUNT, UNITS

local STEP = { [0] = 1, SIDE * SIDE, SIDE } -- to the next cell or cube along x, y and z

local CORNER = ffi.new "int32_t[8]" -- from a cube's first cell to the others: bit 0 of the number is x, 1 is y, 2 is z
for i = 0, 7 do
	CORNER[i] = band(i, 1) * STEP[0] + band(rshift(i, 1), 1) * STEP[1] + rshift(i, 2) * STEP[2]
end

-- ---- loops of crossings in a cube ----------------------------------------------------------------------------------

-- Edge 4 * axis + u + 2 * v runs along an axis at the side u, v of the two axes after it.
local LOW, HIGH = {}, {}
for axis = 0, 2 do
	for side = 0, 3 do
		local low = lshift(band(side, 1), (axis + 1) % 3) + lshift(rshift(side, 1), (axis + 2) % 3)
		LOW[4 * axis + side], HIGH[4 * axis + side] = low, low + lshift(1, axis)
	end
end

local function edge_between(a, b)
	for edge = 0, 11 do
		if LOW[edge] == math.min(a, b) and HIGH[edge] == math.max(a, b) then
			return edge
		end
	end
end

-- The corners of a face (2 * axis + side) in order, and the edges between them.
local function face_of(face)
	local axis, side = rshift(face, 1), band(face, 1)
	local corners, edges = {}, {}
	for k, uv in ipairs { { 0, 0 }, { 1, 0 }, { 1, 1 }, { 0, 1 } } do
		corners[k] = lshift(side, axis) + lshift(uv[1], (axis + 1) % 3) + lshift(uv[2], (axis + 2) % 3)
	end
	for k = 1, 4 do
		edges[k] = edge_between(corners[k], corners[k % 4 + 1])
	end
	return corners, edges
end

local FACES = {}
for face = 0, 5 do
	local corners, edges = face_of(face)
	FACES[face] = { corners = corners, edges = edges }
end

local function is_in(mask, corner)
	return band(rshift(mask, corner), 1) == 1
end

local function crosses(mask, edge)
	return is_in(mask, LOW[edge]) ~= is_in(mask, HIGH[edge])
end

-- Joins the edges that a face links: a face with four crossings cuts off its inside corners, the inverted one those
-- outside. True: it has four.
local function link_face(parent, mask, face, is_inverted)
	local function root(e)
		while parent[e] ~= e do
			e = parent[e]
		end
		return e
	end
	local corners, edges, found = FACES[face].corners, FACES[face].edges, {}
	for _, edge in ipairs(edges) do
		found[#found + 1] = crosses(mask, edge) and edge or nil
	end
	if #found == 2 then
		parent[root(found[1])] = root(found[2])
	end
	for k = 1, #found == 4 and 4 or 0 do
		if is_in(mask, corners[k]) ~= is_inverted then
			parent[root(edges[(k + 2) % 4 + 1])] = root(edges[k])
		end
	end
	return #found == 4
end

-- The loops of a cube: by edge its loop (nil: no crossing), how many there are, and the face all of whose crossings are
-- of one loop (nil: none).
local function find_loops(mask, inverted)
	local parent, ambiguous, loop, count, flip = {}, {}, {}, 0, nil
	for edge = 0, 11 do
		parent[edge] = edge
	end
	for face = 0, 5 do
		ambiguous[face] = link_face(parent, mask, face, face == inverted)
	end
	local of_root = {}
	for edge = 0, 11 do
		if crosses(mask, edge) then
			local root = edge
			while parent[root] ~= root do
				root = parent[root]
			end
			if not of_root[root] then
				of_root[root], count = count, count + 1
			end
			loop[edge] = of_root[root]
		end
	end
	for face = 0, 5 do
		local edges = FACES[face].edges
		if ambiguous[face] and loop[edges[1]] == loop[edges[2]] and loop[edges[1]] == loop[edges[3]] then
			flip = face
		end
	end
	return { loop = loop, count = count, flip = flip }
end

local known = {} -- 16 * mask + inverted face + 1 -> its loops

local function loops_of(mask, inverted)
	local key = 16 * mask + (inverted or -1) + 1
	known[key] = known[key] or find_loops(mask, inverted)
	return known[key]
end

-- ---- vertices ------------------------------------------------------------------------------------------------------

local masks = ffi.new("uint8_t[?]", COUNT) -- of the cubes, by their first cell

local function find_masks(value)
	ffi.fill(masks, COUNT)
	for y = 0, CUBES - 1 do
		for z = 0, CUBES - 1 do
			for i = SIDE * (z + SIDE * y), SIDE * (z + SIDE * y) + CUBES - 1 do
				local mask = 0
				for k = 0, 7 do
					mask = mask + lshift(rshift(value[i + CORNER[k]], 7), k)
				end
				masks[i] = mask
			end
		end
	end
end

-- Two cubes at an ambiguous face that each would make one loop of it cut it the other way.
local function loops_at(i, x, y, z)
	local loops = loops_of(masks[i])
	local face = loops.flip
	if not face then
		return loops
	end
	local axis, way = rshift(face, 1), 2 * band(face, 1) - 1
	local along = (axis == 0 and x or axis == 1 and y or z) + way
	if along < 0 or along >= CUBES or loops_of(masks[i + way * STEP[axis]]).flip ~= bxor(face, 1) then
		return loops
	end
	return loops_of(masks[i], face)
end

-- Numerator by denominator, both positive, to the nearest whole number, halves up.
local function nearest(numerator, denominator)
	return floor((2 * numerator + denominator) / (2 * denominator))
end

local function blockiness_at(field, i)
	local most = 0
	for k = 0, 7 do
		if is_in(masks[i], k) then
			most = math.max(most, field.blockiness[field.material[i + CORNER[k]]] or 0)
		end
	end
	return most
end

-- The vertices of a cube, one for each loop: appended to at, units from the corner of the block.
local function add_vertices(at, field, loops, i, x, y, z)
	local value, blockiness = field.value, blockiness_at(field, i)
	for number = 0, loops.count - 1 do
		local sum, count = { [0] = 0, 0, 0 }, 0
		for edge = 0, 11 do
			if loops.loop[edge] == number then
				local axis, side = floor(edge / 4), edge % 4
				local a, b = value[i + CORNER[LOW[edge]]], value[i + CORNER[HIGH[edge]]]
				local along = a > b and nearest(UNITS * (2 * a - 255), 2 * (a - b))
					or UNITS - nearest(UNITS * (2 * b - 255), 2 * (b - a))
				local u, v = (axis + 1) % 3, (axis + 2) % 3
				sum[axis] = sum[axis] + along
				sum[u], sum[v] = sum[u] + UNITS * (side % 2), sum[v] + UNITS * floor(side / 2)
				count = count + 1
			end
		end
		for axis = 0, 2 do
			local mean = nearest(sum[axis], count)
			local cube = axis == 0 and x or axis == 1 and y or z
			at[#at + 1] = UNITS * (cube - HALO) + UNITS / 2 + mean + floor(((UNITS / 2 - mean) * blockiness + 128) / 256)
		end
	end
end

-- ---- squares -------------------------------------------------------------------------------------------------------

local AROUND_U, AROUND_V = { -1, 0, 0, -1 }, { -1, -1, 0, 0 }

local function apart(at, a, b)
	local x, y, z = at[3 * a + 1] - at[3 * b + 1], at[3 * a + 2] - at[3 * b + 2], at[3 * a + 3] - at[3 * b + 3]
	return x * x + y * y + z * z
end

-- The part along an axis of the normal of a triangle.
local function along_axis(at, axis, a, b, c)
	local u, v = (axis + 1) % 3 + 1, (axis + 2) % 3 + 1
	a, b, c = 3 * a, 3 * b, 3 * c
	return (at[b + u] - at[a + u]) * (at[c + v] - at[a + v]) - (at[b + v] - at[a + v]) * (at[c + u] - at[a + u])
end

-- The four vertices around an edge, counter-clockwise from outside; between the first and the third it is cut: along
-- the shorter way, if both triangles then look outwards.
local function square_at(at, vertices, loops, i, axis, is_inside)
	local u, v, around = STEP[(axis + 1) % 3], STEP[(axis + 2) % 3], {}
	for k = 1, 4 do
		local cube = i + AROUND_U[k] * u + AROUND_V[k] * v
		around[k] = vertices[cube] + loops[cube].loop[4 * axis - AROUND_U[k] - 2 * AROUND_V[k]]
	end
	local a, b, c, d = around[1], around[2], around[3], around[4]
	if not is_inside then
		b, d = d, b
	end
	if apart(at, b, d) < apart(at, a, c) then
		a, b, c, d = b, c, d, a
	end
	local sign = is_inside and 1 or -1
	if sign * along_axis(at, axis, a, b, c) <= 0 or sign * along_axis(at, axis, a, c, d) <= 0 then
		a, b, c, d = b, c, d, a
	end
	if a ~= around[1] and a ~= around[2] then -- as the terrain does
		a, b, c, d = c, d, a, b
	end
	return a, b, c, d
end

-- ---- the mesh ------------------------------------------------------------------------------------------------------

local function add_normal(at, sums, a, b, c)
	a, b, c = 3 * a, 3 * b, 3 * c
	local ux, uy, uz = at[b + 1] - at[a + 1], at[b + 2] - at[a + 2], at[b + 3] - at[a + 3]
	local vx, vy, vz = at[c + 1] - at[a + 1], at[c + 2] - at[a + 2], at[c + 3] - at[a + 3]
	local x, y, z = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
	for k = 1, 3 do
		local corner = k == 1 and a or k == 2 and b or c
		sums[corner + 1], sums[corner + 2], sums[corner + 3] =
			(sums[corner + 1] or 0) + x, (sums[corner + 2] or 0) + y, (sums[corner + 3] or 0) + z
	end
end

local function find_vertices(field)
	local at, vertices, loops = {}, {}, {}
	for y = 0, CUBES - 1 do
		for z = 0, CUBES - 1 do
			for x = 0, CUBES - 1 do
				local i = x + SIDE * (z + SIDE * y)
				if masks[i] ~= 0 and masks[i] ~= 255 then
					loops[i], vertices[i] = loops_at(i, x, y, z), #at / 3
					add_vertices(at, field, loops[i], i, x, y, z)
				end
			end
		end
	end
	return at, vertices, loops
end

-- Calls fn for every edge that crosses, of the cells from first to last along each axis: a cell, the axis, whether the
-- cell is inside.
local function each_crossing(value, first, last, fn)
	for y = first, last do
		for z = first, last do
			for x = first, last do
				local i = x + SIDE * (z + SIDE * y)
				local is_inside = value[i] >= 128
				for axis = 0, 2 do
					if is_inside ~= (value[i + STEP[axis]] >= 128) then
						fn(i, axis, is_inside, x, y, z)
					end
				end
			end
		end
	end
end

--- Whether the cells of the block own any of it.
function surface.is_there(value)
	for y = HALO, HALO + BLOCK - 1 do
		for z = HALO, HALO + BLOCK - 1 do
			for i = HALO + SIDE * (z + SIDE * y), HALO + BLOCK - 1 + SIDE * (z + SIDE * y) do
				local side = value[i] >= 128
				if side ~= (value[i + 1] >= 128) or side ~= (value[i + SIDE] >= 128) or side ~= (value[i + SIDE * SIDE] >= 128) then
					return true
				end
			end
		end
	end
	return false
end

--- The cells that have a say in the colours and corners: those inside of cubes that are not all inside.
---@param into ffi.cdata* a byte for each cell
function surface.mark_owners(value, into)
	find_masks(value)
	ffi.fill(into, COUNT)
	for i = 0, COUNT - 1 do
		local mask = masks[i]
		if mask ~= 0 and mask ~= 255 then
			for k = 0, 7 do
				if is_in(mask, k) then
					into[i + CORNER[k]] = 1
				end
			end
		end
	end
end

--- The triangles that the cells of the block own: units from the corner of the block.
---@return table mesh positions, normals (from 1), indices (from 0), materials, vertex_count, triangle_count
function surface.mesh(field)
	find_masks(field.value)
	local at, vertices, loops = find_vertices(field)
	local sums, indices, owners, number_of = {}, {}, {}, {}
	local mesh = { positions = {}, normals = {}, indices = indices, materials = owners }
	each_crossing(field.value, HALO - 1, HALO + BLOCK, function(i, axis, is_inside, x, y, z)
		local a, b, c, d = square_at(at, vertices, loops, i, axis, is_inside)
		add_normal(at, sums, a, b, c)
		add_normal(at, sums, a, c, d)
		local low, high = math.min(x, y, z), math.max(x, y, z)
		if low >= HALO and high < HALO + BLOCK then
			local n = #indices
			indices[n + 1], indices[n + 2], indices[n + 3], indices[n + 4], indices[n + 5], indices[n + 6] = a, b, c, a, c, d
			local material = field.material[is_inside and i or i + STEP[axis]]
			owners[#owners + 1] = material
			owners[#owners + 1] = material
		end
	end)
	local count = 0
	for n, vertex in ipairs(indices) do
		local number = number_of[vertex]
		if not number then
			number, count = count, count + 1
			number_of[vertex] = number
			local x, y, z = sums[3 * vertex + 1], sums[3 * vertex + 2], sums[3 * vertex + 3]
			local length = sqrt(x * x + y * y + z * z)
			if length == 0 then
				y, length = 1, 1
			end
			for axis = 1, 3 do
				mesh.positions[3 * number + axis] = at[3 * vertex + axis]
				mesh.normals[3 * number + axis] = (axis == 1 and x or axis == 2 and y or z) / length
			end
		end
		indices[n] = number
	end
	mesh.vertex_count, mesh.triangle_count = count, #indices / 3
	return mesh
end

return surface
