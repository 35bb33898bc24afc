-- assembly: a rigid thing of one or more parts. One live assembly is one Lua object, kept by its world's registry, so
-- it works as a table key and keeps its tag; destroying it frees both, and using it afterwards raises.

local ffi = require "ffi"
local raise = require "scree.raise"
local check = require "scree.check"
local handles = require "scree.handles"
local object = require "scree.object"
local bridge = require "scree.ffi"
local shape = require "scree.shape"
local text = require "scree.text"
local materials = require "scree.materials"
local mesh_buffers = require "scree.mesh_buffers"
local vec3 = require "scree.vec3"
local quat = require "scree.quat"
raise.own()

local C, failed = bridge.C, bridge.failed
local POINTER, STATE, ID = object.POINTER, object.STATE, object.ID
local Vec3, Quat = vec3.type, quat.type

local assembly = {}

local function describe(self)
	return ("assembly %.0f"):format(self[ID])
end

local class = object.class("assembly", describe)
assembly.class = class
local getters, setters = class.getters, class.setters
object.private(class)

---@class scree.Assembly
local methods = class.methods

local out = ffi.new "double[16]"
local vector_a, vector_b, rotation4 = ffi.new "double[3]", ffi.new "double[3]", ffi.new "double[4]"

local motions = check.choices { "static", C.SCREE_STATIC, "kinematic", C.SCREE_KINEMATIC, "dynamic", C.SCREE_DYNAMIC }
local states = { [C.SCREE_AWAKE] = "awake", [C.SCREE_CHECKING] = "checking", [C.SCREE_ASLEEP] = "asleep" }
assembly.motions = motions

--- The Lua object of an id.
---@return scree.Assembly
function assembly.of(state, id)
	return handles.of(state.assemblies, state, id, class, C.screeAssembly_IsValid)
end

local function forget(self)
	handles.forget(self[STATE].assemblies, self)
end

assembly.forget = forget

--- After the world has gone back to another state.
function assembly.revive(state)
	handles.revive(state.assemblies, state.pointer, C.screeAssembly_IsValid)
end

--- The id of what a script passed, if that is an assembly of this world.
---@return number|false|nil
function assembly.id_of(state, value)
	return getmetatable(value) == class.meta and value[POINTER] and value[STATE] == state and value[ID]
end

--- The same, or an error that says what else it is.
function assembly.check(state, value, where, name)
	if getmetatable(value) ~= class.meta then
		check.wrong(value, where, name, "an assembly")
	elseif not value[POINTER] then
		raise.error(("%s%s: %s is destroyed"):format(where, name, describe(value)))
	elseif value[STATE] ~= state then
		raise.error(("%s%s: %s belongs to another world"):format(where, name, describe(value)))
	end
	return value[ID]
end

-- ---- properties ----------------------------------------------------------------------------------------------------

local function alive(self, what)
	return self[POINTER] or object.dead(self, class, what)
end

-- A negative result: C no longer knows the handle, or says why not.
local function fail(self, code, where)
	local pointer = self[POINTER]
	if C.screeAssembly_IsValid(pointer, self[ID]) ~= 1 then
		forget(self)
		raise.error(where .. describe(self) .. " is destroyed")
	end
	failed(pointer, code, where)
end

local function succeed(self, code, where)
	if code < 0 then
		fail(self, code, where)
	end
end

-- The four properties that scripts read most are written out: of functions made from one source the compiler does not
-- take the upvalues for constants, which costs half of the speed.

function getters.position(self)
	local code = C.screeAssembly_GetPosition(alive(self, "assembly.position"), self[ID], out)
	if code < 0 then
		fail(self, code, "assembly.position: ")
	end
	return Vec3(out[0], out[1], out[2])
end

function getters.rotation(self)
	local code = C.screeAssembly_GetRotation(alive(self, "assembly.rotation"), self[ID], out)
	if code < 0 then
		fail(self, code, "assembly.rotation: ")
	end
	return Quat(out[0], out[1], out[2], out[3])
end

