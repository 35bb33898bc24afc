-- The ground and its water in blocks of cells, and how they changed: a block that an edit touches is read anew, and
-- what was seen before is kept once.

local ffi = require "ffi"
local pairs = require "scree.pairs"
local raise = require "scree.raise"
local object = require "scree.object"
local C = require("scree.ffi").C
local materials = require "scree.materials"
local mesh_bytes = require "scree.record.mesh_bytes"
local surface = require "scree.record.surface"
local water = require "scree.record.water"
raise.own()

local floor, max, min = math.floor, math.max, math.min

local ground = {}
ground.__index = ground

local SIZE = surface.BLOCK -- cells a block
local REACH = 3 -- cells about an edit whose surface, or its normals, it may change
local UNITS = 1024 -- of positions of water, in a cell

ground.SIZE, ground.UNITS = SIZE, UNITS

--- Nothing is read yet.
function ground.new(world)
	return setmetatable({
		world = world,
		terrain = world.terrain,
		cell_size = world.cell_size,
		version = nil,
		blocks = {}, -- list of { x, y, z, versions = { { frame =, mesh =, water = } ... } }; 0: nothing is there
		at = {}, -- the same by place
		meshes = {}, -- lists of columns, each as mesh_bytes writes it
		known = {}, -- what is in them -> their place in meshes
	}, ground)
end

-- ---- reading a block -----------------------------------------------------------------------------------------------

