-- Regions: copies of boxes, masks, turning and mirroring; across chunk borders and at negative coordinates.

local lu = require "luaunit"
local ffi = require "ffi"
local scree = require "scree"
local support = require "support"

local TestRegions = {}

-- A cell that tells its own place.
local function cell_of(x, y, z)
	local n = (x * 31 + y * 17 + z * 7) % 97
	return n % 3 == 0 and "air" or n % 3 == 1 and "rock" or "sand", (1 + n) / 256, n % 5 / 255
end

local function filled(world, nx, ny, nz, at)
	local region = world.terrain:copy(at, { at[1] + nx - 1, at[2] + ny - 1, at[3] + nz - 1 })
	for y = 0, ny - 1 do
		for z = 0, nz - 1 do
			for x = 0, nx - 1 do
				region:set(x, y, z, cell_of(x, y, z))
			end
		end
	end
	return region
end

local function show(...)
	return ("%s %.6f %.6f"):format(...)
end

local function wanted(x, y, z)
	local material, occupancy, water = cell_of(x, y, z)
	return show(material, material == "air" and 0 or occupancy, water)
end

function TestRegions.testWriteAcrossBorders()
	for _, at in ipairs { { -37, -2, -33 }, { 30, 31, -1 }, { -1, -65, 62 }, { 0, 0, 0 } } do
		local world = scree.world {}
		local region = filled(world, 9, 5, 7, at)
		world.terrain:write(at, region)
		for y = 0, 4 do
			for z = 0, 6 do
				for x = 0, 8 do
					lu.assertEquals(show(world.terrain:get(at[1] + x, at[2] + y, at[3] + z)), wanted(x, y, z))
					lu.assertEquals(show(region:get(x, y, z)), wanted(x, y, z))
				end
			end
		end
		lu.assertEquals(world.terrain:copy(at, { at[1] + 8, at[2] + 4, at[3] + 6 }).size, region.size)
	end
end

function TestRegions.testMasks()
	local at = { -4, -3, -35 }
	local world = scree.world {}
	local t = world.terrain
	t:fill_box { position = { 0, 0, -32 }, size = { 40, 40, 40 }, material = "brick" }
	local region = filled(world, 9, 5, 7, at)
	local buffer, mask = ffi.new("uint8_t[?]", 9 * 5 * 7), t:copy({ 100, 0, 0 }, { 108, 4, 6 })
	for y = 0, 4 do
		for z = 0, 6 do
			for x = 0, 8 do
				if (x + y + z) % 2 == 0 then
					buffer[x + 9 * (z + 7 * y)] = 7
					mask:set(x, y, z, "sand", 0.1)
				end
			end
		end
	end
	t:begin_undo()
	for _, m in ipairs { buffer, mask } do
		local edit = t:write(at, region, m)
		lu.assertTrue(edit.removed.brick > 50)
		for y = 0, 4 do
			for z = 0, 6 do
				for x = 0, 8 do
					local want = (x + y + z) % 2 == 0 and wanted(x, y, z) or show("brick", 1, 0)
					lu.assertEquals(show(t:get(at[1] + x, at[2] + y, at[3] + z)), want)
				end
			end
		end
		t:undo()
	end
	t:write(at, region, region) -- itself: its air does not dig
	lu.assertEquals(t:get(at[1], at[2], at[3]), "brick")
	lu.assertEquals(t:get(at[1] + 1, at[2], at[3]), (cell_of(1, 0, 0)))
	local small = t:copy({ 0, 0, 0 }, { 1, 1, 1 })
	support.fails(function() t:write(at, region, small) end, "write: mask", "vec3(9, 5, 7)", "vec3(2, 2, 2)")
	support.fails(function() t:write(at, region, "x") end, "write: mask", "region")
	support.fails(function() t:write(at, region, ffi.new("uint8_t[?]", 10)) end, "write: mask", "315 bytes")
	local foreign = scree.world({}).terrain:copy({ 0, 0, 0 }, { 8, 4, 6 })
	support.fails(function() t:write(at, region, foreign) end, "write: mask", "another world")
end

function TestRegions.testTurning()
	local world = scree.world {}
	local region = filled(world, 4, 3, 2, { 0, 0, 0 })
	local turned = region:rotated()
	lu.assertEquals(turned.size, scree.vec3(2, 3, 4))
	for y = 0, 2 do
		for z = 0, 1 do
			for x = 0, 3 do
				-- x' = z, z' = -x about the middle: a quarter turn about y that takes +z to +x
				lu.assertEquals(show(turned:get(z, y, 3 - x)), wanted(x, y, z))
				lu.assertEquals(show(region:rotated(2):get(3 - x, y, 1 - z)), wanted(x, y, z))
				lu.assertEquals(show(region:rotated(-1):get(1 - z, y, x)), wanted(x, y, z))
				lu.assertEquals(show(region:mirrored("x"):get(3 - x, y, z)), wanted(x, y, z))
				lu.assertEquals(show(region:mirrored("y"):get(x, 2 - y, z)), wanted(x, y, z))
				lu.assertEquals(show(region:mirrored("z"):get(x, y, 1 - z)), wanted(x, y, z))
			end
		end
	end
	for _, back in ipairs { region:rotated(3):rotated(), region:rotated(4), region:rotated(-7):rotated(7) } do
		for _, channel in ipairs { "material", "occupancy", "water" } do
			lu.assertEquals(ffi.string(back[channel], 24), ffi.string(region[channel], 24))
		end
	end
	support.fails(function() region:rotated(0.5) end, "region:rotated: turns", "0.5")
	support.fails(function() region:mirrored "w" end, "region:mirrored: axis", '"w"')
	support.fails(function() region:mirrored() end, "region:mirrored: axis")
	support.fails(function() region.mirrored() end, "colon on a region")
end

function TestRegions.testGenerateWithoutAWidth()
	local world = scree.world {}
	local function height() return 0 end
	support.fails(function()
		world.terrain:generate { min = { 0, 5 }, max = { 9, -5 }, height = height }
	end, "generate: max[2] must be above min[2] (5), got -5")
	support.fails(function()
		world.terrain:generate { min = { 0, 0 }, max = { 0.6, 9 }, height = height }
	end, "generate: max[1]", "got 0.6: 1")
end

return { TestRegions = TestRegions }
