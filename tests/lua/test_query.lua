-- Rays, casts, overlaps and the bulk forms: what they take and give. Exact hits are for the tests of the queries.

local ffi = require "ffi"
local lu = require "luaunit"
local scree = require "scree"
local support = require "support"

local fails = support.fails
local NAN, INF = support.NAN, support.INF

local TestRaycast = {}

-- A floor, and boxes of one metre at heights 2 and 5 over the same spot.
local function tower()
	local world = support.world_with_floor()
	local low = support.box(world, { position = { 0.1, 2, 0.1 }, material = "wood", group = "low" })
	local high = support.box(world, { position = { 0.1, 5, 0.1 }, group = "high" })
	return world, low, high
end

local TOP, BELOW = { 0.1, 10, 0.1 }, { 0.1, -10, 0.1 }

function TestRaycast.testHit()
	local world, _, high = tower()
	local hit = world:raycast(TOP, BELOW)
	lu.assertTrue(hit.assembly == high)
	lu.assertEquals(hit.part, 1)
	lu.assertEquals(hit.material, "rock")
	lu.assertEquals(hit.terrain, false)
	lu.assertEquals(hit.water, false)
	lu.assertEquals(hit.inside, false)
	lu.assertNil(hit.cell)
	support.is_vec3(hit.position, 0.1, 5.5, 0.1, 1e-3)
	support.is_vec3(hit.normal, 0, 1, 0, 1e-6)
	lu.assertAlmostEquals(hit.distance, 4.5, 1e-3)
	lu.assertAlmostEquals(hit.fraction, 4.5 / 20, 1e-4)
	lu.assertEquals(select("#", world:raycast(TOP, BELOW)), 1)
	lu.assertNil(world:raycast({ 50, 10, 50 }, { 50, 5, 50 }))
end

function TestRaycast.testGroundHit()
	local world = support.world_with_floor()
	local hit = world:raycast(TOP, BELOW)
	lu.assertNil(hit.assembly)
	lu.assertNil(hit.part)
	lu.assertEquals(hit.terrain, true)
	lu.assertEquals(hit.material, "rock")
	support.is_vec3(hit.cell, 0, -1, 0)
	lu.assertAlmostEquals(hit.position.y, 0, 1e-3)
end

function TestRaycast.testOptions()
	local world, low, high = tower()
	local function first(opts)
		local hit = world:raycast(TOP, BELOW, opts)
		return hit and (hit.assembly or "ground")
	end
	lu.assertTrue(first() == high)
	lu.assertTrue(first {} == high)
	lu.assertTrue(first { ignore = high } == low)
	lu.assertTrue(first { ignore = { high, low } } == "ground")
	lu.assertTrue(first { ignore = {} } == high)
	lu.assertTrue(first { group = "low" } == low)
	lu.assertTrue(first { group = { "low", "high" } } == high)
	lu.assertTrue(first { group = "all" } == high)
	lu.assertTrue(first { dynamic = false } == "ground")
	lu.assertTrue(first { assemblies = false } == "ground")
	lu.assertTrue(first { dynamic = false, terrain = false } == nil)
	lu.assertTrue(first { water = false, inside = true, terrain = true, dynamic = true } == high)
	high.motion = "static"
	lu.assertTrue(first { dynamic = false } == high)
end

