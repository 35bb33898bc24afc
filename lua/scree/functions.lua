-- Mathematics with the same bits on every machine: C's own implementations, not libm's. Use these in scenes that must
-- replay exactly. Arguments outside a function's domain are errors, not NaN.

local ffi = require "ffi"
local raise = require "scree.raise"
local text = require "scree.text"
local check = require "scree.check"
local vec3 = require "scree.vec3"
local quat = require "scree.quat"
local C = require("scree.ffi").C
raise.own()

local Vec3, Quat = vec3.type, quat.type
local number, wrong = check.number, check.wrong

local functions = {}

local function finite(x, where, name)
	if not (type(x) == "number" and x - x == 0) then
		wrong(x, where, name, "a finite number")
	end
	return x
end

---@param x number radians
---@return number
function functions.sin(x)
	return C.scree_sin(number(x, "sin: ", "x"))
end

---@param x number radians
---@return number
function functions.cos(x)
	return C.scree_cos(number(x, "cos: ", "x"))
end

---@param x number radians
---@return number
function functions.tan(x)
	return C.scree_tan(number(x, "tan: ", "x"))
end

---@param x number -1..1
---@return number radians
function functions.asin(x)
	return C.scree_asin(check.range(x, -1, 1, "asin: ", "x"))
end

---@param x number -1..1
---@return number radians
function functions.acos(x)
	return C.scree_acos(check.range(x, -1, 1, "acos: ", "x"))
end

---@param y number
---@param x number? 1
---@return number radians
function functions.atan(y, x)
	return C.scree_atan2(finite(y, "atan: ", "y"), x == nil and 1 or finite(x, "atan: ", "x"))
end

---@param y number
---@param x number
---@return number radians
function functions.atan2(y, x)
	return C.scree_atan2(finite(y, "atan2: ", "y"), finite(x, "atan2: ", "x"))
end

---@param x number
---@return number
function functions.exp(x)
	return C.scree_exp(finite(x, "exp: ", "x"))
end

---@param x number above 0
---@return number
function functions.log(x)
	if finite(x, "log: ", "x") <= 0 then
		wrong(x, "log: ", "x", "a positive number")
	end
	return C.scree_log(x)
end

---@param x number
---@param y number
---@return number
function functions.pow(x, y)
	finite(x, "pow: ", "x")
	finite(y, "pow: ", "y")
	if x < 0 and y % 1 ~= 0 then
		wrong(y, "pow: ", "y", "a whole number where x is negative")
	end
	return C.scree_pow(x, y)
end

---@param x number at least 0
---@return number
function functions.sqrt(x)
	if finite(x, "sqrt: ", "x") < 0 then
		wrong(x, "sqrt: ", "x", "a number of at least 0")
	end
	return math.sqrt(x)
end

---A vector from three numbers, or from what is a vector already ({x, y, z}).
---@param x number|scree.vec3|number[]
---@param y number?
---@param z number?
---@return scree.vec3
function functions.vec3(x, y, z)
	if y == nil and z == nil and type(x) ~= "number" then
		return Vec3(check.vec3(x, "vec3: ", "x"))
	end
	return Vec3(number(x, "vec3: ", "x"), number(y, "vec3: ", "y"), number(z, "vec3: ", "z"))
end

---A rotation from four numbers (normalised), or from {x, y, z, w}.
---@param x number|scree.quat|number[]
---@param y number?
---@param z number?
---@param w number?
---@return scree.quat
function functions.quat(x, y, z, w)
	if y == nil and z == nil and w == nil and type(x) ~= "number" then
		return Quat(check.quat(x, "quat: ", "x"))
	end
	number(x, "quat: ", "x")
	number(y, "quat: ", "y")
	number(z, "quat: ", "z")
	number(w, "quat: ", "w")
	local nx, ny, nz, nw = quat.normalize(x, y, z, w)
	if not nx then
		raise.error "quat: x, y, z, w must not all be 0"
	end
	return Quat(nx, ny, nz, nw)
end

