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

-- Files for the readers alone, by the number that the target `readers` knows them by; and for `imports`, by ending: its
-- number there, options, the file.
local READER_OF = {
	png = 0, hgt = 1, r16 = 2, vox = 3, schem = 4, schematic = 4, mts = 5, obj = 6, stl = 7, ply = 8, glb = 9, gltf = 9,
}
local ENDINGS = { "png", "hgt", "r16", "vox", "schem", "schematic", "mts", "obj", "stl", "ply", "glb", "gltf" }
local OPTIONS = ("\100\90"):rep(6)

local function add_file(name, ending, data)
	write("readers/" .. name, string.char(READER_OF[ending]) .. data)
	for i, known in ipairs(ENDINGS) do
		if known == ending then
			write("imports/" .. name, string.char(i - 1) .. OPTIONS .. data)
		end
	end
end

add_file("png", "png", png(9, 7))
add_file("hgt", "hgt", heights(5))
add_file("raw", "r16", heights(6))

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

add_file("schem", "schem", sponge())
add_file("schematic", "schematic", numbered())
add_file("mts", "mts", luanti())

-- ---- what the module itself writes ----------------------------------------------------------------------------------

local function ground(world)
	world.terrain:fill_box { position = { 0, -2, 0 }, size = { 16, 4, 16 }, material = "rock" }
end

local scratch = os.tmpname()

local small = scree.world {}
small.terrain:fill_ball { center = { 0, 0, 0 }, radius = 1.2, material = "ice" }
for _, ending in ipairs { "vox", "obj", "stl", "ply", "glb" } do
	local path = scratch .. "." .. ending
	assert(small.terrain:export(path))
	add_file(ending, ending, read(path))
	os.remove(path)
end
os.remove(scratch .. ".mtl")

-- ---- what it reads, and does not write ------------------------------------------------------------------------------

add_file("ply-text", "ply", [[
ply
format ascii 1.0
element vertex 4
property float x
property double y
property int z
element face 4
property list uchar int vertex_indices
end_header
0 0 0
1 0 0
0 1 0
0 0 1
3 0 2 1
3 0 1 3
3 1 2 3
3 2 0 3
]])
add_file("stl-text", "stl", [[
solid a
facet normal 0 0 -1
outer loop
vertex 0 0 0
vertex 0 2e0 0
vertex 2 0 0
endloop
endfacet
facet normal 0 -1 0
outer loop
vertex 0 0 0
vertex 2 0 0
vertex 0 0 +2.5
endloop
endfacet
endsolid a
]])
add_file("obj-text", "obj", [[
mtllib a.mtl
o a
v 0 0 0 1
v 2 0 0
v 2 2 0
v 0 2 0
v 1 1 -1.5e0
vt 0 0
vn 0 0 1
f 1/1/1 2//1 3/1 4
f -1 -5 -4
l 1 2
]])
-- a strip of two triangles behind a node that is turned; data:application/octet-stream;base64
add_file("gltf", "gltf", [[
{"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],
"nodes":[{"children":[1],"translation":[1,2,3],"rotation":[0,1,0,0],"scale":[2,1,1]},
{"mesh":0,"matrix":[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1]}],
"meshes":[{"primitives":[{"attributes":{"POSITION":0},"indices":1,"mode":5}]}],
"accessors":[{"bufferView":0,"componentType":5126,"count":4,"type":"VEC3"},
{"bufferView":1,"componentType":5123,"count":4,"type":"SCALAR"}],
"bufferViews":[{"buffer":0,"byteLength":48},{"buffer":0,"byteOffset":48,"byteLength":8}],
"buffers":[{"byteLength":56,"uri":"data:application/octet-stream;base64,]] ..
	"AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAAAAAAAAAAAAAAAIA/AAABAAIAAwA=" .. [["}]}
]])

-- A scene of .vox: two models, one turned, under a group and in a hidden layer.
local function vox_scene()
	local function little(value)
		return string.char(value % 256, math.floor(value / 256) % 256, 0, 0)
	end
	local function chunk(id, data, children)
		return id .. little(#data) .. little(#(children or "")) .. data .. (children or "")
	end
	local function dict(fields)
		local out = { little(#fields / 2) }
		for _, text in ipairs(fields) do
			out[#out + 1] = little(#text) .. text
		end
		return table.concat(out)
	end
	local none = dict {}
	local minus = "\255\255\255\255"
	local function transform(id, child, layer, frame)
		return chunk("nTRN", little(id) .. none .. little(child) .. minus .. layer .. little(1) .. dict(frame))
	end
	return "VOX " .. little(150) .. chunk("MAIN", "", table.concat {
		chunk("SIZE", little(2) .. little(3) .. little(4)), chunk("XYZI", little(2) .. "\0\1\2\9" .. "\1\2\3\200"),
		chunk("SIZE", little(1) .. little(1) .. little(5)), chunk("XYZI", little(1) .. "\0\0\4\1"),
		transform(0, 1, minus, {}), chunk("nGRP", little(1) .. none .. little(2) .. little(2) .. little(4)),
		transform(2, 3, little(0), { "_t", "5 -3 2", "_r", "17" }),
		chunk("nSHP", little(3) .. none .. little(1) .. little(0) .. none),
		transform(4, 5, little(1), { "_t", "-7 0 1" }),
		chunk("nSHP", little(5) .. none .. little(1) .. little(1) .. none),
		chunk("LAYR", little(0) .. dict { "_name", "a" } .. minus),
		chunk("LAYR", little(1) .. dict { "_hidden", "1" } .. minus),
		chunk("RGBA", ("\10\20\30\255"):rep(256)),
	})
end
add_file("vox-scene", "vox", vox_scene())

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

-- Pieces, anchors and an edit that was not looked at yet, over the same ground.
local broken = scree.world {}
ground(broken)
broken.terrain:anchor({ -8, -4, -8 }, { 7, -4, 7 })
broken.terrain.small_pieces = { cells = 4, fate = "debris" }
for i = 0, 2 do
	broken.terrain:set(4 * i, 6, 0, "ice", 0.4 + 0.2 * i)
	broken.terrain:set(4 * i, 7, 0, "wood", 0.9)
end
broken.terrain:detach_all()
broken:step(1 / 60, 5)
broken.terrain.detach = true
write("saved/snapshot-pieces", "\2" .. broken:snapshot())
broken.terrain:set(0, 6, 5, "rock")
assert(broken:save(scratch))
write("saved/world-pieces", "\1" .. read(scratch))
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
