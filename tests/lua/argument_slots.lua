-- Every argument of every function: the words of the message that refuses it, how it is used, and wrong values of its
-- kind.

local scree = require "scree"
local gltf = require "scree.gltf"
local record = require "scree.record"
local replay = require "scree.replay"
local support = require "support"

local NAN, INF = support.NAN, support.INF

-- ---- wrong values --------------------------------------------------------------------------------------------------

local NOT_NUMBERS = { NAN, INF, -INF, 1e38, -1e38, "1", "", true, {}, print, scree.vec3(1, 2, 3) }

local function with(list, ...)
	local result = {}
	for _, value in ipairs(list) do
		result[#result + 1] = value
	end
	for _, value in ipairs { ... } do
		result[#result + 1] = value
	end
	return result
end

local NOT_VECTORS = {
	0, "1", true, print, {}, { 1 }, { 1, 2 }, { 1, 2, 3, 4 }, { x = 1, y = 2, z = 3 }, { 1, 2, 3, w = 4 }, { "1", 2, 3 },
	scree.quat(0, 0, 0, 1), { 1, 2, false }, { { 1, 2, 3 } },
}
for _, bad in ipairs { NAN, INF, -INF, 1e38 } do
	for i = 1, 3 do
		local vector = { 1, 2, 3 }
		vector[i] = bad
		NOT_VECTORS[#NOT_VECTORS + 1] = vector
	end
end
NOT_VECTORS[#NOT_VECTORS + 1] = scree.vec3(1, 2, 3) / 0
NOT_VECTORS[#NOT_VECTORS + 1] = scree.vec3(0, 2, 3) / 0

local NOT_ROTATIONS = {
	0, "1", true, {}, { 0, 0, 0 }, { 0, 0, 0, 0 }, { 0, 0, 0, 1, 0 }, { 0, NAN, 0, 1 }, { 0, 0, 0, INF },
	{ 1e38, 0, 0, 1 }, { x = 0, y = 0, z = 0, w = 1 }, { 0, 0, 0, 1, x = 0 }, scree.vec3(1, 2, 3), { 0, 0, 0, "1" },
}

local BAD = {
	number = NOT_NUMBERS,
	positive = with(NOT_NUMBERS, 0, -1),
	not_negative = with(NOT_NUMBERS, -1, -5e-324),
	fraction = with(NOT_NUMBERS, -0.01, 1.01),
	whole = with(NOT_NUMBERS, 0.5, -1e-300),
	count = with(NOT_NUMBERS, 0.5, -1),
	vector = NOT_VECTORS,
	size = with(NOT_VECTORS, { 0, 1, 1 }, { 1, -1, 1 }),
	scale = { 0, -1, NAN, INF, "1", true, { 1, 2 }, { 0, 1, 1 }, { 1, -1, 1 }, { 1, 1, NAN } },
	cells = with(NOT_VECTORS, { 0, 0.5, 0 }, { 0, 0, 2 ^ 31 }),
	rotation = NOT_ROTATIONS,
	budget = { NAN, -INF, 1e38, -1e38, -1, "1", "", true, {}, print, scree.vec3(1, 2, 3) }, -- infinity: without limit
	limits = with(NOT_VECTORS, { 1, 0 }, { NAN, 1 }, { 0, INF }, { -1e38, 0 }, { 0, 1, 2 }, { low = 0, high = 1 }),
	angle = with(NOT_NUMBERS, -0.1, 3.2),
	boolean = { 0, 1, "true", {}, NAN },
	material = { 0, true, {}, "rok", "", "Rock", "rock\0", "rock " },
	body_material = { 0, true, {}, "rok", "", "air", "water" },
	word = { 0, true, {}, "", "nonsense", NAN },
	list = { 0, "x", true, {} },
	call = { 0, "x", true, {} },
	undo_name = { 0, true, {}, "", "a\0b", ("x"):rep(64) },
	path = { 0, true, {}, "", "a\0b" },
	table = { 0, "x", true, print },
	string = { 0, true, {}, print, NAN },
	recordings = { 0, "x", true, print, { 1 }, { {} }, { scree.world {} } },
	ground = { 0, 1, "x", {}, print },
}

-- ---- arguments -----------------------------------------------------------------------------------------------------

-- { words of the message, kind, optional?, use(context, value) }; a required argument must refuse nil as well.
local REQUIRED, OPTIONAL = false, true
local slots = {}

local function slot(words, kind, optional, use)
	slots[#slots + 1] = { words = words, kind = kind, optional = optional, use = use }
end

slot({ "world: gravity" }, "vector", OPTIONAL, function(_, v) scree.world { gravity = v } end)
slot({ "world: cell_size" }, "positive", OPTIONAL, function(_, v) scree.world { cell_size = v } end)
slot({ "world: substeps" }, "count", OPTIONAL, function(_, v) scree.world { substeps = v } end)
slot({ "world: threads" }, "count", OPTIONAL, function(_, v) scree.world { threads = v } end)
slot({ "world: seed" }, "whole", OPTIONAL, function(_, v) scree.world { seed = v } end)
slot({ "world: narrowphase" }, "word", OPTIONAL, function(_, v) scree.world { narrowphase = v } end)
slot({ "world: collider_budget" }, "count", OPTIONAL, function(_, v) scree.world { collider_budget = v } end)
slot({ "world: snapshot_budget" }, "count", OPTIONAL, function(_, v) scree.world { snapshot_budget = v } end)
slot({ "world: broadphase" }, "word", OPTIONAL, function(_, v) scree.world { broadphase = v } end)
slot({ "world: sleep.linear" }, "not_negative", OPTIONAL, function(_, v) scree.world { sleep = { linear = v } } end)
slot({ "world: options" }, "table", OPTIONAL, function(_, v) scree.world(v) end)

slot({ "world.gravity" }, "vector", REQUIRED, function(c, v) c.world.gravity = v end)
slot({ "world.sleep" }, "table", REQUIRED, function(c, v) c.world.sleep = v end)
slot({ "world.sleep.enabled" }, "boolean", OPTIONAL, function(c, v) c.world.sleep = { enabled = v } end)
slot({ "world.sleep.linear" }, "not_negative", OPTIONAL, function(c, v) c.world.sleep = { linear = v } end)
slot({ "world.sleep.angular" }, "not_negative", OPTIONAL, function(c, v) c.world.sleep = { angular = v } end)
slot({ "world.sleep.rule" }, "word", OPTIONAL, function(c, v) c.world.sleep = { rule = v } end)
slot({ "world.sleep.balance" }, "not_negative", OPTIONAL, function(c, v) c.world.sleep = { balance = v } end)
slot({ "world.sleep.wake" }, "not_negative", OPTIONAL, function(c, v) c.world.sleep = { wake = v } end)
slot({ "world.sleep.time" }, "not_negative", OPTIONAL, function(c, v) c.world.sleep = { time = v } end)
slot({ "step: dt" }, "not_negative", OPTIONAL, function(c, v) c.world:step(v, 0) end)
slot({ "step: count" }, "count", OPTIONAL, function(c, v) c.world:step(0, v) end)
slot({ "run: seconds" }, "not_negative", REQUIRED, function(c, v) c.world:run(v) end)
slot({ "settle: max_seconds" }, "not_negative", REQUIRED, function(c, v) c.world:settle(v) end)
slot({ "advance: real_dt" }, "not_negative", REQUIRED, function(c, v) c.world:advance(v) end)
slot({ "render: path" }, "path", REQUIRED, function(c, v) c.world:render(v, { size = { 1, 1 } }) end)
slot({ "render: opts" }, "table", OPTIONAL, function(c, v) c.world:render("none/x.png", v) end)
for name, kind in pairs { from = "vector", look = "vector", sun = "vector", fov = "positive", joints = "boolean",
	colors = "word", samples = "word", size = "list" } do
	slot({ "render: opts." .. name }, kind, OPTIONAL, function(c, v)
		c.world:render("none/x.png", { size = { 1, 1 }, samples = 1, [name] = v })
	end)
end
slot({ "events: kind" }, "word", OPTIONAL, function(c, v) c.world:events(v) end)
slot({ "on: kind" }, "word", REQUIRED, function(c, v) c.world:on(v, print) end)
slot({ "on: fn" }, "call", REQUIRED, function(c, v) c.world:on("hit", v) end)

for name, kind in pairs {
	every = "count", arrows = "count", ground = "ground", events = "boolean", on_frame = "call",
} do
	slot({ "record.start: " .. name }, kind, OPTIONAL, function(_, v) record.start({ [name] = v }).finish() end)
end
slot({ "record.start: options" }, "table", OPTIONAL, function(_, v) record.start(v).finish() end)
slot({ "replay.page: recordings" }, "recordings", REQUIRED, function(_, v) replay.page(v) end)
slot({ "replay.page: options" }, "table", OPTIONAL, function(_, v) replay.page({}, v) end)
for name, kind in pairs {
	title = "string", message = "string", start = "not_negative", select = "count", watch = "count",
} do
	slot({ "replay.page: " .. name }, kind, OPTIONAL, function(_, v) replay.page({}, { [name] = v }) end)
end
slot({ "gltf.write: recordings" }, "recordings", REQUIRED, function(_, v) gltf.write(v, "none/x.glb") end)
slot({ "gltf.write: path" }, "path", REQUIRED, function(_, v) gltf.write({}, v) end)

for _, field in ipairs { "density", "friction", "restitution", "rolling", "hardness", "blockiness", "color" } do
	local kinds = { density = "positive", restitution = "fraction", blockiness = "fraction", color = "count" }
	slot({ "materials.rock: " .. field }, kinds[field] or "not_negative", OPTIONAL, function(c, v)
		c.world.materials.rock = { [field] = v }
	end)
end
slot({ "materials.rock" }, "table", OPTIONAL, function(c, v) c.world.materials.rock = v or {} end)

-- A table for spawn or a part in which only `key` may be wrong.
local function shape_with(key, v)
	if key == "path" then
		return { shape = "mesh", path = v }
	elseif key == "vertices" or key == "indices" or key == "scale" then
		local mesh = { shape = "mesh", vertices = { 0, 0, 0, 0, 0, 1, 1, 0, 0 }, indices = { 1, 2, 3 } }
		mesh[key] = v
		return mesh
	end
	local shape = ({ length = "capsule", size = "box", points = "hull" })[key] or "ball"
	local options = {
		shape = shape,
		radius = (shape == "ball" or shape == "capsule") and 1 or nil,
		length = shape == "capsule" and 1 or nil,
	}
	options[key] = v
	return options
end

local function spawn_slot(key, kind, optional)
	slot({ "spawn: " .. key }, kind, optional, function(c, v)
		c.world:spawn(shape_with(key, v))
	end)
	slot({ "spawn: parts[2]." .. key }, kind, optional, function(c, v)
		c.world:spawn { parts = { { shape = "ball", radius = 1 }, shape_with(key, v) } }
	end)
end

spawn_slot("shape", "word", REQUIRED)
spawn_slot("radius", "positive", REQUIRED)
spawn_slot("length", "positive", REQUIRED)
spawn_slot("size", "size", REQUIRED)
spawn_slot("points", "list", REQUIRED)
spawn_slot("path", "path", REQUIRED)
spawn_slot("vertices", "list", REQUIRED)
spawn_slot("indices", "list", REQUIRED)
spawn_slot("scale", "scale", OPTIONAL)
spawn_slot("position", "vector", OPTIONAL)
spawn_slot("rotation", "rotation", OPTIONAL)
spawn_slot("material", "body_material", OPTIONAL)
spawn_slot("density", "positive", OPTIONAL)
spawn_slot("friction", "not_negative", OPTIONAL)
spawn_slot("restitution", "fraction", OPTIONAL)
spawn_slot("rolling", "not_negative", OPTIONAL)

local function ball_with(key, v)
	return { shape = "ball", radius = 1, [key] = v }
end

slot({ "spawn: velocity" }, "vector", OPTIONAL, function(c, v) c.world:spawn(ball_with("velocity", v)) end)
slot({ "spawn: angular_velocity" }, "vector", OPTIONAL, function(c, v)
	c.world:spawn(ball_with("angular_velocity", v))
end)
slot({ "spawn: gravity_scale" }, "number", OPTIONAL, function(c, v) c.world:spawn(ball_with("gravity_scale", v)) end)
slot({ "spawn: mass" }, "positive", OPTIONAL, function(c, v) c.world:spawn(ball_with("mass", v)) end)
slot({ "spawn: center_of_mass" }, "vector", OPTIONAL, function(c, v)
	c.world:spawn(ball_with("center_of_mass", v))
end)
slot({ "spawn: inertia" }, "size", OPTIONAL, function(c, v) c.world:spawn(ball_with("inertia", v)) end)
slot({ "spawn: motion" }, "word", OPTIONAL, function(c, v) c.world:spawn(ball_with("motion", v)) end)
slot({ "spawn: bullet" }, "boolean", OPTIONAL, function(c, v) c.world:spawn(ball_with("bullet", v)) end)
slot({ "spawn: can_sleep" }, "boolean", OPTIONAL, function(c, v) c.world:spawn(ball_with("can_sleep", v)) end)
slot({ "spawn: group" }, "count", OPTIONAL, function(c, v)
	c.world:spawn(ball_with("group", type(v) == "string" and {} or v)) -- a string is the name of a group
end)
slot({ "spawn: parts" }, "list", REQUIRED, function(c, v) c.world:spawn { parts = v == nil and {} or v } end)
slot({ "spawn: options" }, "table", REQUIRED, function(c, v) c.world:spawn(v) end)

slot({ "assembly.position" }, "vector", REQUIRED, function(c, v) c.body.position = v end)
slot({ "assembly.rotation" }, "rotation", REQUIRED, function(c, v) c.body.rotation = v end)
slot({ "assembly.velocity" }, "vector", REQUIRED, function(c, v) c.body.velocity = v end)
slot({ "assembly.angular_velocity" }, "vector", REQUIRED, function(c, v) c.body.angular_velocity = v end)
slot({ "assembly.mass" }, "positive", REQUIRED, function(c, v) c.body.mass = v end)
slot({ "assembly.center_of_mass" }, "vector", REQUIRED, function(c, v) c.body.center_of_mass = v end)
slot({ "assembly.inertia" }, "size", REQUIRED, function(c, v) c.body.inertia = v end)
slot({ "part.material" }, "body_material", REQUIRED, function(c, v) c.body.parts[1].material = v end)
slot({ "part.density" }, "positive", OPTIONAL, function(c, v) c.body.parts[1].density = v end)
slot({ "part.friction" }, "not_negative", OPTIONAL, function(c, v) c.body.parts[1].friction = v end)
slot({ "part.restitution" }, "fraction", OPTIONAL, function(c, v) c.body.parts[1].restitution = v end)
slot({ "part.rolling" }, "not_negative", OPTIONAL, function(c, v) c.body.parts[1].rolling = v end)
slot({ "part.group" }, "count", REQUIRED, function(c, v)
	c.body.parts[1].group = type(v) == "string" and {} or v -- a string is the name of a group
end)
slot({ "assembly.motion" }, "word", REQUIRED, function(c, v) c.body.motion = v end)
slot({ "assembly.can_sleep" }, "boolean", REQUIRED, function(c, v) c.body.can_sleep = v end)
slot({ "assembly.bullet" }, "boolean", REQUIRED, function(c, v) c.body.bullet = v end)
slot({ "assembly.gravity_scale" }, "number", REQUIRED, function(c, v) c.body.gravity_scale = v end)
slot({ "apply_force: force" }, "vector", REQUIRED, function(c, v) c.body:apply_force(v) end)
slot({ "apply_force: at" }, "vector", OPTIONAL, function(c, v) c.body:apply_force({ 0, 0, 0 }, v) end)
slot({ "apply_impulse: impulse" }, "vector", REQUIRED, function(c, v) c.body:apply_impulse(v) end)
slot({ "apply_impulse: at" }, "vector", OPTIONAL, function(c, v) c.body:apply_impulse({ 0, 0, 0 }, v) end)
slot({ "apply_torque: torque" }, "vector", REQUIRED, function(c, v) c.body:apply_torque(v) end)
slot({ "apply_angular_impulse: impulse" }, "vector", REQUIRED, function(c, v) c.body:apply_angular_impulse(v) end)
slot({ "to_world: point" }, "vector", REQUIRED, function(c, v) c.body:to_world(v) end)
slot({ "to_local: point" }, "vector", REQUIRED, function(c, v) c.body:to_local(v) end)
slot({ "velocity_at: point" }, "vector", REQUIRED, function(c, v) c.body:velocity_at(v) end)
slot({ "move_to: position" }, "vector", REQUIRED, function(c, v) c.mover:move_to(v) end)
slot({ "move_to: rotation" }, "rotation", OPTIONAL, function(c, v) c.mover:move_to({ 0, 40, 0 }, v) end)
slot({ "move_to: dt" }, "positive", OPTIONAL, function(c, v) c.mover:move_to({ 0, 40, 0 }, nil, v) end)

-- Joints of two kinds, of which only `key` may be wrong; the world is destroyed with what was made.
local function joint_slot(kind, key, bad, optional, others)
	slot({ "joint: " .. key }, bad, optional, function(c, v)
		local options = { type = kind, a = c.body }
		for other, value in pairs(others or {}) do
			options[other] = value
		end
		local name, inner = key:match "^(%w+)%.([%w_]+)$"
		if inner then
			options[name] = { speed = 1, target = name == "servo" and 1 or nil }
			options[name][inner] = v
		elseif v ~= nil or not optional then
			options[key] = v
		end
		c.world:joint(options)
	end)
end

local AXIS = { axis = { 0, 1, 0 } }
joint_slot("weld", "type", "word", REQUIRED)
joint_slot("weld", "b", "table", OPTIONAL)
joint_slot("weld", "at", "vector", OPTIONAL)
joint_slot("hinge", "axis", "vector", REQUIRED)
joint_slot("weld", "collide", "boolean", OPTIONAL)
joint_slot("weld", "break_force", "budget", OPTIONAL)
joint_slot("weld", "break_torque", "budget", OPTIONAL)
joint_slot("hinge", "limits", "limits", OPTIONAL, AXIS)
joint_slot("ball", "twist", "limits", OPTIONAL, AXIS)
joint_slot("ball", "cone", "angle", OPTIONAL, AXIS)
joint_slot("hinge", "motor", "table", OPTIONAL, AXIS)
joint_slot("hinge", "motor.speed", "number", OPTIONAL, AXIS)
joint_slot("hinge", "motor.max_torque", "budget", OPTIONAL, AXIS)
joint_slot("slider", "motor.max_force", "budget", OPTIONAL, AXIS)
joint_slot("slider", "servo", "table", OPTIONAL, AXIS)
joint_slot("slider", "servo.target", "number", REQUIRED, AXIS)
joint_slot("slider", "servo.response", "not_negative", OPTIONAL, AXIS)
local HUNG = { at = { 0, 30, 0 } }
joint_slot("rope", "length", "positive", OPTIONAL, HUNG)
joint_slot("rod", "at_a", "vector", OPTIONAL, HUNG)
joint_slot("rod", "at_b", "vector", OPTIONAL, HUNG)
joint_slot("spring", "frequency", "positive", REQUIRED, HUNG)
slot({ "joint: ", "stiffness" }, "positive", REQUIRED, function(c, v)
	c.world:joint { type = "spring", a = c.body, at = { 0, 30, 0 }, stiffness = v }
end)
joint_slot("spring", "damping", "not_negative", OPTIONAL, { at = { 0, 30, 0 }, frequency = 1 })
joint_slot("align", "position", "vector", OPTIONAL)
joint_slot("align", "rotation", "rotation", OPTIONAL)
for _, key in ipairs { "max_speed", "max_turn", "max_force", "max_torque" } do
	joint_slot("align", key, "budget", OPTIONAL)
end
joint_slot("align", "response", "not_negative", OPTIONAL)
slot({ "joint: options" }, "table", REQUIRED, function(c, v) c.world:joint(v) end)

local function joint_property(kind, key, bad, optional)
	slot({ "joint." .. key }, bad, optional, function(c, v) c.joints[kind][key] = v end)
end

joint_property("hinge", "limits", "limits", OPTIONAL)
joint_property("hinge", "motor", "table", OPTIONAL)
joint_property("hinge", "servo", "table", OPTIONAL)
joint_property("hinge", "break_force", "budget", REQUIRED)
joint_property("hinge", "break_torque", "budget", REQUIRED)
joint_property("ball", "cone", "angle", OPTIONAL)
joint_property("ball", "twist", "limits", OPTIONAL)
joint_property("rope", "length", "positive", REQUIRED)
joint_property("spring", "frequency", "positive", REQUIRED)
joint_property("spring", "damping", "not_negative", REQUIRED)
joint_property("spring", "length", "not_negative", REQUIRED)
joint_property("align", "position", "vector", OPTIONAL)
joint_property("align", "rotation", "rotation", OPTIONAL)
joint_property("align", "max_force", "budget", REQUIRED)
joint_property("align", "response", "not_negative", REQUIRED)

local UP, DOWN = { 0, 90, 0 }, { 0, -90, 0 }

for _, name in ipairs { "raycast", "raycast_all" } do
	slot({ name .. ": from" }, "vector", REQUIRED, function(c, v) c.world[name](c.world, v, DOWN) end)
	slot({ name .. ": to" }, "vector", REQUIRED, function(c, v) c.world[name](c.world, UP, v) end)
	slot({ name .. ": opts" }, "table", OPTIONAL, function(c, v) c.world[name](c.world, UP, DOWN, v) end)
	for _, flag in ipairs { "terrain", "water", "dynamic", "assemblies", "inside" } do
		slot({ name .. ": opts." .. flag }, "boolean", OPTIONAL, function(c, v)
			c.world[name](c.world, UP, DOWN, { [flag] = v })
		end)
	end
	slot({ name .. ": opts.ignore" }, "list", OPTIONAL, function(c, v)
		c.world[name](c.world, UP, DOWN, { ignore = type(v) == "table" and { v } or v })
	end)
end
local BALL = { shape = "ball", radius = 1 }
slot({ "cast: shape" }, "table", REQUIRED, function(c, v) c.world:cast(v, UP, DOWN) end)
slot({ "cast: shape: radius" }, "positive", REQUIRED, function(c, v)
	c.world:cast({ shape = "ball", radius = v }, UP, DOWN)
end)
slot({ "cast: from" }, "vector", REQUIRED, function(c, v) c.world:cast(BALL, v, DOWN) end)
slot({ "cast: to" }, "vector", REQUIRED, function(c, v) c.world:cast(BALL, UP, v) end)
slot({ "cast: opts" }, "table", OPTIONAL, function(c, v) c.world:cast(BALL, UP, DOWN, v) end)
slot({ "overlap: shape" }, "table", REQUIRED, function(c, v) c.world:overlap(v, UP) end)
slot({ "overlap: position" }, "vector", REQUIRED, function(c, v) c.world:overlap(BALL, v) end)
slot({ "overlap: opts" }, "table", OPTIONAL, function(c, v) c.world:overlap(BALL, UP, v) end)
slot({ "raycasts: n" }, "count", REQUIRED, function(c, v) c.world:raycasts(v, c.buffer, c.buffer, c.buffer) end)
for i, name in ipairs { "from", "to", "fractions" } do
	slot({ "raycasts: " .. name }, "table", REQUIRED, function(c, v)
		local buffers = { c.buffer, c.buffer, c.buffer }
		buffers[i] = v
		c.world:raycasts(1, buffers[1], buffers[2], buffers[3])
	end)
end

slot({ "get: x" }, "whole", REQUIRED, function(c, v) c.terrain:get(v, 0, 0) end)
slot({ "get: y" }, "whole", REQUIRED, function(c, v) c.terrain:get(0, v, 0) end)
slot({ "get: z" }, "whole", REQUIRED, function(c, v) c.terrain:get(0, 0, v) end)
slot({ "set: x" }, "whole", REQUIRED, function(c, v) c.terrain:set(v, 0, 0, "rock") end)
slot({ "set: y" }, "whole", REQUIRED, function(c, v) c.terrain:set(0, v, 0, "rock") end)
slot({ "set: z" }, "whole", REQUIRED, function(c, v) c.terrain:set(0, 0, v, "rock") end)
slot({ "set: material" }, "material", REQUIRED, function(c, v) c.terrain:set(0, 0, 0, v) end)
slot({ "set: occupancy" }, "fraction", OPTIONAL, function(c, v) c.terrain:set(0, 9, 0, "air", v) end)
slot({ "set: water" }, "fraction", OPTIONAL, function(c, v) c.terrain:set(0, 9, 0, "air", 0, v) end)
slot({ "cell_center: x" }, "whole", REQUIRED, function(c, v) c.terrain:cell_center(v, 0, 0) end)
slot({ "to_cell: point" }, "vector", REQUIRED, function(c, v) c.terrain:to_cell(v) end)
slot({ "is_inside: point" }, "vector", REQUIRED, function(c, v) c.terrain:is_inside(v) end)
slot({ "changes: since" }, "count", REQUIRED, function(c, v) c.terrain:changes(v) end)
local MIN, MAX = { 0, 0, 0 }, { 1, 1, 1 }
for _, name in ipairs { "read", "copy", "count", "matter", "mesh" } do
	slot({ name .. ": min" }, "cells", REQUIRED, function(c, v) c.terrain[name](c.terrain, v, MAX) end)
	slot({ name .. ": max" }, "cells", REQUIRED, function(c, v) c.terrain[name](c.terrain, MIN, v) end)
end
slot({ "part_mesh: part" }, "count", REQUIRED, function(c, v) c.body:part_mesh(v) end)
slot({ "read: into" }, "table", OPTIONAL, function(c, v) c.terrain:read(MIN, MAX, v) end)
slot({ "write: min" }, "cells", REQUIRED, function(c, v) c.terrain:write(v, c.region) end)
slot({ "write: region" }, "table", REQUIRED, function(c, v) c.terrain:write(MIN, v) end)
slot({ "write: mask" }, "table", OPTIONAL, function(c, v) c.terrain:write({ 0, 20, 0 }, c.region, v) end)
slot({ "replace: min" }, "cells", REQUIRED, function(c, v) c.terrain:replace(v, MAX, "rock", "sand") end)
slot({ "replace: max" }, "cells", REQUIRED, function(c, v) c.terrain:replace(MIN, v, "rock", "sand") end)
slot({ "replace: from" }, "body_material", REQUIRED, function(c, v) c.terrain:replace(MIN, MAX, v, "sand") end)
slot({ "replace: to" }, "material", REQUIRED, function(c, v) c.terrain:replace(MIN, MAX, "rock", v) end)
slot({ "raycast: from" }, "vector", REQUIRED, function(c, v) c.terrain:raycast(v, DOWN) end)
slot({ "raycast: to" }, "vector", REQUIRED, function(c, v) c.terrain:raycast(UP, v) end)
slot({ "raycast: opts" }, "table", OPTIONAL, function(c, v) c.terrain:raycast(UP, DOWN, v) end)
slot({ "save: path" }, "path", REQUIRED, function(c, v) c.terrain:save(v) end)
slot({ "save: path" }, "path", REQUIRED, function(c, v) c.world:save(v) end)
slot({ "load: path" }, "path", REQUIRED, function(_, v) scree.load(v) end)
slot({ "restore: snapshot" }, "string", REQUIRED, function(c, v) c.world:restore(v) end)
slot({ "save: opts" }, "table", OPTIONAL, function(c, v) c.terrain:save("/no/such/folder/x", v) end)
slot({ "save: opts.level" }, "count", OPTIONAL, function(c, v)
	c.terrain:save("/no/such/folder/x", { level = v })
end)
slot({ "load: path" }, "path", REQUIRED, function(c, v) c.terrain:load(v) end)
slot({ "load: opts" }, "table", OPTIONAL, function(c, v) c.terrain:load("/no/such/file", v) end)
slot({ "load: opts.materials" }, "word", OPTIONAL, function(c, v)
	c.terrain:load("/no/such/file", { materials = v })
end)
slot({ "terrain.detach" }, "boolean", REQUIRED, function(c, v) c.terrain.detach = v end)
slot({ "terrain.small_pieces" }, "table", REQUIRED, function(c, v) c.terrain.small_pieces = v end)
slot({ "terrain.small_pieces.cells" }, "count", OPTIONAL, function(c, v) c.terrain.small_pieces = { cells = v } end)
slot({ "terrain.small_pieces.fate" }, "word", OPTIONAL, function(c, v) c.terrain.small_pieces = { fate = v } end)
slot({ "anchor: min" }, "cells", REQUIRED, function(c, v) c.terrain:anchor(v, { 9, 9, 9 }) end)
slot({ "anchor: max" }, "cells", REQUIRED, function(c, v) c.terrain:anchor({ -9, -9, -9 }, v) end)

-- A dig or a blast in which only `key` may be wrong.
local function burst_with(key, v)
	local options = { position = { 0, 0, 0 }, radius = 1, strength = 1 }
	options[key] = v
	return options
end

slot({ "dig: options" }, "table", REQUIRED, function(c, v) c.terrain:dig(v) end)
slot({ "blast: options" }, "table", REQUIRED, function(c, v) c.world:blast(v) end)
for _, key in ipairs { "radius", "strength" } do
	slot({ "dig: " .. key }, "positive", REQUIRED, function(c, v) c.terrain:dig(burst_with(key, v)) end)
end
slot({ "dig: center" }, "vector", REQUIRED, function(c, v) c.terrain:dig { center = v, radius = 1, strength = 1 } end)
slot({ "blast: position" }, "vector", REQUIRED, function(c, v) c.world:blast(burst_with("position", v)) end)
slot({ "blast: radius" }, "positive", REQUIRED, function(c, v) c.world:blast(burst_with("radius", v)) end)
slot({ "blast: strength" }, "not_negative", OPTIONAL, function(c, v) c.world:blast(burst_with("strength", v)) end)
slot({ "blast: impulse" }, "not_negative", OPTIONAL, function(c, v) c.world:blast(burst_with("impulse", v)) end)
slot({ "begin_undo: name" }, "undo_name", OPTIONAL, function(c, v) c.terrain:begin_undo(v) end)
slot({ "terrain.undo_budget" }, "not_negative", REQUIRED, function(c, v) c.terrain.undo_budget = v end)
slot({ "region:rotated: turns" }, "whole", OPTIONAL, function(c, v) c.region:rotated(v) end)
slot({ "region:mirrored: axis" }, "word", REQUIRED, function(c, v) c.region:mirrored(v) end)
slot({ "import: path" }, "path", REQUIRED, function(c, v) c.terrain:import(v) end)
for _, name in ipairs { "none.vox", "none.schem", "none.obj" } do
	slot({ "import: opts" }, "table", OPTIONAL, function(c, v) c.terrain:import(name, v) end)
end
local function import_slot(name, key, kind)
	slot({ "import: " .. key }, kind, OPTIONAL, function(c, v) c.terrain:import(name, { [key] = v }) end)
end
import_slot("none.schem", "at", "cells")
import_slot("none.mts", "position", "vector")
import_slot("none.schem", "materials", "table")
import_slot("none.stl", "position", "vector")
import_slot("none.ply", "rotation", "rotation")
import_slot("none.obj", "material", "material")
import_slot("none.glb", "shell", "positive")
import_slot("none.obj", "materials", "table")
slot({ "export: path" }, "path", REQUIRED, function(c, v) c.terrain:export(v) end)
slot({ "export: min" }, "cells", REQUIRED, function(c, v) c.terrain:export("no/folder/x.stl", v, MAX) end)
slot({ "export: max" }, "cells", REQUIRED, function(c, v) c.terrain:export("no/folder/x.stl", MIN, v) end)

local fills = {
	fill_ball = { radius = "positive", center = "vector" },
	fill_box = { size = "size", rotation = "rotation" },
	fill_cylinder = { radius = "positive", height = "positive", rotation = "rotation" },
	fill_wedge = { size = "size", rotation = "rotation" },
}
local OPTIONAL_KEYS = { rotation = true, mode = true }

local function fill_slot(name, key, kind)
	slot({ name .. ": " .. key }, kind, OPTIONAL_KEYS[key] or REQUIRED, function(c, v)
		local options = { [fills[name].center and "center" or "position"] = { 0, 20, 0 }, material = "air" }
		for other in pairs(fills[name]) do
			options[other] = options[other] or other == "size" and { 1, 1, 1 } or other ~= "rotation" and 1 or nil
		end
		options[key] = v
		c.terrain[name](c.terrain, options)
	end)
end

for _, name in ipairs { "fill_ball", "fill_box", "fill_cylinder", "fill_wedge" } do
	for _, key in ipairs { "center", "radius", "height", "size", "rotation" } do
		if fills[name][key] then
			fill_slot(name, key, fills[name][key])
		end
	end
	if not fills[name].center then
		fill_slot(name, "position", "vector")
	end
	fill_slot(name, "material", "material")
	fill_slot(name, "mode", "word")
	slot({ name .. ": options" }, "table", REQUIRED, function(c, v) c.terrain[name](c.terrain, v) end)
end

local function map_slot(key, kind)
	slot({ "fill_heightmap: " .. key }, kind, OPTIONAL, function(c, v)
		local options = { heights = { 0, 0, 0, 0 }, width = 2, depth = 2, mode = "paint", position = { 0, 20, 0 } }
		options[key] = v == nil and options[key] or v
		c.terrain:fill_heightmap(options)
	end)
end

map_slot("heights", "table")
map_slot("width", "count")
map_slot("depth", "count")
map_slot("position", "vector")
map_slot("cell", "positive")
map_slot("bottom", "not_negative")
map_slot("material", "body_material")
map_slot("layers", "list")
map_slot("mode", "word")
slot({ "fill_heightmap: path" }, "path", OPTIONAL, function(c, v)
	c.terrain:fill_heightmap { path = v or "none.png" }
end)
slot({ "fill_heightmap: min" }, "number", OPTIONAL, function(c, v)
	c.terrain:fill_heightmap { path = "none.png", min = v }
end)

local function generate_slot(key, kind)
	slot({ "generate: " .. key }, kind, REQUIRED, function(c, v)
		local options = { min = { 0, 0 }, max = { 2, 2 }, height = function() return -50 end, mode = "paint" }
		options[key] = v
		c.terrain:generate(options)
	end)
end

generate_slot("min", "vector")
generate_slot("max", "vector")
generate_slot("height", "call")

return { list = slots, bad = BAD }
