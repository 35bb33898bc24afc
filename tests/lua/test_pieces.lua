-- Pieces that come off the ground, digging by hardness, blasts.

local lu = require "luaunit"
local scree = require "scree"

local TestPieces = {}

local FAR = 1000
local function all_matter(world)
	local sums = world.terrain:matter({ -FAR, -FAR, -FAR }, { FAR, FAR, FAR })
	for a in world:assemblies() do
		for name, amount in pairs(a:matter()) do
			sums[name] = (sums[name] or 0) + amount
		end
	end
	return sums
end

local function all_cells(world)
	local counts = world.terrain:count({ -FAR, -FAR, -FAR }, { FAR, FAR, FAR })
	counts.air, counts.water = nil, nil
	for a in world:assemblies() do
		for name, count in pairs(a:count()) do
			counts[name] = (counts[name] or 0) + count
		end
	end
	return counts
end

-- A floor, a trunk and a crown of another material.
local function tree(options)
	local world = scree.world(options or {})
	local t = world.terrain
	t:fill_box { position = { 0, -2, 0 }, size = { 40, 4, 40 }, material = "ground" }
	t:fill_cylinder { position = { 0, 6, 0 }, radius = 1.6, height = 12, material = "wood" }
	t:fill_ball { position = { 0, 14, 0 }, radius = 5, material = "grass" }
	t.detach = true
	return world, t
end

