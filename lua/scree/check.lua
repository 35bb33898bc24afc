-- Checks of what scripts pass. Every check takes the value, where ("spawn: ") and the argument's name, returns the
-- checked value (vectors as plain numbers) and raises at the script's line otherwise. Nothing goes to C unchecked: its
-- conversions are silent (NaN to 0, a negative count to 2^63).

local ffi = require "ffi"
local pairs = require "scree.pairs"
local raise = require "scree.raise"
local text = require "scree.text"
local vec3 = require "scree.vec3"
local quat = require "scree.quat"
raise.own()

local check = {}

local istype = ffi.istype
local Vec3, Quat = vec3.type, quat.type
local floor = math.floor

function text.is_value(value)
	return istype(Vec3, value) or istype(Quat, value)
end

--- Numbers of greater size are taken for mistakes: squares of them would leave the range of a double in products.
check.LIMIT = 1e18
local LIMIT = check.LIMIT

local function is_number(value)
	return type(value) == "number" and value >= -LIMIT and value <= LIMIT -- NaN fails both
end

local function wrong(value, where, name, wanted)
	raise.error(where .. name .. " must be " .. wanted .. ", got " .. text.describe(value))
end

check.wrong = wrong

local function wrong_number(value, where, name, wanted)
	if type(value) == "number" and (value > LIMIT or value < -LIMIT) then
		wanted = wanted .. " of at most 1e18"
	end
	wrong(value, where, name, wanted)
end

--- A finite number of at most 1e18.
function check.number(value, where, name)
	if not is_number(value) then
		wrong_number(value, where, name, "a number")
	end
	return value
end

function check.positive(value, where, name)
	if not (is_number(value) and value > 0) then
		wrong_number(value, where, name, "a positive number")
	end
	return value
end

function check.not_negative(value, where, name)
	if not (is_number(value) and value >= 0) then
		wrong_number(value, where, name, "a number of at least 0")
	end
	return value
end

--- A number from low to high.
function check.range(value, low, high, where, name)
	if not (is_number(value) and value >= low and value <= high) then
		wrong(value, where, name, ("a number from %s to %s"):format(text.number(low), text.number(high)))
	end
	return value
end

--- A whole number from low to high.
function check.whole(value, low, high, where, name)
	if not (type(value) == "number" and value >= low and value <= high and floor(value) == value) then
		wrong(value, where, name, ("a whole number from %s to %s"):format(text.number(low), text.number(high)))
	end
	return value
end

function check.boolean(value, where, name)
	if type(value) ~= "boolean" then
		wrong(value, where, name, "true or false")
	end
	return value
end

function check.string(value, where, name)
	if type(value) ~= "string" then
		wrong(value, where, name, "a string")
	end
	return value
end

function check.callable(value, where, name)
	if type(value) ~= "function" then
		wrong(value, where, name, "a function")
	end
	return value
end

--- A path: a string that C can hold.
function check.path(value, where, name)
	if type(value) ~= "string" or value == "" or value:find("\0", 1, true) then
		wrong(value, where, name, "the path of a file")
	end
	return value
end

local trusted = setmetatable({}, { __mode = "k" }) -- metatables of the module's own tables

--- Lets tables with this metatable pass as options.
function check.trust(metatable)
	trusted[metatable] = true
	return metatable
end

-- Metamethods would run the script's code, which may destroy what a call is about, in the middle of the call.
local function check_plain(value, where, name)
	local metatable = getmetatable(value)
	if metatable ~= nil and not trusted[metatable] then
		raise.error(where .. name .. " must be a plain table: it has a metatable")
	end
end

function check.table(value, where, name)
	if type(value) ~= "table" then
		wrong(value, where, name, "a table")
	end
	check_plain(value, where, name)
	return value
end

-- With t[1]..t[n] present: that there is no further number, nor one by a name of vectors. What else the table holds is
-- not looked for, since that needs next() (scree.pairs) in the middle of scripts' own loops.
local function has_only(t, n)
	return rawget(t, n + 1) == nil and rawget(t, 0) == nil and rawget(t, "x") == nil and rawget(t, "y") == nil
		and rawget(t, "z") == nil and rawget(t, "w") == nil
end

-- Raises what is wrong with a table or value that should have been `count` numbers.
local function wrong_numbers(value, count, wanted, where, name)
	if type(value) ~= "table" then
		wrong(value, where, name, wanted)
	end
	for i = 1, count do
		if not is_number(rawget(value, i)) then
			wrong_number(rawget(value, i), where, name .. "[" .. i .. "]", "a number")
		end
	end
	raise.error(where .. name .. " must be " .. wanted .. " with nothing else in it")
end

--- vec3 or {x, y, z}: three numbers.
---@return number x, number y, number z
function check.vec3(value, where, name)
	local x, y, z
	if istype(Vec3, value) then
		x, y, z = value.x, value.y, value.z
		if is_number(x) and is_number(y) and is_number(z) then
			return x, y, z
		end
		wrong_numbers({ x, y, z }, 3, "a vec3 or {x, y, z}", where, name)
	end
	if type(value) == "table" then
		x, y, z = rawget(value, 1), rawget(value, 2), rawget(value, 3)
		if is_number(x) and is_number(y) and is_number(z) and has_only(value, 3) then
			return x, y, z
		end
	end
	wrong_numbers(value, 3, "a vec3 or {x, y, z}", where, name)
