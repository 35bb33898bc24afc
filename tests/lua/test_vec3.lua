-- vec3, quat and the deterministic functions.

local lu = require "luaunit"
local scree = require "scree"
local support = require "support"

local vec3, quat, fails = scree.vec3, scree.quat, support.fails
local NAN, INF = support.NAN, support.INF

local TestVec3 = {}

function TestVec3.testMakesFromNumbersTablesAndVectors()
	support.is_vec3(vec3(1, 2, 3), 1, 2, 3)
	support.is_vec3(vec3 { 1, 2, 3 }, 1, 2, 3)
	support.is_vec3(vec3(vec3(1, 2, 3)), 1, 2, 3)
end

function TestVec3.testRefusesAllElse()
	for _, bad in ipairs { NAN, INF, -INF, 1e38, "1", true, {} } do
		fails(function() vec3(bad, 2, 3) end, "vec3", "x")
		fails(function() vec3(1, bad, 3) end, "vec3", "y")
		fails(function() vec3(1, 2, bad) end, "vec3", "z")
		fails(function() vec3 { 1, bad, 3 } end, "vec3")
	end
	fails(function() vec3() end, "vec3")
	fails(function() vec3(1) end, "vec3", "y", "nil")
	fails(function() vec3(1, 2) end, "vec3", "z", "nil")
	fails(function() vec3 { 1, 2 } end, "vec3")
	fails(function() vec3 { 1, 2, 3, 4 } end, "vec3")
	fails(function() vec3 { x = 1, y = 2, z = 3 } end, "vec3")
	fails(function() vec3 { 1, 2, 3, w = 4 } end, "vec3")
end

function TestVec3.testIsImmutable()
	local v = vec3(1, 2, 3)
	fails(function() v.x = 5 end, "vec3 is immutable")
	fails(function() v[1] = 5 end, "vec3 is immutable")
	fails(function() v.size = 5 end, "vec3 is immutable")
	for _, private in ipairs { "_x", "_y", "_z" } do
		lu.assertFalse(pcall(function() v[private] = 5 end))
	end
	support.is_vec3(v, 1, 2, 3)
end

function TestVec3.testReadsByNameAndIndex()
	local v = vec3(1, 2, 3)
	lu.assertEquals({ v.x, v.y, v.z, v[1], v[2], v[3] }, { 1, 2, 3, 1, 2, 3 })
	lu.assertEquals({ v:unpack() }, { 1, 2, 3 })
	fails(function() return v.lenght end, '"lenght"', '"length"')
	fails(function() return v[4] end, "[4]")
	fails(function() return v[nil] end, "nil")
end

