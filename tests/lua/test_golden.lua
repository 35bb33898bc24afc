-- scree.golden: scripts that check themselves, each run as a process of its own, as a user runs them.

local lu = require "luaunit"
local golden = require "scree.golden"
local scree = require "scree"
local support = require "support"
local process = require "process"

local TestGolden = {}

function TestGolden:setUp()
	self.folder = process.new_folder()
end

function TestGolden:tearDown()
	process.remove_folder(self.folder)
end

-- A scene of five boxes; SHIFT and LATE are what a test changes in it.
local SCENE = [[
local scree = require "scree"
local golden = require "scree.golden"
local world = scree.world {}
world.terrain:fill_box { position = { 0, -2, 0 }, size = { 40, 4, 40 }, material = "grass" }
for i = 1, 5 do
	world:spawn {
		shape = "box", size = { 1, 1, 1 }, position = { 0.1 * i + (i == 3 and SHIFT or 0), 2 * i, 0 },
		tag = i == 3 and "a | \"crate\"" or nil,
	}
end
]]
local RUN = [[
world:run(1)
LATE()
world:step(1 / 60, 40)
]]

-- Writes test.lua with the scene; changes: shift, late (Lua), record (its options), check (further arguments), ending.
function TestGolden:write(changes)
	changes = changes or {}
	local source = {
		"local SHIFT = " .. (changes.shift or "0"),
		"local world",
		SCENE:gsub("local world = ", "world = "),
		"local function LATE() " .. (changes.late or "") .. " end",
		changes.record and "golden.record(world, " .. changes.record .. ")" or "",
		RUN,
		changes.ending or ('golden.check(world, "boxes"' .. (changes.check or "") .. ")"),
	}
	process.write(self.folder .. "/test.lua", table.concat(source, "\n"))
end

function TestGolden:run(environment)
	return process.luajit(self.folder, "test.lua", environment or "CI= SCREE_UPDATE=")
end

function TestGolden:store(changes)
	self:write(changes)
	local code, said = self:run "CI= SCREE_UPDATE=1"
	lu.assertEquals(code, 0, said)
	lu.assertStrContains(said, "golden: stored golden/boxes.txt")
end

-- The run fails, at a line of the test, with all of the words.
function TestGolden:fails(...)
	local code, said = self:run()
	lu.assertEquals(code, 1, said)
	lu.assertStrContains(said, "test.lua:")
	for _, words in ipairs { ... } do
		lu.assertStrContains(said, words)
	end
	return said
end

-- What fails leaves a page, which the error names; what passes takes it away.
function TestGolden:testThePageOfAFailure()
	self:store()
	local page = self.folder .. "/golden/boxes.html"
	lu.assertNil(process.read(page))
	self:write { shift = "0.25" }
	self:fails("  replay   golden/boxes.html")
	lu.assertStrContains(process.read(page), "<title>boxes</title>")
	self:write()
	lu.assertEquals(self:run(), 0)
	lu.assertNil(process.read(page))
	self:write { shift = "0.25", record = "(function() golden.replay = false end)()" }
	local said = self:fails "boxes is not as in"
	lu.assertNotStrContains(said, "replay ")
	lu.assertNil(process.read(page))
end

function TestGolden:testFailsWithoutATrace()
	self:write()
	self:fails("no stored trace of boxes", "golden/boxes.txt", "SCREE_UPDATE=boxes")
	lu.assertNil(process.read(self.folder .. "/golden/boxes.txt"))
end

function TestGolden:testTheSameRunIsTheSame()
	self:store()
	local text = process.read(self.folder .. "/golden/boxes.txt")
	lu.assertStrContains(text, '3 16777218 "a | \\034crate\\034" awake | 0.3')
	local _, samples = text:gsub("\nstep %d+ ", "%0")
	lu.assertTrue(samples > 16 and samples <= 33, samples)
	lu.assertStrContains(text, "\nstep 100 time ")
	local code, said = self:run()
	lu.assertEquals({ code, said }, { 0, "" })
	self:run "CI= SCREE_UPDATE=1" -- stores nothing, since nothing differs
	lu.assertEquals(process.read(self.folder .. "/golden/boxes.txt"), text)
	process.write(self.folder .. "/golden/boxes.txt", (text:gsub("\n", "\r\n")))
	lu.assertEquals(self:run(), 0)
end

function TestGolden:testTheFirstDifferenceIsNamed()
	self:store()
	self:write { shift = "1e-9" }
	self:fails("first at step 0 (0 s)",
		'assembly 3 in order of creation (id 16777218, tag "a | \\034crate\\034"): position',
		"expected 0.3", "got      0.3", "off by   1e-09 m, allowed 0")
end

function TestGolden:testTheVeryStep()
	self:store { record = "{ every = 1 }" }
	self:write {
		record = "{ every = 1 }",
		late = "for a in world:assemblies() do a.velocity = { 0, 1, 0 } end",
	}
	self:fails("first at step 61", "the same at step 60", "in order of creation", "so are")
end

