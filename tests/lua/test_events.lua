-- Events: reading them, handlers, and errors in handlers.

local lu = require "luaunit"
local scree = require "scree"
local support = require "support"

local fails = support.fails

-- A box that lands within a few steps, comes to rest and falls asleep.
local function landing()
	local world = support.world_with_floor()
	return world, support.box(world, { position = { 0, 0.7, 0 }, velocity = { 0, -2, 0 } })
end

-- Steps until an event of the kind comes, at most 10 s.
local function wait_for(world, kind)
	for _ = 1, 600 do
		world:step()
		local event = world:events(kind)()
		if event then
			return event
		end
	end
	lu.fail("no event of the kind " .. kind)
end

local TestReading = {}

function TestReading.testNoneAtFirst()
	local world = landing()
	lu.assertEquals(support.count(world:events()), 0)
	lu.assertEquals(support.count(world:events "hit"), 0)
end

function TestReading.testContactBegin()
	local world, box = landing()
	local event = wait_for(world, "contact_begin")
	lu.assertEquals(event.kind, "contact_begin")
	lu.assertTrue(event.a == box)
	lu.assertNil(event.b)
	lu.assertEquals(event.terrain, true)
	lu.assertEquals(event.part_a, 1)
	lu.assertNil(event.part_b)
end

function TestReading.testHit()
	local world, box = landing()
	local event = wait_for(world, "hit")
	lu.assertTrue(event.a == box)
	lu.assertTrue(event.terrain)
	lu.assertTrue(event.speed > 1)
	lu.assertIsNumber(event.impulse)
	lu.assertIsNumber(event.position.x)
	lu.assertIsNumber(event.normal.y)
end

function TestReading.testSleepAndWake()
	local world, box = landing()
	local event = wait_for(world, "sleep")
	lu.assertTrue(event.assembly == box)
	lu.assertNil(event.a)
	box:wake()
	event = wait_for(world, "wake") -- what happens between two steps comes with the next
	lu.assertTrue(event.assembly == box)
	lu.assertIsString(event.reason)
end

