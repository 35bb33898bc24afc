-- world.materials: what the ground and bodies are made of. world.materials.rock reads a copy (nil for an unknown name),
-- world.materials.rock = { friction = .9 } changes the given fields, a new name with a density adds one.

local ffi = require "ffi"
local raise = require "scree.raise"
local text = require "scree.text"
local check = require "scree.check"
local object = require "scree.object"
local bridge = require "scree.ffi"
raise.own()

local C = bridge.C
local STATE = object.STATE

local FIELDS = { "density", "friction", "restitution", "rolling", "hardness", "blockiness", "color" }
local KEYS = check.names(FIELDS)
local NEW = { friction = 0.6, restitution = 0.1, rolling = 0, hardness = 1, blockiness = 0, color = 0x808080 }

local materials = {}

local Material = ffi.typeof "ScreeMaterial"
local scratch = Material()

-- Materials are never removed or renamed (but by going back to a snapshot), so names and indices can be kept; new ones
-- are read when the count grows.
local function refresh(state)
	local names, index = state.material_names, state.material_index
	for i = #names + (names[0] and 1 or 0), C.screeWorld_MaterialCount(state.pointer) - 1 do
		local code = C.screeWorld_GetMaterial(state.pointer, i, scratch)
		if code < 0 then
			bridge.failed(state.pointer, code, "materials: ")
		end
		names[i] = ffi.string(scratch.name)
		index[names[i]] = i
	end
end

--- After the world has gone back to another state, which may have other materials.
function materials.forget(state)
	state.material_names, state.material_index = {}, {}
end

--- The index of a name, or nil.
function materials.find(state, name)
	local index = state.material_index[name]
	if not index and type(name) == "string" then
		refresh(state)
		index = state.material_index[name]
	end
	return index
end

--- The name of an index.
function materials.name(state, index)
	local name = state.material_names[index]
	if not name then
		refresh(state)
		name = state.material_names[index]
	end
	return name
end

--- Index of the last material.
function materials.last(state)
	refresh(state)
	return #state.material_names
end

--- Numbers by index as a table by name, those that are not 0.
function materials.by_name(state, values)
	local result = {}
	for i = 0, materials.last(state) do
		if values[i] ~= 0 then
			result[materials.name(state, i)] = values[i]
		end
	end
	return result
end

local function list(state)
	refresh(state)
	local names = {}
	for i = 0, #state.material_names do
		names[i + 1] = state.material_names[i]
	end
	return names
end

--- The index of a material that a script named.
function materials.check(state, value, where, name)
	local index = materials.find(state, value)
	if not index then
		local hint = type(value) == "string" and text.hint(value, list(state)) or ""
		raise.error(("%s%s must be the name of a material, got %s%s"):format(where, name, text.describe(value), hint))
	end
	return index
end

--- The same without air and water.
function materials.check_solid(state, value, where, name)
	local index = materials.check(state, value, where, name)
	if index <= 1 then
		check.wrong(value, where, name, "a solid material")
	end
	return index
end

local function read(state, index)
	local code = C.screeWorld_GetMaterial(state.pointer, index, scratch)
	if code < 0 then
		bridge.failed(state.pointer, code, "materials: ")
	end
	local values = {}
	for _, field in ipairs(FIELDS) do
		values[field] = text.single(scratch[field])
	end
	return values
end

local function check_fields(values, where)
	check.positive(values.density, where, "density")
	check.not_negative(values.friction, where, "friction")
	check.range(values.restitution, 0, 1, where, "restitution")
	check.not_negative(values.rolling, where, "rolling")
	check.not_negative(values.hardness, where, "hardness")
	check.range(values.blockiness, 0, 1, where, "blockiness")
	check.whole(values.color, 0, 0xFFFFFF, where, "color")
end

local function put(state, name, fields)
	local where = "materials." .. name .. ": "
	check.table(fields, "materials.", name)
	check.keys(fields, KEYS, where)
	local index = materials.find(state, name)
	local values = index and read(state, index) or NEW
	local new = {}
	for _, field in ipairs(FIELDS) do
		local value = fields[field]
		if value == nil then
			value = values[field]
		end
		new[field] = value
	end
	check_fields(new, where)
	local material = Material()
	ffi.copy(material.name, name)
	for _, field in ipairs(FIELDS) do
		material[field] = new[field]
	end
	local code = C.screeWorld_PutMaterial(state.pointer, material)
	if code < 0 then
		bridge.failed(state.pointer, code, where)
	end
	object.tell_look(state, "materials")
end

local methods = {}
local meta = {}
materials.methods = methods

local function alive(self, what)
	if getmetatable(self) ~= meta then
		raise.error(what .. ": call it with a colon on world.materials, got " .. text.describe(self))
	end
	local state = rawget(self, STATE)
	if not state.pointer then
		raise.error(what .. ": the world is destroyed")
	end
	return state
end

---The names of all materials in the order of the table.
---@return string[]
function methods.names(self)
	return list(alive(self, "names"))
end

function meta.__index(self, key)
	if methods[key] then
		return methods[key]
	end
	local state = alive(self, "materials")
	local index = type(key) == "string" and materials.find(state, key)
	if not index then
		return nil
	end
	local advice = ("assign the fields to change, world.materials.%s = { friction = 0.9 }"):format(key)
	return object.frozen(read(state, index), FIELDS, "materials." .. key, advice)
end

function meta.__newindex(self, key, fields)
	local state = alive(self, "materials")
	if type(key) ~= "string" or #key > 31 or not key:find "^%a[%w_]*$" then
		raise.error("materials: a name is a letter and up to 30 letters, digits or _, got " .. text.describe(key))
	end
	if methods[key] then
		raise.error("materials: " .. text.quote(key) .. " is a method")
	end
	if fields == nil then
		raise.error("materials: " .. text.quote(key) .. " cannot be removed")
	end
	put(state, key, fields)
end

function meta.__tostring()
	return "world.materials"
end

function meta.__pairs(self) -- heard only by builds of LuaJIT with the rules of Lua 5.2
	local names, i = list(alive(self, "materials")), 0
	return function()
		i = i + 1
		return names[i], names[i] and self[names[i]]
	end
end

--- The object behind world.materials.
function materials.new(state)
	state.material_names, state.material_index = {}, {}
	return setmetatable({ [STATE] = state }, meta)
end

return materials
