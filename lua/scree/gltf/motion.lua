-- What moves in a recording, as samplers and channels of a glTF animation.

local ffi = require "ffi"
local raise = require "scree.raise"
local quat = require "scree.quat"
local vec3 = require "scree.vec3"
raise.own()

local Vec3, Quat = vec3.type, quat.type

local motion = {}

-- ---- keys ----------------------------------------------------------------------------------------------------------

-- The keys of something: frames and poses, eight numbers each: position, rotation, length along y.
local function new_keys()
	return { count = 0, capacity = 16, frames = ffi.new "int32_t[16]", poses = ffi.new "float[128]" }
end

local function push(keys, frame, x, y, z, qx, qy, qz, qw, length)
	if keys.count == keys.capacity then
		local frames, poses = ffi.new("int32_t[?]", 2 * keys.capacity), ffi.new("float[?]", 16 * keys.capacity)
		ffi.copy(frames, keys.frames, 4 * keys.capacity)
		ffi.copy(poses, keys.poses, 32 * keys.capacity)
		keys.frames, keys.poses, keys.capacity = frames, poses, 2 * keys.capacity
	end
	local p = keys.poses + 8 * keys.count
	keys.frames[keys.count] = frame
	p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7] = x, y, z, qx, qy, qz, qw, length
	keys.count = keys.count + 1
end

-- A new key; before it the last one once more, where something has stood still until it moved on.
local function add_key(keys, frame, ...)
	local last = keys.count - 1
	if last >= 0 and keys.frames[last] < frame - 1 then
		local p = keys.poses + 8 * last
		push(keys, frame - 1, p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7])
	end
	push(keys, frame, ...)
end

local SPANNING = { rope = true, rod = true, spring = true } -- joints that one sees between their ends

-- The end of a joint: a point of a track's frame (0: the world's) where the cursor is.
local function end_of(cursor, track, at, origin)
	local p = Vec3(at[1], at[2], at[3])
	if track > 0 then
		local x, y, z, qx, qy, qz, qw = cursor:pose(track)
		p = Vec3(x, y, z) + Quat(qx, qy, qz, qw) * p
	end
	return p - origin
end

-- What turns y into the direction of v.
local function turn_to(v, length)
	if length == 0 then
		return 0, 0, 0, 1
	end
	local x, y, z = v.x / length, v.y / length, v.z / length
	if y < -0.999999 then
		return 1, 0, 0, 0
	end
	local w = math.sqrt((1 + y) / 2)
	return z / (2 * w), 0, -x / (2 * w), w
end

local function add_line_key(keys, frame, cursor, joint, origin)
	local a = end_of(cursor, joint.a, joint.at_a, origin)
	local b = end_of(cursor, joint.b, joint.at_b, origin)
	local way, middle = b - a, (a + b) / 2
	local length = way:length()
	local qx, qy, qz, qw = turn_to(way, length)
	local last = keys.count - 1
	if last >= 0 then -- of the two signs that which is nearer to the one before
		local p = keys.poses + 8 * last
		if p[3] * qx + p[4] * qy + p[5] * qz + p[6] * qw < 0 then
			qx, qy, qz, qw = -qx, -qy, -qz, -qw
		end
	end
	add_key(keys, frame, middle.x, middle.y, middle.z, qx, qy, qz, qw, length)
end

--- The keys of all tracks of a recording, with positions about an origin. Every pose that was recorded is a key; where
--- nothing changes there is none.
---@param recording scree.Recording
---@param origin number[]
---@param bar table progress bar
---@return table[] keys by track: count, frames (int32_t[]), poses (float[], 8 each)
---@return table[] lines the same of ropes, rods and springs, with `joint`
function motion.keys(recording, origin, bar)
	local of_track, lines, shift = {}, {}, Vec3(origin[1], origin[2], origin[3])
	for track = 1, #recording.tracks do
		of_track[track] = new_keys()
	end
	for _, joint in ipairs(recording.joints) do
		if SPANNING[joint.type] then
			lines[#lines + 1] = new_keys()
			lines[#lines].joint = joint
		end
	end
	for frame, cursor in recording:frames() do
		local has_moved = {}
		for _, track in ipairs(cursor.moved) do
			has_moved[track] = true
			local x, y, z, qx, qy, qz, qw = cursor:pose(track)
			add_key(of_track[track], frame, x - origin[1], y - origin[2], z - origin[3], qx, qy, qz, qw, 1)
		end
		for _, keys in ipairs(lines) do
			local joint = keys.joint
			if frame == joint.first or frame > joint.first and frame <= (joint.last or frame)
				and (has_moved[joint.a] or has_moved[joint.b]) then
				add_line_key(keys, frame, cursor, joint, shift)
			end
		end
		bar:update(frame / recording.frame_count)
	end
	return of_track, lines
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

-- The numbers from..to of all poses, and whether they change.
local function pick(keys, from, to)
	local width, changes = to - from + 1, false
	local out = ffi.new("float[?]", width * keys.count)
	for i = 0, keys.count - 1 do
		for k = 0, width - 1 do
			local value = keys.poses[8 * i + from + k]
			out[width * i + k] = value
			changes = changes or value ~= keys.poses[from + k]
		end
	end
	return out, changes
end

--- Moves a node by keys; what stands still needs none.
function animation:move(node, keys)
	local count = keys.count
	local places, moved = pick(keys, 0, 2)
	local turns, turned = pick(keys, 3, 6)
	local lengths, stretched = pick(keys, 7, 7)
	if not (moved or turned or stretched) then
		return
	end
	local times = ffi.new("float[?]", count)
	for i = 0, count - 1 do
		times[i] = self.clock[keys.frames[i]]
	end
	local input = self.buffer:add("time", times, count)
	if moved then
		add(self, node, "translation", input, self.buffer:add("vector", places, count), "LINEAR")
	end
	if turned then
		add(self, node, "rotation", input, self.buffer:add("rotation", turns, count), "LINEAR")
	end
	if stretched then
		local scales = ffi.new("float[?]", 3 * count)
		for i = 0, count - 1 do
			scales[3 * i], scales[3 * i + 1], scales[3 * i + 2] = 1, lengths[i], 1
		end
		add(self, node, "scale", input, self.buffer:add("vector", scales, count), "LINEAR")
	end
end

--- Shows a node from frame first to frame last (nil: to the end) only, by its scale: glTF has nothing else for it that
--- every reader knows. Readers without animation see the first frame.
---@param node integer
---@param description table of the node
function animation:show(node, description, first, last)
	if first == 1 and not last then
		return
	end
	if first > 1 then
		description.scale = { 0, 0, 0 }
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
