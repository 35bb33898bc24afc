-- The examples as modules, with few things in them.

local lu = require "luaunit"
local support = require "support"

local folder = debug.getinfo(1, "S").source:match "^@(.*)[/\\]" or "."
package.path = folder .. "/../../?.lua;" .. package.path

local fish_pond = require "examples.fish_pond"
local landslide = require "examples.landslide"
local picture = require "examples.picture"
local png = require "examples.png"

local TestFishPond = {}

-- Three ways to ask, one answer; and fish that keep off the ground by it.
function TestFishPond.testAllSayTheSame()
	local result = fish_pond.run { frames = 40 }
	lu.assertEquals({ result.triangles, result.rays, result.different }, { 12000, 800, 0 })
	lu.assertTrue(result.hits > 20 and result.hits < 700, result.hits)
	lu.assertTrue(result.clearance > 0.3, result.clearance)
	lu.assertTrue(result.bytes < 20 * result.triangles)
	for _, fish in ipairs(result.fish) do
		lu.assertTrue(fish.swum > 1)
	end
end

local TestLandslide = {}

function TestLandslide.testComesToRest()
	local world = landslide.build { count = 60 }
	lu.assertEquals(world.stats.assemblies, 60)
	lu.assertNotNil(world:settle(120))
	local below, lost = landslide.misplaced(world)
	lu.assertEquals({ below, lost }, { 0, 0 })
end

function TestLandslide.testMissingFile()
	local world, message = landslide.build { path = "no-such-file.png", count = 1 }
	lu.assertNil(world)
	lu.assertStrContains(message, "no-such-file.png")
end

-- Real ground of every kind: a map, a tile of the earth, a model of several parts.
local function comes_to_rest_on(name, count)
	local path = support.corpus(name)
	local world = assert(landslide.build { path = path, count = count })
	lu.assertNotNil(world:settle(120), name)
	local below, lost = landslide.misplaced(world)
	lu.assertEquals({ world.stats.assemblies, below, lost }, { count, 0, 0 }, name)
	world:destroy()
end

function TestLandslide.testOnRealHeights()
	comes_to_rest_on("height/S36E149_257.png", 100)
	comes_to_rest_on("height/N44W072.hgt", 50)
end

function TestLandslide.testOnRealModels()
	for _, name in ipairs { "alien_bot1", "hierarchy", "veh_tank1", "test_multiple_model_scene" } do
		comes_to_rest_on("vox/" .. name .. ".vox", 60)
	end
end

function TestLandslide.testOtherFilesAreRefused()
	local world, message = landslide.build { path = support.corpus "vox/not_a.vox", count = 1 }
	lu.assertNil(world)
	lu.assertStrContains(message, "not_a.vox")
end

local TestPicture = {}

-- A floor, a red box in the middle of it, sky above; seen along -z.
local function draw(options)
	local world = support.world_with_floor()
	world.materials.paint = { density = 1000, color = 0xFF0000 }
	world.terrain:fill_box { position = { 0, 1, 0 }, size = { 2, 2, 2 }, material = "paint" }
	support.box(world, { position = { 5, 0.5, 0 } })
	local settings = { eye = { 0, 3, 14 }, target = { 0, 1, 0 }, width = 32, height = 24, samples = 1, grain = 0 }
	for key, value in pairs(options or {}) do
		settings[key] = value
	end
	return picture.draw(world, settings)
end

local function pixel(rgb, width, x, y)
	local p = rgb + 3 * (y * width + x)
	return p[0], p[1], p[2]
end

function TestPicture.testColorsAreWhereTheyBelong()
	local rgb, width, height = draw()
	lu.assertEquals({ width, height }, { 32, 24 })
	local r, g, b = pixel(rgb, width, 16, 0) -- sky
	lu.assertTrue(b > r and b > g)
	r, g, b = pixel(rgb, width, 16, 12) -- the box
	lu.assertTrue(r > 2 * g and r > 2 * b)
	r, g, b = pixel(rgb, width, 16, 22) -- the floor
	lu.assertTrue(math.max(r, g, b) - math.min(r, g, b) < 60)
end

function TestPicture.testTheSunCastsShadows()
	-- The sun stands low on the left: right of the box the floor is darker than left of it.
	local rgb, width = draw { sun = { -1, 0.5, 0 }, samples = 4, width = 64, height = 48 }
	local lit, dark = pixel(rgb, width, 21, 28), pixel(rgb, width, 43, 28)
	lu.assertTrue(lit > dark + 30, ("lit %d, dark %d"):format(lit, dark))
end

function TestPicture.testSameBytesEachTime()
	local a, b = draw(), draw()
	for i = 0, 3 * 32 * 24 - 1 do
		lu.assertEquals(a[i], b[i])
	end
end

local TestPng = {}

function TestPng.testCheckSums()
	lu.assertEquals(png.crc32 "123456789", -873187034) -- 0xCBF43926
end

-- What the file's own reader would do with it.
local function chunks_of(file)
	lu.assertEquals(file:sub(1, 8), "\137PNG\r\n\26\n")
	local function number(at)
		local a, b, c, d = file:byte(at, at + 3)
		return ((a * 256 + b) * 256 + c) * 256 + d
	end
	local chunks, at = {}, 9
	while at <= #file do
		local size, kind = number(at), file:sub(at + 4, at + 7)
		chunks[#chunks + 1] = { kind = kind, data = file:sub(at + 8, at + 7 + size) }
		lu.assertEquals(number(at + 8 + size), png.crc32(file:sub(at + 4, at + 7 + size)) % 2 ^ 32)
		at = at + 12 + size
	end
	return chunks
end

function TestPng.testFileHoldsTheBytes()
	local ffi = require "ffi"
	local width, height = 160, 150 -- more than one stored block
	local rgb = ffi.new("uint8_t[?]", 3 * width * height)
	for i = 0, 3 * width * height - 1 do
		rgb[i] = i * 7 % 251
	end
	local chunks = chunks_of(png.encode(width, height, rgb))
	lu.assertEquals(#chunks, 3)
	lu.assertEquals({ chunks[1].kind, chunks[2].kind, chunks[3].kind }, { "IHDR", "IDAT", "IEND" })
	lu.assertEquals(chunks[1].data, "\0\0\0\160\0\0\0\150\8\2\0\0\0")
	local stream, rows, at, last = chunks[2].data, {}, 3, 0
	while last == 0 do
		local low, high
		last, low, high = stream:byte(at, at + 2)
		rows[#rows + 1] = stream:sub(at + 5, at + 4 + low + 256 * high)
		at = at + 5 + low + 256 * high
	end
	lu.assertEquals(at + 4, #stream + 1)
	local text = table.concat(rows)
	lu.assertEquals(#text, height * (3 * width + 1))
	for y = 0, height - 1 do
		local begin = y * (3 * width + 1) + 1
		lu.assertEquals(text:byte(begin), 0)
		lu.assertEquals(text:sub(begin + 1, begin + 3 * width), ffi.string(rgb + 3 * width * y, 3 * width))
	end
end

function TestPng.testUnwritablePath()
	local ok, message = png.write("no-such-folder/shot.png", 1, 1, require("ffi").new "uint8_t[3]")
	lu.assertNil(ok)
	lu.assertStrContains(message, "no-such-folder")
end

return { TestFishPond = TestFishPond, TestLandslide = TestLandslide, TestPicture = TestPicture, TestPng = TestPng }
