-- Words for messages: numbers as short as they can be read back exactly, values as a script would write them, and the
-- known name that is nearest to an unknown one.

local ffi = require "ffi"
local raise = require "scree.raise"
raise.own()

local text = {}

local formats = { "%.14g", "%.15g", "%.16g", "%.17g" }

--- The shortest decimal form that reads back as the same number; nan, inf and -inf on every machine.
---@param value number
---@return string
function text.number(value)
	if value ~= value then
		return "nan"
	end
	if value == math.huge or value == -math.huge then
		return value > 0 and "inf" or "-inf"
	end
	for i = 1, #formats do
		local s = formats[i]:format(value)
		if tonumber(s) == value then
			return s
		end
	end
end

local single = ffi.new "float[1]"
local single_formats = { "%.6g", "%.7g", "%.8g", "%.9g" }

--- The shortest decimal number that is the same in single precision: what was set as 0.7 and kept so reads 0.7.
---@param value number
---@return number
function text.single(value)
	for i = 1, #single_formats do
		local short = tonumber(single_formats[i]:format(value))
		single[0] = short or value
		if short and single[0] == value then
			return short
		end
	end
	return value
end

--- A string in quotes, cut after 40 characters, without control characters.
---@param value string
---@return string
function text.quote(value)
	local s = #value > 40 and value:sub(1, 40) .. "..." or value
	return '"' .. s:gsub('[%c"\\]', function(c)
		return ("\\%03d"):format(c:byte())
	end) .. '"'
end

local describers = {
	["nil"] = function()
		return "nil"
	end,
	boolean = tostring,
	number = text.number,
	string = text.quote,
	cdata = function(value)
		-- Only the module's own values have a tostring that cannot raise.
		return text.is_value and text.is_value(value) and tostring(value) or "a cdata"
	end,
}

--- The value as it is shown after "got".
function text.describe(value)
	local describer = describers[type(value)]
	return describer and describer(value) or "a " .. type(value)
end

-- Edit distance with swaps of neighbours (optimal string alignment), case ignored.
local function distance(a, b)
	a, b = a:lower(), b:lower()
	local before, row = nil, {}
	for j = 0, #b do
		row[j] = j
	end
	for i = 1, #a do
		local next_row = { [0] = i }
		for j = 1, #b do
			local cost = a:byte(i) == b:byte(j) and 0 or 1
			local best = math.min(row[j] + 1, next_row[j - 1] + 1, row[j - 1] + cost)
			if before and j > 1 and a:byte(i) == b:byte(j - 1) and a:byte(i - 1) == b:byte(j) then
				best = math.min(best, before[j - 2] + 1)
			end
			next_row[j] = best
		end
		before, row = row, next_row
	end
	return row[#b]
end

--- The entry of names with the least edit distance to name; of equals the first.
---@param name string
---@param names string[]
---@return string?
function text.nearest(name, names)
	local wanted = name:sub(1, 64)
	local best, best_distance
	for i = 1, #names do
		local d = distance(wanted, names[i])
		if not best_distance or d < best_distance then
			best, best_distance = names[i], d
		end
	end
	return best
end

--- ' (did you mean "size"?)' for a string; the list of what is known for anything else.
---@param key any
---@param names string[]
---@return string
function text.hint(key, names)
	if type(key) == "string" and #names > 0 then
		return (" (did you mean %s?)"):format(text.quote(text.nearest(key, names)))
	end
	return #names > 0 and (" (known: %s)"):format(table.concat(names, ", ")) or ""
end

--- "an align", "a hinge".
---@param noun string
function text.a(noun)
	return (noun:find "^[aeiou]" and "an " or "a ") .. noun
end

--- A key of a table as a script writes it.
function text.key(key)
	return type(key) == "string" and text.quote(key) or "[" .. text.describe(key) .. "]"
end

return text
