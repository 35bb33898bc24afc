-- Static meshes of triangles: what spawn takes, and queries beside the box of the same size.

local ffi = require "ffi"
local lu = require "luaunit"
local scree = require "scree"
local support = require "support"
local scenery = require "scenery"

local fails = support.fails
local spawn_mesh, spawn_floor, box_of = scenery.spawn_mesh, scenery.spawn_floor, scenery.box_of
local near, at_most, at_least = scenery.near, scenery.at_most, scenery.at_least
local vec3 = scree.vec3

-- ---- samples -------------------------------------------------------------------------------------------------------

local function flat(list)
	local out = {}
	for _, triple in ipairs(list) do
		for i = 1, 3 do
			out[#out + 1] = triple[i]
		end
	end
	return out
end

-- ---- what spawn takes ----------------------------------------------------------------------------------------------

local TestMeshShape = {}

function TestMeshShape.testInfo()
	local world = scree.world {}
	local vertices, indices = box_of(vec3(-1, -2, -3), vec3(1, 2, 3), 4)
	local mesh = spawn_mesh(world, vertices, indices)
	lu.assertEquals(mesh.motion, "static")
	local part = mesh.parts[1]
	lu.assertEquals({ part.shape, part.material, #mesh.parts }, { "mesh", "rock", 1 })
	local info = part.mesh
	lu.assertEquals({ info.triangles, info.vertices, info.dropped, info.open_edges }, { 192, 98, 0, 0 })
	lu.assertTrue(info.closed)
	near(info.volume, 48, 1e-4, "volume")
	support.is_vec3(info.min, -1, -2, -3)
	support.is_vec3(info.max, 1, 2, 3)
	at_most(info.bytes_per_triangle, 25, "bytes a triangle")
	lu.assertEquals(info.bytes, info.bytes_per_triangle * info.triangles)
	lu.assertNil(world:spawn({ shape = "ball", radius = 1 }).parts[1].mesh)
end

-- Lists of triples, numbers in a row, arrays, and what terrain:mesh() gives: all the same mesh.
function TestMeshShape.testWaysToGiveIt()
	local vertices, indices = box_of(vec3(-1, -1, -1), vec3(1, 1, 1), 2)
	local v, i = flat(vertices), flat(indices)
	local zero = {}
	for k, index in ipairs(i) do
		zero[k] = index - 1
	end
	local points, corners = ffi.new("double[?]", #v, v), ffi.new("uint32_t[?]", #i, zero)
	local hashes = {}
	for k, way in ipairs { { vertices, indices }, { v, i }, { vertices, zero }, { points, corners }, { v, corners } } do
		local world = scree.world {}
		spawn_mesh(world, way[1], way[2])
		hashes[k] = world:hash()
		lu.assertEquals(hashes[k], hashes[1])
	end
	local world = scree.world {}
	spawn_mesh(world, vertices, indices, { scale = 2 })
	lu.assertNotEquals(world:hash(), hashes[1])

	world.terrain:fill_ball { center = { 0, 0, 0 }, radius = 5, material = "rock" }
	local surface = world.terrain:mesh()
	local copy = spawn_mesh(world, surface.positions, surface.indices, { position = { 100, 0, 0 } })
	lu.assertEquals(copy.parts[1].mesh.triangles, surface.triangle_count)
	lu.assertTrue(copy.parts[1].mesh.closed)
	local here, there = world:raycast({ 0.3, 9, 0.2 }, { 0, -9, 0 }), world:raycast({ 100.3, 9, 0.2 }, { 100, -9, 0 })
	near(here.distance, there.distance, 1e-5, "the copy's surface")
end

function TestMeshShape.testPlacement()
	local world = scree.world {}
	local vertices, indices = box_of(vec3(0, 0, 0), vec3(1, 1, 1), 1)
	local mesh = world:spawn {
		position = { 10, 0, 0 },
		parts = {
			{ shape = "mesh", vertices = vertices, indices = indices, scale = { 2, 4, 6 }, position = { 0, 1, 0 },
				rotation = scree.axis_angle({ 0, 1, 0 }, math.pi / 2), material = "ice" },
			{ shape = "box", size = { 1, 1, 1 }, position = { 0, -5, 0 } },
		},
	}
	lu.assertEquals(mesh.motion, "static")
	local lo, hi = mesh:bounds()
	support.is_vec3(lo, 9.5, -5.5, -2, 1e-4)
	support.is_vec3(hi, 16, 5, 0.5, 1e-4)
	local hit = world:raycast({ 13, 9, -1 }, { 13, 0, -1 })
	support.is_vec3(hit.position, 13, 5, -1, 1e-5)
	lu.assertEquals({ hit.part, hit.material, hit.assembly }, { 1, "ice", mesh })
end

function TestMeshShape.testMistakes()
	local world = scree.world {}
	local v, i = { { 0, 0, 0 }, { 0, 0, 1 }, { 1, 0, 0 } }, { 1, 2, 3 }
	local before = world:hash()
	local triangle = { shape = "mesh", vertices = v, indices = i }
	local function changed(key, value)
		local options = { [key] = value }
		for name, own in pairs(triangle) do
			options[name] = own
		end
		return options
	end
	local cases = {
		{ function() world:spawn { shape = "mesh" } end, "spawn: path is missing" },
		{ function() world:spawn { shape = "mesh", vertices = v } end, "spawn: indices is missing" },
		{ function() world:spawn { shape = "mesh", indices = i } end, "spawn: vertices is missing" },
		{ function() world:spawn { shape = "mesh", path = "x.obj", indices = i } end, "path and indices exclude" },
		{ function() spawn_mesh(world, {}, i) end, "spawn: vertices must be a list" },
		{ function() spawn_mesh(world, v, {}) end, "spawn: indices must be a list" },
		{ function() spawn_mesh(world, { { 0, 0, 0 }, { 0, 1 }, { 1, 0, 0 } }, i) end, "spawn: vertices[2]" },
		{ function() spawn_mesh(world, { { 0, 0, 0 }, { 0, 0, 0 / 0 }, { 1, 0, 0 } }, i) end, "spawn: vertices[2][3]" },
		{ function() spawn_mesh(world, { { 0, 0, 0 }, { 0, 0, 1 }, { 1e6, 0, 0 } }, i) end, "points[3][1]" },
		{ function() spawn_mesh(world, { 0, 0, 0, 1, 1, 1, 0, 2 }, i) end, "spawn: vertices must be a list of 9" },
		{ function() spawn_mesh(world, { 0, 0, 0, 1, 1, 1, 0, 2, 1, 5 }, i) end, "spawn: vertices must hold" },
		{ function() spawn_mesh(world, v, { 1, 2, 4 }) end, "spawn: indices[3] must be a whole number from 0 to 3" },
		{ function() spawn_mesh(world, v, { 0, 2, 3 }) end, "there is no vertex 3" },
		{ function() spawn_mesh(world, v, { 1, 2, 2.5 }) end, "spawn: indices[3]" },
		{ function() spawn_mesh(world, v, { { 1, 2 } }) end, "spawn: indices[1]" },
		{ function() spawn_mesh(world, v, { { 1, 2, -1 } }) end, "spawn: indices[1][3]" },
		{ function() spawn_mesh(world, v, { 1, 2, 3, 1 }) end, "spawn: indices must hold" },
		{ function() spawn_mesh(world, v, { 1, 1, 2 }) end, "none of the 1 triangles has an area" },
		{ function() spawn_mesh(world, v, ffi.new("int16_t[3]", 0, 1, 2)) end, "spawn: indices must be" },
		{ function() spawn_mesh(world, v, ffi.new("uint32_t[3]", 0, 1, 3)) end, "triangle 1 names vertex 4 of 3" },
		{ function() spawn_mesh(world, ffi.new("double[8]"), i) end, "spawn: vertices must hold" },
		{ function() world:spawn(changed("scale", 0)) end, "spawn: scale" },
		{ function() world:spawn(changed("scale", { 1, -1, 1 })) end, "spawn: scale[2]" },
		{ function() world:spawn(changed("radius", 1)) end, "radius does not belong to a mesh" },
		{ function() world:spawn(changed("motion", "dynamic")) end, "spawn: a mesh must be static" },
		{ function() world:spawn(changed("velocity", { 1, 0, 0 })) end, "spawn: velocity" },
		{ function() world:spawn { shape = "ball", radius = 1, path = "x" } end, "path does not belong to a ball" },
		{ function() world:overlap({ shape = "mesh", path = "x" }, { 0, 0, 0 }) end, "cannot be asked with" },
		{ function() world:cast({ shape = "mesh" }, { 0, 0, 0 }, { 1, 0, 0 }) end, "cannot be asked with" },
	}
	for _, case in ipairs(cases) do
		fails(case[1], case[2])
	end
	lu.assertEquals(world:hash(), before)
	local mesh = spawn_mesh(world, v, i)
	fails(function() mesh.motion = "dynamic" end, "motion must be static")
	fails(function() mesh.motion = "kinematic" end, "motion must be static")
	mesh.motion = "static"
	fails(function() mesh.parts[1].mesh.triangles = 3 end, "cannot be written")
end

function TestMeshShape.testFiles()
	local world = scree.world {}
	local before = world:hash()
	local name = os.tmpname()
	os.remove(name)
	local function write(ending, text)
		local file = assert(io.open(name .. ending, "wb"))
		file:write(text)
		file:close()
		return name .. ending
	end
	local nothing, message = world:spawn { shape = "mesh", path = name .. ".obj" }
	lu.assertNil(nothing)
	lu.assertStrContains(message, name .. ".obj")
	local cases = {
		{ ".obj", "v 0 0 0\nv 0 0 1\n", "there is no triangle" },
		{ ".obj", "v 0 0 0\nv 0 0 1\nv 0 0 2\nf 1 2 3\n", "has an area" },
		{ ".obj", "v 0 0 0\nv 0 0 1\nv 1e6 0 0\nf 1 2 3\n", "1e+06" },
		{ ".txt", "v 0 0 0", "unknown kind" },
		{ ".glb", "glTF", "" },
	}
	for _, case in ipairs(cases) do
		local path = write(case[1], case[2])
		nothing, message = world:spawn { shape = "mesh", path = path }
		lu.assertNil(nothing)
		lu.assertStrContains(message, path)
		lu.assertStrContains(message, case[3])
		os.remove(path)
	end
	lu.assertEquals(world:hash(), before)
	local path = write(".obj", "v 0 0 0\nv 0 0 1\nv 1 0 0\nf 1 2 3\nf 1 1 2\nl 1\nf 1 2 99\n")
	local mesh = assert(world:spawn { shape = "mesh", path = path, scale = 10 })
	os.remove(path)
	lu.assertEquals({ mesh.parts[1].mesh.triangles, mesh.parts[1].mesh.dropped }, { 1, 1 })
	near(world:raycast({ 2, 1, 2 }, { 2, -1, 2 }).distance, 1, 1e-9, "ray")
end

-- A world gives all back; a mesh's own memory goes with its assembly.
function TestMeshShape.testMemory()
	local world = scree.world {}
	local vertices, indices = scenery.squares(60, 60, 1, 0, 0, nil, 3)
	spawn_mesh(world, vertices, indices):destroy()
	local bytes = world.stats.bytes
	for _ = 1, 5 do
		local mesh = spawn_mesh(world, vertices, indices)
		at_least(world.stats.bytes - bytes, mesh.parts[1].mesh.bytes, "held")
		mesh:destroy()
		lu.assertEquals(world.stats.bytes, bytes)
	end
	spawn_mesh(world, vertices, indices)
	world:destroy()
end

-- ---- queries -------------------------------------------------------------------------------------------------------

local TestMeshQueries = {}

-- The same box as a mesh and as a box: rays, casts and overlaps say the same.
function TestMeshQueries.testAsTheBox()
	local random = scenery.generator(7)
	local lo, hi = vec3(-1, -2, -1.5), vec3(1, 2, 1.5)
	local rotation = scree.euler(0.3, 0.7, -0.2)
	local position = { 3, 1, -2 }
	local meshes, boxes = scree.world {}, scree.world {}
	local vertices, indices = box_of(lo, hi, 7)
	local mesh = spawn_mesh(meshes, vertices, indices, { position = position, rotation = rotation })
	boxes:spawn { shape = "box", size = hi - lo, position = position, rotation = rotation, motion = "static" }
	local probe = { shape = "capsule", radius = 0.3, length = 0.8, rotation = scree.euler(1, 0, 0.4) }
	local hits, insides = 0, 0
	for i = 1, 600 do
		local from = vec3(random() * 10 - 2, random() * 8 - 3, random() * 8 - 6)
		local to = vec3(random() * 10 - 2, random() * 8 - 3, random() * 8 - 6)
		local options = { inside = i % 3 ~= 0 }
		local a, b = meshes:raycast(from, to, options), boxes:raycast(from, to, options)
		local c, d = meshes:cast(probe, from, to, options), boxes:cast(probe, from, to, options)
		lu.assertEquals(a ~= nil, b ~= nil)
		if a then
			hits, insides = hits + 1, insides + (a.inside and 1 or 0)
			lu.assertEquals({ a.inside, a.assembly }, { b.inside, mesh })
			near(a.distance, b.distance, 1e-4, "ray")
			at_most((a.normal - b.normal):length(), 1e-4, "normal")
		end
		lu.assertEquals(#meshes:raycast_all(from, to, options), #boxes:raycast_all(from, to, options))
		local through = not options.inside and #meshes:overlap(probe, from) > 0 -- may go out and meet nothing
		if not through then
			lu.assertEquals(c ~= nil, d ~= nil)
			if c then
				lu.assertEquals(c.inside, d.inside)
				near(c.distance, d.distance, 2e-3, "cast")
			end
		end
		lu.assertEquals(#meshes:overlap(probe, from), #boxes:overlap(probe, from))
	end
	at_least(hits, 100, "hits")
	at_least(insides, 10, "from inside")
end

-- Two boxes in one mesh: every entry, nearest first; from within the first, it and then the other.
function TestMeshQueries.testAll()
	local world = scree.world {}
	local vertices, indices = box_of(vec3(0, 0, 0), vec3(1, 1, 1), 3)
	local more, corners = box_of(vec3(3, 0, 0), vec3(4, 1, 1), 3)
	local base = #vertices
	for _, v in ipairs(more) do
		vertices[#vertices + 1] = v
	end
	for _, t in ipairs(corners) do
		indices[#indices + 1] = { t[1] + base, t[2] + base, t[3] + base }
	end
	local mesh = spawn_mesh(world, vertices, indices)
	local function distances(from, to, options)
		local list = {}
		for i, hit in ipairs(world:raycast_all(from, to, options)) do
			lu.assertEquals(hit.assembly, mesh)
			list[i] = math.floor(hit.distance * 1000 + 0.5) / 1000 .. (hit.inside and " inside" or "")
		end
		return table.concat(list, ", ")
	end
	lu.assertEquals(distances({ -2, 0.4, 0.3 }, { 9, 0.4, 0.3 }), "2, 5")
	lu.assertEquals(distances({ 9, 0.4, 0.3 }, { -2, 0.4, 0.3 }), "5, 8")
	lu.assertEquals(distances({ 0.5, 0.4, 0.3 }, { 9, 0.4, 0.3 }), "0 inside, 2.5")
	lu.assertEquals(distances({ 0.5, 0.4, 0.3 }, { 9, 0.4, 0.3 }, { inside = false }), "2.5")
	near(world:raycast({ 0.5, 0.4, 0.3 }, { 9, 0.4, 0.3 }, { inside = false }).distance, 2.5, 1e-9, "out and on")
	local cast = world:cast({ shape = "ball", radius = 0.1 }, { 0.5, 0.4, 0.3 }, { 9, 0.4, 0.3 }, { inside = false })
	near(cast.distance, 2.4, 1e-4, "ball out and on")
end

-- Triangles have one side; rays along a plane or over a ridge meet no back.
function TestMeshQueries.testOneSide()
	local world = scree.world {}
	spawn_floor(world, nil, 10, 10, 1, -5, -5, function(x) return 3 - math.abs(x) end, 3)
	lu.assertNil(world:raycast({ 0.3, -9, 0.2 }, { 0.3, 9, 0.2 }))
	lu.assertNotNil(world:raycast({ 0.3, 9, 0.2 }, { 0.3, -9, 0.2 }))
	lu.assertNil(world:cast({ shape = "ball", radius = 0.2 }, { 0.3, -9, 0.2 }, { 0.3, 9, 0.2 }))
	for _, y in ipairs { 3 - 1e-4, 3, 3 + 1e-4 } do
		local hit = world:raycast({ -9, y, 0.3 }, { 9, y, 0.3 })
		lu.assertTrue(hit == nil or hit.normal.x < 0)
		lu.assertEquals(hit ~= nil, y < 3 or hit ~= nil)
	end
	local along = world:raycast({ -4, -1, 0.25 }, { 1, 4, 0.25 }) -- in the plane of one side
	lu.assertTrue(along == nil or along.fraction <= 1)
end

return { TestMeshShape = TestMeshShape, TestMeshQueries = TestMeshQueries }
