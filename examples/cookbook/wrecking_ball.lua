-- examples/cookbook/wrecking_ball.lua
local scree = require "scree"

local world = scree.world {}
world.terrain:fill_box { position = { 0, -2, 0 }, size = { 50, 4, 50 }, material = "asphalt" }

local bricks, broken = {}, 0
for y = 0, 5 do -- a wall whose mortar holds to some force
	bricks[y] = {}
	for z = 0, 5 do
		local place = { 0, y + 0.5, 2 * (z - 2.5) }
		local brick = world:spawn { shape = "box", size = { 1, 1, 2 }, position = place, material = "brick" }
		bricks[y][z] = brick
		for _, beside in ipairs { y > 0 and bricks[y - 1][z] or false, z > 0 and bricks[y][z - 1] or false } do
			if beside then
				world:joint { type = "weld", a = beside, b = brick, break_force = 60000, break_torque = 60000 }
			end
		end
	end
end

local last, TOP = nil, 14
for i = 1, 8 do -- a chain from a fixed point, drawn aside
	local link = world:spawn { shape = "capsule", radius = 0.1, length = 0.8, position = { -i + 0.5, TOP, 0 },
		rotation = scree.axis_angle({ 0, 0, 1 }, math.pi / 2), material = "metal" }
	world:joint { type = "ball", a = last, b = link, at = { 1 - i, TOP, 0 } }
	last = link
end
local ball = world:spawn { shape = "ball", radius = 1, position = { -9, TOP, 0 }, material = "metal" }
world:joint { type = "ball", a = last, b = ball, at = { -8, TOP, 0 } }

world:on("joint_break", function()
	broken = broken + 1
end)
world:run(4)
print(("%d welds have broken; the top of the wall's middle has moved %.1f m"):format(broken,
	bricks[5][2].position:distance { 0, 5.5, -1 }))
