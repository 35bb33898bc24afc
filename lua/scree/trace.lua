-- What a world did: its time, hash and the state of each assembly at some of its steps. Traces are kept as text that
-- people can read, and two of them are compared.
--
-- Unless told how often, a trace takes every step until it has too many samples, then every second, every fourth and so
-- on, always counted from its first: the same run takes the same samples, and traces stay small.

local raise = require "scree.raise"
local pairs = require "scree.pairs"
local text = require "scree.text"
raise.own()

local trace = {}
trace.__index = trace

local HEAD = "scree golden trace 1"
local COLUMNS = "# number, id, tag, state | position | rotation | velocity | angular velocity;"
	.. " listed where it is not as in the sample before"
local SAMPLES, ROWS = 32, 20000 -- most of them in a trace that chooses its steps; rows are lines of assemblies

-- Where the numbers of a row are: first and last of its 13.
local QUANTITIES = {
	{ name = "position", first = 1, last = 3, unit = "m" },
	{ name = "rotation", first = 4, last = 7, unit = "rad" },
	{ name = "velocity", first = 8, last = 10, unit = "m/s" },
	{ name = "angular_velocity", first = 11, last = 13, unit = "rad/s" },
}

trace.QUANTITIES = {}
for i, quantity in ipairs(QUANTITIES) do
	trace.QUANTITIES[i] = quantity.name
end

-- ---- taking samples ------------------------------------------------------------------------------------------------

--- An empty trace.
---@param every integer? steps between samples; nil: as few as there must be
function trace.new(every)
	return setmetatable({ every = every, interval = every or 1, samples = {}, numbers = {}, known = 0 }, trace)
end

local function tag_text(tag)
	local kind = type(tag)
	if kind == "string" then
		return text.quote(tag)
	end
	return (kind == "number" or kind == "boolean") and text.describe(tag) or "-"
end

local function read_row(assembly)
	local p, r, v, w = assembly.position, assembly.rotation, assembly.velocity, assembly.angular_velocity
	return {
		id = assembly.id, tag = tag_text(rawget(assembly, "tag")), state = assembly.state,
		p.x, p.y, p.z, r.x, r.y, r.z, r.w, v.x, v.y, v.z, w.x, w.y, w.z,
	}
end

local function is_same_row(a, b)
	for i = 1, 13 do
		if a[i] ~= b[i] then
			return false
		end
	end
	return a.id == b.id and a.tag == b.tag and a.state == b.state
end

