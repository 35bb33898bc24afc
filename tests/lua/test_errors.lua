-- Every argument of every function with every kind of wrong value: an error at the script's line that names the
-- function and the argument, and a world that is as it was.

local ffi = require "ffi"
local lu = require "luaunit"
local arguments = require "argument_slots"
local record = require "scree.record"
local replay = require "scree.replay"
local scree = require "scree"
local scenery = require "scenery"
local support = require "support"

local fails, NAN = support.fails, support.NAN
local UP, DOWN = { 0, 90, 0 }, { 0, -90, 0 }
local slots, BAD = arguments.list, arguments.bad

-- A world with 50 healthy bodies, and one for each kind of use.
local function context()
	local world = support.world_with_floor()
	local c = { world = world, terrain = world.terrain, buffer = ffi.new "double[3]" }
	for i = 1, 50 do
		local body = support.box(world, { position = { i % 7 * 1.3 - 4, 1 + math.floor(i / 7) * 1.1, i % 5 * 1.2 - 3 } })
		c.body = c.body or body
	end
	c.mover = support.box(world, { motion = "kinematic", position = { 0, 40, 0 } })
	c.region = world.terrain:read({ 0, 20, 0 }, { 1, 21, 1 })
	c.joints = {}
	for i, kind in ipairs { "hinge", "ball", "rope", "spring", "align" } do
		local body = support.box(world, { position = { 0, 50 + 3 * i, 0 } })
		c.joints[kind] = world:joint {
			type = kind, b = body, at = kind ~= "align" and { 1, 50 + 3 * i, 0 } or nil,
			axis = (kind == "hinge" or kind == "ball") and { 0, 0, 1 } or nil, frequency = kind == "spring" and 2 or nil,
		}
	end
	return c
end

-- Of what is no vector, {1, 2} is a pair.
local function is_acceptable(case, value)
	local pair = case.words[1]:find "^generate: m" or case.kind == "limits"
	return pair and type(value) == "table" and #value == 2 and value[1] == 1 and value[2] == 2
end

local TestEveryArgument = {}

local function refuse(c, case, value)
	local function call() case.use(c, value) end
	local ok, message = pcall(call)
	local shown = ("%s = %s"):format(case.words[1], type(value) == "cdata" and tostring(value) or lu.prettystr(value))
	lu.assertFalse(ok, shown .. " was taken")
	local file = tostring(message):match "([%w_]+%.lua):%d+: "
	lu.assertEquals(file, "argument_slots.lua", shown .. " is placed elsewhere: " .. tostring(message))
	for _, words in ipairs(case.words) do
		if not message:find(words, 1, true) then
			lu.fail(("%s: the message is %q"):format(shown, message))
		end
	end
end

function TestEveryArgument.testWrongValuesAreRefusedAndChangeNothing()
	local c, twin = context(), context()
	c.world:step(1 / 60, 10)
	twin.world:step(1 / 60, 10)
	local hash, tried = c.world:hash(), 0
	lu.assertEquals(twin.world:hash(), hash)
	for _, case in ipairs(slots) do
		for _, value in ipairs(BAD[case.kind]) do
			if not is_acceptable(case, value) then
				refuse(c, case, value)
				tried = tried + 1
			end
		end
		if not case.optional then
			refuse(c, case, nil)
		end
		lu.assertEquals(c.world:hash(), hash, case.words[1])
	end
	lu.assertTrue(tried > 1500)
	c.world:step(1 / 60, 10)
	twin.world:step(1 / 60, 10)
	lu.assertEquals(c.world:hash(), twin.world:hash())
end

-- The middle of an edit has two names; an error says the one that was given, and a third is none.
function TestEveryArgument.testTheMiddleIsCalledWhatTheScriptCallsIt()
	local t = scree.world().terrain
	local far, material = { 1e12, 0, 0 }, "rock"
	local edits = {
		{ "fill_ball", "center", { radius = 1, material = material } },
		{ "fill_box", "position", { size = { 1, 1, 1 }, material = material } },
		{ "fill_cylinder", "position", { radius = 1, height = 1, material = material } },
		{ "smooth", "center", { radius = 1, strength = 1 } }, { "grow", "center", { radius = 1, strength = 1 } },
		{ "dig", "center", { radius = 1, strength = 1 } },
	}
	for _, edit in ipairs(edits) do
		local name, usual, options = unpack(edit)
		fails(function() t[name](t, options) end, name .. ": " .. usual .. " is missing")
		for _, key in ipairs { "center", "position" } do
			local given = scenery.with(options, { [key] = far })
			fails(function() t[name](t, given) end, ("%s: %s[1] must be"):format(name, key), "1e+12")
		end
		local both = scenery.with(options, { center = { 0, 0, 0 }, position = { 0, 0, 0 } })
		fails(function() t[name](t, both) end, name .. ": " .. usual, "are the same, give one")
	end