function getters.velocity(self)
	local code = C.screeAssembly_GetVelocity(alive(self, "assembly.velocity"), self[ID], out)
	if code < 0 then
		fail(self, code, "assembly.velocity: ")
	end
	return Vec3(out[0], out[1], out[2])
end

function getters.angular_velocity(self)
	local code = C.screeAssembly_GetAngularVelocity(alive(self, "assembly.angular_velocity"), self[ID], out)
	if code < 0 then
		fail(self, code, "assembly.angular_velocity: ")
	end
	return Vec3(out[0], out[1], out[2])
end

local function vector_getter(name, get)
	local what, where = "assembly." .. name, "assembly." .. name .. ": "
	getters[name] = function(self)
		local code = get(alive(self, what), self[ID], out)
		if code < 0 then
			fail(self, code, where)
		end
		return Vec3(out[0], out[1], out[2])
	end
end

local function number_getter(name, get)
	local what, where = "assembly." .. name, "assembly." .. name .. ": "
	getters[name] = function(self)
		local code = get(alive(self, what), self[ID], out)
		if code < 0 then
			fail(self, code, where)
		end
		return out[0]
	end
end

local function code_getter(name, get, translate)
	local what, where = "assembly." .. name, "assembly." .. name .. ": "
	getters[name] = function(self)
		local code = get(alive(self, what), self[ID])
		if code < 0 then
			fail(self, code, where)
		end
		return translate(code)
	end
end

local function is_one(code)
	return code == 1
end

vector_getter("center_of_mass", C.screeAssembly_GetCenterOfMass)
vector_getter("net_impulse", C.screeAssembly_GetNetImpulse)
number_getter("mass", C.screeAssembly_GetMass)
number_getter("submerged", C.screeAssembly_GetSubmerged)
number_getter("gravity_scale", C.screeAssembly_GetGravityScale)
code_getter("can_sleep", C.screeAssembly_GetCanSleep, is_one)
code_getter("bullet", C.screeAssembly_GetBullet, is_one)
code_getter("state", C.screeAssembly_GetState, function(code)
	return states[code]
end)
code_getter("motion", C.screeAssembly_GetMotion, function(code)
	return motions.name[code]
end)

function getters.inertia(self)
	local code = C.screeAssembly_GetInertia(alive(self, "assembly.inertia"), self[ID], out)
	if code < 0 then
		fail(self, code, "assembly.inertia: ")
	end
	return Vec3(out[0], out[4], out[8])
end

function getters.net_angular_impulse(self)
	local code = C.screeAssembly_GetNetImpulse(alive(self, "assembly.net_angular_impulse"), self[ID], out)
	if code < 0 then
		fail(self, code, "assembly.net_angular_impulse: ")
	end
	return Vec3(out[3], out[4], out[5])
end

function getters.id(self)
	alive(self, "assembly.id")
	return self[ID]
end

function getters.world(self)
	alive(self, "assembly.world")
	return self[STATE].world
end

-- A tag that is set is a plain field; this answers while there is none.
function getters.tag(self)
	alive(self, "assembly.tag")
end

function setters.tag(self, value)
	alive(self, "assembly.tag")
	rawset(self, "tag", value)
end

function getters.parts(self)
	local pointer, id = alive(self, "assembly.parts"), self[ID]
	local count = C.screeAssembly_PartCount(pointer, id)
	if count < 0 then
		fail(self, count, "assembly.parts: ")
	end
	local parts = {}
	for i = 1, count do
		parts[i] = shape.to_lua(self[STATE], id, i - 1, function(part, write)
			local access = write and C.screeAssembly_SetPart or C.screeAssembly_GetPart
			local code = access(alive(self, "part"), id, i - 1, part)
			if code < 0 then
				fail(self, code, write and "part." or "assembly.parts: ")
			end
			if write then
				object.tell_look(self[STATE], id)
			end
		end)
	end
	return parts
end

local function vector_setter(name, set)
	local what, where = "assembly." .. name, "assembly." .. name .. ": "
	setters[name] = function(self, value)
		local pointer = alive(self, what)
		local x, y, z = check.vec3(value, "assembly.", name)
		local code = set(pointer, self[ID], x, y, z)
		if code < 0 then
			fail(self, code, where)
		end
	end
