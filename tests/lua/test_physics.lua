-- Bodies with known answers: falling, bouncing, sliding, rolling, turning, stacking. 60 Hz, 4 substeps.

local luaunit = require "luaunit"
local scree = require "scree"
local scenery = require "scenery"

local G, DT = scenery.G, scenery.DT
local near, at_most, at_least, run = scenery.near, scenery.at_most, scenery.at_least, scenery.run
local vec3 = scree.vec3

-- ---- free motion ---------------------------------------------------------------------------------------------------

local TestFreeMotion = {}

function TestFreeMotion.testFallsTwoSeconds()
	local world = scree.world()
	local ball = world:spawn { shape = "ball", radius = 0.5, position = { 0, 100, 0 }, velocity = { 3, 0, -1 } }
	run(world, 2)
	near(ball.velocity.y, -2 * G, 1e-4, "v")
	near(ball.position.x, 6, 1e-4, "x")
	near(ball.position.z, -2, 1e-4, "z")
	near(ball.position.y, 100 - 2 * G, 0.05, "y") -- four substeps a step: a little more than the exact parabola
end

function TestFreeMotion.testFallsAlikeWhereverItIs()
	local heights = {}
	for i, x in ipairs { 0, 1e7, -1e7 } do
		local world = scree.world()
		scenery.floor(world, { restitution = 0.5 })
		world.terrain:fill_box { position = { x, -2, x }, size = { 64, 4, 64 }, material = "floor" }
		local ball = world:spawn { shape = "ball", radius = 0.5, position = { x + 0.25, 4, x }, friction = 0.5 }
		local list = {}
		run(world, 3, function()
			list[#list + 1] = ball.position.y
		end)
		near(ball.position.x, x + 0.25, 1e-3, "x")
		heights[i] = list
	end
	for k = 1, #heights[1] do
		near(heights[2][k], heights[1][k], 1e-3, "height at 1e7 in step " .. k)
		near(heights[3][k], heights[1][k], 1e-3, "height at -1e7 in step " .. k)
	end
end

-- A body that turns about its middle axis, at `spin` and a five-hundredth of that about the others, for as long as it
-- takes to turn over four times; times as they would be at 5 rad/s.
local function gyroscope(rate, spin, shape)
	local world = scree.world { gravity = { 0, 0, 0 } }
	shape.angular_velocity, shape.can_sleep = { spin / 500, spin / 500, spin }, false
	local body = world:spawn(shape)
	local inertia, flips, before = body.inertia, {}, spin
	local function look()
		local w = body.rotation:inverse() * body.angular_velocity
		local l = vec3(inertia.x * w.x, inertia.y * w.y, inertia.z * w.z)
		return w, (body.rotation * l), 0.5 * l:dot(w)
	end
	local _, momentum, energy = look()
	run(world, 100 / spin, function(t)
		local w = look()
		if w.z * before < 0 then
			flips[#flips + 1] = (t - w.z / (w.z - before) / rate) * spin / 5 -- where the line between both crosses 0
		end
		before = w.z
	end, 1 / rate)
	local _, momentum_after, energy_after = look()
	return flips, (momentum_after - momentum):length() / momentum:length(), energy_after / energy - 1
end

-- The intermediate axis theorem, whatever the length of a step; times from integrating Euler's equations.
function TestFreeMotion.testTurnsOverLikeAWingNut()
	local box = { shape = "box", size = { 1, 0.2, 0.5 } }
	for _, case in ipairs { { 60, 5 }, { 60, 0.2 }, { 60, 0.01 }, { 600, 2 } } do
		local flips, momentum_error, energy_error = gyroscope(case[1], case[2], box)
		local what = ("%g rad/s at %d steps a second: "):format(case[2], case[1])
		luaunit.assertEquals(#flips, 4, what)
		for i, t in ipairs { 2.045, 7.061, 12.078, 17.095 } do
			near(flips[i], t, 0.02, what .. "flip " .. i)
		end
		at_most(momentum_error, 1e-6, what .. "angular momentum lost")
		near(energy_error, 0, 1e-6, what .. "energy lost")
	end
end

-- What turns on a floor without friction neither gains nor loses.
function TestFreeMotion.testTurnsOnOverIce()
	for _, spin in ipairs { 1, 5, 20 } do
		local world = scree.world()
		world:spawn {
			shape = "box", size = { 9, 1, 9 }, position = { 0, -0.5, 0 }, motion = "static", friction = 0, rolling = 0,
		}
		local body = world:spawn {
			shape = "capsule", radius = 0.2, length = 1, rotation = scree.euler(0, 0, math.pi / 2), position = { 0, 0.2, 0 },
			friction = 0, rolling = 0, can_sleep = false,
		}
		run(world, 1)
		body.velocity, body.angular_velocity = { 0, 0, 0 }, { 0, spin, 0 }
		run(world, 30)
		near(body.angular_velocity.y / spin, 1, 3e-4, ("%g rad/s"):format(spin))
	end
end

-- Long, thin and flat things, slow and fast, keep their energy and their angular momentum.
function TestFreeMotion.testSlenderBodiesKeepTheirEnergy()
	local shapes = {
		rod = { shape = "capsule", radius = 0.05, length = 2 },
		stick = { shape = "box", size = { 0.05, 2, 0.05 } },
		lath = { shape = "box", size = { 0.05, 2, 0.02 } },
		disc = { shape = "cylinder", radius = 0.5, length = 0.02 },
		plate = { shape = "box", size = { 1, 0.03, 0.6 } },
		crooked = { parts = {
			{ shape = "box", size = { 0.05, 2, 0.02 }, rotation = scree.euler(0.3, 0.5, 0.7) },
			{ shape = "ball", radius = 0.05, position = { 0.3, 0, 0.2 } },
		} },
	}
	for name, shape in pairs(shapes) do
		for _, spin in ipairs { { 3, 1, 2 }, { 10, 1, 5 }, { 30, 10, 20 }, { 5, 60, 10 }, { 100, 3, 5 } } do
			local world = scree.world { gravity = { 0, 0, 0 } }
			shape.angular_velocity, shape.can_sleep = spin, false
			local body = world:spawn(shape)
			local m = { body:inertia_tensor() }
			local function look()
				local w = body.rotation:inverse() * body.angular_velocity
				local l = vec3(m[1] * w.x + m[2] * w.y + m[3] * w.z, m[4] * w.x + m[5] * w.y + m[6] * w.z,
					m[7] * w.x + m[8] * w.y + m[9] * w.z)
				return 0.5 * l:dot(w), body.rotation * l
			end
			local energy, momentum = look()
			local what = ("%s at %s: "):format(name, table.concat(spin, " "))
			run(world, 5, function(t)
				local e, l = look()
				near(e / energy, 1, 0.005, what .. "energy at " .. t)
				at_most((l - momentum):length() / momentum:length(), 1e-5, what .. "momentum at " .. t)
			end)
		end
	end
end

function TestFreeMotion.testCentreOfMassOfACompoundStays()
	local world = scree.world { gravity = { 0, 0, 0 } }
	local body = world:spawn {
		parts = {
			{ shape = "box", size = { 1, 1, 1 }, density = 1 },
			{ shape = "box", size = { 1, 1, 1 }, density = 3, position = { 4, 0, 0 } },
		},
		angular_velocity = { 0, 2, 0 },
	}
	near(body.mass, 4, 1e-6, "mass")
	local start = body.center_of_mass
	near(start.x, 3, 1e-5, "centre")
	near(start.y, 0, 1e-5, "centre")
	-- Two cubes, 2/12 each a kilogram, and 9 m2 x 1 kg + 1 m2 x 3 kg across the line that joins them.
	near(body.inertia.x, 4 / 6, 1e-5, "inertia x")
	near(body.inertia.y, 4 / 6 + 12, 1e-4, "inertia y")
	near(body.inertia.z, 4 / 6 + 12, 1e-4, "inertia z")
	run(world, 10, function()
		at_most((body.center_of_mass - start):length(), 1e-3, "way of the centre")
		near((body.position - start):length(), 3, 1e-3, "distance of the origin")
	end)
	near(body.angular_velocity.y, 2, 1e-4, "spin")
end

function TestFreeMotion.testCapsuleStoodOnEndFallsOver()
	local world = scree.world()
	scenery.floor(world)
	local tilt = math.rad(1)
	local rotation = scree.axis_angle({ 0, 0, 1 }, tilt)
	local body = world:spawn {
		-- its origin is the lower end's centre
		parts = { { shape = "capsule", radius = 0.2, length = 1, position = { 0, 0.5, 0 } } },
		position = { 0, 0.2, 0 },
		rotation = rotation,
	}
	near(body.center_of_mass.y, 0.2 + 0.5 * math.cos(tilt), 1e-5, "centre")
	run(world, 5)
	near(body.center_of_mass.y, 0.2, 0.01, "height of a lying capsule")
end

-- ---- collisions in space -------------------------------------------------------------------------------------------

local TestCollision = {}

function TestCollision.testUnequalBallsSwapSpeeds()
	local world = scree.world { gravity = { 0, 0, 0 } }
	local function ball(x, v, mass)
		return scenery.body(world, mass, {
			shape = "ball", radius = 0.5, position = { x, 0, 0 }, velocity = { v, 0, 0 }, restitution = 1, friction = 0,
		})
	end
	local light, heavy = ball(-3, 3, 1), ball(2, -1, 3)
	run(world, 3)
	near(light.velocity.x, -3, 1e-3, "v of 1 kg")
	near(heavy.velocity.x, 1, 1e-3, "v of 3 kg")
	near(light.velocity.y, 0, 1e-6, "sideways")
end

local function totals(world)
	local momentum, angular, size, angular_size = vec3(0, 0, 0), vec3(0, 0, 0), 0, 0
	for body in world:assemblies() do
		local p = body.mass * body.velocity
		local w = body.rotation:inverse() * body.angular_velocity
		local a, b, c, d, e, f, g, h, i = body:inertia_tensor()
		local l = vec3(a * w.x + b * w.y + c * w.z, d * w.x + e * w.y + f * w.z, g * w.x + h * w.y + i * w.z)
		local spin = body.rotation * l
		local orbit = body.center_of_mass:cross(p)
		momentum, angular = momentum + p, angular + spin + orbit
		size, angular_size = size + p:length(), angular_size + spin:length() + orbit:length()
	end
	return momentum, angular, size, angular_size
end

-- `friction` and `restitution`: nil for random ones.
local function hundred_bodies(seed, friction, restitution)
	local random = scenery.generator(seed)
	local world = scree.world { gravity = { 0, 0, 0 } }
	local shapes = {
		{ shape = "box", size = { 0.8, 0.5, 1.1 } }, { shape = "ball", radius = 0.5 },
		{ shape = "capsule", radius = 0.3, length = 0.7 }, { shape = "wedge", size = { 1, 1, 1 } },
	}
	for i = 0, 99 do
		local options = {}
		for key, value in pairs(shapes[i % 4 + 1]) do
			options[key] = value
		end
		local place = vec3(i % 5, math.floor(i / 5) % 5, math.floor(i / 25)) * 2 - vec3(4, 4, 3)
		options.position, options.rotation = place, scenery.turn(random)
		options.velocity = -1 * place + 2 * scenery.direction(random) -- towards the middle
		options.angular_velocity = 3 * scenery.direction(random)
		options.density = 100 + 900 * random()
		options.friction, options.restitution = friction or random(), restitution or random()
		options.can_sleep = false
		world:spawn(options)
	end
	local p0, l0, p_size, l_size = totals(world)
	local touched = 0
	run(world, 4, function()
		touched = math.max(touched, world.stats.contacts)
	end)
	local p1, l1 = totals(world)
	at_least(touched, 20, "contacts at once, seed " .. seed)
	at_most((p1 - p0):length() / p_size, 1e-4, "momentum lost, seed " .. seed)
	at_most((l1 - l0):length() / l_size, 2e-5, "angular momentum lost, seed " .. seed)
end

function TestCollision.testAHundredBodiesKeepTheirMomentum()
	hundred_bodies(7)
	hundred_bodies(8)
	hundred_bodies(9, 0, 1)
end

-- ---- bouncing ------------------------------------------------------------------------------------------------------

-- Heights of the first peaks of a ball of the given radius over its resting place, at least count of them if it still
-- bounces.
local function peaks(world, height, radius, options)
	local ball = world:spawn {
		shape = "ball", radius = radius, position = { 0.2, height + radius, 0.3 }, friction = 0.5,
		restitution = options.restitution,
	}
	local list, rising, before = {}, false, ball.position.y
	local seconds = (2 * options.count + 2) * math.sqrt(2 * height / G) + 0.5
	run(world, seconds, function()
		local y = ball.position.y
		if rising and y <= before then
			list[#list + 1] = before - radius
		end
		rising = y > before
		before = y
		return #list == options.count
	end, options.dt)
	return list, ball
end

local grounds = {
	slab = function(world)
		scenery.slab(world, { restitution = 0, friction = 0.5 })
	end,
	terrain = scenery.floor,
}

local function each_ground(fn)
	for _, name in ipairs { "slab", "terrain" } do
		fn(name, grounds[name])
	end
end

local TestBounce = {}

function TestBounce.testElasticBallNeitherGainsNorDies()
	each_ground(function(name, build)
		for _, dt in ipairs { 1 / 60, 1 / 240 } do
			for _, height in ipairs { 0.2, 5, 50 } do
				local world = scree.world()
				build(world)
				local list = peaks(world, height, 0.5, { restitution = 1, count = 20, dt = dt })
				local what = ("%s, %g m, dt %g: "):format(name, height, dt)
				luaunit.assertEquals(#list, 20, what)
				for i, peak in ipairs(list) do
					at_most(peak, 1.01 * height, what .. "peak " .. i)
				end
				at_least(list[20], 0.85 * height, what .. "peak 20")
			end
		end
	end)
end

function TestBounce.testHalfElasticBallKeepsAQuarter()
	each_ground(function(name, build)
		local world = scree.world()
		build(world)
		local list = peaks(world, 5, 0.5, { restitution = 0.5, count = 3 })
		near(list[1], 1.25, 0.05 * 1.25, name .. ": peak 1")
		near(list[2], 0.3125, 0.1 * 0.3125, name .. ": peak 2")
		near(list[3], 0.078125, 0.1 * 0.078125, name .. ": peak 3")
	end)
end

function TestBounce.testInelasticBallStays()
	each_ground(function(name, build)
		local world = scree.world()
		build(world)
		local list, ball = peaks(world, 5, 0.5, { restitution = 0, count = 1 })
		at_most(list[1] or 0, 0.02, name .. ": peak")
		run(world, 2)
		near(ball.position.y, 0.5, 0.006, name .. ": height")
		luaunit.assertEquals(ball.state, "asleep", name)
	end)
end

function TestBounce.testAPairTakesTheLargerRestitution()
	for _, pair in ipairs { { 0.2, 0.5 }, { 0.5, 0.2 } } do
		local world = scree.world()
		scenery.floor(world, { restitution = pair[1] })
		local list = peaks(world, 5, 0.5, { restitution = pair[2], count = 1 })
		near(list[1], 1.25, 0.05 * 1.25, "peak")
	end
end

function TestBounce.testTinyBallBounces()
	local world = scree.world()
	scenery.floor(world)
	local list = peaks(world, 0.5, 0.014, { restitution = 0.8, count = 3 })
	near(list[1], 0.32, 0.032, "peak 1")
	near(list[2], 0.64 * list[1], 0.064 * list[1], "peak 2")
	near(list[3], 0.64 * list[2], 0.064 * list[2], "peak 3")
end

-- ---- stacks --------------------------------------------------------------------------------------------------------

local TestStack = {}

local function column(world, count, at, options)
	local boxes = {}
	for i = 1, count do
		local def = { shape = "box", size = { 1, 1, 1 }, position = { at[1], at[2] + i - 0.5, at[3] }, friction = 0.6 }
		for key, value in pairs(options or {}) do
			def[key] = value
		end
		boxes[i] = world:spawn(def)
	end
	return boxes
end

function TestStack.testTenBoxesStand()
	each_ground(function(name, build)
		local world = scree.world()
		build(world)
		local boxes = column(world, 10, { 0, 0, 0 })
		run(world, 10)
		local top = boxes[10].position
		at_most(math.sqrt(top.x ^ 2 + top.z ^ 2), 5e-3, name .. ": way of the top")
		for i, box in ipairs(boxes) do
			near(box.position.y, i - 0.5, 5e-3 * i + 1e-3, name .. ": height of box " .. i)
		end
		scenery.all_asleep(world, name)
	end)
end

function TestStack.testPyramidStands()
	each_ground(function(name, build)
		local world = scree.world()
		build(world)
		local boxes = {}
		for row = 0, 19 do
			for i = 0, 19 - row do
				local place = vec3(i - (19 - row) / 2, row + 0.5, 0)
				boxes[#boxes + 1] = { world:spawn { shape = "box", size = { 1, 1, 1 }, position = place, friction = 0.6 }, place }
			end
		end
		local seconds = world:settle(10)
		luaunit.assertNotNil(seconds, name .. ": not asleep in 10 s")
		for i, entry in ipairs(boxes) do
			local sunk = entry[2].y - entry[1].position.y
			at_most(sunk, 5e-3, ("%s: box %d of row %g sank"):format(name, i, entry[2].y + 0.5))
		end
	end)
end

-- Boxes of 1 m on each other, the lowest first: how deep one is ever in what is under it, how far the top leans.
local function stand(build, masses, drop)
	local world, boxes = scree.world(), {}
	build(world)
	for i, mass in ipairs(masses) do
		local y = i - 0.5 + (i == #masses and drop or 0)
		boxes[i] = scenery.body(world, mass, { shape = "box", size = { 1, 1, 1 }, position = { 0, y, 0 } })
	end
	local deepest, lean = 0, 0
	run(world, 5, function()
		local floor = 0
		for _, box in ipairs(boxes) do
			deepest = math.max(deepest, floor + 0.5 - box.position.y)
			floor = box.position.y + 0.5
		end
		lean = math.max(lean, math.deg(scenery.tilt(boxes[#boxes])))
	end)
	return world, deepest, lean
end

function TestStack.testLightBoxCarriesAHeavyOne()
	each_ground(function(name, build)
		for _, masses in ipairs { { 1, 10 }, { 1, 60 }, { 1, 100 }, { 1, 1000 }, { 1, 1, 1000 }, { 1, 30, 1000 } } do
			local what = ("%s, %s kg: "):format(name, table.concat(masses, " under "))
			local world, deepest, lean = stand(build, masses, 0)
			at_most(deepest, 0.005, what .. "overlap")
			at_most(lean, 0.2, what .. "degrees of lean")
			scenery.all_asleep(world, what)
		end
		local world, deepest, lean = stand(build, { 1, 1000 }, 0.5)
		at_most(deepest, 0.01, name .. ": overlap after a fall")
		at_most(lean, 3, name .. ": degrees of lean after a fall")
		scenery.all_asleep(world, name .. ", after a fall")
	end)
end

function TestStack.testSmallLightBoxRests()
	local world = scree.world()
	scenery.floor(world)
	local box = scenery.body(world, 0.02, { shape = "box", size = { 0.05, 0.05, 0.05 }, position = { 0, 0.025, 0 } })
	run(world, 2)
	local place = box.position
	near(place.y, 0.025, 6e-3, "height")
	run(world, 28, function()
		at_most((box.position - place):length(), 1e-3, "way")
	end)
	luaunit.assertEquals(box.state, "asleep")
end

local function stack_heights(x, z)
	local world = scree.world()
	scenery.floor(world)
	world.terrain:fill_box { position = { math.floor(x), -2, math.floor(z) }, size = { 32, 4, 32 }, material = "floor" }
	local boxes = column(world, 5, { x, 0, z })
	run(world, 10)
	local heights, way = {}, 0
	for i, box in ipairs(boxes) do
		heights[i] = box.position.y
		way = math.max(way, math.abs(box.position.x - x), math.abs(box.position.z - z))
	end
	scenery.all_asleep(world, "stack at " .. x)
	return heights, way
end

function TestStack.testFarFromTheOrigin()
	local reference = stack_heights(0, 0)
	for _, place in ipairs { { 1e4, 0 }, { -1e4, -1e4 }, { 1e5, 0 }, { -1e5, 3 }, { 1e5 + 0.37, -1e5 - 0.37 } } do
		local heights, way = stack_heights(place[1], place[2])
		local what = ("at %g, %g: "):format(place[1], place[2])
		at_most(way, 0.01, what .. "drift")
		for i, height in ipairs(heights) do
			near(height, reference[i], 5e-3, what .. "height of box " .. i)
		end
	end
end

function TestStack.testHighGravityAndRestitution()
	local final = {}
	for i, order in ipairs { "before", "after" } do
		local world = scree.world { gravity = { 0, -200, 0 } }
		if order == "before" then
			scenery.slab(world, { restitution = 0.5, friction = 0.5 })
		end
		local box = world:spawn {
			shape = "box", size = { 1, 1, 1 }, position = { 0, 1.5, 0 }, restitution = 0.5, friction = 0.5,
		}
		if order == "after" then
			scenery.slab(world, { restitution = 0.5, friction = 0.5 })
		end
		run(world, 5)
		luaunit.assertEquals(box.state, "asleep", "floor created " .. order)
		final[i] = box.position
	end
	at_most((final[1] - final[2]):length(), 1e-3, "difference between the orders")
end

-- What is buried in others comes out at 3 m/s and hardly more (3.4 is reached), however many they are.
function TestStack.testManyInOnePlaceSeparateSlowly()
	for _, count in ipairs { 2, 3, 5, 10, 30 } do
		local world, boxes, fastest = scree.world { gravity = { 0, 0, 0 } }, {}, 0
		for i = 1, count do
			boxes[i] = world:spawn { shape = "box", size = { 1, 1, 1 } }
		end
		run(world, 20, function()
			for _, box in ipairs(boxes) do
				fastest = math.max(fastest, box.velocity:length())
			end
		end)
		at_most(fastest, 3.5, count .. " boxes: speed")
		for i, box in ipairs(boxes) do
			for k = 1, i - 1 do
				at_least((box.position - boxes[k].position):length(), 0.9, ("%d boxes: %d from %d"):format(count, i, k))
			end
		end
	end
end

-- ---- steps of any length -------------------------------------------------------------------------------------------

local TestStepLength = {}

local function crowd()
	local world = scree.world()
	scenery.floor(world)
	for i = 0, 19 do
		world:spawn { shape = i % 2 == 0 and "box" or "ball", size = i % 2 == 0 and { 1, 1, 1 } or nil,
			radius = i % 2 == 1 and 0.5 or nil, position = { i % 5 * 1.02, 0.5 + math.floor(i / 5), 0 } }
	end
	world:step(DT, 30)
	at_least(world.stats.contacts, 15, "contacts")
	return world
end

local function all_finite(world)
	for body in world:assemblies() do
		local p, v, w, q = body.position, body.velocity, body.angular_velocity, body.rotation
		for _, x in ipairs { p.x, p.y, p.z, v.x, v.y, v.z, w.x, w.y, w.z, q.x, q.y, q.z, q.w } do
			if x - x ~= 0 then
				return false
			end
		end
	end
	return true
end

function TestStepLength.testZeroChangesNothing()
	local world = crowd()
	local hash = world:hash()
	world:step(0)
	luaunit.assertEquals(world:hash(), hash)
	local twin = crowd()
	world:step(DT, 30)
	twin:step(DT, 30)
	luaunit.assertEquals(world:hash(), twin:hash(), "the step after step(0)")
end

function TestStepLength.testBadValuesAreErrors()
	local world = crowd()
	local hash = world:hash()
	for _, dt in ipairs { -1 / 60, 0 / 0, 1 / 0, "x", 61, {} } do
		luaunit.assertFalse(pcall(world.step, world, dt), "step(" .. tostring(dt) .. ")")
	end
	luaunit.assertEquals(world:hash(), hash)
end

function TestStepLength.testTinyAndHugeStayFinite()
	for _, dt in ipairs { 1e-9, 1e-6, 1e-4, 1, 10 } do
		local world = crowd()
		world:step(dt, 10)
		luaunit.assertTrue(all_finite(world), "dt " .. dt)
		world:step(DT, 60)
		luaunit.assertTrue(all_finite(world), "after dt " .. dt)
	end
end

return {
	TestFreeMotion = TestFreeMotion,
	TestCollision = TestCollision,
	TestBounce = TestBounce,
	TestStack = TestStack,
	TestStepLength = TestStepLength,
}
