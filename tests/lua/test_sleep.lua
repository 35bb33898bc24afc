-- Sleep by Newton's first law: each assembly by itself, and only what is in balance.

local lu = require "luaunit"
local scree = require "scree"
local scenery = require "scenery"
local support = require "support"

local TestSleep = {}

local DT = scenery.DT

-- Thrown up under weak gravity: slow at the top, but not at rest. The rule of velocities lets it hang.
function TestSleep.testApex()
	for _, gravity in ipairs { 0.1, 0.05, 0.03 } do
		local world = scree.world { gravity = { 0, -gravity, 0 } }
		local floor = world:spawn { shape = "box", size = { 20, 1, 20 }, position = { 0, -0.5, 0 }, motion = "static" }
		local ball = world:spawn { shape = "ball", radius = 0.2, position = { 0, 1, 0 }, velocity = { 0, 0.2, 0 } }
		lu.assertTrue(floor.valid)
		local top = 0
		for _ = 1, math.floor(60 * 0.3 / gravity) do
			world:step(DT)
			top = math.max(top, ball.position.y)
			lu.assertEquals(ball.state, "awake", "gravity " .. gravity)
		end
		lu.assertTrue(ball.velocity.y < 0)
		lu.assertTrue(top > 1.05)
	end
end

-- A ball that rolls over a pile wakes nothing of it; one that falls on a corner little.
function TestSleep.testAPileSleepsOn()
	local counts = {}
	for _, rule in ipairs { "impulse", "velocity" } do
		local world = scree.world { sleep = { rule = rule } }
		world.terrain:fill_box { position = { 0, -2, 0 }, size = { 40, 4, 40 }, material = "rock" }
		for i = 0, 399 do
			world:spawn {
				shape = "box", size = { 1, 1, 1 }, friction = 0.6,
				position = { i % 10 - 4.5, 0.5 + math.floor(i / 100), math.floor(i / 10) % 10 - 4.5 },
			}
		end
		lu.assertNotNil(world:settle(20), rule)
		local ball = world:spawn {
			shape = "ball", radius = 0.3, position = { -3, 4.3, 0.5 }, velocity = { 1.5, 0, 0 }, density = 1000, rolling = 0,
		}
		local woken = {}
		for _ = 1, 240 do
			world:step(DT)
			for event in world:events "wake" do
				if event.assembly ~= ball then
					woken[event.assembly] = true
				end
			end
		end
		counts[rule] = 0
		for _ in pairs(woken) do
			counts[rule] = counts[rule] + 1
		end
		lu.assertTrue(ball.position.x > -1, "it rolled over")
	end
	lu.assertTrue(counts.impulse < 20, counts.impulse .. " of 400 woke")
	lu.assertEquals(counts.velocity, 400)
end

-- The base of a windmill sleeps under its blades, which turn on.
function TestSleep.testWindmill()
	local world = scree.world {}
	world.terrain:fill_box { position = { 0, -2, 0 }, size = { 20, 4, 20 }, material = "rock" }
	local base = world:spawn { shape = "box", size = { 2, 3, 2 }, position = { 0, 1.5, 0 }, density = 2000 }
	local blades = world:spawn {
		position = { 0, 2.5, 1.5 },
		parts = {
			{ shape = "box", size = { 3, 0.2, 0.1 }, density = 300 }, { shape = "box", size = { 0.2, 3, 0.1 }, density = 300 },
		},
	}
	local hinge = world:joint {
		type = "hinge", a = base, b = blades, at = { 0, 2.5, 1 }, axis = { 0, 0, 1 },
		motor = { speed = 1, max_torque = 500 },
	}
	world:run(10)
	local changes, place, angle = 0, base.position, hinge.angle
	lu.assertEquals(base.state, "checking", base:why_awake())
	for _ = 1, 600 do
		world:step(DT)
		for event in world:events() do
			changes = changes + ((event.kind == "sleep" or event.kind == "wake") and event.assembly == base and 1 or 0)
		end
	end
	lu.assertEquals(changes, 0)
	lu.assertEquals(blades.state, "awake")
	lu.assertTrue((base.position - place):length() < 1e-3)
	lu.assertTrue(math.abs(hinge.angle - angle - 10) < 0.1)
end

-- A rope between one that drifts and one that rests: the latter wakes in the step in which the rope goes taut.
function TestSleep.testRopeGoesTaut()
	local world = scree.world { gravity = { 0, 0, 0 } }
	local resting = support.box(world, { position = { 0, 0, 0 } })
	local drifting = support.box(world, { position = { 2, 0, 0 }, velocity = { 0.5, 0, 0 } })
	local rope = world:joint { type = "rope", a = resting, b = drifting, length = 3 }
	resting:sleep()
	local taut
	for _ = 1, 240 do
		world:step(DT)
		if not taut and rope.impulse:length() > 1e-3 then
			taut = true
			lu.assertEquals(resting.state, "awake")
		elseif not taut then
			lu.assertTrue(resting.state ~= "awake")
		end
	end
	lu.assertTrue(taut)
	lu.assertTrue(math.abs(resting.velocity.x - 0.25) < 0.02)
end

