-- joint: what ties two assemblies, or one to the world. Like assemblies, one live joint is one Lua object. A broken
-- joint ties nothing and is in no list; its object stays good until it or one of its assemblies is destroyed.

local ffi = require "ffi"
local pairs = require "scree.pairs"
local raise = require "scree.raise"
local check = require "scree.check"
local handles = require "scree.handles"
local object = require "scree.object"
local bridge = require "scree.ffi"
local assembly = require "scree.assembly"
local text = require "scree.text"
local settings = require "scree.joint_settings"
local vec3 = require "scree.vec3"
raise.own()

local C, failed = bridge.C, bridge.failed
local POINTER, STATE, ID = object.POINTER, object.STATE, object.ID
local Vec3 = vec3.type

local joint = {}

local function describe(self)
	return ("joint %.0f"):format(self[ID])
end

local class = object.class("joint", describe)
joint.class = class
local getters, setters = class.getters, class.setters
object.private(class)

---@class scree.Joint
local methods = class.methods

local types = check.choices {
	"weld", C.SCREE_JOINT_WELD, "ball", C.SCREE_JOINT_BALL, "hinge", C.SCREE_JOINT_HINGE,
	"slider", C.SCREE_JOINT_SLIDER, "cylindrical", C.SCREE_JOINT_CYLINDRICAL, "rope", C.SCREE_JOINT_ROPE,
	"rod", C.SCREE_JOINT_ROD, "spring", C.SCREE_JOINT_SPRING, "align", C.SCREE_JOINT_ALIGN,
}

-- What a type has beside what all have.
local own = {
	weld = check.names {},
	ball = check.names { "axis", "cone", "twist", "friction" },
	hinge = check.names { "axis", "limits", "motor", "servo" },
	slider = check.names { "axis", "limits", "motor", "servo" },
	cylindrical = check.names { "axis", "limits", "twist", "motor", "servo" },
	rope = check.names { "at_a", "at_b", "length" },
	rod = check.names { "at_a", "at_b", "length" },
	spring = check.names { "at_a", "at_b", "length", "stiffness", "frequency", "damping" },
	align = check.names { "position", "rotation", "max_speed", "max_turn", "max_force", "max_torque", "response" },
}
local COMMON = { "type", "a", "b", "at", "collide", "break_force", "break_torque", "tag" }
local ALL = {
	"type", "a", "b", "at", "at_a", "at_b", "axis", "collide", "limits", "cone", "twist", "friction", "motor", "servo",
	"length", "stiffness", "frequency", "damping", "position", "rotation", "max_speed", "max_turn", "max_force",
	"max_torque", "response", "break_force", "break_torque", "tag",
}
local KEYS, IS_COMMON = check.names(ALL), check.names(COMMON).set

-- ---- handles -------------------------------------------------------------------------------------------------------

--- The Lua object of an id.
---@return scree.Joint
function joint.of(state, id)
	return handles.of(state.joints, state, id, class, C.screeJoint_IsValid)
end

local function forget(self)
	handles.forget(self[STATE].joints, self)
end

--- After the world has gone back to another state.
function joint.revive(state)
	handles.revive(state.joints, state.pointer, C.screeJoint_IsValid)
end

local ids_out = ffi.new "const double *[1]"

