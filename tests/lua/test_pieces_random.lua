-- Pieces of all kinds: whatever is edited, a step loses nothing of any material, and what is put back at whole cells
-- and quarter turns is the same cells.

local lu = require "luaunit"
local scree = require "scree"
local scenery = require "scenery"

local TestPiecesRandom = {}

local FAR = 1000

local function add(sums, more)
	for name, amount in pairs(more) do
		sums[name] = (sums[name] or 0) + amount
	end
	return sums
end

local function matter(world)
	local sums = world.terrain:matter({ -FAR, -FAR, -FAR }, { FAR, FAR, FAR })
	for a in world:assemblies() do
		add(sums, a:matter())
	end
	return sums
end

local function cells(world)
	local sums = world.terrain:count({ -FAR, -FAR, -FAR }, { FAR, FAR, FAR })
	sums.air, sums.water = nil, nil
	for a in world:assemblies() do
		add(sums, a:count())
	end
	return sums
end

local function step_and_compare(world, what)
	local before, counted = matter(world), cells(world)
	world:step()
	lu.assertEquals(matter(world), before, what)
	lu.assertEquals(cells(world), counted, what)
end

-- A block of ground that is held, over borders of chunks on both sides of 0.
local function held_ground(at, size)
	local world = scree.world {}
	world.terrain:fill_box { position = at, size = size, material = "rock" }
	world.terrain.detach = true
	world:step()
	return world, world.terrain
end

local MATERIALS = { "rock", "sand", "brick", "wood", "ice", "concrete", "water", "air", "air", "air" }