end

function setters.velocity(self, value)
	local pointer = alive(self, "assembly.velocity")
	local x, y, z = check.vec3(value, "assembly.", "velocity")
	local code = C.screeAssembly_SetVelocity(pointer, self[ID], x, y, z)
	if code < 0 then
		fail(self, code, "assembly.velocity: ")
	end
end

local function number_setter(name, set, checked)
	local what, where = "assembly." .. name, "assembly." .. name .. ": "
	setters[name] = function(self, value)
		local pointer = alive(self, what)
		local code = set(pointer, self[ID], checked(value, "assembly.", name))
		if code < 0 then
			fail(self, code, where)
		end
	end
end

local function checked_flag(value, where, name)
	return check.boolean(value, where, name) and 1 or 0
end

local function checked_motion(value, where, name)
	return check.choice(value, motions, where, name)
end

vector_setter("position", C.screeAssembly_SetPosition)
vector_setter("center_of_mass", C.screeAssembly_SetCenterOfMass)
vector_setter("angular_velocity", C.screeAssembly_SetAngularVelocity)
number_setter("gravity_scale", C.screeAssembly_SetGravityScale, check.number)
number_setter("can_sleep", C.screeAssembly_SetCanSleep, checked_flag)
number_setter("bullet", C.screeAssembly_SetBullet, checked_flag)
number_setter("motion", C.screeAssembly_SetMotion, checked_motion)
number_setter("mass", C.screeAssembly_SetMass, check.positive)

-- Recordings tell when these become others.
for _, name in ipairs { "motion", "mass" } do
	local set = setters[name]
	setters[name] = function(self, value)
		set(self, value)
		object.tell_look(self[STATE], self[ID])
	end
end

function setters.inertia(self, value)
	local pointer = alive(self, "assembly.inertia")
	local code = C.screeAssembly_SetInertia(pointer, self[ID], check.inertia(value, out, "assembly.", "inertia"))
	if code < 0 then
		fail(self, code, "assembly.inertia: ")
	end
end

local LIMITS = { "linear", "angular", "balance", "wake" }
local LIMIT = check.names(LIMITS)

--- Its own limits of sleep; those that it has not are the world's.
function getters.sleep_limits(self)
	local code = C.screeAssembly_GetSleepLimits(alive(self, "assembly.sleep_limits"), self[ID], out)
	if code < 0 then
		fail(self, code, "assembly.sleep_limits: ")
	end
	local values = {}
	for i, name in ipairs(LIMITS) do
		values[name] = out[i - 1] >= 0 and text.single(out[i - 1]) or nil
	end
	return object.frozen(values, LIMITS, "assembly.sleep_limits", "assign a table of its own limits, or nil")
end

function setters.sleep_limits(self, value)
	local pointer = alive(self, "assembly.sleep_limits")
	local values = { -1, -1, -1, -1 }
	if value ~= nil then
		check.table(value, "assembly.", "sleep_limits")
		check.keys(value, LIMIT, "assembly.sleep_limits: ")
		for i, name in ipairs(LIMITS) do
			if value[name] ~= nil then
				values[i] = check.not_negative(value[name], "assembly.sleep_limits.", name)
			end
		end
	end
	local code = C.screeAssembly_SetSleepLimits(pointer, self[ID], values[1], values[2], values[3], values[4])
	if code < 0 then
		fail(self, code, "assembly.sleep_limits: ")
	end
end

function setters.rotation(self, value)
	local pointer = alive(self, "assembly.rotation")
	local x, y, z, w = check.quat(value, "assembly.", "rotation")
	local code = C.screeAssembly_SetRotation(pointer, self[ID], x, y, z, w)
	if code < 0 then
		fail(self, code, "assembly.rotation: ")
	end
end

-- ---- actions -------------------------------------------------------------------------------------------------------

-- Only what is dynamic gives way to a push. To push what is static or kinematic is no mistake (an explosion pushes all
-- that is near): it does nothing, and the result says so.
local function gives_way(self, pointer)
	return C.screeAssembly_GetMotion(pointer, self[ID]) == C.SCREE_DYNAMIC
