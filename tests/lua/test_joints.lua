-- Joints against known values: periods, limits, motors, servos, loads.

local lu = require "luaunit"
local scree = require "scree"
local scenery = require "scenery"

local G, DT = scenery.G, scenery.DT
local near, at_most, at_least, run = scenery.near, scenery.at_most, scenery.at_least, scenery.run
local vec3, deg, rad = scree.vec3, math.deg, math.rad
local ball, weightless = scenery.ball, scenery.weightless

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

-- ---- friction ------------------------------------------------------------------------------------------------------

local TestFriction = {}

-- Coulomb's: the torque is the same at any speed, so the speed falls in a straight line to 0 and stays there.
function TestFriction.testTurningComesToRest()
	local inertia, torque, spin = 0.4 * 10 * 0.5 ^ 2, 0.5, vec3(1, 2, -2) -- 3 rad/s
	local world = weightless()
	local body = ball(world, 10, { 0, 0, 0 }, { radius = 0.5 })
	body.angular_velocity = spin
	world:joint { type = "ball", b = body, at = { 0, 0, 0 }, friction = torque }
	local stop = inertia * 3 / torque
	run(world, stop / 2)
	near(body.angular_velocity:length(), 1.5, 0.015)
	near(body.angular_velocity:cross(spin):length(), 0, 1e-3)
	run(world, stop / 2 + 0.1)
	near(body.angular_velocity:length(), 0, 1e-4)
end

-- Between two: what both have together stays.
function TestFriction.testTwoTurnTogetherInTheEnd()
	local world = weightless()
	local a = ball(world, 10, { 0, 0, 0 }, { radius = 0.5 })
	local b = ball(world, 20, { 0, 0, 0 }, { radius = 0.5 })
	world:joint { type = "ball", a = a, b = b, at = { 0, 0, 0 }, friction = 0.8 }
	b.angular_velocity = { 0, 3, 0 }
	run(world, 10)
	near(a.angular_velocity.y, 2, 1e-3)
	near(b.angular_velocity.y, 2, 1e-3)
end

-- An arm stands out from the wall as long as the friction is more than its weight turns.
function TestFriction.testHoldsAnArm()
	for _, share in ipairs { 0.97, 1.03 } do
		for _, mechanism in ipairs { false, true } do
			local world = scree.world {}
			local arm = scenery.body(world, 5, { shape = "box", size = { 1, 0.2, 0.2 }, position = { 0.5, 5, 0 } })
			local weight = 5 * G * 0.5
			if mechanism then -- with a hand at its end
				local hand = ball(world, 2, vec3(1.1, 5, 0))
				world:joint { type = "weld", a = arm, b = hand, at = { 1, 5, 0 } }
				weight = weight + 2 * G * 1.1
			end
			local joint = world:joint { type = "ball", b = arm, at = { 0, 5, 0 }, friction = share * weight }
			run(world, 3)
			if share > 1 then
				near(arm.position.y, 5, 1e-3)
				near(joint.angular_impulse:length() / DT, weight, 0.01 * weight)
				lu.assertEquals(arm.state, "asleep")
				joint.friction = 0.5 * weight
				lu.assertEquals(arm.state, "awake")
				run(world, 2)
			end
			at_most(arm.position.y, 4.9)
		end
	end
end

-- Each half swing of a pendulum loses what the friction takes along its way (small angles: 2 torque / weight's moment).
function TestFriction.testPendulumLosesAsMuchEachSwing()
	local world = scree.world { sleep = { enabled = false } }
	local a, torque = rad(20), 0.2
	local bob = ball(world, 1, vec3(scree.sin(a), -scree.cos(a), 0))
	world:joint { type = "ball", b = bob, at = { 0, 0, 0 }, friction = torque }
	local highest, swings = 0, {}
	for _ = 1, 600 do
		world:step()
		local x = bob.position.x
		if (x < 0) ~= (highest < 0) and math.abs(highest) > 1e-3 then
			swings[#swings + 1] = math.abs(highest)
			highest = x
		elseif math.abs(x) > math.abs(highest) then
			highest = x
		end
	end
	-- by energy: m g l (cos next - cos last) = torque (last + next)
	local last = a
	for i = 2, 4 do
		local next, step = last, 1e-6
		while G * (scree.cos(next) - scree.cos(last)) < torque * (last + next) do
			next = next - step
		end
		near(math.asin(swings[i]), next, 0.01 * a, "swing " .. i)
		last = next
	end
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

-- A motor that carries a load at its wanted speed and is made weaker gives way in the next step.
function TestMotor.testWeakerThanTheLoad()
	for _, max_force in ipairs { 900, 500, 5 } do
		local world = scree.world {}
		local body = world:spawn { shape = "box", size = { 1, 1, 1 }, mass = 100 }
		local joint = world:joint {
			type = "slider", b = body, at = { 0, 0, 0 }, axis = { 0, 1, 0 }, motor = { speed = 1, max_force = 1500 },
		}
		world:run(0.5)
		near(joint.impulse.y / DT, 100 * G, 0.5, "it carries")
		joint.motor = { max_force = max_force }
		local before = body.velocity.y
		world:step()
		near(joint.impulse.y / DT, max_force, 1, "the motor's force in that step")
		world:run(0.3 - DT)
		near(body.velocity.y - before, 0.3 * (max_force / 100 - G), 0.01, "and the load sinks")
	end
	local world = scree.world {}
	local arm = world:spawn { shape = "box", size = { 2, 0.2, 0.2 }, position = { 1, 0, 0 }, mass = 10 }
	local hinge = world:joint {
		type = "hinge", b = arm, at = { 0, 0, 0 }, axis = { 0, 0, 1 }, motor = { target = 0, max_torque = 500 },
	}
	world:run(0.5)
	hinge.motor = { max_torque = 60 }
	world:step()
	at_most(arm.angular_velocity.z, -0.5 * DT * (10 * G - 60) / (10 * (4 + 0.04) / 12 + 10), "the arm falls")
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

return {
	TestPendulum = TestPendulum, TestSpring = TestSpring, TestLimits = TestLimits, TestFriction = TestFriction,
	TestMotor = TestMotor, TestKinds = TestKinds,
}
