-- Terrain into files and back.

local ffi = require "ffi"
local lu = require "luaunit"
local files = require "files"
local scree = require "scree"
local support = require "support"

local fails = support.fails

local function surface_size(mesh)
	local p, volume, area = mesh.positions, 0, 0
	local function at(i)
		return scree.vec3(p[3 * i], p[3 * i + 1], p[3 * i + 2])
	end
	for t = 0, mesh.triangle_count - 1 do
		local a, b, c = at(mesh.indices[3 * t]), at(mesh.indices[3 * t + 1]), at(mesh.indices[3 * t + 2])
		local n = (b - a):cross(c - a)
		volume, area = volume + a:dot(n) / 6, area + n:length() / 2
	end
	return volume, area
end

local function scene(cell_size)
	local world = scree.world { cell_size = cell_size }
	local t = world.terrain
	t:fill_box { position = { 3, -2, 5 }, size = { 20, 4, 14 }, material = "rock" }
	t:fill_ball { center = { 5, 1, 5 }, radius = 3, material = "sand" }
	t:fill_ball { center = { 0, 0, 0 }, radius = 2, material = "air" }
	t:fill_box { position = { -4, 2, 5 }, size = { 2, 4, 2 }, material = "brick" }
	t:fill_box { position = { 0, -1, 0 }, size = { 3, 1, 3 }, material = "water" }
	return world
end

local TestExport = {}

-- What was written is read back by import: its triangles, its volume, its bounds.
function TestExport.testMeshesComeBack()
	for _, ending in ipairs { ".obj", ".stl", ".ply", ".glb" } do
		for _, cell_size in ipairs { 1, 0.25 } do
			local world = scene(cell_size)
			local mesh = world.terrain:mesh()
			local volume = surface_size(mesh)
			files.with(ending, function(path)
				local info = assert(world.terrain:export(path))
				lu.assertEquals(info.triangle_count, mesh.triangle_count)
				lu.assertEquals(info.vertex_count, mesh.vertex_count)
				local bytes = #files.read(path)
				if ending == ".obj" then
					local colors = files.read((path:gsub("%.obj$", ".mtl")))
					lu.assertStrContains(colors, "newmtl rock")
					lu.assertStrContains(colors, "newmtl sand")
					lu.assertNil(colors:find("water", 1, true))
					bytes = bytes + #colors
				end
				lu.assertEquals(info.bytes, bytes)
				local other = scree.world { cell_size = cell_size }
				local back = assert(other.terrain:import(path, { material = "basalt" }))
				lu.assertEquals(back.triangles, mesh.triangle_count)
				lu.assertTrue(back.closed, ending)
				lu.assertEquals(back.open_edges, 0)
				lu.assertAlmostEquals(back.volume, volume, 1e-5 * volume)
				support.is_vec3(back.min, -7, -4, -2, 1e-6)
				-- and the cells are those of before, to within what filling costs at edges
				local matter = other.terrain:matter(other.terrain.bounds.min, other.terrain.bounds.max).basalt
				lu.assertAlmostEquals(matter * cell_size ^ 3, volume, 0.05 * volume)
				lu.assertAlmostEquals(surface_size(other.terrain:mesh()), volume, 0.03 * volume)
			end, ".mtl")
		end
	end
end

function TestExport.testBoxes()
	local t = scene(1).terrain
	files.with(".ply", function(path)
		local mesh = t:mesh({ 0, -4, 0 }, { 5, 5, 9 })
		local info = assert(t:export(path, { 0, -4, 0 }, { 5, 5, 9 }))
		lu.assertEquals(info.triangle_count, mesh.triangle_count)
		lu.assertTrue(info.triangle_count < t:mesh().triangle_count)
	end)
end

local function cells_of(t)
	local lo, hi = t.bounds.min, t.bounds.max
	local region, list = t:read(lo, hi), {}
	for i = 0, ffi.sizeof(region.material) - 1 do
		list[i + 1] = ("%d %d"):format(region.material[i], region.occupancy[i])
	end
	return tostring(lo) .. tostring(hi) .. table.concat(list, ",")
end

-- A model of cubes comes back as it went, to the cell and the colour.
function TestExport.testVox()
	local world, again, third = scree.world {}, scree.world {}, scree.world {}
	local t = world.terrain
	for i = 0, 400 do
		t:set(i * 7 % 23 - 300 + i, i * 5 % 19, i * 11 % 29 - 4, i % 3 == 0 and "brick" or i % 3 == 1 and "ice" or "metal")
	end
	files.with(".vox", function(path)
		local info = assert(t:export(path))
		lu.assertEquals(info.models, 2) -- 424 cells along x
		local back = assert(again.terrain:import(path))
		lu.assertEquals(back.cells, info.cells)
		for i = 0, 400 do
			local x, y, z = i * 7 % 23 - 300 + i, i * 5 % 19, i * 11 % 29 - 4
			local name = t:get(x, y, z)
			lu.assertEquals(again.terrain:get(x, y, z), ("vox_%06x"):format(world.materials[name].color))
		end
		local first = cells_of(again.terrain)
		assert(again.terrain:export(path))
		assert(third.terrain:import(path))
		lu.assertEquals(cells_of(third.terrain), first)
	end)
end

function TestExport.testRefused()
	local t = scene(1).terrain
	for _, path in ipairs { "no such folder/x.obj", "no such folder/x.vox", "x.foo", "x", "/dev/full.d/x.stl" } do
		local info, message = t:export(path)
		lu.assertNil(info)
		lu.assertStrContains(message, "export: ")
		lu.assertStrContains(message, path:match "[^/]*%." or path)
	end
	local empty = scree.world({}).terrain
	for _, ending in ipairs { ".obj", ".stl", ".ply", ".glb", ".vox" } do
		files.holding(ending, "old", function(path)
			local info, message = empty:export(path)
			lu.assertNil(info)
			lu.assertStrContains(message, "to write")
			lu.assertEquals(files.read(path), "old")
		end)
	end
	fails(function() t:export() end, "export: path", "nil")
	fails(function() t:export "a\0b.obj" end, "export: path")
	fails(function() t:export("x.obj", { 0, 0, 0 }) end, "export: max")
	fails(function() t:export("x.obj", { 0, 0, 0 }, { 0, -1, 0 }) end, "export: max[2]")
end

return { TestExport = TestExport }
