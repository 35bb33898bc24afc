-- The replay page of a golden check that fails: the run as it was, and what was expected of its assemblies beside them.

local ffi = require "ffi"
local pairs = require "scree.pairs"
local raise = require "scree.raise"
local bytes = require "scree.record.bytes"
local poses = require "scree.record.poses"
local recordings = require "scree.record.recording"
local replay = require "scree.replay"
raise.own()

local both = {}

local BYTES, TRACKS = 32e6, 20000 -- of a run that are kept in case its check fails
local STATES = { awake = 0, checking = 1, asleep = 2 }

--- A recording of a world that costs little: without impulses, and no triangles are made of the ground unless they are
--- asked for.
function both.new_run(world)
	local run = { recording = recordings.new(world, { arrows = 0, ground = "log" }) }

	function run.before(self)
		if run.recording then
			recordings.before(run.recording, self)
		end
	end

	function run.after(self)
		local recording = run.recording
		if recording then
			recordings.after(recording, self)
			if recording.poses.bytes.size > BYTES or #recording.tracks > TRACKS then
				run.recording = nil
			end
		end
	end

	return run
end

-- ---- a trace as a recording ----------------------------------------------------------------------------------------

-- Where the assemblies of a trace are in a recording: by number in the trace, the recording's track.
local function tracks_by_number(recording, got)
	local track_of, result = {}, {}
	for number, track in ipairs(recording.tracks) do
		track_of[track.id] = track_of[track.id] or number
	end
	for id, number in pairs(got.numbers) do
		result[number] = track_of[id]
	end
	return result
end

-- The tracks of a trace; those of its assemblies that the recording has not are marked by a ball.
local function add_tracks(self, samples, recording, twins)
	local marker
	for frame, sample in ipairs(samples) do
		for number, row in pairs(sample.rows) do
			local track = self.track_of[number]
			if not track then
				local twin = recording.tracks[twins[number]]
				if not twin and not marker then
					marker = #self.shapes + 1
					self.shapes[marker] = { { shape = "ball", material = 0, position = { 0, 0, 0 }, rotation = { 0, 0, 0, 1 },
						size = { 1, 1, 1 }, radius = 0.4 * recording.cell_size, length = 0 } }
				end
				track = #self.tracks + 1
				self.tracks[track] = { id = row.id, number = number, motion = twin and twin.motion or "dynamic",
					mass = twin and twin.mass or 0, center = twin and twin.center or { 0, 0, 0 },
					shape = twin and twin.shape or marker, first = frame, twin = twins[number], looks = {} }
				self.track_of[number] = track
			end
			self.tracks[track].seen = frame
		end
	end
	for _, track in ipairs(self.tracks) do
		track.last = track.seen < #samples and track.seen or nil
	end
end

--- The samples of a trace as the frames of a recording, with the shapes of another.
local function from_trace(expected, recording, twins)
	local samples, shapes = expected.samples, {}
	for i, parts in ipairs(recording.shapes) do
		shapes[i] = parts
	end
	local self = {
		cell_size = recording.cell_size, gravity = recording.gravity, quantum = recording.quantum,
		frame_count = #samples, time = {}, step = {}, clock = {}, tracks = {}, shapes = shapes, joints = {}, events = {},
		materials = recording.materials, colors = {}, blocks = {}, pose_bytes = {}, poses = poses.writer(recording.quantum),
		arrow_bytes = bytes.writer(), track_of = {},
	}
	add_tracks(self, samples, recording, twins)
	local pose = ffi.new "double[7]"
	for frame, sample in ipairs(samples) do
		self.time[frame], self.step[frame], self.events[frame] = sample.time, sample.step, {}
		self.clock[frame] = math.max(0, sample.time - recording.time[1])
		self.arrow_bytes:whole(0)
		self.poses:begin_frame()
		for number, track in ipairs(self.tracks) do
			local row = sample.rows[track.number]
			if row then
				for i = 1, 7 do
					pose[i - 1] = row[i]
				end
				self.poses:pose(number, pose, track.first == frame)
				self.poses:state(number, STATES[row.state] or 0)
			end
		end
		self.pose_bytes[frame] = self.poses:end_frame()
	end
	return self
end

-- ---- the page ------------------------------------------------------------------------------------------------------

-- The recording of a run; where there is none, one of the world as it is now.
local function recording_of(world, run)
	local recording = run and run.recording
	if not recording or recording.frame_count == 0 then
		recording = recordings.new(world, { arrows = 0, ground = "log" })
		recordings.before(recording, world)
	end
	return recordings.finish(recording, world)
end

local function write_file(path, content)
	local file, message = io.open(path, "wb")
	if not file then
		return nil, message
	end
	local written, why = file:write(content)
	local closed = file:close()
	return written and closed, why
end

--- Writes the page.
---@param path string
---@param check { world: scree.World, run: table?, expected: table, got: table, difference: table, message: string }
---@return string words where the page is, or why there is none
function both.write(path, check)
	local possible, why = replay.is_possible()
	if not possible then
		return "none: " .. why
	end
	local recording = recording_of(check.world, check.run)
	local twins = tracks_by_number(recording, check.got)
	for number, track in pairs(twins) do
		recording.tracks[track].number = number
	end
	recording.ghosts = from_trace(check.expected, recording, twins)
	local title = path:match "([^/\\]*)%.html$"
	local start = check.difference.time - recording.time[1]
	local page, message = replay.page({ recording }, {
		title = title, message = check.message, start = math.max(0, start),
		select = check.difference.number and twins[check.difference.number],
	})
	local written = page
	if page then
		written, message = write_file(path, page)
	end
	return written and path or "none: " .. tostring(message)
end

return both
