-- The face of joints: making, properties, handles, lists, events, and what a mistake says.

local lu = require "luaunit"
local scree = require "scree"
local scenery = require "scenery"
local joint_kinds = require "joint_kinds"
local support = require "support"

local G, DT = scenery.G, scenery.DT
local near, at_least, run = scenery.near, scenery.at_least, scenery.run
local vec3 = scree.vec3

local KINDS, ball, join = joint_kinds.list, joint_kinds.ball, joint_kinds.join

local TestMaking = {}

function TestMaking.testEveryKindWithEverySide()
	for _, kind in ipairs(KINDS) do
		local world = scree.world {}
		local a, b = ball(world, { 0, 0, 0 }), ball(world, { 2, 1, 0 })
		local pair = join(world, kind, { a = a, b = b })
		local left, right = join(world, kind, { b = a, at = { 0, 1, 0 } }), join(world, kind, { a = b, at = { 2, 3, 0 } })
		lu.assertEquals({ pair.type, left.type, right.type }, { kind, kind, kind })
		lu.assertIs(pair.a, a)
		lu.assertIs(pair.b, b)
		lu.assertNil(left.a)
		lu.assertIs(left.b, a)
		lu.assertIs(right.a, b)
		lu.assertNil(right.b)
		lu.assertFalse(pair.collide)
		lu.assertFalse(pair.broken)
		lu.assertEquals(pair.break_force, math.huge)
		lu.assertEquals(world.stats.joints, 3)
		run(world, 1)
		for _, body in ipairs { a, b } do
			local p = body.position
			lu.assertTrue(p - p == vec3(0, 0, 0), kind)
		end
	end
end

function TestMaking.testWhereItSits()
	local world = scree.world {}
	local a, b = ball(world, { 0, 0, 0 }), ball(world, { 2, 0, 0 })
	support.is_vec3(world:joint({ type = "ball", a = a, b = b }).at, 2, 0, 0)
	support.is_vec3(world:joint({ type = "ball", a = a }).at, 0, 0, 0)
	support.is_vec3(world:joint({ type = "ball", a = a, b = b, at = { 1, 0, 0 } }).at, 1, 0, 0)
	local rope = world:joint { type = "rope", a = a, b = b }
	support.is_vec3(rope.at_a, 0, 0, 0)
	support.is_vec3(rope.at_b, 2, 0, 0)
	lu.assertEquals(rope.length, 2)
	rope = world:joint { type = "rope", a = a, b = b, at = { 0, 0.3, 0 }, at_b = { 2, 0.3, 0 } }
	support.is_vec3(rope.at_a, 0, 0.3, 0, 1e-6)
	support.is_vec3(rope.at_b, 2, 0.3, 0, 1e-6)
	rope = world:joint { type = "rope", a = b, at = { 2, 5, 0 } }
	support.is_vec3(rope.at_a, 2, 0, 0)
	support.is_vec3(rope.at_b, 2, 5, 0)
	lu.assertEquals(rope.length, 5)
end

