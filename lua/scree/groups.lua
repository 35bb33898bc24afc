-- Collision groups: names for the 32 bits of a world, given out in order of first use; "default" is bit 0. Whole
-- numbers 0..31 name bits directly. New names are gathered in a trial first, so that a call that fails leaves none
-- behind.

local raise = require "scree.raise"
local text = require "scree.text"
local check = require "scree.check"
raise.own()

local groups = {}

local COUNT = 32
local ALL = 2 ^ COUNT - 1

groups.ALL = ALL

--- The table of a new world.
function groups.new()
	return { bits = { default = 0 }, names = { [0] = "default" }, used = { [0] = true } }
end

local function over(below)
	return setmetatable({}, { __index = below })
end

local current = {} -- one for all: no call that tries names is made within another

--- Names on probation on top of a world's, until the next trial: commit makes them stay.
---@param closed boolean? names that the world does not know are errors
function groups.trial(known, closed)
	current.known, current.closed, current.fresh = known, closed, nil
	return current
end

-- Most calls name no group, so what names need is made for the first.
local function open(trial)
	if not trial.fresh then
		trial.bits, trial.used, trial.fresh = over(trial.known.bits), over(trial.known.used), {}
	end
end

local function take(trial, bit, name)
	if not trial.used[bit] then
		trial.used[bit] = true
		trial.fresh[#trial.fresh + 1] = { bit = bit, name = name }
	end
	return bit
end

-- The bit of a group that the world has already, without making anything.
local function known_bit(known, value)
	if type(value) == "number" then
		return known.used[value] and value
	end
	return type(value) == "string" and known.bits[value]
end

local function bit_of(trial, value, where, name)
	local held = known_bit(trial.known, value)
	if held then
		return held
	end
	open(trial)
	if type(value) == "number" then
		return take(trial, check.whole(value, 0, COUNT - 1, where, name))
	end
	if type(value) ~= "string" or value == "" or value == "all" or value == "none" then
		check.wrong(value, where, name, 'the name of a group or a whole number from 0 to 31 ("all" and "none" are taken)')
	end
	local bit = trial.bits[value]
	if not bit and trial.closed then
		local known = {}
		for i = 0, COUNT - 1 do
			known[#known + 1] = trial.known.names[i]
		end
		raise.error(where .. name .. ": unknown group " .. text.quote(value) .. text.hint(value, known))
	elseif not bit then
		bit = 0
		while trial.used[bit] do
			bit = bit + 1
		end
		if bit >= COUNT then
			raise.error(("%s%s: no room for the group %s, all %d are taken"):format(where, name, text.quote(value), COUNT))
		end
		trial.bits[value] = bit
		take(trial, bit, value)
	end
	return bit
end

--- The bit of one group.
---@return integer 0..31
function groups.bit(trial, value, where, name)
	return bit_of(trial, value, where, name)
end

local function holds(mask, bit)
	return math.floor(mask / 2 ^ bit) % 2 == 1
end

--- The bit mask of "all", "none", one group or a list of groups.
---@return number
function groups.mask(trial, value, where, name)
	if value == "all" then
		return ALL
	elseif value == "none" then
		return 0
	elseif type(value) ~= "table" then
		return 2 ^ bit_of(trial, value, where, name)
	end
	local mask, look = 0, trial.closed and check.list_now_and_then or check.list
	for i = 1, look(value, 0, 1024, where, name) do
		local bit = known_bit(trial.known, value[i]) or bit_of(trial, value[i], where, name .. "[" .. i .. "]")
		if not holds(mask, bit) then
			mask = mask + 2 ^ bit
		end
	end
	return mask
end

--- Keeps the names of a trial whose call went well.
function groups.commit(trial)
	local known = trial.known
	local fresh = trial.fresh
	for i = 1, fresh and #fresh or 0 do
		local new = fresh[i]
		known.used[new.bit] = true
		if new.name then
			known.bits[new.name] = new.bit
			known.names[new.bit] = new.name
		end
	end
end

--- The name of a bit, or its number.
function groups.name(known, bit)
	return known.names[bit] or bit
end

--- A mask as a script would write it: "all", "none" or a list.
function groups.names(known, mask)
	if mask == ALL then
		return "all"
	elseif mask == 0 then
		return "none"
	end
	local list = {}
	for bit = 0, COUNT - 1 do
		if holds(mask, bit) then
			list[#list + 1] = groups.name(known, bit)
		end
	end
	return list
end

return groups
