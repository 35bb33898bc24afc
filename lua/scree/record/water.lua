-- The surface of the water in a block of cells: level tops, and sides where it stands against air.

local ffi = require "ffi"
local raise = require "scree.raise"
raise.own()

local water = {}

local WATER = 1 -- its index in the table of materials
local FULL = 255 -- the byte of a cell full of water
local HALF = 127 -- an occupancy byte: from here on the surface of the ground lies above the cell's middle

-- Squares of a mesh that grows.
local builder = {}
builder.__index = builder

-- A square with its four corners, counter-clockwise seen from outside.
function builder:add(...)
	local corners, first = { ... }, #self.positions / 3
	for _, value in ipairs(corners) do
		self.positions[#self.positions + 1] = value * self.cell
	end
	for _, corner in ipairs { 0, 1, 2, 0, 2, 3 } do
		self.indices[#self.indices + 1] = first + corner
	end
end

local function finish(self)
	local triangles = #self.indices / 3
	local materials = ffi.new("uint8_t[?]", math.max(1, triangles))
	ffi.fill(materials, triangles, WATER)
	return {
		vertex_count = #self.positions / 3, positions = ffi.new("double[?]", #self.positions + 1, self.positions),
		triangle_count = triangles, indices = ffi.new("uint32_t[?]", #self.indices + 1, self.indices),
		materials = materials,
	}
end

-- Tops: where the level of the layer is to be drawn, by cell of the layer (0: nowhere). A shore lies somewhere within
-- the solid cell beside the water, so the level goes on into it, where the ground hides the rest.
local function top_levels(cells, y, size)
	local levels = {}
	for z = 0, size - 1 do
		for x = 0, size - 1 do
			local level = cells.water(x, y, z)
			if level == 0 and cells.solid(x, y, z) >= HALF then
				for _, side in ipairs { { 1, 0 }, { -1, 0 }, { 0, 1 }, { 0, -1 } } do
					local beside_x, beside_z = x + side[1], z + side[2]
					if cells.water(beside_x, y + 1, beside_z) == 0 then
						level = math.max(level, cells.water(beside_x, y, beside_z))
					end
				end
			end
			if level == FULL and cells.water(x, y + 1, z) > 0 then
				level = 0
			end
			levels[x + size * z] = level
		end
	end
	return levels
end

-- Cells of one level as few rectangles: as far as it goes along x, then along z.
local function add_tops(out, levels, x0, y, z0, size)
	local function is_row(level, x, last, z)
		for i = x, last do
			if levels[i + size * z] ~= level then
				return false
			end
		end
		return true
	end
	for z = 0, size - 1 do
		for x = 0, size - 1 do
			local level = levels[x + size * z]
			if level > 0 then
				local right, back = x, z
				while right + 1 < size and levels[right + 1 + size * z] == level do
					right = right + 1
				end
				while back + 1 < size and is_row(level, x, right, back + 1) do
					back = back + 1
				end
				for j = z, back do
					for i = x, right do
						levels[i + size * j] = 0
					end
				end
				local h, a, b, c, d = y + level / FULL, x0 + x, x0 + right + 1, z0 + z, z0 + back + 1
				out:add(a, h, c, a, h, d, b, h, d, b, h, c)
			end
		end
	end
end

-- Sides of a cell, from the level of what is beside it up to its own, and its bottom.
local function add_sides(out, cells, x, y, z, x0, y0, z0)
	local level = cells.water(x, y, z)
	local function gap(dx, dz)
		local other = cells.water(x + dx, y, z + dz)
		if other < level and cells.solid(x + dx, y, z + dz) < HALF then
			return y0 + y + other / FULL
		end
	end
	local a, b, c, d, h = x0 + x, x0 + x + 1, z0 + z, z0 + z + 1, y0 + y + level / FULL
	local from = gap(1, 0)
	if from then
		out:add(b, from, d, b, from, c, b, h, c, b, h, d)
	end
	from = gap(-1, 0)
	if from then
		out:add(a, from, c, a, from, d, a, h, d, a, h, c)
	end
	from = gap(0, 1)
	if from then
		out:add(a, from, d, b, from, d, b, h, d, a, h, d)
	end
	from = gap(0, -1)
	if from then
		out:add(b, from, c, a, from, c, a, h, c, b, h, c)
	end
	if cells.water(x, y - 1, z) == 0 and cells.solid(x, y - 1, z) < HALF then
		local base = y0 + y
		out:add(a, base, c, b, base, c, b, base, d, a, base, d)
	end
end

-- The cells of a block and those beside it, by their place in the block.
local function read_cells(terrain, x0, y0, z0, size)
	local region = terrain:read({ x0 - 1, y0 - 1, z0 - 1 }, { x0 + size, y0 + size, z0 + size })
	local n, levels, materials, occupancy = size + 2, region.water, region.material, region.occupancy
	local function at(x, y, z)
		return x + 1 + n * (z + 1 + n * (y + 1))
	end
	return {
		region = region, -- the buffers are its own
		water = function(x, y, z)
			return x >= -1 and x <= size and z >= -1 and z <= size and levels[at(x, y, z)] or 0
		end,
		solid = function(x, y, z)
			local i = at(x, y, z)
			return materials[i] > 0 and occupancy[i] or 0
		end,
	}
end

--- The water's surface in a block of cells, without normals; all materials are water's.
---@param size integer cells a side
---@return table mesh as terrain:mesh() gives it
function water.mesh(terrain, x0, y0, z0, size)
	local out = setmetatable({ positions = {}, indices = {}, cell = terrain.cell_size }, builder)
	local cells = read_cells(terrain, x0, y0, z0, size)
	for y = 0, size - 1 do
		add_tops(out, top_levels(cells, y, size), x0, y0 + y, z0, size)
		for z = 0, size - 1 do
			for x = 0, size - 1 do
				if cells.water(x, y, z) > 0 then
					add_sides(out, cells, x, y, z, x0, y0, z0)
				end
			end
		end
	end
	return finish(out)
end

return water
