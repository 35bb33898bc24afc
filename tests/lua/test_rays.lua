-- Rays against brute force (ray_twins.lua), one by one and many at once.

local luaunit = require "luaunit"
local scree = require "scree"
local scenery = require "scenery"
local ray_twins = require "ray_twins"
local support = require "support"
local ffi = require "ffi"

local abs, max, sqrt = math.abs, math.max, math.sqrt
local compare, random_point, scene_of = ray_twins.compare, ray_twins.random_point, ray_twins.scene_of

local TestRays = {}

local SEED = 20
local shared
local function scene()
	shared = shared or scene_of(SEED)
	return shared
end

function TestRays.testRandom()
	local random = scenery.generator(1)
	compare(scene(), 60000, function(o, e)
		random_point(random, o)
		random_point(random, e)
	end, 1e-4, "random")
end

function TestRays.testShort()
	local random = scenery.generator(2)
	compare(scene(), 15000, function(o, e)
		random_point(random, o)
		for i = 0, 2 do
			e[i] = o[i] + 6 * random() - 3
		end
	end, 1e-4, "short")
end

-- Parallel to an axis; every other one along the faces, edges or middles of cells.
function TestRays.testParallelToAxes()
	local random = scenery.generator(3)
	compare(scene(), 20000, function(o, e, k)
		random_point(random, o)
		local axis = k % 3
		for i = 0, 2 do
			if k % 2 == 0 then
				o[i] = math.floor(2 * o[i]) / 2
			end
			e[i] = o[i]
		end
		e[axis] = -o[axis] + (random() - 0.5)
	end, 0.1, "along axes")
end

function TestRays.testDiagonal()
	local random = scenery.generator(4)
	compare(scene(), 5000, function(o, e, k)
		random_point(random, o)
		local length = 30 * random()
		for i = 0, 2 do
			o[i] = math.floor(o[i]) + (k % 4 < 2 and 0.5 or 0)
			e[i] = o[i] + (random(3) - 1) * length
		end
		if e[0] == o[0] and e[1] == o[1] and e[2] == o[2] then
			e[1] = o[1] - length
		end
	end, 0.1, "diagonal")
end

-- The surface is closed: no ray gets into the ground without a hit, not along the faces and edges of its cells either.
function TestRays.testNothingGetsInUnseen()
	local world, random = scene().world, scenery.generator(9)
	local terrain, o, e, tried = world.terrain, ffi.new "double[3]", ffi.new "double[3]", 0
	for k = 1, 60000 do
		local axis = k % 4 -- 3: diagonal
		local way = (random(40) - 20) / 2
		for i = 0, 2 do
			o[i] = (random(80) - 40) / (i == 1 and 4 or 2)
			e[i] = o[i] + ((axis == i or axis == 3) and way or 0)
		end
		local from, to = { o[0], o[1], o[2] }, { e[0], e[1], e[2] }
		if terrain:is_inside(to) and ray_twins.is_clearly(world, false, o) and ray_twins.is_clearly(world, true, e) then
			tried = tried + 1
			if not terrain:raycast(from, to) then
				luaunit.fail(("no hit from %g %g %g to %g %g %g"):format(o[0], o[1], o[2], e[0], e[1], e[2]))
			end
		end
	end
	scenery.at_least(tried, 2000, "rays into the ground")
end

function TestRays.testZeroLength()
	local world = scene().world
	local random, inside = scenery.generator(5), 0
	local p = ffi.new "double[3]"
	for _ = 1, 3000 do
		random_point(random, p)
		local point = { p[0], p[1], p[2] }
		local hit = world:raycast(point, point)
		local solid = world.terrain:is_inside(point)
		for _, twin in ipairs(scene().twins) do
			local _, within = ray_twins.meets_twin(twin, p, ffi.new("double[3]", 0, -1, 0))
			solid = solid or within or false
		end
		if solid then
			inside = inside + 1
			luaunit.assertNotNil(hit, ("no hit inside at %.9g, %.9g, %.9g"):format(p[0], p[1], p[2]))
			luaunit.assertTrue(hit.inside)
			luaunit.assertEquals(hit.fraction, 0)
			luaunit.assertEquals(hit.distance, 0)
		else
			luaunit.assertNil(hit, ("a hit in the air at %.9g, %.9g, %.9g"):format(p[0], p[1], p[2]))
		end
	end
	scenery.at_least(inside, 300, "points inside")
