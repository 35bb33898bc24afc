-- What breaks: pieces that come off the ground, digging by hardness, blasts.

local ffi = require "ffi"
local raise = require "scree.raise"
local check = require "scree.check"
local object = require "scree.object"
local assembly = require "scree.assembly"
local materials = require "scree.materials"
local bridge = require "scree.ffi"
local vec3 = require "scree.vec3"
raise.own()

local C = bridge.C
local STATE, ID, POINTER = object.STATE, object.ID, object.POINTER
local Vec3 = vec3.type

local breaking = {}

local SMALL_LIMIT, ANCHORS, MATERIALS = 4096, 4096, 256
local detach_out, ids_out = ffi.new "ScreeDetach", ffi.new "const ScreeId *[1]"
local cells_out, matter_out = ffi.new("double[?]", MATERIALS), ffi.new("double[?]", MATERIALS)

local function assemblies(state, count)
	local list, ids = {}, ids_out[0]
	for i = 1, count do
		list[i] = ids[i - 1]
	end
	for i = 1, count do
		list[i] = assembly.of(state, list[i])
	end
	return list
end

-- ---- pieces of the terrain -----------------------------------------------------------------------------------------

local fates = check.choices { "debris", 0, "vanish", 1 }
local SMALL = check.names { "cells", "fate" }

local function read_settings(self, class, what)
	local pointer = self[POINTER] or object.dead(self, class, what)
	C.screeTerrain_GetDetach(pointer, detach_out)
	return pointer
end

local function write_settings(pointer, what)
	local code = C.screeTerrain_SetDetach(pointer, detach_out)
	if code < 0 then
		bridge.failed(pointer, code, what .. ": ")
	end
end

local function install_properties(class)
	local getters, setters = class.getters, class.setters

	function getters.detach(self)
		read_settings(self, class, "terrain.detach")
		return detach_out.enabled ~= 0
	end

	function setters.detach(self, value)
		local pointer = read_settings(self, class, "terrain.detach")
		detach_out.enabled = check.boolean(value, "terrain.", "detach") and 1 or 0
		write_settings(pointer, "terrain.detach")
	end

	function getters.small_pieces(self)
		read_settings(self, class, "terrain.small_pieces")
		return { cells = detach_out.small_cells, fate = fates.name[detach_out.small_vanish] }
	end

	function setters.small_pieces(self, value)
		local pointer = read_settings(self, class, "terrain.small_pieces")
		check.table(value, "terrain.", "small_pieces")
		check.keys(value, SMALL, "terrain.small_pieces.")
		local where = "terrain.small_pieces."
		local cells, vanish = detach_out.small_cells, detach_out.small_vanish
		if value.cells ~= nil then
			cells = check.whole(value.cells, 0, SMALL_LIMIT, where, "cells")
		end
		if value.fate ~= nil then
			vanish = check.choice(value.fate, fates, where, "fate")
		end
		detach_out.small_cells, detach_out.small_vanish = cells, vanish
		write_settings(pointer, "terrain.small_pieces")
	end

	function getters.anchors(self)
		local pointer = self[POINTER] or object.dead(self, class, "terrain.anchors")
		local boxes = ffi.new("double[?]", 6 * ANCHORS)
		local list = {}
		for i = 1, C.screeTerrain_Anchors(pointer, boxes, ANCHORS) do
			local b = boxes + 6 * (i - 1)
			list[i] = { Vec3(b[0], b[1], b[2]), Vec3(b[3], b[4], b[5]) }
		end
		return list
	end
end