local function detached(world)
	local list = {}
	for e in world:events "detach" do
		list[#list + 1] = e
	end
	return list
end

function TestPieces.testFelledInTheSameStep()
	local world, t = tree()
	t:fill_box { position = { 0, 2, 0 }, size = { 6, 1, 6 }, material = "air" }
	local before, cells = all_matter(world), all_cells(world)
	lu.assertEquals(world.stats.assemblies, 0)
	world:step()
	lu.assertEquals(all_matter(world), before)
	lu.assertEquals(all_cells(world), cells)
	local events = detached(world)
	lu.assertEquals(#events, 1)
	local e = events[1]
	local a = e.assembly
	lu.assertEquals({ e.kind, e.cause, a.motion, a.is_piece, a.state }, { "detach", "edit", "dynamic", true, "awake" })
	local count, sum, mass = a:count(), 0, 0
	for name, n in pairs(count) do
		sum = sum + n
		mass = mass + a:matter()[name] * world.materials[name].density
	end
	lu.assertEquals(e.cells, sum)
	lu.assertTrue(count.wood > 0 and count.grass > 0 and count.ground == nil)
	lu.assertAlmostEquals(a.mass / mass, 1, 1e-6)
	lu.assertAlmostEquals((e.position - a.center_of_mass):length(), 0, 0.02)
	-- born at rest: one step of falling
	lu.assertAlmostEquals(a.velocity.y, -9.81 / 60, 1e-2)
	lu.assertTrue(#a.parts > 1)
	local y = a.center_of_mass.y
	world:run(4)
	lu.assertTrue(a.center_of_mass.y < y - 1)
	lu.assertTrue(a.center_of_mass.y > 0)
	lu.assertEquals(all_matter(world), before)
	lu.assertTrue(world.terrain:matter({ -5, 4, -5 }, { 5, 20, 5 }).wood == nil)
end

function TestPieces.testOffByDefaultAndLater()
	local world, t = tree()
	lu.assertFalse(scree.world({}).terrain.detach)
	t.detach = false
	t:fill_box { position = { 0, 2, 0 }, size = { 6, 1, 6 }, material = "air" }
	world:step()
	lu.assertEquals(world.stats.assemblies, 0)
	t.detach = true -- what was edited before is not looked at
	world:step()
	t:set(15, 0, 15, "rock")
	world:step()
	lu.assertEquals(world.stats.assemblies, 0)
	t.detach = false
	local list = t:detach_all()
	lu.assertEquals(#list, 1)
	lu.assertTrue(list[1].is_piece)
	world:step()
	lu.assertEquals(detached(world)[1].cause, "detach_all")
	lu.assertIs(detached(world)[1].assembly, list[1])
	lu.assertEquals(#t:detach_all(), 0)
end

function TestPieces.testAnchors()
	local world = scree.world {}
	local t = world.terrain
	t.detach = true
	t:fill_box { position = { 0, 10.5, 0 }, size = { 21, 1, 3 }, material = "concrete" } -- a beam in the air
	t:anchor({ -11, 10, -2 }, { -10, 10, 1 })
	lu.assertEquals(#t.anchors, 1)
	lu.assertEquals(t.anchors[1][1], scree.vec3(-11, 10, -2))
	world:step()
	lu.assertEquals(world.stats.assemblies, 0)
	t:fill_box { position = { 0.5, 10.5, 0 }, size = { 1, 3, 5 }, material = "air" }
	world:step()
	lu.assertEquals(world.stats.assemblies, 1) -- the half that is not held
	local a = world:assemblies()()
	lu.assertTrue(a.center_of_mass.x > 0)
	t:clear_anchors()
	lu.assertEquals(t.anchors, {})
	lu.assertEquals(#t:detach_all(), 0) -- its lowest layer is the floor again
	t:anchor({ 50, 0, 0 }, { 50, 0, 0 }) -- holds nothing
	lu.assertEquals(#t:detach_all(), 1)
end

function TestPieces.testFloorStaysWhereItWas()
	local world = scree.world {}
	local t = world.terrain
	t.detach = true
	t:fill_box { position = { 0, 0, 0 }, size = { 20, 4, 20 }, material = "rock" }
	world:step()
	t:fill_box { position = { 60, -30, 0 }, size = { 6, 6, 6 }, material = "rock" } -- lower, and elsewhere
	world:step()
	t:fill_ball { position = { 0, 2, 0 }, radius = 2, material = "air" }
	world:step()
	lu.assertEquals(world.stats.assemblies, 0)
end

function TestPieces.testSmallPieces()
	local function chips(small)
		local world = scree.world {}
		local t = world.terrain
		t:fill_box { position = { 0, -1, 0 }, size = { 40, 2, 40 }, material = "rock" }
		t.detach = true
		t.small_pieces = small
		world:step()
		for i = 0, 4 do -- in the air: of one cell, and of 27
			t:set(4 * i, 8, 0, "rock")
		end
		t:fill_box { position = { 0.5, 12.5, 0.5 }, size = { 3, 3, 3 }, material = "brick" }
		world:step()
		return world, detached(world)
	end
	local world, events = chips { cells = 8, fate = "vanish" }
	lu.assertEquals(world.stats.assemblies, 1)
	lu.assertEquals(#events, 6)
	local gone = 0
	for _, e in ipairs(events) do
		gone = gone + (e.assembly == nil and e.cells or 0)
	end
	lu.assertEquals(gone, 5)
	lu.assertNil(all_cells(world).rock - 40 * 40 * 2 ~= 0 or nil)
	world, events = chips { cells = 100, fate = "debris" }
	lu.assertEquals(world.stats.assemblies, 6)
	for _, e in ipairs(events) do
		lu.assertEquals(#e.assembly.parts, 1)
	end
	lu.assertEquals(world.terrain.small_pieces, { cells = 100, fate = "debris" })
	world.terrain.small_pieces = { cells = 3 }
	lu.assertEquals(world.terrain.small_pieces, { cells = 3, fate = "debris" })
end

function TestPieces.testBackToTerrain()
	local world, t = tree { gravity = { 0, 0, 0 } }
	t:fill_box { position = { 0, 2, 0 }, size = { 6, 1, 6 }, material = "air" }
	local hash = world.terrain:read({ -8, -4, -8 }, { 8, 24, 8 })
	world:step()
	local a = detached(world)[1].assembly
	local matter = a:matter()
	t.detach = false
	local edit = a:to_terrain()
	lu.assertFalse(a.valid)
	lu.assertEquals(edit.added, matter)
	local back = world.terrain:read({ -8, -4, -8 }, { 8, 24, 8 })
	for i = 0, 17 * 17 * 29 - 1 do
		assert(back.material[i] == hash.material[i] and back.occupancy[i] == hash.occupancy[i], "another cell at " .. i)
	end
	lu.assertErrorMsgContains("is destroyed", function() a:to_terrain() end)
	local ball = world:spawn { shape = "ball", radius = 1, position = { 0, 40, 0 } }
	lu.assertFalse(ball.is_piece)
	lu.assertEquals({ ball:count(), ball:matter() }, { {}, {} })
	lu.assertErrorMsgContains("to_terrain: the assembly is no piece", function() ball:to_terrain() end)
	lu.assertTrue(ball.valid)
end

function TestPieces.testBackFarAway()
	for _, far in ipairs { 2 ^ 30 - 100, 100 - 2 ^ 30 } do
		local world = scree.world { cell_size = 0.5, gravity = { 0, 0, 0 } }
		local t = world.terrain
		t:fill_box { position = { 0, 0, 0 }, size = { 2, 2, 2 }, material = "rock" }
		t:set(far, 0, 0, "rock")
		t:set(far, 1, 0, "rock")
		t:anchor({ 0, 0, 0 }, { 0, 0, 0 })
		lu.assertEquals(t:detach_all()[1]:to_terrain().added, { rock = 2 })
		lu.assertEquals(t:get(far, 1, 0), "rock")
	end
end

function TestPieces.testBackTurned()
	for i, turn in ipairs { 90, 180, 33 } do
		local world = scree.world { gravity = { 0, 0, 0 } }
		local t = world.terrain
		t:fill_box { position = { 0, 0, 0 }, size = { 2, 2, 2 }, material = "rock" }
		t:fill_box { position = { 20, 10, 1 }, size = { 8, 4, 2 }, material = "wood" }
		local a = t:detach_all()[1]
		local matter = a:matter().wood
		lu.assertEquals(matter, 64)
		a.position = a.position + scree.vec3(0, 3, i == 3 and 0.3 or 0)
		a.rotation = scree.axis_angle({ 0, 0, 1 }, math.rad(turn))
		local p = a.center_of_mass
		local edit = a:to_terrain()
		if i < 3 then
			lu.assertEquals(edit.added, { wood = 64 })
			lu.assertEquals(t:count({ -50, -50, -50 }, { 50, 50, 50 }).wood, 64)
		else
			lu.assertAlmostEquals(edit.added.wood, 64, 3)
		end
		lu.assertEquals(t:is_inside(p), true)
		world:step()
	end
end

function TestPieces.testWaterStays()
	local world = scree.world {}
	local t = world.terrain
	t:fill_box { position = { 0, -1, 0 }, size = { 20, 2, 20 }, material = "rock" }
	t.detach = true
	world:step()
	t:set(0, 5, 0, "rock", 0.75, 0.9)
	local before = all_matter(world)
	lu.assertTrue(before.water > 0)
	world:step()
	lu.assertEquals(world.stats.assemblies, 1)
	lu.assertEquals(all_matter(world), before)
end

function TestPieces.testUndoIsForgotten()
	local world, t = tree()
	t:begin_undo "cut"
	t:fill_box { position = { 0, 2, 0 }, size = { 6, 1, 6 }, material = "air" }
	lu.assertEquals(t.undo_stats.undos, 1)
	world:step()
	lu.assertEquals(t.undo_stats.undos, 0)
	lu.assertFalse(t:undo())
end

function TestPieces.testSnapshotAndFile()
	local world, t = tree()
	t:anchor({ -20, -4, -20 }, { 19, -4, 19 })
	t.small_pieces = { cells = 5, fate = "vanish" }
	t:fill_box { position = { 0, 2, 0 }, size = { 6, 1, 6 }, material = "air" }
	local before = world:snapshot() -- with an edit that was not looked at
	world:run(1)
	local during = world:snapshot()
	local path = os.tmpname()
	assert(world:save(path))
	world:run(1)
	local after, matter = world:hash(), all_matter(world)
	assert(world:restore(before))
	lu.assertEquals(world.stats.assemblies, 0)
	world:run(2)
	lu.assertEquals(world:hash(), after)
	assert(world:restore(during))
	lu.assertEquals(all_matter(world), matter)
	world:run(1)
	lu.assertEquals(world:hash(), after)
	local loaded = assert(scree.load(path))
	os.remove(path)
	local lt = loaded.terrain
	lu.assertEquals({ lt.detach, lt.small_pieces, #lt.anchors }, { true, { cells = 5, fate = "vanish" }, 1 })
	loaded:run(1)
	lu.assertEquals(loaded:hash(), after)
	lu.assertEquals(all_matter(loaded), matter)
end

function TestPieces.testDigTakesSoftFirst()
	local world = scree.world {}
	local t = world.terrain
	t:fill_box { position = { -10, 0, 0 }, size = { 20, 20, 20 }, material = "sand" }
	t:fill_box { position = { 10, 0, 0 }, size = { 20, 20, 20 }, material = "rock" }
	local ball = 4 / 3 * math.pi * 6 ^ 3
	local edit = t:dig { center = { 0, 0, 0 }, radius = 6, strength = 2 }
	lu.assertNil(edit.removed.rock) -- of hardness 5
	lu.assertAlmostEquals(edit.removed.sand, ball / 2 * (1 - 0.2 / 2), ball * 0.04)
	lu.assertEquals(edit.added, {})
	edit = t:dig { center = { 0, 0, 0 }, radius = 6, strength = 10 }
	lu.assertAlmostEquals(edit.removed.rock, ball / 2 * (1 - 5 / 10), ball * 0.03)
	lu.assertTrue(edit.removed.sand < edit.removed.rock)
	world.materials.rock = { hardness = 0 }
	edit = t:dig { position = { 13, 0, 0 }, radius = 4, strength = 0.001 } -- as a brush
	t:fill_box { position = { 10, 0, 0 }, size = { 20, 20, 20 }, material = "rock" }
	lu.assertEquals(t:fill_ball { position = { 13, 0, 0 }, radius = 4, material = "air" }.removed, edit.removed)
end

function TestPieces.testBlast()
	local world = scree.world { gravity = { 0, 0, 0 } }
	local t = world.terrain
	t:fill_box { position = { 0, -10, 0 }, size = { 40, 20, 40 }, material = "rock" }
	local near = world:spawn { shape = "box", size = { 1, 1, 1 }, position = { 2, 3, 0 }, material = "wood" }
	local far = world:spawn { shape = "ball", radius = 0.5, position = { -6, 3, 0 }, material = "wood" }
	local out = world:spawn { shape = "ball", radius = 0.5, position = { 0, 20, 0 }, material = "wood" }
	world:settle(3)
	local result = world:blast { position = { 0, 0, 0 }, radius = 8, strength = 20, impulse = 4000 }
	lu.assertTrue(result.removed.rock > 10)
	lu.assertEquals(#result.assemblies, 2)
	lu.assertIs(result.assemblies[1], near)
	local a, b = near.velocity * near.mass, far.velocity * far.mass
	lu.assertTrue(a.x > 0 and a.y > 0 and b.x < 0 and b.y > 0)
	lu.assertTrue(a:length() > b:length())
	lu.assertAlmostEquals(b:length(), 4000 * (1 - math.sqrt(5.5 ^ 2 + 2.5 ^ 2) / 8) ^ 2, 1)
	lu.assertEquals(out.velocity, scree.vec3(0, 0, 0))
	local nothing = world:blast { position = { 0, 100, 0 }, radius = 5 }
	lu.assertEquals(nothing, { removed = {}, added = {}, assemblies = {} })
	t.detach = true
	world:step()
	t:fill_box { position = { 0, 10.5, 0 }, size = { 3, 3, 3 }, material = "sand" }
	world:blast { position = { 0, 12, 0 }, radius = 1, strength = 3 }
	world:step()
	lu.assertEquals(detached(world)[1].cause, "blast")
end

-- A pile of rubble: what falls rests, nothing is lost, and a second run has the same bits.
function TestPieces.testDeterministic()
	local hashes = {}
	for run = 1, 2 do
		local world = scree.world { threads = run }
		local t = world.terrain
		t:fill_box { position = { 0, -2, 0 }, size = { 40, 4, 40 }, material = "rock" }
		t:fill_box { position = { 0, 6, 0 }, size = { 6, 12, 6 }, material = "sandstone" }
		t.detach = true
		local before = all_matter(world)
		local taken = 0
		for i = 1, 4 do
			local blast = world:blast { position = { 0, 2 + 2 * i, i % 2 }, radius = 7, strength = 30, impulse = 500 }
			taken = taken + (blast.removed.sandstone or 0)
			world:run(0.5)
		end
		lu.assertTrue(world.stats.assemblies > 0)
		local after = all_matter(world)
		lu.assertAlmostEquals(after.sandstone + taken, before.sandstone, 1e-9)
		hashes[run] = world:hash()
	end
	lu.assertEquals(hashes[1], hashes[2])
end

function TestPieces.testBadInput()
	local world = scree.world {}
	local t = world.terrain
	local function refuses(message, fn)
		lu.assertErrorMsgContains(message, fn)
	end
	refuses("terrain.detach must be true or false, got 1", function() t.detach = 1 end)
	refuses("terrain.small_pieces must be a table, got 5", function() t.small_pieces = 5 end)
	refuses('unknown key "cell"', function() t.small_pieces = { cell = 5 } end)
	refuses("terrain.small_pieces.cells must be a whole number from 0 to 4096, got 0.5", function()
		t.small_pieces = { cells = 0.5 }
	end)
	refuses('terrain.small_pieces.fate must be "debris", "vanish", got "vanis"', function()
		t.small_pieces = { fate = "vanis" }
	end)
	lu.assertEquals(t.small_pieces, { cells = 0, fate = "debris" })
	refuses("anchors is read-only", function() t.anchors = {} end)
	refuses("anchor: max[2] must be at least min[2] (5), got 4", function() t:anchor({ 0, 5, 0 }, { 9, 4, 9 }) end)
	refuses("anchor: min must be", function() t:anchor() end)
	lu.assertEquals(#t.anchors, 0)
	refuses("dig: options must be a table", function() t:dig() end)
	refuses("dig: center is missing", function() t:dig { radius = 1, strength = 1 } end)
	refuses("dig: strength is missing", function() t:dig { center = { 0, 0, 0 }, radius = 1 } end)
	refuses("dig: radius must be a positive number, got nan", function()
		t:dig { center = { 0, 0, 0 }, radius = 0 / 0, strength = 1 }
	end)
	refuses("dig: radius must be", function() t:dig { center = { 0, 0, 0 }, radius = 1e6, strength = 1 } end)
	refuses("dig: strength must be a positive number, got -1", function()
		t:dig { center = { 0, 0, 0 }, radius = 1, strength = -1 }
	end)
	refuses('unknown key "size"', function() t:dig { center = { 0, 0, 0 }, radius = 1, strength = 1, size = 2 } end)
	refuses("blast: position is missing", function() world:blast { radius = 2 } end)
	refuses("blast: radius is missing", function() world:blast { position = { 0, 0, 0 } } end)
	refuses("blast: impulse must be a number of at least 0, got -1", function()
		world:blast { position = { 0, 0, 0 }, radius = 2, impulse = -1 }
	end)
	refuses("blast: position[1] must be from", function() world:blast { position = { 1e17, 0, 0 }, radius = 2 } end)
end

return TestPieces
