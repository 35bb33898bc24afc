-- Runs the Lua tests: all test_*.lua beside this file, or those whose names contain one of the arguments.
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

local luaunit = require "luaunit"

local function test_files()
	local files = {}
	for name in io.popen(('ls "%s"'):format(here)):lines() do
		if name:find "^test_.*%.lua$" then
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

local classes = {}
for _, name in ipairs(test_files()) do
	if is_wanted(name) then
		local names = {}
		local found = dofile(here .. "/" .. name)
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

local result = runner.result
print(("%d passed, %d failed"):format(result.successCount, result.notSuccessCount))
os.exit(result.notSuccessCount == 0 and result.successCount > 0 and 0 or 1, true)
