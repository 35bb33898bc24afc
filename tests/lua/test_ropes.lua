-- Many joints together: ropes that hold what hangs on them, momentum, nets, and what breaks.

local lu = require "luaunit"
local scree = require "scree"
local scenery = require "scenery"

local G, DT = scenery.G, scenery.DT
local near, at_most, at_least, run = scenery.near, scenery.at_most, scenery.at_least, scenery.run
local vec3 = scree.vec3
local ball, weightless = scenery.ball, scenery.weightless

-- ---- ropes ---------------------------------------------------------------------------------------------------------

local TestRope = {}

function TestRope.testHangsAtItsLength()
	for _, case in ipairs { { 1, 0.02 }, { 100, 0.05 } } do
		local world = scree.world {}
		local anchor = world:spawn { shape = "box", size = { 0.2, 0.2, 0.2 }, position = { 0, 5, 0 }, motion = "static" }
		local load = ball(world, case[1], { 0, 5, 0 })
		local joint = world:joint { type = "rope", a = anchor, b = load, length = 1 }
		local lowest = math.huge
		for _ = 1, 200 do
			world:step()
			lowest = math.min(lowest, load.position.y)
		end
		at_least(lowest, 4 - case[2], case[1] .. " kg")
		near(load.position.y, 4, 1e-3)
		near(joint.impulse.y / DT, case[1] * G, 0.01 * case[1] * G)
	end
end

function TestRope.testSnapsTaut()
	local world = scree.world {}
	local load = ball(world, 1, { 0, 5, 0 }, { velocity = { 0, -10, 0 } })
	local joint = world:joint { type = "rope", b = load, at = { 0, 5, 0 }, length = 1 }
	local taut
	for step = 1, 60 do
		world:step()
		taut = taut or joint.distance >= 1 and step
		at_most(load.velocity.y, 10)
		if taut and step >= taut + 10 then
			at_most(joint.distance, 1.02)
		end
	end
	lu.assertNotNil(taut)
end

function TestRope.testASwingGainsNoEnergy()
	local world = scree.world {}
	local load = ball(world, 1, { 1, 5, 0 })
	world:joint { type = "rope", b = load, at = { 0, 5, 0 }, length = 1 }
	local lowest = math.huge
	run(world, 10, function()
		local gain = 0.5 * load.velocity:length_squared() + G * (load.position.y - 5)
		at_most(gain, 0.01 * G)
		lowest = math.min(lowest, gain)
	end)
	at_least(lowest, -0.02 * G) -- nor does it lose much
end

-- Links of 0.1 kg that carry up to a hundred thousand times as much, hanging and let go from the side.
local function chain(world, count, mass, load_mass, aside)
	local along = aside and vec3(1, 0, 0) or vec3(0, -1, 0)
	local turn = aside and scree.axis_angle({ 0, 0, 1 }, math.pi / 2) or nil
	local last
	for i = 1, count do
		local link = scenery.body(world, mass, {
			shape = "capsule", radius = 0.02, length = 0.05, position = (i - 0.5) * 0.1 * along, rotation = turn,
		})
		world:joint { type = "ball", a = last, b = link, at = (i - 1) * 0.1 * along }
		last = link
	end
	local load = ball(world, load_mass, (count * 0.1 + 0.3) * along, { radius = 0.3 })
	return load, world:joint { type = "ball", a = last, b = load, at = count * 0.1 * along }
end

function TestRope.testAHundredLinksHold()
	for _, case in ipairs {
		{ 10, false }, { 100, false }, { 10000, false }, { 1e5, false }, { 100, true }, { 1000, true },
	} do
		local world = scree.world {}
		local load, joint = chain(world, 100, 0.1, case[1], case[2])
		local longest = 0
		run(world, 4, function()
			longest = math.max(longest, joint.at:length())
		end)
		local what = case[1] .. (case[2] and " kg swinging" or " kg hanging")
		at_most(longest, 10 * (case[2] and 1.01 or 1.002), what)
		if not case[2] then
			near(joint.impulse.y / DT, case[1] * G, 0.01 * case[1] * G, what)
			at_most(load.velocity:length(), 0.01, what)
		end
	end
