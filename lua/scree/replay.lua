-- Replay pages: recordings as one HTML file that shows them in a browser, without a network. All that it needs is in
-- it: the scripts of the folder replay, three.js, and the recordings, compressed.

local ffi = require "ffi"
local raise = require "scree.raise"
local check = require "scree.check"
local C = require("scree.ffi").C
local bytes = require "scree.record.bytes"
local json = require "scree.record.json"
local mesh_bytes = require "scree.record.mesh_bytes"
local recordings = require "scree.record.recording"
raise.own()

local replay = {}

local FORMAT = 2 -- of the data; replay/recording.js reads it
local LEVEL = 9 -- of compression

-- In the order in which they use each other.
local SCRIPTS = {
	"bytes", "surface", "mesh", "recording", "geometry", "view", "ground", "bodies", "marks", "camera", "timeline",
	"panel", "player", "live", "main",
}

-- ---- files of the module -------------------------------------------------------------------------------------------

local function read_file(path)
	local file = io.open(path, "rb")
	local content = file and file:read "*a"
	if file then
		file:close()
	end
	return content
end

-- A file of the folder replay: beside this one, or where else the module's path leads, as in a build.
local function resource(name)
	for template in package.path:gmatch "[^;]+" do
		local content = read_file((template:gsub("%?", (("scree/replay/" .. name):gsub("%%", "%%%%")))
			:gsub("%.lua$", "")))
		if content then
			return content
		end
	end
	return nil, ("scree/replay/%s is not beside the module"):format(name)
end

local function three()
	local content = resource "three.min.js"
	if content then
		return content
	end
	return nil, "three.js was not there when scree was built (Debian's package libjs-three; -Dthree=PATH names the file)"
end

---Whether pages can be made; else also why not.
---@return boolean is_possible
---@return string? why_not
function replay.is_possible()
	local content, message = three()
	return content ~= nil, message
end

-- ---- bytes for the page --------------------------------------------------------------------------------------------