end

-- Rays of a view go together in the batch, with bodies in front of the ground, and say what each says alone.
function TestRays.testViewEqualsSingle()
	local world, rows, columns = scene().world, 40, 60
	local n, random, hits = rows * columns, scenery.generator(16), 0
	local from, to, fractions = ffi.new("double[?]", 3 * n), ffi.new("double[?]", 3 * n), ffi.new("double[?]", n)
	for view = 1, 4 do
		local eye, ahead = ffi.new "double[3]", ffi.new "double[3]"
		random_point(random, eye)
		random_point(random, ahead)
		for i = 0, n - 1 do
			local u, v = (i % columns) / columns - 0.5, math.floor(i / columns) / rows - 0.5
			for a = 0, 2 do
				from[3 * i + a] = eye[a]
				to[3 * i + a] = ahead[a] + 20 * (a == view % 3 and 0 or a == (view + 1) % 3 and u or v)
			end
		end
		world:raycasts(n, from, to, fractions)
		for i = 0, n - 1 do
			local o = scree.vec3(from[3 * i], from[3 * i + 1], from[3 * i + 2])
			local hit = world:raycast(o, scree.vec3(to[3 * i], to[3 * i + 1], to[3 * i + 2]))
			luaunit.assertEquals(hit and hit.fraction or 2, fractions[i])
			hits = hits + (hit and 1 or 0)
		end
	end
	scenery.at_least(hits, 500, "hits")
end

-- The single form says the same as the batch, and its parts agree with each other.
function TestRays.testSingleEqualsBatch()
	local world, n = scene().world, 4000
	local random = scenery.generator(6)
	local from, to, fractions = ffi.new("double[?]", 3 * n), ffi.new("double[?]", 3 * n), ffi.new("double[?]", n)
	for i = 0, n - 1 do
		random_point(random, from + 3 * i)
		random_point(random, to + 3 * i)
	end
	world:raycasts(n, from, to, fractions)
	for i = 0, n - 1 do
		local o = scree.vec3(from[3 * i], from[3 * i + 1], from[3 * i + 2])
		local e = scree.vec3(to[3 * i], to[3 * i + 1], to[3 * i + 2])
		local hit = world:raycast(o, e)
		luaunit.assertEquals(hit and hit.fraction or 2, fractions[i])
		if hit then
			local length = (e - o):length()
			scenery.near(hit.distance, hit.fraction * length, 1e-9 * length, "distance")
			scenery.at_most((hit.position - (o + hit.fraction * (e - o))):length(), 1e-5, "position off the ray")
			luaunit.assertEquals(hit.terrain, hit.assembly == nil)
			luaunit.assertEquals(hit.part, hit.assembly and 1 or nil)
			luaunit.assertEquals(hit.cell ~= nil, hit.terrain)
			local normal = hit.normal:length()
			luaunit.assertTrue(abs(normal - 1) < 1e-5 or (hit.inside and normal == 0), "normal")
			if not hit.inside then
				scenery.at_most(hit.normal:dot((e - o):normalized()), 1e-6, "the normal faces the ray")
			end
		end
	end
end

