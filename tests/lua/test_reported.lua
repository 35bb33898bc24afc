-- Faults that users of other engines have reported, as checks: what test_physics*.lua, test_mesh.lua and test_fast.lua
-- do not have already.

local lu = require "luaunit"
local scree = require "scree"
local scenery = require "scenery"
local support = require "support"

local near, at_most, at_least, run = scenery.near, scenery.at_most, scenery.at_least, scenery.run
local vec3 = scree.vec3
local G = scenery.G

local function sheet(world, nx, nz, cell, changes, height)
	local vertices, indices = scenery.sheet(nx, nz, cell, height)
	return scenery.spawn_mesh(world, vertices, indices, changes)
end

-- ---- seams ---------------------------------------------------------------------------------------------------------

local TestSeams = {}

-- 50 m over a floor of 11,978 triangles in one plane, which is a real file: slipping and rolling.
function TestSeams.testStadium()
	local path = support.corpus "mesh/stadium.obj"
	for _, friction in ipairs { 0, 1 } do
		for _, lane in ipairs { 0.1, 7.3, -11.77 } do
			local world = scree.world { gravity = { 0, 0, -G } }
			assert(world:spawn { shape = "mesh", path = path, friction = friction, rolling = 0 })
			local ball = world:spawn {
				shape = "ball", radius = 0.3, position = { -25, lane, 0.3 }, velocity = { 5, 0, 0 },
				angular_velocity = { 0, friction * 5 / 0.3, 0 }, friction = friction, restitution = 0, rolling = 0,
			}
			local what = ("friction %g, lane %g"):format(friction, lane)
			run(world, 10, function()
				near(ball.position.z, 0.3, 1e-3, what .. ": height")
				at_most(math.abs(ball.velocity.z), 0.01, what .. ": vertical speed")
			end)
			near(ball.position.x, 25, 0.05, what .. ": way")
			near(ball.position.y, lane, 2e-3, what .. ": drift")
			near(ball.velocity.x, 5, 0.025, what .. ": speed")
		end
	end
end

-- ---- shots ---------------------------------------------------------------------------------------------------------

local TestShots = {}

local grounds = {
	["cells of a metre"] = function(world)
		world.terrain:fill_box { position = { 0, -0.5, 0 }, size = { 120, 1, 120 }, material = "rock" }
	end,
	["cells of a tenth"] = function(world)
		world.terrain:fill_box { position = { 0, -0.05, 0 }, size = { 60, 0.1, 60 }, material = "rock" }
	end,
	["a field of heights"] = function(world)
		local heights = {}
		for i = 1, 121 * 121 do
			heights[i] = 0
		end
		world.terrain:fill_heightmap {
			heights = heights, width = 121, depth = 121, position = { -60, 0, -60 }, bottom = 1, material = "ground",
		}
	end,
	triangles = function(world)
		sheet(world, 60, 60, 1)
	end,
}

-- Of a thousand small balls, from 50 to 600 m/s, straight down to 5 degrees, none ends below.
function TestShots.testNoneOfAThousand()
	local seed = 41
	for name, build in pairs(grounds) do
		local random = scenery.generator(seed)
		local world = scree.world { gravity = { 0, 0, 0 }, cell_size = name == "cells of a tenth" and 0.1 or 1 }
		build(world)
		local balls = {}
		for i = 1, 1000 do
			local speed = ({ 50, 200, 600 })[i % 3 + 1]
			local angle = math.rad(i % 2 == 0 and 5 or 5 + 85 * random())
			local turn = 2 * math.pi * random()
			local flat = scree.cos(angle)
			local velocity = speed * vec3(flat * scree.cos(turn), -scree.sin(angle), flat * scree.sin(turn))
			local aim = vec3(24 * random() - 12, 0.05, 24 * random() - 12)
			balls[i] = world:spawn {
				shape = "ball", radius = 0.05, position = aim - velocity * ((0.1 + 1.5 * random()) / 60), velocity = velocity,
				group = "shot", collides_with = "default", restitution = random(2) * 0.5,
			}
		end
		local met, through = 0, 0
		for _ = 1, 12 do
			world:step()
			for _, ball in ipairs(balls) do
				local p = ball.position
				local over = math.max(math.abs(p.x), math.abs(p.z)) < 28
				through = through + (over and p.y < 0 and 1 or 0)
			end
			for _ in world:events "contact_begin" do
				met = met + 1
			end
		end
		lu.assertEquals(through, 0, ("%s, seed %d"):format(name, seed))
		at_least(met, 990, name .. ": met the ground")
	end
