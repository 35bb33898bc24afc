-- Crane: a jib that a servo turns, a trolley on it, a rope of 40 links with a hook; it fetches a crate of two tonnes
-- and sets it down elsewhere.
--
--   luajit examples/crane.lua
--
-- The scene is also a module, for tests:  local crane = require "examples.crane"

local scree = require "scree"

local M = {}

local TOWER, LINKS, LINK = 14, 40, 0.25 -- metres, number, metres
local FROM, TO = scree.vec3(9, 0.6, 0), scree.vec3(0, 0.6, -6)

-- options: threads (1).
function M.build(options)
	options = options or {}
	local world = scree.world { threads = options.threads or 1 }
	world.terrain:fill_box { position = { 0, -2, 0 }, size = { 40, 4, 40 }, material = "ground" }
	local scene = { world = world, gap = 0 }
	local tower = world:spawn {
		shape = "box", size = { 1, TOWER, 1 }, position = { 0, TOWER / 2, 0 }, material = "metal", motion = "static",
	}
	scene.jib = world:spawn {
		parts = {
			{ shape = "box", size = { 12, 0.4, 0.6 }, position = { 5, 0, 0 } },
			{ shape = "box", size = { 2, 1.2, 1.2 }, position = { -2.5, 0, 0 } }, -- the counterweight
		},
		position = { 0, TOWER + 0.3, 0 }, material = "wood",
	}
	scene.jib.mass = 4000
	scene.slew = world:joint {
		type = "hinge", a = tower, b = scene.jib, at = { 0, TOWER, 0 }, axis = { 0, 1, 0 },
		servo = { target = 0, speed = 0.25, max_torque = 2e5 },
	}
	scene.trolley = world:spawn {
		shape = "box", size = { 0.8, 0.3, 0.8 }, position = { 9, TOWER - 0.2, 0 }, material = "metal",
	}
	scene.trolley.mass = 300
	scene.travel = world:joint {
		type = "slider", a = scene.jib, b = scene.trolley, axis = { 1, 0, 0 }, limits = { -7, 1 },
		servo = { target = 0, speed = 0.8, max_force = 5e4 },
	}
	M.add_rope(scene)
	scene.crate = world:spawn { shape = "box", size = { 1.2, 1.2, 1.2 }, position = FROM, material = "wood" }
	scene.crate.mass = 2000
	return scene
end

-- Links below the trolley; the hoist is a slider between the trolley and the drum that the rope hangs on.
function M.add_rope(scene)
	local world, top = scene.world, scree.vec3(9, TOWER - 0.5, 0)
	scene.drum = world:spawn {
		shape = "box", size = { 0.3, 0.3, 0.3 }, position = top, material = "metal", group = "rope", collides_with = {},
	}
	scene.drum.mass = 100
	scene.hoist = world:joint {
		type = "slider", a = scene.trolley, b = scene.drum, axis = { 0, 1, 0 }, limits = { -4, 4 },
		servo = { target = 0, speed = 0.8, max_force = 1e5 },
	}
	local last = scene.drum
	for i = 1, LINKS do
		local link = world:spawn {
			shape = "capsule", radius = 0.03, length = LINK - 0.1, position = top - scree.vec3(0, (i - 0.5) * LINK, 0),
			material = "metal", group = "rope", collides_with = {},
		}
		link.mass = 1
		world:joint { type = "ball", a = last, b = link, at = top - scree.vec3(0, (i - 1) * LINK, 0) }
		last = link
	end
	scene.tip = last
end

local function tip_of(scene)
	return scene.tip:to_world { 0, -0.5 * LINK, 0 }
end

-- Steps until the servos stand at their targets and the load is calm, or the time is over.
function M.wait(scene, seconds)
	for step = 1, seconds * 60 do
		if scene.hook then -- men on the ground hold the load back by its guy ropes
			scene.crate:apply_force(-0.6 * scene.crate.mass * scene.crate.velocity)
		end
		scene.world:step()
		for joint in scene.world:joints() do
			if joint.type == "ball" then
				scene.gap = math.max(scene.gap, (joint.at_a - joint.at_b):length())
			end
		end
		local there = true
		for _, joint in ipairs { scene.slew, scene.travel, scene.hoist } do
			local now = joint.angle or joint.distance
			there = there and math.abs(now - joint.servo.target) < 0.01
		end
		if there and step > 60 and scene.tip.velocity:length() < 0.15 then
			return true
		end
	end
	return false
end

-- Lowers the hook to the crate and ties it.
function M.fetch(scene)
	local over = scene.crate.position + scree.vec3(0, 0.65, 0)
	scene.hoist.servo = { target = scene.hoist.distance - (tip_of(scene).y - over.y) }
	local there = M.wait(scene, 20)
	scene.hook = scene.world:joint { type = "ball", a = scene.tip, b = scene.crate, at = tip_of(scene) }
	return there
end

-- Lifts, turns, travels, lowers and lets go. Returns where the crate stands.
function M.carry(scene)
	local lift = scene.hoist.distance + 3
	scene.hoist.servo = { target = lift }
	M.wait(scene, 15)
	scene.heaviest = 60 * scene.hook.impulse:length()
	scene.slew.servo = { target = math.atan2(-TO.z, TO.x) }
	scene.travel.servo = { target = scree.vec3(TO.x, 0, TO.z):length() - 9 }
	M.wait(scene, 40)
	scene.hoist.servo = { target = lift - (scene.crate.position.y - 0.55) }
	M.wait(scene, 30)
	scene.hook:destroy()
	scene.hook = nil
	scene.hoist.servo = { target = lift }
	scene.world:run(3)
	return scene.crate.position
end

M.TO = TO

local function main()
	local scene = M.build()
	M.fetch(scene)
	local place = M.carry(scene)
	print(("the crate stands at (%.2f, %.2f, %.2f), %.2f m from where it should"):format(place.x, place.y, place.z,
		(place - TO):length()))
	print(("%.0f s; the hook carried %.0f N of %.0f; joints apart by at most %.1f mm"):format(scene.world.time,
		scene.heaviest, scene.crate.mass * 9.81, 1000 * scene.gap))
	return (place - TO):length() < 0.5 and 0 or 1
end

if ... == "examples.crane" then
	return M
end
os.exit(main(...))