function TestRays.testAllAreSortedAndFirstIsTheNearest()
	local world = scene().world
	local random, p, q, most = scenery.generator(8), ffi.new "double[3]", ffi.new "double[3]", 0
	for _ = 1, 3000 do
		random_point(random, p)
		random_point(random, q)
		local o, e = { p[0], p[1], p[2] }, { q[0], q[1], q[2] }
		local all, first = world:raycast_all(o, e), world:raycast(o, e)
		luaunit.assertEquals(#all > 0, first ~= nil)
		most = max(most, #all)
		local seen = {}
		for i, hit in ipairs(all) do
			if i == 1 then
				luaunit.assertEquals(hit.fraction, first.fraction)
				luaunit.assertEquals(hit.assembly, first.assembly)
			else
				scenery.at_least(hit.fraction, all[i - 1].fraction, "order")
			end
			if hit.assembly then
				luaunit.assertNil(seen[hit.assembly], "an assembly twice")
				seen[hit.assembly] = true
			end
		end
		-- every body whose twin is met is there
		local d = ffi.new("double[3]", q[0] - p[0], q[1] - p[1], q[2] - p[2])
		for _, twin in ipairs(scene().twins) do
			local t = ray_twins.meets_twin(twin, p, d)
			if t and t < 1 - 1e-6 then
				luaunit.assertTrue(seen[twin.body], "a body that the ray meets is missing")
			end
		end
	end
	scenery.at_least(most, 4, "most hits of a ray")
end

function TestRays.testNonFiniteIsAnError()
	local world = scene().world
	for _, bad in ipairs { support.NAN, support.INF, -support.INF } do
		for i = 1, 3 do
			local point = { 0, 5, 0 }
			point[i] = bad
			support.fails(function()
				world:raycast(point, { 0, -5, 0 })
			end, "from")
			support.fails(function()
				world:raycast({ 0, -5, 0 }, point)
			end, "to")
			support.fails(function()
				world:raycast_all(point, { 0, -5, 0 })
			end, "from")
		end
	end
end

-- ---- without a step ------------------------------------------------------------------------------------------------

local TestRaysAtOnce = {}

local function down(world, x, y, z)
	return world:raycast({ x, y + 5, z }, { x, y - 5, z })
end

function TestRaysAtOnce.testCreateMoveDestroy()
	local world = scree.world()
	local body = world:spawn { shape = "box", size = { 1, 1, 1 } }
	local hit = down(world, 0, 0, 0)
	luaunit.assertEquals(hit and hit.assembly, body)
	scenery.near(hit.position.y, 0.5, 1e-6, "top")
	body.position = { 100, 3, 0 }
	luaunit.assertNil(down(world, 0, 0, 0))
	hit = down(world, 100, 3, 0)
	luaunit.assertEquals(hit and hit.assembly, body)
	body.rotation = scree.axis_angle({ 0, 0, 1 }, math.pi / 4)
	scenery.near(down(world, 100, 3, 0).position.y, 3 + sqrt(0.5), 1e-6, "turned")
	body:destroy()
	luaunit.assertNil(down(world, 100, 3, 0))
end

function TestRaysAtOnce.testEdits()
	local world = scree.world()
	luaunit.assertNil(down(world, 0.5, 0, 0.5))
	world.terrain:fill_box { position = { 0, -1, 0 }, size = { 8, 2, 8 }, material = "rock" }
	scenery.near(down(world, 0.5, 0, 0.5).position.y, 0, 1e-9, "filled")
	world.terrain:fill_box { position = { 0, 1, 0 }, size = { 8, 2, 8 }, material = "rock" }
	scenery.near(down(world, 0.5, 0, 0.5).position.y, 2, 1e-9, "raised")
	world.terrain:clear()
	luaunit.assertNil(down(world, 0.5, 0, 0.5))
end

-- A ray that skims a floor or a ridge never reports the far side of it.
function TestRaysAtOnce.testSkimming()
	local world = scree.world()
	world.terrain:fill_box { position = { 0, -2, 0 }, size = { 32, 4, 32 }, material = "rock" }
	for _, y in ipairs { 1e-6, 1e-4, 0 } do
		local hit = world:raycast({ -10, y, 0.3 }, { 10, y, 0.3 })
		luaunit.assertTrue(hit == nil or y == 0, "a hit above the floor")
	end
	local hit = world:raycast({ -10, -1e-4, 0.3 }, { 10, -1e-4, 0.3 })
	luaunit.assertTrue(hit ~= nil and hit.inside, "a ray in the floor starts inside")
end

return { TestRays = TestRays, TestRaysAtOnce = TestRaysAtOnce }
