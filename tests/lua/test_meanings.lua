-- What is settled about the names that scripts rely on (test_contract.lua): meanings that a script may count on.

local lu = require "luaunit"
local scree = require "scree"
local support = require "support"

local TestMeanings = {}

function TestMeanings.testOneNumberIsNotThreeAndNilIsNotNone()
	local world = support.world_with_floor()
	local box = support.box(world)
	support.fails(function() box.velocity = 3 end, "velocity", "got 3")
	support.fails(function() box.velocity = nil end, "velocity", "got nil")
	support.fails(function() box:apply_impulse() end, "impulse", "got nil")
	support.fails(function() world:run() end, "seconds", "got nil")
	support.fails(function() world.terrain:get(1, 2) end, "z", "got nil")
end

function TestMeanings.testTheMessageOfThePage()
	local world = support.world_with_floor()
	support.fails(function()
		world:spawn { shape = "box", size = { 1, 0 / 0, 1 } }
	end, "spawn: size[2] must be a positive number, got nan")
end

function TestMeanings.testObjectsAreTableKeysAndKeepTheirTag()
	local world = support.world_with_floor()
	local box = support.box(world, { tag = { name = "crate" } })
	local keyed = { [box] = 1 }
	for found in world:assemblies() do
		lu.assertEquals(keyed[found], 1)
		lu.assertEquals(found.tag.name, "crate")
	end
	local kept = setmetatable({ box.tag }, { __mode = "v" })
	box:destroy()
	collectgarbage()
	collectgarbage()
	lu.assertNil(kept[1])
	local next_box = support.box(world)
	lu.assertNil(keyed[next_box])
	lu.assertFalse(box.valid)
end

function TestMeanings.testRaysOutOfASolidWithInsideFalse()
	local world = support.world_with_floor()
	local box = support.box(world, { position = { 0, 2, 0 } })
	local hit = world:raycast({ 0, 2, 0 }, { 0, -2, 0 })
	lu.assertEquals({ hit.inside, hit.fraction, hit.distance, hit.assembly == box }, { true, 0, 0, true })
	lu.assertTrue(world:raycast({ 0, 2, 0 }, { 0, -2, 0 }, { inside = false }).terrain)
end

function TestMeanings.testAJointWithoutAtSitsAtTheCentreOfMass()
	local world = support.world_with_floor()
	local a, b = support.box(world, { position = { 0, 5, 0 } }), support.box(world, { position = { 3, 5, 0 } })
	support.is_vec3(world:joint({ type = "ball", a = a, b = b }).at, 3, 5, 0, 1e-6)
	support.is_vec3(world:joint({ type = "ball", a = a }).at, 0, 5, 0, 1e-6)
end

function TestMeanings.testSlowDriftGoesOn()
	local world = scree.world { gravity = { 0, 0, 0 } }
	local drifting = support.box(world, { velocity = { 0.01, 0, 0 } })
	local still = support.box(world, { position = { 9, 9, 9 }, velocity = { 0.0005, 0, 0 } })
	world:run(3)
	lu.assertEquals({ drifting.state, still.state }, { "awake", "asleep" })
end

function TestMeanings.testWorldsWithoutDirectVectors()
	local world = support.world_with_floor()
	support.fails(function() world.gravity.y = 3 end, "immutable")
	support.fails(function() world.sleep.time = 3 end, "copy")
	support.fails(function() world.materials.rock.friction = 3 end, "copy")
end

return { TestMeanings = TestMeanings }
