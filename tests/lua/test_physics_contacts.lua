-- Contacts of parts with blocks of terrain: opened and closed by bits, kept from step to step, counted.

local luaunit = require "luaunit"
local scree = require "scree"
local scenery = require "scenery"
local support = require "support"

local here = debug.getinfo(1, "S").source:match "^@(.*)[/\\]" or "."
package.path = package.path .. ";" .. here .. "/../../?.lua"
local caves = require "tests.bench.caves"

local run = scenery.run

local TestGroundContacts = {}

local function weightless(broadphase)
	return scree.world { gravity = { 0, 0, 0 }, broadphase = broadphase }
end

-- Blocks whose surface lies at two opposite corners: its box is the whole block, with air in the middle.
local function hollows(broadphase, count)
	local world = weightless(broadphase)
	for i = 0, count - 1 do
		local x = 24 * i - 48
		world.terrain:set(x + 1, 1, 1, "rock")
		world.terrain:set(x + 6, 6, 6, "rock")
		world:spawn { shape = "ball", radius = 0.4, position = { x + 4, 4, 4 } }
	end
	world:step()
	return world.stats.terrain
end

function TestGroundContacts.testBitsRefuseWhatBoxesTest()
	local bits, boxes = hollows("bits", 7), hollows("boxes", 7)
	luaunit.assertEquals({ bits.contacts, bits.tested, bits.refused, bits.opened }, { 0, 0, 7, 0 })
	luaunit.assertEquals({ boxes.contacts, boxes.tested, boxes.refused, boxes.opened }, { 7, 7, 0, 7 })
	luaunit.assertEquals(boxes.barren, 7)
	luaunit.assertEquals({ bits.colliders, boxes.colliders }, { 0, 7 }) -- nothing is meshed for what is refused
end

function TestGroundContacts.testOnePerPartAndBlock()
	local world = scree.world()
	scenery.floor(world)
	-- the corner of four blocks lies under its middle
	local box = world:spawn { shape = "box", size = { 4, 1, 4 }, position = { 0, 0.5, 0 } }
	local begun = 0
	for _ = 1, 90 do
		world:step()
		local stats = world.stats
		luaunit.assertEquals({ stats.terrain.contacts, stats.terrain.opened }, { 4, 4 })
		luaunit.assertEquals(stats.terrain.water_contacts, 0)
		for event in world:events "contact_begin" do
			begun = begun + (event.terrain and 1 or 0)
		end
	end
	luaunit.assertEquals(begun, 1, "one touch, however many blocks")
	luaunit.assertEquals(world.stats.terrain.barren, 0)
	luaunit.assertEquals(box.state, "asleep")
	luaunit.assertEquals(world.stats.terrain.tested, 0, "nothing is tested for a sleeper")
	luaunit.assertEquals(world.stats.terrain.contacts, 4, "sleep ends no contact")
	box:destroy()
	luaunit.assertEquals(world.stats.terrain.contacts, 0)
end

function TestGroundContacts.testPartsCountByThemselves()
	local world = weightless()
	scenery.floor(world)
	local dumbbell = world:spawn {
		parts = {
			{ shape = "ball", radius = 0.5, position = { -4, 0, 0 } }, { shape = "ball", radius = 0.5, position = { 4, 0, 0 } },
		},
		position = { 0, 0.45, 4 },
	}
	world:step()
	luaunit.assertEquals(world.stats.terrain.contacts, 2)
	dumbbell.motion = "static"
	luaunit.assertEquals(world.stats.terrain.contacts, 0)
	dumbbell.motion = "dynamic"
	world:step()
	luaunit.assertEquals(world.stats.terrain.contacts, 2)
end

function TestGroundContacts.testOpenedAndClosedOnTheWay()
	local world = weightless()
	scenery.floor(world, { friction = 0 })
	local ball = world:spawn { shape = "ball", radius = 0.25, position = { -20, 0.251, 4 }, velocity = { 6, 0, 0 },
		friction = 0 }
	local most = 0
	run(world, 6, function()
		most = math.max(most, world.stats.terrain.contacts)
	end)
	scenery.near(ball.position.x, 16, 0.05, "way")
	local terrain = world.stats.terrain
	luaunit.assertEquals(most, 2)
	luaunit.assertEquals(terrain.opened, 6, "blocks of 8 m from -24 to 24")
	ball.position = { 0, 20, 0 }
	world:step()
	luaunit.assertEquals(world.stats.terrain.contacts, 0)
end

function TestGroundContacts.testWaterHasItsOwn()
	local world = weightless()
	world.terrain:fill_box { position = { 4, 4, 4 }, size = { 24, 24, 24 }, material = "water" }
	world.terrain:fill_box { position = { 4, -2, 4 }, size = { 8, 2, 8 }, material = "rock" }
	local ball = world:spawn { shape = "ball", radius = 0.25, position = { 4, -0.7, 4 } }
	world:step()
	local terrain = world.stats.terrain
	luaunit.assertEquals({ terrain.contacts, terrain.water_contacts }, { 1, 2 })
	ball.position = { 4, 4, 4 }
	world:step()
	terrain = world.stats.terrain
	luaunit.assertEquals({ terrain.contacts, terrain.water_contacts }, { 0, 1 })
end

function TestGroundContacts.testDugGroundClosesThem()
	local world = scree.world()
	scenery.floor(world)
	support.box(world, { position = { 4, 0.5, 4 } })
	world:step(1 / 60, 120)
	luaunit.assertEquals(world.stats.terrain.contacts, 1)
	world.terrain:fill_box { position = { 4, -2, 4 }, size = { 20, 6, 20 }, mode = "remove" }
	world:step()
	luaunit.assertEquals(world.stats.terrain.contacts, 0)
end

-- The scene of tests/bench/caves.lua, smaller.
function TestGroundContacts.testCaves()
	local results = caves.run(60, 3, 1)
	local bits, boxes = results.bits, results.boxes
	luaunit.assertTrue(bits.places == boxes.places, "the filter is seen in the motion")
	luaunit.assertEquals(bits.points, boxes.points)
	scenery.at_most(bits.tested, 0.85 * boxes.tested, "contacts tested by bits, to those by boxes")
	scenery.at_most(bits.barren / bits.opened, boxes.barren / boxes.opened - 0.03, "share that never makes a point")
	-- but for parts sunk into the ground, which are not tested at all
	scenery.near(bits.tested + bits.refused, boxes.tested, 0.1, "tested and refused by bits, to what boxes test")
end

return { TestGroundContacts = TestGroundContacts }
