-- Runs fuzz.lua for a few seconds, in a process of its own: a crash is a failed test like any other.

local lu = require "luaunit"
local scree = require "scree"
local process = require "process"
local values = require "api_values"
local fuzz = require "fuzz"

local here = debug.getinfo(1, "S").source:match "^@(.*)[/\\]" or "."

local TestFuzz = {}

function TestFuzz.testNothingIsHarmed()
	local code, said = process.luajit(".", process.quote(here .. "/fuzz.lua"))
	lu.assertEquals(code, 0, said .. "\n(SCREE_FUZZ_TRACE=1 luajit tests/lua/fuzz.lua shows each call)")
	local refused, calls = said:match "(%d+) of (%d+) calls refused\n$"
	lu.assertTrue(tonumber(refused) > 0.5 * tonumber(calls), said)
end

-- The check itself: a call that changes something and then raises is found out, and so is a message that names nothing.
function TestFuzz.testTheCheckCanFail()
	local folder = process.new_folder()
	values.write_files(folder)
	local class = require("scree.world").class
	local methods = class.methods
	local original = methods.raycast
	methods.raycast = function(world)
		if getmetatable(world) == class.meta and world.valid then
			world.gravity = { 0, -1, 0 }
		end
		error "fuzz.lua:1: raycast: from to opts"
	end
	local ok, message = pcall(fuzz.run, folder, 1, 3000)
	methods.raycast = original
	process.remove_folder(folder)
	lu.assertFalse(ok)
	lu.assertStrContains(message, "but changed")
	lu.assertStrContains(fuzz.fault_of("fuzz.lua:3: no", { "dt" }, { "step" }), "names none of dt")
	lu.assertStrContains(fuzz.fault_of("other.lua:3: step: dt", { "dt" }, { "step" }), "placed")
	lu.assertNil(fuzz.fault_of("fuzz.lua:3: step: dt", { "dt" }, { "step" }))
end

function TestFuzz.testStrangersAreRefused()
	local c = fuzz.context "/nonexistent"
	for _, stale in ipairs(c.stale) do
		local ok, message = pcall(function() return stale.mass end)
		lu.assertFalse(ok, tostring(message))
	end
	lu.assertFalse(pcall(scree.world().joint, c.world, { type = "weld", a = c.foreign[1] }))
end

return { TestFuzz = TestFuzz }
