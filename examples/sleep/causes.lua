-- Four things that sleep, and what must wake each in the very step: the motor of its joint is switched on, the platform
-- that it stands on starts to move, gravity changes, its support is destroyed.
--
--   luajit examples/sleep/causes.lua

local scree = require "scree"
local states = require "examples.sleep.states"

local M = {
	title = "motor switched on, platform starts to move, gravity changed, support destroyed", right = "wakes in that step",
}

local causes = {
	{ "motor", function(scene)
		scene.hinge.motor = { speed = 2, max_torque = 200 }
		return scene.door
	end },
	{ "platform", function(scene)
		scene.platform.velocity = { 0, 0.5, 0 }
		return scene.rider
	end },
	{ "gravity", function(scene)
		scene.world.gravity = { 1, -9.81, 0 }
		return scene.box
	end },
	{ "support", function(scene)
		scene.support:destroy()
		return scene.load
	end },
}

local function build(rule)
	local scene = { world = scree.world { sleep = { rule = rule } } }
	local world = scene.world
	world.terrain:fill_box { position = { 0, -2, 0 }, size = { 40, 4, 24 }, material = "rock" }
	local post = world:spawn { shape = "box", size = { 0.2, 2, 0.2 }, position = { -8, 2, 0 }, motion = "static" }
	scene.door = world:spawn { shape = "box", size = { 1, 2, 0.1 }, position = { -7.4, 2, 0 }, mass = 10 }
	scene.hinge = world:joint { type = "hinge", a = post, b = scene.door, at = { -7.9, 2, 0 }, axis = { 0, 1, 0 } }
	scene.platform = world:spawn { shape = "box", size = { 3, 0.5, 3 }, position = { -3, 1, 0 }, motion = "kinematic" }
	scene.rider = world:spawn { shape = "box", size = { 1, 1, 1 }, position = { -3, 1.75, 0 } }
	scene.box = world:spawn { shape = "box", size = { 1, 1, 1 }, position = { 3, 0.5, 0 } }
	scene.support = world:spawn { shape = "box", size = { 1, 1, 1 }, position = { 8, 0.5, 0 }, motion = "static" }
	scene.load = world:spawn { shape = "box", size = { 1, 1, 1 }, position = { 8, 1.5, 0 } }
	return scene
end

function M.run(rule, watch)
	local woke, wrong = {}, {}
	for _, cause in ipairs(causes) do
		local scene = build(rule)
		local settled = scene.world:settle(10) ~= nil
		local body = cause[2](scene)
		states.run(scene.world, 1 / 60, watch, { { cause[1], body } })
		local ok = settled and body.state == "awake"
		table.insert(ok and woke or wrong, cause[1])
	end
	local said = #wrong == 0 and "all four wake in that step" or "still asleep by: " .. table.concat(wrong, ", ")
	return #wrong == 0, said, { woke = woke, wrong = wrong }
end

if ... == "examples.sleep.causes" then
	return M
end
os.exit(states.main(M))
