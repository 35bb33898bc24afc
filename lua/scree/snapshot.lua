-- Snapshots of a world, and whole worlds in files. C keeps the world; what Lua knows beside it (names of groups, time
-- owed to advance) goes along as a few lines of text.

local ffi = require "ffi"
local raise = require "scree.raise"
local check = require "scree.check"
local object = require "scree.object"
local assembly = require "scree.assembly"
local joint = require "scree.joint"
local bridge = require "scree.ffi"
local events = require "scree.events"
local materials = require "scree.materials"
local world = require "scree.world"
raise.own()

local C = bridge.C
local class, STATE = world.class, object.STATE

local snapshot = {}

-- ---- Lua's side as text --------------------------------------------------------------------------------------------

local function describe(state, pointer)
	local settled = C.screeTerrain_Version(pointer) == state.stepped_version
	local lines = { ("%.17g %d %d\n"):format(state.owed, state.event_count, settled and 1 or 0) }
	for bit = 0, 31 do
		if state.groups.used[bit] then
			local name = state.groups.names[bit]
			lines[#lines + 1] = ("%d %d\n%s\n"):format(bit, name and #name or -1, name or "")
		end
	end
	return table.concat(lines)
end

-- The groups of a description, or nil if it is damaged. A world from C alone has none.
local function read_groups(text, at)
	local known = { bits = {}, names = {}, used = {} }
	while at <= #text do
		local bit, size, first = text:match("^(%d+) (%-?%d+)\n()", at)
		bit, size = tonumber(bit), tonumber(size)
		if not bit or bit > 31 or known.used[bit] or first + size > #text then
			return nil
		end
		known.used[bit] = true
		if size >= 0 then
			local name = text:sub(first, first + size - 1)
			known.bits[name], known.names[bit] = bit, name
		end
		at = first + math.max(size, 0) + 1
	end
	return known
end

local function apply(state, pointer, text)
	local owed, count, settled, at = text:match "^(%S+) (%d+) (%d)\n()"
	local known = at and read_groups(text, at)
	state.owed = known and tonumber(owed) or 0
	events.reset(state, known and tonumber(count) or 0)
	state.stepped_version = settled == "1" and C.screeTerrain_Version(pointer) or -1
	if known and known.bits.default == 0 then
		state.groups = known
	end
end

-- ---- snapshots -----------------------------------------------------------------------------------------------------

---@class scree.World
local methods = class.methods

local data, size = ffi.new "const void *[1]", ffi.new "double[1]"
local script, script_size = ffi.new "const void *[1]", ffi.new "double[1]"

---The world's whole state as a string, for restore. The terrain's cells are in it by name: this world keeps what
---changes since, up to its snapshot_budget.
---@return string
function methods.snapshot(self)
	local pointer = object.alive(self, class, "snapshot")
	local text = describe(self[STATE], pointer)
	local code = C.screeWorld_Snapshot(pointer, text, #text, data, size)
	if code < 0 then
		bridge.failed(pointer, code, "snapshot: ")
	end
	return ffi.string(data[0], size[0])
end

---Back to a snapshot: from here on everything happens again, bit for bit. Assemblies made since are destroyed, those
---destroyed since are there again; tags and event handlers stay as they are. A string that is no snapshot, is damaged
---or whose terrain is not kept any more is nil, message.
---@param from string
---@return true?
---@return string? message
function methods.restore(self, from)
	local pointer = object.alive(self, class, "restore")
	if type(from) ~= "string" then
		check.wrong(from, "restore: ", "snapshot", "a string")
	end
	local state = self[STATE]
	events.leave(state)
	local code = C.screeWorld_Restore(pointer, from, #from, script, script_size)
	if code < 0 then
		return nil, bridge.failed_file(pointer, code, "restore: ")
	end
	assembly.revive(state)
	joint.revive(state)
	materials.forget(state)
	apply(state, pointer, script[0] ~= nil and ffi.string(script[0], script_size[0]) or "")
	return true
end

-- ---- files ---------------------------------------------------------------------------------------------------------

---Writes the whole world to a file, for scree.load. A failure is nil, message, and leaves an older file as it was.
---@param path string
---@param opts { level: integer? }? level of compression, 1 (fast) to 19 (small), 6
---@return true?
---@return string? message
function methods.save(self, path, opts)
	local pointer = object.alive(self, class, "save")
	check.path(path, "save: ", "path")
	local level = check.save_level(opts, "save: ")
	local text = describe(self[STATE], pointer)
	local code = C.screeWorld_Save(pointer, path, level, text, #text)
	if code == C.SCREE_LIMIT then
		return nil, "save: " .. ffi.string(C.screeWorld_Error(pointer))
	elseif code < 0 then
		return nil, bridge.failed_file(pointer, code, "save: ")
	end
	return true
end

local LOAD = check.names { "threads" }

---A world from a file that world:save wrote. What is wrong with a file is nil, message.
---@param path string
---@param opts { threads: integer? }? as many as were saved
---@return scree.World?
---@return string? message
function snapshot.load(path, opts)
	check.path(path, "load: ", "path")
	local threads = 0
	if opts ~= nil then
		check.table(opts, "load: ", "opts")
		check.keys(opts, LOAD, "load: ")
		threads = opts.threads == nil and 0 or check.whole(opts.threads, 1, 64, "load: ", "opts.threads")
	end
	local slot, message = ffi.new "ScreeWorld *[1]", ffi.new "char[512]"
	local code = C.screeWorld_Load(path, threads, nil, nil, slot, script, script_size, message, 512)
	if code == C.SCREE_BAD_FILE then
		return nil, "load: " .. ffi.string(message)
	elseif code < 0 then
		raise.error("load: " .. (code == C.SCREE_OUT_OF_MEMORY and "out of memory" or ffi.string(message)))
	end
	local def = ffi.new "ScreeWorldDef"
	C.screeWorld_GetDef(slot[0], def)
	local state = world.around(slot[0], def)
	apply(state, state.pointer, script[0] ~= nil and ffi.string(script[0], script_size[0]) or "")
	return state.world
end

return snapshot