-- Taking away the lowest wakes all of a stack in that step, and nobody else; the ground likewise.
function TestSleep.testSupportGoes()
	for _, how in ipairs { "destroy", "dig" } do
		local world = support.world_with_floor()
		local boxes = {}
		for i = 1, 6 do
			boxes[i] = support.box(world, { position = { 0, i - 0.5, 0 } })
		end
		local other = support.box(world, { position = { 9, 0.5, 0 } })
		lu.assertNotNil(world:settle(20))
		if how == "destroy" then
			table.remove(boxes, 1):destroy()
		else
			world.terrain:fill_box { position = { 0, -1, 0 }, size = { 3, 2, 3 }, material = "air" }
		end
		world:step(DT)
		for i, box in ipairs(boxes) do
			lu.assertEquals(box.state, "awake", how .. " " .. i)
		end
		lu.assertEquals(other.state, "asleep")
	end
end

-- What rests on a sleeper becomes up to a hundred times as heavy while that is watched: it bears it where it is, and is
-- in balance with it when it wakes, though its springs held another load.
function TestSleep.testALoadThatGrowsOnASleeper()
	for _, ratio in ipairs { 1, 4, 14, 30 } do
		local world = support.world_with_floor()
		local low = support.box(world, { size = { 1, 0.5, 1 }, position = { 0, 0.25, 0 }, density = 100 })
		local high = support.box(world, { size = { 1, 0.5, 1 }, position = { 0.1, 0.75, 0 }, density = 100 * ratio })
		high.can_sleep = false
		for step = 1, 600 do
			local held = 0.99 * math.min(math.max((300 - step) / 120, 0), 1)
			high:apply_force { 0, held * 9.81 * high.mass, 0 }
			high.can_sleep = step >= 300
			world:step(DT)
			lu.assertTrue(step < 120 or low.state ~= "awake", ("%d times, step %d"):format(ratio, step))
		end
		lu.assertEquals({ low.state, high.state }, { "asleep", "asleep" })
		local height = low.position.y
		world.sleep = { enabled = false }
		for _ = 1, 120 do
			world:step(DT)
			lu.assertAlmostEquals(low.position.y, height, 2e-5, ratio .. " times")
		end
	end
end

function TestSleep.testWhyAndLimits()
	local world = support.world_with_floor()
	local box = support.box(world, { position = { 0, 3, 0 } })
	world:step(DT, 5)
	lu.assertStrContains(box:why_awake(), "moves at")
	box.can_sleep = false
	lu.assertStrContains(box:why_awake(), "can_sleep")
	box.can_sleep = true
	lu.assertNotNil(world:settle(10))
	lu.assertStrContains(box:why_awake(), "sleeps")
	box.sleep_limits = { linear = 0 }
	lu.assertEquals(box.sleep_limits.linear, 0)
	lu.assertNil(box.sleep_limits.wake)
	lu.assertNil(world:settle(5)) -- nothing is slower than that
	box.sleep_limits = nil
	lu.assertNotNil(world:settle(10))
	support.fails(function() box.sleep_limits = { linear = -1 } end, "sleep_limits.linear", "-1")
	support.fails(function() box.sleep_limits = { line = 1 } end, "line")
	lu.assertEquals(world.sleep.rule, "impulse")
	lu.assertEquals(world.sleep.balance, 0.02)
end

-- Ground that becomes slippery under a sleeper bears it no more; ground of another material that is as rough does.
function TestSleep.testGroundOfAnotherMaterial()
	local change = {
		paint = function(t, ice)
			t:fill_box { position = { 0, -2, 0 }, size = { 40, 4, 40 }, material = ice, mode = "paint" }
		end,
		replace = function(t, ice) t:replace({ -20, -4, -20 }, { 19, -1, 19 }, "rock", ice) end,
		fill = function(t, ice) t:fill_box { position = { 0, -2, 0 }, size = { 40, 4, 40 }, material = ice } end,
	}
	for name, apply in pairs(change) do
		local world = scree.world { gravity = { 2, -9, 0 } }
		world.materials.rock = { friction = 1 }
		world.materials.ice = { friction = 0 }
		world.terrain:fill_box { position = { 0, -2, 0 }, size = { 40, 4, 40 }, material = "rock" }
		local box = world:spawn { shape = "box", size = { 1, 1, 1 }, position = { -3, 0.5, 0 }, friction = 1 }
		lu.assertNotNil(world:settle(5))
		apply(world.terrain, "ice")
		world:step()
		lu.assertEquals(box.state, "awake", name)
		world:run(1 - DT)
		lu.assertAlmostEquals(box.velocity.x, 2, 0.05, name)
	end
end

-- A tower that sways comes to rest as it does with sleep off: its foot, once it sleeps, springs back with the rest.
function TestSleep.testATowerSwaysNoLonger()
	local sways = {}
	for _, enabled in ipairs { false, true } do
		local world = scree.world { sleep = { enabled = enabled } }
		world:spawn { shape = "box", size = { 40, 1, 40 }, position = { 0, -0.5, 0 }, motion = "static" }
		local top
		for i = 1, 8 do
			top = world:spawn {
				shape = "box", size = { 1, 1, 1 }, position = { 0.02 * (i % 2), 1.01 * i - 0.5, 0 }, density = 1000,
			}
		end
		for _ = 1, 420 do
			world:step(1 / 30)
		end
		local least, most = top.position.x, top.position.x
		for _ = 1, 60 do
			world:step(1 / 30)
			least, most = math.min(least, top.position.x), math.max(most, top.position.x)
		end
		sways[enabled] = most - least
		lu.assertEquals(top.state, enabled and "asleep" or "awake")
	end
	lu.assertTrue(sways[false] < 0.002, sways[false] .. " m")
	lu.assertEquals(sways[true], 0)
end

return TestSleep
