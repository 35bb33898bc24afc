-- Newton's first law and sleep: what must not fall asleep, what must wake, and that contacts end when they end.

local luaunit = require "luaunit"
local scree = require "scree"
local scenery = require "scenery"

local G = scenery.G
local near, at_most, at_least, run = scenery.near, scenery.at_most, scenery.at_least, scenery.run
local vec3 = scree.vec3

-- A box that sleeps on voxel ground. mass 1, frictionless where asked for.
local function sleeper(options)
	options = options or {}
	local world = scree.world { gravity = options.gravity }
	scenery.floor(world, { friction = options.friction or 0.5 })
	local box = scenery.body(world, options.mass or 1, {
		shape = "box", size = { 1, 1, 1 }, position = { 0.3, 0.5, 0.4 }, friction = options.friction or 0.5, restitution = 0,
		rotation = options.rotation,
	})
	luaunit.assertNotNil(world:settle(5), "the box never slept")
	return world, box
end

-- ---- what moves stays awake ----------------------------------------------------------------------------------------

local TestStaysAwake = {}

function TestStaysAwake.testBallRolledUpASlopeComesBack()
	for _, ground in ipairs { "slab", "terrain" } do
		local world = scree.world()
		local angle = math.rad(5)
		local turn = scree.axis_angle({ 0, 0, 1 }, angle)
		if ground == "slab" then
			world:spawn {
				shape = "box", size = { 40, 2, 20 }, position = turn * vec3(0, -1, 0), rotation = turn, motion = "static",
				friction = 1, rolling = 0,
			}
		else
			world.materials.floor = { density = 2600, friction = 1, restitution = 0, rolling = 0 }
			world.terrain:fill_box { position = turn * vec3(0, -2, 0), size = { 40, 4, 20 }, rotation = turn,
				material = "floor" }
		end
		local up = turn * vec3(1, 0, 0)
		local ball = scenery.body(world, 1, {
			shape = "ball", radius = 0.5, position = turn * vec3(0, 0.5, 0.3), velocity = up, angular_velocity = { 0, 0, -2 },
			friction = 1, rolling = 0, restitution = 0,
		})
		local start, top, turned, back = ball.position, 0, 0, nil
		run(world, 5, function(t)
			local way = (ball.position - start):dot(up)
			luaunit.assertNotEquals(ball.state, "asleep", ground .. " at " .. t)
			if way > top then
				top, turned = way, t
			end
			back = t
			return way < 0
		end)
		near(turned, 1.64, 0.15, ground .. ": time of turning")
		near(back, 3.27, 0.15, ground .. ": time of coming back")
		near(ball.velocity:length(), 1, 0.05, ground .. ": speed")
	end
end

function TestStaysAwake.testThrownBallComesBack()
	local world = scree.world()
	local ball = world:spawn { shape = "ball", radius = 0.5, velocity = { 0, 5, 0 } }
	local back = run(world, 3, function(t)
		luaunit.assertEquals(ball.state, "awake", "at " .. t)
		return ball.position.y <= 0
	end)
	near(back or 0, 1.019, 2.01 / 60, "time in the air")
end

function TestStaysAwake.testThrownInWeakGravityComesDown()
	local world = scree.world { gravity = { 0, -0.1, 0 } }
	local ball = world:spawn { shape = "ball", radius = 0.5, velocity = { 0, 0.3, 0 } }
	local back = run(world, 10, function(t)
		luaunit.assertEquals(ball.state, "awake", "at " .. t)
		return ball.position.y <= 0
	end)
	near(back or 0, 6, 0.1, "time in the air")
end

function TestStaysAwake.testDriftGoesOn()
	local world = scree.world { gravity = { 0, 0, 0 } }
	local drifting = scenery.body(world, 1, { shape = "box", size = { 1, 1, 1 }, velocity = { 0, 0.2, 0 } })
	local turning = scenery.body(world, 1, {
		shape = "box", size = { 1, 1, 1 }, position = { 10, 0, 0 }, angular_velocity = { 0, 0, 0.2 },
	})
	local slow = scenery.body(world, 1, {
		shape = "box", size = { 1, 1, 1 }, position = { 20, 0, 0 }, velocity = { 0.005, 0, 0 },
	})
	local still = scenery.body(world, 1, { shape = "box", size = { 1, 1, 1 }, position = { 30, 0, 0 } })
	local angle, before = 0, turning.rotation
	run(world, 30, function()
		local change = turning.rotation * before:inverse()
		angle, before = angle + 2 * math.asin(change.z * (change.w < 0 and -1 or 1)), turning.rotation
	end)
	near(drifting.position.y, 6, 0.03, "drift")
	near(angle, 6, 0.03, "angle")
	near(slow.position.x, 20.15, 1e-3, "slow drift")
	luaunit.assertEquals(still.state, "asleep")
