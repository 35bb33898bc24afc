-- Lua values as JSON. A table with a first entry, or an empty one, is a list; others are objects whose keys are sorted,
-- so that the same values make the same text.

local raise = require "scree.raise"
local pairs = require "scree.pairs"
local text = require "scree.text"
raise.own()

local json = {}

local ESCAPES = { ['"'] = '\\"', ["\\"] = "\\\\", ["\n"] = "\\n", ["\r"] = "\\r", ["\t"] = "\\t" }

-- "<" is written so that no text can end the script element that it may stand in. What is no UTF-8 would not be read.
local function encode_string(value)
	return '"' .. value:gsub('[%c"\\<\127-\255]', function(c)
		return ESCAPES[c] or c:byte() < 128 and ("\\u%04x"):format(c:byte()) or nil
	end) .. '"'
end

-- Bytes that are no UTF-8 as what they are in Latin-1.
local function to_utf8(value)
	local i = 1
	while i <= #value do
		local lead = value:byte(i)
		local length = lead < 0x80 and 1 or lead >= 0xC2 and lead < 0xE0 and 2 or lead >= 0xE0 and lead < 0xF0 and 3
			or lead >= 0xF0 and lead < 0xF5 and 4
		if not length or not value:sub(i + 1, i + length - 1):find("^" .. ("[\128-\191]"):rep(length - 1) .. "$") then
			return (value:gsub("[\128-\255]", function(c)
				return string.char(0xC0 + math.floor(c:byte() / 64), 0x80 + c:byte() % 64)
			end))
		end
		i = i + length
	end
	return value
end

local encode

local function encode_table(value, out)
	local step, of = pairs(value)
	if value[1] ~= nil or step(of) == nil then
		out[#out + 1] = "["
		for i = 1, #value do
			out[#out + 1] = i > 1 and "," or nil
			encode(value[i], out)
		end
		out[#out + 1] = "]"
		return
	end
	local keys = {}
	for key in pairs(value) do
		keys[#keys + 1] = key
	end
	table.sort(keys)
	out[#out + 1] = "{"
	for i, key in ipairs(keys) do
		out[#out + 1] = (i > 1 and "," or "") .. encode_string(key) .. ":"
		encode(value[key], out)
	end
	out[#out + 1] = "}"
end

function encode(value, out)
	local kind = type(value)
	if kind == "table" then
		encode_table(value, out)
	elseif kind == "string" then
		out[#out + 1] = encode_string(to_utf8(value))
	elseif kind == "number" then
		local finite = value == value and value ~= math.huge and value ~= -math.huge
		out[#out + 1] = finite and text.number(value) or "null"
	elseif kind == "boolean" then
		out[#out + 1] = tostring(value)
	else
		out[#out + 1] = "null"
	end
end

--- The text of a value.
---@return string
function json.encode(value)
	local out = {}
	encode(value, out)
	return table.concat(out)
end

return json
