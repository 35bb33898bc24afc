-- Joints and sleep, and joints in steps of odd lengths and in snapshots.

local lu = require "luaunit"
local scree = require "scree"
local scenery = require "scenery"
local joint_kinds = require "joint_kinds"

local DT = scenery.DT
local near, at_most, at_least, run = scenery.near, scenery.at_most, scenery.at_least, scenery.run
local vec3 = scree.vec3

local KINDS, ball, join = joint_kinds.list, joint_kinds.ball, joint_kinds.join

-- ---- sleep ---------------------------------------------------------------------------------------------------------

local TestSleep = {}

-- A door that sleeps, and every way to set its joint anew.
function TestSleep.testEverySetterWakes()
	local cases = {
		{ "hinge", { limits = { 0, 3 } }, "limits", { -1, 1 } },
		{ "hinge", {}, "motor", { speed = 2, max_torque = 200 } },
		{ "hinge", {}, "servo", { target = 1 } },
		{ "slider", { servo = { target = 0 } }, "servo", { target = 1 } },
		{ "slider", { limits = { 0, 1 } }, "limits", nil },
		{ "cylindrical", { limits = { 0, 1 } }, "twist", { 0, 1 } },
		{ "ball", { cone = 0.1, twist = { -0.1, 0.1 } }, "cone", 1 },
		{ "ball", { cone = 0.1, twist = { -0.1, 0.1 } }, "twist", nil },
		{ "ball", { cone = 0.1, twist = { -0.1, 0.1 } }, "friction", 2 },
		{ "rope", { length = 1 }, "length", 2 },
		{ "rod", { length = 1 }, "length", 0.5 },
		{ "spring", { length = 1, damping = 1, frequency = 5 }, "length", 1.5 },
		{ "spring", { length = 1, damping = 1, frequency = 5 }, "frequency", 2 },
		{ "spring", { length = 1, damping = 1, stiffness = 5000 }, "stiffness", 500 },
		{ "spring", { length = 1, damping = 1, frequency = 5 }, "damping", 0.1 },
		{ "align", {}, "position", { 0, 3, 0 } },
		{ "align", {}, "rotation", scree.axis_angle({ 0, 1, 0 }, 1) },
		{ "align", {}, "max_force", 1 },
		{ "align", {}, "max_torque", 1 },
		{ "align", {}, "max_speed", 1 },
		{ "align", {}, "max_turn", 1 },
		{ "align", {}, "response", 1 },
		{ "weld", {}, "break_force", 1 },
		{ "weld", {}, "break_torque", 1 },
	}
	for _, case in ipairs(cases) do
		local kind, options, name, value = case[1], {}, case[3], case[4]
		for key, item in pairs(case[2]) do
			options[key] = item
		end
		local world = scree.world {}
		local body = scenery.body(world, 10, { shape = "box", size = { 1, 1, 0.1 }, position = { 0, -1, 0 } })
		options.type, options.b = kind, body
		options.at = (kind == "rope" or kind == "rod" or kind == "spring") and { 0, 0, 0 } or { 0, -0.5, 0 }
		options.axis = (kind ~= "weld" and kind ~= "align" and options.length == nil) and { 0, 1, 0 } or nil
		local joint = world:joint(options)
		local what = kind .. "." .. name
		lu.assertNotNil(world:settle(60), what .. " never slept")
		joint[name] = value
		lu.assertEquals(body.state, "awake", what)
		world:step()
		lu.assertEquals(body.state, "awake", what)
	end
end

function TestSleep.testAMotorThatIsSwitchedOnTurnsTheDoor()
	local world = scree.world {}
	local door = scenery.body(world, 10, { shape = "box", size = { 1, 2, 0.1 }, position = { 0.5, 5, 0 } })
	local joint = world:joint { type = "hinge", b = door, at = { 0, 5, 0 }, axis = { 0, 1, 0 } }
	run(world, 10)
	lu.assertEquals(door.state, "asleep")
	joint.motor = { speed = 2, max_torque = 200 }
	run(world, 1)
	at_least(joint.angle, 1.8)
	joint.motor = { speed = -2 }
	run(world, 1)
	near(door.angular_velocity.y, -2, 1e-3)
	joint.motor = { speed = 0 }
	run(world, 0.48) -- just before it would sleep
	joint.motor = { speed = -2 }
	run(world, 1)
	near(door.angular_velocity.y, -2, 1e-3)