function TestReading.testEventsStayUntilTheNextStep()
	local world = landing()
	wait_for(world, "contact_begin")
	local first, second = support.list(world:events()), support.list(world:events())
	lu.assertEquals(#first, #second)
	lu.assertTrue(#first >= 1)
	world:step(0)
	lu.assertEquals(support.count(world:events()), #first)
end

-- A step's events are the same objects however often they are asked for, and a loop goes on over those that it began
-- with.
function TestReading.testALoopGoesOnWhileTheWorldDoes()
	for _, change in ipairs {
		function(world) world:step() end,
		function(world) world:destroy() end,
		function(world, kept) assert(world:restore(kept)) end,
		function(world) for other in world:assemblies() do other:destroy() end end,
	} do
		local world = support.world_with_floor()
		for i = 1, 4 do
			support.box(world, { position = { 3 * i, 0.6, 0 }, velocity = { 0, -2, 0 } })
		end
		local kept = world:snapshot()
		wait_for(world, "contact_begin")
		local list = support.list(world:events "contact_begin")
		lu.assertEquals(#list, 4)
		local again, done = {}, false
		for event in world:events "contact_begin" do
			again[#again + 1] = event
			if not done then
				change(world, kept)
				done = true
			end
		end
		lu.assertEquals(#again, 4)
		for i = 1, 4 do
			lu.assertTrue(again[i] == list[i])
		end
	end
end

function TestReading.testIteratorsAreIndependent()
	local world = support.world_with_floor()
	for i = 1, 3 do
		support.box(world, { position = { 3 * i, 0.6, 0 }, velocity = { 0, -2, 0 } })
	end
	wait_for(world, "contact_begin")
	local list = support.list(world:events())
	lu.assertTrue(#list >= 3)
	local pairs_met = 0
	for one in world:events() do
		for other in world:events() do
			pairs_met = pairs_met + (one == other and 1 or 0)
		end
	end
	lu.assertEquals(pairs_met, #list)
	local a, b = world:events(), world:events()
	lu.assertTrue(a() == list[1] and a() == list[2] and b() == list[1])
	while a() do end -- luacheck: ignore 542
	local c = world:events()
	lu.assertNil(a()) -- it has ended, and takes nothing from another
	lu.assertTrue(c() == list[1] and b() == list[2])
	for event in a do
		lu.fail("an event of an ended iterator: " .. event.kind)
	end
end

function TestReading.testLoopsInCompiledCodeKeepTheirLocals()
	local world = support.world_with_floor()
	world.sleep = { enabled = false }
	for i = 1, 30 do
		world:spawn { shape = "ball", radius = 0.3, restitution = 1, position = { i % 6, 1 + 0.1 * i, i / 6 } }
	end
	local count, speed, last = 0, 0, nil
	for _ = 1, 400 do
		world:step()
		for event in world:events() do
			count, speed, last = count + 1, speed + (event.speed or 0), event
		end
	end
	lu.assertTrue(count > 100 and speed > 10 and last.kind ~= nil)
end

function TestReading.testFilter()
	local world = landing()
	wait_for(world, "contact_begin")
	local all = support.list(world:events())
	local begins = support.list(world:events "contact_begin")
	local count = 0
	for _, event in ipairs(all) do
		count = count + (event.kind == "contact_begin" and 1 or 0)
	end
	lu.assertEquals(#begins, count)
	fails(function() world:events "contact_begn" end, "events: kind", '"contact_begn"', '"contact_begin"')
	fails(function() world:events(1) end, "events: kind", "got 1")
end

function TestReading.testDestroyingEndsAContactOnce()
	local world, box = landing()
	wait_for(world, "contact_begin")
	box:destroy()
	local ends = 0
	for _ = 1, 5 do
		world:step()
		for event in world:events "contact_end" do
			ends = ends + 1
			lu.assertTrue(event.a == box) -- the very value, by now invalid
			lu.assertFalse(event.a.valid)
		end
	end
	lu.assertEquals(ends, 1)
end

function TestReading.testADestroyedAssemblyThatNobodyHolds()
	local world = landing()
	wait_for(world, "contact_begin")
	for a in world:assemblies() do
		a:destroy()
	end
	collectgarbage()
	collectgarbage()
	world:step()
	local event = world:events "contact_end"()
	lu.assertFalse(event.a.valid)
	fails(function() return event.a.position end, "destroyed")
end

local TestHandlers = {}

function TestHandlers.testRunAfterTheStep()
	local world, box = landing()
	local seen = {}
	world:on("contact_begin", function(event)
		seen[#seen + 1] = { event.kind, event.a == box, world.step_count }
	end)
	world:step(1 / 60, 60) -- no event is lost among many steps
	lu.assertEquals(#seen, 1)
	lu.assertEquals(seen[1][1], "contact_begin")
	lu.assertTrue(seen[1][2])
	lu.assertTrue(seen[1][3] > 0 and seen[1][3] < 60)
end

function TestHandlers.testOrderAndDisconnection()
	local world = landing()
	local order, disconnect = "", {}
	for _, name in ipairs { "a", "b", "c", "d" } do
		disconnect[name] = world:on("contact_begin", function()
			order = order .. name
			if name == "b" then
				disconnect.c() -- also from inside
			end
		end)
	end
	disconnect.a()
	disconnect.a()
	world:step(1 / 60, 60)
	lu.assertEquals(order, "bd")
end

function TestHandlers.testMayChangeTheWorld()
	local world, box = landing()
	local made
	world:on("contact_begin", function(event)
		event.a:destroy()
		made = support.box(world, { position = { 0, 20, 0 }, tag = "new" })
		world.terrain:fill_ball { center = { 0, 0, 0 }, radius = 2, material = "air" }
		world:on("sleep", function() end)
	end)
	world:step(1 / 60, 60)
	lu.assertFalse(box.valid)
	lu.assertTrue(made.valid)
	lu.assertTrue(made.position.y < 20)
end

function TestHandlers.testMayNotStep()
	local world = landing()
	local messages = {}
	world:on("contact_begin", function()
		for _, name in ipairs { "step", "run", "settle", "advance" } do
			local _, message = pcall(world[name], world, 1)
			messages[#messages + 1] = message
		end
	end)
	world:step(1 / 60, 60)
	lu.assertEquals(#messages, 4)
	for _, message in ipairs(messages) do
		lu.assertStrContains(message, "step: not from inside an event handler")
	end
	lu.assertEquals(world.step_count, 60)
end

function TestHandlers.testAnErrorReachesTheCallerOfStep()
	local world = landing()
	local calls = 0
	local function broken() error "mine" end
	local disconnect = world:on("contact_begin", broken)
	world:on("contact_begin", function() calls = calls + 1 end)
	local ok, message = pcall(world.step, world, 1 / 60, 60)
	support.is_error_of(broken, ok, message, "mine")
	lu.assertEquals(calls, 1) -- the other handlers were called all the same
	local steps = world.step_count
	lu.assertTrue(steps > 0 and steps < 60)
	disconnect()
	world:step()
	lu.assertEquals(world.step_count, steps + 1)
	local value = {}
	world:on("sleep", function() error(value) end)
	ok, message = pcall(world.run, world, 10)
	lu.assertFalse(ok)
	lu.assertTrue(message == value) -- of any type
end

function TestHandlers.testAMistakeInAHandlerIsPlacedThere()
	local world = landing()
	local function handler(event) event.a.positon = 1 end
	world:on("contact_begin", handler)
	local ok, message = pcall(world.step, world, 1 / 60, 60)
	support.is_error_of(handler, ok, message, '"positon"')
end

function TestHandlers.testMayDestroyTheWorld()
	local world = landing()
	world:on("contact_begin", function() world:destroy() end)
	world:on("contact_begin", function() error "not reached" end)
	world:run(1)
	lu.assertFalse(world.valid)
	world = landing()
	world:on("contact_begin", function() world:destroy() end)
	lu.assertNil(world:settle(10))
end

function TestHandlers.testDestroyedBetweenStepsIsHeardToo()
	local world, box = landing()
	local ends = 0
	world:on("contact_end", function(event)
		lu.assertTrue(event.a == box)
		ends = ends + 1
	end)
	wait_for(world, "contact_begin")
	box:destroy()
	lu.assertEquals(ends, 0)
	world:step()
	world:step()
	lu.assertEquals(ends, 1)
end

function TestHandlers.testWhatHandlersCauseIsHeardWithTheNextStep()
	local world = landing()
	local count = 0
	world:on("wake", function(event)
		count = count + 1
		event.assembly:sleep()
	end)
	world:on("sleep", function(event)
		count = count + 1
		event.assembly:wake()
	end)
	world:step(1 / 60, 200) -- comes to an end although each causes the other
	lu.assertTrue(count >= 1 and count <= 400)
end

function TestHandlers.testCompiledLoopsWithErrorsAndCollections()
	local world = scree.world()
	local calls, errors = 0, 0
	world:on("wake", function(event)
		calls = calls + 1
		event.assembly:sleep()
		if calls % 100 == 0 then
			error "now and then"
		end
		if calls % 500 == 0 then
			collectgarbage()
		end
	end)
	local box = support.box(world)
	box:sleep()
	for _ = 1, 2000 do
		box:wake()
		local ok, message = pcall(world.step, world)
		if not ok then
			lu.assertStrContains(message, "now and then")
			errors = errors + 1
		end
	end
	lu.assertTrue(calls >= 1000)
	lu.assertEquals(errors, math.floor(calls / 100))
end

function TestHandlers.testAHandlerThatYields()
	local world = landing()
	world:on("contact_begin", function() coroutine.yield "waiting" end)
	local thread = coroutine.create(function() world:step(1 / 60, 60) return "done" end)
	local ok, said = coroutine.resume(thread)
	lu.assertTrue(ok, said)
	lu.assertEquals(said, "waiting")
	local steps = world.step_count
	world:step() -- a handler that was left behind does not stop the world
	lu.assertEquals(world.step_count, steps + 1)
	ok, said = coroutine.resume(thread)
	lu.assertTrue(ok, said)
	lu.assertEquals(said, "done")
end

function TestHandlers.testMistakes()
	local world = scree.world()
	fails(function() world:on() end, "on: kind", "nil")
	fails(function() world:on "hit" end, "on: fn", "nil")
	fails(function() world:on("hits", print) end, "on: kind", '"hits"', '"hit"')
	fails(function() world:on("hit", "print") end, "on: fn")
end

return { TestReading = TestReading, TestHandlers = TestHandlers }
