-- Recordings, and what is made of them.

local raise = require "scree.raise"
local types = require "scree.api.types"
raise.own()

local list, map, record = types.list, types.map, types.record

local recorder_module = {
	name = "record",
	page = "replay.md#from-a-script",
	doc = "Recordings of worlds: `local record = require \"scree.record\"`.",
	properties = {},
	functions = types.functions {
		{
			"start", "Begins to record every world that steps from now on; that changes nothing of what happens.",
			args = { { "options?", "RecorderOptions" } }, returns = { { "recorder", "Recorder" } },
		},
		{
			"is_recording", "Whether a value is a recording.", args = { { "value?", "any" } },
			returns = { { "is_recording", "boolean" } },
		},
	},
}

local recorder = {
	name = "Recorder",
	page = "replay.md#from-a-script",
	doc = "What `record.start` gives.",
	open = true,
	properties = types.properties {
		{ "recordings", list "Recording", "one for each world that has stepped, in the order of their first steps" },
	},
	functions = types.functions {
		{ "finish", "Ends it; a dot, no colon.", returns = { { "recordings", list "Recording" } } },
	},
}

local recording = {
	name = "Recording",
	variable = "recording",
	page = "replay.md#from-a-script",
	doc = "What one world did. Frame 1 is the world before the first step that was seen, then there is one for every step "
		.. "or every so many. Frames, tracks and shapes are numbers from 1. It is for reading; nothing checks what is "
		.. "written into it.",
	open = true,
	properties = types.properties {
		{ "frame_count", "integer" },
		{ "time", list "number", "the world's, by frame; s" },
		{ "step", list "integer", "the world's count of steps, by frame" },
		{ "clock", list "number", "s since the first frame, also when a snapshot takes the world back" },
		{ "tracks", list "Track", "the assemblies" },
		{ "shapes", list(list "RecordedPart"), "what tracks are made of" },
		{ "joints", list "RecordedJoint" },
		{ "events", list(list "RecordedEvent"), "by frame" },
		{ "materials", map("integer", "RecordedMaterial"), "by index, from 0" },
		{ "colors", list "RecordedColor", "those of materials that became others" },
		{ "blocks", list "GroundBlock", "the ground and its water" },
		{ "cell_size", "number", "m" },
		{ "gravity", list "number", "m/s², at first" },
		{ "quantum", "number", "m, to which positions are kept" },
	},
	functions = types.functions {
		{
			"frames", "Goes through the frames: `for frame, cursor in recording:frames() do`.",
			returns = { { "iterator", "frames", "the number of a frame and a cursor, always the same one" } },
		},
		{
			"is_there", "Whether an assembly is there in a frame.", args = { { "track", "index" }, { "frame", "index" } },
			returns = { { "is_there", "boolean" } },
		},
		{
			"arrows", "What pushed in the frame that a cursor is at.",
			args = { { "frame", "index" }, { "cursor", "Cursor" } }, returns = { { "arrows", list "Arrow" } },
		},
		{
			"mesh", "The triangles of a block of ground.",
			args = { { "block", "GroundBlock" }, { "mesh", "index", "as a version of the block has it" } },
			returns = { { "mesh", "GroundMesh" } },
		},
		{
			"bytes_per_frame", "The mean bytes of a frame, as they are kept.",
			returns = { { "poses", "number" }, { "arrows", "number" } },
		},
	},
}

local cursor = {
	name = "Cursor",
	variable = "cursor",
	page = "replay.md#from-a-script",
	doc = "The frame that `recording:frames()` is at.",
	open = true,
	properties = types.properties {
		{ "frame", "integer" },
		{ "moved", list "integer", "tracks whose pose is not that of the frame before" },
	},
	functions = types.functions {
		{
			"pose", "Where an assembly is that is there.", args = { { "track", "index" } },
			returns = {
				{ "x", "number", "m" }, { "y", "number" }, { "z", "number" }, { "qx", "number" }, { "qy", "number" },
				{ "qz", "number" }, { "qw", "number" },
			},
		},
		{
			"state", "0 awake, 1 checking, 2 asleep.", args = { { "track", "index" } }, returns = { { "state", "integer" } },
		},
	},
}

local replay = {
	name = "replay",
	page = "replay.md#from-a-script",
	doc = "Pages that show recordings: `local replay = require \"scree.replay\"`.",
	properties = {},
	functions = types.functions {
		{
			"page", "The text of the page; nil, message where three.js is missing.", file = true,
			args = { { "recordings", "recordings", "of `scree.record`" }, { "options?", "ReplayOptions" } },
			returns = { { "html", "string" } },
		},
		{
			"is_possible", "Whether pages can be made.", returns = { { "is_possible", "boolean" }, { "why_not?", "string" } },
		},
	},
}