end

-- A ball that sleeps on a rope: rope cut, anchor destroyed, anchor moved.
function TestSleep.testWhatHangsFalls()
	for _, way in ipairs { "joint", "anchor", "moved" } do
		local world = scree.world {}
		local anchor = world:spawn { shape = "box", size = { 0.2, 0.2, 0.2 }, position = { 0, 5, 0 }, motion = "static" }
		local load = ball(world, { 0, 3, 0 })
		local joint = world:joint { type = "rope", a = anchor, b = load, length = 2 }
		lu.assertNotNil(world:settle(20))
		if way == "joint" then
			joint:destroy()
		elseif way == "anchor" then
			anchor:destroy()
		else
			anchor.position = { 0, 3, 0 }
		end
		world:step()
		lu.assertEquals(load.state, "awake", way)
		run(world, 0.5 - DT)
		near(load.position.y, 3 - 1.23, 0.1, way)
	end
end

function TestSleep.testAMechanismSleepsAndWakes()
	for _, rule in ipairs { "impulse", "velocity" } do
		local world = scree.world { sleep = { rule = rule } }
		local links, last = {}, nil
		for i = 1, 10 do
			links[i] = world:spawn { shape = "capsule", radius = 0.1, length = 0.3, position = { 0, -0.5 * i + 0.25, 0 } }
			world:joint { type = "ball", a = last, b = links[i], at = { 0, -0.5 * (i - 1), 0 } }
			last = links[i]
		end
		lu.assertNotNil(world:settle(20))
		last:apply_impulse { 400, 0, 0 }
		lu.assertEquals(last.state, "awake")
		lu.assertEquals(links[1].state, rule == "impulse" and "asleep" or "awake")
		world:step(DT, 60) -- what moves takes the others along
		for i = 1, 10 do
			lu.assertEquals(links[i].state, "awake", rule .. ", link " .. i)
		end
		links[3]:sleep() -- does not last: what is joined to it moves
		world:step(DT, 2)
		lu.assertEquals(links[3].state, "awake")
	end
end

-- Two that hold each other and drift in empty space go on drifting.
function TestSleep.testAFreeMechanismDriftsOn()
	local world = scree.world { gravity = { 0, 0, 0 } }
	local a = ball(world, { 0, 0, 0 }, { velocity = { 0.03, 0, 0 } })
	local b = ball(world, { 1, 0, 0 }, { velocity = { 0.03, 0, 0 } })
	world:joint { type = "weld", a = a, b = b }
	run(world, 20)
	near(b.position.x, 1.6, 0.01)
	lu.assertEquals(a.state, "awake")
end

function TestSleep.testAPlatformThatStartsWakesWhatItCarries()
	local world = scree.world {}
	local platform = world:spawn { shape = "box", size = { 1, 1, 1 }, motion = "kinematic" }
	local bell = ball(world, { 0, -1, 0 })
	world:joint { type = "ball", a = platform, b = bell, at = { 0, -0.5, 0 } }
	lu.assertNotNil(world:settle(20))
	platform.velocity = { 1, 0, 0 }
	world:step()
	lu.assertEquals(bell.state, "awake")
	run(world, 2)
	near(bell.position.x, platform.position.x, 0.6)
end

local TestSteps = {}

local function every_kind(options)
	local world = scree.world(options)
	scenery.slab(world)
	for i, kind in ipairs(KINDS) do
		local top = ball(world, { 2 * i, 3, 0 })
		local low = ball(world, { 2 * i, 2, 0.5 }, { velocity = { 0.5, 0, 1 } })
		join(world, kind, { b = top, at = { 2 * i, 3.5, 0 } })
		join(world, kind, { a = top, b = low })
	end
	for i = 1, 12 do
		world:spawn { shape = "box", size = { 0.8, 0.8, 0.8 }, position = { 3 + i % 4, 0.4 + 0.8 * math.floor(i / 4), 3 } }
	end
	return world
end

local function is_sane(world, what)
	for body in world:assemblies() do
		local p, v, w = body.position, body.velocity, body.angular_velocity
		lu.assertTrue(p - p == vec3(0, 0, 0) and v - v == vec3(0, 0, 0) and w - w == vec3(0, 0, 0), what)
	end
