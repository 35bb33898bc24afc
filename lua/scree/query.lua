-- Questions to a world that change nothing: rays, casts, overlaps, and the bulk forms without garbage.

local ffi = require "ffi"
local raise = require "scree.raise"
local check = require "scree.check"
local object = require "scree.object"
local assembly = require "scree.assembly"
local materials = require "scree.materials"
local groups = require "scree.groups"
local shape = require "scree.shape"
local bridge = require "scree.ffi"
local vec3 = require "scree.vec3"
raise.own()

local C = bridge.C
local STATE = object.STATE
local Vec3 = vec3.type

local query = {}

local OPTIONS = check.names { "ignore", "group", "terrain", "water", "dynamic", "assemblies", "inside" }
local TERRAIN_OPTIONS = check.names { "water", "inside" }
local FLAGS = { "terrain", "water", "dynamic", "assemblies", "inside" }

local Query, Ids = ffi.typeof "ScreeQuery", ffi.typeof "double[?]"

-- What the options of the query being asked say. One for all: no script's code runs between reading and asking.
local asked = Query()
local ignored, room = Ids(8), 8

local function read_ignore(state, value, where)
	if getmetatable(value) == assembly.class.meta then
		ignored[0] = assembly.check(state, value, where, "ignore")
		return 1
	end
	if type(value) ~= "table" then
		check.wrong(value, where, "ignore", "an assembly or a list of them")
	end
	local n = check.list_now_and_then(value, 0, 2 ^ 24, where, "ignore")
	if n > room then
		ignored, room = Ids(2 * n), 2 * n
	end
	for i = 1, n do
		local id = assembly.id_of(state, value[i])
		ignored[i - 1] = id or assembly.check(state, value[i], where, "ignore[" .. i .. "]")
	end
	return n
end

-- What a script's options say: the ScreeQuery (none: C's defaults), and the names of groups on trial.
local function read_options(state, options, where, known)
	if options == nil and known == OPTIONS then
		return nil, nil
	end
	C.scree_query_defaults(asked)
	if known == TERRAIN_OPTIONS then
		asked.assemblies = 0
	end
	if options == nil then
		return asked, nil
	end
	check.table(options, where, "opts")
	where = where .. "opts."
	check.keys_now_and_then(options, known, where)
	for i = 1, #FLAGS do
		local flag = FLAGS[i]
		local value = known.set[flag] and options[flag]
		if value ~= nil and known.set[flag] then
			asked[flag] = check.boolean(value, where, flag) and 1 or 0
		end
	end
	local trial
	if known.set.ignore and options.ignore ~= nil then
		asked.ignore_count = read_ignore(state, options.ignore, where)
		asked.ignore = ignored
	end
	if known.set.group and options.group ~= nil then
		trial = groups.trial(state.groups, true)
		asked.groups = groups.mask(trial, options.group, where, "group")
	end
	return asked, trial
end

-- A hit. Its vectors are made when they are read, out of the nine numbers in its list: a loop that reads a hit and
-- drops it makes no garbage at all once it is compiled, which it would if the table held values that are allocated
-- themselves.
local Hit = {}

function Hit.__index(hit, key)
	if key == "position" then
		return Vec3(hit[1], hit[2], hit[3])
	elseif key == "normal" then
		return Vec3(hit[4], hit[5], hit[6])
	elseif key == "cell" and (hit.terrain or hit.water) then
		return Vec3(hit[7], hit[8], hit[9])
	end
end

local function make_hit(state, hit)
	local p, n, cell, id = hit.position, hit.normal, hit.cell, hit.assembly
	return setmetatable({
		p[0], p[1], p[2], n[0], n[1], n[2], cell[0], cell[1], cell[2],
		distance = hit.distance,
		fraction = hit.fraction,
		assembly = id ~= 0 and assembly.of(state, id) or nil,
		part = id ~= 0 and hit.part + 1 or nil,
		material = materials.name(state, hit.material),
		terrain = hit.terrain ~= 0,
		water = hit.water ~= 0,
		inside = hit.inside ~= 0,
	}, Hit)
