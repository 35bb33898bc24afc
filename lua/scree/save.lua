-- Terrain to files and from them.

local ffi = require "ffi"
local check = require "scree.check"
local object = require "scree.object"
local bridge = require "scree.ffi"
local raise = require "scree.raise"
raise.own()

local C = bridge.C
local STATE = object.STATE

local save = {}

local LOAD = check.names { "materials" }
local keeps = check.choices { "file", 0, "world", 1 }

--- Adds save and load to the terrain's class.
function save.install(class, terrain)
	---@class scree.Terrain
	local methods = class.methods

	---Writes all cells and the materials to a file. A failure is nil, message, and leaves an older file as it was.
	---@param path string
	---@param opts { level: integer? }? level of compression, 1 (fast) to 19 (small), 6
	---@return true?
	---@return string? message
	function methods.save(self, path, opts)
		local pointer = object.alive(self, class, "save")
		check.path(path, "save: ", "path")
		local level = check.save_level(opts, "save: ")
		local code = C.screeTerrain_Save(pointer, path, level)
		if code == C.SCREE_LIMIT then
			return nil, "save: " .. ffi.string(C.screeWorld_Error(pointer))
		elseif code < 0 then
			return nil, bridge.failed_file(pointer, code, "save: ")
		end
		return true
	end

	---Replaces all cells by those of a file, as one edit. Materials are matched by name; where both have one, the
	---file's properties win, or the world's with materials = "world". What is wrong with a file is nil, message.
	---@param path string
	---@param opts { materials: "file"|"world"|nil }?
	---@return scree.LoadInfo? info
	---@return string? message
	function methods.load(self, path, opts)
		local pointer = object.alive(self, class, "load")
		check.path(path, "load: ", "path")
		local keep = 0
		if opts ~= nil then
			check.table(opts, "load: ", "opts")
			check.keys(opts, LOAD, "load: ")
			keep = opts.materials == nil and 0 or check.choice(opts.materials, keeps, "load: ", "opts.materials")
		end
		local info = ffi.new "ScreeTerrainInfo"
		local code = C.screeTerrain_Load(pointer, path, keep, info)
		if code < 0 then
			return nil, bridge.failed_file(pointer, code, "load: ")
		end
		local result = terrain.edit_result(self[STATE])
		result.cells, result.chunks, result.cell_size = info.cells, info.chunks, info.cell_size
		result.materials_added, result.materials_changed = info.materials_added, info.materials_changed
		return result
	end
end

return save
