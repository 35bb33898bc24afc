-- t:import: files of cells, of blocks and of triangles.

local ffi = require "ffi"
local pairs = require "scree.pairs"
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

local import = {}

local WHERE = "import: "
local VOX = check.names { "at", "position", "hidden", "materials" }

-- The first cell: at, or the cell that holds position. A point on a cell's corner that rounding put below it counts.
local function read_cell(state, options, target)
	if options.at ~= nil and options.position ~= nil then
		raise.error(WHERE .. "at and position exclude each other")
	end
	if options.at ~= nil then
		target[0], target[1], target[2] = check.cell_vector(options.at, WHERE, "at")
	elseif options.position ~= nil then
		local point = { check.vec3(options.position, WHERE, "position") }
		for i = 1, 3 do
			point[i] = math.floor(point[i] / state.cell_size + 1e-6)
		end
		target[0], target[1], target[2] = check.cell_vector(point, WHERE, "position")
	end
end

local function read_materials(state, map, vox)
	check.table(map, WHERE, "materials")
	for key in pairs(map) do
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
	read_cell(state, options, vox.at)
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

-- ---- schematics ----------------------------------------------------------------------------------------------------

local BLOCKS = check.names { "at", "position", "materials", "clear" }

-- Lists of names and materials for C, which the caller must keep until the call is over.
local function read_block_map(state, map, blocks)
	check.table(map, WHERE, "materials")
	local names, indices, given = {}, {}, {}
	for key, value in pairs(map) do
		local is_number = type(key) == "number" and key % 1 == 0 and key >= 0 and key < 65536
		if not is_number and (type(key) ~= "string" or key == "" or key:find "%z") then
			check.wrong(key, WHERE, "a key of materials", "the name or number of a block")
		end
		local name = is_number and ("%d"):format(key) or key
		if given[name] ~= nil and given[name] ~= value then
			raise.error(WHERE .. "materials has two entries for the block " .. text.quote(name))
		end
		if given[name] == nil then
			names[#names + 1] = name
		end
		given[name] = value
	end
	table.sort(names) -- of two that fit a block equally well, the first in the alphabet counts
	for i, name in ipairs(names) do
		indices[i] = materials.check(state, given[name], WHERE, "materials[" .. text.quote(name) .. "]")
	end
	local count = #names
	local pointers = ffi.new("const char *[?]", math.max(1, count), names)
	blocks.names = pointers
	local numbers = ffi.new("int32_t[?]", math.max(1, count), indices)
	blocks.materials, blocks.map_count = numbers, count
	return { names, pointers, numbers }
end

local function import_blocks(terrain, state, path, options)
	check.keys(options, BLOCKS, WHERE)
	local blocks = ffi.new "ScreeBlockImport"
	C.scree_block_import_defaults(blocks)
	read_cell(state, options, blocks.at)
	if options.clear ~= nil then
		blocks.clear = check.boolean(options.clear, WHERE, "clear") and 1 or 0
	end
	if options.materials ~= nil then
		state.kept = read_block_map(state, options.materials, blocks)
	end
	local code = C.screeTerrain_ImportBlocks(state.pointer, path, blocks)
	state.kept = nil -- until here C reads what it holds
	if code < 0 then
		return nil, bridge.failed_file(state.pointer, code, WHERE)
	end
	local info = terrain.edit_result(state)
	for _, key in ipairs { "cells", "air", "water", "unknown", "skipped", "merged" } do
		info[key] = blocks[key]
	end
	info.min = Vec3(blocks.min[0], blocks.min[1], blocks.min[2])
	info.max = Vec3(blocks.max[0], blocks.max[1], blocks.max[2])
	info.size = info.max - info.min + Vec3(1, 1, 1)
	info.blocks = {}
	for i = 0, blocks.block_count - 1 do
		local name = ffi.string(blocks.blocks[i].name)
		info.blocks[name] = (info.blocks[name] or 0) + blocks.blocks[i].count
	end
	return info
end

-- ---- meshes --------------------------------------------------------------------------------------------------------

local MESH = check.names { "position", "rotation", "scale", "material", "materials", "mode", "shell" }
local PART_LIMIT = 65534
local MODES = check.choices { "set", 0, "add", 1, "remove", 2, "paint", 3 }

local function read_scale(value, scale)
	if type(value) == "number" then
		scale[0] = check.positive(value, WHERE, "scale")
		scale[1], scale[2] = value, value
	else
		scale[0], scale[1], scale[2] = check.size(value, WHERE, "scale")
	end
end

-- By the file's names, or by number from 1. Returns what C reads and the caller must keep until the call is over.
local function read_mesh_map(state, map, mesh)
	check.table(map, WHERE, "materials")
	local names, entries, count = {}, {}, 0
	for key, value in pairs(map) do
		local number = type(key) == "number" and key % 1 == 0 and key >= 1 and key <= PART_LIMIT
		if not number and (type(key) ~= "string" or key:find "%z") then
			check.wrong(key, WHERE, "a key of materials", "the name or number of a material of the file")
		end
		local name = number and ("materials[%d]"):format(key) or "materials[" .. text.quote(key) .. "]"
		count = count + 1
		entries[count] = { key, materials.check_solid(state, value, WHERE, name) }
	end
	if count == 0 then
		return nil
	end
	if mesh.mode == 2 or mesh.material <= 1 then
		raise.error(WHERE .. "materials is not for digging and water, which have one material")
	end
	local list = ffi.new("ScreeMeshMaterial[?]", count)
	for i, entry in ipairs(entries) do
		local key = entry[1]
		if type(key) == "number" then
			list[i - 1].number = key
		else
			names[i] = key
			list[i - 1].name = key
		end
		list[i - 1].material = entry[2]
	end
	mesh.map, mesh.map_count = list, count
	return { names, list }
end

local function read_mesh_options(state, options, mesh)
	check.keys(options, MESH, WHERE)
	if options.position ~= nil then
		mesh.position[0], mesh.position[1], mesh.position[2] = check.vec3(options.position, WHERE, "position")
	end
	if options.rotation ~= nil then
		local x, y, z, w = check.quat(options.rotation, WHERE, "rotation")
		mesh.rotation[0], mesh.rotation[1], mesh.rotation[2], mesh.rotation[3] = x, y, z, w
	end
	if options.scale ~= nil then
		read_scale(options.scale, mesh.scale)
	end
	if options.mode ~= nil then
		mesh.mode = check.choice(options.mode, MODES, WHERE, "mode")
	end
	mesh.material = materials.check(state, options.material == nil and "rock" or options.material, WHERE, "material")
	if mesh.mode == 3 and mesh.material <= 1 then
		check.wrong(options.material, WHERE, "material", "a solid material to paint with")
	end
	if options.shell ~= nil then
		mesh.shell = check.positive(options.shell, WHERE, "shell")
	end
	if options.materials ~= nil then
		state.kept = read_mesh_map(state, options.materials, mesh)
	end
end

local function import_mesh(terrain, state, path, options)
	local mesh = ffi.new "ScreeMeshImport"
	C.scree_mesh_import_defaults(mesh)
	read_mesh_options(state, options, mesh)
	local code = C.screeTerrain_ImportMesh(state.pointer, path, mesh)
	state.kept = nil -- until here C reads what it holds
	if code < 0 then
		return nil, bridge.failed_file(state.pointer, code, WHERE)
	end
	local info = terrain.edit_result(state)
	for _, key in ipairs { "triangles", "vertices", "skipped", "open_edges", "crowded_edges", "volume" } do
		info[key] = mesh[key]
	end
	info.closed = mesh.closed == 1
	info.materials = {}
	for i = 1, mesh.part_count do
		local part = mesh.parts[i - 1]
		info.materials[i] = {
			name = ffi.string(part.name),
			triangles = part.triangles,
			material = materials.name(state, part.material),
		}
	end
	info.min = Vec3(mesh.min[0], mesh.min[1], mesh.min[2])
	info.max = Vec3(mesh.max[0], mesh.max[1], mesh.max[2])
	return info
end

-- ---- which ---------------------------------------------------------------------------------------------------------

-- Height files take the options of fill_heightmap.
local function import_heights(_, _, path, options, self)
	local map = { path = path }
	for key, value in pairs(options) do
		map[key] = value
	end
	return self:fill_heightmap(map)
end

local readers = {
	vox = import_vox,
	png = import_heights,
	hgt = import_heights,
	r16 = import_heights,
	schem = import_blocks,
	schematic = import_blocks,
	mts = import_blocks,
	obj = import_mesh,
	stl = import_mesh,
	ply = import_mesh,
	glb = import_mesh,
	gltf = import_mesh,
}
local KNOWN = ".vox .png .hgt .r16 .schem .schematic .mts .obj .stl .ply .glb .gltf"

--- Adds import to the terrain's class.
function import.install(class, terrain)
	---@class scree.Terrain
	local methods = class.methods

	---Reads a file into the terrain, by its extension: .vox, schematics (.schem .schematic .mts), meshes (.obj .stl
	---.ply .glb .gltf), which are filled, or heights (.png .hgt .r16, with the options of fill_heightmap). A missing or
	---damaged file is nil, message.
	---@param path string
	---@param opts (scree.VoxOptions|scree.BlockOptions|scree.MeshOptions)?
	---@return (scree.VoxInfo|scree.BlockInfo|scree.MeshInfo)? info
	---@return string? message
	function methods.import(self, path, opts)
		object.alive(self, class, "import")
		check.path(path, WHERE, "path")
		local options = opts == nil and {} or check.table(opts, WHERE, "opts")
		local extension = path:match "%.([%w]+)$"
		local reader = extension and readers[extension:lower()]
		if not reader then
			return nil, WHERE .. text.quote(path) .. " is of an unknown kind (known: " .. KNOWN .. ")"
		end
		return reader(terrain, self[STATE], path, options, self)
	end
end

return import
