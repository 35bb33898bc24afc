-- A recording of one world: what it did, frame after frame. scree.record makes them and says what they hold; tools that
-- watch a world by themselves call new, before, after and finish.

local ffi = require "ffi"
local pairs = require "scree.pairs"
local raise = require "scree.raise"
local check = require "scree.check"
local object = require "scree.object"
local progress = require "scree.progress"
local materials = require "scree.materials"
local text = require "scree.text"
local C = require("scree.ffi").C
local arrows = require "scree.record.arrows"
local bytes = require "scree.record.bytes"
local ground = require "scree.record.ground"
local ground_log = require "scree.record.ground_log"
local happenings = require "scree.record.happenings"
local joints = require "scree.record.joints"
local poses = require "scree.record.poses"
local shapes = require "scree.record.shapes"
raise.own()

local recordings = {}

local ARROWS = 200 -- of a frame, unless told otherwise

---@class scree.Recording
local recording = {}
recording.__index = recording

--- Whether a value is a recording.
function recordings.is(value)
	return getmetatable(value) == recording
end

--- Raises unless a value is a list of finished recordings.
function recordings.check(list, where)
	for i = 1, check.list(list, 0, 2 ^ 20, where, "recordings") do
		if not recordings.is(list[i]) then
			check.wrong(list[i], where, "recordings[" .. i .. "]", "a recording")
		elseif not list[i].is_finished then
			raise.error(("%srecordings[%d] is still being made: finish its recorder first"):format(where, i))
		end
	end
end

-- Raises unless a method was called on a recording.
local function own(self, where)
	if getmetatable(self) ~= recording then
		raise.error(where .. "call it with a colon on a recording, got " .. text.describe(self))
	end
end

-- A power of two near a sixteen thousandth of a cell; but not so small that there were too many of them from the origin
-- to where a body may be (poses.lua).
local function quantum_of(cell_size)
	local _, exponent = math.frexp(cell_size)
	return 2 ^ math.max(exponent - 15, -20)
end

local function new_ground(world, wanted)
	if wanted == "log" then
		return ground_log.new()
	elseif wanted == nil or wanted == true then
		return ground.new(world)
	end
end