--- An assembly takes its joints with it: their objects, those of broken ones too, to be forgotten after its end.
function assembly.joint_objects(state, id)
	local count = C.screeAssembly_Joints(state.pointer, id, 1, ids_out)
	local list
	for i = 0, count - 1 do
		local self = state.joints.live[ids_out[0][i]]
		if self then
			list = list or {}
			list[#list + 1] = self
		end
	end
	return list
end

function assembly.forget_joints(list)
	for i = 1, #list do
		forget(list[i])
	end
end

local function alive(self, what)
	return self[POINTER] or object.dead(self, class, what)
end

local out = ffi.new "ScreeJoint"

-- All about a joint, in a buffer that is good until the next call.
local function get(self, what)
	local pointer = alive(self, what)
	local code = C.screeJoint_Get(pointer, self[ID], out)
	if code < 0 then
		if C.screeJoint_IsValid(pointer, self[ID]) ~= 1 then
			forget(self)
			object.dead(self, class, what)
		end
		failed(pointer, code, what .. ": ")
	end
	return out
end

local function set(self, what)
	local pointer = self[POINTER]
	local code = C.screeJoint_Set(pointer, self[ID], out.settings)
	if code < 0 then
		failed(pointer, code, what .. ": ")
	end
end

-- ---- properties ----------------------------------------------------------------------------------------------------

for name, setting in pairs(settings) do
	local what = "joint." .. name
	local everywhere = IS_COMMON[name]
	getters[name] = function(self)
		local j = get(self, what)
		local kind = types.name[j.type]
		if everywhere or own[kind].set[name] then
			return setting.show(kind, j.settings)
		end
	end
	setters[name] = function(self, value)
		local j = get(self, what)
		local kind = types.name[j.type]
		if not (everywhere or own[kind].set[name]) then
			raise.error(("%s: %s joint has no %s"):format(what, text.a(kind), name))
		end
		setting.read(kind, j.settings, value, "joint.")
		set(self, what)
	end
end

function getters.valid(self)
	local pointer = self[POINTER]
	if pointer == nil then
		return false
	elseif C.screeJoint_IsValid(pointer, self[ID]) == 1 then
		return true
	end
	forget(self)
	return false
end

function getters.type(self)
	return types.name[get(self, "joint.type").type]
end

local function side(state, id)
	if id ~= 0 then
		return assembly.of(state, id)
	end
end

function getters.a(self)
	return side(self[STATE], get(self, "joint.a").a)
end

function getters.b(self)
	return side(self[STATE], get(self, "joint.b").b)
end

local function to_vec3(v)
	return Vec3(v[0], v[1], v[2])
end

function getters.at(self)
	local j = get(self, "joint.at")
	return to_vec3(j.b ~= 0 and j.at_b or j.at_a)
end

function getters.at_a(self)
	return to_vec3(get(self, "joint.at_a").at_a)
end

function getters.at_b(self)
	return to_vec3(get(self, "joint.at_b").at_b)
end

function getters.axis(self)
	local j = get(self, "joint.axis")
	if own[types.name[j.type]].set.axis then
		return to_vec3(j.axis)
	end
end

function getters.impulse(self)
	return to_vec3(get(self, "joint.impulse").impulse)
end

function getters.angular_impulse(self)
	return to_vec3(get(self, "joint.angular_impulse").angular_impulse)
end

function getters.collide(self)
	return get(self, "joint.collide").collide ~= 0
end

function getters.broken(self)
	return get(self, "joint.broken").broken ~= 0
end

local HAS_ANGLE = { hinge = true, cylindrical = true, ball = true }
local HAS_DISTANCE = { slider = true, cylindrical = true, rope = true, rod = true, spring = true, align = true }

function getters.angle(self)
	local j = get(self, "joint.angle")
	if HAS_ANGLE[types.name[j.type]] then
		return j.angle
	end
end

function getters.distance(self)
	local j = get(self, "joint.distance")
	if HAS_DISTANCE[types.name[j.type]] then
		return j.distance
	end
end

function getters.id(self)
	get(self, "joint.id")
	return self[ID]
end

function getters.world(self)
	alive(self, "joint.world")
	return self[STATE].world
end

-- A tag that is set is a plain field; this answers while there is none.
function getters.tag(self)
	get(self, "joint.tag")
end

function setters.tag(self, value)
	get(self, "joint.tag")
	rawset(self, "tag", value)
end

---Ends it. What it held wakes.
function methods.destroy(self)
	local pointer = object.alive(self, class, "destroy")
	get(self, "destroy")
	local code = C.screeJoint_Destroy(pointer, self[ID])
	if code < 0 then
		failed(pointer, code, "destroy: ")
	end
	forget(self)
end

-- ---- making and listing --------------------------------------------------------------------------------------------

local WHERE = "joint: "

-- Points and sides of a ScreeJointDef.
local function read_places(state, t, def)
	for _, name in ipairs { "a", "b" } do
		if t[name] ~= nil then
			def[name] = assembly.check(state, t[name], WHERE, name)
		end
	end
	for _, name in ipairs { "at", "at_a", "at_b" } do
		if t[name] ~= nil then
			check.vec3_into(def[name], t[name], WHERE, name)
			def["has_" .. name] = 1
		end
	end
	if t.axis ~= nil then
		check.vec3_into(def.axis, t.axis, WHERE, "axis")
	end
	if t.collide ~= nil then
		def.collide = check.boolean(t.collide, WHERE, "collide") and 1 or 0
	end
end

local function read_settings(kind, t, s)
	if kind == "spring" then
		if (t.stiffness == nil) == (t.frequency == nil) then
			raise.error(WHERE .. (t.stiffness == nil and "frequency is missing (or stiffness): a spring needs one"
				or "frequency and stiffness say the same thing: give one"))
		end
		s.by_stiffness = t.stiffness ~= nil and 1 or 0
	elseif kind == "align" and t.position == nil and t.rotation == nil then
		s.drive_position, s.drive_rotation = 2, 2
	end
	if t.motor ~= nil and t.servo ~= nil then
		raise.error(WHERE .. "motor and servo are the same motor: give one")
	end
	for _, name in ipairs(ALL) do
		if settings[name] and t[name] ~= nil then
			settings[name].read(kind, s, t[name], WHERE)
		end
	end
end

local function check_keys(kind, t)
	for _, name in ipairs(ALL) do
		if t[name] ~= nil and not IS_COMMON[name] and not own[kind].set[name] then
			raise.error(("%s%s does not belong to %s"):format(WHERE, name, text.a(kind)))
		end
	end
	if (kind == "hinge" or kind == "slider" or kind == "cylindrical") and t.axis == nil then
		raise.error(("%saxis is missing (%s needs it)"):format(WHERE, text.a(kind)))
	elseif kind == "ball" and t.axis == nil and (t.cone ~= nil or t.twist ~= nil) then
		raise.error(WHERE .. "axis is missing (cone and twist are about it)")
	end
end

local id_out = ffi.new "double[1]"
local numbers_out = ffi.new "const int32_t *[1]"

local function objects(state, of, count, ids)
	local list = {}
	for i = 1, count do
		list[i] = of(state, ids[i - 1])
	end
	return list
end

--- Adds what worlds have of joints.
function joint.install(world_class)
	---@class scree.World
	local world_methods = world_class.methods

	---Ties two assemblies, or one to the world.
	---@param options scree.JointOptions
	---@return scree.Joint
	function world_methods.joint(self, options)
		local pointer = object.alive(self, world_class, "joint")
		local state = self[STATE]
		check.table(options, WHERE, "options")
		check.keys(options, KEYS, WHERE)
		if options.type == nil then
			raise.error(WHERE .. "type is missing (" .. table.concat(types.list, ", ") .. ")")
		end
		local def = ffi.new "ScreeJointDef"
		C.scree_joint_defaults(def)
		def.type = check.choice(options.type, types, WHERE, "type")
		local kind, tag = options.type, options.tag
		check_keys(kind, options)
		read_places(state, options, def)
		read_settings(kind, options, def.settings)
		local code = C.screeJoint_Create(pointer, def, id_out)
		if code < 0 then
			failed(pointer, code, WHERE)
		end
		local result = joint.of(state, id_out[0])
		rawset(result, "tag", tag)
		return result
	end

	---All joints that hold, in order of creation. What is made during the loop is not in it, what is destroyed is left
	---out.
	---@return fun(): scree.Joint?
	function world_methods.joints(self)
		local pointer = object.alive(self, world_class, "joints")
		local state = self[STATE]
		local count = C.screeWorld_Joints(pointer, ids_out)
		if count < 0 then
			failed(pointer, count, "joints: ")
		end
		local ids = ffi.new("double[?]", math.max(count, 1))
		for k = 0, count - 1 do
			ids[k] = ids_out[0][k]
		end
		local i = 0
		return function()
			while i < count and state.pointer do
				i = i + 1
				if C.screeJoint_IsValid(state.pointer, ids[i - 1]) == 1 then
					return joint.of(state, ids[i - 1])
				end
			end
		end
	end

	---The groups of assemblies that joints tie together, each a list in order of creation: a list of lists, which a
	---generic for may also call.
	---@return scree.Assembly[][]
	function world_methods.mechanisms(self)
		local pointer = object.alive(self, world_class, "mechanisms")
		local count = C.screeWorld_Mechanisms(pointer, ids_out, numbers_out)
		if count < 0 then
			failed(pointer, count, "mechanisms: ")
		end
		local list = {}
		for i = 0, count - 1 do
			local number = numbers_out[0][i] + 1
			local group = list[number] or {}
			list[number] = group
			group[#group + 1] = assembly.of(self[STATE], ids_out[0][i])
		end
		return object.callable(list)
	end
end

---@class scree.Assembly
local assembly_methods = assembly.class.methods

---The joints that hold it, in order of creation: a list, which a generic for may also call.
---@return scree.Joint[]
function assembly_methods.joints(self)
	local pointer = object.alive(self, assembly.class, "joints")
	local count = C.screeAssembly_Joints(pointer, self[ID], 0, ids_out)
	if count < 0 then
		failed(pointer, count, "joints: ")
	end
	return object.callable(objects(self[STATE], joint.of, count, ids_out[0]))
end

---The assemblies that joints tie to it, itself among them, in order of creation.
---@return scree.Assembly[]
function assembly_methods.mechanism(self)
	local pointer = object.alive(self, assembly.class, "mechanism")
	local count = C.screeAssembly_Mechanism(pointer, self[ID], ids_out)
	if count < 0 then
		failed(pointer, count, "mechanism: ")
	end
	return object.callable(objects(self[STATE], assembly.of, count, ids_out[0]))
end

return joint
