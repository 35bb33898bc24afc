-- Ragdolls: figures of eleven parts, with limits in every joint, fall down stairs of voxels until they lie still.
--
--   luajit examples/ragdoll.lua [count]
--
-- The scene is also a module, for tests:  local ragdoll = require "examples.ragdoll"

local scree = require "scree"

local M = {}

local SIDE, UP = { 1, 0, 0 }, { 0, 1, 0 }

-- A figure that stands upright at `at` (of its middle) facing +z. Returns its parts and joints by name.
function M.spawn(world, at)
	local figure = { parts = {}, joints = {} }
	local function part(name, mass, shape, x, y, radius, length)
		local options = { shape = shape, position = at + scree.vec3(x, y, 0), material = "wood", friction = 0.7 }
		if shape == "box" then
			options.size = { 2 * radius, length, 0.22 }
		else
			options.radius, options.length = radius, shape == "capsule" and length or nil
		end
		local body = world:spawn(options)
		body.mass = mass
		figure.parts[name] = body
		return body
	end
	local function joint(name, a, b, x, y, options)
		options.a, options.b, options.at = a, b, at + scree.vec3(x, y, 0)
		figure.joints[name] = world:joint(options)
	end
	local hips = part("hips", 12, "box", 0, 0, 0.17, 0.2)
	local chest = part("chest", 22, "box", 0, 0.33, 0.19, 0.36)
	local head = part("head", 5, "ball", 0, 0.68, 0.12)
	joint("waist", hips, chest, 0, 0.12, { type = "ball", axis = UP, cone = 0.5, twist = { -0.6, 0.6 }, friction = 3 })
	joint("neck", chest, head, 0, 0.54, { type = "ball", axis = UP, cone = 0.6, twist = { -1, 1 }, friction = 1 })
	for _, side in ipairs { -1, 1 } do
		local name = side < 0 and "left " or "right "
		local upper_arm = part(name .. "upper arm", 2.2, "capsule", 0.27 * side, 0.3, 0.055, 0.2)
		local forearm = part(name .. "forearm", 1.6, "capsule", 0.27 * side, -0.02, 0.05, 0.2)
		local thigh = part(name .. "thigh", 8, "capsule", 0.1 * side, -0.33, 0.08, 0.28)
		local shin = part(name .. "shin", 4, "capsule", 0.1 * side, -0.77, 0.065, 0.32)
		joint(name .. "shoulder", chest, upper_arm, 0.24 * side, 0.44,
			{ type = "ball", axis = { 0, -1, 0 }, cone = 1.7, twist = { -1, 1 }, friction = 1 })
		-- what hangs does not swing for ever: of a hinge, a motor that would stand still is the friction
		joint(name .. "elbow", upper_arm, forearm, 0.27 * side, 0.14,
			{ type = "hinge", axis = SIDE, limits = { -2.3, 0 }, motor = { speed = 0, max_torque = 0.5 } })
		joint(name .. "hip", hips, thigh, 0.1 * side, -0.12,
			{ type = "ball", axis = { 0, -1, 0 }, cone = 1.2, twist = { -0.5, 0.5 }, friction = 2 })
		joint(name .. "knee", thigh, shin, 0.1 * side, -0.55,
			{ type = "hinge", axis = SIDE, limits = { 0, 2.3 }, motor = { speed = 0, max_torque = 1 } })
	end
	return figure
end

-- options: count (3), threads (1).
function M.build(options)
	options = options or {}
	local world = scree.world { threads = options.threads or 1 }
	world.terrain:fill_box { position = { 0, -2, 0 }, size = { 24, 4, 40 }, material = "concrete" }
	for step = 1, 8 do -- they go down towards +z
		world.terrain:fill_box { position = { 0, step - 0.5, -2 * step - 4 }, size = { 24, 1, 20 }, material = "concrete" }
	end
	local scene = { world = world, figures = {} }
	for i = 1, options.count or 3 do
		local at, spin = scree.vec3(2.5 * i - 5, 10.2, -10 + 0.3 * i), scree.vec3(0.6, 0.3, 0.2)
		scene.figures[i] = M.spawn(world, at)
		for _, body in pairs(scene.figures[i].parts) do -- thrown as a whole, turning
			body.velocity = scree.vec3(0, 0, 4) + spin:cross(body.position - at)
			body.angular_velocity = spin
		end
	end
	return scene
end

-- How far joints are apart, and limits passed, at worst: metres, radians.
function M.worst(scene)
	local gap, past = 0, 0
	for joint in scene.world:joints() do
		gap = math.max(gap, (joint.at_a - joint.at_b):length())
		if joint.type == "hinge" then
			past = math.max(past, joint.limits.low - joint.angle, joint.angle - joint.limits.high)
		else
			past = math.max(past, joint.angle - joint.cone)
		end
	end
	return gap, past
end

function M.run(scene, seconds)
	scene.gap, scene.past = 0, 0
	for _ = 1, seconds * 60 do
		scene.world:step()
		local gap, past = M.worst(scene)
		scene.gap, scene.past = math.max(scene.gap, gap), math.max(scene.past, past)
		if scene.world.stats.awake == 0 then
			return true
		end
	end
	return false
end

local function main(count)
	local scene = M.build { count = tonumber(count) }
	local rest = M.run(scene, 20)
	print(("%d figures, %d joints, %s after %.1f s"):format(#scene.figures, scene.world.stats.joints,
		rest and "at rest" or "not at rest", scene.world.time))
	print(("joints apart by at most %.1f mm, limits passed by %.1f degrees"):format(1000 * scene.gap,
		math.deg(scene.past)))
	for i, figure in ipairs(scene.figures) do
		print(("figure %d lies at (%.1f, %.1f, %.1f)"):format(i, figure.parts.hips.position:unpack()))
	end
	return scene.gap < 0.1 and 0 or 1
end

if ... == "examples.ragdoll" then
	return M
end
os.exit(main(...))