end

function TestStaysAwake.testTallBlockTippedPastBalanceLiesDown()
	for _, ground in ipairs { "slab", "floor" } do
		local world = scree.world()
		scenery[ground](world, { friction = 0.8 })
		-- 0.5 wide and 4 high: balances at atan(0.5 / 4) on its edge
		local angle = math.atan(0.5 / 4) + math.rad(0.3)
		local turn = scree.axis_angle({ 0, 0, 1 }, -angle)
		local edge = vec3(0.25, -2, 0)
		local block = world:spawn {
			shape = "box", size = { 0.5, 4, 0.5 }, rotation = turn, position = vec3(0.3, 0, 0.2) - turn * edge, friction = 0.8,
			restitution = 0,
		}
		run(world, 6)
		near(math.deg(scenery.tilt(block)), 90, 1, ground .. ": tilt")
		near(block.position.y, 0.25, 0.01, ground .. ": height")
		luaunit.assertEquals(block.state, "asleep", ground)
	end
end

function TestStaysAwake.testBallRollsOnTheGentlestSlopes()
	for _, degrees in ipairs { 1, 0.5, 0.2 } do
		local world = scree.world()
		local turn = scree.axis_angle({ 0, 0, 1 }, math.rad(degrees))
		world:spawn {
			shape = "box", size = { 60, 2, 20 }, position = turn * vec3(0, -1, 0), rotation = turn, motion = "static",
			friction = 1, rolling = 0,
		}
		local ball = world:spawn {
			shape = "ball", radius = 0.5, position = turn * vec3(20, 0.5, 0), friction = 1, rolling = 0, restitution = 0,
		}
		local start = ball.position
		run(world, 6)
		local expected = 0.5 * 5 / 7 * G * math.sin(math.rad(degrees)) * 36
		near((ball.position - start):length(), expected, 0.05 * expected, degrees .. " degrees: way")
	end
end

-- ---- what wakes ----------------------------------------------------------------------------------------------------

local TestWakes = {}

local function stack_on_slab(world)
	local slab = world:spawn {
		shape = "box", size = { 4, 1, 4 }, position = { 0, 49.5, 0 }, motion = "static", friction = 0.6,
	}
	local boxes = {}
	for i = 1, 10 do
		boxes[i] = world:spawn { shape = "box", size = { 1, 1, 1 }, position = { 0, 49.5 + i, 0 }, friction = 0.6 }
	end
	scenery.slab(world, { size = { 4, 1, 4 }, position = { 20, 49.5, 0 } })
	local other = world:spawn { shape = "box", size = { 1, 1, 1 }, position = { 20, 50.5, 0 } }
	luaunit.assertNotNil(world:settle(10), "the stack never slept")
	return slab, boxes, other
end

local removals = {
	destroy = function(slab)
		slab:destroy()
	end,
	teleport = function(slab)
		slab.position = { 0, 49.5, 100 }
	end,
	["meets nothing"] = function(slab)
		slab.parts[1].collides_with = "none"
	end,
	["in a group that is not met"] = function(slab, boxes, world)
		for _, box in ipairs(boxes) do
			box.parts[1].collides_with = "default"
		end
		world:settle(10) -- as before
		slab.parts[1].group = "ghosts"
	end,
}

function TestWakes.testSupportRemoved()
	for how, remove in pairs(removals) do
		local world = scree.world()
		local slab, boxes, other = stack_on_slab(world)
		local start = {}
		for i, box in ipairs(boxes) do
			start[i] = box.position.y
		end
		remove(slab, boxes, world)
		world:step()
		for i, box in ipairs(boxes) do
			luaunit.assertEquals(box.state, "awake", how .. ": box " .. i .. " after one step")
		end
		run(world, 59 / 60)
		for i, box in ipairs(boxes) do
			near(start[i] - box.position.y, 4.905, 0.15, how .. ": fall of box " .. i)
		end
		luaunit.assertEquals(other.state, "asleep", how .. ": far box")
	end
