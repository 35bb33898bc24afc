-- Calls every function and writes every property of the interface's table with wrong arguments, from a printed seed:
-- what is refused is an error at the script's line that names the argument, and changes nothing; nothing crashes.
--
--   luajit tests/lua/fuzz.lua
--
-- Odd seeds make most calls with something wrong, even ones every second call, so that worlds are more used. Every now
-- and then the world's structure is looked at (structure.lua).
--
-- SCREE_FUZZ_SEED=n starts from another seed; SCREE_FUZZ_SECONDS=n goes on for so long, with new seeds. A crash is
-- followed up by SCREE_FUZZ_TRACE=1, which prints each call before it is made. As a module it gives its parts, for the
-- tests.

local here = debug.getinfo(1, "S").source:match "^@(.*)[/\\]" or "."
package.path = ("%s/?.lua;%s/../../lua/?.lua;%s"):format(here, here, package.path)

local ffi = require "ffi"
local scree = require "scree"
local api = require "scree.api"
local object = require "scree.object"
local process = require "process"
local structure = require "structure"
local values = require "api_values"

local CALLS, CALLS_A_WORLD, CALLS_A_LOOK = 6000, 120, 30
local FIRST_SEED = tonumber(os.getenv "SCREE_FUZZ_SEED") or 1
local SECONDS = tonumber(os.getenv "SCREE_FUZZ_SECONDS")
local TRACE = os.getenv "SCREE_FUZZ_TRACE"

local function fail(message)
	error(message, 0)
end

-- ---- chance --------------------------------------------------------------------------------------------------------

local function random_from(seed)
	local state = seed % 2147483646 + 1
	return function(n)
		state = (state * 16807) % 2147483647
		return state % n + 1
	end
end

-- ---- what must not change ------------------------------------------------------------------------------------------

local function fingerprint(c)
	local world = c.world
	local terrain, state = world.terrain, world[object.STATE]
	local undo, stats = terrain.undo_stats, world.stats
	local groups = 0
	for _ in pairs(state.groups.used) do
		groups = groups + 1
	end
	return table.concat({
		world:hash(), terrain.version, tostring(world.gravity), tostring(world.sleep), #world.materials:names(), undo.undos,
		undo.redos, undo.budget, groups, #state.handlers, stats.assemblies, stats.joints, state.owed,
	}, " ")
end

-- ---- one call ------------------------------------------------------------------------------------------------------

