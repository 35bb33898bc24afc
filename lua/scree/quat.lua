-- quat: an immutable unit quaternion, a rotation. q * r turns by r first, then by q; q * v turns a vector. Made values
-- and products are normalised. == compares components (q and its negative are the same rotation but not equal); as
-- table keys two equal rotations are two keys.

local ffi = require "ffi"
local raise = require "scree.raise"
local text = require "scree.text"
local vec3 = require "scree.vec3"
raise.own()

local istype = ffi.istype
local sqrt, abs, max = math.sqrt, math.abs, math.max
local Vec3 = vec3.type

---@class scree.quat
local methods = {}

local Quat = ffi.typeof "struct { const double _x, _y, _z, _w; }"

local quat = { type = Quat, methods = methods }

local known = { "x", "y", "z", "w", "inverse", "slerp", "rotate", "axis_angle", "euler", "unpack" }

--- The four numbers scaled to length 1; nothing for all zeros. What has length 1 to the last bits stays as it is.
---@return number? x, number? y, number? z, number? w
function quat.normalize(x, y, z, w)
	local squared = x * x + y * y + z * z + w * w
	if abs(squared - 1) <= 1e-15 then
		return x, y, z, w
	end
	if squared < 1e-280 or squared > 1e280 then
		local scale = max(abs(x), abs(y), abs(z), abs(w))
		if scale == 0 then
			return nil
		end
		x, y, z, w = x / scale, y / scale, z / scale, w / scale
		squared = x * x + y * y + z * z + w * w
	end
	local length = sqrt(squared)
	return x / length, y / length, z / length, w / length
end

local normalize = quat.normalize

local function operand(value, name)
	if not istype(Quat, value) then
		raise.error(("quat %s: expected a quat, got %s"):format(name, text.describe(value)))
	end
	return value
end

-- v + 2 w (u x v) + 2 u x (u x v), with u the vector part.
local function rotate(q, x, y, z)
	local qx, qy, qz, qw = q._x, q._y, q._z, q._w
	local tx, ty, tz = 2 * (qy * z - qz * y), 2 * (qz * x - qx * z), 2 * (qx * y - qy * x)
	return x + qw * tx + (qy * tz - qz * ty), y + qw * ty + (qz * tx - qx * tz), z + qw * tz + (qx * ty - qy * tx)
end

quat.rotate = rotate

local function conjugate(q)
	return Quat(-q._x, -q._y, -q._z, q._w)
end

quat.conjugate = conjugate

---@return scree.quat
function methods.inverse(q)
	return conjugate(operand(q, "inverse"))
end

---@return number x
---@return number y
---@return number z
---@return number w
function methods.unpack(q)
	operand(q, "unpack")
	return q._x, q._y, q._z, q._w
end

local meta = {}

function meta.__index(q, key)
	if key == "w" or key == 4 then
		return q._w
	elseif key == "x" or key == 1 then
		return q._x
	elseif key == "y" or key == 2 then
		return q._y
	elseif key == "z" or key == 3 then
		return q._z
	end
	local method = methods[key]
	if method then
		return method
	end
	raise.error("quat: no field " .. text.key(key) .. text.hint(key, known))
end

function meta.__newindex()
	raise.error "quat is immutable: make a new one with scree.quat(x, y, z, w)"
end

function meta.__mul(a, b)
	operand(a, "*")
	if istype(Vec3, b) then
		return Vec3(rotate(a, b.x, b.y, b.z))
	end
	if not istype(Quat, b) then
		raise.error("quat *: expected a quat or a vec3, got " .. text.describe(b))
	end
	local ax, ay, az, aw = a._x, a._y, a._z, a._w
	local bx, by, bz, bw = b._x, b._y, b._z, b._w
	return Quat(normalize(
		aw * bx + ax * bw + ay * bz - az * by,
		aw * by - ax * bz + ay * bw + az * bx,
		aw * bz + ax * by - ay * bx + az * bw,
		aw * bw - ax * bx - ay * by - az * bz
	))
end

function meta.__eq(a, b)
	return istype(Quat, a) and istype(Quat, b) and a._x == b._x and a._y == b._y and a._z == b._z and a._w == b._w
end

function meta.__tostring(q)
	local n = text.number
	return ("quat(%s, %s, %s, %s)"):format(n(q._x), n(q._y), n(q._z), n(q._w))
end

local function refuse(what)
	return function()
		raise.error("quat: " .. what .. " is not defined for rotations")
	end
end

meta.__add, meta.__sub, meta.__div, meta.__unm = refuse "+", refuse "-", refuse "/", refuse "unary -"
meta.__lt, meta.__le, meta.__mod, meta.__pow = refuse "order", refuse "order", refuse "%", refuse "^"
meta.__concat, meta.__len = refuse "..", refuse "#"

ffi.metatype(Quat, meta)

return quat
