-- Queries of compounds, casts against overlaps, far from the origin and at the ends of the world; drawing between
-- steps; ends of contacts.

local luaunit = require "luaunit"
local scree = require "scree"
local scenery = require "scenery"
local support = require "support"

local vec3 = scree.vec3
local near, at_most, at_least, run = scenery.near, scenery.at_most, scenery.at_least, scenery.run

-- ---- casts and overlaps agree --------------------------------------------------------------------------------------

local makers = {
	function(r) return { shape = "ball", radius = 0.2 + r() } end,
	function(r) return { shape = "box", size = { 0.2 + r(), 0.2 + r(), 0.2 + r() } } end,
	function(r) return { shape = "capsule", radius = 0.1 + 0.5 * r(), length = 0.1 + r() } end,
	function(r) return { shape = "wedge", size = { 0.3 + r(), 0.3 + r(), 0.3 + r() } } end,
	function(r)
		local points = {}
		for i = 1, 8 do
			points[i] = { r() - 0.5, r() - 0.5, r() - 0.5 }
		end
		return { shape = "hull", points = points }
	end,
	function(r)
		return {
			parts = {
				{ shape = "ball", radius = 0.3, position = { -0.6, 0, 0 } },
				{ shape = "box", size = { 1, 0.2, 0.3 + 0.3 * r() }, rotation = scenery.turn(r) },
			},
		}
	end,
}

