-- t:import: files of cells.

local ffi = require "ffi"
local raise = require "scree.raise"
local text = require "scree.text"
local check = require "scree.check"
local object = require "scree.object"
local bridge = require "scree.ffi"
local materials = require "scree.materials"
local vec3 = require "scree.vec3"
raise.own()

local C = bridge.C
local STATE = object.STATE
local Vec3 = vec3.type

---@class scree.VoxOptions
---@field at (scree.vec3|integer[])? cell that the file's origin goes to; 0, 0, 0
---@field hidden boolean? also hidden layers and nodes
---@field materials table<integer, string>? colour index 1..255 to material; others become vox_rrggbb

---@class scree.VoxInfo: scree.Edit
---@field cells integer written
---@field min scree.vec3 their bounds
---@field max scree.vec3
---@field models integer
---@field instances integer
---@field hidden_instances integer skipped
---@field dropped integer voxels outside their model's size
---@field overlaps integer voxels laid over another instance's
---@field merged_colors integer colours that found no room in the material table and took the nearest one's

local import = {}

local WHERE = "import: "
local VOX = check.names { "at", "hidden", "materials" }

local function read_materials(state, map, vox)
	check.table(map, WHERE, "materials")
	for key in next, map do
		if type(key) ~= "number" or key % 1 ~= 0 or key < 1 or key > 255 then
			check.wrong(key, WHERE, "a key of materials", "a colour index, a whole number from 1 to 255")
		end
	end
	for i = 1, 255 do
		if map[i] ~= nil then
			vox.materials[i] = materials.check_solid(state, map[i], WHERE, "materials[" .. i .. "]")
		end
	end
end

local function import_vox(terrain, state, path, options)
	check.keys(options, VOX, WHERE)
	local vox = ffi.new "ScreeVoxImport"
	C.scree_vox_import_defaults(vox)
	if options.at ~= nil then
		vox.at[0], vox.at[1], vox.at[2] = check.cell_vector(options.at, WHERE, "at")
	end
	if options.hidden ~= nil then
		vox.hidden = check.boolean(options.hidden, WHERE, "hidden") and 1 or 0
	end
	if options.materials ~= nil then
		read_materials(state, options.materials, vox)
	end
	local code = C.screeTerrain_ImportVox(state.pointer, path, vox)
	if code < 0 then
		return nil, bridge.failed_file(state.pointer, code, WHERE)
	end
	local info = terrain.edit_result(state)
	info.cells, info.models, info.instances = vox.cells, vox.models, vox.instances
	info.hidden_instances, info.dropped, info.overlaps = vox.hidden_instances, vox.dropped, vox.overlaps
	info.merged_colors = vox.merged_colors
	info.min = Vec3(vox.min[0], vox.min[1], vox.min[2])
	info.max = Vec3(vox.max[0], vox.max[1], vox.max[2])
	return info
end

-- Height files take the options of fill_heightmap.
local function import_heights(_, _, path, options, self)
	local map = { path = path }
	for key, value in next, options do
		map[key] = value
	end
	return self:fill_heightmap(map)
end

local readers = { vox = import_vox, png = import_heights, hgt = import_heights, r16 = import_heights }

--- Adds import to the terrain's class.
function import.install(class, terrain)
	---@class scree.Terrain
	local methods = class.methods

	---Reads a file into the terrain, by its extension: .vox, or heights (.png .hgt .r16, with the options of
	---fill_heightmap). A missing or damaged file is nil, message.
	---@param path string
	---@param opts scree.VoxOptions?
	---@return scree.VoxInfo? info
	---@return string? message
	function methods.import(self, path, opts)
		object.alive(self, class, "import")
		check.path(path, WHERE, "path")
		local options = opts == nil and {} or check.table(opts, WHERE, "opts")
		local extension = path:match "%.([%w]+)$"
		local reader = extension and readers[extension:lower()]
		if not reader then
			return nil, WHERE .. text.quote(path) .. " is of an unknown kind (known: .vox .png .hgt .r16)"
		end
		return reader(terrain, self[STATE], path, options, self)
	end
end

return import