function TestVec3.testArithmetic()
	local a, b = vec3(1, 2, 3), vec3(4, -5, 0.5)
	support.is_vec3(a + b, 5, -3, 3.5)
	support.is_vec3(a - b, -3, 7, 2.5)
	support.is_vec3(a * 2, 2, 4, 6)
	support.is_vec3(2 * a, 2, 4, 6)
	support.is_vec3(a / 2, 0.5, 1, 1.5)
	support.is_vec3(-a, -1, -2, -3)
	support.is_vec3(a * b, 4, -10, 1.5)
	support.is_vec3(a / vec3(2, 4, 8), 0.5, 0.5, 0.375)
	support.is_vec3(a + { 1, 1, 1 }, 2, 3, 4)
	support.is_vec3({ 1, 1, 1 } - a, 0, -1, -2)
	fails(function() return a + 1 end, "vec3 +", "got 1")
	fails(function() return 1 - a end, "vec3 -", "got 1")
	fails(function() return a * "2" end, "vec3 *")
	fails(function() return a / nil end, "vec3 /", "nil")
	fails(function() return a + { 1, 2 } end, "vec3 +")
	fails(function() return a < b end, "vec3")
	fails(function() return #a end, "vec3")
	fails(function() return a .. "" end, "vec3")
end

function TestVec3.testEquality()
	lu.assertTrue(vec3(1, 2, 3) == vec3(1, 2, 3))
	lu.assertFalse(vec3(1, 2, 3) == vec3(1, 2, 4))
	lu.assertTrue(vec3(0, 0, 0) == vec3(-0, 0, 0))
	lu.assertFalse(vec3(1, 2, 3) == nil)
	lu.assertFalse(vec3(1, 2, 3) == 1)
	lu.assertFalse(vec3(1, 2, 3) == quat(0, 0, 0, 1))
end

function TestVec3.testProductsAndLengths()
	local a, b = vec3(1, 2, 3), vec3(4, 5, 6)
	lu.assertEquals(a:dot(b), 32)
	support.is_vec3(a:cross(b), -3, 6, -3)
	lu.assertEquals(vec3(2, 3, 6):length(), 7)
	lu.assertEquals(vec3(2, 3, 6):length_squared(), 49)
	lu.assertEquals(vec3(3, 4, 0):distance { 0, 0, 0 }, 5)
	support.is_vec3(vec3(0, 3, 4):normalized(), 0, 0.6, 0.8)
	support.is_vec3(a:lerp(b, 0), 1, 2, 3)
	support.is_vec3(a:lerp(b, 1), 4, 5, 6)
	support.is_vec3(a:lerp(b, 0.5), 2.5, 3.5, 4.5)
	fails(function() vec3(0, 0, 0):normalized() end, "normalized")
	fails(function() a:dot(3) end, "dot", "3")
	fails(function() a:lerp(b, "x") end, "lerp", '"x"')
	fails(function() a.dot(1, a) end, "dot")
end

function TestVec3.testLengthOfTheVeryLargeAndSmall()
	lu.assertAlmostEquals((vec3(3e17, 4e17, 0) * 1e200):length() / 5e217, 1, 1e-15)
	lu.assertAlmostEquals(vec3(3e-200, 4e-200, 0):length() / 5e-200, 1, 1e-15)
	support.is_vec3(vec3(0, 2e-300, 0):normalized(), 0, 1, 0)
	lu.assertEquals(vec3(0, 0, 0):length(), 0)
end

function TestVec3.testPrintsNumbersThatReadBack()
	lu.assertEquals(tostring(vec3(1, -2.5, 0.1)), "vec3(1, -2.5, 0.1)")
	lu.assertEquals(tostring(vec3(1 / 3, 0, 0)), "vec3(0.3333333333333333, 0, 0)")
	lu.assertEquals(tostring(quat(0, 0, 0, 1)), "quat(0, 0, 0, 1)")
end

function TestVec3.testCompiledLoopsGiveWhatTheInterpreterGives()
	local function sum(n)
		local s, d = vec3(0, 0, 0), vec3(0.1, -0.2, 0.3)
		for i = 1, n do
			s = (s + d * i):lerp(d, 0.25) - d:cross(s) / 7
		end
		return s
	end
	local compiled = sum(2000)
	jit.off()
	jit.flush()
	local interpreted = sum(2000)
	jit.on()
	lu.assertTrue(compiled == interpreted)
end

local TestQuat = {}

function TestQuat.testIsNormalised()
	support.is_quat(quat(0, 0, 0, 2), 0, 0, 0, 1)
	support.is_quat(quat { 1, 1, 1, 1 }, 0.5, 0.5, 0.5, 0.5)
	support.is_quat(quat(quat(3, 0, 4, 0)), 0.6, 0, 0.8, 0)
	support.is_quat(quat(0, 3e-300, 0, 4e-300), 0, 0.6, 0, 0.8, 1e-15)
	local q = scree.axis_angle({ 1, 2, 3 }, 0.7)
	lu.assertTrue(quat(q.x, q.y, q.z, q.w) == q) -- a unit quaternion keeps its bits
end

function TestQuat.testRefusesAllElse()
	fails(function() quat(0, 0, 0, 0) end, "quat")
	fails(function() quat { 0, 0, 0, 0 } end, "quat")
	fails(function() quat() end, "quat")
	fails(function() quat(1, 2, 3) end, "quat", "w")
	fails(function() quat { 1, 2, 3 } end, "quat")
	fails(function() quat { 1, 2, 3, 4, 5 } end, "quat")
	for _, bad in ipairs { NAN, INF, "1", {}, 1e38 } do
		fails(function() quat(bad, 0, 0, 1) end, "quat", "x")
		fails(function() quat(0, 0, 0, bad) end, "quat", "w")
	end
	local q = quat(0, 0, 0, 1)
	fails(function() q.w = 2 end, "quat is immutable")
	fails(function() return q.angle end, '"angle"')
	fails(function() return q + q end, "quat")
	fails(function() return q * 2 end, "quat *")
	fails(function() return 2 * q end, "quat *")
end

function TestQuat.testTurnsVectors()
	local half = math.pi / 2
	support.is_vec3(scree.axis_angle({ 0, 1, 0 }, half) * vec3(1, 0, 0), 0, 0, -1, 1e-15)
	support.is_vec3(scree.axis_angle({ 0, 0, 5 }, half) * vec3(1, 0, 0), 0, 1, 0, 1e-15)
	support.is_vec3(scree.axis_angle({ 1, 0, 0 }, half):rotate { 0, 1, 0 }, 0, 0, 1, 1e-15)
	fails(function() scree.axis_angle({ 0, 0, 0 }, 1) end, "axis_angle", "axis")
	fails(function() scree.axis_angle({ 0, 1, 0 }, NAN) end, "axis_angle", "radians")
	fails(function() scree.axis_angle(1, 1) end, "axis_angle", "axis")
end

function TestQuat.testProductTurnsByTheRightOneFirst()
	local a, b = scree.axis_angle({ 0, 1, 0 }, 0.5), scree.axis_angle({ 1, 0, 0 }, -1.2)
	local v = vec3(0.3, -2, 1)
	local one, two = (a * b) * v, a * (b * v)
	support.is_vec3(one, two.x, two.y, two.z, 1e-14)
	support.is_quat(a * a:inverse(), 0, 0, 0, 1, 1e-15)
end

function TestQuat.testAxisAngleComesBack()
	for _, angle in ipairs { 0.001, 1, 2, 3.1, -0.5, -3 } do
		local axis, back = scree.axis_angle({ 2, -1, 2 }, angle):axis_angle()
		local sign = angle < 0 and -1 or 1
		lu.assertAlmostEquals(back, math.abs(angle), 1e-13)
		support.is_vec3(axis, sign * 2 / 3, -sign / 3, sign * 2 / 3, 1e-12)
	end
	local _, none = quat(0, 0, 0, 1):axis_angle()
	lu.assertEquals(none, 0)
end

function TestQuat.testEulerComesBack()
	for _, angles in ipairs { { 0.1, 0.2, 0.3 }, { -3, 1.5, 2 }, { 1, -1.2, -2.5 }, { 0, 0, 0 } } do
		local x, y, z = scree.euler(angles[1], angles[2], angles[3]):euler()
		lu.assertAlmostEquals(x, angles[1], 1e-12)
		lu.assertAlmostEquals(y, angles[2], 1e-12)
		lu.assertAlmostEquals(z, angles[3], 1e-12)
	end
	local straight_up = scree.euler(0.4, math.pi / 2, 0.3)
	local again = scree.euler(straight_up:euler())
	support.is_quat(again, straight_up.x, straight_up.y, straight_up.z, straight_up.w, 1e-7)
	local v = scree.euler(0.1, 0.2, 0.3) * vec3(1, 2, 3)
	local w = scree.axis_angle({ 0, 0, 1 }, 0.3) * vec3(1, 2, 3)
	w = scree.axis_angle({ 1, 0, 0 }, 0.1) * (scree.axis_angle({ 0, 1, 0 }, 0.2) * w)
	support.is_vec3(v, w.x, w.y, w.z, 1e-14)
end

function TestQuat.testSlerpGoesEvenly()
	local a, b = quat(0, 0, 0, 1), scree.axis_angle({ 0, 1, 0 }, 2)
	for i = 0, 10 do
		local q = scree.axis_angle({ 0, 1, 0 }, 0.2 * i)
		support.is_quat(a:slerp(b, i / 10), q.x, q.y, q.z, q.w, 1e-14)
	end
	local near = scree.axis_angle({ 0, 1, 0 }, 0.02)
	local q = scree.axis_angle({ 0, 1, 0 }, 0.01)
	support.is_quat(a:slerp(near, 0.5), q.x, q.y, q.z, q.w, 1e-12)
	support.is_quat(a:slerp(quat(0, 0, 0, -1), 0.3), 0, 0, 0, 1, 1e-15)
	fails(function() a:slerp(b, NAN) end, "slerp", "t")
	fails(function() a:slerp(1, 0) end, "slerp", "b")
end

local TestFunctions = {}

function TestFunctions.testAgreeWithTheMathLibrary()
	for i = -40, 40 do
		local x = i / 7
		for _, name in ipairs { "sin", "cos", "tan", "exp" } do
			local expected = math[name](x)
			lu.assertAlmostEquals(scree[name](x), expected, 1e-14 * math.max(1, math.abs(expected) * 50), name)
		end
		lu.assertAlmostEquals(scree.atan2(x, 0.7), math.atan2(x, 0.7), 1e-15)
		lu.assertAlmostEquals(scree.atan(x), math.atan(x), 1e-15)
		local u = i / 40
		lu.assertAlmostEquals(scree.asin(u), math.asin(u), 1e-14)
		lu.assertAlmostEquals(scree.acos(u), math.acos(u), 1e-14)
	end
	for i = 1, 50 do
		lu.assertAlmostEquals(scree.log(i / 3), math.log(i / 3), 1e-14)
		lu.assertAlmostEquals(scree.pow(i / 3, 1.7) / (i / 3) ^ 1.7, 1, 1e-13)
	end
	lu.assertEquals(scree.sqrt(2), math.sqrt(2))
	lu.assertAlmostEquals(scree.pow(-2, 3), -8, 1e-13)
end

function TestFunctions.testRefuseWhatHasNoResult()
	for _, name in ipairs { "sin", "cos", "tan", "asin", "acos", "exp", "log", "sqrt" } do
		for _, bad in ipairs { NAN, INF, -INF, "1", {}, true } do
			fails(function() scree[name](bad) end, name .. ": ", "x")
		end
		fails(function() scree[name]() end, name .. ": ", "x", "nil")
	end
	fails(function() scree.asin(1.5) end, "asin", "x", "1.5")
	fails(function() scree.acos(-1.0000001) end, "acos", "x")
	fails(function() scree.log(0) end, "log", "x")
	fails(function() scree.sqrt(-1) end, "sqrt", "x")
	fails(function() scree.pow(-2, 0.5) end, "pow", "y")
	fails(function() scree.atan2(1) end, "atan2", "x")
	fails(function() scree.atan2(NAN, 1) end, "atan2", "y")
	fails(function() scree.pow(2, NAN) end, "pow", "y")
	fails(function() scree.euler(1, 2) end, "euler", "z")
end

function TestFunctions.testModule()
	lu.assertStrMatches(scree.version, "%d+%.%d+%.%d+")
	fails(function() return scree.wrold end, '"wrold"', '"world"')
end

return { TestVec3 = TestVec3, TestQuat = TestQuat, TestFunctions = TestFunctions }