-- Where columns are kept, once.
local function keep(self, columns)
	local sizes = {}
	for i, column in ipairs(columns) do
		sizes[i] = #column
	end
	local content = table.concat(sizes, " ") .. "\n" .. table.concat(columns)
	if not self.known[content] then
		self.meshes[#self.meshes + 1] = columns
		self.known[content] = #self.meshes
	end
	return self.known[content]
end

local counts, water_count = ffi.new "double[256]", ffi.new "double[1]"
local low, high = ffi.new "double[3]", ffi.new "double[3]"

-- Whether cells of a box hold anything, and whether they hold water.
local function look(self, x0, y0, z0, x1, y1, z1)
	low[0], low[1], low[2], high[0], high[1], high[2] = x0, y0, z0, x1, y1, z1
	if C.screeTerrain_Count(self.world[object.POINTER], low, high, counts, water_count) < 0 then
		return false, false
	end
	local any = water_count[0] > 0
	for material = 1, 255 do
		any = any or counts[material] > 0
	end
	return any, water_count[0] > 0
end

-- ---- the cells of a block ------------------------------------------------------------------------------------------

local SIDE, COUNT = surface.SIDE, surface.COUNT
local RIM = (SIDE - SIZE) / 2 -- cells of a field beside its block
local RAISED = 160 -- what the terrain takes a cell for that no neighbour is fuller than

local field = { value = ffi.new("uint8_t[?]", COUNT), material = ffi.new("uint8_t[?]", COUNT) }
local exact = ffi.new("uint8_t[?]", COUNT)

-- What a cell counts as; at: its place in buffers of n cells a side.
local function raised(material, occupancy, at, n)
	local value = material[at] ~= 0 and occupancy[at] or 0
	if material[at] == 0 or value >= RAISED then
		return value
	end
	for dy = -n * n, n * n, n * n do
		for dz = -n, n, n do
			for i = at + dy + dz - 1, at + dy + dz + 1 do
				if material[i] ~= 0 and occupancy[i] > value then
					return value
				end
			end
		end
	end
	return RAISED
end

-- Reads the cells about a block into the field.
local function read_field(terrain, x0, y0, z0)
	local reach, n = RIM + 1, SIDE + 2
	local region = terrain:read({ x0 - reach, y0 - reach, z0 - reach },
		{ x0 + SIZE - 1 + reach, y0 + SIZE - 1 + reach, z0 + SIZE - 1 + reach })
	local material, occupancy, i = region.material, region.occupancy, 0
	for y = 1, SIDE do
		for z = 1, SIDE do
			local row = n * (z + n * y)
			for x = 1, SIDE do
				exact[i] = raised(material, occupancy, row + x, n)
				field.material[i] = material[row + x]
				i = i + 1
			end
		end
	end
end

-- Whether a cell is inside and one beside it is not, or the other way round; what is beyond the field does not count.
local function is_at_surface(i, x, y, z)
	local inside = exact[i] >= 128
	return x > 0 and (exact[i - 1] >= 128) ~= inside or x < SIDE - 1 and (exact[i + 1] >= 128) ~= inside
		or z > 0 and (exact[i - SIDE] >= 128) ~= inside or z < SIDE - 1 and (exact[i + SIDE] >= 128) ~= inside
		or y > 0 and (exact[i - SIDE * SIDE] >= 128) ~= inside
		or y < SIDE - 1 and (exact[i + SIDE * SIDE] >= 128) ~= inside
end

-- How full cells are counts only where a crossing is next to them.
local function forget_the_rest()
	local i = 0
	for y = 0, SIDE - 1 do
		for z = 0, SIDE - 1 do
			for x = 0, SIDE - 1 do
				field.value[i] = is_at_surface(i, x, y, z) and exact[i] or exact[i] >= 128 and 255 or 0
				i = i + 1
			end
		end
	end
end

-- How blocky materials are, as the terrain counts it, by index.
local function blockiness_of(world)
	local state, list = world[object.STATE], {}
	for index = 2, materials.last(state) do
		list[index] = floor(world.materials[materials.name(state, index)].blockiness * 256 + 0.5)
	end
	return list
end

local function read_solid(self, x0, y0, z0)
	read_field(self.terrain, x0, y0, z0)
	if not surface.is_there(exact) then
		return 0
	end
	forget_the_rest()
	field.blockiness = self.blockiness
	return keep(self, mesh_bytes.write_ground(field))
end

local function read_water(self, x0, y0, z0)
	local mesh, cell = water.mesh(self.terrain, x0, y0, z0, SIZE), self.cell_size
	if mesh.triangle_count == 0 then
		return 0
	end
	return keep(self, mesh_bytes.write(mesh, { x0 * cell, y0 * cell, z0 * cell }, cell / UNITS))
end

local function read_block(self, x, y, z)
	local x0, y0, z0 = SIZE * x, SIZE * y, SIZE * z
	local any, wet = look(self, x0 - 1, y0 - 1, z0 - 1, x0 + SIZE, y0 + SIZE, z0 + SIZE)
	if not any then
		return 0, 0
	end
	return read_solid(self, x0, y0, z0), wet and read_water(self, x0, y0, z0) or 0
end

-- ---- which blocks ---------------------------------------------------------------------------------------------------

local function key_of(x, y, z)
	return x .. " " .. y .. " " .. z
end

--- Whether a table is one of the blocks.
function ground:has(block)
	local x, y, z = rawget(block, "x"), rawget(block, "y"), rawget(block, "z")
	return type(x) == "number" and type(y) == "number" and type(z) == "number" and self.at[key_of(x, y, z)] == block
end

local function update_block(self, x, y, z, frame)
	local key = key_of(x, y, z)
	local block = self.at[key]
	local mesh, wet = read_block(self, x, y, z)
	local last = block and block.versions[#block.versions]
	if mesh == (last and last.mesh or 0) and wet == (last and last.water or 0) then
		return false
	end
	if not block then
		block = { x = x, y = y, z = z, versions = {} }
		self.blocks[#self.blocks + 1] = block
		self.at[key] = block
	end
	if last and last.frame == frame then
		last.mesh, last.water = mesh, wet
	else
		block.versions[#block.versions + 1] = { frame = frame, mesh = mesh, water = wet }
	end
	return true
end

-- Calls fn(x, y, z) for the blocks from a to b whose cells, or those beside them, hold anything.
local function visit(self, a, b, fn)
	local any = look(self, SIZE * a[1] - 1, SIZE * a[2] - 1, SIZE * a[3] - 1, SIZE * b[1] + SIZE, SIZE * b[2] + SIZE,
		SIZE * b[3] + SIZE)
	if not any then
		return
	end
	local axis = 1
	for i = 2, 3 do
		if b[i] - a[i] > b[axis] - a[axis] then
			axis = i
		end
	end
	if b[axis] == a[axis] then
		fn(a[1], a[2], a[3])
		return
	end
	local middle = floor((a[axis] + b[axis]) / 2)
	local left, right = { b[1], b[2], b[3] }, { a[1], a[2], a[3] }
	left[axis], right[axis] = middle, middle + 1
	visit(self, a, left, fn)
	visit(self, right, b, fn)
end

local function block_of(v, offset)
	return { floor((v.x + offset) / SIZE), floor((v.y + offset) / SIZE), floor((v.z + offset) / SIZE) }
end

-- Every block of a box of blocks that has something, or had.
local function collect(self, a, b, wanted)
	local function add(x, y, z)
		wanted[key_of(x, y, z)] = { x, y, z }
	end
	for _, block in ipairs(self.blocks) do
		if block.x >= a[1] and block.x <= b[1] and block.y >= a[2] and block.y <= b[2] and block.z >= a[3]
			and block.z <= b[3] then
			add(block.x, block.y, block.z)
		end
	end
	local bounds = self.terrain.bounds
	if bounds then
		local first, last = block_of(bounds.min, -REACH), block_of(bounds.max, REACH)
		for i = 1, 3 do
			first[i], last[i] = max(first[i], a[i]), min(last[i], b[i])
			if first[i] > last[i] then
				return
			end
		end
		visit(self, first, last, add)
	end
end

local function sorted(wanted)
	local list = {}
	for _, place in pairs(wanted) do
		list[#list + 1] = place
	end
	table.sort(list, function(a, b)
		if a[2] ~= b[2] then
			return a[2] < b[2]
		elseif a[3] ~= b[3] then
			return a[3] < b[3]
		end
		return a[1] < b[1]
	end)
	return list
end

local EVERYWHERE = 2 ^ 31

--- Reads what changed since the last call, or all of it the first time.
---@param frame integer the frame in which it is so
---@param bar table? a progress bar
---@return integer blocks that are not as before
function ground:update(frame, bar)
	local terrain = self.terrain
	if terrain.version == self.version then
		return 0
	end
	self.blockiness = blockiness_of(self.world)
	local wanted = {}
	if self.version then
		local _, boxes = terrain:changes(self.version)
		for _, box in ipairs(boxes) do
			collect(self, block_of(box[1], -REACH), block_of(box[2], REACH), wanted)
		end
	else
		local e = EVERYWHERE
		collect(self, { -e, -e, -e }, { e, e, e }, wanted)
	end
	self.version = terrain.version
	local changed, list = 0, sorted(wanted)
	for i, place in ipairs(list) do
		changed = changed + (update_block(self, place[1], place[2], place[3], frame) and 1 or 0)
		if bar then
			bar:update(i / #list)
		end
	end
	return changed
end

--- The triangles of one of the meshes, see mesh_bytes.read.
---@param block table one of blocks
---@param mesh integer as in a version of it
function ground:mesh(block, mesh)
	local cell = self.cell_size
	local origin = { SIZE * block.x * cell, SIZE * block.y * cell, SIZE * block.z * cell }
	return mesh_bytes.read(self.meshes[mesh], origin, cell / UNITS, cell)
end

return ground