end

-- 500 cubes of 20 cm from 10 m, turned at random, on hills of triangles. (On cells: test_physics_ground.lua.)
function TestShots.testCubesOnHillsOfTriangles()
	local seed = 43
	local random, world = scenery.generator(seed), scree.world()
	local function hill(x, z)
		return 1.2 * scree.sin(0.5 * x) * scree.cos(0.4 * z)
	end
	sheet(world, 80, 80, 0.8, nil, hill)
	local cubes = {}
	for i = 0, 499 do
		local x, z = (i % 25) * 2 - 24, math.floor(i / 25) * 2.4 - 23
		cubes[i] = world:spawn {
			shape = "box", size = { 0.2, 0.2, 0.2 }, position = { x, hill(x, z) + 10, z }, rotation = scenery.turn(random),
		}
	end
	run(world, 4)
	for i = 0, 499 do
		local p = cubes[i].position
		at_least(p.y, hill(p.x, p.z) - 0.1, ("cube %d, seed %d"):format(i, seed))
	end
end

-- ---- stacks --------------------------------------------------------------------------------------------------------

local TestStacks = {}

-- 1 kg under a hundred times as much, as a box and as a drum; under 750 times as much a drum leans a little more when
-- it lands. (Of drums of 600 to 1,550 kg one in ten falls off; boxes stand.)
function TestStacks.testLightUnderHeavy()
	local tops = {
		{ 100, { shape = "box", size = { 1, 1, 1 } } },
		{ 60, { shape = "cylinder", radius = 0.5, length = 1 } },
		{ 750, { shape = "cylinder", radius = 0.5, length = 1 } },
	}
	for _, top in ipairs(tops) do
		local world = support.world_with_floor()
		local low = scenery.body(world, 1, { shape = "box", size = { 1, 1, 1 }, position = { 0, 0.5, 0 } })
		top[2].position = { 0, 1.5, 0 }
		local high = scenery.body(world, top[1], top[2])
		local what = ("%d kg, a %s: "):format(top[1], top[2].shape)
		run(world, 10, function(t)
			at_most(math.deg(scenery.tilt(high)), top[1] > 100 and t < 5 and 3 or 2, what .. "tilt at " .. t)
			if t > 5 then
				at_most(0.5 - low.position.y, 0.01, what .. "in the floor")
				at_most(low.position.y + 1 - high.position.y, 0.01, what .. "in the box")
			end
		end)
		scenery.all_asleep(world, what)
	end
end

-- ---- bouncing, rolling ---------------------------------------------------------------------------------------------

local TestBounce = {}

-- On triangles as on cells and boxes (test_physics.lua): never above its height by 1 %, after 20 still at 85 %.
function TestBounce.testElasticOnTriangles()
	for _, dt in ipairs { 1 / 60, 1 / 240 } do
		for _, height in ipairs { 0.2, 5, 50 } do
			local world = scree.world()
			sheet(world, 8, 8, 1, { restitution = 0 })
			local ball = world:spawn { shape = "ball", radius = 0.5, position = { 0.1, height + 0.5, 0.2 }, restitution = 1 }
			local peaks, peak, before = 0, 0, 0
			run(world, 42 * math.sqrt(2 * height / G) + 1, function()
				if before > 0 and ball.velocity.y <= 0 then
					peaks, peak = peaks + 1, ball.position.y - 0.5
					at_most(peak, 1.01 * height, ("peak %d from %g m at dt %g"):format(peaks, height, dt))
				end
				before = ball.velocity.y
				return peaks == 20
			end, dt)
			lu.assertEquals(peaks, 20, height .. " m, dt " .. dt)
			at_least(peak, 0.85 * height, ("last peak from %g m at dt %g"):format(height, dt))
		end
	end
