-- Bytes that are written one after the other, and read again: whole numbers of any size up to 2^53 in groups of seven
-- bits, the lowest first (the eighth bit says that more follow), signed ones folded into them (0 -1 1 -2 2 become
-- 0 1 2 3 4), texts with their length before them.

local ffi = require "ffi"
local raise = require "scree.raise"
raise.own()

local floor = math.floor

local bytes = {}

-- ---- writing -------------------------------------------------------------------------------------------------------

local writer = {}
writer.__index = writer

--- An empty writer. Fields: data (uint8_t[]), size.
function bytes.writer()
	return setmetatable({ data = ffi.new "uint8_t[256]", size = 0, capacity = 256 }, writer)
end

-- Room for `more` bytes.
local function reserve(self, more)
	if self.size + more <= self.capacity then
		return
	end
	local capacity = self.capacity
	repeat
		capacity = 2 * capacity
	until self.size + more <= capacity
	local data = ffi.new("uint8_t[?]", capacity)
	ffi.copy(data, self.data, self.size)
	self.data, self.capacity = data, capacity
end

--- One byte, 0 to 255.
function writer:byte(value)
	reserve(self, 1)
	self.data[self.size] = value
	self.size = self.size + 1
end

--- A whole number, 0 to 2^53.
function writer:whole(value)
	if not (value >= 0 and value <= 2 ^ 53) then -- the loop would not end, or run over what is reserved
		error("bytes: no whole number: " .. tostring(value))
	end
	reserve(self, 8)
	local data, size = self.data, self.size
	while value >= 128 do
		local rest = floor(value / 128)
		data[size] = value - 128 * rest + 128
		value, size = rest, size + 1
	end
	data[size] = value
	self.size = size + 1
end

--- A whole number of either sign.
function writer:signed(value)
	self:whole(value < 0 and -2 * value - 1 or 2 * value)
end

--- The bytes of a string.
function writer:raw(value)
	reserve(self, #value)
	ffi.copy(self.data + self.size, value, #value)
	self.size = self.size + #value
end

--- A string: its length and its bytes.
function writer:text(value)
	self:whole(#value)
	self:raw(value)
end

--- All that another writer holds.
function writer:append(other)
	reserve(self, other.size)
	ffi.copy(self.data + self.size, other.data, other.size)
	self.size = self.size + other.size
end

--- What was written, or the part of it from one size to another.
---@param first integer? 0
---@param last integer? size
---@return string
function writer:string(first, last)
	first = first or 0
	return ffi.string(self.data + first, (last or self.size) - first)
end

-- ---- reading -------------------------------------------------------------------------------------------------------

local reader = {}
reader.__index = reader

--- Reads what a writer holds now, which it must outlive. Nothing is checked: who wrote it is known.
function bytes.reader(source)
	return setmetatable({ data = source.data, at = 0, size = source.size }, reader)
end

function reader:byte()
	local value = self.data[self.at]
	self.at = self.at + 1
	return value
end

function reader:whole()
	local data, at = self.data, self.at
	local value, scale = 0, 1
	while data[at] >= 128 do
		value, scale, at = value + scale * (data[at] - 128), scale * 128, at + 1
	end
	self.at = at + 1
	return value + scale * data[at]
end

function reader:signed()
	local value = self:whole()
	return value % 2 == 1 and -(value + 1) / 2 or value / 2
end

function reader:text()
	local length = self:whole()
	self.at = self.at + length
	return ffi.string(self.data + self.at - length, length)
end

return bytes