---The turn by an angle about an axis (of any length), counter-clockwise seen from its tip.
---@param axis scree.vec3|number[]
---@param radians number
---@return scree.quat
function functions.axis_angle(axis, radians)
	local x, y, z = check.vec3(axis, "axis_angle: ", "axis")
	number(radians, "axis_angle: ", "radians")
	x, y, z = quat.normalize(x, y, z, 0)
	if not x then
		raise.error "axis_angle: axis must not be of length 0"
	end
	local s = C.scree_sin(radians / 2)
	return Quat(quat.normalize(x * s, y * s, z * s, C.scree_cos(radians / 2)))
end

---The turn by z about Z, then by y about Y, then by x about X: X * Y * Z as matrices.
---@param x number radians
---@param y number radians
---@param z number radians
---@return scree.quat
function functions.euler(x, y, z)
	number(x, "euler: ", "x")
	number(y, "euler: ", "y")
	number(z, "euler: ", "z")
	local qx = Quat(C.scree_sin(x / 2), 0, 0, C.scree_cos(x / 2))
	local qy = Quat(0, C.scree_sin(y / 2), 0, C.scree_cos(y / 2))
	local qz = Quat(0, 0, C.scree_sin(z / 2), C.scree_cos(z / 2))
	return qx * qy * qz
end

---@class scree.quat
local methods = quat.methods

local function own_quat(q, where)
	if not ffi.istype(Quat, q) then
		raise.error(where .. "expected a quat, got " .. text.describe(q))
	end
end

---Axis of length 1 and angle in 0..pi; no turn has the axis Y.
---@return scree.vec3 axis
---@return number radians
function methods.axis_angle(q)
	own_quat(q, "axis_angle: ")
	local x, y, z, w = q.x, q.y, q.z, q.w
	if w < 0 then
		x, y, z, w = -x, -y, -z, -w
	end
	local s = math.sqrt(x * x + y * y + z * z)
	if s == 0 then
		return Vec3(0, 1, 0), 0
	end
	return Vec3(x / s, y / s, z / s), 2 * C.scree_atan2(s, w)
end

---The angles that scree.euler makes this rotation from; y in -pi/2..pi/2.
---@return number x
---@return number y
---@return number z
function methods.euler(q)
	own_quat(q, "euler: ")
	local x, y, z, w = q.x, q.y, q.z, q.w
	local sy = math.max(-1, math.min(1, 2 * (x * z + w * y))) -- row 1, column 3 of the matrix
	if math.abs(sy) < 0.9999999 then
		return C.scree_atan2(2 * (w * x - y * z), 1 - 2 * (x * x + y * y)),
			C.scree_asin(sy),
			C.scree_atan2(2 * (w * z - x * y), 1 - 2 * (y * y + z * z))
	end
	return C.scree_atan2(2 * (y * z + w * x), 1 - 2 * (x * x + z * z)), C.scree_asin(sy), 0 -- X and Z coincide
end

---The vector turned by the rotation, as q * v.
---@return scree.vec3
function methods.rotate(q, v)
	own_quat(q, "rotate: ")
	return Vec3(quat.rotate(q, check.vec3(v, "rotate: ", "v")))
end

---From a (t = 0) to b (t = 1) the short way at even speed.
---@param b scree.quat
---@param t number
---@return scree.quat
function methods.slerp(a, b, t)
	own_quat(a, "slerp: ")
	local bx, by, bz, bw = check.quat(b, "slerp: ", "b")
	number(t, "slerp: ", "t")
	local d = a.x * bx + a.y * by + a.z * bz + a.w * bw
	if d < 0 then
		d, bx, by, bz, bw = -d, -bx, -by, -bz, -bw
	end
	local s, r = 1 - t, t
	if d < 0.9995 then -- closer ones: the straight line is exact to about 1e-8
		local angle = C.scree_acos(d)
		local f = 1 / C.scree_sin(angle)
		s, r = C.scree_sin(s * angle) * f, C.scree_sin(t * angle) * f
	end
	local x, y, z, w = quat.normalize(s * a.x + r * bx, s * a.y + r * by, s * a.z + r * bz, s * a.w + r * bw)
	if not x then
		raise.error("slerp: t of " .. text.number(t) .. " leads to no rotation")
	end
	return Quat(x, y, z, w)
end

return functions
