-- Recordings: what worlds did, step after step, for replay pages and files of animation. A recorder watches every world
-- that steps, each of which gets a recording. Nothing of the worlds changes.
--
-- A recording has frames: number 1 is the world before the first step that was seen, then one for every step (or every
-- so many). All numbers count from 1.
--
--   frame_count, time[f], step[f]     the world's time and its count of steps, by frame
--   clock[f]                          seconds since the first frame: it goes on when a snapshot takes the world back
--   tracks[t]                         the assemblies: id, tag (text or nil), motion, mass, center (of mass, in its
--                                     frame), shape, first, last (frames; last nil: still there at the end)
--   shapes[s]                         lists of parts, see record/shapes.lua
--   joints[j]                         see record/joints.lua: type, a, b (tracks, 0: the world), at_a, at_b, axis,
--                                     first, last
--   events[f]                         lists of the world's events: kind, a, b (tracks), terrain, reason, speed,
--                                     impulse, position; besides "spawn", "edit" (of the ground) and "restore"
--   materials[i]                      name, color, from index 0
--   blocks, ground:mesh(block, m)     the ground and its water by time, see record/ground.lua
--   cell_size, gravity, quantum       quantum: metres to which positions are kept
--
--   for f, cursor in recording:frames() do ... end
--       cursor.moved                  tracks whose pose is not that of the frame before; only these take bytes
--       cursor:pose(t)                x, y, z, qx, qy, qz, qw of a track that is there
--       cursor:state(t)               0 awake, 1 checking, 2 asleep
--   recording:arrows(f, cursor)       contacts and joints that pushed, see record/arrows.lua

local ffi = require "ffi"
local raise = require "scree.raise"
local hook = require "scree.hook"
local object = require "scree.object"
local progress = require "scree.progress"
local materials = require "scree.materials"
local C = require("scree.ffi").C
local arrows = require "scree.record.arrows"
local bytes = require "scree.record.bytes"
local ground = require "scree.record.ground"
local happenings = require "scree.record.happenings"
local joints = require "scree.record.joints"
local poses = require "scree.record.poses"
local shapes = require "scree.record.shapes"
raise.own()

local record = {}

local ARROWS = 200 -- of a frame, unless told otherwise

---@class scree.Recording
local recording = {}
recording.__index = recording

--- Whether a value is a recording.
function record.is_recording(value)
	return getmetatable(value) == recording
end

-- A power of two near a sixteen thousandth of a cell.
local function quantum_of(cell_size)
	local _, exponent = math.frexp(cell_size)
	return 2 ^ (exponent - 15)
end

--- Nothing yet; the caller sees to it that before and after are called around the world's steps. Without ground, or
--- with that of the end, it does not hold the world.
---@param world scree.World
---@param options scree.RecorderOptions?
---@return scree.Recording
function record.new(world, options)
	options = options or {}
	local gravity = world.gravity
	return setmetatable({
		options = options,
		cell_size = world.cell_size,
		gravity = { gravity.x, gravity.y, gravity.z },
		quantum = quantum_of(world.cell_size),
		frame_count = 0, time = {}, step = {}, clock = {},
		tracks = {}, shapes = {}, joints = {}, events = {}, materials = {},
		pose_bytes = {}, -- by frame
		arrow_starts = {}, -- by frame: where its arrows begin
		-- while it is made:
		track_of = {}, -- id of a live assembly -> its track
		shape_of = {}, -- key -> index in shapes
		joint_list = joints.new(),
		ground = (options.ground == nil or options.ground == true) and ground.new(world) or nil,
		poses = poses.writer(quantum_of(world.cell_size)),
		arrow_bytes = bytes.writer(),
		seen_step = nil, -- the count of steps when it was last seen
	}, recording)
end

-- ---- assemblies ----------------------------------------------------------------------------------------------------

local number_out, vector_out, quat_out = ffi.new "double[1]", ffi.new "double[3]", ffi.new "double[4]"
local motions = { [C.SCREE_STATIC] = "static", [C.SCREE_KINEMATIC] = "kinematic", [C.SCREE_DYNAMIC] = "dynamic" }

-- A tag as text; what is no text means nothing to others.
local function tag_of(world, id)
	local made = world[object.STATE].objects[id]
	local tag = made and rawget(made, "tag")
	local kind = type(tag)
	return (kind == "string" or kind == "number" or kind == "boolean") and tostring(tag) or nil
end