function TestGolden:testSampledStepsSayWhatWasStillTheSame()
	self:store()
	self:write { late = "for a in world:assemblies() do if a.tag then a.velocity = { 0, 9, 0 } end end" }
	self:fails("first at step 64", "the same at step 60", "every = 1")
	self:write { record = "{ every = 1 }" }
	self:fails("steps between samples", "expected automatic", "got      1")
	self:write {
		record = "{ every = 1 }", late = "for a in world:assemblies() do if a.tag then a.velocity = { 0, 9, 0 } end end",
	}
	self:fails("first at step 64", "the same at step 60", "stored with golden.record(world, { every = 1 })")
end

function TestGolden:testTolerances()
	self:store()
	self:write { shift = "1e-5", check = ", { position = 1e-2, rotation = 0.05 }" }
	local code, said = self:run()
	lu.assertEquals(code, 0, said)
	self:write { shift = "0.02", check = ", { position = 1e-2 }" }
	self:fails("assembly 3", "off by   0.02 m, allowed 0.01")
	self:write { shift = "1e-5", check = ", { velocity = 0 }" } -- exact, and the first contact changes it
	self:fails(": velocity", "m/s, allowed 0")
end

function TestGolden:testTerrainIsInTheHash()
	self:store()
	self:write { late = 'world.terrain:set(15, -3, 15, "rock")' }
	self:fails("hash", "terrain", "expected ", "got ")
	self:write { late = 'world.terrain:set(15, -3, 15, "rock")', check = ", { position = 0 }" }
	lu.assertEquals(self:run(), 0)
end

function TestGolden:testAssembliesThatComeAndGo()
	local destroy = "for a in world:assemblies() do if a.tag then a:destroy() end end"
	self:store()
	self:write { late = destroy, check = ", { position = 1e3 }" }
	self:fails("assembly 3", "existence", "expected it exists", "got      no such assembly")
	self:store { late = destroy .. ' world:spawn { shape = "ball", radius = 1, position = { 9, 1, 0 } }' }
	lu.assertStrContains(process.read(self.folder .. "/golden/boxes.txt"), "\n3 gone\n")
	lu.assertEquals(self:run(), 0)
end

function TestGolden:testLongerAndShorterRuns()
	self:store()
	self:write { ending = 'world:step() golden.check(world, "boxes")' }
	self:fails("last step", "expected step 100", "got      step 101")
	self:write { ending = 'golden.record(world) golden.check(world, "boxes")' }
	self:fails("first step", "expected step 0", "got      step 100")
end

function TestGolden:testOtherStepsAreAnotherTime()
	self:store()
	self:write { late = "world:step(1 / 30)" }
	self:fails("time", "expected ", " s")
end

function TestGolden:testUpdateIsRefusedInCI()
	self:write()
	local code, said = self:run "CI=true SCREE_UPDATE=1"
	lu.assertEquals(code, 1)
	lu.assertStrContains(said, "refused where CI is set")
	lu.assertNil(process.read(self.folder .. "/golden/boxes.txt"))
	lu.assertEquals(self:run "CI=false SCREE_UPDATE=1", 0)
end

function TestGolden:testUpdateTakesAFilter()
	self:write { ending = 'golden.check(world, "boxes") golden.check(world, "heap")' }
	local code, said = self:run "CI= SCREE_UPDATE=box"
	lu.assertEquals(code, 1)
	lu.assertStrContains(said, "no stored trace of heap")
	lu.assertNotNil(process.read(self.folder .. "/golden/boxes.txt"))
	lu.assertNil(process.read(self.folder .. "/golden/heap.txt"))
end

function TestGolden:testDamagedTraces()
	self:store()
	local path = self.folder .. "/golden/boxes.txt"
	local text = process.read(path)
	for _, case in ipairs {
		{ "", "boxes.txt:1:" }, { "nonsense\n", "boxes.txt:1:" }, { text:gsub("every auto", "every day"), nil },
		{ (text:gsub("every auto", "every")), "boxes.txt:2:" }, { text:sub(1, 160):match "^(.*\n)", "there is no step" },
		{ (text:gsub("\nstep 4 ", "\nstep four ")), "not a line of a trace" },
		{ (text:gsub(" | 0 0 0 1", " | 0 0 0", 1)), "boxes.txt:5:" },
		{ (text:gsub("every auto", "every inf")), "boxes.txt:2:" },
		{ (text:gsub("time %S+", "time nan", 1)), "boxes.txt:4:" },
		{ (text:gsub(" | 0 0 0 1", " | 0 0 inf 1", 1)), "boxes.txt:5: not a line of a trace" },
		{ (text:gsub(" | 0 0 0 1", " | 0 nan 0 1", 1)), "boxes.txt:5: not a line of a trace" },
		{ (text:gsub(" | 0 0 0 1", " | 0 1e400 0 1", 1)), "boxes.txt:5: not a line of a trace" },
		-- numbers, but of no world: a difference, with its page
		{ (text:gsub("| %S+ (%S+ %S+ | 0 0 0 1)", "| 1e300 %1", 1)), "position" },
		{ (text:gsub(" | 0 0 0 1", " | 0 0 0 -1e300", 1)), "rotation" },
	} do
		process.write(path, case[1])
		self:fails(case[2] or "boxes.txt:2:")
	end
