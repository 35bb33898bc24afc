-- What moves in a recording, as samplers and channels of a glTF animation.

local ffi = require "ffi"
local raise = require "scree.raise"
raise.own()

local motion = {}

-- ---- keys ----------------------------------------------------------------------------------------------------------

-- The keys of a track: frames and poses, seven numbers each.
local function new_keys()
	return { count = 0, capacity = 16, frames = ffi.new "int32_t[16]", poses = ffi.new "float[112]" }
end

local function push(keys, frame, x, y, z, qx, qy, qz, qw)
	if keys.count == keys.capacity then
		local frames, poses = ffi.new("int32_t[?]", 2 * keys.capacity), ffi.new("float[?]", 14 * keys.capacity)
		ffi.copy(frames, keys.frames, 4 * keys.capacity)
		ffi.copy(poses, keys.poses, 28 * keys.capacity)
		keys.frames, keys.poses, keys.capacity = frames, poses, 2 * keys.capacity
	end
	local p = keys.poses + 7 * keys.count
	keys.frames[keys.count] = frame
	p[0], p[1], p[2], p[3], p[4], p[5], p[6] = x, y, z, qx, qy, qz, qw
	keys.count = keys.count + 1
end

-- The last pose once more, where something has stood still until the frame before it moved on.
local function hold(keys, frame)
	local p = keys.poses + 7 * (keys.count - 1)
	push(keys, frame, p[0], p[1], p[2], p[3], p[4], p[5], p[6])
end

--- The keys of all tracks of a recording, with positions about an origin. Every pose that was recorded is a key; where
--- nothing changes there is none.
---@param recording scree.Recording
---@param origin number[]
---@param bar table progress bar
---@return table[] keys by track: count, frames (int32_t[]), poses (float[], 7 each)
function motion.keys(recording, origin, bar)
	local of_track = {}
	for track = 1, #recording.tracks do
		of_track[track] = new_keys()
	end
	for frame, cursor in recording:frames() do
		for _, track in ipairs(cursor.moved) do
			local keys = of_track[track]
			if keys.count > 0 and keys.frames[keys.count - 1] < frame - 1 then
				hold(keys, frame - 1)
			end
			local x, y, z, qx, qy, qz, qw = cursor:pose(track)
			push(keys, frame, x - origin[1], y - origin[2], z - origin[3], qx, qy, qz, qw)
		end
		bar:update(frame / recording.frame_count)
	end
	return of_track
end

-- ---- samplers ------------------------------------------------------------------------------------------------------

local animation = {}
animation.__index = animation

--- An animation whose numbers go into the buffer.
function motion.animation(buffer, recording)
	return setmetatable({ buffer = buffer, clock = recording.clock, samplers = {}, channels = {} }, animation)
end

local function add(self, node, path, input, output, interpolation)
	self.samplers[#self.samplers + 1] = { input = input, output = output, interpolation = interpolation }
	self.channels[#self.channels + 1] = {
		sampler = #self.samplers - 1, target = { node = node, path = path },
	}
end

--- Moves a node by the keys of a track; one that stands still needs none.
function animation:move(node, keys)
	local count = keys.count
	if count < 2 then
		return
	end
	local times, places, turns = ffi.new("float[?]", count), ffi.new("float[?]", 3 * count), ffi.new("float[?]", 4 * count)
	local turned, moved = false, false
	for i = 0, count - 1 do
		local p = keys.poses + 7 * i
		times[i] = self.clock[keys.frames[i]]
		for k = 0, 2 do
			places[3 * i + k] = p[k]
			moved = moved or p[k] ~= keys.poses[k]
		end
		for k = 0, 3 do
			turns[4 * i + k] = p[3 + k]
			turned = turned or p[3 + k] ~= keys.poses[3 + k]
		end
	end
	local input = self.buffer:add("time", times, count)
	if moved or not turned then
		add(self, node, "translation", input, self.buffer:add("vector", places, count), "LINEAR")
	end
	if turned then
		add(self, node, "rotation", input, self.buffer:add("rotation", turns, count), "LINEAR")
	end
end

--- Shows a node from frame first to frame last (nil: to the end) only, by its scale: glTF has nothing else for it that
--- every reader knows.
function animation:show(node, first, last)
	if first == 1 and not last then
		return
	end
	local times, scales = {}, {}
	local function key(time, scale)
		times[#times + 1] = time
		for _ = 1, 3 do
			scales[#scales + 1] = scale
		end
	end
	if first > 1 then
		key(self.clock[1], 0)
	end
	key(self.clock[first], 1)
	if last and self.clock[last + 1] then
		key(self.clock[last + 1], 0)
	end
	if #times > 1 then
		add(self, node, "scale", self.buffer:add("time", times, #times), self.buffer:add("vector", scales, #times), "STEP")
	end
end

--- For the JSON, or nil when nothing moves.
function animation:finish(name)
	return #self.channels > 0 and { name = name, samplers = self.samplers, channels = self.channels } or nil
end

return motion