local function center_of(pointer, id)
	C.screeAssembly_GetCenterOfMass(pointer, id, vector_out)
	local x, y, z = vector_out[0], vector_out[1], vector_out[2]
	C.screeAssembly_GetPosition(pointer, id, vector_out)
	C.screeAssembly_GetRotation(pointer, id, quat_out)
	x, y, z = x - vector_out[0], y - vector_out[1], z - vector_out[2]
	-- turned back: v + 2 q x (q x v + w v) with q of the inverse rotation
	local qx, qy, qz, qw = -quat_out[0], -quat_out[1], -quat_out[2], quat_out[3]
	local cx, cy, cz = qy * z - qz * y + qw * x, qz * x - qx * z + qw * y, qx * y - qy * x + qw * z
	return { x + 2 * (qy * cz - qz * cy), y + 2 * (qz * cx - qx * cz), z + 2 * (qx * cy - qy * cx) }
end

local function shape_of(self, pointer, id)
	local parts, key = shapes.read(pointer, id)
	local index = self.shape_of[key]
	if not index then
		index = #self.shapes + 1
		self.shapes[index] = parts
		self.shape_of[key] = index
	end
	return index
end

local function add_track(self, world, id)
	local pointer = world[object.POINTER]
	local number = #self.tracks + 1
	C.screeAssembly_GetMass(pointer, id, number_out)
	self.tracks[number] = {
		id = id, tag = tag_of(world, id), motion = motions[C.screeAssembly_GetMotion(pointer, id)], mass = number_out[0],
		center = center_of(pointer, id), shape = shape_of(self, pointer, id), first = self.frame_count,
	}
	self.track_of[id] = number
	return number
end

local function end_track(self, id)
	local number = self.track_of[id]
	self.tracks[number].last = self.frame_count - 1
	self.track_of[id] = nil
end

-- After the world has gone back to another state, an id may be another assembly's.
local function check_identities(self, pointer)
	for id, number in pairs(self.track_of) do
		if C.screeAssembly_IsValid(pointer, id) == 1 and shape_of(self, pointer, id) ~= self.tracks[number].shape then
			end_track(self, id)
		end
	end
end

local transforms_out = ffi.new "const double *[1]"

-- A copy, since the buffer is good until the next call only.
local function read_transforms(self, pointer)
	local count = C.screeWorld_Transforms(pointer, transforms_out)
	if not self.transforms or self.transform_room < count then
		self.transform_room = math.max(64, 2 * count)
		self.transforms = ffi.new("double[?]", 8 * self.transform_room)
	end
	ffi.copy(self.transforms, transforms_out[0], 64 * count)
	return self.transforms, count
end

