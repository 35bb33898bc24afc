-- Faults of sleep that users of other engines reported, as scenes: S09 (motors on sleeping bodies), S11 (base of a
-- windmill), S13 (every push), S15 (a joint goes), S19 (pins), S21 (half asleep, saved). Those that are not here are in
-- test_physics_sleep.lua.

local lu = require "luaunit"
local scree = require "scree"
local scenery = require "scenery"

local folder = debug.getinfo(1, "S").source:match "^@(.*)[/\\]" or "."
package.path = folder .. "/../../?.lua;" .. package.path

local near, at_most, at_least, run = scenery.near, scenery.at_most, scenery.at_least, scenery.run

local TestSleepReported = {}

-- ---- a motor that is changed while its bodies sleep ----------------------------------------------------------------

local function door(options)
	local world = scree.world()
	scenery.floor(world)
	local post = world:spawn { shape = "box", size = { 0.2, 2, 0.2 }, position = { 0, 1.5, 0 }, motion = "static" }
	local leaf = scenery.body(world, 10, { shape = "box", size = { 1, 2, 0.1 }, position = { 0.65, 1.5, 0 } })
	local joint = { a = post, b = leaf, at = { 0.1, 1.5, 0 }, axis = { 0, 1, 0 } }
	for key, value in pairs(options) do
		joint[key] = value
	end
	local made = world:joint(joint)
	run(world, 10)
	lu.assertEquals(leaf.state, "asleep")
	return world, leaf, made
end

function TestSleepReported.testMotorSwitchedOnAndReversed()
	local world, leaf, hinge = door { type = "hinge" }
	hinge.motor = { speed = 2, max_torque = 200 }
	run(world, 1)
	at_least(hinge.angle, 1.8, "angle after a second")
	-- stopped, and just before it would sleep turned back
	hinge.motor = { speed = 0, max_torque = 200 }
	run(world, 0.45)
	lu.assertEquals(leaf.state, "awake")
	local before = hinge.angle
	hinge.motor = { speed = -2, max_torque = 200 }
	run(world, 0.5)
	at_most(hinge.angle, before - 0.8, "angle after reversing")
end

-- Each assignment that changes something wakes in that step; one that changes nothing need not.
local setters = {
	{ "hinge", "motor", { speed = 1, max_torque = 10 } }, { "hinge", "servo", { target = 1, max_torque = 50 } },
	{ "hinge", "limits", { -0.5, 0.5 } }, { "hinge", "break_force", 1e6 }, { "hinge", "break_torque", 1e6 },
	{ "slider", "motor", { speed = 1, max_force = 1e4 } }, { "slider", "servo", { target = 1, max_force = 1e4 } },
	{ "slider", "limits", { -1, 2 } }, { "cylindrical", "motor", { speed = 1, max_force = 1e4 } },
	{ "cylindrical", "servo", { target = 1, max_force = 1e4 } }, { "cylindrical", "limits", { -1, 2 } },
	{ "cylindrical", "twist", { -1, 2 } }, { "ball", "cone", 1 }, { "ball", "twist", { -1, 1 } },
	{ "ball", "friction", 2 },
	{ "weld", "break_force", 1e6 }, { "weld", "break_torque", 1e6 }, { "rope", "length", 3 }, { "rod", "length", 0.4 },
	{ "spring", "frequency", 3 }, { "spring", "damping", 0.9 }, { "spring", "length", 0.4 },
	{ "stiff spring", "stiffness", 80 }, { "stiff spring", "damping", 9 },
	{ "align", "position", { 0, 1, 0 } }, { "align", "rotation", scree.axis_angle({ 0, 1, 0 }, 1) },
	{ "align", "max_force", 1e5 }, { "align", "max_torque", 1e5 }, { "align", "max_speed", 2 },
	{ "align", "max_turn", 2 }, { "align", "response", 4 },
}