local function scene(seed)
	local random, world = scenery.generator(seed), scree.world()
	world.terrain:fill_ball { center = { 3, -4, 2 }, radius = 5, material = "rock" }
	world.terrain:fill_box { position = { -6, -4, -3 }, size = { 6, 4, 8 }, material = "brick" }
	for i = 1, 60 do
		local options = makers[i % #makers + 1](random)
		options.position = { 16 * random() - 8, 10 * random() - 5, 16 * random() - 8 }
		options.rotation = scenery.turn(random)
		world:spawn(options)
	end
	return world, random
end

local TestQueries = {}

-- A cast stops where its shape first touches: before that nothing overlaps, a little further something does. Casts
-- of every shape, compounds too, against all that there is.
function TestQueries.testCastsEndWhereOverlapsBegin()
	local seed = 31
	local world, random = scene(seed)
	local hits, misses, inside = 0, 0, 0
	for k = 1, 4000 do
		local shape = makers[k % #makers + 1](random)
		shape.rotation = scenery.turn(random)
		local from = vec3(24 * random() - 12, 16 * random() - 8, 24 * random() - 12)
		local to = vec3(24 * random() - 12, 16 * random() - 8, 24 * random() - 12)
		local way = to - from
		local function occupied(t)
			local found, ground = world:overlap(shape, from + way * t)
			return #found > 0 or ground, found
		end
		local hit = world:cast(shape, from, to)
		local what = ("cast %d, seed %d"):format(k, seed)
		if not hit then
			misses = misses + 1
			for i = 0, 4 do
				luaunit.assertFalse((occupied(i / 4)), what .. ": overlaps on a free way at " .. i / 4)
			end
		elseif hit.inside then
			inside = inside + 1
			luaunit.assertEquals(hit.fraction, 0, what)
			luaunit.assertEquals(hit.distance, 0, what)
			luaunit.assertTrue((occupied(0)), what .. ": inside, but nothing overlaps")
		else
			hits = hits + 1
			local step = 2e-4 / way:length()
			near(hit.distance, hit.fraction * way:length(), 1e-9, what .. ": distance")
			near(hit.normal:length(), 1, 1e-5, what .. ": normal")
			at_most(hit.normal:dot(way), 1e-3, what .. ": the normal faces the way")
			for i = 0, 3 do
				luaunit.assertFalse((occupied(math.max(hit.fraction - step, 0) * i / 3)), what .. ": overlaps before the hit")
			end
			-- grazes may be over before the next look
			if hit.normal:dot(way:normalized()) < -0.05 and hit.fraction + 20 * step < 1 then
				local there, found = occupied(hit.fraction + 20 * step)
				luaunit.assertTrue(there, what .. ": nothing overlaps behind the hit")
				local named = hit.terrain
				for _, body in ipairs(found) do
					named = named or body == hit.assembly
				end
				luaunit.assertTrue(named, what .. ": another assembly than the hit's")
			end
		end
	end
	at_least(hits, 1000, "hits")
	at_least(misses, 300, "misses")
	at_least(inside, 100, "inside")
end

function TestQueries.testCompounds()
	local world = scree.world()
	local post = world:spawn { shape = "box", size = { 1, 1, 1 }, position = { 5, 0, 0 } }
	local other = world:spawn { shape = "box", size = { 1, 1, 1 }, position = { 5, 4, 0 } }
	local arms = { parts = { { shape = "ball", radius = 0.5 }, { shape = "ball", radius = 0.5, position = { 0, 4, 0 } } } }
	local hit = world:cast(arms, { 0, 0, 0 }, { 10, 0, 0 })
	near(hit.distance, 4, 1e-5, "the first arm")
	luaunit.assertEquals(hit.assembly, post)
	hit = world:cast(arms, { 0, 0, 0 }, { 10, 0, 0 }, { ignore = post })
	luaunit.assertEquals(hit.assembly, other)
	arms.rotation = scree.axis_angle({ 0, 0, 1 }, -math.pi / 2) -- the second arm now ahead
	hit = world:cast(arms, { -4, 0, 0 }, { 6, 0, 0 })
	near(hit.distance, 4, 1e-5, "the second arm, turned")
	arms.rotation = nil
	local found, ground = world:overlap(arms, { 5, 0, 0 })
	luaunit.assertEquals(found, { post, other })
	luaunit.assertFalse(ground)
	arms.parts[1], arms.parts[2] = arms.parts[2], arms.parts[1]
	luaunit.assertEquals((world:overlap(arms, { 5, 0, 0 })), { post, other }) -- in order of creation still
	arms.position = { 0, -4, 0 }
	luaunit.assertEquals((world:overlap(arms, { 5, 0, 0 })), { post })
	support.fails(function() world:cast({ parts = {} }, { 0, 0, 0 }, { 1, 0, 0 }) end, "cast: shape: parts")
	support.fails(function() world:cast({ parts = { 1 } }, { 0, 0, 0 }, { 1, 0, 0 }) end, "cast: shape: parts[1]")
	local function empty() world:overlap({ parts = { {} } }, { 0, 0, 0 }) end
	support.fails(empty, "overlap: shape: parts[1]: shape is missing")
	support.fails(function() world:overlap({ parts = arms.parts, radius = 1 }, { 0, 0, 0 }) end, '"radius"')
end

-- ---- water ---------------------------------------------------------------------------------------------------------

local WATER = { water = true }

function TestQueries.testWaterKnown()
	local world = scree.world()
	world.terrain:fill_box { position = { 0, -1, 0 }, size = { 20, 2.5, 20 }, material = "water" } -- level 0.25
	local ball, up = { shape = "ball", radius = 0.5 }, vec3(0, 1, 0)
	luaunit.assertNil(world:cast(ball, { 0.3, 5, 0.2 }, { 0.3, -5, 0.2 }))
	local hit = world:cast(ball, { 0.3, 5, 0.2 }, { 0.3, -5, 0.2 }, WATER)
	near(hit.distance, 4.25, 2e-3, "on the level") -- to 1/255 of a cell
	at_most((hit.normal - up):length(), 1e-5, "normal")
	luaunit.assertEquals({ hit.water, hit.terrain, hit.inside, hit.material }, { true, false, false, "water" })
	luaunit.assertNil(hit.assembly)
	support.is_vec3(hit.cell, 0, 0, 0)
	hit = world:cast({ shape = "box", size = { 1, 1, 3 } }, { -30, -0.5, 0 }, { 0, -0.5, 0 }, WATER)
	near(hit.position.x, -10, 1e-4, "at its side")
	at_most((hit.normal - vec3(-1, 0, 0)):length(), 1e-5, "normal of its side")
	hit = world:cast(ball, { 0, 0.5, 0 }, { 0, 9, 0 }, WATER)
	luaunit.assertEquals({ hit.inside, hit.water, hit.fraction }, { true, true, 0 })
	luaunit.assertNil(world:cast(ball, { 0, 0.5, 0 }, { 0, -9, 0 }, { water = true, inside = false }))
	local found, ground, water = world:overlap(ball, { 0, 0.7, 0 }, WATER)
	luaunit.assertEquals({ #found, ground, water }, { 0, false, true })
	luaunit.assertFalse((select(3, world:overlap(ball, { 0, 0.8, 0 }, WATER))))
	luaunit.assertFalse((select(3, world:overlap(ball, { 0, 0.7, 0 }))))
	luaunit.assertTrue((select(3, world:overlap({ shape = "ball", radius = 90000 }, { 0, 80000, 0 }, WATER))))
	-- an edit is seen at once; a body before the water is met first
	local raft = world:spawn { shape = "box", size = { 1, 1, 1 }, position = { 0.3, 2, 0.2 } }
	hit = world:cast(ball, { 0.3, 5, 0.2 }, { 0.3, -5, 0.2 }, WATER)
	luaunit.assertEquals({ hit.assembly, hit.water }, { raft, false })
	world.terrain:clear()
	luaunit.assertNil(world:cast(ball, { 0, 5, 5 }, { 0, -5, 5 }, WATER))
end

-- Ponds of several levels: a cast ends where overlaps begin, and a tiny ball goes as far as a ray.
function TestQueries.testWaterCastsEndWhereOverlapsBegin()
	local seed = 32
	local random, world = scenery.generator(seed), scree.world { cell_size = 0.5 }
	for _ = 1, 12 do
		world.terrain:fill_box {
			position = { 12 * random() - 6, 4 * random() - 2, 12 * random() - 6 }, material = "water",
			size = { 1 + 5 * random(), 0.3 + 2 * random(), 1 + 5 * random() },
		}
	end
	local hits, insides, grazes = 0, 0, 0
	local alone = { water = true, terrain = false, assemblies = false }
	for k = 1, 1500 do
		local shape = makers[k % #makers + 1](random)
		shape.rotation = scenery.turn(random)
		local from = vec3(20 * random() - 10, 10 * random() - 5, 20 * random() - 10)
		local to = vec3(20 * random() - 10, 10 * random() - 5, 20 * random() - 10)
		local way, what = to - from, ("cast %d, seed %d"):format(k, seed)
		local function wet(t)
			return (select(3, world:overlap(shape, from + way * t, alone)))
		end
		local hit = world:cast(shape, from, to, alone)
		if not hit then
			for i = 0, 5 do
				luaunit.assertFalse(wet(i / 5), what .. ": wet on a dry way at " .. i / 5)
			end
		elseif hit.inside then
			insides = insides + 1
			luaunit.assertTrue(wet(0), what .. ": inside, but dry")
		else
			hits = hits + 1
			local step = 2e-4 / way:length()
			for i = 0, 4 do
				luaunit.assertFalse(wet(math.max(hit.fraction - step, 0) * i / 4), what .. ": wet before the hit")
			end
			if hit.normal:dot(way:normalized()) < -0.05 and hit.fraction + 20 * step < 1 then
				luaunit.assertTrue(wet(hit.fraction + 20 * step), what .. ": dry behind the hit")
			end
		end
		local ray, tiny = world:raycast(from, to, alone), world:cast({ shape = "ball", radius = 1e-3 }, from, to, alone)
		if ray and ray.normal:dot(way:normalized()) < -0.2 then
			at_most(tiny.distance, ray.distance + 1e-4, what .. ": a ray")
			grazes = grazes + (tiny.distance < ray.distance - 6e-3 and 1 or 0) -- a corner that the ray passes by
		end
	end
	at_least(hits, 300, "hits")
	at_least(insides, 100, "inside")
	at_most(grazes, 5, "ends before a ray's")
end

-- From one end of the world to the other.
function TestQueries.testLongCasts()
	local world = support.world_with_floor()
	world.terrain:fill_box { position = { 0, 2, 0 }, size = { 4, 2, 4 }, material = "water" }
	local ball = { shape = "ball", radius = 0.5 }
	for _, y in ipairs { 0.25, 1.5 } do
		for _, way in ipairs { 1e3, 1e6, 1e9 } do
			local hit = world:cast(ball, { -way, y, 0 }, { way, y, 0 }, WATER)
			luaunit.assertEquals(hit.water, y > 1)
			at_most(math.abs(hit.position.x) - 16, 1e-3, "place")
		end
	end
	luaunit.assertNil(world:cast(ball, { -1e9, 100, 0 }, { 1e9, 100, 0 }, WATER))
end

-- Bulk rays with options make no garbage either, and what is not finite meets nothing.
function TestQueries.testBulkRaysOfAnyNumbers()
	local ffi = require "ffi"
	local world = scene(1)
	local numbers = { 0, 1e300, -1e300, 1e-300, 0 / 0, math.huge, -math.huge, 1e9, 2 ^ 31, -0.5 }
	local n = 1000
	local from, to, out = ffi.new("double[?]", 3 * n), ffi.new("double[?]", 3 * n), ffi.new("double[?]", n)
	local random = scenery.generator(9)
	for i = 0, 3 * n - 1 do
		from[i], to[i] = numbers[random(10) + 1], numbers[random(10) + 1]
	end
	world:raycasts(n, from, to, out)
	for i = 0, n - 1 do
		luaunit.assertTrue(out[i] == 2 or (out[i] >= 0 and out[i] <= 1))
	end
end

-- ---- far away ------------------------------------------------------------------------------------------------------

local TestFar = {}

-- The same scene at any offset, told relative to it: heights and places within a millimetre.
local function trace(offset)
	local world = scree.world()
	local cell = vec3(math.floor(offset.x), math.floor(offset.y), math.floor(offset.z))
	world.terrain:fill_box { position = cell + vec3(0, -2, 0), size = { 64, 4, 64 }, material = "rock" }
	local bodies = {}
	local function spawn(options)
		options.position = cell + vec3(unpack(options.position))
		bodies[#bodies + 1] = world:spawn(options)
	end
	for i = 0, 4 do
		spawn { shape = "box", size = { 1, 1, 1 }, position = { 10, 0.5 + i, 3 } }
	end
	spawn { shape = "box", size = { 1, 1, 1 }, position = { -20, 0.5, 0 }, velocity = { 4, 0, 0 }, friction = 0.5 }
	spawn { shape = "ball", radius = 0.5, position = { 0, 5, -10 }, restitution = 0.5 }
	spawn { shape = "ball", radius = 0.1, position = { 0, 30, 20 }, velocity = { 30, -200, 0 }, restitution = 0.3 }
	local list = {}
	run(world, 3, function()
		for _, body in ipairs(bodies) do
			list[#list + 1] = body.position - cell
		end
		local hit = world:raycast(cell + vec3(-30, 9, 0.2), cell + vec3(20, -3, 1))
		list[#list + 1] = hit.position - cell
		hit = world:cast({ shape = "ball", radius = 0.3 }, cell + vec3(10.2, 20, 3.1), cell + vec3(10.2, -5, 3.1))
		list[#list + 1] = hit.position - cell
	end)
	return list
end

function TestFar.testTenThousandKilometresAway()
	local here = trace(vec3(0, 0, 0))
	for _, offset in ipairs { vec3(1e7, 0, -1e7), vec3(-1e7, 1e6, 1e7) } do
		local there = trace(offset)
		luaunit.assertEquals(#there, #here)
		for i = 1, #here do
			at_most((there[i] - here[i]):length(), 1e-3, ("%s, entry %d"):format(tostring(offset), i))
		end
	end
end

-- M05: a stack at offsets that are not whole.
function TestFar.testStacksStand()
	for _, x in ipairs { 0, 1e4, -1e4, 1e5, 1e5 + 0.37 } do
		local world = scree.world()
		world.terrain:fill_box { position = { x, -2, 0 }, size = { 20, 4, 20 }, material = "rock" }
		local boxes = {}
		for i = 1, 5 do
			boxes[i] = world:spawn { shape = "box", size = { 1, 1, 1 }, position = { x, i - 0.5, 0 } }
		end
		run(world, 10)
		scenery.all_asleep(world, "at " .. x)
		for i = 1, 5 do
			near(boxes[i].position.y, i - 0.5, 0.005, ("box %d at %g"):format(i, x))
			near(boxes[i].position.x, x, 0.005, ("box %d at %g, sideways"):format(i, x))
		end
	end
end

function TestFar.testTheEndOfTheWorld()
	local world = scree.world { gravity = { 0, -9.81, 0 } }
	local function far()
		world:spawn { shape = "ball", radius = 1, position = { 1.1e9, 0, 0 } }
	end
	support.fails(far, "spawn: position[1]", "1.1e+09")
	support.fails(function() world:raycast({ 0, 0, 0 }, { 0, 2e9, 0 }) end, "raycast: to")
	local ball = world:spawn {
		shape = "ball", radius = 1, position = { 1e9 - 100, 0, -1e9 + 1 }, velocity = { 9000, 0, -9000 },
	}
	run(world, 1)
	luaunit.assertEquals(ball.position.x, 1e9)
	luaunit.assertEquals(ball.position.z, -1e9)
	luaunit.assertEquals(ball.velocity.x, 0)
	at_most(ball.velocity.y, -9, "falls on")
	luaunit.assertEquals(world:raycast({ 1e9, 10, -1e9 + 10 }, { 1e9, ball.position.y, -1e9 }).assembly, ball)
end

-- Q01: a body that falls for ever takes no memory.
function TestFar.testFallingForEver()
	local world = scree.world()
	world.terrain:fill_box { position = { 0, -2, 0 }, size = { 8, 4, 8 }, material = "rock" }
	local ball = world:spawn { shape = "ball", radius = 0.5, position = { 20, 0, 0 } }
	run(world, 2)
	local before = world.stats.bytes
	ball.velocity = { 0, -9000, 0 }
	world:step(1 / 60, 60 * 120)
	at_most(ball.position.y, -1e6, "fallen")
	at_most(world.stats.bytes, before + 2 ^ 20, "bytes")
end

-- ---- drawing -------------------------------------------------------------------------------------------------------

local TestDrawing = {}

function TestDrawing.testBetweenSteps()
	local world = scree.world { gravity = { 0, 0, 0 } }
	local body = world:spawn {
		parts = { { shape = "ball", radius = 0.5, position = { 1, 0, 0 } } }, velocity = { 6, 0, 0 },
		angular_velocity = { 0, 3, 0 }, position = { 0, 2, 0 },
	}
	local still = world:spawn { shape = "ball", radius = 0.5, position = { 0, 9, 0 }, motion = "static" }
	local function at(alpha)
		local buffer, count = world:transforms(alpha)
		luaunit.assertEquals(count, 2)
		luaunit.assertEquals(buffer[0], body.id)
		luaunit.assertEquals(buffer[8], still.id)
		luaunit.assertEquals(buffer[10], 9)
		return vec3(buffer[1], buffer[2], buffer[3]), scree.quat(buffer[4], buffer[5], buffer[6], buffer[7])
	end
	luaunit.assertEquals((at(0.3)), (at(1))) -- before any step
	run(world, 0.5)
	local before, old = body.position, body.rotation
	world:step()
	local function is(alpha, place, rotation)
		local p, q = at(alpha)
		at_most((p - place):length(), 1e-5, "place at " .. alpha)
		support.is_quat(q, rotation.x, rotation.y, rotation.z, rotation.w, 1e-6)
	end
	is(0, before, old)
	is(1, body.position, body.rotation)
	local center = vec3(0, 2, 0) + vec3(1, 0, 0) + vec3(6, 0, 0) * (world.time - 0.25 / 60)
	local turn = old:slerp(body.rotation, 0.75)
	is(0.75, center - turn * vec3(1, 0, 0), turn)
	body.position = { 50, 0, 0 } -- put elsewhere: there at once
	luaunit.assertEquals((at(0.2)), body.position)
	support.fails(function() world:transforms(1.5) end, "transforms: alpha", "1.5")
	support.fails(function() world:transforms "x" end, "transforms: alpha")
end

-- Whole steps for any frame times, and what is drawn moves evenly.
function TestDrawing.testAnyFrameRate()
	for _, frame in ipairs { 1 / 144, 1 / 60, 1 / 37, 1 / 24, 0.05 } do
		local world = scree.world { gravity = { 0, 0, 0 } }
		world:spawn { shape = "ball", radius = 0.5, velocity = { 6, 0, 0 } }
		local real = 0
		for _ = 1, 200 do
			real = real + frame
			local alpha = world:advance(frame)
			luaunit.assertTrue(alpha >= 0 and alpha < 1)
			near(world.time + alpha / 60, real, 1e-9, "time at frames of " .. frame)
			if world.step_count > 0 then
				near(world:transforms(alpha)[1], 6 * (real - 1 / 60), 1e-3, "drawn at frames of " .. frame)
			end
		end
	end
	local world = scree.world()
	world:advance(10) -- a frame that took long: 8 steps, the rest is dropped
	luaunit.assertEquals(world.step_count, 8)
	support.fails(function() world:advance(-1) end, "advance: real_dt")
end

-- ---- ends of contacts ----------------------------------------------------------------------------------------------

local TestEnds = {}

-- Exactly one end for every begin, whatever ends it.
function TestEnds.testEveryCause()
	local causes = {
		destroyed = function(_, box) box:destroy() end,
		["the other destroyed"] = function(_, _, slab) slab:destroy() end,
		moved = function(_, box) box.position = { 0, 50, 0 } end,
		["the other moved"] = function(_, _, slab) slab.position = { 0, -50, 0 } end,
		static = function(_, box) box.motion = "static" end,
		kinematic = function(_, box) box.motion = "kinematic" end,
		thrown = function(_, box) box.velocity = { 0, 30, 0 } end,
		["told to meet nothing"] = function(_, box) box.parts[1].collides_with = "none" end,
		["the other put into another group"] = function(_, box, slab)
			box.parts[1].collides_with = "default"
			slab.parts[1].group = "ghosts"
		end,
		["joined to it"] = function(world, box, slab) world:joint { type = "weld", a = slab, b = box } end,
	}
	for name, cause in pairs(causes) do
		for _, asleep in ipairs { false, true } do
			local world = scree.world()
			local slab = scenery.slab(world)
			local box = world:spawn { shape = "box", size = { 1, 1, 1 }, position = { 0, 0.5, 0 } }
			local begins, ends = 0, 0
			local function count()
				begins = begins + support.count(world:events "contact_begin")
				ends = ends + support.count(world:events "contact_end")
			end
			run(world, asleep and 3 or 0.2, count)
			luaunit.assertEquals(box.state, asleep and "asleep" or "awake")
			luaunit.assertEquals({ begins, ends }, { 1, 0 }, name)
			cause(world, box, slab)
			run(world, 0.1, count)
			luaunit.assertEquals({ begins, ends }, { 1, 1 }, name .. (asleep and ", asleep" or ""))
			run(world, 0.2, count)
			luaunit.assertEquals({ begins, ends }, { 1, 1 }, name .. ", later")
		end
	end
end

-- Groups that still allow a touch end none.
function TestEnds.testGroupsThatStillMeet()
	local world = support.world_with_floor()
	local box = support.box(world, { position = { 0, 0.5, 0 } })
	local high = support.box(world, { position = { 0, 1.5, 0 } })
	run(world, 0.5)
	box.parts[1].group = "crates"
	high.parts[1].collides_with = { "crates", "default" }
	for _ = 1, 5 do
		world:step()
		luaunit.assertEquals(support.count(world:events "contact_end"), 0)
		luaunit.assertEquals(support.count(world:events "contact_begin"), 0)
	end
	luaunit.assertEquals(#box:contacts(), 2)
end

function TestEnds.testGroundDugAway()
	local world = support.world_with_floor()
	local box = support.box(world, { position = { 0, 0.5, 0 } })
	local begins, ends = 0, 0
	local function count()
		begins = begins + support.count(world:events "contact_begin")
		ends = ends + support.count(world:events "contact_end")
	end
	run(world, 3, count)
	luaunit.assertEquals(box.state, "asleep")
	world.terrain:fill_box { position = { 0, -1, 0 }, size = { 8, 2, 8 }, material = "air" }
	run(world, 0.2, count)
	luaunit.assertEquals({ begins, ends }, { 1, 1 })
end

-- Asking again for a step's events makes no new ones; every kind can be asked for by itself.
function TestEnds.testEventsAreReadOnce()
	local world = support.world_with_floor()
	support.box(world, { position = { 0, 0.7, 0 }, velocity = { 0, -3, 0 } })
	local first
	run(world, 1, function()
		first = world:events "hit"()
		return first
	end)
	luaunit.assertNotNil(first)
	luaunit.assertIs(world:events "hit"(), first)
	world:step()
	for event in world:events() do
		luaunit.assertNotIs(event, first)
	end
	local function many(n)
		for _ = 1, n do
			world:events()
		end
		collectgarbage()
		return collectgarbage "count"
	end
	many(10)
	local before = many(1000)
	at_most(many(10000), before + 16, "garbage that stays")
end

return { TestQueries = TestQueries, TestFar = TestFar, TestDrawing = TestDrawing, TestEnds = TestEnds }
