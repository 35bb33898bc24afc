-- The ground by time for recordings that are seldom looked at: what it was at first, as a saved terrain is in a file,
-- and what was written since, as it was read after each edit. Triangles are made of it only when it is played.

local ffi = require "ffi"
local raise = require "scree.raise"
local object = require "scree.object"
local materials = require "scree.materials"
local bytes = require "scree.record.bytes"
local ground = require "scree.record.ground"
raise.own()

local log = {}
log.__index = log

local CHANNELS = { "material", "occupancy", "water" }
local MOST = 2 ^ 22 -- cells that an edit may touch; of a larger one the whole terrain is kept
local BYTES = 32e6 -- of all of it
local LEVEL = 1 -- of compression

local function read_file(path)
	local file = io.open(path, "rb")
	local content = file and file:read "*a"
	if file then
		file:close()
	end
	return content
end

-- The whole terrain as a string, or nil where no file can be made.
local function save(terrain)
	local path = os.tmpname()
	local content = terrain:save(path, { level = LEVEL }) and read_file(path)
	os.remove(path)
	return content
end

local function restore(terrain, content)
	local path = os.tmpname()
	local file = io.open(path, "wb")
	local written = file and file:write(content)
	if file then
		file:close()
	end
	local _ = written and terrain:load(path, { materials = "world" })
	os.remove(path)
end

-- Bytes as runs: how long, of what.
local function pack(buffer, count)
	local out, i = bytes.writer(), 0
	while i < count do
		local value, first = buffer[i], i
		repeat
			i = i + 1
		until i == count or buffer[i] ~= value
		out:whole(i - first)
		out:byte(value)
	end
	return out
end

local function unpack_into(buffer, count, packed)
	local from, i = bytes.reader(packed), 0
	while i < count do
		local run = from:whole()
		ffi.fill(buffer + i, run, from:byte())
		i = i + run
	end
end

--- Nothing is read yet. It does not hold the world.
function log.new()
	return setmetatable({ version = nil, entries = {}, size = 0 }, log)
end

local function cell_count(boxes)
	local count = 0
	for _, box in ipairs(boxes) do
		local size = box[2] - box[1]
		count = count + (size.x + 1) * (size.y + 1) * (size.z + 1)
	end
	return count
end

-- The cells of a box: min, max, the runs of three buffers.
local function read_box(terrain, box)
	local region, packed = terrain:read(box[1], box[2]), { min = box[1], max = box[2] }
	local size = region.size
	for _, name in ipairs(CHANNELS) do
		packed[name] = pack(region[name], size.x * size.y * size.z)
	end
	return packed
end

local function add(self, entry, size)
	self.entries[#self.entries + 1] = entry
	self.size = self.size + size
	if self.size > BYTES then
		self.is_full, self.entries = true, {}
	end
end

local function add_boxes(self, terrain, frame, boxes)
	local entry, size = { frame = frame }, 0
	for i, box in ipairs(boxes) do
		entry[i] = read_box(terrain, box)
		for _, name in ipairs(CHANNELS) do
			size = size + entry[i][name].capacity
		end
	end
	add(self, entry, size)
end

local function add_whole(self, terrain, frame)
	local whole = save(terrain)
	add(self, { frame = frame, whole = whole }, whole and #whole or math.huge)
end

--- Sees what changed since the last call.
---@param frame integer the frame in which it is so
---@param world scree.World
---@return integer changes 0: none
function log:update(frame, _, world)
	local terrain, before = world.terrain, self.version
	if terrain.version == before then
		return 0
	end
	self.version = terrain.version
	if not self.is_full then
		local boxes = {}
		if before then
			boxes = select(2, terrain:changes(before))
		end
		if before and cell_count(boxes) <= MOST then
			add_boxes(self, terrain, frame, boxes)
		else
			add_whole(self, terrain, frame)
		end
	end
	return 1
end

-- ---- playing it ----------------------------------------------------------------------------------------------------

-- A world whose terrain can be written as that of another was: its materials have the same numbers.
local function twin_of(world)
	local twin, state = require("scree.world").new { cell_size = world.cell_size }, world[object.STATE]
	for index = 2, materials.last(state) do -- what is neither air nor water
		local name, fields = materials.name(state, index), {}
		for _, field in ipairs { "density", "friction", "restitution", "rolling", "hardness", "blockiness", "color" } do
			fields[field] = world.materials[name][field]
		end
		twin.materials[name] = fields
	end
	return twin
end

local function write_box(terrain, packed)
	local region = terrain:read(packed.min, packed.max)
	local size = region.size
	for _, name in ipairs(CHANNELS) do
		unpack_into(region[name], size.x * size.y * size.z, packed[name])
	end
	terrain:write(packed.min, region)
end

--- What ground is in a recording that reads it at once; where the log grew too large, the ground as it is now.
---@param world scree.World
function log:replay(world)
	if self.is_full then
		local now = ground.new(world)
		now:update(1)
		return now
	end
	local twin = twin_of(world)
	local result = ground.new(twin)
	for _, entry in ipairs(self.entries) do
		if entry.whole then
			restore(twin.terrain, entry.whole)
		end
		for _, packed in ipairs(entry) do
			write_box(twin.terrain, packed)
		end
		result:update(entry.frame)
	end
	twin:destroy()
	return result
end

return log