local kinds = {
	hinge = { axis = { 0, 1, 0 } }, slider = { axis = { 0, 1, 0 } }, cylindrical = { axis = { 0, 1, 0 } },
	ball = { axis = { 0, 1, 0 } }, weld = {}, rope = { length = 2 }, rod = {}, spring = { frequency = 1, damping = 0.5 },
	["stiff spring"] = { type = "spring", stiffness = 60, damping = 5 },
	align = { position = { 0.1, 0, 0 }, max_force = 1e4 },
}

-- So that none is forgotten: what can be assigned, of joints of any kind, is in the table of the interface.
function TestSleepReported.testEverySetterIsTried()
	local tried = { tag = true } -- which is the script's own
	for _, setter in ipairs(setters) do
		tried[setter[2]] = true
	end
	for _, property in ipairs(require("scree.api.joint").objects[1].properties) do
		lu.assertTrue(tried[property.name] or not property.write, property.name)
	end
end

function TestSleepReported.testEverySetterWakes()
	for _, setter in ipairs(setters) do
		local kind, key, value = unpack(setter)
		local world = scree.world { gravity = { 0, 0, 0 } }
		local post = world:spawn { shape = "box", size = { 0.2, 2, 0.2 }, motion = "static" }
		local body = scenery.body(world, 10, { shape = "box", size = { 1, 2, 0.1 }, position = { 0.65, 0, 0 } })
		local options = { type = kind, a = post, b = body, at = { 0.1, 0, 0 } }
		for name, given in pairs(kinds[kind]) do
			options[name] = given
		end
		local joint = world:joint(options)
		run(world, 3)
		lu.assertEquals(body.state, "asleep", kind)
		joint[key] = value
		world:step()
		lu.assertEquals(body.state, "awake", kind .. "." .. key)
		world:destroy()
	end
end

-- ---- the base of a machine -----------------------------------------------------------------------------------------

-- Balanced, lopsided but slow, and so fast that the base is thrown about.
function TestSleepReported.testWindmillBase()
	local windmill = require "examples.windmill"
	for _, blade in ipairs { 0, 10 } do
		local scene = windmill.build { blade = blade > 0 and blade or nil, base_mass = 200 }
		local facts = windmill.watch(scene)
		local what = blade > 0 and "lopsided: " or "balanced: "
		near(facts.turned, 60, 0.6, what .. "angle")
		at_most(facts.moved, 1e-3, what .. "way of the base")
		at_most(facts.changes, 2, what .. "changes of its state")
	end
	local scene = windmill.build { blade = 10, speed = 12 }
	local start, farthest = scene.base.position, 0
	run(scene.world, 3, function()
		farthest = math.max(farthest, (scene.base.position - start):length())
	end)
	at_least(farthest, 0.01, "way of the base under a fast blade")
end

-- ---- every push ----------------------------------------------------------------------------------------------------

-- A push is not kept for later: what a sleeper could not follow is not let go when something else wakes it.
function TestSleepReported.testWeakPushesAreNotSummed()
	local world = scree.world()
	scenery.floor(world, { friction = 0.5 })
	local box = scenery.body(world, 1, {
		shape = "box", size = { 1, 1, 1 }, position = { 0.3, 0.5, 0.4 }, friction = 0.5, restitution = 0,
	})
	lu.assertNotNil(world:settle(5))
	local start = box.position
	for _, push in ipairs {
		function() box:apply_force { 2, 0, 0 } end,
		function() box:apply_force({ 2, 0, 0 }, box.position) end,
		function() box:apply_torque { 0, 0.5, 0 } end,
	} do
		for _ = 1, 30 do
			push()
			world:step()
		end
		run(world, 1.5)
		lu.assertEquals(box.state, "asleep")
	end
	box:wake()
	run(world, 1)
	at_most((box.position - start):length(), 1e-3, "way")
end

-- ---- what holds it goes --------------------------------------------------------------------------------------------