-- Poses and states of all; those that are awake, { id, track }.
local function read_assemblies(self, world)
	local pointer = world[object.POINTER]
	local list, count = read_transforms(self, pointer)
	local out, awake, seen = self.poses, {}, {}
	out:begin_frame()
	for i = 0, count - 1 do
		local id = list[8 * i]
		local track = self.track_of[id]
		local born = not track
		if born then
			track = add_track(self, world, id)
		end
		seen[id] = true
		out:pose(track, list + 8 * i + 1, born)
		local state = C.screeAssembly_GetState(pointer, id)
		out:state(track, state)
		if state == C.SCREE_AWAKE then
			awake[#awake + 1] = { id = id, track = track }
		end
	end
	for id in pairs(self.track_of) do
		if not seen[id] then
			end_track(self, id)
		end
	end
	self.pose_bytes[self.frame_count] = out:end_frame()
	return awake
end

-- ---- frames --------------------------------------------------------------------------------------------------------

local function read_materials(self, world)
	local state = world[object.STATE]
	for index = 0, materials.last(state) do
		local name = materials.name(state, index)
		self.materials[index] = { name = name, color = world.materials[name].color }
	end
end

local function add_frame(self, world, is_first, went_back)
	local pointer, frame = world[object.POINTER], self.frame_count + 1
	self.frame_count = frame
	self.time[frame], self.step[frame] = world.time, world.step_count
	local is_told = not is_first and self.options.events ~= false
	local events = is_told and happenings.read(world, self.track_of) or {} -- with the tracks that were there before
	if went_back then
		check_identities(self, pointer)
		self.joint_list:forget(frame)
	end
	local born = #self.tracks
	local awake = read_assemblies(self, world)
	happenings.resolve(events, self.track_of)
	self.joint_list:update(pointer, frame, self.track_of)
	self.arrow_starts[frame] = self.arrow_bytes.size
	local most = self.options.arrows or ARROWS
	local list = not is_first and most > 0
		and arrows.gather(pointer, awake, self.joint_list.ids, self.track_of, most) or {}
	arrows.write(self.arrow_bytes, list, self.poses.memory.last, self.quantum)
	if went_back then
		table.insert(events, 1, { kind = "restore" })
	end
	for track = born + 1, is_first and 0 or #self.tracks do
		events[#events + 1] = { kind = "spawn", a = track }
	end
	if self.ground and self.ground:update(frame, self.bar) > 0 and not is_first then
		events[#events + 1] = { kind = "edit" }
	end
	self.events[frame] = events
	if materials.last(world[object.STATE]) ~= #self.materials then
		read_materials(self, world) -- now, since the world may be gone at the end
	end
end

--- To be called before a step.
function recording:before(world)
	if self.frame_count == 0 then
		progress.run("ground", function(bar)
			self.bar = bar
			add_frame(self, world, true)
			self.bar = nil
		end)
		self.clock[1] = 0
	end
	if self.seen_step and world.step_count ~= self.seen_step then
		self.went_back = true
	end
	self.begin = world.time
end

--- To be called after a step.
function recording:after(world)
	self.seconds = (self.seconds or 0) + world.time - self.begin
	self.seen_step = world.step_count
	self.skipped = (self.skipped or 0) + 1
	if self.skipped >= (self.options.every or 1) then
		self.skipped = 0
		add_frame(self, world, false, self.went_back)
		self.went_back = false
		self.clock[self.frame_count] = self.seconds
	end
end

--- Ends it: what it says of itself is complete.
---@return scree.Recording self
function recording:finish(world)
	if self.options.ground == "end" and world.valid then
		self.ground = ground.new(world)
		self.ground:update(1)
	end
	if world.valid then
		for id, number in pairs(self.track_of) do
			self.tracks[number].tag = tag_of(world, id) or self.tracks[number].tag
		end
		read_materials(self, world)
	end
	self.joints = self.joint_list.list
	self.blocks = self.ground and self.ground.blocks or {}
	return self
end

-- ---- reading -------------------------------------------------------------------------------------------------------

--- Goes through the frames from the first: the number of each and a cursor, always the same one.
function recording:frames()
	local births = {}
	for number, track in ipairs(self.tracks) do
		births[number] = track.first
	end
	local cursor = poses.reader(self.poses, births)
	return function()
		if cursor.frame < self.frame_count then
			cursor.moved = cursor:next()
			return cursor.frame, cursor
		end
	end
end

--- The arrows of a frame, which the cursor is at.
---@return table[] track, other, joint, size (N s), x y z, dx dy dz: the impulse on track
function recording:arrows(frame, cursor)
	return arrows.read(self.arrow_bytes, self.arrow_starts[frame], function(track)
		return cursor:pose(track)
	end, self.quantum)
end

--- Whether a track is there in a frame.
function recording:is_there(track, frame)
	local one = self.tracks[track]
	return frame >= one.first and frame <= (one.last or math.huge)
end

--- The mean bytes of a frame, as they are kept: poses and states; arrows.
---@return number poses
---@return number arrows
function recording:bytes_per_frame()
	local frames = math.max(1, self.frame_count)
	return self.poses.bytes.size / frames, self.arrow_bytes.size / frames
end

-- ---- recording -----------------------------------------------------------------------------------------------------

---@class scree.RecorderOptions
---@field every integer? steps between frames, 1
---@field arrows integer? how many contacts and joints of a frame are kept at most, the strongest: 200
---@field ground boolean|"end"|nil false: without the ground; "end": as it is at the end, for all of the time
---@field events boolean? false: without the world's events
---@field on_frame fun(recording: scree.Recording)? called after every step that was seen

--- Begins to record every world that steps from now on.
---@param options scree.RecorderOptions?
---@return { recordings: scree.Recording[], finish: fun(): scree.Recording[] } recorder
function record.start(options)
	options = options or {}
	local recorder = { recordings = {} }
	local of = setmetatable({}, { __mode = "k" })
	local stop = hook.watch {
		before = function(world)
			if not of[world] then
				of[world] = record.new(world, options)
				of[world].world = world
				recorder.recordings[#recorder.recordings + 1] = of[world]
			end
			of[world]:before(world)
		end,
		after = function(world)
			of[world]:after(world)
			if options.on_frame then
				options.on_frame(of[world])
			end
		end,
	}

	--- Ends it: the recordings, in order of the worlds' first steps.
	function recorder.finish()
		stop()
		for _, one in ipairs(recorder.recordings) do
			one:finish(one.world)
		end
		return recorder.recordings
	end

	return recorder
end

return record
