-- The process that runs one file of tests: test_file.lua RESULTS FILTER FILE. What comes of each test is added to the
-- file RESULTS at once, as Lua tables, so that it is there even if the process ends early.

local results_path, filter, path = ...

local interrupt = require "scree.cli.interrupt"
local scene = require "scree.cli.scene"

-- What luaunit raises is a table with the words in it.
local function with_trace(message)
	local words = type(message) == "table" and rawget(message, "msg")
	return scene.with_trace(type(words) == "string" and words or message)
end

local function add(text)
	local file = assert(io.open(results_path, "ab"))
	file:write(text)
	file:close()
end

local function report(ok, name, message, skipped)
	add(("{ ok = %s, name = %s, message = %s, skipped = %s },\n"):format(
		tostring(ok), name and ("%q"):format(name) or "nil", not ok and ("%q"):format(message) or "nil",
		skipped and ("%q"):format(skipped) or "nil"))
end

-- Why a test was skipped: it returns "skip" and a reason, or is skipped as in luaunit. Nil: it was not.
local function reason_to_skip(ok, result, reason)
	if ok and result == "skip" then
		return tostring(reason or "")
	end
	return not ok and type(result) == "string" and result:match "^[^\n]*LuaUnit test SKIP:%s*([^\n]*)" or nil
end

local function is_wanted(name)
	return (path .. " " .. name):find(filter, 1, true) ~= nil
end

local function is_test(name)
	return type(name) == "string" and name:lower():find "^test" ~= nil
end

local function call(object, name)
	if type(object[name]) == "function" then
		local ok, result, reason = xpcall(object[name], with_trace, object) -- no tail call: traces are cut at its name
		return ok, result, reason
	end
	return true
end

local function run_test(object, name, full_name)
	local ok, message, reason = call(object, "setUp")
	if ok and not reason_to_skip(ok, message, reason) then
		ok, message, reason = call(object, name)
	end
	local skipped = reason_to_skip(ok, message, reason)
	ok = ok or skipped ~= nil
	local cleaned, why = call(object, "tearDown")
	if ok and not cleaned then
		ok, message = false, why
	end
	report(ok, full_name, message, ok and skipped or nil)
end

-- The tests of a table in alphabetical order; those of tables in it have both names.
local function collect(object, prefix, list)
	local names = {}
	for name in pairs(object) do
		if is_test(name) then
			names[#names + 1] = name
		end
	end
	table.sort(names)
	for _, name in ipairs(names) do
		local value = object[name]
		if type(value) == "function" then
			list[#list + 1] = { object = object, name = name, full_name = prefix .. name }
		elseif type(value) == "table" and prefix == "" then
			collect(value, name .. ".", list)
		end
	end
	return list
end

interrupt.ends_at_once()
local chunk, message = loadfile(path)
if not chunk then
	report(false, nil, message)
	os.exit(1)
end
_G.arg = { [0] = path, [-1] = arg[-1] }
local wants_file = is_wanted ""
if not wants_file then -- there may be a table of tests in it with one that is wanted, which shows when it has run
	add "filtered = true,\n"
end
local ok, result, reason = xpcall(chunk, with_trace)
local skipped = reason_to_skip(ok, result, reason)
if not ok and not skipped and wants_file then
	report(false, nil, result)
	os.exit(1)
end
local tests = ok and type(result) == "table" and collect(result, "", {}) or {}
if #tests == 0 and wants_file then
	report(true, nil, nil, skipped)
end
local wanted = {}
for _, test in ipairs(tests) do
	wanted[#wanted + 1] = is_wanted(test.full_name) and test or nil
end
if #tests > 0 then
	add(("filtered = %s, planned = %d,\n"):format(tostring(#wanted < #tests), #wanted))
end
for _, test in ipairs(wanted) do
	run_test(test.object, test.name, test.full_name)
end
os.exit(0, true)