--- Adds detach, small_pieces, anchors, anchor, clear_anchors, detach_all and dig to the terrain's class.
---@param read_box function of terrain.lua: checks a box of cells and leaves it in min3 and max3
function breaking.install_terrain(class, terrain, read_box, min3, max3)
	local methods = class.methods
	install_properties(class)

	---Declares that the cells of a box hold what hangs together with them. Without any anchor, what holds is the lowest
	---layer of the terrain, as it was when first something was examined, and what lies below it.
	---@param min scree.vec3|number[]
	---@param max scree.vec3|number[]
	function methods.anchor(self, min, max)
		local pointer = object.alive(self, class, "anchor")
		read_box(min, max, "anchor: ")
		local code = C.screeTerrain_Anchor(pointer, min3, max3)
		if code < 0 then
			bridge.failed(pointer, code, "anchor: ")
		end
	end

	---Forgets all anchors: the lowest layer holds again.
	function methods.clear_anchors(self)
		C.screeTerrain_ClearAnchors(object.alive(self, class, "clear_anchors"))
	end

	---Examines all of the terrain at once, whether detach is on or not.
	---@return scree.Assembly[] the pieces that came off
	function methods.detach_all(self)
		local pointer = object.alive(self, class, "detach_all")
		local count = C.screeTerrain_DetachAll(pointer, ids_out)
		if count < 0 then
			bridge.failed(pointer, count, "detach_all: ")
		end
		return assemblies(self[STATE], count)
	end

	local DIG = check.names { "center", "position", "radius", "strength" }

	---Digs a ball, soft materials before hard ones: of a material of hardness h it takes the part 1 - h / strength of the
	---ball, around its centre; of one that is as hard as strength, or harder, nothing.
	---@param options scree.Dig
	---@return scree.Edit
	function methods.dig(self, options)
		local pointer = object.alive(self, class, "dig")
		local where = "dig: "
		check.table(options, where, "options")
		check.keys(options, DIG, where)
		local center, name = check.either(options, "center", "position", where)
		check.vec3_into(min3, center, where, name)
		local radius = check.positive(check.required(options.radius, where, "radius"), where, "radius")
		local strength = check.positive(check.required(options.strength, where, "strength"), where, "strength")
		local code = C.screeTerrain_Dig(pointer, min3, radius, strength)
		if code < 0 then
			bridge.failed(pointer, code, where, "center", name)
		end
		return terrain.edit_result(self[STATE])
	end
end

-- ---- pieces as assemblies ------------------------------------------------------------------------------------------

local function read_cells(self, class, what, cells, matter)
	local pointer = object.alive(self, class, what)
	local code = C.screeAssembly_Cells(pointer, self[ID], cells, matter)
	if code < 0 then
		bridge.failed(pointer, code, what .. ": ")
	end
	return code == 1
end

--- Adds is_piece, count, matter and to_terrain to the assembly's class.
function breaking.install_assembly(class, terrain)
	local methods = class.methods

	function class.getters.is_piece(self)
		local pointer = self[POINTER] or object.dead(self, class, "assembly.is_piece")
		return C.screeAssembly_Cells(pointer, self[ID], nil, nil) == 1
	end

	---Cells of each material that a piece of terrain has; nothing of other assemblies.
	---@return table<string, integer>
	function methods.count(self)
		read_cells(self, class, "count", cells_out, nil)
		return materials.by_name(self[STATE], cells_out)
	end

	---Matter of each material that a piece of terrain has, in full cells; nothing of other assemblies.
	---@return table<string, number>
	function methods.matter(self)
		read_cells(self, class, "matter", nil, matter_out)
		return materials.by_name(self[STATE], matter_out)
	end

	---Makes a piece terrain again where it is, turned as it is, and destroys the assembly.
	---@return scree.Edit what was added
	function methods.to_terrain(self)
		local pointer = object.alive(self, class, "to_terrain")
		local state = self[STATE]
		local joints = assembly.joint_objects(state, self[ID])
		local code = C.screeAssembly_ToTerrain(pointer, self[ID])
		if code < 0 then
			bridge.failed(pointer, code, "to_terrain: ")
		end
		if joints then
			assembly.forget_joints(joints)
		end
		assembly.forget(self)
		return terrain.edit_result(state)
	end
end

-- ---- blasts --------------------------------------------------------------------------------------------------------

local BLAST = check.names { "position", "center", "radius", "strength", "impulse" }
local blast_in = ffi.new "ScreeBlast"

--- Adds blast to the world's class.
function breaking.install_world(class, terrain)
	---A blast: at the distance d, the part (1 - d / radius)^2 of its strength and impulse is left. It takes terrain of
	---less hardness, and pushes dynamic assemblies away.
	---@param options scree.Blast
	---@return { removed: table<string, number>, added: table<string, number>, assemblies: scree.Assembly[] }
	function class.methods.blast(self, options)
		local pointer = object.alive(self, class, "blast")
		local state, where = self[STATE], "blast: "
		check.table(options, where, "options")
		check.keys(options, BLAST, where)
		local position, name = check.either(options, "position", "center", where)
		local at, b = blast_in.position, blast_in
		check.vec3_into(at, position, where, name)
		b.radius = check.positive(check.required(options.radius, where, "radius"), where, "radius")
		b.strength = options.strength == nil and 0 or check.not_negative(options.strength, where, "strength")
		b.impulse = options.impulse == nil and 0 or check.not_negative(options.impulse, where, "impulse")
		local count = C.screeWorld_Blast(pointer, blast_in, ids_out)
		if count < 0 then
			bridge.failed(pointer, count, where, "position", name)
		end
		local result = terrain.edit_result(state)
		result.assemblies = assemblies(state, count)
		return result
	end
end

return breaking
