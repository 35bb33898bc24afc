-- Joints against known values: periods, limits, servos, loads, momentum, and chains that hold what hangs on them.

local lu = require "luaunit"
local scree = require "scree"
local scenery = require "scenery"

local G, DT = scenery.G, scenery.DT
local near, at_most, at_least, run = scenery.near, scenery.at_most, scenery.at_least, scenery.run
local vec3, deg, rad = scree.vec3, math.deg, math.rad

local function ball(world, mass, position, changes)
	local options = { shape = "ball", radius = 0.1, position = position }
	for key, value in pairs(changes or {}) do
		options[key] = value
	end
	return scenery.body(world, mass, options)
end

local function weightless(options)
	options = options or {}
	options.gravity = { 0, 0, 0 }
	return scree.world(options)
end

-- Times at which a function of the world goes through 0, downwards.
local function crossings(world, seconds, value)
	local times, last = {}, value()
	for step = 1, seconds * 60 do
		world:step()
		local now = value()
		if last > 0 and now <= 0 then
			times[#times + 1] = (step - 1 + last / (last - now)) * DT
		end
		last = now
	end
	return times
end

local function mean_period(times)
	return (times[#times] - times[1]) / (#times - 1)
end

-- ---- pendulums -----------------------------------------------------------------------------------------------------

local TestPendulum = {}

local PERIODS = { [5] = 2.01103, [30] = 2.04507 } -- of a ball of radius 0.1 at 1 m

local function pendulum_period(kind, angle, origin)
	local world, a = scree.world {}, rad(angle)
	origin = origin or vec3(0, 0, 0)
	local bob = ball(world, 1, origin + vec3(scree.sin(a), -scree.cos(a), 0))
	world:joint { type = kind, b = bob, at = origin, axis = kind == "hinge" and { 0, 0, 1 } or nil }
	local period = mean_period(crossings(world, 10, function() return bob.position.x - origin.x end))
	near((bob.position - origin):length(), 1, 1e-3, "length")
	return period
end

function TestPendulum.testPeriods()
	for angle, wanted in pairs(PERIODS) do
		for _, kind in ipairs { "ball", "hinge" } do
			near(pendulum_period(kind, angle), wanted, 0.005 * wanted, kind .. " at " .. angle)
		end
	end
end

function TestPendulum.testFarFromTheOrigin()
	local here, there = pendulum_period("ball", 30), pendulum_period("ball", 30, vec3(1e7, 1e7, -1e7))
	near(there, here, 1e-3)
end

-- A point of mass on a rod (no turning of its own counts: the ball hangs at its centre).
function TestPendulum.testRodAndRope()
	for _, kind in ipairs { "rod", "rope" } do
		local world, a = scree.world {}, rad(5)
		local bob = ball(world, 1, { scree.sin(a), -scree.cos(a), 0 })
		local joint = world:joint { type = kind, b = bob, at = { 0, 0, 0 }, length = 1 }
		local wanted = 2 * math.pi * math.sqrt(1 / G) * (1 + a * a / 16)
		near(mean_period(crossings(world, 10, function() return bob.position.x end)), wanted, 0.005 * wanted, kind)
		near(joint.distance, 1, 1e-3, kind)
	end
end

function TestPendulum.testEnergyOfADoublePendulum()
	local world = scree.world {}
	local a, b = ball(world, 1, { 1, 5, 0 }), ball(world, 1, { 2, 5, 0 })
	world:joint { type = "ball", b = a, at = { 0, 5, 0 } }
	world:joint { type = "ball", a = a, b = b, at = { 1, 5, 0 } }
	local function energy()
		local sum = 0
		for _, body in ipairs { a, b } do
			sum = sum + 0.5 * body.velocity:length_squared() + 0.002 * body.angular_velocity:length_squared()
				+ G * body.position.y
		end
		return sum
	end
	local start, low, high = energy(), math.huge, -math.huge
	run(world, 10, function()
		low, high = math.min(low, energy()), math.max(high, energy())
	end)
	local swing = 3 * G -- between hanging and lying
	at_most(high - start, 0.01 * swing, "gained")
	at_most(start - low, 0.02 * swing, "lost")
end

-- ---- springs -------------------------------------------------------------------------------------------------------

local TestSpring = {}

-- Period, and by how much each swing is smaller than the last.
local function spring_values(options)
	local world = weightless()
	local bob = ball(world, 2, { 1.5, 0, 0 })
	options.type, options.b, options.at, options.length = "spring", bob, { 0, 0, 0 }, 1
	world:joint(options)
	local tops, last_speed = {}, 0
	local times = crossings(world, 4, function()
		local speed = bob.velocity.x
		if last_speed > 0 and speed <= 0 then
			tops[#tops + 1] = bob.position.x - 1
		end
		last_speed = speed
		return bob.position.x - 1
	end)
	return mean_period(times), tops[2] / tops[1]
end

function TestSpring.testTwoHertz()
	local period, ratio = spring_values { frequency = 2, damping = 0.1 }
	near(period, 0.50252, 0.03 * 0.50252)
	near(ratio, 0.5318, 0.03 * 0.5318)
end

function TestSpring.testStiffness()
	local omega = 2 * math.pi * 2
	local period, ratio = spring_values { stiffness = 2 * omega * omega, damping = 2 * 2 * 0.1 * omega }
	near(period, 0.50252, 0.03 * 0.50252)
	near(ratio, 0.5318, 0.03 * 0.5318)
end

function TestSpring.testUndampedKeepsItsSwing()
	local _, ratio = spring_values { frequency = 2 }
	near(ratio, 1, 0.005)
end

function TestSpring.testSagUnderWeight()
	local world = scree.world {}
	local bob = ball(world, 3, { 0, -1, 0 })
	local joint = world:joint { type = "spring", b = bob, at = { 0, 0, 0 }, stiffness = 300, damping = 60, length = 1 }
	run(world, 5)
	near(joint.distance, 1 + 3 * G / 300, 1e-3)
	near(joint.impulse.y / DT, 3 * G, 0.01 * 3 * G)
end

function TestSpring.testVeryStiffOnesAreStable()
	for _, frequency in ipairs { 50, 120, 1000, 1e5 } do
		local world = scree.world {}
		local bob = ball(world, 1, { 1.2, 0, 0 })
		world:joint { type = "spring", b = bob, at = { 0, 0, 0 }, length = 1, frequency = frequency, damping = 0.2 }
		local most = 0
		run(world, 3, function() most = math.max(most, bob.velocity:length()) end)
		at_most(bob.position:length(), 1.05, "at " .. frequency)
		at_most(most, 80, "at " .. frequency)
	end
end

-- ---- limits --------------------------------------------------------------------------------------------------------

local TestLimits = {}

local function door(world, options)
	local body = scenery.body(world, 10, { shape = "box", size = { 1, 2, 0.1 }, position = { 0.5, 5, 0 } })
	options.type, options.b, options.at, options.axis = "hinge", body, { 0, 5, 0 }, { 0, 1, 0 }
	return body, world:joint(options)
end

-- A motor runs a door into each of its limits: it stops there, and the angle goes there without a jump.
function TestLimits.testHingeOverManyTurns()
	for _, limits in ipairs { { -170, 170 }, { 0, 180 }, { -200, 45 }, { 0, 270 }, { -720, 720 }, { -30, 30 } } do
		for _, sign in ipairs { 1, -1 } do
			local world = scree.world {}
			local body, joint = door(world, {
				limits = { rad(limits[1]), rad(limits[2]) }, motor = { speed = 20 * sign, max_torque = 200 },
			})
			local what = ("%d to %d, %d"):format(limits[1], limits[2], sign)
			local low, high, last, jump = 0, 0, 0, 0
			run(world, 5, function()
				local angle = joint.angle
				low, high, jump, last = math.min(low, angle), math.max(high, angle), math.max(jump, math.abs(angle - last)), angle
			end)
			local wanted = sign > 0 and limits[2] or limits[1]
			near(deg(joint.angle), wanted, 0.1, what)
			at_most(deg(high), limits[2] + 0.5, what)
			at_least(deg(low), limits[1] - 0.5, what)
			at_most(jump, 22 * DT, what) -- no faster than the motor
			near((body.position - vec3(0, 5, 0)):length(), 0.5, 1e-3, what)
		end
	end
end

function TestLimits.testHingeUnderTorque()
	local world = scree.world {}
	local body, joint = door(world, { limits = { rad(-30), rad(30) } })
	for _, torque in ipairs { 500, -500 } do
		for _ = 1, 120 do
			body:apply_torque { 0, torque, 0 }
			world:step()
			at_most(math.abs(deg(joint.angle)), 30.5)
		end
		near(deg(joint.angle), torque > 0 and 30 or -30, 0.5)
		near(joint.angular_impulse.y / DT, -torque, 5)
	end
end

function TestLimits.testSlider()
	local world = scree.world {}
	local body = scenery.body(world, 10, { shape = "box", size = { 1, 1, 1 }, position = { 0, 5, 0 } })
	local joint = world:joint { type = "slider", b = body, axis = { 0, 1, 0 }, limits = { -2, 1 } }
	run(world, 2)
	near(joint.distance, -2, 0.01)
	near(body.position.y, 3, 0.01)
	near(joint.impulse.y / DT, 10 * G, 1)
	joint.motor = { speed = 3, max_force = 400 }
	run(world, 2)
	near(joint.distance, 1, 0.01)
	near(joint.impulse.y / DT, 10 * G, 1)
	at_most(math.abs(body.position.x) + math.abs(body.position.z), 1e-3)
	at_most(body.angular_velocity:length(), 1e-3)
end

-- The ball's axis may lean by the cone and turn by the twist.
function TestLimits.testConeAndTwist()
	local world = scree.world {}
	local body = scenery.body(world, 5, { shape = "box", size = { 1, 0.2, 0.2 }, position = { 0.5, 5, 0 } })
	local joint = world:joint {
		type = "ball", b = body, at = { 0, 5, 0 }, axis = { 1, 0, 0 }, cone = rad(40), twist = { rad(-20), rad(60) },
	}
	run(world, 3)
	near(deg(joint.angle), 40, 0.5)
	near(body.position.y, 5 - 0.5 * math.sin(rad(40)), 0.01)
	local function twist()
		local q = body.rotation
		return deg(2 * math.atan2(q.x, q.w))
	end
	local free = weightless()
	body = scenery.body(free, 5, { shape = "box", size = { 1, 0.2, 0.2 }, position = { 0.5, 5, 0 } })
	free:joint {
		type = "ball", b = body, at = { 0, 5, 0 }, axis = { 1, 0, 0 }, cone = rad(40), twist = { rad(-20), rad(60) },
	}
	for _, torque in ipairs { 2, -2 } do
		for _ = 1, 120 do
			body:apply_torque { torque, 0, 0 }
			free:step()
		end
		near(twist(), torque > 0 and 60 or -20, 0.5)
	end
end

function TestLimits.testLimitsThatAreOnePoint()
	local world = scree.world {}
	local body, joint = door(world, { limits = { rad(20), rad(20) } })
	run(world, 1)
	near(deg(joint.angle), 20, 0.1)
	body:apply_angular_impulse { 0, 50, 0 }
	run(world, 1)
	near(deg(joint.angle), 20, 0.1)
end

-- ---- motors and servos ---------------------------------------------------------------------------------------------

local TestMotor = {}

-- A flywheel under a motor: constant torque until the speed is there, and then none.
function TestMotor.testTorqueAndSpeed()
	local world = weightless()
	local wheel = ball(world, 10, { 0, 0, 0 }, { radius = 1 })
	local joint = world:joint { type = "hinge", b = wheel, axis = { 0, 0, 1 }, motor = { speed = 5, max_torque = 8 } }
	local inertia = wheel.inertia.z
	run(world, 1)
	near(wheel.angular_velocity.z, 8 / inertia, 0.01 * 8 / inertia)
	near(joint.angular_impulse.z, 8 * DT, 1e-4)
	run(world, 5)
	near(wheel.angular_velocity.z, 5, 1e-3)
	near(joint.angular_impulse.z, 0, 1e-4)
end

function TestMotor.testATooWeakMotorStalls()
	local world = scree.world {}
	local arm = scenery.body(world, 10, { shape = "box", size = { 1, 0.1, 0.1 }, position = { 0.5, 0, 0 } })
	local joint = world:joint {
		type = "hinge", b = arm, at = { 0, 0, 0 }, axis = { 0, 0, 1 }, motor = { speed = 1, max_torque = 0.9 * 5 * G },
	}
	run(world, 0.5)
	at_most(joint.angle, 0)
	joint.motor = { max_torque = 1.2 * 5 * G } -- keeps its speed
	lu.assertEquals(joint.motor.speed, 1)
	run(world, 3)
	at_least(joint.angle, 0.5)
end

function TestMotor.testServoHoldsUnderLoad()
	local world = scree.world {}
	local arm = scenery.body(world, 10, { shape = "box", size = { 1, 0.1, 0.1 }, position = { 0.5, 0, 0 } })
	local joint = world:joint {
		type = "hinge", b = arm, at = { 0, 0, 0 }, axis = { 0, 0, 1 }, servo = { target = rad(50), max_torque = 200 },
	}
	local most = -math.huge
	run(world, 4, function() most = math.max(most, joint.angle) end)
	near(deg(joint.angle), 50, 0.2)
	at_most(deg(most), 52)
	near(joint.angular_impulse.z / DT, 5 * G * math.cos(rad(50)), 0.5)
	joint.servo = { target = rad(-20), speed = 0.5 }
	run(world, 1)
	near(arm.angular_velocity.z, -0.5, 0.02)
	run(world, 5)
	near(deg(joint.angle), -20, 0.2)
end

-- A servo at the foot of an arm that is far heavier than its first link.
function TestMotor.testServoOfALongArm()
	local world = scree.world {}
	local first = scenery.body(world, 2, { shape = "box", size = { 1, 0.1, 0.1 }, position = { 0.5, 0, 0 } })
	local second = scenery.body(world, 2, { shape = "box", size = { 1, 0.1, 0.1 }, position = { 1.5, 0, 0 } })
	local load = ball(world, 50, { 2, 0, 0 })
	local foot = world:joint {
		type = "hinge", b = first, at = { 0, 0, 0 }, axis = { 0, 0, 1 }, servo = { target = rad(30), max_torque = 5000 },
	}
	local elbow = world:joint {
		type = "hinge", a = first, b = second, at = { 1, 0, 0 }, axis = { 0, 0, 1 },
		servo = { target = rad(-45), max_torque = 5000 },
	}
	world:joint { type = "weld", a = second, b = load }
	run(world, 4)
	near(deg(foot.angle), 30, 0.5)
	near(deg(elbow.angle), -45, 0.5)
	local moment = 2 * G * 0.5 * math.cos(rad(30)) + 2 * G * (math.cos(rad(30)) + 0.5 * math.cos(rad(-15)))
		+ 50 * G * (math.cos(rad(30)) + math.cos(rad(-15)))
	near(foot.angular_impulse.z / DT, moment, 0.02 * moment)
end

function TestMotor.testSliderServo()
	local world = scree.world {}
	local lift = scenery.body(world, 100, { shape = "box", size = { 1, 0.2, 1 }, position = { 0, 1, 0 } })
	local joint = world:joint {
		type = "slider", b = lift, axis = { 0, 1, 0 }, servo = { target = 3, speed = 2, max_force = 5000 },
	}
	run(world, 1)
	near(lift.velocity.y, 2, 0.05)
	run(world, 3)
	near(joint.distance, 3, 0.01)
	near(joint.impulse.y / DT, 100 * G, 5)
end

-- ---- all kinds -----------------------------------------------------------------------------------------------------

local TestKinds = {}

function TestKinds.testWeldHoldsAgainstTurningAndPulling()
	local world = scree.world {}
	local beam = scenery.body(world, 20, { shape = "box", size = { 2, 0.2, 0.2 }, position = { 1, 5, 0 } })
	local joint = world:joint { type = "weld", b = beam, at = { 0, 5, 0 } }
	run(world, 2)
	near(beam.position.y, 5, 2e-3)
	near(joint.impulse.y / DT, 20 * G, 0.5)
	near(joint.angular_impulse.z / DT, 20 * G * 1, 0.5)
end

function TestKinds.testCylindricalTurnsAndSlides()
	local world = weightless()
	local body = scenery.body(world, 1, {
		shape = "box", size = { 1, 1, 1 }, position = { 0, 0, 0 }, velocity = { 1, 2, 3 }, angular_velocity = { 4, 5, 6 },
	})
	local joint = world:joint { type = "cylindrical", b = body, axis = { 0, 0, 1 } }
	run(world, 2)
	near(joint.distance, 6, 0.01)
	near(joint.angle, 12, 0.05)
	near(body.position.x, 0, 1e-3)
	near(body.angular_velocity.z, 6, 0.01)
	at_most(math.abs(body.angular_velocity.x) + math.abs(body.angular_velocity.y), 1e-3)
	joint.limits, joint.twist = { -1, 6.5 }, { 0, 13 }
	run(world, 2)
	near(joint.distance, 6.5, 0.01)
	near(joint.angle, 13, 0.01)
end

function TestKinds.testRodKeepsItsLengthBothWays()
	local world = scree.world {}
	local bob = ball(world, 1, { 0, 1, 0 }) -- stands on its rod, falls over, hangs
	local joint = world:joint { type = "rod", b = bob, at = { 0, 0, 0 } }
	lu.assertAlmostEquals(joint.length, 1, 1e-6)
	bob:apply_impulse { 0.1, 0, 0 }
	local worst = 0
	run(world, 6, function() worst = math.max(worst, math.abs(joint.distance - 1)) end)
	at_most(worst, 5e-3)
	joint.length = 2
	run(world, 2)
	near(joint.distance, 2, 5e-3)
end

function TestKinds.testAlignGoesToPositionAndRotation()
	local world = scree.world {}
	local body = scenery.body(world, 5, { shape = "box", size = { 1, 0.5, 0.7 }, position = { 0, 0, 0 } })
	local turn = scree.axis_angle({ 1, 2, 3 }, 1.2)
	local joint = world:joint {
		type = "align", b = body, position = { 3, 4, -1 }, rotation = turn, max_force = 500, max_torque = 100,
	}
	run(world, 4)
	at_most((body.position - vec3(3, 4, -1)):length(), 0.01)
	at_most(joint.distance, 0.01)
	local q = body.rotation:inverse() * turn
	at_most(2 * math.sqrt(q.x ^ 2 + q.y ^ 2 + q.z ^ 2), 0.01)
	near(joint.impulse.y / DT, 5 * G, 0.5)
	joint.max_force = 0.9 * 5 * G -- too weak to hold it
	run(world, 1)
	near(body.velocity.y, -0.1 * G, 0.05)
end

function TestKinds.testAlignToAMovingBody()
	local world = weightless()
	local guide = scenery.body(world, 1, {
		shape = "box", size = { 1, 1, 1 }, motion = "kinematic", velocity = { 1, 0, 0 }, angular_velocity = { 0, 0.5, 0 },
	})
	local body = ball(world, 1, { 0, 2, 0 })
	world:joint { type = "align", a = guide, b = body, position = { 2, 0, 0 }, response = 30 }
	run(world, 3)
	at_most((body.position - guide:to_world { 2, 0, 0 }):length(), 0.08) -- follows closely
end

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

return {
	TestPendulum = TestPendulum, TestSpring = TestSpring, TestLimits = TestLimits, TestMotor = TestMotor,
	TestKinds = TestKinds, TestRope = TestRope, TestMomentum = TestMomentum, TestNet = TestNet,
	TestBreaking = TestBreaking,
}