local records = {
	record {
		"RecorderOptions", "What `record.start` takes.", options = true,
		fields = {
			{ "every?", "index", "steps between frames, 1" },
			{ "arrows?", "count", "impulses of a frame that are kept at most, the strongest: 200" },
			{ "ground?", "recorded_ground", "false: without the ground; `\"end\"`: as it is at the end, for all of the time" },
			{ "events?", "boolean", "false: without the world's events" },
			{ "on_frame?", "frame_handler", "called after every step that was seen" },
		},
	},
	record {
		"ReplayOptions", "What `replay.page` takes.", options = true,
		fields = {
			{ "title?", "string", "`\"replay\"`" }, { "message?", "string", "what is to be said first" },
			{ "start?", "not_negative", "s, where the page begins" }, { "select?", "index", "the track that is selected" },
			{ "watch?", "index", "the page asks its server for newer runs than this one, as those of `scree watch` do" },
		},
	},
	record {
		"Look", "What became of a track.",
		fields = {
			{ "frame", "integer", "from which it is so" }, { "shape", "integer" }, { "motion", "motion" }, { "mass", "number" },
		},
	},
	record {
		"Track", "An assembly in a recording.",
		fields = {
			{ "id", "number" }, { "tag?", "string", "a tag that is a word, a number or a truth" }, { "motion", "motion" },
			{ "mass", "number", "kg" }, { "center", list "number", "of mass, in its frame" },
			{ "shape", "integer", "its place in shapes" }, { "first", "integer", "the frame in which it came" },
			{ "last?", "integer", "nil: it was there at the end" },
			{ "looks", list "Look", "whenever shape (that has the materials), motion or mass became another" },
		},
	},
	record {
		"RecordedPart", "A part in a recording.",
		fields = {
			{ "shape", "any_shape" }, { "material", "integer" }, { "position", list "number" }, { "rotation", list "number" },
			{ "size", list "number" }, { "radius", "number" }, { "length", "number" },
			{ "mesh?", "RecordedMesh", "of hulls and meshes" },
		},
	},
	record {
		"RecordedMesh", "Triangles of a hull or a mesh in a recording, in its frame.",
		fields = {
			{ "vertex_count", "integer" }, { "triangle_count", "integer" }, { "positions", "doubles", "3 a vertex, m" },
			{ "indices", "indices_out", "3 a triangle, from 0" }, { "materials", "bytes", "1 a triangle" },
		},
	},
	record {
		"RecordedJoint", "A joint in a recording.",
		fields = {
			{ "id", "number" }, { "type", "joint_type" }, { "a", "integer", "a track; 0: the world" }, { "b", "integer" },
			{ "at_a", list "number", "in the frame of a" }, { "at_b", list "number", "in that of b" },
			{ "axis", list "number", "in that of a" }, { "length", "number" }, { "first", "integer" }, { "last?", "integer" },
		},
	},
	record {
		"RecordedEvent", "An event in a recording.",
		fields = {
			{ "kind", "string", "of an event, or `\"spawn\"`, `\"edit\"` (of the ground), `\"restore\"`" },
			{ "a?", "integer", "a track" }, { "b?", "integer" }, { "terrain?", "boolean" }, { "reason?", "string" },
			{ "speed?", "number" }, { "impulse?", "number" }, { "position?", list "number" },
		},
	},
	record {
		"RecordedMaterial", "A material in a recording.", fields = { { "name", "string" }, { "color", "color", "at first" } },
	},
	record {
		"RecordedColor", "When a material got another colour.",
		fields = { { "frame", "integer" }, { "material", "integer" }, { "color", "color" } },
	},
	record {
		"GroundBlock", "16³ cells of ground in a recording.",
		fields = {
			{ "x", "integer", "in blocks" }, { "y", "integer" }, { "z", "integer" }, { "versions", list "GroundVersion" },
		},
	},
	record {
		"GroundVersion", "What a block was from a frame on.",
		fields = {
			{ "frame", "integer" }, { "mesh", "integer", "for `recording:mesh`; 0: there is none" },
			{ "water", "integer", "the same of its water" },
		},
	},
	record {
		"GroundMesh", "Triangles of a block of ground: lists from 1.",
		fields = {
			{ "vertex_count", "integer" }, { "triangle_count", "integer" }, { "positions", list "number", "3 a vertex, m" },
			{ "normals?", list "number", "3 a vertex; water has none" }, { "indices", list "integer", "3 a triangle, from 0" },
			{ "materials", list "integer", "1 a triangle" },
		},
	},
	record {
		"Arrow", "An impulse in a recording.",
		fields = {
			{ "track", "integer", "on which it acted" }, { "other", "integer", "a track; 0: the ground or the world" },
			{ "joint", "boolean", "of a joint; else of a contact" }, { "size", "number", "N s" },
			{ "x", "number", "where, m" }, { "y", "number" }, { "z", "number" },
			{ "dx", "number", "the direction, of length 1" }, { "dy", "number" }, { "dz", "number" },
		},
	},
}

return { objects = { recorder_module, recorder, recording, cursor, replay }, records = records }