local function show(value, depth)
	if type(value) == "string" then
		return ("%q"):format(#value > 60 and value:sub(1, 60) .. "..." or value)
	elseif type(value) ~= "table" or getmetatable(value) or depth > 3 then
		local ok, text = pcall(tostring, value)
		return ok and text or "?"
	end
	local words = {}
	for key, inner in pairs(value) do
		words[#words + 1] = ("[%s] = %s"):format(tostring(key), show(inner, depth + 1))
	end
	return "{ " .. table.concat(words, ", ") .. " }"
end

-- Big numbers that are right and would take for ever.
local PATIENT = { seconds = true, max_seconds = true, count = true }

local function is_endless(fn, name, value)
	return PATIENT[name] and type(value) == "number" and value > 100 and fn.name ~= "advance"
		and value <= (name == "count" and 2 ^ 31 - 1 or 1e18)
end

local function copy(value)
	if type(value) ~= "table" or getmetatable(value) then
		return value
	end
	local result = {}
	for key, inner in pairs(value) do
		result[key] = inner
	end
	return result
end

-- Makes something within a table wrong: the names that a message may say of it.
local function spoil_table(c, t, random)
	local keys = {}
	for key, value in pairs(t) do
		keys[#keys + 1] = { key = key, value = value }
	end
	table.sort(keys, function(a, b) return tostring(a.key) < tostring(b.key) end)
	local choice = random(8)
	if choice == 1 or #keys == 0 then
		t.no_such_key = 1
		return { "no_such_key" }
	end
	local chosen = keys[random(#keys)]
	local name = type(chosen.key) == "number" and "[" .. chosen.key .. "]" or tostring(chosen.key)
	if choice == 2 then
		t[chosen.key] = nil
		return { name }
	elseif choice <= 5 and type(chosen.value) == "table" and not getmetatable(chosen.value) then
		t[chosen.key] = copy(chosen.value)
		local names = spoil_table(c, t[chosen.key], random)
		names[#names + 1] = name
		return names
	end
	t[chosen.key] = values.wrong(c, random)
	return { name }
end

-- Arguments for a function, one of them wrong: a table with n, and the words of which the message must say one.
local function arguments_for(c, fn, random)
	local arguments, names = values.arguments(fn, 1, c, random), {}
	arguments.n = #fn.args
	if #fn.args == 0 or random(c.right_of) == 1 then
		return arguments, nil -- all of them right
	end
	local i = random(#fn.args)
	local name = fn.args[i].name
	local choice = random(4)
	if choice == 1 then
		arguments.n = i - 1
		for k = i, #fn.args do
			arguments[k] = nil
			names[#names + 1] = fn.args[k].name
		end
	elseif choice == 2 and type(arguments[i]) == "table" and not getmetatable(arguments[i]) then
		arguments[i] = copy(arguments[i])
		names = spoil_table(c, arguments[i], random)
		names[#names + 1] = name
	else
		arguments[i] = values.wrong(c, random)
		names = { name, type(arguments[i]) == "table" and "unknown key" or nil }
	end
	for k = 1, #fn.args do
		if fn.args[k].type == "RenderOptions" then -- big pictures take long
			local options = arguments[k] == nil and {} or arguments[k]
			if type(options) == "table" and not getmetatable(options) and options.size == nil then
				arguments[k], arguments.n = copy(options), math.max(arguments.n, k)
				arguments[k].size = { 8, 6 }
			end
		end
		local path = arguments[k]
		if fn.writes and type(path) == "string" and path:find "^[^/%z]+$" then -- nothing is written beside the tests
			arguments[k] = c.folder .. "/" .. path
		end
		if is_endless(fn, fn.args[k].name, arguments[k]) then
			arguments[k] = 0
		end
	end
	return arguments, names
end

-- Another object in place of the right one, or none.
local function wrong_self(c, random)
	if random(3) == 1 then
		return c.stale[random(#c.stale)]
	end
	return values.wrong(c, random)
end

local SKIP = { ["golden.check"] = true } -- writes files; refusals are tested by test_golden.lua

-- The call of a function: what to call, words for the message, what it is for people.
local function function_call(c, owner, fn, random)
	local arguments, names = arguments_for(c, fn, random)
	local self = owner.variable and values.object(c, owner.name, random)
	local method = (self or values.object(c, owner.name, random))[fn.name]
	if self then
		if random(10) == 1 then
			self = wrong_self(c, random)
			names = { "colon", "destroyed", "expected a", fn.name }
		end
		for i = arguments.n, 1, -1 do
			arguments[i + 1] = arguments[i]
		end
		arguments[1], arguments.n = self, arguments.n + 1
	end
	local text = ("%s.%s(%s)"):format(owner.name, fn.name, show({ unpack(arguments, 1, arguments.n) }, 0))
	local what = {} -- right arguments may not go together, so another may be named
	for i, argument in ipairs(fn.args) do
		what[i] = argument.name
		if api.records[argument.type] then
			for _, field in ipairs(api.fields(api.records[argument.type])) do
				what[#what + 1] = field.name
			end
		end
	end
	what[#what + 1] = #fn.args == 0 and fn.name or nil
	what[#what + 1] = fn.name == "move_to" and "motion" or fn.name == "import" and "unknown key" or nil
	return function()
		local a, b, d = method(unpack(arguments, 1, arguments.n)) -- no tail call: the error is at this line
		values.finish(a)
		return a, b, d
	end, names, text, what
end

local function write_call(c, owner, property, random)
	local self = values.object(c, owner.name, random)
	local names = { property.name }
	if random(10) == 1 then
		local stale = c.stale[random(#c.stale)]
		self = stale
	end
	local value
	if random(c.right_of) == 1 and property.write then
		value, names = values.right(property.write, c, random), nil
	elseif random(3) == 1 and property.write then
		value = copy(values.right(property.write, c, random))
		if type(value) == "table" and not getmetatable(value) then
			names = spoil_table(c, value, random)
			names[#names + 1] = property.name
		end
	else
		value = values.wrong(c, random)
	end
	return function()
		self[property.name] = value
	end, names, ("%s.%s = %s"):format(owner.name, property.name, show(value, 0)), { property.name }
end

local function material_call(c, _, _, random)
	local name = ({ "rock", "new", "names", 5, "a b", "", true })[random(7)]
	local value = random(3) == 1 and values.wrong(c, random) or copy(values.right("Material", c, random))
	local names = { "materials" }
	if type(value) == "table" and not getmetatable(value) and random(2) == 1 then
		spoil_table(c, value, random)
	end
	return function()
		c.world.materials[name] = value
	end, names, ("materials[%s] = %s"):format(tostring(name), show(value, 0)), { "materials" }
end

-- Fields of parts and of copies that cannot be written.
local function part_call(c, _, _, random)
	local fields = api.records.Part.fields
	local field = fields[random(#fields)]
	local part = c.assemblies[random(#c.assemblies)].parts[1]
	local target, owner = part, "part"
	if random(4) == 1 then
		target = ({ c.world.sleep, c.assemblies[1].sleep_limits, c.world.materials.rock, scree.vec3(1, 2, 3) })[random(4)]
		owner = "copy"
	end
	local name = owner == "part" and field.name or "linear"
	local value = random(6) == 1 and values.right(field.type == "number" and "not_negative" or "solid", c, random)
		or values.wrong(c, random)
	return function()
		target[name] = value
	end, { name, "copy", "immutable", "no field" }, ("%s.%s = %s"):format(owner, name, show(value, 0)), {}
end

-- Everything that can be called: { make(c, owner, entry, random), owner, entry }
local function list_calls()
	local list = {}
	for _, owner in ipairs(api.objects) do
		for _, fn in ipairs(owner.functions) do
			local weight = math.max(1, #fn.args)
			for _ = 1, SKIP[owner.name .. "." .. fn.name] and 0 or weight do
				list[#list + 1] = { function_call, owner, fn }
			end
		end
		for _, property in ipairs(owner.variable and not owner.open and owner.properties or {}) do
			list[#list + 1] = { write_call, owner, property }
		end
		for _ = 1, owner.index and 4 or 0 do
			list[#list + 1] = { material_call, owner }
			list[#list + 1] = { part_call, owner }
		end
	end
	return list
end

-- ---- what a refusal must be like -----------------------------------------------------------------------------------

-- Of a message that says why: it is placed here, and says one of the words.
local function fault_of(message, names, what)
	if type(message) ~= "string" then
		return "the error is " .. tostring(message)
	elseif not message:find "fuzz%.lua:%d+: " then
		return "the error is not placed at the caller's line"
	end
	local text = message:gsub("^.-:%d+: ", "")
	if not names then
		return nil -- all was right but for the state of things
	end
	for _, word in ipairs(names) do
		if text:find(word, 1, true) then
			return nil
		end
	end
	for _, word in ipairs(what) do
		if text:find(word, 1, true) then
			return nil
		end
	end
	return "the error names none of " .. table.concat(names, ", ")
end

-- ---- running -------------------------------------------------------------------------------------------------------

-- right_of: of so many calls one has right arguments.
local function new_context(folder, right_of)
	local c = values.context(folder)
	values.add_strangers(c)
	c.right_of = right_of or 12
	return c
end

-- What all the calls have made of a world still goes on, with finite numbers.
local function finish(c, where)
	if not c.world.valid then
		return
	end
	c.world:step(1 / 60, 2)
	structure.check(c.world, where .. "then ")
end

-- The parts of the context that a right call ended are made again, in a new world.
local function is_whole(c)
	if not c.world.valid then
		return false
	end
	for _, list in ipairs { c.assemblies, c.joints } do
		for _, one in ipairs(list) do
			if not one.valid then
				return false
			end
		end
	end
	return true
end

-- Makes `count` calls from a seed. Gives how many were refused, and raises on the first fault.
local function fuzz(folder, seed, count)
	local random, calls, refused = random_from(seed), list_calls(), 0
	local c, before
	for number = 1, count do
		if not c or number % CALLS_A_WORLD == 0 or not is_whole(c) then
			if c then
				finish(c, ("seed %d, call %d: "):format(seed, number))
			end
			c = new_context(folder, seed % 2 == 0 and 2 or 12)
			before = fingerprint(c)
		end
		local chosen = calls[random(#calls)]
		local call, names, text, what = chosen[1](c, chosen[2], chosen[3], random)
		if TRACE then
			io.stderr:write(("seed %d, call %d: %s\n"):format(seed, number, text))
		end
		local ok, first, second = pcall(call)
		local where = ("seed %d, call %d: %s\n"):format(seed, number, text)
		local is_refusal = not ok or first == nil and type(second) == "string" and chosen[3] and chosen[3].file
		if not ok then
			refused = refused + 1
			local fault = fault_of(first, names, what)
			if fault then
				fail(where .. fault .. ": " .. tostring(first))
			end
		end
		if c.world.valid then
			local after = fingerprint(c)
			if is_refusal and after ~= before then
				fail(("%srefused with %s\nbut changed\n  %s\nto\n  %s"):format(where, tostring(ok and second or first),
					before, after))
			end
			before = after
			if number % CALLS_A_LOOK == 0 then
				structure.check(c.world, where .. "then ")
			end
		elseif not ok then
			fail(where .. "refused, but the world is gone: " .. tostring(first))
		end
	end
	return refused
end

-- Seed after seed; one, or as many as there is time for.
local function main()
	local folder = process.new_folder()
	values.write_files(folder)
	ffi.cdef "int chdir(const char *path);"
	assert(ffi.C.chdir(folder) == 0) -- strings that are paths by chance name files, too
	local seed, start, refused, calls = FIRST_SEED, os.clock(), 0, 0
	repeat
		if SECONDS then
			print(("seed %d, %.0f s, %d of %d calls refused"):format(seed, os.clock() - start, refused, calls))
			io.stdout:flush()
		end
		refused, calls = refused + fuzz(folder, seed, CALLS), calls + CALLS
		seed = seed + 1
	until not SECONDS or os.clock() - start > SECONDS
	process.remove_folder(folder)
	print(("%d of %d calls refused"):format(refused, calls))
end

if arg and arg[0] and arg[0]:find "[/\\]?fuzz%.lua$" then
	main()
end

return { run = fuzz, fault_of = fault_of, context = new_context }