-- One edit of any kind around a point.
local function edit(world, random, at)
	local t, material = world.terrain, MATERIALS[1 + math.floor(random() * #MATERIALS)]
	local kind = math.floor(random() * 8)
	if kind <= 1 then
		t:fill_ball { center = at, radius = 1 + 4 * random(), material = material }
	elseif kind == 2 then
		t:fill_box {
			position = at, size = { 1 + 7 * random(), 1 + 7 * random(), 1 + 7 * random() }, material = material,
			rotation = scree.axis_angle({ 1, 2, 3 }, 3 * random()),
		}
	elseif kind == 3 then
		t:fill_cylinder { position = at, radius = 1 + 2 * random(), height = 2 + 10 * random(), material = material }
	elseif kind == 4 then
		t:smooth { center = at, radius = 2 + 4 * random(), strength = 1 }
	elseif kind == 5 then
		t:grow { center = at, radius = 2 + 4 * random(), strength = 4 * random() - 2 }
	elseif kind == 6 then
		t:dig { center = at, radius = 1 + 5 * random(), strength = 1 + 60 * random() }
	else
		world:blast { position = at, radius = 2 + 6 * random(), strength = 60 * random(), impulse = 1e5 * random() }
	end
end

function TestPiecesRandom.testNoEditLosesMatter()
	local came_off = 0
	for seed = 1, 6 do
		local random = scenery.generator(seed)
		local x, z = 80 * random() - 40, 80 * random() - 40
		local world = held_ground({ x, -30, z }, { 30, 2, 30 })
		world:on("detach", function() came_off = came_off + 1 end)
		for i = 1, 25 do
			edit(world, random, { x + 28 * random() - 14, -28 + 24 * random(), z + 28 * random() - 14 })
			step_and_compare(world, ("seed %d, edit %d"):format(seed, i))
		end
		for a in world:assemblies() do
			local mass = 0
			for name, amount in pairs(a:matter()) do
				mass = mass + amount * world.materials[name].density
			end
			lu.assertAlmostEquals(a.mass / mass, 1, 1e-5)
		end
		world:destroy()
	end
	lu.assertTrue(came_off > 20, came_off)
end

function TestPiecesRandom.testCheckerboardsOverBorders()
	for _, corner in ipairs { { -37, -5, -33 }, { 27, 60, -3 } } do
		local world, t = held_ground({ 0, -100, 0 }, { 8, 2, 8 })
		local put = 0
		for i = 0, 12 ^ 3 - 1 do
			local x, z, y = i % 12, math.floor(i / 12) % 12, math.floor(i / 144)
			if (x + y + z) % 2 == 0 then
				put = put + 1
				t:set(corner[1] + x, corner[2] + y, corner[3] + z, put % 3 == 0 and "ice" or "sand", 0.6 + 0.05 * (put % 8))
			end
		end
		step_and_compare(world, "checkerboard")
		lu.assertEquals(world.stats.assemblies, put)
	end
end

-- Held by either foot, until both are cut.
function TestPiecesRandom.testArch()
	local world, t = held_ground({ 0, -2, -30 }, { 90, 4, 20 })
	for _, x in ipairs { -33, 33 } do
		t:fill_box { position = { x, 10, -32 }, size = { 4, 20, 4 }, material = x < 0 and "brick" or "concrete" }
	end
	t:fill_box { position = { 0, 22, -32 }, size = { 70, 4, 4 }, material = "sandstone" }
	for i, x in ipairs { -33, 33 } do
		t:fill_box { position = { x, 5, -32 }, size = { 6, 1, 6 }, material = "air" }
		step_and_compare(world, "arch")
		lu.assertEquals(world.stats.assemblies, i - 1)
	end
	local arch = world:assemblies()()
	local counted, has = arch:count(), arch:matter()
	lu.assertEquals({ counted.brick, has.brick, counted.sandstone }, { 16 * 14, 16 * 14, 70 * 16 })
	lu.assertAlmostEquals(has.concrete, 16 * 14.5, 8) -- of what is smooth, half of a cut cell stays
	local before = matter(world)
	world:run(5)
	lu.assertEquals(matter(world), before)
end

-- The basin comes off; what is in it stays where it was. Where the basin is put back it takes the water's place.
function TestPiecesRandom.testWaterInAPiece()
	local world, t = held_ground({ 0, -2, 0 }, { 60, 4, 60 })
	t:fill_box { position = { -32, 12, -32 }, size = { 12, 8, 12 }, material = "concrete" }
	t:fill_box { position = { -32, 13, -32 }, size = { 8, 6, 8 }, material = "air" }
	t:fill_box { position = { -32, 12, -32 }, size = { 8, 4, 8 }, material = "water" }
	t:fill_ball { center = { -31.3, 12, -33.1 }, radius = 2.2, material = "ice" }
	local before = matter(world)
	lu.assertTrue(before.water > 100 and before.ice > 20)
	world:step()
	lu.assertEquals(world.stats.assemblies, 1)
	lu.assertEquals(matter(world), before)
	world:run(1)
	lu.assertEquals(matter(world), before)
	local removed = world:assemblies()():to_terrain().removed
	lu.assertEquals(matter(world).water, before.water - (removed.water or 0))
end

function TestPiecesRandom.testQuarterTurns()
	local s = math.sqrt(0.5)
	for i, turn in ipairs {
		{ s, 0, 0, s }, { 0, s, 0, s }, { 0, 0, s, s }, { 0.5, 0.5, 0.5, 0.5 }, { 1, 0, 0, 0 }, { 0, -s, s, 0 },
	} do
		local world = scree.world { gravity = { 0, 0, 0 } }
		local t = world.terrain
		t:fill_ball { center = { -31, -33, 31.5 }, radius = 6.3, material = "rock" }
		t:fill_box { position = { -28, -30, 33 }, size = { 5, 9, 3 }, material = "brick" }
		t:fill_box { position = { -28, -40, 33 }, size = { 1, 9, 3 }, material = "wood" }
		t:set(100, -80, 100, "rock")
		local before = matter(world)
		local piece = t:detach_all()[1]
		local has = piece:matter()
		piece.rotation = turn
		local added = piece:to_terrain()
		lu.assertEquals({ added.added, added.removed }, { has, {} }, i)
		lu.assertEquals(matter(world), before)
	end
end

-- Ground may be where no body can; there it stays.
function TestPiecesRandom.testGroundTooFarForBodiesStays()
	local world, t = held_ground({ 0, -2, 0 }, { 8, 4, 8 })
	for _, x in ipairs { 2 ^ 30, -2 ^ 30, 1e9 + 8, 0 } do
		t:set(x, 50, 0, "rock")
	end
	world:step()
	lu.assertEquals(world.stats.assemblies, 1)
	lu.assertEquals(t:get(2 ^ 30, 50, 0), "rock")
	lu.assertAlmostEquals(world:assemblies()().center_of_mass.x, 0.5, 1e-9)
	lu.assertEquals(#t:detach_all(), 0)
end

-- Many of them felled: small ones fit closely, large ones are few parts.
function TestPiecesRandom.testTrees()
	for _, scale in ipairs { 0.4, 1 } do
		local world, t = held_ground({ 0, -4, 0 }, { 120, 8, 120 })
		t:fill_cylinder { position = { 0, 20 * scale, 0 }, radius = 4 * scale, height = 40 * scale, material = "wood" }
		t:fill_ball { center = { 0, 52 * scale, 0 }, radius = 23 * scale, material = "grass" }
		step_and_compare(world, "grown")
		t:fill_box { position = { 0, 3.5, 0 }, size = { 12, 1, 12 }, material = "air" }
		step_and_compare(world, "felled")
		lu.assertEquals(world.stats.assemblies, 1)
		local tree = world:assemblies()()
		lu.assertTrue(#tree.parts >= 2 and #tree.parts <= 80, #tree.parts)
		local low, high = tree:bounds()
		lu.assertAlmostEquals(high.y, 75 * scale, 1.5)
		lu.assertAlmostEquals(low.y, 4, 0.6)
		lu.assertAlmostEquals(high.x - low.x, 46 * scale, 1.5)
		world:run(3)
		lu.assertTrue(tree.center_of_mass.y > 0)
	end
end

return TestPiecesRandom
