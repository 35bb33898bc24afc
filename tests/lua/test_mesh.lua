-- Static meshes of triangles: what spawn takes, queries beside the box of the same size, and bodies on floors of
-- triangles, which must feel like floors.

local ffi = require "ffi"
local lu = require "luaunit"
local scree = require "scree"
local support = require "support"
local scenery = require "scenery"

local fails = support.fails
local near, at_most, at_least, run = scenery.near, scenery.at_most, scenery.at_least, scenery.run
local vec3 = scree.vec3

-- ---- samples -------------------------------------------------------------------------------------------------------

-- The surface of a box in n x n squares a side, corners not shared between sides.
local function box_of(lo, hi, n)
	local vertices, indices = {}, {}
	local size = hi - lo
	local function side(origin, u, v)
		local base = #vertices
		for j = 0, n do
			for i = 0, n do
				vertices[#vertices + 1] = origin + u * (i / n) + v * (j / n)
			end
		end
		for j = 0, n - 1 do
			for i = 0, n - 1 do
				local a = base + j * (n + 1) + i + 1
				indices[#indices + 1] = { a, a + 1, a + n + 2 }
				indices[#indices + 1] = { a, a + n + 2, a + n + 1 }
			end
		end
	end
	local x, y, z = vec3(size.x, 0, 0), vec3(0, size.y, 0), vec3(0, 0, size.z)
	side(lo, x, z)
	side(lo, y, x)
	side(lo, z, y)
	side(hi, -z, -x)
	side(hi, -x, -y)
	side(hi, -y, -z)
	return vertices, indices
end

local function spawn_mesh(world, vertices, indices, changes)
	local options = { shape = "mesh", vertices = vertices, indices = indices, rolling = 0 }
	for key, value in pairs(changes or {}) do
		options[key] = value
	end
	return world:spawn(options)
end

local function spawn_floor(world, changes, nx, nz, cell, x0, z0, height, diagonals)
	local vertices, indices = scenery.squares(nx, nz, cell, x0, z0, height, diagonals)
	return spawn_mesh(world, vertices, indices, changes)
end

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

-- ---- floors --------------------------------------------------------------------------------------------------------

local TestMeshFloors = {}

-- What moves level keeps its height and its speed.
local function glide(world, body, seconds, margin)
	local start, speed = body.position, body.velocity
	local rise, climb = 0, 0
	run(world, seconds, function()
		rise = math.max(rise, math.abs(body.position.y - start.y))
		climb = math.max(climb, math.abs(body.velocity.y))
	end)
	at_most(rise, margin, "height")
	at_most(climb, 0.01, "vertical speed")
	return body.position - start, speed
end

function TestMeshFloors.testSlide()
	for diagonals = 1, 3 do
		for _, way in ipairs { vec3(3, 0, 0), vec3(0, 0, 3), vec3(2.4, 0, 1.8), vec3(-1.8, 0, 2.4) } do
			local world = scree.world {}
			spawn_floor(world, { friction = 0 }, 20, 20, 1, -10, -10, nil, diagonals)
			local cube = world:spawn { shape = "box", size = { 1, 1, 1 }, position = { 0, 0.5, 0.1 }, velocity = way }
			local moved = glide(world, cube, 2, 1e-3)
			at_most((moved - way * 2):length(), 1e-3, "way")
			at_most((cube.velocity - way):length(), 1e-3, "velocity")
		end
	end
end

-- A ball over 200 squares of triangles, without and with friction.
function TestMeshFloors.testBall()
	for _, friction in ipairs { 0, 1 } do
		for diagonals = 1, 3 do
			local world = scree.world {}
			spawn_floor(world, { friction = friction }, 220, 8, 0.25, -2, -1, nil, diagonals)
			local ball = world:spawn {
				shape = "ball", radius = 0.3, position = { 0, 0.3, 0.1 }, velocity = { 5, 0, 0 },
				angular_velocity = { 0, 0, -friction * 5 / 0.3 }, friction = friction, rolling = 0,
			}
			local moved = glide(world, ball, 10, 1e-3)
			near(moved.x, 50, 0.25, "way")
			near(moved.z, 0, 2e-3, "drift")
			near(ball.velocity.x, 5, 0.025, "speed")
		end
	end
end

function TestMeshFloors.testCapsule()
	local world = scree.world {}
	spawn_floor(world, { friction = 0.8 }, 60, 30, 0.5, -2, -7, nil, 3)
	local roller = world:spawn {
		shape = "capsule", radius = 0.25, length = 1, rotation = scree.axis_angle({ 1, 0, 0 }, math.pi / 2),
		position = { 0, 0.25, 0.1 }, velocity = { 4, 0, 0 }, angular_velocity = { 0, 0, -16 }, friction = 0.8, rolling = 0,
	}
	local moved = glide(world, roller, 5, 1e-3)
	near(moved.x, 20, 0.1, "way")
	near(moved.z, 0, 5e-3, "drift")
end

function TestMeshFloors.testCylinder()
	local world = scree.world {}
	spawn_floor(world, { friction = 0.5 }, 60, 20, 0.5, -5, -5, nil, 3)
	local roller = world:spawn {
		shape = "cylinder", radius = 0.4, length = 1, rotation = scree.axis_angle({ 1, 0, 0 }, math.pi / 2),
		position = { 0, 0.4, 0.1 }, velocity = { 3, 0, 0 }, angular_velocity = { 0, 0, -7.5 }, friction = 0.5, rolling = 0,
	}
	local moved = glide(world, roller, 4, 1e-3)
	near(moved.x, 12, 0.06, "way")
	near(moved.z, 0, 5e-3, "drift")
end

-- A large ball dropped near the rim of a mesh box bounces straight up, however the top is cut.
function TestMeshFloors.testDropNearRim()
	local first
	for _, n in ipairs { 1, 2, 10 } do
		local world = scree.world {}
		local vertices, indices = box_of(vec3(-2.5, -0.5, -2.5), vec3(2.5, 0.5, 2.5), n)
		spawn_mesh(world, vertices, indices, { restitution = 0.5 })
		local ball = world:spawn { shape = "ball", radius = 3, position = { -2, 9, 0 }, restitution = 0.5 }
		local peak = 0
		run(world, 3, function()
			if ball.velocity.y > 0 then
				peak = math.max(peak, ball.position.y)
				at_most(math.abs(ball.velocity.x) + math.abs(ball.velocity.z), 0.01, "sideways")
			end
			return peak > 0 and ball.velocity.y < 0
		end)
		first = first or peak
		near(peak, 3.5 + 5.5 * 0.25, 0.1, "bounce")
		near(peak, first, 0.01, "bounce by cut")
	end
end

-- Folds of 1 degree, up and down in turn: a box loses what it climbs and nothing else.
function TestMeshFloors.testGentleFolds()
	for _, slope in ipairs { 1, -1 } do
		local world = scree.world {}
		local function height(x)
			local steps = math.max(0, math.floor(x / 2 + 1e-9))
			return slope * math.tan(math.rad(1)) * (steps + math.min(1, math.max(0, x - 2 * steps)))
		end
		spawn_floor(world, { friction = 0 }, 40, 8, 1, -5, -4, height, 3)
		local box = world:spawn { shape = "box", size = { 1, 1, 1 }, position = { 0, 0.5, 0 }, velocity = { 5, 0, 0 } }
		run(world, 4)
		at_least(box.position.x, 18, "way")
		local expected = math.sqrt(25 - 2 * scenery.G * (box.position.y - 0.5))
		near(box.velocity:length(), expected, 0.03 * expected, "speed")
	end
end

-- Triangles without area, which leave corners in the middle of edges, change nothing.
function TestMeshFloors.testDegenerateTriangles()
	local shapes = {
		{ shape = "ball", radius = 0.3, height = 0.3 },
		{ shape = "box", size = { 0.5, 0.5, 0.5 }, height = 0.25 },
		{ shape = "capsule", radius = 0.2, length = 0.5, rotation = scree.axis_angle({ 1, 0, 0 }, math.pi / 2),
			height = 0.2 },
	}
	for _, shape in ipairs(shapes) do
		local ends = {}
		for k = 1, 2 do
			local world = scree.world {}
			local vertices, indices = scenery.squares(60, 8, 0.5, -5, -2, nil, 3)
			local n = #indices
			for i = 1, k == 2 and n or 0, 10 do
				local t = indices[i]
				indices[#indices + 1] = { t[1], t[2], t[2] }
				local s = indices[i + 2]
				local a, b = vertices[s[1]], vertices[s[2]]
				vertices[#vertices + 1] = { (a[1] + b[1]) / 2, 0, (a[3] + b[3]) / 2 }
				local m = #vertices
				indices[i + 2] = { s[1], m, s[3] }
				indices[#indices + 1] = { m, s[2], s[3] }
				indices[#indices + 1] = { s[1], s[2], m }
			end
			local info = spawn_mesh(world, vertices, indices, { friction = 0.3 }).parts[1].mesh
			lu.assertEquals(info.dropped, k == 2 and 2 * n / 10 or 0)
			lu.assertEquals(info.open_edges, 136)
			local body = world:spawn {
				shape = shape.shape, radius = shape.radius, size = shape.size, length = shape.length,
				rotation = shape.rotation, position = { 0, shape.height, 0.1 }, velocity = { 4, 0, 0.3 }, friction = 0.3,
				rolling = 0,
			}
			run(world, 3, function()
				at_most(math.abs(body.velocity.y), 0.01, shape.shape)
				local hit = world:raycast(body.position, body.position - vec3(0, 2, 0), { ignore = body })
				near(hit.position.y, 0, 1e-9, "ray")
			end)
			ends[k] = body.position
		end
		at_most((ends[1] - ends[2]):length(), 1e-3, shape.shape)
	end
end

-- Nothing small and fast gets through, straight or grazing.
function TestMeshFloors.testTunnelling()
	local random = scenery.generator(5)
	for _, speed in ipairs { 50, 200, 600 } do
		for _, angle in ipairs { 90, 5 } do
			local world = scree.world { gravity = { 0, 0, 0 } }
			spawn_floor(world, nil, 40, 40, 1, -20, -20, nil, 3)
			local way = vec3(math.cos(math.rad(angle)), -math.sin(math.rad(angle)), 0)
			local balls = {}
			for i = 1, 60 do
				local at = vec3(random() * 18 - 18, 0.05, random() * 36 - 18)
				balls[i] = world:spawn {
					shape = "ball", radius = 0.05, position = at - way * (0.5 + random() * (1 + speed / 60)),
					velocity = way * speed, collides_with = "floor", group = "balls",
				}
			end
			for _, mesh in pairs { (world:assemblies())() } do
				mesh:destroy()
			end
			spawn_floor(world, { group = "floor" }, 40, 40, 1, -20, -20, nil, 3)
			world:step(1 / 60, 8)
			for _, ball in ipairs(balls) do
				local p = ball.position
				lu.assertTrue(p.y > 0 or math.abs(p.x) > 19.9, ("%g m/s, %g degrees: %s"):format(speed, angle, tostring(p)))
			end
		end
	end
end

function TestMeshFloors.testSmallBoxesOnHills()
	local random = scenery.generator(9)
	local world = scree.world {}
	spawn_floor(world, nil, 60, 60, 1, -30, -30, function(x, z) return 1.5 * math.sin(x / 2) * math.cos(z / 2.5) end, 3)
	local boxes = {}
	for i = 1, 150 do
		boxes[i] = world:spawn {
			shape = "box", size = { 0.2, 0.2, 0.2 }, position = { random() * 40 - 20, 10, random() * 40 - 20 },
			rotation = scenery.turn(random),
		}
	end
	run(world, 4)
	for _, box in ipairs(boxes) do
		local p = box.position
		local ground = 1.5 * math.sin(p.x / 2) * math.cos(p.z / 2.5)
		lu.assertTrue(p.y > ground - 0.15 or math.abs(p.x) > 29 or math.abs(p.z) > 29, tostring(p))
	end
end

-- Up a ramp of 5 degrees and back down.
function TestMeshFloors.testRamp()
	local world = scree.world {}
	local slope = math.rad(5)
	spawn_floor(world, { friction = 1 }, 40, 8, 0.5, -10, -2, function(x) return x * math.tan(slope) end, 3)
	local up, along = vec3(-math.sin(slope), math.cos(slope), 0), vec3(math.cos(slope), math.sin(slope), 0)
	local ball = world:spawn {
		shape = "ball", radius = 0.5, position = up * 0.5, velocity = along, angular_velocity = { 0, 0, -2 },
		friction = 1, rolling = 0,
	}
	local turned
	local back = run(world, 5, function(t)
		lu.assertEquals(ball.state, "awake")
		turned = turned or ball.velocity:dot(along) < 0 and t
		return (ball.position - up * 0.5):dot(along) < 0
	end)
	near(turned, 1.64, 0.1, "turns")
	near(back, 3.27, 0.15, "is back")
	near(ball.velocity:length(), 1, 0.05, "speed")
end

function TestMeshFloors.testBounce()
	for _, height in ipairs { 0.2, 5 } do
		local world = scree.world {}
		spawn_floor(world, { restitution = 1 }, 8, 8, 1, -4, -4, nil, 1)
		local ball = world:spawn { shape = "ball", radius = 0.5, position = { 0.1, height + 0.5, 0.2 }, restitution = 1 }
		local peaks, peak, before = 0, 0, 0
		run(world, 45, function()
			if before > 0 and ball.velocity.y <= 0 then
				peaks, peak = peaks + 1, ball.position.y - 0.5
				at_most(peak, 1.01 * height, "peak")
			end
			before = ball.velocity.y
			return peaks == 20
		end)
		lu.assertEquals(peaks, 20)
		at_least(peak, 0.85 * height, "last peak")
	end
end

-- What starts below the surface, but not wholly, comes out without a jump.
function TestMeshFloors.testDeepOverlap()
	local world = scree.world {}
	spawn_floor(world, nil, 8, 8, 1, -4, -4, nil, 2)
	local ball = world:spawn { shape = "ball", radius = 0.5, position = { 0.1, -0.2, 0.2 } }
	local box = world:spawn { shape = "box", size = { 1, 1, 1 }, position = { 2, -0.2, 0.2 } }
	run(world, 2, function()
		at_most(math.max(ball.velocity:length(), box.velocity:length()), 5, "speed")
		at_most(math.max(ball.position.y, box.position.y), 0.7, "height")
	end)
	near(ball.position.y, 0.5, 0.02, "ball")
	near(box.position.y, 0.5, 0.02, "box")
end

-- What is in the solid of a closed mesh is brought out the nearest way, at a bounded speed; a mesh that is not closed
-- has no inside.
function TestMeshFloors.testBuriedBodiesAreBroughtOut()
	local rotation = scree.axis_angle({ 0, 1, 0 }, 0.4)
	for _, closed in ipairs { true, false } do
		for _, shape in ipairs { "ball", "box", "capsule" } do
			for _, from in ipairs { vec3(1, 3.2, 0.5), vec3(-4, 1, 0), vec3(0.5, 0, 4.3) } do
				local world = scree.world { gravity = { 0, closed and -1 or -9.81, 0 } }
				local vertices, indices = box_of(vec3(-5, -5, -5), vec3(5, 5, 5), 3)
				if not closed then
					indices[#indices] = nil
				end
				local origin = vec3(100, 20, -50)
				spawn_mesh(world, vertices, indices, { position = origin, rotation = rotation, friction = 0.5 })
				local body = world:spawn {
					shape = shape, position = origin + rotation * from, size = shape == "box" and { 0.6, 0.5, 0.4 } or nil,
					radius = shape ~= "box" and 0.3 or nil, length = shape == "capsule" and 0.5 or nil,
				}
				local what = ("%s from %s"):format(shape, tostring(from))
				local out = run(world, 3, function()
					local p = rotation:inverse() * (body.position - origin)
					if closed then
						at_most(body.velocity:length(), 6, what)
					end
					return math.max(math.abs(p.x), math.abs(p.y), math.abs(p.z)) > 5.1
				end)
				local p = rotation:inverse() * (body.position - origin)
				if closed then
					lu.assertNotNil(out, what)
					local up, left = from.y > 2, from.x < -2
					at_least(up and p.y or left and -p.x or p.z, 5, what)
				else
					at_most(p.y, from.y - 4, what .. " falls")
				end
			end
		end
	end
end

-- 10,000 km away as at the origin.
function TestMeshFloors.testFarAway()
	local ends = {}
	for k, far in ipairs { 0, 1e7 } do
		local world = scree.world {}
		local origin = vec3(far, 0, -far)
		spawn_floor(world, { position = origin }, 40, 40, 1, -20, -20, function(x, z) return math.sin(x) + z / 9 end, 3)
		local ball = world:spawn { shape = "ball", radius = 0.4, position = origin + vec3(1, 3, 2) }
		run(world, 2)
		ends[k] = ball.position - origin
	end
	at_most((ends[1] - ends[2]):length(), 1e-3, "far away")
end

-- Where the mesh has its middle makes no difference: bit for bit the same, with a triangle ten kilometres off.
function TestMeshFloors.testFarMiddle()
	local ends
	for _, far in ipairs { 1, 1000, 10000 } do
		local world = scree.world {}
		local vertices, indices = scenery.squares(8, 8, 1, -4, -4, nil, 3)
		local n = #vertices
		for _, v in ipairs { { far, -5, far }, { far, -5, far + 1 }, { far + 1, -5, far } } do
			vertices[#vertices + 1] = v
		end
		indices[#indices + 1] = { n + 1, n + 2, n + 3 }
		spawn_mesh(world, vertices, indices, { friction = 0.5 })
		local bodies = {}
		for i = 0, 3 do
			bodies[i] = world:spawn {
				shape = "box", size = { 1, 0.6, 0.8 }, position = { 1.6 * i - 2.4, 0.9, 0.3 * i }, can_sleep = false,
				rotation = scree.euler(0.1 * i, 0.2, 0.05 * i), velocity = { 0, 0, 0.3 },
			}
		end
		run(world, 2)
		local list = {}
		for i = 0, 3 do
			list[#list + 1], list[#list + 2] = bodies[i].position, bodies[i].velocity
		end
		ends = ends or list
		lu.assertEquals(list, ends, far)
	end
end

-- Sleep, contacts and events; a destroyed mesh lets go of what stood on it.
function TestMeshFloors.testRestsOnIt()
	local world = scree.world {}
	local mesh = spawn_floor(world, { material = "ice" }, 8, 8, 1, -4, -4, nil, 3)
	local box = world:spawn { shape = "box", size = { 1, 1, 1 }, position = { 0.2, 0.6, 0.1 } }
	local begun = 0
	run(world, 3, function()
		for event in world:events "contact_begin" do
			begun = begun + 1
			lu.assertEquals({ event.a, event.b, event.terrain }, { mesh, box, false })
		end
	end)
	lu.assertEquals({ begun, box.state }, { 1, "asleep" })
	local contacts = box:contacts()
	lu.assertEquals({ #contacts, contacts[1].other, #contacts[1].points }, { 1, mesh, 4 })
	lu.assertEquals(#mesh:contacts(), 1)
	support.is_vec3(contacts[1].normal, 0, 1, 0, 1e-6)
	mesh:destroy()
	world:step()
	lu.assertEquals({ box.state, support.count(world:events "contact_end") }, { "awake", 1 })
	run(world, 0.5)
	at_most(box.position.y, -0.5, "falls")
end

-- Two threads and another order of making the mesh and the bodies.
function TestMeshFloors.testThreads()
	local hashes = {}
	for threads = 1, 2 do
		local random = scenery.generator(3)
		local world = scree.world { threads = threads }
		spawn_floor(world, nil, 30, 30, 1, -15, -15, function(x, z) return math.sin(x / 3) * math.cos(z / 2) end, 3)
		for i = 1, 80 do
			local shape = ({ "ball", "box", "capsule" })[i % 3 + 1]
			world:spawn {
				shape = shape, position = { random() * 16 - 8, 2 + i / 8, random() * 16 - 8 },
				radius = shape ~= "box" and 0.3 or nil, length = shape == "capsule" and 0.4 or nil,
				size = shape == "box" and { 0.5, 0.4, 0.7 } or nil,
			}
		end
		run(world, 2)
		hashes[threads] = world:hash()
	end
	lu.assertEquals(hashes[1], hashes[2])
end

-- A snapshot has the mesh in it, and what lies on it goes on to the same bits, also once the mesh was destroyed.
function TestMeshFloors.testSnapshot()
	local world = scree.world {}
	local mesh = spawn_floor(world, nil, 40, 40, 0.5, -10, -10, function(x, z) return math.sin(x / 2) + z / 8 end, 3)
	for i = 1, 20 do
		world:spawn { shape = i % 2 == 0 and "ball" or "box", radius = i % 2 == 0 and 0.3 or nil,
			size = i % 2 == 1 and { 0.5, 0.4, 0.6 } or nil, position = { i % 5 - 2, 2 + i / 4, i % 3 } }
	end
	run(world, 1)
	local snapshot = world:snapshot()
	run(world, 1)
	local hash = world:hash()
	for k = 1, 2 do
		if k == 2 then
			mesh:destroy()
		end
		assert(world:restore(snapshot))
		run(world, 1)
		lu.assertEquals(world:hash(), hash)
		mesh = world:assemblies()()
		lu.assertEquals(mesh.parts[1].mesh.triangles, 3200)
	end
	local path = os.tmpname()
	assert(world:save(path))
	local copy = assert(scree.load(path))
	os.remove(path)
	run(world, 0.5)
	run(copy, 0.5)
	lu.assertEquals(copy:hash(), world:hash())
end

-- A body made before the mesh stands on the same side of their contact.
function TestMeshFloors.testMeshMadeLater()
	local ends = {}
	for k = 1, 2 do
		local world = scree.world {}
		local function body()
			return world:spawn {
				shape = "box", size = { 1, 0.5, 1 }, position = { 0, 1, 0 }, rotation = scree.euler(0.2, 0, 0.1),
			}
		end
		local box = k == 1 and body()
		spawn_floor(world, nil, 8, 8, 1, -4, -4, nil, 3)
		box = box or body()
		run(world, 2)
		ends[k] = box.position
	end
	lu.assertEquals(ends[1], ends[2])
end

-- A real floor in one plane: 11,978 triangles.
function TestMeshFloors.testStadium()
	local world = scree.world {}
	local path = support.corpus "mesh/stadium.obj"
	local stadium = assert(world:spawn { shape = "mesh", path = path, friction = 1, rolling = 0 })
	local lo, hi = stadium:bounds()
	world.gravity = { 0, 0, -9.81 }
	local info, middle = stadium.parts[1].mesh, (lo + hi) / 2
	at_least(info.triangles, 11000, "triangles")
	local up = world:raycast(middle + { 0, 0, 5 }, middle - { 0, 0, 5 }) and 1 or -1
	world.gravity = { 0, 0, -9.81 * up }
	local reach = math.min(hi.x - lo.x, 10)
	local ball = world:spawn {
		shape = "ball", radius = 0.02 * reach, position = middle + { 0, 0, up * 0.02 * reach },
		velocity = { 0.1 * reach, 0, 0 }, friction = 0, rolling = 0,
	}
	run(world, 2, function()
		at_most(math.abs(ball.velocity.z), 0.01, "vertical speed")
	end)
	near(ball.position.y, middle.y, 2e-3, "drift")
	near(ball.velocity.x, 0.1 * reach, 0.0005 * reach, "speed")
end

return { TestMeshShape = TestMeshShape, TestMeshQueries = TestMeshQueries, TestMeshFloors = TestMeshFloors }
