-- Writes the inputs that fuzzing starts from: small sound files of every kind, each behind the byte that tells the
-- target what it is.
--
--   luajit tests/fuzz/make_corpus.lua FOLDER

local ffi = require "ffi"
local scree = require "scree"

local folder = assert(arg[1], "usage: make_corpus.lua FOLDER")

local function write(name, data)
	local file = assert(io.open(folder .. "/" .. name, "wb"))
	file:write(data)
	file:close()
end

local function read(path)
	local file = assert(io.open(path, "rb"))
	local data = file:read "*a"
	file:close()
	return data
end

local function big(value, bytes)
	local out = {}
	for i = bytes - 1, 0, -1 do
		out[#out + 1] = string.char(math.floor(value / 256 ^ i) % 256)
	end
	return table.concat(out)
end

-- A zlib stream of one stored block (RFC 1950, 1951).
local function stored(data)
	local a, b = 1, 0
	for i = 1, #data do
		a = (a + data:byte(i)) % 65521
		b = (b + a) % 65521
	end
	local size = #data
	local little = string.char(size % 256, math.floor(size / 256), 255 - size % 256, 255 - math.floor(size / 256))
	return "\120\1\1" .. little .. data .. big(b, 2) .. big(a, 2)
end

-- ---- heights --------------------------------------------------------------------------------------------------------

local function crc32(data)
	local bit = require "bit"
	local crc = -1
	for i = 1, #data do
		crc = bit.bxor(crc, data:byte(i))
		for _ = 1, 8 do
			crc = bit.bxor(bit.rshift(crc, 1), bit.band(crc, 1) ~= 0 and 0xEDB88320 or 0)
		end
	end
	return bit.bnot(crc) % 2 ^ 32
end

local function png(width, depth)
	local rows = {}
	for z = 0, depth - 1 do
		rows[#rows + 1] = "\0"
		for x = 0, width - 1 do
			rows[#rows + 1] = big(x * 700 + z * 300, 2)
		end
	end
	local function chunk(kind, data)
		return big(#data, 4) .. kind .. data .. big(crc32(kind .. data), 4)
	end
	local head = big(width, 4) .. big(depth, 4) .. "\16\0\0\0\0"
	return "\137PNG\r\n\26\n" .. chunk("IHDR", head) .. chunk("IDAT", stored(table.concat(rows))) .. chunk("IEND", "")
end

local function heights(side)
	local out = {}
	for i = 1, side * side do
		out[i] = big(i % 7 == 0 and 32768 or i, 2)
	end
	return table.concat(out)
end

write("readers/png", "\0" .. png(9, 7))
write("readers/hgt", "\1" .. heights(5))
write("readers/raw", "\2" .. heights(6))

-- ---- schematics of block games --------------------------------------------------------------------------------------

local function tag(kind, name, payload)
	return string.char(kind) .. big(#name, 2) .. name .. payload
end

local palette = { "minecraft:air", "minecraft:stone", "minecraft:oak_slab[type=top]", "minecraft:water" }

local function sponge()
	local names, cells = {}, {}
	for i, name in ipairs(palette) do
		names[i] = tag(3, name, big(i - 1, 4))
	end
	for i = 0, 23 do
		cells[i + 1] = string.char(i % #palette)
	end
	local inside = tag(3, "Version", big(2, 4))
		.. tag(2, "Width", big(2, 2))
		.. tag(2, "Height", big(3, 2))
		.. tag(2, "Length", big(4, 2))
		.. tag(3, "PaletteMax", big(#palette, 4))
		.. tag(10, "Palette", table.concat(names) .. "\0")
		.. tag(7, "BlockData", big(24, 4) .. table.concat(cells))
	return tag(10, "Schematic", inside .. "\0")
end

local function numbered()
	local cells = ("\1\2\5\9"):rep(6)
	local inside = tag(2, "Width", big(2, 2))
		.. tag(2, "Height", big(3, 2))
		.. tag(2, "Length", big(4, 2))
		.. tag(8, "Materials", big(5, 2) .. "Alpha")
		.. tag(7, "Blocks", big(24, 4) .. cells)
		.. tag(7, "Data", big(24, 4) .. ("\0"):rep(24))
	return tag(10, "Schematic", inside .. "\0")
end

local function luanti()
	local names = { "air", "default:stone", "default:tree" }
	local out = { "MTSM", big(4, 2), big(2, 2), big(3, 2), big(2, 2), ("\127"):rep(3), big(#names, 2) }
	for _, name in ipairs(names) do
		out[#out + 1] = big(#name, 2) .. name
	end
	local content = {}
	for i = 0, 11 do
		content[i + 1] = big(i % 3, 2)
	end
	return table.concat(out) .. stored(table.concat(content) .. ("\127"):rep(12) .. ("\0"):rep(12))
end

write("readers/schem", "\4" .. sponge())
write("readers/schematic", "\4" .. numbered())
write("readers/mts", "\5" .. luanti())

-- ---- what the module itself writes ----------------------------------------------------------------------------------

local function ground(world)
	world.terrain:fill_box { position = { 0, -2, 0 }, size = { 16, 4, 16 }, material = "rock" }
end

local scratch = os.tmpname()

local small = scree.world {}
small.terrain:fill_ball { center = { 0, 0, 0 }, radius = 1.2, material = "ice" }
for kind, ending in pairs { [3] = "vox", [6] = "obj", [7] = "stl", [8] = "ply", [9] = "glb" } do
	local path = scratch .. "." .. ending
	assert(small.terrain:export(path))
	write("readers/" .. ending, string.char(kind) .. read(path))
	os.remove(path)
end
os.remove(scratch .. ".mtl")

local world = scree.world {}
ground(world)
local box = world:spawn { shape = "box", size = { 1, 1, 1 }, position = { 0, 0.5, 0 }, material = "wood" }
local ball = world:spawn { shape = "ball", radius = 0.4, position = { 0, 2, 0 }, velocity = { 1, 0, 0 } }
world:spawn { shape = "hull", points = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, position = { 3, 1, 3 } }
world:joint { type = "rope", a = box, b = ball, length = 2 }
world:joint { type = "hinge", b = ball, at = { 0, 4, 0 }, axis = { 0, 0, 1 }, motor = { speed = 1, max_torque = 5 } }
world:step(1 / 60, 20)
write("saved/snapshot", "\2" .. world:snapshot())
assert(world:save(scratch))
write("saved/world", "\1" .. read(scratch))
assert(small.terrain:save(scratch))
write("saved/terrain", "\0" .. read(scratch))
os.remove(scratch)

-- ---- calls ----------------------------------------------------------------------------------------------------------

-- Bytes of a fixed sequence: any bytes are a sequence of calls.
local state = ffi.new("uint64_t", 88172645463325252ULL)
local bit = require "bit"
local function byte()
	state = bit.bxor(state, bit.lshift(state, 13))
	state = bit.bxor(state, bit.rshift(state, 7))
	state = bit.bxor(state, bit.lshift(state, 17))
	return tonumber(bit.rshift(state, 56))
end

for i = 1, 8 do
	local bytes = {}
	for k = 1, 250 * i do
		bytes[k] = string.char(byte())
	end
	write("calls/random" .. i, table.concat(bytes))
end