end

local from3, to3, hit_out = ffi.new "double[3]", ffi.new "double[3]", ffi.new "ScreeHit"
local hits_out = ffi.new "const ScreeHit *[1]"
local ids_out, terrain_out, water_out = ffi.new "const ScreeId *[1]", ffi.new "int32_t[1]", ffi.new "int32_t[1]"
local doubles_out = ffi.new "const double *[1]"

local function set_points(fx, fy, fz, tx, ty, tz)
	from3[0], from3[1], from3[2] = fx, fy, fz
	to3[0], to3[1], to3[2] = tx, ty, tz
end

-- A failed call raises. The names of groups that a good one used are known from now on.
local function finish(pointer, code, where, trial)
	if code < 0 then
		bridge.failed(pointer, code, where)
	end
	if trial then
		groups.commit(trial)
	end
end

local function raycast(state, pointer, from, to, opts, known)
	local where = "raycast: "
	local q, trial = read_options(state, opts, where, known)
	local fx, fy, fz = check.vec3(from, where, "from")
	local tx, ty, tz = check.vec3(to, where, "to")
	set_points(fx, fy, fz, tx, ty, tz)
	local code = C.screeWorld_Raycast(pointer, from3, to3, q, hit_out)
	finish(pointer, code, where, trial)
	return code > 0 and make_hit(state, hit_out) or nil
end

--- A ray to the ground alone, for terrain:raycast.
function query.raycast_terrain(state, pointer, from, to, opts)
	return raycast(state, pointer, from, to, opts, TERRAIN_OPTIONS)
end

