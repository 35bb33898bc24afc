-- examples/cookbook/cart.lua
local scree = require "scree"

local world = scree.world {}
world.terrain:generate {
	min = { -10, -6 }, max = { 60, 6 },
	height = function(x)
		return x > 0 and 0.8 * scree.sin(0.25 * x) or 0, "grass"
	end,
}

local body = world:spawn { shape = "box", size = { 3, 0.5, 1.4 }, position = { -5, 1.2, 0 }, material = "wood" }
local wheels = {}
for i, place in ipairs { { -6.2, 0.7, 1 }, { -6.2, 0.7, -1 }, { -3.8, 0.7, 1 }, { -3.8, 0.7, -1 } } do
	wheels[i] = world:spawn {
		shape = "cylinder", radius = 0.6, length = 0.4, position = place, friction = 1.5,
		rotation = scree.axis_angle({ 1, 0, 0 }, math.pi / 2), material = "wood",
	}
	world:joint {
		type = "hinge", a = body, b = wheels[i], at = place, axis = { 0, 0, 1 },
		motor = { speed = -6, max_torque = 600 },
	}
end

world:run(12)
print(("driven %.0f m over the hills, %s"):format(body.position.x + 5,
	(body.rotation * scree.vec3(0, 1, 0)).y > 0.8 and "upright" or "on its roof"))
