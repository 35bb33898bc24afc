-- Undo and redo of terrain edits, in groups.

local ffi = require "ffi"
local check = require "scree.check"
local object = require "scree.object"
local bridge = require "scree.ffi"
local raise = require "scree.raise"
raise.own()

local C = bridge.C

local undo = {}

local NAME_SIZE = 64
local name_out = ffi.new("char[?]", NAME_SIZE)
local stats_out = ffi.new "ScreeUndoStats"

-- The group's name, true when it has none, false when there is no group.
local function go(class, self, call, what)
	local pointer = object.alive(self, class, what)
	local code = call(pointer, name_out)
	if code < 0 then
		bridge.failed(pointer, code, what .. ": ")
	end
	if code == 0 then
		return false
	end
	local name = ffi.string(name_out)
	return name == "" or name
end

--- Adds begin_undo, undo, redo, undo_budget and undo_stats to the terrain's class.
function undo.install(class)
	---@class scree.Terrain
	local methods = class.methods

	---Begins a group of edits that will be undone together. Edits are kept from the first group on.
	---@param name string? under 64 bytes
	function methods.begin_undo(self, name)
		local pointer = object.alive(self, class, "begin_undo")
		if name ~= nil then
			check.string(name, "begin_undo: ", "name")
			if name == "" or #name >= NAME_SIZE or name:find("\0", 1, true) then
				check.wrong(name, "begin_undo: ", "name", "a name of 1 to 63 bytes without zeros")
			end
		end
		local code = C.screeTerrain_BeginUndo(pointer, name)
		if code < 0 then
			bridge.failed(pointer, code, "begin_undo: ")
		end
	end

	---Takes back the edits of the last group.
	---@return string|boolean name of the group, true without one, false when there is nothing to undo
	function methods.undo(self)
		return go(class, self, C.screeTerrain_Undo, "undo")
	end

	---Makes the edits of the group undone last once more. A new edit drops what could be redone.
	---@return string|boolean name of the group, true without one, false when there is nothing to redo
	function methods.redo(self)
		return go(class, self, C.screeTerrain_Redo, "redo")
	end

	function class.getters.undo_stats(self)
		local pointer = self[object.POINTER] or object.dead(self, class, "terrain.undo_stats")
		local s = stats_out
		C.screeTerrain_UndoStats(pointer, s)
		return { undos = s.undos, redos = s.redos, bytes = s.bytes, budget = s.budget, dropped = s.dropped }
	end

	function class.getters.undo_budget(self)
		local pointer = self[object.POINTER] or object.dead(self, class, "terrain.undo_budget")
		C.screeTerrain_UndoStats(pointer, stats_out)
		return stats_out.budget
	end

	function class.setters.undo_budget(self, value)
		local pointer = self[object.POINTER] or object.dead(self, class, "terrain.undo_budget")
		check.range(value, 0, 1e15, "terrain.", "undo_budget")
		local code = C.screeTerrain_SetUndoBudget(pointer, value)
		if code < 0 then
			bridge.failed(pointer, code, "terrain.undo_budget: ")
		end
	end
end

return undo
