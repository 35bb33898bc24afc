-- Where assemblies are, frame after frame: only those that moved take bytes.
--
-- Positions are counted in units of a quantum (metres), the four numbers of a rotation in 1/32767. What is written is
-- by how much each of the seven is not where it would be if it went on as in the frame before, and that is mostly a
-- byte.
--
-- A frame:  count of those that moved, then for each: its track (from the one before, signed), seven signed numbers;
--           count of those whose state changed, then for each: its track (from the one before, signed), the state.

local ffi = require "ffi"
local raise = require "scree.raise"
local bytes = require "scree.record.bytes"
raise.own()

local floor = math.floor

local poses = {}

poses.TURN = 32767 -- units of a rotation's numbers

-- Quanta from the origin, at most: what is written of a number is up to four times as far, and folded twice that.
local FARTHEST = 2 ^ 50 - 1

-- What is known of all tracks: seven numbers each, and by how much they last changed.
local function new_memory()
	return { capacity = 0, last = nil, delta = nil, frame = {}, state = {} }
end

local function make_room(memory, track)
	if track <= memory.capacity then
		return
	end
	local capacity = math.max(64, 2 * memory.capacity)
	while capacity < track do
		capacity = 2 * capacity
	end
	local last, delta = ffi.new("double[?]", 7 * capacity), ffi.new("double[?]", 7 * capacity)
	if memory.last then
		ffi.copy(last, memory.last, 56 * memory.capacity)
		ffi.copy(delta, memory.delta, 56 * memory.capacity)
	end
	memory.last, memory.delta, memory.capacity = last, delta, capacity
end

-- ---- writing -------------------------------------------------------------------------------------------------------

local writer = {}
writer.__index = writer

--- Writes a stream of frames.
---@param quantum number metres
function poses.writer(quantum)
	return setmetatable({
		quantum = quantum,
		bytes = bytes.writer(),
		memory = new_memory(),
		frame = 0, -- number of the frame at hand
		moved = 0, -- poses written in all frames
		pending = bytes.writer(), -- those of the frame at hand
		count = 0,
		before = 0, -- the track before
		states = {}, -- changes in the frame at hand: track, state, track, state ...
		now = ffi.new "double[7]",
	}, writer)
end

--- Begins the next frame.
function writer:begin_frame()
	self.frame = self.frame + 1
	self.pending.size, self.count, self.before, self.states = 0, 0, 0, {}
end

local function within(value)
	return value >= FARTHEST and FARTHEST or value > -FARTHEST and value or -FARTHEST
end

-- The seven whole numbers of a pose; of the two signs of a rotation that which is nearer to the one before.
local function quantise(now, pose, quantum, last)
	for i = 0, 2 do
		now[i] = within(floor(pose[i] / quantum + 0.5))
	end
	local side = 0
	for i = 3, 6 do
		side = side + pose[i] * last[i]
	end
	local turn = side < 0 and -poses.TURN or poses.TURN
	for i = 3, 6 do
		now[i] = within(floor(pose[i] * turn + 0.5))
	end
end

--- The pose of a track in this frame: 7 doubles, position and rotation.
---@param track integer from 1
---@param born boolean its first frame
function writer:pose(track, pose, born)
	local memory, now = self.memory, self.now
	make_room(memory, track)
	local last, delta = memory.last + 7 * (track - 1), memory.delta + 7 * (track - 1)
	quantise(now, pose, self.quantum, last)
	local same = not born
	for i = 0, 6 do
		same = same and now[i] == last[i]
	end
	if same then
		return
	end
	local goes_on = memory.frame[track] == self.frame - 1
	local out = self.pending
	out:signed(track - self.before)
	for i = 0, 6 do
		local change = now[i] - last[i]
		out:signed(goes_on and change - delta[i] or change)
		last[i], delta[i] = now[i], born and 0 or change
	end
	self.before, self.count, memory.frame[track] = track, self.count + 1, self.frame
end

--- The state of a track in this frame: 0 awake, 1 checking, 2 asleep.
function writer:state(track, state)
	if (self.memory.state[track] or 0) ~= state then
		self.memory.state[track] = state
		self.states[#self.states + 1] = track
		self.states[#self.states + 1] = state
	end
end

--- Ends the frame: the bytes that it took.
---@return integer
function writer:end_frame()
	local out, start = self.bytes, self.bytes.size
	out:whole(self.count)
	out:append(self.pending)
	local states, before = self.states, 0
	out:whole(#states / 2)
	for i = 1, #states, 2 do
		out:signed(states[i] - before)
		out:byte(states[i + 1])
		before = states[i]
	end
	self.moved = self.moved + self.count
	return out.size - start
end

-- ---- reading -------------------------------------------------------------------------------------------------------

local reader = {}
reader.__index = reader

--- Reads the frames of a writer from the first.
---@param births table<integer, integer> the first frame of each track
function poses.reader(source, births)
	return setmetatable({
		bytes = bytes.reader(source.bytes), quantum = source.quantum, memory = new_memory(), births = births, frame = 0,
	}, reader)
end

--- Goes on to the next frame: the tracks that moved in it.
---@return integer[] moved
function reader:next()
	local memory, from, moved = self.memory, self.bytes, {}
	self.frame = self.frame + 1
	local track = 0
	for i = 1, from:whole() do
		track = track + from:signed()
		make_room(memory, track)
		moved[i] = track
		local last, delta = memory.last + 7 * (track - 1), memory.delta + 7 * (track - 1)
		local goes_on, born = memory.frame[track] == self.frame - 1, self.births[track] == self.frame
		for k = 0, 6 do
			local change = from:signed() + (goes_on and delta[k] or 0)
			last[k], delta[k] = last[k] + change, born and 0 or change
		end
		memory.frame[track] = self.frame
	end
	track = 0
	for _ = 1, from:whole() do
		track = track + from:signed()
		memory.state[track] = from:byte()
	end
	return moved
end

--- A track's position and rotation in the frame at hand: x y z, x y z w.
function reader:pose(track)
	local p, q = self.memory.last + 7 * (track - 1), self.quantum
	local x, y, z, w = p[3], p[4], p[5], p[6]
	local scale = 1 / math.sqrt(x * x + y * y + z * z + w * w)
	return p[0] * q, p[1] * q, p[2] * q, x * scale, y * scale, z * scale, w * scale
end

--- A track's state in the frame at hand: 0 awake, 1 checking, 2 asleep.
function reader:state(track)
	return self.memory.state[track] or 0
end

return poses