end

-- One support of many sleepers: each is told of, once.
function TestWakes.testSupportOfManyDestroyed()
	for _, how in ipairs { "destroy", "motion" } do
		local world = scree.world()
		local slab = scenery.slab(world, { size = { 200, 2, 4 } })
		for i = 1, 60 do
			world:spawn { shape = "box", size = { 1, 1, 1 }, position = { 3 * i - 92, 0.5, 0 } }
		end
		luaunit.assertNotNil(world:settle(10), "never slept")
		if how == "destroy" then
			slab:destroy()
		else
			slab.motion = "kinematic"
		end
		world:step()
		local count = { wake = 0, contact_end = 0 }
		for event in world:events() do
			count[event.kind] = (count[event.kind] or 0) + 1
		end
		luaunit.assertEquals(count.wake, 60, how)
		luaunit.assertEquals(count.contact_end, how == "destroy" and 60 or count.contact_end, how)
		world:destroy()
	end
end

function TestWakes.testLowestBoxDestroyed()
	local world = scree.world()
	local _, boxes, other = stack_on_slab(world)
	local start = boxes[10].position.y
	boxes[1]:destroy()
	world:step()
	for i = 2, 10 do
		luaunit.assertEquals(boxes[i].state, "awake", "box " .. i)
	end
	run(world, 3)
	near(start - boxes[10].position.y, 1, 0.02, "fall of the top")
	luaunit.assertEquals(other.state, "asleep", "far box")
end

function TestWakes.testGroundDugAway()
	local world, box = sleeper()
	local far = world:spawn { shape = "box", size = { 1, 1, 1 }, position = { 8.3, 0.5, 0.4 } }
	world:settle(5)
	world.terrain:fill_box { position = { 20, 0, 20 }, size = { 4, 4, 4 }, material = "air" }
	world:step()
	luaunit.assertEquals(box.state, "asleep", "after digging elsewhere")
	world.terrain:fill_box { position = { 0, -2, 0 }, size = { 6, 6, 6 }, material = "air" }
	world:step()
	luaunit.assertEquals(box.state, "awake")
	luaunit.assertEquals(far.state, "asleep", "a box 8 m away")
	local start = box.position.y
	run(world, 29 / 60)
	near(start - box.position.y, G / 8, 0.15, "fall in half a second")
end

function TestWakes.testGroundAddedInIt()
	for _, how in ipairs { "terrain", "static" } do
		local world = scree.world()
		scenery.floor(world)
		local box = world:spawn { shape = "box", size = { 1, 2, 1 }, position = { 0.3, 1, 0.4 } }
		luaunit.assertNotNil(world:settle(5), "the box never slept")
		if how == "terrain" then
			world.terrain:fill_box { position = { 0, 0.5, 0 }, size = { 6, 1, 6 }, material = "floor" }
		else
			world:spawn { shape = "box", size = { 6, 1, 6 }, position = { 0, 0.1, 0 }, motion = "static" }
		end
		world:step(1 / 60, 2)
		luaunit.assertNotEquals(box.state, "asleep", how)
		local top = how == "terrain" and 1 or 0.6
		run(world, 2, function()
			at_most(box.velocity:length(), 5, how .. ": speed")
		end)
		near(box.position.y, top + 1, 0.02, how .. ": height")
		run(world, 3)
		luaunit.assertEquals(box.state, "asleep", how)
	end
end