end

-- Steps of no time, of next to none and of very much leave everything in its senses.
function TestSteps.testOddTimes()
	local world = every_kind {}
	world:step(DT, 30)
	local hash = world:hash()
	world:step(0)
	lu.assertEquals(world:hash(), hash)
	for _, dt in ipairs { 1e-9, 1e-6, DT, 1e-4, 0.5, DT, 10, DT } do
		world:step(dt, 3)
		is_sane(world, "after " .. dt)
	end
end

-- A step that is much shorter than the others does not kick: impulses of the last one count by its time.
function TestSteps.testATinyStepChangesNothingMuch()
	local world = every_kind {}
	world:step(DT, 60)
	local before = {}
	for body in world:assemblies() do
		before[body] = { body.velocity, body.position }
	end
	world:step(1e-9)
	for body, state in pairs(before) do
		at_most((body.position - state[2]):length(), 1e-6)
		at_most((body.velocity - state[1]):length(), 0.3, tostring(body))
	end
end

function TestSteps.testTheSameBitsWithAnyThreads()
	local hashes = {}
	for _, threads in ipairs { 1, 2, 3 } do
		local world = every_kind { threads = threads }
		local grid, n = {}, 12 -- a net, which is solved in colours
		for i = 0, n - 1 do
			for k = 0, n - 1 do
				local knot = ball(world, { k, 8, i - 20 }, { motion = i == 0 and k % 4 == 0 and "static" or "dynamic" })
				grid[i * n + k] = knot
				if k > 0 then
					world:joint { type = "ball", a = grid[i * n + k - 1], b = knot, at = { k - 0.5, 8, i - 20 } }
				end
				if i > 0 then
					world:joint { type = "ball", a = grid[(i - 1) * n + k], b = knot, at = { k, 8, i - 20.5 } }
				end
			end
		end
		world:step(DT, 120)
		is_sane(world)
		hashes[#hashes + 1] = world:hash()
	end
	lu.assertEquals(hashes[2], hashes[1])
	lu.assertEquals(hashes[3], hashes[1])
end

-- Back to a snapshot everything happens again, joints with their turns, impulses and breaks among it.
function TestSteps.testSnapshots()
	local world = every_kind {}
	local wheel = ball(world, { 0, 20, 0 })
	local hinge = world:joint { type = "hinge", b = wheel, axis = { 0, 1, 0 }, motor = { speed = 12 } }
	local weak = world:joint { type = "weld", b = ball(world, { 3, 20, 0 }), break_force = 1e5 }
	local gone = world:joint { type = "ball", b = ball(world, { 6, 20, 0 }) }
	world:step(DT, 100)
	gone:destroy()
	local snapshot, hash, angle = world:snapshot(), world:hash(), hinge.angle
	at_least(angle, 15)
	world:step(DT, 60)
	local later = world:hash()
	weak:destroy()
	world:joint { type = "ball", b = wheel }
	hinge.motor = nil
	world:step(DT, 5)
	lu.assertTrue(world:restore(snapshot))
	lu.assertEquals(world:hash(), hash)
	lu.assertEquals(hinge.angle, angle)
	lu.assertTrue(weak.valid)
	lu.assertFalse(gone.valid)
	lu.assertEquals(#wheel:joints(), 1)
	lu.assertIs(wheel:joints()[1], hinge)
	lu.assertEquals(hinge.motor.speed, 12)
	world:step(DT, 60)
	lu.assertEquals(world:hash(), later)
end

function TestSteps.testTheHashKnowsJoints()
	local function world_with(options)
		local world = scree.world {}
		local body = ball(world, { 0, 0, 0 })
		options.type, options.b, options.at, options.axis = "hinge", body, { 0, 0, 0 }, { 0, 1, 0 }
		world:joint(options)
		return world:hash()
	end
	local plain = world_with {}
	lu.assertEquals(world_with {}, plain)
	lu.assertNotEquals(world_with { limits = { 0, 1 } }, plain)
	lu.assertNotEquals(world_with { break_force = 5 }, plain)
end

return { TestSleep = TestSleep, TestSteps = TestSteps }