function TestSleepReported.testRopeGoes()
	for _, how in ipairs { "joint", "anchor" } do
		local world = scree.world()
		local anchor = world:spawn { shape = "box", size = { 0.5, 0.5, 0.5 }, position = { 0, 10, 0 }, motion = "static" }
		local ball = world:spawn { shape = "ball", radius = 0.3, position = { 0, 8, 0 } }
		local rope = world:joint { type = "rope", a = anchor, b = ball, at_a = { 0, 10, 0 }, length = 2 }
		run(world, 6)
		lu.assertEquals(ball.state, "asleep", how .. ": " .. ball:why_awake())
		local start = ball.position.y
		if how == "joint" then
			rope:destroy()
		else
			anchor:destroy()
		end
		world:step()
		lu.assertEquals(ball.state, "awake", how)
		run(world, 29 / 60)
		near(start - ball.position.y, 1.23, 0.1, how .. ": fall in half a second")
	end
end

-- ---- hit by something fast -----------------------------------------------------------------------------------------

function TestSleepReported.testCapsulePins()
	for _, speed in ipairs { 8, 60 } do
		local world = scree.world()
		scenery.floor(world, { friction = 0 })
		local pins = {}
		for i = 0, 9 do
			pins[i + 1] = scenery.body(world, 1.5, {
				shape = "capsule", radius = 0.06, length = 0.26, position = { 0.4 * math.floor(i / 4), 0.06, 0.5 * (i % 4) },
				rotation = scree.axis_angle({ 1, 0, 0 }, math.pi / 2), friction = 0, restitution = 0,
			})
		end
		lu.assertNotNil(world:settle(10))
		local ball = scenery.body(world, 7, {
			shape = "ball", radius = 0.11, position = { -2, 0.11, 0 }, velocity = { speed, 0, 0 }, gravity_scale = 0,
			friction = 0, restitution = 0, bullet = true,
		})
		local hit = run(world, 1, function()
			return pins[1].state == "awake"
		end)
		lu.assertNotNil(hit)
		at_least(pins[1].velocity.x, 0.4 * speed, "speed of the pin in the step of the blow")
		near(7 * ball.velocity.x + 1.5 * pins[1].velocity.x, 7 * speed, 0.02 * 7 * speed, "momentum")
		at_most(ball.position.x, pins[1].position.x, "the ball is behind the pin")
	end
end

-- ---- half asleep ---------------------------------------------------------------------------------------------------

-- Saved while a stack of twenty is half asleep, and at moments around it; with one thread and with two.
function TestSleepReported.testHalfAsleepAndSaved()
	local function lines(world, steps)
		local list = {}
		for i = 1, steps do
			world:step()
			for event in world:events() do
				list[#list + 1] = ("%s %s %s"):format(event.kind, tostring(event.assembly and event.assembly.id),
					tostring(event.reason))
			end
			if i % 20 == 0 then
				list[#list + 1] = world:hash()
			end
		end
		return table.concat(list, "\n")
	end
	local results = {}
	for threads = 1, 2 do
		local world = scree.world { threads = threads }
		scenery.floor(world)
		for i = 1, 20 do
			world:spawn { shape = "box", size = { 1, 1, 1 }, position = { 0.01 * (i % 3), i - 0.5, 0 } }
		end
		local figure = require("examples.ragdoll").spawn(world, scree.vec3(4, 2, 0))
		lu.assertTrue(figure.parts.hips.valid)
		run(world, 20, function()
			local stats = world.stats
			return stats.asleep + stats.checking >= 10
		end)
		local stats = world.stats
		lu.assertTrue(stats.awake > 0 and stats.asleep + stats.checking >= 10, "not half asleep")
		for moment = 1, 4 do
			local saved = world:snapshot()
			local first = lines(world, 300)
			assert(world:restore(saved))
			lu.assertEquals(lines(world, 300), first, "moment " .. moment)
			results[moment] = results[moment] or first
			lu.assertEquals(first, results[moment], "threads, moment " .. moment)
			assert(world:restore(saved))
			world:step(scenery.DT, 7)
		end
		world:destroy()
	end
end

return { TestSleepReported = TestSleepReported }