-- Calls and the velocity that each must give a sleeping box of 1 kg on a frictionless floor in the next step.
local pushes = {
	{ "impulse", function(box) box:apply_impulse { 1, 0, 0 } end, 1 },
	{ "impulse at its centre", function(box) box:apply_impulse({ 1, 0, 0 }, box.center_of_mass) end, 1 },
	{ "force", function(box) box:apply_force { 60, 0, 0 } end, 1 },
	{ "force at its centre", function(box) box:apply_force({ 60, 0, 0 }, box.center_of_mass) end, 1 },
	{ "velocity", function(box) box.velocity = { 1, 0, 0 } end, 1 },
	{ "torque", function(box) box:apply_torque { 0, 60 / 6, 0 } end, nil, 1 },
	{ "angular impulse", function(box) box:apply_angular_impulse { 0, 1 / 6, 0 } end, nil, 1 },
	{ "angular velocity", function(box) box.angular_velocity = { 0, 1, 0 } end, nil, 1 },
	{ "position", function(box) box.position = box.position + vec3(5, 0, 0) end },
	{ "rotation", function(box) box.rotation = scree.axis_angle({ 0, 1, 0 }, 0.3) end },
	{ "mass", function(box) box.mass = 2 end },
	{ "gravity_scale", function(box) box.gravity_scale = 0.5 end },
	{ "gravity", function(_, world) world.gravity = { 0, -5, 0 } end },
	{ "wake", function(box) box:wake() end },
}

function TestWakes.testEveryPush()
	for _, push in ipairs(pushes) do
		local name, act, speed, spin = unpack(push, 1, 4)
		local world, box = sleeper { friction = 0 }
		act(box, world)
		world:step()
		luaunit.assertEquals(box.state, "awake", name)
		if speed then
			near(box.velocity.x, speed, 0.01, name .. ": v")
			run(world, 59 / 60)
			near(box.velocity.x, speed, 0.01, name .. ": v after 1 s")
		elseif spin then
			near(box.angular_velocity.y, spin, 0.01, name .. ": w")
		end
	end
end

function TestWakes.testNoPushLeavesItAsleep()
	local world, box = sleeper()
	box:apply_force { 0, 0, 0 }
	box:apply_torque { 0, 0, 0 }
	box:apply_impulse { 0, 0, 0 }
	world:step()
	luaunit.assertEquals(box.state, "asleep")
end

function TestWakes.testWeakPushIsNotKept()
	local world, box = sleeper() -- holds 4.9 N
	local start = box.position
	box:apply_force { 3, 0, 0 }
	run(world, 2)
	at_most((box.position - start):length(), 1e-3, "way of a push below friction")
	box:wake()
	run(world, 2)
	at_most((box.position - start):length(), 1e-3, "way after waking")
	near(box.velocity:length(), 0, 1e-3, "v")
end

function TestWakes.testTeleportedBoxFalls()
	for _, also_wake in ipairs { false, true } do
		local world, box = sleeper()
		box.position = box.position + vec3(0, 5, 0)
		if also_wake then
			box:wake()
		end
		local landed = run(world, 3, function()
			return #box:contacts() > 0
		end)
		near(landed or 0, 1.01, 0.04, "time of landing")
	end
end

function TestWakes.testWakeLasts()
	local world, box = sleeper()
	for _ = 1, 60 do
		box:wake()
		world:step()
		luaunit.assertEquals(box.state, "awake")
	end
	local slept = run(world, 3, function()
		return box.state == "asleep"
	end)
	at_least(slept or 0, 0.45, "time until it sleeps again")
	luaunit.assertNotNil(slept)
end

local function momentum(world)
	local sum = vec3(0, 0, 0)
	for body in world:assemblies() do
		if body.motion == "dynamic" then
			sum = sum + body.mass * body.velocity
		end
	end
	return sum
end

function TestWakes.testBowlingPins()
	for _, speed in ipairs { 8, 60 } do
		local world = scree.world()
		scenery.floor(world, { friction = 0 })
		local pins = {}
		for row = 0, 3 do
			for i = 0, row do
				pins[#pins + 1] = scenery.body(world, 1.5, {
					shape = "box", size = { 0.11, 0.38, 0.11 }, position = { row * 0.26, 0.19, (i - row / 2) * 0.3 }, friction = 0,
					restitution = 0,
				})
			end
		end
		luaunit.assertNotNil(world:settle(5), "the pins never slept")
		local ball = scenery.body(world, 7, {
			shape = "ball", radius = 0.11, position = { -2.03, 0.19, 0 }, velocity = { speed, 0, 0 }, friction = 0,
			restitution = 0, gravity_scale = 0, rolling = 0,
		})
		local before = momentum(world)
		local hit = run(world, 1, function()
			return pins[1].velocity.x > 0.1
		end)
		local what = ("ball at %d m/s: "):format(speed)
		luaunit.assertNotNil(hit, what .. "the first pin was never hit")
		luaunit.assertEquals(pins[1].state, "awake", what)
		near(momentum(world).x, before.x, 0.02 * before.x, what .. "momentum after the hit")
		at_least(pins[1].velocity.x, 0.5 * speed, what .. "v of the pin")
		if speed == 8 then
			near(ball.velocity.x, 7 * 8 / 8.5, 0.1, what .. "v of the ball")
		end
		at_most(ball.position.x - 0.1, pins[1].position.x, what .. "ball behind the pin")
		run(world, 0.2)
		near(momentum(world).x, before.x, 0.02 * before.x, what .. "momentum at the end")
	end