end

-- Half of the speed at each blow, down to the threshold of 1 m/s.
function TestBounce.testHalfElasticOnTriangles()
	local world = scree.world()
	sheet(world, 8, 8, 1, { restitution = 0.5 })
	local ball = world:spawn { shape = "ball", radius = 0.5, position = { 0.1, 5.5, 0.2 }, restitution = 0.5 }
	local peaks, before = {}, 0
	run(world, 5, function()
		if before > 0 and ball.velocity.y <= 0 then
			peaks[#peaks + 1] = ball.position.y - 0.5
		end
		before = ball.velocity.y
	end)
	for i = 1, 3 do
		near(peaks[i], 5 * 0.25 ^ i, 0.1 * 5 * 0.25 ^ i, "peak " .. i)
	end
end

-- 5 m/s without spin on rough ground: it ends rolling with 5/7 of that.
function TestBounce.testEndsRolling()
	for name, build in pairs { cells = scenery.floor, triangles = function(world, values)
		sheet(world, 40, 8, 1, values)
	end } do
		local world = scree.world()
		build(world, { friction = 0.5 })
		local ball = world:spawn {
			shape = "ball", radius = 0.5, position = { -15, 0.5, 0.2 }, velocity = { 5, 0, 0 }, friction = 0.5, rolling = 0,
		}
		run(world, 2)
		near(ball.velocity.x, 25 / 7, 0.01 * 25 / 7, name .. ": v")
		near(ball.angular_velocity.z * 0.5, -25 / 7, 0.01 * 25 / 7, name .. ": rim")
	end
end

-- ---- queries -------------------------------------------------------------------------------------------------------

local TestQueries = {}

-- A block of cells and the box of its size say the same of a ray, from inside and out.
function TestQueries.testBlockAndBoxSayTheSame()
	local cells, boxes = scree.world(), scree.world()
	cells.terrain:fill_box { position = { 0, 0, 0 }, size = { 8, 6, 4 }, material = "brick" }
	boxes:spawn { shape = "box", size = { 8, 6, 4 }, motion = "static" }
	local random, inside = scenery.generator(44), 0
	for k = 1, 400 do
		local from = vec3(14 * random() - 7, 10 * random() - 5, 8 * random() - 4)
		local to = vec3(14 * random() - 7, 10 * random() - 5, 8 * random() - 4)
		local a, b = cells:raycast(from, to), boxes:raycast(from, to)
		lu.assertEquals(a == nil, b == nil, k)
		if a then
			inside = inside + (a.inside and 1 or 0)
			lu.assertEquals(a.inside, b.inside, k)
			near(a.distance, b.distance, 1e-5, "distance of ray " .. k)
			at_most((a.normal - b.normal):length(), 1e-6, "normal of ray " .. k)
			lu.assertEquals(a.normal == vec3(0, 0, 0), a.inside, k)
		end
	end
	at_least(inside, 40, "from inside")
end

-- Boxes that hold everything name everything once; what is in one place is told apart.
function TestQueries.testAllAtOnce()
	local world = scree.world { gravity = { 0, 0, 0 } }
	for i = 1, 3000 do
		world:spawn { shape = "ball", radius = 0.3, position = { i % 50 * 3, math.floor(i / 50) * 3, 0 } }
	end
	for _ = 1, 2000 do
		world:spawn { shape = "ball", radius = 0.3, position = { -500, 0, 0 }, collides_with = "none" }
	end
	local everything = { shape = "box", size = { 1e5, 1e5, 1e5 } }
	local found = world:overlap(everything, { 0, 0, 0 })
	lu.assertEquals(#found, 5000)
	local last = 0
	for _, body in ipairs(found) do
		lu.assertTrue(body.id ~= last)
		last = body.id
	end
	lu.assertEquals(#world:overlap({ shape = "ball", radius = 1 }, { -500, 0, 0 }), 2000)
	lu.assertEquals(#world:raycast_all({ -500, 5, 0 }, { -500, -5, 0 }), 2000)
	world:step()
	lu.assertEquals(#world:overlap(everything, { 0, 0, 0 }), 5000)
	support.fails(function() world:overlap({ shape = "box", size = { -1, 1, 1 } }, { 0, 0, 0 }) end, "size[1]")
	support.fails(function() world:overlap(everything, { 0, support.NAN, 0 }) end, "position")
end

-- R05: every shape, and a block of cells, says the same of a ray that starts in it; without `inside` the ray leaves it
-- unhindered and meets what comes after.
function TestQueries.testEveryShapeFromInside()
	local vertices, indices = {}, {
		{ 1, 3, 4 }, { 1, 4, 2 }, { 5, 6, 8 }, { 5, 8, 7 }, { 1, 2, 6 }, { 1, 6, 5 },
		{ 3, 7, 8 }, { 3, 8, 4 }, { 1, 5, 7 }, { 1, 7, 3 }, { 2, 4, 8 }, { 2, 8, 6 },
	}
	for i = 0, 7 do
		vertices[i + 1] = { i % 2 * 2 - 1, math.floor(i / 2) % 2 * 2 - 1, math.floor(i / 4) * 2 - 1 }
	end
	local solids = {
		cells = function(world)
			world.terrain:fill_box { position = { 0, 0, 0 }, size = { 2, 2, 2 }, material = "rock" }
		end,
		heights = function(world)
			local heights = {}
			for i = 1, 9 * 9 do
				heights[i] = 1
			end
			world.terrain:fill_heightmap {
				heights = heights, width = 9, depth = 9, position = { -4, 0, -4 }, bottom = 4, material = "rock",
			}
		end,
	}
	for name, values in pairs {
		ball = { radius = 1 }, box = { size = { 2, 2, 2 } }, capsule = { radius = 1, length = 1 },
		cylinder = { radius = 1, length = 2 }, cone = { radius = 1, length = 2 }, wedge = { size = { 2, 2, 2 } },
		hull = { points = { { 1, 1, 1 }, { -1, 1, -1 }, { 1, -1, -1 }, { -1, -1, 1 }, { 0, 1.5, 0 } } },
		mesh = { vertices = vertices, indices = indices },
	} do
		solids[name] = function(world)
			values.shape, values.motion = name, "static"
			return world:spawn(values)
		end
	end
	local from = vec3(0.05, -0.2, 0.1)
	for name, build in pairs(solids) do
		local world = scree.world()
		local body = build(world)
		local wall = world:spawn { shape = "box", size = { 1, 20, 20 }, position = { 8.5, 0, 0 }, motion = "static" }
		for _, to in ipairs { vec3(10, 0.1, 0.2), vec3(0, -0.1, 0), from } do
			local hit = world:raycast(from, to)
			lu.assertNotNil(hit, name)
			lu.assertEquals({ hit.inside, hit.fraction, hit.distance }, { true, 0, 0 }, name)
			lu.assertEquals(hit.normal, vec3(0, 0, 0), name)
			lu.assertEquals({ hit.assembly, hit.terrain }, { body, body == nil }, name)
			hit = world:raycast(from, to, { inside = false })
			lu.assertEquals(hit and hit.assembly, to.x == 10 and wall or nil, name)
			if hit then
				near(hit.position.x, 8, 1e-5, name .. ": the wall behind it")
			end
		end
	end
end

-- ---- cells of a piece ----------------------------------------------------------------------------------------------

local TestPieces = {}

local CELL = 0.5 -- m

-- A beam of ten cells along x, of 1000 kg/m3, as a piece with nothing under it.
local function beam(options)
	options.cell_size = CELL
	local world = scree.world(options)
	world.materials.beam = { density = 1000, blockiness = 1, friction = 0.8, restitution = 0 }
	world.terrain:anchor({ 0, -500, 0 }, { 0, -500, 0 }) -- holds nothing
	for x = -5, 4 do
		world.terrain:set(x, 20, 0, "beam")
	end
	return world, world.terrain:detach_all()[1]
end

-- Makes a piece cells of the ground, changes these, and lets them go again with the velocity that they had.
local function edit(world, body, change)
	local velocity, spin, center = body.velocity, body.angular_velocity, body.center_of_mass
	body:to_terrain()
	change(world.terrain)
	local pieces = world.terrain:detach_all()
	lu.assertEquals(#pieces, 1)
	pieces[1].angular_velocity = spin
	pieces[1].velocity = velocity + spin:cross(pieces[1].center_of_mass - center)
	return pieces[1]
end

local function shorten(terrain)
	for x = -5, -3 do
		terrain:set(x, 20, 0, "air")
	end
end

local function lengthen(terrain)
	for x = -5, -3 do
		terrain:set(x, 20, 0, "beam")
	end
end

local function is_beam(body, cells, what)
	local length, mass = cells * CELL, 125 * cells
	local across = mass * (length ^ 2 + CELL ^ 2) / 12
	near(body.mass, mass, 1e-3, what .. ": mass")
	support.is_vec3(body.center_of_mass, 2.5 - length / 2, 10.25, 0.25, 1e-4)
	near(body.inertia.x, mass * CELL ^ 2 / 6, 1e-3, what .. ": inertia about its length")
	near(body.inertia.y, across, 1e-2, what .. ": inertia across")
	near(body.inertia.z, across, 1e-2, what .. ": inertia across")
	lu.assertEquals(body:count(), { beam = cells })
end

-- C03: mass, centre and inertia are those of the cells that are left, and no cell that is left changes its velocity.
function TestPieces.testMassFollowsTheCells()
	local world, body = beam { gravity = { 0, 0, 0 } }
	is_beam(body, 10, "whole")
	body.velocity, body.angular_velocity = { 1, -2, 3 }, { 0.5, -0.4, 0.3 }
	local before = {}
	for x = -2, 4 do
		before[x] = body:velocity_at { (x + 0.5) * CELL, 10.25, 0.25 }
	end
	local function is_as_before(what)
		for x = -2, 4 do
			local now = body:velocity_at { (x + 0.5) * CELL, 10.25, 0.25 }
			at_most((now - before[x]):length(), 1e-5, ("%s: velocity of cell %d"):format(what, x))
		end
	end
	body = edit(world, body, shorten)
	is_beam(body, 7, "short")
	is_as_before "short"
	body = edit(world, body, lengthen)
	is_beam(body, 10, "whole again")
	is_as_before "whole again"
	body = edit(world, body, shorten)
	local start, velocity = body.center_of_mass, body.velocity
	run(world, 2)
	at_most((body.center_of_mass - start - 2 * velocity):length(), 1e-3, "way of the centre, about which it turns")
end

-- C03: it balances on a narrow post, falls off towards its longer end, and balances when the cells are back.
function TestPieces.testBalancesByItsCells()
	for _, case in ipairs { "whole", "short", "whole again" } do
		local world, body = beam {}
		world:spawn {
			shape = "box", size = { 0.3, 1, 0.5 }, position = { 0, 9.5, 0.25 }, motion = "static", friction = 0.8,
		}
		run(world, 2)
		at_most(math.deg(scenery.tilt(body)), 0.1, "tilt at first")
		if case ~= "whole" then
			body = edit(world, body, shorten)
		end
		if case == "whole again" then
			body = edit(world, body, lengthen)
		end
		run(world, 2)
		if case == "short" then
			at_most(body.center_of_mass.y, 9, "it has fallen")
			at_least(body.center_of_mass.x, 0.75, "towards its longer end")
		else
			at_most(math.deg(scenery.tilt(body)), 0.2, case .. ": tilt")
			near(body.center_of_mass.y, 10.25, 0.01, case .. ": height")
		end
	end
end

return {
	TestSeams = TestSeams, TestShots = TestShots, TestStacks = TestStacks, TestBounce = TestBounce,
	TestQueries = TestQueries, TestPieces = TestPieces,
}
