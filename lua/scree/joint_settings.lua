-- The settings of joints: how each is read from a script into a ScreeJointSettings, and shown to it. By name of the
-- property: read(kind, settings, value, where), where value is nil if it is taken away, and show(kind, settings).

local check = require "scree.check"
local object = require "scree.object"
local bridge = require "scree.ffi"
local raise = require "scree.raise"
local text = require "scree.text"
local vec3 = require "scree.vec3"
local quat = require "scree.quat"
raise.own()

local C = bridge.C
local Vec3, Quat = vec3.type, quat.type
local UNLIMITED = 1e18
local ANGLES, LENGTHS, RATES = 1e6, 1e9, 1e6

-- ---- values --------------------------------------------------------------------------------------------------------

local range_meta

-- {low, high}: two numbers, the first not above the second.
local function check_range(value, limit, where, name)
	local low, high
	if getmetatable(value) == range_meta then
		low, high = value[1], value[2]
	elseif type(value) == "table" then
		check.table(value, where, name)
		low, high = rawget(value, 1), rawget(value, 2)
		check.range(low, -limit, limit, where, name .. "[1]")
		check.range(high, -limit, limit, where, name .. "[2]")
		check.list(value, 2, 2, where, name)
	else
		check.wrong(value, where, name, "{low, high}")
	end
	if low > high then
		raise.error(("%s%s must go from low to high, got {%s, %s}"):format(where, name, text.number(low),
			text.number(high)))
	end
	check.range(low, -limit, limit, where, name .. "[1]")
	check.range(high, -limit, limit, where, name .. "[2]")
	return low, high
end

-- What a property gives: a pair that cannot be written, since that would change nothing. Also as low and high.
local PAIR = "\0pair"
range_meta = check.trust {
	__index = function(self, key)
		local pair = rawget(self, PAIR)
		local index = (key == 1 or key == "low") and 1 or (key == 2 or key == "high") and 2
		if not index then
			raise.error("limits: no field " .. text.key(key) .. " (known: 1, 2, low, high)")
		end
		return pair[index]
	end,
	__newindex = function()
		raise.error "limits are a copy that cannot be written: assign both, joint.limits = { low, high }"
	end,
	__tostring = function(self)
		return ("{%s, %s}"):format(text.number(self[1]), text.number(self[2]))
	end,
}

local function range(low, high)
	return setmetatable({ [PAIR] = { low, high } }, range_meta)
end

-- N, N m or m/s, which may be math.huge.
local function check_budget(value, where, name)
	if value == math.huge then
		return UNLIMITED
	end
	return check.not_negative(value, where, name)
end

local function budget(value)
	return value >= UNLIMITED and math.huge or value
end

local MOTOR = {
	hinge = check.names { "speed", "target", "max_torque", "response" },
	slider = check.names { "speed", "target", "max_force", "response" },
}
MOTOR.cylindrical = MOTOR.slider

-- Changes of a motor what the table says; a table for a joint that has none starts from nothing.
local function read_motor(kind, s, value, where, name)
	if value == nil then
		s.motor = C.SCREE_MOTOR_OFF
		return
	end
	check.table(value, where, name)
	where = where .. name .. "."
	check.keys(value, MOTOR[kind], where)
	local max_name = kind == "hinge" and "max_torque" or "max_force"
	local speed, target, max, response = value.speed, value.target, value[max_name], value.response
	local fresh = s.motor == C.SCREE_MOTOR_OFF
	if target ~= nil then
		target = check.range(target, -LENGTHS, LENGTHS, where, "target")
	elseif name == "servo" then
		if fresh or s.motor ~= C.SCREE_MOTOR_SERVO then
			raise.error(where .. "target is missing")
		end
		target = s.motor_target
	end
	local servo = target ~= nil
	if speed ~= nil then
		speed = servo and check_budget(speed, where, "speed") or check.number(speed, where, "speed")
	elseif fresh or servo ~= (s.motor == C.SCREE_MOTOR_SERVO) then
		speed = servo and UNLIMITED or 0
	else
		speed = s.motor_speed
	end
	if max ~= nil then
		max = check_budget(max, where, max_name)
	else
		max = fresh and UNLIMITED or s.motor_max
	end
	if response ~= nil then
		response = check.range(response, 0, RATES, where, "response")
	else
		response = fresh and 10 or s.response
	end
	s.motor = servo and C.SCREE_MOTOR_SERVO or C.SCREE_MOTOR_SPEED
	s.motor_speed, s.motor_target, s.motor_max, s.response = speed, servo and target or 0, max, response
