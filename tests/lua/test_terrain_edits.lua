-- Edits of the surface: smoothing, growing, planes over planes, water drained.

local lu = require "luaunit"
local scree = require "scree"
local support = require "support"

local fails = support.fails
local NAN = support.NAN

local TestReshaping = {}

local function ground(top)
	local world = scree.world()
	local t = world.terrain
	t:fill_box { position = { 0, top / 2 - 5, 0 }, size = { 40, top + 10, 40 }, material = "rock" }
	return t, world
end

local function height(t, x, z)
	return t:raycast({ x, 15, z }, { x, -9, z }).position.y
end

function TestReshaping.testPlanes()
	for _, top in ipairs { 0, 0.3, 0.77, 1.5 } do
		local t = ground(top)
		t:smooth { center = { 0, top, 0 }, radius = 9, strength = 1 }
		lu.assertAlmostEquals(height(t, 0.4, 0.6), top, 1 / 64)
		local edit = t:grow { center = { 0, top, 0 }, radius = 9, strength = 1.25, material = "sand" }
		lu.assertAlmostEquals(height(t, 0.4, 0.6), top + 1.25, 1 / 32)
		lu.assertTrue(edit.added.sand > 20)
		t:grow { center = { 0, top, 0 }, radius = 12, strength = -0.5 }
		lu.assertAlmostEquals(height(t, 0.4, 0.6), top + 0.75, 1 / 32)
	end
end

function TestReshaping.testMistakes()
	local t, world = ground(0)
	local hash = world:hash()
	for _, name in ipairs { "smooth", "grow" } do
		local function call(options)
			return function() t[name](t, options) end
		end
		fails(call(nil), name .. ": options")
		fails(call { radius = 3, strength = 1 }, name .. ": center is missing")
		fails(call { center = { 0, 0, 0 }, strength = 1 }, name .. ": radius is missing")
		fails(call { center = { 0, 0, 0 }, radius = 3 }, name .. ": strength is missing")
		fails(call { center = { 0, NAN, 0 }, radius = 3, strength = 1 }, name .. ": center")
		fails(call { center = { 0, 0, 0 }, radius = -1, strength = 1 }, name .. ": radius")
		fails(call { center = { 0, 0, 0 }, radius = 500, strength = 1 }, name .. ": radius", "128")
		fails(call { center = { 0, 0, 0 }, radius = 3, strength = 17 }, name .. ": strength")
		fails(call { center = { 0, 0, 0 }, radius = 3, strength = 1, size = 1 }, name .. ": ", '"size"')
	end
	fails(function() t:grow { center = { 0, 0, 0 }, radius = 3, strength = 1, material = "water" } end, "grow: material")
	lu.assertEquals(world:hash(), hash)
end

local TestPlanes = {}

function TestPlanes.testSoftThenHard()
	for _, top in ipairs { 1.95, 1.6, 1.5, 1.05 } do
		local t = ground(top)
		t:fill_box { position = { 0, 0, 0 }, size = { 30, 4, 30 }, material = "rock" }
		lu.assertAlmostEquals(height(t, 0.4, 0.6), 2, 1e-3)
		t:fill_box { position = { 0, 5, 0 }, size = { 50, 8, 50 }, material = "air" }
		lu.assertAlmostEquals(height(t, 0.4, 0.6), 1, 1e-3)
	end
end

function TestPlanes.testQuarterTurns()
	local a, b = scree.world(), scree.world()
	a.terrain:fill_box { position = { 0.5, 1, 3 }, size = { 3, 2, 8 }, material = "rock" }
	b.terrain:fill_box {
		position = { 0.5, 1, 3 }, size = { 8, 2, 3 }, material = "rock",
		rotation = scree.axis_angle({ 0, 1, 0 }, math.pi / 2),
	}
	lu.assertEquals(a:hash(), b:hash())
end

function TestPlanes.testDrain()
	local t, world = ground(0)
	local hash = world:hash()
	local pool = { position = { 0, 1, 0 }, size = { 6, 3.4, 6 }, material = "water" }
	t:fill_box(pool)
	pool.mode = "remove"
	t:fill_box(pool)
	lu.assertEquals(world:hash(), hash)
end

return { TestReshaping = TestReshaping, TestPlanes = TestPlanes }
