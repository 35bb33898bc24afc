-- The examples as modules, with few things in them.

local lu = require "luaunit"
local support = require "support"

local folder = debug.getinfo(1, "S").source:match "^@(.*)[/\\]" or "."
package.path = folder .. "/../../?.lua;" .. package.path

local fish_pond = require "examples.fish_pond"
local landslide = require "examples.landslide"
local quarry = require "examples.quarry"

local TestFishPond = {}

-- Three ways to ask, one answer; and fish that keep off the ground by it.
function TestFishPond.testAllSayTheSame()
	local result = fish_pond.run { frames = 40 }
	lu.assertEquals({ result.triangles, result.rays, result.different }, { 12000, 800, 0 })
	lu.assertTrue(result.hits > 20 and result.hits < 700, result.hits)
	lu.assertTrue(result.clearance > 0.3, result.clearance)
	lu.assertTrue(result.bytes < 20 * result.triangles)
	for _, fish in ipairs(result.fish) do
		lu.assertTrue(fish.swum > 1)
	end
end

local TestLandslide = {}

function TestLandslide.testComesToRest()
	local world = landslide.build { count = 60 }
	lu.assertEquals(world.stats.assemblies, 60)
	lu.assertNotNil(world:settle(120))
	local below, lost = landslide.misplaced(world)
	lu.assertEquals({ below, lost }, { 0, 0 })
end

function TestLandslide.testMissingFile()
	local world, message = landslide.build { path = "no-such-file.png", count = 1 }
	lu.assertNil(world)
	lu.assertStrContains(message, "no-such-file.png")
end

-- Real ground of every kind: a map, a tile of the earth, a model of several parts.
local function comes_to_rest_on(name, count)
	local path = support.corpus(name)
	local world = assert(landslide.build { path = path, count = count })
	lu.assertNotNil(world:settle(120), name)
	local below, lost = landslide.misplaced(world)
	lu.assertEquals({ world.stats.assemblies, below, lost }, { count, 0, 0 }, name)
	world:destroy()
end

function TestLandslide.testOnRealHeights()
	comes_to_rest_on("height/S36E149_257.png", 100)
	comes_to_rest_on("height/N44W072.hgt", 50)
end

function TestLandslide.testOnRealModels()
	for _, name in ipairs { "alien_bot1", "hierarchy", "veh_tank1", "test_multiple_model_scene" } do
		comes_to_rest_on("vox/" .. name .. ".vox", 60)
	end
end

function TestLandslide.testOtherFilesAreRefused()
	local world, message = landslide.build { path = support.corpus "vox/not_a.vox", count = 1 }
	lu.assertNil(world)
	lu.assertStrContains(message, "not_a.vox")
end

local TestQuarry = {}

-- Pieces come off, nothing is lost, the water rises, and the crane carries its block to where it lays it down.
function TestQuarry.testAMinute()
	local scene = quarry.build()
	local world = scene.world
	local before = quarry.matter(world)
	quarry.run(scene, 8)
	lu.assertTrue(scene.pieces >= 4, scene.pieces)
	local half = world:hash()
	local again = quarry.build { threads = 2 }
	quarry.run(again, 8)
	lu.assertEquals(again.world:hash(), half)
	again.world:destroy()
	local after = quarry.matter(world)
	for _, name in ipairs { "limestone", "sandstone", "rock", "ground" } do
		lu.assertAlmostEquals(after[name] + (scene.removed[name] or 0), before[name], 1e-6, name)
	end
end

function TestQuarry.testTheWholeDay()
	local scene = quarry.build()
	quarry.run(scene, 60)
	lu.assertTrue(scene.cells > 500)
	lu.assertTrue(scene.laid.sandstone > 4)
	lu.assertFalse(scene.block.valid)
	lu.assertTrue((scene.lifted - scene.set_down):length() > 10)
	lu.assertTrue(math.abs(scene.set_down.y) < 3)
	for _, raft in ipairs(scene.rafts) do
		lu.assertTrue(raft.position.y > -4 and raft.position.y < -2.5, raft.position.y)
	end
end

return { TestFishPond = TestFishPond, TestLandslide = TestLandslide, TestQuarry = TestQuarry }
