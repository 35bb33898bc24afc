-- Runs the Lua tests: all test_*.lua beside this file, or those whose names contain one of the arguments. Files that
-- begin otherwise are run by their whole name alone: browser_replay, which takes long. Exits with 77 when all tests
-- were skipped.
--
--   luajit run.lua [name ...]
--
-- A test file returns a table of classes, { TestThing = { testThis = function() ... end } }.

local here = arg[0]:match "^(.*)[/\\]" or "."
package.path = ("%s/?.lua;%s/../../lua/?.lua;%s"):format(here, here, package.path)

local filters = {}
for i = #arg, 1, -1 do
	filters[#filters + 1] = table.remove(arg, i):match "([^/\\]*)$" -- luaunit takes what it finds in arg for its own
end

rawset(_G, "pairs", require "scree.pairs") -- for the tests' own loops, too
local luaunit = require "luaunit"

local function test_files()
	local files = {}
	for name in io.popen(('ls "%s"'):format(here)):lines() do
		if name:find "^test_.*%.lua$" or name == (filters[1] or "") .. ".lua" then
			files[#files + 1] = name
		end
	end
	table.sort(files)
	return files
end

local function is_wanted(name)
	if #filters == 0 then
		return true
	end
	for _, filter in ipairs(filters) do
		if name:find(filter, 1, true) then
			return true
		end
	end
	return false
end

local classes, finishers = {}, {}
for _, name in ipairs(test_files()) do
	if is_wanted(name) then
		local names = {}
		local found, finish = dofile(here .. "/" .. name)
		finishers[#finishers + 1] = finish
		for class in pairs(found) do
			names[#names + 1] = class
		end
		table.sort(names)
		for _, class in ipairs(names) do
			classes[#classes + 1] = { class, found[class] }
		end
	end
end

if #classes == 0 then
	io.stderr:write("no test file has a name like that\n")
	os.exit(2)
end

local runner = luaunit.LuaUnit.new()
runner:setOutputType "text"
runner:runSuiteByInstances(classes)

for _, finish in ipairs(finishers) do
	finish()
end
local result = runner.result
print(("%d passed, %d failed, %d skipped"):format(result.successCount, result.notSuccessCount, result.skippedCount))
if result.notSuccessCount == 0 and result.successCount == 0 and result.skippedCount > 0 then
	os.exit(77, true)
end
os.exit(result.notSuccessCount == 0 and result.successCount > 0 and 0 or 1, true)