end

-- Ropes joint by joint, without links of their own.
function TestRope.testRopesInARow()
	local world = scree.world {}
	local last, top = nil, vec3(0, 0, 0)
	for i = 1, 30 do
		local knot = ball(world, 0.2, { 0.3 * i, 0, 0 }, { radius = 0.05 })
		world:joint { type = "rope", a = last, b = knot, at = not last and top or nil, length = 0.3 }
		last = knot
	end
	local load = ball(world, 20, { 9.3, 0, 0 }, { radius = 0.2 })
	world:joint { type = "rope", a = last, b = load, length = 0.3 }
	local longest = 0
	run(world, 6, function() longest = math.max(longest, load.position:length()) end)
	at_most(longest, 9.3 * 1.02)
end

-- A bridge of planks, each hung on the next by both of its sides, with a heavy guest in the middle.
function TestRope.testABridgeCarries()
	local world = scree.world {}
	local last
	local ends = {}
	for i = 1, 20 do
		local plank = scenery.body(world, 5, { shape = "box", size = { 0.48, 0.1, 2 }, position = { i * 0.5 - 0.25, 0, 0 } })
		for _, z in ipairs { -1, 1 } do
			local joint = world:joint { type = "ball", a = last, b = plank, at = { (i - 1) * 0.5, 0, z } }
			ends[#ends + 1] = i == 1 and joint or nil
		end
		last = plank
	end
	for _, z in ipairs { -1, 1 } do
		ends[#ends + 1] = world:joint { type = "ball", b = last, at = { 10, 0, z } }
	end
	local guest = ball(world, 200, { 5, 1, 0 }, { radius = 0.5 })
	run(world, 3)
	local carried = 0
	run(world, 4, function()
		for _, joint in ipairs(ends) do
			carried = carried + joint.impulse.y
		end
	end)
	at_least(guest.position.y, -1.2)
	near(carried / 4, (200 + 100) * G, 0.05 * 300 * G)
	local gap = 0
	for joint in world:joints() do
		gap = math.max(gap, (joint.at_a - joint.at_b):length())
	end
	at_most(gap, 0.03) -- the guest bounces on a bridge that is drawn straight
end

-- ---- the whole -----------------------------------------------------------------------------------------------------

local TestMomentum = {}

-- Four bodies tied in different ways, thrown into space: nothing from outside acts on them.
function TestMomentum.testOfJoinedFreeBodies()
	local world = weightless()
	local bodies, random = {}, scenery.generator(11)
	for i = 1, 6 do
		bodies[i] = scenery.body(world, 0.5 + i, {
			shape = "box", size = { 0.5, 0.3, 0.4 }, position = { i, 0, 0 }, velocity = 3 * scenery.direction(random),
			angular_velocity = 4 * scenery.direction(random), rotation = scenery.turn(random),
		})
	end
	local kinds = { "ball", "hinge", "slider", "rope", "spring" }
	for i, kind in ipairs(kinds) do
		world:joint {
			type = kind, a = bodies[i], b = bodies[i + 1], at = kind ~= "rope" and { i + 0.5, 0, 0 } or nil,
			axis = (kind == "hinge" or kind == "slider") and { 0, 1, 1 } or nil, frequency = kind == "spring" and 2 or nil,
		}
	end
	local function momentum()
		local linear, angular = vec3(0, 0, 0), vec3(0, 0, 0)
		for _, body in ipairs(bodies) do
			local m = body.mass
			local ixx, ixy, ixz, iyx, iyy, iyz, izx, izy, izz = body:inertia_tensor()
			local w = body.rotation:inverse() * body.angular_velocity
			local l = vec3(ixx * w.x + ixy * w.y + ixz * w.z, iyx * w.x + iyy * w.y + iyz * w.z,
				izx * w.x + izy * w.y + izz * w.z)
			linear = linear + m * body.velocity
			angular = angular + body.rotation * l + m * body.center_of_mass:cross(body.velocity)
		end
		return linear, angular
	end
	local p, l = momentum()
	run(world, 5)
	local p2, l2 = momentum()
	at_most((p2 - p):length(), 1e-3 * p:length(), "momentum")
	at_most((l2 - l):length(), 5e-3 * l:length(), "angular momentum")
end

-- A disc of 0.5 m that spins with 60 rad/s on an arm of 0.3 m goes round by itself.
function TestMomentum.testHeavyTop()
	local world, points, n = scree.world {}, {}, 32
	local radius = 0.5 / math.sqrt(1 - 2 / 3 * math.sin(math.pi / n) ^ 2) -- of a polygon with the disc's inertia

	for i = 0, n - 1 do
		local a = 2 * math.pi * i / n
		for _, x in ipairs { -0.02, 0.02 } do
			points[#points + 1] = { x, radius * scree.sin(a), radius * scree.cos(a) }
		end
	end
	local disc = scenery.body(world, 1, {
		shape = "hull", points = points, position = { 0.3, 0, 0 }, angular_velocity = { 60, 0, 0 },
	})
	near(disc.inertia.x, 0.125, 0.001)
	world:joint { type = "ball", b = disc, at = { 0, 0, 0 } }
	-- started with the precession's own speed, so that it does not nod
	disc.angular_velocity = { 60, 0.3924, 0 }
	disc.velocity = vec3(0, 0.3924, 0):cross { 0.3, 0, 0 }
	local before, turned, last = 0, 0, 0
	run(world, 5, function()
		local p = disc.position
		local a = math.atan2(-p.z, p.x)
		local step = a - last
		turned = turned + (step > math.pi and step - 2 * math.pi or step < -math.pi and step + 2 * math.pi or step)
		last = a
	end)
	near(math.abs(turned - before) / 5, 0.3935, 0.03 * 0.3935)
	at_most(math.abs(disc.position.y), 0.02)
end

-- ---- nets ----------------------------------------------------------------------------------------------------------

local TestNet = {}

-- Seven times seven balls of 1 to 19 kg a metre apart, tied in rows and columns at points beside the lines between
-- them.
local function net(seed, radius, kind, options)
	local random, world, balls = scenery.generator(seed), scree.world(options), {}
	local function beside(x, z)
		return vec3(x, 0, z) + 0.3 * vec3(2 * random() - 1, 2 * random() - 1, 2 * random() - 1)
	end
	local function tie(a, b, x, z)
		local joint = { type = kind, a = a, b = b, at = beside(x, z), axis = { 0, 1, 0 } }
		if kind == "cone" then
			joint.type, joint.cone = "ball", 3
		elseif kind == "ball" then
			joint.axis = nil
		end
		world:joint(joint)
	end
	for i = 1, 49 do
		local x, z = (i - 1) % 7, math.floor((i - 1) / 7)
		balls[i] = ball(world, 1 + 18 * random(), { x, 0, z }, { radius = radius, collides_with = "none" })
		if x > 0 then
			tie(balls[i - 1], balls[i], x - 0.5, z)
		end
		if z > 0 then
			tie(balls[i - 7], balls[i], x, z - 0.5)
		end
	end
	local g = world.gravity
	local function energy()
		local sum = 0
		for _, body in ipairs(balls) do
			sum = sum + body.mass * (0.5 * body.velocity:length_squared() - g:dot(body.position))
				+ 0.5 * body.inertia.x * body.angular_velocity:length_squared()
		end
		return sum
	end
	return world, balls, energy, tie, random
end

local function widest(world)
	local gap = 0
	for joint in world:joints() do
		gap = math.max(gap, (joint.at_a - joint.at_b):length())
	end
	return gap
end

-- Hung by its corners it falls, swings and comes to rest; it gains no energy and stays in one piece.
function TestNet.testHungByItsCorners()
	for seed, kind in ipairs { "ball", "ball", "cone", "hinge" } do
		local radius = seed == 1 and 0.2 or 0.4
		local what = ("a net of %s joints, seed %d: "):format(kind, seed)
		local world, balls, energy, tie = net(seed, radius, kind)
		for _, i in ipairs { 1, 7, 43, 49 } do
			tie(nil, balls[i], (i - 1) % 7, math.floor((i - 1) / 7))
		end
		local start, gap = energy(), 0
		run(world, 8, function(t)
			at_most(energy(), start, what .. "energy at " .. t)
			gap = math.max(gap, widest(world))
		end)
		at_most(gap, radius == 0.2 and 0.4 or 0.2, what .. "apart")
		at_most(energy(), start - (kind == "hinge" and 100 or 2000), what .. "energy at last") -- it has come down
	end
end

-- Thrown about in space it only loses energy, and keeps its momentum.
function TestNet.testThrownIntoSpace()
	local world, balls, energy, _, random = net(5, 0.2, "ball", { gravity = { 0, 0, 0 } })
	local function momentum()
		local sum = vec3(0, 0, 0)
		for _, body in ipairs(balls) do
			sum = sum + body.mass * body.velocity
		end
		return sum
	end
	for _, body in ipairs(balls) do
		body.velocity = 3 * vec3(2 * random() - 1, 2 * random() - 1, 2 * random() - 1)
	end
	local last, first = energy(), momentum()
	for _ = 1, 8 do
		run(world, 1)
		at_most(energy(), 1.02 * last, "energy")
		last = energy()
	end
	at_least(last, 50, "it moves on")
	at_most((momentum() - first):length(), 1e-3 * first:length(), "momentum")
	at_most(widest(world), 0.1, "apart")
end

local TestBreaking = {}

function TestBreaking.testAtItsForce()
	for _, kind in ipairs { "ball", "weld", "rope", "rod", "hinge", "slider", "spring" } do
		local world = weightless()
		local bob = ball(world, 1, { 0, -1, 0 })
		local joint = world:joint {
			type = kind, b = bob, at = { 0, 0, 0 }, break_force = 100,
			axis = (kind == "hinge" or kind == "slider") and { 1, 0, 0 } or nil,
			stiffness = kind == "spring" and 1e5 or nil, damping = kind == "spring" and 500 or nil,
		}
		local force = 0
		while not joint.broken and force < 200 do
			force = force + 0.25
			bob:apply_force { 0, -force, 0 }
			world:step()
		end
		near(force, 100, 1, kind)
		lu.assertTrue(joint.valid)
		local events = {}
		for event in world:events "joint_break" do
			events[#events + 1] = event
		end
		lu.assertEquals(#events, 1, kind)
		lu.assertIs(events[1].joint, joint)
		lu.assertIs(events[1].b, bob)
		lu.assertNil(events[1].a)
		bob.velocity = { 0, -5, 0 }
		run(world, 1)
		at_most(bob.position.y, -5, kind) -- it flies
		lu.assertEquals(world.stats.joints, 0)
	end
end

function TestBreaking.testAtItsTorque()
	local world = weightless()
	local beam = scenery.body(world, 1, { shape = "box", size = { 1, 0.1, 0.1 } })
	local joint = world:joint { type = "weld", b = beam, break_torque = 40 }
	local torque = 0
	while not joint.broken and torque < 100 do
		torque = torque + 0.25
		beam:apply_torque { 0, 0, torque }
		world:step()
	end
	near(torque, 40, 0.6)
end

return { TestRope = TestRope, TestMomentum = TestMomentum, TestNet = TestNet, TestBreaking = TestBreaking }