-- The ids of a set in order of creation.
local function in_order(pointer, set)
	local list, count = {}, C.screeWorld_Transforms(pointer, doubles_out)
	if count < 0 then
		bridge.failed(pointer, count, "overlap: ")
	end
	for i = 0, count - 1 do
		local id = doubles_out[0][8 * i]
		if set[id] then
			list[#list + 1] = id
		end
	end
	return list
end

local const_doubles, doubles = ffi.new "const double *[1]", ffi.new "double *[1]"

--- Adds the methods to the world's class.
function query.install(class)
	---@class scree.World
	local methods = class.methods

	---The first thing on the way from one point to another.
	---@param from scree.vec3|number[]
	---@param to scree.vec3|number[]
	---@param opts scree.QueryOptions?
	---@return scree.Hit?
	function methods.raycast(self, from, to, opts)
		local pointer = object.alive(self, class, "raycast")
		return raycast(self[STATE], pointer, from, to, opts, OPTIONS)
	end

	---Everything on the way, nearest first.
	---@param from scree.vec3|number[]
	---@param to scree.vec3|number[]
	---@param opts scree.QueryOptions?
	---@return scree.Hit[]
	function methods.raycast_all(self, from, to, opts)
		local pointer = object.alive(self, class, "raycast_all")
		local state, where = self[STATE], "raycast_all: "
		local q, trial = read_options(state, opts, where, OPTIONS)
		local fx, fy, fz = check.vec3(from, where, "from")
		local tx, ty, tz = check.vec3(to, where, "to")
		set_points(fx, fy, fz, tx, ty, tz)
		local count = C.screeWorld_RaycastAll(pointer, from3, to3, q, hits_out)
		finish(pointer, count, where, trial)
		local list, hits = {}, hits_out[0]
		for i = 1, count do
			list[i] = make_hit(state, hits[i - 1])
		end
		return list
	end

	---The first thing that a moving shape touches. The shape's own position is added to both points; it may be a compound,
	---{ parts = {...}, rotation = ... }.
	---@param moved scree.QueryShape|scree.Compound
	---@param from scree.vec3|number[]
	---@param to scree.vec3|number[]
	---@param opts scree.QueryOptions?
	---@return scree.Hit?
	function methods.cast(self, moved, from, to, opts)
		local pointer = object.alive(self, class, "cast")
		local state, where = self[STATE], "cast: "
		local parts = shape.all_for_query(moved, where, "shape")
		local q, trial = read_options(state, opts, where, OPTIONS)
		local fx, fy, fz = check.vec3(from, where, "from")
		local tx, ty, tz = check.vec3(to, where, "to")
		set_points(fx, fy, fz, tx, ty, tz)
		state.held_parts = parts -- out of the collector's reach while C reads them
		local best
		for i = 1, #parts do
			local code = C.screeWorld_Cast(pointer, parts[i][1], from3, to3, q, hit_out)
			finish(pointer, code, where, trial)
			if code > 0 and (not best or hit_out.fraction < best.fraction) then
				best = make_hit(state, hit_out)
			end
		end
		return best
	end

	---The assemblies that a placed shape overlaps, whether it meets the ground, and, with water = true, whether water.
	---@param placed scree.QueryShape|scree.Compound
	---@param position scree.vec3|number[]
	---@param opts scree.QueryOptions?
	---@return scree.Assembly[] assemblies
	---@return boolean terrain
	---@return boolean water
	function methods.overlap(self, placed, position, opts)
		local pointer = object.alive(self, class, "overlap")
		local state, where = self[STATE], "overlap: "
		local parts = shape.all_for_query(placed, where, "shape")
		local q, trial = read_options(state, opts, where, OPTIONS)
		from3[0], from3[1], from3[2] = check.vec3(position, where, "position")
		state.held_parts = parts
		local list, seen, ground, water, lists = {}, {}, false, false, 0
		for k = 1, #parts do
			local count = C.screeWorld_Overlap(pointer, parts[k][1], from3, q, ids_out, terrain_out, water_out)
			finish(pointer, count, where, trial)
			ground, water = ground or terrain_out[0] ~= 0, water or water_out[0] ~= 0
			lists = lists + (count > 0 and 1 or 0)
			for i = 0, count - 1 do
				local id = ids_out[0][i]
				if not seen[id] then
					seen[id] = true
					list[#list + 1] = id
				end
			end
		end
		if lists > 1 then
			list = in_order(pointer, seen)
		end
		for i = 1, #list do
			list[i] = assembly.of(state, list[i])
		end
		return list, ground, water
	end

	---n rays at once, without garbage: from and to are flat buffers of 3 n doubles, fractions one of n, which receives
	---the fraction of each hit or 2 for none. The numbers in the buffers are not checked, nor is a bare pointer's size.
	---@param n integer
	---@param from ffi.cdata*
	---@param to ffi.cdata*
	---@param fractions ffi.cdata*
	---@param opts scree.QueryOptions?
	function methods.raycasts(self, n, from, to, fractions, opts)
		local pointer = object.alive(self, class, "raycasts")
		local state, where = self[STATE], "raycasts: "
		check.whole(n, 0, 2 ^ 31 - 1, where, "n")
		check.buffer(from, const_doubles, 24 * n, where, "from", "a buffer of 3 n doubles")
		check.buffer(to, const_doubles, 24 * n, where, "to", "a buffer of 3 n doubles")
		check.buffer(fractions, doubles, 8 * n, where, "fractions", "a buffer of n doubles")
		local q, trial = read_options(state, opts, where, OPTIONS)
		local code = C.screeWorld_Raycasts(pointer, n, from, to, fractions, q)
		finish(pointer, code, where, trial)
	end

	---Where everything is, for renderers: 8 doubles an assembly in order of creation (id, x, y, z, qx, qy, qz, qw),
	---read-only, valid until the next call or step. With alpha, as world:advance gives it, between the start of the last
	---step (0) and its end (1).
	---@param alpha number? 1
	---@return ffi.cdata* buffer
	---@return integer count
	function methods.transforms(self, alpha)
		local pointer = object.alive(self, class, "transforms")
		alpha = alpha == nil and 1 or check.range(alpha, 0, 1, "transforms: ", "alpha")
		local count = C.screeWorld_TransformsBetween(pointer, alpha, doubles_out)
		if count < 0 then
			bridge.failed(pointer, count, "transforms: ")
		end
		return doubles_out[0], count
	end
end

return query
