-- The cases of docs/sleep.md: what must come out by the rule of impulses, and where the rule of velocities must fail.

local lu = require "luaunit"
local scree = require "scree"
local scenery = require "scenery"

local folder = debug.getinfo(1, "S").source:match "^@(.*)[/\\]" or "."
package.path = folder .. "/../../?.lua;" .. package.path

local cases = require "examples.sleep.table"

local TestSleepCases = {}

-- What takes long in full is tried with fewer things.
local sizes = { ["examples.sleep.many_boxes"] = 900 }

local root = os.getenv "SCREE_SOURCE_ROOT" or folder .. "/../.."

local function page()
	local file = assert(io.open(root .. "/docs/sleep.md"))
	local text = file:read "*a"
	file:close()
	return text
end

for _, entry in ipairs(cases.list) do
	local case, size = cases.load(entry), sizes[entry[1]]
	TestSleepCases["test " .. case.title] = function()
		local row, ok, also = cases.row(case, size)
		lu.assertTrue(ok, row)
		if case.starred then
			lu.assertFalse(also, row)
		end
		-- the page says so, too: else run examples/sleep/table.lua
		lu.assertStrContains(page(), size and ("| %s | %s |"):format(case.title, case.right) or row)
	end
end

-- A body at the top of its path falls asleep there only under forces that count as none.
function TestSleepCases.testApexLimits()
	local apexes = require "examples.sleep.apexes"
	for _, place in ipairs { "air", "board" } do
		scenery.at_most(apexes.limit("impulse", place), 0.0205, place .. ", impulse")
		scenery.near(apexes.limit("velocity", place), 0.36, 0.04, place .. ", velocity")
	end
end

-- ---- digging -------------------------------------------------------------------------------------------------------

-- Within how much of a box that changed something is woken: the surface follows the cells beside it.
local BESIDE = 1.6

-- Every edit wakes what stands on it, and nothing farther off: boxes fall straight into holes.
function TestSleepCases.testDiggingWakesWhatStoodThere()
	local dig = require "examples.sleep.dig"
	local scene = dig.build(900, 2)
	lu.assertNotNil(scene.world:settle(10))
	local moved, edits = {}, {}
	for i, box in ipairs(scene.boxes) do
		moved[i] = box.position
	end
	local function near(place, edit, slack)
		for k, axis in ipairs { "x", "y", "z" } do
			local half = 0.5 + slack
			if place[axis] + half < edit.min[k] or place[axis] - half > edit.max[k] then
				return false
			end
		end
		return true
	end
	local explained = 0
	local facts = dig.dig(scene, 150, function(edit, woken)
		edits[#edits + 1] = edit
		for _, event in ipairs(woken) do
			local place = event.assembly.position
			local by_edit = near(place, edit, BESIDE)
			local by_other = false
			for _, contact in ipairs(event.assembly:contacts()) do
				by_other = by_other or contact.other ~= nil
			end
			lu.assertTrue(by_edit or by_other, ("a box at %s woke by %s"):format(tostring(place), event.reason))
			explained = explained + 1
		end
	end)
	lu.assertTrue(explained > 150, explained .. " woke")
	-- what has lost its ground has moved; what was far from every edit has not
	for i, box in ipairs(scene.boxes) do
		local close = false
		for _, edit in ipairs(edits) do
			close = close or near(moved[i], edit, 4)
		end
		if not close then
			lu.assertFalse(facts.set[box] or false)
			lu.assertEquals((box.position - moved[i]):length(), 0)
		end
	end
end

-- An edit beside a sleeper leaves it asleep, and no event tells of it; one that lifts, lowers or floods it wakes it;
-- and so does something that is put into it, or a push, in the same step as the edit.
function TestSleepCases.testEditsBesideSleepers()
	local function build()
		local world = scree.world {}
		world.terrain:fill_box { position = { 0, -3, 0 }, size = { 32, 6, 32 }, material = "rock" }
		local box = world:spawn { shape = "box", size = { 1, 1, 1 }, position = { 0.5, 0.5, 0.5 } }
		local top = world:spawn { shape = "box", size = { 0.8, 0.8, 0.8 }, position = { 0.5, 1.4, 0.5 } }
		lu.assertNotNil(world:settle(10))
		return world, box, top
	end
	local edits = {
		{ "beside", "asleep", function(world)
			world.terrain:fill_box { position = { 4.5, -0.5, 0.5 }, size = { 3, 3, 3 }, material = "air" }
		end },
		{ "deep below", "asleep", function(world)
			world.terrain:fill_box { position = { 0.5, -3.5, 0.5 }, size = { 1, 1, 1 }, material = "air" }
		end },
		{ "under it", "awake", function(world)
			world.terrain:fill_box { position = { 0.5, -0.5, 0.5 }, size = { 3, 1, 3 }, material = "air" }
		end },
		{ "under a corner", "awake", function(world)
			world.terrain:fill_box { position = { 1.5, -0.5, 1.5 }, size = { 2, 1, 2 }, material = "air" }
		end },
		{ "into it", "awake", function(world)
			world.terrain:fill_box { position = { 0.5, 0.5, 0.5 }, size = { 3, 1, 3 }, material = "rock" }
		end },
		{ "water", "awake", function(world)
			world.terrain:fill_box { position = { 0.5, 1, 0.5 }, size = { 8, 2, 8 }, material = "water" }
		end },
		{ "beside, and a static thing in it", "awake", function(world)
			world.terrain:fill_box { position = { 4.5, -0.5, 0.5 }, size = { 3, 3, 3 }, material = "air" }
			world:spawn { shape = "box", size = { 1, 0.3, 1 }, position = { 0.9, 0.2, 0.5 }, motion = "static" }
		end },
		{ "beside, and pushed", "awake", function(world, box)
			world.terrain:fill_box { position = { 4.5, -0.5, 0.5 }, size = { 3, 3, 3 }, material = "air" }
			box:apply_impulse { 1, 0, 0 }
		end },
	}
	for _, edit in ipairs(edits) do
		local name, state, act = unpack(edit)
		local world, box, top = build()
		act(world, box)
		world:step()
		if state == "asleep" then
			lu.assertEquals(box.state, "asleep", name)
			lu.assertEquals(top.state, "asleep", name)
			for event in world:events() do
				lu.fail(("%s: %s"):format(name, event.kind))
			end
		else
			lu.assertEquals(box.state, "awake", name)
			local events = 0
			for event in world:events "wake" do
				events = events + (event.assembly == box and 1 or 0)
			end
			lu.assertEquals(events, 1, name)
		end
	end
end

return { TestSleepCases = TestSleepCases }