end

--- The same into three numbers of C, which it returns.
function check.vec3_into(to, value, where, name)
	to[0], to[1], to[2] = check.vec3(value, where, name)
	return to
end

--- vec3 or {x, y, z} with every number above 0.
---@return number x, number y, number z
function check.size(value, where, name)
	local is_table = type(value) == "table"
	if istype(Vec3, value) or is_table then
		for i = 1, 3 do
			local number = is_table and rawget(value, i) or not is_table and value[i]
			if type(number) == "number" then
				check.positive(number, where, name .. "[" .. i .. "]")
			end
		end
	end
	return check.vec3(value, where, name)
end

--- {x, z}: two numbers.
---@return number x, number z
function check.pair(value, where, name)
	if type(value) == "table" then
		local x, z = rawget(value, 1), rawget(value, 2)
		if is_number(x) and is_number(z) and has_only(value, 2) then
			return x, z
		end
	end
	wrong_numbers(value, 2, "{x, z}", where, name)
end

--- quat or {x, y, z, w}, normalised; all zeros is an error. A quat is one already, to the precision of what it came
--- from, and passes as it is: a rotation that was read can be written back unchanged.
---@return number x, number y, number z, number w
function check.quat(value, where, name)
	local x, y, z, w
	if istype(Quat, value) then
		return value.x, value.y, value.z, value.w
	elseif type(value) == "table" then
		x, y, z, w = rawget(value, 1), rawget(value, 2), rawget(value, 3), rawget(value, 4)
		if not (is_number(x) and is_number(y) and is_number(z) and is_number(w) and has_only(value, 4)) then
			wrong_numbers(value, 4, "a quat or {x, y, z, w}", where, name)
		end
	else
		wrong_numbers(value, 4, "a quat or {x, y, z, w}", where, name)
	end
	x, y, z, w = quat.normalize(x, y, z, w)
	if not x then
		raise.error(where .. name .. " must be a rotation, got a quaternion of length 0")
	end
	return x, y, z, w
end

local CELL_LIMIT = 2 ^ 30

--- Coordinates of a cell: three whole numbers within +-2^30.
---@return number x, number y, number z
function check.cell(x, y, z, where, name)
	check.whole(x, -CELL_LIMIT, CELL_LIMIT, where, name .. "x")
	check.whole(y, -CELL_LIMIT, CELL_LIMIT, where, name .. "y")
	check.whole(z, -CELL_LIMIT, CELL_LIMIT, where, name .. "z")
	return x, y, z
end

--- A cell as vec3 or {x, y, z}.
---@return number x, number y, number z
function check.cell_vector(value, where, name)
	local x, y, z = check.vec3(value, where, name)
	check.whole(x, -CELL_LIMIT, CELL_LIMIT, where, name .. "[1]")
	check.whole(y, -CELL_LIMIT, CELL_LIMIT, where, name .. "[2]")
	check.whole(z, -CELL_LIMIT, CELL_LIMIT, where, name .. "[3]")
	return x, y, z
end

-- Raises what keeps a table from being the list 1..n, if anything does: a hole, which # may end before or span, or a
-- key that no list has.
local function check_whole_list(value, n, where, name)
	local keys, last, other = 0, n, nil
	for key in pairs(value) do
		keys = keys + 1
		if type(key) == "number" and key >= 1 and floor(key) == key then
			last = math.max(last, key)
		else
			other = other or key
		end
	end
	for i = 1, keys < last and math.min(last, keys + 1) or 0 do
		if rawget(value, i) == nil then
			raise.error(("%s%s[%d] is missing: a list has no holes"):format(where, name, i))
		end
	end
	if other ~= nil then
		raise.error(("%s%s must be a list: it has the key %s"):format(where, name, text.key(other)))
	end
end

--- The length of a list, which has the keys 1..n and no others.
---@return integer n
function check.list(value, least, most, where, name)
	check.table(value, where, name)
	local n = #value
	if n < 60000 then -- a compiled traversal of more than 65,536 entries may start again
		check_whole_list(value, n, where, name)
	end
	if n < least or n > most then
		wrong(n, where, name, ("a list of %d to %d"):format(least, most))
	end
	return n
end

-- ---- tables that come again ----------------------------------------------------------------------------------------

-- Options of queries are handed over again and again, in each step or more often. Going over keys is not compiled
-- (scree.pairs), and neither is a script's loop around it, which then makes garbage. So such a table is looked through
-- when it comes for the first time, and then now and then, for what was added since.
local LOOKED_THROUGH_EVERY = 256 -- uses

local function new_uses()
	return setmetatable({}, { __mode = "k" })
end

local list_uses = new_uses() -- of each list: LOOKED_THROUGH_EVERY times its length, and how often it came since