end

-- ---- contacts end --------------------------------------------------------------------------------------------------

local function count_of(events, kind)
	local n = 0
	for _, event in ipairs(events) do
		if event.kind == kind then
			n = n + 1
		end
	end
	return n
end

local endings = {
	{ "destroyed", function(_, box) box:destroy() end },
	{ "its support destroyed", function(_, _, support) support:destroy() end },
	{ "teleported", function(_, box) box.position = { 0, 30, 0 } end },
	{ "thrown", function(_, box) box.velocity = { 0, 20, 0 } end },
	{ "made static", function(_, box) box.motion = "static" end },
}

local TestEndEvents = {}

function TestEndEvents.testOneEndForEachBegin()
	for _, ground in ipairs { "slab", "terrain" } do
		for _, asleep in ipairs { false, true } do
			for _, ending in ipairs(endings) do
				local name, act = unpack(ending)
				if not (ground == "terrain" and name == "its support destroyed") then
					local what = ("%s on %s, asleep %s: "):format(name, ground, tostring(asleep))
					local world = scree.world()
					local support
					if ground == "slab" then
						support = scenery.slab(world)
					else
						scenery.floor(world)
					end
					local box = world:spawn { shape = "box", size = { 1, 1, 1 }, position = { 0, 0.5, 0 }, restitution = 0 }
					local seen = {}
					local function step()
						world:step()
						for event in world:events() do
							seen[#seen + 1] = event
						end
					end
					for _ = 1, asleep and 120 or 10 do
						step()
					end
					luaunit.assertEquals(box.state == "asleep", asleep, what)
					luaunit.assertEquals(count_of(seen, "contact_begin"), 1, what .. "begins")
					luaunit.assertEquals(count_of(seen, "contact_end"), 0, what .. "ends before")
					act(world, box, support)
					step()
					step()
					luaunit.assertEquals(count_of(seen, "contact_begin"), 1, what .. "begins")
					luaunit.assertEquals(count_of(seen, "contact_end"), 1, what .. "ends")
					for _, event in ipairs(seen) do
						if event.kind == "contact_end" then
							luaunit.assertTrue(event.a == box or event.b == box, what .. "the end names the box")
						end
					end
				end
			end
		end
	end
end

function TestEndEvents.testDiggingEndsAContact()
	local world, box = sleeper()
	world.terrain:fill_box { position = { 0, -2, 0 }, size = { 6, 6, 6 }, material = "air" }
	local ends = 0
	for _ = 1, 3 do
		world:step()
		for event in world:events "contact_end" do
			ends = ends + 1
			luaunit.assertTrue(event.a == box and event.terrain)
		end
	end
	luaunit.assertEquals(ends, 1)
end

function TestEndEvents.testSleepEndsNothing()
	local world = scree.world()
	scenery.floor(world)
	for i = 1, 5 do
		world:spawn { shape = "box", size = { 1, 1, 1 }, position = { 0, i - 0.5, 0 } }
	end
	local begins, ends, sleeps = 0, 0, 0
	run(world, 4, function()
		for event in world:events() do
			begins = begins + (event.kind == "contact_begin" and 1 or 0)
			ends = ends + (event.kind == "contact_end" and 1 or 0)
			sleeps = sleeps + (event.kind == "sleep" and 1 or 0)
		end
	end)
	luaunit.assertEquals(begins, 5)
	luaunit.assertEquals(ends, 0)
	luaunit.assertEquals(sleeps, 5)
end

return { TestStaysAwake = TestStaysAwake, TestWakes = TestWakes, TestEndEvents = TestEndEvents }