local function read_sample(self, world)
	local last = self.samples[#self.samples]
	local sample = { step = world.step_count, time = world.time, hash = world:hash(), rows = {} }
	for assembly in world:assemblies() do
		local row = read_row(assembly)
		local number = self.numbers[row.id]
		if not number then
			self.known = self.known + 1
			number = self.known
			self.numbers[row.id] = number
		end
		local before = last and last.rows[number]
		sample.rows[number] = before and is_same_row(before, row) and before or row -- one table for what is unchanged
	end
	return sample
end

-- Lines of assemblies that the samples take as text.
local function count_rows(samples)
	local count = 0
	for i, sample in ipairs(samples) do
		local before = samples[i - 1]
		for number, row in pairs(sample.rows) do
			if not before or before.rows[number] ~= row then
				count = count + 1
			end
		end
	end
	return count
end

-- Leaves out every second sample while there are too many.
local function thin(self)
	while #self.samples > 2 and (#self.samples > SAMPLES or count_rows(self.samples) > ROWS) do
		self.interval = 2 * self.interval
		local kept, first = {}, self.samples[1].step
		for _, sample in ipairs(self.samples) do
			if (sample.step - first) % self.interval == 0 then
				kept[#kept + 1] = sample
			end
		end
		self.samples = kept
	end
end

-- Forgets what came after a step to which a snapshot led back.
local function rewind(self, step)
	while #self.samples > 0 and self.samples[#self.samples].step > step do
		table.remove(self.samples)
	end
end

--- To be called before a step: the first one begins the trace.
function trace:before(world)
	rewind(self, world.step_count)
	if #self.samples == 0 then
		self.samples[1] = read_sample(self, world)
	end
end

--- To be called after a step: takes a sample if it is time to.
function trace:after(world)
	local step = world.step_count
	rewind(self, step - 1)
	if (step - self.samples[1].step) % self.interval == 0 then
		self.samples[#self.samples + 1] = read_sample(self, world)
		if not self.every then
			thin(self)
		end
	end
end

--- Ends the trace with the world as it is now.
function trace:finish(world)
	rewind(self, world.step_count - 1)
	self.samples[#self.samples + 1] = read_sample(self, world)
end

-- ---- as text -------------------------------------------------------------------------------------------------------

local function numbers_text(row, first, last)
	local words = {}
	for i = first, last do
		words[#words + 1] = text.number(row[i])
	end
	return table.concat(words, " ")
end

local function row_text(number, row)
	local words = { ("%d %s %s %s"):format(number, text.number(row.id), row.tag, row.state) }
	for _, quantity in ipairs(QUANTITIES) do
		words[#words + 1] = numbers_text(row, quantity.first, quantity.last)
	end
	return table.concat(words, " | ")
end

local function sorted_numbers(...)
	local set, list = {}, {}
	for _, rows in ipairs { ... } do
		for number in pairs(rows) do
			if not set[number] then
				set[number] = true
				list[#list + 1] = number
			end
		end
	end
	table.sort(list)
	return list
end

--- The trace as text.
---@return string
function trace:encode()
	local lines = { HEAD, "every " .. (self.every or "auto"), COLUMNS }
	local before = {}
	for _, sample in ipairs(self.samples) do
		lines[#lines + 1] = ("step %d time %s hash %s"):format(sample.step, text.number(sample.time), sample.hash)
		for _, number in ipairs(sorted_numbers(sample.rows, before)) do
			local row = sample.rows[number]
			if not row then
				lines[#lines + 1] = number .. " gone"
			elseif not (before[number] and is_same_row(before[number], row)) then
				lines[#lines + 1] = row_text(number, row)
			end
		end
		before = sample.rows
	end
	return table.concat(lines, "\n") .. "\n"
end

local SPACED = "([^|]*)"
local ROW = "^(%d+) (%d+) (.+) (%a+) | " .. SPACED .. " | " .. SPACED .. " | " .. SPACED .. " | " .. SPACED .. "$"

-- A number that is one, or nil: not inf, and not nan.
local function finite(word)
	local value = tonumber(word)
	return value and value - value == 0 and value or nil
end

local function decode_row(line)
	local number, id, tag, state, p, r, v, w = line:match(ROW)
	if not number then
		return nil
	end
	local row = { id = tonumber(id), tag = tag, state = state }
	for word in (p .. " " .. r .. " " .. v .. " " .. w):gmatch "%S+" do
		row[#row + 1] = finite(word)
	end
	return #row == 13 and row or nil, finite(number)
end

local function copy(rows)
	local result = {}
	for number, row in pairs(rows) do
		result[number] = row
	end
	return result
end

-- One line of a file into the trace; false if it is none.
local function decode_line(self, line)
	local sample = self.samples[#self.samples]
	local step, time, hash = line:match "^step (%d+) time (%S+) hash (%x+)$"
	step, time = finite(step), finite(time)
	if step and time and (not sample or step > sample.step) then
		local rows = sample and copy(sample.rows) or {}
		self.samples[#self.samples + 1] = { step = step, time = time, hash = hash, rows = rows }
		return true
	end
	local gone = tonumber(line:match "^(%d+) gone$")
	if sample and gone and sample.rows[gone] then
		sample.rows[gone] = nil
		return true
	end
	local row, number = decode_row(line)
	if sample and row then
		sample.rows[number] = row
		return true
	end
	return false
end

--- The trace that encode made text of; or nil and what is wrong with which line.
---@param source string
function trace.decode(source)
	local self, number = trace.new(), 0
	for line in (source .. "\n"):gmatch "([^\r\n]*)\r?\n" do
		number = number + 1
		if number == 1 and line ~= HEAD then
			return nil, 1, ("%q is expected"):format(HEAD)
		elseif number == 2 then
			local every = line:match "^every (%w+)$"
			self.every = finite(every)
			if not (every == "auto" or self.every) then
				return nil, 2, '"every" and "auto" or a number are expected'
			end
		elseif number > 2 and line ~= "" and line:sub(1, 1) ~= "#" and not decode_line(self, line) then
			return nil, number, "not a line of a trace"
		end
	end
	if #self.samples == 0 then
		return nil, number, "there is no step"
	end
	return self
end

-- ---- comparing -----------------------------------------------------------------------------------------------------

local function distance(a, b, quantity)
	local sum = 0
	for i = quantity.first, quantity.last do
		sum = sum + (a[i] - b[i]) ^ 2
	end
	if quantity.name ~= "rotation" then
		return math.sqrt(sum)
	end
	local other = 0 -- q and -q are the same rotation
	for i = quantity.first, quantity.last do
		other = other + (a[i] + b[i]) ^ 2
	end
	return 4 * math.asin(math.min(1, math.sqrt(math.min(sum, other)) / 2))
end

local function is_equal(a, b, quantity)
	for i = quantity.first, quantity.last do
		if a[i] ~= b[i] then
			return false
		end
	end
	return true
end

local function difference_of(quantity, expected, got)
	return { quantity = quantity, expected = expected, got = got }
end

-- What differs between two rows of one number, if anything does.
local function compare_rows(a, b, tolerances)
	if not a then
		return difference_of("existence", "no such assembly", "it exists")
	elseif not b then
		return difference_of("existence", "it exists", "no such assembly")
	elseif a.tag ~= b.tag then
		return difference_of("tag", a.tag, b.tag)
	end
	for _, quantity in ipairs(QUANTITIES) do
		local allowed = tolerances and tolerances[quantity.name]
		if not tolerances or allowed then
			local off = distance(a, b, quantity)
			if allowed and allowed > 0 and not (off <= allowed) or not (allowed and allowed > 0 or is_equal(a, b, quantity)) then
				local first, last = quantity.first, quantity.last
				local found = difference_of(quantity.name, numbers_text(a, first, last), numbers_text(b, first, last))
				found.off, found.allowed, found.unit = off, allowed or 0, quantity.unit
				return found
			end
		end
	end
	if not tolerances and a.state ~= b.state then
		return difference_of("state", a.state, b.state)
	end
end

local function compare_samples(a, b, tolerances)
	if a.time ~= b.time then
		return difference_of("time", text.number(a.time) .. " s", text.number(b.time) .. " s")
	end
	local found, others = nil, 0
	for _, number in ipairs(sorted_numbers(a.rows, b.rows)) do
		local row, other = a.rows[number], b.rows[number]
		local difference = compare_rows(row, other, tolerances)
		if difference and found then
			others = others + 1
		elseif difference then
			found = difference
			found.number, found.row = number, row or other
		end
	end
	if found then
		found.others = others
	elseif not tolerances and a.hash ~= b.hash then
		found = difference_of("hash (something that the trace does not list: terrain, joints, contacts)", a.hash, b.hash)
	end
	return found
end

--- The first difference of two traces in time, or nil: step, time, quantity, expected, got, and where they are known
--- number and row of the assembly, off, allowed, unit, others (how many more differ at that step), same (the last step
--- at which both are the same).
---@param expected table
---@param got table
---@param tolerances table<string, number>? nil: every bit; else what is named may be off by so much
function trace.compare(expected, got, tolerances)
	local a, b = expected.samples, got.samples
	local function at(sample, difference, same)
		difference.step, difference.time, difference.same = sample.step, sample.time, same
		return difference
	end
	if a[1].step ~= b[1].step then
		return at(a[1], difference_of("first step", "step " .. a[1].step, "step " .. b[1].step))
	end
	local by_step, same = {}, nil
	for _, sample in ipairs(b) do
		by_step[sample.step] = sample
	end
	for _, sample in ipairs(a) do
		local other = by_step[sample.step]
		local difference = other and compare_samples(sample, other, tolerances)
		if difference then
			return at(sample, difference, same)
		end
		same = other and sample.step or same
	end
	if a[#a].step ~= b[#b].step then
		return at(a[#a], difference_of("last step", "step " .. a[#a].step, "step " .. b[#b].step), same)
	elseif expected.every ~= got.every then -- last: it should not hide what went another way
		local wanted, found = expected.every or "automatic", got.every or "automatic"
		return at(a[1], difference_of("steps between samples", tostring(wanted), tostring(found)))
	end
end

return trace