-- Where the world is b, what is measured is a against the world: the same as with the sides exchanged.
function TestMaking.testTheWorldOnEitherSide()
	local results = {}
	for i, side in ipairs { "a", "b" } do
		local world = scree.world {}
		local body = world:spawn { shape = "box", size = { 1, 0.1, 1 }, position = { 0.5, 0, 0 } }
		local joint = world:joint {
			type = "hinge", [side] = body, at = { 0, 0, 0 }, axis = { 0, 1, 0 }, motor = { speed = 2, max_torque = 1e5 },
		}
		run(world, 1)
		at_least(joint.angle, 1.8)
		near(body.angular_velocity.y, 2, 1e-3)
		near(joint.impulse.y / DT, body.mass * G, 0.01 * body.mass * G)
		results[i] = world:hash()
	end
	lu.assertEquals(#results, 2)
end

function TestMaking.testPropertiesReadBack()
	local world = scree.world {}
	local a, b = ball(world, { 0, 0, 0 }), ball(world, { 2, 0, 0 })
	local hinge = world:joint {
		type = "hinge", a = a, b = b, axis = { 0, 0, 2 }, limits = { -0.1, 3.3 }, motor = { speed = 1.1, max_torque = 7 },
		break_force = 1e5, break_torque = 300, collide = true, tag = "door",
	}
	lu.assertEquals({ hinge.limits[1], hinge.limits[2], hinge.limits.low, hinge.limits.high }, { -0.1, 3.3, -0.1, 3.3 })
	lu.assertEquals({ hinge.motor.speed, hinge.motor.max_torque, hinge.motor.target }, { 1.1, 7, nil })
	lu.assertNil(hinge.servo)
	lu.assertEquals({ hinge.break_force, hinge.break_torque, hinge.collide, hinge.tag }, { 1e5, 300, true, "door" })
	support.is_vec3(hinge.axis, 0, 0, 1, 1e-6)
	lu.assertEquals(hinge.angle, 0)
	lu.assertNil(hinge.distance)
	lu.assertNil(hinge.length)
	hinge.servo = { target = 0.7 }
	lu.assertEquals({ hinge.servo.target, hinge.motor.target, hinge.servo.max_torque }, { 0.7, 0.7, 7 })
	lu.assertEquals(hinge.servo.speed, math.huge)
	hinge.motor = nil
	lu.assertNil(hinge.motor)
	hinge.limits = nil
	lu.assertNil(hinge.limits)
	local other = world:joint { type = "hinge", b = a, axis = { 0, 1, 0 }, limits = { 1, 2 } }
	hinge.limits = other.limits
	lu.assertEquals(hinge.limits.high, 2)

	local spring = world:joint { type = "spring", a = a, b = b, frequency = 3, damping = 0.3 }
	lu.assertEquals({ spring.frequency, spring.stiffness, spring.damping, spring.length }, { 3, nil, 0.3, 2 })
	spring.frequency, spring.damping, spring.length = 4, 0.4, 1.5
	lu.assertEquals({ spring.frequency, spring.damping, spring.length }, { 4, 0.4, 1.5 })
	spring = world:joint { type = "spring", a = a, b = b, stiffness = 120, damping = 3 }
	lu.assertEquals({ spring.frequency, spring.stiffness, spring.damping }, { nil, 120, 3 })

	local free = world:joint { type = "ball", a = a, b = b, axis = { 1, 0, 0 }, cone = 0.5, twist = { -0.2, 0.3 } }
	lu.assertEquals({ free.cone, free.twist[1], free.twist[2] }, { 0.5, -0.2, 0.3 })
	free.cone, free.twist = nil, nil
	lu.assertNil(free.cone)
	lu.assertNil(free.twist)
	lu.assertEquals(free.friction, 0)
	free.friction = 2.5
	lu.assertEquals(free.friction, 2.5)
	support.fails(function() free.friction = -1 end, "joint.friction", "-1")
	support.fails(function() hinge.friction = 1 end, "a hinge joint has no friction")
	lu.assertEquals(free.friction, 2.5)

	local align = world:joint { type = "align", b = a }
	support.is_vec3(align.position, 0, 0, 0)
	support.is_quat(align.rotation, 0, 0, 0, 1)
	lu.assertEquals({ align.max_force, align.max_torque, align.response }, { math.huge, math.huge, 10 })
	align.position, align.rotation, align.max_force = { 1, 2, 3 }, nil, 50
	support.is_vec3(align.position, 1, 2, 3)
	lu.assertNil(align.rotation)
	lu.assertEquals(align.max_force, 50)
	lu.assertNil(world:joint({ type = "align", b = a, position = { 0, 0, 0 } }).rotation)
end

-- Parts of joined bodies pass through each other unless the joint lets them touch.
function TestMaking.testCollide()
	for _, collide in ipairs { false, true } do
		local world = scree.world { gravity = { 0, 0, 0 } }
		local a = ball(world, { 0, 0, 0 })
		local b = ball(world, { 1, 0, 0 }, { velocity = { -2, 0, 0 }, friction = 0 })
		local joint = world:joint { type = "rope", a = a, b = b, length = 5, collide = collide }
		run(world, 0.6)
		lu.assertEquals(b.position.x < a.position.x, not collide)
		lu.assertEquals(support.count(world:events "contact_begin"), 0)
		if not collide then -- apart again, and then without the joint
			b.position, b.velocity, a.velocity = { 1, 0, 0 }, { -2, 0, 0 }, { 0, 0, 0 }
			joint:destroy()
			run(world, 1)
			lu.assertTrue(b.position.x > a.position.x)
		end
	end
end

function TestMaking.testAJointEndsTheContactOfWhatItJoins()
	local world = scree.world {}
	scenery.slab(world)
	local a = world:spawn { shape = "box", size = { 1, 1, 1 }, position = { 0, 0.5, 0 } }
	local b = world:spawn { shape = "box", size = { 1, 1, 1 }, position = { 0, 1.5, 0 } }
	world:settle(5)
	local joint = world:joint { type = "weld", a = a, b = b, at = { 0, 1, 0 } }
	world:step()
	local ended = support.list(world:events "contact_end")
	lu.assertEquals(#ended, 1)
	lu.assertIs(ended[1].a, a)
	run(world, 1)
	near(b.position.y, 1.5, 0.01)
	joint:destroy()
	world:step()
	lu.assertEquals(support.count(world:events "contact_begin"), 1)
	run(world, 1)
	near(b.position.y, 1.5, 0.01)
end

local TestHandles = {}

function TestHandles.testOneJointIsOneValue()
	local world = scree.world {}
	local a, b = ball(world, { 0, 0, 0 }), ball(world, { 2, 0, 0 })
	local joint = world:joint { type = "ball", a = a, b = b, tag = { 1 } }
	lu.assertIs(support.list(world:joints())[1], joint)
	lu.assertIs(a:joints()[1], joint)
	lu.assertIs(b:joints()[1], joint)
	lu.assertEquals(joint.tag, { 1 })
	lu.assertStrContains(tostring(joint), "joint ")
	joint.tag = nil
	lu.assertNil(joint.tag)
	lu.assertIs(joint.world, world)
end

function TestHandles.testStaleOnesAreErrors()
	local world = scree.world {}
	local a, b, c = ball(world, { 0, 0, 0 }), ball(world, { 2, 0, 0 }), ball(world, { 4, 0, 0 })
	local first, second = world:joint { type = "ball", a = a, b = b }, world:joint { type = "ball", a = b, b = c }
	first.tag = "x"
	local first_id = first.id
	first:destroy()
	lu.assertFalse(first.valid)
	support.fails(function() return first.angle end, "joint.angle", "is destroyed")
	support.fails(function() return first.tag end, "is destroyed")
	support.fails(function() first.break_force = 3 end, "is destroyed")
	support.fails(function() first:destroy() end, "destroy", "is destroyed")
	c:destroy() -- takes its joint with it
	lu.assertFalse(second.valid)
	support.fails(function() return second.a end, "is destroyed")
	lu.assertEquals(world.stats.joints, 0)
	for _ = 1, 2000 do -- the same slot again and again
		local joint = world:joint { type = "ball", a = a, b = b }
		lu.assertNotEquals(joint.id, first_id)
		joint:destroy()
	end
	lu.assertFalse(first.valid)
	local last = world:joint { type = "ball", a = a, b = b }
	world:destroy()
	lu.assertFalse(last.valid)
	support.fails(function() return last.impulse end, "is destroyed")
end

function TestHandles.testABrokenJointStaysGoodUntilItsBodiesGo()
	local world = scree.world {}
	local a = ball(world, { 0, 0, 0 })
	local joint = world:joint { type = "ball", b = a, at = { 0, 1, 0 }, break_force = 1, tag = "weak" }
	local heard
	world:on("joint_break", function(event)
		heard = event
	end)
	world:step()
	lu.assertIs(heard.joint, joint)
	lu.assertTrue(joint.broken and joint.valid)
	lu.assertEquals(joint.tag, "weak")
	lu.assertIs(joint.b, a)
	lu.assertEquals({ support.count(world:joints()), #a:joints(), world.stats.joints }, { 0, 0, 0 })
	joint.break_force = 5 -- no longer matters
	run(world, 1)
	lu.assertTrue(joint.broken)
	a:destroy()
	lu.assertFalse(joint.valid)
end

function TestHandles.testDestroyingInAHandler()
	local world = scree.world {}
	local bodies = {}
	for i = 1, 5 do
		bodies[i] = ball(world, { i, 0, 0 })
		world:joint { type = "ball", b = bodies[i], at = { i, 1, 0 }, break_force = 1 }
	end
	local count = 0
	world:on("joint_break", function(event)
		count = count + 1
		event.joint:destroy()
		event.b:destroy()
	end)
	world:step(DT, 2)
	lu.assertEquals(count, 5)
	lu.assertEquals(world.stats.assemblies, 0)
end

local TestLists = {}

function TestLists.testMechanisms()
	local world = scree.world {}
	local bodies = {}
	for i = 1, 8 do
		bodies[i] = ball(world, { 2 * i, 0, 0 })
	end
	local frame = world:spawn { shape = "box", size = { 1, 1, 1 }, position = { 0, 9, 0 }, motion = "static" }
	local j1 = world:joint { type = "ball", a = bodies[3], b = bodies[1] }
	local j2 = world:joint { type = "ball", a = bodies[3], b = bodies[5] }
	world:joint { type = "rope", a = bodies[2], b = frame }
	world:joint { type = "rope", a = bodies[7], at = { 14, 3, 0 } }
	local found = {}
	for group in world:mechanisms() do
		local names = {}
		for i, body in ipairs(group) do
			names[i] = body.position.x / 2
		end
		found[#found + 1] = table.concat(names, " ")
	end
	lu.assertEquals(found, { "1 3 5", "2 0", "7" })
	lu.assertEquals(#world:mechanisms(), 3)
	lu.assertEquals(bodies[5]:mechanism()[1], bodies[1])
	lu.assertEquals(#bodies[5]:mechanism(), 3)
	lu.assertEquals(#bodies[8]:mechanism(), 1)
	lu.assertEquals(bodies[3]:joints()[1], j1)
	lu.assertEquals(bodies[3]:joints()[2], j2)
	j2:destroy()
	lu.assertEquals(#bodies[5]:mechanism(), 1)
	lu.assertEquals(#world:mechanisms(), 3)
	local all = support.list(world:joints())
	lu.assertEquals(#all, 3)
	lu.assertIs(all[1], j1)
end

local TestMistakes = {}

function TestMistakes.testClearErrorsThatChangeNothing()
	local world, other = scree.world {}, scree.world {}
	local a, b, foreign = ball(world, { 0, 0, 0 }), ball(world, { 2, 0, 0 }), ball(other, { 0, 0, 0 })
	local dead = ball(world, { 9, 0, 0 })
	dead:destroy()
	local hash = world:hash()
	local function refuse(options, ...)
		support.fails(function() world:joint(options) end, "joint: ", ...)
		lu.assertEquals(world:hash(), hash)
		lu.assertEquals(world.stats.joints, 0)
	end
	refuse({}, "type is missing")
	refuse({ type = "hing", a = a, b = b }, "hinge")
	refuse({ type = "ball" }, "a or b")
	refuse({ type = "ball", a = a, b = a }, "not the same")
	refuse({ type = "ball", a = a, b = foreign }, "another world")
	refuse({ type = "ball", a = dead }, "is destroyed")
	refuse({ type = "ball", a = {} }, "an assembly")
	refuse({ type = "hinge", a = a }, "axis is missing")
	refuse({ type = "hinge", a = a, axis = { 0, 0, 0 } }, "axis")
	refuse({ type = "ball", a = a, cone = 1 }, "axis is missing")
	refuse({ type = "ball", a = a, axis = { 0, 1, 0 }, limits = { 0, 1 } }, "limits does not belong to a ball")
	refuse({ type = "hinge", a = a, axis = { 0, 1, 0 }, limits = { 1, 0 } }, "limits", "low to high")
	refuse({ type = "hinge", a = a, axis = { 0, 1, 0 }, limits = { 1 } }, "limits[2]")
	refuse({ type = "hinge", a = a, axis = { 0, 1, 0 }, limits = { 0, 1, 2 } }, "limits")
	refuse({ type = "hinge", a = a, axis = { 0, 1, 0 }, motor = { sped = 1 } }, "sped", "speed")
	refuse({ type = "hinge", a = a, axis = { 0, 1, 0 }, motor = { max_force = 1 } }, "max_force")
	refuse({ type = "hinge", a = a, axis = { 0, 1, 0 }, servo = { speed = 1 } }, "servo.target is missing")
	refuse({ type = "rope", a = a, b = b, length = 0 }, "length")
	refuse({ type = "rope", a = a }, "length is missing")
	refuse({ type = "spring", a = a, b = b }, "frequency is missing")
	refuse({ type = "spring", a = a, b = b, frequency = 1, stiffness = 1 }, "give one")
	refuse({ type = "weld", a = a, b = b, at_a = { 0, 0, 0 } }, "at_a does not belong to a weld")
	refuse({ type = "weld", a = a, b = b, braek_force = 1 }, "break_force")
	local weld = world:joint { type = "weld", a = a, b = b }
	support.fails(function() weld.limits = { 0, 1 } end, "a weld joint has no limits")
	support.fails(function() weld.lenght = 1 end, "length")
	support.fails(function() weld.impulse = { 0, 0, 0 } end, "read-only")
	local hinge = world:joint { type = "hinge", a = a, axis = { 0, 1, 0 }, limits = { 0, 1 }, motor = { speed = 1 } }
	support.fails(function() hinge.limits[1] = -1 end, "limits", "copy")
	support.fails(function() hinge.motor.speed = 2 end, "motor", "copy")
	support.fails(function() hinge.destroy() end, "colon")
	local spring = world:joint { type = "spring", a = a, b = b, frequency = 1 }
	support.fails(function() spring.stiffness = 100 end, "frequency")
end

return { TestMaking = TestMaking, TestHandles = TestHandles, TestLists = TestLists, TestMistakes = TestMistakes }
