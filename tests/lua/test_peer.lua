-- Against an independent engine: six scenes also run in Rapier (tests/peer/rapier.cjs) under Node, and the trajectories
-- are compared step by step. Skipped without node or the package @dimforge/rapier3d-deterministic-compat, which is
-- looked for where NODE_PATH says, or in the folder that SCREE_NODE_MODULES names; what that names must be there.

local lu = require "luaunit"
local scree = require "scree"
local scenery = require "scenery"
local process = require "process"

local near, at_most = scenery.near, scenery.at_most
local vec3 = scree.vec3
local here = debug.getinfo(1, "S").source:match "^@(.*)[/\\]" or "."
local script = process.quote(here .. "/../peer/rapier.cjs")

local MISSING = "no node with @dimforge/rapier3d-deterministic-compat (see SCREE_NODE_MODULES)"
local told = false

-- What Rapier says of a scene: a list of steps, each the bodies' places and rotations in turn. Skips the test without.
local function peer(name, steps)
	local folder = os.getenv "SCREE_NODE_MODULES"
	local environment = folder and "NODE_PATH=" .. process.quote(folder) or nil
	local code, said = process.run(".", "node " .. script .. " version", environment)
	if code ~= 0 and not folder then
		if not told then
			print("test_peer is skipped: " .. MISSING)
			told = true
		end
		lu.skip(MISSING)
	end
	lu.assertEquals(code, 0, said)
	local out
	code, said, out = process.run(".", ("node %s %s %d"):format(script, name, steps), environment)
	lu.assertEquals(code, 0, said)
	local list = {}
	for line in out:gmatch "[^\n]+" do
		local step, numbers = {}, {}
		for number in line:gmatch "%S+" do
			numbers[#numbers + 1] = assert(tonumber(number), line)
		end
		for i = 1, #numbers, 7 do
			step[#step + 1] = {
				place = vec3(numbers[i], numbers[i + 1], numbers[i + 2]),
				rotation = scree.quat(numbers[i + 3], numbers[i + 4], numbers[i + 5], numbers[i + 6]),
			}
		end
		list[#list + 1] = step
	end
	lu.assertEquals(#list, steps)
	return list
end

-- Steps the world along with the other's list; each(ours, theirs, t) for every body.
local function compare(world, bodies, list, each)
	for i, step in ipairs(list) do
		world:step()
		lu.assertEquals(#step, #bodies)
		for k, body in ipairs(bodies) do
			each(body, step[k], i / 60, k)
		end
	end
end

local function add(world, mass, options)
	options.friction, options.restitution = options.friction or 0, options.restitution or 0
	options.rolling, options.can_sleep = 0, false
	return scenery.body(world, mass, options)
end

local function floor(world, friction, restitution)
	scenery.slab(world, { friction = friction or 0, restitution = restitution or 0 })
end

local TestPeer = {}

-- The same parabola: both take four substeps a step. Within 1 mm.
function TestPeer.testDrop()
	local list, world = peer("drop", 120), scree.world()
	local ball = add(world, 1, { shape = "ball", radius = 0.5, position = { 0, 20, 0 }, velocity = { 3, 0, -1 } })
	compare(world, { ball }, list, function(body, other, t)
		near((body.position - other.place):length(), 0, 1e-3, "apart at " .. t)
	end)
end

-- To a stop by friction. Within 1 % of the way of 1.63 m.
function TestPeer.testSlide()
	local list, world = peer("slide", 120), scree.world()
	floor(world, 0.5)
	local box = add(world, 1, {
		shape = "box", size = { 1, 1, 1 }, position = { -2, 0.5, 0 }, velocity = { 4, 0, 0 }, friction = 0.5,
	})
	compare(world, { box }, list, function(body, other, t)
		near(body.position.x, other.place.x, 0.0163, "way at " .. t)
		near(body.position.y, other.place.y, 1e-3, "height at " .. t)
	end)
end

-- Heights of the tops, and when they are reached.
local function tops()
	local found, before, rising = {}, nil, false
	return found, function(y, t)
		if before and rising and y < before then
			found[#found + 1] = { before, t }
		end
		rising = before and y > before
		before = y
	end
end

-- Three bounces: each top within 2 % of the fall of 3 m, and its time within four steps, since the other one sinks
-- in before it bounces; by the law within two.
function TestPeer.testBounce()
	local list, world = peer("bounce", 240), scree.world()
	floor(world, 0, 0.7)
	local ball = add(world, 1, { shape = "ball", radius = 0.5, position = { 0, 3.5, 0 }, restitution = 0.7 })
	local ours, look = tops()
	local theirs, look_there = tops()
	compare(world, { ball }, list, function(body, other, t)
		look(body.position.y, t)
		look_there(other.place.y, t)
	end)
	lu.assertTrue(#ours >= 3 and #theirs >= 3)
	for i = 1, 3 do
		near(ours[i][1], theirs[i][1], 0.06, "top " .. i)
		near(ours[i][2], theirs[i][2], 4.5 / 60, "time of top " .. i)
		near(ours[i][1] - 0.5, 3 * 0.49 ^ i, 0.06, "top " .. i .. " by the law")
		local falls = 1 + 0.7 ^ i -- in times of the first
		for k = 1, i - 1 do
			falls = falls + 2 * 0.7 ^ k
		end
		near(ours[i][2], falls * math.sqrt(6 / scenery.G), 2.5 / 60, "time of top " .. i .. " by the law")
	end
end

-- Five seconds from 30 degrees. Within 2 cm on a circle of 1 m: 1.1 degrees.
function TestPeer.testPendulum()
	local list, world = peer("pendulum", 300), scree.world()
	local bob = add(world, 1, {
		shape = "ball", radius = 0.1, position = { math.sin(math.pi / 6), -math.cos(math.pi / 6), 0 },
	})
	world:joint { type = "ball", b = bob, at = { 0, 0, 0 } }
	local passed, side = 0, 1
	compare(world, { bob }, list, function(body, other, t)
		at_most((body.position - other.place):length(), 0.02, "apart at " .. t)
		passed = passed + (body.position.x * side < 0 and 1 or 0)
		side = body.position.x
	end)
	lu.assertEquals(passed, 5) -- a swing takes 2.045 s
end

local function turned(rotation, last)
	local angle = 2 * math.atan2(rotation.z, rotation.w)
	return angle + 2 * math.pi * math.floor((last - angle) / (2 * math.pi) + 0.5)
end

-- 8 N m on 4 kg m2 until 3 rad/s are reached, after 1.5 s. Angles within 0.02 rad of 6.75.
function TestPeer.testMotor()
	local list, world = peer("motor", 180), scree.world { gravity = { 0, 0, 0 } }
	local wheel = add(world, 10, { shape = "ball", radius = 1 })
	near(wheel.inertia.z, 4, 1e-4, "inertia")
	world:joint { type = "hinge", b = wheel, axis = { 0, 0, 1 }, motor = { speed = 3, max_torque = 8 } }
	local ours, theirs = 0, 0
	compare(world, { wheel }, list, function(body, other, t)
		ours, theirs = turned(body.rotation, ours), turned(other.rotation, theirs)
		near(ours, theirs, 0.02, "angle at " .. t)
	end)
	near(ours, 2.25 + 3 * 1.5, 0.02, "angle by the law")
end

-- Five boxes dropped by 5 cm each: at rest within 1 cm of each other, height and side; on the way within 3 cm.
function TestPeer.testStack()
	local list, world, boxes = peer("stack", 240), scree.world(), {}
	floor(world, 0.6)
	for i = 0, 4 do
		boxes[i + 1] = add(world, 1000, {
			shape = "box", size = { 1, 1, 1 }, position = { 0.02 * (i % 2), 0.55 + 1.05 * i, 0 }, friction = 0.6,
		})
	end
	compare(world, boxes, list, function(body, other, t, k)
		at_most((body.position - other.place):length(), t < 2 and 0.03 or 0.01, ("box %d at %g"):format(k, t))
	end)
	for k, box in ipairs(boxes) do
		near(box.position.y, k - 0.5, 0.01, "height of box " .. k)
		near(list[240][k].place.y, k - 0.5, 0.01, "its height there")
	end
end

return { TestPeer = TestPeer }