function TestRaycast.testAll()
	local world, low, high = tower()
	local hits = world:raycast_all(TOP, BELOW)
	lu.assertEquals(#hits, 3)
	lu.assertTrue(hits[1].assembly == high)
	lu.assertTrue(hits[2].assembly == low)
	lu.assertEquals(hits[2].material, "wood")
	lu.assertTrue(hits[3].terrain)
	lu.assertTrue(hits[1].fraction < hits[2].fraction and hits[2].fraction < hits[3].fraction)
	lu.assertEquals(#world:raycast_all({ 50, 10, 50 }, { 50, 5, 50 }), 0)
	lu.assertEquals(#world:raycast_all(TOP, BELOW, { ignore = low }), 2)
end

function TestRaycast.testNoLength()
	local world = tower()
	local function defined(point, opts)
		local hit = world:raycast(point, point, opts)
		if hit then
			lu.assertEquals(hit.fraction, 0)
			lu.assertEquals(hit.distance, 0)
			local length = hit.normal:length()
			lu.assertTrue(length == 0 or math.abs(length - 1) < 1e-6)
		end
		return hit
	end
	lu.assertNil(defined { 0.1, 20, 0.1 })
	defined { 0.1, 0, 0.1 }
	defined { 0.1, -1.5, 0.1 }
	defined { 0.1, 5, 0.1 }
	world:raycast({ 0.1, 20, 0.1 }, { 0.1, 20 + 1e-30, 0.1 })
	world:raycast({ 0, 0, 0 }, { 1e-30, 0, 0 })
	lu.assertEquals(#world:raycast_all({ 0.1, 20, 0.1 }, { 0.1, 20, 0.1 }), 0)
end

function TestRaycast.testMistakes()
	local world = tower()
	local hash = world:hash()
	for _, name in ipairs { "raycast", "raycast_all" } do
		fails(function() world[name](world) end, name .. ": from", "nil")
		fails(function() world[name](world, TOP) end, name .. ": to", "nil")
		fails(function() world[name](world, 1, BELOW) end, name .. ": from", "got 1")
		fails(function() world[name](world, { 0, NAN, 0 }, BELOW) end, name .. ": from[2]", "nan")
		fails(function() world[name](world, TOP, { 0, 0, -INF }) end, name .. ": to[3]", "-inf")
		fails(function() world[name](world, TOP, BELOW, 1) end, name .. ": opts", "got 1")
		fails(function() world[name](world, TOP, BELOW, { ignor = {} }) end, '"ignor"', '"ignore"')
		fails(function() world[name](world, TOP, BELOW, { terrain = 1 }) end, name .. ": opts.terrain")
		fails(function() world[name](world, TOP, BELOW, { group = 32 }) end, name .. ": opts.group")
		fails(function() world[name](world, TOP, BELOW, { ignore = "x" }) end, name .. ": opts.ignore")
	end
	lu.assertEquals(world:hash(), hash)
end

local TestShapes = {}

function TestShapes.testCast()
	local world, low, high = tower()
	local ball = { shape = "ball", radius = 0.25 }
	local hit = world:cast(ball, TOP, BELOW)
	lu.assertTrue(hit.assembly == high)
	lu.assertEquals(select("#", world:cast(ball, TOP, BELOW)), 1)
	hit = world:cast({ shape = "box", size = { 0.2, 0.2, 0.2 }, rotation = { 0, 1, 0, 1 } }, TOP, BELOW, { ignore = high })
	lu.assertTrue(hit.assembly == low)
	world:cast({ shape = "capsule", radius = 0.1, length = 1, position = { 0, 1, 0 } }, TOP, BELOW)
	lu.assertNil(world:cast(ball, { 50, 10, 50 }, { 50, 5, 50 }))
end

function TestShapes.testOverlap()
	local world, low, high = tower()
	local found, ground = world:overlap({ shape = "ball", radius = 0.3 }, { 0.1, 5, 0.1 })
	lu.assertEquals(#found, 1)
	lu.assertTrue(found[1] == high)
	lu.assertEquals(ground, false)
	found = world:overlap({ shape = "box", size = { 0.5, 0.5, 0.5 } }, { 0.1, 2, 0.1 })
	lu.assertTrue(#found == 1 and found[1] == low)
	found, ground = world:overlap({ shape = "ball", radius = 0.3 }, { 9, -1, 9 })
	lu.assertEquals(#found, 0)
	lu.assertEquals(ground, true)
end

function TestShapes.testMistakes()
	local world = tower()
	local hash, ball = world:hash(), { shape = "ball", radius = 1 }
	fails(function() world:cast() end, "cast: shape", "nil")
	fails(function() world:cast(ball) end, "cast: from", "nil")
	fails(function() world:cast(ball, TOP) end, "cast: to", "nil")
	fails(function() world:cast({ shape = "ball" }, TOP, BELOW) end, "cast: shape: radius is missing")
	fails(function() world:cast({ shape = "ball", radius = NAN }, TOP, BELOW) end, "cast: shape: radius", "nan")
	fails(function() world:cast({ shape = "bal", radius = 1 }, TOP, BELOW) end, '"bal"', '"ball"')
	fails(function() world:cast({ shape = "ball", radius = 1, rotaton = 1 }, TOP, BELOW) end, '"rotaton"', '"rotation"')
	fails(function() world:overlap() end, "overlap: shape", "nil")
	fails(function() world:overlap(ball) end, "overlap: position", "nil")
	fails(function() world:overlap(ball, { 0, 0 }) end, "overlap: position[3]", "nil")
	fails(function() world:overlap(ball, { 0, 0, 0 }, { x = 1 }) end, "overlap: opts.", '"x"')
	lu.assertEquals(world:hash(), hash)
end

local TestBulk = {}

function TestBulk.testRaycasts()
	local world = tower()
	local from = ffi.new("double[6]", { 0.1, 10, 0.1, 50, 10, 50 })
	local to = ffi.new("double[6]", { 0.1, -10, 0.1, 50, 5, 50 })
	local fractions = ffi.new("double[2]")
	world:raycasts(2, from, to, fractions)
	lu.assertAlmostEquals(fractions[0], 4.5 / 20, 1e-4)
	lu.assertEquals(fractions[1], 2)
	local n = ffi.new("double[?]", 6)
	ffi.copy(n, from, 48)
	world:raycasts(2, n, ffi.cast("const double *", to), fractions, { dynamic = false })
	lu.assertAlmostEquals(fractions[0], 0.5, 1e-4)
	world:raycasts(0, from, to, fractions)
end

function TestBulk.testRaycastsMistakes()
	local world = tower()
	local six, two = ffi.new "double[6]", ffi.new "double[2]"
	fails(function() world:raycasts(-1, six, six, two) end, "raycasts: n", "-1")
	fails(function() world:raycasts(1.5, six, six, two) end, "raycasts: n")
	fails(function() world:raycasts(3, six, six, two) end, "raycasts: from", "72", "48")
	fails(function() world:raycasts(2, six, two, two) end, "raycasts: to")
	fails(function() world:raycasts(2, six, six, ffi.new "double[1]") end, "raycasts: fractions")
	fails(function() world:raycasts(2, ffi.new "float[6]", six, two) end, "raycasts: from")
	fails(function() world:raycasts(2, { 1, 2, 3, 4, 5, 6 }, six, two) end, "raycasts: from", "table")
	fails(function() world:raycasts(2, six, "123456", two) end, "raycasts: to")
	fails(function() world:raycasts(2, six, six) end, "raycasts: fractions", "nil")
	fails(function() world:raycasts(2, six, six, ffi.new "const double[2]") end, "raycasts: fractions")
	fails(function() world:raycasts(2, six, six, ffi.cast("double *", nil)) end, "raycasts: fractions")
	fails(function() world:raycasts(2, six, six, two, { water = 1 }) end, "raycasts: opts.water")
end

function TestBulk.testTransforms()
	local world, low, high = tower()
	local buffer, count = world:transforms()
	lu.assertEquals(count, 2)
	lu.assertEquals(buffer[0], low.id)
	lu.assertEquals(buffer[8], high.id)
	lu.assertAlmostEquals(buffer[8 + 2], 5, 1e-9)
	lu.assertAlmostEquals(buffer[8 + 7], 1, 1e-9)
	lu.assertFalse(pcall(function() buffer[0] = 1 end))
end

function TestBulk.testNoGarbage()
	local world = tower()
	local from, to, fractions = ffi.new("double[300]"), ffi.new("double[300]"), ffi.new("double[100]")
	for i = 0, 99 do
		from[3 * i + 1], to[3 * i + 1] = 10, -10
	end
	local function many(n)
		for _ = 1, n do
			world:raycasts(100, from, to, fractions)
		end
		collectgarbage()
		return collectgarbage "count"
	end
	jit.flush() -- what other tests left to the compiler would be compiled anew now and then
	many(1000) -- until what is compiled on the way is there
	local before = many(1000)
	lu.assertTrue(many(1000) < before + 16)
end

-- Options that come again are not looked through each time; hits that are read and dropped make no garbage with them.
function TestBulk.testOptionsThatComeAgain()
	local world, low, high = tower()
	local from, to = scree.vec3(0, 20, 0), scree.vec3(0, -20, 0)
	local function bytes_a_ray(options)
		local function many(n)
			local sum = 0
			for _ = 1, n do
				local hit = world:raycast(from, to, options)
				sum = sum + (hit and hit.distance or 0)
			end
			return sum
		end
		jit.flush()
		many(1000)
		collectgarbage()
		collectgarbage "stop"
		local before = collectgarbage "count"
		many(5000)
		local bytes = (collectgarbage "count" - before) * 1024 / 5000
		collectgarbage "restart"
		return bytes
	end
	-- What LuaJIT compiles also hangs on chance, so it may try several times.
	local function is_clean(options)
		for _ = 1, 8 do
			if bytes_a_ray(options) < 40 then
				return true
			end
		end
		return false
	end
	if jit.status() then
		lu.assertTrue(is_clean { ignore = high, water = true })
		lu.assertTrue(is_clean { ignore = { low, high } })
		lu.assertTrue(is_clean { group = "default", dynamic = false })
	end
end

-- The first use looks, and of later ones some do: what was added since is found.
function TestBulk.testOptionsThatAreChanged()
	local world, low, high = tower()
	local from, to, options = { 0, 20, 0 }, { 0, -20, 0 }, { ignore = { high } }
	local function ask() return world:raycast(from, to, options) end
	local function ask_often()
		for _ = 1, 600 do ask() end
	end
	ask_often()
	lu.assertEquals(ask().assembly, low)
	options.ignore[2] = low -- another length is seen at once
	local hit = ask()
	lu.assertTrue(hit == nil or hit.assembly == nil)
	options.ignore[4] = low
	lu.assertErrorMsgContains("opts.ignore[3] is missing", ask_often)
	options.ignore[4] = nil
	options.ignore.who = low
	lu.assertErrorMsgContains("opts.ignore must be a list", ask_often)
	options.ignore.who = nil
	options.ignore[2] = "low"
	lu.assertErrorMsgContains("opts.ignore[2] must be an assembly", ask)
	options.ignore = high
	options.watre = true
	lu.assertErrorMsgContains('unknown key "watre"', ask_often)
	options.watre = nil
	options.water = 1
	lu.assertErrorMsgContains("opts.water", ask)
	options.water = nil
	lu.assertEquals(ask().assembly, low)
end

local TestStartsInGround = {}

function TestStartsInGround.testCastsThatOverlapTheGround()
	local world = scree.world {}
	world.terrain:fill_box { position = { 0, -5, 0 }, size = { 20, 10, 20 }, material = "rock" }
	for _, to in ipairs { { 0.3, 0.2, 0.3 }, { 3.3, 0.2, 0.3 }, { 0.3, 5.2, 0.3 }, { 0.3, -0.8, 0.3 } } do
		local hit = world:cast({ shape = "ball", radius = 0.5 }, { 0.3, 0.2, 0.3 }, to)
		lu.assertTrue(hit.inside)
		lu.assertEquals(hit.fraction, 0)
	end
end

function TestStartsInGround.testUnknownGroupsAreErrors()
	local world = scree.world {}
	world:spawn { shape = "ball", radius = 1, group = "player" }
	lu.assertErrorMsgContains('unknown group "playr" (did you mean "player"?)', function()
		world:raycast({ 0, 9, 0 }, { 0, -9, 0 }, { group = "playr" })
	end)
	lu.assertNotNil(world:raycast({ 0, 9, 0 }, { 0, -9, 0 }, { group = "player" }))
end

function TestStartsInGround.testKinematicTargetsAreReached()
	local world = scree.world {}
	local body = world:spawn { shape = "box", size = { 1, 1, 1 }, motion = "kinematic" }
	body:move_to({ 1, 0, 0 }, nil, 1)
	world:run(1.5)
	lu.assertAlmostEquals(body.position.x, 1, 1e-5)
	lu.assertEquals(body.velocity:length(), 0)
end

return {
	TestStartsInGround = TestStartsInGround, TestRaycast = TestRaycast, TestShapes = TestShapes, TestBulk = TestBulk,
}
