-- examples/cookbook/windmill.lua
local scree = require "scree"

local world = scree.world {}
world.terrain:fill_box { position = { 0, -2, 0 }, size = { 30, 4, 30 }, material = "grass" }

local tower = world:spawn { shape = "cone", radius = 2, length = 8, position = { 0, 4, 0 }, material = "brick" }
local blades = world:spawn {
	position = { 0, 6, 1.6 },
	material = "wood",
	parts = {
		{ shape = "box", size = { 8, 0.6, 0.1 } },
		{ shape = "box", size = { 0.6, 8, 0.1 } },
		{ shape = "cylinder", radius = 0.4, length = 0.5, rotation = scree.axis_angle({ 1, 0, 0 }, math.pi / 2) },
	},
}
local axle = world:joint {
	type = "hinge", a = tower, b = blades, axis = { 0, 0, 1 }, motor = { speed = 1.5, max_torque = 4000 },
}

world:run(10)
print(("%.1f turns; the tower is %s, the blades are %s"):format(axle.angle / (2 * math.pi), tower.state, blades.state))

axle.motor = { speed = 0, max_torque = 2000 } -- a brake
world:run(5)
print(("%.2f rad/s with the brake on"):format(blades.angular_velocity.z))