end

function TestEveryArgument.testOptionalArgumentsMayBeNil()
	for _, case in ipairs(slots) do
		if case.optional then
			local ok, message = pcall(case.use, context(), nil)
			lu.assertTrue(ok, case.words[1] .. ": " .. tostring(message))
		end
	end
end

function TestEveryArgument.testTheSmallestNumbersStayFinite()
	local tiny = 5e-324
	local values = { number = tiny, positive = tiny, not_negative = tiny, fraction = tiny, vector = { tiny, -tiny, tiny } }
	for _, case in ipairs(slots) do
		local value = values[case.kind]
		if value and not case.words[1]:find "^world: " then
			local c = context()
			pcall(case.use, c, value) -- may be refused, may not do harm
			c.world:step(1 / 60, 3)
			for a in c.world:assemblies() do
				local p, v = a.position, a.velocity
				lu.assertTrue(p - p == scree.vec3(0, 0, 0) and v - v == scree.vec3(0, 0, 0), case.words[1])
			end
		end
	end
end

function TestEveryArgument.testUnknownKeysNameTheNearest()
	local c = context()
	local hash = c.world:hash()
	local tables = {
		{ "world: ", function(t) scree.world(t) end, "gravty", "gravity" },
		{ "spawn: ", function(t) c.world:spawn(t) end, "mterial", "material" },
		{ "spawn: parts[1].", function(t) c.world:spawn { parts = { t } } end, "raduis", "radius" },
		{ "raycast: opts.", function(t) c.world:raycast(UP, DOWN, t) end, "ingore", "ignore" },
		{ "raycast_all: opts.", function(t) c.world:raycast_all(UP, DOWN, t) end, "watr", "water" },
		{ "cast: shape: ", function(t) c.world:cast(t, UP, DOWN) end, "Shape", "shape" },
		{ "overlap: shape: ", function(t) c.world:overlap(t, UP) end, "lenght", "length" },
		{ "render: opts.", function(t) c.world:render("x.png", t) end, "smaples", "samples" },
		{ "fill_ball: ", function(t) c.terrain:fill_ball(t) end, "centre", "center" },
		{ "fill_box: ", function(t) c.terrain:fill_box(t) end, "roation", "rotation" },
		{ "fill_cylinder: ", function(t) c.terrain:fill_cylinder(t) end, "hight", "height" },
		{ "fill_wedge: ", function(t) c.terrain:fill_wedge(t) end, "siz", "size" },
		{ "fill_heightmap: ", function(t) c.terrain:fill_heightmap(t) end, "hights", "heights" },
		{ "generate: ", function(t) c.terrain:generate(t) end, "heigth", "height" },
		{ "import: ", function(t) c.terrain:import("x.vox", t) end, "hiden", "hidden" },
		{ "import: ", function(t) c.terrain:import("x.schem", t) end, "postion", "position" },
		{ "import: ", function(t) c.terrain:import("x.glb", t) end, "scal", "scale" },
		{ "materials.rock: ", function(t) c.world.materials.rock = t end, "hardnes", "hardness" },
		{ "world.sleep.", function(t) c.world.sleep = t end, "tme", "time" },
		{ "joint: ", function(t) c.world:joint(t) end, "tpye", "type" },
		{ "record.start: ", function(t) record.start(t) end, "evry", "every" },
		{ "replay.page: ", function(t) replay.page({}, t) end, "titel", "title" },
		{ "joint.motor.", function(t) c.joints.hinge.motor = t end, "sped", "speed" },
	}
	for _, case in ipairs(tables) do
		local function call() case[2] { [case[3]] = 1 } end
		local ok, message = pcall(call)
		lu.assertFalse(ok, case[1])
		for _, words in ipairs { "test_errors.lua:", case[1], ('"%s"'):format(case[3]), ('"%s"'):format(case[4]) } do
			if not message:find(words, 1, true) then
				lu.fail(("%q does not say %q"):format(message, words))
			end
		end
	end
	lu.assertEquals(c.world:hash(), hash)