end

---A force in N during the next step, at a world point or the centre of mass.
---@param force scree.vec3|number[]
---@param at (scree.vec3|number[])?
---@return boolean dynamic false: it is static or kinematic and does not give way
function methods.apply_force(self, force, at)
	local pointer = object.alive(self, class, "apply_force")
	check.vec3_into(vector_a, force, "apply_force: ", "force")
	local point = at ~= nil and check.vec3_into(vector_b, at, "apply_force: ", "at") or nil
	local code = C.screeAssembly_ApplyForce(pointer, self[ID], vector_a, point)
	succeed(self, code, "apply_force: ")
	return gives_way(self, pointer)
end

---An impulse in N s at once, at a world point or the centre of mass.
---@param impulse scree.vec3|number[]
---@param at (scree.vec3|number[])?
---@return boolean dynamic as in apply_force
function methods.apply_impulse(self, impulse, at)
	local pointer = object.alive(self, class, "apply_impulse")
	check.vec3_into(vector_a, impulse, "apply_impulse: ", "impulse")
	local point = at ~= nil and check.vec3_into(vector_b, at, "apply_impulse: ", "at") or nil
	local code = C.screeAssembly_ApplyImpulse(pointer, self[ID], vector_a, point)
	succeed(self, code, "apply_impulse: ")
	return gives_way(self, pointer)
end

---A torque in N m during the next step.
---@param torque scree.vec3|number[]
---@return boolean dynamic as in apply_force
function methods.apply_torque(self, torque)
	local pointer = object.alive(self, class, "apply_torque")
	check.vec3_into(vector_a, torque, "apply_torque: ", "torque")
	succeed(self, C.screeAssembly_ApplyTorque(pointer, self[ID], vector_a), "apply_torque: ")
	return gives_way(self, pointer)
end

---An angular impulse in N m s at once.
---@param impulse scree.vec3|number[]
---@return boolean dynamic as in apply_force
function methods.apply_angular_impulse(self, impulse)
	local pointer = object.alive(self, class, "apply_angular_impulse")
	check.vec3_into(vector_a, impulse, "apply_angular_impulse: ", "impulse")
	local code = C.screeAssembly_ApplyAngularImpulse(pointer, self[ID], vector_a)
	succeed(self, code, "apply_angular_impulse: ")
	return gives_way(self, pointer)
end

function methods.wake(self)
	local code = C.screeAssembly_Wake(object.alive(self, class, "wake"), self[ID])
	succeed(self, code, "wake: ")
end

function methods.sleep(self)
	local code = C.screeAssembly_Sleep(object.alive(self, class, "sleep"), self[ID])
	succeed(self, code, "sleep: ")
end

function methods.destroy(self)
	local pointer = object.alive(self, class, "destroy")
	local joints = assembly.joint_objects(self[STATE], self[ID])
	local code = C.screeAssembly_Destroy(pointer, self[ID])
	succeed(self, code, "destroy: ")
	if joints then
		assembly.forget_joints(joints)
	end
	forget(self)
end

local reason = ffi.new "const char *[1]"

---In words: why it does not sleep, or that it does.
---@return string
function methods.why_awake(self)
	local code = C.screeAssembly_WhyAwake(object.alive(self, class, "why_awake"), self[ID], reason)
	succeed(self, code, "why_awake: ")
	return ffi.string(reason[0])
end

---Kinematic only: the velocities that bring it there in dt seconds (1/60); without a rotation it keeps its own.
---@param position scree.vec3|number[]
---@param rotation (scree.quat|number[])?
---@param dt number?
function methods.move_to(self, position, rotation, dt)
	local pointer = object.alive(self, class, "move_to")
	check.vec3_into(vector_a, position, "move_to: ", "position")
	local turn
	if rotation ~= nil then
		turn = rotation4
		turn[0], turn[1], turn[2], turn[3] = check.quat(rotation, "move_to: ", "rotation")
	end
	dt = dt == nil and 1 / 60 or check.positive(dt, "move_to: ", "dt")
	local code = C.screeAssembly_MoveTo(pointer, self[ID], vector_a, turn, dt)
	succeed(self, code, "move_to: ")
