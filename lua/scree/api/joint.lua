-- Joints.

local raise = require "scree.raise"
local types = require "scree.api.types"
raise.own()

local record = types.record

-- What can be given to joint() and assigned later. Third column of each: to which types of joint it belongs.
local function settings(optional)
	local q = optional and "?" or ""
	return {
		{ "limits?", "range", "hinge: rad, slider, cylindrical: m; nil: none", write = true, clears = true },
		{ "twist?", "range", "ball, cylindrical: rad; nil: none", write = true, clears = true },
		{ "cone?", "lean", "ball: rad that the axes may lean apart; nil: any", write = true, clears = true },
		{ "friction?", "budget", "ball: N m by which it resists turning in any way, 0", write = true },
		{ "motor?", "Motor", "hinge, slider, cylindrical; nil: none", write = true, clears = true },
		{ "servo?", "Motor", "hinge, slider, cylindrical: the motor, where it has a target", write = true, clears = true },
		{ "length?", "not_negative", "rope, rod, spring: m", write = true },
		{ "frequency?", "positive", "spring: Hz, with damping as a ratio to critical", write = true },
		{ "stiffness?", "positive", "spring: N/m, with damping in N s/m", write = true },
		{ "damping?", "not_negative", "spring, 0", write = true },
		{ "position?", "vector", "align: of b's anchor in the frame of a (of the world)", write = true, clears = true },
		{ "rotation?", "rotation", "align: of b in the frame of a (of the world)", write = true, clears = true },
		{ "max_speed?", "budget", "align: m/s", write = true },
		{ "max_turn?", "budget", "align: rad/s", write = true },
		{ "max_force?", "budget", "align: N", write = true },
		{ "max_torque?", "budget", "align: N m", write = true },
		{ "response?", "not_negative", "align: speed a metre or radian of error, 1/s", write = true },
		{ "break_force" .. q, "budget", "N, the mean over a step; `math.huge`: never", write = true },
		{ "break_torque" .. q, "budget", "N m", write = true },
		{ "tag?", "any", "whatever the script keeps with it", write = true, clears = true },
	}
end

local function joined(first, second)
	for _, value in ipairs(second) do
		first[#first + 1] = value
	end
	return first
end

local joint = {
	name = "Joint",
	variable = "joint",
	page = "joints.md",
	doc = "What ties two assemblies, or one to the world. A broken joint ties nothing; its object stays good.",
	properties = types.properties(joined({
		{ "type", "joint_type", "" },
		{ "a?", "Assembly", "nil: the world" },
		{ "b?", "Assembly", "nil: the world" },
		{ "at", "vec3", "where it sits now: the end at b, or at a where b is the world" },
		{ "at_a", "vec3", "the end at a" },
		{ "at_b", "vec3", "the end at b" },
		{ "axis?", "vec3", "now; of what has one" },
		{ "collide", "boolean", "whether parts of the two may touch" },
		{ "angle?", "number", "hinge, cylindrical: rad about the axis, turns counted; ball: between the axes" },
		{ "distance?", "number", "slider, cylindrical: m along the axis; rope, rod, spring, align: between the ends" },
		{ "impulse", "vec3", "N s on b (on a, where b is the world) over the last step" },
		{ "angular_impulse", "vec3", "N m s" },
		{ "broken", "boolean", "" },
		{ "id", "number", "a whole number" },
		{ "world", "World", "" },
		{ "valid", "boolean", "false once destroyed; never raises" },
	}, settings(false))),
	functions = types.functions {
		{ "destroy", "Ends it. What it held wakes." },
	},
}

local records = {
	record {
		"JointOptions", "What `world:joint` takes. Which keys belong to which type is on the page about joints.",
		options = true,
		fields = joined({
			{ "type", "joint_type" },
			{ "a?", "Assembly", "left out: the world" },
			{ "b?", "Assembly", "left out: the world" },
			{ "at?", "vector", "world point; b's centre of mass (a's, where b is the world)" },
			{ "at_a?", "vector", "rope, rod, spring: the end at a, instead of at" },
			{ "at_b?", "vector", "rope, rod, spring: the end at b" },
			{ "axis?", "vector", "in the world" },
			{ "collide?", "boolean", "whether parts of the two may touch, false" },
		}, settings(true)),
	},
	record {
		"Motor", "A motor, or with a target a servo.", options = true,
		fields = {
			{ "speed?", "number", "rad/s or m/s, 0; of a servo the fastest that it goes" },
			{ "target?", "number", "rad or m: goes there and holds it" },
			{ "max_torque?", "budget", "N m, of a hinge" },
			{ "max_force?", "budget", "N, of a slider or cylindrical joint" },
			{ "response?", "not_negative", "servo: speed a radian or metre of error, 1/s, 10" },
		},
	},
}

return { objects = { joint }, records = records }
