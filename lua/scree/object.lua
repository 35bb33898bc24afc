-- What worlds, assemblies and terrain have in common: properties by getters and setters, methods, and the check that
-- the thing is still there. An object is a table whose private fields have keys that no script writes by chance;
-- without its POINTER it is destroyed.

local check = require "scree.check"
local pairs = require "scree.pairs"
local raise = require "scree.raise"
local text = require "scree.text"
raise.own()

local object = {}

-- Strings, since the compiler takes them for constants, which it does not with tables.
object.POINTER = "\0pointer" -- ScreeWorld *, nil once destroyed
object.STATE = "\0state" -- the world's table of Lua-side state
object.ID = "\0id" -- assemblies: the handle

local POINTER = object.POINTER
local getmetatable = getmetatable

local function sorted_names(class)
	local names = {}
	for _, group in ipairs { class.getters, class.methods } do
		for name in pairs(group) do
			if name:find "^%a" then
				names[#names + 1] = name
			end
		end
	end
	table.sort(names)
	return names
end

-- Functions that are made many times from one piece of source keep the compiler from taking what they refer to for
-- constants, which makes a property read three times as slow. So each class gets its lookup from a chunk of its own.
local lookup_source = [[
local getters, methods, unknown = ...
return function(self, key)
	local getter = getters[key]
	if getter then
		return getter(self)
	end
	return methods[key] or unknown(key)
end
]]

local function make_lookup(getters, methods, unknown)
	return assert(loadstring(lookup_source, raise.NAME))(getters, methods, unknown)
end

--- A class: fill getters[name] = function(self), setters[name] = function(self, value), methods[name] = function.
---@param name string for messages: "assembly"
---@param describe fun(self): string "assembly 12"
function object.class(name, describe)
	local class = { name = name, describe = describe, getters = {}, setters = {}, methods = {} }
	local getters, setters, methods = class.getters, class.setters, class.methods
	local meta = {}
	class.meta = meta

	local function unknown(key)
		raise.error(name .. ": no property " .. text.key(key) .. text.hint(key, sorted_names(class)))
	end

	meta.__index = make_lookup(getters, methods, unknown)

	function meta.__newindex(self, key, value)
		local setter = setters[key]
		if setter then
			setter(self, value)
		elseif getters[key] then
			raise.error(name .. "." .. key .. " is read-only")
		elseif methods[key] then
			raise.error(name .. "." .. key .. " is a method")
		else
			unknown(key)
		end
	end

	function meta.__tostring(self)
		return describe(self) .. (rawget(self, POINTER) and "" or " (destroyed)")
	end

	--- True as long as the object exists; the one property that never raises.
	function getters.valid(self)
		return self[POINTER] ~= nil
	end

	return class
end

-- The metatable answers for private keys that are absent: nil, without an error.
function object.private(class)
	for _, key in ipairs { object.POINTER, object.STATE, object.ID } do
		class.getters[key] = function() end
	end
end

--- Raises that self is destroyed.
function object.dead(self, class, what)
	raise.error(what .. ": " .. class.describe(self) .. " is destroyed")
end

--- The world's pointer behind self, for a method that was called as what; raises if self is no live object of class.
function object.alive(self, class, what)
	if getmetatable(self) ~= class.meta then
		local got = type(self) == "table" and getmetatable(self) and "another object" or text.describe(self)
		raise.error(("%s: call it with a colon on %s (%s:%s(...)), got %s"):format(
			what,
			text.a(class.name),
			class.name,
			what,
			got
		))
	end
	local pointer = self[POINTER]
	if not pointer then
		object.dead(self, class, what)
	end
	return pointer
end

-- ---- what recordings watch -----------------------------------------------------------------------------------------

--- A set into which the ids come of what gets another surface, motion or mass, and "materials" when one of those is
--- put; for as long as the caller keeps it.
function object.watch_looks(state)
	local set = {}
	state.looks = state.looks or setmetatable({}, { __mode = "k" })
	state.looks[set] = true
	return set
end

--- To be called when an assembly (its id) or a material ("materials") looks or weighs otherwise.
function object.tell_look(state, what)
	if state.looks then
		for set in pairs(state.looks) do
			set[what] = true
		end
	end
end

--- A copy of values that cannot be written, since writing it would change nothing. Fields that are not in fields raise.
---@param values table
---@param fields string[]
---@param what string "world.sleep"
---@param advice string what to write instead
---@param write fun(key: any, value: any)? called for every field that is written, instead of an error
function object.frozen(values, fields, what, advice, write)
	local set = {}
	for i = 1, #fields do
		set[fields[i]] = true
	end
	return setmetatable({}, check.trust {
		__index = function(_, key)
			if not set[key] then
				raise.error(what .. ": no field " .. text.key(key) .. text.hint(key, fields))
			end
			return values[key]
		end,
		__newindex = function(_, key, value)
			if write and not set[key] then
				raise.error(what .. ": no field " .. text.key(key) .. text.hint(key, fields))
			elseif write then
				return write(key, value)
			end
			raise.error(what .. " is a copy that cannot be written: " .. advice)
		end,
		__tostring = function()
			local list = {}
			for i = 1, #fields do
				if values[fields[i]] ~= nil then
					list[#list + 1] = fields[i] .. " = " .. tostring(values[fields[i]])
				end
			end
			return what .. " { " .. table.concat(list, ", ") .. " }"
		end,
		__pairs = function() -- heard only by builds of LuaJIT with the rules of Lua 5.2
			local i = 0
			return function()
				repeat
					i = i + 1
				until i > #fields or values[fields[i]] ~= nil
				return fields[i], values[fields[i]]
			end
		end,
	})
end

--- A list that can also be called by a generic for: `for contact in a:contacts() do`.
function object.callable(list)
	local i = 0
	return setmetatable(list, {
		__call = function(_, _, previous)
			i = previous == nil and 1 or i + 1
			return list[i]
		end,
	})
end

return object