end

-- ---- questions -----------------------------------------------------------------------------------------------------

---A point of the assembly's frame in the world.
---@param point scree.vec3|number[]
---@return scree.vec3
function methods.to_world(self, point)
	object.alive(self, class, "to_world")
	local p = Vec3(check.vec3(point, "to_world: ", "point"))
	return self.rotation * p + self.position
end

---A world point in the assembly's frame.
---@param point scree.vec3|number[]
---@return scree.vec3
function methods.to_local(self, point)
	object.alive(self, class, "to_local")
	local p = Vec3(check.vec3(point, "to_local: ", "point"))
	return quat.conjugate(self.rotation) * (p - self.position)
end

---The velocity of the assembly's matter at a world point.
---@param point scree.vec3|number[]
---@return scree.vec3
function methods.velocity_at(self, point)
	local pointer = object.alive(self, class, "velocity_at")
	check.vec3_into(vector_a, point, "velocity_at: ", "point")
	succeed(self, C.screeAssembly_GetVelocityAt(pointer, self[ID], vector_a, out), "velocity_at: ")
	return Vec3(out[0], out[1], out[2])
end

---The box around it, in the world's axes.
---@return scree.vec3 min
---@return scree.vec3 max
function methods.bounds(self)
	local code = C.screeAssembly_GetBounds(object.alive(self, class, "bounds"), self[ID], out)
	succeed(self, code, "bounds: ")
	return Vec3(out[0], out[1], out[2]), Vec3(out[3], out[4], out[5])
end

---The inertia about the centre of mass in the assembly's axes: nine numbers, row after row, kg m2.
function methods.inertia_tensor(self)
	local code = C.screeAssembly_GetInertia(object.alive(self, class, "inertia_tensor"), self[ID], out)
	succeed(self, code, "inertia_tensor: ")
	return out[0], out[1], out[2], out[3], out[4], out[5], out[6], out[7], out[8]
end

---The triangles of a part that is a hull or a mesh, in the part's frame: as terrain:mesh() gives them, but each has
---three corners of its own.
---@param part integer from 1
---@return scree.Mesh
function methods.part_mesh(self, part)
	local pointer = object.alive(self, class, "part_mesh")
	local count = C.screeAssembly_PartCount(pointer, self[ID])
	if count < 0 then
		fail(self, count, "part_mesh: ")
	end
	check.whole(part, 1, count, "part_mesh: ", "part")
	local code = C.screeAssembly_PartMesh(pointer, self[ID], part - 1, mesh_buffers.slot)
	succeed(self, code, "part_mesh: ")
	return mesh_buffers.take(pointer, "part_mesh: ")
end

local function contact_table(state, contact)
	local other = contact.other
	local result = {
		other = other ~= 0 and assembly.of(state, other) or nil,
		terrain = other == 0,
		part = contact.part + 1,
		other_part = other ~= 0 and contact.other_part + 1 or nil,
		material = materials.name(state, contact.material),
		normal = Vec3(contact.normal[0], contact.normal[1], contact.normal[2]),
		points = {},
	}
	for i = 1, contact.point_count do
		local p = contact.position[i - 1]
		result.points[i] = {
			position = Vec3(p[0], p[1], p[2]),
			separation = contact.separation[i - 1],
			impulse = contact.impulse[i - 1],
		}
	end
	return result
end

local contacts_out = ffi.new "const ScreeContact *[1]"

---What it touches: a list, which a generic for may also call.
---@return scree.Contact[]
function methods.contacts(self)
	local pointer = object.alive(self, class, "contacts")
	local count = C.screeAssembly_Contacts(pointer, self[ID], contacts_out)
	if count < 0 then
		fail(self, count, "contacts: ")
	end
	local list, contacts = {}, contacts_out[0]
	for i = 1, count do
		list[i] = contact_table(self[STATE], contacts[i - 1])
	end
	return object.callable(list)
end

return assembly
