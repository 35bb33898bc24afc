-- All kinds of joints, and balls to tie by them.

local scenery = require "scenery"

local joint_kinds = {
	list = { "weld", "ball", "hinge", "slider", "cylindrical", "rope", "rod", "spring", "align" },
}

local NEEDS_AXIS = { hinge = true, slider = true, cylindrical = true }

function joint_kinds.ball(world, position, changes)
	return world:spawn(scenery.with({ shape = "ball", radius = 0.3, position = position }, changes))
end

--- A joint of any kind between what is given.
function joint_kinds.join(world, kind, options)
	options.type = kind
	options.axis = NEEDS_AXIS[kind] and { 0, 1, 0 } or nil
	if kind == "spring" then
		options.frequency = 3
	end
	return world:joint(options)
end

return joint_kinds