end

function TestEveryArgument.testOfSeveralUnknownKeysTheFirstIsNamed()
	for _ = 1, 20 do
		local options, names = {}, {}
		for i = 1, 20 do
			names[i] = ("k%02d"):format((i * 7) % 20)
		end
		for _, name in ipairs(names) do
			options[name] = 1
		end
		support.fails(function() scree.world(options) end, '"k00"')
	end
end

local TestPlaces = {}

function TestPlaces.testErrorsAreAtTheCallersLine()
	local c = context()
	local function in_a_local()
		local value = "x"
		c.world:step(value)
	end
	local function in_a_tail_call()
		local function helper()
			c.world:run(NAN)
			return 1
		end
		return helper()
	end
	local function in_an_operator()
		local sum = scree.vec3(1, 2, 3) + 1
		return sum
	end
	local function in_a_property()
		c.body.velocity = 3
	end
	for _, fn in ipairs { in_a_local, in_a_tail_call, in_an_operator, in_a_property } do
		support.fails(fn)
	end
	local first = debug.getinfo(in_a_local, "S").linedefined
	local _, message = pcall(in_a_local)
	lu.assertStrContains(message, ("test_errors.lua:%d: step: dt"):format(first + 2))
	_, message = pcall(in_a_tail_call)
	lu.assertStrContains(message, ("test_errors.lua:%d: run: seconds"):format(
		debug.getinfo(in_a_tail_call, "S").linedefined + 2))
end

function TestPlaces.testAlsoWhenCompiled()
	local c = context()
	local function loop()
		for i = 1, 300 do
			c.body.velocity = i < 300 and { 1, 2, 3 } or { 1, NAN, 3 }
		end
	end
	local line = debug.getinfo(loop, "S").linedefined + 2
	for _ = 1, 5 do
		local _, message = pcall(loop)
		lu.assertStrContains(message, ("test_errors.lua:%d: assembly.velocity[2]"):format(line))
	end
end

function TestPlaces.testUnderPcallOfTheMethodItself()
	local c = context()
	local ok, message = pcall(c.world.step, c.world, "x")
	lu.assertFalse(ok)
	lu.assertStrContains(message, "test_errors.lua:")
	ok, message = coroutine.resume(coroutine.create(c.world.step), c.world, "x")
	lu.assertFalse(ok)
	lu.assertStrContains(message, "step: dt")
end

function TestPlaces.testInACoroutine()
	local c = context()
	local function body() c.world:step "x" end
	local ok, message = coroutine.resume(coroutine.create(body))
	support.is_error_of(body, ok, message, "step: dt")
end

local TestMetatables = {}

-- Code that runs while a call reads its options could destroy the world under it.
function TestMetatables.testOptionsWithMetatablesAreRefused()
	local world = scree.world {}
	local function evil(values)
		return setmetatable(values, { __index = function()
			world:destroy()
			return 1
		end })
	end
	local calls = {
		function() world:spawn(evil { shape = "ball" }) end,
		function() world:spawn { parts = { evil { shape = "ball" } } } end,
		function() world:spawn { shape = "ball", radius = 1, position = evil {} } end,
		function() world:raycast({ 0, 1, 0 }, { 0, -1, 0 }, evil {}) end,
		function() world:cast(evil { shape = "ball" }, { 0, 0, 0 }, { 1, 0, 0 }) end,
		function() world.terrain:fill_ball(evil { radius = 1 }) end,
		function() world.materials.foo = evil { density = 3 } end,
		function() world.sleep = evil {} end,
	}
	for i, call in ipairs(calls) do
		lu.assertFalse(pcall(call), "call " .. i)
		lu.assertTrue(world.valid, "call " .. i)
	end
end

return { TestEveryArgument = TestEveryArgument, TestPlaces = TestPlaces, TestMetatables = TestMetatables }