local function deflate(content)
	local capacity = C.scree_deflate_bound(#content)
	local out = ffi.new("uint8_t[?]", capacity)
	local size = C.scree_deflate(content, #content, LEVEL, out, capacity)
	if size < 0 then
		error("replay: out of memory", 0)
	end
	return ffi.string(out, size)
end

local DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

local function base64(content)
	local digits, size = ffi.new("const char[65]", DIGITS), math.floor((#content + 2) / 3) * 4
	local from, out = ffi.cast("const uint8_t *", content), ffi.new("char[?]", math.max(size, 1))
	local at = 0
	for i = 0, #content - 1, 3 do
		local left = #content - i
		local a, b, c = from[i], left > 1 and from[i + 1] or 0, left > 2 and from[i + 2] or 0
		out[at] = digits[math.floor(a / 4)]
		out[at + 1] = digits[a % 4 * 16 + math.floor(b / 16)]
		out[at + 2] = left > 1 and digits[b % 16 * 4 + math.floor(c / 64)] or 61
		out[at + 3] = left > 2 and digits[c % 64] or 61
		at = at + 4
	end
	return ffi.string(out, size)
end

-- ---- recordings as data --------------------------------------------------------------------------------------------

-- A stream of bytes that grows, and where its pieces are.
local function new_blob()
	local blob = { pieces = {}, size = 0 }

	function blob.add(content)
		local place = { blob.size, #content }
		blob.pieces[#blob.pieces + 1] = content
		blob.size = blob.size + #content
		return place
	end

	return blob
end

-- The columns of meshes, those that are alike of all of them together, and where those of each begin.
local function add_meshes(meshes, blob)
	local sizes, places = bytes.writer(), {}
	for _, columns in ipairs(meshes) do
		for _, column in ipairs(columns) do
			sizes:whole(#column)
		end
	end
	for i = 1, mesh_bytes.COLUMNS do
		local pieces = {}
		for k, columns in ipairs(meshes) do
			pieces[k] = columns[i]
		end
		places[i] = blob.add(table.concat(pieces))
	end
	return { count = #meshes, sizes = blob.add(sizes:string()), columns = places }
end

-- Parts; their triangles come into a list of meshes.
local function shape_data(parts, meshes, quantum)
	local list = {}
	for i, part in ipairs(parts) do
		list[i] = { shape = part.shape, material = part.material, position = part.position, rotation = part.rotation,
			size = part.size, radius = part.radius, length = part.length }
		if part.mesh then
			meshes[#meshes + 1] = mesh_bytes.write(part.mesh, { 0, 0, 0 }, quantum)
			list[i].mesh = #meshes
		end
	end
	return list
end

-- Lists are shorter than objects: frame, kind, a, b, terrain, speed, impulse, place, reason; kinds and reasons by
-- number.
local function event_data(recording)
	local words, known, list = {}, {}, {}
	local function word(value)
		if value and not known[value] then
			words[#words + 1] = value
			known[value] = #words
		end
		return known[value] or 0
	end
	for frame = 1, recording.frame_count do
		for _, event in ipairs(recording.events[frame]) do
			local p = event.position
			list[#list + 1] = { frame, word(event.kind), event.a or 0, event.b or 0, event.terrain and 1 or 0,
				event.speed or 0, event.impulse or 0, p or 0, word(event.reason) }
		end
	end
	return words, list
end

local function track_data(track)
	return { id = track.id, tag = track.tag, motion = track.motion, mass = track.mass, center = track.center,
		shape = track.shape, first = track.first, last = track.last, number = track.number, twin = track.twin,
		looks = #track.looks > 0 and track.looks or nil }
end

local function mapped(list, fn, ...)
	local result = {}
	for i, value in ipairs(list) do
		result[i] = fn(value, ...)
	end
	return result
end

local function block_data(block)
	return { block.x, block.y, block.z, mapped(block.versions, function(version)
		return { version.frame, version.mesh, version.water }
	end) }
end

local function material_data(recording)
	local list = {}
	for index = 0, #recording.materials do
		list[index + 1] = recording.materials[index] or { name = "air", color = 0 }
	end
	return list
end

-- What the page is told of a recording; its streams go into the blob.
local function recording_data(recording, blob)
	local words, events = event_data(recording)
	local ground, meshes = recording.ground, {}
	for i, columns in ipairs(ground and ground.meshes or {}) do
		meshes[i] = columns
	end
	local shapes = mapped(recording.shapes, shape_data, meshes, recording.quantum)
	return {
		frames = recording.frame_count, clock = recording.clock, time = recording.time, step = recording.step,
		cell = recording.cell_size, quantum = recording.quantum, gravity = recording.gravity,
		block = ground and ground.SIZE, units = ground and ground.UNITS,
		tracks = mapped(recording.tracks, track_data),
		shapes = shapes,
		joints = recording.joints,
		materials = material_data(recording), colors = recording.colors,
		words = words, events = events,
		blocks = mapped(recording.blocks, block_data),
		meshes = add_meshes(meshes, blob),
		poses = blob.add(recording.poses.bytes:string()),
		arrows = blob.add(recording.arrow_bytes:string()),
		pose_bytes = recording.pose_bytes,
		ghosts = recording.ghosts and recording_data(recording.ghosts, blob), -- what was expected, beside it
	}
end

-- ---- the page ------------------------------------------------------------------------------------------------------

local function escape(value)
	return (value:gsub("[&<>\"]", { ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;", ['"'] = "&quot;" }))
end

-- Puts what `values` has into {{name}} of a template.
local function fill(template, values)
	return (template:gsub("{{(%w+)}}", function(name)
		return values[name]
	end))
end

local OPTIONS = check.names { "title", "message", "start", "select", "watch" }

local function check_options(options, where)
	check.table(options, where, "options")
	check.keys(options, OPTIONS, where)
	for _, name in ipairs { "title", "message" } do
		if options[name] ~= nil then
			check.string(options[name], where, name)
		end
	end
	if options.start ~= nil then
		check.not_negative(options.start, where, "start")
	end
	for _, name in ipairs { "select", "watch" } do
		if options[name] ~= nil then
			check.whole(options[name], 1, 2 ^ 31, where, name)
		end
	end
	return options
end

---The page that shows recordings; or nil and a message.
---@param list scree.Recording[]
---@param options scree.ReplayOptions?
---@return string? html
---@return string? message
function replay.page(list, options)
	local where = "replay.page: "
	recordings.check(list, where)
	options = options == nil and {} or check_options(options, where)
	local title = options.title or "replay"
	local library, message = three()
	local parts = { page = "", style = "" }
	for _, name in ipairs { "page.html", "style.css" } do
		local content, why = resource(name)
		parts[name], message = content, message or why
	end
	local scripts = {}
	for i, name in ipairs(SCRIPTS) do
		local content, why = resource(name .. ".js")
		scripts[i], message = content, message or why
	end
	if message then
		return nil, message
	end
	local blob = new_blob()
	local header = json.encode {
		format = FORMAT, title = title, message = options.message, start = options.start, select = options.select,
		watch = options.watch, recordings = mapped(list, recording_data, blob),
	}
	local out = bytes.writer()
	out:text(header)
	local data = base64(deflate(out:string() .. table.concat(blob.pieces)))
	return fill(parts["page.html"], {
		title = escape(title), style = parts["style.css"], data = data, three = base64(deflate(library)),
		scripts = table.concat(scripts, "\n"),
	})
end

return replay