end

-- ---- settings ------------------------------------------------------------------------------------------------------

local settings = {}

local function optional_range(name, flag, low, high, limit_of)
	settings[name] = {
		read = function(kind, s, value, where)
			if value == nil then
				s[flag] = 0
				return
			end
			s[low], s[high] = check_range(value, limit_of(kind), where, name)
			s[flag] = 1
		end,
		show = function(_, s)
			if s[flag] ~= 0 then
				return range(s[low], s[high])
			end
		end,
	}
end

optional_range("limits", "limited", "low", "high", function(kind)
	return kind == "hinge" and ANGLES or LENGTHS
end)
optional_range("twist", "twist_limited", "twist_low", "twist_high", function(kind)
	return kind == "ball" and math.pi or ANGLES
end)

settings.cone = {
	read = function(_, s, value, where)
		s.cone = value == nil and -1 or check.range(value, 0, math.pi, where, "cone")
	end,
	show = function(_, s)
		if s.cone >= 0 then
			return s.cone
		end
	end,
}

local function show_motor(kind, s, name)
	local servo = s.motor == C.SCREE_MOTOR_SERVO
	local max = kind == "hinge" and "max_torque" or "max_force"
	return object.frozen({
		speed = servo and budget(s.motor_speed) or s.motor_speed,
		target = servo and s.motor_target or nil,
		response = servo and s.response or nil,
		[max] = budget(s.motor_max),
	}, MOTOR[kind].list, "joint." .. name, "assign what is to change, joint." .. name .. " = { speed = 1 }")
end

settings.motor = {
	read = function(kind, s, value, where)
		read_motor(kind, s, value, where, "motor")
	end,
	show = function(kind, s)
		if s.motor ~= C.SCREE_MOTOR_OFF then
			return show_motor(kind, s, "motor")
		end
	end,
}

settings.servo = {
	read = function(kind, s, value, where)
		read_motor(kind, s, value, where, "servo")
	end,
	show = function(kind, s)
		if s.motor == C.SCREE_MOTOR_SERVO then
			return show_motor(kind, s, "servo")
		end
	end,
}

settings.length = {
	read = function(kind, s, value, where)
		if kind == "spring" then
			s.length = check.range(value, 0, LENGTHS, where, "length")
		else
			s.length = check.positive(value, where, "length")
		end
	end,
	show = function(_, s)
		return s.length
	end,
}

-- A spring goes by its frequency or by its stiffness; which, is settled when it is made.
local function spring_setting(name, by_stiffness)
	settings[name] = {
		read = function(_, s, value, where)
			if (s.by_stiffness ~= 0) ~= by_stiffness then
				raise.error(("%s%s: this spring goes by its %s"):format(where, name,
					by_stiffness and "frequency" or "stiffness"))
			end
			s.stiffness = check.positive(value, where, name)
		end,
		show = function(_, s)
			if (s.by_stiffness ~= 0) == by_stiffness then
				return s.stiffness
			end
		end,
	}
end

spring_setting("frequency", false)
spring_setting("stiffness", true)

settings.damping = {
	read = function(_, s, value, where)
		s.damping = check.not_negative(value, where, "damping")
	end,
	show = function(_, s)
		return s.damping
	end,
}

settings.position = {
	read = function(_, s, value, where)
		if value ~= nil then
			check.vec3_into(s.position, value, where, "position")
		end
		s.drive_position = value ~= nil and 1 or 0
	end,
	show = function(_, s)
		if s.drive_position ~= 0 then
			return Vec3(s.position[0], s.position[1], s.position[2])
		end
	end,
}

settings.rotation = {
	read = function(_, s, value, where)
		if value ~= nil then
			local r = s.rotation
			r[0], r[1], r[2], r[3] = check.quat(value, where, "rotation")
		end
		s.drive_rotation = value ~= nil and 1 or 0
	end,
	show = function(_, s)
		if s.drive_rotation ~= 0 then
			local r = s.rotation
			return Quat(r[0], r[1], r[2], r[3])
		end
	end,
}

for _, name in ipairs {
	"friction", "max_speed", "max_turn", "max_force", "max_torque", "break_force", "break_torque",
} do
	settings[name] = {
		read = function(_, s, value, where)
			s[name] = check_budget(value, where, name)
		end,
		show = function(_, s)
			return budget(s[name])
		end,
	}
end

settings.response = {
	read = function(_, s, value, where)
		s.response = check.range(value, 0, RATES, where, "response")
	end,
	show = function(_, s)
		return s.response
	end,
}

return settings
