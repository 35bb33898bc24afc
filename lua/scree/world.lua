-- world: assemblies, terrain and time. A world that is dropped is collected with everything in it; destroy does so at
-- once. Its objects keep it alive.

local ffi = require "ffi"
local raise = require "scree.raise"
local check = require "scree.check"
local object = require "scree.object"
local bridge = require "scree.ffi"
local groups = require "scree.groups"
local handles = require "scree.handles"
local materials = require "scree.materials"
local shape = require "scree.shape"
local assembly = require "scree.assembly"
local breaking = require "scree.breaking"
local events = require "scree.events"
local joint = require "scree.joint"
local terrain = require "scree.terrain"
local vec3 = require "scree.vec3"
raise.own()

local C = bridge.C
local POINTER, STATE = object.POINTER, object.STATE
local Vec3 = vec3.type

local class = object.class("world", function()
	return "the world"
end)
object.private(class)
local getters, setters = class.getters, class.setters

---@class scree.World
local methods = class.methods

local world = { class = class }

-- ---- making and unmaking -------------------------------------------------------------------------------------------

-- C's memory is not seen by Lua's collector: when many worlds lie about, a full collection finds those that nobody
-- holds any more.
local live, collect_at = 0, 16

local function close(pointer)
	live = live - 1
	return C.screeWorld_Destroy(ffi.gc(pointer, nil))
end

local function opened(pointer)
	local owned = ffi.gc(pointer, close)
	live = live + 1
	if live >= collect_at then
		collectgarbage()
		collect_at = math.max(16, 2 * live)
	end
	return owned
end

local SLEEP_FIELDS = { "enabled", "rule", "linear", "angular", "time", "balance", "wake" }
local rules = check.choices { "impulse", 0, "velocity", 1 }
local SLEEP = check.names(SLEEP_FIELDS)

-- Changes the given fields of a ScreeSleep; reads and checks all before it writes.
local function read_sleep(value, sleep, where)
	check.table(value, where, "sleep")
	where = where .. "sleep."
	check.keys(value, SLEEP, where)
	local enabled, linear, angular, time = value.enabled, value.linear, value.angular, value.time
	enabled = enabled == nil and sleep.enabled or check.boolean(enabled, where, "enabled") and 1 or 0
	linear = linear == nil and sleep.linear or check.not_negative(linear, where, "linear")
	angular = angular == nil and sleep.angular or check.not_negative(angular, where, "angular")
	time = time == nil and sleep.time or check.not_negative(time, where, "time")
	local rule, balance, wake = value.rule, value.balance, value.wake
	rule = rule == nil and sleep.rule or check.choice(rule, rules, where, "rule")
	balance = balance == nil and sleep.balance or check.not_negative(balance, where, "balance")
	wake = wake == nil and sleep.wake or check.not_negative(wake, where, "wake")
	sleep.rule, sleep.balance, sleep.wake = rule, balance, wake
	sleep.enabled, sleep.linear, sleep.angular, sleep.time = enabled, linear, angular, time
end

local WORLD = check.names {
	"gravity", "cell_size", "substeps", "threads", "seed", "sleep", "narrowphase", "broadphase", "collider_budget",
	"snapshot_budget",
}
local narrowphases = check.choices { "kdtree", 0, "lattice", 1 }
local broadphases = check.choices { "bits", 0, "boxes", 1 }

local function read_world(options, def)
	local where = "world: "
	check.table(options, where, "options")
	check.keys(options, WORLD, where)
	if options.gravity ~= nil then
		check.vec3_into(def.gravity, options.gravity, where, "gravity")
	end
	if options.cell_size ~= nil then
		def.cell_size = check.positive(options.cell_size, where, "cell_size")
	end
	if options.substeps ~= nil then
		def.substeps = check.whole(options.substeps, 1, 64, where, "substeps")
	end
	if options.threads ~= nil then
		def.threads = check.whole(options.threads, 1, 64, where, "threads")
	end
	if options.seed ~= nil then
		def.seed = check.whole(options.seed, -2 ^ 53, 2 ^ 53, where, "seed")
	end
	if options.narrowphase ~= nil then
		def.narrowphase = check.choice(options.narrowphase, narrowphases, where, "narrowphase")
	end
	if options.collider_budget ~= nil then
		def.collider_budget = check.whole(options.collider_budget, 0, 2 ^ 53, where, "collider_budget")
	end
	if options.snapshot_budget ~= nil then
		def.snapshot_budget = check.whole(options.snapshot_budget, 0, 2 ^ 53, where, "snapshot_budget")
	end
	if options.broadphase ~= nil then
		def.broadphase = check.choice(options.broadphase, broadphases, where, "broadphase")
	end
	if options.sleep ~= nil then
		read_sleep(options.sleep, def.sleep, where)
	end
