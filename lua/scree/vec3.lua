-- vec3: an immutable vector of three doubles, a cdata value that compiled code keeps in registers. x, y, z (or [1],
-- [2], [3]) read it; operators make new ones, * and / of two vectors component by component. == compares components; as
-- table keys two equal vectors are two keys (a key is the value's identity), so key by tostring(v) or by numbers.

local ffi = require "ffi"
local raise = require "scree.raise"
local text = require "scree.text"
raise.own()

local istype = ffi.istype
local sqrt, abs, max = math.sqrt, math.abs, math.max

---@class scree.vec3
local methods = {}

-- The fields are const and their names private, so that every access of a script goes through the metatable below.
local Vec3 = ffi.typeof "struct { const double _x, _y, _z; }"

local vec3 = { type = Vec3, methods = methods }

local known = { "x", "y", "z", "dot", "cross", "length", "length_squared", "normalized", "lerp", "distance", "unpack" }

local function finite(value)
	return type(value) == "number" and value - value == 0
end

-- Three numbers of a vec3 or {x, y, z} operand. argument: its name; nil for operators and for the vector itself.
local function operand(value, name, argument)
	if istype(Vec3, value) then
		return value._x, value._y, value._z
	end
	if type(value) == "table" then
		local x, y, z = rawget(value, 1), rawget(value, 2), rawget(value, 3)
		if finite(x) and finite(y) and finite(z) and rawget(value, 4) == nil then
			return x, y, z
		end
	end
	raise.error(("vec3 %s: %s a vec3 or {x, y, z}, got %s"):format(
		name, argument and argument .. " must be" or "expected", text.describe(value)))
end

local function number(value, name, argument)
	if type(value) ~= "number" then
		raise.error(("vec3 %s: %s must be a number, got %s"):format(name, argument, text.describe(value)))
	end
	return value
end

---@return number
function methods.dot(a, b)
	local ax, ay, az = operand(a, "dot")
	local bx, by, bz = operand(b, "dot", "other")
	return ax * bx + ay * by + az * bz
end

---@return scree.vec3
function methods.cross(a, b)
	local ax, ay, az = operand(a, "cross")
	local bx, by, bz = operand(b, "cross", "other")
	return Vec3(ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx)
end

-- Scaled where squares would overflow or vanish.
local function length(x, y, z)
	local squared = x * x + y * y + z * z
	if squared > 1e-280 and squared < 1e280 then
		return sqrt(squared)
	end
	local scale = max(abs(x), abs(y), abs(z))
	if not (scale > 0 and scale < math.huge) then
		return scale
	end
	x, y, z = x / scale, y / scale, z / scale
	return scale * sqrt(x * x + y * y + z * z)
end

---@return number
function methods.length(v)
	return length(operand(v, "length"))
end

---@return number
function methods.length_squared(v)
	local x, y, z = operand(v, "length_squared")
	return x * x + y * y + z * z
end

---The vector of length 1 with the same direction; a zero vector is an error.
---@return scree.vec3
function methods.normalized(v)
	local x, y, z = operand(v, "normalized")
	local l = length(x, y, z)
	if not (l > 0 and l < math.huge) then
		raise.error("vec3 normalized: a vector of length " .. text.number(l) .. " has no direction")
	end
	return Vec3(x / l, y / l, z / l)
end

---a for t = 0, b for t = 1.
---@return scree.vec3
function methods.lerp(a, b, t)
	local ax, ay, az = operand(a, "lerp")
	local bx, by, bz = operand(b, "lerp", "other")
	number(t, "lerp", "t")
	local s = 1 - t
	return Vec3(s * ax + t * bx, s * ay + t * by, s * az + t * bz)
end

---@return number
function methods.distance(a, b)
	local ax, ay, az = operand(a, "distance")
	local bx, by, bz = operand(b, "distance", "other")
	return length(ax - bx, ay - by, az - bz)
end

---@return number x
---@return number y
---@return number z
function methods.unpack(v)
	return operand(v, "unpack")
end

local meta = {}

function meta.__index(v, key)
	if key == "x" or key == 1 then
		return v._x
	elseif key == "y" or key == 2 then
		return v._y
	elseif key == "z" or key == 3 then
		return v._z
	end
	local method = methods[key]
	if method then
		return method
	end
	raise.error("vec3: no field " .. text.key(key) .. text.hint(key, known))
end

function meta.__newindex()
	raise.error "vec3 is immutable: make a new one with scree.vec3(x, y, z)"
end

function meta.__add(a, b)
	if istype(Vec3, a) and istype(Vec3, b) then
		return Vec3(a._x + b._x, a._y + b._y, a._z + b._z)
	end
	local ax, ay, az = operand(a, "+")
	local bx, by, bz = operand(b, "+")
	return Vec3(ax + bx, ay + by, az + bz)
end

function meta.__sub(a, b)
	if istype(Vec3, a) and istype(Vec3, b) then
		return Vec3(a._x - b._x, a._y - b._y, a._z - b._z)
	end
	local ax, ay, az = operand(a, "-")
	local bx, by, bz = operand(b, "-")
	return Vec3(ax - bx, ay - by, az - bz)
end

-- By a number, or component by component.
function meta.__mul(a, b)
	if type(b) == "number" then
		return Vec3(a._x * b, a._y * b, a._z * b)
	elseif type(a) == "number" then
		return Vec3(a * b._x, a * b._y, a * b._z)
	end
	local ax, ay, az = operand(a, "*")
	local bx, by, bz = operand(b, "*")
	return Vec3(ax * bx, ay * by, az * bz)
end

function meta.__div(a, b)
	if type(b) == "number" then
		return Vec3(a._x / b, a._y / b, a._z / b)
	end
	local ax, ay, az = operand(a, "/")
	local bx, by, bz = operand(b, "/")
	return Vec3(ax / bx, ay / by, az / bz)
end

function meta.__unm(v)
	return Vec3(-v._x, -v._y, -v._z)
end

function meta.__eq(a, b)
	return istype(Vec3, a) and istype(Vec3, b) and a._x == b._x and a._y == b._y and a._z == b._z
end

function meta.__tostring(v)
	return ("vec3(%s, %s, %s)"):format(text.number(v._x), text.number(v._y), text.number(v._z))
end

local function refuse(what)
	return function()
		raise.error("vec3: " .. what .. " is not defined for vectors")
	end
end

meta.__lt, meta.__le, meta.__mod, meta.__pow = refuse "order", refuse "order", refuse "%", refuse "^"
meta.__concat, meta.__len = refuse "..", refuse "#"

ffi.metatype(Vec3, meta)

return vec3
