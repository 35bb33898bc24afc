-- Recordings: what worlds did, step after step, for replay pages and files of animation. A recorder watches every world
-- that steps, each of which gets a recording. Nothing of the worlds changes.
--
-- A recording has frames: number 1 is the world before the first step that was seen, then one for every step (or every
-- so many). All numbers count from 1.
--
--   frame_count, time[f], step[f]     the world's time and its count of steps, by frame
--   clock[f]                          seconds since the first frame: it goes on when a snapshot takes the world back
--   tracks[t]                         the assemblies: id, tag (text or nil), motion, mass, center (of mass, in its
--                                     frame), shape, first, last (frames; last nil: still there at the end), looks:
--                                     frame, shape, motion and mass whenever one of them became another
--   shapes[s]                         lists of parts, see record/shapes.lua
--   joints[j]                         see record/joints.lua: type, a, b (tracks, 0: the world), at_a, at_b, axis,
--                                     first, last
--   events[f]                         lists of the world's events: kind, a, b (tracks), terrain, reason, speed,
--                                     impulse, position; besides "spawn", "edit" (of the ground) and "restore"
--   materials[i]                      name, color (at first), from index 0
--   colors                            frame, material (index), color: those that became others
--   blocks, mesh(block, m)            the ground and its water by time, see record/ground.lua
--   cell_size, gravity, quantum       quantum: metres to which positions are kept
--
--   for f, cursor in recording:frames() do ... end
--       cursor.moved                  tracks whose pose is not that of the frame before; only these take bytes
--       cursor:pose(t)                x, y, z, qx, qy, qz, qw of a track that is there
--       cursor:state(t)               0 awake, 1 checking, 2 asleep
--   recording:arrows(f, cursor)       contacts and joints that pushed, see record/arrows.lua

local raise = require "scree.raise"
local check = require "scree.check"
local hook = require "scree.hook"
local recordings = require "scree.record.recording"
raise.own()

---@class scree.record
local record = {}

---Whether a value is a recording.
---@return boolean
function record.is_recording(value)
	return recordings.is(value)
end

local OPTIONS = check.names { "every", "arrows", "ground", "events", "on_frame" }

local function check_options(options, where)
	check.table(options, where, "options")
	check.keys(options, OPTIONS, where)
	local checked = {
		every = options.every ~= nil and check.whole(options.every, 1, 2 ^ 31, where, "every") or nil,
		arrows = options.arrows ~= nil and check.whole(options.arrows, 0, 2 ^ 20, where, "arrows") or nil,
		on_frame = options.on_frame ~= nil and check.callable(options.on_frame, where, "on_frame") or nil,
		ground = options.ground, events = options.events,
	}
	if options.ground ~= nil and options.ground ~= "end" and type(options.ground) ~= "boolean" then
		check.wrong(options.ground, where, "ground", 'true, false or "end"')
	end
	if options.events ~= nil then
		check.boolean(options.events, where, "events")
	end
	return checked
end

---Begins to record every world that steps from now on.
---@param options scree.RecorderOptions?
---@return scree.Recorder
function record.start(options)
	options = options == nil and {} or check_options(options, "record.start: ")
	local recorder = { recordings = {} }
	local of = setmetatable({}, { __mode = "k" })
	local stop = hook.watch {
		before = function(world)
			if not of[world] then
				of[world] = recordings.new(world, options)
				of[world].world = world
				recorder.recordings[#recorder.recordings + 1] = of[world]
			end
			recordings.before(of[world], world)
		end,
		after = function(world)
			recordings.after(of[world], world)
			if options.on_frame then
				options.on_frame(of[world])
			end
		end,
	}

	--- Ends it: the recordings, in order of the worlds' first steps.
	function recorder.finish()
		stop()
		for _, one in ipairs(recorder.recordings) do
			recordings.finish(one, one.world)
		end
		return recorder.recordings
	end

	return recorder
end

return record