end

--- The Lua side of a world that C has made.
---@return table state
function world.around(made, def)
	local pointer = opened(made)
	local state = {
		pointer = pointer,
		assemblies = handles.new(),
		joints = handles.new(),
		groups = groups.new(),
		handlers = {}, -- of events, in order of connection
		stepped_version = 0, -- the terrain's version that the last step met
		owed = 0, -- seconds that advance has not stepped yet
		cell_size = def.cell_size,
		substeps = def.substeps,
		threads = def.threads,
		seed = def.seed,
		narrowphase = narrowphases.name[def.narrowphase],
		collider_budget = def.collider_budget,
		snapshot_budget = def.snapshot_budget,
		broadphase = broadphases.name[def.broadphase],
	}
	events.start(state)
	state.materials = materials.new(state)
	state.terrain = terrain.new(state)
	state.world = setmetatable({ [POINTER] = pointer, [STATE] = state }, class.meta)
	if world.on_made then -- a tool looks on, see hook.lua
		world.on_made(state.world)
	end
	return state
end

---@param options scree.WorldOptions?
---@return scree.World
function world.new(options)
	local def = ffi.new "ScreeWorldDef"
	C.scree_world_defaults(def)
	if options ~= nil then
		read_world(options, def)
	end
	local slot, message = ffi.new "ScreeWorld *[1]", ffi.new "char[512]"
	local code = C.screeWorld_Create(def, slot, message, 512)
	if code < 0 then
		raise.error("world: " .. (code == C.SCREE_OUT_OF_MEMORY and "out of memory" or ffi.string(message)))
	end
	return world.around(slot[0], def).world
end

---Ends the world and all that is in it now, rather than when it is collected.
function methods.destroy(self)
	local pointer = object.alive(self, class, "destroy")
	local state = self[STATE]
	events.leave(state)
	handles.forget_all(state.assemblies)
	handles.forget_all(state.joints)
	state.pointer, state.terrain[POINTER], self[POINTER] = nil, nil, nil
	state.handlers = {}
	local kept = close(pointer)
	if kept ~= 0 then
		raise.error(("destroy: a defect of the library, %.0f bytes were not given back"):format(kept))
	end
end

-- ---- properties ----------------------------------------------------------------------------------------------------

local function alive(self, what)
	return self[POINTER] or object.dead(self, class, what)
end

local out = ffi.new "double[4]"

function getters.time(self)
	return C.screeWorld_Time(alive(self, "world.time"))
end

function getters.step_count(self)
	return C.screeWorld_StepCount(alive(self, "world.step_count"))
end

function getters.gravity(self)
	C.screeWorld_GetGravity(alive(self, "world.gravity"), out)
	return Vec3(out[0], out[1], out[2])
end

function setters.gravity(self, value)
	local pointer = alive(self, "world.gravity")
	local x, y, z = check.vec3(value, "world.", "gravity")
	local code = C.screeWorld_SetGravity(pointer, x, y, z)
	if code < 0 then
		bridge.failed(pointer, code, "world.gravity: ")
	end
end

function getters.sleep(self)
	local sleep = ffi.new "ScreeSleep"
	C.screeWorld_GetSleep(alive(self, "world.sleep"), sleep)
	return object.frozen({
		enabled = sleep.enabled ~= 0,
		linear = sleep.linear,
		angular = sleep.angular,
		time = sleep.time,
		rule = rules.name[sleep.rule],
		balance = sleep.balance,
		wake = sleep.wake,
	}, SLEEP_FIELDS, "world.sleep", "assign what is to change, world.sleep = { time = 1 }")
end

