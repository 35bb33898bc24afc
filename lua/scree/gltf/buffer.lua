-- The binary part of a glTF file while it grows: views of one kind of number each, with accessors in them.

local ffi = require "ffi"
local raise = require "scree.raise"
raise.own()

local buffer = {}
buffer.__index = buffer

local FLOAT, U32 = 5126, 5125 -- component types
local VERTICES, INDICES = 34962, 34963 -- targets

-- Views in the order in which they stand in the file; 4 bytes a number.
local KINDS = {
	{ name = "position", ctype = "float", type = "VEC3", width = 3, target = VERTICES, bounded = true },
	{ name = "normal", ctype = "float", type = "VEC3", width = 3, target = VERTICES },
	{ name = "index", ctype = "uint32_t", type = "SCALAR", width = 1, target = INDICES },
	{ name = "time", ctype = "float", type = "SCALAR", width = 1, bounded = true },
	{ name = "vector", ctype = "float", type = "VEC3", width = 3 },
	{ name = "rotation", ctype = "float", type = "VEC4", width = 4 },
}

function buffer.new()
	local views = {}
	for _, kind in ipairs(KINDS) do
		views[kind.name] = { kind = kind, data = ffi.new(kind.ctype .. "[?]", 256), size = 0, capacity = 256 }
	end
	return setmetatable({ views = views, accessors = {} }, buffer)
end

local function reserve(view, more)
	if view.size + more > view.capacity then
		local capacity = math.max(2 * view.capacity, view.size + more)
		local data = ffi.new(view.kind.ctype .. "[?]", capacity)
		ffi.copy(data, view.data, 4 * view.size)
		view.data, view.capacity = data, capacity
	end
end

-- Least and greatest of each component, of the floats as they are in the file.
local function bounds(view, first, count)
	local width, least, most = view.kind.width, {}, {}
	for k = 1, width do
		least[k], most[k] = math.huge, -math.huge
		for i = 0, count - 1 do
			local value = view.data[first + width * i + k - 1]
			least[k], most[k] = math.min(least[k], value), math.max(most[k], value)
		end
	end
	return least, most
end

--- Adds numbers to the view of that name as an accessor of its own: its index, from 0.
---@param name string
---@param numbers table|ffi.cdata* from 1 if a table, else from 0
---@param count integer of elements
---@return integer accessor
function buffer:add(name, numbers, count)
	local view = self.views[name]
	local kind = view.kind
	local first, total = view.size, count * kind.width
	reserve(view, total)
	local shift = type(numbers) == "table" and 1 or 0
	for i = 0, total - 1 do
		view.data[first + i] = numbers[i + shift]
	end
	view.size = first + total
	local accessor = {
		view = name, byteOffset = 4 * first, componentType = kind.ctype == "float" and FLOAT or U32, count = count,
		type = kind.type,
	}
	if kind.bounded then
		accessor.min, accessor.max = bounds(view, first, count)
	end
	self.accessors[#self.accessors + 1] = accessor
	return #self.accessors - 1
end

--- What the JSON says of it, and the bytes in the order of the file.
---@return table accessors
---@return table bufferViews
---@return string[] pieces
---@return integer size
function buffer:finish()
	local views, pieces, size, index_of = {}, {}, 0, {}
	for _, kind in ipairs(KINDS) do
		local view = self.views[kind.name]
		if view.size > 0 then
			views[#views + 1] = {
				buffer = 0, byteOffset = size, byteLength = 4 * view.size, target = kind.target,
				byteStride = kind.target == VERTICES and 4 * kind.width or nil,
			}
			index_of[kind.name] = #views - 1
			pieces[#pieces + 1] = ffi.string(view.data, 4 * view.size)
			size = size + 4 * view.size
		end
	end
	for _, accessor in ipairs(self.accessors) do
		accessor.bufferView, accessor.view = index_of[accessor.view], nil
	end
	return self.accessors, views, pieces, size
end

return buffer
