-- Drops on hills: bodies let go at random poses come to rest on the ground, never sink into it and never pass it.

local luaunit = require "luaunit"
local scree = require "scree"
local scenery = require "scenery"
local ffi = require "ffi"
local C = require("scree.ffi").C
local object = require "scree.object"

local SPAN = 44 -- half the ground's width, metres
local DEEPEST = -0.05 -- m: no contact with the ground may ever be deeper
local DEEPEST_BODY = -0.13 -- m: nor one between bodies that fall on each other
local SECONDS = 25
local RESTLESS = 1 -- of 200: one may rock for longer on its hill, or roll up and down a dale

local function hill(x, z)
	local height = 2.5 * scree.sin(0.21 * x) * scree.cos(0.17 * z) + 0.9 * scree.sin(0.53 * x + 0.31 * z)
	return height + 0.25 * scree.sin(1.3 * x) * scree.sin(1.1 * z)
end

-- Grassy hills with a rim of rock, so that nothing rolls off.
local function hills()
	local world = scree.world()
	world.terrain:generate {
		min = { -SPAN, -SPAN }, max = { SPAN, SPAN }, height = hill, material = "grass", bottom = 3,
	}
	for _, side in ipairs { -1, 1 } do
		world.terrain:fill_box { position = { side * SPAN, 0, 0 }, size = { 4, 24, 2 * SPAN + 4 }, material = "rock" }
		world.terrain:fill_box { position = { 0, 0, side * SPAN }, size = { 2 * SPAN + 4, 24, 4 }, material = "rock" }
	end
	return world
end

local makers = {
	ball = function(r)
		return { shape = "ball", radius = 0.25 + 0.4 * r() }
	end,
	box = function(r)
		return { shape = "box", size = { 0.4 + 0.8 * r(), 0.4 + 0.8 * r(), 0.4 + 0.8 * r() } }
	end,
	capsule = function(r)
		return { shape = "capsule", radius = 0.2 + 0.2 * r(), length = 0.3 + 0.9 * r() }
	end,
	compound = function(r) -- three crossed beams and two balls
		local arm = 0.9 + 0.5 * r()
		return {
			parts = {
				{ shape = "box", size = { arm, 0.25, 0.25 } }, { shape = "box", size = { 0.25, arm, 0.25 } },
				{ shape = "box", size = { 0.25, 0.25, arm } }, { shape = "ball", radius = 0.22, position = { arm / 2, 0, 0 } },
				{ shape = "ball", radius = 0.22, position = { -arm / 2, 0, 0 } },
			},
		}
	end,
}
local kinds = { "ball", "box", "capsule", "compound" }

local function release(world, kind, i, random)
	local options = makers[kind](random)
	local x, z = (i % 15) * 5.4 - 38 + random(), math.floor(i / 15) * 5.8 - 38 + random()
	options.position = { x, hill(x, z) + 1.5 + 3 * random(), z }
	options.rotation = scenery.turn(random)
	options.velocity = 2 * scenery.direction(random)
	options.angular_velocity = 4 * scenery.direction(random)
	options.material = "wood"
	return world:spawn(options)
end

local contacts, point, water = ffi.new "const ScreeContact *[1]", ffi.new "double[3]", ffi.new "int32_t[1]"

-- The deepest separation of an assembly's contacts, what it is with ("ground" or "body"), and whether its centre is in
-- the ground. Bare calls: this runs for every awake body in every step.
local function examine(pointer, id)
	local deepest, with = 0, nil
	for i = 0, C.screeAssembly_Contacts(pointer, id, contacts) - 1 do
		local contact = contacts[0][i]
		for k = 0, contact.point_count - 1 do
			if contact.separation[k] < deepest then
				deepest, with = contact.separation[k], contact.other == 0 and "ground" or "body"
			end
		end
	end
	C.screeAssembly_GetCenterOfMass(pointer, id, point)
	return deepest, with, C.screeTerrain_IsInside(pointer, point, water) == 1
end

-- Steps until all is at rest, but for as many as may be restless, and reports what went wrong on the way.
local function watch(world, bodies, what, seconds, restless)
	local pointer = world[object.POINTER]
	local deep, inside, worst = {}, {}, 0
	local rest = scenery.run(world, seconds or SECONDS, function(t)
		for i, body in ipairs(bodies) do
			local id = body[object.ID]
			if C.screeAssembly_GetState(pointer, id) ~= C.SCREE_ASLEEP then
				local deepest, with, buried = examine(pointer, id)
				worst = math.min(worst, deepest)
				local limit = with == "ground" and DEEPEST or DEEPEST_BODY
				deep[i] = deep[i] or deepest < limit and ("%d (%.3f m, %s, at %.2f s)"):format(i, deepest, with, t)
				inside[i] = inside[i] or buried and ("%d (at %.2f s)"):format(i, t)
			end
		end
		local stats = world.stats
		return stats.awake + stats.checking == 0
	end)
	local function list(set)
		local words = {}
		for i = 1, #bodies do
			words[#words + 1] = set[i] or nil
		end
		return table.concat(words, ", ", 1, math.min(#words, 8)), #words
	end
	local faults = {}
	local names, count = list(inside)
	if count > 0 then
		faults[#faults + 1] = ("%d had their centre in the ground: %s"):format(count, names)
	end
	names, count = list(deep)
	if count > 0 then
		faults[#faults + 1] = ("%d sank too deep (worst %.3f m): %s"):format(count, worst, names)
	end
	if not rest then
		local moving = {}
		for i, body in ipairs(bodies) do
			if body.state == "awake" then
				moving[#moving + 1] = ("%d (%s, %.3f m/s)"):format(i, body.state, body.velocity:length())
			end
		end
		local all = table.concat(moving, ", ", 1, math.min(#moving, 8))
		local text = ("%d not at rest after %g s: %s"):format(#moving, seconds or SECONDS, all)
		faults[#faults + 1] = #moving > (restless or 0) and text or nil
	end
	if #faults > 0 then
		luaunit.fail(what .. ": " .. table.concat(faults, "; "))
	end
end

local TestRest = {}

local function drop_alone(kind, seed)
	local random, world, bodies = scenery.generator(seed), hills(), {}
	for i = 0, 199 do
		bodies[i + 1] = release(world, kind, i, random)
	end
	watch(world, bodies, ("%s, seed %d"):format(kind, seed), SECONDS, RESTLESS)
end

function TestRest.testBalls()
	drop_alone("ball", 11)
end

function TestRest.testBoxes()
	drop_alone("box", 12)
end

function TestRest.testCapsules()
	drop_alone("capsule", 13)
end

function TestRest.testCompounds()
	drop_alone("compound", 14)
end

-- All of them on one heap, over a hollow.
function TestRest.testHeap()
	local seed = 15
	local random, world, bodies = scenery.generator(seed), hills(), {}
	for i = 0, 119 do
		local body = release(world, kinds[i % 4 + 1], i, random)
		body.position = { (i % 5) * 1.6 - 3, 7 + 1.6 * math.floor(i / 25), math.floor(i / 5) % 5 * 1.6 - 3 }
		bodies[i + 1] = body
	end
	watch(world, bodies, "heap, seed " .. seed, 40)
end

return { TestRest = TestRest }