--- As check.list, for lists that come again. One of another length is looked through at once.
function check.list_now_and_then(value, least, most, where, name)
	check.table(value, where, name)
	local n = #value
	local first = n * LOOKED_THROUGH_EVERY
	local uses = (list_uses[value] or -1) - first
	if uses < 0 or uses >= LOOKED_THROUGH_EVERY - 1 then
		check.list(value, least, most, where, name)
		uses = -1
	end
	list_uses[value] = first + uses + 1
	return n
end

--- As check.keys, for tables that come again.
function check.keys_now_and_then(t, names, where)
	local uses = names.uses[t] or 0
	if uses % LOOKED_THROUGH_EVERY == 0 then
		check.keys(t, names, where)
	end
	names.uses[t] = uses + 1
end

--- Nine entries of an inertia: from three (the diagonal) or nine numbers, row after row.
---@param into ffi.cdata* double[9]
function check.inertia(value, into, where, name)
	if type(value) == "table" and #value > 3 then
		if check.list(value, 9, 9, where, name) then
			for i = 1, 9 do
				into[i - 1] = check.number(value[i], where, name .. "[" .. i .. "]")
			end
		end
		return into
	end
	for i = 0, 8 do
		into[i] = 0
	end
	into[0], into[4], into[8] = check.vec3(value, where, name)
	return into
end

--- A set of names with their order, for keys and choices.
---@param names string[]
function check.names(names)
	local set = {}
	for i = 1, #names do
		set[names[i]] = true
	end
	return { list = names, set = set, uses = new_uses() }
end

--- Raises if t has a key that is not in names. Of several it names the first in alphabetical order.
function check.keys(t, names, where)
	check_plain(t, where, "options")
	local set, unknown = names.set, nil
	for key in pairs(t) do
		if not set[key] then
			if unknown == nil or text.key(key) < text.key(unknown) then
				unknown = key
			end
		end
	end
	if unknown ~= nil then
		local inner = where:match "^(.*)%.$" -- "spawn: parts[2]." for keys of what is inside
		if inner and type(unknown) == "string" and #unknown <= 40 and unknown:find "^[%a_][%w_]*$" then
			where = where .. unknown .. ": "
		elseif inner then
			where = inner .. ": "
		end
		raise.error(where .. "unknown key " .. text.key(unknown) .. text.hint(unknown, names.list))
	end
end

--- The value that goes with one of the names of a choice made by check.choices.
function check.choice(value, choice, where, name)
	local result = type(value) == "string" and choice.value[value]
	if not result then
		local list = {}
		for i = 1, #choice.list do
			list[i] = text.quote(choice.list[i])
		end
		local hint = type(value) == "string" and text.hint(value, choice.list) or ""
		raise.error(where .. name .. " must be " .. table.concat(list, ", ") .. ", got " .. text.describe(value) .. hint)
	end
	return result
end

--- A choice from pairs of names and values: check.choices { "static", 0, "dynamic", 2 }.
function check.choices(pairs_of)
	local choice = { list = {}, value = {}, name = {} }
	for i = 1, #pairs_of, 2 do
		choice.list[#choice.list + 1] = pairs_of[i]
		choice.value[pairs_of[i]] = pairs_of[i + 1]
		choice.name[pairs_of[i + 1]] = pairs_of[i]
	end
	return choice
end

--- A flat buffer: a cdata array of the element type with room for count elements, or a pointer (size unchecked).
---@param slot ffi.cdata* one pointer of the wanted type, which receives the address
function check.buffer(value, slot, bytes, where, name, wanted)
	if type(value) ~= "cdata" or value == nil or not pcall(check.assign, slot, value) then
		wrong(value, where, name, wanted)
	end
	if not check.is_pointer(value) and ffi.sizeof(value) < bytes then
		raise.error(("%s%s must be %s: %d bytes, got %d"):format(where, name, wanted, bytes, ffi.sizeof(value)))
	end
	return value
end

function check.assign(slot, value)
	slot[0] = value
end

local POINTER_SIZE = ffi.sizeof "void *"

-- A pointer has the size of one; arrays of that size say [n] in their type.
function check.is_pointer(value)
	return ffi.sizeof(value) == POINTER_SIZE and not tostring(ffi.typeof(value)):find("[", 1, true)
end

---What must not be left out.
function check.required(value, where, name)
	if value == nil then
		raise.error(where .. name .. " is missing")
	end
	return value
end

--- The value of an option that has two names, the usual one first, and the name that was used. It must not be left out.
function check.either(options, usual, other, where)
	if options[usual] ~= nil and options[other] ~= nil then
		raise.error(("%s%s and %s are the same, give one"):format(where, usual, other))
	end
	local name = options[other] ~= nil and other or usual
	return check.required(options[name], where, name), name
end

local SAVE = check.names { "level" }

---The options of what writes a file of scree: its level of compression, 0 where none is given.
---@param opts { level: integer? }?
---@return integer
function check.save_level(opts, where)
	if opts == nil then
		return 0
	end
	check.table(opts, where, "opts")
	check.keys(opts, SAVE, where)
	return opts.level == nil and 0 or check.whole(opts.level, 1, 19, where, "opts.level")
end

return check