function setters.sleep(self, value)
	local pointer = alive(self, "world.sleep")
	local sleep = ffi.new "ScreeSleep"
	C.screeWorld_GetSleep(pointer, sleep)
	read_sleep(value, sleep, "world.")
	local code = C.screeWorld_SetSleep(pointer, sleep)
	if code < 0 then
		bridge.failed(pointer, code, "world.sleep: ")
	end
end

function getters.stats(self)
	local pointer = alive(self, "world.stats")
	local s = ffi.new "ScreeStats"
	local code = C.screeWorld_Stats(pointer, s)
	if code < 0 then
		bridge.failed(pointer, code, "world.stats: ")
	end
	local stages, i = {}, 0
	while i < 10 and C.screeWorld_StageName(i) ~= nil do
		stages[ffi.string(C.screeWorld_StageName(i))] = s.stage_ms[i]
		i = i + 1
	end
	return {
		assemblies = s.assemblies,
		awake = s.awake,
		checking = s.checking,
		asleep = s.asleep,
		static = s.bodies_static,
		kinematic = s.bodies_kinematic,
		joints = s.joints,
		contacts = s.contacts,
		points = s.points,
		step_ms = s.step_ms,
		bytes = s.bytes,
		stages = stages,
		terrain = {
			chunks = s.terrain_chunks,
			records = s.terrain_records,
			colliders = s.terrain_colliders,
			triangles = s.terrain_triangles,
			mesh_bytes = s.terrain_mesh_bytes,
			index_bytes = s.terrain_index_bytes,
			record_bytes = s.terrain_record_bytes,
			cells = s.terrain_cells,
			bytes = s.terrain_bytes,
			undos = s.undo_groups,
			redos = s.redo_groups,
			undo_bytes = s.undo_bytes,
			contacts = s.ground_contacts,
			water_contacts = s.ground_water_contacts,
			tested = s.ground_tested,
			refused = s.ground_refused,
			points = s.ground_points,
			opened = s.ground_opened,
			barren = s.ground_barren,
		},
	}
end

function getters.terrain(self)
	alive(self, "world.terrain")
	return self[STATE].terrain
end

-- Fixed when the world is made.
local FIXED = {
	"materials", "cell_size", "substeps", "threads", "seed", "narrowphase", "broadphase", "collider_budget",
	"snapshot_budget",
}
for _, name in ipairs(FIXED) do
	local what = "world." .. name
	getters[name] = function(self)
		alive(self, what)
		return self[STATE][name]
	end
end

-- ---- assemblies ----------------------------------------------------------------------------------------------------