--- Nothing yet; the caller sees to it that before and after are called around the world's steps. Without ground, or
--- with that of the end, or with a log of it, it does not hold the world.
---@param world scree.World
---@param options scree.RecorderOptions?
---@return scree.Recording
function recordings.new(world, options)
	options = options or {}
	local gravity = world.gravity
	return setmetatable({
		options = options,
		cell_size = world.cell_size,
		gravity = { gravity.x, gravity.y, gravity.z },
		quantum = quantum_of(world.cell_size),
		frame_count = 0, time = {}, step = {}, clock = {},
		tracks = {}, shapes = {}, joints = {}, events = {}, materials = {}, colors = {}, blocks = {},
		pose_bytes = {}, -- by frame
		arrow_starts = {}, -- by frame: where its arrows begin
		-- while it is made:
		track_of = {}, -- id of a live assembly -> its track
		shape_of = {}, -- key -> index in shapes
		joint_list = joints.new(),
		changed = object.watch_looks(world[object.STATE]), -- ids of what got another surface, motion or mass; "materials"
		ground = new_ground(world, options.ground),
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
	local made = world[object.STATE].assemblies.live[id]
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

local function read_look(self, pointer, id)
	C.screeAssembly_GetMass(pointer, id, number_out)
	return {
		frame = self.frame_count, shape = shape_of(self, pointer, id), mass = number_out[0],
		motion = motions[C.screeAssembly_GetMotion(pointer, id)],
	}
end

-- What a track looks like now, as far as it is known.
local function last_look(track)
	return track.looks[#track.looks] or track
end

-- Sees what was changed of assemblies that were there before.
local function update_looks(self, pointer)
	for id in pairs(self.changed) do
		local number = self.track_of[id]
		local track = number and self.tracks[number]
		if track and track.first < self.frame_count then
			local before, now = last_look(track), read_look(self, pointer, id)
			if now.shape ~= before.shape or now.motion ~= before.motion or now.mass ~= before.mass then
				track.looks[#track.looks + 1] = now
			end
		end
	end
end

local function add_track(self, world, id)
	local pointer = world[object.POINTER]
	local number = #self.tracks + 1
	local look = read_look(self, pointer, id)
	self.tracks[number] = {
		id = id, tag = tag_of(world, id), motion = look.motion, mass = look.mass, center = center_of(pointer, id),
		shape = look.shape, first = self.frame_count, looks = {},
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
		local shape = last_look(self.tracks[number]).shape
		if C.screeAssembly_IsValid(pointer, id) == 1 and shape_of(self, pointer, id) ~= shape then
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

-- Materials that are new, and those that have another colour now.
local function read_materials(self, world)
	local state = world[object.STATE]
	self.color_now = self.color_now or {}
	for index = 0, materials.last(state) do
		local name = materials.name(state, index)
		local color = world.materials[name].color
		if not self.materials[index] then
			self.materials[index] = { name = name, color = color }
		elseif self.color_now[index] ~= color then
			self.colors[#self.colors + 1] = { frame = self.frame_count, material = index, color = color }
		end
		self.color_now[index] = color
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
	if self.ground and self.ground:update(frame, self.bar, world) > 0 and not is_first then
		events[#events + 1] = { kind = "edit" }
	end
	self.events[frame] = events
	update_looks(self, pointer)
	if is_first or went_back or self.changed.materials or materials.last(world[object.STATE]) ~= #self.materials then
		read_materials(self, world)
	end
	for what in pairs(self.changed) do
		self.changed[what] = nil
	end
end

--- To be called before a step.
function recordings.before(self, world)
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
function recordings.after(self, world)
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
function recordings.finish(self, world)
	if self.is_finished then
		return self
	end
	self.is_finished = true
	if self.options.ground == "end" and world.valid then
		self.ground = ground.new(world)
		self.ground:update(1)
	elseif self.options.ground == "log" then
		self.ground = world.valid and self.ground:replay(world) or nil
	end
	if world.valid then
		for id, number in pairs(self.track_of) do
			self.tracks[number].tag = tag_of(world, id) or self.tracks[number].tag
		end
	end
	self.joints = self.joint_list.list
	self.blocks = self.ground and self.ground.blocks or {}
	return self
end

-- ---- reading -------------------------------------------------------------------------------------------------------

---@class scree.Cursor
local cursor = {}
cursor.__index = cursor

local function own_cursor(self, where)
	if getmetatable(self) ~= cursor then
		raise.error(where .. "call it with a colon on a cursor, got " .. text.describe(self))
	end
end

-- The number of a track that is there in a frame of a recording.
local function check_track(self, frame, track, where)
	check.whole(track, 1, #self.tracks, where, "track")
	if not self:is_there(track, frame) then
		raise.error(("%strack must be there in frame %d, got %d"):format(where, frame, track))
	end
	return track
end

---Where a track that is there is, and how it is turned.
---@return number x, number y, number z, number qx, number qy, number qz, number qw
function cursor.pose(self, track)
	own_cursor(self, "pose: ")
	return self.poses:pose(check_track(self.recording, self.frame, track, "pose: "))
end

---@return integer state 0 awake, 1 checking, 2 asleep
function cursor.state(self, track)
	own_cursor(self, "state: ")
	return self.poses:state(check_track(self.recording, self.frame, track, "state: "))
end

---Goes through the frames from the first: the number of each and a cursor, always the same one.
---@return fun(): integer?, scree.Cursor?
function recording.frames(self)
	own(self, "frames: ")
	local births = {}
	for number, track in ipairs(self.tracks) do
		births[number] = track.first
	end
	local one = setmetatable({ recording = self, poses = poses.reader(self.poses, births), frame = 0, moved = {} }, cursor)
	return function()
		if one.frame < self.frame_count then
			one.moved = one.poses:next()
			one.frame = one.poses.frame
			return one.frame, one
		end
	end
end

---The arrows of the frame that a cursor is at.
---@param frame integer
---@param at scree.Cursor
---@return scree.Arrow[]
function recording.arrows(self, frame, at)
	own(self, "arrows: ")
	check.whole(frame, 1, self.frame_count, "arrows: ", "frame")
	if getmetatable(at) ~= cursor or at.recording ~= self then
		check.wrong(at, "arrows: ", "cursor", "a cursor of this recording")
	elseif at.frame ~= frame then
		raise.error(("arrows: cursor must be at frame %d, got one at frame %d"):format(frame, at.frame))
	end
	return arrows.read(self.arrow_bytes, self.arrow_starts[frame], function(track)
		return at.poses:pose(track)
	end, self.quantum)
end

---Whether a track is there in a frame.
---@param track integer
---@param frame integer
---@return boolean
function recording.is_there(self, track, frame)
	own(self, "is_there: ")
	check.whole(track, 1, #self.tracks, "is_there: ", "track")
	check.whole(frame, 1, self.frame_count, "is_there: ", "frame")
	local one = self.tracks[track]
	return frame >= one.first and frame <= (one.last or math.huge)
end

---The triangles of one of the meshes of the ground, in metres.
---@param block scree.GroundBlock one of blocks
---@param mesh integer as in a version of it
---@return scree.GroundMesh
function recording.mesh(self, block, mesh)
	own(self, "mesh: ")
	if type(block) ~= "table" or not self.ground or not self.ground:has(block) then
		check.wrong(block, "mesh: ", "block", "one of the recording's blocks")
	end
	check.whole(mesh, 1, #self.ground.meshes, "mesh: ", "mesh")
	return self.ground:mesh(block, mesh)
end

---The mean bytes of a frame, as they are kept: poses and states; arrows.
---@return number poses
---@return number arrows
function recording.bytes_per_frame(self)
	own(self, "bytes_per_frame: ")
	local frames = math.max(1, self.frame_count)
	return self.poses.bytes.size / frames, self.arrow_bytes.size / frames
end

return recordings