end

function TestGolden:testWithinLuaunit()
	local ending = [[
local lu = require "luaunit"
function TestBoxes() return golden.check(world, "boxes") end
os.exit(lu.LuaUnit.run())]]
	self:store { ending = ending }
	lu.assertEquals(self:run(), 0)
	self:write { shift = "1", ending = ending }
	local code, said = self:run()
	lu.assertEquals(code, 1)
	lu.assertStrContains(said, "golden: boxes is not as in golden/boxes.txt") -- beside the test, tail call or not
	lu.assertStrContains(said, "assembly 3")
end

-- busted starts luajit itself; what it is started with must not be in the way of either.
function TestGolden:testWithinBusted()
	lu.skipIf(os.execute "command -v busted >/dev/null" ~= 0, "busted is not installed")
	local ending = [[
describe("boxes", function()
	it("fall", function()
		golden.check(world, "boxes")
	end)
end)]]
	local function run(environment)
		return process.run(self.folder, "busted --lua=luajit -o TAP test.lua", environment or "CI= SCREE_UPDATE=")
	end
	self:write { ending = ending }
	local code, said = run()
	lu.assertNotEquals(code, 0)
	lu.assertStrContains(said, "no stored trace of boxes (golden/boxes.txt")
	code, said = run "CI= SCREE_UPDATE=boxes"
	lu.assertEquals(code, 0, said)
	lu.assertStrContains(said, "golden: stored golden/boxes.txt")
	code, said = run()
	lu.assertEquals(code, 0, said)
	lu.assertStrContains(said, "ok 1 - boxes fall")
	self:write { shift = "1", ending = ending }
	code, said = run()
	lu.assertNotEquals(code, 0)
	lu.assertStrContains(said, "not ok 1 - boxes fall")
	lu.assertStrContains(said, "golden: boxes is not as in golden/boxes.txt")
	lu.assertStrContains(said, "off by   1 m, allowed 0")
	code, said = run "CI=1 SCREE_UPDATE=1"
	lu.assertNotEquals(code, 0)
	lu.assertStrContains(said, "refused where CI is set")
end

function TestGolden.testARestoredWorldGoesOnFromThere()
	local world = support.world_with_floor()
	local ball = world:spawn { shape = "ball", radius = 1, position = { 0, 9, 0 } }
	local trace = require("scree.trace").new()
	local function step(count)
		for _ = 1, count do
			trace:before(world)
			world:step()
			trace:after(world)
		end
	end
	step(10)
	local state = world:snapshot()
	step(5)
	ball.velocity = { 3, 0, 0 }
	step(5)
	assert(world:restore(state))
	step(2)
	local steps = {}
	for i, sample in ipairs(trace.samples) do
		steps[i] = sample.step
	end
	lu.assertEquals(steps, { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 })
end

function TestGolden.testTracesStaySmallAndReadBack()
	local trace = require "scree.trace"
	local world = scree.world {}
	world:spawn { shape = "ball", radius = 1, velocity = { 1, 2, 3 }, angular_velocity = { 3, 1, 2 }, tag = 7 }
	local made = trace.new()
	for _ = 1, 1000 do
		made:before(world)
		world:step()
		made:after(world)
	end
	made:finish(world)
	lu.assertTrue(#made.samples <= 33 and #made.samples > 15, #made.samples)
	local read = assert(trace.decode(made:encode()))
	lu.assertNil(trace.compare(read, made))
	lu.assertEquals(read:encode(), made:encode())
end

function TestGolden.testWrongArguments()
	local world = scree.world {}
	local function fails(words, ...)
		local arguments = { n = select("#", ...), ... }
		support.fails(function()
			local _ = golden.check(unpack(arguments, 1, arguments.n)) -- no tail call
		end, words)
	end
	fails("golden.check: world must be a world, got nil", nil, "x")
	fails("golden.check: world must be a world, got a table", {}, "x")
	for _, name in ipairs { "", "a/b", "..", ".x", "a b", ("x"):rep(101), 5, false } do
		fails("golden.check: name must be", world, name)
	end
	fails("golden.check: tolerances must be a table, got 1", world, "x", 1)
	fails('unknown key "positoin" (did you mean "position"?)', world, "x", { positoin = 1 })
	fails("golden.check: position must be a number of at least 0, got -1", world, "x", { position = -1 })
	fails("golden.check: velocity must be", world, "x", { velocity = 0 / 0 })
	support.fails(function()
		golden.record(world, { every = 0 })
	end, "golden.record: every must be a whole number from 1")
	support.fails(function()
		golden.record(world, { evry = 1 })
	end, "every")
	support.fails(function()
		golden.record(5)
	end, "golden.record: world must be a world")
	world:destroy()
	fails("golden.check: the world is destroyed", world, "x")
end

return { TestGolden = TestGolden }