local function joined(...)
	local names = {}
	for _, list in ipairs { ... } do
		for _, name in ipairs(list) do
			names[#names + 1] = name
		end
	end
	return check.names(names)
end

local PART = joined({ "shape", "position", "rotation" }, shape.DIMENSIONS, shape.SURFACE)
local SPAWN = joined({
	"shape", "parts", "position", "rotation", "velocity", "angular_velocity", "motion", "bullet", "gravity_scale",
	"can_sleep", "tag", "mass", "center_of_mass", "inertia",
}, shape.DIMENSIONS, shape.SURFACE)

local PART_LIMIT = 2 ^ 16

-- What is told C of an assembly, one for all: no call that makes one is made within another.
local def, single, anchors = ffi.new "ScreeAssemblyDef", ffi.new "ScreePart[1]", {}

-- The parts of an assembly as a C array.
local function read_parts(state, options, trial)
	local list = options.parts
	if list == nil then
		local part = single[0]
		C.scree_part_defaults(part)
		shape.read(options, part, "spawn: ", anchors)
		shape.read_surface(state, options, nil, part, "spawn: ", trial)
		return single, 1
	end
	for _, key in ipairs(joined({ "shape" }, shape.DIMENSIONS).list) do
		if options[key] ~= nil then
			raise.error(("spawn: %s belongs into the parts"):format(key))
		end
	end
	local n = check.list(list, 1, PART_LIMIT, "spawn: ", "parts")
	local parts = ffi.new("ScreePart[?]", n)
	for i = 1, n do
		local t, part = list[i], parts[i - 1]
		check.table(t, "spawn: ", "parts[" .. i .. "]")
		local where = "spawn: parts[" .. i .. "]."
		check.keys(t, PART, where)
		C.scree_part_defaults(part)
		shape.read(t, part, where, anchors)
		shape.read_place(t, part, where)
		shape.read_surface(state, t, options, part, where, trial)
	end
	return parts, n
end

local function read_body(options)
	local where = "spawn: "
	if options.position ~= nil then
		check.vec3_into(def.position, options.position, where, "position")
	end
	if options.rotation ~= nil then
		local r = def.rotation
		r[0], r[1], r[2], r[3] = check.quat(options.rotation, where, "rotation")
	end
	if options.velocity ~= nil then
		check.vec3_into(def.velocity, options.velocity, where, "velocity")
	end
	if options.angular_velocity ~= nil then
		local w = def.angular_velocity
		check.vec3_into(w, options.angular_velocity, where, "angular_velocity")
	end
	if options.gravity_scale ~= nil then
		def.gravity_scale = check.number(options.gravity_scale, where, "gravity_scale")
	end
	if options.motion == nil and shape.has_mesh(def.parts, def.part_count) then
		def.motion = C.SCREE_STATIC
	elseif options.motion ~= nil then
		def.motion = check.choice(options.motion, assembly.motions, where, "motion")
	end
	if options.bullet ~= nil then
		def.bullet = check.boolean(options.bullet, where, "bullet") and 1 or 0
	end
	if options.can_sleep ~= nil then
		def.can_sleep = check.boolean(options.can_sleep, where, "can_sleep") and 1 or 0
	end
	if options.mass ~= nil then
		def.mass = check.positive(options.mass, where, "mass")
	end
	if options.center_of_mass ~= nil then
		local c = def.center_of_mass
		check.vec3_into(c, options.center_of_mass, where, "center_of_mass")
		def.has_center_of_mass = 1
	end
	if options.inertia ~= nil then
		check.inertia(options.inertia, def.inertia, where, "inertia")
		def.has_inertia = 1
	end
end

---Makes an assembly. What is wrong with the file of a mesh is nil, message; all else that is wrong raises.
---@param options scree.SpawnOptions
---@return scree.Assembly? assembly
---@return string? message
function methods.spawn(self, options)
	local pointer = object.alive(self, class, "spawn")
	local state = self[STATE]
	check.table(options, "spawn: ", "options")
	check.keys(options, SPAWN, "spawn: ")
	local trial = groups.trial(state.groups)
	C.scree_assembly_defaults(def)
	for i = #anchors, 1, -1 do
		anchors[i] = nil
	end
	local parts, count = read_parts(state, options, trial)
	def.parts, def.part_count = parts, count
	read_body(options)
	local tag = options.tag
	state.held_parts = parts -- out of the collector's reach while C reads them
	local code = C.screeAssembly_Create(pointer, def, out)
	state.held_parts = nil
	if code < 0 then
		return nil, bridge.failed_file(pointer, code, "spawn: ") -- of a mesh's file
	end
	groups.commit(trial)
	local result = assembly.of(state, out[0])
	rawset(result, "tag", tag)
	return result
end

---All assemblies in order of creation. What is made during the loop is not in it, what is destroyed is left out.
---@return fun(): scree.Assembly?
function methods.assemblies(self)
	local pointer = object.alive(self, class, "assemblies")
	local state = self[STATE]
	local count = C.screeWorld_Assemblies(pointer, nil, 0)
	local ids = ffi.new("double[?]", math.max(count, 1))
	count = C.screeWorld_Assemblies(pointer, ids, count)
	local i = 0
	return function()
		while i < count and state.pointer do
			i = i + 1
			if C.screeAssembly_IsValid(state.pointer, ids[i - 1]) == 1 then
				return assembly.of(state, ids[i - 1])
			end
		end
	end
end

local digits = ffi.new "char[17]"

---16 hexadecimal digits over all simulated state.
---@return string
function methods.hash(self)
	local pointer = object.alive(self, class, "hash")
	local code = C.screeWorld_Hash(pointer, digits)
	if code < 0 then
		bridge.failed(pointer, code, "hash: ")
	end
	return ffi.string(digits, 16)
end

joint.install(class)
events.install(class)
require("scree.stepping").install(class)
require("scree.query").install(class)
require("scree.render").install(class)
breaking.install_assembly(assembly.class, terrain)
breaking.install_world(class, terrain)

return world
